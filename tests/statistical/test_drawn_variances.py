"""Variances without an exact law against an independent simulation by NumPy, whose own error counts.

simplex+ in four dimensions: eq. (17) of Reid et al. 2023 ends in one of many closed polygons. Butterflies on complex
vectors in four dimensions: estimates depend on all eight angles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pytest
from scipy import linalg

from rftheory.judge import Outcome
from rftheory.sample import COUPLINGS
from rftheory.sample.fast_rotations import GIVENS
from rftheory.sample.projections import Coupling, Geometric
from rftheory.sample.simplex_plus import SimplexPlus
from tests.statistical import contracts
from tests.statistical.contracts import AGREES, REFUTED, TOLERANCE, OneRotation, judged
from tests.statistical.exact_laws import simplex_rows

X, Y = contracts.X / 2, contracts.Y / 2
D, M = 4, 32
MAPS = contracts.maps(X, Y, -0.05 + 0.05j)
DRAWN = 30_000
Rotations = Callable[[np.random.Generator], np.ndarray]


# ---- the simulation


def haar(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.standard_normal((DRAWN, D, D)))
    return q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]


def hadamard(rng: np.random.Generator) -> np.ndarray:
    rotation = np.broadcast_to(np.eye(D), (DRAWN, D, D))
    for _ in range(3):
        signs = rng.choice((-1.0, 1.0), size=(DRAWN, D, 1))
        rotation = linalg.hadamard(D) / math.sqrt(D) @ (signs * rotation)
    return rotation


def butterflies(rng: np.random.Generator) -> np.ndarray:
    rotation = np.tile(np.eye(D), (DRAWN, 1, 1))
    for i, j in 2 * [(0, 1), (2, 3), (0, 2), (1, 3)]:
        angle = rng.uniform(0, 2 * math.pi, (DRAWN, 1))
        low, high = rotation[:, i].copy(), rotation[:, j].copy()
        rotation[:, i] = np.cos(angle) * low - np.sin(angle) * high
        rotation[:, j] = np.sin(angle) * low + np.cos(angle) * high
    return rotation


def closed(norms: np.ndarray) -> np.ndarray:
    """Directions after a hundred sweeps of eq. (17): each vector turns away from the sum of the others."""
    lengths = norms.T
    w = lengths[:, None] * simplex_rows(D)[:, :, None]
    for _ in range(100):
        for i in range(D):
            others = w.sum(0) - w[i]
            w[i] = -others * (lengths[i] / np.sqrt((others**2).sum(0)))
    return (w / lengths[:, None]).transpose(2, 0, 1)


@lru_cache
def squared_norms() -> np.ndarray:
    return np.random.default_rng(0).chisquare(D, (DRAWN, D))


@lru_cache
def rows(shape: str) -> np.ndarray:
    return (
        {"": np.eye(D), "simplex": simplex_rows(D)}[shape]
        if shape != "plus"
        else closed(np.sqrt(squared_norms()))
    )


@dataclass(frozen=True)
class Simulated:
    """Mean and variance of an estimate by M projections, and what their errors add to those of the draws."""

    mean: float
    variance: float
    mean_spread: float
    variance_spread: float


def simulated(name: str, directions: np.ndarray, draws: int) -> Simulated:
    terms, squares, copies = MAPS[name][1], squared_norms(), M // D
    estimates = sum(
        (t.a * np.exp(t.alpha * squares + t.b * np.sqrt(squares) * (directions @ t.v))).real for t in terms
    )
    means = estimates.mean(1)
    deviations = (means - means.mean()) ** 2
    # Phases add half a variance of their own to each projection.
    variance = (float(deviations.mean()) + (0.5 / D if name == "cosine" else 0.0)) / copies
    share = draws / DRAWN
    return Simulated(
        float(means.mean()), variance, share * variance * copies, share * float(deviations.var()) / copies**2
    )


# ---- the samplers against it


@dataclass(frozen=True)
class Case:
    coupling: Coupling
    rotations: Rotations
    shape: str
    names: tuple[str, ...] = tuple(MAPS)
    blocks: int = contracts.BLOCKS


CASES = {
    "simplex+": Case(
        Geometric("simplex+", shape=SimplexPlus(tolerance=1e-6)),
        haar,
        "plus",
        # Those with longer tails are judged by the exact law in three dimensions.
        ("trigonometric", "cosine", "gerf, complex", "oprf"),
    ),
    "hadamard-simplex+": Case(COUPLINGS["hadamard-simplex+"], hadamard, "plus"),
    "givens-orthogonal": Case(COUPLINGS["givens-orthogonal"], butterflies, "", ("complex exponential",)),
    "givens-simplex": Case(COUPLINGS["givens-simplex"], butterflies, "simplex", ("complex exponential",)),
}

Pair = tuple[Outcome, Outcome]


def judged_against(case: Case, coupling: Coupling) -> dict[str, tuple[Pair, Pair]]:
    """Verdicts on mean and variance, and on a mean that is off by 3 % and a variance that is by the tolerance."""
    directions = rows(case.shape) @ case.rotations(np.random.default_rng(1))
    expected = {name: simulated(name, directions, case.blocks) for name in case.names}
    centres = np.array([law.mean for law in expected.values()])
    features = [MAPS[name][0] for name in case.names]
    moments = contracts.sampled(features, coupling, M, X, Y, centres, blocks=case.blocks)

    def verdicts(column: int, law: Simulated, shift: float, factor: float) -> Pair:
        square = column + len(case.names)
        spread = float(moments.variance[square]) + law.variance_spread
        return (
            judged(moments, column, shift, law.variance + law.mean_spread, 0.05),
            judged(moments, square, factor * law.variance, spread, 0.2),
        )

    return {
        name: (verdicts(k, law, 0.0, 1.0), verdicts(k, law, 0.03 * law.mean, 1 + TOLERANCE))
        for k, (name, law) in enumerate(expected.items())
    }


@pytest.mark.parametrize("which", CASES)
def test_means_and_variances(which):
    case = CASES[which]
    assert judged_against(case, case.coupling) == dict.fromkeys(case.names, (AGREES, REFUTED))


PLANTED = {
    "simplex+": ("trigonometric", COUPLINGS["simplex"]),
    "hadamard-simplex+": ("positive", COUPLINGS["hadamard-simplex"]),
    "givens-orthogonal": ("complex exponential", Geometric("wrong", rotation=OneRotation(GIVENS))),
    "givens-simplex": ("complex exponential", COUPLINGS["givens-orthogonal"]),
}


@pytest.mark.parametrize("which", PLANTED)
def test_planted_errors_are_refuted(which):
    name, coupling = PLANTED[which]
    found, _ = judged_against(replace(CASES[which], names=(name,)), coupling)[name]
    assert Outcome.REFUTED in found
