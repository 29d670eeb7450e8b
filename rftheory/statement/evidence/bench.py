"""Where checks are run, and what a check is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from rftheory.errors import InvalidInput
from rftheory.exact.enclosure import Exact
from rftheory.judge import Budget, Decision, Evidence, Kind
from rftheory.sample import Stream
from rftheory.sample.arrays import free_bytes
from rftheory.sample.serving import serving

Values = Mapping[str, Exact]

KINDS = tuple(str(kind) for kind in Kind)
"""All kinds of evidence."""


MORE_FOR_SLOW = 10
"""How many times as long a check may take that is marked as slow."""


def checked(kinds: Sequence[str], effort: float) -> None:
    """Refuse kinds of evidence that there are not, and a factor on draws that makes no sense.

    Examples
    --------
    >>> checked(("derived",), -1.0)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: --effort: needs a factor in (0, 1e6], got -1.0
    """
    if not isinstance(kinds, tuple | list) or not kinds or any(kind not in KINDS for kind in kinds):
        got = ",".join(map(str, kinds)) if isinstance(kinds, tuple | list) and kinds else kinds
        raise InvalidInput("--evidence", needs="a comma-separated choice of " + ", ".join(KINDS), got=got)
    if not 0 < effort <= 1e6:
        raise InvalidInput("--effort", needs="a factor in (0, 1e6]", got=effort)


def blocks_for(count: int, effort: float) -> int:
    """Blocks that are drawn in place of ``count`` at an effort.

    Examples
    --------
    >>> blocks_for(65536, 2.0), blocks_for(65536, 0.01)
    (131072, 4096)
    """
    return max(4096, int(count * effort))


@dataclass(frozen=True)
class Bench:
    """Where checks are run: level, stream, arrays, effort.

    Attributes
    ----------
    budget : family-wise level, split over the tests of the whole catalogue.
    xp : array namespace of the samplers.
    seed : seed of the streams; a verdict must not depend on it.
    effort : factor on the number of blocks of every sampled check.
    workers : threads of the engine.
    quick : leave out the checks that are marked as slow.
    thorough : plant every mutation of a statement (each constant, exponent, sign, the direction), not only the
        usual one.
    seconds : time for one check, ten times as long for one marked as slow, after which it is undecided; None: no limit.
    kernels : let the fused kernels draw what they can serve: those for a device on a device, elsewhere compiled
        ones. None: on a device, and elsewhere in runs that are not quick, for they have to be compiled first.
    """

    budget: Budget
    xp: Any
    seed: int = 0
    effort: float = 1.0
    workers: int = 1
    quick: bool = False
    thorough: bool = False
    seconds: float | None = None
    kernels: bool | None = None

    def stream(self, label: str) -> Stream:
        """The stream of one check: who draws for it, arrays or kernels, is up to the stream."""
        device = free_bytes(self.xp) is not None
        kernels = device or not self.quick if self.kernels is None else self.kernels
        return serving(self.xp, label, self.seed, kernels=kernels)

    def seconds_for(self, check: Check) -> float | None:
        """Time for a check, so that a busy machine does not turn its verdict into undecided.

        Examples
        --------
        >>> import numpy as np
        >>> bench, check = Bench(Budget(1e-6), np, seconds=60), NotAtHand("no data")
        >>> bench.seconds_for(check), bench.seconds_for(Slow(check))
        (60, 600)
        """
        if self.seconds is None:
            return None
        return self.seconds * (MORE_FOR_SLOW if isinstance(check, Slow) else 1)

    @property
    def memory(self) -> int:
        """Bytes that a statistic may plan with: on a device a part of what is free, for plans are rough."""
        return min(max(2**28, (free_bytes(self.xp) or 0) // 32), 2**32)

    def blocks(self, count: int) -> int:
        return blocks_for(count, self.effort)


class Check(Protocol):
    """One piece of evidence, ready to be earned."""

    @property
    def kind(self) -> Kind:
        """How it is earned."""
        ...

    @property
    def tests(self) -> int:
        """Statistical tests that it spends false-alarm rate on."""
        ...

    @property
    def covers(self) -> str:
        """How much of the stated domain it speaks of: a word of :class:`rftheory.judge.Cover`, and over what."""
        ...

    def run(self, bench: Bench) -> Evidence:
        """Earn the evidence."""
        ...


@dataclass(frozen=True)
class Slow:
    """A check that a quick run leaves out: what it adds is not the verdict but certainty."""

    check: Check

    @property
    def kind(self) -> Kind:
        return self.check.kind

    @property
    def tests(self) -> int:
        return self.check.tests

    @property
    def covers(self) -> str:
        return self.check.covers

    def run(self, bench: Bench) -> Evidence:
        return self.check.run(bench)


@dataclass(frozen=True)
class NotAtHand:
    """No evidence: what the statement rests on, such as data or a trained model, is not at hand.

    It never decides. A claim that names it is recorded as undecided, with the same reason.
    """

    reason: str
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0
    covers: ClassVar[str] = "points"

    def run(self, bench: Bench) -> Evidence:
        return Evidence(self.kind, Decision.UNDECIDED, f"not at hand: {self.reason}")


@contextmanager
def stopwatch() -> Iterator[Callable[[], float]]:
    start = time.perf_counter()
    yield lambda: time.perf_counter() - start


def point_text(values: Values) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())
