"""Lower bounds of P(s - k >= eps) for the mean s of m waves of independent normal rows, by a change of measure.

Under the density proportional to exp(t sum c_i), with K = log E exp(t c), mean mu and variance V of a wave c,

    P(m a <= sum c_i <= m a + w) >= exp(m K - t (m a + w)) (1 - (m V + (m mu - m a - w/2)^2)/(w/2)^2)     for t >= 0,

a = k + eps, by Chebyshev's inequality. With w a few standard deviations that is exp(-m I) but for a factor exp(-t w):
enough where a bound has a wrong exponent. With random phases a wave is c + cos(u), u uniform.
"""

from __future__ import annotations

from typing import NamedTuple

from flint import arb, ctx

from rftheory.exact.enclosure import widen

WIDTH = 2.2
"""The width w in units of the standard deviation of half of it: near the best for tails far out."""


class Tilted(NamedTuple):
    """What is known of a wave under a tilt.

    Attributes
    ----------
    log : logarithm of E exp(t c).
    mean, variance : under the tilt.

    Examples
    --------
    >>> Tilted(arb(0), arb(0), arb(1) / 2).and_(Tilted(arb(0), arb(0), arb(1) / 2)).variance
    1.00000000000000
    """

    log: arb
    mean: arb
    variance: arb

    def and_(self, other: Tilted) -> Tilted:
        """Of the sum with an independent one."""
        return Tilted(*(one + two for one, two in zip(self, other, strict=True)))


def tilted(weights: list[arb], t: arb) -> Tilted:
    """Of the cosine of an angle with the Fourier coefficients 1, e_1, ..., which are 0 from the last one on.

    Examples
    --------
    >>> uniform = tilted([arb(1), arb(0), arb(0)], arb("0.5"))
    >>> uniform.log.overlaps(arb("0.5").bessel_i(arb(0)).log())
    True
    """
    last = len(weights)
    bessel = [t.bessel_i(arb(n)) for n in range(last + 3)]
    about = [bessel[abs(n)] for n in range(-2, last + 3)]  # I_n at n + 2
    value = first = second = arb(0)
    for n, weight in enumerate(weights):
        times = weight * (2 if n else 1)
        here, near, far = about[n + 2], about[n + 1] + about[n + 3], about[n] + about[n + 4]
        value, first = value + times * here, first + times * near / 2
        second += times * (here / 2 + far / 4)
    mean = first / value
    return Tilted(value.log(), mean, second / value - mean * mean)


def _coefficients(z: arb) -> list[arb]:
    """exp(-n^2 z^2/2) while it is not negligible; at last a ball of the size of all others together.

    |I_n| falls with n, so that what these add is at most the Bessel functions of the first of them times this size.
    """
    found = [arb(1)]
    while not found[-1] < arb(2) ** (-ctx.prec):
        found.append((-((len(found) * z) ** 2) / 2).exp())
    ratio = (-(2 * len(found) - 1) * z * z / 2).exp()
    return [*found[:-1], widen((found[-1] / (1 - ratio)).upper())]


def tail_at_least(m: int, z: arb, eps: arb, side: int, phases: bool = False) -> arb:
    """A lower bound of P(side (s - k) >= eps), side 1 or -1, z >= 1/8; 0 if this way gives none.

    Examples
    --------
    >>> found = tail_at_least(10**6, arb(4), arb("0.005"), 1)  # seven standard deviations
    >>> bool(found > arb("1e-20")), bool(found < (-(10**6) * arb("0.005") ** 2).exp())
    (True, True)
    """
    weights, kernel = _coefficients(z), (-z * z / 2).exp()

    def at(t: arb) -> Tilted:
        wave = tilted(weights, side * t)
        return wave.and_(tilted([arb(1)], side * t)) if phases else wave

    low = side * kernel + eps
    t, wave, width = arb(0), at(arb(0)), arb(0)
    for _ in range(STEPS):
        width = (WIDTH * (wave.variance / m).sqrt()).mid()
        t = ((low + width / 2 - side * wave.mean) / wave.variance + t).mid()
        if not abs(t) < LARGEST:
            return arb(0)
        wave = at(t)
    off = side * wave.mean - low - width / 2
    likely = 1 - (wave.variance / m + off * off) / (width * width / 4)
    if t >= 0 and likely > 0:
        return (m * (wave.log - t * (low + width))).exp() * likely
    return arb(0)


STEPS, LARGEST = 12, 1000
"""Steps of Newton's method towards the tilt, and the largest one; whatever tilt is found, the bound is one."""
