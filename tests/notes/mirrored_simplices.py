"""A simplex and its mirror image. Planted: a term of a limit, an order, a constant, a block, a tie, a domain."""

from sympy import Symbol

from rftheory.author import (
    O, Rows, conformity, counted, coupling, d, exp, gaussian, limit, mean, mse, note, oo, operations, positive,
    simplex, statement, table, trigonometric, v,
)  # fmt: skip

note("mirrored_simplices", title="A simplex and its mirror image", year=2026)

MIRRORED = coupling(
    "mirrored-simplex-rows", "a simplex of d + 1 rows and their opposites of the same norms", "this note",
    rows=[Rows(d + 1), Rows(d + 1, sign=-1)], cosine=-1 / d,
)  # fmt: skip


@MIRRORED.sampler(norms=lambda d: d + 1)
def mirrored(frame, norms, xp):
    d = frame.shape[-2]
    wide, last = ((d + 1) / d) ** 0.5, -xp.sum(frame, axis=-2, keepdims=True) / d**0.5
    rows = norms[..., None] * xp.concat((wide * frame - last * (1 - wide * d**0.5) / d, last), axis=-2)
    return xp.concat((rows, -rows), axis=-2)


def turned(numbers, d):
    """The inner products with the rows of the simplex, from those with the axes of the frame."""
    along, wide, shift, root = numbers(d), numbers(), numbers(), numbers()
    total = along[0]
    for one in along[1:]:
        total = total + one
    return wide * along + shift * total, total / root


work = counted("operations for a simplex", operations(turned), degrees=(1,))
ERROR = table(
    "error",
    {"both": ("0.112", "0.087"), "opposite": ("0.115", "0.087")},
    ("both", "opposite"),
    ("abalone", "wine"),
)
place, Q = Symbol("place", integer=True), exp(v**2)

statement("mean", "(1)", mean(positive(MIRRORED)) == gaussian)
statement("large d", "(2)", limit(d * (Q - conformity(MIRRORED)), d, oo) == (v**4 * Q + Q - 1) / 2)
statement("small v", "(3)", limit((Q - conformity(MIRRORED)) / v**2, v, 0) == 1 / (2 * d + 1), over=d >= 2)
BETTER = mse(positive(MIRRORED)) < mse(positive(simplex, m=2 * d + 2))
statement("better", "Conjecture", BETTER, over=(d >= 2, v > 0))  # no proof is known here
statement("cost", "Section 4", work(d) == 3 * d + 1)

# planted: opposite rows cancel to first order in 1/d as well
statement("term", "Theorem 2", limit(d * (Q - conformity(MIRRORED)), d, oo) == v**4 * Q / 2)
# planted: likewise; the rest is of order 1/d
statement("order", "(4)", conformity(MIRRORED) == Q * (1 - v**4 / (2 * d) + O(1 / d**2)))
# planted: one row in 2 d + 1 is opposite, not one in d
statement("constant", "(5)", limit((Q - conformity(MIRRORED)) / v**2, v, 0) == 1 / d, over=d >= 2)
# planted: cosines are even, but a block of `simplex` has d rows, so that this one has other angles
statement("block", "Remark", mse(trigonometric(MIRRORED)) == mse(trigonometric(simplex, m=d + 1)))
# planted: a tie
statement("tie", "Table 1", ERROR("both", place) < ERROR("opposite", place))
# planted: at v = 0 there is no error
statement("domain", "Corollary 1", BETTER, over=d >= 2)
