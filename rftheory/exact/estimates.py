"""Central moments of kernel estimates for the named couplings, good to float accuracy."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import arb, ctx

from rftheory.errors import NotCertified, UnknownName
from rftheory.exact.conformity import simplex_cosine
from rftheory.exact.moments import block_sizes, central_moments, trigonometric_joint
from rftheory.exact.positive import relative_central_moments

LAW_BITS = 40


def cosine(name: str, d: int) -> arb | None:
    """Cosine of the angle inside a block of the named coupling; None for independent projections.

    Examples
    --------
    >>> cosine("iid", 5), float(cosine("orthogonal", 5)), float(cosine("simplex", 5))
    (None, 0.0, -0.25)
    """
    if name == "iid":
        return None
    if name == "orthogonal":
        return arb(0)
    if name == "simplex":
        return simplex_cosine(d)
    raise UnknownName("equal-angle coupling", name, ["iid", "orthogonal", "simplex"])


def enough(compute: Callable[[], Sequence[arb]]) -> list[arb]:
    """Balls good to float accuracy: the working precision is doubled until they are.

    Examples
    --------
    >>> (third,) = enough(lambda: [arb(1) / 3])
    >>> float(third) == 1 / 3
    True
    """
    bits = 128
    while bits <= 1 << 14:
        with ctx.workprec(bits):
            balls = list(compute())
            if all(b.is_finite() and (b.is_zero() or b.rel_accuracy_bits() >= LAW_BITS) for b in balls):
                return balls
        bits *= 2
    raise NotCertified("law of a statistic", wanted="float accuracy", reached=f"{bits // 2} bits")


def central_moments_ball(feature: str, name: str, d: int, m: int, length: arb, order: int = 8) -> list[arb]:
    """Central moments 0..order of K^/K (positive) or K^ (trigonometric).

    Examples
    --------
    >>> relative = central_moments_ball("positive", "iid", 64, 10, arb(1))
    >>> relative[2].overlaps((arb(1).exp() - 1) / 10)
    True
    """
    angle = cosine(name, d)
    if feature == "positive":
        return relative_central_moments(order, d, m, length, angle)
    sizes = block_sizes(m, 1 if angle is None else d)
    joint = trigonometric_joint(d, length, arb(0) if angle is None else angle, order)
    return central_moments(order, sizes, joint)
