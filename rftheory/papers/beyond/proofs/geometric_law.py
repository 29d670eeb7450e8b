"""Where the best parameter of geometric features lies: two-sided bounds for every product.

With q = 1 - p, tau = |x_l y_l| for all l and R = I_1/I_0 at z = 2 tau/sqrt(q), log E Z^2 of a coordinate is
-log(p) + log I_0(z), and p* is the zero of its derivative: q^(3/2) = p tau R. The bounds of R are Amos's.
"""

from __future__ import annotations

import sympy
from sympy import Rational, besseli, log, sqrt

from rftheory.exact.formula import Variable
from rftheory.exact.proof.rules import Rewrite, Sign
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
