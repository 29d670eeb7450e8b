"""Norms at opposite quantiles. Planted mistakes: an exponent, a constant, a direction, an end of the domain."""

from rftheory.author import (
    Rows, conformity, coupling, d, exp, gap, i, iid, m, mean, mse, gaussian, note, orthogonal, positive, statement,
    trigonometric, v, z,
)  # fmt: skip

note("antimonotone_norms", title="Norms at opposite quantiles", year=2026)

PAIRED = coupling(
    "paired-rows", "orthogonal rows, norms in antimonotone pairs", "this note",
    rows=Rows(d, norm=i // 2, reflected=i % 2),
)  # fmt: skip

POS, ORT = positive(PAIRED), positive(orthogonal)

statement("mean", "(1)", mean(POS) == gaussian)
statement("better", "Theorem 1", mse(POS) < mse(ORT), over=(d >= 2, d <= 6, v > 0))
statement("better for all d", "Theorem 2", mse(POS) < mse(ORT), over=(d >= 2, v > 0))
statement("gap", "(2)", gap(positive(orthogonal, m=m)) > 0, over=(m >= 2, d >= 2, v > 0))
statement("iid", "(3)", mse(positive(iid, m=m)) == exp(-(z**2)) * (exp(v**2) - 1) / m)

# planted: exp(v^2) is the relative second moment, not exp(2 v^2)
statement("exponent", "(4)", mse(positive(iid, m=m)) == exp(-(z**2)) * (exp(2 * v**2) - 1) / m)
# planted: the variance of a cosine wave is (1 - exp(-z^2))^2/2
statement("factor", "(5)", mse(trigonometric(iid, m=m)) == (1 - exp(-(z**2))) ** 2 / m)
# planted: the other way round
statement("direction", "Lemma 1", conformity(orthogonal) > exp(v**2), over=v > 0)
# planted: a single row has nothing to be coupled with
statement("domain", "Corollary 1", gap(positive(orthogonal, m=m)) > 0, over=v > 0)
