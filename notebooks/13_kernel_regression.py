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
# # Kernel regression: the dual form, and the recipe with random features
#
# Read this beside the walk-through of Rahimi and Recht, *Random Features for Large-Scale Kernel Machines* (NIPS 2007):
# its first section (equations 1 to 7) and its last one (the implementation). What lies between them, from Bochner's
# theorem to the uniform bound, is in `09_rahimi_recht` and `14_rahimi_recht_line_by_line`.
#
# The argument goes in a circle. A linear model in features $\phi$ is rewritten so that only inner products
# $k(x,x')=\phi(x)^T\phi(x')$ are left. The price is an $N\times N$ matrix. Random features bring back a finite
# $\phi$, and with it the first form.
#
# Notation: $N$ observations $(x_i,y_i)$; $\Phi$ has the rows $\phi(x_i)^T$; $K=\Phi\Phi^T$; $\lambda$ is the weight of
# the regularisation.

# %%
import numpy as np
import sympy as sp

from rftheory.figures.style import new_figure
from rftheory.report.cells import judge, judge_all, judge_entry, make_bench, show, steps

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws
BACKEND = "numpy"  # "cupy" samples on a GPU
QUICK = True  # False adds the checks that take minutes

# %%
bench = make_bench(EFFORT, BACKEND, quick=QUICK)

# %% [markdown]
# ## The dual representation
#
# Printed: *a linear model $y=w^T\phi(x)$ has an equivalent dual representation*
#
# $$y=\sum_{i=1}^N\alpha_ik(x,x_i),\qquad k(x,x_i)=\langle\phi(x),\phi(x_i)\rangle.$$
#
# Not every linear model has one. A weight vector with a part at right angles to all $\phi(x_i)$ predicts something that
# no combination of the $k(\cdot,x_i)$ can. The models that have one are those with $w=\Phi^T\alpha$, and the minimiser
# below is among them, for any data. That is all that is needed.

# %%
steps("rff.dual-intro")
judge_entry("rff.dual-intro", bench)

# %% [markdown]
# ## Equations (1) to (7)
#
# $$J(w)=\frac12\sum_{i=1}^N\{w^T\phi(x_i)-y_i\}^2+\frac\lambda2w^Tw\tag{1}$$
#
# $$\nabla_wJ=0:\quad w=-\frac1\lambda\sum_{i=1}^N\{w^T\phi(x_i)-y_i\}\phi(x_i)=\Phi^T\alpha,\qquad
# \alpha_i=-\frac1\lambda\{w^T\phi(x_i)-y_i\}\tag{2,3,4}$$
#
# $$y=w^T\phi(x)=\alpha^T\Phi\phi(x)=\sum_i\alpha_ik(x,x_i),\qquad\alpha=-\frac1\lambda[\Phi\Phi^T\alpha-Y],\qquad
# \alpha=(K+\lambda I_N)^{-1}Y\tag{5,6,7}$$
#
# The text names no condition on $\lambda$. It divides by $\lambda$ in (2), and at $\lambda=0$ neither is the minimiser
# unique nor $K+\lambda I_N$ invertible, as soon as two observations coincide or $N$ exceeds the number of features.
# With $\lambda>0$ each line holds.

# %%
steps("rff.eq7")
for number in range(1, 8):
    judge_entry(f"rff.eq{number}", bench)

# %% [markdown]
# The same in rational numbers, for three observations with two features: the minimiser of (1) and (7) are one model.

# %%
features = sp.Matrix([[1, 2], [0, 1], [3, -1]])
targets = sp.Matrix([1, 2, 3])
weight = sp.Rational(1, 3)
primal = (features.T * features + weight * sp.eye(2)).LUsolve(features.T * targets)
dual = (features * features.T + weight * sp.eye(3)).LUsolve(targets)
print("w from (1):         ", list(primal))
print("Phi^T alpha from (7):", list(features.T * dual))
print("equal:", primal == features.T * dual)
print("at lambda = 0, det K =", (features * features.T).det())

# %% [markdown]
# ## The cost
#
# Printed: *computing the kernel matrix and its inverse gets prohibitive in both memory and time beyond even 10000
# observations*. The growth is right: $N^2$ numbers, and $\frac{(N-1)N(N+4)}6$ multiplications for a factorisation. The
# number is not: at $N=10^4$ it is 0.8 GB and $1.7\cdot10^{11}$ multiplications, which an ordinary computer does in less
# than a minute.

# %%
judge_entry("rff.cost", bench)

# %% [markdown]
# ## Random features: equation (11)
#
# $$k(x-y)\approx\frac1D\sum_{i=1}^D\cos(w_i^Tx)\cos(w_i^Ty)+\sin(w_i^Tx)\sin(w_i^Ty)=z_w(x)^Tz_w(y),$$
#
# $$z_w(x)=\sqrt{\tfrac1D}\,[\cos(w_1^Tx),\sin(w_1^Tx),\dots,\cos(w_D^Tx),\sin(w_D^Tx)]^T.$$
#
# *Since the kernel can be approximated as a dot product between random features, linear models can be fitted in the
# random feature subspace with the primal formulation.* Nothing is lost on the way: (1) with $\phi=z_w$ gives the very
# predictions of (7) with the kernel $z_w(x)^Tz_w(y)$. The only error is that of the kernel.

# %%
steps("rff.eq11")
judge_all(("rff.eq11", "rff.unbiased", "rff.primal"), bench)

# %% [markdown]
# ## The implementation
#
# 1. Draw $w_i\sim p(w)$, $i\in[1,D]$, from the Fourier transform of the kernel: $\mathcal N(0,I_d)$ for the Gaussian
#    one.
# 2. Project: $\phi(x)=z_w(x)$.
# 3. Solve least squares for $y=\beta^T\phi(x)$, *either using SGD or using the normal solutions method*.
#
# The first two are run against their formulas; the frequencies have to pass tests of their mean and variance. The third
# is ambiguous. Without regularisation the normal equations are singular for $N<2D$. With the term
# $\frac\lambda2\beta^T\beta$ of (1) there is one solution, $\beta=(\Phi^T\Phi+\lambda)^{-1}\Phi^TY$.

# %%
for number in (1, 2, 3):
    judge_entry(f"rff.impl{number}", bench)

# %% [markdown]
# ## Drawn
#
# Thirty points of a curve, fitted with the Gaussian kernel by (7), and with few and with many frequencies by (1). Of
# these five frequencies none is fast enough to follow the curve. With $D=200$ the fit is close to the exact one.

# %%
LAMBDA, POINTS = 0.01, 30
draw = np.random.default_rng(0)
x = np.linspace(-4, 4, POINTS)
y = np.sin(2 * x) * np.exp(-(x**2) / 8)
grid = np.linspace(-4, 4, 400)


def gaussian(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The Gaussian kernel between all points of two sets."""
    return np.exp(-((a[:, None] - b[None, :]) ** 2) / 2)


def waves(points: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
    """The map z_w, one row for each point."""
    angle = np.outer(points, frequencies)
    return np.hstack([np.cos(angle), np.sin(angle)]) / np.sqrt(len(frequencies))


figure, axes = new_figure(6.0, 3.4)
axes.plot(x, y, ".", color="black", ms=4, label="data")
exact_fit = gaussian(grid, x) @ np.linalg.solve(gaussian(x, x) + LAMBDA * np.eye(POINTS), y)
axes.plot(grid, exact_fit, color="#6b6b6b", lw=3.5, alpha=0.5, label="kernel, (7)")
distance = {}
for count, colour in ((5, "#d55e00"), (200, "#0072b2")):
    frequencies = draw.standard_normal(count)
    phi = waves(x, frequencies)
    beta = np.linalg.solve(phi.T @ phi + LAMBDA * np.eye(2 * count), phi.T @ y)
    fit = waves(grid, frequencies) @ beta
    axes.plot(grid, fit, color=colour, label=f"D = {count}")
    distance[count] = abs(fit - exact_fit).max()
axes.set(xlabel="x", ylabel="prediction", title="Kernel regression, exact and with random features")
axes.set_ylim(-1.2, 1.6)
axes.legend(frameon=False, loc="upper center", ncol=4)
print("more frequencies, closer to the exact fit:", bool(distance[200] < distance[5]))
show(figure)

# %% [markdown]
# ## How many frequencies?
#
# That is the question of the rest of the walk-through. The bound on the kernel is uniform over the data, so that it
# covers every entry of $K$ at once.

# %%
judge("rff.claim", bench)

# %% [markdown]
# From the command line:
#
# ```
# rftheory verify --claim rff.eq7/lambda=0 --explain
# rftheory derive rff.eq7
# rftheory eval rr_features d=1 delta=1/100 eps=1/10 sigma=1 diam=1
# ```
