"""Abstract, introduction and Section 2: claims about the baselines, the operator and attention."""

from __future__ import annotations

from itertools import pairwise

import sympy
from flint import arb
from sympy import exp, sqrt

from rftheory.author import (equal, for_some, formula, gaussian, gerf, iid, increasing, mean, mse, oo, oprf, orthogonal,
    positive, probability, trigonometric, variance)  # fmt: skip
from rftheory.exact.exponential import A as SHAPE
from rftheory.exact.exponential import log_oprf_gain
from rftheory.exact.symbols import d, m, v, z
from rftheory.exact.truth import larger, together
from rftheory.judge import Decision
from rftheory.papers.chefs.notation import (FINITE_VARIANCE, HOEFFDING, PAPER, QUARTER, TRANSFORMERS, UNBIASED, below, finding, proof, sampled_mse, value)  # fmt: skip
from rftheory.papers.chefs.statistics import (EXACT, KEPT, KEPT_EXACT, OPERATOR, L, M, N, lognormal_above,
    map_deviation)  # fmt: skip
from rftheory.papers.claim import Claim, Fault, instance, stated
from rftheory.papers.steps import proved_step
from rftheory.statement.evidence import Derived, NotAtHand, ProvedStep
from rftheory.statement.words import Side

HISTORY = "priority over the literature before 2022 is no mathematical statement"

r, t, _c, _u, _Z = sympy.symbols("r t c u Z", positive=True)
_a, _b, _w, _x, _y, _g, _c1, _c2 = sympy.symbols("a b w x y g c_1 c_2", real=True)


ABSTRACT = (
    stated("chefs.abs/bounded", f"{PAPER}, abstract and Section 1, parts (a), (b), (c), (f)",
        (mean(oprf(iid, m=1)) == gaussian) & (mean(oprf(iid, m=1, kernel="softmax")) == exp((v**2 - z**2) / 4))
        & (Side(exp(_a + _w * _x)) > 0), (v > 0,), draw=False,
        also=(Derived("chefs.thm3.1"), ProvedStep("chefs.thm3.3", "chefs.thm3.3/A<0"),
            ProvedStep("chefs.thm4.2", "chefs.thm4.2/bounded"), Derived("chefs.2.1.sfm")),
        statement="OPRF is an unbiased, positive and bounded random-feature mechanism for the Gaussian and the softmax kernel",
        conditions="x != -y, inputs fixed, bounded in omega; a + w x the logarithm of a product of features",
        prints="the first RF method for unbiased softmax-kernel estimation with positive and bounded RFs"),
    proved_step("chefs.abs/tails", f"{PAPER}, abstract, part (d)",
        "chefs.thm4.2", "chefs.thm4.2/bounded", ProvedStep("chefs.thm4.2.rate", "chefs.thm4.2.rate/value"),
        ProvedStep("chefs.thm4.2.rate", "chefs.thm4.2.rate/positive"), also=(HOEFFDING,),
        statement=r"for $A<0$, $s=+1$ there is $c>0$ with $\mathbb P[|\widehat K_M-K|\ge\epsilon]\le2e^{-cM\epsilon^2}$ for all $M$ and $\epsilon$",
        conditions="independent projections; c = 2/top^2, top the largest value of one product of features",
        prints="resulting in exponentially small tails"),
    proved_step("chefs.abs/variance", f"{PAPER}, abstract, part (e), against PosRF", "chefs.thm3.3",
        "chefs.thm3.3/base", "chefs.thm3.3/cosh", "chefs.thm3.3/second derivative", "chefs.thm3.3/convex",
        "chefs.thm3.3/stationary", "chefs.thm3.3/(7)", "chefs.thm3.3/A<0",
        also=(Derived("chefs.3.3.gain"), sampled_mse(positive(iid, m=1), 2, "0.5", "0.5"),
            instance(mse(oprf(iid, m=1)) < mse(positive(iid, m=1)), (d <= 8, equal(v, d), equal(z, 1)))),
        statement="the variance of OPRF is below that of PosRF, which has A = 0",
        conditions="x != -y; the second moment over K^2 has one stationary point, and there A < 0",
        prints="resulting in exponentially small tails and much lower variance than its counterparts"),
    stated("chefs.abs/variance-trig", f"{PAPER}, abstract, part (e), our reading: against TrigRF too, for every pair",
        mse(oprf(iid, m=1)) < mse(trigonometric(iid, m=1)), expected=Decision.FAILS,
        differs="at x = y TrigRF is exact and OPRF is not, so for x near y TrigRF is better; against PosRF, the "
        "counterpart that the paper draws, OPRF is better for every x != -y",
        correction="chefs.abs/variance",
        prints="resulting in exponentially small tails and much lower variance than its counterparts",
        fault=Fault("reading", 1, "none: the counterparts that the text compares are positive features; Section "
            "5.1 says of the others 'in many scenarios'")),
    stated("chefs.abs/orthogonal", f"{PAPER}, abstract, part (g), from d = 2 on: at d = 1 a block has one row, and nothing changes", mse(oprf(orthogonal, m=m)) < mse(oprf(iid, m=m)),
        (d >= 2, m >= 2, v > 0), also=(ProvedStep("chefs.thm4.1", "chefs.thm4.1/(15)"),),
        prints="orthogonal random features applied in OPRFs provide additional variance reduction for any dimensionality"),
    stated("chefs.abs/bounds", f"{PAPER}, abstract and Section 1, parts (h), (i), with the bounds as printed, here that of Theorem 4.2 at d = 2, x = y = 0, M = 1, c = -A: an error of "
        "eps = 4 c u has a probability of at most the bound",
        Side(1 - ((1 + 4 * _c * _u) / (1 + 4 * _c)) ** (1 / (4 * _c))) <= 2 * exp(-((4 * _c * _u) ** 2) / (2 * (1 + 4 * _c))),
        (_u < 1,),
        expected=Decision.FAILS,
        differs="exponential tails do hold, but with (1-4A)^(-d) in the exponent in place of (1-4A)^(-d/2): at "
        "d = 2, x = y = 0, A = -4 an error of 14 has the probability 0.0078, where the printed bound allows 0.0063",
        correction="chefs.thm4.2.corrected",
        prints="We give the first exponentially small upper bounds for tails of the Gaussian/softmax kernel "
        "estimators relying on positive RFs, leveraging boundedness of OPRFs (see Theorem 4.2).",
        fault=Fault("error", 2, "none for the abstract: exponential tails hold, with another rate",
            told_by="chefs.thm4.2/a"),
        statement="the exponential tail bound of Theorem 4.2 and the uniform bound of Theorem 4.3 hold",
        conditions="as Theorem 4.2"),
    stated("chefs.abs/linear", f"{PAPER}, abstract, part (j)",
        (OPERATOR(L, d, M, d + 1) <= 22 * L * M * d) & (KEPT(L, d, M) <= 5 * (L * M + L * d + M * d)) & (KEPT_EXACT(L, d) >= L**2),
        statement=r"attention by random features takes time and space linear in $L$; the matrix of all weights takes space of the order $L^2$",
        conditions="d + 1 vectors, M features; space: the numbers of all arrays, from the inputs and projections to the result",
        prints="while providing linear space and time complexity of the attention"),
    Claim("chefs.abs/first", f"{PAPER}, abstract, parts (a)-(c), (h), (i)",
        r"OPRFs are the first random features of the softmax kernel that are unbiased, positive and bounded, with the first "
        r"exponentially small tails and the first uniform convergence", "literature", (NotAtHand(HISTORY),),
        Decision.UNDECIDED, reason=HISTORY,
        prints="is to our knowledge the first RF method for unbiased softmax-kernel estimation with positive and bounded RFs"),
    Claim("chefs.abs/text", f"{PAPER}, abstract, part (k)",
        r"new state-of-the-art results for low-rank attention Transformers for text", "benchmarks of 2022",
        (NotAtHand(TRANSFORMERS),), Decision.UNDECIDED, reason=f"not at hand: {TRANSFORMERS}",
        prints="obtaining new state-of-the-art results for low-rank text Transformers"))  # fmt: skip


INTRODUCTION = (
    stated("chefs.intro.trig/concentration", f"{PAPER}, Section 1, part (a), Claim 1 of [45]",
        probability("error of pairs") <= formula("rr_bound"), also=(Derived("rff.claim"),),
        statement="TrigRF has strong concentration results, such as the uniform convergence of Claim 1 of [45]",
        conditions="compact set; exponential in the number of features",
        prints="Trigonometric RFs provide strong concentration results (e.g. uniform convergence, see Claim 1 in [45])"),
    proved_step("chefs.intro.trig/sign", f"{PAPER}, Section 1, part (b)", "chefs.2.2.trig",
        "chefs.2.2.trig/negative",
        statement=r"trigonometric features are not positive: $\mathbb P[\widehat K_1(x,y)<0]>0$",
        conditions="x != y",
        prints="they are not guaranteed to be positive"),
    stated("chefs.intro.trig/relative",
        f"{PAPER}, Section 1, parts (c), (d), our reading: the relative variance grows without bound as K falls to 0",
        variance(trigonometric(iid, m=1)) / gaussian**2 > exp(z**2) / 2 - 1,
        also=(ProvedStep("chefs.2.2.trig", "chefs.2.2.trig/variance"),),
        prints="they yield poor approximations of the partition functions"),
    Claim("chefs.intro.trig/training", f"{PAPER}, Section 1, parts (c), (d)",
        r"trigonometric features lead to unstable training", "Transformers", (NotAtHand(TRANSFORMERS),),
        Decision.UNDECIDED,
        reason=f"not at hand: {TRANSFORMERS}; what follows for the estimates is chefs.intro.trig/relative",
        prints="trigonometric features lead to unstable training"),
    stated("chefs.intro.denominator", f"{PAPER}, Section 1, Section 2.3: products of features with real A and s = +1 are exponentials",
        Side(exp(_a) * exp(_b) + exp(_w) * exp(_x)) > 0,
        statement="with positive features the denominator of self-attention is positive",
        conditions="A real, s = +1; a, b, w, x the logarithms of features of two keys",
        prints="Positive random features guarantee that the denominator in self-attention is a sum of positive numbers, hence it cannot be negative"),
    stated("chefs.intro.denominator/too-small", f"{PAPER}, Section 1: the denominator cannot be too small; read for PosRF, L = M = 1, w the normal number along x + y: at least a "
        "thousandth of its mean, almost surely",
        Side(exp(v * _w - v**2 / 2)) >= sympy.Rational(1, 1000), expected=Decision.FAILS,
        differs="positive features exclude negative denominators, not small ones: unless x = -y for all keys "
        "the estimate comes as close to 0 as one likes, with a probability that falls exponentially in M",
        correction="chefs.intro.denominator",
        prints="Positive random features guarantee that the denominator in self-attention is a sum of positive "
        "numbers, hence it cannot be negative or too small.",
        fault=Fault("ambiguous", 1,
            "none for the theorems; Section 2.3 counts near-zero values among the causes "
            "of unstable training, and positivity alone does not exclude them"),
        statement="with positive features the denominator is bounded below by a positive multiple of its mean, almost surely",
        conditions="any L, M; x != -y; the multiple is 1/1000 here, w the component of omega along x + y"),
    stated("chefs.intro.favor+/a", f"{PAPER}, Section 1, part (a), r = |x| > 0: at omega = (1 + t/r^2) x the logarithm of the feature is t, any number",
        equal((1 + t / r**2) * r**2 - r**2, t),
        statement=r"$\sup_\omega f_{\rm pos}(\omega,x)=\infty$",
        conditions="x != 0",
        prints="features are not bounded"),
    stated("chefs.intro.favor+/a-zero", f"{PAPER}, Section 1, part (a), our reading: for every x the features of omega = t x grow with t",
        increasing(exp((t - 1) * _x**2), t), expected=Decision.FAILS,
        differs="the feature of x = 0 is the constant 1; unbounded for every x != 0",
        correction="chefs.intro.favor+/a",
        prints="features are not bounded, and worse, the moment generating function of the corresponding "
        "softmax kernel estimator is not finite", fault=Fault("reading", 1, "none: a single input at the origin"),
        statement=r"$\sup_\omega f_{\rm pos}(\omega,x)=\infty$",
        conditions="x = 0 included; omega = t x"),
    proved_step("chefs.intro.favor+/b", f"{PAPER}, Section 1, part (b), for all theta > 0 and x != -y: the moment generating function of PosRF is infinite",
        "chefs.intro.favor+", "chefs.intro.favor+/ratio", "chefs.intro.favor+/exponential", "chefs.intro.favor+/growth",
        statement=r"$\mathbb Ee^{\theta Z_{\rm pos}}=\infty$",
        conditions="theta > 0, x != -y; so also for some theta",
        prints="the moment generating function of the corresponding softmax kernel estimator is not finite"),
    stated("chefs.intro.favor+/b-nonzero", f"{PAPER}, Section 1, part (b), our reading, theta = -t: some value of exp(theta Z), Z > 0, exceeds 1, without which its mean is at most 1",
        for_some(_Z, Side(exp(-t * _Z)) > 1, 0, oo), expected=Decision.FAILS,
        statement=r"$\mathbb Ee^{\theta Z_{\rm pos}}=\infty$", conditions="theta != 0",
        differs="the estimator is positive, so exp(theta Z) is at most 1 for theta < 0; the generating function "
        "is infinite for theta > 0, which is what upper tails need", correction="chefs.intro.favor+/b",
        prints="the moment generating function of the corresponding softmax kernel estimator is not finite",
        fault=Fault("reading", 1, "none: upper tails need theta > 0, and there it is infinite")),
    stated("chefs.intro.favor+/b-opposite", f"{PAPER}, Section 1, part (b), our reading: for every pair E (Z/K)^m grows with m",
        exp(m * (m - 1) * v**2 / 2) < Side(exp(m * (m + 1) * v**2 / 2)), expected=Decision.FAILS,
        differs="at x = -y the estimator is the constant K and the generating function exp(theta K); infinite for x != -y",
        correction="chefs.intro.favor+/b",
        prints="the moment generating function of the corresponding softmax kernel estimator is not finite",
        fault=Fault("reading", 1, "none: a degenerate pair, of which the paper says itself that PosRF is exact"),
        statement=r"$\mathbb Ee^{\theta Z_{\rm pos}}=\infty$",
        conditions="theta > 0, x = -y included; v = |x + y|"),
    proved_step("chefs.intro.favor+/c", f"{PAPER}, Section 1, part (c), read as what can be proved: no bound of the upper tail is exponential in M, as it would "
        "make an exponential moment finite",
        "chefs.intro.favor+", "chefs.intro.favor+/ratio", "chefs.intro.favor+/exponential", "chefs.intro.favor+/growth",
        also=(finding("K = eps = |x + y| = 1: P(Z_1 >= M (K + eps)) > exp(-c M) for c = 1, 1/10, 1/1000 at some M",
                lambda law: together(_beats_exponential(law, c) for c in ("1", "0.1", "0.001")), "lognormal",
                ("a bounded estimator in its place", "bounded")),),
        statement=r"no bound of the upper tail of the PosRF estimate is exponential in $M$: for every $c>0$, $\mathbb P[\widehat K_M\ge K+\epsilon]>e^{-cM}$ for some $M$",
        conditions="x != -y; the lower tail of positive estimators is not concerned",
        prints="no concentration results beyond those involving second moment methods (variance bounds) have been provided"),
    stated("chefs.intro.e60", f"{PAPER}, Section 1 and caption of Figure 1",
        formula("log_oprf_gain", d=64, v=10) > 60,
        statement=r"OPRFs have more than $e^{60}$ times smaller variance than PosRFs; the logarithm of the ratio is a function of $d$ and $\|x+y\|$ alone",
        conditions="d = 64, |x + y|^2 = 100; the ratio is the same for the Gaussian and the softmax kernel",
        also=(Derived("chefs.2.1.sfm"),), finite=False,
        prints=r"OPRFs have $> e^{60}$ times smaller variance when $d = 64, \|x + y\|^2 = 100$"),
    proved_step("chefs.fig1.right", f"{PAPER}, Figure 1, right, our reading of the curves",
        "chefs.3.3.gain", "chefs.3.3.gain/slope", "chefs.3.3.gain/base", "chefs.3.3.gain/concave",
        "chefs.3.3.gain/exponents",
        also=(finding("the gain falls along d = 1, 4, 16, 64, 256 at |x + y| = 1/2, 3, 10",
                lambda dims: together(
                    larger(value(log_oprf_gain, d=a, v=length), value(log_oprf_gain, d=b, v=length)) for a,
                    b in pairwise(dims) for length in ("1/2", 3, 10)),
                (1, 4, 16, 64, 256), ("reversed", (256, 64, 16, 4, 1))),),
        statement=r"the utility $\mu=\log(\mathrm{Var}_{\rm OPRF}/\mathrm{Var}_{\rm PosRF})$ is negative, falls as $\|x+y\|^2$ grows and, at a fixed $\|x+y\|^2$, rises with $d$",
        conditions="x != -y; the drawn values of d other than 64 are not printed. The exponent g is the least of d log((1+rho)/(2 rho^(1/2))) + q rho over rho, and the factor of d is positive for rho != 1, so that g rises with d",
        prints="defined as the logarithm of the ratio of the variance of OPRF and PosRF mechanisms for the Gaussian and softmax kernel estimation"))  # fmt: skip


def _beats_exponential(law: str, c: str) -> bool | None:
    """Whether P(Z >= 2 M) > exp(-c M) at one of M = 10, 100, ..., 10^6; a bounded Z has no mass there."""
    for power in range(1, 7):
        count = arb(10**power)
        mass = lognormal_above("1", 2 * count) if law == "lognormal" else arb(0)
        if mass > (-arb(c) * count).exp():
            return True
    return False


_q1, _q2, _k1, _k2, _s1, _s2, _v1, _v2 = sympy.symbols("q1 q2 k1 k2 s1 s2 v1 v2", real=True)
_first, _second = exp(_s1 / sqrt(d)), exp(_s2 / sqrt(d))

SECTION2 = (
    stated("chefs.eq1", f"{PAPER}, Section 2.1, eq. (1), for the mechanisms of the paper; GERF with complex A, and any discrete law, by derivations",
        (mean(trigonometric(iid, m=1)) == gaussian) & (mean(gerf(iid, m=1, A=SHAPE)) == gaussian)
        & (mean(gerf(iid, m=1, A=SHAPE, s=-1)) == gaussian), (UNBIASED,), draw=False,
        also=(Derived("chefs.thm3.1"), Derived("chefs.thm3.4"), Derived("chefs.thm3.5")),
        statement=r"$K(x,y)=\mathbb E_{p(\omega)}\mathrm{Re}(f^{(1)}(\omega,x)f^{(2)}(\omega,y))$ defines random features; all mechanisms of the paper satisfy it",
        conditions="the product is integrable; omega may have a discrete law",
        prints=r"K(x, y) = \mathbb{E}_{p(\omega)} \text{Re} \left(f^{(1)}(\omega, x) f^{(2)}(\omega, y) \right)"),
    stated("chefs.eq2", f"{PAPER}, Section 2.1, eq. (2), for one omega, f1 = a + i b and f2 = w + i x, y + i g at two vectors; sums over more are linear",
        equal(_c1 * (_a * _w - _b * _x) + _c2 * (_a * _y - _b * _g),
            _a * (_c1 * _w + _c2 * _y) - _b * (_c1 * _x + _c2 * _g)),
        also=(finding("attention matrix of the library against the literal features in ball arithmetic: within 1e-12",
                lambda scale: below(map_deviation("trigonometric", scale), "1e-12"), 1.0,
                ("arguments times 1.01", 1.01)),
            Derived("lemma.associative")),
        statement=r"$\sum_j\bigl(\frac1M\sum_m\mathrm{Re}(f^{(1)}(\omega_m,x^{(i)})f^{(2)}(\omega_m,y^{(j)}))\bigr)c_j=\frac1M\mathrm{Re}\bigl(\sum_mf^{(1)}(\omega_m,x^{(i)})\sum_jf^{(2)}(\omega_m,y^{(j)})c_j\bigr)$",
        conditions="complex features, real c; finite sums",
        prints=r"\frac{1}{M} \operatorname{Re} \left(\sum_{m=1}^M f^{(1)}(\omega_m, \mathbf{x}^{(i)}) \sum_{j=1}^L f^{(2)}(\omega_m, \mathbf{y}^{(j)}) \mathbf{c}_j \right)"),
    stated("chefs.2.1.cost", f"{PAPER}, Section 2.1",
        (EXACT(L, d, 1) <= 4 * d * L**2) & (OPERATOR(L, d, M, 1) <= 20 * d * M * L),
        statement=r"$\mathcal Kc$ costs $O(dL^2)$ naively and $O(dML)$ by (2)",
        conditions="one vector c; projections drawn beforehand, d M numbers",
        prints="naively would result in $O(dL^2)$ time complexity ... and then evaluating (2) in $O(dML)$ total time"),
    stated("chefs.2.1.var", f"{PAPER}, Section 2.1; in signs GERF with real A and both signs; operations of the order of M",
        (variance(gerf(iid, m=m, A=SHAPE)) == variance(gerf(iid, m=1, A=SHAPE)) / m)
        & (variance(gerf(iid, m=m, A=SHAPE, s=-1)) == variance(gerf(iid, m=1, A=SHAPE, s=-1)) / m),
        (FINITE_VARIANCE,),
        also=(Derived("lemma.average"), Derived("lemma.independent"), instance(OPERATOR(L, d, M, N) <= 13 * M * (d * L + N * L))),
        statement=r"$\mathrm{Var}_{\omega_1,\dots,\omega_M}(\cdots)=\frac1M\mathrm{Var}_{p(\omega)}(\cdots)$, and $O(M)$ operations",
        conditions="any random features with a finite variance, independent projections",
        prints="the number M of RFs controls the tradeoff between the total variance ... (inversely proportional to M) and "
        "number of computations (directly proportional to M)"),
    stated("chefs.2.1.sfm", f"{PAPER}, Section 2.1: features of one kernel are those of the other times a factor that is not random",
        (mse(gerf(iid, m=m, A=SHAPE, kernel="softmax")) == exp((v**2 + z**2) / 2) * mse(gerf(iid, m=m, A=SHAPE)))
        & (mse(trigonometric(iid, m=m, kernel="softmax")) == exp((v**2 + z**2) / 2) * mse(trigonometric(iid, m=m))),
        (FINITE_VARIANCE,), draw=False, also=(Derived("chefs.2.1.sfm"),),
        prints="any RF mechanism for the Gaussian kernel immediately transfers to the corresponding one for the softmax "
        "kernel and vice versa"),
    stated("chefs.2.2.trig", f"{PAPER}, Section 2.2",
        (mean(trigonometric(iid, m=1)) == gaussian)
        & (variance(trigonometric(iid, m=1)) == (1 - gaussian**2) ** 2 / 2), also=(Derived("chefs.2.2.trig"),
            sampled_mse(trigonometric(iid, m=1), 4, "0.5", "1", wrong=1.05)),
        prints="The variance of these RFs has the following form [15]"),
    stated("chefs.2.2.pos", f"{PAPER}, Section 2.2: (1), and positive real numbers", mean(positive(iid, m=1)) == gaussian,
        also=(ProvedStep("chefs.2.2.pos-var", "chefs.2.2.pos-var/mean"),
            ProvedStep("chefs.2.2.pos-var", "chefs.2.2.pos-var/kernel"),
            proof("the exponential of a real number is positive",
                lambda sign: (sign * exp(_w * _x - _x**2)).is_positive or False, 1, ("sign", -1))),
        prints="are always positive real numbers"),
    stated("chefs.2.2.pos-var", f"{PAPER}, Section 2.2, with 4 x.y = |x + y|^2 - |x - y|^2",
        variance(positive(iid, m=1)) == exp(v**2 - z**2) - gaussian**2, also=(Derived("chefs.2.2.pos-var"),
            sampled_mse(positive(iid, m=1), 4, "0.5", "0.4", blocks=4 * QUARTER)),
        prints="PosRF variance has the form [15]"),
    stated("chefs.eq3",
        f"{PAPER}, Section 2.3, eq. (3), softmax of the rows; an entry of Y for two keys, s1 and s2 their products with the query; the display calls x^(i) and y^(j) x_i and y_j",
        equal(_first / (_first + _second) * _v1 + _second / (_first + _second) * _v2, (_first * _v1 + _second * _v2) / (_first + _second)),
        also=(proof("d^(-1/4) twice is d^(-1/2)",
                lambda power: sympy.simplify((d**power) ** 2 - d ** sympy.Rational(-1, 2)) == 0,
                sympy.Rational(-1, 4), ("exponent -1/4 -> -1/2", sympy.Rational(-1, 2))),),
        statement=r"$\mathrm{softmax}(d^{-1/2}Q\mathsf K^\top)V=\mathrm{diag}(\mathcal K_{\rm sfm}\mathbf 1_L)^{-1}\mathcal K_{\rm sfm}V$",
        conditions="any L and d, x^(i) and y^(j) the rows of Q and K over d^(1/4); products are sums over coordinates, entries of Y quotients of sums over keys",
        prints=r"\mathbf{Y} = \operatorname{softmax}(d^{-1/2} \mathbf{Q}\mathbf{K}^\top) \mathbf{V} = "
        r"\operatorname{diag}(\mathcal{K}_{\text{sfm}} \mathbf{1}_L)^{-1} \mathcal{K}_{\text{sfm}} \mathbf{V}"),
    stated("chefs.eq3/columns", f"{PAPER}, Section 2.3, eq. (3), our reading: softmax of the columns; two queries and two keys in one dimension",
        equal(exp(_q1 * _k1) / (exp(_q1 * _k1) + exp(_q2 * _k1)), exp(_q1 * _k1) / (exp(_q1 * _k1) + exp(_q1 * _k2))),
        expected=Decision.FAILS,
        differs="dividing by diag(K_sfm 1_L) normalises the rows, so (3) is right for the softmax of the rows, "
        "the usual one, and wrong for that of the columns", correction="chefs.eq3",
        prints="the self-attention mechanism returns the following result",
        fault=Fault("reading", 1, "none: the right side of (3) shows that rows are meant")),
    stated("chefs.2.3.cost", f"{PAPER}, Section 2.3",
        (EXACT(L, d, d + 1) <= 6 * d * L**2) & (OPERATOR(L, d, M, d + 1) <= 22 * d * M * L),
        also=(instance(OPERATOR(L, 32, 8, 33) > EXACT(L, 32, 33), L <= 17),
            instance(OPERATOR(L, 32, 8, 33) < EXACT(L, 32, 33), L >= 18)),
        statement=r"attention is $\mathcal K_{\rm sfm}$ applied to $d+1$ vectors, $O(dL^2)$ exactly and $O(dML)$ by random features",
        conditions="n = d + 1 vectors; at d = 32, M = 8 random features save operations from L = 18 on, a little above 2 M",
        prints="can reduce the computational complexity from $O(dL^2)$ to $O(dML)$"),
    stated("chefs.2.3.stability/negative", f"{PAPER}, Section 2.3",
        Side(exp(_a) * exp(_b) + exp(_w) * exp(_x)) > 0, also=(ProvedStep("chefs.2.2.trig", "chefs.2.2.trig/negative"),),
        statement="the approximation of a denominator by TrigRF is negative, and near zero, with positive probability; that by positive features is never negative",
        conditions="one key, x != y; a, b, w, x the logarithms of features of two keys"),
    Claim("chefs.2.3.stability/training", f"{PAPER}, Section 2.3",
        r"negative or near-zero denominators make training unstable", "Transformers", (NotAtHand(TRANSFORMERS),),
        Decision.UNDECIDED, reason=f"not at hand: {TRANSFORMERS}",
        prints="can take negative and/or near-zero values, training is unstable"))  # fmt: skip

CLAIMS = (*ABSTRACT, *INTRODUCTION, *SECTION2)
