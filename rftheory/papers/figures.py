"""One function per paper figure: data first (JSON), then drawing.

A figure is a pair of functions: one computes the data from the exact layer (and samplers), the other draws them. The
data are written as JSON beside PNG, PDF and SVG; all four are the same bytes from run to run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rftheory.errors import UnknownName
from rftheory.figures.compare import markdown
from rftheory.figures.style import save, write_data
from rftheory.papers import costs
from rftheory.papers.chefs import figures as chefs
from rftheory.papers.chefs import figures_on_data as chefs_data
from rftheory.papers.hybrid import figures as hybrid
from rftheory.papers.hybrid import figures_on_data as hybrid_data
from rftheory.papers.rahimi_recht import figures as rahimi_recht
from rftheory.papers.simplex import figures as simplex
from rftheory.papers.simplex import figures_on_data as simplex_data

Data = dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """How a figure is made: its data, then its drawing.

    Examples
    --------
    >>> Figure(data=lambda: {"x": [1, 2]}, draw=lambda data: len(data["x"])).data()
    {'x': [1, 2]}
    """

    data: Callable[[], Data]
    draw: Callable[[Data], Any]


FIGURES = {"simplex_fig4": Figure(simplex.fig4_data, simplex.fig4),
    "simplex_fig5": Figure(simplex.fig5_data, simplex.fig5), "simplex_fig6": Figure(simplex.fig6_data, simplex.fig6),
    "simplex_fig7": Figure(simplex.fig7_data, simplex.fig7),
    "simplex_fig8": Figure(simplex_data.fig8_data, simplex_data.fig8),
    "simplex_fig10": Figure(simplex_data.fig10_data, simplex_data.fig10),
    "simplex_tab1": Figure(costs.tab1_data, costs.tab1),
    "simplex_tab2": Figure(simplex_data.tab2_data, simplex_data.tab2),
    "simplex_tab3": Figure(simplex_data.tab3_data, simplex_data.tab3),
    "chefs_fig1": Figure(chefs.fig1_data, chefs.fig1), "chefs_fig2": Figure(chefs_data.fig2_data, chefs_data.fig2),
    "chefs_fig4": Figure(costs.fig4_data, costs.fig4), "chefs_tab1": Figure(chefs_data.tab1_data, chefs_data.tab1),
    "hybrid_fig1": Figure(hybrid.fig1_data, hybrid.fig1), "hybrid_fig2": Figure(hybrid.fig2_data, hybrid.fig2),
    "hybrid_fig3": Figure(hybrid_data.fig3_data, hybrid_data.fig3),
    "hybrid_fig6": Figure(hybrid_data.fig6_data, hybrid_data.fig6),
    "hybrid_tab1": Figure(hybrid_data.tab1_data, hybrid_data.tab1),
    "rahimi_recht_bound": Figure(rahimi_recht.bound_data, rahimi_recht.bound)}  # fmt: skip


def regenerate(name: str, folder: str | Path) -> list[Path]:
    """Compute and draw a figure; returns the files written.

    A figure with printed numbers or orderings gets a text with the table too.

    Raises
    ------
    UnknownName : no figure of that name.
    DataUnavailable : it needs data that are not at hand.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = regenerate("simplex_fig5", folder)
    ...     print([path.name for path in files], finished("simplex_fig5", folder))
    ['simplex_fig5.json', 'simplex_fig5.png', 'simplex_fig5.pdf', 'simplex_fig5.svg'] True
    """
    if not isinstance(name, str) or name not in FIGURES:
        raise UnknownName("figure", name, FIGURES)
    figure = FIGURES[name]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    data = figure.data()
    drawn = save(figure.draw(data), folder / name)
    text = markdown(data)
    if text:
        drawn.append(folder / f"{name}.md")
        drawn[-1].write_text(text, encoding="utf-8")
    # The data come last: where they are, the figure is finished.
    return [write_data(data, folder / f"{name}.json"), *drawn]


def finished(name: str, folder: str | Path) -> bool:
    """Whether the folder holds the data and the drawings of a figure already.

    Examples
    --------
    >>> finished("simplex_fig5", "no such folder")
    False
    """
    stem = Path(folder) / name
    try:
        json.loads(stem.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return all(stem.with_suffix(f".{ending}").is_file() for ending in ("png", "pdf", "svg"))


__all__ = ["FIGURES", "Figure", "finished", "regenerate"]
