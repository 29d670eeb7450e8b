"""Derivations of Choromanski et al. 2022, Hybrid Random Features: the source's steps, and ours where it has none.

Conventions: v = |x + y|, w = |x - y|, so |x|^2 + |y|^2 = (v^2 + w^2)/2 and x.y = (v^2 - w^2)/4; kappa = |x|^2 - |y|^2;
l1, l2 are the first two moments of the coefficient estimator, P2 and T2 the MSEs of P and T.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from sympy import E, Expr, I, Integral, Rational, cos, cosh, exp, oo, pi, re, sin, sinh, sqrt

from rftheory.exact import angular, complex_exponential
from rftheory.exact.angular import COSINE2, P_ANGLE, SINE2, W, r, sigma
from rftheory.exact.complex_exponential import (COEFFICIENT_FEATURES, PRINTED_A_IS_I, PRINTED_A_IS_II, first,
    imag, inner, mixed, n, real, second)  # fmt: skip
from rftheory.exact.formula import Variable
from rftheory.exact.hybrid import ANGLE, l1, l2, theta
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import (Chain, Combination, FromInequality, Given, Increasing, Instance,
    Rewrite, Scaled, Sign, Use)  # fmt: skip
from rftheory.exact.proof.rules.answers import proved, undecided
from rftheory.exact.proof.rules.conditions import hole, steady
from rftheory.exact.proof.rules.premises import chosen_freely, domains_of, outside, unmet
from rftheory.exact.proof.steps import Derivation, Finding, Scope, Step, at, register_derivation
from rftheory.exact.ranges import Range
from rftheory.exact.symbols import DIFFERENCE_NORM, FEATURES, SUM_NORM, m, v, z

Points = tuple[dict[str, Any], ...]
HALF = Rational(1, 2)
kappa = sympy.Symbol("kappa", real=True)
softmax = sympy.Symbol("s", positive=True)
p2 = sympy.Symbol("P2", nonnegative=True)
t2 = sympy.Symbol("T2", nonnegative=True)
p = sympy.Symbol("p", nonnegative=True)
rho = sympy.Symbol("rho", positive=True)
kernel = sympy.Symbol("kernel", positive=True)
gap = sympy.Symbol("gap", nonnegative=True)
t = sympy.Symbol("t", nonnegative=True)
share = sympy.Symbol("share", nonnegative=True)
alpha = sympy.Symbol("alpha", real=True)
beta = sympy.Symbol("beta", real=True)
entry = sympy.Symbol("entry", positive=True)

w = z
"""|x - y| under the name that the shared symbols give it."""
_SM2 = exp((v**2 - w**2) / 2)
_PROBABILITY = Variable(p, "theta/pi", low=0, high=1)
_RADIUS = Variable(r, "common length", above=0)
_MEAN = Variable(l1, "E L")
_SECOND = Variable(l2, "E L^2", low=0)


def _add(
    identifier: str,
    title: str,
    says: str,
    variables: tuple[Variable, ...],
    points: Sequence[Mapping[str, Any]],
    *steps: Step,
    source: str = "",
) -> Derivation:
    source = source or "Choromanski et al. 2022"
    return register_derivation(Derivation(identifier, title, says, variables, steps, tuple(points), source))


# ---- checks of this file -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Concave:
    """larger - smaller >= 0 on [low, high]: it vanishes or is positive at both ends and is concave between them."""

    symbol: sympy.Symbol
    low: Expr
    high: Expr

    def __call__(self, step: Step, scope: Scope) -> Finding:
        larger, smaller = (step.right, step.left) if step.relation == "<=" else (step.left, step.right)
        if step.relation not in ("<=", ">=") or (larger - smaller).free_symbols != {self.symbol}:
            return undecided("not a weak inequality in one variable")
        domain = scope.range(self.symbol)
        if not (domain.low == self.low and domain.high == self.high):
            return undecided(f"the domain is not [{self.low}, {self.high}]")
        ends = [sympy.simplify((larger - smaller).subs(self.symbol, e)) for e in (self.low, self.high)]
        bend = sympy.diff(larger - smaller, self.symbol, 2)
        if not steady(larger - smaller, self.symbol, scope):
            return undecided("the difference is not shown to be continuous")
        if not all(e.is_nonnegative for e in ends) or not scope.range(-bend).nonnegative:
            return undecided("a sign at an end or of the second derivative is open")
        return proved(f"concave: second derivative {bend} <= 0, values {ends} at the ends")


@dataclass(frozen=True)
class Monotone:
    """exp(a) <= exp(b), because b - a is ``factor`` >= 0 times the difference of a proved inequality."""

    label: str
    factor: Expr

    def __call__(self, step: Step, scope: Scope) -> Finding:
        source = next(
            (s for s in scope.usable(step) if s.label == self.label and s.relation in ("<=", ">=")), None
        )
        signs = scope.range(self.factor).nonnegative and scope.range(step.left).positive
        if source is None or step.relation != "<=" or not signs:
            return undecided(f"{self.label} does not apply")
        larger, smaller = (
            (source.right, source.left) if source.relation == "<=" else (source.left, source.right)
        )
        missing = hole((self.factor, larger - smaller), step, scope)
        if missing:
            return undecided(missing)
        gap_ = sympy.log(step.right) - sympy.log(step.left)
        method = scope.equal(sympy.expand_log(gap_), self.factor * (larger - smaller))
        return (
            proved(f"exp is increasing: {self.label} times {self.factor}")
            if method
            else undecided("the exponents do not differ by that")
        )


@dataclass(frozen=True)
class Reflected:
    """From f(x) <= bound, or f(x) = g(x), for all x of an interval that the reflection maps onto itself:
    f(x) + f(centre2 - x) <= 2 bound, or = g(x) + g(centre2 - x)."""

    label: str
    symbol: sympy.Symbol
    centre2: Expr

    def __call__(self, step: Step, scope: Scope) -> Finding:
        source = next(
            (s for s in scope.usable(step) if s.label == self.label and s.relation in ("=", "<=")), None
        )
        domain = scope.range(self.symbol)
        mirrored = domain.low + domain.high == self.centre2 and domain.low_open == domain.high_open
        if source is None or step.relation != source.relation or not mirrored:
            return undecided(f"{self.label} does not apply")
        if any(condition.has(self.symbol) for condition in source.conditions):
            return undecided(f"{self.label} is not proved at {self.centre2 - self.symbol}")
        if source.relation == "<=" and source.right.has(self.symbol):
            return undecided("the bound is not a constant")
        if step.left != self._sum(source.left) or step.right != self._sum(source.right):
            return undecided("not the sum of the two instances")
        return proved(f"{self.label} at {self.symbol} and at {self.centre2 - self.symbol}")

    def _sum(self, side: Expr) -> Expr:
        return side + side.subs(self.symbol, self.centre2 - self.symbol)


@dataclass(frozen=True)
class ByStatement:
    """The step is what another derivation establishes, over the same domain."""

    identifier: str

    def __call__(self, step: Step, scope: Scope) -> Finding:
        other, holds = scope.lemma(self.identifier)
        last = other.statement
        same = (last.left, last.relation, last.right) == (step.left, step.relation, step.right)
        missing = (
            outside({}, last, domains_of(scope, other), scope)
            or chosen_freely({}, last, scope, other)
            or unmet({}, last, step, scope)
        )
        return (
            proved(f"statement of {self.identifier}")
            if holds and same and not missing
            else undecided(missing or f"{self.identifier} does not give it")
        )


@dataclass(frozen=True)
class MatrixIdentity:
    """An identity of products of matrices of any size, by the rules of transposes and inverses."""

    def __call__(self, step: Step, scope: Scope) -> Finding:
        sides = [side.args[0].doit() for side in (step.left, step.right)]
        return (
            proved(f"both sides reduce to {sides[0]}")
            if sides[0] == sides[1]
            else undecided(f"{sides[0]} and {sides[1]}")
        )


# ---- Lemma 2.2 and 2.4 -----------------------------------------------------------------------------------------

_norm = sqrt(2 * pi)


def _mgf(slope: Expr) -> Expr:
    return Integral(exp(slope * lemmas.x - lemmas.x**2 / 2) / _norm, (lemmas.x, -oo, oo))


def _cf(slope: Expr) -> Expr:
    return Integral(cos(slope * lemmas.x) * exp(-(lemmas.x**2) / 2) / _norm, (lemmas.x, -oo, oo))


_PAIR_POINTS: Points = ({"v": 0, "z": 0, "m": 1}, {"v": "1/3", "z": 2, "m": 3},
    {"v": 3, "z": "1/100", "m": 64})  # fmt: skip

_add("hybrid.lem2.2", "MSE of T and P", "E(T - SM)^2 and E(P - SM)^2 for m independent projections",
    (SUM_NORM, DIFFERENCE_NORM, FEATURES), _PAIR_POINTS,
    Step("hybrid.lem2.2/squares", cosh(v) ** 2, (1 + cosh(2 * v)) / 2, reason="square of one draw of P",
        check=Rewrite()),
    Step("hybrid.lem2.2/wave squares", cos(w) ** 2, (1 + cos(2 * w)) / 2, reason="square of one draw of T",
        check=Rewrite()),
    Step("hybrid.lem2.2/mean P", _mgf(v), exp(v**2 / 2), reason="E cosh(w.(x+y)) = E exp(w.(x+y))",
        check=Use("lemma.normal_mgf", {lemmas.t: v})),
    Step("hybrid.lem2.2/square P", _mgf(2 * v), exp(2 * v**2), reason="E cosh(2 w.(x+y))",
        check=Use("lemma.normal_mgf", {lemmas.t: 2 * v})),
    Step("hybrid.lem2.2/mean T", _cf(w), exp(-(w**2) / 2), reason="E cos(w.(x-y))",
        check=Use("lemma.normal_cf", {lemmas.t: w})),
    Step("hybrid.lem2.2/square T", _cf(2 * w), exp(-2 * w**2), reason="E cos(2 w.(x-y))",
        check=Use("lemma.normal_cf", {lemmas.t: 2 * w})),
    Step("hybrid.lem2.2/(7) P", exp(-(v**2 + w**2) / 2) * ((1 + _mgf(2 * v)) / 2 - _mgf(v) ** 2) / m,
        exp(v**2) * _SM2 * (1 - exp(-(v**2))) ** 2 / (2 * m), printed=True,
        reason="variance of a mean of m independent draws",
        check=Given(("hybrid.lem2.2/square P", "hybrid.lem2.2/mean P"), Rewrite())),
    Step("hybrid.lem2.2/(7) T", exp((v**2 + w**2) / 2) * ((1 + _cf(2 * w)) / 2 - _cf(w) ** 2) / m,
        exp(v**2) / _SM2 * (1 - exp(-(w**2))) ** 2 / (2 * m), printed=True,
        reason="variance of a mean of m independent draws",
        check=Given(("hybrid.lem2.2/square T", "hybrid.lem2.2/mean T"),
            Rewrite())))  # fmt: skip

_x = sympy.Symbol("a", real=True)
_REAL = Variable(_x, "real argument")
_point = complex_exponential.point

_add("hybrid.lem2.4", "Complex exponential moment", "E exp(g z) = exp(z^2/2) for g ~ N(0, 1) and complex z",
    (_REAL, Variable(_point, "complex argument", complex=True)),
    ({"a": 0, "point": 0}, {"a": "7/3", "point": "1+2*I"}, {"a": -3, "point": "-I/2"}),
    Step("hybrid.lem2.4/(29) real", _mgf(_x), exp(_x**2 / 2), reason="moment generating function", printed=True,
        check=Use("lemma.normal_mgf", {lemmas.t: _x})),
    Step("hybrid.lem2.4/(29) imaginary", _cf(_x), exp((I * _x) ** 2 / 2),
        reason="characteristic function at z = i a; E sin = 0", printed=True,
        check=Use("lemma.normal_cf", {lemmas.t: _x})),
    Step("hybrid.lem2.4/(13)", complex_exponential.complex_gaussian_moment.routes[0].how, exp(_point**2 / 2),
        printed=True, reason="the exponential series of z^2/2; the left side is E exp(g z), termwise",
        check=Use("definition.complex_exp", {lemmas.z: _point**2 / 2})))  # fmt: skip


# ---- complex exponential estimators -------------------------------------------------------------------------------

_size = sympy.Symbol("d", integer=True, positive=True)
_A = sympy.MatrixSymbol("A", _size, _size)
_X, _Y = (sympy.MatrixSymbol(name, _size, 1) for name in ("X", "Y"))
_total = real**2 + imag**2
_INNER = Variable(inner, "x.y")
_REALPART, _IMAGPART = Variable(real, "|Re zeta|", low=0), Variable(imag, "|Im zeta|", low=0)
_query, _key = sympy.symbols("loss tau", real=True)  # plain squares, which complex A may make negative
_SQUARES = (Variable(_query, "(A x)^2"), Variable(_key, "((A^T)^-1 y)^2"))
_CE_POINTS: Points = ({"inner": 0, "real": 1, "imag": 0, "m": 1}, {"inner": "-1/3", "real": 2, "imag": "1/2", "m": 3},
    {"inner": 1, "real": 0, "imag": 1, "m": 2})  # fmt: skip

_add("hybrid.eq14", "Factorised identity for SM",
    "exp((Ax)^2/2) exp(((A^T)^-1 y)^2/2) SM = E exp(w.(Ax + (A^T)^-1 y)), plain transposes", (_INNER, *_SQUARES),
    ({"inner": 0, "loss": 0, "tau": 1}, {"inner": "-2", "loss": 3, "tau": "1/3"}, {"inner": 1, "loss": "-1/2", "tau": -2}),
    Step("hybrid.eq14/cross term", sympy.Trace(sympy.MatMul(_X.T, _A.T, sympy.Inverse(_A.T), _Y, evaluate=False)),
        sympy.Trace(_X.T * _Y), reason="(A x).((A^T)^-1 y) = x.y for any invertible A and the plain transpose",
        check=MatrixIdentity()),
    Step("hybrid.eq14/(14)", exp((_query + _key + 2 * inner) / 2), exp(_query / 2) * exp(_key / 2) * exp(inner),
        printed=True, reason="Lemma 2.4 in each coordinate, square of a sum",
        check=Rewrite()))  # fmt: skip

_add("hybrid.eq17", "Zero variance of a CE estimator",
    "E|S - SM|^2 = SM^2 (exp(|zeta|^2) - 1)/m, so it vanishes exactly where zeta = 0",
    (_INNER, _REALPART, _IMAGPART, FEATURES), _CE_POINTS,
    Step("hybrid.eq17/square", exp(2 * real**2) * exp(-(real**2 - imag**2)), exp(_total),
        reason="E|exp(w.zeta)|^2 = exp((2 Re zeta)^2/2), and |exp(-zeta^2/2)|^2",
        check=Rewrite()),
    Step("hybrid.eq17/MSE", exp(2 * inner) * (exp(2 * real**2) * exp(-(real**2 - imag**2)) - 1) / m,
        complex_exponential.cexp_mse.expression, reason="mean of m independent draws",
        check=Given(("hybrid.eq17/square",), Rewrite())),
    Step("hybrid.eq17/tangent", exp(_total), 1 + _total, ">=",
        check=Instance("lemma.exponential", {lemmas.t: _total})),
    Step("hybrid.eq17/lower bound", complex_exponential.cexp_mse.expression, exp(2 * inner) * _total / m, ">=",
        reason="exp(u) - 1 >= u: the variance vanishes if and only if zeta does",
        check=FromInequality("hybrid.eq17/tangent", exp(2 * inner) / m)),
    Step("hybrid.eq17/(17)",
        at(exp(2 * inner) + complex_exponential.cexp_mse.expression, {real: sympy.S.Zero, imag: sympy.S.Zero}),
        exp(2 * inner), printed=True, reason="x = -A^-1 (A^T)^-1 y is zeta = 0; E|S|^2 = SM^2, no variance",
        check=Rewrite()))  # fmt: skip

_a_is_i = complex_exponential.cexp_mse.expression.subs(imag, 0)
_add("hybrid.txt.A-is-I", "CE with A = I", "the CE estimator with A = I is not P; its symmetrised form is",
    (_INNER, _REALPART, FEATURES), tuple({k: a for k, a in point.items() if k != "imag"} for point in _CE_POINTS),
    Step("hybrid.txt.A-is-I/printed", _a_is_i, PRINTED_A_IS_I, printed=True, reason="becomes P, also in MSE"),
    Step("hybrid.txt.A-is-I/corrected", complex_exponential.cexp_symmetric_mse.expression.subs(imag, 0),
        PRINTED_A_IS_I, reason="mean of exp(w.zeta) and exp(-w.zeta)", check=Rewrite(),
        replaces="hybrid.txt.A-is-I/printed"),
    Step("hybrid.txt.A-is-I/ratio", PRINTED_A_IS_I, HALF * _a_is_i, "<=",
        reason="P is at least twice as accurate at the same m",
        check=Sign(exp(2 * inner) * (1 - exp(-(real**2))) / (2 * m))))  # fmt: skip

_a_is_ii = complex_exponential.cexp_mse.expression.subs(real, 0)
_add("hybrid.txt.A-is-iI", "CE with A = iI",
    "the real part of the CE estimator with A = iI is T; the estimator itself is not", (_INNER, _IMAGPART, FEATURES),
    ({"inner": 0, "imag": 1, "m": 1}, {"inner": "-1/3", "imag": "1/2", "m": 3}),
    Step("hybrid.txt.A-is-iI/printed", _a_is_ii, PRINTED_A_IS_II, printed=True,
        reason="becomes T, with E|S - SM|^2 as MSE"),
    Step("hybrid.txt.A-is-iI/corrected", complex_exponential.cexp_real_mse.expression.subs({real: 0, mixed: 0}),
        PRINTED_A_IS_II, reason="MSE of Re S", check=Rewrite(),
        replaces="hybrid.txt.A-is-iI/printed"),
    Step("hybrid.txt.A-is-iI/draws", (exp(I * imag) + exp(-I * imag)) / 2, cos(imag),
        reason="Re exp(i w.(x-y)) = cos(w.(x-y)), draw by draw", check=Rewrite()))  # fmt: skip


# ---- Theorem 3.1 ---------------------------------------------------------------------------------------------------

_S = Variable(softmax, "SM", above=0)
_P2, _T2 = Variable(p2, "MSE of P", low=0), Variable(t2, "MSE of T", low=0)
_KAPPA = Variable(kappa, "|x|^2 - |y|^2")
_MOMENT_POINTS: Points = ({"s": 1, "P2": 0, "T2": 1, "l1": "1/2", "l2": "1/4", "kappa": 0, "m": 1},
    {"s": "1/3", "P2": 2, "T2": "1/5", "l1": "1/3", "l2": "1/6", "kappa": 2, "m": 3},
    {"s": 4, "P2": 1, "T2": 7, "l1": -1, "l2": 3, "kappa": -5, "m": 2})  # fmt: skip
_variance = l2 - l1**2
_cross = l1 - l2
_complement = 1 - 2 * l1 + l2
_independent = l2 * p2 + _complement * t2
_cos = cos(kappa)
_E_PT = softmax**2 * (1 - 1 / m) + softmax**2 * _cos / m
_Z = (1 - _cos) * _cross / m
_var_p = softmax**2 * _variance + l2 * p2
_var_t = softmax**2 * _variance + _complement * t2
_variables = (_S, _P2, _T2, _MEAN, _SECOND, _KAPPA, FEATURES)


def _common(identifier: str) -> tuple[Step, ...]:
    return (
        Step(
            f"{identifier}/(40)",
            l2 * (p2 + softmax**2) - l1**2 * softmax**2,
            _var_p,
            reason="Var(L P), L independent of P",
            printed=True,
            check=Rewrite(),
        ),
        Step(
            f"{identifier}/(41)",
            _complement * (t2 + softmax**2) - (1 - l1) ** 2 * softmax**2,
            _var_t,
            reason="Var((1-L) T)",
            printed=True,
            check=Rewrite(),
        ),
    )


_add("hybrid.thm3.1.I", "MSE of the bipolar hybrid, independent projections", "E L^2 MSE(P) + E (1-L)^2 MSE(T)",
    _variables, _MOMENT_POINTS,
    Step("hybrid.thm3.1.I/(32)", (_cross - l1 * (1 - l1)) * softmax**2, -(softmax**2) * _variance, printed=True,
        reason="covariance of L P and (1-L) T, all independent", check=Rewrite()),
    *_common("hybrid.thm3.1.I"),
    Step("hybrid.thm3.1.I/(31), (22)", at(p2 + t2 - 2 * softmax**2 * l1, {p2: _var_p, t2: _var_t, l1: _variance}),
        _independent, printed=True, reason="sum of variances and covariance", check=Rewrite()))  # fmt: skip

_add("hybrid.thm3.1.II", "MSE of the bipolar hybrid, shared projections",
    "(22) minus (2/m) SM^2 (1 - cos(|x|^2-|y|^2)) E L(1-L)", (*_variables, SUM_NORM, DIFFERENCE_NORM),
    tuple({**point, "v": 1 + i, "z": "1/2"} for i, point in enumerate(_MOMENT_POINTS)),
    Step("hybrid.thm3.1.II/(33) text", softmax**2 * _cross, softmax**2, printed=True,
        reason="'no longer' E[PT] E[L(1-L)] = E[P] E[T]: this is false for independent P and T as well"),
    Step("hybrid.thm3.1.II/(33) corrected", softmax**2 * _cross, at(lemmas.w * _cross, {lemmas.w: softmax**2}),
        replaces="hybrid.thm3.1.II/(33) text",
        reason="for independent P and T: E[PT] E[L(1-L)] = E[P] E[T] E[L(1-L)]", check=Rewrite()),
    Step("hybrid.thm3.1.II/(37)", at(re(exp(lemmas.z / 2)), {lemmas.z: v**2 - w**2 + 2 * I * kappa}), _SM2 * _cos,
        printed=True,
        reason="Lemma 2.4 at x + y + i(x - y), whose square is v^2 - w^2 + 2 i kappa; SM^2 = exp((v^2-w^2)/2)",
        check=Rewrite()),
    Step("hybrid.thm3.1.II/(36), (38)", (m * (m - 1) * softmax**2 + m * softmax**2 * _cos) / m**2, _E_PT,
        printed=True, reason="pairs of different projections are independent", check=Rewrite()),
    Step("hybrid.thm3.1.II/(39)", _E_PT * _cross - softmax**2 * l1 * (1 - l1), -(softmax**2) * (_variance + _Z),
        printed=True, reason="(33) with (38)", check=Rewrite()),
    *_common("hybrid.thm3.1.II"),
    Step("hybrid.thm3.1.II/(23)", _var_p + _var_t - 2 * softmax**2 * (_variance + _Z),
        _independent - 2 * softmax**2 * (1 - _cos) * _cross / m, printed=True, reason="(31)",
        check=Rewrite()))  # fmt: skip

_shared = _independent - 2 * softmax**2 * (1 - _cos) * _cross / m
_add("hybrid.thm3.1.reduced", "Sharing projections",
    "sharing lowers the MSE, weakly, whenever E L(1-L) >= 0; not otherwise, and not always strictly",
    (*_variables, Variable(share, "E L(1-L)", low=0)),
    tuple({**point, "share": i} for i, point in enumerate(_MOMENT_POINTS)),
    Step("hybrid.thm3.1.reduced/strict", _shared, _independent, "<", printed=True,
        reason="reading (a): equality at |x| = |y|"),
    Step("hybrid.thm3.1.reduced/weak", _shared, _independent, "<=", printed=True,
        reason="reading (b): false where E L(1-L) < 0, as for estimates L outside [0, 1] of a coefficient in [0, 1]",
        conditions=(l1 >= 0, l1 <= 1, l2 >= l1**2),
        points=tuple({**point, "share": 0} for point in (*_MOMENT_POINTS[:2],
            {"s": 1, "P2": 1, "T2": 1, "l1": "1/2", "l2": 1, "kappa": 3, "m": 1}))),
    Step("hybrid.thm3.1.reduced/corrected", _independent - 2 * softmax**2 * (1 - _cos) * share / m, _independent,
        "<=", reason="E L(1-L) = share >= 0, as for every L in [0, 1]",
        check=Sign(2 * softmax**2 * (1 - _cos) * share / m), replaces="hybrid.thm3.1.reduced/weak"),
    Step("hybrid.thm3.1.reduced/equality", at(_shared, {kappa: sympy.S.Zero}), _independent,
        reason="no gain at |x| = |y|", check=Rewrite(), replaces="hybrid.thm3.1.reduced/strict"))  # fmt: skip


# ---- Lemma 3.2 and Theorem D.1 ------------------------------------------------------------------------------------

_BINOMIAL = (_PROBABILITY, COEFFICIENT_FEATURES)
_BINOMIAL_POINTS: Points = ({"p": 0, "n": 1}, {"p": 1, "n": 2}, {"p": "1/3", "n": 7}, {"p": "1/2", "n": 1})
_sum1 = 1 - 2 * p
_sum2 = 1 / n + (1 - 1 / n) * _sum1**2
_second = p * (p - p / n + 1 / n)
_rest = (1 - p) * (1 - p + p / n)

_add("hybrid.lem3.2", "Moments of the angular coefficient",
    "E L = theta/pi and E L^2 = (theta/pi)(theta/pi - theta/(n pi) + 1/n), p = theta/pi", _BINOMIAL, _BINOMIAL_POINTS,
    Step("hybrid.lem3.2/mean", at(HALF - HALF * p, {p: _sum1}), p, printed=True,
        reason="E sgn sgn = 1 - 2 theta/pi: a random hyperplane separates with probability theta/pi",
        check=Rewrite()),
    Step("hybrid.lem3.2/(44)", n / n**2 + n * (n - 1) / n**2 * _sum1**2, _sum2, printed=True,
        reason="X_i^2 = 1/n^2, different X_i are independent", check=Rewrite()),
    Step("hybrid.lem3.2/(43), (24)", (1 - 2 * _sum1 + _sum2) / 4, _second, printed=True,
        reason="(1/2 - 1/2 sum X_i)^2 expanded", check=Rewrite()))  # fmt: skip

_add("hybrid.thmD.1", "MSE of the angular hybrid", "Theorem 3.1 with the moments of Lemma 3.2",
    (*_BINOMIAL, _RADIUS, ANGLE, FEATURES, SUM_NORM, DIFFERENCE_NORM),
    tuple({**point, "r": 1, "theta": 1, "m": 2, "v": 1, "z": "1/2"} for point in _BINOMIAL_POINTS),
    Step("hybrid.thmD.1/(45)", 1 - 2 * p + _second, _rest, printed=True, reason="E (1-L)^2", check=Rewrite()),
    Step("hybrid.thmD.1/(46)", p - _second, p * (1 - p + p / n - 1 / n), printed=True, reason="E L(1-L)",
        check=Rewrite()),
    Step("hybrid.thmD.1/(46) factored", p - _second, p * (1 - p) * (1 - 1 / n),
        reason="so sharing gains nothing for n = 1", check=Rewrite()),
    Step("hybrid.thmD.1/(46) sign", p * (1 - p) * (1 - 1 / n), sympy.S.Zero, ">=", reason="so sharing never hurts",
        check=Sign(p * (1 - p) * (1 - 1 / n))),
    Step("hybrid.thmD.1/lengths", 4 * r**2 * cos(theta / 2) ** 2 - 4 * r**2 * sin(theta / 2) ** 2,
        4 * r**2 * cos(theta), reason="|x+y|^2 - |x-y|^2 = 4 x.y at |x| = |y| = r", check=Rewrite()),
    Step("hybrid.thmD.1/(47) P", 4 * r**2 * COSINE2 + 2 * r**2 * cos(theta), 8 * r**2 * COSINE2 - 2 * r**2,
        printed=True, reason="exponent of e^(v^2) SM^2", check=Rewrite()),
    Step("hybrid.thmD.1/(47) T", 4 * r**2 * COSINE2 - 2 * r**2 * cos(theta), 2 * r**2, printed=True,
        reason="exponent of e^(v^2) SM^-2", check=Rewrite()))  # fmt: skip

_add("hybrid.thmD.1.reduced", "Sharing projections, angular case",
    "sharing never raises the MSE of the angular hybrid, but it need not lower it",
    (*_BINOMIAL, _S, _KAPPA, FEATURES),
    tuple({**point, "s": 1, "kappa": i, "m": 1} for i, point in enumerate(_BINOMIAL_POINTS)),
    Step("hybrid.thmD.1.reduced/strict", sympy.S.Zero, 2 * softmax**2 * (1 - _cos) * p * (1 - p) * (1 - 1 / n) / m,
        "<", printed=True, reason="reading (a): false for n = 1, for |x| = |y|, at theta = 0 and theta = pi"),
    Step("hybrid.thmD.1.reduced/weak", 2 * softmax**2 * _cos * p * (1 - p) * (1 - 1 / n) / m,
        2 * softmax**2 * p * (1 - p) * (1 - 1 / n) / m, "<=", printed=True,
        reason="reading (b); the gain is the difference",
        check=Sign(2 * softmax**2 * (1 - _cos) * p * (1 - p) * (1 - 1 / n) / m),
        replaces="hybrid.thmD.1.reduced/strict"))  # fmt: skip


_more = sympy.Symbol("more", nonnegative=True)
"""Symbols of textbook inequalities, which are instances at values of theirs."""


# ---- Lemma 3.4 -----------------------------------------------------------------------------------------------------

_SPHERE_POINTS: Points = ({"r": "1/10", "theta": "1/3", "m": 1, "n": 1}, {"r": 1, "theta": 3, "m": 2, "n": 4},
    {"r": 2, "theta": 1, "m": 3, "n": 9})  # fmt: skip
_trig_error = angular.trig_relative_error.expression
_positive_error = angular.positive_relative_error.expression
_printed25 = exp(2 * r**2 * SINE2) * (1 - exp(-4 * r**2 * SINE2)) / sqrt(2 * m)

_add("hybrid.lem3.4", "Hidden symmetry of the base estimators",
    "the relative error of T at theta is that of P at pi - theta; both are largest at an end",
    (_RADIUS, ANGLE, FEATURES), tuple({k: a for k, a in point.items() if k != "n"} for point in _SPHERE_POINTS),
    Step("hybrid.lem3.4/(25) square",
        exp(2 * r**2) * (1 - exp(-4 * r**2 * SINE2)) ** 2 / (2 * m) * exp(-2 * r**2 * (1 - 2 * SINE2)), _printed25**2,
        printed=True, reason="(47) for T over SM^2, cos(theta) = 1 - 2 sin^2(theta/2)",
        check=Rewrite()),
    Step("hybrid.lem3.4/(25)", _printed25, _trig_error, printed=True, reason="2 sinh(a) = e^a (1 - e^(-2a))",
        check=Rewrite()),
    Step("hybrid.lem3.4/(25) symmetry", at(_positive_error, {theta: pi - theta}), _trig_error, printed=True,
        reason="cos((pi - theta)/2) = sin(theta/2)", check=Rewrite()),
    Step("hybrid.lem3.4/appE", sinh(2 * r**2 * SINE2), sinh(2 * r**2), "<=", printed=True,
        reason="sinh is increasing and sin^2(theta/2) <= 1",
        check=Increasing(sinh(_more), _more, 2 * r**2 * SINE2, 2 * r**2,
            Sign(2 * r**2 * COSINE2))),
    Step("hybrid.lem3.4/(26)", at(_trig_error, {theta: pi}), W / sqrt(2 * m), printed=True, reason="theta = pi",
        check=Rewrite()),
    Step("hybrid.lem3.4/(26) W", W, exp(2 * r**2) * (1 - exp(-4 * r**2)), printed=True, reason="W(r)",
        check=Rewrite()))  # fmt: skip


# ---- Theorem 3.5 ---------------------------------------------------------------------------------------------------

_factor = (1 - exp(-4 * r**2)) ** 2
_weight = P_ANGLE * (P_ANGLE - P_ANGLE / n + 1 / n)
_a = _weight * exp(2 * r**2 * cos(theta)) * (1 - exp(-4 * r**2 * COSINE2)) ** 2
_b1 = (1 - 1 / n) * theta**2 / pi**2 * exp(2 * r**2 * cos(theta))
_b2 = theta / (n * pi) * exp(2 * r**2 * cos(theta))
_square = angular.angular_relative_error.expression**2
_bound1 = (1 - 1 / n) * exp(2 * r**2) / (2 * pi * r**2)
_bound2 = exp(2 * r**2) / (2 * n * sqrt(pi * r**2))
_long = (sympy.Ge(r, 1),)
_quarter = Variable(t, "theta in [0, pi/2]", low=0, high=pi / 2)
_unit = Variable(share, "theta* over its bound", low=0, high=1)
_BOUND_POINTS: Points = (*tuple({**point, "t": "1/2", "share": "1/3"} for point in _SPHERE_POINTS),
    {"r": 5, "theta": "1/7", "m": 1, "n": 1, "t": 1, "share": 1},
    {"r": 3, "theta": "0.2357", "m": 1, "n": 1, "t": "3/2", "share": "9/10"},
    {"r": 1, "theta": "4/5", "m": 1, "n": 100, "t": 0, "share": 0})  # fmt: skip
_p_scaled = exp(2 * r**2) / (2 * m) * _a
_p_part = (2 / m) * _weight * sinh(2 * r**2 * COSINE2) ** 2


def _mirror_sum(side: Expr) -> Expr:
    """side(theta) + side(pi - theta)."""
    return side + side.subs(theta, pi - theta)


_T = "hybrid.thm3.5.bound"
_NARROWER = Scaled(P_ANGLE * (P_ANGLE * (1 - 1 / n) + 1 / n) * exp(2 * r**2 * cos(theta)),
    Increasing((1 - exp(-_more)) ** 2, _more, 4 * r**2 * COSINE2, 4 * r**2,
        Sign(4 * r**2 * SINE2), Range(sympy.S.Zero)))  # fmt: skip
"""1 - exp(-u) is increasing, cos^2 <= 1 and E L^2 >= 0."""

_R = "hybrid.thm3.5.pointwise"
_turn = 2 * r * theta / pi
_split = (1 - 1 / n) * theta**2 / pi**2 + theta / (n * pi)
_sharp = exp(2 * r**2) * ((1 - 1 / n) / (4 * E * r**2) + 1 / (2 * sqrt(2 * E) * n * r))
_sharp_square = angular.angular_sharp_bound.expression**2
_corrected_square = W**2 / m * ((1 - 1 / n) / (2 * pi * r**2) + 1 / (2 * sqrt(pi) * n * r))

_add(_R, "Largest relative error of the angular hybrid, for every r > 0",
    "a proof without derivatives, of a sharper bound and of the corrected (27)",
    (_RADIUS, ANGLE, FEATURES, COEFFICIENT_FEATURES),
    (*_SPHERE_POINTS, {"r": 5, "theta": "1/7", "m": 1, "n": 1}, {"r": "1/2", "theta": 2, "m": 1, "n": 50}),
    Step(f"{_R}/tangent 1", exp(_turn**2 - HALF), _turn**2 + HALF, ">=", reason="exp(u) >= 1 + u",
        check=Instance("lemma.exponential", {lemmas.t: _turn**2 - HALF})),
    Step(f"{_R}/square", _turn**2 + HALF, sqrt(2) * _turn, ">=", check=Sign((_turn - 1 / sqrt(2)) ** 2)),
    Step(f"{_R}/first power", _turn * exp(-(_turn**2)), 1 / sqrt(2 * E), "<=",
        check=Combination(
            ((f"{_R}/tangent 1", exp(-(_turn**2)) / sqrt(2)), (f"{_R}/square", exp(-(_turn**2)) / sqrt(2))))),
    Step(f"{_R}/tangent 2", exp(_turn**2 - 1), _turn**2, ">=", reason="exp(u) >= 1 + u",
        check=Instance("lemma.exponential", {lemmas.t: _turn**2 - 1})),
    Step(f"{_R}/second power", _turn**2 * exp(-(_turn**2)), exp(-1), "<=",
        check=Combination(((f"{_R}/tangent 2", exp(-(_turn**2))),))),
    Step(f"{_R}/Jordan", sin(theta / 2), theta / pi, ">=", reason="sin is concave on [0, pi/2]",
        check=Concave(theta, sympy.S.Zero, pi)),
    Step(f"{_R}/cosine", 1 - cos(theta), 2 * theta**2 / pi**2, ">=", reason="1 - cos = 2 sin^2(theta/2)",
        check=Combination(((f"{_R}/Jordan", 2 * (sin(theta / 2) + theta / pi)),))),
    Step(f"{_R}/exponential", exp(-2 * r**2 * (1 - cos(theta))), exp(-(_turn**2)), "<=",
        check=Monotone(f"{_R}/cosine", 2 * r**2)),
    Step(f"{_R}/b", _split * exp(2 * r**2 * cos(theta)), _sharp, "<=", reason="theta/pi = turn/(2 r)",
        check=Combination(
            ((f"{_R}/exponential", exp(2 * r**2) * _split),
                (f"{_R}/second power", exp(2 * r**2) * (1 - 1 / n) / (4 * r**2)),
                (f"{_R}/first power", exp(2 * r**2) / (2 * n * r))))),
    Step(f"{_R}/(52)", _a, _split * exp(2 * r**2 * cos(theta)) * _factor, "<=", reason="cos^2(theta/2) <= 1",
        check=_NARROWER),
    Step(f"{_R}/a", _a, _sharp * _factor, "<=",
        check=Combination(((f"{_R}/(52)", sympy.S.One), (f"{_R}/b", _factor)))),
    Step(f"{_R}/(51)", _a + _a.subs(theta, pi - theta), 2 * (_sharp * _factor), "<=",
        check=Reflected(f"{_R}/a", theta, pi)),
    Step(f"{_R}/error", _mirror_sum(_p_scaled), exp(2 * r**2) / m * _sharp * _factor, "<=",
        check=Combination(((f"{_R}/(51)", exp(2 * r**2) / (2 * m)),))),
    Step(f"{_R}/half angle", cos(theta), 2 * COSINE2 - 1, check=Rewrite()),
    Step(f"{_R}/(48)-(50)", _p_scaled, _p_part, reason="as in the source",
        check=Given((f"{_R}/half angle",), Rewrite())),
    Step(f"{_R}/(49)", _mirror_sum(_p_scaled), _mirror_sum(_p_part), check=Reflected(f"{_R}/(48)-(50)", theta, pi)),
    Step(f"{_R}/(49) square", _mirror_sum(_p_part), _square, check=Rewrite()),
    Step(f"{_R}/sharper bound", exp(2 * r**2) / m * _sharp * _factor, _sharp_square, check=Rewrite()),
    Step(f"{_R}/comparison", _sharp_square, _corrected_square, "<=",
        reason="1/(4e) < 1/(2 pi) and 1/(2 sqrt(2e)) < 1/(2 sqrt(pi))",
        check=Sign(
            W**2 / m
                * ((1 - 1 / n) / r**2 * (1 / (2 * pi) - 1 / (4 * E)) + (
                    1 / (2 * sqrt(pi)) - 1 / (2 * sqrt(2 * E))) / (n * r)))),
    Step(f"{_R}/corrected (27)", _corrected_square, angular.angular_error_bound.expression**2,
        check=Rewrite()),
    Step(f"{_R}/statement", _square, angular.angular_error_bound.expression**2, "<=", check=Chain()))  # fmt: skip

_add(_T, "Largest relative error of the angular hybrid",
    "the printed (27) loses a factor r in one term: (64) is b^2_r <= exp(2 r^2)/(2 n sqrt(pi) r)",
    (_RADIUS, ANGLE, FEATURES, COEFFICIENT_FEATURES, _quarter, _unit), _BOUND_POINTS,
    Step(f"{_T}/half angle", cos(theta), 2 * COSINE2 - 1, check=Rewrite()),
    Step(f"{_T}/(48)-(50)", _p_scaled, _p_part, printed=True,
        reason="the P-part of (47) over SM^2; the T-part is its mirror image at pi - theta",
        check=Given((f"{_T}/half angle",), Rewrite())),
    Step(f"{_T}/(49)", _mirror_sum(_p_scaled), _mirror_sum(_p_part), printed=True,
        reason="(48)-(50) at theta and at pi - theta", check=Reflected(f"{_T}/(48)-(50)", theta, pi)),
    Step(f"{_T}/(49) square", _mirror_sum(_p_part), _square, printed=True,
        reason="E (1-L)^2 at theta is E L^2 at pi - theta", check=Rewrite()),
    Step(f"{_T}/(52)", _a, _weight * exp(2 * r**2 * cos(theta)) * _factor, "<=", printed=True,
        reason="cos^2(theta/2) <= 1", check=_NARROWER),
    Step(f"{_T}/(53)-(55)", _weight * exp(2 * r**2 * cos(theta)), _b1 + _b2, printed=True, reason="split",
        check=Rewrite()),
    Step(f"{_T}/(57)", sympy.diff(_b1, theta),
        exp(2 * r**2 * cos(theta)) * (1 - 1 / n) * 2 * theta / pi**2 * (1 - r**2 * theta * sin(theta)), printed=True,
        check=Rewrite()),
    Step(f"{_T}/(58)", sympy.diff(_b2, theta),
        exp(2 * r**2 * cos(theta)) / (n * pi) * (1 - 2 * r**2 * theta * sin(theta)), printed=True, check=Rewrite()),
    Step(f"{_T}/(58) text: rising", sympy.diff(t * sin(t), t), sympy.S.Zero, ">=", printed=True,
        reason="theta sin(theta) increases on [0, pi/2]", check=Sign()),
    Step(f"{_T}/(58) text: concave", sympy.diff(theta * sin(theta), theta, 2).subs(theta, pi / 2 + t), sympy.S.Zero,
        "<=", printed=True,
        reason="and is concave on [pi/2, pi]: 1 - c theta sin(theta) changes sign twice if it is negative at pi/2",
        check=Sign(2 * sin(t) + (pi / 2 + t) * cos(t))),
    Step(f"{_T}/(58) text: middle", r**2 * pi / 2, sympy.S.One, ">=", printed=True, conditions=_long,
        reason="so theta* <= pi/2 for r >= 1", check=Sign(pi / 2 * (r**2 - 1) + pi / 2 - 1)),
    Step(f"{_T}/(60) Jordan", sin(t), 2 * t / pi, ">=", printed=True, reason="sin is concave on [0, pi/2]",
        check=Concave(t, sympy.S.Zero, pi / 2)),
    Step(f"{_T}/(60), (61)", at(theta**2 * 2 / pi, {theta: sqrt(pi / 2) / r}), 1 / r**2, printed=True,
        reason="theta* <= sqrt(pi/2)/r from (59) and Jordan", check=Rewrite()),
    Step(f"{_T}/(62)", _b1.subs(theta, share * sqrt(pi / 2) / r), _bound1, "<=", printed=True,
        reason="theta* = share sqrt(pi/2)/r with share <= 1, cos <= 1",
        check=Sign(
            (1 - 1 / n) * exp(2 * r**2) / (2 * pi * r**2)
                * (1 - share**2 * exp(-2 * r**2 * (1 - cos(share * sqrt(pi / 2) / r)))))),
    Step(f"{_T}/(62) exponential", exp(4 * r**2), 1 + 4 * r**2 + 8 * r**4, ">=", reason="partial sum of the series",
        check=Instance("lemma.exponential2", {lemmas.arc: 4 * r**2})),
    Step(f"{_T}/(62) end", 1 + 4 * r**2 + 8 * r**4, 2 * pi * r**2, ">=", conditions=_long,
        reason="so the bound of b^1 is at least its value at pi",
        check=Sign(8 * r**2 * (r**2 - 1) + (12 - 2 * pi) * r**2 + 1)),
    Step(f"{_T}/(64) reading (a)", _b2, angular.PRINTED_B2_BOUND, "<=", printed=True,
        reason="r^2 in the denominator: false from about r = 2.1 on"),
    Step(f"{_T}/(64) left side b^1", _b1, _bound2, "<=", printed=True,
        reason="literal left side b^1_r: false for large n"),
    Step(f"{_T}/(64) location", at(theta**2 * 2 / pi, {theta: sqrt(pi) / (2 * r)}), 1 / (2 * r**2),
        reason="2 r^2 theta sin(theta) = 1 and Jordan: theta* <= sqrt(pi)/(2r)", check=Rewrite()),
    Step(f"{_T}/(64) corrected", _b2.subs(theta, share * sqrt(pi) / (2 * r)), _bound2, "<=",
        replaces=f"{_T}/(64) reading (a)", reason="reading (b), for b^2_r: theta* is of order 1/r and enters once",
        check=Sign(
            exp(2 * r**2) / (2 * n * sqrt(pi) * r)
                * (1 - share * exp(-2 * r**2 * (1 - cos(share * sqrt(pi) / (2 * r))))))),
    Step(f"{_T}/(63)", _b1.subs(theta, share * sqrt(pi / 2) / r), _bound1, "<=", printed=True,
        replaces=f"{_T}/(64) left side b^1", reason="b^1_r has the bound (63)",
        check=Sign(
            (1 - 1 / n) * exp(2 * r**2) / (2 * pi * r**2)
                * (1 - share**2 * exp(-2 * r**2 * (1 - cos(share * sqrt(pi / 2) / r)))))),
    Step(f"{_T}/(65)", angular.angular_relative_error.expression, angular.PRINTED_BOUND, "<=", printed=True,
        reason="(27) as printed: false at r = 5, n = 1"),
    Step(f"{_T}/(65) corrected", exp(2 * r**2) / m * _factor * (_bound1 + _bound2),
        angular.angular_error_bound.expression**2, replaces=f"{_T}/(65)",
        reason="square of the bound from (51), (52), (56), (63), (64): r/(n sqrt(pi)) in place of 1/(n sqrt(pi))",
        check=Rewrite()),
    Step(f"{_T}/(27) corrected", _square, angular.angular_error_bound.expression**2, "<=",
        reason="for every r > 0, m, n and theta, by another proof", check=ByStatement(_R)))  # fmt: skip

_ROOT = "hybrid.thm3.5.root"
_root_square = W**2 / (2 * m * r) * (1 / pi - 1 / (n * pi) + 1 / (n * sqrt(pi)))

_add(_ROOT, "Largest relative error of the angular hybrid, r >= 1",
    "(27) with the root of r in the place of r, and so (65) with sqrt(2 m r): what (63) and reading (b) of (64) give",
    (Variable(r, "common length", low=1), ANGLE, FEATURES, COEFFICIENT_FEATURES),
    ({"r": 1, "theta": 1, "m": 1, "n": 1}, {"r": 5, "theta": "1/7", "m": 1, "n": 1}, {"r": 2, "theta": 2, "m": 3, "n": 50}),
    Step(f"{_ROOT}/corrected (27)", _square, angular.angular_error_bound.expression**2, "<=",
        reason="for every r > 0", check=ByStatement(_R)),
    Step(f"{_ROOT}/longer inputs", angular.angular_error_bound.expression**2, _root_square, "<=", reason="1/r^2 <= 1/r",
        check=Sign(W**2 * (1 - 1 / n) * (r - 1) / (2 * pi * m * r**2))),
    Step(f"{_ROOT}/statement", _square, _root_square, "<=", check=Chain()),
    source="Choromanski et al. 2022, Theorem 3.5, if its text has lost a root")  # fmt: skip

_H = "hybrid.txt.strict"
_slope = t / pi
_u = sin(t)
_quad = (HALF + 2 * _slope**2) * (1 + _u**2) - 4 * _u * _slope
_lin = 1 + _u**2 - 4 * _u * _slope
_both = (1 - 1 / n) * _quad / 4 + _lin / (4 * n)

_add(_H, "Angular hybrid against its base estimators at the same m",
    "its largest relative error on a sphere is at most sqrt((n+1)/(8n)) <= 1/2 of theirs",
    (_RADIUS, COEFFICIENT_FEATURES, _quarter, _unit),
    ({"r": 1, "n": 1, "t": 0, "share": 0}, {"r": 2, "n": 3, "t": "1/3", "share": 1},
        {"r": "1/2", "n": 64, "t": "3/2", "share": "1/2"}),
    Step(f"{_H}/convex", sinh(2 * r**2 * share), share * sinh(2 * r**2), "<=",
        reason="sinh is convex on [0, oo) and vanishes at 0; share = cos^2 or sin^2 of theta/2",
        check=Instance("lemma.chord", {lemmas.arc: 2 * r**2, lemmas.chord_share: share})),
    Step(f"{_H}/weights",
        (1 - 1 / n) * ((HALF - _slope) ** 2 * ((1 + _u) / 2) ** 2 + (HALF + _slope) ** 2 * ((1 - _u) / 2) ** 2)
            + ((HALF - _slope) * ((1 + _u) / 2) ** 2 + (HALF + _slope) * ((1 - _u) / 2) ** 2) / n,
        _both, reason="theta = pi/2 - t: p = 1/2 - t/pi, cos^2(theta/2) = (1 + sin t)/2", check=Rewrite()),
    Step(f"{_H}/Jordan", _u, 2 * _slope, ">=", check=Concave(t, sympy.S.Zero, pi / 2)),
    Step(f"{_H}/sine", t, _u, ">=", reason="sin t <= t", check=Instance("lemma.sine", {lemmas.arc: t})),
    Step(f"{_H}/rest", _u * _slope * (3 - pi / 2 - 2 * _slope * _u), sympy.S.Zero, ">=", check=Sign()),
    Step(f"{_H}/quadratic", _quad, HALF, "<=",
        check=Combination(((f"{_H}/Jordan", _slope), (f"{_H}/sine", _u / 2), (f"{_H}/rest", sympy.S.One)))),
    Step(f"{_H}/surplus", (4 / pi - 1) * t, sympy.S.Zero, ">=", check=Sign()),
    Step(f"{_H}/linear", _lin, sympy.S.One, "<=", check=Combination(((f"{_H}/sine", _u), (f"{_H}/surplus", _u)))),
    Step(f"{_H}/statement", _both, (n + 1) / (8 * n), "<=", reason="the other half of [0, pi] is its mirror image",
        check=Combination(((f"{_H}/quadratic", (1 - 1 / n) / 4), (f"{_H}/linear", 1 / (4 * n))))))  # fmt: skip

_add("hybrid.thm3.5.limits", "Behaviour at the two critical angles",
    "the squared error over theta tends to W^2/(2 pi m n)", (_RADIUS, ANGLE, FEATURES, COEFFICIENT_FEATURES),
    _SPHERE_POINTS,
    Step("hybrid.thm3.5.limits/value", at(_square, {theta: sympy.S.Zero}), sympy.S.Zero,
        reason="the error vanishes at theta = 0", check=Rewrite()),
    Step("hybrid.thm3.5.limits/slope", at(sympy.Derivative(_square, theta), {theta: sympy.S.Zero}),
        angular.angular_limit.expression**2, printed=True, reason="so the quotient tends to the derivative at 0",
        check=Rewrite()),
    Step("hybrid.thm3.5.limits/mirror", at(_square, {theta: pi - theta}), _square,
        reason="the error is the same at pi - theta", check=Rewrite()))  # fmt: skip


# ---- Gaussian hybrid -----------------------------------------------------------------------------------------------

_COEFFICIENT = (Variable(rho, "1 - exp(-2 sigma^2 r^2)", above=0),
    Variable(kernel, "exp(-sigma^2 |x-y|^2/2)", above=0), COEFFICIENT_FEATURES)  # fmt: skip
_GAUSS_POINTS: Points = ({"rho": 1, "kernel": 1, "n": 1}, {"rho": "1/3", "kernel": "1/2", "n": 7},
    {"rho": "4/5", "kernel": "1/5", "n": 2})  # fmt: skip
_wave = (1 - kernel**2) ** 2 / 2
_mean_square = kernel**2 + _wave / n
_g1 = (1 - kernel) / rho
_g2 = (1 - kernel) ** 2 / rho**2 + (1 - kernel**2) ** 2 / (2 * rho**2 * n)
_h2 = ((1 - rho) - kernel) ** 2 / rho**2 + (1 - kernel**2) ** 2 / (2 * rho**2 * n)

_add("hybrid.thmF.1", "Moments of the normalised Gaussian coefficient",
    "(72) and (73) for any |x|, |y|, L = (1 - mean cos)/rho", (*_COEFFICIENT, DIFFERENCE_NORM),
    tuple({**point, "z": 1} for point in _GAUSS_POINTS),
    Step("hybrid.thmF.1/variance of a draw", (1 + exp(-2 * w**2)) / 2 - exp(-(w**2)), (1 - exp(-(w**2))) ** 2 / 2,
        reason="Var cos(sigma w.(x-y)), w = sigma |x-y|, kernel = exp(-w^2/2)",
        check=Rewrite()),
    Step("hybrid.thmF.1/(74)", ((rho - 1) ** 2 + 2 * (rho - 1) * kernel + _mean_square) / rho**2, _h2, printed=True,
        reason="square of rho - 1 + mean cos", check=Rewrite()),
    Step("hybrid.thmF.1/(75)", 1 - 2 * (1 - _g1) + _h2, _g2, printed=True, reason="E L^2 = 1 - 2 E(1-L) + E(1-L)^2",
        check=Rewrite()))  # fmt: skip

_add("hybrid.thmF.1.shared", "Shared projections, Gaussian hybrid",
    "the MSE is unchanged at |x| = |y| only; elsewhere it moves by a term of either sign",
    (*_COEFFICIENT, _S, _KAPPA, FEATURES),
    tuple({**point, "s": 1, "kappa": i, "m": 1} for i, point in enumerate(_GAUSS_POINTS)),
    Step("hybrid.thmF.1.shared/general", 2 * softmax**2 * (1 - _cos) * (_g1 - _g2) / m, sympy.S.Zero, printed=True,
        reason="reading (a): for all x, y"),
    Step("hybrid.thmF.1.shared/equal lengths",
        at(2 * softmax**2 * (1 - _cos) * (_g1 - _g2) / m, {kappa: sympy.S.Zero}), sympy.S.Zero, printed=True,
        reason="reading (b): |x| = |y|", check=Rewrite(), replaces="hybrid.thmF.1.shared/general"))  # fmt: skip

_add("hybrid.thmF.2", "Same-length version", "|x - y|^2 = 4 r^2 sin^2(theta/2) in Theorem F.1",
    (_RADIUS, ANGLE, Variable(sigma, "smoothness", above=0)),
    ({"r": 1, "theta": 1, "sigma": 1}, {"r": "1/3", "theta": 3, "sigma": 2}, {"r": 2, "theta": 0, "sigma": "1/2"}),
    Step("hybrid.thmF.2/(80)", 2 * r**2 - 2 * r**2 * cos(theta), 4 * r**2 * sin(theta / 2) ** 2, printed=True,
        reason="|x|^2 = |y|^2 = r^2, reading (a)", check=Rewrite()),
    Step("hybrid.thmF.2/(80) reading (b)", angular.PRINTED_GAUSS_LENGTH, 4 * r**2 * sin(theta / 2) ** 2, printed=True,
        reason="|x| = |y| = r^2 contradicts (80) unless r = 1"),
    Step("hybrid.thmF.2/(80) exponent", exp(-(sigma**2) / 2 * (2 * r**2 - 2 * r**2 * cos(theta))),
        exp(-2 * sigma**2 * r**2 * sin(theta / 2) ** 2), printed=True, reason="(76)",
        check=Given(("hybrid.thmF.2/(80)",), Rewrite()),
        replaces="hybrid.thmF.2/(80) reading (b)"),
    Step("hybrid.thmF.2/(67) ends",
        at(1 - exp(-2 * sigma**2 * r**2 * SINE2), {theta: pi}) / (1 - exp(-2 * sigma**2 * r**2)), sympy.S.One,
        printed=True, reason="lambda = 1 at theta = pi", check=Rewrite()))  # fmt: skip

_add("hybrid.eq70", "Feature form of the Gaussian coefficient", "the projections in (70) must be scaled by sigma",
    (Variable(sigma, "smoothness", above=0), DIFFERENCE_NORM), ({"sigma": 1, "z": 1}, {"sigma": 2, "z": "1/2"}),
    Step("hybrid.eq70/printed", exp(-(w**2) / 2), exp(-(sigma**2) * w**2 / 2), printed=True,
        reason="mean of the printed map: sin and cos of tau.z without sigma"),
    Step("hybrid.eq70/corrected", at(exp(-(w**2) / 2), {w: sigma * w}), exp(-(sigma**2) * w**2 / 2),
        reason="sin(sigma tau.z), cos(sigma tau.z)", check=Rewrite(), replaces="hybrid.eq70/printed"))  # fmt: skip


# ---- clustered data ------------------------------------------------------------------------------------

_ENTRIES = (Variable(alpha, "Re a_k"), Variable(beta, "Im a_k"), Variable(first, "r_{i,k}"),
    Variable(second, "r_{j,k}"))  # fmt: skip
_ENTRY_POINTS: Points = ({"alpha": 1, "beta": 1, "first": 2, "second": -3},
    {"alpha": "1/2", "beta": -2, "first": "-1/3", "second": 5})  # fmt: skip
_a_k = alpha + I * beta
_modulus = alpha**2 + beta**2
_positive_pair = (Variable(entry, "r_{j,k}/r_{i,k} in absolute value", above=0), Variable(first, "r_{i,k}"))

_add("hybrid.eq83", "Componentwise equations", "a_k r_i + r_j/a_k = 0 split into real and imaginary part", _ENTRIES,
    _ENTRY_POINTS,
    Step("hybrid.eq83/(84)", 1 / _a_k, (alpha - I * beta) / _modulus, printed=True, reason="conjugate",
        check=Rewrite()),
    Step("hybrid.eq83/(85)", _modulus * (_a_k * first + (alpha - I * beta) / _modulus * second),
        (_modulus * alpha * first + alpha * second) + I * (_modulus * beta * first - beta * second), printed=True,
        reason="real and imaginary part, times |a_k|^2", check=Rewrite()))  # fmt: skip

_add("hybrid.eq86", "Complex diagonal solution, equal signs", "a_k = i sqrt(r_j/r_i)", _positive_pair,
    ({"entry": 1, "first": 1}, {"entry": "4/9", "first": -3}),
    Step("hybrid.eq86/(86)", at(w * first + entry * first / w, {w: I * sqrt(entry)}), sympy.S.Zero, printed=True,
        reason="r_j = entry r_i", check=Rewrite()))  # fmt: skip

_add("hybrid.eq87", "Complex diagonal solution, opposite signs", "a_k = sqrt(-r_j/r_i)", _positive_pair,
    ({"entry": 1, "first": 1}, {"entry": "4/9", "first": -3}),
    Step("hybrid.eq87/(87) reading (b)", entry * first + (-entry) * first / sqrt(-entry) * sqrt(entry), sympy.S.Zero,
        printed=True,
        reason="alpha_k = sqrt(r_j/r_i) is not real for opposite signs, and imaginary a_k does not solve (83)"),
    Step("hybrid.eq87/(87) reading (a)", at(w * first - entry * first / w, {w: sqrt(entry)}), sympy.S.Zero,
        printed=True, reason="r_j = -entry r_i", check=Rewrite(),
        replaces="hybrid.eq87/(87) reading (b)"))  # fmt: skip

_add("hybrid.eq88", "Optimal real diagonal A",
    "(a r_i + r_j/a)^2 >= 2 (|r_i r_j| + r_i r_j), with equality at a^2 = |r_j/r_i|, both entries non-zero",
    (Variable(entry, "a_k", above=0), Variable(v, "|r_{i,k}|", above=0), Variable(w, "|r_{j,k}|", above=0)),
    ({"entry": 1, "v": 1, "z": 2}, {"entry": "1/3", "v": 2, "z": "1/7"}),
    Step("hybrid.eq88/equal signs", (entry * v + w / entry) ** 2, 4 * v * w, ">=",
        reason="arithmetic and geometric mean", check=Sign((entry * v - w / entry) ** 2)),
    Step("hybrid.eq88/opposite signs", (entry * v - w / entry) ** 2, sympy.S.Zero, ">=", check=Sign()),
    Step("hybrid.eq88/(88) equal signs", at((entry * v + w / entry) ** 2, {w: entry**2 * v}),
        at(4 * v * w, {w: entry**2 * v}), printed=True, reason="equality at a^2 = r_j/r_i", check=Rewrite()),
    Step("hybrid.eq88/(88) opposite signs", at((entry * v - w / entry) ** 2, {w: entry**2 * v}), sympy.S.Zero,
        printed=True, check=Rewrite()))  # fmt: skip

_add("hybrid.eq93", "Gaussian coefficient built with A",
    "the kernel factor is SM(x/tau, -y/tau), and the squares are plain", (*_SQUARES, _INNER),
    ({"loss": 1, "tau": 1, "inner": 1}, {"loss": -2, "tau": 3, "inner": "-1/2"}),
    Step("hybrid.eq93/reading (b)", exp(-(_query + _key + 2 * inner) / 2), exp(-_query / 2) * exp(-_key / 2) * exp(inner),
        printed=True, reason="SM(x/tau, +y/tau)"),
    Step("hybrid.eq93/reading (a)", exp(-(_query + _key + 2 * inner) / 2), exp(-_query / 2) * exp(-_key / 2) * exp(-inner),
        printed=True, reason="SM(x/tau, -y/tau); all divided by the squared bandwidth",
        check=Rewrite(), replaces="hybrid.eq93/reading (b)"),
    Step("hybrid.eq93/(94)-(96) mean", exp(-_query) * exp(-_key) * exp((_query + _key - 2 * inner) / 2),
        exp(-(_query + _key + 2 * inner) / 2), printed=True,
        reason="(95) and (96), the latter at -y: Lemma 2.4 at A x - A^-1 y",
        check=Rewrite()))  # fmt: skip

# ---- order in the length, after Theorem 3.5 -----------------------------------------------------------

_O = "hybrid.thm3.5.scaling"
_theta0 = 1 / (sqrt(2) * r)
_p0 = _weight.subs(theta, _theta0)
_cos0, _sin0 = cos(_theta0 / 2), sin(_theta0 / 2)
_rest0 = ((1 - P_ANGLE) * (1 - P_ANGLE + P_ANGLE / n)).subs(theta, _theta0)
_short, _full = sinh(2 * r**2 - Rational(1, 4)), sinh(2 * r**2)
_at0 = (2 / m) * (_p0 * sinh(2 * r**2 * _cos0**2) ** 2 + _rest0 * sinh(2 * r**2 * _sin0**2) ** 2)

_add(_O, "Order of the largest relative error in the length",
    "at theta = 1/(sqrt(2) r) the error is of order exp(2 r^2)/sqrt(r) or more: exp(2 r^2)/r is no bound at fixed n",
    (Variable(r, "common length", low=1), FEATURES, COEFFICIENT_FEATURES),
    ({"r": 1, "m": 1, "n": 1}, {"r": 2, "m": 3, "n": 8}, {"r": "7/2", "m": 2, "n": 3}),
    Step(f"{_O}/error", at(_square, {theta: _theta0}), _at0, reason="(47) over SM^2", check=Rewrite()),
    Step(f"{_O}/sine", _sin0**2, _theta0**2 / 4, "<=",
        check=Instance("lemma.sine_squared", {lemmas.arc: _theta0 / 2})),
    Step(f"{_O}/cosine", 2 * r**2 * _cos0**2, 2 * r**2 - Rational(1, 4), ">=", reason="cos^2 = 1 - sin^2",
        check=Combination(((f"{_O}/sine", 2 * r**2),))),
    Step(f"{_O}/sinh", sinh(2 * r**2 * _cos0**2) ** 2, _short**2, ">=",
        check=Increasing(sinh(_more) ** 2, _more, 2 * r**2 - Rational(1, 4), 2 * r**2 * _cos0**2,
            FromInequality(f"{_O}/cosine"), Range(sympy.S.Zero))),
    Step(f"{_O}/weight", _p0, 1 / (sqrt(2) * pi * n * r), ">=", check=Sign((1 - 1 / n) / (2 * pi**2 * r**2))),
    Step(f"{_O}/T", _rest0 * sinh(2 * r**2 * _sin0**2) ** 2, sympy.S.Zero, ">=", reason="E (1-L)^2 >= 0",
        check=Sign()),
    Step(f"{_O}/value", _at0, sqrt(2) / (m * n * pi * r) * _short**2, ">=",
        check=Combination(
            ((f"{_O}/weight", 2 / m * sinh(2 * r**2 * _cos0**2) ** 2), (f"{_O}/sinh", 2 / m / (sqrt(2) * pi * n * r)),
                (f"{_O}/T", 2 / m)))),
    Step(f"{_O}/ratio", sqrt(2) * _short, _full, ">=", reason="a = 2 r^2 >= 2",
        check=Sign(
            exp(-2 * r**2) / 2
                * ((sqrt(2) * exp(-Rational(1, 4)) - 1) * exp(4 * r**2) - (sqrt(2) * exp(Rational(1, 4)) - 1)))),
    Step(f"{_O}/square", (sqrt(2) * _short - _full) ** 2, sympy.S.Zero, ">=", check=Sign()),
    Step(f"{_O}/ratio of squares", 2 * _short**2, _full**2, ">=",
        check=Combination(((f"{_O}/square", sympy.S.One), (f"{_O}/ratio", 2 * _full)))),
    Step(f"{_O}/bound", _at0, sqrt(2) * W**2 / (8 * pi * m * n * r), ">=", reason="W = 2 sinh(2 r^2)",
        check=Combination(((f"{_O}/value", sympy.S.One), (f"{_O}/ratio of squares", sqrt(2) / (2 * m * n * pi * r))))),
    Step(f"{_O}/statement", _square.subs(theta, _theta0), sqrt(2) * W**2 / (8 * pi * m * n * r), ">=", check=Chain()),
    source="ours; Choromanski et al. 2022 print the order exp(2 r^2)/r before Theorem 3.5")  # fmt: skip
