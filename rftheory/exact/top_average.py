"""The average of Kummer's function over an angle, about the top of its range: short where the average falls steeply.

With F = 1F1(d; d/2; .) and the s of :func:`rftheory.exact.special.mean_sine_powers` it is E F(z - t s), t = z/(d - 1).
Let F(x) = e^x K(x), K(x) = 1F1(-b; b; -x), b = d/2. Then

    E F(z - t s) = e^z sum_j a_j g_j,  a_j = (-t)^j/j! K^(j)(z),  g_j = E s^j e^(-ts).

For even d the sum ends at j = b. The number of terms does not grow with t: at 1,000 digits it is below a thousand where
t is in the thousands, and the expansion about z - t takes 20,000.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flint import acb, arb, ctx, fmpq

from rftheory.exact.enclosure import widen
from rftheory.exact.kummer import kummer

LEAST_STEP = 64.0
"""Below this t the terms fall too slowly."""

TERM, STEP = 2.0, 0.8
"""Times of a term and of a step before it, as multiples of the time of a term about z - t."""

GUARD = 32
"""Bits beyond the precision that is asked for."""

BLOCK = 32
"""Terms that are computed at the same precision."""


class _Plan(NamedTuple):
    """How many terms to sum, where to start the ratios of the K^(j), and at how many bits to begin the g_j; and at
    j = 0, BLOCK, ... how many bits of a ratio matter, and how large g_j is in bits."""

    terms: int
    start: int
    bits: int
    sizes: list[tuple[int, int]]


def simplex_average_from_top(d: int, top: arb | fmpq, others: int) -> arb | None:
    """E F(z - t s), z = ``top`` and t = z/(d - 1); ``None`` where a sum of ``others`` terms is less work.

    Examples
    --------
    >>> from rftheory.exact.special import falling_average
    >>> simplex_average_from_top(4, fmpq(1000), 10**4).overlaps(falling_average(4, arb(2000) / 3, arb(1000) / 3))
    True
    """
    ball = arb(top)
    t = float(ball) / (d - 1)
    if not t >= LEAST_STEP or ball.rel_accuracy_bits() < ctx.prec // 2:  # or a range of arguments
        return None
    plan = _planned(d, float(ball), t, others)
    if plan is None:
        return None
    return kummer(d, top, 0) * _summed(d, top, plan)


def _slope(b: float, z: float, j: int) -> float:
    """About |K^(j+1)/K^(j)| at z."""
    half = (b + j + z) / 2
    return abs(b - j) / (half + math.sqrt(max(half * half + z * (b - j), 0.0)))


def _planned(d: int, z: float, t: float, others: int) -> _Plan | None:
    """Only the speed depends on these estimates. ``size`` and ``own`` are those of a_j g_j and a_j, in bits.

    The ratios contract from where they start: as much as the terms fall, and more for the first ones. Balls do not see
    that the recurrence of the g_j is neutral up to j = t: the bits that they will lose are added (``loss``).
    """
    b, goal = d / 2, ctx.prec + GUARD
    last = d // 2 if d % 2 == 0 else others
    if d % 2 and 0.8 * TERM * _least(z, goal) > others:
        return None
    size = own = width = loss = settled = need = work = 0.0
    j, sizes = 0, []
    while j < last and size > -goal and work < others:
        need = max(need, settled + goal + size)
        if j % BLOCK == 0:
            sizes.append((int(need - settled), int(size - own)))
        slope = _slope(b, z, j)
        own += math.log2(t * slope / (j + 1))
        size += math.log2(t * slope / (j + 1) * min(1.0, (d + j + 1) / t))
        width += math.log2(1 + 2 * (d + j) / t)
        loss, settled = max(loss, width + own), settled + _contracted(b, z, j, slope)
        j, work = j + 1, work + TERM
    count = start = j
    while settled < need and start < last and work < others:
        if start % BLOCK == 0:
            sizes.append((int(need - settled), 0))
        settled += _contracted(b, z, start, _slope(b, z, start))
        start, work = start + 1, work + STEP
    if work >= others or loss > 2 * goal:
        return None
    first = (d * math.log2(t) - math.lgamma(d) / math.log(2)) if t > d else t / math.log(2)
    return _Plan(count, start, int(goal + loss + max(first, 0.0)) + GUARD, sizes)


def _least(z: float, goal: float) -> float:
    """About the number of terms for odd d, which fall like j!/z^j at first: the j with j log2(e z/j) = ``goal``."""
    j = goal / 8
    for _ in range(20):
        if j >= z:
            return 2 * z
        j = goal / math.log2(math.e * z / j)
    return j


def _contracted(b: float, z: float, j: int, slope: float) -> float:
    """Bits that the ratio at j gains on the one at j + 1."""
    return max(0.0, -math.log2(z * slope * slope / abs(b - j))) if j != b else 0.0


def _summed(d: int, top: arb | fmpq, plan: _Plan) -> arb:
    """sum_j a_j g_j / K(z), nested from the last term.

    K^(j+1)/K^(j) at z is (d - 2j)/D_j, D_j = d + 2j + 2z (1 + K^(j+2)/K^(j+1)), downwards from an interval. As
    z = (d - 1) t, the ratio times z is an integer times the ``step`` t/D_j. All at the precision that the terms need.
    """
    integrals = _integrals(d, top, plan)
    with ctx.workprec(ctx.prec + GUARD):
        z, start, most = arb(top), plan.start, ctx.prec
        t, twice = z / (d - 1), 2 * z
        step, total = t / (twice * (1 + _beyond(d, z, start)) + (d + 2 * start - 2)), arb(0)
        for j in range(start - 1, -1, -1):
            if j != start - 1:
                step = t / ((2 * (d - 1) * (d - 2 * j - 2)) * step + twice + (d + 2 * j))
            if j % BLOCK == BLOCK - 1 or j == start - 1:
                ctx.prec = max(plan.sizes[j // BLOCK][0], 0) + GUARD
            if j < plan.terms:
                if j == plan.terms - 1:
                    total = _rest(d, plan.terms, integrals[-1])
                total = integrals[j] + step * total * (2 * j - d) / (j + 1)
        ctx.prec = most
        return total * (2 * arb.gamma_fmpq(fmpq(d + 1, 2)) / (arb.pi().sqrt() * arb.gamma_fmpq(fmpq(d, 2))))


def _beyond(d: int, z: arb, start: int) -> arb:
    """An interval that contains K^(j+1)/K^(j) at z for j = ``start``."""
    beyond = 2 * start - d
    if beyond == 0:
        return arb(0)
    return arb(0).union(-(arb(beyond) / (2 * z)).min(arb(1)) if beyond > 0 else arb(1))


def _rest(d: int, count: int, integral: arb) -> arb:
    """(a_j g_j + a_{j+1} g_{j+1} + ...)/a_j for j = ``count``, up to the factor that g_j is of the ``integral``.

    The ratio of an a_j to the one before is at most t/z times b/(j + 1) below b, and at most t/z above: there
    -K^(j+1)/K^(j) is the mean of a beta variable of parameters (j - b, d) tilted by e^(-z .), at most (j - b)/z. And
    g_j falls in j.
    """
    if d % 2 == 0 and count == d // 2:
        return integral
    share = max(fmpq(d, 2) / (count + 1), fmpq(1)) / (d - 1)
    whole = abs(integral) / (1 - arb(share)) if share < 1 else arb.nan()
    return whole.union(-whole)


def _integrals(d: int, top: arb | fmpq, plan: _Plan) -> list[arb]:
    """h_i = int_0^1 s^i (1 - s^2)^(-1/2) e^(-ts) ds for i = d - 1, ..., d - 1 + count; g_j is h_{d-1+j} up to a factor.

    The integral of the derivative of s^(i+1) (1 - s^2)^(1/2) e^(-ts) gives t (h_{i+3} - h_{i+1}) = (i + 2) h_{i+2} -
    (i + 1) h_i, and for i = -1, where a boundary term is left, t (h_2 - h_0) = h_1 - 1.
    """
    with ctx.workprec(plan.bits):
        slow = (d - 1) / arb(top)
        low, middle = _first_integrals(top, d - 1)
        high, found = low - (1 - middle) * slow, []
        for i in range(d + plan.terms):
            if i >= d - 1:
                found.append(low)
                block, place = divmod(i - d + 1, BLOCK)
                if place == 0 and block < len(plan.sizes):
                    ctx.prec = plan.bits + plan.sizes[block][1]
            low, middle, high = middle, high, middle + ((i + 2) * high - (i + 1) * low) * slow
        return found


def _first_integrals(top: arb | fmpq, parts: int) -> list[arb]:
    """h_0 and h_1 at t = ``top/parts``: from their expansions for large t, or of size e^t by power series."""
    expanded = [one for one in (_expanded(arb(top) / parts, i) for i in (0, 1)) if one is not None]
    if len(expanded) == 2:
        return expanded
    with ctx.workprec(ctx.prec + int(float(arb(top)) / parts / math.log(2)) + GUARD):
        t = arb(top) / parts
        square, half, middle = acb(t) ** 2 / 4, acb(1) / 2, acb(3) / 2
        odd = t * square.hypgeom([acb(1)], [middle, middle]).real
        even = square.hypgeom([acb(1)], [half, middle]).real
        turn = arb.pi() / 2
        return [turn * t.bessel_i(0) - odd, even - turn * t.bessel_i(1)]


def _expanded(t: arb, i: int) -> arb | None:
    """h_i from (1 - s^2)^(-1/2) = sum_k c_k s^(2k), term by term over (0, oo); ``None`` where t is too small.

    What is left out of the sum from k = K on is at most s^(2K) (1 - s^2)^(-1/2), as c_k falls; so with n = 2 K + i <= t
    its integral is at most (n/(e t))^n pi/2. Each term has at most e^(-t)/(t - n) too much from (1, oo).
    """
    size, n = float(t), i
    goal = (ctx.prec + GUARD) * math.log(2)
    while n < 0.8 * size and (n == 0 or n * (1 + math.log(size / n)) < goal):
        n += 2
    if n >= 0.8 * size or size < goal:
        return None
    inverse = 1 / t
    square, term, total = inverse * inverse, inverse ** (i + 1), arb(0)
    for k in range((n - i) // 2):
        total += term
        m = i + 2 * k
        term = term * square * ((2 * k + 1) * (m + 1) * (m + 2)) / (2 * k + 2)
    error = (arb(n) / t) ** n * (-arb(n)).exp() * 2 + n * (-t).exp() / (t - n) if n else arb(2)
    return total + widen(error.upper())
