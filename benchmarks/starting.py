"""CPU seconds until a command answers, beside those of ``import sympy`` in the same run.

Run: ``python benchmarks/starting.py [--write] [--runs N]``; ``--write`` stores the table under ``benchmarks/results``.
Every command is run so many times, in turns with the others, and the least time is taken.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import shlex
import subprocess
import sys
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "starting.md"
RUNS = 10
SYMPY = '-c "import sympy"'
COMMANDS: dict[str, float | None] = {
    "--version": 0.3,
    "--help": 0.3,
    "verify --help": 0.3,
    "nosuch": 0.3,
    "eval nosuch": 0.3,
    "verify hybrid.thm3.9": 0.3,
    "derive nosuch": 0.3,
    "figure nosuch": 0.3,
    "list statements conformity": 0.3,
    "completion --last=simplex.thm --words verify": 0.3,
}
"""Commands that need no formula, and the CPU seconds that they may take."""
RELATIVE = {
    "eval simrf_conformity d=64 v=1": 1.2,
    "eval orf_conformity d=64 v=1/10 --digits 50": 1.2,
    "eval gaussian_kernel z=1": 1.2,
    "eval prf_mse_simrf d=64 m=64 v=1 x=1 y=1": 1.2,
    "eval trig_mse_orf d=64 m=64 z=1": 1.2,
    "eval mse mechanism=SimRF d=64 m=64 v=1": 1.2,
    "verify simplex.eq22 --evidence derived": 4.0,
    "verify chefs.eq3 --evidence derived": 4.0,
    "errata simplex.cor3.3": 4.0,
    "derive simplex.cor3.3": 4.0,
}
"""Ordinary formulas, and single statements, for which the room of one paper is read; and the times the seconds of
``import sympy`` that they may take."""


def cpu_seconds(arguments: str) -> float:
    """What a command of Python takes, its child processes included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *shlex.split(arguments)], capture_output=True, env=os.environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(runs: int = RUNS) -> dict[str, float]:
    """The least seconds of every command, and of ``import sympy``."""
    commands = [SYMPY, *(f"-m rftheory {one}" for one in (*COMMANDS, *RELATIVE))]
    found = {command: float("inf") for command in commands}
    for _ in range(runs):
        for command in commands:
            found[command] = min(found[command], cpu_seconds(command))
    return {command.removeprefix("-m rftheory "): seconds for command, seconds in found.items()}


def table(found: dict[str, float], runs: int = RUNS) -> str:
    """The measurements as Markdown."""
    sympy = found[SYMPY]
    lines = [
        "# How long a command takes to answer",
        "",
        f"CPU seconds, the least of {runs} runs in turns; Python {platform.python_version()}. `import sympy` takes "
        f"{sympy:.2f} s.",
        "",
        "| command | seconds | of `import sympy` | may take |",
        "|---|---|---|---|",
    ]
    for command, limit in COMMANDS.items():
        lines.append(
            f"| `rftheory {command}` | {found[command]:.3f} | {found[command] / sympy:.2f} | {limit} s |"
        )
    for command, times in RELATIVE.items():
        lines.append(
            f"| `rftheory {command}` | {found[command]:.3f} | {found[command] / sympy:.2f} | {times} times |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store the table under benchmarks/results")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each command (default {RUNS})")
    options = parser.parse_args()
    found = measured(options.runs)
    text = table(found, options.runs)
    print(text, end="")
    if options.write:
        RESULTS.write_text(text, encoding="utf-8")
    late = [one for one, limit in COMMANDS.items() if limit is not None and found[one] > limit]
    late += [one for one, times in RELATIVE.items() if found[one] > times * found[SYMPY]]
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
