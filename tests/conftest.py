"""What holds for every test: deterministic property tests, and GPU tests only where there is a GPU."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from rftheory.names import load_declared
from rftheory.sample.arrays import cupy_problem

# Figures are drawn without a display, before anything imports matplotlib.
os.environ["MPLBACKEND"] = "Agg"

# Notes declare mechanisms where they are read: only the tests that judge them may do that.
collect_ignore = ["notes"]

# derandomize: a run is a function of the code alone. No deadline and no speed check: they measure the
# machine and its load, not the code.
settings.register_profile(
    "rftheory",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("rftheory")

# Nor of the modules that happen to be loaded: hypothesis likes to try the constants that it reads in them, and
# which ones a process of the tests has loaded depends on the tests that it was given before.
if hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = lambda: providers._local_constants


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Tests that go through all couplings, or all maps, go through those that are declared in files of their own too.

    The process that hands tests out to others collects none, and reads nothing. Only the first call does anything.
    """
    load_declared()


@pytest.fixture(scope="module")
def no_trace() -> Iterator[None]:
    """Other tests go through all couplings and maps that are declared: those of these tests are taken out again."""
    from rftheory import author, sample, spec

    registries = (spec.COUPLINGS, spec.MAPS, sample.COUPLINGS)
    before = {name for registry in registries for name in registry}
    yield
    for name in {name for registry in registries for name in registry} - before:
        author.forget(name)
    assert {name for registry in registries for name in registry} == before


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    on_gpu = [item for item in items if item.get_closest_marker("gpu")]
    reason = cupy_problem() if on_gpu else ""
    for item in on_gpu:
        # what CuPy warns of is not ours to answer for
        item.add_marker(pytest.mark.filterwarnings("default"))
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage, which takes a quarter of the time: nearly all objects stay.

    They are not looked through again while the tests run, which make little garbage too: it is looked for rarely.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000, 20, 20)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A process that is handed tests reports how each ended, and not that it began, was set up and was torn down.

    These messages took the two sides as long as most tests take.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > 0.1:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.fixture
def end_after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Runs of the checker end after a number of calls, 4096 unless a test asks for another, and never by the clock.

    So what a run finds is a function of the code and the seed, on a machine of any speed.
    """
    from rftheory.check import run

    def end(calls: int) -> None:
        monkeypatch.setattr(run, "Plan", partial(plan, calls=calls))

    plan = run.Plan
    monkeypatch.setattr(run, "CLOCK", lambda: 0.0)
    end(4096)
    return end


@pytest.fixture
def mutate(record_property: Callable[[str, object], None]) -> Callable[[tuple[Any, ...]], Any]:
    """Judge claims, each with every mutation of it: verdicts are as recorded, controls caught; then the tally."""
    from benchmarks.mutations import PLANTED, Tally
    from rftheory.report.judging import judge_all
    from rftheory.statement.evidence import NotAtHand

    def planted(claims: tuple[Any, ...]) -> Any:
        results = list(judge_all(claims, PLANTED))
        assert [(r.claim.id, r.verdict.reason) for r in results if not r.as_recorded] == []
        assert [r.claim.id for r in results if any(p.control is False for p in r.verdict.evidence)] == []
        tally = Tally.of(results)
        record_property("mutations", str(tally))
        blocked = [c for c in claims if any(isinstance(check, NotAtHand) for check in c.checks)]
        assert tally.claims == len(claims) - len(blocked)
        return tally

    return planted
