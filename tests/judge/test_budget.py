"""Levels and gates, against tables and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import gamma, norm

from rftheory.errors import InvalidInput
from rftheory.judge import (
    Budget,
    skewed_thresholds,
    tail_gate,
)

BUDGET = Budget(1e-6, tests=300)


@pytest.mark.parametrize(
    ("alpha_run", "z", "effect", "log_e"),
    [(1e-2, 4.15, 7.2, 10.3), (1e-4, 5.10, 8.2, 14.9), (1e-6, 5.91, 9.0, 19.5), (1e-9, 6.96, 10.1, 26.4)],
)
def test_thresholds_of_300_tests(alpha_run, z, effect, log_e):
    budget = Budget(alpha_run, tests=300)
    assert budget.z() == pytest.approx(z, abs=0.006)
    assert budget.z() + budget.z_power == pytest.approx(effect, abs=0.06)
    assert budget.log_e == pytest.approx(log_e, abs=0.06)
    assert 2 * norm.sf(budget.z()) * 300 == pytest.approx(alpha_run, rel=1e-9)
    assert norm.sf(budget.z(sides=1)) * 300 == pytest.approx(alpha_run, rel=1e-9)


@pytest.mark.parametrize("bad", [{"alpha_run": 0}, {"alpha_run": 1}, {"alpha_run": np.nan}, {"tests": 0}])
def test_bad_budgets_are_refused(bad):
    with pytest.raises(InvalidInput):
        Budget(**bad)
    with pytest.raises(InvalidInput, match="1 or 2"):
        Budget().z(sides=3)


@pytest.mark.parametrize(
    ("skewness", "n"), [(0.51, 3.4e4), (3.8, 1.9e6), (8.7, 9.9e6), (12, 1.9e7), (1.8, 4e5), (34, 1.5e8)]
)
def test_tail_gate_needs_the_draws_of_the_table(skewness, n):
    gate = tail_gate(skewness, 10, BUDGET.z())
    assert not gate.trusted
    assert gate.needed == pytest.approx(n, rel=0.07)
    assert tail_gate(-skewness, int(gate.needed), BUDGET.z()).trusted
    assert not tail_gate(skewness, int(0.99 * gate.needed), BUDGET.z()).trusted
    assert tail_gate(skewness, 10, BUDGET.z(), studentised=True).needed == pytest.approx(
        4 * gate.needed, rel=1e-4
    )


@pytest.mark.parametrize("z", [3.0, 4.5, 6.0])
def test_tail_gate_tells_the_true_tail_of_sums_of_exponentials(z):
    """Skewness 2, kurtosis 9; the sum of n of them is Gamma(n), so the tail is known exactly."""
    n = tail_gate(2.0, 1, z, kurtosis=9.0).needed
    for draws in (n, n / 30):
        upper = gamma.sf(draws + z * math.sqrt(draws), draws) / norm.sf(z)
        lower = gamma.cdf(draws - z * math.sqrt(draws), draws) / norm.sf(z)
        # at n the gate promises 10 %; the series' next term and its prefactor are allowed a third of that
        inside = bool(max(upper, 1 / lower) < 1.1 * 1.03)
        assert inside is (draws == n)


def test_second_term_of_the_gate_is_that_of_the_true_tails():
    """The mean of the two log tail ratios is free of skewness to first order: it shows the kurtosis term."""
    z, n = 6.0, 4000
    upper = gamma.logsf(n + z * math.sqrt(n), n) - norm.logsf(z)
    lower = gamma.logcdf(n - z * math.sqrt(n), n) - norm.logsf(z)
    second = (9 - 3 - 3 * 2**2) * z**4 / (24 * n)
    assert (upper + lower) / 2 == pytest.approx(second, rel=0.25)  # next terms are of order 1 / z^2 of it
    first = 2 * z**3 / (6 * math.sqrt(n))
    assert (upper - lower) / 2 == pytest.approx(first, rel=0.25)
    limit = math.expm1(first + abs(second))
    assert tail_gate(2.0, n, z, kurtosis=9.0, limit=limit * 1.001).trusted
    assert not tail_gate(2.0, n, z, kurtosis=9.0, limit=limit * 0.999).trusted


def test_kurtosis_closes_the_gate_of_a_symmetric_heavy_tail():
    assert tail_gate(0.0, 1000, 5.9).trusted
    gate = tail_gate(0.0, 1000, 5.9, kurtosis=100.0)
    assert not gate.trusted
    assert tail_gate(0.0, int(gate.needed), 5.9, kurtosis=100.0).trusted
    with pytest.raises(InvalidInput, match="at least 1"):
        tail_gate(3.0, 1000, 5.9, kurtosis=5.0)


def test_gate_of_an_absurd_skewness_does_not_overflow():
    gate = tail_gate(1e9, 2, 6.0)
    assert not gate.trusted
    assert gate.needed > 1e18


@pytest.mark.parametrize("shape", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("factor", [3, 9])
def test_skewed_thresholds_keep_the_level_of_gamma_sums(shape, factor):
    """A sum of n Gamma(a) draws is Gamma(n a), so both tails are known; the plain threshold misses the upper one."""
    skewness, kurtosis = 2 / math.sqrt(shape), 3 + 6 / shape
    n = factor * math.ceil((4 * skewness * BUDGET.z()) ** 2)
    below, above = skewed_thresholds(BUDGET, n, skewness, kurtosis)
    law = gamma(n * shape)
    upper = law.sf(n * shape + above * math.sqrt(n * shape))
    lower = law.cdf(n * shape - below * math.sqrt(n * shape))
    assert upper == pytest.approx(BUDGET.alpha / 2, rel=0.1)
    assert lower == pytest.approx(BUDGET.alpha / 2, rel=0.1)
    plain = law.sf(n * shape + BUDGET.z() * math.sqrt(n * shape))
    assert plain > 1.5 * BUDGET.alpha / 2


def test_skewed_thresholds_are_refused_where_the_series_does_not_converge():
    assert skewed_thresholds(BUDGET, 100, 2.0, 9.0) is None
    assert skewed_thresholds(BUDGET, 10**6, 1.0, 1e4) is None
