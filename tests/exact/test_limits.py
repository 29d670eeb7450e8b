"""Limits on time hold wherever the alarm meets the computation."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
import time
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
import sympy
from sympy.core.facts import FactKB

from rftheory.errors import NotCertified
from rftheory.exact import limits
from rftheory.exact.limits import cpu_limit, time_limit


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def inside(seconds: float, work: Callable[[], None]) -> str:
    """What a limit inside another says when it ends the work; the other goes on."""
    try:
        with time_limit(seconds, "inner"):
            work()
    except NotCertified as error:
        return str(error)
    return "done"


def test_an_alarm_that_a_callback_drops_goes_off_again() -> None:
    """The interpreter drops what is raised in the callback of a weak reference; the limit holds all the same."""

    class Thing:
        pass

    things = [Thing() for _ in range(5)]
    watchers = [weakref.ref(thing, lambda _: spin(0.05)) for thing in things]

    def work() -> None:
        things.clear()
        spin(5)

    before = sys.unraisablehook
    with pytest.raises(NotCertified, match=r"nothing in 0\.02 s"), time_limit(0.02, "loop"):
        work()
    assert sys.unraisablehook is before
    assert all(watcher() is None for watcher in watchers)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize("patience", [10.0, 0.05])
def test_an_import_under_way_is_finished_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    """Else half of a library would stay loaded; but no import may go on forever."""
    name, seconds = "a_module_that_takes_its_time", 0.2 if patience > 1 else 60
    (tmp_path / f"{name}.py").write_text(f"import time\ntime.sleep({seconds})\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(limits, "IMPORTS", patience)
    start = time.monotonic()

    def work() -> None:
        importlib.import_module(name)
        spin(60)

    assert "nothing in 0.02 s" in inside(0.02, work)
    assert time.monotonic() - start < 30
    assert (name in sys.modules) is (patience > 1)
    sys.modules.pop(name, None)


def test_a_limit_inside_an_import_holds_for_what_the_module_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "a_module_with_a_limit"
    (tmp_path / f"{name}.py").write_text(
        "import time\nfrom rftheory.errors import NotCertified\nfrom rftheory.exact.limits import time_limit\n"
        "start = time.monotonic()\n"
        "try:\n    with time_limit(0.02):\n        time.sleep(60)\n"
        "except NotCertified:\n    took = time.monotonic() - start\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert importlib.import_module(name).took < min(5, limits.IMPORTS)
    del sys.modules[name]


def test_a_shorter_limit_holds_inside_a_longer_one_which_runs_on() -> None:
    said = []

    def work() -> None:
        said.extend(inside(0.05, lambda: spin(5)) for _ in range(2))
        spin(5)

    with pytest.raises(NotCertified, match=r"outer: .* in 0\.5 s"), time_limit(0.5, "outer"):
        work()
    assert len(said) == 2
    assert all("inner" in words and "in 0.05 s" in words for words in said)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_longer_limit_inside_a_shorter_one_does_not_prolong_it() -> None:
    start = time.monotonic()
    with pytest.raises(NotCertified, match=r"outer: .* in 0\.05 s"), time_limit(0.05, "outer"):
        inside(5, lambda: spin(5))
    assert time.monotonic() - start < 4


def test_an_outer_limit_whose_time_is_up_meanwhile_holds_after_the_inner_one() -> None:
    def slow_to_leave() -> None:
        try:
            spin(5)
        finally:
            spin(0.2)

    def work() -> None:
        assert "inner" in inside(0.05, slow_to_leave)
        spin(5)

    start = time.monotonic()
    with pytest.raises(NotCertified, match="outer"), time_limit(0.1, "outer"):
        work()
    assert time.monotonic() - start < 4


def swallows_once() -> None:
    with contextlib.suppress(BaseException):
        spin(60)
    spin(60)


def swallows_at_each_step() -> None:
    for _ in range(100):
        with contextlib.suppress(BaseException):
            spin(60)
    spin(60)


def swallows_in_a_loop() -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            while time.monotonic() < end:
                pass
        except BaseException:
            pass


def goes_on_in_its_handler() -> None:
    try:
        spin(60)
    except BaseException:
        spin(60)


@pytest.mark.parametrize(
    "work", [swallows_once, swallows_at_each_step, swallows_in_a_loop, goes_on_in_its_handler]
)
@pytest.mark.parametrize("nested", [False, True])
def test_who_keeps_the_alarm_to_himself_hears_it_again(work: Callable[[], None], nested: bool) -> None:
    start, handler, hook = time.monotonic(), signal.getsignal(signal.SIGALRM), sys.unraisablehook
    said = []

    def inner() -> None:
        said.append(inside(0.02, work))
        spin(60)

    assert "nothing in" in (inside(0.5, inner) if nested else inside(0.02, work))
    assert time.monotonic() - start < 20
    assert all("nothing in 0.02 s" in words for words in said)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert (signal.getsignal(signal.SIGALRM), sys.unraisablehook) == (handler, hook)
    spin(0.05)  # it does not ring after the block


def test_what_cleans_up_is_not_disturbed() -> None:
    done = []

    def work() -> None:
        try:
            spin(60)
        finally:
            spin(0.2)
            done.append("cleaned")

    assert "nothing in 0.02 s" in inside(0.02, work)
    assert done == ["cleaned"]


def test_a_limit_ends_whole_whenever_the_alarm_goes_off() -> None:
    """Where it strikes while a limit is being set or ended, nothing of it is left behind."""
    handler, hook = signal.getsignal(signal.SIGALRM), sys.unraisablehook
    for number in range(2000):
        inside(1e-6 * (1 + number % 100), lambda: inside(1e-5, lambda: None) and None)
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert (signal.getsignal(signal.SIGALRM), sys.unraisablehook) == (handler, hook)


def lost(error: BaseException) -> None:
    """What compiled code does that cannot raise: it prints the exception and goes on."""
    sys.excepthook(type(error), error, error.__traceback__)


def test_an_alarm_or_an_interrupt_that_compiled_code_prints_is_raised_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = sys.excepthook

    def deaf(strike: bool) -> None:
        try:
            if strike:  # a signal would be ignored where the tests run in the background
                raise KeyboardInterrupt
            while True:
                pass
        except BaseException as error:
            lost(error)
        while True:
            pass

    with pytest.raises(NotCertified, match="nothing"), time_limit(0.02, "tables"):
        deaf(strike=False)
    with pytest.raises(KeyboardInterrupt), time_limit(20, "tables"):
        deaf(strike=True)
    assert capsys.readouterr().err == ""
    assert sys.excepthook is before
    with time_limit(20, "tables"):
        lost(ValueError("another"))
    assert "another" in capsys.readouterr().err


def test_more_time_may_be_given_by_a_limit() -> None:
    asked: list[float] = []

    def more() -> float:
        asked.append(0.01)
        return 0.01 if len(asked) < 3 else 0.0

    with pytest.raises(NotCertified, match="in 7 s"), time_limit(0.01, "loop", more=more, named=7):
        spin(20)
    assert len(asked) == 3


def test_a_limit_of_computing_counts_what_the_process_computes_alone() -> None:
    with cpu_limit(0.02, "loop"):
        time.sleep(0.1)
    with pytest.raises(NotCertified, match=r"loop: .* in 0\.02 s"), cpu_limit(0.02, "loop"):
        spin(20)
    with cpu_limit(None):
        spin(0.02)


def test_a_limit_of_computing_does_not_prolong_the_one_around_it() -> None:
    def work() -> None:
        with contextlib.suppress(NotCertified), cpu_limit(0.05, "inner"):
            time.sleep(5)
        spin(5)

    start = time.monotonic()
    with pytest.raises(NotCertified, match="outer"), time_limit(0.1, "outer"):
        work()
    assert time.monotonic() - start < 4


def test_what_sympy_notes_of_a_number_is_noted_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that is odd is not even, whenever the alarm goes off: it would stay unknown, also of 3."""
    tell = FactKB._tell

    def slowly(facts: FactKB, fact: str, value: object) -> bool:
        told = bool(tell(facts, fact, value))
        if fact == "odd":
            spin(0.05)
        return told

    number = sympy.Integer(8_000_007)
    monkeypatch.setattr(FactKB, "_tell", slowly)
    with contextlib.suppress(NotCertified), time_limit(0.02):
        _ = number.is_even
    assert (number.is_odd, number.is_even) == (True, False)
