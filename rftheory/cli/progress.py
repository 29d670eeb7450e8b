"""How far a run is, for who waits."""

from __future__ import annotations

import sys
import time

from rftheory.cli.codes import printable


class Progress:
    """A line of progress on standard error, if that is a terminal."""

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.visible = sys.stderr.isatty()

    def show(self, label: str, done: int, total: int) -> None:
        if self.visible:
            line = f"[{done}/{total}] {printable(label)} ({time.perf_counter() - self.start:.0f} s)"
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.visible:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
