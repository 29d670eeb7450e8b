"""Claims that are judged from their statement as an object."""

from __future__ import annotations

import numpy as np
import pytest

from rftheory.author import conformity, equal, exp, hyperbolic, m, mse, orthogonal, v, z
from rftheory.judge import Budget, Decision
from rftheory.papers.claim import stated
from rftheory.statement.evidence import Bench

BENCH = Bench(Budget(1e-6), np, quick=True, thorough=True)
P = hyperbolic("iid", m=m, kernel="softmax")


@pytest.mark.parametrize(
    "claim", [conformity(orthogonal) > exp(v**2), conformity(orthogonal) == exp(v**2), equal(v, 2 * v)]
)
def test_the_contrary_of_a_refuted_statement_is_its_control(claim: object) -> None:
    (found,) = stated("n.false", "ours", claim, draw=False).judge(BENCH).evidence
    assert found.decision is Decision.FAILS
    assert found.mutants == (("the contrary at that point", True),)


def test_quantities_are_drawn_unless_that_is_declined() -> None:
    wrong = mse(P) == exp(v**2) * exp((v**2 - z**2) / 2) * (1 - exp(-(v**2))) ** 2 / m
    assert len(stated("n.false", "ours", wrong).checks) == 2
    alone = stated("n.false", "ours", wrong, draw=False)
    assert len(alone.checks) == 1
    assert "softmax kernel" in alone.statement
    assert alone.judge(BENCH).decision is Decision.FAILS
