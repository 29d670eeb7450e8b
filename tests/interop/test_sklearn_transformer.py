"""The scikit-learn transformer: scikit-learn's own checks, and the kernel that it estimates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rftheory.check import check
from rftheory.errors import RFTheoryError
from rftheory.interop.drawn import draw
from rftheory.interop.sklearn import RandomFeatureTransformer
from rftheory.sample import COUPLINGS, FEATURE_MAPS

pytestmark = pytest.mark.usefixtures("end_after")

MECHANISMS = [(features, coupling, None) for features in FEATURE_MAPS for coupling in COUPLINGS]
MECHANISMS += [
    ("gerf", "simplex", {"A": -0.1}), ("gerf", "orthogonal", {"A": 0.01 + 0.02j, "s": -1}),
    ("oprf", "mirrored", {"v": 0.7}), ("anisotropic", "antimonotone", {"A": (-0.1, 0.0, 0.05, -0.2)}),
    ("complex-exponential", "iid", {"matrix": np.diag([1.0, 1.2, 0.8, 1.0])}),
    ("poisson", "iid", {"lam": 0.4}), ("GeomRF", "iid", {"p": 0.85}),
]  # fmt: skip
CHECKED = [RandomFeatureTransformer(features, "iid", 8) for features in FEATURE_MAPS]


@parametrize_with_checks(CHECKED)
def test_scikit_learns_own_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize(("features", "coupling", "parameters"), MECHANISMS)
def test_every_mechanism_estimates_the_kernel(features: str, coupling: str, parameters: Any) -> None:
    x = np.array([[0.3, -0.2, 0.1, 0.4], [0.1, 0.2, -0.3, 0.0]])
    exact = math.exp(-float(((x[0] - x[1]) ** 2).sum()) / 2 / 1.5**2)
    # with 16 the twin could hide
    model = RandomFeatureTransformer(features, coupling, 64, lengthscale=1.5, parameters=parameters)
    estimates = []
    for seed in range(40):
        phi = model.set_params(random_state=seed).fit(x).transform(x)
        right = model.transform_right(x)
        estimates.append(float(phi[0] @ right[1]))
    error = np.std(estimates) / math.sqrt(len(estimates))
    bias = 0.05 if coupling == "orthogonal-fixed" else 0.0
    assert abs(np.mean(estimates) - exact) < 7 * error + bias + 1e-3
    assert abs(np.mean(estimates) - exact**4) > 7 * error  # a length scale half as long is told apart


def test_n_components_is_the_number_of_columns() -> None:
    x = np.array([[0.3, -0.2, 0.1, 0.4], [0.1, 0.2, -0.3, 0.0]])
    for features, coupling, parameters in MECHANISMS:
        model = RandomFeatureTransformer(features, coupling, 128, parameters=parameters, random_state=0).fit(
            x
        )
        assert model.transform(x).shape == (2, 128), features
        assert len(model.get_feature_names_out()) == 128
        two = features in ("trigonometric", "hyperbolic") or model.parameters == {"A": 0.01 + 0.02j, "s": -1}
        assert len(model.projections_) == (64 if two else 128), features
    assert RandomFeatureTransformer(n_components=7).fit_transform(x).shape == (2, 8)


def test_squared_norms_of_float32_inputs_are_exact() -> None:
    """sin^2 + cos^2 = 1 leaves exp(|x|^2) of the Fourier features of the softmax kernel, here about exp(113)."""
    x = np.array([[5.1, -5.3, 7.7]], dtype=np.float32)
    exact = float((x.astype(float) ** 2).sum())
    assert abs(float((x * x).sum()) - exact) > 1e-6  # in float32 they are not
    phi = draw("trigonometric", "iid", d=3, m=8, seed=1).features(x, "softmax").astype(float)
    assert abs(math.log((phi**2).sum()) - exact) < 1e-6


def test_lengths_of_numpy_are_lengths() -> None:
    x = np.array([[0.3, -0.2], [0.1, 0.4]])
    found = [
        RandomFeatureTransformer(lengthscale=s, random_state=1).fit_transform(x) for s in (2.0, np.float32(2))
    ]
    assert np.array_equal(*found)


def test_the_checker_finds_no_fault_but_a_wrong_length_scale(end_after: Callable[[int], None]) -> None:
    end_after(1024)
    model = RandomFeatureTransformer("trigonometric", "iid", 32)
    report = check(model, features="trigonometric", coupling="iid", d=4, seconds=1.0, intervals=False)
    assert report.exit_code != 1
    wrong = model.set_params(lengthscale=math.sqrt(0.5))
    report = check(wrong, features="trigonometric", coupling="iid", d=4, lengthscale=1.0, intervals=False)
    assert [found.name for found in report.diagnoses] == ["kernel-scale"]


@pytest.mark.parametrize(
    "options",
    [
        {"features": "oprf", "parameters": {"v": 1.0, "d": 2}},  # the dimension is that of the data
        {"features": "sine"},
        {"coupling": "all"},
        {"lengthscale": 0.0},
        {"lengthscale": "1"},
        {"features": None},
        {"coupling": 3},
        {"kernel": "cubic"},
        {"n_components": 0},
        {"features": "gerf"},
        {"features": "positive", "parameters": {"A": 1}},
        {"features": "poisson", "coupling": "orthogonal", "parameters": {"lam": 0.3}},
        {"features": "poisson", "coupling": "iid", "parameters": {"rate": 0.3}},
    ],
)
def test_bad_parameters(options: dict[str, Any]) -> None:
    with pytest.raises(RFTheoryError):
        RandomFeatureTransformer(**options).fit(np.ones((3, 2)))
