"""Fast kernel estimates for fixed pairs: draw, project, exponentiate and sum in one pass.

`Fused` does what `Mechanism.estimate` does, for several pairs at once, with a choice of engine:

``array``
    arrays in tiles that stay in the cache; with float32 and a native stream, the fastest way without
    compiled code;
``compiled``
    the kernels of `rftheory.sample.kernels_numba`, and of `rftheory.sample.kernels_point` for one vector (extra
    ``fast``);
``cuda``
    the kernels of `rftheory.sample.kernels_cuda`, for CuPy arrays (extras ``gpu12`` and ``gpu13``).

On a portable stream all three use the same draws and agree to rounding. The array engine takes over feature maps and
couplings for which there are no kernels, and logs that once.
"""

from __future__ import annotations

import logging
import math
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.sample import kernels_cuda
from rftheory.sample.arrays import Array, ByName, Real, is_numpy, on_device, real_type, to_host
from rftheory.sample.checks import block_range, kernels, least_dim, require_stream
from rftheory.sample.chi import SMOOTH_FROM, polynomial, polynomial32
from rftheory.sample.features import (
    Kernel,
    Positive,
    Terms,
    Trigonometric,
    kernel_offset,
    log_summed,
    multiplied,
    require_representable,
)
from rftheory.sample.mechanisms import Mechanism, checked_sets
from rftheory.sample.norms import CHI, NormLaw
from rftheory.sample.projections import Geometric, Independent, project
from rftheory.sample.rotations import HAAR, frame_coordinates, frame_of, well_conditioned
from rftheory.sample.shapes import IDENTITY, SIMPLEX, simplex_rows
from rftheory.sample.stream import DIRECTIONS, NORMS, Stream

Engine = Literal["array", "compiled", "cuda"]
LOGGER = logging.getLogger("rftheory")
ENGINES = ("array", "compiled", "cuda")
KINDS = ("iid", "orthogonal", "simplex")
"""Of couplings that have kernels, in their order there."""

_TILE, _DEVICE_TILE = 2**16, 2**24
"""Size of a tile of the array engine: small enough for the cache; on a device, large enough to keep it busy."""

_REACH = 10.0
"""Norms stay below sqrt(d) + 10: always in portable streams, else but for one in 1e22."""

_EXPONENT, _EXPONENT32 = 600.0, 64.0
"""Exponents up to this size need no shift: their exponentials, and sums of them, stay in the range of the type."""


class Fused(ByName):
    """Kernel estimates for pairs of inputs, one row per block; a statistic for the engine's `run`.

    Parameters
    ----------
    mechanism : any; positive and trigonometric features with iid, orthogonal or simplex projections are fast.
    stream : native streams work only with the array engine.
    x, y : (n, d), pairs row by row; all pairs share the projections of a block.
    kernel : ``"gaussian"`` or ``"softmax"``.
    engine : what computes; see the text of the module.
    dtype : type of the arithmetic. Sums are float64.
    log_scale : estimates are divided by exp(log_scale), a number or one per pair.

    Raises
    ------
    BackendUnavailable : the engine's library is not installed.
    OutsideDomain : CUDA kernels need d - n >= 16 for independent projections, d >= 16 for others.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.full((1, 64), 0.05)
    >>> fused = Fused(Mechanism("positive", "simplex", 64), Stream.named("demo"), x, x)
    >>> estimates = fused(range(1000))
    >>> estimates.shape, bool(abs(estimates.mean() - 1) < 0.02)
    ((1000, 1), True)
    """

    def __init__(
        self,
        mechanism: Mechanism,
        stream: Stream,
        x: Array,
        y: Array,
        kernel: Kernel = "gaussian",
        *,
        engine: Engine = "array",
        dtype: Real | None = None,
        log_scale: Any = 0.0,
    ) -> None:
        if not isinstance(mechanism, Mechanism):
            raise InvalidInput("mechanism", needs="a Mechanism", got=mechanism)
        require_stream(stream)
        x, y, xp = checked_sets(x, y, kernel)
        least_dim(mechanism.coupling.name, int(x.shape[1]), mechanism.coupling.min_dim)
        if x.shape != y.shape:
            raise InvalidInput(
                "pairs", needs="x and y of one shape (n, d)", got=(tuple(x.shape), tuple(y.shape))
            )
        if not isinstance(engine, str) or engine not in ENGINES:
            raise UnknownName("engine", engine, ENGINES)
        phi = mechanism.feature_map
        self.positive, self.kind = phi.positive, kind_of(mechanism.coupling, CHI)
        self.known = isinstance(phi, Positive | Trigonometric)
        if engine != "array" and not (self.known and self.kind):
            _say_once(engine, mechanism)
            engine = "array"
        self.mechanism, self.stream, self.xp, self.engine = mechanism, stream, xp, engine
        self.inputs, self.kernel = (x, y), kernel
        self.dtype = real_type(xp, dtype)
        log_scale = _log_scale(log_scale, int(x.shape[0]), xp)
        self.tile = _DEVICE_TILE if on_device(xp) else _TILE
        both = phi.squares(x, "left") + phi.squares(y, "right")
        self.offsets = kernel_offset(both, kernel) + (-0.5 if self.positive else 0.5) * both - log_scale
        self.vectors = x + y if self.positive else x - y
        self.coordinates = frame_of(self.vectors)[1]
        if self.coordinates.shape[0] == 0 and engine != "array":
            raise OutsideDomain(
                "Fused", needs="at least one vector other than 0", got=0, hint="use engine='array'"
            )
        lengths = xp.linalg.vector_norm(self.vectors, axis=-1)
        reach = float(xp.max(lengths)) * (math.sqrt(x.shape[1]) + _REACH)
        self._moderate = reach <= (_EXPONENT32 if self.dtype == xp.float32 else _EXPONENT)
        self.log_scale = log_scale
        self._run = {"array": self._array, "compiled": self._compiled, "cuda": self._cuda}[engine]
        if engine != "array":
            self._need_compiled()
            self.host_coordinates = to_host(self.coordinates)

    @property
    def bytes_per_block(self) -> int:
        """Memory of the result of one block, and of its working arrays unless they are tiled."""
        return 64 * int(self.vectors.shape[0])

    def __call__(self, blocks: range) -> Array:
        """Return the estimates of all pairs, (B, n).

        Raises
        ------
        OutsideDomain : an estimate exceeds the float range; use a ``log_scale``, or :meth:`log`.
        """
        xp, blocks = self.xp, block_range(blocks)
        if self.known:
            found = self._run(blocks)
            if not self.positive and float(xp.max(self.offsets)) <= _EXPONENT:
                return found * xp.exp(self.offsets)
            size = (
                found if self.positive else xp.log(xp.where(found == 0, xp.ones_like(found), xp.abs(found)))
            )
            sign, log_size = 1.0 if self.positive else xp.sign(found), size + self.offsets
        else:
            sign, log_size = self._featured(blocks)
        require_representable(log_size, xp)
        return sign * xp.exp(log_size)

    def log(self, blocks: range) -> Array:
        """Return the logarithms of the estimates of positive features, (B, n)."""
        self.mechanism.feature_map.require_positive("log")
        if not self.known:
            return self._featured(block_range(blocks))[1]
        return self._run(block_range(blocks)) + self.offsets

    def _featured(self, blocks: range) -> tuple[Array, Array]:
        """Return signs and logarithms of the estimates, (B, n), from the features of any map, in tiles."""
        xp, (x, y), m = self.xp, self.inputs, self.mechanism.m
        parts = []
        for tile in _tiles(blocks, max(1, self.tile // (m * int(x.shape[0])))):
            left, right = self.mechanism.features(self.stream, tile, x, y, self.kernel)
            scale, factor = multiplied(left, right)
            if factor is not None:
                scale, factor = scale + xp.zeros_like(factor), xp.matrix_transpose(factor)
            parts.append(log_summed(Terms(xp.matrix_transpose(scale), factor), xp))
        sign, log_size = (self._joined(list(part)) for part in zip(*parts, strict=True))
        return sign, log_size - self.log_scale

    # ---- engines: log means of exp(w . v), or means of cos(w . v)

    def _array(self, blocks: range) -> Array:
        d, m = int(self.vectors.shape[1]), self.mechanism.m
        return self._joined([self._tile(tile) for tile in _tiles(blocks, max(1, self.tile // max(d, m)))])

    def _joined(self, parts: list[Array]) -> Array:
        return parts[0] if len(parts) == 1 else self.xp.concat(parts, axis=0)

    def _tile(self, blocks: range) -> Array:
        xp, mechanism = self.xp, self.mechanism
        (k, _), d, m = self.coordinates.shape, int(self.vectors.shape[1]), mechanism.m
        law = mechanism.coupling
        if self.kind == "iid" or not (self.kind and isinstance(law, Geometric)):
            values = project(law, self.stream, blocks, self.vectors, m, dtype=self.dtype)
            return self._reduced(xp.matrix_transpose(values))
        if not (k == 1 or (k and well_conditioned(d, k))):
            values = law.onto_frame(self.stream, blocks, self.vectors, m).values
            return self._reduced(xp.matrix_transpose(xp.astype(values, self.dtype, copy=False)))
        copies = -(-m // d)
        count = copies * d if self.kind == "simplex" else m
        norms = self.stream.chis(blocks, count, d, NORMS, xp, self.dtype)[:, None, :m]
        parts = []
        for piece in _tiles(blocks, max(1, self.tile // (copies * d * k))):
            values = self._directed(piece)
            values *= norms[piece.start - blocks.start : piece.stop - blocks.start, ...]
            parts.append(self._reduced(values))
        return self._joined(parts)

    def _directed(self, blocks: range) -> Array:
        """Return the inner products of directions and vectors, (B, n, m), in place as far as possible."""
        xp, batch, m = self.xp, len(blocks), self.mechanism.m
        (k, n), d = self.coordinates.shape, int(self.vectors.shape[1])
        copies = -(-m // d)
        drawn = self.stream.normals(blocks, copies * k * d, DIRECTIONS, xp, self.dtype)
        rows = xp.reshape(drawn, (batch, copies, k, d))
        coordinates = xp.astype(self.coordinates, self.dtype)
        if k == 1:
            if d == 1:  # a float32 normal may be 0, whose direction is as good as another
                rows = xp.where(rows < 0, -xp.ones_like(rows), xp.ones_like(rows))
            lengths = xp.sqrt(xp.vecdot(rows, rows, axis=-1))[..., None]
            if n == 1:
                rows *= coordinates / lengths
            else:
                rows = xp.matrix_transpose(coordinates) / lengths * rows
        else:
            rows = xp.matmul(xp.matrix_transpose(frame_coordinates(rows, coordinates)), rows)
        if self.kind == "simplex":
            simplex_rows(rows)
        if copies > 1:
            rows = xp.permute_dims(rows, (0, 2, 1, 3))
        return xp.reshape(rows, (batch, n, copies * d))[..., :m]

    def _reduced(self, values: Array) -> Array:
        """Return log means of exp, or means of cos, of (B, n, m) along the last axis; overwrites its argument."""
        xp = self.xp
        if not self.positive:
            return xp.mean(xp.astype(xp.cos(values), xp.float64), axis=-1)
        m = values.shape[-1]
        if self._moderate:
            return xp.log(xp.sum(xp.exp(values), axis=-1, dtype=xp.float64) / m)
        peak = xp.max(values, axis=-1, keepdims=True)
        values -= peak
        total = xp.sum(xp.exp(values), axis=-1, dtype=xp.float64)
        return xp.astype(peak[..., 0], xp.float64) + xp.log(total / m)

    def _compiled(self, blocks: range) -> Array:
        compiled = kernels("kernels_numba", "numba", "fast")
        d, m = int(self.vectors.shape[1]), self.mechanism.m
        codes, arguments = self._codes(), self._kernel_arguments(d)
        if self.kind != "iid" and self.coordinates.shape == (1, 1):
            point = kernels("kernels_point", "numba", "fast")
            if point.takes(d, m):
                coordinate = float(self.coordinates[0, 0])
                point_arguments = coordinate, self._moderate, self._real_name()
                return point.estimates(self.stream.key, blocks, d, m, *codes, *point_arguments)[:, None]
        return compiled.estimates(self.stream.key, blocks, d, m, *codes, *arguments, self._real_name())

    def _cuda(self, blocks: range) -> Array:
        d, m = int(self.vectors.shape[1]), self.mechanism.m
        head = (self.stream.key, blocks, d, m, *self._codes(), self.host_coordinates, self._real_name())
        return kernels_cuda.estimates(kernels_cuda.Request(*head))

    def _sizes(self) -> kernels_cuda.Sizes:
        """Return the sizes for which the CUDA kernel is compiled, checked."""
        d, m = int(self.vectors.shape[1]), self.mechanism.m
        head = (0, range(1), d, m, *self._codes(), to_host(self.coordinates), self._real_name())
        return kernels_cuda.Request(*head).sizes.checked()

    def _codes(self) -> tuple[int, int]:
        """Return the coupling and the feature in the form that the kernels take."""
        return KINDS.index(self.kind), 0 if self.positive else 1

    def _kernel_arguments(self, d: int) -> tuple[Any, ...]:
        """Return the coordinates and the polynomials of the chi laws in the form that the kernels take."""
        return kernel_arguments(self.kind, self.host_coordinates, d, self._real_name())

    def _real_name(self) -> str:
        return "float32" if self.dtype == self.xp.float32 else "float64"

    def _need_compiled(self) -> None:
        if self.stream.kind != "portable":
            raise InvalidInput("stream", needs="kind='portable' for compiled kernels", got=self.stream.kind)
        if self.engine == "cuda":
            self._sizes()
            if not on_device(self.xp):
                raise InvalidInput("x", needs="CuPy arrays for engine='cuda'", got=self.xp.__name__)
        elif self.engine == "compiled":
            if not is_numpy(self.xp):
                raise InvalidInput("x", needs="NumPy arrays for engine='compiled'", got=self.xp.__name__)
            kernels("kernels_numba", "numba", "fast")


def kernel_arguments(kind: str, coordinates: np.ndarray, d: int, real: str = "float64") -> tuple[Any, ...]:
    """Return coordinates (k, n) and the polynomials of the chi laws in the form that the compiled kernels take.

    Examples
    --------
    >>> _, chis, residuals = kernel_arguments("iid", np.eye(1), 16)
    >>> len(chis) > 0, residuals  # fewer than 16 degrees of freedom need none
    (True, ())
    """
    chi, rest = polynomial32 if real == "float32" else polynomial, d - coordinates.shape[0]
    residuals = chi(rest) if kind == "iid" and rest >= SMOOTH_FROM else ()
    return coordinates, chi(d) if d >= SMOOTH_FROM else (), residuals


def has_kernels(mechanism: Any) -> bool:
    """Return whether the compiled engines have kernels for a mechanism, apart from its dimensions.

    Examples
    --------
    >>> has_kernels(Mechanism("positive", "simplex", 64)), has_kernels(Mechanism("positive", "hadamard-simplex", 64))
    (True, False)
    """
    if not isinstance(mechanism, Mechanism):
        return False
    return isinstance(mechanism.feature_map, Positive | Trigonometric) and bool(
        kind_of(mechanism.coupling, CHI)
    )


def _log_scale(value: Any, n: int, xp: Any) -> Array:
    given = hasattr(value, "shape") or isinstance(value, list | tuple)
    host = to_host(value) if given else np.asarray(value)
    if host.dtype.kind not in "fiu" or host.shape not in ((), (1,), (n,)) or not np.isfinite(host).all():
        raise InvalidInput("log_scale", needs=f"a finite number, or one for each of {n} pairs", got=value)
    return xp.asarray(host.astype(float))


def _tiles(blocks: range, height: int) -> list[range]:
    """Cut the blocks at multiples of ``height``, where pages of a native stream also end."""
    cuts = range((blocks.start // height + 1) * height, blocks.stop, height)
    edges = [blocks.start, *cuts, blocks.stop]
    return [range(*ends) for ends in pairwise(edges)]


def kind_of(law: Any, *norms: NormLaw) -> str:
    """Return which kind of kernels a coupling with one of these laws of norms has, a word of `KINDS`; empty if none.

    Examples
    --------
    >>> from rftheory.sample import coupling
    >>> kind_of(coupling("simplex"), CHI), kind_of(coupling("simplex+"), CHI)
    ('simplex', '')
    """
    if isinstance(law, Independent):
        return "iid"
    if isinstance(law, Geometric) and law.rotation == HAAR and law.norm_law in norms:
        if law.shape == IDENTITY:
            return "orthogonal"
        if law.shape == SIMPLEX:
            return "simplex"
    return ""


_said: set[tuple[str, str]] = set()


def _say_once(engine: str, mechanism: Mechanism) -> None:
    """Log that the array engine takes over, once for each kind of mechanism."""
    kind = f"{mechanism.feature_map.name} x {mechanism.coupling.name}"
    if (engine, kind) not in _said:
        _said.add((engine, kind))
        LOGGER.warning("no %s kernels for %s: the array engine computes it", engine, kind)
