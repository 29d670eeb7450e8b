"""The best A of positive GERF for several pairs and for clusters of pairs.

With rho = 1/(1 - 8A) = exp(t) a pair with |x + y|^2 = q has E Z^2 = K^2 cosh(t/2)^d exp(q rho). Weights c_i stand for
anything nonnegative: 1 for relative variances, K_i^2 for variances. They are functions without a formula here, as are
the squares q_i.
"""

from __future__ import annotations

import sympy
from sympy import Function, Integral, Rational, S, Sum, cosh, exp, log, oo, pi, sqrt, tanh

from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import (Antiderivative, ChangeVariable, Chain, Combination, FromInequality, Given, Increasing, Instance,
    Rewrite, Scaled, Sign, Termwise, Use)  # fmt: skip
from rftheory.exact.proof.steps import Derivation, Step, at, register_derivation
from rftheory.exact.ranges import Range
from rftheory.exact.symbols import DIFFERENCE_NORM, DIMENSION, FEATURES, SUM_NORM, d, k, m, v, z
from rftheory.papers.beyond.proofs.exponential_maps import W, w

OURS = "ours; a result that Likhosherstov et al. 2022 lack"
ID = "chefs.added.pairs"
_t, _u = sympy.symbols("t u", real=True)
_rho, _rate = sympy.symbols("rho a", positive=True)
_q = sympy.Symbol("q", nonnegative=True)
_x = sympy.Symbol("x", real=True)
_n, _i = sympy.symbols("n i", integer=True, positive=True)
_f = Function("f", real=True)
_c, _square, _less, _apart = (Function("c", positive=True), Function("q", nonnegative=True),
    Function("r", nonnegative=True), Function("u", real=True))  # fmt: skip
_N = cosh(_t / 2) ** d * exp(_q * exp(_t))
_SLOPE = d * tanh(_t / 2) / 2 + _q * exp(_t)
_LOG_BEND = d / (4 * cosh(_t / 2) ** 2) + _q * exp(_t)


def _total(body: sympy.Expr) -> sympy.Expr:
    return Sum(body, (_i, 1, _n))


def _of_pair(body: sympy.Expr) -> sympy.Expr:
    """The body for the pair i, times its weight."""
    return _c(_i) * body.subs(_q, _square(_i))


_small = _rate * _u**2 * exp(_rate * _u * _x)

register_derivation(Derivation(id=ID, title="The best A for several pairs", source=OURS,
    says="the sum of c_i E Z_i^2/K_i^2 is convex in log rho; its one minimiser lies between rho* of the largest |x+y|^2 and rho* of the mean",
    variables=(DIMENSION, Variable(_t, "log rho"), Variable(_rho, "rho = 1/(1 - 8A)", above=0), Variable(_q, "|x + y|^2", low=0),
        Variable(_u, "|x + y|^2 less its mean"),
        Variable(_rate, "rho at the mean", above=0), Variable(_n, "number of pairs", integer=True, low=1)),
    points=({"d": 1, "t": 0, "rho": 1, "q": 0, "u": 0, "a": 1, "n": 1},
        {"d": 7, "t": -1, "rho": "1/3", "q": 2, "u": "-3/2", "a": "1/2", "n": 3},
        {"d": 64, "t": "1/5", "rho": "2/3", "q": "1/7", "u": 2, "a": "1/5", "n": 2}),
    steps=(
        Step(f"{ID}/logarithm", sympy.Derivative(d * log(cosh(_t / 2)) + _q * exp(_t), (_t, 2)), _LOG_BEND,
            reason="log E Z^2/K^2 in t = log rho, q = |x + y|^2", check=Rewrite()),
        Step(f"{ID}/second derivative", sympy.Derivative(exp(_f(_t)), (_t, 2)),
            exp(_f(_t)) * (sympy.Derivative(_f(_t), _t) ** 2 + sympy.Derivative(_f(_t), (_t, 2))), check=Rewrite()),
        Step(f"{ID}/convex", _total(_of_pair(_N * (_SLOPE**2 + _LOG_BEND))), S.Zero, ">",
            reason="second derivative of the sum: strictly convex, so at most one minimiser", check=Termwise(Sign(), {_i: 1}, Sign())),
        Step(f"{ID}/slope", sympy.Derivative(_N, _t), _N * _SLOPE,
            check=Rewrite()),
        Step(f"{ID}/equation", d * (_rho - 1) / (2 * (_rho + 1)) + _rho * _q, (2 * _q * _rho**2 + (d + 2 * _q) * _rho - d) / (2 * (_rho + 1)),
            reason="tanh(t/2) = (rho - 1)/(rho + 1): rho = rho*(q), (7), with q the mean of q_i at the weights c_i exp(q_i rho)",
            check=Rewrite()),
        Step(f"{ID}/at most the largest", _total(_c(_i) * exp(-_less(_i) * _rho) * (_q - _less(_i))), _total(_c(_i) * exp(-_less(_i) * _rho) * _q), "<=",
            reason="q_i = q - r_i, q the largest: the slope is <= 0 at rho*(q)",
            check=Termwise(Sign(_c(_i) * exp(-_less(_i) * _rho) * _less(_i)))),
        Step(f"{ID}/integral", Integral(_small, (_x, 0, 1)), _u * exp(_rate * _u) - _u, check=Antiderivative(_u * exp(_rate * _u * _x))),
        Step(f"{ID}/square", Integral(_small, (_x, 0, 1)), S.Zero, ">=", check=Termwise(Sign())),
        Step(f"{ID}/tangent", _u, _u * exp(_rate * _u), "<=", check=FromInequality(f"{ID}/square", S.One, (f"{ID}/integral reversed",))),
        Step(f"{ID}/at least the mean", _total(_c(_i) * _apart(_i)), _total(_c(_i) * _apart(_i) * exp(_rate * _apart(_i))), "<=",
            reason="q_i = mean + u_i, sum c_i u_i = 0: the slope is >= 0 at rho* of the mean",
            check=Termwise(Scaled(_c(_i), Instance(f"{ID}/tangent", {_u: _apart(_i)})))))))  # fmt: skip

# ---- the largest variance ---------------------------------------------------------------------------------

LARGEST = f"{ID}.largest"
_more, _norms = sympy.symbols("h S", positive=True)
_growth = (w / 2 + Rational(1, 2)) ** d / w ** (d / 2)
_rise = 2 * _more * v + _more**2


def _mse(longer: sympy.Expr, kernel: sympy.Expr) -> sympy.Expr:
    """MSE at |x + y| = longer, log K^2 = kernel."""
    return (-exp(kernel) + _growth * exp(sympy.expand(longer**2 / w + kernel))) / m


_near, _far = _mse(v, v**2 - 2 * _norms), _mse(v + _more, sympy.expand((v + _more) ** 2) - 2 * _norms)
_scale = exp(v**2 - 2 * _norms) / m

register_derivation(Derivation(id=LARGEST, title="The pair with the largest variance", source=OURS,
    says="at every real A the variance grows with |x + y|, at fixed |x - y| and at fixed |x|^2 + |y|^2 = S",
    variables=(DIMENSION, FEATURES, W, SUM_NORM, DIFFERENCE_NORM, Variable(_more, "how much longer x + y is for another pair", above=0),
        Variable(_norms, "|x|^2 + |y|^2", above=0)),
    points=({"d": 1, "m": 1, "w": 1, "v": 0, "z": 1, "h": 1, "S": 1}, {"d": 7, "m": 3, "w": "1/3", "v": 2, "z": "1/2", "h": "1/3", "S": 5},
        {"d": 64, "m": 2, "w": 2, "v": "1/5", "z": 3, "h": 2, "S": 9}),
    steps=(
        Step(f"{LARGEST}/statement", _mse(v, -(z**2)), _mse(v + _more, -(z**2)), "<", reason="w = 1 - 8A",
            check=Sign(_growth * exp(v**2 / w - z**2) * (exp(_rise / w) - 1) / m)),
        Step(f"{LARGEST}/power", S.One, _growth, "<=",
            check=Increasing(lemmas.t ** (d / 2), lemmas.t, S.One, 1 + (1 - w) ** 2 / (4 * w), Sign((1 - w) ** 2 / (4 * w)),
                Range(S.One, oo))),
        Step(f"{LARGEST}/rest", S.Zero, _scale * ((exp(v**2 / w) - 1) * (exp(_rise * (1 + 1 / w)) - 1) + exp(_rise) * (exp(_rise / w) - 1)), "<=",
            check=Sign()),
        Step(f"{LARGEST}/sphere", _near, _far, "<=", reason="log K^2 = |x + y|^2 - 2 S",
            check=Combination(((f"{LARGEST}/power", _scale * exp(v**2 / w) * (exp(_rise * (1 + 1 / w)) - 1)), (f"{LARGEST}/rest", S.One)))))))  # fmt: skip

# ---- a Gaussian cluster ------------------------------------------------------------------------------------

CLUSTER = f"{ID}.cluster"
_room, _base = sympy.symbols("g b", positive=True)
_mean, _spread = sympy.Symbol("mu", real=True), sympy.Symbol("sigma", nonnegative=True)
_tilted = Integral(
    exp((_mean + _spread * _x) ** 2 / (2 * _spread**2 + _room) - _x**2 / 2) / sqrt(2 * pi), (_x, -oo, oo)
)
_gain = sqrt((2 * _spread**2 + _room) / _room) * exp(_mean**2 / _room)
_SUM = (_base + _base * exp(-_t)) ** 2 / (4 * _base * exp(-_t))
_unit = Integral(_gain / sqrt(2 * pi) * exp(-(_x**2) / 2), (_x, -oo, oo))

register_derivation(Derivation(id=CLUSTER, title="The best A for a Gaussian cluster of pairs", source=OURS,
    says="x + y ~ N(mu, s^2 I), b = 1 + 2 s^2: the mean of E Z^2/K^2 is b^(d/2) times that of one pair with |x+y|^2 = |mu|^2/b, at another A",
    variables=(DIMENSION, Variable(_room, "1 - 8A - 2 s^2", above=0), Variable(_mean, "one coordinate of mu"), Variable(_spread, "s", low=0),
        Variable(_t, "log of b/g"), Variable(_base, "b = 1 + 2 s^2", above=0), Variable(_q, "|mu|^2", low=0)),
    points=({"d": 1, "g": 1, "mu": 0, "sigma": 0, "t": 0, "b": 1, "q": 0}, {"d": 7, "g": "1/3", "mu": -2, "sigma": "1/2", "t": -1, "b": "3/2", "q": 5},
        {"d": 64, "g": 3, "mu": "1/5", "sigma": 2, "t": "-1/3", "b": 9, "q": "1/4"}),
    steps=(
        Step(f"{CLUSTER}/square", _tilted, _unit, reason="w = 1 - 8A = 2 s^2 + g; the mean is infinite for w <= 2 s^2",
            check=ChangeVariable(_x, _x, sqrt((2 * _spread**2 + _room) / _room) * _x + 2 * _mean * _spread / _room)),
        Step(f"{CLUSTER}/mass", _unit, _gain, check=Use("lemma.normal_moment", {k: S.Zero})),
        Step(f"{CLUSTER}/coordinate", _tilted, _gain, reason="E exp((x + y)_l^2/w), coordinates independent", check=Chain()),
        Step(f"{CLUSTER}/product", ((1 + 2 * _spread**2 + _room) ** 2 / (4 * (2 * _spread**2 + _room))) * ((2 * _spread**2 + _room) / _room),
            (1 + 2 * _spread**2 + _room) ** 2 / (4 * _room), reason="to the power d/2, times exp(|mu|^2/g)", check=Rewrite()),
        Step(f"{CLUSTER}/base", _SUM, _base * cosh(_t / 2) ** 2, reason="g = b exp(-t)",
            check=Rewrite()),
        Step(f"{CLUSTER}/statement", _SUM ** (d / 2) * exp(at(_q / _room, {_room: _base * exp(-_t)})),
            (_base * cosh(_t / 2) ** 2) ** (d / 2) * exp(_q / _base * exp(_t)),
            reason="so the best b/g is rho* of (7) at |mu|^2/b, and w = 2 s^2 + b/rho*",
            check=Given((f"{CLUSTER}/base",), Rewrite())))))  # fmt: skip
