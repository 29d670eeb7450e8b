"""Time limits for computations, which say how far they got.

A limit is a signal to the main thread; in other threads, and on systems without interval timers, there is no limit. The
exception does not derive from ``Exception``, so that no handler on its way mistakes it for an ordinary failure.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, _GeneratorContextManager
from types import CodeType, FrameType
from typing import Any

from rftheory.errors import NotCertified, checked_seconds

AGAIN = 0.001
"""Seconds after which a lost alarm goes off again."""

IMPORTS = 10.0
"""Seconds by which an alarm waits for imports to end."""

CLEANING = 1.0
"""Seconds that the handlers of an alarm have before it goes off again."""

GOLDEN = 0.618
"""Its multiples, without their whole parts, are spread evenly from 0 to 1."""


class TimeIsUp(BaseException):
    """Raised inside a computation when its time is up.

    Attributes
    ----------
    subject, reached : the outermost evaluation that was stopped, and how far it got.
    by : what raised it.

    Examples
    --------
    >>> issubclass(TimeIsUp, Exception), TimeIsUp.reached
    (False, 'nothing')
    """

    subject, reached = "", "nothing"
    by: alarm | None = None


class time_limit(AbstractContextManager[None]):
    """Stop the code in this block after so many seconds; None, or any thread but the main one: no limit.

    Inside another limit that ends sooner, that one holds. ``more`` is asked when the time is up, as for `alarm`; the
    message names ``named`` seconds, if given.

    Raises
    ------
    NotCertified : the time was up; the message says what was reached.
    InvalidInput : not a positive number of seconds.

    Examples
    --------
    >>> with time_limit(60):
    ...     2 + 2
    4
    >>> with time_limit(0.01, "loop"):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
        ...
    rftheory.errors.NotCertified: loop: a result not certified; nothing in 0.01 s; ask for less, or allow more time
    """

    def __init__(
        self, seconds: float | None, subject: str = "computation", wanted: str = "a result",
        more: Callable[[], float] = lambda: 0.0, named: float | None = None,
    ) -> None:  # fmt: skip
        self.named = named or seconds
        self.seconds, self.subject, self.wanted, self.more = seconds, subject, wanted, more
        self.alarm: alarm | None = None

    def __enter__(self) -> None:
        """Set the alarm, unless a sooner one is set."""
        seconds = self.seconds
        if seconds is not None:
            seconds = checked_seconds("time limit", seconds)
        if seconds is None or not has_timer() or 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= seconds:
            return
        self.alarm = alarm(seconds, self.more)
        self.alarm.__enter__()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """End the alarm, and say how far the block got if it went off."""
        if self.alarm is None:
            return
        self.alarm.__exit__(kind, error, trace)
        if isinstance(error, TimeIsUp):
            raise NotCertified(
                error.subject or self.subject,
                wanted=self.wanted,
                reached=f"{error.reached} in {self.named:g} s",
                hint="ask for less, or allow more time",
            ) from None


def cpu_limit(seconds: float | None, subject: str = "computation", wanted: str = "a result") -> time_limit:
    """The limit `time_limit` in seconds that this process computes: other processes take nothing from it.

    Examples
    --------
    >>> with cpu_limit(0.01):
    ...     time.sleep(0.02)
    """
    end = time.process_time() + (seconds or 0)
    return time_limit(seconds, subject, wanted, more=lambda: end - time.process_time())


class alarm(AbstractContextManager[None]):
    """Raise `TimeIsUp` in the code in this block, in the main thread, after this many seconds.

    When they are over, ``more()`` says how many seconds the block may still have; 0 ends it.

    An import that is under way then is finished first, if that takes less than `IMPORTS` seconds: a library of which
    half was read may fail at every later use.

    The block may keep the exception to itself (``except BaseException: pass``), and the interpreter drops one that is
    raised in a destructor or in the callback of a weak reference, and compiled code may print it and go on; the alarm
    therefore goes off again and again until the block has ended, and nothing of it is printed. An interrupt that is
    lost in this way is raised again. What handles the exception has `CLEANING` seconds undisturbed. A timer that was
    running before runs on; if its time is up meanwhile, it goes off after the block.

    Examples
    --------
    >>> class Deaf:
    ...     def __del__(self):
    ...         while sys.getrefcount(self):
    ...             pass
    >>> def loop():
    ...     Deaf()
    ...     while True:
    ...         pass
    >>> try:
    ...     with alarm(0.01):
    ...         loop()
    ... except TimeIsUp:
    ...     print("heard")
    heard
    """

    heard: Callable[[], None] = staticmethod(lambda: None)
    """Called when one goes off and is heard, which is not while compiled code runs."""

    def __init__(self, seconds: float, more: Callable[[], float] = lambda: 0.0) -> None:
        self.seconds, self.more = seconds, more
        self.latest = self.undisturbed = math.inf
        self.start = self.before = 0.0
        self.rung, self.over, self.interrupted = 0, False, False

    def __enter__(self) -> None:
        """Set the timer."""
        self.outside = _imports(sys._getframe())
        self.hook_before, sys.unraisablehook = sys.unraisablehook, self._dropped
        self.print_before, sys.excepthook = sys.excepthook, self._printed
        self.handler_before = signal.signal(signal.SIGALRM, self._ring)
        self.start, (self.before, _) = (
            time.monotonic(),
            signal.setitimer(signal.ITIMER_REAL, self.seconds),
        )

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Put back what was there before."""
        self.over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.handler_before)
        sys.unraisablehook, sys.excepthook = self.hook_before, self.print_before
        if self.before:
            signal.setitimer(signal.ITIMER_REAL, max(self.before - (time.monotonic() - self.start), AGAIN))

    def _ring(self, number: int, frame: FrameType | None) -> None:
        alarm.heard()
        if self.over:
            return
        if self.interrupted:
            self.interrupted = False
            signal.setitimer(signal.ITIMER_REAL, max(self.seconds - (time.monotonic() - self.start), AGAIN))
            raise KeyboardInterrupt
        if not self.rung and (further := self._further()) > 0:
            signal.setitimer(signal.ITIMER_REAL, further)
            return
        now = time.monotonic()
        self.latest = min(self.latest, now + IMPORTS)
        wait = (_imports(frame) > self.outside and now < self.latest) or (
            self._is_handled() and now < self.undisturbed
        )
        if wait or _is_to_be_whole(frame):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            return
        self.rung, self.undisturbed = self.rung + 1, now + CLEANING
        # at uneven times: a loop around the handler must not be met at the same place each time
        signal.setitimer(signal.ITIMER_REAL, max(AGAIN * (self.rung * GOLDEN % 1), AGAIN / 100))
        error = TimeIsUp()
        error.by = self
        raise error

    def _further(self) -> float:
        """The seconds that the block may still have, which end no later than the timer that was running before."""
        left = self.before - (time.monotonic() - self.start) if self.before else math.inf
        return min(self.more(), left)

    def _is_handled(self) -> bool:
        """Whether the exception was caught, and its handler has not ended."""
        error = sys.exception()
        while error is not None and getattr(error, "by", None) is not self:
            error = error.__context__
        return error is not None

    def _dropped(self, what: Any) -> None:
        if not self._is_lost(what.exc_value):
            self.hook_before(what)

    def _printed(self, kind: type[BaseException], error: BaseException, trace: Any) -> None:
        """In place of a traceback: compiled code without a way to raise prints what is raised in it, and goes on."""
        if not self._is_lost(error):
            self.print_before(kind, error, trace)

    def _is_lost(self, error: BaseException | None) -> bool:
        """Whether what nobody catches is the alarm, which goes off again, or an interrupt, which then does too."""
        if isinstance(error, KeyboardInterrupt) and not self.over:
            self.interrupted = True
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            return True
        return isinstance(error, TimeIsUp)


def _is_to_be_whole(frame: FrameType | None) -> bool:
    """Whether a limit is being set or ended, or sympy notes what a fact implies: neither must be left half done.

    An integer that is known to be odd, but not known not to be even, would stay so, also 2 or 3, which are met again:
    what asks for the sign of a power, or takes one of -1, would go astray.
    """
    if frame is not None and frame.f_code in _OF_GENERATORS:
        return True
    while frame is not None and not (frame.f_code in _WHOLE or _notes_facts(frame.f_code)):
        frame = frame.f_back
    return frame is not None


def _notes_facts(code: CodeType) -> bool:
    """By name: this module is read where sympy is not."""
    return code.co_name == "deduce_all_facts" and code.co_filename.endswith(_OF_FACTS)


_OF_FACTS = os.path.join("sympy", "core", "facts.py")


_WHOLE = {
    method.__code__
    for method in (
        time_limit.__enter__,
        time_limit.__exit__,
        alarm.__enter__,
        alarm.__exit__,
        alarm._dropped,
        alarm._printed,
    )
}
_OF_GENERATORS = {
    method.__code__ for method in (_GeneratorContextManager.__enter__, _GeneratorContextManager.__exit__)
}


def _imports(frame: FrameType | None) -> int:
    """How many imports are under way in a frame; reading a file by its path is none."""
    count = 0
    while frame is not None:
        code = frame.f_code
        count += code.co_name == "_find_and_load" and code.co_filename == "<frozen importlib._bootstrap>"
        frame = frame.f_back
    return count


def has_timer() -> bool:
    """Whether an alarm can reach this thread: the main one, on a system with interval timers.

    Examples
    --------
    >>> has_timer()
    True
    """
    return threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
