"""What the tests of statements share."""

from __future__ import annotations

from rftheory.judge import Budget, Decision
from rftheory.statement.domain import Domain
from rftheory.statement.judging import Judged, judge
from rftheory.statement.provers.proof import prove
from rftheory.statement.settle import alone
from rftheory.statement.statement import Statement
from rftheory.statement.words import claimed


def stated(claim: object, *over: object) -> Statement:
    """The claim over the conditions."""
    said = claimed(claim)
    return Statement("test.statement", "", said, Domain.of(said, over))


def judged(claim: object, *over: object, draw: bool = False) -> Judged:
    """The claim over the conditions is judged, with draws or without."""
    return judge(stated(claim, *over), budget=Budget(1e-6) if draw else None)


def assert_holds(claim: object, *over: object) -> None:
    """It is found to hold without draws."""
    assert alone(stated(claim, *over)) is Decision.HOLDS


def assert_not_proved(claim: object, *over: object) -> None:
    """One of its parts has no proof, not even where the search for a counterexample is left out."""
    said = stated(claim, *over)
    proofs = [prove(part, said.domain) for part in said.parts]
    assert any(proof is None or proof.refutes for proof in proofs)
    assert alone(said) is not Decision.HOLDS
