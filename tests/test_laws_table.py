"""docs/laws.md says what the code has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / "tools" / "laws_table.py"


@pytest.mark.slow
def test_the_table_is_up_to_date() -> None:
    """In a process of its own: others may have declared mechanisms here."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(TOOL), "--check"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"docs/laws.md differs: python tools/laws_table.py\n{done.stderr}"


def test_no_gap_in_mean_and_error_where_the_relations_of_rows_are_declared() -> None:
    text = (ROOT / "docs" / "laws.md").read_text(encoding="utf-8")
    declared = {
        "iid",
        "orthogonal",
        "orthogonal-fixed",
        "simplex",
        "cross-polytope",
        "mirrored",
        "antimonotone",
        "orthogonal-simplices",
    }
    for name in ("positive", "hyperbolic", "trigonometric", "cosine", "gerf", "oprf"):
        section = text.split(f"## {name}\n")[1].split("\n## ")[0]
        cells = [
            [cell.strip() for cell in line.split("|")[1:4]]
            for line in section.splitlines()
            if line[:1] == "|"
        ]
        marks = {cell[0]: cell[1:] for cell in cells}
        assert {coupling: marks[coupling] for coupling in declared} == {
            coupling: ["+", "+"] for coupling in declared
        }
