"""Feature maps beyond the two basic ones: unbiased with exact variances, and planted errors refuted."""

from __future__ import annotations

import cmath
import math

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.interop.drawn import draw
from rftheory.sample.arrays import to_host
from rftheory.sample.attention import DrawnFeatures
from rftheory.sample.discrete import DiscreteMechanism, GeometricCounts, Poisson, shift_below
from rftheory.sample.exponential import COSINE, HYPERBOLIC, ComplexExponential, CosineWithPhase, Gerf, oprf
from rftheory.sample.features import POSITIVE, TRIGONOMETRIC, Marks
from rftheory.sample.maps import feature_map
from rftheory.sample.mechanisms import Mechanism
from rftheory.sample.parameters import (
    averages,
    geometric_parameter,
    gerf_parameters,
    oprf_parameter,
    poisson_rate,
)
from rftheory.sample.stream import Stream
from tests.sample.laws import ALPHA, gaussian_kernel, p_of_mean, softmax_kernel

X = np.array([0.30, -0.10, 0.05, 0.20])
Y = np.array([0.10, 0.25, -0.15, 0.20])
K, SM = gaussian_kernel(X, Y), softmax_kernel(X, Y)
BLOCKS, M, D = range(40000), 4, 4
SQUARE = np.array([[1.0, 0.2, 0.0, 0.0], [0.0, 0.8, 0.3, 0.0], [-0.1, 0.0, 1.2, 0.1], [0.0, 0.4, 0.0, 0.9]])
COMPLEX = SQUARE + 0.5j * SQUARE.T


# ------------------------------------------- variances of one projection, from the papers


def hyperbolic_variance() -> float:
    """Hybrid random features, Lemma 2.2 with m = 1, for the Gaussian kernel."""
    z = float((X + Y) @ (X + Y))
    return K**2 * math.exp(z) * (1 - math.exp(-z)) ** 2 / 2


def gerf_variance(a: complex, s: int) -> float:
    """Chefs' random tables, Theorem 3.2, eq. (6)."""
    z = float((X + s * Y) @ (X + s * Y))
    spread = 1 - 8 * a.real
    first = cmath.sqrt(1 + 16 * a * a / (1 - 8 * a)) ** D * cmath.exp((s + s / (1 - 8 * a)) * z)
    second = (1 + 16 * abs(a) ** 2 / spread) ** (D / 2)
    second *= math.exp((s / 2 + (s + 2 * abs(1 - 4 * a)) / (2 * spread)) * z)
    return 0.5 * math.exp(-(s + 1) * float(X @ X + Y @ Y)) * (first.real + second) - K**2


def exponential_variance(matrix: np.ndarray, imaginary: bool = False) -> float:
    """E (Re S)^2 = (E |S|^2 + Re E S^2) / 2 for S = exp(w . z - c), both by the Gaussian integral."""
    left, right = matrix @ X, np.linalg.inv(matrix).T @ Y
    c = (left @ left + right @ right) / 2
    z = left + right
    square = cmath.exp(2 * (z @ z) - 2 * c).real
    size = math.exp(2 * float(z.real @ z.real) - 2 * complex(c).real)
    scale = math.exp(-float(X @ X + Y @ Y))
    return scale * ((size - square) / 2 if imaginary else (size + square) / 2 - SM**2)


def cosine_variance() -> float:
    """Sutherland and Schneider 2015: 1 + k(2 delta)/2 - k(delta)^2, k(2 delta) = K^4."""
    return 1 + K**4 / 2 - K**2


CASES = {
    "positive": (POSITIVE, math.exp(4 * float(X @ Y)) - K**2),
    "trigonometric": (TRIGONOMETRIC, (1 - K**2) ** 2 / 2),
    "hyperbolic": (HYPERBOLIC, hyperbolic_variance()),
    "cosine": (COSINE, cosine_variance()),
    "gerf": (Gerf(-0.1), gerf_variance(-0.1 + 0j, 1)),
    "gerf, s = -1": (Gerf(-0.15, -1), gerf_variance(-0.15 + 0j, -1)),
    "gerf, complex": (Gerf(0.02 + 0.1j), gerf_variance(0.02 + 0.1j, 1)),
    "gerf, complex, s = -1": (Gerf(-0.02 + 0.05j, -1), gerf_variance(-0.02 + 0.05j, -1)),
    "oprf": (oprf(0.6, 4), gerf_variance(complex(oprf_parameter(0.6, 4)), 1)),
    "real exponential": (ComplexExponential(SQUARE), exponential_variance(SQUARE)),
    "complex exponential": (ComplexExponential(COMPLEX), exponential_variance(COMPLEX)),
}


@pytest.mark.parametrize(("phi", "variance"), CASES.values(), ids=CASES)
def test_maps_are_unbiased(phi, variance):
    estimates = Mechanism(phi, "iid", M).estimate(Stream.named("maps"), BLOCKS, X, Y)
    assert p_of_mean(estimates, K, variance / M) > ALPHA


@pytest.mark.parametrize(("phi", "variance"), CASES.values(), ids=CASES)
def test_variances_are_those_of_the_papers(phi, variance):
    """The sample variance of m = 1 estimates; its own variance comes from a second, larger sample."""
    one = Mechanism(phi, "iid", 1)
    squares = (one.estimate(Stream.named("variance"), BLOCKS, X, Y) - K) ** 2
    spread = np.var((one.estimate(Stream.named("spread"), range(80000), X, Y) - K) ** 2)
    assert p_of_mean(squares, variance, spread) > ALPHA
    assert p_of_mean(squares, 1.5 * variance, spread) < ALPHA


@pytest.mark.parametrize("coupling", ["orthogonal", "simplex", "simplex+", "sobol"])
@pytest.mark.parametrize(("phi", "variance"), CASES.values(), ids=CASES)
def test_any_map_with_any_coupling_is_unbiased(phi, variance, coupling):
    """The variance of a mean of m terms of one law is at most that of one term, whatever the coupling."""
    blocks = range(4000)
    estimates = Mechanism(phi, coupling, 6).estimate(Stream.named("product"), blocks, X, Y, "softmax")
    scale = math.exp(float(X @ X + Y @ Y))
    assert p_of_mean(estimates, SM, scale * variance) > ALPHA


def test_the_imaginary_part_has_mean_zero():
    phi = ComplexExponential(COMPLEX, part="imaginary")
    estimates = Mechanism(phi, "iid", M).estimate(Stream.named("maps"), BLOCKS, X, Y)
    assert p_of_mean(estimates, 0.0, exponential_variance(COMPLEX, imaginary=True) / M) > ALPHA


def test_real_and_imaginary_part_belong_to_the_same_draw():
    """At m = 1 the modulus of the complex estimate is exp(w . Re z - Re c): its logarithm is normal."""
    parts = [
        Mechanism(ComplexExponential(COMPLEX, part=part), "iid", 1).estimate(Stream(3), range(4000), X, Y)
        for part in ("real", "imaginary")
    ]
    z = COMPLEX @ X + np.linalg.inv(COMPLEX).T @ Y
    log = np.log(np.hypot(*parts))
    assert stats.kstest((log - log.mean()) / np.linalg.norm(z.real), stats.norm.cdf).pvalue > ALPHA


# ----------------------------------------------------------------------------- planted errors


class ShiftedExponent(Gerf):
    """D with d + 1 for d."""

    def _own(self, marks):
        return super()._own(marks._replace(dim=marks.dim + 1))


class NoPhases(CosineWithPhase):
    """All phases 0. Phases in (0, pi/2) would leave the mean as it is: w . (x + y) is symmetric."""

    def components(self, projected, squares, kernel, side, marks):
        return super().components(projected, squares, kernel, side, marks._replace(phases=0.0 * marks.phases))


def not_transposed() -> ComplexExponential:
    """A^-1 in place of A^-T on the right side."""
    wrong = ComplexExponential(SQUARE)
    object.__setattr__(wrong, "inverse", np.linalg.inv(SQUARE))
    return wrong


WRONG = {
    "exponent of D": (ShiftedExponent(-0.1), gerf_variance(-0.1 + 0j, 1)),
    "phases": (NoPhases(), cosine_variance()),
    "transpose": (not_transposed(), exponential_variance(SQUARE)),
}


@pytest.mark.parametrize(("phi", "variance"), WRONG.values(), ids=WRONG)
def test_planted_errors_are_refuted(phi, variance):
    estimates = Mechanism(phi, "iid", M).estimate(Stream.named("maps"), BLOCKS, X, Y)
    assert p_of_mean(estimates, K, variance / M) < ALPHA


# -------------------------------------------------------------------------- special cases


def equal_draws(first, second, coupling="simplex") -> bool:
    drawn = [Mechanism(phi, coupling, 5).estimate(Stream(8), range(20), X, Y) for phi in (first, second)]
    return bool(np.allclose(*drawn, rtol=1e-12, atol=1e-14))


def test_special_cases_are_equal_draw_by_draw():
    """Chefs' tables after eq. (4): GERF at A = 0; Hybrid features after eq. (16): A = I."""
    assert equal_draws(Gerf(0.0), POSITIVE)
    assert equal_draws(Gerf(0.0, -1), TRIGONOMETRIC)
    assert equal_draws(ComplexExponential(np.eye(4)), POSITIVE)
    assert not equal_draws(Gerf(-0.01), POSITIVE)


def test_complex_exponential_at_i_is_fourier():
    """A = i I: same features of the same projections."""
    phi = ComplexExponential(1j * np.eye(4))
    ours = Mechanism(phi, "simplex", 5).gram(Stream(8), range(20), X[None], Y[None])
    fourier = Mechanism(TRIGONOMETRIC, "simplex", 5).gram(Stream(8), range(20), X[None], Y[None])
    assert ours.shape == fourier.shape
    # i I and -i I project (0, x) and (0, -y); the frames differ, the law does not.
    assert stats.ks_2samp(ours.ravel(), fourier.ravel()).pvalue > ALPHA


def test_variance_vanishes_where_it_should():
    """x = -A^-1 A^-T y (Hybrid features, eq. 17) and x = -y for the positive map."""
    x = -np.linalg.inv(SQUARE) @ np.linalg.inv(SQUARE).T @ Y
    estimates = Mechanism(ComplexExponential(SQUARE), "iid", 2).estimate(
        Stream(1), range(50), x, Y, "softmax"
    )
    assert np.abs(estimates / softmax_kernel(x, Y) - 1).max() < 1e-12
    estimates = Mechanism(POSITIVE, "iid", 2).estimate(Stream(1), range(50), -Y, Y, "softmax")
    assert np.abs(estimates / softmax_kernel(-Y, Y) - 1).max() < 1e-12


def test_oprf_features_are_bounded():
    """Theorem 3.3: A < 0, so a feature is at most D exp(-B^2 |x|^2 / (4 A) - |x|^2)."""
    phi = oprf(1.0, 4)
    left, _ = Mechanism(phi, "iid", 8).features(Stream(1), range(2000), X[None], Y[None])
    a = float(phi.a)
    bound = (1 - 4 * a) ** (D / 4) * math.exp(-((1 - 4 * a) / (4 * a) + 1) * float(X @ X)) / math.sqrt(8)
    assert a < 0
    assert math.exp(left.log_scale.max()) <= bound
    positive, _ = Mechanism(POSITIVE, "iid", 8).features(Stream(1), range(2000), X[None], Y[None])
    assert math.exp(positive.log_scale.max()) > bound


def test_norms_of_padded_rotations_have_their_own_dimension():
    """GERF with a Hadamard rotation at d = 3: norms and D belong to dimension 4, whichever path is taken."""
    mechanism, stream = Mechanism(Gerf(-0.5), "hadamard-orthogonal", 2), Stream.named("padded")
    x, y = np.tile(X[:3], (3, 1)), np.tile(Y[:3], (3, 1))
    for found in (
        mechanism.estimate(stream, BLOCKS, X[:3], Y[:3]),
        mechanism.estimate(stream, BLOCKS, X[:3], Y[:3], via="matrix"),
        mechanism.gram(stream, BLOCKS, x, y)[:, 0, 0],  # fewer rows than vectors
    ):
        assert p_of_mean(found, gaussian_kernel(X[:3], Y[:3]), float(found.var())) > ALPHA
    block = mechanism.coupling.draw(stream, BLOCKS, 3, 2)
    cut = Marks(block.norms, 3)
    sides = (
        mechanism.feature_map.features(block.projections @ u[:, None], np.sum(u * u)[None], marks=cut)
        for u in (X[:3], Y[:3])
    )
    planted = np.prod(list(sides), axis=0).sum((1, 2))  # the norms of the rows as they are cut
    assert p_of_mean(planted, gaussian_kernel(X[:3], Y[:3]), float(planted.var())) < ALPHA


def test_drawn_features_have_the_norms_of_the_mechanism():
    """Blocks drawn once, for attention and for other libraries, are those of the mechanism, padded or not."""
    mechanism, stream = (
        Mechanism(Gerf(-0.5), "hadamard-orthogonal", 5),
        Stream.named("interop/gerf/hadamard-orthogonal"),
    )
    x = np.stack((X[:3], Y[:3]))
    left = mechanism.features(stream, range(1), x, x, "softmax", "matrix").left.log_scale[0]
    once = DrawnFeatures.of(mechanism, stream, 3)(x, "softmax", "left").log_scale
    assert np.abs(once - left).max() < 1e-12
    drawn = draw("gerf", "hadamard-orthogonal", 3, 5, 0, {"A": -0.5})
    assert np.abs(np.log(drawn.features(x, "softmax").T) - left).max() < 1e-12


@pytest.mark.parametrize(
    "phi", [ComplexExponential(COMPLEX), feature_map("anisotropic", A=(-0.1, 0.05, -0.3, 0.0))]
)
def test_numbers_of_a_map_lie_where_its_inputs_do(phi):
    device = array_api_strict.Device("device1")
    x, w = (array_api_strict.asarray(a, device=device) for a in (X[None], SQUARE[None]))
    projected = array_api_strict.matmul(w, array_api_strict.matrix_transpose(phi.inputs(x, "left")))
    assert phi.features(projected, phi.squares(x, "left")).device == device


@pytest.mark.parametrize("A", [(), (0.1, math.nan, 0.1), (0.1, 0.25), (1j, 0, 0), None, "a"], ids=str)
def test_every_entry_of_a_diagonal_is_a_real_number_below_a_quarter(A):
    with pytest.raises(InvalidInput, match=r"A_j < 1/4|real number|string to float"):
        feature_map("anisotropic", A=A)


# ----------------------------------------------------------------------- discrete features


COUNTS = {"poisson": Poisson(0.15), "geometric": GeometricCounts(0.8)}


def discrete_variance(law, x: np.ndarray, y: np.ndarray) -> float:
    """Chefs' random tables, eqs (11) and (13)."""
    squares = float(x @ x + y @ y)
    if isinstance(law, Poisson):
        second = math.exp(law.rate * len(x) + float((x * x) @ (y * y)) / law.rate - squares)
    else:
        bessel = special.i0(2 * np.abs(x * y) / math.sqrt(1 - law.p)).prod()
        second = law.p ** -len(x) * math.exp(-squares) * float(bessel)
    return second - gaussian_kernel(x, y) ** 2


@pytest.mark.parametrize("law", COUNTS.values(), ids=COUNTS)
@pytest.mark.parametrize("kernel", ["gaussian", "softmax"])
def test_discrete_features_are_unbiased(law, kernel):
    estimates = DiscreteMechanism(law, M).estimate(Stream.named("counts"), BLOCKS, X, Y, kernel)
    scale = math.exp(float(X @ X + Y @ Y) / 2) if kernel == "softmax" else 1.0
    variance = scale**2 * discrete_variance(law, X, Y) / M
    assert p_of_mean(estimates, scale * K, variance) > ALPHA
    assert p_of_mean(1.1 * estimates, scale * K, variance) < ALPHA


@pytest.mark.parametrize("law", COUNTS.values(), ids=COUNTS)
@pytest.mark.parametrize("kernel", ["gaussian", "softmax"])
def test_shifted_features_are_positive_and_unbiased(law, kernel):
    shift = shift_below(X[None], Y[None], epsilon=0.05)
    mechanism = DiscreteMechanism(law, 8, shift)
    left, right = mechanism.features(Stream(1), range(9), X[None], Y[None], kernel)
    assert left.factor is None
    assert right.factor is None
    estimates = mechanism.estimate(Stream.named("counts"), BLOCKS, X, Y, kernel)
    scale = math.exp(float(X @ X + Y @ Y) / 2) if kernel == "softmax" else 1.0
    variance = scale**2 * discrete_variance(law, X - shift, Y - shift) / 8
    assert p_of_mean(estimates, scale * K, variance) > ALPHA
    assert p_of_mean(1.1 * estimates, scale * K, variance) < ALPHA
    log = mechanism.log_estimate(Stream.named("counts"), range(100), X, Y, kernel)
    assert np.allclose(np.exp(log), estimates[:100], rtol=1e-12)


@pytest.mark.parametrize("size", [1.0, 1e3, 1e11])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_shift_is_below_all_inputs_at_any_size(size, dtype):
    x, y = (size * X).astype(dtype), (size * Y).astype(dtype)
    shift = np.array(shift_below(x[None], y[None]))
    assert (np.minimum(x, y).astype(float) - shift > 0).all()
    if size < 1e11:
        assert np.allclose(np.minimum(x, y).astype(float) - shift, 1e-6, rtol=1e-6)


def test_a_wrong_rate_in_the_weights_is_refuted():
    class WrongRate(Poisson):
        def log_weights(self, counts, xp):
            return Poisson(1.3 * self.rate).log_weights(counts, xp)

    estimates = DiscreteMechanism(WrongRate(0.15), M).estimate(Stream.named("counts"), BLOCKS, X, Y)
    assert p_of_mean(estimates, K, discrete_variance(Poisson(0.15), X, Y) / M) < ALPHA


@pytest.mark.parametrize(
    ("law", "reference", "wrong"),
    [
        (Poisson(0.7), stats.poisson(0.7), stats.poisson(0.8)),
        (Poisson(30.0), stats.poisson(30.0), stats.poisson(30.5)),
        (GeometricCounts(0.3), stats.geom(0.3, loc=-1), stats.geom(0.32, loc=-1)),
    ],
)
def test_laws_of_the_counts(law, reference, wrong):
    counts = law.counts(Stream.named("laws").uniforms(range(20000), 3), np).ravel()
    edges = np.unique(reference.ppf(np.linspace(0.02, 0.98, 20)))
    observed = np.histogram(counts, np.concatenate(([-1], edges, [np.inf])) + 0.5)[0]

    def p(law_of_counts) -> float:
        expected = np.diff(np.concatenate(([0.0], law_of_counts.cdf(edges), [1.0])))
        return float(stats.chisquare(observed, counts.size * expected).pvalue)

    assert p(reference) > ALPHA
    assert p(wrong) < ALPHA


def test_monomials_word_for_word():
    """Eq. (10) with 0^0 = 1 and negative coordinates."""
    x = np.array([[0.5, -0.3, 0.0], [0.0, -0.2, 0.7]])
    for law, weight in (
        (Poisson(0.8), lambda k: stats.poisson(0.8).pmf(k)),
        (GeometricCounts(0.6), lambda k: 0.6 * 0.4**k),
    ):
        mechanism = DiscreteMechanism(law, 5)
        counts = mechanism.counts(Stream(2), range(30), 3)
        left, _ = mechanism.features(Stream(2), range(30), x, x)
        ours = np.exp(left.log_scale) * left.factor
        powers = (x[None, None] ** counts[:, :, None, :]).prod(-1)
        norm = np.sqrt((special.factorial(counts) * weight(counts)).prod(-1))[..., None]
        expected = np.exp(-(x * x).sum(-1) / 2) * powers / norm / math.sqrt(5)
        assert np.allclose(ours, expected, rtol=1e-12, atol=0)
        assert (expected == 0).any()
        assert (expected < 0).any()


@settings(max_examples=10, deadline=None)
@given(cut=st.integers(1, 29))
def test_discrete_chunks_and_libraries(cut):
    for law in COUNTS.values():
        mechanism = DiscreteMechanism(law, 3)
        whole = mechanism.estimate(Stream(1), range(30), X, Y)
        parts = [mechanism.estimate(Stream(1), blocks, X, Y) for blocks in (range(cut), range(cut, 30))]
        assert np.array_equal(np.concatenate(parts), whole)
        x, y = array_api_strict.asarray(X), array_api_strict.asarray(Y)
        strict = mechanism.estimate(Stream(1), range(cut), x, y)
        assert np.array_equal(to_host(strict), whole[:cut])
        gram = mechanism.gram(Stream(1), range(cut), X[None], Y[None])
        assert np.allclose(gram[:, 0, 0], whole[:cut], rtol=1e-12)


# ------------------------------------------------------------------------------ parameters


def test_averages_are_those_of_all_pairs():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    found = averages(x, y)
    pairs = [(a, b) for a in x for b in y]
    assert math.isclose(found.square_sum, np.mean([(a + b) @ (a + b) for a, b in pairs]))
    assert math.isclose(found.square_difference, np.mean([(a - b) @ (a - b) for a, b in pairs]))
    assert math.isclose(found.squared_products, np.mean([(a * a) @ (b * b) for a, b in pairs]))
    assert np.allclose(found.absolute_products, np.mean([np.abs(a * b) for a, b in pairs], axis=0))


@pytest.mark.parametrize("sign", [1, -1])
def test_averages_of_differences_far_from_the_origin(sign):
    """The differences of these points are of order one, their squares of order 1e18."""
    offset = np.array([1e9, -2e9, 3e8])
    x = np.array([[0.5, 0.25, 0.0], [1.0, 0.0, -0.5]]) + offset
    y = sign * (np.array([[0.0, 0.0, 0.25], [-0.75, 0.5, 0.0], [0.5, 0.5, 0.5]]) + offset)
    exact = np.mean([((a - sign * b) ** 2).sum() for a in x for b in y])
    found = averages(x, y)
    assert math.isclose(found.square_difference if sign == 1 else found.square_sum, exact, rel_tol=1e-6)


@pytest.mark.parametrize("q", [1e-12, 0.3, 5.0, 400.0])
@pytest.mark.parametrize("d", [1, 4, 64])
def test_oprf_parameter_is_the_root_of_its_quadratic(q, d):
    """rho solves 2 q rho^2 + (2 q + d) rho - d = 0, the numerator of d log(second moment) / d rho."""
    rho = 1 / (1 - 8 * oprf_parameter(q, d))
    assert 0 < rho <= 1
    assert abs(2 * q * rho**2 + (2 * q + d) * rho - d) < 1e-12 * (q + d)


def test_parameters_are_minima():
    """Neighbours of the chosen parameters have a larger variance (papers' formulas, other code)."""
    q = float((X + Y) @ (X + Y))
    best = gerf_variance(complex(oprf_parameter(q, D)), 1)
    assert all(best < gerf_variance(complex(oprf_parameter(q, D) + step), 1) for step in (0.01, -0.01))
    rate = poisson_rate(float((X * X) @ (Y * Y)), D)
    assert all(
        discrete_variance(Poisson(rate), X, Y) < discrete_variance(Poisson(factor * rate), X, Y)
        for factor in (0.8, 1.25)
    )
    x, y = 2 * np.abs(X), 3 * np.abs(Y)
    p = geometric_parameter(np.abs(x * y))
    assert all(
        discrete_variance(GeometricCounts(p), x, y) < discrete_variance(GeometricCounts(p + step), x, y)
        for step in (0.02, -0.02)
    )
    a, s = gerf_parameters(averages(X[None], Y[None]), D)
    assert gerf_variance(a, s) <= min(best, gerf_variance(0j, 1), gerf_variance(0j, -1)) + 1e-12


# ---------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "call",
    [
        lambda: Gerf(math.nan),
        lambda: Gerf(0.25),
        lambda: Gerf("a"),
        lambda: Gerf(10**400),
        lambda: Gerf(-1e308),
        lambda: Gerf(complex(-1, 1e300)),
        lambda: ComplexExponential(np.diag([1e200, 1e200])),
        lambda: Gerf(complex(0, math.inf)),
        lambda: Gerf(0.0, None),
        lambda: Gerf(0.0, 2),
        lambda: Gerf(-0.1).features(np.ones((2, 1)), np.ones(1)),
        lambda: COSINE.features(np.ones((2, 1)), np.ones(1)),
        lambda: ComplexExponential(np.ones((2, 2))),
        lambda: ComplexExponential(np.ones((2, 3))),
        lambda: ComplexExponential(np.full((2, 2), np.nan)),
        lambda: ComplexExponential(np.eye(2), part="modulus"),
        lambda: Mechanism(ComplexExponential(np.eye(3)), "iid", 2).estimate(Stream(1), range(1), X, Y),
        lambda: Poisson(0.0),
        lambda: Poisson(1e4),
        lambda: Poisson("0.3"),
        lambda: Poisson(None),
        lambda: GeometricCounts(0.5 + 0.1j),
        lambda: GeometricCounts(np.array([0.5])),
        lambda: DiscreteMechanism(Poisson(1.0), 2, ("a",)),
        lambda: DiscreteMechanism(Poisson(1.0), 2).log_estimate(Stream(1), range(1), X.tolist(), Y),
        lambda: DiscreteMechanism(Poisson(1.0), 2).estimate(1, range(1), X, Y),
        lambda: oprf_parameter(1e200, 3),
        lambda: oprf_parameter("1", 3),
        lambda: gerf_parameters(averages(X[None], Y[None]), 0),
        lambda: geometric_parameter("a"),
        lambda: GeometricCounts(1.0),
        lambda: DiscreteMechanism(Poisson(1.0), 0),
        lambda: DiscreteMechanism("poisson", 2),
        lambda: DiscreteMechanism(Poisson(1.0), 2, (math.nan,)),
        lambda: DiscreteMechanism(Poisson(1.0), 2, (0.0, 1.0)).estimate(Stream(1), range(1), X, Y),
        lambda: DiscreteMechanism(Poisson(1.0), 2).log_estimate(Stream(1), range(1), X, Y),
        lambda: shift_below(X[None], Y[None], epsilon=0.0),
        lambda: oprf_parameter(-1.0, 3),
        lambda: oprf_parameter(1.0, 0),
        lambda: poisson_rate(0.0, 3),
        lambda: geometric_parameter(np.array([-1.0])),
    ],
)
def test_bad_requests(call):
    with pytest.raises(InvalidInput):
        call()


def test_numbers_of_numpy_are_numbers():
    assert Gerf(np.float32(-0.5), np.int64(-1)) == Gerf(-0.5, -1)
    assert Gerf(np.complex64(-0.5 + 0.25j)) == Gerf(-0.5 + 0.25j)
    assert Poisson(np.float32(0.5)) == Poisson(0.5)
    assert GeometricCounts(np.array(0.5)) == GeometricCounts(0.5)
    shifted = DiscreteMechanism(Poisson(0.5), 2, np.array([0.5, -1.0]))
    assert shifted == DiscreteMechanism(Poisson(0.5), 2, (0.5, -1.0))


def test_a_diagonal_of_another_dimension_is_refused():
    with pytest.raises(InvalidInput, match="one for each of 4 coordinates"):
        Mechanism("anisotropic", "iid", 3, A=(-0.1, -0.2)).estimate(Stream(1), range(4), X, Y)


def test_domain_of_gerf():
    with pytest.raises(OutsideDomain, match="Re"):
        Gerf(0.3)


def test_the_matrix_of_complex_exponentials_is_a_copy():
    """A change of the caller's array would leave the right side with the inverse of another matrix."""
    x, given = np.array([[0.3, -0.2]]), np.array([[1.0, 0.2], [0.0, 1.5]])
    phi = ComplexExponential(given)
    before = Mechanism(phi, "iid", 3).gram(Stream(1), range(4), x, x)
    given *= 1.5
    assert (Mechanism(phi, "iid", 3).gram(Stream(1), range(4), x, x) == before).all()
    with pytest.raises(ValueError, match="read-only"):
        phi.matrix[0, 0] = 2.0


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.longdouble, np.int8])
def test_matrices_of_any_numbers_are_inverted_in_double_precision(kind):
    phi = ComplexExponential(np.array([[3, 1], [0, 3]], dtype=kind))
    assert np.abs(phi.matrix @ phi.inverse.T - np.eye(2)).max() < 1e-15


@pytest.mark.parametrize(
    "matrix", [[[1.0, "a"], [0.0, 1.0]], [[1.0], [0.0, 1.0]], np.zeros((0, 0)), [[None]]]
)
def test_what_is_no_matrix_of_numbers_is_refused(matrix):
    with pytest.raises(InvalidInput, match="finite square matrix"):
        ComplexExponential(matrix)
