"""The command line, a module for each group of verbs.

Exit codes: 0 and 1 are verdicts (of ``verify``: every verdict is the recorded one, a false statement refuted is a
success; or one differs). 2 is everything that is undecided, misused or broken, 130 an interrupt.
"""

from __future__ import annotations

import argparse
import io
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from rftheory import __version__
from rftheory.cli import check, choose, exact, figure, note, verify
from rftheory.cli.codes import BROKEN, INTERRUPTED, MISUSE, Parser, complain, drop_output
from rftheory.cli.process import watched
from rftheory.errors import RFTheoryError

LONGEST = 1e7
"""Longest time limit in seconds; a longer one is refused by the verb itself."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    With ``arguments`` the command runs in this process; without, as the command of a shell, in one that is watched.

    Examples
    --------
    >>> main(["eval", "orf_conformity", "d=64", "v=0.1", "--digits", "20"])
    1.0100494021199040937
    0
    """
    if arguments is not None:
        return _run(_parser().parse_args(arguments))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter gets its number
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args()
    return watched(lambda: _run(options), _whole_limit(options))


def _whole_limit(options: argparse.Namespace) -> float | None:
    """Seconds after which a command of one item is ended from outside; the longer ones watch their items."""
    seconds = getattr(options, "time_limit", None)
    if seconds is None or not options.run.__module__.endswith(".exact"):
        return None
    return float(seconds) if 0 < seconds <= LONGEST else None


def _run(options: argparse.Namespace) -> int:
    try:
        for path in getattr(options, "declarations", ()):
            from rftheory.author import load

            load(path)
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except RFTheoryError as error:
        complain(f"{type(error).__name__}: {error}")
        return MISUSE
    except BrokenPipeError:
        drop_output()
        return BROKEN
    except OSError as error:
        drop_output()
        complain(f"{error.filename or 'output'}: {error.strerror or error}")
        return BROKEN
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except MemoryError:
        complain("out of memory; ask for fewer digits or smaller parameters")
        return BROKEN
    except BaseException as error:  # what else comes here is a defect, and must not look like a verdict
        complain(f"a bug of rftheory: {type(error).__name__}: {error} ({_place(error)}); please report it")
        return BROKEN


def _place(error: BaseException) -> str:
    """Where an exception came from: the innermost line of this package."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "rftheory" in Path(frame.filename).parts]
    frame = (ours or frames)[-1]
    return f"{Path(frame.filename).name}, line {frame.lineno}"


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="rftheory",
        description="A referee for the theory of random features: derive, evaluate and test what papers claim.",
        epilog="Exit codes: 0 and 1 are verdicts, 2 is undecided, misused or broken, 130 an interrupt.",
    )
    parser.add_argument("--version", action="version", version=f"rftheory {__version__}")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for group in (verify, note, exact, figure, check, choose):
        group.add(verbs)
    for verb in ("verify", "eval", "figure", "check", "choose"):
        verbs.choices[verb].add_argument(
            "--with", dest="declarations", metavar="FILE", action="append", default=[],
            help="read FILE first, in which mechanisms are declared with rftheory.author; may be given again",
        )  # fmt: skip
    return parser
