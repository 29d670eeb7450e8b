"""Roots of expressions in one variable that can be written down."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from rftheory.exact.derivative import derivative
from rftheory.exact.field import factored

_INVERSES = (lambda p: p, sympy.sqrt, sympy.log, lambda p: sympy.sqrt(sympy.log(p)), sympy.exp)
"""A variable by itself, its square, its exponential, that of its square, and its logarithm."""


def roots_in(expression: sympy.Expr, symbol: sympy.Symbol) -> Iterator[sympy.Expr]:
    """Roots of the factors that are linear or quadratic in a variable, its square, their exponentials or its logarithm.

    Those found by squares are not negative. That a root is real is not said.

    Examples
    --------
    >>> x, m = sympy.symbols("x m", positive=True)
    >>> [list(roots_in(side, x)) for side in (2 * x**4 - x**3, x**4 - 2 * x**2 - m, m - sympy.exp(x**2))]
    [[0, 1/2], [sqrt(1 - sqrt(4*m + 4)/2), sqrt(sqrt(4*m + 4)/2 + 1)], [sqrt(log(m))]]
    >>> list(roots_in(sympy.exp(-x) - 3 * sympy.exp(-2 * x), x)), list(roots_in(sympy.sin(x), x))
    ([log(3)], [])
    >>> list(roots_in(m - 2 * sympy.log(3 / x), x))
    [3*exp(-m/2)]
    """
    place = sympy.Dummy("place", positive=True)
    for base, exponent in factored(expression):
        for inverse in _INVERSES if base.has(symbol) and exponent.is_positive else ():
            written = sympy.expand_log(sympy.powsimp(base.subs(symbol, inverse(place))))
            over = sympy.numer(sympy.together(written))
            if over.is_polynomial(place) and sympy.degree(over, place) in (1, 2):
                found = map(inverse, _of_quadratic(sympy.Poly(over, place)))
                yield from (root for root in found if root.is_finite is not False)
                break


def _of_quadratic(over: sympy.Poly) -> Iterator[sympy.Expr]:
    """The roots of a polynomial of degree 1 or 2, the smaller one first if the first factor is positive."""
    *second, first, constant = over.all_coeffs()
    if not second:
        yield -constant / first
        return
    root = sympy.sqrt(first**2 - 4 * second[0] * constant)
    yield from ((-first + sign * root) / (2 * second[0]) for sign in (-1, 1))


def critical_in(expression: sympy.Expr, symbol: sympy.Symbol) -> Iterator[sympy.Expr]:
    """Roots of the derivative, as `roots_in` finds them: where an expression may be largest or least.

    Examples
    --------
    >>> x = sympy.Symbol("x", positive=True)
    >>> list(critical_in(x**4 * sympy.exp(-(x**2)) - 4 * sympy.exp(-2), x))
    [0, -sqrt(2), sqrt(2)]
    """
    return roots_in(derivative(expression, symbol), symbol)
