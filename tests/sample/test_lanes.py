"""Every lane of a block serves one purpose: what a map draws is independent of what its coupling draws."""

from __future__ import annotations

import numpy as np
import pytest

from rftheory.judge import Budget, Outcome, z_test
from rftheory.sample import Mechanism, Stream
from rftheory.sample.couplings import COUPLINGS
from rftheory.sample.exponential import COSINE
from rftheory.sample.features import draw_marks
from rftheory.sample.projections import project_with_norms

BLOCKS, X = range(2), np.array([[0.3, -0.2, 0.5], [0.1, 0.4, 0.0]])


@pytest.mark.parametrize("via", ["frame", "matrix"])
@pytest.mark.parametrize("name", COUPLINGS)
def test_phases_share_no_lane_with_a_coupling(name, via, monkeypatch):
    lanes: list[int] = []
    words = Stream.bits

    def watched(self, blocks, count, lane=0, *rest):
        lanes.append(lane)
        return words(self, blocks, count, lane, *rest)

    monkeypatch.setattr(Stream, "bits", watched)
    found = project_with_norms(COUPLINGS[name], Stream(1), BLOCKS, X, 4, via=via)
    own = set(lanes)
    lanes.clear()
    draw_marks(COSINE, Stream(1), BLOCKS, 4, found.norms, found.dim, np)
    assert own
    assert lanes
    assert own.isdisjoint(lanes)


def cosine_variance(mechanism: Mechanism, x: np.ndarray, y: np.ndarray, claimed: float) -> Outcome:
    """Test the second moment of the estimates of the Gaussian kernel, about its exact mean, as a mean."""
    values = mechanism.estimate(Stream.named("lanes"), range(100_000), x, y)
    squares = (values - np.exp(-((x - y) ** 2).sum() / 2)) ** 2
    return z_test(float(squares.mean()), squares.size, claimed, float(squares.var()), Budget(1e-9)).decision


def test_phases_beside_rotations_by_angles():
    """One pair of orthogonal directions in the plane, turned as a whole: any law on SO(2) that is uniform.

    With phases that were the angles of the rotation, the variance was a tenth larger. The exact variance is that of
    m = 2 terms cos(s_i) + cos(t_i + 2 b_i), s = w . (x - y), t = w . (x + y), over m^2: phases of different terms are
    independent, so that only cos(s_1) cos(s_2) has a covariance.
    """
    x, y = np.array([0.9, 0.5]), np.array([0.7, 0.6])
    z = float(((x - y) ** 2).sum())
    kernel = np.exp(-z / 2)
    own = 0.5 * (1 + np.exp(-2 * z)) + 0.5 - kernel**2
    # E cos(s_1) cos(s_2) = E cos(u . (r_1, r_2) |z|), u uniform on the circle: J_0 at the norm of (r_1, r_2), chi_4.
    pair = (1 - z / 2) * kernel
    exact = (2 * own + 2 * (pair - kernel**2)) / 4
    mechanism = Mechanism("cosine", "givens-orthogonal", 2)
    assert cosine_variance(mechanism, x, y, exact) is Outcome.AGREES
    assert cosine_variance(mechanism, x, y, 1.05 * exact) is Outcome.REFUTED
