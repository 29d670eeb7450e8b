"""The probability of an error, P(|K^ - K| >= eps), where the law of an estimate is known, not only its moments.

Known is that of one row: a function of one normal variable, whose lines are followed from cell to cell, or of the
distance of the row from a point, which is noncentral chi. Of any number of rows it is known where all draws are equal,
or where no draw can be as far off as eps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from flint import acb, arb, ctx

from rftheory.errors import NotCertified, NotKnown
from rftheory.exact.laws import Exponential, Law
from rftheory.exact.noncentral import noncentral_ball

MOST_CELLS = 50_000
"""The most cells into which the normal variable is divided."""
SIDES = {"tail": (1, -1), "upper_tail": (1,), "lower_tail": (-1,)}
"""Probabilities of an error by name: the signs of the errors that count."""
Sides = tuple[int, ...]


def tail_of(law: Law, eps: arb, sides: Sides = SIDES["tail"]) -> arb:
    """P(|K^ - K| >= eps), eps > 0, or that of errors of one sign, as an enclosure at the working precision.

    Raises
    ------
    NotKnown : the law of the estimate is not known; the message says why.
    OutsideDomain : one row has no mean.
    NotCertified : the enclosure would take too long.

    Examples
    --------
    >>> from rftheory.exact.inputs import Inputs
    >>> from rftheory.spec import find_coupling, find_map
    >>> law = Law(find_map("positive"), find_coupling("iid"), 1, Inputs.of_norms(3, sum_norm="1"))
    >>> end = arb(2).log() + arb(1) / 2  # where the estimate exp(g - 1/2) is K + 1 = 2
    >>> tail_of(law, arb(1)).overlaps((end / arb(2).sqrt()).erfc() / 2)
    True
    >>> tail_of(law, arb(2), SIDES["lower_tail"])
    0
    """
    what = "the probability of an error"
    if law.constant and law.unbiased:
        return arb(0)
    if law.feature.table is not None:
        raise NotKnown(what, law.name, "random counts have no rows")
    law.require_moment(1)
    terms, target = law.terms(), law.target()
    if law.constant:
        return _indicator(error_of(law.mean() - target, sides) - eps)
    within = range_of(terms)
    if all(side * (end - target) < eps for side, end in within.ends(sides)):
        return arb(0)
    if law.m > 1:
        raise NotKnown(what, law.name, "of the mean of several rows only moments are known")
    if not law.coupling.marginal or law.coupling.norms != "chi":
        raise NotKnown(what, law.name, "it is known for rows that are N(0, I) alone")
    if any(term.phase for term in terms):
        raise NotKnown(what, law.name, "it is not known with random phases")
    curve = on_a_line(law, terms)
    if curve is not None:
        wave = _as_wave(curve)
        return _of_curve(curve, target, eps, sides) if wave is None else _of_wave(*wave, target, eps, sides)
    if len(terms) == 1 and is_bump(terms[0]):
        return _of_distance(law.inputs.d, terms[0], target, eps, sides)
    raise NotKnown(what, law.name, "one row is neither a function of one normal variable nor of one distance")


def error_of(difference: Any, sides: Sides) -> Any:
    """The size of an error of these signs, a ball or an array.

    Examples
    --------
    >>> [error_of(arb(-2), sides) for sides in SIDES.values()]
    [2.00000000000000, -2.00000000000000, 2.00000000000000]
    """
    return abs(difference) if len(sides) > 1 else sides[0] * difference


def _indicator(excess: arb) -> arb:
    """1 if it is at least 0, 0 if it is below, and both if that is not told."""
    if excess >= 0:
        return arb(1)
    if excess < 0:
        return arb(0)
    return arb(0).union(arb(1))


def _real_exp(exponent: acb) -> arb:
    return exponent.exp().real


class Range(NamedTuple):
    """The least and the largest value of an estimate, or numbers beyond them.

    Examples
    --------
    >>> Range(arb(-1), arb(1)).width
    2.00000000000000
    """

    low: arb
    high: arb

    @property
    def width(self) -> arb:
        """Their distance."""
        return self.high - self.low

    def ends(self, sides: Sides) -> list[tuple[int, arb]]:
        """The signs of errors, each with the end at which they are largest."""
        return [(side, self.high if side > 0 else self.low) for side in sides]


def range_of(terms: Sequence[Exponential], square: int | None = None) -> Range:
    """What the estimate of one row, a sum of such terms, lies between; an end is infinite if no bound is seen.

    ``square`` is |w|^2, if all rows have this one.

    Examples
    --------
    >>> from rftheory.exact.inputs import Inputs
    >>> from rftheory.spec import find_coupling, find_map
    >>> maps = [find_map(name) for name in ("trigonometric", "cosine", "positive")]
    >>> inputs = Inputs.of_norms(3, sum_norm="1", difference_norm="1")
    >>> [range_of(Law(one, find_coupling("iid"), 1, inputs).terms()).high.is_finite() for one in maps]
    [True, True, False]
    """
    low, high = arb(0), arb(0)
    for term in terms:
        largest = _largest(term) if square is None else _largest_at(term, square)
        high += largest
        low -= arb(0) if _is_real(term) else largest
    return Range(low, high)


def _largest(term: Exponential) -> arb:
    """The largest modulus of a term, infinite if no bound is seen."""
    exponent = term.log.real
    for n, b, q in zip(term.counts, term.b, term.q, strict=True):
        if b.real.is_zero() and (q.real.is_zero() or q.real < 0):
            continue
        if not q.real < 0:
            return arb.pos_inf()
        exponent -= n * b.real**2 / (4 * q.real)
    return exponent.exp()


def _largest_at(term: Exponential, square: int) -> arb:
    """The same for rows with this |w|^2."""
    slope = sum((n * b.real**2 for n, b in zip(term.counts, term.b, strict=True)), arb(0))
    most = reduce(arb.max, (q.real for q in term.q))
    return (term.log.real + most * square + (slope * square).sqrt()).exp()


def _is_real(term: Exponential) -> bool:
    return not term.phase and all(part.imag.is_zero() for part in (term.log, *term.b, *term.q))


# ---- functions of one normal variable ------------------------------------------------------------------


@dataclass(frozen=True)
class Curve:
    """g -> Re sum exp(log + b g + q g^2), by the coefficients of each term.

    Examples
    --------
    >>> Curve(((acb(0), acb(1), acb(0)),)).value(arb(0))
    1.00000000000000
    """

    terms: tuple[tuple[acb, acb, acb], ...]

    def value(self, g: arb) -> arb:
        """At g."""
        return sum((_real_exp(log + g * (b + q * g)) for log, b, q in self.terms), arb(0))

    def slope(self, g: arb) -> arb:
        """The derivative at g."""
        return sum(
            (((b + 2 * q * g) * (log + g * (b + q * g)).exp()).real for log, b, q in self.terms), arb(0)
        )


def on_a_line(law: Law, terms: Sequence[Exponential]) -> Curve | None:
    """The estimate of one row as a function of w along a real vector of which all slopes are multiples.

    Examples
    --------
    >>> from rftheory.exact.inputs import Inputs
    >>> from rftheory.spec import find_coupling, find_map
    >>> law = Law(find_map("positive"), find_coupling("iid"), 1, Inputs.of_norms(3, sum_norm="1"))
    >>> on_a_line(law, law.terms()).value(arb(0)).overlaps((-arb(1) / 2).exp())
    True
    """
    if law.inputs.d == 1:
        return Curve(tuple((t.log, t.b[0], t.q[0]) for t in terms))
    if not all(q.is_zero() for term in terms for q in term.q):
        return None
    first, *others = (term for term in terms if not all(b.is_zero() for b in term.b))
    place = next((n for n, b in enumerate(first.b) if not b.contains(0)), None)
    if place is None or first.line is None or any(term.line != first.line for term in others):
        return None
    unit = first.size().sqrt() / abs(first.b[place])
    return Curve(tuple((term.log, term.b[place] * unit, acb(0)) for term in terms))


def _as_wave(curve: Curve) -> tuple[arb, arb] | None:
    """Height and rate, if the curve is a cosine."""
    (log, b, q), *others = curve.terms
    flat = not others and q.is_zero() and log.imag.is_zero() and b.real.is_zero() and not b.imag.contains(0)
    return (log.real.exp(), abs(b.imag)) if flat else None


def _of_wave(height: arb, rate: arb, target: arb, eps: arb, sides: Sides) -> arb:
    """P(|height cos(rate g) - target| >= eps), by the places at which the cosine is near 1, or -1."""
    total = arb(0)
    for side in sides:
        cosine = side * target / height + eps / height
        ends = (_near_turns(arb(end), side, rate) for end in (cosine.lower(), cosine.upper()))
        total += reduce(arb.union, ends)  # it falls in the cosine
    return total.intersection(arb(0).union(arb(1)))


def _near_turns(cosine: arb, side: int, rate: arb) -> arb:
    """P(side cos(rate g) >= cosine), for an exact cosine: rate g is within an angle of even, or of odd, half turns."""
    if cosine >= 1:
        return arb(0)
    if cosine <= -1:
        return arb(1)
    angle, first, last = cosine.acos(), int(side < 0), _end() * rate / arb.pi() + 2
    if not last < MOST_CELLS:
        raise _too_many_waves()
    turns = range(first, int(float(last)) + 2, 2)
    inside = [_mass((arb.pi() * n - angle) / rate, (arb.pi() * n + angle) / rate) for n in turns]
    sure = 2 * sum(inside[1 - first :], arb(0)) + (arb(0) if first else (angle / rate / arb(2).sqrt()).erf())
    return sure.union(sure + ((arb.pi() * turns[-1] + angle) / rate / arb(2).sqrt()).erfc())


def _end() -> int:
    """Beyond, a normal variable has a probability of at most exp(-end^2/2)."""
    return math.isqrt(int(1.4 * (ctx.prec + 8))) + 1


def _too_many_waves() -> NotCertified:
    return NotCertified("probability of an error", wanted="few waves", reached=f"{MOST_CELLS} cells",
                        hint="choose smaller norms")  # fmt: skip


def _of_curve(curve: Curve, target: arb, eps: arb, sides: Sides) -> arb:
    """P(|f(g) - target| >= eps), g ~ N(0, 1): cells in which that is sure, and the others while they are wide."""
    end = _end()
    least = arb(2) ** -(ctx.prec // 2)  # where a maximum is at eps, no shorter cell tells more
    sure, open_ = arb(0), (arb(end) / arb(2).sqrt()).erfc()
    cells, seen = [(arb(n) / 2, arb(n + 1) / 2) for n in range(-2 * end, 2 * end)], 0
    while cells:
        (low, high), seen = cells.pop(), seen + 1
        if seen > MOST_CELLS:
            raise _too_many_waves()
        cell = low.union(high)
        off = error_of(curve.value(cell) - target, sides)
        if off >= eps:
            sure += _mass(low, high)
        elif not off < eps:
            found = _crossed(curve, low, high, target, eps, sides)
            if found is not None:
                sure += found
            elif high - low < least:
                open_ += _mass(low, high)
            else:
                middle = ((low + high) / 2).mid()
                cells += [(low, middle), (middle, high)]
    return sure.union(sure + open_).intersection(arb(0).union(arb(1)))


def _mass(low: arb, high: arb) -> arb:
    """P(low < g < high) for two numbers on one side of 0, without cancellation."""
    root = arb(2).sqrt()
    # either is right: the law is symmetric
    near, far = (low, high) if low >= 0 else (-high, -low)
    return ((near / root).erfc() - (far / root).erfc()) / 2


def _crossed(curve: Curve, low: arb, high: arb, target: arb, eps: arb, sides: Sides) -> arb | None:
    """The probability in a cell in which the curve rises or falls; None if that, or where its ends lie, is open."""
    slope = curve.slope(low.union(high))
    if not (slope > 0 or slope < 0):
        return None
    ends = [(low, curve.value(low)), (high, curve.value(high))]
    # either is right: the slope has a sign
    (down, least), (up, most) = ends if slope > 0 else reversed(ends)
    total = arb(0)
    for side in sides:
        level, end = target + side * eps, up if side > 0 else down
        beyond = [side * (value - level) for value in (least, most)]
        if not all(by > 0 or by < 0 for by in beyond):
            return None
        if all(by > 0 for by in beyond):
            total += _mass(low, high)
        elif any(by > 0 for by in beyond):
            place = _root(curve, low, high, level, slope)
            total += _mass(place, high) if end is high else _mass(low, place)
    return total


def _root(curve: Curve, low: arb, high: arb, level: arb, slope: arb) -> arb:
    """The only place in a cell at which the curve has this value, by Newton's method for intervals."""
    cell = low.union(high)
    while True:
        middle = arb(cell.mid())
        step = (middle - (curve.value(middle) - level) / slope).intersection(cell)
        if not step.rad() < cell.rad() * arb("0.9"):
            return step
        cell, slope = step, curve.slope(step)


# ---- functions of a distance -----------------------------------------------------------------------------


def is_bump(term: Exponential) -> bool:
    """Whether it is exp(log + q |w|^2 + b.w) with real numbers, q != 0.

    Examples
    --------
    >>> is_bump(Exponential(acb(0), (acb(1),), (acb(-1),), (1,), 0, None, True))
    True
    """
    return term.scalar and _is_real(term) and not term.q[0].contains(0)


def _of_distance(d: int, term: Exponential, target: arb, eps: arb, sides: Sides) -> arb:
    """The estimate is exp(top + q |w - mu|^2), mu = -b/(2 q), and |w - mu|^2 noncentral chi-square."""
    q, size = term.q[0].real, sum((n * b.real**2 for n, b in zip(term.counts, term.b, strict=True)), arb(0))
    top, apart = term.log.real - size / (4 * q), size / (4 * q * q)

    def within(level: arb) -> arb:
        """P(|w - mu|^2 <= the square at which the estimate is at this level)."""
        square = (level.log() - top) / q
        if square <= 0:
            return arb(0)
        if square > 0:
            return noncentral_ball(d, apart, square)
        return arb(0).union(noncentral_ball(d, apart, arb(square.upper())))

    falls, total = q < 0, arb(0)
    if 1 in sides:
        total += within(target + eps) if falls else 1 - within(target + eps)
    if -1 in sides:
        total += _below(target - eps, lambda level: 1 - within(level) if falls else within(level))
    return total


def _below(level: arb, law: Callable[[arb], arb]) -> arb:
    """P(estimate <= level) for a positive estimate, by the probability at a positive level."""
    if level <= 0:
        return arb(0)
    if level > 0:
        return law(level)
    return arb(0).union(law(arb(level.upper())).upper())
