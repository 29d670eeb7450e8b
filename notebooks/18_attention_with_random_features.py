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
# # Attention with random features: prerequisites, mechanisms, experiments
#
# Read this beside Likhosherstov et al., *Chefs' Random Tables* (NeurIPS 2022), Sections 1, 2 and 5, and the recipes
# that are spread over Sections 2 to 4. The theorems have notebooks of their own: `04_gerf_and_oprf`,
# `05_discrete_tables` and `06_concentration_bounds`.
#
# Notation: $K(x,y)=e^{-\|x-y\|^2/2}$ and $K_{\rm sfm}(x,y)=e^{x^\top y}$; $M$ random features, $L$ points, $\omega$ a
# random projection.

# %%
import numpy as np

from rftheory.figures.style import new_figure
from rftheory.report.cells import exact, judge, judge_all, judge_entry, make_bench, show, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws; with less, some measurements decide nothing
BACKEND = "numpy"  # "cupy" samples on a GPU
QUICK = True  # False adds the checks that take minutes

# %%
bench = make_bench(EFFORT, BACKEND, quick=QUICK)
measuring = make_bench(EFFORT, BACKEND)

# %% [markdown]
# ## Random features: eqs (1) and (2)
#
# $$K(x,y)=\mathbb E_{p(\omega)}\,\mathrm{Re}\big(f^{(1)}(\omega,x)f^{(2)}(\omega,y)\big)$$
#
# $$(\mathcal Kc)_i\approx\sum_{j=1}^L\Big(\frac1M\sum_{m=1}^M\mathrm{Re}\big(f^{(1)}(\omega_m,x^{(i)})
# f^{(2)}(\omega_m,y^{(j)})\big)\Big)c_j=\frac1M\mathrm{Re}\Big(\sum_{m=1}^Mf^{(1)}(\omega_m,x^{(i)})
# \sum_{j=1}^Lf^{(2)}(\omega_m,y^{(j)})c_j\Big)$$
#
# The order of the sums makes the difference between $O(dL^2)$ and $O(dML)$ operations, and
# $\mathrm{Var}_{\omega_1,\dots,\omega_M}(\cdots)=\frac1M\mathrm{Var}_{p(\omega)}(\cdots)$.

# %%
for entry in ("chefs.eq1", "chefs.eq2", "chefs.2.1.cost", "chefs.2.1.var"):
    judge_entry(entry, bench)

# %% [markdown]
# The two kernels differ by factors that are known, $K_{\rm sfm}(x,y)=e^{\|x\|^2/2}K(x,y)e^{\|y\|^2/2}$, and so do their
# features.

# %%
steps("chefs.2.1.sfm")
judge("chefs.2.1.sfm", bench)

# %% [markdown]
# ## Trigonometric and positive features: Section 2.2
#
# $$f^{(1)}_{\rm trig}(\omega,x)=e^{\mathrm i\omega^\top x},\quad f^{(2)}_{\rm trig}(\omega,y)
# =e^{-\mathrm i\omega^\top y},\qquad\mathrm{Var}=\tfrac12\big(1-K(x,y)^2\big)^2$$
#
# $$f^{(1)}_{\rm pos}(\omega,x)=f^{(2)}_{\rm pos}(\omega,x)=\exp(\omega^\top x-\|x\|^2),\qquad
# \mathrm{Var}=\exp(4x^\top y)-K(x,y)^2$$

# %%
for entry in ("chefs.2.2.trig", "chefs.2.2.pos-var"):
    steps(entry)
    judge(entry, measuring)
judge("chefs.2.2.pos", bench)
judge_all(("chefs.mech.trig", "chefs.mech.pos"), bench)

# %% [markdown]
# ## What is wrong with either: Section 1
#
# Trigonometric features are not positive, and their relative variance is unbounded for small kernel values. Positive
# ones are not bounded: $\sup_\omega f_{\rm pos}(\omega,x)=\infty$ for $x\ne0$, and the moment generating function of an
# estimate is infinite for every $\theta>0$, if $x\ne-y$. Hence no bound of their upper tail is exponential in $M$.

# %%
judge_entry("chefs.intro.trig", bench)
steps("chefs.intro.favor+")
judge_entry("chefs.intro.favor+", bench)

# %% [markdown]
# ## Self-attention: eq. (3)
#
# $$Y=\mathrm{softmax}(d^{-1/2}Q\mathsf K^\top)V=\mathrm{diag}(\mathcal K_{\rm sfm}\mathbf 1_L)^{-1}\mathcal K_{\rm sfm}
# V,\qquad x^{(i)}=d^{-1/4}Q_{i,:},\quad y^{(j)}=d^{-1/4}\mathsf K_{j,:}$$
#
# The softmax is that of the rows. It takes $\mathcal K_{\rm sfm}$ on $d+1$ vectors: $O(dL^2)$ operations a vector, or
# $O(dML)$ by (2). *With positive RFs the denominator is a sum of positive numbers, hence it cannot be negative or too
# small*: not negative, true; but as small as you like, with a small probability, unless $x=-y$.

# %%
judge_entry("chefs.eq3", bench)
for entry in ("chefs.2.3.cost", "chefs.2.3.stability", "chefs.intro.denominator"):
    judge_entry(entry, bench)

# %% [markdown]
# ## The mechanisms
#
# Each recipe is run, and held against what is said of it.
#
# | | features | parameters |
# |---|---|---|
# | GERF | $D\exp(A\|\omega\|^2+B\omega^\top x+C\|x\|^2)$ | complex $A$, sign $s$, by search |
# | OPRF | $(1-4A)^{d/4}\exp(A\|\omega\|^2+\sqrt{1-4A}\,\omega^\top x-\|x\|^2)$ | $A=(1-1/\rho^*)/8$ |
# | PoisRF | $e^{\lambda d/2-\|x\|^2/2}\prod_lx_l^{\omega_l}\lambda^{-\omega_l/2}$ | $\lambda^*$ |
# | GeomRF | $p^{-d/2}e^{-\|x\|^2/2}\prod_lx_l^{\omega_l}(1-p)^{-\omega_l/2}(\omega_l!)^{-1/2}$ | $p$ by search |
# | PoisRF+, GeomRF+ | the same on $x-c$, $y-c$ | those of the shifted vectors |

# %%
judge_all((f"chefs.mech.{name}" for name in ("gerf", "oprf", "dirf", "pois", "geom")), bench)
judge_entry("chefs.mech.plus", bench)

# %% [markdown]
# ### Orthogonal projections
#
# The main text does not say which norms the orthogonal projections have. With independent $\chi_d$ norms everything
# stays unbiased. With all norms $\sqrt d$ the mean is another one,
#
# $$\mathbb EZ=(1-4A)^{d/2}e^{2Ad-(\|x\|^2+\|y\|^2)}{}_0F_1\bigl(;\tfrac d2;\tfrac d4(1-4A)\|x+y\|^2\bigr).$$

# %%
judge_entry("chefs.mech.ort", bench)
value("oprf_fixed_norm_mean", digits=20, d=4, A="-1/5", v=1, z="1/2")
value("gaussian_kernel", digits=20, z="1/2")

# %% [markdown]
# ### FAVOR+ and FAVOR++
#
# $$\Phi_{im}=e^{\|x^{(i)}\|^2/2}f(\omega_m,x^{(i)}),\quad\Psi_{jm}=e^{\|y^{(j)}\|^2/2}f(\omega_m,y^{(j)}),\qquad
# \widehat Y=\mathrm{diag}\big(\Phi(\Psi^\top\mathbf 1_L)\big)^{-1}\Phi(\Psi^\top V)$$
#
# The entries of $\frac1M\Phi\Psi^\top$ are unbiased and positive, and the rows of $\widehat Y$ convex combinations of
# the rows of $V$. That the quotient $\widehat Y$ be unbiased is not claimed, nor is it so.

# %%
judge_all(("chefs.mech.favor+", "chefs.mech.favor++"), bench)

# %% [markdown]
# ## The abstract
#
# Its eleven statements, (a) to (k). *Much lower variance than its counterparts* holds against positive features, and
# not against trigonometric ones for $x$ near $y$. The tails are exponentially small, though not by the printed bounds.

# %%
judge_entry("chefs.abs", bench)

# %% [markdown]
# ## How much is gained: Figure 1 (right) and Figure 2
#
# For $d=64$ and $\|x+y\|^2=100$ the variance of OPRF is $e^{60}$ times smaller than that of positive features. The
# logarithm of the ratio, $\mu$, is an exact function of $\|x+y\|$ and $d$.

# %%
judge_entry("chefs.intro.e60", bench)
judge_entry("chefs.fig1.right", bench)
for v in (1, 5, 10):
    value("log_oprf_gain", digits=15, d=64, v=v)

# %% [markdown]
# Figure 2 has four regimes of pairs. In two of them, *normal* and *heterogen*, the mean of the log-variance is an
# integral that can be enclosed, for the whole population in place of a sample: at $\sigma=1$, GERF against TrigRF gains
# $e^{80}$ and $e^{125}$, OPRF against PosRF $e^{75}$ and $e^{125}$. That is so for means of logarithms. The ratio of
# mean variances is governed by rare pairs, and smaller (against TrigRF) or infinite (against PosRF).

# %%
for entry in ("chefs.fig2", "chefs.5.1.outperform", "chefs.5.1.gerf-trig", "chefs.5.1.oprf-pos"):
    judge_entry(entry, bench)
value("mean_log_gain", digits=15, d=64, sigma=1, offset=0)
value("mean_log_gain", digits=15, d=64, sigma=1, offset=64)

# %%
lengths = np.linspace(0.1, 4, 40)
figure, axes = new_figure()
for dimension, colour in ((4, "#0072b2"), (16, "#d55e00"), (64, "#009e73")):
    gains = [exact("log_oprf_gain", d=dimension, v=float(v)) for v in lengths]
    axes.plot(lengths, gains, color=colour, label=f"d = {dimension}")
axes.set(xlabel="|x + y|", ylabel="log of Var PosRF / Var OPRF", title="What optimal positive features gain")
axes.legend()
show(figure)

# %% [markdown]
# ## Classification and Transformers: Sections 5.2 and 5.3
#
# $$r^*=\sum_{i=1}^LK(\sigma o^*,\sigma o^{(i)})\,r^{(i)}\Big/\sum_{i=1}^LK(\sigma o^*,\sigma o^{(i)})$$
#
# The class is that of the largest entry, which the denominator does not change: so features of both signs can be used,
# if the class is read off the numerators. An estimated denominator may be negative. The count $O(nLM)$ leaves out the
# projections, which take $O(dLM)$.

# %%
judge_entry("chefs.5.2.regression", bench)

# %% [markdown]
# Of the tables we judge what is said about the printed numbers. The numbers rest on splits and seeds, or on trained
# Transformers, and are left undecided.

# %%
for entry in ("chefs.tab1", "chefs.5.2.outcome", "chefs.tab2", "chefs.5.3.speech", "chefs.5.3.vision"):
    judge_entry(entry, bench)

# %% [markdown]
# From the command line:
#
# ```
# rftheory verify --claim chefs.intro.favor+/b --explain
# rftheory derive chefs.2.2.pos-var
# rftheory eval log_oprf_gain d=64 v=10
# ```
