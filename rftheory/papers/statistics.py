"""Statistics of samplers beside the exact laws that they must follow.

Each statistic is made from a mechanism as a user would call it; each law comes from the exact layer. They meet
only in the judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb

from rftheory.exact.conformity import angle_conformity_ball, orf_conformity_ball, simplex_cosine
from rftheory.exact.coupled import block_cosine
from rftheory.exact.estimates import central_moments_ball, enough
from rftheory.exact.moments import squared_error_moments, trigonometric_joint
from rftheory.sample import Mechanism, RandomFeatures, Stream, coupling, project
from rftheory.sample.features import Kernel
from rftheory.statement.evidence import Bench, Difference, Law, Range, Statistic

MakeStatistic = Callable[[Bench, Stream], Statistic]
LogMoment = Callable[[int], float]


# ---- statistics ------------------------------------------------------------------------------------


def along_axis(bench: Bench, d: int, length: str) -> Any:
    """The vector of the given length along the diagonal (1, ..., 1): no axis is special."""
    return bench.xp.full((1, d), float(length) / d**0.5, dtype=bench.xp.float64)


def pair_product(name: str, d: int, v: str, feature: str = "positive") -> MakeStatistic:
    """exp(w_1.v) exp(w_2.v) (positive) or cos(w_1.v) cos(w_2.v) (trigonometric) of a coupled pair."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        vector, xp = along_axis(bench, d, v), bench.xp

        def statistic(blocks: range) -> Any:
            values = project(coupling(name), stream, blocks, vector, 2)[..., 0]
            return (
                xp.exp(xp.sum(values, axis=-1)) if feature == "positive" else xp.prod(xp.cos(values), axis=-1)
            )

        return statistic

    return make


def pair_product_difference(first: str, second: str, d: int, v: str) -> Difference:
    """First minus second coupling's positive pair product, from the same rotation and norms."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        one, two = (pair_product(name, d, v)(bench, stream) for name in (first, second))
        return lambda blocks: one(blocks) - two(blocks)

    return Difference(make, lambda: cut_range(pair_moment(second, d, v), pair_moment(first, d, v)))


def squared_resultant(name: str, d: int) -> MakeStatistic:
    """|w_1 + w_2|^2 of a coupled pair, from the whole block."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        xp = bench.xp

        def statistic(blocks: range) -> Any:
            w = coupling(name).draw(stream, blocks, d, 2, xp=xp).projections
            return xp.sum(xp.sum(w, axis=1) ** 2, axis=-1)

        return statistic

    return make


def estimates(
    mechanism: RandomFeatures, x: np.ndarray, y: np.ndarray, kernel: Kernel = "gaussian"
) -> MakeStatistic:
    """Estimates of the kernel of a pair x, y (d,)."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        first, second = bench.xp.asarray(x), bench.xp.asarray(y)
        return lambda blocks: mechanism.estimate(stream, blocks, first, second, kernel)

    return make


def squared_errors(
    mechanism: RandomFeatures, x: np.ndarray, y: np.ndarray, value: float | None = None,
    kernel: Kernel = "gaussian",
) -> MakeStatistic:  # fmt: skip
    """Their squared errors; ``value`` is the kernel of the pair, by default the Gaussian one."""
    exact = float(np.exp(-np.sum((x - y) ** 2) / 2)) if value is None else value

    def make(bench: Bench, stream: Stream) -> Statistic:
        draw = estimates(mechanism, x, y, kernel)(bench, stream)
        return lambda blocks: (draw(blocks) - exact) ** 2

    return make


def squared_error(feature: str, name: str, d: int, m: int, length: str) -> MakeStatistic:
    """(K^ - K)^2 of the Gaussian kernel estimate: x = y with |x + y| = length (positive), or x, 0 (trigonometric)."""
    vector = np.full(d, float(length) / d**0.5)
    x, y = (vector / 2, vector / 2) if feature == "positive" else (vector, np.zeros(d))
    return squared_errors(Mechanism(feature, name, m), x, y)


# ---- ranges of differences ------------------------------------------------------------------------

BEYOND = 1e-6
"""What the part beyond a cut may add to a mean: far below the standard error of any test of an order."""


def cut_range(lower: LogMoment, upper: LogMoment) -> Range:
    """The range of A - B for A, B >= 0: cut where moments of B (below) and of A (above) bound the rest.

    Parameters
    ----------
    lower, upper : log E B^p and log E A^p, exact or from above.

    Examples
    --------
    >>> found = cut_range(lambda p: p * p / 2, lambda p: p * p / 2)  # two log-normal variables
    >>> found.low == -found.high, 300 < found.high < 400, found.below
    (True, True, 1e-06)
    """
    return Range(-_cut(lower), _cut(upper), BEYOND, BEYOND)


def _cut(log_moment: LogMoment) -> float:
    """The least c for which some moment proves E (B - c)_+ <= E B^p ((p - 1)/c)^(p - 1) / p^p <= BEYOND."""
    return math.exp(
        min(
            (log_moment(p) - p * math.log(p) - math.log(0.999 * BEYOND)) / (p - 1) + math.log(p - 1)
            for p in range(2, 41)
        )
    )


def pair_moment(name: str, d: int, v: str) -> LogMoment:
    """Moments of exp((w_1 + w_2).v) of a coupling: its conformity at p v."""
    return lambda p: float(enough(lambda: [conformity_ball(name, d, p * arb(v)).log()])[0])


# ---- laws ------------------------------------------------------------------------------------------


def conformity_ball(name: str, d: int, v: arb) -> arb:
    """The conformity of a coupling by its fast route."""
    if name == "iid":
        return (v * v).exp()
    return (
        orf_conformity_ball(d, v) if name == "orthogonal" else angle_conformity_ball(d, v, simplex_cosine(d))
    )


def pair_product_law(name: str, d: int, v: str, feature: str = "positive") -> Callable[[], Law]:
    """Raw moments E (b_1 b_2)^k: conformities at k v for positive features, joint moments for cosines."""

    def law() -> Law:
        if feature == "positive":
            return Law.from_raw(enough(lambda: [conformity_ball(name, d, k * arb(v)) for k in range(3)]))
        return Law.from_raw(enough(lambda: _cosine_powers(name, d, arb(v))))

    return law


def _cosine_powers(name: str, d: int, z: arb) -> list[arb]:
    joint = trigonometric_joint(d, z, block_cosine(name, d) or arb(0), 4)
    if name == "iid":
        return [arb(1)] + [joint((k,)) ** 2 for k in (1, 2)]
    return [arb(1)] + [joint((k, k)) for k in (1, 2)]


def squared_resultant_law(name: str, d: int) -> Callable[[], Law]:
    """|w_1 + w_2|^2 is 2 chi^2_d for independent and chi^2_2d for orthogonal projections: gamma laws."""
    scale, shape = {"iid": (4.0, d / 2), "orthogonal": (2.0, float(d))}[name]
    return lambda: Law(scale * shape, scale**2 * shape)


def squared_error_law(feature: str, name: str, d: int, m: int, length: str) -> Callable[[], Law]:
    """Mean and variance of (K^ - K)^2: its raw moments are the even central moments of the estimate."""

    def law() -> Law:
        return Law.from_raw(
            enough(lambda: squared_error_moments(central_moments_ball(feature, name, d, m, length, 4)))
        )

    return law
