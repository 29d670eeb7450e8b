"""Limits and orders of growth: power series at 0, dominance at infinity, expansions in 1/d with bounded remainder."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

import sympy
from sympy import S

from rftheory.errors import RFTheoryError
from rftheory.exact.derivative import derivative
from rftheory.exact.order import by_size, in_order, surely
from rftheory.exact.substitution import with_values
from rftheory.exact.symbols import v, z
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.exact.vanishing import simplified, vanishes
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import Growth, OfLaw, PairMean
from rftheory.statement.domain import Domain, Span, corners, points
from rftheory.statement.pointwise import ball, decide, in_point
from rftheory.statement.provers.at_zero import ANALYTIC, powers_at_zero
from rftheory.statement.provers.dimension import Expansion, expansions
from rftheory.statement.provers.gammas import sign_by_bounds
from rftheory.statement.provers.identity import by_identity
from rftheory.statement.provers.order import BY_SIGNS
from rftheory.statement.provers.proof import DOES_NOT_APPLY, Proof, prove, proved, uncited
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.series import Atom, Series, as_series, has_dimensions
from rftheory.statement.provers.signs import Sign, at_least_zero, sign
from rftheory.statement.words import LimitOf, substituted

LEADING = 8
"""How many coefficients the search for the leading one looks at."""


def by_expansion(part: sympy.Basic, domain: Domain) -> Proof | None:
    """A relation of a limit, or one with O(...), from expansions with a bounded remainder.

    An ordering holds up to a rest of some order if the equation does, or if the rest tends to infinity on its side.

    Examples
    --------
    >>> from rftheory.statement.words import O, conformity, d, exp, limit, orthogonal
    >>> claim = conformity(orthogonal) == exp(v**2) * (1 + O(1 / d))
    >>> by_expansion(claim.parts[0], Domain.of(claim, ())).refutes
    False
    >>> wrong = conformity(orthogonal) == exp(v**2) * (1 + O(1 / d**2))
    >>> by_expansion(wrong.parts[0], Domain.of(wrong, ())).refutes
    True
    """
    if not isinstance(part, sympy.core.relational.Relational):
        return None
    if (halves := _halves(part, domain)) is not None:
        return _from_both_sides(halves)
    if part.has(Growth):
        return _by_growth(part, far_out(part, domain))
    limits = [side for side in part.args if isinstance(side, LimitOf)]
    return _by_limit(part, domain) if len(limits) == 1 else None


def by_leaving_out(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an ordering up to a rest of some order, which may be 0, by the ordering itself.

    Examples
    --------
    >>> from rftheory.statement.words import O, m, mse, orthogonal, positive, simplex
    >>> claim = mse(positive(simplex, m=m)) <= mse(positive(orthogonal, m=m)) * (1 + O(1 / m))
    >>> by_leaving_out(claim.parts[0], Domain.of(claim, ())).kind.value
    'certified'
    """
    if not isinstance(part, ORDERINGS) or not part.has(Growth):
        return None
    found = proved(substituted(part, dict.fromkeys(part.atoms(Growth), S.Zero)), domain)
    return None if found is None else replace(found, says=f"also without the rest: {found.says}")


def _halves(
    part: sympy.core.relational.Relational, domain: Domain
) -> tuple[tuple[sympy.Basic, Domain], ...] | None:
    """The same for a positive variable and for minus one, if it falls to 0 from both sides; None if it does not.

    An ordering of a limit is left alone: on each side it may hold of another one.

    Examples
    --------
    >>> from rftheory.statement.words import O, equal
    >>> x = sympy.Symbol("x", real=True)
    >>> claim = equal(abs(x), x + O(x**2))
    >>> [str(half) for half, _ in _halves(claim.parts[0], Domain.of(claim, ()))]
    ['Eq(x, x + O(x**2))', 'Eq(x, -x + O(x**2))']
    """
    if not (part.has(Growth) or isinstance(part, sympy.Eq)):
        return None
    places = [_where(growth.args[0]) for growth in part.atoms(Growth)]
    places += [side.args[1:] for side in part.args if isinstance(side, LimitOf)]
    if len(set(places)) != 1 or places[0] is None or places[0][1] != 0:
        return None
    variable = places[0][0]
    span = domain.spans.get(variable)
    if not part.has(Growth) and variable in _free_in(part, domain):
        return None
    if span is None or not all(
        in_order(*ends, strict=True) for ends in ((span.low, S.Zero), (S.Zero, span.high))
    ):
        return None
    positive = sympy.Symbol(variable.name, positive=True)
    above = replace(span, low=S.Zero, low_open=True)
    below = Span(S.Zero, -span.low, True, span.low_open)
    rest = {s: one for s, one in domain.spans.items() if s != variable}
    return tuple(
        (
            part.func(*(_moved(side, variable, value, positive) for side in part.args), evaluate=False),
            replace(
                domain,
                spans={**rest, positive: half},
                relations=tuple(relation.xreplace({variable: value}) for relation in domain.relations),
            ),
        )
        for value, half in ((positive, above), (-positive, below))
    )


def _moved(side: sympy.Expr, variable: sympy.Symbol, value: sympy.Expr, positive: sympy.Symbol) -> sympy.Expr:
    """A side with a value for the variable, in which another one falls to 0."""
    if isinstance(side, LimitOf):
        return LimitOf(side.args[0].xreplace({variable: value}), positive, S.Zero)
    return side.xreplace({variable: value})


def _from_both_sides(halves: tuple[tuple[sympy.Basic, Domain], ...]) -> Proof | None:
    """A refutation from one side, or the proofs from both."""
    found = [by_expansion(*half) for half in halves]
    refuted = next((one for one in found if one is not None and one.refutes), None)
    if refuted is not None:
        return refuted
    above, below = found
    if above is None or below is None:
        return None
    return above.resting_on(below, f"from above: {above.says}; from below: {below.says}")


def far_out(part: sympy.Basic, domain: Domain) -> Domain:
    """The domain where d is at least any number of rows that does not depend on it: as d grows, the others are fixed.

    Examples
    --------
    >>> from rftheory.statement.words import d, limit, m, mse, orthogonal, positive, v, z
    >>> claim = limit(d * mse(positive(orthogonal, m=m)), d, sympy.oo) == v * z
    >>> print(far_out(claim.parts[0], Domain.of(claim, ())))
    d >= 1, m >= 1, v >= 0, z >= 0, m <= d
    """
    places = {s.args[1] for s in part.args if isinstance(s, LimitOf) and s.args[2] == sympy.oo}
    places -= _free_in(part, domain)  # beside the limit it takes all values
    places |= {place[0] for g in part.atoms(Growth) if (place := _where(g.args[0])) and place[1] == sympy.oo}
    sizes = [law.numbers[:2] for law in part.atoms(OfLaw)]
    more = {sympy.Le(m, d) for d, m in sizes if d in places and not m.has(d) and m != 1}
    more -= {*domain.relations, sympy.true, sympy.false}
    return replace(domain, relations=(*domain.relations, *sorted(more, key=str))) if more else domain


def asked_of(part: sympy.Basic, domain: Domain) -> tuple[sympy.Expr, sympy.Symbol, sympy.Expr] | None:
    """What a limit, or a rest over its order of growth, is taken of, its variable and where that tends to.

    Examples
    --------
    >>> from rftheory.statement.words import O, claimed, d, equal
    >>> claim = equal(1 / d, 2 / d + O(1 / d**2))
    >>> asked_of(claim.parts[0], Domain.of(claim, ()))
    (-d, d, oo)
    """
    if not isinstance(part, sympy.core.relational.Relational):
        return None
    if part.has(Growth):
        found = _rest_and_order(part, domain)
        if found is None:
            return None
        rest, order, *place = found
        ratio = S.Zero if order == 0 and vanishes(rest) else rest / order
        return (ratio, *place) if _has_values(ratio) else None
    limits = [side for side in part.args if isinstance(side, LimitOf)]
    if len(limits) != 1:
        return None
    expression, variable, to = limits[0].args
    expression = reduced(expression, domain)
    return (expression, variable, to) if _has_values(expression) else None


def _has_values(expression: sympy.Expr) -> bool:
    """Whether nothing in it lacks a real value, as 1/z and sqrt(z - 1) do with z = 0 put in."""
    return expression.is_extended_real is not False and not expression.has(S.NaN, S.ComplexInfinity)


def _free_in(part: sympy.Basic, domain: Domain) -> set[sympy.Symbol]:
    """The variables that are not bound and matter: laws of independent rows name d, and most do not depend on it."""
    sides = [side for side in part.args if not isinstance(side, LimitOf)]
    with contextlib.suppress(*DOES_NOT_APPLY):
        return {s for side in sides for s in reduced(side, domain).free_symbols}
    return part.free_symbols


def reaches(domain: Domain, variable: sympy.Symbol, to: sympy.Expr) -> bool:
    """Whether all values of the variable near the limit lie in the domain, whatever the others are: not 0 if v >= 1.

    Where a condition ties it to another variable, it must hold near the limit at fixed values of the other.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, m
    >>> tied = [Domain.of(claimed(m > d / 2), (relation,)) for relation in (m <= d, m >= d)]
    >>> [reaches(domain, d, sympy.oo) for domain in tied]
    [True, False]
    """
    if not all(_holds_near(r, variable, to, domain) for r in domain.relations if r.has(variable)):
        return False
    span = domain.spans.get(variable)
    if span is None:
        return True
    return bool(span.high is S.Infinity) if to == sympy.oo else bool(span.low == 0 and span.high != 0)


def _holds_near(relation: sympy.Basic, variable: sympy.Symbol, to: sympy.Expr, domain: Domain) -> bool:
    """Whether an ordering of polynomials is proved for all values near the limit, at fixed values of the others."""
    if not isinstance(relation, ORDERINGS):
        return False
    above = sympy.expand(relation.gts - relation.lts)
    if not above.is_polynomial(variable):
        return False
    by_power = sympy.Poly(above, variable)
    end = by_power.LC() if to == sympy.oo and by_power.degree() > 0 else above.subs(variable, 0)
    return sign(end, Domain(domain.spans)) == "positive"


# ---- limits ------------------------------------------------------------------------------------------


def _by_limit(part: sympy.core.relational.Relational, domain: Domain) -> Proof | None:
    apart, near = _bound_apart(part, domain)
    near = far_out(apart, near)
    asked = asked_of(apart, near)
    if asked is None or not reaches(near, *asked[1:]):
        return None
    claimed = reduced(part.rhs if isinstance(part.lhs, LimitOf) else part.lhs, domain)
    if not _has_values(claimed):
        return None
    found = limit_of(*asked, near)
    if found is None:
        return None
    value, how, assumes = found
    says = f"the limit is {value}, {how}"
    if not isinstance(part, sympy.Eq):
        if value.has(sympy.sign):
            return None
        if _infinite(value) and claimed.is_finite is not False:
            claimed = S.Zero
        sides = (value, claimed) if isinstance(part.lhs, LimitOf) else (claimed, value)
        return _compared(part.func, sides, says, assumes, domain)
    if {value, claimed} <= {sympy.oo, -sympy.oo}:
        return Proof(Kind.DERIVED, says, "domain", assumes, refutes=value != claimed)
    if _infinite(value) and _infinite(claimed):
        return None
    if _infinite(value) or _infinite(claimed):
        return Proof(Kind.DERIVED, says, "domain", assumes, True)
    if value == claimed or by_identity(sympy.Eq(value, claimed, evaluate=False), domain) is not None:
        return Proof(Kind.DERIVED, says, assumes=assumes)
    where = _not_zero(value - claimed, domain)
    return Proof(Kind.DERIVED, f"{says}; it differs {where}", "domain", assumes, True) if where else None


def _bound_apart(
    part: sympy.core.relational.Relational, domain: Domain
) -> tuple[sympy.core.relational.Relational, Domain]:
    """With another letter for the integer that a limit binds, if the same one is free on the other side.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, limit
    >>> claim = limit(1 / d, d, sympy.oo) <= 1 / d
    >>> apart, near = _bound_apart(claim.parts[0], Domain.of(claim, (d >= 3,)))
    >>> print(apart, "over", near)
    limit(1/d', d' -> oo) <= 1/d over d >= 3, d' >= 3
    """
    side = next(side for side in part.args if isinstance(side, LimitOf))
    expression, variable, to = side.args
    if not variable.is_integer or variable not in _free_in(part, domain):
        return part, domain
    taken, name = {s.name for s in (*domain.spans, *part.atoms(sympy.Symbol))}, f"{variable.name}'"
    while name in taken:  # d' may be a variable of the statement
        name = f"{name}'"
    other = sympy.Symbol(name, **variable.assumptions0)
    own = {variable: other}
    moved = LimitOf(expression.xreplace(own), other, to)
    sides = (moved if one is side else one for one in part.args)
    tied = tuple(relation.xreplace(own) for relation in domain.relations if relation.has(variable))
    spans = {**domain.spans, other: domain.spans[variable]}
    near = replace(domain, spans=spans, relations=(*domain.relations, *tied))
    return part.func(*sides, evaluate=False), near


def _compared(
    kind: type[sympy.core.relational.Relational], sides: tuple[sympy.Expr, sympy.Expr], says: str,
    assumes: tuple[str, ...], domain: Domain,
) -> Proof | None:  # fmt: skip
    """The proof, or the refutation, of an ordering of a limit and what it is compared with.

    Examples
    --------
    >>> from rftheory.statement.words import limit, m
    >>> claim = limit(sympy.exp(v**2) / m, v, 0) < 1
    >>> by_expansion(claim.parts[0], Domain.of(claim, (m >= 2,))).refutes
    False
    >>> by_expansion(claim.parts[0], Domain.of(claim, ())).says
    'the limit is 1/m, by the leading coefficients; not so at m = 1'
    """
    relation = kind(*sides)
    if relation in (sympy.true, sympy.false):
        return Proof(Kind.DERIVED, says, assumes=assumes, refutes=relation == sympy.false)
    relation = kind(*sides, evaluate=False)
    proof = prove(relation, domain)
    if proof is not None:
        return replace(proof, says=f"{says}; then {proof.says}", assumes=(*assumes, *proof.assumes))
    for values in corners(domain, 80):
        with contextlib.suppress(RFTheoryError):  # no value at that point
            there = [with_values(side, values) for side in sides]
            if not all(map(_has_values, there)):
                continue
            if kind(*there) == sympy.false or decide(relation, values, domain)[0] is False:
                place = {s: x for s, x in values.items() if s in relation.free_symbols}
                return Proof(Kind.DERIVED, f"{says}; not so at {in_point(place)}", "domain", assumes, True)
    return None


def _infinite(value: sympy.Expr) -> bool:
    return bool(value.has(sympy.oo, -sympy.oo))


def _not_zero(difference: sympy.Expr, domain: Domain) -> str | None:
    """Where in the domain it is enclosed away from 0: at a point, or everywhere."""
    for values in points(domain, 12):
        with contextlib.suppress(RFTheoryError):  # no value at that point
            if not ball(difference, values).contains(0):
                place = {s: x for s, x in values.items() if s in difference.free_symbols}
                return f"at {in_point(place)}" if place else "everywhere"
    return None


_T = sympy.Dummy("t", positive=True)
"""What falls to 0, the same for all limits, so that none is found twice."""


@lru_cache(maxsize=128)
def limit_of(
    expression: sympy.Expr, variable: sympy.Symbol, to: sympy.Expr, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """The limit, how it was found and what was cited; None if no method finds it.

    Examples
    --------
    >>> from rftheory.statement.words import d, claimed
    >>> over = Domain.of(claimed(v < d), ())
    >>> limit_of((sympy.exp(v**2) - 1) / v**2, v, S.Zero, over)[0]
    1
    >>> [limit_of((sympy.exp(v**2) - 1) / v**n, v, S.Zero, over)[0] for n in (1, 3)]
    [0, oo]
    >>> limit_of(d * (sympy.exp(v**2) - sympy.hyper((d,), (d / 2,), v**2 / 2)), d, sympy.oo, over)[0]
    v**4*exp(v**2)/2
    """
    if expression == 0:
        return S.Zero, "of what is 0 everywhere", ()
    if variable in (v, z):
        found = _limit_of_series(expression, variable, to, domain)
        if found is not None:
            return found
        if to != 0:
            far = (_far_limit_of_odd, _far_by_powers, _far_by_rates, _far_by_vanishing)
            return next(filter(None, (way(expression, variable, domain) for way in far)), None)
        ways = (
            way(expression, variable, domain)
            for way in (_limit_of_odd, _by_continuity, _by_heads, _by_powers)
        )
        return next(filter(None, ways), None)
    if variable.is_integer and to == sympy.oo:
        ways = (way(expression, variable, domain) for way in (_limit_in_dimension, _far_by_rates))
        return next(filter(None, ways), None)
    if variable.is_real and not variable.is_integer and to == 0:  # a parameter
        return _by_continuity(expression, variable, domain) or _by_powers(expression, variable, domain)
    if variable.is_real and not variable.is_integer and to == sympy.oo:
        ways = (way(expression, variable, domain) for way in (_far_by_powers, _far_by_rates))
        return next(filter(None, ways), None)
    return None


def _limit_of_series(
    expression: sympy.Expr, variable: sympy.Symbol, to: sympy.Expr, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    over, under = sympy.fraction(sympy.together(expression))
    sides = [as_series(e, variable) for e in (over, under)]
    top, bottom = sides
    if top is None or bottom is None:
        return None
    factor = sympy.expand(top.factor - bottom.factor)
    if to == 0:
        second = _leading(bottom, domain)
        first = second and _leading(top, domain, known=second[0])
        if first is None or second is None:
            return None
        orders, values = (first[0], second[0]), (first[1], second[1])
        how, cited = "by the leading coefficients", tuple(dict.fromkeys((*first[2], *second[2])))
        scale = sympy.exp(factor.subs(variable, 0))
        if orders[0] > orders[1]:
            return S.Zero, how, cited
        if orders[0] < orders[1]:
            return _infinity(values[0], values[1], domain), how, cited
        ratio = values[0] / sympy.factorial(orders[0]) * sympy.factorial(orders[1]) / values[1]
        return sympy.factor(scale * ratio), how, cited
    return _dominant(top, bottom, factor, domain) if to == sympy.oo else None


def _by_continuity(
    expression: sympy.Expr, variable: sympy.Symbol, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """The value at 0, if nothing is divided by there that may be 0, and all functions are entire."""
    moving = [node for node in sympy.preorder_traversal(expression) if node.has(variable)]
    if not all(_is_continuous_at_zero(node, variable, domain) for node in moving):
        return None
    return sympy.factor(with_ones(expression.subs(variable, 0))), "by continuity", ()


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
        return _apart_from_zero(node.base.subs(variable, 0), domain, either=bool(node.exp.is_Integer))
    if isinstance(node, sympy.hyper):
        return len(node.ap) <= len(node.bq) and not any(a.has(variable) for a in (*node.ap, *node.bq))
    if isinstance(node, PairMean):
        return not any(a.has(variable) for a in node.args[:3])
    return node.is_Add or node.is_Mul or node.is_Symbol or isinstance(node, (sympy.Tuple, *ANALYTIC))


def _by_powers(
    expression: sympy.Expr, variable: sympy.Symbol, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """The limit at 0 of an elementary function, such as one of the best parameter of OPRF."""
    found = _limit_from_powers(sympy.together(expression.subs(variable, _T)), _T, (), domain)
    return None if found is None else (found, f"by powers of {variable}", ())


def _by_heads(
    expression: sympy.Expr, variable: sympy.Symbol, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """The limit at 0 where series in the square of the variable are multiplied, as in variances of rows of one length.

    Each series is its first terms and a bounded rest times the next power.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> wave = sympy.hyper((), (d / 2,), -d * z**2 / 4)
    >>> _by_heads((1 - wave**2) / z**2, z, Domain.of(claimed(z < d), ()))[0]
    1
    """
    series = {e for e in expression.atoms(sympy.hyper, sympy.exp) if e.has(variable)}
    heads = {e: _head_at_zero(e, variable, domain) for e in series}
    if None in heads.values():
        return None
    bounded = {e: sympy.Dummy() for e in series}
    replaced = {e: head + bounded[e] * variable ** (2 * LEADING) for e, head in heads.items() if head}
    inside = sympy.together(expression.xreplace(replaced).subs(variable, _T))
    found = _limit_from_powers(inside, _T, tuple(bounded.values()), domain)
    return None if found is None else (sympy.factor(found), "by the first terms of series", ())


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


def _far_by_vanishing(
    expression: sympy.Expr, variable: sympy.Symbol, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """The limit at infinity of a polynomial in waves and exponentials that all tend to 0.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> wave, over = sympy.hyper((), (d / 2,), -d * z**2 / 4), Domain.of(claimed(z < d), (d >= 2,))
    >>> _far_by_vanishing(wave**2 + d * sympy.exp(-(z**2)) + 1 / d, z, over)
    (1/d, 'of what waves and exponentials that tend to 0 leave', ())
    """
    moving = {e: sympy.Dummy() for e in expression.atoms(sympy.hyper, sympy.exp) if e.has(variable)}
    inside = expression.xreplace(moving)
    if inside.has(variable) or not inside.is_polynomial(*moving.values()):
        return None
    cited: list[str] = []
    for e in sorted(moving, key=sympy.default_sort_key):
        found = _limit_of_series(e, variable, sympy.oo, domain)
        if found is None or found[0] != 0:
            return None
        cited += found[2]
    left = sympy.factor(inside.xreplace(dict.fromkeys(moving.values(), S.Zero)))
    return left, "of what waves and exponentials that tend to 0 leave", tuple(dict.fromkeys(cited))


def _far_by_powers(
    expression: sympy.Expr, variable: sympy.Symbol, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """The limit at infinity of an algebraic function, such as the best parameter of OPRF.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), ())
    >>> _far_by_powers(sympy.sqrt(v**4 + d * v**2) - v**2, v, over)
    (d/2, 'by powers of 1/v', ())
    """
    found = _limit_free_of(expression, variable, (), domain)
    return None if found is None else (found, f"by powers of 1/{variable}", ())


def _limit_of_odd(
    expression: sympy.Expr, variable: sympy.Symbol, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """The limit at 0 of odd powers, as of mse/v: 0 if v times it, a series in v^2, tends to 0, and else infinite."""
    found = _limit_of_series(expression * variable, variable, S.Zero, domain)
    if found is None or found[0] == 0 or _infinite(found[0]):
        return found
    return _without_bound(*found, domain)


def _far_limit_of_odd(
    expression: sympy.Expr, variable: sympy.Symbol, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """The limit at infinity of odd powers: 0 if v times it stays bounded, infinite if it over v does not tend to 0."""
    if expression.xreplace({variable: -variable}) != -expression:
        return None
    found = _limit_of_series(expression * variable, variable, sympy.oo, domain)
    if found is not None and not _infinite(found[0]):
        return S.Zero, *found[1:]
    found = _limit_of_series(expression / variable, variable, sympy.oo, domain)
    if found is None or found[0] == 0 or _infinite(found[0]):
        return found if found and found[0] != 0 else None
    return _without_bound(*found, domain)


def _without_bound(
    value: sympy.Expr, how: str, cited: tuple[str, ...], domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """Infinity with the sign of what a growing quantity is a multiple of, if that is proved."""
    own, more = _sign_of(value, domain)
    return (_INFINITIES[own], how, tuple(dict.fromkeys((*cited, *more)))) if own else None


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
            own, cited = _sign_of(value, domain)
            return (n, value, cited) if own else None
    return None


def _sign_of(value: sympy.Expr, domain: Domain) -> tuple[str, tuple[str, ...]]:
    """Its sign where it has one on the whole domain, positive or negative, and what was cited; else an empty word."""
    own, cited = sign_by_bounds(value, domain)
    return (own, cited) if own in _INFINITIES else (_proved_sign(value, domain), ())


def _proved_sign(value: sympy.Expr, domain: Domain) -> str:
    signs = (("positive", value), ("negative", -value))
    return next((word for word, of in signs if _apart_from_zero(of, domain)), "")


_INFINITIES = {"positive": sympy.oo, "negative": -sympy.oo}
"""What a growing quantity with a factor of that sign tends to."""


_FASTEST = "by the fastest exponentials"


def _dominant(
    top: Series, bottom: Series, factor: sympy.Expr, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """As B grows: sum x_k B^k/k! = o(e^(cB)) if c > 0 and x_k/c^k tends to 0, as for frames and pairs of scale c."""
    if not all(has_dimensions(series, domain) for series in (top, bottom)):
        return None
    first, second = (_fastest(series, domain) for series in (top, bottom))
    if second is None or not _sign_of(second.weight, domain)[0]:
        return None
    if first is None:
        if _all_behind(top, factor, second, domain):
            return S.Zero, _FASTEST, second.cited
        most = _largest_scale(top)  # beside what it stays below, with weight 1
        bare = replace(top, terms={**top.terms, (Atom("exp", most), 0): S.One})
        found = None if (Atom("exp", most), 0) in top.terms else _dominant(bare, bottom, factor, domain)
        reached = found is not None and not _infinite(found[0])
        return (S.Zero, _FASTEST, found[2]) if found and reached else None
    own = factor.coeff(top.variable, 2)
    rest = sympy.exp(sympy.expand(factor - own * top.variable**2))
    return _of_quotient(first._replace(rate=first.rate + own), second, rest, domain)


def _of_quotient(
    first: _Exponential, second: _Exponential, rest: sympy.Expr, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """The limit of the quotient of two exponentials, with a factor that is positive and stays as it is."""
    order = _order(first.rate - second.rate, first.power - second.power, domain)
    cited = tuple(dict.fromkeys((*first.cited, *second.cited)))
    if order == "negative":
        return S.Zero, _FASTEST, cited
    if order == "positive":
        known = all(_sign_of(side.weight, domain)[0] for side in (first, second))
        return (_infinity(first.weight, second.weight, domain), _FASTEST, cited) if known else None
    ratio = sympy.factor(first.weight / second.weight)
    return (ratio * rest, _FASTEST, cited) if order == "zero" else None


def _far_by_rates(
    expression: sympy.Expr, variable: sympy.Symbol, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    """The limit at infinity of a quotient of sums of c^d d^p, as errors of GERF are in many dimensions.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), (v > 0,))
    >>> _far_by_rates(v * 2**d / 3 ** (d / 2) - d**9, d, over), _far_by_rates(d**v * sympy.exp(-d), d, over)
    ((oo, 'by the fastest exponentials', ()), (0, 'by the fastest exponentials', ()))
    """
    sides = (_largest(side, variable, domain) for side in sympy.fraction(sympy.together(expression)))
    first, second = sides
    if first is None or second is None or not _sign_of(second.weight, domain)[0]:
        return None
    return _of_quotient(first, second, S.One, domain)


def _largest(side: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> _Exponential | None:
    """The term c^d d^p of a sum that is proved to outgrow all others."""
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
    weight, moving = term.as_independent(variable, as_Add=False)
    rate, power = S.Zero, S.Zero
    for factor in sympy.Mul.make_args(moving):
        base, exponent = factor.as_base_exp()
        slope = derivative(exponent, variable)
        if base == variable and slope == 0:
            power += exponent
        elif not base.has(variable) and not slope.has(variable) and sign(base, domain) == "positive":
            rate += slope * sympy.log(base)
            weight *= base ** sympy.expand(exponent - slope * variable)
        elif factor != 1:
            return None
    return _Exponential(rate, power, weight)


class _Exponential(NamedTuple):
    """weight B^power exp(rate B), B the variable or its square; of a frame for large B, and what is cited for it."""

    rate: sympy.Expr
    power: sympy.Expr | int
    weight: sympy.Expr
    frame: Atom | None = None
    cited: tuple[str, ...] = ()


def _order(rate: sympy.Expr, power: sympy.Expr | int, domain: Domain) -> Sign | None:
    """The sign of a rate, or of a power where the rate is 0."""
    own = sign(sympy.factor(rate), domain)
    return sign(sympy.sympify(power), domain) if own == "zero" else own


def _infinity(over: sympy.Expr, under: sympy.Expr, domain: Domain) -> sympy.Expr:
    """Infinity with the sign of a quotient of which neither side is 0 anywhere."""
    signs = {_sign_of(side, domain)[0] for side in (over, under)}
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
    return alike and larger and apart and atom.kind == "pair" and atom.norms == "independent"


def _stays_below(atom: Atom, rate: sympy.Expr, domain: Domain) -> bool:
    """Whether it is o(e^(rate B)). Waves are means of cosines, at most 1: they tend to 0, but not exponentially."""
    if not atom.scale.is_number:
        return False
    if in_order(atom.scale, S.Zero, strict=True):
        is_cosine = atom.kind == "bessel" and not at_least_zero(sign(atom.d - 2, domain))  # of rows +-1
        own = sign(rate, domain)
        return own == "positive" or (at_least_zero(own) and not is_cosine)
    small = atom.kind in ("frame", "bessel") or atom.norms == "antimonotone" or _at_most(atom.cosine, domain)
    return small and at_least_zero(sign(rate - atom.scale, domain))


def _at_most(cosine: sympy.Expr, domain: Domain) -> bool:
    """Whether the cosine is at most 0: with independent norms such pairs stay below frames."""
    return sign(cosine, domain) in ("zero", "negative", "nonpositive")


# ---- expansions in 1/d -------------------------------------------------------------------------------


def _limit_in_dimension(
    expression: sympy.Expr, d: sympy.Symbol, domain: Domain
) -> tuple[sympy.Expr, str, tuple[str, ...]] | None:
    for form, rests, assumes in expansions(expression, d):
        if (found := _limit_free_of(form, d, rests, domain)) is not None:
            return found, f"by the expansion in 1/{d}", assumes
    return None


def _limit_free_of(
    form: sympy.Expr, d: sympy.Symbol, rests: tuple[sympy.Symbol, ...], domain: Domain
) -> sympy.Expr | None:
    """The limit for d to infinity at every point, if bounded remainders without a limit have no part in it."""
    return _limit_from_powers(sympy.together(form.subs(d, 1 / _T)), _T, rests, domain)


def _limit_from_powers(
    inside: sympy.Expr, t: sympy.Symbol, rests: tuple[sympy.Symbol, ...], domain: Domain
) -> sympy.Expr | None:
    """The limit as t falls to 0, by powers of t."""
    powers = powers_at_zero(inside, t) if _uniform(inside, t, domain) else None
    for power, raw in sorted((powers or {}).items()):
        coefficient = S.Zero if vanishes(raw) else simplified(raw)
        if coefficient == 0:
            continue
        if set(rests) & coefficient.free_symbols:
            return None
        if power.is_negative:
            if (own := _proved_sign(coefficient, domain)) in _INFINITIES:
                return _INFINITIES[own]
            return _unsigned(coefficient) if _not_zero(coefficient, domain) else None
        return coefficient if power == 0 else S.Zero
    return None if powers is None else S.Zero


def _uniform(inside: sympy.Expr, t: sympy.Symbol, domain: Domain) -> bool:
    """Whether one series in t holds at every point of the domain: d v/(d v + 1) tends to 1, but at v = 0 to 0.

    What is divided by, and what has a root or a logarithm, must have a leading coefficient that is nowhere 0. Integrals
    and sums have no series of their terms: that of t/(u^2 + t^2) over u from 0 to 1 tends to pi/2.
    """
    return all(_keeps_its_order(node, t, domain) for node in sympy.preorder_traversal(inside) if node.has(t))


def _keeps_its_order(node: sympy.Basic, t: sympy.Symbol, domain: Domain) -> bool:
    if isinstance(node, sympy.Pow):
        if node.exp.is_Integer and node.exp.is_nonnegative:
            return True
        return _apart_from_zero(_first(node.base, t), domain, either=bool(node.exp.is_Integer))
    if isinstance(node, sympy.log):
        return _apart_from_zero(_first(node.args[0], t), domain)
    return node.is_Add or node.is_Mul or node.is_Symbol or isinstance(node, ANALYTIC)


def _first(expression: sympy.Expr, t: sympy.Symbol) -> sympy.Expr | None:
    """The coefficient of the lowest power of t, among those up to t^3; None if it is not found."""
    for shift in range(4):
        powers = powers_at_zero(sympy.expand(expression / t**shift), t)
        for _, raw in sorted((powers or {}).items()):
            if (coefficient := simplified(raw)) != 0:
                return coefficient
    return None


def _apart_from_zero(expression: sympy.Expr | None, domain: Domain, either: bool = False) -> bool:
    """Whether it is proved positive on the whole domain, or negative if ``either`` sign will do, and nothing cited."""
    if expression is None:
        return False
    relations = (sympy.StrictGreaterThan, sympy.StrictLessThan)[: 2 if either else 1]
    return any(uncited(r(expression, 0, evaluate=False), domain, BY_SIGNS) is not None for r in relations)


def _unsigned(coefficient: sympy.Expr) -> sympy.Expr:
    """Infinity with the sign of the coefficient, which is 0 somewhere for all that is known."""
    return sympy.Mul(sympy.oo, sympy.sign(coefficient, evaluate=False), evaluate=False)


# ---- orders of growth --------------------------------------------------------------------------------


class _Rest(NamedTuple):
    """What a rest over its order tends to, how that is known, what it assumes, and whether it is the limit itself.

    Otherwise something that is only bounded remains beside it.
    """

    value: sympy.Expr
    how: str
    assumes: tuple[str, ...]
    settled: bool = True


def _by_growth(part: sympy.core.relational.Relational, domain: Domain) -> Proof | None:
    asked = asked_of(part, domain)
    if asked is None or not reaches(domain, *asked[1:]):
        return None
    proof = _of_ratio(part, *asked, domain)
    if proof is None or proof.refutes:
        return proof
    known = _is_above_zero(part, domain) if isinstance(part, STRICT) else _has_an_order(*asked[:2], domain)
    return proof if known else None


def by_lost_order(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Refute an order of growth that is 0 at the values that the domain settles, where the rest is not.

    Examples
    --------
    >>> from rftheory.statement.words import O, equal
    >>> claim = equal(z * v + v**2, z * v * (1 + O(v)))
    >>> by_lost_order(claim.parts[0], Domain.of(claim, (z <= 0,))).says
    'the order is 0, but the rest over v**2 tends to 1'
    """
    found = _rest_and_order(part, domain) if part.has(Growth) else None
    if found is None or not reaches(domain, *found[2:]):
        return None
    rest, order, variable, to = found
    settled = {s: span.low for s, span in domain.spans.items() if s != variable and span.low == span.high}
    if sympy.expand(order.subs(settled)) != 0:
        return None
    for power in (n if to == 0 else -n for n in range(LEADING)):
        over = variable**power
        tends = limit_of(rest.subs(settled) / over, variable, to, domain)
        if tends is None:
            return None
        if tends[0] != 0:
            says = f"the order is 0, but the rest over {over} tends to {tends[0]}"
            if isinstance(part, ORDERINGS):
                certain = tends[0] == sympy.oo or _sign_of(tends[0], domain)[0] == "positive"
            else:
                certain = _infinite(tends[0]) or bool(_not_zero(tends[0], domain))
            return Proof(Kind.DERIVED, says, "domain", tends[2], True) if certain else None
    if isinstance(part, STRICT) and vanishes(rest.subs(settled)):
        return Proof(Kind.DERIVED, "the order is 0, and so is the rest", refutes=True)
    return None


def _has_an_order(ratio: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> bool:
    """Whether the order of growth is 0 only where the rest is, not as b v O(v) is for b = 0."""
    under = sympy.fraction(sympy.factor(ratio))[1]
    return _apart_from_zero(under.as_independent(variable, as_Add=False)[0], domain, either=True)


def _is_above_zero(part: sympy.core.relational.Relational, domain: Domain) -> bool:
    """Whether the order of growth of an ordering is > 0, so that one side is below the other one by a larger constant.

    Examples
    --------
    >>> from rftheory.statement.words import O, claimed, d
    >>> claim = claimed(v < v + v * O(1 / d))
    >>> [_is_above_zero(claim.parts[0], Domain.of(claim, over)) for over in ((), (v > 0,))]
    [False, True]
    """
    found = _rest_and_order(part, domain)
    return found is not None and _apart_from_zero(found[1], _near(found[2], domain))


def _near(variable: sympy.Symbol, domain: Domain) -> Domain:
    """The domain without the limit, where the variable is real and its range begins there."""
    span = domain.spans.get(variable)
    return domain if span is None else domain.with_span(variable, replace(span, low_open=not span.integer))


def _of_ratio(
    part: sympy.core.relational.Relational, ratio: sympy.Expr, variable: sympy.Symbol, to: sympy.Expr, domain: Domain
) -> Proof | None:  # fmt: skip
    if not variable.is_integer:
        found = limit_of(ratio, variable, to, domain)
        return None if found is None else _judged(part, _Rest(*found), variable, to, domain)
    rests = (_growth_of(expansion, variable, domain) for expansion in expansions(ratio, variable))
    proofs = (_judged(part, rest, variable, to, domain) for rest in rests if rest is not None)
    return next((proof for proof in proofs if proof is not None), None)


def _growth_of(expansion: Expansion, variable: sympy.Symbol, domain: Domain) -> _Rest | None:
    form, rests, assumes = expansion
    if not _finite_everywhere(form, variable, domain):
        return None
    bounded = _limit_free_of(form.subs(dict.fromkeys(rests, 0)), variable, (), domain)
    if bounded is None:
        return None
    factors = (_limit_free_of(derivative(form, r), variable, rests, domain) for r in rests)
    known = list(takewhile(lambda limit: limit is not None and not limit.has(sympy.oo, -sympy.oo), factors))
    if len(known) < len(rests):
        exact = _limit_free_of(form, variable, rests, domain)
        if exact is None or not exact.has(sympy.oo, -sympy.oo):
            return None
        bounded, known = exact, []
    return _Rest(bounded, f"by the expansion in 1/{variable}", assumes, all(one == 0 for one in known))


def _finite_everywhere(form: sympy.Expr, d: sympy.Symbol, domain: Domain) -> bool:
    """Whether nothing free of d is divided by that may be 0 in the domain, as v is by 1/d = v O(1/d)."""
    divisors = (p.base for p in form.atoms(sympy.Pow) if not p.exp.is_nonnegative and not p.has(d))
    return all(_apart_from_zero(base, domain, either=True) for base in divisors)


def _judged(
    part: sympy.core.relational.Relational, rest: _Rest, variable: sympy.Symbol, to: sympy.Expr, domain: Domain
) -> Proof | None:  # fmt: skip
    infinite, ordering = _infinite(rest.value), not isinstance(part, sympy.Eq)
    if infinite and ordering and not (rest.value in (sympy.oo, -sympy.oo) and _has_a_sign(part, domain)):
        return None  # it may differ from place to place
    found = f"tends to {rest.value}" if rest.settled or infinite else "stays bounded"
    found = "is unbounded" if rest.value.has(sympy.sign) else found
    says = f"the rest over its order {found} as {variable} -> {to}, {rest.how}"
    refutes = rest.value == sympy.oo if ordering else infinite
    return Proof(Kind.DERIVED, says, assumes=rest.assumes, refutes=refutes)


@lru_cache(maxsize=128)
def _rest_and_order(
    part: sympy.core.relational.Relational, domain: Domain
) -> tuple[sympy.Expr, sympy.Expr, sympy.Symbol, sympy.Expr] | None:
    """The rest, its order, and the limit of what; for an ordering by how much the smaller side is above the other one.

    The order is then at least 0, unless it has no sign that is proved: only a bounded rest tells something then.
    """
    ordering, growths = isinstance(part, ORDERINGS), list(part.atoms(Growth))
    left, right = (part.lts, part.gts) if ordering else sorted(part.args, key=lambda side: side.has(Growth))
    if isinstance(part, sympy.Ne) or len(growths) != 1 or (left.has(Growth) and right.has(Growth)):
        return None
    side, (growth,) = (right if right.has(Growth) else left), growths
    opened = sympy.expand(side)
    beside, factor = opened.subs(growth, 0), opened.coeff(growth, 1)
    place = _where(growth.args[0])
    if sympy.expand(opened - beside - factor * growth) != 0 or factor == 0 or place is None:
        return None
    lower, upper = (left, beside) if side is right else (beside, right)
    rest, order = reduced(lower, domain) - reduced(upper, domain), reduced(factor, domain) * growth.args[0]
    if not ordering:
        return rest, order, *place
    near = _near(place[0], domain)
    for relation, turned in ((sympy.GreaterThan, order), (sympy.LessThan, -order)):
        if uncited(relation(factor * growth.args[0], 0, evaluate=False), near) is not None:
            return rest, turned, *place
    return rest, order, *place


def _has_a_sign(part: sympy.core.relational.Relational, domain: Domain) -> bool:
    """Whether the order of growth is at least 0 as it is counted."""
    if (found := _rest_and_order(part, domain)) is None:
        return False
    above = sympy.GreaterThan(found[1], 0, evaluate=False)
    return uncited(above, _near(found[2], domain)) is not None


def _where(scale: sympy.Expr) -> tuple[sympy.Symbol, sympy.Expr] | None:
    """The variable and its limit: d to infinity for O(1/d); v to 0 for O(v), to infinity for O(1/v) and O(exp(-v))."""
    if len(scale.free_symbols) != 1:
        return None
    (variable,) = scale.free_symbols
    scale = scale.as_independent(variable, as_Add=False)[1]
    if variable.is_integer:
        return variable, sympy.oo
    base, exponent = scale.as_base_exp()
    if base == sympy.E and exponent.is_polynomial(variable) and sympy.LC(exponent, variable).is_negative:
        return variable, sympy.oo
    if base != variable or not exponent.is_number:
        return None
    return variable, S.Zero if exponent.is_positive else sympy.oo
