"""Levels and thresholds, against a table."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from rftheory.errors import InvalidInput
from rftheory.judge import Budget

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


@pytest.mark.parametrize(
    "bad",
    [
        {"alpha_run": 0},
        {"alpha_run": 1},
        {"alpha_run": np.nan},
        {"tests": 0},
        {"alpha_run": 5e-324, "tests": 9},
    ],
)
def test_bad_budgets_are_refused(bad):
    with pytest.raises(InvalidInput):
        Budget(**bad)
    with pytest.raises(InvalidInput, match="1 or 2"):
        Budget().z(sides=3)
