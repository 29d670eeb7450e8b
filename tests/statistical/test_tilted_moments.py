"""Moments at large |x + y|, under tilts, against the exact laws; each with a planted error that is refuted.

A value under a tilt lies in [0, 1], so the betting test applies: no normal law is assumed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb

from rftheory.engine import collect
from rftheory.engine.tilt import Tilt, TiltedMoment
from rftheory.errors import InvalidInput
from rftheory.exact import find_formula
from rftheory.exact.conformity import angle_conformity_ball, orf_conformity_ball, simplex_cosine
from rftheory.judge import Bins, Budget, Outcome, betting_test, settled
from rftheory.sample import Mechanism, Stream, angular_hybrid, oprf
from rftheory.sample.shapes import IDENTITY, SIMPLEX

BUDGET = Budget(1e-9)


def pair(d: int, v: float) -> tuple[np.ndarray, np.ndarray]:
    """Inputs x = y with |x + y| = v, along no axis."""
    x = np.full(d, v / 2 / math.sqrt(d))
    return x, x


def log_pair_moment(coupling: str, d: int, v: float) -> float:
    """log E b_1 b_2 for positive features, without the factors of the inputs."""
    if coupling == "iid":
        return v * v
    if coupling == "orthogonal":
        return float(orf_conformity_ball(d, arb(v)).log())
    return float(angle_conformity_ball(d, arb(v), simplex_cosine(d)).log())


def log_second_moment(coupling: str, d: int, m: int, v: float) -> float:
    """log E of the squared estimate of the Gaussian kernel at x = y, m <= d."""
    terms = [2 * v * v - math.log(m), log_pair_moment(coupling, d, v) + math.log((m - 1) / m)]
    return float(np.logaddexp(*terms)) - v * v


def judged(statistic: TiltedMoment, log_exact: float, tolerance: float, factor: float = 1.0) -> Outcome:
    """Test the moment exp(log_exact) times a factor, with as many draws as the tolerance asks for."""
    mean = factor * math.exp(log_exact - statistic.log_scale)
    stop = settled(mean, BUDGET, tolerance=tolerance)
    bins = collect(Bins, statistic, 2**19, stop=stop)
    return betting_test(bins, mean, BUDGET, tolerance=tolerance).decision


@pytest.mark.parametrize("coupling", ["iid", "orthogonal", "simplex"])
def test_second_moment_of_positive_features_at_norm_10(coupling):
    d, m, v, tolerance = 64, 64, 10.0, 0.08
    statistic = TiltedMoment(
        Mechanism("positive", coupling, m), Stream.named("tilt"), *pair(d, v), "gaussian"
    )
    exact = log_second_moment(coupling, d, m, v)
    assert judged(statistic, exact, tolerance) is Outcome.AGREES
    assert judged(statistic, exact, tolerance, factor=1.0 + tolerance) is Outcome.REFUTED


@pytest.mark.parametrize("coupling", ["orthogonal", "simplex"])
@pytest.mark.parametrize(("d", "v"), [(64, 10.0), (64, 2.0), (6, 6.0), (4, 3.0)])
def test_coupled_cross_terms(coupling, d, v):
    mechanism, tolerance = Mechanism("positive", coupling, d), 0.08
    statistic = TiltedMoment(mechanism, Stream.named("cross"), *pair(d, v), "gaussian", powers=(1, 1))
    exact = log_pair_moment(coupling, d, v) - v * v
    assert judged(statistic, exact, tolerance) is Outcome.AGREES
    assert judged(statistic, exact, tolerance, factor=1.0 - tolerance) is Outcome.REFUTED


def test_the_headline_of_optimal_positive_features():
    """Both variances at d = 64, |x + y|^2 = 100, whose ratio exceeds e^60 (chefs.intro.e60)."""
    d, v, tolerance = 64, 10.0, 0.08
    x, y = pair(d, v)
    logs = {}
    for phi, name in (("positive", "positive"), (oprf(v * v, d), "oprf")):
        statistic = TiltedMoment(Mechanism(phi, "iid", 1), Stream.named(f"headline {name}"), x, y)
        log_square = 2 * (v * v / 4)  # K^2 = exp(2 x . y)
        growth = (
            v * v if name == "positive" else float(find_formula("oprf_log_second").enclose(15, d=d, v="10"))
        )
        logs[name] = log_square + growth
        assert judged(statistic, logs[name], tolerance) is Outcome.AGREES
        assert judged(statistic, logs[name], tolerance, factor=1.0 - tolerance) is Outcome.REFUTED
    gain = float(find_formula("log_oprf_gain").enclose(15, d=d, v="10"))
    assert math.isclose(logs["positive"] - logs["oprf"], gain, rel_tol=1e-12)
    assert gain > 60


def test_third_and_fourth_moments_of_one_projection():
    for power in (1, 3, 4):
        statistic = TiltedMoment(
            Mechanism("positive", "orthogonal", 8),
            Stream.named("power"),
            *pair(8, 3.0),
            "gaussian",
            powers=(power,),
        )
        exact = 4.5 * (power**2 - power)  # E b^n = exp((n^2 - n) v^2 / 2) at x = y
        assert judged(statistic, exact, 0.1) is Outcome.AGREES
        assert judged(statistic, exact, 0.1, factor=1.1) is Outcome.REFUTED


def test_a_weight_without_the_direction_is_refuted(monkeypatch):
    def forgotten(*arguments):
        point, log_weight = MOVED(*arguments)
        return point, 0.99 * log_weight

    from rftheory.engine import tilt

    MOVED = tilt.moved
    monkeypatch.setattr(tilt, "moved", forgotten)
    statistic = TiltedMoment(
        Mechanism("positive", "simplex", 64),
        Stream.named("cross"),
        *pair(64, 10.0),
        "gaussian",
        powers=(1, 1),
    )
    assert judged(statistic, log_pair_moment("simplex", 64, 10.0) - 100.0, 0.08) is Outcome.REFUTED


@pytest.mark.parametrize("v", [1e3, 1.5e3, 1e4])
def test_norms_stay_finite_where_the_slope_comes_close_to_one(v):
    """At d = 3 the slope is 1 - 3 / (2 v)^2; rounded to six digits it would be 1 from v = 1225 on."""
    statistic = TiltedMoment(
        Mechanism("positive", "orthogonal", 3), Stream.named("long"), *pair(3, v), powers=(2,)
    )
    ((slopes,),) = [factor.slopes for factor in statistic.pieces[0].factors]
    assert 0 < (1 - slopes[0]) * (2 * v) ** 2 / 3 < 2
    values = statistic(range(2000))
    assert ((values >= 0) & (values <= 1)).all()
    assert values.max() > 1e-3


@pytest.mark.parametrize(
    ("coupling", "d", "v", "powers"),
    [
        ("iid", 2, 0.0040596, (1,)),  # its slope has two digits after the sixth place
        ("orthogonal", 2, 0.006, (1, 1)),
        ("simplex", 5, 53.0, (1, 1, 4)),  # two norms large, one small
        ("simplex", 4, 31.0, (2, 3, 2)),
        ("simplex", 4, 209.0, (3, 4, 3, 3)),
    ],
)
def test_no_product_exceeds_its_bound(coupling, d, v, powers):
    statistic = TiltedMoment(
        Mechanism("positive", coupling, 4), Stream.named("bound"), *pair(d, v), powers=powers
    )
    tilt = statistic.pieces[0].factors[0]
    reach = np.sqrt(d) + 4.0
    chis = np.random.default_rng(7).uniform(0.0, reach, (20_000, len(powers)))
    for slopes in tilt.slopes:
        norms = chis / np.sqrt(1 - np.asarray(slopes))
        heights = tilt._log_at(norms)[0] + tilt._log_norm_weights(norms, tilt.slopes, np)
        assert heights.max() <= tilt.log_bound
    values = statistic(range(20_000))
    assert ((values >= 0) & (values <= 1)).all()


@pytest.mark.parametrize("shape", [IDENTITY, SIMPLEX], ids=lambda shape: shape.name)
@pytest.mark.parametrize("alpha", [0.0, -0.3])
def test_slopes_of_heights_are_those_of_differences(shape, alpha):
    tilt, h = Tilt(shape, 5, 3.0, (2, 1, 3), alpha, -1.2), 1e-5
    norms = np.random.default_rng(8).uniform(1.0, 9.0, (50, 3))
    _, slopes = tilt._log_at(norms)
    moved = [tilt._log_at(norms + h * step)[0] - tilt._log_at(norms - h * step)[0] for step in np.eye(3)]
    assert np.abs(slopes - np.stack(moved, axis=-1) / (2 * h)).max() < 1e-7
    assert np.abs(slopes).max() > 1.0


def test_float32_inputs_are_the_numbers_that_they_hold():
    x, y = (1e3 * np.array([0.4, -0.3, 0.2])).astype(np.float32), np.ones(3, dtype=np.float32)
    mechanism = Mechanism("positive", "orthogonal", 3)
    single = TiltedMoment(mechanism, Stream(1), x, y)
    assert single.log_scale == TiltedMoment(mechanism, Stream(1), x.astype(float), y.astype(float)).log_scale


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: TiltedMoment("positive", Stream(1), x, y),
        lambda x, y: TiltedMoment(angular_hybrid(2, 2), Stream(1), x, y),
        lambda x, y: TiltedMoment(Mechanism("positive", "orthogonal", 3), 1, x, y),
        lambda x, y: TiltedMoment(Mechanism("positive", "orthogonal", 3), Stream(1), x, y[:2]),
        lambda x, y: TiltedMoment(Mechanism("positive", "orthogonal", 3), Stream(1), x, y, powers=2),
        lambda x, y: TiltedMoment(Mechanism("positive", "orthogonal", 3), Stream(1), x, y, powers=(1.5,)),
        lambda x, y: TiltedMoment(Mechanism("positive", "orthogonal", 3), Stream(1), 1e10 * x, y),
        lambda x, y: Tilt(IDENTITY, 3, None, (1,)),
    ],
)
def test_bad_requests(call):
    with pytest.raises(InvalidInput):
        call(*pair(3, 1.0))
