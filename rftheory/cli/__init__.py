"""The command line, a module for each group of verbs.

Exit codes of ``verify``: 0 every verdict is the recorded one (a false statement refuted is a success), 1 a verdict
differs, 2 something undecided that should not be, or misuse.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from rftheory import __version__
from rftheory.cli import check, exact, figure, note, verify
from rftheory.cli.codes import MISUSE
from rftheory.errors import RFTheoryError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Examples
    --------
    >>> main(["eval", "orf_conformity", "d=64", "v=0.1", "--digits", "20"])
    1.0100494021199040937
    0
    """
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except RFTheoryError as error:
        print(f"rftheory: {type(error).__name__}: {error}", file=sys.stderr)
        return MISUSE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"rftheory: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        return MISUSE
    except KeyboardInterrupt:
        print("rftheory: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rftheory",
        description="A referee for the theory of random features: derive, evaluate and test what papers claim.",
    )
    parser.add_argument("--version", action="version", version=f"rftheory {__version__}")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for group in (verify, note, exact, figure, check):
        group.add(verbs)
    return parser
