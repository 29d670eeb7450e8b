"""What every joint law of the rows obeys, invariant under rotations or not."""

from __future__ import annotations

import sympy
from sympy import S, exp

from rftheory.exact.formula import Variable
from rftheory.exact.proof.rules import FromInequality, Rewrite, Sign
from rftheory.exact.proof.steps import Derivation, Step, register_derivation
from rftheory.exact.symbols import SUM_NORM, m, v

_sum, _mean = sympy.symbols("S c", real=True)
_squares, _ahead = sympy.symbols("E2 V", nonnegative=True)
_ID = "simplex.added.any-direction"
_pairs = (m**2 * exp(v**2) + _ahead - m * _squares) / (m * (m - 1))

register_derivation(Derivation(id=_ID, title="A bound for every joint law of the directions",
    says="with X_i = E(exp(w_i.v) | u_i) the pair mean is (E S^2 - m E X^2)/(m (m - 1)), S = X_1 + ... + X_m, E S = m exp(v^2/2)",
    source="ours; Reid et al. 2023 take laws that are invariant under rotations",
    variables=(SUM_NORM, Variable(m, "number of vectors", integer=True, low=2), Variable(_sum, "S"),
        Variable(_mean, "E S"), Variable(_squares, "E X^2, the conformity of equal directions", low=0),
        Variable(_ahead, "variance of S", low=0)),
    points=({"v": 1, "m": 2, "S": 3, "c": 1, "E2": 4, "V": 0}, {"v": "1/3", "m": 5, "S": "1/2", "c": 7, "E2": 2, "V": "3/2"}),
    steps=(
        Step(f"{_ID}/square", 2 * _mean * _sum - _mean**2, _sum**2, "<=", reason="so E S^2 = (E S)^2 + V with V >= 0",
            check=Sign((_sum - _mean) ** 2)),
        Step(f"{_ID}/variance", S.Zero, _ahead / (m * (m - 1)), "<=", check=Sign()),
        Step(f"{_ID}/pair mean", _pairs, (m * exp(v**2) - _squares) / (m - 1) + _ahead / (m * (m - 1)), check=Rewrite()),
        Step(f"{_ID}/statement", (m * exp(v**2) - _squares) / (m - 1), _pairs, "<=",
            reason="equality where X_1 + ... + X_m is constant",
            check=FromInequality(f"{_ID}/variance", S.One, ())))))  # fmt: skip
