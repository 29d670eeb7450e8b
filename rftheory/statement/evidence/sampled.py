"""Evidence from samplers, tested against exact laws at the family-wise level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from flint import arb

from rftheory.engine import Moments, run
from rftheory.judge import Budget, Evidence, Kind, Outcome, TestResult, inequality_test, z_test
from rftheory.sample import Stream
from rftheory.sample.arrays import device_name, to_host
from rftheory.sample.serving import ServedStream
from rftheory.statement.evidence.bench import Bench, stopwatch

Statistic = Callable[[range], Any]


@dataclass(frozen=True)
class Law:
    """Mean, variance and, where known, standardised third and fourth moment of one draw.

    Examples
    --------
    >>> law = Law.from_raw([arb(1), arb(0), arb(1), arb(0), arb(3)])
    >>> law.variance, law.kurtosis
    (1.0, 3.0)
    """

    mean: float
    variance: float
    skewness: float | None = None
    kurtosis: float | None = None

    @classmethod
    def from_raw(cls, raw: Sequence[arb]) -> Law:
        """From raw moments of order 0 to 4 (or 3)."""
        m1 = raw[1]
        second = raw[2] - m1**2
        third = raw[3] - 3 * m1 * raw[2] + 2 * m1**3
        skewness = float(third) / float(second) ** 1.5
        if len(raw) < 5:
            return cls(float(m1), float(second), skewness)
        fourth = raw[4] - 4 * m1 * raw[3] + 6 * m1**2 * raw[2] - 3 * m1**4
        return cls(float(m1), float(second), skewness, float(fourth) / float(second) ** 2)

    def test(self, moments: Moments, budget: Budget, tolerance: float | None = None) -> TestResult:
        """Test a sample mean against this law."""
        return z_test(
            float(moments.mean[0]),
            moments.n,
            self.mean,
            self.variance,
            budget,
            skewness=self.skewness,
            kurtosis=self.kurtosis,
            tolerance=tolerance,
        )


@dataclass(frozen=True)
class SampledMean:
    """The mean of a statistic of a sampler is the one that the theory gives, tested with the exact variance.

    The planted error is a law with another mean; the same draws must refute it.

    Attributes
    ----------
    says : what is measured, one line.
    statistic : from the bench and a stream, a statistic of block ranges.
    law : the law of one draw under the claim.
    planted : the law under the planted error.
    blocks : number of draws at effort 1.
    tolerance : relative error that the test must be able to refute with power 0.999.
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
        with stopwatch() as seconds:
            stream = bench.stream(self.says)
            moments = measure(self.statistic, self.says, bench, self.blocks, stream)
            law = self.law()
            right = law.test(moments, bench.budget, self.tolerance)
            wrong = self.planted(law).test(moments, bench.budget)
            found = Evidence.of_test(right, planted=wrong, seconds=seconds())
            return replace(
                found,
                summary=self.summary(right),
                details=found.details | {"drawn": drawn(stream, bench)},
                mutants=(("the planted law", found.control is True),) if bench.thorough else (),
            )

    def summary(self, result: TestResult) -> str:
        text = f"{self.says}: exact {result.exact:.6g}, {result.decision}, detectable {result.detectable:.2g}"
        return text if result.decision != "undecided" else f"{text}; {result.reason}"


@dataclass(frozen=True)
class SampledOrder:
    """E A <= E B for two statistics of the same stream; the planted error is the reversed inequality.

    Where the inequality itself is refuted, its reverse is true, so that there is no planted error.
    """

    says: str
    difference: Callable[[Bench, Stream], Statistic]
    blocks: int
    kind: ClassVar[Kind] = Kind.SAMPLED
    tests: ClassVar[int] = 1
    covers: ClassVar[str] = "points"

    def run(self, bench: Bench) -> Evidence:
        with stopwatch() as seconds:
            stream = bench.stream(self.says)
            moments = measure(self.difference, self.says, bench, self.blocks, stream)
            right = inequality_test(moments, bench.budget)
            refuted = right.decision is Outcome.REFUTED
            wrong = None if refuted else inequality_test(_negated(moments), bench.budget)
            found = Evidence.of_test(right, planted=wrong, seconds=seconds())
            return replace(
                found,
                details=found.details | {"drawn": drawn(stream, bench)},
                summary=f"{self.says}: {right.decision}" + (f"; {right.reason}" if right.reason else ""),
                mutants=(("direction", found.control is True),) if bench.thorough and wrong else (),
            )


def measure(
    make: Callable[[Bench, Stream], Statistic],
    label: str,
    bench: Bench,
    blocks: int,
    stream: Stream | None = None,
) -> Moments:
    """Moments of the statistic over its own stream."""
    statistic = make(bench, bench.stream(label) if stream is None else stream)
    count, memory = bench.blocks(blocks), bench.memory
    return run(statistic, count, workers=bench.workers, to_host=to_host, name=label, memory=memory)


def drawn(stream: Stream, bench: Bench) -> dict[str, str]:
    """Stream, engine and device of the draws so far."""
    if isinstance(stream, ServedStream):
        return stream.describe(bench.xp)
    return {"stream": stream.kind, "engine": "array", "device": device_name(bench.xp)}


def _negated(moments: Moments) -> Moments:
    return replace(moments, mean=-moments.mean, m3=-moments.m3, min=-moments.max, max=-moments.min)


def times(factor: float) -> Callable[[Law], Law]:
    """Planted error: the mean multiplied by a factor."""
    return lambda law: replace(law, mean=law.mean * factor)


def other(law: Callable[[], Law]) -> Callable[[Law], Law]:
    """Planted error: the mean of another law, such as that of another coupling."""
    return lambda true: replace(true, mean=law().mean)
