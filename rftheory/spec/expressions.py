"""Expressions in a declaration, and what is proved of them for all d."""

from __future__ import annotations

import itertools
from collections.abc import Set
from functools import lru_cache
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from rftheory.errors import InvalidInput
from rftheory.spec.dimension import d as D


def expression(subject: str, value: Any) -> sympy.Expr:
    """A number or an expression as a sympy object; text is refused, because sympy would execute it.

    Examples
    --------
    >>> expression("rows of mine", "2*d")
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: rows of mine: needs a number or an expression, got '2*d'
    """
    try:
        found = sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError, AttributeError):
        found = None
    if not isinstance(found, sympy.Expr):
        raise InvalidInput(subject, needs="a number or an expression", got=value)
    return found


def exact_in(subject: str, value: Any, symbols: Set[sympy.Symbol], needs: str) -> sympy.Expr:
    """The same, without floats and undefined functions, and without other symbols than these.

    Examples
    --------
    >>> exact_in("cosine of mine", 0.5, {D}, "an exact number")
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: cosine of mine: needs an exact number, got 0.5
    """
    found = expression(subject, value)
    if found.has(sympy.Float, AppliedUndef) or found.free_symbols - symbols:
        raise InvalidInput(subject, needs=needs, got=value)
    return found


def is_whole(expression: sympy.Expr) -> bool:
    """Whether an expression in integer variables is proved to be an integer: a polynomial is if degree + 1 values are.

    Examples
    --------
    >>> from rftheory.spec.dimension import d
    >>> is_whole(d * (d - 1) / 2), is_whole(d / 2)
    (True, False)
    """
    variables = sorted(expression.free_symbols, key=str)
    polynomial = all(s.is_integer for s in variables) and expression.is_polynomial(*variables)
    if expression.is_integer or not polynomial or not variables:
        return bool(expression.is_integer)
    degrees = [range(sympy.degree(expression, s) + 1) for s in variables]
    points = (
        dict(zip(variables, map(sympy.Integer, point), strict=True)) for point in itertools.product(*degrees)
    )
    return all(expression.xreplace(point).is_Integer for point in points)


@lru_cache(maxsize=512)
def never_negative(expression: sympy.Expr, min_dim: int) -> bool:
    """Whether an expression in d is proved to be at least 0 for all d >= min_dim, by its coefficients there.

    Examples
    --------
    >>> never_negative(1 - 1 / D, 1), never_negative(18 - D, 9)
    (True, False)
    """
    t = sympy.Dummy("t", integer=True, nonnegative=True)
    parts = sympy.fraction(sympy.cancel(sympy.sympify(expression).subs(D, min_dim + t)))
    if not all(part.is_polynomial(t) for part in parts) or parts[1].subs(t, 0) == 0:
        return False
    return all(c.is_nonnegative for part in parts for c in sympy.Poly(part, t).all_coeffs())


def never_zero(expression: sympy.Expr, min_dim: int) -> bool:
    """Whether an expression in d is proved not to vanish for any d >= min_dim.

    Examples
    --------
    >>> never_zero(D - 1, 2), never_zero(D - 50, 2)
    (True, False)
    """
    if expression.is_nonzero:
        return True
    keeps_its_sign = any(never_negative(sign * expression, min_dim) for sign in (1, -1))
    return keeps_its_sign and bool(expression.subs(D, min_dim).is_nonzero)
