"""Results of tests of a claimed mean: the claim, how far off it is, and how large an error would be seen.

A tolerance is a false-alarm rate with an exact variance. Every result states the smallest error that it refutes with
the power of its budget. The tests themselves, of `score` and `betting`, rest on theorems.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar

from rftheory.errors import checked_positive
from rftheory.judge.budget import POWER

Number = float | Fraction


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
    statistic, threshold : standard errors and their threshold, or log capital and its threshold.
    p : upper bound of the p-value.
    effect : (estimate - exact) / |exact|, or estimate - exact when exact is 0.
    detectable : error refuted with the stated power, in the unit of ``effect``.
    interval : the means that this test would not refute.
    reason : one line: why undecided, and what the decision rests on.
    needed : number of draws that would decide, if known.
    power : probability with which an error of size ``detectable`` is refuted.

    Examples
    --------
    >>> from rftheory.judge import Budget, Score
    >>> draws = [0.0, 1.0] * 5000
    >>> found = Score(0.6, 0.24, len(draws), Budget(1e-6)).of(draws)
    >>> found.decision.value, round(found.effect, 4)
    ('refuted', -0.1667)
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

    @property
    def summary(self) -> str:
        """One line without the noise of the estimate, so that it is the same for every seed.

        Examples
        --------
        >>> from rftheory.judge import Budget, Score
        >>> print(Score(0.5, 0.25, 10_000, Budget(1e-6)).of([0.0, 1.0] * 5000).summary.replace(", ", "\\n"))
        score test: mean = 0.5 agrees (n = 10000
        a relative error of 0.0848 would have been seen with probability 0.999)
        """
        one_sided = self.relation != "=" and self.decision is Outcome.AGREES
        word = "not refuted" if one_sided else str(self.decision)
        why = f"; {self.reason}" if self.decision is Outcome.UNDECIDED else ""
        return f"{self.method}: mean {self.relation} {self.exact:.6g} {word} (n = {self.n}, {self.seen}{why})"

    @property
    def seen(self) -> str:
        """How large an error would have been seen."""
        what = "a relative error" if self.exact != 0 else "an error"
        return f"{what} of {self.detectable:.3g} would have been seen with probability {self.power:.6g}"

    def to_dict(self) -> dict[str, object]:
        """A dictionary for JSON; infinite values as text."""
        content = asdict(self) | {"decision": str(self.decision), "interval": list(self.interval)}
        return {name: _json_value(value) for name, value in content.items()}


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
        checked_positive("tolerance", tolerance)


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
