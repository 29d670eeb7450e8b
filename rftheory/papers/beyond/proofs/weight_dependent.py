"""What couplings that depend on the norms can gain at small |x + y|: the term of order v^2 of the error."""

from __future__ import annotations

import sympy
from sympy import E, Integral, Rational, exp, gamma, oo, sqrt

from rftheory.exact.formula import Variable
from rftheory.exact.positive import prf_small_v_plus_bound
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import FromInequality, Increasing, Instance, Rewrite, Sign, Use
from rftheory.exact.proof.steps import Derivation, Step, at, register_derivation
from rftheory.exact.ranges import Range
from rftheory.exact.symbols import d, m

ID = "simplex.added.plus-gain"
_norms, _resultant, _least, _rest, _share = sympy.symbols("Q R a r p", nonnegative=True)
_over, _rate, _excess = sympy.symbols("h s x", positive=True)
_degrees = sympy.Symbol("n", integer=True, positive=True)
_norm = sympy.Symbol("w", positive=True)
_chi = _norm ** (2 * (_degrees / 2) - 1) / (2 ** (_degrees / 2 - 1) * gamma(_degrees / 2))
_best = (d - 2) / (2 * d)

register_derivation(Derivation(id=ID, title="What SimRFs+ gain at small v",
    says="m exp(2|x|^2 + 2|y|^2) MSE = v^2 E|sum w_i|^2/(m d) + O(v^4), the joint law invariant under rotations; for the shortest resultant of d vectors at most prf_small_v_plus_bound(d)",
    source="ours; a result that Reid et al. 2023 lack",
    variables=(Variable(d, "data dimension", integer=True, low=3), Variable(m, "number of vectors", integer=True, low=2),
        Variable(_norms, "sum of the squared norms", low=0), Variable(_resultant, "|sum of the vectors|^2", low=0),
        Variable(_least, "sum of the other norms", low=0), Variable(_over, "longest norm less that sum", above=0),
        Variable(_rest, "sum of products of the other norms", low=0), Variable(_rate, "rate", above=0),
        Variable(_excess, "a number", above=0), Variable(_degrees, "degrees of freedom", integer=True, low=1),
        Variable(_share, "1 - 2 s", above=0)),
    points=({"d": 3, "m": 2, "Q": 1, "R": 0, "a": 0, "h": 1, "r": 0, "s": 1, "x": 1, "n": 1, "p": 1},
        {"d": 5, "m": 5, "Q": 20, "R": "1/2", "a": 3, "h": "1/3", "r": 2, "s": "1/4", "x": 3, "n": 5, "p": "1/3"},
        {"d": 64, "m": 64, "Q": 4000, "R": 40, "a": 500, "h": 2, "r": 90, "s": "31/64", "x": "1/9", "n": 64, "p": "1/32"}),
    steps=(
        Step(f"{ID}/pairs", 2 * (m - 1) * _norms + 2 * (_resultant - _norms), 2 * (m - 2) * _norms + 2 * _resultant,
            reason="sum of |w_i + w_j|^2 over ordered pairs", check=Rewrite()),
        Step(f"{ID}/coefficient", 1 + (m - 1) * (at(2 * (m - 2) * _norms + 2 * _resultant, {_norms: m * d}) / (2 * d * m * (m - 1)) - 1),
            _resultant / (m * d), reason="of v^2 in (exp(2v^2) - exp(v^2)) + (m-1)(rho - exp(v^2)), rho = 1 + v^2 E|w_ij|^2/(2d) + O(v^4), E Q = m d",
            check=Rewrite()),
        Step(f"{ID}/overhang", _over**2, (_least + _over) ** 2 - _least**2, "<=", reason="b is the sum of the others, b + h the longest: the shortest resultant is h",
            check=Sign(2 * _least * _over)),
        Step(f"{ID}/squares", _least**2, _least**2 + 2 * _rest, "<=", reason="(sum of the others)^2 is at least the sum of their squares T; so h^2 <= (w^2 - T)_+",
            check=Sign(2 * _rest)),
        Step(f"{ID}/tangent", exp(_rate * _excess - 1), _rate * _excess, ">=", check=Instance("lemma.exponential", {lemmas.t: _rate * _excess - 1})),
        Step(f"{ID}/Chernoff", _excess, exp(_rate * _excess) / (E * _rate), "<=", reason="x = w^2 - T; where x < 0 the right side is positive",
            check=FromInequality(f"{ID}/tangent", 1 / _rate, ())),
        Step(f"{ID}/chi", Integral(_chi * exp(-_share * _norm**2 / 2), (_norm, 0, oo)), _share ** (-_degrees / 2),
            reason="E exp(s w^2) with n = d, 1 - 2s = p, and E exp(-s T) with n = d (d-1), 1 + 2s = p",
            check=Use("lemma.gamma_integral", {lemmas.s: _degrees / 2, lemmas.a: _share / 2})),
        Step(f"{ID}/rate", at(1 - 2 * _rate, {_rate: _best}), 2 / d, reason="the best rate", check=Rewrite()),
        Step(f"{ID}/other rate", at(1 + 2 * _rate, {_rate: _best}), 2 * (d - 1) / d, check=Rewrite()),
        Step(f"{ID}/statement", d * at(1 / (E * _rate), {_rate: _best}) * (2 / d) ** (-d / 2) * (2 * (d - 1) / d) ** (-d * (d - 1) / 2) / d**2,
            prf_small_v_plus_bound.expression,
            reason="each of d vectors may be the longest", check=Rewrite()))))  # fmt: skip

# ---- d = 3, every v ---------------------------------------------------------------------------------------------

SHORTER = "simplex.added.plus-shorter"
_first, _second = sympy.symbols("n1 n2", positive=True)
_level, _part = sympy.symbols("x q", positive=True)
_tail = exp(-_level) * (1 + _level + _level**2 / 2)

register_derivation(Derivation(id=SHORTER, title="Two rows of SimRFs+ in three dimensions",
    says="bounds of the lengths |w_1 + w_2| of SimRFs and SimRFs+ near 0 and far out, for norms n_1, n_2",
    source="ours; a result that Reid et al. 2023 lack",
    variables=(Variable(_first, "norm", above=0), Variable(_second, "norm", above=0),
        Variable(_level, "half of n_1^2 + n_2^2", above=0), Variable(_part, "half of sin(2t), n_1 + i n_2 = r e^(it)", above=0, below=Rational(1, 2))),
    points=({"n1": 1, "n2": 1, "x": 1, "q": "1/4"}, {"n1": 3, "n2": "1/2", "x": "1/3", "q": "1/100"},
        {"n1": "1/7", "n2": 5, "x": 20, "q": "12/25"}),
    steps=(
        Step(f"{SHORTER}/opposite", (_first - _second) ** 2, _first**2 + _second**2 - _first * _second, "<",
            reason="on one line, with w_1 or w_2 the longest, the rows of SimRFs+ are closer to each other's opposite than those of a simplex",
            check=Sign(_first * _second)),
        Step(f"{SHORTER}/half", (_first**2 + _second**2) / 2, _first**2 + _second**2 - _first * _second, "<=",
            reason="so |w_1 + w_2|^2 >= r^2/2 for a simplex", check=Sign((_first - _second) ** 2 / 2)),
        Step(f"{SHORTER}/sum", (_first + _second) ** 2, 2 * (_first**2 + _second**2), "<=", reason="so n_1 + n_2 > s needs r^2 > s^2/2",
            check=Sign((_first - _second) ** 2)),
        Step(f"{SHORTER}/near 0", at(_level**3 / 6 + _tail, {_level: sympy.S.Zero}), _level**3 / 6 + _tail, "<=",
            reason="r^2/2 is at most x with probability 1 - G(x) <= x^3/6",
            check=Increasing(_level**3 / 6 + _tail, _level, sympy.S.Zero, _level, Sign(), Range(sympy.S.Zero, sympy.oo))),
        Step(f"{SHORTER}/density", sqrt(1 - (2 * _part) ** 2), sqrt(1 - _part**2), "<",
            reason="at q = sin(2t)/2 the simplex has P(|w_1 + w_2| > s | t) = G(s^2/(2 (1 - q))), at q = sin(2t) so has |n_1 - n_2|: densities 4/pi times 8 q^2 and q^2 over these",
            check=Sign(3 * _part**2 / (sqrt(1 - _part**2) + sqrt(1 - 4 * _part**2)))))))  # fmt: skip
