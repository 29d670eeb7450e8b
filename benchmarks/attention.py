"""Linear attention and kernel regression: time against the number of rows, and errors beside exact attention.

Every time is the smallest CPU time of several runs. Exact attention is timed up to 2^14 rows. Run:
``python benchmarks/attention.py [--write]``; ``--write`` stores the table under ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sampling import machine

from rftheory.sample import ATTENTIONS, Stream, attention_mechanism, linear_attention, softmax_attention

RESULTS = Path(__file__).parent / "results" / "attention.json"
DIM, FEATURES = 32, 64
ROWS = (1_000, 3_000, 10_000, 30_000, 100_000)


def inputs(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries and keys with normal activations of size 1/2, times d^(-1/4), and values that are the keys."""
    rng = np.random.default_rng(rows)
    q, k = rng.standard_normal((2, rows, DIM)) / 2
    return q * DIM**-0.25, k * DIM**-0.25, k


def seconds(job: Callable[[], object], repeat: int = 3) -> float:
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best


def scaling() -> list[dict[str, object]]:
    """Microseconds a row."""
    table = []
    for rows in ROWS:
        q, k, v = inputs(rows)
        favor = attention_mechanism("favor+", FEATURES, q, k)
        stream = Stream.named("scaling")
        row: dict[str, object] = {"rows": rows}
        for causal in (False, True):
            job = seconds(
                lambda c=causal, m=favor, a=(q, k, v), s=stream: linear_attention(m, s, *a, causal=c)
            )
            row["causal_us_per_row" if causal else "us_per_row"] = round(1e6 * job / rows, 3)
        if rows <= 2**14:
            exact = seconds(lambda a=(q, k, v): softmax_attention(*a), 1)
            row["exact_us_per_row"] = round(1e6 * exact / rows, 3)
        table.append(row)
        print(row, flush=True)
    return table


def errors(rows: int = 2000, blocks: int = 8) -> list[dict[str, object]]:
    """Root of the mean squared error of one output, relative to the size of exact attention's outputs."""
    q, k, v = inputs(rows)
    exact = softmax_attention(q, k, v)
    table = []
    for name in ATTENTIONS[:-1]:
        for m in (64, 256, 1024):
            mechanism = attention_mechanism(name, m, q, k)
            found = [
                linear_attention(mechanism, Stream.named("errors"), q, k, v, block=b) for b in range(blocks)
            ]
            error = np.sqrt(np.mean([(one - exact) ** 2 for one in found])) / np.sqrt(np.mean(exact**2))
            table.append({"attention": name, "features": m, "relative_error": round(float(error), 4)})
            print(table[-1], flush=True)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the result")
    options = parser.parse_args()
    result = {
        "what": f"linear attention, d = {DIM}, {FEATURES} features in the scaling table; CPU time of one thread",
        "machine": machine(),
        "scaling": scaling(),
        "errors": errors(),
    }
    if options.write:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
