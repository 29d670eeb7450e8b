"""What the mechanisms cost, counted in operations on arrays: Simplex Table 1 and, in kind, Chefs' Fig. 4 right.

The code of the samplers runs on arrays that count: an elementwise operation counts its results, a sum its terms, a
matrix product two operations for each term, a QR decomposition with its Q 4/3 d^3 + 4/3 d^3. Counts are the same on
every machine, which times are not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from rftheory.figures.style import COLOURS, SETTINGS, label_end, new_figure, rounded
from rftheory.sample import Mechanism, Stream, averages, oprf
from rftheory.sample.features import Side, draw_marks

Data = dict[str, Any]


class Counter:
    """Operations so far, and the largest array that was made, in elements."""

    def __init__(self) -> None:
        self.operations = 0
        self.largest = 0

    def array(self, values: np.ndarray) -> Counted:
        """Return the values as an array that counts here."""
        found = np.asarray(values, dtype=float).view(Counted)
        found.counter = self
        return found


class Counted(np.ndarray):
    """An array that reports what is done with it to a counter.

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
        """The result with this counter, which joining arrays loses."""
        if isinstance(found, np.ndarray) and found.dtype.kind == "f":
            found = found.view(Counted)
            found.counter = self.counter
        return found


def slope(sizes: Any, counts: Any) -> float:
    """Return the exponent between the last two sizes."""
    return float(np.log(counts[-1] / counts[-2]) / np.log(sizes[-1] / sizes[-2]))


# ---- Simplex, Table 1 ----------------------------------------------------------------------------------

TAB1_DIMENSIONS = (16, 32, 64, 128, 256, 512, 1024)
TAB1_PRINTED = {"ORF": "d^3", "SimRF": "d^3", "SimRF+": "d^3", "fast ORF": "d log d", "fast SimRF": "d log d",
    "fast SimRF+": "d^3"}  # fmt: skip
TAB1_COLOURS = {"ORF": COLOURS["orthogonal"], "SimRF": COLOURS["simplex"], "SimRF+": COLOURS["simplex+"],
    "fast ORF": "#56b4e9", "fast SimRF": "#cc79a7", "fast SimRF+": "#999933"}  # fmt: skip
TAB1_SWEEPS = 10


def tab1_data(dimensions: tuple[int, ...] = TAB1_DIMENSIONS) -> Data:
    """Operations to draw a block of d projections and apply it to one vector (Table 1)."""
    counts = {name: [_block_operations(name, d) for d in dimensions] for name in TAB1_PRINTED}
    rows = []
    for name, printed in TAB1_PRINTED.items():
        found = slope(dimensions, counts[name])
        ratio = np.log(dimensions[-1]) / np.log(dimensions[-2])
        growth = 3.0 if printed == "d^3" else 1 + float(np.log2(ratio))
        rows.append(
            {
                "mechanism": name,
                "printed": f"O({printed})",
                "exponent_of_printed": rounded(growth),
                "exponent_counted": rounded(found),
                "within_the_bound": found <= growth + 0.1,
            }
        )
    return {
        "figure": "Simplex Random Features, Table 1",
        "claims": ["simplex.tab1", "simplex.s4.space"],
        "parameters": {"d": list(dimensions), "iterations of SimRF+": TAB1_SWEEPS},
        "differs": "operations are counted, not bounded; a fixed number of 10 sweeps of SimRF+, whose order the paper "
        "gives as O(d^3) and which takes O(d^2) with a running resultant",
        "counts": {name: [int(c) for c in values] for name, values in counts.items()},
        "rows": rows,
    }


def _block_operations(name: str, d: int) -> int:
    """Operations of the code of the sampler on the Gaussian matrix, the norms and the vector."""
    from rftheory.sample.fast_rotations import walsh_hadamard
    from rftheory.sample.rotations import orthonormal_columns
    from rftheory.sample.shapes import simplex_multiply
    from rftheory.sample.simplex_plus import simplex_plus_directions

    counter, stream = Counter(), Stream.named(f"paper_figures/simplex_tab1 {d}")
    x = counter.array(np.asarray(stream.normals(range(1), d))[0])
    norms = counter.array(np.asarray(stream.chis(range(1), d, d))[0])
    if name.startswith("fast"):
        turned = x
        for k in range(3):
            signs = np.sign(np.asarray(stream.child(f"signs {k}").normals(range(1), d))[0])
            turned = walsh_hadamard(signs * turned)
    else:
        gaussian = np.asarray(stream.child("matrix").normals(range(1), d * d)).reshape(d, d)
        turned = orthonormal_columns(counter.array(gaussian)) @ x
    shaped: Any = turned
    if name.endswith("SimRF+"):
        directions = simplex_plus_directions(norms, max_sweeps=TAB1_SWEEPS, tolerance=0.0).directions
        shaped = directions @ turned
    elif name.endswith("SimRF"):
        shaped = simplex_multiply(turned[:, None])[:, 0]
    assert np.shape(norms * shaped) == (d,)
    return counter.operations


def tab1(data: Data) -> Figure:
    """Draw Table 1: counted operations against d."""
    with matplotlib.rc_context(SETTINGS):
        figure, axes = new_figure()
        sizes = data["parameters"]["d"]
        for name, counts in data["counts"].items():
            fast = name.startswith("fast")
            axes.plot(
                sizes, counts, color=TAB1_COLOURS[name], ls=(0, (4, 2)) if fast else "-", marker="o", ms=3
            )
        ends = {"ORF, SimRF, SimRF+": ("ORF", "black"), "fast SimRF+": ("fast SimRF+", "black"),
                "fast ORF, fast SimRF": ("fast ORF", "black")}  # fmt: skip
        for text, (name, colour) in ends.items():
            label_end(axes, text, sizes[-1], data["counts"][name][-1], colour)
        axes.set(xscale="log", yscale="log", xticks=sizes, xticklabels=[str(d) for d in sizes])
        axes.minorticks_off()
        axes.set_xlabel("dimension $d$")
        axes.set_ylabel("operations")
        axes.set_title("Drawing and applying a block of $d$ projections, counted")
        return figure


# ---- Chefs, Fig. 4 right in kind -----------------------------------------------------------------------

FIG4_LENGTHS = (128, 256, 512, 1024, 2048, 4096)
FIG4_HEAD = 64
FIG4_FEATURES = 256
FIG4_COLOURS = {"softmax": "#000000", "FAVOR+": "#d55e00", "FAVOR++": "#0072b2"}


def attention(values: Any, mechanism: Mechanism, stream: Stream, queries: Any, keys: Any) -> Any:
    """Return attention with random features: features of queries times the sums over keys, O(L M d)."""
    logs = _log_features(mechanism, stream, queries, "left")
    others = _log_features(mechanism, stream, keys, "right")
    weights, others = np.exp(logs - np.max(logs)), np.exp(others - np.max(others))
    return (weights.T @ (others @ values)) / (weights.T @ np.sum(others, axis=1))[:, None]


def _log_features(mechanism: Mechanism, stream: Stream, x: Any, side: Side) -> Any:
    """Logarithms of positive features (M, L), by the steps of the mechanism; the products with x are counted."""
    d, m, phi = x.shape[1], mechanism.m, mechanism.feature_map
    block = mechanism.coupling.draw(stream, range(1), d, m)
    marks = draw_marks(phi, stream, range(1), m, block.norms, d, np)
    projected = (block.projections[0] @ x.T)[None]
    return phi.components(projected, np.sum(x * x, axis=1), "softmax", side, marks).log_scale[0]


def exact_attention(values: Any, queries: Any, keys: Any) -> Any:
    """Return softmax attention, O(L^2 d)."""
    logs = queries @ keys.T
    weights = np.exp(logs - np.max(logs))
    return (weights @ values) / np.sum(weights, axis=1)[:, None]


def fig4_data(lengths: tuple[int, ...] = FIG4_LENGTHS) -> Data:
    """Operations and largest array of one attention head against sequence length (Fig. 4 right in kind)."""
    stream = Stream.named("paper_figures/chefs_fig4")
    operations: dict[str, list[int]] = {name: [] for name in FIG4_COLOURS}
    largest: dict[str, list[int]] = {name: [] for name in FIG4_COLOURS}
    for length in lengths:
        drawn = np.asarray(stream.child(str(length)).normals(range(3), length * FIG4_HEAD))
        q, k, v = drawn.reshape(3, length, FIG4_HEAD)
        q, k = q / FIG4_HEAD**0.25, k / FIG4_HEAD**0.25
        square = averages(q, k).square_sum
        runs: dict[str, Callable[[Any, Any, Any], Any]] = {
            "softmax": lambda a, b, c: exact_attention(c, a, b),
            "FAVOR+": _run(Mechanism("positive", "orthogonal", FIG4_FEATURES), stream),
            "FAVOR++": _run(Mechanism(oprf(square, FIG4_HEAD), "orthogonal", FIG4_FEATURES), stream),
        }
        for name, run in runs.items():
            counter = Counter()
            run(counter.array(q), counter.array(k), counter.array(v))
            operations[name].append(counter.operations)
            largest[name].append(counter.largest)
    return {
        "figure": "Chefs' Random Tables, Fig. 4 right in kind",
        "claims": ["chefs.5.3.vision"],
        "parameters": {
            "L": list(lengths),
            "head": FIG4_HEAD,
            "M": FIG4_FEATURES,
            "coupling": "orthogonal",
            "stream": stream.key,
        },
        "differs": "one attention head on arrays in place of a trained Vision Transformer, counted operations and "
        "memory in place of steps per second",
        "operations": operations,
        "largest_array": largest,
        "rows": [
            {
                "mechanism": name,
                "printed": "linear in L" if name != "softmax" else "quadratic in L",
                "exponent_counted": rounded(slope(lengths, operations[name])),
                "exponent_of_memory": rounded(slope(lengths, largest[name])),
            }
            for name in FIG4_COLOURS
        ],
    }


def _run(mechanism: Mechanism, stream: Stream) -> Callable[[Any, Any, Any], Any]:
    return lambda a, b, c: attention(c, mechanism, stream, a, b)


def fig4(data: Data) -> Figure:
    """Draw Fig. 4 right in kind: operations and memory against the sequence length."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.6, 3.0), layout="constrained")
        panels = figure.subplots(1, 2)
        lengths = data["parameters"]["L"]
        for axes, (key, label) in zip(
            panels,
            (("operations", "operations"), ("largest_array", "largest array, elements")),
            strict=True,
        ):
            for name, counts in data[key].items():
                dashed = (0, (4, 2)) if name == "FAVOR++" else "-"
                axes.plot(lengths, counts, color=FIG4_COLOURS[name], ls=dashed, marker="o", ms=3, label=name)
            axes.set(xscale="log", yscale="log", xticks=lengths, xticklabels=[str(n) for n in lengths])
            axes.minorticks_off()
            axes.set_xlabel("sequence length $L$")
            axes.set_ylabel(label)
        panels[0].legend(frameon=False)
        return figure


__all__ = ["Counter", "fig4", "fig4_data", "tab1", "tab1_data"]
