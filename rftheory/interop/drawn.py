"""One stored draw of a mechanism: projections, or counts, that can be applied to any inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rftheory.errors import InvalidInput
from rftheory.sample import DiscreteMechanism, FeatureMap, Mechanism, Stream, namespace, random_features
from rftheory.sample.features import Kernel, Marks, Side, draw_marks
from rftheory.sample.projections import rows_of


@dataclass(frozen=True)
class Drawn:
    """Projections (m, d) of one block, the feature map, and its marks.

    Examples
    --------
    >>> drawn = draw("positive", "orthogonal", d=3, m=6, seed=1)
    >>> drawn.features(np.zeros((2, 3))).shape
    (2, 6)
    """

    projections: np.ndarray
    feature_map: FeatureMap
    marks: Marks

    def features(self, x: np.ndarray, kernel: Kernel = "gaussian", side: Side = "left") -> np.ndarray:
        """Features (n, F) of inputs (n, d); the inner product of two sets is the estimated kernel."""
        phi = self.feature_map
        seen = phi.inputs(x, side)
        projected = (seen @ self.projections.T.astype(seen.dtype)).T
        squares = phi.squares(x.astype(np.float64), side)  # for any type of x: they enter exponents
        found = phi.features(projected[None], squares, kernel, side, self.marks)
        result: np.ndarray = np.asarray(found)[0].T
        return result


@dataclass(frozen=True)
class DrawnCounts:
    """Vectors of counts (m, d) of one block, for monomial features.

    Examples
    --------
    >>> drawn = draw("poisson", "iid", d=3, m=6, seed=1, parameters={"lam": 0.4})
    >>> drawn.features(np.full((2, 3), 0.5)).shape
    (2, 6)
    """

    projections: np.ndarray
    mechanism: DiscreteMechanism

    def features(self, x: np.ndarray, kernel: Kernel = "gaussian", side: Side = "left") -> np.ndarray:
        """Features (n, m) of inputs (n, d), the same for both sides."""
        scale, factor = self.mechanism.terms(
            self.projections[None], x.astype(np.float64), kernel, namespace("numpy")
        )
        result: np.ndarray = np.asarray(np.exp(scale) if factor is None else np.exp(scale) * factor)[0].T
        return result


def features_of_a_projection(features: str, d: int, parameters: Mapping[str, Any] | None = None) -> int:
    """The number of features per projection: two if a map has sines and cosines, or both signs.

    Examples
    --------
    >>> [features_of_a_projection(name, d=3) for name in ("positive", "trigonometric")]
    [1, 2]
    """
    found = _mechanism(features, "iid", d, 1, parameters)
    if isinstance(found, DiscreteMechanism):
        return 1
    row, one = np.ones((1, d)), np.ones((1, 1))  # any row, with any norm and phase
    return Drawn(row, found.feature_map, Marks(one, d, one)).features(np.zeros((1, d))).shape[1]


def _mechanism(
    features: str, law: str, d: int, m: int, parameters: Mapping[str, Any] | None
) -> Mechanism | DiscreteMechanism:
    given = dict(parameters or {})
    if set(given) & {"d", "m", "features", "coupling"}:
        needs = "those of the feature map alone; the dimension is that of the data"
        raise InvalidInput(f"parameters of {features}", needs=needs, got=", ".join(given))
    found = random_features(features, law, m, d=d, **given)
    assert isinstance(found, Mechanism | DiscreteMechanism)
    return found


def draw(
    features: str, law: str, d: int, m: int, seed: int, parameters: Mapping[str, Any] | None = None
) -> Drawn | DrawnCounts:
    """Draw the projections of a mechanism: a feature map with its parameters, and a coupling, by name.

    Parameters
    ----------
    parameters : parameters of the feature map, except for the dimension.

    Raises
    ------
    UnknownName : no feature map or coupling has the name.
    InvalidInput : unknown or missing parameters of the map.

    Examples
    --------
    >>> draw("cosine", "simplex", d=3, m=6, seed=1).marks.phases.shape
    (1, 6)
    >>> draw("oprf", "mirrored", d=3, m=6, seed=1, parameters={"v": 1.2}).feature_map.positive
    True
    """
    found = _mechanism(features, law, d, m, parameters)
    if isinstance(found, DiscreteMechanism):
        stream = Stream.named(f"interop/{found.law.name}/iid", seed=seed)
        return DrawnCounts(np.asarray(found.counts(stream, range(1), d))[0], found)
    phi, stream = (
        found.feature_map,
        Stream.named(f"interop/{found.feature_map.name}/{found.coupling.name}", seed=seed),
    )
    rows = rows_of(found.coupling, stream, range(1), d, m)
    marks = draw_marks(phi, stream, range(1), m, rows.norms, rows.dim, np)
    return Drawn(np.asarray(rows.values)[0], phi, marks)
