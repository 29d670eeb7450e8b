"""Section 4, second half: orthogonality gaps of positive and of Fourier features, the threshold z_crit, large d."""

from __future__ import annotations

import sympy
from sympy import Rational, exp, gamma, hyper, pi, rf, sqrt

from rftheory.author import O, conformity, equal, formula, gap, iid, increasing, mse, orthogonal
from rftheory.exact.positive import PRINTED_GAP, prf_gap
from rftheory.exact.symbols import d, k, m, v, z
from rftheory.exact.trigonometric import trig_gap, trig_mse_orf, trig_pair_orf
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.simplex.notation import (IIDRF, MILLION, ORF, PAPER, RFF_IID, RFF_ORF, error_sample,
    proof_steps)  # fmt: skip
from rftheory.papers.statistics import pair_product, pair_product_difference, pair_product_law
from rftheory.papers.steps import proved_step, refuted_step
from rftheory.statement.evidence import (Derived, FailingStep, ProvedStep, SameValue, SampledMean,
    SampledOrder, Slow, other)  # fmt: skip

_large = sympy.Symbol("x", positive=True)
_PAIR = hyper((d,), (d / 2,), -(z**2) / 2)
"""E cos(w_1.z) cos(w_2.z) of orthogonal rows."""

GAPS = (
    stated("simplex.cor4.4", f"{PAPER}, Corollary 4.4, eq. (25)",
        gap(ORF) == exp(-(v**2) - z**2) * (m - 1) / m * (exp(v**2) - hyper((d,), (d / 2,), v**2)),
        over=(d >= 2, m <= d), also=(FailingStep("simplex.cor4.4", "simplex.cor4.4/(25)"),), expected=Decision.FAILS,
        differs="2^k is missing under v^(2k): the argument of the series is v^2/2. As printed the gap would be negative for every "
        "v > 0 and m >= 2, where it is positive", correction="simplex.cor4.4.corrected",
        prints="v2k k! Γ(k + d) Γ(k + d/2) ) (25) where x,y ∈ Rd",
        fault=Fault("slip", 2,
            "the sign of the gap stands, as (69) has the factor, and so do (26) and (76); whoever evaluates (25) "
            "finds ORFs worse than IIDRFs")),
    stated("simplex.cor4.4/(70)", f"{PAPER}, proof of Corollary 4.4, eq. (70)",
        1 - rf(d, k) / (2**k * rf(d / 2, k)) > 0, over=(d >= 2, k >= 0), expected=Decision.FAILS,
        differs="the bracket is 0 at k = 0 and k = 1, and positive from k = 2 on, so that the gap, 'positive everywhere' in the "
        "corollary, is 0 at x = -y",
        correction="simplex.cor4.4.corrected",
        prints="This is positive everywhere ... so the series expansion is positive",
        fault=Fault("missing condition", 1, "none: the terms from k = 2 on make the series positive for v > 0")),
    stated("simplex.cor4.4.corrected", "corrects Corollary 4.4",
        (gap(ORF) == exp(-(v**2) - z**2) * (m - 1) / m * (exp(v**2) - hyper((d,), (d / 2,), v**2 / 2))) & (
            gap(ORF) >= 0),
        over=(d >= 2, m <= d),
        also=(Derived("simplex.cor4.4"),
            SameValue(prf_gap,
                ({"d": 2, "m": 2, "v": 0, "x": 1, "y": 1}, {"d": 6, "m": 6, "v": "3/2", "x": "3/4", "y": "5/4"},
                    {"d": 64, "m": 64, "v": "1e-8", "x": 1, "y": 1}, {"d": 7, "m": 5, "v": 10, "x": 5, "y": 5}),
                planted=PRINTED_GAP),
            Slow(SampledOrder("orthogonal below iid, d = 4, v = 0.7",
                pair_product_difference("orthogonal", "iid", 4, "0.7"), 4 * MILLION)))),
    stated("simplex.thm4.5", f"{PAPER}, Theorem 4.5, eq. (26)",
        gap(RFF_ORF) == (m - 1) / m * (exp(-(z**2)) - hyper((d,), (d / 2,), -(z**2) / 2)), over=(d >= 2, m <= d),
        also=(Derived("simplex.thm4.5"),
            SameValue(trig_gap,
                ({"d": 2, "m": 2, "z": 0}, {"d": 6, "m": 6, "z": "3/2"}, {"d": 64, "m": 13, "z": "1e-8"},
                    {"d": 7, "m": 7, "z": 20}, {"d": 4096, "m": 64, "z": 100}),
                planted=(m - 1) / m * (exp(-(z**2)) - trig_pair_orf.expression.subs(z, 2 * z))),
            SameValue(trig_mse_orf, ({"d": 6, "m": 6, "z": "3/2"}, {"d": 6, "m": 13, "z": "1/2"}),
                planted=2 * trig_mse_orf.expression),
            Slow(SampledMean("E cos(w_1.z) cos(w_2.z), orthogonal, d = 4, z = 1",
                pair_product("orthogonal", 4, "1", "trigonometric"),
                pair_product_law("orthogonal", 4, "1", "trigonometric"),
                other(pair_product_law("iid", 4, "1", "trigonometric")), MILLION)),
            error_sample("trigonometric", "iid", 8, 8, "1"),
            error_sample("trigonometric", "orthogonal", 8, 8, "1"))))  # fmt: skip

PRF_STEPS = (
    stated("simplex.cor4.4/(68)", f"{PAPER}, App. A.7, (68)",
        mse(IIDRF) - mse(ORF) == exp(-(v**2) - z**2) * (m - 1) / m * (conformity(iid, 2) - conformity(orthogonal)),
        over=(d >= 2, m <= d), draw=False, also=(ProvedStep("simplex.cor4.4", "simplex.cor4.4/(68)"),),
        statement=r"$\Delta\mathrm{MSE}(\hat K(\mathbf x,\mathbf y))=e^{-2(x^2+y^2)}\frac{m-1}m\bigl(\rho_{\mathrm{IIDRF}}(\mathbf x,\mathbf y)-\rho_{\mathrm{ORF}}"
        r"(\mathbf x,\mathbf y)\bigr)$", conditions="positive features, 2 (x^2 + y^2) = v^2 + z^2"),
    *proof_steps("simplex.cor4.4", "App. A.7", "positive features",
        ("(69)", r"$e^{v^2}-\frac{\Gamma(\frac d2)}{\Gamma(d)}\sum_{k=0}^\infty\frac{v^{2k}}{2^kk!}\frac{\Gamma(k+d)}{\Gamma(k+\frac d2)}=\sum_{k=0}^\infty"
            r"\frac{v^{2k}}{k!}\Bigl(1-\frac{(k+d-1)!}{(d-1)!}\frac{(d-2)!!}{(2k+d-2)!!}\Bigr)$, both times $e^{-2(x^2+y^2)}\frac{m-1}m$")))  # fmt: skip

RFF_STEPS = (
    *proof_steps("simplex.thm4.5", "App. A.8", "trigonometric features, each vector N(0, I)",
        ("(71)", r"$\phi_{\mathrm{RFF}}(\mathbf z)\overset{\mathrm{def}}=\sqrt{\tfrac1m}\bigl(\odot_{i=1}^m[\sin(\mathbf w_i^\top\mathbf z),\cos(\mathbf w_i^\top"
            r"\mathbf z)]\bigr)^\top$, judged by one term of $\phi(\mathbf x)^\top\phi(\mathbf y)$", "(72)"),
        ("(72)", r"$\hat K=\phi(\mathbf x)^\top\phi(\mathbf y)=\frac1m\sum_{i=1}^m\cos\mathbf w_i^\top(\mathbf x-\mathbf y)=\frac1m\sum_{i=1}^ma_i$"),
        ("(73)", r"$a_i\overset{\mathrm{def}}=\cos(\mathbf w_i^\top\mathbf z)$ with $\mathbf z=\mathbf x-\mathbf y$; $\mathbb E[a_i]=e^{-z^2/2}$", "(73) mean"),
        ("(74)", r"$\mathrm{MSE}(\hat K)=\frac1m\Bigl[\frac{(1-e^{-z^2})^2}2+(m-1)\Bigl(\frac1{m(m-1)}\sum_i\sum_{i\ne j}\mathbb E[a_ia_j]-e^{-z^2}\Bigr)\Bigr]$",
            "second moment", "square of the sum", "(74)"),
        ("(product of cosines)", r"$\cos\mathbf w_i^\top\mathbf z\,\cos\mathbf w_j^\top\mathbf z=\frac12\bigl(\cos((\mathbf w_i+\mathbf w_j)^\top\mathbf z)+"
            r"\cos((\mathbf w_i-\mathbf w_j)^\top\mathbf z)\bigr)$"),
        ("(simplex sums and differences)", r"for vectors that are (a) i.i.d. or (b) orthogonal, the distributions of $\mathbf w_i+\mathbf w_j$ and $\mathbf w_i-"
            r"\mathbf w_j$ are identical; in the simplex coupling case they will follow different distributions"),
        ("(75)", r"$\mathbb E[\cos\mathbf w_{ij}^\top\mathbf z]=\Gamma(d/2)2^{\frac d2-1}\int_0^\infty dw_{ij}\,p(w_{ij})(w_{ij}z)^{1-\frac d2}J_{\frac d2-1}"
            r"(w_{ij}z)$, judged for each length of the resultant"),
        ("(76)", r"$\Delta\mathrm{MSE}(\hat K(\mathbf x,\mathbf y))=\frac{m-1}m\Bigl(e^{-z^2}-\frac{\Gamma(d/2)}{\Gamma(d)}\sum_{k=0}^\infty\frac{(-z^2)^k}{2^kk!}"
            r"\frac{\Gamma(k+d)}{\Gamma(k+d/2)}\Bigr)$", "E_iid(a_1 a_2)", "E_ort(a_1 a_2)", "(76)")),
    refuted_step("simplex.thm4.5/(76) from (25)", f"{PAPER}, App. A.8, text before eq. (76)", "simplex.thm4.5",
        "simplex.thm4.5/(76) from (25)",
        statement=r"inspecting Eq. 25, with $v\to-iz$, gives (26)",
        conditions="as printed",
        differs="Eq. 25 as printed lacks 2^k; from the corrected (25), or from (69), (26) follows",
        correction="simplex.thm4.5/(76)",
        prints="inspecting Eq. 25, we can immediately state the RFF orthogonality gap",
        fault=Fault("slip", 1, told_by="simplex.cor4.4")),
    proved_step("simplex.thm4.5/(v to -iz)", f"{PAPER}, App. A.8, after eq. (75)", "simplex.thm4.5",
        "simplex.thm4.5/E_ort(a_1 a_2)", "simplex.thm4.5/E_iid(a_1 a_2)",
        statement=r"the expression is that of (31) with $v\to-iz$, so all the previously stated IIDRF and ORF results carry over",
        conditions="the conformities (19) and (23)"),
    stated("simplex.thm4.5/(v to -iz) MSE",
        f"{PAPER}, App. A.8, after eq. (75), for all results: (11) at v = -i z and m = 1, against (74)",
        equal(exp(-2 * z**2) - exp(-(z**2)), (1 - exp(-(z**2))) ** 2 / 2), over=z > 0, expected=Decision.FAILS,
        differs="the substitution holds for the cross terms E b_i b_j alone: E cos^2 is not E e^(2 w.v) at v = -i z, and (11) would be negative",
        correction="simplex.thm4.5/(v to -iz)",
        prints="we can obtain all the previously stated IIDRF and ORF results in the RFF setting with minimal extra "
        "work",
        fault=Fault("reading", 1, "none: the error of trigonometric features has its own formula, (74)")))  # fmt: skip


THRESHOLD = (
    stated("simplex.s4.zcrit", f"{PAPER}, Sec. 4.1: the gap is positive for 0 < z^2 <= d/3 in every d >= 2, so that "
        "z_crit(d) >= sqrt(d/3) diverges; its leading term at each fixed z; z_crit in four dimensions",
        (gap(RFF_ORF) == (m - 1) * z**4 * exp(-(z**2)) / (2 * m * d) + O(1 / d**2))
            & (formula("z_crit", d=3) > Rational("3.3")) & (formula("z_crit", d=23) > Rational("4.6"))
            & (formula("z_crit", d=64) > Rational("6.9")) & (formula("z_crit", d=256) > Rational("12.9")),
        over=(m >= 2, m <= d, z > 0), draw=False, also=(Derived("simplex.zcrit.energy"),)),
    refuted_step("simplex.s4.zcrit/every d", f"{PAPER}, Sec. 4.1, for every d, of which d = 2 is judged", "simplex.zcrit.plane",
        "simplex.zcrit.plane/threshold",
        statement=r"there is a threshold $z_{\mathrm{crit}}(d)$ beyond which ORFs stop being better", conditions="RFFs, d >= 2",
        differs="at d = 2 the gap is positive for every z > 0: e^(z^2) gap = 1 - (1 - z^2/2) e^(z^2/2) >= z^4/8. A first change of sign exists in every d >= 3 "
        "(simplex.added.zcrit-growth); beyond it the gap can become positive again (d = 5, z = 5)",
        correction="simplex.s4.zcrit/plane",
        prints="a cursory numerical analysis reveals that the MSE of ORFs is smaller than IIDRFs up to some "
        "threshold", fault=Fault("missing condition", 1, "none: at d = 2 ORFs are better at every z")),
    proved_step("simplex.s4.zcrit/plane", "corrects Reid et al., Sec. 4.1, at d = 2", "simplex.zcrit.plane",
        "simplex.zcrit.plane/gap", "simplex.zcrit.plane/closed form", "simplex.zcrit.plane/statement",
        statement=r"at $d=2$ orthogonal RFFs have the lower MSE at every $z>0$",
        conditions="m >= 2",
        also=(Derived("simplex.zcrit.plane"),)),
    stated("simplex.s4.zcrit/increasing", f"{PAPER}, Sec. 4.1, read as growing with d",
        increasing(formula("z_crit"), d), over=d >= 3, expected=Decision.FAILS,
        differs="it falls from 3.3111 at d = 3 to 2.9491 at d = 7 and rises by jumps after that (3.642 at d = 22, 4.618 at d = 23)",
        correction="simplex.s4.zcrit", prints="up to some threshold zcrit(d), the value of which diverges as d",
        fault=Fault("reading", 1, "none: the text says that z_crit diverges, which it does")))  # fmt: skip

LARGE_D = (
    stated("simplex.cor4.6", f"{PAPER}, Corollary 4.6, eq. (27)",
        mse(RFF_ORF) / mse(RFF_IID) == 1 - (m - 1)
            * (exp(-(z**2)) * z**4 / (d * (1 - exp(-(z**2))) ** 2) + O(1 / d**2)),
        over=(m >= 2, m <= d, z > 0), draw=False, also=(error_sample("trigonometric", "orthogonal", 16, 16, "1"),),
        prints="The ratio of ORF to IIDRF kernel estimator MSE is given by"),
    *proof_steps("simplex.cor4.6", "App. A.9", "RFFs, $m\\le d$; ~ and $\\simeq$ for large d at fixed k",
        ("(78)", r"$\mathbb E_{\mathrm{ort}}(a_1a_2)-e^{-z^2}$ can be written as the series expansion $\sum_{k=0}^\infty\frac{(-z^2)^k}{k!}\Bigl(\frac1{2^k}"
            r"\frac{\Gamma(k+d)\Gamma(\frac d2)}{\Gamma(k+\frac d2)\Gamma(d)}-1\Bigr)$"),
        ("(80) second line", r"the quotient of (80) is $\sqrt{\frac{(k+d-1)(\frac d2-1)}{(k+\frac d2-1)(d-1)}}\cdot\frac1{2^k}\Bigl(\frac{k+d-1}{k+\frac d2-1}\Bigr)^k"
            r"\cdot\frac{(1+\frac k{d-1})^{d-1}}{(1+\frac k{\frac d2-1})^{\frac d2-1}}$, its exponent read as k + d - 1"),
        ("(81)", r"$\sqrt{\frac{(k+d-1)(\frac d2-1)}{(k+\frac d2-1)(d-1)}}\simeq1-\frac k{2d}$"),
        ("(82)", r"$\frac1{2^k}\Bigl(\frac{k+d-1}{k+\frac d2-1}\Bigr)^k\simeq1-\frac{k(k-1)}d$"),
        ("(83)", r"$\frac{(1+\frac k{d-1})^{d-1}}{(1+\frac k{\frac d2-1})^{\frac d2-1}}\simeq1+\frac{k^2}{2d}$"),
        ("(84)", r"$\frac1{2^k}\frac{\Gamma(k+d)\Gamma(\frac d2)}{\Gamma(k+\frac d2)\Gamma(d)}\simeq1-\frac{k(k-1)}{2d}$", "(84)", "lower bound", "upper bound"),
        ("(85) second", r"$-\sum_{k=0}^\infty\frac{(-z^2)^k}{k!}\frac{k(k-1)}{2d}=-\frac{z^4}{2d}e^{-z^2}$"),
        ("(86)", r"$\frac{\mathrm{MSE}(\hat K_{\mathrm{ORF}})}{\mathrm{MSE}(\hat K_{\mathrm{IIDRF}})}=1-(m-1)\Bigl(\frac{e^{-z^2}z^4}{d(1-e^{-z^2})^2}+"
            r"\mathcal O\bigl(\frac1{d^2}\bigr)\Bigr)$", "(27)", "rest from above", "rest from below")),
    stated("simplex.cor4.6/(77) corrected", "corrects eq. (77)",
        mse(RFF_ORF) / mse(RFF_IID) == 1 + 2 * (m - 1) / (1 - exp(-(z**2))) ** 2 * (_PAIR - exp(-(z**2))), over=(d >= 2, m >= 2, m <= d, z > 0), draw=False),
    stated("simplex.cor4.6/(77)", f"{PAPER}, App. A.9, eq. (77)",
        mse(RFF_ORF) / mse(RFF_IID) == 1 + 2 * (m - 1) / (1 + exp(-(z**2))) ** 2 * (_PAIR - exp(-(z**2))),
        over=(d >= 2, m >= 2, m <= d, z > 0), draw=False, expected=Decision.FAILS,
        differs="the denominator is (1 - e^(-z^2))^2, twice the variance of a cosine; (86) is written with the right one",
        correction="simplex.cor4.6/(77) corrected",
        prints="it is straightforward to reason that the ratio of MSEs is given by ... (1 + e−z2)2 (Eort(a1a2)− "
        "e−z2)",
        fault=Fault("slip", 1, "none: (86) is written with the right denominator")),
    stated("simplex.cor4.6/(79)", f"{PAPER}, App. A.9, eq. (79), as an equality",
        equal(gamma(_large + 1), sqrt(2 * pi * _large) * exp(-_large) * _large**_large), expected=Decision.FAILS,
        differs="both sides diverge: it is their quotient that tends to 1 (sqrt(2 pi x) e^(-x) x^x < Gamma(x+1) < the same times e^(1/(12x)))",
        correction="simplex.cor4.6/(79) corrected",
        prints="Recalling Stirling’s formula for the asymptotic form of the Gamma function",
        fault=Fault("slip", 1, "none: the formula is used for quotients, for which it is right")),
    proved_step("simplex.cor4.6/(79) corrected", "corrects eq. (79): Robbins' form of Stirling's formula",
        "simplex.cor4.6", "simplex.cor4.6/(79) below", "simplex.cor4.6/(79) above"),
    refuted_step("simplex.cor4.6/(80)", f"{PAPER}, App. A.9, first line of eq. (80)", "simplex.cor4.6",
        "simplex.cor4.6/(80) first line",
        differs="the exponent of k + d - 1 is k + d - 1, not m + d - 1, and the right side is an approximation that still depends on d (the limit is 1)",
        correction="simplex.cor4.6/(80) second line",
        prints="(k + d− 1)m+d−1(d2 − 1)",
        fault=Fault("slip", 1, "none: the line after it has the right exponent")),
    refuted_step("simplex.cor4.6/(85)", f"{PAPER}, App. A.9, first equality of eq. (85)", "simplex.cor4.6",
        "simplex.cor4.6/(85) first",
        differs="true up to O(1/d^2): the rest is bounded by sum_k z^(2k)/k! k(k-1)(k^2+3k-2)/(8 d^2), which makes the termwise limit legitimate",
        correction="simplex.cor4.6",
        prints="It follows that ... Putting this into Eq. 77",
        fault=Fault("slip", 1, told_by="simplex.cor4.6/(79)")),
    refuted_step("simplex.cor4.6/(86) from (77)", f"{PAPER}, App. A.9, text before eq. (86)", "simplex.cor4.6",
        "simplex.cor4.6/(86) from (77)",
        statement="putting (85) into Eq. 77 gives (86)",
        conditions="with (77) as printed",
        differs="(77) as printed would give (1 + e^(-z^2))^2 in the denominator of (86); (86) is right and follows from the corrected (77)",
        correction="simplex.cor4.6/(86)",
        prints="Putting this into Eq. 77, ... as reported in Eq. 27",
        fault=Fault("slip", 1, told_by="simplex.cor4.6/(77)")),
    stated("simplex.s4.rff-limit",
        f"{PAPER}, Sec. 4.1 after eq. (27), App. A.9 end, at each fixed z and m: the leading term is positive",
        gap(RFF_ORF) == (m - 1) * z**4 * exp(-(z**2)) / (2 * m * d) + O(1 / d**2), over=(m >= 2, m <= d, z > 0), draw=False,
        also=(Derived("simplex.zcrit.energy"),)),
    stated("simplex.s4.rff-limit/everywhere", f"{PAPER}, Sec. 4.1 after eq. (27), read for one large d",
        gap(RFF_ORF) > 0, over=(d >= 3, m >= 2, m <= d, z > 0), draw=False, expected=Decision.FAILS,
        differs="the limit is not uniform in z: just beyond z_crit(d), its first change of sign, which exists in every d >= 3 (simplex.added.zcrit-growth), the gap is negative, and further on it can change its sign again. "
        "It is positive for 0 < z < z_crit(d), and z_crit(d) tends to infinity",
        correction="simplex.s4.zcrit",
        prints="The negative subleading term shows that the RFF orthogonality gap is positive everywhere when d",
        fault=Fault("ambiguous", 1, "none: Section 4.1 speaks of the threshold itself")))  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*GAPS, *PRF_STEPS, *RFF_STEPS, *THRESHOLD, *LARGE_D)
