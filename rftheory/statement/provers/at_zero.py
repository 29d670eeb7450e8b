"""What an expression is near 0, as a sum of powers of a positive variable t that falls to 0."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import sympy
from sympy import S

from rftheory.exact.field import laurent
from rftheory.exact.vanishing import vanishes

ANALYTIC = (sympy.exp, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.tanh, sympy.atan, sympy.asinh,
    sympy.erf, sympy.erfc)  # fmt: skip
"""Functions without a singularity on the real line."""


@lru_cache(maxsize=128)
def powers_at_zero(inside: sympy.Expr, t: sympy.Symbol) -> Mapping[sympy.Expr, sympy.Expr] | None:
    """Coefficients of powers of t as t falls to 0, up to t^0; None if it is not a sum of powers, such as e^(1/t).

    Examples
    --------
    >>> t = sympy.Symbol("t", positive=True)
    >>> powers_at_zero(sympy.exp(t) / t, t) == {-1: 1, 0: 1}, powers_at_zero(sympy.exp(1 / t), t)
    (True, None)
    """
    if (exact := laurent(inside, t)) is not None:
        return exact
    if not all(settles(node, t) for node in sympy.preorder_traversal(inside) if node.has(t)):
        return None
    series = series_at_zero(inside, t, 1) if inside.has(t) else inside
    if series is None:
        return None
    if (order := series.getO()) is not None and order.contains(S.One) is not False:
        return None  # cut off before t^0
    found: dict[sympy.Expr, sympy.Expr] = {}
    for term in sympy.Add.make_args(sympy.expand(series.removeO())):
        if term == 0:
            continue
        coefficient, moving = term.as_independent(t, as_Add=False)
        base, exponent = moving.as_base_exp() if moving != 1 else (t, S.Zero)
        if base != t or not exponent.is_Rational:  # logarithms
            return None
        found[exponent] = found.get(exponent, S.Zero) + coefficient
    return found


def settles(node: sympy.Expr, t: sympy.Symbol) -> bool:
    """Whether exponents and arguments of functions stay bounded as t falls to 0; otherwise no series can be used.

    Of t^(v - 1), and of any power of which the exponent is no fraction, sympy's series says that it vanishes.

    Examples
    --------
    >>> t = sympy.Symbol("t", positive=True)
    >>> settles(sympy.exp(t), t), settles(sympy.exp(1 / t), t)
    (True, False)
    """
    if isinstance(node, sympy.Pow) and node.exp.has(t):
        arguments = [node.exp * sympy.log(node.base)]
    elif isinstance(node, sympy.Pow) and not node.exp.is_Rational:
        powers = powers_at_zero(node.base, t)
        return (
            powers is not None and min((p for p, c in powers.items() if not vanishes(c)), default=None) == 0
        )
    elif isinstance(node, sympy.Function) and not isinstance(node, sympy.log):
        arguments = [a for a in node.args if a.has(t)]
    else:
        return True
    found = [powers_at_zero(sympy.expand_log(a), t) for a in arguments]
    return all(powers is not None and not any(p.is_negative for p in powers) for powers in found)


def series_at_zero(function: sympy.Expr, t: sympy.Symbol, order: int) -> sympy.Expr | None:
    """Sympy's series at 0, if it finds one: means of two rows lack what it asks of functions.

    Examples
    --------
    >>> t = sympy.Symbol("t", positive=True)
    >>> series_at_zero(sympy.sqrt(1 + t), t, 2)
    1 + t/2 + O(t**2)
    """
    try:
        return sympy.series(function, t, 0, order)
    except (ValueError, NotImplementedError, TypeError, AttributeError, sympy.PoleError):
        return None
