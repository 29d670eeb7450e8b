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
# # Hybrids for clustered data, and what a hybrid costs
#
# Read this beside Choromanski et al., *Hybrid Random Features* (ICLR 2022): Section 2.4 from eq. (21) on, Appendix H
# (equations 81 to 104), Appendix D.4 and Appendix L. The complex exponential estimators of Section 2.3 have a matrix
# $A$ that is free to choose. For data in clusters one $A$ is fitted to each pair of clusters, and a hybrid chooses
# between them. (`07_hybrid_estimators` has the estimators themselves.)
#
# Notation: $r_i$ the centre of a cluster of queries, $r_j$ of a cluster of keys; $r_{i,k}$ their entries;
# $\zeta=Ax+(A^\top)^{-1}y$; $v=\|x+y\|$, $\delta=\|x-y\|$.

# %%
import numpy as np

from rftheory.figures.style import new_figure
from rftheory.report.cells import judge, judge_all, judge_entry, make_bench, show, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws
BACKEND = "numpy"  # "cupy" samples on a GPU
QUICK = True  # False adds the checks that take minutes

# %%
bench = make_bench(EFFORT, BACKEND, quick=QUICK)

# %% [markdown]
# ## The loss of a pair of centres: eq. (21)
#
# $$l(A)=|Ax_i+(A^\top)^{-1}y_j|^2,\qquad\text{relative MSE at the centres}=\frac{e^{l(A)}-1}m$$
#
# So the estimator makes no error at the centres exactly where $l(A)=0$. Eq. (18) is meant to relax that condition, but
# it is the same one, written in real and imaginary parts.

# %%
judge_entry("hybrid.eq21", bench)
judge_entry("hybrid.eq18", bench)
steps("hybrid.added.ce.law")
judge("hybrid.added.ce.law", bench)

# %% [markdown]
# *When sampled points are close to the centers and $l(A)$ is small, the variance will also be small.* How close depends
# on $A$:
#
# $$|\zeta|\le\sqrt{l(A)}+\|A\|\,\|x-x_i\|+\|A^{-1}\|\,\|y-y_j\|.$$

# %%
judge_entry("hybrid.txt.small-l", bench)

# %% [markdown]
# ## The equation for zero variance: (81) to (85)
#
# $$Ar_i+(A^\top)^{-1}r_j=0\quad(81),\qquad A\text{ diagonal, entries }\alpha_k+\mathsf i\beta_k:\quad
# (\alpha_k^2+\beta_k^2)\alpha_kr_{i,k}+\alpha_kr_{j,k}=0,\quad(\alpha_k^2+\beta_k^2)\beta_kr_{i,k}-\beta_kr_{j,k}=0
# \quad(85)$$

# %%
judge_entry("hybrid.eq81", bench)
steps("hybrid.eq83")
judge_entry("hybrid.eq83", bench)

# %% [markdown]
# ## Its solutions: (86), (87), and the rules for zeros
#
# $$r_{i,k}r_{j,k}>0:\ \alpha_k=0,\ \beta_k=\sqrt{r_{j,k}/r_{i,k}};\qquad
# r_{i,k}r_{j,k}<0:\ \alpha_k=\sqrt{-r_{j,k}/r_{i,k}},\ \beta_k=0$$
#
# The sign under the second root cannot be read in the print; without it the root of a negative number would have to be
# real. If just one of the two entries is zero, no diagonal $A$ will do. A full complex $A$ always will.

# %%
for entry in ("hybrid.eq86", "hybrid.eq87"):
    steps(entry)
    judge_entry(entry, bench)
judge_entry("hybrid.secH2.zeros", bench)

# %% [markdown]
# ## The best real diagonal: eq. (88)
#
# $$a_k=\sqrt{|r_{j,k}/r_{i,k}|},\qquad\min l(A)=2\sum_k\bigl(|r_{i,k}r_{j,k}|+r_{i,k}r_{j,k}\bigr)$$
#
# Entries of opposite sign cost nothing, entries of equal sign $4|r_{i,k}r_{j,k}|$ each. That settles a sentence of H.3
# whose relation between the signs cannot be read: the least loss is not zero if some are *equal*. Where just one entry
# is zero there is no minimum, but an infimum.

# %%
steps("hybrid.eq88")
judge_entry("hybrid.eq88", bench)
judge_entry("hybrid.txt.H3-sign", bench)
for first, second in (("2", "1/2"), ("2", "-1/2")):
    value("diagonal_entry", digits=15, first=first, second=second)
    value("diagonal_entry_loss", digits=15, first=first, second=second)

# %% [markdown]
# ## The estimator of a pair of centres: (89) to (92)
#
# $$\exp\Big(\frac{\|Ax\|^2}{2}\Big)\exp\Big(\frac{\|A^{-1}y\|^2}{2}\Big)\mathrm{SM}(x,y)
# =\mathbb E[\exp(\omega^\top(Ax+A^{-1}y))]$$
#
# The bars cannot be norms if $A$ is complex: as in (14), $v^2=\sum_kv_k^2$ without conjugation. *Variance equal to zero
# if $x=r_i$ and $y=r_j$ if we are using the complex matrix* is right; *small variance if we are using the real matrix*
# is not, if many entries have equal signs. At $r_i=r_j$ the real matrix is $A=I$, and $T$, which has no error at all
# there, is the better choice.

# %%
judge_entry("hybrid.eq89", bench)
judge_entry("hybrid.txt.H2-variance", bench)

# %% [markdown]
# ## Gaussian coefficients for clusters: (93) to (96)
#
# $$\lambda_{i,j}(x,y)=\exp\Big(-\frac{\|Ax+A^{-1}y\|^2}{2\tau^2}\Big)=\exp\Big(-\frac{\|Ax\|^2}{2\tau^2}\Big)
# \exp\Big(-\frac{\|A^{-1}y\|^2}{2\tau^2}\Big)\mathrm{SM}(x/\tau,-y/\tau)$$
#
# The sign in SM is a minus, and the second factor of (94) is taken at $-y$, as (96) and (99) print it. With norms in
# place of squares the factorisation holds for real $A$ only. The projections have to be independent of those of the
# base estimators: of two readings of the sentence after (96), one makes the hybrid biased.

# %%
judge_entry("hybrid.txt.maxcentre", bench)
steps("hybrid.eq93")
judge_entry("hybrid.eq93", bench)
judge_entry("hybrid.eq94", bench)
value("cluster_coefficient", digits=20, loss="1/2", tau=1)
value("cluster_coefficient_second", digits=20, loss="1/2", spread="1/2", tau=1, n=8)

# %% [markdown]
# ## Definition H.1, the Gaussian mixture, and Definition H.2, the zero-one mixture
#
# $$\widehat{\mathrm{SM}}^{\mathcal E,\Lambda}=\sum_{i,j}\hat\lambda_{i,j}\widehat{\mathrm{SM}}_{i,j}
# +\hat\lambda_0\widehat{\mathrm{SM}}_0,\quad\sum_{i,j}\hat\lambda_{i,j}+\hat\lambda_0=1\qquad\text{and}\qquad
# \sum_{i,j}\Psi_i(x)\Psi_j(y)\,\widehat{\mathrm{SM}}_{i,j}$$
#
# Both are unbiased. In the first the coefficients need not be in $[0,1]$, which (8) asks for and the unbiasedness does
# not need. The second takes, for each pair of points, the estimator of its pair of clusters.

# %%
steps("hybrid.eq8")
judge_entry("hybrid.defH.1", bench)
judge_entry("hybrid.defH.2", bench)
judge_entry("hybrid.txt.indicator", bench)

# %% [markdown]
# ## Is it a gain? Figure 6 and Table 3
#
# With $M$ features each ($M$ projections of the complex exponential estimator, $M/2$ of $T$ and of $P$), at the
# centres,
#
# $$\text{better than }P\iff l(A)<\log(2\cosh v^2-1),\qquad\text{better than }T\iff l(A)<\log(2\cosh\delta^2-1).$$
#
# A small loss is not enough. Where $|x_k|=|y_k|$ for all $k$, (88) gives $A=I$, and $P$ is better for each loss.

# %%
judge_all(("hybrid.fig6/criterion", "hybrid.fig6/equal-entries"), bench)
grid = np.linspace(0.02, 2.0, 100)
largest = np.log(2 * np.cosh(grid**2) - 1)
figure, axes = new_figure()
axes.fill_between(grid, 0, largest, color="#0072b2", alpha=0.15)
axes.plot(grid, largest, color="#0072b2")
axes.annotate("cluster estimator better", (1.2, 0.45), color="#0072b2")
axes.annotate("P better", (0.35, 2.2), color="#d55e00")
axes.plot(grid, grid**2, color="#d55e00", ls="--", lw=1)
axes.annotate("A = I", (1.66, 2.95), color="#d55e00", ha="right")
axes.set(xlabel="v", ylabel="loss l(A)", xlim=(0, 2), ylim=(0, 4), title="Against P with as many features")
show(figure)

# %% [markdown]
# On the data of the recipe the paper says that *for all variants HRF estimators adapted to clustered data consistently
# provide notable accuracy gains, even for larger values of $s$ and less concentrated clusters*. For concentrated
# clusters that is so. For spread ones the exact error of the hybrid explodes: $a_k$ and $1/a_k$ are large where a
# centre has a small entry, and they multiply the distance to the centre. An empirical error does not show it, as the
# draws that carry it are too rare. With the spread taken into account, $|a_k|^4=\mathbb E y_k^2/\mathbb E x_k^2$, the
# mean loss is least.

# %%
judge_all(("hybrid.fig6", "hybrid.fig6/spread", "hybrid.fig6/monotone"), bench)
steps("hybrid.added.ce.cluster")
steps("hybrid.added.ce.pair")
judge_all(("hybrid.added.ce.cluster", "hybrid.added.ce.pair"), bench)
judge_entry("hybrid.table3", bench)

# %% [markdown]
# ## The rate: Appendix D.4
#
# *The relative error decreases as $\frac1{\sqrt{mn}}=\Theta\bigl(\frac1{\sqrt{d_{est}}}\bigr)$ at the critical angles.*
# That is so if the angle tends to its end first. At any fixed angle between, a larger $n$ lowers the error to a
# positive limit only, and the order is $\frac1{\sqrt m}$. The dependence on the angle is *superior* only to the worse
# one of $T$ and $P$.

# %%
judge_entry("hybrid.secD4.rate", bench)
value("angular_relative_error", digits=15, r=1, theta="1/10", m=16, n=16)
value("angular_relative_error", digits=15, r=1, theta="1/10", m=16, n=10000)

# %% [markdown]
# The length of the map is $4m(n+1)$. For a given length the best split is known, $n=\sqrt{\beta/\alpha}$ where the
# squared error is $\frac2m(\alpha+\frac\beta n)$. It depends on the angle:

# %%
steps("hybrid.added.split")
steps("hybrid.added.split.sphere")
judge_all(("hybrid.added.split", "hybrid.added.split.sphere"), bench)
value("angular_best_split", digits=15, r=1, theta="1/10")

# %% [markdown]
# At a given number $4md+nd+4mn$ of multiplications, and for the largest error on the whole sphere, one $n$ is best, up
# to a factor that is known and tends to $\sqrt{20/19}$. It stays below $\sqrt{d\beta/a}$: many operations buy
# $\sqrt d$ times as many projections of the coefficient as a long map does. (Ours.)

# %%
steps("hybrid.added.split.operations")
judge("hybrid.added.split.operations", bench)
value("sphere_split", digits=15, r=2, d=64, C=3840)

# %% [markdown]
# ## The cost: Appendix L
#
# $$(t_1+\dots+t_{p+1})\,md+[\,\dots]\,(nd+md+mn)=O(nd+md+mn)\quad\text{in place of}\quad O(mnd)$$
#
# operations for a map of length $\Theta(mn)$. The order is right, in each reading of the lost part. There is a gain
# once $\frac2n+\frac1{2m}+\frac2d<1$. Whether *the $\Theta(mn)$-dimensional HRFs can provide similar quality as their
# $mn$-dimensional regular counterparts* is another matter: at a fixed angle, not for large $n$.

# %%
judge_entry("hybrid.secL", bench)
value("hybrid_map_dimension", m=8, n=8)
value("hybrid_map_cost", d=64, m=8, n=8)
print("operations of a regular map with m n projections:", 2 * 64 * 8 * 8)

# %% [markdown]
# From the command line:
#
# ```
# rftheory verify --claim hybrid.eq88 --explain
# rftheory derive hybrid.eq86
# rftheory eval diagonal_entry_loss first=2 second=1/2
# ```
