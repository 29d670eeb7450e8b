"""Bounds of the probability of an error at one pair of inputs, four of them false, and nothing here says which."""

from sympy import Symbol

from rftheory.author import (
    d, exp, formula, gerf, iid, m, mse, note, orthogonal, positive, simplex, statement, tail, trigonometric, v, z,
)  # fmt: skip
from rftheory.exact.exponential import A

note("error_bounds", title="How often estimates err", year=2026)

eps = Symbol("eps", positive=True)
WAVES, SIMPLEX = trigonometric(iid, m=m), positive(simplex, m=m)

statement("waves", "Theorem 1", tail(WAVES, eps) <= 2 * exp(-m * eps**2 / 2))
statement("bumps", "Theorem 2", tail(gerf(iid, m=m, A=A), eps) <= formula("tail_bound"), over=A < 0)
statement("simplex", "Theorem 3", tail(SIMPLEX, eps) <= mse(SIMPLEX) / eps**2)
statement(
    "fewer", "Corollary 4", tail(SIMPLEX, eps) < exp(-(z**2)) * (exp(v**2) - 1) / (m * eps**2),
    over=(m >= 2, m <= d, v > 0),
)  # fmt: skip
statement("sharper", "Theorem 5", tail(WAVES, eps) <= 2 * exp(-4 * m * eps**2))
statement("always", "remark", tail(WAVES, eps) > 0)
statement("exponential", "Theorem 6", tail(positive(orthogonal, m=m), eps) <= 2 * exp(-m * eps**2 / 2))
statement("faster", "Corollary 7", tail(SIMPLEX, eps) < mse(SIMPLEX) / eps**2)
statement("coupled", "conjecture", tail(trigonometric(orthogonal, m=m), eps) <= 2 * exp(-m * eps**2 / 2))
