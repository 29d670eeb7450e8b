"""Abstract, Sections 1 and 2: headline claims, kernels and feature maps, couplings, what is cited."""

from __future__ import annotations

from sympy import Rational, Symbol, cos, exp, hyper, pi

from rftheory.author import (O, conformity, equal, formula, gap, gaussian, mean, mse, orthogonal, positive,
    simplex)  # fmt: skip
from rftheory.exact.proof.rules import Sign
from rftheory.exact.proof.steps import at
from rftheory.exact.symbols import c, d, m, v, x, y, z
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.simplex.notation import (IIDRF, MILLION, ORF, PAPER, RFF_IID, RFF_ORF, SIMRF, counts,
    error_sample, marginal_sample, mean_sample)  # fmt: skip
from rftheory.papers.simplex.statistics import (PROXY, R_X, S_X, block_angles,
    directions_ignore_norms, estimate_is_mean, sign_difference)  # fmt: skip
from rftheory.papers.steps import proved_step
from rftheory.statement.evidence import Derived, Identity, NotAtHand, ProvedStep, SampledOrder, Shown, Slow

_alpha = Symbol("alpha", positive=True)
_share, _less = Symbol("p", nonnegative=True), Symbol("h", nonnegative=True)
_inner = Symbol("g", real=True)
_blocks = Symbol("n", integer=True, positive=True)
_RIGHT_ANGLE = hyper((d,), (d / 2,), v**2 / 2)
"""The conformity of a pair at a right angle."""

PRIORITY = ("a statement on who was first; the formulas themselves are judged at simplex.thm4.3 and simplex.thm4.5")  # fmt: skip

HEADLINES = (
    stated("simplex.abs.claims/(i)", f"{PAPER}, Abstract, (i)",
        (mean(SIMRF) == gaussian) & (mean(positive(simplex, m=m, kernel="softmax")) == exp((v**2 - z**2) / 4)),
        also=(mean_sample("positive", "simplex", 8, 8, "0.5"), mean_sample("positive", "simplex", 3, 7, "0.5")),
        prints="for unbiased approximation of the softmax and Gaussian kernels by geometrical correlation of random "
        "projection vectors"),
    stated("simplex.abs.claims/(ii)",
        f"{PAPER}, Abstract, (ii), taken for every number of vectors: for two, the conformity at any angle",
        formula("angle_conformity", c=c) >= formula("angle_conformity", c=-1 / (d - 1)), over=(d >= 3, c >= -1, c <= 1, v > 0), expected=Decision.FAILS,
        differs="true for m = d and couplings invariant under rotations, as in Theorem 3.4. For m < d the simplex of m vertices "
        "(cosine -1/(m-1) in place of -1/(d-1)) is better, and for m = 2d an orthogonal block with its negatives is better "
        "than two simplex blocks",
        correction="simplex.thm3.4",
        prints="provide the smallest possible mean square error (MSE) on unbiased estimates of these kernels among "
        "the class of weight-independent geometrically-coupled positive random feature (PRF) mechanisms",
        fault=Fault("missing condition", 2,
            "Theorem 3.4 states d vectors and stands; with other numbers of vectors, as in the experiments (m = "
            "10d, m = 130), SimRFs are still better than ORFs, but not the best coupling")),
    stated("simplex.abs.claims/(iii)", f"{PAPER}, Abstract and Sec. 1, (iii)", mse(SIMRF) < mse(ORF),
        over=(d >= 2, m >= 2, v > 0), prints="finding that ORFs are not optimal"),
    proved_step("simplex.abs.claims/(iv)", f"{PAPER}, Abstract, (iv)", "simplex.s3.plus",
        "simplex.s3.plus/term above zero", "simplex.s3.plus/rising factorial", "simplex.s3.plus/factorials",
        ProvedStep("simplex.eq16", "simplex.eq16/a closed loop minimises"),
        statement="SimRFs+ are asymptotically optimal, for small v, in the broader family of weight-dependent geometrical coupling schemes",
        conditions="known norms, the geometry with the shortest resultant; the conformity is then within O(v^4) of the least one",
        also=(Derived("simplex.s3.plus"),)),
    Claim("simplex.abs.claims/(v)", f"{PAPER}, Abstract and Sec. 1, (v)",
        "consistent gains by SimRFs in pointwise kernel estimation, nonparametric classification and scalable Transformers",
        "the experiments of Sec. 5",
        (NotAtHand("the UCI tables and the trained Transformers of Sec. 5; kernel estimation alone is simplex.fig6 and simplex.fig7"),),
        Decision.UNDECIDED,
        reason="rests on trained Transformers and on data sets that are not at hand; the part on kernel estimation is judged at "
        "simplex.fig6 and simplex.fig7"),
    stated("simplex.abs.cost",
        f"{PAPER}, Abstract, Secs 1, 4.2, 5.4, App. B.2.1: the operations of S, as a share of those of R x",
        (3 * d - 2) / (2 * d**2 - d) < 2 / d, over=d >= 2,
        also=(counts((S_X(d) == 3 * d - 2) & (R_X(d) == 2 * d**2 - d)),)),
    Claim("simplex.abs.cost/fast", f"{PAPER}, Sec. 4.2 and App. B.2.1, for the fast variants",
        "the extra time cost of the simplex projection is typically dwarfed by other computational requirements; it is rarely observable",
        "the sentence names neither the other requirements nor a threshold; counted beside three Hadamard products alone",
        (Shown("share of S beside three Hadamard products at d = 64, counted: below one eighth",
            lambda share: bool(8 * share * S_X(64).expression < PROXY(64).expression), 1,
            (("an eleventh", 2), ("a quarter of it", 4))),),
        Decision.UNDECIDED,
        reason="S costs 3d - 2 operations beside 3(d log2(d) + 2d): 12 percent at d = 64, a share that falls like 1/log2(d). What it is compared with "
        "downstream (features, attention, regression) is larger, and how often it is observable depends on that"))  # fmt: skip

KERNELS = (
    stated("simplex.eq1", f"{PAPER}, eq. (1), for SimRFs and orthogonal RFFs; the derivations for every coupling",
        (mean(SIMRF) == gaussian) & (mean(RFF_ORF) == gaussian),
        also=(ProvedStep("simplex.thm3.2", "simplex.thm3.2/(29) unbiased"),
            ProvedStep("simplex.thm4.5", "simplex.thm4.5/(73) mean"),
            Shown("the inner product of the sampler's features is the estimator",
                lambda factor: all(estimate_is_mean(f, factor) for f in ("positive", "trigonometric")), 1.0,
                (("half of the argument", 0.5),)),
            mean_sample("trigonometric", "simplex", 8, 8, "1")),
        prints="can be approximated using so-called random features (RFs)"),
    proved_step("simplex.eq2", f"{PAPER}, eq. (2), for the Gaussian kernel", "simplex.thm4.5",
        "simplex.thm4.5/(73) mean", Derived("simplex.s3.marginal"),
        statement=r"$K(\mathbf x-\mathbf y)=\int_{\mathbb R^d}p(\mathbf w)\,e^{i\mathbf w^\top(\mathbf x-\mathbf y)}\,d^d\mathbf w$ with $p\ge0$ a probability density",
        conditions="K Gaussian, p the density of N(0, I_d)"),
    stated("simplex.eq2/any kernel",
        f"{PAPER}, eq. (2), as printed: a density would make K tend to 0, which K = cos does not (10^6 and 1/100 stand for any two bounds)",
        cos(z) <= Rational(1, 100), over=z >= 10**6, expected=Decision.FAILS,
        differs="Bochner's theorem needs a continuous K and gives a finite measure of mass K(0), which need not have a density "
        "(that of K = cos has two atoms). If K is integrable too and K(0) = 1, then (2 pi)^(-d) times its Fourier transform "
        "is a probability density",
        correction="simplex.eq2",
        prints="If K is positive semidefinite, p(w) is non-negative so we can treat it as a probability density",
        fault=Fault("missing condition", 1,
            "none: only the Gaussian kernel is used, whose p is the density of N(0, I_d)")),
    proved_step("simplex.eq3", f"{PAPER}, eqs (3), (71)", "simplex.thm4.5",
        "simplex.thm4.5/(72)",
        statement=r"$\phi_{\mathrm{RFF}}(\mathbf z)=\sqrt{1/m}\,(\odot_{i=1}^m[\sin(\mathbf w_i^\top\mathbf z),\cos(\mathbf w_i^\top\mathbf z)])^\top$ has $\phi(\mathbf x)^\top\phi(\mathbf y)=\frac1m\sum_i\cos\mathbf w_i^\top(\mathbf x-\mathbf y)$",
        conditions="every d, m >= 1",
        also=(Shown("the sampler's trigonometric features", lambda factor: estimate_is_mean("trigonometric", factor),
                1.0, (("half of the argument", 0.5), ("twice the argument", 2.0))),)),
    stated("simplex.eq4", f"{PAPER}, eqs (4), (5)",
        equal(exp(-(x**2 + y**2 - 2 * _inner) / 2), exp(_inner) * exp(-(x**2) / 2 - y**2 / 2)), also=(Derived("simplex.eq4"),)),
    stated("simplex.eq6", f"{PAPER}, eqs (6), (7)",
        (mean(IIDRF) == gaussian) & (mean(ORF) == gaussian) & (mean(SIMRF) == gaussian), draw=False,
        statement=r"$K_{\mathrm{gauss}}=\mathbb E[\phi_{\mathrm{PRF}}(\mathbf x)^\top\phi_{\mathrm{PRF}}(\mathbf y)]$, $\phi_{\mathrm{PRF}}(\mathbf z)=\sqrt{1/m}\,\exp(-\lVert\mathbf z\rVert_2^2)(\odot_{i=1}^m\exp(\mathbf w_i^\top\mathbf z))^\top$",
        conditions="w_i marginally N(0, I_d), however coupled",
        also=(*(ProvedStep("simplex.thm3.2", f"simplex.thm3.2/{label}") for label in ("(28)", "(29) mean", "(29) unbiased")),
            Shown("the sampler's positive features", lambda factor: estimate_is_mean("positive", factor), 1.0,
                (("exponent -|z|^2/2", 0.5), ("exponent -2|z|^2", 2.0))),
            mean_sample("positive", "orthogonal", 4, 6, "0.5"))))  # fmt: skip

COUPLINGS = (
    proved_step("simplex.s1.orf-marginals", f"{PAPER}, Sec. 1", "simplex.s3.marginal",
        statement=r"the isotropy of the Gaussian distribution permits us to entangle different $\mathbf w_i$ to be exactly orthogonal whilst preserving the marginals $\mathcal N(0,\mathbf I_d)$",
        conditions="m <= d, Haar directions, independent chi_d norms",
        also=(Shown("directions of a drawn orthogonal block, d = m = 6: unit, with this inner product, to rounding",
                lambda c: block_angles("orthogonal", 6, 6, c), 0.0, (("the simplex cosine", -0.2),)),
            marginal_sample("orthogonal", 5, 0), marginal_sample("orthogonal", 5, 4))),
    stated("simplex.fn2", f"{PAPER}, footnote 2, by the conformity: that of a right angle for m <= d, and a mean of this and of "
        "that of independent vectors for n blocks",
        (conformity(orthogonal, m) == _RIGHT_ANGLE)
        & (conformity(orthogonal, _blocks * d) == ((d - 1) * _RIGHT_ANGLE + (_blocks - 1) * d * exp(v**2)) / (_blocks * d - 1)),
        over=(d >= 2, m >= 2, m <= d), draw=False,
        statement=r"all $\mathbf w_i$ can be orthogonal if $m\le d$; if $m>d$ we construct ensembles of independent orthogonal blocks",
        conditions="m <= d or a multiple of d, else the last block is cut (the text does not say how)",
        also=(Shown("d = 3, m = 7: inner products inside the blocks of three, three and one",
                lambda c: block_angles("orthogonal", 3, 7, c), 0.0, (("another angle", 0.5),)),
            error_sample("positive", "orthogonal", 16, 24, "0.3"))),
    Claim("simplex.def1.1", f"{PAPER}, Definition 1.1",
        "a mechanism is geometrically coupled if its norms are independent, weight-independent if its directions do not depend on them",
        "directions exist almost surely: a chi_d norm is positive with probability 1",
        (
            Shown("the directions of a drawn block do not change with the law of the norms", directions_ignore_norms,
                "simplex", (("SimRFs+", "simplex+"),)),
            Shown("the same for orthogonal blocks", directions_ignore_norms, "orthogonal",
                (("SimRFs+", "simplex+"),))),
        Decision.UNDECIDED, reason="supported: a property of the samplers for every d, seen on drawn blocks"),
    stated("simplex.s1.orf-lower/prf", f"{PAPER}, Sec. 1", mse(ORF) < mse(IIDRF), over=(d >= 2, m >= 2, v > 0),
        prints="ORFs provide a lower mean squared error (MSE) on Gaussian kernel approximation than IIDRFs"),
    stated("simplex.s1.orf-lower/rff", f"{PAPER}, Sec. 1, the contrary at finite d",
        mse(RFF_ORF) >= mse(RFF_IID), over=(d >= 2, m >= 2, z > 0), draw=False, expected=Decision.FAILS,
        differs="right as a report of what had been proved before, and, for d >= 3, if better at every z is meant. As a statement on when ORFs are better it is too narrow: at "
        "d = 2 they are at every z > 0, and in every d up to a threshold, for 0 < z^2 <= d/3 at least",
        correction="simplex.added.zcrit-third",
        prints="ORFs provide a lower mean squared error (MSE) on Gaussian kernel approximation than IIDRFs (Yu et "
        "al., 2016; Choromanski et al., 2020), though for RFFs only at asymptotically large d",
        fault=Fault("ambiguous", 1,
            "none: Section 4.1 says itself that in finite d ORFs have the lower error up to a threshold in z")),
    stated("simplex.s1.cited/(i)", f"{PAPER}, Sec. 1",
        equal(at(x * m * 4 * d, {x: 2 * x}), 2 * (x * m * 4 * d)) & equal(2 * (m * (x + d)) - m * (2 * x + d), m * d)
        & equal(at(x**2, {x: 2 * x}), 4 * x**2) & equal(at(x**2 * 2 * d, {x: 2 * x}), 4 * (x**2 * 2 * d)),
        statement="ORFs in Performers give linear (cf. quadratic) space and time complexity of the attention module",
        conditions="as the cited work counts: x = N tokens, m features, values of width d: 4 N m d multiplications and m (N + d) numbers with "
        "features, against 2 N^2 d multiplications and the N^2 numbers of the attention matrix"),
    proved_step("simplex.s1.cited/(ii)", f"{PAPER}, Sec. 1, citing Likhosherstov et al. 2022", "chefs.thm3.1",
        "chefs.thm3.1/s=-1 mean", "chefs.thm3.1/s=+1 mean", ProvedStep("chefs.thm3.3", "chefs.thm3.3/convex"),
        ProvedStep("chefs.thm3.3", "chefs.thm3.3/(7)"), ProvedStep("chefs.thm3.3", "chefs.thm3.3/A<0"),
        statement="the MSE is reduced further, for fixed m and preserving unbiasedness, by collecting light data statistics",
        conditions="OPRFs; their unbiasedness and optimal parameter are derived with that source",
        also=(Derived("chefs.thm3.1"), Derived("chefs.thm3.3"))),
    Claim("simplex.s1.cited/(iii)", f"{PAPER}, Sec. 1, citing Trokicic and Todorovic 2019",
        "more expensive pre-processing improves downstream accuracy but no longer approximates the Gaussian kernel",
        "as cited", (NotAtHand("the cited experiments"),), Decision.UNDECIDED,
        reason="a statement on the experiments of another paper, whose data are not at hand"),
    stated("simplex.s1.cited/(iv)",
        f"{PAPER}, Sec. 1, citing Yu et al. 2016, at fixed z and m: the leading term is positive",
        gap(RFF_ORF) == (m - 1) * z**4 * exp(-(z**2)) / (2 * m * d) + O(1 / d**2), over=(m >= 2, m <= d, z > 0), draw=False),
    Claim("simplex.s1.cited/(v)", f"{PAPER}, Sec. 1, citing Choromanski et al. 2018",
        "the charm property of stationary kernels explains the gain asymptotically; non-asymptotic analysis is out of reach",
        "as cited", (NotAtHand("what is out of reach of a method is no statement about the mechanisms"),),
        Decision.UNDECIDED,
        reason="the charm property is judged with the neighbouring literature (ch18.charm); 'out of reach' is no statement that can be judged"),
    proved_step("simplex.s1.cited/(vi)", f"{PAPER}, Sec. 1, citing Choromanski et al. 2017",
        "hybrid.added.orthogonal-signs", "hybrid.added.orthogonal-signs/numerator",
        statement="ORFs are superior to IIDRFs for angular kernel estimation in any d, not just asymptotically",
        conditions="read for sign features, which agree with probability 1 - p, p = angle/pi: both of two orthogonal projections separate the inputs with "
        "a probability q <= p^2, so the product of two features has a mean 1 - 4 p + 4 q of at most (1 - 2 p)^2, that of independent ones; d >= 2, m <= d; at an "
        "obtuse angle the same with -y in place of y, and 1 - p in place of p",
        also=(
            Identity("mean of the product, q = p^2 - h", 1 - 4 * _share + 4 * (_share**2 - _less), (1 - 2 * _share) ** 2,
                ({"p": "1/3", "h": "1/100"}, {"p": "1/2", "h": "1/9"}, {"p": "3/4", "h": "1/100"}), "<=", by=Sign(4 * _less)),
            Identity("d = 2, angle alpha <= pi/2 between the inputs: orthogonal 1 - 4 alpha/pi, independent (1 - 2 alpha/pi)^2",
                1 - 4 * _alpha / pi, (1 - 2 * _alpha / pi) ** 2,
                ({"alpha": "1/100"}, {"alpha": 1}, {"alpha": Rational(3, 2)}), "<", by=Sign(4 * _alpha**2 / pi**2),
                covers="part: d = 2"),
            *(Slow(SampledOrder(f"sign features, orthogonal below iid, d = {n}", sign_difference(n),
                2 * MILLION)) for n in (3, 16)))),
    stated("simplex.s1.cited/(vii)", f"{PAPER}, after (25), citing Choromanski et al. 2020", gap(ORF) > 0,
        over=(d >= 2, m >= 2, v > 0),
        prints="The sign of this orthogonality gap was first reported in (Choromanski et al., 2020)"),
    Claim("simplex.s1.cited/(vii) training", f"{PAPER}, Sec. 1, citing Choromanski et al. 2020",
        "RFFs lead to unstable training of implicit linear-attention Transformers", "as cited",
        (NotAtHand("trained Transformers"),), Decision.UNDECIDED,
        reason="rests on trained Transformers, which are not at hand"),
    stated("simplex.fig1", f"{PAPER}, Figure 1; our reading: performance as kernel estimator MSE, strictly, for all data",
        (mse(IIDRF) > mse(ORF)) & (mse(ORF) > mse(SIMRF)), over=(d >= 2, m >= 2), draw=False, expected=Decision.FAILS,
        differs="the first two steps are strict for v > 0 and m >= 2, and equalities at x = -y. SimRFs+ agree with SimRFs at "
        "d = 2, are better for small v, and for given norms can be worse at large v (norms 2, 2, 1 at v = 5: conformity 739 "
        "against 589)",
        correction="simplex.fig1.corrected",
        prints="Schematic of performance of RF mechanisms described in this manuscript",
        fault=Fault("reading", 1,
            "none: the figure is a schematic without a formula; the comparisons are made in Corollaries 3.3 and "
            "4.4 and in Section 3.2")),
    stated("simplex.fig1.corrected", "corrects Figure 1",
        (mse(IIDRF) > mse(ORF)) & (mse(ORF) > mse(SIMRF)), over=(d >= 2, m >= 2, v > 0), draw=False,
        also=(Derived("simplex.s3.plus"),)),
    proved_step("simplex.s1.first-closed-form", f"{PAPER}, Sec. 1 (contribution 2), Sec. 6", "simplex.thm4.3",
        "simplex.thm4.3/(65)", "simplex.thm4.3/(67)",
        statement="it is straightforward to generalise some of the closed forms to RFFs; they quantify precisely how much geometrical coupling suppresses the MSE",
        conditions="PRFs with IIDRFs, ORFs, SimRFs; RFFs with IIDRFs, ORFs",
        also=(Derived("simplex.thm4.5"), Derived("simplex.thm4.3"))),
    Claim("simplex.s1.first-closed-form/novelty", f"{PAPER}, Sec. 1 (contribution 2), Sec. 4, Sec. 6",
        "the first non-asymptotic closed-form formulae for the MSE of PRFs in the IIDRF, ORF and SimRF settings",
        "a statement on the literature", (NotAtHand(PRIORITY),), Decision.UNDECIDED, reason=PRIORITY))  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*HEADLINES, *KERNELS, *COUPLINGS)
