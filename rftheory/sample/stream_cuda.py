"""Draws of a portable stream on a CUDA device: one kernel in place of a hundred operations on arrays."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

THREADS = 256
_CUDA_BLOCKS = 2**14

_SOURCE = """
#ifdef __CUDACC__
#define FIRST ((u64)blockIdx.x * blockDim.x + threadIdx.x)
#define STEP ((u64)gridDim.x * blockDim.x)
#else
#include <cmath>
using std::cos;
using std::log;
using std::sin;
using std::sqrt;
#define FIRST 0
#define STEP 1
#define __device__
#endif
typedef unsigned int u32;
typedef unsigned long long u64;

// Philox4x32-10 at the counter (group, lane, block, block >> 32).
__device__ void philox(u32 group, u32 lane, u64 block, u32 k0, u32 k1, u32 *words) {
    u32 c0 = group, c1 = lane, c2 = (u32)block, c3 = (u32)(block >> 32);
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        u64 left = 0xD2511F53ull * c0, right = 0xCD9E8D57ull * c2;
        c0 = (u32)(right >> 32) ^ c1 ^ k0;
        c1 = (u32)right;
        c2 = (u32)(left >> 32) ^ c3 ^ k1;
        c3 = (u32)left;
    }
    words[0] = c0, words[1] = c1, words[2] = c2, words[3] = c3;
}

// out is (blocks, count); a group has four words.
extern "C" __global__ void stream_words(u32 *out, u64 start, u64 blocks, u64 count, u32 lane, u32 key0, u32 key1) {
    u64 groups = (count + 3) / 4;
    for (u64 i = FIRST; i < blocks * groups; i += STEP) {
        u64 row = i / groups, group = i % groups;
        u32 words[4];
        philox((u32)group, lane, start + row, key0, key1, words);
        for (int k = 0; k < 4; k++)
            if (4 * group + k < count) out[row * count + 4 * group + k] = words[k];
    }
}

__device__ double uniform(u32 high, u32 low) {
    return ((double)(((u64)high << 20) | (low >> 12)) + 0.5) * (1.0 / 4503599627370496.0);
}

// A polynomial in z, by Horner's rule; z itself if it has no terms.
__device__ double polynomial(double z, const double *terms, int count) {
    if (count == 0) return z;
    double value = terms[count - 1];
    for (int k = count - 2; k >= 0; k--) value = value * z + terms[k];
    return value;
}

// Polynomials in standard normals, (blocks, count); a group of four words is a pair of normals.
extern "C" __global__ void stream_normals(REAL *out, u64 start, u64 blocks, u64 count, u32 lane, u32 key0, u32 key1,
                                          const double *terms, int term_count) {
    u64 pairs = (count + 1) / 2;
    for (u64 i = FIRST; i < blocks * pairs; i += STEP) {
        u64 row = i / pairs, pair = i % pairs;
        u32 words[4];
        philox((u32)pair, lane, start + row, key0, key1, words);
        double radius = sqrt(-2.0 * log(uniform(words[0], words[1])));
        double angle = 6.283185307179586476925 * uniform(words[2], words[3]);
        REAL *own = out + row * count + 2 * pair;
        own[0] = (REAL)polynomial(radius * cos(angle), terms, term_count);
        if (2 * pair + 1 < count) own[1] = (REAL)polynomial(radius * sin(angle), terms, term_count);
    }
}
"""


ENTRIES = ("stream_words", "stream_normals")


def source(real: str) -> str:
    """Return the source of the kernels, with normals as numbers of this type.

    Examples
    --------
    >>> source("float").splitlines()[0]
    '#define REAL float'
    """
    return f"#define REAL {real}\n{_SOURCE}"


@lru_cache
def _kernel(cupy: Any, name: str, real: str) -> Any:
    return cupy.RawKernel(source(real), name)


def _fill(name: str, real: str, out: Any, threads: int, start: int, lane: int, key: int, *more: Any) -> Any:
    import cupy

    wide = map(np.uint64, (start, *out.shape))
    narrow = map(np.uint32, (lane, key & 0xFFFFFFFF, key >> 32))
    grid = min(max(1, -(-threads // THREADS)), _CUDA_BLOCKS)
    _kernel(cupy, name, real)((grid,), (THREADS,), (out, *wide, *narrow, *more))
    return out


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
    return _fill("stream_words", "double", out, len(blocks) * -(-count // 4), blocks.start, lane, key)


def stream_normals(
    blocks: range, count: int, lane: int, key: int, single: bool = False, terms: tuple[float, ...] = ()
) -> Any:
    """Return standard normals as `Stream.normals` gives them: a CuPy array (len(blocks), count).

    They are computed in float64, and stored as float32 if ``single``. With the ``terms`` of a polynomial, the
    coefficient of 1 first, its values at the normals are returned in place of them.

    Examples
    --------
    >>> from rftheory.sample.arrays import cupy_available
    >>> if cupy_available():
    ...     assert stream_normals(range(2), 3, 0, 0, terms=(1.0, 0.0)).get().tolist() == [[1.0] * 3] * 2
    """
    import cupy

    out = cupy.empty((len(blocks), count), dtype=cupy.float32 if single else cupy.float64)
    more = cupy.asarray(np.array(terms or (0.0,))), np.int32(len(terms))
    real, threads = "float" if single else "double", len(blocks) * -(-count // 2)
    return _fill("stream_normals", real, out, threads, blocks.start, lane, key, *more)
