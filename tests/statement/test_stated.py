"""Claims that are judged from their statement as an object."""

from __future__ import annotations

import numpy as np
import pytest

from rftheory.author import (
    conformity,
    decreasing,
    equal,
    exp,
    hyperbolic,
    increasing,
    m,
    mse,
    orthogonal,
    v,
    z,
)
from rftheory.exact.truth import related
from rftheory.judge import Budget, Decision
from rftheory.papers.claim import stated
from rftheory.statement.evidence import Bench

BENCH = Bench(Budget(1e-6), np, quick=True, thorough=True)
P = hyperbolic("iid", m=m, kernel="softmax")


REFUTED = [
    conformity(orthogonal) > exp(v**2), conformity(orthogonal) == exp(v**2), equal(v, 2 * v),
    conformity(orthogonal) >= 2 * exp(v**2), decreasing(conformity(orthogonal), v), increasing(0 * v, v),
]  # fmt: skip


@pytest.mark.parametrize("claim", REFUTED, ids=str)
def test_true_statements_close_by_are_not_refuted(claim: object) -> None:
    (found,) = stated("n.false", "ours", claim, draw=False).judge(BENCH).evidence
    assert found.decision is Decision.FAILS
    assert found.control
    assert found.mutants
    assert all(caught for _, caught in found.mutants)


@pytest.mark.parametrize("claim", [*REFUTED, conformity(orthogonal) <= exp(v**2)], ids=str)
def test_a_searcher_that_refutes_true_statements_is_noticed(
    claim: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that takes every relation for false, and one that takes the sides of an inequality for each other."""
    wrong = {
        "all": lambda one, sign, other: False,
        "exchanged": lambda one, sign, other: related(other, sign, one),
    }
    for related_wrongly in wrong.values():
        monkeypatch.setattr("rftheory.statement.search.related", related_wrongly)
        (found,) = stated("n.false", "ours", claim, draw=False).judge(BENCH).evidence
        assert found.decision is not Decision.FAILS or found.control is False


def test_quantities_are_drawn_unless_that_is_declined() -> None:
    wrong = mse(P) == exp(v**2) * exp((v**2 - z**2) / 2) * (1 - exp(-(v**2))) ** 2 / m
    assert len(stated("n.false", "ours", wrong).checks) == 2
    alone = stated("n.false", "ours", wrong, draw=False)
    assert len(alone.checks) == 1
    assert "softmax kernel" in alone.statement
    assert alone.judge(BENCH).decision is Decision.FAILS


def test_a_searcher_that_refutes_all_equations_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inequalities in the place of a false equation say nothing about the comparison of equal sides."""
    monkeypatch.setattr(
        "rftheory.statement.search.related",
        lambda one, sign, other: False if sign == "=" else related(one, sign, other),
    )
    (found,) = stated("n.false", "ours", equal(v, 2 * v), draw=False).judge(BENCH).evidence
    assert found.decision is Decision.FAILS
    assert found.control is False
