"""Blocks: different blocks share nothing; nor do different calls."""

from __future__ import annotations

import numpy as np

from rftheory.check.findings import Finding, Level, fact, ks, z_mean
from rftheory.check.laws import cosine_cdf
from rftheory.check.measures import MatrixMeasures
from rftheory.check.properties.coupling import independence

PROPERTY = "blocks"


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Angles and norms across blocks; rows that occur twice; neighbouring calls."""
    case = measures.case
    found = []
    if case.coupling.blocks and case.m >= 2 * case.block and case.d > 1 and case.coupling.rows:
        label = "cosine between first rows of two blocks (Beta law)"
        found.append(ks(PROPERTY, label, measures.over["across"][:, 0], cosine_cdf(case.d), level))
        if case.coupling.norms:
            label = "norms of different blocks are independent"
            rows = np.arange(case.m - case.block)
            rows = rows[rows // case.block % 2 == 0]  # each row in one pair
            found.append(independence(PROPERTY, label, measures, rows, case.block, level))
    if measures.calls > 1:
        found.append(_repeated(measures))
        if case.row.gaussian and case.coupling.rows and case.coupling.norms:
            lags = measures.over["lags"] / np.sqrt(case.m * case.d)
            if case.coupling.angle == "free":
                label = "neighbouring calls are uncorrelated"
                found.append(z_mean(PROPERTY, label, lags, 0.0, 1.0, level, 0.35, skewness=0.0))
    return found


def _repeated(measures: MatrixMeasures) -> Finding:
    """Rows that occur again: of probability zero for a continuous law.

    In single precision a few of a hundred thousand rows agree by chance; hence the share, not the number.
    """
    share = repeated_share(measures)
    label = "no row occurs twice in the run"
    holds = share < 1e-3 or measures.case.d == 1
    return fact(PROPERTY, label, holds, measures.calls, share, "share of rows", goal=1e-3)


def repeated_share(measures: MatrixMeasures) -> float:
    """Share of the rows of the last two hundred calls that occur more than once, by norm and one inner product."""
    marks = measures.over["marks"][-200 * measures.case.m :]
    squares = measures.over["squares"].ravel()[-len(marks) :]
    kept = squares > 1e-12
    rows = np.stack([np.round(marks[kept], 9), np.round(squares[kept], 9)], axis=1)
    if len(rows) == 0:
        return 0.0
    return 1 - len(np.unique(rows.view([("a", float), ("b", float)]))) / len(rows)
