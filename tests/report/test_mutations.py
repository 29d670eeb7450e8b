"""Mutations are counted by claim; what is missed, what is no error, and what has none are told apart."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.mutations import PLANTED, Tally, modules
from rftheory.judge import Decision
from rftheory.papers import CATALOGUE
from rftheory.report.judging import judge_all
from rftheory.report.run import Report, Result
from rftheory.statement.evidence import NotAtHand, Shown

CLAIM = CATALOGUE.claims["simplex.lem4.1"]


def judged(*checks: object) -> Tally:
    claim = replace(CLAIM, checks=checks)
    return Tally.of([Result(claim, PLANTED.judge(claim, PLANTED.bench()))])


def test_a_mutation_that_the_check_accepts_is_missed() -> None:
    even = Shown("4 is even", lambda n: n % 2 == 0, 4, (("5", 5),), covers="cases: the number 4")
    assert judged(even).missed == ()
    lenient = replace(even, test=lambda n: n < 6, wrong=(("5", 5), ("7", 7)))
    verdict = replace(CLAIM, checks=(lenient,)).judge(PLANTED.bench())
    assert verdict.decision is Decision.UNDECIDED  # its control fails; the count is of what was planted
    decided = replace(verdict, decision=Decision.HOLDS)
    tally = Tally.of([Result(CLAIM, decided)])
    assert (tally.planted, tally.caught, tally.missed) == (2, 1, ("simplex.lem4.1: 5",))
    assert "1 of 2 mutations of 1 claim caught; missed: simplex.lem4.1: 5" in str(tally)


def test_a_caught_mutation_is_counted() -> None:
    tally = Tally.of(judge_all(CATALOGUE.select(claim="simplex.cor3.3"), PLANTED))
    assert str(tally) == "1 of 1 mutation of 1 claim caught"


def test_a_weaker_bound_is_no_error() -> None:
    results = judge_all(CATALOGUE.select(claim="simplex.fig10/(ii)"), PLANTED)
    tally = Tally.of(results)
    assert tally.still_true
    assert tally.missed == ()
    assert f"{len(tally.still_true)} more are still true" in Report(results, {}).summary()


def test_claims_without_a_mutation_are_named_and_open_ones_left_out() -> None:
    assert judged(NotAtHand("nothing")).claims == 0
    verdict = PLANTED.judge(CLAIM, replace(PLANTED, thorough=False).bench())
    assert Tally.of([Result(CLAIM, verdict)]).bare == ("simplex.lem4.1",)


def test_modules_hold_every_claim_once() -> None:
    for paper in CATALOGUE.papers:
        held = [claim.id for claims in modules(paper).values() for claim in claims]
        assert sorted(held) == sorted(claim.id for claim in CATALOGUE.select(paper=paper))
