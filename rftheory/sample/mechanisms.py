"""Mechanisms: feature map x coupling x number of projections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from rftheory.errors import InvalidInput
from rftheory.sample.arrays import Array, Namespace, array_namespace
from rftheory.sample.checks import block_range, vector, whole
from rftheory.sample.checks import vectors as checked_vectors
from rftheory.sample.couplings import coupling
from rftheory.sample.features import (
    FeatureMap,
    Kernel,
    Marks,
    Terms,
    draw_marks,
    feature_map,
    log_summed,
    summed,
)
from rftheory.sample.projections import Coupling, Via, project_with_norms
from rftheory.sample.stream import Stream


class Features(NamedTuple):
    """Features of two sets of inputs in the log domain.

    left, right : terms of shape (B, F, n_x) and (B, F, n_y).
    """

    left: Terms
    right: Terms


@dataclass(frozen=True)
class Mechanism:
    """A random-feature mechanism: any feature map with any coupling.

    SimRF is positive x simplex, FAVOR+ positive x orthogonal, RFF trigonometric x iid.

    Parameters
    ----------
    feature_map, coupling : objects, or their names in the registries.
    m : number of projections.

    Examples
    --------
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

    def __init__(self, feature_map_: FeatureMap | str, coupling_: Coupling | str, m: int) -> None:
        found = feature_map(feature_map_) if isinstance(feature_map_, str) else feature_map_
        law = coupling(coupling_) if isinstance(coupling_, str) else coupling_
        if not isinstance(found, FeatureMap):
            raise InvalidInput("feature map", needs="a FeatureMap or its name", got=found)
        if not hasattr(law, "onto"):
            raise InvalidInput("coupling", needs="a Coupling or its name", got=law)
        object.__setattr__(self, "feature_map", found)
        object.__setattr__(self, "coupling", law)
        object.__setattr__(self, "m", whole("m", m))

    @property
    def name(self) -> str:
        """Feature map, coupling and number of projections in one word."""
        return f"{self.feature_map.name}-{self.coupling.name}-{self.m}"

    def estimate(
        self,
        stream: Stream,
        blocks: range,
        x: Array,
        y: Array,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> Array:
        """Return one kernel estimate per block, float64 of shape (B,).

        Only what the estimate of this pair depends on is drawn (for a positive map, the
        projections of x + y), so the estimates agree in law with :meth:`gram`, not draw by draw.

        Raises
        ------
        OutsideDomain : an estimate exceeds the float range; use :meth:`log_estimate`.
        """
        terms, xp = self._pair_terms(stream, blocks, x, y, kernel, via)
        return summed(terms, xp)

    def log_estimate(
        self,
        stream: Stream,
        blocks: range,
        x: Array,
        y: Array,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> Array:
        """Return the logarithms of the estimates; needs a positive feature map."""
        self.feature_map._require_positive("log_estimate")
        terms, xp = self._pair_terms(stream, blocks, x, y, kernel, via)
        return log_summed(terms, xp)[1]

    def features(
        self,
        stream: Stream,
        blocks: range,
        x: Array,
        y: Array,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> Features:
        """Return the features of x (n_x, d) and y (n_y, d) from the same projections, log domain."""
        xp = array_namespace(x, y)
        x = checked_vectors("x", x, xp)
        y = checked_vectors("y", y, xp, dim=x.shape[1])
        left, right = self.feature_map.inputs(x, "left"), self.feature_map.inputs(y, "right")
        values, marks = self._projected(stream, blocks, xp.concat((left, right), axis=0), via, xp)
        cut = left.shape[0]
        phi, squares = self.feature_map.components, self.feature_map.squares
        return Features(
            phi(values[..., :cut], squares(x, "left"), kernel, "left", marks),
            phi(values[..., cut:], squares(y, "right"), kernel, "right", marks),
        )

    def gram(
        self,
        stream: Stream,
        blocks: range,
        x: Array,
        y: Array,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> Array:
        """Return the estimated kernel matrices between x (n_x, d) and y (n_y, d), shape (B, n_x, n_y)."""
        left, right = self.features(stream, blocks, x, y, kernel, via)
        xp = array_namespace(left.log_scale)
        (phi, shift_x), (psi, shift_y) = _scaled(left, xp), _scaled(right, xp)
        product = xp.matmul(xp.matrix_transpose(phi), psi)
        return product * xp.exp(xp.matrix_transpose(shift_x) + shift_y)

    def _pair_terms(
        self, stream: Stream, blocks: range, x: Array, y: Array, kernel: Kernel, via: Via
    ) -> tuple[Terms, Namespace]:
        xp = array_namespace(x, y)
        x = vector("x", x, xp)
        y = vector("y", y, xp, dim=x.shape[1])
        if kernel not in ("gaussian", "softmax"):
            raise InvalidInput("kernel", needs="'gaussian' or 'softmax'", got=kernel)
        inputs = self.feature_map.pair_inputs(x, y)
        values, marks = self._projected(stream, blocks, inputs, via, xp)
        squares = self.feature_map.squares
        terms = self.feature_map.pair_terms(values, squares(x, "left"), squares(y, "right"), kernel, marks)
        return terms, xp

    def _projected(
        self, stream: Stream, blocks: range, inputs: Array, via: Via, xp: Namespace
    ) -> tuple[Array, Marks]:
        blocks = block_range(blocks)
        found = project_with_norms(self.coupling, stream, blocks, inputs, self.m, via=via)
        marks = draw_marks(self.feature_map, stream, blocks, self.m, found.norms, found.dim, xp)
        return found.values, marks


def _scaled(terms: Terms, xp: Namespace) -> tuple[Array, Array]:
    """Split terms (B, F, n) into numbers of order one and a logarithm (B, 1, n) for each input."""
    log_scale = terms.log_scale
    if terms.factor is not None:
        log_scale = log_scale + xp.zeros_like(terms.factor)
    shift = xp.max(log_scale, axis=-2, keepdims=True)
    scaled = xp.exp(log_scale - shift)
    return (scaled if terms.factor is None else scaled * terms.factor), shift
