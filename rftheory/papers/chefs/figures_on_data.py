"""Variances in four regimes and classification of the UCI tables in *Chefs' random tables*: Fig. 2 and Table 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from scipy import special

from rftheory.errors import RFTheoryError
from rftheory.exact import find_formula
from rftheory.figures.compare import beside, decided, ordering
from rftheory.figures.data import UCI, mnist, split, standardised, table
from rftheory.figures.regression import accuracies
from rftheory.figures.style import SETTINGS, printed_beside, rounded
from rftheory.printed import CHEFS_AVERAGES, CHEFS_METHODS, CHEFS_TABLE_1
from rftheory.sample import (
    DiscreteMechanism,
    GeometricCounts,
    Gerf,
    Mechanism,
    Poisson,
    RandomFeatures,
    Stream,
    averages,
    oprf,
    shift_below,
)
from rftheory.sample.parameters import (
    geometric_parameter,
    gerf_parameters,
    oprf_parameter,
    poisson_rate,
)

Data = dict[str, Any]

COLOURS = {"TrigRF": "#6b6b6b", "PosRF": "#000000", "GERF": "#0072b2", "PoisRF": "#009e73", "GeomRF": "#cc79a7",
    "OPRF": "#d55e00", "PoisRF+": "#56b4e9", "GeomRF+": "#e69f00"}  # fmt: skip

# ---- Fig. 2: log-variances in four regimes -------------------------------------------------------------

FIG2_DIMENSION = 64
FIG2_PAIRS = 100
FIG2_SCALES = tuple(k / 10 for k in range(1, 11))
FIG2_CLAIMS = {("GERF", "TrigRF"): {"normal": 80, "heterogen": 125, "mnist": 10},
    ("OPRF", "PosRF"): {"normal": 75, "heterogen": 125, "mnist": 7},
    ("GeomRF+", "PosRF"): {"normal": 75, "heterogen": 125, "mnist": 7}}  # fmt: skip
"""Printed: the variance is more than e^number times smaller at sigma = 1."""

RESIZED = {"bilinear": "mnist", "nearest": "mnist, nearest pixel", "area": "mnist, means over areas"}
"""Readings of "resized to 8 x 8"; the first is drawn."""
MNIST_IMAGES = 5000

FIG2_FINDS = ("On images GERF gains nothing on TrigRF, where e^10 is claimed, in any of three readings of the resizing; the "
"claims for normal and heterogen hold for GERF and OPRF, by exact means")  # fmt: skip
NON_POSITIVE = ("TrigRF", "GERF", "PoisRF", "GeomRF")
POSITIVE = ("PosRF", "OPRF", "PoisRF+", "GeomRF+")


def fig2_data(pairs: int = FIG2_PAIRS) -> Data:
    """Mean and standard deviation of the log-variance of one feature pair, d = 64 (Fig. 2)."""
    stream = Stream.named("paper_figures/chefs_fig2")
    regimes: dict[str, Any] = {}
    orderings = []
    for regime, (x, y) in _regimes(stream, pairs).items():
        scales = FIG2_SCALES if "," not in regime else FIG2_SCALES[-1:]
        found: dict[str, list[np.ndarray]] = {name: [] for name in COLOURS}
        for scale in scales:
            for name, values in log_variances(scale * x, scale * y).items():
                found[name].append(values)
        if scales == FIG2_SCALES:
            regimes[regime] = {
                name: {
                    "mean": rounded([v.mean() for v in values]),
                    "deviation": rounded([v.std(ddof=1) for v in values]),
                }
                for name, values in found.items()
            }
        for (better, worse), numbers in FIG2_CLAIMS.items():
            number = numbers.get(regime.split(",")[0])
            if number is not None:
                gain = found[worse][-1] - found[better][-1]
                orderings.append(_gain(better, worse, regime, number, gain))
    return {
        "figure": "Chefs' Random Tables, Fig. 2",
        "finds": FIG2_FINDS,
        "claims": ["chefs.fig2", "chefs.5.1.gerf-trig", "chefs.5.1.oprf-pos", "chefs.5.1.outperform"],
        "parameters": {
            "d": FIG2_DIMENSION,
            "pairs": pairs,
            "sigma": [f"{s:g}" for s in FIG2_SCALES],
            "stream": stream.key,
        },
        "differs": "number of pairs, grid, optimiser, shift and resizing are not stated: here parameters are optimal "
        "for each pair, the shift is 1e-6 below all pairs of a regime, images have pixels in [0, 1] and are resized "
        "by interpolation without smoothing (two other readings among the orderings). Gains are means of differences "
        "of log-variances; for normal and heterogen the mean over all pairs is known exactly for OPRF. The more "
        "pairs, the larger the shift, and GeomRF+ gains less",
        "regimes": regimes,
        "orderings": orderings,
    }


def _gain(better: str, worse: str, regime: str, number: int, gain: np.ndarray) -> dict[str, Any]:
    """Whether the mean gain of log-variance at sigma = 1 exceeds the printed number; exact where known."""
    mean, error = float(gain.mean()), float(gain.std(ddof=1)) / gain.size**0.5
    found = {
        "says": f"Var {worse} > e^{number} Var {better} at sigma = 1",
        "where": regime,
        "difference": rounded(mean),
        "error": rounded(error),
        "verdict": decided(mean - number, error),
    }
    if better in ("OPRF", "GERF") and regime in ("normal", "heterogen"):
        # GERF gains at least what OPRF, one of its members, does.
        formula = find_formula("mean_log_gain" if worse == "PosRF" else "mean_log_gain_trig")
        offset = FIG2_DIMENSION if regime == "heterogen" else 0
        exact = float(formula.enclose(8, offset=offset, d=FIG2_DIMENSION, sigma=1))
        found["exact_mean_of_OPRF"] = rounded(exact)
        if exact > number:
            found["verdict"] = "confirmed"
    return found


def _regimes(stream: Stream, pairs: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Pairs at sigma = 1; all regimes scale with sigma."""
    d = FIG2_DIMENSION

    def normals(label: str) -> np.ndarray:
        return np.asarray(stream.child(label).normals(range(pairs), d))

    sphere = [normals(f"sphere {side}") for side in "xy"]
    chosen = np.asarray(stream.child("mnist").uniforms(range(1), 2 * pairs))[0]
    images = (mnist() / 255)[(chosen * MNIST_IMAGES).astype(int)]
    picked = {how: _resized(images, how).reshape(2, pairs, d) for how in RESIZED}
    return {
        "normal": (normals("normal x"), normals("normal y")),
        "sphere": (sphere[0] / _lengths(sphere[0]), sphere[1] / _lengths(sphere[1])),
        "heterogen": (normals("heterogen x"), 1 + normals("heterogen y")),
        **{name: (picked[how][0], picked[how][1]) for how, name in RESIZED.items()},
    }


def _lengths(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points, axis=1, keepdims=True)


def _resized(images: np.ndarray, how: str, size: int = 8) -> np.ndarray:
    """Images (n, 28, 28) as (n, size, size): interpolated at the centres, nearest pixel, or means over areas."""
    old = images.shape[1]
    pixels, centres = np.arange(old), (np.arange(size) + 0.5) * old / size
    if how == "bilinear":
        weights = np.clip(1 - np.abs(centres[:, None] - 0.5 - pixels), 0, None)
    elif how == "nearest":
        weights = (np.floor(centres)[:, None] == pixels).astype(float)
    else:
        edges = np.arange(size + 1) * old / size
        share = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
        weights = np.clip(share, 0, None) * size / old
    return np.asarray(weights @ images @ weights.T)


def log_variances(x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return log-variances of one feature pair of the Gaussian kernel for the rows of x and y.

    Each from the analytic formulas (6), (11), (13), at the parameters that are best for the pair.
    """
    shift = np.asarray(shift_below(x, y))
    found: dict[str, list[float]] = {name: [] for name in COLOURS}
    for one, two in zip(x, y, strict=True):
        log_kernel = -float(((one - two) ** 2).sum())
        q = float(((one + two) ** 2).sum())
        moved = (one - shift, two - shift)
        found["TrigRF"].append(2 * _log1mexp(log_kernel) - math.log(2))
        seconds = {
            "PosRF": log_kernel + q,
            "OPRF": log_kernel + oprf_log_second(q, one.size),
            "GERF": gerf_log_second(one, two),
            "PoisRF": poisson_log_second(one, two),
            "GeomRF": geometric_log_second(one, two),
            "PoisRF+": poisson_log_second(*moved),
            "GeomRF+": geometric_log_second(*moved),
        }
        for name, second in seconds.items():
            found[name].append(second + _log1mexp(min(log_kernel - second, -1e-300)))
    return {name: np.array(values) for name, values in found.items()}


def _log1mexp(x: float) -> float:
    """log(1 - e^x) for x < 0."""
    if x == 0:
        return -math.inf
    return math.log(-math.expm1(x)) if x > -0.7 else math.log1p(-math.exp(x))


def oprf_log_second(q: float, d: int) -> float:
    """Return log E (Z/K)^2 of OPRF, q = |x + y|^2."""
    rho = 1 / (1 - 8 * oprf_parameter(q, d))
    return d * math.log((1 + rho) / (2 * math.sqrt(rho))) + q * rho


def gerf_log_second(x: np.ndarray, y: np.ndarray) -> float:
    """Return log E (Re Z)^2 of GERF at the best (A, s) for the pair: formula (6) without K^2.

    With 1 - 8 A = e^l (1 + i tan phi) the search is over a grid of l and phi that is refined around its best point.
    """
    norms = float((x**2).sum() + (y**2).sum())
    best = math.inf
    for s in (1, -1):
        z = float(((x + s * y) ** 2).sum())
        level, angle, reach = 2.0, 0.0, (6.0, 1.45)
        for _ in range(7):
            levels = level + reach[0] * np.linspace(-1, 1, 61)[:, None]
            angles = np.clip(angle + reach[1] * np.linspace(-1, 1, 31), 0, 1.5)
            values = gerf_second((1 - np.exp(levels) * (1 + 1j * np.tan(angles))) / 8, s, z, norms, x.size)
            row, column = np.unravel_index(values.argmin(), values.shape)
            level, angle = float(levels[row, 0]), float(angles[column])
            reach = (reach[0] / 6, reach[1] / 6)
        best = min(best, float(values.min()))
    return best


def gerf_second(a: np.ndarray | complex, s: int, z: float, norms: float, d: int) -> np.ndarray:
    """Return log E (Re Z)^2 of one GERF estimator, z = |x + s y|^2 (E Z^2 and E |Z|^2 of eq. 6)."""
    a = np.asarray(a, dtype=complex)
    w, spread = 1 - 8 * a, 1 - 8 * a.real
    one = d / 2 * np.log(1 + 16 * a * a / w) + (s + s / w) * z
    two = d / 2 * np.log1p(16 * np.abs(a) ** 2 / spread)
    two = two + (s / 2 + (s + 2 * np.abs(1 - 4 * a)) / (2 * spread)) * z
    peak = np.maximum(one.real, two)
    total = np.exp(one - peak).real + np.exp(two - peak)
    # Rounding may leave nothing of a second moment that is far below E |Z|^2: such a point is not the best one.
    return np.where(total > 0, peak + np.log(np.maximum(total, 1e-300) / 2), np.inf) - (s + 1) * norms


def poisson_log_second(x: np.ndarray, y: np.ndarray) -> float:
    """Return log E Z^2 of Poisson features at the best rate, 2 sqrt(d sum x_l^2 y_l^2) - |x|^2 - |y|^2 (11)."""
    squares = float((x * x * y * y).sum())
    return 2 * math.sqrt(x.size * squares) - float((x**2).sum() + (y**2).sum())


def geometric_log_second(x: np.ndarray, y: np.ndarray) -> float:
    """Return log E Z^2 of geometric features at the best p (13)."""
    products = np.abs(x * y)
    p = geometric_parameter(products)
    argument = 2 * products / math.sqrt(1 - p)
    logs = np.log(special.i0e(argument)) + argument
    return float(logs.sum()) - x.size * math.log(p) - float((x**2).sum() + (y**2).sum())


def fig2(data: Data) -> Figure:
    """Draw Fig. 2: a column for each regime, non-positive features above, positive ones below."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.6, 4.6), layout="constrained")
        axes = figure.subplots(2, 4, sharex=True, sharey="col")
        scales = [float(s) for s in data["parameters"]["sigma"]]
        for column, (regime, curves) in enumerate(data["regimes"].items()):
            for row, names in enumerate((NON_POSITIVE, POSITIVE)):
                panel = axes[row, column]
                for name in names:
                    mean, deviation = (
                        np.array([float(v) for v in curves[name][key]]) for key in ("mean", "deviation")
                    )
                    panel.fill_between(scales, mean - deviation, mean + deviation, color=COLOURS[name],
                                       alpha=0.2, lw=0)  # fmt: skip
                    on_top = {"ls": (0, (3, 2)), "zorder": 3} if name == "TrigRF" else {}
                    panel.plot(scales, mean, color=COLOURS[name], lw=1.4, label=name, **on_top)
                panel.set(xlim=(scales[0], scales[-1]))
                if row == 1:
                    panel.set_xlabel(r"$\sigma$")
                else:
                    panel.set_title(regime)
        for panel, kind in zip(axes[:, 0], ("non-positive", "positive"), strict=True):
            panel.set_ylabel(f"log-variance,\n{kind} features")
        for row in axes:
            row[-1].legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return figure


# ---- Table 1: classification ---------------------------------------------------------------------------

TAB1_FEATURES = 128
TAB1_FINDS = ("TrigRF does far better here than printed, on six of eight tables: the printed 15.2% on wifi are below the 25% of "
"guessing among four equal classes, where it gets more than 95% here, and it comes out best on average. Most other "
"columns on banknote, car, cmc and wifi agree with the printed ones")  # fmt: skip
TAB1_SCALES = tuple(round(10 ** (k / 4), 6) for k in range(-6, 3))
TAB1_SPLITS = 10
TAB1_DRAWS = 4
TAB1_TUNING = {"splits": 3, "draws": 4, "train": 1000, "validation": 300}


def mechanisms(train: np.ndarray, every: np.ndarray) -> dict[str, Callable[[], RandomFeatures]]:
    """Return how to make the eight mechanisms of Table 1 from averages of the training objects.

    ``every``: all objects, below which the shift of the ``+`` variants lies.
    """
    d, m = train.shape[1], TAB1_FEATURES
    shift = shift_below(every, every)

    def gerf() -> RandomFeatures:
        return Mechanism(Gerf(*gerf_parameters(averages(train, train), d)), "iid", m)

    def poisson(points: np.ndarray, by: tuple[float, ...] | None) -> RandomFeatures:
        rate = poisson_rate(averages(points, points).squared_products, d)
        return DiscreteMechanism(Poisson(rate), m, by)

    def geometric(points: np.ndarray, by: tuple[float, ...] | None) -> RandomFeatures:
        p = geometric_parameter(averages(points, points).absolute_products)
        return DiscreteMechanism(GeometricCounts(p), m, by)

    moved = train - np.asarray(shift)
    return {
        "TrigRF": lambda: Mechanism("trigonometric", "iid", m),
        "PosRF": lambda: Mechanism("positive", "iid", m),
        "GERF": gerf,
        "PoisRF": lambda: poisson(train, None),
        "GeomRF": lambda: geometric(train, None),
        "OPRF": lambda: Mechanism(oprf(averages(train, train).square_sum, d), "iid", m),
        "PoisRF+": lambda: poisson(moved, shift),
        "GeomRF+": lambda: geometric(moved, shift),
    }


def _accuracy(
    name: str,
    stream: Stream,
    draws: int,
    fold: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> float:
    """Mean accuracy of a mechanism; 0 where its parameters lie outside of what can be sampled."""
    train, _, test, _ = fold
    try:
        made = mechanisms(train, np.concatenate((train, test)))[name]()
        return float(accuracies(made, stream, draws, *fold).mean())
    except RFTheoryError:
        return 0.0


def _tuned(name: str, stream: Stream, objects: np.ndarray, classes: np.ndarray) -> float:
    """The scale with the best accuracy on the validation parts of a few splits."""
    found = np.zeros(len(TAB1_SCALES))
    for k in range(TAB1_TUNING["splits"]):
        parts = split(len(objects), stream.child(f"split {k}"))
        chosen = parts.train[: TAB1_TUNING["train"]]
        asked = parts.validation[: TAB1_TUNING["validation"]]
        train, test = standardised(objects[chosen], objects[asked])
        for j, scale in enumerate(TAB1_SCALES):
            fold = (scale * train, classes[chosen], scale * test, classes[asked])
            found[j] += _accuracy(name, stream.child(f"tuning {k}"), TAB1_TUNING["draws"], fold)
    return TAB1_SCALES[int(found.argmax())]


def tab1_data(names: Sequence[str] = tuple(UCI), splits: int = TAB1_SPLITS, draws: int = TAB1_DRAWS) -> Data:
    """Test accuracies of eight mechanisms with M = 128 (Table 1)."""
    stream = Stream.named("paper_figures/chefs_tab1")
    rows, scales = [], {}
    found: dict[str, dict[str, np.ndarray]] = {}
    for name in names:
        own = stream.child(name)
        objects, classes = table(name)
        scales[name] = {method: _tuned(method, own, objects, classes) for method in CHEFS_METHODS}
        found[name] = {method: np.zeros(splits) for method in CHEFS_METHODS}
        for k in range(splits):
            parts = split(len(objects), own.child(f"split {k}"))
            train, test = standardised(objects[parts.train], objects[parts.test])
            for method, scale in scales[name].items():
                fold = (scale * train, classes[parts.train], scale * test, classes[parts.test])
                found[name][method][k] = 100 * _accuracy(method, own.child(f"draws {k}"), draws, fold)
        for method, printed in zip(CHEFS_METHODS, CHEFS_TABLE_1[name], strict=True):
            rows.append({"data": name, "mechanism": method,
                         **beside(f"{printed}", "", found[name][method])})  # fmt: skip
    means = {method: np.mean([found[name][method] for name in names], axis=0) for method in CHEFS_METHODS}
    for method, printed in zip(CHEFS_METHODS, CHEFS_AVERAGES, strict=True):
        rows.append({"data": "average", "mechanism": method, **beside(f"{printed}", "", means[method])})
    averages_printed = dict(zip(CHEFS_METHODS, CHEFS_AVERAGES, strict=True))
    orderings = [
        ordering(f"OPRF > {other}", "average", means["OPRF"] - means[other],
                 averages_printed["OPRF"] > averages_printed[other])
        for other in CHEFS_METHODS if other != "OPRF"
    ]  # fmt: skip
    for name in names:
        numbers = dict(zip(CHEFS_METHODS, CHEFS_TABLE_1[name], strict=True))
        new = [method for method in CHEFS_METHODS if method not in ("TrigRF", "PosRF")]
        best_new = max(new, key=lambda method: float(found[name][method].mean()))
        best_old = max(("TrigRF", "PosRF"), key=lambda method: float(found[name][method].mean()))
        orderings.append(
            ordering(f"best new mechanism ({best_new}) > TrigRF, PosRF", name,
                     found[name][best_new] - found[name][best_old],
                     max(numbers[n] for n in new) > max(numbers["TrigRF"], numbers["PosRF"]))
        )  # fmt: skip
    return {
        "figure": "Chefs' Random Tables, Table 1",
        "finds": TAB1_FINDS,
        "claims": ["chefs.tab1", "chefs.5.2.regression", "chefs.5.2.outcome"],
        "parameters": {
            "M": TAB1_FEATURES,
            "splits": splits,
            "draws": draws,
            "tuning": TAB1_TUNING,
            "sigma": {
                name: {method: f"{s:g}" for method, s in found.items()} for name, found in scales.items()
            },
            "stream": stream.key,
        },
        "differs": "split, seeds and grid of sigma are not in the main part of the paper; here 90% train, 5% "
        "validation, 5% test (the column L is floor(0.9 (n - 1))), sigma from nine values for each mechanism, tuned "
        "with at most 1000 training objects; parameters from averages over the training objects; the printed numbers "
        "have no error of their own",
        "rows": rows,
        "orderings": orderings,
    }


def tab1(data: Data) -> Figure:
    """Draw Table 1: printed and recomputed accuracies."""
    colours = {name: COLOURS[name] for name in CHEFS_METHODS}
    return printed_beside(data["rows"], colours, "Accuracy with $M=128$ features", "accuracy, %")


__all__ = ["fig2", "fig2_data", "log_variances", "tab1", "tab1_data"]
