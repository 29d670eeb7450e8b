"""A kernel estimated by random features, for Gaussian processes in gpytorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rftheory.errors import InvalidInput
from rftheory.interop import needs

with needs("gpytorch", "gpytorch"):
    import gpytorch
    import torch
    from linear_operator.operators import LowRankRootLinearOperator, MatmulLinearOperator, RootLinearOperator

    from rftheory.interop.torch import RandomFeatures


class RandomFeatureKernel(gpytorch.kernels.Kernel):  # type: ignore[misc]
    """A Gaussian kernel estimated by random features of any mechanism, with a trainable length scale.

    It takes the place of ``gpytorch.kernels.RFFKernel``, whose arguments it has. Its matrices are kept as products of
    features: with fewer features than points, training and prediction take time linear in the number of points.

    Parameters
    ----------
    num_samples : number of projections.
    num_dims : dimension of the inputs; by default ``ard_num_dims``, else that of the first inputs.
    features, coupling, seed, parameters : as for `rftheory.interop.torch.RandomFeatures`.
    options : of every kernel of gpytorch: ``ard_num_dims`` for a length scale for each dimension, ``active_dims``,
        ``lengthscale_prior``, ...
    """

    has_lengthscale = True

    def __init__(
        self,
        num_samples: int,
        num_dims: int | None = None,
        features: str = "trigonometric",
        coupling: str = "orthogonal",
        *,
        seed: int = 0,
        parameters: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.num_samples = num_samples
        self._mechanism: dict[str, Any] = {
            "features": features,
            "coupling": coupling,
            "seed": seed,
            "parameters": parameters,
        }
        self.maps: RandomFeatures | None = None
        self._alike = True  # both sides of the map; they are not for complex exponentials
        known = num_dims or options.get("ard_num_dims")
        if known is not None:
            self._draw(known, self.raw_lengthscale)

    def _draw(self, dim: int, like: torch.Tensor) -> RandomFeatures:
        """Draw the projections for inputs of that dimension, of the type and on the device of ``like``."""
        found = RandomFeatures(dim, self.num_samples, dtype=like.dtype, **self._mechanism).to(like.device)
        probe = torch.eye(dim, dtype=like.dtype, device=like.device)
        self.maps, self._alike = found, torch.equal(found(probe, "left"), found(probe, "right"))
        return found

    def _features(self, x: torch.Tensor, side: Any) -> torch.Tensor:
        maps = self.maps if self.maps is not None else self._draw(x.shape[-1], x)
        return maps(x / self.lengthscale, side)

    def forward(self, x1: torch.Tensor, x2: torch.Tensor, diag: bool = False, **_: Any) -> Any:
        """The kernel matrix (..., n1, n2) as a product of features, or its diagonal (..., n)."""
        left = self._features(x1, "left")
        same = self._alike and x1.shape == x2.shape and torch.equal(x1, x2)
        right = left if same else self._features(x2, "right")
        if diag:
            return (left * right).sum(-1)
        if not same:
            return MatmulLinearOperator(left, right.mT)
        few = left.shape[-1] < left.shape[-2]
        return LowRankRootLinearOperator(left) if few else RootLinearOperator(left)

    def prediction_strategy(
        self, train_inputs: Any, train_prior_dist: Any, train_labels: Any, likelihood: Any
    ) -> Any:
        """Predict through the feature matrix, as linear kernels of gpytorch do.

        Raises
        ------
        InvalidInput : the map's two sides differ, so that the estimated matrix of a set of points is not symmetric.
        """
        if not self._alike:
            raise InvalidInput("features of a Gaussian process", needs="a map whose two sides are the same",
                               got=self._mechanism["features"])  # fmt: skip
        strategies = gpytorch.models.exact_prediction_strategies
        return strategies.LinearPredictionStrategy(train_inputs, train_prior_dist, train_labels, likelihood)
