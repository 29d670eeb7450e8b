"""Time limits for computations, which say how far they got.

A limit is a signal to the main thread; in other threads, and on systems without interval timers, there is no limit. The
exception does not derive from ``Exception``, so that no handler on its way mistakes it for an ordinary failure.
"""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from rftheory.errors import NotCertified, checked_seconds

AGAIN = 0.001
"""Seconds after which a lost alarm goes off again."""

IMPORTS = 10.0
"""Seconds by which an alarm waits for imports to end."""


class TimeIsUp(BaseException):
    """Raised inside a computation when its time is up.

    Attributes
    ----------
    subject, reached : the outermost evaluation that was stopped, and how far it got.

    Examples
    --------
    >>> issubclass(TimeIsUp, Exception), TimeIsUp.reached
    (False, 'nothing')
    """

    subject, reached = "", "nothing"


@contextmanager
def time_limit(
    seconds: float | None, subject: str = "computation", wanted: str = "a result"
) -> Iterator[None]:
    """Stop the code in this block after so many seconds; None, or any thread but the main one: no limit.

    Inside another limit that ends sooner, that one holds.

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
    if seconds is not None:
        seconds = checked_seconds("time limit", seconds)
    if seconds is None or not has_timer() or 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= seconds:
        yield
        return
    try:
        with alarm(seconds):
            yield
    except TimeIsUp as error:
        raise NotCertified(
            error.subject or subject,
            wanted=wanted,
            reached=f"{error.reached} in {seconds:g} s",
            hint="ask for less, or allow more time",
        ) from None


@contextmanager
def alarm(seconds: float, more: Callable[[], float] = lambda: 0.0) -> Iterator[None]:
    """Raise `TimeIsUp` in the code in this block, in the main thread, after this many seconds.

    When they are over, ``more()`` says how many seconds the block may still have; 0 ends it.

    An import that is under way then is finished first, if that takes less than `IMPORTS` seconds: a library of which
    half was read may fail at every later use.

    The interpreter drops an exception raised in a destructor or in the callback of a weak reference; the alarm then
    goes off again until it is heard. A timer that was running before runs on; if its time is up meanwhile, it goes off
    after the block.

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
    over, latest, outside = False, math.inf, _imports(sys._getframe())

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal latest
        if (further := more()) <= 0:
            latest, further = min(latest, time.monotonic() + IMPORTS), AGAIN
            if _imports(frame) <= outside or time.monotonic() >= latest:
                raise TimeIsUp
        signal.setitimer(signal.ITIMER_REAL, further)

    def dropped(what: Any) -> None:
        if not isinstance(what.exc_value, TimeIsUp):
            hook_before(what)
        elif not over:
            signal.setitimer(signal.ITIMER_REAL, AGAIN)

    handler_before, hook_before = signal.signal(signal.SIGALRM, ring), sys.unraisablehook
    sys.unraisablehook = dropped
    start, (before, _) = time.monotonic(), signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler_before)
        sys.unraisablehook = hook_before
        if before:
            signal.setitimer(signal.ITIMER_REAL, max(before - (time.monotonic() - start), AGAIN))


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
