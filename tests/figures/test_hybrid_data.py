"""Clustered data of App. H.3, and the exact errors that are drawn beside the measured ones."""

from __future__ import annotations

import numpy as np
import pytest

from rftheory.exact import find_formula
from rftheory.papers.hybrid import figures as hybrid
from rftheory.sample import Stream
from rftheory.sample.clusters import centre_matrix

STREAM = Stream.named("tests/figures/hybrid_data")


def test_exact_errors_are_those_of_the_exact_layer() -> None:
    x, y = 0.5 * np.asarray(STREAM.normals(range(2), 3))
    centres = (np.stack((x + 0.1, x + 5)), np.stack((y - 0.1, y + 5)))
    found = {name: law for name, (law, _) in hybrid.cluster_laws(x[None], y[None], *centres).items()}
    lengths = {name: float(np.linalg.norm(v)) for name, v in (("x", x), ("y", y))}
    theta = float(np.arccos(x @ y / (lengths["x"] * lengths["y"])))
    for method, formula in (("FAVOR+", "softmax_hyperbolic_mse"), ("Trigonometric", "softmax_trig_mse")):
        wanted = float(find_formula(formula).enclose(12, **lengths, theta=theta, m=1))
        assert found[method] == pytest.approx(wanted, rel=1e-6)
        assert 1.01 * found[method] != pytest.approx(wanted, rel=1e-6)
    a = np.diagonal(centre_matrix(centres[0][0], centres[1][0], real=True))
    length = float(np.linalg.norm(a * x + y / a))
    wanted = float(find_formula("cexp_mse").enclose(12, inner=float(x @ y), real=length, imag=0, m=1))
    assert found["Hybrid-Cluster"] == pytest.approx(wanted, rel=1e-6)


def test_clusters_follow_the_recipe() -> None:
    target = (0.08, 0.05, 0.04, 0.03)
    x, y = hybrid.clustered(STREAM, target, 1.0)
    assert x.shape == y.shape == (2000, 50)
    assert np.allclose(np.linalg.norm(x, axis=1), 1)
    own = [points[:1000].mean(axis=0) for points in (x, y)]
    for points, first in ((x, own[0]), (y, own[1])):
        centres = hybrid.two_means(points)
        assert min(np.linalg.norm(centres - first, axis=1)) < 1e-6
    # Without flipped signs the loss of the means would be that of the noise alone.
    losses = [
        float(np.sum((a @ one + two / np.diagonal(a)) ** 2))
        for one in hybrid.two_means(x)
        for two in hybrid.two_means(y)
        for a in [centre_matrix(one, two, real=True)]
    ]
    assert 0.5 * np.mean(target) < np.mean(losses) < 1.5 * np.mean(target)


def test_distances_of_equal_and_of_opposite_distributions() -> None:
    class Fixed:
        def gram(self, *_: object) -> np.ndarray:
            return self.matrix

        def __init__(self, row: list[float]) -> None:
            self.matrix = np.array([[row]])

    truth = np.array([[1.0, 0.0, 0.0]])
    equal, opposite = (
        hybrid._distances(Fixed(row), STREAM, 0, truth, truth, truth)  # type: ignore[arg-type]
        for row in ([2.0, 0.0, 0.0], [0.0, -0.5, 1.5])
    )
    assert equal == (0.0, 0.0, 0.0)
    # All mass moves two places, and a negative share on the way half a place more.
    assert opposite == (2.5, 1.5, pytest.approx(1 / 3))
