"""Random numbers as functions of (key, block, lane, slot).

A block is one independent replicate of whatever is sampled; a lane is a named sub-stream of a
block, so that directions, norms and phases never share bits; a slot counts the draws of a lane.
Nothing has state, so the numbers are the same however the blocks are split into chunks and workers.

There are two kinds of stream:

``portable``
    Philox4x32-10 with the counter (slot group, lane, block low, block high), the same bits in every
    array library. Uniforms are equal bit for bit, normals (Box-Muller) to rounding. A draw
    with a larger ``count`` extends the draw with a smaller one.
``native``
    NumPy's own counter-based generator (Philox4x64) keyed by (key, lane), NumPy only, several times
    as fast. Blocks are drawn in fixed pages whose size follows from ``count``; draws with different
    ``count`` are independent. Float32 numbers are made in float32 from 32 bits each, several times as
    fast again; they share these bits with the float64 draw of the same ``count``, so neither checks the other.

Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, *Parallel random numbers: as easy as
1, 2, 3*, SC 2011.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from array_api_compat import is_cupy_namespace

from rftheory.errors import BackendUnavailable, InvalidInput, need
from rftheory.sample.arrays import Array, Namespace, Real, namespace, on_device, real_type
from rftheory.sample.checks import block_range, whole
from rftheory.sample.chi import SMOOTH_FROM, chi_of_normal, polynomial, polynomial32
from rftheory.sample.stream_cuda import stream_normals, stream_words

Kind = Literal["portable", "native"]

# Lanes of a block. A lane serves one purpose only, whatever the coupling or the feature map.
DIRECTIONS, NORMS, PHASES, RESIDUALS, SIGNS, COUNTS, SHIFTS, SCRAMBLES, JITTERS, ANGLES = range(10)

WORD = 0xFFFFFFFF
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10

_TILE = 2**14
"""Number of counters processed at a time on the host, so that the rounds stay in the cache."""

_PAGE = 2**16
"""Number of draws in a page of the native stream."""

_SUBTILE = 2**15
"""Number of float32 draws processed at a time: few enough to stay in the cache of a core, but so many that two
threads seldom wait for each other between calls of NumPy."""


def philox4x32(
    counter: tuple[Array, Array, Array, Array], key: tuple[Any, Any]
) -> tuple[Array, Array, Array, Array]:
    """Return the four output words of Philox4x32-10.

    Parameters
    ----------
    counter : four uint64 arrays that broadcast together, each entry a 32-bit word.
    key : two 32-bit words, or two uint64 arrays of them that broadcast with the counter.

    Returns
    -------
    Four uint64 arrays of the broadcast shape, each entry a 32-bit word.

    Examples
    --------
    >>> zero = np.zeros(1, dtype=np.uint64)
    >>> [f"{int(word[0]):08x}" for word in philox4x32((zero, zero, zero, zero), (0, 0))]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    c0, c1, c2, c3 = counter
    for k0, k1 in round_keys(key):
        left, right = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0, c1 = (right >> 32) ^ c1 ^ k0, right & WORD
        c2, c3 = (left >> 32) ^ c3 ^ k1, left & WORD
    return c0, c1, c2, c3


def round_keys(key: tuple[Any, Any]) -> list[tuple[Any, Any]]:
    """Return the two key words of each round of Philox4x32-10.

    Examples
    --------
    >>> [f"{word:08x}" for word in round_keys((0, 0))[1]]
    ['9e3779b9', 'bb67ae85']
    """
    return [((key[0] + i * _WEYL[0]) & WORD, (key[1] + i * _WEYL[1]) & WORD) for i in range(_ROUNDS)]


def unit_interval(high: Array, low: Array, xp: Namespace, dtype: Real | None = None) -> Array:
    """Return the middle of the cell of (0, 1) addressed by 32-bit words: 2^52 cells, 2^23 for float32.

    Examples
    --------
    >>> ones = np.array([WORD], dtype=np.uint32)
    >>> float(unit_interval(ones, ones, np)[0]) == 1 - 2.0**-53
    True
    """
    high = xp.astype(high, xp.uint64)
    if real_type(xp, dtype) == xp.float32:
        return (xp.astype(high >> 9, xp.float32) + 0.5) * 2.0**-23
    low = xp.astype(low, xp.uint64)
    return (xp.astype((high << 20) | (low >> 12), xp.float64) + 0.5) * 2.0**-52


@dataclass(frozen=True)
class Stream:
    """A family of random numbers addressed by (block, lane, slot).

    Parameters
    ----------
    key : 64-bit integer; streams with different keys are independent.
    kind : ``"portable"`` or ``"native"``; see the text of the module.

    Examples
    --------
    >>> stream = Stream.named("demo", seed=1)
    >>> whole = stream.normals(range(0, 6), 3)
    >>> parts = [stream.normals(range(0, 1), 3), stream.normals(range(1, 6), 3)]
    >>> bool((np.concatenate(parts) == whole).all())
    True
    """

    key: int
    kind: Kind = "portable"

    def __post_init__(self) -> None:
        # NumPy's integers would overflow in the rounds.
        object.__setattr__(self, "key", whole("key", self.key, 0))
        if self.key >= 2**64:
            raise InvalidInput("key", needs="an integer below 2**64", got=self.key)
        need("kind", self.kind, ("portable", "native"), "'portable' or 'native'")

    @classmethod
    def named(cls, label: str, seed: int = 0, kind: Kind = "portable") -> Stream:
        """Return the stream of a label and a seed; the key is a hash of both.

        Examples
        --------
        >>> Stream.named("simplex.thm3.2") == Stream.named("simplex.thm3.2", seed=1)
        False
        """
        return cls(_hashed(f"{whole('seed', seed, 0)}|{label}"), kind)

    def child(self, label: str) -> Stream:
        """Return an independent stream of the same kind, named within this one."""
        return replace(self, key=_hashed(f"{self.key:016x}/{label}"))

    def estimates(self, mechanism: object, blocks: range, x: Array, y: Array, kernel: str) -> Array | None:
        """Return the estimates of a pair if something faster than arrays can compute them, else ``None``.

        A plain stream always leaves them to arrays; :class:`rftheory.sample.serving.ServedStream` does not.
        """
        return None

    def projected(self, coupling: object, blocks: range, vectors: Array, m: int) -> Any:
        """Return the projections of vectors on a coupling, with their norms, or ``None``, as above."""
        return None

    def frames(self, blocks: range, copies: int, k: int, d: int, xp: Namespace) -> Array | None:
        """Return uniform orthonormal frames of k vectors, (B, copies, k, d), or ``None``, as above."""
        return None

    def bits(self, blocks: range, count: int, lane: int = DIRECTIONS, xp: Namespace = np) -> Array:
        """Return uniform 32-bit words, uint32 of shape (len(blocks), count)."""
        xp, blocks, count = _request(blocks, count, lane, xp)
        if self.kind == "native":
            _refuse_device(xp)
            words = self._paged(blocks, count, lane, _native_words)
            return xp.asarray(words)
        pieces = [self._words(tile, count, lane, xp) for tile in _tiles(blocks, count, xp)]
        return pieces[0] if len(pieces) == 1 else xp.concat(pieces, axis=0)

    def uniforms(
        self,
        blocks: range,
        count: int,
        lane: int = DIRECTIONS,
        xp: Namespace = np,
        dtype: Real | None = None,
    ) -> Array:
        """Return uniform numbers in the open interval (0, 1), shape (len(blocks), count).

        Slot j uses the words 2j and 2j + 1: float64 takes 52 of their bits, float32 the first 23 of
        these. Each number lies in the middle of its cell, so 0 and 1 never occur.

        Examples
        --------
        >>> u = Stream(7).uniforms(range(3), 2)
        >>> u.shape, bool(((u > 0) & (u < 1)).all())
        ((3, 2), True)
        """
        xp = namespace(xp)
        words = self.bits(blocks, 2 * whole("count", count), lane, xp)
        return unit_interval(words[:, 0::2], words[:, 1::2], xp, dtype)

    def normals(
        self,
        blocks: range,
        count: int,
        lane: int = DIRECTIONS,
        xp: Namespace = np,
        dtype: Real | None = None,
    ) -> Array:
        """Return standard normal numbers, shape (len(blocks), count).

        Portable: slots 2j and 2j + 1 are the Box-Muller pair of the uniforms in the same slots,
        computed in float64 and rounded to ``dtype``. Native: NumPy's ziggurat, or for float32
        Box-Muller in float32, with values up to 6.7 in size.

        Examples
        --------
        >>> z = Stream(7).normals(range(2), 3)
        >>> bool((Stream(7).normals(range(2), 5)[:, :3] == z).all())
        True
        """
        if self.kind == "native":
            xp, blocks, count = _request(blocks, count, lane, xp)
            _refuse_device(xp)
            single = real_type(xp, dtype) == xp.float32
            fill = _native_normals32 if single else _native_normals
            return xp.asarray(self._paged(blocks, count, lane, fill, not single))
        xp, blocks, _ = _request(blocks, 2 * whole("count", count), lane, xp)
        if is_cupy_namespace(xp):
            return stream_normals(blocks, count, lane, self.key, real_type(xp, dtype) == xp.float32)
        u = self.uniforms(blocks, count + count % 2, lane, xp)
        radius, angle = xp.sqrt(-2.0 * xp.log(u[:, 0::2])), (2.0 * math.pi) * u[:, 1::2]
        pairs = xp.stack((radius * xp.cos(angle), radius * xp.sin(angle)), axis=-1)
        drawn = xp.reshape(pairs, (len(blocks), count + count % 2))[:, :count]
        return xp.astype(drawn, real_type(xp, dtype), copy=False)

    def chis(
        self,
        blocks: range,
        count: int,
        dof: int,
        lane: int = NORMS,
        xp: Namespace = np,
        dtype: Real | None = None,
    ) -> Array:
        """Return numbers with the chi law of ``dof`` degrees of freedom, shape (len(blocks), count).

        Portable: for ``dof >= 16`` a smooth function of the normal in the same slot
        (:mod:`rftheory.sample.chi`, exact to rounding); below, chi squared is minus twice the sum
        of the logarithms of dof // 2 uniforms, plus one squared Box-Muller normal if ``dof`` is odd.
        Native: NumPy's gamma law, or for float32 and ``dof >= 16`` the function of a normal.

        Examples
        --------
        >>> r = Stream(7).chis(range(2000), 4, dof=9)
        >>> bool(abs((r**2).mean() - 9) < 0.3)
        True
        """
        dof = whole("dof", dof, most=2**53)
        if self.kind == "native":
            xp, blocks, count = _request(blocks, count, lane, xp)
            _refuse_device(xp)
            real = real_type(xp, dtype)
            if real == xp.float32 and dof >= SMOOTH_FROM:
                return xp.asarray(self._paged(blocks, count, lane, _native_chis32(dof), False))
            drawn = self._paged(blocks, count, lane, _native_chis(dof))
            return xp.astype(xp.asarray(drawn), real)
        xp, blocks, _ = _request(blocks, 2 * whole("count", count), lane, xp)
        if dof >= SMOOTH_FROM and is_cupy_namespace(xp):
            single = real_type(xp, dtype) == xp.float32
            return stream_normals(blocks, count, lane, self.key, single, polynomial(dof))
        if dof >= SMOOTH_FROM:
            smooth = chi_of_normal(self.normals(blocks, count, lane, xp), dof, xp)
            return xp.astype(smooth, real_type(xp, dtype), copy=False)
        half, odd = divmod(dof, 2)
        width = half + 2 * odd
        u = self.uniforms(blocks, count * width, lane, xp)
        u = xp.reshape(u, (len(blocks), count, width))
        squares = -2.0 * xp.sum(xp.log(u[..., :half]), axis=-1)
        if odd:
            cosine = xp.cos((2.0 * math.pi) * u[..., half + 1])
            squares = squares - 2.0 * xp.log(u[..., half]) * cosine * cosine
        return xp.astype(xp.sqrt(squares), real_type(xp, dtype), copy=False)

    def _words(self, blocks: range, count: int, lane: int, xp: Namespace) -> Array:
        if is_cupy_namespace(xp):
            return stream_words(blocks, count, lane, self.key)
        groups = -(-count // 4)
        group = xp.arange(groups, dtype=xp.uint64)[None, :]
        lanes = xp.asarray(lane, dtype=xp.uint64)
        block, key = self._addressed(blocks, xp)
        words = philox4x32((group, lanes, block & WORD, block >> 32), (key & WORD, key >> 32))
        joined = xp.stack([xp.astype(word, xp.uint32) for word in words], axis=-1)
        return xp.reshape(joined, (len(blocks), 4 * groups))[:, :count]

    def _addressed(self, blocks: range, xp: Namespace) -> tuple[Array, Any]:
        """Return the indices of the blocks as uint64, (B, 1), and the key."""
        # The block index may need all 64 bits, so it is added in uint64, not by arange.
        first = xp.asarray(blocks.start, dtype=xp.uint64)
        return xp.arange(len(blocks), dtype=xp.uint64)[:, None] + first, self.key

    def _paged(
        self,
        blocks: range,
        count: int,
        lane: int,
        fill: Callable[[np.random.Philox, tuple[int, int]], np.ndarray],
        one_by_one: bool = True,
    ) -> np.ndarray:
        """Rows of pages; numbers that are made one by one do not depend on those after them, which are left out."""
        height = max(1, _PAGE // count)
        pieces = []
        for page in range(blocks.start // height, (blocks.stop - 1) // height + 1):
            source = _REUSED.philox((self.key, lane), (0, count, page, 0))
            first, end = max(blocks.start - page * height, 0), min(blocks.stop - page * height, height)
            pieces.append(fill(source, (end if one_by_one else height, count))[first:end])
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


class Streams(Stream):
    """The first blocks of many portable streams: block b is block 0 of the stream with the key ``keys[b]``, on NumPy.

    Examples
    --------
    >>> both = Streams([7, 9]).normals(range(2), 3)
    >>> bool((both[1:] == Stream(9).normals(range(1), 3)).all())
    True
    """

    keys: np.ndarray

    def __init__(self, keys: Sequence[int]) -> None:
        super().__init__(int(keys[0]))
        object.__setattr__(self, "keys", np.asarray(keys, dtype=np.uint64))

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def child(self, label: str) -> Stream:
        raise InvalidInput(
            "stream", needs="one key", got="many", hint="children of streams are named one by one"
        )

    def _addressed(self, blocks: range, xp: Namespace) -> tuple[Array, Any]:
        keys = self.keys[blocks.start : blocks.stop, None]
        return np.zeros_like(keys), keys


class _Reused(threading.local):
    """One generator per thread, since making one takes ten times as long as restarting it."""

    def __init__(self) -> None:
        self._philox = np.random.Philox(key=0)

    def philox(self, key: tuple[int, int], counter: tuple[int, int, int, int]) -> np.random.Philox:
        """Return ``np.random.Philox(key=key, counter=counter)``, valid until the next call in this thread."""
        self._philox.state = {
            "bit_generator": "Philox",
            "state": {"counter": np.array(counter, np.uint64), "key": np.array(key, np.uint64)},
            "buffer": np.zeros(4, np.uint64),
            "buffer_pos": 4,
            "has_uint32": 0,
            "uinteger": 0,
        }
        return self._philox


_REUSED = _Reused()


def _native_words(source: np.random.Philox, shape: tuple[int, int]) -> np.ndarray:
    size = shape[0] * shape[1]
    raw = source.random_raw((size + 1) // 2).astype("<u8").view("<u4")
    return raw[:size].reshape(shape)


def _native_normals(source: np.random.Philox, shape: tuple[int, int]) -> np.ndarray:
    return np.random.Generator(source).standard_normal(shape)


def _native_normals32(source: np.random.Philox, shape: tuple[int, int]) -> np.ndarray:
    size = shape[0] * shape[1]
    out = np.empty(size + size % 2, dtype=np.float32)
    lengths = np.empty(min(out.size, _SUBTILE) // 2, dtype=np.float32)
    for start in range(0, out.size, _SUBTILE):
        piece = out[start : start + _SUBTILE]
        half = piece.size // 2
        words = source.random_raw(half).astype("<u8", copy=False).view("<u4")
        left, right, radius = piece[:half], piece[half:], lengths[:half]
        # 31 bits, in the middle of their cells; signed words are converted faster than unsigned ones
        np.right_shift(words[:half], 1, out=words[:half])
        np.copyto(radius, words[:half].view("<i4"), casting="unsafe")
        radius += np.float32(0.5)
        radius *= np.float32(2.0**-31)
        # float32 rounds the largest words up to 1, whose logarithm is 0
        np.log(radius, out=radius)
        radius *= np.float32(-2.0)
        np.sqrt(radius, out=radius)
        # All 32 bits as a signed word: an angle in (-pi, pi)
        np.copyto(right, words[half:].view("<i4"), casting="unsafe")
        right *= np.float32(math.pi * 2.0**-31)
        np.cos(right, out=left)
        np.sin(right, out=right)
        left *= radius
        right *= radius
    return out[:size].reshape(shape)


def _native_chis32(dof: int) -> Callable[[np.random.Philox, tuple[int, int]], np.ndarray]:
    *rest, head = (np.float32(c) for c in polynomial32(dof))

    def fill(source: np.random.Philox, shape: tuple[int, int]) -> np.ndarray:
        drawn = _native_normals32(source, shape)
        flat = drawn.reshape(-1)
        values = np.empty(min(flat.size, _SUBTILE), dtype=np.float32)
        for start in range(0, flat.size, _SUBTILE):
            piece = flat[start : start + _SUBTILE]
            value = values[: piece.size]
            np.multiply(piece, head, out=value)
            for c in reversed(rest[1:]):
                value += c
                value *= piece
            np.add(value, rest[0], out=piece)
        return drawn

    return fill


def _native_chis(dof: int) -> Callable[[np.random.Philox, tuple[int, int]], np.ndarray]:
    def fill(source: np.random.Philox, shape: tuple[int, int]) -> np.ndarray:
        drawn = np.random.Generator(source).standard_gamma(dof / 2.0, shape)
        drawn *= 2.0
        return np.sqrt(drawn, out=drawn)

    return fill


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _request(blocks: range, count: int, lane: int, xp: Namespace) -> tuple[Namespace, range, int]:
    if whole("lane", lane, 0) > WORD:
        raise InvalidInput("lane", needs="an integer below 2**32", got=lane)
    if whole("count", count) > 4 * WORD:
        raise InvalidInput("count", needs="at most 2**34 draws per block and lane", got=count)
    return namespace(xp), block_range(blocks), count


def _refuse_device(xp: Namespace) -> None:
    if on_device(xp):
        raise BackendUnavailable(
            xp.__name__, reason="the native stream is NumPy's own", hint="use kind='portable'"
        )


def _tiles(blocks: range, count: int, xp: Namespace) -> list[range]:
    if on_device(xp):
        return [blocks]
    height = max(1, 4 * _TILE // count)
    return [blocks[i : i + height] for i in range(0, len(blocks), height)]
