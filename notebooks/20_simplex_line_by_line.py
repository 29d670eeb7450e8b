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
# # Simplex Random Features, line by line
#
# The companion of `01_rf_conformity`, `02_orthogonality_gaps` and `03_simrf_plus_and_optimal_coupling`: each numbered
# line of the proofs in Appendix A of Reid et al., *Simplex Random Features* (ICML 2023), in the order of the paper,
# with what stands between the theorems of Sections 3 and 4. `simplex.cor4.6/(83)` is line (83) of the proof of
# Corollary 4.6.
#
# Most lines hold. Those that do not are misprints, forgotten conditions, or steps that need another argument; what is
# right in their place stands below the verdict.

# %%
import numpy as np

from rftheory.figures.style import new_figure
from rftheory.report.cells import exact, judge_all, judge_entry, make_bench, show, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws; with less, some measurements decide nothing
BACKEND = "numpy"  # "cupy" samples on a GPU
QUICK = True  # False adds the checks that take minutes

# %%
bench = make_bench(EFFORT, BACKEND, quick=QUICK)

# %% [markdown]
# ## Theorem 3.2 and Appendix A.1: (28) to (35)
#
# $$\mathbb E[e^{\mathbf w_{ij}^\top\mathbf v}]=\Gamma(d/2)2^{\frac d2-1}\int_0^\infty dw_{ij}\,p(w_{ij})
# (iw_{ij}v)^{1-\frac d2}J_{\frac d2-1}(iw_{ij}v)\quad(31),\qquad J_\alpha(z)=\sum_{k=0}^\infty\frac{(-1)^k}
# {k!\,\Gamma(k+\alpha+1)}\Bigl(\frac z2\Bigr)^{2k+\alpha}\quad(32)$$

# %%
judge_entry("simplex.def3.1", bench)
judge_entry("simplex.thm3.2", bench)
steps("simplex.s3.increasing")
judge_entry("simplex.s3.increasing", bench)
judge_entry("simplex.s3.wij-smaller", bench)

# %% [markdown]
# ## Lemma A.1 and Theorem 3.4, Appendix A.2: (36) to (48)
#
# $$\sum_i\sum_{j\ne i}f(\lVert\hat{\mathbf w}_i+\hat{\mathbf w}_j\rVert_2^2)\ge m(m-1)\,f\Bigl(\frac{
# \sum_i\sum_{j\ne i}\lVert\hat{\mathbf w}_i+\hat{\mathbf w}_j\rVert_2^2}{m(m-1)}\Bigr)\quad(38),\qquad
# \rho\ge m(m-1)\,f\Bigl(\frac{2(m-2)}{m-1}\Bigr)\quad(40)$$
#
# and for random norms the same under the sum over permutations, (41) to (43), with a Lagrangian in (44) to (48).
# Equality in (43) does not make a minimum yet: equal directions have it too. In (46) the middle should be a square, and
# the factor in (48) has to be positive.

# %%
steps("simplex.lemA.1")
judge_entry("simplex.lemA.1", bench)
steps("simplex.thm3.4")
judge_entry("simplex.thm3.4", bench)
steps("simplex.cor3.3")
judge_entry("simplex.cor3.3", bench)

# %% [markdown]
# ## Section 3.2 and Appendix A.3: known norms
#
# $$\tilde\rho=\frac{\Gamma(d/2)v^2}{4m(m-1)\Gamma(1+d/2)}\sum_{i,j\ne i}w_{ij}^2\quad(15),\qquad
# \mathbf w_i=-\frac{\sum_{j\ne i}\mathbf w_j}{\lVert\sum_{j\ne i}\mathbf w_j\rVert_2}w_i\quad(16)$$
#
# *Such a geometry always exists for any set of norms*: a longest vector that outweighs the others, or a closed loop.
# But (16) is necessary, not sufficient: three vectors on a line can solve it.

# %%
for entry in ("simplex.fn3", "simplex.eq13"):
    steps(entry)
    judge_entry(entry, bench)
judge_all(("simplex.eq12", "simplex.fn4", "simplex.eq14", "simplex.eq15"), bench)
judge_entry("simplex.eq16", bench)
steps("simplex.eq17")
judge_entry("simplex.eq17", bench)
judge_entry("simplex.s3.plus-asymptotic", bench)
steps("simplex.fig3")
judge_entry("simplex.fig3", bench)

# %% [markdown]
# Figure 4 shows one draw of norms at $d=6$. Its conclusions are judged for our draw: SimRFs are within 4 percent of the
# least conformity over all directions, and SimRFs+ within 1.5 percent.

# %%
judge_entry("simplex.fig4.claims", bench)
judge_entry("simplex.s3.bruteforce", bench)

# %% [markdown]
# ## Lemma 4.1, Lemma 4.2, Appendices A.4 and A.5: (52) to (58)
#
# $$p_\theta(w)=\frac{w^{2d-1}}{2^{d-2}\Gamma(\frac d2)^2}\int_0^{\pi/2}d\phi\,(\sin\phi\cos\phi)^{d-1}
# \frac{e^{-\frac{w^2}{2(1+\sin2\phi\cos\theta)}}}{(1+\sin2\phi\cos\theta)^d}\quad(20),\qquad
# \theta=\tfrac\pi2:\ p(w)=\frac{w^{2d-1}e^{-w^2/2}}{2^{d-1}\Gamma(d)}\quad(58)$$

# %%
judge_entry("simplex.lem4.1", bench)
judge_entry("simplex.lem4.2", bench)
steps("simplex.s4.chi2d")
judge_entry("simplex.s4.chi2d", bench)
value("angle_pair_density", digits=20, d=6, w=3, c="-1/5")
value("orf_pair_density", digits=20, d=6, w=3)

# %% [markdown]
# Figure 5: the three densities at $d=6$. Orthogonality takes mass from both tails, as $\mathbb Ew_{ij}^2=2d$ for
# independent pairs and for orthogonal ones. The simplex shortens each resultant.

# %%
judge_entry("simplex.fig5", bench)
steps("simplex.fig5")
grid = np.linspace(0.05, 8, 80)
figure, axes = new_figure()
densities = {
    "independent": ("iid_pair_density", {}, "#6b6b6b"),
    "orthogonal": ("orf_pair_density", {}, "#0072b2"),
    "simplex": ("angle_pair_density", {"c": "-1/5"}, "#d55e00"),
}
for label, (name, angle, colour) in densities.items():
    axes.plot(grid, [exact(name, d=6, w=float(w), **angle) for w in grid], color=colour, label=label)
axes.legend(frameon=False)
axes.set(xlabel="$w_{ij}$", ylabel="density", title="Length of the sum of two projections, d = 6")
show(figure)

# %% [markdown]
# ## Equations (21) and (22), Theorem 4.3, Appendix A.6: (59) to (67)
#
# $$\rho_\theta=\frac1{2^{d-1}\Gamma(\frac d2)}\int_0^\pi d\phi\,(\sin\phi)^{d-1}\sum_{k=0}^\infty
# \frac{v^{2k}(1+\sin\phi\cos\theta)^k}{2^kk!\,\Gamma(k+\frac d2)}\Gamma(k+d)\quad(21)$$
#
# *Every term is proportional to $\int_0^\pi d\phi\,(\sin\phi)^{d-1}(1+\sin\phi\cos\theta)^k$, which is strictly smaller
# for $\cos\theta<0$ compared to $\cos\theta=0$* (22): from $k=1$ on. At $k=0$ they are equal.

# %%
steps("simplex.eq21")
judge_entry("simplex.eq21", bench)
judge_entry("simplex.eq22", bench)
judge_entry("simplex.thm4.3", bench)
steps("simplex.added.1F1")
steps("simplex.added.plane")
judge_all(("simplex.added.even-simrf", "simplex.added.plane"), bench)

# %% [markdown]
# ## Corollary 4.4, Appendix A.7: (68) to (70)
#
# (69) has the $2^k$ that (25) lacks. In (70) the bracket vanishes for $k=0$ and $k=1$, and is positive from $k=2$ on.

# %%
judge_entry("simplex.cor4.4", bench)

# %% [markdown]
# ## Theorem 4.5, Appendix A.8: (71) to (76)
#
# $$\mathrm{MSE}(\hat K)=\frac1m\Bigl[\frac{(1-e^{-z^2})^2}2+(m-1)\Bigl(\frac1{m(m-1)}\sum_i\sum_{i\ne j}
# \mathbb E[a_ia_j]-e^{-z^2}\Bigr)\Bigr]\quad(74)$$

# %%
judge_entry("simplex.thm4.5", bench)
for result in ("simplex.zcrit.energy", "simplex.added.zcrit", "simplex.zcrit.plane", "simplex.added.rff"):
    steps(result)
judge_entry("simplex.s4.zcrit", bench)
judge_all(("simplex.added.zcrit-digits", "simplex.added.zcrit-third", "simplex.added.zcrit-growth"), bench)

# %% [markdown]
# ## Corollary 4.6, Appendix A.9: (77) to (86)
#
# $$\frac1{2^k}\frac{\Gamma(k+d)\Gamma(\frac d2)}{\Gamma(k+\frac d2)\Gamma(d)}\simeq1-\frac{k(k-1)}{2d}\quad(84),\qquad
# -\sum_{k=0}^\infty\frac{(-z^2)^k}{k!}\frac{k(k-1)}{2d}=-\frac{z^4}{2d}e^{-z^2}\quad(85)$$

# %%
judge_entry("simplex.cor4.6", bench)

# %% [markdown]
# ## Section 5.1
#
# Which reading of the coefficient of $v^2$ is the right one, and what Figure 6 shows:

# %%
steps("simplex.s5.smallv")
judge_entry("simplex.s5.smallv", bench)
judge_entry("simplex.fig6", bench)

# %% [markdown]
# From the command line:
#
# ```
# rftheory verify --claim simplex.eq22 --explain
# rftheory derive simplex.eq21
# rftheory eval angle_pair_density d=6 w=3 c=-1/5
# ```
