"""The cost of mechanisms, counted in operations on arrays.

The samplers run on arrays that count: one operation for each result of an elementwise function and for each term of
a sum, two for each term of a matrix product, 4/3 d^3 + 4/3 d^3 for a QR decomposition with its Q. Unlike times, counts
are the same on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rftheory.sample import Mechanism, Stream
from rftheory.sample.features import Side, draw_marks
from rftheory.sample.projections import rows_of


class Counter:
    """Operations so far, and the number of elements of the largest array."""

    def __init__(self) -> None:
        self.operations = 0
        self.largest = 0

    def array(self, values: np.ndarray) -> Counted:
        """Return the values as an array that reports to this counter."""
        found = np.asarray(values, dtype=float).view(Counted)
        found.counter = self
        return found


class Counted(np.ndarray):
    """An array that reports its operations to a counter.

    Examples
    --------
    >>> counter = Counter()
    >>> x = counter.array(np.ones((2, 3)))
    >>> _ = (x + 1) @ x.T
    >>> counter.operations
    30
    """

    counter: Counter | None

    def __array_finalize__(self, source: Any) -> None:
        self.counter = getattr(source, "counter", None)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        counter = next(a.counter for a in inputs if isinstance(a, Counted))
        plain = [a.view(np.ndarray) if isinstance(a, Counted) else a for a in inputs]
        outputs = options.get("out")
        if outputs:
            options["out"] = tuple(o.view(np.ndarray) if isinstance(o, Counted) else o for o in outputs)
        found = getattr(ufunc, method)(*plain, **options)
        if counter is not None:
            size = np.size(found)
            if ufunc is np.matmul:
                counter.operations += 2 * size * plain[0].shape[-1]
            else:
                counter.operations += np.size(plain[0]) if method == "reduce" else size
            counter.largest = max(counter.largest, size)
        if not isinstance(found, np.ndarray) or found.dtype.kind != "f":
            return found
        wrapped = found.view(Counted)
        wrapped.counter = counter
        return wrapped

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function is np.linalg.qr:
            rows, columns = self.shape[-2:]
            if self.counter is not None:
                # Householder: 2 n k^2 - 2 k^3/3 for R, the same for Q.
                self.counter.operations += 2 * (2 * rows * columns**2 - 2 * columns**3 // 3)
            return np.linalg.qr(arguments[0].view(np.ndarray))
        return self._adopted(super().__array_function__(function, types, arguments, options))

    def _adopted(self, found: Any) -> Any:
        """The result with this counter, which is lost when arrays are joined."""
        if isinstance(found, np.ndarray) and found.dtype.kind == "f":
            found = found.view(Counted)
            found.counter = self.counter
        return found


def slope(sizes: Any, counts: Any) -> float:
    """Return the exponent between the last two sizes."""
    return float(np.log(counts[-1] / counts[-2]) / np.log(sizes[-1] / sizes[-2]))


def attention(values: Any, mechanism: Mechanism, stream: Stream, queries: Any, keys: Any) -> Any:
    """Return attention with random features: features of queries times the sums over keys, O(L M d)."""
    logs = _log_features(mechanism, stream, queries, "left")
    others = _log_features(mechanism, stream, keys, "right")
    weights, others = np.exp(logs - np.max(logs)), np.exp(others - np.max(others))
    return (weights.T @ (others @ values)) / (weights.T @ np.sum(others, axis=1))[:, None]


def _log_features(mechanism: Mechanism, stream: Stream, x: Any, side: Side) -> Any:
    """Logarithms of positive features (M, L), by the steps of the mechanism; the products with x are counted."""
    d, m, phi = x.shape[1], mechanism.m, mechanism.feature_map
    rows = rows_of(mechanism.coupling, stream, range(1), d, m)
    marks = draw_marks(phi, stream, range(1), m, rows.norms, rows.dim, np)
    projected = (rows.values[0] @ x.T)[None]
    return phi.components(projected, np.sum(x * x, axis=1), "softmax", side, marks).log_scale[0]


def exact_attention(values: Any, queries: Any, keys: Any) -> Any:
    """Return softmax attention, O(L^2 d)."""
    logs = queries @ keys.T
    weights = np.exp(logs - np.max(logs))
    return (weights @ values) / np.sum(weights, axis=1)[:, None]
