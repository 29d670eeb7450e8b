"""The look of all figures, and files that are the same bytes from run to run."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from rftheory.spec import COUPLINGS, find_coupling

SETTINGS: Any = {"font.family": "DejaVu Sans", "font.size": 9.0, "mathtext.fontset": "cm", "axes.spines.top": False,
    "axes.spines.right": False, "axes.titlesize": 10.0, "axes.titlelocation": "left", "lines.linewidth": 1.8,
    "figure.dpi": 100.0, "savefig.dpi": 200.0, "svg.hashsalt": "rftheory", "svg.fonttype": "path",
    "pdf.fonttype": 42}  # fmt: skip
"""Text is drawn with the font that ships with matplotlib, so that no machine's fonts leak in."""

OTHERS = ("#cc79a7", "#56b4e9", "#e69f00", "#332288", "#117733", "#882255", "#44aa99", "#999933")
"""Colours of the couplings that have none of their own, in the order in which they are declared."""


class OfCouplings(dict[str, str]):
    """A style for each coupling by name; one that is not in the list gets what ``other`` makes of its name.

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
"""Colour-blind-safe, and told apart in grey; one colour for each coupling in all figures."""

NAMES = OfCouplings({"iid": "IIDRF", "orthogonal": "ORF", "simplex": "SimRF", "simplex+": "SimRF+"}, str)


def new_figure(width: float = 5.2, height: float = 3.4) -> tuple[Figure, Any]:
    """A figure with one pair of axes in the common style, without touching global state."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.add_subplot()


def rounded(values: Any) -> Any:
    """Numbers as text of nine digits, in lists of the same shape."""
    array = np.asarray(values, dtype=float)
    return f"{float(array):.9g}" if array.ndim == 0 else [rounded(value) for value in array]


def band(axes: Any, x: Sequence[Any], exact: Sequence[str], measured: Sequence[str], errors: Sequence[str],
         colour: str) -> None:  # fmt: skip
    """An exact curve with measured points on it; the bars are two standard errors."""
    axes.plot(x, [float(e) for e in exact], color=colour, lw=1.4)
    bars = [2 * float(e) for e in errors]
    axes.errorbar(
        x, [float(m) for m in measured], yerr=bars, fmt="o", color=colour, ms=3.5, capsize=2.5, elinewidth=1
    )


def label_end(axes: Any, text: str, x: float, y: float, colour: str) -> None:
    """Name a curve to the right of its last point."""
    axes.annotate(
        text, (x, y), (6, 0), textcoords="offset points", va="center", color=colour, annotation_clip=False
    )


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write PNG, PDF and SVG without dates, versions or random ids."""
    paths = []
    # fontTools remarks on the age of the font file each time it is embedded
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    with matplotlib.rc_context(SETTINGS):
        for ending, metadata in (
            ("png", {"Software": None}),
            ("pdf", {"CreationDate": None, "Producer": None, "Creator": None}),
            ("svg", {"Date": None, "Creator": None}),
        ):
            path = stem.with_suffix(f".{ending}")
            figure.savefig(path, format=ending, metadata=metadata)
            paths.append(path)
    return paths


def write_data(data: dict[str, Any], path: Path) -> Path:
    """Write the data of a figure as JSON."""
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def printed_beside(
    rows: Sequence[dict[str, Any]],
    colours: dict[str, str],
    title: str,
    unit: str = "accuracy",
    what: str = "splits",
    log: bool = False,
) -> Figure:
    """A panel for each data set: hollow squares are printed, dots are ours with the standard deviation of ``what``.

    Rows name ``data`` and ``mechanism`` and hold ``ours``, ``ours_error``, ``spread_of_splits`` and, where the
    paper has a number, ``printed``.
    """
    with matplotlib.rc_context(SETTINGS):
        names = list(dict.fromkeys(row["data"] for row in rows))
        columns = min(4, len(names))
        lines = -(-len(names) // columns)
        figure = Figure(figsize=(7.6, 1.1 + 1.75 * lines), layout="constrained")
        grid = figure.subplots(lines, columns, squeeze=False).ravel()
        order = list(colours)
        for axes, name in zip(grid, names, strict=False):
            for row in (row for row in rows if row["data"] == name):
                place, colour = order.index(row["mechanism"]), colours[row["mechanism"]]
                ours, error = float(row["ours"]), float(row["ours_error"])
                spread = float(row["spread_of_splits"])
                low = max(ours - spread, ours / 4) if log else ours - spread
                axes.plot([place] * 2, [low, ours + spread], color=colour, lw=4, alpha=0.2)
                axes.errorbar(
                    place, ours, yerr=2 * error, fmt="o", color=colour, ms=4, capsize=2, elinewidth=1
                )
                if row.get("printed"):
                    axes.plot(
                        place + 0.28, float(row["printed"]), "s", mfc="white", mec=colour, ms=4.5, mew=1.2
                    )
            axes.set_title(name)
            if log:
                axes.set(yscale="log")
            axes.set(xlim=(-0.6, len(order) - 0.4), xticks=range(len(order)))
            axes.set_xticklabels(order, rotation=40, ha="right", rotation_mode="anchor", fontsize=7.5)
        for axes in grid[len(names) :]:
            axes.set_axis_off()
        for axes in grid[::columns]:
            axes.set_ylabel(unit)
        figure.suptitle(
            f"{title}\ndots: ours, with two standard errors and the spread over {what} (shade); squares: printed",
            fontsize=9.5, x=0.01, ha="left",
        )  # fmt: skip
        return figure
