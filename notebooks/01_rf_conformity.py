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
# # RF-conformity and the closed forms of *Simplex Random Features*
#
# Read this beside Reid, Choromanski, Likhosherstov and Weller, *Simplex Random Features* (ICML 2023), Sections 3 to 5.
# Each statement is taken in three steps:
#
# 1. **derivation**: the steps of the proof are replayed, each one is checked;
# 2. **enclosure**: the value, with all printed digits proved;
# 3. **measurement**: a sampler is tested against the exact mean, with an exact variance.
#
# Every check carries an error planted on purpose, which has to be refuted by the same evidence. A check that misses
# its planted error counts for nothing.
#
# Notation: $v=\lVert\mathbf x+\mathbf y\rVert$; $m$ features in $d$ dimensions; *iid*, *orthogonal* and *simplex* are
# the paper's IIDRF, ORF and SimRF.

# %%
from dataclasses import replace

import numpy as np

from rftheory.exact import find_formula
from rftheory.papers import CATALOGUE
from rftheory.papers.digits import PAIRS, DigitsError, pair, prediction
from rftheory.report.cells import judge, make_bench, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws; with less, some measurements decide nothing
SEED = 0  # of the samplers; no verdict depends on it

# %% [markdown]
# The false-alarm probability of one run of the whole catalogue is at most $10^{-6}$, split evenly over its tests.

# %%
BENCH = make_bench(EFFORT, seed=SEED)

# %% [markdown]
# ## Definition 3.1: RF-conformity
#
# $$\rho(\mathbf x,\mathbf y)=\frac{\Gamma(\frac d2)}{m(m-1)}\sum_{i,j\ne i}\mathbb E_{w_{ij}}\Bigl(\sum_{k\ge0}
# \frac{v^{2k}w_{ij}^{2k}}{2^{2k}k!\,\Gamma(k+\frac d2)}\Bigr),\qquad w_{ij}=\lVert\mathbf w_i+\mathbf w_j\rVert.$$
#
# The series is the mean of $e^{\mathbf w_{ij}\cdot\mathbf v}$ over all directions of $\mathbf w_{ij}$: $\rho$ is
# the mean of $b_ib_j$ with $b_i=e^{\mathbf w_i\cdot\mathbf v}$. At $m=1$ it is $0/0$.

# %%
value("zonal_mean", d=7, v="1/3", w=9)
judge("simplex.def3.1", BENCH)
judge("simplex.def3.1/m=1", BENCH)

# %% [markdown]
# ## Theorem 3.2: the error depends on the coupling through $\rho$ alone
#
# $$\mathrm{MSE}(\hat K)=\frac{e^{-2x^2-2y^2}}m\Bigl((e^{2v^2}-e^{v^2})+(m-1)\bigl(\rho-e^{v^2}\bigr)\Bigr)$$
#
# The proof takes $\mathbf w_i$, $\mathbf w_j$ and their sum to be isotropic for all couplings considered. The four
# that the paper constructs have this, since their joint law does not change under rotations. A geometrical coupling
# (Definition 1.1) need not: mirror the direction of $\mathbf w_1$ at an axis for that of $\mathbf w_2$, with
# independent norms, and both are Gaussian while their sum is longer along the axis.

# %%
steps("simplex.thm3.2")
judge("simplex.thm3.2/isotropy", BENCH)
point = {"m": 64, "v": "1/2", "x": "1/4", "y": "1/4"}
value("prf_mse_iid", **point)
value("prf_mse_orf", d=64, **point)
value("prf_mse_simrf", d=64, **point)

# %% [markdown]
# ## Lemma 4.1: independent projections
#
# $p_{\mathrm{i.i.d.}}(w)=\dfrac{w^{d-1}e^{-w^2/4}}{2^{d-1}\Gamma(\frac d2)}$ and $\rho_{\mathrm{IIDRF}}=e^{v^2}$.

# %%
steps("simplex.lem4.1")
value("iid_conformity", d=64, v=1)
judge("simplex.lem4.1", BENCH)

# %% [markdown]
# ## Lemma 4.2: pairs at a fixed angle
#
# $$p_\theta(w)=\frac{w^{2d-1}}{2^{d-2}\Gamma(\frac d2)^2}\int_0^{\pi/2}d\phi\,(\sin\phi\cos\phi)^{d-1}
# \frac{e^{-w^2/(2(1+\sin2\phi\cos\theta))}}{(1+\sin2\phi\cos\theta)^d}$$
#
# The lemma holds. In its proof, the first line of (56) has two denominators exchanged; the second line is right again.

# %%
steps("simplex.lem4.2")
judge("simplex.lem4.2", BENCH)
judge("simplex.lem4.2/(56)", BENCH)

# %% [markdown]
# ## Theorem 4.3: orthogonal and simplex projections
#
# $$\rho_{\mathrm{ORF}}=\frac{\Gamma(\frac d2)}{\Gamma(d)}\sum_k\frac{v^{2k}}{2^kk!}
# \frac{\Gamma(k+d)}{\Gamma(k+\frac d2)},
# \qquad\rho_{\mathrm{SimRF}}=\frac{\sqrt\pi}{\Gamma(\frac d2)2^{d-1}}\sum_k\frac{\Gamma(k+d)}{\Gamma(k+\frac d2)}
# \frac{v^{2k}}{2^k}\sum_{p=0}^k\Bigl(-\frac1{d-1}\Bigr)^p\frac{\Gamma(\frac{d+p}2)}{\Gamma(\frac{d+p+1}2)}
# \frac1{(k-p)!\,p!}$$
#
# Several routes to each value share no code: the printed series, an integral, a recurrence. Their enclosures overlap.

# %%
steps("simplex.thm4.3")
for name in ("orf_conformity", "simrf_conformity"):
    routes = find_formula(name).agree(40, d=64, v=1)
    print(f"{name}(d=64, v=1) = {next(iter(routes.values()))}")
    print(f"    {len(routes)} routes agree: " + ", ".join(routes))

# %%
judge("simplex.thm4.3", BENCH, effort=0.5)

# %% [markdown]
# ## Corollary 3.3: simplex beats orthogonal
#
# As printed the inequality is strict for all data and any $d$. It is an equality at $v=0$ and at $m=1$. With $v>0$,
# $m\ge2$ and $d\ge2$ it holds, and strictly: it is proved, certified on whole intervals of $v$, and seen in samples.

# %%
judge("simplex.cor3.3", BENCH)
judge("simplex.cor3.3.corrected", BENCH)

# %% [markdown]
# ## Corollary 4.4: the orthogonality gap, and a misprint in eq. (25)
#
# Printed: $\Delta\mathrm{MSE}=e^{-2x^2-2y^2}\frac{m-1}m\bigl(e^{v^2}-\frac{\Gamma(d/2)}{\Gamma(d)}\sum_k
# \frac{v^{2k}}{k!}\frac{\Gamma(k+d)}{\Gamma(k+d/2)}\bigr)$, positive everywhere.
#
# The factor $2^k$ of Theorem 4.3 is missing under $v^{2k}$. As printed, the gap is *negative* for every $v>0$, which
# would make orthogonal projections worse than independent ones. The counterexample is certified:

# %%
(claim,) = CATALOGUE.select(claim="simplex.cor4.4")
print(claim.checks[0].run(BENCH).summary)
steps("simplex.cor4.4")
value("prf_gap", d=2, m=2, v=1, x="1/2", y="1/2")

# %%
judge("simplex.cor4.4", BENCH)
judge("simplex.cor4.4.corrected", BENCH)

# %% [markdown]
# ## Theorem 4.5: trigonometric features
#
# $$\Delta\mathrm{MSE}=\frac{m-1}m\Bigl(e^{-z^2}-\frac{\Gamma(\frac d2)}{\Gamma(d)}\sum_k\frac{(-z^2)^k}{2^kk!}
# \frac{\Gamma(k+d)}{\Gamma(k+\frac d2)}\Bigr),\qquad z=\lVert\mathbf x-\mathbf y\rVert$$

# %%
steps("simplex.thm4.5")
value("trig_gap", d=6, m=6, z="3/2")
judge("simplex.thm4.5", BENCH)

# %% [markdown]
# ## Section 5.1: small $v$, and 0.0078
#
# For $m=d$, up to the factor $e^{-2x^2-2y^2}/m$, the errors of IIDRFs and ORFs are $v^2+O(v^4)$, and
#
# $$\mathrm{MSE}_{\mathrm{SimRF}}=v^2\Bigl(1-\frac{\sqrt\pi\,\Gamma(d+1)\Gamma(\frac d2+\frac12)}
# {\Gamma(\frac d2)\Gamma(\frac d2+1)^2\,2^d}\Bigr)+O(v^4).$$
#
# This is one reading of the printed denominator; another one does not give the coefficient. For $m<d$ the subtracted
# fraction carries the factor $\frac{m-1}{d-1}$.

# %%
value("prf_small_v_simrf", d=64, m=64)
judge("simplex.s5.prefactor", BENCH)
judge("simplex.s5.smallv", BENCH)
judge("simplex.s5.smallv/a", BENCH)
judge("simplex.s5.smallv/any-m", BENCH)

# %% [markdown]
# ## On data: handwritten digits
#
# Pairs of scikit-learn's digits (64 pixels, scaled so that norms are near 0.2). The prediction knows of the two images
# no more than $\lVert\mathbf x+\mathbf y\rVert$ and the kernel. The measured squared errors of the samplers are tested
# against it, four pairs a coupling; the planted error is the prediction for another coupling.

# %%
for i, j in PAIRS:
    first, second = pair(i, j)
    errors = {name: prediction(name, i, j).mean for name in ("iid", "orthogonal", "simplex")}
    print(f"images {i} and {j}, v = {np.linalg.norm(first + second):.4f}: exact MSE, m = 64: ", end="")
    print(", ".join(f"{name} {error:.6g}" for name, error in errors.items()))

# %%
for name in ("orthogonal", "simplex"):
    evidence = DigitsError(name).run(replace(BENCH, effort=EFFORT / 4))
    planted = "refuted" if evidence.control else "NOT refuted"
    print(
        f"measured error of {name} features against the exact one: {evidence.decision}; planted error {planted}"
    )

# %% [markdown]
# ## Figure 6
#
# The ratio of the errors to that of IIDRFs depends on the data through $v$ alone. From exact values, $d=m=64$: as
# $v\to0$ the SimRF curve goes to the prefactor above.

# %%
from io import BytesIO

from IPython.display import Image

from rftheory.papers.figures import FIGURES

figure = FIGURES["simplex_fig6"]
data = figure.data()
for name, ratios in data["ratio_to_iid"].items():
    print(f"{name}: ratio {ratios[0]} at v = {data['v'][0]:g}, {ratios[-1]} at v = {data['v'][-1]:g}")
png = BytesIO()
figure.draw(data).savefig(png, format="png", dpi=100, metadata={"Software": None})
Image(png.getvalue())

# %% [markdown]
# The same from the command line:
#
# ```
# rftheory verify --paper simplex
# rftheory eval prf_small_v_simrf d=64 m=64 --digits 50
# rftheory derive simplex.cor4.4
# rftheory figure simplex_fig6
# ```
#
# Each line of the proofs has its verdict in `20_simplex_line_by_line`.
