"""Clustered hybrids: k-means centres, diagonal matrices for pairs of centres, and mixtures of their feature maps.

Source: Choromanski et al., *Hybrid random features*, ICLR 2022, Section 2.4 and Appendix H.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rftheory.errors import InvalidInput, need
from rftheory.sample.checks import positive, table, whole
from rftheory.sample.exponential import HYPERBOLIC, ComplexExponential
from rftheory.sample.features import FeatureMap
from rftheory.sample.hybrid import Coefficient, GaussianCoefficient, Hybrid, Indicator
from rftheory.sample.mechanisms import Mechanism, RandomFeatures
from rftheory.sample.projections import Coupling

RESTARTS, SAMPLE, TRIAL = 16, 2**12, 20
"""Number of starts, of points for trying them (at least 64 per cluster), and of steps of a trial."""

_TIE = 1e-12
"""Squared distances with a smaller relative difference count as equal, so that rounding cannot cause cycles."""


def k_means(points: np.ndarray, clusters: int, *, seed: int = 0) -> np.ndarray:
    """Return the centres of ``clusters`` clusters: each point is nearest to the mean of its own cluster.

    Lloyd's algorithm from k-means++ starts, until no point changes its cluster; squared distances within a relative
    1e-12 count as ties. The best of several starts is kept. With many points the starts are tried on a sample, and
    one of them on all points, so that a few distant points are not missed.

    Parameters
    ----------
    points : (n, d), finite; entries below 1e-130 of the largest count as zero.
    clusters : number of centres, at most the number of different points.
    seed : seed of the starts; the same seed gives the same centres.

    Raises
    ------
    InvalidInput : points that are not a table of finite numbers, or fewer distinct points than clusters.

    Source: Hybrid random features, Appendix H.3; Section 4.3 (queries and keys, each on their own). Starts: Arthur
    & Vassilvitskii, *k-means++*, SODA 2007. The steps leave out points that no other centre can have come near
    enough to: Hamerly, *Making k-means even faster*, SDM 2010.

    Examples
    --------
    >>> points = np.array([[0.0, 0.1], [0.0, -0.1], [5.0, 0.2], [5.0, -0.2]])
    >>> centres = k_means(points, 2)
    >>> centres[centres[:, 0].argsort()].tolist()
    [[0.0, 0.0], [5.0, 0.0]]
    """
    data, count = table("points", points), whole("clusters", clusters)
    scale = float(np.abs(data).max()) or 1.0  # squares of huge points overflow, those of tiny ones vanish
    data = data / scale
    data[np.abs(data) < 1e-130] = 0.0
    different = _different(data, count)
    if count > different:
        raise InvalidInput("clusters", needs=f"at most the {different} different points", got=clusters)
    rng = np.random.default_rng(whole("seed", seed, 0))
    few = data[rng.permutation(len(data))[: max(SAMPLE, 64 * count)]]
    if len(few) == len(data) or _different(few, count) < count:
        return _best_of(data, [_settled(data, _start(data, count, rng)) for _ in range(RESTARTS)]) * scale
    chosen = _best_of(few, [_settled(few, _start(few, count, rng), TRIAL) for _ in range(RESTARTS)])
    starts = [_settled(data, start, TRIAL) for start in (chosen, _start(data, count, rng))]
    return _settled(data, _best_of(data, starts)) * scale


def _different(points: np.ndarray, enough: int) -> int:
    """The number of different points, or of those in a part if that is enough."""
    some = len(np.unique(points[: 4 * enough], axis=0))
    return some if some >= enough else len(np.unique(points, axis=0))


def _best_of(points: np.ndarray, found: list[np.ndarray]) -> np.ndarray:
    return min(found, key=lambda centres: _spread(points, centres))


def _squares(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Squares of the distances between the rows of two tables."""
    from scipy.spatial.distance import cdist  # imported here because it takes longer than all samplers

    return cdist(one, other, "sqeuclidean")  # type: ignore[no-any-return]


def _start(points: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Greedy k-means++: points drawn by squared distance to the earlier ones, each the best of a few candidates."""
    centres = [points[rng.integers(len(points))]]
    squares = _squares(centres[0][None], points)[0]
    for _ in range(count - 1):
        drawn = points[rng.choice(len(points), 2 + int(np.log(count)), p=squares / squares.sum())]
        left = np.minimum(squares, _squares(drawn, points))
        best = left.sum(1).argmin()
        centres.append(drawn[best])
        squares = left[best]
    return np.array(centres)


def _settled(points: np.ndarray, centres: np.ndarray, steps: float = np.inf) -> np.ndarray:
    """Lloyd's steps until no point changes its cluster, or at most ``steps`` of them.

    A point keeps its centre if that is nearer than all others by more than the centres have moved since.
    """
    own, lead = np.zeros(len(points), dtype=np.intp), np.full(len(points), -np.inf)
    close = _TIE * np.sqrt(points.shape[1])
    while True:
        (unsure,) = np.nonzero(lead < close)
        own[unsure], lead[unsure] = _nearest(points, unsure, centres, own)
        before, centres = centres, _means(points, own, len(centres), lead)
        moved = np.linalg.norm(centres - before, axis=1)
        steps -= 1
        if steps < 1 or not moved.any():
            return centres
        lead -= np.take(moved, own) + moved.max()


def _nearest(
    points: np.ndarray, chosen: np.ndarray, centres: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest centre of each chosen point (its own in a tie), and by how much it is nearer than the others."""
    found, lead = np.empty(len(chosen), dtype=np.intp), np.empty(len(chosen))
    height = max(1, 2**18 // len(centres))
    for start in range(0, len(chosen), height):
        here = slice(start, start + height)
        squares = _squares(centres, np.take(points, chosen[here], axis=0))
        old, new, at = own[chosen[here]], squares.argmin(0), np.arange(squares.shape[1])
        found[here] = np.where(squares[old, at] <= (1 + _TIE) * squares[new, at], old, new)
        nearest = squares[found[here], at]
        squares[found[here], at] = np.inf
        lead[here] = np.sqrt(squares.min(0)) - np.sqrt(nearest)
    return found, lead


def _means(points: np.ndarray, own: np.ndarray, count: int, lead: np.ndarray) -> np.ndarray:
    """The means of the clusters; an empty cluster gets the point farthest from its own mean."""
    from scipy.sparse import csr_array

    while True:
        sizes = np.bincount(own, minlength=count)
        members = csr_array((np.ones(len(own)), own, np.arange(len(own) + 1)), shape=(len(own), count))
        means = (members.T @ points) / np.maximum(sizes, 1)[:, None]
        if sizes.all():
            return means
        far = ((points - means[own]) ** 2).sum(1).argmax()
        own[far], lead[far] = sizes.argmin(), -np.inf


def _spread(points: np.ndarray, centres: np.ndarray) -> float:
    """Sum of the squared distances to the nearest centre."""
    nearest = np.full(len(points), np.inf)
    for centre in centres:  # one at a time, because all differences together may not fit
        np.minimum(nearest, ((points - centre) ** 2).sum(-1), out=nearest)
    return float(nearest.sum())


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
