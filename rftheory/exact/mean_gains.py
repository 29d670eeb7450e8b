"""Mean logarithms of the gains of optimal positive features over random data (Likhosherstov et al. 2022, 5.1)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import sympy
from flint import acb, arb, ctx, fmpq
from sympy import log

from rftheory.errors import NotCertified
from rftheory.exact.enclosure import certified_integral, not_analytic, widen
from rftheory.exact.formula import Formula, Route, Variable, register
from rftheory.exact.symbols import DIMENSION

Function = Callable[[acb, bool], acb]
"""Of a squared norm, and of whether the integral needs it to be analytic there."""

sigma = sympy.Symbol("sigma", positive=True)
offset = sympy.Symbol("offset", nonnegative=True)
DEVIATION = Variable(sigma, "standard deviation of every coordinate of x and y", above=0)
OFFSET = Variable(offset, "squared norm of the mean of x + y (and of x - y)", low=0, default=0)


@dataclass(frozen=True)
class _Norm:
    """The law of the norm r of a normal vector of covariance I, noncentral chi; ``centre`` is the squared mean.

    The data have Q = unit r^2; ``scale`` is the constant of the density.
    """

    d: int
    unit: arb
    centre: arb
    scale: arb

    @classmethod
    def of(cls, d: int, sigma: arb, offset: arb) -> _Norm:
        unit = 2 * sigma * sigma
        return cls(d, unit, offset / unit, 1 / ((arb(d) / 2).gamma() * arb(2) ** (arb(d) / 2 - 1)))

    def log_density(self, r: arb) -> arb:
        """Logarithm of a bound of the density: 0F1(; d/2; x^2/4) <= e^x, and by I_(d/2-1) <= I_(1/2) from d = 3 on."""
        d, root = self.d, self.centre.sqrt()
        bound, x = self.scale.log() + (d - 1) * r.log() - (r - root) ** 2 / 2, root * r
        if d < 3 or not x > 1:
            return bound
        h = arb(d) / 2
        return bound.min(bound + h.lgamma() + (1 - h) * (x / 2).log() - (2 * arb.pi() * x).log() / 2)

    def log_tail(self, r: arb) -> arb:
        """Logarithm of a bound of the integral from r on, where the density falls fast enough."""
        return self.log_density(r) + self._most(r).log()

    def log_head(self, r: arb) -> arb:
        """Logarithm of a bound of the integral over [0, r], 2 < r <= sqrt(centre).

        There the bound of the density increases, and |log t| integrates to r log r - r + 2 <= r log r.
        """
        return self.log_density(r) + r.log() + self._most(r).log()

    def _most(self, r: arb) -> arb:
        """A bound of the function at r >= 1."""
        return 4 * (1 + self.unit * r * r + abs((self.unit / 5).log()) + 2 * (1 + r).log())

    def near_zero(self, low: arb) -> arb:
        """A bound of the integral over [0, low], low < 1."""
        logs = 8 + 4 * abs((self.unit / 5).log()) - 8 * low.log() + arb(8) / self.d
        return self.scale * (low**self.d / self.d * logs * (self.centre.sqrt() * low).exp())

    def from_zero(self, f: Function, r: acb, analytic: bool) -> acb:
        """The integrand at r."""
        # to scale, so that pieces without weight are done as soon as they are below the precision
        density = self.scale * r ** (self.d - 1) * (-(r * r + self.centre) / 2).exp()
        if not self.centre.is_zero():
            density *= _confluent_limit(self.d, self.centre * r * r / 4)
        return density * f(self.unit * r * r, analytic)

    def about_centre(self, f: Function, u: acb, analytic: bool) -> acb:
        """The same at r = sqrt(centre) + u, by e^-x I_(d/2-1)(x): nothing large cancels."""
        r = self.centre.sqrt() + u
        if not r.real > 1:
            return not_analytic()
        x, h = self.centre.sqrt() * r, arb(self.d) / 2
        logs = h.lgamma() + (1 - h) * (x / 2).log() + (self.d - 1) * r.log() - u * u / 2
        return self.scale * logs.exp() * x.bessel_i(acb(h - 1), scaled=True) * f(self.unit * r * r, analytic)


def _mean_over_data(f: Function, d: int, sigma: arb, offset: arb, *, smooth: bool = False) -> arb:
    """E f(Q) for Q the squared norm of a normal vector of covariance 2 sigma^2 I and squared mean ``offset``.

    The function must satisfy |f(Q)| <= 4 (1 + Q + |log(Q/5)|), which bounds what is cut off at both ends. One that is
    ``smooth``, analytic at Q = 0, is integrated from there on.
    """
    law = _Norm.of(d, sigma, offset)
    root = law.centre.sqrt()
    low, near = arb(0), arb(0)
    if not smooth:
        low = arb(2) ** (-(ctx.prec // d) - 6 - 2 * int(abs(law.unit.log()).upper().ceil().fmpz()))
        near = law.near_zero(low)
    width = arb(d).sqrt() + 8
    high = (root + width).mid()
    while not ((d + 3) / high - high + root <= -1 and law.log_tail(high) <= -(ctx.prec + 16)):
        width = width * arb("1.0625")
        high = (root + width).mid()
    over: Callable[[Function, acb, bool], acb]
    for before in (16, 32, 64, 128, 256, 512):
        r = (root - before).mid()
        if r > 2 and law.log_head(r) <= -(ctx.prec + 16):
            last = width.mid()
            rest = law.log_tail(root + last).exp() + law.log_head(root - before).exp()
            over, start, ends = law.about_centre, root, _half_steps(arb(-before), last)
            break
    else:
        rest = law.log_tail(high).exp() + near
        over, start, ends = law.from_zero, arb(0), _half_steps(low, high)

    def piece(a: arb, b: arb) -> arb:
        # the bits by which the density is below 1 at both ends are not needed, and scaling by a power of 2 is exact
        weight = law.log_density(start + a).max(law.log_density(start + b)) / arb(2).log()
        spare = max(min(int(-float(weight.mid())), ctx.prec - 64), 0) if weight.is_finite() else 0
        with ctx.workprec(ctx.prec - spare):
            value = certified_integral(lambda r, analytic: over(f, r, analytic) * arb(2) ** spare, a, b)
        return value * arb(2) ** -spare

    total = sum((piece(a, b) for a, b in pairwise(ends)), start=arb(0))
    return total + widen(rest.upper())


LONGEST_RANGE = 100_000
"""Of an integral in pieces of one half."""


def _half_steps(low: arb, high: arb) -> list[arb]:
    """Ends of pieces; short ones: on a wide ball the density overflows long before it is bisected away."""
    if not high < LONGEST_RANGE:
        raise NotCertified("mean over pairs", wanted="a short integral", reached=f"a range up to {high.str(3)}",
                           hint="choose other norms")  # fmt: skip
    first = int(float(2 * low)) + 1
    return [low, *(arb(i) / 2 for i in range(first, int(float(2 * high))) if arb(i) / 2 > low), high]


def _confluent_limit(d: int, w: acb) -> acb:
    """0F1(; h; w), h = d/2: expanded at infinity, which costs 1.5 h^2/x bits, x = 2 sqrt(w), or by its series.

    Left to itself, arb expands it without these bits, and may have no digits of it for large d.
    """
    h, x = d / 2, 2 * float(abs(w).upper().sqrt())
    if not x < 8 * h:
        with ctx.workprec(ctx.prec + math.ceil(h / 5)):
            return w.hypgeom([], [acb(h)])
    halving = (
        math.sqrt(h * h + 2 * x * x) - h
    ) / 2  # from this term on, each is at most half of the one before
    return w.hypgeom([], [acb(h)], n=math.ceil(halving) + ctx.prec + 8)


def _log_positive(q: acb, analytic: bool) -> acb:
    """Q -> log(exp(Q) - 1)."""
    return q + (-((-q).expm1())).log(analytic=analytic)


def _optimum_at(d: int) -> Callable[[acb, bool], acb]:
    """Q -> s, where rho* = 1/(1 + 2 s): the root of s (1 + 2 s) = (2 Q/d) (1 + s) that is 0 at Q = 0.

    It has no difference, and its two square roots have their cuts on the negative axis, so it is narrow on wide balls.
    """
    less, more = arb(2).sqrt() - 1, arb(2).sqrt() + 1

    def s(q: acb, analytic: bool) -> acb:
        x = 2 * q / d
        a, b = (_root_of(x + root * root, analytic) for root in (less, more))
        if analytic:  # the same, and narrower on a wide ball
            return (a + b) ** 2 / 8 - 1
        return x * (1 / (a + less) + 1 / (b + more)) * (a + b + less + more) / 8

    return s


def _root_of(z: acb, analytic: bool) -> acb:
    """sqrt(z), and its range on a wide ball to the right of 0, where that of arb is several times too wide.

    The real part grows with Re z and |Im z|, the modulus of the imaginary part falls with Re z and grows with |Im z|.
    """
    if not (analytic and z.real > 0):
        return z.sqrt(analytic=analytic)
    low, high, turn = z.real.lower(), z.real.upper(), abs(z.imag).upper()
    height = acb(low, turn).sqrt().imag
    return acb(low.sqrt().union(acb(high, turn).sqrt().real), height.union(-height))


def _log_second_at(d: int) -> Callable[[acb, bool], acb]:
    """Q -> g(Q), the optimal log second moment: log E Z^2/K^2 is stationary in rho, so g' = rho*."""
    optimum = _optimum_at(d)

    def g(q: acb, analytic: bool) -> acb:
        if analytic:  # on a wide ball, by the mean value theorem
            middle = acb(q.real.mid(), q.imag.mid())
            return g(middle, False) + (q - middle) / (1 + 2 * optimum(q, True))
        s = optimum(q, False)
        return arb(d) / 2 * ((s * s / (1 + 2 * s)).log1p() + s / (1 + s))

    return g


def _log_growth_at(d: int) -> Callable[[acb, bool], acb]:
    """Q -> log(exp(g(Q)) - 1), g the optimal log second moment."""
    g = _log_second_at(d)
    return lambda q, analytic: _log_positive(g(q, analytic), analytic)


def _log_deficit(q: acb, analytic: bool) -> acb:
    """Q -> log((1 - exp(-Q))^2/2), the variance of trigonometric features."""
    return 2 * (-((-q).expm1())).log(analytic=analytic) - arb(2).log()


def mean_over_log_scale(f: Callable[[acb, bool], acb], d: int, sigma: arb, offset: arb) -> arb:
    """The mean of :func:`_mean_over_data` another way: over Q = 2 sigma^2 e^t, mixed over a Poisson number of degrees.

    With |f(Q)| <= 4 (1 + Q + |log(Q/5)|) as there; outside [low, high] the integrand is bounded by
    e^(b t - e^t/2) (e^t + |t| + const), whose logarithm falls at least linearly.

    Examples
    --------
    >>> unit = mean_over_log_scale(lambda q, _: q * 0 + 1, 3, arb(1), arb(0))
    >>> unit.overlaps(arb(1))
    True
    """
    unit = 2 * sigma * sigma
    mean = offset / unit / 2
    most = 4 * (1 + unit + abs((unit / 5).log()))  # |f(unit e^t)| <= most (1 + e^t + |t|)
    total, weight, j, left = arb(0), (-mean).exp(), 0, arb(1)
    while True:
        total += weight * _log_scale_mean(f, fmpq(d, 2) + j, unit, most)
        left = weight * mean / (j + 1)
        j += 1
        # the rest of the mixture: chi-square means grow with j like 2 (d/2 + j), their logarithms slower
        beyond = 4 * left * most * (2 + d + 4 * j)
        if 4 * mean < j + 1 and beyond < arb(2) ** -ctx.prec:
            return total + widen(beyond.upper())
        weight = left


def _log_scale_mean(f: Callable[[acb, bool], acb], shape: fmpq, unit: arb, most: arb) -> arb:
    """E f(unit X), X chi-square with 2 shape degrees of freedom, over t = log X."""
    b = arb(shape)
    floor = -(ctx.prec + 24) * arb(2).log()
    norm = b.lgamma() + b * arb(2).log()

    def log_bound(t: arb) -> arb:
        return b * t - t.exp() / 2 - norm + (most * (1 + t.exp() + abs(t))).log()

    low, high = -arb(1), (2 * b).log() + 1
    while not log_bound(low) + arb(4).log() - b.log() <= floor:
        low = low * 2
    while not (b + 2 - high.exp() / 2 <= -1 and log_bound(high) <= floor):
        high = (high + arb(1) / 8).mid()
    # below low: e^(b t) (2 + |t|) integrates to at most 4/b times the bound once |t| >= 1/b + 1
    low = low - 1 - 1 / b

    def integrand(t: acb, analytic: bool) -> acb:
        x = t.exp()
        return (b * t - x / 2 - norm).exp() * f(unit * x, analytic)

    ends = [low, *(low + (high - low) * i / 32 for i in range(1, 32)), high]
    value = sum((certified_integral(integrand, a, e) for a, e in pairwise(ends)), start=arb(0))
    return value + widen((log_bound(high).exp() + 4 / b * log_bound(low).exp()).upper())


def _log_gain_at(d: int) -> Callable[[acb, bool], acb]:
    """Q -> log((exp(Q) - 1)/(exp(g(Q)) - 1)), which is analytic at Q = 0: both logarithms are log Q and a power series.

    There g/Q is enclosed as the mean of g' = rho* on the segment from 0 to Q.
    """
    optimum, second = _optimum_at(d), _log_second_at(d)

    def f(q: acb, analytic: bool) -> acb:
        g = second(q, analytic)
        if not q.real > 0:
            over = 1 / (1 + 2 * optimum(q.union(acb(0)), True))
            return _log_expm1_over(q, True) - _log_expm1_over(g, True) - over.log(analytic=True)
        if analytic:
            return _log_positive(q, True) - _log_positive(g, True)
        return q - g + ((-q).expm1() / (-g).expm1()).log()  # one logarithm is enough for a narrow ball

    return f


def _log_expm1_over(q: acb, analytic: bool) -> acb:
    """log((exp(q) - 1)/q), 0 at q = 0."""
    return q / 2 + (acb(0, 1) * q / 2).sinc().log(analytic=analytic)


def _mean_log_gain(d: int, sigma: arb, offset: arb) -> arb:
    return _mean_over_data(_log_gain_at(d), d, sigma, offset, smooth=True)


def _mean_log_gain_by_parts(d: int, sigma: arb, offset: arb) -> arb:
    """E Q in closed form, and the two logarithms one by one."""
    deficit = _mean_over_data(_log_deficit, d, sigma, offset) + arb(2).log()
    growth = _mean_over_data(_log_growth_at(d), d, sigma, offset)
    return 2 * sigma * sigma * d + offset + deficit / 2 - growth


MOST_DEGREES = 4000
"""Squared mean, in units of the variance, up to which a Poisson number of degrees of freedom is summed over."""


def _mean_log_gain_trig(d: int, sigma: arb, offset: arb) -> arb:
    """The gain over positive features and log((1 - e^-Q)/Q) are analytic at Q = 0, and log Q has a mean of its own."""
    if not offset < 2 * MOST_DEGREES * sigma * sigma:
        return _mean_log_gain_trig_apart(d, sigma, offset)
    gain = _log_gain_at(d)

    def f(q: acb, analytic: bool) -> acb:
        # either is right: the second is analytic at q = 0, the first stays narrow for large q
        over = _log_positive(q, analytic) - q.log() if q.real > 1 else _log_expm1_over(q, analytic)
        return gain(q, analytic) + over - q

    smooth = _mean_over_data(f, d, sigma, offset, smooth=True)
    return smooth + _mean_log(d, sigma, offset) - arb(2).log()


def _mean_log(d: int, sigma: arb, offset: arb) -> arb:
    """E log Q: a Poisson number j of degrees more, with E log chi^2_(d + 2 j) = log 2 + psi(d/2 + j) <= d + 2 j."""
    mean, half = offset / (4 * sigma * sigma), arb(d) / 2
    weight, log, total, j = (-mean).exp(), half.digamma(), arb(0), 0
    while True:
        total += weight * log
        log += 1 / (half + j)
        j += 1
        weight = weight * mean / j
        # beyond, each weight is at most half of the one before, and (d + 2 (j + i))/2^i sums to 2 d + 4 j + 4
        rest = weight * (2 * d + 4 * j + 4)
        if j > 2 * mean and rest < arb(2) ** -(ctx.prec + 8):
            return total + (4 * sigma * sigma).log() + widen(rest.upper())


def _mean_log_gain_trig_apart(d: int, sigma: arb, offset: arb) -> arb:
    growth = _mean_over_data(_log_growth_at(d), d, sigma, offset)
    return _mean_over_data(_log_deficit, d, sigma, offset) - growth + 2 * sigma * sigma * d + offset


def _mean_log_gain_trig_by_gain(d: int, sigma: arb, offset: arb) -> arb:
    """Through the gain over positive features: log Var TrigRF - log Var PosRF has mean E log(1-exp(-Q)) - log 2."""
    deficit = _mean_over_data(_log_deficit, d, sigma, offset) - arb(2).log()
    return _mean_log_gain(d, sigma, offset) + deficit / 2


_DATA = (DIMENSION, DEVIATION, OFFSET)
_LOG_RATIO = sympy.Function("E")(log(sympy.Symbol("Var_PosRF") / sympy.Symbol("Var_OPRF")))

mean_log_gain = register(Formula(name="mean_log_gain",
    says="mean of log(Var PosRF / Var OPRF) over normal x and y (offset = d sigma^2 for the heterogeneous data)",
    source="chefs.5.1.oprf-pos", variables=_DATA, expression=_LOG_RATIO, readable=False,
    routes=(Route("integral", _mean_log_gain, "over the noncentral chi density of |x + y|"),
        Route("by parts", _mean_log_gain_by_parts, "mean square in closed form, logarithms apart"),
        Route("log scale", lambda d, sigma, offset: mean_over_log_scale(_log_gain_at(d), d, sigma, offset),
            "Poisson mixture of central chi-square laws, over the logarithm of the square",
            lambda values: bool(values["offset"] <= values["sigma"] ** 2))),
    fast="integral"))  # fmt: skip

mean_log_gain_trig = register(Formula(name="mean_log_gain_trig",
    says="mean of log(Var TrigRF / Var OPRF) over normal x and y (offset = d sigma^2 for the heterogeneous data)",
    source="chefs.5.1.gerf-trig", variables=_DATA,
    expression=sympy.Function("E")(log(sympy.Symbol("Var_TrigRF") / sympy.Symbol("Var_OPRF"))), readable=False,
    routes=(Route("integral", _mean_log_gain_trig, "mean of log |x + y|^2 by its series, the rest an integral"),
        Route("logarithms apart", _mean_log_gain_trig_apart, "logarithms one by one, over the noncentral chi density"),
        Route("by the gain over positive features", _mean_log_gain_trig_by_gain, "difference of the two gains"),
        Route("log scale", lambda d, sigma,
            offset: (mean_over_log_scale(_log_gain_at(d), d, sigma, offset)
                + mean_over_log_scale(_log_deficit, d, sigma, offset) / 2 - arb(2).log() / 2),
            "Poisson mixture of central chi-square laws, over the logarithm of the square",
            lambda values: bool(values["offset"] <= values["sigma"] ** 2))),
    fast="integral"))  # fmt: skip
