"""A name that does not exist: the nearest ones, and what lists them, in whatever command it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftheory.cli import main
from rftheory.errors import UnknownName, meant_file, near

SAMPLERS = "def right(m, d, seed):\n    raise ValueError\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of samplers and one that is not read."""
    (tmp_path / "samplers_of_suggestions.py").write_text(SAMPLERS, encoding="utf-8")
    (tmp_path / "table.npz").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("verify simplex.thm32", "did you mean 'simplex.thm3.2', "),
        ("verify simplx.thm3.2", "did you mean 'simplex.thm3.2' "),
        ("verify hybrid.tm3.5", "did you mean 'hybrid.thm3.5'"),
        ("verify hybrid Theorem 3.55", "did you mean 'hybrid.thm3.5'"),
        ("verify zzz", "(rftheory list statements WORDS searches)"),
        ("verify --claim simplex.THM3-2", "did you mean 'simplex.thm3.2'"),
        ("verify --paper simplx", "did you mean 'simplex'? (known: ch18, chefs, "),
        ("verify --evidence deriv", "did you mean 'derived'?"),
        ("errata --paper simplx", "did you mean 'simplex'? (known: ch18, chefs, "),
        ("errata samplers_of_suggestion.py", "did you mean 'samplers_of_suggestions.py'?"),
        ("derive simplex.thm43", "did you mean 'simplex.thm4.3' "),
        ("eval orf_conformty", "did you mean 'orf_conformity'? (rftheory list formulas shows all)"),
        ("eval orf_conformity dd=5", "did you mean 'd'? (known: d, v)"),
        (
            "eval mse mechanism=SimRFF d=4 m=4 v=1",
            "did you mean 'simrf'? (rftheory list mechanisms shows all)",
        ),
        ("figure simplex_fig66", "did you mean 'simplex_fig6'? (rftheory list figures shows all)"),
        ("check samplers_of_suggestions.py:rigt", "did you mean 'right'? it has right"),
        ("check sampler_of_suggestions.py:right", "did you mean 'samplers_of_suggestions.py'?"),
        ("check samplers_of_suggestions.py:right --kind matrx", "did you mean 'matrix'?"),
        ("check samplers_of_suggestions.py:right --arg sed=8", "did you mean 'seed'? it takes m, d, seed"),
        (
            "check samplers_of_suggestions.py:right --only copling",
            "did you mean 'coupling'? (known: blocks, ",
        ),
        ("choose table.npy", "did you mean 'table.npz'?"),
        ("completion zhs", "did you mean 'zsh'?"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_ones(
    command: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("formulas conformty", "did you mean 'conformity'? (rftheory list formulas shows all)"),
        ("statments", "did you mean 'statements'?"),
        ("thm32", "did you mean 'thm3.2'?"),
        ("simplx Theorem 3.2", "did you mean 'simplex Theorem 3.2'?"),
        ("formulas qqqq", "try fewer words (rftheory list formulas shows all)"),
        ("formulas simplex poisson", "try fewer words (rftheory list formulas shows all)"),
    ],
)
def test_a_search_that_finds_nothing_names_words_that_exist(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", *words.split()]) == 1
    assert said in capsys.readouterr().err


def test_a_name_that_is_like_none_is_not_answered_with_another() -> None:
    assert near("zzz", ["simplex", "positive"]) == []
    assert near("", ["simplex"]) == []
    assert near("orthgonal", ["ORTHOGONAL", "orthogonal"]) == ["orthogonal"]
    assert near("ORTHGONAL", ["orthogonal"]) == ["orthogonal"]
    assert near("+", ["favor"]) == []
    assert near("FAVOR", ["favor+", "favor++", "simrf"]) == ["favor+", "favor++"]
    assert meant_file(Path("no such folder") / "x.py") == ""


def test_few_names_are_all_listed_and_many_are_not() -> None:
    assert str(UnknownName("x", "q", ["a", "b"])) == "unknown x 'q'; known: a, b"
    assert str(UnknownName("x", "aa", ["a"])) == "unknown x 'aa'; did you mean 'a'?"
    many = [f"name{number}" for number in range(13)]
    assert str(UnknownName("x", "q", many)) == "unknown x 'q'"
    told = str(UnknownName("x", "name1", ["name1.a", "name2"], hint="a command shows all"))
    assert told == "unknown x 'name1'; did you mean 'name1.a'? (a command shows all)"
