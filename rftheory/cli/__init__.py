"""The command line, with a module for each group of verbs; only the module of the given verb is loaded.

Exit codes 0 and 1 are verdicts (of ``verify``: 0 if every verdict is the recorded one, so that refuting a false
statement is a success; 1 if one differs). 2 means undecided, misused or broken, 130 an interrupt.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path

from rftheory import __version__
from rftheory.cli.codes import BROKEN, INTERRUPTED, Parser, add_verb, complain, drop_output, refused
from rftheory.cli.process import Ended, watched
from rftheory.errors import InvalidInput, RFTheoryError

VERBS = {
    "verify": (
        "verify",
        "judge all claims of the catalogue, some of them, or the statements of a note",
    ),
    "errata": ("verify", "list what is wrong in each source: where, why, and what is right"),
    "list": ("listing", "find statements, formulas, mechanisms, figures and derivations by words or numbers"),
    "eval": ("exact", "evaluate a formula with proved digits"),
    "derive": ("exact", "replay a derivation and print the status of each step"),
    "figure": ("figure", "regenerate figures of the papers"),
    "check": ("check", "test your own sampler, feature map or estimator"),
    "choose": ("choose", "find the best mechanism, and how many features, for your data"),
    "new": ("note", "write the template of a note: mechanisms and statements that run"),
    "site": ("site", "write everything as static pages that can be read offline"),
    "doctor": ("doctor", "show what is installed and which backend would be used; --gpu: test the device"),
    "completion": ("completion", "print a script that completes verbs, options and names in a shell"),
}
"""The module of each verb, and what the verb does, known without importing the module."""

TAKES_DECLARATIONS = ("verify", "eval", "derive", "figure", "check", "choose")

READ_ON = ("eval", "check", "choose")
"""Those that need what they are asked for alone: they read on after a line with an error."""

EPILOG = """\
examples:
  rftheory list "Theorem 3.5"                            where is it, and what is its verdict?
  rftheory verify simplex.thm3.2 --explain               judge it and everything below it, with the evidence
  rftheory eval mse mechanism=SimRF d=64 m=64 v=1        an exact value, every digit proved
  rftheory check mine.py:sampler --as orthogonal         is my sampler right?
  rftheory VERB --help                                   options, examples and exit codes of a verb

exit codes: 0 and 1 are verdicts, 2 is undecided, misused or broken, 130 an interrupt
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    With ``arguments`` the command runs in this process; without them, as from a shell, in a process that is watched.

    Examples
    --------
    >>> main(["eval", "orf_conformity", "d=64", "v=0.1", "--digits", "20"])
    1.0100494021199040937
    0
    """
    given = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        _open_closed()
    for stream in (sys.stdout, sys.stderr) if arguments is None else ():
        if isinstance(stream, io.TextIOWrapper):  # a terminal without a letter gets its number
            stream.reconfigure(errors="backslashreplace")
    try:
        options = parser(given).parse_args(given)
    except InvalidInput as error:
        return refused(error)
    if arguments is not None:
        return _run(options)
    kept = _what_is_kept(options, hint=False)
    return watched(lambda: _run(options), _whole_limit(options), kept, getattr(options, "deaf", ""))


def _open_closed() -> None:
    """Open the standard streams that the caller has closed, so that no file of ours takes their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  it stays open


def _whole_limit(options: argparse.Namespace) -> float | None:
    """Seconds after which a command with one item is ended from outside; commands with several watch their items."""
    return options.time_limit if options.run.__module__.endswith(".exact") else None


def _run(options: argparse.Namespace) -> int:
    try:
        for path in getattr(options, "declarations", ()):
            with redirect_stdout(sys.stderr):  # what a file prints must not mix with the answer
                _read(path, options.reads_on)
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except RFTheoryError as error:
        return refused(error)
    except BrokenPipeError:
        drop_output()
        return BROKEN
    except OSError as error:
        drop_output()
        kept = _what_is_kept(options, hint=False)
        complain(f"{error.filename or 'output'}: {error.strerror or error}{kept}")
        return BROKEN
    except KeyboardInterrupt as end:
        said = str(end) if isinstance(end, Ended) else "interrupted"
        complain(said + _what_is_kept(options, hint=not isinstance(end, Ended)))
        return BROKEN if isinstance(end, Ended) else INTERRUPTED
    except MemoryError:
        complain("out of memory; try fewer digits or smaller parameters")
        return BROKEN
    except BaseException as error:  # anything else is a bug, and must not look like a verdict
        complain(f"a bug in rftheory: {type(error).__name__}: {error} ({_place(error)}); please report it")
        return BROKEN


def _read(path: str, reads_on: bool) -> None:
    """Read a file of declarations; with ``reads_on``, a line with an error leaves out no more than what it defines."""
    from rftheory.statement.load import load, read_on

    if not reads_on:
        load(path)
        return
    for one in read_on(path):
        complain(f"warning: {path}, {one}")


def _what_is_kept(options: argparse.Namespace, *, hint: bool) -> str:
    """What becomes of the verdicts of an interrupted run of the catalogue, or ``hint``: how they could be kept."""
    if getattr(options, "record", None):
        return "; the same command resumes"
    if not hint or not hasattr(options, "record") or options.contradictions or getattr(options, "note", None):
        return ""
    return "; with --record F the verdicts are kept, and the same command resumes"


def _place(error: BaseException) -> str:
    """The origin of an exception: the innermost line of this package."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "rftheory" in Path(frame.filename).parts]
    frame = (ours or frames)[-1]
    return f"{Path(frame.filename).name}, line {frame.lineno}"


def parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for these arguments; of the other verbs it knows only the one-line help.

    Examples
    --------
    >>> parser(["doctor", "--json"]).parse_args(["doctor", "--json"]).json
    True
    """
    whole = Parser(
        prog="rftheory",
        description="A referee for the theory of random features: derive, evaluate and test what papers claim.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"rftheory {__version__}")
    verbs = whole.add_subparsers(required=True, metavar="VERB")
    asked = next((word for word in arguments if not word.startswith("-")), "")
    for name, (module, says) in VERBS.items():
        if name == asked:
            verb = add_verb(verbs, name, says)
            getattr(import_module(f"rftheory.cli.{module}"), f"add_{name}")(verb)
            if name in TAKES_DECLARATIONS:
                verb.add_argument(
                    "--with", dest="declarations", metavar="FILE", action="append", default=[],
                    help="first read FILE, with mechanisms and proofs in the words of notes; may be repeated",
                )  # fmt: skip
                verb.set_defaults(reads_on=name in READ_ON)
        else:
            verbs.add_parser(name, help=says, add_help=False)
    return whole
