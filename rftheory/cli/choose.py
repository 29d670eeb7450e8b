"""``rftheory choose``: which mechanism, and how many features, for data in a file."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rftheory.cli.codes import (
    add_time_limit,
    check_outputs,
    checked,
    checked_seed,
    say,
    say_json,
    width_of_terminal,
    wrote,
)
from rftheory.cli.progress import Progress
from rftheory.errors import InvalidInput, checked_integer, checked_positive
from rftheory.names import plural

if TYPE_CHECKING:
    from rftheory.choose import Advice

DESCRIPTION = """\
Compare all mechanisms on your data and say which one to use, with how many features, and with which code.

The error of a mechanism is the root mean squared error of its kernel estimates, over pairs of rows of the data,
divided by the root mean square of the kernel. It is exact for these pairs if the law of the mechanism is known;
otherwise it is measured by sampling, and printed with its standard error, which is due to the draws and to the choice
of pairs. The best mechanism is sampled again before it is recommended, also for other pairs; if it misses the error
wanted there, by more than the standard error, more rows are taken.

With --attention, the error is that of softmax attention: of estimated weights, divided by their estimated sum. It is
the total variation distance from the exact weights, mean over queries; with a third table, of values, it is
||A' V - A V|| / ||A V||. It has no law, so that all mechanisms are measured, and the best ones more closely.

examples:
  rftheory choose X.npy --error 0.01            how many features give an error of one percent
  rftheory choose X.csv --features 256          the best mechanism with 256 features at most
  rftheory choose X.csv --columns 1-4           without the fifth column, a class label
  rftheory choose Q.npy K.npy --kernel softmax  queries and keys: the error of the kernel
  rftheory choose qkv.npz --attention --features 256
                                                queries, keys and values: the error of attention

exit codes: 0 an answer that new draws confirm, 2 misuse, an answer that new draws or other pairs of the data do not
confirm, the best of what was compared before the time was up, or, without --error, mechanisms that are all hardly
better than no features (the estimate 0, or equal weights in attention); the line "not confirmed" says which
"""

COMMON = ("error", "features", "budget", "lengthscale", "seed", "time_limit")
"""Options that both ways to compare take."""


def add_choose(verb: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    verb.description = DESCRIPTION
    verb.add_argument("x", help="a table: .npy, .npz, .csv, .tsv, .txt; with pandas also .parquet, .feather")
    verb.add_argument(
        "y", nargs="?",
        help="a second table; pairs then consist of a row of each, as of two tables in one .npz file that are named q"
             " and k, queries and keys, or x and y",
    )  # fmt: skip
    verb.add_argument(
        "v",
        nargs="?",
        help="with --attention, a table of values, one row for each key; in one .npz file, v or values",
    )
    verb.add_argument(
        "--attention", action="store_true",
        help="compare by the error of softmax attention, measured; needs queries and keys, and takes values",
    )  # fmt: skip
    verb.add_argument(
        "--kernel", choices=("gaussian", "softmax"), help="(default gaussian; softmax for attention)"
    )
    verb.add_argument(
        "--columns", help="columns of the tables to use, such as 1-4,6, or names of the header (default all)"
    )
    verb.add_argument(
        "--drop-missing",
        action="store_true",
        help="leave out rows with missing values, and say how many",
    )
    goal = verb.add_mutually_exclusive_group()
    positive = checked(checked_positive)
    count = checked(lambda option, value: checked_integer(option, value, 1))
    goal.add_argument("--error", type=float, action=positive, help="the relative error wanted (default 0.05)")
    goal.add_argument("--features", type=int, action=count, help="the most features")
    goal.add_argument(
        "--budget", type=int, action=count, help="the most operations for the features of one input"
    )
    verb.add_argument(
        "--lengthscale", type=float, action=positive,
        help="divide the data by it (default: median of |x - y|; softmax: d^(1/4))",
    )  # fmt: skip
    verb.add_argument(
        "--pairs", type=int, action=checked(lambda option, value: checked_integer(option, value, 2)), default=48,
        help="number of pairs of rows to use, or of queries, for attention (default 48)",
    )  # fmt: skip
    verb.add_argument(
        "--slow", action="store_true",
        help="evaluate laws that take seconds per pair (otherwise these mechanisms are measured)",
    )  # fmt: skip
    verb.add_argument("--exact-only", action="store_true", help="leave out mechanisms that must be measured")
    verb.add_argument(
        "--seed", type=int, action=checked(checked_seed), default=0, help="seed for the pairs and the samples"
    )
    add_time_limit(verb, 600, "the comparison, with the draws of the winner that follow it,")
    verb.add_argument(
        "--all", action="store_true",
        help="print all mechanisms, not the ten best, and why others were left out",
    )  # fmt: skip
    verb.add_argument(
        "--plot", metavar="F", action="append", default=[],
        help="plot the cost of each feature map, as F ends in: .png, .pdf or .svg; may be repeated",
    )  # fmt: skip
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(run=_choose)


def _choose(options: argparse.Namespace) -> int:
    from rftheory.choose import choose, choose_attention
    from rftheory.choose.report import draw, file_of_plot

    _refuse_contradictions(options)
    files = [file for file in (options.x, options.y, options.v) if file is not None]
    plots = [str(file_of_plot(path)) for path in options.plot]
    for path in plots:
        check_outputs({"--plot": path}, files)
    tables, headers, dropped = _tables(files, options)
    progress = Progress()
    common = {name: getattr(options, name) for name in COMMON} | {"progress": progress.show}
    try:
        with redirect_stdout(sys.stderr):  # what declared samplers print must not mix with the answer
            if options.attention:
                if len(tables) == 1:
                    needs = "queries and keys: two tables, or arrays named q and k in one .npz file"
                    raise InvalidInput("--attention", needs=needs, got=options.x)
                advice = choose_attention(*tables, count=options.pairs, **common)
            else:
                advice = choose(
                    *tables, kernel=options.kernel or "gaussian", pairs=options.pairs, slow=options.slow,
                    exact_only=options.exact_only, **common,
                )  # fmt: skip
    finally:
        progress.close()
    advice = replace(advice, headers=tuple(filter(None, headers)), columns=options.columns, dropped=dropped)
    try:
        for path in plots:
            wrote(str(draw(advice, path)))
    finally:  # a figure that cannot be drawn or stored loses no table
        _print(advice, options)
    return 0 if advice.stands else 2


def _tables(files: list[str], options: argparse.Namespace) -> tuple[list[Any], list[str], int]:
    """The tables, their headers, and how many rows were left out."""
    from rftheory.choose.data import complete_rows, tables_and_headers

    def complete() -> tuple[list[Any], list[str], int]:
        tables, headers = tables_and_headers(files, options.columns, options.attention, missing=True)
        whole, count = complete_rows(tables)
        return whole, headers, count

    if options.drop_missing:
        return complete()
    try:
        return *tables_and_headers(files, options.columns, options.attention), 0
    except InvalidInput as problem:
        try:
            count = complete()[2]
        except InvalidInput:  # other values are bad, too
            raise problem from None
        hint = f"{problem.hint}; --drop-missing leaves out {plural(count, 'row')} with missing values"
        raise InvalidInput(problem.subject, needs=problem.needs, got=problem.got, hint=hint) from None


def _refuse_contradictions(options: argparse.Namespace) -> None:
    """Refuse options that contradict each other."""
    if not options.attention:
        if options.v is not None:
            raise InvalidInput(
                "choose", needs="one or two tables; a third one, of values, with --attention", got=options.v
            )
        return
    if options.kernel == "gaussian":
        raise InvalidInput("--attention", needs="--kernel softmax, which is its default", got=options.kernel)
    for name in ("slow", "exact_only"):
        if getattr(options, name):
            raise InvalidInput("--attention", needs="errors that are measured, because they have no law",
                               got=f"--{name.replace('_', '-')}")  # fmt: skip


def _print(advice: Advice, options: argparse.Namespace) -> None:
    from rftheory.choose.report import as_text, hints

    if options.json:
        say_json(json.dumps({**advice.to_dict(), "best": advice.best.name, "hints": hints(advice)}, indent=1))
    else:
        say(as_text(advice, everything=options.all, width=width_of_terminal()))
