"""The bench on which checks run, and the protocol of a check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from rftheory.errors import InvalidInput, checked_effort
from rftheory.exact.enclosure import Exact
from rftheory.judge import Budget, Decision, Evidence, Kind
from rftheory.sample import Stream
from rftheory.sample.arrays import free_bytes
from rftheory.sample.serving import serving

Values = Mapping[str, Exact]

KINDS = tuple(str(kind) for kind in Kind)
"""All kinds of evidence."""


MORE_FOR_SLOW = 10
"""The factor on the time limit of a check that is marked as slow."""


def checked(kinds: Sequence[str], effort: float) -> None:
    """Refuse unknown kinds of evidence, and a factor on the number of draws that makes no sense.

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
    checked_effort("--effort", effort)


FEWEST = 4096
"""The fewest blocks of a sampled check."""


def blocks_for(count: int, effort: float, fewest: int = FEWEST) -> int:
    """Blocks that are drawn in place of ``count`` at an effort.

    Examples
    --------
    >>> blocks_for(65536, 2.0), blocks_for(65536, 0.01)
    (131072, 4096)
    """
    return max(fewest, int(count * effort))


@dataclass(frozen=True)
class Bench:
    """The setting in which checks run: level, streams, arrays, effort.

    Attributes
    ----------
    budget : family-wise level, split over the tests of the whole catalogue.
    xp : array namespace of the samplers.
    seed : seed of the streams; a verdict must not depend on it.
    effort : factor on the number of blocks of every sampled check.
    fewest : blocks that a check draws at least, however small the effort.
    workers : number of threads of the engine.
    quick : whether to leave out slow checks.
    thorough : whether to plant every mutation of a statement (each constant, exponent, sign, the direction), not only
        the usual one.
    seconds : time limit for one check (ten times as long for a slow one), after which it is undecided; None: no limit.
    kernels : whether the fused kernels draw what they support: CUDA kernels on a device, compiled ones elsewhere.
        None: on a device, and elsewhere only if the run is not quick, because kernels must be compiled first.
    """

    budget: Budget
    xp: Any
    seed: int = 0
    effort: float = 1.0
    fewest: int = FEWEST
    workers: int = 1
    quick: bool = False
    thorough: bool = False
    seconds: float | None = None
    kernels: bool | None = None

    def stream(self, label: str) -> Stream:
        """The stream of one check, which decides whether arrays or kernels draw."""
        device = free_bytes(self.xp) is not None
        kernels = device or not self.quick if self.kernels is None else self.kernels
        return serving(self.xp, label, self.seed, kernels=kernels)

    def seconds_for(self, check: Check) -> float | None:
        """Time limit for a check, long enough for a busy machine.

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
        """Bytes that a statistic may use; on a device only a part of the free memory, because plans are rough."""
        return min(max(2**28, (free_bytes(self.xp) or 0) // 32), 2**32)

    def blocks(self, count: int) -> int:
        return blocks_for(count, self.effort, self.fewest)


class Check(Protocol):
    """A check, which produces one piece of evidence when it is run."""

    @property
    def kind(self) -> Kind:
        """The kind of evidence."""
        ...

    @property
    def tests(self) -> int:
        """The number of statistical tests that share the false-alarm rate."""
        ...

    @property
    def covers(self) -> str:
        """How much of the stated domain it covers: a word of :class:`rftheory.judge.Cover`, and what exactly."""
        ...

    def run(self, bench: Bench) -> Evidence:
        """Produce the evidence; how long it took is measured where checks are run."""
        ...


@dataclass(frozen=True)
class Slow:
    """A check that a quick run leaves out, because it adds certainty but does not change the verdict."""

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
    """No evidence: what the statement depends on, such as data or a trained model, is not available.

    It never decides. A claim that names it is recorded as undecided, with the same reason.
    """

    reason: str
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0
    covers: ClassVar[str] = "points"

    def run(self, bench: Bench) -> Evidence:
        return Evidence(self.kind, Decision.UNDECIDED, f"not at hand: {self.reason}")
