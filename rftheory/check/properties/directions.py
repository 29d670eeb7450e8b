"""Directions: uniform on the whole sphere, and independent of the norms."""

from __future__ import annotations

import numpy as np
from scipy import stats

from rftheory.check.findings import Finding, Level, chi_square_sum, ks, z_mean
from rftheory.check.laws import cosine_cdf
from rftheory.check.measures import MatrixMeasures

PROPERTY = "directions"


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Cosines with fixed vectors, second moments, signs against a Hadamard pattern, norms against directions."""
    case = measures.case
    found = []
    if case.coupling.rows and case.d > 1:
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
        for label, sums in (
            ("second moments of coordinates are 1", measures.lead_squares),
            ("second moments of (w_j + w_k)/sqrt 2 are 1", measures.lead_pairs),
        ):
            found.append(_worst_square(label, sums, n, level))
    if _pattern_known(measures):
        values = measures.over["hadamard"]
        label = "entries of W against a Hadamard pattern of signs"
        found.append(z_mean(PROPERTY, label, values, 0.0, 1.0, level, 0.35, skewness=0.0))
    if case.coupling.rows and case.coupling.norms and d > 1:
        for name in ("trend", "diagonal"):
            values = measures.over[name]
            label = f"|w|^2 is independent of the direction ({name} contrast)"
            found.append(z_mean(PROPERTY, label, values, 0.0, 1.0, level, 0.35, skewness=0.0))
    return found


def _pattern_known(measures: MatrixMeasures) -> bool:
    """Whether the pattern statistic has variance 1: rows of one call must not be correlated along it."""
    case = measures.case
    own = (case.block == case.d and case.coupling.cosine(case.d) == 0) or case.coupling.angle == "free"
    return case.coupling.blocks and (own or ((case.d & (case.d - 1)) == 0 and case.block == case.d))


def _worst_square(label: str, sums: np.ndarray, n: int, level: Level) -> Finding:
    """The most extreme of d sums of n squares of standard normal values, by Bonferroni's inequality."""
    law = stats.chi2(n)
    extremes = np.minimum(law.cdf(sums), law.sf(sums))
    worst = int(np.argmin(extremes))
    return chi_square_sum(
        PROPERTY, f"{label}, worst at {worst}", float(sums[worst]), n, level, goal=0.5, tests=len(sums)
    )
