"""Central moments of kernel estimates, to float accuracy, for every declared feature map and coupling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import arb

from rftheory.errors import NotCertified
from rftheory.exact import positive, trigonometric
from rftheory.exact.coupled import at_one_angle
from rftheory.exact.enclosure import climb, doubled
from rftheory.exact.frame_moments import central_moments_of
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.spec import find_coupling, find_map

LAW_BITS = 40
_STATED = {"positive": positive.MOMENTS, "trigonometric": trigonometric.MOMENTS}
"""The maps with formulas for rows at equal angles, which are faster than the general law."""


def enough(compute: Callable[[], Sequence[arb]], beside: float | arb = 0.0) -> list[arb]:
    """Balls with float accuracy, by doubling the working precision.

    Small values of which only sums with ``beside`` count may have fewer digits, as many as count there twice over.

    Examples
    --------
    >>> (third,) = enough(lambda: [arb(1) / 3])
    >>> float(third) == 1 / 3
    True
    """

    largest = arb(beside) * arb(2) ** (-2 * LAW_BITS)

    def settled(balls: list[arb]) -> bool:
        return all(
            b.is_finite() and (b.is_zero() or b.rel_accuracy_bits() >= LAW_BITS or b.rad() < largest)
            for b in balls
        )

    balls, reached = climb(lambda: list(compute()), settled, doubled(128, 1 << 14))
    if balls is None:
        raise NotCertified("law of a statistic", wanted="float accuracy", reached=reached)
    return balls


def central_moments_ball(
    feature: str, coupling: str, d: int, m: int, length: str | float, order: int = 8
) -> list[arb]:
    """Central moments 0..order of an estimate by a map that depends on the pair only through |x + y| or |x - y|.

    Parameters
    ----------
    feature, coupling, d, m : a declared mechanism.
    length : |x + y| if the map depends on that (the moments are those of K^/K), else |x - y| (moments of K^).
    order : the highest order.

    Raises
    ------
    NotKnown : the declarations do not determine the moments, or no route computes them; the message says why.

    Examples
    --------
    >>> relative = central_moments_ball("positive", "iid", 64, 10, 1)
    >>> relative[2].overlaps((arb(1).exp() - 1) / 10)
    True
    >>> float(central_moments_ball("hyperbolic", "mirrored", 4, 8, 1, 2)[2]) < float(relative[2])
    True
    """
    phi, rows = find_map(feature), find_coupling(coupling)
    norm = phi.norm or "v"
    if phi.name in _STATED and at_one_angle(rows, d):
        at: dict[str, Any] = {norm: arb(length)}
        return _STATED[phi.name].central(rows.name, order, m, d, **at)
    given: dict[str, Any] = {"sum_norm" if norm == "v" else "difference_norm": length}
    law = Law(phi, rows, m, Inputs.of_norms(d, **given))
    scale = 1 / law.mean() if norm == "v" else arb(1)
    return [moment * scale**n for n, moment in enumerate(central_moments_of(law, order))]
