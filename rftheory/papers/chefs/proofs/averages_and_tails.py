"""Further derivations around Chefs' Random Tables: baselines, notes, averages, tails, and results that the paper lacks.

Notation as in :mod:`rftheory.papers.chefs.proofs.exponential`: q = |x + y|^2, S = |x|^2 + |y|^2, z = |x - y|.
"""

from __future__ import annotations

import sympy
from sympy import Integral, Rational, S, Sum, cos, cosh, exp, factorial, gamma, log, oo, pi, sqrt, tanh

from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import (Chain, Combination, Given, Increasing, Inside, Instance, Ladder, Rewrite, Sign,
    Termwise, Use)  # fmt: skip
from rftheory.exact.proof.steps import Derivation, Step, at, register_derivation
from rftheory.exact.symbols import DIMENSION, d, k
from rftheory.papers.chefs.proofs.exponential import SOURCE

HALF = Rational(1, 2)

x = lemmas.x
z = sympy.Symbol("z", nonnegative=True)
q = sympy.Symbol("q", positive=True)
squares = sympy.Symbol("S", nonnegative=True)
dot = sympy.Symbol("dot", real=True)
K = sympy.Symbol("K", positive=True)
theta = sympy.Symbol("theta", positive=True)
rho = sympy.Symbol("rho", positive=True)
t = sympy.Symbol("t", real=True)
n = sympy.Symbol("n", integer=True, positive=True)


# ---- Section 2 --------------------------------------------------------------------------------------------

_wave = cos(z * x) * exp(-(x**2) / 2) / sqrt(2 * pi)
_mass = Integral(exp(-(x**2) / 2) / sqrt(2 * pi), (x, -oo, oo))
_double = Integral(cos(2 * z * x) * exp(-(x**2) / 2) / sqrt(2 * pi), (x, -oo, oo))

_level = sympy.Symbol("r", positive=True)
_between = Integral(_level * exp(-((_level * (1 + x)) ** 2) / 2) / sqrt(2 * pi), (x, 0, 2))

register_derivation(Derivation(id="chefs.2.2.trig", title="Mean and variance of trigonometric features",
    says="Re f1 f2 = cos(w.(x-y)) has mean K and variance (1 - K^2)^2/2", source=SOURCE,
    variables=(Variable(z, "|x - y|", low=0), Variable(_level, "pi/(2 |x - y|)", above=0)),
    points=({"z": 0, "r": 1}, {"z": "1/3", "r": 3}, {"z": 2, "r": "3/4"}),
    steps=(
        Step("chefs.2.2.trig/negative", _between, S.Zero, ">",
            reason="the mass of a normal number between r and 3 r, where the cosine is negative for w.(x - y) = |x - y| times it",
            check=Termwise(Sign(), {x: 1}, Sign())),
        Step("chefs.2.2.trig/mean", Integral(_wave, (x, -oo, oo)), exp(-(z**2) / 2),
            reason="w.(x - y) is normal with standard deviation z", check=Use("lemma.normal_cf", {lemmas.t: z}),
            printed=True),
        Step("chefs.2.2.trig/half angle", cos(z) ** 2, HALF + cos(2 * z) / 2,
            reason="cos^2 = (1 + cos of the double angle)/2", check=Rewrite()),
        Step("chefs.2.2.trig/mass", _mass, S.One, check=Use("lemma.normal_mgf", {lemmas.t: S.Zero})),
        Step("chefs.2.2.trig/double", _double, exp(-2 * z**2), check=Use("lemma.normal_cf", {lemmas.t: 2 * z})),
        Step("chefs.2.2.trig/variance", _mass / 2 + _double / 2 - exp(-(z**2) / 2) ** 2,
            (1 - exp(-(z**2) / 2) ** 2) ** 2 / 2, reason="E cos^2 - K^2 with E cos^2 = (1 + K^4)/2",
            check=Given(("chefs.2.2.trig/mass", "chefs.2.2.trig/double"), Rewrite()),
            printed=True))))  # fmt: skip

register_derivation(Derivation(id="chefs.2.2.pos-var", title="Mean and variance of positive features",
    says="Z = exp(w.(x+y) - S) has mean K and variance exp(4 x.y) - K^2", source=SOURCE,
    variables=(Variable(squares, "|x|^2 + |y|^2", low=0), Variable(dot, "x.y"), Variable(z, "|x + y|", low=0)),
    points=({"S": 2, "dot": "1/2", "z": 1}, {"S": 0, "dot": 0, "z": 0}, {"S": 3, "dot": -1, "z": 2}),
    steps=(
        Step("chefs.2.2.pos-var/mean", Integral(exp(-(x**2) / 2 + z * x) / sqrt(2 * pi), (x, -oo, oo)), exp(z**2 / 2),
            reason="E exp(w.(x + y)), z = |x + y|", check=Use("lemma.normal_mgf", {lemmas.t: z})),
        Step("chefs.2.2.pos-var/second moment", Integral(exp(-(x**2) / 2 + 2 * z * x) / sqrt(2 * pi), (x, -oo, oo)),
            exp(2 * z**2), reason="E exp(2 w.(x + y))", check=Use("lemma.normal_mgf", {lemmas.t: 2 * z})),
        Step("chefs.2.2.pos-var/kernel", exp(-squares) * exp((squares + 2 * dot) / 2), exp(-(squares - 2 * dot) / 2),
            reason="|x + y|^2 = S + 2 x.y and |x - y|^2 = S - 2 x.y", check=Rewrite(),
            printed=True),
        Step("chefs.2.2.pos-var/variance",
            exp(-2 * squares) * exp(2 * (squares + 2 * dot)) - exp(-(squares - 2 * dot) / 2) ** 2,
            exp(4 * dot) - exp(-(squares - 2 * dot) / 2) ** 2, reason="E Z^2 - K^2",
            check=Rewrite(), printed=True))))  # fmt: skip

register_derivation(Derivation(id="chefs.2.1.sfm", title="Softmax kernel from the Gaussian kernel",
    says="exp(x.y) = exp(|x|^2/2) K exp(|y|^2/2), so features transfer by deterministic factors", source=SOURCE,
    variables=(Variable(z, "|x|", low=0), Variable(squares, "|y|^2", low=0), Variable(dot, "x.y")),
    points=({"z": 1, "S": 2, "dot": "1/2"}, {"z": 0, "S": 0, "dot": 0}, {"z": 3, "S": 1, "dot": -2}),
    steps=(Step("chefs.2.1.sfm/statement", exp(z**2 / 2) * exp(-(z**2 + squares - 2 * dot) / 2) * exp(squares / 2),
        exp(dot), reason="|x - y|^2 = |x|^2 + |y|^2 - 2 x.y", check=Rewrite(),
        printed=True),)))  # fmt: skip

_term = theta**n * K**n * exp(n * (n - 1) * q / 2) / factorial(n)
_ratio = theta * K * exp(n * q) / (n + 1)

register_derivation(Derivation(id="chefs.intro.favor+", title="Positive features have no exponential moment",
    says="E exp(theta Z) >= theta^n E Z^n/n! for every n, and these terms are unbounded for theta > 0, x != -y",
    source=SOURCE,
    variables=(Variable(theta, "argument of the generating function", above=0), Variable(K, "kernel value", above=0),
        Variable(q, "|x + y|^2", above=0), Variable(n, "order", integer=True, low=1)),
    points=({"theta": "1/10", "K": "1/2", "q": "1/4", "n": 1}, {"theta": 1, "K": 1, "q": 1, "n": 3},
        {"theta": 2, "K": "1/7", "q": 3, "n": 2}),
    steps=(
        Step("chefs.intro.favor+/ratio", _term.subs(n, n + 1), _term * _ratio,
            reason="E (Z/K)^n = exp(n(n-1)q/2): ratio of consecutive terms",
            check=Rewrite()),
        Step("chefs.intro.favor+/expansion", exp(n * q), 1 + n * q + (n * q) ** 2 / 2, ">=",
            check=Instance("lemma.exponential2", {lemmas.arc: n * q})),
        Step("chefs.intro.favor+/rest", 1 + n * q, S.Zero, ">=", check=Sign()),
        Step("chefs.intro.favor+/exponential", n**2 * q**2 / 2, exp(n * q), "<=",
            reason="a term of the exponential series, all of whose terms are positive",
            check=Combination((("chefs.intro.favor+/expansion", S.One), ("chefs.intro.favor+/rest", S.One)))),
        Step("chefs.intro.favor+/growth", n / 4, n**2 / (2 * (n + 1)), "<=",
            reason="so the ratio is at least theta K q^2 n/4, which is 2 or more from n = 8/(theta K q^2) on",
            check=Sign(n * (n - 1) / (4 * (n + 1)))))))  # fmt: skip


# ---- notes after Theorem 3.3 -------------------------------------------------------------------------------

_objective = d * log(cosh(t / 2)) + q * exp(t)
_decay, _share = sympy.symbols("u r", positive=True)

register_derivation(Derivation(id="chefs.3.3.gain", title="The gain of OPRF grows with |x + y|",
    says="with g(q) the least log second moment over K^2, (e^q - 1)/(e^g - 1) increases in q", source=SOURCE,
    variables=(DIMENSION, Variable(q, "|x + y|^2", above=0), Variable(rho, "rho*", above=0, below=1),
        Variable(t, "log rho"), Variable(_share, "rho*", above=0, below=1), Variable(_decay, "q", above=0)),
    points=({"d": 1, "q": 1, "rho": "1/3", "t": -1, "r": "1/3", "u": 2},
        {"d": 64, "q": 100, "rho": "1/2", "t": "-1/2", "r": "3/4", "u": "1/5"}),
    steps=(
        Step("chefs.3.3.gain/slope", sympy.Derivative(_objective, q), exp(t),
            reason="at the stationary point g'(q) is the partial derivative in q: g' = rho*",
            check=Rewrite()),
        Step("chefs.3.3.gain/base", (1 + rho) ** 2 - 4 * rho, (1 - rho) ** 2,
            reason="so (1+rho)/(2 rho^(1/2)) >= 1 and g = d log of it + q rho >= q rho", check=Rewrite()),
        Step("chefs.3.3.gain/concave", sympy.diff(1 - exp(-_share * _decay) - _share * (1 - exp(-_decay)), _decay),
            _share * (exp(-_share * _decay) - exp(-_decay)),
            reason="1 - e^(-rho q) - rho (1 - e^-q) is 0 at q = 0 and has this derivative",
            check=Rewrite()),
        Step("chefs.3.3.gain/exponents", _share * _decay, _decay, "<",
            reason="so the derivative is positive, and rho (1 - e^-q) < 1 - e^(-rho q) <= 1 - e^-g: "
            "the logarithmic derivative 1/(1 - e^-q) - rho/(1 - e^-g) of the gain is positive",
            check=Sign(_decay * (1 - _share))))))  # fmt: skip

_q1, _q2, _weight = sympy.symbols("q_1 q_2 p_1", nonnegative=True)
_rate, _T1, _T2 = sympy.symbols("lam T_1 T_2", positive=True)


def _log_second(square: sympy.Expr) -> sympy.Expr:
    return d * log(cosh(t / 2)) + square * exp(t)


register_derivation(Derivation(id="chefs.3.1.averages", title="What averages in place of pairs minimise",
    says="log E Z^2 is affine in |x+y|^2 (OPRF) and in sum x_l^2 y_l^2 (PoisRF), so averages minimise its mean",
    source=SOURCE,
    variables=(DIMENSION, Variable(t, "log rho"), Variable(_rate, "rate", above=0),
        Variable(_q1, "|x+y|^2 of one pair", low=0), Variable(_q2, "|x+y|^2 of another", low=0),
        Variable(_T1, "sum x_l^2 y_l^2 of one pair", above=0), Variable(_T2, "sum x_l^2 y_l^2 of another", above=0),
        Variable(_weight, "share of the first pair", low=0, high=1)),
    points=({"d": 2, "t": -1, "lam": 1, "q_1": 1, "q_2": 3, "T_1": 2, "T_2": "1/3", "p_1": "1/4"},
        {"d": 7, "t": "-1/3", "lam": 2, "q_1": 0, "q_2": 5, "T_1": 1, "T_2": 4, "p_1": "1/2"}),
    steps=(
        Step("chefs.3.1.averages/poisson",
            _weight * (_rate * d + _T1 / _rate) + (1 - _weight) * (_rate * d + _T2 / _rate),
            _rate * d + (_weight * _T1 + (1 - _weight) * _T2) / _rate,
            reason="the exponent of (11), without the norms", check=Rewrite()),
        Step("chefs.3.1.averages/oprf", _weight * _log_second(_q1) + (1 - _weight) * _log_second(_q2),
            _log_second(_weight * _q1 + (1 - _weight) * _q2),
            reason="so the mean over pairs is minimised by rho* of the average (8); more pairs by induction",
            check=Rewrite()))))  # fmt: skip


# ---- Section 4 ---------------------------------------------------------------------------------------------

_base, _j = sympy.Symbol("b", positive=True), sympy.Symbol("j", integer=True, nonnegative=True)
_slack, _more = sympy.symbols("h g", nonnegative=True)
_blocks = sympy.Symbol("M", integer=True, positive=True)
_mark, _cumulant, _exponent = sympy.symbols("a l y", real=True)
_weight_of, _moment_of, _gap_of = (sympy.Function(name, nonnegative=True) for name in ("c", "b", "g"))
_rising = gamma(_base + _j + k) * gamma(_base) / (gamma(_base + _j) * gamma(_base + k))

register_derivation(Derivation(id="chefs.thm4.2.orthogonal",
    title="Moment generating function of orthogonal positive GERF",
    says="(b)_(j+k) >= (b)_j (b)_k, b = d/2: joint moments of an orthogonal block are at most the independent ones",
    source="ours, for chefs.thm4.2 (b)",
    variables=(Variable(_base, "d/2", above=0), Variable(_j, "half the order in one projection", integer=True, low=0),
        Variable(k, "half the order in another", integer=True, low=0), Variable(_slack, "excess of a ratio over 1, or of X over a", low=0),
        Variable(_more, "excess of another ratio", low=0), Variable(theta, "tilt", above=0), Variable(_blocks, "number of features", integer=True, low=1),
        Variable(_mark, "value that a mean exceeds"), Variable(_cumulant, "log E exp(theta Z)")),
    points=({"b": HALF, "j": 2, "k": 3, "h": 1, "g": 2, "theta": 1, "M": 2, "a": 1, "l": HALF}, {"b": 1, "j": 0, "k": 2, "h": 0, "g": "1/3", "theta": "1/5", "M": 1, "a": 3, "l": -1},
        {"b": 32, "j": 5, "k": 1, "h": "1/7", "g": 0, "theta": 2, "M": 7, "a": "1/2", "l": 2}),
    steps=(
        Step("chefs.thm4.2.orthogonal/ratio", _rising.subs(k, k + 1), _rising * (_base + _j + k) / (_base + k),
            reason="one more factor", check=Rewrite()),
        Step("chefs.thm4.2.orthogonal/supermultiplicative", S.One, _rising, "<=",
            reason="on the sphere E prod u_i^(2 k_i) = prod (1/2)_(k_i)/(d/2)_(sum k) and odd powers have mean 0, "
            "so E prod u_i^(2 k_i) <= prod E u_i^(2 k_i); exp(theta sum Z_i) has coefficients >= 0 in them",
            check=Ladder(k, 0, (_base + _j + k) / (_base + k), _j / (_base + k))),
        Step("chefs.thm4.2.orthogonal/more projections", S.One, (1 + _slack) * (1 + _more), "<=",
            reason="by induction: the ratio of independent to orthogonal moments for some projections, times that for one more, j the order of all before",
            check=Sign(_slack + _more + _slack * _more)),
        Step("chefs.thm4.2.orthogonal/exponential moment", Sum(_weight_of(k) * _moment_of(k), (k, 0, oo)),
            Sum(_weight_of(k) * (_moment_of(k) + _gap_of(k)), (k, 0, oo)), "<=",
            reason="E exp(theta sum Z_i) for a block, in powers of the projections with coefficients c >= 0, from its moments b and the independent ones b + g: "
            "at most E exp(theta Z)^d", check=Termwise(Sign(_weight_of(k) * _gap_of(k)))),
        Step("chefs.thm4.2.orthogonal/below", S.Zero, exp(-theta * _slack), "<=", check=Sign(),
            reason="1(X >= a) <= exp(theta (X - a)): X = a - h"),
        Step("chefs.thm4.2.orthogonal/above", S.One, exp(theta * _slack), "<=", reason="X = a + h",
            check=Increasing(exp(_exponent), _exponent, S.Zero, theta * _slack, Sign())),
        Step("chefs.thm4.2.orthogonal/rate", exp(-theta * _blocks * _mark) * exp(_cumulant) ** _blocks, exp(-_blocks * (theta * _mark - _cumulant)),
            reason="Chernoff's bound for the sum of M features at M a, a = K + eps, log E exp(theta Z) = l; L(a) is the supremum of theta a - l over theta",
            check=Rewrite()))))  # fmt: skip

_top, _eps = sympy.symbols("top eps", positive=True)

register_derivation(Derivation(id="chefs.thm4.2.rate", title="The Legendre transform is positive above the mean",
    says="L(K + eps) >= 2 eps^2/top^2 > 0 for a variable in (0, top] of mean K", source="ours, for chefs.thm4.2 (c)",
    variables=(Variable(_top, "largest value of Z", above=0), Variable(_eps, "error", above=0),
        Variable(K, "mean", above=0)),
    points=({"top": 2, "eps": 1, "K": 1}, {"top": 30, "eps": "1/2", "K": "1/3"}),
    steps=(
        Step("chefs.thm4.2.rate/value",
            (theta * (K + _eps) - theta * K - theta**2 * _top**2 / 8).subs(theta, 4 * _eps / _top**2),
            2 * _eps**2 / _top**2,
            reason="log E exp(theta Z) <= theta K + theta^2 top^2/8 (Hoeffding's lemma), at theta = 4 eps/top^2",
            check=Rewrite()),
        Step("chefs.thm4.2.rate/positive", (theta * K + theta**2 * _top**2 / 8).subs(theta, 4 * _eps / _top**2),
            (theta * (K + _eps)).subs(theta, 4 * _eps / _top**2), "<",
            reason="so L(K + eps), the supremum over theta, is positive",
            check=Sign(2 * _eps**2 / _top**2), printed=True))))  # fmt: skip

_M, _range, _slope, _radius, _delta, _mesh = sympy.symbols("M top slope r delta eta", positive=True)
_first_slack, _second_slack = sympy.symbols("p q", nonnegative=True)
_count = (1 + 16 * _radius * _slope / _eps) ** (2 * d)
_wanted = 2 * _range**2 / _eps**2 * (2 * d * log(1 + 16 * _radius * _slope / _eps) + log(2 / _delta))

register_derivation(Derivation(id="chefs.thm4.3.corrected",
    title="Uniform convergence for attention, with all constants",
    says="M >= 2 top^2/eps^2 (2 d log(1 + 16 r slope/eps) + log(2/delta)) features suffice",
    source="ours, for chefs.thm4.3",
    variables=(DIMENSION, Variable(_range, "largest value of the softmax estimator of one feature", above=0),
        Variable(_slope, "Lipschitz constant of that estimator in x and in y", above=0),
        Variable(_radius, "radius of the balls of x and y", above=0), Variable(_eps, "error", above=0),
        Variable(_delta, "failure probability", above=0, below=1), Variable(_M, "number of features", above=0),
        Variable(_first_slack, "slack", low=0), Variable(_second_slack, "slack", low=0)),
    points=({"d": 2, "top": 3, "slope": 5, "r": 1, "eps": "1/2", "delta": "1/10", "M": 100, "p": 0, "q": "1/4"},
        {"d": 64, "top": 10, "slope": 7, "r": 2, "eps": 1, "delta": "1/2", "M": 1000, "p": "1/3", "q": 0}),
    steps=(
        Step("chefs.thm4.3.corrected/net", at((1 + 2 * _radius / _mesh) ** (2 * d), {_mesh: _eps / (8 * _slope)}),
            _count,
            reason="an eta-net of a ball of radius r has (1 + 2 r/eta)^d points at most; two balls, "
            "eta = eps/(8 slope)", check=Rewrite()),
        Step("chefs.thm4.3.corrected/between", at(2 * _slope * (2 * _mesh), {_mesh: _eps / (8 * _slope)}), _eps / 2,
            reason="estimate and kernel each move by slope (|x - x'| + |y - y'|) at most", check=Rewrite()),
        Step("chefs.thm4.3.corrected/anywhere", (_eps / 2 - _first_slack) + (_eps / 2 - _second_slack), _eps, "<=",
            reason="the error at a point is at most that at the nearest point of the net and what lies between", check=Sign(_first_slack + _second_slack)),
        Step("chefs.thm4.3.corrected/Hoeffding", at(2 * _M * (_eps / 2) ** 2 / _range**2, {_M: _wanted}),
            2 * d * log(1 + 16 * _radius * _slope / _eps) + log(2 / _delta),
            reason="exponent of Hoeffding's bound for an error of eps/2 at a point of the net",
            check=Rewrite()),
        Step("chefs.thm4.3.corrected/union",
            at(2 * _mesh * exp(-(log(_mesh) + log(2 / _delta))),
                {_mesh: (1 + 16 * _radius * _slope / _eps) ** (2 * d)}),
            _delta, reason="twice the number of points times the probability of each",
            check=Rewrite()))))  # fmt: skip


# ---- results that the paper lacks --------------------------------------------------------------------------

_w = lemmas.w
_kappa = sympy.Symbol("kappa", positive=True)
_weighted = Integral(_w ** (n + d - 1) * exp(-_kappa * _w**2 / 2), (_w, 0, oo)) / (
    2 ** (d / 2 - 1) * gamma(d / 2))  # fmt: skip
_plain = 2 ** (n / 2) * gamma((n + d) / 2) / gamma(d / 2)

register_derivation(Derivation(id="chefs.added.conformity", title="The coupling acts on GERF as on positive features",
    says="D^2 B^n E r^n exp(2 A r^2) = E r^n for every n: cross moments of a coupled block are free of A",
    source="ours",
    variables=(DIMENSION, Variable(n, "power of one norm in a cross moment", integer=True, low=1),
        Variable(_kappa, "1 - 4A", above=0)),
    points=({"d": 1, "n": 1, "kappa": 3}, {"d": 5, "n": 2, "kappa": HALF}, {"d": 64, "n": 7, "kappa": 2}),
    steps=(
        Step("chefs.added.conformity/tilted norm", _weighted, _plain * _kappa ** (-(n + d) / 2),
            reason="E r^n exp(2 A r^2) for a chi_d norm, kappa = 1 - 4A",
            check=Use("lemma.gamma_integral", {lemmas.s: (n + d) / 2, lemmas.a: _kappa / 2})),
        Step("chefs.added.conformity/statement",
            _kappa ** (d / 2) * _kappa ** (n / 2) * (_plain * _kappa ** (-(n + d) / 2)), _plain,
            reason="D^2 = kappa^(d/2) and B^n = kappa^(n/2): with independent norms the mean of a product of "
            "features of distinct projections is that of positive features, whatever the directions",
            check=Rewrite()))))  # fmt: skip

_real, _level = sympy.Symbol("l", real=True), sympy.Symbol("t", positive=True)
_sine = cosh(_real / 2) ** d * (exp(_level) + exp(-_level * exp(-_real))) / 2

register_derivation(Derivation(id="chefs.added.sine", title="Trigonometric features are never the best real GERF",
    says="for s = -1 the second moment over K^2 has slope t e^-t/2 > 0 at A = 0 in l = log(1 - 8A), t = |x - y|^2",
    source="ours", variables=(DIMENSION, Variable(_level, "|x - y|^2", above=0), Variable(_real, "log(1 - 8A)")),
    points=({"d": 1, "t": 1, "l": "1/3"}, {"d": 7, "t": "1/4", "l": -1}, {"d": 64, "t": 3, "l": 0}),
    steps=(
        Step("chefs.added.sine/derivative", sympy.diff(_sine, _real),
            cosh(_real / 2) ** d
                * (d * tanh(_real / 2) * (exp(_level) + exp(-_level * exp(-_real))) / 4 + _level * exp(-_real)
                    * exp(-_level * exp(-_real)) / 2),
            reason="of cosh(l/2)^d (e^t + exp(-t e^-l))/2", check=Rewrite()),
        Step("chefs.added.sine/at zero", at(sympy.Derivative(_sine, _real), {_real: S.Zero}),
            _level * exp(-_level) / 2, reason="at A = 0", check=Rewrite()),
        Step("chefs.added.sine/positive", S.Zero, _level * exp(-_level) / 2, "<",
            reason="so some A > 0 is strictly better than A = 0 for every x != y", check=Sign()))))  # fmt: skip

_a, _prob, _total = sympy.symbols("a p s", positive=True)
_tau = sympy.Symbol("tau", positive=True)
_law = exp(-_tau) * _tau**k / factorial(k)

register_derivation(Derivation(id="chefs.added.best-law",
    title="The best discrete law of a coordinate is Poisson(|x_l y_l|)",
    says="sum a_k^2/p_k >= (sum a_k)^2 with equality for p_k = a_k/sum a_k; a_k = |t|^k/k!, t = x_l y_l",
    source="ours",
    variables=(Variable(_a, "a_k = |t|^k/k!", above=0), Variable(_prob, "p_k", above=0),
        Variable(_total, "sum of all a_k", above=0), Variable(_tau, "|x_l y_l|", above=0)),
    points=({"a": 1, "p": "1/3", "s": 2, "tau": 2}, {"a": "1/2", "p": "1/7", "s": 5, "tau": "1/3"}),
    steps=(
        Step("chefs.added.best-law/term", _a**2 / _prob - 2 * _total * _a + _total**2 * _prob,
            _prob * (_a / _prob - _total) ** 2,
            reason="summed over k with sum p_k = 1: sum a_k^2/p_k - s^2 = sum p_k (a_k/p_k - s)^2",
            check=Rewrite()),
        Step("chefs.added.best-law/nonnegative", S.Zero, _prob * (_a / _prob - _total) ** 2, "<=",
            reason="zero for all k just for p_k = a_k/s", check=Sign()),
        Step("chefs.added.best-law/total", Sum(_tau**k / factorial(k), (k, 0, oo)), exp(_tau),
            reason="so the best law is Poisson(|t|)", check=Use("definition.exp", {lemmas.t: _tau})),
        Step("chefs.added.best-law/terms", Sum((_tau**k / factorial(k)) ** 2 / _law, (k, 0, oo)),
            exp(_tau) * Sum(_tau**k / factorial(k), (k, 0, oo)), reason="second moment of the coordinate at that law",
            check=Inside()),
        Step("chefs.added.best-law/value", exp(_tau) * Sum(_tau**k / factorial(k), (k, 0, oo)), exp(2 * _tau),
            reason="its least value; the square of the mean of the coordinate is e^(2t)",
            check=Given(("chefs.added.best-law/total",), Rewrite())),
        Step("chefs.added.best-law/statement", Sum((_tau**k / factorial(k)) ** 2 / _law, (k, 0, oo)), exp(2 * _tau),
            check=Chain()))))  # fmt: skip
