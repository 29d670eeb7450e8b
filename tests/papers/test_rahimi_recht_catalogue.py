"""The walk-through of Rahimi and Recht: every entry is judged, as recorded, and wrong statements are not held."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from rftheory.judge import Budget, Decision, Grade
from rftheory.papers import CATALOGUE, Claim
from rftheory.papers.rahimi_recht.entries import ENTRIES
from rftheory.statement.evidence import Bench, ProvedStep, Shown, Slow
from rftheory.statement.evidence.stated import FromStatement
from rftheory.statement.statement import Statement

CLAIMS = CATALOGUE.select(paper="rahimi_recht")

QUICK = Bench(Budget(1e-6, tests=CATALOGUE.sampled_tests), np, quick=True)
BY_ID = {claim.id: claim for claim in CLAIMS}


def test_every_entry_has_claims_and_every_claim_an_entry() -> None:
    assert len(ENTRIES) == len(set(ENTRIES)) == 76
    assert {claim.entry for claim in CLAIMS} == {*ENTRIES, "added"}


def test_claims_follow_the_order_of_the_source() -> None:
    places = [ENTRIES.index(claim.entry) for claim in CLAIMS if claim.entry != "added"]
    assert places == sorted(places)


def test_the_paper_is_known_by_its_prefixes() -> None:
    assert {claim.paper for claim in CLAIMS} == {"rahimi_recht"}
    assert [c.id for c in CATALOGUE.select(paper="rahimi_recht")] == [claim.id for claim in CLAIMS]


def test_a_quick_run_has_evidence_for_every_claim() -> None:
    assert [c.id for c in CLAIMS if all(isinstance(check, Slow) for check in c.checks)] == []


def test_what_is_undecided_is_named() -> None:
    undecided = [claim for claim in CLAIMS if claim.expected is Decision.UNDECIDED]
    assert [claim.id for claim in undecided] == ["yu16.orf/l1"]
    assert undecided[0].judge(QUICK).grade is Grade.SUPPORTED


def twin(identifier: str, kind: type, **wrong: object) -> Claim:
    """The claim with one ingredient of its first check of this kind changed, and no other evidence."""
    claim = BY_ID[identifier]
    check = next(c for c in claim.checks if isinstance(c, kind))
    if isinstance(check, Shown):
        wrong["wrong"] = (("as it was", check.stated),)
    return replace(claim, checks=(replace(check, **wrong),))


def smaller(identifier: str, factor: int) -> Statement:
    """The statement with a bound that is smaller by a factor."""
    statement = BY_ID[identifier].object
    assert statement is not None
    (part,) = statement.parts
    return statement.says(part.func(part.lhs, part.rhs / factor, evaluate=False))


@pytest.mark.parametrize(
    ("wrong", "decision"),
    [
        (twin("rff.claim", FromStatement, statement=smaller("rff.claim", 2**13)), Decision.FAILS),
        (
            twin("rff.added.uniform", FromStatement, statement=smaller("rff.added.uniform", 2**8)),
            Decision.FAILS,
        ),
        (
            twin("rff.added.balls/half", FromStatement, statement=smaller("rff.added.balls/half", 2**8)),
            Decision.FAILS,
        ),
        (
            twin(
                "ss15.unif-phase/l1.corrected",
                FromStatement,
                statement=smaller("ss15.unif-phase/l1.corrected", 2**9),
            ),
            Decision.FAILS,
        ),
        (twin("rff.EL2.corrected", ProvedStep, label="rff.EL2/l6"), Decision.FAILS),
        (twin("rff.added.exponent", Shown, stated=Fraction(2, 5)), Decision.FAILS),
        (twin("rff.eq12", ProvedStep, derivation="rff.eq14", label="rff.eq14/l2"), Decision.FAILS),
    ],
    ids=lambda value: getattr(value, "id", str(value)),
)
def test_another_statement_gets_another_verdict(wrong: Claim, decision: Decision) -> None:
    assert wrong.judge(QUICK).decision is decision
