"""What the verbs share: exit codes, files that are written whole, and text that a terminal can be given.

Codes 0 and 1 are verdicts. Everything undecided, misused or broken ends with 2, a bug of this package too, and an
interrupt with 130. Files are written before anything is printed, so that a reader who goes away loses no report.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import stat
import sys
import tempfile
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from rftheory.errors import InvalidInput

MISUSE = 2
BROKEN = 2
INTERRUPTED = 130


def check_writable(option: str, path: str | None) -> None:
    """Refuse a file that cannot be written before the work is done, not after; nothing is written yet."""
    if path in (None, "-"):
        return
    assert path is not None
    try:
        target = _target(path)
        if target.exists():
            with target.open("ab"):
                pass
        else:
            tempfile.TemporaryFile(dir=target.parent).close()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(option, needs="a file that can be written", got=path, hint=str(reason)) from None


def check_apart(files: Mapping[str, str | None]) -> None:
    """Refuse two options that name one file.

    Examples
    --------
    >>> check_apart({"--json": "out.json", "--record": "./out.json"})
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: --json and --record: needs two files, got './out.json'
    """
    seen: dict[Path, str] = {}
    for option, path in files.items():
        if path in (None, "-"):
            continue
        assert path is not None
        target = Path(os.path.realpath(path)) if "\0" not in path else Path(path)
        if target in seen:
            raise InvalidInput(f"{seen[target]} and {option}", needs="two files", got=path)
        seen[target] = option


def write_whole(path: str, text: str) -> None:
    """Write a file in one step: whoever reads it finds the older content or the new one, never a part.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "report.json"
    ...     write_whole(str(file), "{}")
    ...     file.read_text(), len(list(Path(folder).iterdir()))
    ('{}', 1)
    """
    target, content = _target(path), text.encode("utf-8", "backslashreplace")
    if target.exists() and not target.is_file():  # a device or a pipe
        target.write_bytes(content)
        return
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:50]}.", dir=target.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _target(path: str) -> Path:
    """The file itself where the path is a link to it."""
    return Path(os.path.realpath(path))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def printable(text: str) -> str:
    """Text without characters that a terminal obeys: they are shown as escapes.

    Examples
    --------
    >>> print(printable("a\\x1b[31mred θ"))
    a\\x1b[31mred θ
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in _OBEYED else _escape(c) for c in text)


_OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _escape(character: str) -> str:
    return (
        character.encode("ascii", "backslashreplace").decode()
        if ord(character) > 127
        else repr(character)[1:-1]
    )


def say(text: str, **options: Any) -> None:
    """Print text of which parts may be a user's."""
    print(printable(text), **options)


def complain(text: str) -> None:
    """One line on standard error, if there is still one."""
    with contextlib.suppress(OSError, ValueError):
        say(f"rftheory: {text}", file=sys.stderr, flush=True)


def drop_output() -> None:
    """What is left in the buffer goes nowhere: nobody reads it, or it does not fit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Parser(argparse.ArgumentParser):
    """argparse's parser, which repeats what it was given, with the control characters escaped."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def add_time_limit(parser: argparse.ArgumentParser, default: float, item: str) -> None:
    """Add ``--time-limit``, with what it is a limit of."""
    parser.add_argument(
        "--time-limit",
        type=float,
        default=default,
        metavar="S",
        help=f"seconds for {item}, after which it says how far it got (default {default:g})",
    )
