"""Kernels by their spectral laws: Laplace in both norms, Matern, Cauchy; rows of another law are refuted."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate

from benchmarks.planted.defects import (
    Sampler,
    multivariate_cauchy,
    multivariate_t,
    product_cauchy,
    product_laplace,
)
from benchmarks.planted.seeded import default_rng
from rftheory.check import check
from rftheory.check.laws import row_law
from rftheory.check.measures import Case, panel
from rftheory.judge import Outcome

pytestmark = pytest.mark.usefixtures("end_after")

RIGHT = {
    "laplace": multivariate_cauchy,
    "laplace:2": multivariate_cauchy,
    "laplace:1": product_cauchy,
    "cauchy": product_laplace,
    "matern:1.5": multivariate_t,
}


def waves(sampler: Sampler, m: int = 16) -> Callable[[np.ndarray, int], np.ndarray]:
    """Features (cos, sin) with these weights."""

    def features(x: np.ndarray, seed: int) -> np.ndarray:
        along = x @ sampler(m, x.shape[1], seed).T
        return np.concatenate([np.cos(along), np.sin(along)], axis=1) / math.sqrt(m)

    return features


@pytest.mark.parametrize("kernel", RIGHT)
@pytest.mark.parametrize("d", [1, 2, 8])
def test_the_right_rows_agree(kernel: str, d: int) -> None:
    report = check(RIGHT[kernel], coupling="iid", kernel=kernel, d=d, intervals=False)
    assert report.ok, report.text()


@pytest.mark.parametrize("kernel", RIGHT)
@pytest.mark.parametrize("other", ["laplace:1", "laplace:2", "cauchy", "matern:1.5"])
def test_rows_of_another_kernel_are_refuted(kernel: str, other: str) -> None:
    if RIGHT[kernel] is RIGHT[other]:
        return
    report = check(RIGHT[other], coupling="iid", kernel=kernel, d=4, intervals=False)
    assert report.decision is Outcome.REFUTED


def test_rows_of_a_product_law_have_directions_of_their_own() -> None:
    """In 16 dimensions angles between them are far from those of uniform directions."""
    draws = np.random.default_rng(1).standard_cauchy((1024, 32, 16))
    assert check(draws, coupling="iid", kernel="laplace:1", intervals=False).decision is not Outcome.REFUTED


@pytest.mark.parametrize("kernel", RIGHT)
def test_numbers_of_another_scale_are_refuted(kernel: str, end_after: Callable[[int], None]) -> None:
    end_after(256)
    report = check(
        lambda m, d, seed: 3 * RIGHT[kernel](m, d, seed),
        coupling="iid",
        kernel=kernel,
        d=1,
        m=4,
        intervals=False,
    )
    assert report.decision is Outcome.REFUTED


def test_coordinates_that_share_a_factor_in_pairs_are_no_product_law(
    end_after: Callable[[int], None],
) -> None:
    end_after(1024)

    def rows(m: int, d: int, seed: int) -> np.ndarray:
        return np.concatenate([multivariate_t(m, d // 2, seed + k * 2**34) for k in range(2)], axis=1)

    report = check(rows, coupling="iid", kernel="matern:1.5", d=4, intervals=False)
    assert report.decision is Outcome.REFUTED
    assert "product-law" not in [found.name for found in report.diagnoses]


@pytest.mark.parametrize("kernel", ["laplace:1", "cauchy", "laplace"])
def test_features_of_a_kernel(kernel: str) -> None:
    options = {"kernel": kernel, "features": "trigonometric", "d": 3, "intervals": False}
    assert check(waves(RIGHT[kernel]), **options).ok
    wrong = "cauchy" if kernel != "cauchy" else "laplace"
    assert check(waves(RIGHT[wrong]), **options).decision is Outcome.REFUTED


@pytest.mark.parametrize("kernel", RIGHT)
def test_the_kernel_is_the_transform_of_the_law_of_a_coordinate(kernel: str) -> None:
    law = row_law(kernel, 1)
    for z in (0.3, 1.0, 2.0):
        # by parts: E cos(w z) = z int_0^inf sin(z t) (1 - 2 (1 - F(t))) ... = 1 - 2 z int_0^inf sin(z t) (1 - F(t)) dt
        tail, _ = integrate.quad(
            lambda t: 1 - float(law.coordinate_cdf(np.array(t))), 0, np.inf, weight="sin", wvar=z
        )
        assert law.kernel_at(np.array([z])) == pytest.approx(1 - 2 * z * tail, abs=1e-6)


def test_product_kernels_are_products_and_radial_ones_are_not() -> None:
    pair = panel(Case.of(3, 8, "iid", "trigonometric", "gaussian", 1.0, 0))[3]
    z = pair.x - pair.y
    for kernel in ("laplace:1", "cauchy"):
        one = row_law(kernel, 1)
        product = math.prod(one.kernel_at(np.array([value])) for value in z)
        assert row_law(kernel, 3).kernel_at(z) == pytest.approx(product, rel=1e-12)
    assert row_law("laplace", 3).kernel_at(z) == pytest.approx(math.exp(-pair.distance), rel=1e-9)


def test_a_projection_of_cauchy_coordinates() -> None:
    law = row_law("laplace:1", 4)
    a = np.full(4, 0.5)
    cdf = law.projection_cdf(a)
    assert cdf is not None
    assert float(cdf(np.array(2.0))) == pytest.approx(0.75)  # Cauchy of scale sum |a_j| = 2
    assert row_law("cauchy", 4).projection_cdf(a) is None


def test_features_of_the_softmax_kernel_are_told_how_to_say_so() -> None:
    """They are right, if not for the kernel that is tested by default."""

    def features(x: np.ndarray, seed: int) -> np.ndarray:
        rows = default_rng(seed).standard_normal((64, x.shape[1]))
        return np.exp(x @ rows.T - (x * x).sum(-1, keepdims=True) / 2) / 8

    (found,) = check(features, features="positive", intervals=False).diagnoses
    assert "softmax kernel exp(x.y): if that is the one meant, say --kernel softmax" in found.sentence
    assert check(features, features="positive", kernel="softmax", intervals=False).ok
