"""Building blocks of the closed forms: chi moments, the 1F1 ladder, zonal averages, joint moments.

All functions work in ball arithmetic at the current precision (integers as ``int``, real arguments as ``arb``).
"""

from __future__ import annotations

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import pairwise

from flint import arb, arb_poly, ctx, fmpq, fmpz, fmpz_poly

from rftheory.errors import NotCertified, OutsideDomain
from rftheory.exact.enclosure import widen
from rftheory.exact.kummer import kummer
from rftheory.exact.top_average import mean_sine, simplex_average_from_top

LARGEST_STEP = 2e6
"""The largest |c| v^2/2 for which an angle average is summed; the number of terms grows with it."""

TINY = 1e-300
"""Replaces arguments that underflow in float64 estimates of sizes."""

MAX_TERMS = 1_000_000
"""The most terms that are summed; more would take minutes."""


def chi_moments(d: int, count: int) -> list[arb]:
    """Moments E[r^n], n = 0..count-1, of a chi variable with ``d`` degrees of freedom.

    Examples
    --------
    >>> [int(moment.unique_fmpz()) for moment in chi_moments(3, 5)[::2]]
    [1, 3, 15]
    """
    half = fmpq(d, 2)
    moments = [arb(1), arb(2).sqrt() * arb.gamma_fmpq(half + fmpq(1, 2)) / arb.gamma_fmpq(half)]
    while len(moments) < count:
        moments.append(moments[-2] * (d + len(moments) - 2))
    return moments[:count]


def mean_sine_powers(d: int, count: int) -> list[arb]:
    """E[s^p], p = 0..count-1, for s = sin(2 phi), the angle phi of a pair of independent chi_d norms.

    With norms r cos(phi), r sin(phi), the density of s on (0, 1) is proportional to s^(d-1) (1 - s^2)^(-1/2);
    E s^(p+2) = E s^p (d + p)/(d + p + 1).

    Examples
    --------
    >>> means = mean_sine_powers(2, 3)
    >>> means[1].overlaps(arb.pi() / 4), means[2].overlaps(arb(2) / 3)
    (True, True)
    """
    moments = [arb(1), mean_sine(d)]
    while len(moments) < count:
        p = len(moments) - 2
        moments.append(moments[p] * (d + p) / (d + p + 1))
    return moments[:count]


def mean_cosine_gaps(d: int, count: int) -> list[arb]:
    """M_p = E[(1 - s)^p], p = 0..count-1, for the s of :func:`mean_sine_powers`.

    (d + 1 + p) M_{p+2} = (2 d + 2 + 3 p) M_{p+1} - (1 + 2 p) M_p, of which M is the minimal solution: the ratios
    M_{p+1}/M_p are run backwards from the interval [0, 1], which contracts to them.

    Examples
    --------
    >>> mean_cosine_gaps(2, 2)[1].overlaps(1 - arb.pi() / 4)
    True
    """
    extra = ctx.prec + 32
    ratio = arb(0).union(arb(1))
    ratios: list[arb] = []
    for p in range(count + extra, -1, -1):
        ratio = (1 + 2 * p) / (arb(2 * d + 2 + 3 * p) - (d + 1 + p) * ratio)
        if p < count:
            ratios.append(ratio)
    moments = [arb(1)]
    for ratio in reversed(ratios):
        moments.append(moments[-1] * ratio)
    return moments[:count]


def falling_average(d: int, y: arb, step: arb) -> arb:
    """E F(y + step (1 - s)) for F = 1F1(d; d/2; .), y, step >= 0 and the s of :func:`mean_sine_powers`.

    It is F(y) sum_p t_p M_p with t_p = step^p/p! F^(p)(y)/F(y) and M_p = E(1-s)^p, a series of positive terms. The
    terms beyond the last fall faster than geometrically, as F^(p+1)/F^(p) <= (d + p)/(d/2 + p) and M decreases.

    Raises
    ------
    OutsideDomain : y or step is negative, so that terms cancel and the last one bounds no rest.

    Examples
    --------
    >>> falling_average(4, arb(0), arb(0)).overlaps(arb(1))
    True
    """
    _refuse_negative(y)
    _refuse_negative(step)
    if step.is_zero():
        return kummer(d, y, 0)
    terms = _falling_terms(d, step)
    if y.is_zero():
        with ctx.workprec(ctx.prec + 16):
            return _average_from_zero(d, step, terms, _tail_factor(d, step, terms.count))
    start = kummer(d, y, 0)
    with ctx.workprec(ctx.prec + 16):
        if step <= y:
            series = _scaled_series(d, y, start, terms)
            divisor = 2 * y / step
        else:
            series, divisor = _taylor_factors(d, y, step, terms, start), None
        average = _weighted_sum(d, series, divisor, terms, _tail_factor(d, step, terms.count))
        if divisor is None:
            average /= series[0]
    return start * average


def simplex_average(d: int, z: arb | fmpq) -> arb:
    """E F(z (1 - s/(d-1))), z >= 0: from the top of its range, or by :func:`falling_average` where that is much work.

    Raises
    ------
    OutsideDomain : z is negative.

    Examples
    --------
    >>> simplex_average(4, fmpq(9, 2)).overlaps(falling_average(4, arb(3), arb(3) / 2))
    True
    >>> simplex_average(2, arb(2)).overlaps(falling_average(2, arb(0), arb(2)))
    True
    """
    if z == 0:
        return arb(1)
    _refuse_negative(z)
    found = simplex_average_from_top(d, z)
    if found is not None:
        return found
    with ctx.workprec(ctx.prec + (int(z).bit_length() if isinstance(z, fmpq) else 0)):
        step = arb(z) / (d - 1)
        return falling_average(d, step * (d - 2), step)


def _refuse_negative(argument: arb | fmpq) -> None:
    if argument < 0:
        raise OutsideDomain("angle average", needs="arguments >= 0", got=arb(argument).str(5))


def _falling_terms(d: int, step: arb) -> _FallingTerms:
    """Sizes of the terms; too many are refused."""
    size = float(step.upper())
    if not size <= LARGEST_STEP:
        raise NotCertified(
            "angle average",
            wanted="a value",
            reached=f"the series needs more than {LARGEST_STEP:.0e} terms",
            hint="at such norms use the float64 layer, rftheory.exact.fast",
        )
    terms = _FallingTerms(d, max(size, TINY))
    if terms.count > MAX_TERMS:
        raise NotCertified("angle average", wanted="a value", reached=f"it takes {terms.count} terms",
                           hint="at such norms use the float64 layer, rftheory.exact.fast")  # fmt: skip
    return terms


def _tail_factor(d: int, step: arb, count: int) -> arb:
    """Bound of the last term and all that follow, as a multiple of the last term."""
    rest = (step * (d + count) / ((fmpq(d, 2) + count) * (count + 1))).upper()
    return arb(1).union((1 / (1 - rest)).upper()) if rest < 1 else arb.nan()


def _scaled_series(d: int, y: arb, value: arb, terms: _FallingTerms) -> list[arb]:
    """G_p = (2y)^p F^(p)(y)/F(y) for p <= count, ``value`` = F(y).

    G_{p+2} = (2y - d - 2p) G_{p+1} + 4y (d+p) G_p, from y F^(p+2) = (y - d/2 - p) F^(p+1) + (d+p) F^(p). Up to the turn
    p = y - d/2 nothing cancels. Beyond it, errors grow by up to the factor (p + d/2)/y a step against F^(p), but the
    terms are (2 step)^p/p! as large as 2^-p F^(p): with step <= y the error of a term falls like
    step/y (1 + (d/2 - 1)/p).
    """
    lead = 2 * y
    series, twice = [arb(1), lead * (kummer(d, y, 1) / value)], 2 * lead
    for p in range(terms.count - 1):
        if p % BLOCK == 0:
            ctx.prec = terms.precisions[p // BLOCK]
        series.append((lead - (d + 2 * p)) * series[p + 1] + (twice * (d + p)) * series[p])
    ctx.prec = terms.precisions[0]
    return series


def _weighted_sum(d: int, series: list[arb], divisor: arb | None, terms: _FallingTerms, tail: arb) -> arb:
    """sum_p series[p] M_p / (divisor^p p!) (``None``: of series[p] M_p), nested from the last term."""
    total, unit = arb(0), arb(1)
    for start, mantissas, shift, error in _moments_from_last(d, terms):
        total *= shift
        for p in range(start + len(mantissas) - 1, start - 1, -1):
            term = series[p] * mantissas[p - start]
            if p == terms.count:
                total = term * tail
            elif divisor is None:
                total += term
            else:
                total = term + total / (divisor * (p + 1))
        total, unit = total * error, arb(mantissas[0])
    return total / unit


def _average_from_zero(d: int, step: arb, terms: _FallingTerms, tail: arb) -> arb:
    """The same about y = 0, where t_{p+1}/t_p = step 2 (d + p)/((d + 2p)(p + 1))."""
    twice, total, unit = 2 * step, arb(0), arb(1)
    for start, mantissas, shift, error in _moments_from_last(d, terms):
        total *= shift
        for p in range(start + len(mantissas) - 1, start - 1, -1):
            if p == terms.count:
                total = tail * mantissas[-1]
            else:
                total = total * (twice * (d + p)) / ((d + 2 * p) * (p + 1)) + mantissas[p - start]
        total, unit = total * error, arb(mantissas[0])
    return total / unit


def _moments_from_last(
    d: int, terms: _FallingTerms
) -> Iterator[tuple[int, list[fmpz] | list[arb], arb, arb]]:
    """First index, mantissas, change of scale and error factor of each block of moments, at its precision.

    The relative error of a sum of positive terms is at most the largest of its terms. M_0 = 1 has the unit as mantissa.
    """
    end = terms.count + 1
    if end > FORWARD_MOMENTS:
        moments = mean_cosine_gaps(d, end)
        for start in range((end - 1) // BLOCK * BLOCK, -1, -BLOCK):
            ctx.prec = terms.precisions[start // BLOCK]
            yield start, moments[start : start + BLOCK], arb(1), arb(1)
        return
    blocks = _gap_mantissas(d, terms)
    scale = blocks[-1][1]
    for mantissas, exponent, error in reversed(blocks):
        start = end - len(mantissas)
        ctx.prec = terms.precisions[start // BLOCK]
        yield start, mantissas, arb(2) ** (exponent - scale), error
        scale, end = exponent, start


def _gap_mantissas(d: int, terms: _FallingTerms) -> list[tuple[list[fmpz], int, arb]]:
    """M_p = E(1-s)^p for p <= count, in blocks of integers near 2^w M_p, with w and a ball for the ratios.

    The recurrence of :func:`mean_cosine_gaps`, forwards, for M_p and the differences D_p = M_p - M_{p+1}:
    (d + 1 + p) D_{p+1} = (1 + 2p) D_p - d M_{p+1}. If both are off by at most A units, the next are off by at most
    2 A + 1, as (1 + 2p) A + 2 d A < 2 (d + 1 + p) A and the division is rounded once. So w starts higher by one bit for
    each p, and bits that have become noise are dropped.
    """
    count, blocks = terms.count, []
    # at p + STRIDE the error is what the precision at p allows; in between it is about linear
    places = [*range(0, count, BLOCK), count]
    need = [terms.precisions[p // BLOCK] + p + STRIDE - terms.log2_moment(p + STRIDE) for p in places]
    width = int(max(need)) + BLOCK
    with ctx.workprec(width + 16):
        gap = (1 - mean_sine(d)) * arb(2) ** width
        error = int(_floor(gap.rad())) + 3
        moment = fmpz(1) << width
        difference = moment - _floor(gap)
    for start in range(0, count + 1, STRIDE):
        drop = error.bit_length() - 8
        if drop >= BLOCK:
            moment, difference, error = moment >> drop, difference >> drop, (error >> drop) + 2
            width -= drop
        mantissas = []
        for p in range(start, min(start + STRIDE, count + 1)):
            mantissas.append(moment)
            moment -= difference
            difference = ((1 + 2 * p) * difference - d * moment) // (d + 1 + p)
        error = (error + 1) << len(mantissas)
        least = mantissas[-1] - 2 * error  # M decreases
        ratio = arb(error) / least if least > 0 else arb.nan()
        blocks.append((mantissas, width, 1 + widen(ratio.upper())))
    return blocks


def _floor(x: arb) -> fmpz:
    """The largest integer that is at most the middle of a ball."""
    man, exp = x.mid().man_exp()
    return man << int(exp) if exp >= 0 else man >> -int(exp)


BLOCK, STRIDE = 32, 8
"""Number of terms of a series with the same precision, and of moments with a common error bound."""


def _taylor_factors(d: int, y: arb, step: arb, terms: _FallingTerms, value: arb) -> list[arb]:
    """t_p = step^p/p! F^(p)(y)/F(y) for p <= count, with ``value`` = F(y), all times the first of them.

    For step > y, where the forward recurrence of ``_scaled_series`` loses digits. The recurrence of ``kummer_ladder``
    has positive coefficients forwards up to the turn p = y - d/2 and backwards beyond. Backwards it starts from the
    ratio F^(p+1)/F^(p) at p = count, to which an interval is contracted.
    """
    count, factors = terms.count, [arb(1)]
    turn = math.floor(float(y.mid()) - d / 2)
    if turn > 0:
        factors.append(step * kummer(d, y, 1) / value)
        slope, curve = step / y / 2, step * step / y
        for p in range(min(turn, count - 1)):
            ahead = (step - slope * (d + 2 * p)) * factors[p + 1]
            factors.append((ahead + curve * factors[p] * (d + p) / (p + 1)) / (p + 2))
    if len(factors) > count:
        return factors
    behind = [step * _derivative_ratio(d, y, count, terms.prec) / (count + 1), arb(1)]
    inverse, level, curve = 1 / (2 * step), y / step, y / (step * step)
    for p in range(count, len(factors) - 1, -1):
        ahead = (inverse * (d + 2 * p - 2) - level) * behind[-1]
        behind.append((ahead + curve * behind[-2] * (p + 1)) * p / (d + p - 1))
    scale = behind[-1] / factors.pop()
    return [scale * factor for factor in factors] + behind[:0:-1]


def _derivative_ratio(d: int, y: arb, order: int, bits: int) -> arb:
    """F^(p+1)(y)/F^(p)(y) at p = order >= y - d/2, by its continued fraction, which contracts [1, 2] to it.

    A step contracts by y R^2/(d + p), and the ratio R is at most (d + p)/(d/2 + p).
    """
    last, gained, size = order, -bits - 8.0, max(float(y), TINY)
    while gained < 0:
        last += 1
        gained += max(math.log2((d / 2 + last) ** 2 / (size * (d + last))), 0.0)
    half, ratio = arb(d) / 2 - y, arb(1).union(arb(2))
    for p in range(last, order, -1):
        ratio = (d + p - 1) / (y * ratio + (half + (p - 1)))
    return ratio


FORWARD_MOMENTS = 5000
"""More moments than this use the backward recurrence; forward, their precision would fill the memory."""


class _FallingTerms:
    """Sizes of the terms of :func:`falling_average` in float64: how many matter, and to how many bits each.

    Only the speed depends on these estimates: the enclosures are proved in any case.
    """

    def __init__(self, d: int, step: float) -> None:
        self.d, self.log_step, self.prec = d, math.log(step), ctx.prec
        self.norm = math.lgamma(d) - math.lgamma(d + 0.5) + math.lgamma(0.5)
        low, high = 0, int(2 * step) + 2
        while high - low > 2:
            third = (high - low) // 3
            left, right = low + third, high - third
            low, high = (left, high) if self.low(left) < self.low(right) else (low, right)
        self.peak, self.top = low, max(self.low(low), self.low(high), 0.0)
        goal = self.top - (self.prec + 8) * math.log(2)
        low, high = self.peak, 2 * self.peak + 8
        while self.high(high) > goal:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.high(middle) > goal else (low, middle)
        # Where step (d+p)/((d/2+p)(p+1)) < 0.9 the rest falls geometrically.
        while 10 * step * (d + high) > 9 * (d / 2 + high) * (high + 1):
            high += 1 + high // 8
        self.count = high
        self.precisions = [self.bits(p) for p in range(0, high + 1, BLOCK)]

    def low(self, p: int) -> float:
        """log of step^p/p! M_p, to within 1."""
        return p * self.log_step - math.lgamma(p + 1) + math.log(2) * self.log2_moment(p)

    def log2_moment(self, p: int) -> float:
        """log2 of M_p, to within 2."""
        moment = math.lgamma(self.d) + math.lgamma(p + 0.5) - math.lgamma(self.d + p + 0.5) - self.norm
        return moment / math.log(2)

    def high(self, p: int) -> float:
        """The same times the largest possible F^(p)/F, that at y = 0."""
        d, half = self.d, self.d / 2
        return self.low(p) + math.lgamma(d + p) - math.lgamma(d) - math.lgamma(half + p) + math.lgamma(half)

    def bits(self, p: int) -> int:
        """Precision at which the ratios at p are needed."""
        if p <= self.peak:
            return self.prec + 16
        return int(self.prec + 16 + min(0.0, max((self.high(p) - self.top) / math.log(2), 48.0 - self.prec)))


def joint_moment(weights: Sequence[int], d: int, v_squared: arb, c: arb) -> arb:
    """E exp(v u.(a_1 w_1 + ... + a_n w_n)) for equal-angle coupled projections, by their moments.

    Parameters
    ----------
    weights : the integers a_i, one for each distinct projection.
    d : dimension.
    v_squared : v^2; a negative value gives E cos, the trigonometric case.
    c : cosine of the common angle (0 orthogonal, -1/(d-1) simplex); norms are independent chi_d.

    Source
    ------
    Ours; the case (1, 1) is the RF-conformity of Reid et al. 2023, eq. (10).

    Examples
    --------
    >>> joint_moment((1, 1), 64, arb(1), arb(0)).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """
    return JointMoments(d, v_squared, c, sum(abs(a) for a in weights)).moment(weights)


class JointMoments:
    """Joint exponential moments of equal-angle coupled projections, sharing the work between weights.

    Method. Let u.w_i = r_i s_i.u with norms r_i and directions s_i at equal angles. Averaging a product of powers of
    the s_i.u over the sphere gives the Gaussian moment of covariance (1-c) I + c 11^T, divided by E chi_d^N, N the
    total degree. The covariance is that of sqrt(1-c) h_i + sqrt(c) h with one shared normal h: for each value of h
    the moment is a product of polynomials of one variable, and E over h is taken by the rule of Gauss and Hermite. For
    c < 0 the polynomials are those of -c with c - 1 in the place of 1 - c, in i times the variable: real as well.

    Bounds. The terms of total degree 2k are at most t^k/k! with t = A^2 |v^2|/2, A = sum |a_i|, which bounds the tail
    in k. With |c| replaced by |c| R, R > 1, the sum of moduli is at most B = exp(t (1 + |c| (1 + R))). The rule with N
    nodes is exact for the powers of h below 2N, and others, of even degree, have a value between 0 and their mean: so
    it is off by at most B R^(-N).

    The cost grows with A^2 v^2: meant for A |v| up to about 15.

    Parameters
    ----------
    d, v_squared, c : as for :func:`joint_moment`.
    reach : largest sum of |a_i| that will be asked for.
    scale : the factor by which a projection with weight a counts, if not a itself; at most a in modulus.

    Examples
    --------
    >>> JointMoments(64, arb(1), arb(0), 2).moment((1, 1)).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """

    def __init__(
        self, d: int, v_squared: arb, c: arb, reach: int | arb, scale: Callable[[int], arb] = arb
    ) -> None:
        self.v_squared, self.scale = v_squared, scale
        size = arb(reach) ** 2 * abs(v_squared) / 2
        self.order, self.tail = _tail_order(size)
        # either is right: a limit on the work
        if self.order > (4000 if c.is_zero() else 1000):
            raise _too_long(size)
        self.nodes, left = _shared_nodes(abs(c), size, self.order)
        self.tail += left
        self.norms = chi_moments(d, 2 * self.order + 1)
        # the signs that c may have; both where it is a ball around 0, for a mean that may be anything up to its largest
        # either is right: at 0 one sign is as good as both
        self._signs = [1] if c.is_zero() else [sign for sign in (1, -1) if not sign * c < 0]
        shared = abs(c).sqrt() if len(self._signs) == 1 else arb(0).union(c.abs_upper().sqrt())
        self._ladders = [
            _gaussian_ladder(sign * (1 - c), shared * h, 2 * self.order + 1)
            for sign in self._signs
            for _, h in self.nodes
        ]
        self._weights = {
            sign: [(sign * v_squared) ** k / norm for k, norm in enumerate(self.norms[::2])]
            for sign in self._signs
        }
        self._products: dict[tuple[tuple[int, ...], bool], list[arb_poly]] = {}
        self._values: dict[tuple[tuple[int, ...], bool], arb] = {}

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights."""
        up = tuple(sorted((a for a in weights if a), reverse=True))
        return self._value(max(up, tuple(-a for a in reversed(up))))  # u and -u have the same law

    def cosines(self, powers: Sequence[int]) -> arb:
        """E of the product of the powers of cosh(v u.w_i), of cosines for a negative v^2.

        Powers are averages of exponentials over signs, so that the bounds hold; and even, so that half of the
        coefficients do.

        Examples
        --------
        >>> moments = JointMoments(5, arb(-2), arb(0), 2)
        >>> moments.cosines((1, 1)).overlaps((moments.moment((1, 1)) + moments.moment((1, -1))) / 2)
        True
        """
        return self._value(tuple(sorted(powers, reverse=True)), even=True)

    def _value(self, weights: tuple[int, ...], even: bool = False) -> arb:
        if self.v_squared.is_zero():
            return arb(1)
        if (weights, even) not in self._values:
            self._values[weights, even] = self._mean(self._product(weights, even), 1 if even else 2)
        return self._values[weights, even]

    def _mean(self, polynomials: Sequence[arb_poly], step: int) -> arb:
        """The mean over the rotation, the norms and the shared normal; every ``step``-th coefficient counts."""
        values = []
        for i, sign in enumerate(self._signs):
            value = arb(0)
            for (weight, _), polynomial in zip(self.nodes, polynomials[i * len(self.nodes) :], strict=False):
                value += weight * sum(
                    map(operator.mul, polynomial.coeffs()[::step], self._weights[sign]), arb(0)
                )
            values.append(value)
        return reduce(arb.union, values) + widen(self.tail)

    def _product(self, weights: tuple[int, ...], even: bool) -> list[arb_poly]:
        if (weights, even) not in self._products:
            if len(weights) <= 1:
                step, factors = 1 + even, self._factors(weights[0] if weights else 0, even)
                found = [
                    arb_poly([factor * e for factor, e in zip(factors, ladder[::step], strict=True)])
                    for ladder in self._ladders
                ]
            else:
                pairs = zip(self._product(weights[:1], even), self._product(weights[1:], even), strict=True)
                length = (1 if even else 2) * self.order + 1
                found = [(one * rest).truncate(length) for one, rest in pairs]
            self._products[weights, even] = found
        return self._products[weights, even]

    def _factors(self, a: int, even: bool) -> list[arb]:
        """What multiplies the powers of s.u in exp(a r s.u), or the even ones in cosh(r s.u)^a."""
        if not even:
            weight = self.scale(a)
            return [weight**n * norm for n, norm in enumerate(self.norms)]
        terms = [(arb(math.comb(a, j)) / 2**a, self.scale(a - 2 * j)) for j in range(a + 1)]
        return [
            sum((share * weight ** (2 * k) for share, weight in terms), arb(0)) * norm
            for k, norm in enumerate(self.norms[::2])
        ]


class NormTable:
    """The same joint moments by another method: through the moments of the resultant norm.

    Method. E exp(v u.S) over the rotation is 0F1(; d/2; v^2 |S|^2/4), S = sum a_i w_i, and
    |S|^2 = (1-c) sum a_i^2 r_i^2 + c (sum a_i r_i)^2. The joint moments of both sums over the independent chi norms
    are coefficients of the product of the series sum_pq a^(2p+q) E r^(2p+q) x^p y^q/(p! q!), kept where 2p + q <= 2K.

    Bounds. |S| <= sum |a_i| r_i, so E |S|^(2k) <= A^(2k) 2^k (d/2)_k (Minkowski) and the term k is at most
    (A^2 |v^2|/2)^k/k!.

    The cost grows with (A^2 v^2)^2: meant for A |v| up to about 8.

    Parameters
    ----------
    d, v_squared, c, reach, scale : as for :class:`JointMoments`.

    Examples
    --------
    >>> NormTable(5, arb(2), arb(-1) / 4, 2).moment((1, 1)).overlaps(joint_moment((1, 1), 5, arb(2), arb(-1) / 4))
    True
    """

    def __init__(self, d: int, v_squared: arb, c: arb, reach: int, scale: Callable[[int], arb] = arb) -> None:
        self.d, self.v_squared, self.c, self.scale = d, v_squared, c, scale
        size = arb(reach) ** 2 * abs(v_squared) / 2
        self.order, self.tail = _tail_order(size)
        if self.order > 300:
            raise _too_long(size)
        # either is right: with cosine 0 the powers of the angle are not needed
        self.stride = 1 if c.is_zero() else 4 * self.order + 1
        self.norms = chi_moments(d, 2 * self.order + 1)
        self._products: dict[tuple[int, ...], arb_poly] = {(): arb_poly([1])}

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights."""
        if self.v_squared.is_zero():
            return arb(1)
        table = self._product(tuple(sorted(a for a in weights if a)))
        total, power, half = arb(0), arb(1), fmpq(self.d, 2)
        for k in range(self.order + 1):
            inner, ways = arb(0), arb(1)
            for j in range(k + 1 if self.stride > 1 else 1):
                inner += (1 - self.c) ** (k - j) * ways * table[(k - j) * self.stride + 2 * j]
                ways = ways * self.c * (2 * (2 * j + 1))  # (2j)!/j! c^j
            total += power * inner
            power = power * self.v_squared / (4 * (half + k))
        return total + widen(self.tail)

    def _product(self, weights: tuple[int, ...]) -> arb_poly:
        if weights not in self._products:
            product = self._product(weights[1:]) * self._single(weights[0])
            self._products[weights] = self._kept(product.coeffs())
        return self._products[weights]

    def _single(self, a: int) -> arb_poly:
        found, scale = [arb(0)] * ((self.order + 1) * self.stride), self.scale(a)
        powers = [arb(1)]
        while len(powers) <= 2 * self.order:
            powers.append(powers[-1] * scale)
        for p in range(self.order + 1):
            for q in range(2 * (self.order - p) + 1 if self.stride > 1 else 1):
                n = 2 * p + q
                found[p * self.stride + q] = powers[n] * self.norms[n] / (arb.fac_ui(p) * arb.fac_ui(q))
        return arb_poly(found)

    def _kept(self, coefficients: list[arb]) -> arb_poly:
        """The coefficients with 2p + q <= 2K."""
        zero, last = arb(0), 2 * self.order
        return arb_poly(
            [
                value if 2 * (i // self.stride) + i % self.stride <= last else zero
                for i, value in enumerate(coefficients[: (self.order + 1) * self.stride])
            ]
        )


class PairMoments(ABC):
    """Joint exponential moments of at most two distinct projections; a subclass knows those of two.

    Parameters
    ----------
    d, v_squared, c, reach, scale : as for :class:`NormTable`.

    Examples
    --------
    >>> class Independent(PairMoments):
    ...     name = "independent pairs"
    ...
    ...     def of_pair(self, a, b):
    ...         return ((a * a + b * b) * self.v_squared / 2).exp()
    >>> Independent(5, arb(2), arb(0), 2).moment((2, 1)).overlaps(arb(5).exp())
    True
    """

    name: str

    def __init__(self, d: int, v_squared: arb, c: arb, reach: int, scale: Callable[[int], arb] = arb) -> None:
        self.d, self.v_squared, self.c, self.reach, self.scale = d, v_squared, c, reach, scale
        self._values: dict[tuple[int, ...], arb] = {}

    @abstractmethod
    def of_pair(self, a: arb, b: arb) -> arb:
        """E exp(v u.(a w_1 + b w_2)), a and b not 0."""

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights.

        Raises
        ------
        OutsideDomain : for more than two weights that are not zero.
        """
        up = tuple(sorted(a for a in weights if a))
        key = max(up, tuple(-a for a in reversed(up)))  # u and -u have the same law
        if len(key) > 2:
            raise OutsideDomain(self.name, needs="at most two projections", got=len(key))
        if key not in self._values:
            scaled = [self.scale(a) for a in key]
            self._values[key] = (
                self.of_pair(*scaled)
                if len(scaled) == 2
                else (self.v_squared * sum((a * a for a in scaled), arb(0)) / 2).exp()
            )
        return self._values[key]


def _gaussian_ladder(variance: arb, mean: arb, count: int) -> list[arb]:
    """E (mean + sqrt(variance) h)^n / n! for a standard normal h, n = 0..count-1."""
    values = [arb(1), mean]
    for n in range(1, count - 1):
        values.append((mean * values[n] + variance * values[n - 1]) / (n + 1))
    return values[:count]


def _shared_nodes(c: arb, size: arb, order: int) -> tuple[Sequence[tuple[arb, arb]], arb]:
    """Weights and nodes that integrate the shared normal h, of an even integrand, and a bound of the error."""
    if c.is_zero():
        return [(arb(1), arb(0))], arb(0)
    count, error = _node_count(c, size, order)
    return _hermite_nodes(count, ctx.prec), error


@lru_cache(maxsize=32)
def _hermite_nodes(count: int, bits: int) -> list[tuple[arb, arb]]:
    """Weights and positive nodes, of an even number for the mean over a normal; a weight counts for -x too.

    Newton's method starts from floating-point numbers. A polynomial p of degree N has a zero within N |p(x)/p'(x)| of
    any x: N/2 such balls of positive numbers, apart from each other, hold all positive zeros.

    Raises
    ------
    NotCertified : the balls are not apart.
    """
    before, last = fmpz_poly([1]), fmpz_poly([0, 1])
    for k in range(1, count):
        before, last = last, fmpz_poly([0, 1]) * last - k * before
    with ctx.workprec(bits + 2 * count):  # the polynomials cancel at their zeros
        value, slope, nodes = arb_poly(last), arb_poly(last.derivative()), []
        for j in range(count // 2, 0, -1):
            x = arb(_hermite_zero(count, j))
            for _ in range(ctx.prec.bit_length()):
                x = (x - value(x) / slope(x)).mid()
            nodes.append(x + widen((count * abs(value(x) / slope(x))).upper()))
        if not all(x < y for x, y in pairwise([arb(0), *nodes])):
            balls = f"balls of {count} nodes that meet"
            raise NotCertified("rule of Gauss and Hermite", wanted="all nodes", reached=balls)
        factor = 2 * arb.fac_ui(count)
        return [(factor / slope(x) ** 2, x) for x in nodes]


def _hermite_zero(count: int, j: int) -> float:
    """About the j-th largest zero: (4N + 2)^(1/2) cos(t) with 2t - sin(2t) = (4j - 1) pi/(2N + 1)."""
    phase = (4 * j - 1) * math.pi / (2 * count + 1)
    t = (6 * phase) ** (1 / 3) / 2
    for _ in range(6):
        t -= (2 * t - math.sin(2 * t) - phase) / (2 - 2 * math.cos(2 * t))
    return math.sqrt(4 * count + 2) * math.cos(t)


def _node_count(c: arb, size: arb, order: int) -> tuple[int, arb]:
    """An even N as small as the error bound of :class:`JointMoments` allows, at most what is exact."""
    exact = 2 * (order // 2 + 1)
    for count in range(2, exact, 2):
        ratio = (arb(count) / (c * size).max(arb("1e-6"))).mid()
        if ratio > 1:
            error = ((size * (1 + c * (1 + ratio))).exp() * ratio**-count).upper()
            if error < arb(2) ** (-ctx.prec):
                return count, error
    return exact, arb(0)


def _too_long(size: arb) -> NotCertified:
    return NotCertified(
        "joint moments",
        wanted="a short expansion",
        reached=f"A^2 v^2/2 = {size.str(3, radius=False)}, A the order of the moment",
        hint="choose a smaller norm or order",
        by_any_route=True,
    )


def _tail_order(reach: arb) -> tuple[int, arb]:
    """Smallest K with sum_{k > K} reach^k/k! below the working precision, and that bound."""
    if not reach <= 4000:
        raise _too_long(reach)
    term, order = arb(1), 0
    small = arb(2) ** (-ctx.prec)
    while True:
        order += 1
        term = (term * reach / order).upper()
        ratio = (reach / (order + 1)).upper()
        if ratio < arb("0.5") and term < small:
            return order, (term * ratio / (1 - ratio)).upper()
