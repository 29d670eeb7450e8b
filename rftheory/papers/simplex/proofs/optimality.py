"""Derivations of Reid et al. 2023 on optimality, and the expansions for small v."""

from __future__ import annotations

import itertools

import sympy
from sympy import Integer, Integral, Rational, S, Sum, exp, factorial, gamma, pi, sin, sqrt

from rftheory.exact.conformity import SIMPLEX_COSINE
from rftheory.exact.formula import Variable
from rftheory.exact.proof.lemmas import n
from rftheory.exact.proof.rules import (Chain, Given, Holds, Instance, Ladder, RatioInduction, Rewrite,
    SeriesHead, Sign, StateInduction, Taylor, Termwise, Use)  # fmt: skip
from rftheory.exact.proof.steps import Derivation, Scope, Step, at, register_derivation
from rftheory.exact.symbols import COSINE, PAIR_DIMENSION, POSITIVE_SUM_NORM, c, d, k, m, p, phi, v, w
from rftheory.exact.vanishing import vanishes
from rftheory.papers.simplex.proofs.conformity import ORDER, angle_sum_63, orf_series, orf_wallis, weight_63

_t, _mean = sympy.symbols("t mu", positive=True)
_degree = sympy.Symbol("n", integer=True, positive=True)
COUNT = Variable(m, "number of random vectors", integer=True, low=2)
T = Variable(_t, "value", above=0)
MEAN = Variable(_mean, "mean", above=0)
DEGREE = Variable(_degree, "power", integer=True, low=1)

register_derivation(Derivation(id="lemma.tangent", title="a power lies above its tangent",
    says="t^n >= mu^n + n mu^(n-1) (t - mu) for t, mu > 0: Jensen's inequality for each power",
    variables=(T, MEAN, DEGREE),
    points=({"t": 1, "mu": 1, "n": 3}, {"t": "1/3", "mu": 2, "n": 1}, {"t": 5, "mu": "1/7", "n": 6}),
    steps=(Step("lemma.tangent/statement", _t**_degree,
        _mean**_degree + _degree * _mean ** (_degree - 1) * (_t - _mean), ">=",
        reason="the difference D(n) satisfies D(n+1) = t D(n) + n mu^(n-1) (t - mu)^2, D(1) = 0",
        check=Ladder(_degree, 1, _t, _degree * _mean ** (_degree - 1) * (_t - _mean) ** 2)),)))  # fmt: skip

_total, _powers = sympy.symbols("T F", positive=True)
_count = sympy.Symbol("N", integer=True, positive=True)
_MEANS = (Variable(_total, "sum of the values", above=0, tied=True), Variable(_powers, "sum of their nth powers", above=0, tied=True),
    Variable(_count, "number of values", integer=True, low=1))  # fmt: skip

register_derivation(Derivation(id="lemma.jensen", title="Jensen's inequality for a power",
    says="the sum F of nth powers of N positive values with sum T is at least N (T/N)^n",
    variables=(T, MEAN, DEGREE, *_MEANS),
    points=({"t": 1, "mu": 3, "n": 2, "N": 2, "T": 6, "F": 20},
        {"t": "1/3", "mu": "1/2", "n": 3, "N": 3, "T": 6, "F": 36}),
    steps=(
        Step("lemma.jensen/tangent", _t**_degree, _mean**_degree + _degree * _mean ** (_degree - 1) * (_t - _mean),
            ">=", reason="one value against the tangent at mu", check=Instance("lemma.tangent", {})),
        Step("lemma.jensen/tangents summed", _powers,
            _count * _mean**_degree + _degree * _mean ** (_degree - 1) * (_total - _count * _mean), ">=",
            reason="the values one by one, each above the tangent",
            check=StateInduction(_count, 1, {_powers: _t**_degree, _total: _t},
                {_powers: _powers + _t**_degree, _total: _total + _t}, increment="lemma.jensen/tangent")),
        Step("lemma.jensen/statement", _powers, _count * (_total / _count) ** _degree, ">=",
            reason="mu = T/N, the mean",
            check=Instance("lemma.jensen/tangents summed", {_mean: _total / _count})))))  # fmt: skip

# ---- Lemma A.1 -----------------------------------------------------------------------------------

_pairs, _square, _inner, _new = sympy.symbols("P s C g", real=True)
_low, _step = sympy.symbols("b h", nonnegative=True)
_simplex_square = 2 * (m - 2) / (m - 1)
_coefficient = (gamma(d / 2) / (m * (m - 1)) * v ** (2 * k) * w ** (2 * k)
    / (2 ** (2 * k) * factorial(k) * gamma(k + d / 2)))  # fmt: skip
_unused = sympy.Symbol("j", integer=True, positive=True)

register_derivation(Derivation(id="simplex.lemA.1", title="SimRFs optimal for equal norms",
    says="at equal norms the sum over pairs of every power of |u_i + u_j|^2 is least at the simplex of " "m vectors",
    source="Reid et al. 2023, App. A.2",
    variables=(PAIR_DIMENSION, COUNT, POSITIVE_SUM_NORM, Variable(w, "common norm", above=0), COSINE,
        Variable(k, "order", integer=True, low=0), DEGREE, T, MEAN,
        Variable(_pairs, "sum of |u_i + u_j|^2 over ordered pairs", tied=True), Variable(_square, "|sum of the u_i|^2", low=0, tied=True),
        Variable(_inner, "sum of u_i.u_j over ordered pairs", tied=True),
        Variable(_new, "inner product of the next direction and the sum"), *_MEANS,
        Variable(_low, "smaller value", low=0), Variable(_step, "difference", low=0),
        Variable(_unused, "d - m", integer=True, low=1)),
    points=(
        {"d": 2, "m": 2, "v": 1, "w": 2, "c": -1, "k": 2, "n": 2, "t": 3, "mu": 1, "P": 4, "s": 2, "C": 0, "g": 1,
            "T": 6, "F": 20, "N": 2, "b": 0, "h": 1, "j": 1},
        {"d": 3, "m": 3, "v": "1/2", "w": 1, "c": "1/3", "k": 3, "n": 3, "t": "1/2", "mu": 2, "P": 6, "s": 0, "C": -3,
            "g": "-1/2", "T": 6, "F": 36, "N": 3, "b": 2, "h": 0, "j": 4}),
    steps=(
        Step("simplex.lemA.1/(angle)", w**2 + w**2 + 2 * w**2 * c, 2 * w**2 * (1 + c), reason="w_ij^2 at equal norms",
            check=Rewrite(), printed=True),
        Step("simplex.lemA.1/(36)", v ** (2 * k) * (w**2 * _t) ** k, v ** (2 * k) * w ** (2 * k) * _t**k,
            reason="w_ij^2 = w^2 |u_i + u_j|^2 in each term, t = |u_i + u_j|^2; f of (37) carries "
            "Gamma(d/2)/(m(m-1))", check=Rewrite(), printed=True),
        Step("simplex.lemA.1/(37) increasing", _coefficient * k * _t ** (k - 1), S.Zero, ">",
            reason="each term k >= 1 of f'(t)", check=Sign(), conditions=(k >= 1,), printed=True),
        Step("simplex.lemA.1/(37) convex", _coefficient * k * (k - 1) * _t ** (k - 2), S.Zero, ">",
            reason="each term k >= 2 of f''(t)", check=Sign(), conditions=(k >= 2,), printed=True),
        Step("simplex.lemA.1/(38)", _powers, _count * (_total / _count) ** _degree, ">=",
            reason="Jensen for the power n of f, over the N = m(m-1) pairs; f is a sum of powers with "
            "coefficients >= 0", check=Instance("lemma.jensen", {}), printed=True),
        Step("simplex.lemA.1/(39) first", _pairs, 2 * m * (m - 1) + 2 * _inner,
            reason="|u_i + u_j|^2 = 2 + 2 u_i.u_j",
            check=StateInduction(m, 1, {_pairs: S.Zero, _inner: S.Zero},
                {_pairs: _pairs + 4 * m + 4 * _new, _inner: _inner + 2 * _new}),
            printed=True),
        Step("simplex.lemA.1/(39) second", _pairs, 2 * m * (m - 2) + 2 * _square,
            reason="|sum u_i|^2 = m + sum of u_i.u_j over ordered pairs",
            check=StateInduction(m, 1, {_pairs: S.Zero, _square: S.One},
                {_pairs: _pairs + 4 * m + 4 * _new, _square: _square + 2 * _new + 1}),
            printed=True),
        Step("simplex.lemA.1/(39)", 2 * m * (m - 2) + 2 * _square, 2 * m * (m - 2), ">=", reason="a squared norm",
            check=Sign(2 * _square), printed=True),
        Step("simplex.lemA.1/(40) mean", (2 * m * (m - 2) + 2 * _square) / (m * (m - 1)), _simplex_square, ">=",
            reason="(39) over the number of pairs", check=Sign(2 * _square / (m * (m - 1)))),
        Step("simplex.lemA.1/(40)", (_low + _step) ** _degree, _low**_degree, ">=",
            reason="a power is increasing, so the mean may be replaced by its lower bound b = " "2(m-2)/(m-1)",
            check=Ladder(_degree, 1, _low + _step, _step * _low**_degree), printed=True),
        Step("simplex.lemA.1/attained", 2 * (1 + c).subs(c, -1 / (m - 1)), _simplex_square,
            reason="equal angles with sum zero: m unit vectors at the cosine -1/(m-1)", check=Rewrite(),
            printed=True),
        Step("simplex.lemA.1/fewer vectors than dimensions", 2 * (1 + c).subs(c, -1 / (m + _unused - 1)),
            _simplex_square, ">",
            reason="for m < d = m + j vectors the angle of (9), of cosine -1/(d-1), is not the best: "
            "the lemma is for m = d",
            check=Sign(2 * _unused / ((m - 1) * (m + _unused - 1)))))))  # fmt: skip

# ---- Theorem 3.4 ---------------------------------------------------------------------------------

_wi, _wj = sympy.symbols("w_i w_j", positive=True)
_u, _e, _rest_u, _rest_e = sympy.symbols("u e q f", real=True)
_tau, _kappa, _excess, _share = sympy.symbols("tau kappa x_c h", nonnegative=True)
_resultant = (_wi - _wj) ** 2 + 2 * _wi * _wj * (1 + c)
_gradient_power = _wi**2 * (_u**2 + _rest_u) + _wj**2 + 2 * _wi * _wj * (_u * _e + _rest_e)
_cross = (m - 1) * (1 + (m - 2) * c) - ((m - 1) * c) ** 2
_least = -1 / (m - 1)
_tangent_point = _resultant.subs(c, _least)


def _same_bracket(step: Step, scope: Scope) -> str:
    """Sums over permutations of F(P_i, P_j), i != j, with symbols for F, against (m-2)! times the sum over pairs."""
    if not vanishes(step.left / step.right - 1):
        return ""
    sizes = range(2, 6)
    for size in sizes:
        value = {p: sympy.Symbol(f"F_{p}") for p in itertools.permutations(range(size), 2)}
        wanted = factorial(size - 2) * sympy.Add(*value.values())
        for i, j in value:
            if sympy.Add(*(value[p[i], p[j]] for p in itertools.permutations(range(size)))) != wanted:
                return ""
    return (
        f"counted for m = 2 to {sizes[-1]}; m!/(m(m-1)) = (m-2)!, each ordered pair as frequent as any other"
    )


register_derivation(Derivation(id="simplex.thm3.4", title="SimRFs optimal for weight-independent coupling",
    says="with iid norms independent of the directions the sum over pairs is least at equal angles with " "sum zero",
    source="Reid et al. 2023, App. A.2",
    variables=(COUNT, T, Variable(c, "cosine of a pair", above=-1, below=1), DEGREE,
        Variable(_wi, "first norm", above=0), Variable(_wj, "second norm", above=0),
        *(Variable(s, "coordinate") for s in (_u, _e, _rest_e)),
        Variable(_rest_u, "sum of the squares of the other coordinates", low=0),
        Variable(_tau, "mean of the nth power at the simplex", low=0), Variable(_kappa, "mean slope there", low=0),
        Variable(_square, "|sum of the u_i|^2", low=0, tied=True), Variable(_inner, "sum of u_i.u_j over ordered pairs", tied=True),
        Variable(_new, "inner product of the next direction and the sum"),
        Variable(_excess, "1 + (m-1) c", above=0, high=1),
        Variable(_share, "share of the way of the cosine from -1/(m-1) to 1", above=0, high=1), *_MEANS),
    points=(
        {"m": 3, "t": 2, "c": "1/2", "n": 1, "w_i": 2, "w_j": 1, "u": 1, "e": "1/2", "q": 0, "f": 0, "tau": 1,
            "kappa": 1, "s": 6, "C": 3, "g": 1, "x_c": 1, "h": 1, "N": 2, "T": 6, "F": 6},
        {"m": 4, "t": "1/3", "c": "-1/4", "n": 3, "w_i": "1/2", "w_j": 3, "u": "3/5", "e": "-1/3", "q": "16/25",
            "f": "1/5", "tau": 5, "kappa": 0, "s": 0, "C": -4, "g": "-1/2", "x_c": "1/3", "h": "1/2", "N": 6, "T": 12, "F": 50}),
    steps=(
        Step("simplex.thm3.4/(46)", _resultant, sqrt(_resultant),
            reason="as printed: the sum of squares equals w_{PiPj}", printed=True),
        Step("simplex.thm3.4/(46) squared", _resultant, (_wi + _wj * c) ** 2 + (_wj * sqrt(1 - c**2)) ** 2,
            reason="it is the square of w_{PiPj}", check=Rewrite(), replaces="simplex.thm3.4/(46)"),
        Step("simplex.thm3.4/(41)", Sum(_tau, (_unused, 1, factorial(m))) / factorial(m), _tau,
            reason="iid norms: the mean over the norms of each of the m! relabelled sums is the same",
            check=Rewrite(), printed=True),
        Step("simplex.thm3.4/(42)", sympy.diff(T.symbol**_degree, T.symbol, 2), S.Zero, ">=",
            reason="each power in f is convex and positive",
            check=Sign(_degree * (_degree - 1) * T.symbol ** (_degree - 2)), printed=True),
        Step("simplex.thm3.4/(43)", _powers, _count * (_total / _count) ** _degree, ">=",
            reason="Jensen for each power of f over the N = d! permutations; the right side still "
            "depends on the directions", check=Instance("lemma.jensen", {}), printed=True),
        Step("simplex.thm3.4/(44)", sympy.Derivative(_kappa * (_u**2 + _rest_u - 1), _u), 2 * _kappa * _u,
            reason="one coordinate of the gradient of the constraint, lambda_i (u_i.u_i - 1)",
            check=Rewrite(), printed=True),
        Step("simplex.thm3.4/(45)", sympy.diff(_gradient_power**_degree, _u),
            2 * _degree * _gradient_power ** (_degree - 1) * (_wi**2 * _u + _wi * _wj * _e),
            reason="one coordinate u of the gradient in u_i of one pair; the factor 2, and the pair "
            "counted twice, go " "into the multiplier, whose vector is the direction (printed: w_i)",
            check=Rewrite(), printed=True),
        Step("simplex.thm3.4/(47)", factorial(m), m * (m - 1) * factorial(m - 2),
            reason="every ordered pair of norms stands at (P_i, P_j) in (m-2)! permutations, so at "
            "equal angles the " "bracket is the same for all i, j; what it leaves open is the sign of the factor",
            check=Holds(_same_bracket), printed=True),
        Step("simplex.thm3.4/(48) stationary at equal angles", _cross, (m - 1) * (1 - c) * (1 + (m - 1) * c),
            reason="|s - u_i|^2 - (u_i.(s - u_i))^2, zero where u_i is parallel to the sum of the others",
            check=Rewrite()),
        Step("simplex.thm3.4/(48) uniquely the simplex", at(_cross, {c: -1 / (m - 1) + _share * m / (m - 1)}), S.Zero,
            ">",
            reason="as printed: proportionality and equal angles leave the simplex alone, so that no other angle is "
            "stationary; at the share 1 all directions are equal (c = 1, the maximiser), which satisfies both", printed=True,
            points=({"m": 3, "h": 1}, {"m": 3, "h": "1/2"})),
        Step("simplex.thm3.4/(48) with a positive factor",
            ((m - 1) * (1 - c) * (1 + (m - 1) * c)).subs(c, (_excess - 1) / (m - 1)), S.Zero, ">",
            reason="u_i = -kappa (sum of the others), kappa > 0, needs c < 0; there only c = -1/(m-1) "
            "is stationary: " "c = (x - 1)/(m - 1) with 0 < x <= 1",
            check=Sign(_excess * (m - _excess)), points=({"m": 3, "x_c": 1}, {"m": 4, "x_c": "1/3"}),
            replaces="simplex.thm3.4/(48) uniquely the simplex"),
        Step("simplex.thm3.4/tangent in the cosine", _resultant**_degree,
            _tangent_point**_degree + _degree * _tangent_point ** (_degree - 1) * (2 * _wi * _wj * (c - _least)),
            ">=",
            reason="for every draw of norms, each power of w_ij^2 against its tangent at the cosine " "-1/(m-1)",
            check=Instance("lemma.tangent", {_t: _resultant, _mean: _tangent_point}),
            conditions=(m >= 3,)),
        Step("simplex.thm3.4/slope", _degree * _tangent_point ** (_degree - 1) * 2 * _wi * _wj, S.Zero, ">",
            reason="the slope is positive; its mean over the norms is the same for all pairs, because "
            "the norms are iid and " "independent of the directions", check=Sign(), conditions=(m >= 3,)),
        Step("simplex.thm3.4/cosines", _square, m + _inner, reason="|sum u_i|^2",
            check=StateInduction(m, 1, {_square: S.One, _inner: S.Zero},
                {_square: _square + 2 * _new + 1, _inner: _inner + 2 * _new})),
        Step("simplex.thm3.4/minimum", m * (m - 1) * _tau + _kappa * ((_square - m) - m * (m - 1) * _least),
            m * (m - 1) * _tau, ">=",
            reason="sum of the tangents over all pairs: the cosines sum to |sum u_i|^2 - m >= -m, with "
            "equality where the "
            "directions sum to zero; (43) alone leaves a right side that still depends on the directions",
            check=Sign(_kappa * _square)))))  # fmt: skip

# ---- (16): the truncated objective ---------------------------------------------------------------

_norms, _length = sympy.symbols("W l", nonnegative=True)
_part_a, _part_b, _gap, _over, _first = sympy.symbols("A B a_g b_g n_1", nonnegative=True)

register_derivation(Derivation(id="simplex.eq16", title="the truncated objective",
    says="the sum of |w_i + w_j|^2 is least where |sum w_i| is; (51) is necessary for that, not " "sufficient",
    source="Reid et al. 2023, App. A.3",
    variables=(COUNT, Variable(_u, "coordinate of w_i"), Variable(_e, "coordinate of w_j"),
        Variable(_pairs, "sum of |w_i + w_j|^2 over ordered pairs", tied=True), Variable(_square, "|sum of the w_i|^2", low=0, tied=True),
        Variable(_norms, "sum of the squared norms", low=0, tied=True),
        Variable(_new, "inner product of the next vector and the sum"),
        Variable(_length, "norm of the next vector", low=0),
        Variable(c, "cosine between the longest vector and the rest", low=-1, high=1),
        Variable(_first, "longest norm", low=0), Variable(_part_a, "norm of the sum of the rest", low=0),
        Variable(_part_b, "a sum of norms", low=0), Variable(_gap, "an excess", low=0),
        Variable(_over, "an excess", low=0)),
    points=(
        {"m": 3, "u": 1, "e": 2, "P": 34, "s": 0, "W": 17, "g": 1, "l": 2, "c": "1/3", "n_1": 2, "A": 1, "B": 3,
            "a_g": 1, "b_g": "1/2"},
        {"m": 3, "u": "1/2", "e": -2, "P": 36, "s": 1, "W": 17, "g": "-1/2", "l": 1, "c": -1, "n_1": 1, "A": 2,
            "B": "1/3", "a_g": 0, "b_g": 3}),
    steps=(
        Step("simplex.eq16/(49)", sympy.Derivative((_u + _e) ** 2, _u), 2 * (_u + _e),
            reason="one coordinate of the gradient in w_i of one pair; constant factors go into the " "multiplier",
            check=Rewrite(), printed=True),
        Step("simplex.eq16/(50)", (m - 1) * _u + (_first - (m - 1)) * _u, _first * _u,
            reason="(49) at sum of the others = (lambda_i - (m-1)) w_i: proportional, with a factor of "
            "either sign", check=Rewrite(), printed=True),
        Step("simplex.eq16/objective", _pairs, 2 * (m - 2) * _norms + 2 * _square,
            reason="the norms are given, so only |sum w_i|^2 is left to minimise",
            check=StateInduction(m, 1, {_pairs: S.Zero, _norms: _length**2, _square: _length**2},
                {_pairs: _pairs + 2 * (m * _length**2 + _norms + 2 * _new), _norms: _norms + _length**2,
                    _square: _square + 2 * _new + _length**2})),
        Step("simplex.eq16/(51) at 2, 2, -3: first and second", at(-_u / sympy.Abs(_u) * 2, {_u: Integer(2 - 3)}),
            Integer(2), reason="norms 2, 2, 3 on a line: the vector 2 points away from the sum -1 of the others",
            check=Rewrite()),
        Step("simplex.eq16/(51) at 2, 2, -3: third", at(-_u / sympy.Abs(_u) * 3, {_u: Integer(2 + 2)}), Integer(-3),
            reason="and the vector -3 points away from the sum 4 of the others", check=Rewrite()),
        Step("simplex.eq16/(51) minimises", 2 * (Integer(2 + 2) ** 2 + Integer(2 - 3) ** 2 + Integer(2 - 3) ** 2),
            2 * (Integer(3) ** 2 + Integer(2) ** 2 + Integer(2) ** 2), "<=",
            reason="as printed: a solution of (51) minimises. 2, 2, -3 on a line solves it; the closed "
            "triangle with these " "norms, where |w_i + w_j| is the third norm, has a smaller sum", printed=True),
        Step("simplex.eq16/a closed loop minimises", 2 * (m - 2) * _norms + 2 * _square, 2 * (m - 2) * _norms, ">=",
            reason="with equality where the vectors sum to zero", check=Sign(2 * _square),
            replaces="simplex.eq16/(51) minimises"),
        Step("simplex.eq16/(existence) longest vector dominates", _first**2 + 2 * _first * _part_a * c + _part_a**2,
            (_first - _part_a) ** 2, ">=", reason="|w_1 + r|^2 with |r| = A: least antialigned",
            check=Sign(2 * _first * _part_a * (1 + c)), printed=True),
        Step("simplex.eq16/(existence) rest aligned", ((_part_a + _gap + _over) - _part_a) ** 2,
            ((_part_a + _gap + _over) - (_part_a + _gap)) ** 2, ">=",
            reason="n_1 = R + b exceeds the sum R = A + a of the other norms, so the longest r is best: "
            "all the rest aligned", check=Sign(_gap * (_gap + 2 * _over)), printed=True),
        Step("simplex.eq16/(existence) two groups", _part_b + _gap, _part_b - _part_a, ">=",
            reason="otherwise: put the other norms one by one into the smaller of two groups; their "
            "difference stays at most "
            "the largest of them (from B to |B - A|, with largest M = B + a >= A), hence at most n_1",
            check=Sign(_gap + _part_a)),
        Step("simplex.eq16/(existence) triangle, one side",
            (_part_a + _part_b) ** 2 - (_part_a + _part_b - _gap) ** 2, _gap * (2 * (_part_a + _part_b) - _gap),
            reason="(A + B)^2 - n_1^2 with n_1 = A + B - a, and n_1^2 - (A - B)^2 likewise, are "
            "products of nonnegative "
            "numbers: the cosine (n_1^2 - A^2 - B^2)/(2 A B) lies in [-1, 1] and the triangle closes",
            check=Rewrite(), printed=True))))  # fmt: skip

# ---- Section 5.1: small v ------------------------------------------------------------------------


def _bracket(conformity: sympy.Expr) -> sympy.Expr:
    """MSE times m exp(2 x^2 + 2 y^2), for m = d vectors."""
    return exp(2 * v**2) - exp(v**2) + (d - 1) * (conformity - exp(v**2))


_mean_square = gamma((d + 1) / 2) ** 2 / (gamma(d / 2) * gamma(d / 2 + 1))
_series_simplex = angle_sum_63.subs(c, SIMPLEX_COSINE)
_head_simplex = 1 + v**2 * (1 - _mean_square / (d - 1))
_body = weight_63 * sin(phi) ** (d - 1) * (1 + c * sin(phi)) ** k
_term_gap = weight_63 * sin(phi) ** (d - 1) * (1 - (1 - sin(phi) / (d - 1)) ** k)
_term_0, _term_1 = (Integral(_body.subs({c: SIMPLEX_COSINE, k: i}), (phi, 0, pi)) for i in (0, 1))
_value_0 = gamma(d) / (2 ** (d - 1) * gamma(d / 2) ** 2) * sqrt(pi) * gamma(d / 2) / gamma((d + 1) / 2)
_choose_1 = Sum(SIMPLEX_COSINE**p * gamma((d + p) / 2) / (gamma((d + p + 1) / 2) * factorial(1 - p) * factorial(p)),
    (p, 0, 1))  # fmt: skip
_value_1 = v**2 * gamma(d + 1) * sqrt(pi) / (2**d * gamma(d / 2) * gamma(d / 2 + 1)) * _choose_1


def _printed(denominator: sympy.Expr) -> sympy.Expr:
    """What is subtracted from 1 in the printed SimRF expansion, for a reading of its denominator."""
    return sqrt(pi) * gamma(d + 1) * gamma(d / 2 + Rational(1, 2)) / (gamma(d / 2) * denominator)


_LABEL = "simplex.s5.smallv"

register_derivation(Derivation(id=_LABEL, title="small-v expansions",
    says="m exp(2x^2 + 2y^2) MSE = v^2 for IIDRFs and ORFs and v^2 (1 - ...) for SimRFs with m = d, up " "to O(v^4)",
    source="Reid et al. 2023, Sec. 5.1", variables=(PAIR_DIMENSION, POSITIVE_SUM_NORM, ORDER),
    points=({"d": 2, "v": "1/3", "k": 1}, {"d": 3, "v": "1/2", "k": 0}, {"d": 64, "v": 1, "k": 3}),
    steps=(
        Step(f"{_LABEL}/IIDRF", exp(2 * v**2) - exp(v**2), v**2, "~",
            reason="the bracket of (11) at the conformity exp(v^2), to O(v^4)", check=Taylor(v, 4, at_zero=True),
            printed=True),
        Step(f"{_LABEL}/ORF conformity", orf_series, 1 + v**2, "~", reason="first terms of (23)",
            check=SeriesHead(v, 2, 2)),
        Step(f"{_LABEL}/ORF", _bracket(1 + v**2), v**2, "~",
            reason="the bracket of (11) at this conformity, to O(v^4)", check=Taylor(v, 4, at_zero=True),
            printed=True),
        Step(f"{_LABEL}/SimRF terms", _series_simplex, angle_sum_63.subs(c, 0), "<=",
            reason="0 <= 1 - sin(phi)/(d-1) <= 1, so the series converges like that of ORFs",
            check=Termwise(Sign(_term_gap))),
        Step(f"{_LABEL}/ORF terms", angle_sum_63.subs(c, 0), orf_wallis, reason="Wallis' integral",
            check=Use("lemma.wallis", {n: d})),
        Step(f"{_LABEL}/ORF duplication", orf_wallis, orf_series, reason="Legendre duplication",
            check=Use("lemma.duplication_quotient", {n: d})),
        Step(f"{_LABEL}/SimRF bounded", _series_simplex, orf_series, "<=", check=Chain()),
        Step(f"{_LABEL}/SimRF first terms", _series_simplex, _term_0 + _term_1, "~", reason="to O(v^4)",
            check=SeriesHead(v, 2, 2, f"{_LABEL}/SimRF bounded")),
        Step(f"{_LABEL}/term 0", _term_0, _value_0, reason="Wallis' integral", check=Use("lemma.wallis", {n: d})),
        Step(f"{_LABEL}/term 0 value", _value_0, S.One, reason="Legendre duplication",
            check=RatioInduction(d, 2, 2)),
        Step(f"{_LABEL}/term 1 expanded", _term_1, _value_1, reason="(66) at k = 1",
            check=Use("lemma.angle_power", {c: SIMPLEX_COSINE, k: S.One})),
        Step(f"{_LABEL}/term 1", _value_1, v**2 * (1 - _mean_square / (d - 1)), reason="the two terms of the sum",
            check=Rewrite()),
        Step(f"{_LABEL}/first terms", _term_0 + _term_1, _head_simplex,
            check=Given(
                (f"{_LABEL}/term 0", f"{_LABEL}/term 0 value", f"{_LABEL}/term 1 expanded", f"{_LABEL}/term 1"))),
        Step(f"{_LABEL}/SimRF conformity", _series_simplex, _head_simplex, "~",
            reason="the SimRF conformity to O(v^4)", check=Chain()),
        Step(f"{_LABEL}/SimRF", _bracket(_head_simplex), v**2 * (1 - _mean_square), "~",
            reason="the bracket of (11) at this conformity with m = d, to O(v^4)", check=Taylor(v, 4, at_zero=True)),
        Step(f"{_LABEL}/reading (a)", _mean_square, _printed(gamma(d / 2 + 1) * 2 ** (2 * d)),
            reason="denominator Gamma(d/2) Gamma(d/2+1) 2^(2d)", printed=True),
        Step(f"{_LABEL}/reading (c)", _mean_square, _printed(gamma(d / 2 + 1) * 2**2 * d),
            reason="denominator Gamma(d/2) Gamma(d/2+1) 2^2 d", printed=True),
        Step(f"{_LABEL}/reading (b)", _mean_square, _printed(gamma(d / 2 + 1) ** 2 * 2**d),
            reason="denominator Gamma(d/2) Gamma(d/2+1)^2 2^d",
            check=RatioInduction(d, 2, 2), printed=True,
            replaces=(f"{_LABEL}/reading (a)", f"{_LABEL}/reading (c)")),
        Step(f"{_LABEL}/prefactor at d = 64, below", (1 - _mean_square).subs(d, 64), Rational(775, 100000), ">",
            reason="0.0078 as printed, to its digits", check=Sign(), printed=True),
        Step(f"{_LABEL}/prefactor at d = 64, above", (1 - _mean_square).subs(d, 64), Rational(785, 100000), "<",
            reason="0.0078 as printed, to its digits", check=Sign(), printed=True))))  # fmt: skip
