"""Roots in statements: signs of sums with roots, and functions that rise or fall."""

from __future__ import annotations

import pytest
from sympy import Rational, Symbol, sqrt

from rftheory.exact.symbols import d, v
from rftheory.statement.words import claimed, decreasing, increasing
from tests.statement.stating import assert_holds, assert_not_proved

S, X, Y, PSI = (Symbol(name, positive=True) for name in ("s", "X", "Y", "psi"))
U = Symbol("u", real=True)
RHO = (sqrt((2 * v**2 + d) ** 2 + 8 * d * v**2) - 2 * v**2 - d) / (4 * v**2)
BEST = (1 - 1 / RHO) / 8  # the factor of |w|^2 of least variance
OWN = (1 + 2 * S**2 + sqrt((1 + 2 * S**2) ** 2 + 8 * S**2)) / 2  # 1 - 8 a of one coordinate


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (2 * sqrt(X * Y) <= PSI**2 * X + Y / PSI**2, ()),
        (sqrt(X * Y) <= (X + Y) / 2, ()),
        (sqrt(X + 2) + sqrt(X) < 2 * sqrt(X + 1), ()),
        (sqrt(U + 1) < 1 + U / 2, (U > 0,)),
        (sqrt(1 + U**2) >= U, ()),
        (sqrt(1 + U**2) > -U, ()),
        (BEST < 0, (v > 0,)),
        (RHO < 1, (v > 0,)),
        (RHO > 0, (v > 0,)),
        (OWN > 1, ()),
        (decreasing(BEST, v), (v > 0,)),
        (decreasing(RHO, v), (v > 0,)),
        (increasing(1 / (1 - sqrt(1 + S)), S), ()),
    ],
    ids=str,
)
def test_signs_with_roots_are_proved(claim: object, over: tuple[object, ...]) -> None:
    assert_holds(claimed(claim), *over)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (2 * sqrt(X * Y) < PSI**2 * X + Y / PSI**2, ()),  # equal at psi^4 = Y/X
        (sqrt(1 + U**2) > 1, ()),  # equal at 0
        (sqrt(1 + U**2) >= 1 + U / 2, ()),
        (sqrt(X) <= X, ()),
        (sqrt(X**2 + Y - 1) > X - 1, ()),  # the root is not real everywhere
        (X ** Rational(1, 3) > X, ()),
        (OWN > 1 + S, ()),
        (BEST > -1, (v > 0,)),
        (increasing(BEST, v), (v > 0,)),
        (increasing(1 / (sqrt(1 + U**2) - 2), U), (U >= 0,)),  # a pole
    ],
    ids=str,
)
def test_signs_with_roots_that_are_false_are_not(claim: object, over: tuple[object, ...]) -> None:
    assert_not_proved(claimed(claim), *over)
