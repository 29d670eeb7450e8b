"""Errors without a law, measured over the same pairs by sampling the mechanism."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rftheory.choose.data import Pairs
from rftheory.choose.expected import MapErrors
from rftheory.exact.laws import Kernel
from rftheory.sample import Stream, random_features
from rftheory.sample.features import multiplied

LEAST_BLOCKS, MOST_BLOCKS = 16, 4096
CHUNK = 4 * 10**6
"""The most numbers in an array."""
BOUNDED = ("trigonometric", "cosine")
"""Feature maps whose estimates are bounded."""
SURE = 0.02
"""The largest relative variance of a measured square whose standard error can be trusted."""


@dataclass(frozen=True)
class Measurement:
    """A measured error.

    Attributes
    ----------
    rows, blocks : number of rows, and how often they were drawn.
    error, standard_error : relative error over the pairs, and its standard error.

    Examples
    --------
    >>> Measurement(64, 100, 0.5, 0.125).at_most
    0.75
    """

    rows: int
    blocks: int
    error: float
    standard_error: float

    @property
    def at_most(self) -> float:
        """The error plus two standard errors, by which a mechanism without a law is ranked."""
        return self.error + 2 * self.standard_error


def exact_values(pairs: Pairs, kernel: Kernel) -> np.ndarray:
    """The kernel of each pair, (n,).

    Examples
    --------
    >>> from rftheory.choose.data import pairs_of
    >>> exact_values(pairs_of(np.eye(2), lengthscale=1.0), "softmax").tolist()
    [1.0]
    """
    if kernel == "softmax":
        return np.asarray(np.exp((pairs.x * pairs.y).sum(1)))
    return np.asarray(np.exp(-((pairs.x - pairs.y) ** 2).sum(1) / 2))


def blocks_for(rows: int, pairs: Pairs, numbers: int) -> int:
    """How many blocks of ``rows`` rows can be drawn for the pairs with about ``numbers`` numbers."""
    return int(np.clip(numbers // (rows * max(pairs.x.shape)), LEAST_BLOCKS, MOST_BLOCKS))


def most_rows(pairs: Pairs, numbers: int) -> int:
    """The largest number of rows for which enough blocks can be drawn."""
    return max(1, numbers // (LEAST_BLOCKS * max(pairs.x.shape)))


def measure(
    feature: str, parameters: Mapping[str, object], coupling: str, rows: int, pairs: Pairs, kernel: Kernel,
    numbers: int, seed: int, purpose: str = "compare",
) -> Measurement:  # fmt: skip
    """Draw a mechanism for all pairs and measure its relative error.

    Parameters
    ----------
    feature, parameters, coupling, rows : the mechanism.
    numbers : approximate number of random numbers to draw.
    seed, purpose : determine the draws.

    Raises
    ------
    InvalidInput, OutsideDomain : the mechanism does not exist in this dimension, or its features overflow.

    Examples
    --------
    >>> from rftheory.choose.data import pairs_of
    >>> found = measure("positive", {}, "sobol", 32, pairs_of(np.eye(3), lengthscale=1.0), "gaussian", 10**5, 0)
    >>> found.blocks, 0.1 < found.error < 0.4
    (1041, True)
    """
    mechanism = random_features(feature, coupling, rows, d=pairs.d, **parameters)
    stream = Stream.named(f"choose/{purpose}/{mechanism.name}", seed=seed)
    blocks = blocks_for(rows, pairs, numbers)
    step = max(1, CHUNK // (2 * rows * len(pairs.x)))
    target = exact_values(pairs, kernel)
    squares = []
    for start in range(0, blocks, step):
        found = mechanism.features(stream, range(start, min(start + step, blocks)), pairs.x, pairs.y, kernel)
        product = multiplied(*found)
        terms = np.exp(product.log_scale)
        estimates = (terms if product.factor is None else terms * product.factor).sum(-2)
        squares.append(((estimates - target) ** 2).mean(-1) / (target**2).mean())
    table = np.concatenate(squares)
    root = math.sqrt(float(table.mean()))
    error = float(table.std(ddof=1)) / math.sqrt(blocks)
    return Measurement(rows, blocks, root, error / (2 * root) if root else 0.0)


def seen_by_draws(feature: str, known: MapErrors, draws: int) -> bool:
    """Whether so many rows show the tails of the map's estimates, so that a measured error can be trusted.

    An exponential of a normal variable has R = E f^2 / K^2 and E f^4 / (E f^2)^2 = R^4: the relative variance of a
    measured square is about R^4 divided by the number of rows.

    Examples
    --------
    >>> light, heavy = (MapErrors(np.ones(1), np.full(1, s), {}) for s in (0.5, 100.0))
    >>> seen_by_draws("positive", light, 10**5), seen_by_draws("positive", heavy, 10**5)
    (True, False)
    """
    if feature in BOUNDED:
        return True
    share = known.own / known.own.sum() if known.own.sum() > 0 else np.zeros_like(known.own)
    with np.errstate(over="ignore"):
        ratio = 1 + known.own / np.maximum(known.target, 1e-300)
        return bool((share**2 * ratio**4).sum() / draws <= SURE)
