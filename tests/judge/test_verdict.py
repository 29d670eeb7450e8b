"""Rules of evidence, over all small combinations, and the way of a verdict through JSON."""

from __future__ import annotations

import json
from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pytest

from rftheory.errors import InvalidInput
from rftheory.judge import (
    Budget,
    Cover,
    Decision,
    Evidence,
    Grade,
    Kind,
    Score,
    Verdict,
    conclude,
)

HOLDS, FAILS, UNDECIDED = Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED
PIECES = [
    Evidence(kind, decision, f"{kind} {decision} {control}", control=control)
    for kind, decision, control in product(Kind, Decision, (None, True, False))
]
SETS = [combo for size in (1, 2) for combo in combinations_with_replacement(PIECES, size)]


def test_no_evidence_is_undecided():
    assert conclude([], claim="a").decision is UNDECIDED


@pytest.mark.parametrize(
    ("pieces", "decision"),
    [
        ([("derived", "holds", None)], HOLDS),
        ([("sampled", "holds", True), ("derived", "holds", None)], HOLDS),
        ([("sampled", "holds", True), ("certified", "holds", None)], UNDECIDED),
        ([("sampled", "holds", False)], UNDECIDED),
        ([("sampled", "holds", False), ("derived", "holds", None)], UNDECIDED),
        ([("sampled", "fails", True)], FAILS),
        ([("sampled", "fails", False)], UNDECIDED),
        ([("certified", "fails", None), ("sampled", "undecided", None)], FAILS),
        ([("certified", "fails", None), ("certified", "holds", None)], FAILS),
        ([("certified", "holds", None), ("sampled", "undecided", True)], UNDECIDED),
        ([("derived", "holds", None), ("sampled", "fails", True)], UNDECIDED),
        ([("derived", "holds", None), ("certified", "fails", None)], UNDECIDED),
        ([("derived", "fails", None)], FAILS),
    ],
)
def test_rules(pieces, decision):
    evidence = [Evidence(kind, says, "one line", control=control) for kind, says, control in pieces]
    assert conclude(evidence, claim="a").decision is decision


def test_holds_only_if_every_piece_holds_has_a_control_that_works_and_one_covers_the_domain():
    for pieces in SETS:
        sound = all(piece.decision is HOLDS and piece.control is not False for piece in pieces)
        sound = sound and any(piece.kind is Kind.DERIVED for piece in pieces)
        assert (conclude(pieces, claim="a").decision is HOLDS) is sound


def test_fails_only_with_a_refutation_and_contradictions_are_flagged():
    for pieces in SETS:
        verdict = conclude(pieces, claim="a")
        refuted = any(p.decision is FAILS and p.control is not False for p in pieces)
        proved = any(
            p.decision is HOLDS and p.control is not False and p.kind is Kind.DERIVED for p in pieces
        )
        assert (verdict.decision is FAILS) is (refuted and not proved)
        assert verdict.contradiction is (refuted and proved)
        assert ("contradiction" in verdict.reason) is verdict.contradiction


def test_order_does_not_matter_and_every_verdict_has_a_reason():
    for pieces in SETS:
        verdicts = {conclude(order, claim="a").decision for order in permutations(pieces)}
        assert len(verdicts) == 1
        assert conclude(pieces, claim="a").reason


def test_certified_over_the_whole_domain_contradicts_a_refutation():
    boxes = Evidence(Kind.CERTIFIED, HOLDS, "on boxes that cover the domain", covers="domain")
    sampled = Evidence(Kind.SAMPLED, FAILS, "refuted", control=True)
    assert conclude([boxes, sampled], claim="a").contradiction
    points = Evidence(Kind.CERTIFIED, HOLDS, "at three points")
    assert conclude([points, sampled], claim="a").decision is FAILS


def piece(kind="certified", decision="holds", covers="", assumes=(), control=None) -> Evidence:
    return Evidence(kind, decision, "one line", covers=covers, assumes=assumes, control=control)


@pytest.mark.parametrize(
    ("pieces", "decision", "grade"),
    [
        ([piece("derived")], HOLDS, "proved"),
        ([piece("derived", assumes=("Robbins' bound",))], HOLDS, "cited"),
        ([piece("derived", covers="part")], UNDECIDED, "supported"),
        ([piece(covers="domain")], HOLDS, "certified"),
        ([piece(covers="cases: d = 2, ..., 32")], HOLDS, "computed"),
        ([piece(covers="points")], UNDECIDED, "supported"),
        ([piece("sampled", control=True)], UNDECIDED, "supported"),
        # points beside a proof change nothing; of two pieces that are needed the weaker one counts
        ([piece("derived"), piece()], HOLDS, "proved"),
        ([piece("derived"), piece(covers="domain")], HOLDS, "certified"),
        ([piece("derived"), piece("derived", assumes=("Bochner",))], HOLDS, "cited"),
        ([piece("derived"), piece(covers="cases: both")], HOLDS, "computed"),
        ([piece("derived", covers="part"), piece("derived", covers="part")], UNDECIDED, "supported"),
        # one point is enough against a statement, and the strongest refutation counts
        ([piece(decision="fails")], FAILS, "certified"),
        ([piece("derived", "fails"), piece(decision="fails")], FAILS, "proved"),
        ([piece("sampled", "fails", control=True)], FAILS, "computed"),
        ([piece("sampled", "fails", control=True), piece("derived", "undecided")], FAILS, "computed"),
        # what is not decided, or was not told from an error, supports nothing
        ([piece("derived", control=False)], UNDECIDED, None),
        ([piece(decision="undecided"), piece()], UNDECIDED, None),
        ([], UNDECIDED, None),
    ],
)
def test_the_grade_follows_from_what_the_evidence_covers(pieces, decision, grade):
    for order in permutations(pieces):
        verdict = conclude(order, claim="a")
        assert (verdict.decision, verdict.grade) == (decision, grade and Grade(grade))
        assert Verdict.from_dict(verdict.to_dict()).grade == verdict.grade


def test_only_points_that_hold_support_a_statement():
    pieces = [
        piece(),
        piece(decision="fails"),
        piece(decision="undecided"),
        piece(covers="part"),
        piece("derived"),
    ]
    assert [one.says for one in pieces] == ["supports it", "fails", "undecided", "holds", "holds"]


def test_points_and_draws_alone_never_hold():
    covers = [c for c in Cover if not c.whole]
    weak = [piece(kind, covers=str(cover), control=True) for kind, cover in product(Kind, covers)]
    for pieces in combinations_with_replacement(weak, 3):
        verdict = conclude(pieces, claim="a")
        assert (verdict.decision, verdict.grade) == (UNDECIDED, Grade.SUPPORTED)
        assert verdict.reason.endswith(" but no proof for the whole domain")


def test_what_is_needed_and_left_out_is_missed():
    proof = piece("derived")
    assert conclude([proof], claim="a", left_out=[Cover.POINTS]).decision is HOLDS
    verdict = conclude([proof], claim="a", left_out=[Cover.POINTS, Cover.DOMAIN])
    assert (verdict.decision, verdict.grade, verdict.left_out) == (UNDECIDED, Grade.SUPPORTED, 2)
    assert "left out" in verdict.reason
    against = conclude([piece(decision="fails")], claim="a", left_out=[Cover.CASES])
    assert (against.decision, against.left_out) == (FAILS, 1)


def test_a_verdict_names_what_its_evidence_takes_as_known():
    facts = ("Robbins' bound", "Bochner's theorem")
    verdict = conclude([piece("derived", assumes=facts), piece("derived", assumes=facts[:1])], claim="a")
    assert verdict.assumes == facts


def test_undecided_reasons_name_the_evidence():
    weak = Evidence(Kind.SAMPLED, HOLDS, "mean of 4 draws", control=False)
    assert "planted error was not refuted (mean of 4 draws)" in conclude([weak], claim="a").reason
    tired = Evidence(Kind.CERTIFIED, UNDECIDED, "30 digits not reached")
    assert conclude([tired, weak], claim="a").reason.startswith("certified: 30 digits not reached; sampled")


def test_evidence_of_tests_takes_its_control_from_the_planted_error():
    budget = Budget(1e-6)

    def test(exact: float, n: int):
        return Score(exact, 0.25, n, budget).of(np.tile([0.0, 1.0], n // 2))

    strong = Evidence.of_test(test(0.5, 10**6), planted=test(0.505, 10**6), seconds=2.0)
    weak = Evidence.of_test(test(0.5, 10**4), planted=test(0.505, 10**4))
    wrong = Evidence.of_test(test(0.51, 10**6), planted=test(0.505, 10**6))
    assert (strong.control, weak.control, wrong.control) == (True, False, True)
    assert conclude([strong], claim="a").grade is Grade.SUPPORTED
    assert conclude([weak], claim="a").decision is UNDECIDED
    assert conclude([wrong], claim="a").decision is FAILS
    assert conclude([strong, strong], claim="a").seconds == 4.0


def test_json_round_trip():
    for pieces in SETS[::7]:
        verdict = conclude(pieces, claim="simrf.thm3.2")
        text = json.dumps(verdict.to_dict(), allow_nan=False)
        assert Verdict.from_dict(json.loads(text)) == verdict
    detailed = Evidence(Kind.SAMPLED, HOLDS, "x", details={"point": (1, 2.5), "ball": "1.5 +- 1e-30"})
    verdict = conclude([detailed], claim="a")
    assert Verdict.from_dict(json.loads(json.dumps(verdict.to_dict()))) == verdict
    assert verdict.evidence[0].details["point"] == [1, 2.5]


@pytest.mark.parametrize(
    "content", [{}, None, conclude([], claim="a").to_dict() | {"schema": "rftheory.verdict/1"}]
)
def test_other_schemas_are_refused(content):
    with pytest.raises(InvalidInput):
        Verdict.from_dict(content)


@pytest.mark.parametrize(
    "bad",
    [
        {"kind": "guessed"},
        {"decision": "maybe"},
        {"summary": ""},
        {"summary": "two\nlines"},
        {"details": {"z": float("nan")}},
        {"details": {"z": np.zeros(2)}},
        {"details": [1]},
        {"seconds": -1.0},
        {"seconds": float("nan")},
        {"control": "yes"},
        {"covers": "everything"},
        {"covers": "cases"},
        {"covers": "cases: "},
        {"covers": None},
    ],
)
def test_bad_evidence_is_refused(bad):
    given = {"kind": Kind.DERIVED, "decision": HOLDS, "summary": "x"} | bad
    with pytest.raises(InvalidInput):
        Evidence(**given)


def test_bad_conclusions_are_refused():
    with pytest.raises(InvalidInput):
        conclude(PIECES, claim="")
    with pytest.raises(InvalidInput):
        conclude(["holds"], claim="a")
