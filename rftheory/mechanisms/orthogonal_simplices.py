"""Orthogonal simplices: three rows at 120 degrees in each of d/2 orthogonal planes, independent norms.

3 d/2 rows that sum to zero in every plane. In odd dimensions the last axis has two opposite rows. Among blocks of
so many rows they reach nine tenths of what positive features can gain: `simplex.added.orthogonal-simplices`.

Examples
--------
>>> from rftheory.sample import Stream, coupling
>>> block = coupling("orthogonal-simplices").draw(Stream(1), range(1), d=3, m=5)
>>> (2 * block.directions[0] @ block.directions[0].T).round(12)[[0, 3], :] + 0.0
array([[ 2., -1., -1.,  0.,  0.],
       [ 0.,  0.,  0.,  2., -2.]])
"""

from fractions import Fraction

from rftheory.author import Rows, coupling, d


PLANES = 3 * (d // 2)
"""The rows in planes. In odd dimensions two opposite ones follow, on the last axis."""


def _cosine(one, other, d):
    return Fraction(-1, 2) if one // 3 == other // 3 and max(one, other) < 3 * (d // 2) else 0


ORTHOGONAL_SIMPLICES = coupling(
    "orthogonal-simplices", "three rows at 120 degrees in each of d/2 orthogonal planes, independent norms",
    "simplex.added.orthogonal-simplices", cosine=_cosine, group=3,
    rows=[Rows(PLANES), Rows(d % 2, axis=PLANES, norm=PLANES), Rows(d % 2, axis=PLANES, norm=PLANES + 1, sign=-1)],
    aliases=("triangles",),
)  # fmt: skip


@ORTHOGONAL_SIMPLICES.sampler(norms=lambda d: 3 * (d // 2) + 2 * (d % 2))
def orthogonal_simplices(frame, norms, xp):
    """Rows (B, copies, 3 d/2, n) from a frame (B, copies, d, n)."""
    d = frame.shape[-2]
    first, second = frame[..., 0 : d - 1 : 2, :], frame[..., 1:d:2, :]
    across, back = second * 3**0.5 / 2, -first / 2
    corners = xp.stack((first, back + across, back - across), axis=-2)
    rows = xp.reshape(corners, (*frame.shape[:-2], 3 * (d // 2), frame.shape[-1]))
    if d % 2:
        last = frame[..., d - 1 :, :]
        rows = xp.concat((rows, last, -last), axis=-2)
    return norms[..., None] * rows
