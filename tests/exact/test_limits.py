"""Limits on time hold wherever the alarm meets the computation."""

from __future__ import annotations

import signal
import sys
import time
import weakref

import pytest

from rftheory.errors import NotCertified
from rftheory.exact.limits import time_limit


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


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
