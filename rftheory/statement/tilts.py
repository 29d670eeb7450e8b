"""Refute a bound of a tail P(|K^ - K| >= eps) of waves by lower bounds of it far out, where draws see nothing.

The exponents of a bound show with many rows and many standard deviations. The bound is compared at a few such places,
the smallest numbers of rows first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, product

import sympy
from flint import arb, ctx

from rftheory.errors import RFTheoryError
from rftheory.exact.evaluate import evaluate_real
from rftheory.exact.substitution import with_values
from rftheory.exact.tilted_tails import tail_at_least
from rftheory.exact.truth import STRICT
from rftheory.judge.verdict import Decision, Evidence, Kind
from rftheory.statement.atoms import OfLaw
from rftheory.statement.domain import Domain, Point, points
from rftheory.statement.pointwise import ball, in_point
from rftheory.statement.statement import Statement
from rftheory.statement.tail_bounds import Bounded

WAVES = {"trigonometric": False, "cosine": True}
"""Maps of waves, and whether they have random phases."""
ROWS = tuple(2**n for n in (3, 5, 7, 9, 11, 13, 16, 20, 30, 40, 50))
"""Numbers of rows, if they vary."""
DISTANCES = tuple(sympy.Rational(n, 2) for n in (2, 4, 6, 8, 1))
"""Distances |x - y|, if they vary."""
DEVIATIONS = (4, 6, 8, 12, 16, 32, 64, 256, 1024)
"""Sizes of the error, if it varies, over 1/sqrt(2 m), the standard deviation of waves far apart."""
LEAST_DISTANCE = sympy.Rational(1, 8)
BITS = 128
"""Working precision; the number of rows takes more."""


def refuted_by_tilts(statement: Statement) -> Evidence | None:
    """A counterexample to a bound of the tail of waves of independent rows; None if none is found.

    Examples
    --------
    >>> from rftheory.statement.words import exp, iid, m, tail, trigonometric
    >>> eps = sympy.Symbol("eps", positive=True)
    >>> claims = [tail(trigonometric(iid, m=m), eps) <= 2 * exp(-rate * m * eps**2) for rate in (1, 2)]
    >>> found = [refuted_by_tilts(Statement("n.a", "", claim, Domain.of(claim, ()))) for claim in claims]
    >>> found[0], found[1].decision.value
    (None, 'fails')
    """
    for bounded in filter(None, map(Bounded.of, statement.parts)):
        for values in _places(bounded.tail, statement.domain):
            with suppress(*_PASSING):
                if (says := _refutation(bounded, values)) is not None:
                    return Evidence(Kind.CERTIFIED, Decision.FAILS, says, covers="points")
    return None


_PASSING = (RFTheoryError, ArithmeticError)


def _places(tail: OfLaw, domain: Domain) -> Iterator[Point]:
    """Points of the domain with many rows, far out."""
    _, m, _, z, eps = tail.numbers
    of_waves = tail.words[1] in WAVES and tail.words[2:] == ("iid", "gaussian")
    if not of_waves or m.is_Integer:
        return
    for simplest in islice(points(domain, 1), 1):
        for rows, distance, far in product(ROWS, DISTANCES, DEVIATIONS):
            free = {m: sympy.Integer(rows), z: distance, eps: _rounded(far / math.sqrt(2 * rows))}
            point = {**simplest, **{symbol: value for symbol, value in free.items() if symbol in simplest}}
            if domain.contains(point):
                yield point


def _rounded(size: float) -> sympy.Rational:
    """A number to four binary digits."""
    mantissa, exponent = math.frexp(size)
    return sympy.Rational(round(mantissa * 16), 16) * sympy.Integer(2) ** exponent


def _refutation(bounded: Bounded, values: Point) -> str | None:
    """In words that the bound is below a lower bound of the tail at a point; None if it is not."""
    if bounded.linear is None:
        return None
    tail = with_values(bounded.tail, values)
    _, m, _, z, eps = tail.numbers
    if not z >= LEAST_DISTANCE:
        return None
    with ctx.workprec(BITS + int(m).bit_length()):
        factor, rest = (ball(part, values) for part in bounded.linear)
        if not factor < 0:
            return None
        phases, distance, error = WAVES[tail.words[1]], evaluate_real(z), evaluate_real(eps)
        least = sum((tail_at_least(int(m), distance, error, side, phases) for side in tail.sides), arb(0))
        excess = factor * least + rest
        if not (excess <= 0 if isinstance(bounded.part, STRICT) else excess < 0):
            return None
        sides = (number.str(5, radius=False) for number in (least, rest / -factor))
        return f"counterexample {in_point(values)}: {bounded.tail} >= {' > '.join(sides)}"
