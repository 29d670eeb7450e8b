"""How many false alarms a family of tests may give, and with which power."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from scipy.special import ndtri  # type: ignore[import-untyped]  # scipy.stats loads slowly

from rftheory.errors import InvalidInput, checked_integer

MOST = 10**15
"""Of draws, and of tests: more are never made, and floats do not count them."""

POWER = 0.999
"""The probability with which a test refutes an error of the size that it states."""


@dataclass(frozen=True)
class Budget:
    """The false-alarm probability of a whole run, split evenly over its tests (Bonferroni).

    Parameters
    ----------
    alpha_run : probability that any of the tests refutes a true claim, in (0, 1).
    tests : number of tests, counted before the run.
    power : probability with which each test refutes an error of the size that it states.

    Examples
    --------
    >>> budget = Budget(1e-6, tests=300)
    >>> round(budget.z(), 3), round(budget.log_e, 1)
    (5.914, 19.5)
    """

    alpha_run: float = 1e-6
    tests: int = 1
    power: float = POWER

    def __post_init__(self) -> None:
        check_probability("alpha_run", self.alpha_run)
        check_probability("power", self.power)
        checked_integer("tests", self.tests, 1, MOST)
        if not self.alpha > 0:
            raise InvalidInput("alpha_run / tests", needs="a level above 0", got=self.alpha)

    @classmethod
    def of_run(cls, alpha_run: float, tests: int) -> Budget:
        """The budget of a run whose tests together refute all the errors that they state with probability 0.999.

        An error of the stated size is planted in every test; the run as a whole, not each test, misses one with
        probability 0.001.

        Examples
        --------
        >>> budget = Budget.of_run(1e-6, 200)
        >>> round(budget.z() + budget.z_power, 2)  # standard errors between a claim and its planted error
        10.26
        """
        checked_integer("tests", tests, 1, MOST)
        return cls(alpha_run, tests, 1 - (1 - POWER) / tests)

    @property
    def z_power(self) -> float:
        """How many standard errors beyond the threshold an error must lie to be refuted with the budget's power."""
        return float(ndtri(self.power))

    @property
    def alpha(self) -> float:
        """Level of one test."""
        return float(self.alpha_run) / self.tests

    @property
    def log_e(self) -> float:
        """Threshold of the logarithm of an e-value: ln(1 / alpha)."""
        return -math.log(self.alpha)

    def z(self, sides: int = 2) -> float:
        """Threshold of a normal statistic, for a test with one or two sides."""
        if sides not in (1, 2):
            raise InvalidInput("sides", needs="1 or 2", got=sides)
        return -float(ndtri(self.alpha / sides))


def check_finite(subject: str, value: float | Fraction) -> None:
    """Raise `InvalidInput` unless ``value`` is a finite real number.

    Examples
    --------
    >>> check_finite("mean", float("nan"))
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: mean: needs a finite number, got nan
    """
    try:
        fine = math.isfinite(value)
    except (TypeError, OverflowError):
        fine = False
    if not fine:
        raise InvalidInput(subject, needs="a finite number", got=value)


def check_probability(subject: str, value: float) -> None:
    """Raise `InvalidInput` unless ``value`` lies strictly between 0 and 1.

    Examples
    --------
    >>> check_probability("false alarm rate", 1.0)
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: false alarm rate: needs a number strictly between 0 and 1, got 1.0
    """
    check_finite(subject, value)
    if not 0 < value < 1:
        raise InvalidInput(subject, needs="a number strictly between 0 and 1", got=value)
