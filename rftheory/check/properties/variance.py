"""Variance: squared errors are no larger than under the exact law of the declared mechanism.

Smaller squared errors are no defect, but are said to be lower than declared, not to agree.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from rftheory.check.findings import Finding, Level, nonnegative_mean
from rftheory.check.laws import error_law
from rftheory.check.measures import FAR, EstimateMeasures, MatrixMeasures, Pair
from rftheory.check.properties.unbiasedness import kernel, law_of

PROPERTY = "variance"
GOAL = 0.6
"""The relative error of a variance that must be visible: that between orthogonal blocks and independent rows."""
REACHED = 0.1
"""Where moments are only bounded, the goal in units of sqrt(E Y^2) / E Y that some thousand calls reach."""


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Test the variance over calls of the averages of cos(w.v) and of exp(w.v), |v| = 1."""
    case = measures.case
    if not (case.coupling.moments and case.row.gaussian):
        return []
    found = []
    for kind, feature, unit in (("cos", "trigonometric", 1.0), ("exp", "positive", math.exp(-0.5))):
        law = error_law(feature, case.coupling.moments, case.d, case.m, 1.0, order=8)
        if law is None or not law.moments:
            continue
        claimed = math.exp(-0.5) if kind == "cos" else 1.0
        errors = (measures.over[f"{kind} random"] * unit - claimed) ** 2
        label = f"variance of the average of {kind}(w.v)"
        goal = max(GOAL, REACHED * math.sqrt(law.moments[2]) / law.mean) if law.bound else GOAL
        found.append(
            nonnegative_mean(PROPERTY, label, errors, law.mean, law.moments, level, goal, at_most=True)
        )
    return found


def of_estimates(measures: EstimateMeasures, level: Level) -> list[Finding]:
    """Test the squared errors of the estimates of two pairs, if m and the exact law are known."""
    if not measures.case.m_given:
        return []
    found = []
    for pair in chosen(measures):
        label = f"variance of K^ at {pair.name}"
        law = law_of(measures, pair, order=8)
        if law is None:  # no law to test against; means are tested elsewhere
            continue
        errors = (measures.of(pair) - kernel(measures, pair)) ** 2
        one = nonnegative_mean(PROPERTY, label, errors, *law.square, level, GOAL, at_most=True)
        found.append(replace(one, assumes="law", place=pair.name))
    return found


def chosen(measures: EstimateMeasures) -> list[Pair]:
    """The pairs whose squared errors are tested."""
    if measures.case.features == "angular-hybrid":
        return measures.pairs[-2:]
    return [p for p in measures.pairs if p.name in ("x random, y = 0", "x orthogonal to y")]


def projections(measures: EstimateMeasures) -> int | None:
    """About how many independent projections have errors like those seen; None if their law is not known."""
    found = []
    for pair in measures.pairs:
        law, gaps = law_of(measures, pair), measures.of(pair) - measures.of(pair).mean()
        spread = float((gaps**2).mean())
        if law is not None and law.second > 1e-14 * law.mean**2 and spread > 0:
            found.append((float((gaps**4).mean()) / spread**2, law.second / spread))
    return max(1, round(min(found)[1])) if found else None  # where the spread is known best


def at_far(measures: EstimateMeasures) -> np.ndarray:
    """Estimates for the pair whose kernel is nearly 0, so that trigonometric estimates have both signs."""
    return measures.of(far(measures))


def far(measures: EstimateMeasures) -> Pair:
    """The pair whose kernel is nearly 0."""
    return next(pair for pair in measures.pairs if pair.name == FAR)
