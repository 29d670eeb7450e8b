"""What is drawn is named by key, block and lane: lanes serve one purpose each, keys and copies do not matter."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from rftheory.engine import PairGap, SharedGap, TiltedMoment
from rftheory.judge import Budget, Outcome, Score
from rftheory.sample import Mechanism, Stream
from rftheory.sample.attention import DrawnFeatures
from rftheory.sample.couplings import COUPLINGS
from rftheory.sample.discrete import DiscreteMechanism, Poisson
from rftheory.sample.exponential import COSINE
from rftheory.sample.features import draw_marks
from rftheory.sample.fused import Fused
from rftheory.sample.hybrid import Angular
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
    return Score(claimed, float(squares.var()), squares.size, Budget(1e-9)).of(squares).decision


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


@pytest.mark.parametrize("kind", ["portable", "native"])
@pytest.mark.parametrize("integer", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_keys_may_be_numpys_integers(integer, kind):
    found, expected = Stream(integer(5), kind), Stream(5, kind)
    assert found == expected
    assert (found.normals(range(3), 5) == expected.normals(range(3), 5)).all()
    assert found.child("a") == expected.child("a")


def test_counts_may_be_small_integers():
    x = np.array([0.2, 0.1, 0.3])
    for kind in (lambda m: DiscreteMechanism(Poisson(0.3), m), Angular):
        found, expected = (kind(m).estimate(Stream(1), BLOCKS, x, x / 2) for m in (np.int8(100), 100))
        assert (found == expected).all()


X1 = X[:1]
STATISTICS = {
    "fused": lambda: Fused(Mechanism("positive", "simplex", 4), Stream(1), X1, X1),
    "tilted": lambda: TiltedMoment(Mechanism("positive", "simplex", 4), Stream(1), X[0], X[1]),
    "pair gap": lambda: PairGap("positive", "orthogonal", Stream(1), d=5, length=0.5),
    "shared gap": lambda: SharedGap("positive", Stream(1), d=5, length=0.5),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics_are_copied_and_pickled(name):
    statistic = STATISTICS[name]()
    for copied in (copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))):
        assert (copied(statistic)(BLOCKS) == statistic(BLOCKS)).all()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_drawn_features_are_copied_and_pickled(copied):
    drawn = DrawnFeatures.of(Mechanism("positive", "simplex", 4), Stream(1), 3)
    assert (copied(drawn)(X, "softmax", "left").log_scale == drawn(X, "softmax", "left").log_scale).all()
