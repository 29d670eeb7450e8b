"""Textbook facts with their proofs: means and sums, Cauchy and Schwarz, Taylor, Kummer.

Functions without a formula stand for any functions. A mean is an integral over u in [0, 1]: every random variable is a
function of a uniform one, independent ones are functions of different uniform ones.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy
from sympy import (
    Function,
    Integral,
    Rational,
    S,
    Sum,
    Symbol,
    binomial,
    cos,
    exp,
    gamma,
    hyper,
    log,
    oo,
    pi,
    rf,
    sin,
)

from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.lemmas import ARGUMENT, SHAPE
from rftheory.exact.proof.lemmas import s as _shape
from rftheory.exact.proof.lemmas import t as _t
from rftheory.exact.proof.lemmas import u as _any_size
from rftheory.exact.proof.rules import (
    Antiderivative,
    Exchange,
    FromInequality,
    Given,
    Holds,
    Inside,
    Instance,
    Ladder,
    Rewrite,
    Scaled,
    Sign,
    StateInduction,
    Termwise,
    Use,
)
from rftheory.exact.proof.steps import Derivation, Scope, Step, at, register_derivation
from rftheory.exact.substitution import with_values
from rftheory.exact.vanishing import vanishes

SOURCE = "a textbook fact, with our proof"
_i, _j = sympy.symbols("i j", integer=True, positive=True)
_n, _m = sympy.symbols("n m", integer=True, positive=True)
_u, _w, _z, _c = sympy.symbols("u w z c", real=True)
_MANY = (
    Variable(_n, "number of terms", integer=True, low=1),
    Variable(_m, "another number", integer=True, low=1),
)
_SIZES = ({"n": 1, "m": 1}, {"n": 3, "m": 2})
_a, _b, _f, _x = (Function(name, real=True) for name in "abfx")
_any, _other, _third, _fourth = map(Function, ("alpha", "beta", "gamma_", "delta"))
_part, _rest = (Function(name, nonnegative=True) for name in ("b", "r"))


def _mean(body: sympy.Expr, symbol: sympy.Symbol = _u) -> sympy.Expr:
    return Integral(body, (symbol, 0, 1))


def _total(body: sympy.Expr, index: sympy.Symbol = _i, count: sympy.Expr = _n) -> sympy.Expr:
    return Sum(body, (index, 1, count))


def _fact(
    name: str, title: str, says: str, variables: tuple[Variable, ...], points: tuple, *steps: Step
) -> None:  # type: ignore[type-arg]
    register_derivation(Derivation(f"lemma.{name}", title, says, variables, steps, points, SOURCE))


# ---- sums and means ------------------------------------------------------------------------------------

_fact("linearity", "linearity of the mean", "the mean of an average of m draws is the mean of one, dependent or not",
    (*_MANY, Variable(_c, "a number")), ({"n": 1, "m": 1, "c": 2}, {"n": 3, "m": 2, "c": "-1/3"}),
    Step("lemma.linearity/equal terms", _total(_c / _m, _i, _m), _c, check=Rewrite(),
        reason="each draw has the same mean"),
    Step("lemma.linearity/statement", _mean(_total(_total(_any(_i, _j, _u) / _m, _i, _m), _j)),
        _total(_total(_mean(_any(_i, _j, _u)) / _m, _i, _m), _j), check=Exchange(),
        reason="finitely many terms, each with a mean"))  # fmt: skip
_fact("kronecker", "the mixed-product rule of the Kronecker product", "(a x b)^T (c x d) = (a^T c) (b^T d)", _MANY,
    _SIZES,
    Step("lemma.kronecker/statement", _total(_total(_any(_i) * _other(_j) * _third(_i) * _fourth(_j)), _j, _m),
        _total(_any(_i) * _third(_i)) * _total(_other(_j) * _fourth(_j), _j, _m), check=Exchange()))  # fmt: skip
_fact("associative", "products of matrices are associative", "(A B) c = A (B c), in a row of A", _MANY, _SIZES,
    Step("lemma.associative/statement", _total(_total(_any(_i) * _other(_i, _j)) * _third(_j), _j, _m),
        _total(_any(_i) * _total(_other(_i, _j) * _third(_j), _j, _m)), check=Exchange()))  # fmt: skip
_fact("variance", "the variance of a sum", "Var(A + B) = Var A + Var B + 2 Cov(A, B)", (), ({},),
    Step("lemma.variance/square", _mean((_a(_u) + _b(_u)) ** 2),
        _mean(_a(_u) ** 2) + _mean(_b(_u) ** 2) + 2 * _mean(_a(_u) * _b(_u)), check=Inside()),
    Step("lemma.variance/sum", _mean(_a(_u) + _b(_u)), _mean(_a(_u)) + _mean(_b(_u)), check=Inside()),
    Step("lemma.variance/statement", _mean((_a(_u) + _b(_u)) ** 2) - _mean(_a(_u) + _b(_u)) ** 2,
        (_mean(_a(_u) ** 2) - _mean(_a(_u)) ** 2) + (_mean(_b(_u) ** 2) - _mean(_b(_u)) ** 2)
        + 2 * (_mean(_a(_u) * _b(_u)) - _mean(_a(_u)) * _mean(_b(_u))),
        check=Given(("lemma.variance/square", "lemma.variance/sum"), Rewrite())))  # fmt: skip
_fact("independent", "independent variables have uncorrelated functions", "E f(U) g(W) = E f(U) E g(W)",
    (Variable(_c, "a value of U"),), ({"c": 1}, {"c": "-1/3"}),
    Step("lemma.independent/given U", _mean(_any(_c) * _other(_w), _w), _any(_c) * _mean(_other(_w), _w),
        check=Inside()),
    Step("lemma.independent/statement", _mean(_mean(_any(_u) * _other(_w), _w)),
        _mean(_any(_u)) * _mean(_other(_w), _w), check=Inside()))  # fmt: skip
_seconds = sympy.symbols("S_1 S_2", nonnegative=True)
_means = sympy.symbols("c_1 c_2", real=True)
_both = sympy.Symbol("p", real=True)
_fact("average", "the variance of an average of independent draws", "is that of one draw over their number",
    (Variable(_m, "number of draws", integer=True, low=1), Variable(_c, "variance of a draw"),
        *(Variable(one, f"second moment of {of}", low=0) for one, of in zip(_seconds, "AB", strict=True)),
        *(Variable(one, f"mean of {of}") for one, of in zip(_means, "AB", strict=True))),
    ({"m": 1, "c": 2, "S_1": 1, "S_2": 2, "c_1": 1, "c_2": "-1/3"},
        {"m": 3, "c": "1/3", "S_1": 0, "S_2": 1, "c_1": 0, "c_2": 1}),
    Step("lemma.average/one more",
        at(_seconds[0] + _seconds[1] + 2 * _both, {_both: _means[0] * _means[1]}) - (_means[0] + _means[1]) ** 2,
        (_seconds[0] - _means[0] ** 2) + (_seconds[1] - _means[1] ** 2), check=Rewrite(),
        reason="Var(A + B), A the draws so far, B one more, with E AB = E A E B: lemma.independent"),
    Step("lemma.average/statement", _total(_c / _m**2, _i, _m), _c / _m, check=Rewrite(),
        reason="of m draws over m"))  # fmt: skip
_fact("disjoint", "volumes of disjoint sets add up", "so they are at most that of a set that holds them all", _MANY[:1],
    ({"n": 1}, {"n": 3}),
    Step("lemma.disjoint/union", _mean(_total(_part(_i, _u))), _total(_mean(_part(_i, _u))), check=Exchange(),
        reason="the indicator of a disjoint union is the sum of the indicators"),
    Step("lemma.disjoint/statement", _mean(_part(_u)), _mean(_part(_u) + _rest(_u)), "<=",
        check=Termwise(Sign(_rest(_u))), reason="b is the indicator of the union, r that of the rest"))  # fmt: skip
_apart, _ball = sympy.symbols("r ell", positive=True)
_beyond, _near, _far = sympy.symbols("g p q", nonnegative=True)
_holds = (1 + 2 * _ball / _apart) ** _n
_fact("net", "a largest set of points further than r apart is a net",
    "of at most (1 + 2 ell/r)^n points in a ball of radius ell in n dimensions",
    (Variable(_n, "dimension", integer=True, low=1), Variable(_apart, "distance", above=0),
        Variable(_ball, "radius of the ball", above=0),
        *(Variable(slack, "slack", low=0) for slack in (_beyond, _near, _far))),
    ({"n": 1, "r": 1, "ell": 2, "g": 1, "p": "1/3", "q": 0}, {"n": 3, "r": "1/2", "ell": 1, "g": 0, "p": 1, "q": 2}),
    Step("lemma.net/disjoint", (_apart / 2 - _near) + (_apart / 2 - _far), _apart, "<=", check=Sign(_near + _far),
        reason="no point is within r/2 of two points that are further than r apart"),
    Step("lemma.net/inside", (_ball - _near) + (_apart / 2 - _far), _ball + _apart / 2, "<=",
        check=Sign(_near + _far), reason="those within r/2 of a point of the ball are in a ball of radius ell + r/2"),
    Step("lemma.net/count", _holds - _beyond, _holds, "<=", check=Sign(_beyond),
        reason="in volumes of the small balls: they are disjoint, and with the rest g make up the large one"),
    Step("lemma.net/covers", -_beyond, S.Zero, "<=", check=Sign(_beyond), reason="the indicator i of a point further "
        "than r from all N others, N the largest number: N + i + g = N"))  # fmt: skip

_radius, _turn = sympy.Symbol("r", positive=True), sympy.Symbol("t", real=True)
_fact("plane", "a Gaussian vector has a uniform direction in every plane",
    "its density in the plane does not change in a rotation, and is r exp(-r^2/2)/(2 pi) in polar coordinates",
    (Variable(_c, "first coordinate"), Variable(_u, "second coordinate"), Variable(_turn, "angle of a rotation")),
    ({"c": 1, "u": "-1/3", "t": 2}, {"c": 0, "u": 3, "t": "1/5"}),
    Step("lemma.plane/rotation",
        exp(-((_c * cos(_turn) - _u * sin(_turn)) ** 2 + (_c * sin(_turn) + _u * cos(_turn)) ** 2) / 2),
        exp(-(_c**2 + _u**2) / 2), check=Rewrite()),
    Step("lemma.plane/statement", Integral(_radius * exp(-(_radius**2) / 2) / (2 * pi), (_radius, 0, oo)), 1 / (2 * pi),
        check=Antiderivative(-exp(-(_radius**2) / 2) / (2 * pi)), reason="the density of the angle"))  # fmt: skip

# ---- Cauchy and Schwarz --------------------------------------------------------------------------------


_Over = Callable[[sympy.Expr], sympy.Expr]


def _cauchy_schwarz(
    name: str, of: str, first: _Over, second: _Over, ends: tuple[sympy.Symbol, sympy.Symbol],
    variables: tuple[Variable, ...], points: tuple,  # type: ignore[type-arg]
) -> None:  # fmt: skip
    """Lagrange's identity, for sums or means over one end and over the other, an independent copy."""
    one, two = ends
    label = f"lemma.{name}"
    lagrange = first(second((_a(one) * _b(two) - _a(two) * _b(one)) ** 2))
    bodies = {k: (_a(k) ** 2, _b(k) ** 2, _a(k) * _b(k)) for k in (one, two)}
    here, there = [first(e) for e in bodies[one]], [second(e) for e in bodies[two]]
    pairs = ((0, 1), (1, 0), (2, 2))
    both = [first(second(bodies[one][p] * bodies[two][q])) for p, q in pairs]
    _fact(name, f"the inequality of Cauchy and Schwarz, {of}", "the difference is half a sum of squares (Lagrange)",
        variables, points,
        Step(f"{label}/expanded", lagrange, both[0] + both[1] - 2 * both[2], check=Inside()),
        *(Step(f"{label}/product {k}", double, here[p] * there[q], check=Inside() if p == q else Exchange())
            for k, (double, (p, q)) in enumerate(zip(both, pairs, strict=True))),
        *(Step(f"{label}/copy {k}", there[k], here[k], check=Inside()) for k in range(3)),
        Step(f"{label}/Lagrange", here[0] * here[1] - here[2] ** 2, lagrange / 2,
            check=Given((f"{label}/expanded", *(f"{label}/{of} {k}" for of in ("product", "copy") for k in range(3))),
                Rewrite())),
        Step(f"{label}/sign", lagrange, S.Zero, ">=", check=Termwise(Sign())),
        Step(f"{label}/statement", here[2] ** 2, here[0] * here[1], "<=",
            check=FromInequality(f"{label}/sign", Rational(1, 2), (f"{label}/Lagrange",))))  # fmt: skip


_cauchy_schwarz(
    "cauchy_schwarz", "for sums", _total, lambda e: _total(e, _j), (_i, _j), _MANY[:1], ({"n": 1}, {"n": 3})
)
_cauchy_schwarz("cauchy_schwarz_means", "for means", _mean, lambda e: _mean(e, _w), (_u, _w), (), ({},))
_long, _short = sympy.symbols("A B", positive=True)
_fact("triangle", "the triangle inequality", "|a + b| <= |a| + |b|: a.b = c |a| |b|, and c is in [-1, 1]",
    (Variable(_long, "|a|", above=0), Variable(_short, "|b|", above=0), Variable(_c, "cosine", low=-1, high=1)),
    ({"A": 1, "B": 2, "c": 1}, {"A": "1/3", "B": 5, "c": "-1/2"}),
    Step("lemma.triangle/cosine", _total(_a(_i) * _b(_i)) ** 2, _total(_a(_i) ** 2) * _total(_b(_i) ** 2), "<=",
        check=Instance("lemma.cauchy_schwarz", {})),
    Step("lemma.triangle/statement", _long**2 + 2 * _c * _long * _short + _short**2, (_long + _short) ** 2, "<=",
        check=Sign(2 * _long * _short * (1 - _c))))  # fmt: skip

# ---- derivatives along a segment -----------------------------------------------------------------------

_start, _least = sympy.Symbol("x", real=True), sympy.Symbol("e", nonnegative=True)
STEP, STEEPEST = sympy.symbols("h G", nonnegative=True)
_along = _f(_start + STEP * _z)
_SEGMENT = (Variable(_start, "start"), Variable(STEP, "length", low=0))
_SEGMENTS = ({"x": 1, "h": 2, "G": 3, "e": 1}, {"x": "-1/3", "h": "1/5", "G": 1, "e": 0})


def _share(body: sympy.Expr) -> sympy.Expr:
    return Integral(body, (_z, 0, 1))


_fact("segment", "the mean value theorem for a continuous derivative",
    "along a segment f changes by at most its length times the largest slope, and near that slope by nearly as much",
    (*_SEGMENT, Variable(STEEPEST, "largest slope", low=0), Variable(_least, "slack", low=0)), _SEGMENTS,
    Step("lemma.segment/change", _share(STEP * sympy.diff(_along, _start)), _f(_start + STEP) - _f(_start),
        check=Antiderivative(_along), reason="fundamental theorem of calculus; -f and f"),
    Step("lemma.segment/at most", _share(STEP * (STEEPEST - _part(_z))), _share(STEP * STEEPEST), "<=",
        check=Termwise(Sign(STEP * _part(_z))), reason="the slope is G less something, b >= 0"),
    Step("lemma.segment/at least", _share(STEP * (STEEPEST - _least + _part(_z))), _share(STEP * (STEEPEST - _least)),
        ">=", check=Termwise(Sign(STEP * _part(_z))), reason="it is above G - e close to a point where it is so"),
    Step("lemma.segment/length", _share(STEP * STEEPEST), STEP * STEEPEST, check=Antiderivative(STEP * STEEPEST * _z)),
    Step("lemma.segment/statement", _share(STEP * (STEEPEST - _part(_z))), STEP * STEEPEST, "<=",
        check=Given(("lemma.segment/length reversed",), Termwise(Sign(STEP * _part(_z))))))  # fmt: skip
_curved = (1 - _z) * STEP**2
_fact("taylor", "Taylor's theorem of second order for a continuous second derivative",
    "the rest is an integral of f''; where |f''| <= S it is at most S h^2/2",
    (*_SEGMENT, Variable(STEEPEST, "S", low=0)),
    tuple({name: point[name] for name in "xhG"} for point in _SEGMENTS),
    Step("lemma.taylor/rest", _share(_curved * sympy.diff(_along, _start, 2)),
        _f(_start + STEP) - _f(_start) - STEP * sympy.diff(_f(_start), _start),
        check=Antiderivative(STEP * (1 - _z) * sympy.diff(_along, _start) + _along)),
    Step("lemma.taylor/largest", _share(_curved * STEEPEST), STEEPEST * STEP**2 / 2,
        check=Antiderivative(-((1 - _z) ** 2) * STEP**2 * STEEPEST / 2)),
    Step("lemma.taylor/statement", _share(_curved * (STEEPEST - _part(_z))), STEEPEST * STEP**2 / 2, "<=",
        check=Given(("lemma.taylor/largest reversed",), Termwise(Sign(_curved * _part(_z)))),
        reason="f'' is S less something, b >= 0; the same for -f"))  # fmt: skip

# ---- Jensen's inequality for the logarithm -------------------------------------------------------------

_up = sympy.Symbol("t", positive=True)
_fact("jensen_log", "Jensen's inequality for the logarithm", "E exp(X) >= 1 + E X, so that E X <= 0 if E exp(X) = 1; "
    "strictly unless X = 0, since exp(t) > 1 + t for t != 0", (Variable(_up, "size of X", above=0),),
    ({"t": 1}, {"t": "1/50"}, {"t": 7}),
    *(step for name, power in (("above", _up), ("below", -_up)) for step in (
        Step(f"lemma.jensen_log/rest {name}", _share(power**2 * (1 - _z) * exp(power * _z)), exp(power) - 1 - power,
            check=Antiderivative((power * (1 - _z) + 1) * exp(power * _z))),
        Step(f"lemma.jensen_log/sign {name}", _share(power**2 * (1 - _z) * exp(power * _z)), S.Zero, ">",
            check=Termwise(Sign(), {_z: Rational(1, 2)}, Sign())),
        Step(f"lemma.jensen_log/{name}", exp(power), 1 + power, ">",
            check=FromInequality(f"lemma.jensen_log/sign {name}", given=(f"lemma.jensen_log/rest {name} reversed",))))),
    Step("lemma.jensen_log/statement", _mean(exp(_x(_u))), _mean(1 + _x(_u)), ">=",
        check=Termwise(Instance("lemma.exponential", {_t: _x(_u)}))))  # fmt: skip

_above = Function("p", positive=True)
_length = sympy.Symbol("t", positive=True)
_fact("rolle", "Rolle's theorem for a continuous derivative",
    "between two zeros of f its derivative has a zero: otherwise it has one sign there, and the values differ",
    (Variable(_start, "start"), Variable(_length, "length", above=0)), ({"x": 1, "t": 2}, {"x": "-1/3", "t": "1/5"}),
    Step("lemma.rolle/change", _share(_length * sympy.diff(_f(_start + _length * _z), _start)),
        _f(_start + _length) - _f(_start), check=Antiderivative(_f(_start + _length * _z))),
    Step("lemma.rolle/statement", _share(_length * _above(_z)), S.Zero, ">",
        check=Termwise(Sign(), {_z: Rational(1, 2)}, Sign()),
        reason="f' or -f' is a function p > 0 between the two points; "
        "a zero of order k of f is one of order k - 1 of f'"))  # fmt: skip

# ---- McDiarmid's inequality ----------------------------------------------------------------------------

_place, _log_mean = Symbol("p", nonnegative=True), Symbol("L", real=True)
_reach, _squares, _spare = sympy.symbols("h S e", positive=True)
_one = log(1 - _place + _place * exp(_t * _reach)) - _t * _reach * _place
_weight, _within = exp(_a(_u)), Function("K", nonnegative=True)(_u)
_fact("mcdiarmid", "McDiarmid's inequality",
    "P(f - E f >= e) <= exp(-2 e^2/S) if the i-th of n independent values changes f by at most c_i, S the sum of c_i^2",
    (Variable(_n, "number of variables", integer=True, low=1), Variable(_t, "t"), Variable(_reach, "c_i", above=0),
        Variable(_place, "where 0 lies in the range of the i-th increment", low=0, high=1),
        Variable(_log_mean, "log of E exp(t (f - E f)), at most", tied=True),
        Variable(_squares, "sum of the c_i^2", above=0, tied=True), Variable(_spare, "e", above=0)),
    ({"n": 1, "t": 1, "h": 2, "p": "1/2", "L": "1/3", "S": 4, "e": 1},
        {"n": 3, "t": "-1/3", "h": "1/2", "p": 0, "L": 0, "S": 1, "e": "1/5"}),
    Step("lemma.mcdiarmid/given the earlier variables", _mean(_mean(_weight * exp(_b(_u, _w)), _w)),
        _mean(_weight * _mean(exp(_b(_u, _w)), _w)), check=Inside(),
        reason="f - E f is a sum of increments E(f | first i) - E(f | first i - 1): the last one is integrated first"),
    Step("lemma.mcdiarmid/at most", _mean(_weight * (_within - _rest(_u))), _mean(_weight * _within), "<=",
        check=Termwise(Sign(_weight * _rest(_u))), reason="where its mean is K less something, r >= 0"),
    Step("lemma.mcdiarmid/one increment", _one, _t**2 * _reach**2 / 8, "<=",
        check=Instance("lemma.hoeffding", {_t: _t * _reach, _place: _place}),
        reason="it has the mean 0, and lies in an interval of length c_i: Hoeffding's lemma"),
    Step("lemma.mcdiarmid/all increments", _log_mean, _t**2 * _squares / 8, "<=",
        check=StateInduction(_n, 1, {_log_mean: _one, _squares: _reach**2},
            {_log_mean: _log_mean + _one, _squares: _squares + _reach**2}, "lemma.mcdiarmid/one increment")),
    Step("lemma.mcdiarmid/statement", at(-_t * _spare + _t**2 * _squares / 8, {_t: 4 * _spare / _squares}),
        -2 * _spare**2 / _squares, check=Rewrite(),
        reason="P(f - E f >= e) <= exp(-t e) E exp(t (f - E f)), at t = 4 e/S"))  # fmt: skip

# ---- Stirling's formula --------------------------------------------------------------------------------

_thin = sympy.Symbol("v", positive=True)
_lens, _flat = ((_thin**3 * _z**2 / (1 - e)) for e in (_thin**2 * _z**2, _thin**2))
_area = log((1 + _thin) / (1 - _thin)) / 2 - _thin
_odd = 1 / (2 * _any_size + 1)
_step = (_any_size + Rational(1, 2)) * log(1 + 1 / _any_size) - 1
_thinner = _thin**5 * _z**2 * (1 - _z**2) / ((1 - _thin**2) * (1 - _thin**2 * _z**2))
_fact("stirling", "one step of Stirling's formula",
    "0 < (x + 1/2) log(1 + 1/x) - 1 < 1/(12 x (x + 1)), by which log Gamma(x) - (x - 1/2) log x + x falls to x + 1",
    (Variable(_thin, "1/(2 x + 1)", above=0, below=1), Variable(_any_size, "x", above=0)),
    ({"v": "1/3", "u": 1}, {"v": "1/50", "u": "1/7"}, {"v": "9/10", "u": 40}),
    Step("lemma.stirling/integral", _share(_lens), _area,
        check=Antiderivative(log((1 + _thin * _z) / (1 - _thin * _z)) / 2 - _thin * _z)),
    Step("lemma.stirling/flat", _share(_flat), _thin**3 / (3 * (1 - _thin**2)),
        check=Antiderivative(_thin**3 * _z**3 / (3 * (1 - _thin**2)))),
    Step("lemma.stirling/sign", _share(_lens), S.Zero, ">", check=Termwise(Sign(), {_z: Rational(1, 2)}, Sign())),
    Step("lemma.stirling/compared", _share(_lens), _share(_flat), "<",
        check=Termwise(Sign(_thinner), {_z: Rational(1, 2)}, Sign(_thinner.subs(_z, Rational(1, 2))))),
    Step("lemma.stirling/at least", _area, S.Zero, ">",
        check=FromInequality("lemma.stirling/sign", given=("lemma.stirling/integral reversed",))),
    Step("lemma.stirling/at most", _area, _thin**3 / (3 * (1 - _thin**2)), "<",
        check=FromInequality("lemma.stirling/compared",
            given=("lemma.stirling/integral reversed", "lemma.stirling/flat reversed"))),
    Step("lemma.stirling/from x to x + 1, at least", _area.subs(_thin, _odd), S.Zero, ">",
        check=Instance("lemma.stirling/at least", {_thin: _odd})),
    Step("lemma.stirling/from x to x + 1, at most", _area.subs(_thin, _odd),
        (_thin**3 / (3 * (1 - _thin**2))).subs(_thin, _odd), "<",
        check=Instance("lemma.stirling/at most", {_thin: _odd})),
    Step("lemma.stirling/positive", _step, S.Zero, ">",
        check=FromInequality("lemma.stirling/from x to x + 1, at least", 1 / _odd, ())),
    Step("lemma.stirling/statement", _step, 1 / (12 * _any_size) - 1 / (12 * (_any_size + 1)), "<",
        check=FromInequality("lemma.stirling/from x to x + 1, at most", 1 / _odd, ())))  # fmt: skip

_bound, _way = lemmas.u, lemmas.w


def _euler(factor: sympy.Expr) -> sympy.Expr:
    return Integral(_bound ** (_shape - 1) * exp(-_bound) * factor, (_bound, 0, oo))


_chord = _shape**_way * (1 + _way * (_bound / _shape - 1))
_fact("interpolation", "Gamma between integers",
    "Gamma(s + w) <= s^w Gamma(s) for 0 < w <= 1: u^w lies below its tangent at u = s",
    (SHAPE, Variable(_way, "part of a step", above=0, high=1)),
    ({"s": 1, "w": 1}, {"s": "5/2", "w": "1/3"}, {"s": 30, "w": "1/2"}),
    Step("lemma.interpolation/Gamma", _euler(S.One), gamma(_shape), check=Use("definition.gamma", {})),
    Step("lemma.interpolation/next", _euler(_bound), _shape * gamma(_shape),
        check=Use("definition.gamma", {_shape: _shape + 1})),
    Step("lemma.interpolation/between", _euler(_bound**_way), gamma(_shape + _way),
        check=Use("definition.gamma", {_shape: _shape + _way})),
    Step("lemma.interpolation/tangent", _euler(_bound**_way), _euler(_chord), "<=",
        check=Termwise(Scaled(_bound ** (_shape - 1) * exp(-_bound) * _shape**_way,
            Instance("lemma.bernoulli", {lemmas.a: _bound / _shape, lemmas.w: _way})))),
    Step("lemma.interpolation/split", _euler(_chord),
        _shape**_way * (1 - _way) * _euler(S.One) + _way * _shape**_way / _shape * _euler(_bound),
        check=Inside()),
    Step("lemma.interpolation/chord", _euler(_chord), _shape**_way * gamma(_shape),
        check=Given(tuple(f"lemma.interpolation/{label}" for label in ("split", "Gamma", "next")),
            Rewrite())),
    Step("lemma.interpolation/statement", gamma(_shape + _way), _shape**_way * gamma(_shape), "<=",
        check=FromInequality("lemma.interpolation/tangent",
            given=("lemma.interpolation/chord reversed", "lemma.interpolation/between reversed"))))  # fmt: skip

STIRLING = sympy.sqrt(2 * pi * _any_size) * exp(-_any_size) * _any_size**_any_size
"""Stirling's formula for Gamma(x + 1)."""
_BOUNDS = {
    "robbins_below": (STIRLING, gamma(_any_size + 1)),
    "robbins": (gamma(_any_size + 1), STIRLING * exp(1 / (12 * _any_size))),
}


def _robbins(step: Step, scope: Scope) -> str:
    """mu = Gamma(x+1)/STIRLING tends to 1 along x, x + 1, ..., and log mu falls by the quantity of lemma.stirling."""
    (rule, known), needs = scope.lemma("lemma.stirling"), ("lemma.interpolation", "lemma.duplication")
    if (step.left, step.right) not in _BOUNDS.values() or step.relation != "<" or not known:
        return ""
    n, half, size = Symbol("n", positive=True), Rational(1, 2), sympy.expand_log(log(STIRLING))

    def formula(x: sympy.Expr) -> sympy.Expr:
        return size.subs(_any_size, x)

    falls = rule.step("lemma.stirling/positive").left.subs(
        log(1 + 1 / _any_size), log(_any_size + 1) - log(_any_size)
    )
    fits = vanishes(log(_any_size + 1) + formula(_any_size) - formula(_any_size + 1) + falls)
    # the limit does not depend on x: n^w Gamma(n + 1) is at least Gamma(n + 1 + w), up to a factor that tends to 1
    power = n + _way + half
    same = vanishes(formula(n + _way) - formula(n) - _way * log(n) - power * (log(n + _way) - log(n)) + _way)
    level = sympy.limit(power * log(1 + _way / n) - _way, n, oo)
    # and is twice itself by lemma.duplication at 2 n: so it is 0
    parts = [formula(x) - log(x) for x in (n, n + half, 2 * n)]
    pair = (2 * n - 1) * log(2) - log(pi) / 2 + parts[0] + parts[1] - parts[2]
    twice = vanishes(pair - n * (log(n + half) - log(n)) + half)
    double = sympy.limit(n * log(1 + 1 / (2 * n)) - half, n, oo)
    if fits and same and twice and level == double == 0 and all(scope.lemma(name)[1] for name in needs):
        return "log mu(x) is the sum of its falls from x + n to x + n + 1, each above 0 and below those of 1/(12 x)"
    return ""


for _name, _sides in _BOUNDS.items():
    _fact(_name, f"Robbins' bound of Gamma from {'below' if _name.endswith('below') else 'above'}",
        "sqrt(2 pi x) x^x exp(-x) < Gamma(x + 1) < sqrt(2 pi x) x^x exp(-x) exp(1/(12 x))",
        (Variable(_any_size, "x", above=0),), ({"u": 1}, {"u": "1/7"}, {"u": 40}),
        Step(f"lemma.{_name}/statement", *_sides, "<", check=Holds(_robbins),
            reason="lemma.stirling step by step; the constant by duplication and interpolation"))  # fmt: skip

# ---- zeros of power series -----------------------------------------------------------------------------

_first, _rest_sum = sympy.symbols("f K", positive=True)
_distance, _portion = Symbol("r", positive=True), Symbol("h", positive=True)
_fact("identity", "the identity theorem for entire functions",
    "next to z = 0 a power series with a first coefficient c_m != 0 has no other zero: entire functions that agree on "
    "infinitely many points of a disc agree at points with a limit, so all coefficients about it agree",
    (Variable(_first, "|c_m|", above=0), Variable(_rest_sum, "sum of the |c_j|, j > m, or more", above=0),
        Variable(_distance, "|z|", above=0, high=1), Variable(_portion, "|z| K/|c_m|", above=0, below=1),
        Variable(_i, "index", integer=True, low=1)),
    ({"f": 1, "K": 2, "r": 1, "h": "1/2", "i": 1}, {"f": "1/3", "K": 5, "r": "1/9", "h": "9/10", "i": 4}),
    Step("lemma.identity/power", _distance**_i, _distance, "<=",
        check=Ladder(_i, 1, _distance, _distance * (1 - _distance))),
    Step("lemma.identity/rest", _total(_part(_i) * _distance**_i, count=oo), _total(_part(_i) * _distance, count=oo),
        "<=", check=Termwise(Scaled(_part(_i), Instance("lemma.identity/power", {}))),
        reason="|z|^(-m) |f(z)| >= |c_m| - |z| K for |z| <= 1"),
    Step("lemma.identity/statement", at(_first - _distance * _rest_sum, {_distance: _portion * _first / _rest_sum}),
        S.Zero, ">", check=Sign(_first * (1 - _portion)),
        reason="so f(z) != 0 for 0 < |z| < min(1, |c_m|/K)"))  # fmt: skip

# ---- a root of a reflection ------------------------------------------------------------------------------

_norm, _scalar, _sum_norm = sympy.symbols("a c q", real=True)
_onto, _root_weight = Symbol("p", real=True), Symbol("w", complex=True)
_fact("reflection", "a symmetric root of a reflection",
    "(1 - (1 - i) n n^T)^2 = 1 - 2 n n^T, which maps r to -s for |r| = |s| and n along r + s != 0",
    (Variable(_norm, "|r|^2 = |s|^2"), Variable(_scalar, "r.s"), Variable(_sum_norm, "|r + s|^2"),
        Variable(_onto, "n n^T, its own square"), Variable(_root_weight, "a weight", complex=True)),
    ({"a": 2, "c": 1, "q": 6, "p": 1, "w": "1 - I"}, {"a": 1, "c": "-1/3", "q": 1, "p": 0, "w": 2}),
    Step("lemma.reflection/length", at(_norm + 2 * _scalar + _sum_norm, {_sum_norm: _norm}), 2 * (_norm + _scalar),
        check=Rewrite(), reason="|r + s|^2 for |s| = |r|"),
    Step("lemma.reflection/image", at(1 - 2 * (_norm + _scalar) / _sum_norm, {_sum_norm: 2 * (_norm + _scalar)}),
        S.Zero, check=Rewrite(),
        reason="r - 2 (n.r) n = r - (r + s): the share of r that is left, and -1 that of s"),
    Step("lemma.reflection/statement",
        at(1 - 2 * _root_weight * _onto + _root_weight**2 * _onto, {_root_weight: 1 - sympy.I}), 1 - 2 * _onto,
        check=Rewrite(), reason="(1 - w n n^T)^2 with (n n^T)^2 = n n^T: symmetric and complex"))  # fmt: skip

# ---- Kummer's transformation ---------------------------------------------------------------------------

TOP = sympy.Symbol("a", real=True)
_k, _order = sympy.symbols("k N", integer=True, nonnegative=True)

_alternating = (-1) ** _k * binomial(_order, _k) * rf(TOP, _k) / rf(_shape, _k)


def _vandermonde(step: Step, _: Scope) -> str:
    """Induction on N for all a and s: Pascal's rule turns the sum of order N + 1 into two of order N."""
    if step.left != Sum(_alternating, (_k, 0, _order)):
        return ""
    term, index, value = _alternating, _k, step.right
    if not term.subs({_order: 0, index: 0}) == value.subs(_order, 0) == 1:
        return ""
    shifted = {TOP: TOP + 1, _shape: _shape + 1}
    # binomial(N + 1, k) = binomial(N, k) + binomial(N, k - 1); the second part, at k + 1, is that of a + 1, s + 1
    moved = (term / binomial(_order, index)).subs(index, index + 1) * binomial(_order, index)
    factor = -TOP / _shape
    parts = moved / with_values(term, shifted)
    passes = value + factor * with_values(value, shifted) - value.subs(_order, _order + 1)
    if vanishes(parts - factor) and vanishes(passes):
        return f"induction on {_order} for all {TOP}, {_shape}: Pascal's rule, factor {factor} of the shifted sum"
    return ""


def _cauchy_product(step: Step, scope: Scope) -> str:
    """The coefficient of t^N/N! of the product of both series on the right is the sum that is proved before."""
    ours = (hyper((_shape - TOP,), (_shape,), _t), exp(_t) * hyper((TOP,), (_shape,), -_t))
    known = [s for s in scope.usable(step) if s.left == Sum(_alternating, (_k, 0, _order))]
    if (
        (step.left, step.right) == ours
        and known
        and known[0].right == rf(_shape - TOP, _order) / rf(_shape, _order)
    ):
        return f"entire series in {_t}: coefficients of the product by {known[0].label}"
    return ""


_fact("kummer", "Kummer's transformation", "1F1(s - a; s; t) = exp(t) 1F1(a; s; -t), as a product of series",
    (Variable(TOP, "a"), SHAPE, ARGUMENT, Variable(_order, "order", integer=True, low=0)),
    ({"a": 2, "s": 1, "t": "-7/2", "N": 0}, {"a": "-1/2", "s": 3, "t": 2, "N": 3},
        {"a": -4, "s": "9/2", "t": "1/3", "N": 6}),
    Step("lemma.kummer/Vandermonde", Sum(_alternating, (_k, 0, _order)), rf(_shape - TOP, _order) / rf(_shape, _order),
        check=Holds(_vandermonde), reason="the identity of Chu and Vandermonde"),
    Step("lemma.kummer/statement", hyper((_shape - TOP,), (_shape,), _t), exp(_t) * hyper((TOP,), (_shape,), -_t),
        check=Holds(_cauchy_product)))  # fmt: skip
