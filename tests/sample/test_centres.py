"""k-means centres: the fixed point of Lloyd's steps, its corners, and the hybrid built on them."""

import tracemalloc

import numpy as np
import pytest
from scipy.cluster.vq import kmeans2

from rftheory.errors import InvalidInput
from rftheory.sample import Stream, clusters, k_means, zero_one_mixture
from rftheory.sample.clusters import RESTARTS, SAMPLE, TRIAL, _nearest, _settled, _spread, _start


def groups(seed: int = 3) -> np.ndarray:
    """Three groups of 40 points of R^5 far from each other."""
    rng = np.random.default_rng(seed)
    middles = np.array([[10.0, 0, 0, 0, 0], [0, 10.0, 0, 0, 0], [0, 0, -10.0, 0, 0]])
    return np.concatenate([middle + rng.standard_normal((40, 5)) for middle in middles])


def is_fixed(points: np.ndarray, centres: np.ndarray) -> bool:
    """Each centre is the mean of the points nearest to it."""
    own = ((points[:, None] - centres) ** 2).sum(-1).argmin(1)
    means = [
        points[own == i].mean(0) if (own == i).any() else np.full(points.shape[1], np.inf)
        for i in range(len(centres))
    ]
    return bool(np.allclose(means, centres, rtol=1e-12, atol=1e-12))


@pytest.mark.parametrize("clusters", [1, 2, 3, 7])
def test_centres_are_the_means_of_their_points(clusters: int) -> None:
    points = groups()
    centres = k_means(points, clusters)
    assert centres.shape == (clusters, 5)
    assert is_fixed(points, centres)
    assert not is_fixed(points, centres + 0.01)
    assert np.array_equal(centres, k_means(points, clusters))


def test_separated_groups_are_found() -> None:
    points = groups()
    found = k_means(points, 3)
    means = points.reshape(3, 40, 5).mean(1)
    distances = np.linalg.norm(found[:, None] - means, axis=-1)
    assert sorted(distances.argmin(1)) == [0, 1, 2]
    assert distances.min(1).max() < 1e-12
    assert _spread(points, found) < _spread(points, means + 0.1)


def test_repeated_and_huge_points() -> None:
    repeated = np.repeat(np.eye(3), 50, axis=0)
    assert sorted(map(tuple, k_means(repeated, 3).tolist())) == sorted(map(tuple, np.eye(3).tolist()))
    huge = 1e200 * groups()
    assert is_fixed(huge / 1e200, k_means(huge, 3) / 1e200)
    assert k_means(np.zeros((4, 2)), 1).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize(
    ("points", "clusters"),
    [
        (np.eye(3), 4),
        (np.zeros((5, 2)), 2),
        (np.eye(3), 0),
        (np.eye(3), 1.5),
        (np.full((3, 2), np.nan), 1),
        (np.ones(3), 1),
        (np.zeros((0, 3)), 1),
    ],
)
def test_bad_input_is_refused(points: np.ndarray, clusters: int) -> None:
    with pytest.raises(InvalidInput):
        k_means(points, clusters)


def test_restarts_keep_the_best() -> None:
    """Some starts end in a worse division than others."""
    points = np.random.default_rng(0).uniform(size=(200, 3))
    starts = np.random.default_rng(0)
    starts.permutation(len(points))
    scaled = points / points.max()
    ends = [_spread(scaled, _settled(scaled, _start(scaled, 8, starts))) for _ in range(RESTARTS)]
    assert max(ends) > 1.01 * min(ends)
    assert _spread(scaled, k_means(points, 8) / points.max()) == pytest.approx(min(ends), rel=1e-12)


@pytest.fixture(scope="module")
def cloud() -> np.ndarray:
    """More points than the starts are tried on, without groups."""
    return np.random.default_rng(1).standard_normal((3 * SAMPLE, 6))


def test_the_steps_are_those_of_scipy(cloud: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points are left out only where their nearest centre cannot have changed."""
    start = _start(cloud, 7, np.random.default_rng(2))
    for steps in (1, 5, 40):
        wanted = kmeans2(cloud, start, iter=steps, minit="matrix", missing="raise")[0]
        assert np.abs(_settled(cloud, start, steps) - wanted).max() < 1e-12
    # Leads taken for larger than they are leave points in clusters that are not theirs any more.

    def flattered(*args: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own, lead = _nearest(*args)
        return own, lead + 1.0

    monkeypatch.setattr(clusters, "_nearest", flattered)
    assert np.abs(_settled(cloud, start, 40) - wanted).max() > 1e-3


def test_many_points_end_at_a_fixed_point_too(cloud: np.ndarray) -> None:
    found = k_means(cloud, 7)
    assert is_fixed(cloud, found)
    assert np.array_equal(found, k_means(cloud, 7))
    assert not is_fixed(cloud, _settled(cloud, _start(cloud, 7, np.random.default_rng(3)), TRIAL))


def test_few_points_far_away_are_not_missed(cloud: np.ndarray) -> None:
    points = cloud.copy()
    points[:2] += 1e3 * np.eye(2, 6)
    found = k_means(points, 3)
    assert sorted(np.linalg.norm(points[:2, None] - found, axis=-1).min(1)) == [0.0, 0.0]
    # A sample of a third of the points would have to hold both.
    assert _spread(points, found) < 0.1 * _spread(points, k_means(points[2:], 3))


@pytest.mark.parametrize("place", [0.0, 30.0])
def test_empty_clusters_are_given_points(place: float) -> None:
    points = groups()
    found = _settled(points, np.full((4, 5), place))
    assert is_fixed(points, found)
    assert len(np.unique(found, axis=0)) == 4


@pytest.mark.filterwarnings("error")
def test_points_whose_squared_distances_vanish() -> None:
    """Beside a point of size 1 they are one; distances that can be squared are kept."""
    tiny = np.array([[1e-170], [2e-170], [1.0], [1.0]])
    assert sorted(k_means(tiny, 2).ravel()) == [0.0, 1.0]
    with pytest.raises(InvalidInput, match="at most the 2 different"):
        k_means(tiny, 3)
    small = np.array([[1e-120], [2e-120], [1.0]])
    assert np.sort(k_means(small, 3), axis=0).tolist() == small.tolist()


def test_hybrid_on_centres_of_data_has_no_variance_at_them() -> None:
    """With complex matrices the base of a pair of centres is exact there (Hybrid random features, eqs 86, 87)."""
    queries, keys = groups() / 20, groups(4) / 20
    first, second = k_means(queries, 3), k_means(keys, 3)
    hybrid = zero_one_mixture(first, second, 4, real=False)
    estimates = hybrid.estimate(Stream(1), range(20), first[1], second[2], kernel="softmax")
    assert np.allclose(estimates, np.exp(first[1] @ second[2]), rtol=1e-10)
    away = hybrid.estimate(Stream(1), range(20), first[1] + 0.3, second[2], kernel="softmax")
    assert away.std() > 1e-3


def test_memory_grows_with_the_points_alone() -> None:
    points = np.random.default_rng(5).standard_normal((20_000, 16))
    tracemalloc.start()
    found = _spread(points, points[:64])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * points.nbytes  # all differences at once take 64 times the points
    few = ((points[:100, None] - points[:64]) ** 2).sum(-1).min(1).sum()
    assert _spread(points[:100], points[:64]) == few < found
