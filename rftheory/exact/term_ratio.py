"""Sums by the ratio of their terms: whether it is a rational function of the index, and how fast terms then fall."""

from __future__ import annotations

from functools import lru_cache

import sympy
from flint import arb

from rftheory.exact.enclosure import Ball

BINDERS = (sympy.Sum, sympy.Product, sympy.Integral, sympy.Subs, sympy.Derivative)
"""Expressions with symbols of their own."""
Coefficients = tuple[sympy.Expr, ...]
"""Of a polynomial in the index of a sum, the lowest first."""


@lru_cache(maxsize=2048)
def term_ratio(term: sympy.Expr, index: sympy.Symbol) -> tuple[Coefficients, Coefficients] | None:
    """Numerator and denominator of term(k+1)/term(k), a rational function of k; None if it is not known to be one.

    Examples
    --------
    >>> k = sympy.Symbol("k", integer=True, nonnegative=True)
    >>> term_ratio(3**k / sympy.factorial(k), k), term_ratio(sympy.sin(k), k)
    (((3,), (1, 1)), None)
    """
    names: dict[sympy.Expr, sympy.Symbol] = {}
    ratio = _ratio(_with_names(term, index, names), index)
    if ratio is None:
        return None
    meant = {name: part for part, name in names.items()}
    top, bottom = (
        tuple(c.xreplace(meant) for c in reversed(sympy.Poly(part, index).all_coeffs()))
        for part in sympy.fraction(sympy.together(ratio))
    )
    return top, bottom


def _ratio(node: sympy.Expr, k: sympy.Symbol) -> sympy.Expr | None:
    """node(k+1)/node(k) for a product of powers, Gamma and rational functions of k, where that is rational in k.

    A factor may be 0 up to some k, as a binomial coefficient: the ratio has a pole at the last such k.
    """
    if k not in node.free_symbols:
        return sympy.S.One
    if node.is_Mul:
        factors = [_ratio(factor, k) for factor in node.args]
        return None if None in factors else sympy.Mul(*factors)
    if node.is_Pow or isinstance(node, sympy.exp):
        base, exponent = node.as_base_exp()
        if k not in base.free_symbols:
            slope = _slope(exponent, k)
            return None if slope is None else base**slope
        inner = _ratio(base, k) if exponent.is_Integer else None
        return None if inner is None else inner**exponent
    if isinstance(node, sympy.gamma | sympy.factorial):
        return _gamma_ratio(node.args[0] + int(isinstance(node, sympy.factorial)), k)
    if isinstance(node, sympy.RisingFactorial) and k not in node.args[0].free_symbols:
        return _gamma_ratio(sum(node.args), k)
    if isinstance(node, sympy.binomial):
        top, low = node.args
        whole, *parts = (_gamma_ratio(a + 1, k) for a in (top, low, top - low))
        return None if whole is None or None in parts else whole / sympy.Mul(*parts)
    if node.is_rational_function(k) and (joined := sympy.cancel(node)) != 0:
        return joined.xreplace({k: k + 1}) / joined
    return None


def _gamma_ratio(argument: sympy.Expr, k: sympy.Symbol) -> sympy.Expr | None:
    """Gamma(a(k+1))/Gamma(a(k)) for a linear a with a whole slope."""
    slope = _slope(argument, k)
    if slope is None or not slope.is_Integer:
        return None
    factors = (argument + j for j in range(min(slope, 0), max(slope, 0)))
    return sympy.Mul(*factors) ** (1 if slope > 0 else -1)


def _slope(linear: sympy.Expr, k: sympy.Symbol) -> sympy.Expr | None:
    """By how much it grows with k in each step; None if that depends on k."""
    found = sympy.expand(linear.xreplace({k: k + 1}) - linear)
    return None if k in found.free_symbols else found


def _with_names(node: sympy.Expr, index: sympy.Symbol, names: dict[sympy.Expr, sympy.Symbol]) -> sympy.Expr:
    """A term with a symbol for each of the largest parts without the index that no sum or integral encloses."""
    if not node.args or isinstance(node, BINDERS):
        return node
    if index not in node.free_symbols:
        return names.setdefault(node, sympy.Dummy(real=node.is_real, positive=node.is_positive))
    return node.func(*(_with_names(part, index, names) for part in node.args))


def horner(coefficients: list[Ball], x: Ball | int) -> Ball:
    """The value of a polynomial.

    Examples
    --------
    >>> horner([arb(1), arb(0), arb(2)], 3)
    19.0000000000000
    """
    value: Ball = arb(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def ratio_bound(top: list[Ball], bottom: list[Ball], k: int) -> arb:
    """Upper bound of |P(j)/Q(j)| over all real j >= k, through t = 1/j in [0, 1/k].

    Examples
    --------
    >>> bool(ratio_bound([arb(3)], [arb(1), arb(1)], 5) <= 0.61), ratio_bound([arb(0), arb(1)], [arb(1)], 5).is_finite()
    (True, False)
    """
    degree = len(bottom) - 1
    if len(top) - 1 > degree or k < 1:
        return arb.pos_inf()
    t = arb(0).union(1 / arb(k))
    numerator = horner([abs(c) for c in reversed(top)], t) * t ** (degree - (len(top) - 1))
    return (numerator / abs(horner(list(reversed(bottom)), t))).abs_upper()


def grows(top: list[Ball], bottom: list[Ball], k: int) -> bool:
    """Whether |P(j)/Q(j)| is proved finite and >= 1 for all real j >= k >= 1, through t = 1/j in [0, 1/k].

    Examples
    --------
    >>> grows([arb(0), arb(1)], [arb(1)], 1), grows([arb(3)], [arb(1), arb(1)], 5)
    (True, False)
    """
    excess = len(top) - len(bottom)
    if excess < 0 or k < 1:
        return False
    t = arb(0).union(1 / arb(k))
    numerator, denominator = (abs(horner(list(reversed(cs)), t)) for cs in (top, bottom))
    return bool(denominator > 0 and numerator.lower() * arb(k) ** excess >= denominator.upper())
