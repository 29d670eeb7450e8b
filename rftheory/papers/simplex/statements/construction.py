"""The simplex block: eqs (8), (9), Algorithm 1, fast variants (App. B.2), the list of mechanisms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy
from flint import arb
from sympy import acos, pi

from rftheory.author import equal, gaussian, mean
from rftheory.exact.coupled_blocks import hadamard_fourth_moment
from rftheory.exact.symbols import d, k, v
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.simplex.notation import (IIDRF, ORF, PAPER, RFF_IID, RFF_ORF, SIMRF, conformity_sample,
    counts, error_sample, marginal_sample, mean_sample)  # fmt: skip
from rftheory.papers.simplex.statistics import (PROXY, S_X, TRANSFORM, block_angles, dense_block,
    dense_hadamard, directions_ignore_norms, estimate_is_mean, objective, residual_of,
    squared_sum_difference)  # fmt: skip
from rftheory.papers.steps import proved_step, refuted_step
from rftheory.sample import Mechanism, Stream, coupling
from rftheory.sample.optimised import optimised_directions
from rftheory.sample.shapes import simplex_matrix
from rftheory.sample.simplex_plus import simplex_plus_directions
from rftheory.statement.evidence import (Counterexample, Derived, ProvedStep, SampledOrder,
    Shown, Slow)  # fmt: skip


def _coefficient(reading: str) -> bool:
    """Whether the fast product is S x with the coefficient of (9) in the given reading, at d = 2, 3, 64."""
    roots = {
        "a": lambda n: arb(n).sqrt() + 1,
        "b": lambda n: arb(n + 1).sqrt(),
        "c": lambda n: arb(n * n - 1).sqrt(),
    }
    return all(dense_block(n, lambda n: roots[reading](n) / arb(n - 1) ** arb("1.5")) for n in (2, 3, 64))


def _fast_is_dense(name: str) -> bool:
    """Whether a fast mechanism's projections of vectors are its rows times the vectors, at one draw, to rounding."""
    x = np.sin(np.arange(1.0, 6.0))[None, :]
    stream = Stream.named("fast")
    made = coupling(name)
    rows = made.draw(stream, range(1), 5, 8).projections[0]
    onto = made.onto(stream, range(1), x, 8).values[0, :, 0]
    return bool(np.max(np.abs(rows @ x[0] - onto)) <= 1e4 * 2.0**-53)


def _orthogonal_rows(name: str) -> bool:
    """Whether the rows of the square factor of a block of size 8 are orthogonal, to rounding."""
    return block_angles(name, 8, 8, 0.0)


BLOCK = (
    proved_step("simplex.eq8", f"{PAPER}, eqs (8), (87)", "simplex.eq9",
        "simplex.eq9/unit rows", "simplex.eq9/unit last row", "simplex.eq9/angles", "simplex.eq9/angles with the last row",
        statement=r"$\mathbf W_{\mathrm{simp}}=\mathbf D\mathbf S\mathbf R$ with $\mathbf D=\mathrm{diag}(w_i)$, $w_i\sim\chi_d$, and $\mathbf R$ Haar on $\mathrm O(d)$; for $m>d$ independent blocks",
        conditions="d >= 2; R from Gram-Schmidt, that is with a positive diagonal of the triangular factor",
        also=(Derived("simplex.eq9"), Shown("d = 5, m = 12: the directions of the blocks of five, five and two have the cosine -1/4, to rounding",
                lambda c: block_angles("simplex", 5, 12, c), -0.25, (("orthogonal", 0.0), ("cosine of d + 1 vertices", -0.2))), conformity_sample("simplex", 5, "0.5"))),
    stated("simplex.eq8/d=1", f"{PAPER}, eqs (8), (9) at the end of the stated domain: the entries of S divide by $d-1$",
        d - 1 > 0, over=d >= 1, expected=Decision.FAILS,
        differs="a single vector has no angle, and (9) divides by d - 1: the construction starts at d = 2",
        correction="simplex.eq8",
        prints="the so-called simplex block, consisting of d d-dimensional random vectors",
        fault=Fault("reading", 1, "none: data of one dimension are not considered")),
    proved_step("simplex.s3.angle", f"{PAPER}, Sec. 3: all pairs of rows of a block subtend $\\arccos(-1/(d-1))$",
        "simplex.eq9", "simplex.eq9/angles", "simplex.eq9/angles with the last row", "simplex.eq9/sum"),
    stated("simplex.s3.angle/120", f"{PAPER}, captions of Figures 2 and 3",
        equal(acos(-1 / (d - 1)), 2 * pi / 3), over=(equal(d, 3),)),
    proved_step("simplex.s3.marginal", f"{PAPER}, Sec. 3", "simplex.eq9",
        "simplex.eq9/unit rows",
        statement=r"the simplex is randomly rotated to preserve isotropy and its rows renormalised by $w_i\sim\chi_d$ such that they are marginally Gaussian",
        conditions="each row of D S R is N(0, I_d)",
        also=(Derived("simplex.s3.marginal"), marginal_sample("simplex", 5, 0), marginal_sample("simplex", 5, 4))),
    proved_step("simplex.eq9", f"{PAPER}, eqs (9), (88), reading (a)", "simplex.eq9",
        "simplex.eq9/unit rows", "simplex.eq9/unit last row", "simplex.eq9/angles", "simplex.eq9/angles with the last row",
        statement=r"$\mathbf s_i=\sqrt{\frac d{d-1}}\mathbf e_i-\frac{\sqrt d+1}{(d-1)^{3/2}}(1,\dots,1,0)^\top$ for $i<d$, $\mathbf s_d=\frac1{\sqrt{d-1}}(1,\dots,1,0)^\top$",
        conditions="d >= 2; unit rows with inner products -1/(d-1)",
        also=(Derived("simplex.eq9"), Shown("rows of the sampler against this reading, d = 2, 3, 64", _coefficient, "a", (("reading (b)", "b"),)))),
    refuted_step("simplex.eq9/(b)", f"{PAPER}, eqs (9), (88), reading (b)", "simplex.eq9",
        "simplex.eq9/reading (b)",
        statement=r"$\mathbf s_i=\sqrt{\frac d{d-1}}\mathbf e_i-\frac{\sqrt{d+1}}{(d-1)^{3/2}}(1,\dots,1,0)^\top$ for $i<d$",
        conditions="d >= 2",
        also=(Shown("the rows of reading (b) are not those of the sampler, which are unit", _coefficient, "b", (("reading (a)", "a"),)),),
        differs="with the root over d + 1 the rows would not be unit vectors (|s_1|^2 = 0.101 at d = 2); it covers d alone, "
        "sqrt(d) + 1",
        correction="simplex.eq9",
        prints="The rows si of the simplex projection matrix S",
        fault=Fault("reading", 1,
            "none: the text at hand does not show how far the root reaches, and with sqrt(d) + 1 all that is said "
            "of the rows is right")),
    proved_step("simplex.s3.normalised", f"{PAPER}, Sec. 3 after eq. (9)",
        "simplex.eq9", "simplex.eq9/unit rows", "simplex.eq9/unit last row", "simplex.eq9/obtuse"),
    proved_step("simplex.fig2", f"{PAPER}, Figure 2", "simplex.added.angle",
        Derived("simplex.added.angle"), Derived("simplex.cor3.3"),
        statement="fixed, obtuse angles suppress the kernel estimator MSE, with all norms drawn independently from chi_d",
        conditions="read as: the conformity, and for m >= 2 the MSE of positive features, increases with the cosine of the angle; v > 0",
        also=(error_sample("positive", "simplex", 3, 3, "0.3"),)))  # fmt: skip

_index = sympy.Symbol("i", integer=True, positive=True)

ALGORITHM = (
    proved_step("simplex.alg1", f"{PAPER}, Algorithm 1, reading (a)", "simplex.eq9",
        "simplex.eq9/Algorithm 1, reading (a)",
        statement=r"$y_d=\frac1{\sqrt{d-1}}\sum_{i<d}x_i$, $y_i=\sqrt{\frac d{d-1}}\,x_i-\frac{\sqrt d+1}{d-1}\,y_d$ computes $\mathbf y=\mathbf S\mathbf x$ in time $O(d)$",
        conditions="d >= 2; 3d - 2 operations",
        also=(Shown("the sampler's product against the dense one, d = 2, 3, 64, to a proved rounding bound",
                _coefficient, "a", (("reading (b)", "b"), ("reading (c)", "c"))),
            counts(S_X(d) == 3 * d - 2))),
    *(
        refuted_step(f"simplex.alg1/({reading})", f"{PAPER}, Algorithm 1, reading ({reading})",
            "simplex.eq9", f"simplex.eq9/Algorithm 1, reading ({reading})",
            differs="the output is not S x: at d = 2 the coefficient must be sqrt(2) + 1, not sqrt(3). In general it is (sqrt(d) + 1)/(d - 1)",
            correction="simplex.alg1", prints="Fast matrix-vector multiplication with S",
            fault=Fault("reading", 1, told_by="simplex.eq9/(b)")) for reading in "bc"))  # fmt: skip

FAST = (
    proved_step("simplex.sB.fast-simrf", f"{PAPER}, App. B.2, eqs (87), (88)", "simplex.eq9",
        "simplex.eq9/angles", "simplex.eq9/angles with the last row", ProvedStep("simplex.eq89", "simplex.eq89/orthogonal"),
        statement=r"fast SimRFs replace $\mathbf R$ by an orthogonal proxy $\tilde{\mathbf R}$ which supports fast matrix-vector multiplication",
        conditions="d a power of 2; the proxy is orthogonal, so that the angles inside a block are exactly those of (9)",
        also=(Derived("simplex.eq9"), Shown("rows of the proxy, d = 8", _orthogonal_rows, "hadamard-orthogonal", (("independent rows", "iid"),)), Shown("angles of a fast simplex block, d = 8", lambda c: block_angles("hadamard-simplex", 8, 8, c),
                -1 / 7, (("orthogonal", 0.0),)))),
    stated("simplex.sB.fast-simrf/unbiased", f"{PAPER}, Abstract and App. B.2, taken for the fast variants, k = 3 "
        "factors H D_i: E exp(w.v) at d = 2 for v along an axis, where u_1^2 = 1/2 always",
        equal(sympy.Sum(sympy.factorial(k) * v ** (2 * k) / sympy.factorial(2 * k), (k, 0, sympy.oo)), sympy.exp(v**2 / 2)),
        over=v > 0,
        also=(Counterexample("d = 2, k = 3: E u_1^4 of a row of the proxy against that of an isotropic direction, exact over all signs",
                lambda: _ball(hadamard_fourth_moment(2, 3)), lambda: _ball(Fraction(3, 8)), "<"),), expected=Decision.FAILS,
        differs="a product of HD blocks is isotropic only to second order, so its rows are not N(0, I): at d = 2 and v = 1 "
        "along an axis E exp(w.v) is 1.5923 instead of 1.6487. The bias is of order v^4 and depends on the direction of v; "
        "with Haar R the estimates are unbiased",
        correction="simplex.abs.claims/(i)",
        prints="that is only approximately sampled from Haar measure, but which supports fast matrix-vector "
        "multiplication",
        fault=Fault("reading", 1,
            "none: unbiasedness is stated for Haar R, and the fast variants are called approximate; whoever uses "
            "them should know that their bias does not vanish with m")),
    proved_step("simplex.eq89", f"{PAPER}, eqs (89), (90)", "simplex.eq89",
        "simplex.eq89/orthogonal",
        statement=r"$\tilde{\mathbf R}=\prod_{i=1}^k\mathbf H\mathbf D_i^{(\mathcal R)}$ with the normalised Hadamard matrix $\mathbf H$ is orthogonal, and $\mathbf H\mathbf x$ takes $O(d\log d)$",
        conditions="d a power of 2; d log2(d) + d operations, the scaling by 1/sqrt(d) included",
        also=(Shown("the fast transform against the dense recursion (90), d = 32", lambda s: dense_hadamard(5, s), -1,
                (("sign of the corner", 1),)),
            counts(TRANSFORM(d) == d * k + d))),
    stated("simplex.eq89/size", f"{PAPER}, App. B.2.2, eq. (90): the rows of H = H_i",
        equal(2 ** (_index - 1), 2**_index), expected=Decision.FAILS,
        differs="with i as the index of (90) H_i has 2^(i-1) rows, so d = 2^i needs H_(i+1), or a recursion that starts at "
        "H_0 = (1); with an i of its own the sentence is right",
        correction="simplex.eq89",
        prints="Hadamard matrices are defined such that ... with d = 2i, i ∈ N a non-negative integer",
        fault=Fault("ambiguous", 1,
            "none: that d has to be a power of 2 is right, and so is the padding")))  # fmt: skip


def _ball(value: Fraction) -> arb:
    return arb(value.numerator) / value.denominator


def _mean_of_cosine(factor: float) -> bool:
    return estimate_is_mean("trigonometric", factor)


def _mean_of_exponential(factor: float) -> bool:
    return estimate_is_mean("positive", factor)


def _points_away(bound: float) -> bool:
    """Whether the directions for norms 3, 4, 5, 6 satisfy (16) to ``bound`` after a hundred passes."""
    return residual_of([3.0, 4.0, 5.0, 6.0], 100) <= bound


def _at_most(factor: float) -> bool:
    """Whether the optimiser's conformity is at most ``factor`` times that of SimRFs+ and of SimRFs, three sets of norms."""
    for norms in (np.array(n) for n in ([1.0, 2.0, 3.0], [2.0, 2.0, 1.0], [1.5, 2.0, 2.5, 3.0])):
        starts = (simplex_plus_directions(norms).directions, simplex_matrix(len(norms)))
        best = objective(norms, 1.0, optimised_directions(norms, 1.0))
        if not all(best <= factor * objective(norms, 1.0, rows) + 1e-12 for rows in starts):
            return False
    return True


MECHANISMS = (
    stated("simplex.mech.rff", f"{PAPER}, eqs (3), (71), (72)",
        (mean(RFF_IID) == gaussian) & (mean(RFF_ORF) == gaussian), draw=False,
        statement=r"$2m$ features $\sqrt{1/m}[\sin\mathbf w_i^\top\mathbf z,\cos\mathbf w_i^\top\mathbf z]$; estimator $\hat K=\frac1m\sum_i\cos\mathbf w_i^\top(\mathbf x-\mathbf y)$ of $K_{\mathrm{gauss}}$",
        conditions="every coupling with Gaussian marginals",
        also=(ProvedStep("simplex.thm4.5", "simplex.thm4.5/(72)"), ProvedStep("simplex.thm4.5", "simplex.thm4.5/(73) mean"),
            Shown("the sampler's features at one draw", _mean_of_cosine, 1.0, (("half of the argument", 0.5),)),
            Shown("number of features for m = 7", lambda n: _feature_count("trigonometric") == n, 14, (("m", 7),)),
            mean_sample("trigonometric", "iid", 3, 4, "1"))),
    stated("simplex.mech.prf", f"{PAPER}, eqs (7), (28)",
        (mean(IIDRF) == gaussian) & (mean(ORF) == gaussian) & (mean(SIMRF) == gaussian), draw=False,
        statement=r"$m$ features $\sqrt{1/m}\,e^{-\lVert\mathbf z\rVert_2^2}e^{\mathbf w_i^\top\mathbf z}$; estimator $\hat K=\frac{e^{-x^2-y^2}}m\sum_ie^{\mathbf w_i^\top(\mathbf x+\mathbf y)}$ of $K_{\mathrm{gauss}}$",
        conditions="every coupling with Gaussian marginals",
        also=(ProvedStep("simplex.thm3.2", "simplex.thm3.2/(28)"), ProvedStep("simplex.thm3.2", "simplex.thm3.2/(29) unbiased"),
            Shown("the sampler's features at one draw", _mean_of_exponential, 1.0, (("exponent -|z|^2/2", 0.5),)),
            Shown("number of features for m = 7", lambda n: _feature_count("positive") == n, 7, (("2m", 14),)),
            mean_sample("positive", "iid", 3, 4, "0.5"))),
    proved_step("simplex.mech.iidrf", f"{PAPER}, Sec. 1", "simplex.s3.marginal",
        statement=r"IIDRF: $\mathbf w_1,\dots,\mathbf w_m\sim\mathcal N(0,\mathbf I_d)$ independently",
        conditions="every d >= 2, m >= 1",
        also=(Shown("directions of a draw, d = m = 6, are not those of an orthogonal block",
                lambda name: not block_angles(name, 6, 6, 0.0), "iid", (("ORF", "orthogonal"),)),
            marginal_sample("iid", 5, 2), conformity_sample("iid", 5, "0.5"))),
    proved_step("simplex.mech.orf", f"{PAPER}, Sec. 1, footnote 2, Sec. 4.2", "simplex.s3.marginal",
        Derived("simplex.s3.marginal"), Derived("simplex.s4.chi2d"),
        statement=r"ORF: block $\mathbf D\mathbf R$, $\mathbf R$ Haar, $w_i\sim\chi_d$; for $m\le d$ all vectors orthogonal, for $m>d$ independent blocks",
        conditions="every d >= 2",
        also=(Shown("d = 4, m = 10: inner products inside the blocks", lambda c: block_angles("orthogonal", 4, 10, c),
                0.0, (("the simplex cosine", -1 / 3),)),
            conformity_sample("orthogonal", 5, "0.5"))),
    proved_step("simplex.mech.simrf", f"{PAPER}, eqs (8), (9)", "simplex.eq9",
        "simplex.eq9/unit rows", "simplex.eq9/unit last row", "simplex.eq9/angles", "simplex.eq9/angles with the last row",
        statement=r"SimRF: block $\mathbf D\mathbf S\mathbf R$, applied as $\mathbf D(\mathbf S(\mathbf R\mathbf x))$; for $m>d$ independent simplex blocks",
        conditions="d >= 2; for m not a multiple of d the last block is cut (the text does not say how)",
        also=(Derived("simplex.eq9"), Shown("d = 4, m = 10: inner products inside the blocks", lambda c: block_angles("simplex", 4, 10, c),
                -1 / 3, (("orthogonal", 0.0),)), error_sample("positive", "simplex", 8, 12, "0.25"))),
    proved_step("simplex.mech.simrfplus", f"{PAPER}, Sec. 3.2, eqs (16), (17)", "simplex.eq17",
        statement=r"SimRF+: from $\mathbf w_i=w_i\mathbf s_i$ repeat (17) over $i=1,\dots,d$ for a small number of passes; depends on the norms, not on $v$",
        conditions="sequential updates; the resultant of all vectors gets no longer in any update",
        also=(Shown("norms 3, 4, 5, 6: distance from (16)", _points_away, 1e-12, (("no distance at all", -1.0),)),
            Shown("the directions depend on the norms", lambda shape: not directions_ignore_norms(shape), "simplex+",
                (("SimRF", "simplex"),)),
            Slow(SampledOrder("|w_1 + ... + w_d|^2, SimRF+ below SimRF, d = 6",
                squared_sum_difference("simplex+", "simplex", 6), 2**16)))),
    Claim("simplex.mech.numopt", f"{PAPER}, Sec. 3.2, Figure 4",
        "numerically optimised: for given norms and v, minimise (12) over the d directions with an off-the-shelf optimiser",
        "a local optimiser started at SimRFs+: never above SimRFs+, and above the bound of simplex.added.known-norms",
        (Shown("at three sets of norms, v = 1: not above SimRFs+, nor SimRFs", _at_most, 1.0,
            (("below both by a tenth", 0.9),)),),
        Decision.UNDECIDED,
        reason="supported: three sets of norms; the optimiser is a program, its output for other norms is not bounded"),
    Claim("simplex.mech.fast", f"{PAPER}, Sec. 4.2, App. B.2",
        r"fast mechanisms: zero-pad $\mathbf x$ to the next power of 2, $\tilde{\mathbf R}=\prod_{i=1}^3\mathbf H\mathbf D_i^{(\mathcal R)}$, then $\mathbf D\tilde{\mathbf R}\mathbf x$, $\mathbf D(\mathbf S(\tilde{\mathbf R}\mathbf x))$ or $\mathbf D(\mathbf S'(\tilde{\mathbf R}\mathbf x))$",
        "d = 5 padded to 8; the projections are rows of an 8 x 8 block cut to 5 columns",
        (
            Shown("projections of a vector against the rows times the vector",
                lambda names: all(_fast_is_dense(n) for n in names),
                ("hadamard-orthogonal", "hadamard-simplex", "hadamard-simplex+"),
                (("rows drawn apart from the vector", ("orthogonal",)),), covers="cases: d = 5, padded to 8"),
            counts(PROXY(d) == 3 * (d * k + 2 * d))), finite=True))  # fmt: skip


def _feature_count(feature: str) -> int:
    """Number of features of a map with 7 projections, from one draw."""
    x = np.linspace(-0.4, 0.5, 5)[None, :]
    found = Mechanism(feature, "iid", 7).features(Stream.named("count"), range(1), x, x).left
    sizes = [part.shape[-2] for part in found if part is not None and part.ndim >= 2]
    return max(sizes)


CLAIMS: tuple[Claim, ...] = (*BLOCK, *ALGORITHM, *FAST, *MECHANISMS)
