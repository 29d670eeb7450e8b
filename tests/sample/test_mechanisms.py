"""Feature maps and mechanisms: algebra draw by draw, exact moments with wrong twins, log domain."""

from __future__ import annotations

import math
from itertools import pairwise

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.sample.arrays import namespace, to_host
from rftheory.sample.couplings import coupling
from rftheory.sample.discrete import DiscreteMechanism, Poisson
from rftheory.sample.exponential import ComplexExponential, Gerf, oprf
from rftheory.sample.features import draw_marks
from rftheory.sample.maps import FEATURE_MAPS, feature_map
from rftheory.sample.mechanisms import Mechanism
from rftheory.sample.projections import project, project_with_norms
from rftheory.sample.stream import Stream
from tests.sample.laws import (
    ALPHA,
    gaussian_kernel,
    p_of_mean,
    pair_moment,
    positive_variance,
    softmax_kernel,
)

KERNELS = {"gaussian": gaussian_kernel, "softmax": softmax_kernel}
SQUARE = np.array([[1.0, 0.2, 0.0, 0.0], [0.0, 0.8, 0.3, 0.0], [-0.1, 0.0, 1.2, 0.1], [0.0, 0.4, 0.0, 0.9]])
MAPS = FEATURE_MAPS | {
    "gerf": Gerf(-0.1),
    "gerf, s = -1": Gerf(-0.15, -1),
    "gerf, complex": Gerf(0.02 + 0.1j),
    "oprf": oprf(0.6, 4),
    "real exponential": ComplexExponential(SQUARE),
    "complex exponential": ComplexExponential(SQUARE + 0.5j * SQUARE.T),
    "imaginary part": ComplexExponential(SQUARE + 0.5j * SQUARE.T, part="imaginary"),
    "anisotropic": feature_map("anisotropic", A=(-0.1, 0.05, -0.3, 0.0)),
}
X = np.array([0.30, -0.10, 0.05, 0.20])
Y = np.array([0.10, 0.25, -0.15, 0.20])


# --------------------------------------------------------------------------- draw by draw


@pytest.mark.parametrize("phi", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_estimate_is_the_inner_product_of_features(phi, kernel):
    x, y = X[None], Y[None]
    mechanism = Mechanism(phi, "orthogonal", 6)
    left, right = mechanism.features(Stream(5), range(7), x, y, kernel)
    product = sum_of_products(left, right)
    assert np.abs(mechanism.gram(Stream(5), range(7), x, y, kernel)[:, 0, 0] - product).max() < 1e-13
    if phi.inputs(x, "left").shape == x.shape and not (phi.needs_norms or phi.needs_phases):
        inputs = np.concatenate((phi.inputs(x, "left"), phi.inputs(y, "right")))
        values = project(coupling("orthogonal"), Stream(5), range(7), inputs, 6)
        features = [
            phi.features(values[..., [i]], phi.squares(v, side), kernel, side)
            for i, (v, side) in enumerate(((x, "left"), (y, "right")))
        ]
        assert np.abs((features[0] * features[1]).sum((-2, -1)) - product).max() < 1e-13


def sum_of_products(left, right) -> np.ndarray:
    def linear(terms):
        return np.exp(terms.log_scale) * (1 if terms.factor is None else terms.factor)

    return (linear(left) * linear(right)).sum((-2, -1))


@pytest.mark.parametrize("phi", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_short_way_to_a_pair_gives_the_features_product(phi, kernel):
    """The pair's own terms, fed with the projections of the pair's own vectors, against the features."""
    x, y = X[None], Y[None]
    inputs = np.concatenate((phi.pair_inputs(x, y), phi.inputs(x, "left"), phi.inputs(y, "right")))
    q, n = len(phi.pair_inputs(x, y)), len(phi.inputs(x, "left"))
    values, norms, dim = project_with_norms(coupling("simplex"), Stream(5), range(9), inputs, 5)
    marks = draw_marks(phi, Stream(5), range(9), 5, norms, dim, namespace("numpy"))
    squares = phi.squares(x, "left"), phi.squares(y, "right")
    log_scale, factor = phi.pair_terms(values[..., :q], *squares, kernel, marks)
    short = (np.exp(log_scale) * (1 if factor is None else factor)).sum(-1)
    left = phi.components(values[..., q : q + n], squares[0], kernel, "left", marks)
    right = phi.components(values[..., q + n :], squares[1], kernel, "right", marks)
    assert np.abs(short - sum_of_products(left, right)).max() < 1e-12


@pytest.mark.parametrize("phi", MAPS.values(), ids=MAPS)
def test_gaussian_and_softmax_differ_by_the_known_factor(phi):
    mechanism = Mechanism(phi, "iid", 5)
    gaussian, softmax = (mechanism.estimate(Stream(2), range(8), X, Y, kernel) for kernel in KERNELS)
    assert np.allclose(gaussian, softmax * math.exp(-float(X @ X + Y @ Y) / 2), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("phi", [phi for phi in MAPS.values() if phi.positive], ids=lambda phi: phi.name)
def test_logarithms_agree_with_the_estimates(phi):
    mechanism = Mechanism(phi, "simplex", 5)
    log, plain = (f(Stream(2), range(8), X, Y) for f in (mechanism.log_estimate, mechanism.estimate))
    assert np.abs(np.exp(log) / plain - 1).max() < 1e-13


def test_features_are_those_of_equation_7():
    p, squares, m = np.array([[0.3, -1.0], [2.0, 0.5], [0.0, 0.1]]), np.array([0.7, 1.9]), 3
    phi = feature_map("positive")
    assert np.allclose(phi.features(p, squares), np.exp(p - squares) / math.sqrt(m))
    assert np.allclose(phi.features(p, squares, "softmax"), np.exp(p - squares / 2) / math.sqrt(m))


@pytest.mark.parametrize("phi", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("kind", ["portable", "native"])
@settings(max_examples=3, deadline=None)
@given(cuts=st.lists(st.integers(1, 30), min_size=1, max_size=7))
def test_any_partition_gives_the_same_bits(phi, kind, cuts):
    mechanism, stream = Mechanism(phi, "simplex", 6), Stream.named("partition", kind=kind)
    edges = np.concatenate(([0], np.cumsum(cuts))).tolist()
    ranges = [range(a, b) for a, b in pairwise(edges)]
    pieces = [mechanism.estimate(stream, blocks, X, Y) for blocks in ranges]
    assert np.array_equal(np.concatenate(pieces), mechanism.estimate(stream, range(edges[-1]), X, Y))


@pytest.mark.parametrize("phi", MAPS.values(), ids=MAPS)
def test_numpy_and_strict_give_the_same_numbers(phi):
    mechanism = Mechanism(phi, "simplex", 6)
    x, y = array_api_strict.asarray(X), array_api_strict.asarray(Y)
    strict = mechanism.estimate(Stream(4), range(5), x, y)
    assert np.array_equal(to_host(strict), mechanism.estimate(Stream(4), range(5), X, Y))
    strict = mechanism.gram(Stream(4), range(5), x[None, :], y[None, :])
    assert np.array_equal(to_host(strict), mechanism.gram(Stream(4), range(5), X[None], Y[None]))


# -------------------------------------------------------------------------- exact moments


@pytest.mark.parametrize("kind", ["portable", "native"])
@pytest.mark.parametrize("via", ["frame", "matrix"])
@pytest.mark.parametrize("name", ["iid", "orthogonal", "simplex"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_positive_features_are_unbiased(kind, via, name, kernel):
    """The exact variance is Theorem 3.2; the mean of a wrong kernel is refuted."""
    estimates = Mechanism("positive", name, 4).estimate(
        Stream.named("unbiased", kind=kind), range(20000), X, Y, kernel, via
    )
    scale = 1.0 if kernel == "gaussian" else math.exp(float(X @ X + Y @ Y) / 2)
    variance = scale**2 * positive_variance(name, 4, 4, X, Y)
    assert p_of_mean(estimates, KERNELS[kernel](X, Y), variance) > ALPHA
    assert p_of_mean(1.03 * estimates, KERNELS[kernel](X, Y), variance) < ALPHA


@pytest.mark.parametrize("via", ["frame", "matrix"])
def test_fourier_features_are_unbiased(via):
    """Variance of the iid estimate: (1 - K^2)^2 / (2 m)."""
    k = gaussian_kernel(X, Y)
    estimates = Mechanism("trigonometric", "iid", 5).estimate(
        Stream.named("fourier"), range(20000), X, Y, via=via
    )
    assert p_of_mean(estimates, k, (1 - k * k) ** 2 / 10) > ALPHA
    wrong = Mechanism("trigonometric", "iid", 5).estimate(
        Stream.named("fourier"), range(20000), 1.1 * X, 1.1 * Y, via=via
    )
    assert p_of_mean(wrong, k, (1 - k * k) ** 2 / 10) < ALPHA


# ((6.11 + 3.1) sd / gap)^2 at |v| = 0.7 and d = 4 for the closest two couplings, iid and orthogonal: power
# 0.999 at ALPHA. The skewness of the products is at most 6.1, which makes their normal tail wrong by a
# factor of 1.4 at most (exp(g z^3 / (6 sqrt N))).
PAIR_BLOCKS = 420000


def pair_products(name: str, via: str) -> np.ndarray:
    """exp((w_1 + w_2) . v) with |v| = 0.7; its mean and second moment are pair moments."""
    v = np.array([[0.35, -0.35, 0.35, 0.35]])
    values = project(coupling(name), Stream.named("pairs", kind="native"), range(PAIR_BLOCKS), v, 2, via=via)
    return np.exp(values[:, 0, 0] + values[:, 1, 0])


@pytest.mark.parametrize(
    ("name", "via"),
    [("iid", "frame"), ("orthogonal", "frame"), ("simplex", "frame"), ("orthogonal", "matrix")],
)
def test_pair_moments_are_those_of_the_coupling(name, via):
    """Each coupling has its own pair moment, and that of the others is refuted."""
    products = pair_products(name, via)
    for other in ("iid", "orthogonal", "simplex"):
        mean = pair_moment(other, 4, 0.7)
        variance = pair_moment(other, 4, 1.4) - mean**2
        p = p_of_mean(products, mean, variance)
        assert (p > ALPHA) == (other == name)


# ------------------------------------------------------------------------------- log domain


def test_logarithms_stay_finite_at_norm_40():
    x = 40 * X / np.linalg.norm(X)
    y = -39.5 * X / np.linalg.norm(X) + 0.1 * Y
    mechanism = Mechanism("positive", "simplex", 4)
    for kernel in KERNELS:
        log = mechanism.log_estimate(Stream(9), range(50), x, y, kernel)
        values = project(coupling("simplex"), Stream(9), range(50), (x + y)[None], 4)[..., 0]
        offset = float(x @ x + y @ y) * (1.0 if kernel == "gaussian" else 0.5)
        expected = values.astype(np.longdouble) - np.longdouble(offset)
        reference = np.log(np.exp(expected).mean(-1))
        assert np.isfinite(log).all()
        assert np.abs(log - reference.astype(float)).max() < 1e-10
        assert log.max() < -700  # no float64 holds the estimates themselves


def test_gram_at_norm_40_keeps_its_small_entries():
    """The features themselves underflow (exp(-1600)), their products over the log scale do not."""
    x = 40 * X[None] / np.linalg.norm(X)
    estimates = Mechanism("trigonometric", "orthogonal", 4).gram(Stream(9), range(5), x, x)
    assert np.abs(estimates - 1).max() < 1e-12
    softmax = Mechanism("positive", "orthogonal", 4).gram(Stream(9), range(5), x, -x, "softmax")
    assert np.allclose(softmax / math.exp(-1600 + 950), 0)
    log = Mechanism("positive", "orthogonal", 4).log_estimate(Stream(9), range(5), x[0], -x[0], "softmax")
    assert np.abs(log + 1600).max() < 1e-9


@pytest.mark.parametrize("phi", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("norm", [1.0, 1e3])
def test_float32_inputs_are_the_numbers_that_they_hold(phi, norm):
    """In float32, squared norms of 1e6 are off by 0.06, and so would be the logarithms of estimates."""
    x, y = ((norm * u / np.linalg.norm(u)).astype(np.float32) for u in (X, X + 0.1 * Y))
    wide = x.astype(float), y.astype(float)
    mechanism = Mechanism(phi, "orthogonal", 6)
    if phi.positive:
        single, double = (mechanism.log_estimate(Stream(3), range(9), *pair) for pair in ((x, y), wide))
        left = mechanism.features(Stream(3), range(9), x[None], y[None]).left.log_scale
        assert np.array_equal(
            left, mechanism.features(Stream(3), range(9), x[None], wide[1][None]).left.log_scale
        )
    else:
        single, double = (mechanism.estimate(Stream(3), range(9), *pair) for pair in ((x, y), wide))
    assert np.array_equal(single, double)


def test_overflow_is_an_error_not_an_infinity():
    x = 40 * X / np.linalg.norm(X)
    with pytest.raises(OutsideDomain, match="log_estimate"):
        Mechanism("trigonometric", "iid", 4).estimate(Stream(9), range(5), x, x, "softmax")
    with pytest.raises(OutsideDomain, match="at most 710"):
        Mechanism("trigonometric", "iid", 4).gram(Stream(9), range(5), x[None], x[None], "softmax")


@pytest.mark.parametrize("m", [4, 64])
def test_a_matrix_overflows_where_the_kernel_does(m):
    """With x = y, trigonometric estimates are exp(|x|^2), whose logarithm may exceed that of each feature by log m."""
    mechanism, x = Mechanism("trigonometric", "iid", m), np.sqrt([[708.0], [712.0]])
    near = mechanism.gram(Stream(9), range(2), x[:1], x[:1], "softmax")
    assert np.abs(np.log(near) - 708).max() < 1e-12 * 708
    with pytest.raises(OutsideDomain, match="at most 710, got 712"):
        mechanism.gram(Stream(9), range(2), x, x[1:], "softmax")


def test_largest_features_of_different_projections_do_not_overflow():
    """Powers (x / 10)^w and (y / 10)^w with x y = 100: every product of features is exp(100) / m."""
    x, y, counts = np.array([[1e-8]]), np.array([[1e10]]), DiscreteMechanism(Poisson(100.0), 8)
    for key in (1, 2):
        assert np.abs(counts.gram(Stream(key), range(3), x, y, "softmax") / np.exp(100) - 1).max() < 1e-9
    x, y, counts = np.array([[3e-6]]), np.array([[1e8]]), DiscreteMechanism(Poisson(300.0), 8)
    with pytest.raises(OutsideDomain, match="at most 710"):  # all products underflow
        counts.gram(Stream(1), range(1), x, y, "softmax")


# ------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    "call",
    [
        lambda: Mechanism("positive", "iid", 0),
        lambda: Mechanism(3, "iid", 1),
        lambda: Mechanism("positive", 3, 1),
        lambda: Mechanism("positive", "iid", 2).estimate(Stream(1), range(0), X, Y),
        lambda: Mechanism("positive", "iid", 2).estimate(Stream(1), range(1), X, Y[:3]),
        lambda: Mechanism("positive", "iid", 2).estimate(Stream(1), range(1), X[None], Y[None]),
        lambda: Mechanism("positive", "iid", 2).estimate(Stream(1), range(1), X * np.nan, Y),
        lambda: Mechanism("positive", "iid", 2).estimate(1, range(1), X, Y),
        lambda: Mechanism("positive", "iid", 2).log_estimate(None, range(1), X, Y),
        lambda: Mechanism("positive", "iid", 2).log_estimate(Stream(1), range(1), X.tolist(), Y),
        lambda: Mechanism("positive", "iid", 2).estimate(Stream(1), range(1), X, Y, "laplace"),
        lambda: Mechanism("positive", "iid", 2).estimate(Stream(1), range(1), X, array_api_strict.asarray(Y)),
        lambda: Mechanism("trigonometric", "iid", 2).log_estimate(Stream(1), range(1), X, Y),
        lambda: feature_map("positive").features(np.ones(3), np.ones(3)),
        lambda: feature_map("positive").features(np.ones((3, 1)) * np.nan, np.ones(1)),
        lambda: feature_map("positive").features(np.ones((3, 1)), np.array([np.inf])),
        lambda: feature_map("positive").features(np.ones((3, 1)), np.ones(1), "laplace"),
    ],
)
def test_bad_requests(call):
    with pytest.raises(InvalidInput):
        call()


@pytest.mark.parametrize("name", [None, 3, ["positive"]])
def test_what_is_no_name_is_an_unknown_name(name):
    with pytest.raises(UnknownName):
        feature_map(name)


def test_unknown_feature_map():
    with pytest.raises(UnknownName, match="did you mean 'positive'"):
        Mechanism("postive", "iid", 1)
