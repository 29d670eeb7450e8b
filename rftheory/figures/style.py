"""The look of all figures, and files that are the same bytes from run to run."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

SETTINGS: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "mathtext.fontset": "cm",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "lines.linewidth": 1.8,
    "figure.dpi": 100.0,
    "savefig.dpi": 200.0,
    "svg.hashsalt": "rftheory",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}
"""Text is drawn with the font that ships with matplotlib, so that no machine's fonts leak in."""

COLOURS = {"iid": "#6b6b6b", "orthogonal": "#0072b2", "simplex": "#d55e00"}
"""Colour-blind-safe, and told apart in grey; one colour for each coupling in all figures."""

NAMES = {"iid": "IIDRF", "orthogonal": "ORF", "simplex": "SimRF"}


def new_figure(width: float = 5.2, height: float = 3.4) -> tuple[Figure, Any]:
    """A figure with one pair of axes in the common style, without touching global state."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.add_subplot()


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
