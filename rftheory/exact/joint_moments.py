"""Joint moments of coupled projections at a cost that hardly grows with the norms or the dimension.

Orthogonal projections, any number. With S = sum a_i w_i, w_i orthogonal of norms r_i (independent, chi_d), h = d/2 and
beta_i = a_i^2 v^2/2,

    E exp(v u.S) = sum_n [x^n] prod_i (1 - beta_i x)^(-h)/(h)_n
                 = Gamma(h)/(2 pi i) int e^s s^((k-1) h) prod_i (s - beta_i)^(-h) ds

by Hankel's integral 1/Gamma(h + n) = (1/(2 pi i)) int e^s s^(-h-n) ds (:mod:`rftheory.exact.hankel`); v^2 < 0 gives
cosines.

Pairs at any angle, by the same integral with one factor more, :class:`PairContour`, or by a double series about the
mean of |S|^2, :class:`PairSeries`. Three of equal weights are in
:mod:`rftheory.exact.triple_moments`, any number at any angle in :mod:`rftheory.exact.circle_moments`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from flint import arb, ctx, fmpq

from rftheory.errors import NotCertified, OutsideDomain
from rftheory.exact.enclosure import widen
from rftheory.exact.hankel import FEW_DIMENSIONS, Angle, hankel_integral
from rftheory.exact.kummer import kummer_ladder
from rftheory.exact.special import JointMoments, PairMoments

LARGEST_EXPONENT = 1e13
"""Beyond this distance of a singularity the float estimates that place the path are meaningless."""


class OrthogonalContour:
    """Joint exponential moments of orthogonal projections by :func:`hankel_integral`.

    Its cost hardly depends on the norms, which may be as large as one likes. The arguments are those of
    :class:`~rftheory.exact.special.NormTable`, at cosine 0.

    Examples
    --------
    >>> OrthogonalContour(64, arb(1), arb(0), 2).moment((1, 1)).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """

    def __init__(self, d: int, v_squared: arb, c: arb, reach: int, scale: Callable[[int], arb] = arb) -> None:
        if not c.is_zero():
            raise OutsideDomain("orthogonal contour", needs="cosine 0", got=c.str(5))
        self.d, self.v_squared, self.scale = d, v_squared, scale
        self._values: dict[tuple[int, ...], arb] = {}

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights."""
        key = tuple(sorted(abs(a) for a in weights if a))
        if not key or self.v_squared.is_zero():
            return arb(1)
        if key not in self._values:
            self._values[key] = self._moment(key)
        return self._values[key]

    def _moment(self, key: tuple[int, ...]) -> arb:
        count = Counter(key)
        points = {a: self.scale(a) ** 2 * self.v_squared / 2 for a in count}
        if len(key) == 1:
            return points[key[0]].exp()
        return orthogonal_exponential(self.d, [(points[a], count[a]) for a in count])


def _require_a_path(*points: arb) -> None:
    """Refuse singularities at which no path is found."""
    largest = reduce(arb.max, map(abs, points))
    if not largest < LARGEST_EXPONENT:
        raise NotCertified("joint moments", wanted="a path of integration",
                           reached=f"a singularity at distance {largest.str(3, radius=False)}",
                           hint="choose a smaller norm or order")  # fmt: skip


def orthogonal_exponential(d: int, points: Sequence[tuple[arb, int]]) -> arb:
    """E exp(v u.S) for orthogonal projections with the given beta_i = a_i^2 v^2/2, each with its multiplicity.

    Examples
    --------
    >>> orthogonal_exponential(64, [(arb(1) / 2, 2)]).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """
    _require_a_path(*(p for p, _ in points))
    half, rows = fmpq(d, 2), sum(n for _, n in points)
    shift = max(float(p) for p, _ in points)  # the rightmost singularity becomes the origin
    factors = [(p - shift, -half * n) for p, n in points]
    return half_gamma(d) * arb(shift).exp() * hankel_integral([*factors, (arb(-shift), half * (rows - 1))])


class PairContour(PairMoments):
    """Joint exponential moments of at most two projections at the angle of cosine c, by :func:`hankel_integral`.

    With norms r cos(t), r sin(t), the mean over r and the rotation is Gamma(h)/(2 pi i) int e^s s^h (s - q)^(-d) ds,
    q = beta_1 cos(t)^2 + beta_2 sin(t)^2 + c a b v^2 cos(t) sin(t). As the density of t is proportional to
    sin(2t)^(d-1), and with tan(t) = e^x ((s - beta_1)/(s - beta_2))^(1/2), the mean of (s - q)^(-d) over t is that for
    orthogonal rows times the factor of the angle, whose ``cross`` is -c a b v^2/2.

    Its cost hardly depends on the norms and grows slowly with the dimension. Of waves it finds what counts in a moment
    of the order ``reach``: digits beside 1 if that is even, else beside exp(v^2/2), the mean of one.

    Examples
    --------
    >>> arguments = (64, arb(-25), arb(-1) / 63, 3)
    >>> PairContour(*arguments).moment((2, 1)).overlaps(PairSeries(*arguments).moment((2, 1)))
    True
    """

    name = "pair contour"

    def of_pair(self, a: arb, b: arb) -> arb:
        u = self.v_squared
        # of waves of odd order, beside the mean of one
        beside = 0.0 if self.reach % 2 == 0 else float(u / 2 * self.scale(1) ** 2)
        return pair_contour(self.d, a * a * u, b * b * u, self.c * a * b * u, beside if u < 0 else -math.inf)


def pair_contour(d: int, first: arb, second: arb, cross: arb, beside: float = -math.inf) -> arb:
    """E exp(b_1.w_1 + b_2.w_2) for b_i.b_i = first, second, b_1 and b_2 on one line, ``cross`` = c b_1.b_2.

    ``beside`` is the logarithm of a number beside which the value is wanted, as in :func:`hankel_integral`.

    Examples
    --------
    >>> pair_contour(64, arb(1), arb(1), arb(0)).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """
    half, angle = fmpq(d, 2), Angle(d, (first / 2, second / 2), -cross / 2)
    _require_a_path(*angle.points)
    shift = float(angle.top)
    moved = replace(angle, points=(first / 2 - shift, second / 2 - shift))
    factors = [(arb(-shift), half), *((p, -half) for p in moved.points)]
    beside -= shift + math.lgamma(d / 2)
    return half_gamma(d) * arb(shift).exp() * hankel_integral(factors, moved, beside)


class PairSeries(PairMoments):
    """Joint exponential moments of at most two projections at the angle of cosine c, by a double Taylor series.

    With norms r cos(t), r sin(t), the mean over r and the rotation is F = 1F1(d; d/2; .) at x + y cos(2t) + k sin(2t),
    x = v^2 (a^2 + b^2)/4, y = v^2 (a^2 - b^2)/4, k = v^2 c a b/2. As sin(2t) has the density of
    :func:`~rftheory.exact.special.mean_sine_powers`, the mean over t is

        sum_ij (y^2/4)^i/i! k^j/j! F^(2i+j)(x) Gamma((d+j)/2) Gamma((d+1)/2)/(Gamma(d/2) Gamma((d+1+j)/2 + i)).

    |F^(p)(x)| <= 2^p F(max(x, 0)), and the gamma factor is at most 1/((d+1)/2)_i, which bounds both tails.
    A series that is too long is NotCertified.

    Examples
    --------
    >>> PairSeries(64, arb(1), arb(0), 2).moment((1, 1)).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """

    name = "pair series"

    def of_pair(self, a: arb, b: arb) -> arb:
        d, u = self.d, self.v_squared
        x, y, k = u * (a * a + b * b) / 4, u * (a * a - b * b) / 4, self.c * u * a * b / 2
        largest = arb(2) ** (LARGEST_LOSS * ctx.prec)
        across = short_exponential(y * y, fmpq(d + 1, 2), largest)
        along = short_exponential(2 * abs(k), None, largest)
        slopes_wanted = 2 * across.count + along.count
        long = (
            across.count * along.count > LARGEST_DOUBLE_SUM
            or max(across.count, along.count) > LONGEST_SERIES
            or (x < 0 and slopes_wanted > (MOST_SLOPES if d < FEW_DIMENSIONS else MOST_SLOPES // 10))
        )
        if long or not across.total * along.total < largest:
            raise NotCertified(
                "pair series",
                wanted="a short series",
                reached=f"{across.count} times {along.count} terms",
                hint="choose a smaller norm",
            )
        slopes = _derivatives(d, x, slopes_wanted)
        tail = slopes[0].max(arb(1)) * (across.tail * (along.total + along.tail) + across.total * along.tail)
        total = arb(0)
        ratios = [arb(1), arb.gamma_fmpq(fmpq(d + 1, 2)) ** 2 / (half_gamma(d) * half_gamma(d + 2))]
        power = arb(1)
        for j in range(along.count):
            if j > 1:
                ratios.append(ratios[j - 2] * (d + j - 2) / (d + j - 1))
            inner, term = arb(0), ratios[j]
            for i in range(across.count):
                inner += term * slopes[2 * i + j]
                term = term * y * y / (2 * (i + 1) * (d + 1 + j + 2 * i))
            total += power * inner
            power = power * k / (j + 1)
        return total + widen(tail.upper())


LARGEST_DOUBLE_SUM = 1_000_000
"""The most terms of a double series; more would take many seconds."""
LONGEST_SERIES = 20_000
MOST_SLOPES = 3000
"""The most derivatives that are computed one by one, where x < 0; a tenth where a contour is quicker."""
LARGEST_LOSS = 4
"""How many times the working precision the terms of a double series may exceed its sum; a contour is quicker then."""


@dataclass(frozen=True)
class _Truncation:
    """Where sum x^n/(n! (rise)_n) is cut: number of terms, bounds of their sum and of the rest."""

    count: int
    total: arb
    tail: arb


def short_exponential(x: arb, rise: fmpq | None, largest: float | arb = math.inf) -> _Truncation:
    """Where sum x^n/(n! (rise)_n), or sum x^n/n! without ``rise``, is cut at the working precision; x >= 0.

    A sum that is too long or not below ``largest`` is left, without a bound of the rest.

    Examples
    --------
    >>> short = short_exponential(arb(1), None)
    >>> bool(abs(short.total - arb(1).exp()) < 1e-14), bool(short.tail < 1e-14)
    (True, True)
    """
    small = arb(2) ** (-ctx.prec - 8)
    total, term, n = arb(0), arb(1), 0
    with ctx.workprec(64):
        while True:
            total += term
            n += 1
            term = (term * x / (n * (rise + n - 1) if rise is not None else n)).upper()
            ratio = x / ((n + 1) * (rise + n) if rise is not None else n + 1)
            if n > LONGEST_SERIES or not total < largest:
                return _Truncation(n, total.upper(), arb("inf"))
            if ratio < 0.5 and term < small * total:
                return _Truncation(n, total.upper(), 2 * term)


def _derivatives(d: int, x: arb, count: int) -> list[arb]:
    """F, F', ... of F = 1F1(d; d/2; .) at x of any sign; :func:`kummer_ladder` for x > 0."""
    half = arb(d) / 2
    with ctx.workprec(2 * ctx.prec + d // 16):  # at low precision 1F1 of large parameters has no digits
        if x > 0:
            return kummer_ladder(arb(d), half, x, count)
        values, factor = [], arb(1)
        for p in range(count):
            values.append(factor * x.exp() * (-x).hypgeom_1f1(-half, half + p))
            factor = factor * (d + p) / (half + p)
        return values


CONTOUR_START = 60
"""Above this A^2 v^2/2, A the order of the moment, the contour is faster than the series."""


def orthogonal_moments(
    d: int, v_squared: arb, c: arb, reach: int, scale: Callable[[int], arb] = arb
) -> JointMoments | OrthogonalContour:
    """The quicker method for these arguments: the moment series, or the contour.

    Examples
    --------
    >>> [type(orthogonal_moments(5, arb(u), arb(0), 4)).__name__ for u in (1, 100)]
    ['JointMoments', 'OrthogonalContour']
    """
    small = abs(v_squared) * reach * reach / 2 < CONTOUR_START
    return (JointMoments if small else OrthogonalContour)(d, v_squared, c, reach, scale)


class OrthogonalNorms:
    """Joint exponential moments of orthogonal projections: |sum a_i w_i|^2 = sum a_i^2 r_i^2.

    Its moments follow from the power sums of the a_i^2, by the logarithmic derivative of prod (1 - 2 a_i^2 t)^(-d/2).
    The arguments are those of :class:`~rftheory.exact.special.NormTable`, at cosine 0.

    Examples
    --------
    >>> OrthogonalNorms(64, arb(1), arb(0), 2).moment((1, 1)).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """

    def __init__(self, d: int, v_squared: arb, c: arb, reach: int, scale: Callable[[int], arb] = arb) -> None:
        if not c.is_zero():
            raise OutsideDomain("orthogonal norms", needs="cosine 0", got=c.str(5))
        self.d, self.v_squared, self.scale = d, v_squared, scale

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights."""
        d, u = self.d, self.v_squared
        squares = [2 * self.scale(a) ** 2 for a in weights if a]

        def terms() -> Iterator[arb]:
            # q_k = E|.|^(2k)/k! satisfies k q_k = sum_j (d/2) sum_i (2 a_i^2)^j q_{k-j}
            q, powers = [arb(1)], [arb(0)]
            scale, k = arb(1), 0
            while True:
                yield scale * q[k]
                k += 1
                powers.append(sum((square**k for square in squares), arb(0)) * d / 2)
                q.append(sum((powers[j] * q[k - j] for j in range(1, k + 1)), arb(0)) / k)
                scale = scale * u / (4 * (arb(d) / 2 + k - 1))

        # E|.|^(2k) |u|^k/(4^k k! (d/2)_k) <= (A^2 |u|/2)^k/k!, A = sum |a_i|: bound the tail by that series
        return _majorised_sum(terms(), arb(sum(abs(a) for a in weights)) ** 2 * abs(u) / 2)


def _majorised_sum(terms: Iterator[arb], reach: arb) -> arb:
    """Sum of terms t_k with |t_k| <= reach^k/k!."""
    total, bound, k = arb(0), arb(1), 0
    small = arb(2) ** (-ctx.prec - 8)
    while True:
        total += next(terms)
        k += 1
        bound = (bound * reach / k).upper()
        ratio = (reach / (k + 1)).upper()
        if ratio < arb("0.5") and bound < small:
            return total + widen((bound / (1 - ratio)).upper())


def half_gamma(d: int) -> arb:
    """Gamma(d/2).

    Examples
    --------
    >>> half_gamma(2) == 1
    True
    """
    value: arb = arb.gamma_fmpq(fmpq(d, 2))
    return value
