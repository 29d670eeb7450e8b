"""Calibration and power of the normal tests, by exact laws: no random number is drawn here."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, gamma

from rftheory.errors import InvalidInput
from rftheory.judge import Budget, Outcome, tail_gate, z_test

BUDGET = Budget(1e-4, tests=10)
EXPONENTIAL = {"exact": 1.0, "exact_variance": 1.0, "skewness": 2.0, "kurtosis": 9.0}
ENOUGH = int(tail_gate(2.0, 1, BUDGET.z(), kurtosis=9.0).needed)


def border(decide: Callable[[float], Outcome], inside: float, outside: float) -> float:
    """Where the decision turns to refuted on the way from ``inside`` to ``outside``."""
    assert decide(inside) is Outcome.AGREES
    assert decide(outside) is Outcome.REFUTED
    for _ in range(60):
        middle = (inside + outside) / 2
        if decide(middle) is Outcome.REFUTED:
            outside = middle
        else:
            inside = middle
    return outside


def false_alarm(n: int, exact_variance: float = 1.0) -> float:
    """Exact probability that n exponential variables are refuted to have mean 1."""
    claim = EXPONENTIAL | {"exact_variance": exact_variance}

    def decide(mean: float) -> Outcome:
        return z_test(mean, n, budget=BUDGET, **claim).decision

    low, high = border(decide, 1.0, 0.5), border(decide, 1.0, 1.5)
    return gamma.cdf(n * low, n) + gamma.sf(n * high, n)


def test_false_alarm_is_the_level_where_the_gate_is_open():
    assert false_alarm(ENOUGH) == pytest.approx(BUDGET.alpha, rel=0.1)


def test_a_wrong_variance_would_be_seen_in_the_false_alarm():
    assert false_alarm(ENOUGH, exact_variance=0.95) > 1.3 * BUDGET.alpha
    assert false_alarm(ENOUGH, exact_variance=1.05) < 0.8 * BUDGET.alpha


def test_power_at_the_detectable_effect():
    n, p = 10**6, 0.5
    result = z_test(p, n, p, p * (1 - p), BUDGET, skewness=0.0, kurtosis=1.0)
    wrong = p * (1 + result.detectable)
    half = BUDGET.z() * math.sqrt(p * (1 - p) / n)
    assert 0.999 <= binom.sf(n * (p + half), n, wrong) <= 0.9991
    assert binom.sf(n * (p + half), n, p * (1 + 0.8 * result.detectable)) < 0.99
    assert z_test(wrong, n, p, p * (1 - p), BUDGET, skewness=0.0).decision is Outcome.REFUTED


def test_closed_gate_is_undecided_and_names_the_draws():
    result = z_test(1.0, 1000, budget=BUDGET, **EXPONENTIAL)
    assert result.decision is Outcome.UNDECIDED
    assert result.needed == ENOUGH
    assert "draws would be enough" in result.reason
    assert "undecided" in result.summary
    assert z_test(1.0, ENOUGH, budget=BUDGET, **EXPONENTIAL).decision is Outcome.AGREES


@pytest.mark.parametrize("with_kurtosis", [False, True])
@pytest.mark.parametrize("p", [0.0001, 0.003, 0.03])
@pytest.mark.parametrize("n", [1, 10, 100])
def test_moment_bounds_refute_within_the_level_without_a_normal_law(n, p, with_kurtosis):
    """Rare events: exact false-alarm rate by enumeration; the normal rule breaks the level."""
    budget, q = Budget(0.01), 1 - p
    shape = {"skewness": (q - p) / math.sqrt(p * q)}
    if with_kurtosis:
        shape["kurtosis"] = 3 + (1 - 6 * p * q) / (p * q)
    hits = np.arange(n + 1)
    results = [z_test(k / n, n, p, p * q, budget, **shape) for k in hits]
    assert {result.decision for result in results} <= {Outcome.UNDECIDED, Outcome.REFUTED}
    weight = binom.pmf(hits, n, p)
    refuted = np.array([result.decision is Outcome.REFUTED for result in results])
    assert weight[refuted].sum() <= budget.alpha
    assert all(
        weight[hits >= k].sum() <= r.p * (1 + 1e-9) for k, r in zip(hits, results, strict=True) if k > n * p
    )
    if n == 10 and p == 0.003:
        normal = np.array([abs(result.statistic) > budget.z() for result in results])
        assert weight[normal].sum() > 2 * budget.alpha


def test_moment_bound_refutes_what_is_absurd():
    result = z_test(1e6, 1000, budget=BUDGET, **EXPONENTIAL)
    assert result.decision is Outcome.REFUTED
    assert "moment bound" in result.reason
    assert result.needed is None


def test_agreement_without_power_is_undecided():
    weak = z_test(0.5, 1000, 0.5, 0.25, BUDGET, skewness=0.0, tolerance=0.01)
    assert weak.decision is Outcome.UNDECIDED
    enough = math.ceil(weak.needed)
    assert z_test(0.5, enough, 0.5, 0.25, BUDGET, skewness=0.0, tolerance=0.01).decision is Outcome.AGREES
    far = z_test(0.9, 1000, 0.5, 0.25, BUDGET, skewness=0.0, tolerance=0.01)
    assert far.decision is Outcome.REFUTED


def test_an_assumed_normal_law_is_said():
    assert "assumed" in z_test(0.5, 1000, 0.5, 0.25, BUDGET).reason


def test_claims_may_be_fractions():
    third = Fraction(1, 3)
    result = z_test(1 / 3, 10**6, third, Fraction(2, 9), BUDGET, skewness=0.7)
    assert result.statistic == pytest.approx(float(Fraction(1 / 3) - third) / math.sqrt(2 / 9e6), rel=1e-12)
    assert result.statistic != 0
    assert result.interval[0] < 1 / 3 < result.interval[1]


def test_p_value_is_two_sided():
    result = z_test(0.2, 100, 0.0, 1.0, BUDGET)
    assert result.statistic == pytest.approx(2.0)
    assert result.p == pytest.approx(0.0455, abs=1e-4)
    assert z_test(-0.2, 100, 0.0, 1.0, BUDGET).p == result.p


def test_effect_of_a_claimed_zero_is_absolute():
    result = z_test(0.25, 100, 0.0, 1.0, BUDGET)
    assert result.effect == 0.25
    assert z_test(0.25, 100, -0.5, 1.0, BUDGET).effect == 1.5


@pytest.mark.parametrize(
    "bad",
    [
        {"mean": np.nan},
        {"n": 0},
        {"exact": np.inf},
        {"exact_variance": 0.0},
        {"exact_variance": -1.0},
        {"skewness": np.nan},
        {"kurtosis": 4.0},
        {"tolerance": 0.0},
    ],
)
def test_bad_input_is_refused(bad):
    given = {"mean": 0.0, "n": 10, "exact": 0.0, "exact_variance": 1.0, "budget": BUDGET} | bad
    with pytest.raises(InvalidInput):
        z_test(**given)


def test_results_survive_json():
    result = z_test(1.0, 1000, budget=BUDGET, **EXPONENTIAL)
    content = json.loads(json.dumps(replace(result, interval=(0.0, math.inf)).to_dict(), allow_nan=False))
    assert content["decision"] == "undecided"
    assert content["interval"][1] == "inf"


def test_an_approximated_tail_is_said_to_be_one():
    near = z_test(0.5, 1000, 0.5, 0.25, BUDGET, skewness=0.0)
    assert near.tail == "the normal law, by the first terms of Cramer's series"
    assert z_test(0.5, 1000, 0.5, 0.25, BUDGET).tail == "the normal law is assumed"
    corrected = z_test(0.0, 100_000, 0.0, 1.0, Budget(1e-6, tests=50), skewness=2.83, kurtosis=15.0)
    assert corrected.tail == "two terms of Cramer's series"
    assert z_test(1e6, 1000, budget=BUDGET, **EXPONENTIAL).tail == ""  # Chebyshev's inequality is a theorem
