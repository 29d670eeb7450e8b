"""Every claim of the catalogue, made wrong in every way that is planted: how many of the errors are noticed?

One quick run of the whole catalogue, one process. Seconds are CPU time. Run: ``python benchmarks/mutations.py
[--write]``; ``--write`` stores the report under ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from rftheory.names import plural
from rftheory.papers import CATALOGUE, Claim, beyond
from rftheory.report.judging import Settings, judge_all
from rftheory.report.run import Result

RESULTS = Path(__file__).parent / "results"
PLANTED = Settings(backend="numpy", quick=True, thorough=True)
"""The settings of a quick run that plants every mutation of each statement."""


@dataclass(frozen=True)
class Tally:
    """How the mutations of some claims fared.

    Attributes
    ----------
    claims : number of claims with a verdict of holds or fails, or with supporting evidence.
    planted, caught : number of mutations, and of those that change the decision of the evidence.
    still_true : by claim, changes that are not errors, because the statement implies them.
    missed : by claim, mutations that were not noticed.
    bare : claims whose evidence has no mutations.
    """

    claims: int
    planted: int
    caught: int
    still_true: tuple[str, ...]
    missed: tuple[str, ...]
    bare: tuple[str, ...]

    @classmethod
    def of(cls, results: Iterable[Result]) -> Tally:
        """Count over the claims that a run decided."""
        decided = [r for r in results if r.verdict.grade is not None]
        mutants = [
            (f"{r.claim.id}: {what}", caught)
            for r in decided
            for piece in r.verdict.evidence
            for what, caught in piece.mutants
        ]
        return cls(
            len(decided),
            len(mutants),
            sum(caught for _, caught in mutants),
            tuple(
                f"{r.claim.id}: {what}"
                for r in decided
                for piece in r.verdict.evidence
                for what in piece.still_true
            ),
            tuple(what for what, caught in mutants if not caught),
            tuple(r.claim.id for r in decided if not any(p.mutants for p in r.verdict.evidence)),
        )

    def __str__(self) -> str:
        text = f"{self.caught} of {plural(self.planted, 'mutation')} of {plural(self.claims, 'claim')} caught"
        if self.still_true:
            text += f"; {len(self.still_true)} more are still true"
        if self.missed:
            text += "; missed: " + "; ".join(self.missed)
        if self.bare:
            text += "; without a mutation: " + ", ".join(self.bare)
        return text


def modules(paper: str) -> dict[str, tuple[Claim, ...]]:
    """The claims of a paper by the module of the catalogue that holds them."""
    claims, home = CATALOGUE.select(paper=paper), dict[str, str]()  # reading them imports the modules
    for package in (importlib.import_module(f"rftheory.papers.{paper}.statements"), beyond):
        for name, part in vars(package).items():
            for group in vars(part).values() if isinstance(part, ModuleType) else ():
                if isinstance(group, tuple):
                    home.update({claim.id: name for claim in group if isinstance(claim, Claim)})
    found: dict[str, tuple[Claim, ...]] = {}
    for claim in claims:
        found[home[claim.id]] = (*found.get(home[claim.id], ()), claim)
    return found


def cell(results: list[Result], seconds: float) -> dict[str, Any]:
    """What became of the mutations of some claims."""
    tally = Tally.of(results)
    return {
        "claims": len(results),
        "decided": tally.claims,
        "planted": tally.planted,
        "caught": tally.caught,
        "still true": len(tally.still_true),
        "seconds": round(seconds, 1),
    }


def measure() -> dict[str, Any]:
    """The whole catalogue, module by module."""
    cells, results, total = [], [], 0.0
    for paper in CATALOGUE.papers:
        for module, claims in modules(paper).items():
            start = time.process_time()
            found = list(judge_all(claims, PLANTED))
            seconds = time.process_time() - start
            cells.append({"paper": paper, "module": module, **cell(found, seconds)})
            results, total = results + found, total + seconds
            print(cells[-1], file=sys.stderr, flush=True)
        own = [r for r in results if r.claim.paper == paper]
        spent = sum(c["seconds"] for c in cells if c["paper"] == paper)
        cells.append({"paper": paper, "module": "all", **cell(own, spent)})
    tally = Tally.of(results)
    return {
        "what": "mutations planted in the statements of all claims, quick run, one process",
        "machine": {"system": platform.platform(), "python": platform.python_version()},
        "share caught": round(tally.caught / tally.planted, 5),
        "all": cell(results, total),
        "cells": cells,
        "missed": list(tally.missed),
        "without a mutation": list(tally.bare),
        "still true": list(tally.still_true),
        "claims": {r.claim.id: sum(len(p.mutants) for p in r.verdict.evidence) for r in results},
    }


def markdown(found: dict[str, Any]) -> str:
    """The table, what was missed, and what is no error."""
    total = found["all"]
    lines = [
        "# Mutations of the statements",
        "",
        "Each constant, exponent, sign and direction of every statement was changed, one at a time. "
        f"{total['caught']} of {total['planted']} changes flip or undecide what the evidence says; "
        f"{total['still true']} more are no errors, since the statement implies them. "
        f"{total['decided']} of {total['claims']} claims are decided, and of these "
        f"{len(found['without a mutation'])} have no mutation. {total['seconds']:.0f} CPU seconds.",
        "",
        "| source | module | claims | decided | planted | caught | still true | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    columns = ("paper", "module", "claims", "decided", "planted", "caught", "still true", "seconds")
    lines += ["| " + " | ".join(str(c[name]) for name in columns) + " |" for c in found["cells"]]
    for title in ("missed", "without a mutation", "still true"):
        lines += ["", f"## {title.capitalize()}", "", *([f"- `{what}`" for what in found[title]] or ["none"])]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="store the report under benchmarks/results")
    options = parser.parse_args()
    found = measure()
    if options.write:
        (RESULTS / "mutations.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        (RESULTS / "mutations.md").write_text(markdown(found), encoding="utf-8")
    else:
        print(markdown(found), end="")


if __name__ == "__main__":
    main()
