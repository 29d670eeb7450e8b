"""SimRF+: directions that depend on the norms; each vector points away from the resultant of the others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from rftheory.errors import InvalidInput, UnknownName
from rftheory.sample.arrays import Array, Namespace, array_namespace
from rftheory.sample.checks import kernels, least_dim, require_finite, whole
from rftheory.sample.shapes import simplex_matrix


class Geometry(NamedTuple):
    """Directions, and how far the iteration got.

    directions : (..., d, d), unit rows.
    sweeps : (...,), number of passes through the set of vectors.
    residual : (...,), the largest distance |s_i + r_i / |r_i|| of a direction from the fixed
        point of eq. (16), r_i the resultant of the other vectors.
    resultant : (...,), length of the sum of all w_i s_i over the sum of the norms.

    Examples
    --------
    >>> import numpy as np
    >>> simplex_plus_directions(np.ones((2, 5))).sweeps.tolist()
    [0, 0]
    """

    directions: Array
    sweeps: Array
    residual: Array
    resultant: Array


def simplex_plus_directions(norms: Array, *, max_sweeps: int = 100, tolerance: float = 1e-12) -> Geometry:
    """Return the fixed point of eq. (17) for given norms, starting from the simplex.

    Sweeps are sequential: each update uses the vectors already updated. The running resultant T
    makes an update O(d): r = T - w_i s_i, s_i <- -r / |r|, T <- r (1 - w_i / |r|). If one norm is far
    above the sum of the others, this r cancels, and the others are summed afresh. Each set of norms
    stops by itself when its residual is at most the tolerance, so results depend neither on which sets
    are computed together nor on the unit of the norms. Chi norms take one sweep for d >= 16 and, for
    d = 6, at most 8 in two thousand sets; for d = 3 one set in ten lies close to the boundary where the
    largest norm equals the sum of the others, and convergence is slow. The result after ``max_sweeps``
    is a valid set of directions in any case; the residual tells how far it is from the fixed point.

    Parameters
    ----------
    norms : (..., d), positive, d >= 2.

    Source: Reid et al. 2023, eqs (16), (17) and App. A.3.

    Examples
    --------
    >>> import numpy as np
    >>> found = simplex_plus_directions(np.array([1.0, 2.0, 2.5]))
    >>> w = np.array([[1.0], [2.0], [2.5]]) * found.directions
    >>> bool(np.abs(w.sum(0)).max() < 1e-11)
    True
    """
    xp = array_namespace(norms)
    whole("max_sweeps", max_sweeps)
    if norms.ndim == 0 or 0 in norms.shape or bool(xp.any(norms < 0)):
        raise InvalidInput("norms", needs="lengths, shape (..., d), none empty", got=tuple(norms.shape))
    require_finite("norms", norms, xp)
    d = norms.shape[-1]
    least_dim("simplex+", d, 2)
    shape, sets = norms.shape[:-1], xp.reshape(xp.astype(norms, xp.float64), (-1, d))
    sets = _in_range(sets, xp)
    largest = xp.max(sets, axis=-1)
    lopsided = largest > LOPSIDED * (xp.sum(sets, axis=-1) - largest)
    finished: list[tuple[Array, ...]] = []
    for apart in (False, True):
        (index,) = xp.nonzero(lopsided == apart)
        if index.shape[0] > 0:
            finished += _iterated(index, xp.take(sets, index, axis=0), apart, max_sweeps, tolerance, xp)
    return _in_order(finished, sets, shape, xp)


def _iterated(
    index: Array, sets: Array, apart: bool, max_sweeps: int, tolerance: float, xp: Namespace
) -> list[tuple[Array, ...]]:
    """Sweep sets of norms, starting from the simplex, and collect them with their indices as they stop."""
    residuals = _residual_apart if apart else _residual
    sweeps: Callable[..., Array] = _sweep_apart if apart else _sweep_on
    norms = _side_by_side(sets, xp)
    directions = _vertices(norms, xp)
    finished: list[tuple[Array, ...]] = []
    for sweep in range(max_sweeps + 1):
        residual, *first = residuals(directions, norms, xp)
        residual = residual[: index.shape[0]]
        going = residual > tolerance if sweep < max_sweeps else residual < 0
        (stop,), (keep,) = xp.nonzero(~going), xp.nonzero(going)
        taken = (xp.take(part, stop, axis=-1) for part in (index, directions, residual))
        finished.append((*taken, xp.full(stop.shape, sweep, dtype=xp.int64)))
        if keep.shape[0] == 0:
            break
        index, keep = xp.take(index, keep), _never_alone(keep, xp)
        directions, norms, *first = (xp.take(part, keep, axis=-1) for part in (directions, norms, *first))
        directions = sweeps(directions, norms, *first, xp)
    return finished


def _side_by_side(sets: Array, xp: Namespace) -> Array:
    """The sets of norms (B, d) as columns, (d, B): the coordinates of a vector are then far apart, those of sets near.

    Sweeps work on norms (d, B) and directions (d, d, B), so that sums over a few coordinates run along many sets.
    """
    chosen = _never_alone(xp.arange(sets.shape[0]), xp)
    return xp.stack([xp.take(sets[:, i], chosen) for i in range(sets.shape[1])], axis=0)


def _never_alone(chosen: Array, xp: Namespace) -> Array:
    """Indices of sets; of one alone, twice, because libraries add up a single column in another order."""
    return xp.concat((chosen, chosen), axis=0) if chosen.shape[0] == 1 else chosen


def _set_by_set(directions: Array, chosen: Array, xp: Namespace) -> Array:
    """The directions (d, d, B) of chosen sets as (B, d, d), each in one piece again, as quick products need it."""
    return xp.take(xp.permute_dims(directions, (2, 0, 1)), chosen, axis=0)


def _left(directions: Array, sets: Array, xp: Namespace) -> Array:
    """Lengths of the sums of w_i times the direction i, for sets (B, d)."""
    return xp.linalg.vector_norm(xp.sum(sets[..., None] * directions, axis=-2), axis=-1)


def _vertices(norms: Array, xp: Namespace) -> Array:
    """One copy of the simplex for every set of norms."""
    d, sets = norms.shape
    return xp.zeros((d, d, sets), dtype=norms.dtype) + simplex_matrix(d, xp)[..., None]


def _in_order(
    finished: list[tuple[Array, ...]], sets: Array, shape: tuple[int, ...], xp: Namespace
) -> Geometry:
    """Put the sets of norms, collected as they stopped, back in order."""
    index, directions, *columns = (xp.concat(parts, axis=-1) for parts in zip(*finished, strict=True))
    order = xp.argsort(index)
    directions = _set_by_set(directions, order, xp)
    residual, sweeps = (xp.take(column, order) for column in columns)
    length, total = _left(directions, sets, xp), xp.sum(sets, axis=-1)
    found = (directions, sweeps, residual, length / xp.where(total > 0, total, xp.ones_like(total)))
    return Geometry(*(xp.reshape(column, (*shape, *column.shape[1:])) for column in found))


def _in_range(sets: Array, xp: Namespace) -> Array:
    """Return the sets of norms; those whose squares would leave the range, in units of their largest norm.

    The directions do not depend on the unit.
    """
    largest = xp.max(sets, axis=-1, keepdims=True)
    least, most = _range(sets, xp)
    outside = (largest > 0) & ((largest < least) | (largest > most))
    return sets / xp.where(outside, largest, xp.ones_like(largest))


def _range(sets: Array, xp: Namespace) -> tuple[float, float]:
    """The range of lengths whose squares are far from underflow and overflow."""
    most = float(xp.finfo(sets.dtype).max) ** (1 / 3)
    return 1 / most, most


def _resultant(directions: Array, norms: Array, xp: Namespace) -> Array:
    return xp.sum(norms[:, None, :] * directions, axis=0)


def _length(vectors: Array, xp: Namespace) -> Array:
    """Lengths of vectors (.., d, B), (.., 1, B)."""
    return xp.linalg.vector_norm(vectors, axis=-2, keepdims=True)


def _opposite(others: Array, old: Array, xp: Namespace) -> Array:
    """Return -r / |r|. If the others cancel, every direction is a minimum: keep the old one."""
    length = _length(others, xp)
    return xp.where(length > 0, -others / xp.where(length > 0, length, 1.0 + 0.0 * length), old)


def _sweep(directions: Array, norms: Array, xp: Namespace) -> Array:
    others = _resultant(directions, norms, xp) - norms[0, ...] * directions[0, ...]
    return _sweep_on(directions, norms, others, _opposite(others, directions[0, ...], xp), xp)


def _sweep_on(directions: Array, norms: Array, others: Array, row: Array, xp: Namespace) -> Array:
    """Go on with a sweep after its first update, to ``row``, away from the sum ``others`` of all vectors but one."""
    rows, resultant = [row], others + norms[0, ...] * row
    for i in range(1, norms.shape[0]):
        old, w = directions[i, ...], norms[i, ...]
        others = resultant - w * old
        rows.append(_opposite(others, old, xp))
        resultant = others + w * rows[i]
    return xp.stack(rows, axis=0)


def _residual(directions: Array, norms: Array, xp: Namespace) -> tuple[Array, ...]:
    """The residual; and what the next sweep begins with, the sum of all vectors but the first and its update."""
    weighted = norms[:, None, :] * directions
    others = xp.sum(weighted, axis=0) - weighted
    away = _opposite(others, directions, xp)
    return _largest_gap(directions, away, xp), others[0, ...], away[0, ...]


def _largest_gap(directions: Array, away: Array, xp: Namespace) -> Array:
    return xp.max(_length(directions - away, xp)[:, 0, :], axis=0)


LOPSIDED = 8.0
"""Above this ratio of a norm to the sum of the others, T - w_i s_i is not formed, because it would lose digits."""


def _sweep_apart(directions: Array, norms: Array, xp: Namespace) -> Array:
    """Do what `_sweep` does, but sum the others without the vector whose size would swamp them."""
    before, rows = xp.zeros_like(directions[0, ...]), []
    for i, after in enumerate(_sums_after(norms[:, None, :] * directions, xp)):
        rows.append(_away(before + after, directions[i, ...], xp))
        before = before + norms[i, ...] * rows[i]
    return xp.stack(rows, axis=0)


def _residual_apart(directions: Array, norms: Array, xp: Namespace) -> tuple[Array, ...]:
    weighted = norms[:, None, :] * directions
    before = _sums_after(xp.flip(weighted, axis=0), xp)[::-1]
    others = xp.stack(before, axis=0) + xp.stack(_sums_after(weighted, xp), axis=0)
    return (_largest_gap(directions, _away(others, directions, xp), xp),)


def _sums_after(vectors: Array, xp: Namespace) -> list[Array]:
    """Return, for every row, the sum of the rows after it."""
    sums = [xp.zeros_like(vectors[0, ...])]
    for i in range(vectors.shape[0] - 1, 0, -1):
        sums.append(sums[-1] + vectors[i, ...])
    return sums[::-1]


def _away(others: Array, old: Array, xp: Namespace) -> Array:
    """Return -r / |r| for resultants r, however small; the old direction if r = 0."""
    largest = xp.max(xp.abs(others), axis=-2, keepdims=True)
    return _opposite(others / xp.where(largest > 0, largest, xp.ones_like(largest)), old, xp)


def first_sweep_apart(z: Array, norms: Array) -> tuple[Array, Array]:
    """Return what `first_sweep` returns, for sets (B, d, k) and (B, d) in one list, one direction at a time.

    Needed if one norm is far above the sum of the others, or if squares of the norms leave the range.

    Examples
    --------
    >>> import numpy as np
    >>> rows, left = first_sweep_apart(np.eye(3)[None], np.array([[1.0, 1e-9, 2e-9]]))
    >>> bool(np.abs(rows[0, 1:] + rows[0, 0]).max() < 1e-8)
    True
    """
    xp = array_namespace(z, norms)
    wanted, norms = xp.result_type(z, norms), xp.astype(norms, xp.float64)
    sets = _in_range(norms, xp)
    columns = _side_by_side(sets, xp)
    swept = _sweep_apart(_vertices(columns, xp), columns, xp)
    directions = _set_by_set(swept, xp.arange(sets.shape[0]), xp)
    with np.errstate(over="ignore"):  # a length beyond the range becomes infinite
        largest = xp.max(sets, axis=-1)
        unit = xp.max(norms, axis=-1) / xp.where(largest > 0, largest, xp.ones_like(largest))
        left = _left(directions, sets, xp) * unit
    return xp.astype(xp.matmul(directions, xp.astype(z, xp.float64)), wanted), xp.astype(left, wanted)


def first_sweep(z: Array, norms: Array) -> tuple[Array, Array]:
    """Return S' z after one sweep from the simplex, and the length of the resultant, in O(d k).

    The resultant T enters an update only through |T| and its products with z and with the vertices s_j that
    are still to be updated. All vertices make equal angles, so T . s_j = a w_j + b with two numbers that the
    update w_i s_i -> -w_i r / |r|, r = T - w_i s_i, T -> c r, multiplies by c = 1 - w_i / |r|, after
    replacing b by b + w_i / (d - 1). |r|^2 - w_i^2 is formed without cancellation: T shrinks quadratically.
    It still cancels if |r| < w_i / 8, c < -7; such sets are swept one direction at a time, and so are sets
    of norms whose squares leave the range of floating-point numbers.

    Parameters
    ----------
    z : (..., d, k), columns by which the directions are multiplied.
    norms : (..., d), positive, d >= 2.

    Returns
    -------
    S' z, (..., d, k), and |T|, (...,).

    Examples
    --------
    >>> import numpy as np
    >>> norms, z = np.array([1.0, 2.0, 2.5, 2.0]), np.arange(4.0)[:, None]
    >>> slow = simplex_plus_directions(norms, max_sweeps=1, tolerance=0.0)
    >>> fast, _ = first_sweep(z, norms)
    >>> bool(np.abs(fast - slow.directions @ z).max() < 1e-14)
    True
    """
    xp = array_namespace(z, norms)
    d = norms.shape[-1]
    least_dim("simplex+", d, 2)
    shape, k = np.broadcast_shapes(norms.shape[:-1], z.shape[:-2]), z.shape[-1]
    norms = xp.reshape(xp.broadcast_to(norms, (*shape, d)), (-1, d))
    z = xp.reshape(xp.broadcast_to(z, (*shape, d, k)), (-1, d, k))
    sets = norms.shape[0]
    if sets == 1:  # doubled, because libraries add up a single column in another order
        norms, z = xp.concat((norms, norms), axis=0), xp.concat((z, z), axis=0)
    w = xp.stack([norms[:, i] for i in range(d)], axis=0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shrinks, lengths, left = _lengths(w, xp)
        found = _updated(z, w, shrinks, lengths, xp)
    cancelled = ~xp.all(shrinks > 1 - LOPSIDED, axis=0)
    if bool(xp.any(cancelled)):
        (again,) = xp.nonzero(cancelled)
        slow, length = first_sweep_apart(xp.take(z, again, axis=0), xp.take(norms, again, axis=0))
        found = _replaced(found, again, slow, xp)
        left = _replaced(left[:, None, None], again, length[:, None, None], xp)[:, 0, 0]
    return xp.reshape(found[:sets, ...], (*shape, d, k)), xp.reshape(left[:sets], shape)


def _lengths(w: Array, xp: Namespace) -> tuple[Array, Array, Array]:
    """Return c and |r| of every update, (d, ...), and |T| after the last, from the norms alone.

    If |r|^2 vanishes or rounds below zero, c is -inf or NaN there and NaN afterwards; it is NaN throughout if
    squares of the norms leave the range.
    """
    d = w.shape[0]
    squares, twice, share = w * w, 2.0 * w, w / (d - 1)
    total = xp.sum(w, axis=0)
    least, most = _range(w, xp)
    a, b = xp.full_like(total, d / (d - 1)), -total / (d - 1)
    a = xp.where((total > least) & (total < most), a, math.nan * a)
    square = a * xp.sum(squares, axis=0) + b * total
    shrinks, lengths = [], []
    for i in range(d):
        here = w[i, ...]
        excess = a * here
        excess += b
        excess *= twice[i, ...]
        excess = square - excess
        length = xp.sqrt(excess + squares[i, ...])
        left = excess / (length + here)
        c = left / length
        a *= c
        b += share[i, ...]
        b *= c
        square = left * left
        shrinks.append(c)
        lengths.append(length)
    return xp.stack(shrinks, axis=0), xp.stack(lengths, axis=0), xp.sqrt(square)


def _updated(z: Array, w: Array, shrinks: Array, lengths: Array, xp: Namespace) -> Array:
    """Return the products of the columns z, (B, d, k), with the updated directions.

    After an update T lies along the new direction, T = -c |r| s'_i. So |r_i| s'_i = w_i s_i + c |r| s'_{i-1}, with
    c |r| from the previous update: a two-term recurrence, on the same row of many sets at a time.
    """
    sets, d, k = z.shape
    vertex, centre = math.sqrt(d / (d - 1)), (math.sqrt(d) + 1) / (d - 1)  # as in simplex_multiply
    last, resultant = _simplex_sums(z, w, vertex, centre, xp)
    middle, first = (centre / vertex) * last, resultant / lengths[0, :, None]
    own, kept = w / lengths, (shrinks * lengths)[: d - 1, :] / lengths[1:, :]
    own[: d - 1, :] *= vertex
    own, kept = own[..., None], kept[..., None]
    rows = xp.empty(z.shape, dtype=last.dtype)
    height = max(1, _TILE // k)
    for start in range(0, sets, height):
        here = slice(start, min(start + height, sets))
        row = own[0, here, :] * (z[here, 0, :] - middle[here, :])
        row -= first[here, :]
        rows[here, 0, :] = row
        for i in range(1, d):
            row = kept[i - 1, here, :] * row
            row += own[i, here, :] * (z[here, i, :] - middle[here, :] if i < d - 1 else last[here, :])
            rows[here, i, :] = row
    return rows


def _simplex_sums(z: Array, w: Array, vertex: float, centre: float, xp: Namespace) -> tuple[Array, Array]:
    """Return the last row of S z and the sum of its rows with weights w, (B, k)."""
    d = z.shape[1]
    heads = xp.astype(xp.arange(d) < d - 1, w.dtype)
    weighted = xp.permute_dims(w, (1, 0)) * (vertex * heads)
    plain = xp.broadcast_to(heads / math.sqrt(d - 1), weighted.shape)
    sums = xp.matmul(xp.stack((plain, weighted), axis=1), z)
    last = sums[:, 0, :]
    share = w[d - 1, :] - centre * xp.sum(w[: d - 1, :], axis=0)
    return last, sums[:, 1, :] + share[:, None] * last


_TILE = 2**13
"""How many numbers one row of the sets swept together has: few enough for several rows to stay in the cache."""


@dataclass(frozen=True)
class SimplexPlus:
    """The shape S' of SimRFs+, fresh for the norms of every block (Reid et al. 2023, eq. 17).

    For chi norms with d >= 16 one sweep is enough, and costs O(d) for a fixed vector. Sets of norms that
    need more sweeps are computed one direction at a time. ``engine="compiled"`` makes the first sweep in
    compiled code (extra ``fast``, NumPy arrays), equal to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> norms = np.array([[1.0, 2.0, 2.5]])
    >>> rows = SimplexPlus().apply(np.eye(3)[None], norms)
    >>> bool(np.abs((norms[..., None] * rows).sum(1)).max() < 1e-11)
    True
    """

    max_sweeps: int = 100
    tolerance: float = 1e-12
    name: str = "simplex+"
    min_dim: int = 2
    mixes_rows: bool = True
    engine: Literal["array", "compiled"] = "array"

    def __post_init__(self) -> None:
        if self.engine not in ("array", "compiled"):
            raise UnknownName("engine", self.engine, ("array", "compiled"))

    def apply(self, rotated: Array, norms: Array) -> Array:
        xp = array_namespace(rotated, norms)
        require_finite("norms", norms, xp)
        fast = self.engine == "compiled"
        sweep = kernels("kernels_numba", "numba", "fast").first_sweep if fast else first_sweep
        values, left = sweep(rotated, norms)
        # No direction is farther than 2 |T| / w_i from its fixed point.
        done = 2.0 * left <= self.tolerance * xp.min(norms, axis=-1)
        if self.max_sweeps == 1 or bool(xp.all(done)):
            return values
        shape, sets = values.shape, (-1, *values.shape[-2:])
        (again,) = xp.nonzero(xp.reshape(~done, (-1,)))
        chosen = xp.take(xp.reshape(norms, (-1, norms.shape[-1])), again, axis=0)
        found = simplex_plus_directions(chosen, max_sweeps=self.max_sweeps, tolerance=self.tolerance)
        slow = xp.matmul(found.directions, xp.take(xp.reshape(rotated, sets), again, axis=0))
        return xp.reshape(_replaced(xp.reshape(values, sets), again, slow, xp), shape)


def _replaced(rows: Array, index: Array, new: Array, xp: Namespace) -> Array:
    """Return the rows with those at the given indices replaced, without assignment."""
    place = xp.searchsorted(index, xp.arange(rows.shape[0]))
    place = xp.where(place < index.shape[0], place, xp.zeros_like(place))
    hit = xp.take(index, place) == xp.arange(rows.shape[0])
    return xp.where(hit[:, None, None], xp.take(new, place, axis=0), rows)


SIMPLEX_PLUS = SimplexPlus()
