"""Statements of the catalogue, objects and proved steps: an edit of one, its proof left as it is, loses the verdict."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest
import sympy

from rftheory.errors import NotCertified
from rftheory.exact.limits import time_limit
from rftheory.exact.proof import derivation
from rftheory.judge import Decision
from rftheory.papers import CATALOGUE
from rftheory.statement.evidence import ProvedStep
from rftheory.statement.evidence.stated import FromStatement
from rftheory.statement.mutate import mutants
from rftheory.statement.provers.derivation import statement_of
from rftheory.statement.provers.proof import prove
from rftheory.statement.search import search
from rftheory.statement.settle import proved
from rftheory.statement.statement import Statement

HELD = [claim for claim in CATALOGUE.claims.values() if claim.expected is Decision.HOLDS]
OBJECTS = [check.statement for claim in HELD for check in claim.checks if isinstance(check, FromStatement)]


def by_step(check: ProvedStep) -> Statement | None:
    """The step that is the evidence, as a statement with its derivation as the proof; None where it is long, or has
    integrals: sympy would work on them for minutes, or hours."""
    found = derivation(check.derivation)
    step = next(step for step in found.steps if step.label == check.label)
    statement = statement_of(found, step)
    slow = (step.left + step.right).has(sympy.Integral) or step.left.count_ops() + step.right.count_ops() > 60
    return None if statement is None or slow else replace(statement, proof=check.derivation)


@cache
def steps() -> list[Statement]:
    found = (by_step(check) for claim in HELD for check in claim.checks if isinstance(check, ProvedStep))
    return [step for step in found if step is not None]


def edited(statement: Statement, chance: random.Random) -> Statement:
    """One change of it, chosen at random."""
    _, changed = chance.choice(list(mutants(statement)))
    return replace(changed, proof=statement.proof)


def is_proved(statement: Statement) -> bool:
    """Whether its evidence covers every part on the whole domain; no, where it is not found in five seconds."""
    try:
        with time_limit(5.0):
            pieces = proved(statement)
    except NotCertified:
        return False
    return len(pieces) >= len(statement.parts) and all(
        piece.decision is Decision.HOLDS and piece.cover.whole for piece in pieces
    )


@pytest.mark.parametrize("seed", range(100))
def test_an_edited_statement_does_not_keep_its_verdict(seed: int) -> None:
    """Refuted, or open, or true: then what was edited is proved without the old proof, and nothing is against it."""
    chance = random.Random(seed)
    before = chance.choice(OBJECTS if seed % 5 else steps())
    after = edited(before, chance)
    if is_proved(after):
        changed = [part for part in after.parts if part not in before.parts]
        assert all(prove(part, after.domain) for part in changed)
        assert search(after.parts, after.domain, most=60, seconds=2.0).witness is None


def test_there_are_statements_to_edit() -> None:
    assert len(OBJECTS) >= 10
