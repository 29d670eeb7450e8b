"""The torch modules and the gpytorch kernel, where these libraries are installed: they are no dependency."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rftheory.sample import FEATURE_MAPS

torch = pytest.importorskip("torch", reason="torch is an optional third party")


@pytest.mark.filterwarnings("ignore:torch.asarray")  # of the array-API layer, about its own default
@pytest.mark.parametrize(
    ("features", "parameters"),
    [(name, None) for name in FEATURE_MAPS]
    + [
        ("gerf", {"A": 0.02 + 0.03j}),
        ("oprf", {"v": 0.7}),
        ("complex-exponential", {"matrix": np.diag([1.0, 1.2, 0.8, 1])}),
        ("anisotropic", {"A": (-0.1, 0.0, 0.05, -0.2)}),
    ],
)
def test_a_module_has_the_features_of_the_sampler(features: str, parameters: Any) -> None:
    from rftheory.interop.drawn import draw
    from rftheory.interop.torch import RandomFeatures

    module = RandomFeatures(4, 8, features, "orthogonal", seed=3, dtype=torch.float64, parameters=parameters)
    x = torch.linspace(-0.5, 0.5, 24, dtype=torch.float64).reshape(2, 3, 4).requires_grad_()
    found = module(x)
    expected = draw(features, "orthogonal", 4, 8, 3, parameters).features(x.detach().numpy().reshape(6, 4))
    assert found.shape == (2, 3, expected.shape[1])
    assert np.allclose(found.detach().numpy().reshape(6, -1), expected, rtol=1e-12)
    found.sum().backward()
    assert torch.isfinite(x.grad).all()
    assert module.float()(x.float()).dtype == torch.float32
    module.double().redraw(4)
    assert not np.allclose(module(x).detach().numpy().reshape(6, -1), expected)


def test_attention_features_estimate_the_softmax_kernel() -> None:
    from rftheory.interop.torch import AttentionFeatures

    queries, keys = torch.full((1, 2, 4), 0.4), torch.full((1, 3, 4), -0.3)
    left, right = AttentionFeatures(4, 4096, seed=1)(queries, keys)
    exact = math.exp(-4 * 0.12 / 2)
    assert float((left @ right.mT).mean()) == pytest.approx(exact, rel=0.1)
    assert abs(exact - math.exp(-4 * 0.12)) > 0.1  # without the scale it would be that


def test_the_gpytorch_kernel_is_the_gaussian_one() -> None:
    pytest.importorskip("gpytorch", reason="gpytorch is an optional third party")
    from rftheory.interop.gpytorch import RandomFeatureKernel

    kernel = RandomFeatureKernel(num_samples=4096, num_dims=3, seed=1)
    kernel.lengthscale = 1.5
    x = torch.tensor([[0.1, 0.4, -0.2], [1.0, 0.2, 0.5]])
    matrix = kernel(x, x).to_dense().detach()
    exact = torch.exp(-(torch.cdist(x, x) ** 2) / (2 * 1.5**2))
    assert torch.allclose(matrix, exact, atol=0.08)
    assert torch.allclose(kernel(x, x, diag=True).detach(), torch.ones(2), atol=1e-5)


@pytest.mark.filterwarnings("ignore:torch.asarray")
@pytest.mark.parametrize(
    "options", [{}, {"ard_num_dims": 2}, {"features": "positive", "coupling": "simplex"}]
)
def test_predictions_go_through_the_feature_matrix(options: dict[str, Any]) -> None:
    """They are those of the dense matrix of the kernel, and take a system of the number of features."""
    gpytorch = pytest.importorskip("gpytorch", reason="gpytorch is an optional third party")
    from rftheory.interop.gpytorch import RandomFeatureKernel

    class Model(gpytorch.models.ExactGP):  # type: ignore[misc, name-defined]
        def __init__(self, x: Any, y: Any) -> None:
            super().__init__(x, y, gpytorch.likelihoods.GaussianLikelihood())
            self.mean_module, self.covar_module = (
                gpytorch.means.ZeroMean(),
                RandomFeatureKernel(12, **options),
            )

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    draws = torch.from_numpy(np.random.default_rng(5).standard_normal((90, 2)))
    x, new = draws[:80], draws[80:]
    y = torch.sin(x[:, 0])
    model = Model(x, y).double()
    model.likelihood.noise = 0.1
    kernel = model.covar_module
    assert type(kernel(x).evaluate_kernel()).__name__ == "LowRankRootLinearOperator"
    assert type(kernel(x, new).evaluate_kernel()).__name__ == "MatmulLinearOperator"
    model.eval()
    with torch.no_grad():
        found, (cross, own) = model(new), (kernel(new, x).to_dense(), kernel(new).to_dense())
        whole = kernel(x).to_dense() + 0.1 * torch.eye(80, dtype=torch.float64)
        assert type(model.prediction_strategy).__name__ == "LinearPredictionStrategy"
        assert torch.allclose(found.mean, cross @ torch.linalg.solve(whole, y), atol=1e-4)
        expected = own - cross @ torch.linalg.solve(whole, cross.mT)
        assert torch.allclose(found.covariance_matrix, expected, atol=1e-3)
        assert not torch.allclose(found.mean, 1.1 * cross @ torch.linalg.solve(whole, y), atol=1e-4)
