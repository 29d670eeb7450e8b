"""Determinism: the same seed gives the same draw, different seeds give different ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rftheory.check.findings import Finding, fact

PROPERTY = "determinism"


def of_calls(
    call: Callable[[int], np.ndarray], seeds: Sequence[int], has_seed: bool, *, few_draws: bool
) -> list[Finding]:
    """Test two calls with the first seed, and one with the second; with all others where few draws are possible."""
    first, again = call(seeds[0]), call(seeds[0])
    others = seeds[1:] if few_draws else seeds[1:2]
    found = []
    if has_seed:
        gap = float(np.abs(first - again).max())
        found.append(
            fact(PROPERTY, "the same seed gives the same draw", gap == 0, 2, gap, "largest difference")
        )
    gap = max(float(np.abs(first - call(other)).max()) for other in others)
    label = "different seeds give different draws" if has_seed else "two calls give different draws"
    found.append(fact(PROPERTY, label, gap > 0, 2, gap, "largest difference"))
    return found


def of_inputs(written: bool, calls: int) -> Finding:
    """Test that no call has changed the arrays that it was given, which are the caller's.

    Examples
    --------
    >>> of_inputs(True, 8).outcome.value
    'refuted'
    """
    label = "a call leaves the inputs that it is given as they are"
    return fact(PROPERTY, label, not written, calls, float(written), "whether some were changed")


def of_batches(
    call: Callable[[slice], np.ndarray], alone: Callable[[slice], np.ndarray], size: int,
    *, sizes: np.ndarray, allowed: np.ndarray,
) -> Finding:  # fmt: skip
    """Test that an estimate does not depend on the other inputs of the call: the last ones of a batch of this size.

    With the same seed they are estimated together with the others, and alone, each input in a call of its own. A sum
    may be rounded in another way then. ``sizes`` are those of estimates in which nothing cancels: where much does, the
    difference is relative to these. ``allowed`` is what rounding explains.
    """
    start = size - len(sizes)
    together = call(slice(0, size))[start:]
    apart = np.concatenate([alone(slice(i, i + 1)) for i in range(start, size)])
    scale = np.maximum(np.maximum(np.abs(together), np.abs(apart)), sizes)
    gaps = np.abs(together - apart) / np.where(scale > 0, scale, 1.0)
    label = "the features of an input do not depend on the other inputs"
    holds, goal = bool((gaps < allowed).all()), float(allowed.max())
    return fact(PROPERTY, label, holds, 2, float(gaps.max()), "largest relative difference", goal=goal)
