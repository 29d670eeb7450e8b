"""Coupling: the angles inside a block, and the independence of its norms."""

from __future__ import annotations

import math

import numpy as np

from rftheory.check.findings import Finding, Level, fact, ks, z_mean
from rftheory.check.laws import cosine_cdf
from rftheory.check.measures import MatrixMeasures

PROPERTY = "coupling"
FLOAT32_GAP = 2e-4
"""Largest |cosine - promised one| that single precision explains in a product of d <= 4096 terms and one QR."""


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Fixed angles to rounding, or the law of free angles; norms of neighbouring rows uncorrelated."""
    case = measures.case
    if min(case.m, case.d) < 2:
        return []
    found = []
    target = case.coupling.cosine(case.d)
    if target is not None:
        label = f"angles inside blocks have the cosine {target:.6g}"
        found.append(fact(PROPERTY, label, measures.row_gap < FLOAT32_GAP, measures.calls, measures.row_gap,
                          "largest gap", goal=FLOAT32_GAP))  # fmt: skip
    elif case.coupling.angle == "free":
        label = "cosine between two rows (Beta law)"
        found.append(ks(PROPERTY, label, measures.over["pair"], cosine_cdf(case.d), level))
    if case.coupling.norms and case.coupling.rows:
        label = "norms inside blocks are independent"
        found.append(independence(PROPERTY, label, measures, np.arange(0, case.m - 1, 2), 1, level))
    return found


def independence(
    prop: str, label: str, measures: MatrixMeasures, rows: np.ndarray, step: int, level: Level
) -> Finding:
    """Covariance of F(|w_i|^2) and F(|w_{i+step}|^2) over disjoint pairs: uniform variables if F is the norm law.

    A product of two centred uniform variables of variance 1 has skewness 0 and kurtosis (9/5)^2.
    """
    uniform = math.sqrt(12) * (measures.case.row.norm_square_cdf(measures.over["squares"]) - 0.5)
    products = uniform[:, rows] * uniform[:, rows + step]
    pairs = products.shape[1]
    kurtosis = 3 + (3.24 - 3) / pairs
    values = products.sum(1) / math.sqrt(pairs)
    return z_mean(prop, label, values, 0.0, 1.0, level, 0.35, skewness=0.0, kurtosis=kurtosis)
