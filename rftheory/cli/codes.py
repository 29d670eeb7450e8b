"""What the verbs share: exit codes, atomic writing of files, and safe text for terminals.

Codes 0 and 1 are verdicts. Anything undecided, misused or broken, including a bug in this package, ends with 2, an
interrupt with 130. Files are written before anything is printed, so that a closed pipe loses no report.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from rftheory.errors import InvalidInput, RFTheoryError, checked_integer, checked_seconds, meant, writing

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

MISUSE = 2
BROKEN = 2
INTERRUPTED = 130


def check_outputs(outputs: Mapping[str, str | None], inputs: Iterable[str | None] = ()) -> None:
    """Refuse, before the work begins, files that must not or cannot be written: outputs by option, inputs by path.

    An output may be neither an input, nor a Python file that exists, nor another output. Nothing is written yet.

    Examples
    --------
    >>> check_outputs({"--json": "out.json", "--record": "./out.json"})
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: --json and --record: needs two files, got './out.json'
    >>> check_outputs({"--html": "draws.npy"}, inputs=["draws.npy"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: --html: needs a file for the output that is not an input, got 'draws.npy'; name ...
    """
    read = {_target(path) for path in inputs if path is not None and "\0" not in path}
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None or (path == "-" and option == "--json"):
            continue
        if path == "-":
            raise InvalidInput(option, needs="the name of a file", got=path)
        _check_writable(option, path)
        target = _target(path)
        python = target.suffix.lower() == ".py" and target.exists()
        if python or target in read:
            needs = f"a file for the output that is not {'a Python file' if python else 'an input'}"
            what = f"{option} takes the next word as its file: put the note first, or write {option}=FILE"
            hint = what if option == "--json" else "name another file"
            raise InvalidInput(option, needs=needs, got=path, hint=hint)
        if target in seen:
            raise InvalidInput(f"{seen[target]} and {option}", needs="two files", got=path)
        seen[target] = option


def check_page(path: str | None) -> None:
    """Refuse, before the work begins, a page that lacks the libraries that make it.

    Examples
    --------
    >>> check_page(None)
    """
    if path is not None:
        from rftheory.report.extra import check_extra

        check_extra()


def _check_writable(option: str, path: str) -> None:
    import tempfile

    try:
        target = _target(path)
        if target.is_fifo():  # to open it is to wait for its reader
            return
        if target.exists():
            with target.open("ab"):
                pass
        else:
            tempfile.TemporaryFile(dir=target.parent).close()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(option, needs="a file that can be written", got=path, hint=str(reason)) from None


def write_whole(path: str, text: str) -> None:
    """Write a file in one step, and say so: readers see the old content or the new one, never a part.

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
        with writing(path):
            target.write_bytes(content)
        return
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:50]}.", dir=target.parent)
    try:
        with writing(path), open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    wrote(path)


def wrote(path: str) -> None:
    """Say on standard error which file was written."""
    with contextlib.suppress(OSError, ValueError):
        print(f"wrote {printable(path)}", file=sys.stderr, flush=True)


def _target(path: str) -> Path:
    """The file itself if the path is a link to it; links such as /dev/stdout may lead to a pipe, which has no path."""
    named = Path(path)
    if named.exists() and not named.is_file():
        return named
    return Path(os.path.realpath(path))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def printable(text: str) -> str:
    """Text in which control characters for a terminal are shown as escapes.

    Examples
    --------
    >>> print(printable("a\\x1b[31mred θ"))
    a\\x1b[31mred θ
    """
    if text.isascii() and text.isprintable():
        return text
    return _NOT_PLAIN.sub(lambda found: _escape(found[0]) if _is_obeyed(found[0]) else found[0], text)


_NOT_PLAIN = re.compile(r"[^\n\t -~]")
_OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _is_obeyed(character: str) -> bool:
    import unicodedata

    return unicodedata.category(character) in _OBEYED


def _escape(character: str) -> str:
    return (
        character.encode("ascii", "backslashreplace").decode()
        if ord(character) > 127
        else repr(character)[1:-1]
    )


def say(text: str, **options: Any) -> None:
    """Print text that may contain a user's input."""
    print(printable(text), **options)


def say_json(text: str) -> None:
    """Print JSON, in which control characters, and letters that the output has not, are escapes of JSON.

    Examples
    --------
    >>> say_json('{"prints": "ortho\u00adgonal \u2265"}')
    {"prints": "ortho\\u00adgonal ≥"}
    """
    import json

    has_all = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")

    def shown(found: re.Match[str]) -> str:
        return found[0] if has_all and not _is_obeyed(found[0]) else json.dumps(found[0])[1:-1]

    print(_NOT_PLAIN.sub(shown, text))


def complain(text: str) -> None:
    """Print one line on standard error, if it is still open."""
    with contextlib.suppress(OSError, ValueError):
        head = painted("rftheory:", "31", sys.stderr)
        print(f"{head} {printable(text)}", file=sys.stderr, flush=True)


def refused(error: RFTheoryError) -> int:
    """Print an error that was raised on purpose, and return the exit code."""
    complain(f"{type(error).__name__}: {error}")
    return MISUSE


STYLES = {
    **dict.fromkeys(("holds", "proved", "certified", "cited", "computed"), "32"),
    **dict.fromkeys(("fails", "refuted"), "31"),
    **dict.fromkeys(("undecided", "supported"), "33"),
}
"""Colours of the words in a verdict."""


def has_colour(stream: Any) -> bool:
    """Whether a stream is a terminal that shows colours, and ``NO_COLOR`` is not set.

    Examples
    --------
    >>> import io
    >>> has_colour(io.StringIO())
    False
    """
    return not os.environ.get("NO_COLOR") and has_moves(stream)


def has_moves(stream: Any) -> bool:
    """Whether a stream is a terminal on which a line can be erased."""
    return os.environ.get("TERM") != "dumb" and bool(stream.isatty())


def painted(text: str, code: str, stream: Any = None) -> str:
    """The text in a colour, if the terminal has colours."""
    return f"\x1b[{code}m{text}\x1b[0m" if has_colour(stream or sys.stdout) else text


def show(text: str, **options: Any) -> None:
    """Print text that may contain a user's input; on a terminal, separate words that are verdicts are coloured.

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


def width_of_terminal() -> int | None:
    """The columns of the terminal that output goes to; None if it goes elsewhere, where lines stay whole.

    Examples
    --------
    >>> import contextlib, io
    >>> with contextlib.redirect_stdout(io.StringIO()):
    ...     width = width_of_terminal()
    >>> width is None
    True
    """
    import shutil

    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else None


def drop_output() -> None:
    """Discard the rest of the buffer, which nobody reads or which does not fit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Parser(argparse.ArgumentParser):
    """argparse's parser, with control characters escaped in messages that repeat the input.

    A verb takes words after options too, as in ``eval mse --digits 18 d=4``.
    """

    mixes = False
    """Whether it is a verb, and not yet at work: argparse parses options and words in two passes of this method."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if not self.mixes:
            return super().parse_known_args(args, namespace)
        self.mixes = False
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.mixes = True

    def error(self, message: str) -> NoReturn:
        super().error(_without_quotes(printable(message)))


def _without_quotes(message: str) -> str:
    """For an unknown verb, a message with the closest verb instead of argparse's list of all."""
    found = re.match(r"argument VERB: invalid choice: '(.*)' \(choose from (.*)\)$", message)
    if not found:
        return message
    known = [word.strip(" '") for word in found[2].split(",")]
    shows = f"rftheory --help shows all: {', '.join(known)}"
    return f"there is no verb '{found[1]}'; {meant(found[1], known, shows)}"


def add_verb(verbs: Any, name: str, says: str) -> argparse.ArgumentParser:
    """Add the parser of a verb; the module of the verb adds the options."""
    verb: Parser = verbs.add_parser(
        name,
        help=says,
        description=says[:1].upper() + says[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.mixes = True
    return verb


def assigned(option: str, read: Callable[[str], tuple[str, Any]], texts: Iterable[str]) -> dict[str, Any]:
    """The values by name of texts such as ``d=8``, each name with one value.

    Examples
    --------
    >>> assigned("--arg", lambda text: tuple(text.split("=")), ["d=8", "m=4"])
    {'d': '8', 'm': '4'}
    """
    values: dict[str, Any] = {}
    for name, value in map(read, texts):
        if name in values:
            raise InvalidInput(option, needs=f"one value for {name}", got=[values[name], value])
        values[name] = value
    return values


def checked(check: Callable[[str, Any], Any]) -> type[argparse.Action]:
    """An action that refuses a value as soon as it is read, before anything is loaded, in words of our own.

    Examples
    --------
    >>> from rftheory.errors import checked_workers
    >>> verb = Parser()
    >>> _ = verb.add_argument("--jobs", type=int, action=checked(checked_workers))
    >>> verb.parse_args(["--jobs", "0"])
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: --jobs: needs an integer from 1 to 1024, got 0
    """

    class Checked(argparse.Action):
        def __call__(
            self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
            option_string: str | None = None,
        ) -> None:  # fmt: skip
            setattr(namespace, self.dest, check(self.option_strings[0], values))

    return Checked


class Once(argparse.Action):
    """An action that refuses an option that is given twice, of which otherwise the last one would count.

    Examples
    --------
    >>> verb = Parser()
    >>> _ = verb.add_argument("--claim", action=Once)
    >>> verb.parse_args(["--claim", "a", "--claim", "b"])
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: --claim: needs one value, got 'a, then b'
    """

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
        option_string: str | None = None,
    ) -> None:  # fmt: skip
        before = getattr(namespace, self.dest)
        if before is not None:
            raise InvalidInput(self.option_strings[0], needs="one value", got=f"{before}, then {values}")
        setattr(namespace, self.dest, values)


def checked_seed(option: str, value: object) -> int:
    """A seed."""
    return checked_integer(option, value, 0)


def add_time_limit(parser: argparse.ArgumentParser, default: float, item: str) -> None:
    """Add ``--time-limit``, which limits one ``item``."""
    parser.add_argument(
        "--time-limit",
        type=float,
        action=checked(checked_seconds),
        default=default,
        metavar="S",
        help=f"seconds for {item} before it stops and reports how far it got (default {default:g})",
    )


def forks(jobs: int | None, *modules: str) -> BaseContext | None:
    """If there will be several processes: begin to start them, as forks of one that reads the modules meanwhile.

    Examples
    --------
    >>> forks(1, "rftheory.report.judging") is None
    True
    """
    if (jobs or os.cpu_count() or 1) == 1:
        return None
    from rftheory.engine.processes import forks_of

    return forks_of(*modules)


_FULL_COLLECTIONS = 1000
"""After so many collections of the second generation there is a full one, which takes 0.4 s in a judging process."""


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Import modules without the garbage collector, because imports make many objects and hardly any garbage.

    The collector ignores these objects from then on, even when the process ends, and makes full collections a hundredth
    as often: most of what they look through are expressions that stay.

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
        gc.set_threshold(*gc.get_threshold()[:2], _FULL_COLLECTIONS)
        if was:
            gc.enable()
