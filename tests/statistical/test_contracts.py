"""Every coupling with every feature map: mean and variance against exact laws by the judge, planted errors refuted.

For one term of an estimate, a sum of a exp(alpha |w|^2 + b w . v) with complex a, alpha, b, the second moments
of a pair of projections at a fixed angle come from

    E exp(b_1 r_1 u_1 . v + b_2 r_2 u_2 . v) = 0F1(; d/2; |v|^2 (b_1^2 r_1^2 + b_2^2 r_2^2 + 2 c b_1 b_2 r_1 r_2) / 4)

and quadrature over the two norms, for all maps alike. Where the exact layer has the variance
(positive, trigonometric, GERF) the two agree to 1e-10 before either is believed.
"""

from __future__ import annotations

import cmath
import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

import array_api_strict
import numpy as np
import pytest
from scipy import special

from rftheory.engine import Moments, run
from rftheory.exact import find_formula
from rftheory.judge import Budget, Outcome, z_test
from rftheory.sample import COUPLINGS, ComplexExponential, Gerf, Mechanism, Stream, feature_map, oprf, to_host
from rftheory.sample.parameters import oprf_parameter
from rftheory.sample.projections import Block, Geometric, multiplied
from rftheory.sample.shapes import simplex_matrix
from rftheory.sample.simplex_plus import SimplexPlus, simplex_plus_directions

BUDGET = Budget(1e-9)
D = 4
X, Y = np.array([0.5, -0.2, 0.1, 0.3]), np.array([-0.2, 0.3, -0.4, 0.1])
K = math.exp(-float((X - Y) @ (X - Y)) / 2)
SQUARE = np.array([[1.0, 0.2, 0.0, 0.0], [0.0, 0.8, 0.3, 0.0], [-0.1, 0.0, 1.2, 0.1], [0.0, 0.4, 0.0, 0.9]])
COMPLEX = SQUARE + 0.3j * SQUARE.T
BLOCKS = 32_768
TOLERANCE = 0.15
"""Relative error of a variance that has to be seen."""


# ---- exact laws


@dataclass(frozen=True)
class Term:
    """a exp(alpha |w|^2 + b w . v), v real or complex with b = 1."""

    a: complex
    alpha: complex
    b: complex
    v: np.ndarray


def positive() -> list[Term]:
    return [Term(math.exp(-float(X @ X + Y @ Y)), 0, 1, X + Y)]


def hyperbolic() -> list[Term]:
    scale = math.exp(-float(X @ X + Y @ Y)) / 2
    return [Term(scale, 0, 1, X + Y), Term(scale, 0, -1, X + Y)]


def gerf(a: complex, s: int) -> list[Term]:
    """Chefs' random tables, Theorem 3.1."""
    b = cmath.sqrt(s * (1 - 4 * a))
    scale = (1 - 4 * a) ** (D / 2) * math.exp(-(s + 1) / 2 * float(X @ X + Y @ Y))
    return [Term(scale, 2 * a, b, X + s * Y)]


def exponential(matrix: np.ndarray) -> list[Term]:
    left, right = matrix @ X, np.linalg.inv(matrix).T @ Y
    scale = cmath.exp(-complex(left @ left + right @ right) / 2 - float(X @ X + Y @ Y) / 2)
    return [Term(scale, 0, 1, left + right)]


FOURIER = [Term(1, 0, 1j, X - Y)]
MAPS = {
    "positive": (feature_map("positive"), positive()),
    "hyperbolic": (feature_map("hyperbolic"), hyperbolic()),
    "trigonometric": (feature_map("trigonometric"), FOURIER),
    "cosine": (feature_map("cosine"), FOURIER),
    "gerf": (Gerf(-0.1), gerf(-0.1, 1)),
    "gerf, s = -1": (Gerf(-0.15, -1), gerf(-0.15, -1)),
    "gerf, complex": (Gerf(0.01 + 0.05j), gerf(0.01 + 0.05j, 1)),
    "oprf": (oprf(0.6, D), gerf(oprf_parameter(0.6, D), 1)),
    "real exponential": (ComplexExponential(SQUARE), exponential(SQUARE)),
    "complex exponential": (ComplexExponential(COMPLEX), exponential(COMPLEX)),
}
PROJECTIONS = dict.fromkeys(MAPS, 32) | {"positive": 64, "real exponential": 64, "hyperbolic": 128}
"""Many enough for a variance whose own error is known: the longer the tails of a term, the more of them."""

COSINES = {"iid": None, "orthogonal": 0.0, "simplex": -1 / (D - 1)}


def bessel(z: np.ndarray) -> np.ndarray:
    """0F1(; D/2; z) for small complex z, by its series."""
    total, term = np.ones_like(z), np.ones_like(z)
    for k in range(1, 80):
        term = term * z / (k * (D / 2 + k - 1))
        total = total + term
    return total


@lru_cache
def squared_norms() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights for the law of |w|^2, by Gauss-Legendre in |w|, in which all integrands are entire."""
    nodes, weights = special.roots_legendre(80)
    r = 6.0 * (nodes + 1)
    density = weights * r ** (D - 1) * np.exp(-r * r / 2)
    return r * r, density / density.sum()


def mean(term: Term) -> complex:
    spread = 1 - 2 * term.alpha
    return term.a * spread ** (-D / 2) * cmath.exp(term.b**2 * (term.v @ term.v) / (2 * spread))


def times(first: Term, second: Term) -> Term:
    return Term(
        first.a * second.a,
        first.alpha + second.alpha,
        1,
        first.b * first.v + second.b * second.v,
    )


def conjugate(term: Term) -> Term:
    return Term(*(complex(value).conjugate() for value in (term.a, term.alpha, term.b)), term.v.conj())


def pair(first: Term, second: Term, cosine) -> complex:
    """E of a product of terms of two projections at this angle; their v are the same."""
    (r, p) = squared_norms()
    return complex(p @ conditional(first, second, r[:, None], r[None, :], cosine) @ p)


def conditional(first: Term, second: Term, r1, r2, cosine) -> np.ndarray:
    """The same for given squared norms: the average over a rotation of both."""
    assert (first.v == second.v).all()
    square = first.b**2 * r1 + second.b**2 * r2 + 2 * cosine * first.b * second.b * np.sqrt(r1 * r2)
    values = np.exp(first.alpha * r1 + second.alpha * r2) * bessel((first.v @ first.v) * square / 4 + 0j)
    return first.a * second.a * values


def real_part(product, terms: list[Term]):
    """E Re(S) Re(S') = Re(E S S' + E S conj(S')) / 2, summed over the terms of S and S'."""
    return sum(
        (product(s, t) + product(s, conjugate(t))).real / 2 for s, t in itertools.product(terms, repeat=2)
    )


def single_variance(name: str) -> float:
    if name == "cosine":  # Sutherland and Schneider 2015
        return 1 + K**4 / 2 - K**2
    return real_part(lambda s, t: mean(times(s, t)), MAPS[name][1]) - K**2


def variance(name: str, coupling: str) -> float:
    """Variance of the estimate in blocks of D projections."""
    m, terms, cosine = PROJECTIONS[name], MAPS[name][1], COSINES[coupling]
    covariance = 0.0 if cosine is None else real_part(lambda s, t: pair(s, t, cosine), terms) - K**2
    return (single_variance(name) + (D - 1) * covariance) / m


EXACT = [
    (name, coupling)
    for name in MAPS
    for coupling in COSINES
    if not (name == "complex exponential" and coupling != "iid")  # its conjugates see two vectors
]


@pytest.mark.parametrize("name", MAPS)
def test_terms_are_unbiased(name):
    assert abs(sum(mean(term) for term in MAPS[name][1]).real - K) < 1e-14


def exact_layer(name: str, coupling: str) -> float:
    v, z, x, y = (repr(float(np.linalg.norm(u))) for u in (X + Y, X - Y, X, Y))
    end = {"iid": "iid", "orthogonal": "orf", "simplex": "simrf"}[coupling]
    sizes = {"m": PROJECTIONS[name]} | ({} if coupling == "iid" else {"d": D})
    if name == "positive":
        return float(find_formula(f"prf_mse_{end}").enclose(15, **sizes, v=v, x=x, y=y))
    if name == "trigonometric":
        return float(find_formula(f"trig_mse_{end}").enclose(15, **sizes, z=z))
    a, s = {"gerf": ("-1/10", 1), "gerf, s = -1": ("-3/20", -1)}[name]
    if coupling == "iid":
        return float(find_formula("gerf_variance").enclose(15, d=D, A=a, s=s, v=v, z=z)) / PROJECTIONS[name]
    return float(find_formula(f"gerf_{end}_variance").enclose(15, **sizes, A=a, s=s, v=v, z=z))


@pytest.mark.parametrize("coupling", COSINES)
@pytest.mark.parametrize("name", ["positive", "trigonometric", "gerf", "gerf, s = -1"])
def test_the_quadrature_gives_the_exact_layers_variances(name, coupling):
    assert abs(variance(name, coupling) / exact_layer(name, coupling) - 1) < 1e-10


# ---- samplers against the laws


def sampled(name: str, coupling, via: str = "frame", centre: float = K, blocks: int = BLOCKS) -> Moments:
    """Moments of the error of an estimate and of its square."""
    mechanism = Mechanism(MAPS[name][0], coupling, PROJECTIONS[name])
    stream = Stream.named("contracts", kind="native")

    def statistic(blocks: range) -> np.ndarray:
        error = mechanism.estimate(stream, blocks, X, Y, via=via) - centre
        return np.stack((error, error**2), axis=1)

    return run(statistic, blocks, leaf=2**12)


def judged(
    moments: Moments, column: int, claimed: float, variance_of_one: float, tolerance: float
) -> Outcome:
    return z_test(
        float(moments.mean[column]),
        moments.n,
        claimed,
        variance_of_one,
        BUDGET,
        skewness=float(moments.skewness[column]),
        kurtosis=float(moments.kurtosis[column]),
        tolerance=tolerance,
    ).decision


def verdicts(moments: Moments, exact: float) -> tuple[Outcome, Outcome]:
    """Of the mean, with the exact variance, and of the variance."""
    return (
        judged(moments, 0, 0.0, exact, 0.03),
        judged(moments, 1, exact, float(moments.variance[1]), TOLERANCE),
    )


@pytest.mark.parametrize(("name", "coupling"), EXACT)
def test_means_and_variances(name, coupling):
    exact, moments = variance(name, coupling), sampled(name, coupling)
    assert verdicts(moments, exact) == (Outcome.AGREES, Outcome.AGREES)
    # Planted: a bias of 3 % of the kernel, and a variance that is off by the tolerance.
    assert judged(moments, 0, 0.03 * K, exact, 0.05) is Outcome.REFUTED
    assert judged(moments, 1, (1 + TOLERANCE) * exact, float(moments.variance[1]), 0.2) is Outcome.REFUTED


# ---- couplings whose directions depend on the norms, or whose norms are fixed


def simplex_plus_covariances(name: str, sets: int) -> np.ndarray:
    """Covariances of the projections of simplex+, given the norms: only the rotation is averaged.

    The product of the means given the norms has the mean K^2, as the norms are independent: it is subtracted in
    place of K^2 and takes most of the spread with it.
    """
    norms = np.sqrt(np.random.default_rng(1).chisquare(D, (sets, D)))
    directions = simplex_plus_directions(norms).directions
    first, second = np.triu_indices(D, 1)
    cosine = (directions @ np.swapaxes(directions, -1, -2))[:, first, second]
    r, terms = norms**2, MAPS[name][1]
    products = real_part(lambda s, t: conditional(s, t, r[:, first], r[:, second], cosine), terms)
    means = sum((t.a * np.exp(t.alpha * r) * bessel(t.b**2 * (t.v @ t.v) * r / 4 + 0j)).real for t in terms)
    return (products - means[:, first] * means[:, second]).mean(-1)


@pytest.mark.parametrize("name", ["trigonometric", "oprf"])
def test_variances_of_simplex_plus(name):
    """Its covariance has no closed form; drawn norms stand in for it, with an error that counts."""
    drawn = simplex_plus_covariances(name, 20_000)
    m = PROJECTIONS[name]
    exact = (single_variance(name) + (D - 1) * drawn.mean()) / m
    own_error = ((D - 1) / m) ** 2 * drawn.var() / drawn.size * BLOCKS  # in the unit of one draw's variance
    moments = sampled(name, Geometric("simplex+", shape=SimplexPlus(tolerance=1e-6)))
    spread = float(moments.variance[1]) + own_error
    assert judged(moments, 0, 0.0, exact, 0.05) is Outcome.AGREES
    assert judged(moments, 1, exact, spread, TOLERANCE) is Outcome.AGREES
    assert judged(moments, 1, (1 + TOLERANCE) * exact, spread, 0.5) is Outcome.REFUTED
    assert judged(moments, 1, variance(name, "simplex"), spread, 0.5) is Outcome.REFUTED


@pytest.mark.parametrize("coupling", ["simplex+", "hadamard-simplex+"])
@pytest.mark.parametrize("name", MAPS)
def test_simplex_plus_is_unbiased(name, coupling):
    """In four dimensions Hadamard products are not uniform, but their bias is below a third of a percent."""
    # The longest tails need the most draws before the judge trusts a normal law.
    moments = sampled(name, coupling, blocks=12_288 if name == "gerf, complex" else 2048)
    assert judged(moments, 0, 0.0, float(moments.variance[0]), 0.05) is Outcome.AGREES
    assert judged(moments, 0, 0.05 * K, float(moments.variance[0]), 0.05) is Outcome.REFUTED


def fixed_mean(name: str) -> float:
    """Mean of a term whose projection has the norm sqrt(D)."""
    return sum(
        (t.a * np.exp(t.alpha * D) * bessel(t.b**2 * (t.v @ t.v) * D / 4 + 0j)).real for t in MAPS[name][1]
    )


@pytest.mark.parametrize("name", MAPS)
def test_fixed_norms_have_their_own_mean(name):
    """It is not the kernel itself: fixed norms are biased."""
    moments = sampled(name, "orthogonal-fixed", centre=fixed_mean(name), blocks=8192)
    assert judged(moments, 0, 0.0, float(moments.variance[0]), 0.03) is Outcome.AGREES
    assert judged(moments, 0, 0.03 * K, float(moments.variance[0]), 0.05) is Outcome.REFUTED


def hadamard_mean(name: str, simplex: bool) -> float:
    """Mean of a block of H D H D H D over all signs, by enumeration."""
    h = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=D)))
    rotation = np.eye(D)[None]
    for _ in range(3):
        rotation = np.einsum("ij,sj,njk->nsik", h, signs, rotation).reshape(-1, D, D)
    rows = simplex_matrix(D) @ rotation if simplex else rotation
    r, p = squared_norms()
    total = 0.0
    for t in MAPS[name][1]:
        values = np.unique((rows @ t.v).round(14), return_counts=True)
        grown = np.exp(t.alpha * r[:, None] + t.b * np.sqrt(r)[:, None] * values[0])
        total += (t.a * (p @ grown @ values[1])).real / values[1].sum()
    return total


@pytest.mark.parametrize("shape", ["orthogonal", "simplex"])
@pytest.mark.parametrize("name", MAPS)
def test_hadamard_products_have_the_mean_of_their_signs(name, shape):
    exact = hadamard_mean(name, shape == "simplex")
    moments = sampled(name, f"hadamard-{shape}", centre=exact, blocks=8192)
    assert judged(moments, 0, 0.0, float(moments.variance[0]), 0.03) is Outcome.AGREES
    assert judged(moments, 0, 0.03 * K, float(moments.variance[0]), 0.05) is Outcome.REFUTED


@pytest.mark.parametrize("coupling", ["halton", "sobol"])
@pytest.mark.parametrize("name", MAPS)
def test_quasi_random_points_are_unbiased(name, coupling):
    moments = sampled(name, coupling, blocks=8192)
    assert judged(moments, 0, 0.0, float(moments.variance[0]), 0.03) is Outcome.AGREES
    assert judged(moments, 0, 0.03 * K, float(moments.variance[0]), 0.05) is Outcome.REFUTED


@pytest.mark.parametrize("coupling", ["halton", "sobol"])
def test_quasi_random_points_do_not_have_the_variance_of_independent_ones(coupling):
    moments = sampled("trigonometric", coupling)
    exact = variance("trigonometric", "iid")
    assert moments.mean[1] < exact
    assert judged(moments, 1, exact, float(moments.variance[1]), 1.0) is Outcome.REFUTED


# ---- planted errors in the sampler


@dataclass(frozen=True)
class Planted:
    """A coupling whose blocks are spoiled."""

    name: str
    spoil: object
    min_dim: int = 2

    def draw(self, stream, blocks, d, m, xp=np, dtype=None) -> Block:
        block = COUPLINGS["simplex" if "simplex" in self.name else "orthogonal"].draw(stream, blocks, d, m)
        return self.spoil(block, stream, blocks)

    def onto(self, stream, blocks, vectors, m):
        return multiplied(self.draw(stream, blocks, vectors.shape[1], m), vectors, np)


def shared_norms(block: Block, stream, blocks) -> Block:
    """The norms of the first block in every block of the stack."""
    copies = block.norms.shape[1] // D
    return Block(block.directions, np.tile(block.norms[:, :D], (1, copies)))


def one_norm(block: Block, stream, blocks) -> Block:
    return Block(block.directions, np.broadcast_to(block.norms[:, :1], block.norms.shape))


def fewer_degrees(block: Block, stream, blocks) -> Block:
    return Block(block.directions, stream.chis(blocks, block.norms.shape[1], D - 1, 9))


def one_rotation(block: Block, stream, blocks) -> Block:
    """The rotation of the first block in every block of the stack."""
    copies = block.norms.shape[1] // D
    return Block(np.tile(block.directions[:, :D], (1, copies, 1)), block.norms)


def shape_on_the_columns(block: Block, stream, blocks) -> Block:
    """R S for S R."""
    shape = simplex_matrix(D)
    return Block((block.directions.reshape(-1, D, D) @ shape).reshape(block.directions.shape), block.norms)


def norms_on_the_columns(block: Block, stream, blocks) -> Block:
    copies = block.norms.shape[1] // D
    norms = block.norms.reshape(-1, copies, 1, D)
    rows = (block.directions.reshape(-1, copies, D, D) * norms).reshape(block.directions.shape)
    length = np.linalg.norm(rows, axis=-1)
    return Block(rows / length[..., None], length)


PLANTED = {
    "orthogonal, norms shared across blocks": ("trigonometric", shared_norms),
    "orthogonal, one norm for all rows": ("trigonometric", one_norm),
    "orthogonal, chi of d - 1 degrees": ("positive", fewer_degrees),
    "orthogonal, one rotation for all blocks": ("trigonometric", one_rotation),
    "orthogonal, shape on the columns": ("positive", shape_on_the_columns),
    "orthogonal, norms on the columns": ("positive", norms_on_the_columns),
    "simplex, norms shared across blocks": ("trigonometric", shared_norms),
    "simplex, one norm for all rows": ("trigonometric", one_norm),
    "simplex, chi of d - 1 degrees": ("trigonometric", fewer_degrees),
    "simplex, one rotation for all blocks": ("positive", one_rotation),
}


@pytest.mark.parametrize("which", PLANTED)
def test_planted_errors_are_refuted(which):
    name, spoil = PLANTED[which]
    coupling = "simplex" if "simplex" in which or spoil is shape_on_the_columns else "orthogonal"
    found = verdicts(sampled(name, Planted(which, spoil)), variance(name, coupling))
    assert Outcome.REFUTED in found


def test_qr_without_signs_is_refuted(monkeypatch):
    monkeypatch.setattr("rftheory.sample.rotations.orthonormal_columns", lambda g: np.linalg.qr(g)[0])
    found = verdicts(sampled("positive", "orthogonal", via="matrix"), variance("positive", "orthogonal"))
    assert Outcome.REFUTED in found


def test_an_untouched_block_passes_the_same_test():
    for which in ("orthogonal", "simplex"):
        moments = sampled("positive", Planted(which, lambda block, stream, blocks: block))
        assert verdicts(moments, variance("positive", which)) == (Outcome.AGREES, Outcome.AGREES)


# ---- what holds draw by draw, for every pair


PAIRS = list(itertools.product(MAPS, COUPLINGS))


@pytest.mark.parametrize(("name", "coupling"), PAIRS)
def test_every_pair_in_other_libraries_and_types(name, coupling):
    """array-api-strict gives the same numbers, float32 inputs the same draw; another draw is another number."""
    mechanism, stream = Mechanism(MAPS[name][0], coupling, 6), Stream.named("pairs")
    own = mechanism.estimate(stream, range(4), X, Y)
    strict = mechanism.estimate(stream, range(4), *(array_api_strict.asarray(v) for v in (X, Y)))
    assert np.array_equal(to_host(strict), own)
    single = mechanism.estimate(stream, range(4), X.astype(np.float32), Y.astype(np.float32))
    assert np.abs(single - own).max() < 1e-4
    assert np.abs(mechanism.estimate(stream, range(4, 8), X, Y) - own).max() > 1e-6
    both = np.stack((X, Y))
    alone, among = (
        mechanism.gram(stream, range(4), u, v, "gaussian", "matrix")
        for u, v in ((X[None], Y[None]), (both, both))
    )
    assert np.abs(among[:, 0, 1] - alone[:, 0, 0]).max() < 1e-12


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("name", [name for name in MAPS if MAPS[name][0].positive])
def test_every_pair_in_the_log_domain(name, coupling):
    """|x| = 40: no estimate is a float64, all logarithms are finite and those of the terms' extreme."""
    x, y = 40 * X / np.linalg.norm(X), 40 * Y / np.linalg.norm(Y)
    mechanism = Mechanism(MAPS[name][0], coupling, 8)
    log = mechanism.log_estimate(Stream.named("far"), range(30), x, y)
    assert np.isfinite(log).all()
    assert (log < -300).any()
    near = mechanism.log_estimate(Stream.named("far"), range(30), X, Y)
    assert np.abs(np.exp(near) / mechanism.estimate(Stream.named("far"), range(30), X, Y) - 1).max() < 1e-12
