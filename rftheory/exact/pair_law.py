"""Means of exponentials of one and of two projections, the building blocks of all laws of mechanisms.

The mean is E exp(q_1 |w_1|^2 + q_2 |w_2|^2 + b_1.w_1 + b_2.w_2) for two rows with a given relation. A uniform rotation
turns the rows, so the mean depends on b_1 and b_2 only through their products without conjugation. For orthonormal
directions and p = r_1 b_1 + c r_2 b_2, q = s r_2 b_2, c^2 + s^2 = 1, it is, at given norms (Muirhead 1975, 0F1 of a
2 x 2 matrix),

    sum_k det^k / (16^k (h)_2k ((d-1)/2)_k k!) 0F1(; h + 2k; tr/4),       h = d/2,
    tr = r_1^2 b_1.b_1 + r_2^2 b_2.b_2 + 2 c r_1 r_2 b_1.b_2,
    det = (1 - c^2) r_1^2 r_2^2 (b_1.b_1 b_2.b_2 - (b_1.b_2)^2),

and the mean over the norms is a series if they are independent, elementary if they are shared, and an integral if they
are at opposite quantiles. Chi norms with q are chi norms without q, scaled by (1 - 2q)^(-1/2).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from flint import acb, arb, ctx, fmpq, fmpz

from rftheory.errors import NotCertified, OutsideDomain
from rftheory.exact.conformity import angle_conformity_ball
from rftheory.exact.enclosure import certified_integral, exact_number, not_analytic, rational_ball, widen
from rftheory.exact.evaluate import evaluate
from rftheory.exact.joint_moments import (
    LARGEST_DOUBLE_SUM,
    LONGEST_SERIES,
    half_gamma,
    pair_contour,
    short_exponential,
)
from rftheory.exact.truth import is_positive
from rftheory.spec import Relation
from rftheory.spec.relation import Cosine


class PairForm(NamedTuple):
    """The exponent q_1 |w_1|^2 + q_2 |w_2|^2 + b_1.w_1 + b_2.w_2, described by what its mean depends on.

    Attributes
    ----------
    d : dimension.
    first, second, cross : b_1.b_1, b_2.b_2 and b_1.b_2, without conjugation.
    q1, q2 : factors of the squared norms.
    collinear : True if b_1 and b_2 are multiples of one real vector, so that the determinant is exactly 0.
    size1, size2 : |b_1|^2 and |b_2|^2; by default |b_1.b_1| and |b_2.b_2|, which are equal to them if collinear.

    Examples
    --------
    >>> one = acb(1)
    >>> PairForm(64, one, one, one).mean(Relation(0)).real.overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """

    d: int
    first: acb
    second: acb
    cross: acb
    q1: acb = acb(0)
    q2: acb = acb(0)
    collinear: bool = True
    size1: arb | None = None
    size2: arb | None = None

    def mean(self, relation: Relation) -> acb:
        """The mean for two rows with this relation; exactly 1 if both features are 1."""
        if all(part.is_zero() for part in (self.first, self.second, self.cross, self.q1, self.q2)):
            return acb(1)
        if relation.norms == "fixed":
            return self._fixed(relation)
        if relation.norms == "shared":
            return self._shared(relation)
        if relation.norms == "antimonotone":
            return self._antimonotone(relation)
        return self._independent(relation)

    # ---- independent norms

    def _independent(self, relation: Relation) -> acb:
        s1, s2 = 1 - 2 * self.q1, 1 - 2 * self.q2
        for s in (s1, s2):
            require_convergence(s, "mean of a product of features")
        factor = (s1.log() + s2.log()) * arb(-self.d) / 2
        first, cross = self.first / s1, self.cross / (s1 * s2).sqrt()
        second = first if self._alike else self.second / s2
        if relation.cosine is None:
            return (factor + (first + second) / 2).exp()
        c = cosine_ball(relation.cosine)
        skew = acb(0) if self.collinear else (1 - c * c) * (first * second - cross * cross)
        return factor.exp() * independent_norms(self.d, first, second, c * cross, skew)

    # ---- shared norms

    def _shared(self, relation: Relation) -> acb:
        s = 1 - 2 * (self.q1 + self.q2)
        require_convergence(s, "mean of a product of features with shared norms")
        if relation.cosine is None:
            raise NotCertified("pair law", wanted="a mean", reached="independent directions with a shared norm",
                               hint="no route is known for them")  # fmt: skip
        c = cosine_ball(relation.cosine)
        total = (self.first + self.second + 2 * c * self.cross) / s
        scale = (s.log() * arb(-self.d) / 2 + total / 2).exp()
        if self.collinear or self.d == 1:
            return scale
        skew = (1 - c * c) * (self.first * self.second - self.cross * self.cross) / (s * s)
        return scale * (skew / 4).hypgeom_0f1(acb(self.d - 1) / 2)

    # ---- known norms

    def _fixed(self, relation: Relation) -> acb:
        square = acb(self.d)
        return ((self.q1 + self.q2) * square).exp() * self.at_norms(relation, square, square, square)

    def at_norms(self, relation: Relation, r1: acb, r2: acb, both: acb) -> acb:
        """The mean without q, given the squared norms and the product of the norms."""
        d = self.d
        if relation.cosine is None:
            return bessel(d, self.first * r1 / 4) * bessel(d, self.second * r2 / 4)
        c = cosine_ball(relation.cosine)
        trace = (r1 * self.first + r2 * self.second) / 4
        if relation.cosine != 0:  # of a wide disc the product of the norms may be infinite
            trace += c * both * self.cross / 2
        if self.collinear or d == 1:
            return bessel(d, trace)
        skew = (1 - c * c) * r1 * r2 * (self.first * self.second - self.cross * self.cross) / 16
        return _frame_series(d, trace, skew)

    # ---- norms at opposite quantiles

    def _antimonotone(self, relation: Relation) -> acb:
        """The same for all b_1.b_2 where rows are orthogonal; so waves and their conjugates have it in common."""
        if relation.cosine != 0 or not (self.collinear or self.d == 1):
            return self._over_quantiles(relation)
        form = self._replace(cross=acb(0))
        sizes = (acb(size) for size in (self.size1, self.size2) if size is not None)
        parts = [_place(ball) for ball in (self.first, self.second, self.q1, self.q2, *sizes)]
        key = ctx.prec, self.d, form._alike, *parts
        if key not in _LATEST:
            _LATEST.clear()
            _LATEST[key] = form._over_quantiles(relation)
        return _LATEST[key]

    @property
    def _alike(self) -> bool:
        """Whether both rows certainly have the same exponent."""
        return _one_number(self.first, self.second) and _one_number(self.q1, self.q2)

    def _over_quantiles(self, relation: Relation) -> acb:
        """The integral over t = r_1^2/2 from the median on, where r_2 is the smaller norm, and with rows exchanged."""
        quantile = opposite_quantile(self.d, ctx.prec)
        log_gamma, power = half_gamma(self.d).log(), fmpq(self.d, 2) - 1

        def given(t: acb, other: acb, both: acb) -> acb:
            return (2 * (self.q1 * t + self.q2 * other)).exp() * self.at_norms(
                relation, 2 * t, 2 * other, both
            )

        def integrand(t: acb, analytic: bool, exchanged: bool = True) -> acb:
            log_t, log_other = t.log(analytic=analytic), quantile.logarithm(t)
            other, both = log_other.exp(), 2 * ((log_t + log_other) / 2).exp()
            found = given(t, other, both)
            if exchanged:
                found += found if alike else given(other, t, both)
            return (power * log_t - t - log_gamma).exp() * found

        alike = self._alike
        middle, end = acb(quantile.median()), self._end(quantile)
        opposite = quantile(middle)  # the exchanged rows start here, not at the middle
        between = middle.union(opposite)
        excess = (middle - opposite) * integrand(between, False, exchanged=False)
        value = certified_integral(integrand, middle, acb(end), real=False)
        return value + excess + widen(self._tail(quantile, end), complex_=True)

    def _end(self, quantile: OppositeQuantile) -> arb:
        """Where the integral is cut."""
        end, small = arb(self.d) + 8, arb(2) ** (-ctx.prec)
        while not self._tail(quantile, end) < small:
            end = (end * arb("1.25")).mid()
            if end > MAX_REACH:
                reached = f"r^2/2 = {end.str(3, radius=False)}"
                raise NotCertified("norms at opposite quantiles", wanted="a short integral", reached=reached,
                                   hint="choose smaller norms")  # fmt: skip
        return end

    def _tail(self, quantile: OppositeQuantile, end: arb) -> arb:
        """A bound on the integral beyond its end, where one norm is small: |mean| <= exp(|b_1| r_1 + |b_2| r_2).

        With r = (2t)^(1/2), r |b| <= t/4 + 2 |b|^2.
        """
        smallest = 2 * quantile(acb(end)).real.abs_upper()
        total = arb(0)
        size1 = abs(self.first) if self.size1 is None else self.size1
        size2 = abs(self.second) if self.size2 is None else self.size2
        for far, near, q, p in ((size1, size2, self.q1, self.q2), (size2, size1, self.q2, self.q1)):
            square = q.real.max(arb(0))
            rest = 1 - 2 * square - arb(1) / 4
            if not rest > 0:
                raise NotCertified("norms at opposite quantiles", wanted="a bound on the tail",
                                   reached=f"Re q = {square.str(5)}", hint="certified for Re q < 3/8")  # fmt: skip
            bound = (2 * far + (near * smallest).sqrt() + abs(p.real) * smallest).exp()
            bound *= (rest.log() * arb(-self.d) / 2).exp()
            total += bound * (rest * end).gamma_upper(arb(self.d) / 2, regularized=1)
        return total.upper()


Place = tuple[tuple[fmpz, fmpz], ...]
"""Middles and radii of a ball, by which it is found again."""
_LATEST: dict[tuple[Any, ...], acb] = {}
"""The latest mean over norms at opposite quantiles of two orthogonal rows."""
_MOST_KNOWN = 2**14
"""Opposites that are kept, for a dimension and a precision."""
MOST_LOST = 1000
"""Bits that a series may lose: with as many more it still takes less time than a contour."""
NARROW = 2.0**-20
"""Wider balls have no contour: a quadrature over them would not end."""
LARGEST_ARGUMENT = 1e12
"""The largest argument of Kummer's function for which derivatives are computed."""
MAX_REACH = 100_000
"""The largest r^2/2 to which norms at opposite quantiles are integrated."""


def cosine_ball(cosine: Cosine) -> acb:
    """An exact cosine as a ball.

    Examples
    --------
    >>> (3 * cosine_ball(Fraction(-1, 3))).contains(-1)
    True
    """
    if isinstance(cosine, int | Fraction):
        return acb(rational_ball(cosine))
    return acb(evaluate(exact_number(cosine, "cosine")))


def require_convergence(s: acb, what: str) -> None:
    """Refuse a mean of exp(q |w|^2 + b.w) that is infinite, s = 1 - 2 q.

    Raises
    ------
    OutsideDomain : Re(s) <= 0; Undecided, if more bits may prove the sign.

    Examples
    --------
    >>> require_convergence(acb(-1), "mean")
    Traceback (most recent call last):
    ...
    rftheory.errors.OutsideDomain: mean: needs Re(1 - 2 q) > 0 for the sum q of the factors of |w|^2, got '-1.0000000'
    """
    if not is_positive(s.real, "Re(1 - 2 q)"):
        raise OutsideDomain(what, needs="Re(1 - 2 q) > 0 for the sum q of the factors of |w|^2", got=s.str(8))


def single_mean(d: int, square: acb, q: acb, norms: str) -> acb:
    """E exp(q |w|^2 + b.w) of one row, b.b = ``square``: chi norms, or norms sqrt(d).

    Examples
    --------
    >>> single_mean(5, acb(1), acb(0), "chi").real.overlaps((arb(1) / 2).exp())
    True
    """
    if norms == "fixed":
        return (q * d).exp() * (square * d / 4).hypgeom_0f1(acb(d) / 2)
    s = 1 - 2 * q
    require_convergence(s, "mean of a feature")
    return (s.log() * arb(-d) / 2 + square / (2 * s)).exp()


def independent_norms(d: int, first: acb, second: acb, cross: acb, skew: acb) -> acb:
    """E exp(b_1.w_1 + b_2.w_2) for independent chi norms; ``cross`` is c b_1.b_2, ``skew`` the determinant.

    With norms R cos(t), R sin(t) and F = 1F1(d; d/2; .) it is

        sum_k (skew/16)^k / (((d-1)/2)_k k!) E sin(2t)^2k F^(2k)(X + Y cos(2t) + K sin(2t)),

    X = (b_1.b_1 + b_2.b_2)/4, Y = (b_1.b_1 - b_2.b_2)/4, K = c b_1.b_2/2, expanded in powers of Y and K. The mean of
    cos(2t)^2i sin(2t)^n is (2i)!/(4^i i!) Gamma((d+n)/2) Gamma((d+1)/2)/(Gamma(d/2) Gamma((d+1+n)/2 + i)), and
    |F^(p)(X)| <= 2^p F(|X|), which bounds the tails. Where b_1 = +-b_2 is real, a series is used in which
    no term cancels; where b_1 and b_2 are real, or both imaginary, on one line, a contour if the terms cancel far.

    Examples
    --------
    >>> independent_norms(64, acb(1), acb(1), acb(0), acb(0)).real.overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """
    x, y, k = (first + second) / 4, acb(0) if first is second else (first - second) / 4, cross / 2
    real = all(part.is_zero() for part in (skew, x.imag, y.imag, k.imag))
    if real and y.is_zero() and x.real > 0 and not abs(k.real) > x.real:
        cosine = (k.real / x.real).intersection(arb(0, 1))
        return acb(angle_conformity_ball(d, (2 * x.real).sqrt(), cosine))
    has_contour = real and max(part.rad() for part in (x, y, k)) < NARROW
    try:
        return _triple_series(d, x, y, k, skew, arb(2) ** MOST_LOST if has_contour else math.inf)
    except NotCertified:
        if not has_contour:
            raise
    waves = first.real < 0 and second.real < 0  # their mean is small: digits beside 1
    return acb(pair_contour(d, first.real, second.real, cross.real, 0.0 if waves else -math.inf))


def _triple_series(d: int, x: acb, y: acb, k: acb, skew: acb, largest: float | arb = math.inf) -> acb:
    """The series; refused where it is long, or its terms are not below ``largest`` times its first."""
    height = _derivatives(d, acb(abs(x).upper()), 1)[0].real.upper()
    zero = skew.is_zero()
    around = short_exponential(arb(0) if zero else abs(skew) / 4, None if zero else fmpq(d - 1, 2))
    across, along = (
        short_exponential(abs(y * y), fmpq(d + 1, 2), largest),
        short_exponential(2 * abs(k), None, largest),
    )
    work = around.count * across.count * along.count
    long = work > LARGEST_DOUBLE_SUM or max(around.count, across.count, along.count) > LONGEST_SERIES
    if long or not around.total * across.total * along.total < largest:
        raise NotCertified("pair law", wanted="a short series", reached=f"it takes {work} terms",
                           hint="choose smaller norms")  # fmt: skip
    slopes = _derivatives(d, x, 2 * around.count + 2 * across.count + along.count)
    ratios = _sine_means(d, 2 * around.count + along.count)
    total, outer = acb(0), acb(1)
    for a in range(around.count):
        power = acb(1)
        for j in range(along.count):
            n = 2 * a + j
            inner, term = acb(0), acb(ratios[n])
            for i in range(across.count):
                inner += term * slopes[2 * a + 2 * i + j]
                term = term * y * y / (2 * (i + 1) * (d + 1 + n + 2 * i))
            total += outer * power * inner
            power = power * k / (j + 1)
        if not zero:
            outer = outer * skew / (16 * (a + 1) * (fmpq(d - 1, 2) + a))
    parts = (around, across, along)
    whole, kept = arb(1), arb(1)
    for part in parts:
        whole, kept = whole * (part.total + part.tail), kept * part.total
    return total + widen((height * (whole - kept)).abs_upper(), complex_=True)


def _sine_means(d: int, count: int) -> list[arb]:
    """Gamma((d+n)/2) Gamma((d+1)/2)/(Gamma(d/2) Gamma((d+1+n)/2)), n = 0..count-1."""
    means = [arb(1), arb.gamma_fmpq(fmpq(d + 1, 2)) ** 2 / (half_gamma(d) * half_gamma(d + 2))]
    while len(means) < count:
        n = len(means) - 2
        means.append(means[n] * (d + n) / (d + 1 + n))
    return means[:count]


def _derivatives(d: int, x: acb, count: int) -> list[acb]:
    """F, F', ... of F = 1F1(d; d/2; .) at x, by its recurrence backwards from the last two."""
    half = acb(d) / 2
    size = float(abs(x).upper())
    if not size < LARGEST_ARGUMENT:
        raise NotCertified("pair law", wanted="a short series", reached=f"an argument of {size:.3g}",
                           hint="choose smaller norms")  # fmt: skip
    extra = 32 + 2 * count + int(4 * size)
    with ctx.workprec(ctx.prec + min(extra, 20 * ctx.prec + 4000)):

        def direct(p: int) -> acb:
            return acb(d).rising(acb(p)) / half.rising(acb(p)) * x.hypgeom_1f1(d + p, half + p)

        if count <= 4:
            return [direct(p) for p in range(count)]
        values = [acb(0)] * count
        values[-1], values[-2] = direct(count - 1), direct(count - 2)
        for p in range(count - 3, -1, -1):
            values[p] = (x * values[p + 2] - (x - half - p) * values[p + 1]) / (d + p)
        return values


def bessel(d: int, z: acb) -> acb:
    """0F1(; d/2; z). Of a wide ball, Arb's enclosure may be huge: its slope bounds it too.

    The slope is 0F1(; d/2 + 1; z)/(d/2), whose coefficients are positive.

    Examples
    --------
    >>> z = acb(arb(4000, 1))
    >>> bessel(64, z).rad() < z.hypgeom_0f1(acb(32)).rad()
    True
    """
    half = acb(d) / 2
    found = z.hypgeom_0f1(half)
    if z.rel_accuracy_bits() > ctx.prec // 2:
        return found
    middle = acb(z.mid())
    steepest = acb(abs(z).upper()).hypgeom_0f1(half + 1) / half
    by_slope = middle.hypgeom_0f1(half) + _disc(acb(0), (abs(z - middle) * abs(steepest)).upper())
    # either is right
    return found if found.rad() < by_slope.rad() else by_slope


def _frame_series(d: int, trace: acb, skew: acb) -> acb:
    """sum_k skew^k/((h)_2k ((d-1)/2)_k k!) 0F1(; h + 2k; trace); |0F1| <= exp(2 sqrt|trace|) bounds the rest."""
    half, rise = acb(d) / 2, arb(d - 1) / 2
    total, power, k = acb(0), acb(1), 0
    height = (2 * trace.abs_upper().sqrt()).exp().upper()
    if not (height.is_finite() and skew.is_finite()):
        return not_analytic()
    small = arb(2) ** (-ctx.prec - 8)
    while True:
        total += power * trace.hypgeom_0f1(half + 2 * k)
        power = power * skew / ((half + 2 * k) * (half + 2 * k + 1) * (rise + k) * (k + 1))
        k += 1
        ratio = (abs(skew) / ((arb(d) / 2 + 2 * k) ** 2 * (rise + k) * (k + 1))).upper()
        if not power.is_finite() or k > LONGEST_SERIES:
            return power * arb.nan()
        if ratio < arb("0.5") and abs(power).upper() * height < small * abs(total).upper():
            return total + widen((2 * abs(power) * height).upper(), complex_=True)


class OppositeQuantile:
    """t' with P(h, t') = Q(h, t), h = d/2: half the squared norm at the opposite quantile of the norm with r^2 = 2t.

    Logarithms are compared, which change slowly where P and Q are tiny: the discs may be wide. Their slopes are

        d log Q(h, t)/dt = -1/M(1/t),   M(w) = int_0^oo e^-s (1 + s w)^(h-1) ds,
        d log t'/d log P(h, t') = K(t')/h,   K(t) = 1F1(1; h + 1; t).

    The second is a differential equation with an entire right side. If |K| a < h r on the disc of radius r around a
    known log t', its solution exists, and stays there, for a change of log P by up to a (Picard and Lindelof). So t' is
    enclosed, and analytic, on a disc of t around a point of the real axis. What is not proved is not finite.

    Examples
    --------
    >>> opposite = OppositeQuantile(2)  # Q(1, t) = exp(-t)
    >>> opposite(acb(1)).real.overlaps(-(1 - (-arb(1)).exp()).log())
    True
    """

    def __init__(self, d: int) -> None:
        self.half = arb(fmpq(d, 2))
        self.log_gamma = half_gamma(d).log()
        self.starts: dict[int, arb] = {}  # log t of log P in quarters, from where Newton's method is short
        self.known: dict[Place, acb] = {}

    def median(self) -> arb:
        """An exact number close to the t with P(h, t) = 1/2."""
        return self._guess(-arb(2).log()).exp().mid()

    def __call__(self, t: acb) -> acb:
        """The opposite of t, analytic in t; not finite if that is not proved."""
        return self.logarithm(t).exp()

    def logarithm(self, t: acb) -> acb:
        """Its logarithm. Integrals in one dimension have most of their nodes in common.

        Examples
        --------
        >>> opposite = OppositeQuantile(2)
        >>> opposite.logarithm(acb(1)).exp().overlaps(opposite(acb(1)))
        True
        """
        if not t.is_finite():
            return not_analytic()
        place = _place(t)
        found = self.known.get(place)
        if found is None:
            if len(self.known) >= _MOST_KNOWN:
                self.known.clear()
            found = self.known[place] = self._log_opposite(t)
        return found

    def _log_opposite(self, t: acb) -> acb:
        middle = t.real.mid()
        radius = abs(t - middle).upper()
        if not radius < middle:
            return not_analytic()
        level = middle.gamma_upper(self.half, regularized=1)
        log_t = self._guess(level.log())
        at = log_t.exp()
        value = at.gamma_lower(self.half, regularized=1)
        slope = value / (self.half * log_t - at - self.log_gamma).exp()  # K/h
        away = abs((value / level).log()) + radius / self._least_ratio(middle, level, radius)
        reach = (away * slope).upper()
        for _ in range(8):
            reach = (reach * arb("1.25")).upper()
            step = (away * (slope + self._slope_change(at, reach))).upper()
            if step < reach:
                return _disc(acb(log_t), step)
            reach = step
        return not_analytic()

    def _least_ratio(self, middle: arb, level: arb, radius: arb) -> arb:
        """A number that |M(1/t)| exceeds on the disc; NaN if M may be 0 there.

        For Re w >= 0, |M'(w)| <= |h - 1| int s e^-s |1 + s w|^(h-2) ds, which is at most |h - 1| for h <= 2 and M'(|w|)
        for h >= 2; there M'(1/a) = a^2 (1 - M(1/a)) + (h - 1) a M(1/a).
        """
        least, steepest = (middle - radius).lower(), abs(self.half - 1)
        if self.half > 2:
            there = least.gamma_upper(self.half, regularized=1) / self._density(least)
            steepest = least**2 * (1 - there) + (self.half - 1) * least * there
        found = (level / self._density(middle) - radius / (middle * least) * steepest).lower()
        return found if found > 0 else arb.nan()

    def _slope_change(self, at: arb, reach: arb) -> arb:
        """A bound on the change of K/h if log t' moves by ``reach``: K' = 1F1(2; h + 2; .)/(h + 1) grows with |t'|."""
        moved = at * (reach.exp() - 1)
        steepest = (at + moved).upper().hypgeom_1f1(2, self.half + 2) / (self.half + 1)
        return moved * steepest / self.half

    def _density(self, t: arb) -> arb:
        return ((self.half - 1) * t.log() - t - self.log_gamma).exp()

    def _guess(self, goal: arb) -> arb:
        """A dyadic number close to log t with log P(h, t) = ``goal`` < 0; NaN if none is found."""
        if not goal < 0:
            return arb.nan()
        below = math.floor(4 * float(goal.mid()))  # from the left, Newton's method does not step too far
        if below not in self.starts:
            # P is about t^h/Gamma(h + 1) for small t
            first = (arb(below) / 4 + self.log_gamma + self.half.log()) / self.half
            self.starts[below] = self._improved(first.mid(), arb(below) / 4)
        return self._improved(self.starts[below], goal.mid())

    def _improved(self, log_t: arb, goal: arb) -> arb:
        """The guess by Newton's method; log P is concave in log t."""
        for _ in range(200):
            t = log_t.exp().mid()
            value = t.gamma_lower(self.half, regularized=1)
            step = (value.log() - goal) * value / (self.half * log_t - t - self.log_gamma).exp()
            log_t = (log_t - step).mid()
            if not abs(step) > arb(2) ** (-ctx.prec // 2):
                break
        return log_t


@lru_cache(maxsize=16)
def opposite_quantile(d: int, prec: int) -> OppositeQuantile:
    """The opposites in a dimension at a precision in bits, that of the context.

    Examples
    --------
    >>> opposite_quantile(2, ctx.prec) is opposite_quantile(2, ctx.prec)
    True
    """
    return OppositeQuantile(d)


def _place(ball: acb) -> Place:
    x, y = ball.real, ball.imag
    return x.mid().man_exp(), x.rad().man_exp(), y.mid().man_exp(), y.rad().man_exp()


def _one_number(a: acb, b: acb) -> bool:
    """Whether two balls certainly hold the same number: equal balls may hold two, unless they are exact."""
    return a is b or bool(a == b)  # which is False for balls that are not exact


def _disc(point: acb, radius: arb) -> acb:
    return point + widen(radius, complex_=True)
