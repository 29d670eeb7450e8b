"""The answer: the mechanisms on the data, best first."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rftheory.choose.confirm import Confirmation
from rftheory.choose.expected import Skipped


@dataclass(frozen=True)
class Choice:
    """One mechanism on the data.

    Attributes
    ----------
    feature, coupling, parameters : the mechanism.
    rows : number m of projections.
    features : length of the feature vector of an input.
    operations : multiplications (additions, for Hadamard products) and exponentials for the features of one input.
    memory : bytes of the projections, in float64.
    error : root mean squared error over root mean square of the kernel, for the pairs used.
    standard_error : standard error of that error; 0 if it is exact, positive if it was measured.

    Examples
    --------
    >>> Choice("positive", "simplex", {}, 64, 64, 8256, 32768, 0.1).name
    'positive x simplex'
    """

    feature: str
    coupling: str
    parameters: dict[str, Any]
    rows: int
    features: int
    operations: int
    memory: int
    error: float
    standard_error: float = 0.0

    @property
    def name(self) -> str:
        """Feature map and coupling."""
        return f"{self.feature} x {self.coupling}"

    @property
    def at_most(self) -> float:
        """The value for the ranking: the error, plus two standard errors if it was measured."""
        return self.error + 2 * self.standard_error

    @property
    def at_least(self) -> float:
        """The error, less two standard errors if it was measured."""
        return self.error - 2 * self.standard_error


@dataclass(frozen=True)
class Advice:
    """The mechanisms, best first, and those that were left out.

    Attributes
    ----------
    choices : by number of features if an error was asked for, else by error.
    skipped : mechanisms without a value, each with the reason.
    pairs, pairs_total : number of pairs used, and number of pairs in the data.
    sampling_error : relative standard error of the winner's error due to the choice of pairs.
    lengthscale, kernel, d : length scale, kernel and dimension.
    sum_norm, difference_norm : root mean squares of |x + y| and |x - y| over the pairs.
    confirmation : the winner, sampled.
    tables : 1 if pairs are rows of one table, 2 if of two tables.
    classes : of the last column of the table, if it looks like a class label, how many; else None.
    """

    choices: tuple[Choice, ...]
    skipped: tuple[Skipped, ...]
    pairs: int
    pairs_total: int
    sampling_error: float
    lengthscale: float
    kernel: str
    d: int
    sum_norm: float
    difference_norm: float
    confirmation: Confirmation | None
    tables: int = 1
    classes: int | None = None

    @property
    def best(self) -> Choice:
        """The winner."""
        return self.choices[0]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return asdict(self)
