"""Evidence from samplers, tested against exact laws at the family-wise level.

Every test rests on a theorem: that of a mean needs only the exact variance (`rftheory.judge.Score`), that of an order
the range of the difference, or proved moments of what lies beyond it (`rftheory.judge.betting_test`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from flint import arb

from rftheory.engine import Means, collect
from rftheory.errors import InvalidInput
from rftheory.judge import Bins, Budget, Evidence, Kind, Outcome, Score, TestResult, betting_test
from rftheory.judge.betting import Side, detectable_effect
from rftheory.sample import Stream
from rftheory.sample.arrays import device_name, to_host
from rftheory.sample.serving import ServedStream
from rftheory.statement.evidence.bench import Bench

Statistic = Callable[[range], Any]


@dataclass(frozen=True)
class Law:
    """Mean and variance of one draw.

    Examples
    --------
    >>> Law.from_raw([arb(1), arb(3), arb(10)]).variance
    1.0
    """

    mean: float
    variance: float

    @classmethod
    def from_raw(cls, raw: Sequence[arb]) -> Law:
        """From the raw moments of order 0, 1 and 2."""
        return cls(float(raw[1]), float(raw[2] - raw[1] ** 2))

    def score(self, n: int, budget: Budget) -> Score:
        """The test of n draws against the mean of this law, with its variance."""
        return Score(self.mean, self.variance, n, budget)


@dataclass(frozen=True)
class Scored:
    """Draws of one statistic, tested against the law of the claim and against two planted errors.

    Attributes
    ----------
    right : the test of the claim.
    placed : the test of an error exactly as large as the test claims to be able to refute.
    named : the test of the error that the evidence names, such as the law of another coupling.
    """

    right: TestResult
    placed: TestResult
    named: TestResult

    @property
    def caught(self) -> bool:
        """Whether both planted errors are refuted."""
        return all(wrong.decision is Outcome.REFUTED for wrong in (self.placed, self.named))


def scored(
    statistic: Statistic, law: Law, named: float, n: int, budget: Budget, tolerance: float | None = None, *,
    xp: Any = np, **options: Any,
) -> Scored:  # fmt: skip
    """Draw a statistic n times and test its mean, and the planted errors on the same draws.

    Parameters
    ----------
    named : another mean, which must be refuted; the error of the stated size is planted on the same side.
    tolerance : relative error that the test must be able to refute with the power of the budget.
    xp : array library of the statistic.
    options : options of the engine (`rftheory.engine.collect`).

    Examples
    --------
    >>> coin = lambda blocks: np.arange(blocks.start, blocks.stop) % 2
    >>> found = scored(coin, Law(0.5, 0.25), 0.6, 2**16, Budget(1e-6))
    >>> found.right.decision.value, found.placed.decision.value, found.named.decision.value, found.caught
    ('agrees', 'refuted', 'refuted', True)
    """
    right = law.score(n, budget)
    placed = replace(right, mean=law.mean + math.copysign(right.detectable, named - law.mean))
    tests = (right, placed, replace(right, mean=named))

    def columns(blocks: range) -> Any:
        values = 1.0 * xp.asarray(statistic(blocks))
        return xp.stack((values, *(test(values, xp) for test in tests)), axis=1)

    mean, *influences = (float(value) for value in collect(Means, columns, n, **options).mean)
    first = right.test(mean, influences[0], tolerance=tolerance)
    return Scored(first, placed.test(mean, influences[1]), tests[2].test(mean, influences[2]))


@dataclass(frozen=True)
class SampledMean:
    """The mean of a statistic of a sampler equals the one from the theory, tested with the exact variance.

    Two errors are planted, and the same draws must refute both: a named law with another mean, and a mean on the same
    side that is off by exactly as much as the test claims to be able to refute.

    Attributes
    ----------
    says : what is measured, in one line.
    statistic : makes a statistic of block ranges from the bench and a stream.
    law : the law of one draw under the claim.
    planted : the law under the named error.
    blocks : number of draws at effort 1.
    tolerance : relative error that the test must be able to refute with the power of the budget.
    """

    says: str
    statistic: Callable[[Bench, Stream], Statistic]
    law: Callable[[], Law]
    planted: Callable[[Law], Law]
    blocks: int
    tolerance: float | None = None
    kind: ClassVar[Kind] = Kind.SAMPLED
    tests: ClassVar[int] = 1
    covers: ClassVar[str] = "points"

    def run(self, bench: Bench) -> Evidence:
        stream, law = bench.stream(self.says), self.law()
        found = self.measure(bench, law, stream)
        evidence = Evidence.of_test(found.right, planted=found.placed)
        changes = (
            ("an error of the size that is stated", found.placed.decision is Outcome.REFUTED),
            ("the planted law", found.named.decision is Outcome.REFUTED),
        )
        details = {"named": found.named.to_dict(), "drawn": drawn(stream, bench)}
        return replace(
            evidence,
            summary=self.summary(found.right),
            details=evidence.details | details,
            control=found.caught,
            mutants=changes if bench.thorough else (),
        )

    def measure(self, bench: Bench, law: Law, stream: Stream) -> Scored:
        """Draw and test."""
        return scored(
            self.statistic(bench, stream), law, self.planted(law).mean, bench.blocks(self.blocks), bench.budget,
            self.tolerance, xp=bench.xp, **engine_options(bench, self.says),
        )  # fmt: skip

    def summary(self, result: TestResult) -> str:
        text = f"{self.says}: exact {result.exact:.6g}, {result.decision}, detectable {result.detectable:.2g}"
        return text if result.decision != "undecided" else f"{text}; {result.reason}"


@dataclass(frozen=True)
class Range:
    """The range of a difference D, and how much cutting it off there can change the mean.

    Attributes
    ----------
    low, high : ends, with 0 between them.
    below, above : bounds on E (low - D)_+ and E (D - high)_+; 0 if no value lies beyond, which is checked.

    Examples
    --------
    >>> Range(-2.0, 2.0).claimed
    0.5
    >>> Range(1.0, 2.0)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: range of a difference: needs ends with 0 between them, got (1.0, 2.0)
    """

    low: float
    high: float
    below: float = 0.0
    above: float = 0.0

    def __post_init__(self) -> None:
        if not self.low < 0 < self.high:
            needs = "ends with 0 between them"
            raise InvalidInput("range of a difference", needs=needs, got=(self.low, self.high))

    @property
    def width(self) -> float:
        """The length of the range."""
        return self.high - self.low

    @property
    def claimed(self) -> float:
        """The largest mean, in units of the range, of a difference of mean at most 0 that is cut off at the ends."""
        return (self.below - self.low) / self.width

    @property
    def reversed(self) -> float:
        """The smallest such mean of a difference of mean at least 0."""
        return (-self.above - self.low) / self.width

    @property
    def both(self) -> Range:
        """The range of the difference and of its negative."""
        top, beyond = max(-self.low, self.high), max(self.below, self.above)
        return Range(-top, top, beyond, beyond)

    def unit(self, values: Any, xp: Any) -> Any:
        """The values in units of the range, cut off if their tail is bounded."""
        low, high = (self.low if self.below else None), (self.high if self.above else None)
        return (xp.clip(values, low, high) - self.low) / self.width


@dataclass(frozen=True)
class Difference:
    """A - B, drawn together, with its range.

    Attributes
    ----------
    statistic : makes the differences of block ranges from the bench and a stream.
    range : computes the range when it is needed.
    """

    statistic: Callable[[Bench, Stream], Statistic]
    range: Callable[[], Range]

    def columns(self, bench: Bench, stream: Stream) -> Statistic:
        """In units of their ranges: the differences, and the same with A and B swapped at random."""
        statistic, within, xp = self.statistic(bench, stream), self.range(), bench.xp
        coins = Stream(stream.child("swap").key, stream.kind)  # not a part of what is drawn, and reported

        def columns(blocks: range) -> Any:
            values = 1.0 * xp.asarray(statistic(blocks))
            if values.shape != (len(blocks),):
                return values  # the engine says what is wrong with it
            swapped = xp.where(coins.bits(blocks, 1, xp=xp)[:, 0] % 2 == 1, -values, values)
            return xp.stack((within.unit(values, xp), within.both.unit(swapped, xp)), axis=1)

        return columns


@dataclass(frozen=True)
class Swapped:
    """Differences A - B, and the same with A and B swapped at random, whose mean is 0: an accumulator of the engine.

    Attributes
    ----------
    given, swapped : in units of their ranges.
    """

    given: Bins
    swapped: Bins

    @classmethod
    def of(cls, rows: Any) -> Swapped:
        """From the columns of a `Difference`."""
        return cls(*(Bins.of(column) for column in np.asarray(rows).T))

    def __add__(self, other: Swapped) -> Swapped:
        return Swapped(self.given + other.given, self.swapped + other.swapped)

    def to_dict(self) -> dict[str, object]:
        """A dictionary for JSON that keeps every bit."""
        return {"given": self.given.to_dict(), "swapped": self.swapped.to_dict()}

    @classmethod
    def from_dict(cls, content: Any) -> Swapped:
        """The inverse."""
        return cls(Bins.from_dict(content["given"]), Bins.from_dict(content["swapped"]))


@dataclass(frozen=True)
class _Trial:
    """The tests of E A <= E B on the draws so far, of ``planned`` ones at most."""

    within: Range
    budget: Budget
    planned: int

    def claim(self, bins: Swapped) -> TestResult:
        """E A <= E B."""
        return self._tested(bins.given, self.within.claimed, "greater", self.within)

    def reverse(self, bins: Swapped) -> TestResult:
        """E A >= E B."""
        return self._tested(bins.given, self.within.reversed, "less", self.within)

    def placed(self, bins: Swapped) -> TestResult:
        """E A <= E B - e, where E A = E B and e is what the test states."""
        both, error = self.within.both, self._error(bins)
        found = self._tested(bins.swapped, both.claimed - error, "greater", both)
        return replace(found, exact=-error * both.width)

    def decided(self, bins: Swapped) -> bool:
        """Whether the draws so far refute the claim or its reverse, and the error that is placed."""
        given, within = bins.given, self.within
        one = max(given.log_capital(within.reversed, "less"), given.log_capital(within.claimed, "greater"))
        goal = self.budget.log_e
        return (
            one >= goal
            and bins.swapped.log_capital(within.both.claimed - self._error(bins), "greater") >= goal
        )

    def _error(self, bins: Swapped) -> float:
        return detectable_effect(bins.swapped, self.within.both.claimed, self.budget, "greater", self.planned)

    def _tested(self, bins: Bins, mean: float, side: Side, within: Range) -> TestResult:
        """A result on the unit interval, in the unit of the difference."""
        result = betting_test(bins, mean, self.budget, side=side, planned=self.planned)
        error, first, last = (
            value * within.width + within.low for value in (result.estimate, *result.interval)
        )
        return replace(
            result,
            exact=0.0,
            estimate=error,
            effect=error,
            detectable=result.detectable * result.exact * within.width,
            interval=(first, last),
        )


@dataclass(frozen=True)
class SampledOrder:
    """E A <= E B for two statistics of the same stream, by bets that know the range of A - B, no moment of its draws.

    Two errors are planted, and the same draws must refute both. One is as large as the test says that it can refute: A
    and B are swapped at random, so that their means are equal, and E A <= E B - e is claimed. The other is the reversed
    inequality; where the inequality itself is refuted, its reverse is true, and no error.

    Bets may be looked at at any time, so the draws end as soon as all of this is decided. The error that is stated is
    still that which ``blocks`` draws refute: a wrong claim ends them only by being refuted, or by a false alarm of its
    reverse, which is true.
    """

    says: str
    difference: Difference
    blocks: int
    kind: ClassVar[Kind] = Kind.SAMPLED
    tests: ClassVar[int] = 1
    covers: ClassVar[str] = "points"

    def run(self, bench: Bench) -> Evidence:
        stream, blocks = bench.stream(self.says), bench.blocks(self.blocks)
        trial = _Trial(self.difference.range(), bench.budget, blocks)
        statistic, options = self.difference.columns(bench, stream), engine_options(bench, self.says)
        bins = collect(Swapped, statistic, blocks, stop=trial.decided, **options)
        right, placed = trial.claim(bins), trial.placed(bins)
        changes = [("an error of the size that is stated", placed.decision is Outcome.REFUTED)]
        details: dict[str, Any] = {"drawn": drawn(stream, bench)}
        if right.decision is not Outcome.REFUTED:
            wrong = trial.reverse(bins)
            details["named"] = wrong.to_dict()
            changes.append(("direction", wrong.decision is Outcome.REFUTED))
        found = Evidence.of_test(right, planted=placed)
        return replace(
            found,
            details=found.details | details,
            summary=f"{self.says}: {right.decision}; {right.reason}",
            control=all(caught for _, caught in changes),
            mutants=tuple(changes) if bench.thorough else (),
        )


def engine_options(bench: Bench, name: str) -> dict[str, Any]:
    """Options of a run of the engine on a bench; its leaves are long, because bets are looked at after each."""
    return {"workers": bench.workers, "to_host": to_host, "name": name, "memory": bench.memory, "leaf": 2**14}


def drawn(stream: Stream, bench: Bench) -> dict[str, str]:
    """Stream, engine and device of the draws so far."""
    if isinstance(stream, ServedStream):
        return stream.describe(bench.xp)
    return {"stream": stream.kind, "engine": "array", "device": device_name(bench.xp)}


def times(factor: float) -> Callable[[Law], Law]:
    """Planted error: the mean multiplied by a factor."""
    return lambda law: replace(law, mean=law.mean * factor)


def other(law: Callable[[], Law]) -> Callable[[Law], Law]:
    """Planted error: the mean of another law, such as that of another coupling."""
    return lambda true: replace(true, mean=law().mean)
