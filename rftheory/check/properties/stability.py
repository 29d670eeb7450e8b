"""Stability: large norms, and the type of the numbers."""

from __future__ import annotations

import math

import numpy as np

from rftheory.check.findings import Finding, fact, open_question
from rftheory.check.measures import Case, EstimateMeasures
from rftheory.check.target import Target
from rftheory.errors import SamplerFailed

PROPERTY = "stability"
LARGE, LARGE_SOFTMAX = 40.0, 8.0
"""Norms of the large inputs: the softmax kernel itself leaves the float range at |x| = 27."""


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


def of_estimates(target: Target, measures: EstimateMeasures, seed: int) -> list[Finding]:
    """Estimates at norm 40: finite, and positive where the map is; no negative values of a positive map."""
    case = measures.case
    found = []
    if case.features in ("positive", "hyperbolic"):
        lowest = float(measures.over["estimates"].min())
        found.append(fact(PROPERTY, "estimates of a positive map are not negative", lowest >= 0, measures.calls,
                          lowest, "smallest"))  # fmt: skip
    found.append(_large(target, case, seed))
    return found


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
