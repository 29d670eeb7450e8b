"""What the tests of statements share."""

from __future__ import annotations

from rftheory.statement.domain import Domain
from rftheory.statement.statement import Statement
from rftheory.statement.words import claimed


def stated(claim: object, *over: object) -> Statement:
    """The claim over the conditions."""
    said = claimed(claim)
    return Statement("test.statement", "", said, Domain.of(said, over))
