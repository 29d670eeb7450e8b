"""How the verdicts on a note read: draws in a table under what they support, lines no wider than a terminal."""

from __future__ import annotations

import pytest

from rftheory.author import d, gaussian, iid, mean, mse, orthogonal, positive, v
from rftheory.judge import Budget, Decision, Evidence, Kind
from rftheory.judge.verdict import conclude
from rftheory.statement.domain import Domain
from rftheory.statement.judging import judged
from rftheory.statement.run import NoteReport
from rftheory.statement.sampled import drawn, planned
from rftheory.statement.statement import Statement

CLAIM = mse(positive(orthogonal)) < mse(positive(iid, m=d))
STATEMENT = Statement("note.claim", "", CLAIM, Domain.of(CLAIM, (d >= 2, v > 0)))
POINTS = Evidence(Kind.CERTIFIED, Decision.HOLDS, "no counterexample at 9 points")
DOUBT = Evidence(Kind.CERTIFIED, Decision.UNDECIDED, "no side has a value")
POINT = Evidence(Kind.CERTIFIED, Decision.FAILS, "counterexample d = 2")


@pytest.fixture(scope="module")
def draws() -> list[Evidence]:
    """Draws for both sides, which agree, and tilted ones."""
    few = mse(positive("iid", m=3)) > 0
    tilted = Statement("note.few", "", few, Domain.of(few, ()))
    plain = [drawn(STATEMENT, atom, Budget(1e-6), 0) for atom in planned(STATEMENT)]
    return [*plain, drawn(tilted, planned(tilted)[0], Budget(1e-6), 0, 1024)]


def text(*pieces: Evidence, explain: bool = False, columns: int | None = None) -> list[str]:
    result = judged(STATEMENT, conclude(pieces, claim=STATEMENT.id))
    return NoteReport("note", (result,)).text(explain, columns).splitlines()


def test_draws_stand_in_a_table_under_what_they_support(draws: list[Evidence]) -> None:
    lines = [line.strip() for line in text(POINTS, *draws)]
    assert lines[1] == "certified: no counterexample at 9 points, but no proof for the whole domain"
    says = "samplers agree with declarations; {} each would show (p = 0.999) an error of"
    assert lines[2] == "drawn     " + says.format("65536 draws")
    assert lines[5] == "drawn     " + says.format("1024 tilted draws of its second moment")
    for line, piece in zip((*lines[3:5], lines[6]), draws, strict=True):
        share, name = line.split(" % of ")
        sees = 100 * piece.details["sees"]
        assert float(share) == pytest.approx(sees, rel=0.06)
        assert piece.summary.startswith(f"{name}: ")
        assert f"a relative error of {piece.details['sees']:.3g} would have been seen" in piece.summary
    assert max(map(len, text(POINTS, *draws[:2]))) <= 110


def test_draws_alone_are_no_proof(draws: list[Evidence]) -> None:
    assert text(*draws)[1].strip() == "no proof for the whole domain"


def test_draws_are_not_shown_where_they_say_nothing_of_the_verdict(draws: list[Evidence]) -> None:
    for piece, said in (
        (DOUBT, "certified: no side has a value"),
        (POINT, "certified: counterexample d = 2"),
    ):
        assert [line.strip() for line in text(piece, *draws)][1:3] == [said, ""]


def test_all_evidence_has_its_numbers_on_lines_of_their_own(draws: list[Evidence]) -> None:
    lines = [line.strip() for line in text(POINTS, *draws, explain=True)]
    for piece in draws:
        head, numbers = piece.summary.split(f", {piece.details['draws']}")
        place = next(k for k, line in enumerate(lines) if line == f"sampled   {head}")
        assert lines[place + 1].startswith(f"{piece.details['draws']}{numbers}; planted error refuted (")


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("explain", [False, True])
def test_lines_are_no_wider_than_the_terminal(columns: int, explain: bool, draws: list[Evidence]) -> None:
    lines = text(POINTS, *draws, explain=explain, columns=columns)
    assert 70 < max(map(len, lines)) <= columns
    whole = " ".join(" ".join(text(POINTS, *draws, explain=explain)).split())
    assert " ".join(" ".join(lines).split()) == whole  # nothing is lost


def test_a_mean_is_drawn_too() -> None:
    claim = mean(positive(orthogonal)) == gaussian
    statement = Statement("note.mean", "", claim, Domain.of(claim, ()))
    piece = drawn(statement, planned(statement)[0], Budget(1e-6), 0)
    assert piece.details["of"] == piece.summary.partition(": ")[0]
