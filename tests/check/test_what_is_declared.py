"""What is declared is what is tested: no coupling, one property, a common factor, a smaller effect to exclude."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.planted.defects import independent, orthogonal, positive, qr_signs
from benchmarks.planted.invented import simplex
from benchmarks.planted.seeded import default_rng
from rftheory.check import check
from rftheory.check.findings import Level, nonnegative_mean
from rftheory.check.properties.unbiasedness import _positive_law
from rftheory.errors import InvalidInput, UnknownName
from rftheory.judge import Outcome

pytestmark = pytest.mark.usefixtures("end_after")


def test_no_coupling_promises_marginals_and_means_alone(end_after: Callable[[int], None]) -> None:
    end_after(16384)
    for sampler in (orthogonal, independent, simplex):
        report = check(sampler, coupling="none", d=4, intervals=False)
        assert report.ok, report.text()
        assert report.verdicts["coupling"] is report.verdicts["variance"] is None
    assert [d.name for d in check(qr_signs, coupling="none", d=4, intervals=False).diagnoses] == ["qr-signs"]


def test_one_property_alone() -> None:
    report = check(qr_signs, coupling="orthogonal", d=4, only=["coupling"], intervals=False)
    assert report.ok
    assert {f.topic for f in report.findings} == {"coupling"}
    assert not check(qr_signs, coupling="orthogonal", d=4, only=["directions"], intervals=False).ok
    with pytest.raises(UnknownName, match="did you mean 'coupling'"):
        check(qr_signs, only=["couplings"])


def three_times(x: np.ndarray, seed: int) -> np.ndarray:
    return math.sqrt(3) * positive(x, seed)


def tilted(x: np.ndarray, seed: int) -> np.ndarray:
    return three_times(x, seed) * np.exp(0.3 * (x * x).sum(1, keepdims=True))


def random_factor(x: np.ndarray, seed: int) -> np.ndarray:
    return positive(x, seed) * default_rng(seed).random()


def test_a_common_factor_may_be_left_open() -> None:
    report = check(three_times, features="positive", d=4, up_to_scale=True, intervals=False)
    assert report.ok
    assert any("divided by 3" in note for note in report.notes)
    assert not check(three_times, features="positive", d=4, intervals=False).ok
    assert not check(tilted, features="positive", d=4, up_to_scale=True, intervals=False).ok
    with pytest.raises(InvalidInput, match="the same in all draws"):
        check(random_factor, features="positive", d=4, up_to_scale=True)
    with pytest.raises(InvalidInput, match="--lengthscale"):
        check(orthogonal, coupling="orthogonal", d=4, up_to_scale=True)


def test_a_smaller_effect_takes_more_draws(end_after: Callable[[int], None]) -> None:
    def slightly(m: int, d: int, seed: int) -> np.ndarray:
        return 1.004 * independent(m, d, seed)

    end_after(16384)
    options = {"coupling": "iid", "d": 4, "only": ["marginal"], "intervals": False}
    plain, asked = (check(independent, goal=goal, **options) for goal in (None, 0.1))
    assert plain.ok
    assert asked.ok
    assert asked.calls > plain.calls
    assert all(f.goal <= 0.1 for f in asked.findings)
    assert check(slightly, **options).ok
    assert not check(slightly, goal=0.02, **options).ok


def hyperbolic_orthogonal(x: np.ndarray, seed: int, m: int = 32) -> np.ndarray:
    along = x @ orthogonal(m, x.shape[1], seed).T
    both = np.concatenate([along, -along], axis=1)
    features: np.ndarray = np.exp(both - (x * x).sum(1, keepdims=True)) / math.sqrt(2 * m)
    return features


def waves_simplex(x: np.ndarray, seed: int, m: int = 32, size: float = 1.0) -> np.ndarray:
    along = size * x @ simplex(m, x.shape[1], seed).T
    features: np.ndarray = np.concatenate([np.cos(along), np.sin(along)], axis=1) / math.sqrt(m)
    return features


def test_means_are_decided_where_no_variance_is_promised() -> None:
    known = check(hyperbolic_orthogonal, features="hyperbolic", coupling="orthogonal", d=4, intervals=False)
    assert known.ok
    assert known.verdicts["variance"] is Outcome.AGREES
    report = check(hyperbolic_orthogonal, features="hyperbolic", coupling="none", d=4, intervals=False)
    assert report.ok
    assert report.verdicts["variance"] is None
    report = check(waves_simplex, features="trigonometric", coupling="simplex", d=4, intervals=False)
    assert report.ok
    wrong = check(
        lambda x, seed: waves_simplex(x, seed, size=1.3), features="trigonometric", coupling="simplex", d=4,
        intervals=False,
    )  # fmt: skip
    assert [d.name for d in wrong.diagnoses] == ["kernel-scale"]


def test_the_size_of_an_effect_is_not_cut_and_its_interval_holds_it() -> None:
    draw = np.random.default_rng(2)
    moments = {2: 2.0, 3: 6.0, 4: 24.0}  # of exponential values
    for factor in (2.0, 22.0):
        values = factor * draw.exponential(size=2000)
        found = nonnegative_mean("", "", values, 1.0, moments, Level(1e-6), 0.3)
        assert found.outcome is Outcome.REFUTED
        assert found.effect == pytest.approx(factor - 1, rel=0.1)
        assert found.interval[0] < factor - 1 < found.interval[1]


def test_the_law_of_one_row_bounds_that_of_an_average() -> None:
    from rftheory.check.measures import Case

    bound = _positive_law(Case.of(4, 32, "none", "", "gaussian", 1.0, 0), 1.0).above(0.0)
    for name in ("iid", "orthogonal", "simplex"):
        exact = _positive_law(Case.of(4, 32, name, "", "gaussian", 1.0, 0), 1.0).above(0.0)
        assert all(exact[k] <= bound[k] for k in (2, 3, 4))
