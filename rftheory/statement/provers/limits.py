"""Limits: by power series at 0, by the fastest exponentials at infinity, by expansions in 1/d."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from math import lcm
from typing import NamedTuple

import sympy
from sympy import S

from rftheory.errors import RFTheoryError
from rftheory.exact.order import by_size, in_order, surely
from rftheory.exact.symbols import v, z
from rftheory.exact.vanishing import simplified, vanishes
from rftheory.statement.atoms import PairMean
from rftheory.statement.domain import Domain, points
from rftheory.statement.pointwise import ball, in_point
from rftheory.statement.provers.at_zero import ANALYTIC, powers_at_zero
from rftheory.statement.provers.dimension import expansions
from rftheory.statement.provers.gammas import sign_by_bounds
from rftheory.statement.provers.order import BY_SIGNS
from rftheory.statement.provers.powers import HYPERBOLIC
from rftheory.statement.provers.proof import above_zero, proved, proved_sign
from rftheory.statement.provers.series import Atom, Series, as_series, has_dimensions
from rftheory.statement.provers.signs import Sign, at_least_zero, is_real, sign

PLACES = S.Zero, S.Infinity
"""Where limits are found; at 0 from above."""
KINKED = sympy.Abs, sympy.Max, sympy.Min
"""Functions that are continuous, and have no series at a kink."""
LEADING = 8
"""How many coefficients the search for the leading one looks at."""


def infinite(value: sympy.Expr) -> bool:
    """Whether a limit is infinite, of any sign.

    Examples
    --------
    >>> infinite(-sympy.oo), infinite(v)
    (True, False)
    """
    return bool(value.has(sympy.oo, -sympy.oo))


def not_zero(difference: sympy.Expr, domain: Domain) -> str | None:
    """Where in the domain it is enclosed away from 0: at a point, or everywhere.

    Examples
    --------
    >>> from rftheory.statement.words import claimed
    >>> not_zero(v - 1, Domain.of(claimed(v < 1), (v >= 1,)))
    'at v = 2'
    """
    for values in points(domain, 12):
        with contextlib.suppress(RFTheoryError):  # no value at that point
            if not ball(difference, values).contains(0):
                place = {s: x for s, x in values.items() if s in difference.free_symbols}
                return f"at {in_point(place)}" if place else "everywhere"
    return "everywhere" if sign(difference, domain) in _INFINITIES else None


class Limit(NamedTuple):
    """The value of a limit, how it was found, and what was cited.

    It is not ``settled`` if something that is only bounded remains beside it.

    Examples
    --------
    >>> Limit(S.Zero, "by continuity").settled
    True
    """

    value: sympy.Expr
    how: str
    cited: tuple[str, ...] = ()
    settled: bool = True


Way = Callable[[sympy.Expr, sympy.Symbol, Domain], Limit | None]
_T = sympy.Dummy("t", positive=True)
"""What falls to 0, the same for all limits, so that none is found twice."""


@lru_cache(maxsize=128)
def limit_of(expression: sympy.Expr, variable: sympy.Symbol, to: sympy.Expr, domain: Domain) -> Limit | None:
    """The limit; None if no method finds it.

    Examples
    --------
    >>> from rftheory.statement.words import d, claimed
    >>> over = Domain.of(claimed(v < d), ())
    >>> limit_of((sympy.exp(v**2) - 1) / v**2, v, S.Zero, over).value
    1
    >>> [limit_of((sympy.exp(v**2) - 1) / v**n, v, S.Zero, over).value for n in (1, 3)]
    [0, oo]
    >>> limit_of(d * (sympy.exp(v**2) - sympy.hyper((d,), (d / 2,), v**2 / 2)), d, sympy.oo, over).value
    v**4*exp(v**2)/2
    """
    if expression == 0:
        return Limit(S.Zero, "since it is 0 everywhere")
    if to not in PLACES:
        return None
    kind = "norm" if variable in (v, z) else "integer" if variable.is_integer else "parameter"
    ways = (way(expression, variable, domain) for way in _WAYS.get((kind, to), ()))
    return next(filter(None, ways), None)


def _by_leading(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at 0 of a quotient of series in the square of the variable."""
    top, bottom, factor = _quotient(expression, variable)
    second = bottom and _leading(bottom, domain)
    first = top and second and _leading(top, domain, known=second[0])
    if not (first and second):
        return None
    (n, over, cited), (k, under, more) = first, second
    how, cited = "by the leading coefficients", tuple(dict.fromkeys((*cited, *more)))
    if n < k:
        return Limit(_infinity(over, under, domain), how, cited)
    ratio = over / sympy.factorial(n) * sympy.factorial(k) / under
    return Limit(sympy.factor(sympy.exp(factor.subs(variable, 0)) * ratio), how, cited)


def _far_by_series(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at infinity of such a quotient."""
    top, bottom, factor = _quotient(expression, variable)
    return _dominant(top, bottom, factor, domain) if top and bottom else None


def _quotient(
    expression: sympy.Expr, variable: sympy.Symbol
) -> tuple[Series | None, Series | None, sympy.Expr]:
    """Both sides of a quotient as series, if they are some, and the common exponent of one less that of the other."""
    top, bottom = (as_series(e, variable) for e in sympy.fraction(sympy.together(expression)))
    return top, bottom, sympy.expand(top.factor - bottom.factor) if top and bottom else S.Zero


def _by_continuity(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The value at 0, if nothing is divided by there that may be 0, and all functions are continuous."""
    moving = [node for node in sympy.preorder_traversal(expression) if node.has(variable)]
    if not all(_is_continuous_at_zero(node, variable, domain) for node in moving):
        return None
    return Limit(sympy.factor(with_ones(expression.subs(variable, 0))), "by continuity")


def with_ones(expression: sympy.Expr) -> sympy.Expr:
    """The expression with 1 for hypergeometric series at 0, which sympy leaves as they are.

    Examples
    --------
    >>> from rftheory.statement.words import d
    >>> with_ones(sympy.hyper((d,), (d / 2,), 0) - 1)
    0
    """
    return expression.replace(lambda e: isinstance(e, sympy.hyper) and e.argument == 0, lambda _: S.One)


def _is_continuous_at_zero(node: sympy.Basic, variable: sympy.Symbol, domain: Domain) -> bool:
    if isinstance(node, sympy.Pow):
        if node.exp.is_Integer and node.exp.is_nonnegative:
            return True
        return apart_from_zero(node.base.subs(variable, 0), domain, either=bool(node.exp.is_Integer))
    if isinstance(node, sympy.hyper):
        return len(node.ap) <= len(node.bq) and not any(a.has(variable) for a in (*node.ap, *node.bq))
    if isinstance(node, PairMean):
        return not any(a.has(variable) for a in node.args[:3])
    return node.is_Add or node.is_Mul or node.is_Symbol or isinstance(node, (sympy.Tuple, *KINKED, *ANALYTIC))


def _by_powers(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at 0 of an elementary function, such as one of the best parameter of OPRF."""
    found = _limit_from_powers(expression.subs(variable, _T), (), domain)
    return None if found is None else Limit(found, f"by powers of {variable}")


def _by_rates(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at 0 of powers with exponents that vary, such as v^d, as one of the inverse at infinity."""
    return _far_by_rates(expression.subs(variable, 1 / _T), _T, domain)


def _by_heads(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at 0 where series in the square of the variable are multiplied, as in variances of rows of one length.

    Each series is its first terms and a bounded rest times the next power.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> wave = sympy.hyper((), (d / 2,), -d * z**2 / 4)
    >>> _by_heads((1 - wave**2) / z**2, z, Domain.of(claimed(z < d), ())).value
    1
    """
    series = {e for e in expression.atoms(sympy.hyper, sympy.exp) if e.has(variable)}
    heads = {e: _head_at_zero(e, variable, domain) for e in series}
    if None in heads.values():
        return None
    bounded = {e: sympy.Dummy() for e in series}
    replaced = {e: head + bounded[e] * variable ** (2 * LEADING) for e, head in heads.items() if head}
    inside = expression.xreplace(replaced).subs(variable, _T)
    found = _limit_from_powers(inside, tuple(bounded.values()), domain)
    return None if found is None else Limit(sympy.factor(found), "by the first terms of series")


def _head_at_zero(e: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> sympy.Expr | None:
    """The first terms of an exponential or an entire hypergeometric series in the square of the variable."""
    above, below = (e.ap, e.bq) if isinstance(e, sympy.hyper) else ((), ())
    scale = sympy.cancel((e.argument if isinstance(e, sympy.hyper) else e.args[0]) / variable**2)
    known = all(sign(b, domain) == "positive" for b in below)
    if not known or len(above) > len(below) or any(a.has(variable) for a in (scale, *above, *below)):
        return None
    ratio = [
        sympy.Mul(*(sympy.rf(a, k) for a in above)) / sympy.Mul(*(sympy.rf(b, k) for b in below))
        for k in range(LEADING)
    ]
    return sympy.Add(*(r * (scale * variable**2) ** k / sympy.factorial(k) for k, r in enumerate(ratio)))


def _far_by_vanishing(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at infinity of a polynomial in waves and exponentials that all tend to 0.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> wave, over = sympy.hyper((), (d / 2,), -d * z**2 / 4), Domain.of(claimed(z < d), (d >= 2,))
    >>> _far_by_vanishing(wave**2 + d * sympy.exp(-(z**2)) + 1 / d, z, over).value
    1/d
    """
    moving = {e: sympy.Dummy() for e in expression.atoms(sympy.hyper, sympy.exp) if e.has(variable)}
    inside = expression.xreplace(moving)
    if inside.has(variable) or not inside.is_polynomial(*moving.values()):
        return None
    cited: list[str] = []
    for e in sorted(moving, key=sympy.default_sort_key):
        found = _far_by_series(e, variable, domain)
        if found is None or found.value != 0:
            return None
        cited += found.cited
    left = sympy.factor(inside.xreplace(dict.fromkeys(moving.values(), S.Zero)))
    return Limit(left, "of the rest, since waves and exponentials tend to 0", tuple(dict.fromkeys(cited)))


def _far_by_tails(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at infinity of a sum with multiples of erfc(x), x to infinity, that tend to 0.

    Examples
    --------
    >>> from rftheory.statement.words import claimed
    >>> over = Domain.of(claimed(z > 1), ())
    >>> _far_by_tails(z**2 * sympy.erfc(z / 2) + 1 / z, z, over).value
    0
    >>> _far_by_tails(sympy.exp(z**2) * sympy.erfc(z), z, over), _far_by_tails(sympy.erf(z), z, over).value
    (None, 1)
    """
    terms = sympy.Add.make_args(sympy.expand(expression.replace(sympy.erf, lambda x: 1 - sympy.erfc(x))))
    tails = {term: {e for e in term.atoms(sympy.erfc) if e.has(variable)} for term in terms}
    if not any(tails.values()) or not all(_vanish(*one, variable, domain) for one in tails.items() if one[1]):
        return None
    left = sympy.Add(*(term for term in terms if not tails[term]))
    found = limit_of(left, variable, sympy.oo, domain)
    return found and found._replace(how="of the rest, since erfc(x) <= exp(-x^2)")


def _vanish(term: sympy.Expr, tails: set[sympy.Expr], variable: sympy.Symbol, domain: Domain) -> bool:
    """Whether a multiple of erfc(x), x to infinity, tends to 0 even with exp(-x^2) in its place, and without citing."""
    above = term.xreplace({e: sympy.exp(-(e.args[0] ** 2)) for e in tails})
    needed = [(e.args[0], sympy.oo) for e in tails] + [(above, S.Zero)]
    limits = ((limit_of(side, variable, sympy.oo, domain), value) for side, value in needed)
    plain = not sympy.cancel(term / sympy.Mul(*tails)).has(*tails)
    return plain and all(
        found is not None and (found.value, found.cited) == (value, ()) for found, value in limits
    )


def _far_by_powers(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at infinity of an algebraic function, such as the best parameter of OPRF.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), ())
    >>> _far_by_powers(sympy.sqrt(v**4 + d * v**2) - v**2, v, over).value
    d/2
    """
    found = limit_free_of(expression, variable, (), domain)
    return None if found is None else Limit(found, f"by powers of 1/{variable}")


def _far_by_inverse(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at infinity as that of the inverse at 0."""
    inverse = expression.subs(variable, 1 / _T)
    return _by_continuity(inverse, _T, domain) or _by_heads(inverse, _T, domain)


def _limit_of_odd(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at 0 of odd powers, as of mse/v: 0 if v times it, a series in v^2, tends to 0, and else infinite."""
    found = _by_leading(expression * variable, variable, domain)
    if found is None or found.value == 0 or infinite(found.value):
        return found
    return _without_bound(found, domain)


def _far_limit_of_odd(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at infinity of odd powers: 0 if v times it stays bounded, infinite if it over v does not tend to 0."""
    if expression.xreplace({variable: -variable}) != -expression:
        return None
    found = _far_by_series(expression * variable, variable, domain)
    if found is not None and not infinite(found.value):
        return found._replace(value=S.Zero)
    found = _far_by_series(expression / variable, variable, domain)
    return found if found is None or infinite(found.value) else _without_bound(found, domain)


def _without_bound(of: Limit, domain: Domain) -> Limit | None:
    """Infinity with the sign of what a growing quantity is a multiple of, if that is proved."""
    own, more = sign_of(of.value, domain)
    return Limit(_INFINITIES[own], of.how, tuple(dict.fromkeys((*of.cited, *more)))) if own else None


def _leading(
    series: Series, domain: Domain, known: int = LEADING
) -> tuple[int, sympy.Expr, tuple[str, ...]] | None:
    """Index and value of the first coefficient, if it is nowhere 0 in the domain; and what was cited for its sign.

    That of the index ``known`` is the first one to be of use even if it is 0 somewhere.
    """
    for n in range(LEADING):
        value = series.coefficient(n)
        if value is None:
            return None
        if n == known:
            return n, value, ()
        if value != 0:
            own, cited = sign_of(value, domain)
            return (n, value, cited) if own else None
    return None


def sign_of(value: sympy.Expr, domain: Domain) -> tuple[Sign | None, tuple[str, ...]]:
    """Its sign where it has one on the whole domain, positive or negative, and what was cited; else None.

    Examples
    --------
    >>> from rftheory.statement.words import claimed
    >>> sign_of(-1 - v, Domain.of(claimed(v < 1), ()))
    ('negative', ())
    """
    own, cited = sign_by_bounds(value, domain)
    return (own, cited) if own in _INFINITIES else proved_sign(value, domain, BY_SIGNS)


_INFINITIES: dict[Sign | None, sympy.Expr] = {"positive": sympy.oo, "negative": -sympy.oo}
"""What a growing quantity with a factor of that sign tends to."""


_FASTEST = "by the fastest exponentials"


def _dominant(top: Series, bottom: Series, factor: sympy.Expr, domain: Domain) -> Limit | None:
    """As B grows: sum x_k B^k/k! = o(e^(cB)) if c > 0 and x_k/c^k tends to 0, as for frames and pairs of scale c."""
    if not all(has_dimensions(series, domain) for series in (top, bottom)):
        return None
    first, second = (_fastest(series, domain) for series in (top, bottom))
    if second is None or not sign_of(second.weight, domain)[0]:
        return None
    if first is None:
        if _all_behind(top, factor, second, domain):
            return Limit(S.Zero, _FASTEST, second.cited)
        most = _largest_scale(top)  # beside what it stays below, with weight 1
        bare = replace(top, terms={**top.terms, (Atom("exp", most), 0): S.One})
        found = None if (Atom("exp", most), 0) in top.terms else _dominant(bare, bottom, factor, domain)
        return found._replace(value=S.Zero) if found and not infinite(found.value) else None
    own = factor.coeff(top.variable, 2)
    rest = sympy.exp(sympy.expand(factor - own * top.variable**2))
    return _of_quotient(first._replace(rate=first.rate + own), second, rest, domain)


def _of_quotient(first: _Exponential, second: _Exponential, rest: sympy.Expr, domain: Domain) -> Limit | None:
    """The limit of the quotient of two exponentials, with a factor that is positive and stays as it is."""
    order = _order(first.rate - second.rate, first.power - second.power, domain)
    cited = tuple(dict.fromkeys((*first.cited, *second.cited)))
    if order == "negative":
        return Limit(S.Zero, _FASTEST, cited)
    if order == "positive":
        known = all(sign_of(side.weight, domain)[0] for side in (first, second))
        return Limit(_infinity(first.weight, second.weight, domain), _FASTEST, cited) if known else None
    ratio = sympy.factor(first.weight / second.weight)
    return Limit(ratio * rest, _FASTEST, cited) if order == "zero" else None


def _far_by_rates(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    """The limit at infinity of a quotient of sums of exp(c d^q) d^p, as errors of GERF are in many dimensions.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), (v > 0,))
    >>> [_far_by_rates(e, d, over).value for e in (v * 2**d / 3 ** (d / 2) - d**9, d**v * sympy.exp(-d))]
    [oo, 0]
    """
    written = sympy.together(expression.rewrite(HYPERBOLIC, sympy.exp))
    first, second = (_largest(side, variable, domain) for side in sympy.fraction(written))
    if first is None or second is None or not sign_of(second.weight, domain)[0]:
        return None
    return _of_quotient(first, second, S.One, domain)


def _largest(side: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> _Exponential | None:
    """The term exp(c d^q) d^p of a sum that is proved to outgrow all others."""
    terms = [_rate_of(term, variable, domain) for term in sympy.Add.make_args(sympy.expand(side))]
    known = [term for term in terms if term is not None]
    if len(known) < len(terms):
        return None
    for one in known:
        ahead = (_order(one.rate - o.rate, one.power - o.power, domain) for o in known if o is not one)
        if all(order == "positive" for order in ahead):
            return one
    return None


def _rate_of(term: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> _Exponential | None:
    """What a product of powers is in proportion to as the variable grows.

    Bases may be algebraic functions of it, exponents may fall to 0, and exponentials may be of what grows as powers.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), ())
    >>> _rate_of((v**2 + d) ** (d / 2) * sympy.exp(2 * v + sympy.sqrt(v) + 1 / (v + 1)) / 3, v, over)[:3]
    (2/_t + 1/sqrt(_t), d, 1/3)
    >>> _rate_of(d ** (1 / d), d, over)[:3], _rate_of(sympy.exp(sympy.exp(v)), v, over)
    ((0, 0, 1), None)
    """
    weight, moving = term.as_independent(variable, as_Add=False)
    if not is_real(weight, domain):  # (-t)^q is (-1)^q t^q
        return None
    exponent, power = S.Zero, S.Zero
    for factor in sympy.Mul.make_args(moving):
        base, own = factor.as_base_exp()
        if not base.has(variable) and sign(base, domain) == "positive":
            exponent += own * sympy.log(base)
        elif (first := _first_far(base, variable, domain)) is None:
            return None
        elif not own.has(variable):
            power, weight = power + own * first[0], weight * first[1] ** own
        elif limit_free_of(own, variable, (), domain) != 0:
            return None
    powers = _uniform_powers(sympy.expand(exponent).subs(variable, 1 / _T), domain)
    if powers is None:
        return None
    kept = {p: simplified(c) for p, c in powers.items() if not p.is_positive and not vanishes(c)}
    rate = sympy.Add(*(c * _T**p for p, c in kept.items() if p.is_negative))
    return _Exponential(rate, power, weight * sympy.exp(kept.get(S.Zero, S.Zero)))


def _first_far(
    base: sympy.Expr, variable: sympy.Symbol, domain: Domain
) -> tuple[sympy.Expr, sympy.Expr] | None:
    """The power of the variable that a function is in proportion to as it grows, and the factor, if it is positive."""
    if base == variable:
        return S.One, S.One
    found = _first_power(base.subs(variable, 1 / _T), domain)
    return (-found[0], found[1]) if found and apart_from_zero(found[1], domain) else None


class _Exponential(NamedTuple):
    """weight B^power exp(rate B), B the square of the variable; of a frame for large B, and what is cited for it.

    Or weight x^power exp(rate), the rate in powers of t = 1/x, x the variable.
    """

    rate: sympy.Expr
    power: sympy.Expr | int
    weight: sympy.Expr
    frame: Atom | None = None
    cited: tuple[str, ...] = ()


def _order(rate: sympy.Expr, power: sympy.Expr | int, domain: Domain) -> Sign | None:
    """The sign of the part of a rate that grows fastest, or of a power where the rate is 0."""
    parts: dict[sympy.Expr, sympy.Expr] = {}
    for term in sympy.Add.make_args(rate):  # each an expression times a power of t
        part, exponent = term.as_coeff_exponent(_T)
        parts[exponent] = parts.get(exponent, S.Zero) + part
    for _, part in sorted(parts.items()):
        own = sign(sympy.factor(part), domain)
        if own is None:  # such as that of log(c), 0 < c < 1
            return proved_sign(part, domain, BY_SIGNS)[0]
        if own != "zero":
            return own
    return sign(sympy.sympify(power), domain)


def _infinity(over: sympy.Expr, under: sympy.Expr, domain: Domain) -> sympy.Expr:
    """Infinity with the sign of a quotient of which neither side is 0 anywhere."""
    signs = {sign_of(side, domain)[0] for side in (over, under)}
    return sympy.oo if len(signs) == 1 else -sympy.oo


def _largest_scale(series: Series) -> sympy.Expr:
    """At least 0: waves stay below a constant alone."""
    scales = [atom.scale for atom, _ in series.terms if atom.scale.is_number]
    return max([S.Zero, *scales], key=by_size)


KUMMER = "1F1(a; b; x) is Gamma(b)/Gamma(a) e^x x^(a - b) times what tends to 1 as x grows (DLMF 13.7.1)"


def _fastest(series: Series, domain: Domain) -> _Exponential | None:
    """The exponential, or else the frame, that is proved to outgrow all others."""
    terms = {(a, p): _Exponential(a.scale, p, w) for (a, p), w in series.terms.items() if a.kind == "exp"}
    grow = [key for key in series.terms if key[0].kind == "frame" and surely(key[0].scale, ">")]
    frames = {(a, p): _of_frame(a, p, series.terms[a, p]) for a, p in grow}
    for known in (terms, {**terms, **frames})[: 1 + bool(frames)]:
        others = [key for key in series.terms if key not in known]
        for one in known.values():
            rest = (o for o in known.values() if o is not one)
            ahead = (_order(one.rate - o.rate, one.power - o.power, domain) for o in rest)
            behind = (_is_behind(*key, one, domain) for key in others)
            if all(order == "positive" for order in ahead) and all(behind):
                return one if known is terms else one._replace(cited=(KUMMER,))
    return None


def _of_frame(atom: Atom, power: int, weight: sympy.Expr) -> _Exponential:
    """1F1(d; d/2; x) for large x = c B/2."""
    half, d = atom.scale / 2, atom.d
    return _Exponential(
        half, power + d / 2, weight * half ** (d / 2) * sympy.gamma(d / 2) / sympy.gamma(d), atom
    )


def _all_behind(top: Series, factor: sympy.Expr, one: _Exponential, domain: Domain) -> bool:
    """Whether all terms of a series, times a factor that does not grow, are outgrown."""
    if not at_least_zero(sign(-factor.coeff(top.variable, 2), domain)):
        return False
    return all(
        _order(one.rate - atom.scale, one.power - power, domain) == "positive"
        if atom.kind == "exp"
        else _is_behind(atom, power, one, domain)
        for atom, power in top.terms
    )


def _is_behind(atom: Atom, power: int, one: _Exponential, domain: Domain) -> bool:
    """Whether it is outgrown: by a frame with coefficients r_k, two rows at a negative cosine with x_k = o(r_k) are.

    x_k is E y^k times the r_k of a frame in their dimension, for some y that is below 1 with probability 1.
    """
    if one.frame is None:
        return bool(power <= one.power) and _stays_below(atom, one.rate, domain)
    larger = at_least_zero(sign(one.frame.d - atom.d, domain))
    apart = sign(atom.cosine, domain) == "negative" and at_least_zero(sign(atom.cosine + 1, domain))
    alike = power == 0 and one.power == one.frame.d / 2 and atom.scale == one.frame.scale
    return alike and larger and apart and atom.norms == "independent"


def _stays_below(atom: Atom, rate: sympy.Expr, domain: Domain) -> bool:
    """Whether it is o(e^(rate B)). Waves are means of cosines, at most 1: they tend to 0, but not exponentially."""
    if not atom.scale.is_number:
        return False
    if in_order(atom.scale, S.Zero, strict=True):
        is_cosine = atom.kind == "bessel" and not at_least_zero(sign(atom.d - 2, domain))  # of rows +-1
        own = sign(rate, domain)
        return own == "positive" or (at_least_zero(own) and not is_cosine)
    return _is_not_acute(atom, domain) and at_least_zero(sign(rate - atom.scale, domain))


def _is_not_acute(atom: Atom, domain: Domain) -> bool:
    """Whether the cosine is at most 0, that of frames and waves: such pairs stay below frames."""
    return at_least_zero(sign(-atom.cosine, domain))


# ---- expansions in 1/d -------------------------------------------------------------------------------


def _limit_in_dimension(expression: sympy.Expr, d: sympy.Symbol, domain: Domain) -> Limit | None:
    for form, rests, assumes in expansions(expression, d):
        if (found := limit_free_of(form, d, rests, domain)) is not None:
            return Limit(found, f"by the expansion in 1/{d}", assumes)
    return None


def limit_free_of(
    form: sympy.Expr, d: sympy.Symbol, rests: tuple[sympy.Symbol, ...], domain: Domain
) -> sympy.Expr | None:
    """The limit for d to infinity at every point, if bounded remainders without a limit have no part in it.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), ())
    >>> limit_free_of(d / (d + v), d, (), over), limit_free_of(v + sympy.Symbol("r") / d, d, (sympy.Symbol("r"),), over)
    (1, v)
    """
    roots = (int(e.exp.q) for e in form.atoms(sympy.Pow) if e.base == d and e.exp.is_Rational)
    inside = form.subs(d, _T ** -lcm(*roots))  # whole powers of t are quick
    return _limit_from_powers(inside, rests, domain)


def _limit_from_powers(
    inside: sympy.Expr, rests: tuple[sympy.Symbol, ...], domain: Domain
) -> sympy.Expr | None:
    """The limit as t falls to 0, by powers of t."""
    found = _first_power(inside, domain)
    if found is None:
        return None
    power, coefficient = found
    if set(rests) & coefficient.free_symbols:
        return None
    if power.is_negative:
        own, _ = proved_sign(coefficient, domain, BY_SIGNS)
        if own is not None:
            return _INFINITIES[own]
        return _unsigned(coefficient) if not_zero(coefficient, domain) else None
    return coefficient if power == 0 else S.Zero


def _first_power(inside: sympy.Expr, domain: Domain) -> tuple[sympy.Expr, sympy.Expr] | None:
    """The lowest power of t with a coefficient that is not 0, and that; t^oo of what has none up to t^0."""
    powers = _uniform_powers(inside, domain)
    if powers is None:
        return None
    each = ((power, S.Zero if vanishes(raw) else simplified(raw)) for power, raw in sorted(powers.items()))
    return next((found for found in each if found[1] != 0), (S.Infinity, S.Zero))


def _uniform_powers(inside: sympy.Expr, domain: Domain) -> Mapping[sympy.Expr, sympy.Expr] | None:
    """The powers of t up to t^0, if they hold at every point: d v/(d v + 1) tends to 1, but at v = 0 to 0.

    What is divided by, and what has a root or a logarithm, must have a leading coefficient that is nowhere 0. Integrals
    and sums have no series of their terms: that of t/(u^2 + t^2) over u from 0 to 1 tends to pi/2.
    """
    inside = sympy.together(inside)
    nodes = (node for node in sympy.preorder_traversal(inside) if node.has(_T))
    return powers_at_zero(inside, _T) if all(_keeps_its_order(node, domain) for node in nodes) else None


def _keeps_its_order(node: sympy.Basic, domain: Domain) -> bool:
    if isinstance(node, sympy.Pow):
        if node.exp.is_Integer and node.exp.is_nonnegative:
            return True
        return apart_from_zero(_first(node.base), domain, either=bool(node.exp.is_Integer))
    if isinstance(node, sympy.log):
        return apart_from_zero(_first(node.args[0]), domain)
    return node.is_Add or node.is_Mul or node.is_Symbol or isinstance(node, ANALYTIC)


def _first(expression: sympy.Expr) -> sympy.Expr | None:
    """The coefficient of the lowest power of t, among those up to t^3; None if it is not found."""
    for shift in range(4):
        powers = powers_at_zero(sympy.expand(expression / _T**shift), _T)
        for _, raw in sorted((powers or {}).items()):
            if (coefficient := simplified(raw)) != 0:
                return coefficient
    return None


def apart_from_zero(expression: sympy.Expr | None, domain: Domain, either: bool = False) -> bool:
    """Whether it is proved positive on the whole domain, or negative if ``either`` sign will do.

    Examples
    --------
    >>> from rftheory.statement.words import claimed
    >>> over = Domain.of(claimed(v < 1), ())
    >>> apart_from_zero(v, over), apart_from_zero(1 + v, over), apart_from_zero(-1 - v, over, either=True)
    (False, True, True)
    """
    if expression is None:
        return False
    if either:
        return proved_sign(expression, domain, BY_SIGNS)[0] is not None
    return proved(above_zero(expression, strict=True), domain, BY_SIGNS) is not None


def _unsigned(coefficient: sympy.Expr) -> sympy.Expr:
    """Infinity with the sign of the coefficient, which is 0 somewhere for all that is known."""
    return sympy.Mul(sympy.oo, sympy.sign(coefficient, evaluate=False), evaluate=False)


_WAYS: dict[tuple[str, sympy.Expr], tuple[Way, ...]] = {
    ("norm", S.Zero): (_by_leading, _limit_of_odd, _by_continuity, _by_heads, _by_powers, _by_rates),
    ("norm", S.Infinity): (
        _far_by_series, _far_limit_of_odd, _far_by_powers, _far_by_rates, _far_by_vanishing, _far_by_tails,
    ),
    ("integer", S.Infinity): (_limit_in_dimension, _far_by_rates),
    ("parameter", S.Zero): (_by_continuity, _by_powers, _by_rates),
    ("parameter", S.Infinity): (_far_by_powers, _far_by_rates, _far_by_tails, _far_by_inverse),
}  # fmt: skip
"""How limits are found, by what tends and where to: each way is tried until one finds it."""
