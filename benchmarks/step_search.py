"""Every step of every derivation, searched for a counterexample over its whole domain.

The rules that check steps know nothing of this search: it takes a step as a statement and tries its corners and simple
points by enclosures. A checked step that it refutes would be a wrong proof; a step that the source prints wrongly
should be refuted. Run: ``python benchmarks/step_search.py [--write]``, about 15 minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rftheory.errors import RFTheoryError
from rftheory.exact.limits import time_limit
from rftheory.exact.proof import Derivation, Step, derivations
from rftheory.statement.provers.derivation import statement_of
from rftheory.statement.search import search

RESULT = Path(__file__).parent / "results" / "step_search.json"
SECONDS = 3.0
"""For the points of one step; one value may take as long again."""


def fate(found: Derivation, step: Step) -> tuple[str, str]:
    """What became of a step: a word, and the counterexample or the reason."""
    statement = statement_of(found, step)
    if statement is None:
        return "not searched", "complex variables, sums of unnamed terms, or equal up to an order"
    try:
        with time_limit(2 * SECONDS, step.label, "a search"):
            tried = search(statement.parts, statement.domain, most=30, seconds=SECONDS)
    except RFTheoryError as problem:
        return "no value", " ".join(str(problem).split())
    if tried.witness is not None:
        return "refuted", tried.summary
    return ("not refuted", "") if tried.tried else ("no value", tried.why)


def measure() -> Iterator[dict[str, Any]]:
    """One row a step."""
    for found in derivations().values():
        for step in found.steps:
            start = time.perf_counter()
            word, why = fate(found, step)
            seconds = round(time.perf_counter() - start, 2)
            checked = step.check is not None
            yield {"step": step.label, "checked": checked, "found": word, "why": why, "seconds": seconds}


def main() -> int:
    """Search, print what is wrong, and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"store as {RESULT.name}")
    write = parser.parse_args().write
    rows = []
    for row in measure():
        rows.append(row)
        if row["checked"] == (row["found"] == "refuted"):
            print(row, file=sys.stderr, flush=True)
    kinds = {True: "proved by a rule", False: "false as printed"}
    counts = {
        name: dict(Counter(row["found"] for row in rows if row["checked"] is checked))
        for checked, name in kinds.items()
    }
    print(json.dumps(counts, indent=1))
    if write:
        machine = {"system": platform.platform(), "python": platform.python_version()}
        shown = [row for row in rows if row["found"] != "not refuted"]
        content = {"what": __doc__.splitlines()[0], "machine": machine, "counts": counts, "rows": shown}
        RESULT.write_text(json.dumps(content, indent=1) + "\n")
    return int(any(row["checked"] and row["found"] == "refuted" for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
