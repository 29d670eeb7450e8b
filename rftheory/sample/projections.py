"""Couplings: the joint law of the m random projections of a block.

A block is one independent replicate of the whole m x d matrix W of projections. A
geometrical coupling is a product of three parts,

    W = D S R,  R a random rotation, S a shape, D = diag(norms),

each in its own file. For m > d, W is a stack of independent blocks of d rows, the last of which is cut; for
m < d it is the first m rows of one block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np

from rftheory.errors import InvalidInput, need
from rftheory.sample.arrays import Array, Namespace, Real, array_namespace, namespace, real_type
from rftheory.sample.checks import block_range, least_dim, require_stream, whole
from rftheory.sample.checks import vectors as checked_vectors
from rftheory.sample.norms import ANTIMONOTONE, CHI, NormLaw, norms_of_copies
from rftheory.sample.rotations import HAAR, Rotation, frame_of
from rftheory.sample.shapes import IDENTITY, Shape
from rftheory.sample.stream import DIRECTIONS, NORMS, RESIDUALS, Stream

Via = Literal["frame", "matrix"]


class Block(NamedTuple):
    """Random projections in polar form.

    directions : (B, m, d), unit rows.
    norms : (B, m), chi with d degrees of freedom unless the coupling says otherwise.

    Examples
    --------
    >>> Block(np.array([[[0.6, 0.8]]]), np.array([[5.0]])).projections
    array([[[3., 4.]]])
    """

    directions: Array
    norms: Array

    @property
    def projections(self) -> Array:
        """The projections w_i = norms_i * directions_i, shape (B, m, d)."""
        return self.norms[..., None] * self.directions


class Projected(NamedTuple):
    """The projections of fixed vectors by a block.

    values : (B, m, n), the inner products w_i . x_j.
    norms : (B, m), the norms of the w_i.
    dim : the dimension in which these norms are taken: that of the vectors, or the larger one to which a
        fast rotation pads them with zeros.

    Examples
    --------
    >>> found = project_with_norms(Independent(), Stream(1), range(5), np.array([[0.3, -0.1]]), m=6)
    >>> found.values.shape, found.norms.shape, found.dim
    ((5, 6, 1), (5, 6), 2)
    """

    values: Array
    norms: Array
    dim: int


class Coupling(Protocol):
    """The joint law of m projections in dimension d.

    Examples
    --------
    >>> Independent().name, Geometric("orthogonal").min_dim
    ('iid', 1)
    """

    @property
    def name(self) -> str:
        """One word, the key of `COUPLINGS`."""

    @property
    def min_dim(self) -> int:
        """The smallest dimension in which the law exists."""

    def draw(
        self,
        stream: Stream,
        blocks: range,
        d: int,
        m: int,
        xp: Namespace = np,
        dtype: Real | None = None,
    ) -> Block:
        """Return the projections of the blocks."""

    def onto(self, stream: Stream, blocks: range, vectors: Array, m: int) -> Projected:
        """Return the projections of ``vectors`` (n, d), equal in law to ``draw``."""


@dataclass(frozen=True)
class Independent:
    """Independent projections w_i ~ N(0, I_d): directions and norms are independent.

    Lanes: the directions are normalised normals of the directions lane; the norms come from the norms lane, as
    in every coupling. For vectors of rank k only the k coordinates of a direction that affect them are drawn,
    with the norm of the other d - k from the residuals lane.

    Examples
    --------
    >>> w = Independent().draw(Stream(1), range(500), d=3, m=2).projections
    >>> w.shape, bool(abs(w.var() - 1) < 0.1)
    ((500, 2, 3), True)
    """

    name: str = "iid"
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
        directions = unit_rows(stream, blocks, m, d, xp)
        norms = stream.chis(blocks, m, d, NORMS, xp)
        return Block(xp.astype(directions, real, copy=False), xp.astype(norms, real, copy=False))

    def onto(self, stream: Stream, blocks: range, vectors: Array, m: int) -> Projected:
        xp = array_namespace(vectors)
        n, d = vectors.shape
        frame, coordinates = frame_of(vectors)
        k = frame.shape[1]
        norms = stream.chis(blocks, m, d, NORMS, xp)
        if k == 0:
            return Projected(xp.zeros((len(blocks), m, n), dtype=xp.float64), norms, d)
        seen, squares = normal_rows(stream, blocks, m, k, d, xp)
        scaled = seen * (norms / xp.sqrt(squares))[..., None]
        return Projected(xp.matmul(scaled, coordinates), norms, d)


def unit_rows(stream: Stream, blocks: range, count: int, d: int, xp: Namespace) -> Array:
    """Return independent uniform unit vectors, (B, count, d): normals of the directions lane, normalised.

    Examples
    --------
    >>> rows = unit_rows(Stream(1), range(2), 3, 4, np)
    >>> rows.shape, bool(np.allclose((rows**2).sum(-1), 1))
    ((2, 3, 4), True)
    """
    normals = xp.reshape(stream.normals(blocks, count * d, DIRECTIONS, xp), (len(blocks), count, d))
    return normals / xp.linalg.vector_norm(normals, axis=-1, keepdims=True)


def normal_rows(
    stream: Stream, blocks: range, count: int, k: int, d: int, xp: Namespace
) -> tuple[Array, Array]:
    """Return k of the d coordinates of independent normal vectors, (B, count, k), and their squared norms, (B, count).

    Examples
    --------
    >>> seen, squares = normal_rows(Stream(1), range(2), 3, 1, 4, np)
    >>> seen.shape, bool((squares > seen[..., 0] ** 2).all())
    ((2, 3, 1), True)
    """
    seen = xp.reshape(stream.normals(blocks, count * k, DIRECTIONS, xp), (len(blocks), count, k))
    squares = xp.sum(seen * seen, axis=-1)
    if k < d:
        squares = squares + stream.chis(blocks, count, d - k, RESIDUALS, xp) ** 2
    return seen, squares


@dataclass(frozen=True)
class Geometric:
    """A geometrical coupling W = D S R (Reid et al. 2023, Definition 1.1 and eq. 8).

    Parameters
    ----------
    name : name in the registry.
    rotation : law of R, see :mod:`rftheory.sample.rotations`.
    shape : matrix S, see :mod:`rftheory.sample.shapes`.
    norm_law : law of D, see :mod:`rftheory.sample.norms`.

    Examples
    --------
    >>> from rftheory.sample.shapes import SIMPLEX
    >>> block = Geometric("simplex", shape=SIMPLEX).draw(Stream(1), range(2), d=4, m=4)
    >>> (block.directions[0] @ block.directions[0].T).round(12)[0]
    array([ 1.        , -0.33333333, -0.33333333, -0.33333333])
    """

    name: str
    rotation: Rotation = HAAR
    shape: Shape = IDENTITY
    norm_law: NormLaw = CHI

    @property
    def min_dim(self) -> int:
        return self.shape.min_dim

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
        size, copies = self.size(d), -(-m // self.size(d))
        rows = min(m, size) if not self.shape.mixes_rows else size
        norms = self._norms(stream, blocks, m, size, xp)
        rotated = self.rotation.matrix(stream, blocks, copies, rows, d, xp)
        directions = self._stacked(rotated, norms, copies, m, xp)
        norms = norms[:, :m]
        if size > d:
            directions, norms = polar(directions, norms, xp)
        return Block(xp.astype(directions, real, copy=False), xp.astype(norms, real, copy=False))

    def onto(self, stream: Stream, blocks: range, vectors: Array, m: int) -> Projected:
        n, d = vectors.shape
        if not self.shape.mixes_rows and m < min(n, d):
            xp = array_namespace(vectors)
            return multiplied(rows_of(self, stream, blocks, d, m, xp), vectors, xp)
        return self.onto_frame(stream, blocks, vectors, m)

    def onto_frame(self, stream: Stream, blocks: range, vectors: Array, m: int) -> Projected:
        """Return what :meth:`onto` returns, but always from the frame of the vectors, even for few projections."""
        xp = array_namespace(vectors)
        d = vectors.shape[1]
        size = self.size(d)
        copies = -(-m // size)
        norms = self._norms(stream, blocks, m, size, xp)
        rotated = self.rotation.rotate(stream, blocks, copies, vectors)
        seen = self._stacked(rotated, norms, copies, m, xp)
        return Projected(norms[:, :m, None] * seen, norms[:, :m], size)

    def size(self, d: int) -> int:
        """Return the dimension of the rotation, in which norms are drawn: d, or the larger one to which it pads."""
        return self.rotation.size(d)

    def _norms(self, stream: Stream, blocks: range, m: int, size: int, xp: Namespace) -> Array:
        """Norms for all rows of all copies if the shape or their law needs them, else for the m rows."""
        if not self.shape.mixes_rows and self.norm_law != ANTIMONOTONE:
            return self.norm_law.draw(stream, blocks, m, size, xp)
        drawn = norms_of_copies(self.norm_law, stream, blocks, -(-m // size), size, size, xp)
        return xp.reshape(drawn, (len(blocks), -1))

    def _stacked(self, rotated: Array, norms: Array, copies: int, m: int, xp: Namespace) -> Array:
        batch, rows, n = rotated.shape[0], rotated.shape[2], rotated.shape[3]
        grouped = norms
        if self.shape.mixes_rows:
            grouped = xp.reshape(norms, (batch, copies, rows))
        shaped = self.shape.apply(rotated, grouped)
        return xp.reshape(shaped, (batch, copies * rows, n))[:, :m, :]


def polar(rows: Array, norms: Array, xp: Namespace) -> tuple[Array, Array]:
    """Return unit directions of the rows, and their lengths times the given norms.

    A row of a Hadamard product may vanish when it is cut; it then gets norm 0 and the direction e_1.

    Examples
    --------
    >>> polar(np.array([[[3.0, 4.0], [0.0, 0.0]]]), np.ones((1, 2)), np)
    (array([[[0.6, 0.8],
            [1. , 0. ]]]), array([[5., 0.]]))
    """
    lengths = xp.linalg.vector_norm(rows, axis=-1)
    vanished = (lengths == 0)[..., None]
    first = xp.astype(xp.arange(rows.shape[-1]) == 0, xp.float64)
    directions = xp.where(vanished, first, rows) / xp.where(vanished, 1.0 + 0.0 * rows, lengths[..., None])
    return directions, norms * lengths


def requested(
    coupling: Coupling, stream: Stream, blocks: range, d: int, m: int, xp: Namespace, dtype: Real | None
) -> tuple[range, int, int, Namespace, Real]:
    """Return the arguments of a coupling's methods, checked.

    Examples
    --------
    >>> requested(Independent(), Stream(1), range(2), 3, 4, np, None)[:3]
    (range(0, 2), 3, 4)
    """
    require_stream(stream)
    xp = namespace(xp)
    d, m = whole("d", d), whole("m", m)
    least_dim(coupling.name, d, coupling.min_dim)
    return block_range(blocks), d, m, xp, real_type(xp, dtype)


def project(
    coupling: Coupling,
    stream: Stream,
    blocks: range,
    vectors: Array,
    m: int,
    *,
    via: Via = "frame",
    dtype: Real | None = None,
) -> Array:
    """Return the inner products of m projections with fixed vectors, shape (B, m, n).

    Parameters
    ----------
    vectors : (n, d); the result is an array of the same library.
    via : ``"frame"`` draws only the part of the rotation that affects the vectors: for k linearly
        independent ones a uniform k-frame, O(d k) numbers per block instead of O(d^2). ``"matrix"`` draws
        the whole block and multiplies. Both have the same law, but use the directions lane differently
        and so are not equal draw by draw.

    Examples
    --------
    >>> x = np.array([[0.3, -0.1, 0.7]])
    >>> project(Geometric("orthogonal"), Stream(1), range(5), x, m=6).shape
    (5, 6, 1)
    """
    return project_with_norms(coupling, stream, blocks, vectors, m, via=via, dtype=dtype).values


def project_with_norms(
    coupling: Coupling,
    stream: Stream,
    blocks: range,
    vectors: Array,
    m: int,
    *,
    via: Via = "frame",
    dtype: Real | None = None,
) -> Projected:
    """Return what :func:`project` returns, with the norms of the projections.

    Examples
    --------
    >>> x = np.array([[0.0, 2.0]])
    >>> found = project_with_norms(Geometric("orthogonal"), Stream(1), range(5), x, m=2)
    >>> bool((np.abs(found.values[..., 0]) <= 2 * found.norms).all())
    True
    """
    if not hasattr(coupling, "onto"):
        raise InvalidInput("coupling", needs="a Coupling", got=coupling, hint="write coupling('simplex')")
    need("via", via, ("frame", "matrix"), "'frame' or 'matrix'")
    xp = array_namespace(vectors)
    vectors = checked_vectors("vectors", vectors, xp)
    d = vectors.shape[1]
    blocks, d, m, xp, real = requested(coupling, stream, blocks, d, m, xp, dtype)
    if via == "frame":
        found = stream.projected(coupling, blocks, vectors, m) or coupling.onto(stream, blocks, vectors, m)
    else:
        found = multiplied(rows_of(coupling, stream, blocks, d, m, xp), vectors, xp)
    values, norms, dim = found
    return Projected(xp.astype(values, real, copy=False), xp.astype(norms, real, copy=False), dim)


def rows_of(
    coupling: Coupling, stream: Stream, blocks: range, d: int, m: int, xp: Namespace = np
) -> Projected:
    """Return the projections themselves, (B, m, d), which are those of the unit vectors, with the norms of their law.

    Where a fast rotation pads, a row has its norm before it is cut to d columns: that is the norm whose law a feature
    map knows.

    Examples
    --------
    >>> from rftheory.sample import coupling
    >>> rows = rows_of(coupling("hadamard-orthogonal-fixed"), Stream(1), range(2), 3, 5)
    >>> rows.values.shape, rows.dim, rows.norms[0].tolist()
    ((2, 5, 3), 4, [2.0, 2.0, 2.0, 2.0, 2.0])
    """
    size = coupling.size(d) if isinstance(coupling, Geometric) else d
    block = coupling.draw(stream, blocks, size, m, xp)
    return Projected(block.projections[..., :d], block.norms, size)


def multiplied(rows: Projected, vectors: Array, xp: Namespace) -> Projected:
    """Multiply the projections by the vectors (n, d): the definition of projecting.

    Examples
    --------
    >>> rows = Projected(np.array([[[3.0, 4.0]]]), np.array([[5.0]]), 2)
    >>> multiplied(rows, np.array([[1.0, 1.0]]), namespace("numpy")).values.tolist()
    [[[7.0]]]
    """
    transposed = xp.matrix_transpose(xp.astype(vectors, xp.float64))
    return Projected(xp.matmul(rows.values, transposed), rows.norms, rows.dim)
