"""Figures of *Simplex Random Features* (Reid et al., ICML 2023)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from rftheory.exact.positive import prf_mse_iid, prf_mse_orf, prf_mse_simrf
from rftheory.figures.style import COLOURS, NAMES, SETTINGS, new_figure

FIG6_DIMENSION = 64
FIG6_POINTS = 121


def fig6_data() -> dict[str, Any]:
    """Ratios of exact MSEs to that of IIDRFs against v, positive features, d = m = 64 (Fig. 6).

    The ratio depends on the data through v alone (Sec. 5.1); it is evaluated at x = y. The paper does not state m;
    m = d is the case in which its prefactor 0.0078 holds.
    """
    lengths = [Fraction(10) ** (i // 24 - 3) * _root(i % 24) for i in range(FIG6_POINTS)]
    ratios: dict[str, list[str]] = {"orthogonal": [], "simplex": []}
    for v in lengths:
        values: dict[str, Any] = {"v": v, "x": v / 2, "y": v / 2, "m": FIG6_DIMENSION}
        iid = prf_mse_iid.enclose(12, **values).midpoint
        for name, formula in (("orthogonal", prf_mse_orf), ("simplex", prf_mse_simrf)):
            ratio = formula.enclose(12, d=FIG6_DIMENSION, **values).midpoint / iid
            ratios[name].append(f"{float(ratio):.9g}")
    return {
        "figure": "Simplex Random Features, Fig. 6",
        "claims": ["simplex.thm3.2", "simplex.thm4.3", "simplex.lem4.1", "simplex.s5.ratio"],
        "parameters": {"d": FIG6_DIMENSION, "m": FIG6_DIMENSION, "v": "1e-3 to 1e2, 24 points a decade"},
        "differs": "the paper states no m; m = d here",
        "v": [f"{float(v):.9g}" for v in lengths],
        "ratio_to_iid": ratios,
    }


def _root(i: int) -> Fraction:
    """10^(i/24) to nine digits, exact from there on."""
    return Fraction(round(10 ** (i / 24) * 10**9), 10**9)


def fig6(data: dict[str, Any]) -> Figure:
    """Draw Fig. 6: exact MSE ratios, log-log."""
    with matplotlib.rc_context(SETTINGS):
        figure, axes = new_figure()
        v = [float(x) for x in data["v"]]
        axes.axhline(1, color=COLOURS["iid"], lw=1.2)
        for name, values in data["ratio_to_iid"].items():
            axes.plot(v, [float(x) for x in values], color=COLOURS[name])
        axes.set(xscale="log", yscale="log", xlim=(v[0], v[-1]), ylim=(5e-3, 1.6))
        axes.set_xlabel(r"$v=\|\mathbf{x}+\mathbf{y}\|_2$")
        axes.set_ylabel("MSE / MSE of IIDRFs")
        axes.set_title(f"Exact MSE ratios, positive features, $d=m={data['parameters']['d']}$")
        axes.text(
            2e-3, 1.08, NAMES["iid"] + " and, for small $v$, " + NAMES["orthogonal"], color=COLOURS["iid"]
        )
        axes.text(0.36, 0.6, NAMES["orthogonal"], color=COLOURS["orthogonal"])
        axes.text(2e-3, 9.2e-3, NAMES["simplex"], color=COLOURS["simplex"])
        return figure


__all__ = ["fig6", "fig6_data"]
