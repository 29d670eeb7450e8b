"""Exact standard errors of measured mean squared errors: against integrals, draws, and each other."""

from __future__ import annotations

import numpy as np
import pytest

from rftheory.exact import find_formula
from rftheory.figures.spread import Spread, central_moments, mixed_moment, spread
from rftheory.papers.hybrid import figures as hybrid
from rftheory.sample import Mechanism, Stream

STREAM = Stream.named("tests/figures/spread")
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def one_row(feature: str, u: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The estimate of one row relative to the kernel, minus 1: (p, rows) for u (p, d) and w (rows, d)."""
    inner, square = u @ w.T, (u**2).sum(axis=1)[:, None]
    if feature == "trigonometric":
        return np.cos(inner) * np.exp(square / 2) - 1
    return (np.exp(inner) if feature == "positive" else np.cosh(inner)) * np.exp(-square / 2) - 1


@pytest.mark.parametrize("feature", ["positive", "hyperbolic", "trigonometric"])
@pytest.mark.parametrize("m", [1, 2])
def test_the_variance_is_that_of_the_integral_over_all_rows(feature: str, m: int) -> None:
    """Gauss-Hermite integrals over one and over two rows in the plane, of the error of three pairs together."""
    u, kernel = np.array([[0.5, 0.2], [-0.3, 0.6], [0.1, -0.4]]), np.array([1.0, 0.7, 1.3])
    grid = np.stack(np.meshgrid(NODES, NODES, indexing="ij"), -1).reshape(-1, 2)
    weights = np.multiply.outer(WEIGHTS, WEIGHTS).ravel()
    rows = kernel[:, None] * one_row(feature, u, grid)
    if m == 1:
        errors, density = (rows**2).mean(axis=0), weights
    else:
        first, second = (rows**2).mean(axis=0), rows
        errors = (first[:, None] + first + 2 * (second.T @ second) / 3) / 4
        density = np.multiply.outer(weights, weights)
    mean = float((density * errors).sum())
    variance = float((density * (errors - mean) ** 2).sum())
    assert spread(kernel, u, feature).standard_error(m, 1) ** 2 == pytest.approx(variance, rel=1e-6)
    assert spread(1.01 * kernel, u, feature).standard_error(m, 1) ** 2 != pytest.approx(variance, rel=1e-2)


def test_blocks_of_pairs_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    u = 0.3 * np.asarray(STREAM.normals(range(7), 4))
    whole = spread(np.ones(7), u, "hyperbolic")
    monkeypatch.setattr("rftheory.figures.spread.BLOCK", 2)
    assert spread(np.ones(7), u, "hyperbolic") == pytest.approx(whole)


@pytest.mark.parametrize(("feature", "q"), [("hyperbolic", 0.6), ("trigonometric", 1.7)])
def test_one_pair_has_the_spread_of_its_central_moments(feature: str, q: float) -> None:
    moments = central_moments(q, 5, feature)
    one = spread(np.ones(1), np.array([[q**0.5]]), feature)
    assert one.standard_error(5, 1) ** 2 == pytest.approx(moments[4] - moments[2] ** 2, rel=1e-12)


@pytest.mark.parametrize("name", list(hybrid.COLOURS))
@pytest.mark.parametrize("theta", [0.4, 2.0])
def test_second_moments_of_the_hybrids_are_those_of_the_exact_layer(name: str, theta: float) -> None:
    m, n = hybrid.FIG2_SPLIT
    if "hybrid" in name:
        kind, more = ("angular", {}) if name == "angular hybrid" else ("gaussian", {"sigma": 1})
        law = find_formula(f"{kind}_equal_mse").enclose(12, r=1, theta=theta, m=m, n=n, **more)
    else:
        kind = "trig" if name == "trigonometric" else "hyperbolic"
        law = find_formula(f"softmax_{kind}_mse").enclose(
            12, x=1, y=1, theta=theta, m=hybrid.FIG2_PROJECTIONS
        )
    kernel = np.exp(np.cos(theta))
    assert hybrid.central_moment(name, 1.0, theta, 2) * kernel**2 == pytest.approx(float(law), rel=1e-9)


def test_fourth_moments_of_a_hybrid_are_those_of_its_draws() -> None:
    """The angular hybrid where its tails are light; an angle that is off is seen."""
    m, n = hybrid.FIG2_SPLIT
    theta, draws = 2.0, 40_000
    x, y = np.array([1.0, 0.0]), np.array([np.cos(theta), np.sin(theta)])
    found = np.asarray(hybrid.angular_hybrid(m, n).estimate(STREAM, range(draws), x, y, "softmax")) / np.exp(
        x @ y
    )
    fourth = (found - 1) ** 4
    error = fourth.std() / draws**0.5
    wanted = hybrid.central_moment("angular hybrid", 1.0, theta, 4)
    assert abs(fourth.mean() - wanted) < 5 * error
    assert abs(fourth.mean() - hybrid.central_moment("angular hybrid", 1.0, 0.7 * theta, 4)) > 5 * error


def test_a_mixture_of_sure_things_is_sure() -> None:
    sure = np.array([1.0, 0, 0, 0, 0])
    assert mixed_moment(4, 0.3, np.array([1.0, 0, 0.1, 0, 0.03]), sure, sure) == 0
    assert Spread(0.0, 8.0).standard_error(2, 4) == 0.5


def test_tilted_draws_have_the_mean_of_plain_ones() -> None:
    """The error of a Gram matrix of four short points, where plain draws can be trusted; a wrong weight is seen."""
    from rftheory.exact.fast_laws import log_mse
    from rftheory.papers.simplex.figures import gram_errors

    points = 0.2 * np.asarray(STREAM.child("points").normals(range(4), 8))
    sums, differences = (np.linalg.norm(points[:, None] + way * points, axis=-1) for way in (1, -1))
    for name in ("iid", "orthogonal", "simplex"):
        wanted = float(np.exp(log_mse("positive", name, 8, 16, sums, differences)).mean())
        found = gram_errors(name, 16, points, repeats=2000)
        error = found.std() / found.size**0.5
        assert abs(found.mean() - wanted) < 5 * error < 0.15 * wanted
        other = gram_errors("iid" if name != "iid" else "simplex", 16, points, repeats=2000)
        assert abs(other.mean() - wanted) > 5 * error


def test_plain_draws_of_heavy_tails_look_sharper_than_they_are() -> None:
    """Why standard errors are exact: of 20 draws with a heavy tail the estimated one is a fraction of the exact one."""
    x = np.array([1.3, 0.0])
    kernel = float(np.exp(x @ x))
    mechanism = Mechanism("positive", "iid", 20)
    draws = np.asarray(mechanism.estimate(STREAM.child("tail"), range(20), x, x, "softmax"))
    errors = (draws - kernel) ** 2
    exact = spread(np.array([kernel]), 2 * x[None], "positive").standard_error(20, 20)
    assert errors.std() / 20**0.5 < 0.01 * exact
