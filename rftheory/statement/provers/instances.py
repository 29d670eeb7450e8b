"""Provers by values of the variables that a limit leaves fixed: it fails at one of them, or holds at an end and beyond.

At the end of a range a limit is often another one: what tends to infinity for v > 0 is 0 at v = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice, product

import sympy

from rftheory.statement.atoms import OfLaw
from rftheory.statement.domain import Domain, Span, Values, corners
from rftheory.statement.pointwise import in_point
from rftheory.statement.provers.exists import by_existence
from rftheory.statement.provers.expand import asked_of, by_expansion, by_lost_order
from rftheory.statement.provers.identity import by_identity
from rftheory.statement.provers.proof import DOES_NOT_APPLY, Proof, prove
from rftheory.statement.words import ForSome, bound_in

MOST, ENDS, SIZES = 12, 4, 4
"""How many values of the other variables are tried, at first at ends of ranges; then at how many other integers."""
MOST_FREE = 3
"""Of so many variables without ends all signs are tried."""
SLOW = (sympy.Integral, sympy.Sum, sympy.Piecewise)
"""Expansions of these, and of maps that choose a parameter, take seconds at every value; they are left alone."""


def by_instance(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Refute a relation of a limit, or an order of growth, at some values of the variables that stay fixed.

    Examples
    --------
    >>> from rftheory.statement.words import d, exp, limit, v
    >>> claim = limit(d * (exp(v**2) - 1), d, sympy.oo) == sympy.oo
    >>> by_instance(claim.parts[0], Domain.of(claim, ())).says
    'at v = 0: the limit is 0, since it is 0 everywhere'
    >>> by_instance(claim.parts[0], Domain.of(claim, (v > 0,))) is None
    True
    """
    for values, _, found in refuted_at(part, domain):
        return replace(found, says=f"at {in_point(values)}: {found.says}")
    return None


def refuted_at(part: sympy.Basic, domain: Domain) -> Iterator[tuple[Values, Domain, Proof]]:
    """Values of the variables that a limit leaves fixed for which it is refuted, the domain with them, and how.

    Examples
    --------
    >>> from rftheory.statement.words import d, exp, limit, v
    >>> claim = limit(d * (exp(v**2) - 1), d, sympy.oo) == sympy.oo
    >>> [values for values, *_ in refuted_at(claim.parts[0], Domain.of(claim, ()))]
    [{v: 0}]
    """
    if _is_slow(part):
        return
    for values, fixed in instances(part, domain):
        found = prove(part, fixed, (by_expansion,))
        if found is None:
            with suppress(*DOES_NOT_APPLY):
                found = by_lost_order(part, fixed)
        if found is not None and found.refutes:
            yield values, fixed, found


def _is_slow(part: sympy.Basic) -> bool:
    return part.has(*SLOW) or any(law.feature.chosen for law in part.atoms(OfLaw))


def instances(part: sympy.Basic, domain: Domain) -> Iterator[tuple[Values, Domain]]:
    """Simple values of the variables that a limit leaves fixed, some at ends of ranges first, and the domain with them.

    Examples
    --------
    >>> from rftheory.statement.words import d, limit, v
    >>> claim = limit(v / d, d, sympy.oo) == 0
    >>> [values for values, _ in instances(claim.parts[0], Domain.of(claim, ()))][:3]
    [{v: 0}, {v: 1/2}, {v: 1}]
    """
    asked = asked_of(part, domain)
    others = [s for s in domain.symbols if asked and s != asked[1] and part.has(s)]
    where = corners(domain, 8 * MOST) if others else ()
    each = [dict(key) for key in dict.fromkeys(tuple((s, point[s]) for s in others) for point in where)]
    tried = chain(_some_of(each, domain), _of_all_signs(others, domain))
    for key in dict.fromkeys(tuple(values.items()) for values in tried):
        spans = {s: Span(value, value, integer=domain.spans[s].integer) for s, value in key}
        yield dict(key), replace(domain, spans={**domain.spans, **spans})


def _some_of(each: Sequence[Values], domain: Domain) -> Iterator[Values]:
    """A few at ends of ranges and the first others, then the first ones of a few sizes above the least."""
    at_ends = [values for values in each if _at_an_end(values, domain)]
    first = [*at_ends[:ENDS], *(values for values in each if values not in at_ends[:ENDS])]
    yield from first[:MOST]
    sizes: dict[tuple[object, ...], Values] = {}
    for values in each:
        own = {s: x for s, x in values.items() if s.is_integer}
        if all(x != domain.spans[s].low for s, x in own.items()):
            sizes.setdefault(tuple(own.values()), values)
    yield from islice(sizes.values(), SIZES)


def _of_all_signs(others: Sequence[sympy.Symbol], domain: Domain) -> Iterator[Values]:
    """One point for each of the signs that variables without ends can have together."""
    free = [s for s in others if domain.spans[s].low == -sympy.oo and domain.spans[s].high == sympy.oo]
    seen = set[tuple[sympy.Expr, ...]]()
    for simplest in corners(domain, 1) if 0 < len(free) <= MOST_FREE else ():
        for values in product(map(sympy.Integer, (-1, 0, 1, -2, 2)), repeat=len(free)):
            point = {**simplest, **dict(zip(free, values, strict=True))}
            signs = tuple(map(sympy.sign, values))
            if signs not in seen and domain.contains(point):
                seen.add(signs)
                yield {s: point[s] for s in others}


def _at_an_end(values: Values, domain: Domain) -> bool:
    """Of a range of real numbers, as at v = 0; integers begin with their ends."""
    spans = ((value, domain.spans[s]) for s, value in values.items())
    return any(value in (span.low, span.high) for value, span in spans if not span.integer)


def by_end_apart(part: sympy.Basic, domain: Domain) -> Proof | None:
    """A limit, an order of growth or the existence of a value, at the lower end of a range that stays fixed and beyond.

    Examples
    --------
    >>> from rftheory.statement.words import d, exp, limit, v
    >>> claim = limit(d * (exp(v**2) - 1), d, sympy.oo) >= 0
    >>> by_end_apart(claim.parts[0], Domain.of(claim, ())).says
    'at v = 0: the limit is 0, since it is 0 everywhere; for v > 0: the limit is oo, by the expansion in 1/d'
    """
    asked = asked_of(part, domain)
    if not (asked or isinstance(part, ForSome)) or _is_slow(part):
        return None
    moving = bound_in(part) | ({asked[1]} if asked else set())
    provers = (by_expansion, by_identity, by_existence, by_end_apart)
    for symbol in (s for s in domain.symbols if s not in moving and part.has(s)):
        pieces = _pieces(domain.spans[symbol])
        if pieces is None:
            continue
        at_end = prove(part, domain.with_span(symbol, pieces[0]), provers)
        if at_end is None or at_end.refutes:
            continue  # and `by_instance` says so
        beyond = prove(part, domain.with_span(symbol, pieces[1]), provers)
        if beyond is None or (beyond.refutes and any(r.has(symbol) for r in domain.relations)):
            continue  # what is refuted may be empty
        first, second = (piece.text(str(symbol)) for piece in pieces)
        if beyond.refutes:
            return replace(beyond, says=f"for {second}: {beyond.says}")
        if beyond.covers == at_end.covers:
            return beyond.resting_on(at_end, says=f"at {first}: {at_end.says}; for {second}: {beyond.says}")
    return None


def _pieces(span: Span) -> tuple[Span, Span] | None:
    """The lower end of a range and what is beyond it; of integers, 0 and 1, at which there are no pairs of rows."""
    if span.low_open or span.is_finite or not span.low.is_finite or (span.integer and span.low not in (0, 1)):
        return None
    beyond = replace(span, low=span.low + 1) if span.integer else replace(span, low_open=True)
    return Span(span.low, span.low, integer=span.integer), beyond
