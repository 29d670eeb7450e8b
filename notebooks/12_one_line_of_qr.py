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
# # One line of QR
#
# Orthogonal random features need a random rotation, and the usual way to get one is the Q of a Gaussian matrix:
#
# ```
# q, r = qr(randn(d, d))
# q = q * sign(diag(r))        # the line in question
# ```
#
# Many implementations leave the second line out. This notebook says what that does: **nothing at all** to Fourier
# features, not even to the last bit; and to positive features $e^{\mathbf w\cdot\mathbf x}$, as used in linear
# attention, **a bias** that no number of features removes. For the first projection of each block it has a closed form.
#
# ## Where it is met
#
# The widely used `performer-pytorch` builds its projections from blocks `q.t()`, so that they are the *columns* of Q,
# and multiplies them by independent norms. It has the second line too, behind a switch `qr_uniform_q` that is off
# unless one asks for it. The function below has the same structure, written for NumPy; PyTorch and NumPy call the same
# LAPACK routines.

# %%
import math

import numpy as np
import sympy as sp

from rftheory.check import check
from rftheory.check.laws import unsigned_qr_mean
from rftheory.exact.enclosure import Enclosure, certify
from rftheory.exact.evaluate import evaluate
from rftheory.figures.style import label_end, new_figure
from rftheory.judge import Budget, Score
from rftheory.report.cells import show

# %% tags=["parameters"]
BLOCKS = 1 << 14  # orthogonal blocks to draw
D = 8  # dimension
SEED = 0  # no verdict depends on it
SECONDS = 120  # the checker stops here at the latest

# %%
rng = np.random.default_rng(SEED)


def rotations(count: int, d: int, signs: bool) -> np.ndarray:
    """Q of Gaussian matrices (count, d, d), with or without the line."""
    q, r = np.linalg.qr(rng.standard_normal((count, d, d)))
    return q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :] if signs else q


def projections(m: int, d: int, seed: int, signs: bool = False) -> np.ndarray:
    """Rows are projections: columns of Q times independent chi norms."""
    draw = np.random.default_rng(seed)
    q, r = np.linalg.qr(draw.standard_normal((-(-m // d), d, d)))
    if signs:
        q = q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    rows = q.transpose(0, 2, 1).reshape(-1, d)[:m]
    return np.sqrt(draw.chisquare(d, (m, 1))) * rows


# %% [markdown]
# ## Statement 1: Q without the line is not uniform
#
# *For every $d\ge2$ the first column of LAPACK's Q is uniform on the half sphere $u_1<0$, and so is its first row.*
#
# **Derivation.** Householder's algorithm starts with a reflection $H_1=I-2\mathbf h\mathbf h^\top$ that maps the first
# column $\mathbf g$ of the matrix to $\beta\mathbf e_1$. To avoid cancellation it takes
# $\beta=-\operatorname{sign}(g_1)\lVert\mathbf g\rVert$. The first column of $Q=H_1H_2\cdots$ is therefore
#
# $$\mathbf q=H_1\mathbf e_1=-\operatorname{sign}(g_1)\,\frac{\mathbf g}{\lVert\mathbf g\rVert},\qquad
# q_1=-\frac{|g_1|}{\lVert\mathbf g\rVert}<0.$$
#
# As $\mathbf g/\lVert\mathbf g\rVert$ is uniform on the sphere, $\mathbf q$ is uniform on half of it. For the row:
# $H_1$ is symmetric, so its first row is $\mathbf q^\top$ too. The later reflections act on the coordinates
# $2,\dots,d$ and are independent of $H_1$; they rotate $(q_2,\dots,q_d)$, which has a uniform direction already.
#
# **Measurement.** Not one exception, in either.

# %%
plain = rotations(BLOCKS, D, signs=False)
uniform = rotations(BLOCKS, D, signs=True)
print("Q_11 < 0 in every draw without the line:", bool((plain[:, 0, 0] < 0).all()))
print("Q_11 < 0 in every draw with the line:   ", bool((uniform[:, 0, 0] < 0).all()))

# %% [markdown]
# The mean of Q is not zero but a diagonal matrix. With $a_n=\mathbb E|u_1|=\Gamma(\frac n2)/(\sqrt\pi\,
# \Gamma(\frac{n+1}2))$ on the sphere of $\mathbb R^n$, $\mathbb E\,Q_{11}=-a_d$; the further entries follow by
# recurrence, and only the last is positive, because for it there is no reflection left to do. Each entry of
# the measured mean is tested against it. The tests of this notebook give a false alarm with probability at most
# $10^{-6}$ together.

# %%
BUDGET = Budget(1e-6, tests=4 * D + 2 * D + 4 * 5 + 2 * D)


def agreement(sample: np.ndarray, mean: float, variance: float, tolerance: float = 0.08) -> str:
    """A test of the mean of one draw, which has to be able to see an error of 8 percent."""
    return str(Score(mean, variance, len(sample), BUDGET).of(sample, tolerance=tolerance).decision)


entries = unsigned_qr_mean(D)
print("diagonal of E Q without the line:", ", ".join(f"{entry:+.4f}" for entry in entries))
for name, q in (("without", plain), ("with", uniform)):
    # E Q_jj^2 = 1/d for both: each column is uniform up to its sign
    found = {
        claim: {agreement(q[:, j, j], mean[j], 1 / D - mean[j] ** 2, 0.3) for j in range(D)}
        for claim, mean in (("that diagonal", entries), ("zero", np.zeros(D)))
    }
    for claim, verdicts in found.items():
        print(f"{name} the line, E Q_jj is {claim}: " + ", ".join(sorted(verdicts)))

# %% [markdown]
# ## Statement 2: Fourier features do not notice
#
# *Let $Q=OS$ with $O$ uniform on the rotations and $S$ the diagonal matrix of the dropped signs. Every function that is
# even in each projection has the same value with $Q$ and with $O$, draw by draw.*
#
# **Derivation.** The projections are columns of $Q$ times norms, so $\mathbf w_j=\pm\mathbf w_j^O$: the signs drop out
# of an even function. (That $S$ depends on $O$ does not matter.) The Fourier estimate
# $\frac1m\sum_j\cos\mathbf w_j\cdot(\mathbf x-\mathbf y)$ is even in each $\mathbf w_j$, and so is the hyperbolic one,
# which uses $\mathbf w_j$ and $-\mathbf w_j$. Their bias, variance and whole law are what the theorems say.
#
# **Measurement.** The two estimates are the same floating-point numbers.

# %%
z = np.linspace(-1, 1, D) / 2
without, line = (projections(64 * D, D, SEED, signs) for signs in (False, True))
print("projections differ:", bool((without != line).any()))
print("cos features, same to the last bit: ", bool(np.array_equal(np.cos(without @ z), np.cos(line @ z))))
print("cosh features, same to the last bit:", bool(np.array_equal(np.cosh(without @ z), np.cosh(line @ z))))
print("exp features, same to the last bit: ", bool(np.array_equal(np.exp(without @ z), np.exp(line @ z))))

# %% [markdown]
# Code that takes the *rows* of Q instead changes more than signs: $S$ then multiplies coordinates. For a single row, an
# even function still has the right mean. Row by row, $\mathbb E\cos\mathbf w\cdot\mathbf z=e^{-z^2/2}$ is tested here;
# the planted error is the value for a $\mathbf z$ that is longer by a tenth.

# %%
norms = np.sqrt(rng.chisquare(D, (BLOCKS, D)))
length = float(np.linalg.norm(z))
for claim, reach in (("exp(-z^2/2)", length), ("that for 1.1 z", 1.1 * length)):
    mean, spread = math.exp(-(reach**2) / 2), (1 - math.exp(-(reach**2))) ** 2 / 2
    verdicts = {agreement(np.cos(norms[:, j] * (plain[:, j] @ z)), mean, spread) for j in range(D)}
    print(f"rows of Q without the line, E cos w.z is {claim}: " + ", ".join(sorted(verdicts)))

# %% [markdown]
# ## Statement 3: positive features are biased, and by how much
#
# *For the first projection of each block, and every $\mathbf v=\mathbf x+\mathbf y$,*
#
# $$\mathbb E\,e^{\mathbf w_1\cdot\mathbf v}=e^{v^2/2}\,\operatorname{erfc}\Bigl(\frac{v_1}{\sqrt2}\Bigr)
# \quad\text{in place of}\quad e^{v^2/2}.$$
#
# **Derivation.** $\mathbf w_1$ is a Gaussian vector under the condition $w_{11}<0$ (Statement 1, and a chi norm that is
# independent of it). The coordinates are independent, and only the first is conditioned:
# $2\int_{-\infty}^0e^{tv_1}\frac{e^{-t^2/2}}{\sqrt{2\pi}}\,dt=2e^{v_1^2/2}\,\Phi(-v_1)=
# e^{v_1^2/2}\operatorname{erfc}(v_1/\sqrt2)$. The integral is checked by two enclosures:

# %%
t, v1 = sp.symbols("t v_1", real=True)
density = 2 * sp.exp(t * v1) * sp.exp(-(t**2) / 2) / sp.sqrt(2 * sp.pi)
closed = sp.exp(v1**2 / 2) * sp.erfc(v1 / sp.sqrt(2))
integral = sp.Integral(density, (t, -sp.oo, 0))


def enclose(expression: sp.Expr, point: str, digits: int = 20) -> Enclosure:
    """The expression at v_1 = point, every digit proved."""
    return certify(lambda: evaluate(expression, {v1: sp.Rational(point)}), digits)


for point in ("1/2", "1", "-1"):
    found = enclose(closed, point)
    same = found.overlaps(enclose(integral, point))
    unbiased = found.overlaps(enclose(sp.exp(v1**2 / 2), point))
    print(f"v_1 = {point}: {found}; the integral agrees: {same}; exp(v_1^2/2) agrees: {unbiased}")

# %% [markdown]
# The relative bias is $-\operatorname{erf}(v_1/\sqrt2)$. It has the sign of $-v_1$, does not depend on $d$ nor on the
# rest of $\mathbf v$, and no averaging over blocks removes it. It vanishes only where $v_1=0$. From the table one reads
# that an error of tens of percent is met at lengths that are usual in attention.

# %%
print("relative bias of the first projection at v_1")
for point in ("1/10", "1/4", "1/2", "1", "2", "-1/2", "-1", "-2"):
    bias = enclose(-100 * sp.erf(v1 / sp.sqrt(2)), point, digits=6)
    print(f"    {point:>5s}: {float(bias):+8.3f} %")

# %% [markdown]
# **Measurement.** The first projection of each block at $\lVert\mathbf v\rVert=\frac12$, in five directions. The second
# moment is exact too ($\mathbb E e^{2\mathbf w_1\cdot\mathbf v}=e^{2v^2}\operatorname{erfc}(\sqrt2v_1)$), so that the
# tests have an exact variance. The unbiased value is the planted error: it has to be refuted wherever $v_1\ne0$.

# %%
ones = np.ones(D) / math.sqrt(D)
axis = np.eye(D)
UNIT = {"e_1": axis[0], "(1, ..., 1)": ones, "-(1, ..., 1)": -ones, "-e_1": -axis[0]}
UNIT["at right angles to e_1"] = (axis[1] - axis[2]) / math.sqrt(2)
LENGTH = 0.5


def law(first: float, half: bool) -> tuple[float, float]:
    """Mean and variance of exp(w.v), w Gaussian, or Gaussian under w_1 < 0."""
    square = LENGTH**2
    one, two = (math.erfc(k * first / math.sqrt(2)) if half else 1.0 for k in (1, 2))
    mean = math.exp(square / 2) * one
    return mean, math.exp(2 * square) * two - mean**2


first = {"without": norms[:, :1] * plain[:, :, 0], "with": norms[:, :1] * uniform[:, :, 0]}
for name, w in first.items():
    print(f"{name} the line")
    for direction, unit in UNIT.items():
        v = LENGTH * unit
        sample = np.exp(w @ v)
        verdicts = [agreement(sample, *law(float(v[0]), half)) for half in (True, False)]
        print(f"    v along {direction:23s} closed form {verdicts[0]:9s} unbiased {verdicts[1]}")

# %% [markdown]
# The other projections of a block have no such simple law, but are biased too. Column $j$ is tested against the
# unbiased value along $\mathbf e_j$, where the half sphere leaves its mark (see $\mathbb E\,Q_{jj}$ above):

# %%
for name, q in (("without", plain), ("with", uniform)):
    verdicts = [agreement(np.exp(LENGTH * norms[:, j] * q[:, j, j]), *law(0.0, False)) for j in range(D)]
    print(f"{name} the line, projections 1 to {D} unbiased: " + ", ".join(verdicts))

# %% [markdown]
# ## Drawn
#
# The bias of the first projection as the direction of $\mathbf v$ turns away from $\mathbf e_1$: exact curves for three
# lengths, and the measured means at $\lVert\mathbf v\rVert=\frac12$ with bars of two standard errors.

# %%
figure, axes = new_figure(6.0, 3.6)
angles = np.linspace(0, 180, 181)
for size, colour in ((0.5, "#0072b2"), (1.0, "#d55e00"), (2.0, "#009e73")):
    curve = [-100 * math.erf(size * math.cos(math.radians(a)) / math.sqrt(2)) for a in angles]
    axes.plot(angles, curve, color=colour)
    label_end(axes, f"|v| = {size:g}", 180, curve[-1], colour)
marks = np.arange(0, 181, 30)
for a in marks:
    v = LENGTH * (math.cos(math.radians(a)) * axis[0] + math.sin(math.radians(a)) * axis[1])
    ratio = 100 * (np.exp(first["without"] @ v - LENGTH**2 / 2) - 1)
    error = 2 * ratio.std() / math.sqrt(len(ratio))
    axes.errorbar(a, ratio.mean(), yerr=error, fmt="o", color="#0072b2", ms=3.5, capsize=2.5)
axes.axhline(0, color="#6b6b6b", lw=1)
axes.set(
    xlabel="angle between v and $e_1$ (degrees)", ylabel="relative bias (%)", xlim=(0, 180), xticks=marks
)
axes.set_title("First projection of a block without the signs of R")
show(figure)

# %% [markdown]
# ## The checker names it
#
# Nobody has to read code to find this out: the checker draws from a sampler and tests what it promises.

# %%
for signs in (False, True):
    report = check(
        lambda m, d, seed, signs=signs: projections(m, d, seed, signs),
        coupling="orthogonal", kind="matrix", d=D, seconds=SECONDS, intervals=False,
    )  # fmt: skip
    print("with the line:   " if signs else "without the line:", report.headline)

# %% [markdown]
# ## Verdict
#
# | features | without the signs of R |
# |---|---|
# | $\cos$, $(\cos,\sin)$ pairs, $\cosh$ or $e^{\pm\mathbf w\cdot\mathbf x}$ pairs | the same estimate, bit by bit |
# | $e^{\mathbf w\cdot\mathbf x}$ alone | biased; first projection by $-\operatorname{erf}(v_1/\sqrt2)$ |
#
# The second row is that of FAVOR+, of optimal positive features, and of simplex features on such blocks.
#
# The repair is one multiplication. In attention the bias is not noise: it depends on the direction of
# $\mathbf q+\mathbf k$, so it favours some keys over others, and redrawing the projections does not average it out.
