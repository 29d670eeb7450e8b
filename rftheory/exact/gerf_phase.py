"""Two inequalities without the dimension: the end of the proof that no complex A beats the best real one, s = -1.

With w = exp(l + i phi), T = |tanh(l/2)|, X = tan(phi/2)^2, c = cos(phi), delta = (1 - T)/(1 + T), y = |x - y|^2/|w| and
the phase beta = y sin(phi). They are proved by branch and bound with bounds that are monotone in each variable.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from rftheory.exact.enclosure import Exact, rational_ball
from rftheory.exact.search import Box, Predicate, ProofLog, holds_on_box, rational

LAST = Fraction(12)
"""From here on all bounds are monotone in y."""
CORNER_T, CORNER_X, CORNER_Y = Fraction(17, 20), Fraction(7, 20), Fraction(11, 10)
"""Beyond these the second inequality is used."""
LAST_CORNER = Fraction(20)


def _cosine(square: arb) -> arb:
    return (1 - square) / (1 + square)


def _excess(T: arb, square: arb) -> arb:
    """(A - 1)/X, A = sqrt((1 + T^2 X)/(1 - X)), which increases with T and, as A is convex, with X."""
    size = ((1 + T * T * square) / (1 - square)).sqrt()
    return (1 + T * T) / ((1 - square) * (1 + size))


def _mean(x: arb, sign: int) -> arb:
    """(exp(x) - 1)/x for the sign 1, which increases, and (1 - exp(-x))/x for -1, which falls; 1 at 0."""
    # either is right: 1 is the value at 0, and at a ball that contains 0 the quotient is not finite
    return arb(1) if x.is_zero() else (sign * x).expm1() / (sign * x)


def _paid(factor: arb) -> Predicate:
    """Whether (e^(y delta) - e^(-y c)) (A - 1) > factor (e^(-y) - e^(-y c) cos(k beta)), 0 <= k <= 1, over T, X, y."""

    def decide(part: Box) -> bool | None:
        (low_t, high_t), (low_x, high_x), (low_y, high_y) = (
            (rational_ball(one), rational_ball(two)) for one, two in part.sides
        )
        fall = (1 - high_t) / (1 + high_t)
        cosine = _cosine(high_x)
        shape = (-low_y * cosine).exp()
        if part.sides[2][0] == LAST:
            gain = (low_y * fall).expm1() - (-low_y * cosine).expm1()
            # either is right: every loss in the list is a bound, and fewer bounds prove less
            losses = [2 * low_y**2 * shape / (1 + low_x) ** 2] if low_y * cosine > 2 else []
            losses += [2 * shape / low_x] if low_x > 0 else []
        else:
            gain = fall * _mean(low_y * fall, 1) + cosine * _mean(high_y * cosine, -1)
            beta = low_y * 2 * low_x.sqrt() / (1 + low_x)
            turn = (beta / 2).sinc() ** 2 if beta < arb.pi() else 4 / beta**2
            spread = 2 * high_y * high_x / (1 + high_x)
            rest = 2 * high_y * turn / (1 + low_x) ** 2 - 2 * _mean(spread, -1) / (1 + high_x)
            if rest < 0:  # nothing is lost
                return True
            losses = [rest.max(arb(0)) * shape]
        gain *= _excess(low_t, low_x)
        if any(gain > factor * loss for loss in losses):
            return True
        return (
            False if part.width == 0 and part.sides[2][0] < LAST and gain < factor * losses[0] else None
        )  # exact at a point

    return decide


def phase_is_paid(*, factor: Exact = 1) -> list[ProofLog]:
    """Prove (e^(y delta) - e^(-y c)) (A - 1) >= e^(-y) - e^(-y c) cos(k beta) for k in [0, 1] outside the corner.

    A = sqrt((1 + T^2 X)/(1 - X)). The corner is T > 17/20, X > 7/20, y > 11/10. The inequality is divided by X y, or by
    X for y >= 12.

    Examples
    --------
    >>> phase_is_paid(factor=2)[0].verdict
    'fails'
    """
    scale = rational_ball(rational(factor, "factor"))
    parts = (((0, 1), (0, CORNER_X)), ((0, CORNER_T), (CORNER_X, 1)))
    boxes = [(*sides, end) for sides in parts for end in ((0, LAST), (LAST, LAST))]
    boxes.append(((CORNER_T, 1), (CORNER_X, 1), (0, CORNER_Y)))
    return [holds_on_box(_paid(scale), Box.of(*box), max_boxes=40_000) for box in boxes]


def _cornered(factor: arb) -> Predicate:
    """Whether M (t + 1 - e^(-y c)) + e^(-y c) (1 + cos(beta)) > factor (2 + t^2/2) over c and y.

    t = y delta, M = sqrt((1 + T^2 X)/((1 - T^2)(1 - X))). The first term is at least its value at the largest delta if
    1 - e^(-y c) exceeds t there, and at least the bound by the means in any case. From t = 1 on nothing is to be shown.
    """
    least = rational_ball(CORNER_T)
    fall = (1 - least) / (1 + least)

    def decide(part: Box) -> bool | None:
        (low_c, high_c), (low_y, high_y) = (
            (rational_ball(one), rational_ball(two)) for one, two in part.sides
        )
        c, y = low_c.union(high_c), low_y.union(high_y)
        square = (1 - c) / (1 + c)
        size = ((1 + least**2 * square) * (1 + c) / 8).sqrt()
        gain = 2 * size * low_y * _mean(high_c * low_y, -1).sqrt()
        saved = -(-low_c * low_y).expm1()
        if saved > high_y * fall:
            gain = gain.max(size * (low_y * fall + saved) / (fall * high_c).sqrt())
        wave = arb(0)
        if part.sides[1][0] < LAST_CORNER:
            wave = (-c * y).exp() * (1 + (y * (1 - c * c).sqrt()).cos())
        wanted = factor * (2 + ((high_y * fall) ** 2).min(arb(1)) / 2)
        if gain + wave > wanted:
            return True
        if part.width > 0 or not high_y * fall < 1:
            return None
        here = (
            ((1 + least**2 * square) * (1 + c) / (8 * fall * c)).sqrt() * (1 + fall) * (high_y * fall + saved)
        )
        return False if here + wave < wanted else None  # at T = 17/20

    return decide


def corner_is_paid(*, factor: Exact = 1) -> list[ProofLog]:
    """Prove M (t + 1 - e^(-y c)) + e^(-y c) (1 + cos(beta)) >= 2 + t^2/2 in the corner, t = y delta <= 1.

    M = sqrt((1 + T^2 X)/((1 - T^2)(1 - X))).

    Examples
    --------
    >>> [log.verdict for log in corner_is_paid()], corner_is_paid(factor="3/2")[0].verdict
    (['holds', 'holds'], 'fails')
    """
    decide = _cornered(rational_ball(rational(factor, "factor")))
    cosines = (0, (1 - CORNER_X) / (1 + CORNER_X))
    ends = ((CORNER_Y, LAST_CORNER), (LAST_CORNER, LAST_CORNER))
    return [holds_on_box(decide, Box.of(cosines, end)) for end in ends]
