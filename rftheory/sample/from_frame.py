"""Couplings whose blocks are functions of axes, a uniform orthonormal frame or independent ones, and of norms.

    def mirrored(frame, norms, xp):
        rows = frame * norms[..., None]
        return xp.concat((rows, -rows), axis=-2)

The function is linear in the frame and acts along its row axis, so it can be given either the frame itself or its
products with fixed vectors: for a pair of inputs one or two numbers per row instead of d.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rftheory.errors import InvalidInput, SamplerFailed
from rftheory.sample.arrays import Array, Namespace, Real, array_namespace
from rftheory.sample.arrays import namespace as namespace_of
from rftheory.sample.checks import whole
from rftheory.sample.couplings import COUPLINGS, coupling
from rftheory.sample.norms import CHI, NormLaw, norms_of_copies
from rftheory.sample.projections import (
    Block,
    Coupling,
    Geometric,
    Projected,
    multiplied,
    normal_rows,
    polar,
    requested,
    rows_of,
    unit_rows,
)
from rftheory.sample.rotations import HAAR, frame_of
from rftheory.sample.stream import Stream

Build = Callable[[Array, Array, Namespace], Array]
Count = Callable[[int], int]
COLUMNS = 16
"""So many axes at a time are given to a function to see which of them its rows use."""


def dimension(d: int) -> int:
    """The default number of axes and of norms: d.

    Examples
    --------
    >>> dimension(3)
    3
    """
    return d


class Layout(NamedTuple):
    """What a block consists of in a given dimension.

    axes, norms : numbers of unit vectors and of norms that it needs.
    rows : number of rows that it has.
    marks : a number for each axis, such that no row uses two axes with the same one.

    Examples
    --------
    >>> layout(FromFrame("orthogonal", lambda frame, norms, xp: norms[..., None] * frame), 4)
    Layout(axes=4, norms=4, rows=4, marks=(0, 0, 0, 0))
    """

    axes: int
    norms: int
    rows: int
    marks: tuple[int, ...]


@dataclass(frozen=True)
class FromFrame:
    """A coupling whose block is ``build(frame, norms, xp)``; for m > rows, a stack of independent blocks.

    Parameters
    ----------
    name : one word.
    build : makes the rows (B, copies, rows, n) from ``frame`` (B, copies, axes, n) and ``norms`` (B, copies, norms),
        with functions of ``xp``. It is linear in the frame; n is the dimension or a number of vectors. Which axes
        a row uses must not depend on the norms.
    axes, norms : functions of d: how many orthonormal vectors (at most d) and norms a block needs; by default d.
    independent : whether ``frame`` holds independent uniform unit vectors, any number of them, in place of orthonormal.
    norm_law : law of these norms, see :mod:`rftheory.sample.norms`.
    min_dim : the smallest dimension.

    Raises
    ------
    InvalidInput : ``axes`` or ``norms`` is no function, or ``norm_law`` no law of norms.
    SamplerFailed : the function raises an error, or returns something other than a block of rows.

    Examples
    --------
    >>> def cross(frame, norms, xp):
    ...     return norms[..., None] * xp.concat((frame, -frame), axis=-2)
    >>> law = FromFrame("cross", cross, norms=lambda d: 2 * d)
    >>> block = law.draw(Stream(1), range(2), d=2, m=4)
    >>> (block.directions[0] @ block.directions[0].T).round(12)[0] + 0.0
    array([ 1.,  0., -1.,  0.])
    """

    name: str
    build: Build
    axes: Count = dimension
    norms: Count = dimension
    norm_law: NormLaw = CHI
    min_dim: int = 1
    independent: bool = False

    def __post_init__(self) -> None:
        for field, count in (("axes", self.axes), ("norms", self.norms)):
            if not callable(count):
                raise InvalidInput(f"{field} of the sampler of {self.name}", needs="a function of d", got=count,
                                   hint=f"write {field}=lambda d: ...")  # fmt: skip
        if isinstance(self.norm_law, type) or not callable(getattr(self.norm_law, "draw", None)):
            raise InvalidInput(
                f"norm_law of the sampler of {self.name}", needs="a law of norms: CHI, FIXED or ANTIMONOTONE",
                got=self.norm_law, hint="import it from rftheory.author, and write norm_law=ANTIMONOTONE, no text",
            )  # fmt: skip

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by declaring module and name, because its parts may be lambdas."""
        if COUPLINGS.get(self.name) is self:
            return _entered, (self.build.__module__, self.name)
        fields = (self.name, self.build, self.axes, self.norms, self.norm_law, self.min_dim, self.independent)
        return FromFrame, fields

    def draw(
        self,
        stream: Stream,
        blocks: range,
        d: int,
        m: int,
        xp: Namespace = np,
        dtype: Real | None = None,
    ) -> Block:
        """Return the projections of the blocks, from whole axes with d numbers each."""
        blocks, d, m, xp, real = requested(self, stream, blocks, d, m, xp, dtype)
        plan = layout(self, d)
        copies = -(-m // plan.rows)
        frame = self._axes(stream, blocks, copies, plan.axes, d, xp)
        rows = self._cut(self.built(frame, self._norms(stream, blocks, copies, d, xp), xp), m, xp)
        directions, norms = polar(rows, xp.ones(rows.shape[:2], dtype=xp.float64), xp)
        return Block(xp.astype(directions, real, copy=False), xp.astype(norms, real, copy=False))

    def onto(self, stream: Stream, blocks: range, vectors: Array, m: int) -> Projected:
        """Return the projections of ``vectors`` (n, d), from the products of the vectors with the axes."""
        xp = array_namespace(vectors)
        n, d = vectors.shape
        plan = layout(self, d)
        few = plan.axes < min(n, d) and not self.independent
        if few or (self.independent and max(plan.marks)):  # the norm of a sum of axes that are not orthogonal
            return multiplied(rows_of(self, stream, blocks, d, m, xp), vectors, xp)
        copies = -(-m // plan.rows)
        norms = self._norms(stream, blocks, copies, d, xp)
        seen = self._axes_onto(stream, blocks, copies, plan.axes, vectors)
        values = self._cut(self.built(seen, norms, xp), m, xp)
        return Projected(values, self._lengths(plan, norms, m, xp), d)

    def built(self, frame: Array, norms: Array, xp: Namespace) -> Array:
        """The rows that ``build`` makes: it may not write into what it is given, which is used again.

        What it has NumPy do about underflow and the like stays its own.
        """
        with np.errstate():
            return self.build(_read_only(frame), _read_only(norms), xp)

    def _axes(self, stream: Stream, blocks: range, copies: int, axes: int, d: int, xp: Namespace) -> Array:
        if not self.independent:
            return HAAR.matrix(stream, blocks, copies, axes, d, xp)
        found = unit_rows(stream, blocks, copies * axes, d, xp)
        return xp.reshape(found, (len(blocks), copies, axes, d))

    def _axes_onto(self, stream: Stream, blocks: range, copies: int, axes: int, vectors: Array) -> Array:
        """The products of the axes with vectors (n, d): (B, copies, axes, n)."""
        if not self.independent:
            return HAAR.rotate(stream, blocks, copies, vectors)[:, :, :axes, :]
        xp = array_namespace(vectors)
        n, d = vectors.shape
        frame, coordinates = frame_of(vectors)
        if frame.shape[1] == 0:
            return xp.zeros((len(blocks), copies, axes, n), dtype=xp.float64)
        seen, squares = normal_rows(stream, blocks, copies * axes, frame.shape[1], d, xp)
        found = xp.matmul(seen / xp.sqrt(squares)[..., None], coordinates)
        return xp.reshape(found, (len(blocks), copies, axes, n))

    def _norms(self, stream: Stream, blocks: range, copies: int, d: int, xp: Namespace) -> Array:
        return norms_of_copies(self.norm_law, stream, blocks, copies, layout(self, d).norms, d, xp)

    def _lengths(self, plan: Layout, norms: Array, m: int, xp: Namespace) -> Array:
        """Norms of the rows, (B, m), found by applying the function to sums of axes that no row mixes."""
        marks = xp.asarray(plan.marks)[:, None] == xp.arange(1 + max(plan.marks))
        axes = xp.broadcast_to(xp.astype(marks, xp.float64), (*norms.shape[:2], *marks.shape))
        return xp.linalg.vector_norm(self._cut(self.built(axes, norms, xp), m, xp), axis=-1)

    @staticmethod
    def _cut(rows: Array, m: int, xp: Namespace) -> Array:
        batch, copies, size, n = rows.shape
        return xp.reshape(rows, (batch, copies * size, n))[:, :m, :]


def block_in_frame(law: FromFrame | Geometric, stream: Stream, blocks: range, d: int, xp: Namespace) -> Array:
    """Return the rows of one whole block in the coordinates of its frame, (B, rows, axes), without the rotation.

    Examples
    --------
    >>> rows = block_in_frame(Geometric("orthogonal"), Stream(1), range(2), 3, np)
    >>> rows.shape, bool((rows[0, 0, 1:] == 0).all())
    ((2, 3, 3), True)
    """
    xp = namespace_of(xp)
    plan = layout(law, d) if isinstance(law, FromFrame) else Layout(d, d, d, (0,) * d)
    norms = law.norm_law.draw(stream, blocks, plan.norms, d, xp)[:, None, :]
    axes = xp.eye(plan.axes, dtype=xp.float64)
    axes = xp.broadcast_to(axes, (len(blocks), 1, plan.axes, plan.axes))
    rows = (
        law.built(axes, norms, xp)
        if isinstance(law, FromFrame)
        else law.shape.apply(axes, norms) * norms[..., None]
    )
    return rows[:, 0, :, :]


def _entered(module: str, name: str) -> Coupling:
    importlib.import_module(module)
    return coupling(name)


@lru_cache(maxsize=256)
def layout(law: FromFrame, d: int) -> Layout:
    """Return what a block of the coupling consists of in dimension d, found by trying it on fixed numbers.

    Examples
    --------
    >>> def sums(frame, norms, xp):
    ...     return xp.concat((frame, frame[..., :1, :] + frame[..., 1:2, :]), axis=-2)
    >>> layout(FromFrame("sums", sums, axes=lambda d: 2), 4)
    Layout(axes=2, norms=4, rows=3, marks=(0, 1))
    """
    axes, count = whole(f"axes of {law.name}", law.axes(d)), whole(f"norms of {law.name}", law.norms(d))
    if axes > d and not law.independent:
        hint = f"more than {d} rows are put among the axes by the function itself, as sums of them"
        raise InvalidInput(f"axes of {law.name}", needs=f"at most d = {d}", got=axes, hint=hint)
    marks: list[int] = []
    taken: list[np.ndarray] = []  # by number, the rows that use an axis with it
    for rows in _rows_on_axes(law, axes, count, d):
        free = next((k for k, others in enumerate(taken) if not (rows & others).any()), len(taken))
        taken += [np.zeros_like(rows)] if free == len(taken) else []
        taken[free] |= rows
        marks.append(free)
    return Layout(axes, count, len(taken[0]), tuple(marks))


def _read_only(array: Array) -> Array:
    """A view that cannot be written into, where arrays have such views."""
    if not isinstance(array, np.ndarray):
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def _rows_on_axes(law: FromFrame, axes: int, count: int, d: int) -> Iterator[np.ndarray]:
    """For each axis, which rows use it, (rows,)."""
    xp = namespace_of("numpy")
    # different numbers of blocks and copies, so that an axis of norms paired with the wrong axis of the frame shows
    norms = np.sqrt(d) + np.broadcast_to(np.linspace(0.1, 0.9, count), (2, 3, count))
    for start in range(0, axes, COLUMNS):
        n = min(COLUMNS, axes - start)
        try:
            rows = np.asarray(law.built(np.tile(np.eye(axes, n, -start), (2, 3, 1, 1)), norms, xp))
        except Exception as problem:
            change = "; make new arrays, do not change these" if "read-only" in str(problem) else ""
            raise SamplerFailed(
                law.name,
                problem=f"{type(problem).__name__}: {problem}",
                hint=f"it was given frame (2, 3, {axes}, {n}) and norms (2, 3, {count}) at d = {d}{change}",
            ) from problem
        if rows.dtype.kind not in "fiu":
            raise SamplerFailed(law.name, problem=f"rows of type {rows.dtype}", hint="return real numbers")
        if not np.isfinite(rows).all():
            bad = int((~np.isfinite(rows)).sum())
            raise SamplerFailed(law.name, problem=f"{bad} of {rows.size} entries are NaN or infinite",
                                hint="check divisions and logarithms")  # fmt: skip
        if rows.ndim != 4 or rows.shape[:2] != (2, 3) or rows.shape[3] != n:
            raise SamplerFailed(law.name, problem=f"rows of shape {rows.shape}",
                                hint=f"return (B, copies, rows, n), here (2, 3, rows, {n})")  # fmt: skip
        yield from (rows != 0).any(axis=(0, 1)).T
