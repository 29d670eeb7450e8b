# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The couplings compared at $m=2d$
#
# Every coupling that is declared, with the exact mean squared error that follows from its declaration: two blocks of
# $d$ orthogonal or simplex rows, a cross-polytope $[\mathbf D_1\mathbf R;-\mathbf D_2\mathbf R]$, a mirrored block
# $[\mathbf D\mathbf R;-\mathbf D\mathbf R]$, and orthogonal rows with antimonotone pairs of norms (Reid et al. 2024,
# arXiv 2405.16541). With $q_r=2n_r/m$, $n_r$ pairs of rows being in relation $r$,
#
# $$\frac{\mathrm{MSE}}{K^2}=\frac1m\Bigl(\frac{\mathbb Ef^2}{K^2}-1+\sum_rq_r\Bigl(\frac{\mathbb Ef_if_j}{K^2}-1
# \Bigr)\Bigr)$$

# %%
import matplotlib
import numpy as np
from matplotlib.figure import Figure

from rftheory.exact.fast_laws import log_relative_mse
from rftheory.exact.quantities import find_quantity
from rftheory.figures.style import COLOURS, NAMES, SETTINGS
from rftheory.report.cells import show

D, M = 16, 32
COUPLINGS = ("iid", "orthogonal", "simplex", "cross-polytope", "mirrored")
MAPS = {"positive": "v", "trigonometric": "z"}


def relative_error(feature: str, coupling: str, length: str, digits: int = 8) -> float:
    """MSE over the squared kernel, to so many proved digits."""
    mse, norm = find_quantity("relative_mse"), MAPS[feature]
    return float(mse.enclose(digits, feature=feature, coupling=coupling, d=D, m=M, **{norm: length}))


# %% [markdown]
# Errors over those of independent rows: of the positive map over $v=\lVert\mathbf x+\mathbf y\rVert$, of the
# trigonometric one over $z=\lVert\mathbf x-\mathbf y\rVert$. Curves are the float64 laws. Norms at opposite quantiles
# are integrated in ball arithmetic, point by point: the dots.

# %%
POINTS = ("0.5", "1", "2", "3")
antimonotone = {
    feature: [relative_error(feature, "antimonotone", length, 4) for length in POINTS] for feature in MAPS
}

# %%
grid = np.geomspace(0.1, 4, 100)
with matplotlib.rc_context(SETTINGS):
    figure = Figure(figsize=(9.4, 3.6), layout="constrained")
    panels = figure.subplots(1, 2)
for axes, (feature, norm) in zip(panels, MAPS.items(), strict=True):
    independent = log_relative_mse(feature, "iid", D, M, grid)
    for coupling in COUPLINGS:
        ratio = np.exp(log_relative_mse(feature, coupling, D, M, grid) - independent)
        axes.plot(grid, ratio, color=COLOURS[coupling], label=NAMES[coupling])
    dots = np.array([float(length) for length in POINTS])
    ratio = antimonotone[feature] / np.exp(log_relative_mse(feature, "iid", D, M, dots))
    axes.plot(dots, ratio, "o", color=COLOURS["antimonotone"], label=NAMES["antimonotone"])
    axes.set(xscale="log", yscale="log", xlabel=norm, title=f"{feature}, d = {D}, m = {M}")
panels[0].set_ylabel("MSE over that of independent rows")
panels[0].legend(frameon=False)
show(figure)

# %% [markdown]
# A positive feature is $1+\mathbf w^\top\mathbf v+\dots$: opposite rows with one norm cancel the first order, so that
# the error of mirrored rows is smaller by $O(v^2)$; the simplex and the cross-polytope leave the spread of the norms.
# Cosines are even. To them an opposite row with the same norm is the same feature once more: mirrored rows have the
# error of $d$ orthogonal ones, up to twice that of $2d$ independent ones. Norms at opposite quantiles gain little for
# positive features and most for cosines of small arguments, whose first order is $(\mathbf w^\top\mathbf z)^2$.

# %% [markdown]
# The enclosures at $v=1$ and $z=1$, and how far float64 is off:

# %%
for feature in MAPS:
    for coupling in COUPLINGS:
        exact = relative_error(feature, coupling, "1", 15)
        off = abs(np.exp(float(log_relative_mse(feature, coupling, D, M, 1.0))) / exact - 1)
        print(f"{feature:14s}{coupling:16s}{exact:.10f}  {'agrees' if off < 1e-12 else off}")
    print(f"{feature:14s}{'antimonotone':16s}{antimonotone[feature][1]:.4g}")
