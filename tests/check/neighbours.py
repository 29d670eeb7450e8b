"""Samplers that draw the matrices of neighbouring seeds together, in a fraction of the time."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from benchmarks.planted.seeded import default_rng
from rftheory.check.target import CONSECUTIVE

Draw = Callable[[np.random.Generator, int, int, int], np.ndarray]
"""From a generator, a count, m and d to so many independent matrices, (count, m, d)."""


def neighbours(draw: Draw) -> Callable[[int, int, int], np.ndarray]:
    """A sampler for m, d and a seed. Checks take seeds in runs of CONSECUTIVE: each run has one generator."""

    @lru_cache(maxsize=1)
    def together(run: int, m: int, d: int) -> np.ndarray:
        return draw(default_rng(run), CONSECUTIVE, m, d)

    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        run, place = divmod(seed, CONSECUTIVE)
        return together(run, m, d)[place].copy()

    return sampler
