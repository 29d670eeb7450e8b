"""Sampling the winner again: does its measured error agree with the expected one?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rftheory.choose.choice import Choice
from rftheory.choose.data import Pairs
from rftheory.choose.measured import Candidate, blocks_for, measure, most_rows
from rftheory.exact.laws import Kernel

FEW, NUMBERS = 4 * 10**6, 2 * 10**7
"""Random numbers that are drawn, a second or less, and that may be drawn where estimates have tails."""
ALLOWED = 6
"""Standard errors between a measured and an expected error that agree: means of squares have longer tails than normal
numbers, and the winner is the best of many mechanisms, in part by luck where errors are measured."""
ROUNDING = 1e-12
"""A difference of errors that is none."""


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
    >>> found = Confirmation(64, 0.101, 0.002, 0.1)
    >>> found.verdict, round(found.apart, 3)
    ('agrees', 0.5)
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
    def apart(self) -> float:
        """How many standard errors, of both together, are between the measured and the expected error."""
        difference = abs(self.measured - self.expected)
        spread = math.hypot(self.error, self.expected_error)
        if difference <= ROUNDING:
            return 0.0
        return difference / spread if spread else math.inf

    @property
    def agrees(self) -> bool:
        """Whether the draws can be trusted and the errors are at most `ALLOWED` standard errors apart."""
        return self.verdict == "agrees"

    @property
    def verdict(self) -> Literal["agrees", "differs", "undecided"]:
        """The verdict of the draws."""
        if not self.seen:
            return "undecided"
        return "agrees" if self.apart <= ALLOWED else "differs"


def rows_drawn(choice: Choice, pairs: Pairs) -> int:
    """With how many rows a choice is drawn again: with its own, or fewer if these are too many."""
    return min(choice.rows, most_rows(pairs, FEW))


def confirm(
    choice: Choice, pairs: Pairs, kernel: Kernel, seed: int, one: Candidate, error_at: Callable[[int], float],
    until: float = math.inf,
) -> Confirmation:  # fmt: skip
    """Draw the mechanism for the pairs and measure its error, without the help of any law.

    More is drawn where the tails of the estimates ask for it.

    Parameters
    ----------
    choice : the mechanism, with its error.
    one : its feature map on the pairs.
    error_at : the exact error for another number of rows; not asked for where the error of the choice was measured.
    until : as for `measure`.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.choose import choose
    >>> choose(np.eye(4), features=16, lengthscale=1.0).confirmation.agrees
    True
    """
    rows = rows_drawn(choice, pairs)
    for numbers in (FEW, NUMBERS):
        (found,) = measure([one], choice.coupling, rows, pairs, kernel, numbers, seed, "confirm", law=False,
                           until=until)  # fmt: skip
        if time.monotonic() > until or found.shown or not one.shown(rows, blocks_for(rows, pairs, NUMBERS)):
            break
    expected = choice.error if rows == choice.rows else error_at(rows)
    return Confirmation(rows, found.error, found.standard_error, expected, choice.standard_error, found.shown)
