"""Figures of *Hybrid Random Features* (Choromanski et al., ICLR 2022)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from rftheory.exact import find_formula
from rftheory.figures.style import SETTINGS, band, rounded
from rftheory.sample import Mechanism, Stream, angular_hybrid, gaussian_hybrid

Data = dict[str, Any]
COLOURS = {"trigonometric": "#0072b2", "positive, both signs": "#d55e00", "angular hybrid": "#009e73",
    "Gaussian hybrid": "#cc79a7"}  # fmt: skip
SURFACES = ("trigonometric", "positive, both signs", "angular hybrid")

# ---- Fig. 1: three surfaces ----------------------------------------------------------------------------

FIG1_ANGLES = 49
FIG1_LENGTHS = ("1", "2", "3", "4", "5")
FIG1_SMALLEST = 1e-4
"""Below this the axis is linear, so that it has a place for 0."""


def fig1_data() -> Data:
    """MSE of trigonometric, positive and angular hybrid estimators, m = 10, n = 1 (Fig. 1).

    The positive estimator is that of the paper's (3) and (7), with both signs of each projection.
    """
    angular = find_formula("angular_equal_mse")
    angles: list[Any] = [0, *_angles(FIG1_ANGLES, crowded=True), "pi"]
    surfaces: dict[str, list[list[str]]] = {name: [] for name in SURFACES}
    for r in FIG1_LENGTHS:
        rows: dict[str, list[float]] = {name: [] for name in SURFACES}
        for theta in angles:
            rows["trigonometric"].append(_softmax("trig", r, theta, 10))
            rows["positive, both signs"].append(_softmax("hyperbolic", r, theta, 10))
            rows["angular hybrid"].append(float(angular.enclose(10, m=10, n=1, r=r, theta=theta)))
        for name, row in rows.items():
            surfaces[name].append(rounded(row))
    return {
        "figure": "Hybrid Random Features, Fig. 1",
        "claims": ["hybrid.lem2.2", "hybrid.thmD.1"],
        "parameters": {"m": 10, "n": 1, "r": list(FIG1_LENGTHS)},
        "differs": "drawn as curves for five lengths, in place of a surface, on an axis that is logarithmic down to "
        f"{FIG1_SMALLEST:g} and linear below",
        "theta": rounded([0, *(float(a) for a in angles[1:-1]), np.pi]),
        "mse": surfaces,
    }


def _angles(count: int, crowded: bool = False) -> list[Fraction]:
    """Angles inside (0, pi), rational; evenly spaced, or crowded towards the ends."""
    shares = [(i + 1) / (count + 1) for i in range(count)]
    if crowded:
        shares = [(1 - np.cos(np.pi * share)) / 2 for share in shares]
    return [Fraction(round(np.pi * share * 10**9), 10**9) for share in shares]


def _softmax(kind: str, r: str, theta: Any, m: int) -> float:
    """MSE of the softmax kernel, ``trig`` or ``hyperbolic``, for |x| = |y| = r."""
    return float(find_formula(f"softmax_{kind}_mse").enclose(10, x=r, y=r, theta=theta, m=m))


def fig1(data: Data) -> Figure:
    """Draw Fig. 1: MSE against the angle, a panel for each estimator."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.6, 3.2), layout="constrained")
        axes = figure.subplots(1, 3, sharey=True)
        theta = [float(x) for x in data["theta"]]
        for panel, (name, rows) in zip(axes, data["mse"].items(), strict=True):
            for i, (r, texts) in enumerate(zip(data["parameters"]["r"], rows, strict=True)):
                row = [float(x) for x in texts]
                panel.plot(theta, row, color=COLOURS[name], alpha=0.35 + 0.16 * i, lw=1.4)
                inside = min(range(len(row)), key=lambda i: abs(theta[i] - 0.8))
                panel.annotate(f"$r={r}$", (theta[inside], row[inside]), (2, 3), fontsize=7,
                               textcoords="offset points")  # fmt: skip
            panel.set_yscale("symlog", linthresh=FIG1_SMALLEST)
            _angle_axis(panel)
            panel.set_title(name)
        decades = range(0, 65, 8)
        axes[0].set(
            ylim=(0, 1e66),
            yticks=[0, *(10.0**n for n in decades)],
            yticklabels=["0", *(f"$10^{{{n}}}$" for n in decades)],
            ylabel="MSE, $m=10$, $n=1$",
        )
        return figure


def _angle_axis(axes: Any) -> None:
    axes.set(xlim=(0, np.pi), xticks=[0, np.pi / 2, np.pi], xticklabels=["0", "$\\pi/2$", "$\\pi$"])
    axes.set_xlabel(r"angle $\theta$")


# ---- Figs 2 and 5: pointwise estimation ----------------------------------------------------------------

FIG2_LENGTHS = ("1", "1.25", "1.5")
FIG2_ANGLES = 9
FIG2_DRAWS = 10_000
FIG2_DIMENSION = 64
FIG2_PROJECTIONS = 128
FIG2_SPLIT = (60, 8)
"""m and n of the hybrids: both bases and the coefficient draw 2m + n = 128 projections, as many as the others."""
FIG2_SIGMA = "1"


def fig2_data() -> Data:
    """Quantiles of estimates and relative errors, exact and measured, d = 64 (Figs 2 and 5).

    Each estimator multiplies an input by 128 projections: the features cost the same number of operations.
    """
    angles = _angles(FIG2_ANGLES)
    stream = Stream.named("paper_figures/hybrid_fig2")
    m, n = FIG2_SPLIT
    panels: dict[str, Any] = {}
    for r in FIG2_LENGTHS:
        gaussian = gaussian_hybrid(m, n, FIG2_DIMENSION, sigma=float(FIG2_SIGMA), radius=float(r))
        mechanisms: dict[str, Any] = {
            "trigonometric": Mechanism("trigonometric", "iid", FIG2_PROJECTIONS),
            "positive, both signs": Mechanism("hyperbolic", "iid", FIG2_PROJECTIONS),
            "angular hybrid": angular_hybrid(m, n),
            "Gaussian hybrid": gaussian,
        }
        panels[r] = {
            name: _pointwise(name, mechanism, r, angles, stream.child(f"{name} {r}"))
            for name, mechanism in mechanisms.items()
        }
    return {
        "figure": "Hybrid Random Features, Figs 2 and 5",
        "claims": ["hybrid.lem2.2", "hybrid.thmD.1"],
        "parameters": {
            "d": FIG2_DIMENSION,
            "draws": FIG2_DRAWS,
            "projections": FIG2_PROJECTIONS,
            "hybrids": f"m = {m}, n = {n}, sigma = {FIG2_SIGMA}",
            "stream": stream.key,
        },
        "differs": "the paper does not state (m, n) of its hybrid: here all multiply an input by as many projections; "
        "relative error is sqrt(MSE)/SM; bars are two standard errors as measured. Squared errors of positive features "
        "have heavy tails: at small angles 10000 draws miss part of the exact error, and their bars are too short",
        "theta": rounded([float(a) for a in angles]),
        "panels": panels,
    }


def _pointwise(name: str, mechanism: Any, r: str, angles: list[Fraction], stream: Stream) -> Data:
    keys = ("low", "high", "measured", "measured_error", "exact")
    found: dict[str, list[float]] = {key: [] for key in keys}
    length = float(r)
    for theta in angles:
        x, y = np.zeros(FIG2_DIMENSION), np.zeros(FIG2_DIMENSION)
        x[0] = length
        y[:2] = length * np.cos(float(theta)), length * np.sin(float(theta))
        kernel = float(np.exp(x @ y))
        draws = np.asarray(mechanism.estimate(stream.child(str(theta)), range(FIG2_DRAWS), x, y, "softmax"))
        draws = draws / kernel
        squares = (draws - 1) ** 2
        error = float(np.sqrt(squares.mean()))
        found["low"].append(float(np.quantile(draws, 0.05)))
        found["high"].append(float(np.quantile(draws, 0.95)))
        found["measured"].append(error)
        found["measured_error"].append(float(squares.std()) / (2 * error * FIG2_DRAWS**0.5))
        found["exact"].append(_law(name, r, theta) ** 0.5 / kernel)
    return {key: rounded(values) for key, values in found.items()}


def _law(name: str, r: str, theta: Fraction) -> float:
    """The exact MSE of one of the estimators of Fig. 2."""
    m, n = FIG2_SPLIT
    if name == "angular hybrid":
        return float(find_formula("angular_equal_mse").enclose(10, r=r, theta=theta, m=m, n=n))
    if name == "Gaussian hybrid":
        law = find_formula("gaussian_equal_mse")
        return float(law.enclose(10, r=r, theta=theta, sigma=FIG2_SIGMA, m=m, n=n))
    return _softmax("trig" if name == "trigonometric" else "hyperbolic", r, theta, FIG2_PROJECTIONS)


def fig2(data: Data) -> Figure:
    """Draw Figs 2 and 5: bands of quantiles above, relative errors below."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.6, 4.8), layout="constrained")
        axes = figure.subplots(2, len(data["panels"]), sharex=True)
        theta = [float(x) for x in data["theta"]]
        for column, (r, panel) in enumerate(data["panels"].items()):
            upper, lower = axes[:, column]
            for name, found in panel.items():
                colour = COLOURS[name]
                low, high = ([float(x) for x in found[key]] for key in ("low", "high"))
                upper.fill_between(theta, low, high, color=colour, alpha=0.25, lw=0)
                band(lower, theta, found["exact"], found["measured"], found["measured_error"], colour)
                lower.plot([], [], color=colour, label=name)
            upper.axhline(1, color="black", lw=1)
            upper.axhline(0, color="red", lw=1, ls=":")
            upper.set_title(f"$r={r}$")
            lower.set_yscale("log")
            _angle_axis(lower)
        axes[0, 0].set_ylabel("estimate / kernel,\n5% to 95%")
        axes[1, 0].set_ylabel("relative error,\nexact (lines), measured")
        handles, labels = axes[1, 0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=7
        )
        return figure


__all__ = ["fig1", "fig1_data", "fig2", "fig2_data"]
