"""Certificates for bounds of random Fourier features: over a compact set, and at one point for the Gaussian kernel.

Notation: f = s - k with m frequencies, diameter l = diam(M), X = sigma_p l/eps, a = eps/2, V = sup Var cos(w.D)
over M - M.

A net whose centre costs nothing. A maximal r-separated symmetric set that contains 0 has 2 N + 1 <= (1 + 2 l/r)^d
points; f is even and f(0) = 0, so N pairs remain. If |f| < theta eps at each and f varies by less than (1 -
theta) eps within r, then sup |f| < eps. The variation is at most mean Y_i + r sigma_p, Y = min(2, |w| r), E Y
<= r sigma_p, E Y^2 <= (r sigma_p)^2, so with r sigma_p = kappa eps and any lambda > 0 Chernoff's bound of its
tail is exp(-m eps q),

    q = lambda (1 - theta - 2 kappa) - kappa^2 eps (exp(2 lambda) - 1 - 2 lambda)/4.

If m rho bounds the exponent at one anchor (Hoeffding: rho = theta^2 eps^2/2; Bennett: rho = (V/4) h(2 theta
eps/V)) and eps q >= rho, the 2 N terms of the anchors and the one of the variation add up to

    P(sup |f| >= eps) <= (1 + 2 X/kappa)^d exp(-m rho).                                                     (net)

A small set. U = 1 - cos(w.D) is in [0, 2], and f = E U - mean U, so sup |f| <= max(sup E U, mean Z_i), Z =
min(2, (|w| l)^2/2), E Z <= X^2 eps^2/2. For X <= 1 the Chernoff-Hoeffding bound and Markov's inequality give

    P(sup |f| >= eps) <= min(exp(-m kl(a, X^2 a^2)), X^2 a).                                                (small)

Suprema over balls. Within r of a point that does not depend on the draws, sup f has a mean of at most 2 r
sigma_p/sqrt(m) (random signs, and the contraction principle for the cosine), and by McDiarmid it exceeds that by t with
probability exp(-m t^2/2) at most; so does sup (-f). N + 1 balls are enough, and with r = rho sqrt(m) eps/(2 sigma_p)

    P(sup |f| >= eps) <= (1 + (1 + 4 X/(rho sqrt(m)))^d) exp(-m eps^2 (1 - rho)^2/2).                       (balls)

A bound T(m) = T_0 exp(-m tau) says nothing for m <= log(T_0)/tau. Beyond, (net) implies it if log(T_0) rho/tau >=
d log(1 + 2 X/kappa) (then rho >= tau may be assumed), and (small) if kl >= tau.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import sympy
from flint import arb, ctx

from rftheory.errors import InvalidInput
from rftheory.exact.enclosure import rational_ball
from rftheory.exact.search import Box, Smooth, both, either, holds_on_box, interval_ball, positive

BITS = 96
DEPTH = 14
"""The most halvings of a box."""

SMALL = Fraction(47, 100)
"""Below this X the small-set bound alone is enough."""

GROUPS: tuple[tuple[int, int | None], ...] = ((1, 1), (2, 2), (3, 4), (5, 10), (11, 64), (65, None))
"""Groups of dimensions that are treated together; None: no upper end."""

Interval = tuple[Fraction, Fraction]
Variances = tuple[Fraction, Fraction | None]
Group = tuple[int, int | None]

_ANGLES = [Fraction(n, 50) for n in range(15, 46)]
_SLOPES = [Fraction(n, 10) for n in range(2, 61, 2)]
_BENDS = [(slope, float(slope), math.exp(2 * slope) - 1 - 2 * float(slope)) for slope in _SLOPES]


# ---- the two bounds ----------------------------------------------------------------------------------


def variation(theta: arb, slope: arb, kappa: arb, eps: arb) -> arb:
    """Chernoff's exponent, divided by m eps, of the variation of s - k within the radius kappa eps/sigma_p.

    Examples
    --------
    >>> half, slope = arb("0.5"), arb("1.4")
    >>> bool(variation(half, slope, arb("0.125"), arb(2)) > 0.25)
    True
    """
    return slope * (1 - theta - 2 * kappa) - kappa**2 * eps * ((2 * slope).exp() - 1 - 2 * slope) / 4


def bennett(v: arb, theta: arb) -> arb:
    """Bennett's exponent, divided by m eps, of a deviation theta eps of cosines of variance v eps.

    Examples
    --------
    >>> bennett(arb(1), arb("0.5")).str(6, radius=False)
    '0.0965736'
    """
    u = 2 * theta / v
    return v / 4 * ((1 + u) * (1 + u).log() - u)


@dataclass(frozen=True)
class Net:
    """The choice of theta, lambda and kappa = r sigma_p/eps in the net bound.

    Examples
    --------
    >>> Net(Fraction(1, 2), Fraction(7, 5), Fraction(1, 8)).proves(Fraction(2))
    True
    >>> Net(Fraction(1, 2), Fraction(7, 5), Fraction(1, 7)).proves(Fraction(2))
    False
    """

    theta: Fraction
    slope: Fraction
    kappa: Fraction

    def exponent(self, eps: Fraction) -> arb:
        """A lower bound of the variation's exponent, divided by m eps, for every error up to eps."""
        theta, slope, kappa = (rational_ball(x) for x in (self.theta, self.slope, self.kappa))
        return variation(theta, slope, kappa, rational_ball(eps))

    def proves(self, eps: Fraction, level: arb | None = None) -> bool:
        """Whether the variation costs no more than an anchor, for every error up to eps;

        level: rho/eps, by default Hoeffding's.
        """
        if not (0 < self.theta < 1 and self.slope > 0 and self.kappa > 0):
            return False
        with ctx.workprec(BITS):
            anchor = rational_ball(self.theta) ** 2 * rational_ball(eps) / 2 if level is None else level
            return bool(self.exponent(eps) >= anchor)


def clean_net(rate: Fraction, kappa: Fraction) -> Net | None:
    """A net that proves P(sup |f| >= eps) <= (1 + 2 X/kappa)^d exp(-rate m eps^2) for all values, if one is found.

    Examples
    --------
    >>> clean_net(Fraction(1, 8), Fraction(1, 8)).theta, clean_net(Fraction(1, 8), Fraction(1, 7))
    (Fraction(1, 2), None)
    """
    theta = Fraction(math.isqrt(2 * rate.numerator * rate.denominator), rate.denominator)
    nets = (Net(theta, slope, kappa) for slope in _SLOPES)
    return next((net for net in nets if theta**2 == 2 * rate and net.proves(Fraction(2))), None)


def _best(
    needed: Callable[[float], float], factor: Callable[[float], float], height: float, at: float, eps: float
) -> Net | None:
    """A good choice in floating point, to be verified: factor(theta) height - log(1 + 2 at/kappa) is to be large."""
    best, found = -math.inf, None
    for angle in _ANGLES:
        theta = float(angle)
        level, kappa, slope = needed(theta), 0.0, None
        for fraction, lam, bend in _BENDS:
            room = lam * (1 - theta) - level
            if room > 0:
                wider = 2 * room / (2 * lam + math.sqrt(4 * lam * lam + room * eps * bend))
                if wider <= kappa:
                    break  # it falls from here on: for every kappa the exponent is concave in lambda
                kappa, slope = wider, fraction
        if slope is not None and (value := factor(theta) * height - math.log(1 + 2 * at / kappa)) > best:
            best, found = value, Net(angle, slope, Fraction(kappa * (1 - 1e-9)))
    return found


class Balls(NamedTuple):
    """What (balls) says with twice a power: P(sup |f| >= eps) <= 2 (1 + s X/sqrt(m))^(power d) exp(-rate m eps^2).

    Attributes
    ----------
    power : of the number of balls over d.
    least : s is this over rho, the share of the error that is left to the mean.
    most : the rate is at most this times (1 - rho)^2.

    Examples
    --------
    >>> [OF_PAIRS.prove(Fraction(2), Fraction(slope), Fraction(1, 8)) for slope in (8, 7)]
    [True, False]
    """

    power: int
    least: int
    most: Fraction

    def prove(self, scale: Fraction, slope: Fraction, rate: Fraction) -> bool:
        """Whether P(sup |f| >= eps) <= scale (1 + slope X/sqrt(m))^(power d) exp(-rate m eps^2) follows.

        Examples
        --------
        >>> [OF_PHASES.prove(Fraction(2), Fraction(slope), Fraction(1, 32)) for slope in (32, 31)]
        [True, False]
        """
        return scale >= 2 and slope > self.least and 0 < rate <= self.most * (1 - self.least / slope) ** 2


OF_PAIRS = Balls(1, 4, Fraction(1, 2))
"""Of m sine-cosine pairs; the first power and one more are covered by twice the power."""
OF_PHASES = Balls(2, 16, Fraction(1, 8))
"""Of m random phases: balls in M x M, which lies in one of radius sqrt(2) l.

Two cosines change, the arguments of each by at most sqrt(2) r |w|, so that the mean is at most 4 sqrt(2) r
sigma_p/sqrt(m); one frequency moves the supremum by at most 4/m.
"""


# ---- bounds with the exponent m eps^2/((d + 2) alpha) ---------------------------------------------------


@dataclass(frozen=True)
class PairBound:
    """P(sup |f| >= eps) <= T_0 exp(-rate m eps^2/((d + 2) alpha)), m sine-cosine pairs, all d, m, eps, X > 0
    and all kernels.

    Attributes
    ----------
    scale : T_0 = scale beta_d X^(2d/(d+2)), beta_d = 64 (1 + 2/d) (d/64)^(2/(d+2)); with ``square``, T_0 =
    scale X^2. rate : 1/4 in the literature. variance : alpha = min(1, V + eps/3) if True, else 1. square : see
    ``scale``.

    Examples
    --------
    >>> PairBound(scale=Fraction(66), square=True).holds(least=Fraction(1))
    True
    """

    scale: Fraction = Fraction(1)
    rate: Fraction = Fraction(1, 4)
    variance: bool = False
    square: bool = False

    @lru_cache(maxsize=256)  # noqa: B019 (a certificate is a value)
    def holds(self, least: Fraction = Fraction(0)) -> bool:
        """Whether it is proved for all X >= ``least``.

        Examples
        --------
        >>> PairBound(scale=Fraction(66), square=True).holds(Fraction(1)), PairBound(rate=Fraction(4)).holds()
        (True, False)
        """
        with ctx.workprec(BITS):
            parts = [self._large(max(least, Fraction(1)))]
            if least < 1:
                parts.append(self._middle(max(least, SMALL)))
            if least < SMALL:
                parts.append(self._small())
            return all(parts)

    # The net bound implies the target if R level >= log(1 + 2 X/kappa), R = alpha rho/(rate eps^2),
    # level = (1 + 2/d) log(T_0) = 2 log(b_d X), b_d = 8 sqrt(1 + 2/d) (d + 2)^(1/d) for the first form.
    def _level(self, group: Group, x: arb) -> arb:
        """A lower bound of the level over the dimensions of the group; b_d decreases in d."""
        first, last = group
        scale = rational_ball(self.scale).log()
        if self.square:
            log_first = scale + 2 * x.log()
            return log_first if last is None else (1 + arb(2) / last) * log_first
        steepest = (1 + arb(2) / first) * scale
        flattest = scale if last is None else (1 + arb(2) / last) * scale
        log_b = arb(8).log()
        if last is not None:
            log_b += (1 + arb(2) / last).log() / 2 + arb(last + 2).log() / last
        return 2 * (log_b + x.log()) + steepest.min(flattest)

    def _by_net(
        self, group: Group, xs: tuple[Fraction, Fraction], eps: Fraction, v: Variances | None
    ) -> bool:
        """Whether the net bound is proved on a box: X in xs (or, with equal ends, from there on), errors up to eps,
        V/eps in v (None: alpha = 1).
        """
        low, high = (rational_ball(x) for x in xs)
        level = self._level(group, low)
        if not level > 0:
            return False
        rate, most = float(self.rate), float(eps)
        if v is None:

            def needed(theta: float) -> float:
                return theta**2 * most / 2

            def factor(theta: float) -> float:
                return theta**2 / (2 * rate)

        else:
            first, last = float(v[0]), v[1] and float(v[1])

            def needed(theta: float) -> float:
                if last is None:
                    return theta**2 / (2 * first + 4 * theta / 3)
                u = 2 * theta / last
                return last / 4 * ((1 + u) * math.log(1 + u) - u)

            def factor(theta: float) -> float:
                return (first + 1 / 3) * needed(theta) / rate

        found = _best(needed, factor, float(level), float(xs[1]), most)
        if found is None:
            return False
        theta, kappa = rational_ball(found.theta), rational_ball(found.kappa)
        if v is None:
            cost, ratio = None, theta**2 / (2 * rational_ball(self.rate))
        else:
            cost = _anchor(v, theta)
            ratio = (rational_ball(v[0]) + arb(1) / 3) * cost / rational_ball(self.rate)
        # R >= 1/2 makes the condition easier as X grows: d/d(log X) of both sides is 2 R and at most 1
        grows = xs[0] != xs[1] or bool(2 * ratio >= 1)
        # rho >= tau is 3 R >= 1 at d = 1
        return (
            grows
            and bool(3 * ratio >= 1)
            and found.proves(eps, cost)
            and bool(ratio * level >= (1 + 2 * high / kappa).log())
        )

    def _large(self, least: Fraction) -> bool:
        """X >= least >= 1, all errors in (0, 2], all dimensions at once."""
        whole, xs = (1, None), (least, least)
        if not self._by_net(whole, xs, Fraction(2), None):
            return False
        return not self.variance or all(self._by_net(whole, xs, _reach(v), v) for v in _variances())

    def _middle(self, least: Fraction) -> bool:
        """least <= X <= 1: the net or the small-set bound on each box of (X, a, V/eps), for each group of
        dimensions.
        """
        fifth = Fraction(1, 5)
        # a <= 1/5: kl >= a (log(1/a) - 1) >= (log 5 - 1) a, and a^2/alpha <= 3 a/2, d >= 1
        if not arb(5).log() - 1 >= 2 * rational_ball(self.rate):
            return False
        # the small-set bound asks for T_0 >= 1
        if not all(self._level(group, rational_ball(least)) >= 0 for group in GROUPS):
            return False
        whole = (least, Fraction(1)), (fifth, Fraction(1))
        return all(self._box(group, *whole, v, 0) for group in GROUPS for v in self._cases())

    def _cases(self) -> Iterator[Variances | None]:
        yield None
        if self.variance:
            # a >= 1/5 and V + eps/3 <= 1 leave V/eps <= 5/2 - 1/3
            yield from (v for v in _variances() if v[0] <= Fraction(13, 6))

    def _box(self, group: Group, xs: Interval, sides: Interval, v: Variances | None, depth: int) -> bool:
        if v is not None and 2 * sides[0] * (v[0] + Fraction(1, 3)) > 1:
            return True  # alpha = 1 on the whole box, which is the case v = None
        if self._by_smallness(group[0], xs[1], sides, v) or self._by_net(group, xs, 2 * sides[1], v):
            return True
        if depth == DEPTH:
            return False
        cut_x = xs[1] - xs[0] >= sides[1] - sides[0]
        halves: list[tuple[Interval, Interval]] = (
            [(part, sides) for part in _halves(xs)] if cut_x else [(xs, part) for part in _halves(sides)]
        )
        return all(self._box(group, x, a, v, depth + 1) for x, a in halves)

    def _by_smallness(self, d: int, x: Fraction, sides: Interval, v: Variances | None) -> bool:
        """kl(a, X^2 a^2) >= 4 rate a^2/((d + 2) alpha) is proved for every a of the side, X <= x, dimensions from d on;

        T_0 >= 1.
        """
        low, high = (rational_ball(a) for a in sides)
        square = rational_ball(x) ** 2
        a = interval_ball(*sides)
        # t log t falls up to 1/e and rises after; either is right: -1/e is its least value
        least = (1 - low) * (1 - low).log() if bool(1 - low < (-arb(1)).exp()) else -(-arb(1)).exp()
        entropy = a * (-(square * a).log()) + least - (1 - high) * (1 - square * low * low).log()
        alpha = arb(1) if v is None else (2 * low * (rational_ball(v[0]) + arb(1) / 3)).min(arb(1))
        return bool(entropy.lower() >= 4 * rational_ball(self.rate) * high * high / ((d + 2) * alpha))

    def _small(self) -> bool:
        """X <= SMALL. T >= 12 scale X^2 exp(-g m a), g = 2 rate (a^2/alpha <= 3 a/2, d >= 1); beta_d >= 12
        X^(4/(d+2)) X^(-..).

        Whether it is proved. For m a < 1, P <= X^2. For m a >= 1, P <= (e X^2 a)^(m a), as kl >= a log(1/(e X^2 a)).
        """
        constant = rational_ball(self.scale) * (1 if self.square else 12)
        decay = (-2 * rational_ball(self.rate)).exp()
        return bool(constant * decay >= arb(1).exp()) and bool(
            arb(1).exp() * rational_ball(SMALL) ** 2 <= decay
        )


def _halves(side: Interval) -> tuple[Interval, Interval]:
    middle = (side[0] + side[1]) / 2
    return (side[0], middle), (middle, side[1])


def _anchor(v: Variances, theta: arb) -> arb:
    """Exponent at an anchor divided by m eps, the smallest over the interval; without an end Bernstein's form,
    at its start.

    Bernstein's (v + 1/3) theta^2/(2 v + 4 theta/3) does not fall in v for theta >= 1/2, nor does the variation
    need more.
    """
    if v[1] is not None:
        return bennett(rational_ball(v[1]), theta)
    if not theta >= arb("0.5"):
        return arb.nan()
    return theta**2 / (2 * rational_ball(v[0]) + 4 * theta / 3)


def _reach(v: Variances) -> Fraction:
    """The largest error at which V + eps/3 <= 1 for V >= v[0] eps."""
    return min(Fraction(2), 1 / (v[0] + Fraction(1, 3)))


def _variances() -> Iterator[Variances]:
    """Intervals that cover all V/eps; the last one has no end."""
    low = Fraction(1, 1024)
    yield Fraction(0), low
    while low < 64:
        high = low * Fraction(9, 8)
        yield low, high
        low = high
    yield low, None


# ---- phases ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PhaseBound:
    """P(sup |f| >= eps) <= scale beta'_d X^(2d/(d+1)) exp(-rate m eps^2/(d + 1)), m random phases, all d, m,
    eps, all kernels.

    beta'_d = 96 (1 + 1/d) (d/48)^(1/(d+1)). A net of M x M in a ball of radius sqrt(2) l has at most (1 + 2
    sqrt(2) l/r)^(2d) points; a summand 2 cos(w.x + b) cos(w.y + b) has slope at most 2 |w| and range 4, the
    kernel slope sqrt(2) sigma_p, and rho = theta^2 eps^2/3 at each point. As there is no free centre, the
    condition is

        (theta^2/(3 rate)) log(b'_d X) >= log(3)/(2 d) + log(1 + 2 sqrt(2) X/kappa),  b'_d =
        beta'_d^((d+1)/(2d)) >= sqrt(96).

    With ``square`` it is scale X^2 exp(-rate m eps^2/(d + 1)), for X >= 1, where X^((d+1)/d) >= X takes the place of
    b'_d X.

    Examples
    --------
    >>> PhaseBound().holds(Fraction(1)), PhaseBound().holds(Fraction(1, 1000))
    (True, False)
    >>> [PhaseBound(Fraction(scale), square=True).holds(Fraction(1)) for scale in (98, 1)]
    [True, False]
    """

    scale: Fraction = Fraction(1)
    rate: Fraction = Fraction(1, 32)
    square: bool = False

    def holds(self, least: Fraction) -> bool:
        """Whether it is proved for all X >= ``least``."""
        with ctx.workprec(BITS):
            return (least >= 1 if self.square else least > 0) and self._proved(least)

    def _proved(self, least: Fraction) -> bool:
        # the scale enters with the power (d + 1)/(2 d), between 1 and 1/2
        log_scale = rational_ball(self.scale).log()
        own = arb(0) if self.square else arb(96).log() / 2
        level = own + log_scale.min(log_scale / 2) + rational_ball(least).log()
        x, eps, root = rational_ball(least), arb(3), arb(2).sqrt()
        for angle in _ANGLES:
            theta = rational_ball(angle)
            ratio = theta**2 / (3 * rational_ball(self.rate))
            for slope in _SLOPES[:12]:
                for kappa in (Fraction(1, n) for n in (10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 320)):
                    k = rational_ball(kappa)
                    enough = phase_variation(theta, rational_ball(slope), k, eps) >= theta**2 * eps / 3
                    goal = arb(3).log() / 2 + (1 + 2 * root * x / k).log()
                    if enough and ratio >= 1 and ratio * level >= goal:
                        return True
        return False


def phase_variation(theta: arb, slope: arb, kappa: arb, eps: arb) -> arb:
    """As :func:`variation`, for random phases: Y = min(4, 2 |w| r) and the kernel's sqrt(2) r sigma_p.

    Examples
    --------
    >>> bool(phase_variation(arb("0.5"), arb("0.8"), arb("0.03"), arb(3)) > 0.25)
    True
    """
    bend = ((4 * slope).exp() - 1 - 4 * slope) / 4
    return slope * (1 - theta - (2 + arb(2).sqrt()) * kappa) - kappa**2 * eps * bend


# ---- one point, Gaussian kernel ------------------------------------------------------------------------

_u, _q, _v = sympy.symbols("u q v", nonnegative=True)


def _near_zero() -> sympy.Expr:
    """Lower bound of (exp(u^2/4 - u q) - E exp(-u cos(w z)))/u^2 for u, q in [0, 1], a polynomial.

    exp(x) >= 1 + x + x^2/2 + x^3/6; I_0 and I_2 from above and I_1 from below by their series; the terms of I_3
    and I_4 together are <= 0.
    """
    x = _u**2 / 4 - _u * _q
    low = 1 + x + x**2 / 2 + x**3 / 6
    i0 = 1 + _u**2 / 4 + _u**4 / 64 + _u**6 / 2304 * sympy.Rational(51, 50)
    i1 = _u / 2 + _u**3 / 16
    i2 = _u**2 / 8 + _u**4 / 96 + _u**6 / 3072 * sympy.Rational(51, 50)
    return sympy.expand(sympy.expand(low - (i0 - 2 * _q * i1 + 2 * _q**4 * i2)) / _u**2)


def _charts() -> list[tuple[sympy.Expr, tuple[sympy.Symbol, sympy.Symbol]]]:
    """The polynomial vanishes at u = q = 0: q = u v, divided by u^2, and u = q v, divided by q^2."""
    p = _near_zero()
    return [
        (sympy.expand(sympy.expand(p.subs(_q, _u * _v)) / _u**2), (_u, _v)),
        (sympy.expand(sympy.expand(p.subs(_u, _q * _v)) / _q**2), (_q, _v)),
    ]


def _bessel_gap() -> Smooth:
    """exp(u^2/4 - u q) - (I_0 - 2 q I_1 + 2 q^4 I_2 - 2 q^9 I_3 + 2 q^16 I_4)(u); the later terms add up to <= 0."""

    def bessel(u: arb) -> list[arb]:
        """I_0..I_5, which increase in u > 0."""
        low, high = arb(u.lower()), arb(u.upper())
        return [low.bessel_i(arb(n)).union(high.bessel_i(arb(n))) for n in range(6)]

    def value(u: arb, q: arb) -> arb:
        i = bessel(u)
        return (u * u / 4 - u * q).exp() - (
            i[0] - 2 * q * i[1] + 2 * q**4 * i[2] - 2 * q**9 * i[3] + 2 * q**16 * i[4]
        )

    def gradient(u: arb, q: arb) -> list[arb]:
        i = bessel(u)
        slopes = [i[1], *((i[n - 1] + i[n + 1]) / 2 for n in range(1, 5))]
        top = (u * u / 4 - u * q).exp()
        first = top * (u / 2 - q) - (
            slopes[0]
            - 2 * q * slopes[1]
            + 2 * q**4 * slopes[2]
            - 2 * q**9 * slopes[3]
            + 2 * q**16 * slopes[4]
        )
        second = -u * top - (-2 * i[1] + 8 * q**3 * i[2] - 18 * q**8 * i[3] + 32 * q**15 * i[4])
        return [first, second]

    return Smooth(value, gradient)


def _beyond(box: Box) -> bool | None:
    """u >= 4 (1 + q), where cos - q >= -1 - q is enough."""
    return True if box.sides[0][0] >= 4 * (1 + box.sides[1][1]) else None


def gaussian_exponent_holds(c: Fraction) -> bool | None:
    """Whether P(|s - k| >= eps) <= 2 exp(-c m eps^2) for the Gaussian kernel at every difference, all m, d, eps.

    With q = k: E exp(t cos(w z)) = I_0(t) + 2 sum_n I_n(t) q^(n^2). For t > 0 it is at most exp(t q + t^2/4)
    coefficient by coefficient, as q^(n^2) <= q^n; for t = -u in [-8, 0] that is certified on boxes of (u, q);
    for u >= 8 >= 4 (1 + q) it follows from cos - q >= -1 - q. So every cos(w z) - q is sub-Gaussian with
    variance 1/2, and c = 1. A larger c contradicts the central limit theorem: the variance (1 - q^2)^2/2 comes
    as near to 1/2 as one likes.

    Returns
    -------
    True (proved), False (the variance at some z exceeds 1/(2 c)), None (not decided).

    Examples
    --------
    >>> gaussian_exponent_holds(Fraction(101, 100))
    False
    """
    if c <= 0:
        raise InvalidInput("exponent", needs="a positive number", got=str(c))
    if c > 1:
        square = (1 - 1 / c) / 4  # q^2 = k(z)^2, small enough for the variance to exceed 1/(2 c)
        return False if (1 - square) ** 2 / 2 > 1 / (2 * c) else None
    return _arcsine_dominates() or None


@lru_cache(maxsize=1)
def _arcsine_dominates() -> bool:
    """E exp(-u (cos(w z) - q)) <= exp(u^2/4) for all u >= 0 and q in [0, 1]."""
    side = (Fraction(0), Fraction(1))
    near = [positive(Smooth.of(p, *symbols)) for p, symbols in _charts()]
    if not holds_on_box(both(*near), Box((side, side)), max_boxes=4000).holds:
        return False
    far = holds_on_box(
        either(_beyond, positive(_bessel_gap())), Box(((Fraction(1), Fraction(8)), side)), max_boxes=20_000
    )
    return far.holds
