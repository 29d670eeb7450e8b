"""Judge many claims, in several processes, with a record from which an interrupted run resumes."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing.context import BaseContext
from pathlib import Path

import rftheory
from rftheory.engine import Processes
from rftheory.engine.record import Record, sources_of
from rftheory.errors import InvalidInput, checked_integer, checked_seconds, checked_workers
from rftheory.judge import Budget, Kind, Verdict
from rftheory.papers import CATALOGUE, Claim
from rftheory.report.run import Result
from rftheory.sample import namespace
from rftheory.sample.arrays import device_name, device_settings
from rftheory.statement.evidence import Bench
from rftheory.statement.evidence.bench import KINDS, checked
from rftheory.statement.run import Progress

FALSE_ALARM = 1e-6
"""Probability of a false alarm in a run of the whole catalogue."""


@dataclass(frozen=True)
class Settings:
    """The settings of a run of the catalogue, as plain values that can be sent to another process.

    Attributes
    ----------
    kinds : kinds of evidence to produce.
    backend : ``auto``, ``numpy`` or ``cupy``.
    devices : numbers of CUDA devices such as ``0,1``, shared out among the processes; empty: the first one.
    kernels : whether the fused kernels draw what they support; None: where that is faster.
    seed, effort : as in :class:`rftheory.statement.evidence.Bench`.
    quick : whether to leave out slow checks.
    thorough : whether to plant every mutation of a statement.
    jobs : number of processes.
    time_limit : seconds for one check of a claim, ten times as many for a slow one; None: no limit.

    Examples
    --------
    >>> Settings(jobs=0)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: --jobs: needs an integer from 1 to 1024, got 0
    """

    kinds: tuple[str, ...] = KINDS
    backend: str = "auto"
    seed: int = 0
    effort: float = 1.0
    quick: bool = False
    thorough: bool = False
    jobs: int = 1
    time_limit: float | None = None
    devices: str = ""
    kernels: bool | None = None

    def __post_init__(self) -> None:
        checked(self.kinds, self.effort)
        checked_integer("--seed", self.seed, 0)
        checked_workers("--jobs", self.jobs)
        if self.devices:
            device_settings(self.devices)
        if self.time_limit is not None:
            checked_seconds("--time-limit", self.time_limit)

    def bench(self) -> Bench:
        """The bench with these settings; a single process has one thread for each core that it may use."""
        cores = os.cpu_count() or 1
        return Bench(
            Budget.of_run(FALSE_ALARM, CATALOGUE.sampled_tests),
            namespace(self.backend),
            seed=self.seed,
            effort=self.effort,
            workers=max(1, cores // self.jobs),
            quick=self.quick,
            thorough=self.thorough,
            seconds=self.time_limit,
            kernels=self.kernels,
        )

    def judge(self, claim: Claim, bench: Bench) -> Verdict:
        """The verdict on one claim."""
        return claim.judge(bench, [Kind(kind) for kind in self.kinds])


def judge_all(
    claims: Sequence[Claim],
    settings: Settings,
    record: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    prepare: Callable[[], None] | None = None,
    start: BaseContext | None = None,
) -> tuple[Result, ...]:
    """Verdicts on claims of the catalogue, in their order.

    Parameters
    ----------
    claims : claims of ``CATALOGUE``.
    settings : the settings of the run.
    record : file to which each verdict is added as soon as it is known; a run with the same claims, settings and
        sources resumes from it. At most the claims under way are lost.
    progress : called with the id of a finished claim, the number of finished claims, and the total.
    prepare, start : as in `Processes`, for each process that is started.

    Raises
    ------
    InvalidInput : the record belongs to another run.
    SamplerFailed : processes were killed repeatedly under the same claims.

    Examples
    --------
    >>> claims = CATALOGUE.select(claim="simplex.def3.1/m=1")
    >>> [result.verdict.decision.value for result in judge_all(claims, Settings())]
    ['fails']
    """
    with ExitStack() as stack:
        journal = None
        done: dict[int, Verdict] = {}
        if record is not None:
            journal = stack.enter_context(Record(record, _job(claims, settings), Verdict.from_dict))
            done = dict(journal.leaves)
            _check_owners(done, claims, journal.path.name)
        todo = [(number, claim) for number, claim in enumerate(claims) if number not in done]
        for number, verdict in _verdicts(todo, settings, prepare, start):
            done[number] = verdict
            if journal is not None:
                journal.append(number, [verdict])
            if progress is not None:
                progress(claims[number].id, len(done), len(claims))
    return tuple(Result(claim, done[number]) for number, claim in enumerate(claims))


def _job(claims: Sequence[Claim], settings: Settings) -> dict[str, object]:
    """Everything that the verdicts depend on, which excludes the number of processes."""
    asked = {name: value for name, value in asdict(settings).items() if name != "jobs"}
    arrays = namespace(settings.backend)
    asked |= {
        "kinds": list(settings.kinds),
        "backend": f"{arrays.__name__.rsplit('.', 1)[-1]} on {device_name(arrays)}",
    }
    return {"claims": [claim.id for claim in claims], "settings": asked, "sources": sources_hash()}


def _check_owners(done: Mapping[int, Verdict], claims: Sequence[Claim], name: str) -> None:
    """Refuse a record in which a verdict has the place of another claim."""
    for number, verdict in done.items():
        owner = claims[number].id if 0 <= number < len(claims) else "no claim"
        if verdict.claim != owner:
            got = f"one for {verdict.claim} in the place of {owner}"
            raise InvalidInput(f"record {name}", needs="each claim's own verdict", got=got)


def sources_hash() -> str:
    """A hash of the sources of the package; a record written by other sources is not resumed."""
    house = Path(rftheory.__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(sources_of(house)):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(house).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _verdicts(
    todo: Sequence[tuple[int, Claim]],
    settings: Settings,
    prepare: Callable[[], None] | None,
    start: BaseContext | None,
) -> Iterator[tuple[int, Verdict]]:
    environments = device_settings(settings.devices) if settings.devices else []
    if not environments and (settings.jobs == 1 or len(todo) < 2):
        bench = settings.bench()
        for number, claim in todo:
            yield number, settings.judge(claim, bench)
        return
    # claims of one entry rest on the same derivations, which a process replays only once
    groups = [list(group) for _, group in itertools.groupby(todo, key=lambda item: item[1].entry)]
    ids = [[(number, claim.id) for number, claim in group] for group in groups]
    with Processes(settings.jobs, retries=1, environments=environments, prepare=prepare, start=start) as pool:
        for verdicts in pool(
            partial(_judge_groups, settings, ids), [range(i, i + 1) for i in range(len(ids))]
        ):
            yield from verdicts


def _judge_groups(
    settings: Settings, groups: Sequence[Sequence[tuple[int, str]]], chosen: range
) -> list[tuple[int, Verdict]]:
    bench = settings.bench()
    return [
        (number, settings.judge(CATALOGUE.claims[identifier], bench))
        for group in groups[chosen.start : chosen.stop]
        for number, identifier in group
    ]
