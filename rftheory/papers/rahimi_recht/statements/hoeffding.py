"""Section 3 of the walk-through: the bound of one feature and Hoeffding's bound at one pair of points."""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy import cos, exp, sqrt

from rftheory.author import equal, formula
from rftheory.exact.bounds import eps, hoeffding_bound, phase_tail_bound
from rftheory.exact.proof.rules import Rewrite
from rftheory.exact.proof.steps import at
from rftheory.exact.symbols import m
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.rahimi_recht.statements.dual import HALF, POST
from rftheory.papers.rahimi_recht.statistics import coins_stay_below
from rftheory.papers.steps import proved_step, refuted_step
from rftheory.statement.evidence import Derived, FailingStep, Identity, ProvedStep, SameValue, Shown

_D, _e = sympy.symbols("D e", positive=True)
_w, _x, _y = sympy.symbols("w x y", real=True)
_n = sympy.Symbol("D", integer=True, positive=True)
_COINS = ("tails of the mean of 1 to 60 fair signs (w = 0 or pi, Delta = 1), exactly, against 2 exp(-c D eps^2)")  # fmt: skip
HOEFFDING = Derived("lemma.hoeffding")
"""log E exp(s (X - E X)) <= s^2 (b - a)^2/8 for X in [a, b]."""
_PAIR = "sine-cosine pairs, one pair of points, every real-valued kernel"

CLAIMS: tuple[Claim, ...] = (
    stated("rff.eq12", f"{POST}, eq. (12); it holds with equality",
        sqrt((cos(_w * _x) ** 2 + sympy.sin(_w * _x) ** 2) / _D) <= 1 / sqrt(_D),
        also=(ProvedStep("rff.eq10", "rff.eq12/norm"),),
        prints=r"|z_{w_i} (x)| = | \frac{1}{\sqrt{D}}[\cos(w_i^T x), \sin(w_i^T x)]^T | <= \frac{1}{\sqrt{D}}"),
    proved_step("rff.eq13/a", f"{POST}, eq. (13), E[X] read as the mean of the sum", "rff.eq13",
        statement=r"$P\bigl(|\sum_iX_i-\mathbb E\sum_iX_i|\ge Nt\bigr)\le2\exp\bigl(-\frac{2N^2t^2}{\sum_i(b_i-a_i)^2}\bigr)$",
        conditions="independent X_i in [a_i, b_i], not all b_i = a_i, t > 0",
        also=(HOEFFDING,
            Shown(_COINS + ", c = 1/2", coins_stay_below, HALF,
                (("exponent 3/4", Fraction(3, 4)), ("exponent 1", Fraction(1))))),
        prints=r"P(|\sum_{i=1}^N X_i - \mathbb{E}[X]| >= Nt) <= 2\exp(-\frac{2 N^2 t^2}{\sum_{i=1}^N (b_i - "
        r"a_i)^2})"),
    refuted_step("rff.eq13/b", f"{POST}, eq. (13), E[X] read as the mean of one X_i", "rff.eq14",
        "rff.eq13/(b)",
        statement=r"$P\bigl(|\sum_iX_i-\mathbb E[X_1]|\ge Nt\bigr)\le2\exp\bigl(-\frac{2N^2t^2}{\sum_i(b_i-a_i)^2}\bigr)$",
        conditions="independent X_i in [a_i, b_i]",
        differs="E[X] has to be the mean of the sum: X_1 = X_2 = 1 in [0, 1] and t = 1/2 give a sum that differs "
        "from the mean of one X_i by N t surely, and the bound is 2/e = 0.74",
        correction="rff.eq13/a",
        prints=r"P(|\sum_{i=1}^N X_i - \mathbb{E}[X]| >= Nt) <= 2\exp(-\frac{2 N^2 t^2}{\sum_{i=1}^N (b_i - "
        r"a_i)^2})",
        fault=Fault("ambiguous", 1, "none: (14) takes the mean of the sum")),
    proved_step("rff.eq14", f"{POST}, eq. (14), as a whole", "rff.eq14",
        "rff.eq14/corrected", "rff.eq13/(a)",
        statement=r"$P(|z(x)^Tz(y)-k(x,y)|\ge\epsilon)\le2\exp\bigl(-\frac{D\epsilon^2}2\bigr)$",
        conditions=f"{_PAIR}, eps > 0",
        also=(SameValue(hoeffding_bound, ({"m": 1, "eps": "1/3"}, {"m": 100, "eps": "1/5"}, {"m": 7, "eps": 2}),
                planted=2 * exp(-m * eps**2), printed=2 * exp(-m * eps**2 / 2)),
            Shown(_COINS + ", c = 1/2", coins_stay_below, HALF, (("exponent 3/4", Fraction(3, 4)),)),
            Derived("rff.eq13"), HOEFFDING),
        prints=r"P( | \sum_{i=1}^D {z_{w_i} (x) z_{w_i} (y)} - k(x,y)| >= \epsilon) ... "
        r"2\exp(-\frac{D\epsilon^2}{2})"),
    proved_step("rff.eq14/l1", f"{POST}, eq. (14), (l1)", "rff.eq14",
        "rff.eq14/l1", "rff.eq14/corrected",
        statement=r"$P\le2\exp\bigl(-\frac{2\epsilon^2}{\sum_{i=1}^D(2\sqrt{1/D})^2}\bigr)=2\exp\bigl(-\frac{\epsilon^2}2\bigr)$: true, but without any $D$",
        conditions=f"{_PAIR}, eps > 0",
        also=(HOEFFDING,
            Identity("the printed bound is the same for every D",
                at(2 * exp(-2 * _e**2 / (_D * _w**2)), {_w: 2 * sqrt(1 / _D)}), 2 * exp(-(_e**2) / 2),
                ({"D": 2, "e": 1}, {"D": 5, "e": "1/3"}, {"D": 64, "e": 2}), by=Rewrite()))),
    stated("rff.eq14/l2", f"{POST}, eq. (14), step from (l1) to (l2)",
        2 * exp(-2 * _e**2 / (_n * (2 * sqrt(1 / _n)) ** 2)) <= 2 * exp(-_n * _e**2 / 2), expected=Decision.FAILS,
        also=(FailingStep("rff.eq14", "rff.eq14/l2"),),
        differs="the printed squared ranges add up to 4, so that the first line is 2 exp(-eps^2/2) for every D and "
        "exceeds the second from D = 2 on (1.765 against 1.558 for D = 2, eps = 1/2). A summand cos(w.Delta)/D has "
        "the range 2/D, and with it the two lines are equal",
        correction="rff.eq14",
        prints=r"2\exp(-\frac{2\epsilon^2}{\sum_{i=1}^D (2\sqrt{1/D})^2}) \\ &<=& 2\exp(-\frac{D\epsilon^2}{2})",
        fault=Fault("slip", 1, "none: with 2/D in place of 2 sqrt(1/D) both lines are Hoeffding's bound, and (17) rests on "
        "the last one alone")),
    proved_step("rff.paper-loose/a", f"{POST}, after eq. (14); D = number of vectors", "rff.eq14",
        "rff.paper-loose/(a)",
        statement=r"$P(|z(x)^Tz(y)-k(x,y)|\ge\epsilon)\le2\exp\bigl(-\frac{D\epsilon^2}4\bigr)$",
        conditions=f"{_PAIR}; for random phases too, with D phases",
        also=(Derived("rff.phase-tail"),
            SameValue(phase_tail_bound, ({"m": 1, "eps": "1/3"}, {"m": 100, "eps": "1/5"}),
                planted=2 * exp(-m * eps**2 / 2)),
            Shown(_COINS + ", c = 1/4", coins_stay_below, Fraction(1, 4),
                (("exponent 1", Fraction(1)), ("exponent 3/4", Fraction(3, 4)))),
            Derived("rff.eq13"), HOEFFDING),
        prints=r"The paper proves a slightly looser Hoeffding bound of \(2\exp(-\frac{D\epsilon^2}{4})\)"),
    proved_step("rff.paper-loose/b", f"{POST}, after eq. (14); D = number of entries of the feature vector", "rff.eq14",
        "rff.paper-loose/(b)",
        statement=r"$P(|z(x)^Tz(y)-k(x,y)|\ge\epsilon)\le2\exp\bigl(-\frac{D\epsilon^2}4\bigr)$, which is (14) with $D/2$ vectors",
        conditions=f"{_PAIR}, D even",
        also=(Shown(_COINS + ", c = 1/2", coins_stay_below, HALF, (("exponent 3/4", Fraction(3, 4)),)),
            Derived("rff.eq13"), HOEFFDING),
        prints=r"The paper proves a slightly looser Hoeffding bound of \(2\exp(-\frac{D\epsilon^2}{4})\)"),
    stated("rff.paper-loose/looser",
        f'{POST}, after eq. (14); "slightly looser", against (14) for m vectors, which have D = 2 m entries',
        formula("hoeffding_bound") < 2 * exp(-(2 * m) * eps**2 / 4), expected=Decision.FAILS,
        differs="if D counted the entries of the feature vector, two for each frequency, the bound would be the "
        "same as (14); it is looser, by the factor 2 in the exponent, where D counts frequencies, as everywhere in "
        "the text",
        correction="rff.paper-loose/b",
        prints=r"The paper proves a slightly looser Hoeffding bound of \(2\exp(-\frac{D\epsilon^2}{4})\)",
        fault=Fault("reading", 1, "none: the bound is not used again")),
    stated("rff.cosproduct", f"{POST}, after eq. (14), Gaussian kernel at x = y: E cos(w x)^2 against k(0)",
        equal((1 + exp(-2 * _x**2)) / 2, 1), also=(FailingStep("rff.eq10", "rff.cosproduct/printed"),), expected=Decision.FAILS,
        differs="the right side is (k(x - y) + k(x + y))/2, 0.568 in place of 1 for the Gaussian kernel at x = y = "
        "1. With a uniform phase, as in the paper, it is right: E 2 cos(w.x + b) cos(w.y + b) = k(x - y)",
        correction="rff.cosproduct.corrected",
        prints=r"by taking the approximation \(k(x-y) = \mathbb{E}_w [\cos(w^T x) \cos(w^T y)]\)",
        fault=Fault("error", 2, "none for the text, whose features are sine-cosine pairs; features cos(w.x) made "
        "after this remark would estimate (k(x - y) + k(x + y))/2")),
    proved_step("rff.cosproduct.corrected", "corrects the approximation attributed to the paper", "rff.eq10",
        "rff.cosproduct/corrected",
        statement=r"$k(x-y)=\mathbb E[2\cos(w^Tx+b)\cos(w^Ty+b)]$, $b$ uniform on $[0,2\pi]$; without the phase, "
        r"$\mathbb E[\cos(w^Tx)\cos(w^Ty)]=\frac12[k(x-y)+k(x+y)]$",
        conditions="real-valued kernels",
        also=(Identity("product of cosines", cos(_w * _x) * cos(_w * _y), (cos(_w * (_x - _y)) + cos(_w * (_x + _y))) / 2,
                ({"w": 1, "x": 2, "y": 1}, {"w": "1/3", "x": 5, "y": 7}), by=Rewrite()),)))  # fmt: skip
