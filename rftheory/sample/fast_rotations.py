"""Rotations that multiply a vector in O(d log d): Hadamard products and butterflies of Givens rotations.

Both work in dimension D, the next power of two, to which vectors are padded with zeros, and both are only
approximately uniform on O(D): a row is isotropic to second order but not uniform on the sphere. A coupling
with such a rotation projects on the rows of a D x D block cut to d columns.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from rftheory.sample.arrays import Array, Namespace, array_namespace
from rftheory.sample.stream import ANGLES, SIGNS, Stream


def power_of_two(d: int) -> int:
    """Return the least power of two that is at least d.

    Examples
    --------
    >>> [power_of_two(d) for d in (1, 2, 3, 64, 65)]
    [1, 2, 4, 64, 128]
    """
    return 1 << (d - 1).bit_length()


def walsh_hadamard(x: Array) -> Array:
    """Return H x along the last axis, of length 2^i, in O(d log d); H is orthogonal and symmetric.

    Source: Reid et al. 2023, eq. (90).

    Examples
    --------
    >>> import numpy as np
    >>> walsh_hadamard(np.eye(2)).round(6)
    array([[ 0.707107,  0.707107],
           [ 0.707107, -0.707107]])
    """
    xp = array_namespace(x)
    shape, d = x.shape, x.shape[-1]
    half = 1
    while half < d:
        x = xp.reshape(x, (*shape[:-1], d // (2 * half), 2, half))
        low, high, out = x[..., 0, :], x[..., 1, :], xp.empty_like(x)
        out[..., 0, :], out[..., 1, :] = low + high, low - high
        x, half = out, 2 * half
    return xp.reshape(x, shape) / math.sqrt(d)


def _padded(vectors: Array, xp: Namespace) -> Array:
    n, d = vectors.shape
    padding = xp.zeros((n, power_of_two(d) - d), dtype=xp.float64)
    return xp.concat((xp.astype(vectors, xp.float64), padding), axis=1)


class _Fast(ABC):
    """Common base of the fast rotations, which are defined by their action on vectors."""

    def size(self, d: int) -> int:
        return power_of_two(d)

    def matrix(self, stream: Stream, blocks: range, copies: int, rows: int, d: int, xp: Namespace) -> Array:
        if rows < d:  # row i is R^T e_i
            first = xp.eye(rows, self.size(d), dtype=xp.float64)[None, None, :, :]
            return self._turn(stream, blocks, copies, first, xp, back=True)[..., :d]
        return self.rotate(stream, blocks, copies, xp.eye(d, dtype=xp.float64))[:, :, :rows, :]

    def rotate(self, stream: Stream, blocks: range, copies: int, vectors: Array) -> Array:
        xp = array_namespace(vectors)
        n, d = vectors.shape
        if n > d:  # the matrix is cheaper than its action on so many
            columns = self.rotate(stream, blocks, copies, xp.eye(d, dtype=xp.float64))
            return xp.matmul(columns, xp.astype(xp.matrix_transpose(vectors), xp.float64))
        padded = _padded(vectors, xp)
        turned = self._turn(stream, blocks, copies, xp.reshape(padded, (1, 1, *padded.shape)), xp)
        return xp.matrix_transpose(turned)

    @abstractmethod
    def _turn(
        self, stream: Stream, blocks: range, copies: int, x: Array, xp: Namespace, back: bool = False
    ) -> Array:
        """Return R x, or R^T x, for x (1, 1, n, D) along the last axis, shape (B, copies, n, D)."""


@dataclass(frozen=True)
class Hadamard(_Fast):
    """The product of k blocks H D_i with D_i random signs (Reid et al. 2023, eq. 89).

    Lane: one bit a sign of the signs lane, copy by copy and factor by factor.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.stream import Stream
    >>> turned = Hadamard().rotate(Stream(1), range(3), 1, np.eye(8)[:2])
    >>> turned.shape, abs(turned[0, 0].T @ turned[0, 0]).round(12).tolist()
    ((3, 1, 8, 2), [[1.0, 0.0], [0.0, 1.0]])
    """

    k: int = 3
    name: str = "hadamard"

    def _turn(
        self, stream: Stream, blocks: range, copies: int, x: Array, xp: Namespace, back: bool = False
    ) -> Array:
        signs = random_signs(stream, blocks, copies * self.k * x.shape[-1], xp)
        signs = xp.reshape(signs, (len(blocks), copies, self.k, 1, x.shape[-1]))
        for i in reversed(range(self.k)) if back else range(self.k):
            one = signs[:, :, i, ...]
            x = one * walsh_hadamard(x) if back else walsh_hadamard(one * x)
        return x


@dataclass(frozen=True)
class Givens(_Fast):
    """Butterflies of Givens rotations with independent uniform angles.

    A butterfly is log2(D) layers of D/2 rotations; layer l turns the planes of the coordinates
    whose indices differ in bit l, so that one butterfly already mixes all coordinates. In one dimension
    there is no plane to turn, and the rotation is a random sign.

    Lane: one uniform number an angle of the angles lane, copy by copy and layer by layer.

    Source: Reid et al. 2023, App. B.2.2 names products of Givens rotations (Dao et al. 2019).

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.stream import Stream
    >>> turned = Givens().rotate(Stream(1), range(3), 1, np.array([[3.0, 4.0]]))
    >>> np.linalg.norm(turned, axis=-2).round(12).ravel().tolist()
    [5.0, 5.0, 5.0]
    """

    butterflies: int = 2
    name: str = "givens"

    def _turn(
        self, stream: Stream, blocks: range, copies: int, x: Array, xp: Namespace, back: bool = False
    ) -> Array:
        d = x.shape[-1]
        layers = self.butterflies * (d.bit_length() - 1)
        if layers == 0:  # O(1): a sign
            return x * xp.reshape(random_signs(stream, blocks, copies, xp), (len(blocks), copies, 1, 1))
        angles = (2.0 * math.pi) * stream.uniforms(blocks, copies * layers * (d // 2), ANGLES, xp)
        angles = xp.reshape(angles, (len(blocks), copies, layers, d // 2))
        angles = -angles if back else angles
        for layer in reversed(range(layers)) if back else range(layers):
            x = _givens_layer(x, angles[:, :, layer, :], 1 << (layer % (d.bit_length() - 1)), xp)
        return x


def _givens_layer(x: Array, angles: Array, half: int, xp: Namespace) -> Array:
    """Turn the planes (j, j + half) of the last axis of x (B, c, n, D) by angles (B, c, D/2)."""
    d, outer = x.shape[-1], x.shape[-1] // (2 * half)
    x = xp.reshape(x, (*x.shape[:-1], outer, 2, half))
    angles = xp.reshape(angles, (*angles.shape[:-1], 1, outer, half))
    cosine, sine = xp.cos(angles), xp.sin(angles)
    low, high = x[..., 0, :], x[..., 1, :]
    turned = xp.stack((cosine * low - sine * high, sine * low + cosine * high), axis=-2)
    return xp.reshape(turned, (*turned.shape[:-3], d))


def random_signs(stream: Stream, blocks: range, count: int, xp: Namespace) -> Array:
    """Return independent signs +1 and -1, one bit each, shape (len(blocks), count).

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.stream import Stream
    >>> sorted(set(random_signs(Stream.named("signs"), range(4), 40, np).ravel().tolist()))
    [-1.0, 1.0]
    """
    words = stream.bits(blocks, -(-count // 32), SIGNS, xp)
    shifts = xp.astype(xp.arange(32), xp.uint32)
    bits = xp.bitwise_and(xp.bitwise_right_shift(words[:, :, None], shifts), xp.asarray(1, dtype=xp.uint32))
    flat = xp.reshape(xp.astype(bits, xp.float64), (len(blocks), -1))
    return 1.0 - 2.0 * flat[:, :count]


HADAMARD = Hadamard()
GIVENS = Givens()
