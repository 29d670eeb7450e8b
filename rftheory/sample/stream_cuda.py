"""Draws of a portable stream on a CUDA device: one kernel in place of a hundred operations on arrays.

The source is ``stream.cu`` behind ``draws.cu``, the draws that the fused kernels begin with too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

THREADS = 256
_CUDA_BLOCKS = 2**14

ENTRIES = ("stream_words", "stream_normals")


def with_draws(file: str, values: Mapping[str, object]) -> str:
    """Return a CUDA source of this folder behind the draws, ``draws.cu``, and the definitions of its own macros.

    Examples
    --------
    >>> with_draws("stream.cu", {"REAL": "float"}).splitlines()[0]
    '#define RF_REAL float'
    """
    head = "".join(f"#define RF_{name} {value}\n" for name, value in values.items())
    return head + "".join(
        Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("draws.cu", file)
    )


def source(real: str) -> str:
    """Return the source of the kernels, with normals as numbers of this type.

    Examples
    --------
    >>> source("float").count("extern")
    2
    """
    return with_draws("stream.cu", {"REAL": real})


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
