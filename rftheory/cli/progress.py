"""How far a run is, for who waits."""

from __future__ import annotations

import logging
import sys
import time

from rftheory.cli.codes import has_moves, printable

LOGGER = logging.getLogger("rftheory")


class Progress:
    """A line of progress on standard error, if that is a terminal."""

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.visible = has_moves(sys.stderr)
        tell_what_takes_long()

    def show(self, label: str, done: int, total: int) -> None:
        if self.visible:
            line = f"[{done}/{total}] {printable(label)} ({time.perf_counter() - self.start:.0f} s)"
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.visible:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class _Line(logging.Handler):
    """What the package logs: in the place of the line of progress, and warnings in lines of their own."""

    def emit(self, record: logging.LogRecord) -> None:
        end = "\n" if record.levelno >= logging.WARNING else ""
        print(f"\r\x1b[K{printable(record.getMessage())}", end=end, file=sys.stderr, flush=True)


def tell_what_takes_long() -> None:
    """Show what the package logs, such as that kernels are being compiled, if standard error is a terminal.

    For this process only: those that it starts are told to do the same.
    """
    if has_moves(sys.stderr) and not any(isinstance(handler, _Line) for handler in LOGGER.handlers):
        LOGGER.setLevel(logging.INFO)
        LOGGER.addHandler(_Line())
