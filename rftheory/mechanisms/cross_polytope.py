"""Cross-polytope: an orthogonal frame and its negative, every row with its own norm.

Opposite rows cancel more of the error of a positive estimate than orthogonal ones; for even features, such as
cosines, they add nothing.

Examples
--------
>>> from rftheory.sample import Stream, coupling
>>> block = coupling("cross-polytope").draw(Stream(1), range(1), d=2, m=4)
>>> (block.directions[0] @ block.directions[0].T).round(12)[0] + 0.0
array([ 1.,  0., -1.,  0.])
"""

from rftheory.author import Rows, coupling, d, i

CROSS_POLYTOPE = coupling(
    "cross-polytope", "orthogonal rows and their opposites, independent norms", "simplex.added.orthoplex",
    rows=[Rows(d), Rows(d, norm=d + i, sign=-1)],
)  # fmt: skip


@CROSS_POLYTOPE.sampler(norms=lambda d: 2 * d)
def cross_polytope(frame, norms, xp):
    """Rows (B, copies, 2 d, n) from a frame (B, copies, d, n)."""
    return norms[..., None] * xp.concat((frame, -frame), axis=-2)
