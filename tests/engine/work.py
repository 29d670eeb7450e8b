"""What the processes of the tests compute: they import this, and no test, which takes longer than all of their work."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from rftheory.sample import Fused, Mechanism, Stream

X = np.full((1, 16), 0.05)


def estimates(blocks: range, pause: float = 0.0) -> np.ndarray:
    time.sleep(pause)
    return Fused(Mechanism("positive", "simplex", 16), Stream.named("processes"), X, X)(blocks)


def process(blocks: range) -> int:
    return os.getpid()


def process_or_sleep(blocks: range) -> int:
    time.sleep(len(blocks) - 1)
    return os.getpid()


def broken(blocks: range) -> np.ndarray:
    raise ValueError("nothing to draw")


def late_and_deadly(blocks: range) -> np.ndarray:
    time.sleep(1)
    return deadly(blocks)


def deadly(blocks: range) -> np.ndarray:
    os.kill(os.getpid(), signal.SIGKILL)
    return np.zeros(len(blocks))


class TwoParts(Exception):
    """Pickle rebuilds an exception from its args, here one too few."""

    def __init__(self, what: str, where: int) -> None:
        super().__init__(what)


def oddly_broken(blocks: range) -> np.ndarray:
    raise TwoParts("nothing to draw", 3)


class Unreadable:
    """Goes out, and fails where it arrives."""

    def __reduce__(self):
        return int, ("no number",)

    def __call__(self, blocks: range) -> np.ndarray:
        return np.zeros(len(blocks))


def device_of_the_process(blocks: range, folder: Path) -> np.ndarray:
    """The process's own device, once there is a process with another: it may take long to start."""
    (folder / os.environ["RFTHEORY_TEST_DEVICE"]).touch()
    for _ in range(1200):
        if len(list(folder.iterdir())) > 1:
            break
        time.sleep(0.1)
    return np.full(len(blocks), float(os.environ["RFTHEORY_TEST_DEVICE"]))


def prepare() -> None:
    os.environ["PREPARED"] = "yes"


def prepared(blocks: range) -> str:
    return os.environ.get("PREPARED", "no")


def blocked_from_the_start() -> None:
    """End with code 0 if the process was started with interrupts blocked."""
    os._exit(int(signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())))


def safe_path(blocks: range) -> str:
    """What programs that the process starts would see."""
    return os.environ.get("PYTHONSAFEPATH", "unset")
