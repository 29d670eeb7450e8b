"""Coupling: the angles inside a block, and the independence of its norms."""

from __future__ import annotations

import numpy as np

from rftheory.check.findings import Finding, Level, fact, ks, symmetric
from rftheory.check.laws import cosine_cdf
from rftheory.check.measures import MatrixMeasures

PROPERTY = "coupling"
FLOAT32_GAP = 2e-4
"""Largest |cosine - promised one| that rounding in single precision explains, for d <= 4096 and one QR."""


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Test fixed angles to rounding, or the law of free angles, and that norms of pairs of rows are uncorrelated."""
    case = measures.case
    if min(case.m, case.d) < 2:
        return []
    found = []
    found += _tied_norms(measures)
    if case.coupling.gram(case.d) is not None:
        target = case.coupling.cosine(case.d)
        own = f"those of {case.coupling.name}" if target is None else f"of the cosine {target:.6g}"
        label = f"angles inside blocks are {own}"
        gap = max(measures.row_gap, measures.rest_gap)
        found.append(fact(PROPERTY, label, gap < FLOAT32_GAP, measures.calls, gap, "largest gap",
                          goal=FLOAT32_GAP))  # fmt: skip
    elif case.coupling.angle == "free" and case.row.radial:
        label = "cosine between two rows (Beta law)"
        found.append(ks(PROPERTY, label, measures.over["pair"], cosine_cdf(case.d), level))
    if "hadamard" in case.coupling.name and case.d >= 8 and case.d & (case.d - 1) == 0:
        found.append(_rounds(measures))
    if case.coupling.norms and case.coupling.rows:
        label = f"{sizes(measures)} inside blocks are independent"
        found.append(norms_independent(PROPERTY, label, measures, measures.pairs(inside=True), level))
    return found


def _rounds(measures: MatrixMeasures) -> Finding:
    """With k < 3 factors H D, the entries of unit rows are multiples of d^(-k/2) in every draw."""
    label = "directions come from three Hadamard factors or more"
    holds = measures.rounds == 0
    return fact(PROPERTY, label, holds, measures.calls, float(measures.rounds), "factors")


def _tied_norms(measures: MatrixMeasures) -> list[Finding]:
    """Norms that are fixed, shared by two rows, or at opposite quantiles, to single precision."""
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


def sizes(measures: MatrixMeasures) -> str:
    """What is compared for two rows: norms or, if these have no closed law, sizes of the first coordinates."""
    return "norms" if measures.case.row.radial else "sizes of first coordinates"


def norms_independent(
    prop: str, label: str, measures: MatrixMeasures, chosen: np.ndarray, level: Level
) -> Finding:
    """Test the covariance of F(|w_i|^2) and F(|w_j|^2), which are uniform if F is the norm law, for chosen pairs.

    Centred uniform variables are symmetric, and so is the product of two independent ones.
    """
    return symmetric(
        prop, label, measures.norm_products, measures.norm_product_squares, measures.calls, level, 0.35,
        chosen=chosen, names=measures.compared,
    )  # fmt: skip
