"""The noncentral chi-square law: the distance of a row from a point."""

from __future__ import annotations

import math
from itertools import accumulate, count

from flint import arb, ctx

from rftheory.errors import NotCertified
from rftheory.exact.enclosure import certified_sum

LONGEST_MIXTURE = 1_000_000
"""The largest number of terms that matter up to which the mixture is summed."""

_LOOKED_AT = 32
"""After so many terms each it is asked whether the sum may end."""


def noncentral_ball(d: int, noncentrality: arb, square: arb) -> arb:
    """P(|w - mu|^2 <= square), square > 0, as a Poisson mixture of central chi-square laws, summed by parts.

    With y = square/2 the law of d + 2j degrees of freedom is sum_{i >= j} t_i, t_i = y^(d/2+i) e^-y/Gamma(d/2+i+1), so
    that the mixture is sum_i t_i W_i with W_i the Poisson probability of at most i. The sum begins shortly before its
    largest term. W_(i-1) <= W_i i/mean bounds what is left out there; W_(i+1)/W_i falls, as the Poisson law is
    log-concave, which bounds what is left out at the end.

    Examples
    --------
    >>> noncentral_ball(2, arb(0), arb(2)).overlaps(1 - (-arb(1)).exp())
    True
    """
    shape, y, mean = arb(d) / 2, square / 2, noncentrality / 2
    i, spread = _start(d, y, mean)
    if not spread <= LONGEST_MIXTURE:
        raise NotCertified("noncentral chi-square law", wanted="a short series",
                           reached=f"{2 * spread:.0e} terms at square/2 = {y.str(3)}",
                           hint="choose a larger |A|, or smaller norms")  # fmt: skip
    term = ((shape + i) * y.log() - y - (shape + i + 1).lgamma()).exp()
    weight = _poisson(mean, i)
    below, total = _at_most(mean, i, weight), arb(0)
    if i:
        fall = _fall(d, i, y, mean)
        total = arb(0).union((term * below * fall / (1 - fall)).upper())
    while below > 0 and term.is_finite():
        part = term * below
        total += part
        i += 1
        term = term * y / (shape + i)
        weight = weight * mean / i
        before, below = below, below + weight
        if i % _LOOKED_AT:
            continue
        ratio = (y / (shape + i) * (below / before)).upper()
        if ratio < 1 and part.upper() <= total.upper() * arb(2) ** (-ctx.prec - 8):
            return total + arb(0).union((part * ratio / (1 - ratio)).upper())
    return arb(0).union(arb(1))  # at so few bits nothing is known


def _start(d: int, y: arb, mean: arb) -> tuple[int, float]:
    """Where to begin, and how many terms matter on each side of the largest one: a guess that decides nothing."""
    top, centre = float(y.upper()), float(mean.upper())
    largest = max(top, math.sqrt(top * centre))
    if not math.isfinite(largest):
        return 0, math.inf
    spread = math.sqrt(2 * math.log(2) * (ctx.prec + 20) * largest) + ctx.prec
    first = math.floor(largest - d / 2 - spread)
    return (first if first > 0 and mean > 0 and _fall(d, first, y, mean) < 1 else 0), spread


def _fall(d: int, i: int, y: arb, mean: arb) -> arb:
    """A bound of t_(i-1) W_(i-1)/(t_i W_i), and of all such ratios before it."""
    return (arb(d) / 2 + i) / y * (i / mean).min(arb(1))


def _poisson(mean: arb, i: int) -> arb:
    """The probability of exactly i."""
    return (i * mean.log() - mean - arb(i + 1).lgamma()).exp() if i else (-mean).exp()


def _at_most(mean: arb, i: int, last: arb) -> arb:
    """The probability of at most i, ``last`` being that of i: summed downwards, or from 1 on without what is above."""
    if i > mean:
        above = accumulate(count(i + 2), lambda part, j: part * mean / j, initial=last * mean / (i + 1))
        return 1 - certified_sum(above, lambda k: mean / (i + k + 2))
    below = accumulate(range(i, 0, -1), lambda part, j: part * j / mean, initial=last)
    return certified_sum(below, lambda k: (i - k) / mean)
