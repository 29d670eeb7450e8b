"""Angular and Gaussian lambda-coefficients: moments, MSEs of the hybrids, largest relative error on a sphere.

The angular coefficient is L = B/n, B binomial with n trials and success probability theta/pi. The Gaussian one
(normalised, bipolar) is L = (1 - G)/rho, with G an unbiased estimator of exp(-sigma^2 |x-y|^2/2), trigonometric
or hyperbolic, and rho = 1 - exp(-2 sigma^2 r^2). For |x| = |y| = r the relative errors of T and P are
sqrt(2/m) sinh(2 r^2 s^2) and sqrt(2/m) sinh(2 r^2 c^2), with s = sin(theta/2) and c = cos(theta/2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import cast

import sympy
from flint import acb, arb, arb_poly, arb_series, ctx
from sympy import Expr, Rational, Sum, binomial, cos, exp, log, pi, sin, sinh, sqrt

from rftheory.errors import NotCertified, Undecided
from rftheory.exact.complex_exponential import COEFFICIENT_FEATURES, n
from rftheory.exact.conformity import within
from rftheory.exact.enclosure import certified_integral, exact_fraction
from rftheory.exact.formula import Formula, Route, Variable, register
from rftheory.exact.hybrid import (
    ANGLE,
    PAIR,
    PairBalls,
    _modest,
    bipolar_mse,
    bipolar_shared_mse,
    hybrid_moment,
    hybrid_moment_ball,
    l1,
    l2,
    softmax_hyperbolic_mse,
    softmax_trig_mse,
    theta,
)
from rftheory.exact.peaks import LargestAt, LargestValue, Series, jet, peaks_by_series, u
from rftheory.exact.search import Box, Smooth, certified_maximum
from rftheory.exact.substitution import with_values
from rftheory.exact.symbols import FEATURES, m, x, y

r = sympy.Symbol("r", positive=True)
sigma = sympy.Symbol("sigma", positive=True)
order = sympy.Symbol("order", integer=True, positive=True)
_j = sympy.Symbol("j", integer=True, nonnegative=True)

RADIUS = Variable(r, "common length |x| = |y|", above=0)
SMOOTHNESS = Variable(sigma, "smoothness of the Gaussian coefficient", above=0)

P_ANGLE = theta / pi
"""theta/pi, the probability that a random hyperplane separates x and y."""
W = 2 * sinh(2 * r**2)
"""W(r) = exp(2 r^2)(1 - exp(-4 r^2)) = 2 sinh(2 r^2)."""
COSINE2 = cos(theta / 2) ** 2
SINE2 = sin(theta / 2) ** 2


# ---- the angular coefficient ---------------------------------------------------------------------------


def _separation(theta: arb) -> arb:
    """theta/pi by Goemans-Williamson: the density 1/(2 pi) over the two wedges of angle theta, as an integral."""
    return certified_integral(lambda u, _: u * 0 + 1 / arb.pi(), 0, theta)


def stirling(k: int) -> list[int]:
    """Stirling numbers of the second kind S(k, 0), ..., S(k, k).

    Examples
    --------
    >>> stirling(4)
    [0, 1, 7, 6, 1]
    """
    row = [1]
    for _ in range(k):
        row = [(i * row[i] if i < len(row) else 0) + (row[i - 1] if i else 0) for i in range(len(row) + 1)]
    return row


def _binomial_mixed(a: int, b: int, trials: Expr, probability: Expr) -> Expr:
    """E L^a (1 - L)^b for L = B/trials, from factorial moments E B^(i) (trials - B)^(j) = trials^(i+j) p^i q^j."""
    total = sympy.S.Zero
    for i, s in enumerate(stirling(a)):
        for j, t in enumerate(stirling(b)):
            falling = sympy.prod([trials - k for k in range(i + j)])
            total += s * t * falling * probability**i * (1 - probability) ** j
    return total / trials ** (a + b)


def binomial_mixed_ball(a: int, b: int, n: int, p: arb) -> arb:
    """E L^a (1 - L)^b for L = B/n, from power moments read off a generating function, with (1 - L)^b expanded.

    Examples
    --------
    >>> binomial_mixed_ball(1, 1, 4, arb("0.5")).overlaps(arb("0.25") * (1 - arb("0.25")))
    True
    """
    total = arb(0)
    for i in range(b + 1):
        total += math.comb(b, i) * (-1) ** i * _power_moment(a + i, n, p)
    return total


def _power_moment(k: int, n: int, p: arb) -> arb:
    """E L^k: k! times the coefficient of s^k in (1 - p + p e^(s/n))^n."""
    one = arb_poly([arb(1)] + [p / arb(n) ** i / arb.fac_ui(i) for i in range(1, k + 1)])
    result, power, left = arb_poly([1]), one, n
    while left:
        if left & 1:
            result = _cut(result * power, k)
        left >>= 1
        power = _cut(power * power, k) if left else power
    return result[k] * arb.fac_ui(k)


def _cut(f: arb_poly, degree: int) -> arb_poly:
    return arb_poly(list(f.coeffs())[: degree + 1])


def _listed_moment(a: int, b: int) -> Expr:
    """E L^a (1 - L)^b as the sum over the values of B."""
    return Sum(
        (_j / n) ** a * (1 - _j / n) ** b * binomial(n, _j) * P_ANGLE**_j * (1 - P_ANGLE) ** (n - _j),
        (_j, 0, n),
    )


def _few(values: Mapping[str, Expr]) -> bool:
    return bool(values["n"] <= 64) and 0 < values["theta"] < pi


def _coefficient_routes(a: int, b: int) -> tuple[Route, ...]:
    return (
        Route("sum over values", _listed_moment(a, b), "the binomial law of n L", _few),
        Route(
            "generating function",
            lambda theta, n: binomial_mixed_ball(a, b, n, theta / arb.pi()),
            "coefficients of (1 - p + p e^(s/n))^n",
        ),
    )


angular_coefficient = register(Formula(name="angular_coefficient", says="E L = theta/pi of the angular coefficient",
    source="hybrid.lem3.2 (24), hybrid.eq19", variables=(ANGLE, COEFFICIENT_FEATURES), expression=P_ANGLE,
    routes=(*_coefficient_routes(1, 0),
        Route("wedges", lambda theta, n: _separation(theta), "measure of the separating directions"))))  # fmt: skip

angular_coefficient_second = register(Formula(name="angular_coefficient_second",
    says="E L^2 of the angular coefficient", source="hybrid.lem3.2 (24)", variables=(ANGLE, COEFFICIENT_FEATURES),
    expression=P_ANGLE * (P_ANGLE - P_ANGLE / n + 1 / n), routes=_coefficient_routes(2, 0)))  # fmt: skip

angular_coefficient_complement = register(Formula(name="angular_coefficient_complement",
    says="E (1 - L)^2 of the angular coefficient", source="hybrid.thmD.1 (45)",
    variables=(ANGLE, COEFFICIENT_FEATURES), expression=(1 - P_ANGLE) * (1 - P_ANGLE + P_ANGLE / n),
    zero=sympy.Eq(theta, pi), routes=_coefficient_routes(0, 2)))  # fmt: skip

angular_coefficient_cross = register(Formula(name="angular_coefficient_cross",
    says="E L (1 - L) of the angular coefficient", source="hybrid.thmD.1 (46)",
    variables=(ANGLE, COEFFICIENT_FEATURES), expression=P_ANGLE * (1 - P_ANGLE) * (1 - 1 / n),
    zero=sympy.Eq(theta, pi),
    routes=(Route("printed bracket", P_ANGLE * (1 - P_ANGLE + P_ANGLE / n - 1 / n), "the arrangement of (46)"),
        *_coefficient_routes(1, 1))))  # fmt: skip

angular_coefficient_moment = register(Formula(name="angular_coefficient_moment",
    says="E L^order of the angular coefficient", source="hybrid.lem3.2 (ours)",
    variables=(ANGLE, COEFFICIENT_FEATURES, Variable(order, "order of the moment", integer=True, low=1, high=64)),
    expression=Sum((_j / n) ** order * binomial(n, _j) * P_ANGLE**_j * (1 - P_ANGLE) ** (n - _j), (_j, 1, n)),
    routes=(
        Route("generating function", lambda theta, n, order: _power_moment(order, n, theta / arb.pi()),
            "coefficients of (1 - p + p e^(s/n))^n"),
        Route("factorial moments", lambda theta, n, order: _factorial_moment(order, n, theta / arb.pi()),
            "Stirling numbers")),
    fast="factorial moments"))  # fmt: skip


def _factorial_moment(k: int, n: int, p: arb) -> arb:
    return (
        sum((arb(s * math.perm(n, i)) * p**i for i, s in enumerate(stirling(k))), start=arb(0)) / arb(n) ** k
    )


# ---- the Gaussian coefficient --------------------------------------------------------------------------

RHO = 1 - exp(-2 * sigma**2 * r**2)
_gap2 = 4 * r**2 * SINE2
_sum2 = 4 * r**2 * COSINE2
_kernel = exp(-(sigma**2) * _gap2 / 2)
_trig_variance = (1 - exp(-(sigma**2) * _gap2)) ** 2 / (2 * n)
_hyperbolic_variance = exp(-2 * sigma**2 * _gap2 / 2) * 2 * sinh(sigma**2 * _sum2 / 2) ** 2 / n
_GAUSS = (RADIUS, ANGLE, SMOOTHNESS, COEFFICIENT_FEATURES)


@dataclass(frozen=True)
class GaussBalls:
    """The normalised Gaussian coefficient for |x| = |y| = r as balls: L = (1 - G)/rho, G a mean of n draws.

    Examples
    --------
    >>> GaussBalls.of(arb(1), arb.pi() / 3, arb(1), 4).power(1).overlaps((-arb(1) / 2).exp())
    True
    """

    rho: arb
    draw: Callable[[int], arb]
    n: int

    @classmethod
    def of(
        cls, r: arb, theta: arb, sigma: arb, n: int, *, hyperbolic: bool = False, integrals: bool = False
    ) -> GaussBalls:
        pair = PairBalls.of(sigma * r, sigma * r, theta)
        e = pair.integrated_draws if integrals else pair.draws
        kernel = (-pair.difference2 / 2).exp()

        def draw(k: int) -> arb:
            return kernel**k * (e(k, 0) if hyperbolic else e(0, k))

        return cls(1 - (-2 * (sigma * r) ** 2).exp(), draw, n)

    def power(self, k: int) -> arb:
        """E G^k, k <= 4, from the moments of one draw, as a power of a truncated series."""
        one = arb_poly([self.draw(i) / arb.fac_ui(i) for i in range(k + 1)])
        result, power, left = arb_poly([1]), one, self.n
        while left:
            if left & 1:
                result = _cut(result * power, k)
            left >>= 1
            power = _cut(power * power, k) if left else power
        return result[k] * arb.fac_ui(k) / arb(self.n) ** k

    def mixed(self, a: int, b: int) -> arb:
        """E L^a (1 - L)^b, with L = (1 - G)/rho and 1 - L = (G - (1 - rho))/rho."""
        total = arb(0)
        for i in range(a + 1):
            for j in range(b + 1):
                sign = (-1) ** (i + b - j)
                total += (
                    sign * math.comb(a, i) * math.comb(b, j) * (1 - self.rho) ** (b - j) * self.power(i + j)
                )
        return total / self.rho ** (a + b)


def _gauss_routes(a: int, b: int, *, hyperbolic: bool = False) -> tuple[Route, ...]:
    def route(integrals: bool) -> Callable[..., arb]:
        return lambda r, theta, sigma, n: GaussBalls.of(
            r, theta, sigma, n, hyperbolic=hyperbolic, integrals=integrals
        ).mixed(a, b)

    def modest(values: Mapping[str, Expr]) -> bool:
        return _modest(values) and Rational(1, 100) <= values["sigma"] <= 2

    return (
        Route(
            "power of one draw",
            route(False),
            "E G^k as coefficients of the n-th power of the series of one draw",
        ),
        Route("integrals", route(True), "moments of one draw by Gaussian integrals", modest),
    )


gaussian_coefficient = register(Formula(name="gaussian_coefficient",
    says="lambda of the normalised bipolar Gaussian hybrid, |x| = |y| = r: 0 at theta = 0, 1 at theta = pi",
    source="hybrid.eq67 (67), (76)", variables=(RADIUS, ANGLE, SMOOTHNESS), expression=(1 - _kernel) / RHO,
    routes=(
        Route("hyperbolic sines",
            exp(sigma**2 * r**2 * COSINE2) * sinh(sigma**2 * r**2 * SINE2) / sinh(sigma**2 * r**2),
            "1 - e^-u = 2 e^(-u/2) sinh(u/2)"),
        Route("one draw", lambda r, theta, sigma: GaussBalls.of(r, theta, sigma, 1).mixed(1, 0),
            "E (1 - cos(sigma w.(x-y)))/rho"))))  # fmt: skip

gaussian_coefficient_second = register(Formula(name="gaussian_coefficient_second",
    says="E L^2 of the normalised Gaussian coefficient with n trigonometric projections",
    source="hybrid.thmF.1 (72), hybrid.thmF.2 (78)", variables=_GAUSS,
    expression=((1 - _kernel) ** 2 + _trig_variance) / RHO**2, routes=_gauss_routes(2, 0)))  # fmt: skip

gaussian_coefficient_complement = register(Formula(name="gaussian_coefficient_complement",
    says="E (1 - L)^2 of the normalised Gaussian coefficient with n trigonometric projections",
    source="hybrid.thmF.1 (73), hybrid.thmF.2 (79)", variables=_GAUSS,
    expression=((1 - RHO - _kernel) ** 2 + _trig_variance) / RHO**2, routes=_gauss_routes(0, 2)))  # fmt: skip

gaussian_coefficient_cross = register(Formula(name="gaussian_coefficient_cross",
    says="E L (1 - L) of the normalised Gaussian coefficient with n trigonometric projections; it can be negative",
    source="hybrid.thmF.1.shared", variables=_GAUSS,
    expression=((1 - _kernel) * (_kernel - 1 + RHO) - _trig_variance) / RHO**2,
    routes=_gauss_routes(1, 1)))  # fmt: skip

gaussian_positive_second = register(Formula(name="gaussian_positive_second",
    says="E L^2 of the normalised Gaussian coefficient with n positive (hyperbolic) projections",
    source="hybrid.txt.gauss-not-both, hybrid.mech.gauss-normalised (ii)", variables=_GAUSS,
    expression=((1 - _kernel) ** 2 + _hyperbolic_variance) / RHO**2,
    routes=_gauss_routes(2, 0, hyperbolic=True)))  # fmt: skip

gaussian_positive_complement = register(Formula(name="gaussian_positive_complement",
    says="E (1 - L)^2 of the normalised Gaussian coefficient with n positive (hyperbolic) projections",
    source="hybrid.txt.gauss-not-both, hybrid.mech.gauss-normalised (ii)", variables=_GAUSS,
    expression=((1 - RHO - _kernel) ** 2 + _hyperbolic_variance) / RHO**2, zero=sympy.Eq(theta, pi),
    routes=_gauss_routes(0, 2, hyperbolic=True)))  # fmt: skip


# ---- MSEs of the hybrids ---------------------------------------------------------------------------------

_angular_moments = {l1: P_ANGLE, l2: angular_coefficient_second.expression}
_HYBRID = (*PAIR, FEATURES, COEFFICIENT_FEATURES)


def _algorithm(formula: Formula, route: str) -> Callable[..., arb]:
    """The named route of a formula, which must be an algorithm."""
    return cast(Callable[..., arb], formula.all_routes[route].how)


def _with_coefficient(base: Formula) -> Callable[..., arb]:
    """The MSE with the coefficient's moments as balls, by the second-moment route of the bipolar hybrid."""

    def ball(x: arb, y: arb, theta: arb, m: int, n: int) -> arb:
        p = theta / arb.pi()
        return _algorithm(base, "second moments")(
            x=x, y=y, theta=theta, m=m, l1=_power_moment(1, n, p), l2=_power_moment(2, n, p)
        )

    return ball


def _moment_route(k: int, *, shared: bool, integrals: bool = False) -> Callable[..., arb]:
    """E (H - SM)^k from raw moments of sums over the draws."""

    def ball(x: arb, y: arb, theta: arb, m: int, n: int) -> arb:
        p = theta / arb.pi()
        return hybrid_moment_ball(
            k,
            PairBalls.of(x, y, theta),
            m,
            lambda a, b: binomial_mixed_ball(a, b, n, p),
            shared=shared,
            integrals=integrals,
        )

    return ball


def _inner_pair(values: Mapping[str, Expr]) -> bool:
    return _modest(values) and bool(values["m"] <= 64)


WITHOUT_ERROR = sympy.Eq(x, y) & (sympy.Eq(theta, 0) | sympy.Eq(theta, pi) | sympy.Eq(x, 0))
"""y = x, where only the trigonometric estimator counts, and y = -x, where only the positive one does: exact ones; and
x = y = 0, where both are."""

angular_mse = register(Formula(name="angular_mse",
    says="MSE of the angular hybrid, P and T with independent projections", source="hybrid.thmD.1 (45)",
    variables=_HYBRID, zero=WITHOUT_ERROR, expression=bipolar_mse.expression.xreplace(_angular_moments),
    routes=(Route("second moments", _with_coefficient(bipolar_mse), "Theorem 3.1 with moments of the binomial law"),
        Route("integrals", _moment_route(2, shared=False, integrals=True), "raw moments by Gaussian integrals",
            _inner_pair))))  # fmt: skip

angular_shared_mse = register(Formula(name="angular_shared_mse",
    says="MSE of the angular hybrid, P and T with the same projections", source="hybrid.thmD.1 (46)",
    variables=_HYBRID, zero=WITHOUT_ERROR, expression=bipolar_shared_mse.expression.xreplace(_angular_moments),
    routes=(
        Route("second moments", _with_coefficient(bipolar_shared_mse),
            "Theorem 3.1 with moments of the binomial law"),
        Route("integrals", _moment_route(2, shared=True, integrals=True), "raw moments by Gaussian integrals",
            _inner_pair))))  # fmt: skip

_c2, _s2 = 4 * r**2 * COSINE2, 4 * r**2 * SINE2
_equal_positive = exp(8 * r**2 * COSINE2 - 2 * r**2) * (1 - exp(-_c2)) ** 2 / (2 * m)
_equal_trig = exp(2 * r**2) * (1 - exp(-_s2)) ** 2 / (2 * m)
_SPHERE = (RADIUS, ANGLE, FEATURES, COEFFICIENT_FEATURES)

angular_equal_mse = register(Formula(name="angular_equal_mse",
    says="MSE of the angular hybrid for |x| = |y| = r, projections shared or not", source="hybrid.thmD.1.equal (47)",
    variables=_SPHERE,
    expression=angular_coefficient_second.expression * _equal_positive + angular_coefficient_complement.expression
        * _equal_trig, zero=sympy.Eq(theta, pi),
    routes=(
        Route("general lengths", with_values(angular_mse.expression, {x: r, y: r}), "(45) at |x| = |y| = r"),
        Route("shared", with_values(angular_shared_mse.expression, {x: r, y: r}), "(46) at |x| = |y| = r"),
        Route("integrals", lambda r, theta, m, n: _moment_route(2, shared=True, integrals=True)(r, r, theta, m, n),
            "raw moments", _inner_pair))))  # fmt: skip

for _order, _shared in ((3, False), (3, True), (4, False), (4, True)):
    register(
        Formula(
            name=f"angular_{'shared_' if _shared else ''}{'third' if _order == 3 else 'fourth'}_moment",
            says=f"E (H - SM)^{_order} of the angular hybrid, {'shared' if _shared else 'independent'} projections",
            source="hybrid.thmD.1 (ours)",
            variables=_HYBRID,
            zero=WITHOUT_ERROR,
            expression=hybrid_moment(_order, lambda a, b: _binomial_mixed(a, b, n, P_ANGLE), shared=_shared),
            routes=(
                Route(
                    "raw moments",
                    _moment_route(_order, shared=_shared),
                    "powers of truncated series of one draw",
                ),
                Route(
                    "integrals",
                    _moment_route(_order, shared=_shared, integrals=True),
                    "the same with Gaussian integrals",
                    _inner_pair,
                ),
            ),
        )
    )


def _gauss_second_moments(hyperbolic: bool, shared: bool, integrals: bool = False) -> Callable[..., arb]:
    def ball(r: arb, theta: arb, sigma: arb, m: int, n: int) -> arb:
        law = GaussBalls.of(r, theta, sigma, n, hyperbolic=hyperbolic, integrals=integrals)
        return hybrid_moment_ball(
            2, PairBalls.of(r, r, theta), m, law.mixed, shared=shared, integrals=integrals
        )

    return ball


def _gauss_pair(values: Mapping[str, Expr]) -> bool:
    return _inner_pair(values) and Rational(1, 100) <= values["sigma"] <= 2


def _gauss_hybrid(
    name: str, features: str, second: Formula, complement: Formula, hyperbolic: bool, source: str
) -> Formula:
    return register(
        Formula(
            name=name,
            says=f"MSE of the normalised Gaussian hybrid for |x| = |y| = r, coefficient with {features} features",
            source=source,
            variables=(RADIUS, ANGLE, SMOOTHNESS, FEATURES, COEFFICIENT_FEATURES),
            expression=second.expression * _equal_positive + complement.expression * _equal_trig,
            zero=sympy.Eq(theta, pi) if hyperbolic else sympy.false,
            routes=(
                Route(
                    "shared",
                    _gauss_second_moments(hyperbolic, True),
                    "raw moments, P and T with the same projections",
                ),
                Route(
                    "integrals",
                    _gauss_second_moments(hyperbolic, False, True),
                    "raw moments by Gaussian integrals",
                    _gauss_pair,
                ),
            ),
        )
    )


gaussian_equal_mse = _gauss_hybrid("gaussian_equal_mse", "trigonometric", gaussian_coefficient_second,
    gaussian_coefficient_complement, False, "hybrid.thmF.2 (77)")  # fmt: skip
gaussian_positive_equal_mse = _gauss_hybrid("gaussian_positive_equal_mse", "positive", gaussian_positive_second,
    gaussian_positive_complement, True, "hybrid.mech.gauss-normalised (ii)")  # fmt: skip


# ---- relative errors -------------------------------------------------------------------------------------

_trig_error = sqrt(2 / m) * sinh(2 * r**2 * SINE2)
_positive_error = sqrt(2 / m) * sinh(2 * r**2 * COSINE2)


_SINGLE = (RADIUS, ANGLE, FEATURES)


def _from_mse(mse: Callable[[arb, arb, int], arb]) -> Callable[..., arb]:
    """sqrt(MSE)/SM."""
    return lambda r, theta, m: mse(r, theta, m).sqrt() / (r * r * theta.cos()).exp()


def _base_mse(formula: Formula, route: str) -> Callable[[arb, arb, int], arb]:
    how = _algorithm(formula, route)
    return lambda r, theta, m: how(x=r, y=r, theta=theta, m=m)


def _base_routes(formula: Formula, exponent: Expr) -> tuple[Route, ...]:
    return (
        Route("(25)", exp(exponent) * (1 - exp(-2 * exponent)) / sqrt(2 * m), "the printed form"),
        Route("raw moments", _from_mse(_base_mse(formula, "raw moments")), "from the second moment", _inside),
        Route(
            "integrals",
            _from_mse(_base_mse(formula, "integrals")),
            "the same by a Gaussian integral",
            _modest,
        ),
    )


def _inside(values: Mapping[str, Expr]) -> bool:
    return 0 < values["theta"] < pi


trig_relative_error = register(Formula(name="trig_relative_error",
    says="relative error sqrt(MSE)/SM of the trigonometric estimator, |x| = |y| = r", source="hybrid.lem3.4 (25)",
    variables=_SINGLE, expression=_trig_error, routes=_base_routes(softmax_trig_mse, 2 * r**2 * SINE2)))  # fmt: skip

positive_relative_error = register(Formula(name="hyperbolic_relative_error",
    says="relative error sqrt(MSE)/SM of the positive estimator P (both signs), |x| = |y| = r",
    source="hybrid.lem3.4 (25)", variables=_SINGLE, expression=_positive_error, zero=sympy.Eq(theta, pi),
    routes=_base_routes(softmax_hyperbolic_mse, 2 * r**2 * COSINE2)))  # fmt: skip

base_max_relative_error = register(Formula(name="base_max_relative_error",
    says="largest relative error of T, and of P, over the sphere of radius r: at theta = pi, at theta = 0",
    source="hybrid.lem3.4 (26)", variables=(RADIUS, FEATURES), expression=W / sqrt(2 * m),
    routes=(Route("(26)", sqrt(1 / (2 * m)) * exp(2 * r**2) * (1 - exp(-4 * r**2)), "the printed form"),
        Route("P at theta = 0", _positive_error.subs(theta, 0), "relative error of P at theta = 0"))))  # fmt: skip

_angular_square = (2 / m) * (
    angular_coefficient_second.expression * sinh(2 * r**2 * COSINE2) ** 2
    + angular_coefficient_complement.expression * sinh(2 * r**2 * SINE2) ** 2
)


def _angular_error(route: str) -> Callable[..., arb]:
    how = _algorithm(angular_equal_mse, route)
    return lambda r, theta, m, n: how(r=r, theta=theta, m=m, n=n).sqrt() / (r * r * theta.cos()).exp()


angular_relative_error = register(Formula(name="angular_relative_error",
    says="relative error of the angular hybrid, |x| = |y| = r", source="hybrid.def3.3, hybrid.thmD.1.equal",
    variables=_SPHERE, expression=sqrt(_angular_square), zero=sympy.Eq(theta, pi),
    routes=(Route("(47)", sqrt(angular_equal_mse.expression) * exp(-(r**2) * cos(theta)), "root of (47) over SM"),
        Route("integrals", _angular_error("integrals"), "raw moments by Gaussian integrals",
            _inner_pair))))  # fmt: skip

angular_limit = register(Formula(name="angular_limit",
    says="limit of (relative error of the angular hybrid)/sqrt(theta) as theta -> 0; the same at pi - theta",
    source="hybrid.thm3.5.limits", variables=(RADIUS, FEATURES, COEFFICIENT_FEATURES),
    expression=W / sqrt(2 * pi * m * n),
    routes=(Route("printed", sqrt(1 / (2 * pi * m * n)) * exp(2 * r**2) * (1 - exp(-4 * r**2)), "the printed form"),
        Route("variance of the coefficient",
            sqrt(sympy.diff(angular_coefficient_second.expression, theta).subs(theta, 0)) * W / sqrt(2 * m),
            "root of d E L^2/d theta at 0 times the error of P at 0"))))  # fmt: skip


# ---- maximum over the sphere -------------------------------------------------------------------------------


def _divisor(x: arb) -> arb:
    """A divisor of a power series, proved to be nonzero, as python-flint requires."""
    if x.contains(0):
        raise Undecided("divisor of a power series", reached=f"it is {x.str(5)}")
    return x


def _rest(x: arb_series) -> arb_series:
    """x less its first coefficient, exactly: the difference of a ball and itself is twice as wide as the ball."""
    return arb_series([arb(0), *x.coeffs()[1:]], prec=x.prec)


def _sinh(x: arb_series) -> arb_series:
    """By its value at the first coefficient: two exponentials near 1 would cancel."""
    first, rest = x[0], _rest(x)
    up, down = rest.exp(), (-rest).exp()
    return first.sinh() * ((up + down) / 2) + first.cosh() * ((up - down) / 2)


def _fall(x: arb_series) -> arb_series:
    """1 - exp(-x), by its value at the first coefficient, which may be tiny."""
    first, rest = x[0], (-_rest(x)).exp()
    return (1 - rest) - (-first).expm1() * rest


def _hybrid_series(second: Callable[[arb_series], tuple[arb_series, arb_series]], r: arb) -> Series:
    """E L^2 sinh(2 r^2 c^2)^2 + E (1-L)^2 sinh(2 r^2 s^2)^2, as in Lemma 3.4, over sinh(2 r^2)^2."""

    def f(theta: arb_series) -> arb_series:
        cosine, (square, complement) = theta.cos(), second(theta)
        first, other = _sinh(r * r * (1 + cosine)), _sinh(r * r * (1 - cosine))
        return (square * first * first + complement * other * other) / _divisor((2 * r * r).sinh() ** 2)

    return f


def _angular_series(r: arb, n: int) -> Series:
    def second(theta: arb_series) -> tuple[arb_series, arb_series]:
        p = theta / arb.pi()
        spread = p * (1 - p) / n
        return p * p + spread, (1 - p) * (1 - p) + spread

    return _hybrid_series(second, r)


def _printed_h_series(r: arb, n: int) -> Series:
    """h_r of (49), (50), over exp(2 r^2), term by term."""

    def one(t: arb_series) -> arb_series:
        p = t / arb.pi()
        fall = 1 - (-2 * r * r * (1 + t.cos())).exp()
        return p * (p - p / n + arb(1) / n) * (2 * r * r * (t.cos() - 1)).exp() * fall * fall

    return lambda theta: one(theta) + one(arb.pi() - theta)


def _gaussian_series(r: arb, sigma: arb, n: int) -> Series:
    scale = sigma * sigma * r * r
    square = _divisor((-2 * scale).expm1() ** 2)

    def second(theta: arb_series) -> tuple[arb_series, arb_series]:
        near, rest = scale * (1 - theta.cos()), scale * (1 + theta.cos())
        spread = _fall(2 * near) ** 2 / (2 * n)
        near, far = _fall(near), (-near).exp() * _fall(rest)  # 1 - kernel, and kernel - exp(-2 scale)
        return (near * near + spread) / square, (far * far + spread) / square

    return _hybrid_series(second, r)


def _gaussian_expanded_series(r: arb, sigma: arb, n: int) -> Series:
    """The same from E L, E L^2 expanded in powers of the kernel, and sinh^2 in exponentials."""
    rho = _divisor(1 - (-2 * sigma * sigma * r * r).exp())
    scale = _divisor((2 * r * r).sinh() ** 2)

    def f(theta: arb_series) -> arb_series:
        cosine = theta.cos()
        a = sigma * sigma * r * r * (1 - cosine)
        k1, k2, k4 = (-a).exp(), (-2 * a).exp(), (-4 * a).exp()
        mean = (1 - k1) / rho
        square = (1 - 2 * k1 + k2 + (1 - 2 * k2 + k4) / (2 * n)) / _divisor(rho**2)
        wide, narrow = 2 * r * r * (1 + cosine), 2 * r * r * (1 - cosine)
        positive = (wide.exp() + (-wide).exp() - 2) / 4
        trigonometric = (narrow.exp() + (-narrow).exp() - 2) / 4
        return (square * positive + (1 - 2 * mean + square) * trigonometric) / scale

    return f


def _largest(f: Series, high: Fraction, mirrors: tuple[Fraction, ...]) -> arb:
    values = [jet(f, place)[0] for place in peaks_by_series(f, Fraction(0), high, mirrors)]
    return reduce(lambda a, b: a.max(b), values)


def _place(f: Series, high: Fraction, mirrors: tuple[Fraction, ...]) -> arb:
    places = peaks_by_series(f, Fraction(0), high, mirrors)
    if len(places) > 1:
        raise NotCertified(
            "place of the largest value", wanted="a unique one", reached=f"{len(places)} candidates"
        )
    return arb.pi() * places[0]


_ANGULAR_ENDS = (Fraction(1, 2), (Fraction(1, 2),))
_GAUSSIAN_ENDS = (Fraction(1), (Fraction(0), Fraction(1)))


def _over_u(expression: Expr) -> sympy.Lambda:
    return sympy.Lambda(u, expression.subs(theta, pi * u))


_HALF = Rational(1, 2)
_angular_scaled = _over_u(_angular_square * m / (2 * sinh(2 * r**2) ** 2))
_angular_peak = LargestValue(_angular_scaled, 0, _HALF, _HALF)
_MAXIMUM = (RADIUS, FEATURES, COEFFICIENT_FEATURES)


def printed_h(theta_: Expr = theta) -> Expr:
    """h_r(theta) of (49), (50).

    Examples
    --------
    >>> printed_h(pi / 2).subs({r: 1, n: 4})
    5*(1 - exp(-2))**2/8
    """

    def a(t: Expr) -> Expr:
        weight = t / pi * (t / pi - t / (n * pi) + 1 / n)
        return weight * exp(2 * r**2 * cos(t)) * (1 - exp(-4 * r**2 * cos(t / 2) ** 2)) ** 2

    return a(theta_) + a(pi - theta_)


def _maximum_of_h(r: arb, m: int, n: int) -> arb:
    """(48), with the maximum of h_r over theta in [0, pi] by the branch and bound of the search module."""
    if not r.is_exact():
        raise NotCertified("maximum of h", wanted="a dyadic radius", reached=r.str(10))
    length = exact_fraction(r)
    h = printed_h(pi * u).xreplace({_r: Rational(length.numerator, length.denominator), _n: sympy.Integer(n)})
    digits = max(3, int(ctx.prec * 0.3) - 8)
    top = certified_maximum(Smooth.of(h, u), Box.of((0, 1)), digits=digits, subject="maximum of h")
    return (r * r).exp() / (2 * arb(m)).sqrt() * acb(top.value.ball).real.sqrt()


_r, _n = r, n

angular_max_relative_error = register(Formula(name="angular_max_relative_error",
    says="largest relative error of the angular hybrid over the sphere of radius r",
    source="hybrid.def3.3, hybrid.thm3.5.bound (48)", variables=_MAXIMUM,
    expression=sqrt(2 / m) * sinh(2 * r**2) * sqrt(_angular_peak),
    routes=(
        Route("(48)", _maximum_of_h, "maximum of h_r over the whole of [0, pi], r a dyadic number",
            lambda values: _dyadic(values["r"])),
        Route("power series", lambda r, m,
            n: ((2 / arb(m)).sqrt() * (2 * r * r).sinh() * _largest(_angular_series(r, n), *_ANGULAR_ENDS).sqrt()),
            "branch and bound with derivatives by power series, on [0, pi/2]", within(r=10)),
        Route("power series of (49)", lambda r, m,
            n: ((2 * r * r).exp() / (2 * arb(m)).sqrt() * _largest(_printed_h_series(r, n), *_ANGULAR_ENDS).sqrt()),
            "the same search on the printed h", within(r=10))),
    fast="power series"))  # fmt: skip


def _dyadic(value: Expr) -> bool:
    return bool(value.is_Rational) and int(value.q) & (int(value.q) - 1) == 0 and Rational(1, 4) <= value <= 3


angular_worst_angle = register(Formula(name="angular_worst_angle",
    says="angle in (0, pi/2] with the largest relative error of the angular hybrid; pi minus it is the other",
    source="hybrid.def3.3 (ours)", variables=(RADIUS, COEFFICIENT_FEATURES),
    expression=pi * LargestAt(_angular_scaled, 0, _HALF, _HALF),
    routes=(
        Route("power series", lambda r, n: _place(_angular_series(r, n), *_ANGULAR_ENDS),
            "branch and bound with derivatives by power series, then bisection on the derivative", within(r=10)),
        Route("power series of (49)", lambda r, n: _place(_printed_h_series(r, n), *_ANGULAR_ENDS),
            "the same search on the printed h", within(r=10))),
    fast="power series"))  # fmt: skip

_gaussian_scaled = _over_u((gaussian_coefficient_second.expression * sinh(
    2 * r**2 * COSINE2) ** 2 + gaussian_coefficient_complement.expression * sinh(
    2 * r**2 * SINE2) ** 2) / sinh(2 * r**2) ** 2)  # fmt: skip

gaussian_relative_error = register(Formula(name="gaussian_relative_error",
    says="relative error of the normalised bipolar Gaussian hybrid (trigonometric coefficient), |x| = |y| = r",
    source="hybrid.def3.3, hybrid.thmF.2", variables=(RADIUS, ANGLE, SMOOTHNESS, FEATURES, COEFFICIENT_FEATURES),
    expression=sqrt(gaussian_equal_mse.expression) * exp(-(r**2) * cos(theta)),
    routes=(
        Route("sinh", sqrt(2 / m) * sinh(2 * r**2) * sqrt(_gaussian_scaled.expr.subs(u, theta / pi)), "scaled form"),
        Route("raw moments", lambda r, theta, sigma, m,
            n: (_gauss_second_moments(False, True)(r, theta, sigma, m, n).sqrt() / (r * r * theta.cos()).exp()),
            "raw moments, shared projections", _inside))))  # fmt: skip

_GAUSSIAN_SERIES = (
    ("power series", _gaussian_series,
        "branch and bound with derivatives by power series, then bisection on the derivative", within(r=10)),
    ("power series, expanded", _gaussian_expanded_series,
        "the same search on the moments expanded in powers of the kernel, which cancel where it is nearly 1",
        lambda values: (values["r"] <= 10 and values["sigma"] * values["r"] >= Rational(1, 50)
            and values["n"] <= 1000 * values["sigma"] * values["r"])))  # fmt: skip

gaussian_max_relative_error = register(Formula(name="gaussian_max_relative_error",
    says="largest relative error of the normalised Gaussian hybrid (trigonometric coefficient), radius r",
    source="hybrid.def3.3, hybrid.txt.gauss-larger-variance",
    variables=(RADIUS, SMOOTHNESS, FEATURES, COEFFICIENT_FEATURES),
    expression=sqrt(2 / m) * sinh(2 * r**2) * sqrt(LargestValue(_gaussian_scaled, 0, 1, 0, 1)),
    routes=tuple(
        Route(name, lambda r, sigma, m, n,
            series=series: (
                (2 / arb(m)).sqrt() * (2 * r * r).sinh() * _largest(series(r, sigma, n), *_GAUSSIAN_ENDS).sqrt()),
            note, practical) for name,
        series, note, practical in _GAUSSIAN_SERIES), fast="power series"))  # fmt: skip

gaussian_worst_angle = register(Formula(name="gaussian_worst_angle",
    says="angle with the largest relative error of the normalised Gaussian hybrid (trigonometric coefficient)",
    source="hybrid.def3.3 (ours)", variables=(RADIUS, SMOOTHNESS, COEFFICIENT_FEATURES),
    expression=pi * LargestAt(_gaussian_scaled, 0, 1, 0, 1),
    routes=tuple(
        Route(name, lambda r, sigma, n, series=series: _place(series(r, sigma, n), *_GAUSSIAN_ENDS), note,
            practical) for name,
        series, note, practical in _GAUSSIAN_SERIES), fast="power series"))  # fmt: skip


# ---- bounds ------------------------------------------------------------------------------------------------

_base = W / sqrt(2 * m)

angular_error_bound = register(Formula(name="angular_error_bound",
    says="bound of the largest relative error of the angular hybrid, radius r: (27) with the factor r restored",
    source="hybrid.thm3.5.bound (27), corrected", variables=_MAXIMUM,
    expression=_base / r * sqrt(1 / pi - 1 / (n * pi) + r / (n * sqrt(pi))),
    routes=(
        Route("from (63), (64)",
            exp(r**2) / sqrt(m) * (1 - exp(-4 * r**2))
                * sqrt((1 - 1 / n) * exp(2 * r**2) / (2 * pi * r**2) + exp(2 * r**2) / (2 * n * sqrt(pi * r**2))),
            "(51), (52), (56)"),
        Route("square", sqrt(W**2 * (r * sqrt(pi) + n - 1) / (2 * m * n * pi * r**2)), "one root"))))  # fmt: skip

angular_printed_bound = register(Formula(name="angular_printed_bound",
    says="(27) as printed, which the largest relative error of the angular hybrid exceeds at large radius r",
    source="hybrid.thm3.5.bound (27)", variables=_MAXIMUM,
    expression=_base / r * sqrt(1 / pi - 1 / (n * pi) + 1 / (n * sqrt(pi))),
    routes=(Route("square", sqrt(W**2 * (sqrt(pi) + n - 1) / (2 * m * n * pi * r**2)), "one root"),
        Route("by the restored bound",
            angular_error_bound.expression * sqrt((n - 1 + sqrt(pi)) / (n - 1 + r * sqrt(pi))),
            "(27) with the factor r, times the root of what the factor changes"))))  # fmt: skip

angular_sharp_bound = register(Formula(name="angular_sharp_bound",
    says="a sharper bound of the largest relative error of the angular hybrid on the sphere, for all r > 0",
    source="hybrid.thm3.5.bound (ours)", variables=_MAXIMUM,
    expression=W / sqrt(m) * sqrt((1 - 1 / n) / (4 * sympy.E * r**2) + 1 / (2 * sqrt(2 * sympy.E) * n * r)),
    routes=(
        Route("saddles",
            2 * sinh(2 * r**2) / r * sqrt((1 - 1 / n) * exp(-1) / 4 + r * exp(-_HALF) / (2 * sqrt(2) * n)) / sqrt(m),
            "max of t^2 exp(-t^2) is 1/e, of t exp(-t^2) 1/sqrt(2e)"),
        Route("square", sqrt(W**2 * (n - 1 + sqrt(2 * sympy.E) * r) / (4 * sympy.E * m * n * r**2)),
            "one root"))))  # fmt: skip

angular_half_bound = register(Formula(name="angular_half_bound",
    says="another bound, for all r > 0: sqrt((n+1)/(8n)) times the largest error of T and P at the same m",
    source="hybrid.txt.strict (ours)", variables=_MAXIMUM, expression=_base * sqrt((n + 1) / (8 * n)),
    routes=(
        Route("value at pi/2",
            _base
                * sqrt((angular_coefficient_second.expression + angular_coefficient_complement.expression).subs(theta,
                    pi / 2) / 4),
            "the convexity bound sinh(a t) <= t sinh(a) at theta = pi/2"),
        Route("exponentials", sqrt(Rational(1, 16) / m * (1 + 1 / n)) * exp(2 * r**2) * (1 - exp(-4 * r**2)),
            "W written out"))))  # fmt: skip

angular_growth = register(Formula(name="angular_growth",
    says="limit of (largest relative error of the angular hybrid) sqrt(r) exp(-2 r^2) as r -> oo, fixed m and n",
    source="hybrid.thm3.5.scaling, corrected (ours)", variables=(FEATURES, COEFFICIENT_FEATURES),
    expression=1 / sqrt(2 * pi * m * n * sqrt(2 * sympy.E)),
    routes=(
        Route("saddle", sqrt((1 / sqrt(2)) * exp(-_HALF) / (n * pi) / (2 * m)),
            "max of t exp(-t^2) at t = 1/sqrt(2), t = r theta"),
        Route("logarithm", exp(-(log(2 * pi * m * n) + log(2) / 2 + _HALF) / 2), "by logarithms"))))  # fmt: skip

PRINTED_BOUND = _base / r * sqrt(1 / pi - 1 / (n * pi) + 1 / (n * sqrt(pi)))
"""(27) as printed (hybrid.thm3.5.bound): false for n = 1 from about r = 4.13 on, and for every n at large r."""

PRINTED_B2_BOUND = exp(2 * r**2) / (2 * n * sqrt(pi) * r**2)
"""(64) reading (a): not a bound of b^2_r; reading (b), with sqrt(pi r^2) in place of sqrt(pi) r^2, is."""

PRINTED_GAUSS_LENGTH = 4 * r**4 * SINE2
"""|x - y|^2 under reading (b) of the proof of Theorem F.2, |x| = |y| = r^2; the value is 4 r^2 sin^2(theta/2)."""
