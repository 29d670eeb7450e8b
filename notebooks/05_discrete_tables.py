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
# # Random tables: Poisson and geometric features, and averages over data
#
# Read this beside Likhosherstov et al., *Chefs' Random Tables* (NeurIPS 2022), Section 3.2 and the averages (8), (12)
# and (14). The features need no Gaussian projection at all: a feature is a random monomial of the input, with counts
# $\omega_l$ of a discrete law in place of the projection.
#
# For each statement: derivation, enclosure, measurement and verdict, as in `04_gerf_and_oprf`.

# %%
import numpy as np

from rftheory.exact import find_formula
from rftheory.figures.style import new_figure
from rftheory.report.cells import exact, judge, judge_all, make_bench, show, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws; with less, some measurements decide nothing
BACKEND = "numpy"  # "cupy" samples on a GPU

# %%
bench = make_bench(EFFORT, BACKEND)

# %% [markdown]
# ## Equations (9) and (10): features from a discrete law
#
# The exponential series, coordinate by coordinate, is a mean over counts with $\mathbb P[\omega_l=k]=p_k$:
#
# $$e^{\mathbf x^\top\mathbf y}=\prod_l\sum_kp_k\frac{x_l^ky_l^k}{p_kk!},\qquad f_{\mathrm{DI}}(\boldsymbol\omega,
# \mathbf x)=e^{-\lVert\mathbf x\rVert^2/2}\prod_lx_l^{\omega_l}(\omega_l!)^{-1/2}p_{\omega_l}^{-1/2}.$$
#
# With $0^0=1$ that includes coordinates that are zero. Any law with all $p_k>0$ gives the right mean, but not every one
# a finite variance: $p_k\propto(k!)^{-3}$ does not.

# %%
judge_all(("chefs.eq9", "chefs.eq9/nonzero", "chefs.eq10", "chefs.eq10/second-moment"), bench)

# %% [markdown]
# ## Theorem 3.4: Poisson features
#
# With $p_k=e^{-\lambda}\lambda^k/k!$
#
# $$\mathrm{Var}\,Z=\exp\Bigl(\lambda d+\lambda^{-1}\sum_lx_l^2y_l^2-\lVert\mathbf x\rVert^2-\lVert\mathbf y\rVert^2
# \Bigr)-K^2,$$
#
# the variance of one sample; as that of the average of $M$ it lacks a factor $\frac1M$. The measured pair has a zero
# coordinate and coordinates of opposite signs. The formula knows the products $x_ly_l$ by the sums
# `dot` $=\sum_lx_ly_l$, `squares` $=\sum_lx_l^2y_l^2$ and `norms` $=\lVert\mathbf x\rVert^2+\lVert\mathbf y\rVert^2$.

# %%
steps("chefs.thm3.4")
judge_all(("chefs.3.2.pois", "chefs.thm3.4", "chefs.thm3.4/average"), bench)
point = {"d": 3, "lam": "1/2", "dot": "1/3", "squares": 1, "norms": 4}
routes = find_formula("poisson_variance").agree(30, **point)
print(f"poisson_variance = {next(iter(routes.values()))}; {len(routes)} routes agree: " + ", ".join(routes))

# %% [markdown]
# The best rate is $\lambda^*=d^{-1/2}\bigl(\sum_lx_l^2y_l^2\bigr)^{1/2}$, the only minimum of a convex function. Where
# all products are zero there is none: $\lambda^*=0$ is no rate, and smaller rates are always better.

# %%
judge_all(("chefs.3.2.lambda", "chefs.3.2.lambda/zero"), bench)
value("poisson_lambda", digits=20, d=64, squares="1/3")
value("poisson_minimal_variance", digits=20, d=3, dot="1/3", squares=1, norms=4)

# %% [markdown]
# ## Theorem 3.5: geometric features
#
# With $p_k=p(1-p)^k$
#
# $$\mathrm{Var}\,Z=p^{-d}e^{-\lVert\mathbf x\rVert^2-\lVert\mathbf y\rVert^2}\prod_lI_0\bigl(2(1-p)^{-1/2}\lvert x_ly_l
# \rvert\bigr)-K^2.$$
#
# It is free of the sign of the products up to $K$. The paper optimises "(11) with respect to $p$"; (11) has no $p$,
# and (13) is meant. The best $p$ has no closed form; it is the zero of an increasing function, enclosed by bisection.
# Below, all $d$ products are equal to $t$.

# %%
steps("chefs.thm3.5")
judge_all(("chefs.3.2.geom", "chefs.thm3.5", "chefs.thm3.5/average"), bench)
judge_all(("chefs.3.2.geom-cost", "chefs.3.2.geom-cost/printed"), bench)

# %%
steps("chefs.added.geometric-p")
judge("chefs.added.geometric-p", bench)
value("geometric_p", digits=20, t="1/3")
for p in ("0.6", "0.7", "0.8", "0.9"):
    value("geometric_variance", digits=15, d=3, p=p, t="1/3", norms=4)

# %% [markdown]
# ## Is there a better law?
#
# The paper leaves open how to choose the law. Of all laws for a coordinate the best is a Poisson law, with the rate
# $\lvert x_ly_l\rvert$, a rate of its own for each coordinate. With it the variance is zero where all products are
# positive: every draw gives $K$. The common rate $\lambda^*$ is as good just where all $\lvert x_ly_l\rvert$ agree, and
# the best geometric law is always worse. Below: $\log\mathbb E\,Z^2$ at the best parameters, $d=64$, all products equal
# to $t$ and $\lVert\mathbf x\rVert^2+\lVert\mathbf y\rVert^2=64$, so that $\log K^2=128t-64$.

# %%
judge_all(
    ("chefs.added.best-law", "chefs.added.best-law/common-rate", "chefs.added.geometric-p/excess"), bench
)
steps("chefs.added.best-law")
steps("chefs.added.geometric-excess")
judge("chefs.added.best-law/set", bench)
for t, squares in (("1/100", "4/625"), ("1/10", "16/25"), ("1/2", "16")):
    poisson = exact("log_poisson_second", d=64, squares=squares, norms=64)
    geometric = exact("log_geometric_second", d=64, t=t, norms=64)
    print(f"t = {t}: Poisson {poisson:.6f}, geometric {geometric:.6f}")

# %%
grid = np.linspace(0.01, 0.5, 30)
figure, axes = new_figure()
for label, colour in (("Poisson", "#0072b2"), ("geometric", "#d55e00")):
    excess = []
    for t in map(float, grid):
        point = {"squares": 64 * t * t} if label == "Poisson" else {"t": t}
        second = exact(f"log_{label.lower()}_second", d=64, norms=64, **point)
        excess.append(second - (128 * t - 64))
    axes.plot(grid, excess, color=colour, label=label)
axes.set(xlabel="every product of coordinates", ylabel="log of E Z² / K²",
         title="Equal positive products: Poisson features are exact")  # fmt: skip
axes.legend()
show(figure)

# %% [markdown]
# ## Section 3.2.3: positive features by a shift
#
# Features of vectors with positive entries are positive. A shift of all vectors by one $\mathbf c$ makes entries
# positive and leaves the Gaussian kernel as it is. The softmax kernel is not invariant; its factors
# $e^{\lVert\mathbf x\rVert^2/2}$ must be those of the original vectors.

# %%
judge_all(("chefs.3.2.shift", "chefs.3.2.shift/softmax"), bench)

# %% [markdown]
# ## Averages in place of pairs: (8), (12), (14)
#
# One parameter has to serve all $L^2$ pairs of two sets. The averages that enter the formulas take $O(Ld)$ operations:
#
# $$\frac1{L^2}\sum_{i,j}\lVert\mathbf x^{(i)}+s\mathbf y^{(j)}\rVert^2=\frac1L\sum_i\lVert\mathbf x^{(i)}\rVert^2
# +\frac{2s}{L^2}\Bigl(\sum_i\mathbf x^{(i)}\Bigr)^\top\Bigl(\sum_i\mathbf y^{(i)}\Bigr)
# +\frac1L\sum_i\lVert\mathbf y^{(i)}\rVert^2$$
#
# and likewise for the squares (12) and the moduli (14) of products. The identities hold.

# %%
judge_all(("chefs.eq8", "chefs.eq12", "chefs.eq14"), bench)

# %% [markdown]
# What do the averages optimise? The exponents are affine in $\lVert\mathbf x+\mathbf y\rVert^2$ and in
# $\sum_lx_l^2y_l^2$, so that with (8) and (12) the mean of $\log\mathbb E\,Z^2$ over pairs is minimised, exactly. That
# is not the mean variance, in which the worst pairs weigh more. And $\log I_0$ is not affine: with (14) the choice is a
# heuristic in either sense.

# %%
steps("chefs.3.1.averages")
judge("chefs.3.1.averages", bench)
judge("chefs.eq12/log", bench)
judge_all(("chefs.3.1.averages/variance", "chefs.eq12/variance", "chefs.eq14/exact"), bench)

# %% [markdown]
# The counterexample to (12) in numbers: $d=1$, two pairs with $xy=\frac12$ and $xy=2$, both with $x^2+y^2=4$. The rate
# at the average is $\lambda=\sqrt{17/8}$, and a larger one has the smaller mean variance.


# %%
def mean_variance(rate: str) -> float:
    """Of one Poisson feature, over the two pairs."""
    first = exact("poisson_variance", d=1, lam=rate, dot="1/2", squares="1/4", norms=4)
    second = exact("poisson_variance", d=1, lam=rate, dot="2", squares="4", norms=4)
    return (first + second) / 2


value("poisson_lambda", digits=15, d=1, squares="17/8")
for rate in ("sqrt(17/8)", "19/10"):
    print(f"lambda = {rate}: mean variance {mean_variance(rate):.10f}")

# %% [markdown]
# The same from the command line:
#
# ```
# rftheory derive chefs.thm3.4
# rftheory eval geometric_p t=1/3 --digits 50
# rftheory verify --claim chefs.eq12/variance --explain
# ```
#
# Next: `06_concentration_bounds` for the tails of bounded features.
