"""What couplings that depend on the norms can gain at small |x + y|: the term of order v^2 of the error."""

from __future__ import annotations

import sympy
from sympy import E, Integral, exp, gamma, oo

from rftheory.exact.formula import Variable
from rftheory.exact.positive import prf_small_v_plus_bound
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import FromInequality, Instance, Rewrite, Sign, Use
from rftheory.exact.proof.steps import Derivation, Step, at, register_derivation
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
