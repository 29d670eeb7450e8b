"""The user's data: tables from files, the length scale, and the pairs over which errors are averaged."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rftheory.errors import InvalidInput, OutsideDomain

READERS = ".npy, .npz, .csv, .tsv, .txt, .data, and with pandas .parquet and .feather"


def read_table(path: str | Path, columns: str | None = None) -> np.ndarray:
    """Return the rows of a file as a float array (n, d).

    A header of a text file is left out: `table_and_header` returns it too. An .npz file must hold one array, or one
    named ``x``.

    Parameters
    ----------
    path : the file.
    columns : the columns to take, such as ``1-4,6``, counted from 1; in the others anything may stand.

    Raises
    ------
    InvalidInput : there is no such file, or it does not contain a table of finite numbers.

    Examples
    --------
    >>> read_table("missing.npy")
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: missing.npy: needs a file, got 'no such file'
    """
    return table_and_header(path, columns)[0]


def table_and_header(path: str | Path, columns: str | None = None) -> tuple[np.ndarray, str]:
    """Return the table of a file, as `read_table` does, and its header: the first line if that holds words, else "".

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "x.csv"
    ...     _ = file.write_text("a,b\\n1,2\\n")
    ...     table_and_header(file)
    (array([[1., 2.]]), 'a,b')
    """
    try:
        file = Path(path)
        there = file.is_file()
    except (TypeError, ValueError) as error:
        raise InvalidInput("table", needs="the path of a file", got=path) from error
    if not there:
        raise InvalidInput(str(path), needs="a file", got="a folder" if file.is_dir() else "no such file")
    try:
        found, header = _read(file, columns)
    except InvalidInput:
        raise
    except Exception as problem:
        raise InvalidInput(str(path), needs=f"a table of numbers ({READERS})", got=str(problem)) from problem
    return checked_table(found, str(path)), header


def _read(file: Path, columns: str | None) -> tuple[Any, str]:
    if file.suffix.lower() in (".csv", ".tsv", ".txt", ".data"):
        return _read_text(file, columns)
    found = _read_arrays(file)
    if columns is not None and found.ndim == 2:
        found = found[:, chosen_columns(columns, found.shape[1])]
    return found, ""


def _read_arrays(file: Path) -> Any:
    ending = file.suffix.lower()
    if ending == ".npy":
        return np.load(file, allow_pickle=False)
    if ending == ".npz":
        with np.load(file, allow_pickle=False) as arrays:
            names = list(arrays)
            if len(names) != 1 and "x" not in names:
                raise InvalidInput(str(file), needs="one array, or one named x", got=names)
            return arrays["x" if "x" in names else names[0]]
    if ending in (".parquet", ".feather", ".arrow"):
        import pandas

        frame = pandas.read_parquet(file) if ending == ".parquet" else pandas.read_feather(file)
        return frame.select_dtypes("number").to_numpy()
    raise InvalidInput(str(file), needs=READERS, got=ending or "no ending")


def _read_text(file: Path, columns: str | None) -> tuple[np.ndarray, str]:
    text = file.read_text(encoding="utf-8-sig")  # spreadsheets begin a file with a mark of the encoding
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InvalidInput(str(file), needs="a table of numbers", got="no lines")
    mark = "," if "," in text else ("\t" if "\t" in text else (";" if ";" in text else None))
    rows = [(f"{file}, line {number}", _cells(line, mark)) for number, line in lines]
    width = len(rows[-1][1])
    kept = range(width) if columns is None else chosen_columns(columns, width)
    header = ""
    if not all(_is_number(rows[0][1][k]) for k in kept if k < len(rows[0][1])):
        header, rows = lines[0][1].strip(), rows[1:]
    for where, cells in rows:
        if len(cells) != len(rows[0][1]):
            raise InvalidInput(where, needs=f"{len(rows[0][1])} columns, as above", got=len(cells))
    return np.array([_numbers(cells, kept, where) for where, cells in rows]), header


def _cells(line: str, mark: str | None) -> list[str]:
    return line.split() if mark is None else next(csv.reader([line], delimiter=mark, skipinitialspace=True))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers(cells: list[str], kept: Sequence[int], where: str) -> list[float]:
    for column in kept:
        if not _is_number(cells[column]):
            good = ",".join(str(k + 1) for k, cell in enumerate(cells) if _is_number(cell))
            hint = f"encode words as numbers, or leave them out: --columns {good}" if good else ""
            raise InvalidInput(
                f"{where}, column {column + 1}", needs="a number", got=cells[column], hint=hint
            )
    return [float(cells[column]) for column in kept]


def checked_table(values: Any, subject: str) -> np.ndarray:
    """Return a table as a float array (n, d), or raise an error that says what is wrong with it.

    Examples
    --------
    >>> checked_table([[1, 2], [3, 4]], "X").shape
    (2, 2)
    """
    try:
        found = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise InvalidInput(subject, needs="a table (n, d) of real numbers", got=str(error)) from error
    if found.dtype.kind not in "fiub" or found.ndim != 2 or 0 in found.shape:
        got = f"shape {found.shape}, {found.dtype.name}"
        raise InvalidInput(subject, needs="a table (n, d) of real numbers, n, d >= 1", got=got)
    found = found.astype(float)
    if not np.isfinite(found).all():
        bad = int((~np.isfinite(found)).sum())
        raise InvalidInput(
            subject, needs="finite numbers", got=f"{bad} NaN or infinite", hint="impute or drop them"
        )
    return found


FEW, CANDIDATES, NUMBERS = 512, 4096, 4 * 10**6
"""Pairs that are drawn to choose from: the least number, the largest, and how many numbers they may consist of."""
MOST_CLASSES = 20
"""Whole numbers in a column that may be a class label."""


def label_column(values: np.ndarray) -> int | None:
    """The number of classes if the last column looks like a class label, else None.

    That is: a few whole numbers, each in several rows, beside columns of which some are not like that.

    Examples
    --------
    >>> inputs = np.random.default_rng(0).standard_normal((60, 2))
    >>> label_column(np.column_stack([inputs, np.arange(60) % 3])), label_column(inputs)
    (3, None)
    """
    if values.shape[1] < 2 or not _like_labels(values[:, -1]):
        return None
    if all(_like_labels(column) for column in values.T[:-1]):  # a table of small counts
        return None
    return len(np.unique(values[:, -1]))


def _like_labels(column: np.ndarray) -> bool:
    found, times = np.unique(column, return_counts=True)
    few = 2 <= len(found) <= min(MOST_CLASSES, len(column) // 4)
    return bool(few and (found == np.round(found)).all() and times.min() >= 2)


def chosen_columns(text: str, d: int) -> list[int]:
    """Indices of columns named as ``1-4,6``, counted from 1.

    Raises
    ------
    InvalidInput : no such columns.

    Examples
    --------
    >>> chosen_columns("1-3,5", 6)
    [0, 1, 2, 4]
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not dash)):
            raise InvalidInput("--columns", needs="numbers and ranges such as 1-4,6", got=text)
        found += range(int(first) - 1, int(last if dash else first))
    if not found or not 0 <= min(found) <= max(found) < d:
        raise InvalidInput("--columns", needs=f"columns from 1 to {d}", got=text)
    return found


@dataclass(frozen=True)
class Pairs:
    """Pairs of inputs, already divided by the length scale.

    Attributes
    ----------
    x, y : (n, d), pairs row by row.
    lengthscale : the number by which the data were divided.
    total : number of pairs in the data, of which these are a sample; ``total == n`` if they are all.
    square_sum : the average of |x + y|^2 over all pairs of the data.
    square_sums : (d,), the averages of (x_j + y_j)^2 over all pairs of the data.

    Examples
    --------
    >>> found = pairs_of(np.eye(3), lengthscale=1.0)
    >>> found.x.shape, found.total, round(found.square_sum, 6)
    ((3, 3), 3, 2.0)
    """

    x: np.ndarray
    y: np.ndarray
    lengthscale: float
    total: int
    square_sum: float
    square_sums: np.ndarray

    @property
    def d(self) -> int:
        """Dimension."""
        return int(self.x.shape[1])


def exact_values(pairs: Pairs, kernel: str) -> np.ndarray:
    """The kernel of each pair, (n,).

    Examples
    --------
    >>> exact_values(pairs_of(np.eye(2), lengthscale=1.0), "softmax").tolist()
    [1.0]
    """
    if kernel == "softmax":
        return np.asarray(np.exp((pairs.x * pairs.y).sum(1)))
    return np.asarray(np.exp(-((pairs.x - pairs.y) ** 2).sum(1) / 2))


def pairs_of(
    x: Any, y: Any = None, *, kernel: str = "gaussian", lengthscale: float | None = None, count: int = 64, seed: int = 0
) -> Pairs:  # fmt: skip
    """Return pairs of rows of x and y, or of two different rows of x, spread evenly over |x - y| and |x + y|.

    Parameters
    ----------
    x, y : tables (n_x, d) and (n_y, d).
    lengthscale : by default the median of |x - y| over pairs for the Gaussian kernel, and d^(1/4) for softmax, as in
        attention.
    count : number of pairs; all pairs if there are no more.
    seed : seed of the sample.

    Raises
    ------
    InvalidInput, OutsideDomain : tables that do not match, a single row, or a length scale that is not positive.
    """
    x = checked_table(x, "X")
    other = x if y is None else checked_table(y, "Y")
    if other.shape[1] != x.shape[1]:
        raise InvalidInput("Y", needs=f"{x.shape[1]} columns, as X has", got=other.shape[1])
    if y is None and len(x) < 2:
        raise OutsideDomain("X", needs="at least two rows, or Y", got=len(x))
    rng = np.random.default_rng(seed)
    most = max(count, FEW, min(CANDIDATES, NUMBERS // x.shape[1]))
    first, second, total = _drawn(len(x), len(other), y is None, most, rng)
    if lengthscale is None:
        lengthscale = _default_scale(x[first], other[second], kernel)
    if not 0 < lengthscale < np.inf:
        why = "the data may be constant" if lengthscale == 0 else "the data are out of range"
        raise OutsideDomain("length scale", needs="a positive number", got=lengthscale,
                            hint=f"{why}; set it with --lengthscale")  # fmt: skip
    with np.errstate(over="ignore", invalid="ignore"):
        x, other = x / lengthscale, other / lengthscale
        products = x.mean(0) * other.mean(0)
        if y is None:  # pairs of different rows
            products = (len(x) * products - (x**2).mean(0)) / (len(x) - 1)
        sums = (x**2).mean(0) + (other**2).mean(0) + 2 * products
    if not np.isfinite(sums.sum()):
        largest = max(float(np.abs(x).max()), float(np.abs(other).max()))
        raise OutsideDomain("X", needs="numbers whose squares are finite in units of the length scale",
                            got=f"{largest:.4g} length scales", hint="drop or rescale such rows")  # fmt: skip
    x, other = x[first], other[second]
    keep = _spread(((x - other) ** 2).sum(1), ((x + other) ** 2).sum(1), count, rng)
    return Pairs(x[keep], other[keep], float(lengthscale), total, float(sums.sum()), sums)


def _spread(z: np.ndarray, v: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Indices of so many pairs, spread evenly over z and, where that is alike, over v; each is as likely as the others.

    Errors depend on little else than |x - y| and |x + y|, so that a few such pairs stand for many random ones.
    Neighbours in this order are alike, which `MapErrors.error_of_sample` makes use of.
    """
    bands = np.array_split(np.argsort(z), round(math.sqrt(count)))
    order = np.concatenate([band[np.argsort(v[band])][:: (-1) ** k] for k, band in enumerate(bands)])
    ends = np.linspace(0, len(z), min(count, len(z)) + 1).astype(int)
    return np.asarray(order[rng.integers(ends[:-1], ends[1:])])


def _drawn(
    n: int, m: int, same: bool, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, int]:
    """Indices of different pairs, in random order."""
    total = n * (n - 1) // 2 if same else n * m
    chosen = rng.choice(total, size=min(count, total), replace=False) if total < 10**7 else None
    if chosen is None:  # so many pairs that a repetition does not matter
        first, second = rng.integers(n, size=count), rng.integers(m, size=count)
        apart = (first != second) | (not same)
        return first[apart], second[apart], total
    if not same:
        return chosen // m, chosen % m, total
    # the pair (i, j), i < j, has number i (2 n - i - 1)/2 + j - i - 1
    first = np.floor(n - 0.5 - np.sqrt((n - 0.5) ** 2 - 2 * chosen)).astype(int)
    first -= first * (2 * n - first - 1) // 2 > chosen
    second = chosen - first * (2 * n - first - 1) // 2 + first + 1
    return first, second, total


def _default_scale(x: np.ndarray, y: np.ndarray, kernel: str) -> float:
    if kernel == "softmax":
        return float(x.shape[1] ** 0.25)
    with np.errstate(over="ignore", invalid="ignore"):
        apart = x - y
        units = np.abs(apart).max(1)  # squares of the differences themselves may leave the range of floats
        units[units == 0] = 1.0
        return float(np.median(units * np.linalg.norm(apart / units[:, None], axis=1)))
