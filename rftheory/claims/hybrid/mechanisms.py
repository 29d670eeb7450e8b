"""The mechanisms of the paper as algorithms: the samplers against the recipes draw by draw, and what is said of them.

Here the base estimators, the hybrids and their coefficients; clusters and protocols are in ``mechanisms_data``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb

from rftheory.claims.evidence import (
    Bench,
    Counterexample,
    Derived,
    Law,
    ProvedStep,
    SampledMean,
    Shown,
    Slow,
    Statistic,
    times,
)
from rftheory.claims.hybrid import mechanisms_data
from rftheory.claims.hybrid.base import fails, features_of, holds, inputs, same
from rftheory.claims.hybrid.recipes import (
    Draws,
    angle,
    angular_recipe,
    cexp,
    combined,
    follows,
    normalised,
    own_projections,
    pos,
    printed_features,
    squares,
    trig,
    window,
)
from rftheory.claims.laws import MakeStatistic
from rftheory.claims.laws_hybrid import (
    Mixed,
    Pair,
    angular,
    base_moments,
    cexp_estimate_law,
    cexp_moments,
    combined_law,
    combined_moments,
    estimate_law,
    estimates,
    gaussian,
    only_p,
    only_t,
    power_law,
    sampled_cexp,
    sampled_error,
    sampled_kernel,
    weights,
    window_moments,
)
from rftheory.sample import (
    Angular,
    Hybrid,
    Mechanism,
    RandomFeatures,
    Stream,
    angular_hybrid,
    bipolar,
    gaussian_coefficient,
    gaussian_hybrid,
    normalised_gaussian,
)
from rftheory.sample.exponential import HYPERBOLIC, ComplexExponential
from rftheory.sample.features import TRIGONOMETRIC, FeatureMap
from rftheory.sample.mechanisms import inner_products

NEAR = Pair("0.35", "0.35", "2.2", d=5)
APART = Pair("0.3", "0.5", "2.4", d=4)
"""Unequal lengths, so that common projections matter."""


def recipe(where: str) -> str:
    """Where a recipe is printed, as an argument of the constructors."""
    return f"{where}, as an algorithm"


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


def sampled(
    says: str, statistic: MakeStatistic, law: Callable[[], Law], blocks: int = 2**17, factor: float = 1.05
) -> Slow:
    """A sampled mean against its exact law, in the full run."""
    return Slow(SampledMean(says, statistic, law, times(factor), blocks))


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


def _angular_check(
    shared: bool, wrong: tuple[tuple[str, str], ...], says: str, name: str = "iid", dims: Any = (1, 3)
) -> Shown:
    return follows(
        says,
        lambda d: angular_hybrid(3, 4, shared=shared, coupling=name),
        lambda draw, x, y, change: angular_recipe(draw, x, y, change, shared=shared, name=name),
        "",
        *wrong,
        dims=dims,
    )


_SWAPPED = ("the weights of P and T exchanged", "swapped")

BASE = (
    holds(
        "hybrid.mech.trig",
        recipe("eqs (2), (35)"),
        r"$T_m$: draw $\omega_1,\dots,\omega_m$; $\phi^{trig}_m(x)^\top\phi^{trig}_m(y)=e^{(\|x\|^2+\|y\|^2)/2}\frac1m\sum_i\cos(\omega_i^\top(x-y))$ is unbiased for $\mathrm{SM}$",
        "all x, y in R^d, d, m >= 1",
        follows(
            "T, m = 5",
            lambda d: Mechanism("trigonometric", "iid", 5),
            lambda draw, x, y, form: trig(x, y, draw("", x.shape[1], 5), *form),
            (0.5, -1),
            ("cos w.(x + y)", (0.5, 1)),
            ("exponent 1/2 -> 1", (1.0, -1)),
            ("sign of the exponent", (-0.5, -1)),
        ),
        ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean T"),
        Slow(
            sampled_kernel(
                "T, m = 3",
                Mechanism("trigonometric", "iid", 3),
                Pair("0.4", "0.9", "2", 8),
                3,
                only_t,
            )
        ),
    ),
    holds(
        "hybrid.mech.pos",
        recipe("eqs (3), (34)"),
        r"$P_m$ (FAVOR+): draw $\omega_1,\dots,\omega_m$; $\phi^{++}_m(x)^\top\phi^{++}_m(y)=e^{-(\|x\|^2+\|y\|^2)/2}\frac1m\sum_i\cosh(\omega_i^\top(x+y))$ is unbiased for $\mathrm{SM}$",
        "all x, y in R^d, d, m >= 1; both signs of every projection, 2m features",
        follows(
            "P, m = 5",
            lambda d: Mechanism("hyperbolic", "iid", 5),
            lambda draw, x, y, form: pos(x, y, draw("", x.shape[1], 5), *form),
            (0.5, np.cosh),
            ("exp for cosh", (0.5, np.exp)),
            ("exponent 1/2 -> 1", (1.0, np.cosh)),
            ("sign of the exponent", (-0.5, np.cosh)),
        ),
        ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean P"),
        Slow(sampled_kernel("P, m = 3", Mechanism("hyperbolic", "iid", 3), NEAR, 3, only_p)),
    ),
    holds(
        "hybrid.mech.gauss-kernel",
        recipe("eq. (1)"),
        r"for $K_{gauss}$ multiply any feature vector of $\mathrm{SM}$ by $\exp(-\|u\|^2/2)$",
        "base estimators, complex exponential ones and hybrids alike, as the factor stands outside of every draw",
        *(
            follows(
                f"Gaussian kernel by {says}",
                make,
                _gaussian_recipe(of),
                0.5,
                ("exponent 1/2 -> 1", 1.0),
                ("sign of the exponent", -0.5),
                kernel="gaussian",
            )
            for says, make, of in (
                (
                    "T, m = 5",
                    lambda d: Mechanism("trigonometric", "iid", 5),
                    lambda draw, x, y: trig(x, y, draw("", x.shape[1], 5)),
                ),
                (
                    "the CE estimator, full complex A, m = 5",
                    lambda d: Mechanism(ComplexExponential(_full(d)), "iid", 5),
                    lambda draw, x, y: cexp(x, y, draw("", x.shape[1], 5), _full(x.shape[1])).real,
                ),
                (
                    "the angular hybrid, m = 3, n = 4",
                    lambda d: angular_hybrid(3, 4),
                    lambda draw, x, y: angular_recipe(draw, x, y, ""),
                ),
            )
        ),
        Derived("hybrid.eq1"),
        Slow(
            sampled_gaussian(
                "the angular hybrid, m = 3, n = 2", angular_hybrid(3, 2), APART, 3, angular(APART.theta, 2)
            )
        ),
    ),
)

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

EXPONENTIAL = (
    holds(
        "hybrid.mech.cexp",
        recipe("eqs (15), (16)"),
        r"choose invertible $A\in\mathbb C^{d\times d}$; queries $\Psi^m_A(x)$, keys $\Psi^m_{(A^\top)^{-1}}(y)$ with the same $\omega_1,\dots,\omega_m$; $\Psi^m_A(x)^\top\Psi^m_{(A^\top)^{-1}}(y)$ is unbiased for $\mathrm{SM}$",
        "plain transpose, plain squares and plain product; the sampler gives the real part, the imaginary part has mean 0",
        follows(
            "CE, full complex A, m = 5, real part",
            lambda d: Mechanism(ComplexExponential(_full(d)), "iid", 5),
            _cexp_recipe,
            "",
            ("A for A^-T", "A"),
            ("A^-1 for A^-T", "A^-1"),
            ("A^-* for A^-T", "A^-*"),
            ("norms for plain squares", "norms"),
            ("other projections for the keys", "other projections"),
        ),
        follows(
            "CE, full complex A, m = 5, imaginary part",
            lambda d: Mechanism(ComplexExponential(_full(d), part="imaginary"), "iid", 5),
            lambda draw, x, y, sign: sign * cexp(x, y, draw("", x.shape[1], 5), _full(x.shape[1])).imag,
            1,
            ("sign", -1),
        ),
        Derived("hybrid.eq14"),
        sampled(
            "mean of Re S, A = diag(1 + i/2, 3/2), m = 3",
            estimates(
                Mechanism(ComplexExponential(np.diag([1 + 0.5j, 1.5])), "iid", 3),
                np.array([1 / 3, -1 / 4]),
                np.array([1 / 5, 1 / 2]),
            ),
            cexp_estimate_law(_DIAGONAL, _X, _Y, 3),
        ),
        Slow(sampled_cexp("CE, A = diag(1 + i/2, 3/2), m = 3", _DIAGONAL, _X, _Y, 3, 2**18)),
    ),
)

# ---- hybrids -----------------------------------------------------------------------------------------------------

_SHIFT = 0.8


def _matrix(d: int) -> np.ndarray:
    """M of (20): no multiple of the identity."""
    return np.diag(np.linspace(0.5, 1.0, d)) + np.triu(np.full((d, d), 0.25), 1)


def _three(d: int) -> Hybrid:
    """T, P and a CE estimator with the angular and a Gaussian coefficient."""
    bases = (
        Mechanism("trigonometric", "iid", 2),
        Mechanism("hyperbolic", "iid", 3),
        Mechanism(ComplexExponential(_full(d)), "iid", 4),
    )
    window_ = gaussian_coefficient(_matrix(d), 0.9, Mechanism("trigonometric", "iid", 2))
    return Hybrid(bases, (Angular(4), window_))


def _three_recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
    d = x.shape[1]
    lambdas = [
        angle(x, y, draw("coefficient 0", d, 4)),
        window(x, y, draw("coefficient 1", d, 2), _matrix(d), 0.9, "trigonometric"),
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


_TWO_X, _TWO_Y = np.array([1 / 3, -1 / 4]), np.array([1 / 5, 1 / 2])
_TWO_WIDTH = 0.9


def _two_dimensional() -> Hybrid:
    bases = (
        Mechanism("trigonometric", "iid", 2),
        Mechanism("hyperbolic", "iid", 3),
        Mechanism(ComplexExponential(np.diag([1 + 0.5j, 1.5])), "iid", 4),
    )
    coefficient = gaussian_coefficient(_matrix(2), _TWO_WIDTH, Mechanism("trigonometric", "iid", 2))
    return Hybrid(bases, (Angular(4), coefficient))


def _two_dimensional_law() -> Callable[[], Law]:
    cosine = _TWO_X @ _TWO_Y / np.linalg.norm(_TWO_X) / np.linalg.norm(_TWO_Y)
    separate = angular(repr(float(np.arccos(cosine))), 4)
    image = _matrix(2) @ _TWO_Y

    def bases() -> list[list[arb]]:
        return [
            base_moments("trigonometric", _TWO_X, _TWO_Y, 2),
            base_moments("hyperbolic", _TWO_X, _TWO_Y, 3),
            cexp_moments(_DIAGONAL, _X, _Y, 4),
        ]

    def lambdas() -> list[list[arb]]:
        gauss = window_moments("trigonometric", _TWO_X / _TWO_WIDTH, -image / _TWO_WIDTH, 2)
        return [[separate(k, 0) for k in range(5)], gauss]

    return combined_law(math.exp(float(_TWO_X @ _TWO_Y)), bases, lambdas)


_RHO = 1 - math.exp(-2 * _SHIFT**2)
"""rho of (68) for sigma = 0.8, r = 1."""


def _map_hybrid(d: int) -> Hybrid:
    """P, CE and T with coefficients of constants 1/2 and 1/rho, whose sum exceeds 1."""
    bases = (
        Mechanism("hyperbolic", "iid", 2),
        Mechanism(ComplexExponential(_full(d)), "iid", 2),
        Mechanism("trigonometric", "iid", 2),
    )
    gauss = normalised_gaussian(_SHIFT, 1.0, d, Mechanism("trigonometric", "iid", 3))
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
        waves = _SHIFT * rows @ nu.T
        rhos = [
            1j / math.sqrt(6) * np.sign(rows @ tau.T),
            1j / math.sqrt(3 * _RHO) * np.hstack((np.sin(waves), np.cos(waves))),
        ]
        bases = [features_of(rows, one, "hyperbolic"), ce, features_of(rows, three, "trigonometric")]
        sides.append(rest((0.5, 1 / _RHO), rhos, bases, change))
    left = sides[0].conj() if change == "Hermitian product" else sides[0]
    return np.asarray((left @ sides[1].T).real)


def _tensorised(sign: float) -> bool:
    """The sampler's tensorised features have the printed length and product, d = 3; real where the print has roots of -1."""
    x, y = inputs()
    hybrid, stream = _map_hybrid(3), Stream(17)
    features = hybrid.features(stream, range(1), x, y, "softmax", via="matrix")
    wanted = sign * _printed_product(Draws(stream, 0), x, y, "")
    return same(inner_products(features)[0], wanted)


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
        lambda d: gaussian_hybrid(3, 4, d, sigma=_SHIFT, radius=1.0, feature_map=maps[kind]),
        _paired(kind, _SHIFT, 1.0, ""),
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
            gaussian_coefficient(_matrix(d), 0.9, Mechanism("trigonometric", "iid", 4)),
            gaussian_coefficient(-np.eye(d), 1.5, Mechanism("hyperbolic", "iid", 3)),
        ),
    )


def _windows_recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
    d = x.shape[1]
    sign = 1 if change == "x = +M y" else -1
    powers = 2 if change == "c^2 for c" else 1
    matrix = _matrix(d).T if change == "transpose" else _matrix(d)
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


def _excess(kind: str) -> arb:
    """Probability that one draw of the estimate of (20) leaves (0, 1]: where |x + M y| = c (T), and where x = -M y, |x| = c (P)."""
    if kind == "trigonometric":
        ends = (arb.pi() / 2, 3 * arb.pi() / 2)  # cos g < 0
        return (ends[0] / arb(2).sqrt()).erfc() - (ends[1] / arb(2).sqrt()).erfc()
    return (arb(2).exp().acosh() / 2 / arb(2).sqrt()).erfc()  # cosh 2g > e^2


def _nested(d: int) -> Hybrid:
    weight = normalised_gaussian(_SHIFT, 1.0, d, angular_hybrid(2, 3))
    return bipolar(weight, 3)


def _nested_recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
    """The exponential in (67) by the angular hybrid at sigma x, sigma y, all draws independent."""
    d = x.shape[1]
    u, v = (_SHIFT * side for side in (x, y))
    path = "" if change == "projections of the bases" else "coefficient 0/"
    bases = (draw(f"{path}base 0", d, 2), draw(f"{path}base 1", d, 2))
    inner = angle(u, v, draw("coefficient 0/coefficient 0", d, 3))
    if change == "inner weights exchanged":
        inner = 1 - inner
    kernel = combined([inner], [pos(u, v, bases[0]), trig(u, v, bases[1])])
    if change != "without the norms":
        kernel = kernel * np.exp(-(squares(u)[:, None] + squares(v)[None, :]) / 2)
    outer = [pos(x, y, draw("base 0", d, 3)), trig(x, y, draw("base 1", d, 3))]
    return combined([(1 - kernel) / _RHO], outer)


def _nested_law(pair: Pair, m: int, inner: tuple[int, int], sigma: float, radius: float) -> Callable[[], Law]:
    """Law of the nested hybrid: raw moments of its coefficient from those of the inner hybrid."""
    x, y = pair.vectors()
    u, v = sigma * x, sigma * y
    mixed = angular(pair.theta, inner[1])

    def lambdas() -> list[list[arb]]:
        angles = [mixed(k, 0) for k in range(5)]
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
        for k in range(5)
    ]
    rho = 1 - (-2 * arb(sigma * radius) ** 2).exp()
    return [
        sum((math.comb(k, i) * (-1) ** i * raw[i] for i in range(k + 1)), start=arb(0)) / rho**k
        for k in range(5)
    ]


def _same_draws_bias(theta: str, sigma: str) -> arb:
    """E (L - lambda)(P - T) for |x| = |y| = 1, m = 1: minus the covariances of the inner P, T with the outer, over rho.

    SM k ((1 - theta/pi)(cosh(sigma |x-y|^2) - 1) - (theta/pi)(cosh(sigma |x+y|^2) - 1))/rho, k the Gaussian kernel.
    """
    angle_, s = arb(theta), arb(sigma)
    share, rho = angle_ / arb.pi(), 1 - (-2 * s * s).exp()
    plus, minus = 4 * (angle_ / 2).cos() ** 2, 4 * (angle_ / 2).sin() ** 2
    gap = (1 - share) * ((s * minus).cosh() - 1) - share * ((s * plus).cosh() - 1)
    return angle_.cos().exp() * (-s * s * minus / 2).exp() * gap / rho


_LOW = Pair("0.35", "0.35", "2.2")

HYBRIDS = (
    holds(
        "hybrid.mech.hrf",
        recipe("eq. (8)"),
        r"base estimators $\widehat{\mathrm{SM}}^1,\dots,\widehat{\mathrm{SM}}^{p+1}$ and coefficients $\hat\lambda^1,\dots,\hat\lambda^p$ drawn independently of them, combined by (8), are unbiased for $\mathrm{SM}$",
        "unbiased base estimators; p = 2 with T, P and a CE estimator, an angular and a Gaussian coefficient",
        follows(
            "hybrid of three base estimators, complex A",
            _three,
            _three_recipe,
            "",
            ("coefficients exchanged", "swapped"),
            ("last weight 1", "last without 1 - sum"),
            ("base estimators in another order", "default first"),
        ),
        Derived("hybrid.eq8"),
        sampled(
            "mean of a hybrid of T, P and CE, d = 2, weights angular and Gaussian",
            estimates(_two_dimensional(), _TWO_X, _TWO_Y),
            _two_dimensional_law(),
        ),
    ),
    holds(
        "hybrid.mech.hrf-map",
        recipe("Lemma 2.3, eq. (11)"),
        r"the blocks $\Psi^1,\dots,\Psi^4$ for queries and keys, dot product $\Psi_1(x)^\top\Psi_2(y)$, give the estimate (8)",
        "plain product; p = 2 with constants 1/2 and 1/rho > 1, so that a root of a negative number occurs; (70) with sigma tau.z",
        follows(
            "product of the printed blocks, P, CE and T",
            _map_hybrid,
            _printed_product,
            "",
            ("Hermitian product", "Hermitian product"),
            ("root of |1 - a_1 - a_2|", "absolute value"),
            ("Psi^4 without i", "without i"),
        ),
        Shown(
            "the sampler's real tensorised features have the product of the printed complex blocks",
            _tensorised,
            1.0,
            (("sign", -1.0),),
        ),
    ),
    holds(
        "hybrid.mech.bipolar-I",
        recipe("eq. (12), Theorem 3.1 I"),
        r"(12) with $P_m$, $T_m$ on independent projections and an independent $\hat\lambda_n$ is unbiased",
        "the angular coefficient",
        _angular_check(
            False,
            (_SWAPPED, ("one set of projections in P and T", "other sharing")),
            "variant I, m = 3, n = 4",
        ),
        Derived("hybrid.eq8"),
        Slow(
            sampled_kernel("variant I, m = 3, n = 2", angular_hybrid(3, 2), APART, 3, angular(APART.theta, 2))
        ),
        Slow(
            sampled_error(
                "variant I, m = 3, n = 2",
                angular_hybrid(3, 2),
                APART,
                3,
                angular(APART.theta, 2),
                blocks=2**18,
            )
        ),
    ),
    holds(
        "hybrid.mech.bipolar-II",
        recipe("eq. (12), Theorem 3.1 II"),
        r"(12) with $P_m$, $T_m$ on the same $\omega_1,\dots,\omega_m$ and an independent $\hat\lambda_n$ is unbiased",
        "the angular coefficient",
        _angular_check(
            True,
            (_SWAPPED, ("projections of their own in P and T", "other sharing")),
            "variant II, m = 3, n = 4",
        ),
        Derived("hybrid.eq8"),
        Slow(
            sampled_kernel(
                "variant II, m = 3, n = 2",
                angular_hybrid(3, 2, shared=True),
                APART,
                3,
                angular(APART.theta, 2),
                shared=True,
            )
        ),
        Slow(
            sampled_error(
                "variant II, m = 3, n = 2",
                angular_hybrid(3, 2, shared=True),
                APART,
                3,
                angular(APART.theta, 2),
                shared=True,
                blocks=2**18,
            )
        ),
    ),
    holds(
        "hybrid.mech.angular",
        recipe("eqs (12), (19)"),
        r"$\widehat{\mathrm{SM}}^{anghyb}_{m,n}$: draw $\tau_1,\dots,\tau_n$; $\hat\lambda_n=\frac12-\frac1{2n}\sum_i\mathrm{sgn}(\tau_i^\top x)\,\mathrm{sgn}(\tau_i^\top y)$ in (12), variant I or II; $\hat\lambda_n$ is unbiased for $\theta/\pi$ where $x,y\ne0$",
        "sgn(0) = 0: at a zero vector the weight is 1/2 and the hybrid (P + T)/2, still unbiased",
        *(
            _angular_check(
                shared,
                (_SWAPPED, ("sign before the sum", "plus"), ("sgn(0) = 1", "sgn(0) = 1")),
                f"angular hybrid, variant {'II' if shared else 'I'}, zero vectors among the inputs",
            )
            for shared in (False, True)
        ),
        Derived("hybrid.lem3.2"),
        sampled(
            "mean of the angular coefficient, n = 5, theta = 2.4",
            weights(Angular(5), *APART.vectors()),
            power_law(angular(APART.theta, 5)),
        ),
    ),
)

GAUSSIAN = (
    holds(
        "hybrid.mech.gauss-lambda",
        recipe("eqs (8), (20)"),
        r"matrices $M_k$, widths $c_k$; $\lambda^k$ by (20) with positive or trigonometric $\phi_{SM}$, $a_k=0$, in (8): unbiased, $\hat\lambda^k$ for $\lambda^k$ and the hybrid for $\mathrm{SM}$",
        "the signs of hybrid.eq20/(a): the window is at x = -M_k y; projections of the coefficients independent of the others",
        follows(
            "two coefficients, M not symmetric, c = 0.9 and 1.5",
            _windows,
            _windows_recipe,
            "",
            ("window at x = +M y", "x = +M y"),
            ("c^2 for c", "c^2 for c"),
            ("M^T for M", "transpose"),
        ),
        Derived("hybrid.eq8"),
        Derived("hybrid.eq1"),
        *(
            sampled(
                f"mean of the coefficient (20), {kind} features, d = 2, n = 3",
                weights(gaussian_coefficient(_matrix(2), 1.2, Mechanism(kind, "iid", 3)), _TWO_X, _TWO_Y),
                lambda kind=kind: Law.from_raw(  # type: ignore[misc]
                    window_moments(kind, _TWO_X / 1.2, -(_matrix(2) @ _TWO_Y) / 1.2, 3)
                ),
            )
            for kind in ("trigonometric", "hyperbolic")
        ),
    ),
    fails(
        "hybrid.mech.gauss-lambda/range",
        recipe("eq. (20)"),
        r"the estimated coefficients $\hat\lambda^k_n$ are in $(0,1]$, as (20) prints with the hat",
        "one draw, trigonometric or positive features",
        Counterexample(
            "trigonometric features, |x + M y| = c: probability that cos g is negative",
            left=lambda: _excess("trigonometric"),
            right=lambda: arb(0),
            violated=">",
        ),
        Counterexample(
            "positive features, x = -M y, |x| = c: probability that e^-2 cosh 2g exceeds 1",
            left=lambda: _excess("positive"),
            right=lambda: arb(0),
            violated=">",
        ),
        differs="lambda^k is in (0, 1], its estimate is not: with trigonometric features it is a mean of cosines and may be negative, with positive features it is positive and unbounded. "
        "Unbiasedness of (8) needs no range",
        correction="hybrid.mech.gauss-lambda",
    ),
    holds(
        "hybrid.mech.gauss-normalised/(i)",
        recipe("eqs (12), (67)-(69)"),
        r"$\widehat{\mathrm{SM}}^{gausshyb}_{m,n}$, trigonometric: $\hat\lambda$ by (69) with $\rho$ by (68), in (12)",
        "sigma, r > 0; the hybrid is unbiased for all x, y, its weight has the ends 0 and 1 for |x| = |y| = r alone",
        _gauss_check(
            "trigonometric",
            "",
            _SWAPPED,
            ("rho = 1 - exp(-sigma^2 r^2)", "rho"),
            ("sigma^2 in the cosine", "sigma^2"),
            ("positive features", "kind"),
        ),
        Derived("hybrid.eq8"),
        ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean T"),
        Slow(
            sampled_kernel(
                "the Gaussian hybrid, trigonometric coefficient, m = 3, n = 2, sigma = 1",
                gaussian_hybrid(3, 2, 3, sigma=1.0, radius=0.35),
                _LOW,
                3,
                gaussian("0.35", "2.2", "1", 2),
            )
        ),
    ),
    fails(
        "hybrid.mech.gauss-normalised/(i)(70)",
        recipe("eqs (12), (70)"),
        r"the same by the features (70) as printed, $\sin(\tau_i^\top z)$, $\cos(\tau_i^\top z)$",
        "sigma = 0.8",
        _gauss_check("trigonometric", "tau.z", ("sigma tau.z", "")),
        differs="(70) lacks sigma in its sines and cosines (hybrid.eq70): the coefficient then has the mean (1 - exp(-|x-y|^2/2))/rho; the hybrid stays unbiased, its weight is another one",
        correction="hybrid.mech.gauss-normalised/(i)",
    ),
    holds(
        "hybrid.mech.gauss-normalised/(ii)",
        recipe("eqs (12), (67), (68)"),
        r"$\widehat{\mathrm{SM}}^{gausshyb}_{m,n}$, positive: the exponential $\exp(-\frac{\sigma^2}2\|x-y\|^2)$ in (67) estimated with positive features, in (12)",
        "sigma, r > 0; as in (i)",
        _gauss_check(
            "positive",
            "",
            _SWAPPED,
            ("rho = 1 - exp(-sigma^2 r^2)", "rho"),
            ("trigonometric features", "kind"),
        ),
        Derived("hybrid.eq8"),
        ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean P"),
        Slow(
            sampled_kernel(
                "the Gaussian hybrid, positive coefficient, m = 3, n = 2, sigma = 1",
                gaussian_hybrid(3, 2, 3, sigma=1.0, radius=0.35, feature_map=HYPERBOLIC),
                _LOW,
                3,
                gaussian("0.35", "2.2", "1", 2, hyperbolic=True),
            )
        ),
    ),
    holds(
        "hybrid.mech.nested/(a)",
        recipe("Appendix F, before eq. (69), all draws independent"),
        r"the coefficient of the normalised bipolar Gaussian hybrid estimated with the angular hybrid gives an unbiased hybrid",
        "the inner hybrid estimates exp(-sigma^2 |x-y|^2/2) at sigma x, sigma y; its base estimators, its coefficient and the outer base estimators have projections of their own",
        follows(
            "Gaussian hybrid with an angular hybrid inside",
            _nested,
            _nested_recipe,
            "",
            ("inner weights exchanged", "inner weights exchanged"),
            ("without exp(-sigma^2 |z|^2/2)", "without the norms"),
            ("projections of the outer bases", "projections of the bases"),
        ),
        Derived("hybrid.eq8"),
        sampled(
            f"mean of the nested hybrid, m = 3, inner m = n = 2, sigma = 0.8, {NEAR}",
            estimates(bipolar(normalised_gaussian(0.8, 0.35, 5, angular_hybrid(2, 2)), 3), *NEAR.vectors()),
            _nested_law(NEAR, 3, (2, 2), 0.8, 0.35),
        ),
    ),
    fails(
        "hybrid.mech.nested/(b)",
        recipe("Appendix F, before eq. (69), the projections of the base estimators inside"),
        r"the coefficient of the normalised bipolar Gaussian hybrid estimated with the angular hybrid gives an unbiased hybrid",
        "the base estimators of the inner hybrid with the projections of the outer ones",
        Counterexample(
            "|x| = |y| = 1, theta = 2, sigma = 1, m = 1: bias E(lambda^ - lambda)(P - T)",
            left=lambda: _same_draws_bias("2", "1"),
            right=lambda: arb(0),
            violated="!=",
            correct=lambda: _same_draws_bias("2", "1"),
        ),
        differs="the bias is the covariance of the coefficient with P - T: with k = exp(-sigma^2 |x-y|^2/2) it is SM k ((1 - theta/pi)(cosh(sigma |x-y|^2) - 1) - (theta/pi)(cosh(sigma |x+y|^2) - 1))/(rho m), "
        "so 0 at theta = pi/2 for equal lengths and not elsewhere between the ends",
        correction="hybrid.mech.nested/(a)",
    ),
)

CLAIMS = (*BASE, *EXPONENTIAL, *HYBRIDS, *GAUSSIAN, *mechanisms_data.CLAIMS)
