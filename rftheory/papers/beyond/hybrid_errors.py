"""Results that the source lacks: sharp asymptotics and bounds, best weights and splits, best A, coupled projections."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import sympy
from flint import arb
from sympy import E, Rational, exp, pi, sinh, sqrt

from rftheory.author import formula, hyperbolic, iid, mse, orthogonal, trigonometric
from rftheory.exact.angular import (COSINE2, P_ANGLE, SINE2, angular_max_relative_error,
    angular_relative_error, base_max_relative_error, r)  # fmt: skip
from rftheory.exact.complex_exponential import (cexp_fourth_moment, cexp_third_moment, inner, n, real,
    real_pair_loss)  # fmt: skip
from rftheory.exact.conformity import angle_conformity_ball, orf_conformity_ball
from rftheory.exact.formula import Formula
from rftheory.exact.hybrid import theta
from rftheory.exact.hybrid_optimal import (A_PART, ALPHA, B_PART, BETA, angular_asymptote, angular_best_split,
    angular_near_bound, angular_weight_loss, bipolar_best_error, bipolar_best_max, bipolar_best_weight,
    orthogonal_signs_second, sphere_split)  # fmt: skip
from rftheory.exact.proof.rules import Rewrite
from rftheory.exact.proof.steps import at
from rftheory.exact.symbols import d, m, v
from rftheory.exact.truth import larger, together
from rftheory.papers.hybrid.notation import points, said, step, value
from rftheory.papers.hybrid.statistics import (NEAR, Pair, difference, fixed_weight_errors, power_law, sampled_cexp,
    squared_error_law, squared_errors, weights)  # fmt: skip
from rftheory.papers.statistics import MakeStatistic
from rftheory.sample import Angular, Mechanism
from rftheory.spec import Coupling
from rftheory.statement import words
from rftheory.statement.evidence import (Derived, Identity, OnBox, ProvedStep, SameValue, SampledMean,
    SampledOrder, Shown, Slow)  # fmt: skip

RIGHT = Pair("0.5", "0.5", "1.1")
WIDE = Pair("0.8", "0.8", "2.2")
PLANE = Pair("1", "1", "2", d=2)


# ---- the largest relative error of the angular hybrid ------------------------------------------------------------


@lru_cache(maxsize=4)
def _ratios(formula: Formula, cases: tuple[tuple[str, int], ...]) -> list[arb]:
    """The certified largest error over a formula of r, m, n, at m = 1."""
    return [
        value(angular_max_relative_error, 8, r=radius, m=1, n=draws)
        / value(formula, 12, r=radius, m=1, n=draws)
        for radius, draws in cases
    ]


def _between(ratios: list[arb], low: sympy.Rational, high: sympy.Rational) -> bool | None:
    low_ball, high_ball = arb(low.p) / low.q, arb(high.p) / high.q
    if all(bool(ratio > low_ball) and bool(ratio < high_ball) for ratio in ratios):
        return True
    return False if any(ratio < low_ball or ratio > high_ball for ratio in ratios) else None


def _peak(radius: int, draws: int) -> arb:
    """F(r, n) by its closed form, the root found by bisection; for n = 1 it is Q."""
    a = (1 - arb(1) / draws) / (arb.pi() * radius) ** 2
    b = 1 / (draws * arb.pi() * radius)
    low, high = arb(1) / 2, arb(1)  # of v^2
    for _ in range(80):
        middle = ((low + high) / 2).mid()
        above = b * (2 * middle - 1) > 2 * a * middle.sqrt() * (1 - middle)
        low, high = (low, middle) if above else (middle, high)
    v = low.union(high)
    return (a * v + b * v.sqrt()) * (-v).exp()


def _near_peak(term: str) -> bool:
    """Whether the certified largest error at r = 8 is W sqrt(term/2) up to 1/400, n = 1, 8, 64, m = 1."""
    for draws in (1, 8, 64):
        leading = (1 - arb(1) / draws) / (arb(1).exp() * (8 * arb.pi()) ** 2) + 1 / (
            (2 * arb(1).exp()).sqrt() * draws * 8 * arb.pi()
        )
        square = {"F": _peak(8, draws), "Q": leading, "19/20 Q": leading * 19 / 20}[term]
        wanted = 2 * arb(128).sinh() * (square / 2).sqrt()
        if not abs(_largest(8, draws) / wanted - 1) < arb(1) / 400:
            return False
    return True


@lru_cache(maxsize=8)
def _largest(radius: int, draws: int) -> arb:
    return value(angular_max_relative_error, 8, r=radius, m=1, n=draws)


def _room_at(radius: Fraction) -> bool | None:
    """Whether the two terms that the upper half adds to its leading ones fit into 8/5 and 9/8 for all lengths from here on.

    1 + 1/(5 r^2) + c r^k exp(-2 r^2), c = e pi^2, k = 2 and c = sqrt(2e) pi, k = 1, fall for r >= 1.
    """
    if radius < 1:
        return None
    at = arb(radius.numerator) / radius.denominator
    tail, e, circle = (-2 * at * at).exp(), arb(1).exp(), arb.pi()
    rest = 1 + 1 / (5 * at * at)
    square, plain = rest + e * (circle * at) ** 2 * tail, rest + (2 * e).sqrt() * circle * at * tail
    if square <= arb(8) / 5 and plain <= arb(9) / 8:
        return True
    return False if square > arb(8) / 5 or plain > arb(9) / 8 else None


def _constants_smaller(ends: tuple[Rational, Rational]) -> bool | None:
    """Whether the constants 1/4 and 1/8 are the smaller ones of the minima up to these lengths (powers of r fall)."""
    plain, square = (arb(end.p) / end.q for end in ends)
    e, circle = arb(1).exp(), arb.pi()
    first = 9 / (8 * (2 * e).sqrt() * circle * plain) - arb(1) / 4
    second = 8 / (5 * e * (circle * square) ** 2) - arb(1) / 8
    if first > 0 and second > 0:
        return True
    return False if first < 0 or second < 0 else None


_w = 4 * r**2


def _quotient(part: sympy.Expr) -> sympy.Expr:
    """sinh^2(2 r^2 (1 - part))/sinh^2(2 r^2) without large numbers."""
    return exp(-_w * part) * ((1 - exp(-_w * (1 - part))) / (1 - exp(-_w))) ** 2


_H1 = P_ANGLE * _quotient(SINE2) + (1 - P_ANGLE) * _quotient(COSINE2)
_H2 = P_ANGLE**2 * _quotient(SINE2) + (1 - P_ANGLE) ** 2 * _quotient(COSINE2)
_MAX = points((1, 1, 1), (3, 2, 8), ("1/4", 1, 64), names="r m n")

LARGEST = (
    step("hybrid.added.asymptotics", "ours", "hybrid.added.asymptotics.upper",
        ProvedStep("hybrid.added.asymptotics.upper", "hybrid.added.asymptotics.upper/sharp"),
        Derived("hybrid.added.asymptotics.peak"), Derived("hybrid.added.asymptotics.upper"),
        Derived("hybrid.added.asymptotics.lower"), Derived("hybrid.added.asymptotics.constant"),
        also=(SameValue(angular_asymptote, _MAX, planted=angular_asymptote.expression * sqrt(1 + (1 - 1 / n) / r + 1 / n)),
        Shown("certified largest error at r = 8, n = 1, 8, 64, within 1/400 of W sqrt(F/2)", _near_peak, "F",
            (("Q for F", "Q"), ("19/20 Q for F", "19/20 Q"))),),
        statement=r"$\epsilon_{S(r)}(\mathrm{anghyb})\sim\frac{W(r)}{\sqrt{2m}}\sqrt{F(r,n)}$ as $r\to\infty$, uniformly in $n$, with $F=\max_uf(u)$, $f(u)=\bigl((1-\frac1n)\frac{u^2}{\pi^2r^2}+\frac u{n\pi r}\bigr)e^{-u^2}$: "
        r"$\epsilon^2\le\frac{W^2}{2m}\bigl(F+\frac Q{5r^2}+e^{-2r^2}\bigr)$, $\epsilon^2\ge\frac{e^{4r^2}}{2m}F(1-e^{1-4r^2})^2$, and $\frac{19}{20}Q\le F\le Q=\frac{1-1/n}{e\pi^2r^2}+\frac1{\sqrt{2e}\,n\pi r}$",
        conditions="upper half: r > 0; lower half: r >= 1. With a = (1-1/n)/(pi r)^2, b = 1/(n pi r): F = a v^2 exp(-v^2)/(2 "
        "v^2 - 1) at the root v in (1/sqrt(2), 1] of b (2 v^2 - 1) = 2 a v (1 - v^2); "
        "F = Q for n = 1 and in the limits n/r -> 0 and n/r -> oo",
        entry="added"),
    step("hybrid.added.near-bound", "ours", "hybrid.txt.strict", Derived("hybrid.txt.strict"), Derived("hybrid.added.asymptotics.upper"),
        also=(SameValue(angular_near_bound, _MAX, planted=angular_asymptote.expression),
        Shown("the upper half of the asymptotics implies it from r = 7/4 on", _room_at, Fraction(7, 4),
            (("from r = 1 on", Fraction(1)), ("from r = 3/2 on", Fraction(3, 2)))),
        Shown("1/4 and 1/8 are the smaller terms for r <= 1/2 and r <= 3/5", _constants_smaller,
            (Rational(1, 2), Rational(3, 5)), (("r <= 1", (Rational(1), Rational(1))),)),
        Slow(OnBox(
            "n = 1, theta in [0, pi/2], r in [1/2, 7/4]: p A/W^2 + (1-p) B/W^2 <= 9/(8 sqrt(2e) pi r), times 4",
            sympy.Ge(Rational(9, 8) / (sqrt(2 * E) * pi) / r, _H1, evaluate=False), {theta: (0, "1571/1000"), r: ("1/2", "7/4")})),
        Slow(OnBox(
            "n -> oo, theta in [0, pi/2], r in [3/5, 7/4]: p^2 A/W^2 + (1-p)^2 B/W^2 <= 8/(5 e pi^2 r^2), times 4",
            sympy.Ge(Rational(8, 5) / (E * pi**2) / r**2, _H2, evaluate=False), {theta: (0, "1571/1000"), r: ("3/5", "7/4")})),
        Slow(Shown("certified largest error over the bound at r = 1/4, 2, 6, n = 1, 64: between 3/4 and 1",
            lambda ends: _between(
                _ratios(angular_near_bound, tuple((radius, k) for radius in ("1/4", "2", "6") for k in (1, 64))),
                *ends),
            (Rational(3, 4), Rational(1)),
            (("at most 9/10 of it", (Rational(3, 4), Rational(9, 10))),
                ("at least 19/20 of it", (Rational(19, 20), Rational(1)))))),),
        statement=r"$\epsilon_{S(r)}(\mathrm{anghyb})\le\frac{W(r)}{\sqrt{2m}}\Bigl[(1-\frac1n)\min\bigl(\frac18,\frac8{5e\pi^2r^2}\bigr)+\frac1n\min\bigl(\frac14,\frac9{8\sqrt{2e}\pi r}\bigr)\Bigr]^{1/2}$",
        conditions="every r > 0, m, n >= 1; exact as r -> 0, and above the asymptote by the factors sqrt(8/5) (n -> oo) and "
        "sqrt(9/8) (n = 1) at most",
        entry="added"))  # fmt: skip

# ---- the best weight of a bipolar hybrid ---------------------------------------------------------------------------


def _constant_weight(weight: str) -> Callable[[int, int], arb]:
    """E L^a (1-L)^b of a deterministic weight."""
    return lambda a, b: arb(weight) ** a * (1 - arb(weight)) ** b


def _weight_order(factor: int) -> bool | None:
    """Whether sinh(factor r^2) is below the largest error of the angular hybrid with n = 10^9, at r = 2, m = 1."""
    best = arb(4 * factor).sinh()
    angular = value(angular_max_relative_error, 8, r=2, m=1, n=10**9)
    return larger(angular, best)


_ARC = points((1, 1), ("1/3", 2), (2, "1/5"), names="r theta")

WEIGHTS = (
    step("hybrid.added.weight", "ours: the best weight of P in a bipolar hybrid; P and T independent, not both exact",
        "hybrid.added.weight", "random weight", "square completed", "statement",
        also=(SameValue(bipolar_best_weight, _ARC, planted=1 - bipolar_best_weight.expression),
        SameValue(bipolar_best_error, points((1, 1, 1), ("1/3", 2, 3), (2, "1/5", 7), names="r theta m"),
            planted=bipolar_best_error.expression * sqrt(2)), Slow(SampledMean(f"MSE of P/4 + 3 T/4, m = 4, {NEAR}",
            fixed_weight_errors(0.25, 4, NEAR),
            squared_error_law(NEAR, 4, _constant_weight("0.25")), lambda law: replace(law, mean=law.mean * 1.1),
            2**19))), entry="added",
        statement=r"among all weights the variance of $\lambda P_m+(1-\lambda)T_m$ is least at $\lambda^*=\frac{\mathrm{MSE}(T)}{\mathrm{MSE}(P)+\mathrm{MSE}(T)}$, with $\mathrm{MSE}^*=\frac{\mathrm{MSE}(P)\mathrm{MSE}(T)}{\mathrm{MSE}(P)+\mathrm{MSE}(T)}$; a random weight adds $\mathrm{Var}(\hat\lambda)(\mathrm{MSE}(P)+\mathrm{MSE}(T))$",
        conditions="P and T independent, not both exact; unique"),
    step("hybrid.added.weight.shared",
        "ours: the best weight with common projections, C = -(1/m) SM^2 (1 - cos(|x|^2 - |y|^2)); E(P - T)^2 > 0",
        "hybrid.added.weight.shared", "statement",
        ProvedStep("hybrid.thm3.1.II", "hybrid.thm3.1.II/(36), (38)"), entry="added",
        statement=r"with common projections it is least at $\lambda^*=\frac{\mathrm{MSE}(T)-C}{\mathrm{MSE}(P)+\mathrm{MSE}(T)-2C}$ with $\frac{\mathrm{MSE}(P)\mathrm{MSE}(T)-C^2}{\mathrm{MSE}(P)+\mathrm{MSE}(T)-2C}$, $C=\mathrm{Cov}(P,T)=-\frac1m\mathrm{SM}^2(1-\cos(\|x\|^2-\|y\|^2))$",
        conditions="E(P - T)^2 > 0; C = 0 for equal lengths"),
    step("hybrid.added.weight.sphere",
        "ours",
        "hybrid.added.weight.sphere", "statement",
        also=(SameValue(bipolar_best_max, points((1, 1), ("1/3", 2), (3, 7), names="r m"),
            planted=base_max_relative_error.expression),
            Identity("the error with the best weight at theta = pi/2 is sinh(r^2)/sqrt(m)",
            at(bipolar_best_error.expression, {theta: pi / 2}), sinh(r**2) / sqrt(m),
            points((1, 1), ("1/3", 2), (3, 7), names="r m"), by=Rewrite()),
            Shown("below the largest error of the angular hybrid (n = 10^9) at r = 2", _weight_order, 1,
            (("sinh(2 r^2)", 2),))), entry="added",
        statement=r"with the best weight the largest relative error on $S(r)$ is $\frac{\sinh(r^2)}{\sqrt m}$, at $\theta=\frac\pi2$: of order $e^{r^2}$, against $e^{2r^2}/\sqrt r$ (angular) and $e^{2r^2}$ ($T$, $P$)",
        conditions="|x| = |y| = r > 0, independent P and T; the weight depends on x and y through the angle alone"),
    said("hybrid.added.weight.angular",
        "ours",
        (formula("angular_weight_loss", theta=pi / 2) == 1)
        & (formula("angular_weight_loss") - P_ANGLE**2 * A_PART / B_PART
            == P_ANGLE**2 + (1 - P_ANGLE) ** 2 * (1 + B_PART / A_PART)), (theta > 0, theta < pi),
        also=(Derived("hybrid.added.weight"), SameValue(angular_weight_loss, _ARC,
        planted=angular_weight_loss.expression - P_ANGLE**2)),
        entry="added",
        statement=r"with the exact angular weight $p=\theta/\pi$ the MSE is $1+(p-\lambda^*)^2\frac{(A+B)^2}{AB}$ times the least one, $A,B=\sinh^2(2r^2\cos^2\frac\theta2),\sinh^2(2r^2\sin^2\frac\theta2)$: 1 at $\theta=\frac\pi2$ alone, and unbounded for $\theta\to0$ and $\theta\to\pi$",
        conditions="|x| = |y| = r > 0, 0 < theta < pi; as theta -> 0 it is asymptotically (theta/pi)^2 A/B"))  # fmt: skip

# ---- the best split of m and n -------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _best_count(case: tuple[str, str]) -> int:
    """The integer n <= 64 of least error (n + 1)(alpha + beta/n) at this length and angle."""
    radius, angle = case
    errors = [
        (k + 1) * value(angular_relative_error, r=radius, theta=angle, m=1, n=k) ** 2 for k in range(1, 65)
    ]
    return 1 + min(range(64), key=lambda i: float(errors[i]))


def _neighbours(name: str) -> bool | None:
    """n (n-1) <= beta/alpha <= n (n+1) for the best integer n (the error is convex in n), at three points."""
    for case in (("1", "1/5"), ("1", "1"), ("2", "1/2")):
        found = _best_count(case)
        square = value(angular_best_split, r=case[0], theta=case[1]) ** 2
        square = {"beta/alpha": square, "its square": square**2, "its root": square.sqrt()}[name]
        if not (found * (found - 1) <= square and square <= found * (found + 1)):
            return False
    return True


def _split_at_100(split: int) -> bool | None:
    """Whether (n + 1) F(100, n) is less at this n than at the two numbers 2 away, by its greatest terms over a grid of u."""

    def least(count: int) -> tuple[arb, arb]:
        first, second = (1 - arb(1) / count) / (100 * arb.pi()) ** 2, 1 / (count * 100 * arb.pi())
        at = [arb(k) / 4096 for k in range(2048, 4096)]
        low = max((first * u * u + second * u) * (-u * u).exp() for u in at)
        slope = first * 2 + second
        return (count + 1) * low, (count + 1) * (low + slope / 8192)

    here, below, above = (least(n) for n in (split, split - 2, split + 2))
    return (
        True
        if here[1] < below[0] and here[1] < above[0]
        else bool(here[0] < min(below[1], above[1])) and None
    )


_BUDGETS = points((2, 64, 3840), (1, 1, 10), (30, 64, 10**6), names="r d C")


@lru_cache(maxsize=256)
def _square_at_cost(draws: int, angle: str = "") -> arb:
    """The square of the largest error, or of that at an angle, at 3840 multiplications, r = 2, d = 64, up to a factor."""
    error = (
        value(angular_relative_error, 8, r=2, theta=angle, m=1, n=draws)
        if angle
        else value(angular_max_relative_error, 8, r=2, m=1, n=draws)
    )
    return error**2 * (64 + draws) / (3840 - 64 * draws)


def _best_at_cost(count: int) -> bool | None:
    """Whether this n has the least certified largest error there; those of most others are larger at one angle."""
    least = _square_at_cost(count)
    return together(
        larger(_square_at_cost(k, "9/20"), least) or larger(_square_at_cost(k), least)
        for k in range(1, 60)
        if k != count
    )


SPLIT = (
    step("hybrid.added.split",
        "ours",
        "hybrid.added.split", "parts", "square", "statement",
        also=(Identity("squared relative error", 2 / m * (ALPHA + BETA / n), angular_relative_error.expression**2,
            points((1, 1, 1, 1), (2, "1/3", 3, 4), ("1/2", 3, 2, 9), names="r theta m n")),
            SameValue(angular_best_split, _ARC, planted=1 / angular_best_split.expression + theta / 100),
            Shown("the best integer n at three points, by comparison of all n <= 64", _neighbours, "beta/alpha",
            (("its square", "its square"), ("its root", "its root")))), entry="added",
        statement=r"the squared relative error is $\frac2m(\alpha+\frac\beta n)$, $\alpha=p^2A+(1-p)^2B$, $\beta=p(1-p)(A+B)$; at a fixed length $D=4m(n+1)$ of the map it is least at $n=\sqrt{\beta/\alpha}$, with $\frac8D(\sqrt\alpha+\sqrt\beta)^2$; the best integer has $n(n-1)\le\beta/\alpha\le n(n+1)$",
        conditions="|x| = |y| = r > 0, 0 < theta < pi, m and n as real numbers (the error is convex in n); n = 1 at theta = pi/2, n -> oo at both ends"),
    step("hybrid.added.split.sphere",
        "ours: for the largest error on S(r) at a fixed length D of the map the asymptote is at least c "
        "W(r)/sqrt(rD) for every n, c^4 = 2/(pi^2 e), and nearly that at n = N, N^4 = 2 pi^2 r^2: "
        "the best split gives e^(2r^2)/sqrt(rD)",
        "hybrid.added.split.sphere", "above", "at the peak of u", "below", "best", also=(*(
            Identity(f"the constant is {'above' if relation == '<' else 'below'} {bound}", Rational(bound),
                sqrt(sqrt(2) / (pi * sqrt(E))), points((0,), names="none"), relation,
                covers="domain: one number") for bound,
            relation in (("0.5225", "<"), ("0.5226", ">"))),
            Shown("least over n of (n + 1) F at r = 100: n = 21 is better than 19 and than 23", _split_at_100, 21,
            (("the root of pi r sqrt(e/2) - 1, about 19", 19), ("23", 23)))), entry="added",
        statement=r"for the largest error on $S(r)$ at a fixed length $D=4m(n+1)$ of the map the asymptote $W(r)\sqrt{2(n+1)F(r,n)/D}$ is at least $c\,W(r)/\sqrt{rD}$ for every $n$, $c=\sqrt{\sqrt2/(\pi\sqrt e)}=0.5225\ldots$, and at most $\sqrt{1+(1+2/\sqrt e)/n}$ times that at $n=\sqrt{\sqrt2\,\pi r}\approx2.1\sqrt r$: the best split gives $e^{2r^2}/\sqrt{rD}$",
        conditions="n >= 1 as a real number, r >= 1/(sqrt(2) pi) so that the split exists; F and the error as in hybrid.added.asymptotics"),
    step("hybrid.added.split.operations",
        "ours: 4md + nd + 4mn multiplications for the map, as in Appendix L; m as a real number", "hybrid.added.split.operations",
        "cost", "derivative", "rises", "root", "limit", "at most", "at least",
        also=(Derived("hybrid.added.split.operations"), SameValue(sphere_split, _BUDGETS, planted=sphere_split.expression + r / 100),
            Shown("r = 2, d = 64, 3840 multiplications: the best of all n < 60 by the certified largest errors", _best_at_cost, 11,
                (("10", 10), ("12", 12), ("20, the limit for many operations", 20)))), entry="added",
        statement=r"for the largest error on $S(r)$ at a fixed number $C=4md+nd+4mn$ of multiplications the leading term $W\sqrt{Q/(2m)}$ is least at one $n^*<\sqrt{d\beta/a}$, which tends to $\sqrt{d\beta/a}$ for $C\to\infty$ ($Q=a+\frac\beta n$, $a=\frac1{e\pi^2r^2}$, $\frac\beta a=\sqrt{\frac e2}\pi r-1$), and among integers at one of the two beside $n^*$ (at 1 if $n^*<1$); at this integer the squared largest error is at most $\frac{20}{19}\bigl(1+\frac1{5r^2}+e\pi^2r^2e^{-2r^2}\bigr)\bigl(\frac{1-e^{-4r^2}}{1-e^{1-4r^2}}\bigr)^2$ times that of every other split of $C$",
        conditions="r >= 1, d, n >= 1, n < C/d; the factor is 1.15 at r = 2 and tends to 20/19; the same bounds hold at equal lengths 4m(n + 1) of the map, where n = sqrt(beta/a) is best"))  # fmt: skip


# ---- complex exponential estimators ------------------------------------------------------------------------------------


def _quadratic_loss(b: sympy.Matrix, x: sympy.Matrix, y: sympy.Matrix) -> sympy.Expr:
    """|A x + A^-T y|^2 for real A with A^T A = b."""
    return (x.T * b * x + y.T * b.inv() * y + 2 * x.T * y)[0]


def _attained(sign: int) -> bool:
    """b = y y^T/|x.y| + I - x x^T/|x|^2 is positive definite and has the loss 2 (|x.y| + x.y), for pairs with x.y of both signs."""
    pairs = (((1, 2), (3, 1)), ((1, 2), (1, -3)), ((1, 0, 2), (2, 5, 1)), ((1, -1, 2), (-2, 1, 0)))
    for left, right in pairs:
        x, y = sympy.Matrix(left), sympy.Matrix(right)
        product = (x.T * y)[0]
        b = y * y.T / abs(product) + sympy.eye(len(left)) - x * x.T / (x.T * x)[0]
        if not all(b[:k, :k].det() > 0 for k in range(1, len(left) + 1)):
            return False
        if _quadratic_loss(b, x, y) != 2 * (abs(product) + sign * product):
            return False
    return True


def _complex_zero(kind: str) -> bool:
    """A symmetric invertible b with b x = -y for x.y > 0, < 0 and = 0; A = b^(1/2) is complex unless b is positive definite."""
    for left, right in (((1, 2), (3, 1)), ((1, 2), (1, -3)), ((1, 0), (0, 1)), ((1, 0, 2), (2, 5, -1))):
        x, y = sympy.Matrix(left), sympy.Matrix(right)
        product, size = (x.T * y)[0], (x.T * x)[0]
        if product != 0:
            b = -y * y.T / product + sympy.eye(len(left)) - x * x.T / size
        else:
            b = -(x * y.T + y * x.T) / size + sympy.eye(len(left)) - x * x.T / size - y * y.T / (y.T * y)[0]
        definite = all(b[:k, :k].det() > 0 for k in range(1, len(left) + 1))
        if b.det() == 0 or b * x != -y or (kind == "real" and not definite):
            return False
    return True


EXPONENTIAL = (
    step("hybrid.added.ce.law",
        "ours: E X^a conj(X)^b for X = S/SM, m = 1, any invertible complex A: X depends on A through |Re z|, |Im "
        "z| and Re z.Im z alone, z = A x + (A^T)^-1 y",
        "hybrid.added.ce.law", "statement",
        also=(SameValue(cexp_third_moment, points((0, 1, 1), ("-1/3", "1/2", 3), (1, "1/4", 2), names="inner real m"),
            planted=cexp_third_moment.expression.subs(real, 2 * real)), SameValue(cexp_fourth_moment,
            points(("1/5", "1/2", "2/3", "1/7", 3), ("-1/3", "1/2", 2, "1/4", 1), names="inner real imag mixed m"),
            planted=2 * cexp_fourth_moment.expression), Slow(sampled_cexp("Re S, A = diag(2i, 1), m = 4", ["2*I",
            "1"], ["1/5", "1/6"], ["1/5", "-1/4"], 4))),
        entry="added",
        statement=r"$X=S_1/\mathrm{SM}$ of the complex exponential estimator with $m=1$ has $\mathbb E X^a\bar X^b=\exp\bigl(\frac{a(a-1)}2z^2+\frac{b(b-1)}2\overline{z^2}+ab|z|^2\bigr)$, $z=Ax+(A^\top)^{-1}y$, $z^2=\sum_kz_k^2$",
        conditions="every invertible complex A, a, b >= 0: the law of X depends on A through |Re z|, |Im z| and Re z . Im z alone"),
    step("hybrid.added.ce.pair",
        "ours",
        "hybrid.added.ce.pair", "equal signs", "opposite signs",
        also=(Derived("hybrid.eq17"), SameValue(real_pair_loss, points((1,), ("1/3",), (5,), names="inner"),
            planted=real_pair_loss.expression + Rational(1, 100), printed=2 * (sympy.Abs(inner) + inner)),
            Identity("1 + least loss for x.y = -1/3, 0 and 1/3", 1 + 2 * (sympy.Abs(inner) + inner),
            1 + real_pair_loss.expression, points(("-1/3",), (0,), ("1/3",), names="inner")),
            Shown("positive definite, with that loss, for four pairs up to d = 3, exactly", _attained, 1,
            (("sign of x.y", -1),)), Shown("symmetric, invertible, B x = -y, for four pairs up to d = 3, exactly", _complex_zero, "complex",
            (("with a real root", "real"),))), entry="added",
        statement=r"for a pair the least loss $|Ax+(A^\top)^{-1}y|^2$ over real invertible $A$ is $2(|x^\top y|+x^\top y)$, so the least relative MSE is $(e^{4\max(x^\top y,0)}-1)/m$; over complex $A$ it is 0",
        conditions="x, y != 0; real A: attained iff x.y != 0 (else an infimum), by A^T A = y y^T/|x.y| + I - x x^T/|x|^2; complex A: attained for all x, y != 0 if d >= 2 (in d = 1 always), by a symmetric root of an invertible symmetric B with B x = -y"),
    step("hybrid.added.ce.cluster",
        "ours",
        "hybrid.added.ce.cluster", "real", "phase",
        also=(Shown("a cluster of two points per side in d = 1: loss at the best a below that at the centres' a",
            lambda side: _cluster_gain(side), "moments", (("the centres' a", "centres"),)),),
            entry="added",
        statement=r"for clusters the mean loss $\mathbb E|Ax+A^{-1}y|^2$ over diagonal $A$ is least at $|a_k|^4=\mathbb E y_k^2/\mathbb E x_k^2$, $a_k$ real if $\mathbb E x_ky_k\le0$ and imaginary if $>0$: $2\sum_k(\sqrt{\mathbb Ex_k^2\,\mathbb Ey_k^2}-|\mathbb Ex_ky_k|)$; over real diagonal $A$ it is $2\sum_k(\sqrt{\mathbb Ex_k^2\,\mathbb Ey_k^2}+\mathbb Ex_ky_k)$",
        conditions="E x_k^2, E y_k^2 > 0; x and y with any joint law. In general the centres' matrices (86)-(88) do not minimise it if the clusters have a spread"))  # fmt: skip


def _cluster_gain(side: str) -> bool:
    """x in {1/2, 3/2}, y in {1, 3}, independent: mean of (a x + y/a)^2 at a^4 = E y^2/E x^2 against a^2 = E y/E x, times a^2 > 0."""
    square_x, square_y, cross = Rational(5, 4), Rational(5), sympy.Integer(2)
    ratio = {"moments": sqrt(square_y / square_x), "centres": sympy.Integer(3)}[side]
    least = 2 * sqrt(square_x * square_y) + 2 * cross
    return bool(sympy.simplify(ratio * square_x + square_y / ratio + 2 * cross - least) == 0)


# ---- coupled projections -------------------------------------------------------------------------------------------------


def signs_law(theta: str) -> Callable[[int, int], arb]:
    """E L^a for d = n = 2 and orthogonal projections: L is 0, 1/2 or 1."""

    def mixed(a: int, b: int) -> arb:
        p = arb(theta) / arb.pi()
        both = (2 * p - 1).max(arb(0))
        one, none = 2 * (p - both), 1 - 2 * p + both
        zero = none if a == 0 else arb(0)
        return both * (1 if b == 0 else 0) + one / arb(2) ** (a + b) + zero

    return mixed


def _errors_of_t(coupling: str) -> MakeStatistic:
    """Squared errors of T with three projections."""
    return squared_errors(Mechanism("trigonometric", coupling, 3), *WIDE.vectors(), WIDE.softmax)


def _p_with(rows: Coupling) -> words.Mechanism:
    return hyperbolic(rows, m=m, kernel="softmax")


def _simplex_between(sign: int) -> bool | None:
    """Order of E cosh cosh of simplex, orthogonal and independent pairs, d = 2, 3, 4, 64, |x + y| = 1/4, 1, 4."""
    answers = []
    for dim, length in itertools.product((2, 3, 4, 64), ("0.25", "1", "4")):
        size, cosine = arb(length), 1 / (arb(dim) - 1)
        both = (angle_conformity_ball(dim, size, cosine) + angle_conformity_ball(dim, size, -cosine)) / 2
        to_iid = (size * size).exp() - both
        answers += [
            larger(sign * (both - orf_conformity_ball(dim, size)), 0),
            larger(sign * (to_iid if dim > 2 else -to_iid), 0),
        ]
    return together(answers)


COUPLED = (
    step("hybrid.added.orthogonal-signs",
        "ours",
        "hybrid.added.orthogonal-signs", "numerator", "apart", "overlap", "second moment, obtuse", "second moment, acute",
        "gain, obtuse", "gain, acute",
        also=(SameValue(orthogonal_signs_second, points((1,), (2,), ("31/10",), names="theta"),
            planted=(P_ANGLE + P_ANGLE**2) / 2),
            Identity("below that of independent projections, p^2 + p (1-p)/2, by min(p, 1-p)^2/2",
            (P_ANGLE**2 + P_ANGLE) / 2 - orthogonal_signs_second.expression, sympy.Min(P_ANGLE, 1 - P_ANGLE) ** 2 / 2,
            points((1,), (2,), ("31/10",), ("1/10",), names="theta")),
            Slow(SampledMean(f"E L^2, angular, two orthogonal projections, {PLANE}",
            weights(Angular(2, "orthogonal"), *PLANE.vectors(), 2), power_law(signs_law("2"), 2),
            lambda law: replace(law, mean=law.mean * 1.05), 2**17)),
            Slow(SampledOrder("E L^2 in d = 3, three orthogonal projections below independent ones, theta = 1.1",
            difference(weights(Angular(3, "orthogonal"), *RIGHT.vectors(), 2),
                weights(Angular(3), *RIGHT.vectors(), 2), 1.0),
            2**19))), entry="added",
        statement=r"orthogonal $\tau_i$ lower the variance of the angular coefficient: two orthogonal projections both separate $x$ and $y$ with probability at most $(\theta/\pi)^2$; in $d=n=2$, $\mathbb E\hat\lambda^2=\frac12\bigl(\frac\theta\pi+\max(\frac{2\theta}\pi-1,0)\bigr)$",
        conditions="any d >= 2 for acute angles (given that the first projection separates x and y, the parts orthogonal to it enclose an angle that is not larger); for obtuse angles 1 - L for -y"),
    step("hybrid.added.coupled-bases", "ours", "hybrid.thm3.1.I", Derived("hybrid.thm3.1.I"), Derived("hybrid.added.coupled-bases"), Derived("hybrid.added.orthogonal-signs"), Derived("simplex.cor3.3"),
        also=(ProvedStep("hybrid.added.weight", "hybrid.added.weight/random weight", "part"),

        Slow(SampledOrder(f"MSE of T, three orthogonal projections below independent ones, {WIDE}",
            difference(_errors_of_t("orthogonal"), _errors_of_t("iid"), WIDE.largest_error),
            2**21)),),
        statement=r"with coupled projections inside each of $P$, $T$ and $\hat\lambda$, independent of one another, (22) holds with their own moments: "
        r"$\mathbb E\hat\lambda^2\,\mathrm{MSE}(P)+\mathbb E(1-\hat\lambda)^2\,\mathrm{MSE}(T)$. Orthogonal projections lower both errors where $0<\|x-y\|^2\le2$ and $x\ne-y$, "
        r"and do not raise the two factors from the coefficient: each term falls, unless its coefficient is 0",
        conditions="d >= 2, two to d projections each, angular coefficient; P at every |x + y| > 0 (hybrid.added.coupled-bases/P), "
        "the coefficient at every angle (hybrid.added.orthogonal-signs), T in the plane at every |x - y| > 0 (simplex.added.sign-changes/plane)",
        entry="added"),
    said("hybrid.added.coupled-bases/P", "ours: the first term, whatever the coefficient",
        mse(_p_with(orthogonal)) < mse(_p_with(iid)), (m >= 2, m <= d, v > 0), entry="added"),
    step("hybrid.added.coupled-bases/simplex", "ours", "hybrid.added.coupled-bases", "even part", "hyperbolic", "next power", "k = 2",
        "k = 3 in space", "later in space", "later", "plane",
        also=(Derived("simplex.eq21"), Shown("E cosh cosh of simplex pairs above orthogonal ones, and below independent ones for d > 2", _simplex_between,
            1, (("-1: below, and above", -1),))), entry="added",
        statement=r"simplex projections lower $\mathrm{MSE}(P)$ less than orthogonal ones do at every $x\ne-y$, in every $d\ge3$, and raise it in the plane: $P$ has both signs of each projection, so that only the size of a cosine counts",
        conditions="|x + y| > 0; with positive features, one sign, they are better (simplex.cor3.3); T near x = y: simplex.added.rff-worse"),
    said("hybrid.added.coupled-bases/far", "ours: beyond z_crit(3) = 3.311 orthogonal projections raise the second term; a hybrid whose coefficient is near 0 there is worse with them",
        mse(trigonometric(orthogonal, m=2)).at(d=3, z=4, v=0) > mse(trigonometric(iid, m=2)).at(d=3, z=4, v=0), draw=False, entry="added"))  # fmt: skip

CLAIMS = (*LARGEST, *WEIGHTS, *SPLIT, *EXPONENTIAL, *COUPLED)
