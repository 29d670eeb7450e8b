"""The largest value of a smooth function on an interval, and where it is: by its derivatives, and by power series."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce

import sympy
from flint import arb, arb_series, ctx
from sympy import Expr

from rftheory.errors import InvalidInput, NotCertified, Undecided
from rftheory.exact import evaluate as reading
from rftheory.exact.derivative import derivative
from rftheory.exact.enclosure import rational_ball
from rftheory.exact.search import Box, Smooth, enclose_over, interval_ball, rational

u = sympy.Symbol("u", real=True)
"""theta/pi, the variable of the search: its domain has rational ends."""

Cluster = tuple[Fraction, Fraction]
PEAK_BITS = 160
MAX_BOXES = 20_000


class LargestValue(sympy.Function):  # type: ignore[misc]
    """LargestValue(Lambda(u, g), low, high, *mirrors): the maximum of a smooth g over [low, high].

    A mirror is an end of the interval about which g is even, so that a maximum there is a critical point.

    Examples
    --------
    >>> hill = sympy.Lambda(u, u * (1 - u))
    >>> reading.evaluate(LargestValue(hill, sympy.Integer(0), sympy.Integer(1))).overlaps(arb("0.25"))
    True
    """


class LargestAt(sympy.Function):  # type: ignore[misc]
    """The place where :class:`LargestValue` is attained; refused if it is not unique.

    Examples
    --------
    >>> hill = sympy.Lambda(u, u * (1 - u))
    >>> reading.evaluate(LargestAt(hill, sympy.Integer(0), sympy.Integer(1))).overlaps(arb("0.5"))
    True
    """


@dataclass(frozen=True)
class Peaks:
    """A smooth function on [low, high], and intervals that contain all of its maximum points.

    On each of the ``clusters`` the function is strictly concave. If a cluster reaches a mirror the maximum on it is at
    the mirror, else at the zero of the derivative, which Newton's interval method encloses.

    Examples
    --------
    >>> hill = Peaks(Smooth.of(u - u**2, u), Fraction(0), Fraction(2), ()).located("hill")
    >>> hill.points()[0].overlaps(arb("0.5")), hill.value().overlaps(arb("0.25"))
    (True, True)
    """

    g: Smooth
    low: Fraction
    high: Fraction
    mirrors: tuple[Fraction, ...]
    clusters: tuple[Cluster, ...] = ()

    def located(self, subject: str) -> Peaks:
        """Run branch and bound until every cluster is simple.

        Raises
        ------
        NotCertified : a maximum is too flat to be isolated.
        """
        pending, best, examined, wanted = [Box(((self.low, self.high),))], arb.neg_inf(), 0, 32
        while pending and examined < MAX_BOXES:
            found = []
            for part in (half for box in pending for half in box.halves()):
                found.append((part, enclose_over(self.g, part)))
                best = best.max(self.g.value(rational_ball(part.midpoint[0])).lower())
                examined += 1
            pending = [part for part, value in found if not value < best]
            if examined >= wanted:
                wanted = examined + 16
                clusters = _joined(pending)
                if all(self._is_simple(c) for c in clusters):
                    return replace(self, clusters=clusters)
        raise NotCertified(
            subject, wanted="isolated maxima", reached=f"{examined} boxes, {len(pending)} of them open"
        )

    def points(self) -> tuple[arb, ...]:
        """The largest point of each cluster, at the current precision."""
        return tuple(self._refined(c) for c in self.clusters)

    def value(self) -> arb:
        """The maximum at the current precision."""
        values = [self.g.value(p) for p in self.points()]
        return reduce(lambda a, b: a.max(b), values)

    def _mirrored(self, cluster: Cluster) -> tuple[Cluster, Fraction | None]:
        """The cluster, extended to both sides of a mirror that it touches, and that mirror."""
        for centre in self.mirrors:
            if cluster[0] <= centre <= cluster[1]:
                reach = max(centre - cluster[0], cluster[1] - centre)
                return (centre - reach, centre + reach), centre
        return cluster, None

    def _is_simple(self, cluster: Cluster) -> bool:
        assert self.g.hessian is not None
        ends, centre = self._mirrored(cluster)
        ball = interval_ball(*ends)
        if not self.g.hessian(ball)[0][0] < 0:
            return False
        return centre is not None or self._newton(ball, 0.25) is not None

    def _newton(self, ball: arb, shrink: float) -> arb | None:
        """One step of Newton's interval method for g' = 0; None unless it proves a zero, in a smaller ball."""
        assert self.g.gradient is not None
        assert self.g.hessian is not None
        middle = ball.mid()
        step = middle - self.g.gradient(middle)[0] / self.g.hessian(ball)[0][0]
        return step if ball.contains_interior(step) and step.rad() < ball.rad() * shrink else None

    def _refined(self, cluster: Cluster) -> arb:
        ends, centre = self._mirrored(cluster)
        if centre is not None:
            return rational_ball(centre)
        ball = interval_ball(*ends)
        while (step := self._newton(ball, 0.75) or self._half(ball)) is not None:
            ball = step
        return ball

    def _half(self, ball: arb) -> arb | None:
        """The half with the zero of the decreasing g'; None if its sign in the middle is undecided."""
        assert self.g.gradient is not None
        middle = ball.mid()
        slope = self.g.gradient(middle)[0]
        if slope > 0:
            return middle.union(ball.upper())
        return middle.union(ball.lower()) if slope < 0 else None


def _joined(parts: list[Box]) -> tuple[Cluster, ...]:
    """Unions of neighbouring intervals."""
    clusters: list[Cluster] = []
    for start, end in sorted(part.sides[0] for part in parts):
        if clusters and clusters[-1][1] == start:
            clusters[-1] = (clusters[-1][0], end)
        else:
            clusters.append((start, end))
    return tuple(clusters)


@lru_cache(maxsize=64)
def with_slopes(function: sympy.Lambda) -> sympy.Lambda:
    """The function with its first two derivatives: once for all values of its parameters.

    Examples
    --------
    >>> with_slopes(sympy.Lambda(u, u**2))
    Lambda(u, (u**2, 2*u, 2))
    """
    (symbol,), values = function.variables, [function.expr]
    values.append(derivative(values[0], symbol))
    values.append(derivative(values[1], symbol))
    return sympy.Lambda(symbol, sympy.Tuple(*values))


@lru_cache(maxsize=256)
def peaks(jet: sympy.Lambda, low: Expr, high: Expr, *mirrors: Expr) -> Peaks:
    """Where a function is largest, given :func:`with_slopes`, at exact values of its parameters.

    Examples
    --------
    >>> hill = with_slopes(sympy.Lambda(u, u * (1 - u)))
    >>> peaks(hill, sympy.Integer(0), sympy.Integer(1)).value().overlaps(arb("0.25"))
    True
    """
    ends = [rational(e) for e in (low, high, *mirrors)]
    value, slope, bend = jet.expr
    with ctx.workprec(PEAK_BITS):
        smooth = Smooth.known(jet.variables, value, lambda: [slope], lambda: [[bend]])
        return Peaks(smooth, ends[0], ends[1], tuple(ends[2:])).located("largest relative error")


def _read_peaks(reader: reading.Reader, node: Expr) -> Peaks:
    function, *ends = node.args
    exact = [reader.exact(a) for a in (with_slopes(function), *ends)]
    if None in exact:
        raise InvalidInput("largest value", needs="exact values for all symbols", got=str(node))
    return peaks(*exact)


def _read_value(reader: reading.Reader, node: Expr) -> arb:
    return _read_peaks(reader, node).value()


def _read_point(reader: reading.Reader, node: Expr) -> arb:
    points = _read_peaks(reader, node).points()
    if len(points) > 1:
        raise NotCertified(
            "place of the largest value", wanted="a unique one", reached=f"{len(points)} candidates"
        )
    return points[0]


reading.register_reader(LargestValue, _read_value)
reading.register_reader(LargestAt, _read_point)


# The same search once more, without sympy: values and two derivatives from truncated power series.

Series = Callable[[arb_series], arb_series]
"""A function of theta, on power series."""


def jet(f: Series, place: arb) -> tuple[arb, arb, arb]:
    """f(pi u) and its first two derivatives with respect to u, over all u of the ball ``place``.

    Examples
    --------
    >>> value, slope, bend = jet(lambda theta: theta * theta / arb.pi() ** 2, arb(3))
    >>> value.overlaps(arb(9)), slope.overlaps(arb(6)), bend.overlaps(arb(2))
    (True, True, True)
    """
    series = f(arb_series([arb.pi() * place, arb.pi()], prec=3))
    return series[0], series[1], 2 * series[2]


def peaks_by_series(f: Series, low: Fraction, high: Fraction, mirrors: tuple[Fraction, ...]) -> list[arb]:
    """All u in [low, high] where f(pi u) may be largest, one ball for each separate candidate.

    Boxes on which the mean value form stays below an attained value are dropped. The rest forms intervals on which f
    must be strictly concave. Its maximum there is at a mirror, if there is one, else at the zero of the derivative,
    which bisection encloses.

    Raises
    ------
    NotCertified : a maximum is too flat to be isolated.

    Examples
    --------
    >>> (place,) = peaks_by_series(lambda theta: theta.sin(), Fraction(0), Fraction(1), ())
    >>> place.overlaps(arb(1) / 2)
    True
    """
    boxes, best = [(low, high)], arb.neg_inf()
    for _ in range(40):
        halves = [half for a, b in boxes for half in ((a, (a + b) / 2), ((a + b) / 2, b))]
        rated = []
        for a, b in halves:
            ball = interval_ball(a, b)
            middle = rational_ball((a + b) / 2)
            value, slope, _ = jet(f, ball)
            if value < best:
                continue
            centre = f(arb_series([arb.pi() * middle], prec=1))[0]
            best = best.max(centre.lower())
            rated.append(((a, b), value, centre + slope * (ball - middle)))
        boxes = [box for box, value, form in rated if not (value < best or form < best)]
        clusters = _joined([Box((box,)) for box in boxes])
        places = []
        for a, b in clusters:
            if (place := _critical_point(f, a, b, mirrors)) is None:
                break
            places.append(place)
        else:
            return places
        if len(boxes) > MAX_BOXES:
            break
    raise NotCertified("maximum by series", wanted="isolated maxima", reached=f"{len(boxes)} boxes open")


def _critical_point(f: Series, a: Fraction, b: Fraction, mirrors: tuple[Fraction, ...]) -> arb | None:
    """The point where f is largest on a strictly concave piece; None if concavity is not proved."""
    for centre in mirrors:
        if a <= centre <= b:
            return _critical_near(f, centre, a if centre - a >= b - centre else b)
    if not jet(f, interval_ball(a, b))[2] < 0:
        return None
    left, right = rational_ball(a), rational_ball(b)
    if not (jet(f, left)[1] > 0 and jet(f, right)[1] < 0):
        return None
    return _zero_of_slope(f, left, right)


def _critical_near(f: Series, centre: Fraction, end: Fraction) -> arb | None:
    """The point where f, even about ``centre``, is largest between it and ``end``; None if that is not decided.

    If the second derivative is negative, it is the centre. If the fourth one is, f is strictly concave in the square
    of the distance h, because its second derivative with respect to h^2 is a mean of f over (-h, h): a mean of
    t^2 f(h t s)/4 over t, s in (0, 1). Then the bend at the centre decides, however small it is.
    """
    around = interval_ball(min(end, 2 * centre - end), max(end, 2 * centre - end))
    middle = rational_ball(centre)
    if jet(f, around)[2] < 0:
        return middle
    if not f(arb_series([arb.pi() * around, arb.pi()], prec=5))[4] < 0:
        return None
    bend = jet(f, middle)[2]
    if bend < 0:
        return middle
    if not bend > 0:
        raise Undecided("maximum at a mirror", reached=f"its second derivative is {bend.str(5)}")
    left, right = (rational_ball(end), middle) if end < centre else (middle, rational_ball(end))
    slope = jet(f, rational_ball(end))[1]
    if not (slope > 0 if end < centre else slope < 0):
        return None
    return _zero_of_slope(f, left, right)


def _zero_of_slope(f: Series, left: arb, right: arb) -> arb:
    """The zero of the derivative, which is positive before it and negative after it.

    By a step of Newton's interval method where it more than halves the ball, else by bisection.
    """
    for _ in range(ctx.prec):
        ball, middle = left.union(right), ((left + right) / 2).mid()
        slope = jet(f, middle)[1]
        step = middle - slope / jet(f, ball)[2]
        # A ball may reach a little beyond its ends, where the slope has any sign: a half of it is not taken.
        if ball.contains_interior(step) and step.rad() < ball.rad() / 2:
            left, right = left.max(step.lower()), right.min(step.upper())
        elif slope > 0:
            left = middle
        elif slope < 0:
            right = middle
        else:
            break
    return left.union(right)
