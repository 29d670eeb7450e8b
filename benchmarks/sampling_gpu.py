"""Features a second of the fused CUDA kernels, beside CuPy's own generators and the array engine on the same device.

One pair, d = m = 64, positive features, float32 arithmetic, float64 sums. Times are taken between CUDA events, the
median of several launches after one that compiles. The estimates that are timed have mean 1: how far theirs is from it
stands beside the speed. The issue limit is that of the instructions that ``gpu_instructions.py`` counts, at the highest
clock of the device.
Run: ``python benchmarks/sampling_gpu.py [--write]``; ``--write`` stores the table under ``benchmarks/results``. Without
a device it says so and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.gpu_instructions import name_of, variants
from rftheory.errors import BackendUnavailable
from rftheory.sample import Fused, Mechanism, Stream, namespace, to_host
from rftheory.sample.kernels_cuda import Request, power_sums

RESULTS = Path(__file__).parent / "results" / "sampling_gpu.json"
COUNTS = RESULTS.with_name("gpu_instructions.json")
DIM = 64
GOALS = {"accurate": 1.2e11, "fast": 2.5e11}
"""Features a second that are asked for on an H100 or H200."""


def features_per_second(job: Callable[[], object], features: int, repeat: int = 7) -> float:
    import cupy

    job()
    times = []
    for _ in range(repeat):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        job()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end) / 1e3)
    return features / statistics.median(times)


def plainly(coupling: str, blocks: int) -> Callable[[], object]:
    """The job by CuPy's own generators and elementwise functions, with every array in memory, float32."""
    import cupy

    def job() -> object:
        w = cupy.random.standard_normal((blocks, DIM), dtype=cupy.float32)
        if coupling != "iid":
            w /= cupy.linalg.norm(w, axis=1, keepdims=True)
            if coupling == "simplex":
                head = w[:, : DIM - 1].sum(axis=1) / math.sqrt(DIM - 1)
                w *= math.sqrt(DIM / (DIM - 1))
                w -= ((math.sqrt(DIM) + 1) / (DIM - 1)) * head[:, None]
                w[:, DIM - 1] = head
            w *= cupy.sqrt(2 * cupy.random.standard_gamma(DIM / 2, (blocks, DIM), dtype=cupy.float32))
        error = cupy.exp(w - 0.5).mean(axis=1, dtype=cupy.float64) - 1.0
        return [(error**p).sum() for p in (1, 2, 3, 4)]

    return job


def counted(coupling: str, fast: bool) -> dict[str, object]:
    """The row of ``gpu_instructions.py`` for a kernel and the generation of this device, or an older one."""
    import cupy

    kernel = f"{coupling} positive, float32, {'fast' if fast else 'accurate'}"
    rows = json.loads(COUNTS.read_text())["rows"]
    same = [
        one for one in rows if (one["kernel"], one["d"], one["pairs"], one["whole"]) == (kernel, DIM, 1, True)
    ]
    own = int(cupy.cuda.Device().compute_capability)
    older = [one for one in same if int(one["architecture"][3:]) <= own]
    return max(older, key=lambda one: int(one["architecture"][3:])) if older else same[0]


def of_every_variant(blocks: int) -> list[dict[str, object]]:
    """The speed of each kernel that ``gpu_instructions.py`` counts, for as many features as ``blocks`` of d = 64."""
    rows: list[dict[str, object]] = []
    for sizes in variants():
        some = max(1, blocks * DIM // sizes.d)
        m = sizes.d if sizes.whole else sizes.d - 1
        unit = np.eye(sizes.frame, sizes.pairs)  # |v| = 1 in every pair
        request = Request(
            Stream.named("variants").key, range(some), sizes.d, m, sizes.coupling, sizes.feature, unit,
            sizes.real, sizes.fast,
        )  # fmt: skip
        mean, offset = (1.0, -0.5) if sizes.feature == 0 else (math.exp(-0.5), 0.0)
        job = partial(power_sums, request, np.full(sizes.pairs, offset), np.full(sizes.pairs, mean))
        speed = features_per_second(job, some * m)
        sums = to_host(job())
        errors = sums[:, 0] / np.sqrt(sums[:, 1])
        rows.append({**name_of(sizes), "features a second": speed,
                     "mean error in standard errors": float(errors[np.abs(errors).argmax()])})  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def issue_limit(row: dict[str, object]) -> float:
    """Features a second that this device can issue the counted instructions of."""
    import cupy

    has, counts = cupy.cuda.Device().attributes, row["instructions a feature"]
    assert isinstance(counts, dict)
    return has["MultiProcessorCount"] * has["ClockRate"] * 1e3 * 128 / counts["issue"]


def measured(blocks: int = 2**26, few: int = 2**17) -> dict[str, object]:
    """All rates; ``few`` blocks for what keeps its arrays in memory."""
    import cupy

    stream, rows = Stream.named("benchmark"), []
    for number, coupling in enumerate(("iid", "orthogonal", "simplex")):
        row: dict[str, object] = {"coupling": coupling}
        plain = features_per_second(plainly(coupling, few), few * DIM)
        row["cupy.random and elementwise"] = plain
        for name, fast in (("accurate", False), ("fast", True)):
            request = Request(
                stream.key, range(blocks), DIM, DIM, number, 0, np.ones((1, 1)), "float32", fast
            )
            job = partial(power_sums, request, np.array([-0.5]), np.array([1.0]))
            speed = features_per_second(job, blocks * DIM)
            error, square, *_ = to_host(job())[0]
            known = counted(coupling, fast)
            row |= {
                name: speed,
                f"{name}, mean error in standard errors": float(error / math.sqrt(square)),
                f"{name}, predicted for {known['card']}": known["predicted, features a second"],
                f"{name}, share of the goal": speed / GOALS[name],
                f"{name}, ratio to cupy.random and elementwise": speed / plain,
                f"{name}, share of the issue limit": speed / issue_limit(known),
            }
        x = cupy.full((1, DIM), 0.5 / np.sqrt(DIM))
        arrays = Fused(Mechanism("positive", coupling, DIM), stream, x, x, dtype="float32")
        row["array engine"] = features_per_second(lambda a=arrays: a(range(few)), few * DIM)  # type: ignore[misc]
        rows.append(row)
        print(row, flush=True)
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return {
        "device": device,
        "compute capability": str(cupy.cuda.Device().compute_capability),
        "cupy": cupy.__version__,
        "features_per_second": rows,
        "variants": of_every_variant(blocks),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the result")
    options = parser.parse_args()
    try:
        namespace("cupy")
    except BackendUnavailable as missing:
        raise SystemExit(f"nothing measured: {missing}") from None
    result = measured()
    if options.write:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
