"""Laws of the norms of a block: the diagonal D in W = D S R."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from rftheory.sample.arrays import Array, Namespace
from rftheory.sample.stream import NORMS, Stream


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


CHI = ChiNorms()
FIXED = FixedNorms()
