"""Errors planted in the samplers, and which of the sampled tests of the catalogue refute them.

The errors are those of ``tests/papers/sampler_faults.py``. Run: ``python -m benchmarks.sampler_faults [--effort E]
[--write]``; ``--write`` stores the table under ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import endurance
from rftheory.judge import Budget
from rftheory.papers import CATALOGUE
from rftheory.report.judging import FALSE_ALARM
from rftheory.statement.evidence import Bench
from tests.papers import sampler_faults

RESULTS = Path(__file__).parent / "results"
SEED = 1
"""Another one than that of the recorded verdicts."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--effort", type=float, default=1 / 16, help="factor on the number of draws")
    parser.add_argument("--write", action="store_true", help="store the table under benchmarks/results")
    options = parser.parse_args()
    bench = Bench(
        Budget.of_run(FALSE_ALARM, CATALOGUE.sampled_tests), np, seed=SEED, effort=options.effort, quick=True
    )
    found: dict[str, dict[str, Any]] = {}
    for one in filter(lambda one: sampler_faults.is_of_a_mean(one.check), endurance.checks_of_catalogue()):
        found[one.name] = sampler_faults.fates(one.check, bench)
        print(one.name, {fault: fate.says for fault, fate in found[one.name].items()}, flush=True)
        if options.write:  # after every test, for the whole takes long
            write(found, options.effort)


def write(found: dict[str, dict[str, Any]], effort: float) -> None:
    """Store table and numbers."""
    text = table(found, list(sampler_faults.FAULTS), sampler_faults.uncaught(found), effort)
    (RESULTS / "sampler_faults.md").write_text(text, encoding="utf-8")
    content = {
        name: {fault: [fate.says, fate.away] for fault, fate in row.items()} for name, row in found.items()
    }
    (RESULTS / "sampler_faults.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def table(found: dict[str, dict[str, Any]], faults: list[str], uncaught: list[str], effort: float) -> str:
    """Counts by fault, and the fate of every test."""
    lines = [
        "# Errors planted in the samplers",
        "",
        f"Every sampled test of a mean at {effort:g} of its draws. `x`: refuted, with the error of the mean in exact",
        "standard errors; `stop`: the draws are refused; `.`: not refuted with so few draws; empty: the error does not",
        "touch what the test draws. The planted error of a test of an order is the reversed order.",
        "",
        "| error | tests that it touches | of them refuted |",
        "|---|---|---|",
    ]
    for fault in faults:
        fates = [row[fault] for row in found.values() if row[fault].says != "not touched"]
        lines.append(f"| {fault} | {len(fates)} | {sum(f.says in ('refuted', 'stopped') for f in fates)} |")
    none = [name for name, row in found.items() if row["none"].says != "agrees"]
    lines += [
        "",
        f"Tests: {len(found)}. Refuted by no error: {', '.join(uncaught) or 'none'}. "
        f"Without an error all agree{' but ' + ', '.join(none) if none else ''}.",
        "",
        "| test | " + " | ".join(faults) + " |",
        "|---" * (len(faults) + 1) + "|",
    ]
    lines += [f"| {name} | " + " | ".join(cell(row[f]) for f in faults) + " |" for name, row in found.items()]
    return "\n".join(lines) + "\n"


def cell(fate: Any) -> str:
    """One fate in the table."""
    word = {"refuted": "x", "stopped": "stop", "agrees": ".", "not touched": "", "undecided": "?"}[fate.says]
    return word if fate.away is None or word != "x" else f"x {fate.away:.0f}"


if __name__ == "__main__":
    main()
