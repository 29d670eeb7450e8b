"""Unbiasedness: means of cos, sin, exp and of kernel estimates, over directions and norms."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy import special

from rftheory.check.findings import (
    INDEPENDENT,
    Finding,
    Level,
    bounded_mean,
    fact,
    nonnegative_mean,
    open_question,
)
from rftheory.check.laws import EstimateLaw, estimate_law, fixed_norm_mean, gerf_law, hybrid_law, nonnegative
from rftheory.check.measures import Case, EstimateMeasures, MatrixMeasures, Pair
from rftheory.spec import find_map

PROPERTY = "unbiasedness"
ROUNDING = 1e-3
ROUNDINGS = 4
"""How many rounding errors of a format of 16 bits an estimate may have: of two features and their factors.

An exponent is off by as many for each unit of its size.
"""
BEYOND, SHORTEST = 1.5, 1.0
"""Standard deviations beyond its centre of mass at which an exponential is cut, and the smallest tested |v|."""
GOAL_FAR, FAR_ROWS = 0.25, 1 << 20
"""The share of E exp(w.v) to be seen at large |v|, and the number of rows used for it."""


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Test E cos(w.v) and E sin(w.v) by bets valid for any law, E exp(w.v) with the exact moments of the coupling."""
    case = measures.case
    if not case.coupling.rows:
        return []
    found = []
    for name, v in case.directions.items():
        near, far = case.row.kernel_at(v), case.row.kernel_at(2 * v)
        for kind, mean, length in (("cos", near, 1), ("sin", 0.0, 1), ("far", far, 2)):
            if kind == "far" and name != "random":
                continue
            values = measures.over[f"{kind} {name}"]
            label = f"E {'sin' if kind == 'sin' else 'cos'}(w.v), v = {length} x {name}"
            found.append(bounded_mean(PROPERTY, label, values, mean, -1.0, 1.0, level, goal=0.06))
    if case.row.gaussian:
        found += _exponentials(measures, level)
        found += _far(measures, level) if case.d > 1 else []
    return found


def _exponentials(measures: MatrixMeasures, level: Level) -> list[Finding]:
    case = measures.case
    found = []
    for length in (1.0, 2.0):
        names = case.directions if length == 1 else ("random",)
        law = _positive_law(case, length)
        kind, unit = ("exp" if length == 1 else "exp 2"), math.exp(-(length**2) / 2)
        # at length 2 the cut exponentials are more sensitive; this test is for the complete mean
        goal = max(0.12, 10 * length * math.sqrt(law.second / 1500))
        found += [
            nonnegative_mean(
                PROPERTY, f"E exp(w.v), v = {sign}{'' if length == 1 else '2 x '}{name}",
                measures.over[f"{kind} {sign}{name}"] * unit, 1.0, law.above(0.0), level, goal,
            )
            for name in names
            for sign in ("", "-")
        ]  # fmt: skip
    return found


def _far(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Test E exp(w.v; w.v <= |v| (|v| + BEYOND)) for v as long as the number of independent rows allows.

    With this cut the exponential is bounded and its mean is exactly Phi(BEYOND) exp(|v|^2/2), so no tail matters. The
    longer v, the farther out on the tail of w.v the mean comes from, and the more rows are needed to see its share.
    """
    case, calls = measures.case, measures.calls
    rows = len(range(case.m)[case.leads])
    kept = max(1, FAR_ROWS * (1 if level.goal >= GOAL_FAR / 2 else 4) // rows)
    goal = min(GOAL_FAR, level.goal)
    v = reach(min(calls, kept) * rows, level.alpha, goal)
    if v == SHORTEST:  # at this length the complete exponential is tested, with its own goal
        goal = max(goal, 1.0)
    edge = v + BEYOND
    bound = math.exp(v * edge - v * v / 2)
    mean = float(special.ndtr(BEYOND))
    norms = np.sqrt(measures.over["squares"][:kept, case.leads])
    found = []
    for i, name in enumerate(case.directions):
        if name == "(1,..,1)":
            continue
        along = norms * measures.over["lead_directions"][:kept, :, i]
        for sign in (1, -1):
            values = np.where(
                sign * along <= edge, np.exp(np.minimum(sign * along, edge) * v - v * v / 2), 0.0
            )
            label = f"E exp(w.v; w.v <= {v * edge:.3g}), v = {sign * v:.3g} x {name}"
            one = bounded_mean(PROPERTY, label, values.ravel(), mean, 0.0, bound, level, goal)
            if level.final:  # averages over a call, because its rows need not be independent
                whole = bounded_mean(PROPERTY, label, values.mean(1), mean, 0.0, bound, level, goal)
                one = one.widened(*whole.interval, INDEPENDENT)
            found.append(replace(one, unit="of E exp(w.v)"))
    return found


def reach(rows: int, alpha: float, goal: float) -> float:
    """The largest |v| at which that many rows reveal an effect of size ``goal`` on the cut exponential.

    Examples
    --------
    >>> [reach(n, 1e-9, 0.25) for n in (1 << 12, 1 << 16, 1 << 20)]
    [1.0, 1.9, 2.7]
    """
    nats = 1.3 * (math.sqrt(2 * math.log(28 / alpha)) + 3.1) ** 2  # with a margin, because spreads vary
    found = SHORTEST
    for tenth in range(10, 61):
        v = tenth / 10
        variance = math.exp(v * v) * float(special.ndtr(BEYOND - v))
        bound = math.exp(v * v / 2 + BEYOND * v)
        if nats * variance / rows + 0.5 * goal * nats * bound / rows > goal**2:
            break
        found = v
    return found


def _positive_law(case: Case, length: float) -> EstimateLaw:
    """Law of an average of exp(w.v); if that is unknown for the coupling, the law of one row, with larger moments.

    E (average)^k <= E X^k for k >= 1 by convexity, whatever the dependence between rows.
    """
    known = case.coupling.moments
    law = estimate_law("positive", known, case.d, case.m, length) if known else None
    single = law or estimate_law("positive", "iid", case.d, 1, length)
    assert single is not None
    return single


def of_estimates(measures: EstimateMeasures, level: Level) -> list[Finding]:
    """Compare the mean estimate of every pair of the panel with the kernel."""
    return [replace(_pair(measures, pair, level), place=pair.name) for pair in measures.pairs]


def kernel(measures: EstimateMeasures, pair: Pair) -> float:
    """Exact kernel of a pair; where rows of norm sqrt(d) are promised, the one that these estimate."""
    case = measures.case
    if case.fixes_norms:
        return of_norm(measures, pair, math.sqrt(case.d))
    if case.kernel == "softmax":
        return math.exp(float(pair.x @ pair.y))
    return case.row.kernel_at(pair.x - pair.y)


def of_norm(measures: EstimateMeasures, pair: Pair, norm: float) -> float:
    """The mean of estimates if every row has this norm, and any direction alike, for cos and exp features."""
    case, squares = measures.case, float(pair.x @ pair.x + pair.y @ pair.y)
    exponential = find_map(case.features).norm == "v"
    v = pair.sum_norm if exponential else pair.distance
    outside = (squares / 2 if case.kernel == "softmax" else 0.0) - (squares if exponential else 0.0)
    return fixed_norm_mean(case.d, (norm * v) ** 2, exponential) * math.exp(outside)


def law_of(measures: EstimateMeasures, pair: Pair, order: int = 4) -> EstimateLaw | None:
    """Exact law of the estimate of a pair under the declared mechanism, as `estimate_law`; None if it is not known."""
    case = measures.case
    if not case.row.gaussian:  # cos^2 + sin^2 = 1 for every law of the rows
        exact = case.features == "trigonometric" and pair.distance == 0
        return EstimateLaw(kernel(measures, pair), 0.0, 0.0, 0.0) if exact else None
    if case.features == "angular-hybrid":
        sizes = [float(np.linalg.norm(v)) for v in (pair.x, pair.y)]
        return hybrid_law(sizes[0], sizes[1], pair.angle, case.m, case.m)
    if case.features == "gerf":
        return _gerf_law(measures, pair, case.coupling.moments, case.m, order)
    positive = find_map(case.features).norm == "v"
    if not positive and case.features not in ("trigonometric", "cosine"):
        return None
    length = round(pair.sum_norm if positive else pair.distance, 12)
    mean = kernel(measures, pair)
    if not positive:
        mean = math.exp(pair.squares / 2) if case.kernel == "softmax" else 1.0
    if length == 0 and case.features != "cosine":
        return EstimateLaw(mean, 0.0, 0.0, 0.0)
    if not case.coupling.moments:
        return None
    return estimate_law(case.features, case.coupling.moments, case.d, case.m, length, mean, order)


def _gerf_law(
    measures: EstimateMeasures, pair: Pair, coupling: str, m: int, order: int
) -> EstimateLaw | None:
    length, mean = round(pair.sum_norm, 12), kernel(measures, pair)
    return gerf_law(measures.case.A, coupling, measures.case.d, m, length, mean, order)


def bound_of(measures: EstimateMeasures, pair: Pair) -> EstimateLaw | None:
    """The law for one projection, whose moments bound those of averages of coupled ones."""
    case = measures.case
    if case.row.gaussian and case.features == "gerf":
        return _gerf_law(measures, pair, "iid", 1, 4)
    if not case.row.gaussian or case.features not in ("positive", "hyperbolic"):
        return None
    length, mean = round(pair.sum_norm, 12), kernel(measures, pair)
    return estimate_law(case.features, "iid", case.d, 1, length, mean)


def cancelling(measures: EstimateMeasures, pair: Pair) -> float:
    """The largest size of an estimate whose terms may have both signs, and so cancel; 0 for positive maps."""
    features = measures.case.features
    if features not in ("trigonometric", "cosine", "angular-hybrid"):
        return 0.0
    scale = math.exp(pair.squares / 2) if measures.case.kernel == "softmax" else 1.0
    return scale * (2.0 if features == "cosine" else 1.0)  # with a phase, each feature is at most sqrt(2/m)


def allowed(measures: EstimateMeasures, pair: Pair) -> float:
    """The relative difference that rounding explains between two values of an estimate."""
    exponent = 0.0 if measures.case.features in ("trigonometric", "cosine") else pair.squares
    return ROUNDING + ROUNDINGS * (1 + exponent) * measures.unit


def _pair(measures: EstimateMeasures, pair: Pair, level: Level) -> Finding:
    values, exact, features = measures.of(pair), kernel(measures, pair), measures.case.features
    label = f"mean of K^ at {pair.name}"
    law = law_of(measures, pair)
    if law is not None and law.second <= 1e-14 * law.mean**2:
        gap = float(np.abs(values / exact - 1).max())
        label = f"K^ = K at {pair.name}, exactly"
        holds = gap < allowed(measures, pair)
        return fact(PROPERTY, label, holds, len(values), gap, "largest gap", assumes="identity")
    bound = cancelling(measures, pair) * (1 + ROUNDINGS * measures.unit)
    if features in ("trigonometric", "cosine"):
        return bounded_mean(PROPERTY, label, values, exact, -bound, bound, level, goal=0.06 * bound)
    law = law or bound_of(measures, pair)
    if law is None or not (features == "angular-hybrid" or nonnegative(features)):
        return open_question(
            PROPERTY, label, "the exact law of this mechanism is not known here", len(values)
        )
    # positive maps are never negative; in a hybrid only the trigonometric part can be
    floor = -bound
    goal = max(0.12, 10 * math.sqrt(law.second / 1500) / exact)
    return nonnegative_mean(
        PROPERTY, label, values - floor, exact - floor, law.above(floor), level, goal, unit=exact
    )
