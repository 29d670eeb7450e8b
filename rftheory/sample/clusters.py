"""Clustered hybrids: diagonal matrices for pairs of centres, and mixtures of their feature maps.

Source: Choromanski et al., *Hybrid random features*, ICLR 2022, Section 2.4 and Appendix H.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rftheory.errors import InvalidInput, need
from rftheory.sample.checks import positive, table
from rftheory.sample.exponential import HYPERBOLIC, ComplexExponential
from rftheory.sample.features import FeatureMap
from rftheory.sample.hybrid import Coefficient, GaussianCoefficient, Hybrid, Indicator
from rftheory.sample.mechanisms import Mechanism, RandomFeatures
from rftheory.sample.projections import Coupling

_LARGE, _SMALL = 1e3, 1e-3
"""The "large positive" and "small positive" diagonal entries, for which the paper gives no values."""


def centre_matrix(centre_x: np.ndarray, centre_y: np.ndarray, *, real: bool = False) -> np.ndarray:
    """Return the diagonal matrix A for a pair of centres.

    Complex: a_k = i sqrt(y_k / x_k) for entries of equal sign and sqrt(-y_k / x_k) for
    opposite signs, so that A x + A^-1 y = 0 and the estimate at the centres has no variance
    (eqs 86, 87). Real: a_k = sqrt(|y_k / x_k|), which minimises |A x + A^-1 y| (eq. 88). Entries equal to 0
    follow the rules of Appendix H.2.

    Examples
    --------
    >>> centre_matrix(np.array([1.0, 1.0]), np.array([4.0, -4.0])).diagonal()
    array([0.+2.j, 2.+0.j])
    """
    x, y = np.asarray(centre_x, dtype=float), np.asarray(centre_y, dtype=float)
    if x.ndim != 1 or x.shape != y.shape or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InvalidInput("centres", needs="two finite vectors of one dimension", got=(x.shape, y.shape))
    need("real", real, bool, "True or False")
    ratio = np.divide(y, x, out=np.zeros_like(x), where=x != 0)
    entries = np.sqrt(np.abs(ratio)).astype(complex)
    if not real:
        entries = np.where(ratio > 0, 1j * entries, entries)
    both, only_x, only_y = (x == 0) & (y == 0), (x == 0) & (y != 0), (x != 0) & (y == 0)
    entries = np.where(both, 1.0 if real else 1 + 1j, entries)
    entries = np.where(only_x, _LARGE, entries)
    entries = np.where(only_y, _SMALL if real else _SMALL * (1 + 1j), entries)
    return np.diag(entries.real if real else entries)


def zero_one_mixture(
    centres_x: np.ndarray,
    centres_y: np.ndarray,
    m: int,
    *,
    real: bool = True,
    pairs: Sequence[tuple[int, int]] | None = None,
    default: RandomFeatures | None = None,
    coupling: Coupling | str = "iid",
) -> Hybrid:
    """Return the hybrid that uses, for each pair of clusters, the map made for their centres.

    Parameters
    ----------
    centres_x, centres_y : (n_q, d) and (n_k, d).
    pairs : the pairs (i, j) of clusters with a map of their own; all by default. ``default``, or the positive
        map if it is not given, estimates the other pairs.

    Source: Hybrid random features, Definition H.2 and the last paragraph of Section 2.4.

    Examples
    --------
    >>> from rftheory.sample import Stream
    >>> centres = np.array([[0.5, 0.5], [1.0, 1.0]])
    >>> hybrid = zero_one_mixture(centres, centres, 8)
    >>> hybrid.estimate(Stream(1), range(5), centres[0], centres[1]).shape
    (5,)
    """
    first, second = table("centres_x", centres_x), table("centres_y", centres_y)
    every = [(i, j) for i in range(len(first)) for j in range(len(second))]
    if not (pairs is None or (isinstance(pairs, Sequence) and all(isinstance(p, tuple) for p in pairs))):
        raise InvalidInput("pairs of clusters", needs="distinct pairs (i, j) of centres", got=pairs)
    chosen = every if pairs is None else list(pairs)
    if not chosen or len(set(chosen)) != len(chosen) or not set(chosen) <= set(every):
        raise InvalidInput("pairs of clusters", needs="distinct pairs (i, j) of centres", got=chosen)
    bases: list[RandomFeatures] = [
        Mechanism(ComplexExponential(centre_matrix(first[i], second[j], real=real)), coupling, m)
        for i, j in chosen
    ]
    weights = [Indicator(first, second, i, j) for i, j in chosen]
    if len(chosen) == len(every):
        return Hybrid(tuple(bases), tuple(weights[:-1]))
    rest = Mechanism(HYPERBOLIC, coupling, m) if default is None else default
    return Hybrid((*bases, rest), tuple(weights))


def gaussian_mixture(
    centres_x: np.ndarray,
    centres_y: np.ndarray,
    m: int,
    *,
    tau: float,
    real: bool = False,
    n: int | None = None,
    lambda_map: FeatureMap = HYPERBOLIC,
    default: RandomFeatures | None = None,
    coupling: Coupling | str = "iid",
) -> Hybrid:
    """Return the hybrid whose weights are Gaussians around the pairs of centres.

    lambda_ij = exp(-|A x + A^-1 y|^2 / (2 tau^2)), read with the norm of the complex vector, is largest at the
    centres. It is estimated with ``n`` projections of its own (m by default); one default base takes the
    remaining weight.

    Parameters
    ----------
    centres_x, centres_y : (n_q, d) and (n_k, d).
    m : number of projections of every base.
    tau : width of the Gaussians, a positive number.
    real : whether the diagonal matrices of the centres are real, see `centre_matrix`.
    n, lambda_map : number of projections and feature map of the weights.
    default : the base with the remaining weight; the hyperbolic map if none is given.

    Raises
    ------
    InvalidInput : tau is not positive, or the centres are not finite vectors of one dimension.

    Source: Hybrid random features, Definition H.1, eqs (93)-(100).

    Examples
    --------
    >>> from rftheory.sample import Stream
    >>> centres = np.array([[0.5, 0.5], [1.0, -1.0]])
    >>> hybrid = gaussian_mixture(centres, centres[:1], 8, tau=0.5)
    >>> len(hybrid.bases), hybrid.estimate(Stream(1), range(5), centres[0], centres[0]).shape
    (3, (5,))
    """
    tau = positive("tau", tau)
    first, second = table("centres_x", centres_x), table("centres_y", centres_y)
    estimator = Mechanism(lambda_map, coupling, m if n is None else n)
    bases: list[RandomFeatures] = []
    weights: list[Coefficient] = []
    for i in range(len(first)):
        for j in range(len(second)):
            matrix = centre_matrix(first[i], second[j], real=real)
            bases.append(Mechanism(ComplexExponential(matrix), coupling, m))
            left, right = (_real_and_imaginary(part) / tau for part in (matrix, np.linalg.inv(matrix)))
            weights.append(GaussianCoefficient(left, right, estimator))
    bases.append(Mechanism(HYPERBOLIC, coupling, m) if default is None else default)
    return Hybrid(tuple(bases), tuple(weights))


def _real_and_imaginary(matrix: np.ndarray) -> np.ndarray:
    """The real matrix (2 d, d) with |stack x| = |M x| for complex M; M itself if it is real."""
    return np.concatenate((matrix.real, matrix.imag)) if np.iscomplexobj(matrix) else matrix
