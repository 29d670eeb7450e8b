"""``rftheory figure``: figures of the papers."""

from __future__ import annotations

import argparse
import sys
import time

from rftheory.cli.codes import add_time_limit, complain, has_moves, printable, say
from rftheory.cli.progress import tell_what_takes_long
from rftheory.errors import DataUnavailable, InvalidInput
from rftheory.names import plural

SOME_MISSING = 1
"""Exit code if figures were not made because data are missing."""


FIGURE = """\
examples:
  rftheory list figures                        names of all figures
  rftheory figure simplex_fig6 --out pictures  PNG, PDF, SVG and the data as JSON
  rftheory figure --all                        all figures that are not there yet
  rftheory figure simplex_fig8 --size column --redraw   for a column of a paper, from the stored data

exit codes: 0 all made, 1 some not made because data are missing, 2 misused or broken
"""


def add_figure(figure: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    figure.epilog = FIGURE
    figure.add_argument("names", nargs="*", metavar="NAME", help="such as simplex_fig6")
    figure.add_argument("--all", action="store_true", help="all figures that do not exist yet")
    figure.add_argument("--force", action="store_true", help="with --all: make finished ones again")
    figure.add_argument(
        "--size", default="page", help="page (default), column (3.4 in) or slide: NAME_column.png ..."
    )
    figure.add_argument(
        "--redraw", action="store_true", help="draw again from the JSON in the folder, if there is one"
    )
    figure.add_argument("--out", default="paper_figures", help="folder (default paper_figures)")
    add_time_limit(figure, 600, "one figure (tables on data take minutes)")
    figure.set_defaults(run=_figure)


def _figure(options: argparse.Namespace) -> int:
    from rftheory.index import find_figure

    for name in options.names:
        find_figure(name)  # before the plotting library is loaded
    from rftheory.exact.limits import time_limit
    from rftheory.papers.figures import FIGURES, finished, regenerate

    names = list(FIGURES) if options.all else options.names
    if not names:
        raise InvalidInput("figure", needs="a name or --all", got=None, hint="known: " + ", ".join(FIGURES))
    if options.all and not (options.force or options.redraw):
        there = [name for name in names if finished(name, options.out, options.size)]
        names = [name for name in names if name not in there]
        if there:
            _note(f"{len(there)} of {len(FIGURES)} are already in {options.out}; --force makes them again")
    tell_what_takes_long()
    missing: list[DataUnavailable] = []
    for number, name in enumerate(names, 1):
        _note(f"[{number}/{len(names)}] {name}")
        start = time.perf_counter()
        try:
            with time_limit(options.time_limit, name, "the figure"):
                paths = regenerate(name, options.out, size=options.size, redraw=options.redraw)
        except DataUnavailable as error:
            missing.append(error)
            _note(f"[{number}/{len(names)}] {name}: not made")
            continue
        _note(f"[{number}/{len(names)}] {name}: {time.perf_counter() - start:.1f} s")
        for path in paths:
            say(str(path), flush=True)
    for problem in dict.fromkeys(map(str, missing)):
        complain(problem)
    if missing:
        complain(f"{len(missing)} of {plural(len(names), 'figure')} not made because data are missing")
    return SOME_MISSING if missing else 0


def _note(text: str) -> None:
    """Print progress, on a terminal only."""
    if has_moves(sys.stderr):
        print(f"\r\x1b[K{printable(text)}", file=sys.stderr, flush=True)
