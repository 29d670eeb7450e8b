"""What is certainly real: no symbol that is bound is taken for a free one, and no end is forgotten."""

from __future__ import annotations

import pytest
import sympy
from sympy import I, Integral, S, Subs, Sum, sqrt

from rftheory.exact.ranges import Range, is_real, range_of

x, y = sympy.symbols("x y", real=True)
p = sympy.Symbol("p", positive=True)
k = sympy.Symbol("k", integer=True)
SIGNED, POSITIVE = Range(S.NegativeOne, S.One), Range(S.Zero, S.Infinity)


@pytest.mark.parametrize(
    ("expression", "span", "real"),
    [
        (Integral(y, (y, 0, sqrt(x))), POSITIVE, True),
        (Integral(1, (y, 0, sqrt(x))), SIGNED, False),
        (Sum(I**k * x, (k, 0, 3)), POSITIVE, False),
        (Subs(sqrt(x), x, x + 1), POSITIVE, True),
        (Subs(sqrt(x), x, -1, evaluate=False), POSITIVE, False),
        (Subs(p, p, I, evaluate=False), POSITIVE, False),
        (sympy.besselj(S.Half, x), SIGNED, False),
        (sympy.hyper((1, 1), (2,), x), Range(S.Zero, S(2)), False),
        (sympy.hyper((1, 1), (2,), x / 2), SIGNED, True),
        (sympy.Piecewise((sqrt(x), x > 0), (0, True)), SIGNED, False),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_certainly_real(expression: sympy.Expr, span: Range, real: bool) -> None:
    assert is_real(expression, {x: span}) is real


def test_what_is_only_zero_has_no_reciprocal() -> None:
    assert range_of(1 / x, {x: Range(S.Zero, S.Zero)}) == Range()


def test_an_end_that_is_written_in_two_ways_is_open_only_if_both_are() -> None:
    one, other = 1 + sqrt(2), sqrt(3 + 2 * sqrt(2))  # the same number
    found = Range(S.NegativeOne, one, high_open=True) * Range(-other, S.One, low_open=False)
    assert found.high in (one, other)
    assert not found.high_open  # (-1)(-other) is reached, one * 1 is not
