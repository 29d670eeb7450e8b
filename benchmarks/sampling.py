"""How fast the samplers are, as ratios to the plain way of the literature, measured in one run.

Reference A draws every block by ``scipy.stats.ortho_group.rvs(d)``, multiplies with chi norms and the inputs and takes
the exponential. Rounds of all jobs are interleaved, so that a load of the machine falls on all of them; a ratio is the
median over the rounds. Two kinds of ratio are given: of CPU time (one core against one core) and of wall time with
two threads or two processes (the reference has one). The array engine makes many short calls, between which threads
wait for the interpreter: its figure for two cores is the one of processes. Memory is warm: every job is called before
it is timed, and the processes have started and have drawn. A job takes a tenth of a second: in a few milliseconds a
second core that was asleep has hardly begun.

Run: ``python benchmarks/sampling.py [--rounds N] [--only TEXT] [--write]``; ``--only`` takes the jobs whose name
contains the text, ``--write`` stores the table under ``benchmarks/results`` as JSON and Markdown. Needs the extras
``fast`` and ``digits``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import platform
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb
from scipy import stats
from sklearn.kernel_approximation import RBFSampler

from rftheory.engine import PairGap, Processes, TiltedMoment, collect, controlled, run
from rftheory.exact.conformity import orf_conformity_ball
from rftheory.exact.trigonometric import orf_cosine_pair_ball
from rftheory.judge import Bins, Budget, betting_test, settled
from rftheory.sample import Fused, Mechanism, Stream, kernels_point, oprf
from rftheory.sample.shapes import simplex_matrix
from rftheory.sample.simplex_plus import SimplexPlus

RESULTS = Path(__file__).parent / "results"
NORM = 1.0
"""|x + y| of the pair of the speed tests."""

Job = Callable[[int], object]
"""Does the work of so many blocks."""


@dataclass(frozen=True)
class Entry:
    """One job, its reference, and the ratio that is asked for."""

    table: str
    name: str
    job: Job
    blocks: int
    reference: str
    goal: float | None = None
    bits: Job | None = None
    """Draws the same random numbers and does nothing with them."""


class CPU(float):
    """Seconds of CPU time that a job has taken in other processes."""


def timed(job: Job, blocks: int) -> tuple[float, float]:
    """Seconds of CPU and of wall time for one block."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = job(blocks)
    elsewhere = result if isinstance(result, CPU) else 0.0
    return (time.process_time() - cpu + elsewhere) / blocks, (time.perf_counter() - wall) / blocks


def threaded(job: Callable[[range], object], pool: ThreadPoolExecutor) -> Job:
    """The same job on two threads, each with half of the blocks."""

    def both(blocks: int) -> None:
        half = blocks // 2
        for done in [pool.submit(job, range(half)), pool.submit(job, range(half, blocks))]:
            done.result()

    return both


def processed(job: Callable[[range], object], pool: Processes) -> Job:
    """The same job on two processes, each with half of the blocks; the results come back here."""
    task = partial(clocked, job)

    def both(blocks: int) -> CPU:
        half = blocks // 2
        return CPU(sum(seconds for seconds, _ in pool(task, [range(half), range(half, blocks)])))

    return both


def clocked(job: Callable[[range], object], blocks: range) -> tuple[float, object]:
    """Seconds of CPU time of a job, and its result."""
    cpu = time.process_time()
    result = job(blocks)
    return time.process_time() - cpu, result


WORK, FRAMES = {"array": 2**23, "compiled": 2**25}, 2**13
"""Blocks times dimension of a job with one vector, and blocks of a job with more."""


# ---- references


def pairs(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """n pairs with |x + y| = NORM whose sums are linearly independent."""
    rng = np.random.default_rng(n)
    both = rng.standard_normal((2, n, d))
    return tuple(both * (NORM / np.linalg.norm(both.sum(0), axis=-1, keepdims=True)))


def reference(d: int, n: int, coupling: str, blocks: int) -> np.ndarray:
    """Reference A: positive features of n pairs, block by block."""
    x, y = pairs(n, d)
    vectors, offset = (x + y).T, -((x * x).sum(1) + (y * y).sum(1))
    rng = np.random.default_rng(0)
    shape = simplex_matrix(d)
    out = np.empty((blocks, n))
    for b in range(blocks):
        rotation = stats.ortho_group.rvs(d, random_state=rng)
        directions = shape @ rotation if coupling == "simplex" else rotation
        w = np.sqrt(rng.chisquare(d, d))[:, None] * directions
        out[b] = np.exp(w @ vectors + offset).mean(0)
    return out


def literal_simplex_plus(norms: np.ndarray, sweeps: int) -> np.ndarray:
    """Eq. (17) of Reid et al. 2023, term by term."""
    d = len(norms)
    s = simplex_matrix(d)
    for _ in range(sweeps):
        for i in range(d):
            others = np.zeros(d)
            for j in range(d):
                if j != i:
                    others += norms[j] * s[j]
            s[i] = -others / np.linalg.norm(others)
    return s


def summed_simplex_plus(norms: np.ndarray, sweeps: int) -> np.ndarray:
    """The same with the inner sum over j as one array operation."""
    s = simplex_matrix(len(norms))
    for _ in range(sweeps):
        for i in range(len(norms)):
            weighted = norms[:, None] * s
            others = weighted.sum(0) - weighted[i]
            s[i] = -others / np.linalg.norm(others)
    return s


# ---- the library


def features(d: int, n: int, coupling: str, engine: str, dtype: str) -> Callable[[range], object]:
    """Estimates of n pairs by m = d positive features; the array engine draws from the native stream."""
    stream = Stream.named("benchmark", kind="native" if engine == "array" else "portable")
    return Fused(
        Mechanism("positive", coupling, d), stream, *pairs(n, d), "gaussian", engine=engine, dtype=dtype
    )


def counted(job: Callable[[range], object]) -> Job:
    return lambda blocks: job(range(blocks))


def plain_bits(d: int, engine: str, dtype: str) -> Job:
    """The normals of the direction and the norms of a block, 2 d of them, and nothing else."""
    if engine == "compiled":
        return lambda blocks: kernels_point.normal_sums(
            Stream.named("benchmark").key, range(blocks), 2 * d, dtype
        )
    stream = Stream.named("benchmark", kind="native")

    def drawn(blocks: int) -> None:
        height = max(1, 2**16 // (2 * d))
        for start in range(0, blocks, height):
            stream.normals(range(start, min(blocks, start + height)), 2 * d, dtype=dtype)

    return drawn


class Swept:
    """Products of the directions with as many columns, 100 or for one column 1000 sets of norms at a time."""

    def __init__(self, d: int, engine: str, columns: int) -> None:
        self.shape, self.sets = SimplexPlus(engine=engine), 1000 if columns == 1 else 100
        self.norms = Stream.named("simplex+").chis(range(self.sets), d, d)
        self.z = np.ascontiguousarray(np.broadcast_to(np.eye(d)[:, :columns], (self.sets, d, columns)))

    def __call__(self, blocks: range) -> None:
        for _ in range(max(1, len(blocks) // self.sets)):
            self.shape.apply(self.z, self.norms)


def peer_rbf_sampler(d: int) -> Job:
    """scikit-learn's RBFSampler (iid, trigonometric): a fresh sampler for every block."""
    x, y = pairs(1, d)
    both = np.concatenate((x, y))

    def job(blocks: int) -> None:
        for b in range(blocks):
            sampler = RBFSampler(gamma=0.5, n_components=d, random_state=b).fit(both)
            left, right = sampler.transform(both)
            _ = left @ right

    return job


MATRICES = {
    "performer-pytorch": ("performer_pytorch.performer_pytorch", "gaussian_orthogonal_random_matrix"),
    "srf-attention": ("srf_attention.rfs", "simplex_random_matrix"),
}
"""Packages on torch and their random matrices of given numbers of rows and columns."""


def peer_matrix(package: str, d: int) -> Job:
    """Positive features of one pair from a fresh matrix for every block, on one thread of the CPU."""
    import torch

    module, name = MATRICES[package]
    matrix = getattr(importlib.import_module(module), name)
    x, y = (torch.from_numpy(side[0]).float() for side in pairs(1, d))
    offset = -(x @ x + y @ y)

    def job(blocks: int) -> None:
        torch.set_num_threads(1)
        for _ in range(blocks):
            _ = torch.exp(matrix(d, d) @ (x + y) + offset).mean()

    return job


def installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def entries(pool: ThreadPoolExecutor, processes: Processes) -> tuple[dict[str, tuple[Job, int]], list[Entry]]:
    """All references, by name, and all jobs."""
    references: dict[str, tuple[Job, int]] = {}
    found: list[Entry] = []
    goals = {(64, "array"): 300, (64, "compiled"): 1000, (512, "array"): 4000, (512, "compiled"): 20_000}
    for d, count in ((64, 60), (512, 2)):
        for coupling in ("orthogonal", "simplex"):
            plain = f"A, {coupling}, d = {d}"
            references[plain] = partial(reference, d, 1, coupling), count
            for engine, dtype in (("array", "float32"), ("compiled", "float32"), ("compiled", "float64")):
                job = features(d, 1, coupling, engine, dtype)
                blocks = WORK[engine] // d
                label = f"{coupling}, d = {d}, {engine}, {dtype}"
                bits = plain_bits(d, engine, dtype)
                found.append(Entry("blocks", f"{label}, 1 thread", counted(job), blocks, plain, None, bits))
                goal = goals[d, engine] if dtype == "float32" else None
                found += on_two_cores("blocks", label, job, blocks, plain, goal, pool, processes)
    for k, goal in ((8, 20), (16, 10)):
        plain = f"A, orthogonal, d = 64, k = {k}"
        references[plain] = partial(reference, 64, k, "orthogonal"), 60
        for engine, dtype in (("array", "float64"), ("compiled", "float32"), ("compiled", "float64")):
            job = features(64, k, "orthogonal", engine, dtype)
            label = f"k = {k} fixed vectors, {engine}, {dtype}"
            found.append(Entry("frames", f"{label}, 1 thread", counted(job), FRAMES, plain))
            found += on_two_cores("frames", label, job, FRAMES, plain, goal, pool, processes)
    norms = Stream.named("simplex+").chis(range(64), 64, 64)
    for name, loop, sweeps in (
        ("term by term, 5 sweeps", literal_simplex_plus, 5),
        ("array sum, 5 sweeps", summed_simplex_plus, 5),
        ("array sum, 1 sweep", summed_simplex_plus, 1),
    ):
        references[f"simplex+ loop, {name}"] = _loop(loop, norms, sweeps), 2
        for columns, goal in ((64, 800), (1, 3000)):
            what = "all directions" if columns == 64 else "one fixed vector"
            for engine in ("array", "compiled"):
                label = f"simplex+, {what}, {engine}, against the loop {name}"
                asked = goal if "term by term" in name else None
                job, plain = Swept(64, engine, columns), f"simplex+ loop, {name}"
                found.append(Entry("simplex+", label, counted(job), 1000, plain, asked))
                if engine == "array" and columns == 64:
                    both = processed(job, processes)
                    found.append(Entry("simplex+", f"{label}, 2 processes", both, 2000, plain, asked))
    plain = "A, orthogonal, d = 64"
    found.append(Entry("peers", "RBFSampler (iid, trigonometric), d = 64", peer_rbf_sampler(64), 60, plain))
    found += [
        Entry("peers", f"{package}, {MATRICES[package][1]}, d = 64", peer_matrix(package, 64), 200, plain)
        for package in MATRICES
        if installed(package)
    ]
    iid = features(64, 1, "iid", "compiled", "float32")
    found.append(Entry("peers", "iid, d = 64, compiled, float32, 1 thread", counted(iid), 2**15, plain))
    return references, found


def on_two_cores(
    table: str,
    label: str,
    job: Callable[[range], object],
    blocks: int,
    plain: str,
    goal: float | None,
    pool: ThreadPoolExecutor,
    processes: Processes,
) -> list[Entry]:
    """The job on two threads, and where it is made of array calls on two processes, which the goal is for."""
    threads = Entry(table, f"{label}, 2 threads", threaded(job, pool), blocks, plain, goal)
    if "array" not in label:
        return [threads]
    both = Entry(table, f"{label}, 2 processes", processed(job, processes), blocks, plain, goal)
    return [replace(threads, goal=None), both]


def _loop(loop: Callable[[np.ndarray, int], np.ndarray], norms: np.ndarray, sweeps: int) -> Job:
    def job(blocks: int) -> None:
        for b in range(blocks):
            loop(norms[b % len(norms)], sweeps)

    return job


def measured(rounds: int, only: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Medians of the references and of the jobs with this text in their names, all of them once a round."""
    with ThreadPoolExecutor(2) as pool, Processes(2) as processes:
        references, jobs = entries(pool, processes)
        jobs = [entry for entry in jobs if only in entry.name]
        references = {entry.reference: references[entry.reference] for entry in jobs}
        for job, _ in references.values():
            job(1)
        for entry in jobs:
            # processes start with the first call, both of them at work with the second
            for _ in range(2):
                entry.job(min(entry.blocks, 256))
            if entry.bits:
                entry.bits(64)
        plain: dict[str, list[tuple[float, float]]] = {name: [] for name in references}
        own: list[list[tuple[float, float]]] = [[] for _ in jobs]
        bits: list[list[float]] = [[] for _ in jobs]
        for turn in range(rounds):
            for name, (job, blocks) in references.items():
                plain[name].append(timed(job, blocks))
            for times, drawn, entry in zip(own, bits, jobs, strict=True):
                times.append(timed(entry.job, entry.blocks))
                if entry.bits:
                    drawn.append(timed(entry.bits, entry.blocks)[0])
            print(f"round {turn + 1} of {rounds}", flush=True)
    base = [
        {"name": name, "cpu_s_per_block": median(c for c, _ in times), "blocks_a_round": references[name][1]}
        for name, times in plain.items()
    ]
    return base, [_row(*row, plain) for row in zip(jobs, own, bits, strict=True)]


def _row(entry: Entry, own: Any, bits: list[float], plain: Any) -> dict[str, Any]:
    rounds = list(zip(plain[entry.reference], own, strict=True))
    row: dict[str, Any] = {
        "table": entry.table,
        "name": entry.name,
        "reference": entry.reference,
        "blocks_per_cpu_s": 1.0 / median(c for c, _ in own),
        "blocks_per_s": 1.0 / median(w for _, w in own),
        "ratio_cpu": median(a[0] / b[0] for a, b in rounds),
        "ratio_wall": median(a[1] / b[1] for a, b in rounds),
        "goal": entry.goal,
    }
    if bits:
        row["share_of_drawing_alone"] = median(b / o[0] for b, o in zip(bits, own, strict=True))
    return row


def median(values: Any) -> float:
    return float(statistics.median(values))


# ---- certainty: what the statistical goals take


def certainty() -> list[dict[str, Any]]:
    """Draws and seconds until the goals are confirmed to the tolerance that they name."""
    return [_gap(), _second_moment(), _headline()]


def _gap() -> dict[str, Any]:
    length, start, blocks = arb("0.5"), time.perf_counter(), 20_000
    make = partial(PairGap, "trigonometric", "orthogonal", d=64, length=0.5)
    moments = run(controlled(make, Stream.named("gap")), blocks)
    exact = float(orf_cosine_pair_ball(64, length) - (-length * length).exp())
    relative = float(moments.standard_error[0]) / abs(exact)
    return {
        "name": "orthogonality gap to 1 % at three standard errors, d = 64, z = 0.5",
        "blocks": math.ceil(blocks * (3 * relative / 0.01) ** 2),
        "seconds": time.perf_counter() - start,
        "error_in_standard_errors": float((moments.mean[0] - exact) / moments.standard_error[0]),
        "goal": "at most 1e5 blocks (plain: 2.5e10)",
    }


def _pair(d: int, v: float) -> tuple[np.ndarray, np.ndarray]:
    x = np.full(d, v / 2 / math.sqrt(d))
    return x, x


def _betted(statistic: TiltedMoment, log_exact: float, tolerance: float) -> tuple[int, str]:
    mean, budget = math.exp(log_exact - statistic.log_scale), Budget(1e-9)
    bins = collect(Bins, statistic, 2**22, stop=settled(mean, budget, tolerance=tolerance))
    return bins.n, betting_test(bins, mean, budget, tolerance=tolerance).decision.value


def _second_moment() -> dict[str, Any]:
    d, v, start = 64, 10.0, time.perf_counter()
    statistic = TiltedMoment(
        Mechanism("positive", "orthogonal", d), Stream.named("tilt"), *_pair(d, v), "gaussian"
    )
    cross = float(orf_conformity_ball(d, arb(10)).log()) + math.log((d - 1) / d)
    exact = float(np.logaddexp(2 * v * v - math.log(d), cross)) - v * v
    moments = run(statistic, 2**16)
    relative = float(moments.standard_error[0] / moments.mean[0])
    seconds = time.perf_counter() - start
    return {
        "name": "second moment of positive features, |x + y| = 10, d = m = 64, to 1 %",
        "blocks": math.ceil(2**16 * (relative / 0.01) ** 2),
        "seconds": seconds * (relative / 0.01) ** 2,
        "error_in_standard_errors": float(
            (moments.mean[0] - math.exp(exact - statistic.log_scale)) / moments.standard_error[0]
        ),
        "goal": "under 10 s (plain: never)",
    }


def _headline() -> dict[str, Any]:
    from rftheory.exact import find_formula

    d, v, start = 64, 10.0, time.perf_counter()
    squares = {"positive": v * v, "oprf": float(find_formula("oprf_log_second").enclose(15, d=d, v="10"))}
    outcomes, draws = [], 0
    for name, phi in (("positive", "positive"), ("oprf", oprf(v * v, d))):
        statistic = TiltedMoment(Mechanism(phi, "iid", 1), Stream.named(f"headline {name}"), *_pair(d, v))
        n, outcome = _betted(statistic, v * v / 2 + squares[name], 0.08)
        outcomes.append(outcome)
        draws += n
    return {
        "name": "OPRF against positive second moments, d = 64, |x + y|^2 = 100, each to 8 % at level 1e-9",
        "blocks": draws,
        "seconds": time.perf_counter() - start,
        "outcomes": outcomes,
        "log_ratio": squares["positive"] - squares["oprf"],
        "goal": "under 60 s",
    }


# ---- the report


def machine() -> dict[str, Any]:
    """What it ran on."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        name = lines[0].partition(":")[2].strip() if lines else name
    packages = {}
    for package in ("numpy", "scipy", "numba", "scikit-learn", "cupy", "torch", *MATRICES):
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            packages[package] = None
    return {
        "processor": name,
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "packages": packages,
    }


def markdown(result: dict[str, Any]) -> str:
    """The tables for a reader."""
    about = result["machine"]
    lines = [
        "# Speed and certainty of the samplers",
        "",
        f"{about['processor']}, {about['cores']} cores, Python {about['python']}, "
        + ", ".join(f"{name} {number}" for name, number in about["packages"].items() if number)
        + f". Load average at the start {about['load_average']:.1f}: the machine was "
        + ("shared with other work" if about["load_average"] > 0.5 else "idle")
        + f". Medians of {result['rounds']} interleaved rounds, made by `python benchmarks/sampling.py --write`.",
        "",
        "Ratios are to reference A, one core: `scipy.stats.ortho_group.rvs(d)` per block, chi norms, product, exp.",
        "CPU: of CPU time. Wall: of wall time, which under load says less. Processes have started before, and send",
        "their results back. In brackets: the wall ratio as a share of the goal; a share below 100 % is a goal that",
        "this run missed.",
        "",
        "What drawing leaves is mostly polynomials: at d = 64, for each number in cached rows, the one of the chi law",
        "with its product takes 0.34 ns (9 terms, float32) or 1.1 ns (20, float64) and the power of two with its sum",
        "0.2 or 0.7 ns, beside 4.1 or 8.3 ns for two normals (Zen 3, four doubles in a vector). With these, drawing",
        "takes at most 88 % in float32 and 82 % in float64.",
        "",
    ]
    for table in dict.fromkeys(row["table"] for row in result["jobs"]):
        rows = [row for row in result["jobs"] if row["table"] == table]
        lines += [
            f"## {table}",
            "",
            "| job | blocks / CPU s | CPU ratio | wall ratio | goal | share of the time that drawing alone takes |",
            "|---|---|---|---|---|---|",
        ]
        for row in rows:
            share = row.get("share_of_drawing_alone")
            lines.append(
                f"| {row['name']} | {row['blocks_per_cpu_s']:.3g} | {row['ratio_cpu']:.4g} | "
                f"{row['ratio_wall']:.4g} | {_reached(row)} | {'' if share is None else f'{share:.0%}'} |"
            )
        lines.append("")
    lines += ["## certainty", "", "| what | blocks | seconds | goal |", "|---|---|---|---|"]
    lines += [
        f"| {row['name']} | {row['blocks']:.3g} | {row['seconds']:.2f} | {row['goal']} |"
        for row in result["certainty"]
    ]
    lines += ["", "## not measured", ""]
    lines += [f"* {line}" for line in result["not_measured"]]
    return "\n".join(lines) + "\n"


def _reached(row: dict[str, Any]) -> str:
    return f"{row['goal']} ({row['ratio_wall'] / row['goal']:.0%})" if row["goal"] else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="jobs whose name contains this text")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.only and options.write:
        parser.error("--write stores all jobs: not with --only")
    about = machine()
    base, jobs = measured(options.rounds, options.only)
    result = {
        "machine": about,
        "rounds": options.rounds,
        "references": base,
        "jobs": jobs,
        "certainty": [] if options.only else certainty(),
        "not_measured": [
            "features a second on a GPU: not by this script, see gpu.json",
            *(f"{package}: not installed" for package in MATRICES if not installed(package)),
        ],
    }
    print(markdown(result))
    if options.write:
        (RESULTS / "sampling.json").write_text(json.dumps(result, indent=1) + "\n")
        (RESULTS / "sampling.md").write_text(markdown(result))


if __name__ == "__main__":
    main()
