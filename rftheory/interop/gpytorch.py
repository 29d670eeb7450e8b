"""A kernel estimated by random features, for Gaussian processes in gpytorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gpytorch
import torch

from rftheory.interop.torch import RandomFeatures


class RandomFeatureKernel(gpytorch.kernels.Kernel):  # type: ignore[misc]
    """A Gaussian kernel estimated by random features of any mechanism, with a trainable length scale.

    Parameters
    ----------
    dim, number : dimension of the inputs, and number of projections.
    features, coupling, seed, parameters : as for `rftheory.interop.torch.RandomFeatures`.
    """

    has_lengthscale = True

    def __init__(
        self,
        dim: int,
        number: int,
        features: str = "trigonometric",
        coupling: str = "orthogonal",
        *,
        seed: int = 0,
        parameters: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.maps = RandomFeatures(dim, number, features, coupling, seed=seed, parameters=parameters)

    def forward(self, x1: torch.Tensor, x2: torch.Tensor, diag: bool = False, **_: Any) -> torch.Tensor:
        """The kernel matrix (..., n1, n2), or its diagonal (..., n)."""
        left, right = self.maps(x1 / self.lengthscale), self.maps(x2 / self.lengthscale, "right")
        return (left * right).sum(-1) if diag else left @ right.mT
