"""How long the conformities take, as ratios in one run.

Against: the literal double sum (24) and the sum (23) in mpmath as one would write them from the paper, term by term
with Gamma functions, until a term no longer changes the sum; and, for the float64 layer, points per second.
CPU time of this process, the smallest of several repetitions. Run: ``python benchmarks/conformity.py [--literal-limit
SECONDS] [--write]``; ``--write`` stores the table under ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from pathlib import Path

import mpmath
import numpy as np
from flint import arb, ctx, fmpq

from rftheory.exact import fast
from rftheory.exact.conformity import orf_conformity, simrf_conformity

DIGITS = (15, 50, 200, 1000)
DIMENSIONS = (2, 3, 6, 64, 65, 511, 512)
NORMS = ("0.1", "1", "10", "50")
LITERAL = [(64, "1", 15), (64, "1", 50), (64, "10", 15), (64, "10", 50), (6, "10", 15), (64, "50", 15)]
RESULTS = Path(__file__).parent / "results" / "conformity.json"


def seconds(job: Callable[[], object], enough: float = 0.05) -> float:
    """Smallest CPU time of a call among 5 or more, ``enough`` seconds of them; slow jobs are called once."""
    best, total, calls = float("inf"), 0.0, 0
    while calls < 5 or total < enough:
        start = time.process_time()
        job()
        last = time.process_time() - start
        best, total, calls = min(best, last), total + last, calls + 1
        if best > 1:
            break
    return best


def literal_orf(d: int, v: str, digits: int) -> mpmath.mpf:
    """Eq. (23), term by term."""
    with mpmath.workdps(digits + 10):
        speed, half, total, k = mpmath.mpf(v), mpmath.mpf(d) / 2, mpmath.mpf(0), 0
        while True:
            term = (
                speed ** (2 * k) / (2**k * mpmath.factorial(k)) * mpmath.gamma(k + d) / mpmath.gamma(k + half)
            )
            total += term
            if k > speed**2 and term < total * mpmath.mpf(10) ** (-digits - 5):
                return mpmath.gamma(half) / mpmath.gamma(d) * total
            k += 1


def literal_simrf(d: int, v: str, digits: int, limit: float = float("inf")) -> mpmath.mpf | None:
    """Eq. (24), the double sum term by term; None when it takes longer than ``limit`` seconds."""
    start = time.process_time()
    with mpmath.workdps(digits + 10):
        speed, half, total, k = mpmath.mpf(v), mpmath.mpf(d) / 2, mpmath.mpf(0), 0
        scale = mpmath.sqrt(mpmath.pi) / (mpmath.gamma(half) * mpmath.mpf(2) ** (d - 1))
        cosine = -1 / mpmath.mpf(d - 1)
        while True:
            inner = mpmath.mpf(0)
            for p in range(k + 1):
                ratio = mpmath.gamma(mpmath.mpf(d + p) / 2) / mpmath.gamma(mpmath.mpf(d + p + 1) / 2)
                inner += cosine**p * ratio / (mpmath.factorial(k - p) * mpmath.factorial(p))
            term = (
                mpmath.gamma(k + d) / mpmath.gamma(k + half) * speed ** (2 * k) / mpmath.mpf(2) ** k * inner
            )
            total += term
            if k > speed**2 and term < total * mpmath.mpf(10) ** (-digits - 5):
                return scale * total
            if time.process_time() - start > limit:
                return None
            k += 1


def bare_kummer(d: int, v: str, digits: int) -> arb:
    """e^z 1F1(-d/2; d/2; -z), z = v^2/2, as one call of arb, without reading, proof of digits or retry."""
    with ctx.workprec(math.ceil(digits * math.log2(10)) + 28):
        norm = arb(fmpq(*Fraction(v).as_integer_ratio()))
        z = norm * norm / 2
        return z.exp() * (-z).hypgeom_1f1(arb(-d) / 2, arb(d) / 2)


def enclosures() -> list[dict[str, object]]:
    """Milliseconds of ``Formula.enclose`` with its reading of inputs and its proof of the last digit.

    Beside the orthogonal one: the bare call of arb's 1F1, which tells how fast the machine was.
    """
    rows: list[dict[str, object]] = []
    for d in DIMENSIONS:
        for v in NORMS:
            for digits in DIGITS:
                row: dict[str, object] = {"d": d, "v": v, "digits": digits}
                for name, formula in (("orthogonal", orf_conformity), ("simplex", simrf_conformity)):
                    row[name] = round(
                        1e3 * seconds(lambda f=formula, a=(digits, d, v): f.enclose(a[0], d=a[1], v=a[2])), 4
                    )
                row["arb_1f1"] = round(1e3 * seconds(lambda a=(d, v, digits): bare_kummer(*a)), 4)
                rows.append(row)
    return rows


def against_the_literal_sums(limit: float) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for d, v, digits in LITERAL:
        ours = seconds(lambda d=d, v=v, n=digits: simrf_conformity.enclose(n, d=d, v=v))
        start = time.process_time()
        value = literal_simrf(d, v, digits, limit)
        theirs = time.process_time() - start
        row: dict[str, object] = {"d": d, "v": v, "digits": digits, "simplex_ms": round(1e3 * ours, 4)}
        row["literal_ms"] = round(1e3 * theirs, 2)
        row["finished"] = value is not None  # if not, the ratio is a lower bound
        row["ratio"] = round(theirs / ours, 1)
        if value is not None:
            exact = float(simrf_conformity.enclose(20, d=d, v=v).ball.log())
            row["literal_log_error"] = abs(float(mpmath.log(value)) - exact)
        ours = seconds(lambda d=d, v=v, n=digits: orf_conformity.enclose(n, d=d, v=v))
        theirs = seconds(lambda d=d, v=v, n=digits: literal_orf(d, v, n))
        row |= {"orthogonal_ms": round(1e3 * ours, 4), "literal_orthogonal_ms": round(1e3 * theirs, 3)}
        row["orthogonal_ratio"] = round(theirs / ours, 1)
        rows.append(row)
    return rows


def float64() -> dict[str, dict[str, int]]:
    """Points per second of CPU time for v uniform on [0, 100]; ``mixed``: d uniform on 2..4096 too."""
    draw = np.random.default_rng(1)
    jobs = (("orthogonal", lambda d: 0.0, 50_000), ("simplex", lambda d: -1 / (d - 1), 20_000))
    table: dict[str, dict[str, int]] = {}
    for name, cosine, count in jobs:
        norms = draw.uniform(0, 100, count)
        dims: dict[str, object] = {
            "mixed": draw.integers(2, 4097, count),
            **{str(d): d for d in (2, 3, 6, 64, 512)},
        }
        table[name] = {
            k: round(count / seconds(partial(fast.log_angle_conformity, d, norms, cosine(d))))
            for k, d in dims.items()
        }
    return table


def machine() -> dict[str, str]:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [
            line.partition(":")[2].strip()
            for line in info.read_text().splitlines()
            if line.startswith("model name")
        ]
        cpu = models[0] if models else cpu
    load = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    names = ("python-flint", "mpmath", "numpy", "sympy")
    return {"cpu": cpu, "load": load, "python": platform.python_version(), **{n: version(n) for n in names}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--literal-limit", type=float, default=200, help="CPU seconds for one literal double sum"
    )
    parser.add_argument("--write", action="store_true", help="store the result")
    options = parser.parse_args()
    result = {
        "what": "Formula.enclose of the RF-conformities; milliseconds of CPU time, smallest of 5 or more in 50 ms",
        "machine": machine(),
        "float64_points_per_second": float64(),
        "enclose_ms": enclosures(),
        "against_literal_sums": against_the_literal_sums(options.literal_limit),
        "literal_limit_s": options.literal_limit,
    }
    rows = result["enclose_ms"]
    result["worst_ms"] = {
        "orthogonal, even d": max(r["orthogonal"] for r in rows if r["d"] % 2 == 0),
        "bare 1F1 of arb, even d": max(r["arb_1f1"] for r in rows if r["d"] % 2 == 0),
        "orthogonal, odd d": max(r["orthogonal"] for r in rows if r["d"] % 2),
        "bare 1F1 of arb, odd d": max(r["arb_1f1"] for r in rows if r["d"] % 2),
        "simplex": max(r["simplex"] for r in rows),
        "simplex, up to 200 digits": max(r["simplex"] for r in rows if r["digits"] <= 200),
    }
    text = json.dumps(result, indent=1)
    if options.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
