"""Hybrids: Lemma 2.3 draw by draw, exact moments, vanishing variances, clusters."""

from __future__ import annotations

import math

import array_api_strict
import numpy as np
import pytest

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.sample.arrays import to_host
from rftheory.sample.clusters import centre_matrix, gaussian_mixture, zero_one_mixture
from rftheory.sample.exponential import HYPERBOLIC, ComplexExponential
from rftheory.sample.features import POSITIVE, TRIGONOMETRIC
from rftheory.sample.hybrid import (
    Angular,
    GaussianCoefficient,
    Hybrid,
    Indicator,
    angular_hybrid,
    bipolar,
    gaussian_coefficient,
    gaussian_hybrid,
    normalised_gaussian,
)
from rftheory.sample.mechanisms import Mechanism
from rftheory.sample.stream import Stream
from tests.sample.laws import ALPHA, gaussian_kernel, p_of_mean, softmax_kernel

# |X + Y| = 0.64: up to here plain sample variances of products of positive features can be trusted.
X = np.array([0.5, -0.2, 0.25])
Y = np.array([0.1, 0.3, -0.05])
SM = softmax_kernel(X, Y)
SETS = (np.stack((X, Y, -X)), np.stack((Y, 0.5 * X)))
CENTRES = (np.stack((X, -Y)), np.stack((Y, X + Y)))


def three_bases() -> Hybrid:
    """p = 2, unequal bases and coefficients of all kinds."""
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    bases = (
        Mechanism(POSITIVE, "orthogonal", 3),
        Mechanism(TRIGONOMETRIC, "simplex", 5),
        Mechanism(ComplexExponential(np.diag([1.0, 1j, 2.0])), "iid", 2),
    )
    weights = (
        gaussian_coefficient(turn, 1.7, Mechanism(TRIGONOMETRIC, "iid", 4), sign=-1),
        Angular(3, "orthogonal"),
    )
    return Hybrid(bases, weights)


HYBRIDS = {
    "angular": angular_hybrid(4, 3),
    "angular, shared": angular_hybrid(4, 3, shared=True, coupling="orthogonal"),
    "gaussian": gaussian_hybrid(4, 3, 3, sigma=0.7, radius=1.0),
    "gaussian, positive, shared": gaussian_hybrid(
        4, 3, 3, sigma=0.7, radius=1.0, feature_map=POSITIVE, shared=True
    ),
    "three bases": three_bases(),
    "zero-one": zero_one_mixture(*CENTRES, m=3),
    "one pair of clusters": zero_one_mixture(CENTRES[0][1:], CENTRES[1][1:], m=3, real=False),
    "massive pairs": zero_one_mixture(*CENTRES, m=3, pairs=[(0, 1)], real=False),
    "gaussian mixture": gaussian_mixture(*CENTRES, m=3, tau=2.0, n=2),
}


# ----------------------------------------------------------------------------- draw by draw


@pytest.mark.parametrize("hybrid", HYBRIDS.values(), ids=HYBRIDS)
@pytest.mark.parametrize("kernel", ["gaussian", "softmax"])
def test_lemma_2_3_the_tensorised_map_reproduces_the_estimator(hybrid, kernel):
    left, right = hybrid.features(Stream(4), range(6), *SETS, kernel)
    phi, psi = (terms.factor * np.exp(terms.log_scale) for terms in (left, right))
    product = np.swapaxes(phi, -1, -2) @ psi
    gram = hybrid.gram(Stream(4), range(6), *SETS, kernel)
    assert gram.shape == (6, 3, 2)
    assert np.abs(product - gram).max() < 1e-11 * max(1.0, np.abs(gram).max())


def test_number_of_tensorised_features():
    """Lemma 2.3 for the bipolar hybrid: 2 m + 2 m n + 2 m + 2 m n coordinates."""
    left, right = angular_hybrid(4, 3).features(Stream(4), range(2), *SETS)
    assert left.log_scale.shape == (2, 8 + 24 + 8 + 24, 3)
    assert right.log_scale.shape == (2, 64, 2)


def test_the_hybrid_is_equation_8():
    """Bases and coefficients drawn one by one, combined by hand."""
    hybrid, stream, blocks = three_bases(), Stream(4), range(7)
    bases = [
        base.gram(stream.child(f"base {k}"), blocks, *SETS, "softmax") for k, base in enumerate(hybrid.bases)
    ]
    first, second = (
        weight.gram(stream.child(f"coefficient {k}"), blocks, *SETS)
        for k, weight in enumerate(hybrid.coefficients)
    )
    expected = first * bases[0] + second * bases[1] + (1 - first - second) * bases[2]
    assert np.abs(hybrid.gram(stream, blocks, *SETS, "softmax") - expected).max() < 1e-12


def test_shared_projections_are_the_same_projections():
    """With shared projections P and T are functions of one block: gram of the bases from one stream."""
    hybrid, blocks = angular_hybrid(4, 3, shared=True, coupling="simplex"), range(5)
    own = Stream(4).child("base")
    positive, fourier = (
        Mechanism(phi, "simplex", 4).gram(own, blocks, *SETS) for phi in (HYPERBOLIC, TRIGONOMETRIC)
    )
    weight = Angular(3, "simplex").gram(Stream(4).child("coefficient 0"), blocks, *SETS)
    expected = weight * positive + (1 - weight) * fourier
    assert np.abs(hybrid.gram(Stream(4), blocks, *SETS) - expected).max() < 1e-12


@pytest.mark.parametrize("hybrid", HYBRIDS.values(), ids=HYBRIDS)
def test_chunks_and_libraries(hybrid):
    whole = hybrid.estimate(Stream(4), range(12), X, Y)
    parts = [hybrid.estimate(Stream(4), blocks, X, Y) for blocks in (range(5), range(5, 6), range(6, 12))]
    assert np.array_equal(np.concatenate(parts), whole)
    strict = hybrid.estimate(Stream(4), range(5), array_api_strict.asarray(X), array_api_strict.asarray(Y))
    assert np.array_equal(to_host(strict), whole[:5])
    sets = tuple(array_api_strict.asarray(one) for one in SETS)
    gram = to_host(hybrid.gram(Stream(4), range(3), *sets))
    assert np.array_equal(gram, hybrid.gram(Stream(4), range(3), *SETS))
    features = hybrid.features(Stream(4), range(3), *sets)
    assert np.array_equal(
        to_host(features.left.factor), hybrid.features(Stream(4), range(3), *SETS).left.factor
    )


# ----------------------------------------------------------------------------- exact moments


def base_mse(x: np.ndarray, y: np.ndarray, m: int) -> tuple[float, float]:
    """Lemma 2.2: MSE of P_m and of T_m for the softmax kernel."""
    z, delta, sm = float((x + y) @ (x + y)), float((x - y) @ (x - y)), softmax_kernel(x, y)
    positive = math.exp(z) * sm**2 * (1 - math.exp(-z)) ** 2 / (2 * m)
    return positive, math.exp(z) / sm**2 * (1 - math.exp(-delta)) ** 2 / (2 * m)


def angular_moments(x: np.ndarray, y: np.ndarray, n: int) -> tuple[float, float]:
    """Lemma 3.2: mean and second moment of the angular coefficient."""
    share = math.acos(float(x @ y) / float(np.linalg.norm(x) * np.linalg.norm(y))) / math.pi
    return share, share * (share - share / n + 1 / n)


def angular_mse(x: np.ndarray, y: np.ndarray, m: int, n: int, shared: bool) -> float:
    """Theorem 3.1, eqs (22) and (23), with Lemma 3.2."""
    positive, fourier = base_mse(x, y, m)
    mean, second = angular_moments(x, y, n)
    mse = second * positive + (1 - 2 * mean + second) * fourier
    if shared:
        gap = 1 - math.cos(float(x @ x) - float(y @ y))
        mse -= 2 / m * softmax_kernel(x, y) ** 2 * gap * (mean - second)
    return mse


@pytest.mark.parametrize("via", ["frame", "matrix"])
def test_angular_coefficient(via):
    mean, second = angular_moments(X, Y, 5)
    weights = Angular(5).estimate(Stream.named("angular"), range(20000), X, Y, via)
    assert p_of_mean(weights, mean, second - mean**2) > ALPHA
    assert p_of_mean(weights, 1 - mean, second - mean**2) < ALPHA
    centred = (weights - mean) ** 2
    assert p_of_mean(centred, second - mean**2, np.var(centred)) > ALPHA
    assert p_of_mean(centred, 1.2 * (second - mean**2), np.var(centred)) < ALPHA
    # the angle of a vector has nothing to do with its length
    short = Angular(5).estimate(Stream.named("angular"), range(20000), 1e-15 * X, Y, via)
    assert p_of_mean(short, mean, second - mean**2) > ALPHA


LONG, SHORT = np.array([1.1, 0.3, 0.0]), np.array([-0.5, -0.3, 0.0])
"""Unequal norms, so that shared and independent projections have clearly different errors; |x + y| = 0.6."""


@pytest.mark.parametrize("shared", [False, True])
def test_angular_hybrid_has_the_errors_of_theorem_3_1(shared):
    """The squared errors have mean (22) or (23), and the other one is refuted; their own variance comes
    from a second sample."""
    hybrid, exact = angular_hybrid(1, 8, shared=shared), softmax_kernel(LONG, SHORT)
    estimates = hybrid.estimate(Stream.named("theorem", kind="native"), range(100000), LONG, SHORT, "softmax")
    mse = {kind: angular_mse(LONG, SHORT, 1, 8, kind) for kind in (False, True)}
    assert p_of_mean(estimates, exact, mse[shared]) > ALPHA
    errors = (estimates - exact) ** 2
    again = hybrid.estimate(Stream.named("spread", kind="native"), range(100000), LONG, SHORT, "softmax")
    spread = float(np.var((again - exact) ** 2))
    assert p_of_mean(errors, mse[shared], spread) > ALPHA
    assert p_of_mean(errors, mse[not shared], spread) < ALPHA


def test_gaussian_hybrid_has_the_errors_of_theorem_f_1():
    sigma, radius, m, n = 0.7, 1.0, 2, 3
    estimates = gaussian_hybrid(m, n, 3, sigma=sigma, radius=radius).estimate(
        Stream.named("gauss", kind="native"), range(100000), X, Y, "softmax"
    )
    rho, k = 1 - math.exp(-2 * sigma**2 * radius**2), gaussian_kernel(sigma * X, sigma * Y)
    noise = (1 - k * k) ** 2 / (2 * rho**2 * n)
    positive, fourier = base_mse(X, Y, m)
    mse = ((1 - k) ** 2 / rho**2 + noise) * positive + (((1 - rho) - k) ** 2 / rho**2 + noise) * fourier
    assert p_of_mean(estimates, SM, mse) > ALPHA
    errors = (estimates - SM) ** 2
    assert p_of_mean(errors, mse, np.var(errors)) > ALPHA
    assert p_of_mean(errors, 1.3 * mse, np.var(errors)) < ALPHA


@pytest.mark.parametrize("hybrid", HYBRIDS.values(), ids=HYBRIDS)
def test_hybrids_are_unbiased(hybrid):
    """Plain sample variance; a coefficient that is not independent of the bases would show here."""
    estimates = hybrid.estimate(Stream.named("unbiased", kind="native"), range(60000), X, Y, "softmax")
    assert p_of_mean(estimates, SM, np.var(estimates)) > ALPHA
    shift = 10 * np.std(estimates) / math.sqrt(60000)
    assert p_of_mean(estimates + shift, SM, np.var(estimates)) < ALPHA


def test_a_coefficient_that_shares_its_projections_is_refuted(monkeypatch):
    """Planted error: coefficient and bases from one stream, so the weights are not independent."""
    hybrid = bipolar(
        gaussian_coefficient(np.eye(3), 0.7, Mechanism(POSITIVE, "iid", 1)), 1, positive=POSITIVE
    )
    right = hybrid.estimate(Stream.named("planted", kind="native"), range(60000), X, Y, "softmax")
    assert p_of_mean(right, SM, np.var(right)) > ALPHA
    monkeypatch.setattr(Stream, "child", lambda stream, label: stream)
    wrong = hybrid.estimate(Stream.named("planted", kind="native"), range(60000), X, Y, "softmax")
    assert p_of_mean(wrong, SM, np.var(wrong)) < ALPHA


def test_a_hybrid_may_estimate_the_coefficient_of_a_hybrid():
    inner = angular_hybrid(3, 2)
    hybrid = bipolar(normalised_gaussian(0.7, 1.0, 3, inner), 3)
    estimates = hybrid.estimate(Stream.named("nested", kind="native"), range(40000), X, Y, "softmax")
    assert p_of_mean(estimates, SM, np.var(estimates)) > ALPHA


# ------------------------------------------------------------------------ vanishing variances


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("sign", [1, -1])
def test_angular_hybrid_has_no_variance_at_the_extreme_angles(shared, sign):
    """theta = 0 and theta = pi at equal norms (Section 2.4); at a right angle it has some."""
    estimates = angular_hybrid(2, 3, shared=shared).estimate(Stream(1), range(200), X, sign * X, "softmax")
    assert np.abs(estimates / softmax_kernel(X, sign * X) - 1).max() < 1e-12
    turned = np.array([0.3, 0.9, 0.4])
    assert np.std(angular_hybrid(2, 3).estimate(Stream(1), range(200), X, turned, "softmax")) > 0.01


def test_gaussian_coefficients_are_gaussians():
    """(20) with both signs and (67): value at chosen points, by the mean of many projections."""
    estimator = Mechanism(TRIGONOMETRIC, "iid", 4)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    for coefficient, exact in (
        (gaussian_coefficient(turn, 1.5, estimator), gaussian_kernel(X / 1.5, -turn @ Y / 1.5)),
        (gaussian_coefficient(turn, 1.5, estimator, -1), gaussian_kernel(X / 1.5, turn @ Y / 1.5)),
        (
            normalised_gaussian(0.7, 1.1, 3, estimator),
            (1 - gaussian_kernel(0.7 * X, 0.7 * Y)) / (1 - math.exp(-2 * 0.49 * 1.21)),
        ),
    ):
        weights = coefficient.estimate(Stream.named("lambda"), range(20000), X, Y)
        assert p_of_mean(weights, exact, np.var(weights)) > ALPHA
        gram = coefficient.gram(Stream.named("lambda"), range(20000), X[None], Y[None])
        assert p_of_mean(gram, exact, np.var(gram)) > ALPHA


# --------------------------------------------------------------------------------- clusters


def test_complex_centre_matrix_solves_equation_82():
    x, y = np.array([1.0, -2.0, 0.5, 3.0]), np.array([2.0, -0.5, -0.1, -1.0])
    matrix = centre_matrix(x, y)
    assert np.abs(matrix @ x + np.linalg.inv(matrix) @ y).max() < 1e-14


def test_real_centre_matrix_minimises_equation_21():
    x, y = np.array([1.0, -2.0, 0.5]), np.array([2.0, 0.5, 0.1])

    def loss(entries: np.ndarray) -> float:
        return float(np.sum((entries * x + y / entries) ** 2))

    best = centre_matrix(x, y, real=True).diagonal()
    for k in range(3):
        for factor in (0.9, 1.1):
            other = best.copy()
            other[k] *= factor
            assert loss(best) < loss(other)


def test_rules_for_vanishing_entries():
    x, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    assert np.allclose(centre_matrix(x, y).diagonal(), [1 + 1j, 1000, 0.001 + 0.001j])
    assert np.allclose(centre_matrix(x, y, real=True).diagonal(), [1, 1000, 0.001])


def test_mixtures_make_no_error_at_the_centres():
    """Complex matrices: no variance at the centres of the pair of clusters, some away from them."""
    hybrid = zero_one_mixture(*CENTRES, m=2, real=False)
    for x in CENTRES[0]:
        for y in CENTRES[1]:
            estimates = hybrid.estimate(Stream(1), range(40), x, y, "softmax")
            assert np.abs(estimates / softmax_kernel(x, y) - 1).max() < 1e-12
    assert np.std(hybrid.estimate(Stream(1), range(40), X + 0.1, Y, "softmax")) > 1e-3


def test_gaussian_weights_are_one_at_their_own_centres():
    mixture = gaussian_mixture(*CENTRES, m=2, tau=1.5, lambda_map=TRIGONOMETRIC)
    for k, weight in enumerate(mixture.coefficients):
        x, y = CENTRES[0][k // 2], CENTRES[1][k % 2]
        assert np.abs(weight.estimate(Stream(1), range(20), x, y) - 1).max() < 1e-12
        assert np.abs(weight.estimate(Stream(1), range(20), x + 0.5, y) - 1).max() > 1e-3


def test_indicators_are_memberships():
    weights = [Indicator(*CENTRES, i, j).gram(Stream(1), range(2), *CENTRES) for i in (0, 1) for j in (0, 1)]
    assert np.array_equal(np.stack(weights)[:, 0].reshape(4, 4), np.eye(4))


# ------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    "call",
    [
        lambda: Angular(0),
        lambda: Hybrid((Mechanism(POSITIVE, "iid", 2),), (Angular(2),)),
        lambda: Hybrid((HYBRIDS["angular"], Mechanism(POSITIVE, "iid", 2)), (Angular(2),), shared=True),
        lambda: Hybrid(
            (Mechanism(POSITIVE, "iid", 2), Mechanism(TRIGONOMETRIC, "iid", 3)), (Angular(2),), shared=True
        ).estimate(Stream(1), range(1), X, Y),
        lambda: angular_hybrid(2, 2).estimate(Stream(1), range(1), X, Y[:2]),
        lambda: angular_hybrid(2, 2).estimate(Stream(1), range(1), X, math.nan * Y),
        lambda: angular_hybrid(2, 2).log_estimate(Stream(1), range(1), X, Y),
        lambda: gaussian_coefficient(np.eye(3), 0.0, Mechanism(POSITIVE, "iid", 2)),
        lambda: gaussian_coefficient(np.eye(3), 1.0, Mechanism(POSITIVE, "iid", 2), sign=0),
        lambda: GaussianCoefficient(np.eye(3), np.eye(2), Mechanism(POSITIVE, "iid", 2)),
        lambda: GaussianCoefficient(np.eye(2), np.eye(2), Mechanism(POSITIVE, "iid", 2)).estimate(
            Stream(1), range(1), X, Y
        ),
        lambda: normalised_gaussian(0.0, 1.0, 3, Mechanism(POSITIVE, "iid", 2)),
        lambda: centre_matrix(np.ones(2), np.ones(3)),
        lambda: zero_one_mixture(*CENTRES, m=2, pairs=[(0, 5)]),
        lambda: zero_one_mixture(*CENTRES, m=2, pairs=[]),
        lambda: gaussian_mixture(*CENTRES, m=2, tau=-1.0),
        lambda: gaussian_mixture(*CENTRES, m=2, tau=None),
        lambda: gaussian_mixture(CENTRES[0][:0], CENTRES[1], m=2, tau=1.0),
        lambda: gaussian_mixture(math.nan * CENTRES[0], CENTRES[1], m=2, tau=1.0),
        lambda: zero_one_mixture(X, Y, m=2),
        lambda: zero_one_mixture(CENTRES[0], CENTRES[1][:, :2], m=2),
        lambda: zero_one_mixture(*CENTRES, m=2, pairs=3),
        lambda: Indicator(*CENTRES, 2, 0),
        lambda: Indicator(*CENTRES, 0, -1),
        lambda: Indicator(CENTRES[0], CENTRES[1][:, :2], 0, 0),
        lambda: Indicator(*CENTRES, 0, 1).estimate(Stream(1), range(1), X[:1], Y[:1]),
        lambda: Angular(2, 3),
        lambda: GaussianCoefficient(np.eye(3), np.eye(3), "positive"),
        lambda: gaussian_coefficient("a", 1.0, Mechanism(POSITIVE, "iid", 2)),
        lambda: normalised_gaussian(1e-200, 1.0, 3, Mechanism(POSITIVE, "iid", 2)),
        lambda: Hybrid(Mechanism(POSITIVE, "iid", 2), ()),
        lambda: Hybrid((Mechanism(POSITIVE, "iid", 2),) * 2, (0.5,)),
        lambda: Hybrid((Mechanism(POSITIVE, "iid", 2), None), (Angular(2),)),
        lambda: bipolar(0.5, 2),
        lambda: angular_hybrid(2, 2).estimate(7, range(1), X, Y),
        lambda: angular_hybrid(2, 2).gram(7, range(1), *SETS),
    ],
)
def test_bad_requests(call):
    with pytest.raises((InvalidInput, OutsideDomain)):
        call()
