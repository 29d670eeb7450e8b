"""A stream whose estimates come from the fused kernels whenever there are some.

Callers use `Mechanism.estimate` as usual; the stream that they pass decides what computes. The same statistic can
thus be computed by arrays, by compiled code or on a device, and reports afterwards which of them it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rftheory.errors import BackendUnavailable, InvalidInput, OutsideDomain
from rftheory.sample.arrays import Array, Namespace, array_namespace, device_name, is_numpy, on_device
from rftheory.sample.checks import kernels, numba_missing
from rftheory.sample.fused import KINDS, Engine, Fused, has_kernels, kernel_arguments, kind_of
from rftheory.sample.norms import CHI, FIXED
from rftheory.sample.projections import Projected
from rftheory.sample.rotations import frame_of
from rftheory.sample.stream import Stream


@dataclass(frozen=True)
class ServedStream(Stream):
    """A stream for `Mechanism.estimate` that uses kernels if there are some, with portable draws of the same key.

    Parameters
    ----------
    key, kind : as in `Stream`; the kind applies to what the arrays compute.
    engine : ``"compiled"`` for NumPy arrays, ``"cuda"`` for those of CuPy.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample import Mechanism
    >>> stream = serving(np, "demo")
    >>> x = np.full(8, 0.1)
    >>> stream.kind, bool(Mechanism("positive", "simplex", 8).estimate(stream, range(99), x, x).mean() > 0.9)
    ('native', True)
    >>> sorted(stream.used)
    ['compiled']
    """

    engine: Engine = "compiled"
    used: set[str] = field(default_factory=set, compare=False, repr=False)

    def estimates(
        self, mechanism: object, blocks: range, x: Array, y: Array, kernel: str = "gaussian"
    ) -> Array | None:
        """Return the estimates of a pair, (B,), or ``None`` if there is no kernel for it.

        Examples
        --------
        >>> import numpy as np
        >>> from rftheory.sample import Mechanism
        >>> x = np.full(64, 0.1)
        >>> ServedStream(1).estimates(Mechanism("positive", "hadamard-simplex", 8), range(9), x, x) is None
        True
        """
        found = self._by_kernels(mechanism, blocks, x, y, kernel)
        if found is not None:
            self.used.add(self.engine)
        return found

    def projected(self, coupling: Any, blocks: range, vectors: Array, m: int) -> Projected | None:
        """Return the projections of vectors (n, d) on a coupling if compiled kernels draw them.

        Examples
        --------
        >>> import numpy as np
        >>> from rftheory.sample import coupling
        >>> ServedStream(1).projected(coupling("hadamard-simplex"), range(9), np.eye(2), 2) is None
        True
        """
        (n, d), kind = vectors.shape, kind_of(coupling, CHI, FIXED)
        if not kind or (kind == "orthogonal" and m < min(n, d)):  # then the rows are fewer than the frame's
            return None
        coordinates = frame_of(vectors)[1]
        compiled = self._compiled(array_namespace(vectors)) if coordinates.shape[0] else None
        if compiled is None:
            return None
        frame, chis, residuals = kernel_arguments(kind, coordinates, d)
        if kind != "iid" and coupling.norm_law == FIXED:
            chis = (math.sqrt(d),)  # a constant function of a normal
        values, norms = compiled.projections(
            self.key, blocks, d, m, KINDS.index(kind), frame, chis, residuals
        )
        return Projected(values, norms, d)

    def frames(self, blocks: range, copies: int, k: int, d: int, xp: Namespace) -> Array | None:
        """Return uniform orthonormal frames of k vectors, (B, copies, k, d), if compiled kernels draw them.

        Examples
        --------
        >>> import numpy as np
        >>> ServedStream(1, engine="array").frames(range(9), 1, 2, 3, np) is None
        True
        """
        compiled = self._compiled(xp)
        found: Array = None if compiled is None else compiled.frames(self.key, blocks, copies, k, d)
        return found

    def _compiled(self, xp: Namespace) -> Any:
        """Return the compiled kernels, which are used then, or ``None`` if they are not for these arrays."""
        if self.engine != "compiled" or not is_numpy(xp) or numba_missing():
            return None
        self.used.add(self.engine)
        return kernels("kernels_numba", "numba", "fast")

    def _paged(self, *request: Any) -> np.ndarray:
        self.used.add("array")
        return super()._paged(*request)

    def _words(self, *request: Any) -> Array:
        self.used.add("array")
        return super()._words(*request)

    def _by_kernels(self, mechanism: Any, blocks: range, x: Array, y: Array, kernel: Any) -> Array | None:
        if self.engine == "array" or not has_kernels(mechanism):
            return None
        if len(x.shape) != 1 or tuple(x.shape) != tuple(y.shape):
            return None
        try:
            portable = Stream(self.key, "portable")
            fused = Fused(mechanism, portable, x[None, :], y[None, :], kernel, engine=self.engine)
        except (BackendUnavailable, InvalidInput, OutsideDomain):
            return None
        return fused(blocks)[
            :, 0
        ]  # errors raised here depend on the draws; replacing those draws would bias the result

    def describe(self, xp: Namespace) -> dict[str, str]:
        """Return what has computed so far: stream, engine and device, as text for JSON.

        Examples
        --------
        >>> import numpy as np
        >>> serving(np, "demo").describe(np)["engine"]
        'array'
        """
        used = sorted(self.used) or ["array"]
        kinds = sorted({self.kind if name == "array" else "portable" for name in used})
        return {"stream": " and ".join(kinds), "engine": " and ".join(used), "device": device_name(xp)}


def serving(xp: Namespace, label: str, seed: int = 0, *, kernels: bool = True) -> Stream:
    """Return the best stream with this label for the arrays of a namespace.

    On a device, draws are portable and the CUDA kernels are used. On the host, arrays draw from NumPy's own generator,
    and the compiled kernels are used if their library is installed. Without ``kernels``, arrays compute everything.

    Examples
    --------
    >>> import numpy as np
    >>> serving(np, "demo", kernels=False).used
    set()
    """
    device = on_device(xp)
    plain = Stream.named(label, seed=seed, kind="portable" if device else "native")
    engine: Engine = "cuda" if device else "compiled"
    if not kernels or (engine == "compiled" and (numba_missing() or not is_numpy(xp))):
        engine = "array"
    return ServedStream(plain.key, plain.kind, engine)
