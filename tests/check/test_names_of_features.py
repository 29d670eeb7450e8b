"""Feature maps with small or confusable defects get their own name, or none, and centred batches are seen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.planted.defects import hyperbolic, positive, trigonometric
from benchmarks.planted.seeded import default_rng
from rftheory.check import check
from rftheory.judge import Outcome


@pytest.mark.parametrize("d", [1, 3, 8])
def test_a_factor_of_one_percent_is_no_added_constant(d: int) -> None:
    def longer(x: np.ndarray, seed: int) -> np.ndarray:
        return trigonometric(x, seed, factor=math.sqrt(1.01))

    report = check(longer, features="trigonometric", d=d, intervals=False)
    assert report.decision is Outcome.REFUTED
    assert [x.name for x in report.diagnoses] in (["feature-scale"], [])


def test_a_constant_of_one_percent_is_no_factor() -> None:
    def raised(x: np.ndarray, y: np.ndarray, seed: int, m: int = 32) -> float:
        w = default_rng(seed).standard_normal((m, len(x)))
        return float(np.cos(w @ (x - y)).mean()) + 0.01

    report = check(raised, features="trigonometric", d=3, m=32, intervals=False)
    assert report.decision is Outcome.REFUTED
    assert [x.name for x in report.diagnoses] in (["estimate-offset"], [])


def gerf(x: np.ndarray, seed: int, m: int = 32, a: float = 0.1) -> np.ndarray:
    """Correct for gerf:0.1, and another map of the same mean for gerf:-0.1."""
    w, d = default_rng(seed).standard_normal((m, x.shape[1])), x.shape[1]
    exponent = a * (w * w).sum(1) + math.sqrt(1 - 4 * a) * x @ w.T - (x * x).sum(1, keepdims=True)
    return (1 - 4 * a) ** (d / 4) * np.exp(exponent) / math.sqrt(m)


@pytest.mark.parametrize(("target", "features", "d"), [(positive, "hyperbolic", 3), (gerf, "gerf:-0.1", 3)])
def test_another_map_of_the_same_mean_has_no_fewer_projections(target: object, features: str, d: int) -> None:
    report = check(target, features=features, d=d, intervals=False, seconds=3)
    assert report.decision is Outcome.REFUTED
    assert "fewer-projections" not in [x.name for x in report.diagnoses]


def test_waves_of_inputs_that_are_centred_in_a_batch_depend_on_it() -> None:
    """Estimates from one call are right, since waves see differences alone; those from two calls are not."""

    def centred(x: np.ndarray, seed: int) -> np.ndarray:
        return trigonometric(x - x.mean(0), seed)

    report = check(centred, features="trigonometric", d=3, intervals=False)
    assert [x.name for x in report.diagnoses] == ["batch-dependent"]
    assert check(hyperbolic, features="hyperbolic", d=3, intervals=False).decision is not Outcome.REFUTED


@pytest.mark.parametrize(("stretch", "right"), [(1.0, True), (1.3, False)])
@pytest.mark.parametrize("lengthscale", [10.0, 1e3])
def test_softmax_maps_of_long_length_scales_are_judged(
    stretch: float, right: bool, lengthscale: float
) -> None:
    """The models of their means, such as powers of the length scale, leave the range of floats."""

    def features(x: np.ndarray, seed: int) -> np.ndarray:
        w, x = default_rng(seed).standard_normal((16, x.shape[1])), x / lengthscale
        return np.exp(stretch * x @ w.T - (x * x).sum(1, keepdims=True) / 2) / 4

    report = check(
        features, features="positive", kernel="softmax", lengthscale=lengthscale, d=3, intervals=False
    )
    assert report.ok is right
    assert "kernel-scale" not in [x.name for x in report.diagnoses]
