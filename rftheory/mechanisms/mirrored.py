"""Mirrored: an orthogonal block and its negative, W = [D R; -D R]; opposite rows share their norm.

The rows sum exactly to 0, and every estimate by a positive map is a mean of hyperbolic cosines.

Examples
--------
>>> from rftheory.sample import Stream, coupling
>>> block = coupling("mirrored").draw(Stream(1), range(1), d=3, m=6)
>>> bool(abs(block.projections.sum(axis=1)).max() < 1e-15)
True
"""

from rftheory.author import Rows, coupling, d

MIRRORED = coupling(
    "mirrored", "orthogonal rows and their opposites, each with the norm of its opposite", "antithetic variates",
    rows=[Rows(d), Rows(d, sign=-1)],
)  # fmt: skip


@MIRRORED.sampler
def mirrored(frame, norms, xp):
    """Rows (B, copies, 2 d, n) from a frame (B, copies, d, n) and d norms."""
    rows = norms[..., None] * frame
    return xp.concat((rows, -rows), axis=-2)
