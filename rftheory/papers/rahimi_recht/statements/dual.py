"""Section 1 of the walk-through: regularised least squares and its dual form."""

from __future__ import annotations

from fractions import Fraction

import sympy

from rftheory.author import equal
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.steps import proved_step, refuted_step
from rftheory.statement.evidence import Derived, ProvedStep
from rftheory.statement.words import Side

POST = "walk-through of Rahimi and Recht 2007"
HALF = Fraction(1, 2)
RIDGE = r"$\lambda>0$; any features, any data"

_S, _l = sympy.symbols("S lambda", nonnegative=True)
_positive, _U = sympy.symbols("lambda U", positive=True)
_N = sympy.Symbol("N", integer=True, positive=True)
_p = sympy.Symbol("p", integer=True, nonnegative=True)
_MULTIPLICATIONS = (_N - 1) * _N * (_N + 4) / 6

CLAIMS: tuple[Claim, ...] = (
    refuted_step("rff.dual-intro", f"{POST}, Dual Representation of Linear Models", "rff.dual-intro",
        "rff.dual-intro/any w",
        statement=r"a linear model $y=w^T\phi(x)$ has an equivalent dual representation $y=\sum_{i=1}^N\alpha_ik(x,x_i)$",
        conditions="any linear model and any training set, as the text says",
        differs="the weights have to lie in the span of the phi(x_i), as those of the ridge solution do: with one "
        "observation, phi(x_1) = (1, 0), the model w = (0, 1) is 1 at a point with phi(x) = (0, 1), where every "
        "dual form is 0",
        correction="rff.dual-intro.corrected",
        prints=r"A linear model \(y = w^T \phi(x)\) has an equivalent dual representation, \(y = \sum_{i=1}^N "
        r"\alpha_i k(x, x_i)\)",
        fault=Fault("missing condition", 1,
            "none: (1) to (7) speak of the minimiser of (1), whose weights are a " "combination of the phi(x_i)")),
    proved_step("rff.dual-intro.corrected", "corrects the introduction of the dual representation", "rff.dual-intro",
        "rff.dual-intro/ridge", ProvedStep("rff.eq7", "rff.eq4/span"),
        statement=r"for $w=\Phi^T\alpha$, and so for the minimiser of $J$, $w^T\phi(x)=\sum_i\alpha_ik(x,x_i)$ at every $x$",
        conditions=RIDGE),
    stated("rff.eq1", f"{POST}, eq. (1); our reading of a definition: one minimiser, as $J''$ along a direction "
        "$u$ is positive, with $S=\\sum_i(u^T\\phi(x_i))^2$ and $U=u^Tu$",
        Side(_S + _positive * _U) > 0,
        prints=r"J(w) = \frac{1}{2} \sum_{i=1}^N \{w^T \phi(x_i) - y_i\}^2 + \frac{\lambda}{2} w^Tw"),
    stated("rff.eq1/lambda=0", f"{POST}, eq. (1), taken for every value of $\\lambda\\ge0$: one minimiser, as "
        "$J''$ is positive along every direction, also one orthogonal to all $\\phi(x_i)$, with $U=u^Tu$",
        Side(_l * _U) > 0, expected=Decision.FAILS,
        differs="at lambda = 0 the second derivative of J may be singular, and J then has many minimisers; the "
        "text does not speak of lambda = 0, and from (2) on divides by lambda",
        correction="rff.eq1",
        prints=r"Consider a linear regression model whose objective function \(J(w)\) can be written as follows",
        fault=Fault("reading", 1, "none: (2) and (3) divide by lambda, so that lambda > 0 is understood")),
    proved_step("rff.eq2", f"{POST}, eq. (2)", "rff.eq7",
        "rff.eq2/gradient", "rff.eq2/penalty", "rff.eq2/stationary",
        statement=r"$\nabla_wJ(w)=0$ is $w=-\frac1\lambda\sum_i\{w^T\phi(x_i)-y_i\}\phi(x_i)$",
        conditions=RIDGE,
        prints=r"w = -\frac{1}{\lambda} \sum_{i=1}^N \{w^T \phi(x_i) - y_i \}\phi(x_i)"),
    proved_step("rff.eq3", f"{POST}, eq. (3); our reading of a definition", "rff.eq7",
        "rff.eq2/stationary",
        statement=r"$\alpha_i=-\frac1\lambda\{w^T\phi(x_i)-y_i\}$ is well defined",
        conditions=RIDGE,
        prints=r"\alpha_i = -\frac{1}{\lambda} \{ w^T \phi(x_i) - y_i\}"),
    proved_step("rff.eq4", f"{POST}, eq. (4)", "rff.eq7",
        "rff.eq4/span",
        statement=r"$w=\sum_i\alpha_i\phi(x_i)=\Phi^T\alpha$",
        conditions=f"{RIDGE}; w the minimiser of J",
        prints=r"w = \sum_{i=1}^N \alpha_i \phi(x_i) = \Phi^T \alpha"),
    proved_step("rff.eq5", f"{POST}, eq. (5)", "rff.dual-intro",
        "rff.dual-intro/ridge",
        statement=r"$y=w^T\phi(x)=\alpha^T\Phi\phi(x)=\sum_i\alpha_i\phi(x_i)^T\phi(x)=\sum_i\alpha_ik(x,x_i)$",
        conditions=f"{RIDGE}; w the minimiser of J",
        prints=r"y = w^T \phi(x) = \alpha^T \Phi \phi(x) = \sum_{i=1}^N \alpha_i \phi(x_i)^T \phi(x) = "
        r"\sum_{i=1}^N \alpha_i k(x, x_i)"),
    proved_step("rff.eq6", f"{POST}, eq. (6)", "rff.eq7",
        "rff.eq6/matrix",
        statement=r"$\alpha_i=-\frac1\lambda\{\alpha^T\Phi\phi(x_i)-y_i\}$ for all $i$, that is $\alpha=-\frac1\lambda[\Phi\Phi^T\alpha-Y]$",
        conditions=RIDGE,
        prints=r"\alpha = -\frac{1}{\lambda} [ \Phi \Phi^T \alpha - Y]"),
    proved_step("rff.eq7", f"{POST}, eq. (7)", "rff.eq7",
        "rff.eq6/matrix", "rff.eq7/push-through", "rff.eq7/invertible",
        statement=r"$\alpha=(K+\lambda I_N)^{-1}Y$, $K=\Phi\Phi^T$",
        conditions=RIDGE,
        also=(Derived("rff.eq7"),),
        prints=r"\alpha = (K + \lambda I_N)^{-1} Y ... where \(K = \Phi \Phi^T\) is the kernel matrix"),
    stated("rff.eq7/lambda=0", f"{POST}, eq. (7), taken for every value of $\\lambda\\ge0$: $\\det(K+\\lambda "
        "I_N)>0$ for two equal observations",
        (1 + _l) ** 2 - 1 > 0, expected=Decision.FAILS,
        differs="K is singular as soon as two observations coincide or N exceeds the number of features: det(K + "
        "lambda) of two equal observations is 0 at lambda = 0 and positive for lambda > 0, which the text takes "
        "for granted",
        correction="rff.eq7",
        prints=r"Thus, \[\alpha = (K + \lambda I_N)^{-1} Y",
        fault=Fault("reading", 1, "none: lambda > 0 is understood from (2) on", told_by="rff.eq1/lambda=0")),
    stated("rff.cost", f"{POST}, after eq. (7); products of the factorisation $LDL^T$, p divisions and 1 + ... + p "
        f"products for a column with p rows below; more than $2^{{5/2}}$ times as many for twice the data",
        equal(sympy.Sum(_p + _p * (_p + 1) / 2, (_p, 0, _N - 1)), _MULTIPLICATIONS)
            & (2 ** sympy.Rational(5, 2) * _MULTIPLICATIONS < _MULTIPLICATIONS.subs(_N, 2 * _N)),
        over=_N >= 10,
        prints="computing the kernel matrix and its inverse gets prohibitive in both memory and time"),
    stated("rff.cost/10000", f'{POST}, after eq. (7), "even 10000 observations"; beyond an ordinary computer: more '
        f'than $2^{{34}}$ bytes, or more than $10^{{13}}$ products',
        sympy.Max(8 * _N**2 / sympy.Integer(2) ** 34, _MULTIPLICATIONS / 10**13, evaluate=False) > 1, over=(equal(_N, 10**4),), expected=Decision.FAILS,
        differs="both limits are ours, and at N = 10000 neither is passed: 0.8 GB and 1.7e11 multiplications; at N "
        "= 50000, which is beyond 10000, both are (20 GB and 2.1e13)",
        correction="rff.cost",
        prints="computing the kernel matrix and its inverse gets prohibitive in both memory and time beyond even a "
        "10000 observations",
        fault=Fault("reading", 1,
            "none: the growth with N^2 and N^3 is what the text needs, and it is right")))  # fmt: skip
