"""Coupling: the angles inside a block, and the independence of its norms."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy import special

from rftheory.check.findings import (
    TOO_FEW,
    Finding,
    Level,
    fact,
    ks,
    open_question,
    squared_cosines,
    symmetric,
)
from rftheory.check.laws import cosine_cdf
from rftheory.check.measures import FLOAT32_GAP, MatrixMeasures
from rftheory.judge import Outcome

PROPERTY = "coupling"
GOAL = 0.35
"""The correlation of two norms that is to be seen."""
GOAL_SQUARES = 0.6
"""The relative error of a mean squared cosine that is to be seen, with about as many calls as that correlation."""
EVEN = 0.5
"""Rows whose averages have less than this share of the variance of independent ones are no independent rows."""
FEW_POINTS = 8
"""So few points, of which each gives one number only, look independent."""
BY_CHANCE = 0.8
"""An upper bound of the probability that three Hadamard factors look like one or two in a block."""
SUSPECT = 1e-3
"""From this level on norms count as dependent: long before tests for independent rows would be misled by them."""


def of_matrices(measures: MatrixMeasures, level: Level) -> list[Finding]:
    """Test fixed angles to rounding, and the law of free angles, and that norms of pairs of rows are uncorrelated."""
    case = measures.case
    if case.m < 2:
        return []
    found = _tied_norms(measures)
    if case.coupling.gram(case.d) is not None:
        target = case.coupling.cosine(case.d)
        own = f"those of {case.coupling.name}" if target is None else f"of the cosine {target:.6g}"
        label = f"angles inside blocks are {own}"
        gap = max(measures.row_gap, measures.rest_gap)
        found.append(fact(PROPERTY, label, gap < FLOAT32_GAP, measures.calls, gap, "largest gap",
                          goal=FLOAT32_GAP))  # fmt: skip
    if measures.nets:
        found.append(_points(measures))
    if case.d < 2:  # free angles have no law, and half of all rows are opposite
        return found
    axes = measures.pairs_of_axes
    if (case.coupling.angle == "free" or axes.any()) and case.row.radial:
        label = f"cosine between two rows{' on different axes' * bool(axes.any())} (Beta law)"
        found.append(ks(PROPERTY, label, measures.over["pair"], cosine_cdf(case.d), level))
        found.append(axes_independent(PROPERTY, measures, level, measures.independent_axes))
    if axes.any():
        label = "cosines between rows on different axes have mean 0"
        found.append(
            symmetric(PROPERTY, label, measures.cosines, measures.cosine_squares, measures.calls, level, GOAL,
                      chosen=axes, names=measures.compared)
        )  # fmt: skip
    if case.coupling.hadamard and case.d >= 8 and case.d & (case.d - 1) == 0:
        found.append(_rounds(measures, level))
    if case.coupling.blocks_of_norms and measures.pairs_of_norms(inside=True).any():
        found += norms_independent(PROPERTY, measures, level, inside=True)
    return found


def _rounds(measures: MatrixMeasures, level: Level) -> Finding:
    """With one factor H D, the entries of unit rows are multiples of 1/sqrt(d) in every draw; with two, of 2/d.

    With three they are so in some: all entries of a block with probability 0.733 at d = 8 and 0.757 at d = 16.
    """
    label = "directions come from three Hadamard factors or more"
    found = fact(PROPERTY, label, measures.rounds == 0, measures.calls, float(measures.rounds), "factors")
    blocks = measures.calls * max(1, measures.case.m // measures.case.d)
    needed = math.log(level.alpha) / math.log(BY_CHANCE)
    if measures.rounds and blocks < needed:
        return replace(
            found, outcome=Outcome.UNDECIDED, detectable=math.sqrt(needed / blocks), goal=1.0, reason=TOO_FEW
        )
    return found


def _points(measures: MatrixMeasures) -> Finding:
    """The cells of successive points: those of a sequence fill them one by one in every draw.

    One coordinate alone may have been made from two points by Box and Muller's map: it does not show their cells.
    """
    case = measures.case
    label = f"successive rows are points of a {case.coupling.name} sequence: each in another cell of its coordinates"
    net, seen = measures.nets[case.coupling.name], measures.unevenness
    holds = net.holds
    if net.open:
        reason = (
            "two points need not fill cells, since the first may have an odd number; check with more rows"
        )
        return open_question(PROPERTY, label, reason, measures.calls)
    if not holds and case.d == 1 and (seen < EVEN or case.m < FEW_POINTS):
        reason = f"numbers are not quantiles of points; averages have {seen:.2g} times the variance of independent ones"
        return open_question(PROPERTY, label, reason, measures.calls)
    unit = "of the variance of independent rows, of averages of Phi(w_1)"
    return fact(PROPERTY, label, holds, measures.calls, seen, unit)


def _tied_norms(measures: MatrixMeasures) -> list[Finding]:
    """Norms that are fixed, shared by two rows, or at opposite quantiles, to single precision."""
    case, squares = measures.case, measures.over["squares"]
    found = []
    for kind, pairs in case.coupling.tied(case.d, case.m).items():
        i, j = (np.array(pairs)[:, side] for side in (0, 1))
        if kind == "fixed":
            label, gaps = "norms are sqrt(d)", squares[:, i] / case.d - 1
        elif kind == "shared":
            label, gaps = "norms are shared", squares[:, i] / squares[:, j] - 1
        else:
            label = "norms are in pairs at opposite quantiles"
            gaps = case.row.norm_square_cdf(squares[:, i]) + case.row.norm_square_cdf(squares[:, j]) - 1
        gap = float(np.abs(gaps).max())
        found.append(
            fact(PROPERTY, label, gap < FLOAT32_GAP, measures.calls, gap, "largest gap", goal=FLOAT32_GAP)
        )
    return found


def axes_independent(prop: str, measures: MatrixMeasures, level: Level, chosen: np.ndarray) -> Finding:
    """Test the squared cosines of pairs of rows, which show what is common to their axes up to a random sign."""
    label = f"squared cosines of rows {'inside' if prop == PROPERTY else 'of different'} blocks have mean 1/d"
    return squared_cosines(
        prop, label, measures.cosine_squares, measures.calls, measures.case.d, level, GOAL_SQUARES,
        chosen=chosen, names=measures.compared,
    )  # fmt: skip


def sizes(measures: MatrixMeasures) -> str:
    """What is compared for two rows: norms or, if these have no closed law, sizes of the first coordinates."""
    return "norms" if measures.case.row.radial else "sizes of first coordinates"


def norms_independent(prop: str, measures: MatrixMeasures, level: Level, *, inside: bool) -> list[Finding]:
    """Test that the norms of rows of one block, or of different blocks, are independent: in pairs, and all together.

    Where rows are promised to share a norm, or to have norms at opposite quantiles, one of them stands for all.
    """
    label = f"{sizes(measures)} {'inside' if inside else 'of different'} blocks are independent"
    return [
        _pairs_independent(prop, label, measures, level, inside),
        _halves_independent(prop, f"{label}, half of them from the others", measures, level, inside),
    ]


def _pairs_independent(
    prop: str, label: str, measures: MatrixMeasures, level: Level, inside: bool
) -> Finding:
    """Refute by differences between two calls, which are symmetric whatever the law of the norms.

    If norms have the promised law, so that F(|w_i|^2) is uniform, products of two such need half as many calls to see a
    correlation: they may show that there is none, but not refute, because a wrong law shifts their mean.
    """

    def test(sums: np.ndarray, squares: np.ndarray, n: int) -> Finding:
        return symmetric(prop, label, sums, squares, n, level, GOAL, chosen=measures.pairs_of_norms(inside),
                         names=measures.compared)  # fmt: skip

    found = test(measures.norm_gaps, measures.norm_gap_squares, max(measures.calls // 2, 1))
    as_promised = test(measures.norm_products, measures.norm_product_squares, measures.calls)
    agree = found.outcome is not Outcome.REFUTED and as_promised.outcome is Outcome.AGREES
    return as_promised if agree else found


def _halves_independent(
    prop: str, label: str, measures: MatrixMeasures, level: Level, inside: bool
) -> Finding:
    """Test sums over half of the rows against sums over the others, which adds up weak correlations of many rows."""
    gaps = measures.over["halves inside" if inside else "halves across"]
    products = gaps.prod(1)
    total, squares = products.sum(), (products**2).sum()
    return symmetric(prop, label, total, squares, max(len(gaps), 1), level, math.sqrt(2) * GOAL)


def norms_depend(measures: MatrixMeasures) -> bool:
    """Whether norms of a call are seen to depend on each other, whatever their law, at the level SUSPECT."""
    halves = [_halves_independent("", "", measures, Level(SUSPECT), inside) for inside in (True, False)]
    if any(finding.outcome is Outcome.REFUTED for finding in halves):
        return True
    correlations = measures.norm_correlations
    pairs = np.abs(correlations)[np.triu_indices(len(correlations), 1)]
    chance = 2 * len(pairs) * float(special.ndtr(-math.sqrt(measures.calls) * pairs.max(initial=0.0)))
    return len(pairs) > 0 and chance < SUSPECT
