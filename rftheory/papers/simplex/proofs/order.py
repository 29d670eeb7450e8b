"""Derivation that SimRFs have the smaller conformity: eq. (22), term by term, and Corollary 3.3 corrected."""

from __future__ import annotations

import sympy
from sympy import Integral, S, Sum, factorial, gamma, oo, pi, sin

from rftheory.exact.formula import Variable
from rftheory.exact.proof.rules import Ladder, Scaled, Sign, Termwise
from rftheory.exact.proof.steps import Derivation, Step, register_derivation
from rftheory.exact.symbols import PAIR_DIMENSION, SUM_NORM, d, k, phi, v

_share = sin(phi) / (d - 1)
WEIGHT = v ** (2 * k) * gamma(k + d) / (2 ** (d - 1) * gamma(d / 2) * 2**k * factorial(k) * gamma(k + d / 2))


def conformity_with(base: sympy.Expr) -> sympy.Expr:
    """(21) with the integral inside the sum: weights times the integral of sin^(d-1) base^k."""
    return Sum(Integral(WEIGHT * sin(phi) ** (d - 1) * base**k, (phi, 0, pi)), (k, 0, oo))


_power = Ladder(k, 0, 1 - _share, _share)
"""D(k) = 1 - (1 - t)^k satisfies D(k+1) = (1 - t) D(k) + t, D(0) = 0, with t = sin(phi)/(d-1) in [0, 1]."""

register_derivation(Derivation(id="simplex.cor3.3", title="SimRFs outperform ORFs",
    says="the conformity of SimRFs is strictly smaller than that of ORFs for v > 0, so for m >= 2 the MSE is too",
    source="Reid et al. 2023, eqs (21), (22) and Corollary 3.3",
    variables=(PAIR_DIMENSION, SUM_NORM, Variable(k, "index of the series", integer=True, low=0)),
    points=({"d": 2, "v": "1/2", "k": 0}, {"d": 3, "v": 2, "k": 1}, {"d": 7, "v": "1/8", "k": 4}),
    steps=(
        Step("simplex.eq22/weak", Integral(sin(phi) ** (d - 1) * (1 - _share) ** k, (phi, 0, pi)),
            Integral(sin(phi) ** (d - 1) * 1**k, (phi, 0, pi)), "<=",
            reason="0 <= 1 - sin(phi)/(d-1) <= 1 on the interval; printed as strict, but equal at k = 0",
            check=Termwise(Scaled(sin(phi) ** (d - 1), _power))),
        Step("simplex.cor3.3/conformities", conformity_with(1 - _share), conformity_with(S.One), "<",
            reason="term by term and point by point; strict at k = 1, phi = pi/2",
            check=Termwise(Scaled(WEIGHT * sin(phi) ** (d - 1), _power), {k: 1, phi: pi / 2},
                Sign(v**2 * gamma(d + 1) / (2**d * (d - 1) * gamma(d / 2) * gamma(d / 2 + 1)))),
            conditions=(v > 0,)))))  # fmt: skip
