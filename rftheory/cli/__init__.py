"""The command line, a module for each group of verbs.

Exit codes of ``verify``: 0 every verdict is the recorded one (a false statement refuted is a success), 1 a verdict
differs, 2 something undecided that should not be, misuse or an internal error. Of ``check``: 0 agrees, 1 a defect
found, 2 undecided, misuse or an internal error.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence

from rftheory import __version__
from rftheory.cli import check, exact, figure, verify
from rftheory.cli.codes import MISUSE, drop_output
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
        drop_output()
        return 0
    except OSError as error:
        print(f"rftheory: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        return MISUSE
    except KeyboardInterrupt:
        print("rftheory: interrupted", file=sys.stderr)
        return 130
    except BaseException as error:  # of any other kind: Python's own exit code 1 would read as a verdict
        traceback.print_exc()
        print(
            f"rftheory: internal error, nothing was decided: {type(error).__name__}: {error}", file=sys.stderr
        )
        return MISUSE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rftheory",
        description="A referee for the theory of random features: derive, evaluate and test what papers claim.",
    )
    parser.add_argument("--version", action="version", version=f"rftheory {__version__}")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for group in (verify, exact, figure, check):
        group.add(verbs)
    return parser
