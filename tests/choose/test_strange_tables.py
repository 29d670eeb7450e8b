"""Tables as others hold them: tensors, frames, sparse matrices, masked arrays, and what is no table."""

from __future__ import annotations

import sys
from datetime import date
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rftheory.check import check
from rftheory.choose.data import checked_table, pairs_of, read_table
from rftheory.errors import InvalidInput
from rftheory.sample.arrays import to_host

TABLE = np.random.default_rng(1).standard_normal((9, 3))
LOWEST = np.isclose(TABLE, TABLE.min())
MISSING = type("NAType", (), {"__repr__": lambda _: "<NA>"})()


class Tensor:
    """What is used of a tensor of torch that needs gradients and lies on a device."""

    def __init__(self, values: np.ndarray, dtype: str = "torch.float64", at: str = "as made") -> None:
        self.values, self.dtype, self.shape, self.at = values, dtype, values.shape, at

    def detach(self) -> Tensor:
        return Tensor(self.values, self.dtype, self.at + ", detached")

    def cpu(self) -> Tensor:
        return Tensor(self.values, self.dtype, self.at + ", here")

    def float(self) -> Tensor:
        return Tensor(self.values, "torch.float32", self.at)

    def numpy(self) -> np.ndarray:
        if self.at != "as made, detached, here" or "bfloat16" in self.dtype:
            raise TypeError("can't convert it to numpy")
        return self.values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.numpy()


class Frame:
    """What is used of a frame of pandas; like one, it has a ``get`` that takes a key."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.shape = np.asarray(values), np.shape(values)

    def get(self, key: str) -> None:
        raise AssertionError(key)

    def to_numpy(self, dtype: type | None = None, na_value: object = None) -> np.ndarray:
        if dtype is None:
            return self.values
        return np.where(self.values == MISSING, na_value, self.values).astype(dtype)


def mixed(*last: object) -> np.ndarray:
    return np.column_stack([TABLE.astype(object), np.resize(np.array(last, dtype=object), len(TABLE))])


@pytest.mark.parametrize(
    "given",
    [
        Tensor(TABLE), Tensor(TABLE, "torch.bfloat16"), Frame(TABLE), Frame(TABLE.astype(object)),
        sparse.csr_matrix(TABLE), sparse.coo_array(TABLE), np.ma.array(TABLE), np.asfortranarray(TABLE),
        TABLE.astype(">f8"), TABLE.astype(object), TABLE.tolist(), [list(map(Fraction, row)) for row in TABLE.tolist()],
    ],
)  # fmt: skip
def test_a_table_in_any_form_is_the_same_table(given: Any) -> None:
    """Tensors with gradients raised errors of torch; sparse matrices, and frames with their own types, did not pass."""
    assert np.array_equal(checked_table(given, "X"), TABLE)
    assert np.array_equal(pairs_of(given).x, pairs_of(TABLE).x)


@pytest.mark.parametrize(
    "given",
    [np.ma.array(TABLE, mask=LOWEST), Frame(np.where(LOWEST, MISSING, TABLE))],
)
def test_what_is_missing_is_not_taken_for_a_number(given: Any) -> None:
    """What lies below a mask was taken as it is."""
    row, column = (int(one[0]) for one in np.nonzero(LOWEST))
    with pytest.raises(InvalidInput, match=f"row {row + 1}, column {column + 1}: needs a finite number"):
        checked_table(given, "X")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Frame(mixed("a", "b")), "no numbers: column 4;"),
        (Frame(mixed(date(2026, 1, 1))), "no numbers: column 4;"),
        (mixed(0.5, "1.5"), "no numbers: column 4;"),
        (TABLE[:, 0], r"take x\[:, None\]"),
        ((row for row in TABLE), "got 'generator'"),
        (None, "got 'NoneType'"),
        (SimpleNamespace(shape=(3, 3)), "got 'SimpleNamespace'"),
        ([[1.0, 2.0], [3.0]], "inhomogeneous"),
        (TABLE + 1j, "complex128"),
    ],
)
def test_what_is_no_table_of_numbers_is_said(given: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        checked_table(given, "X")


@pytest.mark.parametrize("kind", ["csr", "coo"])
def test_sparse_matrices_are_read_from_files(tmp_path: Path, kind: str) -> None:
    sparse.save_npz(tmp_path / "x.npz", sparse.csr_matrix(TABLE).asformat(kind))
    assert np.array_equal(read_table(tmp_path / "x.npz"), TABLE)


@pytest.mark.parametrize("form", [Tensor, Frame, sparse.csr_matrix, list])
def test_samplers_return_any_of_these(form: Any) -> None:
    """A frame of pandas was "not an array"."""

    def sampler(m: int, d: int, seed: int) -> Any:
        return form(np.random.default_rng(seed).standard_normal((m, d)))

    assert check(sampler, coupling="iid", d=3, m=4, seconds=1, intervals=False).calls
    assert to_host(sampler(4, 3, 0)).shape == (4, 3)


def test_columns_of_a_frame_in_a_file_are_those_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns of words were dropped without a word, and numbers of columns counted among the others."""
    frame = Frame(np.column_stack([mixed("word")[:, -1], TABLE]))
    frame.ndim, frame.columns, frame.iloc = 2, ["name", "a", "b", "c"], frame.values
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(read_parquet=lambda file: frame))
    (file := tmp_path / "x.parquet").touch()
    for columns in ("2,3", "a, b"):
        assert np.array_equal(read_table(file, columns), TABLE[:, :2])
    with pytest.raises(InvalidInput, match="no numbers: column 1"):
        read_table(file)
