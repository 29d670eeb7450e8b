"""A test by the normal law, for moments of samples that are not kept draw by draw.

The package's own tests rest on theorems. Here a sample variance may stand in for the exact one, and a false alarm costs
a look at a failed test.
"""

from __future__ import annotations

import math

from rftheory.judge import Budget, Outcome


def normal_test(
    mean: float, n: int, claimed: float, variance: float, budget: Budget, tolerance: float | None = None
) -> Outcome:
    """The outcome for a mean of n draws; undecided if an error of `tolerance`, relative to the claim, is missed."""
    sigma = math.sqrt(variance / n)
    if abs(mean - claimed) > budget.z() * sigma:
        return Outcome.REFUTED
    seen = (budget.z() + budget.z_power) * sigma / (abs(claimed) or 1.0)
    return Outcome.UNDECIDED if tolerance is not None and seen > tolerance else Outcome.AGREES
