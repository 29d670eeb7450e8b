"""Mechanisms: feature map x coupling x number of projections."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rftheory.errors import InvalidInput, need
from rftheory.sample.arrays import A, Array, Namespace, array_namespace
from rftheory.sample.checks import block_range, require_stream, vector, whole
from rftheory.sample.checks import vectors as checked_vectors
from rftheory.sample.couplings import coupling as named_coupling
from rftheory.sample.features import (
    FeatureMap,
    Kernel,
    Marks,
    Terms,
    draw_marks,
    log_summed,
    require_representable,
    summed,
)
from rftheory.sample.maps import feature_map as named_map
from rftheory.sample.projections import Coupling, Via, project_with_norms
from rftheory.sample.stream import Stream


class Features(NamedTuple):
    """Features of two sets of inputs in the log domain.

    left, right : terms of shape (B, F, n_x) and (B, F, n_y).

    Examples
    --------
    >>> import numpy as np
    >>> found = Mechanism("positive", "iid", 6).features(Stream(1), range(5), np.eye(2), np.eye(2)[:1])
    >>> found.left.log_scale.shape, found.right.log_scale.shape
    ((5, 6, 2), (5, 6, 1))
    """

    left: Terms
    right: Terms


class RandomFeatures(ABC):
    """Anything that estimates the kernel, once per block, by an inner product of random features.

    A subclass defines the features of two sets of inputs and, if there is a faster way, the terms of one
    pair; estimates and kernel matrices follow. Subclasses are `Mechanism`, `DiscreteMechanism` and `Hybrid`.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.1, 0.2], [0.0, 0.3]])
    >>> def all_pairs(mechanism: RandomFeatures):
    ...     return mechanism.gram(Stream(1), range(10), x, x).shape
    >>> all_pairs(Mechanism("positive", "simplex", 4))
    (10, 2, 2)
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Its parts, in one word."""

    @abstractmethod
    def features(
        self,
        stream: Stream,
        blocks: range,
        x: Array,
        y: Array,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> Features:
        """Return the features of x (n_x, d) and y (n_y, d) from the same draws, in the log domain."""

    @abstractmethod
    def pair_terms(
        self, stream: Stream, blocks: range, x: Array, y: Array, kernel: Kernel, via: Via
    ) -> Terms:
        """Return the terms (B, F) that sum to the estimates of the pair x, y of shape (d,)."""

    @abstractmethod
    def require_positive(self, x: Array, y: Array) -> None:
        """Raise :class:`OutsideDomain` unless the features of these inputs are positive."""

    def estimate(
        self,
        stream: Stream,
        blocks: range,
        x: A,
        y: A,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> A:
        """Return one kernel estimate per block, float64 of shape (B,).

        Only what this estimate depends on is drawn (for a positive map, the projections of x + y), so the
        estimates agree with :meth:`gram` in law, not draw by draw.

        Raises
        ------
        OutsideDomain : an estimate exceeds the float range; use :meth:`log_estimate`.
        """
        require_stream(stream)
        found = stream.estimates(self, blocks, x, y, kernel) if via == "frame" else None
        if found is not None:
            return found
        terms = self.pair_terms(stream, blocks, x, y, kernel, via)
        return summed(terms, array_namespace(terms.log_scale))

    def log_estimate(
        self,
        stream: Stream,
        blocks: range,
        x: A,
        y: A,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> A:
        """Return the logarithms of the estimates; needs positive features."""
        require_stream(stream)
        first, second, _ = checked_pair(x, y, kernel)
        self.require_positive(first, second)
        terms = self.pair_terms(stream, blocks, x, y, kernel, via)
        return log_summed(terms, array_namespace(terms.log_scale))[1]

    def gram(
        self,
        stream: Stream,
        blocks: range,
        x: A,
        y: A,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> A:
        """Return the estimated kernel matrices between x (n_x, d) and y (n_y, d), shape (B, n_x, n_y)."""
        return inner_products(self.features(stream, blocks, x, y, kernel, via))


@dataclass(frozen=True)
class Mechanism(RandomFeatures):
    """A random-feature mechanism: any feature map with any coupling.

    SimRF is positive x simplex, FAVOR+ positive x orthogonal, RFF trigonometric x iid.

    Parameters
    ----------
    feature_map, coupling : objects, or their names in the registries.
    m : number of projections.
    parameters : parameters of a feature map given by name.

    Examples
    --------
    >>> Mechanism("gerf", "orf", 64, A=-0.1).name
    'gerf-orthogonal-64'
    >>> import numpy as np
    >>> x, y = np.array([0.3, 0.1, 0.0]), np.array([0.1, 0.2, 0.2])
    >>> simrf = Mechanism("positive", "simplex", m=3)
    >>> estimates = simrf.estimate(Stream.named("demo"), range(20000), x, y)
    >>> bool(abs(estimates.mean() - np.exp(-((x - y) ** 2).sum() / 2)) < 0.01)
    True
    """

    feature_map: FeatureMap
    coupling: Coupling
    m: int

    def __init__(
        self, feature_map: FeatureMap | str, coupling: Coupling | str, m: int, **parameters: Any
    ) -> None:
        found = named_map(feature_map, **parameters) if isinstance(feature_map, str) else feature_map
        if parameters and not isinstance(feature_map, str):
            raise InvalidInput("parameters", needs="a feature map given by name", got=", ".join(parameters))
        law = named_coupling(coupling) if isinstance(coupling, str) else coupling
        if not isinstance(found, FeatureMap):
            raise InvalidInput("feature map", needs="a FeatureMap or its name", got=found)
        if not hasattr(law, "onto"):
            raise InvalidInput("coupling", needs="a Coupling or its name", got=law)
        object.__setattr__(self, "feature_map", found)
        object.__setattr__(self, "coupling", law)
        object.__setattr__(self, "m", whole("m", m))

    @property
    def name(self) -> str:
        """Feature map, coupling and number of projections, in one word."""
        return f"{self.feature_map.name}-{self.coupling.name}-{self.m}"

    def features(
        self,
        stream: Stream,
        blocks: range,
        x: Array,
        y: Array,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> Features:
        return joint_features((self,), stream, blocks, x, y, kernel, via)[0]

    def pair_terms(
        self, stream: Stream, blocks: range, x: Array, y: Array, kernel: Kernel, via: Via
    ) -> Terms:
        return joint_pair_terms((self,), stream, blocks, x, y, kernel, via)[0]

    def require_positive(self, x: Array, y: Array) -> None:
        self.feature_map.require_positive("log_estimate")


def joint_features(
    mechanisms: Sequence[Mechanism],
    stream: Stream,
    blocks: range,
    x: Array,
    y: Array,
    kernel: Kernel,
    via: Via,
) -> list[Features]:
    """Return the features of mechanisms with the same projections, which must have the same coupling and m.

    Examples
    --------
    >>> import numpy as np
    >>> both = [Mechanism(name, "iid", 4) for name in ("positive", "trigonometric")]
    >>> found = joint_features(both, Stream(1), range(5), np.eye(2), np.eye(2), "gaussian", "frame")
    >>> found[0].left.log_scale.shape
    (5, 4, 2)
    """
    x, y, xp = checked_sets(x, y, kernel)
    sides = [(phi.inputs(x, "left"), phi.inputs(y, "right")) for phi in (m.feature_map for m in mechanisms)]
    inputs = [side for pair in sides for side in pair]
    found, marks = _projected_jointly(mechanisms, stream, blocks, inputs, via, xp)
    features = []
    for mechanism, own, left, right in zip(mechanisms, marks, found[0::2], found[1::2], strict=True):
        phi = mechanism.feature_map
        features.append(
            Features(
                phi.components(left, phi.squares(x, "left"), kernel, "left", own),
                phi.components(right, phi.squares(y, "right"), kernel, "right", own),
            )
        )
    return features


def joint_pair_terms(
    mechanisms: Sequence[Mechanism],
    stream: Stream,
    blocks: range,
    x: Array,
    y: Array,
    kernel: Kernel,
    via: Via,
) -> list[Terms]:
    """Return the terms, (B, F) each, of mechanisms with the same projections, for one pair x, y of shape (d,).

    Raises
    ------
    InvalidInput : the mechanisms differ in coupling or m.

    Examples
    --------
    >>> import numpy as np
    >>> both = [Mechanism(name, "iid", 4) for name in ("positive", "hyperbolic")]
    >>> found = joint_pair_terms(both, Stream(1), range(5), np.ones(2), np.ones(2), "gaussian", "frame")
    >>> [terms.log_scale.shape for terms in found]
    [(5, 4), (5, 8)]
    """
    x, y, xp = checked_pair(x, y, kernel)
    maps = [mechanism.feature_map for mechanism in mechanisms]
    inputs = [phi.pair_inputs(x, y) for phi in maps]
    found, marks = _projected_jointly(mechanisms, stream, blocks, inputs, via, xp)
    return [
        phi.pair_terms(values, phi.squares(x, "left"), phi.squares(y, "right"), kernel, own)
        for phi, values, own in zip(maps, found, marks, strict=True)
    ]


def _projected_jointly(
    mechanisms: Sequence[Mechanism],
    stream: Stream,
    blocks: range,
    inputs: Sequence[Array],
    via: Via,
    xp: Namespace,
) -> tuple[list[Array], list[Marks]]:
    """Project all inputs with one block, each that several maps take once, and split by mechanism and side."""
    first = mechanisms[0]
    if any((other.coupling, other.m) != (first.coupling, first.m) for other in mechanisms):
        names = [mechanism.name for mechanism in mechanisms]
        raise InvalidInput("shared projections", needs="the same coupling and the same m", got=names)
    blocks = block_range(blocks)
    distinct = {id(one): one for one in inputs}
    together = xp.concat(tuple(distinct.values()), axis=0)
    values, norms, dim = project_with_norms(first.coupling, stream, blocks, together, first.m, via=via)
    parts, start = {}, 0
    for key, one in distinct.items():
        parts[key] = values[..., start : start + one.shape[0]]
        start += one.shape[0]
    maps = (mechanism.feature_map for mechanism in mechanisms)
    marks = [draw_marks(phi, stream, blocks, first.m, norms, dim, xp) for phi in maps]
    return [parts[id(one)] for one in inputs], marks


def inner_products(features: Features) -> Array:
    """Return the inner products of all pairs of left and right inputs, shape (B, n_x, n_y).

    Examples
    --------
    >>> import numpy as np
    >>> mechanism, x = Mechanism("positive", "iid", 6), np.eye(2)
    >>> products = inner_products(mechanism.features(Stream(1), range(5), x, x))
    >>> bool(np.abs(products - mechanism.gram(Stream(1), range(5), x, x)).max() < 1e-12)
    True
    """
    left, right = features
    xp = array_namespace(left.log_scale)
    (phi, shift_x), (psi, shift_y) = _scaled(left, xp), _scaled(right, xp)
    log_size = xp.matrix_transpose(shift_x) + shift_y
    products = xp.matmul(xp.matrix_transpose(phi), psi)
    if float(xp.max(log_size)) <= _PLAIN:
        return products * xp.exp(log_size)
    # The sum of the products may be far from the product of the largest: above it, or below.
    size = xp.abs(products)
    lost = (size < _LEAST) & (log_size > _MOST)  # underflow: what is left may be anything
    logs = xp.log(xp.where(size > 0, size, xp.ones_like(size)))
    logs = xp.where(size > 0, logs, xp.full_like(logs, -math.inf))
    log_size = xp.where(lost, log_size, log_size + logs)
    require_representable(log_size, xp)
    return xp.sign(products) * xp.exp(log_size)


_PLAIN = 600.0
"""Up to this logarithm, sums of products stay in the range of floats."""

_LEAST, _MOST = 1e-300, math.log(float(np.finfo(np.float64).max))
"""Smaller sums of products may have lost terms to underflow; larger logarithms than that are beyond floats."""


def checked_sets(x: Array, y: Array, kernel: str) -> tuple[Array, Array, Namespace]:
    """Return two sets of inputs (n_x, d) and (n_y, d) of one library, checked, in float64.

    Squared norms enter exponents; for float32 inputs of norm 1e3 they would be wrong by 0.1 in float32.

    Examples
    --------
    >>> import numpy as np
    >>> x, y, _ = checked_sets(np.eye(2), np.ones((3, 2)), "gaussian")
    >>> x.shape, y.shape
    ((2, 2), (3, 2))
    """
    xp = array_namespace(x, y)
    need("kernel", kernel, ("gaussian", "softmax"), "'gaussian' or 'softmax'")
    x = checked_vectors("x", x, xp)
    y = checked_vectors("y", y, xp, dim=x.shape[1])
    return xp.astype(x, xp.float64, copy=False), xp.astype(y, xp.float64, copy=False), xp


def checked_pair(x: Array, y: Array, kernel: str) -> tuple[Array, Array, Namespace]:
    """Return a pair of inputs (d,) as two sets of one, checked.

    Examples
    --------
    >>> import numpy as np
    >>> x, y, _ = checked_pair(np.zeros(3), np.ones(3), "softmax")
    >>> x.shape, y.shape
    ((1, 3), (1, 3))
    """
    xp = array_namespace(x, y)
    return checked_sets(vector("x", x, xp), vector("y", y, xp), kernel)


def _scaled(terms: Terms, xp: Namespace) -> tuple[Array, Array]:
    """Split terms (B, F, n) into numbers of order one and one logarithm for each input, (B, 1, n) or (1, n)."""
    log_scale = terms.log_scale
    if log_scale.ndim < 2:
        log_scale = xp.reshape(log_scale, (1, -1))
    shift = xp.max(log_scale, axis=-2, keepdims=True)
    scaled = xp.exp(log_scale - shift)
    return (scaled if terms.factor is None else scaled * terms.factor), shift
