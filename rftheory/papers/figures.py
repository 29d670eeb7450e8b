"""The figures of the papers.

A figure is a pair of functions: one computes the data from the exact layer (and samplers), the other draws them. The
data are written as JSON, along with PNG, PDF and SVG; all four files have the same bytes in every run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rftheory.errors import UnknownName
from rftheory.figures.compare import markdown
from rftheory.figures.style import FORMS, PAGE, SIZES, save, write_data
from rftheory.papers.chefs import figures as chefs
from rftheory.papers.hybrid import figures as hybrid
from rftheory.papers.rahimi_recht import figures as rahimi_recht
from rftheory.papers.simplex import figures as simplex

Data = dict[str, Any]


class Draw(Protocol):
    """Draws data at the size of a page, a column or a slide."""

    def __call__(self, data: Data, size: str = ..., /) -> Any: ...


@dataclass(frozen=True)
class Figure:
    """A figure: the function that computes its data, and the one that draws them.

    Examples
    --------
    >>> Figure(data=lambda: {"x": [1, 2]}, draw=lambda data, size="page": len(data["x"])).data()
    {'x': [1, 2]}
    """

    data: Callable[[], Data]
    draw: Draw


ROOMS = {
    "simplex": (simplex, ("fig4", "fig5", "fig6", "fig7", "fig8", "fig10", "tab1", "tab2", "tab3")),
    "chefs": (chefs, ("fig1", "fig2", "fig4", "tab1")),
    "hybrid": (hybrid, ("fig1", "fig2", "fig3", "fig6", "tab1")),
    "rahimi_recht": (rahimi_recht, ("bound",)),
}
FIGURES = {
    f"{paper}_{name}": Figure(getattr(room, f"{name}_data"), getattr(room, name))
    for paper, (room, names) in ROOMS.items()
    for name in names
}


def regenerate(name: str, folder: str | Path, *, size: str = PAGE, redraw: bool = False) -> list[Path]:
    """Compute and draw a figure, and return the files written.

    A figure with printed numbers or orderings also gets a text with the table.

    Parameters
    ----------
    size : ``page``, ``column`` or ``slide``; the latter two are added to the names of the drawings.
    redraw : use the data in the folder, if there are any, and compute nothing.

    Raises
    ------
    UnknownName : there is no such figure or size.
    DataUnavailable : the figure needs data that are not available.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = regenerate("simplex_fig5", folder)
    ...     more = regenerate("simplex_fig5", folder, size="column", redraw=True)
    ...     print([path.name for path in files], [path.name for path in more], finished("simplex_fig5", folder))
    ['simplex_fig5.json', 'simplex_fig5.png', 'simplex_fig5.pdf', 'simplex_fig5.svg'] \
['simplex_fig5_column.png', 'simplex_fig5_column.pdf', 'simplex_fig5_column.svg'] True
    """
    if not isinstance(name, str) or name not in FIGURES:
        raise UnknownName("figure", name, FIGURES)
    if size not in SIZES:
        raise UnknownName("size", size, SIZES)
    figure, path = FIGURES[name], Path(folder) / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = _stored(path) if redraw else None
    data = figure.data() if stored is None else stored
    drawn = save(figure.draw(data, size), path.with_name(_stem(name, size)))
    text = markdown(data)
    if text:
        drawn.append(path.with_suffix(".md"))
        drawn[-1].write_text(text, encoding="utf-8")
    # The data are written last: if they exist, the figure is finished.
    return drawn if stored is not None else [write_data(data, path), *drawn]


def finished(name: str, folder: str | Path, size: str = PAGE) -> bool:
    """Whether the folder already contains the data and the drawings of a figure in a size.

    Examples
    --------
    >>> finished("simplex_fig5", "no such folder")
    False
    """
    path = Path(folder) / f"{name}.json"
    drawings = [path.with_name(_stem(name, size) + ending) for ending in FORMS]
    return _stored(path) is not None and all(drawing.is_file() for drawing in drawings)


def _stem(name: str, size: str) -> str:
    return name if size == PAGE else f"{name}_{size}"


def _stored(path: Path) -> Data | None:
    try:
        found: Data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found
