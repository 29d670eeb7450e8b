"""What the verbs share: exit codes, files that are written whole, and text that a terminal can be given.

Codes 0 and 1 are verdicts. Everything undecided, misused or broken ends with 2, a bug of this package too, and an
interrupt with 130. Files are written before anything is printed, so that a reader who goes away loses no report.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
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
    import tempfile

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
    import stat
    import tempfile

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
    import unicodedata

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
        head = painted("rftheory:", "31", sys.stderr)
        print(f"{head} {printable(text)}", file=sys.stderr, flush=True)


STYLES = {
    **dict.fromkeys(("holds", "proved", "certified", "cited", "computed"), "32"),
    **dict.fromkeys(("fails", "refuted"), "31"),
    **dict.fromkeys(("undecided", "supported"), "33"),
}
"""Colours of the words of a verdict."""


def has_colour(stream: Any) -> bool:
    """Whether a stream is a terminal that shows colours, and nobody asked for none (``NO_COLOR``).

    Examples
    --------
    >>> import io
    >>> has_colour(io.StringIO())
    False
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(stream.isatty())


def painted(text: str, code: str, stream: Any = None) -> str:
    """The text in a colour, on a terminal that has colours."""
    return f"\x1b[{code}m{text}\x1b[0m" if has_colour(stream or sys.stdout) else text


def show(text: str, **options: Any) -> None:
    """Print text of which parts may be a user's; on a terminal, verdicts that stand by themselves have a colour.

    Examples
    --------
    >>> show("simplex.cor3.3  fails")
    simplex.cor3.3  fails
    """
    text = printable(text)
    if has_colour(sys.stdout):
        words = "|".join(STYLES)
        text = re.sub(
            rf"(?m)(?:(?<=  )|(?<=: )|(?<=, )|(?<=^\[))({words})(?=  |$|,|\]| \()",
            lambda m: painted(m[0], STYLES[m[0]]),
            text,
        )
    print(text, **options)


def drop_output() -> None:
    """What is left in the buffer goes nowhere: nobody reads it, or it does not fit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Parser(argparse.ArgumentParser):
    """argparse's parser, which repeats what it was given, with the control characters escaped."""

    def error(self, message: str) -> NoReturn:
        super().error(_without_quotes(printable(message)))


def _without_quotes(message: str) -> str:
    """A word that nothing is called, with the one that comes close, in place of the list of all."""
    found = re.match(r"argument VERB: invalid choice: '(.*)' \(choose from (.*)\)$", message)
    if not found:
        return message
    known = [word.strip(" '") for word in found[2].split(",")]
    from difflib import get_close_matches

    close = get_close_matches(found[1], known, n=1)
    said = f"did you mean '{close[0]}'? " if close else ""
    return f"there is no verb '{found[1]}'; {said}rftheory --help shows all: {', '.join(known)}"


def add_verb(verbs: Any, name: str, says: str) -> argparse.ArgumentParser:
    """Add the parser of a verb, to which the module of the verb adds the rest."""
    verb: argparse.ArgumentParser = verbs.add_parser(
        name,
        help=says,
        description=says[:1].upper() + says[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return verb


def add_time_limit(parser: argparse.ArgumentParser, default: float, item: str) -> None:
    """Add ``--time-limit``, with what it is a limit of."""
    parser.add_argument(
        "--time-limit",
        type=float,
        default=default,
        metavar="S",
        help=f"seconds for {item} before it stops and reports how far it got (default {default:g})",
    )


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Load modules without the garbage collector: they make many objects, and hardly any garbage.

    What was made stays out of its sight from then on, at the end of the process too.

    Examples
    --------
    >>> with loading():
    ...     import json
    """
    import gc

    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was:
            gc.enable()
