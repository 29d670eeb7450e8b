"""How often the checker finds and names planted defects, and how often it cries wolf.

Every planted defect of ``benchmarks.planted.defects`` in every dimension in which it exists, with fresh seeds: detected
means refuted at the family-wise level, named means that the diagnosis is the planted one and no other. And correct
samplers: ours in all couplings, plain NumPy ones, scikit-learn's, gpytorch's if it is installed; an alarm is any
refuted property. Runs are the default ones, less the intervals of effects, which change no verdict.

    OMP_NUM_THREADS=1 python benchmarks/check_defects.py --records runs.jsonl --write

Stopped, the study goes on where it was; processes with files of their own may share its work by --kind. Each record has
the load of the machine, so that runs on a busy machine can be told from others.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import platform
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.planted.defects import CORRECT as PLAIN
from benchmarks.planted.defects import PLANTED as OLD
from benchmarks.planted.invented import ALSO_CORRECT, INVENTED
from rftheory.check import check
from rftheory.check.target import default_number
from rftheory.sample import COUPLINGS, Stream

PLANTED = OLD | INVENTED
CORRECT = PLAIN | ALSO_CORRECT
RESULTS = Path(__file__).parent / "results"
DIMS = (2, 4, 8, 16, 64)  # 16 is the last of the sizes of a check that is given none
BIASED = ("orthogonal-fixed",)  # of our couplings: biased by design, see dk24.mean in the catalogue


@dataclass(frozen=True)
class Job:
    """One run: of which cell, and which."""

    kind: str
    name: str
    d: int
    run: int

    def seed(self, salt: int) -> int:
        return zlib.crc32(f"{salt} {self.kind} {self.name} {self.d} {self.run}".encode())


def clean_cells() -> list[tuple[str, int]]:
    names = list(CORRECT) + [f"ours: {name}" for name in COUPLINGS if name not in BIASED] + ["RBFSampler"]
    if importlib.util.find_spec("gpytorch") is not None:
        names.append("gpytorch RFFKernel")
    return [(name, d) for name in names for d in DIMS]


def target_of(name: str, d: int, seed: int) -> tuple[Any, dict[str, Any]]:
    """A correct sampler by name, and the options that it is checked with."""
    if name in CORRECT:
        return CORRECT[name]
    if name == "RBFSampler":
        from sklearn.kernel_approximation import RBFSampler

        return RBFSampler, {"m": 64}
    if name == "gpytorch RFFKernel":
        return gpytorch_weights(), {"coupling": "iid", "arguments": {"d": d, "m": default_number(d)}}
    coupling = name.removeprefix("ours: ")
    stream = Stream.named(f"benchmark of the checker/{coupling}/{d}", seed=seed, kind="native")
    stored = 4096 if d < 64 else 1024
    if coupling in ("iid", "orthogonal", "simplex"):  # with an exact variance, which takes more draws
        stored = 8192 if d < 64 else 4096
    if coupling in ("halton", "sobol"):  # of whose rows one a call is independent
        stored = 1 << 15 if d < 64 else 1 << 12
    draws = COUPLINGS[coupling].draw(stream, range(stored), d, default_number(d)).projections
    return draws, {"coupling": coupling}


def gpytorch_weights() -> Callable[[int, int, int], Any]:
    import gpytorch
    import torch

    def weights(m: int, d: int, seed: int) -> Any:
        torch.manual_seed(seed)
        return gpytorch.kernels.RFFKernel(num_samples=m, num_dims=d).randn_weights

    return weights


def jobs(runs: int, clean: int) -> list[Job]:
    """All runs, in rounds over all defects and samplers, so that a study cut short has done about the same of each.

    The first fifth of the runs on defects comes before those of correct samplers. A defect's runs take turns over its
    dimensions; of correct samplers, the largest dimension, which takes longest, gets a sixteenth of the runs of others.
    """
    found = [
        (run / runs, Job("planted", name, planted.dims[run % len(planted.dims)], run // len(planted.dims)))
        for name, planted in PLANTED.items()
        for run in range(runs)
    ]
    correct = clean_cells()
    each = -(-16 * clean // sum(1 if d == max(DIMS) else 16 for _, d in correct))
    for name, d in correct:
        count = -(-each // 16) if d == max(DIMS) else each
        found += [(0.2 + 0.8 * (run + 0.5) / count, Job("correct", name, d, run)) for run in range(count)]
    return [job for _, job in sorted(found, key=lambda pair: pair[0])]


def record(job: Job, salt: int) -> dict[str, Any]:
    """Run the checker once; what it said."""
    seed = job.seed(salt)
    if job.kind == "planted":
        planted = PLANTED[job.name]
        target, options, right = planted.make(job.d), planted.options, [planted.diagnosis]
    else:
        (target, options), right = target_of(job.name, job.d, seed), []
    began = time.perf_counter()
    report = check(target, d=job.d, seed=seed, intervals=False, **options)
    names = [diagnosis.name for diagnosis in report.diagnoses]
    return {
        "kind": job.kind, "name": job.name, "d": job.d, "run": job.run, "seed": seed,
        "outcome": str(report.decision), "named": names, "right": names == right,
        "calls": report.calls, "seconds": round(report.seconds, 3), "wall": round(time.perf_counter() - began, 3),
        "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip


def summary(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a cell."""
    cells: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for r in records:
        cells.setdefault((r["kind"], r["name"], r["d"]), []).append(r)
    rows = []
    for (kind, name, d), runs in cells.items():
        count = {o: sum(r["outcome"] == o for r in runs) for o in ("agrees", "undecided", "refuted")}
        row: dict[str, Any] = {"kind": kind, "name": name, "d": d, "runs": len(runs)}
        if kind == "planted":
            row |= {"diagnosis": PLANTED[name].diagnosis, "detected": count["refuted"]}
            row["named"] = sum(r["outcome"] == "refuted" and r["right"] for r in runs)
            row["named otherwise"] = sorted(
                {", ".join(r["named"]) or "nothing" for r in runs if not r["right"]}
            )
        else:
            row |= {"agrees": count["agrees"], "undecided": count["undecided"], "alarms": count["refuted"]}
            row["seeds of alarms"] = [r["seed"] for r in runs if r["outcome"] == "refuted"]
        row["median calls"] = float(np.median([r["calls"] for r in runs]))
        row["median seconds"] = round(float(np.median([r["seconds"] for r in runs])), 3)
        row["largest seconds"] = max(r["seconds"] for r in runs)
        rows.append(row)
    return rows


def machine() -> dict[str, str]:
    info = Path("/proc/cpuinfo")
    models = [
        line.partition(":")[2].strip()
        for line in (info.read_text().splitlines() if info.exists() else [])
        if line.startswith("model name")
    ]
    found = {"cpu": models[0] if models else platform.machine(), "cores": str(os.cpu_count())}
    found["load at the end"] = f"{os.getloadavg()[0]:.1f}"
    found["python"] = platform.python_version()
    for name in ("numpy", "scipy", "python-flint", "scikit-learn", "torch", "gpytorch"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def pooled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a defect, over its dimensions."""
    found: dict[str, dict[str, Any]] = {}
    for r in rows:
        one = found.setdefault(
            r["name"], {"diagnosis": r["diagnosis"], "d": [], "other": set(), "seconds": []}
        )
        one["d"].append(r["d"])
        one["other"] |= set(r["named otherwise"])
        one["seconds"].append(r["median seconds"])
        for key in ("runs", "detected", "named"):
            one[key] = one.get(key, 0) + r[key]
    return [{"name": name, **one} for name, one in found.items()]


def busy(records: list[dict[str, Any]]) -> list[str]:
    """The same figures for runs on a busy machine, its load no less than its cores, and on a calm one."""
    lines = [
        "| machine | runs on planted defects | detected and named | runs on correct samplers | undecided | alarms |"
    ]
    lines += ["|---|---|---|---|---|---|"]
    cores = os.cpu_count() or 1
    for name, chosen in (("busy", [r for r in records if r["load"] >= cores]),
                         ("calm", [r for r in records if r["load"] < cores])):  # fmt: skip
        planted = [r for r in chosen if r["kind"] == "planted"]
        clean = [r for r in chosen if r["kind"] == "correct"]
        named = sum(r["outcome"] == "refuted" and r["right"] for r in planted)
        counts = [sum(r["outcome"] == o for r in clean) for o in ("undecided", "refuted")]
        lines.append(f"| {name} | {len(planted)} | {named} | {len(clean)} | {counts[0]} | {counts[1]} |")
    return lines


def markdown(result: dict[str, Any], records: list[dict[str, Any]]) -> str:
    """The report for readers."""
    planted = pooled([r for r in result["cells"] if r["kind"] == "planted"])
    clean = [r for r in result["cells"] if r["kind"] == "correct"]
    runs, total = sum(r["runs"] for r in planted), sum(r["runs"] for r in clean)
    short = [r for r in planted if r["named"] < 0.95 * r["runs"]]
    lines = [
        "# The checker on planted defects and on correct samplers",
        "",
        f"{len(planted)} planted defects. {sum(r['detected'] for r in planted)} of {runs} runs detected them, "
        f"{sum(r['named'] for r in planted)} named exactly the planted one. "
        f"{sum(r['alarms'] for r in clean)} alarms in {total} runs on correct samplers, "
        f"{sum(r['undecided'] for r in clean)} undecided.",
        "",
        f"Asked for: {result['asked']['runs']} runs of each defect, {result['asked']['clean']} runs over "
        f"correct samplers; done so far: {min((r['runs'] for r in planted), default=0)} to "
        f"{max((r['runs'] for r in planted), default=0)} runs a defect over its dimensions, and {total}. "
        + (
            "Detected and named in fewer than 95 of 100: " + ", ".join(r["name"] for r in short) + "."
            if short
            else "Every defect was detected and named in at least 95 % of the runs that were done."
        ),
        "",
        "Made by `benchmarks/check_defects.py`; every run has a seed of its own. Seconds are CPU seconds. "
        + "; ".join(f"{k} {v}" for k, v in result["machine"].items())
        + ".",
        "",
        *busy(records),
        "",
        "## Planted defects",
        "",
        "Detected: refuted at the family-wise level 1e-6. Named: the planted diagnosis and no other. Padding needs a "
        "dimension that is no power of two.",
        "",
        "| defect | diagnosis | d | runs | detected | named | named otherwise | median s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for r in planted:
        dims = ", ".join(str(d) for d in sorted(r["d"]))
        seconds = " to ".join(f"{f(r['seconds']):.2f}" for f in (min, max))
        lines.append(
            f"| {r['name']} | {r['diagnosis']} | {dims} | {r['runs']} | {r['detected']} | {r['named']} "
            f"| {'; '.join(sorted(r['other']))} | {seconds} |"
        )
    lines += [
        "",
        "## Correct samplers",
        "",
        "| sampler | d | runs | agrees | undecided | alarms | median s | largest s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r['name']} | {r['d']} | {r['runs']} | {r['agrees']} | {r['undecided']} | {r['alarms']} "
        f"| {r['median seconds']:.2f} | {r['largest seconds']:.2f} |"
        for r in clean
    ]
    return "\n".join(lines) + "\n"


def write(records: list[dict[str, Any]], asked: dict[str, int]) -> None:
    """Store JSON and Markdown."""
    result = {
        "what": "detection and naming of planted defects, alarms on correct samplers; default run of the checker",
        "machine": machine(),
        "asked": asked,
        "cells": summary(records),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "check_defects.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "check_defects.md").write_text(markdown(result, records), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100, help="runs of each defect, over its dimensions")
    parser.add_argument("--clean", type=int, default=2000, help="runs over correct samplers, all together")
    parser.add_argument("--kind", choices=("planted", "correct"), help="only these runs")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no run after this time")
    parser.add_argument("--only", default="", help="only defects and samplers whose name contains this")
    parser.add_argument("--salt", type=int, default=977, help="part of every seed")
    parser.add_argument(
        "--records",
        type=Path,
        nargs="+",
        metavar="F",
        help="files of runs that are not repeated; new ones are added to the first",
    )
    parser.add_argument("--no-runs", action="store_true", help="only write what the records hold")
    parser.add_argument("--write", action="store_true", help="store the report under benchmarks/results")
    options = parser.parse_args()
    records = [
        json.loads(line)
        for path in options.records or []
        if path.exists()
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    done = {(r["kind"], r["name"], r["d"], r["run"]) for r in records}
    end = time.monotonic() + 60 * options.minutes
    for job in [] if options.no_runs else jobs(options.runs, options.clean):
        if time.monotonic() > end:
            break
        if options.kind not in (None, job.kind) or options.only not in job.name:
            continue
        if (job.kind, job.name, job.d, job.run) in done:
            continue
        records.append(record(job, options.salt))
        if options.records:
            with options.records[0].open("a", encoding="utf-8") as out:
                out.write(json.dumps(records[-1]) + "\n")
    if options.write:
        write(records, {"runs": options.runs, "clean": options.clean})
    else:
        print("\n".join(str(row) for row in summary(records)))


if __name__ == "__main__":
    main()
