"""No complex A beats the best real one for s = 1: the global minimum of (6) for all d and V, without a grid.

With w = 1 - 8A = exp(l + i phi) and t = |x + y|^2, the second moment over K^2 is (T + Re h)/2, h = exp(d eta(l + i phi)),
eta(l) = log cosh(l/2) + tau exp(-l), tau = t/d. The least h over real A is M = exp(d eta(l*)). With T = M exp(a + b) and
h = M exp(a - b + i theta) the rates a/d, b/d and theta/d do not depend on d. In u = exp(-l), U = exp(-l*), c = cos(phi),
x = tan(phi/2), H = tanh(l/2), D = eta(l) - eta(l*), R = |1 + w|/|w| they are

    a/d = D + log((1 + H^2 x^2)^2/(1 - x^4))/4 + tau ((u + R)/(4 c) - 1/4 + u c/2 - u),
    b/d = -log(c)/4 + tau ((u + R)/(4 c) - 1/4 - u c/2),   theta/d = atan(H x) - tau u sin(phi) = sin(phi) eta'(l) + E,

with E = atan(H x) - H x/(1 + x^2). The steps show a/d >= D, b/d >= sin(phi)^2 (1 + tau + 3 tau u)/8 and >= -log(c)/4,
eta'(l)^2 <= 2/3 (1 + tau + 3 tau u) D and |E| <= -5 log(c)/32: so |theta| <= sqrt(16 a b/3) + 5 b/8.
"""

from __future__ import annotations

import sympy
from sympy import Integral, Rational, S, atan, cos, cosh, exp, log, sin

from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import (Antiderivative, Combination, FromInequality, Increasing, Instance,
    OnBox, Rewrite, Scaled, Sign, Termwise)  # fmt: skip
from rftheory.exact.proof.steps import Derivation, Step, register_derivation
from rftheory.exact.ranges import Range
from rftheory.papers.beyond.proofs.exponential_maps import DECAY

OURS = "ours; Likhosherstov et al. 2022 treat real A alone"
ID = "chefs.added.global-minimum.complex"
HALF = Rational(1, 2)

u, U, c, a, b = sympy.symbols("u U c a b", positive=True)
_part = sympy.Symbol("r", positive=True)
x, h, H, g, _more, eta, _inside = sympy.symbols("x h H g k eta s", nonnegative=True)
_y = sympy.Symbol("y", positive=True)
_n, _m, _f = sympy.symbols("n m f", nonnegative=True)
_z = sympy.Symbol("z", real=True)

TAU = (1 - U) / (2 * U * (1 + U))
"""tau, from eta'(l*) = 0."""


def _slope(y: sympy.Expr) -> sympy.Expr:
    """eta'(l) at y = exp(-l)."""
    return (1 - y) / (2 * (1 + y)) - TAU * y


def _rise(y: sympy.Expr) -> sympy.Expr:
    """eta(l) + log 2 at y = exp(-l)."""
    return log(1 + y) - log(y) / 2 + TAU * y


def _bend(y: sympy.Expr) -> sympy.Expr:
    """eta''(l)/y at y = exp(-l)."""
    return 1 / (1 + y) ** 2 + TAU


def _steepness(y: sympy.Expr, low: sympy.Expr, gap: sympy.Expr) -> sympy.Expr:
    """|eta'(l)| for y between low = exp(-l*) and beyond it by gap, or before it."""
    return gap * (1 + low + y * (1 - low)) / (2 * (1 + y) * (1 + low) * low)


_above = U + h * _inside
_below = U * (1 - (1 - _part) * (1 - _inside))
_K = Rational(2, 3) * (1 + TAU)
_KU = _K + 2 * TAU * (U + h)

_fall_above = Integral(-h * _slope(_above) / _above, (_inside, 0, 1))
_square_above = Integral(-2 * h * _slope(_above) * _bend(_above), (_inside, 0, 1))
_fall_below = Integral(U * (1 - _part) * _slope(_below) / _below, (_inside, 0, 1))
_square_below = Integral(2 * U * (1 - _part) * _slope(_below) * _bend(_below), (_inside, 0, 1))

_sweep = Integral(2 * x**3 * _inside**2 / (1 + x**2 * _inside**2) ** 2, (_inside, 0, 1))
_decay = Integral(Rational(5, 8) * x**2 * _inside / (1 - x**4 * _inside**4), (_inside, 0, 1))
_small, _large = H * exp(-1 - _more), exp(-a) + _more


def _wave(one: sympy.Expr, two: sympy.Expr) -> sympy.Expr:
    """The bound of exp(b) + exp(-b) cos(theta) for theta^2 = f (20 a b/3 + 125 b^2/64), a = one, b = two."""
    return exp(two) + exp(-two) * (1 - 2 * _f * (5 * one * two / 3 + 125 * two**2 / 256))


def _lemma(label: str, change: sympy.Expr) -> Instance:
    return Instance(label, {lemmas.arc: change})


SLOPES = (
    Step(f"{ID}/left, height", _fall_above, _rise(U + h) - _rise(U), reason="u = U + h, on the left of l*: D",
        check=Antiderivative(_rise(_above))),
    Step(f"{ID}/left, slope", _square_above, _slope(U + h) ** 2, check=Antiderivative(_slope(_above) ** 2)),
    Step(f"{ID}/left", _square_above, _KU * _fall_above, "<=", reason="eta'' <= (1 + tau + 3 tau u)/3 between l and l*",
        check=Termwise(Sign(h * _steepness(_above, U, h * _inside) / _above * (Rational(1, 6)
            + HALF * (1 - _above) ** 2 / (1 + _above) ** 2 + Rational(2, 3) * TAU + 2 * TAU * h * (1 - _inside))))),
    Step(f"{ID}/cubic", S.Zero, 1 - U - 3 * U**2 + 5 * U**3, "<=", check=OnBox({U: (0, 1)})),
    Step(f"{ID}/between", S.Zero, U * (1 - _part) * ((1 - U**2 * _part) / ((1 + U) ** 2 * (1 + U * _part) ** 2) + TAU), "<=",
        check=Sign()),
    Step(f"{ID}/curvature", 2 * U * _part * _bend(U * _part), _K, "<=",
        reason="eta'' <= (1 + tau)/3 where exp(-l) = U r <= U",
        check=Combination(((f"{ID}/cubic", 1 / (3 * U * (1 + U) ** 2)), (f"{ID}/between", S(2))))),
    Step(f"{ID}/right, height", _fall_below, _rise(U * _part) - _rise(U), reason="u = U r, on the right of l*: D",
        check=Antiderivative(-_rise(_below))),
    Step(f"{ID}/right, slope", _square_below, _slope(U * _part) ** 2,
        check=Antiderivative(-(_slope(_below) ** 2))),
    Step(f"{ID}/right", _square_below, _K * _fall_below, "<=",
        check=Termwise(Scaled(U * (1 - _part) * _steepness(_below, U, U * (1 - _part) * (1 - _inside)) / _below,
            Instance(f"{ID}/curvature", {_part: 1 - (1 - _part) * (1 - _inside)})))))  # fmt: skip

SIZES = (
    Step(f"{ID}/cosh", ((u + 1 / u) / 2 + (1 - x**2) / (1 + x**2)) / 2,
        (1 + u) ** 2 / (4 * u) * (1 + ((1 - u) / (1 + u)) ** 2 * x**2) / (1 + x**2), reason="|cosh(lambda/2)|^2",
        check=Rewrite()),
    Step(f"{ID}/modulus", (1 + u * c) ** 2, u**2 + 2 * c * u + 1, "<=", reason="R >= 1 + u c",
        check=Sign(u**2 * (1 - c) * (1 + c))),
    Step(f"{ID}/modulus again", (c + u * (4 * c - 2 * c**2 - 1)) ** 2, u**2 + 2 * c * u + 1, "<=",
        reason="so (u + R)/(4 c) - 1/4 + u c/2 - u >= 0",
        check=Sign(4 * u**2 * (1 - c) ** 2 * c * (2 - c) + 4 * u * c * (1 - c) ** 2 + (1 - c) * (1 + c))),
    Step(f"{ID}/growth", (1 + x**2) * (1 - x**2), (1 + H**2 * x**2) ** 2, "<=", reason="so a/d >= D",
        check=Sign(2 * H**2 * x**2 + H**4 * x**4 + x**4)),
    Step(f"{ID}/cosine", exp(c**2 - 1), c**2, ">=", reason="-log(c)/4 >= sin(phi)^2/8",
        check=Instance("lemma.exponential", {lemmas.t: c**2 - 1})),
    Step(f"{ID}/damping", (1 - c**2) * (1 + 3 * u) / 8, (u + 1 + u * c) / (4 * c) - Rational(1, 4) - u * c / 2, "<=",
        reason="so b/d >= sin(phi)^2 (1 + tau + 3 tau u)/8",
        check=Sign((1 - c) ** 2 / (4 * c) * ((2 + c) / 2 + u * (1 + 3 * c / 2)))))  # fmt: skip

PHASES = (
    Step(f"{ID}/excess", atan(H * x) - H * x / (1 + x**2), S.Zero, ">=", reason="E is odd in H, and increases",
        check=Increasing(atan(_y * x) - _y * x / (1 + x**2), _y, S.Zero, H, Sign(), Range(S.Zero, S.One))),
    Step(f"{ID}/excess at 1", atan(H * x) - H * x / (1 + x**2), atan(x) - x / (1 + x**2), "<=",
        check=Increasing(atan(_y * x) - _y * x / (1 + x**2), _y, H, S.One, Sign(), Range(S.Zero, S.One))),
    Step(f"{ID}/cubic of x", S.Zero, Rational(5, 16) * (1 + x**2) - x + x**3, "<=", check=OnBox({x: (0, 1)})),
    Step(f"{ID}/rates", 2 * x**2 / (1 + x**2) ** 2, Rational(5, 8) * x / (1 - x**4), "<=",
        check=FromInequality(f"{ID}/cubic of x", 2 * x / ((1 + x**2) ** 2 * (1 - x**2)), ())),
    Step(f"{ID}/excess, integral", _sweep, atan(x) - x / (1 + x**2),
        check=Antiderivative(atan(x * _inside) - x * _inside / (1 + x**2 * _inside**2))),
    Step(f"{ID}/cosine, integral", _decay, Rational(5, 32) * (log(1 + x**2) - log(1 - x**2)), reason="-5 log(c)/32",
        check=Antiderivative(Rational(5, 32) * (log(1 + x**2 * _inside**2) - log(1 - x**2 * _inside**2)))),
    Step(f"{ID}/excess and damping", _sweep, _decay, "<=", reason="so |E| <= 5 b/(8 d)",
        check=Termwise(Scaled(x, Instance(f"{ID}/rates", {x: x * _inside})))),
    Step(f"{ID}/square of the phase", (_n + _m) ** 2, Rational(5, 4) * _n**2 + 5 * _m**2, "<=",
        reason="with n = sqrt(16 a b/3) and m = 5 b/8: theta^2 <= 20 a b/3 + 125 b^2/64", check=Sign((_n / 2 - 2 * _m) ** 2)))  # fmt: skip

CASES = (
    Step(f"{ID}/half angle", sin(eta) ** 2, eta**2, "<=", reason="theta = 2 eta", check=_lemma("lemma.sine_squared", eta)),
    Step(f"{ID}/cosine of the phase", 1 - 2 * eta**2, cos(2 * eta), "<=",
        check=FromInequality(f"{ID}/half angle", S(2), ())),
    Step(f"{ID}/2 cosh", 2 + b**2, exp(b) + exp(-b), "<=", check=_lemma("lemma.cosh", b)),
    Step(f"{ID}/tangent", exp(b - 1), b, ">=", check=Instance("lemma.exponential", {lemmas.t: b - 1})),
    Step(f"{ID}/b exp(-b)", b * exp(-b), exp(-1), "<=",
        check=FromInequality(f"{ID}/tangent", exp(-b), ())),
    Step(f"{ID}/chord, ends", Integral(g * exp(-g * _inside), (_inside, 0, 1)), 1 - exp(-g),
        check=Antiderivative(-exp(-g * _inside))),
    Step(f"{ID}/chord, integral", Integral(g * exp(-_inside), (_inside, 0, 1)), g * (1 - exp(-1)),
        check=Antiderivative(-g * exp(-_inside))),
    Step(f"{ID}/chord, bodies", Integral(g * exp(-_inside), (_inside, 0, 1)),
        Integral(g * exp(-g * _inside), (_inside, 0, 1)), "<=",
        check=Termwise(Scaled(g, Increasing(exp(_z), _z, -_inside, -g * _inside, Sign(_inside * (1 - g)))))),
    Step(f"{ID}/chord", g * (1 - exp(-1)), 1 - exp(-g), "<=",
        check=FromInequality(f"{ID}/chord, bodies", given=(f"{ID}/chord, ends reversed", f"{ID}/chord, integral reversed"))),
    Step(f"{ID}/rest", S.Zero, b**2 * (1 - 125 * _f * exp(-b) / 128) + g * (2 - 2 * exp(-1) - 10 * _f * exp(-1) / 3), "<=",
        check=Sign()),
    Step(f"{ID}/a up to 1", 2 * exp(-g), _wave(g, b), "<=", reason="exp(a) (exp(b) + exp(-b) cos(theta)) >= 2 for a = g <= 1",
        check=Combination(((f"{ID}/2 cosh", S.One), (f"{ID}/chord", S(2)), (f"{ID}/b exp(-b)", 10 * _f * g / 3),
            (f"{ID}/rest", S.One)))),
    Step(f"{ID}/2 cosh, small b", 2 + _small**2, exp(_small) + exp(-_small), "<=", reason="a = 1 + k, b = H exp(-a)",
        check=_lemma("lemma.cosh", _small)),
    Step(f"{ID}/tangent at 1", exp(_more), 1 + _more, ">=", check=Instance("lemma.exponential", {lemmas.t: _more})),
    Step(f"{ID}/a exp(-a)", (1 + _more) * exp(-1 - _more), exp(-1), "<=",
        check=FromInequality(f"{ID}/tangent at 1", exp(-1 - _more), ())),
    Step(f"{ID}/rest, small b", S.Zero, _small**2 * (1 - 125 * _f * exp(-_small) / 128)
        + (2 - 2 * exp(-1 - _more) - 10 * _f * H * exp(-1) / 3)
        + 10 * _f * H * (1 + _more) * exp(-1 - _more) * (1 - exp(-_small)) / 3, "<=", check=Sign()),
    Step(f"{ID}/a from 1, b up to exp(-a)", 2 * exp(-1 - _more), _wave(1 + _more, _small), "<=",
        check=Combination(((f"{ID}/2 cosh, small b", S.One), (f"{ID}/a exp(-a)", 10 * _f * H / 3),
            (f"{ID}/rest, small b", S.One)))),
    Step(f"{ID}/2 sinh", 2 * _large, exp(_large) - exp(-_large), "<=", reason="b = exp(-a) + k", check=_lemma("lemma.sinh", _large)),
    Step(f"{ID}/beyond exp(-a)", S.Zero, 2 * _more, "<=", check=Sign()),
    Step(f"{ID}/statement", 2 * exp(-a), exp(_large) - exp(-_large), "<=", reason="b from exp(-a) on, where cos(theta) >= -1",
        check=Combination(((f"{ID}/2 sinh", S.One), (f"{ID}/beyond exp(-a)", S.One)))))  # fmt: skip

_POINTS = (
    {"u": 1, "U": "1/2", "c": "1/2", "a": 1, "b": 1, "r": "1/2", "x": "1/3", "h": 1, "H": "1/2", "g": "1/2", "k": 0,
     "eta": 1, "n": 1, "m": 2, "f": 1},
    {"u": 3, "U": 1, "c": 1, "a": "1/9", "b": 7, "r": "1/9", "x": "9/10", "h": "1/8", "H": "9/10", "g": 1, "k": 2,
     "eta": "1/3", "n": 0, "m": 1, "f": "1/2"},
    {"u": "1/7", "U": "1/20", "c": "1/30", "a": 5, "b": "1/20", "r": 1, "x": "1/50", "h": 9, "H": 0, "g": "1/30", "k": "1/2",
     "eta": 9, "n": 7, "m": "1/5", "f": 1},
)  # fmt: skip

_VARIABLES = (
    Variable(u, "exp(-l)", above=0), Variable(U, "exp(-l*)", above=0, high=1), Variable(c, "cos(phi)", above=0, high=1),
    Variable(a, "a", above=0), Variable(b, "b", above=0), Variable(_part, "u/U on the right of l*", above=0, high=1),
    Variable(x, "tan(phi/2)", low=0, below=1), Variable(h, "u - U on the left of l*", low=0),
    Variable(H, "|tanh(l/2)|", low=0, high=1), Variable(g, "a number up to 1", low=0, high=1), Variable(_more, "a number", low=0),
    Variable(_f, "theta^2 over its bound", low=0, high=1), Variable(eta, "|theta|/2", low=0), Variable(_n, "sqrt(16 a b/3)", low=0), Variable(_m, "5 b/8", low=0),
)  # fmt: skip

register_derivation(Derivation(id=ID, title="The global minimum for s = 1", source=OURS,
    says="E (Re Z)^2 of every complex A is at least that of the best real A", variables=_VARIABLES, points=_POINTS,
    steps=(*SLOPES, *SIZES, *PHASES, *CASES)))  # fmt: skip

# ---- s = -1 ----------------------------------------------------------------------------------------------

MINUS = "chefs.added.global-minimum.minus"
_second, _square, _up = sympy.symbols("T2 X t", nonnegative=True)
_alpha, _beta = sympy.symbols("alpha beta", real=True)
_M, _ratio, _level = sympy.symbols("M E q", positive=True)
_cosine = sympy.Symbol("kappa", real=True)
_T1 = _second + _more
_v = _more * (2 * _second + _more)
_top, _side = Rational(17, 20) + _n, Rational(7, 20) + _m

register_derivation(Derivation(id=MINUS, title="The global minimum for s = -1", source=OURS,
    says="""With t = |x - y|^2, y = t exp(-l), beta = y sin(phi) and Z for t = 0, twice the second moment is at least
    (e^t - e^(-yc)) E |Z|^2 + e^(-yc) E (|Z|^2 + Re(e^(i beta) Z^2)). By Cauchy and Schwarz with the Z of a real l', the last mean
    is at least |G|^2 (1 + cos(beta + 2 arg G))/N', G = E Z Z' = (cosh(lambda/2) cosh(l'/2)/cosh((lambda-l')/2))^(d/2), N' = E Z'^2.
    The bound is compared with N' (e^t + e^(-t exp(-l'))), twice the second moment at l'. T1 = |tanh(l/2)|. If l < 0 and
    d arctan(T1 x) >= beta, some l' in [l, 0] has beta + 2 arg G = 0; T2 = tanh((l'-l)/2). Otherwise l' = l (l >= 0: l' = 0)
    outside a corner and l' = 0 in it: rftheory.exact.gerf_phase""",
    variables=(Variable(_second, "tanh((l'-l)/2)", low=0, below=1), Variable(_more, "a number", low=0),
        Variable(x, "tan(phi/2)", low=0, below=1), Variable(_square, "x^2", low=0, below=1), Variable(_up, "|x - y|^2", low=0),
        Variable(_alpha, "lambda/2"), Variable(_beta, "l'/2"), Variable(_M, "E |Z|^2", low=1), Variable(_ratio, "R^d", low=1),
        Variable(_level, "exp(-y c)", above=0, high=1), Variable(_cosine, "cos(beta)", low=-1, high=1),
        Variable(_n, "T1 - 17/20", low=0, high=Rational(3, 20)), Variable(_m, "X - 7/20", low=0, high=Rational(13, 20))),
    points=({"T2": "1/3", "k": "1/2", "x": "1/2", "X": "1/4", "t": 1, "alpha": 1, "beta": "1/3", "M": 2, "E": 1, "q": "1/2",
            "kappa": -1, "n": 0, "m": "1/5"},
        {"T2": 0, "k": "1/9", "x": "9/10", "X": "4/5", "t": "1/7", "alpha": "-2", "beta": -1, "M": 9, "E": 5, "q": 1,
            "kappa": "1/3", "n": "1/10", "m": "1/2"}),
    steps=(
        Step(f"{MINUS}/mean of a product", (1 + exp(2 * _alpha)) * (1 + exp(2 * _beta)) / (2 * (exp(2 * _alpha) + exp(2 * _beta))),
            cosh(_alpha) * cosh(_beta) / cosh(_alpha - _beta), reason="E Z Z' is the power d/2 of it",
            check=Rewrite()),
        Step(f"{MINUS}/turn", _second * x - atan(_second * x), _T1 * x - atan(_T1 * x), "<=",
            reason="beta = d (arctan(T1 x) - arctan(T2 x)): y <= d (1 + X) (T1 - T2)/2",
            check=Increasing(_y * x - atan(_y * x), _y, _second, _T1, Sign(_more), Range(S.Zero))),
        Step(f"{MINUS}/exponents", (1 - _square) / (1 + _square) - (1 - _second) / (1 + _second),
            2 * (_second - _square) / ((1 + _square) * (1 + _second)), reason="c - exp(l - l')", check=Rewrite()),
        Step(f"{MINUS}/balance", _more * (_second - _square) / (1 + _second), _v / 2, "<=",
            reason="so y c - t exp(-l') <= d (T1^2 - T2^2)/2",
            check=Sign(_more * (_more / 2 + (_second**2 + _square) / (1 + _second)))),
        Step(f"{MINUS}/tangent", exp(-_v), 1 - _v, ">=", check=Instance("lemma.exponential", {lemmas.t: -_v})),
        Step(f"{MINUS}/quotient", 1 - _T1**2, (1 - _v) * (1 - _second**2), "<=",
            reason="(1 - T2^2)/(1 - T1^2) >= exp(T1^2 - T2^2)", check=Sign(_v * _second**2)),
        Step(f"{MINUS}/modulus", 1 + _second**2 * _square, 1 + _T1**2 * _square, "<=",
            reason="R^2 = |cosh(lambda/2)/cosh((lambda-l')/2)|^2 is (1 + T1^2 X)/(1 + T2^2 X) times that: R^d >= exp(y c - t exp(-l'))",
            check=Sign(_v * _square)),
        Step(f"{MINUS}/zero phase", exp(_up) + _level * _ratio, exp(_up) - _level + 2 * _level * _ratio, "<=",
            reason="so the bound is at least N' (e^t + e^(-yc) R^d) where E |Z|^2 >= N >= N'", check=Sign(_level * (_ratio - 1))),
        Step(f"{MINUS}/in the corner", S(4) * (1 - _top**2) * (1 - _side), 1 + _top**2 * _side, "<=",
            reason="E |Z|^2 >= M >= 2", check=OnBox({_n: (0, Rational(3, 20)), _m: (0, Rational(13, 20))})),
        Step(f"{MINUS}/late", exp(1 + _more) + exp(-1 - _more), 2 * (exp(1 + _more) - 1), "<=", reason="t >= 1 there", check=Sign()),
        Step(f"{MINUS}/exponential", exp(_up), 1 + _up, ">=", check=Instance("lemma.exponential", {lemmas.t: _up})),
        Step(f"{MINUS}/decay", 1 - _up + _up**2 / 2, exp(-_up), ">=", check=Instance("lemma.exponential-", {DECAY: _up})),
        Step(f"{MINUS}/statement", _M * (_up + 1 - _level) + _level * (1 + _cosine) - 2 - _up**2 / 2,
            exp(_up) * (_M - 1) - _level * (_M - 1 - _cosine) - exp(-_up), "<=", reason="t <= 1 there: what remains is a box",
            check=Combination(((f"{MINUS}/exponential", _M - 1), (f"{MINUS}/decay", S.One)))))))  # fmt: skip
