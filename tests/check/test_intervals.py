"""The numbers of a line belong together: an effect lies in its own interval, and on the side that was refuted."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rftheory.check.consequences import Consequence, _below
from rftheory.check.findings import Finding, Level, centred_mean, nonnegative_mean
from rftheory.check.laws import ErrorLaw
from rftheory.judge import Outcome

LEVEL = Level(1e-8)
MOMENTS = {2: 2.0, 3: 6.0, 4: 24.0}
"""Those of an exponential variable of mean 1."""


def small_with_rare_large_values(count: int = 40_000) -> np.ndarray:
    """Values whose mean is that of the claim, 1, by a few values that no law with the claimed moments has."""
    values = 0.9 * np.random.default_rng(0).exponential(size=count)
    values[:8] += 0.105 * count / 8
    return values


def the_two_belong_together(found: Finding) -> bool:
    low, high = found.interval
    return low <= found.effect <= high and "cut" in found.reason and "higher moments" in found.given


def test_a_mean_refuted_by_cut_values_is_shown_with_theirs() -> None:
    values = small_with_rare_large_values()
    assert values.mean() > 1  # so that the mean itself would be shown as too large
    found = nonnegative_mean("p", "t", values, 1.0, MOMENTS, LEVEL, 0.1)
    assert found.outcome is Outcome.REFUTED
    assert found.interval[1] < 0
    assert the_two_belong_together(found)


@pytest.mark.parametrize("sign", [1, -1])
def test_so_is_a_mean_of_either_sign(sign: int) -> None:
    values = np.random.default_rng(0).standard_normal(40_000) - 0.2
    values[:8] += 0.25 * len(values) / 8
    found = centred_mean("p", "t", sign * values, 3.0, LEVEL, 0.1, unit=1.0)
    assert found.outcome is Outcome.REFUTED
    assert math.copysign(1, found.effect) == -sign
    assert the_two_belong_together(found)


def test_a_look_without_intervals_shows_the_side_that_it_refuted() -> None:
    found = nonnegative_mean(
        "p", "t", small_with_rare_large_values(), 1.0, MOMENTS, replace(LEVEL, final=False), 0.1
    )
    assert found.outcome is Outcome.REFUTED
    assert found.effect < 0
    assert "cut" in found.reason


def test_an_effect_that_needs_no_promise_is_that_of_all_values() -> None:
    values = 1.5 * np.random.default_rng(0).exponential(size=4000)
    for level in (LEVEL, replace(LEVEL, final=False)):
        found = nonnegative_mean("p", "t", values, 1.0, MOMENTS, level, 0.1)
        assert found.effect == pytest.approx(values.mean() - 1)
        assert not found.given
        assert not found.reason


def test_a_squared_error_seen_to_be_smaller_by_its_moments_is_shown_with_them() -> None:
    errors = small_with_rare_large_values()
    values = 0.999 * errors / errors.mean() - 1
    one = Consequence("squared error of K^", "x = y", float(values.mean()), (-1.0, math.inf))
    found = _below(one, values, ErrorLaw(1.0, MOMENTS), 1e-8)
    assert found.interval[0] <= found.effect <= found.interval[1] < 0
    assert found.given
