"""Claims of Section 3 up to Lemma 3.4, with Appendices C, D.1, D.2 and E."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy
from sympy import exp, pi, sin, sinh, sqrt

from rftheory.author import equal, formula
from rftheory.exact.angular import (W, angular_coefficient_cross, angular_equal_mse, angular_mse,
    angular_relative_error, angular_shared_mse, base_max_relative_error, r, trig_relative_error)  # fmt: skip
from rftheory.exact.complex_exponential import n
from rftheory.exact.hybrid import bipolar_mse, bipolar_shared_mse, l1, l2, sharing_gain, theta
from rftheory.exact.proof.rules import Rewrite, Sign
from rftheory.exact.proof.steps import at
from rftheory.exact.search import Box, Smooth, holds_on_box, positive
from rftheory.exact.symbols import m, x, y
from rftheory.papers.claim import Fault
from rftheory.papers.hybrid.notation import SPHERES, fails, holds, inputs, points, said, step
from rftheory.papers.hybrid.statistics import NEAR, Pair, angular, power_law, sampled_error, weights
from rftheory.sample import Angular, Mechanism, Stream, angular_hybrid
from rftheory.statement.evidence import (Derived, Identity, ProvedStep, SameValue, SampledMean, Shown, Slow,
    Textbook)  # fmt: skip

_ANGLES = (theta <= pi,)
_turn, _other = sympy.symbols("t s", real=True)
UNEQUAL = Pair("0.2", "0.6", "2.8")
_MOMENTS = points((1, 1, 1, 1, "1/2", "1/4"), (1, 2, 3, 2, "1/3", "1/2"), ("1/3", 2, "1/2", 7, -1, 3),
    names="x y theta m l1 l2")  # fmt: skip

_ANGULAR = points((1, 1, 1, 1, 1), (1, 2, 3, 2, 4), ("1/3", 2, "1/2", 7, 64), names="x y theta m n")


def _mean_form(kind: str, form: str) -> bool:
    """(34) or (35) for the drawn projections."""
    first, second = inputs()
    mechanism, stream, block = Mechanism(kind, "iid", 5), Stream(17), range(3)
    drawn = mechanism.coupling.draw(stream, block, 3, 5, xp=np).projections  # type: ignore[attr-defined]
    sign = 1.0 if form == "cosh" else -1.0
    function = np.cosh if form == "cosh" else np.cos
    norms = np.sum(first**2, axis=1)[:, None] + np.sum(second**2, axis=1)[None, :]
    gaps = first[:, None, :] + sign * second[None, :, :]
    grams = mechanism.gram(stream, block, first, second, "softmax", via="matrix")
    for w, gram in zip(drawn, grams, strict=True):
        mean = np.mean(function(gaps @ w.T), axis=-1) * np.exp(-sign * norms / 2)
        if np.max(np.abs(mean - gram)) > 1e-12 * max(1.0, np.max(np.abs(mean))):
            return False
    return True


_PAIR_FORM = Shown("the sampler's matrices are the means of cosh and cos, draw by draw, d = 3, m = 5",
    lambda kinds: all(_mean_form(kind, form) for kind, form in kinds),
    (("hyperbolic", "cosh"), ("trigonometric", "cos")),
    (("exchanged", (("hyperbolic", "cos"), ("trigonometric", "cosh"))),))  # fmt: skip

THEOREM_31 = (
    said("hybrid.thm3.1.I",
        "Theorem 3.1, eq. (22), l1 = E lambda, l2 = E lambda^2; any unbiased independent base estimators will do",
        formula("bipolar_mse")
        == l2 * formula("softmax_hyperbolic_mse") + (1 - 2 * l1 + l2) * formula("softmax_trig_mse"), _ANGLES,
        also=(Derived("hybrid.thm3.1.I"), Slow(sampled_error("the angular hybrid, m = 4, n = 3",
        angular_hybrid(4, 3), NEAR, 4, angular("2.2", 3))))),
    step("hybrid.thm3.1.I/step31", "Appendix C, eq. (31), and what the three terms give, second moments finite",
        "hybrid.thm3.1.I", "(31), (22)", also=(Derived("lemma.variance"),),
        statement=r"$\mathrm{Var}(\widehat{\mathrm{SM}}^{hyb})=\mathrm{Var}(\hat\lambda P)+\mathrm{Var}((1-\hat\lambda)T)+2\,\mathrm{Cov}(\hat\lambda P,(1-\hat\lambda)T)$",
        conditions="second moments finite"),
    step("hybrid.thm3.1.I/step32", "Appendix C, eq. (32)", "hybrid.thm3.1.I", "(32)",
        statement=r"$\mathrm{Cov}(\hat\lambda P,(1-\hat\lambda)T)=(\mathbb E[\hat\lambda(1-\hat\lambda)]-\mathbb E[\hat\lambda]\mathbb E[1-\hat\lambda])\,\mathbb E[P]\mathbb E[T]=-\mathrm{SM}^2\,\mathrm{Var}(\hat\lambda)$",
        conditions="P, T, lambda independent"),
    step("hybrid.thm3.1.I/step39", "Appendix C, eq. (39), independent projections", "hybrid.thm3.1.I", "(32)",
        statement=r"$\mathrm{Cov}(\hat\lambda P,(1-\hat\lambda)T)=-\mathrm{SM}^2\,\mathrm{Var}(\hat\lambda)$",
        conditions="P, T, lambda independent"),
    step("hybrid.thm3.1.I/step40", "Appendix C, eq. (40)", "hybrid.thm3.1.I", "(40)",
        statement=r"$\mathrm{Var}(\hat\lambda P)=\mathrm{SM}^2\mathrm{Var}(\hat\lambda)+\mathbb E[\hat\lambda^2]\mathrm{MSE}(P)$",
        conditions="lambda independent of P"),
    step("hybrid.thm3.1.I/step41", "Appendix C, eq. (41)", "hybrid.thm3.1.I", "(41)",
        statement=r"$\mathrm{Var}((1-\hat\lambda)T)=\mathrm{SM}^2\mathrm{Var}(\hat\lambda)+\mathbb E[(1-\hat\lambda)^2]\mathrm{MSE}(T)$",
        conditions="lambda independent of T"),
    said("hybrid.thm3.1.II", "Theorem 3.1, eq. (23)",
        formula("bipolar_shared_mse") == formula("bipolar_mse")
        - 2 * exp(2 * x * y * sympy.cos(theta)) * (1 - sympy.cos(x**2 - y**2)) * (l1 - l2) / m, _ANGLES,
        also=(Derived("hybrid.thm3.1.II"), SameValue(bipolar_shared_mse, _MOMENTS, planted=bipolar_mse.expression),
        Slow(sampled_error("the angular hybrid with shared projections, m = 8, n = 3",
            angular_hybrid(8, 3, shared=True), UNEQUAL, 8, angular("2.8", 3), shared=True))),
        statement=r"with the same projections the MSE is (22) minus $\frac2m\mathrm{SM}^2(1-\cos(\|x\|_2^2-\|y\|_2^2))\,\mathbb E[\hat\lambda_n(1-\hat\lambda_n)]$",
        conditions="lambda independent of P and T, E lambda^2 finite; x, y the lengths, l1, l2 the moments of lambda"),
    step("hybrid.thm3.1.II/step33", "Appendix C, eq. (33): the covariance, lambda independent of (P, T)",
        "hybrid.thm3.1.II", "(39)",
        also=(Derived("lemma.independent"),),
        statement=r"$\mathrm{Cov}(\hat\lambda P,(1-\hat\lambda)T)=\mathbb E[PT]\,\mathbb E[\hat\lambda(1-\hat\lambda)]-\mathrm{SM}^2\,\mathbb E[\hat\lambda]\mathbb E[1-\hat\lambda]$",
        conditions="lambda independent of (P, T)"),
    step("hybrid.thm3.1.II/step33txt", "Appendix C, the sentence after eq. (33)", "hybrid.thm3.1.II", "(33) text",
        differs="the factor E[lambda(1-lambda)] does not belong there: it makes the equation false for independent "
        "P and T too (1/4 for 1 at E lambda = 1/2, E lambda^2 = 1/4, SM = 1). What ceases to hold is E[PT] = E[P] "
        "E[T] = SM^2", correction="hybrid.thm3.1.II/step33",
        prints="This time however it is no longer the case that E[d SM ++ m (x, y)d SM trig m (x, y)]E[bλ(θ)(1 "
        "bλ(θ))] = E[d SM ++ m (x, y)]E[d SM trig m (x, y)] = (SM(x, y))2 since",
        fault=Fault("slip", 1, "none: (33) and what follows are right"),
        statement=r"'it is no longer the case that' $\mathbb E[PT]\,\mathbb E[\hat\lambda(1-\hat\lambda)]=\mathbb E[P]\mathbb E[T]=\mathrm{SM}^2$: so it was for independent P and T",
        conditions="independent P and T"),
    said("hybrid.thm3.1.II/step34",
        "Appendix C, eq. (34): half the sum of the products of the two features is cosh w.(x+y)",
        equal((exp(_turn) + exp(-_turn)) / 2, sympy.cosh(_turn)), also=(_PAIR_FORM,),
        statement=r"$P=e^{-(\|x\|^2+\|y\|^2)/2}\frac{Y_1+\dots+Y_m}m$, $Y_i=\cosh(\omega_i^\top(x+y))$",
        conditions="all x, y"),
    said("hybrid.thm3.1.II/step35", "Appendix C, eq. (35): the sum of the products of the two features is cos w.(x-y)",
        equal(sympy.cos(_turn) * sympy.cos(_other) + sin(_turn) * sin(_other), sympy.cos(_turn - _other)),
        also=(_PAIR_FORM,),
        statement=r"$T=e^{(\|x\|^2+\|y\|^2)/2}\frac{Z_1+\dots+Z_m}m$, $Z_i=\cos(\omega_i^\top(x-y))$",
        conditions="all x, y"),
    step("hybrid.thm3.1.II/step36", "Appendix C, eq. (36)",
        "hybrid.thm3.1.II", "(36), (38)",
        statement=r"$\mathbb E[PT]=\frac{m-1}m\mathrm{SM}^2+\frac1m\mathbb E[\cosh(\omega^\top(x+y))\cos(\omega^\top(x-y))]$",
        conditions="independent projections, shared by P and T"),
    step("hybrid.thm3.1.II/step37", "Appendix C, eq. (37)", "hybrid.thm3.1.II", "(37)",
        also=(Derived("hybrid.lem2.4"),),
        statement=r"$\mathbb E[\cosh(\omega^\top(x+y))\cos(\omega^\top(x-y))]=\mathrm{Re}\prod_ie^{z_i^2/2}=\mathrm{SM}^2\cos(\|x\|_2^2-\|y\|_2^2)$, $z=x+y+i(x-y)$",
        conditions="all x, y"),
    step("hybrid.thm3.1.II/step38", "Appendix C, eq. (38): E PT", "hybrid.thm3.1.II", "(36), (38)",
        statement=r"$\mathbb E[PT]=(1-\frac1m)\mathrm{SM}^2+\frac1m\mathrm{SM}^2\cos(\|x\|_2^2-\|y\|_2^2)$",
        conditions="all x, y"),
    step("hybrid.thm3.1.II/step39", "Appendix C, eq. (39), shared projections: the covariance", "hybrid.thm3.1.II",
        "(39)",
        statement=r"$\mathrm{Cov}=-\mathrm{SM}^2(\mathrm{Var}(\hat\lambda)+Z)$, $Z=\frac1m(1-\cos(\|x\|_2^2-\|y\|_2^2))\,\mathbb E[\hat\lambda(1-\hat\lambda)]$",
        conditions="lambda independent of (P, T)"),
    said("hybrid.thm3.1.reduced/(a)", "Theorem 3.1, before eq. (23), strict",
        formula("bipolar_shared_mse") < formula("bipolar_mse"), _ANGLES,
        differs="'reduced' is to be read as 'not increased': the two errors are equal where |x|^2 - |y|^2 is a "
        "multiple of 2 pi, so for all inputs of one length, and where E lambda(1-lambda) = 0",
        correction="hybrid.thm3.1.reduced/corrected",
        prints="Furthermore, if d SM trig m (x, y) and d SM ++ m (x, y) apply the exact same sets of random "
        "projections, the mean squared error of the hybrid estimator is further reduced",
        fault=Fault("ambiguous", 1, "none: (47) is stated for equal lengths 'regardless of whether the same sets "
        "of random projections are applied or not'")),
    step("hybrid.thm3.1.reduced/(b)", "Theorem 3.1, before eq. (23), weak, any coefficient with E lambda^2 finite",
        "hybrid.thm3.1.reduced", "weak",
        differs="sharing raises the MSE where E lambda(1-lambda) < 0, which happens for estimates that leave [0, "
        "1], as the Gaussian ones do: at |x| = 2, |y| = 1, theta = 1, m = 1, E lambda = 1/2, E lambda^2 = 1 by "
        "17.3. For estimates in [0, 1] it never does", correction="hybrid.thm3.1.reduced/corrected",
        prints="Furthermore, if d SM trig m (x, y) and d SM ++ m (x, y) apply the exact same sets of random "
        "projections, the mean squared error of the hybrid estimator is further reduced",
        fault=Fault("missing condition", 2, "none for the angular hybrid and for indicators; for the Gaussian "
        "coefficient sharing may raise the error of inputs of different lengths. Formula (23) is right"),
        statement="with the same projections the MSE of the hybrid is at most that with independent ones",
        conditions="any estimate, with E lambda^2 finite, of a coefficient in [0, 1], such as the Gaussian one, whose estimates leave [0, 1]"),
    step("hybrid.thm3.1.reduced/corrected",
        "ours",
        "hybrid.thm3.1.reduced", "corrected", "equality",
        also=(SameValue(sharing_gain, _MOMENTS[1:], planted=2 * sharing_gain.expression),
        Identity("the gain is positive at unequal lengths", sharing_gain.expression, sympy.S.Zero,
            points((1, 2, 1, 1, "1/2", "1/3"), ("1/3", 2, 3, 7, "1/2", "1/4"), names="x y theta m l1 l2"), ">")),
        entry="hybrid.thm3.1.reduced",
        statement=r"if $\mathbb E[\hat\lambda(1-\hat\lambda)]\ge0$, as for every $\hat\lambda\in[0,1]$, sharing projections does not raise the MSE; it lowers it strictly iff $\mathbb E[\hat\lambda(1-\hat\lambda)]>0$ and $\|x\|^2-\|y\|^2\notin2\pi\mathbb Z$",
        conditions="all x, y, m"))  # fmt: skip


# ---- Lemma 3.2 and Theorem D.1 ------------------------------------------------------------------------------------------


_P = theta / pi
_EQUATION_47 = (_P * (_P - _P / n + 1 / n) * exp(8 * r**2 * sympy.cos(theta / 2) ** 2 - 2 * r**2)
    * (1 - exp(-4 * r**2 * sympy.cos(theta / 2) ** 2)) ** 2
    + (1 - _P) * (1 - _P + _P / n) * exp(2 * r**2) * (1 - exp(-4 * r**2 * sin(theta / 2) ** 2)) ** 2) / (2 * m)  # fmt: skip

ANGULAR = (
    said("hybrid.lem3.2",
        "Lemma 3.2, eq. (24), of which our text of the source has lost all but theta; E lambda^2, where n lambda_n is "
        "binomial with n trials and probability theta/pi = E lambda",
        formula("angular_coefficient_second") == theta / pi * (theta / pi - theta / (n * pi) + 1 / n), _ANGLES,
        also=(Derived("hybrid.lem3.2"), Slow(SampledMean(f"E L^2, n = 3, {NEAR}",
        weights(Angular(3), *NEAR.vectors(), 2),
            power_law(angular("2.2", 3), 2), lambda law: replace(law, mean=law.mean * 1.05), 2**17)))),
    said("hybrid.lem3.2/step42",
        "Appendix D.1, eq. (42), x, y != 0: k_0 counts twice the directions on the positive side of x and of y",
        equal(2 * sympy.Integral(1 / (2 * pi), (_turn, theta - pi / 2, pi / 2)), 1 - theta / pi), _ANGLES,
        also=(Derived("lemma.plane"),),
        statement=r"$\phi^{ang}_n(z)=\frac1{\sqrt n}(\mathrm{sgn}(\tau_1^\top z),\dots)$; the zeroth-order arc-cosine kernel is $1-\frac{\theta_{x,y}}\pi$",
        conditions="x, y != 0; E sgn sgn = 1 - 2 theta/pi is another kernel, k_0 counts the pairs of positive signs twice"),
    step("hybrid.lem3.2/step43", "Appendix D.1, eq. (43)", "hybrid.lem3.2", "(43), (24)", "mean",
        statement=r"$\mathbb E[\hat\lambda^2]=\mathbb E\bigl[(\frac12-\frac12\sum_iX_i)^2\bigr]$, $\mathbb E[\sum_iX_i]=1-\frac{2\theta}\pi$, $X_i=\phi^{ang}_n(x)[i]\,\phi^{ang}_n(y)[i]$",
        conditions="x, y != 0"),
    step("hybrid.lem3.2/step44", "Appendix D.1, eq. (44)", "hybrid.lem3.2", "(44)",
        statement=r"$\mathbb E[(\sum_iX_i)^2]=n\frac1{n^2}+n(n-1)\frac1{n^2}\bigl(1-\frac{2\theta}\pi\bigr)^2$",
        conditions="independent tau_i"),
    said("hybrid.thmD.1", "Theorem D.1, eqs (45), (46), x, y != 0",
        (formula("angular_mse") == formula("bipolar_mse", l1=theta / pi, l2=formula("angular_coefficient_second")))
        & (formula("angular_shared_mse") == formula("angular_mse")
            - 2 * exp(2 * x * y * sympy.cos(theta)) * (1 - sympy.cos(x**2 - y**2)) / m
            * theta / pi * (1 - theta / pi + theta / (n * pi) - 1 / n)), _ANGLES,
        also=(Derived("hybrid.thmD.1"), Derived("hybrid.thm3.1.I"), Derived("hybrid.thm3.1.II"),
        Derived("hybrid.lem3.2"), SameValue(angular_mse, _ANGULAR, planted=angular_mse.expression.subs(n, n + 1)),
        SameValue(angular_shared_mse, _ANGULAR[1:], planted=angular_mse.expression),
        SameValue(angular_coefficient_cross, points(("1/3", 2), (3, 2), (1, 64), names="theta n"),
            planted=angular_coefficient_cross.expression + 1 / n),
            Slow(sampled_error("the angular hybrid, m = 8, n = 2", angular_hybrid(8, 2), UNEQUAL, 8,
            angular("2.8", 2)))),
        statement=r"the MSE of the angular hybrid is (45), with shared projections (45) minus $\frac2m\mathrm{SM}^2(1-\cos(\|x\|_2^2-\|y\|_2^2))\frac\theta\pi(1-\frac\theta\pi+\frac\theta{n\pi}-\frac1n)$",
        conditions="x, y != 0; lambda independent of P, T; the factors of (45) and (46) with theta are lost in our text of the source, "
        "and taken from (22), (23) and (24)"),
    said("hybrid.thmD.1.reduced/(a)", "Theorem D.1, before eq. (46), strict",
        formula("angular_shared_mse") < formula("angular_mse"), _ANGLES,
        differs="nothing is gained for n = 1, for |x|^2 - |y|^2 in 2 pi Z (so for equal lengths) and at theta = 0 "
        "and pi, since E lambda(1-lambda) = p(1-p)(1-1/n), p = theta/pi; elsewhere the error is smaller, and it is "
        "never larger", correction="hybrid.thmD.1.reduced/(b)",
        prints="Furthermore, if d SM trig m (x, y) and d SM ++ m (x, y) apply the exact same sets of random "
        "projections, the mean squared error of the hybrid estimator is further reduced",
        fault=Fault("ambiguous", 1, "none: (46) and (47) are right", told_by="hybrid.thm3.1.reduced/(a)")),
    step("hybrid.thmD.1.reduced/(b)",
        "Theorem D.1, before eq. (46), weak",
        "hybrid.thmD.1.reduced", "weak", ProvedStep("hybrid.thmD.1", "hybrid.thmD.1/(46) factored"),
        statement=r"with the exact same sets of projections the MSE of the angular hybrid is not larger; it is smaller iff $n\ge2$, $0<\theta<\pi$ and $\|x\|^2-\|y\|^2\notin2\pi\mathbb Z$",
        conditions="all x, y, m, n >= 1"),
    said("hybrid.thmD.1.equal", "Theorem D.1, eq. (47), equal lengths, with or without the same projections",
        (formula("angular_shared_mse", x=r, y=r) == formula("angular_mse", x=r, y=r))
        & (formula("angular_mse", x=r, y=r) == _EQUATION_47), _ANGLES,
        also=(Derived("hybrid.thmD.1"), SameValue(angular_equal_mse, SPHERES,
        planted=angular_equal_mse.expression.subs(n, n + 1)),
        Slow(sampled_error("the angular hybrid with shared projections at equal lengths, m = 4, n = 2",
            angular_hybrid(4, 2, shared=True), NEAR, 4, angular("2.2", 2), shared=True))),
        statement=r"for $\|x\|=\|y\|=r$ the MSE of the angular hybrid is (47), with or without the same projections",
        conditions="r > 0, 0 <= theta <= pi, m, n >= 1"))  # fmt: skip


# ---- Definition 3.3 and Lemma 3.4 ------------------------------------------------------------------------------------

_size, _share = sympy.Symbol("size", positive=True), sympy.Symbol("s", nonnegative=True)
"""2 r^2, and sin^2(theta/2)."""
_gap = sympy.Symbol("q", real=True)
_ball_error = sqrt(2) * sinh(2 * _gap**2)
"""Relative error of P at x = y, |x| = q, m = 1."""


def _rises(error: sympy.Expr) -> bool | None:
    """Whether a function of the norm q has a positive derivative on (0, 1): then its supremum over |x| < 1 is not attained."""
    slope = sympy.diff(error, _gap)
    log = holds_on_box(positive(Smooth.of(slope, _gap)), Box.of(("1/1000", 1)))
    return {"holds": True, "fails": False}.get(log.verdict)


ERRORS = (
    fails("hybrid.def3.3", "Definition 3.3",
        r"$\epsilon_C(\widehat{\mathrm{SM}})=\max_{x,y\in C}\epsilon_{x,y}(\widehat{\mathrm{SM}})$ is defined for every bounded set $C$",
        "C bounded, not necessarily closed",
        Shown("C = {|x| < 1}, P with m = 1: the relative error at x = y rises strictly with the norm, so no point of C attains the supremum",
            lambda error: None if _rises(error) is None else not _rises(error), _ball_error,
            (("a function with a maximum inside", _gap * (1 - _gap)),)),
        differs="on a bounded set that is not closed the maximum need not exist: on |x| < 1 the error of P at x = y "
        "rises strictly with |x|. The supremum, or a compact C, is meant; on spheres both are the same",
        correction="hybrid.def3.3/compact",
        prints="Assume that the inputs to the estimators are taken from some given bounded set C ... we define its "
        "max-relative-error with respect to C as ϵC(d SM) = maxx,y C ϵx,y(d SM)",
        fault=Fault("slip", 1, "none: the definition is used on spheres, where the maximum exists")),
    holds("hybrid.def3.3/compact", "Definition 3.3, C = S(r)",
        r"$\epsilon_{S(r)}$ is attained, and $\epsilon_{\theta,r}$ well defined",
        "T, P and the angular hybrid on a sphere S(r), r > 0, d >= 2: continuous functions of theta in [0, pi]",
        Textbook("the extreme value theorem", "(25) and the root of (47) over SM, as functions of theta in [0, pi]"),
        SameValue(angular_relative_error, SPHERES, planted=angular_relative_error.expression * (1 + theta)),
        Derived("hybrid.thmD.1"), Derived("hybrid.lem3.4")),
    step("hybrid.txt.angle-only", "Definition 3.3, in parentheses", "hybrid.thmD.1",
        "(47) P", "(47) T",
        statement=r"on a fixed sphere the mean squared errors depend only on $\theta_{x,y}$",
        conditions="the estimators of Section 3: T, P and bipolar hybrids with angular or normalised Gaussian coefficients",
        also=(Derived("hybrid.thmD.1"), Derived("hybrid.thmF.2"), Derived("hybrid.lem2.2"))),
    said("hybrid.txt.angle-only/CE",
        "Definition 3.3, for all estimators of the paper: the loss of CE with A = diag(2, 1) at x = y = (cos t, "
        "sin t), and at t = 0",
        equal((5 * sympy.cos(_turn) / 2) ** 2 + (2 * sin(_turn)) ** 2, sympy.Rational(25, 4)),
        differs="a complex exponential estimator is not among those considered in Section 3. For A = diag(2, 1) the "
        "error differs between x = y = e_1 and x = y = (3/5, 4/5); for real A it is a function of the angle on every "
        "sphere only if A^T A is a multiple of the identity", correction="hybrid.txt.angle-only",
        prints="note that the mean squared errors of the considered estimators depend only on the angle θx,y for x, "
        "y chosen from a fixed sphere",
        fault=Fault("reading", 1, "none: the considered estimators are T, P and the bipolar hybrids, for which it "
        "holds"),
        statement=r"on a fixed sphere the mean squared errors depend only on $\theta_{x,y}$",
        conditions="complex exponential estimators with general A"),
    said("hybrid.lem3.4", "Lemma 3.4, eqs (25), (26)",
        (formula("trig_relative_error") == exp(2 * r**2 * sin(theta / 2)**2) * (1 - exp(-4 * r**2 * sin(theta / 2)**2)) / sqrt(2 * m))
        & (formula("trig_relative_error", theta=pi - theta) == formula("hyperbolic_relative_error"))
        & (formula("trig_relative_error", theta=pi) == W / sqrt(2 * m)), _ANGLES, also=(Derived("hybrid.lem3.4"),),
        statement=r"(25), and (26): $\epsilon_{S(r)}(T_m)=\epsilon_{S(r)}(P_m)=\lim_{\theta\to\pi}\epsilon_{\theta,r}(T_m)=\lim_{\theta\to0}\epsilon_{\theta,r}(P_m)=\sqrt{\frac1{2m}}\,W(r)$",
        conditions="r > 0; continuous in theta, so that the limits are values; these are the largest by hybrid.lem3.4/stepE"),
    step("hybrid.lem3.4/stepE", "Appendix E", "hybrid.lem3.4", "appE",
        also=(Identity("it rises with s = sin^2(theta/2): the slope of sinh(2 r^2 s) in s", sympy.diff(sinh(_size * _share), _share),
            sympy.S.Zero, points((2, "1/2"), (8, 1), names="size s"), ">", by=Sign()),
                Identity("a slightly larger angle has a larger error of T", trig_relative_error.expression,
            trig_relative_error.expression.subs(theta, theta + sympy.Rational(1, 100)),
            points((1, 1, 1), ("1/3", 2, 3), (2, "1/2", 2), (1, "3.1", 1), names="r theta m"), "<"),
            Identity("at theta = pi it is W/sqrt(2m)", at(trig_relative_error.expression, {theta: sympy.pi}),
            base_max_relative_error.expression, points((1, 1), ("1/3", 3), (2, 2), names="r m"),
            by=Rewrite())),
        statement=r"$\epsilon_{\theta,r}(T_m)$ increases with $\sin^2\frac\theta2$ and is largest at $\theta=\pi$; analogously for $P_m$",
        conditions="r > 0"))  # fmt: skip

CLAIMS = (*THEOREM_31, *ANGULAR, *ERRORS)
