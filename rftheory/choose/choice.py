"""One mechanism on the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


class Uncertain:
    """What has an error, and a standard error of it due to the draws."""

    error: float
    standard_error: float

    @property
    def at_most(self) -> float:
        """The error plus two standard errors of its draws, by which mechanisms are ranked on the same pairs."""
        return self.error + 2 * self.standard_error

    @property
    def at_least(self) -> float:
        """The error less two standard errors of its draws."""
        return self.error - 2 * self.standard_error


@dataclass(frozen=True)
class Choice(Uncertain):
    """One mechanism on the data.

    Attributes
    ----------
    feature, coupling, parameters : the mechanism.
    rows : number m of projections.
    features : length of the feature vector of an input.
    operations : multiplications (additions, for Hadamard products) and exponentials for the features of one input.
    memory : bytes of the projections, in float64.
    error : root mean squared error over root mean square of the kernel, for the pairs used.
    standard_error : its standard error due to the draws; 0 if it is exact, positive if it was measured.
    pairs_error : its standard error due to the choice of pairs; 0 if these are all pairs.
    lost : of attention: the share of queries whose estimated weights have no positive sum.

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
    pairs_error: float = 0.0
    lost: float = 0.0

    @property
    def name(self) -> str:
        """Feature map and coupling."""
        return f"{self.feature} x {self.coupling}"

    @property
    def uncertainty(self) -> float:
        """The standard error of the error, due to the draws and to the choice of pairs."""
        return math.hypot(self.standard_error, self.pairs_error)
