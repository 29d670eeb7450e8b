"""Claims of Sections 1 to 2.2: kernels, base estimators, the hybrid estimator and its feature map."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import sympy
from flint import arb
from sympy import I, Rational, cos, exp, pi, sqrt

from rftheory.author import d, equal, formula, mean, mse, v, z
from rftheory.exact.angular import angular_max_relative_error, base_max_relative_error, r
from rftheory.exact.complex_exponential import inner, n
from rftheory.exact.hybrid import SOFTMAX, printed_map, softmax_hyperbolic_mse, softmax_trig_mse, theta
from rftheory.exact.proof.rules import Sign
from rftheory.exact.symbols import m, x, y
from rftheory.papers.claim import Fault, stated
from rftheory.papers.hybrid.notation import (PAIRS, POSITIVE, TRIGONOMETRIC, averaged, base_as_printed, inputs, points, said, same, step, value)  # fmt: skip
from rftheory.papers.hybrid.statistics import (NEAR, Pair, angular, only_p, only_t, sampled_error,
    sampled_kernel)  # fmt: skip
from rftheory.sample import Mechanism, Stream, angular_hybrid
from rftheory.statement.evidence import Derived, Identity, ProvedStep, SameValue, Shown, Slow
from rftheory.statement.words import claimed

_SM2 = exp((v**2 - z**2) / 2)
"""SM^2 by v = |x + y| and z = |x - y|."""

# ---- kernels and base estimators ---------------------------------------------------------------------------------


def _gaussian_from_softmax(factor: float) -> bool:
    """Features of the Gaussian kernel are those of SM times exp(-factor |u|^2), in the sampler."""
    first, second = inputs()
    for kind in ("trigonometric", "hyperbolic", "positive"):
        mechanism, stream = Mechanism(kind, "iid", 4), Stream(3)
        left, right = (np.exp(-factor * np.sum(u * u, axis=1)) for u in (first, second))
        softmax = mechanism.gram(stream, range(2), first, second, "softmax")
        gaussian = mechanism.gram(stream, range(2), first, second, "gaussian")
        if not same(gaussian, left[:, None] * softmax * right[None, :]):
            return False
    return True


def _finite_model(change: str) -> bool:
    """(4) to (6), or (9) and (10) with a constant, for m = 2 draws from two atoms and l = 2 functions, symbolically."""
    q, a = sympy.symbols("q a")
    left, right = (sympy.symarray(name, (2, 2)) for name in ("f", "g"))  # function, atom
    atoms = [q, 1 - q]
    size, root = 2, sympy.S(2)

    def draw(chosen: tuple[int, ...]) -> sympy.Expr:
        scale = 1 / sqrt(root) if change != "scale" else sympy.S.One
        rows = [(scale * left[i, k], scale * right[i, k]) for i in range(2) for k in chosen]
        return a + sum(f * g for f, g in rows)

    mean = sum(atoms[k] * left[i, k] * right[i, k] for i in range(2) for k in range(2))
    kernel = a + mean if change != "constant" else 2 * a + mean
    return bool(sympy.expand(averaged(draw, atoms, size) - kernel) == 0)


_WRONG_MODELS = (("without 1/sqrt(m)", "scale"), ("another constant", "constant"))


_NEGATIVE = ProvedStep("chefs.2.2.trig", "chefs.2.2.trig/negative")
"""T has the mean K, and a normal number is where the cosine is negative with positive probability."""


def _sign_of_trig(kind: str) -> bool:
    """Whether a draw with w.(x - y), for P w.(x + y), within 1 of pi is negative; |x - y| = |x + y| = 1."""
    near = arb(0, 1) + arb.pi()
    draws = near.cos() if kind == "T" else near.cosh()
    probability = ((arb.pi() + 1) / arb(2).sqrt()).erf() - ((arb.pi() - 1) / arb(2).sqrt()).erf()
    return bool(draws < 0 and probability > 0)


BASE = (
    step("hybrid.eq1", "eq. (1)", "hybrid.eq1", "(1)",
        also=(Shown("Gaussian features of the sampler are scaled softmax features, three maps, draw by draw",
            _gaussian_from_softmax, 0.5, (("1/2 -> 1", 1.0), ("1/2 -> -1/2", -0.5))),),
        statement=r"$K_{gauss}(x,y)=e^{-\|x\|_2^2/2}\,\mathrm{SM}(x,y)\,e^{-\|y\|_2^2/2}$, and $\phi_{gauss}(u)=e^{-\|u\|_2^2/2}\phi_{SM}(u)$",
        conditions="all x, y"),
    said("hybrid.eq2", "eq. (2), with eq. (6)", mean(TRIGONOMETRIC) == exp((v**2 - z**2) / 4), also=(
        base_as_printed("trigonometric"),
        Slow(sampled_kernel("T, m = 4", Mechanism("trigonometric", "iid", 4), Pair("0.5", "0.8", "1.1"), 4, only_t)))),
    said("hybrid.eq3", "eq. (3), with eq. (6)", mean(POSITIVE) == exp((v**2 - z**2) / 4), also=(
        base_as_printed("hyperbolic"),
        Slow(sampled_kernel("P, m = 4", Mechanism("hyperbolic", "iid", 4), NEAR, 4, only_p)))),
    step("hybrid.def2.1", "Definition 2.1, eqs (4)-(6)", "lemma.linearity",
        statement=r"$\widehat K(x,y)=\phi_m(x)^\top\phi_m(y)$ with $\phi_m=\frac1{\sqrt m}\phi^1_m\star\dots\star\phi^l_m$ satisfies $\mathbb E\,\widehat K=K$",
        conditions="the mean (4) exists (which (4) presupposes: each xi_i(x, .) xi_i(y, .) integrable); m, l >= 1",
        also=(Shown("two atoms, l = 2, m = 2: an identity of polynomials in all values of the functions", _finite_model, "",
            _WRONG_MODELS),)),
    said("hybrid.def2.1.examples",
        "text after eq. (6): E(sin sin + cos cos) = exp(-|x-y|^2/2) is SM, with the functions as printed",
        equal(exp(-(x**2 + y**2 - 2 * x * y * cos(theta)) / 2), SOFTMAX), (theta <= pi,),
        differs="the factors exp(|u|^2/2) of (2) and exp(-|u|^2/2) of (3) are left out. With the functions as "
        "printed (4) is exp(-|x-y|^2/2) in the one case and exp(|x+y|^2/2) in the other: at |x| = |y| = 1, theta = "
        "1 the first is 0.631, SM is 1.717. With the factors both encodings are right",
        correction="hybrid.def2.1.examples/corrected",
        prints="a trigonometric random feature ϕtrig m from Equation 2 can be encoded as applying l = 2, ξ1(u, ω) = "
        "sin(ω u), ξ2(u, ω) = cos(ω u). Similarly, positive random features can be encoded as taking l = 2 and "
        "ξ1(u, ω) = 1 2 exp(ω u)", fault=Fault("slip", 1, "none: the maps are used as they stand in (2) and (3)")),
    stated("hybrid.def2.1.examples/corrected", "ours",
        equal(exp((x**2 + y**2) / 2) * exp(-(x**2 + y**2 - 2 * x * y * cos(theta)) / 2), SOFTMAX)
        & equal(exp(-(x**2 + y**2) / 2) * exp((x**2 + y**2 + 2 * x * y * cos(theta)) / 2), SOFTMAX), (theta <= pi,),
        also=(Derived("hybrid.eq1"),)),
    said("hybrid.lem2.2", "Lemma 2.2, eq. (7)",
        (mse(TRIGONOMETRIC) == exp(v**2) * _SM2**-1 * (1 - exp(-(z**2))) ** 2 / (2 * m))
        & (mse(POSITIVE) == exp(v**2) * _SM2 * (1 - exp(-(v**2))) ** 2 / (2 * m)), draw=False, also=(
        SameValue(softmax_trig_mse, PAIRS[1:4], planted=softmax_trig_mse.expression * (1 - exp(-1 - x))),
        SameValue(softmax_hyperbolic_mse, PAIRS[1:4], planted=2 * softmax_hyperbolic_mse.expression),
        Slow(sampled_error("T, m = 4", Mechanism("trigonometric", "iid", 4), Pair("0.5", "0.8", "1.1"), 4, only_t)),
        Slow(sampled_error("P, m = 4", Mechanism("hyperbolic", "iid", 4), NEAR, 4, only_p, factor=1.2)))),
    said("hybrid.lem2.2.words/(a)",
        "sentence before Lemma 2.2, reading (a): over all x, y. With T at SM = e^x and at SM = e^cos(theta), with "
        "P at SM = 1 and at SM = e^(1/4)",
        (formula("softmax_trig_mse", y=1, theta=0, m=1) <= formula("softmax_trig_mse", x=1, y=1, m=1))
        & (formula("softmax_hyperbolic_mse", y=0, theta=0, m=1)
            <= formula("softmax_hyperbolic_mse", x=Rational(1, 2), y=Rational(1, 2), theta=0, m=1)), (x >= 1, theta <= pi),
        differs="the errors depend on |x+y| and |x-y|, not on SM alone: T has the MSE 10613 (m = 1) at SM = e^3 "
        "(|x| = 3, |y| = 1, theta = 0) and 0.174 at SM = 2.4 (|x| = |y| = 1, theta = 1/2). At fixed norms the "
        "sentence holds", correction="hybrid.lem2.2.words/(b)",
        prints="the mean squared error (MSE) of the trigonometric estimator is small for large softmax kernel "
        "values and large for small softmax kernel values, whereas an estimator applying positive random features "
        "behaves in the opposite way",
        fault=Fault("missing condition", 1, "none: from the end of Section 2.2 on the inputs have one length, and "
        "there it holds"),
        statement=r"the MSE of $T$ is small for large $\mathrm{SM}$ and large for small $\mathrm{SM}$, that of $P$ the other way round",
        conditions="all x, y; read as: MSE(T) falls and MSE(P) rises with SM"),
    step("hybrid.lem2.2.words/(b)", "sentence before Lemma 2.2, reading (b): at fixed norms", "hybrid.lem2.2.words",
        "P", "P rises", "T", "T falls",
        statement=r"at fixed $\|x\|,\|y\|$ the MSE of $T$ falls and that of $P$ rises with $\mathrm{SM}$, that is, as the angle closes",
        conditions="all |x|, |y|, 0 <= theta <= pi"),
    step("hybrid.lem2.2.words/negative", "Section 1", "chefs.2.2.trig", _NEGATIVE, also=(
            Shown("one draw of T is negative with positive probability; P is a mean of hyperbolic cosines", _sign_of_trig,
                "T", (("P instead of T", "P"),)),
            Identity("a feature of P", exp(inner), sympy.S.Zero, points((0,), ("-7/2",), names="inner"), ">", by=Sign())),
        statement=r"$T$ may estimate the positive kernel by negative values, $P$ never does", conditions="x != y"))  # fmt: skip

# ---- worst-case claims of the abstract ---------------------------------------------------------------------------------


def _ratio_at_equal_length(radius: str, count: int) -> arb:
    """Largest error of the angular hybrid (m = 1) over that of P with a map of the same length 4 (n + 1)."""
    hybrid = value(angular_max_relative_error, 12, r=radius, m=1, n=count)
    return hybrid / value(base_max_relative_error, r=radius, m=2 * (count + 1))


_k, _l = sympy.symbols("k l", integer=True, nonnegative=True)

STRICT = (
    step("hybrid.txt.strict/(i)(a)",
        "abstract and Section 1, the angular hybrid at the same m: its squared relative error at the angle pi/2 - "
        "t is at most (n + 1)/(8n), that is, sqrt((n+1)/(8n)) <= 1/2 of the largest one of T and P",
        "hybrid.txt.strict", "convex", "weights", "statement",
        statement=r"the angular hybrid has a strictly smaller worst-case relative error than $T_m$ and $P_m$: at most $\sqrt{(n+1)/(8n)}\le\frac12$ of theirs",
        conditions="the same m, any n >= 1, sphere of any radius r > 0"),
    said("hybrid.txt.strict/(i)(b)",
        "abstract and Section 1, the angular hybrid at the same number of features",
        formula("angular_max_relative_error") < formula("base_max_relative_error", m=2 * m * (n + 1)),
        differs="the sentence does not say what is held equal. With maps of the same length it fails for short "
        "inputs once n >= 2: at r = 1/4, n = 2 the largest relative error is 1.059 times that of P with as many "
        "features. It holds at the same m, at equal length for n = 1, and at equal length for every n once r is "
        "large", correction="hybrid.txt.strict/(i)(b).corrected",
        prints="unbiased approximation and strictly smaller worst-case relative errors than its counterparts",
        fault=Fault("ambiguous", 2, "the abstract's sentence needs a measure of size: it holds at the same m, and "
        "in Section 4, which compares at equal numbers of operations, for the configurations used there"),
        statement="at the same length of the feature maps the angular hybrid has a strictly smaller worst-case relative error than $T$ and $P$",
        conditions="any m, n >= 1 and r; the map (11) has 4m(n+1) coordinates, those of (2), (3) have 2m'"),
    step("hybrid.txt.strict/(i)(b).corrected",
        "ours: at the same length of the feature maps, n = 1 and theta = pi/2 - t; n >= 2 loses wherever "
        "cosh^2(r^2) < (n+1)^2/(4n)",
        "hybrid.added.equal-features", "below a quarter", "away from pi/2", "larger n",
        also=(Shown("ratio of the largest errors at equal length for n = 1, r = 1/4, 2, below 1",
            lambda count: _all_below([_ratio_at_equal_length(r, count) for r in ("1/4", "2")]), 1, (("n = 8", 8),)),),
        entry="hybrid.txt.strict",
        statement=r"at the same length of the feature maps the angular hybrid with $n=1$ has a strictly smaller worst-case relative error than $T$ and $P$; with $n\ge2$ it has a larger one wherever $\cosh^2(r^2)<(n+1)^2/(4n)$",
        conditions="n = 1: every r > 0, m >= 1"),
    said("hybrid.txt.strict/(i)(c)",
        "abstract and Section 1, the angular hybrid at the same number of multiplications",
        formula("angular_max_relative_error") ** 2 < 4 * d * sympy.sinh(2 * r**2) ** 2 / (4 * m * d + n * d + 4 * m * n),
        differs="a configuration with n much larger than m or d spends its operations on the coefficient: at d = "
        "64, m = 1, n = 64 and short inputs the largest squared error is 4.57 times that of P with as many "
        "multiplications. For 1 <= n <= min(m, d), d >= 2, the hybrid is better at every length",
        correction="hybrid.txt.strict/(i)(c).corrected",
        prints="they provide strictly more accurate worst-case softmax kernel estimation than previous algorithms "
        "and lead to computational gains",
        fault=Fault("ambiguous", 2, "none for the configurations of Section 4, which have n <= m",
        told_by="hybrid.txt.strict/(i)(b)"),
        statement="at the same number of operations of Appendix L the angular hybrid has a strictly smaller worst-case relative error than $T$ and $P$",
        conditions="any d, m, n >= 1 and r; hybrid 4md + nd + 4mn multiplications, P with m' projections 2m'd"),
    said("hybrid.txt.strict/(i)(c).corrected",
        "ours: n <= min(m, d), d >= 2, the same number of multiplications: m'/m = 2 + n/(2m) + 2n/d times "
        "(n+1)/(8n) (hybrid.txt.strict/(i)(a)) is below 1, with m = n + k, d = n + l for n >= 2, and with n = 1",
        claimed((2 + n / (2 * (n + _k)) + 2 * n / (n + _l)) * (n + 1) / (8 * n) < 1)
        & claimed((2 + 1 / (2 * m) + 2 / d) / 4 < 1), (n >= 2, d >= 2), also=(Derived("hybrid.txt.strict"),),
        entry="hybrid.txt.strict",
        statement=r"for $n\le\min(m,d)$, $d\ge2$, the angular hybrid has a strictly smaller worst-case relative error than $T$ and $P$ at the same number of multiplications, for every $r>0$",
        conditions="1 <= n <= min(m, d), d >= 2; m'/m = 2 + n/(2m) + 2n/d, times (n+1)/(8n) (hybrid.txt.strict/(i)(a))"),
    said("hybrid.txt.strict/(ii)",
        "abstract and Section 1, 'the HRF mechanism', for the Gaussian hybrid of Section 2.4, at theta = pi",
        formula("gaussian_relative_error", theta=pi) <= formula("base_max_relative_error"),
        differs="the Gaussian hybrid of Section 2.4 can be worse than T and P: at r = 1, sigma = 1/4, m = n = 1 its "
        "relative error at theta = pi is 6.83, the largest one of T and P 5.13; in general the squares have the "
        "ratio (1 + exp(-2 sigma^2 r^2))^2/(2n) there. For the angular hybrid with the same m the sentence holds "
        "for all m, n, r", correction="hybrid.txt.strict/(i)(a)",
        prints="the HRF mechanism provides strong theoretical guarantees - unbiased approximation and strictly "
        "smaller worst-case relative errors than its counterparts",
        fault=Fault("missing condition", 2, "the guarantee is one of the angular hybrid; none is proved for the "
        "other hybrids of Section 2.4, and Theorem 3.5 claims none"),
        statement="hybrid random features have a strictly smaller worst-case relative error than $T_m$ and $P_m$",
        conditions="the normalised bipolar Gaussian hybrid, trigonometric coefficient, same m, n >= 1, sigma > 0"))  # fmt: skip


def _all_below(ratios: list[arb]) -> bool | None:
    if all(ratio < 1 for ratio in ratios):
        return True
    return False if any(ratio > 1 for ratio in ratios) else None


# ---- the hybrid estimator ------------------------------------------------------------------------------------------


def _blocks(p: int, scale: int) -> tuple[list[Any], list[list[list[list[Any]]]], list[list[list[list[Any]]]]]:
    """Constants and blocks of both sides, filled with different small rationals: l = 2, t = 1 + k, m = 2, n = 3."""
    numbers = iter(Rational((7 * k * k + 3 * k) % 23 - 11, 5) for k in itertools.count(scale))
    constants = [Rational(-1, 2), Rational(5, 2)][:p]
    weights = [[[[next(numbers) for _ in range(3)] for _ in range(2)] for _ in range(p)] for _ in "xy"]
    bases = [[[[next(numbers) for _ in range(2)] for _ in range(1 + k)] for k in range(p + 1)] for _ in "xy"]
    return constants, weights, bases


def _map_product(product: str) -> bool:
    """Whether Psi_1 . Psi_2 of (11) is the estimator (8), for p = 1, 2, constants below 0 and above 1 included."""
    for p in (1, 2):
        constants, weights, bases = _blocks(p, 1)
        left, right = (printed_map(constants, w, b) for w, b in zip(weights, bases, strict=True))
        if product == "hermitian":
            left = [sympy.conjugate(e) for e in left]
        if product == "without Psi^4":
            keep = len(left) - sum(2 * 3 * 2 * (p + 1) for _ in range(p))
            left, right = left[:keep], right[:keep]
        found = sum(a * b for a, b in zip(left, right, strict=True))
        if sympy.expand(found - _hybrid_estimate(constants, weights, bases)) != 0:
            return False
    return True


def _hybrid_estimate(constants: Any, weights: Any, bases: Any) -> sympy.Expr:
    """(8) from the same numbers: weights (10) and base estimators."""

    def dot(a: Any, b: Any) -> sympy.Expr:
        return sum(u * v for f, g in zip(a, b, strict=True) for u, v in zip(f, g, strict=True))

    estimates = [dot(f, g) / 2 for f, g in zip(*bases, strict=True)]
    lambdas = [a + dot(f, g) / 3 for a, f, g in zip(constants, *weights, strict=True)]
    return sum(w * e for w, e in zip(lambdas, estimates, strict=False)) + (1 - sum(lambdas)) * estimates[-1]


def _sampled_map(sign: float) -> bool:
    """The tensorised features of the sampler give the kernel matrices of eq. (8), and T + L (P - T) from its parts."""
    hybrid, stream = angular_hybrid(3, 2), Stream(5)
    first, second = inputs()
    first, second = first[1:], second[:3]
    left, right = hybrid.features(stream, range(2), first, second, "softmax")
    dense = [
        np.exp(terms.log_scale) * (1.0 if terms.factor is None else terms.factor) for terms in (left, right)
    ]
    if dense[0].shape[1] != 4 * 3 * (2 + 1):
        return False
    product = np.einsum("bfi,bfj->bij", dense[0], sign * dense[1])
    return same(product, hybrid.gram(stream, range(2), first, second, "softmax"))


_KRONECKER = Derived("lemma.kronecker")
_a, _u, _s, _f, _g, _k0, _l0 = sympy.symbols("a rho_x rho_y phi_x phi_y psi_x psi_y", real=True)
"""A constant, the features of the weight at both inputs, and those of the two base estimators."""
_ESTIMATE = (_a + _u * _s) * _f * _g + (1 - _a - _u * _s) * _k0 * _l0
"""(8) with one projection each."""

HYBRID = (
    step("hybrid.eq8", "eq. (8)",
        "hybrid.eq8", "(8)",
        also=(Slow(sampled_kernel("the angular hybrid, m = 2, n = 3", angular_hybrid(2, 3), NEAR, 2,
            angular(NEAR.theta, 3))),),
        statement=r"$\sum_k\hat\lambda^k\widehat{\mathrm{SM}}^k+(1-\sum_k\hat\lambda^k)\widehat{\mathrm{SM}}^{p+1}$ is unbiased if the base estimators are",
        conditions="weights with a mean, constructed independently of the base estimators (needed: else the covariance is the bias); their range does not matter"),
    step("hybrid.eq9", "eqs (9), (10)", "lemma.linearity",
        statement=r"$\hat\lambda^k_n=a_k+\rho^k_{1,n}(x)^\top\rho^k_{2,n}(y)$ is unbiased for $\lambda^k=a_k+\mathbb E\sum_if^i_{1,k}(x,\tau)f^i_{2,k}(y,\tau)$",
        conditions="the mean exists; complex mappings and the product without conjugation allowed, as (19) and (70) use them",
        also=(Shown("two atoms, l = 2, n = 2, a constant: an identity of polynomials in all values of the functions",
            _finite_model, "", _WRONG_MODELS),
        Shown("the constant enters once: m = 2 draws, symbolic constant", _finite_model, "", _WRONG_MODELS[::-1]))),
    said("hybrid.eq9/real",
        "eq. (9) with (19), real mappings with rho_1 = rho_2: at x = y lambda - a is a sum of squares",
        formula("angular_coefficient", theta=0) - Rational(1, 2) >= 0,
        differs="(9) asks for real mappings, but (19) and (70) use the imaginary unit, and with rho_1 = rho_2 they "
        "must: at x = y the angular coefficient has lambda - a = -1/2, which is no mean of squares of real numbers. "
        "Either complex mappings are allowed in (9), or rho_1 = -rho_2 takes the place of i^2 = -1",
        correction="hybrid.eq9",
        prints="mappings ξi k, ηi k : Rd Rd R and that the corresponding estimator ... ρ1,n(z) = ρ2,n(z) = ρn(z) "
        "def = i 2n(sgn(τ 1 z)", fault=Fault("slip", 1,
            "none: the products that enter (10) and (11) are real, and complex maps serve as " "well"),
        statement=r"the mappings in (9) are real, $\mathbb R^d\times\mathbb R^d\to\mathbb R$, with $\rho_{1,n}=\rho_{2,n}$ as in (19)",
        conditions="the angular coefficient"),
    said("hybrid.lem2.3", "Lemma 2.3, eq. (11), one projection each, p = 1: an entry of each block; products of sums are sums over pairs",
        equal(_ESTIMATE, (sqrt(_a) * _f) * (sqrt(_a) * _g) + (_u * _f) * (_s * _g)
            + (sqrt(1 - _a) * _k0) * (sqrt(1 - _a) * _l0) + (I * _u * _k0) * (I * _s * _l0)),
        also=(Shown("p = 1 and 2, l = 2, t = 1, 2, 3, n = 3, m = 2, a = -1/2, 5/2: equal as exact numbers", _map_product,
            "bilinear", (("conjugated product", "hermitian"), ("without the last block", "without Psi^4"))),
            Shown("the sampler's tensorised features: 4 m (n + 1) of them, their product is the estimate", _sampled_map,
                1.0, (("a sign", -1.0),)),
            _KRONECKER),
        statement=r"$\widehat{\mathrm{SM}}^{hyb}_{m,n}(x,y)=\Psi_1(x)^\top\Psi_2(y)$ with the blocks $\Psi^1,\dots,\Psi^4$",
        conditions="product without conjugation; any p, constants a_k of either sign"),
    said("hybrid.lem2.3/hermitian", "Lemma 2.3, eq. (11), with the Hermitian product: an entry of Psi^4, i rho phi in both maps, and its part in (8)",
        equal(sympy.conjugate(I * _u * _k0) * (I * _s * _l0), -_u * _s * _k0 * _l0),
        statement=r"$\widehat{\mathrm{SM}}^{hyb}_{m,n}(x,y)=\Psi_1(x)^{*}\Psi_2(y)$",
        conditions="the map has the imaginary unit in front of Psi^4, and roots of negative numbers for a_k < 0 or sum a_k > 1",
        differs="the plain product sum_i u_i v_i is meant, for complex entries too: with conjugation the last "
        "block, which has the factor i, changes its sign, and the estimate is another one. Worth saying, since "
        "tensor libraries often conjugate", correction="hybrid.lem2.3",
        prints="SM hyb m,n(x, y) = Ψ1(x) Ψ2(y), where Ψj for j {1, 2} is given as",
        fault=Fault("reading", 1, "none: the source has the plain product")),
    said("hybrid.lem2.3/step30", "Appendix B, eq. (30), one projection each, p = 1: the four sums against (8)",
        equal(_ESTIMATE, _a * _f * _g + (_u * _f) * (_s * _g) + (1 - _a) * _k0 * _l0 - (_u * _k0) * (_s * _l0)),
        also=(Shown("the four sums, as blocks of (11) without roots, against (8)", _map_product, "bilinear",
            (("without the last sum", "without Psi^4"), ("conjugated", "hermitian"))),
            _KRONECKER),
        statement=r"the estimator is $\sum_k\frac{a_k}m(\cdot)^\top(\cdot)+\frac1{mn}\sum(\rho\otimes\phi)^\top(\rho\otimes\phi)+\frac{1-\sum a_k}m(\cdot)^\top(\cdot)-\frac1{mn}\sum(\rho\otimes\phi)^\top(\rho\otimes\phi)$",
        conditions="as for (8)-(10)"),
    step("hybrid.lem2.3/step30txt", "Appendix B, after eq. (30)", "hybrid.eq8",
        statement=r"a product of two functions that are linearisable in expectation is linearisable in expectation, with the products of the features",
        conditions="independent projections of the two factors",
        also=(Shown("mean of a product of independent weight and base, all pairs of atoms",
            lambda change: _product_of_means(change), "independent", (("the same projection in both", "same"),)),)),
    said("hybrid.lem2.3/letters", "Section 2.2, the sentence on the numbers of random features: the length of the map (11) with the letters of the sentence",
        formula("hybrid_map_dimension", m=n, n=m) == formula("hybrid_map_dimension"),
        statement=r"the hybrid estimator uses $n$ random features for its base estimators and $m$ to approximate $\lambda$-coefficients",
        conditions="the formulas (10) and (11)",
        differs="the letters are exchanged in this sentence: in (10), (11) and everything after them the base "
        "estimators have m random features and the coefficients n", correction="hybrid.lem2.3",
        prints="We denote a hybrid estimator using n random features for its base estimators and m to approxi- mate "
        "λ-coefficients as",
        fault=Fault("slip", 1, "none: every formula has m for the base estimators and n for the coefficients")),
    step("hybrid.eq12",
        "eq. (12), a hybrid with p = 1",
        "hybrid.eq8", "(8)", also=(Slow(sampled_kernel("the bipolar hybrid with shared projections, m = 2, n = 3",
            angular_hybrid(2, 3, shared=True), NEAR, 2, angular(NEAR.theta, 3), shared=True)),),
        statement=r"$\widehat{\mathrm{SM}}^{hyb}_{m,n}=\hat\lambda_nP_m+(1-\hat\lambda_n)T_m$ is (8) with $p=1$, hence unbiased",
        conditions="lambda-projections independent of the base projections; P and T may share theirs"),
    said("hybrid.txt.endpoints/base",
        "Section 2.2, last paragraph; at equal lengths theta = pi is v = 0 and theta = 0 is z = 0",
        (mse(POSITIVE).at(v=0) == 0) & (mse(TRIGONOMETRIC).at(z=0) == 0), draw=False),
    said("hybrid.txt.endpoints/coefficient", "Section 2.2, last paragraph, equal lengths, the coefficient theta/pi itself",
        (formula("bipolar_mse", y=x, theta=0, l1=0, l2=0) == 0) & (formula("bipolar_mse", y=x, theta=pi, l1=1, l2=1) == 0),
        also=(Derived("hybrid.thm3.1.I"),),
        statement=r"a coefficient that is linear in $\theta$, 0 at $\theta=0$ and 1 at $\theta=\pi$, makes the variance vanish at both ends",
        conditions="|x| = |y|; x the length, l1 and l2 the coefficient and its square; estimates of it: hybrid.txt.zero-variance"),
    said("hybrid.txt.endpoints/any-estimator",
        "Section 2.2, last paragraph, at theta = 0: any unbiased estimator of theta/pi, E lambda^2 = l2",
        formula("bipolar_mse", theta=0, l1=0) == 0,
        differs="the source speaks of the coefficient, for which it is right; an estimate of it needs more than its "
        "linear mean: an unbiased one with E L = 0 and E L^2 = 1/4 at theta = 0 leaves the MSE 48.6 there (|x| = |y| "
        "= 1, m = 1). E L^2 must vanish at theta = 0 and E (1-L)^2 at theta = pi, as for (19), where L is surely 0 "
        "and 1; any lambda with these ends will do", correction="hybrid.txt.zero-variance",
        prints="That suggests particularly simple linear dependence of λ on θ to guarantee vanishing variance for "
        "both the critical values: θ = 0 and θ = π. It remains to show that such a λ-coefficient can be linearized",
        fault=Fault("reading", 1, "none: the estimator (19) has the property that is needed")))  # fmt: skip


def _product_of_means(change: str) -> bool:
    """E (sum rho(x) rho(y)) (sum phi(x) phi(y)) over two atoms each, symbolic values."""
    q, s = sympy.symbols("q s")
    f, g = sympy.symarray("f", 2), sympy.symarray("g", 2)
    mean = (q * f[0] + (1 - q) * f[1]) * (s * g[0] + (1 - s) * g[1])
    if change == "same":
        mean = mean.subs(s, q)
        joint = q * f[0] * g[0] + (1 - q) * f[1] * g[1]
    else:
        weights = ((q, f[0]), (1 - q, f[1]))
        joint = sum(a * b * u * v for a, u in weights for b, v in ((s, g[0]), (1 - s, g[1])))
    return bool(sympy.expand(joint - mean) == 0)


CLAIMS = (*BASE[:3], *STRICT, *BASE[3:], *HYBRID)
