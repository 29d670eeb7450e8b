"""Relations of limits, and relations up to a rest of some order of growth."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

import sympy
from sympy import S
from sympy.core.relational import Relational

from rftheory.errors import RFTheoryError
from rftheory.exact.derivative import derivative
from rftheory.exact.order import in_order
from rftheory.exact.substitution import with_values
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.exact.vanishing import vanishes
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import Growth
from rftheory.statement.averages import seen_through
from rftheory.statement.domain import Domain, Span, corners
from rftheory.statement.pointwise import decide, in_point
from rftheory.statement.provers.dimension import Expansion, expansions
from rftheory.statement.provers.identity import by_identity
from rftheory.statement.provers.limits import (
    LEADING,
    Limit,
    apart_from_zero,
    infinite,
    limit_free_of,
    limit_of,
    not_zero,
    sign_of,
)
from rftheory.statement.provers.powers import HYPERBOLIC
from rftheory.statement.provers.proof import DOES_NOT_APPLY, Proof, above_zero, prove, proved, uncited
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.signs import sign
from rftheory.statement.words import LimitOf, atoms_of, limits_of, substituted


def by_expansion(part: sympy.Basic, domain: Domain) -> Proof | None:
    """A relation of a limit, or one with O(...), from expansions with a bounded remainder.

    An ordering holds up to a rest of some order if the equation does, or if the rest tends to infinity on its side.

    Examples
    --------
    >>> from rftheory.statement.words import O, conformity, d, exp, limit, orthogonal, v
    >>> claim = conformity(orthogonal) == exp(v**2) * (1 + O(1 / d))
    >>> by_expansion(claim.parts[0], Domain.of(claim, ())).refutes
    False
    >>> wrong = conformity(orthogonal) == exp(v**2) * (1 + O(1 / d**2))
    >>> by_expansion(wrong.parts[0], Domain.of(wrong, ())).refutes
    True
    """
    if not isinstance(part, Relational):
        return None
    if (sides := halves(part, domain)) is not None:
        return _from_all_sides(sides)
    if part.has(Growth):
        return _by_growth(part, far_out(part, domain))
    limits = limits_of(part)
    if len(limits) == 2:
        return _by_two_limits(part, domain)
    return _by_limit(part, domain) if limits else None


def by_size(part: sympy.Basic, domain: Domain) -> Proof | None:
    """That the size of a side is at most of some order, as the equation says.

    Examples
    --------
    >>> from rftheory.statement.words import O, conformity, d, exp, orthogonal, v
    >>> claims = [abs(conformity(orthogonal) - exp(v**2)) <= O(1 / d**n) for n in (1, 2)]
    >>> [by_size(claim.parts[0], Domain.of(claim, ())).refutes for claim in claims]
    [False, True]
    """
    if not isinstance(part, (sympy.Le, sympy.Ge)) or not isinstance(part.lts, sympy.Abs):
        return None
    if part.lts.has(Growth) or _without_rests(part.gts) != 0:
        return None
    return prove(sympy.Eq(part.lts.args[0], part.gts, evaluate=False), domain)


def _without_rests(part: sympy.Basic) -> sympy.Basic:
    """A relation or a side with 0 for each rest of some order."""
    return substituted(part, dict.fromkeys(part.atoms(Growth), S.Zero))


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
    found = proved(_without_rests(part), domain)
    return None if found is None else replace(found, says=f"also without the rest: {found.says}")


def halves(part: Relational, domain: Domain) -> tuple[tuple[sympy.Basic, Domain], ...] | None:
    """The same for the distance to a number that a variable tends to, from each side on which the domain has points.

    None if that is how it stands already, from above to 0. Two limits are left alone, and an ordering of a limit: on
    each side it may hold of another limit.

    Examples
    --------
    >>> from rftheory.statement.words import O, equal, limit, v
    >>> x = sympy.Symbol("x", real=True)
    >>> claims = equal(abs(x), x + O(x**2)), limit(1 / v, v, 1) == 1
    >>> [str(half) for claim in claims for half, _ in halves(claim.parts[0], Domain.of(claim, ()))]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['Eq(x, x + O(x**2))', 'Eq(x, -x + O(x**2))', 'Eq(limit(1/((v - 1) + 1), (v - 1) -> 0), 1)',
     'Eq(limit(1/(1 - (1 - v)), (1 - v) -> 0), 1)']
    """
    places = [_where(growth.args[0]) for growth in part.atoms(Growth)]
    limits = [side.args[1:] for side in limits_of(part)]
    places += limits
    if len(set(places)) != 1 or places[0] is None or len(limits) > 1:
        return None
    variable, to = places[0]
    near = {way: _near_a_place(way, variable, domain) for way in _ways_to(variable, to, domain)}
    ways = [
        way for way, there in near.items() if not any(_fails_near(r, way, there) for r in there.relations)
    ]
    if not ways or any(way.distance in domain.spans for way in ways):
        return None
    if limits and (variable in _free_in(part, domain) or not isinstance(part, sympy.Eq)):
        return None
    return tuple(
        (part.func(*(_moved(side, variable, way, domain) for side in part.args), evaluate=False), near[way])
        for way in ways
    )


class _Way(NamedTuple):
    """A positive variable that falls to 0 or grows, where it lies, and what the old one is in terms of it."""

    distance: sympy.Symbol
    span: Span
    value: sympy.Expr
    to: sympy.Expr = S.Zero


def _ways_to(variable: sympy.Symbol, to: sympy.Expr, domain: Domain) -> tuple[_Way, ...]:
    """The ways to a place from inside the domain, above first; none for the places where limits are found as they are.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> over = Domain.of(claimed(v < 9), (v >= 1, v <= 3))
    >>> [[str(way.value) for way in _ways_to(v, sympy.Integer(to), over)] for to in (0, 1, 2, 4)]
    [[], ['(v - 1) + 1'], ['(v - 2) + 2', '2 - (2 - v)'], []]
    """
    span = domain.spans.get(variable)
    if span is None or variable.is_integer or not to.is_number:
        return ()
    if to is S.NegativeInfinity:
        far = sympy.Symbol(f"(-{variable})", positive=True)
        low = -span.high if in_order(span.high, S.Zero, strict=True) else S.Zero
        return (_Way(far, Span(low, -span.low, True, True), -far, S.Infinity),)
    if to.is_infinite or (to == 0 and span.low == 0):
        return ()
    above, below = (
        sympy.Symbol(variable.name if to == 0 else f"({one})", positive=True)
        for one in (variable - to, to - variable)
    )
    inside = [in_order(span.low, to, strict=False), in_order(to, span.high, strict=False)]
    apart = [in_order(to, span.high, strict=True), in_order(span.low, to, strict=True)]
    if None in apart or not all(inside):
        return ()
    ways = (
        _Way(above, Span(S.Zero, span.high - to, True, span.high_open), to + above),
        _Way(below, Span(S.Zero, to - span.low, True, span.low_open), to - below),
    )
    return tuple(way for way, there in zip(ways, apart, strict=True) if there)


def _near_a_place(way: _Way, variable: sympy.Symbol, domain: Domain) -> Domain:
    """The domain in terms of the distance."""
    rest = {s: one for s, one in domain.spans.items() if s != variable}
    relations = tuple(relation.xreplace({variable: way.value}) for relation in domain.relations)
    return replace(domain, spans={**rest, way.distance: way.span}, relations=relations)


def _fails_near(relation: sympy.Basic, way: _Way, near: Domain) -> bool:
    """Whether a condition leaves no points on that side, whatever the other variables are."""
    against = sympy.Not(relation)
    return against == sympy.true or (
        relation.has(way.distance) and _holds_near(against, way.distance, way.to, near)
    )


def _moved(side: sympy.Expr, variable: sympy.Symbol, way: _Way, domain: Domain) -> sympy.Expr:
    """A side in terms of the distance."""
    own = {variable: way.value}
    if isinstance(side, LimitOf):
        return LimitOf(reduced(side.args[0], domain).xreplace(own), way.distance, way.to)
    return side.xreplace(own)


def _from_all_sides(sides: tuple[tuple[sympy.Basic, Domain], ...]) -> Proof | None:
    """A refutation from one side, or the proofs from all."""
    found = [by_expansion(*half) for half in sides]
    if len(found) == 1:
        return found[0]
    above, below = (
        one and replace(one, says=f"from {where}: {one.says}")
        for where, one in zip(("above", "below"), found, strict=True)
    )
    if above is None or below is None or above.refutes or below.refutes:
        return next((one for one in (above, below) if one is not None and one.refutes), None)
    return above.resting_on(below, says=f"{above.says}; {below.says}")


def far_out(part: sympy.Basic, domain: Domain) -> Domain:
    """The domain where d is at least any number of rows that does not depend on it: as d grows, the others are fixed.

    Examples
    --------
    >>> from rftheory.statement.words import d, limit, m, mse, orthogonal, positive, v, z
    >>> claim = limit(d * mse(positive(orthogonal, m=m)), d, sympy.oo) == v * z
    >>> print(far_out(claim.parts[0], Domain.of(claim, ())))
    d >= 1, m >= 1, v >= 0, z >= 0, m <= d
    """
    places = {side.args[1] for side in limits_of(part) if side.args[2] == sympy.oo}
    places -= _free_in(part, domain)  # beside the limit it takes all values
    places |= {place[0] for g in part.atoms(Growth) if (place := _where(g.args[0])) and place[1] == sympy.oo}
    sizes = [law.numbers[:2] for law in atoms_of(seen_through([part]))]
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
    if not isinstance(part, Relational):
        return None
    if part.has(Growth):
        found = _rest_and_order(part, domain)
        if found is None:
            return None
        ratio = S.Zero if found.order == 0 and vanishes(found.rest) else found.rest / found.order
        return (ratio, found.variable, found.to) if _has_values(ratio) else None
    limits = limits_of(part)
    if len(limits) != 1:
        return None
    expression, variable, to = limits[0].args
    expression = reduced(expression, domain)
    return (expression, variable, to) if _has_values(expression) else None


def _has_values(expression: sympy.Expr) -> bool:
    """Whether nothing in it lacks a real value, as 1/z and sqrt(z - 1) do with z = 0 put in, or i v for some v."""
    parts = (node for node in sympy.preorder_traversal(expression) if isinstance(node, sympy.Expr))
    return not expression.has(S.NaN) and not any(node.is_extended_real is False for node in parts)


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
    """Whether an ordering of polynomials is proved for all values near the limit, at fixed values of the others.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> over = Domain.of(claimed(v < 9), ())
    >>> [_holds_near(relation, v, S.Zero, over) for relation in (4 * v - v**2 >= 0, v**2 - v > 0)]
    [True, False]
    """
    if not isinstance(relation, ORDERINGS):
        return False
    above = sympy.expand(relation.gts - relation.lts)
    if not above.is_polynomial(variable):
        return False
    by_power = sympy.Poly(above, variable)
    end = by_power.LC() if to == sympy.oo else by_power.EC()
    return sign(end, Domain(domain.spans)) == "positive"


# ---- limits ------------------------------------------------------------------------------------------


def _by_limit(part: Relational, domain: Domain) -> Proof | None:
    if (found := limit_in(part, domain)) is None:
        return None
    says = f"the limit is {_limit_in_words(found.value)}, {found.how}"
    return of_limit(part, found.value, says, found.cited, domain)


def _by_two_limits(part: Relational, domain: Domain) -> Proof | None:
    """With the value of the second one in its place.

    Examples
    --------
    >>> from rftheory.statement.words import limit, v, z
    >>> one, other = limit(sympy.exp(-z), z, sympy.oo), limit((sympy.exp(v**2) - 1) / v**2, v, S.Zero)
    >>> [_by_two_limits(claim.parts[0], Domain.of(claim, ())).refutes for claim in (one < other, one == other)]
    [False, True]
    """
    first, second = part.args
    found = limit_in(part.func(S.Zero, second, evaluate=False), domain)
    if found is None or found.value.has(sympy.sign):
        return None
    rest = by_expansion(part.func(first, found.value, evaluate=False), domain)
    return rest and replace(
        rest, says=f"{rest.says}; the other limit is {found.value}, {found.how}",
        assumes=tuple(dict.fromkeys((*found.cited, *rest.assumes))),
    )  # fmt: skip


def limit_in(part: Relational, domain: Domain) -> Limit | None:
    """The one limit in a relation; None if it is not found.

    Examples
    --------
    >>> from rftheory.statement.words import iid, d, limit, m, mse, orthogonal, trigonometric, z
    >>> gain = mse(trigonometric(iid, m=m)) - mse(trigonometric(orthogonal, m=m))
    >>> claim = limit(d * gain, d, sympy.oo) == 0
    >>> limit_in(claim.parts[0], Domain.of(claim, ())).value
    z**4*(m - 1)*exp(-z**2)/(2*m)
    """
    side = limits_of(part)[0]
    if (sides := halves(sympy.Eq(side, S.Zero, evaluate=False), domain)) is not None:
        found = [limit_in(*half) for half in sides]
        return found[0] if len({one and one.value for one in found}) == 1 else None
    apart, near = _bound_apart(part, domain)
    near = far_out(apart, near)
    asked = asked_of(apart, near)
    if asked is None or not reaches(near, *asked[1:]):
        return None
    return limit_of(*asked, near)


def _limit_in_words(value: sympy.Expr) -> str:
    """A limit, of an infinite one whose sign is open what it has the sign of.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> _limit_in_words(sympy.Mul(S.Infinity, sympy.sign(x - 1), evaluate=False)), _limit_in_words(1 / x)
    ('infinite, with the sign of x - 1', '1/x')
    """
    if isinstance(value, sympy.Mul) and value.args[0] is S.Infinity and len(value.args) == 2:
        of = value.args[1]
        if isinstance(of, sympy.sign):
            return f"infinite, with the sign of {of.args[0]}"
    return str(value)


def of_limit(
    part: Relational, value: sympy.Expr, says: str, assumes: tuple[str, ...],
    domain: Domain,
) -> Proof | None:  # fmt: skip
    """The proof, or the refutation, of a relation whose one side is a limit that is known.

    Examples
    --------
    >>> from rftheory.statement.words import limit, v
    >>> claim = limit(sympy.exp(-v), v, sympy.oo) == sympy.exp(-v)
    >>> of_limit(claim.parts[0], S.Zero, "it is 0", (), Domain.of(claim, ())).says
    'it is 0; it differs at v = 1/2'
    """
    claimed = reduced(part.rhs if isinstance(part.lhs, LimitOf) else part.lhs, domain)
    if not _has_values(claimed):
        return None
    if not isinstance(part, sympy.Eq):
        if value.has(sympy.sign):
            return None
        if infinite(value) and claimed.is_finite is not False:
            claimed = S.Zero
        sides = (value, claimed) if isinstance(part.lhs, LimitOf) else (claimed, value)
        return _compared(part.func, sides, says, assumes, domain)
    if {value, claimed} <= {sympy.oo, -sympy.oo}:
        return Proof(Kind.DERIVED, says, "domain", assumes, refutes=value != claimed)
    if infinite(value) and infinite(claimed):
        return None
    if infinite(value) or infinite(claimed):
        return Proof(Kind.DERIVED, says, "domain", assumes, True)
    if value == claimed or by_identity(sympy.Eq(value, claimed, evaluate=False), domain) is not None:
        return Proof(Kind.DERIVED, says, assumes=assumes)
    where = not_zero(value - claimed, domain)
    return Proof(Kind.DERIVED, f"{says}; it differs {where}", "domain", assumes, True) if where else None


def _bound_apart(part: Relational, domain: Domain) -> tuple[Relational, Domain]:
    """With another letter for the integer that a limit binds, if the same one is free on the other side.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, limit
    >>> claim = limit(1 / d, d, sympy.oo) <= 1 / d
    >>> apart, near = _bound_apart(claim.parts[0], Domain.of(claim, (d >= 3,)))
    >>> print(apart, "over", near)
    limit(1/d', d' -> oo) <= 1/d over d >= 3, d' >= 3
    """
    side = limits_of(part)[0]
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
    kind: type[Relational], sides: tuple[sympy.Expr, sympy.Expr], says: str,
    assumes: tuple[str, ...], domain: Domain,
) -> Proof | None:  # fmt: skip
    """The proof, or the refutation, of an ordering of a limit and what it is compared with.

    Examples
    --------
    >>> from rftheory.statement.words import limit, m, v
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


# ---- orders of growth --------------------------------------------------------------------------------


def _by_growth(part: Relational, domain: Domain) -> Proof | None:
    asked, counted = asked_of(part, domain), _rest_and_order(part, domain)
    if asked is None or counted is None or not reaches(domain, *asked[1:]):
        return None
    proof = _of_ratio(part, *asked, domain)
    if proof is None or proof.refutes:
        return proof
    if isinstance(part, STRICT):  # one side is below the other one by a larger constant
        known = apart_from_zero(counted.order, _near(counted.variable, domain))
    else:
        known = counted.order.free_symbols == {counted.variable} or _has_an_order(*asked[:2], domain)
    return proof if known else None


def by_lost_order(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Refute an order of growth that is 0 at the values that the domain settles, where the rest is not.

    Examples
    --------
    >>> from rftheory.statement.words import O, equal, v, z
    >>> claim = equal(z * v + v**2, z * v * (1 + O(v)))
    >>> by_lost_order(claim.parts[0], Domain.of(claim, (z <= 0,))).says
    'the order is 0, but the rest over v**2 tends to 1'
    """
    if not part.has(Growth):
        return None
    if (sides := halves(part, domain)) is not None:
        return next(filter(None, (by_lost_order(*half) for half in sides)), None)
    found = _rest_and_order(part, domain)
    if found is None or not reaches(domain, found.variable, found.to):
        return None
    rest, order, variable, to, _ = found
    settled = {s: span.low for s, span in domain.spans.items() if s != variable and span.low == span.high}
    if sympy.expand(order.subs(settled)) != 0:
        return None
    for power in (n if to == 0 else -n for n in range(LEADING)):
        over = variable**power
        tends = limit_of(rest.subs(settled) / over, variable, to, domain)
        if tends is None:
            return None
        if (value := tends.value) != 0:
            says = f"the order is 0, but the rest over {over} tends to {value}"
            if isinstance(part, ORDERINGS):
                certain = value == sympy.oo or sign_of(value, domain)[0] == "positive"
            else:
                certain = infinite(value) or bool(not_zero(value, domain))
            return Proof(Kind.DERIVED, says, "domain", tends.cited, True) if certain else None
    if isinstance(part, STRICT) and vanishes(rest.subs(settled)):
        return Proof(Kind.DERIVED, "the order is 0, and so is the rest", refutes=True)
    return None


def _has_an_order(ratio: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> bool:
    """Whether the order of growth is 0 only where the rest is, not as b v O(v) is for b = 0."""
    under = sympy.fraction(sympy.factor(ratio))[1]
    return apart_from_zero(under.as_independent(variable, as_Add=False)[0], domain, either=True)


def _near(variable: sympy.Symbol, domain: Domain) -> Domain:
    """The domain without the limit, where the variable is real and its range begins there."""
    span = domain.spans.get(variable)
    return domain if span is None else domain.with_span(variable, replace(span, low_open=not span.integer))


def _of_ratio(
    part: Relational, ratio: sympy.Expr, variable: sympy.Symbol, to: sympy.Expr, domain: Domain
) -> Proof | None:  # fmt: skip
    if not variable.is_integer:
        found = limit_of(ratio, variable, to, domain)
        return None if found is None else _judged(part, found, variable, to, domain)
    written = ratio.rewrite(HYPERBOLIC, sympy.exp)
    rests = (_growth_of(expansion, variable, domain) for expansion in expansions(written, variable))
    proofs = (_judged(part, rest, variable, to, domain) for rest in rests if rest is not None)
    return next((proof for proof in proofs if proof is not None), None)


def _growth_of(expansion: Expansion, variable: sympy.Symbol, domain: Domain) -> Limit | None:
    form, rests, assumes = expansion
    if not _finite_everywhere(form, variable, domain):
        return None
    bounded = limit_free_of(form.subs(dict.fromkeys(rests, 0)), variable, (), domain)
    if bounded is None:
        return None
    factors = (limit_free_of(derivative(form, r), variable, rests, domain) for r in rests)
    known = list(takewhile(lambda limit: limit is not None and not limit.has(sympy.oo, -sympy.oo), factors))
    if len(known) < len(rests):
        exact = limit_free_of(form, variable, rests, domain)
        if exact is None:
            return None
        bounded, known = exact, []
    return Limit(bounded, f"by the expansion in 1/{variable}", assumes, all(one == 0 for one in known))


def _finite_everywhere(form: sympy.Expr, d: sympy.Symbol, domain: Domain) -> bool:
    """Whether nothing free of d is divided by that may be 0 in the domain, as v is by 1/d = v O(1/d)."""
    divisors = (p.base for p in form.atoms(sympy.Pow) if not p.exp.is_nonnegative and not p.has(d))
    return all(apart_from_zero(base, domain, either=True) for base in divisors)


def _judged(
    part: Relational, rest: Limit, variable: sympy.Symbol, to: sympy.Expr, domain: Domain
) -> Proof | None:  # fmt: skip
    grows, ordering = infinite(rest.value), not isinstance(part, sympy.Eq)
    counted = _rest_and_order(part, domain)
    signed = counted is not None and counted.signed and rest.value in (sympy.oo, -sympy.oo)
    if grows and ordering and not signed:
        return None  # it may differ from place to place
    found = f"tends to {rest.value}" if rest.settled or grows else "stays bounded"
    found = "is unbounded" if rest.value.has(sympy.sign) else found
    says = f"the rest over its order {found} as {variable} -> {to}, {rest.how}"
    refutes = rest.value == sympy.oo if ordering else grows
    return Proof(Kind.DERIVED, says, assumes=rest.cited, refutes=refutes)


class _Counted(NamedTuple):
    """A rest and its order as a variable tends to a limit; ``signed`` if the order is proved to be at least 0.

    Of an ordering the rest is by how much the smaller side is above the other one; if its order has no sign that is
    proved, only a bounded rest tells something. Of several rests in one variable the order is the sum of their sizes.
    """

    rest: sympy.Expr
    order: sympy.Expr
    variable: sympy.Symbol
    to: sympy.Expr
    signed: bool


@lru_cache(maxsize=128)
def _rest_and_order(part: Relational, domain: Domain) -> _Counted | None:
    ordering, growths = isinstance(part, ORDERINGS), sorted(part.atoms(Growth), key=str)
    place, *others = {_where(growth.args[0]) for growth in growths}
    if isinstance(part, sympy.Ne) or limits_of(part) or place is None or others:
        return None
    variable, to = place
    sides = (part.lts, part.gts) if ordering else sorted(part.args, key=lambda side: side.has(Growth))
    lower, upper = (sympy.expand(side) if side.has(Growth) else side for side in sides)
    low, high = map(_without_rests, (lower, upper))
    factors = [upper.coeff(growth, 1) - lower.coeff(growth, 1) for growth in growths]
    added = sympy.Add(*(factor * growth for factor, growth in zip(factors, growths, strict=True)))
    if 0 in factors or sympy.expand(upper - high - (lower - low) - added) != 0:
        return None
    rest = reduced(low, domain) - reduced(high, domain)
    orders = [factor * growth.args[0] for factor, growth in zip(factors, growths, strict=True)]
    if ordering or len(orders) > 1:
        sizes = [_size(order, variable, domain) for order in orders]
        if None not in sizes:
            return _Counted(rest, sympy.Add(*sizes), variable, to, True)
    return _Counted(rest, reduced(orders[0], domain), variable, to, False) if len(orders) == 1 else None


def _size(order: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> sympy.Expr | None:
    """An order or minus it, whichever is at least 0; None if neither is proved."""
    near = _near(variable, domain)
    sizes = (one for one in (order, -order) if uncited(above_zero(one, strict=False), near) is not None)
    found = next(sizes, None)
    return None if found is None else reduced(found, domain)


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
