"""Kernel-weighted averages in one pass over the rows: linear attention, beside exact attention.

They are sum_j K(x, x_j) y_j / sum_j K(x, x_j). If K is estimated by features, phi(x) . psi(x_j), only the sums of
psi(x_j) y_j and of psi(x_j) over j are needed: F (q + 1) numbers, however many rows there are. The matrix of all
weights is never formed. Both sums are kept relative to the largest feature of their row, so that large norms
neither overflow nor underflow.

    exact = softmax_attention(queries, keys, values)
    favor = linear_attention(attention_mechanism("favor++", 256, queries, keys), stream, queries, keys, values)

Sources: Choromanski et al. 2021 (FAVOR+), Likhosherstov et al. 2022 (FAVOR++), Reid et al. 2023 (simplex).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName, need
from rftheory.names import spelled
from rftheory.sample.arrays import A, Array, ByName, Namespace, array_namespace, namespace
from rftheory.sample.checks import block_range, require_stream, whole
from rftheory.sample.checks import vectors as checked_vectors
from rftheory.sample.exponential import oprf
from rftheory.sample.features import FeatureMap, Kernel, Marks, Side, Terms, draw_marks
from rftheory.sample.mechanisms import Features, Mechanism, checked_sets
from rftheory.sample.parameters import averages
from rftheory.sample.projections import Coupling, Projected, multiplied, rows_of
from rftheory.sample.stream import Stream


@dataclass(frozen=True)
class DrawnFeatures(ByName):
    """The features of one block, drawn once, for any number of inputs.

    Parameters
    ----------
    block : index of the block in the stream.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = DrawnFeatures.of(Mechanism("positive", "simplex", 8), Stream(1), d=3)
    >>> drawn(np.zeros((5, 3)), "softmax", "left").log_scale.shape
    (8, 5)
    """

    feature_map: FeatureMap
    projections: Projected
    marks: Marks
    xp: Namespace

    @classmethod
    def of(
        cls, mechanism: Mechanism, stream: Stream, d: int, *, block: int = 0, xp: Namespace = "numpy"
    ) -> DrawnFeatures:
        """Draw the features of a mechanism for inputs of dimension d."""
        if not isinstance(mechanism, Mechanism):
            raise InvalidInput("mechanism", needs="a Mechanism: a feature map with a coupling", got=mechanism)
        require_stream(stream)
        xp, d, block = namespace(xp), whole("d", d), whole("block", block, 0)
        blocks = block_range(range(block, block + 1))
        phi = mechanism.feature_map
        width = int(phi.inputs(xp.zeros((1, d), dtype=xp.float64), "left").shape[1])
        drawn = rows_of(mechanism.coupling, stream, blocks, width, mechanism.m, xp)
        marks = draw_marks(phi, stream, blocks, mechanism.m, drawn.norms, drawn.dim, xp)
        return cls(phi, drawn, marks, xp)

    def __call__(self, inputs: Array, kernel: Kernel, side: Side) -> Terms:
        """Return the features of inputs (n, d), terms of shape (F, n)."""
        phi = self.feature_map
        values = multiplied(self.projections, phi.inputs(inputs, side), self.xp).values
        terms = phi.components(values, phi.squares(inputs, side), kernel, side, self.marks)
        if terms.factor is None:
            return Terms(terms.log_scale[0, ...])
        return Terms((terms.log_scale + self.xp.zeros_like(terms.factor))[0, ...], terms.factor[0, ...])


class _Sums(NamedTuple):
    """sum_j psi(x_j) (y_j, 1) = sums * exp(log_scale), log_scale (F, 1) the largest so far of each feature."""

    sums: Array
    log_scale: Array


def kernel_means(
    features: DrawnFeatures,
    queries: A,
    keys: A,
    values: A,
    kernel: Kernel = "softmax",
    *,
    causal: bool = False,
    tile: int = 1024,
) -> A:
    """Return the means of the values (n_k, q), weighted by the estimated kernel, at the queries, (n_q, q).

    Time O(n F (d + q)), memory O(n (d + q) + F (q + tile)).

    Parameters
    ----------
    queries, keys, values : (n_q, d), (n_k, d), (n_k, q).
    causal : query i sees the keys up to i; needs n_q = n_k. Takes one tile x tile matrix of weights at a time;
        a tile is cut in two if rounding would lose an earlier key beside a later one.
    tile : number of rows processed at once; it affects the result only by rounding.

    Raises
    ------
    OutsideDomain : a sum of weights is not positive, as may happen for features with signs.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 50)[:, None]
    >>> drawn = DrawnFeatures.of(Mechanism("positive", "iid", 4000), Stream(1), d=1)
    >>> bool(abs(kernel_means(drawn, x[25:], x, x**2, "gaussian")[0, 0] - 0.3) < 0.1)
    True
    """
    sums = weighted_sums(features, queries, keys, values, kernel, causal=causal, tile=tile)
    xp, weights = features.xp, sums[:, -1:]
    if not bool(xp.all(weights > 0)):
        raise OutsideDomain(
            "kernel means",
            needs="positive sums of weights",
            got=float(xp.min(weights)),
            hint="use positive features, or more projections",
        )
    return sums[:, :-1] / weights


def weighted_sums(
    features: DrawnFeatures,
    queries: Array,
    keys: Array,
    values: Array,
    kernel: Kernel = "softmax",
    *,
    causal: bool = False,
    tile: int = 1024,
) -> Array:
    """Return sum_j K(x, x_j) (y_j, 1), (n_q, q + 1), each row up to its own positive factor.

    Parameters are those of `kernel_means`, which divides by the last column; here that column may have any sign.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = DrawnFeatures.of(Mechanism("positive", "iid", 8), Stream(1), d=2)
    >>> sums = weighted_sums(drawn, np.eye(2), np.zeros((4, 2)), np.full((4, 1), 3.0))
    >>> sums.shape, (sums[:, 0] / sums[:, 1]).round(12).tolist()
    ((2, 2), [3.0, 3.0])
    """
    need(
        "features", features, DrawnFeatures, "drawn features", hint="DrawnFeatures.of(mechanism, stream, d=d)"
    )
    xp = features.xp
    queries, keys, _ = checked_sets(queries, keys, kernel)
    extended = _with_ones(values, int(keys.shape[0]), xp)
    need("causal", causal, bool, "True or False")
    tile = whole("tile", tile)
    state = _Sums(xp.zeros((1, extended.shape[1]), dtype=xp.float64), xp.full((1, 1), -math.inf))
    if causal:
        _need_as_many(queries, keys)
        return xp.concat(tuple(_causal(features, queries, keys, extended, kernel, tile, state)), axis=0)
    for rows in _tiles(keys.shape[0], tile):
        state = _added(state, features(keys[rows, :], kernel, "right"), extended[rows, :], xp)[0]
    parts = (
        xp.matmul(_relative(features(queries[rows, :], kernel, "left"), state.log_scale, xp), state.sums)
        for rows in _tiles(queries.shape[0], tile)
    )
    return xp.concat(tuple(parts), axis=0)


def _causal(
    features: DrawnFeatures,
    queries: Array,
    keys: Array,
    values: Array,
    kernel: Kernel,
    tile: int,
    state: _Sums,
) -> Iterator[Array]:
    xp = features.xp
    for rows in _tiles(keys.shape[0], tile):
        phi, psi = features(queries[rows, :], kernel, "left"), features(keys[rows, :], kernel, "right")
        todo = [slice(0, rows.stop - rows.start)]
        while todo:
            piece = todo.pop()
            left, right, own = _columns(phi, piece), _columns(psi, piece), values[rows, :][piece, :]
            after, relative = _added(state, right, own, xp)
            if piece.stop - piece.start > 1 and _steep(left, right, state, after, xp):
                middle = (piece.start + piece.stop) // 2
                todo += [slice(middle, piece.stop), slice(piece.start, middle)]
                continue
            scaled = _relative(left, after.log_scale, xp)  # (n, F)
            earlier = state.sums * xp.exp(state.log_scale - after.log_scale)
            weights = xp.tril(xp.matmul(scaled, relative))
            yield xp.matmul(scaled, earlier) + xp.matmul(weights, own)
            state = after


_STEEP = 300.0
"""Logarithm of how far the keys that a query sees may lie below later ones of its tile; float64 allows 708."""


def _steep(phi: Terms, psi: Terms, before: _Sums, after: _Sums, xp: Namespace) -> bool:
    """Whether later keys of a tile are so large that the first queries would lose their own keys in rounding."""
    first = xp.maximum(before.log_scale, psi.log_scale[:, :1])
    seen = xp.max(phi.log_scale + first, axis=0)
    return bool(xp.any(xp.max(phi.log_scale + after.log_scale, axis=0) - seen > _STEEP))


def _columns(terms: Terms, columns: slice) -> Terms:
    factor = None if terms.factor is None else terms.factor[:, columns]
    return Terms(terms.log_scale[:, columns], factor)


def _added(state: _Sums, psi: Terms, values: Array, xp: Namespace) -> tuple[_Sums, Array]:
    """Return the state with these keys, and their features (F, n) relative to its scale."""
    scale = xp.maximum(state.log_scale, xp.max(psi.log_scale, axis=-1, keepdims=True))
    relative = _at_scale(psi, scale, xp)
    sums = state.sums * xp.exp(state.log_scale - scale) + xp.matmul(relative, values)
    return _Sums(sums, scale), relative


def _at_scale(terms: Terms, log_scale: Array, xp: Namespace) -> Array:
    """Return the terms, divided by exp(log_scale)."""
    values = xp.exp(terms.log_scale - log_scale)
    return values if terms.factor is None else values * terms.factor


def _relative(phi: Terms, log_scale: Array, xp: Namespace) -> Array:
    """Return the features of the queries times the scale of the sums, each row divided by its largest, (..., n, F)."""
    scaled = Terms(phi.log_scale + log_scale, phi.factor)
    return xp.matrix_transpose(_at_scale(scaled, xp.max(scaled.log_scale, axis=-2, keepdims=True), xp))


def weights(features: Features) -> Array:
    """Return the estimated kernel of all pairs, (B, n_q, n_k), each row up to its own positive factor.

    Large norms do not overflow, as they may in `Mechanism.gram`; sums of weights over keys may have any sign.

    Examples
    --------
    >>> import numpy as np
    >>> found = weights(Mechanism("positive", "iid", 8).features(Stream(1), range(5), np.eye(3), 99 * np.eye(3)))
    >>> found.shape, bool(np.isfinite(found).all())
    ((5, 3, 3), True)
    """
    xp = array_namespace(features.left.log_scale, features.right.log_scale)
    one = xp.ones((1, 1), dtype=xp.float64)  # waves have one scale for all features of an input
    left, right = (Terms(one * terms.log_scale, terms.factor) for terms in features)
    scale = xp.max(right.log_scale, axis=-1, keepdims=True)
    return xp.matmul(_relative(left, scale, xp), _at_scale(right, scale, xp))


def _need_as_many(queries: Array, keys: Array) -> None:
    if queries.shape[0] != keys.shape[0]:
        got = (int(queries.shape[0]), int(keys.shape[0]))
        raise InvalidInput("causal weights", needs="as many queries as keys", got=got)


def _tiles(n: int, tile: int) -> list[slice]:
    return [slice(start, min(start + tile, n)) for start in range(0, n, tile)]


def _with_ones(values: Array, n: int, xp: Namespace) -> Array:
    values = xp.astype(checked_vectors("values", values, xp), xp.float64)
    if values.shape[0] != n:
        raise InvalidInput("values", needs=f"one row for each of the {n} keys", got=int(values.shape[0]))
    return xp.concat((values, xp.ones((n, 1), dtype=xp.float64)), axis=1)


# ---- attention


def attention_mechanism(
    name: str,
    m: int,
    queries: Array,
    keys: Array,
    *,
    coupling: Coupling | str | None = None,
    **parameters: Any,
) -> Mechanism:
    """Return the mechanism of a form of attention by name.

    Parameters
    ----------
    name : ``"favor+"`` (positive features, orthogonal blocks), ``"favor++"`` (optimal positive features for the
        average |q + k|^2 of these inputs, orthogonal blocks), ``"simplex"`` and ``"simplex++"`` (the same with
        simplex blocks), ``"fourier"`` (trigonometric features, orthogonal blocks), or any feature map.
    m : number of projections.
    queries, keys : as they enter the exponential, scale included; only optimal positive features use them.
    coupling : replaces the one above; for a feature map, orthogonal blocks by default.
    parameters : of the feature map.

    Examples
    --------
    >>> import numpy as np
    >>> attention_mechanism("favor++", 64, np.ones((5, 4)), np.ones((5, 4))).name
    'oprf-orthogonal-64'
    >>> attention_mechanism("gerf", 64, np.ones((5, 4)), np.ones((5, 4)), coupling="mirrored", A=-0.1).name
    'gerf-mirrored-64'
    """
    if not isinstance(name, str):
        raise UnknownName("attention", str(name), ATTENTIONS)
    feature, law = _RECIPES.get(spelled(name), (name, "orthogonal"))
    if coupling is not None:
        law = coupling
    if feature == "oprf" and not parameters:
        return Mechanism(oprf(averages(queries, keys).square_sum, int(queries.shape[1])), law, m)
    try:
        return Mechanism(feature, law, m, **parameters)
    except UnknownName as problem:
        if problem.kind == "coupling":
            raise
        raise UnknownName("attention", name, ATTENTIONS) from None


_RECIPES: dict[str, tuple[str, Coupling | str]] = {"favor+": ("positive", "orthogonal"),
    "favor++": ("oprf", "orthogonal"), "simplex": ("positive", "simplex"), "simplex++": ("oprf", "simplex"),
    "fourier": ("trigonometric", "orthogonal")}  # fmt: skip
ATTENTIONS = tuple(_RECIPES)


def linear_attention(
    mechanism: Mechanism,
    stream: Stream,
    queries: A,
    keys: A,
    values: A,
    *,
    block: int = 0,
    causal: bool = False,
    tile: int = 1024,
) -> A:
    """Return attention with weights exp(q . k) estimated by one block of features, (n_q, q).

    The caller applies the usual factor d^(-1/4) to queries and keys. Time and memory grow linearly with the number
    of rows; see `kernel_means`.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, v = np.random.default_rng(1).standard_normal((3, 40, 8)) / 2
    >>> favor = attention_mechanism("favor++", 4096, q, k)
    >>> error = linear_attention(favor, Stream(1), q, k, v) - softmax_attention(q, k, v)
    >>> bool(np.abs(error).max() < 0.1)
    True
    """
    xp = array_namespace(queries, keys, values)
    d = checked_sets(queries, keys, "softmax")[0].shape[1]
    drawn = DrawnFeatures.of(mechanism, stream, d, block=block, xp=xp)
    return kernel_means(drawn, queries, keys, values, "softmax", causal=causal, tile=tile)


def softmax_attention(queries: A, keys: A, values: A, *, causal: bool = False, tile: int = 256) -> A:
    """Return exact attention with weights exp(q . k), (n_q, q), in tiles of rows; O(n_q n_k) time.

    Examples
    --------
    >>> import numpy as np
    >>> softmax_attention(np.zeros((1, 2)), np.ones((4, 2)), np.arange(4.0)[:, None]).tolist()
    [[1.5]]
    """
    xp = array_namespace(queries, keys, values)
    queries, keys, _ = checked_sets(queries, keys, "softmax")
    extended = _with_ones(values, int(keys.shape[0]), xp)
    need("causal", causal, bool, "True or False")
    if causal:
        _need_as_many(queries, keys)
    parts = []
    for rows in _tiles(queries.shape[0], whole("tile", tile)):
        log_weights = xp.matmul(queries[rows, :], xp.matrix_transpose(keys))
        if causal:
            seen = xp.arange(keys.shape[0])[None, :] <= xp.arange(rows.start, rows.stop)[:, None]
            log_weights = xp.where(seen, log_weights, xp.full_like(log_weights, -math.inf))
        weights = xp.exp(log_weights - xp.max(log_weights, axis=1, keepdims=True))
        sums = xp.matmul(weights, extended)
        parts.append(sums[:, :-1] / sums[:, -1:])
    return xp.concat(tuple(parts), axis=0)
