"""How the time of classification and of attention grows with the number of rows, up to 1e5.

Kernel regression with SimRFs and attention with FAVOR+ are linear in the rows; the exact kernel and softmax
attention, quadratic in them, stand beside them up to the size that fits into memory. CPU time of this process, the
smallest of three repetitions. Run: ``python benchmarks/rows.py [--write]``; ``--write`` stores the table under
``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from rftheory.figures.counting import attention, exact_attention
from rftheory.figures.regression import accuracies, exact_accuracy
from rftheory.sample import Mechanism, Stream

ROWS = (1000, 3000, 10_000, 30_000, 100_000)
QUADRATIC = 3000
"""Rows up to which the quadratic ways are timed."""
FEATURES, HEAD, CLASSES = 64, 64, 4
RESULTS = Path(__file__).parent / "results" / "rows.json"


def seconds(job: Callable[[], object]) -> float:
    """Smallest CPU time of three calls."""
    best = math.inf
    for _ in range(3):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best


def jobs(rows: int) -> dict[str, Callable[[], Any]]:
    """What is timed for that many rows: training objects and test objects, or the length of a sequence."""
    stream = Stream.named(f"benchmarks/rows {rows}", kind="native")
    points = np.asarray(stream.normals(range(1), 8 * rows)).reshape(rows, 8)
    classes = (np.abs(points[:, 0]) * 2).astype(int) % CLASSES
    q, k, v = np.asarray(stream.child("attention").normals(range(3), rows * HEAD)).reshape(3, rows, HEAD)
    q, k = q / HEAD**0.25, k / HEAD**0.25
    simrf = Mechanism("positive", "simplex", FEATURES)
    favor = Mechanism("positive", "orthogonal", FEATURES)
    found: dict[str, Callable[[], Any]] = {
        "classification, SimRF": lambda: accuracies(simrf, stream, 1, points, classes, points, classes),
        "attention, FAVOR+": lambda: attention(v, favor, stream, q, k),
    }
    if rows <= QUADRATIC:
        found["classification, exact"] = lambda: exact_accuracy(points, classes, points, classes)
        found["attention, exact"] = lambda: exact_attention(v, q, k)
    return found


def measure() -> dict[str, Any]:
    """Seconds for each number of rows, and the exponent of the growth over the last decade."""
    times: dict[str, dict[str, float]] = {}
    for rows in ROWS:
        for name, job in jobs(rows).items():
            times.setdefault(name, {})[str(rows)] = round(seconds(job), 5)
    exponents = {}
    for name, found in times.items():
        sizes = [int(rows) for rows in found]
        first = next(size for size in sizes if 10 * size >= sizes[-1])
        ratio = found[str(sizes[-1])] / found[str(first)]
        exponents[name] = round(math.log(ratio) / math.log(sizes[-1] / first), 2)
    return {
        "what": f"CPU seconds against rows, {FEATURES} features, smallest of 3",
        "machine": {
            "cpu": platform.processor() or platform.machine(),
            "load": f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
            "python": platform.python_version(),
            "numpy": version("numpy"),
        },
        "seconds": times,
        "exponent": exponents,
    }


def main() -> None:
    """Measure, print and, if asked, store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"store under {RESULTS.parent.name}")
    options = parser.parse_args()
    found = measure()
    print(json.dumps(found, indent=1))
    if options.write:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
