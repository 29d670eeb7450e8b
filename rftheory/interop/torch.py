"""Projections and attention features as torch modules, differentiable in their inputs."""

from __future__ import annotations

import torch

from rftheory.interop.drawn import draw
from rftheory.sample import feature_map
from rftheory.sample.features import Kernel, Marks, Side


class RandomFeatures(torch.nn.Module):  # type: ignore[misc]
    """Random features of any feature map with any coupling; projections are a buffer and are not trained.

    Parameters
    ----------
    dim, number : dimension d of the inputs, and number m of projections.
    features, coupling : names, as in `rftheory.sample`.
    kernel : gaussian or softmax.
    seed : of the projections; `redraw` takes another one.
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
    ) -> None:
        super().__init__()
        self.dim, self.number, self.coupling = dim, number, coupling
        self.feature_map, self.kernel = feature_map(features), kernel
        self.register_buffer("projections", torch.empty(number, dim, dtype=dtype))
        self.register_buffer(
            "phases", torch.empty(number, dtype=dtype) if self.feature_map.needs_phases else None
        )
        self.redraw(seed)

    def redraw(self, seed: int) -> None:
        """Take other projections."""
        drawn = draw(self.feature_map.name, self.coupling, self.dim, self.number, seed)
        self.projections.copy_(torch.from_numpy(drawn.projections))
        if drawn.phases is not None:
            self.phases.copy_(torch.from_numpy(drawn.phases))

    def forward(self, x: torch.Tensor, side: Side = "left") -> torch.Tensor:
        """Features (..., F) of inputs (..., d); inner products of both sides are the estimated kernel."""
        flat = x.reshape(-1, self.dim)
        marks = Marks(phases=None if self.phases is None else self.phases[None])
        projected = (flat @ self.projections.T.to(flat.dtype)).T[None]
        found = self.feature_map.features(projected, (flat * flat).sum(-1), self.kernel, side, marks)
        return found[0].T.reshape(*x.shape[:-1], -1)


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
    ) -> None:
        super().__init__()
        self.maps = RandomFeatures(head_dim, number, features, coupling, kernel="softmax", seed=seed)

    def forward(self, queries: torch.Tensor, keys: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Features (..., n, F) of queries and keys (..., n, head_dim)."""
        scale = self.maps.dim**-0.25
        return self.maps(queries * scale), self.maps(keys * scale, "right")
