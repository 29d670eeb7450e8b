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
# # Samplers of others, put to the test
#
# `rftheory check` on the random-feature samplers that can be had from PyPI. The findings below were stored by
# `python benchmarks/check_third_parties.py`, run where these packages are installed; each row has the line of code that
# draws, and `rftheory check` on a function that returns that line repeats the finding. scikit-learn is checked again
# here. Most of them agree. What is held against the others is what their documentation, or the paper that it names,
# promises of the line; where a package promises less, that is said below.

# %%
import json
from importlib.resources import files

import numpy as np

from rftheory.check import TABLE, check, laws
from rftheory.figures.style import new_figure
from rftheory.report.cells import show

rows = json.loads(files("rftheory.check").joinpath("third_parties.json").read_text(encoding="utf-8"))
for row in rows:
    print(f"{row['package']} {row['version']}: {row['module']}: {row['call']}")
    print(f"    {row['headline']}")

# %% [markdown]
# ## What the defects mean

# %%
for row in rows:
    for found in row["diagnoses"]:
        print(f"{row['package']}, {row['call']}")
        print(f"  {TABLE[found['name']]}: {found['sentence']}.")
        if found["bias"]:
            print(f"  {found['bias']}")
    if row["decision"] == "refuted" and not row["diagnoses"]:
        print(f"{row['package']}, {row['call']}: a defect without a name in the table; explained below")
        for line in row["refuted"]:
            print(f"  {line}")

# %% [markdown]
# What they promise, and where the defect matters:
#
# - performer-pytorch follows the code of the paper on Performers, which takes $Q$ as it comes too, for positive
#   features of the softmax kernel; these are biased, by up to a third at $|v| = 2$. With `scaling=1` the norms
#   $\sqrt d$ are meant: the paper calls them regularised features, and they estimate another kernel. Held to
#   `orthogonal-fixed`, only the signs are a defect.
# - srf-attention promises the simplex features of the paper, whose norms are chi with $d$ degrees of freedom.
# - py-rff and rfflearn promise orthogonal random features for the Gaussian kernel. The signs change nothing there, for
#   cosines are even; the side on which the norms stand does.
# - rfflearn promises quasi-random features of the Gaussian kernel. Its points are right; what is made of them is not.
#
# ## The same lines, without the packages
#
# Orthogonal blocks from a QR factorisation as it comes: LAPACK fixes signs of $R$, and $Q$ is not Haar distributed.
# The first entry of a block never changes its sign, and its mean is the closed form
# $-\Gamma(d/2)/(\sqrt\pi\,\Gamma((d+1)/2))$.

# %%
d = 8
draws = np.random.default_rng(1).standard_normal((4000, d, d))
raw, r = np.linalg.qr(draws)
haar = raw * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
print("one sign in all draws:", len(set(np.sign(raw[:, 0, 0]))) == 1, "| with the signs put right:",
      len(set(np.sign(haar[:, 0, 0]))) == 1)  # fmt: skip
print(
    "closed form within five standard errors:",
    abs(raw[:, 0, 0].mean() - laws.unsigned_qr_mean(d)[0]) < 5 / 4000**0.5,
)

# %%
figure, axes = new_figure()
bins = np.linspace(-1, 1, 61)
axes.hist(raw[:, 0, 0], bins, color="#d55e00", alpha=0.7, label="as it comes")
axes.hist(haar[:, 0, 0], bins, histtype="step", color="#0072b2", lw=1.8, label="with the signs put right")
axes.set(xlabel="first entry of Q", ylabel=f"of {len(raw)} draws")
axes.legend()
show(figure)

# %% [markdown]
# Norms on the wrong side: `diag(s) @ Q` scales rows; where columns are the projections, these are then neither
# orthogonal nor of chi norm.

# %%
s = np.sqrt(np.random.default_rng(2).chisquare(d, (4000, d)))
gram = np.einsum("bij,bik->bjk", s[:, :, None] * haar, s[:, :, None] * haar)
print("columns orthogonal:", np.abs(gram[:, 0, 1]).max() < 1e-9)

# %% [markdown]
# Degrees of freedom: the norm of a row is that of a Gaussian vector in dimension $d$ if its square is $\chi^2_d$.
# srf-attention draws `Chi2(torch.ones(d))`, which is $d$ draws of $\chi^2_1$. The mean of $\exp(w \cdot v)$ is then
# ${}_1F_1(1/2; d/2; |v|^2/2)$ in place of $\exp(|v|^2/2)$.

# %%
from scipy.special import hyp1f1

ones = np.sqrt(np.random.default_rng(3).chisquare(1, 4000)) * haar[:, 0, 0]  # rows along e_1
print(f"closed form: {100 * (hyp1f1(0.5, d / 2, 0.5) / np.exp(0.5) - 1):.1f} %")
values = np.exp(ones) / np.exp(0.5)
print("measured within five standard errors:",
      abs(values.mean() - hyp1f1(0.5, d / 2, 0.5) / np.exp(0.5)) < 5 * values.std() / 4000**0.5)  # fmt: skip

# %% [markdown]
# Quasi-random normals: rfflearn feeds Box and Muller's formula with two points of one Sobol dimension, 101 steps apart.
# The leading digits of such a pair are equal in every draw, or they differ in every draw; which of the two depends on
# the column and the dimension alone, and scrambling does not change it. Where they differ, the angle lies in the upper
# half when the radius is large, and the second normal has the mean
# $\frac{2}{\pi}\bigl(\int_{1/2}^1-\int_0^{1/2}\bigr)\sqrt{-2\ln u}\,du$ in place of 0; the opposite one where they
# are equal.

# %%
from flint import arb
from scipy.stats import qmc


def pairs(seed, dimension=2, columns=64):
    engine = qmc.Sobol(d, scramble=True, seed=seed)
    engine.fast_forward(1000)
    points = []
    for _ in range(columns):
        points.append(engine.random(1)[0, dimension])
        engine.fast_forward(100)
    return np.array(points).reshape(-1, 2)


one, two = np.moveaxis([pairs(seed) for seed in range(400)], -1, 0)
share = ((one < 0.5) == (two < 0.5)).mean(axis=0)  # of draws with equal leading digits, by pair of columns
print("pairs of columns whose leading digits always differ:", np.sum(share == 0),
      "| always agree:", np.sum(share == 1), "| neither:", np.sum((share > 0) & (share < 1)))  # fmt: skip
second = (np.sqrt(-2 * np.log(one)) * np.sin(2 * np.pi * two)).mean(axis=0)
upper = arb(2).sqrt() * arb(2).log().gamma_lower(arb(3) / 2)  # the integral from 1/2 to 1
mean = 2 / arb.pi() * (2 * upper - (arb.pi() / 2).sqrt())
print("mean of the second normal where they differ:", mean.str(12, radius=False))
near = np.abs(second - float(mean) * np.where(share == 1, -1, 1)) < 5 / 400**0.5
print("measured within five standard errors, every pair:", bool(near.all()))

# %% [markdown]
# ## scikit-learn, again

# %%
from sklearn.kernel_approximation import RBFSampler

report = check(RBFSampler(gamma=0.5, n_components=64), d=d)
print(
    "defects found in RBFSampler:",
    [found.name for found in report.diagnoses],
    "| refuted:",
    report.exit_code == 1,
)

# %% [markdown]
# ## A defect that has to be found
#
# The same check, on the raw QR factorisation of above.


# %%
def weights(m, d, seed):
    generator = np.random.default_rng(seed)
    blocks = [np.linalg.qr(generator.standard_normal((d, d)))[0] for _ in range(m // d)]
    return np.sqrt(generator.chisquare(d, (m, 1))) * np.concatenate(blocks)


print(check(weights, coupling="orthogonal", d=d, intervals=False).headline)
