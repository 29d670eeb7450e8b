"""Runs the command in a process of its own, watched by a small one.

C code cannot be interrupted by a signal, a system without memory kills silently, and foreign code may call
``os._exit(0)``. None of these may look like a verdict or run for ever: the watching process reports the exit code
that the command itself has handed over, and anything else as broken.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import operator
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from rftheory.cli.codes import BROKEN, INTERRUPTED, complain

GRACE = 10.0
"""Seconds that a command has, in addition to its time limit, to load modules and to say how far it got."""
DEAF = 10.0
"""CPU seconds after which compiled code that has not heard an alarm is ended."""
WAITING = 6
"""The multiple of these that such code may wait, without using the processor."""
HEARD = b"\0"
"""What a command hands over when it has heard an alarm; when one goes off, the number of its signal is handed over."""
TWICE = 0.5
"""Interrupts that are fewer seconds apart are one: the terminal sends it to both processes."""
ENDING = (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))
"""Signals by which a supervisor or a closed terminal ends a command."""


ASKING = frozenset((signal.SIGINT, *ENDING))
"""Signals that ask a command to end; the watching process passes them on."""


class Ended(KeyboardInterrupt):
    """Raised in a command that is told to end, so that it ends the processes that it has started.

    Like an interrupt from the terminal, it is no error of the code that happens to run.

    Attributes
    ----------
    number : the signal.

    Examples
    --------
    >>> str(Ended(15))
    'ended by signal 15 before there was a verdict'
    """

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"ended by signal {number} before there was a verdict")


def watched(command: Callable[[], int], limit: float | None, kept: str = "", deaf: str = "") -> int:
    """The exit code of a command, run in a child process for at most ``limit`` seconds and :data:`GRACE`.

    Where it is killed or ends itself, ``kept`` says what becomes of its work. If ``deaf`` says what compiled code that
    hears no alarm has done, such code is ended.

    Where there is no ``fork``, the command runs in this process.
    """
    if not hasattr(os, "fork"):
        return command()
    sys.stdout.flush()
    sys.stderr.flush()
    report, handed = os.pipe()
    bell, rung = os.pipe()
    # one that comes now is heard when both processes listen
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ASKING)
    child = os.fork()
    if child == 0:
        os.close(report)
        os.close(bell)
        if deaf:
            from rftheory.exact.limits import alarm  # here, because most verbs do without

            os.set_blocking(rung, False)
            signal.set_wakeup_fd(rung, warn_on_full_buffer=False)
            alarm.heard = staticmethod(lambda: _write(rung))  # type: ignore[method-assign]
        _end_with_parent()
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupted_once())
        for number in ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _ended)
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            code = command()
        except KeyboardInterrupt as end:  # too early, or too late, for the command to hear it
            _end_by(end.number if isinstance(end, Ended) else signal.SIGINT)
        _hear_no_end()
        os.write(handed, bytes([code]))
        return code
    os.close(handed)
    os.close(rung)
    ears = _Ears(child)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return _wait(ears, report, None if limit is None else limit + GRACE, kept, _Bell(child, bell, deaf))


def _write(rung: int) -> None:
    with contextlib.suppress(OSError):  # a full pipe, or one that the code under test has closed
        os.write(rung, HEARD)


class _Bell:
    """The alarms of a child: whether one went off that was not heard, and since when."""

    def __init__(self, child: int, bell: int, deaf: str) -> None:
        self.child, self.bell, self.deaf = child, bell, deaf
        self.since = self.used = math.inf

    def read(self) -> None:
        """Note the alarms that went off and were heard."""
        found = os.read(self.bell, 1 << 12)
        if found.endswith(HEARD) or not found:
            self.since = math.inf
        elif signal.SIGALRM in found and self.since == math.inf:
            self.since, self.used = time.monotonic(), _cpu_seconds(self.child)
        if not found:
            self.deaf = ""

    @property
    def is_over(self) -> bool:
        """Whether the child has had its time."""
        waited = time.monotonic() - self.since
        return waited >= WAITING * DEAF or (waited >= DEAF and _cpu_seconds(self.child) - self.used >= DEAF)


def _cpu_seconds(process: int) -> float:
    """CPU seconds of a process, where the system tells; else the time of the clock."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return time.monotonic()


def _end_with_parent() -> None:
    """If the system supports it, end the command when the process that watches it is killed."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


_PR_SET_PDEATHSIG = 1


def _interrupted_once() -> Callable[[int, FrameType | None], None]:
    """A handler that hears an interrupt from the terminal once, though the watching process passes it on too."""
    heard = -TWICE

    def interrupted(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        if time.monotonic() - heard > TWICE:
            heard = time.monotonic()
            raise KeyboardInterrupt

    return interrupted


def _ended(number: int, frame: FrameType | None) -> None:
    _hear_no_end()  # a second signal, to the whole group, must not disturb what the first one ends
    raise Ended(number)


def _end_by(number: int) -> NoReturn:
    """End this process as the signal does that nobody handles."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    raise SystemExit(BROKEN)


def _hear_no_end() -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def _wait(ears: _Ears, report: int, seconds: float | None, kept: str, bell: _Bell) -> int:
    """Wait for the exit code; end a child that takes too long, also to end when it is told to."""
    child = ears.child
    end = None if seconds is None else time.monotonic() + seconds
    found = b""
    while True:
        left = None if end is None else max(0.0, end - time.monotonic())
        if bell.since < math.inf:
            left = min(1.0, math.inf if left is None else left)
        ready = select.select([report, ears.heard, *([bell.bell] if bell.deaf else [])], [], [], left)[0]
        if ears.heard in ready:
            ears.pass_on()
        if report in ready:
            found = os.read(report, 1)
            break
        if bell.bell in ready:
            bell.read()
        if bell.is_over:
            os.kill(child, signal.SIGKILL)
            complain(bell.deaf + kept)
            ears.status_of_child()
            return BROKEN
        if end is not None and time.monotonic() >= end:
            os.kill(child, signal.SIGKILL)
            complain(
                f"NotCertified: nothing was reached in {seconds - GRACE:g} s; "  # type: ignore[operator]
                "ask for less, or allow more time with --time-limit"
            )
            break
    status = ears.status_of_child()
    if found:
        return found[0]
    if os.WIFSIGNALED(status) and (end is None or time.monotonic() < end):
        number = os.WTERMSIG(status)
        if signal.SIGINT in ears.asked:
            complain(f"interrupted{kept}")
            return INTERRUPTED
        killed = number == signal.SIGKILL and not ears.asked
        complain(f"{Ended(number)}{' (out of memory?)' if killed else ''}{kept}")
    elif os.WIFEXITED(status):
        complain(f"the code under test ended the process before there was a verdict{kept}")
    return BROKEN


class _Ears:
    """The signals that the watching process gets, to be passed on to the child.

    They are read from a pipe: a handler in Python is interrupted by the next signal, without end if they come fast.
    """

    def __init__(self, child: int) -> None:
        self.child = child
        self.asked: set[int] = set()
        self.heard, told = os.pipe()
        os.set_blocking(told, False)
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        signal.signal(signal.SIGQUIT, signal.SIG_IGN)  # the terminal sends it to both; the child handles it
        for number in (signal.SIGALRM, signal.SIGCHLD):
            signal.signal(number, _DOES_NOTHING)
        for number in ASKING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _DOES_NOTHING)

    def pass_on(self) -> None:
        """Pass on what was heard; the child has :data:`GRACE` to end when it is first told to."""
        numbers = set(os.read(self.heard, 1 << 16))
        if signal.SIGALRM in numbers:
            self._send(signal.SIGKILL)
        asked = numbers & ASKING
        for number in asked:
            self._send(number)
        if asked and not self.asked:
            signal.setitimer(signal.ITIMER_REAL, GRACE)
        self.asked |= asked

    def _send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(self.child, number)

    def status_of_child(self) -> int:
        """How the child ended, once it has; until then signals are passed on."""
        while True:
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                signal.setitimer(signal.ITIMER_REAL, 0)
                return status
            self.pass_on()  # waits; the end of the child is a signal too


_DOES_NOTHING = operator.is_
"""A handler in C, which the next signal does not interrupt."""
