"""The noncentral chi-square law: the distance of a row from a point."""

from __future__ import annotations

import math

from flint import arb, ctx

from rftheory.errors import NotCertified

LONGEST_MIXTURE = 200_000
"""The largest square/2 for which the mixture is summed; the number of terms grows with it."""


def noncentral_ball(d: int, noncentrality: arb, square: arb) -> arb:
    """P(|w - mu|^2 <= square), square > 0, as a Poisson mixture of central chi-square laws, summed by parts.

    With y = square/2 the law of d + 2j degrees of freedom is sum_{i >= j} t_i, t_i = y^(d/2+i) e^-y/Gamma(d/2+i+1), so
    that the mixture is sum_i t_i W_i with W_i <= 1 the Poisson probability of at most i.

    Examples
    --------
    >>> noncentral_ball(2, arb(0), arb(2)).overlaps(1 - (-arb(1)).exp())
    True
    """
    shape, y, mean = arb(d) / 2, square / 2, noncentrality / 2
    if not y <= LONGEST_MIXTURE:
        raise NotCertified("noncentral chi-square law", wanted="a short series", reached=f"square/2 = {y.str(3)}",
                           hint="choose a larger |A|, or smaller norms")  # fmt: skip
    term = (shape * y.log() - y - (shape + 1).lgamma()).exp()
    weight = below = (-mean).exp()
    total, i, rising = arb(0), 0, math.ceil(float(y.upper()) - d / 2)
    while True:
        total += term * below
        i += 1
        term = term * y / (shape + i)
        weight = weight * mean / i
        below += weight
        if i > rising and (not total.is_finite() or term <= total * arb(2) ** (-ctx.prec - 8)):
            ratio = (y / (shape + i + 1)).upper()
            if ratio < 1:
                return total + arb(0).union((term / (1 - ratio)).upper())
