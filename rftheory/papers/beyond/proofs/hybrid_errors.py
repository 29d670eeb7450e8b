"""Hybrid random features: derivations of results that the source lacks, and of its definitions.

Sharp asymptotics of the largest relative error, the best weight of a bipolar hybrid, the best split of m and n, the
best A of a complex exponential estimator, orthogonal projections in the angular coefficient. Conventions as in
:mod:`rftheory.papers.hybrid.proofs.theorems`.
"""

from __future__ import annotations

import sympy
from sympy import E, I, Rational, cos, exp, pi, sin, sinh, sqrt

from rftheory.exact import angular
from rftheory.exact.angular import W, r
from rftheory.exact.complex_exponential import COEFFICIENT_FEATURES, inner, n
from rftheory.exact.formula import Variable
from rftheory.exact.hybrid import l1, l2, theta
from rftheory.exact.hybrid_optimal import orthogonal_signs_second
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import (Chain, Combination, FromInequality, Given, Holds,
    Increasing, Instance, Ladder, Rewrite, Scaled, Sign, Termwise)  # fmt: skip
from rftheory.exact.proof.steps import Scope, Step, at
from rftheory.exact.ranges import Range
from rftheory.exact.symbols import DIMENSION, FEATURES, d, m
from rftheory.exact.vanishing import vanishes
from rftheory.papers.hybrid.proofs.theorems import (HALF, Monotone, Points, _add, alpha, beta,
    p, share, softmax, t)  # fmt: skip

OURS = "ours; a result that Choromanski et al. 2022 lack"
_RADIUS = Variable(r, "common length", above=0)
_square = angular.angular_relative_error.expression**2

# ---- Section 1 and 2.1 ---------------------------------------------------------------------------------------

first_norm = sympy.Symbol("a", nonnegative=True)
second_norm = sympy.Symbol("b", nonnegative=True)

_add("hybrid.eq1", "Softmax and Gaussian kernel", "exp(-|x-y|^2/2) = exp(-|x|^2/2) exp(x.y) exp(-|y|^2/2)",
    (Variable(first_norm, "|x|", low=0), Variable(second_norm, "|y|", low=0), Variable(inner, "x.y")),
    ({"a": 0, "b": 0, "inner": 0}, {"a": 2, "b": "1/3", "inner": "-1/2"}, {"a": 5, "b": 5, "inner": 25}),
    Step("hybrid.eq1/(1)", exp(-(first_norm**2 + second_norm**2 - 2 * inner) / 2),
        exp(-(first_norm**2) / 2) * exp(inner) * exp(-(second_norm**2) / 2), printed=True,
        reason="|x-y|^2 = |x|^2 + |y|^2 - 2 x.y", check=Rewrite()))  # fmt: skip

_bias = sympy.Symbol("bias", real=True)

_add("hybrid.eq8", "Unbiasedness of hybrids",
    "E sum L_k S_k + (1 - sum L_k) S = SM; the covariance of weight and base is the bias",
    (Variable(softmax, "SM", above=0), Variable(l1, "E L"), Variable(_bias, "Cov(L, S_1 - S_2)")),
    ({"s": 1, "l1": 0, "bias": 0}, {"s": "1/3", "l1": 2, "bias": "1/5"}),
    Step("hybrid.eq8/dependent", at(l1 * softmax + _bias + l2, {l2: softmax - l1 * softmax}), softmax + _bias,
        reason="E L S_1 = E L E S_1 + covariance", check=Rewrite()),
    Step("hybrid.eq8/(8)", l1 * softmax + (1 - l1) * softmax, softmax, printed=True,
        reason="E L S_k = E L E S_k for independent weights, for each k", check=Rewrite()))  # fmt: skip

# ---- asymptotics of the largest relative error --------------------------------------------------------------

_quarter = Variable(t, "theta in [0, pi/2]", low=0, high=pi / 2)
_unit = Variable(share, "r theta, in [0, 1]", low=0, high=1)
_S = sin(t / 2) ** 2
_C = cos(t / 2) ** 2
_chi = pi**2 / 4 - 2
_full = sinh(2 * r**2)
_first = (1 - 1 / n) / pi**2
_second = 1 / (n * pi)
_u = 2 * r * sin(t / 2)
_Q = _first / (E * r**2) + _second / (sqrt(2 * E) * r)
_gauss = exp(-4 * r**2 * _S)
_weight = _first * t**2 + _second * t
_other = (1 - t / pi) * (1 - t / pi + t / (n * pi))
_at_t = (2 / m) * (_weight * sinh(2 * r**2 * _C) ** 2 + _other * sinh(2 * r**2 * _S) ** 2)
_upper = W**2 / (2 * m) * (_Q * (1 + 1 / (5 * r**2)) + exp(-2 * r**2))
_UPPER_POINTS: Points = ({"r": 1, "t": "1/3", "m": 1, "n": 1}, {"r": "1/2", "t": "3/2", "m": 2, "n": 5},
    {"r": 3, "t": "0.24", "m": 3, "n": 64}, {"r": 2, "t": 0, "m": 1, "n": 2})  # fmt: skip
_A = "hybrid.added.asymptotics.upper"
_v = _u**2
_decay = exp(-_v)
_at_u = (_first * _v / r**2 + _second * _u / r) * _decay
"""f(u), whose maximum over u is the leading term for every n."""


def _peaks() -> tuple[Step, ...]:
    """Maxima of u^k exp(-u^2), and the room that the statement leaves in the terms of order 1/r^2."""
    tangents = (
        ("one", exp(_v - 1), _v),
        ("half", exp(_v - HALF), _v + HALF),
        ("two", exp(_v / 2 - 1), _v / 2),
    )
    return (
        *(Step(f"{_A}/tangent {name}", left, right, ">=", reason="exp(w) >= 1 + w",
            check=Instance("lemma.exponential", {lemmas.t: right - 1})) for name, left, right in tangents),
        Step(f"{_A}/u^2", _v * _decay, exp(-1), "<=", check=Combination(((f"{_A}/tangent one", _decay),))),
        Step(f"{_A}/mean", _v + HALF, sqrt(2) * _u, ">=", check=Sign((_u - 1 / sqrt(2)) ** 2)),
        Step(f"{_A}/u", _u * _decay, 1 / sqrt(2 * E), "<=",
            check=Combination(((f"{_A}/tangent half", _decay / sqrt(2)), (f"{_A}/mean", _decay / sqrt(2))))),
        Step(f"{_A}/root of u^4", _v / 2 * exp(-_v / 2), exp(-1), "<=",
            check=Combination(((f"{_A}/tangent two", exp(-_v / 2)),))),
        Step(f"{_A}/u^4", _v**2 * _decay, 4 * exp(-2), "<=",
            check=Combination(((f"{_A}/root of u^4", 4 * (exp(-1) + _v / 2 * exp(-_v / 2))),))),
        Step(f"{_A}/cubes", _u * _v, (_v + _v**2) / 2, "<=", check=Sign(_v * (1 - _u) ** 2 / 2)),
        Step(f"{_A}/u^3", _u * _v * _decay, exp(-1) / 2 + 2 * exp(-2), "<=",
            check=Combination(((f"{_A}/cubes", _decay), (f"{_A}/u^2", HALF), (f"{_A}/u^4", HALF)))),
        Step(f"{_A}/room 4", _chi * exp(-2), exp(-1) / 5, "<=", check=Sign()),
        Step(f"{_A}/room 3", _chi / 4 * (exp(-1) / 2 + 2 * exp(-2)), 1 / (5 * sqrt(2 * E)), "<=", check=Sign()),
    )  # fmt: skip


def _below_chord(step: Step, scope: Scope) -> str:
    """The difference is 0 at 0, with its slope, and at pi/2, and its second derivative goes from + to -."""
    gap = sympy.expand((step.right - step.left).subs(sin(t / 2), sqrt((1 - cos(t)) / 2)))
    bend = (1 / _chi - 1) / 2
    second = gap.diff(t, 2) - 4 * _chi * (1 - cos(t)) * (cos(t) - bend)
    ends = (gap.subs(t, 0), gap.diff(t).subs(t, 0), gap.subs(t, pi / 2), sympy.expand_trig(second))
    inside = step.relation == "<=" and scope.range(t).within(Range(sympy.S.Zero, pi / 2)) and 0 < bend < 1
    if inside and all(map(vanishes, ends)):
        return f"convex from a double zero while cos t >= {bend}, then concave down to a zero at pi/2"
    return ""


_add(_A, "Upper half of the exact asymptotics",
    "error^2 <= W^2/(2m) (Q (1 + 1/(5 r^2)) + exp(-2 r^2)), Q = (1-1/n)/(e pi^2 r^2) + 1/(sqrt(2e) n pi r)",
    (_RADIUS, _quarter, FEATURES, COEFFICIENT_FEATURES), _UPPER_POINTS,
    Step(f"{_A}/half angle", _C, 1 - _S, check=Rewrite()),
    Step(f"{_A}/other half", _S, 1 - _C, check=Rewrite()),
    Step(f"{_A}/P", sinh(2 * r**2 * _C), exp(-2 * r**2 * _S) * _full, "<=",
        check=Given((f"{_A}/half angle",), Sign(exp(-2 * r**2) * sinh(2 * r**2 * _S)))),
    Step(f"{_A}/P squared", sinh(2 * r**2 * _C) ** 2, _gauss * _full**2, "<=",
        check=Combination(((f"{_A}/P", exp(-2 * r**2 * _S) * _full + sinh(2 * r**2 * _C)),))),
    Step(f"{_A}/T", sinh(2 * r**2 * _S), exp(-2 * r**2 * _C) * _full, "<=",
        check=Given((f"{_A}/other half",), Sign(exp(-2 * r**2) * sinh(2 * r**2 * _C)))),
    Step(f"{_A}/T squared", sinh(2 * r**2 * _S) ** 2, exp(-4 * r**2 * _C) * _full**2, "<=",
        check=Combination(((f"{_A}/T", exp(-2 * r**2 * _C) * _full + sinh(2 * r**2 * _S)),))),
    Step(f"{_A}/half", _C, HALF, ">=", reason="cos t >= 0", check=Sign(cos(t) / 2)),
    Step(f"{_A}/T decay", exp(-4 * r**2 * _C), exp(-2 * r**2), "<=", check=Monotone(f"{_A}/half", 4 * r**2)),
    Step(f"{_A}/arcsine", t**2, 4 * _S * (1 + _chi * _S), "<=",
        reason="equality at 0 and pi/2: the quotient t^2/(4 S) lies below its chord in S", check=Holds(_below_chord)),
    Step(f"{_A}/slack", 4 * _S * (1 + _chi * _S) * _chi * _S, sympy.S.Zero, ">=", check=Sign()),
    Step(f"{_A}/square of the angle", t**2, 4 * _S * (1 + _chi * _S) ** 2, "<=",
        check=Combination(((f"{_A}/arcsine", sympy.S.One), (f"{_A}/slack", sympy.S.One)))),
    Step(f"{_A}/angle", t, 2 * sin(t / 2) * (1 + _chi * _S), "<=", reason="square root of the step before",
        check=FromInequality(f"{_A}/square of the angle", 1 / (t + 2 * sin(t / 2) * (1 + _chi * _S)))),
    Step(f"{_A}/weight", _weight, (1 + _chi * _S) * (_first * 4 * _S + _second * 2 * sin(t / 2)), "<=",
        check=Combination(((f"{_A}/arcsine", _first), (f"{_A}/angle", _second)))),
    *_peaks(),
    Step(f"{_A}/sharp part", _weight * _gauss, _at_u + _Q / (5 * r**2), "<=",
        reason="4 r^2 S = u^2; the excess of the angle over its sine costs a term of order u^2/r^2",
        check=Combination(
            ((f"{_A}/weight", _gauss), (f"{_A}/u^4", _first * _chi / (4 * r**4)),
                (f"{_A}/u^3", _second * _chi / (4 * r**3)), (f"{_A}/room 4", _first / r**4),
                (f"{_A}/room 3", _second / r**3)))),
    Step(f"{_A}/P part", _weight * _gauss, _Q * (1 + 1 / (5 * r**2)), "<=", reason="both terms at their own maxima",
        check=Combination(((f"{_A}/sharp part", sympy.S.One), (f"{_A}/u^2", _first / r**2), (f"{_A}/u", _second / r)))),
    Step(f"{_A}/other weight", _other, sympy.S.One, "<=", reason="E (1-L)^2 <= 1",
        check=Sign(t / pi * (2 - 1 / n - t / pi * (1 - 1 / n)))),
    Step(f"{_A}/other sign", _other, sympy.S.Zero, ">=", check=Sign()),
    Step(f"{_A}/sum", _at_t, _upper, "<=", reason="W = 2 sinh(2 r^2)",
        check=Combination(
            ((f"{_A}/P squared", 2 / m * _weight), (f"{_A}/P part", 2 / m * _full**2),
                (f"{_A}/T squared", 2 / m * _other), (f"{_A}/T decay", 2 / m * _other * _full**2),
                (f"{_A}/other weight", 2 / m * _full**2 * exp(-2 * r**2))))),
    Step(f"{_A}/sharp", _at_t, W**2 / (2 * m) * (_at_u + _Q / (5 * r**2) + exp(-2 * r**2)), "<=",
        reason="the same with f(u), u = 2 r sin(theta/2), in place of its bound Q",
        check=Combination(
            ((f"{_A}/P squared", 2 / m * _weight), (f"{_A}/sharp part", 2 / m * _full**2),
                (f"{_A}/T squared", 2 / m * _other), (f"{_A}/T decay", 2 / m * _other * _full**2),
                (f"{_A}/other weight", 2 / m * _full**2 * exp(-2 * r**2))))),
    Step(f"{_A}/error", _square.subs(theta, t), _at_t, reason="(47) over SM^2", check=Rewrite()),
    Step(f"{_A}/statement", _square.subs(theta, t), _upper, "<=",
        reason="the other half of [0, pi] is its mirror image", check=Chain()),
    source=OURS)  # fmt: skip

_B = "hybrid.added.asymptotics.lower"
_theta0 = share / r
_sin2, _cos2 = sin(_theta0 / 2) ** 2, cos(_theta0 / 2) ** 2
_rim = 1 - exp(1 - 4 * r**2)
_peak = (_first * share**2 / r**2 + _second * share / r) * exp(-(share**2))
_p_part = (_first * _theta0**2 + _second * _theta0) * sinh(2 * r**2 * _cos2) ** 2
_t_part = (1 - _theta0 / pi) * (1 - _theta0 / pi + _theta0 / (n * pi)) * sinh(2 * r**2 * _sin2) ** 2
_small = exp(2 * r**2 - share**2 / 2) * _rim / 2
_best = Rational(17, 20)
_long = Variable(r, "common length", low=1)

_add(_B, "Lower half of the exact asymptotics",
    "error^2 >= exp(4 r^2)/(2m) ((1-1/n)(u/(pi r))^2 + u/(n pi r)) exp(-u^2) (1-exp(1-4 r^2))^2 at theta = u/r",
    (_long, _unit, FEATURES, COEFFICIENT_FEATURES),
    ({"r": 1, "share": "17/20", "m": 1, "n": 1}, {"r": 2, "share": 1, "m": 3, "n": 7},
        {"r": 3, "share": "1/3", "m": 2, "n": 64}),
    Step(f"{_B}/half angle", _cos2, 1 - _sin2, check=Rewrite()),
    Step(f"{_B}/error", _square.subs(theta, _theta0), (2 / m) * (_p_part + _t_part), reason="(47) over SM^2",
        check=Rewrite()),
    Step(f"{_B}/sine", _sin2, _theta0**2 / 4, "<=", check=Instance("lemma.sine_squared", {lemmas.arc: _theta0 / 2})),
    Step(f"{_B}/argument", 2 * r**2 * _cos2, 2 * r**2 - share**2 / 2, ">=",
        check=Given((f"{_B}/half angle",), Combination(((f"{_B}/sine", 2 * r**2),)))),
    Step(f"{_B}/sinh", sinh(2 * r**2 * _cos2), sinh(2 * r**2 - share**2 / 2), ">=",
        check=Increasing(sinh(lemmas.arc), lemmas.arc, 2 * r**2 - share**2 / 2, 2 * r**2 * _cos2,
            FromInequality(f"{_B}/argument"))),
    Step(f"{_B}/unit", share**2, sympy.S.One, "<=", check=Sign()),
    Step(f"{_B}/exponents", exp(share**2 - 4 * r**2), exp(1 - 4 * r**2), "<=",
        check=Monotone(f"{_B}/unit", sympy.S.One)),
    Step(f"{_B}/one exponential", sinh(2 * r**2 - share**2 / 2), _small, ">=",
        check=Combination(((f"{_B}/exponents", exp(2 * r**2 - share**2 / 2) / 2),))),
    Step(f"{_B}/rim", _rim, sympy.S.Zero, ">=", reason="4 r^2 >= 4", check=Sign()),
    Step(f"{_B}/P", sinh(2 * r**2 * _cos2), _small, ">=", check=Chain()),
    Step(f"{_B}/P squared", sinh(2 * r**2 * _cos2) ** 2, _small**2, ">=",
        check=Combination(((f"{_B}/P", sinh(2 * r**2 * _cos2) + _small),))),
    Step(f"{_B}/T part", _t_part, sympy.S.Zero, ">=", check=Sign()),
    Step(f"{_B}/value", (2 / m) * (_p_part + _t_part), exp(4 * r**2) / (2 * m) * _peak * _rim**2, ">=",
        check=Combination(
            ((f"{_B}/P squared", 2 / m * (_first * _theta0**2 + _second * _theta0)), (f"{_B}/T part", 2 / m)))),
    Step(f"{_B}/statement", _square.subs(theta, _theta0), exp(4 * r**2) / (2 * m) * _peak * _rim**2, ">=",
        reason="the value at theta = u/r", check=Chain()),
    source=OURS)  # fmt: skip

_top = sympy.Symbol("top", positive=True)
_any = sympy.Symbol("u", nonnegative=True)
_P = "hybrid.added.asymptotics.peak"

_add(_P, "The largest value of (a u^2 + b u) exp(-u^2)",
    "a top^2 exp(-top^2)/(2 top^2 - 1) where b (2 top^2 - 1) = 2 a top (1 - top^2); here times (2 top^2 - 1)/a",
    (Variable(_top, "where it is, in [1/sqrt(2), 1]", low=1 / sqrt(sympy.S(2)), high=1), Variable(_any, "u", low=0)),
    ({"top": 1, "u": 0}, {"top": "3/4", "u": "1/2"}, {"top": "9/10", "u": 2}),
    Step(f"{_P}/tangent", exp(_any**2 - _top**2), 1 + _any**2 - _top**2, ">=", reason="exp(w) >= 1 + w",
        check=Instance("lemma.exponential", {lemmas.t: _any**2 - _top**2})),
    Step(f"{_P}/square", (1 - _top**2) * (_top - _any) ** 2, sympy.S.Zero, ">=", check=Sign()),
    Step(f"{_P}/statement", _top**2 * exp(_any**2 - _top**2),
        (2 * _top**2 - 1) * _any**2 + 2 * _top * (1 - _top**2) * _any, ">=", reason="equality at u = top alone",
        check=Combination(((f"{_P}/tangent", _top**2), (f"{_P}/square", sympy.S.One)))),
    source=OURS)  # fmt: skip

_add("hybrid.added.asymptotics.constant", "The two halves meet up to 5 percent",
    "f(17/20) >= (19/20) Q for every n; for n = 1 and as n -> oo the two bounds meet exactly",
    (_RADIUS, COEFFICIENT_FEATURES), ({"r": 1, "n": 1}, {"r": 2, "n": 3}, {"r": "1/2", "n": 1000}),
    Step("hybrid.added.asymptotics.constant/f(17/20)", _peak.subs(share, _best), Rational(19, 20) * _Q, ">=",
        check=Sign(
            _first / r**2 * (_best**2 * exp(-(_best**2)) - Rational(19, 20) / E) + _second / r
                * (_best * exp(-(_best**2)) - Rational(19, 20) / sqrt(2 * E)))),
    source=OURS)  # fmt: skip

# ---- the best weight of a bipolar hybrid ---------------------------------------------------------------------

weight = sympy.Symbol("weight", real=True)
"""A deterministic weight lambda of P."""
error_p = sympy.Symbol("EP", positive=True)
error_t = sympy.Symbol("ET", positive=True)
common = sympy.Symbol("C", real=True)
"""Cov(P, T) of estimators with common projections."""
room = sympy.Symbol("room", positive=True)
"""E(P - T)^2 = EP + ET - 2 C, positive unless P = T almost surely."""
left_arg = sympy.Symbol("g", positive=True)
right_arg = sympy.Symbol("h", positive=True)

BEST_WEIGHT = error_t / (error_p + error_t)
BEST_ERROR = error_p * error_t / (error_p + error_t)
_sl, _sr = sinh(left_arg), sinh(right_arg)
_w = "hybrid.added.weight"
_ERRORS = (Variable(weight, "weight of P"), Variable(error_p, "MSE of P", above=0),
    Variable(error_t, "MSE of T", above=0))  # fmt: skip
_WEIGHT_POINTS: Points = ({"weight": 0, "EP": 1, "ET": 1}, {"weight": "1/3", "EP": 2, "ET": "1/5"},
    {"weight": 2, "EP": "1/7", "ET": 3})  # fmt: skip

_add(_w, "The best weight of a bipolar hybrid",
    "weight ET/(EP + ET) with error EP ET/(EP + ET), for independent P and T; a random weight adds its variance",
    (*_ERRORS, Variable(l1, "E L"), Variable(l2, "E L^2", low=0)),
    tuple({**point, "l1": "1/2", "l2": 1 + i} for i, point in enumerate(_WEIGHT_POINTS)),
    Step(f"{_w}/random weight", l2 * error_p + (1 - 2 * l1 + l2) * error_t,
        l1**2 * error_p + (1 - l1) ** 2 * error_t + (l2 - l1**2) * (error_p + error_t),
        reason="(22): the variance of the weight adds Var L (EP + ET)", check=Rewrite()),
    Step(f"{_w}/square completed", weight**2 * error_p + (1 - weight) ** 2 * error_t,
        BEST_ERROR + (error_p + error_t) * (weight - BEST_WEIGHT) ** 2, reason="complete the square",
        check=Rewrite()),
    Step(f"{_w}/statement", weight**2 * error_p + (1 - weight) ** 2 * error_t, BEST_ERROR, ">=",
        reason="with equality at the best weight alone",
        check=Sign((error_p + error_t) * (weight - BEST_WEIGHT) ** 2)),
    source=OURS)  # fmt: skip

_add(f"{_w}.shared", "The best weight with common projections",
    "weight (ET - C)/(EP + ET - 2 C), C = Cov(P, T), with error (EP ET - C^2)/(EP + ET - 2 C)",
    (*_ERRORS[:2], Variable(common, "Cov(P, T)"), Variable(room, "EP + ET - 2 C", above=0)),
    ({"weight": 0, "EP": 1, "C": 0, "room": 2}, {"weight": "1/3", "EP": 2, "C": "-1/5", "room": 3},
        {"weight": 2, "EP": "1/7", "C": "-3", "room": 7}),
    Step(f"{_w}.shared/statement",
        weight**2 * error_p + (1 - weight) ** 2 * (room - error_p + 2 * common) + 2 * weight * (1 - weight) * common,
        (error_p * (room - error_p + 2 * common) - common**2) / room + room
            * (weight - (room - error_p + common) / room) ** 2,
        reason="ET = room - EP + 2 C; complete the square", check=Rewrite()),
    source=OURS)  # fmt: skip

_add(f"{_w}.sphere", "The largest relative error with the best weight",
    "for |x| = |y| = r it is sinh(r^2)/sqrt(m), at theta = pi/2; g + h = 2 r^2",
    (Variable(left_arg, "2 r^2 cos^2(theta/2)", above=0), Variable(right_arg, "2 r^2 sin^2(theta/2)", above=0)),
    ({"g": 1, "h": 1}, {"g": "1/3", "h": 3}, {"g": 5, "h": "1/100"}),
    Step(f"{_w}.sphere/means", _sl**2 * _sr**2 / (_sl**2 + _sr**2), _sl * _sr / 2, "<=",
        reason="harmonic and geometric mean",
        check=Sign(_sl * _sr * (_sl - _sr) ** 2 / (2 * (_sl**2 + _sr**2)))),
    Step(f"{_w}.sphere/product", _sl * _sr,
        sinh((left_arg + right_arg) / 2) ** 2 - sinh((left_arg - right_arg) / 2) ** 2,
        reason="product of hyperbolic sines", check=Rewrite()),
    Step(f"{_w}.sphere/largest product", _sl * _sr, sinh((left_arg + right_arg) / 2) ** 2, "<=",
        reason="equality at theta = pi/2",
        check=Given((f"{_w}.sphere/product",), Sign(sinh((left_arg - right_arg) / 2) ** 2))),
    Step(f"{_w}.sphere/statement", _sl**2 * _sr**2 / (_sl**2 + _sr**2), sinh((left_arg + right_arg) / 2) ** 2 / 2,
        "<=", reason="g + h = 2 r^2; times 2/m",
        check=Combination(((f"{_w}.sphere/means", sympy.S.One), (f"{_w}.sphere/largest product", HALF)))),
    source=OURS)  # fmt: skip

# ---- the best split of m and n ----------------------------------------------------------------------------------

fixed = sympy.Symbol("alpha", positive=True)
"""p^2 A + (1-p)^2 B: the error of the angular hybrid that no n removes, times m/2."""
noise = sympy.Symbol("beta", positive=True)
"""p (1-p) (A + B): the error from the variance of the coefficient, times m n/2."""
draws = sympy.Symbol("n", positive=True)
"""n as a real number."""
features = sympy.Symbol("D", positive=True)
"""Length 4 m (n + 1) of the feature map."""
part_a = sympy.Symbol("A", nonnegative=True)
part_b = sympy.Symbol("B", nonnegative=True)
_s = "hybrid.added.split"
SPLIT_ERROR = 8 / features * (sqrt(fixed) + sqrt(noise)) ** 2

_add(_s, "The best split of m and n",
    "at length D = 4 m (n + 1) of the map n = sqrt(beta/alpha) is best, MSE 8 (sqrt(alpha) + sqrt(beta))^2/D",
    (Variable(fixed, "p^2 A + (1-p)^2 B", above=0), Variable(noise, "p (1-p) (A + B)", above=0),
        Variable(draws, "n", above=0), Variable(features, "length of the feature map", above=0),
        Variable(p, "theta/pi", low=0, high=1), Variable(part_a, "sinh^2(2 r^2 cos^2(theta/2))", low=0),
        Variable(part_b, "sinh^2(2 r^2 sin^2(theta/2))", low=0)),
    ({"alpha": 1, "beta": 1, "n": 1, "D": 8, "p": "1/3", "A": 1, "B": 2},
        {"alpha": "1/3", "beta": 4, "n": 2, "D": 100, "p": "1/2", "A": 0, "B": 2},
        {"alpha": 3, "beta": "1/5", "n": 7, "D": 1, "p": 1, "A": 3, "B": "1/7"}),
    Step(f"{_s}/parts", p * (p - p / draws + 1 / draws) * part_a + (1 - p) * (1 - p + p / draws) * part_b,
        (p**2 * part_a + (1 - p) ** 2 * part_b) + p * (1 - p) * (part_a + part_b) / draws,
        reason="the error is affine in 1/n", check=Rewrite()),
    Step(f"{_s}/square", 2 / (features / (4 * (1 + draws))) * (fixed + noise / draws),
        SPLIT_ERROR + 8 / features * (sqrt(fixed * draws) - sqrt(noise / draws)) ** 2,
        reason="m = D/(4(n+1)); complete the square", check=Rewrite()),
    Step(f"{_s}/statement", 2 / (features / (4 * (1 + draws))) * (fixed + noise / draws), SPLIT_ERROR, ">=",
        reason="with equality at n = sqrt(beta/alpha) alone",
        check=Sign(8 / features * (sqrt(fixed * draws) - sqrt(noise / draws)) ** 2)),
    source=OURS)  # fmt: skip

# ---- complex exponential estimators -------------------------------------------------------------------------------

order_a = sympy.Symbol("ka", integer=True, nonnegative=True)
order_b = sympy.Symbol("kb", integer=True, nonnegative=True)
size_x = sympy.Symbol("X", positive=True)
size_y = sympy.Symbol("Y", positive=True)
phase = sympy.Symbol("phi", real=True)
square = sympy.Symbol("rho2", positive=True)
_zeta = alpha + I * beta
_c = "hybrid.added.ce"

_add(f"{_c}.law", "The law of complex exponential estimators",
    "E X^a conj(X)^b = exp(a(a-1) z^2/2 + b(b-1) conj(z^2)/2 + a b |z|^2), X = S/SM, one entry of z",
    (Variable(alpha, "Re of an entry"), Variable(beta, "Im of an entry"),
        Variable(order_a, "power of X", integer=True, low=0),
        Variable(order_b, "power of conj(X)", integer=True, low=0)),
    ({"alpha": 1, "beta": 0, "ka": 1, "kb": 1}, {"alpha": "1/2", "beta": -2, "ka": 2, "kb": 0},
        {"alpha": "-1/3", "beta": 1, "ka": 3, "kb": 2}),
    Step(f"{_c}.law/statement",
        exp((order_a * _zeta + order_b * (alpha - I * beta)) ** 2 / 2 - order_a * _zeta**2 / 2 - order_b
            * (alpha - I * beta) ** 2 / 2),
        exp(order_a * (order_a - 1) * _zeta**2 / 2 + order_b * (order_b - 1) * (alpha - I * beta) ** 2 / 2 + order_a
            * order_b * (alpha**2 + beta**2)),
        reason="Lemma 2.4 at a z + b conj(z), entry by entry; the entries of z enter through sums alone",
        check=Rewrite()),
    source=OURS)  # fmt: skip

_add(f"{_c}.pair", "The best real A for a pair",
    "|A x + (A^T)^-1 y|^2 >= 2 (|x.y| + x.y) for every real A; the relative MSE is at least (exp(4 max(x.y, 0)) - 1)/m",
    (Variable(size_x, "|A x|", above=0), Variable(size_y, "|(A^T)^-1 y|", above=0),
        Variable(share, "cosine of their angle in absolute value", low=0, high=1)),
    ({"X": 1, "Y": 1, "share": 1}, {"X": "1/3", "Y": 2, "share": 0}, {"X": 5, "Y": 1, "share": "1/2"}),
    Step(f"{_c}.pair/equal signs", size_x**2 + size_y**2 + 2 * share * size_x * size_y, 4 * share * size_x * size_y,
        ">=", reason="x.y = (A x).((A^T)^-1 y) = cosine |A x| |(A^T)^-1 y| > 0",
        check=Sign((size_x - size_y) ** 2 + 2 * (1 - share) * size_x * size_y)),
    Step(f"{_c}.pair/opposite signs", size_x**2 + size_y**2 - 2 * share * size_x * size_y, sympy.S.Zero, ">=",
        check=Sign((size_x - size_y) ** 2 + 2 * (1 - share) * size_x * size_y)),
    source=OURS)  # fmt: skip


_add(f"{_c}.cluster", "The best A for a cluster",
    "diagonal: |a_k|^4 = E y_k^2/E x_k^2, real or imaginary by the sign of E x_k y_k",
    (Variable(size_x, "E x_k^2", above=0), Variable(size_y, "E y_k^2", above=0), Variable(square, "|a_k|^2", above=0),
        Variable(phase, "argument of a_k"), Variable(alpha, "E x_k y_k"), Variable(share, "|E x_k y_k|", low=0)),
    ({"X": 1, "Y": 1, "rho2": 1, "phi": 0, "alpha": "1/2", "share": "1/2"},
        {"X": 2, "Y": "1/3", "rho2": 3, "phi": 1, "alpha": "-1/2", "share": "1/2"}),
    Step(f"{_c}.cluster/real", square * size_x + size_y / square + 2 * alpha, 2 * sqrt(size_x * size_y) + 2 * alpha,
        ">=", reason="arithmetic and geometric mean, equality at a_k^4 = E y_k^2/E x_k^2",
        check=Sign((sqrt(square * size_x) - sqrt(size_y / square)) ** 2)),
    Step(f"{_c}.cluster/phase", square * size_x + size_y / square + 2 * share * cos(2 * phase),
        2 * sqrt(size_x * size_y) - 2 * share, ">=",
        reason="E|a x + y/a|^2 = |a|^2 E x^2 + E y^2/|a|^2 + 2 cos(2 phi) E x y; best a real or imaginary",
        check=Sign((sqrt(square * size_x) - sqrt(size_y / square)) ** 2 + 2 * share * (1 + cos(2 * phase)))),
    source=OURS)  # fmt: skip

# ---- orthogonal projections in the angular coefficient -----------------------------------------------------------

_o = "hybrid.added.orthogonal-signs"
cosine = sympy.Symbol("c", real=True)
_acute = Variable(cosine, "cosine of an acute angle of x and y", low=0, high=1)
_one, _two = sympy.Symbol("xa", nonnegative=True), sympy.Symbol("xb", nonnegative=True)
_norms = sqrt((1 - _one**2) * (1 - _two**2))
_off, _turn = sympy.symbols("h t", nonnegative=True)
_obtuse, _narrow = HALF + _off, HALF - _off
"""The angle over pi, obtuse and acute."""


def _second_moment(share: sympy.Expr) -> sympy.Expr:
    return at(orthogonal_signs_second.expression, {theta: pi * share})


_add(_o, "Orthogonal projections lower the variance of the angular coefficient",
    "given that the first projection separates x and y, their parts orthogonal to it enclose a smaller angle",
    (_acute, Variable(_one, "|component of x along the first projection|", low=0, below=1),
        Variable(_two, "|component of y along it|", low=0, below=1),
        Variable(_off, "|angle of x and y - pi/2| over pi", low=0, high=HALF)),
    ({"c": 0, "xa": 0, "xb": 0, "h": 0}, {"c": "1/2", "xa": "1/3", "xb": "1/5", "h": "1/3"}, {"c": "9/10", "xa": "1/10", "xb": "3/10", "h": "1/2"}),
    Step(f"{_o}/norms", (1 - _one**2) * (1 - _two**2), sympy.S.One, "<=",
        check=Sign(_one**2 + _two**2 * (1 - _one**2))),
    Step(f"{_o}/root", _norms, sympy.S.One, "<=",
        check=Sign((_one**2 + _two**2 * (1 - _one**2)) / (1 + _norms))),
    Step(f"{_o}/numerator", cosine + _one * _two, cosine * _norms, ">=",
        reason="x and y lie on opposite sides, so the product of their components is negative",
        check=Sign(cosine * (1 - _norms) + _one * _two)),
    Step(f"{_o}/apart", HALF + _narrow, sympy.S.One, "<=",
        reason="in the plane, directions over pi, from 0 to 1: the first projection separates x and y on an arc of length p from 0, the second, turned by 1/2, on one "
        "from 1/2; for p = 1/2 - h it ends before 1, so that the two do not meet",
        check=Sign(_off)),
    Step(f"{_o}/overlap", sympy.Integral(1, (_turn, HALF, _obtuse)) + sympy.Integral(1, (_turn, 0, HALF + _obtuse - 1)), 2 * _obtuse - 1,
        reason="for p = 1/2 + h the first reaches beyond 1/2, and the second beyond 1, to p - 1/2: they overlap on two arcs", check=Rewrite()),
    Step(f"{_o}/second moment, obtuse", (2 * _obtuse + 2 * (2 * _obtuse - 1)) / 4, _second_moment(_obtuse),
        reason="the square of half the number of projections that separate: each with probability p, both with q = 2p - 1", check=Rewrite()),
    Step(f"{_o}/second moment, acute", 2 * _narrow / 4, _second_moment(_narrow), reason="q = 0", check=Rewrite()),
    Step(f"{_o}/gain, obtuse", (_obtuse**2 + _obtuse) / 2 - _second_moment(_obtuse), (1 - _obtuse) ** 2 / 2,
        reason="less than with independent projections, which both separate with probability p^2", check=Rewrite()),
    Step(f"{_o}/gain, acute", (_narrow**2 + _narrow) / 2 - _second_moment(_narrow), _narrow**2 / 2,
        reason="less than with independent projections", check=Rewrite()),
    source=OURS)  # fmt: skip

# ---- coupled bases ------------------------------------------------------------------------------------------------

_K = "hybrid.added.coupled-bases"
_order = sympy.Symbol("k", integer=True, nonnegative=True)
_cut, _kept, _half_d, _extra, _behind, _over = sympy.symbols("x q b c h g", nonnegative=True)
_level = sympy.Symbol("t", positive=True)
_quotient = (_half_d - 1 - _extra) / (2 + _half_d + _extra + 1)
"""(d/2 - k)/(d/2 + k) with d/2 = 1 + b and k = 2 + c."""
_next = 1 - (1 - 2 * _kept) * _quotient
_coefficient = (
    sympy.gamma(d + _order)
    * sympy.gamma(d / 2)
    / (sympy.gamma(d) * sympy.gamma(d / 2 + _order) * sympy.factorial(_order))
    * _level**_order
)
_powers = (1 + _cut) ** _order + (1 - _cut) ** _order

_add(_K, "Coupled projections in the bases of a hybrid",
    "F = 1F1(d; d/2; .): F(t (1+x)) + F(t (1-x)) >= 2 F(t); exp(-t) - 1F1(-d/2; d/2; t) > 0 for 0 < t <= 1",
    (DIMENSION, Variable(_order, "order of a term", integer=True, low=0), Variable(_cut, "|cosine| of two rows times s in [0, 1]", low=0, high=1),
        Variable(_level, "half a squared length", above=0), Variable(_half_d, "d/2 - 1", low=0), Variable(_extra, "order less 2", low=0),
        Variable(_kept, "(1 - c_k)/2", low=0, high=1), Variable(_behind, "1 - t", low=0, high=1), Variable(_over, "dimension less 3, or less 4", low=0)),
    ({"d": 2, "k": 0, "x": 1, "t": 1, "b": 0, "c": 0, "q": 1, "h": 0, "g": 0}, {"d": 7, "k": 3, "x": "1/3", "t": 2, "b": "5/2", "c": 1, "q": "1/3", "h": "1/2", "g": 1},
        {"d": 64, "k": 2, "x": 0, "t": "1/5", "b": 31, "c": 7, "q": 0, "h": 1, "g": 60}),
    Step(f"{_K}/powers", (1 - _cut) ** _order, (1 + _cut) ** _order, "<=",
        check=Increasing(lemmas.t**_order, lemmas.t, 1 - _cut, 1 + _cut, Sign(2 * _cut), Range(sympy.S.Zero, sympy.oo))),
    Step(f"{_K}/even part", sympy.Integer(2), _powers, "<=",
        check=Ladder(_order, 0, sympy.S.One, sympy.S.Zero, plus=((f"{_K}/powers", _cut),))),
    Step(f"{_K}/hyperbolic", sympy.Sum(2 * _coefficient, (_order, 0, sympy.oo)), sympy.Sum(_coefficient * _powers, (_order, 0, sympy.oo)), "<=",
        reason="2 F(t) and F(t (1+x)) + F(t (1-x)): whatever the angle, a pair with both signs has a larger product than an orthogonal one",
        check=Termwise(Scaled(_coefficient, FromInequality(f"{_K}/even part")))),
    Step(f"{_K}/next power", (1 + _cut) ** (_order + 1) + (1 - _cut) ** (_order + 1), (1 + _cut) * _powers, "<=",
        reason="simplex rows, x = s/(d-1): sum of E ((1+x)^k + (1-x)^k)/2 r_k (2t)^k/k!, r_k = product of (d+j)/(d+2j), against exp(2t)",
        check=Sign(2 * _cut * (1 - _cut) ** _order)),
    Step(f"{_K}/k = 2", (1 + (_cut / (_over + 2)) ** 2) * (_over + 4) / (_over + 5), sympy.S.One, "<=", reason="d = 3 + g; s < 1 almost surely",
        check=Sign((_over**2 + 3 * _over + (1 - _cut**2) * (_over + 4)) / ((_over + 2) ** 2 * (_over + 5)))),
    Step(f"{_K}/k = 3 in space", 5 * (1 + 3 * (_cut / 2) ** 2), 7 * (1 + (_cut / 2) ** 2), "<=", reason="d = 3",
        check=Sign(2 * (1 - _cut**2))),
    Step(f"{_K}/later in space", (1 + _cut / 2) * (6 + _extra), 9 + 2 * _extra, "<=", reason="d = 3, k = 3 + c: one more factor is at most 1",
        check=Sign((_extra + (1 - _cut) * (6 + _extra)) / 2)),
    Step(f"{_K}/later", (1 + _cut / (3 + _over)) * (6 + _over + _extra), 8 + _over + 2 * _extra, "<=", reason="d = 4 + g, k = 2 + c",
        check=Sign((_over + 2 * _extra + _over * _extra + (1 - _cut) * (6 + _over + _extra)) / (3 + _over))),
    Step(f"{_K}/plane", exp(_level), (1 + exp(2 * _level)) / 2, "<", reason="d = 2, where the rows of a simplex are opposite: E cosh^2; t = |x + y|^2",
        check=Sign((exp(_level) - 1) ** 2 / 2)),
    Step(f"{_K}/next", _next, 2 / (_half_d + _extra + 6), ">=",
        reason="1 - c_(k+1) from 1 - c_k = 2 q, c_(k+1) = c_k (d/2 - k)/(d/2 + k), |c_k| <= 1; c_2 = (d-2)/(d+2)",
        check=Sign(2 * ((1 - _kept) * (9 + _half_d + 7 * _extra + _half_d * _extra + _extra**2) + _kept * (3 + 6 * _half_d + _half_d**2
            + _half_d * _extra)) / ((_half_d + _extra + 3) * (_half_d + _extra + 6)))),
    Step(f"{_K}/second", 1 - _half_d / (2 + _half_d), 2 / (_half_d + 5), ">=", reason="the same for k = 2",
        check=Sign(6 / ((_half_d + 2) * (_half_d + 5)))),
    Step(f"{_K}/terms", (3 + _extra) * 2 * _kept - _next,
        (2 * _kept - 2 / (_half_d + _extra + 5)) * (2 + _extra) * (_half_d + _extra + 5) / (_half_d + _extra + 3),
        reason="so (k + 1)(1 - c_k) >= 1 - c_(k+1), k = 2 + c", check=Rewrite()),
    Step(f"{_K}/terms fall", (1 - _behind) * _next, _next, "<=",
        reason="exp(-t) - 1F1(-d/2; d/2; t) = sum (1 - c_k) (-t)^k/k! from k = 2 on: the terms fall for 0 < t <= 1, so it is positive, "
        "and so is the gap of T for 0 < |x - y|^2 = 2 t <= 2",
        check=Sign(_behind * 2 * ((1 - _kept) * (2 + _extra) + _kept * (1 + _half_d)) / (_half_d + _extra + 3))),
    source=OURS)  # fmt: skip

# ---- the best split of a feature map on the sphere ------------------------------------------------------------------

_L = "hybrid.added.split.sphere"
_parts = sympy.Symbol("n", positive=True)
_best_parts = sympy.Symbol("N", positive=True)
_bump = ((_parts - 1 / _parts) * _any**2 / (pi * r) ** 2 + (1 + 1 / _parts) * _any / (pi * r)) * exp(
    -(_any**2))  # fmt: skip
"""(n + 1) f(u), whose largest value over u is (n + 1) F(r, n)."""
_peaks_apart = (_parts - 1 / _parts) / (E * (pi * r) ** 2) + (1 + 1 / _parts) / (sqrt(2 * E) * pi * r)
_floor_of_peak = exp(-HALF) * (
    (_parts - 1 / _parts) / (2 * (pi * r) ** 2) + (1 + 1 / _parts) / (sqrt(2) * pi * r))  # fmt: skip

_add(_L, "The best split of a feature map of given length on the sphere",
    "sqrt(2 e) pi r (n + 1) F(r, n) is at least 1, and at n = N = sqrt(sqrt(2) pi r) at most 1 + (1 + 2/sqrt(e))/N",
    (_RADIUS, Variable(_any, "u", low=0), Variable(_parts, "projections of the coefficient, a real number", low=1),
        Variable(_best_parts, "N", low=1)),
    ({"r": 1, "u": "1/2", "n": 1, "N": 2}, {"r": 5, "u": 0, "n": 7, "N": 1},
        {"r": "1/3", "u": 2, "n": "5/2", "N": 9}),
    Step(f"{_L}/tangent half", exp(_any**2 - HALF), _any**2 + HALF, ">=",
        check=Instance("lemma.exponential", {lemmas.t: _any**2 - HALF})),
    Step(f"{_L}/mean", _any**2 + HALF, sqrt(2) * _any, ">=", check=Sign((_any - 1 / sqrt(2)) ** 2)),
    Step(f"{_L}/u", _any * exp(-(_any**2)), 1 / sqrt(2 * E), "<=",
        check=Combination(
            ((f"{_L}/tangent half", exp(-(_any**2)) / sqrt(2)), (f"{_L}/mean", exp(-(_any**2)) / sqrt(2))))),
    Step(f"{_L}/tangent one", exp(_any**2 - 1), _any**2, ">=",
        check=Instance("lemma.exponential", {lemmas.t: _any**2 - 1})),
    Step(f"{_L}/u^2", _any**2 * exp(-(_any**2)), exp(-1), "<=",
        check=Combination(((f"{_L}/tangent one", exp(-(_any**2))),))),
    Step(f"{_L}/above", _bump, _peaks_apart, "<=", reason="each term at its own largest value",
        check=Combination(
            ((f"{_L}/u^2", (_parts - 1 / _parts) / (pi * r) ** 2), (f"{_L}/u", (1 + 1 / _parts) / (pi * r))))),
    Step(f"{_L}/at the peak of u", at(_bump, {_any: 1 / sqrt(2)}), _floor_of_peak,
        reason="F is at least f at u = 1/sqrt(2)", check=Rewrite()),
    Step(f"{_L}/below", _floor_of_peak, exp(-HALF) / (sqrt(2) * pi * r), ">=",
        check=Sign(exp(-HALF) * ((_parts - 1 / _parts) / (2 * (pi * r) ** 2) + 1 / (_parts * sqrt(2) * pi * r)))),
    Step(f"{_L}/best",
        at(sqrt(2 * E) * pi * r * _peaks_apart, {_parts: _best_parts, r: _best_parts**2 / (sqrt(2) * pi)}),
        1 + (1 + 2 / sqrt(E)) / _best_parts, "<=",
        check=Sign(2 / (sqrt(E) * _best_parts**3))),
    source=OURS)  # fmt: skip

# ---- the best split on the sphere at equal numbers of operations ------------------------------------------------------

_O = "hybrid.added.split.operations"
_split, _budget, _cost, _ahead = sympy.symbols("nu K C h", positive=True)
_flat, _steep = sympy.symbols("a beta", positive=True)
"""Q(r, n) = a + beta/n, positive for r >= 1."""
_slope = (_flat * (d + _budget) + _steep) * _split**2 + 2 * d * _steep * _split - d * _steep * _budget
_total_slope = _flat * (d + _budget) + _steep
_best_split = (sqrt(d**2 * _steep**2 + d * _steep * _budget * _total_slope) - d * _steep) / _total_slope
_tail = E * pi**2 * r**2 * exp(-2 * r**2)
_at_best = {share: _best}

_add(_O, "The best split of a number of operations on the sphere",
    "(d + n) Q(r, n)/(K - n), Q = a + beta/n, falls up to one n and rises from there on; the largest squared error is Q W^2/(2m) up to a factor",
    (DIMENSION, _long, _quarter, FEATURES, COEFFICIENT_FEATURES, Variable(_split, "n as a real number", above=0),
        Variable(_budget, "C/d", above=0), Variable(_cost, "number of multiplications", above=0), Variable(_ahead, "a number", above=0),
        Variable(_flat, "1/(e pi^2 r^2)", above=0), Variable(_steep, "1/(sqrt(2e) pi r) - a", above=0)),
    ({"d": 2, "r": 1, "t": "1/3", "m": 1, "n": 1, "nu": 1, "K": 7, "C": 100, "h": 1, "a": 1, "beta": "1/2"},
        {"d": 64, "r": 2, "t": 1, "m": 3, "n": 7, "nu": "5/2", "K": 300, "C": 5, "h": "1/3", "a": "1/100", "beta": "1/9"},
        {"d": 1, "r": 3, "t": "3/2", "m": 2, "n": 64, "nu": 9, "K": "1/2", "C": 900, "h": 5, "a": "1/7", "beta": 3}),
    Step(f"{_O}/cost", at(4 * d * m + d * _split + 4 * m * _split, {m: (_cost - d * _split) / (4 * (d + _split))}), _cost,
        reason="the m that n leaves: 1/m = 4 (d + n)/(d (K - n))", check=Rewrite()),
    Step(f"{_O}/derivative", sympy.Derivative((d + _split) * (_flat + _steep / _split) / (_budget - _split), _split),
        _slope / (_split**2 * (_budget - _split) ** 2), reason="of Q/m, but for a constant",
        conditions=(sympy.Ne(_budget, _split),), check=Rewrite()),
    Step(f"{_O}/rises", at(_slope, {_split: _split}), at(_slope, {_split: _split + _ahead}), "<",
        reason="so the derivative has one change of sign, from - to +",
        check=Sign(_ahead * (_total_slope * (2 * _split + _ahead) + 2 * d * _steep))),
    Step(f"{_O}/root", at(_slope, {_split: _best_split}), sympy.S.Zero, reason="the best n",
        check=Rewrite()),
    Step(f"{_O}/limit", at(_slope, {_split: sqrt(d * _steep / _flat)}), sympy.S.Zero, ">",
        reason="so the best n is below sqrt(d beta/a), which it approaches as C grows",
        check=Sign(d**2 * _steep + d * _steep**2 / _flat + 2 * d * _steep * sqrt(d * _steep / _flat))),
    Step(f"{_O}/leading", sympy.S.One, E * pi**2 * r**2 * _Q, "<=", check=Sign((sqrt(E / 2) * pi * r - 1) / n)),
    Step(f"{_O}/above", _square.subs(theta, t), _upper, "<=", check=Instance("hybrid.added.asymptotics.upper", {})),
    Step(f"{_O}/at most", _square.subs(theta, t), W**2 / (2 * m) * _Q * (1 + 1 / (5 * r**2) + _tail), "<=", reason="theta in [0, pi/2]",
        check=Combination(((f"{_O}/above", sympy.S.One), (f"{_O}/leading", W**2 / (2 * m) * exp(-2 * r**2))))),
    Step(f"{_O}/below", at(_square, {theta: _theta0}).doit().subs(_at_best), (exp(4 * r**2) / (2 * m) * _peak * _rim**2).subs(_at_best), ">=",
        check=Instance("hybrid.added.asymptotics.lower", _at_best)),
    Step(f"{_O}/constant", _peak.subs(share, _best), Rational(19, 20) * _Q, ">=", check=Instance("hybrid.added.asymptotics.constant", {})),
    Step(f"{_O}/at least", at(_square, {theta: _theta0}).doit().subs(_at_best), exp(4 * r**2) / (2 * m) * Rational(19, 20) * _Q * _rim**2, ">=",
        reason="theta = 17/(20 r)",
        check=Combination(((f"{_O}/below", sympy.S.One), (f"{_O}/constant", exp(4 * r**2) / (2 * m) * _rim**2)))),
    source=OURS)  # fmt: skip

# ---- the same length of the feature map ----------------------------------------------------------------------------

_e = "hybrid.added.equal-features"
_open = Variable(t, "pi/2 - theta in (0, pi/2]", above=0, high=pi / 2)

_add(_e, "The angular hybrid with n = 1 against P and T with feature maps of the same length",
    "its largest relative error is strictly smaller for every r > 0; for n >= 2 it is larger for small r",
    (_RADIUS, _open, COEFFICIENT_FEATURES),
    ({"r": 1, "t": 1, "n": 1}, {"r": "1/3", "t": "1/100", "n": 2}, {"r": 2, "t": "3/2", "n": 8}),
    Step(f"{_e}/sine", t, sin(t), ">=", check=Instance("lemma.sine", {lemmas.arc: t})),
    Step(f"{_e}/surplus", (4 / pi - 1) * t * sin(t), sympy.S.Zero, ">=", check=Sign()),
    Step(f"{_e}/away from pi/2", 1 + sin(t) ** 2 - 4 * sin(t) * t / pi, sympy.S.One, "<=",
        reason="4 h/W^2 of hybrid.txt.strict for n = 1; equality where sin t = 0 alone, that is never",
        check=Combination(((f"{_e}/sine", sin(t)), (f"{_e}/surplus", sympy.S.One)))),
    Step(f"{_e}/at pi/2", sinh(r**2) ** 2 / sinh(2 * r**2) ** 2, 1 / (4 * sympy.cosh(r**2) ** 2),
        reason="sinh(2u) = 2 sinh(u) cosh(u)", check=Rewrite()),
    Step(f"{_e}/below a quarter", 1 / sympy.cosh(r**2) ** 2, sympy.S.One, "<",
        check=Sign(sinh(r**2) ** 2 / sympy.cosh(r**2) ** 2)),
    Step(f"{_e}/larger n", 2 * (1 + n) * ((1 - 1 / n) / 4 + 1 / (2 * n)) * 2 * sinh(r**2) ** 2 / sinh(2 * r**2) ** 2,
        (n + 1) ** 2 / (4 * n * sympy.cosh(r**2) ** 2),
        reason="squared ratio of the errors at theta = pi/2: m' = 2 m (n + 1) projections of P have the same length",
        check=Given((f"{_e}/at pi/2",), Rewrite())),
    source=OURS)  # fmt: skip

# ---- words around Lemma 2.2 ---------------------------------------------------------------------------------------

sum_norm2 = sympy.Symbol("V", nonnegative=True)
half_norms = sympy.Symbol("N", nonnegative=True)
_k = "hybrid.lem2.2.words"

_add(_k, "Opposite behaviour of T and P at fixed norms",
    "with |x|^2 + |y|^2 = N fixed and V = |x+y|^2, SM = exp((V-N)/2): the MSE of P rises with V, that of T falls",
    (Variable(sum_norm2, "|x+y|^2, at most 2 N", low=0), Variable(half_norms, "|x|^2 + |y|^2", low=0), FEATURES),
    ({"V": 0, "N": 1, "m": 1}, {"V": 2, "N": 1, "m": 3}, {"V": "1/3", "N": 4, "m": 2}),
    Step(f"{_k}/P", exp(sum_norm2) * exp(sum_norm2 - half_norms) * (1 - exp(-sum_norm2)) ** 2 / (2 * m),
        exp(-half_norms) * (exp(sum_norm2) - 1) ** 2 / (2 * m), reason="(7)",
        check=Rewrite()),
    Step(f"{_k}/P rises", sympy.diff(exp(-half_norms) * (exp(sum_norm2) - 1) ** 2 / (2 * m), sum_norm2), sympy.S.Zero,
        ">=", check=Sign(exp(-half_norms) * exp(sum_norm2) * (exp(sum_norm2) - 1) / m)),
    Step(f"{_k}/T",
        exp(sum_norm2) / exp(sum_norm2 - half_norms) * (1 - exp(-(2 * half_norms - sum_norm2))) ** 2 / (2 * m),
        exp(half_norms) * (1 - exp(sum_norm2 - 2 * half_norms)) ** 2 / (2 * m), reason="(7), |x-y|^2 = 2 N - V",
        check=Rewrite()),
    Step(f"{_k}/T falls",
        sympy.Derivative(exp(half_norms) * (1 - exp(sum_norm2 - 2 * half_norms)) ** 2 / (2 * m), sum_norm2),
        -exp(half_norms) * (1 - exp(sum_norm2 - 2 * half_norms)) * exp(sum_norm2 - 2 * half_norms) / m,
        reason="not positive, as V <= 2 N", check=Rewrite()),
    source="Choromanski et al. 2022, before Lemma 2.2")  # fmt: skip
