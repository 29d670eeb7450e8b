"""What the verbs share: exit codes, files to write to, and output that may be cut short by its reader."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rftheory.errors import InvalidInput

MISUSE = 2


def check_writable(option: str, path: str | None) -> None:
    """Refuse a file that cannot be written before the work is done, not after; none is left behind."""
    if path in (None, "-"):
        return
    new = not os.path.lexists(path)
    try:
        with open(path, "a", encoding="utf-8"):
            pass
        if new:
            os.unlink(path)
    except OSError as error:
        raise InvalidInput(
            option, needs="a file that can be written", got=path, hint=str(error.strerror)
        ) from None


def write_whole(path: str | Path, text: str) -> None:
    """Write a file so that it is there with all of its text, or as it was before."""
    path = Path(path)
    if path.exists() and not path.is_file():  # a pipe or a device
        path.write_text(text, encoding="utf-8")
        return
    path = path.resolve()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def say(text: str) -> None:
    """Print; that nobody reads on (``| head -1``) changes no verdict."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        drop_output()


def drop_output() -> None:
    """Send what is still to be written to standard output nowhere, so that no exit code comes of it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
