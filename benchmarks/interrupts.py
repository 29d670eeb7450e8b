"""What comes out of certified computations of every kind that a signal breaks off at a random moment.

The only outcomes are the right value and the exception of the signal. The jobs are those of
``tests/exact/interrupts.py``. Run: ``python -m benchmarks.interrupts [--write]``; ``--write`` stores the table under
``benchmarks/results``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.exact import interrupts

RESULTS = Path(__file__).parent / "results" / "interrupts.md"
SHOTS = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store the table under benchmarks/results")
    options = parser.parse_args()
    rows = ["| computation | right value | broken off | anything else |", "|---|---|---|---|"]
    for name, job in interrupts.JOBS.items():
        found = interrupts.shoot(job, job(), interrupts.moments(job, SHOTS, seed=2))
        other = found.total() - found["right"] - found["broken off"]
        rows.append(f"| {name} | {found['right']} | {found['broken off']} | {other} |")
        print(rows[-1], flush=True)
    if options.write:
        RESULTS.write_text(
            f"# Interrupts at {SHOTS} random moments of each kind of certified computation\n\n"
            + "\n".join(rows)
            + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
