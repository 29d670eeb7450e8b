"""A note of one page, as an author would hand it in.      rftheory verify antithetic.py [--explain] [--claim LABEL]"""

from rftheory.author import (
    O, Rows, conformity, coupling, d, equal, exp, gaussian, m, mean, mse, note, orthogonal, positive, statement,
    trigonometric, v, z,
)  # fmt: skip

note("antithetic", title="Antithetic orthogonal features", year=2026)

# A mechanism is declared once, by the rows of a block: axis, norm and sign. From this alone follow the exact side
# (means, variances, conformities of every feature map), the reference of `check`, formulas for `eval`, curves.
MIRRORED = coupling(
    "antithetic-rows", "a frame and its negative, opposite rows with one norm", "this note",
    rows=[Rows(d), Rows(d, sign=-1)],
)  # fmt: skip


@MIRRORED.sampler  # written apart from the declaration: their agreement is evidence, and the contract tests are free
def mirrored(frame, norms, xp):
    rows = norms[..., None] * frame
    return xp.concat((rows, -rows), axis=-2)


POS, POS_ORT = (
    positive(MIRRORED),
    positive(orthogonal, m=2 * d),
)  # one whole block, and as many orthogonal rows
TRIG, TRIG_ORT = trigonometric(MIRRORED), trigonometric(orthogonal, m=2 * d)

statement("mean", "eq. (1)", mean(POS) == gaussian)  # derived; sampled, because a sampler is declared

statement(
    "conformity", "eq. (2)", (m - 1) * conformity(MIRRORED) == (m - 2) * conformity(orthogonal) + 1,
    over=equal(m, 2 * d), prints=r"$(m-1)\rho = (m-2)\rho_{\mathrm{ORF}} + 1$",
)  # fmt: skip

statement(
    "better", "Theorem 1", mse(POS) < mse(POS_ORT), over=(d >= 2, v > 0)
)  # over an infinite domain: needs a proof

statement("fourier", "remark", mse(TRIG) <= mse(TRIG_ORT), over=(z > 0,))  # false, and nothing here says so

statement("large d", "eq. (5)", conformity(orthogonal) == exp(v**2) * (1 + O(1 / d)))
