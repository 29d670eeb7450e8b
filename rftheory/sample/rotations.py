"""Random rotations R of a block, and their action on fixed vectors.

A rotation works in ``size(d)`` dimensions: d, or more if its construction needs padding. ``matrix`` draws
rows of R; ``rotate`` draws R x for fixed vectors x and, if the law allows it, only the part of R that
affects them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rftheory.sample.arrays import Array, Namespace, array_namespace, on_device, to_host
from rftheory.sample.stream import DIRECTIONS, Stream

_GRAM_SCHMIDT_UP_TO = 3
"""Up to this many columns Gram-Schmidt is faster than LAPACK's QR, which NumPy and CuPy run matrix by matrix. On a
device, Cholesky-QR is used beyond that while the columns are well conditioned, else Gram-Schmidt."""

_RANK_TOLERANCE = 1e-13

_SHORT = 1e-3
"""A vector below a thousandth of the longest is short: an error of 1e-13 of the longest matters to it."""


class Rotation(Protocol):
    """A probability law on orthogonal matrices.

    Examples
    --------
    >>> HAAR.name, HAAR.size(5)
    ('haar', 5)
    """

    @property
    def name(self) -> str:
        """One word."""

    def size(self, d: int) -> int:
        """Return the dimension in which vectors of dimension ``d`` are rotated."""

    def matrix(self, stream: Stream, blocks: range, copies: int, rows: int, d: int, xp: Namespace) -> Array:
        """Return the first ``rows`` rows and first ``d`` columns of R, shape (B, copies, rows, d)."""

    def rotate(self, stream: Stream, blocks: range, copies: int, vectors: Array) -> Array:
        """Return R x for the rows x of ``vectors`` (n, d), shape (B, copies, size(d), n)."""


def orthonormal_columns(gaussian: Array) -> Array:
    """Return the orthonormal factor Q of the columns for which R has a positive diagonal.

    Applied to independent standard normal entries, shape (..., d, k) with k <= d, this gives the
    Haar law on d x k frames (for k = d, on O(d)): the factorisation with positive diagonal is unique, so
    multiplication from the left by a fixed orthogonal matrix commutes with it. LAPACK's plain QR chooses
    other signs, and its Q is not Haar distributed.

    Source: F. Mezzadri, *How to generate random matrices from the classical compact groups*,
    Notices of the AMS 54 (2007).

    Examples
    --------
    >>> import numpy as np
    >>> orthonormal_columns(np.array([[3.0, 1.0], [4.0, 1.0]])).round(12)
    array([[ 0.6,  0.8],
           [ 0.8, -0.6]])
    """
    xp = array_namespace(gaussian)
    d, k = gaussian.shape[-2:]
    if k <= _GRAM_SCHMIDT_UP_TO:
        return _gram_schmidt(gaussian, xp)
    if on_device(xp):
        return cholesky_qr_twice(gaussian) if 2 * k <= d else _gram_schmidt(gaussian, xp)
    q, r = xp.linalg.qr(gaussian)
    diagonal = xp.linalg.diagonal(r)
    signs = xp.where(diagonal < 0, -xp.ones_like(diagonal), xp.ones_like(diagonal))
    return q * signs[..., None, :]


def _gram_schmidt(gaussian: Array, xp: Namespace) -> Array:
    """Gram-Schmidt by columns, each projected twice ("twice is enough"): orthogonal to rounding."""
    columns: list[Array] = []
    for j in range(gaussian.shape[-1]):
        column = gaussian[..., j]
        for _ in range(2 if columns else 0):
            done = xp.stack(columns, axis=-2)
            inner = xp.matmul(done, column[..., None])
            column = column - xp.matmul(xp.matrix_transpose(done), inner)[..., 0]
        columns.append(column / xp.sqrt(xp.sum(column * column, axis=-1, keepdims=True)))
    return xp.stack(columns, axis=-1)


def cholesky_qr_twice(gaussian: Array) -> Array:
    """Return the same factor from the Gram matrix G = L L^T as Q^T = L^-1 A^T, repeated once on Q.

    It uses products and small factorisations of whole stacks, which are fast on a device. The first pass loses the
    square of the condition number; the second restores orthogonality to rounding if that number is below 1e7,
    which Gaussian columns, k > 3 of them and k <= d / 2, exceed with probability below 1e-30 (Z. Chen, J. J.
    Dongarra, *Condition numbers of Gaussian random matrices*, SIAM J. Matrix Anal. Appl. 27 (2005)).

    Examples
    --------
    >>> import numpy as np
    >>> a = np.random.default_rng(1).standard_normal((16, 8))
    >>> bool(np.abs(cholesky_qr_twice(a) - orthonormal_columns(a)).max() < 1e-13)
    True
    """
    xp = array_namespace(gaussian)
    q = gaussian
    for _ in range(2):
        transposed = xp.matrix_transpose(q)
        factor = xp.linalg.cholesky(xp.matmul(transposed, q))
        q = xp.matrix_transpose(xp.linalg.solve(factor, transposed))
    return q


def well_conditioned(d: int, k: int) -> bool:
    """Return whether d x k Gaussian entries may be orthonormalised through their Gram matrix in one pass.

    One pass loses the square of the condition number. With k <= d / 2 and d - k >= 32 that number exceeds 100 with
    probability below 1e-29: (6.414 / x)^(d - k + 1) bounds the probability of more than x d / (d - k + 1)
    (Chen and Dongarra 2005).

    Examples
    --------
    >>> well_conditioned(64, 16), well_conditioned(64, 40), well_conditioned(20, 4)
    (True, False, False)
    """
    return 2 * k <= d and d - k >= 32


def frame_coordinates(rows: Array, coordinates: Array) -> Array:
    """Return C, (..., k, n), with U T = G C for the orthonormal factor U of G, without making U.

    By the Gram matrix G^T G = L L^T: U = G L^-T is the factor of :func:`orthonormal_columns`, so C = L^-T T.

    Parameters
    ----------
    rows : (..., k, d), the columns of G, with sizes accepted by :func:`well_conditioned`.
    coordinates : (k, n), the coordinates T of the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> g, t = np.random.default_rng(1).standard_normal((64, 8)), np.eye(8)[:, :3]
    >>> bool(np.abs(g @ frame_coordinates(g.T, t) - orthonormal_columns(g) @ t).max() < 1e-14)
    True
    """
    xp = array_namespace(rows)
    lower = xp.linalg.cholesky(xp.matmul(rows, xp.matrix_transpose(rows)))
    right = xp.broadcast_to(coordinates, (*rows.shape[:-2], *coordinates.shape))
    return xp.linalg.solve(xp.matrix_transpose(lower), right)


def frame_of(vectors: Array) -> tuple[Array, Array]:
    """Split the vectors into an orthonormal frame and coordinates: vectors.T = Q T.

    Returns
    -------
    Q (d, k) with orthonormal columns and T (k, n), where k is the rank of the vectors (0 if
    all vanish). Only T is needed to rotate: R x = (R Q) t with R Q a uniform frame. Each vector is
    represented to rounding of its own size, even beside a much longer one. For vectors on a device NumPy does this
    too: signs of singular vectors are a library's choice, and with others the same draws give other estimates.

    Examples
    --------
    >>> import numpy as np
    >>> frame, coordinates = frame_of(np.array([[3.0, 4.0, 0.0], [6.0, 8.0, 0.0]]))
    >>> frame.shape, bool(np.allclose(abs(coordinates), [[5, 10]]))
    ((3, 1), True)
    """
    xp = array_namespace(vectors)
    if on_device(xp):
        frame, coordinates = frame_of(to_host(vectors))
        return xp.asarray(frame), xp.asarray(coordinates)
    columns = xp.astype(xp.matrix_transpose(vectors), xp.float64)
    sizes = xp.max(xp.abs(columns), axis=0)
    sizes = xp.where(sizes > 0, sizes, xp.max(sizes))
    apart = float(xp.min(sizes)) < _SHORT * float(xp.max(sizes))
    u, s, vt = xp.linalg.svd(columns / sizes if apart else columns, full_matrices=False)
    rank = int(xp.sum(xp.astype(s > _RANK_TOLERANCE * s[0], xp.int64))) if float(s[0]) > 0 else 0
    coordinates = s[:rank, None] * vt[:rank, :]
    return u[:, :rank], coordinates * sizes if apart else coordinates


@dataclass(frozen=True)
class Haar:
    """The uniform law on O(d).

    Slots of the directions lane: row r of copy c of ``matrix`` takes d slots, starting at
    (c * rows + r) * d; ``rotate`` takes k * d slots per copy, k the rank of the vectors. The
    two paths agree in law, not draw by draw.

    Examples
    --------
    >>> import numpy as np
    >>> turned = Haar().rotate(Stream(1), range(3), 1, np.array([[3.0, 4.0]]))
    >>> np.linalg.norm(turned, axis=-2).round(12).ravel().tolist()
    [5.0, 5.0, 5.0]
    """

    name: str = "haar"

    def size(self, d: int) -> int:
        return d

    def matrix(self, stream: Stream, blocks: range, copies: int, rows: int, d: int, xp: Namespace) -> Array:
        return xp.matrix_transpose(_uniform_frame(stream, blocks, copies, rows, d, xp))

    def rotate(self, stream: Stream, blocks: range, copies: int, vectors: Array) -> Array:
        xp = array_namespace(vectors)
        n, d = vectors.shape
        frame, coordinates = frame_of(vectors)
        rank = frame.shape[1]
        if rank == 0:
            return xp.zeros((len(blocks), copies, d, n), dtype=xp.float64)
        return xp.matmul(_uniform_frame(stream, blocks, copies, rank, d, xp), coordinates)


def _uniform_frame(stream: Stream, blocks: range, copies: int, k: int, d: int, xp: Namespace) -> Array:
    found = stream.frames(blocks, copies, k, d, xp)
    if found is not None:
        return xp.matrix_transpose(found)
    gaussian = stream.normals(blocks, copies * k * d, DIRECTIONS, xp)
    rows = xp.reshape(gaussian, (len(blocks), copies, k, d))
    return orthonormal_columns(xp.matrix_transpose(rows))


HAAR = Haar()
