"""Marginal law of one projection: norms, mean, coordinates."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from rftheory.check.findings import (
    Finding,
    Level,
    chi_square_sum,
    extremes,
    gamma_spread,
    ks,
    nonnegative_mean,
    rarely,
    symmetric,
)
from rftheory.check.laws import spread_law
from rftheory.check.measures import MatrixMeasures
from rftheory.check.properties.coupling import norms_depend

PROPERTY = "marginal"
SPREAD_CALLS = 4096
"""The spread of the norms is to be known as well as this many calls allow."""


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Test the mean square and the law of the norms, the means of all entries, and the law of a coordinate.

    Rows of a call count as independent if that is promised and not seen to be wrong; else each call counts as one.
    """
    case, row = measures.case, measures.case.row
    alone = norms_depend(measures)
    found = []
    if _norms_promised(measures):
        squares, each = measures.squares, np.arange(measures.calls)
        rows = squares[each, each % squares.shape[1], None] if alone else squares  # in turn
        found += _norms(rows, measures, level)
    if case.coupling.cut(case.d):
        found.append(_mean_of_cut(measures, level))
    if _norms_promised(measures) or not row.radial:
        zeros = rarely(PROPERTY, "rows that are zero", measures.over["zero_rows"], 1e-6, level, goal=0.06)
        found.append(zeros)
    label = "means of the entries of W are 0"
    sums, squares = measures.sum_rows, measures.sum_squares
    found.append(symmetric(PROPERTY, label, sums, squares, measures.calls, level, goal=0.35))
    if case.coupling.rows:
        lead = measures.over["lead"]
        for name in ("e_1", "random"):
            cdf = row.projection_cdf(case.directions[name])
            if cdf is not None:
                values = lead @ case.directions[name]
                found.append(ks(PROPERTY, f"w . a of the first row, a = {name}", values, cdf, level))
        if not row.radial:
            label = f"coordinates of the first row have the {row.coordinate.capitalize()} law"
            found.append(ks(PROPERTY, label, lead, row.coordinate_cdf, level))
        if row.gaussian:
            found += _coordinates(measures, level, alone)
    return found


def _norms(squares: np.ndarray, measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Test squared norms of independent rows (B, k)."""
    case, row = measures.case, measures.case.row
    found = []
    if row.gaussian and case.coupling.norms:
        label = "mean of |w|^2 is d (chi squared, exact)"
        found.append(
            chi_square_sum(
                PROPERTY, label, float(squares.sum()), squares.size * case.d, level, goal=0.06,
                calls=measures.calls, squares=float((squares.sum(1) ** 2).sum()),
            )
        )  # fmt: skip
        found.append(_norm_spread(squares, measures, level))
    law = "the chi law" if row.gaussian else "the multivariate t law"
    found.append(ks(PROPERTY, f"norms have {law}", squares, row.norm_square_cdf, level))
    label = "smallest and largest |w|^2"
    return [*found, extremes(PROPERTY, label, squares, row.norm_square_cdf, row.norm_square_sf, level)]


def _mean_of_cut(measures: MatrixMeasures, level: Level) -> Finding:
    """Test the mean of |w|^2 of rows cut to d columns, by averages over the rows of a call.

    These have no larger moments than the longest square of a row, which was whole: of D = 2^i coordinates, chi squared,
    or D where norms are fixed.
    """
    case, values = measures.case, measures.over["squares"].mean(1)
    size = float(case.coupling.size(case.d))
    longer = 0 if case.coupling.norm_law == "fixed" else 2
    moments = {k: math.prod(size + longer * j for j in range(k)) for k in (2, 3, 4)}
    return nonnegative_mean(PROPERTY, "mean of |w|^2 is d", values, float(case.d), moments, level, goal=0.25)


def _norm_spread(squares: np.ndarray, measures: MatrixMeasures, level: Level) -> Finding:
    """Test the spread of |w|^2, whose variance is 1/(d - 1) too large if chi has d - 1 degrees of freedom, rescaled."""
    d, rows = measures.case.d, squares.shape[1]
    goal = min(0.3, max(1.25 / d, 10.5 * math.sqrt(2 / (min(SPREAD_CALLS, measures.available) * rows))))
    label = "variance of |w|^2 is 2 d (chi squared, exact)"
    return gamma_spread(PROPERTY, label, squares / d, d / 2, level, goal)


def _coordinates(measures: MatrixMeasures, level: Level, alone: bool) -> list[Finding]:
    """Test fourth moments and the largest coordinates of the first rows of blocks, or calls, against normal ones."""
    case = measures.case
    count = case.d * (1 if alone else len(range(case.m)[case.leads]))

    def log_cdf(size: float) -> float:  # of the largest size in one call
        return count * math.log1p(-min(2 * float(special.ndtr(-size)), 1 - 1e-16))

    values = np.abs(measures.over["lead"]).max(1) if alone else measures.over["largest_coordinate"]
    label = f"largest coordinates of the first rows of {'calls' if alone else 'blocks'}"
    return [
        _coordinate_spread(count, measures, level),
        extremes(
            PROPERTY, label, values, lambda x: math.exp(log_cdf(x)), lambda x: -math.expm1(log_cdf(x)), level
        ),
    ]


def _coordinate_spread(count: int, measures: MatrixMeasures, level: Level) -> Finding:
    """Test squared deviations of squared coordinates from 1 against those of chi squared.

    An average over rows that depend on each other has no larger moments than one row of ``count`` coordinates.
    """
    law, values = spread_law(count), measures.over["coordinate_spread"]
    label = "variance of the squared coordinates is 2"
    return nonnegative_mean(PROPERTY, label, values, 1.0, law.above(0.0), level, goal=0.3)


def _norms_promised(measures: MatrixMeasures) -> bool:
    """Whether the promised norms have the law of the kernel; with fast rotations, only if no padding is needed."""
    coupling, d = measures.case.coupling, measures.case.d
    if coupling.norm_law == "fixed" or not measures.case.row.radial:
        return False
    return not coupling.cut(d)


def scale(measures: MatrixMeasures) -> float:
    """Square root of the mean of |w|^2 / d."""
    return float(np.sqrt(measures.over["squares"].mean() / measures.case.d))
