"""Where the best parameter of geometric features lies, for every product, and what the best geometric law costs.

With q = 1 - p, tau = |x_l y_l| for all l and R = I_1/I_0 at z = 2 tau/sqrt(q), log E Z^2 of a coordinate is
-log(p) + log I_0(z), and p* is the zero of its derivative: q^(3/2) = p tau R. The bounds of R are Amos's.
"""

from __future__ import annotations

import sympy
from sympy import Rational, S, besseli, log, pi, sqrt

from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import Combination, Instance, Rewrite, Sign, Taylor
from rftheory.exact.proof.steps import Derivation, Step, at, register_derivation

ID = "chefs.added.geometric-p"
HALF = Rational(1, 2)
_fail, _part = sympy.Symbol("q", positive=True), sympy.Symbol("rho", positive=True)
_tau, _z, _root = sympy.symbols("tau z u", positive=True)
_slope = 1 / (1 - _fail) - _tau * _fail ** Rational(-3, 2) * besseli(1, 2 * _tau / sqrt(_fail)) / besseli(
    0, 2 * _tau / sqrt(_fail)
)

register_derivation(Derivation(id=ID, title="Bounds of the best parameter of geometric features", source="ours",
    says="tau - tau^2 <= 1 - p* <= tau and tau - 1/2 <= 1/p* <= tau + 3/2, all |x_l y_l| = tau",
    variables=(Variable(_fail, "1 - p", above=0, below=1), Variable(_part, "R over z/2, or over 1", above=0, high=1),
        Variable(_tau, "|x_l y_l|", above=0), Variable(_z, "2 tau/sqrt(q)", above=0), Variable(_root, "sqrt(1 - p)", above=0, high=1)),
    points=({"q": "1/2", "rho": 1, "tau": 1, "z": 2, "u": "1/2"}, {"q": "9/10", "rho": "1/3", "tau": "1/7", "z": "1/9", "u": 1},
        {"q": "1/9", "rho": "7/8", "tau": 5, "z": 9, "u": "1/10"}),
    steps=(
        Step(f"{ID}/derivative", sympy.Derivative(-log(1 - _fail) + log(besseli(0, 2 * _tau / sqrt(_fail))), _fail), _slope,
            reason="zero at p*: q^(3/2) = p tau R", check=Rewrite()),
        Step(f"{ID}/small, above", _fail**2, at(_tau**2, {_tau: _fail / sqrt((1 - _fail) * _part)}), "<=",
            reason="R = rho z/2, rho <= 1: q^2 = p tau^2 rho, so q <= tau", check=Sign(_fail**2 * (1 - (1 - _fail) * _part) / ((1 - _fail) * _part))),
        Step(f"{ID}/root", sqrt(1 + _z**2), 1 + _z**2 / 2, "<=", reason="so R >= z/(1 + sqrt(1 + z^2)) >= z/(2 + z^2/2), which gives q^2 + 2 q tau^2 >= tau^2",
            check=Sign((1 - sqrt(1 + _z**2)) ** 2 / 2)),
        Step(f"{ID}/lower bound", at(_z / (2 + _z**2 / 2), {_z: 2 * _tau / sqrt(_fail)}) * (1 - _fail) * _tau - _fail ** Rational(3, 2),
            (_tau**2 - 2 * _fail * _tau**2 - _fail**2) * sqrt(_fail) / (_fail + _tau**2), check=Rewrite()),
        Step(f"{ID}/small, below", at(_fail**2 + 2 * _fail * _tau**2, {_fail: _tau - _tau**2}), _tau**2, "<=",
            reason="the left side increases in q >= 0: so q >= tau - tau^2", check=Sign(_tau**4)),
        Step(f"{ID}/large, above", Rational(3, 2) * _root**2 - HALF, _root**3, "<=",
            reason="u^2 = q, R <= 1: p tau >= q^(3/2) >= 1 - 3p/2, so 1/p <= tau + 3/2", check=Sign((_root - 1) ** 2 * (_root + HALF))),
        Step(f"{ID}/longer root", 1 + _z**2, (_z + 1 / (2 * _z)) ** 2, "<=", reason="sqrt(1 + z^2) <= z + 1/(2z)", check=Sign(1 / (4 * _z**2))),
        Step(f"{ID}/one minus", (_z - 1) * (1 + _z + 1 / (2 * _z)), _z**2, "<=", reason="so R >= 1 - 1/z, and trivially for z < 1",
            check=Sign(HALF + 1 / (2 * _z))),
        Step(f"{ID}/statement", _root**3 + (1 - _root**2) * _root / 2, 1 + (1 - _root**2) / 2, "<=",
            reason="p tau (1 - u/(2 tau)) <= u^3, so p tau <= 1 + p/2 and 1/p >= tau - 1/2",
            check=Sign((1 - _root) * (3 + 2 * _root + _root**2) / 2)))))  # fmt: skip

EXCESS = "chefs.added.geometric-excess"
_ratio, _level = sympy.symbols("r s", positive=True)
_success = 1 - _root**2
_hankel = 2 * _tau / _root - log(4 * pi * _tau / _root) / 2
_best = sqrt(1 - 1 / _tau)
_LARGE = ({"tau": 2, "u": "1/2", "r": 1, "s": 1}, {"tau": 7, "u": "1/9", "r": 1, "s": 1})
_asymptote = log(_tau) / 2 + 1 - log(4 * pi) / 2


def _lower(level: sympy.Expr) -> sympy.Expr:
    """The least value, over p, of what the tangents leave of the logarithm of the second moment, less 2 tau."""
    return 1 + log(level) - log(4 * pi * (level + Rational(1, 4))) / 2


register_derivation(Derivation(id=EXCESS, title="What the best geometric law costs beside the Poisson law", source="ours",
    says="min over p of -log(p) + log I_0(2 tau (1 - p)^(-1/2)) - 2 tau is positive, and log(tau)/2 + 1 - log(4 pi)/2 + o(1) as tau -> oo; "
        "u = sqrt(1 - p), log I_0(x) = x - log(2 pi x)/2 + o(1) at x = 2 tau/u >= 2 tau",
    variables=(Variable(_tau, "|x_l y_l|", above=0), Variable(_root, "sqrt(1 - p)", above=0, below=1),
        Variable(_ratio, "tau/(1 - p)", above=0), Variable(_level, "tau - 1/4", above=0)),
    points=({"tau": 1, "u": "1/2", "r": 1, "s": "3/4"}, {"tau": 5, "u": "1/9", "r": "6/5", "s": "19/4"},
        {"tau": "1/3", "u": "9/10", "r": 4, "s": "1/12"}),
    steps=(
        Step(f"{EXCESS}/not Poisson", (1 - _ratio) ** 2 + (1 - _ratio**2 / 2) ** 2, Rational(11, 100), ">=",
            reason="a_1/p_1 and a_2/p_2 are not both a_0/p_0, so that chefs.added.best-law/nonnegative is strict for some k",
            check=Sign((_ratio**2 / 2 - Rational(4, 5)) ** 2 + Rational(4, 5) * (_ratio - Rational(5, 4)) ** 2)),
        Step(f"{EXCESS}/tangent of log p", log(_level) + log(_success), _level * _success - 1, "<=",
            reason="log(w) <= w - 1 at w = p s, with s = tau - 1/4",
            check=Instance("lemma.exponential", {lemmas.t: log(_level * _success)})),
        Step(f"{EXCESS}/tangent of log u", -log(_root), 1 / _root - 1, "<=",
            check=Instance("lemma.exponential", {lemmas.t: -log(_root)})),
        Step(f"{EXCESS}/room", _level * _success, 2 * _level * (1 / _root - 1), "<=",
            check=Sign(_level * (1 - _root) ** 2 * (2 + _root) / _root)),
        Step(f"{EXCESS}/for every p", at(_hankel - 2 * _tau, {_tau: _level + Rational(1, 4)}) - log(_success),
            _lower(_level), ">=",
            reason="with x - log(2 pi x)/2 for log I_0(x): for every p, so at the best one too",
            check=Combination(((f"{EXCESS}/tangent of log p", S.One), (f"{EXCESS}/tangent of log u", HALF),
                (f"{EXCESS}/room", S.One)))),
        Step(f"{EXCESS}/below", at(_lower(_level) - _asymptote, {_tau: _level + Rational(1, 4)}), -log(1 + 1 / (4 * _level)),
            check=Rewrite()),
        Step(f"{EXCESS}/from below", -log(1 + 1 / (4 * _level)), S.Zero, "~", reason="s -> oo", check=Taylor(_level, 1)),
        Step(f"{EXCESS}/above", at(_hankel - 2 * _tau - log(_success) - _asymptote, {_root: _best}),
            2 * _tau * (1 / _best - 1) - 1 + log(1 - 1 / _tau) / 4,
            reason="at p = 1/tau", check=Rewrite(), conditions=(_tau > 1,), points=_LARGE),
        Step(f"{EXCESS}/statement", 2 * _tau * (1 / _best - 1) - 1 + log(1 - 1 / _tau) / 4, S.Zero, "~",
            reason="from above; tau -> oo", check=Taylor(_tau, 1), conditions=(_tau > 1,), points=_LARGE))))  # fmt: skip
