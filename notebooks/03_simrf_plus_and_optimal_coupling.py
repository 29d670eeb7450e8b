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
# # SimRF+ and the optimal coupling
#
# Read this beside Reid et al., *Simplex Random Features* (ICML 2023), Sections 3.1 and 3.2 and Appendices A.2 and
# A.3. Theorem 3.2 says that the error of positive features depends on the coupling of their projections through the
# RF-conformity $\rho$ alone. So: which coupling has the smallest $\rho$? The paper has two answers. If directions may
# not depend on the norms, simplex projections (SimRF). If they may, SimRF+, which is the best one as $v\to0$.
#
# Each statement comes with its **derivation** (replayed), **enclosures**, a **measurement** where there is something
# to draw, and a **verdict**; each piece of evidence has to refute a planted error.
#
# Notation: $\mathbf w_i=w_i\hat{\mathbf w}_i$, $w_{ij}=\lVert\mathbf w_i+\mathbf w_j\rVert$,
# $v=\lVert\mathbf x+\mathbf y\rVert$; $m$ projections in $d$ dimensions.

# %%
import numpy as np

from rftheory.figures.style import label_end, new_figure
from rftheory.papers.figures import FIGURES
from rftheory.report.cells import exact, judge, judge_all, make_bench, show, steps, value
from rftheory.sample.shapes import simplex_matrix
from rftheory.sample.simplex_plus import simplex_plus_directions

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws; with less, some measurements decide nothing
BACKEND = "numpy"  # "cupy" samples on a GPU
DRAWS = 10_000  # of norms, for the measurement of SimRF+

# %%
BENCH = make_bench(EFFORT, BACKEND)
QUICK = make_bench(quick=True)  # without the checks that take long: derivations and enclosures remain

# %% [markdown]
# ## Smaller resultants, smaller error
#
# The error increases with $\rho$, and each term of $\rho$ increases with the resultant $w_{ij}$. An obtuse angle makes
# the resultant smaller. Two conditions go unsaid: there is no $\rho$ at $m=1$, and a vector of norm zero has no angle.

# %%
judge("simplex.s3.increasing", BENCH)
judge("simplex.s3.increasing/m=1", BENCH)
judge("simplex.s3.wij-smaller", BENCH)
judge("simplex.s3.wij-smaller/zero", BENCH)

# %% [markdown]
# In fact $\rho$ at a fixed angle increases strictly with its cosine:

# %%
for cosine in ("-1", "-1/5", "0", "1/2"):
    value("angle_conformity", digits=20, d=6, v=1, c=cosine)
judge("simplex.added.angle", BENCH)

# %% [markdown]
# ## Lemma A.1 and Theorem 3.4: the simplex is the best weight-independent coupling
#
# **Lemma.** At equal norms, $\rho$ is smallest for the simplex. The proof is Jensen's inequality twice: the summand is
# an increasing convex function of $\cos\theta_{ij}$, and the cosines cannot all be small, as
# $\lVert\sum_i\hat{\mathbf w}_i\rVert^2\ge0$ forces their mean to be at least $-\frac1{m-1}$.
#
# **Theorem.** If directions do not depend on the norms, the same holds for random norms: what is lost by one labelling
# of the norms is lost at least as much over all permutations of them.

# %%
steps("simplex.lemA.1")
value("equal_norm_optimum", digits=20, d=6, m=6, v=1, w=2)
judge("simplex.lemA.1", BENCH)
judge("simplex.lemA.1/deterministic", BENCH)

# %%
steps("simplex.thm3.4")
judge("simplex.thm3.4", BENCH)
judge("simplex.thm3.4/permutations", BENCH)
for label in ("(43) equality", "(46)", "(48)", "collapsed"):
    judge(f"simplex.thm3.4/{label}", BENCH)

# %% [markdown]
# The theorem is about $m=d$. The Abstract states it for any number of features, which is too strong on both sides.
# With $m<d$ vectors the best angle is that of the simplex of $m$ vertices, $-\frac1{m-1}$; and $2d$ vectors are
# better spent on an orthogonal block and its negatives than on two simplex blocks.

# %%
judge("simplex.abs.claims/(ii)", BENCH, why=True)
judge("simplex.lemA.1/m<d", BENCH, why=True)
judge_all(["simplex.added.fewer", "simplex.added.orthoplex"], BENCH)

# %% [markdown]
# ## Beyond weight-independence: the objective at known norms
#
# If the norms are known, $\rho$ becomes (12), a function of the directions. Its minimiser depends on $v$, and so on
# the pair of data points; it is a benchmark and no mechanism.

# %%
judge_all(["simplex.eq12", "simplex.fn3", "simplex.s3.bruteforce", "simplex.mech.numopt"], BENCH)

# %% [markdown]
# For small $v$ it need not be known. The expansion (13), (14) leaves
#
# $$\tilde\rho=\frac{\Gamma(\frac d2)v^2}{4m(m-1)\Gamma(1+\frac d2)}\sum_{i,j\ne i}w_{ij}^2,$$
#
# which is $\lVert\sum_i\mathbf w_i\rVert^2$ up to constants. (13) and (14) have to be read with brackets after the
# sum; without them a factor $m(m-1)$ is lost.

# %%
judge("simplex.eq13/(a)", BENCH)
judge("simplex.eq13/(b)", BENCH)
judge("simplex.eq14", BENCH)
judge("simplex.eq14/(b)", BENCH)
judge_all(["simplex.eq15", "simplex.fn4"], BENCH)

# %% [markdown]
# ## Equation (16): what minimises it
#
# Printed: $\tilde\rho$ is exactly minimised by $\mathbf w_i=-w_i\sum_{j\ne i}\mathbf w_j/\lVert\sum_{j\ne i}\mathbf
# w_j\rVert$. That is a condition that a minimum has to meet, and not every solution of it is a minimum. The vectors
# 2, 2 and $-3$ on a line solve it with a resultant of length 1, where the closed triangle with these sides has 0.
# What holds: the minimum is where $\lVert\sum_i\mathbf w_i\rVert$ is smallest, and there it equals
# $\max(0,2\max_iw_i-\sum_iw_i)$: the vectors close up to a polygon if no norm exceeds the sum of the others.

# %%
steps("simplex.eq16")
judge("simplex.eq16", BENCH, why=True)
judge("simplex.eq16.corrected", BENCH)
judge("simplex.eq16/not unique", BENCH)
value("minimal_resultant", longest=4, total=9)
value("minimal_resultant", longest=5, total=7)

# %% [markdown]
# ## Equation (17): the iteration
#
# SimRF+ starts at the simplex and turns one vector after another against the sum of the others. Each turn lowers
# $\tilde\rho$. Two things are worth knowing. Turned *all at once* the vectors overshoot and end up aligned. And while
# the iteration is quick for nearly all draws, it is not for all: where the longest norm is just the sum of the others,
# the resultant falls like a power of the number of passes.

# %%
judge("simplex.eq17/(a)", BENCH)
judge("simplex.eq17/(b)", BENCH, why=True)
judge("simplex.eq17/quickly", BENCH, why=True)
judge("simplex.mech.simrfplus", QUICK)

# %% [markdown]
# **Measurement.** Norms of blocks of $d=6$ are drawn, the sampler makes its directions, and the resultant is held
# against the exact minimum. The planted error is the simplex from which the iteration starts.

# %%
norms = np.sqrt(np.random.default_rng(0).chisquare(6, (DRAWS, 6)))
shortest = np.maximum(0, 2 * norms.max(axis=1) - norms.sum(axis=1))
directions = {"SimRF+": simplex_plus_directions(norms).directions, "SimRF": simplex_matrix(6, np)}
for name, rows in directions.items():
    resultant = np.linalg.norm((norms[:, :, None] * rows).sum(axis=1), axis=1)
    share = float((np.abs(resultant - shortest) < 1e-3).mean())
    print(f"{name} within 0.001 of the shortest resultant in 99 of 100 draws: {share >= 0.99}")

# %% [markdown]
# ## How good is it?
#
# Optimal as $v\to0$, yes. Better than SimRF at every $v$, no: the closed polygon may put some pairs at small angles,
# and at large $v$ the longest resultant dominates. The same holds of Figure 3, "bigger norms subtend bigger angles":
# so it is for three vectors, and not for every minimiser of four or more.

# %%
steps("simplex.s3.plus")
judge("simplex.s3.plus-asymptotic", BENCH)
judge("simplex.s3.plus-asymptotic/all v", BENCH, why=True)
judge("simplex.fig3", BENCH)
judge("simplex.fig3/any minimiser", BENCH)
judge("simplex.fig1", BENCH)
judge("simplex.fig1.corrected", BENCH)

# %% [markdown]
# The counterexample drawn: norms 2, 2 and 1 in the plane. SimRF has all angles at 120 degrees; SimRF+ closes the
# triangle. Exact values of (12); the ratio starts below 1, as it must, and crosses it.

# %%
PAIRS = ((2, 2, "-7/8"), (2, 1, "-1/4"), (2, 1, "-1/4"))  # cosines of the closed triangle
grid = np.linspace(0.1, 5, 50)


def conformity(v: float, closed: bool) -> float:
    """Mean of f(w_ij, v) over the three pairs, by enclosures."""
    terms = [
        exact("norms_pair_conformity", d=3, v=v, a=a, b=b, c=c if closed else "-1/2") for a, b, c in PAIRS
    ]
    return sum(terms) / len(terms)


ratio = [conformity(float(v), True) / conformity(float(v), False) for v in grid]
figure, axes = new_figure()
axes.plot(grid, ratio, color="#009e73")
axes.axhline(1, color="#6b6b6b", lw=0.8)
label_end(axes, "SimRF+", grid[-1], ratio[-1], "#009e73")
label_end(axes, "SimRF", grid[-1], 1, "#6b6b6b")
axes.set(
    xlabel="v",
    ylabel="conformity over that of SimRF",
    title="Norms 2, 2, 1: SimRF+ is better for small v only",
)
show(figure)

# %% [markdown]
# ## Figure 4
#
# Conformity at one draw of six norms: independent, orthogonal and simplex directions, the iteration from the simplex,
# and the numerical optimum at $v=1$. What SimRF+ gains over SimRF is small beside what SimRF gains over ORF.

# %%
judge("simplex.fig4", BENCH)
figure = FIGURES["simplex_fig4"]
show(figure.draw(figure.data()))

# %% [markdown]
# A lower bound at known norms shows how little is left to gain, for every $v$ and every choice of directions:

# %%
judge("simplex.added.known-norms", BENCH)

# %% [markdown]
# ## Verdict
#
# | statement | verdict |
# |---|---|
# | Lemma A.1, Theorem 3.4 at $m=d$ | hold |
# | the Abstract's version, for any $m$ | fails for $m<d$ and for $m=2d$ |
# | (16) as the minimiser | fails: stationary points; corrected it holds |
# | (17), one vector at a time | holds; "quickly" for nearly all norms, not for all |
# | (17), all at once | fails |
# | SimRF+ optimal as $v\to0$ | holds |
# | SimRF+ better than SimRF at every $v$ | fails |
#
# ```
# rftheory derive simplex.thm3.4
# rftheory verify --claim simplex.eq16 --explain
# rftheory figure simplex_fig4
# ```
#
# Each line of the proofs has its verdict in `20_simplex_line_by_line`.
