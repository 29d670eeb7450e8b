"""Philox with some of its products by the unit for doubles: an experiment that has not run on a device yet.

A product of 32 by 32 bits (IMAD.WIDE) keeps a scheduler of an H100 from issuing for about three clocks. Its upper half
is also the lower half of a double: with x carried as 2^84 + 2^32 x, the fused product of doubles, rounded towards zero,

    (m 2^-32) (2^84 + 2^32 x) + (2^84 - m 2^52)  =  2^84 + m x,

ends in the 32 bits of floor(m x / 2^32), above which stands what the next product needs; IMAD gives the lower half. In
the machine code for sm_90 this costs 9.7 instructions a feature for half of the products of orthogonal rows with fast
functions (71.4 become 81.1, in place of 8.1 wide products) and 23.5 for all of them. Predicted before any measurement:
with half of the products, from 3 % slower to 8 % faster, by how the units share the ports of a scheduler
(`gpu_mixtures.py` measures the parts); slower on devices with few units for doubles, such as sm_120.
Run: ``python -m benchmarks.gpu_products [--write]`` on a machine with a device. All kinds draw the same bits, so their
sums have to be the same.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.gpu_instructions import name_of
from benchmarks.gpu_mixtures import stored
from benchmarks.sampling_gpu import features_per_second
from rftheory.sample.kernels_cuda import OPTIONS, Request, Sizes, grid

RESULTS = Path(__file__).parent / "results" / "gpu_products.json"

KINDS = {
    "all by integers": ("false", "false"),
    "half by doubles": ("i % 2 == 1", "i % 2 == 0"),
    "all by doubles": ("true", "true"),
}
"""Whether the left and the right product of round i go by doubles. Every word that leaves one by doubles enters one."""

ROUNDS = """
struct Carried { u32 word, top; }; // the double 2^84 + 2^32 word
DEVICE void product(u32 m, Carried x, bool doubles, Carried *high, u32 *low) {
    if (doubles) {
        double shift = 19342813113834066795298816.0 - (double)m * 4503599627370496.0;
        double scaled = (double)m * (1.0 / 4294967296.0);
        double y = __fma_rz(scaled, __hiloint2double((int)x.top, (int)x.word), shift);
        *high = {(u32)__double2loint(y), (u32)__double2hiint(y)};
        *low = m * x.word;
    } else {
        u64 y = (u64)m * x.word;
        *high = {(u32)(y >> 32), 0x45300000};
        *low = (u32)y;
    }
}
DEVICE void philox(u32 c0, u32 c1, u32 c2, u32 c3, const u32 *keys, u32 *out) {
    Carried first = {c0, 0x45300000}, third = {c2, 0x45300000};
    UNROLL for (int i = 0; i < 10; i++) {
        Carried left, right;
        u32 left_low, right_low;
        product(0xD2511F53u, first, LEFT, &left, &left_low);
        product(0xCD9E8D57u, third, RIGHT, &right, &right_low);
        first = right, third = left;
        first.word ^= c1 ^ keys[2 * i];
        third.word ^= c3 ^ keys[2 * i + 1];
        c1 = right_low, c3 = left_low;
    }
    c0 = first.word, c2 = third.word;
"""


def source(sizes: Sizes, kind: str) -> str:
    """The kernels with other rounds."""
    left, right = KINDS[kind]
    before, rest = sizes.source().split("DEVICE void philox(")
    _, after = rest.split("    out[0] = c0;")
    rounds = ROUNDS.replace("LEFT", left).replace("RIGHT", right)
    return f"{before}{rounds}    out[0] = c0;{after}"


def measured(blocks: int = 2**26) -> list[dict[str, object]]:
    import cupy

    rows = []
    for coupling, fast in product((0, 1, 2), (True, False)):
        request = Request(1, range(blocks), 64, 64, coupling, 0, np.ones((1, 1)), "float32", fast)
        sizes, job = request.sizes, request.job(np.array([-0.5]), np.array([1.0]))
        out = cupy.empty((grid(sizes, blocks) * sizes.threads // 32, 1, 4))
        sums = {}
        for kind in KINDS:
            module = cupy.RawModule(code=source(sizes, kind), options=OPTIONS)
            launch = partial(
                module.get_function("fused_power_sums"),
                (grid(sizes, blocks),),
                (sizes.threads,),
                (out, job),
            )
            speed = features_per_second(launch, blocks * sizes.d)
            sums[kind] = out.sum(axis=0).get().tolist()
            rows.append({**name_of(sizes), "products": kind, "features a second": speed})
            print(rows[-1], flush=True)
        if any(found != sums["all by integers"] for found in sums.values()):
            raise SystemExit(f"the sums differ: {sums}")
    return rows


if __name__ == "__main__":
    stored(__doc__, measured, RESULTS, "features a second")
