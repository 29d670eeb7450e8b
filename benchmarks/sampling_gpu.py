"""Features a second of the fused CUDA kernels, beside the array engine on the same device. Needs a GPU and CuPy.

One pair, d = m = 64, positive features, float32 arithmetic, float64 sums. Times are taken between CUDA events, the
median of several launches after one that compiles. Run: ``python benchmarks/sampling_gpu.py [--write]``; ``--write``
stores the table under ``benchmarks/results``. Without a device it says so and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rftheory.errors import BackendUnavailable
from rftheory.sample import Fused, Mechanism, Stream, namespace
from rftheory.sample.chi import coefficients
from rftheory.sample.kernels_cuda import power_sums

RESULTS = Path(__file__).parent / "results" / "sampling_gpu.json"
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


def measured() -> dict[str, object]:
    import cupy

    stream, rows = Stream.named("benchmark"), []
    vector = np.full((1, 1), 1.0)
    blocks, few = 2**24, 2**17
    for number, coupling in enumerate(("iid", "orthogonal", "simplex")):
        rests = coefficients(DIM - 1) if coupling == "iid" else ()
        row: dict[str, object] = {"coupling": coupling}
        for name, fast in (("accurate", False), ("fast", True)):
            job = lambda c=number, r=rests, f=fast: power_sums(  # noqa: E731
                stream.key,
                range(blocks),
                DIM,
                DIM,
                c,
                0,
                vector,
                coefficients(DIM),
                r,
                np.array([-0.5]),
                np.array([1.0]),
                real="float32",
                fast=f,
            )
            row[name] = features_per_second(job, blocks * DIM)
            row[f"{name}, share of the goal"] = row[name] / GOALS[name]  # type: ignore[operator]
        x = cupy.full((1, DIM), 0.5 / np.sqrt(DIM))
        arrays = Fused(Mechanism("positive", coupling, DIM), stream, x, x, dtype="float32")
        row["array engine"] = features_per_second(lambda a=arrays: a(range(few)), few * DIM)
        rows.append(row)
        print(row, flush=True)
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return {"device": device, "cupy": cupy.__version__, "features_per_second": rows}


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
