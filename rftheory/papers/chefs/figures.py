"""Figures of *Chefs' Random Tables* (Likhosherstov et al., NeurIPS 2022)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from rftheory.exact import find_formula
from rftheory.figures.style import SETTINGS, label_end, new_figure

Data = dict[str, Any]
DIMENSIONS = (4, 16, 64, 256)
SHADES = ("#9ecae1", "#56a0d3", "#0072b2", "#08306b")


def fig1_data() -> Data:
    """Utility mu = log(Var OPRF / Var PosRF) against |x + y|^2 (Fig. 1, right)."""
    gain = find_formula("log_oprf_gain")
    squares = [Fraction(n) for n in range(2, 202, 2)]
    utilities = {
        str(d): [f"{-float(gain.enclose(12, d=d, v=_root(q))):.9g}" for q in squares] for d in DIMENSIONS
    }
    return {
        "figure": "Chefs' Random Tables, Fig. 1 right",
        "claims": ["chefs.fig1.right", "chefs.thm3.3"],
        "parameters": {"d": list(DIMENSIONS), "square": "2 to 200, step 2"},
        "differs": "dimensions other than 64 and the plotted range are not stated in the text",
        "square": [str(q) for q in squares],
        "utility": utilities,
    }


def _root(square: Fraction) -> Fraction:
    """The square root to twelve digits, exact from there on."""
    return Fraction(round(float(square) ** 0.5 * 10**12), 10**12)


def fig1(data: Data) -> Figure:
    """Draw Fig. 1 right: one curve for each dimension."""
    with matplotlib.rc_context(SETTINGS):
        figure, axes = new_figure()
        squares = [float(q) for q in data["square"]]
        for (d, values), colour in zip(data["utility"].items(), SHADES, strict=True):
            curve = [float(u) for u in values]
            axes.plot(squares, curve, color=colour)
            label_end(axes, f"$d={d}$", squares[-1], curve[-1], colour)
        axes.set(xlim=(0, squares[-1]))
        axes.set_ylim(top=0)
        axes.set_xlabel(r"$\|\mathbf{x}+\mathbf{y}\|^2$")
        axes.set_ylabel(r"$\mu=\log(\mathrm{Var}_{\mathrm{OPRF}}/\mathrm{Var}_{\mathrm{PosRF}})$")
        axes.set_title("Utility of optimal positive features, exact")
        return figure


__all__ = ["fig1", "fig1_data"]
