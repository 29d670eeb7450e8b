"""The mechanisms with Gaussian coefficients: windows (20), the normalised coefficient (67), and hybrids inside of hybrids."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy
from flint import arb
from sympy import cos, cosh, exp, pi

from rftheory.author import equal
from rftheory.exact.angular import sigma
from rftheory.exact.hybrid import theta
from rftheory.papers.claim import Fault
from rftheory.papers.hybrid.notation import said, step
from rftheory.papers.hybrid.recipes import (Draws, angle, combined, follows, normalised, pos, squares, trig,
    window)  # fmt: skip
from rftheory.papers.hybrid.statistics import (Pair, angular, base_moments, combined_law, combined_moments,
    estimates, gaussian, sampled_kernel, weights, window_moments)  # fmt: skip
from rftheory.papers.statistics import MakeStatistic
from rftheory.sample import (Hybrid, Mechanism, angular_hybrid, bipolar, gaussian_coefficient,
    gaussian_hybrid, normalised_gaussian)  # fmt: skip
from rftheory.sample.exponential import HYPERBOLIC
from rftheory.sample.features import TRIGONOMETRIC, FeatureMap
from rftheory.statement.evidence import Derived, Law, ProvedStep, SampledMean, Shown, Slow, times

NEAR = Pair("0.35", "0.35", "2.2", d=5)
TWO_X, TWO_Y = np.array([1 / 3, -1 / 4]), np.array([1 / 5, 1 / 2])

SWAPPED = ("the weights of P and T exchanged", "swapped")

SIGMA = 0.8
RHO = 1 - math.exp(-2 * SIGMA**2)
"""rho of (68) for r = 1."""


def recipe(where: str) -> str:
    """Where a recipe is printed, as an argument of the constructors."""
    return f"{where}, as an algorithm"


def sampled(
    says: str, statistic: MakeStatistic, law: Callable[[], Law], blocks: int = 2**17, factor: float = 1.05
) -> Slow:
    """A sampled mean against its exact law, in the full run."""
    return Slow(SampledMean(says, statistic, law, times(factor), blocks))


def window_matrix(d: int) -> np.ndarray:
    """M of (20): no multiple of the identity."""
    return np.diag(np.linspace(0.5, 1.0, d)) + np.triu(np.full((d, d), 0.25), 1)


def _paired(kind: str, sigma: float, radius: float, form: str) -> Any:
    """The recipe of the normalised Gaussian hybrid, m = 3, n = 4; ``form`` plants an error."""

    def recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
        d = x.shape[1]
        rho = 1 - math.exp(-(1 if change == "rho" else 2) * (sigma * radius) ** 2)
        scale = {"sigma^2": sigma**2, "tau.z": 1.0}.get(change, sigma)
        w = draw("coefficient 0", d, 4)
        used = {"trigonometric": "positive", "positive": "trigonometric"}[kind] if change == "kind" else kind
        weight = normalised(x, y, w, scale, rho, used)
        if change == "swapped":
            weight = 1 - weight
        return combined([weight], [pos(x, y, draw("base 0", d, 3)), trig(x, y, draw("base 1", d, 3))])

    return recipe


def _gauss_check(kind: str, stated: str, *wrong: tuple[str, str]) -> Shown:
    maps: dict[str, FeatureMap] = {"trigonometric": TRIGONOMETRIC, "positive": HYPERBOLIC}
    return follows(
        f"normalised Gaussian hybrid, {kind} coefficient, sigma = 0.8, r = 1",
        lambda d: gaussian_hybrid(3, 4, d, sigma=SIGMA, radius=1.0, feature_map=maps[kind]),
        _paired(kind, SIGMA, 1.0, ""),
        stated,
        *wrong,
    )


def _windows(d: int) -> Hybrid:
    """Two Gaussian coefficients (20), one with each kind of features."""
    bases = (
        Mechanism("trigonometric", "iid", 2),
        Mechanism("hyperbolic", "iid", 2),
        Mechanism("trigonometric", "iid", 3),
    )
    return Hybrid(
        bases,
        (
            gaussian_coefficient(window_matrix(d), 0.9, Mechanism("trigonometric", "iid", 4)),
            gaussian_coefficient(-np.eye(d), 1.5, Mechanism("hyperbolic", "iid", 3)),
        ),
    )


def _windows_recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
    d = x.shape[1]
    sign = 1 if change == "x = +M y" else -1
    powers = 2 if change == "c^2 for c" else 1
    matrix = window_matrix(d).T if change == "transpose" else window_matrix(d)
    lambdas = [
        window(x, y, draw("coefficient 0", d, 4), matrix, 0.9**powers, "trigonometric", sign),
        window(x, y, draw("coefficient 1", d, 3), -np.eye(d), 1.5**powers, "positive", sign),
    ]
    bases = [
        trig(x, y, draw("base 0", d, 2)),
        pos(x, y, draw("base 1", d, 2)),
        trig(x, y, draw("base 2", d, 3)),
    ]
    return combined(lambdas, bases)


def _nested(d: int) -> Hybrid:
    weight = normalised_gaussian(SIGMA, 1.0, d, angular_hybrid(2, 3))
    return bipolar(weight, 3)


def _nested_recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
    """The exponential in (67) by the angular hybrid at sigma x, sigma y, all draws independent."""
    d = x.shape[1]
    u, v = (SIGMA * side for side in (x, y))
    path = "" if change == "projections of the bases" else "coefficient 0/"
    bases = (draw(f"{path}base 0", d, 2), draw(f"{path}base 1", d, 2))
    inner = angle(u, v, draw("coefficient 0/coefficient 0", d, 3))
    if change == "inner weights exchanged":
        inner = 1 - inner
    kernel = combined([inner], [pos(u, v, bases[0]), trig(u, v, bases[1])])
    if change != "without the norms":
        kernel = kernel * np.exp(-(squares(u)[:, None] + squares(v)[None, :]) / 2)
    outer = [pos(x, y, draw("base 0", d, 3)), trig(x, y, draw("base 1", d, 3))]
    return combined([(1 - kernel) / RHO], outer)


def _nested_law(pair: Pair, m: int, inner: tuple[int, int], sigma: float, radius: float) -> Callable[[], Law]:
    """Law of the nested hybrid: raw moments of its coefficient from those of the inner hybrid."""
    x, y = pair.vectors()
    u, v = sigma * x, sigma * y
    mixed = angular(pair.theta, inner[1])

    def lambdas() -> list[list[arb]]:
        angles = [mixed(k, 0) for k in range(3)]
        bases = [base_moments(kind, u, v, inner[0]) for kind in ("hyperbolic", "trigonometric")]
        return [_normalised_moments(bases, angles, u, v, sigma, radius)]

    def bases() -> list[list[arb]]:
        return [base_moments(kind, x, y, m) for kind in ("hyperbolic", "trigonometric")]

    return combined_law(pair.softmax, bases, lambdas)


def _normalised_moments(
    bases: list[list[arb]], angles: list[arb], u: np.ndarray, v: np.ndarray, sigma: float, radius: float
) -> list[arb]:
    """E ((1 - G)/rho)^k of the estimate G of the Gaussian kernel by a bipolar hybrid."""
    kernel = arb(float(u @ v)).exp()
    size = (-arb(float(u @ u + v @ v)) / 2).exp()
    central = combined_moments(bases, [angles])
    raw = [
        size**k * sum((math.comb(k, i) * kernel ** (k - i) * central[i] for i in range(k + 1)), start=arb(0))
        for k in range(3)
    ]
    rho = 1 - (-2 * arb(sigma * radius) ** 2).exp()
    return [
        sum((math.comb(k, i) * (-1) ** i * raw[i] for i in range(k + 1)), start=arb(0)) / rho**k
        for k in range(3)
    ]


_minus, _plus = 2 * (1 - cos(theta)), 2 * (1 + cos(theta))
"""|x - y|^2 and |x + y|^2 for |x| = |y| = 1."""
_BIAS = (
    exp(cos(theta))
    * exp(-(sigma**2) * _minus / 2)
    / (1 - exp(-2 * sigma**2))
    * ((1 - theta / pi) * (cosh(sigma * _minus) - 1) - theta / pi * (cosh(sigma * _plus) - 1))
)
"""E (L - lambda)(P - T) for m = 1: minus the covariances of the inner P, T with the outer, over rho."""

_LOW = Pair("0.35", "0.35", "2.2")

CLAIMS = (
    step("hybrid.mech.gauss-lambda", recipe("eqs (8), (20)"), "hybrid.eq8",
        Derived("hybrid.eq8"), Derived("hybrid.eq1"),
        statement=r"matrices $M_k$, widths $c_k$; $\lambda^k$ by (20) with positive or trigonometric $\phi_{SM}$, $a_k=0$, in (8): unbiased, $\hat\lambda^k$ for $\lambda^k$ and the hybrid for $\mathrm{SM}$",
        conditions="the signs of hybrid.eq20/(a): the window is at x = -M_k y; projections of the coefficients independent of "
        "the others",
        also=(follows("two coefficients, M not symmetric, c = 0.9 and 1.5", _windows, _windows_recipe, "",
            ("window at x = +M y", "x = +M y"), ("c^2 for c", "c^2 for c"), ("M^T for M", "transpose")), *(sampled(f"mean of the coefficient (20), {kind} features, d = 2, n = 3",
            weights(gaussian_coefficient(window_matrix(2), 1.2, Mechanism(kind, "iid", 3)), TWO_X, TWO_Y),
            lambda kind=kind: Law.from_raw(
                # type: ignore[misc]
                window_moments(kind, TWO_X / 1.2, -(window_matrix(2) @ TWO_Y) / 1.2, 3))) for kind
            in ("trigonometric", "hyperbolic")))),
    said("hybrid.mech.gauss-lambda/range",
        "eq. (20), as an algorithm",
        equal(sympy.erfc(pi / (2 * sympy.sqrt(2))) - sympy.erfc(3 * pi / (2 * sympy.sqrt(2))), 0),
        differs="the hat does not belong in (20): what is defined there, and lies in (0, 1], is lambda^k. Its "
        "estimate is a mean of cosines with trigonometric features, negative with probability 0.116 for n = 1 at |x "
        "+ M y| = c, and unbounded with positive ones", correction="hybrid.mech.gauss-lambda",
        prints="In that setting, functions bλk(x, y) are defined as bλk(x, y) = exp( x+Mky 2 2 2c2 k ) ... The "
        "coefficients λk (0, 1] fire if",
        fault=Fault("slip", 1, "none: (8) is unbiased whatever the range of the estimates is"),
        statement=r"the estimated coefficients $\hat\lambda^k_n$ are in $(0,1]$, as (20) prints with the hat",
        conditions="one draw, trigonometric or positive features"),
    step("hybrid.mech.gauss-normalised/(i)", recipe("eqs (12), (67)-(69)"), "hybrid.lem2.2",
        Slow(ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean T")),
        statement=r"$\widehat{\mathrm{SM}}^{gausshyb}_{m,n}$, trigonometric: $\hat\lambda$ by (69) with $\rho$ by (68), in (12)",
        conditions="sigma, r > 0; the hybrid is unbiased for all x, y, its weight has the ends 0 and 1 for |x| = |y| = r alone",
        also=(_gauss_check("trigonometric", "", SWAPPED, ("rho = 1 - exp(-sigma^2 r^2)", "rho"),
            ("sigma^2 in the cosine", "sigma^2"), ("positive features", "kind")), Derived("hybrid.eq8"), Slow(sampled_kernel("the Gaussian hybrid, trigonometric coefficient, m = 3, n = 2, sigma = 1",
            gaussian_hybrid(3, 2, 3, sigma=1.0, radius=0.35), _LOW, 3, gaussian("0.35", "2.2", "1", 2))))),
    step("hybrid.mech.gauss-normalised/(i)(70)", recipe("eqs (12), (70), sigma = 0.8 in the algorithm"), "hybrid.eq70", "printed",
        also=(_gauss_check("trigonometric", "tau.z", ("sigma tau.z", "")),),
        statement=r"the same by the features (70) as printed, $\sin(\tau_i^\top z)$, $\cos(\tau_i^\top z)$", conditions="sigma != 1",
        differs="sigma is missing in the sines and cosines of (70): the coefficient then has the mean (1 - "
        "exp(-|x-y|^2/2))/rho. The hybrid stays unbiased, with another weight than (67)",
        correction="hybrid.mech.gauss-normalised/(i)",
        prints="ρ1,n(z) = ρ2,n(z) = i nρ(sin(τ 1 z), cos(τ 1 z), ..., sin(τ n z), cos(τ n z)) (70)",
        fault=Fault("slip", 2, "as for (70)", told_by="hybrid.eq70")),
    step("hybrid.mech.gauss-normalised/(ii)", recipe("eqs (12), (67), (68)"), "hybrid.lem2.2",
        Slow(ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean P")),
        statement=r"$\widehat{\mathrm{SM}}^{gausshyb}_{m,n}$, positive: the exponential $\exp(-\frac{\sigma^2}2\|x-y\|^2)$ in (67) estimated with positive features, in (12)",
        conditions="sigma, r > 0; as in (i)",
        also=(_gauss_check("positive", "", SWAPPED, ("rho = 1 - exp(-sigma^2 r^2)", "rho"),
            ("trigonometric features", "kind")), Derived("hybrid.eq8"), Slow(sampled_kernel("the Gaussian hybrid, positive coefficient, m = 3, n = 2, sigma = 1",
            gaussian_hybrid(3, 2, 3, sigma=1.0, radius=0.35, feature_map=HYPERBOLIC), _LOW, 3,
            gaussian("0.35", "2.2", "1", 2, hyperbolic=True))))),
    step("hybrid.mech.nested/(a)", recipe("Appendix F, before eq. (69), all draws independent"), "hybrid.eq8",
        statement=r"the coefficient of the normalised bipolar Gaussian hybrid estimated with the angular hybrid gives an unbiased hybrid",
        conditions="the inner hybrid estimates exp(-sigma^2 |x-y|^2/2) at sigma x, sigma y; its base estimators, its "
        "coefficient and the outer base estimators have projections of their own",
        also=(follows("Gaussian hybrid with an angular hybrid inside", _nested, _nested_recipe, "",
            ("inner weights exchanged", "inner weights exchanged"),
            ("without exp(-sigma^2 |z|^2/2)", "without the norms"),
            ("projections of the outer bases", "projections of the bases")), sampled(f"mean of the nested hybrid, m = 3, inner m = n = 2, sigma = 0.8, {NEAR}",
            estimates(bipolar(normalised_gaussian(0.8, 0.35, 5, angular_hybrid(2, 2)), 3), *NEAR.vectors()),
            _nested_law(NEAR, 3, (2, 2), 0.8, 0.35)))),
    said("hybrid.mech.nested/(b)",
        "Appendix F, before eq. (69), the projections of the base estimators inside, as an algorithm: the bias is "
        "0, |x| = |y| = m = 1",
        equal(_BIAS, 0), (theta <= pi,),
        differs="the inner hybrid needs projections of its own. With those of the outer base estimators the bias is "
        "the covariance of the coefficient with P - T, 0.416 at |x| = |y| = 1, theta = 2, sigma = m = 1: with k = "
        "exp(-sigma^2 |x-y|^2/2) it is SM k ((1 - theta/pi)(cosh(sigma |x-y|^2) - 1) - (theta/pi)(cosh(sigma "
        "|x+y|^2) - 1))/(rho m)", correction="hybrid.mech.nested/(a)",
        prints="angular hybrid estimator can be applied to provide approximation of the coefficients of the "
        "normalized bipolar Gaussian hybrid estimator leading to variance zeroing out", fault=Fault("reading", 1,
            "none: coefficients are independent of the base estimators throughout the source"),
        statement="the coefficient of the normalised bipolar Gaussian hybrid estimated with the angular hybrid gives an unbiased hybrid",
        conditions="the base estimators of the inner hybrid with the projections of the outer ones"))  # fmt: skip
