"""What the contract tests share: inputs, feature maps with their terms, draws for several maps, verdicts, a spoiler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rftheory.engine import Moments, run
from rftheory.judge import Budget, Outcome
from rftheory.sample import ComplexExponential, Gerf, Mechanism, Stream, feature_map, oprf
from rftheory.sample.arrays import namespace
from rftheory.sample.features import FeatureMap, summed
from rftheory.sample.mechanisms import joint_pair_terms
from tests.statistical.exact_laws import (
    Law,
    Terms,
    exponential,
    fourier,
    gerf,
    hyperbolic,
    oprf_parameter,
    positive,
)
from tests.statistical.normal import normal_test

BUDGET = Budget(1e-9)
D = 4
X, Y = np.array([0.5, -0.2, 0.1, 0.3]), np.array([-0.2, 0.3, -0.4, 0.1])
SQUARE = np.array([[1.0, 0.2, 0.0, 0.0], [0.0, 0.8, 0.3, 0.0], [-0.1, 0.0, 1.2, 0.1], [0.0, 0.4, 0.0, 0.9]])
COMPLEX = SQUARE + 0.3j * SQUARE.T
BLOCKS, LEAF = 32_768, 4096
TOLERANCE = 0.15
"""Relative error of a variance that has to be seen."""


def maps(x: np.ndarray, y: np.ndarray, a: complex) -> dict[str, tuple[FeatureMap, Terms]]:
    """All feature maps with their terms at this pair; ``a`` is the parameter of the complex GERF."""
    d = len(x)
    square, mixed = SQUARE[:d, :d], COMPLEX[:d, :d]
    return {
        "positive": (feature_map("positive"), positive(x, y)),
        "hyperbolic": (feature_map("hyperbolic"), hyperbolic(x, y)),
        "trigonometric": (feature_map("trigonometric"), fourier(x, y)),
        "cosine": (feature_map("cosine"), fourier(x, y)),
        "gerf": (Gerf(-0.1), gerf(x, y, -0.1)),
        "gerf, s = -1": (Gerf(-0.15, -1), gerf(x, y, -0.15, -1)),
        "gerf, complex": (Gerf(a), gerf(x, y, a)),
        "oprf": (oprf(0.6, d), gerf(x, y, oprf_parameter(0.6, d))),
        "real exponential": (ComplexExponential(square), exponential(x, y, square)),
        "complex exponential": (ComplexExponential(mixed), exponential(x, y, mixed)),
    }


def with_phases(name: str, law: Law) -> Law:
    """Phases add cos(w . (x + y) + 2 b) to a Fourier term, of mean 0 and uncorrelated with everything."""
    return law._replace(second=law.second + 0.5) if name == "cosine" else law


def sampled(features, coupling, m, x, y, centres, *, via="frame", blocks=BLOCKS) -> Moments:
    """Moments of the errors of the estimates by the same projections, and then of their squares."""
    mechanisms = [Mechanism(feature, coupling, m) for feature in features]
    stream, xp = Stream.named("contracts", kind="native"), namespace("numpy")

    def statistic(blocks: range) -> np.ndarray:
        terms = joint_pair_terms(mechanisms, stream, blocks, x, y, "gaussian", via)
        errors = np.stack([summed(one, xp) for one in terms], axis=1) - centres
        return np.concatenate((errors, errors**2), axis=1)

    return run(statistic, blocks, leaf=LEAF)


def judged(
    moments: Moments, column: int, claimed: float, variance_of_one: float, tolerance: float
) -> Outcome:
    return normal_test(float(moments.mean[column]), moments.n, claimed, variance_of_one, BUDGET, tolerance)


def verdicts(moments: Moments, exact: float, column: int = 0) -> tuple[Outcome, Outcome]:
    """Of the mean of an error, with the exact variance, and of the variance."""
    square = column + len(moments.mean) // 2
    return (
        judged(moments, column, 0.0, exact, 0.03),
        judged(moments, square, exact, float(moments.variance[square]), TOLERANCE),
    )


def planted(moments: Moments, exact: float, mean: float, column: int = 0) -> tuple[Outcome, Outcome]:
    """The same two verdicts on a mean that is off by 3 % and a variance that is off by the tolerance."""
    square = column + len(moments.mean) // 2
    return (
        judged(moments, column, 0.03 * mean, exact, 0.05),
        judged(moments, square, (1 + TOLERANCE) * exact, float(moments.variance[square]), 0.2),
    )


AGREES = (Outcome.AGREES, Outcome.AGREES)
REFUTED = (Outcome.REFUTED, Outcome.REFUTED)


@dataclass(frozen=True)
class OneRotation:
    """The rotation of the first block in every block of the stack."""

    inner: object

    def size(self, d: int) -> int:
        return self.inner.size(d)

    def rotate(self, stream, blocks, copies, vectors):
        return np.repeat(self.inner.rotate(stream, blocks, 1, vectors), copies, axis=1)
