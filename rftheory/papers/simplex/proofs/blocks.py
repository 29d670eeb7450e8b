"""Derivations of Reid et al. 2023 on blocks and norms: kernels, marginals, eq. (9), resultants, moments, eq. (17)."""

from __future__ import annotations

import sympy
from sympy import Matrix, Rational, S, Sum, exp, eye, factorial, gamma, oo, pi, rf, sqrt

from rftheory.exact.formula import Variable
from rftheory.exact.proof.rules import Holds, Ladder, Rewrite, SeriesHead, Sign, Taylor
from rftheory.exact.proof.steps import Derivation, Scope, Step, at, register_derivation, worked_out
from rftheory.exact.symbols import (COSINE, FEATURES, PAIR_DIMENSION, SUM_NORM, X_NORM, Y_NORM, d, k, m, v, w,
    x, y)  # fmt: skip
from rftheory.papers.simplex.proofs.conformity import pchi, prf_mse

_inner = sympy.Symbol("g", real=True)
_r = sympy.Symbol("r", positive=True)
_features = sympy.Symbol("F", positive=True)

register_derivation(Derivation(id="simplex.eq4", title="Gaussian and softmax kernels",
    says="K_gauss = K_smax exp(-|x|^2/2 - |y|^2/2); an unbiased estimate is converted by the same factor",
    source="Reid et al. 2023, eqs (4), (5) and the sentence after them",
    variables=(X_NORM, Y_NORM, Variable(_inner, "x.y"), Variable(_features, "MSE of the Gaussian kernel", above=0)),
    points=({"x": 1, "y": 2, "g": "-1/2", "F": 1}, {"x": 0, "y": "1/3", "g": 0, "F": 2}),
    steps=(
        Step("simplex.eq4/(5)", exp(-(x**2 + y**2 - 2 * _inner) / 2), exp(_inner) * exp(-(x**2) / 2 - y**2 / 2),
            reason="|x - y|^2 = |x|^2 + |y|^2 - 2 x.y", check=Rewrite(),
            printed=True),
        Step("simplex.eq4/conversion", at(x**2 * _features, {x: exp(x**2 / 2 + y**2 / 2)}),
            exp(x**2 + y**2) * _features,
            reason="a constant factor of the estimate multiplies its mean, and its MSE by the square: "
            "which mechanism has " "the lower MSE does not depend on the kernel",
            check=Rewrite()))))  # fmt: skip

# ---- marginals --------------------------------------------------------------------------------------

register_derivation(Derivation(id="simplex.s3.marginal", title="chi norms make isotropic directions Gaussian",
    says="a uniform direction times an independent chi_d norm has the density of N(0, I_d)",
    source="Reid et al. 2023, Sec. 1 and Sec. 3", variables=(PAIR_DIMENSION, Variable(_r, "norm", above=0)),
    points=({"d": 2, "r": 1}, {"d": 3, "r": "1/3"}, {"d": 64, "r": 8}),
    steps=(Step("simplex.s3.marginal/density", pchi(_r) * gamma(d / 2) / (2 * pi ** (d / 2) * _r ** (d - 1)),
        (2 * pi) ** (-d / 2) * exp(-(_r**2) / 2),
        reason="the chi_d density over the area 2 pi^(d/2) r^(d-1)/Gamma(d/2) of the sphere of " "radius r",
        check=Rewrite()),)))  # fmt: skip

# ---- (9) and Algorithm 1 ------------------------------------------------------------------------------

_HEAD = sqrt(d / (d - 1))


def _gram(shift: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """s_i.s_i, s_i.s_j, s_i.s_d (i, j < d) of rows sqrt(d/(d-1)) e_i - shift (1, ..., 1, 0), last row as in (9)."""
    square = _HEAD**2 - 2 * _HEAD * shift + (d - 1) * shift**2
    inner = -2 * _HEAD * shift + (d - 1) * shift**2
    last = (_HEAD - (d - 1) * shift) / sqrt(d - 1)
    return square, inner, last


_A = _gram((sqrt(d) + 1) / (d - 1) ** Rational(3, 2))
_B = _gram(sqrt(d + 1) / (d - 1) ** Rational(3, 2))
_LOOP = {"a": (sqrt(d) + 1) / (d - 1), "b": sqrt(d + 1) / (d - 1), "c": sqrt((d + 1) / (d - 1))}  # fmt: skip
"""Coefficient of y_d in the loop of Algorithm 1, by reading."""


register_derivation(Derivation(id="simplex.eq9", title="the simplex block",
    says="the rows of S in the reading (sqrt(d) + 1)/(d-1)^(3/2) are unit vectors with inner products " "-1/(d-1)",
    source="Reid et al. 2023, eqs (9), (88) and Algorithm 1", variables=(PAIR_DIMENSION,),
    points=({"d": 2}, {"d": 3}, {"d": 6}, {"d": 64}),
    steps=(
        Step("simplex.eq9/reading (b)", _B[0], S.One,
            reason="s_i.s_i, i < d, with sqrt(d+1) in place of sqrt(d) + 1: the rows are not unit " "vectors",
            printed=True),
        Step("simplex.eq9/unit rows", _A[0], S.One, reason="s_i.s_i, i < d, with sqrt(d) + 1", check=Rewrite(),
            printed=True, replaces="simplex.eq9/reading (b)"),
        Step("simplex.eq9/unit last row", at((d - 1) * x**2, {x: 1 / sqrt(d - 1)}), S.One, reason="s_d.s_d",
            check=Rewrite(), printed=True),
        Step("simplex.eq9/angles", _A[1], -1 / (d - 1), reason="s_i.s_j, i < j < d", check=Rewrite(),
            printed=True),
        Step("simplex.eq9/angles with the last row", _A[2], -1 / (d - 1), reason="s_i.s_d, i < d",
            check=Rewrite(), printed=True),
        Step("simplex.eq9/obtuse", -1 / (d - 1), S.Zero, "<", reason="all angles are obtuse", check=Sign(),
            printed=True),
        Step("simplex.eq9/sum", at(d * (d - 1) * x, {x: -1 / (d - 1)}), -S.One * d,
            reason="sum of the inner products over ordered pairs: |s_1 + ... + s_d|^2 = d - d = 0, the "
            "vertices of a " "regular simplex about the origin", check=Rewrite()),
        *(Step(f"simplex.eq9/Algorithm 1, reading ({name})", at(x / sqrt(d - 1), {x: _LOOP[name]}),
            (sqrt(d) + 1) / (d - 1) ** Rational(3, 2),
            reason="the coefficient of x_1 + ... + x_(d-1) in y_i, i < d, against that of (9)",
            check=Rewrite() if name == "a" else None, printed=True,
            replaces=("simplex.eq9/Algorithm 1, reading (b)",
                "simplex.eq9/Algorithm 1, reading (c)") if name == "a" else ()) for name in ("b", "c", "a")),
        Step("simplex.eq9/statement", _A[1], -1 / (d - 1), reason="inner products of distinct rows",
            check=Rewrite()))))  # fmt: skip


def _hadamard(i: int) -> sympy.Matrix:
    """H_i of (90): a matrix of 2^(i-1) rows."""
    found = Matrix([[1]])
    for _ in range(i - 1):
        found = Matrix.vstack(Matrix.hstack(found, found), Matrix.hstack(found, -found)) / sqrt(2)
    return found


def _block_product(step: Step, scope: Scope) -> str:
    """[[A, A], [A, -A]] [[A, A], [A, -A]]^T / 2 with A A^T = 1, as noncommutative symbols."""
    if worked_out(step.left) != step.right:
        return ""
    a, b = sympy.symbols("A B", commutative=False)
    one = Matrix([[a, a], [a, -a]]) * Matrix([[b, b], [b, -b]]) / 2
    product = one.applyfunc(lambda e: sympy.expand(e).subs(a * b, 1))
    start = _hadamard(1) * _hadamard(1).T
    return (
        "H_1 = (1), and a block product with A A^T = 1 is the identity"
        if product == eye(2) and start == eye(1)
        else ""
    )


_i = sympy.Symbol("i", integer=True, positive=True)

register_derivation(Derivation(id="simplex.eq89", title="normalised Hadamard matrices",
    says="H_i of (90) is orthogonal and has 2^(i-1) rows, so that d = 2^i needs H_(i+1)",
    source="Reid et al. 2023, eqs (89), (90)", variables=(Variable(_i, "index", integer=True, low=1),),
    points=({"i": 1}, {"i": 2}, {"i": 6}),
    steps=(
        Step("simplex.eq89/orthogonal", at(2 * x**2, {x: 1 / sqrt(2)}), S.One,
            reason="rows of H_i are unit and orthogonal, by induction on the blocks", check=Holds(_block_product),
            printed=True),
        Step("simplex.eq89/size", S.One * 2 ** (_i - 1), 2**_i,
            reason="as printed: H = H_i is d x d with d = 2^i; H_1 = (1) has one row", printed=True),
        Step("simplex.eq89/size corrected", at(2 ** (_i - 1), {_i: _i + 1}), 2**_i, reason="H_(i+1) has 2^i rows",
            check=Rewrite(), replaces="simplex.eq89/size"))))  # fmt: skip

# ---- Sec. 3.1: what shorter resultants do ---------------------------------------------------------------

_wi, _wj, _rise = sympy.symbols("w_i w_j h", positive=True)
_rho = sympy.Symbol("rho", positive=True)

register_derivation(Derivation(id="simplex.s3.increasing",
    title="the MSE increases with the conformity, the conformity with the resultants",
    says="shorter resultants give a smaller conformity and, for m >= 2, a smaller MSE",
    source="Reid et al. 2023, Sec. 3.1 and App. A.1, end",
    variables=(PAIR_DIMENSION, FEATURES, X_NORM, Y_NORM, SUM_NORM, COSINE, Variable(k, "order", integer=True, low=1),
        Variable(_rho, "conformity", above=0), Variable(_rise, "its increase", above=0),
        Variable(_wi, "first norm", above=0), Variable(_wj, "second norm", above=0), Variable(w, "|w_ij|", low=0)),
    points=(
        {"d": 2, "m": 2, "x": 1, "y": 1, "v": "1/2", "c": -1, "k": 1, "rho": 2, "h": 1, "w_i": 1, "w_j": 2, "w": 0},
        {"d": 5, "m": 7, "x": 0, "y": 1, "v": 1, "c": "1/3", "k": 4, "rho": 2, "h": "1/9", "w_i": 3, "w_j": 1,
            "w": 2}),
    steps=(
        Step("simplex.s3.increasing/MSE", prf_mse(_rho + _rise), prf_mse(_rho), ">",
            reason="(11): the slope is (m-1)/m exp(-2|x|^2 - 2|y|^2)",
            check=Sign(exp(-2 * x**2 - 2 * y**2) * (m - 1) / m * _rise), conditions=(m >= 2,),
            printed=True),
        Step("simplex.s3.increasing/term", (w**2 + _rise) ** k, w ** (2 * k), ">",
            reason="each term k >= 1 of f(w, v) is increasing in w^2",
            check=Ladder(k, 1, w**2 + _rise, _rise * w ** (2 * k)), printed=True),
        Step("simplex.s3.increasing/resultant", _wi**2 + _wj**2 - 2 * _wi * _wj / (d - 1), _wi**2 + _wj**2, "<",
            reason="w_ij^2 at the simplex angle and at a right angle, for positive norms",
            check=Sign(2 * _wi * _wj / (d - 1)), printed=True))))  # fmt: skip

# ---- Sec. 3.2: first terms, moments, the best coupling at known norms --------------------------------------

_pairs = sympy.Symbol("N", integer=True, positive=True)
_second, _fourth = sympy.symbols("E_2 E_4", positive=True)
_tau = gamma(d / 2) * v**2 * _second / (4 * gamma(d / 2 + 1))
_correction = 1 + v**2 / 8 * gamma(d / 2 + 1) / gamma(d / 2 + 2) * _fourth / _second
_terms_13 = (1 / gamma(d / 2) + v**2 * _second / (4 * gamma(d / 2 + 1)) + v**4 * _fourth / (
    32 * gamma(d / 2 + 2)))  # fmt: skip
_q2, _q4 = 2 * gamma(d / 2 + 1) / gamma(d / 2), 4 * gamma(d / 2 + 2) / gamma(d / 2)
_share = sympy.Symbol("s", nonnegative=True)

register_derivation(Derivation(id="simplex.eq13", title="first terms of the conformity",
    says="(13) with the sum over the whole expression, (14), and the moment ratios of footnote 4",
    source="Reid et al. 2023, Sec. 3.2, eqs (13), (14), footnote 4",
    variables=(PAIR_DIMENSION, SUM_NORM, COSINE, Variable(w, "|w_ij|", low=0),
        Variable(_pairs, "number of ordered pairs m(m-1)", integer=True, low=2),
        Variable(_second, "E w_ij^2", above=0), Variable(_fourth, "E w_ij^4", above=0),
        Variable(_share, "sin(2 phi), the cross share 2 w_i w_j/(w_i^2 + w_j^2)", low=0, high=1)),
    points=({"d": 2, "v": "1/2", "w": 1, "c": "-1/2", "N": 2, "E_2": 4, "E_4": 24, "s": 1},
        {"d": 5, "v": 1, "w": 3, "c": -1, "N": 20, "E_2": 10, "E_4": 120, "s": "1/3"},
        {"d": 64, "v": 2, "w": 11, "c": 0, "N": 6, "E_2": 128, "E_4": 16640, "s": 0}),
    steps=(
        Step("simplex.eq13/first terms",
            gamma(d / 2)
                * Sum(v ** (2 * k) * w ** (2 * k) / (2 ** (2 * k) * factorial(k) * gamma(k + d / 2)), (k, 0, oo)),
            gamma(d / 2) * _terms_13.subs({_second: w**2, _fourth: w**4}), "~",
            reason="k = 0, 1, 2 of (10); the rest is O(v^6)",
            check=SeriesHead(v, 2, 3), printed=True),
        Step("simplex.eq13/reading (b)", _pairs * _terms_13, _pairs / gamma(d / 2) + _tau * _correction,
            reason="the sum over pairs covers only the 1", printed=True),
        Step("simplex.eq13/reading (a)", _pairs * _terms_13, _pairs * (1 + _tau * _correction) / gamma(d / 2),
            reason="the sum over pairs covers the whole expression", check=Rewrite(),
            printed=True, replaces="simplex.eq13/reading (b)"),
        Step("simplex.fn4/E w_i^2", _q2, S.One * d, reason="Gamma(d/2 + 1) = (d/2) Gamma(d/2)",
            check=Rewrite()),
        Step("simplex.fn4/E w_i^4", _q4, d * (d + 2), reason="Gamma(d/2 + 2) = (d/2 + 1)(d/2) Gamma(d/2)",
            check=Rewrite()),
        Step("simplex.fn4/first", (2 * _q4 + 2 * _q2**2) / (2 * _q2), _q4 / _q2 + _q2,
            reason="independent norms; w_ij^2 = w_i^2 + w_j^2 at a right angle", check=Rewrite(),
            printed=True),
        Step("simplex.fn4/second", at(x / _q2 + _q2, {x: _q4}),
            2 * gamma(d / 2 + 2) / gamma(d / 2 + 1) + 2 * gamma(d / 2 + 1) / gamma(d / 2),
            reason="the moments of chi_d", check=Rewrite(), printed=True),
        Step("simplex.fn4/value", 2 * gamma(d / 2 + 2) / gamma(d / 2 + 1) + 2 * gamma(d / 2 + 1) / gamma(d / 2),
            S(2) * d + 2, reason="the orthogonal ratio is 2 d + 2: it scales as d, with the constant prefactor 2",
            check=Rewrite()),
        Step("simplex.fn4/iid", 4 * _q4 / (2 * _q2), S(2) * d + 4,
            reason="w_ij = sqrt(2) chi_d for independent vectors", check=Rewrite()),
        Step("simplex.fn4/simplex above", (1 - _share / (d - 1)) ** 2, 1 - _share / (d - 1), "<=",
            reason="w_ij^2 = R^2 (1 - s/(d-1)) with R chi_2d independent of s in [0, 1]: so the ratio "
            "is at most 2 d + 2", check=Sign(_share / (d - 1) * (1 - _share / (d - 1)))),
        Step("simplex.fn4/simplex below", (1 - _share / (d - 1)) ** 2, (1 - _share / (d - 1)) * (1 - 1 / (d - 1)),
            ">=", reason="and at least (2 d + 2)(d - 2)/(d - 1): it scales as 2 d too",
            check=Sign((1 - _share / (d - 1)) * (1 - _share) / (d - 1))),
        Step("simplex.fn4/limit above", (S(2) * d + 2) / (2 * d), S.One, "~", reason="d -> oo", check=Taylor(d, 1)),
        Step("simplex.fn4/limit below", (S(2) * d + 2) * (d - 2) / (d - 1) / (2 * d), S.One, "~", reason="d -> oo",
            check=Taylor(d, 1)),
        Step("simplex.eq14/(14)", 1 + _tau * _correction, 1 + _tau, "~",
            reason="the correction in the bracket is O(v^2), the whole rest O(v^4)", check=Taylor(v, 4, at_zero=True),
            printed=True))))  # fmt: skip

_best, _prob = sympy.symbols("best q", positive=True)

register_derivation(Derivation(id="simplex.fn3", title="the best coupling at fixed norms is deterministic",
    says="a mixture with weight q on a configuration of larger conformity has a larger mean",
    source="Reid et al. 2023, footnote 3",
    variables=(Variable(_best, "least conformity", above=0),
        Variable(_rise, "excess of another configuration", above=0),
        Variable(_prob, "probability of it", above=0, high=1)),
    points=({"best": 1, "h": 1, "q": "1/2"}, {"best": 3, "h": "1/9", "q": 1}),
    steps=(Step("simplex.fn3/mixture", (1 - _prob) * _best + _prob * (_best + _rise), _best, ">",
        reason="the conformity is linear in the law of the configuration", check=Sign(_prob * _rise),
        printed=True),)))  # fmt: skip

_a, _b = sympy.symbols("a b", nonnegative=True)
_least = sympy.Symbol("cos_t", real=True)

register_derivation(Derivation(id="simplex.eq17", title="one update of SimRFs+",
    says="an update of (17) makes the resultant of all vectors as short as the one vector can make it",
    source="Reid et al. 2023, eq. (17)",
    variables=(Variable(_a, "norm of the sum of the other vectors", low=0),
        Variable(_b, "norm of the updated vector", low=0),
        Variable(_least, "cosine of the angle between them", low=-1, high=1)),
    points=({"a": 1, "b": 2, "cos_t": -1}, {"a": 3, "b": "1/2", "cos_t": "1/3"}),
    steps=(Step("simplex.eq17/descent", _a**2 + _b**2 + 2 * _a * _b * _least, _a**2 + _b**2 - 2 * _a * _b, ">=",
        reason="|w_1 + ... + w_m|^2 before and after the update, which puts w_i opposite to the " "sum of the others",
        check=Sign(2 * _a * _b * (1 + _least))),)))  # fmt: skip

# ---- the remainder behind the truncated objective ------------------------------------------------------

_u, _shape = sympy.symbols("u beta", positive=True)
_ALPHA = Variable(_shape, "d/2", low=1)

register_derivation(Derivation(id="simplex.s3.plus", title="the truncated objective to order v^4",
    says="0 <= 0F1(; b; u) - 1 - u/b <= u^2/(2 b^2) exp(u): SimRFs+ at a shortest resultant are within "
    "O(v^4) of the optimum", source="Reid et al. 2023, Sec. 3.2, eqs (14), (15)",
    variables=(_ALPHA, Variable(_u, "v^2 w_ij^2/4", above=0),
        Variable(k, "order beyond the second", integer=True, low=0)),
    points=({"beta": 1, "u": 1, "k": 0}, {"beta": "3/2", "u": "1/3", "k": 3}, {"beta": 32, "u": 9, "k": 1}),
    steps=(
        Step("simplex.s3.plus/term above zero", _u ** (k + 2) / (factorial(k + 2) * rf(_shape, k + 2)), S.Zero, ">",
            reason="so 0F1(; b; u) >= 1 + u/b", check=Sign()),
        Step("simplex.s3.plus/rising factorial", gamma(_shape + k + 2) / gamma(_shape), _shape**2, ">=",
            reason="b (b + 1) ... (b + k + 1) >= b^2 for b >= 1",
            check=Ladder(k, 0, S.One, gamma(_shape + k + 2) / gamma(_shape) * (_shape + k + 1))),
        Step("simplex.s3.plus/factorials", (k + 1) * (k + 2), S(2), ">=",
            reason="(k + 2)! >= 2 k!: so the term k + 2 is at most u^2/(2 b^2) times u^k/k!",
            check=Sign(k**2 + 3 * k)))))  # fmt: skip

# ---- Figure 5 -------------------------------------------------------------------------------------------

_iid = w ** (d - 1) * exp(-(w**2) / 4) / (2 ** (d - 1) * gamma(d / 2))
_ort = w ** (2 * d - 1) * exp(-(w**2) / 2) / (2 ** (d - 1) * gamma(d))
_W = sympy.Symbol("W", positive=True)

register_derivation(Derivation(id="simplex.fig5", title="tails of |w_i + w_j|",
    says="the quotient of the densities (18) and (58) increases from w^2 = 2 d on; simplex resultants "
    "are the shorter ones", source="Reid et al. 2023, Figure 5",
    variables=(PAIR_DIMENSION, Variable(_rise, "excess over 2 d", above=0), Variable(_W, "resultant", above=0),
        Variable(_wi, "first norm", above=0), Variable(_wj, "second norm", above=0)),
    points=({"d": 2, "h": 1, "W": 3, "w_i": 1, "w_j": 2}, {"d": 6, "h": "1/9", "W": 5, "w_i": 3, "w_j": "1/2"}),
    steps=(
        Step("simplex.fig5/quotient", (_iid / _ort).subs(w, _W),
            gamma(d) / gamma(d / 2) * _W ** (-d) * exp(_W**2 / 4), reason="(18) over (58)",
            check=Rewrite()),
        Step("simplex.fig5/logarithmic slope", sympy.Derivative(-d * sympy.log(_W) + _W**2 / 4, _W), _W / 2 - d / _W,
            reason="of the quotient", check=Rewrite()),
        Step("simplex.fig5/increasing", ((2 * d + _rise) - 2 * d) / 2, S.Zero, ">",
            reason="w times the slope, (w^2 - 2 d)/2, at w^2 = 2 d + h: beyond the crossing point the "
            "density of independent " "vectors stays the larger one", check=Sign(_rise / 2)),
        Step("simplex.fig5/simplex is shorter", _wi**2 + _wj**2 - 2 * _wi * _wj / (d - 1), _wi**2 + _wj**2, "<",
            reason="draw by draw: so P(w_ij > t) is smaller for SimRFs than for ORFs at every t > 0",
            check=Sign(2 * _wi * _wj / (d - 1))))))  # fmt: skip
