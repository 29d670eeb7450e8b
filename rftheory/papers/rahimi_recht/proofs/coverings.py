"""More of the walk-through of Rahimi and Recht: vocabulary, proof steps, and results that the sources lack.

The analytic steps behind the certificates of :mod:`rftheory.exact.uniform` are here; D of the text is m.
"""

from __future__ import annotations

import sympy
from flint import arb, ctx
from sympy import Integral, Rational, Sum, exp, factorial, log, oo, pi, sin, sqrt

from rftheory.exact import bounds, fourier
from rftheory.exact.bounds import ERROR, eps
from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas, textbook
from rftheory.exact.proof.rules import (Antiderivative, FromInequality, Given, Holds, Inside,
    Instance, Reversed, Rewrite, Sign, Symmetry, Termwise, Use)  # fmt: skip
from rftheory.exact.proof.steps import Scope, Step, at
from rftheory.exact.ranges import Range
from rftheory.exact.symbols import DIMENSION, FEATURES, d, k, m
from rftheory.exact.vanishing import vanishes
from rftheory.papers.rahimi_recht.proofs.walk_through import claim, constant, same_logarithm

HALF = Rational(1, 2)
OURS = "ours"


def nonnegative(name: str, what: str) -> tuple[sympy.Symbol, Variable]:
    """A symbol >= 0 and its variable."""
    symbol = sympy.Symbol(name, nonnegative=True)
    return symbol, Variable(symbol, what, low=0)


def positive(name: str, what: str) -> tuple[sympy.Symbol, Variable]:
    """A symbol > 0 and its variable."""
    symbol = sympy.Symbol(name, positive=True)
    return symbol, Variable(symbol, what, above=0)


_u, _U = nonnegative("u", "a margin")
_v, _V = nonnegative("v", "a margin")
_t, _T = positive("t", "deviation of the mean")
_s, _S = positive("S", "sum of (b_i - a_i)^2")
_n, _N = positive("N", "number of summands")
_r, _R = positive("r", "radius")
_b, _B = positive("beta", "threshold")
_ell, _ELL = positive("ell", "diameter")
_p = sympy.Symbol("p", nonnegative=True)
_P = Variable(_p, "probability", low=0, high=1)


def ratio_is(ratio: sympy.Expr, why: str) -> Holds:
    """right/left is this ratio, of factors that are at least 1 over the domain, and the left side is nonnegative."""

    def at_least_one(factor: sympy.Expr, scope: Scope) -> bool:
        if isinstance(factor, sympy.rf):
            return at_least_one(factor.args[0], scope) and scope.range(factor.args[1]).nonnegative
        found, inverse = scope.range(factor), scope.range(1 / factor)
        return found.within(Range(sympy.S.One)) or inverse.within(Range(sympy.S.Zero, sympy.S.One))

    def check(step: Step, scope: Scope) -> str:
        signs = scope.range(step.left).nonnegative and all(
            at_least_one(e, scope) for e in sympy.Mul.make_args(ratio)
        )
        return why if step.relation == "<=" and signs and vanishes(step.right / step.left - ratio) else ""

    return Holds(check)


# ---- the transform -----------------------------------------------------------------------------------

claim("rff.realeven", "the sine part of the transform vanishes", (lemmas.ARGUMENT,), lemmas.ARGUMENTS,
    Step("rff.realeven/odd",
        Integral(sin(lemmas.t * lemmas.x) * exp(-(lemmas.x**2) / 2) / sqrt(2 * pi), (lemmas.x, -oo, oo)),
        sympy.S.Zero, check=Symmetry(), printed=True,
        reason="odd in the frequency, and the density is even"))  # fmt: skip

# ---- inequalities ------------------------------------------------------------------------------------

claim("rff.eq13", "Hoeffding's inequality for the deviation of the sum from its own mean", (_N, _T, _S, _P),
    ({"N": 3, "t": "1/3", "S": 12, "p": "1/2"}, {"N": 1, "t": 2, "S": "1/7", "p": "1/5"}),
    Step("rff.eq13/variance", _p * (1 - _p), sympy.Rational(1, 4), "<=", check=Sign((2 * _p - 1) ** 2 / 4),
        reason=("a variable in [a, b] has variance at most (b - a)^2/4 under every tilt, so that "
        "log E exp(s X) <= s E X + s^2 (b - a)^2/8")),
    Step("rff.eq13/Chernoff", at(-_r * _n * _t + _r**2 * _s / 8, {_r: 4 * _n * _t / _s}), -2 * _n**2 * _t**2 / _s,
        check=Rewrite(), printed=True,
        reason="s = 4 N t/S is the best one; both tails give the factor 2"))  # fmt: skip

claim("rff.markov", "Markov's inequality, from eps 1(X > eps) <= X", (_U, ERROR),
    ({"u": 0, "eps": 1}, {"u": 2, "eps": "1/3"}),
    Step("rff.markov/below", eps * 0, _u, "<=", check=Sign(_u), reason="X = u <= eps: the indicator is 0"),
    Step("rff.markov/above", eps * 1, eps + _u, "<=", check=Sign(_u), printed=True,
        reason="X = eps + u: the indicator is 1"))  # fmt: skip

_a1 = sympy.Symbol("A", nonnegative=True)
_b1 = sympy.Symbol("B", nonnegative=True)
_gap, _GAP = nonnegative("g", "sum of the first indicators less that of their union")
claim("rff.union", "indicators of unions",
    (Variable(_a1, "indicator", low=0, high=1), Variable(_b1, "indicator", low=0, high=1), _GAP),
    ({"A": 1, "B": 1, "g": 0}, {"A": 0, "B": 1, "g": 1}, {"A": 0, "B": 0, "g": 0}),
    Step("rff.union/l1", 1 - (1 - _a1) * (1 - _b1), _a1 + _b1 - _a1 * _b1, check=Rewrite(), printed=True,
        reason="indicator of the union; take expectations"),
    Step("rff.union/l2", _a1 + _b1 - _a1 * _b1, _a1 + _b1, "<=", check=Sign(_a1 * _b1), printed=True),
    Step("rff.union/l3", 1 - (1 - _a1) * (1 - _b1), (_a1 + _gap) + _b1, "<=", check=Sign(_gap + _a1 * _b1),
        printed=True,
        reason="induction: A is the union of the first sets and A + g the sum of their indicators, g >= 0"))  # fmt: skip

_h = sympy.Symbol("h", positive=True)
_slope = sympy.Symbol("G", positive=True)
_place = sympy.Symbol("z", real=True)
_less = sympy.Function("b", nonnegative=True)
_SEGMENT = {textbook.STEP: _h, textbook.STEEPEST: _slope}
_room = sympy.Symbol("e", nonnegative=True)
claim("rff.lip", "along a segment a function changes by at most the largest gradient times the length",
    (Variable(_h, "length", above=0), Variable(_slope, "largest gradient", above=0), Variable(_room, "slack", low=0)),
    ({"h": 1, "G": 2, "e": 1}, {"h": "1/3", "G": 5, "e": 0}),
    Step("rff.lip/segment", Integral(_h * (_slope - _less(_place)), (_place, 0, 1)), _slope * _h, "<=",
        check=Instance("lemma.segment", _SEGMENT),
        reason="f(x) - f(y) is the integral of f'(y + z (x - y)).(x - y), which is |x - y| times G less something"),
    Step("rff.lip/least", Integral(_h * (_slope - _room), (_place, 0, 1)), _h * (_slope - _room),
        check=Antiderivative(_h * (_slope - _room) * _place)),
    Step("rff.lip/steepest", Integral(_h * (_slope - _room + _less(_place)), (_place, 0, 1)), _h * (_slope - _room), ">=",
        check=Given(("rff.lip/least reversed",), Termwise(Sign(_h * _less(_place)))),
        reason="along the gradient, near a point where it is above G - e: the difference quotients come as close to G"))  # fmt: skip

_wx, _wy = (sympy.Function(name, real=True) for name in ("a", "b"))
_count, _index = sympy.symbols("D i", integer=True, positive=True)
_pair = [wave(_wx(_index)) * wave(_wy(_index)) for wave in (sympy.cos, sin)]
claim("rff.eq11", "the estimate is a product of features, a_i = w_i^T x, b_i = w_i^T y",
    (Variable(_count, "number of frequencies", integer=True, low=1),), ({"D": 1}, {"D": 3}),
    Step("rff.eq11/product", Sum(_pair[0] + _pair[1], (_index, 1, _count)) / _count,
        Sum(_pair[0] / _count + _pair[1] / _count, (_index, 1, _count)), check=Inside(), printed=True,
        reason="each feature has the factor 1/sqrt(D)"))  # fmt: skip

_phi, _psi = (sympy.Function(name, real=True) for name in ("phi", "psi"))
_signed = [Sum((_phi(_index) + sign * _psi(_index)) ** 2, (_index, 1, 2)) for sign in (1, -1)]
_squares = Sum(_phi(_index) ** 2, (_index, 1, 2)) + Sum(_psi(_index) ** 2, (_index, 1, 2))
_inner = Sum(_phi(_index) * _psi(_index), (_index, 1, 2))
claim("rff.bounds", "a kernel lies between the mean of its values on the diagonal and minus that", (), ({},),
    *(step for name, sign, signed in (("above", 1, _signed[1]), ("below", -1, _signed[0])) for step in (
        Step(f"rff.bounds/square {name}", _squares - 2 * sign * _inner, signed, check=Reversed(Inside())),
        Step(f"rff.bounds/sign {name}", signed, sympy.S.Zero, ">=", check=Termwise(Sign())))),
    Step("rff.bounds/above", _inner, _squares / 2, "<=", reason="1 if both vectors of features are unit",
        check=FromInequality("rff.bounds/sign above", HALF, ("rff.bounds/square above",))),
    Step("rff.bounds/below", _inner, -_squares / 2, ">=", reason="-1 if both are unit",
        check=FromInequality("rff.bounds/sign below", HALF, ("rff.bounds/square below",))))  # fmt: skip

_nu = sympy.Symbol("nu", positive=True)
_mixed = Integral(lemmas.u ** (_nu - 2) * exp(-lemmas.u), (lemmas.u, 0, oo))
claim("rff.sigma-p", "second moment of Student's law, the spectral law of the Matern kernel",
    (Variable(_nu, "smoothness, half the degrees of freedom", above=1),), ({"nu": 2}, {"nu": "9/2"}),
    Step("rff.sigma-p/scale", _nu / sympy.gamma(_nu) * _mixed, _nu / (_nu - 1),
        check=Use("definition.gamma", {lemmas.s: _nu - 1}),
        reason="a coordinate is normal times the root of nu/u, u gamma with shape nu: E nu/u"))  # fmt: skip

# ---- the proof ---------------------------------------------------------------------------------------

claim("rff.gamma-beta", "gamma <= beta/2 and L_f <= beta/(2 r) are enough for |f| <= beta, not necessary",
    (_B, _R, _U, _V), ({"beta": 1, "r": 1, "u": 0, "v": 0}, {"beta": 3, "r": "1/3", "u": 1, "v": "1/7"}),
    Step("rff.gamma-beta/l1", 1 + pi / 2, sympy.S.One, "<=", printed=True,
        reason=("w = 0 or pi with probability 1/2, D = 1, M = [0, 1], so |f| = sin(pi Delta/2)^2 <= 1 = beta; "
        "anchor 1, r = 1: gamma = 1 and L_f = pi/2")),
    Step("rff.gamma-beta/l2", (_b / 2 - _u) + (_b / (2 * _r) - _v) * _r, _b, "<=", check=Sign(_u + _v * _r),
        printed=True, replaces="rff.gamma-beta/l1",
        reason="gamma = beta/2 - u, L_f = beta/(2 r) - v; |f(Delta)| <= gamma + L_f r"))  # fmt: skip

_f = sympy.Symbol("f_i", nonnegative=True)
claim("rff.anchor", "a bound over the set is one at each anchor in the set",
    (Variable(_f, "|f| at the anchor", low=0), _U), ({"f_i": 1, "u": 0}, {"f_i": "1/3", "u": 2}),
    Step("rff.anchor/all", _f, _f + _u, "<=", check=Sign(_u), printed=True,
        reason="f_i + u is the supremum"))  # fmt: skip

claim("rff.c-sum.corrected", "c^(-d) + c^2 <= 2 for c = (d/2)^(1/d) and d >= 2",
    (Variable(_t, "2/d", above=0, high=1),), ({"t": 1}, {"t": "1/2"}, {"t": "1/50"}),
    Step("rff.c-sum/means", _t ** (-_t), _t * (1 / _t) + (1 - _t) * 1, "<=",
        check=Instance("lemma.bernoulli", {lemmas.a: 1 / _t, lemmas.w: _t}), reason="weights t and 1 - t, t = 2/d"),
    Step("rff.c-sum/sum", at(_t + _t * _r + (1 - _t), {_r: 1 / _t}), sympy.Integer(2), check=Rewrite(),
        reason="c^(-d) = t, c^2 = t^(-t)"))  # fmt: skip

# ---- the uniform bound with the constants of Sutherland and Schneider ----------------------------------

_lam, _LAM = positive("lambda", "Chernoff's variable")
_th = sympy.Symbol("theta", positive=True)
_ka, _KA = positive("kappa", "r sigma_p/eps")
_x, _X = positive("X", "sigma_p diam/eps")
_a = sympy.Symbol("a", positive=True)
_y = sympy.Symbol("y", positive=True)
_c = (exp(2 * _lam) - 1 - 2 * _lam) / 4


def least_constant(step: Step, _: Scope) -> str:
    """beta_1 = 12, beta_2 > 12; for d >= 3 beta_d > 8^(2 d/(d + 2)) >= 8^(6/5) > 12."""
    if (step.left, step.relation, step.right) != (12, "<=", bounds.ss_pair_constant.expression):
        return ""
    with ctx.workprec(80):
        second = 128 * (arb(1) / 32).sqrt()
        rest = arb(8) ** (arb(6) / 5)
    exact = sympy.simplify(step.right.subs(d, 1) - 12) == 0
    return "exact at d = 1, enclosures for d = 2 and d >= 3" if exact and second > 12 and rest > 12 else ""


claim("ss15.unif-pair",
    "parts of the proof of the uniform bound for sine-cosine pairs with the constants of the article",
    (DIMENSION, ERROR, _R, _ELL, _LAM, _KA, _X, Variable(_th, "share of the error at the anchors", above=0, high=1),
        Variable(_a, "eps/2", above=0, below=1), Variable(_y, "Y/2", above=0, high=1)),
    (
        {"d": 1, "eps": 1, "r": "1/3", "ell": 1, "lambda": 1, "kappa": "1/8", "X": 1, "theta": "1/2", "a": "1/2",
            "y": "1/2"},
        {"d": 9, "eps": 2, "r": 1, "ell": 3, "lambda": 3, "kappa": "1/40", "X": 5, "theta": "3/4", "a": "9/10",
            "y": 1}),
    Step("ss15.unif-pair/pairs", at(2 * _a + 1, {_a: ((1 + 2 * _ell / _r) ** d - 1) / 2}), (1 + 2 * _ell / _r) ** d,
        check=Rewrite(),
        reason="2 N terms of the anchors, N pairs +-Delta beside the free anchor 0, and one of the variation"),
    Step("ss15.unif-pair/moments", Sum((2 * _y * _lam) ** (k + 2) / factorial(k + 2), (k, 0, oo)),
        Sum(_y**2 * (2 * _lam) ** (k + 2) / factorial(k + 2), (k, 0, oo)), "<=",
        check=Termwise(ratio_is(_y ** (-k), "nonnegative terms with ratio y^-n >= 1, y <= 1")),
        reason="exp(lambda Y) <= 1 + lambda Y + Y^2 (exp(2 lambda) - 1 - 2 lambda)/4 for Y = 2 y in [0, 2]"),
    Step("ss15.unif-pair/variation", _lam * ((1 - _th) * eps - _ka * eps) - _lam * _ka * eps - (_ka * eps) ** 2 * _c,
        eps * (_lam * (1 - _th - 2 * _ka) - _ka**2 * eps * _c), check=Rewrite(),
        reason="Chernoff, E Y <= kappa eps and E Y^2 <= (kappa eps)^2, and kappa eps for the kernel"),
    Step("ss15.unif-pair/small", at(_t**2 / 2 / 2, {_t: 2 * _a * _x}), _x**2 * _a**2, check=Rewrite(),
        reason="E Z/2 for sigma_p ell = X eps = 2 a X"),
    Step("ss15.unif-pair/entropy", -(1 - _a) * log(1 - _a), (1 - _a) * (_a / (1 - _a)), "<=",
        check=Instance("lemma.entropy", {lemmas.below_one: _a}), reason="so kl(a, X^2 a^2) >= a log(1/(e X^2 a))"),
    Step("ss15.unif-pair/b", bounds.ss_pair_constant.expression,
        (8 * sqrt(1 + 2 / d) * (d + 2) ** (1 / d)) ** (2 * d / (d + 2)), check=Holds(same_logarithm),
        reason="both factors fall in d, and tend to 8"),
    Step("ss15.unif-pair/least", sympy.Integer(12), bounds.ss_pair_constant.expression, "<=",
        check=Holds(least_constant), reason="the least constant is that of d = 1",
        points=({"d": 1}, {"d": 2}, {"d": 64})),
    source=OURS)  # fmt: skip

claim("ss15.mean-square", "mean square over a measure of pairs", (FEATURES, fourier.KERNEL, fourier.KERNEL_TWICE),
    ({"m": 1, "k1": "1/2", "k2": "1/3"}, {"m": 9, "k1": 0, "k2": -1}),
    Step("ss15.mean-square/l2", (m * (1 + fourier.k2) / 2 + m * (m - 1) * fourier.k1**2) / m**2 - fourier.k1**2,
        fourier.pair_variance.expression, check=Rewrite(), printed=True,
        reason="E f = 0, so E f^2 = Var s at each pair; Tonelli, f^2 >= 0"),
    source="Sutherland and Schneider 2015")  # fmt: skip

# ---- the Lipschitz constant ------------------------------------------------------------------------------

_mu, _MU = nonnegative("mu", "E |w|")
_w2, _W2 = positive("V", "variance of |w|")
_nu, _NU = nonnegative("nu", "D/n")
_base, _BASE = positive("base", "base of the digits")
_turns, _TURNS = positive("K", "half of 1/eta")
_digits, _DIGITS = nonnegative("digits", "sum of base^i over the drawn i")

claim("rff.added.lipschitz",
    "4 is the best constant in E L_f^2 <= c sigma_p^2, for every d and D, and is not attained",
    (FEATURES, _MU, _W2, _NU, _BASE, _TURNS, _DIGITS),
    ({"m": 1, "mu": 1, "V": "1/3", "nu": 0, "base": 4, "K": 1, "digits": 4},
        {"m": 9, "mu": 3, "V": 2, "nu": "1/3", "base": 100, "K": 7, "digits": 0}),
    Step("rff.added.lipschitz/upper", _w2 / m + (2 * _mu) ** 2, 4 * (_mu**2 + _w2), "<",
        check=Sign(_w2 * (4 - 1 / m)),
        reason=("L_f <= mean |w_i| + E |w|; strict unless |w| is constant, and then L_f = 2 |w| would need all "
        "frequencies on one line, where s = k")),
    Step("rff.added.lipschitz/phases", (1 + 1 / (_base * 2 * _turns)) * (2 * pi * _turns * _digits + pi / 2),
        2 * pi * _turns * _digits + pi / 2 + pi * _digits / _base + pi / (4 * _turns * _base),
        check=Rewrite(),
        reason=("w_j = 1 + base^-j/(2 K), here j = 1: at Delta = 2 pi K t + pi/2, t the sum of base^i over the drawn i, "
        "sin(w_j Delta) is near -1 for drawn j and near 1 for the others")),
    Step("rff.added.lipschitz/slope", (1 - _nu) * (2 - _nu) - _nu * (1 + _nu), 2 - 4 * _nu, check=Rewrite(),
        reason="n equally likely frequencies in [1, 1 + nu], sines within nu of +-1, at most nu n of them drawn"),
    Step("rff.added.lipschitz/lower", ((2 - 4 * _nu) / (1 + _nu)) ** 2, 4 - 24 * _nu, ">=",
        check=Sign((60 * _nu**2 + 24 * _nu**3) / (1 + _nu) ** 2),
        reason="sigma_p <= 1 + nu: E L_f^2 >= (4 - 24 D/n) sigma_p^2"),
    source=OURS)  # fmt: skip

_f1, _F1 = positive("a", "first frequency")
_f2, _F2 = positive("b", "second frequency")
claim("rff.added.two-frequencies", "in one dimension, with D = 1 and two frequencies, E L_f^2 <= sigma_p^2 is right",
    (_P, _F1, _F2), ({"p": "1/2", "a": 1, "b": 1}, {"p": "1/5", "a": 3, "b": "1/2"}),
    Step("rff.added.two-frequencies/sum", _p * ((1 - _p) * (_f1 + _f2)) ** 2 + (1 - _p) * (_p * (_f1 + _f2)) ** 2,
        _p * _f1**2 + (1 - _p) * _f2**2, "<=", check=Sign((_p * _f1 - (1 - _p) * _f2) ** 2),
        reason="f = (1 - p)(cos a Delta - cos b Delta) with probability p, -p(...) else"),
    source=OURS)  # fmt: skip

claim("rff.added.gaussian-lipschitz", "E L_f^2 <= V/m + (E |w| + e^(-1/2))^2 for the Gaussian kernel",
    (FEATURES, _MU, _W2, _U), ({"m": 1, "mu": 1, "V": "1/3", "u": 1}, {"m": 9, "mu": 3, "V": 2, "u": "1/3"}),
    Step("rff.added.gaussian-lipschitz/tangent", exp(_u - 1), _u, ">=",
        check=Instance("lemma.exponential", {lemmas.t: _u - 1})),
    Step("rff.added.gaussian-lipschitz/kernel", _u * exp(-_u), exp(-1), "<=",
        check=FromInequality("rff.added.gaussian-lipschitz/tangent", exp(-_u)),
        reason="|grad k|^2 = u exp(-u) with u = |Delta|^2"),
    Step("rff.added.gaussian-lipschitz/square", (_w2 + m * (_mu + exp(-HALF)) ** 2) / m,
        _w2 / m + _mu**2 + 2 * exp(-HALF) * _mu + exp(-1), check=Rewrite(),
        reason="second moment of mean |w_i| + e^(-1/2)"),
    source=OURS)  # fmt: skip

# ---- sharp rates -------------------------------------------------------------------------------------

_q, _Q = positive("count", "log of the number of suprema")
_sigma, _SIGMA = positive("sigma", "sigma_p, root of E |w|^2")
_many = sympy.Symbol("T", integer=True, positive=True)
_BALLS = Variable(_many, "number of balls", integer=True, low=1)
_share = sympy.Symbol("rho", positive=True)
_SHARE = Variable(_share, "2 r sigma_p/(sqrt(m) eps)", above=0, below=1)
_spread, _SPREAD = positive("B", "4 sigma_p ell/(rho sqrt(m) eps), or more")
_within, _within_phases = (factor * _r * _sigma / sqrt(m) for factor in (2, 4 * sqrt(2)))
claim("rff.added.balls", "the supremum of f over a ball of radius r, whose mean is at most 2 r sigma_p/sqrt(m)",
    (FEATURES, DIMENSION, ERROR, _R, _ELL, _SIGMA, Variable(_h, "length", above=0), _BALLS, _V, _SHARE, _SPREAD, bounds.FAILURE),
    ({"m": 1, "d": 2, "eps": 1, "r": "1/3", "ell": 1, "sigma": 1, "h": 1, "T": 1, "v": 0, "rho": "1/2", "B": 1,
        "delta": "1/2"},
        {"m": 100, "d": 9, "eps": "1/5", "r": "1/10", "ell": 2, "sigma": 3, "h": "1/3", "T": 7, "v": "1/3",
            "rho": "9/10", "B": "1/3", "delta": "1/100"}),
    Step("rff.added.balls/cosine", Integral(_h * (1 - _less(_place)), (_place, 0, 1)), _h, "<=",
        check=Instance("lemma.segment", {textbook.STEP: _h, textbook.STEEPEST: sympy.S.One}),
        reason="a cosine changes by at most as much as its argument, at w.(Delta_i + v) by w.v: the contraction principle"),
    Step("rff.added.balls/mean", at(2 * _r * sqrt(_t) / m, {_t: m * _sigma**2}), _within, check=Rewrite(),
        reason=("f vanishes in the mean at the centre; signs e_j in place of the mean cost the factor 2, and the largest of "
        "the sum of e_j w_j.v over |v| <= r is r |sum of e_j w_j|, of second moment r^2 m sigma_p^2")),
    Step("rff.added.balls/tail", at(-2 * _t**2 / _s, {_t: eps - _within, _s: m * (2 / m) ** 2}),
        -m * (eps - _within) ** 2 / 2, check=Rewrite(),
        reason="McDiarmid: one frequency moves the supremum by at most 2/m"),
    Step("rff.added.balls/all", _many * (2 * exp(-m * (eps - _within) ** 2 / 2) - _v),
        2 * _many * exp(-m * (eps - _within) ** 2 / 2), "<=", check=Sign(_many * _v),
        reason="T balls, in each the supremum of f and that of -f"),
    Step("rff.added.balls/phases, mean", at(2 * (2 * _t * _sigma / sqrt(m)), {_t: sqrt(2) * _r}), _within_phases,
        check=Rewrite(),
        reason="cos(w.(x - y)) + cos(w.(x + y) + 2 b): within r of (x, y) both arguments change by at most sqrt(2) r |w|"),
    Step("rff.added.balls/phases, tail", at(-2 * _t**2 / _s, {_t: eps - _within_phases, _s: m * (4 / m) ** 2}),
        -m * (eps - _within_phases) ** 2 / 8, check=Rewrite(),
        reason="McDiarmid: one frequency and its phase move the supremum by at most 4/m"),
    Step("rff.added.balls/phases, share",
        at(2 * (1 + 2 * sqrt(2) * _ell / _r) ** (2 * d) * exp(-m * (eps - _within_phases) ** 2 / 8),
            {_r: _share * sqrt(m) * eps / (4 * sqrt(2) * _sigma)}),
        2 * (1 + 16 * _sigma * _ell / (_share * sqrt(m) * eps)) ** (2 * d) * exp(-m * (eps * (1 - _share)) ** 2 / 8),
        check=Rewrite(), reason="a net of M x M, which lies in a ball of radius sqrt(2) ell"),
    Step("rff.added.balls/twice", 1 + (1 + _spread) ** d, 2 * (1 + _spread) ** d, "<=", check=Sign((1 + _spread) ** d - 1)),
    Step("rff.added.balls/enough", at(2 * (1 + _spread) ** d * exp(-m * eps**2 * (1 - _share) ** 2 / 2),
            {m: 2 * (d * log(1 + _spread) + log(2 / bounds.delta)) / ((1 - _share) * eps) ** 2}),
        bounds.delta, check=Rewrite(),
        reason="sqrt(m) eps is at least sqrt(2 log(2/delta))/(1 - rho) there, with B = 4 sigma_p ell/(rho sqrt(m) eps)"),
    Step("rff.added.balls/net", at(2 * (_t + 1), {_t: ((1 + 2 * _ell / _r) ** d - 1) / 2}),
        1 + (1 + 2 * _ell / _r) ** d, check=Rewrite(),
        reason="the net of 2 N + 1 points that is symmetric about its centre 0: f is even, so N + 1 balls are enough"),
    Step("rff.added.balls/share", at((1 + (1 + 2 * _ell / _r) ** d) * exp(-m * (eps - _within) ** 2 / 2),
            {_r: _share * sqrt(m) * eps / (2 * _sigma)}),
        bounds.ball_bound.expression.subs(bounds.diam, _ell), check=Rewrite(),
        reason="r = rho sqrt(m) eps/(2 sigma_p)"),
    source=OURS)  # fmt: skip

claim("rff.added.mean", "E sup |f| <= (2 r sigma_p + sqrt(2 log(1 + (1 + 2 diam/r)^d)))/sqrt(m), any r > 0",
    (FEATURES, DIMENSION, _R, _ELL, _SIGMA, _Q),
    ({"m": 1, "d": 2, "r": 1, "ell": 1, "sigma": 1, "count": 1},
        {"m": 100, "d": 3, "r": "1/10", "ell": 2, "sigma": "1/3", "count": "7/2"}),
    Step("rff.added.mean/maximum", at(_q / _t + _t / (2 * m), {_t: sqrt(2 * m * _q)}), sqrt(2 * _q / m),
        check=Rewrite(),
        reason="E max of exp(count) variables with mgf exp(t^2/(2 m)): log n/t + t/(2 m) at the best t"),
    Step("rff.added.mean/balls", at(_within + sqrt(2 * _q / m), {_q: log(1 + (1 + 2 * _ell / _r) ** d)}),
        (2 * _r * _sigma + sqrt(2 * log(1 + (1 + 2 * _ell / _r) ** d))) / sqrt(m), check=Rewrite(),
        reason="the suprema of rff.added.balls: their means are at most 2 r sigma_p/sqrt(m), and McDiarmid's lemma gives the mgf"),
    source=OURS)  # fmt: skip

_ahead = sympy.Symbol("g", nonnegative=True)
_along, _centre = sympy.symbols("x c", real=True)
claim("rff.combine", "the printed bound for any covering, by suprema over the balls in place of (18)",
    (FEATURES, _B, _R, Variable(_ahead, "1/2 - 2 r sigma_p/(sqrt(m) beta)", low=0, high=HALF),
        Variable(_along, "coordinate of Delta"), Variable(_centre, "coordinate of the centre")),
    ({"m": 4, "beta": 1, "r": 1, "g": 0, "x": 1, "c": -2},
        {"m": 100, "beta": "1/5", "r": "1/3", "g": "1/3", "x": "-1/3", "c": "1/7"}),
    Step("rff.combine/suprema", -m * (_b * (1 - (HALF - _ahead))) ** 2 / 2, -m * _b**2 / 8, "<=",
        check=Sign(m * _b**2 * _ahead * (1 + _ahead) / 2),
        reason="2 r sigma_p <= sqrt(m) beta/2, as for m >= 4 wherever the last term is below 1: the first term alone is enough"),
    Step("rff.combine/two", sympy.S.One, 4 * exp(-sympy.S.One), "<", check=constant,
        reason="T >= 2 and m <= 2: the bound says nothing for beta <= 2, beyond which |f| does not go"),
    Step("rff.combine/three", sympy.S.One, 4 * exp(-Rational(3, 2)) + Rational(3, 4), "<", check=constant,
        reason="T >= 2, m = 3 and 2 r sigma_p > sqrt(3) beta/2: neither does it there"),
    Step("rff.combine/one ball", (_along - _centre) ** 2 + (-_along - _centre) ** 2, 2 * _along**2 + 2 * _centre**2,
        check=Rewrite(),
        reason=("T = 1: Delta and -Delta are both in the ball around c, so that, over all coordinates, 2 |Delta|^2 + 2 |c|^2 "
        "<= 2 r^2, and |Delta| <= r")),
    Step("rff.combine/from zero", at((4 * _t / _b) ** 2, {_t: _r / 2}), (2 * _r / _b) ** 2, check=Rewrite(),
        reason="f(0) = 0, so |f| > beta needs L_f > beta/r: (18) as corrected, with r/2"),
    source=OURS)  # fmt: skip

claim("rff.added.phase-tail",
    "1/3 is the best exponent for random phases over all kernels, 1/2 for the Gaussian kernel", (FEATURES, ERROR, _T),
    ({"m": 1, "eps": 1, "t": 1}, {"m": 7, "eps": "1/3", "t": 3}),
    Step("rff.added.phase-tail/variance",
        at(fourier.phase_variance.expression, {m: sympy.S.One, fourier.k1: sympy.S.Zero, fourier.k2: sympy.S.One}),
        Rational(3, 2), check=Rewrite(),
        reason="w = 0 or pi, Delta = 1: by the central limit theorem no exponent above 1/(2 * 3/2) is possible"),
    Step("rff.added.phase-tail/joint", at(_x**2, {_x: exp(_t**2 / 4)}), exp(_t**2 / 2), check=Rewrite(),
        reason="Gaussian kernel: both parts of a summand are sub-Gaussian with variance 1/2"),
    Step("rff.added.phase-tail/Chernoff", at(m * (_t**2 / 2 - _t * eps), {_t: eps}), -m * eps**2 / 2,
        check=Rewrite(), reason="t = eps"),
    source=OURS)  # fmt: skip

_j = sympy.Symbol("j", integer=True, nonnegative=True)
claim("rff.added.gaussian-tail", "the exponential moments of the Gaussian cosine for positive arguments",
    (lemmas.INDEX, Variable(_p, "kernel value", low=0, high=1), Variable(_j, "order", integer=True, low=0)),
    ({"k": 0, "p": "1/3"}, {"k": 3, "p": "1/2"}),
    Step("rff.added.gaussian-tail/powers", _p ** ((k + 1) ** 2), _p ** (k + 1), "<=",
        check=ratio_is(_p ** (-k * (k + 1)), "p^(-k (k + 1)) >= 1 for 0 <= p <= 1"),
        reason="moments sum 2 I_n(t) q^(n^2)"),
    Step("rff.added.gaussian-tail/coefficients", 2 ** (1 - (k + 1)) * factorial(k + 1), factorial(k + 1 + _j), "<=",
        check=ratio_is(2**k * sympy.rf(k + 2, _j), "2^k (k + 2)...(k + 1 + j) >= 1"),
        points=({"k": 0, "p": "1/3", "j": 0}, {"k": 3, "p": "1/3", "j": 2}),
        reason="coefficient of q^n t^(n+2j) in 2 I_n(t) q^n against that in exp(t q + t^2/4)"),
    source=OURS)  # fmt: skip

_rate = ((1 + _a) * log(1 + _a) + (1 - _a) * log(1 - _a)) / 2
_inner = sympy.Symbol("z", real=True)
_bent = _a**2 * (1 - _inner)

claim("rff.added.coins", "the exponent of tossed coins is eps^2/2 to leading order",
    (Variable(_a, "eps", above=0, below=1),), ({"a": "1/2"}, {"a": "1/100"}),
    Step("rff.added.coins/remainder", Integral(_bent / (1 - _a**2 * _inner**2), (_inner, 0, 1)), _rate,
        check=Antiderivative(_a * (1 - _inner) * (log(1 + _a * _inner) - log(1 - _a * _inner)) / 2
            + ((1 + _a * _inner) * log(1 + _a * _inner) + (1 - _a * _inner) * log(1 - _a * _inner)) / 2),
        reason="w = 0 or pi, Delta = 1: rate function of fair signs, with the second derivative 1/(1 - eps^2)"),
    Step("rff.added.coins/larger", Integral(_bent / (1 - _a**2), (_inner, 0, 1)), _a**2 / (2 * (1 - _a**2)),
        check=Antiderivative(-(_a**2) * (1 - _inner) ** 2 / (2 * (1 - _a**2)))),
    Step("rff.added.coins/compared", Integral(_bent / (1 - _a**2 * _inner**2), (_inner, 0, 1)),
        Integral(_bent / (1 - _a**2), (_inner, 0, 1)), "<=",
        check=Termwise(Sign(_a**4 * (1 - _inner) * (1 - _inner**2) / ((1 - _a**2) * (1 - _a**2 * _inner**2))))),
    Step("rff.added.coins/bound", _rate, _a**2 / (2 * (1 - _a**2)), "<=",
        check=FromInequality("rff.added.coins/compared", given=("rff.added.coins/remainder reversed", "rff.added.coins/larger reversed")),
        reason="at most (eps^2/2)/(1 - eps^2)"),
    source=OURS)  # fmt: skip
