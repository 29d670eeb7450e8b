"""Shift-invariant kernels and their spectral densities in d dimensions, all with k(0) = 1 and bandwidth 1.

Gaussian exp(-z^2/2); Matern of smoothness nu (nu = 1/2 is the Laplace kernel exp(-z)); rational quadratic
(1 + z^2/(2 alpha))^(-alpha), the radial Cauchy kernel; the factor 1/(1 + z^2) of the product Cauchy kernel; the Bessel
kernel of frequencies of fixed norm sqrt(d). The first three are scale mixtures of Gaussians, k(z) = E exp(-T z^2/2),
the frequencies being sqrt(T) times a normal vector: this gives a second route to each value, and the radial Fourier
integral gives a third.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import sympy
from flint import acb, acb_poly, arb, ctx
from sympy import (
    Integral,
    Piecewise,
    Rational,
    Sum,
    besselj,
    besselk,
    cos,
    exp,
    factorial,
    gamma,
    hyper,
    log,
    loggamma,
    oo,
    pi,
    sin,
    sqrt,
)

from rftheory.errors import NotCertified
from rftheory.exact.conformity import within
from rftheory.exact.enclosure import certified_integral, widen
from rftheory.exact.formula import Condition, Formula, Route, Variable, logarithms, register
from rftheory.exact.joint_moments import orthogonal_exponential
from rftheory.exact.symbols import (
    DIFFERENCE_NORM,
    DIMENSION,
    PAIR_DIMENSION,
    POSITIVE_DIFFERENCE_NORM,
    d,
    k,
    phi,
    w,
    z,
)

nu = sympy.Symbol("nu", positive=True)
alpha = sympy.Symbol("alpha", positive=True)
s = sympy.Symbol("s", nonnegative=True)
t = sympy.Symbol("t", nonnegative=True)
rows = sympy.Symbol("p", integer=True, positive=True)

FREQUENCY = Variable(w, "|w|, norm of the frequency", low=0)
SMOOTHNESS = Variable(nu, "smoothness of the Matern kernel", above=0)
SHAPE = Variable(alpha, "shape of the rational quadratic kernel", above=0)
FIRST_SCALE = Variable(s, "squared scale of the first projection", low=0)
SECOND_SCALE = Variable(t, "squared scale of the second projection", low=0)
ROWS = Variable(rows, "number of rows in the orthogonal block", integer=True, low=1)


# ---- integrals -----------------------------------------------------------------------------------------


def exponential_mixture(a: arb, b: arb, c: arb) -> arb:
    """Integral over all real s of exp(a s - b e^s - c e^-s), b > 0 and (c > 0, or c = 0 and a > 0).

    The mixtures of Gaussians over a gamma or inverse gamma scale are of this form with s the log of the scale; outside
    the ends the exponent falls at least linearly, which bounds the tails.

    Examples
    --------
    >>> exponential_mixture(arb(3), arb(1), arb(0)).overlaps(arb(2))
    True
    """
    root = (a * a + 4 * b * c).sqrt()
    # either is right: two forms of the zero of a - b e^s + c e^-s, and the result holds for any other place
    mode = ((a + root) / (2 * b) if a > 0 else 2 * c / (root - a)).log().mid()
    bits = math.ceil(max(0.0, float(root.log()) / math.log(2)))
    with ctx.workprec(ctx.prec + bits):  # the peak is about root^(-1/2) wide
        rise, fall = b * mode.exp(), c * (-mode).exp()
        step = arb(2) ** -(bits // 2)
        if not (a - rise + fall).rad() * step < 1:  # too few bits to tell anything
            return arb.nan()
        peak = _peak_integral(a, rise, fall, step)
    return peak * (a * mode - rise - fall).exp()


def _peak_integral(a: arb, rise: arb, fall: arb, step: arb) -> arb:
    """Integral of exp(a t - rise (e^t - 1) - fall (e^-t - 1)), its peak near 0; the ends are sought in such steps."""
    floor, tilt = -(ctx.prec + 24) * math.log(2), a - rise + fall

    def height(t: Any) -> Any:
        return tilt * t - rise * _rest(t) - fall * _rest(-t)

    def slope(t: arb) -> arb:
        return a - rise * t.exp() + fall * (-t).exp()

    right, stride = arb(0), step
    while not (height(right) < floor and slope(right) <= -1):
        right, stride = right + stride, stride * 2
    left, stride = arb(0), step
    while not (height(left) < floor and slope(left) > 0):
        left, stride = left - stride, stride * 2
    tails = height(right).exp() + height(left).exp() / slope(left)
    return certified_integral(lambda t, _: height(t).exp(), left, right) + arb(0).union(tails.upper())


def _rest(t: Any) -> Any:
    """e^t - 1 - t, near 0 without terms that cancel."""
    # either is right: they are equal
    return t * t / 2 * t.hypgeom_1f1(1, 3) if abs(t) < 1 else t.expm1() - t


def _radial_fourier(profile: Callable[[acb], acb], d: int, w: arb, end: arb, tail: arb) -> arb:
    """Integral over R^d of profile(|x|) exp(-i w.x).

    Parameters
    ----------
    profile : radial function, entire in |x|.
    end : beyond this norm the integral of |profile| is at most ``tail``.
    """
    surface = 2 * arb.pi() ** (arb(d) / 2) / (arb(d) / 2).gamma()
    quarter = -w * w / 4

    def integrand(r: acb, _: bool) -> acb:
        if d == 1:
            return profile(r) * (w * r).cos()
        if d == 3 and w > 0:
            return profile(r) * r * (w * r).sin() / w
        return profile(r) * (quarter * r * r).hypgeom([], [acb(d) / 2]) * r ** (d - 1)

    return surface * certified_integral(integrand, 0, end) + widen(tail.upper())


def _gaussian_transform(d: int, w: arb) -> arb:
    """(2 pi)^-d times the Fourier integral of exp(-z^2/2) over R^d."""
    end, tail = _decay(lambda r: _surface_tail_gaussian(d, r), d)
    return _radial_fourier(lambda r: (-r * r / 2).exp(), d, w, end, tail) / (2 * arb.pi()) ** d


def _surface_tail_gaussian(d: int, r: arb) -> arb:
    """Integral of exp(-|x|^2/2) over |x| > r in R^d."""
    return (2 * arb.pi()) ** (arb(d) / 2) * (r * r / 2).gamma_upper(arb(d) / 2) / (arb(d) / 2).gamma()


def _decay(tail: Callable[[arb], arb], d: int) -> tuple[arb, arb]:
    """The first end at which ``tail`` has fallen below the working precision, and the tail there."""
    end = arb(4 + d).sqrt() + 4
    while not tail(end) < arb(2) ** (-ctx.prec - 16):
        end = end * arb("1.25")
    return end, tail(end)


def _matern_transform(d: int, nu: arb, w: arb) -> arb:
    """(2 pi)^-d times the Fourier integral of the Matern kernel, nu half-integer.

    e^x K_nu(x) falls in x, so beyond R the kernel is at most its value at R times (r/R)^nu exp(-a (r - R)).
    """
    a = (2 * nu).sqrt()
    scale = arb(2) ** (1 - nu) / nu.gamma()
    surface = 2 * arb.pi() ** (arb(d) / 2) / (arb(d) / 2).gamma()

    def tail(r: arb) -> arb:
        return surface * scale * (a * r).bessel_k(nu) * (a * r).exp() * (a * r).gamma_upper(nu + d) / a**d

    n = round(float(nu) - 0.5)
    polynomial = acb_poly([acb(math.factorial(2 * n - i) * math.comb(n, i) * 2**i) for i in range(n + 1)])

    def profile(r: acb) -> acb:
        return polynomial(a * r) * (-a * r).exp() / math.factorial(2 * n)

    end, rest = _decay(tail, d)
    return _radial_fourier(profile, d, w, end, rest) / (2 * arb.pi()) ** d


def _half_integer(number: sympy.Expr) -> bool:
    return bool((number - Rational(1, 2)).is_Integer)


# ---- Gaussian ------------------------------------------------------------------------------------------

gaussian_kernel = register(Formula(name="gaussian_kernel", says="Gaussian kernel at |x - y| = z",
    source="rff.eq8, rff.eq9", variables=(DIFFERENCE_NORM,), expression=exp(-(z**2) / 2),
    routes=(
        Route("series", Sum((-(z**2) / 2) ** k / factorial(k), (k, 0, oo)), "moments of the frequency", within(z=20)),
        Route("inverse Fourier", lambda z: (2 * arb.pi()) * _gaussian_transform(1, z) / (2 * arb.pi()).sqrt(),
            "E cos(w z) over the normal density", within(z=12)))))  # fmt: skip

gaussian_density = register(Formula(name="gaussian_density",
    says="spectral density of the Gaussian kernel: N(0, I_d) at |w|", source="rff.eq8, rff.eq8-density",
    variables=(DIMENSION, FREQUENCY), expression=(2 * pi) ** (-d / 2) * exp(-(w**2) / 2),
    routes=(Route("Fourier", _gaussian_transform, "the integral (8) l3, radial form", within(d=40, w=6)),
        Route("one axis at a time", lambda d,
            w: _gaussian_transform(1, w) * _gaussian_transform(1, arb(0)) ** (d - 1),
            "the integral factorises over the axes, the first along w", within(d=400, w=10)))))  # fmt: skip

log_gaussian_density = register(Formula(name="log_gaussian_density",
    says="log of the spectral density of the Gaussian kernel", source="rff.eq8", variables=(DIMENSION, FREQUENCY),
    expression=-(d * log(2 * pi) + w**2) / 2,
    routes=(Route("log", log(gaussian_density.expression), "log of the density"),
        *logarithms(gaussian_density, "Fourier", "one axis at a time"))))  # fmt: skip


# ---- Matern and Laplace --------------------------------------------------------------------------------

_x = sqrt(2 * nu) * z
_matern_kernel = 2 ** (1 - nu) / gamma(nu) * _x**nu * besselk(nu, _x)


def _matern_by_mixture(nu: arb, z: arb) -> arb:
    return nu**nu / nu.gamma() * exponential_mixture(nu, nu, z * z / 2)


matern_kernel = register(Formula(name="matern_kernel", says="Matern kernel of smoothness nu at |x - y| = z",
    source="rff.impl1, Rasmussen and Williams 2006, eq. (4.14)", variables=(SMOOTHNESS, DIFFERENCE_NORM),
    expression=Piecewise((1, sympy.Eq(z, 0)), (_matern_kernel, True)),
    routes=(Route("mixture", _matern_by_mixture, "E exp(-z^2/(2 U)), U gamma with shape and rate nu"),
        Route("half-integer sum",
            exp(-_x)
                * Sum(
                factorial(nu - Rational(1, 2) + k)
                    / (factorial(k) * factorial(nu - Rational(1, 2) - k) * (2 * _x) ** k),
                (k, 0, nu - Rational(1, 2))) * 2 ** (1 - nu) / gamma(nu) * _x**nu * sqrt(pi / (2 * _x)),
            "finite sum for half-integer nu",
            lambda values: bool(values["z"] > 0), valid=lambda values: _half_integer(values["nu"])))))  # fmt: skip

matern_density = register(Formula(name="matern_density",
    says="spectral density of the Matern kernel: multivariate Student-t with 2 nu degrees of freedom, at |w|",
    source="rff.impl1, rff.bochner", variables=(DIMENSION, SMOOTHNESS, FREQUENCY),
    expression=gamma(nu + d / 2) / (gamma(nu) * (2 * nu * pi) ** (d / 2)) * (1 + w**2 / (2 * nu)) ** (-nu - d / 2),
    routes=(
        Route("mixture", lambda d, nu,
            w: (nu**nu / nu.gamma() * exponential_mixture(nu + arb(d) / 2, nu + w * w / 2, arb(0)) / (
                2 * arb.pi()) ** (arb(d) / 2)),
            "normal densities mixed over an inverse gamma scale"),
        Route("Fourier", _matern_transform, "Fourier integral of the kernel, half-integer nu",
            within(d=4, nu=4, w=2), valid=lambda values: _half_integer(values["nu"])))))  # fmt: skip

log_matern_density = register(Formula(name="log_matern_density",
    says="log of the spectral density of the Matern kernel", source="rff.impl1",
    variables=(DIMENSION, SMOOTHNESS, FREQUENCY),
    expression=loggamma(nu + d / 2) - loggamma(nu) - d / 2 * log(2 * nu * pi) - (nu + d / 2)
        * log(1 + w**2 / (2 * nu)),
    routes=(Route("log", log(matern_density.expression), "log of the density"),
        Route("mixture", lambda d, nu, w: matern_density.all_routes["mixture"].how(d, nu, w).log(),  # type: ignore[operator]
            "log of the mixture"))))  # fmt: skip

laplace_kernel = register(Formula(name="laplace_kernel", says="radial Laplace kernel exp(-z)", source="rff.impl1",
    variables=(DIFFERENCE_NORM,), expression=exp(-z),
    routes=(
        Route("mixture", lambda z: _matern_by_mixture(arb(1) / 2, z), "Gaussians mixed over an inverse gamma scale"),
        Route("Matern", matern_kernel.expression.subs(nu, Rational(1, 2)), "Matern kernel, nu = 1/2"))))  # fmt: skip

laplace_density = register(
    Formula(
        name="laplace_density",
        says="spectral density of the radial Laplace kernel: multivariate Cauchy, at |w|",
        source="rff.impl1",
        variables=(DIMENSION, FREQUENCY),
        expression=gamma((d + 1) / 2) / (pi * (1 + w**2)) ** ((d + 1) / 2),
        routes=(
            Route(
                "Matern",
                matern_density.expression.subs(nu, Rational(1, 2)),
                "Student-t with one degree of freedom",
            ),
            Route(
                "mixture", lambda d, w: matern_density.all_routes["mixture"].how(d, arb(1) / 2, w), "mixture"
            ),  # type: ignore[operator]
            Route(
                "Fourier",
                lambda d, w: _laplace_transform(d, w),
                "Fourier integral of exp(-z)",
                lambda values: bool(values["d"] in (1, 3) and values["w"] <= 8),
            ),
        ),
    )
)


def _laplace_transform(d: int, w: arb) -> arb:
    surface = 2 * arb.pi() ** (arb(d) / 2) / (arb(d) / 2).gamma()
    end, rest = _decay(lambda r: surface * r.gamma_upper(arb(d)), d)
    return _radial_fourier(lambda r: (-r).exp(), d, w, end, rest) / (2 * arb.pi()) ** d


# ---- rational quadratic and Cauchy ---------------------------------------------------------------------


def _rational_quadratic_log(d: int, alpha: arb, w: arb) -> arb:
    mixture = exponential_mixture(alpha - arb(d) / 2, alpha, w * w / 2)
    return alpha * alpha.log() - alpha.lgamma() - arb(d) / 2 * (2 * arb.pi()).log() + mixture.log()


rational_quadratic_kernel = register(Formula(name="rational_quadratic_kernel",
    says="rational quadratic kernel of shape alpha at |x - y| = z; alpha = 1 is the radial Cauchy kernel",
    source="rff.impl1", variables=(SHAPE, DIFFERENCE_NORM), expression=(1 + z**2 / (2 * alpha)) ** (-alpha),
    routes=(
        Route("mixture", lambda alpha,
            z: (alpha**alpha / alpha.gamma() * exponential_mixture(alpha, alpha + z * z / 2, arb(0))),
            "E exp(-T z^2/2), T gamma with shape and rate alpha"),
        Route("log", exp(-alpha * log(1 + z**2 / (2 * alpha))), "in the log domain"))))  # fmt: skip

rational_quadratic_density = register(Formula(name="rational_quadratic_density",
    says="spectral density of the rational quadratic kernel at |w| > 0", source="rff.impl1",
    variables=(DIMENSION, SHAPE, Variable(w, "|w|, norm of the frequency", above=0)),
    expression=2 * alpha**alpha / ((2 * pi) ** (d / 2) * gamma(alpha)) * (w**2 / (2 * alpha)) ** (
        (alpha - d / 2) / 2) * besselk(sympy.Abs(alpha - d / 2), sqrt(2 * alpha) * w),
    routes=(
        Route("mixture", lambda d, alpha, w: _rational_quadratic_log(d, alpha, w).exp(),
            "normal densities mixed over a gamma scale"),
        Route("reflected order",
            2 * alpha**alpha / ((2 * pi) ** (d / 2) * gamma(alpha)) * (w / sqrt(2 * alpha)) ** (alpha - d / 2)
                * besselk(alpha - d / 2, sqrt(2 * alpha) * w),
            "K of the signed order"))))  # fmt: skip

product_cauchy_density = register(Formula(name="product_cauchy_density",
    says="spectral density of one factor 1/(1 + z^2) of the product Cauchy kernel",
    source="rff.impl1, Rahimi and Recht 2007, Fig. 1 (there without the 1/2)", variables=(FREQUENCY,),
    expression=exp(-w) / 2,
    routes=(
        Route("rational quadratic", lambda w: _cauchy_factor(w),
            "the rational quadratic density of shape 1 in one dimension, rescaled",
            lambda values: bool(values["w"] > 0)),
        Route("mixture",
            lambda w: (exponential_mixture(arb(-1) / 2, w * w / 2, arb(1) / 2) / (2 * (2 * arb.pi()).sqrt())),
            "normal densities mixed over an exponential variance (the Laplace law)",
            lambda values: bool(0 < values["w"] <= 100)))))  # fmt: skip


def _cauchy_factor(w: arb) -> arb:
    """1/(1 + z^2) is the rational quadratic kernel of shape 1 at sqrt(2) z, so its density is p(w/sqrt(2))/sqrt(2)."""
    root = arb(2).sqrt()
    return _rational_quadratic_log(1, arb(1), w / root).exp() / root


# ---- second moments ------------------------------------------------------------------------------------

gaussian_second_moment = register(Formula(name="gaussian_second_moment",
    says="sigma_p^2 = E |w|^2 of the Gaussian kernel", source="rff.sigma-p", variables=(DIMENSION,), expression=d,
    routes=(Route("gamma", 2 * gamma(d / 2 + 1) / gamma(d / 2), "second moment of chi_d"),
        Route("Laplacian", d * -sympy.diff(exp(-(z**2) / 2), z, 2).subs(z, 0), "-d k''(0)"))))  # fmt: skip

matern_second_moment = register(Formula(name="matern_second_moment",
    says="sigma_p^2 of the Matern kernel; infinite for nu <= 1, the Laplace kernel included", source="rff.sigma-p",
    variables=(DIMENSION, Variable(nu, "smoothness of the Matern kernel, above 1", above=1)),
    expression=d * nu / (nu - 1),
    routes=(Route("gamma", d * nu * gamma(nu - 1) / gamma(nu), "d E(1/U), U gamma with shape and rate nu"),
        Route("mixture", lambda d, nu: d * nu**nu / nu.gamma() * exponential_mixture(nu - 1, nu, arb(0)),
            "d E(1/U) as an integral"))))  # fmt: skip

rational_quadratic_second_moment = register(Formula(name="rational_quadratic_second_moment",
    says="sigma_p^2 of the rational quadratic kernel", source="rff.sigma-p", variables=(DIMENSION, SHAPE),
    expression=d,
    routes=(
        Route("mixture", lambda d,
            alpha: (d * alpha**alpha / alpha.gamma() * exponential_mixture(alpha + 1, alpha, arb(0))),
            "d E T, T gamma with shape and rate alpha"),
        Route("gamma", d * gamma(alpha + 1) / (alpha * gamma(alpha)), "d E T"))))  # fmt: skip


# ---- Bessel kernel (Demni and Kadri) -------------------------------------------------------------------

_t = sqrt(d) * z
bessel_kernel = register(Formula(name="bessel_kernel",
    says="kernel of frequencies sqrt(d) times a Haar direction: j(sqrt(d) z)", source="dk24.mean",
    variables=(DIMENSION, DIFFERENCE_NORM), expression=hyper((), (d / 2,), -d * z**2 / 4),
    routes=(
        Route("Bessel", gamma(d / 2) * (2 / _t) ** (d / 2 - 1) * besselj(d / 2 - 1, _t), "the printed closed form",
            lambda values: bool(values["z"] > 0)),
        Route("sphere", lambda d, z: _sphere_mean(d, arb(d).sqrt() * z), "mean of cos over the sphere",
            lambda values: bool(2 <= values["d"] <= 400 and values["z"] <= 40)))))  # fmt: skip


def _sphere_mean(d: int, x: arb) -> arb:
    """Mean of cos(x u_1) over the unit sphere of R^d, d >= 2."""

    def integrand(a: acb, _: bool) -> acb:
        return (x * a.cos()).cos() * a.sin() ** (d - 2)

    total = certified_integral(lambda a, _: a.sin() ** (d - 2), 0, arb.pi())
    return certified_integral(integrand, 0, arb.pi()) / total


def _frame_mean(d: int, x: arb) -> arb:
    """E cos(x u_1) cos(x v_1) for an orthonormal pair u, v in R^d: v_1 given u_1 is uniform on a smaller sphere."""

    def inner(a: acb) -> acb:
        return (-x * x * a.sin() ** 2 / 4).hypgeom([], [acb(d - 1) / 2])

    def integrand(a: acb, _: bool) -> acb:
        return (x * a.cos()).cos() * inner(a) * a.sin() ** (d - 2)

    total = certified_integral(lambda a, _: a.sin() ** (d - 2), 0, arb.pi())
    return certified_integral(integrand, 0, arb.pi()) / total


_j, _j2, _jr = (hyper((), (d / 2,), -d * (c * z) ** 2 / 4) for c in (1, 2, sqrt(2)))


def _bessel_variance(d: int, p: int, z: arb) -> arb:
    x = arb(d).sqrt() * z
    mean = _sphere_mean(d, x)
    own = (1 + _sphere_mean(d, 2 * x)) / 2 - mean**2
    return own / p + (arb(p) - 1) / p * (_frame_mean(d, x) - mean**2)


bessel_orf_variance = register(Formula(name="bessel_orf_variance",
    says="variance with p orthogonal frequencies of norm sqrt(d), sine-cosine pairs", source="dk24.var",
    variables=(PAIR_DIMENSION, ROWS, DIFFERENCE_NORM),
    expression=((1 + _j2) / 2 - _j**2) / rows + (rows - 1) / rows * (_jr - _j**2),
    routes=(
        Route("sphere and frame", _bessel_variance, "integrals over the sphere and over orthonormal pairs",
            within(d=200, z=12)),
        Route("all pairs", (1 + _j2) / (2 * rows) + (1 - 1 / rows) * _jr - _j**2,
            "second moment minus squared mean")),
    conditions=(Condition("p <= d", rows <= d),)))  # fmt: skip


# ---- orthogonal pairs with random scales, charm ----------------------------------------------------------


def _scaled_pair_series(d: int, z: arb, s: arb, t: arb) -> arb:
    """sum_n (-z^2/2)^n C_n/(d/2)_n, with sum_n C_n x^n = (1 - s x)^(-d/2) (1 - t x)^(-d/2)."""
    half, x, top = arb(d) / 2, z * z / 2, s.max(t)
    if not top * x <= 6_000:
        raise NotCertified("scaled pair", wanted="a short series", reached=f"s z^2/2 = {(top * x).str(3)}",
                           hint="choose a smaller z")  # fmt: skip
    before, now, factor, total, bound, n = arb(0), arb(1), arb(1), arb(0), arb(1), 0
    small = arb(2) ** (-ctx.prec - 8)
    # about 3 s x terms; balls of the C_n widen by up to log2(1 + sqrt(2)) bits a term, and the terms cancel
    with ctx.workprec(ctx.prec + math.ceil(6 * float((top * x).upper()))):
        while True:
            total += now * factor
            ratio = (top * x * (d + n) / ((half + n) * (n + 1))).upper()
            if ratio < arb("0.5") and bound < small:
                return total + widen((2 * bound * ratio).upper())
            before, now = now, ((s + t) * (n + half) * now - s * t * (n - 1 + d) * before) / (n + 1)
            factor = -factor * x / (half + n)
            bound = (bound * ratio).upper()
            n += 1


def _scaled_pair_contour(d: int, z: arb, s: arb, t: arb) -> arb:
    points = [(-scale * z * z / 2, 1) for scale in (s, t) if not scale.is_zero()]
    if z.is_zero() or not points:
        return arb(1)
    return orthogonal_exponential(d, points) if len(points) == 2 else points[0][0].exp()


scaled_pair_cosine = register(Formula(name="scaled_pair_cosine",
    says="E cos(w_1.D) cos(w_2.D) for orthogonal w_i with |w_i|^2 = s, t times independent chi^2_d, |D| = z",
    source="ch18.charm, yu16.var.l3 (s = t = 1)",
    variables=(PAIR_DIMENSION, DIFFERENCE_NORM, FIRST_SCALE, SECOND_SCALE),
    expression=2 * gamma(d) / gamma(d / 2) ** 2
        * Integral(
        (sin(phi) * cos(phi)) ** (d - 1)
            * hyper((d,), (d / 2,), -(z**2) * (s * cos(phi) ** 2 + t * sin(phi) ** 2) / 2),
        (phi, 0, pi / 2)),
    routes=(Route("series", _scaled_pair_series, "generating function of the norm moments", within(z=20, s=10, t=10)),
        Route("contour", _scaled_pair_contour, "Hankel's integral"),
        Route("Kummer", hyper((d,), (d / 2,), -s * z**2 / 2), "chi with 2 d degrees of freedom, equal scales",
            valid=lambda values: bool(values["s"] == values["t"]))),
    fast="contour", practical=within(d=16)))  # fmt: skip

charm_matern = register(Formula(name="charm_matern",
    says="leading coefficient z^2 phi'(z)^2/2 of the gain of orthogonality, Matern kernel", source="ch18.charm (b)",
    variables=(SMOOTHNESS, POSITIVE_DIFFERENCE_NORM),
    expression=(z * sqrt(2 * nu) * 2 ** (1 - nu) / gamma(nu) * _x**nu * besselk(nu - 1, _x)) ** 2 / 2,
    routes=(
        Route("recurrence",
            (2 ** (1 - nu) / gamma(nu) * _x**nu * (_x * besselk(nu + 1, _x) - 2 * nu * besselk(nu, _x))) ** 2 / 2,
            "K_(nu+1) - K_(nu-1) = 2 nu K_nu / x"),
        Route("mixture", lambda nu,
            z: ((nu**nu / nu.gamma() * z * z * exponential_mixture(nu - 1, nu, z * z / 2)) ** 2 / 2),
            "z phi' = -z^2 E T exp(-T z^2/2)"))))  # fmt: skip

charm_rational_quadratic = register(Formula(name="charm_rational_quadratic",
    says="leading coefficient z^2 phi'(z)^2/2 of the gain of orthogonality, rational quadratic kernel",
    source="ch18.charm (b)", variables=(SHAPE, DIFFERENCE_NORM),
    expression=z**4 * (1 + z**2 / (2 * alpha)) ** (-2 * alpha - 2) / 2,
    routes=(
        Route("log", exp(4 * log(z) - (2 * alpha + 2) * log(1 + z**2 / (2 * alpha))) / 2, "in the log domain",
            lambda values: bool(values["z"] > 0)),
        Route("mixture", lambda alpha,
            z: ((alpha**alpha / alpha.gamma() * z * z * exponential_mixture(alpha + 1, alpha + z * z / 2,
                arb(0))) ** 2 / 2),
            "z phi' = -z^2 E T exp(-T z^2/2)"))))  # fmt: skip

charm_gaussian = register(Formula(name="charm_gaussian",
    says="leading coefficient of the gain of orthogonality, Gaussian kernel", source="yu16.var, ch18.charm",
    variables=(DIFFERENCE_NORM,), expression=z**4 * exp(-(z**2)) / 2,
    routes=(Route("series", Sum(z**4 * (-(z**2)) ** k / (2 * factorial(k)), (k, 0, oo)), "termwise", within(z=12)),
        Route("squared slope", (z**2 * exp(-(z**2) / 2)) ** 2 / 2, "z^2 phi'^2/2"))))  # fmt: skip


def charm(profile: sympy.Expr) -> sympy.Expr:
    """z^2 phi'(z)^2/2 for the radial profile phi(z), the coefficient that holds for every scale mixture of Gaussians.

    Examples
    --------
    >>> sympy.simplify(charm(exp(-z)) - z**2 * exp(-2 * z) / 2)
    0
    """
    return z**2 * sympy.diff(profile, z) ** 2 / 2


def printed_charm(profile: sympy.Expr) -> sympy.Expr:
    """[z^2 (phi^2)'' - z (phi^2)']/8, form (a): equal to :func:`charm` for the Gaussian kernel alone.

    Examples
    --------
    >>> gaussian, laplace = exp(-(z**2) / 2), exp(-z)
    >>> [sympy.simplify(printed_charm(k) - charm(k)) == 0 for k in (gaussian, laplace)]
    [True, False]
    """
    square = profile**2
    return (z**2 * sympy.diff(square, z, 2) - z * sympy.diff(square, z)) / 8
