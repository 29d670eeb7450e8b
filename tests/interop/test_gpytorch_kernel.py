"""The gpytorch kernel beside stand-ins for torch and gpytorch: arguments, operators, sides. No dependency is needed."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rftheory.errors import BackendUnavailable, InvalidInput
from rftheory.interop.drawn import Drawn, draw


class Kernel:
    """What ours uses of gpytorch's kernels."""

    def __init__(self, *, ard_num_dims: int | None = None) -> None:
        self.lengthscale = np.full((1, ard_num_dims or 1), 2.0)
        self.raw_lengthscale = np.zeros((1, ard_num_dims or 1))


class RandomFeatures:
    """Ours of torch, on arrays."""

    def __init__(self, dim: int, number: int, features: str, coupling: str, *, seed: int, dtype: Any,
                 parameters: Any) -> None:  # fmt: skip
        assert dtype == np.float64
        found = draw(features, coupling, dim, number, seed, parameters)
        assert isinstance(found, Drawn)
        self.drawn = found

    def to(self, device: str) -> RandomFeatures:
        assert device == "cpu"
        return self

    def __call__(self, x: np.ndarray, side: Any) -> np.ndarray:
        return self.drawn.features(x, side=side)


def operator(name: str) -> type:
    """A linear operator that keeps its parts."""
    return type(name, (), {"__init__": lambda self, *parts: setattr(self, "parts", parts)})


@pytest.fixture
def kernel_class(monkeypatch: pytest.MonkeyPatch) -> Any:
    strategies = SimpleNamespace(LinearPredictionStrategy=lambda *given: ("through the features", given))
    names = ("LowRankRootLinearOperator", "MatmulLinearOperator", "RootLinearOperator")
    stand_ins = {
        "torch": {"equal": np.array_equal, "Tensor": np.ndarray,
                  "eye": lambda dim, dtype, device: np.eye(dim, dtype=dtype)},
        "gpytorch": {"kernels": SimpleNamespace(Kernel=Kernel),
                     "models": SimpleNamespace(exact_prediction_strategies=strategies)},
        "linear_operator": {}, "linear_operator.operators": {name: operator(name) for name in names},
        "rftheory.interop.torch": {"RandomFeatures": RandomFeatures},
    }  # fmt: skip
    for name, content in stand_ins.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "rftheory.interop.gpytorch", raising=False)
    yield importlib.import_module("rftheory.interop.gpytorch").RandomFeatureKernel
    sys.modules.pop("rftheory.interop.gpytorch", None)


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [("sklearn", "sklearn", "digits"), ("torch", "torch", "torch"), ("gpytorch", "gpytorch", "gpytorch")],
)
def test_a_missing_library_is_named_with_its_extra(
    module: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [library, *(name for name in sys.modules if name.startswith(f"{library}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"rftheory.interop.{module}", raising=False)
    with pytest.raises(BackendUnavailable, match=rf"{library}.*pip install 'rftheory\[{extra}\]'"):
        importlib.import_module(f"rftheory.interop.{module}")


POINTS = np.random.default_rng(0).standard_normal((9, 3))


def test_it_has_the_arguments_of_the_kernel_that_it_replaces(kernel_class: Any) -> None:
    late, known = kernel_class(num_samples=4), kernel_class(num_samples=4, num_dims=3)
    ard = kernel_class(4, ard_num_dims=3)
    assert late.maps is None
    assert known.maps.drawn.projections.shape == ard.maps.drawn.projections.shape == (4, 3)
    assert np.array_equal(late.forward(POINTS, POINTS).parts[0], known.forward(POINTS, POINTS).parts[0])


def test_matrices_are_products_of_features(kernel_class: Any) -> None:
    low, high = kernel_class(num_samples=4), kernel_class(num_samples=6)
    features = draw("trigonometric", "orthogonal", 3, 4, 0).features(POINTS / 2)
    found = low.forward(POINTS, POINTS)
    assert type(found).__name__ == "LowRankRootLinearOperator"
    assert np.allclose(found.parts[0], features)
    assert type(high.forward(POINTS, POINTS)).__name__ == "RootLinearOperator"  # 12 features of 9 points
    found = low.forward(POINTS, POINTS[:2])
    assert type(found).__name__ == "MatmulLinearOperator"
    assert np.allclose(found.parts[0] @ found.parts[1], features @ features[:2].T)
    assert np.allclose(low.forward(POINTS, POINTS, diag=True), 1)
    assert low.prediction_strategy(1, 2, 3, 4) == ("through the features", (1, 2, 3, 4))


def test_sides_that_differ_are_no_root(kernel_class: Any) -> None:
    for matrix in (
        np.diag([1.0, 1.2, 0.8]),
        np.eye(3) + (3 * np.eye(3) - 1) / 9,
    ):  # the second keeps (1, 1, 1)
        kernel = kernel_class(2, 3, "complex-exponential", "iid", parameters={"matrix": matrix})
        found = kernel.forward(POINTS, POINTS)
        assert type(found).__name__ == "MatmulLinearOperator"
        assert not np.allclose(found.parts[0], found.parts[1].T)
        with pytest.raises(InvalidInput, match="two sides"):
            kernel.prediction_strategy(1, 2, 3, 4)
