"""The uniform bound of Rahimi and Recht, compared with observed errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rftheory.exact import find_formula
from rftheory.figures.style import PAGE, by_powers_of_two, panels, rounded
from rftheory.sample import Stream

Data = dict[str, Any]
COUNTS = (16, 64, 256, 1024, 4096)
REPEATS = 200
GRID = 257


def bound_data() -> Data:
    """Largest error of the Gaussian kernel on [0, 1], median and 99% over draws, beside what the bounds promise.

    d = 1, m sine-cosine pairs. The promise of a bound is the eps at which it equals 1%; the printed bound is
    2^8 (sigma diam/eps)^2 exp(-m eps^2/(4 (d + 2))), the proved one ``ball_bound``.
    """
    stream = Stream.named("paper_figures/rahimi_recht_bound")
    differences = np.linspace(0.0, 1.0, GRID)
    kernel = np.exp(-(differences**2) / 2)
    median, high = [], []
    for m in COUNTS:
        worst = []
        for block in range(REPEATS):
            w = np.asarray(stream.child(str(m)).normals(range(block, block + 1), m))[0]
            estimate = np.zeros(GRID)
            for part in np.array_split(w, max(1, m // 1024)):
                estimate += np.cos(np.outer(differences, part)).sum(axis=1)
            worst.append(np.max(np.abs(estimate / m - kernel)))
        median.append(np.median(worst))
        high.append(np.quantile(worst, 0.99))
    return {
        "figure": "Rahimi and Recht 2007: bound against observed sup-error",
        "claims": ["rff.claim"],
        "parameters": {"d": 1, "M": "[0, 1]", "kernel": "Gaussian, sigma_p = 1", "repeats": REPEATS, "grid": GRID,
                       "level": 0.01, "stream": stream.key},
        "differs": "ours: the source has no figure. A bound above 2 says nothing and is not drawn",
        "m": list(COUNTS),
        "median": rounded(median),
        "quantile_99": rounded(high),
        "printed_bound": rounded([_solve(_printed, m) for m in COUNTS]),
        "proved_bound": rounded([_solve(_proved, m) for m in COUNTS]),
    }  # fmt: skip


def _printed(m: int, eps: float) -> float:
    return float(2**8 / eps**2 * np.exp(-m * eps**2 / 12))


def _proved(m: int, eps: float) -> float:
    return float(find_formula("ball_bound").enclose(6, m=m, d=1, eps=eps, sigma=1, diam=1))


def _solve(bound: Any, m: int) -> float:
    """The eps at which a decreasing bound is one percent, by bisection; NaN if that is above 2."""
    low, high = 1e-3, 2.0
    if bound(m, high) > 0.01:
        return float("nan")
    for _ in range(40):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if bound(m, middle) > 0.01 else (low, middle)
    return high


def bound(data: Data, size: str = PAGE) -> Figure:
    """Draw the largest errors that bounds promise with probability 0.99, and those observed."""
    curves = {"printed_bound": ("printed bound", "#d55e00", "-"), "proved_bound": ("bound proved here", "#0072b2", "-"),
              "quantile_99": ("observed, 99%", "black", "o-"), "median": ("observed, median", "#6b6b6b", "o-")}  # fmt: skip
    with panels(size, height=3.4, note=f"observed: quantiles of {data['parameters']['repeats']} draws") as (
        figure,
        (axes,),
    ):
        for key, (label, colour, style) in curves.items():
            axes.plot(data["m"], np.array(data[key], float), style, color=colour, label=label)
        by_powers_of_two(axes, data["m"])
        axes.set(yscale="log", xlabel="number of sine-cosine pairs $m$", ylabel=r"$\sup|s-k|$, bounds at level 99%",
                 title="Uniform convergence: Gaussian kernel on $[0,1]$")  # fmt: skip
    return figure
