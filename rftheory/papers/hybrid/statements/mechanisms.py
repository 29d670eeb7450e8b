"""The mechanisms of the paper as algorithms: samplers compared with recipes draw by draw, and claims about them.

Here the base estimators and the hybrids; Gaussian coefficients are in ``mechanisms_gaussian``, clusters in
``mechanisms_clusters``, protocols and baselines in ``mechanisms_data``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb
from sympy import exp

from rftheory.author import mean
from rftheory.exact.symbols import v, z
from rftheory.papers.hybrid.notation import (POSITIVE, TRIGONOMETRIC, features_of, inputs, said,
    same, step)  # fmt: skip
from rftheory.papers.hybrid.recipes import (Draws, angle, angular_recipe, cexp, combined, follows,
    own_projections, pos, printed_features, squares, trig, window)  # fmt: skip
from rftheory.papers.hybrid.statements import mechanisms_clusters, mechanisms_data, mechanisms_gaussian
from rftheory.papers.hybrid.statements.mechanisms_gaussian import (NEAR, RHO, SIGMA, SWAPPED, TWO_X, TWO_Y,
    recipe, sampled, window_matrix)  # fmt: skip
from rftheory.papers.hybrid.statistics import (Mixed, Pair, angular, base_moments, cexp_estimate_law,
    cexp_moments, combined_law, estimate_law, estimates, only_p, only_t, power_law, sampled_cexp,
    sampled_error, sampled_kernel, weights, window_moments)  # fmt: skip
from rftheory.sample import (Angular, Hybrid, Mechanism, RandomFeatures, Stream, angular_hybrid,
    gaussian_coefficient, normalised_gaussian)  # fmt: skip
from rftheory.sample.exponential import ComplexExponential
from rftheory.sample.mechanisms import inner_products
from rftheory.statement.evidence import (Bench, Derived, Law, ProvedStep, SampledMean, Shown, Slow, Statistic,
    times)  # fmt: skip

APART = Pair("0.3", "0.5", "2.4", d=4)
"""Unequal lengths, so that common projections matter."""


def sampled_gaussian(says: str, estimator: RandomFeatures, pair: Pair, m: int, mixed: Mixed) -> SampledMean:
    """The mean of a bipolar hybrid for the Gaussian kernel."""
    size = math.exp(-(float(pair.x) ** 2 + float(pair.y) ** 2) / 2)

    def make(bench: Bench, stream: Stream) -> Statistic:
        x, y = (bench.xp.asarray(u) for u in pair.vectors())
        return lambda blocks: estimator.estimate(stream, blocks, x, y, "gaussian")

    def law() -> Law:
        found = estimate_law(pair, m, mixed)()
        return replace(found, mean=found.mean * size, variance=found.variance * size**2)

    return SampledMean(f"mean of {says}, Gaussian kernel, {pair}", make, law, times(1.05), 2**17)


# ---- base estimators ---------------------------------------------------------------------------------------------


def _gaussian_recipe(of: Callable[[Draws, np.ndarray, np.ndarray], np.ndarray]) -> Any:
    """Features of the softmax kernel times exp(-factor |u|^2) on both sides."""

    def recipe(draw: Draws, x: np.ndarray, y: np.ndarray, factor: float) -> np.ndarray:
        left, right = (np.exp(-factor * squares(side)) for side in (x, y))
        return np.asarray(left[:, None] * of(draw, x, y) * right[None, :])

    return recipe


def _full(d: int) -> np.ndarray:
    """An invertible complex matrix that is neither symmetric nor diagonal for d > 1."""
    matrix = np.diag(np.linspace(1.0, 1.5, d)).astype(complex)
    matrix += np.triu(np.full((d, d), 0.3 - 0.2j), 1)
    matrix[0, 0] += 0.5j
    return matrix


def _angular_check(shared: bool, wrong: tuple[tuple[str, str], ...], says: str) -> Shown:
    return follows(
        says,
        lambda d: angular_hybrid(3, 4, shared=shared),
        lambda draw, x, y, change: angular_recipe(draw, x, y, change, shared=shared),
        "",
        *wrong,
        dims=(1, 3),
    )


BASE = (
    said("hybrid.mech.trig", recipe("eqs (2), (35)"),
        mean(TRIGONOMETRIC) == exp((v**2 - z**2) / 4), draw=False,
        statement=r"$T_m$: draw $\omega_1,\dots,\omega_m$; $\phi^{trig}_m(x)^\top\phi^{trig}_m(y)=e^{(\|x\|^2+\|y\|^2)/2}\frac1m\sum_i\cos(\omega_i^\top(x-y))$ is unbiased for $\mathrm{SM}$",
        conditions="all x, y in R^d, d, m >= 1",
        also=(Slow(ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean T")),
            follows("T, m = 5", lambda d: Mechanism("trigonometric", "iid", 5), lambda draw, x, y,
            form: trig(x, y, draw("", x.shape[1], 5), *form), (0.5, -1), ("cos w.(x + y)", (0.5, 1)),
            ("exponent 1/2 -> 1", (1.0, -1)), ("sign of the exponent", (-0.5, -1))), Slow(
            sampled_kernel("T, m = 3", Mechanism("trigonometric", "iid", 3), Pair("0.4", "0.9", "2", 8), 3, only_t)))),
    said("hybrid.mech.pos", recipe("eqs (3), (34)"),
        mean(POSITIVE) == exp((v**2 - z**2) / 4), draw=False,
        statement=r"$P_m$ (FAVOR+): draw $\omega_1,\dots,\omega_m$; $\phi^{++}_m(x)^\top\phi^{++}_m(y)=e^{-(\|x\|^2+\|y\|^2)/2}\frac1m\sum_i\cosh(\omega_i^\top(x+y))$ is unbiased for $\mathrm{SM}$",
        conditions="all x, y in R^d, d, m >= 1; both signs of every projection, 2m features",
        also=(Slow(ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean P")),
            follows("P, m = 5", lambda d: Mechanism("hyperbolic", "iid", 5), lambda draw, x, y,
            form: pos(x, y, draw("", x.shape[1], 5), *form), (0.5, np.cosh), ("exp for cosh", (0.5, np.exp)),
            ("exponent 1/2 -> 1", (1.0, np.cosh)), ("sign of the exponent", (-0.5, np.cosh))), Slow(sampled_kernel("P, m = 3", Mechanism("hyperbolic", "iid", 3), NEAR, 3, only_p)))),
    step("hybrid.mech.gauss-kernel", recipe("eq. (1)"), "hybrid.eq1",
        statement=r"for $K_{gauss}$ multiply any feature vector of $\mathrm{SM}$ by $\exp(-\|u\|^2/2)$",
        conditions="base estimators, complex exponential ones and hybrids alike, as the factor stands outside of every draw",
        also=(*(
            follows(f"Gaussian kernel by {says}", make, _gaussian_recipe(of), 0.5, ("exponent 1/2 -> 1", 1.0),
                ("sign of the exponent", -0.5), kernel="gaussian") for says,
            make,
            of
                in (
                ("T, m = 5", lambda d: Mechanism("trigonometric", "iid", 5), lambda draw, x,
                    y: trig(x, y, draw("", x.shape[1], 5))),
                ("the CE estimator, full complex A, m = 5",
                    lambda d: Mechanism(ComplexExponential(_full(d)), "iid", 5), lambda draw, x,
                    y: cexp(x, y, draw("", x.shape[1], 5), _full(x.shape[1])).real),
                ("the angular hybrid, m = 3, n = 4", lambda d: angular_hybrid(3, 4), lambda draw, x,
                    y: angular_recipe(draw, x, y, "")))), Slow(sampled_gaussian("the angular hybrid, m = 3, n = 2", angular_hybrid(3, 2), APART, 3,
            angular(APART.theta, 2))))))  # fmt: skip

# ---- complex exponential estimators ----------------------------------------------------------------------------------


def _cexp_recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
    d = x.shape[1]
    a, w = _full(d), draw("", d, 5)
    if change == "other projections":
        return own_projections(x, y, w, draw("other", d, 5), a).real
    inverse = np.linalg.inv(a)
    other = {"": inverse.T, "A^-1": inverse, "A^-*": inverse.conj().T, "A": a, "norms": inverse.T}
    return cexp(x, y, w, a, other[change], norms=change == "norms").real


_DIAGONAL, _X, _Y = ("1+I/2", "3/2"), ("1/3", "-1/4"), ("1/5", "1/2")

EXPONENTIAL = (step("hybrid.mech.cexp", recipe("eqs (15), (16)"), "hybrid.eq14",
        statement=r"choose invertible $A\in\mathbb C^{d\times d}$; queries $\Psi^m_A(x)$, keys $\Psi^m_{(A^\top)^{-1}}(y)$ with the same $\omega_1,\dots,\omega_m$; $\Psi^m_A(x)^\top\Psi^m_{(A^\top)^{-1}}(y)$ is unbiased for $\mathrm{SM}$",
        conditions="plain transpose, plain squares and plain product; the sampler gives the real part, the imaginary part has mean 0",
        also=(follows("CE, full complex A, m = 5, real part", lambda d: Mechanism(ComplexExponential(_full(d)), "iid", 5),
        _cexp_recipe, "", ("A for A^-T", "A"), ("A^-1 for A^-T", "A^-1"), ("A^-* for A^-T", "A^-*"),
        ("norms for plain squares", "norms"), ("other projections for the keys", "other projections")), follows("CE, full complex A, m = 5, imaginary part",
        lambda d: Mechanism(ComplexExponential(_full(d), part="imaginary"), "iid", 5), lambda draw, x, y,
        sign: sign * cexp(x, y, draw("", x.shape[1], 5), _full(x.shape[1])).imag, 1, ("sign", -1)), sampled("mean of Re S, A = diag(1 + i/2, 3/2), m = 3",
        estimates(Mechanism(ComplexExponential(np.diag([1 + 0.5j, 1.5])), "iid", 3), np.array([1 / 3, -1 / 4]),
            np.array([1 / 5, 1 / 2])),
        cexp_estimate_law(_DIAGONAL, _X, _Y, 3)), Slow(sampled_cexp("CE, A = diag(1 + i/2, 3/2), m = 3", _DIAGONAL, _X, _Y, 3, 2**18)))),)  # fmt: skip

# ---- hybrids -----------------------------------------------------------------------------------------------------


def _three(d: int) -> Hybrid:
    """T, P and a CE estimator with the angular and a Gaussian coefficient."""
    bases = (
        Mechanism("trigonometric", "iid", 2),
        Mechanism("hyperbolic", "iid", 3),
        Mechanism(ComplexExponential(_full(d)), "iid", 4),
    )
    window_ = gaussian_coefficient(window_matrix(d), 0.9, Mechanism("trigonometric", "iid", 2))
    return Hybrid(bases, (Angular(4), window_))


def _three_recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
    d = x.shape[1]
    lambdas = [
        angle(x, y, draw("coefficient 0", d, 4)),
        window(x, y, draw("coefficient 1", d, 2), window_matrix(d), 0.9, "trigonometric"),
    ]
    if change == "swapped":
        lambdas.reverse()
    bases = [
        trig(x, y, draw("base 0", d, 2)),
        pos(x, y, draw("base 1", d, 3)),
        cexp(x, y, draw("base 2", d, 4), _full(d)).real,
    ]
    if change == "last without 1 - sum":
        return np.asarray(sum(w * b for w, b in zip(lambdas, bases, strict=False)) + bases[-1])
    if change == "default first":
        bases.reverse()
    return combined(lambdas, bases)


_TWO_WIDTH = 0.9


def _two_dimensional() -> Hybrid:
    bases = (
        Mechanism("trigonometric", "iid", 2),
        Mechanism("hyperbolic", "iid", 3),
        Mechanism(ComplexExponential(np.diag([1 + 0.5j, 1.5])), "iid", 4),
    )
    coefficient = gaussian_coefficient(window_matrix(2), _TWO_WIDTH, Mechanism("trigonometric", "iid", 2))
    return Hybrid(bases, (Angular(4), coefficient))


def _two_dimensional_law() -> Callable[[], Law]:
    cosine = TWO_X @ TWO_Y / np.linalg.norm(TWO_X) / np.linalg.norm(TWO_Y)
    separate = angular(repr(float(np.arccos(cosine))), 4)
    image = window_matrix(2) @ TWO_Y

    def bases() -> list[list[arb]]:
        return [
            base_moments("trigonometric", TWO_X, TWO_Y, 2),
            base_moments("hyperbolic", TWO_X, TWO_Y, 3),
            cexp_moments(_DIAGONAL, _X, _Y, 4),
        ]

    def lambdas() -> list[list[arb]]:
        gauss = window_moments("trigonometric", TWO_X / _TWO_WIDTH, -image / _TWO_WIDTH, 2)
        return [[separate(k, 0) for k in range(3)], gauss]

    return combined_law(math.exp(float(TWO_X @ TWO_Y)), bases, lambdas)


def _map_hybrid(d: int) -> Hybrid:
    """P, CE and T with coefficients of constants 1/2 and 1/rho, whose sum exceeds 1."""
    bases = (
        Mechanism("hyperbolic", "iid", 2),
        Mechanism(ComplexExponential(_full(d)), "iid", 2),
        Mechanism("trigonometric", "iid", 2),
    )
    gauss = normalised_gaussian(SIGMA, 1.0, d, Mechanism("trigonometric", "iid", 3))
    return Hybrid(bases, (Angular(3), gauss))


def _printed_product(
    draw: Draws, x: np.ndarray, y: np.ndarray, change: str, rest: Callable[..., np.ndarray] = printed_features
) -> np.ndarray:
    """Psi_1(x).Psi_2(y) of (11) from the blocks (2), (3), (15), (19), (70), the last one with sigma tau.z."""
    d = x.shape[1]
    one, two, three = (draw(f"base {k}", d, 2) for k in range(3))
    tau, nu = draw("coefficient 0", d, 3), draw("coefficient 1", d, 3)
    a, sides = _full(d), []
    for rows, matrix in ((x, a), (y, np.linalg.inv(a).T)):
        mapped = rows @ matrix.T
        ce = np.exp(mapped @ two.T - squares(mapped)[:, None] / 2) / math.sqrt(2)
        waves = SIGMA * rows @ nu.T
        rhos = [
            1j / math.sqrt(6) * np.sign(rows @ tau.T),
            1j / math.sqrt(3 * RHO) * np.hstack((np.sin(waves), np.cos(waves))),
        ]
        bases = [features_of(rows, one, "hyperbolic"), ce, features_of(rows, three, "trigonometric")]
        sides.append(rest((0.5, 1 / RHO), rhos, bases, change))
    left = sides[0].conj() if change == "Hermitian product" else sides[0]
    return np.asarray((left @ sides[1].T).real)


def _tensorised(sign: float) -> bool:
    """The sampler's tensorised features have the printed length and product, d = 3; real where the print has roots of -1."""
    x, y = inputs()
    hybrid, stream = _map_hybrid(3), Stream(17)
    features = hybrid.features(stream, range(1), x, y, "softmax", via="matrix")
    wanted = sign * _printed_product(Draws(stream, 0), x, y, "")
    return same(inner_products(features)[0], wanted)


HYBRIDS = (
    step("hybrid.mech.hrf", recipe("eq. (8)"), "hybrid.eq8",
        statement=r"base estimators $\widehat{\mathrm{SM}}^1,\dots,\widehat{\mathrm{SM}}^{p+1}$ and coefficients $\hat\lambda^1,\dots,\hat\lambda^p$ drawn independently of them, combined by (8), are unbiased for $\mathrm{SM}$",
        conditions="unbiased base estimators; p = 2 with T, P and a CE estimator, an angular and a Gaussian coefficient",
        also=(follows("hybrid of three base estimators, complex A", _three, _three_recipe, "",
            ("coefficients exchanged", "swapped"), ("last weight 1", "last without 1 - sum"),
            ("base estimators in another order", "default first")), sampled("mean of a hybrid of T, P and CE, d = 2, weights angular and Gaussian",
            estimates(_two_dimensional(), TWO_X, TWO_Y), _two_dimensional_law()))),
    step("hybrid.mech.hrf-map", recipe("Lemma 2.3, eq. (11)"), "lemma.kronecker",
        statement=r"the blocks $\Psi^1,\dots,\Psi^4$ for queries and keys, dot product $\Psi_1(x)^\top\Psi_2(y)$, give the estimate (8)",
        conditions="plain product; p = 2 with constants 1/2 and 1/rho > 1, so that a root of a negative number occurs; (70) with sigma tau.z",
        also=(follows("product of the printed blocks, P, CE and T", _map_hybrid, _printed_product, "",
            ("Hermitian product", "Hermitian product"), ("root of |1 - a_1 - a_2|", "absolute value"),
            ("Psi^4 without i", "without i")), Shown("the sampler's real tensorised features have the product of the printed complex blocks", _tensorised,
            1.0, (("sign", -1.0),)))),
    step("hybrid.mech.bipolar-I", recipe("eq. (12), Theorem 3.1 I"), "hybrid.eq8",
        statement=r"(12) with $P_m$, $T_m$ on independent projections and an independent $\hat\lambda_n$ is unbiased",
        conditions="the angular coefficient",
        also=(_angular_check(False, (SWAPPED, ("one set of projections in P and T", "other sharing")),
            "variant I, m = 3, n = 4"), Slow(sampled_kernel("variant I, m = 3, n = 2", angular_hybrid(3, 2), APART, 3, angular(APART.theta, 2))), Slow(sampled_error("variant I, m = 3, n = 2", angular_hybrid(3, 2), APART, 3, angular(APART.theta, 2),
            blocks=2**18)))),
    step("hybrid.mech.bipolar-II", recipe("eq. (12), Theorem 3.1 II"), "hybrid.eq8",
        statement=r"(12) with $P_m$, $T_m$ on the same $\omega_1,\dots,\omega_m$ and an independent $\hat\lambda_n$ is unbiased",
        conditions="the angular coefficient",
        also=(_angular_check(True, (SWAPPED, ("projections of their own in P and T", "other sharing")),
            "variant II, m = 3, n = 4"), Slow(sampled_kernel("variant II, m = 3, n = 2", angular_hybrid(3, 2, shared=True), APART, 3,
            angular(APART.theta, 2), shared=True)), Slow(sampled_error("variant II, m = 3, n = 2", angular_hybrid(3, 2, shared=True), APART, 3,
            angular(APART.theta, 2), shared=True, blocks=2**20)))),
    step("hybrid.mech.angular", recipe("eqs (12), (19)"), "hybrid.lem3.2",
        "mean",
        statement=r"$\widehat{\mathrm{SM}}^{anghyb}_{m,n}$: draw $\tau_1,\dots,\tau_n$; $\hat\lambda_n=\frac12-\frac1{2n}\sum_i\mathrm{sgn}(\tau_i^\top x)\,\mathrm{sgn}(\tau_i^\top y)$ in (12), variant I or II; $\hat\lambda_n$ is unbiased for $\theta/\pi$ where $x,y\ne0$",
        conditions="sgn(0) = 0: at a zero vector the weight is 1/2 and the hybrid (P + T)/2, still unbiased",
        also=(*(_angular_check(shared, (SWAPPED, ("sign before the sum", "plus"), ("sgn(0) = 1", "sgn(0) = 1")),
            f"angular hybrid, variant {'II' if shared else 'I'}, zero vectors among the inputs") for shared
            in (False, True)),
        Derived("hybrid.lem3.2"),
        sampled("mean of the angular coefficient, n = 5, theta = 2.4", weights(Angular(5), *APART.vectors()),
            power_law(angular(APART.theta, 5))))))  # fmt: skip

CLAIMS = (*BASE, *EXPONENTIAL, *HYBRIDS, *mechanisms_gaussian.CLAIMS, *mechanisms_clusters.CLAIMS,
    *mechanisms_data.CLAIMS)  # fmt: skip
