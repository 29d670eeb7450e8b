"""Antimonotone: orthogonal rows whose norms are coupled in pairs, each pair at opposite quantiles.

F(r_1) + F(r_2) = 1 for the chi distribution function F, which is the optimal coupling of two norms for many features.
In odd dimensions the last row of a block has its own norm.

Examples
--------
>>> from scipy import stats
>>> from rftheory.sample import Stream, coupling
>>> norms = coupling("antimonotone").draw(Stream(1), range(1), d=4, m=4).norms[0]
>>> bool(abs(stats.chi(4).cdf(norms[::2]) + stats.chi(4).cdf(norms[1::2]) - 1).max() < 1e-12)
True
"""

from rftheory.author import ANTIMONOTONE, Rows, coupling, d, i

PAIRED = coupling(
    "antimonotone", "orthogonal rows, norms in antimonotone pairs", "Reid et al. 2024, arXiv 2405.16541",
    rows=Rows(d, norm=i // 2, reflected=i % 2),
    aliases=("pnc", "orthogonal-antimonotone"),
)  # fmt: skip


@PAIRED.sampler(norms=lambda d: d + d % 2, norm_law=ANTIMONOTONE)
def antimonotone(frame, norms, xp):
    """Rows (B, copies, d, n) from a frame and pairs of norms; an odd block leaves one norm over."""
    return norms[..., : frame.shape[-2], None] * frame
