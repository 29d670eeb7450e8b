"""The numerically optimised coupling: the directions that minimise the RF-conformity for given norms and v.

This is a benchmark for small d, not a practical mechanism, because it depends on the inputs through v. The
objective is the definition of the mechanism (Reid et al. 2023, eq. 12) in plain floating point; no verdict
depends on its digits, since any directions give a valid coupling.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from rftheory.errors import OutsideDomain
from rftheory.sample.arrays import Array, array_namespace, to_host
from rftheory.sample.checks import positive
from rftheory.sample.shapes import simplex_matrix
from rftheory.sample.simplex_plus import simplex_plus_directions

MAX_DIM = 16
_MAX_EXPONENT = 600.0
_SAME = 1e-8
"""Relative difference between two minima that the tolerance of L-BFGS allows."""


def optimised_directions(norms: np.ndarray, v: float) -> np.ndarray:
    """Return d unit rows that minimise eq. (12) for d norms at v = |x + y|.

    Uses L-BFGS over vectors whose directions are the rows, from the SimRF+ geometry and from the simplex. The
    first start is not enough: if one norm exceeds the sum of the others, all its directions lie on one
    line, which is a saddle. The result depends only on the norms and v.

    Examples
    --------
    >>> optimised_directions(np.array([1.0, 2.0]), v=1.0) @ [[1.0], [0.0]]
    array([[-1.],
           [ 1.]])
    """
    return _optimised(norms, v, to_host(simplex_plus_directions(norms).directions))


def _optimised(norms: np.ndarray, v: float, plus: np.ndarray) -> np.ndarray:
    d = norms.size
    if d > MAX_DIM:
        raise OutsideDomain("optimised coupling", needs=f"d <= {MAX_DIM}", got=d, hint="use simplex+")
    if not 0 < v * norms.sum() < _MAX_EXPONENT:
        raise OutsideDomain(
            "optimised coupling", needs="0 < v * sum(norms) < 600", got=v * float(norms.sum())
        )
    if d == 2:
        return plus
    first, second = (_descent(start, norms, v) for start in (plus, simplex_matrix(d)))
    found = second if second.fun < (1 - _SAME) * first.fun else first
    rows = found.x.reshape(d, d)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _descent(start: np.ndarray, norms: np.ndarray, v: float) -> Any:
    from scipy import optimize

    return optimize.minimize(
        _conformity(norms, v), start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    )


def _conformity(norms: np.ndarray, v: float) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    """Mean of 0F1(; d/2; v^2 w_ij^2 / 4) over pairs i != j and its gradient, as a function of the unscaled rows."""
    d = norms.size
    pairs, off = d * (d - 1), ~np.eye(d, dtype=bool)
    column, own = norms[:, None], norms[:, None] ** 2 + norms[None, :] ** 2

    def at(flat: np.ndarray) -> tuple[float, np.ndarray]:
        rows = flat.reshape(d, d)
        lengths = np.sqrt((rows * rows).sum(1, keepdims=True))
        unit = rows / lengths
        w = column * unit
        z = np.where(off, np.maximum(own + 2 * (w @ w.T), 0.0) * v * v / 4, 0.0)
        value = float(special.hyp0f1(d / 2, z)[off].sum()) / pairs
        slope = np.where(off, special.hyp0f1(d / 2 + 1, z) * v * v / (2 * d), 0.0)
        # Each pair occurs twice and w_ij^2 changes by 2 w_i . dw_j.
        gradient = 4 * column * (slope @ w) / pairs
        tangent = gradient - unit * (unit * gradient).sum(1, keepdims=True)
        return value, (tangent / lengths).ravel()

    return at


@dataclass(frozen=True)
class Optimised:
    """The shape that minimises eq. (12) for the norms of every block at a fixed v = |x + y|.

    Examples
    --------
    >>> import numpy as np
    >>> rows = Optimised(1.0).apply(np.eye(3)[None], np.array([[1.0, 2.0, 2.5]]))
    >>> np.linalg.norm(rows, axis=-1).round(9).tolist()
    [[1.0, 1.0, 1.0]]
    """

    v: float
    name: str = "optimised"
    min_dim: int = 2
    mixes_rows: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "v", positive("v = |x + y|", self.v))

    def apply(self, rotated: Array, norms: Array) -> Array:
        xp = array_namespace(rotated)
        host = to_host(norms)
        sets = host.reshape(-1, host.shape[-1])
        plus = simplex_plus_directions(sets).directions
        rows = np.stack([_optimised(one, self.v, start) for one, start in zip(sets, plus, strict=True)])
        return xp.matmul(xp.asarray(rows.reshape(*host.shape, host.shape[-1])), rotated)
