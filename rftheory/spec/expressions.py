"""Expressions in a declaration, and what is proved of them for all d."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Set
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
def with_floors(expression: sympy.Expr) -> sympy.Expr:
    """With floors of (n + c)/p, c < p - 1, in the place of what is rounded, or a remainder, in an integer variable n.

    Numbers beside the variable are taken out, and of p successive floors the last is n less the others (Hermite's
    identity), so that equal expressions are the same one.

    Examples
    --------
    >>> with_floors(sympy.ceiling(D / 2)), with_floors(D % 2)
    (d - floor(d/2), d - 2*floor(d/2))
    >>> with_floors((D + 5) // 3)
    d - floor(d/3) - floor(d/3 + 1/3) + 1
    """
    found = expression.replace(lambda e: isinstance(e, sympy.ceiling), lambda e: -sympy.floor(-e.args[0]))
    found = found.replace(_remainder, lambda e: e.args[0] - e.args[1] * sympy.floor(e.args[0] / e.args[1]))
    return found.replace(lambda e: isinstance(e, sympy.floor), _least_floor)


def _remainder(e: sympy.Basic) -> bool:
    return isinstance(e, sympy.Mod) and bool(e.args[1].is_Integer and e.args[1] > 0)


def _least_floor(e: sympy.Expr) -> sympy.Expr:
    """The floor of n/p + r for one integer variable n, in that form; others as they are."""
    inside = sympy.expand(e.args[0])
    if (deeper := _without_inner_floor(inside)) is not None:
        return _least_floor(deeper)
    n = next(iter(inside.free_symbols), None)
    if n is None or not n.is_integer or not inside.is_polynomial(n) or sympy.degree(inside, n) != 1:
        return e
    slope, rest = inside.coeff(n, 1), inside.coeff(n, 0)
    if not (slope.is_Rational and rest.is_Rational):
        return e
    if slope < 0:  # of multiples x of 1/q, floor(-x) is less floor(x + (q - 1)/q)
        q = math.lcm(slope.q, rest.q)
        return -_least_floor(sympy.floor(-inside + sympy.Rational(q - 1, q), evaluate=False))
    whole, p = n * sympy.floor(slope), slope.q
    if slope.p % p != 1 or p == 1:
        return whole + sympy.floor((slope - sympy.floor(slope)) * n + rest)
    c = sympy.floor(rest * p)  # n + rest p is rounded first
    ones, c = divmod(int(c), p)
    if c < p - 1:
        return whole + ones + sympy.floor((n + c) / p)
    return whole + ones + n - sympy.Add(*(sympy.floor((n + k) / p) for k in range(p - 1)))


def _without_inner_floor(inside: sympy.Expr) -> sympy.Expr | None:
    """floor(x/q + c/q) in the place of floor(floor(x)/q + c/q), which is equal."""
    floors = list(inside.atoms(sympy.floor))
    if len(floors) != 1:
        return None
    share = inside.coeff(floors[0], 1)
    rest = sympy.expand(inside - share * floors[0])
    if not (share.is_Rational and share.p == 1 and (rest * share.q).is_Integer):
        return None
    return sympy.floor(floors[0].args[0] * share + rest, evaluate=False)


def period_in(expression: sympy.Expr, variable: sympy.Symbol) -> int:
    """After how many steps of an integer variable the floors and signs in an expression repeat, but for what grows.

    Examples
    --------
    >>> period_in(D // 2 + D % 3, D), period_in(D**2, D)
    (6, 1)
    """
    inside = [e.args[0] for e in expression.atoms(sympy.floor, sympy.ceiling) if e.has(variable)]
    slopes = [sympy.expand(one).coeff(variable, 1) for one in inside]
    found = [int(one.q) for one in slopes if one.is_Rational]
    found += [int(e.args[1]) for e in expression.atoms(sympy.Mod) if e.has(variable) and _remainder(e)]
    found += [2 for e in expression.atoms(sympy.Pow) if e.base == -1 and e.exp.has(variable)]
    return math.lcm(*found)


_T = sympy.Dummy("t", integer=True, nonnegative=True)


def _from(expression: sympy.Expr, min_dim: int) -> Iterator[sympy.Expr]:
    """The expression in t >= 0 at d = min_dim + t; if there are floors, for each residue of d by itself."""
    period = period_in(expression, D)
    return (expression.subs(D, min_dim + residue + period * _T) for residue in range(period))


@lru_cache(maxsize=512)
def never_negative(expression: sympy.Expr, min_dim: int) -> bool:
    """Whether an expression in d is proved to be at least 0 for all d >= min_dim, by its coefficients there.

    Examples
    --------
    >>> never_negative(1 - 1 / D, 1), never_negative(18 - D, 9)
    (True, False)
    >>> never_negative(D // 2 - 1, 2), never_negative(D // 2 - D / 2, 2)
    (True, False)
    """
    return all(map(_has_no_negative_coefficient, _from(sympy.sympify(expression), min_dim)))


def _has_no_negative_coefficient(expression: sympy.Expr) -> bool:
    parts = sympy.fraction(sympy.cancel(expression))
    if not all(part.is_polynomial(_T) for part in parts) or parts[1].subs(_T, 0) == 0:
        return False
    return all(c.is_nonnegative for part in parts for c in sympy.Poly(part, _T).all_coeffs())


def never_zero(expression: sympy.Expr, min_dim: int) -> bool:
    """Whether an expression in d is proved not to vanish for any d >= min_dim.

    Examples
    --------
    >>> never_zero(D - 1, 2), never_zero(D - 50, 2), never_zero(D // 2, 2)
    (True, False, True)
    """
    return bool(expression.is_nonzero) or all(map(_keeps_its_sign, _from(expression, min_dim)))


def _keeps_its_sign(expression: sympy.Expr) -> bool:
    at_first = expression.subs(_T, 0)
    return bool(at_first.is_nonzero) and any(
        _has_no_negative_coefficient(sign * expression) for sign in (1, -1)
    )
