"""Fused CUDA kernels: the estimates of `rftheory.sample.fused`, drawn, projected and summed on the device.

The source, ``fused.cu`` behind ``draws.cu``, is compiled for each set of sizes: by CuPy on the device, and by a C++
compiler on the host, where one thread does what T do on the device. Both give the array engine's estimates to rounding.

Kernels run asynchronously, on CuPy's current device and in its current stream.
"""

from __future__ import annotations

import logging
import math
import time
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.sample.arrays import Array, namespace
from rftheory.sample.checks import block_range
from rftheory.sample.chi import SMOOTH_FROM, polynomial, polynomial32
from rftheory.sample.stream import WORD, round_keys
from rftheory.sample.stream_cuda import with_draws

OPTIONS = ("-std=c++14",)
"""Compiler options."""

THREADS = 128
"""Number of threads in a CUDA block, unless a block of projections has more lanes."""

_CUDA_BLOCKS = 2**14
"""Most CUDA blocks in a launch: about twenty times what a device of 132 processors holds at a time."""

_WARP = 32
_MOST_LANES = 512

_HELD = {
    "fast": ((8, 2, 16), (16, 4, 64)),
    "float32": ((8, 2, 16), (8, 4, 64)),
    "float64": ((2, 1, 12), (4, 2, 8)),
    "independent float32": ((4, 2, 16), (8, 4, 64)),
    "independent float64": ((2, 1, 12), (2, 2, 8)),
}
"""Pairs of coordinates that a thread holds, while a warp has enough threads and beyond: the most and the least of each
vector of the frame, and of all vectors together. More would mean fewer exchanges between threads, but too few
registers; these were the fastest on an H100. Each pair of independent rows draws a second law as well."""

_MOST = 16
"""The most vectors of a frame, and the most pairs."""

_MOST_PROJECTIONS = 2**28
"""The most projections, so that counters of coordinates fit in 32 bits."""

_UNITS = (1 / math.log(2), 1 / math.pi)
"""Units of inner products, by feature: powers of two and half turns."""


class Sizes(NamedTuple):
    """What a kernel is compiled for: the coupling and the feature by number as in `fused.cu`.

    d, frame, pairs : dimension, number of vectors of the frame, number of pairs of inputs. ``fast`` uses the device's
    own functions, for float32 only; ``whole`` says that the number of projections is a multiple of d, which
    saves one comparison for each.

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
    whole: bool = False

    @property
    def lanes(self) -> int:
        """Threads that share one block of projections: a power of two, at most 512.

        Examples
        --------
        >>> [Sizes(d, 1, 1, 2, 0, "float32").lanes for d in (64, 512, 4096)]
        [4, 32, 256]
        """
        kind = "fast" if self.fast else f"{'' if self.coupling else 'independent '}{self.real}"
        lanes = 1
        for (most, least, together), end in zip(_HELD[kind], (_WARP, _MOST_LANES), strict=True):
            held = min(most, max(least, together // self.frame))
            while lanes < end and lanes * held < self.d // 2:
                lanes *= 2
        return lanes

    @property
    def threads(self) -> int:
        """Threads of a CUDA block: all lanes of a block of projections are in one.

        Examples
        --------
        >>> Sizes(64, 1, 1, 2, 0, "float32").threads
        128
        """
        return max(THREADS, self.lanes)

    @property
    def resident(self) -> int:
        """How many CUDA blocks must fit in a processor's registers: few if a thread holds many numbers.

        Left to itself the compiler makes room for more blocks and spills a few registers of some kernels. With 12 pairs
        or more in float64 three blocks cost spilled registers too, but are half as fast again as two without.

        Examples
        --------
        >>> Sizes(64, 1, 1, 2, 0, "float32").resident, Sizes(64, 16, 16, 2, 0, "float32").resident
        (4, 3)
        """
        wide = 2 if self.real == "float64" else 1
        held = wide * (2 * self.frame * -(-self.d // 2 // self.lanes) + 2 * self.pairs)
        blocks = 4 if held <= 32 else 3 if held <= 128 else 1
        return max(1, blocks * THREADS // self.threads)

    @property
    def job(self) -> np.dtype:
        """The kernel's argument ``Job``, laid out as in C."""
        many = (self.pairs,)
        fields = [
            ("start", np.uint64),
            ("count", np.uint64),
            ("keys", np.uint32, (20,)),
            ("m", np.int32),
            ("coordinates", np.dtype(self.real), (self.frame * self.pairs,)),
            ("offsets", np.float64, many),
            ("centres", np.float64, many),
        ]
        return np.dtype(fields, align=True)

    def source(self, *, host: bool = False) -> str:
        """Return the source, headed by the definitions of these sizes, which are checked.

        Raises
        ------
        OutsideDomain : odd d, chi laws with fewer than 16 degrees of freedom, more than 16 vectors or pairs.

        Examples
        --------
        >>> Sizes(64, 1, 1, 2, 0, "float32").source().splitlines()[:3]
        ['#define RF_D 64', '#define RF_K 1', '#define RF_N 1']
        """
        self._check()
        values = {
            "D": self.d,
            "K": self.frame,
            "N": self.pairs,
            "T": 1 if host else self.lanes,
            "THREADS": self.threads,
            "COUPLING": self.coupling,
            "FEATURE": self.feature,
            "REAL": {"float32": "float", "float64": "double"}[self.real],
            "CHIS": self._series(self.d),
            "RESIDENT": self.resident,
        }
        if self._rests:
            values["RESTS"] = self._series(self._rests)
        if self.whole:
            values["WHOLE"] = ""
        if self.fast and not host:
            values["FAST"] = ""
        return with_draws("fused.cu", values)

    @property
    def _rests(self) -> int:
        """Number of coordinates of an independent projection outside the frame; 0 if none are drawn."""
        return self.d - self.frame if self.coupling == 0 else 0

    def _series(self, dof: int) -> str:
        series = polynomial32(dof) if self.real == "float32" else polynomial(dof)
        return ", ".join(map(repr, series))

    def checked(self) -> Sizes:
        """Return these sizes if there is a kernel for them; raise otherwise.

        Raises
        ------
        OutsideDomain, InvalidInput : as for `source`.

        Examples
        --------
        >>> Sizes(64, 1, 1, 2, 0, "float32").checked().d
        64
        """
        self._check()
        return self

    def _check(self) -> None:
        if self.d % 2:
            raise OutsideDomain("fused CUDA kernels", needs="an even dimension", got=self.d)
        if max(self.frame, self.pairs) > _MOST:
            raise OutsideDomain(
                "fused CUDA kernels",
                needs=f"at most {_MOST} pairs",
                got=max(self.frame, self.pairs),
                hint="use engine='array'",
            )
        if min(self.d, self._rests or self.d) < SMOOTH_FROM:
            raise OutsideDomain(
                "fused CUDA kernels",
                needs=f"chi laws of {SMOOTH_FROM} degrees of freedom or more",
                got=min(self.d, self._rests or self.d),
                hint="use engine='array'",
            )
        if self.real not in ("float32", "float64") or (self.fast and self.real == "float64"):
            raise InvalidInput("real", needs="'float32' or, without fast functions, 'float64'", got=self.real)


class Request(NamedTuple):
    """A request for estimates of pairs that share a frame, with (k, n) coordinates; real and fast as in `Sizes`.

    Examples
    --------
    >>> request = Request(7, range(40), 64, 128, 1, 0, np.ones((1, 1)))
    >>> request.sizes.whole, int(request.job(np.zeros(1), np.zeros(1))["count"][0])
    (True, 40)
    """

    key: int
    blocks: range
    d: int
    m: int
    coupling: int
    feature: int
    coordinates: np.ndarray
    real: str = "float64"
    fast: bool = False

    @property
    def sizes(self) -> Sizes:
        """What the kernel is compiled for."""
        frame, pairs = self.coordinates.shape
        whole = self.m % self.d == 0
        return Sizes(self.d, frame, pairs, self.coupling, self.feature, self.real, self.fast, whole)

    def job(self, offsets: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Return the kernel's argument, an array of one structure.

        Raises
        ------
        OutsideDomain : more than 2^28 projections a block.
        InvalidInput : an empty range of blocks, or block indices out of range.
        """
        blocks = block_range(self.blocks)
        if self.m > _MOST_PROJECTIONS:
            raise OutsideDomain(
                "fused CUDA kernels", needs=f"at most {_MOST_PROJECTIONS} projections", got=self.m
            )
        job = np.zeros(1, dtype=self.sizes.job)
        job["start"], job["count"], job["m"] = blocks.start, len(blocks), self.m
        job["keys"] = np.ravel(round_keys((self.key & WORD, self.key >> 32)))
        job["coordinates"] = np.ravel(self.coordinates) * _UNITS[self.feature]
        job["offsets"] = np.asarray(offsets, dtype=np.float64) * _UNITS[0]
        job["centres"] = centres
        return job


def grid(sizes: Sizes, count: int) -> int:
    """Return the number of CUDA blocks for a number of blocks; the order of sums depends on nothing else.

    Examples
    --------
    >>> grid(Sizes(64, 1, 1, 2, 0, "float32"), 33), grid(Sizes(64, 1, 1, 2, 0, "float32"), 2**40)
    (2, 16384)
    """
    return min(-(-count * sizes.lanes // sizes.threads), _CUDA_BLOCKS)


LOGGER = logging.getLogger("rftheory")

COMPILED: dict[Sizes, float] = {}
"""Seconds that this process spent compiling kernels, or reading them from CuPy's cache on disk."""

_LONG = 2.0
"""Compilations that take longer than this, in seconds, are logged."""


@lru_cache(maxsize=64)
def _module(sizes: Sizes) -> Any:
    import cupy

    start = time.perf_counter()
    module = cupy.RawModule(code=sizes.source(), options=OPTIONS)
    module.compile()
    COMPILED[sizes] = time.perf_counter() - start
    if COMPILED[sizes] > _LONG:
        LOGGER.warning(
            "compiled the CUDA kernels for d = %d, %d pairs, %s in %.1f s; CuPy keeps them on disk",
            sizes.d, sizes.pairs, sizes.real, COMPILED[sizes],
        )  # fmt: skip
    return module


def _launch(name: str, sizes: Sizes, out: Array, job: np.ndarray) -> None:
    kernel = _module(sizes).get_function(name)
    kernel((grid(sizes, int(job["count"][0])),), (sizes.threads,), (out, job))


def estimates(request: Request) -> Array:
    """Return what `rftheory.sample.kernels_numba.estimates` returns, as a CuPy array (B, n).

    Raises
    ------
    BackendUnavailable : CuPy, or a device, is missing.

    Examples
    --------
    >>> from rftheory.sample.arrays import cupy_available, to_host
    >>> if cupy_available():  # orthogonal projections, positive features, |x + y| = 1
    ...     found = estimates(Request(7, range(40), 64, 8, 1, 0, np.ones((1, 1))))
    ...     assert to_host(found).shape == (40, 1)
    """
    xp, sizes, job = namespace("cupy"), request.sizes, request.job(np.zeros(1), np.zeros(1))
    out = xp.empty((len(request.blocks), sizes.pairs), dtype=xp.float64)
    _launch("fused_estimates", sizes, out, job)
    return out


def power_sums(request: Request, offsets: np.ndarray, centres: np.ndarray) -> Array:
    """Return the sums of the first four powers of estimate - centre over the blocks, a CuPy array (n, 4).

    Only these sums leave the processors. ``offsets`` are the logarithms of the factors of the estimates. The sums of
    warps are added in a fixed order, which depends only on the number of blocks.

    Raises
    ------
    BackendUnavailable : CuPy, or a device, is missing.

    Examples
    --------
    >>> from rftheory.sample.arrays import cupy_available, to_host
    >>> if cupy_available():
    ...     ends = np.array([-1.0]), np.array([0.6])
    ...     found = power_sums(Request(7, range(40), 64, 8, 1, 0, np.ones((1, 1))), *ends)
    ...     assert to_host(found).shape == (1, 4)
    """
    xp, sizes, job = namespace("cupy"), request.sizes, request.job(offsets, centres)
    warps = grid(sizes, len(request.blocks)) * sizes.threads // _WARP
    out = xp.empty((warps, sizes.pairs, 4), dtype=xp.float64)
    _launch("fused_power_sums", sizes, out, job)
    return xp.sum(out, axis=0)
