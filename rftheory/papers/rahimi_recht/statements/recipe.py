"""Section 6 of the walk-through: the recipe of kernel regression with random Fourier features, run."""

from __future__ import annotations

import sympy
from sympy import cos, sin

from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.rahimi_recht.statements.dual import POST
from rftheory.papers.rahimi_recht.statements.transform import root
from rftheory.papers.rahimi_recht.statistics import chi_square_law, features_are, frequency_square
from rftheory.papers.steps import proved_step
from rftheory.statement.evidence import Derived, SampledMean, Shown, times

_l = sympy.Symbol("lambda", nonnegative=True)

CLAIMS: tuple[Claim, ...] = (
    proved_step("rff.impl1", f"{POST}, Implementation", "rff.eq8",
        "rff.eq8/l3-l4",
        statement=r"draw $w_i\sim p(w)$, $i\in[1,D]$: for the Gaussian kernel $w_i\sim\mathcal N(0,I_d)$",
        conditions="the sampler, d = 5",
        also=(SampledMean("E |w|^2 of drawn frequencies, d = 5", frequency_square("iid", 5),
                chi_square_law(5),
                times(1.05), 2**15),),
        prints=r"Draw random vectors \(w_i\) from the Fourier Transform of the kernel we're trying to approximate"),
    proved_step("rff.impl2", f"{POST}, Implementation", "rff.eq10",
        "rff.eq12/norm",
        statement=r"$\phi(x)=\sqrt{\frac1D}[\cos(w_1^Tx),\sin(w_1^Tx),\dots,\cos(w_D^Tx),\sin(w_D^Tx)]^T$",
        conditions="the implementation against the dense formula, D = 5, d = 3, to 1e-12",
        also=(Shown("features and their inner products at three points", features_are, root,
                (("sqrt(2/D)", lambda count: (2 / count) ** 0.5), ("1/D", lambda count: 1 / count)),
                covers="cases: D = 5, d = 3"),),
        finite=True, prints=r"Project input \(x\) onto random Fourier space, \(\phi(x) = \sqrt{\frac{1}{D}}[\cos(w_1^T x), "
        r"\sin(w_1^T x), \dots, \cos(w_D^T x), \sin(w_D^T x)]^T\)"),
    stated("rff.impl3/a", f"{POST}, Implementation, no regularisation: one solution, as "
        "$\\det(\\Phi^T\\Phi+\\lambda)>0$ for every $\\lambda\\ge0$, here for one observation and D = 1",
        (cos(1) ** 2 + _l) * (sin(1) ** 2 + _l) - (cos(1) * sin(1)) ** 2 > 0, expected=Decision.FAILS,
        differs="the text does not say that the solution is unique: for N < 2 D, or for repeated data, Phi^T Phi "
        "is singular (one observation and D = 1: determinant 0) and there are many; the term lambda/2 |beta|^2 of "
        "(1) leaves one",
        correction="rff.impl3/b",
        prints=r"Solve least squares for \(y = \beta^T \phi(x)\) ... either using SGD or using the normal "
        r"solutions method",
        fault=Fault("reading", 1, "none: every solution of the normal equations fits best, and the objective (1) "
        "has the term that makes it unique")),
    proved_step("rff.impl3/b", f"{POST}, Implementation, with the regularisation of eq. (1)", "rff.eq7",
        "rff.eq7/push-through", "rff.eq7/invertible",
        statement=r"$\beta=(\Phi^T\Phi+\lambda)^{-1}\Phi^TY$ is the one solution, with the predictions of the kernel $\phi(x)^T\phi(y)$",
        conditions=r"$\lambda>0$",
        also=(Derived("rff.eq7"),),
        prints=r"Solve least squares for \(y = \beta^T \phi(x)\)"))  # fmt: skip
