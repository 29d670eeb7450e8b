"""Fused CUDA kernels: the estimates of `rftheory.sample.fused`, drawn, projected and summed on the device.

The source, ``fused.cu``, is compiled for each set of sizes: by CuPy on the device, and by a C++ compiler on the
host, where one thread does what T do on the device. Both give the array engine's estimates to rounding.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.sample.arrays import Array, namespace

SOURCE = Path(__file__).with_name("fused.cu")

_THREADS = 128
"""Threads of a CUDA block."""

_PAIRS_A_LANE = 4
"""Pairs of coordinates that a thread holds, as long as a warp has threads enough."""

_MOST = 16
"""Most vectors of a frame, and most pairs."""


class Sizes(NamedTuple):
    """What a kernel is compiled for: the coupling and the feature by number as in `fused.cu`.

    d, frame, pairs : dimension, vectors of the frame and pairs of inputs; ``fast`` takes the device's own
    functions, for float32 alone.

    Examples
    --------
    >>> Sizes(64, 1, 1, 2, 0, "float32").fast
    False
    """

    d: int
    frame: int
    pairs: int
    coupling: int
    feature: int
    real: str
    fast: bool = False

    @property
    def lanes(self) -> int:
        """Threads that share one block of projections: a power of two, at most a warp.

        Examples
        --------
        >>> Sizes(64, 1, 1, 2, 0, "float32").lanes, Sizes(512, 1, 1, 2, 0, "float32").lanes
        (8, 32)
        """
        lanes = 1
        while lanes < 32 and lanes * _PAIRS_A_LANE < self.d // 2:
            lanes *= 2
        return lanes

    def flags(self, *, host: bool = False) -> tuple[str, ...]:
        """Return the compiler's definitions, after a check of the sizes.

        Raises
        ------
        OutsideDomain : odd d, or more than 16 vectors or pairs.

        Examples
        --------
        >>> Sizes(64, 1, 1, 2, 0, "float32").flags()[:3]
        ('-DRF_D=64', '-DRF_K=1', '-DRF_N=1')
        """
        if self.d % 2:
            raise OutsideDomain("fused CUDA kernels", needs="an even dimension", got=self.d)
        if max(self.frame, self.pairs) > _MOST:
            raise OutsideDomain(
                "fused CUDA kernels",
                needs=f"at most {_MOST} pairs",
                got=max(self.frame, self.pairs),
                hint="use engine='array'",
            )
        real = {"float32": "float", "float64": "double"}.get(self.real)
        if real is None or (self.fast and real == "double"):
            raise InvalidInput("real", needs="'float32' or, without fast functions, 'float64'", got=self.real)
        values = {
            "D": self.d,
            "K": self.frame,
            "N": self.pairs,
            "T": 1 if host else self.lanes,
            "COUPLING": self.coupling,
            "FEATURE": self.feature,
            "REAL": real,
        }
        fast = ("-DRF_FAST",) if self.fast and not host else ()
        return (*(f"-DRF_{name}={value}" for name, value in values.items()), *fast)


@lru_cache(maxsize=64)
def _module(sizes: Sizes) -> Any:
    import cupy

    return cupy.RawModule(code=SOURCE.read_text(encoding="utf-8"), options=("-std=c++14", *sizes.flags()))


class Launch(NamedTuple):
    """A compiled kernel with its arguments on the device.

    Examples
    --------
    >>> Launch(Sizes(64, 1, 1, 2, 0, "float32"), (), blocks=1000).sizes.d
    64
    """

    sizes: Sizes
    arguments: tuple[Any, ...]
    blocks: int


def _launch(
    key: int,
    blocks: range,
    m: int,
    sizes: Sizes,
    coordinates: np.ndarray,
    chis: tuple[float, ...],
    residuals: tuple[float, ...],
) -> Launch:
    import cupy

    real: Any = np.float32 if sizes.real == "float32" else np.float64
    arrays = [
        cupy.asarray(np.ascontiguousarray(a, dtype=real)) for a in (coordinates, chis, residuals or (0.0,))
    ]
    head = (np.uint64(blocks.start), np.uint64(len(blocks)), np.uint64(key), np.int32(m))
    series = (arrays[1], np.int32(len(chis)), arrays[2], np.int32(len(residuals)))
    return Launch(sizes, (*head, arrays[0], *series), len(blocks))


def _grid(sizes: Sizes, count: int) -> tuple[int, int]:
    """CUDA blocks, at most enough to fill a large device many times, and the groups of lanes in them."""
    groups = _THREADS // sizes.lanes
    grid = min(-(-count // groups), 8192)
    return grid, grid * groups


def estimates(
    key: int,
    blocks: range,
    d: int,
    m: int,
    coupling: int,
    feature: int,
    coordinates: np.ndarray,
    chis: tuple[float, ...],
    residuals: tuple[float, ...],
    *,
    real: str = "float64",
    fast: bool = False,
) -> Array:
    """Return what `rftheory.sample.kernels_numba.estimates` returns, as a CuPy array (B, n).

    Raises
    ------
    BackendUnavailable : CuPy, or a device, is missing.

    Examples
    --------
    >>> from rftheory.sample.arrays import cupy_available, to_host
    >>> from rftheory.sample.chi import coefficients
    >>> if cupy_available():  # orthogonal projections, positive features, |x + y| = 1
    ...     found = estimates(7, range(40), 64, 8, 1, 0, np.ones((1, 1)), coefficients(64), ())
    ...     assert to_host(found).shape == (40, 1)
    """
    xp = namespace("cupy")
    sizes = Sizes(d, coordinates.shape[0], coordinates.shape[1], coupling, feature, real, fast)
    sizes.flags()
    made = _launch(key, blocks, m, sizes, coordinates, chis, residuals)
    out = xp.empty((made.blocks, sizes.pairs), dtype=xp.float64)
    grid, _ = _grid(sizes, made.blocks)
    _module(sizes).get_function("fused_estimates")((grid,), (_THREADS,), (out, *made.arguments))
    return out


def power_sums(
    key: int,
    blocks: range,
    d: int,
    m: int,
    coupling: int,
    feature: int,
    coordinates: np.ndarray,
    chis: tuple[float, ...],
    residuals: tuple[float, ...],
    offsets: np.ndarray,
    centres: np.ndarray,
    *,
    real: str = "float64",
    fast: bool = False,
) -> Array:
    """Return the sums of the first four powers of estimate - centre over the blocks, a CuPy array (n, 4).

    Nothing but these sums leaves the processors. ``offsets`` are the logarithms of the factors of the estimates.
    The sums of groups are added in their order, which depends on the number of blocks alone.

    Raises
    ------
    BackendUnavailable : CuPy, or a device, is missing.

    Examples
    --------
    >>> from rftheory.sample.arrays import cupy_available, to_host
    >>> from rftheory.sample.chi import coefficients
    >>> if cupy_available():
    ...     ends = np.array([-1.0]), np.array([0.6])
    ...     found = power_sums(7, range(40), 64, 8, 1, 0, np.ones((1, 1)), coefficients(64), (), *ends)
    ...     assert to_host(found).shape == (1, 4)
    """
    xp = namespace("cupy")
    sizes = Sizes(d, coordinates.shape[0], coordinates.shape[1], coupling, feature, real, fast)
    sizes.flags()
    made = _launch(key, blocks, m, sizes, coordinates, chis, residuals)
    grid, groups = _grid(sizes, made.blocks)
    out = xp.zeros((groups, sizes.pairs, 4), dtype=xp.float64)
    ends = tuple(xp.asarray(np.ascontiguousarray(a, dtype=np.float64)) for a in (offsets, centres))
    kernel = _module(sizes).get_function("fused_power_sums")
    kernel((grid,), (_THREADS,), (out, *made.arguments, *ends))
    return xp.sum(out, axis=0)
