"""Errors without a law, measured over the same pairs by sampling the mechanisms.

A squared error is the sum over rows i and j of e_i e_j/m^2, where e_i is the error of one row. If each row is N(0, I),
the part with i = j has a known mean: the law of one row, whatever the coupling. Then the rest alone is measured. That
matters where the squares of single rows have heavy tails, which a few thousand draws do not show; products of two
rows have much lighter ones.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rftheory.check.findings import FEWEST, tail_index
from rftheory.choose.choice import Uncertain
from rftheory.choose.data import Pairs, exact_values
from rftheory.choose.expected import MapErrors
from rftheory.exact.laws import Kernel
from rftheory.sample import Mechanism, RandomFeatures, Stream, random_features
from rftheory.sample.features import multiplied
from rftheory.sample.mechanisms import Features, joint_features
from rftheory.spec import find_coupling

LEAST_BLOCKS, MOST_BLOCKS = 16, 4096
CHUNK = 4 * 10**6
"""The most numbers in an array."""
BOUNDED = ("trigonometric", "cosine")
"""Feature maps whose estimates are bounded."""
ONE_BY_ONE = ("hyperbolic",)
"""Maps with several features a row whose features are the first of all rows, then the second of all rows."""
SURE = 0.02
"""The largest relative variance of a measured square, by the tails of single rows, that can be trusted."""
SURE_PAIRS = 0.1
"""The same for the variance of what products of two rows add."""


@dataclass(frozen=True)
class Measurement(Uncertain):
    """A measured error.

    Attributes
    ----------
    rows, blocks : number of rows, and how often they were drawn.
    error, standard_error : relative error over the pairs, and its standard error due to the draws.
    pairs_error : its standard error due to the choice of pairs, by their own squared errors; 0 if these are all pairs.
    lost : of attention: the share of queries whose estimated weights have no positive sum.
    shown : whether the draws show the tails of the estimates, or a law makes up for it. If not, both are too small.
    heavy : whether the largest squared errors of the pairs, or squared kernels, decay like those of a law without a
        mean. Then few pairs carry the error, rarer ones may carry more, and its standard error due to the pairs may be
        too small.

    Examples
    --------
    >>> Measurement(64, 100, 0.5, 0.125).at_most
    0.75
    """

    rows: int
    blocks: int
    error: float
    standard_error: float
    shown: bool = True
    pairs_error: float = 0.0
    lost: float = 0.0
    heavy: bool = False

    def exceeds(self, wanted: float) -> bool:
        """Whether the error is larger than the one wanted by more than its standard error."""
        return self.error - self.standard_error > wanted


class Candidate(NamedTuple):
    """A feature map on the pairs.

    Attributes
    ----------
    feature, parameters : the map.
    known : its law, for rows that are normal, or of fixed norm.
    tails : (n,), E e^4/(E e^2)^2 of one such row.
    """

    feature: str
    parameters: Mapping[str, object]
    known: MapErrors
    tails: np.ndarray

    @property
    def variance(self) -> float:
        """Relative variance of one row over the pairs."""
        return float(self.known.own.mean() / self.known.target.mean())

    @property
    def kurtosis(self) -> float:
        """An upper bound of E (sum of e^2)^2 over (E sum of e^2)^2, sums over the pairs, for one row."""
        own = self.known.own
        with np.errstate(invalid="ignore"):
            return (
                float(np.where(own > 0, own * np.sqrt(self.tails), 0).sum() / own.sum()) ** 2
                if own.any()
                else 1.0
            )

    def shown(self, rows: int, blocks: int) -> bool:
        """Whether so many draws show the tails of single rows.

        The tails add tails/(rows blocks) to the relative variance of a mean of squares.
        """
        return self.feature in BOUNDED or self.kurtosis / (rows * blocks) <= SURE

    def pairs_shown(self, rows: int, blocks: int) -> bool:
        """Whether so many draws show the tails of products of two rows, whose E z^4/(E z^2)^2 is tails^2."""
        return self.kurtosis / rows <= math.sqrt(SURE_PAIRS * blocks / 2)


def blocks_for(rows: int, pairs: Pairs, numbers: float) -> int:
    """How many blocks of ``rows`` rows can be drawn for the pairs with about ``numbers`` numbers."""
    return int(np.clip(numbers // (rows * max(pairs.x.shape)), LEAST_BLOCKS, MOST_BLOCKS))


def most_rows(pairs: Pairs, numbers: int) -> int:
    """The largest number of rows for which enough blocks can be drawn."""
    return max(1, numbers // (LEAST_BLOCKS * max(pairs.x.shape)))


def measure(
    candidates: Sequence[Candidate], coupling: str, rows: int, pairs: Pairs, kernel: Kernel, numbers: float, seed: int,
    purpose: str = "compare", law: bool = True, until: float = math.inf,
) -> list[Measurement]:  # fmt: skip
    """Draw a coupling for all pairs and measure the relative errors of feature maps with it.

    Parameters
    ----------
    candidates : the feature maps; all see the same draws.
    coupling, rows : of the mechanisms.
    numbers : approximate number of random numbers to draw.
    seed, purpose : determine the draws.
    law : use the law of one row where it is known. Else squared errors are averaged as they are.
    until : the time, of ``time.monotonic``, from which on fewer blocks are enough, if they are not too few.

    Returns
    -------
    The errors, in the order of the maps.

    Raises
    ------
    InvalidInput, OutsideDomain : a mechanism does not exist in this dimension, or its features overflow.

    Examples
    --------
    >>> from rftheory.choose.comparison import Comparison
    >>> from rftheory.choose.data import pairs_of
    >>> pairs = pairs_of(np.eye(3), lengthscale=1.0)
    >>> positive = Comparison(pairs, "gaussian", {"features": 32}, 0).candidate("positive")
    >>> (found,) = measure([positive], "sobol", 32, pairs, "gaussian", 10**5, 0)
    >>> found.blocks, 0.1 < found.error < 0.4
    (1041, True)
    """
    made = [random_features(one.feature, coupling, rows, d=pairs.d, **one.parameters) for one in candidates]
    stream = Stream.named(f"choose/{purpose}/{coupling}", seed=seed, kind="native")
    blocks, exact = blocks_for(rows, pairs, numbers), exact_values(pairs, kernel)
    declared = find_coupling(coupling)
    law = law and declared.marginal and declared.norms == "chi"
    weights = pairs.weights
    target = weights * exact**2
    scale = target.mean()
    step = max(1, CHUNK // (2 * max(rows, pairs.d) * len(pairs.x) * len(made)))
    squares, singles = [np.empty(blocks) for _ in made], [False for _ in made]
    of_pairs = [np.zeros(len(pairs.x)) for _ in made]
    for start in range(0, blocks, step):
        part = range(start, min(start + step, blocks))
        for index, found in enumerate(drawn_features(made, stream, part, pairs.x, pairs.y, kernel)):
            terms = _terms(found)
            singles[index] = law and _has_rows(candidates[index].feature, terms, rows)
            each = weights * _squares(terms, rows, exact, singles[index]) / scale
            squares[index][start : part.stop] = each.mean(-1)
            of_pairs[index] += each.sum(0)
        if part.stop >= LEAST_BLOCKS and time.monotonic() > until:
            blocks = part.stop
            break
    squares, of_pairs = [table[:blocks] for table in squares], [table / blocks for table in of_pairs]
    tables = zip(candidates, squares, of_pairs, singles, strict=True)
    return [_measurement(*table, target, rows, pairs) for table in tables]


def drawn_features(
    made: Sequence[RandomFeatures],
    stream: Stream,
    blocks: range,
    x: np.ndarray,
    y: np.ndarray,
    kernel: Kernel,
) -> list[Features]:
    """Features from the same projections; counts have none, and are measured alone."""
    alike = [mechanism for mechanism in made if isinstance(mechanism, Mechanism)]
    if len(alike) == len(made):
        return joint_features(alike, stream, blocks, x, y, kernel, "frame")
    return [mechanism.features(stream, blocks, x, y, kernel) for mechanism in made]


def _terms(found: Features) -> np.ndarray:
    """Products of the features of both sides, (blocks, features, pairs)."""
    product = multiplied(*found)
    terms = np.exp(product.log_scale)
    return np.asarray(terms if product.factor is None else terms * product.factor)


def _has_rows(feature: str, terms: np.ndarray, rows: int) -> bool:
    """Whether the estimates of single rows can be told apart, and help: those of waves have no tails."""
    return feature not in BOUNDED and (terms.shape[-2] == rows or feature in ONE_BY_ONE)


def _squares(terms: np.ndarray, rows: int, exact: np.ndarray, single: bool) -> np.ndarray:
    """Squared errors, (blocks, pairs); on request without those of single rows."""
    squares = (terms.sum(-2) - exact) ** 2
    if single:
        each = terms.reshape(len(terms), -1, rows, terms.shape[-1]).sum(1)
        squares = squares - ((each - exact / rows) ** 2).sum(-2)
    return np.asarray(squares)


def _measurement(
    one: Candidate, table: np.ndarray, of_pairs: np.ndarray, single: bool, target: np.ndarray, rows: int, pairs: Pairs
) -> Measurement:  # fmt: skip
    """The error from squared errors by block, and by pair."""
    blocks = len(table)
    error = float(table.std(ddof=1)) / math.sqrt(blocks)
    square = float(table.mean())
    if single:
        square += one.variance / rows
        of_pairs = of_pairs + one.known.own / one.known.target.mean() / rows
        if not one.pairs_shown(rows, blocks):  # that of independent rows, which needs no tails
            error = max(error, one.variance / rows * math.sqrt(2 / blocks))
    root = math.sqrt(max(square, error))
    apart = of_pairs - of_pairs.mean() / target.mean() * target
    return Measurement(
        rows, blocks, root, error / (2 * root) if root else 0.0, single or one.shown(rows, blocks),
        root * pairs.error_of(of_pairs, target),
        heavy=len(apart) >= FEWEST and min(tail_index(apart), tail_index(target)) < 1,
    )  # fmt: skip
