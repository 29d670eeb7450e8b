"""A variable of the note may have any name, also one that a prover would take for a variable of its own."""

from __future__ import annotations

import pytest
import sympy

from rftheory.author import Symbol, d, limit, m, oo
from rftheory.judge import Decision
from rftheory.statement.settle import alone
from tests.statement.stating import assert_holds, stated

PRIME, TWICE = (Symbol(name, integer=True, positive=True) for name in ("d'", "d''"))


@pytest.mark.parametrize("other", [PRIME, TWICE, m], ids=str)
def test_a_limit_beside_its_own_variable_and_another_one(other: sympy.Symbol) -> None:
    assert_holds(limit(other / d, d, oo) <= 1 / d)
    assert alone(stated(limit(other / d, d, oo) > 1 / d, d >= 2)) is Decision.FAILS
    assert alone(stated(limit(d / other, d, oo) <= 1 + 1 / d)) is Decision.FAILS


def test_one_beside_two_others() -> None:
    side = limit(d / (d + PRIME) * TWICE, d, oo)
    assert_holds(side + 0 >= TWICE - 1 / d)
    assert alone(stated(side <= TWICE - 1 / d)) is Decision.FAILS
