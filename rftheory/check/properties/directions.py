"""Directions: uniform on the whole sphere, and independent of the norms."""

from __future__ import annotations

import numpy as np
from scipy import special

from rftheory.check.findings import Finding, Level, chi_square_sum, ks, symmetric
from rftheory.check.laws import cosine_cdf
from rftheory.check.measures import MatrixMeasures

PROPERTY = "directions"


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Test cosines with fixed vectors, second moments, signs against a Hadamard pattern, norms against directions."""
    case = measures.case
    found = []
    if case.coupling.uniform and case.row.radial and case.d > 1:
        cosines = measures.over["lead_directions"]
        for i, name in enumerate(case.directions):
            label = f"cosine of the first rows of blocks with {name} (Beta law)"
            found.append(ks(PROPERTY, label, cosines[..., i], cosine_cdf(case.d), level))
    if case.row.gaussian:
        found += _moments(measures, level)
    return found


def _moments(measures: MatrixMeasures, level: Level) -> list[Finding]:
    case, d = measures.case, measures.case.d
    n = measures.calls * len(range(case.m)[case.leads])
    found = []
    if case.coupling.rows and d > 1:
        for label, sums, spread in (
            ("second moments of coordinates are 1", measures.lead_squares, measures.lead_fourths),
            ("second moments of (w_j + w_k)/sqrt 2 are 1", measures.lead_pairs, measures.pair_fourths),
        ):
            found.append(_worst_square(label, sums, spread, n, measures.calls, level))
    if case.coupling.blocks:  # W and -W then have the same law
        label = "entries of W against a Hadamard pattern of signs"
        found.append(_contrast(measures, "hadamard", label, level))
    if case.coupling.rows and case.coupling.norms and d > 1:
        for name in ("trend", "diagonal"):
            label = f"|w|^2 is independent of the direction ({name} contrast)"
            found.append(_contrast(measures, name, label, level))
    return found


def _contrast(measures: MatrixMeasures, name: str, label: str, level: Level) -> Finding:
    values = measures.over[name]
    return symmetric(PROPERTY, label, values.sum(), (values**2).sum(), len(values), level, 0.35)


def _worst_square(
    label: str, sums: np.ndarray, spread: np.ndarray, n: int, calls: int, level: Level
) -> Finding:
    """The most extreme of d sums of n squares of standard normal values, by Bonferroni's inequality."""
    extremes = np.minimum(special.chdtr(n, sums), special.chdtrc(n, sums))
    worst = int(np.argmin(extremes))
    return chi_square_sum(
        PROPERTY, f"{label}, worst at {worst}", float(sums[worst]), n, level, goal=0.5, tests=len(sums),
        calls=calls, squares=float(spread[worst]),
    )  # fmt: skip
