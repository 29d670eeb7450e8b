"""Every statement of the catalogue is met in a notebook: judged there, with the verdict that is recorded for it.

So is every derivation but those of the lemmas that the others build on.

The notebooks' stored outputs are read, which nbval compares with what their cells give.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest

from rftheory.exact.proof import derivations
from rftheory.papers import CATALOGUE
from rftheory.papers.claim import Claim

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
JUDGED = re.compile(
    r"^(\S.*?): (holds|fails|undecided) \(.*planted errors refuted: \d+ of \d+\)$", re.MULTILINE
)
"""A line of the plain form of what ``judge`` of `rftheory.report.cells` shows."""


def printed(notebook: Mapping[str, list[dict]]) -> str:
    """What the cells of a notebook wrote or showed, in its plain form, each in lines of its own."""
    outputs = (cell.get("outputs", []) for cell in notebook["cells"])
    return "\n".join("".join(map(_plain, cell)) for cell in outputs)


def _plain(piece: Mapping[str, Any]) -> str:
    shown = "".join(piece.get("data", {}).get("text/plain", ""))
    return f"\n{shown}\n" if shown else "".join(piece.get("text", ""))


def verdicts(text: str) -> set[tuple[str, str]]:
    """The ids of the claims that were judged, with their verdicts."""
    return set(JUDGED.findall(text))


def unmet(claims: Iterable[Claim], judged: set[tuple[str, str]]) -> list[str]:
    """The claims that no notebook judges, or judges otherwise than it is recorded."""
    return [claim.id for claim in claims if (claim.id, str(claim.expected)) not in judged]


def not_replayed(text: str) -> list[str]:
    """The derivations of statements that no notebook replays; ``steps`` shows their titles."""
    return [
        identifier
        for identifier, derivation in derivations().items()
        if not {"definition", "lemma"} & set(identifier.split("."))
        and f"\n{derivation.title}: steps " not in text
    ]


@pytest.fixture(scope="module")
def text() -> str:
    return "\n".join(printed(json.loads(path.read_text(encoding="utf-8"))) for path in NOTEBOOKS)


@pytest.fixture(scope="module")
def judged(text: str) -> set[tuple[str, str]]:
    return verdicts(text)


def test_every_statement_is_met_in_a_notebook(judged: set[tuple[str, str]]) -> None:
    assert unmet(CATALOGUE.claims.values(), judged) == []


def test_no_notebook_keeps_another_verdict(judged: set[tuple[str, str]]) -> None:
    assert judged == {(claim.id, str(claim.expected)) for claim in CATALOGUE.claims.values()}


def test_a_statement_that_is_left_out_is_found(judged: set[tuple[str, str]]) -> None:
    claims = CATALOGUE.claims
    theorem = claims["simplex.thm3.2"]
    assert unmet(claims.values(), judged - {(theorem.id, "holds")}) == [theorem.id]
    assert unmet([theorem], {(theorem.id, "fails")}) == [theorem.id]


def test_every_derivation_is_replayed_in_a_notebook(text: str) -> None:
    assert not_replayed(text) == []
    title = derivations()["simplex.lem4.1"].title
    assert not_replayed(text.replace(f"{title}: steps", "")) == ["simplex.lem4.1"]


def test_only_lines_with_a_verdict_count() -> None:
    split = (
        ["steps of rff.eq2: holds\n", "rff.eq3: holds (1 derived; planted"],
        [" errors refuted: 1 of 1)\n"],
    )
    cells: list[dict] = [
        {"source": ["judge('rff.eq1', bench)"], "outputs": []},
        {"outputs": [{"text": piece} for piece in split]},
        {"outputs": [{"text": "    rff.eq4: holds (as said above)\n"}, {"data": {"text/plain": "rff.eq5"}}]},
        {"outputs": [{"text": "a (b): fails (; planted errors refuted: 0 of 1)"}]},
    ]
    assert verdicts(printed({"cells": cells})) == {("rff.eq3", "holds"), ("a (b)", "fails")}


def linked(notebook: Mapping[str, list[dict]]) -> set[str]:
    """The files that a notebook links, in its text and in what its cells show."""
    texts = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    for cell in notebook["cells"]:
        texts += [
            "".join(piece.get("data", {}).get("text/markdown", "")) for piece in cell.get("outputs", [])
        ]
    found = (
        link for text in texts for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"\$[^$]*\$", "", text))
    )
    return {link.partition("#")[0] for link in found if not re.match(r"[a-z]+:|#", link)}


def test_links_of_notebooks_work_from_the_file_system() -> None:
    links = {path: linked(json.loads(path.read_text(encoding="utf-8"))) for path in NOTEBOOKS}
    broken = {path.name: missing for path, found in links.items()
              if (missing := [link for link in found if not (path.parent / link).is_file()])}  # fmt: skip
    assert not broken
    (errata,) = (found for path, found in links.items() if path.name.startswith("10_"))
    assert {link[:2] for link in errata} >= {"14", "19", "20"}


def test_a_link_to_nothing_is_found() -> None:
    shown = {
        "outputs": [{"data": {"text/markdown": "| [14](14_none.ipynb) |"}}],
        "cell_type": "code",
        "source": "",
    }
    assert linked({"cells": [shown]}) == {"14_none.ipynb"}
    assert not (NOTEBOOKS[0].parent / "14_none.ipynb").is_file()


def test_kernels_that_are_forks_fail_what_is_wrong(tmp_path: Path) -> None:
    """As `make test` runs them: another output and an exception fail, and nothing else.

    These cells need nothing of what is imported once for the notebooks.
    """
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "warm_kernels.py", tmp_path / "tools")
    (tmp_path / "tools" / "notebook_imports.py").touch()
    cells = []
    for number, (source, shown) in enumerate(
        (("2 + 2", "4"), ("2 + 3", "4"), ("1 / 0", ""), ("5 - 4", "1")), 1
    ):
        stored = nbformat.v4.new_output("execute_result", {"text/plain": shown}, execution_count=number)
        cells.append(nbformat.v4.new_code_cell(source, outputs=[stored], execution_count=number))
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "book.ipynb")
    options = ["-p", "tools.warm_kernels", "-p", "no:cacheprovider", "--nbval", "--nbval-current-env", "-rA"]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    told = re.findall(r"^(PASSED|FAILED) \S*::Cell (\d)", done.stdout, re.MULTILINE)
    assert {cell: how for how, cell in told} == {"0": "PASSED", "1": "FAILED", "2": "FAILED", "3": "PASSED"}
