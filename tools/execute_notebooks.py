"""Write each notebook anew from its .py pair: execute it and store what its cells show.

    python tools/execute_notebooks.py notebooks/01_topic.py ...

Nothing that changes from run to run is stored beside the outputs: no times, no random cell names, no
patch version of Python.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

CELL_TIMEOUT = 600  # seconds


def execute(text: Path) -> Path:
    """Execute the notebook that the percent script holds; returns the .ipynb beside it that was written."""
    notebook = jupytext.read(text)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        cell.metadata.pop("lines_to_next_cell", None)
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(text.parent)}},
    )
    client.execute()
    notebook.metadata.language_info.pop("version", None)
    target = text.with_suffix(".ipynb")
    nbformat.write(notebook, target)
    return target


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(execute(Path(argument)))
