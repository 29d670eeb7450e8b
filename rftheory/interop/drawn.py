"""One draw of a mechanism, kept: projections and phases that any inputs can be sent through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rftheory.sample import FeatureMap, Stream, coupling, feature_map
from rftheory.sample.features import Kernel, Marks, Side, draw_marks


@dataclass(frozen=True)
class Drawn:
    """Projections (m, d) of one block, the feature map, and what the map needs besides.

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
        projected = (x @ self.projections.T.astype(x.dtype)).T
        squares = (x.astype(np.float64) ** 2).sum(axis=-1)  # they go into exponents, whatever the type of x
        found = self.feature_map.features(projected[None], squares, kernel, side, self.marks)
        result: np.ndarray = np.asarray(found)[0].T
        return result

    @property
    def phases(self) -> np.ndarray | None:
        """Phases (m,) of a map that has them."""
        return None if self.marks.phases is None else np.asarray(self.marks.phases)[0]


def draw(features: str, law: str, d: int, m: int, seed: int) -> Drawn:
    """Draw the projections of a mechanism: a feature map and a coupling by name.

    Raises
    ------
    UnknownName : no such feature map or coupling.

    Examples
    --------
    >>> draw("cosine", "simplex", d=3, m=6, seed=1).phases.shape
    (6,)
    """
    found, stream = feature_map(features), Stream.named(f"interop/{features}/{law}", seed=seed)
    block = coupling(law).draw(stream, range(1), d, m)
    marks = draw_marks(found, stream, range(1), m, block.norms, d, np)
    return Drawn(np.asarray(block.projections)[0], found, marks)
