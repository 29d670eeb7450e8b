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
    found += _tied_norms(measures)
    if case.coupling.gram(case.d) is not None:
        target = case.coupling.cosine(case.d)
        own = f"those of {case.coupling.name}" if target is None else f"of the cosine {target:.6g}"
        label = f"angles inside blocks are {own}"
        found.append(fact(PROPERTY, label, measures.row_gap < FLOAT32_GAP, measures.calls, measures.row_gap,
                          "largest gap", goal=FLOAT32_GAP))  # fmt: skip
    elif case.coupling.angle == "free":
        label = "cosine between two rows (Beta law)"
        found.append(ks(PROPERTY, label, measures.over["pair"], cosine_cdf(case.d), level))
    if case.coupling.norms and case.coupling.rows:
        label = "norms inside blocks are independent"
        found.append(independence(PROPERTY, label, measures, np.arange(0, case.m - 1, 2), 1, level))
    return found


def _tied_norms(measures: MatrixMeasures) -> list[Finding]:
    """Norms that are fixed, shared by two rows, or at opposite quantiles: to what single precision leaves of them."""
    case, squares = measures.case, measures.over["squares"]
    found = []
    for kind, pairs in case.coupling.tied(case.d, case.m).items():
        i, j = (np.array(pairs)[:, side] for side in (0, 1))
        if kind == "fixed":
            label, gaps = "norms are sqrt(d)", squares[:, i] / case.d - 1
        elif kind == "shared":
            label, gaps = "norms are shared", squares[:, i] / squares[:, j] - 1
        else:
            label = "norms are in pairs at opposite quantiles"
            gaps = case.row.norm_square_cdf(squares[:, i]) + case.row.norm_square_cdf(squares[:, j]) - 1
        gap = float(np.abs(gaps).max())
        found.append(
            fact(PROPERTY, label, gap < FLOAT32_GAP, measures.calls, gap, "largest gap", goal=FLOAT32_GAP)
        )
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
