"""Hybrids and discrete features: exact means and variances by the judge, planted errors refuted.

A hybrid of unbiased bases with independent weights has the variance sum_kl E(lambda_k lambda_l) Cov(K_k, K_l), for
any coupling of the bases and of the weights; the covariances of bases that share their projections come from the
pair averages of two maps.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from scipy import stats

from rftheory.engine import Moments, run
from rftheory.judge import Outcome
from rftheory.sample import (
    Angular,
    ComplexExponential,
    DiscreteMechanism,
    GeometricCounts,
    Hybrid,
    Mechanism,
    Poisson,
    Stream,
    bipolar,
    feature_map,
    gaussian_coefficient,
    gaussian_mixture,
    normalised_gaussian,
    zero_one_mixture,
)
from rftheory.sample.mechanisms import RandomFeatures
from tests.statistical import contracts
from tests.statistical.contracts import AGREES, REFUTED, verdicts
from tests.statistical.exact_laws import (
    Terms,
    discrete_second,
    exponential,
    fourier,
    hybrid_variance,
    hyperbolic,
    positive,
    sign_pair,
    uniform_law,
)

X, Y = 0.8 * contracts.X, 0.4 * contracts.Y
CENTRES = np.stack((X + 0.05, -Y)), np.stack((Y * (1, -1, 1, -1), X + Y))
COSINES = {"iid": None, "orthogonal": 0.0, "simplex": -1 / 3}


def kernel(x: np.ndarray, y: np.ndarray) -> float:
    return math.exp(-float((x - y) @ (x - y)) / 2)


def covariance(terms: Terms, coupling: str, m: int, others: Terms | None = None) -> float:
    return uniform_law(terms, COSINES[coupling], others=others).variance(m)


def shared(bases: list[Terms], coupling: str, m: int) -> np.ndarray:
    return np.array([[covariance(s, coupling, m, t) for t in bases] for s in bases])


Weight = tuple[float, float]
"""Mean and mean square."""


def angular(n: int) -> Weight:
    """Signs of n independent projections differ with probability angle / pi each (Hybrid features, Lemma 3.2)."""
    share = math.acos(float(X @ Y) / float(np.linalg.norm(X) * np.linalg.norm(Y))) / math.pi
    return share, share**2 + share * (1 - share) / n


def gaussian(constant: float, factor: float, mean: float, variance: float) -> Weight:
    return constant + factor * mean, (constant + factor * mean) ** 2 + factor**2 * variance


def normalised(sigma: float, radius: float, variance: float) -> Weight:
    """Eqs (67), (68)."""
    rho = 1 - math.exp(-2 * (sigma * radius) ** 2)
    return gaussian(1 / rho, -1 / rho, kernel(sigma * X, sigma * Y), variance)


def centre_matrices() -> list[np.ndarray]:
    """The A of eq. (82), A r + A^-1 r' = 0 at the centres r, r', pair by pair."""
    return [np.diag(np.emath.sqrt(-y / x)) for x, y in itertools.product(*CENTRES)]


def stacked(v: np.ndarray) -> np.ndarray:
    return np.concatenate((v.real, v.imag))


@dataclass(frozen=True)
class Case:
    mechanism: RandomFeatures
    variance: float
    mean: float = kernel(X, Y)
    blocks: int = contracts.BLOCKS
    dim: int = 4


def angular_case(together: bool) -> Case:
    coupling = "orthogonal" if together else "simplex"
    bases = shared([hyperbolic(X, Y), fourier(X, Y)], coupling, 32)
    hybrid = bipolar(Angular(8), 32, shared=together, coupling=coupling)
    exact = hybrid_variance(bases if together else np.diag(np.diag(bases)), [angular(8)])
    return Case(hybrid, exact, blocks=2**17 if together else contracts.BLOCKS)


def gaussian_case() -> Case:
    weight = normalised_gaussian(0.7, 1.0, 4, Mechanism("trigonometric", "orthogonal", 8))
    own = normalised(0.7, 1.0, covariance(fourier(0.7 * X, 0.7 * Y), "orthogonal", 8))
    bases = shared([positive(X, Y), fourier(X, Y)], "simplex", 32)
    hybrid = bipolar(weight, 32, shared=True, coupling="simplex", positive=feature_map("positive"))
    return Case(hybrid, hybrid_variance(bases, [own]))


def three_bases() -> Case:
    turn = np.eye(4)[[1, 0, 3, 2]]
    weights = (
        gaussian_coefficient(turn, 1.7, Mechanism("trigonometric", "simplex", 8), sign=-1),
        Angular(6),
    )
    bases = (
        Mechanism("positive", "orthogonal", 32),
        Mechanism("trigonometric", "simplex", 16),
        Mechanism(ComplexExponential(contracts.COMPLEX), "orthogonal", 32),
    )
    variances = (
        covariance(positive(X, Y), "orthogonal", 32),
        covariance(fourier(X, Y), "simplex", 16),
        covariance(exponential(X, Y, contracts.COMPLEX), "orthogonal", 32),
    )
    x, y = X / 1.7, turn @ Y / 1.7
    first = gaussian(0.0, 1.0, kernel(x, y), covariance(fourier(x, y), "simplex", 8))
    return Case(Hybrid(bases, weights), hybrid_variance(np.diag(variances), [first, angular(6)]))


def mixture_bases() -> list[Terms]:
    return [exponential(X, Y, matrix) for matrix in centre_matrices()]


def zero_one_case() -> Case:
    hybrid = zero_one_mixture(*CENTRES, m=32, real=False, coupling="simplex")
    nearest = [np.argmin(((centres - v) ** 2).sum(1)) for centres, v in zip(CENTRES, (X, Y), strict=True)]
    return Case(hybrid, covariance(mixture_bases()[2 * nearest[0] + nearest[1]], "simplex", 32))


def mixture_case() -> Case:
    """The weights are estimated in eight dimensions: real and imaginary parts of A x and A^-1 y."""
    hybrid = gaussian_mixture(*CENTRES, m=32, tau=3.0, n=16, coupling="orthogonal")
    weights = []
    for matrix in centre_matrices():
        x, y = stacked(matrix @ X) / 3, -stacked(np.linalg.inv(matrix) @ Y) / 3
        weights.append(gaussian(0.0, 1.0, kernel(x, y), covariance(hyperbolic(x, y), "orthogonal", 16)))
    variances = [covariance(terms, "orthogonal", 32) for terms in (*mixture_bases(), hyperbolic(X, Y))]
    return Case(hybrid, hybrid_variance(np.diag(variances), weights))


def nested_case() -> Case:
    inner = bipolar(Angular(4), 16, coupling="simplex")
    x, y = 0.7 * X, 0.7 * Y
    variances = [covariance(terms, "simplex", 16) for terms in (hyperbolic(x, y), fourier(x, y))]
    weight = normalised(0.7, 1.0, hybrid_variance(np.diag(variances), [angular(4)]))
    bases = [covariance(terms, "iid", 32) for terms in (hyperbolic(X, Y), fourier(X, Y))]
    return Case(
        bipolar(normalised_gaussian(0.7, 1.0, 4, inner), 32), hybrid_variance(np.diag(bases), [weight])
    )


def plane_case() -> Case:
    """Weights by orthogonal projections, in three dimensions."""
    x, y, n = X[:3], Y[:3], 6
    angle = math.acos(float(x @ y) / float(np.linalg.norm(x) * np.linalg.norm(y)))
    mean, pair = 1 - 2 * angle / math.pi, sign_pair(angle)
    spread = (1 + 2 * pair - 3 * mean**2) / n
    variances = [covariance(terms(x, y), "orthogonal", 33) for terms in (hyperbolic, fourier)]
    weight = gaussian(0.5, -0.5, mean, spread)
    hybrid = bipolar(Angular(n, "orthogonal"), 33, coupling="orthogonal")
    return Case(hybrid, hybrid_variance(np.diag(variances), [weight]), kernel(x, y), dim=3)


HYBRIDS = {
    "angular": lambda: angular_case(False),
    "angular, shared": lambda: angular_case(True),
    "gaussian, shared": gaussian_case,
    "three bases": three_bases,
    "zero-one mixture": zero_one_case,
    "gaussian mixture": mixture_case,
    "nested": nested_case,
    "orthogonal weights": plane_case,
}

COUNTS = {
    "poisson": (Poisson(0.15), stats.poisson(0.15).logpmf),
    "geometric": (GeometricCounts(0.8), stats.geom(0.8, loc=-1).logpmf),
}
SHIFT = (-0.3, -0.4, -0.5, -0.2)


def discrete_case(name: str, shift: tuple[float, ...] | None) -> Case:
    law, log_weight = COUNTS[name]
    moved = np.zeros(4) if shift is None else np.array(shift)
    variance = discrete_second(log_weight, X - moved, Y - moved) - kernel(X, Y) ** 2
    return Case(DiscreteMechanism(law, 32, shift), variance / 32)


CASES = HYBRIDS | {
    f"{name}{', shifted' if shift else ''}": partial(discrete_case, name, shift)
    for name, shift in itertools.product(COUNTS, (None, SHIFT))
}


def errors(case: Case, mechanism: RandomFeatures) -> Moments:
    stream = Stream.named("contracts", kind="native")

    def statistic(blocks: range) -> np.ndarray:
        error = mechanism.estimate(stream, blocks, X[: case.dim], Y[: case.dim]) - case.mean
        return np.stack((error, error**2), axis=1)

    return run(statistic, case.blocks, leaf=2**12)


@pytest.mark.parametrize("which", CASES)
def test_means_and_variances(which):
    case = CASES[which]()
    moments = errors(case, case.mechanism)
    assert verdicts(moments, case.variance) == AGREES
    assert contracts.planted(moments, case.variance, case.mean) == REFUTED


# ---- planted errors


class OneCount(DiscreteMechanism):
    """The first vector of counts in place of all of them."""

    def counts(self, stream, blocks, d, xp=np):
        found = super().counts(stream, blocks, d, xp)
        return np.broadcast_to(found[:, :1], found.shape)


class WrongRate(Poisson):
    """Weights of another rate than that of the counts."""

    def log_weights(self, counts, xp):
        return Poisson(1.2 * self.rate).log_weights(counts, xp)


def rebuilt(which: str, **changed: object) -> RandomFeatures:
    return replace(HYBRIDS[which]().mechanism, **changed)


def swapped() -> RandomFeatures:
    """lambda and 1 - lambda in each other's place."""
    return rebuilt("angular", bases=HYBRIDS["angular"]().mechanism.bases[::-1])


def other_coupling() -> RandomFeatures:
    bases = HYBRIDS["three bases"]().mechanism.bases
    return rebuilt("three bases", bases=tuple(Mechanism(b.feature_map, "iid", b.m) for b in bases))


PLANTED = {
    "weights in each other's place": ("angular", swapped),
    "independent projections": ("gaussian, shared", lambda: rebuilt("gaussian, shared", shared=False)),
    "independent rows": ("three bases", other_coupling),
    "the real matrix": (
        "zero-one mixture",
        lambda: zero_one_mixture(*CENTRES, m=32, real=True, coupling="simplex"),
    ),
    "few weights": (
        "gaussian mixture",
        lambda: gaussian_mixture(*CENTRES, m=32, tau=3.0, n=1, coupling="iid"),
    ),
    "no inner hybrid": (
        "nested",
        lambda: bipolar(normalised_gaussian(0.7, 1.0, 4, Mechanism("trigonometric", "iid", 1)), 32),
    ),
    "one vector of counts": ("poisson", lambda: OneCount(COUNTS["poisson"][0], 32)),
    "one vector of geometric counts": ("geometric", lambda: OneCount(COUNTS["geometric"][0], 32)),
    "weights of another rate": ("poisson", lambda: DiscreteMechanism(WrongRate(0.15), 32)),
    "no shift": ("poisson, shifted", lambda: DiscreteMechanism(COUNTS["poisson"][0], 32)),
    "another shift": (
        "geometric, shifted",
        lambda: DiscreteMechanism(COUNTS["geometric"][0], 32, (-0.5, -0.5, -0.5, -0.5)),
    ),
}


@pytest.mark.parametrize(("coupling", "outcome"), [("orthogonal", Outcome.AGREES), ("iid", Outcome.REFUTED)])
def test_angular_weights_by_orthogonal_projections(coupling, outcome):
    """The weight alone, which has 4 values at 3 projections; independent projections have another variance."""
    x, y, n = X[:3], Y[:3], 3
    angle = math.acos(float(x @ y) / float(np.linalg.norm(x) * np.linalg.norm(y)))
    signs = 1 - 2 * angle / math.pi
    exact = (1 + 2 * sign_pair(angle) - 3 * signs**2) / (4 * n)
    stream = Stream.named("contracts", kind="native")

    def statistic(blocks: range) -> np.ndarray:
        error = Angular(n, coupling).estimate(stream, blocks, x, y) - angle / math.pi
        return np.stack((error, error**2), axis=1)

    assert verdicts(run(statistic, contracts.BLOCKS, leaf=2**12), exact) == (Outcome.AGREES, outcome)


@pytest.mark.parametrize("which", PLANTED)
def test_planted_errors_are_refuted(which):
    name, wrong = PLANTED[which]
    case = CASES[name]()
    assert Outcome.REFUTED in verdicts(errors(case, wrong()), case.variance)
