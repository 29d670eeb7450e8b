"""Tails of bounded GERF estimators (s = 1, real A < 0): law of one feature, Hoeffding and Chernoff, attention.

Completing the square, Z = top exp(2 A |w - mu|^2) with |mu|^2 = (1-4A) |x+y|^2/(16 A^2), so that |w - mu|^2 is
noncentral chi-square and Z lies in (0, top].
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import sympy
from flint import acb, acb_poly, arb, arb_poly, ctx
from sympy import Integral, Piecewise, exp, gamma, hyper, log, sqrt

from rftheory.errors import NotCertified
from rftheory.exact.conformity import within
from rftheory.exact.enclosure import certified_integral, widen
from rftheory.exact.exponential import (
    GAUSSIAN_KERNEL,
    LOG_SECOND,
    NEGATIVE_SHAPE,
    OPTIMAL_SHAPE,
    PAIR_DATA,
    SQUARES,
    A,
    _rho_by_bisection,
    _shape_of,
    monotone_root,
)
from rftheory.exact.formula import (
    DIGITS_OF_INTEGRALS,
    Condition,
    Formula,
    Route,
    Variable,
    logarithms,
    register,
)
from rftheory.exact.noncentral import noncentral_ball
from rftheory.exact.substitution import with_values
from rftheory.exact.symbols import DIMENSION, FEATURES, d, m, v, z

eps = sympy.Symbol("eps", positive=True)
delta = sympy.Symbol("delta", positive=True)
R = sympy.Symbol("R", positive=True)
radius = sympy.Symbol("r", nonnegative=True)

ERROR = Variable(eps, "size of the error", above=0)
RADIUS = Variable(R, "radius of the ball of queries and keys (rows of Q and K, before scaling)", above=0)

_q = v**2
_rate = 1 - 4 * A
TOP = _rate ** (d / 2) * exp(-(z**2) / 2 - _q / (8 * A))
"""The largest value of one feature pair."""
LOG_TOP = d * log(_rate) / 2 - z**2 / 2 - _q / (8 * A)

_LAW = (DIMENSION, NEGATIVE_SHAPE, *PAIR_DATA)


# ---- the range -----------------------------------------------------------------------------------------


def _literal_top(d: int, A: arb, v: arb, z: arb) -> arb:
    """(4)-(5) at the stationary point: the exponent 2 A r^2 + B r v is largest at r = -B v/(4A)."""
    slope = (1 - 4 * A).sqrt()
    r = -slope * v / (4 * A)
    return (1 - 4 * A).root(4) ** (2 * d) * (2 * A * r * r + slope * r * v - (v * v + z * z) / 2).exp()


def _log_literal_top(d: int, A: arb, v: arb, z: arb) -> arb:
    rho = 1 / (1 - 8 * A)
    return arb(d) / 2 * ((1 + 1 / rho) / 2).log() - z * z / 2 + v * v * rho / (1 - rho)


gerf_bound = register(Formula(name="gerf_bound", says="largest value of one GERF estimator, s = 1 and A < 0",
    source="chefs.3.3.A-negative", variables=_LAW, expression=TOP,
    routes=(Route("stationary point", _literal_top, "(4)-(5) literally at the maximiser"),
        Route("by rho", lambda d, A, v, z: _log_literal_top(d, A, v, z).exp(),
            "through rho = 1/(1-8A), in the log domain"))))  # fmt: skip

log_gerf_bound = register(Formula(name="log_gerf_bound",
    says="logarithm of the largest value of one GERF estimator, s = 1 and A < 0", source="chefs.3.3.A-negative",
    variables=_LAW, expression=LOG_TOP,
    routes=(Route("by rho", _log_literal_top, "through rho = 1/(1-8A)"),
        *logarithms(gerf_bound, "stationary point"))))  # fmt: skip


# ---- exact law of one feature --------------------------------------------------------------------------

_noncentrality = _rate * _q / (16 * A**2)


def _noncentral_distribution(square: sympy.Expr) -> sympy.Expr:
    """P(|w - mu|^2 <= square): integral of the noncentral chi density, a Gaussian averaged over the sphere."""
    density = (
        radius ** (d - 1)
        * exp(-(radius**2 + _noncentrality) / 2)
        * hyper((), (d / 2,), _noncentrality * radius**2 / 4)
    )
    return Integral(density, (radius, 0, sqrt(square))) / (2 ** (d / 2 - 1) * gamma(d / 2))


def _square_of(level: sympy.Expr) -> sympy.Expr:
    """|w - mu|^2 at which Z falls to ``level``."""
    return (LOG_TOP - log(level)) / (-2 * A)


def _square_ball(d: int, A: arb, v: arb, z: arb, level: arb) -> arb:
    return (_log_literal_top(d, A, v, z) - level.log()) / (-2 * A)


def _by_axis(d: int, noncentrality: arb, square: arb) -> arb:
    """P(|w - mu|^2 <= square) with mu along the first axis: a normal coordinate, and d - 1 central ones.

    With t = sqrt(square) sin a the other coordinates have squares that add up to at most ``square cos(a)^2``;
    P(s, x) = x^s gamma*(s, x) with an entire gamma*, so the integrand is analytic. For large s Arb's
    enclosure of gamma* over the wide balls of a quadrature says little, and that of the same number as
    e^-x 1F1(1; s + 1; x)/Gamma(s + 1) much. Written as 2F2(1, 1; s + 1, 1; x) it is summed term by term; Arb has
    other ways for 1F1, which take 500 times as long over wide balls.
    """
    root, mean, shape = square.sqrt(), noncentrality.sqrt(), arb(d - 1) / 2
    scale = (square / 2) ** shape / (2 * arb.pi()).sqrt() * root if d > 1 else arb(1)
    if d > SMALL_DIMENSION:
        scale /= (shape + 1).gamma()

    def integrand(a: acb, _: bool) -> acb:
        along, cosine = root * a.sin(), a.cos()
        x = square * cosine * cosine / 2
        normal = (-((along - mean) ** 2) / 2).exp() * cosine**d
        if d > SMALL_DIMENSION:
            series = (  # either is right: they are equal
                x.hypgeom([1, 1], [shape + 1, 1]) if square < LARGE_SQUARE else x.hypgeom_1f1(1, shape + 1)
            )
            return normal * (-x).exp() * series
        return normal * x.gamma_lower(acb(shape), regularized=2)

    if d == 1:
        return (((root - mean) / arb(2).sqrt()).erf() + ((root + mean) / arb(2).sqrt()).erf()) / 2
    return scale * certified_integral(integrand, -arb.pi() / 2, arb.pi() / 2)


SMALL_DIMENSION = 8
"""Up to this d Arb's incomplete gamma function takes less time than 1F1, by 100 times at large squares."""
LARGE_SQUARE = 500
"""From here on the sum is too long to be taken term by term."""


def _distance(A: arb, v: arb) -> arb:
    """|mu|^2."""
    return (1 - 4 * A) * v * v / (16 * A * A)


def _upper(law: Callable[[int, arb, arb], arb]) -> Callable[..., arb]:
    """The upper tail, from P(|w - mu|^2 <= square) as a function of d, |mu|^2 and the square."""

    def ball(d: int, A: arb, v: arb, z: arb, eps: arb) -> arb:
        square = _square_ball(d, A, v, z, (-z * z / 2).exp() + eps)
        if square <= 0:
            return arb(0)
        if not square > 0:  # anything up to the largest ball that it may be
            return arb(0).union(law(d, _distance(A, v), arb(square.upper())).upper())
        return law(d, _distance(A, v), square)

    return ball


def _lower(law: Callable[[int, arb, arb], arb]) -> Callable[..., arb]:
    """The lower tail, from the same probability."""

    def ball(d: int, A: arb, v: arb, z: arb, eps: arb) -> arb:
        level = (-z * z / 2).exp() - eps
        if level <= 0:
            return arb(0)
        if not level > 0:  # anything up to the tail below the largest level that it may be
            outside = 1 - law(d, _distance(A, v), _square_ball(d, A, v, z, arb(level.upper())))
            return arb(0).union(outside.upper())
        return 1 - law(d, _distance(A, v), _square_ball(d, A, v, z, level))

    return ball


_above, _below = GAUSSIAN_KERNEL + eps, GAUSSIAN_KERNEL - eps
UPPER = Piecewise((_noncentral_distribution(_square_of(_above)), log(_above) < LOG_TOP), (0, True))
LOWER = Piecewise((1 - _noncentral_distribution(_square_of(_below)), _below > 0), (0, True))
_TAIL = (*_LAW, ERROR)
_smooth = within(v=6, z=6, d=64)

gerf_upper_tail = register(Formula(name="gerf_upper_tail",
    says="P(Z >= K + eps) of one GERF estimator, s = 1 and A < 0", source="ours, for chefs.thm4.2", variables=_TAIL,
    expression=UPPER, readable=False, zero=_above >= TOP,
    routes=(Route("Poisson mixture", _upper(noncentral_ball), "mixture of central chi-square laws"),
        Route("one axis apart", _upper(_by_axis), "a normal coordinate along mu, central chi-square rest", _smooth,
            digits=DIGITS_OF_INTEGRALS),
        Route("density", UPPER, "integral of the noncentral chi density", _smooth)),
    fast="Poisson mixture"))  # fmt: skip

gerf_lower_tail = register(Formula(name="gerf_lower_tail",
    says="P(Z <= K - eps) of one GERF estimator, s = 1 and A < 0", source="ours, for chefs.thm4.2", variables=_TAIL,
    expression=LOWER, readable=False, zero=_below <= 0,
    routes=(Route("Poisson mixture", _lower(noncentral_ball), "mixture of central chi-square laws"),
        Route("one axis apart", _lower(_by_axis), "a normal coordinate along mu, central chi-square rest", _smooth,
            digits=DIGITS_OF_INTEGRALS),
        Route("density", LOWER, "integral of the noncentral chi density", _smooth)),
    fast="Poisson mixture"))  # fmt: skip

gerf_tail = register(Formula(name="gerf_tail", says="P(|Z - K| >= eps) of one GERF estimator, s = 1 and A < 0",
    source="ours, for chefs.thm4.2", variables=_TAIL, expression=UPPER + LOWER, readable=False,
    zero=(_above >= TOP) & (_below <= 0),
    routes=(
        Route("Poisson mixture", lambda **values: _upper(noncentral_ball)(**values) + _lower(noncentral_ball)(**values),
            "mixtures of central chi-square laws"),
        Route("one axis apart", lambda **values: _upper(_by_axis)(**values) + _lower(_by_axis)(**values),
            "a normal coordinate along mu, central chi-square rest", _smooth,
            digits=DIGITS_OF_INTEGRALS),
        Route("density", UPPER + LOWER, "integrals of the noncentral chi density", _smooth)),
    fast="Poisson mixture"))  # fmt: skip


# ---- Theorem 4.2: Hoeffding ----------------------------------------------------------------------------

TAIL_BOUND = 2 * exp(-2 * m * eps**2 / TOP**2)
NORM_TAIL_BOUND = 2 * exp(-2 * m * eps**2 * exp(SQUARES / (2 * A)) * _rate ** (-d))
PRINTED_TAIL_BOUND = 2 * exp(-m * eps**2 / 2 * exp(SQUARES / (2 * A)) * _rate ** (-d / 2))
"""The first bound of Theorem 4.2 as printed. It fails for large |A| and eps: the range of Z is (1-4A)^(d/2) at
x = y = 0, so its square brings the power -d, not -d/2."""

_BOUNDED = (*_LAW, ERROR, FEATURES)

tail_bound = register(Formula(name="tail_bound",
    says="Hoeffding bound of P(|K^ - K| >= eps), m independent GERF features, s = 1 and A < 0",
    source="chefs.thm4.2, with the exact range", variables=_BOUNDED, expression=TAIL_BOUND,
    routes=(
        Route("log range", lambda d, A, v, z, eps,
            m: (2 * (-2 * m * (2 * (eps.log() - _log_literal_top(d, A, v, z))).exp()).exp()),
            "through the logarithm of the range"),
        Route("literal range", lambda d, A, v, z, eps,
            m: (2 * (-2 * (m * eps) ** 2 / (m * _literal_top(d, A, v, z) ** 2)).exp()),
            "Hoeffding's form with the sum of the squared ranges, (4)-(5) at the maximiser"))))  # fmt: skip

printed_tail_bound = register(Formula(name="printed_tail_bound",
    says="first right side of Theorem 4.2 as printed, which is not a bound for large |A| and eps",
    source="chefs.thm4.2 (a)", variables=_BOUNDED, expression=PRINTED_TAIL_BOUND,
    routes=(
        Route("range", lambda d, A, v, z, eps,
            m: (2
                * (-m * (eps / _literal_top(d, A, (v * v + z * z).sqrt(), arb(0))) ** 2 / 2 * (1 - 4 * A) ** (
                    arb(d) / 2)).exp()),
            "through the largest range of an estimate"),
        Route("log domain", lambda d, A, v, z, eps,
            m: (2 * (-m * (2 * eps.log() + (v * v + z * z) / (4 * A) - d * (1 - 4 * A).log() / 2).exp() / 2).exp()),
            "the exponent by logarithms"))))  # fmt: skip

tail_bound_norms = register(Formula(name="tail_bound_norms",
    says="bound of P(|K^ - K| >= eps) by |x|^2 + |y|^2 alone: Theorem 4.2 corrected",
    source="chefs.thm4.2 corrected: (1-4A)^(-d), and 2 in place of 1/2", variables=_BOUNDED,
    expression=NORM_TAIL_BOUND,
    routes=(
        Route("largest range", lambda d, A, v, z, eps,
            m: (2 * (-2 * m * (eps / _literal_top(d, A, (v * v + z * z).sqrt(), arb(0))) ** 2).exp()),
            "the range at the largest |x+y|^2 that |x|^2 + |y|^2 leaves, x = y"),
        Route("log domain", lambda d, A, v, z, eps,
            m: (2 * (-2 * m * (2 * eps.log() + (v * v + z * z) / (4 * A) - d * (1 - 4 * A).log()).exp()).exp()),
            "the exponent by logarithms"))))  # fmt: skip


# ---- Theorem 4.2: Legendre transform -------------------------------------------------------------------


def _scaled_moments(d: int, A: arb, v: arb, count: int) -> list[arb]:
    """E (Z/top)^n, n = 0..count-1: decreasing in n from 1."""
    rate, q = 1 - 4 * A, v * v
    found = []
    for n in range(count):
        spread = 1 - 4 * n * A
        # exponent of E (Z/K)^n less n times that of top/K; the powers of 1-4A cancel
        exponent = n * n * rate * q / (2 * spread) - n * q / 2 + n * q / (8 * A)
        found.append(exponent.exp() * spread ** (-arb(d) / 2))
    return found


Generating = Callable[[arb], tuple[arb, arb]]
"""theta -> (E exp(theta W) - 1, E W exp(theta W)) for W = Z/top, both with small relative errors."""
LARGEST_TILT = 2**17
"""The largest tilt theta of W at which a maximiser is sought by moments, whose number grows with it."""
MOST_TILT = 2**26
"""The largest one at which it is sought by the peak of the density, and the largest |mu|^2."""


def _generating_by_moments(d: int, A: arb, v: arb, largest: arb) -> Generating:
    """The power series in theta up to ``largest``; the tail is that of exp times E W, as E W^n <= E W."""
    count = 8
    term = largest**count / arb.fac_ui(count)
    while not (term < arb(2) ** (-ctx.prec) and count > 2 * largest):
        count += 1
        term = term * largest / count
    moments, inverses = _scaled_moments(d, A, v, count + 1), [arb(1)]
    with ctx.workprec(ctx.prec + count.bit_length()):
        for n in range(1, count):
            inverses.append(inverses[-1] / n)  # 1/n!
    series = arb_poly([arb(0), *map(operator.mul, moments[1:], inverses[1:])])
    slopes = arb_poly(list(map(operator.mul, moments[1:], inverses)))
    tail = arb(0).union((2 * term * moments[1]).upper())
    return lambda theta: (series(theta) + tail, slopes(theta) + tail)


def _generating_by_integral(d: int, A: arb, v: arb) -> Generating:
    """Integrals over the noncentral chi density of |w - mu|."""
    centre = (1 - 4 * A) * v * v / (16 * A * A)
    norm = (arb(d) / 2).gamma() * arb(2) ** (arb(d) / 2 - 1)
    end = (d + centre).sqrt() + centre.sqrt() + 4
    while not (d - 1) * end.log() - (end - centre.sqrt()) ** 2 / 2 < -(ctx.prec + 32):
        end += 2
    # the density beyond: r^(d-1) exp(-(r - sqrt(centre))^2/2) at most, whose logarithm falls with slope -1 or more
    beyond = ((d - 1) * end.log() - (end - centre.sqrt()) ** 2 / 2).exp() / norm

    def generating(theta: arb) -> tuple[arb, arb]:
        def weighted(power: int) -> arb:
            def integrand(r: acb, _: bool) -> acb:
                density = (
                    r ** (d - 1)
                    * (-(r * r + centre) / 2).exp()
                    * (centre * r * r / 4).hypgeom([], [acb(d) / 2])
                )
                w = (2 * A * r * r).exp()
                return density * ((theta * w).exp() * w if power else (theta * w).expm1())

            value = certified_integral(integrand, 0, end) / norm
            return value + arb(0).union((theta.exp() * beyond).upper())

        return weighted(0), weighted(1)

    return generating


def _generating_by_peak(d: int, A: arb, v: arb) -> Generating:
    """The mean of W, and an integral over the w near mu, where W is nearly 1: for a mu that is very far.

    With x = theta W, E (e^x - 1) = theta E W + E (e^x - 1 - x) and E W e^x = E W + E W (e^x - 1). The last terms are
    integrals over r = |w - mu|. Where x <= 1 they are at most theta^2 E W^2 and 2 theta E W^2. From the end of the peak
    up to there both integrands are at most e^x times the density, which is at most r^(d-1) e^(-(r - |mu|)^2/2)/norm.
    """
    far = ((1 - 4 * A) * v * v).sqrt() / (-4 * A)
    norm = (arb(d) / 2).gamma() * arb(2) ** (arb(d) / 2 - 1)
    _, first, second = _scaled_moments(d, A, v, 3)

    def generating(theta: arb) -> tuple[arb, arb]:
        if theta.is_zero():
            return arb(0), first
        tilt, spread, centre = float(theta), -2 * float(A), float(far)
        start = (math.log(max(tilt, 1.0)) / spread) ** 0.5 + 1e-9  # from here on x <= 1
        size, end = _peak(d, tilt, spread, centre, min(start, centre))
        goal = max(size, float(first.log())) - (ctx.prec + 16) * math.log(2)
        bits = ctx.prec + 32 + max(0, math.frexp(tilt)[1]) + 2 * max(0, math.frexp(centre)[1])
        rest = arb(goal).exp() * start / norm * int(end < start)
        if not (arb(start) < far and arb(start) * start * -2 * A >= theta.log()):
            return arb.nan(), arb.nan()
        if not _falls(d, theta, A, far, (end, start), goal):
            return arb.nan(), arb.nan()
        with ctx.workprec(bits):
            excess, slope = _over_peak(d, theta, A, far, size, end)
        scale = arb(size).exp() / norm
        beyond = theta * second + rest
        return (
            theta * first + excess * scale + arb(0).union((theta * beyond + rest).upper()),
            first + slope * scale + arb(0).union((2 * beyond).upper()),
        )

    return generating


def _peak(d: int, tilt: float, spread: float, centre: float, start: float) -> tuple[float, float]:
    """About the largest logarithm of e^x times the density near mu, and where it is negligible; 0 without a peak."""

    def height(r: float) -> float:
        return tilt * math.exp(-spread * r * r) + (d - 1) * math.log(r) - (r - centre) ** 2 / 2

    def slope(r: float) -> float:
        return -2 * spread * tilt * r * math.exp(-spread * r * r) + (d - 1) / r + centre - r

    low, high = 1e-12, min((2 * spread) ** -0.5, start)
    if slope(high) >= 0:
        return -math.inf, 0.0
    for _ in range(100):
        middle = (low + high) / 2
        # either is right: it is about a maximum, in floating point
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    top, width = height(high), (2 * spread * tilt) ** -0.5
    end, least = high, top - (ctx.prec + 32) * math.log(2)
    while end < start and height(end) > least:
        end += width
    return top, min(end, start)


def _falls(d: int, theta: arb, A: arb, far: arb, ends: tuple[float, float], goal: float) -> bool:
    """Whether e^x times the density stays below e^goal between these distances from mu."""
    cells = [ends] if ends[0] < ends[1] else []
    while cells:
        low, high = cells.pop()
        most = theta * (2 * A * arb(low) * low).exp() + (d - 1) * arb(high).log() - (far - high) ** 2 / 2
        if most < goal:
            continue
        middle = (low + high) / 2
        if not low < middle < high or high - low < 1e-9:
            return False
        cells += [(low, middle), (middle, high)]
    return True


def _over_peak(d: int, theta: arb, A: arb, far: arb, size: float, end: float) -> tuple[arb, arb]:
    """The integrals of e^x - 1 - x and W (e^x - 1) times the density, times norm/e^size, up to the end of the peak."""
    if not end > 0:
        return arb(0), arb(0)

    def weighted(power: int) -> arb:
        def integrand(r: acb, _: bool) -> acb:
            w = (2 * A * r * r).exp()
            x = theta * w
            density = r ** (d - 1) * (far * far * r * r / 4).hypgeom([], [acb(d) / 2])
            around = -(r * r + far * far) / 2 - size
            large, small = (x + around).exp(), around.exp()
            return density * (w * (large - small) if power else large - (1 + x) * small)

        return certified_integral(integrand, 0, arb(end))

    return weighted(0), weighted(1)


def _gap(generating: Generating, level: arb) -> Callable[[arb], arb]:
    """theta -> E W e^(theta W)/E e^(theta W) - level, which increases in theta."""

    def gap(theta: arb) -> arb:
        excess, first = generating(theta)
        return first / (1 + excess) - level

    return gap


def _transform(generating: Generating, level: arb, low: arb, high: arb) -> arb:
    """The supremum of the concave theta level - log E e^(theta W), whose maximiser is known to lie in [low, high]."""
    middle = ((low + high) / 2).mid()
    excess, first = generating(middle)
    slack = abs(first / (1 + excess) - level) * (high - low)
    return middle * level - excess.log1p() + arb(0).union(slack.upper())


def _maximiser(d: int, A: arb, v: arb, level: arb) -> tuple[Generating, arb, arb]:
    low, high, peak = arb(0), arb(1), None
    # either is right: where mu is far, so is the tilt, and there are too many moments
    if LARGEST_TILT < _distance(A, v) < MOST_TILT:
        peak, high = _generating_by_peak(d, A, v), (_distance(A, v) / 4).mid()
    while True:
        generating = peak or _generating_by_moments(d, A, v, high)
        gap = _gap(generating, level)
        if gap(high) > 0:
            break
        low, high = (high if peak else low), 2 * high
        if high > (MOST_TILT if peak else LARGEST_TILT):
            raise NotCertified(
                "Legendre transform",
                wanted="the maximiser",
                reached=f"it is beyond {MOST_TILT if peak else LARGEST_TILT}/(largest value of Z): "
                "(1 - 4A) |x+y|^2/(32 A^2) = "
                f"{((1 - 4 * A) * v * v / (32 * A * A)).str(3, radius=False)}, d = {d}",
                hint="choose a larger |A|, or smaller norms",
                by_any_route=True,
            )
    # half the digits are enough: the maximum is flat
    root = monotone_root(gap, low, high, (ctx.prec + 1) // 2 + 8)
    return generating, arb(root.lower()), arb(root.upper())


def _level(d: int, A: arb, v: arb, z: arb, eps: arb) -> arb:
    """(K + eps)/top."""
    return ((-z * z / 2).exp() + eps) * (-_log_literal_top(d, A, v, z)).exp()


def _legendre_by_moments(d: int, A: arb, v: arb, z: arb, eps: arb) -> arb:
    level = _level(d, A, v, z, eps)
    generating, low, high = _maximiser(d, A, v, level)
    return _transform(generating, level, low, high)


def _legendre_at_most(d: int, A: arb, v: arb, z: arb, eps: arb) -> arb:
    """A bound of the transform that is tiny near A = 0, where the best tilt is out of reach; infinite if it is none.

    The transform at K + eps is at most the divergence of any law with this mean from that of Z (Donsker and Varadhan).
    Take Z itself, and with the probability p = eps/(top/2 - K) Z where it is top/2 or more: its mean is at least
    K + eps, and the divergence p log(1/P(Z >= top/2)) at most. There |w - mu|^2 <= r^2 = log(2)/(2 |A|), a ball on
    which the normal density is at least (2 pi)^(-d/2) exp(-(|mu| + r)^2/2).
    """
    top, kernel = _log_literal_top(d, A, v, z).exp(), (-z * z / 2).exp()
    share = eps / (top / 2 - kernel)
    if not 0 < share < 1:
        return arb("inf")
    r, half = (arb(2).log() / (-2 * A)).sqrt(), arb(d) / 2
    centre = (1 - 4 * A).sqrt() * v / (-4 * A)
    likely = half * (r * r / 2).log() - (half + 1).lgamma() - (centre + r) ** 2 / 2
    return (share * -likely).upper()


def _chernoff_by_moments(d: int, A: arb, v: arb, z: arb, eps: arb, m: int) -> arb:
    most = m * _legendre_at_most(d, A, v, z, eps)
    if most < arb(2) ** (-ctx.prec):
        return 1 - arb(0).union(most)  # as 1 - x <= exp(-x)
    return (-m * _legendre_by_moments(d, A, v, z, eps)).exp()


def _legendre_by_integral(d: int, A: arb, v: arb, z: arb, eps: arb) -> arb:
    """The signs at both ends of the bracket, and the value, by quadrature."""
    level = _level(d, A, v, z, eps)
    _, low, high = _maximiser(d, A, v, level)
    generating = _generating_by_integral(d, A, v)
    gap = _gap(generating, level)
    if not (gap(low) <= 0 <= gap(high)):
        width = (high - low) + high * arb(2) ** (-(ctx.prec // 2))
        low, high = arb((low - width).lower()), arb((high + width).upper())
        if not (gap(low) <= 0 <= gap(high)):
            return arb.nan()
    return _transform(generating, level, low, high)


def _legendre_by_curvature(d: int, A: arb, v: arb, z: arb, eps: arb) -> arb:
    """theta k'(theta) - k(theta) = int_0^theta t k''(t) dt at the maximiser, k the cumulant generating function."""
    level = _level(d, A, v, z, eps)
    _, low, high = _maximiser(d, A, v, level)
    if high > LARGEST_TILT:
        raise NotCertified("Legendre transform", wanted="a short series", reached=f"a tilt of {high.str(3)}")
    count = 8
    term = high**count / arb.fac_ui(count)
    while not (term < arb(2) ** (-ctx.prec - 8) and count > 2 * high):
        count += 1
        term = term * high / count
    moments = _scaled_moments(d, A, v, count + 2)
    polynomials = [acb_poly([moments[n + shift] / arb.fac_ui(n) for n in range(count)]) for shift in range(3)]

    def integrand(t: acb, _: bool) -> acb:
        mass, first, second = (polynomial(t) for polynomial in polynomials)
        mean = first / mass
        return t * (second / mass - mean * mean)

    # E W^2 e^(tW) and the like are cut where the rest is at most 2 term E W; mass >= 1
    slack = widen((16 * term * high * high * moments[1]).upper())
    body = certified_integral(integrand, 0, low)
    # k'' <= E W^2 e^(tW)/E e^(tW) <= k'(high) for a variable in [0, 1]
    steepest = abs(polynomials[1](acb(high)) / polynomials[0](acb(high))) + slack
    return body + arb(0).union(((high - low) * high * steepest).upper()) + slack


theta = sympy.Symbol("theta", positive=True)
BELOW_TOP = Condition("K + eps < largest value of Z (beyond it the transform is infinite)",
    log(_above) < LOG_TOP)  # fmt: skip

gerf_legendre = register(Formula(name="gerf_legendre",
    says="Legendre transform of Z at K + eps, the Chernoff rate of orthogonal and independent GERF, s = 1, A < 0",
    source="chefs.4.legendre, chefs.thm4.2", variables=_TAIL,
    expression=sympy.Function("sup")(theta * _above - log(sympy.Function("E")(exp(theta * sympy.Symbol("Z"))))),
    conditions=(BELOW_TOP,), readable=False,
    routes=(Route("moments", _legendre_by_moments, "moment generating function by its moments"),
        Route("integral", _legendre_by_integral, "by the noncentral chi density", within(d=16, v=4)),
        Route("curvature", _legendre_by_curvature,
            "integral of t times the variance of Z under the tilt t, up to the maximiser", within(v=30))),
    fast="moments"))  # fmt: skip

chernoff_bound = register(Formula(name="chernoff_bound",
    says="bound exp(-m L(K + eps)) of P(K^ - K >= eps), m GERF features independent or in orthogonal blocks",
    source="chefs.thm4.2", variables=_BOUNDED, expression=exp(-m * sympy.Function("L")(_above)),
    conditions=(BELOW_TOP,), readable=False,
    routes=(
        Route("moments", _chernoff_by_moments, "rate by moments, or that it is negligible"),
        Route("integral", lambda d, A, v, z, eps, m: (-m * _legendre_by_integral(d, A, v, z, eps)).exp(),
            "rate by quadrature", within(d=16, v=4)),
        Route("curvature", lambda d, A, v, z, eps, m: (-m * _legendre_by_curvature(d, A, v, z, eps)).exp(),
            "rate by the variances under the tilts", within(v=30))),
    fast="moments"))  # fmt: skip


# ---- Theorem 4.3: attention ----------------------------------------------------------------------------

_r2 = R**2 / sqrt(d)
"""Square of the radius of the scaled queries and keys."""
ATTENTION_RANGE = _rate ** (d / 2) * exp(_r2 * (1 - 1 / (2 * A)))
ATTENTION_SLOPE = ATTENTION_RANGE * (
    sqrt(-_rate / (4 * sympy.E * A)) - _rate * sqrt(_r2) / (2 * A) + sqrt(_r2))  # fmt: skip
ATTENTION_FEATURES = (2 * ATTENTION_RANGE**2 / eps**2
    * (2 * d * log(1 + 16 * sqrt(_r2) * ATTENTION_SLOPE / eps) + log(2 / delta)))  # fmt: skip
ATTENTION_SECOND = (_rate**2 / (1 - 8 * A)) ** (d / 2) * exp(_r2 * (2 + 4 / (1 - 8 * A)))
"""The second moment of the softmax estimator of one feature at x = y on the sphere, its largest."""
BERNSTEIN_FEATURES = (8 * (ATTENTION_SECOND + ATTENTION_RANGE * eps / 6) / eps**2
    * (2 * d * log(1 + 16 * sqrt(_r2) * ATTENTION_SLOPE / eps) + log(2 / delta)))  # fmt: skip
PRINTED_GAMMA = exp(-3 * R**2 / (sqrt(d) * A))
PRINTED_SLOPE = _rate ** (d / 2) * sqrt(4 * PRINTED_GAMMA * (_r2 + d**2))
PRINTED_ATTENTION_FEATURES = (_rate ** (d / 2) * PRINTED_GAMMA * d / eps**2
    * log(PRINTED_SLOPE * sqrt(2) * R * sympy.root(d, 4) ** (-1) / eps))  # fmt: skip
"""The number of features of Theorem 4.3 as printed, without the constant of Omega."""

attention_range = register(Formula(name="attention_range",
    says="largest value of a GERF estimator of the softmax kernel, |Q_i|, |K_j| <= R, s = 1 and A < 0",
    source="chefs.thm4.3, corrected", variables=(DIMENSION, NEGATIVE_SHAPE, RADIUS), expression=ATTENTION_RANGE,
    routes=(
        Route("gerf_bound at x = y", with_values(TOP * exp(SQUARES / 2), {z: 0, v: 2 * sqrt(_r2)}),
            "the maximum lies at x = y on the sphere"),
        Route("stationary point", lambda d, A, R: _literal_range(d, A, R),
            "(4)-(5) literally at the maximiser, times exp(|x|^2/2 + |y|^2/2)"))))  # fmt: skip

CONFIDENCE = Variable(delta, "failure probability", above=0, below=1)

attention_features = register(Formula(name="attention_features",
    says="number of independent GERF features that makes the attention matrix eps-accurate entrywise, 1 - delta",
    source="chefs.thm4.3, corrected and explicit", variables=(DIMENSION, NEGATIVE_SHAPE, RADIUS, ERROR, CONFIDENCE),
    expression=ATTENTION_FEATURES,
    routes=(
        Route("parts", lambda d, A, R, eps, delta: _attention_parts(d, A, R, eps, delta, _literal_range(d, A, R)),
            "range by (4)-(5) at the maximiser; the covering number and Hoeffding's exponent apart"),
        Route("log domain", lambda d, A, R, eps,
            delta: _attention_parts(d, A, R, eps, delta, _range_by_logs(d, A, R)),
            "the same with the range through rho = 1/(1-8A), in the log domain"))))  # fmt: skip


def _literal_range(d: int, A: arb, R: arb) -> arb:
    """(4)-(5) at the maximiser with x = y on the sphere, times exp(|x|^2/2 + |y|^2/2)."""
    return (R * R / arb(d).sqrt()).exp() * _literal_top(d, A, 2 * R / arb(d).root(4), arb(0))


def _range_by_logs(d: int, A: arb, R: arb) -> arb:
    return (R * R / arb(d).sqrt() + _log_literal_top(d, A, 2 * R / arb(d).root(4), arb(0))).exp()


attention_features_bernstein = register(Formula(name="attention_features_bernstein",
    says="the same by Bernstein's bound: fewer for all but large eps, with the power d/2 of 1 - 4A",
    source="ours; chefs.thm4.3", variables=(DIMENSION, NEGATIVE_SHAPE, RADIUS, ERROR, CONFIDENCE),
    expression=BERNSTEIN_FEATURES,
    routes=(
        Route("parts", lambda d, A, R, eps, delta:
            _bernstein_parts(d, A, R, eps, delta, _literal_range(d, A, R), _second_by_variance(d, A, R)),
            "second moment by (6) at the maximiser; the covering number and Bernstein's exponent apart"),
        Route("log domain", lambda d, A, R, eps, delta:
            _bernstein_parts(d, A, R, eps, delta, _range_by_logs(d, A, R), _second_by_logs(d, A, R)),
            "the same with range and second moment through rho = 1/(1-8A), in the log domain"))))  # fmt: skip


def _attention_parts(d: int, A: arb, R: arb, eps: arb, delta: arb, top: arb) -> arb:
    """log(2 N/delta) over Hoeffding's exponent 2 (eps/2)^2/top^2."""
    return _log_net(d, A, R, eps, delta, top) / (2 * (eps / (2 * top)) ** 2)


def _bernstein_parts(d: int, A: arb, R: arb, eps: arb, delta: arb, top: arb, second: arb) -> arb:
    """log(2 N/delta) over Bernstein's exponent."""
    half = eps / 2
    return _log_net(d, A, R, eps, delta, top) * 2 * (second + top * half / 3) / half**2


def _second_by_variance(d: int, A: arb, R: arb) -> arb:
    """E Z^2 = exp(2 r^2) ((6) + K^2) at x = y, |x + y| = 2 r."""
    square, rate = R * R / arb(d).sqrt(), 1 - 8 * A
    return (1 + 16 * A * A / rate) ** (arb(d) / 2) * (
        2 * square - 4 * square + (1 + 1 / rate) * 4 * square
    ).exp()


def _second_by_logs(d: int, A: arb, R: arb) -> arb:
    rho = 1 / (1 - 8 * A)
    return (d * ((1 + rho) / 2).log() - d * rho.log() / 2 + R * R / arb(d).sqrt() * (2 + 4 * rho)).exp()


def _log_net(d: int, A: arb, R: arb, eps: arb, delta: arb, top: arb) -> arb:
    """log(2 N/delta), with N = (1 + 16 r L/eps)^(2 d) net points."""
    r, rate = R / arb(d).root(4), 1 - 4 * A
    slope = top * ((rate / (-4 * A)).sqrt() * (arb(-1) / 2).exp() + r * (rate / (-2 * A) + 1))
    return 2 * d * (16 * r * slope / eps).log1p() + arb(2).log() - delta.log()


def _printed_features_ball(d: int, A: arb, R: arb, eps: arb) -> arb:
    """The printed number by logarithms of its factors."""
    root = arb(d).sqrt()
    log_gamma = -3 * R * R / (root * A)
    log_rate = arb(d) / 2 * (1 - 4 * A).log()
    log_slope = log_rate + (arb(4).log() + log_gamma + (R * R / root + arb(d) ** 2).log()) / 2
    inside = log_slope + arb(2).log() / 2 + R.log() - arb(d).log() / 4 - eps.log()
    return (log_rate + log_gamma + arb(d).log() - 2 * eps.log()).exp() * inside


def _boundary_shape(d: int, R: arb, how: str) -> arb:
    """A* at the largest |x + y|, in closed form or as a root."""
    norm = 2 * R / arb(d).root(4)
    if how == "bisected":
        return _shape_of(_rho_by_bisection(d, norm))
    q = norm * norm
    return -(((2 * q + d) ** 2 + 8 * d * q).sqrt() + 2 * q - d) / (16 * d)


def _shortfall(d: int, R: arb, eps: arb, how: str) -> arb:
    """The variance of the softmax estimator at x = y on the sphere, exp(2 r^2) times (6) at z = 0."""
    shape, square = _boundary_shape(d, R, how), R * R / arb(d).sqrt()
    q, rate = 4 * square, 1 - 8 * shape
    growth = (1 + 16 * shape * shape / rate) ** (arb(d) / 2) * ((1 + 1 / rate) * q - q).exp()
    return (2 * square).exp() * (growth - 1) / (eps * eps * _printed_features_ball(d, shape, R, eps))


_OPTIMAL = {v: 2 * sqrt(_r2)}
_BOUNDARY_SHAPE = OPTIMAL_SHAPE.subs(_OPTIMAL)

printed_attention_features = register(Formula(name="printed_attention_features",
    says="number of features of Theorem 4.3 as printed, without the constant, OPRF shape at the largest |x+y|",
    source="chefs.thm4.3 as printed", variables=(DIMENSION, RADIUS, ERROR),
    expression=PRINTED_ATTENTION_FEATURES.subs(A, _BOUNDARY_SHAPE),
    routes=tuple(Route(f"{how} shape", lambda d, R, eps,
        how=how: _printed_features_ball(d, _boundary_shape(d, R, how), R, eps),
        "by logarithms of the factors, A* by that route of oprf_A") for how in ("explicit",
        "bisected"))))  # fmt: skip

_BOUNDARY_LOG_SECOND = LOG_SECOND.subs(_OPTIMAL)
_BOUNDARY_VARIANCE = exp(2 * _r2) * (exp(_BOUNDARY_LOG_SECOND) - 1)
"""Variance of the softmax estimator at x = y on the sphere of scaled queries and keys."""

attention_shortfall = register(Formula(name="attention_shortfall",
    says="variance over eps^2 with the printed number of features, at x = y of largest norm (OPRF shape there)",
    source="chefs.thm4.3, refutation", variables=(DIMENSION, RADIUS, ERROR),
    expression=_BOUNDARY_VARIANCE / (eps**2 * PRINTED_ATTENTION_FEATURES.subs(A, _BOUNDARY_SHAPE)),
    routes=tuple(Route(f"{how} shape", lambda d, R, eps, how=how: _shortfall(d, R, eps, how),
        "(6) as printed at A* by that route of oprf_A, over the printed number by logarithms") for how
        in ("explicit", "bisected"))))  # fmt: skip
