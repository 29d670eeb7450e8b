"""Projections and attention features as torch modules, differentiable in their inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rftheory.errors import InvalidInput
from rftheory.interop import needs
from rftheory.interop.drawn import Drawn, draw
from rftheory.sample.features import Kernel, Marks, Side

with needs("torch", "torch"):
    import torch


class RandomFeatures(torch.nn.Module):  # type: ignore[misc]
    """Random features of any feature map with any coupling; the projections are a buffer and are not trained.

    Parameters
    ----------
    dim, number : dimension d of the inputs, and number m of projections.
    features, coupling : names, as in `rftheory.sample`; only feature maps of projections, not of counts.
    kernel : gaussian or softmax.
    seed : seed of the projections; `redraw` takes a new one.
    parameters : parameters of the feature map, such as ``{"A": -0.1}`` for gerf, ``{"v": 1.2}`` for oprf.
    """

    def __init__(
        self,
        dim: int,
        number: int,
        features: str = "positive",
        coupling: str = "orthogonal",
        *,
        kernel: Kernel = "gaussian",
        seed: int = 0,
        dtype: torch.dtype | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.dim, self.number, self.coupling = dim, number, coupling
        self.features, self.parameters_of_map, self.kernel = features, dict(parameters or {}), kernel
        first = self._draw(seed)
        self.feature_map, self._dim_of_norms = first.feature_map, first.marks.dim
        self.register_buffer("projections", torch.empty(number, dim, dtype=dtype))
        for name, needed in (
            ("phases", self.feature_map.needs_phases),
            ("norms", self.feature_map.needs_norms),
        ):
            self.register_buffer(name, torch.empty(number, dtype=dtype) if needed else None)
        self.redraw(seed)

    def _draw(self, seed: int) -> Drawn:
        found = draw(self.features, self.coupling, self.dim, self.number, seed, self.parameters_of_map)
        if not isinstance(found, Drawn):
            raise InvalidInput("features", needs="a feature map of projections", got=self.features)
        return found

    def redraw(self, seed: int) -> None:
        """Draw new projections."""
        drawn = self._draw(seed)
        self.projections.copy_(torch.from_numpy(drawn.projections))
        for name in ("phases", "norms"):
            if (mark := getattr(drawn.marks, name)) is not None:
                getattr(self, name).copy_(torch.from_numpy(np.asarray(mark)[0]))

    def forward(self, x: torch.Tensor, side: Side = "left") -> torch.Tensor:
        """Features (..., F) of inputs (..., d), of their type; inner products of both sides estimate the kernel."""
        flat = x.reshape(-1, self.dim)
        phases, norms = (None if mark is None else mark[None] for mark in (self.phases, self.norms))
        seen = self.feature_map.inputs(flat, side)
        projected = (seen @ self.projections.T.to(seen.dtype)).T[None]
        squares = self.feature_map.squares(flat, side)
        marks = Marks(norms, self._dim_of_norms, phases)
        found = self.feature_map.features(projected, squares, self.kernel, side, marks)
        return found[0].T.reshape(*x.shape[:-1], -1).to(x.dtype)


class AttentionFeatures(torch.nn.Module):  # type: ignore[misc]
    """Features of queries and keys whose inner products estimate exp(q.k / sqrt(head_dim))."""

    def __init__(
        self,
        head_dim: int,
        number: int,
        features: str = "positive",
        coupling: str = "orthogonal",
        *,
        seed: int = 0,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.maps = RandomFeatures(
            head_dim, number, features, coupling, kernel="softmax", seed=seed, parameters=parameters
        )

    def forward(self, queries: torch.Tensor, keys: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Features (..., n, F) of queries and keys (..., n, head_dim)."""
        scale = self.maps.dim**-0.25
        return self.maps(queries * scale), self.maps(keys * scale, "right")
