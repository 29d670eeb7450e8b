"""Tests of a claimed mean, and their results: the claim, how far off it is, and how large an error would be seen.

A tolerance is a false-alarm rate with an exact variance. Every result states the smallest error that it refutes
with power 0.999; a test outside the range in which it can be trusted is undecided. The tests of this module
approximate the tail of a mean, and say so; those of `score` and `betting` rest on theorems.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar

from scipy.special import ndtr  # type: ignore[import-untyped]

from rftheory.errors import InvalidInput, need
from rftheory.judge.budget import (
    POWER,
    Budget,
    Gate,
    check_count,
    check_finite,
    check_positive,
    skewed_thresholds,
    tail_gate,
)

Number = float | Fraction

WITHIN = "the normal law, by the first terms of Cramer's series"
"""What a z-test rests on; no theorem bounds the remainder of that series."""


class Outcome(StrEnum):
    """What one test says about one claim; undecided never counts as agrees.

    Examples
    --------
    >>> Outcome("undecided") is Outcome.AGREES, str(Outcome.REFUTED)
    (False, 'refuted')
    """

    AGREES = "agrees"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class TestResult:
    """The result of a test.

    Attributes
    ----------
    method : name of the test.
    decision : agrees, refuted or undecided.
    n : number of draws.
    relation, exact : the claim: the mean "=", "<=" or ">=" this value.
    estimate : sample mean.
    statistic, threshold : z and its threshold, or log capital and its threshold.
    p : upper bound or value of the p-value.
    effect : (estimate - exact) / |exact|, or estimate - exact when exact is 0.
    detectable : error refuted with the stated power, in the unit of ``effect``.
    interval : the means that this test would not refute.
    reason : one line: why undecided, and what the decision rests on.
    needed : number of draws that would decide, if known.
    power : probability with which an error of size ``detectable`` is refuted.
    tail : the approximation of the tail on which the false-alarm rate rests; empty if it rests on a theorem.

    Examples
    --------
    >>> found = z_test(0.5004, 10**6, exact=0.51, exact_variance=0.25, budget=Budget(1e-6), skewness=0.0)
    >>> found.decision.value, round(found.effect, 4)
    ('refuted', -0.0188)
    """

    __test__: ClassVar[bool] = False  # not a test class for pytest

    method: str
    decision: Outcome
    n: int
    estimate: float
    relation: str
    exact: float
    statistic: float
    threshold: float
    p: float
    effect: float
    detectable: float
    interval: tuple[float, float]
    reason: str
    needed: float | None = None
    power: float = POWER
    tail: str = ""

    @property
    def summary(self) -> str:
        """One line without the noise of the estimate, so that it is the same for every seed.

        Examples
        --------
        >>> z_test(0.001, 10**6, exact=0.0, exact_variance=1.0, budget=Budget(1e-6)).summary
        'z-test: mean = 0 agrees (n = 1000000, an error of 0.00798 is refuted with power 0.999)'
        """
        one_sided = self.relation != "=" and self.decision is Outcome.AGREES
        word = "not refuted" if one_sided else str(self.decision)
        unit = " relative" if self.exact != 0 else ""
        seen = f"n = {self.n}, an error of {self.detectable:.3g}{unit} is refuted with power {self.power:.6g}"
        why = f"; {self.reason}" if self.decision is Outcome.UNDECIDED else ""
        return f"{self.method}: mean {self.relation} {self.exact:.6g} {word} ({seen}{why})"

    def to_dict(self) -> dict[str, object]:
        """A dictionary for JSON; infinite values as text."""
        content = asdict(self) | {"decision": str(self.decision), "interval": list(self.interval)}
        return {name: _json_value(value) for name, value in content.items()}


def z_test(
    mean: float,
    n: int,
    exact: Number,
    exact_variance: Number,
    budget: Budget,
    *,
    skewness: float | None = None,
    kurtosis: float | None = None,
    tail_limit: float = 0.1,
    tolerance: float | None = None,
) -> TestResult:
    """Two-sided score test of a claimed mean, with the variance that the claim implies.

    Parameters
    ----------
    mean, n : sample mean of n independent draws.
    exact, exact_variance : claimed mean, and variance of one draw if the claim holds (positive).
    budget : gives the level of this test.
    skewness, kurtosis : of one draw (3 is the kurtosis of a normal law), exact if known. If they are given, the
        normal tail is used only if Cramer's series changes it by at most ``tail_limit`` at the threshold, and
        the series corrects the thresholds if two of its terms suffice (`skewed_thresholds`); otherwise the
        answer is undecided, unless a bound that needs no normal law (Chebyshev, or the fourth moment)
        refutes. If they are not given, the result says that the normal law is assumed.
    tolerance : error, relative to ``exact`` (absolute if that is 0), that the test must be able to refute
        with power 0.999; otherwise agreement counts as undecided.

    Raises
    ------
    InvalidInput : values that are not finite, n < 1, a variance that is not positive.

    Examples
    --------
    >>> budget = Budget(1e-6, tests=300)
    >>> z_test(0.5004, 10**6, exact=0.5, exact_variance=0.25, budget=budget, skewness=0.0).decision.value
    'agrees'
    >>> z_test(0.5004, 10**6, exact=0.51, exact_variance=0.25, budget=budget, skewness=0.0).decision.value
    'refuted'
    >>> z_test(0.5004, 100, exact=0.5, exact_variance=0.25, budget=budget, skewness=3.8).needed
    1889718.0
    """
    check_count("n", n)
    check_finite("mean", mean)
    check_finite("exact", exact)
    check_positive("exact_variance", exact_variance)
    need("budget", budget, Budget, "a Budget")
    error = difference(mean, exact)
    check_tolerance(tolerance)
    sigma = math.sqrt(exact_variance / n)
    z, threshold = error / sigma, budget.z()
    gate = _gate(skewness, kurtosis, n, threshold, tail_limit)
    below, above = threshold, threshold
    approximated = WITHIN if skewness is not None else "the normal law is assumed"
    if not gate.trusted and skewness is not None and kurtosis is not None:
        skewed = skewed_thresholds(budget, n, skewness, kurtosis, limit=tail_limit)
        if skewed is not None:
            below, above = skewed
            gate = Gate(True, "thresholds corrected for skewness and kurtosis by Cramer's series")
            approximated = "two terms of Cramer's series"
    unit = abs(float(exact)) or 1.0
    detectable = (max(below, above) + budget.z_power) * sigma / unit
    p = 2 * float(ndtr(-abs(z)))
    reason, needed = gate.reason, None
    if not gate.trusted:
        p, approximated = _tail_bound(z, n, kurtosis), ""
        decision = Outcome.REFUTED if p <= budget.alpha else Outcome.UNDECIDED
        reason = f"{'by a moment bound alone: ' if decision is Outcome.REFUTED else ''}{gate.reason}"
        needed = None if decision is Outcome.REFUTED else gate.needed
    elif z > above or z < -below:
        decision = Outcome.REFUTED
    elif tolerance is not None and detectable > tolerance:
        decision, reason, needed = too_weak(detectable, tolerance, n)
    else:
        decision = Outcome.AGREES
    return TestResult(
        method="z-test",
        decision=decision,
        n=int(n),
        estimate=float(mean),
        relation="=",
        exact=float(exact),
        statistic=z,
        threshold=above if z > 0 else below,
        p=p,
        effect=error / unit,
        detectable=detectable,
        interval=(float(mean) - above * sigma, float(mean) + below * sigma),
        reason=reason,
        needed=needed,
        power=budget.power,
        tail=approximated,
    )


def _gate(skewness: float | None, kurtosis: float | None, n: int, z: float, limit: float) -> Gate:
    if skewness is None:
        if kurtosis is not None:
            raise InvalidInput("skewness", needs="a number where kurtosis is given", got=None)
        return Gate(True, "the normal law of the mean is assumed: no skewness was given")
    return tail_gate(skewness, n, z, kurtosis=kurtosis, limit=limit)


def _tail_bound(z: float, n: int, kurtosis: float | None) -> float:
    """A bound on P(|Z| >= |z|) from the second and fourth moments of the standardised mean alone."""
    bounds = [1.0, 1 / z**2 if z else 1.0]
    if kurtosis is not None and z:
        bounds.append((3 + (kurtosis - 3) / n) / z**4)
    return min(bounds)


def difference(estimate: Number, exact: Number) -> float:
    """estimate - exact, rounded once; the claimed value may be a fraction.

    Examples
    --------
    >>> difference(Fraction(1, 3), Fraction(1, 4)) == 1 / 12, difference(10**17 + 1, 10**17)
    (True, 1.0)
    """
    first, second = (
        Fraction(x) if isinstance(x, Fraction | int) else Fraction(float(x)) for x in (estimate, exact)
    )
    return float(first - second)


def check_tolerance(tolerance: float | None) -> None:
    """Raise `InvalidInput` unless the tolerance is None or positive.

    Examples
    --------
    >>> check_tolerance(None)
    >>> check_tolerance(-0.1)
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: tolerance: needs a positive number, got -0.1
    """
    if tolerance is not None:
        check_positive("tolerance", tolerance)


def too_weak(detectable: float, tolerance: float, n: int) -> tuple[Outcome, str, float]:
    """Undecided, because an error of the size asked for could have been missed.

    Examples
    --------
    >>> too_weak(detectable=0.02, tolerance=0.01, n=1000)
    (<Outcome.UNDECIDED: 'undecided'>, 'asked to refute an error of 0.01: 4e+03 draws would be enough', 4000.0)
    """
    needed = float(math.ceil(n * (detectable / tolerance) ** 2))
    reason = f"asked to refute an error of {tolerance:.3g}: {needed:.3g} draws would be enough"
    return Outcome.UNDECIDED, reason, needed


def _json_value(value: object) -> object:
    if isinstance(value, list):
        return [_json_value(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
