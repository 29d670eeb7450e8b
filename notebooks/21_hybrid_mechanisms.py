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
# # The mechanisms of *Hybrid Random Features*
#
# Each estimator of Choromanski et al. (ICLR 2022) as a recipe: what is drawn, what is shared, how it is combined. The
# library's samplers are compared with the recipe written out, draw by draw, and their means with the kernel. The
# formulas behind them are in `07_hybrid_estimators`, `08_max_relative_error`, `16_clustered_hybrids` and
# `19_hybrid_line_by_line`.
#
# A recipe that needs trained networks is judged as far as it can be computed; the verdict says so.

# %%
import numpy as np

from rftheory.figures.style import new_figure
from rftheory.report.cells import exact, judge_entry, make_bench, show

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws
BACKEND = "numpy"  # "cupy" samples on a GPU
QUICK = True  # False adds the checks that take minutes

# %%
bench = make_bench(EFFORT, BACKEND, quick=QUICK)

# %% [markdown]
# ## Base estimators
#
# $T_m$ has the features (2) and estimates $e^{(\|x\|^2+\|y\|^2)/2}\frac1m\sum_i\cos(\omega_i^\top(x-y))$; $P_m$ has
# (3) and estimates $e^{-(\|x\|^2+\|y\|^2)/2}\frac1m\sum_i\cosh(\omega_i^\top(x+y))$. For the Gaussian kernel every
# feature vector is multiplied by $e^{-\|u\|^2/2}$. The complex exponential estimator takes $\Psi^m_A(x)$ for queries
# and $\Psi^m_{(A^\top)^{-1}}(y)$ for keys, with the same $\omega_i$ on both sides.

# %%
for name in ("trig", "pos", "gauss-kernel", "cexp"):
    judge_entry(f"hybrid.mech.{name}", bench)

# %% [markdown]
# ## Hybrids
#
# Base estimators are combined by (8) with coefficients that are drawn independently of them; Lemma 2.3 writes the
# combination as an inner product of feature vectors. Two variants: the base estimators have projections of their own
# (I), or share them (II).

# %%
for name in ("hrf", "hrf-map", "bipolar-I", "bipolar-II"):
    judge_entry(f"hybrid.mech.{name}", bench)

# %% [markdown]
# ## Coefficients: angular, Gaussian, nested
#
# The angular coefficient is $\frac12-\frac1{2n}\sum_i\mathrm{sgn}(\tau_i^\top x)\,\mathrm{sgn}(\tau_i^\top y)$. The
# Gaussian ones, (20) and (68)-(70), have trigonometric or positive features inside. A coefficient may itself be
# estimated by a hybrid.

# %%
for name in ("angular", "gauss-lambda", "gauss-normalised", "nested"):
    judge_entry(f"hybrid.mech.{name}", bench)

# %% [markdown]
# Means of the coefficients over the angle, and one standard deviation with $n=8$: the angular one is exact at both
# ends, the Gaussian one at $\theta=0$ alone. Vectors of length 1, $\sigma=1$.

# %%
angles = np.linspace(0.01, np.pi - 0.01, 50)
figure, axes = new_figure()
for label, name, first, colour in (
    ("angular", "angular_coefficient", {"n": 8}, "#0072b2"),
    ("Gaussian, normalised", "gaussian_coefficient", {"r": 1, "sigma": 1}, "#d55e00"),
):
    mean = np.array([exact(name, theta=float(a), **first) for a in angles])
    second = np.array([exact(f"{name}_second", theta=float(a), **(first | {"n": 8})) for a in angles])
    spread = np.sqrt(np.maximum(second - mean**2, 0))
    axes.plot(angles, mean, color=colour, label=label)
    axes.fill_between(angles, mean - spread, mean + spread, color=colour, alpha=0.2, lw=0)
axes.set(xlabel="angle between x and y", ylabel="weight of P")
axes.legend()
show(figure)

# %% [markdown]
# ## Clusters
#
# One matrix $A_{i,j}$ for each pair of centres: complex and diagonal, (86) and (87), or real, (88). Mixtures of them
# have Gaussian coefficients (Definition H.1) or indicators (H.2), for all pairs of clusters or for the most massive
# ones with a default estimator beside them. The data of Appendix H.3 are drawn by the printed recipe.

# %%
for name in (
    "cluster-complex",
    "cluster-real",
    "gauss-mixture",
    "zero-one-mixture",
    "massive-pairs",
    "cluster-data",
):
    judge_entry(f"hybrid.mech.{name}", bench)

# %% [markdown]
# ## Protocols, baselines, attention

# %%
for name in ("pointwise", "baselines", "softmax-sampling", "hybrid-attention"):
    judge_entry(f"hybrid.mech.{name}", bench)

# %% [markdown]
# From the command line:
#
# ```
# rftheory verify --claim hybrid.mech.angular --explain
# ```
