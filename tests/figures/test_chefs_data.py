"""Log-variances of Fig. 2 against the exact layer, and resizing of images."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rftheory.exact import find_formula
from rftheory.exact.fast_variance import log_gerf_variance
from rftheory.exact.gerf_optimum import real_minimum
from rftheory.papers.chefs import figures as chefs
from rftheory.sample import Stream

STREAM = Stream.named("tests/figures/chefs_data")
X, Y = (0.6 * np.asarray(STREAM.child(side).normals(range(1), 4)) for side in "xy")
PLUS, MINUS = float(np.linalg.norm(X + Y)), float(np.linalg.norm(X - Y))
NORMS = float((X**2).sum() + (Y**2).sum())


def logs(name: str) -> float:
    return float(chefs.log_variances(X, Y)[name][0])


def exact(name: str, **values: float) -> float:
    return math.log(float(find_formula(name).enclose(12, **values)))


def test_closed_forms_are_those_of_the_exact_layer() -> None:
    assert logs("TrigRF") == pytest.approx(exact("trig_mse_iid", z=MINUS, m=1), abs=1e-9)
    assert logs("OPRF") == pytest.approx(exact("oprf_variance", d=4, v=PLUS, z=MINUS), abs=1e-9)
    x, y = (float(np.linalg.norm(v)) for v in (X, Y))
    assert logs("PosRF") == pytest.approx(exact("prf_mse_iid", v=PLUS, x=x, y=y, m=1), abs=1e-9)
    squares = float((X * X * Y * Y).sum())
    wanted = exact("poisson_minimal_variance", d=4, dot=float((X * Y).sum()), squares=squares, norms=NORMS)
    assert logs("PoisRF") == pytest.approx(wanted, abs=1e-9)
    # A constant that is off by a hundredth is seen.
    assert logs("TrigRF") + 0.01 != pytest.approx(exact("trig_mse_iid", z=MINUS, m=1), abs=1e-9)


def test_geometric_features_at_equal_products() -> None:
    t, d = 0.3, 4
    x, y = np.full(d, 0.6), np.full(d, 0.5)
    second = chefs.geometric_log_second(x, y)
    norms = float((x**2).sum() + (y**2).sum())
    formula = find_formula("log_geometric_second")
    assert second == pytest.approx(float(formula.enclose(12, t=t, d=d, norms=norms)), abs=1e-7)


def test_the_search_finds_no_less_than_the_members_of_the_family() -> None:
    best = chefs.gerf_log_variance(4, PLUS, MINUS)
    for a, s in ((0.0, 1), (0.0, -1), (-0.1, 1), (-0.1, -1), (-0.05 + 0.05j, -1)):
        assert best <= float(log_gerf_variance(4, a, s, PLUS, MINUS)) + 1e-9
    assert best <= logs("OPRF") + 1e-6


@pytest.mark.parametrize("how", list(chefs.RESIZED))
def test_resizing_keeps_flat_images_and_the_mean(how: str) -> None:
    image = np.arange(28.0)[None, :, None] + np.zeros((1, 28, 28))
    small = chefs._resized(image, how)
    assert small.shape == (1, 8, 8)
    assert np.allclose(chefs._resized(np.ones((1, 28, 28)), how), 1)
    assert np.all(np.diff(small[0, :, 0]) >= 3)
    assert small.mean() == pytest.approx(13.5, abs=0.3)


@pytest.mark.parametrize(("scale", "d", "positive"), [(0.3, 64, True), (0.5, 16, False)])
def test_the_search_finds_the_certified_minimum(scale: float, d: int, positive: bool) -> None:
    """Over real A; that no complex A is better is proved in the exact layer. The first pair is like two images."""
    x, y = scale * np.asarray(STREAM.child("search").normals(range(2), d))
    x, y = (np.abs(x), np.abs(y)) if positive else (x, y)
    plus, minus = float(np.linalg.norm(x + y)), float(np.linalg.norm(x - y))
    least = min(float(real_minimum(d, t**2, s, 10).log_value) for t, s in ((plus, 1), (minus, -1)))
    found = chefs.gerf_log_variance(d, plus, minus)
    assert found == pytest.approx(math.log(math.expm1(least)) - minus**2, abs=1e-7)
    if positive:
        # GERF is no better than TrigRF, A = 0 and s = -1, to a part in 1e4.
        assert found == pytest.approx(float(log_gerf_variance(d, 0, -1, plus, minus)), abs=1e-4)
