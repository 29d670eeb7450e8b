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
# # What the papers got wrong
#
# The catalogue takes each statement of four sources as printed and judges it. Most hold. This notebook is about the
# others: what is wrong with each, a counterexample or a refuted step, and what is right in its place. It is built from
# the catalogue, not by hand: a statement stands here because this run has refuted it again.
#
# "Wrong" covers three kinds of things, and the list says of each which it is:
#
# - *false*: theorems and bounds that fail, some of them by an unbounded factor;
# - *too strong*: true under a condition that is not stated, such as $m\ge2$, $v>0$ or "independent samples";
# - *misprinted*: a lost factor, an exchanged sign, a number; where a formula can be read in several ways, each reading
#   is judged and the wrong ones are listed.
#
# None of it overturns a paper: every correction is itself a claim that holds, with a derivation.
#
# The sources: *Simplex Random Features* (Reid et al., ICML 2023), *Chefs' Random Tables* (Likhosherstov et al.,
# NeurIPS 2022), *Hybrid Random Features* (Choromanski et al., ICLR 2022), and a walk-through of Rahimi and Recht
# (2007) with the neighbouring literature.

# %%
import math
import re

import numpy as np

from rftheory.figures.style import label_end, new_figure
from rftheory.judge import Kind
from rftheory.papers import CATALOGUE
from rftheory.report.cells import Page, exact, judge, make_bench, show, steps, value
from rftheory.report.errata import errata, wanted
from rftheory.report.run import Result

# %% tags=["parameters"]
POINTS = 41  # on each drawn curve
KINDS = (Kind.DERIVED, Kind.CERTIFIED)  # add Kind.SAMPLED to draw too, which takes minutes

# %% [markdown]
# ## The errata, ranked
#
# Each refutation is earned again here. It carries a control: the same check, given the right statement in place of the
# wrong one, must not refute it. A fault of severity 3 makes a result false as it is used; 2, the statement is false but
# what rests on it stands; 1, it is cosmetic. What is false in our reading alone is no erratum and is not counted.

# %%
BENCH = make_bench(quick=True)
FOUND, EXCEPTIONS = [], []
for paper in CATALOGUE.papers:  # what is right instead is judged in the notebooks of the sources
    refuted = wanted(CATALOGUE, CATALOGUE.select(paper), corrections=False)
    results = [Result(claim, claim.judge(BENCH, KINDS)) for claim in refuted]
    entries = [erratum for erratum in errata(results, CATALOGUE) if not erratum.is_reading]
    EXCEPTIONS += [erratum.id for erratum in entries if not erratum.confirmed]
    FOUND += entries
FOUND.sort(key=lambda erratum: -erratum.severity)
print(f"not refuted: {', '.join(EXCEPTIONS)}" if EXCEPTIONS else f"all {len(FOUND)} refuted again")

# %%
gravest = [e for e in FOUND if e.severity == 3]
rows = [f"| {e.where} | {e.wrong} | {e.consequence} |".replace("\n", " ") for e in gravest]
Page("\n".join(["| severity 3 | what is wrong | what follows |", "|---|---|---|", *rows]))

# %% [markdown]
# The rest by source. Each notebook goes through its source and shows the statements, false and true, with what decides
# them.

# %%
NOTEBOOKS = {
    "simplex": "[20, line by line](20_simplex_line_by_line.ipynb)",
    "hybrid": "[19, line by line](19_hybrid_line_by_line.ipynb)",
    "chefs": "[4, GERF and OPRF](04_gerf_and_oprf.ipynb), [5, discrete tables](05_discrete_tables.ipynb), "
    "[6, bounds](06_concentration_bounds.ipynb)",
    "rahimi_recht": "[14, line by line](14_rahimi_recht_line_by_line.ipynb)",
}
rows = []
for paper, links in NOTEBOOKS.items():
    own = [e for e in FOUND if e.paper == paper]
    numbers = " | ".join(str(sum(e.severity == n for e in own)) for n in (3, 2, 1))
    places = [re.sub(r"^.*? 20\d\d, ", "", e.where) for e in own if e.severity == 2]
    second = "; ".join(dict.fromkeys(places))
    rows.append(f"| {paper} | {numbers} | {second} | {links} |".replace("\n", " "))
Page("\n".join(["| source | 3 | 2 | 1 | severity 2 | in notebook |", "|---|---|---|---|---|---|", *rows]))

# %% [markdown]
# ## Six of them, drawn
#
# All curves are exact values.
#
# ### 1. Simplex Random Features, eq. (25): a gap with the wrong sign
#
# Printed, as the orthogonality gap of positive features, "positive everywhere":
#
# $$\Delta\mathrm{MSE}=e^{-2x^2-2y^2}\frac{m-1}m\Bigl(e^{v^2}-\frac{\Gamma(d/2)}{\Gamma(d)}\sum_k\frac{v^{2k}}{k!}
# \frac{\Gamma(k+d)}{\Gamma(k+d/2)}\Bigr).$$
#
# The factor $2^{-k}$ is missing, so that $\rho_{\mathrm{ORF}}$ is taken at $\sqrt2v$. As printed the gap is *negative*
# for every $v>0$: the paper's own formula would make orthogonal projections worse than independent ones.

# %%
judge("simplex.cor4.4", BENCH, why=True)
grid = np.linspace(0, 1.5, POINTS)
figure, axes = new_figure()
gaps = {"right": [], "printed": []}
for v in map(float, grid):
    rho = {
        "right": exact("orf_conformity", d=6, v=v),
        "printed": exact("orf_conformity", d=6, v=math.sqrt(2) * v),
    }
    for name, curve in gaps.items():
        curve.append(5 / 6 * (math.exp(v * v) - rho[name]) * math.exp(-v * v))
for name, colour in (("right", "#0072b2"), ("printed", "#d55e00")):
    axes.plot(grid, gaps[name], color=colour)
    label_end(axes, name, grid[-1], gaps[name][-1], colour)
axes.axhline(0, color="#6b6b6b", lw=0.8)
axes.set(xlabel="v", ylabel="orthogonality gap", title="(25) with d = m = 6, x = y")
show(figure)

# %% [markdown]
# ### 2. Simplex Random Features, Section 4.1: a threshold that does not grow steadily
#
# For Fourier features orthogonal projections stop being better beyond some $z_{\mathrm{crit}}(d)$, which is said to
# exist and to diverge as $d\to\infty$. It does diverge. But there is none at $d=2$, it *falls* up to $d=7$, and it
# rises by jumps: the gap oscillates, and $z_{\mathrm{crit}}$ is its first change of sign, which now and then
# disappears.

# %%
judge("simplex.s4.zcrit/every d", BENCH)
judge("simplex.s4.zcrit/increasing", BENCH, why=True)
dimensions = list(range(3, 41))
thresholds = [exact("z_crit", d=d) for d in dimensions]
figure, axes = new_figure()
axes.plot(dimensions, thresholds, "o", color="#0072b2", ms=4)
axes.set(xlabel="d", ylabel="$z_{crit}(d)$", title="First change of sign of the gap of Fourier features")
show(figure)

# %% [markdown]
# ### 3. Hybrid Random Features, Theorem 3.5: a bound that the error overtakes, unless our text has lost a root
#
# Printed, for the largest relative error of the angular hybrid on the sphere of radius $r\ge1$:
#
# $$\epsilon_{S(r)}\le\frac1r\sqrt{\frac1{2m}}\,W(r)\sqrt{\frac1\pi-\frac1{n\pi}+\frac1{n\sqrt\pi}}.$$
#
# Step (64) of the proof loses a factor $r$ in the last term. The error is of order $e^{2r^2}/\sqrt r$ and the bound of
# order $e^{2r^2}/r$, so that it fails for every $n$ at large $r$, and for $n=1$ from $r\approx4.13$ on. With
# $r/(n\sqrt\pi)$ under the root it holds for all $r>0$. The text that we have of the paper has lost most of
# its roots: if the paper prints $\frac1{\sqrt r}$ in the place of $\frac1r$, the bound holds for $r\ge1$.

# %%
steps("hybrid.thm3.5.bound")
judge("hybrid.thm3.5.bound", BENCH)
judge("hybrid.thm3.5.bound/root", BENCH)
judge("hybrid.thm3.5.bound/corrected", BENCH)
radii = np.linspace(1, 12, POINTS // 2 + 1)
figure, axes = new_figure()


def printed_share(r: float, n: int) -> float:
    """Printed bound over the corrected one: the factor r is missing in the last term."""
    base = 1 / math.pi - 1 / (n * math.pi)
    return math.sqrt((base + 1 / (n * math.sqrt(math.pi))) / (base + r / (n * math.sqrt(math.pi))))


for n, colour in ((1, "#d55e00"), (10, "#0072b2")):
    share = []
    for r in map(float, radii):
        error = exact("angular_max_relative_error", r=r, m=1, n=n) / exact(
            "angular_error_bound", r=r, m=1, n=n
        )
        share.append(error / printed_share(r, n))
    axes.plot(radii, share, color=colour)
    label_end(axes, f"n = {n}", radii[-1], share[-1], colour)
axes.axhline(1, color="#6b6b6b", lw=0.8)
axes.set(xlabel="r", ylabel="error / printed bound", title="Above 1 the printed bound fails")
show(figure)

# %% [markdown]
# ### 4. Chefs' Random Tables, eq. (7): a root that is too long
#
# Printed: $\rho^*=\sqrt{(2q+d)^2+8dq-2q-d}\,/(4q)$, with $q=\lVert\mathbf x+\mathbf y\rVert^2$, as the optimum of the
# optimal positive features. The subtraction belongs outside of the root.

# %%
judge("chefs.thm3.3/long-root", BENCH)
value("oprf_rho", digits=20, d=1, v=1)
q = np.linspace(0.05, 4, POINTS)
right = [exact("oprf_rho", d=1, v=math.sqrt(x)) for x in map(float, q)]
printed = [math.sqrt((2 * x + 1) ** 2 + 8 * x - 2 * x - 1) / (4 * x) for x in q]
figure, axes = new_figure()
for name, curve, colour in (("right", right, "#0072b2"), ("printed", printed, "#d55e00")):
    axes.plot(q, curve, color=colour)
    label_end(axes, name, q[-1], curve[-1], colour)
axes.set(xlabel="$q=|x+y|^2$", ylabel=r"$\rho^*$", title="Optimal positive features, d = 1", ylim=(0, 1.7))
show(figure)

# %% [markdown]
# ### 5. Chefs' Random Tables, Theorem 4.3: too few features
#
# The theorem says how many features make a softmax attention matrix accurate to $\epsilon$. With the number of
# features as printed (constants aside) and inputs of length $R$, the *variance* of an entry over $\epsilon^2$ should
# stay bounded as $R$ grows. It grows exponentially: a factor $e^{2R^2/\sqrt d}$ was lost between the Gaussian and the
# softmax kernel. No constant repairs that; a larger $d$ only puts it off.

# %%
judge("chefs.thm4.3", BENCH)
judge("chefs.thm4.3/constant", BENCH, why=True)
judge("chefs.thm4.3.corrected", BENCH)
lengths = np.linspace(0.5, 8, POINTS)
figure, axes = new_figure()
for d, colour in ((2, "#d55e00"), (4, "#009e73"), (8, "#0072b2")):
    short = [exact("attention_shortfall", d=d, R=float(R), eps="1/10") for R in lengths]
    axes.plot(lengths, short, color=colour)
    label_end(axes, f"d = {d}", lengths[-1], short[-1], colour)
axes.axhline(1, color="#6b6b6b", lw=0.8)
axes.set(
    yscale="log", xlabel="R", ylabel=r"variance / $\epsilon^2$", title="With the printed number of features"
)
show(figure)

# %% [markdown]
# ### 6. Rahimi and Recht, walk-through: cosines without a phase
#
# Printed: $k(x-y)=\mathbb E\,\cos(w^\top x)\cos(w^\top y)$. The right side is $\frac12\bigl(k(x-y)+k(x+y)\bigr)$,
# which is not even a function of $x-y$. A uniform phase in both factors, and a factor 2, make it right. This one is
# worth a picture because it is met in code, too.

# %%
judge("rff.cosproduct", BENCH, why=True)
judge("rff.cosproduct.corrected", BENCH)
x = np.linspace(-3, 3, 2 * POINTS)
kernel = np.exp(-((x - 1) ** 2) / 2)
figure, axes = new_figure()
for name, curve, colour in (
    ("$k(x-1)$", kernel, "#0072b2"), ("without phase", (kernel + np.exp(-((x + 1) ** 2) / 2)) / 2, "#d55e00")
):  # fmt: skip
    axes.plot(x, curve, color=colour, label=name)
axes.legend(frameon=False, loc="upper left")
axes.set(xlabel="x", ylabel="mean of the estimate", title="Gaussian kernel against y = 1")
show(figure)

# %% [markdown]
# ## The whole list
#
# For each fault: where it is printed, in the words of the source, what is wrong, the evidence of a run of your own,
# what holds in its place and on what grade, and what follows. As Markdown, as a page, as JSON, or all evidence for a
# statement:
#
# ```
# rftheory errata --paper hybrid
# rftheory errata --html errata.html
# rftheory errata --json --out errata.json
# rftheory verify --claim chefs.thm4.3 --explain
# ```
