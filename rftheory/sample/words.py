"""The words of a portable stream on a CUDA device: one kernel in place of a hundred operations on arrays."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

THREADS = 256
_CUDA_BLOCKS = 2**14

NAME = "stream_words"
SOURCE = """
#ifdef __CUDACC__
#define FIRST ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x)
#define STEP ((unsigned long long)gridDim.x * blockDim.x)
#else
#define FIRST 0
#define STEP 1
#endif
// Philox4x32-10 at the counters (group, lane, block, block >> 32); out is (blocks, count), a group has four words.
extern "C" __global__ void stream_words(unsigned *out, unsigned long long start, unsigned long long blocks,
                                        unsigned long long count, unsigned lane, unsigned key0, unsigned key1) {
    unsigned long long groups = (count + 3) / 4;
    for (unsigned long long i = FIRST; i < blocks * groups; i += STEP) {
        unsigned long long row = i / groups, group = i % groups, block = start + row;
        unsigned c0 = (unsigned)group, c1 = lane, c2 = (unsigned)block, c3 = (unsigned)(block >> 32);
        unsigned k0 = key0, k1 = key1;
        for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
            unsigned long long left = 0xD2511F53ull * c0, right = 0xCD9E8D57ull * c2;
            c0 = (unsigned)(right >> 32) ^ c1 ^ k0;
            c1 = (unsigned)right;
            c2 = (unsigned)(left >> 32) ^ c3 ^ k1;
            c3 = (unsigned)left;
        }
        unsigned words[4] = {c0, c1, c2, c3};
        for (int k = 0; k < 4; k++)
            if (4 * group + k < count) out[row * count + 4 * group + k] = words[k];
    }
}
"""


@lru_cache
def _kernel(cupy: Any) -> Any:
    return cupy.RawKernel(SOURCE, NAME)


def stream_words(blocks: range, count: int, lane: int, key: int) -> Any:
    """Return uniform 32-bit words as `Stream.bits` gives them: a CuPy array (len(blocks), count), uint32.

    Examples
    --------
    >>> from rftheory.sample.arrays import cupy_available
    >>> if cupy_available():
    ...     assert stream_words(range(2), 3, 0, 0).get()[0].tolist() == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C]
    """
    import cupy

    out = cupy.empty((len(blocks), count), dtype=cupy.uint32)
    wide = map(np.uint64, (blocks.start, len(blocks), count))
    narrow = map(np.uint32, (lane, key & 0xFFFFFFFF, key >> 32))
    threads = len(blocks) * -(-count // 4)
    grid = min(max(1, -(-threads // THREADS)), _CUDA_BLOCKS)
    _kernel(cupy)((grid,), (THREADS,), (out, *wide, *narrow))
    return out
