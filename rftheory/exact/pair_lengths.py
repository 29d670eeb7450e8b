"""Lengths |w_1 + w_2| of two rows in three dimensions, of SimRFs and of SimRFs+: which are longer, at every length.

The norms n_1, n_2, n_3 are independent chi_3 variables. Two rows of a simplex have S^2 = n_1^2 + n_2^2 - n_1 n_2. With
the shortest resultant SimRFs+ close a triangle where they can, so that w_1 + w_2 = -w_3; else all are on one line, the
longest opposite to the others: the length is R = n_3, but at least |n_1 - n_2| and at most n_1 + n_2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import acb, arb, ctx

from rftheory.exact.enclosure import certified_integral
from rftheory.exact.truth import larger, together

SHORT, LONG = arb(1) / 4, arb(7)
"""Between these lengths the two laws are compared by enclosures."""


def simplex_length_exceeds(s: arb) -> arb:
    """P(S > s).

    With n_1 + i n_2 = r e^(it), t = pi/4 + x, r^2 is chi^2 of six degrees of freedom and S^2 = r^2 (1 - cos(2 x)/2).

    Examples
    --------
    >>> bool(abs(simplex_length_exceeds(arb(1)) - arb("0.93826")) < 1e-5)
    True
    """
    return _mean(lambda x: 2 - (2 * x).cos(), s)


def sum_exceeds(s: arb) -> arb:
    """P(n_1 + n_2 > s): the square is r^2 (1 + cos(2 x)) = 2 r^2 cos(x)^2.

    Examples
    --------
    >>> bool(sum_exceeds(arb(1)) > simplex_length_exceeds(arb(1)))
    True
    """
    return _mean(lambda x: 4 * x.cos() ** 2, s)


def difference_exceeds(s: arb) -> arb:
    """P(|n_1 - n_2| > s): the square is 2 r^2 sin(x)^2; where that is small the chi^2 tail is below that at the cut.

    Examples
    --------
    >>> bool(difference_exceeds(arb(1)) < simplex_length_exceeds(arb(1)))
    True
    """
    cut = (s / (2 * (s * s / 2 + ctx.prec).sqrt())).asin().mid()
    rest = 8 / arb.pi() * cut * _chi_tail(s * s / (4 * cut.sin() ** 2))
    return _mean(lambda x: 4 * x.sin() ** 2, s, cut) + arb(0).union(rest.upper())


def norm_exceeds(s: arb) -> arb:
    """P(n > s).

    Examples
    --------
    >>> bool(abs(norm_exceeds(arb(1)) - arb("0.80125")) < 1e-4)
    True
    """
    return (s / arb(2).sqrt()).erfc() + (2 / arb.pi()).sqrt() * s * (-s * s / 2).exp()


def plus_length_exceeds(s: arb) -> arb:
    """P(R > s): |n_1 - n_2| > s, or n_1 + n_2 > s and n_3 > s.

    Examples
    --------
    >>> bool(plus_length_exceeds(arb(1)) < simplex_length_exceeds(arb(1)))
    True
    """
    apart, beyond = difference_exceeds(s), norm_exceeds(s)
    return apart + beyond * (sum_exceeds(s) - apart)


def _chi_tail(x: Any) -> Any:
    """P(r^2/2 > x) for six degrees of freedom."""
    return (-x).exp() * (1 + x + x * x / 2)


def _mean(scale: Callable[[acb], acb], s: arb, low: arb | int = 0) -> arb:
    """The mean of P(r^2/2 > s^2/scale(x)) over 0 <= x <= pi/4 from ``low`` on, of density (8/pi) cos(2 x)^2."""
    goal = (-s * s / 2).mid().exp() * arb(2) ** -ctx.prec
    integrand = lambda x, _: (2 * x).cos() ** 2 * _chi_tail(s * s / scale(x))  # noqa: E731
    return 8 / arb.pi() * certified_integral(integrand, low, arb.pi() / 4, goal=goal)


def plus_is_shorter(scale: arb) -> bool | None:
    """Whether P(R > s) < P(scale S > s) at every s > 0.

    Up to ``SHORT``, from ``LONG`` on, and between them step by step: both probabilities fall.

    Examples
    --------
    >>> plus_is_shorter(arb(1) / 2)
    False
    """
    if not (scale >= 1 and _shorter_near_zero() and _shorter_far_out()):
        # the two ends are shown for the law as it is; a point may refute
        return False if any(_longer_at(arb(s), scale) for s in (1, 3, 6)) else None
    s, step = SHORT, arb(1) / 64
    while s < LONG:
        most = plus_length_exceeds(s)
        while not simplex_length_exceeds((s + step) / scale) > most:
            step = step / 2
            if step < arb(2) ** -20:
                return False if _longer_at(s, scale) else None
        s, step = s + step, 2 * step
    return True


def _longer_at(s: arb, scale: arb) -> bool:
    return larger(plus_length_exceeds(s), simplex_length_exceeds(s / scale)) is True


def _shorter_near_zero() -> bool | None:
    """For 0 < s <= ``SHORT``, P(R <= s) > P(S <= s).

    The chi^2 law gives P(r^2/2 <= x) <= x^3/6, and S^2 >= r^2/2, so that P(S <= s) <= s^6/6. And R <= s where n_3 <= s
    and |n_1 - n_2| <= s: there P(n_3 <= s) >= (2/pi)^(1/2) s^3/3 e^(-s^2/2), and the density of |n_1 - n_2| at q <= s
    is 4/pi int x^2 (x + q)^2 e^(-(x^2 + (x+q)^2)/2) dx >= 4/pi int x^4 e^(-(x+s)^2) dx over x > 0. Over s^6 the lower
    bound falls in s.
    """
    s = SHORT
    density = 4 / arb.pi() * certified_integral(lambda x, _: x**4 * (-((x + s) ** 2)).exp(), 0, 8)
    return larger((2 / arb.pi()).sqrt() * (-s * s / 2).exp() / 3 * density * s**4, s**6 / 6)


def _shorter_far_out() -> bool | None:
    """For s >= ``LONG``, P(R > s) < P(S > s).

    With G(x) = P(r^2/2 > x), P(|n_1 - n_2| > s) is the integral of G(s^2/(2 (1-q))) (4/pi) q^2 (1-q^2)^(-1/2) over
    0 < q < 1, q = cos(2 x); for P(S > s) put q = cos(2 x)/2: it has 8 times at least that density, up to q = 1/2, and
    from there on G <= G(s^2). So P(|n_1 - n_2| > s) <= P(S > s)/8 + G(s^2). The rest of P(R > s) is at most
    P(n_3 > s) G(s^2/4), as (n_1 + n_2)^2 <= 2 r^2. And P(S > s) is at least the part up to q = 1/s^2,
    (32/pi) q^3/3 G(s^2/(2 (1-q))), where G(x) >= e^(-x) x^2/2 and s^2/(2 (1-q)) = s^2/2 + 1/2 + 1/(2 (s^2 - 1)). Times
    s^2 e^(s^2/2) that bound of 7/8 P(S > s) grows, and the others are e^(-s^2/4) times powers of s up to s^7, or
    e^(-s^2/2) times powers up to s^6, which fall where s^2 > 14.
    """
    s, square = LONG, LONG * LONG
    least = arb(7) / (6 * arb.pi()) * (-arb(1) / 2 - 1 / (2 * (square - 1))).exp()
    norm = (2 / arb.pi()).sqrt() * (s + 1 / s)  # P(n > s) e^(s^2/2) is at most that
    most = square * (_chi_tail(square) * (square / 2).exp() + norm * _chi_tail(square / 4))
    return together((larger(square, 14), larger(least, most)))
