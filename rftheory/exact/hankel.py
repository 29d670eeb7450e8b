"""Integrals (1/(2 pi i)) int e^s prod (s - p)^e ds around all singularities, from -oo below the axis to -oo above it.

The path is a pair of rays from a point of the real axis, at angles of 120 degrees with it. It may begin to the left of
a zero: the integrand has a phase there, and where that is not real the path first follows both sides of the axis from
the zero to the start.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from flint import acb, acb_poly, arb, ctx, fmpq

from rftheory.exact.enclosure import certified_integral, widen
from rftheory.exact.special import TINY

_TURN = fmpq(2, 3)
"""Angle of the upper ray with the positive real axis, in units of pi: along it e^s falls like exp(-t/2)."""

_SINE = arb("0.866")
"""At most sin(60): on a ray a point of the axis to the left of the start is at least t times this away."""

_STEPS = [2.0 ** (j / 2) for j in range(-12, 48)]
"""Distances on a ray at which the integrand is sampled to choose a path."""

_FEWEST_BITS = 32

FEW_DIMENSIONS = 16
"""Below this arb's hypergeometric function is as quick as its series, whose coefficients fall slowly."""

_SECTIONS = 24

_MOST_DIMENSIONS = 64
"""Up to here a path may begin to the left of the zero of an angle: in more, its factor takes long there."""

_FARTHEST_START = 30
"""The start lies at most 2 to this power to the right of the singularities."""


@dataclass(frozen=True)
class Angle:
    """A further factor, for two rows that are not orthogonal, with the singularities beta_1 and beta_2.

    With R^2 = (s - beta_1)(s - beta_2) and gamma = cross/R it is g(gamma)/g(0), g the integral of (cosh t + gamma)^(-d)
    over all t: a multiple of (1 + gamma)^(1/2 - d) H((1 - gamma)/2) for H = 2F1(1/2, 1/2; d + 1/2; .).

    Examples
    --------
    >>> orthogonal, opposite = (Angle(5, (arb(-1), arb(-4)), cross) for cross in (arb(0), arb(2)))
    >>> orthogonal.at(acb(3), True).overlaps(acb(1)), opposite.top.overlaps(arb(0))
    (True, True)
    """

    d: int
    points: tuple[arb, arb]
    cross: arb

    @property
    def top(self) -> arb:
        """At least the larger zero of R^2 - cross^2. To the right of it, or off the axis, gamma is not in (-oo, -1]."""
        first, second = self.points
        apart = first - second  # a power of a ball around 0 has no value, nor has its root
        return (first + second) / 2 + (apart * apart / 4 + self.cross * self.cross).abs_upper().sqrt()

    def at(self, s: acb, analytic: bool) -> acb:
        """The factor at s."""
        first, second = self.points
        gamma = self.cross / ((s - first).sqrt(analytic=analytic) * (s - second).sqrt(analytic=analytic))
        power = ((fmpq(1, 2) - self.d) * (1 + gamma).log(analytic=analytic)).exp()
        return power * _half_angle(self.d, (1 - gamma) / 2) / _half_angle_at_zero(self.d, ctx.prec)

    def rough(self) -> Callable[[complex], float]:
        """About the logarithm of its modulus; H is about 1."""
        first, second, cross = float(self.points[0]), float(self.points[1]), float(self.cross)

        def log_modulus(s: complex) -> float:
            gamma = cross / (cmath.sqrt(s - first) * cmath.sqrt(s - second))
            return (0.5 - self.d) * math.log(abs(1 + gamma))

        return log_modulus

    @property
    def reach(self) -> arb:
        """From this distance on a ray on |gamma| is at most 1/2, and so H at most 4: its coefficients are at most 1."""
        return (2 * abs(self.cross) / _SINE).upper().ceil()

    def bound(self, t: arb) -> arb:
        """A bound of its modulus on a ray from the distance t >= ``reach`` on."""
        return 4 * (1 - abs(self.cross) / (t * _SINE)) ** (arb(1) / 2 - self.d)


def _half_angle(d: int, z: acb) -> acb:
    """2F1(1/2, 1/2; d + 1/2; z). In many dimensions arb loses up to d bits, and series are quicker.

    By Pfaff's transformation it is (1 - z)^(-1/2) 2F1(1/2, d; d + 1/2; z/(z - 1)).
    """
    if d < FEW_DIMENSIONS:
        return z.hypgeom_2f1(acb(0.5), acb(0.5), acb(d + 0.5))
    if abs(z) < arb("0.9"):
        return _of_series(z, *_half_angle_series(d, fmpq(1, 2), ctx.prec))
    other = z / (z - 1)
    if abs(other) < arb("0.9"):
        return _of_series(other, *_half_angle_series(d, fmpq(d), ctx.prec)) / (1 - z).sqrt()
    with ctx.workprec(ctx.prec + 2 * d + 64):
        return z.hypgeom_2f1(acb(0.5), acb(0.5), acb(d + 0.5))


@lru_cache(maxsize=32)
def _half_angle_at_zero(d: int, bits: int) -> acb:
    """That at gamma = 0, by which every value on a path is divided."""
    return _half_angle(d, acb(1) / 2)


@lru_cache(maxsize=32)
def _half_angle_series(d: int, b: fmpq, bits: int) -> tuple[acb_poly, arb]:
    """The beginning of 2F1(1/2, b; d + 1/2; z), b <= d, and a bound of the rest where |z| <= 0.9.

    The coefficients are at most 1, and fall.
    """
    coefficients, rest = [arb(1)], arb(10)
    while not rest < arb(2) ** -bits:
        n = len(coefficients)
        coefficients.append(coefficients[-1] * (2 * n - 1) * (b + n - 1) / (n * (2 * d + 2 * n - 1)))
        rest = (10 * coefficients[-1] * arb("0.9") ** n).upper()
    return acb_poly(coefficients[:-1]), rest


def _of_series(z: acb, polynomial: acb_poly, rest: arb) -> acb:
    return polynomial(z) + widen(rest, complex_=True)


def hankel_integral(
    factors: Sequence[tuple[arb, fmpq]], angle: Angle | None = None, beside: float = -math.inf
) -> arb:
    """The integral for pairs (p, e), times the factor of an angle.

    On a ray |s - p| >= t sin(60), so from t >= 8 sum |e| on the modulus falls at least like exp(-t/4), and the tail is
    at most 4 times its value. Along the axis s = p - y^2 from a zero p, where (p - s)^e is a power of y.

    Parameters
    ----------
    factors : real points and exponents, integers or half integers; at most one of them is positive, a zero.
    angle : one factor more, for two rows that are not orthogonal.
    beside : the logarithm of a number beside which the value is wanted: if it is far below, it gets fewer digits.

    Examples
    --------
    >>> hankel_integral([(arb(0), fmpq(-3))]).overlaps(arb(1) / 2)  # 1/Gamma(3)
    True
    """
    path = _Path.of(tuple(factors), angle, beside)
    bits = max(_FEWEST_BITS, ctx.prec - math.floor(max(0.0, (beside - path.height) / math.log(2))))
    goal = arb(2) ** -bits
    # exponents as large as the height lose that many digits
    with ctx.workprec(bits + int(abs(path.height)).bit_length()):
        return arb(path.height).exp() * (path.ray(goal) - path.axis(goal)) / arb.pi()


@dataclass(frozen=True)
class _Path:
    """An integrand, and the point of the real axis where the rays start."""

    factors: tuple[tuple[arb, fmpq], ...]
    angle: Angle | None
    start: float
    height: float
    """log of the largest modulus on the path, roughly."""

    @staticmethod
    def of(factors: tuple[tuple[arb, fmpq], ...], angle: Angle | None, beside: float) -> _Path:
        """The path that is lowest."""
        rough = [(float(p), float(e.p) / float(e.q)) for p, e in factors]
        angular = angle.rough() if angle else lambda _: 0.0

        def height(start: float) -> float:
            return max(_log_modulus(rough, s) + angular(s) for s in _places(rough, start))

        largest = max(p for p, e in rough if e < 0)
        if angle is None:
            best = _lowest_start(height, largest)
        else:
            best = _lowest_start(height, float(angle.top))
            # To the right of that zero the factor is quick. If cross >= 0 it has no singularity there.
            if angle.cross >= 0 and angle.d <= _MOST_DIMENSIONS:
                nearer = _lowest_start(height, largest)
                enough = max(height(nearer), beside) + ctx.prec / 4
                # either is right: both paths have the same integral
                best = nearer if height(best) > enough else best
        while any(abs(best - p) <= 1e-6 * abs(p) for p, _ in rough):  # not on a zero
            best += 1e-3 * (best - largest)
        return _Path(factors, angle, best, height(best))

    @property
    def zeros(self) -> list[tuple[arb, fmpq]]:
        """Those to the right of the start, at most one."""
        return [factor for factor in self.factors if float(factor[0]) > self.start]

    def modulus(self, s: acb, analytic: bool, left_out: tuple[arb, fmpq] | None = None) -> acb:
        """The integrand beside the angle's factor, the phase of a zero and the height."""
        exponent = s - arb(self.height)
        for p, e in (factor for factor in self.factors if factor is not left_out):
            exponent += e * (p - s if float(p) > self.start else s - p).log(analytic=analytic)
        return exponent.exp()

    def ray(self, goal: arb) -> arb:
        """The imaginary part of the integral along the upper ray."""
        turn, start = acb(arb(0), arb.pi() * _TURN).exp(), arb(self.start)

        def integrand(t: acb, analytic: bool) -> acb:
            s = start + t * turn
            value = self.modulus(s, analytic)
            return value * self.angle.at(s, analytic) if self.angle else value

        def tail(t: arb) -> arb:
            value = 4 * abs(self.modulus(start + t * turn, False))
            return (value * self.angle.bound(t) if self.angle else value).upper()

        end = arb(8 * math.ceil(sum(abs(float(e.p) / float(e.q)) for _, e in self.factors)) + 16)
        if self.angle:
            end = end.max(self.angle.reach)
        while not (rest := tail(end)) < goal / 256:
            end += ctx.prec
        order = sum((e for _, e in self.zeros), fmpq(0))
        phase = acb(arb.cos_pi_fmpq(order), arb.sin_pi_fmpq(order))
        value = certified_integral(integrand, 0, end, real=False, goal=goal)
        return (phase * turn * value).imag + widen(rest)

    def axis(self, goal: arb) -> arb:
        """The imaginary part along the upper side of the axis, from the start to a zero of half-integer order."""
        half = next((factor for factor in self.zeros if factor[1].q == 2), None)
        if half is None:
            return arb(0)
        (p, e), start = half, arb(self.start)

        def integrand(y: acb, analytic: bool) -> acb:
            s = p - y * y
            value = 2 * y ** int(2 * e + 1) * self.modulus(s, analytic, half)
            return value * self.angle.at(s, analytic) if self.angle else value

        return arb.sin_pi_fmpq(e) * certified_integral(integrand, 0, (p - start).sqrt(), goal=goal)


def _log_modulus(factors: Sequence[tuple[float, float]], s: complex) -> float:
    return s.real + sum([e * math.log(abs(s - p) or TINY) for p, e in factors])


def _places(factors: Sequence[tuple[float, float]], start: float) -> Iterator[complex]:
    """Places on a path: on the ray, closer to its start near 0, and on the axis to a zero where that counts."""
    turn = cmath.exp(2j * math.pi / 3)
    yield complex(start)
    yield from (start + t * turn for t in _STEPS)
    yield from (start + abs(start) * t * turn for t in _STEPS[:30])
    for p, e in factors:
        if p > start and e % 1:
            yield from (complex(p + (start - p) * 2.0 ** (-j / 4)) for j in range(1, 120))


def _lowest_start(height: Callable[[float], float], singular: float) -> float:
    """The start to the right of this singularity from which the path is lowest."""

    def of_octave(octave: float) -> float:
        return height(singular + 2.0**octave)

    nearest = min(range(-9, _FARTHEST_START, 3), key=of_octave)
    return singular + 2.0 ** _lowest(of_octave, nearest - 3.0, nearest + 3.0)


def _lowest(height: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is least between two places, if it has one minimum there: golden sections."""
    share = (math.sqrt(5) - 1) / 2
    left, right = high - share * (high - low), low + share * (high - low)
    at_left, at_right = height(left), height(right)
    for _ in range(_SECTIONS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - share * (high - low)
            at_left = height(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + share * (high - low)
            at_right = height(right)
    return (low + high) / 2
