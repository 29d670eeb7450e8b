"""How many false alarms a family of tests may give, how many samples it needs, and when to trust it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.special import log_ndtr, ndtri  # type: ignore[import-untyped]  # scipy.stats loads slowly

from rftheory.errors import InvalidInput, need

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
        check_count("tests", self.tests)
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
        check_count("tests", tests)
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


@dataclass(frozen=True)
class Gate:
    """Whether an estimator may be trusted at a sample size, and what it would need.

    Attributes
    ----------
    trusted : True if it may.
    reason : one line that says why (not).
    needed : number of draws from which it may be trusted, None if unknown.

    Examples
    --------
    >>> gate = tail_gate(3.8, 10**6, 5.91)
    >>> gate.trusted, gate.needed > 10**6
    (False, True)
    """

    trusted: bool
    reason: str
    needed: float | None = None


def tail_gate(
    skewness: float,
    n: int,
    z: float,
    *,
    kurtosis: float | None = None,
    studentised: bool = False,
    limit: float = 0.1,
) -> Gate:
    """Whether the normal tail may be used at z standard errors for a mean of n draws.

    By the first terms of Cramer's series, the tail of a mean divided by the normal tail is
    exp(g z^3 / (6 sqrt n) + (k - 3 - 3 g^2) z^4 / (24 n)); for a studentised mean the first term is
    -g z^3 / (3 sqrt n). The gate opens if the two terms, in absolute value, change the tail by at most ``limit``.

    Parameters
    ----------
    skewness, kurtosis : g and k of one draw (3 is the kurtosis of a normal law).
    z : the threshold of the decision.
    limit : largest relative error of the tail probability.

    Examples
    --------
    >>> tail_gate(3.8, 10**6, 5.91).trusted, tail_gate(3.8, 2 * 10**6, 5.91).trusted
    (False, True)
    """
    check_count("n", n)
    for subject, value in (("z", z), ("limit", limit)):
        check_positive(subject, value)
    check_finite("skewness", skewness)
    first = abs(skewness) * z**3 / (3 if studentised else 6)
    second = 0.0
    if kurtosis is not None:
        check_finite("kurtosis", kurtosis)
        if kurtosis < 1 + skewness**2 * (1 - 1e-9):
            raise InvalidInput(
                "kurtosis", needs=f"at least 1 + skewness^2 = {1 + skewness**2:g}", got=kurtosis
            )
        second = abs(kurtosis - 3 - 3 * skewness**2) * z**4 / 24
    room = math.log1p(limit)
    exponent = first / math.sqrt(n) + second / n
    # the root of second u^2 + first u = room in u = 1/sqrt(n), without cancellation
    root = (first + math.sqrt(first**2 + 4 * second * room)) / (2 * room)
    needed = float(math.ceil(root**2))
    error = math.expm1(exponent) if exponent < 700 else math.inf
    words = f"the normal tail at z = {z:.2f} is wrong by at most {error:.2g} of itself (limit {limit:g})"
    if exponent <= room:
        return Gate(True, words, needed)
    return Gate(False, f"{words}; {needed:.3g} draws would be enough", needed)


def skewed_thresholds(
    budget: Budget, n: int, skewness: float, kurtosis: float, *, limit: float = 0.1
) -> tuple[float, float] | None:
    """Thresholds (below, above) of a standardised mean, with two terms of Cramer's series in the tail.

    Where the normal tail is not accurate enough, it is multiplied by exp(+-g z^3 / (6 sqrt n) + (k - 3 - 3 g^2) z^4 /
    (24 n)). This is trusted only if the series visibly converges: its second term is at most ``limit`` / 2, and
    g z / sqrt(n), the ratio of successive terms, at most 1/4. Otherwise the result is None.

    Examples
    --------
    >>> below, above = skewed_thresholds(Budget(1e-6, tests=50), 100_000, 2.83, 15.0)
    >>> round(below, 2), round(above, 2)
    (5.57, 5.66)
    >>> skewed_thresholds(Budget(1e-6), 1000, 44.0, 1e5) is None
    True
    """
    check_count("n", n)
    check_finite("skewness", skewness)
    check_finite("kurtosis", kurtosis)
    need("budget", budget, Budget, "a Budget")
    z = budget.z()
    second = (kurtosis - 3 - 3 * skewness**2) / (24 * n)
    if abs(second) * z**4 > limit / 2 or abs(skewness) * z > 0.25 * math.sqrt(n):
        return None
    goal = math.log(budget.alpha / 2)

    def threshold(side: float) -> float:
        first = side * skewness / (6 * math.sqrt(n))
        low, high = 0.5 * z, 1.5 * z
        while high - low > 1e-9 * z:
            middle = (low + high) / 2
            tail = float(log_ndtr(-middle)) + first * middle**3 + second * middle**4
            low, high = (middle, high) if tail > goal else (low, middle)
        return high

    return threshold(-1.0), threshold(1.0)


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


def check_positive(subject: str, value: float | Fraction) -> None:
    """Raise `InvalidInput` unless ``value`` is finite and positive.

    Examples
    --------
    >>> check_positive("variance", 0.0)
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: variance: needs a positive number, got 0.0
    """
    check_finite(subject, value)
    if value <= 0:
        raise InvalidInput(subject, needs="a positive number", got=value)


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


def check_count(subject: str, value: object) -> None:
    """Raise `InvalidInput` unless ``value`` is a positive integer.

    Examples
    --------
    >>> check_count("draws", 2.5)
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: draws: needs a positive integer, got 2.5
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InvalidInput(subject, needs="a positive integer", got=value)
    if value > MOST:
        raise InvalidInput(subject, needs=f"at most {MOST:.0e}", got=value)
