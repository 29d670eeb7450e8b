"""A stream whose estimates come from the fused kernels whenever there are some.

Callers use `Mechanism.estimate` as usual; the stream that they pass decides what computes. The same statistic can
thus be computed by arrays, by compiled code or on a device, and reports afterwards which of them it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rftheory.errors import BackendUnavailable, InvalidInput, OutsideDomain
from rftheory.sample.arrays import Array, Namespace, device_name, on_device
from rftheory.sample.checks import numba_missing
from rftheory.sample.fused import Engine, Fused, has_kernels
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
    >>> sorted(stream.used)  # eight dimensions are too few for the kernels
    ['array']
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
        self.used.add("array" if found is None else self.engine)
        return found

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
    if not kernels or (
        engine == "compiled" and (numba_missing() or xp.__name__.rsplit(".", 1)[-1] != "numpy")
    ):
        engine = "array"
    return ServedStream(plain.key, plain.kind, engine)
