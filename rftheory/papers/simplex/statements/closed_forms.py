"""Section 4, first half: densities of |w_i + w_j| and closed forms of the conformities, step by step."""

from __future__ import annotations

from sympy import Integral, Symbol, exp, pi, sin, sqrt, symbols

from rftheory.author import conformity, equal, iid, orthogonal, simplex
from rftheory.exact.conformity import iid_pair_density, orf_pair_density
from rftheory.exact.symbols import c, d, k, phi, v, w
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.simplex.notation import PAPER, conformity_sample, proof_steps
from rftheory.papers.statistics import squared_resultant, squared_resultant_law
from rftheory.papers.steps import proved_step, refuted_step
from rftheory.statement.evidence import Derived, Identity, ProvedStep, SampledMean, Slow, times

_t = Symbol("t", positive=True)
_one, _two = symbols("w_i w_j", nonnegative=True)

CONFORMITIES = (
    stated("simplex.lem4.1", f"{PAPER}, Lemma 4.1, eqs (18), (19)",
        conformity(iid, 2) == exp(v**2), draw=False,
        statement=r"$p_{\mathrm{i.i.d.}}(w_{ij})=\frac{w_{ij}^{d-1}e^{-w_{ij}^2/4}}{2^{d-1}\Gamma(\frac d2)}$ and $\rho_{\mathrm{IIDRF}}=e^{v^2}$",
        conditions="w_i, w_j independent N(0, I_d)",
        also=(ProvedStep("simplex.lem4.1", "simplex.lem4.1/(52)"), ProvedStep("simplex.lem4.1", "simplex.lem4.1/(19)"),
            Derived("simplex.lem4.1"), Slow(SampledMean("E |w_1 + w_2|^2, iid, d = 5", squared_resultant("iid", 5), squared_resultant_law("iid", 5), times(1.02), 2**18)), conformity_sample("iid", 3, "0.5"))),
    proved_step("simplex.lem4.2", f"{PAPER}, Lemma 4.2, eq. (20)", "simplex.lem4.2",
        statement=r"$p_\theta(w)=\frac{w^{2d-1}}{2^{d-2}\Gamma(\frac d2)^2}\int_0^{\pi/2}d\phi\,(\sin\phi\cos\phi)^{d-1}"
        r"\frac{e^{-w^2/(2(1+\sin2\phi\cos\theta))}}{(1+\sin2\phi\cos\theta)^d}$",
        conditions="marginally Gaussian pair at the fixed angle theta, d >= 2",
        also=(conformity_sample("simplex", 3, "0.5"),)),
    refuted_step("simplex.lem4.2/(56)", f"{PAPER}, proof of Lemma 4.2, first line of eq. (56)", "simplex.lem4.2",
        "simplex.lem4.2/(56) first line",
        differs="the first denominator must be 1 + sin(2 phi) cos(theta) and the last one its square root; the second line is right",
        correction="simplex.lem4.2",
        prints="Differentiating wrt w′ to get the pdf",
        fault=Fault("slip", 1, "none: the second line of (56), and with it (20), is right")),
    proved_step("simplex.s4.chi2d", f"{PAPER}, Sec. 4, eqs (57), (58)", "simplex.s4.chi2d",
        statement=r"for orthogonal vectors $p(w)=\frac{w^{2d-1}e^{-w^2/2}}{2^{d-1}\Gamma(d)}$, the $\chi_{2d}$ density",
        conditions="theta = pi/2, d >= 2",
        also=(Slow(SampledMean("E |w_1 + w_2|^2, orthogonal, d = 5", squared_resultant("orthogonal", 5),
                squared_resultant_law("orthogonal", 5), times(1.02), 2**18)),)),
    proved_step("simplex.eq21", f"{PAPER}, eq. (21)", "simplex.eq21",
        statement=r"$\rho_\theta=\frac1{2^{d-1}\Gamma(\frac d2)}\int_0^\pi d\phi\,(\sin\phi)^{d-1}\sum_{k\ge0}"
        r"\frac{v^{2k}(1+\sin\phi\cos\theta)^k}{2^kk!\,\Gamma(k+\frac d2)}\Gamma(k+d)$",
        conditions="pair at the fixed angle theta, d >= 2"),
    stated("simplex.eq22", f"{PAPER}, eq. (22), for each k in the sum of (21)",
        Integral(sin(phi) ** (d - 1) * (1 - sin(phi) / (d - 1)) ** k, (phi, 0, pi))
            < Integral(sin(phi) ** (d - 1), (phi, 0, pi)), over=(d >= 2, k >= 0), expected=Decision.FAILS,
        differs="equal at k = 0; strictly smaller for every k >= 1, which suffices for the conclusion when v > 0",
        correction="simplex.cor3.3.corrected",
        prints="every term in the sum over k is proportional to the integral ... which is strictly smaller for cos "
        "θ < 0 compared to cos θ = 0",
        fault=Fault("missing condition", 1, told_by="simplex.cor3.3")),
    proved_step("simplex.thm4.3", f"{PAPER}, Theorem 4.3, eqs (23), (24)", "simplex.thm4.3",
        "simplex.thm4.3/(65)", "simplex.thm4.3/(67)",
        statement=r"$\rho_{\mathrm{ORF}}=\frac{\Gamma(\frac d2)}{\Gamma(d)}\sum_k\frac{v^{2k}}{2^kk!}\frac{\Gamma(k+d)}{\Gamma(k+\frac d2)}$, "
        r"$\rho_{\mathrm{SimRF}}=\frac{\sqrt\pi}{\Gamma(\frac d2)2^{d-1}}\sum_k\frac{\Gamma(k+d)}{\Gamma(k+\frac d2)}\frac{v^{2k}}{2^k}"
        r"\sum_{p=0}^k\bigl(-\frac1{d-1}\bigr)^p\frac{\Gamma(\frac{d+p}2)}{\Gamma(\frac{d+p+1}2)}\frac1{(k-p)!\,p!}$",
        conditions="positive features, d >= 2",
        also=(Derived("simplex.thm4.3"), *(conformity_sample(name, n, "0.5") for n in (64, 2) for name in ("orthogonal", "simplex")))))  # fmt: skip

STEPS = (
    *proof_steps("simplex.lem4.1", "App. A.4", "independent vectors, both N(0, I)",
        ("(52)", r"each component of $\mathbf w_i+\mathbf w_j$ is $\mathcal N(0,2)$, so that $p(w_{ij})=\frac{w_{ij}^{d-1}e^{-w_{ij}^2/4}}{2^{d-1}\Gamma(\frac d2)}$",
            "component", "(52)"),
        ("(53)", r"$\rho(\mathbf x,\mathbf y)=\Gamma\bigl(\frac d2\bigr)\int_0^\infty dw\,\frac{w^{d-1}e^{-w^2/4}}{2^{d-1}\Gamma(\frac d2)}\sum_{k=0}^\infty"
            r"\frac{v^{2k}w^{2k}}{2^{2k}k!\,\Gamma(k+\frac d2)}=\sum_{k=0}^\infty\frac{v^{2k}}{k!}$", "(53) exchange", "(53)"),
        ("(53) sum", r"$\sum_{k=0}^\infty\frac{v^{2k}}{k!}=e^{v^2}$"),
        ("(identity used)", r"$\int_{w=0}^\infty dw\,w^{2z-1}e^{-w^2/2}=2^{z-1}\Gamma(z)$")),
    stated("simplex.lem4.1/(second route)", f"{PAPER}, App. A.4, (second route)", conformity(iid, 2) == exp(v**2), draw=False,
        also=(ProvedStep("simplex.lem4.1", "simplex.lem4.1/(second route) mean"),
            ProvedStep("simplex.lem4.1", "simplex.lem4.1/(second route)")),
        statement=r"$\rho(\mathbf x,\mathbf y)=\mathbb E[e^{\mathbf w_1^\top\mathbf v}]\,\mathbb E[e^{\mathbf w_2^\top\mathbf v}]=e^{v^2}$",
        conditions="independent vectors, both N(0, I)"),
    *proof_steps("simplex.lem4.2", "App. A.5", r"$\mathbf w_i,\mathbf w_j$ marginally Gaussian, conditioned to subtend a fixed angle $\theta$ ($\cos\theta=c$)",
        ("(ellipse)", r"a constant $w$ surface will trace out an ellipse in $(w_i,w_j)$ space with semi-axes $\frac w{\sqrt{1\pm\cos\theta}}$"),
        ("(54)", r"$p(w<w')=\int_{\mathcal A}p_\chi(w_i)p_\chi(w_j)\,dw_i\,dw_j$, where $\mathcal A$ is the area in the positive quadrant bounded by an ellipse of "
            r"constant $w=w'$, judged by the norm in polar coordinates", "norm in polar coordinates"),
        ("(55)", r"$p(w<w')=\int_{\phi=0}^{\pi/2}d\phi\int_{r=0}^{\frac{w'}{\sqrt{1+\sin(2\phi)\cos\theta}}}dr\,r\,p_\chi(r\cos\phi)\,p_\chi(r\sin\phi)$",
            "norm in polar coordinates", "(54) to (55), area"),
        ("(56) second line", r"$p(w)=\frac{w^{2d-1}}{2^{d-2}\Gamma(\frac d2)^2}\int_{\phi=0}^{\pi/2}d\phi\,(\sin\phi\cos\phi)^{d-1}\frac{e^{-\frac{w^2}"
            r"{2(1+\sin2\phi\cos\theta)}}}{(1+\sin2\phi\cos\theta)^d}$", "scale", "exchange", "(56) second line")),
    *proof_steps("simplex.s4.chi2d", "App. A.5", r"$\theta=\pi/2$",
        ("(57) first", r"$p(w)=\frac{w^{2d-1}}{2^{d-2}\Gamma(\frac d2)^2}\int_{\phi=0}^{\pi/2}d\phi\,(\sin\phi\cos\phi)^{d-1}e^{-\frac{w^2}2}$"),
        ("(57) second", r"$\frac{w^{2d-1}}{2^{d-2}\Gamma(\frac d2)^2}\int_{\phi=0}^{\pi/2}d\phi\,(\sin\phi\cos\phi)^{d-1}e^{-\frac{w^2}2}="
            r"\frac{w^{2d-1}}{2^{2d-2}\Gamma(\frac d2)^2}\int_{\phi=0}^\pi d\phi\,(\sin\phi)^{d-1}e^{-\frac{w^2}2}$", "(57) first", "double angle", "(57) second"),
        ("(57) third", r"$\frac{w^{2d-1}}{2^{2d-2}\Gamma(\frac d2)^2}\int_{\phi=0}^\pi d\phi\,(\sin\phi)^{d-1}e^{-\frac{w^2}2}=\sqrt\pi\,\frac{w^{2d-1}}"
            r"{2^{2d-2}\Gamma(\frac d2)\Gamma(\frac d2+\frac12)}e^{-\frac{w^2}2}$"),
        ("(Legendre duplication)", r"$\sqrt\pi\,\Gamma(2z)=2^{2z-1}\Gamma(z)\Gamma(z+\tfrac12)$, judged where it is used, at $z=\frac d2$"),
        ("(58)", r"$p(w)=\frac{w^{2d-1}e^{-w^2/2}}{2^{d-1}\Gamma(d)}$, a $\chi_{2d}$ distribution")),
    *proof_steps("simplex.eq21", "App. A.6", r"pairs that subtend the angle $\theta$ ($\cos\theta=c$), all $w_{ij}$ with the same distribution",
        ("(59)", "since all $w_{ij}$ follow the same distribution, the sums give a multiplicative factor of $m(m-1)$ that cancels with the denominator"),
        ("(61)", r"$\rho_\theta=\sum_{k=0}^\infty\frac{v^{2k}}{2^{2k}k!\,2^{d-2}\Gamma(\frac d2)\Gamma(k+\frac d2)}\int_{w=0}^\infty dw\int_{\phi=0}^{\frac\pi2}"
            r"d\phi\,w^{2k+2d-1}(\sin\phi\cos\phi)^{d-1}\frac{e^{-\frac{w^2}{2(1+\sin2\phi\cos\theta)}}}{(1+\sin2\phi\cos\theta)^d}$"),
        ("(62) substitution", r"changing variables $w\to w\sqrt{1+\sin2\phi\cos\theta}$"),
        ("(62)", r"$\rho_\theta=\sum_{k=0}^\infty\frac{v^{2k}\Gamma(k+d)}{2^kk!\,2^{d-2}\Gamma(\frac d2)\Gamma(k+\frac d2)}\int_{\phi=0}^{\frac\pi2}d\phi\,"
            r"(\sin2\phi)^{d-1}(1+\sin2\phi\cos\theta)^k$", "(61)", "(62) substitution", "(62)"),
        ("(63) substitution", r"changing variables $\phi\to\frac\phi2$"),
        ("(63)", r"$\rho_\theta(\mathbf x,\mathbf y)=\frac1{2^{d-1}\Gamma(\frac d2)}\int_0^\pi d\phi\,(\sin\phi)^{d-1}\sum_{k=0}^\infty\frac{v^{2k}(1+\sin\phi\cos\theta)^k}"
            r"{2^kk!\,\Gamma(k+\frac d2)}\Gamma(k+d)$", "(63) substitution", "(63)")),
    stated("simplex.eq21/(60)", f"{PAPER}, App. A.6, text after eq. (60)",
        equal(sqrt(_one**2 + _two**2 + 2 * _one * _two * c), _one**2 + _two**2), over=(c >= -1, c <= 1),
        expected=Decision.FAILS,
        differs="w_ij is the norm of the resultant, |w_i + w_j|; the squares are a misprint. The density of (60) is that of (20)",
        correction="simplex.lem4.2",
        prints="where wij = ∥w2i + w2j∥2 with i ≠ j",
        fault=Fault("slip", 1, "none: the density of (60) is that of |w_i + w_j|")),
    *proof_steps("simplex.thm4.3", "App. A.6", r"ORFs, $\cos\theta=0$; from (66) on SimRFs, $\cos\theta=-\frac1{d-1}$",
        ("(64) Wallis", r"the identity $\int_0^\pi dx\,\sin^dx=\frac{\sqrt\pi\,\Gamma(\frac d2+\frac12)}{\Gamma(\frac d2+1)}$"),
        ("(64) first", r"$\frac1{\Gamma(\frac d2)}\int_{\phi=0}^\pi d\phi\,(\sin\phi)^{d-1}=\sqrt\pi\,\frac{\Gamma(\frac d2)}{\Gamma(\frac d2+\frac12)\Gamma(\frac d2)}$"),
        ("(64) second", r"$\sqrt\pi\,\frac{\Gamma(\frac d2)}{\Gamma(\frac d2+\frac12)\Gamma(\frac d2)}=2^{d-1}\frac{\Gamma(\frac d2)}{\Gamma(d)}$"),
        ("(65)", r"$\rho_{\mathrm{ORF}}=\frac{\Gamma(\frac d2)}{\Gamma(d)}\sum_{k=0}^\infty\frac{v^{2k}}{2^kk!}\frac{\Gamma(k+d)}{\Gamma(k+\frac d2)}$"),
        ("(66) first", r"$\int_0^\pi d\phi\,(\sin\phi)^{d-1}\bigl(1-\frac{\sin\phi}{d-1}\bigr)^k=\sum_{p=0}^k\frac{k!}{(k-p)!p!}\bigl(-\frac1{d-1}\bigr)^p\int_0^\pi "
            r"d\phi\,(\sin\phi)^{d+p-1}$"),
        ("(66) second", r"$\sum_{p=0}^k\frac{k!}{(k-p)!p!}\bigl(-\frac1{d-1}\bigr)^p\int_0^\pi d\phi\,(\sin\phi)^{d+p-1}=\sum_{p=0}^k\frac{k!}{(k-p)!p!}"
            r"\bigl(-\frac1{d-1}\bigr)^p\sqrt\pi\,\frac{\Gamma(\frac{d+p}2)}{\Gamma(\frac{d+p+1}2)}$"),
        ("(67)", r"$\rho_{\mathrm{SimRF}}=\frac{\sqrt\pi}{\Gamma(\frac d2)2^{d-1}}\sum_{k=0}^\infty\frac{\Gamma(k+d)}{\Gamma(k+\frac d2)}\frac{v^{2k}}{2^k}"
            r"\sum_{p=0}^k\bigl(-\frac1{d-1}\bigr)^p\frac{\Gamma(\frac{d+p}2)}{\Gamma(\frac{d+p+1}2)}\frac1{(k-p)!\,p!}$")),
    stated("simplex.thm4.3/(67) smaller", f"{PAPER}, App. A.6, after eq. (67)",
        conformity(simplex) < conformity(orthogonal), over=(d >= 2, v > 0),
        prints="which we have seen is smaller than ρORF(x, y)"))  # fmt: skip


DENSITIES = (
    proved_step("simplex.fig5", f"{PAPER}, Figure 5 and Sec. 4", "simplex.fig5",
        "simplex.fig5/quotient", "simplex.fig5/logarithmic slope", "simplex.fig5/increasing",
        "simplex.fig5/simplex is shorter", ProvedStep("simplex.s3.increasing", "simplex.s3.increasing/term"),
        statement=r"$f(w_{ij},v)$ increases with $w_{ij}$ and the conformity is its expectation; geometrical coupling decreases it by reducing the probability mass at large $w_{ij}$",
        conditions="d = 6 in the figure; judged for every d >= 2: SimRF resultants are shorter than ORF resultants draw by draw, and beyond the last crossing "
        "of the densities, at some w > sqrt(2 d), that of ORFs stays below that of IIDRFs",
        also=(Derived("simplex.fig5"), Identity("densities at d = 6: ORFs below IIDRFs at w = 5 and 9", orf_pair_density.expression,
                iid_pair_density.expression, ({"d": 6, "w": 5}, {"d": 6, "w": 9}), "<"))),
    stated("simplex.fig5/everywhere", f"{PAPER}, Figure 5, taken for every level t",
        Integral(orf_pair_density.expression, (w, 0, _t)) > Integral(iid_pair_density.expression, (w, 0, _t)), over=d >= 2, expected=Decision.FAILS,
        differs="E w_ij^2 = 2 d for both, so ORFs have less mass at small resultants as well as at large ones. SimRF resultants "
        "are smaller than ORF resultants at every level",
        correction="simplex.fig5",
        prints="geometrical coupling decreases this by reducing the probability mass at large wij",
        fault=Fault("reading", 1, "none: the caption speaks of large w_ij alone, and is right there")))  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*CONFORMITIES, *STEPS, *DENSITIES)
