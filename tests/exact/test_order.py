"""Numbers next to integers, to 0 and to each other, which floating-point numbers do not tell apart."""

from __future__ import annotations

import pytest
import sympy
from flint import arb
from sympy import Rational, S, ceiling, cosh, erf, exp, floor, log, oo, pi, sqrt, tanh

from rftheory.errors import Undecided
from rftheory.exact.evaluate import evaluate
from rftheory.exact.events import EVENTS
from rftheory.exact.order import (
    by_size,
    ceiling_of,
    compared,
    evaluated,
    floor_of,
    in_order,
    is_sound,
    surely,
)
from rftheory.exact.ranges import Range
from rftheory.exact.substitution import with_values

TINY = Rational(1, 10**120)
ALMOST = log(cosh(Rational(1, 10**60))) - TINY / 4
"""About 10^-120/4; sympy takes the logarithm for 0."""
n, k = sympy.symbols("n k", integer=True)
x = sympy.Symbol("x", real=True)
BUMP = sympy.Integral(exp(-((x - 1000) ** 2)), (x, 0, 10_000))
"""sqrt(pi); the nodes of a floating-point quadrature miss it."""

SILVER = sympy.expand((1 + sqrt(2)) ** 100 + (1 - sqrt(2)) ** 100)
"""An integer, 10^-38 above the first power."""


@pytest.mark.parametrize(
    ("number", "below"),
    [
        (erf(20), 0), (5 * erf(20), 4), (-5 * erf(20), -5), (tanh(1000), 0), (10 * tanh(1000), 9), (BUMP, 1),
        (exp(pi * sqrt(163)), 262537412640768743), (sqrt(10**400 - 1), 10**200 - 1), (sqrt(10**400 + 1), 10**200),
        ((1 + sqrt(2)) ** 100, SILVER - 1), (3 - exp(-1000), 2), (3 + exp(-1000), 3), (pi * 10**30 - pi * 10**30, 0),
        ((sqrt(2) + sqrt(3)) ** 2 - 2 * sqrt(6), 5), (Rational(-7, 2), -4), (sympy.sin(1) ** 2 + sympy.cos(1) ** 2, 1),
    ],
)  # fmt: skip
def test_integers_next_to_numbers_are_decided(number: sympy.Expr, below: int) -> None:
    assert floor_of(number) == below
    exact = compared(number, "=", sympy.Integer(below))
    assert ceiling_of(number) == (below if exact else below + 1)


def test_what_is_too_close_to_an_integer_is_not_decided() -> None:
    with pytest.raises(Undecided):
        floor_of(1 - exp(-(10**6)))
    with pytest.raises(Undecided):
        floor_of(sympy.I)


def test_floors_in_limits_and_exponents_are_decided_by_balls() -> None:
    part = floor(5 * erf(20 * n))
    for value in (sympy.Sum(1, (k, 1, part)), sympy.Product(2, (k, 1, part)), 2**part, sympy.gamma(part + 1)):
        expected = {sympy.Sum: 4, sympy.Product: 16, sympy.Pow: 16}.get(type(value), 24)
        assert evaluate(value, {n: S.One}) == expected
    assert evaluate(2 ** ceiling(-5 * erf(20 * n)), {n: S.One}) == arb(1) / 16
    with pytest.raises(Undecided):
        evaluate(sympy.Sum(1, (k, 1, floor(erf(1000 * n)))), {n: S.One})


def test_cases_of_piecewise_formulas_are_decided_by_balls() -> None:
    cases = sympy.Piecewise((1, log(1 + x) > 0), (2, True))
    assert evaluate(cases, {x: TINY}) == 1
    cases = sympy.Piecewise((1, sympy.Gt(sqrt(2 + x), sqrt(2))), (2, True))
    assert [evaluate(cases, {x: value}) for value in (S.Zero, TINY)] == [2, 1]


def test_order_is_three_valued() -> None:
    assert in_order(S.Zero, ALMOST, strict=True)
    assert surely(ALMOST, ">")
    assert not surely(ALMOST, "<")
    for strict in (True, False):
        assert in_order(sqrt(2) + sqrt(3), sqrt(5 + 2 * sqrt(6)), strict=strict) is not strict
    assert in_order(1 - exp(-(10**6)), S.One, strict=True)
    assert in_order(erf(1000), S.One, strict=True) is None
    assert in_order(-oo, ALMOST, strict=True)
    assert in_order(ALMOST, oo, strict=True)
    assert not in_order(oo, ALMOST, strict=False)
    assert in_order(oo, oo, strict=False)
    assert compared(BUMP, ">", Rational(3, 2))
    assert compared(sympy.I, "!=")
    assert compared(sympy.I, "<") is None
    assert max(S.Zero, ALMOST, key=by_size) == ALMOST
    assert Range(ALMOST, S.One).positive
    assert not Range(-ALMOST, S.One).nonnegative
    assert (Range(-ALMOST, S.One) * Range(S.Zero, oo)).low == -oo


def test_substitution_decides_nothing_by_floating_point_numbers() -> None:
    put = {x: ALMOST}
    assert with_values(sympy.Max(x, 0), put) == ALMOST
    assert with_values(sympy.Abs(x), put) == ALMOST
    assert with_values(sympy.sign(x), put) == 1
    assert with_values(x <= 0, put) == sympy.false
    assert with_values(floor(5 * erf(x)), {x: sympy.Integer(20)}) == 4
    for kind, *arguments in ((floor, 1 - exp(-(10**6))), (floor, sympy.zeta(3)), (sympy.Max, sympy.I, S.One)):
        assert evaluated(kind, *arguments) == kind(*arguments, evaluate=False)  # as they are


def test_what_balls_do_not_tell_from_zero_has_the_sign_of_its_form_only() -> None:
    below = sympy.cos(Rational(1, 10**650)) - 1  # about -10^-1300/2
    assert surely(below**2, ">=")
    for other in (below**3, (below + sympy.I * below) ** 2):
        assert not surely(other, ">=")
    assert compared(below, "=", -below) is None  # of equal squares
    assert evaluated(sympy.Max, below, -below) == sympy.Max(below, -below, evaluate=False)


def test_wrong_signs_of_sympy_are_noticed() -> None:
    assert is_sound(sqrt(2) * x - pi)
    assert not is_sound(ALMOST * x + 1)


def test_probabilities_of_errors_next_to_the_largest_are_decided_by_balls() -> None:
    """The error of a mean of cosines is at most 2; sympy takes what is just below for more."""
    values = {"m": S.One, "d": S.One, "sigma": Rational(20, 9), "diam": S.One, "variance": S.One}
    for error, possible in ((2 - ALMOST, True), (2 + ALMOST, False)):
        found = EVENTS["error of pairs"].ball({**values, "eps": error})
        assert found.contains(1) is possible


k = sympy.Symbol("k", integer=True)


@pytest.mark.parametrize(
    ("expression", "sign"),
    [
        (sympy.atan((k - 10) ** 2), ">"),
        (k**2 * sympy.atan(sympy.Abs(k - 10)) + sympy.atan((k - 10) ** 2), ">"),
        (sympy.Abs(sympy.acos(k - 10)), ">"),
        (sympy.Abs(sympy.asin(k - 10)), ">"),
        (sympy.binomial(k, 3), "<="),
        (sympy.binomial(k, 3), ">="),
    ],
)
def test_functions_that_vanish_at_an_integer_have_no_strict_sign(expression: sympy.Expr, sign: str) -> None:
    assert not surely(expression, sign)


def test_functions_whose_zeros_sympy_overlooks_keep_the_signs_that_are_certain() -> None:
    n = sympy.Symbol("n", integer=True, positive=True)
    assert surely(n * sympy.atan(n), ">")
    assert surely(sympy.atan((n - 10) ** 2), ">=")
    assert surely(sympy.binomial(n, k), ">=")
