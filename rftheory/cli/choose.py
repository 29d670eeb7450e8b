"""``rftheory choose``: which mechanism, and how many features, for data in a file."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from rftheory.cli.codes import add_time_limit, check_outputs, checked, checked_seed, say, wrote
from rftheory.cli.progress import Progress
from rftheory.errors import checked_integer, checked_positive

if TYPE_CHECKING:
    from rftheory.choose import Advice

DESCRIPTION = """\
Compare all mechanisms on your data and say which one to use, with how many features, and with which code.

The error of a mechanism is the root mean squared error of its kernel estimates, over pairs of rows of the data,
divided by the root mean square of the kernel. It is exact for these pairs if the law of the mechanism is known;
otherwise it is measured by sampling, and printed with its standard error, which is due to the draws and to the choice
of pairs. The best mechanism is sampled again before it is recommended, also for other pairs; if it misses the error
wanted there, by more than the standard error, more rows are taken.

examples:
  rftheory choose X.npy --error 0.01            how many features give an error of one percent
  rftheory choose X.csv --features 256          the best mechanism with 256 features
  rftheory choose X.csv --columns 1-4           without the fifth column, a class label
  rftheory choose Q.npy K.npy --kernel softmax  queries and keys of attention

exit codes: 0 an answer that new draws confirm, 2 misuse, an answer that new draws or other pairs of the data do not
confirm, or the best of what was compared before the time was up; the line "not confirmed" says which
"""


def add_choose(verb: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    verb.description = DESCRIPTION
    verb.add_argument("x", help="a table: .npy, .npz, .csv, .tsv, .txt; with pandas also .parquet, .feather")
    verb.add_argument(
        "y", nargs="?",
        help="a second table; pairs then consist of a row of each, as of two tables in one .npz file that are named q"
             " and k, queries and keys, or x and y",
    )  # fmt: skip
    verb.add_argument("--kernel", choices=("gaussian", "softmax"), default="gaussian")
    verb.add_argument(
        "--columns", help="columns of the tables to use, such as 1-4,6, or names of the header (default all)"
    )
    goal = verb.add_mutually_exclusive_group()
    positive = checked(checked_positive)
    count = checked(lambda option, value: checked_integer(option, value, 1))
    goal.add_argument("--error", type=float, action=positive, help="the relative error wanted (default 0.05)")
    goal.add_argument("--features", type=int, action=count, help="the length of the feature vector")
    goal.add_argument(
        "--budget", type=int, action=count, help="the number of operations for the features of one input"
    )
    verb.add_argument(
        "--lengthscale", type=float, action=positive,
        help="divide the data by it (default: median of |x - y|; softmax: d^(1/4))",
    )  # fmt: skip
    verb.add_argument(
        "--pairs", type=int, action=checked(lambda option, value: checked_integer(option, value, 2)), default=48,
        help="number of pairs of rows to use (default 48)",
    )  # fmt: skip
    verb.add_argument(
        "--slow", action="store_true",
        help="evaluate laws that take seconds per pair (otherwise these mechanisms are measured)",
    )  # fmt: skip
    verb.add_argument("--exact-only", action="store_true", help="leave out mechanisms that must be measured")
    verb.add_argument(
        "--seed", type=int, action=checked(checked_seed), default=0, help="seed for the pairs and the samples"
    )
    add_time_limit(verb, 600, "the comparison")
    verb.add_argument("--all", action="store_true", help="print all mechanisms, not the ten best")
    verb.add_argument("--plot", metavar="F", help="plot the cost of each feature map: F.png, F.pdf and F.svg")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(run=_choose)


def _choose(options: argparse.Namespace) -> int:
    from rftheory.choose import choose
    from rftheory.choose.data import sides, table_and_header
    from rftheory.choose.report import files_of_plot

    files = [options.x] if options.y is None else [options.x, options.y]
    for path in files_of_plot(options.plot) if options.plot else ():
        check_outputs({"--plot": str(path)}, files)
    names = sides(options.x) if options.y is None else ()
    found = [table_and_header(options.x, options.columns, name) for name in names]
    found = found or [table_and_header(file, options.columns) for file in files]
    tables, headers = zip(*found, strict=True)
    progress = Progress()
    try:
        advice = choose(
            *tables, kernel=options.kernel, error=options.error, features=options.features, budget=options.budget,
            lengthscale=options.lengthscale, pairs=options.pairs, slow=options.slow, exact_only=options.exact_only,
            seed=options.seed, time_limit=options.time_limit, progress=progress.show,
        )  # fmt: skip
    finally:
        progress.close()
    advice = replace(advice, headers=tuple(filter(None, headers)), columns=options.columns)
    try:
        if options.plot:
            from rftheory.choose.report import draw

            for path in draw(advice, options.plot):
                wrote(str(path))
    finally:  # a figure that cannot be drawn or stored loses no table
        _print(advice, options)
    return 0 if advice.stands else 2


def _print(advice: Advice, options: argparse.Namespace) -> None:
    from rftheory.choose.report import as_text

    if options.json:
        say(json.dumps({**advice.to_dict(), "best": advice.best.name}, indent=1))
    else:
        say(as_text(advice, rows=10**6 if options.all else 10))
