"""The parts of a session on a CUDA device; `rftheory.report.session` runs each in its own process."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rftheory.errors import BackendUnavailable, UnknownName
from rftheory.report.session import PARTS, Found
from rftheory.sample import Fused, Mechanism, Stream, kernels_cuda, namespace, to_host
from rftheory.sample.arrays import NOT_INSTALLED, cupy_problem, device_facts
from rftheory.sample.rotations import frame_of

if TYPE_CHECKING:  # the catalogue is loaded by the part that needs it
    from rftheory.report.run import Result

COUPLINGS = ("iid", "orthogonal", "simplex")
FEATURES = ("positive", "trigonometric")
SMI = (
    "name,driver_version,compute_cap,memory.total,clocks.max.sm,clocks.sm,power.limit,power.max_limit,"
    "mig.mode.current"
)
HOW = (
    "make gpu, in a checkout, makes an environment that has it (docs/gpu.md); "
    "or pip install cupy-cuda12x (cupy-cuda13x for a driver of CUDA 13)"
)
TOLERANCES = {("float64", False): 1e-11, ("float32", False): 1e-4, ("float32", True): 1e-3}
"""Relative differences between a kernel's estimates and those of float64 arrays on the CPU."""
MOST_STANDARD_ERRORS = 6.0
"""Between the mean of a benchmark's estimates and their expectation; further off by chance once in 5e8 launches."""


def run_part(name: str, out: Path) -> Found:
    """Run one part here, and return its result: ``outcome`` (agrees, differs, broken, missing), ``says``, figures.

    Raises
    ------
    UnknownName : there is no such part.

    Examples
    --------
    >>> from rftheory.sample.arrays import cupy_available
    >>> found = run_part("device", Path("unused.json"))
    >>> (found["outcome"] == "agrees") == cupy_available()
    True
    """
    if name not in RUNS:
        raise UnknownName("part", name, [part.name for part in PARTS])
    try:
        return RUNS[name](out)
    except BackendUnavailable as missing:
        return {"outcome": "broken", "reason": str(missing)}


def _device(out: Path) -> Found:
    problem = cupy_problem()
    if problem == NOT_INSTALLED:
        return {"outcome": "missing", "reason": f"{problem}: {HOW}"}
    if problem:
        return {"outcome": "broken", "reason": problem}
    facts = device_facts()
    found: Found = {**facts, "nvidia-smi": _smi(facts["bus"])}
    return {"outcome": "agrees", "says": f"{found['name']}, CUDA {found['driver']}", **found}


def _smi(bus: str) -> dict[str, str]:
    """Clocks and power of the device at this address, from the driver's own tool; empty if it says nothing.

    The tool numbers all devices, not those that this process sees.
    """
    command = ["nvidia-smi", f"--id={bus}", f"--query-gpu={SMI}", "--format=csv,noheader"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    words = (word.strip() for line in said.splitlines()[:1] for word in line.split(","))
    return dict(zip(SMI.split(","), words, strict=False))


def _judged(rows: list[Found], what: str, **more: Any) -> Found:
    wrong = [row for row in rows if not row["agrees"]]
    says = f"{len(rows) - len(wrong)} of {len(rows)} {what} agree"
    return {"outcome": "differs" if wrong else "agrees", "says": says, "wrong": wrong, "rows": rows, **more}


def _kernels(out: Path) -> Found:
    """Compare both entry points of the kernels with arrays on the CPU, for a few blocks with two-word counters."""
    xp, stream, rows = namespace("cupy"), Stream.named("session"), []
    blocks = range(2**32 - 50, 2**32 + 51)
    cases = [((64, 64, 1), *kind) for kind in product(FEATURES, COUPLINGS)]
    small, beyond_a_warp = ((18, 11, 1), (64, 150, 3)), (1024, 1100, 2)
    cases += [(shape, feature, "simplex") for shape in (*small, beyond_a_warp) for feature in FEATURES]
    for (d, m, n), feature, coupling in cases:
        x, y = np.random.default_rng(d + n).standard_normal((2, n, d)) * 0.7 / np.sqrt(d)
        fused = Fused(Mechanism(feature, coupling, m), stream, x, y)
        expected, offsets = fused(blocks), np.broadcast_to(fused.offsets, (n,))
        vectors = x + y if feature == "positive" else x - y
        for (real, fast), error in TOLERANCES.items():
            if (d, m, n) in small and real != "float64":
                continue
            codes = COUPLINGS.index(coupling), FEATURES.index(feature)
            head = (stream.key, blocks, d, m, *codes, frame_of(vectors)[1], real, fast)
            request = kernels_cuda.Request(*head)
            raw = to_host(kernels_cuda.estimates(request))
            found = np.exp(raw + offsets) if feature == "positive" else raw * np.exp(offsets)
            sums = to_host(kernels_cuda.power_sums(request, offsets, np.full(n, 0.9)))
            powers = np.stack([((expected - 0.9) ** p).sum(0) for p in (1, 2, 3, 4)], axis=1)
            differences = float(np.abs(found - expected).max()), float(np.abs(sums - powers).max())
            agrees = differences[0] < error and differences[1] < 100 * error
            kernel = f"{coupling} {feature}, {real}{', fast' if fast else ''}, d = {d}, m = {m}, {n} pairs"
            rows.append({"kernel": kernel, "differences": differences, "agrees": agrees})
        device = Fused(Mechanism(feature, coupling, m), stream, xp.asarray(x), xp.asarray(y), engine="cuda")
        difference = float(np.abs(to_host(device(blocks)) - expected).max())
        rows.append(
            {
                "kernel": f"Fused, {coupling} {feature}",
                "differences": difference,
                "agrees": difference < 1e-11,
            }
        )
    times = [
        {**sizes._asdict(), "seconds": round(taken, 2)} for sizes, taken in kernels_cuda.COMPILED.items()
    ]
    return _judged(rows, "kernels", compiled=times)


def _draws(out: Path) -> Found:
    xp, stream, rows = namespace("cupy"), Stream.named("session draws"), []
    for blocks in (range(200), range(2**32 - 3, 2**32 + 50), range(2**63 - 3, 2**63 + 3)):
        for what, job, error in (
            ("bits", lambda at, b=blocks: stream.bits(b, 1001, xp=at), 0.0),
            ("uniforms", lambda at, b=blocks: stream.uniforms(b, 1001, xp=at), 0.0),
            ("normals", lambda at, b=blocks: stream.normals(b, 1001, xp=at), 1e-13),
            ("chi 5", lambda at, b=blocks: stream.chis(b, 101, 5, xp=at), 1e-12),
            ("chi 64", lambda at, b=blocks: stream.chis(b, 101, 64, xp=at), 1e-12),
        ):
            device, host = to_host(job(xp)), job(namespace("numpy"))  # type: ignore[no-untyped-call]
            difference = float(np.abs(device.astype(float) - host.astype(float)).max())
            rows.append({"draw": f"{what} from block {blocks.start}", "difference": difference,
                         "agrees": difference <= error})  # fmt: skip
    return _judged(rows, "draws")


def _benchmark(out: Path) -> Found:
    sys.path.insert(0, str(Path.cwd()))
    benchmark = importlib.import_module("benchmarks.sampling_gpu")
    blocks = int(SETTINGS["blocks"])
    result = benchmark.measured(blocks, min(blocks, 2**17))
    rows, names = result["features_per_second"], ("accurate", "fast")
    best = max(row[name] for row in rows for name in names)
    errors = [row[f"{name}, mean error in standard errors"] for row in rows for name in names]
    errors += [row["mean error in standard errors"] for row in result["variants"]]
    right = all(abs(error) < MOST_STANDARD_ERRORS for error in errors)  # NaN is wrong
    says = f"up to {best:.2e} features a second" + ("" if right else ", with wrong means")
    return {"outcome": "agrees" if right else "differs", "says": says, **result}


def _verdicts(out: Path) -> Found:
    """Judge every claim with sampled evidence; a record beside the report lets an interrupted part resume."""
    from rftheory.judge import Kind
    from rftheory.papers import CATALOGUE
    from rftheory.report.judging import Settings, judge_all
    from rftheory.report.run import Report, drawn_by

    claims = [
        claim for claim in CATALOGUE.select() if any(check.kind is Kind.SAMPLED for check in claim.checks)
    ]
    jobs, effort = int(SETTINGS["jobs"]), float(SETTINGS["effort"])
    settings = Settings(kinds=("sampled",), backend="cupy", effort=effort, jobs=jobs, time_limit=60.0)
    claims = claims[: int(SETTINGS["claims"]) or None]
    results = judge_all(claims, settings, out.with_suffix(".verdicts"))
    others = [result for result in results if not result.as_recorded]
    differing = [result.claim.id for result in others if not left_open(result)]
    return {
        "outcome": "differs" if differing else "agrees",
        "says": Report(results, {}).summary(),
        "differing": differing,
        "left open": [result.claim.id for result in others if left_open(result)],
        "drawn": drawn_by(results),
        "controls missed": [
            r.claim.id for r in results if any(p.control is False for p in r.verdict.evidence)
        ],
    }


def left_open(result: Result) -> bool:
    """Whether a claim that is false is undecided because the draws are right and what refutes it was left out.

    Examples
    --------
    >>> from rftheory.papers import CATALOGUE
    >>> from rftheory.report.judging import Settings, judge_all
    >>> false = CATALOGUE.select(claim="chefs.mech.ort/fixed-norm")
    >>> [left_open(result) for result in judge_all(false, Settings(kinds=("sampled",), backend="numpy"))]
    [True]
    """
    from rftheory.judge import Decision

    verdict = result.verdict
    undecided = verdict.decision is Decision.UNDECIDED and verdict.left_out > 0
    return undecided and result.claim.expected is Decision.FAILS


SETTINGS: dict[str, float] = {
    "effort": 1.0,
    "claims": 0,
    "jobs": max(1, min(8, (os.cpu_count() or 1) // 2)),
    "blocks": 2**26,
    "points": 5,
}
"""How much the parts do: the factor on the draws for verdicts, the number of claims (0: all), the number of processes
(exact laws take more time than the draws), the number of blocks in a benchmark, and of points of a curve."""

PYTEST = [sys.executable, "-m", "pytest"]
"""The command for the part that runs tests."""


def device_tests() -> list[str]:
    """Arguments of pytest: the files with tests for a device, in several processes if it can, as each compiles much.

    All other files may need what this machine does not have, and where one cannot be read pytest runs no test.

    Examples
    --------
    >>> all(word.startswith("tests") for word in device_tests() if word.endswith(".py"))
    True
    """
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(Path("tests").rglob("test_*.py"))}
    several = ["-n", f"{SETTINGS['jobs']:.0f}"] if importlib.util.find_spec("xdist") else []
    return several + [str(path) for path, text in texts.items() if "@pytest.mark.gpu" in text]


def _tests(out: Path) -> Found:
    # warnings of other versions are no failures
    options = ["-m", "gpu", "-W", "default", "-p", "no:cacheprovider"]
    done = subprocess.run([*PYTEST, *options, *device_tests()], capture_output=True, text=True)
    tail = done.stdout.strip().splitlines()[-100:]
    outcomes = {0: "agrees", 1: "differs"}
    says = tail[-1] if tail else done.stderr.strip()[-300:]
    ran = outcomes.get(done.returncode, "broken") if " passed" in says or " failed" in says else "broken"
    return {"outcome": ran, "says": says, "tail": tail}


def _figures(out: Path) -> Found:
    """Compare the measured points of Fig. 7 of the simplex paper with the CPU's: same draws, so same points."""
    from rftheory.papers.simplex.figures import FIG7_BLOCKS, FIG7_SIZE, THREE, fig7_points, gram_errors

    xp, points = namespace("cupy"), fig7_points()
    stored = (
        json.loads(Path("paper_figures/simplex_fig7.json").read_text(encoding="utf-8"))
        if Path("paper_figures/simplex_fig7.json").is_file()
        else {}
    )
    rows = []
    for name in THREE:
        for place, ratio in enumerate(FIG7_BLOCKS[: int(SETTINGS["points"])]):
            start, m = time.perf_counter(), ratio * FIG7_SIZE
            found = float(gram_errors(name, m, points, xp).mean())
            row: Found = {"point": f"{name}, m = {m}", "measured": found, "agrees": True}
            if stored:
                row["on the CPU"] = stored["measured"][name][place]
                row["agrees"] = abs(found / row["on the CPU"] - 1) < 1e-4
            rows.append({**row, "seconds": round(time.perf_counter() - start, 3)})
    return _judged(
        rows, "points of Fig. 7" if stored else "points of Fig. 7 (nothing stored to compare with)"
    )


RUNS: dict[str, Callable[[Path], Found]] = {
    "device": _device,
    "kernels": _kernels,
    "draws": _draws,
    "benchmark": _benchmark,
    "verdicts": _verdicts,
    "tests": _tests,
    "figures": _figures,
}
"""The parts of :data:`rftheory.report.session.PARTS` by name."""
