"""The global minimum of the variance (6) of generalised exponential features over complex A and s = +-1.

With w = 1 - 8A = exp(lambda), lambda = l + i phi, |phi| < pi/2, and t = |x + s y|^2, the second moment (6) + K^2 is
K^2 times

    F(lambda) = (Re h(lambda) + T(lambda))/2,   h = cosh(lambda/2)^d exp(s t e^(-lambda)),
    T = |cosh(lambda/2)|^d cos(phi)^(-d/2) exp(t (-s/2 + (s + |1 + w|)/(2 Re w))),

so that the minimum for one sign depends on d and t alone: of s = 1 on |x + y|^2, of s = -1 on |x - y|^2. The set of
complex A is unbounded; :func:`_search_box` cuts off, with a proof, what cannot compete, and :func:`real_is_best` proves
by branch and bound that no complex A is better than the best real one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import sympy
from flint import acb, arb, ctx
from sympy import cosh, exp

from rftheory.errors import InvalidInput, NotCertified
from rftheory.exact.enclosure import Exact, exact_fraction, meet, rational_ball
from rftheory.exact.search import Box, Predicate, ProofLog, Smooth, certified_minimum, holds_on_box, rational

# ---- second order in two variables --------------------------------------------------------------------


@dataclass(frozen=True)
class _Jet:
    """A function of l and phi over a box: value, the two first and the three second derivatives."""

    f: arb
    l: arb
    p: arb
    ll: arb
    lp: arb
    pp: arb

    def __add__(self, other: _Jet) -> _Jet:
        return _Jet(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def shifted(self, constant: arb) -> _Jet:
        return _Jet(self.f + constant, *self.parts[1:])

    def times(self, factor: arb) -> _Jet:
        return _Jet(*(factor * a for a in self.parts))

    def __mul__(self, other: _Jet) -> _Jet:
        a, b = self, other
        return _Jet(
            a.f * b.f,
            a.l * b.f + a.f * b.l,
            a.p * b.f + a.f * b.p,
            a.ll * b.f + 2 * a.l * b.l + a.f * b.ll,
            a.lp * b.f + a.l * b.p + a.p * b.l + a.f * b.lp,
            a.pp * b.f + 2 * a.p * b.p + a.f * b.pp,
        )

    def mapped(self, value: arb, first: arb, second: arb) -> _Jet:
        """The composition with a function of the given value and derivatives."""
        return _Jet(
            value,
            first * self.l,
            first * self.p,
            second * self.l * self.l + first * self.ll,
            second * self.l * self.p + first * self.lp,
            second * self.p * self.p + first * self.pp,
        )

    def exp(self) -> _Jet:
        value = self.f.exp()
        return self.mapped(value, value, value)

    def log(self) -> _Jet:
        return self.mapped(self.f.log(), 1 / self.f, -1 / (self.f * self.f))

    def inverse(self) -> _Jet:
        value = 1 / self.f
        return self.mapped(value, -value * value, 2 * value**3)

    def sqrt(self) -> _Jet:
        root = self.f.sqrt()
        return self.mapped(root, 1 / (2 * root), -1 / (4 * root * self.f))

    @property
    def parts(self) -> tuple[arb, ...]:
        return (self.f, self.l, self.p, self.ll, self.lp, self.pp)


ZERO = arb(0)


def _log_second_part(n: int, t: arb, s: int, l: arb, phi: arb) -> _Jet:
    """log T and its derivatives; with u = e^-l and c = cos(phi), |1 + w|/Re w is (1 + 2 c u + u^2)^(1/2)/c."""
    cos, sin = phi.cos(), phi.sin()
    cosine = _Jet(cos, ZERO, -sin, ZERO, ZERO, -cos)
    hyperbolic, slope = (l.exp() + (-l).exp()) / 2, (l.exp() - (-l).exp()) / 2
    height = _Jet(hyperbolic, slope, ZERO, hyperbolic, ZERO, ZERO)
    decay = (-l).exp()
    u = _Jet(decay, -decay, ZERO, decay, ZERO, ZERO)
    twice = (cosine * u).times(arb(2)).shifted(arb(1))
    modulus = (twice + u * u).sqrt()
    top = modulus + u if s == 1 else twice * (modulus + u).inverse()
    spread = (height + cosine).log() + cosine.times(arb(2)).log().times(arb(-1))
    exponent = (top * cosine.inverse()).shifted(-arb(s)).times(t / 2)
    return spread.times(arb(n) / 2) + exponent


@dataclass(frozen=True)
class _Pieces:
    """Over a box: log h and its two complex derivatives, and log T with all derivatives."""

    log_h: acb
    first: acb
    second: acb
    log_t: _Jet

    @classmethod
    def of(cls, n: int, t: arb, s: int, l: arb, phi: arb, log_scale: arb) -> _Pieces:
        point = acb(l, phi)
        hyperbolic, decay = (point / 2).cosh(), s * t * (-point).exp()
        return cls(
            n * hyperbolic.log() + decay - log_scale,
            arb(n) / 2 * (point / 2).tanh() - decay,
            arb(n) / (4 * hyperbolic * hyperbolic) + decay,
            _log_second_part(n, t, s, l, phi).shifted(-log_scale),
        )

    def jet(self) -> _Jet:
        """F and its derivatives."""
        h = self.log_h.exp()
        h1, h2 = h * self.first, h * (self.first * self.first + self.second)
        part = _Jet(h.real, h1.real, -h1.imag, h2.real, -h2.imag, -h2.real)
        return (part + self.log_t.exp()).times(arb("0.5"))


def second_moment(n: int, t: arb, s: int, l: arb, phi: arb, log_scale: arb) -> _Jet:
    """F exp(-log_scale) and its derivatives over a box of l and phi, in dimension n.

    Examples
    --------
    >>> real = second_moment(2, arb(1), 1, arb(0), arb(0), arb(0))  # A = 0, s = 1: E (Z/K)^2 = e^t
    >>> real.f.overlaps(arb(1).exp())
    True
    """
    return _Pieces.of(n, t, s, l, phi, log_scale).jet()


# ---- what cannot compete ---------------------------------------------------------------------------------


def _is_far(n: int, t: arb, s: int, l: arb, level: arb) -> bool:
    """Whether it is proved that F > level for all l beyond the given one (away from 0), whatever phi.

    T >= cosh(l/2)^d e^t for s = -1 and >= cosh(l/2)^d e^(t/Re w) for s = 1, and |h| <= T cos(phi)^(d/2), for s = -1
    even |h| <= T e^(-t) cos(phi)^(d/2). For s = 1 the phase of h is at most (d/2 + t e^-l) phi, so up to
    phi = pi/(d + 2 t e^-l) Re h >= 0, and beyond it |h|/T <= cos(phi)^(d/2), with
    1 - cos(phi)^(d/2) >= (1 - cos phi)/2 >= (phi/pi)^2. The bounds increase with |l|: for l < 0 since
    e^x/(d + 2x)^2 increases for x = t e^-l >= 2.
    """
    base = (((l / 2).exp() + (-l / 2).exp()) / 2) ** n
    if s == -1:
        return bool(base * (t.exp() - 1) / 2 > level)
    decay = t * (-l).exp()
    share = 1 / (n + 2 * decay) ** 2
    if l > 0:
        return bool(base * share / 2 > level)
    return bool(decay >= 2) and bool(base * decay.exp() * share / 2 > level)


def _reach(n: int, t: arb, s: int, sign: int, level: arb) -> Fraction:
    """The first l with this sign beyond which F > level is proved."""
    ends = (Fraction(sign * k, 8) for k in range(1, 800))
    found = next((x for x in ends if _is_far(n, t, s, rational_ball(x), level)), None)
    if found is None:
        raise NotCertified("search box", wanted="a bounded domain", reached="none up to |l| = 100")
    return found


def _is_steep(n: int, t: arb, s: int, phi: arb, ends: tuple[arb, arb], level: arb) -> bool:
    """Whether it is proved that F > level for all angles from phi on and all l between the ends.

    With c = cos(phi), T >= ((1+c)/(2c))^(d/2) e^E and |h| <= T c^(d/2), where E = t/(r c), r = e^l, for s = 1, and
    E = t/2 + t (|1 + i r| - 1)/(2 r c) for s = -1, which increase with phi.
    """
    c = phi.cos()
    low, high = ends[0].exp(), ends[1].exp()
    exponent = t / (high * c) if s == 1 else t * (1 + ((1 + low * low).sqrt() - 1) / (low * c)) / 2
    bound = ((1 + c) / (2 * c)) ** (arb(n) / 2) * (1 - c ** (arb(n) / 2)) / 2 * exponent.exp()
    return bool(bound > level)


def _search_box(n: int, t: arb, s: int, level: arb) -> Box:
    """A box of l and phi >= 0 outside which F > level (phi < 0 is the mirror image).

    Raises
    ------
    NotCertified : no box of reasonable size is found.
    """
    left, right = _reach(n, t, s, -1, level), _reach(n, t, s, 1, level)
    ends = rational_ball(left), rational_ball(right)
    half = arb.pi() / 2
    angles = (exact_fraction((half * (1 - arb(2) ** (-arb(k) / 4))).mid()) for k in range(4, 300))
    top = next((x for x in angles if _is_steep(n, t, s, rational_ball(x), ends, level)), None)
    if top is None:
        raise NotCertified("search box", wanted="an angle below pi/2", reached="none")
    return Box(((left, right), (Fraction(0), top)))


# ---- the minimum -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RealMinimum:
    """The least F over real A: its logarithm, and l = log(1 - 8A) there.

    Examples
    --------
    >>> least = real_minimum(8, 1, 1)
    >>> bool(least.log_value < 1), bool(least.at > 0)
    (True, True)
    """

    log_value: arb
    at: arb


def real_minimum(n: int, t: Exact, s: int, digits: int = 12) -> RealMinimum:
    """The minimum over real A for one sign: Theorem 3.3 for s = 1, a certified search for s = -1.

    Examples
    --------
    >>> found = real_minimum(4, "1/4", -1)
    >>> found.at.str(6, radius=False), found.log_value.str(6, radius=False)
    ('-0.102951', '0.0260782')
    """
    if s not in (1, -1):
        raise InvalidInput("s", needs="+1 or -1", got=s)
    square = rational_ball(rational(t, "t"))
    if s == 1:
        root = ((2 * square + n) ** 2 + 8 * n * square).sqrt()
        rho = 2 * n / (2 * square + n + root)
        return RealMinimum(n * ((1 + rho) / (2 * rho.sqrt())).log() + square * rho, -rho.log())
    return _sine_minimum(n, rational(t, "t"), digits)


@lru_cache(maxsize=256)
def _sine_minimum(n: int, t: Fraction, digits: int) -> RealMinimum:
    """s = -1: F(0) is the trigonometric value cosh t, and F >= cosh(l/2)^d (e^t - 1)/2 confines l."""
    square = rational_ball(t)
    level = (square.exp() + (-square).exp()) / 2
    reach = _reach(n, square, -1, 1, level)
    l = sympy.Symbol("l", real=True)
    exact = sympy.Rational(t.numerator, t.denominator)
    f = Smooth.of(cosh(l / 2) ** n * (1 + exp(-exact * exp(-l) - exact)) / 2, l)
    found = certified_minimum(f, Box(((-reach, reach),)), digits=digits, subject="least F, s = -1")
    at = found.point[0] if found.point is not None else arb.nan()
    return RealMinimum(arb(acb(found.value.ball).real).log() + square, at)


def real_is_best(n: int, t: Exact, s: int, *, factor: Exact = 1, max_boxes: int = 60_000) -> ProofLog:
    """Prove by branch and bound that F >= factor times the least F over real A, for every complex A.

    A box is done if F exceeds that value on it, or if F is convex in phi on the whole strip below it, down to the
    real axis, about which F is symmetric, so that F >= F(l, 0) there.

    Examples
    --------
    >>> real_is_best(2, 1, 1).verdict
    'holds'
    >>> real_is_best(2, 1, 1, factor="1.01").verdict
    'fails'
    """
    with ctx.workprec(96):
        square = rational_ball(rational(t, "t"))
        least = real_minimum(n, t, s)
        share = rational_ball(rational(factor, "factor"))
        box = _search_box(n, square, s, share * least.log_value.exp())
        return holds_on_box(
            _predicate(n, square, s, least.log_value, share), box, max_boxes=max_boxes, bits=96
        )


def _predicate(n: int, t: arb, s: int, log_least: arb, share: arb) -> Predicate:
    def decide(part: Box) -> bool | None:
        if _at_the_corner(n, t, s, log_least, part, share):
            return True
        l, phi = part.balls()
        pieces = _Pieces.of(n, t, s, l, phi, log_least)
        value = _enclosed(n, t, s, log_least, part, pieces)
        if value > share:
            return True
        if value < share:
            return False
        if share > 1 or part.width == 0:
            return None
        strip = second_moment(n, t, s, l, arb(0).union(phi), log_least)
        return True if strip.pp > 0 else None

    return decide


def _at_the_corner(n: int, t: arb, s: int, log_least: arb, part: Box, share: arb) -> bool:
    """Whether F > share exp(log_least) is proved on a box by monotone bounds, without any derivative.

    T falls with c = cos(phi), rises with |l| but for its exponent, which falls (s = 1) or rises (s = -1) with l;
    log(T/|h|) >= -(d/2) log c + t sin(phi)^2/(r c) (s = 1), and + t (s = -1); the phase of h is at most
    (d/2 + t/r) phi, and up to pi/2 Re h >= 0.
    """
    (left, right), (low, high) = ((rational_ball(x) for x in side) for side in part.sides)
    c, nearest = low.cos(), arb(0)
    if left > 0 or right < 0:
        nearest = left if left > 0 else right
    u = (-right).exp() if s == 1 else (-left).exp()
    root = (1 + 2 * c * u + u * u).sqrt()
    exponent = t * (-arb(s) + (s * u + root) / c) / 2
    height = (nearest.exp() + (-nearest).exp()) / 2
    log_t = arb(n) / 2 * ((height + c) / (2 * c)).log() + exponent - log_least
    gap = -arb(n) / 2 * c.log() + (t * (1 - c * c) * u / c if s == 1 else t)
    size = log_t.exp() / 2
    if size * (1 - (-gap).exp()) > share:
        return True
    phase = (arb(n) / 2 + t * (-left).exp()) * high
    return bool(phase < arb.pi() / 2) and bool(size > share)


def _enclosed(n: int, t: arb, s: int, log_least: arb, part: Box, pieces: _Pieces) -> arb:
    """F over a box: directly, by its mean-value form, and through those of log h and log T."""
    jet = pieces.jet()
    if part.width == 0:
        return jet.f
    (l, phi), middle = part.balls(), [rational_ball(x) for x in part.midpoint]
    centre = _Pieces.of(n, t, s, middle[0], middle[1], log_least)
    step = l - middle[0], phi - middle[1]
    value = meet(jet.f, centre.jet().f + jet.l * step[0] + jet.p * step[1])
    moved = pieces.first * acb(*step)
    size = meet(pieces.log_h.real, centre.log_h.real + moved.real)
    phase = meet(pieces.log_h.imag, centre.log_h.imag + moved.imag)
    whole = meet(pieces.log_t.f, centre.log_t.f + pieces.log_t.l * step[0] + pieces.log_t.p * step[1])
    value = meet(value, (size.exp() * phase.cos() + whole.exp()) / 2)
    gap = centre.log_t.f - centre.log_h.real
    gap += (pieces.log_t.l - pieces.first.real) * step[0] + (pieces.log_t.p + pieces.first.imag) * step[1]
    gap = meet(pieces.log_t.f - pieces.log_h.real, gap)
    return meet(value, size.exp() * (gap.exp() + phase.cos()) / 2)
