"""SimRFs+: directions that depend on the norms, each pointing away from the resultant of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from rftheory.sample.arrays import Array, Namespace, array_namespace
from rftheory.sample.checks import least_dim, require_finite, whole
from rftheory.sample.shapes import simplex_matrix


class Geometry(NamedTuple):
    """Directions and how far the iteration got.

    directions : (..., d, d), unit rows.
    sweeps : (...,), passes through the set of vectors that were made.
    residual : (...,), the largest distance |s_i + r_i / |r_i|| of a direction from the fixed
        point of eq. (16), r_i the resultant of the other vectors.
    resultant : (...,), length of the sum of all w_i s_i over the sum of the norms.
    """

    directions: Array
    sweeps: Array
    residual: Array
    resultant: Array


def simplex_plus_directions(norms: Array, *, max_sweeps: int = 100, tolerance: float = 1e-12) -> Geometry:
    """Return the fixed point of eq. (17) for given norms, started at the simplex.

    Sequential sweeps: each update uses the vectors already updated. The running resultant T
    makes an update O(d): r = T - w_i s_i, s_i <- -r / |r|, T <- r (1 - w_i / |r|). A set of norms
    stops for itself, when its residual is at most the tolerance, so that results do not depend on
    which sets are computed together. Of chi norms, d >= 16 takes one sweep and d = 6 at most 8 in two
    thousand sets; at d = 3 one set in ten has norms close to the border where the largest equals the
    sum of the others, where convergence is slow. What is returned after ``max_sweeps`` is a valid set
    of directions in any case, and the residual tells how far it is from the fixed point.

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
    require_finite("norms", norms, xp)
    d = norms.shape[-1]
    least_dim("simplex+", d, 2)
    shape, sets = norms.shape[:-1], xp.reshape(xp.astype(norms, xp.float64), (-1, d))
    index = xp.arange(sets.shape[0])
    directions = xp.zeros((*sets.shape, 1), dtype=xp.float64) + simplex_matrix(d, xp)
    finished: list[tuple[Array, ...]] = []
    for sweep in range(max_sweeps + 1):
        residual = _residual(directions, sets, xp)
        going = residual > tolerance if sweep < max_sweeps else residual < 0
        (stop,), (keep,) = xp.nonzero(~going), xp.nonzero(going)
        taken = (xp.take(part, stop, axis=0) for part in (index, directions, residual))
        finished.append((*taken, xp.full(stop.shape, sweep, dtype=xp.int64)))
        if keep.shape[0] == 0:
            break
        index, directions, sets = (xp.take(part, keep, axis=0) for part in (index, directions, sets))
        directions = _sweep(directions, sets, xp)
    return _in_order(finished, norms, shape, xp)


def _in_order(
    finished: list[tuple[Array, ...]], norms: Array, shape: tuple[int, ...], xp: Namespace
) -> Geometry:
    """Put the sets of norms, collected as they stopped, back into their order."""
    index, *columns = (xp.concat(parts, axis=0) for parts in zip(*finished, strict=True))
    order = xp.argsort(index)
    sorted_columns = (xp.take(column, order, axis=0) for column in columns)
    directions, residual, sweeps = (xp.reshape(c, (*shape, *c.shape[1:])) for c in sorted_columns)
    total = xp.linalg.vector_norm(_resultant(directions, norms, xp), axis=-1)
    return Geometry(directions, sweeps, residual, total / xp.sum(norms, axis=-1))


def _resultant(directions: Array, norms: Array, xp: Namespace) -> Array:
    return xp.sum(norms[..., None] * directions, axis=-2)


def _sweep(directions: Array, norms: Array, xp: Namespace) -> Array:
    resultant, rows = _resultant(directions, norms, xp), []
    for i in range(norms.shape[-1]):
        old, w = directions[..., i, :], norms[..., i, None]
        others = resultant - w * old
        length = xp.linalg.vector_norm(others, axis=-1, keepdims=True)
        # Where the others cancel, any direction is a minimum: keep the old one.
        away = xp.where(length > 0, -others / xp.where(length > 0, length, 1.0 + 0.0 * length), old)
        resultant = others + w * away
        rows.append(away)
    return xp.stack(rows, axis=-2)


def _residual(directions: Array, norms: Array, xp: Namespace) -> Array:
    others = _resultant(directions, norms, xp)[..., None, :] - norms[..., None] * directions
    length = xp.linalg.vector_norm(others, axis=-1, keepdims=True)
    away = xp.where(length > 0, -others / xp.where(length > 0, length, 1.0 + 0.0 * length), directions)
    return xp.max(xp.linalg.vector_norm(directions - away, axis=-1), axis=-1)


@dataclass(frozen=True)
class SimplexPlus:
    """The shape S' of SimRFs+, fresh for the norms of every block (Reid et al. 2023, eq. 17)."""

    max_sweeps: int = 100
    tolerance: float = 1e-12
    name: str = "simplex+"
    min_dim: int = 2
    mixes_rows: bool = True

    def apply(self, rotated: Array, norms: Array) -> Array:
        found = simplex_plus_directions(norms, max_sweeps=self.max_sweeps, tolerance=self.tolerance)
        return array_namespace(rotated).matmul(found.directions, rotated)


SIMPLEX_PLUS = SimplexPlus()
