"""Generalized exponential random features (GERF) and optimal positive random features (OPRF).

One feature pair of the Gaussian kernel K = exp(-|x-y|^2/2) (Likhosherstov et al. 2022, eqs. 4-5) is

    Z = f1(w, x) f2(w, y) = D^2 exp(2 A |w|^2 + B w.(x + s y) + C (|x|^2 + |y|^2)),   w ~ N(0, I_d),

with s = +-1, B = sqrt(s (1-4A)), C = -(s+1)/2 and D = (1-4A)^(d/4). Everything depends on the data through
v = |x + y| and z = |x - y|, since |x|^2 + |y|^2 = (v^2 + z^2)/2: no triangle condition remains.

Powers of 1-4A and 1-8A are principal powers. On Re(1-4A) > 0 and Re(1-8A) > 0 this is what the Gaussian integral
gives, because a product of d principal roots of numbers with positive real part is the principal power.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy
from flint import acb, arb, ctx, fmpq
from sympy import (
    Abs,
    Integral,
    Rational,
    Sum,
    besseli,
    binomial,
    conjugate,
    exp,
    factorial,
    gamma,
    hyper,
    log,
    oo,
    pi,
    re,
    sin,
    sinh,
    sqrt,
)

from rftheory.errors import NotCertified, Undecided
from rftheory.exact.conformity import SIMPLEX_COSINE, angle_conformity_ball, orf_conformity_ball, within
from rftheory.exact.coupled import Moments, block_cosine, order_two
from rftheory.exact.enclosure import certified_integral, certified_sum, widen
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import Condition, Formula, Route, Variable, logarithms, register
from rftheory.exact.moments import PairMoment, Table, arrangements, coupled_pairs, partitions
from rftheory.exact.positive import PAIRS, RELATIVE_ERROR
from rftheory.exact.special import JointMoments, joint_moment
from rftheory.exact.symbols import (
    COSINE,
    DIFFERENCE_NORM,
    DIMENSION,
    FEATURES,
    PAIR_DIMENSION,
    POSITIVE_DIFFERENCE_NORM,
    POSITIVE_SUM_NORM,
    SUM_NORM,
    c,
    d,
    k,
    m,
    phi,
    v,
    z,
)
from rftheory.exact.trigonometric import cosine_pair_ball

A = sympy.Symbol("A")
s = sympy.Symbol("s", integer=True, nonzero=True)
n = sympy.Symbol("n", integer=True, nonnegative=True)
_i = sympy.Symbol("i", integer=True, nonnegative=True)
_j = sympy.Symbol("j", integer=True, nonnegative=True)
_A, _D, _S, _V, _Z = A, d, s, v, z  # for functions whose arguments have these names

SHAPE = Variable(A, "coefficient of |w|^2 in the exponent of a feature", complex=True)
SIGN = Variable(s, "+1 (positive, for real A) or -1 (trigonometric)", integer=True, low=-1, high=1, default=1)
ORDER = Variable(n, "order of the moment", integer=True, low=1, high=64)
NEGATIVE_SHAPE = Variable(A, "coefficient of |w|^2 in the exponent of a feature", below=0)

SIGN_NONZERO = Condition("s = -1 or s = +1", sympy.Eq(s**2, 1))
UNBIASED = Condition("Re(1 - 4A) > 0", re(1 - 4 * A) > 0)
SECOND_MOMENT = Condition("Re(1 - 8A) > 0 (else the variance is infinite)", re(1 - 8 * A) > 0)
CONSTANT_FEATURE = sympy.Eq(A, 0) & sympy.Eq(s, 1) & sympy.Eq(v, 0)
"""Positive features of x and -x: the estimator is K itself."""
MOMENT_EXISTS = Condition("Re(1 - 4 n A) > 0 (else the moment is infinite)", re(1 - 4 * n * A) > 0)

GAUSSIAN_KERNEL = exp(-(z**2) / 2)
SQUARES = (v**2 + z**2) / 2
"""|x|^2 + |y|^2."""
SIGNED_SQUARE = ((1 + s) * v**2 + (1 - s) * z**2) / 2
"""|x + s y|^2."""


# ---- mean, moments and variance of one feature pair -----------------------------------------------------


def mixed_moment(j: sympy.Expr, k: sympy.Expr) -> sympy.Expr:
    """E Z^j conj(Z)^k as an expression; no root of a complex number other than principal powers enters.

    By completing the square with weight exp(2 (j A + k conj A) |w|^2); (j B + k conj B)^2 is
    s (j^2 (1-4A) + k^2 (1-4 conj A)) + 2 j k |1-4A|.

    Examples
    --------
    >>> sympy.simplify(mixed_moment(1, 0).subs({A: 0, s: 1}))
    exp(-z**2/2)
    """
    a, a_bar = 1 - 4 * A, 1 - 4 * conjugate(A)
    spread = 1 - 4 * j * A - 4 * k * conjugate(A)
    slope_squared = s * (j**2 * a + k**2 * a_bar) + 2 * j * k * Abs(1 - 4 * A)
    exponent = slope_squared * SIGNED_SQUARE / (2 * spread) - (j + k) * (s + 1) * SQUARES / 2
    return a ** (d * j / 2) * a_bar ** (d * k / 2) * spread ** (-d / 2) * exp(exponent, evaluate=False)


def moment(order: sympy.Expr) -> sympy.Expr:
    """E (Re Z)^order as an expression: the binomial sum of the mixed moments.

    Examples
    --------
    >>> moment(1).subs({A: 0, s: 1}).doit()
    exp(-z**2/2)
    """
    mean = Sum(binomial(order, _j) * mixed_moment(_j, order - _j), (_j, 0, order))
    return re(mean, evaluate=False) / 2**order  # sympy would look for its real part for long, and find none


Expectation = Callable[[int, acb, acb], acb]
"""E exp(alpha |w|^2 + beta w_1), w ~ N(0, I_d), for Re(alpha) < 1/2."""


def expectation_by_line(d: int, alpha: acb, beta: acb) -> acb:
    """Product of one-dimensional Gaussian integrals, each by certified quadrature.

    The tail beyond T is at most the envelope exp(-c t^2 + b t), c = 1/2 - Re(alpha), b = |Re(beta)|, which decays
    faster than the exponential of its slope at T.

    Examples
    --------
    >>> expectation_by_line(1, acb(0), acb(1)).overlaps(acb("0.5").exp())
    True
    """
    root = (2 * arb.pi()).sqrt()

    def line(slope: acb) -> acb:
        c, b = arb(1) / 2 - alpha.real, abs(slope.real)
        end = b / (2 * c) + ((ctx.prec + 16) * arb(2).log() / c).sqrt()
        tail = 2 * (-c * end * end + b * end).exp() / (2 * c * end - b) / root

        def integrand(t: acb, _: bool) -> acb:
            return ((alpha - arb(1) / 2) * t * t + slope * t).exp()

        value = certified_integral(integrand, -end, end, real=False) / root
        return acb(value) + widen(tail.upper(), True)

    flat = line(acb(0)) ** (d - 1) if d > 1 else acb(1)
    return flat * line(beta)


def _expectation_by_radius(d: int, alpha: acb, beta: acb) -> acb:
    """Integral over the chi density of exp(alpha r^2) times the mean of exp(beta r t) over the sphere."""
    c, b = arb(1) / 2 - alpha.real, abs(beta.real)
    scale = arb(2) ** (fmpq(d, 2) - 1) * (arb(d) / 2).gamma()

    def log_envelope(r: arb) -> arb:
        return (d - 1) * r.log() - c * r * r + b * r

    peak = arb((((b + (b * b + 8 * c * (d - 1)).sqrt()) / (4 * c)) + arb("0.01")).mid())
    floor = log_envelope(peak) - (ctx.prec + 24) * arb(2).log()
    end = 2 * peak + 1
    while not ((d - 1) / end - 2 * c * end + b <= -1 and log_envelope(end) <= floor):
        end = end * arb("1.125")

    def integrand(r: acb, _: bool) -> acb:
        average = (beta * beta * r * r / 4).hypgeom([], [acb(d) / 2])
        return r ** (d - 1) * ((alpha - arb(1) / 2) * r * r).exp() * average

    value = acb(certified_integral(integrand, 0, end, real=False))
    return (value + widen(log_envelope(end).exp().upper(), True)) / scale


def _literal_moments(
    expectation: Expectation, order: int, d: int, A: arb | acb, s: int, v: arb, z: arb
) -> list[arb]:
    """E (Re Z)^0, ..., E (Re Z)^order with A, B, C, D exactly as in (4)-(5)."""
    shape = acb(A)
    a = 1 - 4 * shape
    b, root = (s * a).sqrt(), a.sqrt().sqrt() ** d
    norm, squares = (v if s == 1 else z), (v * v + z * z) / 2
    found = []
    for n in range(order + 1):
        total = arb(0)
        for j in range(n // 2 + 1):  # swapping j and k conjugates
            k = n - j
            weight = root ** (2 * j) * root.conjugate() ** (2 * k) * (-(s + 1) * n * squares / 2).exp()
            mean = expectation(d, 2 * (j * shape + k * shape.conjugate()), (j * b + k * b.conjugate()) * norm)
            total += (1 if j == k else 2) * arb.bin_uiui(n, j) * (weight * mean).real
        found.append(total / 2**n)
    return found


def _literal_mean(expectation: Expectation) -> Callable[..., arb]:
    return lambda d, A, s, v, z: _literal_moments(expectation, 1, d, A, s, v, z)[1]


def _literal_moment(expectation: Expectation) -> Callable[..., arb]:
    return lambda n, d, A, s, v, z: _literal_moments(expectation, n, d, A, s, v, z)[n]


def _literal_central(expectation: Expectation) -> Callable[..., arb]:
    def central(n: int, d: int, A: arb | acb, s: int, v: arb, z: arb) -> arb:
        moments, kernel = _literal_moments(expectation, n, d, A, s, v, z), (-z * z / 2).exp()
        return sum(
            (arb.bin_uiui(n, i) * (-kernel) ** (n - i) * moments[i] for i in range(n + 1)), start=arb(0)
        )

    return central


def _literal_variance(expectation: Expectation) -> Callable[..., arb]:
    return lambda d, A, s, v, z: _literal_central(expectation)(2, d, A, s, v, z)


def moderate(**limits: int) -> Callable[[Mapping[str, sympy.Expr]], bool]:
    """Where quadrature is fast: small norms, and A neither large nor near the edge of the moment's domain.

    Examples
    --------
    >>> fast = moderate(v=4)
    >>> [fast({"A": Rational(shape), "v": Rational(2)}) for shape in ("-1/4", "1/8")]
    [True, False]
    """
    small = within(**limits)

    def practical(values: Mapping[str, sympy.Expr]) -> bool:
        shape = complex(values["A"])
        edge = 1 - 4 * int(values.get("n", 2)) * shape.real
        return small(values) and abs(shape) <= 8 and edge >= 0.1 and abs(1 - 4 * shape) <= 40 * edge

    return practical


def _integral_routes(
    literal: Callable[[Expectation], Callable[..., arb]], **extra: int
) -> tuple[Route, Route]:
    """The two quadratures of the literal definition (4)-(5), and where they are fast."""
    return (
        Route(
            "line integrals",
            literal(expectation_by_line),
            "(4)-(5) literally, one coordinate at a time",
            moderate(v=8, z=8, d=256, **extra),
        ),
        Route(
            "radial integral",
            literal(_expectation_by_radius),
            "(4)-(5) literally, over the chi norm",
            moderate(v=4, z=4, d=64, **extra),
        ),
    )


PAIR_DATA = (SUM_NORM, DIFFERENCE_NORM)

gerf_mean = register(Formula(name="gerf_mean", says="mean of a GERF estimator: the Gaussian kernel",
    source="chefs.thm3.1 (5)", variables=(DIMENSION, SHAPE, SIGN, *PAIR_DATA), expression=GAUSSIAN_KERNEL,
    conditions=(SIGN_NONZERO, UNBIASED),
    routes=(Route("completed square", moment(sympy.Integer(1)), "the Gaussian integral in closed form"),
        *_integral_routes(_literal_mean))))  # fmt: skip

gerf_moment = register(Formula(name="gerf_moment", says="moment E (Re Z)^n of one GERF estimator",
    source="ours; chefs.thm3.2 for n = 2", variables=(ORDER, DIMENSION, SHAPE, SIGN, *PAIR_DATA),
    expression=moment(n), conditions=(SIGN_NONZERO, MOMENT_EXISTS),
    routes=_integral_routes(_literal_moment, n=4)))  # fmt: skip

gerf_central_moment = register(Formula(name="gerf_central_moment",
    says="central moment E (Re Z - K)^n of one GERF estimator", source="ours; chefs.thm3.2 for n = 2",
    variables=(ORDER, DIMENSION, SHAPE, SIGN, *PAIR_DATA),
    expression=Sum(binomial(n, _i) * (-GAUSSIAN_KERNEL) ** (n - _i) * moment(_i), (_i, 0, n)),
    conditions=(SIGN_NONZERO, MOMENT_EXISTS), zero=sympy.Eq(n, 1) | CONSTANT_FEATURE,
    routes=_integral_routes(_literal_central, n=4)))  # fmt: skip

ALPHA_1 = sqrt(1 + 16 * A**2 / (1 - 8 * A)) ** d
ALPHA_2 = s + s / (1 - 8 * A)
ALPHA_3 = (1 + 16 * Abs(A) ** 2 / (1 - 8 * re(A))) ** (d / 2)
ALPHA_4 = s / 2 + (s + 2 * Abs(1 - 4 * A)) / (2 * (1 - 8 * re(A)))
PRINTED_GERF_VARIANCE = (exp(-(s + 1) * SQUARES) / 2
    * (re(ALPHA_1 * exp(ALPHA_2 * SIGNED_SQUARE), evaluate=False) + ALPHA_3 * exp(ALPHA_4 * SIGNED_SQUARE))
    - GAUSSIAN_KERNEL**2)  # fmt: skip
"""Eq. (6) as printed; it is right on the whole domain, with the principal root in alpha_1: with w = 1 - 8A the root is
that of ((w^(1/2) + w^(-1/2))/2)^2, whose base has positive real part where Re(w) > 0."""

gerf_variance = register(Formula(name="gerf_variance", says="variance of one GERF estimator of the Gaussian kernel",
    source="chefs.thm3.2 (6)", variables=(DIMENSION, SHAPE, SIGN, *PAIR_DATA), expression=PRINTED_GERF_VARIANCE,
    conditions=(SIGN_NONZERO, SECOND_MOMENT), zero=CONSTANT_FEATURE,
    routes=(
        Route("mixed moments", moment(sympy.Integer(2)) - GAUSSIAN_KERNEL**2, "E (Re Z)^2 from E Z^2 and E |Z|^2"),
        *_integral_routes(_literal_variance))))  # fmt: skip


def _literal_absolute_square(expectation: Expectation) -> Callable[..., arb]:
    """E |Z|^2 with A, B, C, D exactly as in (4)-(5)."""

    def absolute(d: int, A: arb | acb, s: int, v: arb, z: arb) -> arb:
        shape = acb(A)
        slope, size = 2 * (s * (1 - 4 * shape)).sqrt().real, abs(1 - 4 * shape) ** d
        mean = expectation(d, acb(4 * shape.real), acb(slope * (v if s == 1 else z)))
        return size * (-(s + 1) * (v * v + z * z) / 2).exp() * acb(mean).real

    return absolute


_WIDTH = 1 - 8 * re(A)

gerf_absolute_square = register(Formula(name="gerf_absolute_square",
    says="E |Z|^2 of one GERF estimator with complex A, before its real part is taken; E |Z - K|^2 is K^2 less",
    source="chefs.thm3.2 (6), the terms of alpha_3 and alpha_4", variables=(DIMENSION, SHAPE, SIGN, *PAIR_DATA),
    expression=exp(-(s + 1) * SQUARES) * ALPHA_3 * exp(ALPHA_4 * SIGNED_SQUARE),
    conditions=(SIGN_NONZERO, SECOND_MOMENT),
    routes=(
        Route("completed square", exp(-(s + 1) * SQUARES) * (Abs(1 - 4 * A) / sqrt(_WIDTH)) ** d
            * exp((Abs(1 - 4 * A) + s * (1 - 4 * re(A))) * SIGNED_SQUARE / _WIDTH),
            "E exp(a |w|^2 + b.w), a = 4 Re A, |b|^2 = 4 (Re B)^2 |x + s y|^2"),
        *_integral_routes(_literal_absolute_square))))  # fmt: skip


# ---- optimal positive features ---------------------------------------------------------------------------

_q = v**2
RHO = 2 * d / (2 * _q + d + sqrt((2 * _q + d) ** 2 + 8 * d * _q))
"""The root of 2 q rho^2 + (d + 2 q) rho = d, q = |x+y|^2, without cancellation and valid at q = 0."""
PRINTED_RHO = (sqrt((2 * _q + d) ** 2 + 8 * d * _q) - 2 * _q - d) / (4 * _q)
"""Eq. (7) with the root over the sum of squares only, which is right for q > 0."""
PRINTED_RHO_LONG_ROOT = sqrt((2 * _q + d) ** 2 + 8 * d * _q - 2 * _q - d) / (4 * _q)
"""Eq. (7) with the root over the whole numerator, as the extraction shows; wrong (rho = 0.935 at d = 1, q = 1)."""
LOG_SECOND = d * log((1 + RHO) / (2 * sqrt(RHO))) + _q * RHO
"""log E (Z/K)^2 at the optimum: the minimum over t of d log cosh(t/2) + q e^t, rho = e^t."""
_LOG_GROWTH = LOG_SECOND + log(1 - exp(-LOG_SECOND))
PRINTED_POSITIVE_VARIANCE = exp(v**2 - z**2) - GAUSSIAN_KERNEL**2
"""exp(4 x.y) - K^2, the variance of positive features (Sec. 2.2); 4 x.y = v^2 - z^2."""


def monotone_root(f: Callable[[arb], arb], low: arb, high: arb, bits: int | None = None) -> arb:
    """The zero of an increasing function between two exact points, to ``bits`` bits; every sign is proved.

    The bracket is cut to a small part around the zero of the chord. If the zero is there, the next part is smaller by
    the square, as errors of chords are; otherwise the bracket is bisected (Abbott's quadratic interval refinement).

    Raises
    ------
    NotCertified : the signs at the two ends are not proved to be - and +; Undecided, if more bits may prove them.

    Examples
    --------
    >>> monotone_root(lambda t: t * t - 2, arb(1), arb(2)).overlaps(arb(2).sqrt())
    True
    """
    below, above = f(low), f(high)
    if not (below < 0 and above > 0):
        reached = f"{below.str(5)} and {above.str(5)} at the ends"
        if any(end.is_finite() and end.contains(0) and not end.is_exact() for end in (below, above)):
            raise Undecided("a change of sign", reached=reached)
        raise NotCertified("root", wanted="a change of sign", reached=reached)
    cut = 1  # the part is the bracket over 2^cut; at 1, bisect
    for _ in range(2 * ctx.prec):
        width, middle = high - low, ((low + high) / 2).mid()
        if width <= abs(middle) * arb(2) ** -(bits or ctx.prec - 4):
            break
        part = width * arb(2) ** -cut
        zero = (low - below.mid() * width / (above.mid() - below.mid())).mid()
        blurred = False
        for point in [middle] if cut == 1 else [(zero - part).mid(), (zero + part).mid()]:
            if low < point < high:
                value = f(point)
                if value.is_zero():
                    return point
                blurred |= value.contains(0)
                if value < 0:
                    low, below = point, value
                elif value > 0:
                    high, above = point, value
                    break
        if blurred and cut == 1:
            break
        hit = cut == 1 or (not blurred and high - low <= 3 * part)
        cut = 2 * cut if hit else 1
    return low.union(high)


def _rho_by_bisection(d: int, v: arb) -> arb:
    """Zero of the derivative of the convex t -> d log cosh(t/2) + q e^t, through rho = e^t in [d/(d+4q), 1]."""
    q = v * v
    return monotone_root(
        lambda t: d * (t - 1) / (2 * (t + 1)) + q * t, arb((d / (2 * d + 4 * q)).lower()), arb(1)
    )


def _shape_of(rho: arb) -> arb:
    return (1 - 1 / rho) / 8


def _minimal_log_second(d: int, v: arb) -> arb:
    """The value at the bisected minimiser; by convexity the error there is second order, the ball first order."""
    rho = _rho_by_bisection(d, v)
    return d * ((1 + rho) / (2 * rho.sqrt())).log() + v * v * rho


def _squared_minimum(d: int, v: arb) -> arb:
    """log of (6) + K^2 over K^2, at s = +1 and the bisected A, through alpha_1 and alpha_2 as printed."""
    shape = _shape_of(_rho_by_bisection(d, v))
    squared = 1 + 16 * shape * shape / (1 - 8 * shape)
    return arb(d) / 2 * squared.log() + (1 + 1 / (1 - 8 * shape)) * v * v - v * v


def _slope_integral(d: int, v: arb) -> arb:
    """Envelope theorem: the integral of rho*(q) over q from 0 to v^2, with q = v^2 t^2 to keep it smooth."""
    q = v * v

    def rho(t: acb, analytic: bool) -> acb:
        x = q * t * t
        return 2 * d * 2 * t / (2 * x + d + ((2 * x + d) ** 2 + 8 * d * x).sqrt(analytic=analytic))

    return q * certified_integral(rho, 0, 1)


oprf_rho = register(Formula(name="oprf_rho", says="rho* of the optimal positive features", source="chefs.thm3.3 (7)",
    variables=(DIMENSION, SUM_NORM), expression=RHO,
    routes=(
        Route("printed root", PRINTED_RHO, "(7), the root over the sum of squares only",
            lambda values: values["v"] > 0),
        Route("stationary point", _rho_by_bisection, "bisection of the monotone derivative",
            lambda values: Rational(1, 10**6) < values["v"] < 10**6))))  # fmt: skip

oprf_A = register(Formula(name="oprf_A",
    says="A* = (1 - 1/rho*)/8 of the optimal positive features, negative for x != -y", source="chefs.thm3.3",
    variables=(DIMENSION, SUM_NORM), expression=(1 - 1 / RHO) / 8, zero=sympy.Eq(v, 0),
    routes=(Route("explicit", -(sqrt((2 * _q + d) ** 2 + 8 * d * _q) + 2 * _q - d) / (16 * d), "rationalised"),
        Route("stationary point", lambda d, v: _shape_of(_rho_by_bisection(d, v)), "bisection",
            lambda values: Rational(1, 10**6) < values["v"] < 10**6))))  # fmt: skip

oprf_log_second = register(Formula(name="oprf_log_second",
    says="log E (Z/K)^2 of optimal positive features (|x+y|^2 for positive features)",
    source="chefs.thm3.2, chefs.thm3.3", variables=(DIMENSION, SUM_NORM), expression=LOG_SECOND, zero=sympy.Eq(v, 0),
    routes=(
        Route("bisection", _minimal_log_second, "minimum of d log cosh(t/2) + q e^t",
            lambda values: Rational(1, 10**3) < values["v"] < 10**6),
        Route("(6) at bisected A", _squared_minimum, "(6) as printed, at the bisected minimiser",
            lambda values: Rational(1, 10**3) < values["v"] < 10**4),
        Route("integral of the slope", _slope_integral, "d/dq of the minimum is rho*(q)",
            within(v=1000)))))  # fmt: skip

SPREAD = sympy.Symbol("sigma", nonnegative=True)
_GROWN = 1 + 2 * SPREAD**2
_room = d * _GROWN + 2 * _q
CLUSTER_SHAPE = (1 - 2 * SPREAD**2 - _GROWN / RHO.subs(v, v / sqrt(_GROWN))) / 8
CLUSTER = (
    DIMENSION,
    replace(SUM_NORM, about="|mean of x + y|"),
    Variable(SPREAD, "standard deviation of each coordinate of x + y", low=0),
)


def _cluster_room(d: int, v: arb, sigma: arb) -> arb:
    """Zero of the derivative of d log(b + g) - d log(g)/2 + v^2/g, g = 1 - 8A - 2 sigma^2, b = 1 + 2 sigma^2."""
    b = 1 + 2 * sigma * sigma
    return monotone_root(
        lambda g: d / (b + g) - d / (2 * g) - v * v / (g * g), (b / 2).mid(), (b + 4 * v * v / d + b).mid()
    )


def _cluster_shape(d: int, v: arb, sigma: arb) -> arb:
    return (1 - 2 * sigma * sigma - _cluster_room(d, v, sigma)) / 8


def _cluster_log_second(d: int, v: arb, sigma: arb) -> arb:
    g, b = _cluster_room(d, v, sigma), 1 + 2 * sigma * sigma
    return d * ((b + g) / (2 * g.sqrt())).log() + v * v / g


def _cluster_slope_integral(d: int, v: arb, sigma: arb) -> arb:
    """Envelope theorem: d log(b)/2 and the integral of 1/g over q from 0 to v^2, with q = v^2 t^2 to keep it smooth."""
    q, b = v * v, 1 + 2 * sigma * sigma

    def room(t: acb, analytic: bool) -> acb:
        x = d * b + 2 * q * t * t
        return 2 * t * 2 * d / (x + (x * x + 8 * d * b * q * t * t).sqrt(analytic=analytic))

    return arb(d) / 2 * b.log() + q * certified_integral(room, 0, 1)


oprf_cluster_A = register(Formula(name="oprf_cluster_A",
    says="A of least mean of E (Z/K)^2 over pairs whose x + y is normal, Cov = sigma^2 I",
    source="chefs.added.pairs/cluster", variables=CLUSTER, expression=CLUSTER_SHAPE,
    zero=sympy.Eq(v, 0) & sympy.Eq(SPREAD, 0),
    routes=(
        Route("explicit", (1 - 2 * SPREAD**2 - (_room + sqrt(_room**2 + 8 * d * _GROWN * _q)) / (2 * d)) / 8,
            "rationalised"),
        Route("stationary point", _cluster_shape, "zero of the derivative of the mean",
        within(v=1000)),)))  # fmt: skip

oprf_cluster_log_second = register(Formula(name="oprf_cluster_log_second",
    says="log of the mean of E (Z/K)^2 at oprf_cluster_A", source="chefs.added.pairs/cluster", variables=CLUSTER,
    expression=d * log(_GROWN) / 2 + LOG_SECOND.subs(v, v / sqrt(_GROWN)),
    zero=sympy.Eq(v, 0) & sympy.Eq(SPREAD, 0),
    routes=(
        Route("stationary point", _cluster_log_second, "the mean where its derivative is zero", within(v=1000)),
        Route("integral of the slope", _cluster_slope_integral, "d/dq of it is 1/g", within(v=1000)))))  # fmt: skip


OPTIMAL_SHAPE = (1 - 1 / RHO) / 8


def _log_growth(log_second: arb) -> arb:
    """log(e^g - 1)."""
    return log_second + (-((-log_second).expm1())).log()


def _variance_at_bisected_shape(d: int, v: arb, z: arb) -> arb:
    """(6) as printed at s = +1 and the bisected A*; the ball of A* carries its error into the value."""
    shape = _shape_of(_rho_by_bisection(d, v))
    alpha_1 = (1 + 16 * shape * shape / (1 - 8 * shape)).sqrt() ** d
    return (-v * v - z * z).exp() * alpha_1 * ((1 + 1 / (1 - 8 * shape)) * v * v).exp() - (-z * z).exp()


def _variance_by_line(d: int, v: arb, z: arb) -> arb:
    shape = evaluate(OPTIMAL_SHAPE, {_D: sympy.Integer(d), _V: v})
    return _literal_variance(expectation_by_line)(d, shape, 1, v, z)


oprf_variance = register(Formula(name="oprf_variance", says="variance of one optimal positive feature pair",
    source="chefs.thm3.2, chefs.thm3.3", variables=(DIMENSION, *PAIR_DATA),
    expression=2 * exp(LOG_SECOND / 2 - z**2) * sinh(LOG_SECOND / 2), zero=sympy.Eq(v, 0),
    routes=(
        Route("(6) at (7)", PRINTED_GERF_VARIANCE.subs(s, 1).xreplace({A: OPTIMAL_SHAPE}), "both as printed",
            within(v=1000, z=1000)),
        Route("(6) at bisected A", _variance_at_bisected_shape, "(6) as printed, minimised numerically",
            lambda values: Rational(1, 10**3) < values["v"] < 10**3 and values["z"] < 10**3),
        Route("line integrals", _variance_by_line, "(4)-(5) literally", within(v=6, z=6, d=128)))))  # fmt: skip

log_oprf_variance = register(Formula(name="log_oprf_variance",
    says="logarithm of the variance of one optimal positive feature pair", source="chefs.thm3.2, chefs.thm3.3",
    variables=(DIMENSION, POSITIVE_SUM_NORM, DIFFERENCE_NORM), expression=_LOG_GROWTH - z**2,
    routes=(
        Route("log of the variance", log(oprf_variance.expression), "the variance itself", within(v=10**4, z=10**4)),
        *logarithms(oprf_variance, "(6) at (7)", "(6) at bisected A", "line integrals"))))  # fmt: skip

log_oprf_gain = register(Formula(name="log_oprf_gain",
    says="log(Var PosRF / Var OPRF), minus the utility mu of Figure 1; increasing in |x+y|",
    source="chefs.fig1.right, chefs.intro.e60, chefs.3.3.gain", variables=(DIMENSION, POSITIVE_SUM_NORM),
    expression=_q + log(1 - exp(-_q)) - _LOG_GROWTH,
    routes=(
        Route("ratio of variances", log(PRINTED_POSITIVE_VARIANCE / oprf_variance.expression).subs(z, 1),
            "the printed variance of positive features over that of the optimal ones, at |x-y| = 1", within(v=1000)),
        Route("bisected minimum", lambda d, v: _log_growth(v * v) - _log_growth(_minimal_log_second(d, v)),
            "the minimum over A found numerically",
            lambda values: Rational(1, 10**3) < values["v"] < 10**6))))  # fmt: skip

log_oprf_gain_trig = register(Formula(name="log_oprf_gain_trig",
    says="log(Var TrigRF / Var OPRF), both of one feature pair (cosine of one projection)",
    source="chefs.2.2.trig, chefs.thm3.3, chefs.5.1.gerf-trig",
    variables=(DIMENSION, POSITIVE_SUM_NORM, POSITIVE_DIFFERENCE_NORM),
    expression=2 * log(1 - exp(-(z**2))) - log(2) - log_oprf_variance.expression,
    routes=(
        Route("ratio of variances", log(PRINTED_GERF_VARIANCE.subs({s: -1, A: 0}) / oprf_variance.expression),
            "(6) at A = 0, s = -1 over the optimal one", within(v=1000, z=1000)),
        Route("bisected minimum", lambda d, v,
            z: (2 * (-(-z * z).expm1()).log() - arb(2).log() - _log_growth(_minimal_log_second(d, v)) + z * z),
            "the minimum over A found numerically",
            lambda values: Rational(1, 10**3) < values["v"] < 10**6))))  # fmt: skip


# ---- coupled projections -------------------------------------------------------------------------------


def pair_moment(cosine: sympy.Expr) -> sympy.Expr:
    """E Re(Z_i) Re(Z_j) for two projections at a fixed angle, with independent chi norms: free of A.

    The weight exp(2 A |w|^2) times D^2 only rescales the norms by (1-4A)^(-1/2), which B undoes; for complex A this
    is continued analytically in both factors. So the cross term is that of positive (s = +1) or trigonometric
    (s = -1) features; for s = -1 the conjugate pair turns the cosine into its negative.

    Examples
    --------
    >>> from rftheory.exact.evaluate import evaluate
    >>> from rftheory.exact.trigonometric import orf_cosine_pair_ball
    >>> cross = pair_moment(sympy.Integer(0)).subs({s: -1, d: 2, v: 1, z: 1})
    >>> evaluate(cross).overlaps(orf_cosine_pair_ball(2, arb(1)))
    True
    """
    mean = (_zonal(cosine) + _zonal(s * cosine)) / 2
    scale = gamma(d) / (2 ** (d - 1) * gamma(d / 2) ** 2)
    return exp(-(s + 1) * SQUARES) * scale * Integral(sin(phi) ** (d - 1) * mean, (phi, 0, pi))


def _zonal(cosine: sympy.Expr) -> sympy.Expr:
    return hyper((d,), (d / 2,), s * SIGNED_SQUARE * (1 + cosine * sin(phi)) / 2)


ORTHOGONAL_PAIR = exp(-(s + 1) * SQUARES) * hyper((d,), (d / 2,), s * SIGNED_SQUARE / 2)
SIMPLEX_PAIR = pair_moment(SIMPLEX_COSINE)


def literal_pair_moment(d: int, A: arb | acb, s: int, v: arb, z: arb, c: arb) -> arb:
    """E Re(Z_i) Re(Z_j) from (4)-(5) literally, A and all: the resultant norm in closed form, the ratio of the norms
    r cos(t), r sin(t) by quadrature over t.

    With rate h(t) = 1/2 - 2 A cos^2 t - 2 A' sin^2 t and b(t)^2 = B^2 cos^2 t + B'^2 sin^2 t + 2 c B B' cos t sin t,
    the mean over r and the rotation is proportional to (2h)^(-d) 1F1(d; d/2; b^2 q/(4h)).

    Examples
    --------
    >>> one, other = (literal_pair_moment(2, arb(a), -1, arb(1), arb(1), arb(0)) for a in ("-0.25", "-1"))
    >>> one.overlaps(other), float(one.rad()) < 1e-9
    (True, True)
    """
    shape = acb(A)
    b, root = (s * (1 - 4 * shape)).sqrt(), (1 - 4 * shape).sqrt().sqrt() ** d
    q, squares = (v * v if s == 1 else z * z), (v * v + z * z) / 2

    def mean(shape2: acb, b2: acb, root2: acb) -> acb:
        def integrand(t: acb, _: bool) -> acb:
            cos, sin = t.cos(), t.sin()
            rate = arb(1) / 2 - 2 * shape * cos * cos - 2 * shape2 * sin * sin
            slope = b * b * cos * cos + b2 * b2 * sin * sin + 2 * c * b * b2 * cos * sin
            inner = (slope * q / (4 * rate)).hypgeom([acb(d)], [acb(d) / 2])
            return (cos * sin) ** (d - 1) * inner / (2 * rate) ** d

        value = certified_integral(integrand, 0, arb.pi() / 2, real=False)
        return root**2 * root2**2 * value

    weight = arb(d).gamma() / (arb(d) / 2).gamma() ** 2 * (-(s + 1) * squares).exp()
    same, conj = mean(shape, b, root), mean(shape.conjugate(), b.conjugate(), root.conjugate())
    return weight * (same + conj).real


_PAIR_VARIABLES = (PAIR_DIMENSION, SHAPE, SIGN, *PAIR_DATA)


def _pair_formula(
    name: str, rows: str, source: str, expression: sympy.Expr, coupling: str, reach: int, *series: Route
) -> Formula:
    """The mean product of two estimators whose rows are at the cosine of a coupling, or at the cosine ``c``."""

    def at(pair: Callable[..., Any]) -> Callable[..., Any]:
        if not coupling:
            return pair
        return lambda d, **values: pair(d=d, c=block_cosine(coupling, d), **values)

    return register(Formula(
        name=name, says=f"E Re(Z_i) Re(Z_j) of two GERF estimators {rows}; does not depend on A", source=source,
        variables=_PAIR_VARIABLES if coupling else (*_PAIR_VARIABLES, COSINE), expression=expression,
        conditions=(SIGN_NONZERO, UNBIASED), fast=series[0].name if series else "definition",
        routes=(
            *(replace(route, how=at(route.how)) for route in series),
            Route("literal", at(literal_pair_moment), "(4)-(5) with A, by quadrature", moderate(d=64, v=8, z=8)),
            Route("joint moments", at(_angle_joint), "moments of the norms and of the Haar direction",
                  within(v=reach, z=reach)),
        ),
    ))  # fmt: skip


def _angle_joint(d: int, A: arb | acb, s: int, v: arb, z: arb, c: arb) -> arb:
    if s == 1:
        return (-v * v - z * z).exp() * joint_moment((1, 1), d, v * v, c)
    return (joint_moment((1, 1), d, -z * z, c) + joint_moment((1, -1), d, -z * z, c)) / 2


def _angle_series(d: int, A: arb | acb, s: int, v: arb, z: arb, c: arb) -> arb:
    if s == 1:
        return (-v * v - z * z).exp() * angle_conformity_ball(d, v, c)
    return cosine_pair_ball(d, z, c)


_BY_SERIES = "positive ladder for s = 1, even powers of the cosine for s = -1"
gerf_orf_pair = _pair_formula("gerf_orf_pair", "with orthogonal projections", "ours, behind chefs.thm4.1",
    ORTHOGONAL_PAIR, "orthogonal", 6)  # fmt: skip
gerf_simrf_pair = _pair_formula("gerf_simrf_pair", "with simplex projections",
    "ours; simplex.thm4.3 (24) for A = 0, s = 1", SIMPLEX_PAIR, "simplex", 3,
    Route("quickest series", _angle_series, _BY_SERIES))  # fmt: skip
gerf_angle_pair = _pair_formula("gerf_angle_pair", "at the fixed angle of cosine c", "ours", pair_moment(c), "", 3,
    Route("series", _angle_series, _BY_SERIES, within(v=100, z=20)))  # fmt: skip


def _block_variance(pair: sympy.Expr) -> sympy.Expr:
    """Variance of the mean of m features in blocks of d, any two of a block having the pair moment."""
    return (PRINTED_GERF_VARIANCE + PAIRS / m * (pair - GAUSSIAN_KERNEL**2)) / m


def _block_route(pair: Callable[..., Any]) -> Callable[..., arb]:
    def variance(d: int, A: arb | acb, s: int, v: arb, z: arb, m: int) -> arb:
        single = arb(
            acb(
                evaluate(
                    PRINTED_GERF_VARIANCE, {_D: sympy.Integer(d), _A: A, _S: sympy.Integer(s), _V: v, _Z: z}
                )
            ).real
        )
        return (single + arb(coupled_pairs(m, d)) / m * (pair(d=d, A=A, s=s, v=v, z=z) - (-z * z).exp())) / m

    return variance


def _block_formula(name: str, rows: str, source: str, pair: Formula) -> Formula:
    """The variance for blocks of d; each way to the mean product of two estimators is one to it."""
    return register(Formula(
        name=name, says=f"variance of the GERF estimator with m projections in {rows}", source=source,
        variables=(*_PAIR_VARIABLES, FEATURES), expression=_block_variance(pair.expression),
        conditions=(SIGN_NONZERO, SECOND_MOMENT), zero=CONSTANT_FEATURE, fast=pair.fast,
        routes=tuple(replace(r, how=_block_route(r.how), note=f"(6), pair moment by {r.note}") for r in pair.routes),
    ))  # fmt: skip


gerf_orf_variance = _block_formula("gerf_orf_variance", "orthogonal blocks of d (norms chi_d)",
    "chefs.thm4.1 (15) as an equality", gerf_orf_pair)  # fmt: skip
gerf_simrf_variance = _block_formula("gerf_simrf_variance", "simplex blocks of d", "ours", gerf_simrf_pair)


def _saving_series(d: int, v: arb, z: arb, m: int) -> arb:
    """pairs/m^2 e^(-v^2-z^2) sum q^k/k! (1 - r_k), r_k = (d)_k/((d/2)_k 2^k), whose terms are nonnegative.

    1 - r_{k+1} = 1 - r_k + r_k k/(d+2k) and 1 - r_k >= (k-1)/(d+2k-2), so 1 - r_k grows by at most the factor 3.
    """
    q = v * v

    def terms() -> Iterator[arb]:
        power, ratio, k = q * q / 2, arb(d + 1) / (d + 2), 2
        while True:
            yield power * (1 - ratio)
            ratio = ratio * (d + k) / (d + 2 * k)
            power, k = power * q / (k + 1), k + 1

    total = certified_sum(terms(), lambda n: (3 * q / (n + 3)).upper())
    return arb(coupled_pairs(m, d)) / arb(m) ** 2 * (-q - z * z).exp() * total


oprf_orf_saving = register(Formula(name="oprf_orf_saving",
    says="variance iid minus variance with orthogonal blocks of d, for every A at s = 1 (Gaussian kernel)",
    source="chefs.thm4.1 (15) as an equality", variables=(PAIR_DIMENSION, *PAIR_DATA, FEATURES),
    expression=PAIRS / m**2 * exp(-(v**2) - z**2) * (exp(v**2) - hyper((d,), (d / 2,), v**2 / 2)),
    routes=(Route("positive series", _saving_series, "coefficientwise difference", within(v=40)),
        Route("kummer", lambda d, v, z,
            m: (arb(coupled_pairs(m, d)) / arb(m) ** 2 * (-v * v - z * z).exp()
                * ((v * v).exp() - orf_conformity_ball(d, v))),
            "difference of the conformities, that of orthogonal projections by a finite sum for even d"),
        Route("joint moments", lambda d, v, z,
            m: (arb(coupled_pairs(m, d)) / arb(m) ** 2
                * ((-z * z).exp() - (-v * v - z * z).exp() * joint_moment((1, 1), d, v * v, arb(0)))),
            "difference with the moment expansion", within(v=4)))))  # fmt: skip

SAVING_CONSTANT = exp(-(v**2) - z**2) * (exp(v**2) - 1 - v**2) / 2
"""A constant C of Theorem 4.1 that is free of d and of A, and the largest such one as |x+y| -> 0."""

oprf_orf_saving_bound = register(Formula(name="oprf_orf_saving_bound",
    says="lower bound of oprf_orf_saving: 2/(d+2) C times 1 - 1/m (pairs in a block over m^2 if m > d)",
    source="chefs.thm4.1 (15), with C made explicit", variables=(PAIR_DIMENSION, *PAIR_DATA, FEATURES),
    expression=PAIRS / m**2 * 2 / (d + 2) * SAVING_CONSTANT,
    routes=(
        Route("series", PAIRS / m**2 / (d + 2) * exp(-(v**2) - z**2) * Sum(v ** (2 * k) / factorial(k), (k, 2, oo)),
            "coefficients", within(v=40)),
        Route("remainder", lambda d, v, z, m: _bound_by_remainder(d, v, z, m),
            "e^q - 1 - q as the integral q^2 int (1-t) e^(qt) dt", within(v=10)))))  # fmt: skip


def _bound_by_remainder(d: int, v: arb, z: arb, m: int) -> arb:
    q = v * v
    remainder = q * q * certified_integral(lambda t, _: (1 - t) * (q * (t - 1)).exp(), 0, 1)
    return arb(coupled_pairs(m, d)) / arb(m) ** 2 / (d + 2) * (-z * z).exp() * remainder


def _fixed_norm_by_sphere(d: int, A: arb, v: arb, z: arb) -> arb:
    """exp(B w.(x+y)) averaged over the sphere of radius sqrt(d), by quadrature over the polar angle; d >= 2."""
    slope = ((1 - 4 * A) * d).sqrt() * v
    peak = certified_integral(lambda t, _: (slope * (t.cos() - 1)).exp() * t.sin() ** (d - 2), 0, arb.pi())
    weight = certified_integral(lambda t, _: t.sin() ** (d - 2), 0, arb.pi())
    return (1 - 4 * A) ** (arb(d) / 2) * (2 * A * d - (v * v + z * z) / 2 + slope).exp() * peak / weight


oprf_fixed_norm_mean = register(Formula(name="oprf_fixed_norm_mean",
    says="mean of a GERF estimator, real A, s = 1, when every projection is given the norm sqrt(d): biased",
    source="ours; reading (b) of chefs.mech.ort", variables=(DIMENSION, SHAPE, *PAIR_DATA),
    expression=(1 - 4 * A) ** (d / 2) * exp(2 * A * d - SQUARES) * hyper((), (d / 2,), (1 - 4 * A) * v**2 * d / 4),
    conditions=(Condition("A real and A < 1/4", sympy.And(sympy.Eq(sympy.im(A), 0), re(A) < Rational(1, 4))),),
    routes=(
        Route("sphere", _fixed_norm_by_sphere, "average over the sphere of radius sqrt(d)",
            lambda values: 2 <= values["d"] <= 256 and within(v=20)(values) and abs(values["A"]) <= 8),
        Route("Bessel",
            gamma(d / 2) * (1 - 4 * A) ** (d / 2) * exp(2 * A * d - SQUARES) * (sqrt((1 - 4 * A) * d) * v / 2) ** (
                1 - d / 2) * besseli(d / 2 - 1, sqrt((1 - 4 * A) * d) * v),
            "the mean over the sphere as a modified Bessel function",
            lambda values: bool(values["v"] > 0)))))  # fmt: skip


# ---- the optimal positive features with orthogonal blocks (FAVOR++) --------------------------------------

_CENTRED_PAIR = exp(-_q / 2) * hyper((-d / 2,), (d / 2,), -_q / 2)
"""E b_i b_j of relative features b = Z/K with orthogonal projections."""
_RELATIVE_ORF = (exp(LOG_SECOND) - 1 + PAIRS / m * (_CENTRED_PAIR - 1)) / m

oprf_orf_variance = register(Formula(name="oprf_orf_variance",
    says="variance of m optimal positive features in orthogonal blocks of d (FAVOR++)",
    source="chefs.thm4.1, chefs.mech.favor++", variables=(PAIR_DIMENSION, *PAIR_DATA, FEATURES),
    expression=exp(-(z**2)) * _RELATIVE_ORF, zero=sympy.Eq(v, 0),
    routes=(
        Route("general formula", gerf_orf_variance.expression.subs(s, 1).xreplace({A: OPTIMAL_SHAPE}),
            "gerf_orf_variance at A*", within(v=100, z=100)),
        Route("saving", (oprf_variance.expression - m * oprf_orf_saving.expression) / m,
            "iid variance minus the saving", within(v=100, z=100)))))  # fmt: skip

log_oprf_orf_variance = register(Formula(name="log_oprf_orf_variance",
    says="logarithm of the variance of m optimal positive features in orthogonal blocks of d",
    source="chefs.thm4.1, chefs.mech.favor++",
    variables=(PAIR_DIMENSION, POSITIVE_SUM_NORM, DIFFERENCE_NORM, FEATURES), expression=log(_RELATIVE_ORF) - z**2,
    routes=(
        Route("log of the variance", log(oprf_orf_variance.expression), "the variance itself",
            within(v=1000, z=1000)),
        *logarithms(oprf_orf_variance, "general formula", "saving"))))  # fmt: skip


def _tilt(A: arb, a: int) -> arb:
    """What the weight exp(2 A a |w|^2) makes of the weight a of a projection."""
    return a * ((1 - 4 * A) / (1 - 4 * a * A)).sqrt()


def relative_joint(d: int, A: arb, v: arb, c: arb, order: int, table: Table = JointMoments) -> PairMoment:
    """Joint moments of the relative features Z_i/K of one block, for s = 1 and A <= 0.

    The weight exp(2 A a |w|^2) divides the norm by (1-4aA)^(1/2), so the weight a becomes
    a ((1-4A)/(1-4aA))^(1/2) <= a, and the bounds of the untilted moments stay valid.

    Examples
    --------
    >>> free = relative_joint(5, arb(0), arb(1), arb(0), 2)
    >>> free((2,)).overlaps(arb(1).exp()), free((1,)).overlaps(arb(1))
    (True, True)
    """
    moments = table(d, v * v, c, order, lambda a: _tilt(A, a))

    def relative(weights: Sequence[int]) -> arb:
        total = moments.moment(weights) * (-sum(weights) * v * v / 2).exp()
        for a in weights:
            total *= ((1 - 4 * A) ** a / (1 - 4 * a * A)) ** (arb(d) / 2)
        return total

    return relative


def _single_relative(d: int, A: arb, v: arb) -> PairMoment:
    """E (Z/K)^a in closed form; features of different blocks of size 1 never meet."""

    def moment(weights: Sequence[int]) -> arb:
        (a,) = weights
        spread = 1 - 4 * a * A
        exponent = a * a * (1 - 4 * A) * v * v / (2 * spread) - a * v * v / 2
        return ((1 - 4 * A) ** a / spread) ** (arb(d) / 2) * exponent.exp()

    return moment


def _central_of_line(n: int, d: int, A: arb, v: arb, m: int) -> arb:
    """E ((Z_1 + ... + Z_m)/m - 1)^n at K = 1 by the raw moments of one feature."""
    raw = _literal_moments(expectation_by_line, n, d, A, 1, v, arb(0))
    total = arb(0)
    for j in range(n + 1):
        power = sum((arrangements(a, m) * prod_ball(raw[i] for i in a) for a in partitions(j)), start=arb(0))
        total += (-1) ** (n - j) * arb.bin_uiui(n, j) * power / arb(m) ** j
    return total


def prod_ball(balls: Iterable[arb]) -> arb:
    """Product of balls.

    Examples
    --------
    >>> prod_ball([arb(2), arb(3)]) == 6
    True
    """
    result = arb(1)
    for ball in balls:
        result *= ball
    return result


CENTRAL_ORDER = Variable(n, "order of the central moment", integer=True, low=2, high=8)
NONPOSITIVE_SHAPE = Variable(A, "coefficient of |w|^2 in the exponent of a feature", high=0)
_MOMENT_VARIABLES = (CENTRAL_ORDER, PAIR_DIMENSION, NONPOSITIVE_SHAPE, SUM_NORM, FEATURES)


def _relative_variance(
    c: arb, d: int, A: arb, v: arb, m: int, pair: Callable[..., arb] = _angle_series
) -> arb:
    """The second central moment through the mean product of two features."""
    single = _single_relative(d, A, v)((2,)) - 1
    excess = pair(d, A, 1, v, arb(0), c) - 1  # z = 0, so that K = 1
    return (single + arb(coupled_pairs(m, d)) / m * excess) / m


MOMENTS = Moments(says="K^/K for positive GERF (s = 1, real A <= 0)", expression=RELATIVE_ERROR,
    names=("gerf_moment_iid", "gerf_moment_orf", "gerf_moment_simrf"),
    sources=("ours; n = 2 is chefs.thm3.2", "ours; n = 2 is chefs.thm4.1", "ours"), variables=_MOMENT_VARIABLES,
    alone=_MOMENT_VARIABLES, norm="v", joint=lambda table, c, order, d, A,
    v: relative_joint(d, A, v, c, order, table), single=("closed form", _single_relative, "cumulants of one feature"),
    variance=("pair moment", _relative_variance), reach=16, constant_at_zero=False,
    more={
        "iid": (Route("line integrals", _central_of_line,
            "(4)-(5) literally, over all patterns of coinciding indices",
            lambda values: values["m"] <= 64 and moderate(v=4, d=256, n=4)(values)),),
        "orthogonal": (Route("literal pair", lambda n,
            **at: _relative_variance(arb(0), pair=literal_pair_moment, **at), "n = 2, by quadrature",
            moderate(d=64, v=8), valid=order_two),)})  # fmt: skip
gerf_moment_iid, gerf_moment_orf, gerf_moment_simrf = MOMENTS.formulas()
