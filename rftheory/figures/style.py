"""The style of all figures, at the size of a page, a column or a slide; files do not change from run to run."""

from __future__ import annotations

import json
import logging
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axis import Axis
from matplotlib.figure import Figure

from rftheory.spec import COUPLINGS, find_coupling

SETTINGS: Any = {"font.family": "DejaVu Sans", "font.size": 9.0, "mathtext.fontset": "cm", "axes.spines.top": False,
    "axes.spines.right": False, "axes.titlesize": 10.0, "axes.titlelocation": "left", "axes.titley": 1.0,
    "lines.linewidth": 1.8, "figure.dpi": 100.0, "savefig.dpi": 200.0, "svg.hashsalt": "rftheory",
    "svg.fonttype": "path", "pdf.fonttype": 42}  # fmt: skip
"""Text uses the font that ships with matplotlib, so that figures do not depend on the machine's fonts. Titles stand
right above the axes: to look for ticks and exponents in their way takes a quarter of the time of a layout."""


class Size(NamedTuple):
    """Format of a figure: width in inches, size of text in points, panels side by side."""

    width: float
    text: float
    across: int


CURVE = 1.4
"""Width of a curve on a page, in points."""
SIZES = {"page": Size(7.6, 9.0, 4), "column": Size(3.4, 7.0, 2), "slide": Size(12.8, 15.0, 4)}
PAGE = "page"

OTHERS = ("#cc79a7", "#56b4e9", "#e69f00", "#332288", "#117733", "#882255", "#44aa99", "#999933")
"""Colours of couplings without one of their own, in the order of their declaration."""


class OfCouplings(dict[str, str]):
    """A style for each coupling by name; for unlisted ones, ``other`` makes it from the name.

    Examples
    --------
    >>> COLOURS["mirrored"] in OTHERS, COLOURS["ORF"] == COLOURS["orthogonal"], NAMES["mirrored"]
    (True, True, 'mirrored')
    """

    def __init__(self, known: dict[str, str], other: Callable[[str], str]) -> None:
        super().__init__(known)
        self._other = other

    def __missing__(self, name: str) -> str:
        word = find_coupling(name).name
        return self[word] if word in self else self._other(word)


def _other_colour(name: str) -> str:
    return OTHERS[[one for one in COUPLINGS if one not in COLOURS].index(name) % len(OTHERS)]


COLOURS = OfCouplings({"iid": "#6b6b6b", "orthogonal": "#0072b2", "simplex": "#d55e00", "simplex+": "#009e73"},
    _other_colour)  # fmt: skip
"""Colour-blind-safe and distinguishable in grey; a coupling has the same colour in all figures."""

NAMES = OfCouplings({"iid": "IIDRF", "orthogonal": "ORF", "simplex": "SimRF", "simplex+": "SimRF+"}, str)


def new_figure(width: float = 5.2, height: float = 3.4) -> tuple[Figure, Any]:
    """A figure with one pair of axes in the common style, without touching global state."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.add_subplot()


def thin(points: float = 1.0) -> float:
    """A width for lines beside the curves, given for a page, in proportion to the figure that is being drawn.

    Examples
    --------
    >>> with matplotlib.rc_context(_settings(SIZES["slide"])):
    ...     round(thin(), 2)
    1.67
    """
    return float(points * matplotlib.rcParams["lines.linewidth"] / CURVE)


def _settings(size: Size) -> Any:
    """The style with lines and marks in proportion to the text."""
    scale = size.text / 9
    marks = {"lines.linewidth": CURVE, "lines.markersize": 3.5, "errorbar.capsize": 2.0, "axes.linewidth": 0.8,
             "xtick.major.size": 3.5, "ytick.major.size": 3.5, "xtick.minor.size": 2.0, "ytick.minor.size": 2.0,
             "xtick.major.width": 0.8, "ytick.major.width": 0.8, "axes.labelpad": 3.0}  # fmt: skip
    scaled = {key: value * scale for key, value in marks.items()}
    # Titles and keys of a column have no room to spare.
    return {**SETTINGS, **scaled, "font.size": size.text, "axes.titlesize": size.text * (1.1 if scale >= 1 else 1),
            "legend.fontsize": size.text * 0.9, "legend.frameon": False}  # fmt: skip


@contextmanager
def panels(size: str, count: int = 1, *, rows: int | None = None, height: float = 1.8, key: bool = True,
           note: str = "", **shared: Any) -> Iterator[tuple[Figure, Any]]:  # fmt: skip
    """A figure in the common style with ``count`` axes, finished when the block ends.

    Parameters
    ----------
    size : ``page``, ``column`` or ``slide``.
    count : number of panels, laid out without a gap if possible. The axes come as an array, in order.
    rows : if the panels form a table, its number of rows; the axes are then indexed by row and column. A table
        that is too wide is transposed.
    height : height in inches of a panel on a page.
    key : whether labelled curves are named below the panels.
    note : what bands and bars mean, also shown below the panels.
    shared : ``sharex`` and ``sharey`` for all panels.

    Examples
    --------
    >>> with panels("column", 8, rows=2) as (figure, axes):
    ...     _ = axes[1, 3].plot([0, 1], label="curve")
    >>> axes.shape, figure.get_size_inches().round(2).tolist()
    ((2, 4), [3.4, 5.91])
    """
    place = SIZES[size]
    scale = place.text / 9
    with matplotlib.rc_context(_settings(place)):
        # Three panels go side by side or one below another: two and one would leave a gap.
        lines = rows or -(-count // (1 if count == 3 > place.across else min(count, place.across)))
        across = -(-count // lines)
        turned = across > place.across
        shape = (across, lines) if turned else (lines, across)
        width = min(place.width, 5.2 * scale) if count == 1 else place.width
        figure = Figure(
            figsize=(width, height * scale * shape[0] + 0.4 * scale * bool(key or note)), layout="constrained"
        )
        # The tick labels of an axis may grow by a digit after it is placed.
        figure.get_layout_engine().set(w_pad=0.1 * scale)  # type: ignore[union-attr, call-arg]
        grid = figure.subplots(*shape, squeeze=False, **shared)
        table = grid.T if turned else grid
        for axes in grid.ravel()[count:]:
            axes.set_axis_off()
        yield figure, table if rows else table.ravel()[:count]
        _without_repeats(grid, count)
        if key or note:
            _key(figure, grid, place, key, note)
        # Ticks are made when their number is first known, in the style in force at that moment.
        figure.get_layout_engine().execute(figure)  # type: ignore[union-attr]
        for axis in figure.findobj(Axis):
            axis.get_ticklabels()


def _without_repeats(grid: Any, count: int) -> None:
    """Label an axis once: below the last panel of a column, beside the first panel of a row."""
    across = grid.shape[1]
    for place, axes in enumerate(grid.ravel()[:count]):
        below, first = place + across, grid.ravel()[place - place % across]
        if below < count and grid.ravel()[below].get_xlabel() == axes.get_xlabel():
            axes.set_xlabel("")
        elif axes.get_xlabel():
            axes.tick_params(labelbottom=True)
        if axes is not first and axes.get_ylabel() == first.get_ylabel():
            axes.set_ylabel("")


def _key(figure: Figure, grid: Any, place: Size, key: bool, note: str) -> None:
    """The key: each label once, in as many columns as fit, with the note as its title."""
    named: dict[str, Any] = {}
    for axes in grid.ravel() if key else ():
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    longest = max((len(re.sub(r"\\\w+", "x", label).replace("$", "")) for label in named), default=1)
    room = int(figure.get_size_inches()[0] * 72 / (place.text * (0.55 * longest + 3.5)))
    columns = max(1, min(room, len(named)))
    title = textwrap.fill(note, int(figure.get_size_inches()[0] * 72 / (place.text * 0.5)))
    figure.legend(named.values(), named, loc="outside lower center", ncols=columns, title=title or None,
                  title_fontsize=place.text * 0.9, columnspacing=1.2, handlelength=1.8)  # fmt: skip


def rounded(values: Any) -> Any:
    """Numbers to nine digits, in lists of the same shape; None for missing values.

    Examples
    --------
    >>> rounded([1 / 3, float("nan")])
    [0.333333333, None]
    """
    array = np.asarray(values, dtype=float)
    if array.ndim:
        return [rounded(value) for value in array]
    return float(f"{array:.9g}") if np.isfinite(array) else None


def measured(
    axes: Any, x: Sequence[Any], means: Sequence[float], errors: Sequence[float], colour: str
) -> None:
    """Means with bars of two standard errors; a mean below twice that is drawn hollow, without a bar.

    Such a mean says little, and on a logarithmic axis its bar would dominate the panel or leave it.
    """
    place, mean, bar = np.asarray(x, float), np.asarray(means, float), 2 * np.asarray(errors, float)
    sure = bar <= np.abs(mean) / 2
    axes.errorbar(place[sure], mean[sure], yerr=bar[sure], fmt="o", color=colour, elinewidth=thin())
    axes.plot(place[~sure], mean[~sure], "o", color=colour, mfc="white")


def curve(axes: Any, x: Sequence[Any], mean: Sequence[float], error: Sequence[float], colour: str, fmt: str = "",
          **style: Any) -> None:  # fmt: skip
    """A curve in a band that reaches ``error`` above and below it."""
    middle, reach = np.asarray(mean, float), np.asarray(error, float)
    axes.fill_between(x, middle - reach, middle + reach, color=colour, alpha=0.2, lw=0)
    axes.plot(x, middle, *[fmt] * bool(fmt), color=colour, **style)


BARS = "bars: two standard errors (hollow: more than half the value)"
"""The explanation of :func:`measured`, for the note of a figure."""


def by_powers_of_two(axes: Any, sizes: Sequence[int]) -> None:
    """A logarithmic axis of x with a tick at each of the sizes."""
    axes.set(xscale="log", xticks=sizes, xticklabels=[str(size) for size in sizes])
    axes.minorticks_off()


def label_end(axes: Any, text: str, x: float, y: float, colour: str) -> None:
    """Name a curve to the right of its last point."""
    axes.annotate(
        text, (x, y), (6, 0), textcoords="offset points", va="center", color=colour, annotation_clip=False
    )


FORMS: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    ".svg": {"Date": None, "Creator": None},
}
"""The endings of figures, each with the entries that are left out: dates, versions and random ids."""


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure in every form."""
    return [save_as(figure, stem.with_suffix(ending)) for ending in FORMS]


def save_as(figure: Figure, path: Path) -> Path:
    """Write a figure in the form that the name of the file ends in, and return the file."""
    # fontTools logs a remark on the age of the font file each time it is embedded
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    ending = path.suffix.lower()
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(path, format=ending[1:], metadata=FORMS[ending])
    return path


def write_data(data: dict[str, Any], path: Path) -> Path:
    """Write the data of a figure as JSON."""
    text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def printed_beside(rows: Sequence[dict[str, Any]], colours: dict[str, str], title: str, size: str,
                   unit: str = "accuracy", what: str = "splits", log: bool = False) -> Figure:  # fmt: skip
    """A panel for each data set: hollow squares are printed, dots are ours with the standard deviation of ``what``.

    Rows name ``data`` and ``mechanism`` and hold ``ours``, ``ours_error``, ``spread_of_splits`` and, where the
    paper has a number, ``printed``; where there is a law, ``exact``. Every mean has its bar: on a logarithmic axis
    one that reaches below the panel ends there, and the dot is hollow where the bar is more than half of it.
    """
    names, order = list(dict.fromkeys(row["data"] for row in rows)), list(colours)
    exact = ", line: exact" if any("exact" in row for row in rows) else ""
    note = (
        f"dots: ours, bars: two standard errors, shade: standard deviation of {what}, squares: printed{exact}"
    )
    with panels(size, len(names), height=1.4 + 0.07 * max(map(len, order)), key=False, note=note) as (
        figure,
        grid,
    ):
        for axes, name in zip(grid, names, strict=True):
            own = [row for row in rows if row["data"] == name]
            low = (
                min(min(row["ours"], row.get("printed", row["ours"])) for row in own) / 2 if log else -np.inf
            )
            for row in own:
                place, colour = order.index(row["mechanism"]), colours[row["mechanism"]]
                ours, spread = row["ours"], row["spread_of_splits"]
                axes.plot(
                    [place] * 2, [max(ours - spread, low), ours + spread], color=colour, lw=thin(4), alpha=0.2
                )
                bar = 2 * row["ours_error"]
                axes.errorbar(
                    place, ours, yerr=[[min(bar, ours - low)], [bar]], fmt="o", color=colour, elinewidth=thin(),
                    mfc=colour if bar <= ours / 2 else "white",
                )  # fmt: skip
                if "exact" in row:
                    axes.plot([place - 0.35, place + 0.35], [row["exact"]] * 2, color="black", lw=thin())
                if "printed" in row:
                    axes.plot(place + 0.28, row["printed"], "s", mfc="white", mec=colour, mew=1)
            axes.set(title=name, ylabel=unit, xlim=(-0.6, len(order) - 0.4), xticks=range(len(order)))
            if log:
                axes.set(yscale="log", ylim=(low, None))
            axes.set_xticklabels(order, rotation=40, ha="right", rotation_mode="anchor", fontsize="small")
        figure.suptitle(title, fontsize="medium", x=0.01, ha="left")
    return figure
