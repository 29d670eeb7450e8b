"""Calls that are not alike: the law of what a call returns depends on how many there were before."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from rftheory.check.diagnosis import Diagnosis
from rftheory.check.target import CONSECUTIVE

CERTAIN = 1e-6
"""Calls that are alike look as if they changed with at most this probability."""
FEWEST = 4
"""So many averages are compared at least, on both sides."""
ALIKE = 0.9
"""The share of one value from which on others are rare events."""
TINY = 1e-12


class Drift(NamedTuple):
    """The number of the column that changes, and the number of calls before it does."""

    column: int
    calls: int


def of_calls(values: np.ndarray) -> Drift | None:
    """The change of the column, of values (calls, k), that is seen best; None if all calls look alike.

    Ranks of the values, and of their distances from the median, are averaged over CONSECUTIVE calls, which may depend
    on each other. The averages before and after a call are compared by Student's test, for all calls with FEWEST
    averages on both sides. Columns of rare events, whose averages are far from normal, are left out.

    Examples
    --------
    >>> alike = np.random.default_rng(1).standard_normal((1024, 2))
    >>> halved = alike * np.where(np.arange(1024) < 200, 1.0, 0.5)[:, None]
    >>> of_calls(alike), abs(of_calls(halved).calls - 200) < 20
    (None, True)
    """
    from scipy import stats  # imported here because it is slow to import, and only defects need it

    count = len(values) // CONSECUTIVE
    first = np.arange(FEWEST, count - FEWEST + 1)[:, None]
    if len(first) == 0:
        return None
    both = np.concatenate([values, np.abs(values - np.median(values, axis=0))], axis=1).round(9)
    rare = (both == np.median(both, axis=0)).mean(0) > ALIKE
    ranks = stats.rankdata(both, axis=0)[: count * CONSECUTIVE]
    ranks = (ranks - ranks.mean(0)).reshape(count, CONSECUTIVE, -1).mean(1)
    before = np.cumsum(ranks, axis=0)[FEWEST - 1 : count - FEWEST]
    total = ranks.sum(0)
    between = before**2 / first + (total - before) ** 2 / (count - first) - total**2 / count
    within = (ranks**2).sum(0) - total**2 / count - between
    between[:, rare] = 0.0
    share = between / np.maximum(between + np.maximum(within, 0.0), TINY)
    split, column = np.unravel_index(int(share.argmax()), share.shape)
    largest = math.sqrt((count - 2) * share[split, column] / max(1 - share[split, column], TINY))
    if 2 * share.size * float(special.stdtr(count - 2, -largest)) > CERTAIN:
        return None
    return Drift(int(column) % values.shape[1], (int(split) + FEWEST) * CONSECUTIVE)


def named(values: np.ndarray, what: str, calls: int) -> Diagnosis:
    """The diagnosis for values of each call that change after so many of them."""
    before, after = values[:calls], values[calls:]
    sentence = (
        f"calls are not alike: {what} is {before.mean():.4g} on average (standard deviation {before.std():.2g}) in the "
        f"first {calls} calls of the run and {after.mean():.4g} ({after.std():.2g}) in the other {len(after)}. "
        "What a call returns depends on how many there were before, as where each changes a state that is kept, so "
        "there is no law that all draws follow. Derive every draw from its seed alone"
    )
    return Diagnosis("calls-unalike", sentence, evidence={"calls before": calls})
