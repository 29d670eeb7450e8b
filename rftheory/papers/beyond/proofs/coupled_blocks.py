"""Results that Reid et al. 2023 lack: other numbers of vectors, Fourier features, the threshold z_crit."""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from sympy import (Function, Integral, Rational, S, besseli, binomial, cos, exp, factorial, gamma, hyper, log,
    oo, pi, rf, sin, sqrt)  # fmt: skip

from rftheory.exact.coupled_blocks import BOUND_COSINE, NODE_PRODUCT, NODE_SUM, OPPOSITE_WEIGHT, lower_weight
from rftheory.exact.formula import Variable
from rftheory.exact.geometry import simrf_conformity_plane
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import (Antiderivative, Chain, ChangeVariable, Combination, FromInequality, Given, Holds, Increasing,
    Inside, Instance, Ladder, Rewrite, Scaled, Sign, StateInduction, Termwise, Use)  # fmt: skip
from rftheory.exact.proof.steps import Derivation, Scope, Step, at, established, register_derivation
from rftheory.exact.proof.textbook import TOP
from rftheory.exact.ranges import Range
from rftheory.exact.symbols import COSINE, PAIR_DIMENSION, POSITIVE_SUM_NORM, SUM_NORM, c, d, k, m, phi, v
from rftheory.exact.vanishing import vanishes
from rftheory.papers.simplex.proofs.conformity import orf_series
from rftheory.papers.simplex.proofs.order import WEIGHT, conformity_with

_s = sympy.Symbol("s", nonnegative=True)
_rise = sympy.Symbol("h", positive=True)
SHARE = Variable(_s, "sin(2 phi)", low=0, high=1)
POWER = Variable(k, "order", integer=True, low=0)
COUNT = Variable(m, "number of vectors", integer=True, low=2)

# ---- the conformity increases with the cosine ----------------------------------------------------------

_low, _high = 1 + c * sin(phi), 1 + (c + _rise) * sin(phi)

register_derivation(Derivation(id="simplex.added.angle",
    title="the conformity increases with the cosine of the angle",
    says="rho at the cosine c + h is larger than at c, for v > 0 and every d >= 2", source="ours, from eq. (21)",
    variables=(PAIR_DIMENSION, SUM_NORM, COSINE, SHARE, Variable(_rise, "increase of the cosine", above=0), POWER),
    points=({"d": 2, "v": "1/2", "c": -1, "h": 1, "k": 1, "s": 1},
        {"d": 3, "v": 2, "c": "-1/2", "h": "1/3", "k": 0, "s": "1/2"},
        {"d": 7, "v": "1/8", "c": 0, "h": "1/9", "k": 4, "s": "1/3"}),
    steps=(
        Step("simplex.added.angle/one term", (1 + c * _s) ** k, (1 + (c + _rise) * _s) ** k, "<=",
            reason="D(k+1) = (1 + (c+h) s) D(k) + h s (1 + c s)^k",
            check=Ladder(k, 0, 1 + (c + _rise) * _s, _rise * _s * (1 + c * _s) ** k)),
        Step("simplex.added.angle/statement", conformity_with(_low), conformity_with(_high), "<",
            reason="term by term and point by point: D(k+1) = (1 + (c+h) s) D(k) + h s (1 + c s)^k; "
            "strict at k = 1, phi = pi/2",
            check=Termwise(Scaled(WEIGHT * sin(phi) ** (d - 1), Ladder(k, 0, _high, _rise * sin(phi) * _low**k)),
                {k: 1, phi: pi / 2}, Sign(v**2 * _rise * gamma(d + 1) / (2**d * gamma(d / 2) * gamma(d / 2 + 1)))),
            conditions=(v > 0,)))))  # fmt: skip

# ---- three vectors that close a triangle -----------------------------------------------------------------

_short, _third, _spare = sympy.symbols("a_1 a_3 h_t", positive=True)


def _cosine(one: sympy.Expr, other: sympy.Expr, rest: sympy.Expr) -> sympy.Expr:
    """Of the angle between two of three vectors with the sum zero, from the norms."""
    return (rest**2 - one**2 - other**2) / (2 * one * other)


register_derivation(Derivation(id="simplex.fig3", title="three vectors with the sum zero",
    says="of two of the vectors the longer one subtends the bigger angle with the third",
    source="Reid et al. 2023, Figure 3",
    variables=(Variable(_short, "norm of a vector", above=0),
        Variable(_rise, "by how much the second is longer", above=0),
        Variable(_third, "norm of the third vector", above=0),
        Variable(_spare, "what the first two norms exceed the third by", above=0)),
    points=({"a_1": 3, "h": 1, "a_3": 5, "h_t": 1}, {"a_1": "1/2", "h": "1/3", "a_3": 1, "h_t": "1/7"}),
    steps=(
        Step("simplex.fig3/cosines",
            _cosine(_short, _third, _short + _rise) - _cosine(_short + _rise, _third, _short),
            _rise * ((2 * _short + _rise) ** 2 - _third**2) / (2 * _short * (_short + _rise) * _third),
            reason="cosine of the first and the third less that of the second, of norm a_1 + h, and the third",
            check=Rewrite(), printed=True),
        Step("simplex.fig3/triangle", (_third + _spare) ** 2 - _third**2, S.Zero, ">",
            reason="the third side of a triangle is shorter than the sum of the others, 2 a_1 + h = a_3 + h_t",
            check=Sign(_spare * (2 * _third + _spare)), printed=True))))  # fmt: skip

# ---- m <= d + 1 vectors: the simplex of m vertices ------------------------------------------------------

_more = sympy.Symbol("j", integer=True, positive=True)

register_derivation(Derivation(id="simplex.added.fewer", title="fewer vectors than dimensions",
    says="for m <= d + 1 vectors the simplex of m vertices exists; for m < d its angle is larger than " "that of (9)",
    source="ours; the lower bound is that of Theorem 3.4",
    variables=(COUNT, Variable(_more, "d - m", integer=True, low=1), Variable(c, "cosine", low=-1, high=1)),
    points=({"m": 2, "j": 1, "c": -1}, {"m": 3, "j": 4, "c": "-1/2"}, {"m": 7, "j": 57, "c": 0}),
    steps=(
        Step("simplex.added.fewer/one eigenvalue", at((m - 1) * v, {v: -1 / (m - 1)}), -S.One,
            reason="the sum of the cosines to the others, so that the matrix of inner products has the "
            "eigenvector (1, ..., 1) with eigenvalue 0: m " "vertices need m - 1 <= d " "dimensions",
            check=Rewrite()),
        Step("simplex.added.fewer/other eigenvalues", 1 + 1 / (m - 1), S.Zero, ">",
            reason="on the complement: so the matrix is positive semidefinite and the vertices exist", check=Sign()),
        Step("simplex.added.fewer/angle", -1 / (m - 1), -1 / (m + _more - 1), "<",
            reason="the cosine of m vertices is smaller than that of (9) for d = m + j > m; with "
            "simplex.added.angle the " "conformity is smaller too",
            check=Sign(_more / ((m - 1) * (m + _more - 1)))))))  # fmt: skip

# ---- 2d vectors: plus and minus an orthogonal block -----------------------------------------------------

_bernoulli = (1 - _s) ** k - 1 + k * _s
_first, _square = sympy.symbols("e_1 e_2", nonnegative=True)
_value, _total, _squares, _mean, _new = sympy.symbols("lam T Q mu g", real=True)
_sum, _inner = sympy.symbols("S C", real=True)
_size = sympy.Symbol("N", integer=True, positive=True)
_A = sympy.Symbol("A", nonnegative=True)


def _minorant_total(linear: sympy.Expr, squares: sympy.Expr) -> sympy.Expr:
    """Sum of 1 + k s c + A c^2 over ordered pairs of 2d vectors, from the sums of c and c^2 over all i, j."""
    return 2 * d * (2 * d - 1) + k * _s * (linear - 2 * d) + _A * (squares - 2 * d)


register_derivation(Derivation(id="simplex.added.orthoplex", title="the best way to spend 2d vectors",
    says="2d directions plus and minus an orthogonal block minimise the conformity of "
    "weight-independent couplings", source="ours; linear programming bound, as in Cohn and Kumar 2007",
    variables=(PAIR_DIMENSION, COSINE, SHARE, POWER, COUNT,
        Variable(_A, "Bernoulli's excess (1-s)^k - 1 + k s", low=0),
        Variable(_first, "|sum of the directions|^2", low=0, tied=True),
        Variable(_square, "excess of the sum of squared cosines over m^2/d", low=0),
        Variable(_value, "eigenvalue of the frame operator"), Variable(_total, "sum of the eigenvalues", tied=True),
        Variable(_squares, "sum of their squares", tied=True), Variable(_mean, "a mean"),
        Variable(_size, "number of eigenvalues", integer=True, low=1),
        Variable(_sum, "|sum of the directions|^2 so far", tied=True), Variable(_inner, "sum of the cosines over ordered pairs", tied=True),
        Variable(_new, "inner product of the next direction and the sum")),
    points=(
        {"d": 2, "c": "-1/2", "s": 1, "k": 3, "m": 4, "A": 2, "e_1": 0, "e_2": 0, "lam": 1, "T": 4, "Q": 8, "mu": 1,
            "N": 2, "S": 2, "C": -2, "g": 0},
        {"d": 5, "c": "1/3", "s": "2/3", "k": 4, "m": 10, "A": 1, "e_1": 1, "e_2": "1/3", "lam": 2, "T": 10, "Q": 30,
            "mu": 2, "N": 5, "S": 3, "C": -7, "g": "-1/2"},
        {"d": 3, "c": 1, "s": "1/9", "k": 2, "m": 6, "A": 0, "e_1": 3, "e_2": 2, "lam": 0, "T": 6, "Q": 12,
            "mu": "1/2", "N": 3, "S": 0, "C": -6, "g": 0}),
    steps=(
        Step("simplex.added.orthoplex/Bernoulli", _bernoulli, S.Zero, ">=", reason="A(k+1) = (1 - s) A(k) + k s^2",
            check=Ladder(k, 0, 1 - _s, k * _s**2)),
        Step("simplex.added.orthoplex/minorant", (1 + c * _s) ** k, 1 + k * _s * c + _bernoulli * c**2, ">=",
            reason="a quadratic in the cosine that touches (1 + c s)^k at c = 0 and meets it at c = -1; "
            "D(k+1) = (1 + c s) D(k) + c^2 s (1 + c) A(k)",
            check=Ladder(k, 0, 1 + c * _s, S.Zero,
                plus=(("simplex.added.orthoplex/Bernoulli", c**2 * _s * (1 + c)),))),
        Step("simplex.added.orthoplex/sum of cosines", _sum, m + _inner,
            reason="|sum u_i|^2 = m + sum of the cosines over ordered pairs, so that sum is at least -m",
            check=StateInduction(m, 1, {_sum: S.One, _inner: S.Zero},
                {_sum: _sum + 2 * _new + 1, _inner: _inner + 2 * _new})),
        Step("simplex.added.orthoplex/one eigenvalue", _value**2, 2 * _mean * _value - _mean**2, ">=",
            reason="a square", check=Sign((_value - _mean) ** 2)),
        Step("simplex.added.orthoplex/eigenvalues summed", _squares, 2 * _mean * _total - _size * _mean**2, ">=",
            reason="the eigenvalues of the frame operator sum u_i u_i^T, one by one",
            check=StateInduction(_size, 1, {_squares: _value**2, _total: _value},
                {_squares: _squares + _value**2, _total: _total + _value},
                increment="simplex.added.orthoplex/one eigenvalue")),
        Step("simplex.added.orthoplex/sum of squared cosines", _squares, _total**2 / _size, ">=",
            reason="at mu = T/N: with trace T = m and N = d, the sum of all squared cosines is at " "least m^2/d",
            check=Instance("simplex.added.orthoplex/eigenvalues summed", {_mean: _total / _size})),
        Step("simplex.added.orthoplex/lower bound", _minorant_total(_first, 4 * d + _square),
            _minorant_total(S.Zero, S(4) * d), ">=",
            reason="the minorant summed over the pairs of m = 2 d vectors, m^2/d = 4 d; the "
            "coefficients k s and A are >= 0", check=Sign(k * _s * _first + _A * _square)),
        Step("simplex.added.orthoplex/attained", 2 * d * (1 - _s) ** k + 2 * d * (2 * d - 2),
            _minorant_total(S.Zero, S(4) * d).subs(_A, _bernoulli),
            reason="plus and minus an orthogonal block: 2 d ordered pairs at the cosine -1, all others " "at 0",
            check=Rewrite()),
        Step("simplex.added.orthoplex/two simplex blocks",
            2 * d * (d - 1) * (1 / (d - 1)) ** 2 + 2 * d**2 * (1 / S(d)), S(2) * d, ">",
            reason="mean sum of squared cosines over the ordered pairs of two independent simplex "
            "blocks (E (u.u')^2 = 1/d for "
            "independent directions) against 4 d - 2 d: at k = 2, where the minorant is exact and A = " "s^2, "
            "two blocks are strictly worse", check=Sign(2 * d / (d - 1))),
        Step("simplex.added.orthoplex/statement", (1 + c * _s) ** k, 1 + k * _s * c + _bernoulli * c**2, ">=",
            reason="the inequality that the optimality rests on",
            check=Instance("simplex.added.orthoplex/minorant", {})))))  # fmt: skip

# ---- m = d + 1, ..., 2d vectors: the linear programming bound ---------------------------------------------------

_node = sympy.Symbol("r", nonpositive=True)
_low_value, _node_value, _node_slope = sympy.symbols("F_0 F_1 G", nonnegative=True)
_above = sympy.Symbol("j", integer=True, nonnegative=True)
_at_node = 1 + _node * _s
_tangent = _at_node**k + k * _s * _at_node**k / _at_node * (c - _node)
_curvature = ((1 - _s) ** k - _tangent.subs(c, -1)) / (1 + _node) ** 2


def _pair_total(value: sympy.Expr, slope: sympy.Expr, linear: sympy.Expr, squares: sympy.Expr) -> sympy.Expr:
    """Sum of value + slope (c - r) + A (c - r)^2 over ordered pairs of m vectors, from those of c and c^2 over all i, j."""
    constant = value - slope * _node + _A * _node**2
    return m * (m - 1) * constant + (slope - 2 * _node * _A) * (linear - m) + _A * (squares - m)


register_derivation(Derivation(id="simplex.added.block-bound", title="how good a block of d + 1 to 2 d vectors can be",
    says="the conformity of m vectors is at least a mean of those at the cosines -1 and r = -(2d-m)/(d(m-2))",
    source="ours; linear programming bound, as in Delsarte, Goethals and Seidel 1977 and Cohn and Kumar 2007",
    variables=(PAIR_DIMENSION, COSINE, SHARE, Variable(k, "order", integer=True, low=1),
        Variable(m, "number of vectors", integer=True, low=3), Variable(_node, "the cosine r", above=-1, high=0),
        Variable(_A, "coefficient of (c - r)^2", low=0), Variable(_low_value, "(1 - s)^k", low=0),
        Variable(_node_value, "(1 + r s)^k", low=0), Variable(_node_slope, "k s (1 + r s)^(k-1)", low=0),
        Variable(_first, "|sum of the directions|^2", low=0, tied=True),
        Variable(_square, "excess of the sum of squared cosines over m^2/d", low=0),
        Variable(_above, "m - d - 1", integer=True, low=0)),
    points=(
        {"d": 3, "c": "-1/2", "s": "1/2", "k": 2, "m": 5, "r": "-1/9", "A": "1/4", "F_0": "1/4", "F_1": "289/324", "G": "17/18",
            "e_1": 0, "e_2": 0, "j": 1},
        {"d": 4, "c": "1/3", "s": "2/3", "k": 4, "m": 6, "r": "-1/8", "A": 1, "F_0": 1, "F_1": 2, "G": 3, "e_1": 1, "e_2": "1/3",
            "j": 1},
        {"d": 8, "c": 1, "s": "1/9", "k": 1, "m": 12, "r": "-1/20", "A": 0, "F_0": 0, "F_1": 1, "G": 0, "e_1": 3, "e_2": 2,
            "j": 3}),
    steps=(
        Step("simplex.added.block-bound/tangent", (1 - _s) ** k, _tangent.subs(c, -1), ">=",
            reason="a power lies above its tangent at c = r: D(k+1) = (1 - s) D(k) + k s^2 (1 + r)^2 (1 + r s)^(k-1)",
            check=Ladder(k, 1, 1 - _s, k * _s**2 * (1 + _node) ** 2 * _at_node**k / _at_node)),
        Step("simplex.added.block-bound/minorant", (1 + c * _s) ** k, _tangent + _curvature * (c - _node) ** 2, ">=",
            reason="a quadratic in the cosine that touches (1 + c s)^k at c = r and meets it at c = -1; "
            "D(k+1) = (1 + c s) D(k) + s (1 + c) (c - r)^2 A(k), A = (difference of the tangent step)/(1 + r)^2",
            check=Ladder(k, 1, 1 + c * _s, S.Zero,
                plus=(("simplex.added.block-bound/tangent", _s * (1 + c) * (c - _node) ** 2 / (1 + _node) ** 2),))),
        Step("simplex.added.block-bound/slope", _node_slope - 2 * _node * _A, S.Zero, ">=",
            reason="coefficient of c in the minorant, r <= 0", check=Sign()),
        Step("simplex.added.block-bound/any block", _pair_total(_node_value, _node_slope, _first, m**2 / d + _square),
            _pair_total(_node_value, _node_slope, S.Zero, m**2 / d), ">=",
            reason="the minorant summed over the pairs: |sum u_i|^2 >= 0, and the squared cosines sum to m^2/d at least "
            "(simplex.added.orthoplex); both coefficients are >= 0",
            check=Sign((_node_slope - 2 * _node * _A) * _first + _A * _square)),
        Step("simplex.added.block-bound/the cosine", at(2 * d - m, {m: d + 1 + _above}), at(m - 2, {m: d + 1 + _above}), "<=",
            reason="so -1/d <= r <= 0 for d + 1 <= m <= 2 d", check=Sign(2 * _above)),
        Step("simplex.added.block-bound/m = d + 1", at(BOUND_COSINE, {m: d + 1}), -1 / d,
            reason="attained by the simplex of d + 1 vertices: the cosine -1 has the weight 0", check=Rewrite()),
        Step("simplex.added.block-bound/m = 2 d", at(OPPOSITE_WEIGHT, {m: 2 * d}), 1 / (2 * d - 1),
            reason="attained by plus and minus an orthogonal block, where r = 0", check=Rewrite()),
        Step("simplex.added.block-bound/statement",
            _pair_total(_node_value, _node_slope, S.Zero, m**2 / d).subs(
                _A, (_low_value - _node_value + _node_slope * (1 + _node)) / (1 + _node) ** 2).subs(_node, BOUND_COSINE),
            m * (m - 1) * (OPPOSITE_WEIGHT * _low_value + (1 - OPPOSITE_WEIGHT) * _node_value),
            reason="at r = -(2d-m)/(d(m-2)) the slope drops out; term by term in k this is the formula "
            "block_conformity_bound",
            check=Rewrite()))))  # fmt: skip

# ---- more than 2d vectors: the linear programming bound with two touching points ----------------------------------

_far, _near, _over = sympy.symbols("u q delta", positive=True)
_cube, _cubes, _newest = (
    sympy.Symbol("e_3", nonnegative=True),
    sympy.Symbol("C_3", real=True),
    sympy.Symbol("g_3", real=True),
)
_D = sympy.symbols("D_0 D_1 D_2 D_3", nonnegative=True)
_span = _near + _far
_low_at, _high_at = (1 - _far * _s) ** (k + 1), (1 + _near * _s) ** (k + 1)
_low_slope, _high_slope = (k + 1) * _s * (1 - _far * _s) ** k, (k + 1) * _s * (1 + _near * _s) ** k
_first_excess = _high_at - _low_at - _span * _low_slope
_second_excess = _span * (_low_slope + _high_slope) - 2 * (_high_at - _low_at)
_hermite = (_span**3 * (_low_at + _low_slope * (c + _far)) + _span * _first_excess * (c + _far) ** 2
    + _second_excess * (c + _far) ** 2 * (c - _near))  # fmt: skip
_root = sympy.sqrt(d)
_far_node = 1 / _root + _over
_excess, _line = 2 * _root * _over + d * _over**2, _root - 1 + d * _over  # d u^2 - 1 and d u - 1
_near_node = (1 - _far_node) / _line  # as _other_node below
_rows = d + 1 + (d - 1) * (d * _far - 1) / (d * _far**2 - 1)
_other_node = (1 - _far) / (d * _far - 1)
_M = "simplex.added.more-than-2d"


def _cubic_total(ones: sympy.Expr, twos: sympy.Expr, threes: sympy.Expr) -> sympy.Expr:
    """Sum of D_0 + D_1 (c+u) + D_2 (c+u)^2 + D_3 (c+u)^2 (c-q) over ordered pairs, from excesses of the sums of c, c^2, c^3."""
    first, second, third = ones, m**2 / d + twos, 3 * ones / (d + 2) + threes
    everyone = (m**2 * _D[0] + _D[1] * (first + m**2 * _far) + _D[2] * (second + 2 * _far * first + m**2 * _far**2)
        + _D[3] * (third + (2 * _far - _near) * second + (_far**2 - 2 * _far * _near) * first - m**2 * _far**2 * _near))  # fmt: skip
    equal = _D[0] + _D[1] * (1 + _far) + _D[2] * (1 + _far) ** 2 + _D[3] * (1 + _far) ** 2 * (1 - _near)
    return everyone - m * equal


_middle = _excess * (_far_node + 1 / d) / _line + 2 * (d - 1) / (d * (d + 2))
_totals = [
    _cubic_total(*sums).subs({_far: _far_node, _near: _near_node})
    for sums in ((_first, _square, _cube), (S.Zero,) * 3)
]

_golden = [(sign * sqrt(5) - 1) / 4 for sign in (-1, 1)]
_ATTAINED = {
    "pentagon": (2, {_golden[0]: 2, _golden[1]: 2}),
    "half of the 5-cube": (5, {Rational(-3, 5): 5, Rational(1, 5): 10}),
}
"""Dimension, and how many other vectors are at which cosine from each one."""


def _attained(name: str) -> Iterator[Step]:
    """The cosines are the two roots, and all vectors add up to zero, which fixes the weights."""
    dim, cosines = _ATTAINED[name]
    (low, few), (high, many) = cosines.items()
    for side, cosine in (("lower", low), ("upper", high)):
        yield Step(f"{_M}/{name}, {side} cosine", at(c**2 - NODE_SUM * c + NODE_PRODUCT, {d: dim, m: few + many + 1, c: cosine}), S.Zero,
            check=Rewrite())  # fmt: skip
    yield Step(
        f"{_M}/{name}, sum",
        at(few * c + many * _near, {c: low, _near: high}),
        S.NegativeOne,
        check=Rewrite(),
    )


register_derivation(Derivation(id=_M, title="how good a block of more than 2 d vectors can be",
    says="the conformity of m >= 2 d vectors is at least a mean of those at the cosines -u and q, the roots of "
    "t^2 + (d-1)/(m-d-1) t - (m-2d)/(d(m-d-1))",
    source="ours; linear programming bound with the nodes of Levenshtein, as in Cohn and Kumar 2007 and Boyvalenkov et al. 2016",
    variables=(PAIR_DIMENSION, COSINE, SHARE, Variable(k, "order less 1", integer=True, low=0),
        Variable(m, "number of vectors", integer=True, low=1), Variable(_far, "minus the lower cosine", above=0, below=1),
        Variable(_near, "the upper cosine", above=0, below=1), Variable(_over, "u - 1/sqrt(d)", above=0),
        *(Variable(x, f"divided difference of order {i} at -u, -u, q, q", low=0) for i, x in enumerate(_D)),
        Variable(_first, "|sum of the directions|^2", low=0, tied=True),
        Variable(_square, "excess of the sum of squared cosines over m^2/d", low=0, tied=True),
        Variable(_cube, "|sum of the tensors|^2", low=0, tied=True),
        Variable(_cubes, "sum of c^3 - 3 c/(d + 2) over ordered pairs", tied=True),
        Variable(_newest, "inner product of the next tensor and the sum")),
    points=(
        {"d": 5, "c": "-1/2", "s": "1/2", "k": 2, "m": 16, "u": "3/5", "q": "1/5", "delta": "1/7", "D_0": "1/4", "D_1": "1/3",
            "D_2": "17/18", "D_3": 1, "e_1": 0, "e_2": 0, "e_3": 0, "C_3": "-64/7", "g_3": 1},
        {"d": 2, "c": "1/3", "s": "2/3", "k": 4, "m": 5, "u": "4/5", "q": "1/3", "delta": "1/5", "D_0": 1, "D_1": 2, "D_2": 3,
            "D_3": 0, "e_1": 1, "e_2": "1/3", "e_3": 2, "C_3": "3/4", "g_3": "-1/2"},
        {"d": 9, "c": 1, "s": "1/9", "k": 3, "m": 30, "u": "1/2", "q": "1/9", "delta": "1/30", "D_0": 0, "D_1": 1, "D_2": 0,
            "D_3": 5, "e_1": 3, "e_2": 2, "e_3": 1, "C_3": "-229/11", "g_3": 0}),
    steps=(
        Step(f"{_M}/tangent", _high_at, _low_at + _span * _low_slope, ">=",
            reason="a power lies above its tangent at -u: D(k+1) = (1 + q s) D(k) + (k+1) s^2 (q+u)^2 (1 - u s)^k",
            check=Ladder(k, 0, 1 + _near * _s, _s * _span**2 * _low_slope)),
        Step(f"{_M}/both slopes", _span * (_low_slope + _high_slope), 2 * (_high_at - _low_at), ">=",
            reason="D(k+1) = (1 + q s) D(k) + s (q+u) times the difference of the step before: the third divided difference",
            check=Ladder(k, 0, 1 + _near * _s, S.Zero, plus=((f"{_M}/tangent", _s * _span),))),
        Step(f"{_M}/minorant", _span**3 * (1 + c * _s) ** (k + 1), _hermite, ">=",
            reason="a cubic in the cosine that touches (1 + c s)^(k+1) at -u and at q; "
            "D(k+1) = (1 + c s) D(k) + s (c+u)^2 (c-q)^2 times the difference of the step before",
            check=Ladder(k, 0, 1 + c * _s, S.Zero,
                plus=((f"{_M}/both slopes", _s * (c + _far) ** 2 * (c - _near) ** 2),))),
        Step(f"{_M}/tensors", at(_inner - 2 * _sum + _new, {_inner: c**3, _sum: 3 * c / (d + 2), _new: 3 * (d + 2) * c / (d + 2) ** 2}),
            c**3 - 3 * c / (d + 2),
            reason="inner product of the tensors u_i u_j u_k - (u_i 1_jk + u_j 1_ik + u_k 1_ij)/(d+2) of two directions: "
            "c^3, twice 3 c/(d+2), and (3 d c + 6 c)/(d+2)^2", check=Rewrite()),
        Step(f"{_M}/sum of cubes", _cube, m * (d - 1) / (d + 2) + _cubes,
            reason="|sum of the tensors|^2: so c^3 - 3 c/(d+2) sums to at least 0 over all i, j",
            check=StateInduction(m, 1, {_cube: (d - 1) / (d + 2), _cubes: S.Zero},
                {_cube: _cube + 2 * _newest + (d - 1) / (d + 2), _cubes: _cubes + 2 * _newest})),
        Step(f"{_M}/the nodes", at(_near, {_near: _far**2 + NODE_SUM.subs(m, _rows) * _far}), -NODE_PRODUCT.subs(m, _rows),
            reason="-u is a root at m = d + 1 + (d-1)(d u - 1)/(d u^2 - 1), which falls from oo to 2 d as u = 1/sqrt(d) + delta "
            "grows to 1", check=Rewrite()),
        Step(f"{_M}/the other node", NODE_SUM.subs(m, _rows) + _far, _other_node,
            reason="and q = (1 - u)/(d u - 1) the other one", check=Rewrite()),
        Step(f"{_M}/coefficient of c", at(_far**2 - 2 * _far * _near + 3 / (d + 2), {_far: _far_node, _near: _near_node}),
            S.Zero, ">=", reason="in the cubic (c+u)^2 (c-q), with c^3 = (c^3 - 3 c/(d+2)) + 3 c/(d+2)",
            check=Sign(_middle)),
        Step(f"{_M}/coefficient of c^2", at(2 * _far - _near, {_far: _far_node, _near: _near_node}), S.Zero, ">=",
            check=Sign(_far_node + _excess / _line)),
        Step(f"{_M}/the rest", _first * (_D[1] + 2 * _far_node * _D[2]) + _square * _D[2] + _cube * _D[3], S.Zero, ">=", check=Sign()),
        Step(f"{_M}/any block", _totals[0], _totals[1], ">=",
            reason="the minorant summed over the pairs: |sum u_i|^2 >= 0, the squared cosines sum to m^2/d at least "
            "(simplex.added.orthoplex), and c^3 - 3 c/(d+2) to 0",
            check=Combination(((f"{_M}/the rest", S.One), (f"{_M}/coefficient of c", _first * _D[3]),
                (f"{_M}/coefficient of c^2", _square * _D[3])))),
        *(step for name in _ATTAINED for step in _attained(name)),
        Step(f"{_M}/statement", _cubic_total(S.Zero, S.Zero, S.Zero).subs({_near: _other_node, m: _rows}),
            (m * (m - 1) * (_D[0] + (1 - lower_weight(-_far, _near)) * (_D[1] * _span + _D[2] * _span**2))).subs(
                {_near: _other_node, m: _rows}),
            reason="D_0 is the value at -u and D_0 + D_1 (q+u) + D_2 (q+u)^2 that at q; D_3 drops out: term by term in k this is "
            "the formula block_conformity_bound",
            check=Rewrite()))))  # fmt: skip

# ---- Fourier features under the simplex coupling -----------------------------------------------------------

_y, _t = sympy.symbols("y t", nonnegative=True)
_b = d / 2
_ratio = (d + 2 + k) / (_b + 2 + k)
_x = sympy.Symbol("x", real=True)

register_derivation(Derivation(id="simplex.added.rff", title="simplex Fourier features near z = 0",
    says="for 0 < z^2 <= 1/2 the simplex coupling makes Fourier features worse than the orthogonal "
    "one, in every d >= 2", source="ours; left out in Theorem 4.5",
    variables=(PAIR_DIMENSION, COSINE, SHARE, POWER,
        Variable(_y, "minus the argument of 1F1", low=0, high=Rational(1, 2)), Variable(_t, "z^2/2", low=0),
        Variable(_x, "argument", low=-1, high=0), Variable(_more, "d - 2", integer=True, low=1)),
    points=({"d": 2, "c": -1, "s": 1, "k": 0, "y": "1/2", "t": 1, "x": "-1/3", "j": 1},
        {"d": 3, "c": "-1/2", "s": "1/3", "k": 3, "y": "1/9", "t": "1/4", "x": "-1/8", "j": 3},
        {"d": 64, "c": "-1/63", "s": "9/10", "k": 1, "y": 0, "t": "1/9", "x": -1, "j": 62}),
    steps=(
        Step("simplex.added.rff/second derivative", sympy.Derivative(hyper((d,), (_b,), _x), (_x, 2)),
            d * (d + 1) / (_b * (_b + 1)) * hyper((d + 2,), (_b + 2,), _x),
            reason="F = 1F1(d; d/2; .), of which E cos(w_i.z) cos(w_j.z) is the mean of (F(-t (1 + c "
            "s)) + F(-t (1 - c s)))/2", check=Rewrite()),
        Step("simplex.added.rff/ratio", _ratio, S(2), "<",
            reason="quotient of consecutive coefficients of 1F1(d+2; d/2+2; .)",
            check=Sign((k + 2) / (_b + 2 + k))),
        Step("simplex.added.rff/terms fall", _ratio * _y / (k + 1), S.One, "<",
            reason="for 0 <= y <= 1/2: the terms of the alternating series fall, so its value lies "
            "above 0 and F'' > 0 on " "[-1/2, 0]",
            check=Sign(((1 - 2 * _y) * (d + 2 + k) + (k + 2) + k * (d + 4 + 2 * k)) / ((d + 4 + 2 * k) * (k + 1)))),
        Step("simplex.added.rff/reach", _t * (1 + c * _s), 2 * _t, "<=",
            reason="both arguments lie in [-2 t, 0] = [-z^2, 0], where F is strictly convex for z^2 <= "
            "1/2: the mean over +-c s " "exceeds F(-t), the value of the orthogonal coupling",
            check=Sign(_t * (1 - c * _s))),
        Step("simplex.added.rff/z^4", 2 - 2 * (d + 1) / (d + 2) * (1 + c**2 * d / (d + 1)),
            2 * (1 - d * c**2) / (d + 2),
            reason="coefficient of t^2 in exp(-z^2) - E cos cos at the cosine c, with E s^2 = d/(d+1): "
            "a coupling beats independent " "vectors at small z exactly where c^2 < 1/d", check=Rewrite()),
        Step("simplex.added.rff/d >= 3", 1 / ((_more + 2) - 1) ** 2, 1 / (_more + S(2)), "<",
            reason="c^2 = 1/(d-1)^2 < 1/d for d = j + 2 >= 3: the simplex lies between; at d = 2, c^2 "
            "= 1 > 1/2, it is worse than " "independent vectors",
            check=Sign((_more**2 + _more - 1) / ((_more + 1) ** 2 * (_more + 2)))))))  # fmt: skip

# ---- z_crit -----------------------------------------------------------------------------------------------

_p = sympy.Symbol("p", positive=True)
_u = sympy.Symbol("u", nonnegative=True)

register_derivation(Derivation(id="simplex.zcrit.plane", title="no threshold in the plane",
    says="at d = 2 the RFF orthogonality gap is positive for every z > 0", source="ours; simplex.s4.zcrit",
    variables=(Variable(_p, "z^2/2", above=0),), points=({"p": "1/9"}, {"p": 1}, {"p": 7}),
    steps=(
        Step("simplex.zcrit.plane/gap", exp(2 * _p) * (exp(-2 * _p) - exp(-_p) * (1 - _p)), 1 - (1 - _p) * exp(_p),
            reason="1F1(2; 1; -p) = exp(-p) (1 - p)", check=Rewrite()),
        Step("simplex.zcrit.plane/closed form", hyper((2,), (1,), -_p), exp(-_p) * (1 - _p),
            reason="Kummer: exp(-p) 1F1(-1; 1; p)", check=Rewrite()),
        Step("simplex.zcrit.plane/integral", Integral(_u * exp(_u), (_u, 0, _p)), 1 - (1 - _p) * exp(_p),
            reason="antiderivative (u - 1) exp(u)", check=Antiderivative((_u - 1) * exp(_u))),
        Step("simplex.zcrit.plane/bounded below", Integral(_u * exp(_u), (_u, 0, _p)), Integral(_u, (_u, 0, _p)),
            ">=", reason="exp(u) >= 1", check=Termwise(Scaled(_u, Sign(exp(_u) - 1)))),
        Step("simplex.zcrit.plane/lower bound", Integral(_u, (_u, 0, _p)), _p**2 / 2, reason="antiderivative u^2/2",
            check=Antiderivative(_u**2 / 2)),
        Step("simplex.zcrit.plane/threshold", exp(2 * _p) * (exp(-2 * _p) - exp(-_p) * (1 - _p)), S.Zero, "<=", printed=True,
            reason="beyond a threshold of z^2/2, for which 100 stands", conditions=(_p >= 100,), points=({"p": 100},)),
        Step("simplex.zcrit.plane/statement", 1 - (1 - _p) * exp(_p), _p**2 / 2, ">=", replaces="simplex.zcrit.plane/threshold",
            reason="so the gap times exp(z^2) is at least z^4/8",
            check=FromInequality("simplex.zcrit.plane/bounded below", S.One,
                ("simplex.zcrit.plane/integral reversed",
                    "simplex.zcrit.plane/lower bound reversed"))))))  # fmt: skip

n = sympy.Symbol("n", integer=True, positive=True)
_half, _q, _sigma, _share = sympy.symbols("a q sigma h", positive=True)
_re, _turn = sympy.symbols("r theta", real=True)
_now, _slope, _bend = sympy.symbols("y y_1 y_2", real=True)
_series = Function("F", real=True)
_E = "simplex.zcrit.energy"


def _equation(one: sympy.Expr, slope: sympy.Expr, bend: sympy.Expr) -> sympy.Expr:
    """x Q'' + (a - 3 x) Q' + 2 x Q."""
    return _p * bend + (_half - 3 * _p) * slope + 2 * _p * one


_waves = exp(_p) * _series(_p)
_first_coefficient = rf(-_half, k) / (rf(_half, k) * factorial(k))

register_derivation(Derivation(id=_E, title="where orthogonal Fourier features certainly help",
    says="for 0 < z^2 <= d/3 the RFF gap is positive, in every d >= 2: with x = z^2/2, a = d/2 it has the sign of 1 - Q, "
    "Q = exp(x) 1F1(-a; a; x), and Q^2 + Q'^2/2 falls from 1",
    source="ours; simplex.s4.zcrit",
    variables=(Variable(_half, "d/2", low=1), Variable(_p, "x = z^2/2", above=0), POWER, Variable(_share, "3 x/a", above=0, high=1),
        Variable(_now, "Q"), Variable(_slope, "Q'"), Variable(_bend, "Q''")),
    points=({"a": "3/2", "p": "1/2", "k": 0, "h": 1, "y": 1, "y_1": 2, "y_2": -1}, {"a": 2, "p": "1/3", "k": 1, "h": "1/3", "y": "1/2",
        "y_1": -1, "y_2": 3}, {"a": 32, "p": 7, "k": 5, "h": "1/2", "y": 0, "y_1": "1/3", "y_2": 2}),
    steps=(
        Step(f"{_E}/Kummer", exp(2 * _p) * hyper((2 * _half,), (_half,), -_p), exp(_p) * hyper((-_half,), (_half,), _p),
            reason="so the gap, exp(-z^2) - 1F1(d; d/2; -z^2/2), is exp(-z^2) (1 - Q)",
            check=Use("lemma.kummer", {TOP: -_half, lemmas.s: _half, lemmas.t: -_p})),
        Step(f"{_E}/coefficients", (k + 1) * (_half + k) * _first_coefficient.subs(k, k + 1), (k - _half) * _first_coefficient,
            reason="so F = 1F1(-a; a; x) solves x F'' + (a - x) F' + a F = 0", check=Rewrite()),
        Step(f"{_E}/equation", _equation(*(sympy.diff(_waves, (_p, i)) for i in range(3))),
            exp(_p) * (_p * sympy.diff(_series(_p), (_p, 2)) + (_half - _p) * sympy.diff(_series(_p), _p) + _half * _series(_p)),
            reason="and Q = exp(x) F solves x Q'' + (a - 3 x) Q' + 2 x Q = 0", check=Rewrite()),
        Step(f"{_E}/slope", at(2 * _now * _slope + _slope * _bend, {_bend: (3 - _half / _p) * _slope - 2 * _now}),
            (3 - _half / _p) * _slope**2, reason="the slope of Q^2 + Q'^2/2, from the equation", check=Rewrite()),
        Step(f"{_E}/start", at(_now**2 + _slope**2 / 2, {_now: 1, _slope: 1 - _half / _half}), S.One,
            reason="at x = 0, where Q = 1 and Q' = 1 - a/a", check=Rewrite()),
        Step(f"{_E}/statement", at((3 - _half / _p) * _slope**2, {_p: _share * _half / 3}), S.Zero, "<=",
            reason="for 0 < x <= a/3 it falls, strictly, since Q' vanishes at single points only: Q^2 < 1, and the gap is positive",
            check=Sign(3 * (1 - _share) / _share * _slope**2)))))  # fmt: skip

_G = "simplex.added.zcrit"
_ratio_q = (1 - 2 * _re) / (1 - _re)
_log_slope = -_p / (1 - _re) ** 2 + _half / (1 - _re) - (_half + 1) / _re
_beta = gamma(2 * _half) / (gamma(_half) * gamma(_half + 1))
_growth = 3 - _half / _p
_frequency = 2 - _growth**2 / 4 + sympy.diff(_growth, _p) / 2
_w, _w_slope = sympy.Symbol("w", positive=True), sympy.Symbol("w_1", real=True)
_other, _other_slope = sympy.symbols("v v_1", real=True)
_rest = 3 * (_sigma - 1) ** 2 / (2 * (2 * _sigma + 1))
RATE = 3 * _sigma - 1 - log(4 * _sigma)
"""F(sigma): Q^2 is of the order exp(d F/2) at z^2 = sigma d."""

register_derivation(Derivation(id=_G, title="growth of z_crit",
    says="z_crit(d)^2 differs from sigma* d by a bounded amount, where sigma* = 0.6537... is the larger root of 3 sigma - log(4 sigma) = 1",
    source="ours; simplex.s4.zcrit",
    variables=(Variable(_half, "d/2", low=1), Variable(_p, "x = z^2/2", above=0), Variable(_re, "t, or its real part on the circle |t|^2 = 1/2"),
        Variable(_q, "a positive number", above=0), Variable(_sigma, "a positive number, z^2/d in F", above=0),
        Variable(_turn, "angle on the circle"), Variable(_now, "y"), Variable(_slope, "y'"), Variable(_bend, "y''"),
        Variable(_other, "a second solution"), Variable(_other_slope, "its slope"), Variable(_w, "w", above=0), Variable(_w_slope, "w'"),
        Variable(_share, "a/(3 x)", above=0, high=1)),
    points=({"a": 2, "p": 1, "r": "1/3", "q": "1/2", "sigma": "1/3", "theta": 1, "y": 1, "y_1": 2, "y_2": 3, "v": "1/2", "v_1": -1, "w": 1,
            "w_1": -1, "h": 1},
        {"a": "5/2", "p": "7/2", "r": "-1/2", "q": 2, "sigma": "3/5", "theta": "1/3", "y": -1, "y_1": "1/2", "y_2": 1, "v": 3, "v_1": 2,
            "w": "1/2", "w_1": 2, "h": "1/3"},
        {"a": 64, "p": "50", "r": "1/7", "q": 1, "sigma": 2, "theta": -2, "y": 0, "y_1": 1, "y_2": -1, "v": -1, "v_1": 5, "w": 2, "w_1": "-1/3",
            "h": "1/2"}),
    steps=(
        # a path integral of q = exp(x (1-2t)/(1-t)) (1-t)^-a t^(-a-1): from -oo below the negative axis around the circle to -oo above
        Step(f"{_G}/equation", _equation(S.One, _ratio_q, _ratio_q**2), -1 - _re * _log_slope,
            reason="over q = exp(x (1-2t)/(1-t)) (1-t)^(-a) t^(-a-1) this is the slope of -t q: integrals of q along paths from -oo or 1 to "
            "-oo solve the equation of Q (simplex.zcrit.energy)", check=Rewrite()),
        Step(f"{_G}/value at 0", at((_now + _slope * _re) * (_half * _re - (_half + 1) * (1 - _re)) + _slope * _re * (1 - _re),
                {_now: -1 / (_half + 1), _slope: (2 * _half + 1) / (_half * (_half + 1))}),
            1 - 2 * (2 * _half + 1) / (_half + 1) * _re * (1 - _re),
            reason="by parts, with (A + B t) (1-t)^(-a) t^(-a-1): from a to a + 1 the integral of (1-t)^(-a) t^(-a-1) around 0 takes the "
            "factor 2 (2a+1)/(a+1)", check=Rewrite()),
        Step(f"{_G}/binomial", _beta.subs(_half, _half + 1), 2 * (2 * _half + 1) / (_half + 1) * _beta,
            reason="and so does b = Gamma(2a)/(Gamma(a) Gamma(a+1)) ...", check=Rewrite()),
        Step(f"{_G}/a = 1/2", at(_beta, {_half: Rational(1, 2)}), 2 / pi, reason="as -2 sqrt((1-t)/t) shows ...", check=Rewrite()),
        Step(f"{_G}/a = 1", at(_beta, {_half: 1}), S.One,
            reason="... and the residue: the path integral is 2 pi i b Q, the solution that stays bounded at x = 0", check=Rewrite()),
        Step(f"{_G}/second solution", Integral(exp(-_p * lemmas.w**2) * lemmas.w ** (2 * _half - 1), (lemmas.w, 0, oo)),
            gamma(_half) / (2 * _p**_half),
            reason="half of the path, from 1 to -oo, gives f with Re f = Q; as x -> 0, (Im f)' ~ -Gamma(a) x^(-a)/(pi b), an integral over "
            "w^2 = 1/(1-t): the Wronskian is K = Gamma(a) x^(-a) exp(3 x)/(pi b)",
            check=Use("lemma.gamma_integral", {lemmas.s: _half, lemmas.a: _p})),
        Step(f"{_G}/on the circle", (_re - Rational(1, 2)) / (Rational(3, 2) - 2 * _re),
            1 / (4 * (Rational(3, 2) - 2 * _re)) - Rational(1, 2),
            reason="Re t/(1-t) in terms of q = |1-t|^2 = 3/2 - 2 Re t: at x = a/3 the modulus of q is 12^(a/2) exp(-a h), "
            "h = (s - 1 - log s)/2 with s = 1/(6 q)", check=Rewrite()),
        Step(f"{_G}/slope on the circle", at(1 - 4 * _re + 4 * _now, {_now: Rational(1, 2)}), at(2 * (1 - 2 * _re + _now), {_now: Rational(1, 2)}),
            reason="|1-2t|^2 = 2 |1-t|^2: the derivative in x has sqrt(2) times the modulus", check=Rewrite()),
        Step(f"{_G}/exponent", sympy.diff(_sigma - 1 - log(_sigma) - _rest, _sigma), (_sigma - 1) ** 3 / (_sigma * (2 * _sigma + 1) ** 2),
            reason="so s - 1 - log s >= 3 (s-1)^2/(2 (2s+1)), with equality at s = 1", check=Rewrite()),
        Step(f"{_G}/distance", cos(_q) - cos(_turn), 2 * sin((_turn + _q) / 2) * sin((_turn - _q) / 2),
            reason="q - 1/6 = sqrt(2) (cos theta* - cos theta), cos theta* = 4/(3 sqrt(2)): h is bounded below by a multiple of "
            "(theta - theta*)^2, and sqrt(a) times the integral of exp(-a h) by a constant", check=Rewrite()),
        Step(f"{_G}/Wronskian", (_w * _now**2 + _slope**2) * (_w * _other**2 + _other_slope**2), _w * (_now * _other_slope - _slope * _other) ** 2,
            ">=", reason="so Q'^2 + w Q^2 is at least w K^2 over |f'|^2 + w |f|^2, and at most that",
            check=Sign((_w * _now * _other + _slope * _other_slope) ** 2)),
        Step(f"{_G}/normal form", _equation(_now, _slope + _growth * _now / 2,
                _bend + _growth * _slope + (sympy.diff(_growth, _p) / 2 + _growth**2 / 4) * _now), _p * (_bend + _frequency * _now),
            reason="Q = y exp(P/2), P' = 3 - a/x, P = 0 at x = a/3: then y'' + w y = 0, w = 2 - P'^2/4 + P''/2",
            check=Rewrite()),
        Step(f"{_G}/frequency falls", at(sympy.diff(_frequency, _p), {_p: _half / (3 * _share)}), S.Zero, "<",
            reason="for x >= a/3", check=Sign(27 * _share**2 * (_half * (1 - _share) + 2 * _share) / (2 * _half**2))),
        Step(f"{_G}/G falls", at(2 * _slope * _bend + _w_slope * _now**2 + 2 * _w * _now * _slope, {_bend: -_w * _now}), _w_slope * _now**2,
            reason="slope of G = y'^2 + w y^2: Q^2 <= G(a/3) exp(P)/w, which grows with x", check=Rewrite()),
        Step(f"{_G}/H rises", at(2 * _now * _slope + 2 * _slope * _bend / _w - _w_slope * _slope**2 / _w**2, {_bend: -_w * _now}),
            -_w_slope * _slope**2 / _w**2,
            reason="slope of y^2 + y'^2/w: where y has a maximum, Q^2 >= G(a/3) exp(P)/w(a/3); there is one in every interval of "
            "length 2 pi/sqrt(min w)", check=Rewrite()),
        Step(f"{_G}/convex rate", sympy.diff(RATE, _sigma, 2), S.Zero, ">", check=Sign(1 / _sigma**2)),
        Step(f"{_G}/root, below", RATE.subs(_sigma, Rational("0.653759587704925")), S.Zero, "<",
            reason="F vanishes where 3 sigma - log(4 sigma) = 1, between 0.653759587704925 ...", check=Sign()),
        Step(f"{_G}/root, above", RATE.subs(_sigma, Rational("0.653759587704926")), S.Zero, ">",
            reason="... and 0.653759587704926", check=Sign()),
        Step(f"{_G}/central quotient", (_half + 1) ** 2 / (_half + Rational(1, 2)) ** 2 * _half / (_half + 1), S.One, "<",
            reason="factor of Gamma(a+1)^2/(a Gamma(a+1/2)^2) from a to a + 1: 4^a/b = 2 sqrt(pi) Gamma(a+1)/Gamma(a+1/2) over sqrt(a) falls",
            check=Sign(Rational(1, 4) / (_half + Rational(1, 2)) ** 2)),
        Step(f"{_G}/Gamma", (_half + Rational(1, 2)) * log(1 + 1 / _half) - 1, 1 / (12 * _half) - 1 / (12 * (_half + 1)), "<=",
            reason="so Gamma(a) (e/a)^a sqrt(a) exp(-1/(12 a)) does not fall from a to a + 1",
            check=Instance("lemma.stirling", {lemmas.u: _half})),
        Step(f"{_G}/statement", at(3 * (_p - _half / 3) - _half * log(3 * _p / _half) + _half * log(Rational(3, 4)), {_p: _sigma * _half}),
            _half * RATE, reason="P at x = sigma a, and log((3/4)^a), the order of G(a/3)", check=Rewrite()))))  # fmt: skip

# ---- how fast the conformity grows -----------------------------------------------------------------------

_W = "simplex.added.growth"
_rising = rf(2 * _half, k) / (rf(_half, k) * factorial(k))
_shift = sympy.Symbol("b", positive=True)


def _riccati(rate: sympy.Expr) -> sympy.Expr:
    """The slope of M'/M where it has this value."""
    return 2 * _half / _p - (_half - _p) / _p * rate - rate**2


def _barrier(shift: sympy.Expr) -> sympy.Expr:
    """How much faster M'/M grows than 1 + a/(t + shift) where they meet."""
    rate = 1 + _half / (_p + _shift)
    return at(_riccati(rate) - sympy.diff(rate, _p), {_shift: shift})


register_derivation(Derivation(id=_W, title="how fast the conformity of orthogonal rows grows",
    says="1F1(d; d/2; t) is between C exp(t) (t + d/2)^(d/2) and C exp(t) (t + d - 1)^(d/2), C = Gamma(d/2)/Gamma(d); at another "
    "cosine c <= 0 it is smaller by E exp(-|c| t s) at least and by E exp(-2 |c| t s) at most",
    source="ours",
    variables=(Variable(_half, "a = d/2", low=1), Variable(_p, "t = v^2/2", above=0), POWER, Variable(_now, "M"), Variable(_bend, "M''"),
        Variable(_slope, "M'/M"), Variable(_q, "a rate above 1", above=1), Variable(_share, "sin phi", above=0, high=1)),
    points=({"a": 1, "p": 1, "k": 0, "y": 1, "y_1": 2, "y_2": 3, "q": 2, "h": 1}, {"a": "5/2", "p": "1/3", "k": 4, "y": 2, "y_1": "3/2",
        "y_2": 1, "q": "3/2", "h": "1/3"}, {"a": 32, "p": 40, "k": 9, "y": 5, "y_1": "4/3", "y_2": 7, "q": 5, "h": "1/9"}),
    steps=(
        Step(f"{_W}/coefficients", (k + 1) * _rising.subs(k, k + 1), (2 * _half + k) / (_half + k) * _rising,
            reason="M = 1F1(2a; a; t): so t M'' + (a - t) M' - 2 a M = 0 ...", check=Rewrite()),
        Step(f"{_W}/at least", (2 * _half + k) / (_half + k), S.One, ">=", check=Sign(_half / (_half + k)),
            reason="... and M' >= M, so M(t - y) <= M(t) exp(-y)"),
        Step(f"{_W}/at most", (2 * _half + k) / (_half + k), S(2), "<=", check=Sign(k / (_half + k)),
            reason="M' <= 2 M, so M(t - y) >= M(t) exp(-2 y): with y = |c| t sin(phi) under the mean (21) over phi"),
        Step(f"{_W}/equation", at(_bend / _now - _slope**2, {_bend: ((_p - _half) * _slope * _now + 2 * _half * _now) / _p}), _riccati(_slope),
            reason="the slope of M'/M, which is 2 at t = 0", check=Rewrite()),
        Step(f"{_W}/upper barrier", _barrier(_half), S.Zero, "<=",
            reason="M'/M <= 1 + a/(t + a): both are 2 at t = 0, where M'/M falls by 2/(a+1) >= 1/a, and it cannot cross later", check=Sign(_half * (_half - 1) / (_p + _half) ** 2)),
        Step(f"{_W}/lower barrier", _barrier(2 * _half - 1), S.Zero, ">=",
            reason="M'/M >= 1 + a/(t + 2a - 1), at t = 0 too",
            check=Sign(_half * (2 * (_half - 1) + 1) * (_half - 1) / (_p * (_p + 2 * (_half - 1) + 1) ** 2))),
        Step(f"{_W}/one power", Integral(exp(-_q * lemmas.w**2) * lemmas.w ** (2 * (_half + k) - 1), (lemmas.w, 0, oo)),
            gamma(_half + k) / (2 * _q ** (_half + k)),
            reason="term by term, with t = w^2: the integral of exp(-q t) t^(a-1) M is Gamma(a) q^(-a) times ...",
            check=Use("lemma.gamma_integral", {lemmas.s: _half + k, lemmas.a: _q})),
        Step(f"{_W}/series", hyper((2 * _half,), (), 1 / _q), (1 - 1 / _q) ** (-2 * _half),
            reason="... this binomial series; where M/(exp(t) t^a) tends to C, it is C Gamma(2a) (q-1)^(-2a) as q falls to 1, so "
            "C = Gamma(a)/Gamma(2a)", check=Rewrite()),
        Step(f"{_W}/statement", at(_half / (_p + _shift), {_shift: 2 * _half - 1}), at(_half / (_p + _shift), {_shift: _half}), "<=",
            reason="M exp(-t) (t + a)^(-a) falls to C and M exp(-t) (t + 2a - 1)^(-a) rises to it: equality in the plane, a = 1",
            check=Sign(_half * (_half - 1) / ((_p + 2 * (_half - 1) + 1) * (_p + _half)))))))  # fmt: skip

_level, _shape_p, _turned, _inside = sympy.symbols("x p y r", positive=True)
_T = "simplex.added.sum-tail"
_rest_of = Integral(_inside ** (_shape_p - 1) * exp(-_inside), (_inside, _level, oo))
_front = _level**_shape_p * exp(-_level)
_longer, _above_one = _shape_p - 1 + _over, Range(S.One, oo)


def _tail(power: sympy.Expr) -> sympy.Expr:
    return Integral(_front * power * exp(-_level * _turned), (_turned, 0, oo))


register_derivation(Derivation(id=_T, title="the tail of a Gamma variable",
    says="a Gamma variable of shape p >= 1 exceeds x > p - 1 with a probability between x^(p-1) exp(-x)/Gamma(p) and that over 1 - (p-1)/x",
    source="ours",
    variables=(Variable(_level, "x", above=0), Variable(_shape_p, "shape", low=1), Variable(_turned, "r/x - 1", above=0),
        Variable(_over, "x - p + 1", above=0)),
    points=({"x": 1, "p": 1, "y": 1, "delta": 1}, {"x": 3, "p": "5/2", "y": "1/3", "delta": "1/2"}, {"x": 7, "p": 4, "y": 5, "delta": 3}),
    steps=(
        Step(f"{_T}/moved", _rest_of, _tail((1 + _turned) ** (_shape_p - 1)), reason="r = x (1 + y)",
            check=ChangeVariable(_inside, _turned, _level * (1 + _turned))),
        Step(f"{_T}/power at least", (1 + _turned) ** (_shape_p - 1), S.One, ">=",
            check=Increasing(_inside ** (_shape_p - 1), _inside, S.One, 1 + _turned, Sign(), _above_one)),
        Step(f"{_T}/power at most", (1 + _turned) ** (_shape_p - 1), exp(_turned) ** (_shape_p - 1), "<=",
            check=Increasing(_inside ** (_shape_p - 1), _inside, 1 + _turned, exp(_turned),
                Instance("lemma.exponential", {lemmas.t: _turned}), _above_one)),
        Step(f"{_T}/at least", _tail((1 + _turned) ** (_shape_p - 1)), _tail(S.One), ">=",
            check=Termwise(Scaled(_front * exp(-_level * _turned), Instance(f"{_T}/power at least", {})))),
        Step(f"{_T}/least", _tail(S.One), _front / _level, check=Antiderivative(-_front * exp(-_level * _turned) / _level)),
        Step(f"{_T}/at most", _tail((1 + _turned) ** (_shape_p - 1)), _tail(exp(_turned) ** (_shape_p - 1)), "<=",
            check=Termwise(Scaled(_front * exp(-_level * _turned), Instance(f"{_T}/power at most", {})))),
        Step(f"{_T}/statement", _tail(exp(_turned) ** (_shape_p - 1)).subs(_level, _longer), (_front / _over).subs(_level, _longer),
            reason="with x = p - 1 + delta",
            check=Antiderivative(-_front.subs(_level, _longer) * exp(-_over * _turned) / _over)))))  # fmt: skip

# ---- the simplex in the plane ----------------------------------------------------------------------------

_t = v**2 / 2
_down = exp(-_t * sin(phi))
_first, _second = sin(phi) * (1 + _t * (1 - sin(phi))) * _down, (1 + _t * cos(phi) ** 2) * _down
_circle = (phi, 0, pi)
_struve = [hyper((1,), (Rational(3, 2), Rational(2 * order + 3, 2)), _t**2 / 4) for order in (0, 1)]
_ball, _cap = Integral(_down, _circle), Integral(cos(phi) ** 2 * _down, _circle)
_poisson = (
    pi / (2 * _t) * (besseli(0, _t) - _ball / pi),
    3 * pi / (2 * _t**2) * (besseli(1, _t) - _t * _cap / pi),
)
_P = "simplex.added.plane"


def _termwise(step: Step, _: Scope) -> str:
    """I_n - L_n of Poisson: the integral of exp(-t sin phi), or of that times cos^2 phi, term by term (Wallis integrals)."""
    order = _struve.index(step.left) if step.left in _struve else -1
    if order < 0 or step.right != _poisson[order]:
        return ""
    powers = [
        sqrt(pi) * gamma((k + 1 + shift) / 2) / gamma((k + 2 + shift) / 2) for shift in (0, 2)
    ]  # of the sine, k and k + 2
    term = _t**k / factorial(k) * (powers[0] if order == 0 else _t * (powers[0] - powers[1]))
    bessel = _t ** (2 * n + order) / (2 ** (2 * n + order) * factorial(n) * gamma(n + 1 + order))
    series = (
        gamma(Rational(3, 2))
        * gamma(Rational(3, 2) + order)
        / (gamma(Rational(3, 2) + n) * gamma(Rational(3, 2) + order + n))
    )
    series *= (_t**2 / 4) ** n * 2 * _t ** (order + 1) / (pi * (1 if order == 0 else 3))
    found = [term.subs(k, 2 * n) / (pi * bessel), term.subs(k, 2 * n + 1) / (pi * series)]
    exact = all(vanishes(e - 1) for e in found) and established("lemma.wallis").holds
    return (
        f"even powers of {_t} give I_{order}, odd ones the series: exp(-t sin phi) by lemma.wallis"
        if exact
        else ""
    )


register_derivation(Derivation(id=_P, title="The simplex in the plane by Bessel and Struve functions",
    says="(21) at d = 2, c = -1: e^t times an integral that is done by parts, and Poisson's integral of I - L", source="ours",
    variables=(POSITIVE_SUM_NORM,), points=({"v": 1}, {"v": "1/3"}, {"v": "5/2"}),
    steps=(
        Step(f"{_P}/exponentials", Integral(sin(phi) * hyper((2,), (1,), _t * (1 - sin(phi))), _circle) / 2,
            exp(_t) * Integral(_first, _circle) / 2, reason="1F1(2; 1; y) = (1 + y) e^y in (21)",
            check=Inside()),
        Step(f"{_P}/together", Integral(_first, _circle) + _t * Integral(_second, _circle),
            Integral(_first + _t * _second, _circle), check=Inside()),
        Step(f"{_P}/by parts", Integral(_first + _t * _second, _circle), 2 + 2 * _t,
            check=Antiderivative(-(1 + _t) * cos(phi) * _down)),
        Step(f"{_P}/sum", Integral(_first, _circle) + _t * Integral(_second, _circle), 2 + 2 * _t, check=Chain()),
        Step(f"{_P}/solved", Integral(_first, _circle), 2 + 2 * _t - _t * Integral(_second, _circle),
            check=Given((f"{_P}/sum reversed",), Rewrite())),
        Step(f"{_P}/split", Integral(_second, _circle), _ball + _t * _cap, check=Inside()),
        *(Step(f"{_P}/Poisson {order}", _struve[order], _poisson[order], reason="the modified Struve function as 1F2",
            check=Holds(_termwise)) for order in (0, 1)),
        Step(f"{_P}/statement", Integral(sin(phi) * hyper((2,), (1,), _t * (1 - sin(phi))), _circle) / 2,
            simrf_conformity_plane.expression, reason="both are 1 at v = 0",
            check=Given(tuple(f"{_P}/{label}" for label in ("exponentials", "solved", "split", "Poisson 0", "Poisson 1")),
                Rewrite())))))  # fmt: skip

# ---- sign changes of the gap of Fourier features --------------------------------------------------------

_half, _time = sympy.symbols("a t", positive=True)
_order = sympy.Symbol("j", integer=True, nonnegative=True)
_part = sympy.Symbol("r", positive=True)
_product = sympy.Symbol("c", positive=True)
_more, _spare = sympy.symbols("e f", nonnegative=True)

register_derivation(Derivation(id="simplex.added.sign-changes", title="Sign changes of the gap of Fourier features",
    says="with n = ceil(d/2) the gap has at most n - 1 zeros z > 0, counted with multiplicity, and as many changes modulo 2",
    source="ours",
    variables=(Variable(_half, "d/2", above=0), Variable(_time, "z^2/2", above=0), Variable(n, "ceil(d/2)", integer=True, low=1),
        Variable(_part, "a - n + 1: 1/2 or 1", above=0, high=1), Variable(_order, "an order", integer=True, low=0),
        Variable(_product, "the product c of (a-j)/(a+j) over j < n", above=0, high=1),
        Variable(_more, "1F1(n-a; a+n; t) - 1", low=0), Variable(_spare, "n + 1 - zeros of g on [0, oo)", low=0)),
    points=({"a": "3/2", "t": 1, "n": 2, "r": "1/2", "j": 0, "c": "1/5", "e": "1/3", "f": 0},
        {"a": 5, "t": "1/2", "n": 5, "r": 1, "j": 3, "c": "1/9", "e": 0, "f": 2}),
    steps=(
        Step("simplex.added.sign-changes/Kummer", hyper((2 * _half,), (_half,), -_time),
            exp(-_time) * hyper((-_half,), (_half,), _time),
            reason="a = d/2, t = z^2/2: the gap is a positive multiple of exp(-t) g, g = exp(-t) - 1F1(-a; a; t)",
            check=Use("lemma.kummer", {TOP: -_half, lemmas.s: _half, lemmas.t: -_time})),
        Step("simplex.added.sign-changes/double zero", 1 - (-_half) * (1 - _half) / (_half * (_half + 1)), 2 / (_half + 1),
            reason="g = 0, g' = -1 + a/a = 0 and g'' = 2/(a+1) at t = 0: a double zero, and g > 0 just above it",
            check=Rewrite()),
        Step("simplex.added.sign-changes/factors", S.Zero, at(_half - (n - 1 - _order), {_half: n - 1 + _part}), "<",
            reason="a - j > 0 for j < n: (-1)^n times the n-th derivative of 1F1(-a; a; t) is c 1F1(n-a; a+n; t), "
            "c = product of (a-j)/(a+j) over j < n", check=Sign(_part + _order)),
        Step("simplex.added.sign-changes/at most 1", _half - _order, _half + _order, "<=",
            reason="so 0 < c <= 1, and c < 1 for n >= 2", check=Sign(2 * _order)),
        Step("simplex.added.sign-changes/coefficients", S.Zero, at(n - _half + _order, {_half: n - 1 + _part}), "<=",
            reason="the coefficients of 1F1(n-a; a+n; t) are not negative: it is 1 at t = 0 and does not fall",
            check=Sign(1 - _part + _order)),
        Step("simplex.added.sign-changes/last derivative", exp(-_time) - _product * (1 + _more), exp(-_time) - _product, "<=",
            reason="(-1)^n g^(n) falls strictly, from 1 - c >= 0 to below 0: one zero on (0, oo) for n >= 2, none for n = 1; "
            "integrated n times, (-1)^n g tends to -oo", check=Sign(_product * _more)),
        Step("simplex.added.sign-changes/statement", (n + 1 - _spare) - 2, n - 1, "<=",
            reason="by Rolle g has at most n zeros more than g^(n) on [0, oo), two of them at 0; the signs at 0+ and at oo "
            "are + and (-1)^(n+1), so the number of changes has the parity of n - 1", check=Sign(_spare)))))  # fmt: skip

_length = sympy.Symbol("z", positive=True)
_level = _length**2 / 2
_room = Integral(_s * exp(-_level * (1 - _s)), (_s, 0, 1))
_plane = exp(-(_length**2)) / 2 - hyper((2,), (1,), -_level) / 2

register_derivation(Derivation(id="simplex.added.sign-changes.plane", title="In the plane orthogonal rows help at every z",
    says="2 exp(t) gap = exp(-t) - 1 + t > 0 at t = z^2/2, d = 2", source="ours", variables=(Variable(_length, "|x - y|", above=0),),
    points=({"z": "1/3"}, {"z": 1}, {"z": 5}),
    steps=(
        Step("simplex.added.sign-changes.plane/remainder", _room, (exp(-_level) - 1 + _level) / _level**2,
            check=Antiderivative(exp(-_level * (1 - _s)) * (_s / _level - 1 / _level**2))),
        Step("simplex.added.sign-changes.plane/sign", _room, S.Zero, ">",
            check=Termwise(Sign(), {_s: Rational(1, 2)}, Sign())),
        Step("simplex.added.sign-changes.plane/positive", (exp(-_level) - 1 + _level) / _level**2, S.Zero, ">",
            check=FromInequality("simplex.added.sign-changes.plane/sign",
                given=("simplex.added.sign-changes.plane/remainder reversed",))),
        Step("simplex.added.sign-changes.plane/statement", _plane, S.Zero, ">", reason="1F1(2; 1; -t) = exp(-t) (1 - t)",
            check=FromInequality("simplex.added.sign-changes.plane/positive", exp(-_level) * _level**2 / 2, ())))))  # fmt: skip

# ---- confluent hypergeometric forms ---------------------------------------------------------------------

_z = v**2 / 2

register_derivation(Derivation(id="simplex.added.1F1",
    title="the orthogonal conformity as a confluent hypergeometric function",
    says="rho_ORF = 1F1(d; d/2; v^2/2) = exp(v^2/2) 1F1(-d/2; d/2; -v^2/2): for even d a polynomial "
    "times exp(v^2/2)", source="ours, from (23)",
    variables=(PAIR_DIMENSION, SUM_NORM, Variable(n, "d/2 for even d", integer=True, low=1), POWER),
    points=({"d": 2, "v": "1/2", "n": 1, "k": 1}, {"d": 3, "v": 2, "n": 3, "k": 0}, {"d": 8, "v": 1, "n": 4, "k": 3}),
    steps=(
        Step("simplex.added.1F1/series", orf_series, hyper((d,), (d / 2,), _z), reason="(23) is the series of 1F1",
            check=Use("definition.kummer", {lemmas.a: d, lemmas.s: d / 2, lemmas.t: _z})),
        Step("simplex.added.1F1/Kummer", hyper((d,), (d / 2,), _z), exp(_z) * hyper((-d / 2,), (d / 2,), -_z),
            reason="Kummer's transformation",
            check=Use("lemma.kummer", {TOP: -d / 2, lemmas.s: d / 2, lemmas.t: _z})),
        Step("simplex.added.1F1/even d", binomial(n, k) / rf(n, k), binomial(n, k) * gamma(n) / gamma(n + k),
            reason="coefficient of (v^2/2)^k in 1F1(-n; n; -v^2/2), n = d/2, where (-1)^k (-n)_k/k! = "
            "binomial(n, k) vanishes for " "k > n", check=Rewrite(),
            points=({"n": 1, "k": 1}, {"n": 3, "k": 0}, {"n": 4, "k": 3})),
        Step("simplex.added.1F1/statement", orf_series, exp(_z) * hyper((-d / 2,), (d / 2,), -_z),
            check=Chain()))))  # fmt: skip
