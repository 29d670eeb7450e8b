"""The average of Kummer's function over an angle, about the top of its range, by one of two expansions.

With F = 1F1(d; d/2; .) and the s of :func:`rftheory.exact.special.mean_sine_powers` it is E F(z - t s), t = z/(d - 1).
Taylor's series of F gives, with about 3 t bits lost to its alternating signs,

    E F(z - t s) = sum_j (-t)^j/j! F^(j)(z) E s^j.

Where t is large, let F(x) = e^x K(x), K(x) = 1F1(-b; b; -x), b = d/2. Then

    E F(z - t s) = e^z sum_j a_j g_j,  a_j = (-t)^j/j! K^(j)(z),  g_j = E s^j e^(-ts).

For even d the sum ends at j = b. The number of terms does not grow with t: at 1,000 digits it is below a thousand where
t is in the thousands, and the expansion about z - t takes 20,000.
"""

from __future__ import annotations

import math
import sys
from itertools import accumulate
from typing import NamedTuple

from flint import acb, arb, ctx, fmpq, fmpz

from rftheory.exact.enclosure import widen
from rftheory.exact.kummer import kummer, quotient

LEAST_BITS = 128
"""Below this precision the series about z - t takes as little time as that of F."""

LARGEST_STEP, TINY, MOST_TERMS = 1e100, 1e-280, 1e6
"""Limits of t and of z, for estimates in float64, and of the number of terms about z - t."""

LEAST_STEP = 64.0
"""Below this t the terms of the series of K fall too slowly."""

TERM, STEP = 1.5, 0.6
"""Times of a term of the series of K, and of a step before it, as multiples of that of a term of the series of F."""

GUARD = 32
"""Bits beyond the precision that is asked for."""

BLOCK, PACE = 32, 8
"""Terms of the series of K, and of F, that are computed at the same precision."""


class _Plan(NamedTuple):
    """How many terms to sum, where to start the ratios of the K^(j), and at how many bits to begin the g_j; and at
    j = 0, BLOCK, ... how many bits of a ratio matter, and how large g_j is in bits."""

    terms: int
    start: int
    bits: int
    sizes: list[tuple[int, int]]


def simplex_average_from_top(d: int, top: arb | fmpq) -> arb | None:
    """E F(z - t s), z = ``top`` > 0 and t = z/(d - 1), by the series that is less work; ``None`` if that is much.

    Examples
    --------
    >>> from rftheory.exact.special import falling_average
    >>> simplex_average_from_top(4, fmpq(1000)).overlaps(falling_average(4, arb(2000) / 3, arb(1000) / 3))
    True
    """
    ball = arb(top)
    if ball.rel_accuracy_bits() < ctx.prec // 2:  # a range of arguments
        return None
    if isinstance(top, arb) and not top.is_exact():
        found = simplex_average_from_top(d, top.mid())
        return None if found is None else found * _spread(top)
    t = float(ball) / (d - 1)
    if not t < LARGEST_STEP:
        return None
    by_powers = ctx.prec >= LEAST_BITS and 3 * t < 2 * ctx.prec + 100
    others = _taylor_planned(d, float(ball)).work if by_powers else 8 * min(t, MOST_TERMS)
    tilted = simplex_average_tilted(d, top, others)
    return simplex_average_by_powers(d, top) if tilted is None and by_powers else tilted


def _spread(top: arb) -> arb:
    """How the average at a ball differs from that at its middle, as a factor: its logarithm has a slope of 0 to 2.

    Its derivative is the mean of (1 - s/(d - 1)) F', and 0 <= F' <= 2 F.
    """
    return widen((2 * top.rad()).upper()).exp()


# ---- Taylor's series of F --------------------------------------------------------------------------


def mean_sine(d: int) -> arb:
    """E[s] = (2/d) (Gamma((d+1)/2)/Gamma(d/2))^2 for the s of :func:`rftheory.exact.special.mean_sine_powers`.

    Examples
    --------
    >>> mean_sine(2).overlaps(arb.pi() / 4)
    True
    """
    half = fmpq(d, 2)
    ratio = arb.gamma_fmpq(half + fmpq(1, 2)) / arb.gamma_fmpq(half)
    return 2 * ratio**2 / d


class _TaylorPlan(NamedTuple):
    """How many terms to sum, and at how many bits those from j = 0, PACE, ... on."""

    terms: int
    bits: list[int]

    @property
    def work(self) -> float:
        """Time, as a multiple of that of a term at the precision that is asked for."""
        return self.terms * (1 + self.bits[0] / ctx.prec) / 2


def simplex_average_by_powers(d: int, top: arb | fmpq) -> arb:
    """E F(z - t s) from the powers of s, z = ``top`` > 0 and t = z/(d - 1).

    F'/F falls, as it is the mean of (d + k)/(d/2 + k) over the terms of F, which move to larger k. With its value m at
    z the terms from j = n on are together at most (t/R)^n F(z + R) <= (t/R)^n e^(m R) F(z), R >= t; here R = n/m.

    Examples
    --------
    >>> simplex_average_by_powers(4, fmpq(9, 2)).overlaps(simplex_average_by_powers(4, arb(9) / 2))
    True
    """
    if isinstance(top, arb) and not top.is_exact():
        return simplex_average_by_powers(d, top.mid()) * _spread(top)
    plan = _taylor_planned(d, float(arb(top)))
    with ctx.workprec(plan.bits[0]):
        value, slope = kummer(d, top, 0), kummer(d, top, 1)
        total = _nested(d, top, value, slope, plan)
    with ctx.workprec(64):
        step = arb(top) / (d - 1) * slope / (plan.terms * value)
        rest = value * (step * arb(1).exp()) ** plan.terms if step < 1 else arb.nan()
    return total + widen(rest.upper())


def _taylor_planned(d: int, z: float) -> _TaylorPlan:
    """Only the speed depends on these estimates, of about F(z) max s^d e^(-ts) for the value.

    The recurrence of the derivatives has positive terms up to j = z - d/2. Beyond, balls see the sum of their moduli
    grow, which is larger than the derivatives: ``seen``.
    """
    z = max(z, TINY)
    t, half = z / (d - 1), abs(z - d / 2) / 2
    root = math.sqrt(half * half + z * d)
    slope = (root + half) / z if z > d / 2 else d / (root + half)
    fallen = t if t < d else d * (1 + math.log(t / d))
    goal = ctx.prec + GUARD // 2 + fallen / math.log(2)
    j, seen, sizes = 0, 0.0, list[float]()
    while True:
        size = j * math.log2(t) - math.lgamma(j + 1) / math.log(2)
        sizes.append(size + seen)
        if j > slope * t and size + j * math.log2(slope) < -goal:
            break
        half = abs(z - d / 2 - j - PACE / 2) / 2
        seen += PACE * math.log2((half + math.sqrt(half * half + z * (d + j + PACE / 2))) / z)
        j += PACE
    largest = list(accumulate(reversed(sizes), max))[::-1]
    return _TaylorPlan(j, [max(int(goal + bits), 0) + GUARD // 2 for bits in largest])


def _nested(d: int, top: arb | fmpq, value: arb, slope: arb, plan: _TaylorPlan) -> arb:
    """The sum over j < ``terms``, from F(z) and F'(z), by Clenshaw's recurrence without divisions.

    With z = P/Q and u = 2 Q (d - 1) the terms A_j = (-t)^j/j! F^(j)(z) satisfy u^2 (j + 1)(j + 2) A_{j+2} =
    -u (j + 1) (2P - Q (d + 2j)) A_{j+1} + 4 P Q (d + j) A_j, as z F^(j+2) = (z - d/2 - j) F^(j+1) + (d + j) F^(j).
    So sum_j A_j E s^j = A_0 B_0 + A_1 B_1, where B_j is E s^j and the shares of B_{j+1} and B_{j+2}. Both B_j and the
    ``sines`` E s^j are multiplied by prod_{i >= j} u (i + 1)(d + i).
    """
    whole, denominator = quotient(top)
    numerator = fmpz(whole) if isinstance(whole, int) else whole  # products with it may be long
    unit, last = fmpz(2 * (d - 1)) * denominator, plan.terms - 1
    square, both, twice = unit * unit, 4 * denominator * numerator, 2 * numerator
    sines = [arb(1), unit * (last * (d + last - 1)) / mean_sine(d + last - 1)]
    for j in range(last - 1, 0, -1):
        sines.append(sines[-2] * (square * (j * (j + 1) * (d + j) ** 2)))
    first, second = arb(1), arb(0)
    for j in range(last - 1, 0, -1):
        if j % PACE == PACE - 1:
            ctx.prec = plan.bits[j // PACE]
        i = d + j
        ahead = first * (i * (twice - denominator * (i + j - 2)))
        first, second = sines[last - j] - ahead + second * (both * (i * i * (i + 1))), first
    zeroth = sines[last] + second * (both * (d * d * (d + 1)))
    return (zeroth * value - first * slope * (2 * d * numerator)) / sines[last]


# ---- Taylor's series of K --------------------------------------------------------------------------


def simplex_average_tilted(d: int, top: arb | fmpq, others: float) -> arb | None:
    """E F(z - t s) from the g_j; ``None`` where it is more work than ``others`` terms of the series of F.

    Examples
    --------
    >>> z = fmpq(1000)
    >>> simplex_average_tilted(5, z, 10**4).overlaps(simplex_average_by_powers(5, z))
    True
    """
    t = float(arb(top)) / (d - 1)
    plan = _planned(d, float(arb(top)), t, others) if t >= LEAST_STEP else None
    return None if plan is None else kummer(d, top, 0) * _summed(d, top, plan)


def _planned(d: int, z: float, t: float, others: float) -> _Plan | None:
    """Only the speed depends on these estimates. ``size`` and ``own`` are those of a_j g_j and a_j, in bits.

    The ratios contract from where they start: as much as the terms fall, and more for the first ones. Balls do not see
    that the recurrence of the g_j is neutral up to j = t: the bits that they will lose are added (``loss``).
    """
    b, goal = d / 2, ctx.prec + GUARD
    last = d // 2 if d % 2 == 0 else sys.maxsize
    size = own = width = loss = settled = need = 0.0
    first = max(d * math.log2(t) - math.lgamma(d) / math.log(2), 0.0) if t > d else t / math.log(2)
    # that of the first integrals, and of those before the d-th
    work = (0.0 if t > goal else (goal + 2 * t) / 4) + d * (1 + first / goal) / 2
    if d % 2 and 0.8 * TERM * _least(z, goal) + work > others:
        return None
    j, sizes = 0, []
    while j < last and size > -goal and work < others:
        need = max(need, settled + goal + size)
        if j % BLOCK == 0:
            sizes.append((int(need - settled), int(size - own)))
        n = min(PACE, last - j)
        i = j + n / 2  # in the middle of the next n, and never b
        slope = _slope(b, z, i)
        own += n * math.log2(t * slope / (i + 1))
        size += n * math.log2(t * slope / (i + 1) * min(1.0, (d + i + 1) / t))
        width += n * math.log2(1 + 2 * (d + i) / t)
        loss, settled = max(loss, width + own), settled + n * _contracted(b, z, i, slope)
        j, work = j + n, work + n * TERM
    count = start = j
    while settled < need and start < last and work < others:
        if start % BLOCK == 0:
            sizes.append((int(need - settled), 0))
        n = min(PACE, last - start)
        i = start + n / 2
        settled += n * _contracted(b, z, i, _slope(b, z, i))
        start, work = start + n, work + n * STEP
    if work >= others or loss > 2 * goal:
        return None
    return _Plan(count, start, int(goal + loss + first) + GUARD, sizes)


def _slope(b: float, z: float, j: float) -> float:
    """About |K^(j+1)/K^(j)| at z."""
    half = (b + j + z) / 2
    return abs(b - j) / (half + math.sqrt(max(half * half + z * (b - j), 0.0)))


def _least(z: float, goal: float) -> float:
    """About the number of terms for odd d, which fall like j!/z^j at first: the j with j log2(e z/j) = ``goal``."""
    j = goal / 8
    for _ in range(20):
        if j >= z:
            return 2 * z
        j = goal / math.log2(math.e * z / j)
    return j


def _contracted(b: float, z: float, j: float, slope: float) -> float:
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
        numerator, denominator = quotient(top / (d - 1))
        low, middle = _first_integrals(top, d - 1)
        high, found = low - (1 - middle) * denominator / numerator, []
        for i in range(d + plan.terms):
            if i >= d - 1:
                found.append(low)
                block, place = divmod(i - d + 1, BLOCK)
                if place == 0 and block < len(plan.sizes):
                    ctx.prec = plan.bits + plan.sizes[block][1]
            step = high * ((i + 2) * denominator) - low * ((i + 1) * denominator)
            low, middle, high = middle, high, middle + step / numerator
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
