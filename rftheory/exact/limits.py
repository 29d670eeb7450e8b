"""A limit on the time that a computation may take, after which it says how far it got.

The limit is a signal to the main thread; elsewhere, and on systems without interval timers, there is none. The
exception is no ``Exception``: nothing on its way takes it for a failure of what it was doing.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rftheory.errors import InvalidInput, NotCertified

LONGEST = 1e7
"""Longest limit in seconds, about four months: more does not fit the timer of every system."""


class TimeIsUp(BaseException):
    """Raised where the computation was when its time ended.

    Attributes
    ----------
    subject, reached : of the outermost evaluation that was broken off, and how far it had come.

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
    """Break off what runs inside after so many seconds; None, or another thread than the main one: no limit.

    Raises
    ------
    NotCertified : the time was over; the message says what was reached.
    InvalidInput : no positive number of seconds.

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
    rftheory.errors.NotCertified: loop: a result not certified; nothing in 0.01 s; ask for less, or give it more time
    """
    if seconds is not None:
        seconds = checked_seconds("time limit", seconds)
    if seconds is None or not _can_be_limited():
        yield
        return

    def answer(number: int, frame: FrameType | None) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, answer)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeIsUp as error:
        raise NotCertified(
            error.subject or subject,
            wanted=wanted,
            reached=f"{error.reached} in {seconds:g} s",
            hint="ask for less, or give it more time",
        ) from None
    finally:
        signal.signal(signal.SIGALRM, before)


def checked_seconds(subject: str, seconds: object) -> float:
    """A number of seconds that a timer takes.

    Examples
    --------
    >>> checked_seconds("--time-limit", 0)
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: --time-limit: needs a positive number of seconds up to 1e+07, got 0
    """
    if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds <= LONGEST:
        return float(seconds)
    raise InvalidInput(subject, needs=f"a positive number of seconds up to {LONGEST:g}", got=seconds)


def _can_be_limited() -> bool:
    """Whether signals reach this thread, and nobody else waits for the timer."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return False
    return signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
