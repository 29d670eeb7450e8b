"""Derivations for the walk-through of Rahimi and Recht 2007, Random Features for Large-Scale Kernel Machines.

D of the text is m here. Printed steps that fail stay, refuted, with the corrected step behind them. Statements about
probabilities are refuted in a finite model whose probabilities are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy
from flint import arb, ctx
from sympy import Integral, Rational, Sum, cos, exp, factorial, gamma, log, oo, pi, sin, sqrt

from rftheory.exact import bounds, fourier, spectral
from rftheory.exact.bounds import ERROR, a, b, eps
from rftheory.exact.enclosure import Exact
from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import (Antiderivative, Chain, FromInequality, Holds, Instance, Rewrite, Sign,
    Termwise, Use)  # fmt: skip
from rftheory.exact.proof.steps import (Derivation, Finding, Scope, Step, at, derivation,
    register_derivation, worked_out)  # fmt: skip
from rftheory.exact.symbols import DIMENSION, FEATURES, POSITIVE_DIFFERENCE_NORM, d, k, m, z
from rftheory.exact.vanishing import vanishes

HALF = Rational(1, 2)
SOURCE = "walk-through of Rahimi and Recht 2007"
lam = sympy.Symbol("lambda", positive=True)
u = sympy.Symbol("u", nonnegative=True)
x, y, w = sympy.symbols("x y w", real=True)
REALS = (Variable(x, "first input"), Variable(y, "second input"), Variable(w, "frequency"))
REAL_POINTS: tuple[dict[str, Exact], ...] = ({"x": 1, "y": 1, "w": 2}, {"x": "1/3", "y": -2, "w": "1/7"},
    {"x": 0, "y": 0, "w": 5})  # fmt: skip


def matrix_identity(step: Step, _: Scope) -> str:
    """Equality in the free algebra of non-commuting letters: it holds for matrices of every size."""
    return (
        "expanded in non-commuting letters" if sympy.expand(worked_out(step.left - step.right)) == 0 else ""
    )


_slacks = sympy.symbols("p q", nonnegative=True)
_TWO_SLACKS = tuple(Variable(slack, "what is missing in a bound", low=0) for slack in _slacks)


def same_logarithm(step: Step, _: Scope) -> str:
    """Equality of two positive products of powers: their logarithms, with all numbers factored, expand to the same."""
    gap = sympy.expand_log(log(step.left)) - sympy.expand_log(log(step.right))
    gap = gap.replace(
        lambda e: isinstance(e, log) and e.args[0].is_Rational, lambda e: sympy.expand_log(e, factor=True)
    )
    return "the logarithms expand to the same" if vanishes(gap) else ""


def constant(step: Step, scope: Scope) -> Finding:
    """A relation between two constants, which their enclosures decide."""
    free = step.left.free_symbols | step.right.free_symbols
    guard = scope.guard(step.left, step.right, step.relation)
    if free or guard.witness or not guard.agreed:
        return Finding("undecided", "the enclosures do not decide it")
    return Finding("proved", "enclosures of two constants")


def claim(
    identifier: str,
    title: str,
    variables: Sequence[Variable],
    points: Sequence[Mapping[str, Exact]],
    *steps: Step,
    source: str = SOURCE,
) -> Derivation:
    """Register a derivation whose summary is its title."""
    return register_derivation(
        Derivation(identifier, title, title, tuple(variables), steps, tuple(points), source)
    )


# ---- ridge regression ------------------------------------------------------------------------------------

_f, _rest, _wj, _t, _s = sympy.symbols("phi_j rest w_j y_i S", real=True)
_term = (_wj * _f + _rest - _t) ** 2 / 2
_F, _G, _alpha, _Y, _w = sympy.symbols("F G alpha Y w", commutative=False)
_RIDGE = (Variable(_f, "feature"), Variable(_rest, "other coordinates"), Variable(_wj, "weight"),
    Variable(_t, "target"), Variable(_s, "sum of residual times feature"),
    Variable(lam, "regularisation", above=0))  # fmt: skip
_RIDGE_POINT = {"phi_j": 2, "rest": "1/3", "w_j": -1, "y_i": 5, "S": 7, "lambda": "1/2"}

claim("rff.eq7", "ridge regression in dual form: alpha = (K + lambda)^-1 Y and w = Phi^T alpha", _RIDGE,
    (_RIDGE_POINT,),
    Step("rff.eq2/gradient", sympy.Derivative(_term, _wj), (_wj * _f + _rest - _t) * _f, check=Rewrite(),
        reason="one term of the sum, one coordinate"),
    Step("rff.eq2/penalty", sympy.Derivative(lam * _wj**2 / 2, _wj), lam * _wj, check=Rewrite()),
    Step("rff.eq2/stationary", at(lam * _wj + _s, {_wj: -_s / lam}), sympy.S.Zero, check=Rewrite(),
        printed=True, reason="w_j = -S/lambda solves lambda w_j + S = 0; the objective is strictly convex"),
    Step("rff.eq4/span", lam * _G * _alpha, -_G * (_F * _w - _Y).subs(_Y, _F * _w + lam * _alpha),
        check=Holds(matrix_identity), printed=True, reason="F = Phi, G = Phi^T, alpha = -(F w - Y)/lambda"),
    Step("rff.eq6/matrix", -lam * _alpha, (_F * _G * _alpha - _Y).subs(_Y, _F * _G * _alpha + lam * _alpha),
        check=Holds(matrix_identity), printed=True, reason="w = G alpha and Y = (K + lambda) alpha, K = F G"),
    Step("rff.eq7/push-through", (_G * _F + lam) * _G, _G * (_F * _G + lam), check=Holds(matrix_identity),
        reason="primal and dual solution are the same w"),
    Step("rff.eq7/invertible", lam, sympy.S.Zero, ">", check=Sign(), reason="K + lambda >= lambda > 0"))  # fmt: skip

claim("rff.dual-intro", "an arbitrary linear model need not have a dual form; the ridge solution has one", _RIDGE,
    (_RIDGE_POINT,),
    Step("rff.dual-intro/any w", sympy.S.One, _s * 0, printed=True,
        reason="phi(x_1) = (1, 0), w = (0, 1), x with phi(x) = (0, 1): w.phi(x) = 1, alpha <phi(x), phi(x_1)> = 0"),
    Step("rff.dual-intro/ridge", at(_F * _G, {_F: _alpha * _F}), _alpha * (_F * _G), check=Holds(matrix_identity),
        replaces="rff.dual-intro/any w", reason="for w = Phi^T alpha, as in (5)"))  # fmt: skip

# ---- Fourier transform of the Gaussian ---------------------------------------------------------------------

_R = sympy.Symbol("R", positive=True)
_wave = Integral(cos(lemmas.t * lemmas.x) * exp(-(lemmas.x**2) / 2) / sqrt(2 * pi), (lemmas.x, -oo, oo))
_bell = exp(-(lemmas.x**2) / 2)
_parts = Integral((lemmas.x * sin(lemmas.t * lemmas.x) - lemmas.t * cos(lemmas.t * lemmas.x)) * _bell,
    (lemmas.x, -oo, oo))  # fmt: skip

claim("rff.eq8", "the Fourier transform of the Gaussian kernel is the normal density",
    (DIMENSION, Variable(_R, "half side of a box", above=0), lemmas.ARGUMENT),
    ({"d": 1, "R": 100, "t": "1/3"}, {"d": 3, "R": 1000, "t": "-7/2"}),
    Step("rff.eq8/l2", (2 * _R - 2) * 2 * exp(-HALF) / (2 * pi), 1 / sqrt(2 * pi), "<=", printed=True,
        reason=("d = 1, w = 0: the double integral over x and y in a box of side 2R is at least (2R - 2) 2 "
        "exp(-1/2), so it diverges")),
    Step("rff.eq8/axis", _wave, exp(-(lemmas.t**2) / 2), check=Use("lemma.normal_cf", {}),
        reason="one axis; the sine part is odd"),
    Step("rff.eq8/l3-l4", (2 * pi) ** (-d) * sqrt(2 * pi) ** d * exp(-(lemmas.t**2) / 2),
        (2 * pi) ** (-d / 2) * exp(-(lemmas.t**2) / 2), check=Rewrite(), printed=True,
        replaces="rff.eq8/l2", reason="product over the axes of the integral over z = x - y alone"),
    Step("rff.eq8-density/mass", _wave.subs(lemmas.t, 0), sympy.S.One,
        check=Use("lemma.normal_cf", {lemmas.t: sympy.S.Zero}), printed=True,
        reason="the density has mass one, axis by axis"))  # fmt: skip

_function = sympy.Function("f")(lemmas.x)
_turning = exp(-sympy.I * lemmas.t * lemmas.x)
claim("rff.ft-ode", "differential equation of the transform, and its constant",
    (DIMENSION, lemmas.ARGUMENT, Variable(lemmas.x, "where f is taken")),
    ({"d": 1, "t": "1/3", "x": 1}, {"d": 3, "t": "-7/2", "x": "-1/2"}),
    Step("rff.ft-deriv/product", sympy.Derivative(_function, lemmas.x) * _turning - sympy.Derivative(_function * _turning, lemmas.x),
        sympy.I * lemmas.t * _function * _turning,
        check=Rewrite(), reason="so that F(f') - j w F(f) is the integral of a derivative, any f"),
    Step("rff.ft-deriv/moment", sympy.I * sympy.Derivative(_function * _turning, lemmas.t),
        lemmas.x * _function * _turning, check=Rewrite(), reason="under the integral, any f"),
    Step("rff.ft-deriv/parts", _parts, sympy.S.Zero, check=Antiderivative(-sin(lemmas.t * lemmas.x) * _bell),
        printed=True, reason="F(x f) = j F'(f) and F(f') = j w F(f) for the Gaussian: the integral of a derivative"),
    Step("rff.ft-ode/(l4)", sympy.Derivative(exp(-(lemmas.t**2) / 2), lemmas.t), -lemmas.t * exp(-(lemmas.t**2) / 2),
        check=Rewrite(), printed=True),
    Step("rff.const-C/C", d * log(2 * pi) / 2, (2 * pi) ** (d / 2), printed=True,
        reason="(l8) has the factor e^C, not C"),
    Step("rff.const-C/p(0)", (2 * pi) ** (-d / 2), (2 * pi) ** (d / 2), printed=True,
        reason="p carries the factor (2 pi)^-d of (8)"),
    Step("rff.const-C/corrected", exp(d * log(2 * pi) / 2), (2 * pi) ** (d / 2), check=Rewrite(),
        replaces="rff.const-C/C", reason="e^C = F(f)(0)"),
    Step("rff.const-C/corrected p(0)", at((2 * pi) ** (-d) * u, {u: (2 * pi) ** (d / 2)}), (2 * pi) ** (-d / 2),
        check=Rewrite(), replaces="rff.const-C/p(0)"))  # fmt: skip

claim("rff.bochner", "a function of x - y that is no inner product need not have a nonnegative transform",
    (Variable(w, "frequency", above=0),), ({"w": 4},),
    Step("rff.bochner/(b)", sin(w) / (pi * w), sympy.S.Zero, ">=", printed=True,
        reason="reading (b): k = 1 on [-1, 1], 0 elsewhere, transform (1/2 pi) int_-1^1 cos(w z) dz"),
    Step("rff.bochner/triangle", (1 - cos(w)) / (pi * w**2), sympy.S.Zero, ">=", check=Sign(),
        replaces="rff.bochner/(b)",
        reason="the triangle 1 - |z| on [-1, 1], an inner product of indicators, has this transform"))  # fmt: skip

claim("rff.eq10", "real form of the features, their norm, unbiasedness",
    (*REALS, FEATURES, lemmas.ARGUMENT, Variable(u, "phase", low=0)),
    tuple({**p, "m": n, "t": "1/3", "u": 1} for p, n in zip(REAL_POINTS, (1, 3, 64), strict=True)),
    Step("rff.eq10/real part", cos(w * (x - y)), cos(w * x) * cos(w * y) + sin(w * x) * sin(w * y),
        check=Rewrite(), printed=True),
    Step("rff.gamma-w/conjugate", at(exp(sympy.I * w * x), {x: -x}), sympy.conjugate(exp(sympy.I * w * x)),
        check=Rewrite(), printed=True),
    Step("rff.eq12/norm", sqrt((cos(w * x) ** 2 + sin(w * x) ** 2) / m), 1 / sqrt(m),
        check=Rewrite(), printed=True, reason="(12) holds with equality"),
    Step("rff.unbiased/axis", _wave, exp(-(lemmas.t**2) / 2), check=Use("lemma.normal_cf", {}), printed=True,
        reason="E cos(w.Delta) = k(Delta), Gaussian kernel"),
    Step("rff.cosproduct/printed", (exp(-((x - y) ** 2) / 2) + exp(-((x + y) ** 2) / 2)) / 2,
        exp(-((x - y) ** 2) / 2), printed=True, reason="E cos(w x) cos(w y) = (k(x - y) + k(x + y))/2"),
    Step("rff.cosproduct/corrected", 2 * cos(w * x + u) * cos(w * y + u), cos(w * (x - y)) + cos(w * (x + y) + 2 * u),
        check=Rewrite(), replaces="rff.cosproduct/printed",
        reason="with a uniform phase u the second cosine has mean zero",
        points=({"x": 1, "y": 1, "w": 2, "u": "1/3", "m": 1, "t": 1},)))  # fmt: skip

# ---- Hoeffding ---------------------------------------------------------------------------------------------

_TAIL = (FEATURES, ERROR)
_TAIL_POINTS: tuple[dict[str, Exact], ...] = ({"m": 2, "eps": 1}, {"m": 1, "eps": "1/3"},
    {"m": 500, "eps": "1/10"})  # fmt: skip
_l1 = 2 * exp(-2 * eps**2 / (m * (2 * sqrt(1 / m)) ** 2))
_i0 = Sum((u / 4) ** k / factorial(k) ** 2, (k, 0, oo))
_i0_bound = Sum((u / 4) ** k / factorial(k), (k, 0, oo))
_PHASED = (*_TAIL, Variable(u, "squared argument", low=0))
_PHASED_POINTS: tuple[dict[str, Exact], ...] = ({"m": 1, "eps": 1, "u": "1/3"},
    {"m": 7, "eps": "1/3", "u": 9})  # fmt: skip


def _series_terms(step: Step, scope: Scope) -> str:
    """x/(k!)^2 <= x/k! for x >= 0, since k! >= 1."""
    ratio = factorial(k)
    known = (
        step.relation == "<="
        and scope.range(step.left).nonnegative
        and vanishes(step.right / step.left - ratio)
    )
    return f"the terms are nonnegative with ratio {ratio} >= 1" if known else ""


claim("rff.eq14", "pointwise tail bound of the sine-cosine map, in both forms", _TAIL, _TAIL_POINTS,
    Step("rff.eq13/(b)", sympy.S.One, 2 * exp(-2 * 2**2 * HALF**2 / 2), "<=", printed=True,
        reason="E[X] read as the mean of one X_i: X_1 = X_2 = 1 in [0, 1], t = 1/2, so that |sum - 1| >= N t surely"),
    Step("rff.eq14/l1", at(2 * exp(-2 * eps**2 / (m * u**2)), {u: 2 * sqrt(1 / m)}), 2 * exp(-(eps**2) / 2),
        check=Rewrite(), printed=True,
        reason="what the printed ranges 2 sqrt(1/D) give: no dependence on D"),
    Step("rff.eq14/l2", _l1, 2 * exp(-m * eps**2 / 2), "<=", printed=True),
    Step("rff.eq14/corrected", at(2 * exp(-2 * eps**2 / (m * u**2)), {u: 2 / m}), bounds.hoeffding_bound.expression,
        check=Rewrite(), replaces="rff.eq14/l2",
        reason="cos(w.Delta)/D has the range 2/D; (13) with reading (a) is Hoeffding's theorem"),
    Step("rff.eq13/(a)", at(2 * exp(-2 * m**2 * eps**2 / (m * u**2)), {eps: eps / m, u: 2 / m}),
        bounds.hoeffding_bound.expression, check=Rewrite(), replaces="rff.eq13/(b)",
        reason="E[X] read as the mean of the sum"),
    Step("rff.paper-loose/(a)", -m * eps**2 / 2, -m * eps**2 / 4, "<=", check=Sign(m * eps**2 / 4), printed=True,
        reason="exponents, D vectors"),
    Step("rff.paper-loose/(b)", at(-m * eps**2 / 4, {m: 2 * m}), -m * eps**2 / 2, check=Rewrite(), printed=True,
        reason="D = 2 m entries: the same bound"))  # fmt: skip

claim("rff.phase-tail",
    "tail bound 2 exp(-m eps^2/3) of the random phase map, better than the printed 2 exp(-m eps^2/4)", _PHASED,
    _PHASED_POINTS,
    Step("rff.phase-tail/I0", _i0, _i0_bound, "<=", check=Termwise(Holds(_series_terms)),
        reason="E exp(t cos) = I_0(t), u = t^2: termwise at most exp(t^2/4)"),
    Step("rff.phase-tail/exp", _i0_bound, exp(u / 4), check=Use("definition.exp", {lemmas.t: u / 4})),
    Step("rff.phase-tail/joint", at(lemmas.t * exp(u / 4), {lemmas.t: exp(u / 2)}), exp(3 * u / 4),
        check=Rewrite(),
        reason="cos(w.Delta) in [-1, 1]: exp(t^2/2) (Hoeffding's lemma); the phase is independent of it"),
    Step("rff.phase-tail/Chernoff", at(m * (Rational(3, 4) * u**2 - u * eps), {u: 2 * eps / 3}), -m * eps**2 / 3,
        check=Rewrite(), reason="t = 2 eps/3"),
    Step("rff.phase-tail/paper", -m * eps**2 / 3, -m * eps**2 / 4, "<", check=Sign(m * eps**2 / 12),
        reason="so the paper's bound holds for its own map"),
    source="ours")  # fmt: skip

# ---- covering ------------------------------------------------------------------------------------------------

_r, _ell = sympy.symbols("r ell", positive=True)
_COVER = (DIMENSION, Variable(_r, "radius", above=0), Variable(_ell, "diameter", above=0))


_CAPS = d * gamma(d / 2) * sqrt(pi) / gamma((d + 1) / 2) * (d / (2 * (d + 1))) ** (d / 2)


def jung_small(step: Step, _: Scope) -> str:
    """2 (1 - sqrt(d/(2(d+1)))) >= 1/sqrt(2) for d = 1, 2, 3, each by enclosures."""
    stated = step.left, step.relation, step.right
    if (
        stated != (2 - 2 * sqrt(d / (2 * (d + 1))), ">=", 1 / sqrt(2))
        or sympy.Le(d, 3) not in step.conditions
    ):
        return ""
    with ctx.workprec(80):
        margins = [2 - 2 * (arb(n) / (2 * (n + 1))).sqrt() - arb("0.5").sqrt() for n in (1, 2, 3)]
    return "enclosures at d = 1, 2, 3" if all(margin > 0 for margin in margins) else ""


def caps(step: Step, _: Scope) -> str:
    """g(d) = d B(d/2, 1/2) 2^(-d/2) (d/(d+1))^(d/2) <= 1 for d >= 4.

    Without the last factor g(d + 2)/g(d) = (d + 2)/(2 (d + 1)) <= 1, and the values at 8 and 9 are below 1; the values
    at 4 to 7 are enclosed with it.
    """
    stated = step.left, step.relation, step.right
    if stated != (_CAPS, "<=", 1) or sympy.Ge(d, 4) not in step.conditions:
        return ""

    def value(size: int, with_factor: bool) -> arb:
        half = arb(size) / 2
        beta = half.gamma() * arb.pi().sqrt() / (half + arb(1) / 2).gamma()
        factor = (arb(size) / (size + 1)) ** half if with_factor else arb(1)
        return size * beta / arb(2) ** half * factor

    n = sympy.Dummy("n", positive=True)
    g = n * gamma(n / 2) / gamma((n + 1) / 2)
    ratio = sympy.simplify(sympy.expand_func(g.subs(n, n + 2) / g) / 2 - (n + 2) / (2 * (n + 1)))
    with ctx.workprec(80):
        small = all(value(size, True) < 1 for size in (4, 5, 6, 7)) and all(
            value(size, False) < 1 for size in (8, 9)
        )
    return "enclosures at d = 4..9 and the ratio of values two apart" if ratio == 0 and small else ""


claim("rff.eq15", "covering number at most (2 diam/r)^d for r <= 2 diam, centres in the set", _COVER,
    ({"d": 1, "r": 3, "ell": 1}, {"d": 3, "r": "1/2", "ell": 1}),
    Step("rff.eq15/printed", sympy.S.One, (2 * _ell / _r) ** d, "<=", printed=True,
        reason="a covering needs at least one ball: fails for r > 2 diam, and for a single point"),
    Step("rff.eq15/volumes", (_ell + _r / 2) / (_r / 2), 1 + 2 * _ell / _r, check=Rewrite(),
        reason="r-separated points in a ball of radius ell"),
    Step("rff.eq15/small d", 2 - 2 * sqrt(d / (2 * (d + 1))), 1 / sqrt(2), ">=", check=Holds(jung_small),
        conditions=(sympy.Le(d, 3),),
        reason=("d <= 3: volumes in the Jung ball for r <= 2 (1 - R) diam; from diam/sqrt(2) to diam all angles "
        "are acute, so at most 2^d points (Danzer, Gruenbaum)")),
    Step("rff.eq15/corrected", _CAPS, sympy.S.One, "<=", check=Holds(caps), conditions=(sympy.Ge(d, 4),),
        points=({"d": 4, "r": 1, "ell": 1}, {"d": 64, "r": 1, "ell": 1}), replaces="rff.eq15/printed",
        reason=("d >= 4: separated points of the Jung ball lifted to the sphere above it carry disjoint caps, at "
        "most d B(d/2, 1/2) (2R/r)^d of them")))  # fmt: skip

claim("rff.diamDelta", "diam(M - M) = 2 diam(M), but not for the printed reason",
    (Variable(u, "diameter of M", above=0), *_TWO_SLACKS, Variable(x, "a difference")),
    ({"u": 1, "p": 0, "q": 0, "x": 1}, {"u": 3, "p": "1/3", "q": 1, "x": "-7/2"}),
    Step("rff.diamDelta/l2", 2 / sqrt(3), sympy.S.One, "<=", printed=True,
        reason=("equilateral triangle of side 1: 2 x_max = 2/sqrt(3) exceeds max |Delta| = diam(M) = 1; -x_max "
        "is not in M")),
    Step("rff.diamDelta/attained", at(sympy.Abs(x - y), {y: -x}), 2 * sympy.Abs(x), check=Rewrite(),
        printed=True, reason="Delta and -Delta are both in M - M, and |Delta| = diam(M) for one of them"),
    Step("rff.diamDelta/longest", (u - _slacks[0]) + (u - _slacks[1]), 2 * u, "<=", check=Sign(),
        replaces="rff.diamDelta/l2",
        reason="no difference of differences is longer: |Delta - Delta'| <= |Delta| + |Delta'|, each at most diam(M)"))  # fmt: skip

# ---- the proof of the uniform bound ------------------------------------------------------------------------------

_FREQUENCIES = (4, 5, 7)
_PLACES = (Rational(143, 50), Rational(52, 25), Rational(11, 10))


def slope(frequency: int, place: sympy.Expr) -> sympy.Expr:
    """Derivative of f = s - k at a place, D = 1, w one of 4, 5, 7 with equal probability."""
    mean = sympy.Add(*(n * sin(n * place) for n in _FREQUENCIES)) / len(_FREQUENCIES)
    return mean - frequency * sin(frequency * place)


_slopes = [slope(n, at) for n, at in zip(_FREQUENCIES, _PLACES, strict=True)]
_second, _mean1, _spread = sympy.symbols("E_w2 mean_norm spread", nonnegative=True)
_g = Rational(2, 5)
_late = (w + 3 * pi / (2 * w) * exp(-((3 * pi / (2 * w)) ** 2) / 2)) ** 2 * exp(-(w**2) / 2) / sqrt(2 * pi)
_early = (exp(-HALF) - w * sin(w)) ** 2 * exp(-(w**2) / 2) / sqrt(2 * pi)

_half, _norm, _norms, _apart, _cosine = sympy.symbols("h w_1 w_mean delta c", nonnegative=True)
_along = Integral(sin(lemmas.t + lemmas.x), (lemmas.x, -_half, _half))
_length = Integral(sympy.S.One, (lemmas.x, -_half, _half))
_share_of_norm = _cosine * _norm * _apart / 2
_wave_of_w = cos(lemmas.t - _share_of_norm) - cos(lemmas.t + _share_of_norm)

claim("rff.EL2", "E L_f^2 may exceed sigma_p^2; it is at most 4 sigma_p^2",
    (FEATURES, Variable(_mean1, "E |w|", low=0), Variable(_spread, "variance of |w|", low=0), lemmas.ARGUMENT,
        Variable(_half, "half of a length", low=0), Variable(_norm, "norm of a frequency", low=0),
        Variable(_norms, "mean of the m norms |w_i|", low=0), Variable(_apart, "|Delta - Delta'|", low=0),
        Variable(_cosine, "|cosine| between w and Delta - Delta'", low=0, high=1), *_TWO_SLACKS),
    ({"m": 1, "mean_norm": 1, "spread": "1/3", "t": "1/3", "h": 1, "w_1": 2, "w_mean": 2, "delta": "1/2", "c": 1,
        "p": 0, "q": "1/3"},
        {"m": 9, "mean_norm": 3, "spread": 0, "t": "-7/2", "h": "1/5", "w_1": 3, "w_mean": "7/3", "delta": 1,
            "c": "1/3", "p": 1, "q": 0}),
    Step("rff.EL2/l6", sympy.Add(*(s**2 for s in _slopes)) / 3, sympy.Integer(30), "<=", printed=True,
        reason=("d = 1, D = 1, w one of 4, 5, 7: lower bound of E L_f^2 from three places, sigma_p^2 = 30; "
        "Delta* depends on w, so (l2) to (l3) is not allowed")),
    Step("rff.EL2/Gaussian", 2 * Integral(_early, (w, 0, _g)) + 2 * Integral(_late, (w, _g, 8)), sympy.S.One, "<=",
        printed=True,
        reason=("Gaussian kernel, d = 1, D = 1, diam(M) >= 12: L >= |f'(1)| for |w| < 2/5, and at Delta = 3 "
        "pi/(2 w) for larger w")),
    Step("rff.EL2/arc", _along, cos(lemmas.t - _half) - cos(lemmas.t + _half),
        check=Antiderivative(-cos(lemmas.t + lemmas.x)), reason="from one point to another, 2 h apart"),
    Step("rff.EL2/bodies", _along, _length, "<=", check=Termwise(Sign()), reason="a sine is at most 1"),
    Step("rff.EL2/length", _length, 2 * _half, check=Antiderivative(lemmas.x)),
    Step("rff.EL2/wave", cos(lemmas.t - _half) - cos(lemmas.t + _half), 2 * _half, "<=", check=Chain(),
        reason="for t and for -t, so that |cos a - cos b| <= |a - b|"),
    Step("rff.EL2/wave of w", _wave_of_w, 2 * _share_of_norm, "<=",
        check=Instance("rff.EL2/wave", {_half: _share_of_norm}), reason="2 h = |w.(Delta - Delta')| = c |w| |Delta - Delta'|"),
    Step("rff.EL2/Cauchy-Schwarz", 2 * _share_of_norm, _norm * _apart, "<=",
        check=Sign(_norm * _apart * (1 - _cosine)), reason="c <= 1"),
    Step("rff.EL2/one frequency", _wave_of_w, _norm * _apart, "<=", check=Chain(),
        reason="cos(w.Delta) changes by at most |w| |Delta - Delta'|"),
    Step("rff.EL2/slope", (_norms * _apart - _slacks[0]) + (_mean1 * _apart - _slacks[1]), (_norms + _mean1) * _apart,
        "<=", check=Sign(_slacks[0] + _slacks[1]),
        reason=("s is the mean of m waves, k the expectation of one: f = s - k changes by at most (mean |w_i| + E |w|) "
        "|Delta - Delta'|, so that L_f <= mean |w_i| + E |w|, as do all gradients")),
    Step("rff.EL2/second moment", (m * (_mean1**2 + _spread) + m * (m - 1) * _mean1**2) / m**2 + 2 * _mean1 * _mean1 + _mean1**2,
        _spread / m + (2 * _mean1) ** 2, check=Rewrite(),
        reason=("of mean |w_i| + E |w|: m squares with the mean E |w|^2 = (E |w|)^2 + variance, m (m - 1) products of "
        "independent norms, the mixed term, (E |w|)^2")),
    Step("rff.EL2/corrected", _spread / m + (2 * _mean1) ** 2, 4 * (_mean1**2 + _spread), "<=",
        check=Sign(_spread * (4 - 1 / m)), replaces=("rff.EL2/l6", "rff.EL2/Gaussian"),
        reason="sigma_p^2 = E |w|^2 = (E |w|)^2 + variance"))  # fmt: skip

claim("rff.eq18", "tail of the Lipschitz constant: 4 (2 r sigma_p/beta)^2 in place of (2 r sigma_p/beta)^2",
    (Variable(_second, "sigma_p^2", low=0), Variable(_r, "radius", above=0), Variable(eps, "beta", above=0),
        Variable(_slacks[0], "4 sigma_p^2 - E L_f^2", low=0)),
    ({"E_w2": 1, "r": 1, "eps": "1/2", "p": 0}, {"E_w2": 7, "r": "1/3", "eps": 1, "p": 3}),
    Step("rff.eq18/lower", sympy.Min(*(s**2 for s in _slopes)), sympy.Integer(36), ">=", check=constant,
        reason="w one of 4, 5, 7: L >= 6 surely"),
    Step("rff.eq18/l2", sympy.S.One, Rational(30, 36), "<=", printed=True,
        reason="so P(L >= 6) = 1, while (sigma_p/6)^2 = 30/36; beta/(2 r) = 6"),
    Step("rff.eq18/corrected", (4 * _second - _slacks[0]) / (eps / (2 * _r)) ** 2, (4 * _r / eps) ** 2 * _second, "<=",
        check=Sign(4 * _slacks[0] * _r**2 / eps**2), replaces="rff.eq18/l2",
        reason="Markov's bound E L_f^2/t at t = (beta/(2 r))^2, with E L_f^2 <= 4 sigma_p^2"))  # fmt: skip

claim("rff.Lf-def", "the largest gradient over M - M is no Lipschitz constant where M - M is not convex", (), (),
    Step("rff.Lf-def/printed", sympy.Abs(cos(pi) - exp(-HALF)), exp(-HALF), "<=", printed=True,
        reason=("M = {0, 1}, D = 1, w = pi, Gaussian kernel: |f(1) - f(0)|/1 against |f'(0)| = 0 and |f'(1)| = "
        "exp(-1/2)")),
    Step("rff.Lf-def/corrected", sympy.Abs(cos(pi) - exp(-HALF)), pi + exp(-HALF), "<=", check=constant,
        replaces="rff.Lf-def/printed",
        reason="the supremum over the convex hull, here at most |w| + max |k'|"))  # fmt: skip

claim("rff.taylor", "a first-order expansion is no equivalence", (), (),
    Step("rff.taylor/l2", sympy.Abs(cos(pi) - exp(-(pi**2) / 8)), Rational(1, 10), "<=", printed=True,
        reason=("D = 1, w = 2, Gaussian kernel, Delta_j = 0 and Delta = pi/2: f(0) + f'(0) Delta = 0 <= beta = "
        "1/10, |f(Delta)| is not")),
    Step("rff.taylor/corrected", sympy.Abs(cos(pi) - exp(-(pi**2) / 8)), (2 + exp(-HALF)) * pi / 2, "<=",
        check=constant, replaces="rff.taylor/l2",
        reason="|f(Delta)| <= |f(Delta_j)| + L |Delta - Delta_j| is what the proof needs"))  # fmt: skip

_zero = sympy.S.Zero
_indicators = sympy.symbols("A B", nonnegative=True)
_anchors = sympy.Symbol("T", integer=True, positive=True)
_bad_anchor, _steep = 2 * _anchors * exp(-m * eps**2 / 8), (4 * _r / eps) ** 2 * _second
claim("rff.eq16", "the event of a small error contains, but does not equal, the event of the proof",
    (Variable(lemmas.t, "argument of a cosine"), Variable(_indicators[0], "indicator", low=0, high=1),
        Variable(_indicators[1], "indicator", low=0, high=1), Variable(eps, "beta", above=0), FEATURES, *_TWO_SLACKS,
        Variable(_anchors, "number of anchors", integer=True, low=1), Variable(_second, "sigma_p^2", low=0),
        Variable(_r, "radius", above=0)),
    ({"t": "pi", "A": 1, "B": 0, "eps": 1, "m": 3, "p": 0, "q": "1/3", "T": 1, "E_w2": 1, "r": 1},
        {"t": "1/3", "A": 1, "B": 1, "eps": "1/5", "m": 1, "p": "1/2", "q": 0, "T": 64, "E_w2": 7, "r": "1/3"}),
    Step("rff.bounds/l1", cos(pi), _zero, ">=", printed=True,
        reason="k(Delta) = cos Delta is a normalised shift-invariant kernel"),
    Step("rff.bounds/below", cos(lemmas.t), -sympy.S.One, ">=", check=Sign(), replaces="rff.bounds/l1",
        reason="k(Delta) is a mean of cosines, by Bochner's theorem; attained by cos Delta at Delta = pi"),
    Step("rff.bounds/above", cos(lemmas.t), sympy.S.One, "<=", check=Sign(), reason="attained at Delta = 0"),
    Step("rff.eq16/l1", sympy.S.One, _zero, printed=True,
        reason=("w = 0 or pi with probability 1/2, D = 1, M = {0, 1}: |f(1)| = 1 surely, so with beta = 1 the "
        "left side is 1 and the right side 0")),
    Step("rff.eq16/l3", _zero, 1 - sympy.S.One - sympy.S.One, printed=True,
        reason="same model, r = 1: both events are certain (L = pi/2 >= 1/2), so (l2) is 0 and (l3) is -1"),
    Step("rff.eq16/l1 corrected", (eps / 2 - _slacks[0]) + (eps / 2 - _slacks[1]), eps, "<=", check=Sign(),
        reason="inclusion of events: |f| <= beta/2 at the next anchor, and L_f r <= beta/2 more on the way from it",
        replaces="rff.eq16/l1"),
    Step("rff.eq16/l3 corrected", (1 - _indicators[0]) * (1 - _indicators[1]), 1 - _indicators[0] - _indicators[1],
        ">=", check=Sign(_indicators[0] * _indicators[1]),
        reason="the indicator that neither event happens; take expectations", replaces="rff.eq16/l3"),
    Step("rff.eq17/l2", sympy.Integer(2), 2 * 3 * exp(-Rational(1, 8)), printed=True,
        reason="same model, anchors -1, 0, 1: the probabilities add to 2"),
    Step("rff.combine/corrected", 1 - (_bad_anchor - _slacks[0]) - (_steep - _slacks[1]), 1 - _bad_anchor - _steep, ">=",
        check=Sign(_slacks[0] + _slacks[1]),
        reason="one minus the probabilities of the two events, each at most its bound: that of (17), that of (18) corrected"),
    Step("rff.eq17/corrected", _anchors * (2 * exp(-m * eps**2 / 8) - _slacks[0]),
        2 * _anchors * exp(-m * eps**2 / 8), "<=", check=Sign(_anchors * _slacks[0]),
        reason="T probabilities, each at most what Hoeffding's inequality gives",
        replaces="rff.eq17/l2"))  # fmt: skip

claim("rff.epsnet-eq", "an epsilon-net need not have the radii eps/2 and eps; the packing radius",
    (Variable(u, "radius", above=0), *_TWO_SLACKS, Variable(x, "centre"), Variable(y, "centre")),
    ({"u": 1, "p": "1/3", "q": "1/2", "x": 1, "y": 4}, {"u": 3, "p": 1, "q": "1/7", "x": "-7/2", "y": "1/3"}),
    Step("rff.epsnet-eq/packing", HALF, Rational(3, 10), printed=True,
        reason="M = [0, 1], X = {0, 1}, eps = 3/5: r_p = 1/2"),
    Step("rff.epsnet-eq/covering", HALF, Rational(3, 5), printed=True, reason="same net: r_c = 1/2"),
    Step("rff.epsnet-eq/packing corrected", HALF, Rational(3, 10), ">=", check=constant,
        replaces="rff.epsnet-eq/packing"),
    Step("rff.epsnet-eq/covering corrected", HALF, Rational(3, 5), "<=", check=constant,
        replaces="rff.epsnet-eq/covering"),
    Step("rff.epsnet-eq/packing of a net", (u + _slacks[0]) / 2, u / 2, ">=", check=Sign(),
        reason="the points of a net of radius u are further than u apart: half of their distance"),
    Step("rff.epsnet-eq/covering of a net", u / (1 + _slacks[1]), u, "<=", check=Sign(u * _slacks[1] / (1 + _slacks[1])),
        reason="every point is within u of the net: the largest distance"),
    Step("rff.packing/l1", sympy.Integer(5), HALF, printed=True,
        reason=("M = {0, 1, 10}: all balls together have a common point only from r = 5 on; half of the smallest "
        "distance is 1/2")),
    Step("rff.packing/l2", (u - _slacks[0]) + (u - _slacks[1]), 2 * u, "<=", check=Sign(), replaces="rff.packing/l1",
        reason="two open balls of radius u with a common point: the centres are less than 2 u apart"),
    Step("rff.packing/midpoint", sympy.Abs(x - (x + y) / 2), sympy.Abs(x - y) / 2, check=Rewrite(),
        reason="the midpoint lies in both balls as soon as the distance is less than 2 u"))  # fmt: skip

# ---- optimal radius and the constants ----------------------------------------------------------------------------

_TWO_TERMS = (DIMENSION, Variable(a, "coefficient of r^-d", above=0),
    Variable(b, "coefficient of r^2", above=0))  # fmt: skip
_TWO_POINTS: tuple[dict[str, Exact], ...] = ({"d": 2, "k1": 16, "k2": 1}, {"d": 1, "k1": 2, "k2": 3},
    {"d": 7, "k1": "1/3", "k2": 5})  # fmt: skip
_best = bounds.net_radius.expression
_ratio = (a / b) ** (1 / (d + 2))
_c = sympy.Symbol("c", positive=True)
_share = a ** (2 / (d + 2)) * b ** (d / (d + 2))

claim("rff.ropt", "best radius of k1 r^-d + k2 r^2, its value, and the bound 2 on the constant",
    (*_TWO_TERMS, Variable(_c, "scaled radius", above=0)), tuple({**p, "c": "1/2"} for p in _TWO_POINTS),
    Step("rff.ropt/printed", d * a * bounds.PRINTED_RADIUS ** (-d - 1), 2 * b * bounds.PRINTED_RADIUS, printed=True,
        reason="stationarity at the printed radius"),
    Step("rff.ropt/corrected", d * a * _best ** (-d - 1), 2 * b * _best, check=Rewrite(),
        replaces="rff.ropt/printed", reason="r = (d k1/(2 k2))^(1/(d+2)); k1 r^-d + k2 r^2 is convex in log r"),
    Step("rff.ropt/least", (_c ** (-d - 2)) ** (2 / (d + 2)), 1 + 2 / (d + 2) * (_c ** (-d - 2) - 1), "<=",
        check=Instance("lemma.bernoulli", {lemmas.a: _c ** (-d - 2), lemmas.w: 2 / (d + 2)}),
        reason=("times c^2: 1 <= (2 c^-d + d c^2)/(d + 2), so that at c times the best radius, where k1 r^-d has the "
        "share 2/(d + 2) and k2 r^2 the rest, the two terms are no less")),
    Step("rff.c-form/at printed r", a * bounds.PRINTED_RADIUS ** (-d) + b * bounds.PRINTED_RADIUS**2,
        _share * (bounds.PRINTED_CONSTANT ** (-d) + bounds.PRINTED_CONSTANT**2), printed=True),
    Step("rff.c-form/corrected", a * (_c * _ratio) ** (-d) + b * (_c * _ratio) ** 2, _share * (_c ** (-d) + _c**2),
        check=Holds(lambda step, scope: two_powers(step)), replaces="rff.c-form/at printed r",
        reason="r = c (k1/k2)^(1/(d+2)) for any c"),
    Step("rff.c-sum/l1", bounds.PRINTED_CONSTANT ** (-d) + bounds.PRINTED_CONSTANT**2, sympy.Integer(2), "<=",
        printed=True, reason="c = (d/2)^(1/d)"),
    Step("rff.c-sum/corrected", at(u ** (-d) + u**2, {u: sympy.S.One}), sympy.Integer(2), check=Rewrite(),
        replaces="rff.c-sum/l1",
        reason="c = 1 gives 2 for every d; the best c = (d/2)^(1/(d+2)) gives at most that"))  # fmt: skip


def two_powers(step: Step) -> str:
    """Both sides are sums of two products of powers, which agree one by one by their logarithms."""
    sides = [sympy.Add.make_args(sympy.expand_mul(side)) for side in (step.left, step.right)]
    if [len(terms) for terms in sides] != [2, 2]:
        return ""

    def same(first: sympy.Expr, second: sympy.Expr) -> bool:
        gap = sympy.expand_log(log(first)) - sympy.expand_log(log(second))
        return vanishes(gap)

    (p, q), right = sides
    found = any(same(p, r) and same(q, s) for r, s in (right, right[::-1]))
    return "exponents of k1, k2 and c in both terms" if found else ""


def constant_claim(
    identifier: str, base: int, printed: bool, first: sympy.Expr, expression: sympy.Expr, index: sympy.Expr
) -> None:
    """base (1 + 2/n) (n/base)^(2/(n+2)) <= base + 2, by y^t <= 1 + t (y - 1), n = ``index``."""
    theta, ratio = 2 / (index + 2), index / base
    claim(
        identifier,
        f"constant at most {base + 2}" if index == d else f"constant at most {base + 2} over 2 d dimensions",
        (DIMENSION,),
        ({"d": 1}, {"d": base}, {"d": 1000}),
        Step(f"{identifier}/forms", first, expression, check=Holds(same_logarithm), printed=printed),
        Step(
            f"{identifier}/means",
            ratio**theta,
            1 + theta * (ratio - 1),
            "<=",
            check=Instance("lemma.bernoulli", {lemmas.a: ratio, lemmas.w: theta}),
        ),
        Step(
            f"{identifier}/sum",
            base * (1 + 2 / index) * (1 + theta * (ratio - 1)),
            sympy.Integer(base + 2),
            check=Rewrite(),
        ),
        Step(
            f"{identifier}/bound",
            expression,
            sympy.Integer(base + 2),
            "<=",
            check=FromInequality(f"{identifier}/means", base * (1 + 2 / index), (f"{identifier}/sum",)),
        ),
        Step(
            f"{identifier}/attained",
            at(expression, {d: sympy.Integer(base if index == d else base // 2)}),
            sympy.Integer(base + 2),
            check=Rewrite(),
            printed=printed,
        ),
    )


constant_claim(
    "ss15.unif-pair.constant",
    64,
    True,
    bounds.ss_pair_constant.all_routes["printed"].how,
    bounds.ss_pair_constant.expression,
    d,
)  # type: ignore[arg-type]
constant_claim(
    "ss15.unif-phase.constant",
    96,
    True,
    bounds.ss_phase_constant.all_routes["printed"].how,
    bounds.ss_phase_constant.expression,
    2 * d,
)  # type: ignore[arg-type]
constant_claim(
    "rff.uniform-constant",
    144,
    False,
    bounds.uniform_constant.all_routes["bracket"].how,
    bounds.uniform_constant.expression,
    d,
)  # type: ignore[arg-type]

# ---- the end of the proof ------------------------------------------------------------------------------------------

_X = sympy.Symbol("X", positive=True)
_rate = m * eps**2 / 8
_logk1 = log(2) + d * log(4) + d * log(_X) - _rate
_logk2 = 2 * log(2) - 0 * _X
_UNIFORM = (FEATURES, DIMENSION, ERROR, bounds.SIGMA, bounds.DIAMETER, Variable(u, "log of diam sigma/eps", low=0),
    Variable(_X, "diam sigma/eps", above=0))  # fmt: skip
_UNIFORM_POINTS = ({"m": 10, "d": 1, "eps": "1/3", "u": 0, "X": 1, "sigma": 1, "diam": 1},
    {"m": 500, "d": 9, "eps": 1, "u": 3, "X": 20, "sigma": 2, "diam": 10})  # fmt: skip

claim("rff.final", "end of the proof: the constants 2^((7d+4)/(d+2)) and 2^8 follow from the two-term bound",
    _UNIFORM, _UNIFORM_POINTS,
    Step("rff.final/l2", log(2) + 2 / (d + 2) * _logk1 + d / (d + 2) * _logk2 + 0 * u,
        (7 * d + 4) / (d + 2) * log(2) + 2 * d / (d + 2) * log(_X) - m * eps**2 / (4 * (d + 2)),
        check=Rewrite(), printed=True,
        reason="logarithms, units in which sigma_p/eps = 1; an equality"),
    Step("rff.final/constant", (7 * d + 4) / (d + 2), sympy.Integer(7), "<", check=Sign(10 / (d + 2)),
        reason="so already 2^7 would do in the printed last line"),
    Step("rff.final/l3", (7 * d + 4) / (d + 2), sympy.Integer(8), "<=", check=Sign((d + 12) / (d + 2)), printed=True),
    Step("rff.final/power", 2 * d / (d + 2) * u, 2 * u, "<=", check=Sign(4 * u / (d + 2)), printed=True,
        reason="diam sigma_p/beta = e^u >= 1, the assumption of the text"),
    Step("rff.final/anchors", at(2 * exp(-m * eps**2 / 2), {eps: eps / 2}), 2 * exp(-_rate), check=Rewrite(),
        reason="Hoeffding at eps/2"),
    Step("rff.final/repaired", bounds.uniform_bound.all_routes["net optimum"].how, bounds.uniform_bound.expression,
        check=Holds(same_logarithm),  # type: ignore[arg-type]
        reason="the best r for (3 diam/r)^d balls and 4 sigma_p^2",
        points=({"m": 9, "d": 2, "eps": "1/3", "sigma": 1, "diam": 2, "u": 1, "X": 1},)))  # fmt: skip

claim("rff.claim", "the claim with 2^8 holds, with and without the assumption of its last step",
    (DIMENSION, Variable(u, "m eps", low="32/15"), Variable(_X, "diam sigma/eps", above=0, high="1/4")),
    ({"d": 1, "u": 4, "X": "1/4"}, {"d": 9, "u": 40, "X": "1/100"}),
    Step("rff.claim/large", (d / Rational(9)) ** (2 / (d + 2)), 1 + 2 / (d + 2) * (d / Rational(9) - 1), "<=",
        check=Instance("lemma.bernoulli", {lemmas.a: d / Rational(9), lemmas.w: 2 / (d + 2)}),
        reason="diam sigma_p/eps >= 1/4: X^(2d/(d+2)) <= 16^(2/(d+2)) X^2"),
    Step("rff.claim/large, sum", 144 * (1 + 2 / d) * (1 + 2 / (d + 2) * (d / Rational(9) - 1)), sympy.Integer(176),
        check=Rewrite()),
    Step("rff.claim/large, constant", sympy.Integer(176), sympy.Integer(2) ** 8, "<", check=constant),
    Step("rff.claim/small, few", 4 * exp(Rational(32, 90)), sympy.Integer(2) ** 8, "<", check=constant,
        reason="X < 1/4 and m eps < 32/15: Markov gives 4 X^2, and m eps^2/12 <= 32/90"),
    Step("rff.claim/small, base", 8 * exp(1) * _X**2 * 2 / 15, 3 * _X**2, "<=",
        check=Sign(_X**2 * (3 - 16 * exp(1) / 15)),
        reason="Chernoff: P <= (8 e X^2 eps/15)^n, n = 15 m eps/32 >= 1, eps <= 2"),
    Step("rff.claim/small, exponent", log(16 * exp(1) / 15 / 16) * (15 * u / 32 - 1) + u / 6,
        Rational(32, 90) + (Rational(32, 90) + log(exp(1) / 15)) * (15 * u / 32 - 1),
        check=Rewrite(),
        reason="logarithm of base^(n-1) exp(m eps^2/12), n - 1 = 15 m eps/32 - 1 >= 0"),
    Step("rff.claim/small, slope", Rational(32, 90) + log(exp(1) / 15), sympy.S.Zero, "<", check=constant),
    Step("rff.claim/small, constant", 3 * exp(Rational(32, 90)), sympy.Integer(2) ** 8, "<", check=constant),
    source="ours, for the claim of the walk-through")  # fmt: skip

# ---- neighbouring literature -------------------------------------------------------------------------------

_k1, _k2 = fourier.k1, fourier.k2
_KERNELS = (FEATURES, fourier.KERNEL, fourier.KERNEL_TWICE, Variable(z, "|x - y|", low=0))
_KERNEL_POINTS: tuple[dict[str, Exact], ...] = ({"m": 1, "k1": "1/2", "k2": "1/3", "z": 1},
    {"m": 9, "k1": 0, "k2": -1, "z": "1/3"})  # fmt: skip
_q = sympy.Symbol("q", positive=True)

claim("ss15.var", "variances of both maps, and which is smaller",
    (*_KERNELS, Variable(_q, "exp(-z^2)", above=0, high=1)), tuple({**p, "q": "1/3"} for p in _KERNEL_POINTS),
    Step("ss15.var/double angle", cos(z) ** 2, (1 + cos(2 * z)) / 2, check=Rewrite(),
        reason="E cos^2 = (1 + k(2 Delta))/2"),
    Step("ss15.var/l1", fourier.pair_variance.expression, (1 + _k2 - 2 * _k1**2) / (2 * m), check=Rewrite(),
        printed=True, reason="D_out = 2 m"),
    Step("ss15.var/l2", at(fourier.pair_variance.expression + u / m, {u: HALF}), (1 + _k2 / 2 - _k1**2) / m,
        check=Rewrite(), printed=True,
        reason="D_out = m: the phase adds E cos^2(w.(x + y) + 2 b) = 1/2 to the variance of each term"),
    Step("ss15.compare/l1", at(u - (1 + _k2 - 2 * _k1**2), {u: 1 + _k2 / 2 - _k1**2}), (2 * _k1**2 - _k2) / 2,
        check=Rewrite(), printed=True, reason="times D_out: positive iff k(2 Delta) < 2 k(Delta)^2"),
    Step("ss15.compare/l2", _q**2, 2 * _q, "<", check=Sign(_q * (2 - _q)), printed=True,
        reason="Gaussian: k(2 Delta) = q^2, k(Delta)^2 = q"),
    source="Sutherland and Schneider 2015")  # fmt: skip

claim("ss15.mean-error", "concentration of the supremum", (FEATURES, ERROR),
    ({"m": 2, "eps": 1}, {"m": 9, "eps": "1/3"}),
    Step("ss15.mean-error/l1", at(-2 * eps**2 / (m * u**2), {u: 2 / m}), -m * eps**2 / 2, check=Rewrite(),
        printed=True, reason="McDiarmid: one frequency moves s, hence the supremum, by at most 2/m"),
    source="Sutherland and Schneider 2015")  # fmt: skip

_n = sympy.Symbol("n", integer=True, nonnegative=True)
claim("yu16.var", "E cos cos - exp(-z^2) = -z^4 exp(-z^2)/(2 d) + R with |R| <= g(z)/d^2, g explicit",
    (Variable(_n, "order", integer=True, low=0), Variable(_X, "z^2", above=0)),
    ({"n": 0, "X": 1}, {"n": 5, "X": "1/3"}),
    Step("yu16.var/first order", Sum(k, (k, 0, _n - 1)), _n * (_n - 1) / 2, check=Rewrite(),
        reason="(d)_n/(2^n (d/2)_n) = prod_j (1 - j/(d + 2j)); sum of j over j < n is n (n - 1)/2"),
    Step("yu16.var/squares", _n * (_n - 1) * (2 * _n - 1) / 3,
        Rational(2, 3) * sympy.ff(_n, 3).expand(func=True) + sympy.ff(_n, 2).expand(func=True),
        check=Rewrite(), reason="2 sum j^2 bounds d^2 times the change of the sum"),
    Step("yu16.var/product", (_n * (_n - 1)) ** 2 / 8,
        (sympy.ff(_n, 4).expand(func=True) + 4 * sympy.ff(_n, 3).expand(func=True) + 2 * sympy.ff(_n, 2).expand(
            func=True)) / 8,
        check=Rewrite(), reason="1 - S <= product <= 1 - S + S^2/2"),
    Step("yu16.var/remainder",
        at(exp(_X) * (Rational(2, 3) * _X**3 + _X**2 + u / 8), {u: _X**4 + 4 * _X**3 + 2 * _X**2}),
        exp(_X) * (_X**4 / 8 + Rational(7, 6) * _X**3 + Rational(5, 4) * _X**2), check=Rewrite(),
        reason="sum_n t^n/n! ff(n, j) = t^j e^t: this is g(z), t = z^2, for both readings of (l2)"),
    Step("yu16.var/l3", Sum(_X**2 * (-_X) ** k / (2 * factorial(k)), (k, 0, oo)), _X**2 * exp(-_X) / 2,
        check=Use("definition.exp", {lemmas.t: -_X}), printed=True,
        reason="sum of (-t)^n/n! n (n - 1)/2 with n = k + 2: the first-order term, times -1/d"),
    source="Yu et al. 2016")  # fmt: skip

_A1, _A2 = sympy.symbols("A_1 A_2", nonnegative=True)
claim("ch18.charm", "the gain of orthogonality is z^2 phi'^2/(2 d); form (a) is right for the Gaussian kernel alone",
    (POSITIVE_DIFFERENCE_NORM, Variable(_A1, "T_1 z^2/2", low=0), Variable(_A2, "T_2 z^2/2", low=0)),
    ({"z": 1, "A_1": 1, "A_2": 2}, {"z": "1/3", "A_1": "1/7", "A_2": 0}),
    Step("ch18.charm/(a) Laplace", spectral.printed_charm(exp(-z)), spectral.charm(exp(-z)), printed=True,
        reason="phi = exp(-z), a scale mixture of Gaussians"),
    Step("ch18.charm/(a) Gaussian", spectral.printed_charm(exp(-(z**2) / 2)), spectral.charm(exp(-(z**2) / 2)),
        check=Rewrite(), printed=True),
    Step("ch18.charm/cross", _A1**2 + _A2**2 - (_A1 + _A2) ** 2, -2 * _A1 * _A2, check=Rewrite(),
        reason=("with A = T z^2/2: 0F1(; d/2; -d A/2) = exp(-A) (1 + A^2/d + ...), so the cross term is E "
        "exp(-A1 - A2) times the left side over d")),
    Step("ch18.charm/(b)", 2 * (-z * sympy.Derivative(exp(-z), z) / 2) ** 2, spectral.charm(exp(-z)),
        check=Rewrite(), replaces="ch18.charm/(a) Laplace",
        reason="E A exp(-A) = -z phi'/2, here for phi = exp(-z); in general 2 (z phi'/2)^2 = z^2 phi'^2/2"),
    source="Choromanski et al. 2018")  # fmt: skip

_cross = sympy.Symbol("j_2", real=True)
_own = sympy.Symbol("j_1", real=True)
_p = spectral.rows
claim("dk24.var", "variance of p orthogonal rows of norm sqrt(d)",
    (Variable(_p, "rows", integer=True, low=1), Variable(_own, "j(t)"), Variable(_cross, "j(2t)"),
        Variable(_s, "j(sqrt(2) t)")),
    ({"p": 1, "j_1": "1/2", "j_2": "1/3", "S": "1/5"}, {"p": 7, "j_1": 0, "j_2": -1, "S": "1/3"}),
    Step("dk24.var/statement", (_p * (1 + _cross) / 2 + _p * (_p - 1) * _s) / _p**2 - _own**2,
        ((1 + _cross) / 2 - _own**2) / _p + (_p - 1) / _p * (_s - _own**2), check=Rewrite(),
        printed=True,
        reason="p diagonal terms E cos^2, p (p - 1) cross terms: w_i + w_j and w_i - w_j have norm sqrt(2 d)"),
    source="Demni and Kadri 2024")  # fmt: skip

_wave_lemma = derivation("lemma.zonal_wave")
claim("dk24.mean", "mean of cos over the sphere as the series of the Bessel kernel", _wave_lemma.variables,
    _wave_lemma.points,
    Step("dk24.mean/sphere", _wave_lemma.statement.left, _wave_lemma.statement.right,
        check=Use("lemma.zonal_wave", {}), printed=True,
        reason="polar angle of w, d = q + 1; divided by the total mass the right side is 0F1(; d/2; -t^2/4)"),
    source="Demni and Kadri 2024")  # fmt: skip
