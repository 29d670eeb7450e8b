"""What holds draw by draw for mechanisms of every kind: libraries, number types, and inputs of norm 40."""

from __future__ import annotations

import cmath
import math

import array_api_strict
import mpmath
import numpy as np
import pytest
from scipy import special

from rftheory.sample import (
    COUPLINGS,
    ComplexExponential,
    DiscreteMechanism,
    GeometricCounts,
    Gerf,
    Mechanism,
    Poisson,
    Stream,
    angular_hybrid,
    feature_map,
    gaussian_hybrid,
    gaussian_mixture,
    optimised,
    project_with_norms,
    shift_below,
    to_host,
    zero_one_mixture,
)
from rftheory.sample.optimised import optimised_directions
from rftheory.sample.simplex_plus import simplex_plus_directions
from rftheory.sample.stream import PHASES

X, Y = np.array([0.5, -0.2, 0.1]), np.array([-0.2, 0.3, 0.4])
FAR = tuple(40 * v / np.linalg.norm(v) for v in (X, Y))
CENTRES = np.stack((X + 0.1, -Y)), np.stack((Y - 0.1, X + Y))
MATRIX = np.array([[1.0, 0.2j, 0.0], [0.0, 0.8, 0.3], [0.1, 0.0, 1.2 + 0.2j]])
NEARLY_FOURIER = 1j * np.eye(3) + 0.04 * np.array([[1.0, 0.5, 0.0], [0.0, -1.0, 0.3], [0.2, 0.0, 0.5]])
SHIFT = shift_below(X[None], Y[None], 0.1)
MECHANISMS = {
    "poisson": DiscreteMechanism(Poisson(0.4), 6),
    "poisson, shifted": DiscreteMechanism(Poisson(0.4), 6, SHIFT),
    "geometric": DiscreteMechanism(GeometricCounts(0.6), 6),
    "geometric, shifted": DiscreteMechanism(GeometricCounts(0.6), 6, SHIFT),
    "optimised": Mechanism("positive", optimised(1.0), 6),
    "optimised, complex": Mechanism(ComplexExponential(MATRIX), optimised(1.0), 6),
    "imaginary part": Mechanism(ComplexExponential(MATRIX, part="imaginary"), "simplex", 6),
    "angular hybrid": angular_hybrid(4, 3, coupling="simplex"),
    "angular hybrid, shared": angular_hybrid(4, 3, shared=True, coupling="givens-simplex"),
    "gaussian hybrid": gaussian_hybrid(4, 3, 3, sigma=0.7, radius=1.0),
    "zero-one mixture": zero_one_mixture(*CENTRES, m=3, real=False),
    "gaussian mixture": gaussian_mixture(*CENTRES, m=3, tau=2.0, n=2, coupling="orthogonal"),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_libraries_and_types(name):
    """array-api-strict gives the same numbers, float32 inputs those of the numbers that they hold."""
    mechanism, stream = MECHANISMS[name], Stream.named("cells")
    own = mechanism.estimate(stream, range(5), X, Y)
    strict = mechanism.estimate(stream, range(5), *(array_api_strict.asarray(v) for v in (X, Y)))
    assert isinstance(strict, type(array_api_strict.zeros(1)))
    assert np.array_equal(to_host(strict), own)
    narrow = [v.astype(np.float32) for v in (X, Y)]
    single = mechanism.estimate(stream, range(5), *narrow)
    assert np.array_equal(single, mechanism.estimate(stream, range(5), *(v.astype(float) for v in narrow)))
    assert 0 < np.abs(single - own).max() < 1e-5
    sets = narrow[0][None], narrow[1][None]
    assert np.array_equal(
        mechanism.gram(stream, range(5), *sets),
        mechanism.gram(stream, range(5), *(v.astype(float) for v in sets)),
    )
    assert np.abs(mechanism.estimate(stream, range(5, 10), X, Y) - own).max() > 1e-6


# ---- inputs of norm 40


def far_terms(name: str) -> tuple[object, complex, complex, complex]:
    """Feature map, log a, alpha and b of the term a exp(alpha |w|^2 + b w . v) of a pair.

    These are the maps whose estimates a float64 can hold at such norms; of exp(-|x|^2 - |y|^2) only logarithms.
    """
    x, y = FAR
    if name == "trigonometric":
        return feature_map(name), 0, 0, 1j
    if "gerf" in name:
        a = -0.15 if name == "gerf" else -0.1 + 0.05j
        return Gerf(a, -1), 1.5 * cmath.log(1 - 4 * a), 2 * a, cmath.sqrt(4 * a - 1)
    left, right = NEARLY_FOURIER @ x, np.linalg.inv(NEARLY_FOURIER).T @ y
    squares = left @ left + right @ right + x @ x + y @ y
    return ComplexExponential(NEARLY_FOURIER), -squares / 2, 0, 1


def far_reference(name: str, coupling, stream: Stream, blocks: range, m: int) -> list[mpmath.mpf]:
    """The estimates in numbers of unbounded range, from the projections that the pair sees."""
    phi, log_a, alpha, b = far_terms(name)
    vectors = phi.pair_inputs(FAR[0][None], FAR[1][None])
    values, norms, dim = project_with_norms(coupling, stream, blocks, vectors, m)
    seen = values[..., 0] + (1j * values[..., 1] if len(vectors) == 2 else 0)
    extra = (dim - 3) / 2 * complex(mpmath.log(1 - 2 * alpha))  # padded: the constant of the larger dimension
    exponents = log_a + extra + alpha * norms**2 + b * seen
    return [mpmath.fsum(mpmath.exp(complex(e)).real for e in row) / m for row in exponents]


FAR_MAPS = ("trigonometric", "gerf", "gerf, complex", "complex exponential")


@pytest.mark.parametrize("coupling", [*COUPLINGS.values(), optimised(1.0)], ids=lambda law: law.name)
@pytest.mark.parametrize("name", FAR_MAPS)
def test_maps_of_both_signs_at_norm_40(name, coupling):
    """Against numbers of unbounded range, term by term."""
    stream, m = Stream.named("far"), 6
    mechanism = Mechanism(far_terms(name)[0], coupling, m)
    found = mechanism.estimate(stream, range(8), *FAR)
    exact = np.array([float(e) for e in far_reference(name, coupling, stream, range(8), m)])
    # Angles of some hundred radians are exact to 1e-13.
    assert np.abs(found - exact).max() < 1e-10 * np.abs(exact).max()
    assert np.abs(found - exact[::-1]).max() > 1e-3 * np.abs(exact).max()


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_cosines_with_phases_at_norm_40(coupling):
    stream, m, blocks = Stream.named("far"), 6, range(8)
    values = project_with_norms(COUPLINGS[coupling], stream, blocks, np.stack(FAR), m).values
    phases = 2 * math.pi * stream.uniforms(blocks, m, PHASES)
    exact = (2 * np.cos(values[..., 0] + phases) * np.cos(values[..., 1] + phases)).mean(-1)
    found = Mechanism("cosine", coupling, m).estimate(stream, blocks, *FAR)
    assert np.abs(found - exact).max() < 1e-11


@pytest.mark.parametrize("law", [Poisson(0.4), GeometricCounts(0.01), Poisson(400.0)])
def test_discrete_logarithms_at_norm_40(law):
    """The logarithms of eq. (10), written out; no float64 holds the factorials or the estimates."""
    shift = shift_below(FAR[0][None], FAR[1][None])
    mechanism, stream, blocks = DiscreteMechanism(law, 6, shift), Stream.named("far"), range(20)
    counts, (x, y) = mechanism.counts(stream, blocks, 3), (v - np.array(shift) for v in FAR)
    if isinstance(law, Poisson):
        log_weight = counts * math.log(law.rate) - law.rate - special.gammaln(counts + 1)
    else:
        log_weight = math.log(law.p) + counts * math.log1p(-law.p)
    terms = counts * np.log(x * y) - special.gammaln(counts + 1) - log_weight
    exact = special.logsumexp(terms.sum(-1), axis=-1) - math.log(6) - float(x @ x + y @ y) / 2
    found = mechanism.log_estimate(stream, blocks, *FAR)
    assert np.abs(found - exact).max() < 1e-9
    assert found.min() < -300


HYBRIDS = [name for name in MECHANISMS if "hybrid" in name or "mixture" in name]


@pytest.mark.parametrize("name", HYBRIDS)
def test_hybrids_at_norm_40(name):
    """Bases below the range of float64 vanish, and the others are weighted as at any norm."""
    hybrid, stream, blocks = MECHANISMS[name], Stream.named("far"), range(6)
    x, y = FAR[0], 40 * (X + 0.01 * Y) / np.linalg.norm(X + 0.01 * Y)
    left, right = hybrid.features(stream, blocks, x[None], y[None])
    assert np.isfinite(left.log_scale).all()
    assert np.isfinite(right.log_scale).all()
    found = hybrid.gram(stream, blocks, x[None], y[None])[:, 0, 0]
    names = ["base"] * len(hybrid.bases) if hybrid.shared else [f"base {k}" for k in range(len(hybrid.bases))]
    bases = [
        base.gram(stream.child(own), blocks, x[None], y[None])[:, 0, 0]
        for base, own in zip(hybrid.bases, names, strict=True)
    ]
    weights = [
        weight.gram(stream.child(f"coefficient {k}"), blocks, x[None], y[None])[:, 0, 0]
        for k, weight in enumerate(hybrid.coefficients)
    ]
    expected = sum(w * b for w, b in zip([*weights, 1 - sum(weights)], bases, strict=True))
    assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()
    assert np.isfinite(hybrid.estimate(stream, blocks, x, y)).all()


# ---- the optimised coupling


def test_optimised_directions_are_turned_as_a_whole():
    """A block is a uniform rotation of the directions for its norms: unbiased for any v."""
    block = optimised(1.3).draw(Stream.named("optimised"), range(4), 3, 3)
    for directions, norms in zip(block.directions, block.norms, strict=True):
        exact = optimised_directions(norms, 1.3)
        assert np.abs(directions @ directions.T - exact @ exact.T).max() < 1e-13
        other = optimised_directions(norms[::-1], 1.3)
        assert np.abs(directions @ directions.T - other @ other.T).max() > 1e-3


def test_two_optimised_directions_are_opposite():
    """As the simplex in two dimensions, draw by draw, and so with its exact variance."""
    stream = Stream.named("optimised")
    ours, simplex = (
        Mechanism("positive", law, 4).estimate(stream, range(50), X[:2], Y[:2])
        for law in (optimised(1.0), "simplex")
    )
    assert np.abs(ours - simplex).max() < 1e-13
    orthogonal = Mechanism("positive", "orthogonal", 4).estimate(stream, range(50), X[:2], Y[:2])
    assert np.abs(ours - orthogonal).max() > 1e-3


# ---- fast rotations with a shape


def inner_products(directions: np.ndarray) -> np.ndarray:
    return directions @ np.swapaxes(directions, -1, -2)


@pytest.mark.parametrize("d", [2, 4, 16])
@pytest.mark.parametrize("rotation", ["hadamard", "givens"])
def test_fast_rotations_leave_the_angles_of_the_shape(rotation, d):
    """To 1e-13 where nothing is padded; the blocks of a stack are turned apart."""
    stream = Stream.named("structure")
    for shape, cosine in (("orthogonal", 0.0), ("simplex", -1 / (d - 1))):
        expected = np.full((d, d), cosine)
        np.fill_diagonal(expected, 1.0)
        found = inner_products(COUPLINGS[f"{rotation}-{shape}"].draw(stream, range(20), d, 2 * d).directions)
        assert np.abs(found[:, :d, :d] - expected).max() < 1e-13
        assert np.abs(found[:, d:, d:] - expected).max() < 1e-13
        assert np.abs(found[:, :d, d:] - expected).max() > 0.1


def test_a_fast_rotation_leaves_the_angles_of_simplex_plus():
    block = COUPLINGS["hadamard-simplex+"].draw(Stream.named("structure"), range(20), 4, 4)
    exact = simplex_plus_directions(block.norms).directions
    assert np.abs(inner_products(block.directions) - inner_products(exact)).max() < 1e-12
    assert np.abs(inner_products(block.directions) - inner_products(exact[::-1])).max() > 0.1
