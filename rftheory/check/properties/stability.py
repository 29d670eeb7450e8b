"""Stability: large norms, and the type of the numbers."""

from __future__ import annotations

import math

import numpy as np

from rftheory.check.findings import Finding, Level, fact, open_question, rarely
from rftheory.check.measures import MANTISSA, Case, EstimateMeasures, MatrixMeasures
from rftheory.check.target import Target
from rftheory.errors import SamplerFailed

PROPERTY = "stability"
LARGE, LARGE_SOFTMAX = 40.0, 8.0
"""Norms of the large inputs: the softmax kernel itself leaves the float range at |x| = 27."""
FAR = 6.0
"""Norm of inputs at which nothing may vanish yet."""


def of_matrices(target: Target) -> list[Finding]:
    """Entries are finite (anything else has raised) and of a floating type of 32 bits or more."""
    kind = target.dtype
    good = kind in ("float32", "float64", "float96", "float128")
    return [
        fact(
            PROPERTY,
            f"entries are {kind}, finite in every call",
            good,
            1,
            0.0,
            "",
            reason="" if good else kind,
        )
    ]


def of_entries(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Entries carry more bits than a format of 16 bits has: by chance one entry in 2^(MANTISSA - 1) does not."""
    label = f"entries need more than {MANTISSA} bits"
    chance = 2.0 ** (3 - MANTISSA)
    return [rarely(PROPERTY, label, measures.over["coarse"], chance, level, goal=0.3)]


def of_estimates(target: Target, measures: EstimateMeasures, seed: int) -> list[Finding]:
    """Estimates at norm 40: finite, and positive where the map is; no negative values of a positive map."""
    case = measures.case
    found = []
    if case.features in ("positive", "hyperbolic"):
        lowest = float(measures.over["estimates"].min())
        found.append(fact(PROPERTY, "estimates of a positive map are not negative", lowest >= 0, measures.calls,
                          lowest, "smallest"))  # fmt: skip
        found.append(_vanishing(target, case, seed))
    found.append(_large(target, case, seed))
    return found


def _vanishing(target: Target, case: Case, seed: int) -> Finding:
    """Positive features do not vanish where single precision holds them: at y = -x the estimate is exp(-2 |x|^2)."""
    x = FAR * case.lengthscale * case.directions["random"][None, :]
    label = f"estimates at |x| = {FAR:g}, y = -x do not vanish"
    try:
        with np.errstate(all="ignore"):
            value = float(target.estimates(x, -x, seed)[0])
    except SamplerFailed as error:
        return open_question(PROPERTY, label, f"the call raised: {error.problem}", 1)
    reason = "" if value else "features are 0: a format of 16 bits ends at exp(-17), use the log domain"
    return fact(PROPERTY, label, value != 0, 1, value, "", reason=reason)


def _large(target: Target, case: Case, seed: int) -> Finding:
    size = LARGE_SOFTMAX if case.kernel == "softmax" else LARGE
    label = f"estimates at |x| = {size:g} are finite"
    x = size * case.lengthscale * case.directions["random"][None, :]
    y = -x if case.kernel == "softmax" else 0.9 * x
    try:
        with np.errstate(all="ignore"):
            value = float(target.estimates(x, y, seed)[0])
    except SamplerFailed as error:
        if "Overflow" in error.problem or "FloatingPoint" in error.problem:
            return fact(
                PROPERTY, label, False, 1, math.inf, "", reason="the call overflows: use the log domain"
            )
        return open_question(PROPERTY, label, f"the call raised: {error.problem}", 1)
    if math.isnan(value) or math.isinf(value):
        return fact(PROPERTY, label, False, 1, value, "", reason=f"got {value}: use the log domain")
    return fact(PROPERTY, label, True, 1, value, "")
