"""What is certainly real: no symbol that is bound is taken for a free one, and no end is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement, product

import pytest
import sympy
from sympy import I, Integral, S, Subs, Sum, oo, sqrt

from rftheory.exact.ranges import Range, is_real, range_of

x, y = sympy.symbols("x y", real=True)
p = sympy.Symbol("p", positive=True)
k = sympy.Symbol("k", integer=True)
POSITIVE_OPEN = Range(S.Zero, oo, True, True)
SIGNED, POSITIVE = Range(S.NegativeOne, S.One), Range(S.Zero, S.Infinity)


@pytest.mark.parametrize(
    ("expression", "span", "real"),
    [
        (Integral(y, (y, 0, sqrt(x))), POSITIVE, True),
        (Integral(1, (y, 0, sqrt(x))), SIGNED, False),
        (Integral(x, x), SIGNED, False),  # no number, but a function up to a constant
        (Sum(I**k * x, (k, 0, 3)), POSITIVE, False),
        (Subs(sqrt(x), x, x + 1), POSITIVE, True),
        (Subs(sqrt(x), x, -1, evaluate=False), POSITIVE, False),
        (Subs(p, p, I, evaluate=False), POSITIVE, False),
        (sympy.besselj(S.Half, x), SIGNED, False),
        (sympy.hyper((1, 1), (2,), x), Range(S.Zero, S(2)), False),
        (sympy.hyper((1, 1), (2,), x / 2), SIGNED, True),
        (sympy.hyper((I,), (2,), x), SIGNED, False),
        (sympy.hyper((1, 1, 1), (2,), -x), POSITIVE, False),
        (Integral(1, (y, sqrt(x), 1)), SIGNED, False),
        (sympy.Derivative(sympy.Function("f", real=True)(x), x), SIGNED, True),
        (sympy.Piecewise((sqrt(x), x > 0), (0, True)), POSITIVE, True),
        (sympy.Piecewise((sqrt(x), x > 0), (0, True)), SIGNED, False),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_certainly_real(expression: sympy.Expr, span: Range, real: bool) -> None:
    assert is_real(expression, {x: span}) is real


def test_what_is_only_zero_has_no_reciprocal_and_no_logarithm() -> None:
    assert range_of(1 / x, {x: Range(S.Zero, S.Zero)}) == Range()
    assert range_of(sympy.log(x), {x: Range(S.Zero, S.Zero)}) == Range()
    assert range_of(sympy.log(x), {x: SIGNED}) == Range()


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        (-p, Range(-oo, S.Zero, True, True)),
        (sympy.Symbol("n", negative=True), Range(-oo, S.Zero, True, True)),
        (1 / x, Range(-oo, S.NegativeOne, low_open=True)),
        (sympy.tanh(x), Range(-sympy.tanh(1), S.Zero, False, True)),
        (sympy.rf(3 + x, x), POSITIVE_OPEN),
        (sympy.rf(x, 3 + p), Range()),  # below 0 between -1 and 0
        (x**2, Range(S.Zero, S.One, low_open=True)),
    ],
    ids=str,
)
def test_ranges_that_are_known(expression: sympy.Expr, found: Range) -> None:
    assert range_of(expression, {x: Range(S.NegativeOne, S.Zero, high_open=True)}) == found


def test_an_end_that_is_written_in_two_ways_is_open_only_if_both_are() -> None:
    one, other = 1 + sqrt(2), sqrt(3 + 2 * sqrt(2))  # the same number
    found = Range(S.NegativeOne, one, high_open=True) * Range(-other, S.One, low_open=False)
    assert found.high in (one, other)
    assert not found.high_open  # (-1)(-other) is reached, one * 1 is not


def _spans() -> list[Range]:
    """Intervals with all these ends, open and closed."""
    pairs = combinations_with_replacement((-oo, S(-2), S.Zero, S.Half, S.One, oo), 2)
    kinds = ((low, high, *opens) for low, high in pairs for opens in product((False, True), repeat=2))
    return [Range(*kind) for kind in kinds if kind[0] != kind[1] or (kind[0].is_finite and not any(kind[2:]))]


def _points(span: Range) -> list[sympy.Expr]:
    """Closed ends, and numbers next to them and between."""
    low = max(span.low, -99) if span.high == oo else max(span.low, span.high - 99)
    high = min(span.high, low + 99)
    inner = [low + (high - low) * share for share in (S(1) / 99, S(3) / 7, S(98) / 99)] if low < high else []
    return inner + [end for end, is_open in span._ends() if end.is_finite and not is_open]


SPANS = {span: _points(span) for span in _spans()}


def _has(found: Range, value: sympy.Expr) -> bool:
    return Range(value, value).within(found)


@pytest.mark.parametrize("operation", [Range.__add__, Range.__mul__], ids=["sum", "product"])
def test_sums_and_products_are_in_the_range_of_all(operation: Callable[..., Range]) -> None:
    of_numbers = sympy.Add if operation is Range.__add__ else sympy.Mul
    for (one, left), (other, right) in product(SPANS.items(), repeat=2):
        found = operation(one, other)
        values = {of_numbers(a, b) for a, b in product(left[-3:], right[-3:])}
        assert all(_has(found, value) for value in values), (one, other, found)
        assert _closed_ends(found) <= values, (one, other, found)


def _closed_ends(span: Range) -> set[sympy.Expr]:
    """Those that are values, where a range is no wider than it needs to be."""
    return {end for end, is_open in span._ends() if end.is_finite and not is_open}


@pytest.mark.parametrize("exponent", [-3, -2, -1, 0, 2, 3, -S.Half, S.Half, S(3) / 2])
def test_powers_are_in_the_range_of_all(exponent: sympy.Expr) -> None:
    whole, even = S(exponent).is_integer, S(exponent).is_even
    for span, points in SPANS.items():
        found = span.power(Range(S(exponent), S(exponent)), whole, even)
        values = {a**exponent for a in points if (a != 0 or exponent >= 0) and (whole or a >= 0)}
        assert all(_has(found, value) for value in values), (span, found)
        assert exponent < -1 or not whole or exponent == 0 or _closed_ends(found) <= {*values, S.Zero}


def test_powers_with_exponents_from_a_range_are_in_the_range_of_all() -> None:
    for (span, points), (exponents, numbers) in product(SPANS.items(), repeat=2):
        found = span.power(exponents, False, False)
        values = [a**e for a, e in product(points, numbers) if abs(e) < 3 and (a > 0 or (a == 0 and e >= 0))]
        assert all(_has(found, value) for value in values[-4:]), (span, exponents, found)


@pytest.mark.parametrize(
    "function",
    [
        sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh, sympy.atan, sympy.log, sympy.sin, sympy.cos, sympy.Abs,
        sympy.gamma, sympy.factorial, lambda a: sympy.rf(a, S.Half), lambda a: sympy.rf(S.Half, a),
        lambda a: sympy.cos(sympy.pi * a / 2), lambda a: sympy.sin(sympy.pi * a / 2),
    ],
)  # fmt: skip
def test_values_of_functions_are_in_the_range_of_all(function: Callable[..., sympy.Expr]) -> None:
    for span, points in SPANS.items():
        found = range_of(function(x), {x: span})
        values = [value for a in points if abs(a) < 20 and (value := function(a)).is_real and value.is_finite]
        assert all(_has(found, value) for value in values), (span, found)
