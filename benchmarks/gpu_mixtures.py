"""How fast a device issues mixtures of the instructions that the fused kernels consist of, with nothing to wait for.

The issue limit of ``gpu_instructions.py`` counts one clock for each instruction of a warp. How near a kernel comes to
it depends on the mixture: here loops without branches, memory or long chains of dependence hold the instructions of
one kind or of several, spread evenly, among them as many of each kind as a projection costs in two of the kernels.
Run: ``python -m benchmarks.gpu_mixtures [--write]`` on a machine with a device; ``--write`` stores the clocks under
``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rftheory.errors import BackendUnavailable
from rftheory.sample import namespace

RESULTS = Path(__file__).parent / "results" / "gpu_mixtures.json"
CHAINS = 8
"""Independent numbers that each kind works on in a thread."""
FEW = 4
"""The same for products by doubles, so that all numbers fit in the registers."""
LENGTH = 100
"""About as many instructions as the loop has."""
ROUNDS = 400
THREADS = 512
WARPS = (4, 8)
"""Warps for each of the four schedulers of a processor."""

KINDS = {
    "product": 'asm("mul.wide.u32 %0, %1, 0xD2511F53;" : "=l"(w{i}) : "r"(l{i}));',
    "logic": 'asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(l{i}) : "r"((u32)(w{i} >> 32)), "r"(key), "r"((u32)w{j}));',
    "shift": 'asm("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(h{i}) : "r"(h{j}));',
    "conversion": 'asm("cvt.rn.f32.s32 %0, %1;" : "=f"(c{i}) : "r"(__float_as_int(c{i})));',
    "fused product": 'asm("fma.rn.f32 %0, %0, %1, %2;" : "+f"(f{i}) : "f"(f), "f"(g));',
    "special": 'asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(s{i}));',
    "double product": 'asm("fma.rz.f64 %0, %0, %1, %2;" : "+d"(d{few}) : "d"(m), "d"(n));',
    "low product": 'asm("mul.lo.u32 %0, %1, 0xD2511F53;" : "=r"(p{few}) : "r"(low(d{few})));',
    "logic of doubles": "d{few} = with_low(d{few}, low(d{few}) ^ key ^ p{next});",
}
"""Instructions on chain i, some with a second operand of chain j. A product of 32 by 32 bits and the logic between two
of them are half a round of Philox; a double product, a low product and the logic of doubles are one too, as in
`gpu_products.py`."""


class Mixture(NamedTuple):
    name: str
    counts: tuple[int, ...]

    @property
    def size(self) -> int:
        return sum(self.counts)

    @property
    def repeats(self) -> int:
        return max(1, LENGTH // self.size)

    def spread(self) -> list[str]:
        """Return the kinds in order, each as evenly as it goes."""
        places = [((k + 0.5) / n, kind) for kind, n in zip(KINDS, self.counts, strict=True) for k in range(n)]
        return [kind for _, kind in sorted(places)]

    def kernel(self, number: int) -> str:
        """Return the source of a kernel that notes where each warp ran, and from when to when."""
        done = dict.fromkeys(KINDS, 0)
        lines = []
        for kind in self.spread() * self.repeats:
            i = done[kind] % CHAINS
            done[kind] += 1
            lines.append(KINDS[kind].format(i=i, j=(i + 3) % CHAINS, few=i % FEW, next=(i + 1) % FEW))
        chains = range(CHAINS)
        start = " ".join(
            f"u64 w{i} = seed + {i}; u32 l{i} = seed * {i + 3}, h{i} = seed + {i};"
            f" float f{i} = seed, c{i} = seed, s{i} = seed * 1e-9f; double d{i} = seed; u32 p{i} = seed * {2 * i + 5};"
            for i in chains
        )
        ends = " ^ ".join(
            f"(u32)(w{i} >> 32) ^ (u32)w{i} ^ l{i} ^ h{i} ^ p{i} ^ bits(f{i} + c{i} + s{i} + (float)d{i})"
            for i in chains
        )
        body = "\n        ".join(lines)
        return f"""
extern "C" __global__ void __launch_bounds__({THREADS}, {max(WARPS) // 4}) mixture_{number}(
    long long *marks, u32 *out, u32 key, float f, float g, double m, double n) {{
    u32 seed = threadIdx.x * 2654435761u + key;
    {start}
    __syncthreads();
    long long began = clock64();
    #pragma unroll 1
    for (int round = 0; round < {ROUNDS}; round++) {{
        {body}
    }}
    long long ended = clock64();
    u32 last = {ends};
    if (last == key) *out = last;
    u32 warp = (blockIdx.x * {THREADS} + threadIdx.x) / 32;
    if (threadIdx.x % 32 == 0) marks[3 * warp] = processor(), marks[3 * warp + 1] = began, marks[3 * warp + 2] = ended;
}}
"""


MIXTURES = (
    *(
        Mixture(kind, tuple(8 * (one == kind) for one in KINDS))
        for kind in KINDS
        if "product" not in kind and "logic" not in kind
    ),
    Mixture("fused product", (0, 0, 0, 0, 8, 0, 0, 0, 0)),
    Mixture("double product", (0, 0, 0, 0, 0, 0, 8, 0, 0)),
    Mixture("a product and logic", (8, 8, 0, 0, 0, 0, 0, 0, 0)),
    Mixture("a product, logic and a fused product", (8, 8, 0, 0, 8, 0, 0, 0, 0)),
    Mixture("a product, logic and two fused products", (8, 8, 0, 0, 16, 0, 0, 0, 0)),
    Mixture("a product by doubles and logic", (0, 0, 0, 0, 0, 0, 8, 8, 8)),
    Mixture("a product by doubles, logic and a fused product", (0, 0, 0, 0, 8, 0, 8, 8, 8)),
    Mixture("two products, one by doubles, and logic", (8, 8, 0, 0, 0, 0, 8, 8, 8)),
    Mixture("two products, one by doubles, logic and two fused products", (8, 8, 0, 0, 16, 0, 8, 8, 8)),
    Mixture("a double product and a fused product", (0, 0, 0, 0, 8, 0, 8, 0, 0)),
    Mixture("a double product and two fused products", (0, 0, 0, 0, 16, 0, 8, 0, 0)),
    Mixture("a shift and a fused product", (0, 0, 8, 0, 8, 0, 0, 0, 0)),
    Mixture("a shift and two fused products", (0, 0, 8, 0, 16, 0, 0, 0, 0)),
    Mixture("a projection of orthogonal rows, fast", (17, 17, 7, 2, 20, 5, 0, 0, 0)),
    Mixture("a projection of orthogonal rows, accurate", (17, 17, 26, 4, 48, 5, 0, 0, 0)),
    Mixture("the same, fast, half of the products by doubles", (8, 8, 9, 2, 20, 5, 9, 9, 9)),
    Mixture("the same, fast, all products by doubles", (0, 0, 12, 2, 20, 5, 17, 17, 17)),
    Mixture("the same, accurate, half of the products by doubles", (8, 8, 28, 4, 48, 5, 9, 9, 9)),
)
"""Those of projections by the counts of `gpu_instructions.py` for sm_90: integer are logic, shifts and conversions."""

HEAD = """
#define low(x) ((u32)__double2loint(x))
#define with_low(x, word) __hiloint2double(__double2hiint(x), (int)(word))
typedef unsigned int u32;
typedef unsigned long long u64;
__device__ u32 bits(float x) { return __float_as_uint(x); }
__device__ u32 processor() {
    u32 number;
    asm("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}
"""


def source() -> str:
    return HEAD + "".join(one.kernel(number) for number, one in enumerate(MIXTURES))


def clocks(kernel: object, mixture: Mixture, warps: int) -> float:
    """Return the clocks that a scheduler takes for the mixture once, the median of all processors."""
    import cupy

    blocks = warps * 4 * 32 // THREADS * cupy.cuda.Device().attributes["MultiProcessorCount"]
    marks = cupy.zeros((blocks * THREADS // 32, 3), cupy.int64)
    factors = [real(factor) for real in (np.float32, np.float64) for factor in (0.999, 1e-3)]
    arguments = marks, cupy.zeros(1, cupy.uint32), np.uint32(12345), *factors
    for _ in range(2):
        kernel((blocks,), (THREADS,), arguments)  # type: ignore[operator]
    processors, began, ended = cupy.asnumpy(marks).T
    spans = [
        ended[processors == one].max() - began[processors == one].min()
        for one in np.unique(processors)
        if (processors == one).sum() == 4 * warps
    ]
    return float(np.median(spans)) / (ROUNDS * mixture.repeats * warps)


def measured() -> list[dict[str, object]]:
    import cupy

    module = cupy.RawModule(code=source(), options=("-std=c++14",))
    rows = []
    for number, one in enumerate(MIXTURES):
        kernel = module.get_function(f"mixture_{number}")
        row: dict[str, object] = {
            "mixture": one.name,
            "instructions": dict(zip(KINDS, one.counts, strict=True)),
        }
        for warps in WARPS:
            taken = clocks(kernel, one, warps)
            row |= {
                f"clocks, {warps} warps": taken,
                f"share of the issue limit, {warps} warps": one.size / taken,
            }
        rows.append(row)
        print(row, flush=True)
    return rows


def stored(about: str | None, measured: Callable[[], object], results: Path, name: str) -> None:
    """Measure on the first device, and with ``--write`` store what was found beside the name of the device."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    try:
        namespace("cupy")
    except BackendUnavailable as missing:
        raise SystemExit(f"nothing measured: {missing}") from None
    import cupy

    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    found = {"device": device, name: measured()}
    if options.write:
        results.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    stored(__doc__, measured, RESULTS, "clocks of a scheduler")
