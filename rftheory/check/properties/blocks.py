"""Blocks: different blocks share nothing, and neither do different calls."""

from __future__ import annotations

import math

import numpy as np

from rftheory.check.findings import Finding, Level, fact, ks, rarely, symmetric
from rftheory.check.laws import cosine_cdf
from rftheory.check.measures import SAME_LINE, TAG, MatrixMeasures
from rftheory.check.properties.coupling import axes_independent, norms_independent

PROPERTY = "blocks"
LAST = slice(-200, None)
"""The calls whose rows are all compared with each other."""
ONE_NORM, ONE_NUMBER = 1e-3, 2.0**-23
"""Relative spread of squared norms that are one norm up to rounding, and the chance that two angles agree."""


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Test directions and norms of rows in different blocks, repeated rows, and neighbouring calls."""
    case, calls = measures.case, measures.calls
    found = []
    if case.coupling.blocks and case.m > case.block and case.d > 1:
        across = measures.pairs(inside=False)
        if case.coupling.uniform and case.row.radial:
            label = "cosine between first rows of two blocks (Beta law)"
            found.append(ks(PROPERTY, label, measures.over["across"], cosine_cdf(case.d), level))
            found.append(_same_direction(measures, level))
            found.append(axes_independent(PROPERTY, measures, level, across))
        label = "cosines between rows of different blocks have mean 0"
        found.append(
            symmetric(
                PROPERTY, label, measures.cosines, measures.cosine_squares, calls, level, 0.35,
                chosen=across, names=measures.compared,
            )
        )  # fmt: skip
        if case.coupling.blocks_of_norms:
            found += norms_independent(PROPERTY, measures, level, inside=False)
    if calls > 1:
        if not case.coupling.few_rows(case.d):
            found.append(no_row_twice(measures))
        if case.coupling.blocks:
            lags = measures.over["lags"]
            label = "inner products of neighbouring calls have mean 0"
            found.append(symmetric(PROPERTY, label, lags.sum(), (lags**2).sum(), calls - 1, level, 0.35))
    return found


def _same_direction(measures: MatrixMeasures, level: Level) -> Finding:
    """How often two rows in different blocks of a call lie on one line, to single precision."""
    d = measures.case.d
    chance = float(2 * cosine_cdf(d)(np.array(-1 + SAME_LINE)))
    label = "rows of different blocks lie on one line no more often than by chance"
    return rarely(PROPERTY, label, measures.over["lines"], chance, level, goal=0.06)


def no_row_twice(measures: MatrixMeasures) -> Finding:
    """Repeated rows, which have probability zero under a continuous law.

    In single precision a few of a hundred thousand rows agree by chance, so a share and at least three calls count,
    beyond those that agree `by_chance`.
    """
    share, again, chance = repeated_share(measures), repeated_calls(measures), by_chance(measures)
    label = "no row occurs twice in the run"
    most = 1e-3 + 2 * chance * len(measures.over["squares"][LAST]) * measures.case.m
    pairs = chance * measures.calls**2 / 2
    if measures.case.d > 1:
        holds = share < most and again < 3 + pairs + 6 * math.sqrt(pairs)
    else:
        holds = not _draws_recur(measures)
    reason = "" if holds else f"of {measures.calls} calls, {again} begin with the row of an earlier one"
    return fact(PROPERTY, label, holds, measures.calls, share, "share of rows", goal=most, reason=reason)


def by_chance(measures: MatrixMeasures) -> float:
    """The largest probability with which two rows have one tag though they were drawn independently.

    Rows of one norm have a single number as their tag, which is rounded. In two dimensions such a row is itself a
    single number, which in single precision has about 2^24 values.
    """
    d, squares = measures.case.d, measures.over["squares"][LAST]
    if squares.std() > ONE_NORM * squares.mean():
        return 0.0
    return ONE_NUMBER if d == 2 else TAG * math.sqrt(d)


def _draws_recur(measures: MatrixMeasures) -> bool:
    """Whether calls in one dimension recur as a whole: numbers alone do, in single precision or as atoms of a law."""
    draws = measures.tags().real
    different = len(np.unique(draws, axis=0))
    whole = different <= len(np.unique(draws[:, 0]))  # the first row of a draw tells the others
    return bool(measures.own_norms.sum() > 1 and whole and different <= measures.calls - 3)


def repeated_calls(measures: MatrixMeasures) -> int:
    """How many calls begin with the same row as an earlier call: with inner product and norm, not one by chance."""
    first = measures.tags(rows=slice(1))
    first = first[first.imag > 0]
    return len(first) - len(np.unique(first))


def repeated_share(measures: MatrixMeasures) -> float:
    """Share of the rows of the last two hundred calls that occur more than once, by norm and one inner product."""
    rows = measures.tags(calls=LAST)
    rows = rows[rows.imag > 0]
    return 1 - len(np.unique(rows)) / len(rows) if len(rows) else 0.0


def recur_in_calls_alone(measures: MatrixMeasures) -> bool:
    """Whether rows of the last two hundred calls occur more than once in a call, but never in two calls."""
    rows = measures.tags(calls=LAST)
    apart = sum(len(np.unique(call)) for call in rows)
    return rows.size > apart == len(np.unique(rows))
