"""Exponential features with a factor exp(A |w|^2). Planted: a domain, a limit, a constant, an order of growth."""

from rftheory.author import (
    O, Rational, conformity, d, exp, for_some, gamma, gaussian, gerf, iid, limit, mean, mse, note, oo, orthogonal,
    positive, sqrt, statement, equal, v,
)  # fmt: skip

note("exponential_features", title="A fixed factor of |w|^2", year=2026)

A = Rational(-1, 8)
GERF, POS = gerf(iid, A=A), positive(iid)

statement("mean", "(1)", mean(gerf(orthogonal, A=A)) == gaussian)
statement("pays", "Theorem 1", mse(GERF) < mse(POS), over=(d >= 2, d <= 4, v >= 2, v <= 3))
statement("somewhere worse", "remark", for_some(v, mse(GERF).at(d=2, z=1) > mse(POS).at(d=2, z=1), 0, 1))
statement("large d", "(2)", limit(d * (exp(v**2) - conformity(orthogonal)), d, oo) == v**4 * exp(v**2) / 2)
ROOT = sqrt(d / 2)
statement("chi", "(3)", equal(gamma((d + 1) / 2) / gamma(d / 2), ROOT * (1 - 1 / (4 * d) + O(1 / d**2))))

# planted: for small v the plain features are better
statement("domain", "Theorem 2", mse(GERF) < mse(POS), over=(d >= 2, d <= 4, v > 0))
# planted: half of it
statement("limit", "(4)", limit(d * (exp(v**2) - conformity(orthogonal)), d, oo) == v**4 * exp(v**2))
# planted: the order is 1/d
statement("order", "(5)", conformity(orthogonal) == exp(v**2) * (1 + O(1 / d**2)))
# planted: the sign of the second term
statement("constant", "(6)", equal(gamma((d + 1) / 2) / gamma(d / 2), ROOT * (1 + 1 / (4 * d) + O(1 / d**2))))
