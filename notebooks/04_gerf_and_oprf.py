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
# # Generalised exponential features and the optimal positive ones
#
# Read this beside Likhosherstov et al., *Chefs' Random Tables* (NeurIPS 2022), Section 3.1 and Theorem 4.1. For each
# statement: the derivation is replayed, values are enclosed, samplers are measured, and the verdict is printed. Every
# check carries an error planted on purpose, which the same evidence has to refute.
#
# Notation: $K=e^{-\lVert\mathbf x-\mathbf y\rVert^2/2}$ is the Gaussian kernel, $Z$ the estimate from one projection
# $\boldsymbol\omega\sim\mathcal N(0,I_d)$, $\widehat K_M$ the mean of $M$ of them. Formulas take
# $v=\lVert\mathbf x+\mathbf y\rVert$ and $z=\lVert\mathbf x-\mathbf y\rVert$; these two and $d$ are all that matters.

# %%
from rftheory.exact import find_formula
from rftheory.papers.figures import FIGURES
from rftheory.report.cells import exact, judge, judge_all, judge_entry, make_bench, show, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws; with less, some measurements decide nothing
BACKEND = "numpy"  # "cupy" samples on a GPU

# %%
bench = make_bench(EFFORT, BACKEND)
quick = make_bench(quick=True)  # without the checks that take long: derivations and enclosures remain

# %% [markdown]
# ## Equation (4) and Theorem 3.1: the family
#
# $$f^{(1)}(\boldsymbol\omega,\mathbf x)=D\,e^{A\lVert\boldsymbol\omega\rVert^2+B\,\boldsymbol\omega^\top\mathbf x
# +C\lVert\mathbf x\rVert^2},\qquad f^{(2)}(\boldsymbol\omega,\mathbf y)=D\,e^{A\lVert\boldsymbol\omega\rVert^2
# +sB\,\boldsymbol\omega^\top\mathbf y+C\lVert\mathbf y\rVert^2}$$
#
# are unbiased for $B=\sqrt{s(1-4A)}$, $C=-\frac{s+1}2$, $D=(\sqrt[4]{1-4A})^d$, $s=\pm1$, as long as
# $\mathrm{Re}(1-4A)>0$. Trigonometric features are $A=0,s=-1$; positive ones $A=0,s=+1$.
#
# Two things are easily read over. Without the condition on $A$ the product is not integrable. And in odd dimensions the
# fourth root has to be the principal one: with another branch the mean can be $-K$.

# %%
steps("chefs.thm3.1")
judge_all(("chefs.eq4", "chefs.eq4/all-A", "chefs.3.1.special", "chefs.thm3.1/branch"), bench)
judge("chefs.thm3.1", bench, effort=0.25)

# %% [markdown]
# ## Theorem 3.2: the variance
#
# For $\mathrm{Re}(1-8A)>0$
#
# $$\mathrm{Var}\,Z=\tfrac12e^{-(s+1)(\lVert\mathbf x\rVert^2+\lVert\mathbf y\rVert^2)}\bigl(\mathrm{Re}(\alpha_1
# e^{\alpha_2\lVert\mathbf x+s\mathbf y\rVert^2})+\alpha_3e^{\alpha_4\lVert\mathbf x+s\mathbf y\rVert^2}\bigr)-K^2.$$
#
# It is announced as the variance of the average of $M$ samples, but the factor $\frac1M$ is not there: it is that of
# one sample. For $\frac18\le\mathrm{Re}\,A<\frac14$ the features are unbiased with an infinite variance. Quadratures of
# (4) as it stands, over one coordinate at a time and over the norm, agree with the closed form, for complex $A$ too.

# %%
steps("chefs.thm3.2")
judge_all(("chefs.thm3.2", "chefs.thm3.2/average", "chefs.thm3.2/domain"), bench)

# %%
routes = find_formula("gerf_variance").agree(30, d=3, A="-1/3-I/2", s=-1, v=1, z="3/2")
print(f"gerf_variance(d=3, A=-1/3-i/2, s=-1, v=1, z=3/2) = {next(iter(routes.values()))}")
print(f"    {len(routes)} routes agree: " + ", ".join(routes))

# %% [markdown]
# ## Theorem 3.3: optimal positive features
#
# Among real $A$ with $s=+1$ the variance has one minimum, whatever $\lVert\mathbf x-\mathbf y\rVert$:
#
# $$A^*=\frac18\Bigl(1-\frac1{\rho^*}\Bigr),\qquad\rho^*=\frac{\sqrt{(2q+d)^2+8dq}-2q-d}{4q},\qquad
# q=\lVert\mathbf x+\mathbf y\rVert^2.$$
#
# How far the root reaches decides: drawn over the whole numerator, as the text of the paper is extracted by some
# readers, (7) is wrong. For small $q$ the printed form loses all digits to cancellation;
# $\rho^*=\frac{2d}{2q+d+\sqrt{(2q+d)^2+8dq}}$ loses none.

# %%
steps("chefs.thm3.3")
judge_all(("chefs.thm3.3", "chefs.thm3.3/long-root"), bench)
value("oprf_rho", d=1, v=1)
value("oprf_A", d=64, v=2)
value("oprf_rho", digits=40, d=64, v="1/1000000000")

# %% [markdown]
# As a check that needs no theory: the variance a little to the left and to the right of $A^*$, with proved digits, at
# $d=64$, $v=2$, $z=0$.

# %%
best = find_formula("oprf_A").enclose(20, d=64, v=2)
print(f"A* = {best}")
for shape in ("0", "-0.02", "-0.028", "-0.029", "-0.04", "-0.2"):
    value("gerf_variance", digits=12, d=64, A=shape, s=1, v=2, z=0)
value("oprf_variance", digits=12, d=64, v=2, z=0)

# %% [markdown]
# ## The Note after Theorem 3.3
#
# $A^*<0$, so that features are bounded in $\boldsymbol\omega$, but not uniformly over all inputs. As
# $\mathbf x+\mathbf y\to0$ the mechanism becomes that of plain positive features, with variance zero. The gain over
# plain positive features grows with $\lVert\mathbf x+\mathbf y\rVert$: this is Figure 1 (right).

# %%
judge_all(("chefs.3.3.A-negative", "chefs.3.3.A-negative/uniform", "chefs.3.3.limit"), bench)
judge("chefs.3.3.limit/top", quick)
steps("chefs.3.3.gain")
judge_entry("chefs.3.3.gain", quick)

# %%
figure = FIGURES["chefs_fig1"]
data = figure.data()
for d, utility in data["utility"].items():
    print(f"d = {d}: log ratio of variances {utility[-1]} at |x + y|^2 = {data['square'][-1]:g}")
show(figure.draw(data))

# %% [markdown]
# ## What follows, and what the paper leaves open
#
# For real $A$ and $s=+1$ the parameters $B,C,D$ are real and the features positive. The optimum takes $O(1)$ operations
# once the statistics are known.

# %%
judge_all(("chefs.3.1.positive", "chefs.3.1.cost"), quick)
judge_entry("chefs.3.1.open", quick)

# %% [markdown]
# Open, says the paper, is the minimum over complex $A$ and both signs. It is a theorem in every dimension and at every
# pair: the least variance of each sign is attained at a real $A$, so that for $s=+1$ it is that of OPRF. Which sign is
# better is a comparison of $\lVert\mathbf x+\mathbf y\rVert$ with $\lVert\mathbf x-\mathbf y\rVert$. And trigonometric
# features are never the best of sign $-1$: a small $A>0$ has a smaller variance, for every $\mathbf x\ne\mathbf y$.
# (Ours.)

# %%
steps("chefs.added.global-minimum.complex")
steps("chefs.added.global-minimum.minus")
judge_all((f"chefs.added.global-minimum{part}" for part in ("", "/sign", "/saving")), quick)
steps("chefs.added.sine")
judge("chefs.added.sine", quick)

# %% [markdown]
# How much better can a GERF of sign $-1$ be? Whatever its complex $A$, whatever the dimension and the pair, its
# variance is at least $\frac1{2M}(1-3K^2)$: it saves at most $\frac1{2M}(K^2+K^4)$ of what trigonometric features
# have. (Ours.)

# %%
steps("chefs.added.minus-bound")
steps("chefs.added.minus-bound.complex")
judge_all(("chefs.added.minus-bound", "chefs.added.minus-bound/complex"), quick)

# %% [markdown]
# One $A$ for several pairs: the weighted sum of their relative second moments is convex in $\log\rho$. Its minimiser is
# that of one pair at an effective $\lVert\mathbf x+\mathbf y\rVert^2$, between the mean and the largest one. For a
# Gaussian cluster it has a closed form. The largest relative variance is that of the pair with the largest
# $\lVert\mathbf x+\mathbf y\rVert$, at every $A$. (Ours.)

# %%
for part in ("", ".largest", ".cluster"):
    steps(f"chefs.added.pairs{part}")
judge_all(
    (f"chefs.added.pairs{part}" for part in ("", "/largest", "/sphere", "/in general", "/cluster")), quick
)

# %% [markdown]
# ## Theorem 4.1: orthogonal projections
#
# $$\mathrm{Var}\,\widehat K^{\mathrm{ort}}_M\le\mathrm{Var}\,\widehat K^{\mathrm{iid}}_M-\Bigl(1-\frac1M\Bigr)
# \frac2{d+2}\,\mathcal C$$
#
# holds for one block, $M\le d$, with $\mathcal C=\frac12K^2e^{-q}(e^q-1-q)$. It needs two repairs:
#
# * $\mathcal C$ is announced as a function of $\lVert\mathbf x+\mathbf y\rVert$ alone. The saving carries $K^2$ and
#   falls to zero as $\lVert\mathbf x-\mathbf y\rVert$ grows; no positive constant is below it.
# * For $M>d$ orthogonal blocks are independent of each other, and the saving falls like $\frac1M$. The factor
#   $1-\frac1M$ has to be $P/M^2$ with $P$ the number of ordered pairs in a common block.

# %%
steps("chefs.thm4.1")
judge_all(("chefs.thm4.1", "chefs.thm4.1/sum-alone", "chefs.thm4.1/any-M", "chefs.thm4.1.corrected"), bench)

# %% [markdown]
# The saving is known exactly, ${}_1F_1$ included; it does not depend on $A$. Beside it the bound: at $d=64$, one block
# and two.

# %%
for m in (64, 128):
    for name in ("oprf_orf_saving", "oprf_orf_saving_bound"):
        value(name, digits=15, d=64, m=m, v=2, z=0)

# %% [markdown]
# More is true. What a coupling saves does not depend on $A$ at all, for complex $A$ and both signs: it is that of plain
# positive or trigonometric features. Hence an exact variance for orthogonal blocks and for simplex blocks, which save
# more. (Ours.)

# %%
steps("chefs.added.conformity")
for claim in (
    "conformity",
    "orthogonal-variance",
    "saving-bound",
    "simplex-variance",
    "simplex-variance/order",
):
    judge(f"chefs.added.{claim}", quick)
for name in ("gerf_orf_variance", "gerf_simrf_variance"):
    value(name, digits=15, d=64, A="-1/20", s=1, v=2, z=0, m=64)

# %% [markdown]
# The Note after the theorem says that for trigonometric features there is no such inequality in a fixed dimension.
# For $d=4$, $\lVert\mathbf x-\mathbf y\rVert=4$ orthogonal projections do make them worse. But for $d=2$ they help at
# every pair, so "for no fixed $d$" goes too far.

# %%
judge_all(("chefs.4.note-trig", "chefs.4.note-trig/only"), bench)
judge_all(("chefs.4.note-trig/positive", "chefs.4.note-trig/larger", "chefs.4.note-trig/necessary"), quick)
point = {"d": 4, "A": "0", "s": -1, "v": 4, "z": 4}
value("gerf_orf_variance", digits=15, **point, m=2)
single = exact("gerf_variance", **point)
print(f"two independent projections: {single / 2:.12f}")

# %% [markdown]
# The same from the command line:
#
# ```
# rftheory derive chefs.thm3.3
# rftheory eval oprf_A d=64 v=2 --digits 50
# rftheory verify --claim chefs.thm4.1 --explain
# rftheory figure chefs_fig1
# ```
#
# Next: `05_discrete_tables` for discrete laws and averages over data, `06_concentration_bounds` for tails.
