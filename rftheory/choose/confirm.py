"""Sampling the winner again: does its measured error agree with the expected one?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rftheory.choose.data import Pairs
from rftheory.choose.expected import MapErrors
from rftheory.choose.measured import measure, most_rows, seen_by_draws
from rftheory.exact.laws import Kernel

if TYPE_CHECKING:
    from rftheory.choose.advice import Choice

NUMBERS = 2 * 10**7
"""The number of random numbers to draw: a second or two."""


@dataclass(frozen=True)
class Confirmation:
    """A measured error and the expected one.

    Attributes
    ----------
    rows : the number of rows drawn: the chosen number, or fewer if that is too large.
    measured, error : relative error over the pairs, and its standard error.
    expected, expected_error : the expected error for this number of rows, and its standard error, 0 if it is exact.
    seen : whether so many draws show the tails of the estimates. If not, they neither confirm nor refute.

    Examples
    --------
    >>> Confirmation(64, 0.101, 0.002, 0.1).verdict
    'agrees'
    >>> Confirmation(64, 0.101, 0.002, 5.0, seen=False).verdict
    'undecided'
    """

    rows: int
    measured: float
    error: float
    expected: float
    expected_error: float = 0.0
    seen: bool = True

    @property
    def agrees(self) -> bool:
        """Whether the draws can be trusted and the errors differ by less than six standard errors."""
        return self.verdict == "agrees"

    @property
    def verdict(self) -> Literal["agrees", "differs", "undecided"]:
        """The verdict of the draws."""
        if not self.seen:
            return "undecided"
        spread = math.hypot(self.error, self.expected_error)
        return "agrees" if abs(self.measured - self.expected) <= 6 * spread + 1e-12 else "differs"


def confirm(
    choice: Choice, pairs: Pairs, kernel: Kernel, seed: int, known: MapErrors, error_at: Callable[[int], float]
) -> Confirmation:  # fmt: skip
    """Draw the mechanism for the pairs and measure its error.

    Parameters
    ----------
    choice : the mechanism, with its error.
    known : the errors of the pairs, from the law of the feature map.
    error_at : gives the exact error for another number of rows; unused if the error of the choice was measured.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.choose import choose
    >>> choose(np.eye(4), features=16, lengthscale=1.0).confirmation.agrees
    True
    """
    rows = min(choice.rows, most_rows(pairs, NUMBERS))
    found = measure(
        choice.feature, choice.parameters, choice.coupling, rows, pairs, kernel, NUMBERS, seed, "confirm"
    )
    expected = choice.error if rows == choice.rows else error_at(rows)
    seen = seen_by_draws(choice.feature, known, rows * found.blocks)
    return Confirmation(rows, found.error, found.standard_error, expected, choice.standard_error, seen)
