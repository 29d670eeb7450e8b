"""A guessed feature map accuses no one: correct maps of other kinds are not refuted, and wrong ones still are."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from benchmarks.planted.defects import independent, orthogonal, positive
from benchmarks.planted.seeded import default_rng
from rftheory.check import check
from rftheory.check.laws import gerf_law
from rftheory.errors import InvalidInput
from rftheory.judge import Outcome

pytestmark = pytest.mark.usefixtures("end_after")


def gerf(
    x: np.ndarray, seed: int, m: int = 32, A: float = -0.1, power: float = 0.25, slope: float = 1.0,
    rows: Callable[[int, int, int], np.ndarray] = independent,
) -> np.ndarray:  # fmt: skip
    """Generalized exponential features of the Gaussian kernel; ``power`` and ``slope`` make D and B wrong."""
    d, s = x.shape[1], 1 - 4 * A
    w = rows(m, d, seed)
    exponents = A * (w**2).sum(1) + slope * math.sqrt(s) * x @ w.T - (x**2).sum(1, keepdims=True)
    features: np.ndarray = s ** (power * d) / math.sqrt(m) * np.exp(exponents)
    return features


def mixed(x: np.ndarray, seed: int, m: int = 32, factor: float = 1.0) -> np.ndarray:
    """Positive features with random weights of mean 1: unbiased, but not of a declared map."""
    weights = default_rng(seed + 2**33).exponential(1.0, m)
    return factor * np.sqrt(weights) * positive(x, seed, m)


@pytest.mark.parametrize("A", [-0.4, -0.1, 0.02])
def test_a_gerf_is_recognised_and_held_to_its_law(A: float, end_after: Callable[[int], None]) -> None:
    end_after(16384)
    for features in (None, "gerf", f"gerf:{A}"):
        report = check(
            partial(gerf, A=A), d=4, features=features, coupling="iid", seconds=20, intervals=False
        )
        assert report.ok, report.text()
        assert report.declared["features"] == f"gerf:{A}"
        assert report.verdicts["variance"] is Outcome.AGREES
    assert check(partial(gerf, rows=orthogonal), d=4, coupling="orthogonal", intervals=False).ok


def larger(m: int, d: int, seed: int) -> np.ndarray:
    return 1.1 * independent(m, d, seed)


@pytest.mark.parametrize("wrong", [{"power": 0.0}, {"power": 0.5}, {"slope": 1.1}, {"rows": larger}])
def test_a_wrong_gerf_is_refuted(wrong: dict[str, Any]) -> None:
    for features in (None, "gerf"):
        report = check(partial(gerf, **wrong), d=4, features=features, coupling="iid", intervals=False)
        assert report.exit_code == 1, report.text()
        assert report.verdicts["unbiasedness"] is Outcome.REFUTED


def test_a_gerf_of_fewer_projections_has_too_large_a_variance() -> None:
    report = check(
        lambda x, seed: np.tile(gerf(x, seed, m=8) / 2, (1, 4)), d=4, coupling="iid", intervals=False
    )
    assert report.exit_code == 1
    assert report.verdicts["variance"] is Outcome.REFUTED


def test_the_parameter_of_a_gerf_is_asked_for_where_it_cannot_be_seen() -> None:
    with pytest.raises(InvalidInput, match=r"needs gerf:A, such as gerf:-0\.1"):
        check(lambda x, y, seed: 1.0, d=4, features="gerf")
    with pytest.raises(InvalidInput, match="pass A as gerf:A"):
        check(positive, d=4, features="gerf")
    with pytest.raises(InvalidInput, match="below 1/8"):
        check(positive, d=4, features="gerf:0.2")


def test_the_moments_of_a_gerf_are_those_of_its_draws() -> None:
    x = np.array([[0.3, 0.4], [0.1, -0.2]])
    draws = np.array([math.prod(gerf(x, seed, m=1)[:, 0]) for seed in range(20_000)])
    mean = math.exp(-float(((x[0] - x[1]) ** 2).sum()) / 2)
    law = gerf_law(-0.1, "iid", 2, 1, float(np.linalg.norm(x.sum(0))), mean)
    assert law is not None
    for k, moment in ((2, law.second), (3, law.third), (4, law.fourth)):
        powers = (draws - mean) ** k
        assert abs(powers.mean() - moment) < 6 * powers.std() / math.sqrt(len(draws))  # one in 1e8


@pytest.mark.parametrize("estimator", [False, True])
def test_an_unbiased_map_that_is_not_the_guessed_one_is_no_defect(estimator: bool) -> None:
    def one(x: np.ndarray, y: np.ndarray, seed: int) -> float:
        left, right = mixed(np.stack([x, y]), seed)
        return float(left @ right)

    report = check(one if estimator else mixed, d=4, coupling="iid", intervals=False)
    assert report.exit_code == 2, report.text()
    assert report.declared["features"] is None
    assert report.verdicts["variance"] is None
    assert not report.diagnoses
    assert any("it is not positive" in note for note in report.notes)
    declared = check(one if estimator else mixed, d=4, features="positive", coupling="iid", intervals=False)
    assert declared.exit_code == 1  # who declares a map is held to it


def test_a_biased_map_that_is_not_the_guessed_one_is_refuted() -> None:
    report = check(partial(mixed, factor=1.1), d=4, coupling="iid", intervals=False)
    assert report.exit_code == 1
    assert report.declared["features"] == "positive"
    small = check(partial(mixed, factor=0.9), d=4, coupling="iid", intervals=False)
    assert small.exit_code == 1


def largest_removed(x: np.ndarray, seed: int, m: int = 32) -> np.ndarray:
    along = x @ independent(m, x.shape[1], seed).T
    along -= along.max(1, keepdims=True)
    features: np.ndarray = np.exp(along - (x**2).sum(1, keepdims=True) / 2) / math.sqrt(m)
    return features


@pytest.mark.parametrize("features", [None, "positive"])
def test_a_maximum_of_each_input_is_named_whatever_else_the_exponent_holds(features: str | None) -> None:
    report = check(largest_removed, features=features, kernel="softmax", d=4, coupling="iid", intervals=False)
    assert [d.name for d in report.diagnoses] == ["maximum-taken"]
    right = check(positive, d=4, coupling="iid", intervals=False)
    assert not right.diagnoses


def complex_gerf(x: np.ndarray, seed: int, m: int = 32, A: float = -0.1) -> np.ndarray:
    """Generalized exponential features with s = -1, whose slope is imaginary."""
    d, s = x.shape[1], 1 - 4 * A
    w = independent(m, d, seed)
    features: np.ndarray = (
        s ** (d / 4) / math.sqrt(m) * np.exp(A * (w**2).sum(1) + 1j * math.sqrt(s) * x @ w.T)
    )
    return features


@pytest.mark.parametrize("A", [-0.1, -0.4])
def test_waves_of_random_size_are_not_called_wrong(A: float) -> None:
    report = check(partial(complex_gerf, A=A), d=4, coupling="iid", intervals=False)
    assert report.exit_code != 1, report.text()
    wrong = check(lambda x, seed: complex_gerf(1.2 * x, seed, A=A), d=4, coupling="iid", intervals=False)
    assert wrong.exit_code == 1
