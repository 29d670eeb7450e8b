"""Figures of *Hybrid Random Features* (Choromanski et al., ICLR 2022)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from rftheory.exact import find_formula
from rftheory.figures.style import SETTINGS, rounded
from rftheory.sample import Mechanism, Stream, angular_hybrid

Data = dict[str, Any]
COLOURS = {"trigonometric": "#0072b2", "positive": "#d55e00", "angular hybrid": "#009e73"}

# ---- Fig. 1: three surfaces ----------------------------------------------------------------------------

FIG1_ANGLES = 49
FIG1_LENGTHS = ("1", "2", "3", "4", "5")


def fig1_data() -> Data:
    """log10 of the MSE of trigonometric, positive and angular hybrid estimators, m = 10, n = 1 (Fig. 1)."""
    angular = find_formula("angular_equal_mse")
    angles = _angles(FIG1_ANGLES)
    surfaces: dict[str, list[list[str]]] = {name: [] for name in COLOURS}
    for r in FIG1_LENGTHS:
        rows: dict[str, list[float]] = {name: [] for name in COLOURS}
        for theta in angles:
            rows["trigonometric"].append(_log10(_softmax("trig", r, theta, 10)))
            rows["positive"].append(_log10(_softmax("positive", r, theta, 10)))
            rows["angular hybrid"].append(_log10(float(angular.enclose(10, m=10, n=1, r=r, theta=theta))))
        for name, row in rows.items():
            surfaces[name].append(rounded(row))
    return {
        "figure": "Hybrid Random Features, Fig. 1",
        "claims": ["hybrid.lem2.2", "hybrid.thmD.1"],
        "parameters": {"m": 10, "n": 1, "r": list(FIG1_LENGTHS)},
        "differs": "drawn as curves for five lengths, on a logarithmic scale, in place of a surface on a linear one",
        "theta": rounded([float(a) for a in angles]),
        "log10_mse": surfaces,
    }


def _angles(count: int) -> list[Fraction]:
    """Angles inside (0, pi), rational."""
    return [Fraction(round(np.pi * (i + 1) / (count + 1) * 10**9), 10**9) for i in range(count)]


def _softmax(kind: str, r: str, theta: Fraction, m: int) -> float:
    """MSE of the softmax kernel, ``trig`` or ``positive``, for |x| = |y| = r."""
    return float(find_formula(f"softmax_{kind}_mse").enclose(10, x=r, y=r, theta=theta, m=m))


def _log10(value: float) -> float:
    return float(np.log10(value)) if value > 0 else float("nan")


def fig1(data: Data) -> Figure:
    """Draw Fig. 1: MSE against the angle, a panel for each estimator."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.6, 3.0), layout="constrained")
        axes = figure.subplots(1, 3, sharey=True)
        theta = [float(x) for x in data["theta"]]
        for panel, (name, rows) in zip(axes, data["log10_mse"].items(), strict=True):
            for i, (r, row) in enumerate(zip(data["parameters"]["r"], rows, strict=True)):
                panel.plot(
                    theta, [10 ** float(x) for x in row], color=COLOURS[name], alpha=0.35 + 0.16 * i, lw=1.4
                )
                panel.annotate(f"$r={r}$", (theta[-1], 10 ** float(row[-1])), (2, 0), fontsize=7,
                               textcoords="offset points", va="center", annotation_clip=False)  # fmt: skip
            panel.set(
                yscale="log",
                xlim=(0, np.pi),
                xticks=[0, np.pi / 2, np.pi],
                xticklabels=["0", "$\\pi/2$", "$\\pi$"],
            )
            panel.set_title(name)
        axes[0].set_ylabel("MSE, $m=10$, $n=1$")
        return figure


def _angle_axis(axes: Any) -> None:
    axes.set(xlim=(0, np.pi), xticks=[0, np.pi / 2, np.pi], xticklabels=["0", "$\\pi/2$", "$\\pi$"])
    axes.set_xlabel(r"angle $\theta$")


# ---- Figs 2 and 5: pointwise estimation ----------------------------------------------------------------

FIG2_LENGTHS = ("1", "1.25", "1.5")
FIG2_ANGLES = 9
FIG2_DRAWS = 10_000
FIG2_DIMENSION = 64


def fig2_data() -> Data:
    """Quantiles of estimates and relative errors, exact and measured, d = 64 (Figs 2 and 5).

    128 projections for the trigonometric and the positive estimator; the hybrid has m = 16 and n = 8, whose tensor
    map has as many coordinates as 128 projections need.
    """
    angles = _angles(FIG2_ANGLES)
    stream = Stream.named("paper_figures/hybrid_fig2")
    mechanisms: dict[str, Any] = {
        "trigonometric": Mechanism("trigonometric", "iid", 128),
        "positive": Mechanism("positive", "iid", 128),
        "angular hybrid": angular_hybrid(16, 8),
    }
    panels: dict[str, Any] = {}
    for r in FIG2_LENGTHS:
        panels[r] = {}
        for name, mechanism in mechanisms.items():
            panels[r][name] = _pointwise(name, mechanism, r, angles, stream.child(f"{name} {r}"))
    return {
        "figure": "Hybrid Random Features, Figs 2 and 5",
        "claims": ["hybrid.lem2.2", "hybrid.thmD.1"],
        "parameters": {
            "d": FIG2_DIMENSION,
            "draws": FIG2_DRAWS,
            "m": 128,
            "hybrid": "m = 16, n = 8",
            "stream": stream.key,
        },
        "differs": "the paper does not state (m, n) of its hybrid; relative error is sqrt(MSE)/SM. Squared errors of "
        "positive features have heavy tails: at small angles 10000 draws miss part of the exact error",
        "theta": rounded([float(a) for a in angles]),
        "panels": panels,
    }


def _pointwise(name: str, mechanism: Any, r: str, angles: list[Fraction], stream: Stream) -> Data:
    found: dict[str, list[float]] = {"low": [], "high": [], "measured": [], "exact": []}
    length = float(r)
    for theta in angles:
        x, y = np.zeros(FIG2_DIMENSION), np.zeros(FIG2_DIMENSION)
        x[0] = length
        y[:2] = length * np.cos(float(theta)), length * np.sin(float(theta))
        exact = float(np.exp(x @ y))
        draws = np.asarray(mechanism.estimate(stream.child(str(theta)), range(FIG2_DRAWS), x, y, "softmax"))
        draws = draws / exact
        if name == "angular hybrid":
            law = float(find_formula("angular_equal_mse").enclose(10, r=r, theta=theta, m=16, n=8))
        else:
            law = _softmax("trig" if name == "trigonometric" else "positive", r, theta, 128)
        found["low"].append(float(np.quantile(draws, 0.05)))
        found["high"].append(float(np.quantile(draws, 0.95)))
        found["measured"].append(float(np.sqrt(np.mean((draws - 1) ** 2))))
        found["exact"].append(law**0.5 / exact)
    return {key: rounded(values) for key, values in found.items()}


def fig2(data: Data) -> Figure:
    """Draw Figs 2 and 5: bands of quantiles above, relative errors below."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.6, 4.6), layout="constrained")
        axes = figure.subplots(2, len(data["panels"]), sharex=True, sharey="row")
        theta = [float(x) for x in data["theta"]]
        for column, (r, panel) in enumerate(data["panels"].items()):
            upper, lower = axes[:, column]
            for name, found in panel.items():
                curves = {key: [float(x) for x in values] for key, values in found.items()}
                upper.fill_between(
                    theta, curves["low"], curves["high"], color=COLOURS[name], alpha=0.25, lw=0
                )
                lower.plot(theta, curves["exact"], color=COLOURS[name], lw=1.4, label=name)
                lower.plot(theta, curves["measured"], "o", color=COLOURS[name], ms=3)
            upper.axhline(1, color="black", lw=1)
            upper.set_title(f"$r={r}$")
            upper.set(ylim=(0, 2))
            lower.set(
                yscale="log",
                xlim=(0, np.pi),
                xticks=[0, np.pi / 2, np.pi],
                xticklabels=["0", "$\\pi/2$", "$\\pi$"],
            )
            lower.set_xlabel(r"angle $\theta$")
        axes[0, 0].set_ylabel("estimate / kernel,\n5% to 95%")
        axes[1, 0].set_ylabel("relative error,\nexact (lines), measured")
        axes[1, 0].legend(frameon=False, fontsize=7, loc="lower center")
        return figure


__all__ = ["fig1", "fig1_data", "fig2", "fig2_data"]
