"""How fast samplers, conformities and commands are beside older versions of the package, as ratios in one run.

Each checkout takes its turn in a process of its own, in every round; the least CPU time of a job counts. Commands that
judge the catalogue take turns once; their time is given for a claim too, since there are more from version to version.
Run: ``python benchmarks/old_and_new.py OLDER_CHECKOUT ... [--rounds 3] [--judging] [--write]``; ``--write`` stores the
table under ``benchmarks/results``. A checkout of an older version: ``git worktree add --detach FOLDER COMMIT``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
RESULTS = HERE / "benchmarks" / "results" / "old_and_new.md"

BLOCKS = {"float32": 2**17, "float64": 2**16}
COMMANDS = (
    "eval simrf_conformity d=64 v=10", "list formulas conformity", "derive simplex.thm4.3",
    "verify --claim simplex.cor4.4 --quick",
)  # fmt: skip
JUDGING = ("verify --quick --jobs 1", "verify --jobs 1")


def jobs() -> dict[str, Callable[[], object]]:
    """What is timed, with the package that is imported here."""
    import numpy as np

    from rftheory.exact import fast
    from rftheory.exact.conformity import orf_conformity, simrf_conformity
    from rftheory.sample import Fused, Mechanism, Stream

    draw, found = np.random.default_rng(1), dict[str, Callable[[], object]]()
    x = np.full((1, 64), 1 / 16)
    for dtype, blocks in BLOCKS.items():
        for coupling in ("orthogonal", "simplex"):
            mechanism = Mechanism("positive", coupling, 64)
            fused = Fused(mechanism, Stream(1, "portable"), x, x, "gaussian", engine="compiled", dtype=dtype)
            found[f"{blocks} {coupling} blocks, d = 64, compiled, {dtype}"] = partial(fused, range(blocks))
    norms, mixed = draw.uniform(0, 100, 10_000), draw.integers(2, 4097, 10_000)
    for name, cosine in (("orthogonal", lambda d: 0.0), ("simplex", lambda d: -1 / (d - 1))):
        for what, d in (("d = 2", 2), ("d = 64", 64), ("d in 2..4096", mixed)):
            found[f"10000 {name} conformities in float64, {what}, v < 100"] = partial(
                fast.log_angle_conformity, d, norms, cosine(d)
            )
    cells = [(2, 1), (2, 50), (2, 100), (3, 100), (64, 10), (64, 100), (1025, 50), (2047, 100), (10_000, 100)]
    for digits, some in ((1000, cells), (15, cells[2:4])):
        for d, v in some:
            found[f"simplex conformity, d = {d}, v = {v}, {digits} digits"] = partial(
                simrf_conformity.enclose, digits, d=d, v=v
            )
    found["orthogonal conformity, d = 64, v = 10, 1000 digits"] = partial(
        orf_conformity.enclose, 1000, d=64, v=10
    )
    return found


def times() -> dict[str, float]:
    """The least CPU seconds of a call of each job, of at least three and a tenth of a second."""
    result = {}
    for name, job in jobs().items():
        job()
        best, total, calls = float("inf"), 0.0, 0
        while calls < 3 or total < 0.1:
            start = time.process_time()
            job()
            taken = time.process_time() - start
            best, total, calls = min(best, taken), total + taken, calls + 1
        result[name] = best
    return result


def ran(folder: Path, *command: str) -> tuple[str, float]:
    """What a Python program prints in a checkout, and its CPU seconds with those of its children.

    Not a number where the version has no such command. A verdict that is not as recorded, for lack of time on a busy
    machine, is no failure here.
    """
    environment = os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if "invalid choice" in done.stderr:
        return "", float("nan")
    if done.returncode and not re.search(r"^\d+ claims", done.stdout, re.MULTILINE):
        raise SystemExit(f"{' '.join(command)} in {folder}: {done.stderr[-2000:]}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(folder: Path, judging: bool) -> dict[str, float]:
    out, _ = ran(folder, str(Path(__file__).resolve()), "--child")
    found: dict[str, float] = json.loads(out.splitlines()[-1])
    for words in COMMANDS + JUDGING * judging:
        out, seconds = ran(folder, "-m", "rftheory", *words.split())
        found[f"rftheory {words}"] = seconds
        if words in JUDGING:
            (claims,) = re.findall(r"^(\d+) claims", out, re.MULTILINE)
            found[f"rftheory {words}: a claim"] = seconds / int(claims)
    return found


def version(folder: Path) -> str:
    command = ["git", "-C", str(folder), "log", "-1", "--format=%h of %ad", "--date=short"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def table(folders: list[Path], rows: list[dict[str, float]]) -> str:
    heads = [
        *(f"{version(folder)}, ms" for folder in folders[:-1]),
        "now, ms",
        *["ratio"] * (len(folders) - 1),
    ]
    lines = ["| job | " + " | ".join(heads) + " |", "|" + "---|" * (len(heads) + 1)]
    for name, now in rows[-1].items():
        before = [row[name] for row in rows[:-1]]
        cells = [
            *("none" if math.isnan(old) else f"{1e3 * old:.3g}" for old in before),
            f"{1e3 * now:.3g}",
            *("" if math.isnan(old) else f"{old / now:.2f}" for old in before),
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("older", nargs="*", type=Path, help="checkouts of older versions, the oldest first")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="store the table")
    parser.add_argument(
        "--judging", action="store_true", help="commands that take minutes, in the first round"
    )
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(times()))
        return
    folders = [*(folder.resolve() for folder in options.older), HERE]
    rows: list[dict[str, float]] = [{} for _ in folders]
    for number in range(options.rounds):
        for row, folder in zip(rows, folders, strict=True):
            for name, seconds in measured(folder, options.judging and number == 0).items():
                row[name] = min(seconds, row.get(name, float("inf")))
    text = table(folders, rows)
    print(text)
    if options.write:
        RESULTS.write_text(f"{HEAD.format(rounds=options.rounds, load=os.getloadavg()[0])}\n{text}\n")


HEAD = """# Samplers, conformities and commands beside older versions

CPU milliseconds, the least of all calls in {rounds} rounds, in which the versions took turns; load average {load:.1f}.
Made by `python benchmarks/old_and_new.py OLDER_CHECKOUT ... --write`. The ratios say how many times faster it is now.
"""


if __name__ == "__main__":
    main()
