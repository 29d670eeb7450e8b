"""Variance: squared errors are no larger than under the exact law of the declared mechanism.

Smaller squared errors are no defect.
"""

from __future__ import annotations

import math

import numpy as np

from rftheory.check.findings import Finding, Level, nonnegative_mean
from rftheory.check.laws import estimate_law
from rftheory.check.measures import FAR, EstimateMeasures, MatrixMeasures, Pair
from rftheory.check.properties.unbiasedness import kernel, law_of

PROPERTY = "variance"
GOAL = 0.6
"""The relative error of a variance that must be visible: that between orthogonal blocks and independent rows."""


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Test the variance over calls of the averages of cos(w.v) and of exp(w.v), |v| = 1."""
    case = measures.case
    if not (case.coupling.moments and case.row.gaussian):
        return []
    found = []
    for kind, feature, unit in (("cos", "trigonometric", 1.0), ("exp", "positive", math.exp(-0.5))):
        law = estimate_law(feature, case.coupling.moments, case.d, case.m, 1.0, order=8)
        if law is None or law.second <= 0:
            continue
        claimed = math.exp(-0.5) if kind == "cos" else 1.0
        errors = (measures.over[f"{kind} random"] * unit - claimed) ** 2
        label = f"variance of the average of {kind}(w.v)"
        found.append(nonnegative_mean(PROPERTY, label, errors, *law.square, level, GOAL, at_most=True))
    return found


def of_estimates(measures: EstimateMeasures, level: Level) -> list[Finding]:
    """Test the squared errors of the estimates of two pairs, if the exact law is known."""
    found = []
    for pair in chosen(measures):
        label = f"variance of K^ at {pair.name}"
        law = law_of(measures, pair, order=8)
        if law is None:  # no law to test against; means are tested elsewhere
            continue
        errors = (measures.of(pair) - kernel(measures, pair)) ** 2
        found.append(nonnegative_mean(PROPERTY, label, errors, *law.square, level, GOAL, at_most=True))
    return found


def chosen(measures: EstimateMeasures) -> list[Pair]:
    """The pairs whose squared errors are tested."""
    if measures.case.features == "angular-hybrid":
        return measures.pairs[-2:]
    return [p for p in measures.pairs if p.name in ("x random, y = 0", "x orthogonal to y")]


def at_far(measures: EstimateMeasures) -> np.ndarray:
    """Estimates for the pair whose kernel is nearly 0, so that trigonometric estimates have both signs."""
    pair = next(p for p in measures.pairs if p.name == FAR)
    return measures.of(pair)
