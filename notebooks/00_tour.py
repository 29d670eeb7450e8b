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
# # Five minutes with rftheory
#
# Random features replace a kernel by an inner product of random vectors. The literature says a great deal about how
# well that works: closed forms of variances, orderings of samplers, tail bounds. This toolkit is a referee of such
# statements. The tour does five things, each in a few lines:
#
# 1. **evaluate** a formula, every printed digit proved;
# 2. **derive** it again, step by step;
# 3. **verify** one claim of one paper, and see it fail;
# 4. **check** a sampler that is not ours;
# 5. **choose** a mechanism for given data, from exact errors and not from a simulation.
#
# Each has a command line of the same name; the last cell lists them.

# %%
import numpy as np
from _helpers import exact, judge, make_bench, steps, value

from rftheory.check import check
from rftheory.exact import find_formula
from rftheory.papers import CATALOGUE

# %% tags=["parameters"]
EFFORT = 1.0  # factor on the number of draws
BACKEND = "numpy"  # "cupy" samples on a GPU
SECONDS = 120  # the checker stops here at the latest; usually when every test is decided

# %% [markdown]
# ## 1. Evaluate
#
# The mean squared error of random features depends on how their projections are coupled. For *simplex random features*
# (SimRF) the paper has a double series, $\rho_{\mathrm{SimRF}}(v)$. Fifty digits, all proved: the value is enclosed in
# an interval that is narrower than the last digit.

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
# ## 2. Derive
#
# A derivation is a list of steps, and each is checked again when it is replayed: by computer algebra where that proves
# it, by known lemmas that have derivations of their own, and all of them against enclosures at sample points. Steps
# that are printed in the paper and wrong are refuted at one of these points. So it goes with Corollary 4.4 of *Simplex
# Random Features*, the orthogonality gap:

# %%
steps("simplex.cor4.4")

# %% [markdown]
# ## 3. Verify
#
# The catalogue holds every statement of four sources as printed, each with the evidence that judges it, and the
# verdict that it gets: *holds*, *fails* or *undecided*. Evidence comes in three kinds (derived, certified by
# enclosures, sampled), and each piece carries an error planted on purpose. Evidence that does not refute its planted
# error counts for nothing.

# %%
bench = make_bench(EFFORT, BACKEND)
print("sources:", ", ".join(CATALOGUE.papers))

# %% [markdown]
# Equation (25) is one of those that fail: a factor $2^k$ was lost, and with it the sign of the whole gap. The
# correction is a claim of its own, which holds.

# %%
judge("simplex.cor4.4", bench, why=True)
judge("simplex.cor4.4.corrected", bench)

# %% [markdown]
# ## 4. Check a sampler
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
# probability of a false alarm of the whole run is at most $10^{-6}$, no matter when it stops. A notebook of its own
# says what this missing line does, and to whom.
#
# ## 5. Choose a mechanism
#
# Which features should estimate the kernel between $\mathbf x$ and $\mathbf y$? With $\lVert\mathbf x\rVert=
# \lVert\mathbf y\rVert=1$, $d=64$ and room for 128 features, that depends on the angle. All numbers are exact values of
# $\sqrt{\mathrm{MSE}}/K$; no draw is made. Fourier features spend two numbers (sine and cosine) on a projection, so
# they have 64 of them.

# %%
DIMENSION, FEATURES = 64, 128
PAIRS = {
    "similar": ("24/13", "10/13"),
    "nearly at a right angle": ("42/29", "40/29"),
    "opposed": ("10/13", "24/13"),
}


def errors(v: str, z: str) -> dict[str, float]:
    """Relative error of each mechanism at |x + y| = v, |x - y| = z."""
    fourier = {"z": z, "m": FEATURES // 2}
    positive = {"m": FEATURES, "v": v, "x": 1, "y": 1}
    squares = {
        "Fourier, independent": exact("trig_mse_iid", **fourier),
        "Fourier, orthogonal": exact("trig_mse_orf", d=DIMENSION, **fourier),
        "positive, independent": exact("prf_mse_iid", **positive),
        "positive, orthogonal": exact("prf_mse_orf", d=DIMENSION, **positive),
        "positive, simplex": exact("prf_mse_simrf", d=DIMENSION, **positive),
        "optimal positive, orthogonal": exact("oprf_orf_variance", d=DIMENSION, v=v, z=z, m=FEATURES),
    }
    kernel = exact("gaussian_kernel", z=z)
    return {name: square**0.5 / kernel for name, square in squares.items()}


for kind, (v, z) in PAIRS.items():
    found = errors(v, z)
    best = min(found, key=found.get)
    print(f"{kind} (|x + y| = {v}, |x - y| = {z}): take {best}")
    for name, error in found.items():
        print(f"    {name:30s} {100 * error:7.3f} %")

# %% [markdown]
# Fourier features are best for similar vectors, where their variance vanishes, and poor for opposed ones. Positive
# features are the other way round, and their simplex coupling gains most where they are good already. Note that
# *optimal* positive features are optimal among independent ones of their family: simplex projections of plain positive
# features lose to them for similar vectors and overtake them at right angles and beyond.
#
# ## From the command line
#
# ```
# rftheory eval simrf_conformity d=64 v=10 --digits 50
# rftheory derive simplex.cor4.4
# rftheory verify --claim simplex.cor4.4 --explain
# rftheory check my_module:weights --as orthogonal
# rftheory errata
# ```
#
# Next: `10_what_the_papers_got_wrong` for everything that fails, `12_one_line_of_qr` for the defect found above, and
# the other notebooks for what the papers prove, part by part.
