"""Where an inequality is nearly false, by steps that make it worse: counterexamples that no simple point shows.

Such are many dimensions at long vectors, or the one angle at which a wave exceeds its bound by a percent. What is found
is only a place to look at: whether the inequality is false there, enclosures decide.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import combinations, count, islice, product
from math import inf

import sympy
from flint import arb, ctx

from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain
from rftheory.exact.limits import cpu_limit
from rftheory.exact.truth import ORDERINGS
from rftheory.statement.domain import Domain, Point, Values
from rftheory.statement.pointwise import ball

BITS, SECONDS = 80, 0.1
"""The precision of a step, and the computing time that a point may take."""
STEPS, WAYS = 80, 3
"""How many steps are taken at most, and on how many ways down."""
RAYS = 8
"""How many of the starts are looked at in each direction."""
FARTHEST = {True: 10**6, False: 2**10}
"""How far an integer and a real number are followed."""
FIRST, FINEST = sympy.Rational(1, 8), sympy.Rational(1, 2**16)
"""The first step of a real number, so that points stay simple, and the finest."""


def nearly_false(
    part: sympy.Basic, domain: Domain, starts: Sequence[Values], until: float
) -> Iterator[Point]:
    """The points that steps down from the worst of the starts lead to, if the inequality seems false there.

    Parameters
    ----------
    until : the processor time at which the search ends.

    Examples
    --------
    >>> d, v = sympy.Symbol("d", integer=True, positive=True), sympy.Symbol("v", nonnegative=True)
    >>> from rftheory.statement.words import claimed
    >>> claim = claimed(d <= 1000 * (v + 1))
    >>> over = Domain.of(claim, ())
    >>> start = {s: sympy.Integer(1) for s in over.symbols}
    >>> next(nearly_false(claim.parts[0], over, [start], time.process_time() + 5))
    {d: 1024, v: 0}
    """
    if not isinstance(part, ORDERINGS):
        return
    known = (
        (margin(part, start), place) for place, start in enumerate(starts) if time.process_time() < until
    )
    seen, ways = set[tuple[sympy.Expr, ...]](), 0
    for low, place in sorted((found, place) for found, place in known if found is not None):
        for below, point in _way_down(part, domain, low, dict(starts[place]), until):
            where = tuple(point.values())
            if where in seen:
                break  # from here on, the way is another one
            seen.add(where)
            if below < 0:
                yield point
        else:
            ways += 1
        if ways == WAYS:
            break
    for start in starts[:RAYS]:
        for ray in _rays(start):
            far = _along(part, domain, ray, until)
            if far is not None:
                yield far


def _rays(start: Values) -> Iterator[Iterator[Point]]:
    """From a point, one variable twice and half as large again and again, or two together: v^2 as d, for one."""
    real = [s for s in start if not s.is_integer]
    plans = [{s: 2} for s in start] + [{s: sympy.S.Half} for s in real]
    plans += [{one: p, two: q} for one, two in combinations(start, 2) for p, q in ((2, 2), (2, 4), (4, 2))]
    yield from (
        ({**start, **{s: start[s] * q**n for s, q in plan.items()}} for n in count(1)) for plan in plans
    )


def _along(part: sympy.Basic, domain: Domain, ray: Iterator[Point], until: float) -> Point | None:
    """The first point of a ray at which the inequality seems false; a ray ends where its numbers are too large."""
    for point in islice(ray, 20):
        near = all(abs(x) <= FARTHEST[bool(s.is_integer)] for s, x in point.items())
        if not near or not domain.contains(point) or time.process_time() > until:
            return None
        found = margin(part, point)
        if found is None or found < 0:
            return None if found is None else point
    return None


def _way_down(
    part: sympy.Basic, domain: Domain, low: float, point: Point, until: float
) -> Iterator[tuple[float, Point]]:
    """The margins and points on the way down, up to the first point at which the inequality seems false.

    Where no step leads down, finer ones are taken, but not where the margin rises by less than itself: between two of
    these points a convex function falls by no more than it rises at them.
    """
    step = FIRST
    yield low, point
    for _ in range(STEPS):
        if low < 0:
            return
        best, where, rise = _one_step(part, domain, low, point, step, until)
        if where is not point:
            yield best, where
        elif rise < low or step <= FINEST or time.process_time() > until:
            return
        else:
            step /= 2
        low, point = best, where


def _one_step(
    part: sympy.Basic, domain: Domain, low: float, point: Point, step: sympy.Rational, until: float
) -> tuple[float, Point, float]:
    """The worst neighbour with its margin, or the point itself if none is worse; and by how much the margin rises."""
    best, where, rise = low, point, 0.0
    for near in _neighbours(point, domain, step):
        if time.process_time() > until:
            break
        found = margin(part, near)
        if found is None:
            continue
        moved = [s for s in point if near[s] != point[s]]
        if len(moved) == 1 and abs(near[moved[0]] - point[moved[0]]) == step:
            rise = max(rise, found - low)
        if found < best - 1e-9 * abs(best):
            best, where = found, near
            if best < 0:
                break
    return best, where, rise


def _neighbours(point: Point, domain: Domain, step: sympy.Rational) -> Iterator[Point]:
    """The points of the domain that a step in one variable, or such steps in two, lead to; at first long ones too."""
    own = {s: sympy.S.One if s.is_integer else step for s in point}
    plans = [{s: (x + own[s], x - own[s]) for s, x in point.items()}]
    if step == FIRST:
        plans.insert(0, {s: (2 * x, sympy.floor(x / (2 * own[s])) * own[s]) for s, x in point.items()})
    for symbols in (*combinations(point, 1), *combinations(point, 2)):
        for values in (values for plan in plans for values in product(*(plan[s] for s in symbols))):
            near = {**point, **dict(zip(symbols, values, strict=True))}
            far = any(abs(near[s]) > FARTHEST[bool(s.is_integer)] for s in symbols)
            if near != point and not far and domain.contains(near):
                yield near


def margin(part: sympy.Basic, point: Values) -> float | None:
    """How far an inequality is from false at a point, as the logarithm of a ratio; None if a side has no value.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> round(margin(x <= 2 * x, {x: sympy.Integer(1)}), 3), margin(x <= 2 * x, {x: sympy.Integer(0)})
    (0.693, 0.0)
    """
    try:
        with ctx.workprec(BITS), cpu_limit(SECONDS, "step"):
            return _log_ratio(*(ball(side, point) for side in (part.lts, part.gts)))
    except (NotKnown, NotCertified, OutsideDomain, InvalidInput):
        return None


def _log_ratio(less: arb, greater: arb) -> float | None:
    """log(greater/less) of positive numbers, and with the signs of both changed that of the others."""
    if less < 0 and greater < 0:
        less, greater = -greater, -less
    if less.contains(0) or greater.contains(0) or less.sgn() != greater.sgn():
        return inf if less < greater else -inf if less > greater else 0.0 if less == greater else None
    ratio = (greater / less).log()
    return float(ratio.mid()) if ratio.is_finite() and ratio.rad() < 1e-6 + abs(ratio) / 1000 else None
