"""Claims of *Simplex Random Features* (Reid, Choromanski, Likhosherstov, Weller, ICML 2023)."""

from __future__ import annotations

import sympy
from flint import arb
from sympy import Integral, Sum, exp, factorial, gamma, oo, pi, sin

from rftheory.claims.claim import Claim
from rftheory.claims.digits import DigitsError
from rftheory.claims.evidence import (
    Counterexample,
    Derived,
    EqualSides,
    FailingStep,
    Ordered,
    PrintedDigits,
    SameValue,
    SampledMean,
    SampledOrder,
    Values,
    other,
    times,
)
from rftheory.claims.laws import (
    conformity_ball,
    pair_product,
    pair_product_difference,
    pair_product_law,
    squared_error,
    squared_error_law,
    squared_resultant,
    squared_resultant_law,
)
from rftheory.exact.conformity import (
    angle_conformity,
    angle_pair_density,
    iid_conformity,
    iid_pair_density,
    orf_conformity,
    orf_pair_density,
    simrf_conformity,
    zonal_mean,
)
from rftheory.exact.enclosure import Exact
from rftheory.exact.geometry import prf_ratio_orf, prf_ratio_simrf
from rftheory.exact.positive import (
    PRINTED_GAP,
    PRINTED_SMALL_V,
    conformity_gap_ball,
    prf_gap,
    prf_mse_iid,
    prf_mse_orf,
    prf_mse_simrf,
    prf_small_v_simrf,
)
from rftheory.exact.special import chi_moments
from rftheory.exact.symbols import c, d, k, m, phi, v, w, x, y, z
from rftheory.exact.trigonometric import trig_gap, trig_mse_orf, trig_pair_orf
from rftheory.judge import Decision

PAPER = "Reid et al., ICML 2023"
MILLION = 2**20

CORNERS: tuple[Values, ...] = (
    {"d": 2, "v": 0},
    {"d": 2, "v": "1e-8"},
    {"d": 3, "v": "1/3"},
    {"d": 64, "v": 1},
)
"""Awkward values first: no data, nearly no data, odd d, an ordinary point."""

LARGE: tuple[Values, ...] = (
    {"d": 2, "v": 100},
    {"d": 513, "v": 50},
    {"d": 4096, "v": 100},
    {"d": 4095, "v": "1e-8"},
)


def _with(points: tuple[Values, ...], **more: Exact) -> tuple[Values, ...]:
    return tuple({**point, **more} for point in points)


def _conformity_sample(name: str, dim: int, length: str) -> SampledMean:
    """The pair product of a coupling has the conformity as its mean, and not two percent more."""
    return SampledMean(
        f"E exp((w_1 + w_2).v), {name}, d = {dim}, v = {length}",
        pair_product(name, dim, length),
        pair_product_law(name, dim, length),
        times(1.02),
        MILLION,
    )


def _error_sample(
    feature: str, name: str, dim: int, features: int, length: str, blocks: int = MILLION
) -> SampledMean:
    return SampledMean(
        f"MSE, {feature}, {name}, d = {dim}, m = {features}, |{'x + y' if feature == 'positive' else 'x - y'}| = {length}",
        squared_error(feature, name, dim, features, length),
        squared_error_law(feature, name, dim, features, length),
        times(1.15),
        blocks,
    )


def _mirrored_second_moment(sign: int) -> arb:
    """E of a squared component of w_1 + w_2 for w_1 = r_1 (cos t, sin t), w_2 = r_2 (cos t, -sin t): E (r_1 + sign r_2)^2/2."""
    _, mean, square = chi_moments(2, 3)
    return square + sign * mean * mean


DEFINITION = (
    Claim(
        "simplex.def3.1",
        f"{PAPER}, Definition 3.1, eq. (10)",
        r"$\rho(\mathbf x,\mathbf y)=\frac{\Gamma(\frac d2)}{m(m-1)}\sum_{i,j\ne i}\mathbb E_{w_{ij}}\bigl(\sum_{k\ge0}"
        r"\frac{v^{2k}w_{ij}^{2k}}{2^{2k}k!\,\Gamma(k+\frac d2)}\bigr)$ is well defined: the series is the mean of "
        r"$e^{\mathbf w_{ij}\cdot\mathbf v}$ over directions, and finite for Gaussian marginals",
        "m >= 2 random vectors; w_ij = |w_i + w_j|, v = |x + y|",
        (
            Derived("simplex.thm3.2"),
            SameValue(
                zonal_mean,
                (
                    {"d": 1, "v": 1, "w": 0},
                    {"d": 2, "v": "5/2", "w": 3},
                    {"d": 7, "v": "1/3", "w": 9},
                    {"d": 64, "v": 10, "w": 8},
                ),
                planted=gamma(d / 2)
                * Sum(v ** (2 * k) * w ** (2 * k) / (2**k * factorial(k) * gamma(k + d / 2)), (k, 0, oo)),
            ),
            _conformity_sample("iid", 8, "0.5"),
            _conformity_sample("orthogonal", 8, "0.5"),
            _conformity_sample("simplex", 8, "0.5"),
        ),
    ),
    Claim(
        "simplex.def3.1/m=1",
        f"{PAPER}, Definition 3.1 at the end of its stated domain",
        r"the same definition for every number $m$ of random vectors, $m=1$ included",
        "m >= 1",
        (
            EqualSides(
                "at m = 1 the prefactor divides by m(m - 1) = 0", m * (m - 1), sympy.S.Zero, {m: 1}, {m: 2}
            ),
        ),
        Decision.FAILS,
        differs="rho is 0/0 at m = 1; it needs m >= 2, and (11) is then read without its second term",
        correction="simplex.def3.1",
    ),
)

MEAN_SQUARED_ERROR = (
    Claim(
        "simplex.thm3.2",
        f"{PAPER}, Theorem 3.2, eq. (11)",
        r"$\mathrm{MSE}(\hat K)=\frac{e^{-2x^2-2y^2}}m\bigl((e^{2v^2}-e^{v^2})+(m-1)(\rho(\mathbf x,\mathbf y)-e^{v^2})\bigr)$",
        "positive features, marginals N(0, I_d), isotropic resultants",
        (
            Derived("simplex.thm3.2"),
            SameValue(
                prf_mse_iid,
                (
                    {"m": 1, "v": 0, "x": 0, "y": 0},
                    {"m": 5, "v": "3/2", "x": 1, "y": 1},
                    {"m": 64, "v": "1e-8", "x": 1, "y": 1},
                ),
                planted=exp(-(x**2) - y**2) / m * (exp(2 * v**2) - exp(v**2)),
            ),
            SameValue(
                prf_mse_orf,
                (
                    {"d": 5, "m": 3, "v": "3/2", "x": 1, "y": 1},
                    {"d": 5, "m": 13, "v": "1/2", "x": 1, "y": "3/4"},
                ),
                planted=prf_mse_orf.expression.subs(m, m + 1),
            ),
            SameValue(
                prf_mse_simrf,
                ({"d": 2, "m": 2, "v": 1, "x": 1, "y": 1}, {"d": 6, "m": 7, "v": "3/2", "x": 1, "y": 1}),
                planted=prf_mse_orf.expression,
            ),
            _error_sample("positive", "iid", 16, 16, "0.3"),
            _error_sample("positive", "orthogonal", 16, 10, "0.3"),
            _error_sample("positive", "simplex", 16, 16, "0.25"),
            _error_sample("positive", "simplex", 16, 40, "0.3"),
            DigitsError("iid"),
            DigitsError("orthogonal"),
            DigitsError("simplex"),
        ),
    ),
    Claim(
        "simplex.thm3.2/isotropy",
        f"{PAPER}, proof of Theorem 3.2, before eq. (31)",
        r"marginal isotropy of $\mathbf w_i$ and $\mathbf w_j$ passes to the resultant $\mathbf w_i+\mathbf w_j$",
        "any coupling with Gaussian marginals",
        (
            FailingStep("simplex.thm3.2", "simplex.thm3.2/(isotropy)"),
            Counterexample(
                "d = 2, independent chi norms, directions mirrored at an axis: E of the squared components of w_1 + w_2",
                left=lambda: _mirrored_second_moment(1),
                right=lambda: _mirrored_second_moment(-1),
                violated="!=",
                correct=lambda: _mirrored_second_moment(1),
            ),
        ),
        Decision.FAILS,
        differs="the resultant is isotropic if the pair is jointly rotation invariant, as it is for iid, ORF and SimRF; "
        "marginal isotropy is not enough",
        correction="simplex.thm3.2",
    ),
    Claim(
        "simplex.s5.ratio",
        f"{PAPER}, Sec. 5.1",
        r"the ratio of the MSE of any pair of mechanisms depends on the data only via $v=\lVert\mathbf x+\mathbf y\rVert$",
        "positive features; iid, orthogonal, simplex; v > 0",
        (
            Derived("simplex.thm3.2"),
            *(
                SameValue(
                    ratio,
                    ({"d": 2, "m": 2, "v": "1/8"}, {"d": 7, "m": 5, "v": 1}, {"d": 6, "m": 13, "v": 2}),
                    planted=(error.expression.subs(x, 2 * v) / prf_mse_iid.expression).subs({x: v, y: v / 2}),
                    printed=(error.expression / prf_mse_iid.expression).subs({x: v, y: v / 2}),
                )
                for ratio, error in ((prf_ratio_orf, prf_mse_orf), (prf_ratio_simrf, prf_mse_simrf))
            ),
        ),
    ),
    Claim(
        "simplex.cor3.3",
        f"{PAPER}, Corollary 3.3",
        r"$\mathrm{MSE}(\hat K_{\mathrm{SimRF}})<\mathrm{MSE}(\hat K_{\mathrm{ORF}})$, strictly",
        "positive features, arbitrary d",
        (
            EqualSides(
                "x = -y (v = 0), d = m = 2: both errors are the same",
                prf_mse_simrf.expression,
                prf_mse_orf.expression,
                {d: 2, m: 2, v: 0, x: 1, y: 1},
                {d: 2, m: 2, v: 1, x: 1, y: 1},
            ),
            EqualSides(
                "m = 1, v = 1: one projection knows no coupling, both errors are the same",
                prf_mse_simrf.expression,
                prf_mse_orf.expression,
                {d: 2, m: 1, v: 1, x: 1, y: 1},
                {d: 2, m: 2, v: 1, x: 1, y: 1},
            ),
        ),
        Decision.FAILS,
        differs="equal, not lower, for v = 0 and for m = 1; no simplex exists for d = 1. Strict for v > 0, m >= 2, d >= 2",
        correction="simplex.cor3.3.corrected",
    ),
    Claim(
        "simplex.cor3.3.corrected",
        "corrects Corollary 3.3",
        r"$\mathrm{MSE}(\hat K_{\mathrm{SimRF}})<\mathrm{MSE}(\hat K_{\mathrm{ORF}})$",
        "positive features, d >= 2, m >= 2, v > 0",
        (
            Derived("simplex.cor3.3"),
            Ordered(
                "rho_SimRF < rho_ORF",
                lambda n, v: conformity_ball("simplex", n, v),
                lambda n, v: conformity_ball("orthogonal", n, v),
                (2, 3, 4, 7, 16),
                "1/8",
                "8",
            ),
            SampledOrder(
                "simplex below orthogonal, d = 8, v = 0.7",
                pair_product_difference("simplex", "orthogonal", 8, "0.7"),
                3 * MILLION,
            ),
        ),
    ),
)

CONFORMITIES = (
    Claim(
        "simplex.lem4.1",
        f"{PAPER}, Lemma 4.1, eqs (18), (19)",
        r"$p_{\mathrm{i.i.d.}}(w_{ij})=\frac{w_{ij}^{d-1}e^{-w_{ij}^2/4}}{2^{d-1}\Gamma(\frac d2)}$ and $\rho_{\mathrm{IIDRF}}=e^{v^2}$",
        "w_i, w_j independent N(0, I_d)",
        (
            Derived("simplex.lem4.1"),
            SameValue(
                iid_conformity,
                ({"d": 1, "v": 0}, {"d": 1, "v": "1/2"}, *CORNERS[1:], {"d": 64, "v": 10}),
                planted=exp(v**2 / 2),
            ),
            SampledMean(
                "E |w_1 + w_2|^2, iid, d = 5",
                squared_resultant("iid", 5),
                squared_resultant_law("iid", 5),
                times(1.02),
                2**18,
            ),
            _conformity_sample("iid", 3, "0.5"),
        ),
    ),
    Claim(
        "simplex.lem4.2",
        f"{PAPER}, Lemma 4.2, eq. (20)",
        r"$p_\theta(w)=\frac{w^{2d-1}}{2^{d-2}\Gamma(\frac d2)^2}\int_0^{\pi/2}d\phi\,(\sin\phi\cos\phi)^{d-1}"
        r"\frac{e^{-w^2/(2(1+\sin2\phi\cos\theta))}}{(1+\sin2\phi\cos\theta)^d}$",
        "marginally Gaussian pair at the fixed angle theta, d >= 2",
        (
            Derived("simplex.lem4.2"),
            SameValue(
                orf_pair_density,
                ({"d": 2, "w": "1/2"}, {"d": 3, "w": 2}, {"d": 64, "w": 11}),
                planted=iid_pair_density.expression,
                printed=angle_pair_density.expression.subs(c, 0),
            ),
            _conformity_sample("simplex", 3, "0.5"),
        ),
    ),
    Claim(
        "simplex.lem4.2/(56)",
        f"{PAPER}, proof of Lemma 4.2, first line of eq. (56)",
        r"$p(w)=\int_0^{\pi/2}d\phi\,\frac{w}{\sqrt{1+\sin2\phi\cos\theta}}\,p_\chi\bigl(\frac{w\cos\phi}{\sqrt{1+\sin2\phi\cos\theta}}\bigr)"
        r"p_\chi\bigl(\frac{w\sin\phi}{1+\sin2\phi\cos\theta}\bigr)$",
        "as Lemma 4.2",
        (FailingStep("simplex.lem4.2", "simplex.lem4.2/(56) first line"),),
        Decision.FAILS,
        differs="the first denominator must be 1 + sin(2 phi) cos(theta) and the last one its square root; the second line is right",
        correction="simplex.lem4.2",
    ),
    Claim(
        "simplex.s4.chi2d",
        f"{PAPER}, Sec. 4, eqs (57), (58)",
        r"for orthogonal vectors $p(w)=\frac{w^{2d-1}e^{-w^2/2}}{2^{d-1}\Gamma(d)}$, the $\chi_{2d}$ density",
        "theta = pi/2, d >= 2",
        (
            Derived("simplex.s4.chi2d"),
            SampledMean(
                "E |w_1 + w_2|^2, orthogonal, d = 5",
                squared_resultant("orthogonal", 5),
                squared_resultant_law("orthogonal", 5),
                times(1.02),
                2**18,
            ),
        ),
    ),
    Claim(
        "simplex.eq21",
        f"{PAPER}, eq. (21)",
        r"$\rho_\theta=\frac1{2^{d-1}\Gamma(\frac d2)}\int_0^\pi d\phi\,(\sin\phi)^{d-1}\sum_{k\ge0}"
        r"\frac{v^{2k}(1+\sin\phi\cos\theta)^k}{2^kk!\,\Gamma(k+\frac d2)}\Gamma(k+d)$",
        "pair at the fixed angle theta, d >= 2",
        (
            Derived("simplex.eq21"),
            SameValue(
                angle_conformity,
                (
                    *_with(CORNERS, c="-1/2"),
                    {"d": 2, "v": "5/2", "c": -1},
                    {"d": 6, "v": "5/2", "c": "1/3"},
                    {"d": 7, "v": 2, "c": 1},
                    {"d": 64, "v": 10, "c": "-1/63"},
                ),
                planted=angle_conformity.expression.subs(c, -c),
            ),
        ),
    ),
    Claim(
        "simplex.eq22",
        f"{PAPER}, eq. (22)",
        r"every term of (21) is proportional to $\int_0^\pi d\phi\,(\sin\phi)^{d-1}(1+\sin\phi\cos\theta)^k$, which is strictly smaller for "
        r"$\cos\theta<0$ than for $\cos\theta=0$",
        "each k in the sum of (21)",
        (
            EqualSides(
                "k = 0: the two integrals are the same",
                Integral(sin(phi) ** (d - 1) * (1 - sin(phi) / (d - 1)) ** k, (phi, 0, pi)),
                Integral(sin(phi) ** (d - 1), (phi, 0, pi)),
                {d: 2, k: 0},
                {d: 2, k: 1},
            ),
        ),
        Decision.FAILS,
        differs="equal at k = 0; strictly smaller for every k >= 1, which suffices for the conclusion when v > 0",
        correction="simplex.cor3.3.corrected",
    ),
    Claim(
        "simplex.thm4.3",
        f"{PAPER}, Theorem 4.3, eqs (23), (24)",
        r"$\rho_{\mathrm{ORF}}=\frac{\Gamma(\frac d2)}{\Gamma(d)}\sum_k\frac{v^{2k}}{2^kk!}\frac{\Gamma(k+d)}{\Gamma(k+\frac d2)}$, "
        r"$\rho_{\mathrm{SimRF}}=\frac{\sqrt\pi}{\Gamma(\frac d2)2^{d-1}}\sum_k\frac{\Gamma(k+d)}{\Gamma(k+\frac d2)}\frac{v^{2k}}{2^k}"
        r"\sum_{p=0}^k\bigl(-\frac1{d-1}\bigr)^p\frac{\Gamma(\frac{d+p}2)}{\Gamma(\frac{d+p+1}2)}\frac1{(k-p)!\,p!}$",
        "positive features, d >= 2",
        (
            Derived("simplex.thm4.3"),
            SameValue(
                orf_conformity,
                (*CORNERS, {"d": 513, "v": 10}, *LARGE),
                planted=orf_conformity.expression.subs(v, 2 * v),
            ),
            SameValue(
                simrf_conformity,
                (*CORNERS, {"d": 2, "v": "17/10"}, {"d": 7, "v": "5/2"}, {"d": 64, "v": 10}),
                planted=orf_conformity.expression,
            ),
            _conformity_sample("orthogonal", 64, "0.5"),
            _conformity_sample("simplex", 64, "0.5"),
            _conformity_sample("orthogonal", 2, "0.5"),
            _conformity_sample("simplex", 2, "0.5"),
        ),
    ),
)

GAPS = (
    Claim(
        "simplex.cor4.4",
        f"{PAPER}, Corollary 4.4, eq. (25)",
        r"$\Delta\mathrm{MSE}=e^{-2x^2-2y^2}\frac{m-1}m\bigl(e^{v^2}-\frac{\Gamma(d/2)}{\Gamma(d)}\sum_k\frac{v^{2k}}{k!}"
        r"\frac{\Gamma(k+d)}{\Gamma(k+d/2)}\bigr)$, positive everywhere",
        "positive features, m <= d",
        (
            SameValue(
                prf_gap,
                ({"d": 2, "m": 2, "v": 1, "x": "1/2", "y": "1/2"},),
                planted=2 * prf_gap.expression,
                printed=PRINTED_GAP,
            ),
            FailingStep("simplex.cor4.4", "simplex.cor4.4/(25)"),
            FailingStep("simplex.cor4.4", "simplex.cor4.4/positive everywhere"),
        ),
        Decision.FAILS,
        differs="2^k is missing under v^(2k): as printed the gap is negative for every v > 0 and m >= 2. The true gap is zero at v = 0 and at m = 1",
        correction="simplex.cor4.4.corrected",
    ),
    Claim(
        "simplex.cor4.4/(70)",
        f"{PAPER}, proof of Corollary 4.4, eq. (70)",
        r"$1-\frac dd\cdot\frac{d+1}{d+2}\cdots\frac{d+k-1}{d+2(k-1)}>0$",
        "every k >= 0",
        (FailingStep("simplex.cor4.4", "simplex.cor4.4/(70)"),),
        Decision.FAILS,
        differs="the bracket is 0 at k = 0 and k = 1, and positive from k = 2 on",
        correction="simplex.cor4.4.corrected",
    ),
    Claim(
        "simplex.cor4.4.corrected",
        "corrects Corollary 4.4",
        r"$\Delta\mathrm{MSE}=e^{-2x^2-2y^2}\frac{m-1}m\bigl(e^{v^2}-\frac{\Gamma(d/2)}{\Gamma(d)}\sum_k\frac{v^{2k}}{2^kk!}"
        r"\frac{\Gamma(k+d)}{\Gamma(k+d/2)}\bigr)\ge0$, zero only for $v=0$ or $m=1$",
        "positive features, m <= d, d >= 2",
        (
            Derived("simplex.cor4.4"),
            SameValue(
                prf_gap,
                (
                    {"d": 2, "m": 2, "v": 0, "x": 1, "y": 1},
                    {"d": 6, "m": 6, "v": "3/2", "x": 1, "y": 1},
                    {"d": 64, "m": 64, "v": "1e-8", "x": 1, "y": 1},
                    {"d": 7, "m": 5, "v": 10, "x": 5, "y": 5},
                ),
                planted=PRINTED_GAP,
            ),
            Ordered(
                "0 < rho_IIDRF - rho_ORF",
                lambda n, v: arb(0) * v,
                conformity_gap_ball,
                (2, 3, 8, 64, 4096),
                "1e-8",
                "100",
            ),
            SampledOrder(
                "orthogonal below iid, d = 4, v = 0.7",
                pair_product_difference("orthogonal", "iid", 4, "0.7"),
                4 * MILLION,
            ),
        ),
    ),
    Claim(
        "simplex.thm4.5",
        f"{PAPER}, Theorem 4.5, eq. (26)",
        r"$\Delta\mathrm{MSE}=\frac{m-1}m\bigl(e^{-z^2}-\frac{\Gamma(d/2)}{\Gamma(d)}\sum_k\frac{(-z^2)^k}{2^kk!}\frac{\Gamma(k+d)}{\Gamma(k+d/2)}\bigr)$",
        "trigonometric features, m <= d, d >= 2",
        (
            Derived("simplex.thm4.5"),
            SameValue(
                trig_gap,
                (
                    {"d": 2, "m": 2, "z": 0},
                    {"d": 6, "m": 6, "z": "3/2"},
                    {"d": 64, "m": 13, "z": "1e-8"},
                    {"d": 7, "m": 7, "z": 20},
                    {"d": 4096, "m": 64, "z": 100},
                ),
                planted=(m - 1) / m * (exp(-(z**2)) - trig_pair_orf.expression.subs(z, 2 * z)),
            ),
            SameValue(
                trig_mse_orf,
                ({"d": 6, "m": 6, "z": "3/2"}, {"d": 6, "m": 13, "z": "1/2"}),
                planted=2 * trig_mse_orf.expression,
            ),
            SampledMean(
                "E cos(w_1.z) cos(w_2.z), orthogonal, d = 4, z = 1",
                pair_product("orthogonal", 4, "1", "trigonometric"),
                pair_product_law("orthogonal", 4, "1", "trigonometric"),
                other(pair_product_law("iid", 4, "1", "trigonometric")),
                MILLION,
            ),
            _error_sample("trigonometric", "iid", 8, 8, "1"),
            _error_sample("trigonometric", "orthogonal", 8, 8, "1"),
        ),
    ),
)

SMALL_V = (
    Claim(
        "simplex.s5.smallv",
        f"{PAPER}, Sec. 5.1, denominator read as Gamma(d/2) Gamma(d/2+1)^2 2^d, m = d",
        r"up to the factor $e^{-2x^2-2y^2}/m$: $\mathrm{MSE}_{\mathrm{IIDRF,ORF}}=v^2+O(v^4)$, "
        r"$\mathrm{MSE}_{\mathrm{SimRF}}=v^2\bigl(1-\frac{\sqrt\pi\,\Gamma(d+1)\Gamma(\frac d2+\frac12)}{\Gamma(\frac d2)\Gamma(\frac d2+1)^22^d}\bigr)+O(v^4)$",
        "m = d >= 2, small v",
        (
            Derived("simplex.s5.smallv"),
            SameValue(
                prf_small_v_simrf,
                ({"d": 2, "m": 2}, {"d": 3, "m": 3}, {"d": 64, "m": 64}, {"d": 4095, "m": 4095}),
                planted=PRINTED_SMALL_V["a"],
                printed=PRINTED_SMALL_V["b"],
            ),
        ),
    ),
    Claim(
        "simplex.s5.smallv/a",
        f"{PAPER}, Sec. 5.1, denominator read as Gamma(d/2) Gamma(d/2+1) 2^(2d)",
        r"$\mathrm{MSE}_{\mathrm{SimRF}}=v^2\bigl(1-\frac{\sqrt\pi\,\Gamma(d+1)\Gamma(\frac d2+\frac12)}{\Gamma(\frac d2)\Gamma(\frac d2+1)2^{2d}}\bigr)+O(v^4)$",
        "m = d >= 2, small v",
        (
            SameValue(
                prf_small_v_simrf,
                ({"d": 64, "m": 64},),
                planted=2 * prf_small_v_simrf.expression,
                printed=PRINTED_SMALL_V["a"],
            ),
        ),
        Decision.FAILS,
        differs="the fraction is off by the factor Gamma(d/2+1)/2^d: at d = 64 the prefactor would be -1.4e16; the reading Gamma(d/2+1)^2 2^d is the true one",
        correction="simplex.s5.smallv",
    ),
    Claim(
        "simplex.s5.smallv/c",
        f"{PAPER}, Sec. 5.1, denominator read as Gamma(d/2) Gamma(d/2+1) 2^2 d",
        r"$\mathrm{MSE}_{\mathrm{SimRF}}=v^2\bigl(1-\frac{\sqrt\pi\,\Gamma(d+1)\Gamma(\frac d2+\frac12)}{\Gamma(\frac d2)\Gamma(\frac d2+1)2^2d}\bigr)+O(v^4)$",
        "m = d >= 2, small v",
        (
            SameValue(
                prf_small_v_simrf,
                ({"d": 3, "m": 3},),
                planted=2 * prf_small_v_simrf.expression,
                printed=PRINTED_SMALL_V["c"],
            ),
        ),
        Decision.FAILS,
        differs="not the coefficient at d = 3; the reading Gamma(d/2+1)^2 2^d is the true one",
        correction="simplex.s5.smallv",
    ),
    Claim(
        "simplex.s5.smallv/any-m",
        f"{PAPER}, Sec. 5.1, taken for any number of features",
        r"$\mathrm{MSE}_{\mathrm{SimRF}}=v^2\bigl(1-\frac{\sqrt\pi\,\Gamma(d+1)\Gamma(\frac d2+\frac12)}{\Gamma(\frac d2)\Gamma(\frac d2+1)^22^d}\bigr)+O(v^4)$",
        "any m <= d (the text states no m)",
        (
            SameValue(
                prf_small_v_simrf,
                ({"d": 3, "m": 2},),
                planted=2 * prf_small_v_simrf.expression,
                printed=PRINTED_SMALL_V["b"],
            ),
        ),
        Decision.FAILS,
        differs="the subtracted fraction carries (m - 1)/(d - 1), so the prefactor is as printed only for m = d",
        correction="simplex.s5.smallv",
    ),
    Claim(
        "simplex.s5.prefactor",
        f"{PAPER}, Sec. 5.1",
        r"at $d=64$ the SimRF $v^2$ prefactor evaluates to 0.0078",
        "d = m = 64",
        (PrintedDigits(prf_small_v_simrf, {"d": 64, "m": 64}, "0.0078", planted=PRINTED_SMALL_V["a"]),),
    ),
)

CLAIMS: tuple[Claim, ...] = (*DEFINITION, *MEAN_SQUARED_ERROR, *CONFORMITIES, *GAPS, *SMALL_V)
