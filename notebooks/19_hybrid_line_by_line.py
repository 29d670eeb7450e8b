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
# # Hybrid Random Features, line by line
#
# The companion of `07_hybrid_estimators` and `08_max_relative_error`, which tell the story of Choromanski et al.,
# *Hybrid Random Features* (ICLR 2022). Here are the definitions of Section 2 and each line of the proofs in Appendices
# A to F, in the order of the paper, and then the statements on the experiments. (Appendices D.4, H and L are in
# `16_clustered_hybrids`.) `hybrid.thm3.5.bound/step57` is line (57) of the proof of Theorem 3.5.
#
# Where a formula of the print can be read in several ways, each reading is judged: (a), (b).

# %%
import numpy as np

from rftheory.figures.style import new_figure
from rftheory.report.cells import exact, judge, judge_all, judge_entry, make_bench, show, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws
BACKEND = "numpy"  # "cupy" samples on a GPU
QUICK = True  # False adds the checks that take minutes

# %%
bench = make_bench(EFFORT, BACKEND, quick=QUICK)
measuring = make_bench(EFFORT, BACKEND)

# %% [markdown]
# ## Section 2.1: the kernels, the base features, Definition 2.1
#
# $$K_{gauss}(x,y)=e^{-\|x\|_2^2/2}\,\mathrm{SM}(x,y)\,e^{-\|y\|_2^2/2}\quad(1)$$
#
# $$\phi^{trig}_m(u)=\sqrt{\tfrac1m}\,e^{\|u\|^2/2}\big(\sin(\omega_1^\top u),\dots,\cos(\omega_m^\top u)\big)^\top
# \quad(2),\qquad\phi^{++}_m(u)=\sqrt{\tfrac1{2m}}\,e^{-\|u\|^2/2}\big(e^{\omega_1^\top u},\dots,e^{-\omega_m^\top
# u}\big)^\top
# \quad(3)$$
#
# $$K(x,y)=\mathbb E_{\omega\sim\Omega}\Big[\sum_{i=1}^l\xi_i(x,\omega)\xi_i(y,\omega)\Big]\quad(4),\qquad
# \widehat K(x,y)=\phi_m(x)^\top\phi_m(y)\quad(6)$$
#
# Both maps are said to be (4) with $\xi=\sin,\cos$ and $\xi=\frac1{\sqrt2}e^{\pm\omega^\top u}$. These lack the factors
# $e^{\pm\|u\|^2/2}$.

# %%
steps("hybrid.eq1")
judge("hybrid.eq1", bench)
judge_all(("hybrid.eq2", "hybrid.eq3"), measuring)
judge_entry("hybrid.def2.1", bench)
judge_entry("hybrid.def2.1.examples", bench)
steps("hybrid.lem2.2.words")
judge_entry("hybrid.lem2.2.words", bench)

# %% [markdown]
# ## Section 2.2: hybrids, and their feature maps
#
# $$\hat\lambda^k_n(x,y)=a_k+\rho^k_{1,n}(x)^\top\rho^k_{2,n}(y)\quad(10),\qquad
# \widehat{\mathrm{SM}}^{hyb}_{m,n}=\hat\lambda_nP_m+(1-\hat\lambda_n)T_m\quad(12)$$
#
# The mappings are announced as real; (19) and (70) have an imaginary unit, and the product is the plain one. Lemma 2.3:
# the hybrid is an inner product of two feature vectors, with blocks that have $\mathsf i$ in front.

# %%
judge_entry("hybrid.eq9", bench)
judge_entry("hybrid.lem2.3", bench)
judge_entry("hybrid.eq12", bench)

# %% [markdown]
# *$\widehat{\mathrm{SM}}^{++}_m$ becomes perfect for $\theta=\pi$ and $\widehat{\mathrm{SM}}^{trig}_m$ for $\theta=0$.*
# True for equal lengths. A linear dependence of $\lambda$ on $\theta$ is said to *guarantee vanishing variance for
# both*; what guarantees it is that the *estimate* of $\lambda$ is surely 0 at one end and surely 1 at the other.

# %%
judge_entry("hybrid.txt.endpoints", bench)

# %% [markdown]
# ## Section 2.3 and Appendix A: complex exponential estimators
#
# $$\mathbb E[\exp(\omega^\top z)]=\prod_{i=1}^d\mathbb E[\exp(\omega_iz_i)],\qquad\mathbb E[\exp(gz)]=\exp(z^2/2)$$
#
# by the principle of identity: *if two analytic functions are identical on uncountably many points then they are
# equal*.

# %%
judge_entry("hybrid.lem2.4", bench)
judge_entry("hybrid.eq15", bench)
judge_entry("hybrid.txt.A-is-iI", bench)
judge_entry("hybrid.txt.A-is-I", bench)

# %% [markdown]
# ## Theorem 3.1 and Appendix C
#
# $$\mathrm{Var}(\widehat{\mathrm{SM}}^{hyb})=\mathrm{Var}(\hat\lambda P)+\mathrm{Var}((1-\hat\lambda)T)
# +2\,\mathrm{Cov}(\hat\lambda P,(1-\hat\lambda)T)\quad(31),\qquad
# \mathrm{Cov}=-\mathrm{SM}^2\,\mathrm{Var}(\hat\lambda)\quad(32)$$
#
# $$\mathbb E[PT]=\Big(1-\frac1m\Big)\mathrm{SM}^2+\frac1m\mathrm{SM}^2\cos(\|x\|_2^2-\|y\|_2^2)\quad(38)$$

# %%
judge_entry("hybrid.thm3.1.I", bench)
judge_entry("hybrid.thm3.1.II", bench)
steps("hybrid.thm3.1.reduced")
judge_entry("hybrid.thm3.1.reduced", bench)

# %% [markdown]
# With coupled projections inside of $P$, of $T$ and of $\hat\lambda$, (22) holds with their own moments. Orthogonal
# ones lower each term, that of $T$ for $\lVert x-y\rVert^2\le2$ at least, but not at every distance. Simplex ones gain
# less for $P$, which has both signs of each projection. And among all weights the best one is known, for common
# projections too. (Ours.)

# %%
for claim in ("hybrid.added.weight", "hybrid.added.weight.shared", "hybrid.added.weight.sphere"):
    steps(claim)
steps("hybrid.added.coupled-bases")
judge_all((f"hybrid.added.coupled-bases{part}" for part in ("", "/P", "/simplex", "/far")), bench)
judge_all(("hybrid.added.weight.shared", "hybrid.added.weight.angular"), bench)

# %% [markdown]
# ## Lemma 3.2, Theorem D.1 and Appendix D.1
#
# $$\mathbb E\Big[\sum_iX_i\Big]=1-\frac{2\theta}\pi\quad(43),\qquad\mathbb E\Big[\Big(\sum_iX_i\Big)^2\Big]=\frac1n
# +\Big(1-\frac1n\Big)\Big(1-\frac{2\theta}\pi\Big)^2\quad(44)$$
#
# With common projections the mean squared error is *further reduced*: strictly only for $n\ge2$, an angle strictly
# between 0 and $\pi$, and $\|x\|^2-\|y\|^2$ no multiple of $2\pi$. So never for equal lengths.

# %%
judge_entry("hybrid.lem3.2", bench)
steps("hybrid.thmD.1.reduced")
judge_entry("hybrid.thmD.1", bench)
judge_entry("hybrid.thmD.1.reduced", bench)
steps("hybrid.added.orthogonal-signs")
judge("hybrid.added.orthogonal-signs", bench)

# %% [markdown]
# ## Definition 3.3, Lemma 3.4 and Appendix E
#
# $$\epsilon_C(\widehat{\mathrm{SM}})=\max_{x,y\in C}\frac{\sqrt{\mathrm{MSE}(\widehat{\mathrm{SM}}(x,y))}}
# {\mathrm{SM}(x,y)}$$
#
# The maximum need not exist if $C$ is bounded but not closed. On a sphere the errors *depend only on* $\theta$: not
# those of every complex exponential estimator.

# %%
judge_entry("hybrid.def3.3", bench)
judge_entry("hybrid.txt.angle-only", bench)
judge_entry("hybrid.lem3.4", bench)

# %% [markdown]
# ## Theorem 3.5 and Appendix D.3
#
# From (48) to (65). Each line holds up to (63). Of (64) there are four readings, one of which holds; (65) uses another,
# unless our text of the paper, which has lost most of its roots, has lost one over $r$.
#
# $$\frac{db^1_r}{d\theta}=e^{2r^2\cos\theta}\Big(1-\frac1n\Big)\frac{2\theta}{\pi^2}(1-r^2\theta\sin\theta)\quad(57),
# \qquad\frac{db^2_r}{d\theta}=e^{2r^2\cos\theta}\frac1{n\pi}(1-2r^2\theta\sin\theta)\quad(58)$$

# %%
steps("hybrid.thm3.5.pointwise")
steps("hybrid.thm3.5.root")
judge_entry("hybrid.thm3.5.bound", bench)
steps("hybrid.thm3.5.scaling")
judge_entry("hybrid.thm3.5.scaling", bench)
judge_entry("hybrid.thm3.5.limits", bench)

# %% [markdown]
# *Strictly smaller worst-case relative errors than its counterparts* (abstract). For the angular hybrid that holds at
# the same $m$; at the same number of operations for $n\le\min(m,d)$; at the same number of features for $n=1$, and for
# larger $n$ at large radii only. It does not hold for every hybrid of Section 2.4.

# %%
steps("hybrid.txt.strict")
judge_entry("hybrid.txt.strict", bench)

# %% [markdown]
# ## Appendix F: Gaussian coefficients
#
# $$\hat\lambda(x,y)=\frac1\rho-\frac1{\rho n}\sum_{i=1}^n\cos(\sigma\,\omega_i^\top(x-y))\quad(69)$$
#
# The estimate is in $[0,\frac2\rho]$. With the angular hybrid as estimator of the coefficient, *zeroing out* at both
# ends is possible.

# %%
judge("hybrid.eq69", measuring)
steps("hybrid.eq70")
judge_entry("hybrid.eq70", bench)
judge_entry("hybrid.txt.F-nested", bench)
judge_entry("hybrid.thmF.1", bench)
steps("hybrid.thmF.1.shared")
judge_entry("hybrid.thmF.1.shared", bench)
steps("hybrid.thmF.2")
judge_entry("hybrid.thmF.2", bench)
judge_entry("hybrid.thmF.2.shared", bench)
judge("hybrid.txt.gauss-larger-variance/(c)", bench)
value("gaussian_coefficient_second", digits=20, r=1, theta="1/2", sigma=1, n=8)

# %% [markdown]
# ## Figures 1 and 2
#
# *Only for the angular hybrid estimator, the MSE goes to zero for both $\theta\to0$ and $\theta\to\pi$* (Figure 1).
# Figure 2: at a similar number of operations its largest relative error is below that of $T$ and $P$ with 128 random
# features, in either meaning of the number. But it is not *most accurate* at every angle.

# %%
judge_entry("hybrid.fig1", bench)
judge_entry("hybrid.fig2", bench)
value("base_max_relative_error", digits=15, m=128, r=1)
value("angular_max_relative_error", digits=15, m=35, n=35, r=1)

# %% [markdown]
# The largest relative error over the sphere of radius $r$, exactly, at $m=n=35$ for the hybrid and $m=128$ for its
# parts alone, which makes feature vectors of about one length; and the bound of Theorem 3.5, corrected.

# %%
radii = np.linspace(0.3, 2.5, 23)
figure, axes = new_figure()
for label, name, sizes, style in (
    ("T or P alone, m = 128", "base_max_relative_error", {"m": 128}, {"color": "#6b6b6b"}),
    ("angular hybrid", "angular_max_relative_error", {"m": 35, "n": 35}, {"color": "#0072b2"}),
    (
        "its bound (27), corrected",
        "angular_error_bound",
        {"m": 35, "n": 35},
        {"color": "#009e73", "ls": "--"},
    ),
):
    axes.semilogy(radii, [exact(name, r=float(r), **sizes) for r in radii], label=label, **style)
axes.set(xlabel="r", ylabel="largest relative error")
axes.legend()
show(figure)

# %% [markdown]
# ## Tables 1, 2, 4, 5 and Appendix I
#
# What is said about printed numbers, or follows from a formula, is judged. The rest needs trained networks. On the wine
# data, the sentence *HRFs outperform all other methods* is true against positive features and false against
# trigonometric ones.

# %%
for entry in ("hybrid.table1", "hybrid.fig3", "hybrid.table2"):
    judge_entry(entry, bench)

# %% [markdown]
# The loss of Appendix I, $L(\theta)=L_{CE}+\lambda_1\mathbb E(\|q\|_2-1)^2+\lambda_2\mathbb E(\|k\|_2-1)^2$, and what
# is said there about sampled softmax: the estimate of the partition function is unbiased, that of its logarithm is not.
# And $2^L$ is the perplexity for a loss in bits.

# %%
judge_entry("hybrid.eq105", bench)

# %% [markdown]
# From the command line:
#
# ```
# rftheory verify --claim hybrid.def2.1.examples --explain
# rftheory derive hybrid.thm3.5.pointwise
# rftheory eval angular_max_relative_error m=35 n=35 r=1
# ```
