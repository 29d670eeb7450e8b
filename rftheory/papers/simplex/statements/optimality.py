"""Theorem 3.4 and Lemma A.1: the simplex among couplings that do not depend on the norms, step by step."""

from __future__ import annotations

from sympy import Rational, Symbol, cos, sqrt, symbols

from rftheory.author import conformity, equal, formula, simplex
from rftheory.exact.symbols import d, v
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, instance, stated
from rftheory.papers.simplex.notation import MILLION, PAPER, proof_steps
from rftheory.papers.simplex.statistics import conformity_difference
from rftheory.papers.steps import proved_step, refuted_step
from rftheory.statement.evidence import Derived, SampledOrder, Slow


_one, _two = symbols("w_i w_j", nonnegative=True)
_RESULTANT = _one**2 + _two**2 + 2 * _one * _two * cos(Symbol("theta", real=True))
"""|w_i + w_j|^2 of two vectors of these norms."""

THEOREM = (
    proved_step("simplex.thm3.4", f"{PAPER}, Theorem 3.4", "simplex.added.angle",
        Slow(Derived("simplex.thm3.4")), Derived("simplex.added.angle"),
        statement="SimRFs constitute the best possible weight-independent geometrical coupling mechanism, giving the lowest possible PRF kernel estimator MSE",
        conditions="m = d >= 2 vectors, iid norms independent of the directions, joint law of the directions invariant under rotations "
        "(which (11) needs); otherwise for the mean over the directions of v: in a single direction another coupling can be better "
        "(simplex.added.any-direction/attained)",
        also=(instance(conformity(simplex) < (formula("angle_conformity", c=-1) + (d - 2) * formula("angle_conformity", c=0)) / (d - 1),
                (d >= 4, d <= 6, v >= Rational(1, 2), v <= 4)),
            Slow(SampledOrder("pair mean, simplex below orthogonal, d = 4, v = 0.5",
                conformity_difference("simplex", "orthogonal", 4, "0.5"), MILLION)))),
    *proof_steps("simplex.thm3.4", "App. A.2", "m = d iid norms, independent of the directions",
        ("(41)", r"$\rho(\mathbf x,\mathbf y)=\frac{\Gamma(\frac d2)}{m(m-1)}\int dw_1\cdots dw_d\frac{p(w_1,\dots,w_d)}{d!}\sum_{P\in S_d}\sum_i"
            r"\sum_{j\ne i}\sum_{k=0}^\infty\frac{v^{2k}}{2^{2k}k!\,\Gamma(k+\frac d2)}\bigl(w_{P_i}^2\hat{\mathbf w}_i^\top\hat{\mathbf w}_i+w_{P_j}^2"
            r"\hat{\mathbf w}_j^\top\hat{\mathbf w}_j+2w_{P_i}w_{P_j}\hat{\mathbf w}_i^\top\hat{\mathbf w}_j\bigr)^k$"),
        ("(42)", r"the sum over all permutations is $\sum_{P\in S_d}\sum_i\sum_{j\ne i}f\bigl(w_{P_i}^2+w_{P_j}^2+2w_{P_i}w_{P_j}\hat{\mathbf w}_i^\top"
            r"\hat{\mathbf w}_j\bigr)$, where $f$ is once again convex and positive definite"),
        ("(43)", r"$\sum_{P\in S_d}\sum_i\sum_{j\ne i}f\bigl(w_i^2+w_j^2+2w_iw_j\hat{\mathbf w}_{P_i}^\top\hat{\mathbf w}_{P_j}\bigr)\ge d!\sum_i"
            r"\sum_{j\ne i}f\Bigl(\frac{\sum_{P\in S_d}w_i^2+w_j^2+2w_iw_j\hat{\mathbf w}_{P_i}^\top\hat{\mathbf w}_{P_j}}{d!}\Bigr)$"),
        ("(44)", r"the Lagrangian is the sum of (42) $-\sum_i\lambda_i(\hat{\mathbf w}_i^\top\hat{\mathbf w}_i-1)$, judged by the gradient of the constraint"),
        ("(45)", r"$\sum_{P\in S_d}\sum_{j\ne i}\sum_{k=0}^\infty\frac{v^{2k}\,k\,w_{P_iP_j}^{2k-2}}{2^{2k}k!\,\Gamma(k+\frac d2)}\bigl(w_{P_i}^2"
            r"\hat{\mathbf w}_i+w_{P_i}w_{P_j}\hat{\mathbf w}_j\bigr)-\lambda_i\mathbf w_i=0$", "(44)", "(45)"),
        ("(46) squared", r"the corrected (46): $w_{P_i}^2\hat{\mathbf w}_i^\top\hat{\mathbf w}_i+w_{P_j}^2\hat{\mathbf w}_j^\top\hat{\mathbf w}_j+2w_{P_i}"
            r"w_{P_j}\hat{\mathbf w}_i^\top\hat{\mathbf w}_j=w_{P_iP_j}^2$"),
        ("(47)", r"$\hat{\mathbf w}_i\propto-\sum_{j\ne i}\sum_{k=0}^\infty\frac{v^{2k}k}{2^{2k}k!\,\Gamma(k+\frac d2)}\Bigl(\sum_{P\in S_d}w_{P_iP_j}^{2k-2}"
            r"w_{P_i}w_{P_j}\Bigr)\hat{\mathbf w}_j$, where the term in parentheses is identical for every $i,j$"),
        ("(48) with a positive factor", r"the corrected (48): if $\hat{\mathbf w}_i=-\kappa\sum_{j\ne i}\hat{\mathbf w}_j$ with $\kappa>0$, subject to equal angles, "
            "this is uniquely given by the simplex geometry", "(48) stationary at equal angles", "(48) with a positive factor")),
    stated("simplex.thm3.4/(43) equality", f"{PAPER}, App. A.2, from eq. (43) to the end of the proof; our reading of its "
        "conclusion: equal angles and a stationary point (45) make a minimum, judged at equal directions, which have both",
        formula("angle_conformity", c=1) <= formula("angle_conformity", c=-1 / (d - 1)), over=(d >= 2, v > 0), expected=Decision.FAILS,
        differs="the right side of (43) still depends on the directions. Equal directions give equality in (43) and a stationary "
        "point as well, and they are the maximum. What is missing is one line, as in Lemma A.1: for each pair the mean of the "
        "cosines over the permutations is (|sum u_i|^2 - d)/(d(d-1)) >= -1/(d-1), and f increases, so the right side is least "
        "where the directions add up to zero",
        correction="simplex.thm3.4",
        prints="that is, when all the random vectors subtend identical angles. With this in mind, we write the "
        "Lagrangian ... Subject to the further constraint that all ŵi subtend equal angles, this is uniquely given "
        "by the simplex geometry",
        fault=Fault("error", 2,
            "the printed proof of Theorem 3.4 has a gap here, which one line closes; the theorem itself is right and is "
            "proved at simplex.thm3.4")),
    stated("simplex.thm3.4/(46)", f"{PAPER}, App. A.2, eq. (46), as printed",
        equal(_RESULTANT, sqrt(_RESULTANT)), expected=Decision.FAILS,
        differs="the sum is the square of w_(PiPj); the exponent 2 is missing in the middle",
        correction="simplex.thm3.4/(46) squared",
        prints="2wPiwPj ŵi ŵj = wPiPj",
        fault=Fault("slip", 1, "none: (45) and (47) have the right powers")),
    refuted_step("simplex.thm3.4/(48)", f"{PAPER}, App. A.2, eq. (48)",
        "simplex.thm3.4", "simplex.thm3.4/(48) uniquely the simplex",
        statement=r"$\hat{\mathbf w}_i\propto-\sum_{j\ne i}\hat{\mathbf w}_j$; subject to equal angles, this is uniquely given by the simplex geometry",
        conditions="as printed, with a factor of proportionality of either sign",
        differs="with a positive factor only the simplex is left. The multipliers of (47) leave its sign open, and with a negative "
        "factor equal directions satisfy both conditions too. The minimum is found in another way at simplex.thm3.4",
        correction="simplex.thm3.4/(48) with a positive factor",
        prints="Subject to the further constraint that all ŵi subtend equal angles, this is uniquely given by the "
        "simplex geometry",
        fault=Fault("ambiguous", 2, told_by="simplex.thm3.4/(43) equality")),
    proved_step("simplex.thm3.4/permutations", f"{PAPER}, App. A.2, closing remark", "simplex.thm3.4",
        "simplex.thm3.4/tangent in the cosine", "simplex.thm3.4/slope", "simplex.thm3.4/minimum",
        statement=r"any geometrical coupling that is better for some particular draw of norms will be worse for some of the (equally probable) label permutations",
        conditions="m = d >= 3; directions independent of the norms; read as: for each draw, the sum over its permutations is least at the simplex"),
    stated("simplex.thm3.4/collapsed", f"{PAPER}, App. A.2, closing remark, our reading: chi_2 norms, against a "
        "common norm, at which opposite vectors cancel",
        equal(formula("angle_conformity", d=2, c=-1), 1), over=v > 0, expected=Decision.FAILS,
        differs="the minimiser is the same; its conformity is not: at d = 2 it is 1 for every common norm, and larger for chi_2 norms",
        correction="simplex.thm3.4",
        prints="An intuitive explanation of this result is as follows. ... The effect of summing over all the "
        "permutations is the same as collapsing all the distributions over wi to a single, identical value",
        fault=Fault("reading", 1, "none: the remark explains the theorem and proves nothing")))  # fmt: skip

LEMMA = (
    proved_step("simplex.lemA.1", f"{PAPER}, Lemma A.1", "simplex.lemA.1",
        "simplex.lemA.1/(38)", "simplex.lemA.1/(39)", "simplex.lemA.1/(40) mean", "simplex.lemA.1/(40)",
        "simplex.lemA.1/attained",
        statement=r"$\rho(\mathbf x,\mathbf y)$ is minimised when the ensemble exhibits simplex geometrical coupling",
        conditions="m = d >= 2 vectors of equal norm w > 0; unique up to rotation for v > 0",
        also=(Derived("simplex.lemA.1"),)),
    *proof_steps("simplex.lemA.1", "App. A.2", "m = d vectors of equal length w",
        ("(angle)", r"$p(w_{ij}\mid w_i,w_j=w)=\delta\bigl(w_{ij}-\sqrt{2w^2(1+\cos\theta_{ij})}\bigr)$"),
        ("(36)", r"$\rho(\mathbf x,\mathbf y)=\frac{\Gamma(\frac d2)}{m(m-1)}\sum_i\sum_{j\ne i}\sum_{k=0}^\infty\frac{v^{2k}w^{2k}}{2^{2k}k!\,"
            r"\Gamma(k+\frac d2)}\lVert\hat{\mathbf w}_i+\hat{\mathbf w}_j\rVert_2^{2k}=\sum_i\sum_{j\ne i}f(\lVert\hat{\mathbf w}_i+\hat{\mathbf w}_j\rVert_2^2)$"),
        ("(37) increasing", r"$f$ is increasing (of: the increasing convex function $f$), judged for $v>0$ term by term"),
        ("(37) convex", r"$f$ is convex (of: the increasing convex function $f$), judged for $v>0$ term by term"),
        ("(38)", r"$\sum_i\sum_{j\ne i}f(\lVert\hat{\mathbf w}_i+\hat{\mathbf w}_j\rVert_2^2)\ge m(m-1)\,f\Bigl(\frac{\sum_i\sum_{j\ne i}\lVert\hat{\mathbf w}_i"
            r"+\hat{\mathbf w}_j\rVert_2^2}{m(m-1)}\Bigr)$"),
        ("(39) first", r"$\sum_i\sum_{j\ne i}\lVert\hat{\mathbf w}_i+\hat{\mathbf w}_j\rVert_2^2=2m(m-1)+2\sum_i\hat{\mathbf w}_i^\top\sum_{j\ne i}\hat{\mathbf w}_j$"),
        ("(39) second", r"$2m(m-1)+2\sum_i\hat{\mathbf w}_i^\top\sum_{j\ne i}\hat{\mathbf w}_j=2m(m-2)+2\lVert\sum_i\hat{\mathbf w}_i\rVert_2^2$",
            "(39) first", "(39) second"),
        ("(39)", r"$2m(m-2)+2\lVert\sum_i\hat{\mathbf w}_i\rVert_2^2\ge2m(m-2)$"),
        ("(40)", r"$\rho(\mathbf x,\mathbf y)\ge m(m-1)\,f\bigl(\frac{2(m-2)}{m-1}\bigr)$", "(38)", "(40) mean", "(40)"),
        ("(40) attained", r"the conformity is minimised when all vectors $\hat{\mathbf w}_i$ subtend equal angles and $\sum_i\hat{\mathbf w}_i=0$", "attained")),
    proved_step("simplex.lemA.1/deterministic", f"{PAPER}, App. A.2, proof of Lemma A.1", "simplex.fn3",
        statement="the angles should be chosen deterministically, since mass on suboptimal configurations will always increase the expectation value",
        conditions="norms given; the configurations up to a common rotation"),
    stated("simplex.lemA.1/m<d", f"{PAPER}, Lemma A.1, with m vectors as in (36)-(40): the minimum is at the "
        "cosine of (9), for d = 3, m = 2, v = w = 1 that of three vectors",
        formula("equal_norm_optimum", d=3, v=1, w=1, m=3) <= formula("equal_norm_optimum", d=3, v=1, w=1, m=2), expected=Decision.FAILS,
        differs="the minimum over m vectors is the simplex of m vertices, at the cosine -1/(m-1): for m = d, the case of the "
        "lemma, it is that of (9)",
        correction="simplex.lemA.1",
        prints="we condition that wi ∈ Rd for i = 1, ..., d all have equal lengths w",
        fault=Fault("reading", 1, "none: the lemma states d vectors, for which the m of its proof is d")))  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*THEOREM, *LEMMA)
