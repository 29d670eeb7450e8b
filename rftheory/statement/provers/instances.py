"""A prover of what fails for some values of the other variables: a limit said for all v is refuted by that at v = 0."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import sympy

from rftheory.statement.atoms import OfLaw
from rftheory.statement.domain import Domain, Span, Values, corners
from rftheory.statement.pointwise import in_point
from rftheory.statement.provers.expand import asked_of, by_expansion, by_lost_order
from rftheory.statement.provers.proof import DOES_NOT_APPLY, Proof, prove

MOST, ENDS = 12, 4
"""How many values of the other variables are tried, and how many of these at ends of ranges."""
SLOW = (sympy.Integral, sympy.Sum, sympy.Piecewise)
"""Expansions of these, and of maps that choose a parameter, take seconds at every value; they are left alone."""


def by_instance(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Refute a relation of a limit, or an order of growth, at some values of the variables that stay fixed.

    Examples
    --------
    >>> from rftheory.statement.words import d, exp, limit, v
    >>> claim = limit(d * (exp(v**2) - 1), d, sympy.oo) == sympy.oo
    >>> by_instance(claim.parts[0], Domain.of(claim, ())).says
    'at v = 0: the limit is 0, of what is 0 everywhere'
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
    if part.has(*SLOW) or any(law.feature.chosen for law in part.atoms(OfLaw)):
        return
    for values, fixed in instances(part, domain):
        found = prove(part, fixed, (by_expansion,))
        if found is None:
            with suppress(*DOES_NOT_APPLY):
                found = by_lost_order(part, fixed)
        if found is not None and found.refutes:
            yield values, fixed, found


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
    each = [{s: point[s] for s in others} for point in where]
    at_ends = [values for values in each if _at_an_end(values, domain)]
    for key in islice(dict.fromkeys(tuple(values.items()) for values in (*at_ends[:ENDS], *each)), MOST):
        spans = {s: Span(value, value, integer=domain.spans[s].integer) for s, value in key}
        yield dict(key), replace(domain, spans={**domain.spans, **spans})


def _at_an_end(values: Values, domain: Domain) -> bool:
    """Of a range of real numbers, as at v = 0; integers begin with their ends."""
    spans = ((value, domain.spans[s]) for s, value in values.items())
    return any(value in (span.low, span.high) for value, span in spans if not span.integer)
