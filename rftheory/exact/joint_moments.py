"""Joint moments of coupled projections at a cost that hardly grows with the norms or the dimension.

Orthogonal projections, any number. With S = sum a_i w_i, w_i orthogonal of norms r_i (independent, chi_d), h = d/2 and
beta_i = a_i^2 v^2/2,

    E exp(v u.S) = sum_n [x^n] prod_i (1 - beta_i x)^(-h)/(h)_n
                 = Gamma(h)/(2 pi i) int e^s s^((k-1) h) prod_i (s - beta_i)^(-h) ds

by Hankel's integral 1/Gamma(h + n) = (1/(2 pi i)) int e^s s^(-h-n) ds, on a path from -oo below the real axis around
all singularities, back to -oo above it. Here it is a pair of rays from a point of the real axis; v^2 < 0 gives cosines.

Pairs at any angle, by a double series about the mean of |S|^2: :class:`PairSeries`; three of equal weights, by one
integral: :class:`TripleIntegral`; any number, by a series at each node of a contour: :class:`CircleMoments`. Where
one feature decides, bounds of the products are enough: :class:`MomentBounds`.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import acb, acb_poly, arb, arb_poly, ctx, fmpq

from rftheory.errors import NotCertified, OutsideDomain
from rftheory.exact.enclosure import certified_integral, widen
from rftheory.exact.kummer import kummer_ladder
from rftheory.exact.special import JointMoments, PairIntegrals, PairMoments, chi_moments

_TURN = fmpq(2, 3)
"""Angle of the upper ray with the positive real axis, in units of pi: along it e^s falls like exp(-t/2)."""
LARGEST_EXPONENT = 1e13
"""Beyond this argument the float estimates that place the path are meaningless."""


@dataclass(frozen=True)
class _Path:
    """exp(s) times the product of (s - point)^exponent, and the point of the real axis where the rays start."""

    factors: tuple[tuple[arb, fmpq], ...]
    start: float
    height: float
    """log of the largest modulus on the path, roughly."""


def _highest(factors: Sequence[tuple[float, float]], start: float) -> float:
    """The largest of log|integrand| on a ray, by samples."""
    direction = cmath.exp(1j * math.pi * 2 / 3)
    steps = (0.0, *(abs(start) * 2.0**j for j in range(-12, 3)), *(2.0**j for j in range(-6, 24)))
    places = [start + t * direction for t in steps]
    return max(s.real + sum([e * math.log(abs(s - p)) for p, e in factors]) for s in places)


def _starts(factors: Sequence[tuple[arb, fmpq]]) -> Iterator[float]:
    """Candidates to the right of all singularities; left of a zero of integer order is allowed."""
    singular = max((float(p) for p, e in factors if e < 0 or e.q != 1), default=0.0)
    zeros = [float(p) for p, e in factors if e >= 0 and e.q == 1 and float(p) > singular]
    for j in range(-8, 60):
        start = singular + 2.0 ** (j / 2)
        if start > singular and all(abs(start - p) > 1e-6 * abs(p) for p in zeros):
            yield start


def _path(factors: tuple[tuple[arb, fmpq], ...]) -> _Path:
    rough = [(float(p), float(e.p) / float(e.q)) for p, e in factors]
    height, start = min((_highest(rough, start), start) for start in _starts(factors))
    return _Path(factors, start, height)


def hankel_integral(factors: Sequence[tuple[arb, fmpq]]) -> arb:
    """(1/(2 pi i)) int e^s prod (s - p)^e ds over pairs (p, e), on a path around all singularities from the right.

    The path is a pair of rays from a point of the real axis, at angles of 120 degrees. On a ray |s - p| >= t sin(60),
    so from t >= 8 sum |e| on the modulus falls at least like exp(-t/4), and the tail is at most 4 times its value.

    Parameters
    ----------
    factors : real points and exponents, integers or half integers.

    Examples
    --------
    >>> hankel_integral([(arb(0), fmpq(-3))]).overlaps(arb(1) / 2)  # 1/Gamma(3)
    True
    """
    path = _path(tuple(factors))
    turn = acb(arb(0), arb.pi() * _TURN).exp()
    start, level = arb(path.start), arb(path.height)

    def integrand(t: acb, analytic: bool) -> acb:
        s = start + t * turn
        exponent, sign = s - level, 1
        for point, e in path.factors:
            if float(point) > path.start:  # a zero of integer order to the right of the start
                exponent += e * (point - s).log(analytic=analytic)
                sign *= -1 if int(e.p) % 2 else 1
            else:
                exponent += e * (s - point).log(analytic=analytic)
        return sign * exponent.exp()

    end = arb(8 * math.ceil(sum(abs(float(e.p) / float(e.q)) for _, e in path.factors)) + 16)
    while not (tail := 4 * abs(integrand(acb(end), False)).upper()) < arb(2) ** (-ctx.prec - 8):
        end += ctx.prec
    body = (turn * certified_integral(integrand, 0, end, real=False)).imag
    return level.exp() * (body + widen(tail)) / arb.pi()


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
        if not abs(v_squared) * reach * reach < LARGEST_EXPONENT:
            raise NotCertified(
                "joint moments",
                wanted="a path of integration",
                reached=f"v^2 = {v_squared.str(3, radius=False)}",
                hint="choose a smaller norm or order",
            )
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


def orthogonal_exponential(d: int, points: Sequence[tuple[arb, int]]) -> arb:
    """E exp(v u.S) for orthogonal projections with the given beta_i = a_i^2 v^2/2, each with its multiplicity.

    Examples
    --------
    >>> orthogonal_exponential(64, [(arb(1) / 2, 2)]).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """
    half = fmpq(d, 2)
    origin = (sum(n for _, n in points) - 1) * half
    # the rightmost singularity becomes the origin; s^((k-1) h) has none if its power is an integer
    regular = origin.q == 1 and any(abs(p) >= SHORTEST_GAP for p, _ in points)
    shift = max((p for p, _ in points), key=float)
    if not regular and shift < 0:
        shift = arb(0)
    factors = [(arb(0) if p is shift else p - shift, -half * n) for p, n in points]
    return half_gamma(d) * shift.exp() * hankel_integral([*factors, (-shift, origin)])


SHORTEST_GAP = 4
"""A path between 0 and the singularities has enough room if one of them is this far away."""


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
        long = (
            across.count * along.count > LARGEST_DOUBLE_SUM or max(across.count, along.count) > LONGEST_SERIES
        )
        if long or not across.total * along.total < largest:
            raise NotCertified(
                "pair series",
                wanted="a short series",
                reached=f"{across.count} times {along.count} terms",
                hint="choose a smaller norm",
            )
        slopes = _derivatives(d, x, 2 * across.count + along.count)
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
LARGEST_LOSS = 4
"""How many times the working precision the terms of a double series may exceed its sum; an integral is quicker then."""


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


# ---- any number of projections at any angle ------------------------------------------------------------


class MomentBounds:
    """Joint exponential moments of equal-angle coupled projections in one wide ball each, for v^2 >= 0.

    One projection has its mean exp(a^2 v^2/2). With k of them |S|^2 = (1 - c) sum a_i^2 r_i^2 + c (sum a_i r_i)^2 is at
    most R sum a_i^2 r_i^2: R = 1 + (k - 1) c for c > 0, by Cauchy and Schwarz; else R = 1 for equal signs, as
    (sum a_i r_i)^2 >= sum a_i^2 r_i^2, and R = 1 - c. So the mean of 0F1(; d/2; v^2 |S|^2/4) >= 1 is at most the one
    for orthogonal projections at R v^2, and these are at most exp(R v^2 sum a_i^2/2), that for independent ones, since
    (d/2)_(m+n) >= (d/2)_m (d/2)_n.

    In a central moment of order n the n-th power of one feature leaves the products behind: by exp(6 v^2) for n = 4.

    Examples
    --------
    >>> bounds = MomentBounds(5, arb(4), arb(-1) / 4, 3)
    >>> bounds.moment((2, 1)).contains(PairSeries(5, arb(4), arb(-1) / 4, 3).moment((2, 1)))
    True
    """

    def __init__(self, d: int, v_squared: arb, c: arb, reach: int, scale: Callable[[int], arb] = arb) -> None:
        self.v_squared, self.c, self.scale = v_squared, c, scale

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights; NaN for more than one where v^2 >= 0 is not certain."""
        kept = [a for a in weights if a]
        alone = (self.v_squared * sum((self.scale(a) ** 2 for a in kept), arb(0)) / 2).exp()
        if len(kept) < 2:
            return alone
        if not self.v_squared >= 0:
            return arb.nan()
        rate = 1 + (len(kept) - 1) * self.c.max(arb(0))
        if min(kept) < 0 < max(kept):
            rate = rate.max(1 - self.c)
        return arb(1).union(alone**rate)


class CircleMoments:
    """Joint exponential moments of equal-angle coupled projections, by the trapezoidal rule on a circle.

    For v^2 < 0 a parabola takes the place of the circle where it can: :class:`_Parabola`.

    Method. With h = d/2, x = 1/s and the norms r_i, |S|^2 = (1 - c) sum a_i^2 r_i^2 + c (sum a_i r_i)^2 and

        E exp(v u.S) = sum_n [x^n] Psi(x)/(h)_n = (1/(2 pi i)) int Psi(1/s) 1F1(1; h; s) ds/s,
        Psi(x) = E exp(x v^2 |S|^2/4) = sum_q (x v^2 c/4)^q (2q)!/q! [y^(2q)] prod_i phi_i(y),
        phi_i(y) = sum_n (a_i y)^n/n! E r^n (1 - x v^2 (1 - c) a_i^2/2)^(-h - n/2).

    At each node the inner series is short where |c| v^2 is: a product of polynomials of that degree.

    Bounds. Let A = sum |a_i| and L(t) = |v^2|/2 max_i((1 - c) a_i^2 + t |c| A |a_i|). By Cauchy and Schwarz (sum |a_i|
    r_i)^2 <= A sum |a_i| r_i^2, so |S|^2 |v^2|/2 <= L(1) sum r_i^2, and with N projections |[x^n] Psi| <= L^n (N
    h)_n/n!. The n-th roots alias the n-th coefficients that differ by multiples of the number P of nodes: at most F
    a/(1 - a) for a = R^P/(h)_P and for a = (N h)_P/P! (L/R)^P, F = 1F1(N h; h; L), R the radius. The terms of the inner
    series from q on are at most t^-q prod_i (1 - L_i(t)/R)^-h for any t >= 1 with L(t) < R; times the modulus of 1F1,
    with its sign kept in the first part of L_i, a bound that is log-convex in Re s and so largest at s = R or -R.

    The cost grows with v^2 max a_i^2 and with |c| (A v)^2. The arguments are those of
    :class:`~rftheory.exact.special.JointMoments`.

    Examples
    --------
    >>> table = CircleMoments(64, arb(25), arb(-1) / 63, 4)
    >>> table.moment((1, 1)).overlaps(PairSeries(64, arb(25), arb(-1) / 63, 4).moment((1, 1)))
    True
    """

    def __init__(
        self, d: int, v_squared: arb, c: arb, reach: int | arb, scale: Callable[[int], arb] = arb
    ) -> None:
        self.d, self.v_squared, self.c, self.scale = d, v_squared, c, scale
        self._values: dict[tuple[int, ...], arb] = {}
        self._tables: dict[tuple[int, ...], _Table] = {}

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights."""
        up = tuple(sorted((a for a in weights if a), reverse=True))
        if not up or self.v_squared.is_zero():
            return arb(1)
        key = max(up, tuple(-a for a in reversed(up)))  # u and -u have the same law
        if key not in self._values:
            self._values[key] = self._moment(key)
        return self._values[key]

    def _moment(self, key: tuple[int, ...]) -> arb:
        sizes = tuple(sorted(map(abs, key)))
        if sizes not in self._tables:
            self._tables[sizes] = _Table.of(self.d, self.v_squared, self.c, sizes, self.scale)
        return self._tables[sizes].moment(key)


@dataclass(frozen=True)
class _Table:
    """What :class:`CircleMoments` needs at each node for all weights of the same moduli."""

    rule: _Circle | _Parabola
    error: arb
    moved: arb
    """How far the value may move, relative to itself, while v^2 > 0 and c move in their balls."""
    rows: dict[int, arb_poly]
    """sum_n E r^n (a t)^n/n! for each modulus a."""
    nodes: list[tuple[list[acb], dict[int, list[acb]]]]
    """Factors of the coefficients of the inner series, and 1, g, ... for each modulus but the first.

    phi is a power of some g times rows(g t), and with that of the first modulus as unit of 1/t one factor is real.
    """

    @staticmethod
    def of(d: int, square: arb, c: arb, sizes: tuple[int, ...], scale: Callable[[int], arb]) -> _Table:
        # terms cancel, which would blow up the radii of the arguments
        loads, shift, moved = [scale(a) for a in sizes], arb(0), arb(0)
        if square < 0:
            shift = _moved_cosine(d, square, c, loads)
            square, c = square.mid(), c.mid()
        elif square > 0:
            moved = _moved_exponential(d, square, c, loads)
            square, c = square.mid(), c.mid()
        rule = _Parabola.found(d, square, c, loads) or _Circle.found(d, square, c, loads)
        with ctx.workprec(rule.bits):
            points, nodes = list(rule.points(d)), []
            most = max(terms for *_, terms in points)
            norms = chi_moments(d, 2 * most - 1)
            rows = {
                a: arb_poly([scale(a) ** n * m / arb.fac_ui(n) for n, m in enumerate(norms)])
                for a in dict.fromkeys(sizes)
            }
            first, *others = rows
            ways = [acb(arb.fac_ui(2 * q) / arb.fac_ui(q)) for q in range(most)]
            for s, factor, terms in points:
                x = square / (4 * s)
                roots = {a: (1 - 2 * x * (1 - c) * scale(a) ** 2).rsqrt() for a in rows}
                for a in sizes:
                    factor *= roots[a] ** d
                inner = [factor * power for power in _powers(x * c * roots[first] ** 2, terms)]
                powers = {a: _powers(roots[a] / roots[first], 2 * terms - 1) for a in others}
                nodes.append((list(map(operator.mul, inner, ways)), powers))
            return _Table(rule, (rule.error(d, square, c, loads) + shift).upper(), moved, rows, nodes)

    def moment(self, key: tuple[int, ...]) -> arb:
        """The moment for these weights."""
        total = arb(0)
        with ctx.workprec(self.rule.bits):
            # factors of the same modulus are multiplied once, for all nodes
            first, *rest = (self._together(key, a) for a in self.rows)
            even, odd = acb_poly(first[::2]), acb_poly(first[1::2])
            for factors, powers in self.nodes:
                n, found = len(factors), even
                if rest:
                    rows = zip(powers.values(), rest, strict=True)
                    parts = [acb_poly(list(map(operator.mul, *pair))) for pair in rows]
                    other = _product(parts, 2 * n - 1).coeffs()
                    found = even.truncate(n) * acb_poly(other[::2])
                    found += (odd.truncate(n) * acb_poly(other[1::2])).left_shift(1)
                total += sum(map(operator.mul, factors, found.coeffs()), acb(0)).real
            return (total + widen(self.error)) * (1 + widen(self.moved))

    def _together(self, key: tuple[int, ...], modulus: int) -> list[acb]:
        """The coefficients of the product over the weights of this modulus."""
        row, length = self.rows[modulus], self.rows[modulus].length()
        mirrored = arb_poly([-c if n % 2 else c for n, c in enumerate(row.coeffs())])
        factors = [row if a > 0 else mirrored for a in key if abs(a) == modulus]
        return [acb(c) for c in _product(factors, length).coeffs()]


def _outer(s: acb, d: int) -> acb:
    """1F1(1; d/2; s), the mean of e^(s t) for a t in (0, 1).

    Arb is slow, and may have no digits of it, where |s| is about a large d/2: there the series is summed.
    """
    b, size = d / 2, float(abs(s).upper())
    if not b / 4 < size < 2 * b:
        value = s.hypgeom_1f1(acb(1), acb(b))
        if value.is_finite():
            return value
    growth = max(0.0, size - b - b * math.log(size / b)) if size > 0 else 0.0
    with ctx.workprec(ctx.prec + math.ceil(growth / math.log(2)) + 32):
        value = kummer_series(arb(1), arb(b), s.mid())
    reach = s.real.rad() + s.imag.rad()  # its slope is at most its value at Re s
    return value + widen((reach * kummer_bound(arb(1), arb(b), s.real + reach)).upper(), complex_=True)


def kummer_series(a: arb, b: arb, x: Any) -> Any:
    """1F1(a; b; x) for a >= 0 and b > 0, term by term, to the working precision beside the largest term.

    Examples
    --------
    >>> kummer_series(arb(1), arb(2), arb(1)).overlaps(arb(1).exp() - 1)
    True
    """
    term, total, n = type(x)(1), type(x)(1), 0
    soonest = 2 * float(abs(x).upper()) - float(b)  # before, no ratio is below 1/2
    while True:
        if n > soonest:
            ratio = (abs(x) * ((a + n) / (n + 1)).max(arb(1)) / (b + n)).upper()  # of all terms from here on
            last = abs(term).upper() * ratio
            if ratio < 0.5 and last < arb(2) ** -ctx.prec:
                return total + widen((2 * last).upper(), complex_=isinstance(x, acb))
        term *= x * ((a + n) / ((b + n) * (n + 1)))
        total, n = total + term, n + 1


def _moved_cosine(d: int, square: arb, c: arb, sizes: Sequence[arb]) -> arb:
    """How far E cos(u.S) moves, at most, from the middles of v^2 < 0 and c to any other values of their balls.

    With y = |v^2| |S|^2/4 it is the mean of 0F1(; d/2; -y), whose slope is at most 2/d for y >= 0; there E |S|^2 <= d
    A^2. By c, y moves by at most k W, k = |v^2| rad(c)/4 and W = sum a_i^2 r_i^2 + (sum |a_i| r_i)^2 <= 2 A sum |a_i|
    r_i^2. Where it gets below 0 the slope is at most 2/d exp(2 k W/d), and x e^x <= e^(2x) - 1.
    """
    total = sum((abs(a) for a in sizes), arb(0))
    rate = 2 * abs(square).upper() * c.rad() * total / d  # 4 k A/h
    shift = arb(1)
    for a in sizes:
        spread = 1 - 2 * rate * abs(a)
        if not spread > 0:
            return arb.nan()
        shift *= spread ** (-arb(d) / 2)
    return (square.rad() * total**2 / 2 + shift - 1).upper()


def _moved_exponential(d: int, square: arb, c: arb, sizes: Sequence[arb]) -> arb:
    """How far E exp(v u.S) moves, at most, relative to itself, while v^2 > 0 and c move in their balls.

    It is E F(v^2 |S|^2/4), F = 0F1(; h; .), and F(x + y) <= F(x) exp(y/h). With a the largest modulus of N weights,
    |S|^2 moves by c by at most rad(c) A a sum r_i^2, which tilts the chi norms: the mean becomes at most (1 - 2l)^(-Nh)
    times that at v^2/(1 - 2 l), l = v^2 rad(c) A a/(4h). By v^2 it grows at most like exp(g) while log v^2 grows by
    g <= 1, times the slope: it is a power series with terms >= 0, so convex in log v^2, at least 1 at v^2 and at most
    exp(A^2 e^2 v^2/2) at e^2 v^2.
    """
    u, largest, total = square.upper(), arb(0), sum((abs(a) for a in sizes), arb(0))
    for a in sizes:
        largest = largest.max(abs(a))
    rest = 1 - u * c.rad() * total * largest / d
    rise = -rest.log() + 2 * (1 + square.rad() / square.lower()).log()
    if not rise < 1:
        return arb.nan()
    slope = (total * arb(1).exp()) ** 2 * u / 2
    return ((slope * rise - rest.log() * arb(len(sizes) * d) / 2).exp() - 1).upper()


def _powers(z: acb, count: int) -> list[acb]:
    """z^0, z^1, ...: each from halves, as rectangles widen by up to sqrt(2) whenever they turn."""
    powers = [acb(1), z]
    while len(powers) < count:
        n = len(powers)
        powers.append(powers[n // 2] * powers[n - n // 2])
    return powers[:count]


def _product(factors: Sequence[Any], length: int) -> Any:
    """The product up to the power ``length - 1``; equal neighbours are squared."""
    if len(factors) == 1:
        return factors[0]
    half = len(factors) // 2
    left = _product(factors[:half], length)
    right = left if factors[half:] == factors[:half] else _product(factors[half:], length)
    return type(left)((left * right).coeffs()[:length])


def kummer_bound(a: arb, b: arb, x: arb) -> arb:
    """An upper bound of 1F1(a; b; x), a, b > 0; for x < 0, a <= b. Where arb has digits of it, that itself.

    Examples
    --------
    >>> bool(kummer_bound(arb(3), arb(2), arb(1)) < 4.08)
    True
    """
    with ctx.workprec(64):  # no term of the series is negative
        top = x.upper()  # it increases
        if 0 < top < 4 * b:  # arb may take seconds where |x| is around a large b
            value = kummer_series(a, b, top)
        elif -4 * b < top <= 0 and a <= b:
            value = top.exp() * kummer_series(b - a, b, -top)
        else:
            with ctx.workprec(512):
                value = x.hypgeom_1f1(a, b)
    # either is right: (a)_k/(b)_k <= max(1, a/b)^k, and for x < 0 it is the mean of exp(x t), t of a beta law
    return (
        value.upper()
        if value.rel_accuracy_bits() > 8
        else ((a / b).max(arb(1)) * x.max(arb(0))).exp().upper()
    )


@dataclass(frozen=True)
class _Circle:
    """Radius and number of nodes, length of the inner series, base of its bound, working precision.

    They are chosen in floating point; :meth:`error` bounds what is left out, whatever they are.
    """

    radius: int
    nodes: int
    terms: int
    base: int
    bits: int

    @staticmethod
    def found(d: int, v_squared: arb, c: arb, sizes: Sequence[arb]) -> _Circle:
        """The cheapest choice; NotCertified if it would take too long."""
        reach = sum(float(abs(a).upper()) ** 2 for a in sizes) * float(abs(v_squared).upper()) / 2
        best, cost = None, math.inf
        if reach < LARGEST_REACH:
            for trial in _circles(d, v_squared, c, [float(a) for a in sizes]):
                work = trial.nodes * (trial.terms + 16) ** 1.5 * (trial.bits + 256)
                best, cost = (trial, work) if work < cost else (best, cost)
        if best is None or cost > LARGEST_WORK:
            raise NotCertified(
                "joint moments",
                wanted="a short expansion",
                reached=f"sum of a^2 v^2/2 = {reach:.3g}, a the powers of the rows, needs more than {LARGEST_WORK:.0e} "
                "bits at the nodes of a circle",
                hint="fewer digits, two rows (m = 2) or moments up to the third are answered at larger norms; "
                "else choose a smaller norm",
            )
        return best

    def points(self, d: int) -> Iterator[tuple[acb, acb, int]]:
        """The nodes, their factors and terms; the number of nodes is odd, and the lower half is the conjugate."""
        for j in range(self.nodes // 2 + 1):
            s = self.radius * acb(arb(0), 2 * arb.pi() * j / self.nodes).exp()
            yield s, (1 if j == 0 else 2) * _outer(s, d) / self.nodes, self.terms

    def error(self, d: int, v_squared: arb, c: arb, sizes: Sequence[arb]) -> arb:
        """An upper bound on what the nodes and the inner series leave out; NaN if there is none."""
        h, n, top = arb(d) / 2, len(sizes), arb(self.radius)
        largest = arb(0)
        for load in _loads(abs(v_squared), c, sizes, 1, 1):
            largest = largest.max(load.upper())
        aliases = arb(0)
        for a in (
            (self.nodes * top.log() + h.lgamma() - (h + self.nodes).lgamma()).exp(),
            ((n * h + self.nodes).lgamma() - (n * h).lgamma() - (arb(self.nodes) + 1).lgamma()
             + self.nodes * (largest / top).log()).exp(),
        ):  # fmt: skip
            if not a < 1:
                return arb.nan()
            aliases += a / (1 - a)
        bound = arb(0)
        for sign in (1, -1):
            height = kummer_bound(arb(1), h, sign * top)
            for load in _loads(v_squared, c, sizes, self.base, sign):
                if not load < top:
                    return arb.nan()
                height *= (1 - load / top) ** -h
            bound = bound.max(height.upper())
        bound *= arb(self.base) ** -self.terms
        # either is right: with cosine 0 the inner series has one term
        tail = arb(0) if c.is_zero() else bound
        return (aliases * kummer_bound(n * h, h, largest) + tail).upper()


def _loads(v_squared: arb, c: arb, sizes: Sequence[arb], base: int, sign: int) -> list[arb]:
    """L_i(base) of :class:`CircleMoments`; the part that does not belong to the inner series has the sign of v^2."""
    total = sum((abs(a) for a in sizes), arb(0))
    return [
        sign * v_squared / 2 * abs(1 - c) * a * a + abs(v_squared) / 2 * base * abs(c) * total * abs(a)
        for a in sizes
    ]


def _circles(d: int, v_squared: arb, c: arb, sizes: Sequence[float]) -> Iterator[_Circle]:
    """Choices of the radius with what each of them needs, in floating point."""
    h, n, cosine, square, prec = d / 2, len(sizes), float(c), float(v_squared), ctx.prec
    half, total = abs(square) / 2, sum(map(abs, sizes))

    def loads(base: float, sign: float = 1.0) -> list[float]:
        return [half * (sign * (1 - cosine) * a * a + base * abs(cosine) * total * abs(a)) for a in sizes]

    def heights(base: float) -> float:
        """log of the largest modulus on the circle, which is at one of the real points."""
        return max(
            outer
            - h * sum(math.log1p(-load / radius) for load in loads(base, math.copysign(sign, sign * square)))
            for sign, outer in outers.items()
        )

    least = max(loads(1))
    value = min(_log_sizes(h, [half * ((1 - cosine) * a * a + min(cosine, 0.0) * total * abs(a)) for a in sizes],
                           least)) if square > 0 else 0.0  # fmt: skip
    factor = float(kummer_bound(arb(n * d) / 2, arb(d) / 2, arb(least)).log())
    for j in range(-8, 14):
        radius = math.ceil(least + h * 2 ** (j / 2)) + 1
        if radius > LARGEST_RADIUS:
            return
        outers = {s: float(kummer_bound(arb(1), arb(d) / 2, s * arb(radius)).log()) for s in (1, -1)}
        goal = value - (prec + 8) * math.log(2)

        def aliased(p: int, radius: int = radius) -> float:
            first = p * math.log(radius) + math.lgamma(h) - math.lgamma(h + p)
            second = (
                math.lgamma(n * h + p)
                - math.lgamma(n * h)
                - math.lgamma(p + 1)
                + p * math.log(least / radius)
            )
            return max(first, second) + factor

        nodes = 64
        while aliased(nodes) > goal and nodes < LARGEST_NODES:
            nodes += nodes // 8
        if nodes >= LARGEST_NODES:
            continue
        terms, base = 1, 2
        if cosine:
            choices = []
            for t in (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128):
                if max(loads(t)) < 0.999 * radius:
                    choices.append((max(math.ceil((heights(t) - goal) / math.log(t)), 1), t))
            if not choices:
                continue
            terms, base = min(choices)
        bits = prec + 32 + max(math.ceil((heights(1) - value) / math.log(2)), 0)
        yield _Circle(radius, nodes | 1, terms, base, bits)


def _log_sizes(h: float, loads: Sequence[float], least: float) -> Iterator[float]:
    """Logarithms of bounds of the value for v^2 > 0, by Cauchy's estimate on circles; the least is about its size."""
    for j in range(-8, 14):
        radius = least + h * 2 ** (j / 2)
        outer = float(kummer_bound(arb(1), arb(h), arb(radius)).log())
        yield outer - h * sum(math.log1p(-load / radius) for load in loads)


LARGEST_REACH = 1e5
"""The largest sum of a^2 v^2/2 for which a circle is sought."""
LARGEST_RADIUS, LARGEST_NODES = 200_000, 100_000
LARGEST_WORK = 5e9
"""Nodes times bits times a power of the terms, about a quarter of a minute."""


@dataclass(frozen=True)
class _Parabola:
    """The trapezoidal rule of :class:`CircleMoments` for v^2 < 0, on s = top (1 + i w)^2, at w = 0, step, 2 step, ...

    It takes Gamma(h)/(2 pi i) int e^s s^(-h) Psi(1/s) ds from the left and back around the singularities, which lie at
    s < 0. Psi is the mean of (1 - l/s)^(-Nh) over some l < 0, at most 1 in modulus for Re s >= 0 and (|s|/|Im s|)^(Nh)
    for Re s < 0; so at p + iw, p > 0, in the place of 1 + iw the integrand, in w, is at most

        Gamma(h)/pi top^(1-h) e^(top (p^2 - w^2)) p^(1-2h) max(1, |w|/p)^(Nh).

    Its integrals I(p) over two lines p = 1 +- room bound what the step loses, by I/(exp(2 pi room/step) - 1) each. The
    terms of the inner series fall like K^q (Nh)_q/q!, K = |c|/(1-c) sum |b_i|/|s - b_i| with b_i = (1 - c) v^2 a_i^2/2.
    So they do where |s| is small, whatever the norm, if N is less than the number of rows of a simplex; with
    N = d they do not.
    """

    top: int
    step: float
    room: float
    terms: tuple[int, ...]
    """Of the inner series at each node with w >= 0."""
    bits: int

    @staticmethod
    def found(d: int, v_squared: arb, c: arb, sizes: Sequence[arb]) -> _Parabola | None:
        """The cheapest choice, if v^2 < 0 and there is a short one."""
        best, cost = None, LARGEST_WORK
        if v_squared < 0:
            for trial in _parabolas(d, v_squared, c, sizes):
                work = 2 * sum((terms + 16) ** 1.5 for terms in trial.terms) * (trial.bits + 256)
                best, cost = (trial, work) if work < cost else (best, cost)
        return best

    def points(self, d: int) -> Iterator[tuple[acb, acb, int]]:
        """The nodes, their factors and terms; the lower half is the conjugate."""
        scale = half_gamma(d) * arb(self.step) * arb(self.top).sqrt() / arb.pi()
        for j, terms in enumerate(self.terms):
            root = arb(self.top).sqrt() * acb(1, j * arb(self.step))
            s = root * root
            yield s, (1 if j == 0 else 2) * scale * s.exp() * root ** (1 - d), terms

    def error(self, d: int, v_squared: arb, c: arb, sizes: Sequence[arb]) -> arb:
        """An upper bound on what the step, the ends and the inner series leave out; NaN if there is none."""
        with ctx.workprec(64):
            return self._error(d, v_squared, c, sizes).upper()

    def _error(self, d: int, v_squared: arb, c: arb, sizes: Sequence[arb]) -> arb:
        n, h, top, step = len(sizes), arb(d) / 2, arb(self.top), arb(self.step)
        height = half_gamma(d) * top ** (1 - h) / arb.pi()

        def line(p: arb) -> arb:
            far = (p * top.sqrt()) ** (-n * h) * ((n * h + 1) / 2).gamma()
            return height * (top * p * p).exp() * p ** (1 - d) * (arb.pi().sqrt() + far) / top.sqrt()

        room = arb(self.room)
        loss = (line(1 - room) + line(1 + room)) / ((2 * arb.pi() * room / step).exp() - 1)
        w = (len(self.terms) - 1) * step
        ratio = (-2 * top * w * step).exp() * (1 + step / w.max(arb(1))) ** (n * h)
        if not ratio < 1:
            return arb.nan()
        last = height * (top * (1 - w * w)).exp() * w.max(arb(1)) ** (n * h)
        loss += 2 * step * last * ratio / (1 - ratio)
        for s, factor, terms in self.points(d):
            loss += abs(factor) * _rest(terms, _falls(s, d, v_squared, c, sizes), n * h)
        return loss


def _falls(s: acb, d: int, v_squared: arb, c: arb, sizes: Sequence[arb]) -> tuple[arb, arb]:
    """K of :class:`_Parabola`, and the product of |1 - b_i/s|^(-d/2)."""
    k, size = arb(0), arb(1)
    for a in sizes:
        b = (1 - c) * v_squared * a * a / 2
        k += abs(c) / (1 - c) * abs(b) / abs(s - b)
        size *= (abs(s) / abs(s - b)) ** (arb(d) / 2)
    return k.upper(), size.upper()


def _rest(terms: int, fall: tuple[arb, arb], rise: arb) -> arb:
    """A bound of the terms that are left out at a node."""
    k, size = fall
    ratio = (k * (1 + rise / terms)).upper()
    if not ratio < 1:
        return arb.nan()
    first = (terms * k.log() + (rise + terms).lgamma() - rise.lgamma() - (arb(terms) + 1).lgamma()).exp()
    # either is right: with cosine 0 the inner series has one term
    return arb(0) if k.is_zero() else size * first / (1 - ratio)


def _parabolas(d: int, v_squared: arb, c: arb, sizes: Sequence[arb]) -> Iterator[_Parabola]:
    """Choices of the parabola with what each of them needs, in floating point."""
    rise, goal, rooms = len(sizes) * d / 2, (ctx.prec + 9) * math.log(2), (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    cosine, square = float(c), float(v_squared)
    singular = [(1 - cosine) * square * float(a) ** 2 / 2 for a in sizes]
    rates = [abs(cosine) / (1 - cosine) * abs(b) for b in singular]
    for j in range(-2, 12):
        top = math.ceil((d / 2 + 4) * 2 ** (j / 2))
        start = math.lgamma(d / 2) + (1 - d / 2) * math.log(top)
        far = math.lgamma((rise + 1) / 2) - rise / 2 * math.log(top)

        def line(p: float, top: int = top, start: float = start, far: float = far) -> float:
            return start + top * p * p + (1 - d) * math.log(p) + max(1.0, far - rise * math.log(p))

        step, room = max((2 * math.pi * r / (goal + max(line(1 - r), line(1 + r))), r) for r in rooms)
        end = 1.0
        for _ in range(8):
            end = math.sqrt(max(0.5, 1 + (start + goal + rise * math.log(max(end, 1.0))) / top))
        counts, height = [1], -math.inf
        for n in range(math.ceil(end / step) + 2):
            w = complex(1, n * step)
            s = top * w * w
            gaps = [abs(s - b) for b in singular]
            k = sum(map(operator.truediv, rates, gaps))
            size = start + math.log(step) + s.real + (1 - d) * math.log(abs(w))
            size += d / 2 * sum(math.log(abs(s) / gap) for gap in gaps)
            if k >= 0.99:
                break
            short = -goal - size - math.log(1024)  # what the nodes leave out adds up
            counts.append(_short_geometric(k, rise, short, counts[-1]) if cosine else 1)
            height = max(height, size - rise * math.log1p(-k))
        else:
            bits = max(64, ctx.prec + 32 + math.ceil(height / math.log(2)))
            yield _Parabola(top, step, room, tuple(counts[1:]), bits)


def _short_geometric(k: float, rise: float, goal: float, q: int) -> int:
    """From which power on the terms of sum k^q (rise)_q/q! stay below exp(goal), roughly; sought from q."""

    def enough(q: int) -> bool:
        ratio, log = k * (1 + rise / q), math.lgamma(rise + q) - math.lgamma(rise) - math.lgamma(q + 1)
        return ratio < 1 and q * math.log(k) + log - math.log1p(-ratio) <= goal

    while not enough(q):
        q += 1 + q // 32
    while q > 1 and enough(less := q - 1 - q // 32):
        q = less
    return q


# ---- three projections of equal weights ------------------------------------------------------------------


class TripleIntegral:
    """Joint exponential moments of three equal-angle projections, E exp(v u.(+-w_1 +- w_2 +- w_3)), by one integral.

    In the notation of :class:`CircleMoments`, exp(x v^2 c (sum a_i r_i)^2/4) is the mean of exp(y sum a_i r_i) over a
    normal y of variance x v^2 c/2, so Psi is an integral over y of a product of moment generating functions
    M(t) = E exp(t r). As the weights have one modulus, the integral over s, taken first, is Kummer's function. With
    h = d/2, p = (1 - c) v^2/2, k = (c v^2)^(1/2) and v already times the modulus of the weights, there remains

        e^p Gamma(h)/(sqrt(pi) Gamma(h-1/2)) int_(-pi/2)^(pi/2) cos(t)^(d-2) prod M(+-k sin t) L(-p cos(t)^2) dt,

    where L(x) = 1F1(-d; h-1/2; x) is a polynomial.

    The quadrature is exact up to a high degree in sin t: for even d the trapezoidal rule over a period, for odd d the
    rule of Gauss. Where |Im t| <= y, |M(k sin t)| <= M(Re k sin t), |cos t| <= cosh y, and L is at most the sum of the
    moduli of its terms, which bounds the integrand by some B. Its Fourier coefficients are at most B e^(-jy), its
    Chebyshev coefficients in sin t at most 2 B e^(-jy), so N nodes are off by 2 pi B e^(-Ny)/(1 - e^(-Ny)), or by
    8 B e^(-2Ny)/(1 - e^(-y)).

    With c < 0 < v^2 and equal signs the value is of order exp(v^2/2): the integral cancels by a factor exp(|c| v^2/2).

    Examples
    --------
    >>> arguments = (5, arb(9), arb(-1) / 4, 3)
    >>> TripleIntegral(*arguments).moment((1, 1, -1)).overlaps(CircleMoments(*arguments).moment((1, 1, -1)))
    True
    """

    def __init__(self, d: int, v_squared: arb, c: arb, reach: int, scale: Callable[[int], arb] = arb) -> None:
        self.d, self.v_squared, self.c, self.scale = d, v_squared, c, scale
        self._values: dict[tuple[int, bool], arb] = {}

    @staticmethod
    def serves(weights: Sequence[int]) -> bool:
        """Whether these are three weights of one modulus."""
        sizes = [abs(a) for a in weights if a]
        return len(sizes) == 3 and len(set(sizes)) == 1

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights, three of one modulus that is not 0."""
        kept = [a for a in weights if a]
        if not self.serves(kept):
            raise OutsideDomain("triple integral", needs="three weights of one modulus", got=tuple(weights))
        key = (abs(kept[0]), abs(sum(kept)) == 3 * abs(kept[0]))
        if key not in self._values:
            u = self.v_squared * self.scale(key[0]) ** 2
            self._values[key] = _Triple(self.d, u, self.c, key[1]).value()
        return self._values[key]


@dataclass(frozen=True)
class _Triple:
    """The integral of :class:`TripleIntegral` at v^2 = ``square``; with equal signs, or one that differs."""

    d: int
    square: arb
    c: arb
    equal: bool

    def value(self) -> arb:
        """The mean, from the middles of v^2 > 0 and c to all values of their balls by a factor."""
        if not self.square > 0:
            return self._at_point()
        middle = _Triple(self.d, self.square.mid(), self.c.mid(), self.equal)
        return middle._at_point() * (1 + widen(_moved_exponential(self.d, self.square, self.c, [arb(1)] * 3)))

    @property
    def p(self) -> arb:
        return (1 - self.c) * self.square / 2

    def _at_point(self) -> arb:
        rule = self._rule()
        with ctx.workprec(rule.bits):
            p, polynomial = self.p, _kummer_polynomial(self.d)
            total, gauss = arb(0), self.d % 2 == 1
            for sine, weight in rule.nodes(gauss):
                square = 1 - sine * sine
                power = square ** (self.d // 2 - 1)  # of cos t, in dt or in d sin t
                total += weight * power * self._product(sine) * polynomial(-p * square)
            whole = p.exp() * half_gamma(self.d) / (arb.pi().sqrt() * half_gamma(self.d - 1))
            return whole * (total + widen(self._error(rule)))

    def _product(self, sine: arb) -> arb:
        """The even part of the product of the M: f (f^2 + 3 g^2), or f (f^2 - g^2), for M = f + g, f even and g odd.

        For odd d and x < 0, f is a polynomial times e^x, so that g may have so many bits less.
        """
        half, x = arb(self.d) / 2, self.c * self.square * sine * sine / 2
        even = x.hypgeom_1f1(half, arb(1) / 2)
        spare = math.floor(-float(x) / math.log(2)) if self.d % 2 == 1 and x < 0 else 0
        with ctx.workprec(max(ctx.prec - spare, 64)):
            odd = 2 * _mean_norm(self.d) ** 2 * x * x.hypgeom_1f1(half + arb(1) / 2, arb(3) / 2) ** 2
        return even * (even * even + (3 if self.equal else -1) * odd)

    def _bound(self, y: arb) -> arb:
        """B of :class:`TripleIntegral`."""
        cross = self.c * self.square
        t = abs(cross).sqrt() * (y.cosh() if cross > 0 else y.sinh())
        half, cosh = arb(self.d) / 2, y.cosh()
        largest = kummer_bound(half, arb(1) / 2, t * t / 2)
        largest += t * _mean_norm(self.d) * kummer_bound(half + arb(1) / 2, arb(3) / 2, t * t / 2)
        return largest**3 * cosh ** (self.d - 2) * _kummer_polynomial(self.d)(-abs(self.p) * cosh * cosh)

    def _error(self, rule: _Rule) -> arb:
        """An upper bound of what the nodes leave out."""
        y = arb(rule.width)
        with ctx.workprec(64):
            bound = self._bound(y).upper()
        if self.d % 2 == 0:
            left = (-2 * rule.count * y).exp()
            return (2 * arb.pi() * bound * left / (1 - left)).upper()
        return (8 * bound * (-2 * rule.count * y).exp() / (1 - (-y).exp())).upper()

    def _rule(self) -> _Rule:
        """The cheapest rule by an estimate of the value; NotCertified if it would take too long."""
        u, c, p = float(self.square), float(self.c), float(self.p)
        # the largest |S|^2/sum r_i^2; for v^2 < 0 the least one, over all signs, as cosines average over them
        rate = 1 + 2 * c if c < 0 else 1 - c
        if u > 0:
            rate = 1 + 2 * max(c, 0.0) if self.equal else 1 + abs(c)
        goal = rate * u / 2 - p - ctx.prec * math.log(2)
        best: tuple[float, float] | None = None
        with ctx.workprec(64):
            height = float(self._bound(arb(0)).log())
            for j in range(-16, 5):
                width = 2.0 ** (j / 2)
                bound = self._bound(arb(width))
                count = (float(bound.log()) - goal) / (2 * width) + 2 if bound.is_finite() else math.inf
                best = min(best or (count, width), (count, width))
        assert best is not None
        bits = ctx.prec + 32 + max(0, math.ceil((height - goal) / math.log(2)) - ctx.prec)
        if not best[0] * bits**2 < LARGEST_TRIPLE:
            raise NotCertified(
                "joint moments",
                wanted="a short quadrature",
                reached=f"{best[0]:.3g} nodes of {bits} bits",
                hint="choose a smaller norm",
            )
        return _Rule(2 * math.ceil(best[0] / 2), best[1], bits)


def _mean_norm(d: int) -> arb:
    """E r of a chi norm with d degrees of freedom."""
    return arb(2).sqrt() * half_gamma(d + 1) / half_gamma(d)


def _kummer_polynomial(d: int) -> arb_poly:
    """1F1(-d; (d-1)/2; .)."""
    coefficients = [arb(1)]
    for n in range(d):
        coefficients.append(coefficients[-1] * (2 * (n - d)) / ((d - 1 + 2 * n) * (n + 1)))
    return arb_poly(coefficients)


@dataclass(frozen=True)
class _Rule:
    """Half the nodes of a period, or all nodes of Gauss: an even number; half width of a strip; working precision."""

    count: int
    width: float
    bits: int

    def nodes(self, gauss: bool) -> Iterator[tuple[arb, arb]]:
        """The positive values of sin t, with weights of dt for even functions; for Gauss, of d sin t."""
        for j in range(self.count // 2):
            if gauss:
                x, weight = arb.legendre_p_root(self.count, j, weight=True)
                yield x, 2 * weight
            else:
                yield arb.sin_pi_fmpq(fmpq(2 * j + 1, 2 * self.count)), 2 * arb.pi() / self.count


LARGEST_TRIPLE = 1e12
"""The most nodes times the square of the bits, about a minute."""

CIRCLE_START = 4
"""Above this A^2 v^2/2, A the order of the moment, the circle is faster than the moment expansion."""


class PairsFirst:
    """Joint moments at any angle, by what is quickest.

    Two projections take the pair series, or where it is long an integral, but for odd d only up to third moments; more
    take the expansion, at larger norms an integral for three of equal weights, else a circle. Where the series of two
    cancels, moments of cosines of even order take a parabola: they are of order 1, while those of odd order
    are as small as the moments of two.

    The arguments are those of :class:`~rftheory.exact.special.JointMoments`.

    Examples
    --------
    >>> arguments = (5, arb(1), arb(-1) / 4, 3)
    >>> PairsFirst(*arguments).moment((2, 1)).overlaps(JointMoments(*arguments).moment((2, 1)))
    True
    """

    def __init__(self, d: int, v_squared: arb, c: arb, reach: int, scale: Callable[[int], arb] = arb) -> None:
        self._of_pairs = PairSeries(d, v_squared, c, reach, scale)
        self._of_long_pairs = PairIntegrals(d, v_squared, c, reach, scale)
        self._of_triples = TripleIntegral(d, v_squared, c, reach, scale)
        self._arguments = (d, v_squared, c, reach, scale)

    @cached_property
    def _of_more(self) -> JointMoments | CircleMoments:
        return (JointMoments if self._size < CIRCLE_START else CircleMoments)(*self._arguments)

    @property
    def _size(self) -> arb:
        _, v_squared, _, reach, _ = self._arguments
        return abs(v_squared) * reach * reach / 2

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights."""
        if sum(a != 0 for a in weights) > 2:
            triple = not self._size < CIRCLE_START and TripleIntegral.serves(weights)
            return (self._of_triples if triple else self._of_more).moment(weights)
        try:
            found = self._of_pairs.moment(weights)
        except NotCertified:
            # the series is too long; for odd d the circle is sometimes quicker, and where four meet refuses at once
            short = self._arguments[0] % 2 == 0 or bool(self._arguments[3] <= 3)
            return (self._of_long_pairs if short and not self._of_order_1 else self._of_more).moment(weights)
        # either is right: both enclose the moment
        cancels = self._of_order_1 and not found.rad() < arb(2) ** (-ctx.prec // 2)
        return self._of_more.moment(weights) if cancels else found

    @property
    def _of_order_1(self) -> bool:
        """A moment of even order of cosines: of order 1, where a parabola serves two projections."""
        _, v_squared, c, reach, _ = self._arguments
        return bool(v_squared < 0) and reach % 2 == 0 and bool(2 * abs(c) < 1 - c)
