"""The template of a note that ``rftheory new`` writes."""

TEMPLATE = '''"""Mechanisms and statements about them.      rftheory verify NAME.py [--explain] [--claim LABEL]

Every statement is searched for counterexamples, proved if possible, and judged; a statement that is not proved over
its whole domain is undecided. Change these examples to what you claim.
"""

from rftheory.author import (
    O, Rows, conformity, coupling, d, exp, gaussian, mean, mse, note, orthogonal, positive, statement, v,
)

note("NAME", title="Opposite rows", year=2026)

# A coupling is declared by the rows of a block: here d rows on the axes of an orthonormal frame, each with a norm of
# its own, and d rows on the same axes, with the same norms and the opposite sign. Everything exact follows from this.
PAIRED = coupling(
    "NAME-rows", "a frame and its negative, opposite rows with one norm",
    rows=[Rows(d), Rows(d, sign=-1)],
)


# The sampler is written separately from the declaration and compared with it. Without one nothing is sampled.
@PAIRED.sampler
def rows(frame, norms, xp):
    half = norms[..., None] * frame
    return xp.concat((half, -half), axis=-2)


# v = |x + y|, z = |x - y|, d the dimension, m the number of rows. A coupling without m is one whole block.
statement("mean", "eq. (1)", mean(positive(PAIRED)) == gaussian)
statement("better", "Theorem 1", mse(positive(PAIRED)) < mse(positive(orthogonal, m=2 * d)), over=(d >= 2, v > 0))
statement("large d", "eq. (2)", conformity(orthogonal) == exp(v**2) * (1 + O(1 / d)))

# A statement that is known to be false can be recorded as such: then its refutation must succeed.
statement("too strong", "remark", conformity(PAIRED) < 1, expect="fails")
'''
