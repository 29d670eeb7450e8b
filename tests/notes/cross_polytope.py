"""Opposite rows with norms of their own. Planted mistakes: a constant, a direction, an end of the domain, a limit."""

from rftheory.author import (
    Rows, conformity, coupling, d, gaussian, i, increasing, limit, mean, mse, note, orthogonal, positive, simplex,
    statement, trigonometric, v, z,
)  # fmt: skip

note("cross_polytope", title="Cross-polytope features", year=2026)

CROSS = coupling(
    "cross-rows", "a frame and its negative, every row with a norm of its own", "this note",
    rows=[Rows(d), Rows(d, norm=d + i, sign=-1)],
)  # fmt: skip
SHARED = coupling(
    "shared-rows", "the same with one norm for opposite rows", "this note",
    rows=[Rows(d), Rows(d, sign=-1)],
)  # fmt: skip


@CROSS.sampler(norms=lambda d: 2 * d)
def cross(frame, norms, xp):
    return norms[..., None] * xp.concat((frame, -frame), axis=-2)


POS, ORT = positive(CROSS), positive(orthogonal, m=2 * d)

statement("mean", "(1)", mean(POS) == gaussian)
statement("better", "Theorem 1", mse(POS) < mse(ORT), over=v > 0)
statement("shared is better", "Theorem 2", mse(positive(SHARED)) < mse(POS), over=v > 0)
statement("grows", "Lemma 1", increasing(conformity(CROSS), v))
LESS = (conformity(simplex) < conformity(orthogonal)) & (conformity(CROSS) < conformity(orthogonal))
statement("order", "Lemma 2", LESS, over=(d >= 2, v > 0))
statement("dimension", "Lemma 3", increasing(conformity(orthogonal), d), over=(d >= 2, v > 0))

# planted: opposite rows with norms of their own do not cancel, as those of one norm do
statement("constant", "(2)", (2 * d - 1) * conformity(CROSS) == 2 * (d - 1) * conformity(orthogonal) + 1)
# planted: cosines are even, so opposite rows are alike
statement(
    "direction", "remark", mse(trigonometric(CROSS)) <= mse(trigonometric(orthogonal, m=2 * d)), over=z > 0
)
# planted: at v = 0 both sides are 0
statement("domain", "Corollary 1", mse(POS) < mse(ORT), over=v >= 0)
# planted: the first order cancels, so that the limit is 0
statement("limit", "(3)", limit(mse(positive(SHARED)) / mse(ORT), v, 0) == 1)
