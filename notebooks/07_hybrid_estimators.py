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
# # Hybrid estimators of the softmax kernel
#
# Read this beside Choromanski et al., *Hybrid Random Features* (ICLR 2022), Sections 2 and 3.1 and Appendix F.
# $\mathrm{SM}(x,y)=e^{x^\top y}$ has two classical estimators: $T_m$, with trigonometric features, and $P_m$, with
# positive ones.
# The paper adds a family of complex ones, and mixes estimators by a weight that is estimated itself. The largest error
# over a sphere, Theorem 3.5, has a notebook of its own (`08_max_relative_error`).

# %%
import numpy as np

from rftheory.exact.fast_laws import log_relative_mse
from rftheory.figures.style import new_figure
from rftheory.report.cells import exact, judge, judge_all, make_bench, show, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws
BACKEND = "numpy"  # "cupy" samples on a GPU
QUICK = True  # False adds the checks that take minutes

# %%
bench = make_bench(EFFORT, BACKEND, quick=QUICK)
measuring = make_bench(EFFORT, BACKEND)

# %% [markdown]
# ## Lemma 2.2: the base estimators
#
# $$\mathrm{MSE}(T_m)=\frac1{2m}e^{\|z\|^2}\mathrm{SM}^{-2}\bigl(1-e^{-\|\Delta\|^2}\bigr)^2,\qquad
# \mathrm{MSE}(P_m)=\frac1{2m}e^{\|z\|^2}\mathrm{SM}^2\bigl(1-e^{-\|z\|^2}\bigr)^2$$
#
# with $z=x+y$ and $\Delta=x-y$. $T$ is exact at $x=y$ and $P$ at $x=-y$, whatever the value of the kernel: the sentence
# that $T$ is good for large kernel values needs fixed norms.

# %%
steps("hybrid.lem2.2")
judge_all(("hybrid.lem2.2", "hybrid.lem2.2.words/(a)", "hybrid.lem2.2.words/(b)"), bench)

# %% [markdown]
# ## Complex exponential estimators: Lemma 2.4, eqs (14) to (17)
#
# $$\mathbb E\,e^{\omega^\top z}=e^{\frac12\sum_iz_i^2}\quad(z\in\mathbb C^d),\qquad
# \mathbb E\,S=\mathrm{SM},\quad\mathbb E|S-\mathrm{SM}|^2=\frac{\mathrm{SM}^2}m\bigl(e^{|\zeta|^2}-1\bigr),\quad
# \zeta=Ax+(A^\top)^{-1}y$$
#
# for any invertible complex $A$. With the adjoint in place of the transpose, the mean is another one. The variance
# vanishes exactly where $\zeta=0$, (17).

# %%
for claim in ("hybrid.lem2.4", "hybrid.eq14", "hybrid.eq17"):
    steps(claim)
judge_all(("hybrid.lem2.4", "hybrid.eq14", "hybrid.eq14/adjoint", "hybrid.eq15", "hybrid.eq17"), bench)

# %% [markdown]
# ## What $A=\mathsf iI$ and $A=I$ give
#
# The paper says that they give $T$ and $P$. They do not quite: the estimator for $A=\mathsf iI$ is complex, and its
# *real part* is $T$; the one for $A=I$ has one sign of each projection, and $P$ is its mean with the *mirror image*, of
# at most half its error.

# %%
steps("hybrid.txt.A-is-iI")
judge_all(("hybrid.txt.A-is-iI/(a)", "hybrid.txt.A-is-iI/corrected"), bench)
steps("hybrid.txt.A-is-I")
judge_all(("hybrid.txt.A-is-I/(a)", "hybrid.txt.A-is-I/corrected"), bench)

# %% [markdown]
# ## Theorem 3.1: the error of a bipolar hybrid
#
# $$\mathrm{MSE}\bigl(\hat\lambda_nP_m+(1-\hat\lambda_n)T_m\bigr)=\mathbb E[\hat\lambda_n^2]\,\mathrm{MSE}(P_m)
# +\mathbb E[(1-\hat\lambda_n)^2]\,\mathrm{MSE}(T_m)$$
#
# if $P$, $T$ and $\hat\lambda$ are independent. With the same projections in $P$ and $T$, it changes by
# $-\frac2m\mathrm{SM}^2(1-\cos(\|x\|^2-\|y\|^2))\,\mathbb E[\hat\lambda(1-\hat\lambda)]$. That is no gain where the
# lengths are equal, and it can be a loss. The first formula is measured too: squared errors of drawn estimates are
# tested against it.

# %%
steps("hybrid.thm3.1.I")
steps("hybrid.thm3.1.II")
judge_all(("hybrid.eq8", "hybrid.lem2.3", "hybrid.thm3.1.II"), bench)
judge("hybrid.thm3.1.I", measuring)
judge_all((f"hybrid.thm3.1.reduced/{reading}" for reading in ("(a)", "(b)", "corrected")), bench)

# %% [markdown]
# ## The angular coefficient: eq. (19), Lemma 3.2, Theorem D.1
#
# $$\hat\lambda_n=\frac12+\rho_n(x)^\top\rho_n(y),\quad\rho_n(z)=\frac{\mathsf i}{\sqrt{2n}}
# \bigl(\mathrm{sgn}(\tau_j^\top z)\bigr)_j,\qquad\mathbb E[\hat\lambda_n^2]=\frac\theta\pi
# \Bigl(\frac\theta\pi-\frac\theta{n\pi}+\frac1n\Bigr)$$
#
# The product is the plain one, without conjugation. The coefficient is surely 0 at $\theta=0$ and surely 1 at
# $\theta=\pi$, so that the hybrid is exact at both ends.

# %%
steps("hybrid.lem3.2")
steps("hybrid.thmD.1")
value("angular_coefficient_second", n=8, theta="3/2")
value("angular_mse", x=1, y=2, theta="3/2", m=16, n=8)
value("angular_shared_mse", x=1, y=2, theta="3/2", m=16, n=8)
judge_all(("hybrid.eq19", "hybrid.lem3.2", "hybrid.thmD.1"), measuring)
judge("hybrid.eq19/hermitian", bench)
judge("hybrid.txt.zero-variance", bench)

# %% [markdown]
# ## Gaussian coefficients: eq. (20), Theorems F.1 and F.2
#
# $$\lambda(x,y)=\frac{1-e^{-\sigma^2\|x-y\|^2/2}}\rho,\qquad\rho=1-e^{-2\sigma^2r^2},\qquad\|x\|=\|y\|=r$$
#
# The window of (20) is at $x=-My$ and not at $x=My$; the features (70) need $\sigma$ in front of their projections. The
# theorems hold, except that common projections leave the error as it is only for equal lengths.

# %%
steps("hybrid.thmF.1")
judge_all(
    ("hybrid.eq20/(a)", "hybrid.eq20/(b)", "hybrid.eq67", "hybrid.eq70", "hybrid.eq70/corrected"), bench
)
judge_all(("hybrid.thmF.1", "hybrid.thmF.1.shared/(a)", "hybrid.thmF.2"), bench)

# %% [markdown]
# ## Which coefficient is better?
#
# The paper: the Gaussian one has the larger variance. That depends on the angle, on $\sigma$ and on $n$. Near
# $\theta=0$ the Gaussian hybrid wins, with an error that falls like $\theta^4$ where the angular one falls like
# $\theta$ (both squared); near $\theta=\pi$ it is not even exact.

# %%
GAUSSIAN = "hybrid.txt.gauss-larger-variance"
judge_all((f"{GAUSSIAN}/(a)", f"{GAUSSIAN}/(b)", f"{GAUSSIAN}/corrected", "hybrid.txt.gauss-not-both"), bench)
for theta in ("1/10", "3"):
    value("angular_equal_mse", digits=15, r=1, theta=theta, m=16, n=8)
    value("gaussian_equal_mse", digits=15, r=1, theta=theta, sigma=1, m=16, n=8)

# %% [markdown]
# All of them at once: the hybrids vanish, or nearly so, at an end where one of their parts does. Vectors of length 1,
# $m=16$, $n=8$; relative errors.

# %%
angles = np.linspace(0.02, np.pi - 0.02, 60)
kernel = np.exp(np.cos(angles))  # of the softmax kernel, |x| = |y| = 1
curves = {
    "trigonometric": np.exp(log_relative_mse("trigonometric", "iid", 64, 16, 2 * np.sin(angles / 2)) / 2),
    "positive, both signs": np.exp(log_relative_mse("hyperbolic", "iid", 64, 16, 2 * np.cos(angles / 2)) / 2),
}
for label, name, more in (
    ("angular", "angular_equal_mse", {}),
    ("Gaussian", "gaussian_equal_mse", {"sigma": 1}),
):
    errors = [exact(name, r=1, theta=float(a), m=16, n=8, **more) ** 0.5 for a in angles]
    curves[f"{label} hybrid"] = np.array(errors) / kernel
figure, axes = new_figure()
for (label, curve), colour in zip(curves.items(), ("#0072b2", "#d55e00", "#009e73", "#cc79a7"), strict=True):
    axes.plot(angles, curve, color=colour, label=label)
axes.set(xlabel="angle between x and y", ylabel="relative error", ylim=(0, 0.6))
axes.legend(loc="upper center", ncols=2)
show(figure)

# %% [markdown]
# ## The best weight
#
# Among all weights the variance is least at $\lambda^*=\frac{\mathrm{MSE}(T)}{\mathrm{MSE}(P)+\mathrm{MSE}(T)}$. On a
# sphere this makes the largest relative error $\frac{\sinh r^2}{\sqrt m}$, of the order $e^{r^2}$, where $T$ and $P$
# have $e^{2r^2}$ and the angular hybrid has no less than $e^{2r^2}/r$. No features are known that estimate this weight;
# it shows how much there is to gain.

# %%
judge_all(("hybrid.added.weight", "hybrid.added.weight.sphere"), bench)
value("bipolar_best_max", m=16, r=2)
value("angular_max_relative_error", digits=15, m=16, n=8, r=2)

# %% [markdown]
# From the command line:
#
# ```
# rftheory verify --paper hybrid
# rftheory derive hybrid.thm3.1.II
# rftheory eval angular_mse x=1 y=2 theta=3/2 m=16 n=8
# ```
#
# Each line of the proofs has its verdict in `19_hybrid_line_by_line`.
