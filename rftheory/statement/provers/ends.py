"""Prove inequalities where they are hardest to satisfy: at an end of a range, or at a number between its ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy
from sympy import S

from rftheory.exact.derivative import derivative
from rftheory.exact.roots import critical_in
from rftheory.exact.symbols import v, z
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.exact.vanishing import vanishes
from rftheory.statement.atoms import PairCount, PairMean
from rftheory.statement.domain import Domain, end_in
from rftheory.statement.provers.continuous import continuous, on_the_line
from rftheory.statement.provers.identity import by_identity
from rftheory.statement.provers.limits import limit_of
from rftheory.statement.provers.order import BY_SIGNS, by_series
from rftheory.statement.provers.proof import (
    MORE_POINTS,
    Proof,
    Prover,
    above_zero,
    is_false_somewhere,
    prove,
    proved,
)
from rftheory.statement.provers.reduce import reduced, require_laws
from rftheory.statement.provers.regions import by_boxes
from rftheory.statement.provers.signs import at_least_zero, is_elementary, sign, sign_by_range
from rftheory.statement.words import Direction, is_pointwise

FEW = 2
"""The most variables of a difference whose limits at infinity are looked at: with more, that takes half a minute."""
DEEP = 4
"""So many derivatives are taken of elementary functions, one after the other."""
SHORT = 80
"""Of longer expressions, such as moments written out, derivatives and halves take too long."""
SPLITS = (S.Zero, S.One, S.NegativeOne, sympy.Integer(2), S.Half)
"""Where a range is split: where both sides are equal, or else at the first of these; also where a derivative is 0."""
POWERS = (1, 2, 4)
"""The powers of a norm by which a condition may be its end."""
TIMES, MOST_MOVING = 2, 2
"""How often a range is split, in expressions of so many variables."""


def by_ends(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality at the end of the range of a variable at which it is hardest to satisfy.

    Where it is hardest between the ends, at one of a few simple numbers, the range is split there.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, exp, iid, mse, positive, trigonometric
    >>> claim = mse(positive(iid)) < mse(trigonometric(iid))
    >>> domains = [Domain.of(claim, (v <= end, z >= 2)) for end in (sympy.S.Half, 3)]
    >>> [by_ends(claim.parts[0], domain) is not None for domain in domains]
    [True, False]
    >>> u = sympy.Symbol("u", real=True)
    >>> claims = [claimed(exp(u) >= 1 + n * u) for n in (1, 2)]
    >>> [by_ends(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, False]
    """
    if not isinstance(part, ORDERINGS) or not is_pointwise(part):
        return None
    require_laws(part, domain)
    if is_false_somewhere(part, domain, MORE_POINTS):
        return None
    found = _at_an_end(part, part.gts - part.lts, domain, 0)
    written = reduced(part.gts - part.lts, domain)
    if found is not None or not is_elementary(written) or written.count_ops() > SHORT:
        return found
    return next(filter(None, (
        _at_an_end(form, form.lhs, domain, DEEP) or _by_halves(form, form.lhs, domain, TIMES)
        for form in _forms_of(part, written, domain)
    )), None)  # fmt: skip


def _forms_of(part: sympy.Basic, difference: sympy.Expr, domain: Domain) -> Iterator[sympy.Basic]:
    """That a difference is positive, or at least 0; the same of logarithms of the sides, and without divisors.

    Examples
    --------
    >>> u = sympy.Symbol("u", positive=True)
    >>> from rftheory.statement.words import claimed
    >>> claim = claimed(u * sympy.exp(u) + 1 / u < sympy.exp(u**2))
    >>> part, over = claim.parts[0], Domain.of(claim, ())
    >>> [form.lhs for form in _forms_of(part, part.gts - part.lts, over)]
    [-u*exp(u) + exp(u**2) - 1/u, u**2 - log(u*exp(u) + 1/u), -u**2*exp(u) + u*exp(u**2) - 1]
    """
    strict = isinstance(part, STRICT)
    yield above_zero(difference, strict)
    sides = [_with_factors(reduced(side, domain)) for side in (part.gts, part.lts)]
    in_exponentials = any(side.has(sympy.Add) and side.has(sympy.exp) for side in sides)
    if in_exponentials and all("positive" in (sign(s, domain), sign_by_range(s, domain)) for s in sides):
        high, low = (sympy.expand_log(sympy.log(side)) for side in sides)
        yield above_zero(sympy.expand(high - low), strict)
    over, under = sympy.fraction(sympy.together(difference))
    if (
        under.free_symbols
        and not under.has(sympy.exp)
        and (own := sign(under, domain)) in ("positive", "negative")
    ):
        yield above_zero(sympy.expand(over if own == "positive" else -over), strict)


def _with_factors(side: sympy.Expr) -> sympy.Expr:
    """A sum with the exponentials that are factors of all its terms in front."""
    exponentials = side.replace(
        sympy.exp, lambda inside: sympy.exp(sympy.expand(inside)).expand(power_exp=True)
    )
    return sympy.factor_terms(exponentials)


def _at_an_end(part: sympy.Basic, difference: sympy.Expr, domain: Domain, deep: int) -> Proof | None:
    """The proof at an end; ``deep`` says how many derivatives may be taken, and then any variable may move."""
    norms = [norm for norm in (v, z) if norm in domain.spans]
    others = [s for s in reversed(domain.symbols) if s not in norms] if deep else []
    far = bool(deep) and len(difference.free_symbols) <= FEW
    for variable in (s for s in (*norms, *others) if difference.has(s)):
        line, moving, over = on_the_line(difference, variable, domain)
        for direction, end, is_open, rest in ends_of(moving, over, far=far):
            at_end, cited = _value_at(line, moving, end, over)
            if at_end.has(S.NaN, S.ComplexInfinity, S.Infinity, S.NegativeInfinity):
                continue
            strictly = isinstance(part, STRICT) and is_open
            there = above_zero(at_end, isinstance(part, STRICT) and not is_open)
            if is_false_somewhere(there, rest):
                continue
            up = Direction(line, moving, sympy.Integer(direction))
            moves = _moves(up, over, end, strictly, deep)
            if moves is None:
                continue
            found = proved(there, rest, WAYS if deep else ())
            if found is not None:
                found = replace(found, assumes=(*cited, *found.assumes))
                return found.resting_on(
                    moves, says=f"hardest at {moving.name} = {end}, where {found.says}; {moves.says}"
                )
    return None


def _value_at(
    line: sympy.Expr, moving: sympy.Symbol, end: sympy.Expr, domain: Domain
) -> tuple[sympy.Expr, tuple[str, ...]]:
    """The value at an end, or the limit if it lies at infinity, and what was cited for it; NaN if it is not found."""
    if end != S.Infinity:
        return line.subs(moving, end), ()
    found = limit_of(line, moving, end, domain)
    return (S.NaN, ()) if found is None else (found.value, found.cited)


def _by_halves(part: sympy.Basic, difference: sympy.Expr, domain: Domain, times: int) -> Proof | None:
    """The proof on both sides of a simple number, or of one at which the difference may be least."""
    moving = [s for s in reversed(domain.symbols) if difference.has(s)]
    for variable in moving if times and len(moving) <= MOST_MOVING else ():
        span = domain.spans[variable]
        least = (place for place in critical_in(difference, variable) if place.is_number)
        places = [
            place for place in dict.fromkeys((*least, *SPLITS))
            if span.contains(place) and place not in (span.low, span.high)
        ]  # fmt: skip
        equal = (place for place in places if vanishes(difference.subs(variable, place)))
        if not places:
            continue
        place = next(equal, places[0])
        pieces = (replace(span, high=place, high_open=False), replace(span, low=place, low_open=False))
        within = (domain.with_span(variable, piece) for piece in pieces)
        both = (_on_a_piece(part, difference, piece, times - 1) for piece in within)
        if (first := next(both)) is not None and (second := next(both)) is not None:
            says = f"for {variable} <= {place}: {first.says}; for {variable} >= {place}: {second.says}"
            return second.resting_on(first, says=says)
    return None


def _on_a_piece(part: sympy.Basic, difference: sympy.Expr, domain: Domain, times: int) -> Proof | None:
    if is_false_somewhere(part, domain):
        return None
    return (
        proved(part, domain, (*BY_SIGNS, by_boxes))
        or _at_an_end(part, difference, domain, DEEP)
        or _by_halves(part, difference, domain, times)
    )


def ends_of(
    norm: sympy.Symbol, domain: Domain, far: bool = False
) -> Iterator[tuple[int, sympy.Expr, bool, Domain]]:
    """Ends of the range of a norm: whether it rises from there, the end, whether it is open, and the others' domain.

    With ``far`` that at infinity too. Conditions that tie the norm to the others, as v >= z does, are such ends, each
    nearer than those before it.

    Examples
    --------
    >>> from rftheory.statement.words import claimed
    >>> over = Domain.of(claimed(v < z), (v > z,))
    >>> [(direction, end, is_open) for direction, end, is_open, _ in ends_of(v, over, far=True)]
    [(1, z, True), (-1, oo, True)]
    """
    span = domain.spans[norm]
    tied = [relation for relation in domain.relations if relation.has(norm)]
    rest = replace(
        domain,
        spans={s: one for s, one in domain.spans.items() if s != norm},
        relations=tuple(relation for relation in domain.relations if relation not in tied),
    )
    ends = [(1, span.low, span.low_open), (-1, span.high, span.high_open)]
    for relation in tied:
        found = _end_of(relation, norm, rest) if isinstance(relation, ORDERINGS) else None
        if found is None:
            return
        slope, end, rest = found
        number = 0 if slope == 1 else 1
        own = ends[number][1]
        if not (own.is_infinite or at_least_zero(sign(slope * (end - own), rest))):
            return  # the end of the range of the norm alone, or by another condition, may be the nearer one
        ends[number] = (slope, end, isinstance(relation, STRICT))
    for direction, end, is_open in ends:
        if not end.is_infinite or (far and end == S.Infinity):
            yield direction, end, is_open or end.is_infinite, rest


def _end_of(relation: sympy.Basic, norm: sympy.Symbol, rest: Domain) -> tuple[int, sympy.Expr, Domain] | None:
    """The end that a relation sets, linear in a power of the norm, and whether the norm lies above (1) or below.

    Also the domain of the others: a square lies below what is at least 0.
    """
    above, place = sympy.expand(relation.gts - relation.lts), sympy.Dummy("p")
    for power in POWERS if norm in (v, z) else POWERS[:1]:
        linear = above.xreplace({norm**power: place})
        if linear.has(norm) or (found := end_in(linear, place)) is None:
            continue
        slope, end = found
        if power == 1 or at_least_zero(sign(end, rest)):
            return int(sympy.sign(slope)), sympy.root(end, power), rest
        if slope < 0:
            there = above_zero(end, strict=False)
            return -1, sympy.root(end, power), replace(rest, relations=(*rest.relations, there))
    return None


def _moves(part: Direction, domain: Domain, end: sympy.Expr, strictly: bool, deep: int) -> Proof | None:
    """A proof that a difference rises from an end, or does not fall, by its series or its derivatives."""
    side, norm, direction = part.args
    side = reduced(side, domain)
    between = domain.with_span(norm, replace(domain.spans[norm], low_open=True, high_open=True))
    slope = None if side.has(PairMean, PairCount) else direction * derivative(side, norm)
    if slope is not None and is_false_somewhere(above_zero(slope, strict=False), between):
        return None
    if (found := by_series(part, domain)) is not None:
        return found
    if slope is None or not continuous(side, norm, _with_end(norm, end, domain)):
        return None
    # a norm is positive in between
    rates = (sympy.expand(slope / norm), slope) if norm in (v, z) else (slope,)
    rising = (above_zero(rate, strictly) for rate in rates[: 1 + (deep > 0)])
    found = next((one for part in rising if (one := prove(part, between, BY_SIGNS)) is not None), None)
    if found is not None or not deep or slope.count_ops() > SHORT:
        return found
    return _at_an_end(above_zero(slope, strictly), slope, between, deep - 1)


def _with_end(variable: sympy.Symbol, end: sympy.Expr, domain: Domain) -> Domain:
    """The domain with the end of the range of a variable at which a side is taken, if it is a number."""
    span = domain.spans[variable]
    closed = replace(span, low_open=span.low_open and (span.low != end or end.is_infinite),
                     high_open=span.high_open and (span.high != end or end.is_infinite))  # fmt: skip
    return domain.with_span(variable, closed)


WAYS: tuple[Prover, ...] = (by_identity, *BY_SIGNS, by_boxes, by_ends)
"""Provers that tell something about elementary functions."""
