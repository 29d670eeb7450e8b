"""Section 1 of the walk-through: regularised least squares and its dual form."""

from __future__ import annotations

from fractions import Fraction

import sympy

from rftheory.exact.proof.rules import Rewrite
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault
from rftheory.papers.rahimi_recht.statistics import (
    coefficients,
    convex,
    counted,
    dual_equation,
    gram_determinant,
    prediction,
    stationary,
)
from rftheory.statement.evidence import Derived, FailingStep, Identity, ProvedStep, Shown, Textbook

POST = "walk-through of Rahimi and Recht 2007"
HALF = Fraction(1, 2)
RIDGE = r"$\lambda>0$; any features, any data"

_N = sympy.Symbol("N", integer=True, positive=True)
_p = sympy.Symbol("p", integer=True, nonnegative=True)
_MULTIPLICATIONS = (_N - 1) * _N * (_N + 4) / 6

CLAIMS: tuple[Claim, ...] = (
    Claim("rff.dual-intro", f"{POST}, Dual Representation of Linear Models",
        r"a linear model $y=w^T\phi(x)$ has an equivalent dual representation $y=\sum_{i=1}^N\alpha_ik(x,x_i)$",
        "any linear model and any training set, as the text says",
        (FailingStep("rff.dual-intro", "rff.dual-intro/any w"),), Decision.FAILS,
        differs="the weights have to lie in the span of the phi(x_i), as those of the ridge solution do: with one "
        "observation, phi(x_1) = (1, 0), the model w = (0, 1) is 1 at a point with phi(x) = (0, 1), where every "
        "dual form is 0", correction="rff.dual-intro.corrected",
        prints=r"A linear model \(y = w^T \phi(x)\) has an equivalent dual representation, \(y = \sum_{i=1}^N "
        r"\alpha_i k(x, x_i)\)",
        fault=Fault("missing condition", 1,
            "none: (1) to (7) speak of the minimiser of (1), whose weights are a " "combination of the phi(x_i)")),
    Claim("rff.dual-intro.corrected", "corrects the introduction of the dual representation",
        r"for $w=\Phi^T\alpha$, and so for the minimiser of $J$, $w^T\phi(x)=\sum_i\alpha_ik(x,x_i)$ at every $x$",
        RIDGE,
        (ProvedStep("rff.dual-intro", "rff.dual-intro/ridge"), ProvedStep("rff.eq7", "rff.eq4/span"),
            Shown("ridge and kernel prediction at a new point are the same rational number", prediction, HALF,
                (("another lambda in the dual", Fraction(1, 3)), ("sign of lambda", -HALF))))),
    Claim("rff.eq1", f"{POST}, eq. (1); our reading of a definition",
        r"$J(w)=\frac12\sum_i\{w^T\phi(x_i)-y_i\}^2+\frac\lambda2w^Tw$ is finite, strictly convex, and has one minimiser",
        RIDGE,
        (
            Shown("the second derivative Phi^T Phi + lambda is positive definite for features of rank one", convex,
                HALF, (("lambda = 0", Fraction(0)), ("sign of lambda", -HALF))),
            ProvedStep("rff.eq7", "rff.eq7/invertible"),
            Textbook("Phi^T Phi is positive semidefinite", "the second derivative Phi^T Phi + lambda of J")),
        prints=r"J(w) = \frac{1}{2} \sum_{i=1}^N \{w^T \phi(x_i) - y_i\}^2 + \frac{\lambda}{2} w^Tw"),
    Claim("rff.eq1/lambda=0", f"{POST}, eq. (1), taken for every value of $\\lambda\\ge0$", r"$J$ has one minimiser",
        r"$\lambda\ge0$ (the text names no condition)",
        (Shown("at lambda = 0 the second derivative of J is singular for features of rank one", convex, Fraction(0),
            (("lambda > 0", HALF),)),),
        Decision.FAILS,
        differs="at lambda = 0 the second derivative of J may be singular, and J then has many minimisers; the "
        "text does not speak of lambda = 0, and from (2) on divides by lambda", correction="rff.eq1",
        prints=r"Consider a linear regression model whose objective function \(J(w)\) can be written as follows",
        fault=Fault("reading", 1, "none: (2) and (3) divide by lambda, so that lambda > 0 is understood")),
    Claim("rff.eq2", f"{POST}, eq. (2)", r"$\nabla_wJ(w)=0$ is $w=-\frac1\lambda\sum_i\{w^T\phi(x_i)-y_i\}\phi(x_i)$",
        RIDGE,
        (ProvedStep("rff.eq7", "rff.eq2/gradient"), ProvedStep("rff.eq7", "rff.eq2/penalty"),
            ProvedStep("rff.eq7", "rff.eq2/stationary"),
            Shown("(2) at the minimiser, four observations with three features, in rationals", stationary, -1,
                (("sign", 1), ("factor", -2)))),
        prints=r"w = -\frac{1}{\lambda} \sum_{i=1}^N \{w^T \phi(x_i) - y_i \}\phi(x_i)"),
    Claim("rff.eq3", f"{POST}, eq. (3); our reading of a definition",
        r"$\alpha_i=-\frac1\lambda\{w^T\phi(x_i)-y_i\}$ is well defined", RIDGE,
        (
            Shown("with this alpha, w = Phi^T alpha at the minimiser for lambda = 1/2", coefficients, Fraction(-2),
                (("sign", Fraction(2)), ("without 1/lambda", Fraction(-1)), ("lambda for 1/lambda", -HALF))),
            ProvedStep("rff.eq7", "rff.eq2/stationary")),
        prints=r"\alpha_i = -\frac{1}{\lambda} \{ w^T \phi(x_i) - y_i\}"),
    Claim("rff.eq4", f"{POST}, eq. (4)", r"$w=\sum_i\alpha_i\phi(x_i)=\Phi^T\alpha$",
        f"{RIDGE}; w the minimiser of J",
        (ProvedStep("rff.eq7", "rff.eq4/span"),
            Shown("w = Phi^T alpha in rationals", coefficients, Fraction(-2),
                (("sign", Fraction(2)), ("factor", Fraction(-3))))),
        prints=r"w = \sum_{i=1}^N \alpha_i \phi(x_i) = \Phi^T \alpha"),
    Claim("rff.eq5", f"{POST}, eq. (5)",
        r"$y=w^T\phi(x)=\alpha^T\Phi\phi(x)=\sum_i\alpha_i\phi(x_i)^T\phi(x)=\sum_i\alpha_ik(x,x_i)$",
        f"{RIDGE}; w the minimiser of J",
        (ProvedStep("rff.dual-intro", "rff.dual-intro/ridge"),
            Shown("both sides at a new point, in rationals", prediction, HALF,
                (("another lambda in the dual", Fraction(2, 3)), ("sign", -HALF)))),
        prints=r"y = w^T \phi(x) = \alpha^T \Phi \phi(x) = \sum_{i=1}^N \alpha_i \phi(x_i)^T \phi(x) = "
        r"\sum_{i=1}^N \alpha_i k(x, x_i)"),
    Claim("rff.eq6", f"{POST}, eq. (6)",
        r"$\alpha_i=-\frac1\lambda\{\alpha^T\Phi\phi(x_i)-y_i\}$ for all $i$, that is $\alpha=-\frac1\lambda[\Phi\Phi^T\alpha-Y]$",
        RIDGE,
        (ProvedStep("rff.eq7", "rff.eq6/matrix"),
            Shown("lambda alpha = Y - K alpha, row by row, in rationals", dual_equation, HALF,
                (("another lambda", Fraction(1, 3)), ("sign", -HALF)))),
        prints=r"\alpha = -\frac{1}{\lambda} [ \Phi \Phi^T \alpha - Y]"),
    Claim("rff.eq7", f"{POST}, eq. (7)", r"$\alpha=(K+\lambda I_N)^{-1}Y$, $K=\Phi\Phi^T$", RIDGE,
        (Derived("rff.eq7"),
            Shown("(K + lambda) alpha = Y in rationals", dual_equation, HALF,
                (("no lambda", Fraction(0)), ("2 lambda", Fraction(1))))),
        prints=r"\alpha = (K + \lambda I_N)^{-1} Y ... where \(K = \Phi \Phi^T\) is the kernel matrix"),
    Claim("rff.eq7/lambda=0", f"{POST}, eq. (7), taken for every $\\lambda\\ge0$", r"$K+\lambda I_N$ is invertible",
        r"$\lambda\ge0$ (the text names no condition)",
        (Shown("det(K + lambda) > 0 for two equal observations, lambda = 0",
            lambda lam: bool(gram_determinant(lam) > 0), Fraction(0), (("lambda > 0", HALF),)),),
        Decision.FAILS,
        differs="K is singular as soon as two observations coincide or N exceeds the number of features: det(K + "
        "lambda) of two equal observations is 0 at lambda = 0 and positive for lambda > 0, which the text takes "
        "for granted", correction="rff.eq7", prints=r"Thus, \[\alpha = (K + \lambda I_N)^{-1} Y",
        fault=Fault("reading", 1, "none: lambda > 0 is understood from (2) on", told_by="rff.eq1/lambda=0")),
    Claim("rff.cost", f"{POST}, after eq. (7)",
        r"the memory of the kernel matrix grows as $N^2$ and the multiplications of its factorisation as "
        r"$\frac{(N-1)N(N+4)}6\sim\frac{N^3}6$: at $N=10^4$ that is $10^8$ entries and $1.7\cdot10^{11}$ multiplications",
        r"reading of \"gets prohibitive\": no linear budget in $N$ suffices; factorisation $LDL^T$ of $K+\lambda I_N$",
        (
            Shown(
                "multiplications counted while the factorisation runs in rationals, N = 1..11: a cubic through them",
                counted, _MULTIPLICATIONS,
                (("leading coefficient", (_N - 1) * _N * (_N + 4) / 5), ("exponent", (_N - 1) * (_N + 4) / 6),
                    ("sign", (_N - 1) * _N * (_N - 4) / 6)),
                covers="points"),
            Identity("the counts of the rows added up: p divisions and 1 + ... + p products for the column with p rows below",
                sympy.Sum(_p + _p * (_p + 1) / 2, (_p, 0, _N - 1)), _MULTIPLICATIONS,
                ({"N": 1}, {"N": 11}, {"N": 10**4}), by=Rewrite("doit", "expand")),
            Identity("more than 2^(5/2) times the multiplications for twice the data",
                2 ** sympy.Rational(5, 2) * _MULTIPLICATIONS, _MULTIPLICATIONS.subs(_N, 2 * _N),
                ({"N": 10}, {"N": 10**4}, {"N": 10**6}), "<")),
        prints="computing the kernel matrix and its inverse gets prohibitive in both memory and time"),
    Claim("rff.cost/10000", f'{POST}, after eq. (7), "even 10000 observations"',
        r"at $N=10^4$ the kernel matrix in double precision needs more than $2^{34}$ bytes, or its factorisation more than "
        r"$10^{13}$ multiplications (about a quarter of an hour at $10^{10}$ a second)",
        r"reading of \"prohibitive\" as beyond an ordinary computer",
        (
            Identity("bytes of the matrix against 2^34", sympy.Integer(2) ** 34, 8 * _N**2, ({"N": 10**4},), "<=",
                correct=sympy.Integer(2) ** 34 + 8 * _N**2),
            Identity("multiplications against 10^13", sympy.Integer(10) ** 13, _MULTIPLICATIONS, ({"N": 10**4},),
                "<=", correct=sympy.Integer(10) ** 13 + _MULTIPLICATIONS)),
        Decision.FAILS,
        differs="both limits are ours, and at N = 10000 neither is passed: 0.8 GB and 1.7e11 multiplications; at N "
        "= 50000, which is beyond 10000, both are (20 GB and 2.1e13)", correction="rff.cost",
        prints="computing the kernel matrix and its inverse gets prohibitive in both memory and time beyond even a "
        "10000 observations",
        fault=Fault("reading", 1,
            "none: the growth with N^2 and N^3 is what the text needs, and it is right")))  # fmt: skip
