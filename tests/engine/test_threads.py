"""Threads and queues: order, errors, early ends, and an interrupt after every single instruction."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from _thread import start_new_thread
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest

from rftheory.engine import Processes, run
from rftheory.engine import threads as threads_module
from rftheory.engine.threads import _drain, aside, in_threads
from rftheory.errors import InvalidInput


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("ahead", [1, 3, 10])
def test_every_argument_is_answered_once(threads, ahead):
    assert sorted(in_threads(threads, lambda x: x * x, range(20), ahead=ahead)) == [x * x for x in range(20)]
    assert list(in_threads(threads, abs, [], ahead=ahead)) == []


@pytest.mark.parametrize("given", [0, 3])
def test_a_system_that_gives_fewer_threads(given, monkeypatch):
    started = []

    def start(work, arguments):
        if len(started) == given:
            raise RuntimeError("can't start new thread")
        started.append(start_new_thread(work, arguments))

    monkeypatch.setattr(threads_module, "start_new_thread", start)
    if given:
        assert sorted(in_threads(9, abs, range(20), ahead=18)) == list(range(20))
    else:
        with pytest.raises(RuntimeError):
            list(in_threads(9, abs, range(20), ahead=18))


@pytest.mark.parametrize("workers", [0, -1, 1025, 100_000, 1.5, "2", None, True, [2]])
def test_counts_of_workers_that_make_no_sense(workers):
    for call in (lambda: run(np.zeros, 10, workers=workers), lambda: Processes(workers)):
        with pytest.raises(InvalidInput, match="from 1 to 1024"):
            call()


def test_no_more_than_asked_are_under_way():
    given = []
    results = in_threads(2, abs, (given.append(i) or i for i in count()), ahead=3)
    for taken in range(1, 8):
        next(results)
        assert len(given) == taken + 2
    results.close()


def test_threads_work_at_the_same_time():
    meeting = threading.Barrier(3, timeout=60)
    assert len(list(in_threads(3, lambda _: meeting.wait(), range(3), ahead=3))) == 3


@pytest.mark.parametrize("kind", [ValueError, SystemExit, KeyboardInterrupt])
def test_what_a_task_raises_is_raised_here(kind):
    def task(i: int) -> int:
        if i == 3:
            raise kind("three")
        return i

    with pytest.raises(kind, match="three"):
        list(in_threads(2, task, range(10), ahead=4))


def test_what_the_arguments_raise_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        list(in_threads(2, abs, (1 // (5 - i) for i in range(10)), ahead=4))


def test_an_early_end_waits_for_what_has_begun_and_leaves_the_rest(monkeypatch):
    begun, ended, gate = [], [], threading.Event()

    def task(i: int) -> int:
        begun.append(i)
        assert i < 3 or gate.wait(60)
        ended.append(i)
        return i

    def drain_and_open(queue) -> None:
        _drain(queue)
        gate.set()

    monkeypatch.setattr("rftheory.engine.threads._drain", drain_and_open)
    results = in_threads(2, task, range(100), ahead=50)
    assert len(list(islice(results, 3))) == 3
    assert not gate.is_set()
    results.close()
    assert sorted(ended) == sorted(begun)
    assert set(begun) <= set(range(5))  # two threads, and three results


def test_an_early_end_may_also_go_at_once():
    gate = threading.Event()
    results = in_threads(1, lambda i: i == 0 or gate.wait(60), range(2), ahead=2, patient=False)
    assert next(results) is True
    results.close()  # the second task waits for what comes only now
    gate.set()


def test_aside_returns_and_raises():
    assert aside(lambda: threading.get_ident()) != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0)


# ---- interrupts


def by_futures(threads, task, arguments, *, ahead):
    """The planted twin: the recipe of the documentation, whose locks an interrupt can leave taken."""
    todo = iter(arguments)
    pool = ThreadPoolExecutor(threads)
    try:
        pending = {pool.submit(task, a) for a in islice(todo, ahead)}
        while pending:
            ready, pending = wait(pending, return_when=FIRST_COMPLETED)
            pending |= {pool.submit(task, a) for a in islice(todo, len(ready))}
            for future in ready:
                yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def listed(mapper) -> list[int]:
    return list(mapper(2, abs, range(8), ahead=3))


def interrupted_after(instructions: int, work) -> bool:
    """Do the work, raising KeyboardInterrupt in this thread so many instructions after its begin."""
    left = instructions

    def trace(frame, event, argument):
        nonlocal left
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
        return trace

    # Python 3.12 traces instructions only where a frame asked for them before tracing began
    sys._getframe().f_trace_opcodes = True
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def interrupted_everywhere(work, step: int) -> None:
    """Interrupt ever later, until a run ends without an interrupt; nothing else may come out."""
    for instructions in count(0, step):
        if not interrupted_after(instructions, work):
            assert instructions > 100
            print("reached the end", flush=True)
            return


@pytest.mark.parametrize(
    ("mapper", "step", "seconds", "ends"), [("in_threads", 1, 120, True), ("by_futures", 7, 10, False)]
)
def test_an_interrupt_after_any_instruction_ends_the_work_and_nothing_else(mapper, step, seconds, ends):
    root = Path(__file__).parents[2]
    script = (
        f"from tests.engine.test_threads import *; interrupted_everywhere(lambda: listed({mapper}), {step})"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        text=True,
    ) as there:
        watch = threading.Timer(seconds, there.kill)
        watch.start()
        try:
            assert (there.stdout.readline() == "reached the end\n") is ends
        finally:
            watch.cancel()
            there.kill()
