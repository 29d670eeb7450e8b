"""Laws of the norms of a block: the diagonal D in W = D S R."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from rftheory.sample.arrays import Array, Namespace, namespace, special_function
from rftheory.sample.checks import numbers, whole
from rftheory.sample.chi import SMOOTH_FROM, chi_of_normal
from rftheory.sample.stream import NORMS, Stream

LARGEST_DIMENSION = 10**6
"""Of declarations; far beyond it, inverse incomplete gamma functions lose digits."""


class NormLaw(Protocol):
    """The law of the norms of a block, independent of its rotation.

    Examples
    --------
    >>> CHI.name, FIXED.name
    ('chi', 'fixed')
    """

    @property
    def name(self) -> str:
        """One word."""

    def draw(self, stream: Stream, blocks: range, count: int, d: int, xp: Namespace) -> Array:
        """Return norms of shape (len(blocks), count) in dimension d."""


@dataclass(frozen=True)
class ChiNorms:
    """Independent norms with the chi law of d degrees of freedom: Gaussian marginals.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.stream import Stream
    >>> norms = ChiNorms().draw(Stream.named("chi"), range(1000), 4, 64, np)
    >>> norms.shape, bool(abs((norms**2).mean() - 64) < 2)
    ((1000, 4), True)
    """

    name: str = "chi"

    def draw(self, stream: Stream, blocks: range, count: int, d: int, xp: Namespace) -> Array:
        return stream.chis(blocks, count, d, NORMS, xp)


@dataclass(frozen=True)
class FixedNorms:
    """All norms sqrt(d): the projections are not Gaussian and the estimates are biased.

    Source: Demni and Kadri 2024 on W = sqrt(d) Q.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.stream import Stream
    >>> FixedNorms().draw(Stream.named("fixed"), range(1), 2, 16, np)
    array([[4., 4.]])
    """

    name: str = "fixed"

    def draw(self, stream: Stream, blocks: range, count: int, d: int, xp: Namespace) -> Array:
        return xp.full((len(blocks), count), math.sqrt(d), dtype=xp.float64)


def norms_of_copies(
    law: NormLaw, stream: Stream, blocks: range, copies: int, count: int, d: int, xp: Namespace
) -> Array:
    """Return the norms of independent copies of a block, (B, copies, count).

    Norms that a law ties to each other stay in one copy; the last of an odd number of paired ones has no partner.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.stream import Stream
    >>> norms = norms_of_copies(ANTIMONOTONE, Stream(1), range(4), 2, 3, 16, np)
    >>> norms.shape, bool((norms[:, 1] == ANTIMONOTONE.draw(Stream(1), range(4), 8, 16, np)[:, 4:7]).all())
    ((4, 2, 3), True)
    """
    width = count + count % 2 if law == ANTIMONOTONE else count
    drawn = law.draw(stream, blocks, copies * width, d, xp)
    return xp.reshape(drawn, (len(blocks), copies, width))[..., :count]


def opposite_norms(norms: Array, d: int, xp: Namespace) -> Array:
    """Return the norms r' at the opposite quantile of the chi law, F(r) + F(r') = 1, of the shape of ``norms``.

    Each tail uses the function that is small there, so that neither loses digits.

    Raises
    ------
    InvalidInput : norms that are not numbers, or a dimension that is not a positive integer.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import stats
    >>> r = np.array([0.2, 2.0, 6.0])
    >>> opposite = opposite_norms(r, 5, np)
    >>> bool(np.abs(stats.chi(5).sf(opposite) / stats.chi(5).cdf(r) - 1).max() < 1e-12)
    True
    """
    xp = namespace(xp)
    lower, upper, lower_inverse, upper_inverse = (
        special_function(name, xp) for name in ("gammainc", "gammaincc", "gammaincinv", "gammainccinv")
    )
    half = xp.asarray(0.5 * whole("d", d, most=LARGEST_DIMENSION), dtype=xp.float64)
    norms = numbers("norms", norms, xp)
    below, above = lower(half, 0.5 * norms * norms), upper(half, 0.5 * norms * norms)
    is_low = below < above
    # Each branch gets a number in (0, 1/2], even where the other one is taken.
    squares = xp.where(
        is_low,
        upper_inverse(half, xp.where(is_low, below, above)),
        lower_inverse(half, xp.where(is_low, below, above)),
    )
    return xp.sqrt(2.0 * squares)


@dataclass(frozen=True)
class AntimonotoneNorms:
    """Chi norms in pairs at opposite quantiles: F(r_1) + F(r_2) = 1, F(r_3) + F(r_4) = 1, and so on.

    Every norm by itself is chi with d degrees of freedom, and no coupling of two such norms is more opposed. The
    first norm of each pair is the one that `ChiNorms` draws from the same stream.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.stream import Stream
    >>> norms = AntimonotoneNorms().draw(Stream.named("pairs"), range(2000), 2, 16, np)
    >>> bool(np.corrcoef(norms.T)[0, 1] < -0.99)
    True
    """

    name: str = "antimonotone"

    def draw(self, stream: Stream, blocks: range, count: int, d: int, xp: Namespace) -> Array:
        pairs = -(-count // 2)
        if (
            stream.kind == "portable" and d >= SMOOTH_FROM
        ):  # here chi norms are a function of normals, whose law is symmetric
            normals = stream.normals(blocks, pairs, NORMS, xp)
            first, second = chi_of_normal(normals, d, xp), chi_of_normal(-normals, d, xp)
        else:
            first = stream.chis(blocks, pairs, d, NORMS, xp)
            second = opposite_norms(first, d, xp)
        both = xp.stack((first, second), axis=-1)
        return xp.reshape(both, (len(blocks), 2 * pairs))[:, :count]


CHI = ChiNorms()
FIXED = FixedNorms()
ANTIMONOTONE = AntimonotoneNorms()
