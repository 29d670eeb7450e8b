"""``rftheory check``: is my random-feature code right?

Exit codes: 0 every property agrees; 1 only if a defect was found; 2 something is undecided, misuse, a target that
fails, or an internal error.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from rftheory.cli.codes import (
    assigned,
    check_outputs,
    checked,
    checked_seed,
    drop_output,
    has_moves,
    say,
    say_json,
    width_of_terminal,
    write_whole,
)
from rftheory.errors import InvalidInput, checked_effect, checked_positive, checked_seconds, checked_workers
from rftheory.names import plural

if TYPE_CHECKING:
    from rftheory.check import Report

FILES = ("json", "html", "junit", "sarif", "badge")

_EPILOG = """\
The target is package.module:function, file.py:function, module:phi,psi (a pair of feature maps), a class with sample,
forward or transform such as a module of torch, file.py:Class.method, a scikit-learn transformer, a saved array
draws.npy or draws.npz:key, or a file made by --new. It may be a
  sampler      f(m, d, seed) -> weights (m, d) or (d, m), or a batch (h, m, d); f(size) too
  feature map  phi(x, seed)  -> features (n, F) of inputs x (n, d), real or complex
  estimator    K(x, y, seed) -> one number for two vectors (d,)
  draws        an array (B, m, d) of independent calls
The seed may be called seed, random_state, key, rng or generator, or be missing. If --arg gives no sizes, they are
d = 8 and m = 36, then d = 3, m = 8 and d = 16, m = 6. A run takes 1 to 60 CPU seconds; when time is up, it reports
what it has reached. gpytorch kernels with random features can be given directly.

examples:
  rftheory check mypackage.features:simplex --as simplex
  rftheory check mine.py:phi,psi --features positive --kernel softmax --arg d=16
  rftheory check draws.npy --as orthogonal --html report.html

exit codes: 0 agrees, 1 defect found, 2 undecided, misuse or an error
"""


_DEAF = (
    "SamplerFailed: a call took longer than its time and did not return from compiled code; does it wait for "
    "something? --call-seconds allows more"
)


def add_check(check: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    check.epilog = _EPILOG
    check.add_argument("target", nargs="?", help="such as package.module:function")
    check.add_argument(
        "--as", dest="coupling",
        help="the promised coupling: iid, orthogonal, simplex, ...; none: test marginals and means only",
    )  # fmt: skip
    check.add_argument("--features", help="trig, cosine, positive, hyperbolic, angular-hybrid or gerf:A")
    check.add_argument(
        "--kernel", default="gaussian",
        help="gaussian (default), softmax, matern:NU, laplace (exp(-|z|)), laplace:1 (sum norm), cauchy",
    )  # fmt: skip
    check.add_argument(
        "--lengthscale", type=float, action=checked(checked_positive),
        help="the kernel is a function of x / lengthscale",
    )  # fmt: skip
    check.add_argument(
        "--kind",
        help="matrix, features, estimator or transformer, if the names of the arguments do not tell",
    )
    check.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an argument of the target, such as d=64",
    )
    check.add_argument(
        "--seconds", "--time-limit", type=float, action=checked(checked_seconds), dest="seconds",
        help="CPU seconds for the whole run, which then continues until every test is decided (default: until the "
        "verdict is clear and the size of a defect known to 2 %%, at most 60; imports do not count)",
    )  # fmt: skip
    check.add_argument(
        "--call-seconds",
        type=float,
        action=checked(checked_seconds),
        metavar="S",
        help="CPU seconds allowed for one call of the target, or wall seconds that it may wait (default: 60, or "
        "10 more than --seconds)",
    )
    check.add_argument(
        "--goal", type=float, action=checked(checked_effect),
        help="rule out effects of this size, such as 0.02; needs more draws",
    )  # fmt: skip
    check.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PROPERTY",
        help="test only this property, such as coupling",
    )
    check.add_argument(
        "--up-to-scale",
        action="store_true",
        help="allow a common factor in all estimates; it is measured at x = y = 0",
    )
    check.add_argument(
        "--threads", type=int, action=checked(checked_workers), default=1,
        help="threads of linear algebra (default 1)",
    )  # fmt: skip
    check.add_argument(
        "--seed", type=int, action=checked(checked_seed), default=0,
        help="seed for the seeds passed to the target (default 0)",
    )  # fmt: skip
    check.add_argument("--full", action="store_true", help="print every test, with its numbers")
    check.add_argument(
        "--json", nargs="?", const="-", metavar="F", help="print the report as JSON, or write it to F"
    )
    check.add_argument("--html", metavar="F", help="write the report to F as one HTML page")
    check.add_argument("--junit", metavar="F", help="write the verdicts to F as JUnit test cases")
    check.add_argument("--sarif", metavar="F", help="write the defects to F as SARIF")
    check.add_argument("--badge", metavar="F", help="write one line with verdict, version and date to F")
    check.add_argument("--github", action="store_true", help="print annotations for GitHub after the report")
    check.add_argument("--new", metavar="F", help="write a template for a mechanism and its claims to F")
    check.set_defaults(run=_check, deaf=_DEAF)


def _check(options: argparse.Namespace) -> int:
    if options.new:
        return _new(options)
    if not options.target:
        raise InvalidInput(
            "check", needs="a target or --new FILE", got=None, hint="see rftheory check --help"
        )
    read = [options.target.partition(":")[0], *options.declarations]
    check_outputs({f"--{option}": getattr(options, option) for option in FILES}, read)
    _set_threads(options.threads)
    # output of the target must not mix with the report
    with redirect_stdout(sys.stderr):
        report = _checked(options)
    for option in FILES:
        path = getattr(options, option)
        if path not in (None, "-"):
            write_whole(path, _exported(report, option))
    try:
        if options.json == "-":
            say_json(report.to_json())
        else:
            say(report.text(width_of_terminal(), full=options.full))
        if options.github:
            say(_exported(report, "github"))
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that stops early (``| head -1``) changes no verdict
        drop_output()
    return report.exit_code


def _exported(report: Report, form: str) -> str:
    from rftheory.check import exports

    if form == "json":
        return report.to_json() + "\n"
    if form == "html":
        return report.to_html() + "\n"
    text: str = getattr(exports, form)(report)
    return text


def _checked(options: argparse.Namespace) -> Report:
    from rftheory.check import check

    return check(
        options.target,
        coupling=options.coupling,
        features=options.features,
        kernel=options.kernel,
        lengthscale=options.lengthscale,
        kind=options.kind,
        arguments=assigned("--arg", _argument, options.arg),
        seconds=options.seconds,
        seed=options.seed,
        call_seconds=options.call_seconds,
        goal=options.goal,
        only=options.only,
        up_to_scale=options.up_to_scale,
        threads=options.threads,
        progress=_progress if has_moves(sys.stderr) else None,
    )


def _progress(calls: int, seconds: float) -> None:
    """One line on a terminal, overwritten by the next; nothing elsewhere."""
    print(f"\r\x1b[K{plural(calls, 'call')}, {seconds:.1f} s\r", end="", file=sys.stderr, flush=True)


def _set_threads(count: int) -> None:
    """Tell the libraries that the target will load how many threads to use; on a busy machine fewer are faster."""
    if "numpy" not in sys.modules:  # libraries read this when they are loaded
        os.environ |= dict.fromkeys(
            ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(count)
        )


def _argument(text: str) -> tuple[str, Any]:
    """Name and value of NAME=VALUE; a value that is not a Python literal is text."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise InvalidInput("--arg", needs="NAME=VALUE", got=text)
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: deeply nested
        return name, value


def _new(options: argparse.Namespace) -> int:
    from rftheory.check.template import write_template

    if options.target:
        raise InvalidInput("--new", needs="no target at the same time", got=options.target)
    say(f"{write_template(options.new)}: fill it in, then run rftheory check {options.new}")
    return 0
