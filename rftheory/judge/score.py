"""A test of a claimed mean whose variance is known. Its level is a theorem, for every law and number of draws.

A draw X of mean m and variance s^2 is standardised, Z = (X - m)/s, and counts by its influence (Catoni 2012, Ann.
Inst. H. Poincare Probab. Stat. 48, section 2)

    psi(x) = sign(x) log(1 + |x| + x^2/2),   -log(1 - x + x^2/2) <= psi(x) <= log(1 + x + x^2/2),

the second because (1 + x^2/2)^2 - x^2 = 1 + x^4/4 >= 1. Hence E exp(+-psi(l Z)) <= 1 + l^2/2 if E Z = 0 and E Z^2 <= 1,
and by Markov's inequality both sums +-sum_i psi(l Z_i) exceed log(2/alpha) + n log(1 + l^2/2) with probability at most
alpha. With l^2 = 2 log(2/alpha)/n the threshold is sqrt(2 log(2/alpha)) standard errors: 6.3, where the normal law says
5.9 without a theorem. The test needs no limit law, no third moment and no bound on the values; distant draws count by
their logarithm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rftheory.errors import InvalidInput, checked_integer, checked_positive, need
from rftheory.judge.budget import MOST, Budget, check_finite
from rftheory.judge.tests import Number, Outcome, TestResult, check_tolerance, difference, too_weak


@dataclass(frozen=True)
class Score:
    """The test of one claimed mean, planned before the draws, with a fixed number of them.

    Parameters
    ----------
    mean, variance : of one draw if the claim holds; the variance, or an upper bound of it, is positive.
    n : number of draws.
    budget : gives level and power.

    Raises
    ------
    InvalidInput : values that are not finite, n < 1, a variance that is not positive.

    Examples
    --------
    >>> coin = np.tile([0.0, 1.0], 50_000)
    >>> score = Score(0.5, 0.25, len(coin), Budget(1e-6, tests=300))
    >>> score.test(coin.mean(), score(coin).mean()).decision.value
    'agrees'
    >>> wrong = Score(0.5 + score.detectable, 0.25, len(coin), score.budget)
    >>> wrong.test(coin.mean(), wrong(coin).mean()).decision.value
    'refuted'
    """

    mean: Number
    variance: Number
    n: int
    budget: Budget

    def __post_init__(self) -> None:
        check_finite("mean", self.mean)
        checked_positive("variance", self.variance)
        checked_integer("n", self.n, 1, MOST)
        need("budget", self.budget, Budget, "a Budget")

    @property
    def threshold(self) -> float:
        """The number of standard errors at which the claim is refuted."""
        return (self._goal + self._cost) / math.sqrt(2 * self._goal)

    @property
    def detectable(self) -> float:
        """The error, in the unit of the draws, that is refuted with the power of the budget.

        The level is a theorem; the power is that of a normal mean, the limit for many draws.
        """
        return (self.threshold + self.budget.z_power) * math.sqrt(self.variance / self.n)

    def __call__(self, values: Any, xp: Any = np) -> Any:
        """The influences of draws, of the shape of ``values``, an array of the library ``xp``."""
        x = (values - float(self.mean)) * (self._step / math.sqrt(self.variance))
        size = xp.abs(x)
        return xp.sign(x) * xp.log1p(size + 0.5 * size * size)

    def test(self, mean: float, influence: float, *, tolerance: float | None = None) -> TestResult:
        """The result of the test, from the means of the draws and of their influences.

        Parameters
        ----------
        mean : of the draws; the decision does not depend on it.
        influence : mean of the influences.
        tolerance : error, relative to the claimed mean (absolute if that is 0), that must be refuted with the power
            of the budget; otherwise agreement is undecided.
        """
        check_finite("mean", mean)
        check_finite("influence", influence)
        check_tolerance(tolerance)
        total, sigma = self.n * influence, math.sqrt(self.variance / self.n)
        unit = abs(float(self.mean)) or 1.0
        detectable = self.detectable / unit
        reason, needed = "valid for every law with this variance and every number of draws", None
        if abs(total) >= self._goal + self._cost:
            decision = Outcome.REFUTED
        elif tolerance is not None and detectable > tolerance:
            decision, reason, needed = too_weak(detectable, tolerance, self.n)
        else:
            decision = Outcome.AGREES
        statistic = total / math.sqrt(2 * self._goal)
        centre = (
            float(self.mean) + statistic * sigma
        )  # the mean that the influences see: the sample mean to first order
        return TestResult(
            method="score test",
            decision=decision,
            n=self.n,
            estimate=float(mean),
            relation="=",
            exact=float(self.mean),
            statistic=statistic,
            threshold=self.threshold,
            p=min(1.0, 2 * math.exp(self._cost - abs(total))),
            effect=difference(mean, self.mean) / unit,
            detectable=detectable,
            interval=(centre - self.threshold * sigma, centre + self.threshold * sigma),
            reason=reason,
            needed=needed,
            power=self.budget.power,
        )

    def of(self, values: Any, *, tolerance: float | None = None) -> TestResult:
        """The result of the test of draws that are at hand.

        Examples
        --------
        >>> Score(0.5, 0.25, 4, Budget(1e-6)).of([0.0, 1.0, 0.0]).decision
        Traceback (most recent call last):
        ...
        rftheory.errors.InvalidInput: values: needs 4 draws, as planned, got (3,)
        """
        try:
            draws = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as problem:
            raise InvalidInput("values", needs=f"{self.n} numbers", got=type(values).__name__) from problem
        if draws.shape != (self.n,):
            raise InvalidInput("values", needs=f"{self.n} draws, as planned", got=draws.shape)
        return self.test(float(draws.mean()), float(self(draws).mean()), tolerance=tolerance)

    @property
    def _goal(self) -> float:
        return math.log(2) + self.budget.log_e

    @property
    def _step(self) -> float:
        return math.sqrt(2 * self._goal / self.n)

    @property
    def _cost(self) -> float:
        """Logarithm of the bound on the product of the influences if the claim is true."""
        return self.n * math.log1p(self._step**2 / 2)
