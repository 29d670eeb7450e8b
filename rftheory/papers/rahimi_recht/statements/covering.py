"""Section 4 of the walk-through: vocabulary of coverings, and the inequalities of Markov, Boole and Lipschitz."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import sympy
from sympy import FiniteSet, Interval

from rftheory.author import equal, for_some
from rftheory.exact.bounds import covering_bound, diam, r, separated_bound
from rftheory.exact.proof.rules import Sign
from rftheory.exact.proof.steps import at
from rftheory.exact.symbols import d
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.rahimi_recht.statements.dual import HALF, POST
from rftheory.papers.rahimi_recht.statistics import differences_double, net_covers
from rftheory.papers.steps import proved_step, refuted_step
from rftheory.statement.evidence import (Derived, Identity, ProvedStep,
    SameValue, Shown, Textbook)  # fmt: skip
from rftheory.statement.words import Side

_point = sympy.Symbol("diam", nonnegative=True)
_t, _x, _e = sympy.symbols("t x epsilon", real=True)


def _closed_unit(t: Fraction) -> bool:
    return 0 <= t <= 1


def _open_unit(t: Fraction) -> bool:
    return 0 < t < 1


def _half_open(t: Fraction) -> bool:
    return 0 <= t < 1


def _attained(inside: Callable[[Fraction], bool]) -> bool:
    """Whether a subset of [0, 1] that comes as near to 0 and 1 as one likes has two points at distance 1."""
    return inside(Fraction(0)) and inside(Fraction(1))


def _ball(radius_square: int) -> bool:
    """Whether the lattice points at most 5 away from the origin of the plane are those of squared norm up to this."""
    grid = itertools.product(range(-6, 7), repeat=2)
    return all((x * x + y * y <= radius_square) == (abs(complex(x, y)) <= 5) for x, y in grid)


def _covered(by: str) -> bool:
    """Whether a ball of radius 1 on the line can cover {0} in this sense, over centres -1, -1/2, ..., 1."""
    point = FiniteSet(0)
    balls = [Interval(c - 1, c + 1) for c in (sympy.Rational(n, 2) for n in range(-2, 3))]
    if by == "equal":
        return any(ball == point for ball in balls)
    return any(point.is_subset(ball) if by == "contains" else ball.is_subset(point) for ball in balls)


def _radius_of(by: str) -> bool:
    """Whether some radius n/12 <= 2 makes the ball around C = {1/3} cover M = [0, 1] in this sense, 2/3 the smallest."""
    target = Interval(0, 1)
    found = []
    for n in range(1, 25):
        radius = sympy.Rational(n, 12)
        ball = Interval(sympy.Rational(1, 3) - radius, sympy.Rational(1, 3) + radius)
        if ball == target if by == "equal" else target.is_subset(ball):
            found.append(radius)
    return bool(found) and min(found) == sympy.Rational(2, 3)


def _net_radii(share: Fraction) -> bool:
    """Whether X = {0, 1}, {0, 1/2, 1} and {0, 2/3} in [0, 1] have r_p >= share eps and r_c <= eps, eps being the covering radius."""
    one, zero = Fraction(1), Fraction(0)
    for points in ((zero, one), (zero, HALF, one), (zero, Fraction(2, 3))):
        gap = min(abs(a - b) for a, b in itertools.combinations(points, 2))
        holes = [points[0], 1 - points[-1], *((b - a) / Fraction(2) for a, b in itertools.pairwise(points))]
        if not Fraction(gap) / 2 >= share * max(holes):
            return False
    return True


_T = sympy.Symbol("t", positive=True)
JUNG = (Textbook("Jung's theorem", "the ball that contains a set of diameter diam"),
    Textbook("the theorem of Danzer and Gruenbaum", "at most 2^d points of R^d without an obtuse angle, d <= 3"))  # fmt: skip
"""What the derivation of the covering number uses of others."""

DISTANCES = (
    Claim("rff.diam", f"{POST}, Metric Space, Diameter of a Metric Space; our reading of a definition",
        r"$diam(\mathcal M)=\max_{x,y}d_X(x,y)$ exists", "compact sets, such as the sets M of the claim",
        (
            Shown("[0, 1] contains two points at distance 1", _attained, _closed_unit,
                (("the open interval", _open_unit), ("a half-open interval", _half_open))),
            Textbook("a continuous function has a maximum on a compact set", "the distance on M x M"),
            Shown("diameters of finite sets and of their differences", differences_double, 2,
                (("factor 1", 1), ("factor 3", 3)))),
        prints=r"diam(\mathcal{M}) = \max_{x,y} \{ d_X(x, y) : x, y \in X\}"),
    Claim("rff.diam/open", f"{POST}, Diameter of a Metric Space, for every metric space",
        r"the maximum $\max_{x,y}d_X(x,y)$ exists", "any metric space, as printed",
        (Shown("(0, 1) has no two points at distance 1, its diameter", _attained, _open_unit,
            (("the closed interval", _closed_unit),)),),
        Decision.FAILS,
        differs="(0, 1) has no two points at distance 1, its diameter, and an unbounded space has no largest "
        "distance at all; the diameter is the supremum, which is a maximum for compact sets", correction="rff.diam",
        prints=r"diam(\mathcal{M}) = \max_{x,y} \{ d_X(x, y) : x, y \in X\}",
        fault=Fault("missing condition", 1, "none: the sets of the claim are compact")),
    Claim("rff.ball", f"{POST}, Spherical Balls",
        r"$B_r(x)=\{y:\lVert y-x\rVert_2\le r\}$ is the closed ball; it contains its centre", "r >= 0, metric of l_2",
        (Shown("lattice points of the ball of radius 5", _ball, 25, (("radius", 36), ("open ball", 24))),
            Identity("(3, 4) is on the sphere of radius 5", sympy.sqrt(_x**2 + 16), 2 + _x, ({"x": 3},)),
            Identity("the centre", at(sympy.Abs(_x - _e), {_e: _x}), _T, ({"x": 3, "t": 1},), "<=", by=Sign())),
        prints=r"B_r(x) = \{y \in \mathbb{R}^d : ||y-x||_2 <= r\}"),
    stated("rff.cover-def", f"{POST}, Covering Number: for M = {{0}} on the line, the length of a ball of radius t and that of M",
        equal(2 * _T, 0), finite=False, expected=Decision.FAILS,
        statement=r"$N_r=\min_{|C|}:\ \cup_{x\in C}B_r(x)=\mathcal M$ exists, for centres inside or outside of $\mathcal M$",
        conditions="compact M, balls in R^d, r > 0, as printed",
        differs="balls of R^d stick out, so that their union equals M for hardly any set (for M = {0} no ball of "
        "radius 1 does) and the minimum would be over nothing. The union has to contain M, as the words say",
        correction="rff.cover-def.corrected",
        prints=r"required to completely cover a given space ... N_r = \min_{|C|} : \cup_{x \in C} B_r(x) = "
        r"\mathcal{M}",
        fault=Fault("slip", 1,
            "none: the words before the formula, and the proof, ask for balls that cover the " "set")),
    proved_step("rff.cover-def.corrected", "corrects the covering number", "rff.eq15",
        "rff.eq15/volumes",
        statement=r"$N_r=\min\{|C|:\cup_{x\in C}B_r(x)\supseteq\mathcal M\}$ is finite and at most $(1+2\,diam/r)^d$, with centres in $\mathcal M$",
        conditions="compact M in R^d, r > 0",
        also=(Shown("M = {0} on the line, r = 1", _covered, "contains", (("equals M", "equal"), ("inside M", "inside"))), Shown("a greedy net of radius 2 in a ring of lattice points covers it and is small enough", net_covers, 4,
                (("radius 1", 1), ("radius 0", 0))), SameValue(separated_bound, ({"d": 1, "diam": 1, "r": 3}, {"d": 5, "diam": 2, "r": "1/3"}),
                planted=(1 + diam / r) ** d), Derived("lemma.disjoint"), Derived("lemma.net"))),
    refuted_step("rff.eq15", f"{POST}, eq. (15)", "rff.eq15",
        "rff.eq15/printed",
        statement=r"$N_r\le\bigl(\frac{2\,diam(\mathcal M)}r\bigr)^d$",
        conditions="every M and r; d the dimension of the space around it, as the text has no other",
        differs="at least one ball is needed, while the right side falls below 1 for r > 2 diam (2/3 for d = 1, "
        "diam = 1, r = 3) and is 0 for a single point; it holds for 0 < r <= 2 diam",
        correction="rff.eq15.corrected",
        prints=r"N_r <= \bigg(\frac{2 diam(\mathcal{M})}{r} \bigg)^d",
        fault=Fault("missing condition", 2,
            "none: the proof uses it for a radius that may be any, but the "
            "two-term bound that results is true for every r > 0")),
    stated("rff.eq15/point", f"{POST}, eq. (15), one-point set, for which one ball is needed",
        Side(1) <= (2 * _point / r) ** d, over=(equal(_point, 0),),
        expected=Decision.FAILS,
        differs="the diameter is 0 and with it the bound, but one ball is needed; (1 + 2 diam/r)^d holds for every "
        "set and radius", correction="rff.cover-def.corrected",
        statement=r"$N_r\le\bigl(\frac{2\,diam(\mathcal M)}r\bigr)^d$", conditions="M a single point", finite=False,
        prints=r"N_r <= \bigg(\frac{2 diam(\mathcal{M})}{r} \bigg)^d",
        fault=Fault("missing condition", 1, "none: for a single point the claim says nothing that is not plain",
            told_by="rff.eq15")),
    proved_step("rff.eq15.corrected", "corrects eq. (15)", "rff.eq15",
        "rff.eq15/small d", "rff.eq15/corrected",
        statement=r"$N_r\le\bigl(\frac{2\,diam(\mathcal M)}r\bigr)^d$, centres in $\mathcal M$",
        conditions=r"$\mathcal M\subset\mathbb R^d$ bounded, $0<r\le2\,diam(\mathcal M)$",
        also=(Derived("rff.eq15"), *JUNG,
            SameValue(covering_bound,
                ({"d": 1, "diam": 1, "r": 2}, {"d": 3, "diam": 1, "r": "1/2"}, {"d": 64, "diam": 1, "r": 1}),
                planted=(diam / r) ** d, printed=(2 * diam / r) ** d))),
    stated("rff.cover-rad", f"{POST}, Covering and Packing Radius: for M = [0, 1] and C = {{1/3}}, three times the distances of "
        "the ends of a ball of radius t from those of M, squared and added; t up to 2, beyond which it only grows",
        for_some(_T, equal((3 * _T - 1) ** 2 + (3 * _T - 2) ** 2, 0), 0, 2), finite=False, expected=Decision.FAILS,
        statement=r"$r_c(\mathcal M,C)=\min_r:\ \cup_{x\in C}B_r(x)=\mathcal M$ exists", conditions="C in M, balls in R^d, as printed",
        differs="no ball around 1/3 equals [0, 1]; the union has to contain M, and then r_c is the largest "
        "distance of a point of M from C, here 2/3", correction="rff.cover-rad.corrected",
        prints=r"r_c(\mathcal{M}, C) = \min_{r} : \cup_{x \in C} B_r(x) = \mathcal{M}",
        fault=Fault("slip", 1, "none: the words before the formula ask for balls that cover the set",
            told_by="rff.cover-def")),
    Claim("rff.cover-rad.corrected", "corrects the covering radius",
        r"$r_c(\mathcal M,C)=\min\{r:\cup_{x\in C}B_r(x)\supseteq\mathcal M\}=\max_{y\in\mathcal M}\min_{x\in C}\lVert x-y\rVert$",
        "M compact, C finite",
        (Shown("M = [0, 1], C = {1/3}: the smallest radius is 2/3", _radius_of, "contains", (("equals M", "equal"),)),
            Textbook("a continuous function has a maximum on a compact set",
                "the distance to the nearest point of C"))),
    refuted_step("rff.packing/l1", f"{POST}, Covering and Packing Radius", "rff.epsnet-eq",
        "rff.packing/l1",
        statement=r"$r_p(\mathcal M)=\max_r:\ \cap_{x\in\mathcal M}B_r(x)=\emptyset$ is half of the smallest distance",
        conditions="finite sets, the intersection of all balls as printed",
        differs="all balls together have a common point only from the radius of the enclosing ball on: 5 for {0, "
        "1, 10}, where half of the smallest distance is 1/2. The balls have to be disjoint in pairs, and open, "
        "since closed ones touch at that radius",
        correction="rff.packing/l2",
        prints=r"such that all balls are disjoint. ... r_p(\mathcal{M}) = \max_r : \cap_{x \in \mathcal{M}} B_r(x) "
        r"= \phi",
        fault=Fault("slip", 1,
            "none: the words around the formula, and the nets of the proof, speak of balls "
            "that are disjoint in pairs")),
    stated("rff.packing/closed", f"{POST}, Covering and Packing Radius, with the closed balls of Spherical Balls: "
        "those around two points at the smallest distance t, of radius r = t/2, are disjoint",
        Side(_t) > 2 * r, over=(equal(_t, 2 * r),), expected=Decision.FAILS,
        differs="the balls are closed, and those of radius r_p around the two nearest points touch, so that there "
        "is no largest radius; for open balls there is",
        correction="rff.packing/l2",
        prints=r"The packing radius is the maximum radius of spherical balls in \(\mathcal{M}\), such that all "
        r"balls are disjoint",
        fault=Fault("slip", 1, "none: the radius is used as half of the smallest distance",
            told_by="rff.packing/l1")),
    proved_step("rff.packing/l2", f'{POST}, Covering and Packing Radius, "or in other words"', "rff.epsnet-eq",
        "rff.packing/l2", "rff.packing/midpoint",
        statement=r"$r_p(\mathcal M)$, the largest radius of pairwise disjoint open balls, is half of the smallest distance between two points",
        conditions="finite sets of at least two points",
        prints=r"Or in other words half of the smallest distance between any two points in \(\mathcal{M}\)"),
    proved_step("rff.epsnet", f"{POST}, Epsilon Net; that nets exist is our reading of a definition", "rff.eq15",
        "rff.eq15/volumes",
        statement=r"$X$ is an $\epsilon$-packing if $r_p(X)\ge\epsilon/2$, an $\epsilon$-covering if $r_c(\mathcal M,X)\le\epsilon$, a net if both; nets exist",
        conditions="M bounded in R^d, eps > 0: balls of radius eps/2 around points further than eps apart are disjoint, so that some "
        "largest number of such points fits",
        also=(Shown("a maximal subset with distances above 2 covers a ring of lattice points with radius 2", net_covers,
                4, (("radius 1", 1), ("radius 0", 0))),
            Derived("lemma.disjoint"), Derived("lemma.net")),
        prints=r"An \(\epsilon\)-net is both \(\epsilon\)-packing and \(\epsilon\)-covering"),
    refuted_step("rff.epsnet-eq", f"{POST}, Epsilon Net", "rff.epsnet-eq",
        "rff.epsnet-eq/packing", "rff.epsnet-eq/covering",
        statement=r"an $\epsilon$-net has $r_p(X)=\epsilon/2$ and $r_c(\mathcal M,X)=\epsilon$",
        conditions="X in M an eps-net",
        differs="the definition gives r_p >= eps/2 and r_c <= eps and no more: {0, 1} is a 3/5-net of [0, 1] with "
        "r_p = r_c = 1/2",
        correction="rff.epsnet-eq.corrected",
        prints=r"Therefore, as \(X \subset \mathcal{M}\), \[r_p(X) = \epsilon/2\] \[r_c(\mathcal{M}, X) = "
        r"\epsilon\]",
        fault=Fault("error", 2, "none: the proof uses only that every point lies within r of an anchor")),
    proved_step("rff.epsnet-eq.corrected", "corrects the radii of a net", "rff.epsnet-eq",
        "rff.epsnet-eq/packing of a net", "rff.epsnet-eq/covering of a net",
        ProvedStep("rff.epsnet-eq", "rff.epsnet-eq/packing corrected", covers="points"),
        ProvedStep("rff.epsnet-eq", "rff.epsnet-eq/covering corrected", covers="points"),
        statement=r"an $\epsilon$-net has $r_p(X)\ge\epsilon/2$ and $r_c(\mathcal M,X)\le\epsilon$",
        conditions="X in M an eps-net",
        also=(Shown("nets of [0, 1], eps the covering radius", _net_radii, HALF,
                (("r_p >= 2 eps", Fraction(2)), ("r_p >= eps", Fraction(101, 100)))),)))  # fmt: skip

INEQUALITIES = (
    proved_step("rff.markov", f"{POST}, Markov's Inequality", "rff.markov",
        "rff.markov/below", "rff.markov/above",
        statement=r"$P(X>\epsilon)\le\frac{\mathbb E(X)}\epsilon$",
        conditions=r"$X\ge0$, $\epsilon>0$",
        also=(Derived("rff.markov"),),
        prints=r"P(X > \epsilon) \leq \frac{\mathbb{E}(X)}{\epsilon}"),
    stated("rff.markov/negative", f"{POST}, Markov's Inequality, no condition on eps: X = 1, so that P(X > eps) = 1 for eps < 0",
        Side(sympy.S.One) <= 1 / _e, over=_e < 0, expected=Decision.FAILS,
        differs="for X = 1 and eps = -1 the left side is 1 and the right side -1; that eps is positive goes "
        "without saying",
        correction="rff.markov",
        prints=r"For a non-negative random variable \(X\), \[P(X > \epsilon) \leq \frac{\mathbb{E}(X)}{\epsilon}\]",
        fault=Fault("reading", 1, "none: it is used with a positive threshold")),
    proved_step("rff.union/l1", f"{POST}, Union Bound", "rff.union", "rff.union/l1",
        prints=r"P(A \cup B) = P(A) + P(B) - P(A \cap B)"),
    proved_step("rff.union/l2", f"{POST}, Union Bound", "rff.union", "rff.union/l2",
        prints=r"P(A \cup B) <= P(A) + P(B)"),
    proved_step("rff.union/l3", f"{POST}, Union Bound, the sum of events read as their union", "rff.union", "rff.union/l3",
        prints=r"P(\sum_{i=1}^N A_i) <= \sum_{i=1}^N P(A_i)"),
    stated("rff.lip/l1", f"{POST}, Lipschitz constant; our reading of a definition",
        equal(((_x + _T) ** 2 - _x**2) / _T, 2 * _x + _T),
        statement=r"$L_f=\sup_{x,y}\frac{\lVert f(x)-f(y)\rVert_2}{\lVert x-y\rVert_2}$ is well defined",
        conditions=r"$x\ne y$; a value in $[0,\infty]$, infinite for $f(x)=x^2$, whose quotients have no bound",
        also=(Identity("a quotient of distances is not negative", sympy.Abs(_x) / _T, sympy.S.Zero,
            ({"x": -3, "t": 1}, {"x": 1, "t": "1/7"}), ">=", by=Sign()),),
        prints=r"L_f = \sup_{x, y} \frac{||f(x) - f(y)||_2}{||x - y||_2}"),
    proved_step("rff.lip/l2", f"{POST}, Lipschitz constant", "rff.lip",
        "rff.lip/segment", "rff.lip/steepest",
        statement=r"$L_f=\sup_x|f'(x)|$",
        conditions=r"$f$ differentiable on all of $\mathbb R^d$ (a convex set); the operator norm of the derivative for k > 1",
        also=(Derived("rff.lip"), Textbook("the mean value theorem", "the segment between two points")),
        prints=r"If f is differentiable, \[L_f = \sup_{x} |f'(x)|\]"),
    stated("rff.lip/l3", f"{POST}, Lipschitz constant; more derivatives, lower L_f: 10 x is analytic with L = 10, "
        "|x| has no derivative at 0 and L = 1",
        Side(sympy.Integer(10)) < 1, expected=Decision.FAILS,
        differs="if smoother meant more derivatives, 10 x would have a lower constant than |x|, but has 10 against "
        "1; the text means functions that vary less steeply, of which the sentence is true",
        correction="rff.lip/l2",
        prints=r"The Lipschitz constant \(L_f\) of a function \(f\) is an indicator of the smoothness of the "
        r"function. Smoother functions have lower values of \(L_f\)",
        fault=Fault("reading", 1, "none: it is a remark for the intuition")))  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*DISTANCES, *INEQUALITIES)
