"""Definition 3.1, Theorem 3.2, Corollary 3.3: the conformity, the mean squared error, SimRFs against ORFs."""

from __future__ import annotations

import sympy
from flint import arb
from sympy import exp

from rftheory.author import conformity, formula, iid, mse, orthogonal, simplex
from rftheory.exact.positive import prf_mse_iid, prf_mse_orf, prf_mse_simrf
from rftheory.exact.proof.rules import Sign
from rftheory.exact.special import chi_moments
from rftheory.exact.symbols import d, m, v, x, y, z
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, instance, stated
from rftheory.papers.digits import DigitsError
from rftheory.papers.simplex.notation import (IIDRF, MILLION, ORF, PAPER, RFF_ORF, SIMRF, conformity_sample,
    error_sample, proof_steps)  # fmt: skip
from rftheory.papers.statistics import pair_product_difference
from rftheory.papers.steps import proved_step, refuted_step
from rftheory.spec import Coupling
from rftheory.statement.evidence import (Counterexample, Derived, Identity, SameValue, SampledOrder, Slow)  # fmt: skip
from rftheory.statement.words import Side


def _error(rows: Coupling) -> Side:
    """The right side of (11), at |x|^2 + |y|^2 = (v^2 + z^2)/2."""
    return (
        exp(-(v**2) - z**2) / m * ((exp(2 * v**2) - exp(v**2)) + (m - 1) * (conformity(rows, m) - exp(v**2)))
    )


_one, _two = sympy.symbols("a b", positive=True)
_first, _second = sympy.symbols("w_i w_j", nonnegative=True)


def _mirrored_second_moment(sign: int) -> arb:
    """E of a squared component of w_1 + w_2 for w_1 = r_1 (cos t, sin t), w_2 = r_2 (cos t, -sin t): E (r_1 + sign r_2)^2/2."""
    _, mean, square = chi_moments(2, 3)
    return square + sign * mean * mean


DEFINITION = (
    proved_step("simplex.def3.1", f"{PAPER}, Definition 3.1, eq. (10)", "simplex.thm3.2",
        "simplex.thm3.2/(33)", "simplex.thm3.2/(31)",
        statement=r"$\rho(\mathbf x,\mathbf y)=\frac{\Gamma(\frac d2)}{m(m-1)}\sum_{i,j\ne i}\mathbb E_{w_{ij}}\bigl(\sum_{k\ge0}"
        r"\frac{v^{2k}w_{ij}^{2k}}{2^{2k}k!\,\Gamma(k+\frac d2)}\bigr)$ is well defined: the series is the mean of "
        r"$e^{\mathbf w_{ij}\cdot\mathbf v}$ over directions, and finite for Gaussian marginals",
        conditions="m >= 2 random vectors; w_ij = |w_i + w_j|, v = |x + y|",
        also=(Derived("simplex.thm3.2"), Identity("finite: a b <= (a^2 + b^2)/2 with a = exp(w_i.v), b = exp(w_j.v), whose squares have the mean exp(2 v^2)",
                _one * _two, (_one**2 + _two**2) / 2, ({"a": 1, "b": 2}, {"a": "1/2", "b": "1/2"}, {"a": "1/3", "b": "1/100"}), "<=",
                by=Sign((_one - _two) ** 2 / 2)), conformity_sample("iid", 8, "0.5"), conformity_sample("orthogonal", 8, "0.5"), conformity_sample("simplex", 8, "0.5"))),
    stated("simplex.def3.1/m=1",
        f"{PAPER}, Definition 3.1 at the end of its stated domain: its prefactor divides by $m(m-1)$",
        m * (m - 1) > 0, over=m >= 1, expected=Decision.FAILS,
        differs="a single vector has no pairs: rho is 0/0, and (11) is read without its second term. From m = 2 on all is well",
        correction="simplex.def3.1",
        prints="Γ the Gamma-function and m the no. random vectors",
        fault=Fault("reading", 1, "none: one vector has no pairs, and (11) does not need them")))  # fmt: skip

MEAN_SQUARED_ERROR = (
    stated("simplex.thm3.2",
        f"{PAPER}, Theorem 3.2, eq. (11), for the mechanisms of the source; the derivation for every coupling",
        (mse(IIDRF) == _error(iid)) & (mse(ORF) == _error(orthogonal)) & (mse(SIMRF) == _error(simplex)),
        over=(d >= 2, m >= 2),
        also=(Derived("simplex.thm3.2"),
            SameValue(prf_mse_iid,
                ({"m": 1, "v": 0, "x": 0, "y": 0}, {"m": 5, "v": "3/2", "x": "3/4", "y": "5/4"},
                    {"m": 64, "v": "1e-8", "x": 1, "y": 1}),
                planted=exp(-(x**2) - y**2) / m * (exp(2 * v**2) - exp(v**2))),
            SameValue(prf_mse_orf,
                ({"d": 5, "m": 3, "v": "3/2", "x": "3/4", "y": "5/4"},
                    {"d": 5, "m": 13, "v": "1/2", "x": 1, "y": "3/4"}),
                planted=prf_mse_orf.expression.subs(m, m + 1)),
            SameValue(prf_mse_simrf,
                ({"d": 2, "m": 2, "v": 1, "x": 1, "y": 1}, {"d": 6, "m": 7, "v": "3/2", "x": "3/4", "y": "5/4"}),
                planted=prf_mse_orf.expression),
            error_sample("positive", "iid", 16, 16, "0.3"), error_sample("positive", "orthogonal", 16, 10, "0.3"),
            error_sample("positive", "simplex", 16, 16, "0.25"), error_sample("positive", "simplex", 16, 40, "0.3"),
            Slow(DigitsError("iid")), Slow(DigitsError("orthogonal")), Slow(DigitsError("simplex"))),
        prints="For PRFs, the MSE of the unbiased estimator"),
    refuted_step("simplex.thm3.2/isotropy", f"{PAPER}, proof of Theorem 3.2, before eq. (31)", "simplex.thm3.2",
        "simplex.thm3.2/(isotropy)",
        statement=r"for all couplings we consider, $\mathbf w_i$ and $\mathbf w_j$ are marginally isotropic and their resultant will also be marginally isotropic",
        conditions="read for all geometrical couplings of Definition 1.1 with Gaussian marginals, the class of Theorem 3.4",
        also=(Counterexample("d = 2, independent chi norms, directions mirrored at an axis: E of the squared components of w_1 + w_2",
                left=lambda: _mirrored_second_moment(1), right=lambda: _mirrored_second_moment(-1), violated="!=",
                correct=lambda: _mirrored_second_moment(1)),),
        differs="right of the couplings that the source constructs: the resultant is isotropic if the law of the pair is "
        "invariant under rotations, as it is for IIDRFs, ORFs, SimRFs and SimRFs+. Not every coupling of Definition 1.1 is: of "
        "two Gaussian vectors whose norms are independent and whose directions mirror each other at an axis the sum is longer "
        "along the axis than across it",
        correction="simplex.thm3.2",
        prints="For all couplings we consider, the random vectors wi and wj are marginally isotropic (a necessary "
        "condition to be marginally Gaussian) and their resultant wij will also be marginally isotropic ... Unless "
        "otherwise stated, all coupling mechanisms considered in this work will be geometrical",
        fault=Fault("ambiguous", 2,
            "Theorem 3.2 holds for every mechanism of the paper; in the class of Theorem 3.4 there are couplings "
            "that are not rotation invariant, for which the comparison holds in the mean over the directions of x "
            "+ y, and can fail in a single one (simplex.added.any-direction/attained)")),
    stated("simplex.cor3.3", f"{PAPER}, Corollary 3.3",
        mse(SIMRF) < mse(ORF), over=(d >= 2, m >= 2), draw=False, expected=Decision.FAILS,
        differs="for x = -y both estimates have the error 0: the term k = 0 of (22) does not depend on the angle. For v > 0 and at least two vectors it is strictly lower in every "
        "dimension d >= 2",
        correction="simplex.cor3.3.corrected",
        prints="For PRFs, the kernel estimator MSE obtained with SimRFs is strictly lower than with ORFs for "
        "arbitrary data dimensionality d",
        fault=Fault("missing condition", 1, "none: both errors agree only where no coupling can matter")),
    stated("simplex.cor3.3.corrected", "corrects Corollary 3.3", mse(SIMRF) < mse(ORF), over=(d >= 2, m >= 2, v > 0),
        also=(Derived("simplex.cor3.3"),
            Slow(SampledOrder("simplex below orthogonal, d = 8, v = 0.7",
                pair_product_difference("simplex", "orthogonal", 8, "0.7"), 3 * MILLION)))))  # fmt: skip

STEPS = (
    *proof_steps("simplex.thm3.2", "App. A.1", "positive features, each vector N(0, I); from (31) on the resultants are isotropic",
        ("(28)", r"$\hat K=\phi(\mathbf x)^\top\phi(\mathbf y)=\frac{e^{-x^2-y^2}}m\sum_{i=1}^me^{\mathbf w_i^\top(\mathbf x+\mathbf y)}"
            r"=\frac{e^{-x^2-y^2}}m\sum_{i=1}^mb_i$"),
        ("(29)", r"$b_i\overset{\mathrm{def}}=e^{\mathbf w_i^\top\mathbf v}$ with $\mathbf v=\mathbf x+\mathbf y$; we find that $\mathbb E(b_i)=e^{v^2/2}$",
            "(29) mean"),
        ("(29) unbiased", r"this is an unbiased estimator of the Gaussian kernel $K(\mathbf x,\mathbf y)=\exp(-\frac{\lVert\mathbf x-\mathbf y\rVert_2^2}2)$ "
            r"when $\mathbf w_i$ are sampled from $\mathcal N(0,\mathbf I_d)$", "(29) mean", "(29) unbiased"),
        ("(30)", r"$\mathrm{MSE}(\hat K)=\frac{e^{-2x^2-2y^2}}m\Bigl[(e^{2v^2}-e^{v^2})+(m-1)\Bigl(\frac1{m(m-1)}\sum_i\sum_{i\ne j}"
            r"\mathbb E[b_ib_j]-e^{v^2}\Bigr)\Bigr]$", "second moment of b", "square of the sum", "(30)"),
        ("(31)", r"$\mathbb E[e^{\mathbf w_{ij}^\top\mathbf v}]=\Gamma(d/2)2^{\frac d2-1}\int_0^\infty dw_{ij}\,p(w_{ij})(iw_{ij}v)^{1-\frac d2}"
            r"J_{\frac d2-1}(iw_{ij}v)$, judged for each length of the resultant", "(33)", "(31)"),
        ("(32)", r"$J_\alpha(z)=\sum_{k=0}^\infty\frac{(-1)^k}{k!\,\Gamma(k+\alpha+1)}\bigl(\frac z2\bigr)^{2k+\alpha}$, judged where it is used"),
        ("(33)", r"$\mathbb E[b_ib_j]=\Gamma\bigl(\frac d2\bigr)\mathbb E_{w_{ij}}\Bigl(\sum_{k=0}^\infty\frac{v^{2k}w_{ij}^{2k}}"
            r"{2^{2k}k!\,\Gamma(k+\frac d2)}\Bigr)$, judged for each length of the resultant"),
        ("(34)", r"$\mathrm{MSE}(\hat K)=\frac{e^{-2x^2-2y^2}}m\bigl((e^{2v^2}-e^{v^2})+(m-1)(\rho(\mathbf x,\mathbf y)-e^{v^2})\bigr)$",
            "(33)", "second moment of b", "square of the sum", "(34)"),
        ("footnote 5", r"given the purely imaginary argument, the function $I_\alpha(x)=i^{-\alpha}J_\alpha(ix)$ is referred to as the modified Bessel function")),
    stated("simplex.thm3.2/(34) reference", f"{PAPER}, proof of Theorem 3.2, text before eq. (34): the brackets of (74) and of (30)",
        mse(RFF_ORF) == exp(v**2 + z**2) * mse(ORF), over=(d >= 2, m >= 2), draw=False, expected=Decision.FAILS,
        statement="(34) follows by inserting (33) into Eq. 74", conditions="as printed",
        differs="(74) is the formula of trigonometric features; the equation that (33) is inserted into is (30)",
        correction="simplex.thm3.2/(34)",
        prints="Inserting this into Eq. 74, this immediately yields the important result",
        fault=Fault("slip", 1, "none: (34) follows from (30)")),
    proved_step("simplex.def3.1/directions", f"{PAPER}, Definition 3.1, in text", "simplex.added.angle",
        statement=r"$\rho$ depends on correlations induced between random vector directions; it is bigger when random vectors point in similar directions",
        conditions="pairs at a fixed angle, independent chi_d norms, v > 0: strictly increasing in the cosine",
        also=(instance(formula("angle_conformity", c=-sympy.S.Half) < formula("angle_conformity", c=sympy.S.Half),
            (d >= 2, d <= 5, v >= sympy.S.Half / 2, v <= 3)),)),
    proved_step("simplex.s3.increasing", f"{PAPER}, Sec. 3.1 after eq. (11), App. A.1 end", "simplex.s3.increasing",
        "simplex.s3.increasing/MSE", "simplex.s3.increasing/term", "simplex.s3.increasing/resultant",
        statement=r"the MSE is an increasing function of the RF-conformity; mechanisms that reduce the $w_{ij}$ suppress $\rho(\mathbf x,\mathbf y)$",
        conditions="m >= 2 and v > 0",
        also=(Derived("simplex.s3.increasing"),)),
    stated("simplex.s3.increasing/m=1", f"{PAPER}, Sec. 3.1 after eq. (11), for every m: SimRFs against ORFs",
        mse(SIMRF) < mse(ORF), over=(d >= 2, v > 0), draw=False, expected=Decision.FAILS,
        differs="its slope is (m-1)/m exp(-2|x|^2 - 2|y|^2): positive from m = 2 on, and 0 for a single vector, which has no "
        "conformity",
        correction="simplex.s3.increasing",
        prints="the MSE is an increasing function of the RF-conformity",
        fault=Fault("reading", 1, "none: a single vector has no conformity")),
    proved_step("simplex.s3.wij-smaller", f"{PAPER}, Sec. 3.1",
        "simplex.s3.increasing", "simplex.s3.increasing/resultant", "simplex.s3.increasing/term"),
    stated("simplex.s3.wij-smaller/zero", f"{PAPER}, Sec. 3.1, for any norms",
        _first**2 + _second**2 - 2 * _first * _second / (d - 1) < _first**2 + _second**2, over=d >= 2, expected=Decision.FAILS,
        differs="with a norm 0 both resultants are the other vector; for positive norms that of SimRFs is strictly shorter",
        correction="simplex.s3.wij-smaller",
        prints="For any wi, wj, SimRFs give strictly smaller values of wij than ORFs because the random vectors "
        "subtend a bigger angle",
        fault=Fault("reading", 1, "none: a chi_d norm is positive with probability 1")))  # fmt: skip


CLAIMS: tuple[Claim, ...] = (*DEFINITION, *MEAN_SQUARED_ERROR, *STEPS)
