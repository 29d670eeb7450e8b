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
# # Which random features should I use?
#
# You have data and want to replace a kernel by random features: for a support vector machine, a Gaussian process, or
# attention that is linear in the length of the sequence. Which features, how many, and is the code right that draws
# them? This tour goes through these questions, and then through those of somebody who writes about random features.
#
# 1. **choose**: which mechanism, and how many features, for my data?
# 2. **check**: is the sampler right that I have?
# 3. **eval**: what is the exact error, to as many digits as I want?
# 4. **verify** and **derive**: is that theorem true, and why?
#
# Each is a command of the same name; the last cell lists them. Nothing is needed but the installed package and this
# file.

# %%
import numpy as np

from rftheory.check import check
from rftheory.choose import choose
from rftheory.choose.report import figure_of
from rftheory.exact import find_formula
from rftheory.report.cells import judge, make_bench, show, steps, value

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws
BACKEND = "numpy"  # "cupy" samples on a GPU
SECONDS = 120  # the checker stops here at the latest; usually when every test is decided

# %% [markdown]
# ## 1. Which features for my data?
#
# 200 points in 8 dimensions, in four groups. The Gaussian kernel, its length scale by the median rule; room for 256
# features. `choose` compares every feature map with every way to couple its projections. The error is the root mean
# squared error over pairs of the data, relative to the kernel. It is exact where the mechanism has a law. Where it has
# none, the mechanism is drawn, its error is measured, and the table says `measured`.

# %%
generator = np.random.default_rng(7)
centres = 2 * generator.standard_normal((4, 8))
data = centres[generator.integers(4, size=200)] + 0.5 * generator.standard_normal((200, 8))

advice = choose(data, features=256)
for choice in advice.choices[:8]:
    known = "measured" if choice.standard_error else "exact"
    print(f"{choice.name:38s} {100 * choice.error:6.2f} %  {known}")
print(f"sampled again: {advice.confirmation.verdict}")

# %% [markdown]
# The same as a picture: the best coupling for each feature map, and independent projections beside it. Errors fall like
# one over the root of the number of features, so that an error three times as large costs nine times the features.

# %%
show(figure_of(advice))

# %% [markdown]
# On the command line, with the code that builds the winner:
#
# ```
# rftheory choose data.npy --features 256
# rftheory choose data.npy --error 0.01          how many features for one percent
# ```
#
# ## 2. Is my sampler right?
#
# Orthogonal features as they are often written: the Q of a Gaussian matrix times independent chi norms. One line is
# missing. LAPACK fixes the signs of Q by a convention of its own, so that Q is not uniform on the rotations.


# %%
def weights(m: int, d: int, seed: int) -> np.ndarray:
    """Orthogonal projections, as found in the wild."""
    draw = np.random.default_rng(seed)
    blocks = [np.linalg.qr(draw.standard_normal((d, d)))[0] for _ in range(-(-m // d))]
    return np.sqrt(draw.chisquare(d, (m, 1))) * np.concatenate(blocks)[:m]


def repaired(m: int, d: int, seed: int) -> np.ndarray:
    """The same with the signs of the diagonal of R."""
    draw = np.random.default_rng(seed)
    blocks = []
    for _ in range(-(-m // d)):
        q, r = np.linalg.qr(draw.standard_normal((d, d)))
        blocks.append(q * np.sign(np.diag(r)))
    return np.sqrt(draw.chisquare(d, (m, 1))) * np.concatenate(blocks)[:m]


for sampler in (weights, repaired):
    report = check(sampler, coupling="orthogonal", d=8, seconds=SECONDS, intervals=False)
    print(f"{sampler.__name__}: {report.headline}")

# %% [markdown]
# The checker knows nothing of the code. It draws from it, in batches that grow until every test is decided, and the
# probability of a false alarm of the whole run is at most $10^{-6}$, whenever it stops. `12_one_line_of_qr` says
# what this missing line does, and to whom.
#
# ## 3. What is the exact error?
#
# The mean squared error depends on how the projections are coupled. For *simplex random features* (SimRF) the paper
# has a double series, $\rho_{\mathrm{SimRF}}(v)$. Fifty digits, all proved: the value is enclosed in an interval that
# is narrower than the last digit.

# %%
value("simrf_conformity", digits=50, d=64, v=10)

# %% [markdown]
# A formula has several *routes*: the series as printed, a quadrature, a recurrence. They share no code, and their
# enclosures must overlap. Where two of them are disjoint, one is wrong, and the call raises an error.

# %%
routes = find_formula("simrf_conformity").agree(40, d=64, v=1)
print(f"{len(routes)} routes agree on {next(iter(routes.values()))}:")
for route in routes:
    print(f"    {route}")

# %% [markdown]
# ## 4. Is that theorem true?
#
# The catalogue holds every statement of four sources as printed, each with the evidence that judges it, and the
# verdict that it gets: *holds*, *fails* or *undecided*. Evidence is derived, certified by enclosures, or sampled, and
# each piece carries an error planted on purpose. Evidence that does not refute its planted error counts for nothing.
#
# Equation (25) of *Simplex Random Features* is one of those that fail: a factor $2^k$ was lost, and with it the sign of
# the whole gap. The correction is a claim of its own, which holds.

# %%
bench = make_bench(EFFORT, BACKEND)
judge("simplex.cor4.4", bench, why=True)
judge("simplex.cor4.4.corrected", bench)

# %% [markdown]
# A derivation is a list of steps, and each is checked again when it is replayed: by computer algebra where that proves
# it, by lemmas with derivations of their own, and all of them against enclosures at sample points. Steps that are
# printed in the paper and wrong are refuted at one of these points.

# %%
steps("simplex.cor4.4")

# %% [markdown]
# ## From the command line
#
# ```
# rftheory choose data.npy --features 256
# rftheory check my_module:weights --as orthogonal
# rftheory eval simrf_conformity d=64 v=10 --digits 50
# rftheory verify --claim simplex.cor4.4 --explain
# rftheory derive simplex.cor4.4
# rftheory errata
# ```
#
# Next: `10_what_the_papers_got_wrong` for everything that fails, `12_one_line_of_qr` for the defect found above, and
# the other notebooks for what the papers prove, part by part.
