"""The winner, drawn: does its error over the pairs come out as the exact law says?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rftheory.choose.data import Pairs
from rftheory.exact.laws import Kernel
from rftheory.sample import Mechanism, Stream, feature_map

if TYPE_CHECKING:
    from rftheory.choose.advice import Choice

NUMBERS = 4 * 10**7
"""Random numbers that may be drawn, a second or two."""
LEAST_BLOCKS, MOST_BLOCKS = 32, 4096


@dataclass(frozen=True)
class Confirmation:
    """A measured error beside the exact one.

    Attributes
    ----------
    rows : the number of rows that were drawn: the one chosen, or fewer if that many are too many.
    measured, error : relative error over the pairs, and its standard error.
    exact : by the law, for as many rows and the same pairs.

    Examples
    --------
    >>> Confirmation(64, 0.101, 0.002, 0.1).agrees
    True
    """

    rows: int
    measured: float
    error: float
    exact: float

    @property
    def agrees(self) -> bool:
        """Whether they differ by less than six standard errors."""
        return abs(self.measured - self.exact) <= 6 * self.error + 1e-12


def confirm(choice: Choice, pairs: Pairs, kernel: Kernel, seed: int) -> Confirmation:
    """Draw the mechanism for the pairs and measure its error.

    Examples
    --------
    >>> from rftheory.choose import choose
    >>> choose(np.eye(4), features=16, lengthscale=1.0).confirmation.agrees
    True
    """
    from rftheory.choose.expected import Laws
    from rftheory.spec import find_coupling, find_map

    few = Pairs(pairs.x[:8], pairs.y[:8], pairs.lengthscale, pairs.total, pairs.square_sum, pairs.square_sums)
    rows = min(choice.rows, max(1, NUMBERS // (LEAST_BLOCKS * pairs.d * len(few.x))))
    blocks = int(np.clip(NUMBERS // (rows * pairs.d * len(few.x)), LEAST_BLOCKS, MOST_BLOCKS))
    coupling = find_coupling(choice.coupling)
    law = Laws(few, kernel).of(find_map(choice.feature), choice.parameters, [coupling])
    exact = law.relative(rows, coupling.pairs(pairs.d, rows))
    mechanism = Mechanism(feature_map(choice.feature, **choice.parameters), choice.coupling, rows)
    stream = Stream.named("choose", seed=seed)
    squares = np.zeros(blocks)
    for x, y in zip(few.x, few.y, strict=True):
        found = np.asarray(mechanism.estimate(stream, range(blocks), x, y, kernel))
        squares += (found - _kernel(x, y, kernel)) ** 2 / len(few.x)
    squares /= float(law.target.mean())
    mean, error = float(squares.mean()), float(squares.std(ddof=1) / math.sqrt(blocks))
    root = math.sqrt(mean)
    return Confirmation(rows, root, error / (2 * root) if root else 0.0, exact)


def _kernel(x: np.ndarray, y: np.ndarray, kernel: Kernel) -> float:
    return float(np.exp(-((x - y) ** 2).sum() / 2) if kernel == "gaussian" else np.exp(x @ y))
