"""Results that Chefs' Random Tables lack: Bernstein's bound for bounded features, a lower bound for s = -1.

Where a shape occurs it is written as A = (1 - w)/8, so that w = 1 - 8A > 0 wherever the variance exists.
"""

from __future__ import annotations

import sympy
from sympy import Rational, S, exp, log, oo

from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import Combination, FromInequality, Increasing, Instance, Rewrite, Sign
from rftheory.exact.proof.steps import Derivation, Step, at, register_derivation
from rftheory.exact.ranges import Range
from rftheory.exact.symbols import DIFFERENCE_NORM, DIMENSION, FEATURES, SUM_NORM, d, m, v, z

OURS = "ours; a result that Likhosherstov et al. 2022 lack"
w = sympy.Symbol("w", positive=True)
W = Variable(w, "1 - 8A", above=0)
HALF = Rational(1, 2)

# ---- Bernstein's inequality --------------------------------------------------------------------------------

_inner = sympy.Symbol("s", nonnegative=True)
DECAY = _u = sympy.Symbol("u", nonnegative=True)
_U = Variable(_u, "how much one summand exceeds its mean, scaled", low=0, below=3)
_FALL = Variable(_u, "how much one summand falls short of its mean, scaled", low=0)
_UPS = ({"u": 0}, {"u": "1/3"}, {"u": "29/10"})

lemmas.remainder("lemma.bernstein", "the exponential below 3, times a linear function", (_U,), _UPS,
    (2 + 4 * _u / 3 + _u**2 / 3 + 2 * _u * exp(_u) / 3, 2 * exp(_u)), _u**4 * _inner * (1 - _inner) ** 2 / 3 * exp(_u * _inner),
    (_u**3 * _inner**3 - 2 * _u**3 * _inner**2 + _u**3 * _inner - 3 * _u**2 * _inner**2 + 4 * _u**2 * _inner - _u**2
     + 6 * _u * _inner - 4 * _u - 6) * exp(_u * _inner) / 3)  # fmt: skip
lemmas.remainder("lemma.exponential-", "a decaying exponential lies below its expansion of second order", (_FALL,),
    ({"u": 0}, {"u": "1/3"}, {"u": 7}), (1 - _u + _u**2 / 2, exp(-_u)),
    _u**3 * (1 - _inner) ** 2 / 2 * exp(-_u * _inner),
    -(_u**2 * (1 - _inner) ** 2 - 2 * _u * (1 - _inner) + 2) * exp(-_u * _inner) / 2)  # fmt: skip

_top, _second, _tau, _var = sympy.symbols("top Q tau V", positive=True)
_spread = _tau / (_second + _top * _tau / 3)

register_derivation(Derivation(id="chefs.added.bernstein", title="Bernstein's inequality",
    says="P(|mean of M - K| >= tau) <= 2 exp(-M tau^2/(2 (Q + top tau/3))), values in [0, top], E Z^2 <= Q",
    source=OURS,
    variables=(_U, Variable(_top, "largest value", above=0), Variable(_second, "bound of the variance", above=0),
        Variable(_tau, "error", above=0), Variable(_var, "bound of the exponent", above=0)),
    points=({"top": 3, "Q": 2, "tau": "1/2", "V": "1/2", "u": 0}, {"top": 30, "Q": 5, "tau": 4, "V": 2, "u": "1/3"},
        {"top": 1, "Q": 100, "tau": 1, "V": "1/9", "u": "29/10"}),
    steps=(
        Step("chefs.added.bernstein/product", 2 + 4 * _u / 3 + _u**2 / 3 + 2 * _u * exp(_u) / 3, 2 * exp(_u), ">=",
            reason="coefficient by coefficient", check=Instance("lemma.bernstein", {})),
        Step("chefs.added.bernstein/rise", exp(_u), 1 + _u + _u**2 / (2 * (1 - _u / 3)), "<=",
            reason="for 0 <= u < 3; below 0 the exponential is at most 1 + u + u^2/2: lemma.exponential-",
            check=FromInequality("chefs.added.bernstein/product", 1 / (2 * (1 - _u / 3)))),
        Step("chefs.added.bernstein/slope", at(_u * _top / 3, {_u: _spread}), S.One, "<",
            reason="theta = tau/(Q + top tau/3): theta (Z - K) <= theta top < 3",
            check=Sign(_second / (_second + _top * _tau / 3))),
        Step("chefs.added.bernstein/exponential", exp(_var), 1 + _var, ">=",
            reason="so E exp(theta (Z - K)) <= exp(V), V = theta^2 Q/(2 (1 - theta top/3)); the same for K - Z <= top",
            check=Instance("lemma.exponential", {lemmas.t: _var})),
        Step("chefs.added.bernstein/statement", at(-_u * _tau + _u**2 * _second / (2 * (1 - _u * _top / 3)),
            {_u: _spread}), -(_tau**2) / (2 * (_second + _top * _tau / 3)),
            reason="exponent of exp(-theta tau) E exp(theta (Z - K)), M independent features",
            check=Rewrite()))))  # fmt: skip

# ---- Theorem 4.3 for moderate errors ---------------------------------------------------------------------

_ball, _slack, _eps, _delta = sympy.symbols("b e eps delta", positive=True)
_slope, _radius, _count, _rise = sympy.symbols("slope r M h", positive=True)
_entropy = 2 * d * log(1 + 16 * _radius * _slope / _eps) + log(2 / _delta)
_kappa = (2 + w) / (2 * w)

register_derivation(Derivation(id="chefs.added.attention", title="Uniform convergence for attention by Bernstein's bound",
    says="M >= 8 (Q + top eps/6)/eps^2 (2 d log(1 + 16 r slope/eps) + log(2/delta)) features suffice",
    source=OURS,
    variables=(DIMENSION, W, SUM_NORM, DIFFERENCE_NORM, Variable(_ball, "r^2", above=0), Variable(_rise, "w - 1", above=0),
        Variable(_slack, "4 r^2 - |x+y|^2 - |x-y|^2", above=0), Variable(_top, "largest value", above=0),
        Variable(_second, "bound of the second moment", above=0), Variable(_slope, "Lipschitz constant", above=0),
        Variable(_radius, "radius of the balls", above=0), Variable(_eps, "error", above=0),
        Variable(_delta, "failure probability", above=0, below=1), Variable(_count, "number of features", above=0)),
    points=({"d": 2, "w": "7/3", "v": 1, "z": "1/2", "b": 1, "h": "4/3", "e": "11/4", "top": 3, "Q": 2, "slope": 5, "r": 1,
            "eps": "1/2", "delta": "1/10", "M": 100},
        {"d": 64, "w": "1/2", "v": 0, "z": 2, "b": 5, "h": 3, "e": 16, "top": 9, "Q": 40, "slope": 7, "r": 2, "eps": 1,
            "delta": "1/2", "M": 10}),
    steps=(
        Step("chefs.added.attention/exponent", _kappa * v**2 - z**2 / 2,
            (2 + 4 / w) * (v**2 + z**2 + _slack) / 4, "<=",
            reason="E Z^2 <= Q = ((1+w)^2/(4w))^(d/2) exp((2 + 4/w) r^2), as |x+y|^2 + |x-y|^2 + e = 4 r^2",
            check=Sign((HALF + 1 / w) * (z**2 + _slack) + z**2 / 2)),
        Step("chefs.added.attention/base", at((1 + w) ** 2 / (4 * w), {w: 1 + _rise}), at((1 + w) / 2, {w: 1 + _rise}), "<=",
            reason="for A < 0, w = 1 + h: Q <= top exp(r^2), top = ((1+w)/2)^(d/2) exp(r^2 (1 + 4/(w-1))), so that the "
            "power -d of 1 - 4A in the corrected theorem becomes -d/2, as printed",
            check=Sign((2 + _rise) * _rise / (4 * (1 + _rise)))),
        Step("chefs.added.attention/exponents", at((2 + 4 / w) * _ball, {w: 1 + _rise}),
            at((2 + 4 / (w - 1)) * _ball, {w: 1 + _rise}), "<=",
            check=Sign(4 * _ball / (_rise * (1 + _rise)))),
        Step("chefs.added.attention/statement",
            at(_count * (_eps / 2) ** 2 / (2 * (_second + _top * (_eps / 2) / 3)),
                {_count: 8 * (_second + _top * _eps / 6) / _eps**2 * _entropy}), _entropy,
            reason="exponent of Bernstein's bound for an error of eps/2 at a point of the net of chefs.thm4.3.corrected",
            check=Rewrite()))))  # fmt: skip

_moment = (w / 2 + HALF) ** d * exp(v**2 / 2 + v**2 / w - z**2 / 2) / w ** (d / 2)

register_derivation(Derivation(id="chefs.added.second-moment", title="The second moment bounds the variance",
    says="Var <= E Z^2/M for the softmax estimator of GERF", source=OURS,
    variables=(DIMENSION, FEATURES, W, SUM_NORM, DIFFERENCE_NORM),
    points=({"d": 1, "m": 1, "w": 1, "v": 0, "z": 1}, {"d": 7, "m": 3, "w": "1/3", "v": 2, "z": "1/2"}),
    steps=(Step("chefs.added.second-moment/statement", (-exp(v**2 / 2 - z**2 / 2) + _moment) / m,
        _moment / m, "<", reason="the difference is K_sfm^2/M", check=Sign(exp(v**2 / 2 - z**2 / 2) / m)),)))  # fmt: skip

# ---- a lower bound for s = -1 ------------------------------------------------------------------------------

_growth = (w / 2 + HALF) ** d / w ** (d / 2)
_wave = exp(-(z**2) - z**2 / w)

register_derivation(Derivation(id="chefs.added.minus-bound", title="What no real A can save for s = -1",
    says="the MSE of GERF with s = -1 is at least (1 - 2 K^2)/(2 M), for every real A", source=OURS,
    variables=(DIMENSION, FEATURES, W, DIFFERENCE_NORM),
    points=({"d": 1, "m": 1, "w": 1, "z": 1}, {"d": 7, "m": 3, "w": "1/3", "z": "1/2"}, {"d": 64, "m": 2, "w": 2, "z": 3}),
    steps=(
        Step("chefs.added.minus-bound/power", S.One, _growth, "<=",
            reason="E |Z|^2 = ((1+w)^2/(4w))^(d/2), whose base is at least 1",
            check=Increasing(lemmas.t ** (d / 2), lemmas.t, S.One, 1 + (1 - w) ** 2 / (4 * w),
                Sign((1 - w) ** 2 / (4 * w)), Range(S.One, oo))),
        Step("chefs.added.minus-bound/wave", _growth, _growth * (1 + _wave), "<=", check=Sign(_growth * _wave)),
        Step("chefs.added.minus-bound/statement",
            (-exp(-(z**2)) + _growth * _wave / 2 + _growth / 2) / m, (1 - 2 * exp(-(z**2))) / (2 * m), ">=",
            reason="E (Re Z)^2 = (E |Z|^2 + E Z^2)/2 with E Z^2 > 0", check=Combination((
                ("chefs.added.minus-bound/power", 1 / (2 * m)), ("chefs.added.minus-bound/wave", 1 / (2 * m))))))))  # fmt: skip

_real, _excess, _share = sympy.symbols("p e a", nonnegative=True)
_imaginary = sympy.Symbol("q", real=True)
_square = sympy.Symbol("t", nonnegative=True)
_complex = sympy.Symbol("p", positive=True)
_modulus = 1 + _complex + _excess

register_derivation(Derivation(id="chefs.added.minus-bound.complex", title="What no complex A can save for s = -1",
    says="(6) with s = -1 is at least (1 - 3 K^2)/2, for every complex A", source=OURS,
    variables=(Variable(_complex, "Re w, w = 1 - 8A", above=0), Variable(_imaginary, "Im w"),
        Variable(_excess, "|1 + w| - 1 - Re w", low=0), Variable(_square, "|x - y|^2", low=0),
        Variable(_share, "E |Z|^2 - 1", low=0)),
    points=({"p": 1, "q": 0, "e": 0, "t": 1, "a": 0}, {"p": "1/3", "q": -2, "e": "1/2", "t": "1/5", "a": 3},
        {"p": 5, "q": 7, "e": 2, "t": 3, "a": "1/9"}),
    steps=(
        Step("chefs.added.minus-bound.complex/base", S.One, ((1 + _complex) ** 2 + _imaginary**2) / (4 * _complex), "<=",
            reason="alpha_3 of (6) is the power d/2 of this, with 16 |A|^2 = |1 - w|^2/4",
            check=Sign(((1 - _complex) ** 2 + _imaginary**2) / (4 * _complex))),
        Step("chefs.added.minus-bound.complex/modulus", (1 + _complex) ** 2, (1 + _complex) ** 2 + _imaginary**2, "<=",
            reason="so |1 + w| = 1 + Re w + e with e >= 0", check=Sign(_imaginary**2)),
        Step("chefs.added.minus-bound.complex/exponent", S.Zero, -HALF + (_modulus - 1) / (2 * _complex), "<=",
            reason="alpha_4 of (6), as 2 |1 - 4A| = |1 + w|: so the second term of (6), E |Z|^2, is at least 1",
            check=Sign(_excess / (2 * _complex))),
        Step("chefs.added.minus-bound.complex/smaller base", ((1 + _complex) ** 2 + _imaginary**2) ** 2
            / (16 * (_complex**2 + _imaginary**2)), ((1 + _complex) ** 2 + _imaginary**2) ** 2 / (16 * _complex**2), "<=",
            reason="|alpha_1|^(4/d) <= alpha_3^(4/d)",
            check=Sign(((1 + _complex) ** 2 + _imaginary**2) ** 2 * _imaginary**2
                / (16 * _complex**2 * (_complex**2 + _imaginary**2)))),
        Step("chefs.added.minus-bound.complex/smaller exponent", -_square * (1 + _complex / (_complex**2 + _imaginary**2)),
            (-HALF + (_modulus - 1) / (2 * _complex)) * _square - _square, "<=",
            reason="Re alpha_2 t <= alpha_4 t - t: so |E Z^2| <= E |Z|^2 exp(-t)",
            check=Sign(_square * (_complex / (_complex**2 + _imaginary**2) + _excess / (2 * _complex)))),
        Step("chefs.added.minus-bound.complex/statement", (1 + _share) * (1 - exp(-_square)) / 2 - exp(-_square),
            (1 - 3 * exp(-_square)) / 2, ">=", reason="(6) >= (E |Z|^2 - |E Z^2|)/2 - K^2, K^2 = exp(-t)",
            check=Sign(_share * (1 - exp(-_square)) / 2)),
        Step("chefs.added.minus-bound.complex/room", (1 - exp(-_square)) ** 2 / 2 - (1 - 3 * exp(-_square)) / 2,
            (exp(-_square) + exp(-2 * _square)) / 2, reason="above the bound TrigRF, A = 0, has (K^2 + K^4)/2 to spare",
            check=Rewrite()))))  # fmt: skip
