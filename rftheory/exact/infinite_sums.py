"""Sums over all counts k = 0, 1, ... of positive numbers, in closed form.

A sum whose terms have a rational ratio is its first term times a hypergeometric series, of which those with a name are
known here; terms that are rational in k add up to polygamma and zeta functions. A series divided by its own sum is 1.
"""

from __future__ import annotations

from functools import lru_cache

import sympy

from rftheory.exact.order import compared, surely
from rftheory.exact.term_ratio import term_ratio
from rftheory.exact.vanishing import vanishes

Parameters = list[sympy.Expr]
_FACTORIAL = sympy.S.One
"""The lower parameter that a factorial of k is."""


@lru_cache(maxsize=256)
def sum_over_counts(term: sympy.Expr, k: sympy.Symbol) -> sympy.Expr | None:
    """The sum over k from 0 on of terms that are positive; infinity if it diverges, None if it is not known.

    Parameters
    ----------
    k : the index, nonnegative and an integer. The terms have no other variable.

    Examples
    --------
    >>> k = sympy.Symbol("k", integer=True, nonnegative=True)
    >>> sum_over_counts(3**k / sympy.factorial(k), k), sum_over_counts(1 / ((k + 1) * (k + 2)), k)
    (exp(3), 1)
    >>> sum_over_counts(1 / (k + 1), k), sum_over_counts(sympy.exp(-(k**2)), k)
    (oo, None)
    >>> weight = 3**k / sympy.factorial(k) ** 3
    >>> sum_over_counts(weight / sympy.Sum(weight, (k, 0, sympy.oo)), k)
    1
    """
    factor, rest = in_gammas(term).as_independent(k, as_Add=False)
    for own in factor.atoms(sympy.Sum):
        share = _share(rest, own, k)
        if share is not None:
            return share * own * factor
    if rest.is_rational_function(k):
        total = _of_fractions(rest, k)
    elif rest.is_Add:
        total = _of_parts(rest, k)
    else:
        total = _of_series(rest, k)
    return None if total is None else factor * total


def in_gammas(term: sympy.Expr) -> sympy.Expr:
    """A term with gamma functions for the binomial coefficients and beta functions whose arguments are positive.

    Examples
    --------
    >>> k = sympy.Symbol("k", integer=True, nonnegative=True)
    >>> in_gammas(sympy.beta(k + 1, 5) * sympy.binomial(1, k))
    24*binomial(1, k)*gamma(k + 1)/gamma(k + 6)
    """
    return term.replace(_is_regular, lambda e: e.rewrite(sympy.gamma))


def _is_regular(e: sympy.Basic) -> bool:
    if isinstance(e, sympy.binomial):
        top, low = e.args
        return bool(low.is_nonnegative and (top - low).is_nonnegative)
    return isinstance(e, sympy.beta) and all(part.is_positive for part in e.args)


def _share(rest: sympy.Expr, own: sympy.Sum, k: sympy.Symbol) -> sympy.Expr | None:
    """c where the terms are c times those of a sum over all counts."""
    index, *ends = own.limits[0]
    if len(own.limits) > 1 or ends != [0, sympy.oo]:
        return None
    term = own.function.subs(index, k)
    share = rest.subs(k, 0) / term.subs(k, 0)
    converges = compared(own, ">") is True
    return share if converges and vanishes(rest - share * term) else None


def _of_parts(rest: sympy.Expr, k: sympy.Symbol) -> sympy.Expr | None:
    """Of several series, each of positive terms."""
    if not all(surely(part, ">") for part in rest.args):
        return None
    totals = [sum_over_counts(part, k) for part in rest.args]
    if sympy.oo in totals:
        return sympy.oo
    return None if None in totals else sympy.Add(*totals)


def _of_fractions(rest: sympy.Expr, k: sympy.Symbol) -> sympy.Expr | None:
    """Of a rational function with rational poles, by its partial fractions."""
    top, bottom = (sympy.Poly(part, k) for part in sympy.fraction(sympy.cancel(rest)))
    if top.degree() - bottom.degree() > -2:
        return sympy.oo
    if not (top.domain.is_QQ or top.domain.is_ZZ) or not (bottom.domain.is_QQ or bottom.domain.is_ZZ):
        return None
    total = sympy.S.Zero
    for part in sympy.Add.make_args(sympy.apart(rest, k)):
        c, power = part.as_independent(k, as_Add=False)
        base, s = power.as_base_exp()
        if sympy.degree(base, k) != 1:
            return None
        slope = base.coeff(k, 1)
        a, c = base.coeff(k, 0) / slope, c * slope**s
        total += c * (-1) ** s / sympy.factorial(-s - 1) * sympy.polygamma(-s - 1, a)
    return sympy.expand_func(total)


def _of_series(rest: sympy.Expr, k: sympy.Symbol) -> sympy.Expr | None:
    """Of terms with a rational ratio, by their hypergeometric series."""
    ratio = term_ratio(rest, k)
    if ratio is None:
        return None
    parts = [_parameters(sympy.Poly.from_list(coefficients[::-1], k)) for coefficients in ratio]
    if None in parts:
        return None
    upper, lower = (list(part) for part in parts if part is not None)
    for same in [a for a in upper if a in lower]:
        if same in upper and same in lower:
            upper.remove(same)
            lower.remove(same)
    if _FACTORIAL in lower:
        lower.remove(_FACTORIAL)
    else:
        upper.append(_FACTORIAL)
    total = _series(sorted(upper, key=sympy.default_sort_key), lower, ratio[0][-1] / ratio[1][-1])
    return None if total is None else rest.subs(k, 0) * total


def _parameters(poly: sympy.Poly) -> Parameters | None:
    """The numbers a of its factors k + a; None if they are not seen."""
    if poly.degree() == 1:
        return [poly.nth(0) / poly.nth(1)]
    monic = poly.monic()
    if not all(c.is_Rational for c in monic.all_coeffs()):
        return None
    _, factors = monic.factor_list()
    if any(factor.degree() > 1 for factor, _ in factors):
        return None
    return [factor.nth(0) / factor.nth(1) for factor, times in factors for _ in range(times)]


def _series(upper: Parameters, lower: Parameters, z: sympy.Expr) -> sympy.Expr | None:
    """sum (a)_k ... z^k / ((b)_k ... k!), of positive terms, where it has a name."""
    z = sympy.S.One if compared(z, "=", sympy.S.One) else z  # in whatever form
    excess = len(upper) - len(lower) - 1
    if excess >= 0:
        ends = None if excess else _converges(sum(lower) - sum(upper), z)
        if not ends:
            return sympy.oo if excess or ends is False else None
    match upper, lower:
        case [], []:
            return sympy.exp(z)
        case [a], []:
            return (1 - z) ** -a
        case [], [b] if b.is_Integer:
            return sympy.factorial(b - 1) * sympy.besseli(b - 1, 2 * sympy.sqrt(z)) * sympy.sqrt(z) ** (1 - b)
        case [a], [b] if a == 1 and b.is_Integer:
            left_out = sympy.Add(*(z**j / sympy.factorial(j) for j in range(int(b) - 1)))
            return sympy.factorial(b - 1) * z ** (1 - b) * (sympy.exp(z) - left_out)
        case ([], [_]) | ([_], [_]):
            return sympy.hyper(upper, lower, z)
        case [a, b], [c] if z == 1:
            return sympy.gamma(c) * sympy.gamma(c - a - b) / (sympy.gamma(c - a) * sympy.gamma(c - b))
        case [a, b], [c] if a == b == 1 and c == 2:
            return -sympy.log(1 - z) / z
    return None


def _converges(margin: sympy.Expr, z: sympy.Expr) -> bool | None:
    """Whether a series of positive terms converges whose ratios tend to z, as 1 - (1 + margin)/k where that is 1."""
    if z == 1:
        return compared(margin, ">")
    return compared(z, "<", sympy.S.One)
