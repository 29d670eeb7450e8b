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
# # Simplex blocks: the features, the construction, the cost, the experiments
#
# Read this beside Reid et al., *Simplex Random Features* (ICML 2023): Sections 1 to 3 and footnote 2 (what the features
# are, how a block is built), Section 4.2 and Appendix B.2 (what it costs), Section 5 and Appendix B.1 (the
# experiments). The closed forms are in `01_rf_conformity`, the optimality in `03_simrf_plus_and_optimal_coupling`.
#
# Notation as in the paper: $d$ dimensions, $m$ projections $\mathbf w_i$, $\mathbf v=\mathbf x+\mathbf y$,
# $\mathbf z=\mathbf x-\mathbf y$.

# %%
import numpy as np

from rftheory.choose.comparison import cost
from rftheory.figures.style import new_figure
from rftheory.report.cells import judge, judge_all, judge_entry, make_bench, show, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws; with less, some measurements decide nothing
BACKEND = "numpy"  # "cupy" samples on a GPU
QUICK = True  # False adds the checks that take minutes

# %%
bench = make_bench(EFFORT, BACKEND, quick=QUICK)
measuring = make_bench(EFFORT, BACKEND)

# %% [markdown]
# ## Equations (1) to (7): the features
#
# $$K(\mathbf x,\mathbf y)=\mathbb E[\hat K(\mathbf x,\mathbf y)],\quad\hat K=\phi(\mathbf x)^\top\phi(\mathbf y);\qquad
# K(\mathbf x-\mathbf y)=\int p(\mathbf w)e^{i\mathbf w^\top(\mathbf x-\mathbf y)}d^d\mathbf w$$
#
# $$\phi_{\mathrm{RFF}}(\mathbf z)=\sqrt{\tfrac1m}\bigl(\odot_{i=1}^m[\sin(\mathbf w_i^\top\mathbf z),
# \cos(\mathbf w_i^\top\mathbf z)]\bigr)^\top,\qquad\phi_{\mathrm{PRF}}(\mathbf z)=\sqrt{\tfrac1m}\,
# \exp(-\lVert\mathbf z\rVert_2^2)\bigl(\odot_{i=1}^m[\exp(\mathbf w_i^\top\mathbf z)]\bigr)^\top$$
#
# $$K_{\mathrm{gauss}}(\mathbf x,\mathbf y)=K_{\mathrm{smax}}(\mathbf x,\mathbf y)\exp\bigl(-\tfrac{x^2}2
# -\tfrac{y^2}2\bigr)$$
#
# Unbiased for every coupling whose projections are Gaussian one by one. In (2), not every stationary kernel has a
# density: $\cos$ has none.

# %%
steps("simplex.eq4")
for entry in ("simplex.eq1", "simplex.eq2", "simplex.eq3", "simplex.eq4", "simplex.eq6"):
    judge_entry(entry, bench)
judge_all(("simplex.mech.rff", "simplex.mech.prf"), bench)

# %% [markdown]
# ## Definition 1.1, and the couplings
#
# *Geometrically coupled*: the norms $w_i$ are independent. *Weight-independent*: the directions do not depend on them.
# Independent projections (IIDRF) and orthogonal ones (ORF: $\mathbf D\mathbf R$, with $\mathbf R$ Haar distributed and
# $w_i\sim\chi_d$) are both. *The isotropy of the Gaussian distribution permits us to entangle different $\mathbf w_i$
# to be exactly orthogonal whilst preserving the Gaussian marginal distributions.* For $m>d$, independent blocks.
#
# Of the headline claims, that SimRFs *provide the smallest possible mean square error* holds for $m=d$.

# %%
judge_all(("simplex.def1.1", "simplex.s1.orf-marginals", "simplex.fn2"), measuring)
judge_all(("simplex.mech.iidrf", "simplex.mech.orf"), bench)
judge_entry("simplex.abs.claims", bench)

# %% [markdown]
# ## Equations (8) and (9): the simplex block
#
# $$\mathbf W_{\mathrm{simp}}=\mathbf D\mathbf S\mathbf R,\qquad\mathbf s_i=\sqrt{\tfrac d{d-1}}\,\mathbf e_i
# -\frac{\sqrt d+1}{(d-1)^{3/2}}(1,\dots,1,0)^\top\ (i<d),\qquad\mathbf s_d=\frac1{\sqrt{d-1}}(1,\dots,1,0)^\top$$
#
# How far the root reaches over $d+1$ cannot be seen in the text of the page. Only with $\sqrt d+1$ are the rows unit
# vectors, at the angle $\theta=\arccos(-\frac1{d-1})$ to each other. At $d=1$ there is no simplex.

# %%
steps("simplex.eq9")
for entry in ("simplex.eq9", "simplex.s3.normalised", "simplex.s3.angle", "simplex.eq8"):
    judge_entry(entry, bench)
steps("simplex.s3.marginal")
judge("simplex.s3.marginal", bench)
judge("simplex.mech.simrf", bench)

# %% [markdown]
# *Fixed, obtuse angles "explore" $\mathbb R^d$ better, suppressing the kernel estimator MSE* (Figure 2): the conformity
# increases with the cosine of the angle.

# %%
steps("simplex.added.angle")
judge_all(("simplex.fig2", "simplex.added.angle"), bench)
for cosine in ("-1/7", "0", "1/7"):
    value("angle_conformity", digits=20, d=8, v=1, c=cosine)

# %% [markdown]
# The definition is for blocks of $d$ rows. With fewer projections the best coupling is the simplex of $m$ vertices, not
# $m$ rows of (9); and for $2d$ projections an orthogonal block with its negatives is better than two simplex blocks.
# (Ours.)

# %%
for entry in ("simplex.added.fewer", "simplex.added.orthoplex"):
    steps(entry)
    judge(entry, bench)

# %% [markdown]
# Between $d+1$ and $2d$ projections a linear programming bound says how good a block can be. Both ends attain it, and
# simplices in orthogonal subspaces come close to it in between. (Ours.)

# %%
steps("simplex.added.block-bound")
judge_all(("simplex.added.block-bound", "simplex.added.orthogonal-simplices"), bench)
judge("simplex.added.orthogonal-simplices/order", bench)
value("block_conformity_bound", digits=20, d=8, m=12, v=1)
value("orthogonal_simplices_conformity", digits=20, n=4, p=2, v=1)
value("iid_conformity", digits=20, d=8, v=1)

# %% [markdown]
# The same method with two points of contact covers more than $2d$ projections. The pentagon and half of the cube in
# five dimensions attain the bound; eight vectors in three dimensions come close to it. (Ours.)

# %%
steps("simplex.added.more-than-2d")
judge_all(("simplex.added.more-than-2d",), bench)
for claim in ("attained", "near"):
    judge(f"simplex.added.more-than-2d/{claim}", bench)
value("block_conformity_bound", digits=20, d=5, m=16, v=1)

# %% [markdown]
# For large $v$ the conformity grows as fast as the tail of $|\mathbf w_i+\mathbf w_j|$ allows. For orthogonal rows it
# lies between two expressions that agree in the plane, and other angles are compared with these. (Ours.)

# %%
for derivation in ("simplex.added.growth", "simplex.added.sum-tail"):
    steps(derivation)
judge_all(("simplex.added.growth",), bench)
for claim in ("angle", "tail"):
    judge(f"simplex.added.growth/{claim}", bench)

# %% [markdown]
# All couplings so far have joint laws that are invariant under rotations. Without that, the error depends on the
# direction of $\mathbf x+\mathbf y$; Theorems 3.2 and 3.4 then speak of the mean over all directions. A bound holds for
# every joint law and in every direction, and in one direction three vectors attain it. (Ours.)

# %%
steps("simplex.added.any-direction")
judge_all(
    ("simplex.added.joint-law", "simplex.added.any-direction", "simplex.added.any-direction/attained"), bench
)

# %% [markdown]
# SimRFs+ let the directions depend on the norms. At small $v$ the error of any coupling is
# $\frac{v^2}{md}\mathbb E\lVert\sum_i\mathbf w_i\rVert^2$ up to a factor, and SimRFs+ make the resultant vanish unless
# one norm exceeds the sum of all the others. (Ours.)

# %%
steps("simplex.added.plus-gain")
judge("simplex.added.plus-gain", bench)
value("prf_small_v_simrf", digits=10, d=8, m=8)
value("prf_small_v_plus_bound", digits=10, d=8)

# %% [markdown]
# In three dimensions they are better at every $v$: the length $\lvert\mathbf w_i+\mathbf w_j\rvert$ is stochastically
# smaller. (Ours.)

# %%
steps("simplex.added.plus-shorter")
judge("simplex.added.plus-shorter", bench)

# %% [markdown]
# ## Algorithm 1: multiplication by $\mathbf S$
#
# $$y_d=\frac1{\sqrt{d-1}}\sum_{i=1}^{d-1}x_i,\qquad y_i=\sqrt{\frac d{d-1}}\,x_i-\frac{\sqrt d+1}{d-1}\,y_d$$
#
# in $3d-2$ operations. Again there are readings of the root, and one that computes $\mathbf S\mathbf x$.

# %%
judge_entry("simplex.alg1", bench)

# %% [markdown]
# ## Fast blocks: (87) to (90)
#
# $$\tilde{\mathbf R}=\prod_{i=1}^k\mathbf H\mathbf D_i^{(\mathcal R)},\qquad\mathbf H_1=(1),\quad
# \mathbf H_i=\frac1{\sqrt2}\begin{pmatrix}\mathbf H_{i-1}&\mathbf H_{i-1}\\
# \mathbf H_{i-1}&-\mathbf H_{i-1}\end{pmatrix}$$
#
# The proxy is orthogonal, so that the angles in a block stay as they are, and it takes $O(d\log d)$. It is not Haar
# distributed, and the estimates are no longer unbiased: by little, but at each number of features. (As printed, the
# matrix with $d=2^i$ rows is $\mathbf H_{i+1}$.)

# %%
steps("simplex.eq89")
judge_entry("simplex.eq89", bench)
judge_entry("simplex.sB.fast-simrf", bench)
judge("simplex.mech.fast", bench)

# %% [markdown]
# ## The cost: Section 4.2 and Table 1
#
# | | ORFs | SimRFs | SimRFs+ |
# |---|---|---|---|
# | regular | $O(d^3)$ | $O(d^3)$ | $O(d^3)$ |
# | fast | $O(d\log d)$ | $O(d\log d)$ | $O(d^3)$ |
#
# The counts are exact, as the operations of the sampler's algorithms. That SimRFs come *at close to no extra
# computational cost* is true of the regular ones, where $\mathbf S$ takes a share below $\frac2d$ of a multiplication.
# Of the fast ones it takes 12% at $d=64$. And a pass of (17) need not take $O(d^3)$: with a running sum it takes
# $10d^2+d$ operations.

# %%
for entry in ("simplex.s4.order", "simplex.tab1", "simplex.s4.space", "simplex.abs.cost"):
    judge_entry(entry, bench)
judge("simplex.added.running-sum", bench)

# %% [markdown]
# Multiplications (additions, for Hadamard products) to project one input onto $d$ rows. Fast rotations work in powers
# of two, which makes the steps.

# %%
dimensions = np.unique(np.geomspace(2, 4096, 60).astype(int))
figure, axes = new_figure()
for coupling, colour in (
    ("orthogonal", "#0072b2"), ("hadamard-orthogonal", "#d55e00"), ("givens-orthogonal", "#009e73")
):  # fmt: skip
    axes.loglog(
        dimensions, [cost(coupling, int(d), int(d))[0] for d in dimensions], color=colour, label=coupling
    )
axes.set(xlabel="d", ylabel="operations")
axes.legend()
show(figure)

# %% [markdown]
# ### A run at size
#
# Blocks are drawn by their number, so that it does not matter who draws them: `Processes` shares a run among fresh
# interpreters, and what comes back is the same to the last bit. What they compute is sent to them by `pickle`; an
# object of an importable class such as `Fused` can be, a function written in a notebook cannot.

# %%
import numpy as np

from rftheory.engine import Processes, run
from rftheory.sample import Fused, Mechanism, Stream

x = np.full((1, 64), 0.05)
blocks, simplex = 2**12, Mechanism("positive", "simplex", 64)
estimates = Fused(simplex, Stream.named("a run at size"), x, x)
with Processes(2) as pool:
    shared = run(estimates, blocks, map=pool)
print("two processes, one process: the same bits:", shared == run(estimates, blocks))
others = Fused(simplex, Stream.named("another key"), x, x)
print("other draws: the same bits:", shared == run(others, blocks))
print(f"mean of {shared.n} estimates: {shared.mean[0]:.4f}; the kernel is 1")

# %% [markdown]
# ## Section 5: what the experiments rest on
#
# The ratio of two mean squared errors depends on the data through $v$ alone (5.1). The expected error of the Gram
# matrix, $\mathbb E\sum_{ij}(K_{ij}-\hat K_{ij})^2$, is a sum of mean squared errors, so that the order of Figure 7
# holds for every data set.

# %%
judge_entry("simplex.s5.ratio", bench)
judge_entry("simplex.fig7", bench)

# %% [markdown]
# The classifier of Section 5.3,
#
# $$\mathbf y'_{\mathrm{pred}}=\sum_{i=1}^LK(\sigma\mathbf x',\sigma\mathbf x^{(i)})\,\mathbf y^{(i)}\Big/
# \sum_{i=1}^LK(\sigma\mathbf x',\sigma\mathbf x^{(i)}),$$
#
# is well defined with positive features. Of Figures 8 to 10 and Tables 2 and 3 we judge what follows from theorems or
# from the printed numbers. The numbers themselves rest on data splits and seeds that are not printed; they are left
# undecided here. (`rftheory figure simplex_tab2` and its like compute them again on the same tables.)

# %%
for entry in (
    "simplex.s5.regression",
    "simplex.fig10",
    "simplex.fig8",
    "simplex.tab2",
    "simplex.tab3",
    "simplex.fig9",
):
    judge_entry(entry, bench)

# %% [markdown]
# ## Statements on the literature
#
# Section 1 cites results of others. Those that say something about a formula are judged.

# %%
judge_entry("simplex.s1.cited", bench)
judge_entry("simplex.s1.first-closed-form", bench)

# %% [markdown]
# From the command line:
#
# ```
# rftheory verify --claim simplex.eq9/(b) --explain
# rftheory derive simplex.eq9
# rftheory eval angle_conformity d=8 v=1 c=-1/7 --digits 50
# ```
