"""Shapes of a block: the fixed or norm-dependent matrix S in W = D S R.

A shape places unit vectors relative to each other; the rotation R then makes each of them
isotropic. It is applied along the row axis, by a formula if that is faster than a stored matrix.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from rftheory.sample.arrays import Array, Namespace, array_namespace, namespace
from rftheory.sample.checks import least_dim


class Shape(Protocol):
    """The matrix S of a block.

    Examples
    --------
    >>> IDENTITY.mixes_rows, SIMPLEX.mixes_rows, SIMPLEX.min_dim
    (False, True, 2)
    """

    @property
    def name(self) -> str:
        """One word."""

    @property
    def min_dim(self) -> int:
        """The least dimension in which the shape exists."""

    @property
    def mixes_rows(self) -> bool:
        """Whether a row of S R depends on more than the same row of R."""

    def apply(self, rotated: Array, norms: Array) -> Array:
        """Return S r along the last axis but one.

        ``rotated`` has shape (B, copies, D, n), ``norms`` (B, copies, D); shapes that do not
        depend on the norms ignore them.
        """


@dataclass(frozen=True)
class Identity:
    """S = I: mutually orthogonal directions.

    Examples
    --------
    >>> import numpy as np
    >>> Identity().apply(np.eye(2), np.ones(2))
    array([[1., 0.],
           [0., 1.]])
    """

    name: str = "identity"
    min_dim: int = 1
    mixes_rows: bool = False

    def apply(self, rotated: Array, norms: Array) -> Array:
        return rotated


@dataclass(frozen=True)
class Simplex:
    """S of Reid et al. 2023, eq. (9): the d vertices of a regular simplex, inner products -1/(d-1).

    Examples
    --------
    >>> import numpy as np
    >>> rows = Simplex().apply(np.eye(4), np.ones(4))
    >>> (rows @ rows.T).round(12)[0].tolist()
    [1.0, -0.333333333333, -0.333333333333, -0.333333333333]
    """

    name: str = "simplex"
    min_dim: int = 2
    mixes_rows: bool = True

    def apply(self, rotated: Array, norms: Array) -> Array:
        return simplex_multiply(rotated)


def simplex_multiply(x: Array) -> Array:
    """Return S x in O(d) operations, along the last axis but one.

    Parameters
    ----------
    x : shape (..., d, n), d >= 2.

    Source: Reid et al., *Simplex random features*, ICML 2023, eq. (9) and Algorithm 1, read with
    (sqrt(d) + 1)/(d - 1), the only reading for which the rows of S have unit norm.

    Examples
    --------
    >>> import numpy as np
    >>> s = simplex_multiply(np.eye(3))
    >>> (s @ s.T).round(12) + 0.0
    array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    """
    xp = array_namespace(x)
    d = x.shape[-2]
    least_dim("simplex", d, 2)
    head = x[..., : d - 1, :]
    last = xp.sum(head, axis=-2, keepdims=True) / math.sqrt(d - 1)
    out = xp.empty_like(x)
    out[..., : d - 1, :] = math.sqrt(d / (d - 1)) * head
    out[..., : d - 1, :] -= ((math.sqrt(d) + 1) / (d - 1)) * last
    out[..., d - 1 :, :] = last
    return out


def simplex_rows(x: Array) -> None:
    """Replace x by S x along the last axis, in place and without a copy of x.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[3.0, 4.0, 5.0]])
    >>> expected = simplex_multiply(x[..., None])[..., 0]
    >>> simplex_rows(x)
    >>> bool(np.abs(x - expected).max() < 1e-15)
    True
    """
    xp = array_namespace(x)
    d = x.shape[-1]
    least_dim("simplex", d, 2)
    heads = xp.astype(xp.arange(d) < d - 1, x.dtype) / math.sqrt(d - 1)
    last = xp.vecdot(x, heads, axis=-1)[..., None]
    x *= math.sqrt(d / (d - 1))
    x -= ((math.sqrt(d) + 1) / (d - 1)) * last
    x[..., d - 1 :] = last


def simplex_matrix(d: int, xp: Namespace = "numpy") -> Array:
    """Return S of eq. (9) as a (d, d) matrix; its last column is zero.

    Examples
    --------
    >>> simplex_matrix(2) + 0.0
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    least_dim("simplex", d, 2)
    return simplex_multiply(namespace(xp).eye(d))


IDENTITY = Identity()
SIMPLEX = Simplex()
