"""Determinism: the same seed gives the same draw, different seeds give different ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rftheory.check.findings import Finding, fact

PROPERTY = "determinism"


def of_calls(call: Callable[[int], np.ndarray], seeds: tuple[int, int], has_seed: bool) -> list[Finding]:
    """Three calls: twice the same seed, once another."""
    first, again, other = call(seeds[0]), call(seeds[0]), call(seeds[1])
    found = []
    if has_seed:
        gap = float(np.abs(first - again).max())
        found.append(
            fact(PROPERTY, "the same seed gives the same draw", gap == 0, 2, gap, "largest difference")
        )
    gap = float(np.abs(first - other).max())
    label = "different seeds give different draws" if has_seed else "two calls give different draws"
    found.append(fact(PROPERTY, label, gap > 0, 2, gap, "largest difference"))
    return found
