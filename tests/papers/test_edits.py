"""Statements of the catalogue as objects: an edit of one, its proof left as it is, does not keep the verdict."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from rftheory.judge import Decision
from rftheory.papers import CATALOGUE
from rftheory.statement.judging import proved
from rftheory.statement.mutate import mutants
from rftheory.statement.prove import prove
from rftheory.statement.search import search
from rftheory.statement.statement import Statement

OBJECTS = [c.object for c in CATALOGUE.claims.values() if c.object and c.expected is Decision.HOLDS]
EDITS = [
    (f"{statement.id}: {what}", statement, replace(changed, proof=statement.proof))
    for statement in OBJECTS
    for what, changed in mutants(statement)
]
CHOSEN = random.Random(11).sample(EDITS, min(100, len(EDITS)))


def is_proved(statement: Statement) -> bool:
    """Whether its evidence covers every part on the whole domain."""
    pieces = proved(statement)
    return len(pieces) >= len(statement.parts) and all(
        piece.decision is Decision.HOLDS and piece.cover.whole for piece in pieces
    )


@pytest.mark.parametrize(
    ("before", "after"), [(b, a) for _, b, a in CHOSEN], ids=[what for what, *_ in CHOSEN]
)
def test_an_edited_statement_does_not_keep_its_verdict(before: Statement, after: Statement) -> None:
    """Refuted, or open, or true: then what was edited is proved without the old proof, and nothing is against it."""
    if is_proved(after):
        edited = [part for part in after.parts if part not in before.parts]
        assert all(prove(part, after.domain) for part in edited)
        assert search(after.parts, after.domain, most=60, seconds=2.0).witness is None


def test_there_are_statements_to_edit() -> None:
    assert len(OBJECTS) >= 10
