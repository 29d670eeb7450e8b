"""Section 2 of the walk-through: the transform of the Gaussian kernel, Bochner's theorem, the features."""

from __future__ import annotations

import sympy
from sympy import I, cos, exp, log, pi, sin, sqrt

from rftheory.author import decreasing, equal, formula, gaussian, iid, mean, trigonometric, variance, z
from rftheory.exact.fourier import k1, k2, pair_variance
from rftheory.exact.proof.rules import Rewrite
from rftheory.exact.spectral import matern_density, product_cauchy_density
from rftheory.exact.symbols import d, m, w
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.rahimi_recht.statements.dual import POST
from rftheory.papers.rahimi_recht.statistics import features_are
from rftheory.papers.steps import proved_step, refuted_step
from rftheory.statement.evidence import (Derived, FailingStep, Identity, ProvedStep, SameValue, Shown,
    Textbook)  # fmt: skip
from rftheory.statement.words import Side

_w, _x, _y = sympy.symbols("w x y", real=True)
_bell = exp(-(_w**2) / 2)
_transform = sqrt(2 * pi) * _bell
_pairs = ({"w": 2, "x": 1, "y": 1}, {"w": "1/7", "x": "1/3", "y": -2}, {"w": 5, "x": 0, "y": 3})

GAUSSIAN = (
    proved_step("rff.eq8/l1", f"{POST}, eq. (8), (l1) with the factor of (l2)", "rff.eq8",
        "rff.eq8/axis",
        statement=r"$p(w)=\frac1{(2\pi)^d}\int k(z)e^{-\mathsf jw^Tz}dz$ is the transform whose inverse (9) has no factor",
        conditions="Gaussian kernel, one coordinate"),
    refuted_step("rff.eq8/l2", f"{POST}, eq. (8), (l2)", "rff.eq8",
        "rff.eq8/l2",
        statement=r"$p(w)=\frac1{(2\pi)^d}\int e^{-\lVert x-y\rVert^2/2}e^{-\mathsf jw^T(x-y)}\,dx\,dy$",
        conditions="the integral over x and y, as printed",
        differs="the integral over both x and y diverges: over a box of side 2 R it grows with R. It is meant over "
        "the difference z = x - y alone, as in (l3)",
        correction="rff.eq8/l3",
        prints=r"\frac{1}{(2\pi)^d} \int_{R^d} e^{- \frac{||x-y||_2^2}{2}} e^{-j w^T (x-y)} dx dy",
        fault=Fault("slip", 1, "none: the next line integrates over z = x - y alone")),
    proved_step("rff.eq8/l3", f"{POST}, eq. (8), (l3) and (l4)", "rff.eq8",
        "rff.eq8/axis", "rff.eq8-density/mass", "rff.eq8/l3-l4",
        statement=r"$p(w)=\frac1{(2\pi)^d}\int e^{-\lVert z\rVert^2/2}e^{-\mathsf jw^Tz}dz=(2\pi)^{-d/2}e^{-\lVert w\rVert^2/2}$",
        conditions="every d",
        prints=r"\frac{1}{(2\pi)^d} \int_{R^d} e^{- \frac{||z||_2^2}{2}} e^{-j w^T z } dz \\ &=& "
        r"(2\pi)^{-d/2}e^{-\frac{||w||_2^2}{2}}"),
    proved_step("rff.eq8-density", f"{POST}, after eq. (8)", "rff.eq8",
        "rff.eq8-density/mass",
        statement=r"$p(w)$ is the density of $\mathcal N(0,I_d)$",
        conditions="every d",
        prints=r"Observe that \(p(w)\) also happens to be a probability distribution of the form \(\mathcal{N}(0, "
        r"I_d)\)"),
    proved_step("rff.ft-deriv/l1", f"{POST}, derivation of eq. (8)", "rff.ft-ode",
        "rff.ft-deriv/product",
        statement=r"$\mathcal F(f'(x))=\mathsf jw\,\mathcal F(f(x))$",
        conditions="f absolutely continuous, f and f' integrable",
        also=(Textbook("the fundamental theorem of calculus", "f e^(-jwx), absolutely continuous with integrable derivative, whose ends vanish"),),
        prints=r"\mathcal{F}(f'(x)) = jw\mathcal{F}(f(x))"),
    stated("rff.ft-deriv/jumps", f"{POST}, derivation of eq. (8), no condition on f: |j w F(f)| for f = 1 on [-1, "
        "1], 0 elsewhere, f' = 0 almost everywhere",
        equal(sympy.Abs(2 * sin(_w)), 0), expected=Decision.FAILS,
        differs="a jump adds a term: f = 1 on [-1, 1] has f' = 0 almost everywhere, while |w F(f)| = 2 |sin w|. "
        "Who writes f' may take for granted that f is absolutely continuous with f and f' integrable",
        correction="rff.ft-deriv/l1",
        prints=r"Using the identities, $$ \mathcal{F}(f'(x)) = jw\mathcal{F}(f(x)) $$",
        fault=Fault("reading", 1, "none: the rule is used for e^(-|z|^2/2) only")),
    proved_step("rff.ft-deriv/l2", f"{POST}, derivation of eq. (8)", "rff.ft-ode",
        "rff.ft-deriv/moment",
        statement=r"$\mathcal F(xf(x))=\mathsf j\,\mathcal F'(f(x))$",
        conditions="f and x f integrable",
        also=(Textbook("dominated convergence", "the derivative under the integral, dominated by |x f|"),),
        prints=r"\mathcal{F}(x f(x)) = j \mathcal{F}'(f(x))"),
    proved_step("rff.ft-ode/l1", f"{POST}, derivation of eq. (8)", "rff.ft-ode",
        "rff.ft-deriv/parts",
        statement=r"$\mathcal F(f'(z))=\mathsf jw\mathcal F(f(z))$",
        conditions=r"$f(z)=e^{-z^2/2}$, one coordinate at a time (the transform in $\mathbb R^d$ is the product); $\mathcal F(f)(w)=\int f(x)e^{-\mathsf jwx}dx$",
        prints=r"\mathcal{F}(f'(z)) &=& jw \mathcal{F}(f(z))"),
    stated("rff.ft-ode/l2", f"{POST}, derivation of eq. (8), one coordinate: f' = -z f, under the transform",
        equal(sympy.Derivative(exp(-(_x**2) / 2), _x), -_x * exp(-(_x**2) / 2)), also=(ProvedStep("rff.ft-ode", "rff.ft-deriv/parts"),),
        prints=r"\mathcal{F}(-z f(z)) &=& jw \mathcal{F}(f(z))"),
    stated("rff.ft-ode/l3", f"{POST}, derivation of eq. (8), one coordinate",
        equal(-I * sympy.Derivative(_transform, _w), I * _w * _transform), also=(ProvedStep("rff.ft-ode", "rff.ft-deriv/moment"),),
        prints=r"-j \mathcal{F}'(f(z)) &=& jw \mathcal{F}(f(z))"),
    stated("rff.ft-ode/l4", f"{POST}, derivation of eq. (8), one coordinate",
        equal(sympy.Derivative(_transform, _w), -_w * _transform),
        prints=r"\mathcal{F}'(f(z)) &=& - w \mathcal{F}(f(z))"),
    stated("rff.ft-ode/l5", f"{POST}, derivation of eq. (8), one coordinate",
        equal(sympy.Derivative(_transform, _w) / _transform, -_w),
        prints=r"\frac{\mathcal{F}'(f(z))}{\mathcal{F}(f(z))} &=& -w"),
    stated("rff.ft-ode/l6", f"{POST}, derivation of eq. (8), one coordinate, from 0 to w",
        equal(log(_transform) - log(_transform.subs(_w, 0)), -(_w**2) / 2),
        prints=r"\int \frac{\mathcal{F}'(f(z))}{\mathcal{F}(f(z))} &=& - \int w dw"),
    stated("rff.ft-ode/l7", f"{POST}, derivation of eq. (8), one coordinate",
        equal(log(_transform), -(_w**2) / 2 + log(2 * pi) / 2),
        prints=r"\ln(\mathcal{F}(f(z))) &=& - \frac{||w||_2^2}{2} + C"),
    stated("rff.ft-ode/l8", f"{POST}, derivation of eq. (8), one coordinate, C = log(2 pi)/2; the sine part of the transform is odd",
        equal(sympy.Integral(exp(-(_x**2) / 2) * cos(_w * _x), (_x, -sympy.oo, sympy.oo)), _bell * exp(log(2 * pi) / 2)),
        prints=r"\mathcal{F}(f(z)) &=& e^{-\frac{||w||_2^2}{2}}e^C"),
    proved_step("rff.const-C/integral", f"{POST}, derivation of eq. (8)", "rff.eq8",
        "rff.eq8-density/mass", ProvedStep("rff.ft-ode", "rff.const-C/corrected"),
        statement=r"$\int_{\mathbb R^d}e^{-\lVert z\rVert^2/2}dz=(2\pi)^{d/2}$",
        conditions="every d",
        prints=r"\int_{R^d} e^{-||z||^2/2} dz = (2\pi)^{d/2}"),
    stated("rff.const-C/C", f"{POST}, derivation of eq. (8), C of (l7), (l8)",
        equal(d * log(2 * pi) / 2, (2 * pi) ** (d / 2)), expected=Decision.FAILS,
        also=(FailingStep("rff.ft-ode", "rff.const-C/C"),),
        differs="the line before has the factor e^C, so that it is e^C that equals F(f)(0) = (2 pi)^(d/2), and C = "
        "(d/2) log(2 pi), 0.919 and not 2.507 for d = 1; nor is it p(0), which is (2 pi)^(-d/2)",
        correction="rff.const-C/C.corrected",
        prints=r"Solving for $$C$$, by putting $$w=0$$, $$p(0) = C = \int_{R^d} e^{-||z||^2/2} dz = (2\pi)^{d/2} "
        r"$$",
        fault=Fault("slip", 1, "none: (8) has the right factor (2 pi)^(-d/2)")),
    stated("rff.const-C/C.corrected", "corrects the constant of the derivation of eq. (8)",
        equal(exp(d * log(2 * pi) / 2), (2 * pi) ** (d / 2)), also=(ProvedStep("rff.ft-ode", "rff.const-C/corrected"),)),
    stated("rff.const-C/p(0)", f"{POST}, derivation of eq. (8), p of eq. (8)",
        formula("gaussian_density", w=0) == (2 * pi) ** (d / 2), expected=Decision.FAILS,
        also=(FailingStep("rff.ft-ode", "rff.const-C/p(0)"),),
        differs="p has the factor (2 pi)^(-d) of (8), so that p(0) = (2 pi)^(-d/2), 0.399 and not 2.507 for d = 1; "
        "(2 pi)^(d/2) is F(f)(0)",
        correction="rff.const-C/p(0).corrected",
        prints=r"Solving for $$C$$, by putting $$w=0$$, $$p(0) = C = \int_{R^d} e^{-||z||^2/2} dz = (2\pi)^{d/2} "
        r"$$",
        fault=Fault("slip", 1, "none: (8) has the right factor (2 pi)^(-d/2)", told_by="rff.const-C/C")),
    stated("rff.const-C/p(0).corrected", "corrects the constant of the derivation of eq. (8)",
        formula("gaussian_density", w=0) == (2 * pi) ** (-d / 2),
        also=(ProvedStep("rff.ft-ode", "rff.const-C/corrected p(0)"),)))  # fmt: skip


BOCHNER = (
    Claim("rff.bochner",
        f"{POST}, Bochner's Theorem; kernel: inner product of feature vectors; probability distribution: a measure",
        r"the Fourier transform of a normalised, shift-invariant kernel is a probability measure",
        "continuous kernels that are inner products of feature vectors, k(0) = 1",
        (Textbook("Bochner's theorem", "a continuous positive definite function with value 1 at 0"),
            SameValue(matern_density, ({"d": 1, "nu": "1/2", "w": 1}, {"d": 3, "nu": "3/2", "w": 2}),
                planted=2 * matern_density.expression),
            SameValue(product_cauchy_density, ({"w": "1/3"}, {"w": 5}), planted=exp(-w))),
        prints=r"the Fourier Transform of a normalized, shift invariant kernel (\(k(x, y) = k(x-y)\)) is a "
        r"probability distribution"),
    refuted_step("rff.bochner/any-function", f"{POST}, Bochner's Theorem; kernel: any function of x - y", "rff.bochner",
        "rff.bochner/(b)",
        statement=r"the Fourier transform of a function $k(x-y)$ with $k(0)=1$ is a probability distribution",
        conditions="any normalised function of x - y",
        differs="a function of x - y that is no inner product may have a transform with negative values: that of "
        "the indicator of [-1, 1] is sin(w)/(pi w), -0.0602 at w = 4",
        correction="rff.bochner",
        prints=r"states that the Fourier Transform of a normalized, shift invariant kernel (\(k(x, y) = k(x-y)\)) "
        r"is a probability distribution",
        fault=Fault("reading", 1, "none: the text introduces a kernel as an inner product of feature vectors")),
    stated("rff.bochner/density", f"{POST}, Bochner's Theorem; probability distribution: a density, so that k "
        "would tend to 0 (10^6 and 1/2 stand for any two bounds), for k = cos(Delta) = (cos x, sin x).(cos y, sin y)",
        cos(_x) <= sympy.Rational(1, 2), over=_x >= 10**6, expected=Decision.FAILS,
        differs="k(Delta) = cos(Delta) is an inner product, and its distribution has the mass 1/2 at w = 1 and at "
        "w = -1 and no density. A probability distribution is a measure here; it has a density where k is "
        "integrable",
        correction="rff.bochner",
        prints=r"is a probability distribution. Therefore, we can sample \(w\) vectors from \(p(w)\)",
        fault=Fault("ambiguous", 1,
            "none for the Gaussian kernel; for others p(w) dw in (9) is to be read as a " "probability measure")),
    stated("rff.bochner/discontinuous", f"{POST}, Bochner's Theorem; no continuity asked for",
        Side(sympy.Piecewise((1, sympy.Eq(_x, 0)), (0, True))) >= sympy.Rational(1, 2), over=(_x >= 0, _x <= sympy.Rational(1, 10**12)),
        statement=r"the transform of every positive definite $k(x-y)$ with $k(0)=1$ is a probability measure, so that k is near 1 close to 0",
        conditions="kernels that are inner products, continuous or not, such as 1 at 0 and 0 elsewhere, of orthonormal feature vectors "
        "(1/2 and 10^-12 stand for any two bounds)", expected=Decision.FAILS, finite=False,
        differs="the kernel that is 1 for x = y and else 0 is an inner product (of orthonormal feature vectors), "
        "but the transform of a probability measure is continuous. Continuity at 0 has to be assumed",
        correction="rff.bochner",
        prints=r"states that the Fourier Transform of a normalized, shift invariant kernel (\(k(x, y) = k(x-y)\)) "
        r"is a probability distribution",
        fault=Fault("missing condition", 1, "none: the kernels that are used are continuous")),
    proved_step("rff.eq9", f"{POST}, eq. (9)", "rff.eq8",
        "rff.eq8/axis", ProvedStep("rff.realeven", "rff.realeven/odd"),
        statement=r"$k(x-y)=\int p(w)e^{\mathsf jw^T(x-y)}dw=\mathbb E_w[e^{\mathsf jw^T(x-y)}]=\mathbb E_{w\sim p(w)}[\gamma_w(x)\gamma_w(y)^*]$",
        conditions="Gaussian kernel; in general with a probability measure in the place of p(w) dw",
        also=(Textbook("Bochner's theorem", "other continuous normalised kernels"),
            Identity("(l3), before the expectation", exp(I * _w * _x) * sympy.conjugate(exp(I * _w * _y)),
                exp(I * _w * (_x - _y)), _pairs, by=Rewrite())),
        prints=r"k(x-y) &=& \int_{R^d} p(w) e^{j w^T (x-y)} dw \\ &=& \mathbb{E}_w [e^{j w^T (x-y)}] \\ &=& "
        r"\mathbb{E}_{w \sim p(w)} [\gamma_w(x) \gamma_w(y)^*]"),
    proved_step("rff.gamma-w", f"{POST}, after eq. (9)", "rff.eq10",
        "rff.gamma-w/conjugate",
        statement=r"$\gamma_w(x)=e^{\mathsf jw^Tx}$, $\gamma_w(-x)=\gamma_w(x)^*$",
        conditions="real x, w",
        prints=r"\gamma_w(-x) = \gamma_w(x)^*"),
    stated("rff.realeven", f"{POST}, before eq. (10): for p even, the exponential over w and -w together",
        equal((exp(I * _w * _x) + exp(-I * _w * _x)) / 2, cos(_w * _x)),
        also=(ProvedStep("rff.realeven", "rff.realeven/odd"),),
        prints=r"both \(k\) and \(p(w)\) are real and even, therefore the complex part of the exponential can be "
        r"dropped"),
    stated("rff.realeven/complex",
        f"{POST}, before eq. (10), for every kernel of the form (9): k = e^(j Delta), of w = 1 surely, is real",
        equal(sympy.im(exp(I * _x)), 0), expected=Decision.FAILS,
        differs="a complex kernel of the form (9), such as e^(j Delta) for w = 1 surely, is neither real nor even; "
        "the text speaks of real kernels, whose p is symmetric",
        correction="rff.realeven",
        prints=r"Observe that both \(k\) and \(p(w)\) are real and even, therefore the complex part of the "
        r"exponential can be dropped",
        fault=Fault("reading", 1, "none: the kernels of the text are inner products of real feature vectors")),
    stated("rff.eq10", f"{POST}, eq. (10), under the expectation; real-valued kernels",
        equal(cos(_w * (_x - _y)), cos(_w * _x) * cos(_w * _y) + sin(_w * _x) * sin(_w * _y)), also=(ProvedStep("rff.eq10", "rff.eq10/real part"), ProvedStep("rff.eq10", "rff.unbiased/axis")),
        prints=r"\mathbb{E}_w [\cos(w^T x) \cos(w^T y) + \sin(w^T x) \sin(w^T y)]"))  # fmt: skip


def root(count: int) -> float:
    """The factor of the features."""
    return float(count**-0.5)


FEATURES = (
    proved_step("rff.eq11", f"{POST}, eq. (11)", "rff.eq11",
        "rff.eq11/product",
        statement=r"$\frac1D\sum_i\cos(w_i^Tx)\cos(w_i^Ty)+\sin(w_i^Tx)\sin(w_i^Ty)=z_w(x)^Tz_w(y)$, "
        r"$z_w(x)=\sqrt{\frac1D}[\cos(w_1^Tx),\sin(w_1^Tx),\dots]^T$",
        conditions="any D and d; the sampler at D = 5, d = 3, the origin included, up to rounding below 1e-12",
        also=(Shown("features and Gram matrix of the implementation against the dense formula", features_are, root,
                (("sqrt(2/D)", lambda count: (2 / count) ** 0.5), ("1/D", lambda count: 1 / count),
                    ("sign", lambda count: -(count**-0.5)))), Identity("one frequency", cos(_w * _x) * cos(_w * _y) + sin(_w * _x) * sin(_w * _y),
                cos(_w * _x - _w * _y), _pairs, by=Rewrite())),
        prints=r"\frac{1}{D} \sum_{i=1}^D \cos(w_i^T x) \cos(w_i^T y) + \sin(w_i^T x) \sin(w_i^T y)\\ &=& z_w(x)^T "
        r"z_w(y)"),
    stated("rff.unbiased", f"{POST}, after eq. (11); in signs the Gaussian kernel", mean(trigonometric(iid, m=m)) == gaussian,
        also=(ProvedStep("rff.eq10", "rff.unbiased/axis"), Derived("lemma.linearity"), ProvedStep("rff.eq10", "rff.eq10/real part")),
        statement=r"$\mathbb E[z_w(x)^Tz_w(y)]=k(x-y)$",
        conditions="every real-valued kernel of the form (10): a mean of terms of which each has the mean k(x - y)",
        prints="The RHS is thus an unbiased estimate of the kernel function"),
    stated("rff.var-decr", f"{POST}, after eq. (11); in signs the Gaussian kernel",
        decreasing(variance(trigonometric(iid, m=m)), m), over=(z > 0,),
        statement=r"the variance of $z_w(x)^Tz_w(y)$ is $\frac1D\mathrm{Var}\cos(w^T(x-y))$ and decreases in $D$",
        conditions="every real-valued kernel and pair of points where the cosine is not constant",
        also=(Derived("lemma.average"), Derived("lemma.independent"),
            SameValue(pair_variance, ({"m": 1, "k1": "1/2", "k2": "1/3"}, {"m": 64, "k1": "-1/2", "k2": "1/7"}),
                planted=pair_variance.expression / m, printed=((1 + k2) / 2 - k1**2) / m),
            ProvedStep("ss15.var", "ss15.var/double angle"), ProvedStep("ss15.var", "ss15.var/l1")),
        prints=r"the variance of the approximation can be decreased by increasing \(D\)"),
    stated("rff.var-decr/zero", f"{POST}, after eq. (11), for every pair of points",
        decreasing(variance(trigonometric(iid, m=m)), m), expected=Decision.FAILS,
        differs="at x = y, and wherever cos(w.Delta) is constant, the variance is 0 for every D; elsewhere it is "
        "V/D with V > 0, as the text says", correction="rff.var-decr",
        prints=r"the variance of the approximation can be decreased by increasing \(D\)",
        fault=Fault("reading", 1, "none: where the estimate is exact there is nothing to decrease")),
    proved_step("rff.primal", f"{POST}, after eq. (11)", "rff.eq7",
        "rff.eq7/push-through", "rff.eq7/invertible",
        statement=r"regularised least squares in the random features, in primal form, gives the predictions of the dual form with the kernel "
        r"$z_w(x)^Tz_w(y)$",
        conditions=r'$\lambda>0$; reading of "can be fitted with the primal formulation"',
        prints="we can thus fit linear models in the random feature subspace instead using the primal formulation"))  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*GAUSSIAN, *BOCHNER, *FEATURES)
