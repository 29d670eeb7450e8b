"""How long a run goes on: by draws and CPU time, with a limit for each call, in bounded memory."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.planted.defects import independent, orthogonal
from rftheory.check import check, run
from rftheory.check.measures import MatrixMeasures
from rftheory.check.report import Report
from rftheory.check.threads import limited_to, settings
from rftheory.cli import main
from rftheory.errors import SamplerFailed
from rftheory.judge import Outcome


def patient(m: int, d: int, seed: int) -> np.ndarray:
    while True:
        try:
            time.sleep(10)
        except Exception:
            continue


def test_a_call_that_hangs_is_ended() -> None:
    began = time.monotonic()
    with pytest.raises(SamplerFailed, match=r"longer than 0\.2 s in one call; .*--call-seconds"):
        check(patient, coupling="iid", d=2, call_seconds=0.2)
    assert time.monotonic() - began < 60  # on a busy machine; the call itself never ends


def test_each_of_many_calls_has_its_own_time(end_after: Callable[[int], None]) -> None:
    def slow(m: int, d: int, seed: int) -> np.ndarray:
        time.sleep(0.01)
        calls.append(time.monotonic())
        if len(calls) > 50 and hangs:
            time.sleep(90)
        return independent(m, d, seed)

    end_after(64)
    calls, hangs = list[float](), False
    assert check(slow, coupling="iid", d=2, call_seconds=0.2, intervals=False).calls == 64
    assert calls[-1] - calls[0] > 0.4
    calls, hangs = [], True
    with pytest.raises(SamplerFailed, match=r"longer than 0\.2 s in one call"):
        check(slow, coupling="iid", d=2, call_seconds=0.2, intervals=False)
    assert 0.15 < time.monotonic() - calls[-1] < 60  # less than the call takes


def test_a_call_ends_soon_after_the_time_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "LOADING", 0.1)
    with pytest.raises(SamplerFailed, match=r"longer than 0\.3 s in one call"):
        check(patient, coupling="iid", d=2, seconds=0.2)


def test_a_call_that_gets_little_of_the_processor_is_not_one_that_hangs() -> None:
    def starved(m: int, d: int, seed: int) -> np.ndarray:
        if seed not in seen:
            seen.add(seed)
            until = time.monotonic() + (0.5 if len(seen) == 1 else 0)
            while time.monotonic() < until:
                time.sleep(0.02)
                worked = time.process_time() + 0.005
                while time.process_time() < worked:
                    pass
        return independent(m, d, seed)

    seen: set[int] = set()
    assert check(starved, coupling="iid", d=2, call_seconds=0.2, intervals=False).calls > 0


def test_a_call_that_works_too_long_is_ended() -> None:
    def endless(m: int, d: int, seed: int) -> np.ndarray:
        while True:
            pass

    began = time.process_time()
    with pytest.raises(SamplerFailed, match=r"longer than 0\.2 s in one call"):
        check(endless, coupling="iid", d=2, call_seconds=0.2)
    assert time.process_time() - began < 5


def test_what_the_first_call_takes_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def loading(m: int, d: int, seed: int) -> np.ndarray:
        if now[0] == 0:
            now[0] = 1000.0  # as an import of a large library would
        return independent(m, d, seed)

    monkeypatch.setattr(run, "CLOCK", lambda: now[0])
    report = check(loading, coupling="iid", d=2, seconds=5.0, intervals=False)
    assert report.decision is Outcome.AGREES
    assert report.seconds == 0


def test_time_is_cpu_time_but_a_sampler_that_waits_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run.CLOCK is time.process_time
    wall = [0.0]

    def waiting(m: int, d: int, seed: int) -> np.ndarray:
        wall[0] += 10.0
        return independent(m, d, seed)

    monkeypatch.setattr(run, "CLOCK", lambda: 0.0)
    monkeypatch.setattr(time, "monotonic", lambda: wall[0])
    report = check(waiting, coupling="iid", d=2, seconds=90.0, intervals=False)
    assert report.calls == 256  # those after the first look take 1920 seconds, more than PATIENCE times 90
    assert report.decision is Outcome.UNDECIDED


def test_linear_algebra_uses_one_thread_unless_asked(end_after: Callable[[int], None]) -> None:
    end_after(64)
    seen: set[int] = set()

    def watched(m: int, d: int, seed: int) -> np.ndarray:
        seen.update(get() for get, _ in settings())
        return independent(m, d, seed)

    with limited_to(3):  # as a user's process may have set it
        if not settings():
            pytest.skip("no OpenBLAS is loaded here")
        for threads in (1, 2):
            check(watched, coupling="iid", d=2, threads=threads, intervals=False)
            assert seen == {threads}
            seen.clear()
        assert {get() for get, _ in settings()} == {3}


def test_large_weights_are_looked_at_in_small_batches(
    monkeypatch: pytest.MonkeyPatch, end_after: Callable[[int], None]
) -> None:
    end_after(128)
    sizes = []
    see = MatrixMeasures.see
    monkeypatch.setattr(MatrixMeasures, "see", lambda self, w: (sizes.append(w.size), see(self, w))[1])
    many = check(orthogonal, coupling="orthogonal", d=8, m=32, intervals=False)
    assert max(sizes) > 1 << 13
    monkeypatch.setattr(run, "ENTRIES", 1 << 12)
    sizes.clear()
    few = check(orthogonal, coupling="orthogonal", d=8, m=32, intervals=False)
    assert max(sizes) <= 1 << 12
    assert [f.outcome for f in few.findings] == [f.outcome for f in many.findings]
    np.testing.assert_allclose([f.p for f in few.findings], [f.p for f in many.findings], rtol=1e-9)


def test_an_undecided_run_says_what_would_decide_it(end_after: Callable[[int], None]) -> None:
    end_after(64)
    report = check(independent, coupling="iid", d=4, intervals=False)
    assert report.decision is Outcome.UNDECIDED
    words, calls = report.advice.split(": --seconds")[0], int(report.advice.split()[1])
    assert words == f"about {calls} calls would decide it"
    assert report.advice in report.text()
    end_after(calls)  # the promise is kept
    assert check(independent, coupling="iid", d=4, intervals=False).ok


def test_what_more_draws_cannot_decide_is_not_promised() -> None:
    stored = check(np.stack([independent(8, 4, i) for i in range(20)]), coupling="iid", intervals=False)
    assert "draws would decide it; 20 are stored" in stored.advice
    assert "--seconds" not in stored.advice
    open_one = stored.findings[0].__class__(
        "variance", "one", Outcome.UNDECIDED, 9, 0, "", (0, 0), np.inf, 0.1, 1
    )
    report = Report("t", "matrix", {}, (), (open_one,), (), calls=64, looks=1, seconds=1, alpha=1e-6, seed=0)
    assert report.advice == "more draws would not decide everything: see the reasons"


def test_options_of_the_budget(capsys: pytest.CaptureFixture[str]) -> None:
    target = "benchmarks.planted.defects:independent"
    for option, words in (
        ("--threads", "--threads: needs an integer from 1 to 1024"),
        ("--call-seconds", "--call-seconds: needs"),
    ):
        assert main(["check", target, option, "0"]) == 2
        assert words in capsys.readouterr().err
