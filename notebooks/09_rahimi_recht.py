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
# # Random Fourier features: from Bochner's theorem to the uniform bound
#
# Read this beside the walk-through of Rahimi and Recht, *Random Features for Large-Scale Kernel Machines* (NIPS 2007);
# the claims are those with the numbers `rff.*`. The features are $D$ pairs of a cosine and a sine; with $\Delta=x-y$,
# $s(\Delta)=\frac1D\sum_i\cos(w_i^T\Delta)$ estimates $k(\Delta)$, and $f=s-k$ is the error.
#
# The route: the transform of the kernel is a law of $w$ (eq. 8 to 10); at one pair of points the error is small by
# Hoeffding's inequality (eq. 14); on a whole set by a net and a Lipschitz constant. The last part of the printed proof
# has a step that is false. The bound it ends in is true, and proved here by another argument.

# %%
import numpy as np

from rftheory.figures.style import new_figure
from rftheory.papers.rahimi_recht.statistics import difference_of_moments, second_moment
from rftheory.report.cells import exact, judge, judge_all, make_bench, show, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws
BACKEND = "numpy"  # "cupy" samples on a GPU
DRAWS = 100  # of the frequencies, for the observed error
QUICK = True  # False adds the checks that take minutes

# %%
bench = make_bench(EFFORT, BACKEND, quick=QUICK)
measuring = make_bench(EFFORT, BACKEND)

# %% [markdown]
# ## Bochner's theorem and the Gaussian kernel: eqs (8) to (10)
#
# $$p(w)=\frac1{(2\pi)^d}\int k(z)e^{-\mathsf jw^Tz}\,dz,\qquad k(x-y)=\mathbb E_{w\sim p}\,e^{\mathsf jw^T(x-y)}
# =\mathbb E_w\cos\bigl(w^T(x-y)\bigr)$$
#
# The first form of (8) is printed with a double integral over $x$ and $y$, which diverges: over a cube of growing side
# it grows with the side. The derivation refutes that step and proves the rest. The constant of integration is misnamed
# ($C$ for $e^C$), and continuity of $k$ has to be assumed.

# %%
steps("rff.eq8")
judge_all(("rff.eq8/l2", "rff.eq8/l3", "rff.const-C/C", "rff.const-C/C.corrected"), bench)
judge_all(("rff.bochner", "rff.bochner/discontinuous", "rff.eq9", "rff.eq10"), bench)

# %% [markdown]
# ## One pair of points: eq. (14)
#
# $$\mathbb E\,s(\Delta)=k(\Delta),\qquad\mathrm{Var}\,s(\Delta)=\frac1D\Bigl[\frac{1+k(2\Delta)}2-k(\Delta)^2\Bigr],
# \qquad P\bigl(|f(\Delta)|\ge\epsilon\bigr)\le2e^{-D\epsilon^2/2}$$
#
# The inequality is true. Its first line takes $2\sqrt{1/D}$ for the range of a summand; then the sum of squares is 4
# for every $D$, and the line does not lead to the next one. The range of $\frac1D\cos(w^T\Delta)$ is $\frac2D$.

# %%
steps("rff.eq14")
judge("rff.unbiased", measuring)
judge_all(("rff.var-decr", "rff.eq14/l2", "rff.eq14"), bench)
value("hoeffding_bound", m=1000, eps="1/10")

# %% [markdown]
# The exponent $\frac12$ is the best over all kernels (tossed coins: $w=0$ or $\pi$). For the Gaussian kernel alone it
# is 1, twice as good.

# %%
judge_all(("rff.added.pointwise", "rff.added.gaussian-tail"), bench)

# %% [markdown]
# ## A whole set: nets, and a Lipschitz constant
#
# Let $\mathcal M$ be compact and $\mathcal M_\Delta$ the set of the differences of its points. It is covered by $T$
# balls of radius $r$ around anchors $\Delta_i$. If $|f|\le\frac\beta2$ at the anchors and
# $L_f\le\frac\beta{2r}$, then $|f|\le\beta$ everywhere. Therefore
#
# $$P\bigl(\sup|f|\le\beta\bigr)\ge1-P\Bigl(\bigcup_i\bigl\{|f(\Delta_i)|\ge\tfrac\beta2\bigr\}\Bigr)
# -P\Bigl(L_f\ge\frac\beta{2r}\Bigr).$$
#
# The printed text has equalities where this needs inequalities, a Taylor expansion without its remainder, and a
# covering number that cannot hold for large radii. All of it can be repaired without loss.

# %%
steps("rff.eq16")
judge_all(("rff.taylor/l2", "rff.taylor.corrected", "rff.eq16/l1", "rff.eq16.corrected"), bench)
judge_all(("rff.eq15", "rff.eq15.corrected", "rff.net"), bench)

# %% [markdown]
# ## The false step: $\mathbb E L_f^2\le\sigma_p^2$
#
# With $\Delta^*$ the place where the gradient is longest, the proof expands the square,
#
# $$\mathbb E[L_f^2]=\mathbb E\lVert\nabla s(\Delta^*)\rVert^2+\mathbb E\lVert\nabla k(\Delta^*)\rVert^2
# -2\,\mathbb E[\nabla k(\Delta^*)]\,\mathbb E[\nabla s(\Delta^*)],$$
#
# and puts $\mathbb E\nabla s=\nabla k$. That is true at a fixed $\Delta$. But $\Delta^*$ **depends on the draw**: it is
# chosen where this very $\nabla s$ is far from $\nabla k$, so that the two need not even point the same way. A
# counterexample: $D=1$, the frequency is 4, 5 or 7 with equal probabilities, and $\mathcal M_\Delta=[-3,3]$.

# %%
print("sigma_p^2                          = (16 + 25 + 49)/3 = 30")
print(f"E L_f^2, enclosed                  = {second_moment().str(12, radius=False)}")
print(f"what the printed expansion gives   = {difference_of_moments().str(12, radius=False)}")
judge("rff.EL2/l3", bench)
judge("rff.EL2/l6", bench)

# %% [markdown]
# Two frequencies do not suffice, so three are the least. The Gaussian kernel is no exception: for $d=D=1$ and an
# interval of length 12 the second moment is above $1.16$, where $\sigma_p^2=1$.

# %%
steps("rff.EL2")
judge_all(("rff.added.two-frequencies", "rff.EL2/Gaussian"), bench)

# %% [markdown]
# ## The repair: a factor 4
#
# Everywhere $\lVert\nabla s\rVert\le\frac1D\sum_i\lVert w_i\rVert$ and $\lVert\nabla k\rVert\le\mathbb E\lVert
# w\rVert$. Hence
#
# $$\mathbb E[L_f^2]\le\frac1D\mathrm{Var}\lVert w\rVert+4(\mathbb E\lVert w\rVert)^2\le4\sigma_p^2,$$
#
# and 4 is the best constant, though no kernel attains it. Markov's inequality then gives
# $\bigl(\frac{4r\sigma_p}\beta\bigr)^2$ in (18) in place of $\bigl(\frac{2r\sigma_p}\beta\bigr)^2$.

# %%
judge_all(("rff.EL2.corrected", "rff.added.lipschitz", "rff.eq18/l2", "rff.eq18/l2.corrected"), bench)
judge_all(("rff.combine/corrected",), bench)

# %% [markdown]
# ## The best radius, and the end of the proof
#
# With $1-k_1r^{-d}-k_2r^2$ the best radius is $r=\bigl(\frac{dk_1}{2k_2}\bigr)^{1/(d+2)}$; both of the printed
# exponents differ. Run to its end, the repaired proof gives
#
# $$P\bigl(\sup|f|\ge\epsilon\bigr)\le144\Bigl(1+\frac2d\Bigr)\Bigl(\frac d{144}\Bigr)^{\frac2{d+2}}
# \Bigl(\frac{\sigma_p\,\mathrm{diam}}\epsilon\Bigr)^{\frac{2d}{d+2}}e^{-D\epsilon^2/(4(d+2))},$$
#
# the constant being at most 146. So the printed constant $2^8$ has room for the repair.

# %%
judge_all(("rff.ropt", "rff.ropt.corrected", "rff.c-sum/l1", "rff.final/l2", "rff.final/l3"), bench)
steps("rff.uniform-constant")
value("uniform_constant", d=1)
value("uniform_constant", d=144)
judge("rff.added.repaired", bench)

# %% [markdown]
# ## The claim
#
# $$P\bigl[\sup_{x,y\in\mathcal M}|s-k|\ge\epsilon\bigr]\le2^8\Bigl(\frac{\sigma_p\,\mathrm{diam}(\mathcal M)}\epsilon
# \Bigr)^2\exp\Bigl(-\frac{D\epsilon^2}{4(d+2)}\Bigr)$$
#
# It holds, also without the assumption $\sigma_p\,\mathrm{diam}>\epsilon$ of its last step. A moment generating
# function in place of Markov's inequality does better: the exponent need not fall with the dimension,
# $P\le(1+16\,\sigma_p\,\mathrm{diam}/\epsilon)^d\,e^{-D\epsilon^2/8}$.

# %%
steps("rff.claim")
judge_all(("rff.claim", "rff.added.uniform", "rff.added.exponent"), bench)
for dimension in (1, 64):
    value("rr_features", digits=10, d=dimension, delta="1/100", eps="1/10", sigma=dimension**0.5, diam=1)

# %% [markdown]
# ## Suprema over balls in place of the Lipschitz constant
#
# Nothing is lost by looking at the supremum of $f$ over a whole ball of radius $r$ instead of at its centre. Random
# signs and the contraction principle bound its mean by $2r\sigma_p/\sqrt D$, which falls with $D$, where the Lipschitz
# constant does not; by McDiarmid's inequality it seldom exceeds its mean by much. So the printed bound holds for the
# balls of any covering, and much larger balls are allowed than before: for every $0<\rho<1$
#
# $$P\bigl(\sup|f|\ge\epsilon\bigr)\le\Bigl(1+\Bigl(1+\frac{4\,\sigma_p\,\mathrm{diam}}{\rho\sqrt D\,\epsilon}
# \Bigr)^d\Bigr)\,e^{-D\epsilon^2(1-\rho)^2/2}.$$
#
# The number of pairs that are enough is of order $d/\epsilon^2$, without a factor $\log\frac1\epsilon$. Here it is
# a ninth and a seventh of what the claim asks for.

# %%
steps("rff.added.balls")
judge_all(
    ("rff.added.balls", "rff.added.balls/half", "rff.added.balls/enough", "rff.added.balls/phases"), bench
)
steps("rff.combine")
judge("rff.combine/covering", bench)
for dimension in (1, 64):
    value("ball_features", digits=10, d=dimension, delta="1/100", eps="1/10", sigma=dimension**0.5, diam=1)

# %% [markdown]
# ## The bound against the observed error
#
# Gaussian kernel on $[0,1]$: the largest error over a grid of 65 differences, for each number $D$ of frequencies the
# worst of 100 draws. A bound promises, with probability 0.99, the $\epsilon$ at which it equals 1%; no error exceeds 2,
# and a promise above 2 is none.

# %%
grid = np.linspace(0, 1, 65)
draw = np.random.default_rng(0)


def promise(name: str, count: int) -> float:
    """The eps at which a bound is one percent, by bisection."""
    low, high = 0.0, 2.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        large = exact(name, m=count, d=1, eps=middle, sigma=1, diam=1) > 0.01
        low, high = (middle, high) if large else (low, middle)
    return high


CURVES = {
    "rr_bound": ("as printed", "o-", "#d55e00"),
    "uniform_bound": ("repaired", "s-", "#0072b2"),
    "ball_bound": ("by suprema", "^-", "#009e73"),
}
counts, observed, promised = (64, 256, 1024, 4096), [], {name: [] for name in CURVES}
for count in counts:
    worst = 0.0
    for _ in range(DRAWS):
        estimate = np.cos(np.outer(grid, draw.standard_normal(count))).mean(axis=1)
        worst = max(worst, abs(estimate - np.exp(-(grid**2) / 2)).max())
    observed.append(worst)
    for name, curve in promised.items():
        curve.append(promise(name, count))
    said = ", ".join(f"{CURVES[name][0]} {curve[-1]:.2f}" for name, curve in promised.items())
    least = min(curve[-1] for curve in promised.values())
    print(f"D = {count:4d}: {said}; the worst error is {'below' if worst < least else 'NOT below'} them")

figure, axes = new_figure()
for name, (label, style, colour) in CURVES.items():
    axes.loglog(counts, promised[name], style, color=colour, label=f"promised, {label}")
axes.loglog(counts, observed, "k.-", label=f"worst of {DRAWS} draws")
axes.set(xlabel="number D of frequencies", ylabel="largest error on [0, 1]")
axes.legend()
show(figure)

# %% [markdown]
# All bounds hold for every kernel with this $\sigma_p$. The exponent of the first two is smaller than the one at a
# single point by the factor $2(d+2)$, the price of the net and of Markov's inequality; that of the third comes as near
# to it as one likes.
#
# From the command line:
#
# ```
# rftheory verify --claim rff.EL2/l6 --explain
# rftheory derive rff.claim
# rftheory eval rr_bound d=1 m=4096 eps=1/2 sigma=1 diam=1
# rftheory figure rahimi_recht_bound
# ```
#
# Each line of the proofs has its verdict in `14_rahimi_recht_line_by_line`.
