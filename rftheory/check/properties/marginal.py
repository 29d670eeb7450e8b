"""Marginal law of one projection: norms, mean, coordinates."""

from __future__ import annotations

import numpy as np

from rftheory.check.findings import Finding, Level, chi_square_sum, ks, symmetric
from rftheory.check.measures import MatrixMeasures

PROPERTY = "marginal"


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Mean square of the norms, law of the norms, means of all entries, law of a coordinate."""
    case, row = measures.case, measures.case.row
    found = []
    if row.gaussian and case.coupling.norms and _norms_promised(measures):
        squares = measures.squares
        label = "mean of |w|^2 is d (chi squared, exact)"
        found.append(
            chi_square_sum(PROPERTY, label, float(squares.sum()), squares.size * case.d, level, goal=0.06)
        )
    if _norms_promised(measures):
        law = "chi" if row.gaussian else "the multivariate t law"
        found.append(ks(PROPERTY, f"norms have {law}", measures.squares, row.norm_square_cdf, level))
    label = "means of the entries of W are 0"
    sums, squares = measures.sum_rows, measures.sum_squares
    found.append(symmetric(PROPERTY, label, sums, squares, measures.calls, level, goal=0.35))
    if case.coupling.rows:
        lead = measures.over["lead"]
        for name in ("e_1", "random"):
            values = lead @ case.directions[name]
            found.append(
                ks(PROPERTY, f"w . a of the first row, a = {name}", values, row.coordinate_cdf, level)
            )
    return found


def _norms_promised(measures: MatrixMeasures) -> bool:
    """Whether norms have the law of the kernel: fast rotations keep it only where they need no padding."""
    coupling, d = measures.case.coupling, measures.case.d
    return coupling.rows or "givens" in coupling.name or (d & (d - 1)) == 0


def scale(measures: MatrixMeasures) -> float:
    """sqrt of the mean of |w|^2 / d."""
    return float(np.sqrt(measures.over["squares"].mean() / measures.case.d))
