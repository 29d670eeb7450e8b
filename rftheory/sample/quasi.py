"""Quasi-random projections: randomised low-discrepancy points of the cube, made Gaussian.

Each point by itself is uniform in the cube, so every projection is N(0, I_d) and estimates are
unbiased; only together are the m points of a block spread evenly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from rftheory.errors import OutsideDomain
from rftheory.sample.arrays import Array, Namespace, Real, array_namespace, special_function
from rftheory.sample.projections import Block, Projected, multiplied, requested, rows_of
from rftheory.sample.stream import JITTERS, SCRAMBLES, SHIFTS, Stream

_SOBOL_BITS = 30
_SOBOL_MAX_DIM = 21201
"""The number of coordinates for which SciPy has direction numbers."""

_EDGE = 2.0**-54


class _Quasi(ABC):
    """Common base of the quasi-random couplings: points of the cube, mapped by the inverse normal law."""

    name: str
    min_dim: int = 1

    def draw(
        self,
        stream: Stream,
        blocks: range,
        d: int,
        m: int,
        xp: Namespace = np,
        dtype: Real | None = None,
    ) -> Block:
        blocks, d, m, xp, real = requested(self, stream, blocks, d, m, xp, dtype)
        points = xp.clip(self.points(stream, blocks, d, m, xp), _EDGE, 1 - 2 * _EDGE)
        gaussian = special_function("ndtri", xp)(points)
        norms = xp.linalg.vector_norm(gaussian, axis=-1)
        directions = gaussian / norms[..., None]
        return Block(xp.astype(directions, real, copy=False), xp.astype(norms, real, copy=False))

    def onto(self, stream: Stream, blocks: range, vectors: Array, m: int) -> Projected:
        xp = array_namespace(vectors)
        return multiplied(rows_of(self, stream, blocks, vectors.shape[1], m, xp), vectors, xp)

    @abstractmethod
    def points(self, stream: Stream, blocks: range, d: int, m: int, xp: Namespace) -> Array:
        """Return m points of the unit cube for each block, shape (B, m, d)."""


@dataclass(frozen=True)
class Halton(_Quasi):
    """The first m Halton points, shifted by one uniform vector modulo 1 in every block.

    Source: J. H. Halton 1960; R. Cranley and T. N. L. Patterson 1976 for the shift.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.stream import Stream
    >>> block = Halton().draw(Stream(1), range(2), 3, 8)
    >>> block.projections.shape
    (2, 8, 3)
    """

    name: str = "halton"

    def points(self, stream: Stream, blocks: range, d: int, m: int, xp: Namespace) -> Array:
        shift = stream.uniforms(blocks, d, SHIFTS, xp)[:, None, :]
        moved = xp.asarray(np.ascontiguousarray(_engine("Halton", d).random(m))) + shift
        return moved - xp.floor(moved)


@dataclass(frozen=True)
class Sobol(_Quasi):
    """The first m Sobol points, scrambled by a random linear map and a digital shift in every block.

    The scramble multiplies the digits of each coordinate by a random lower triangular binary
    matrix with unit diagonal and adds random digits; a uniform number fills the cell below the last of
    the 30 digits, so that each coordinate is uniform at full resolution.

    Source: I. M. Sobol 1967; J. Matousek 1998, *On the L2-discrepancy for anchored boxes*.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.stream import Stream
    >>> block = Sobol().draw(Stream(1), range(2), 3, 8)
    >>> block.projections.shape
    (2, 8, 3)
    """

    name: str = "sobol"

    def points(self, stream: Stream, blocks: range, d: int, m: int, xp: Namespace) -> Array:
        digits = xp.asarray(_sobol_digits(d, m))
        used = max(1, (m - 1).bit_length())
        columns = stream.bits(blocks, d * used, SCRAMBLES, xp)
        columns = xp.reshape(columns, (len(blocks), 1, d, used))
        shift = stream.bits(blocks, d, SHIFTS, xp)[:, None, :]
        scrambled = xp.bitwise_right_shift(shift, _word(32 - _SOBOL_BITS, xp))
        for j in range(used):
            top = 1 << (_SOBOL_BITS - 1 - j)
            column = xp.bitwise_or(xp.bitwise_and(columns[..., j], _word(top - 1, xp)), _word(top, xp))
            set_digit = xp.bitwise_and(digits, _word(top, xp)) != _word(0, xp)
            scrambled = xp.bitwise_xor(scrambled, xp.where(set_digit, column, xp.zeros_like(column)))
        inside = xp.reshape(stream.uniforms(blocks, m * d, JITTERS, xp), (len(blocks), m, d))
        return (xp.astype(scrambled, xp.float64) + inside) * 2.0**-_SOBOL_BITS


def _engine(kind: str, d: int, **options: int) -> Any:
    """SciPy's points without scrambling; scipy.stats is imported here because it is slow to import."""
    from scipy.stats import qmc

    return getattr(qmc, kind)(d, scramble=False, **options)


def _word(value: int, xp: Namespace) -> Array:
    return xp.asarray(value, dtype=xp.uint32)


@lru_cache(maxsize=8)
def _sobol_digits(d: int, m: int) -> np.ndarray:
    """The first m unscrambled points as 30-bit integers, (m, d)."""
    if d > _SOBOL_MAX_DIM:
        raise OutsideDomain("sobol", needs=f"d <= {_SOBOL_MAX_DIM}", got=d)
    power = max(1, (m - 1).bit_length())
    if power > _SOBOL_BITS:
        raise OutsideDomain("sobol", needs=f"m <= 2**{_SOBOL_BITS}", got=m)
    points = _engine("Sobol", d, bits=_SOBOL_BITS).random_base2(power)[:m]
    return (points * 2.0**_SOBOL_BITS).astype(np.uint32)


HALTON = Halton()
SOBOL = Sobol()
