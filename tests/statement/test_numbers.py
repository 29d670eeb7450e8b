"""Statements about numbers that floating-point numbers do not tell apart, most of which once had a wrong verdict."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import sympy
from sympy import Rational, cos, cosh, erf, exp, floor, log, oo, pi, sin

from rftheory.errors import InvalidInput
from rftheory.judge.verdict import Decision
from rftheory.statement.domain import Domain
from rftheory.statement.settle import settled
from rftheory.statement.statement import Statement
from rftheory.statement.words import Side, claimed, d, decreasing, equal, for_some, formula, k, limit, v

TINY = Rational(1, 10**120)
LOG = log(1 + TINY)
ALMOST = log(cosh(Rational(1, 10**60))) - TINY / 4
"""About 10^-120/4; sympy takes the logarithm for 0."""
t = sympy.Symbol("t", nonnegative=True)
x = sympy.Symbol("x")
BUMP = sympy.Integral(exp(-((x - 1000) ** 2)), (x, 0, 10_000))
"""sqrt(pi)."""
SIX = formula("hoeffding_features", eps=1, delta=2 * exp(-Rational(5, 2)) * (1 - TINY))
"""The least number above 5 + 2e-120."""
ONE, OTHER = sin(pi / 11) ** 2, 1 - cos(pi / 11) ** 2
"""The same number."""


def verdict(claim: object, over: Iterable[object]) -> Decision:
    said = claimed(claim)
    return settled(Statement("n.a", "", said, Domain.of(said, over))).decision


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (Side(d) >= 6, (d > 5 * erf(20),)),
        (Side(d) <= 1, (d <= 1 + BUMP,)),
        (SIX * d <= 5 * d, ()),
        (Side(sympy.Piecewise((v, log(1 + t) > 0), (-v, True))) <= 0, (t <= TINY, t >= TINY)),
        (Side(floor(erf(20 * d))) >= 1, (d <= 3,)),
        (Side(sympy.Sum(1, (k, 1, floor(5 * erf(20 * d))))) >= 5, (d <= 3,)),
        (Side(2 ** floor(5 * erf(20 * d))) >= 32, (d <= 3,)),
        (for_some(d, equal(d, 5), 1, 5 * erf(20)), ()),
        (for_some(v, equal(v, 1), 0, 1 - ALMOST), ()),
        (limit((exp(ONE * v**2) - exp(OTHER * v**2)) / exp(ONE * v**2), v, oo) == 1, ()),
        (limit((exp(ONE * v**2) - exp(OTHER * v**2)) / exp(ONE * v**2), v, oo) == -1, ()),
        (Side(exp(ONE * v**2)) > exp(OTHER * v**2), (v > 0,)),
        (Side(exp(ONE * v**2)) < exp(OTHER * v**2), (v > 0,)),
    ],
)
def test_false_statements_do_not_hold(claim: object, over: Iterable[object]) -> None:
    assert verdict(claim, over) is not Decision.HOLDS


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (Side(d) <= 4, (d <= 5 * erf(20),)),
        (Side(v) > 0, (v >= LOG,)),
        (SIX * d >= 6 * d, ()),
        (Side(v) > 1, (v > 1 + LOG / 2, v <= 1 + LOG)),
        (Side(LOG * v + LOG) > 0, ()),
        (for_some(d, equal(d, 2), 1, 1 + BUMP), ()),
        (for_some(d, equal(d, 5), 5 * erf(20), 8), ()),
    ],
)
def test_true_statements_hold(claim: object, over: Iterable[object]) -> None:
    assert verdict(claim, over) is Decision.HOLDS


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (Side(ALMOST * d) <= 0, ()),
        (Side(ALMOST * (v + 1)) < 0, ()),
        (Side(ALMOST * exp(v)) <= 0, (v <= 1,)),
        (decreasing(ALMOST * exp(v**2), v), ()),
        (decreasing(ALMOST * d**2, d), ()),
        (limit(exp(v**2 * ALMOST), v, oo) == 0, ()),
        (Side(v) <= 0, (v <= ALMOST,)),
    ],
)
def test_numbers_whose_signs_sympy_gets_wrong_are_refused(claim: object, over: Iterable[object]) -> None:
    with pytest.raises(InvalidInput, match="signs"):
        verdict(claim, over)


def test_numbers_without_an_enclosure_prove_nothing() -> None:
    """zeta is not read by balls: sympy's floating-point numbers know its sign, and decide nothing."""
    assert verdict(Side(sympy.zeta(3) * d) > 0, ()) is Decision.UNDECIDED
    assert verdict(Side(exp(exp(exp(10))) * d) > 0, ()) is not Decision.FAILS
