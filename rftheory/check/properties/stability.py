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
"""Norms of large inputs; the softmax kernel itself leaves the range of floats at |x| = 27."""
FAR = 6.0
"""A norm of inputs at which no feature may vanish yet."""


def of_matrices(target: Target) -> list[Finding]:
    """Test that entries, which are finite (else an error was raised), have a floating type of at least 32 bits."""
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
    """Test that entries have more bits than a 16-bit format; by chance one in 2^(MANTISSA - 1) does not need them.

    Sums of signs need few bits in every precision.
    """
    law = measures.case.coupling
    if law.norm_law == "fixed" and (law.hadamard or measures.case.d == 1):
        return []
    label = f"entries need more than {MANTISSA} bits"
    chance = 2.0 ** (3 - MANTISSA)
    return [rarely(PROPERTY, label, measures.over["coarse"], chance, level, goal=0.3)]


def of_estimates(target: Target, measures: EstimateMeasures, seed: int) -> list[Finding]:
    """Test estimates at norm 40: finite, positive if the map is, and never negative for a positive map."""
    case = measures.case
    found = []
    if case.features in ("positive", "hyperbolic"):
        lowest = float(measures.over["estimates"].min())
        found.append(fact(PROPERTY, "estimates of a positive map are not negative", lowest >= 0, measures.calls,
                          lowest, "smallest", assumes="law"))  # fmt: skip
        found.append(_vanishing(target, case, seed))
    found.append(_large(target, case, seed))
    return found


def _vanishing(target: Target, case: Case, seed: int) -> Finding:
    """Test that positive features do not vanish within single precision: at y = -x the estimate is exp(-2 |x|^2)."""
    x = FAR * case.lengthscale * case.directions["random"][None, :]
    label = f"estimates at |x| = {FAR:g}, y = -x do not vanish"
    try:
        with np.errstate(all="ignore"):
            value = float(target.estimates(x, -x, seed)[0])
    except SamplerFailed as error:
        return open_question(PROPERTY, label, f"the call raised: {error.problem}", 1)
    reason = "" if value else "features are 0: a 16-bit format ends at exp(-17), so use the log domain"
    return fact(PROPERTY, label, value != 0, 1, value, "", reason=reason, assumes="law")


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
                PROPERTY, label, False, 1, math.inf, "", reason="the call overflows; use the log domain"
            )
        return open_question(PROPERTY, label, f"the call raised: {error.problem}", 1)
    if math.isnan(value) or math.isinf(value):
        return fact(PROPERTY, label, False, 1, value, "", reason=f"got {value}; use the log domain")
    return fact(PROPERTY, label, True, 1, value, "")
