"""Joint moments of three projections of equal weights, by one integral over a normal variable.

See :mod:`rftheory.exact.joint_moments` for the notation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from flint import arb, arb_poly, ctx, fmpq

from rftheory.errors import NotCertified, OutsideDomain
from rftheory.exact.circle_moments import CircleMoments, kummer_bound, moved_exponential
from rftheory.exact.enclosure import widen
from rftheory.exact.hankel import FEW_DIMENSIONS
from rftheory.exact.joint_moments import PairContour, PairSeries, half_gamma
from rftheory.exact.special import JointMoments, PairMoments


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
            with ctx.workprec(ctx.prec + self.v_squared.bits()):  # terms cancel, which an exact norm bears
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
        return middle._at_point() * (1 + widen(moved_exponential(self.d, self.square, self.c, [arb(1)] * 3)))

    @property
    def p(self) -> arb:
        return (1 - self.c) * self.square / 2

    def _at_point(self) -> arb:
        rule = self._rule()
        with ctx.workprec(rule.bits):
            p, total, gauss = self.p, arb(0), self.d % 2 == 1
            for sine, weight in rule.nodes(gauss):
                square = 1 - sine * sine
                power = square ** (self.d // 2 - 1)  # of cos t, in dt or in d sin t
                total += weight * power * self._product(sine) * _kummer(self.d, -p * square)
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
        return largest**3 * cosh ** (self.d - 2) * _kummer(self.d, -abs(self.p) * cosh * cosh)

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
        bits = 32 + max(ctx.prec, (height - goal) / math.log(2))
        if not best[0] * bits * bits < LARGEST_TRIPLE:
            raise NotCertified(
                "joint moments",
                wanted="a short quadrature",
                reached=f"{best[0]:.3g} nodes of {bits:.3g} bits",
                hint="choose a smaller norm",
            )
        return _Rule(2 * math.ceil(best[0] / 2), best[1], math.ceil(bits))


def _mean_norm(d: int) -> arb:
    """E r of a chi norm with d degrees of freedom."""
    return arb(2).sqrt() * half_gamma(d + 1) / half_gamma(d)


def _kummer(d: int, x: arb) -> arb:
    """1F1(-d; (d-1)/2; x): by its coefficients, or where these are many by arb, where that has a value."""
    found = x.hypgeom_1f1(-d, arb(d - 1) / 2) if d > MANY_COEFFICIENTS else arb.nan()
    return found if found.is_finite() else _kummer_polynomial(d, ctx.prec)(x)


@lru_cache(maxsize=4)
def _kummer_polynomial(d: int, bits: int) -> arb_poly:
    coefficients = [arb(1)]
    for n in range(d):
        coefficients.append(coefficients[-1] * (2 * (n - d)) / ((d - 1 + 2 * n) * (n + 1)))
    return arb_poly(coefficients)


MANY_COEFFICIENTS = 2000
"""Beyond these, arb's sum with small factors is quicker than a polynomial."""


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

    Two projections take the pair series. Where it is long or cancels they take a contour, in few dimensions a circle
    before it, and in moments of cosines of even order, which are of order 1, the circle alone. More projections take
    the expansion, at larger norms an integral for three of equal weights, else a circle.

    The arguments are those of :class:`~rftheory.exact.special.JointMoments`.

    Examples
    --------
    >>> arguments = (5, arb(1), arb(-1) / 4, 3)
    >>> PairsFirst(*arguments).moment((2, 1)).overlaps(JointMoments(*arguments).moment((2, 1)))
    True
    """

    def __init__(self, d: int, v_squared: arb, c: arb, reach: int, scale: Callable[[int], arb] = arb) -> None:
        self._of_pairs = PairSeries(d, v_squared, c, reach, scale)
        self._of_long_pairs = PairContour(d, v_squared, c, reach, scale)
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
        found: arb | None = None
        for way in self._ways_of_pairs():
            try:
                found = way.moment(weights)
            except NotCertified as error:
                refused = error
            else:
                # either is right: all enclose the moment
                if found.rad() < self._largest_radius:
                    return found
        if found is None:
            raise refused
        return found

    def _ways_of_pairs(self) -> Iterator[JointMoments | CircleMoments | PairMoments]:
        """The ways to moments of two, the quickest first."""
        yield self._of_pairs
        if self._of_order_1 or self._arguments[0] < FEW_DIMENSIONS:
            yield self._of_more
        if not self._of_order_1:
            yield self._of_long_pairs

    def waves(self, weights: Sequence[int]) -> arb | None:
        """The mean over all signs of more than two weights by the circle, but for three equal ones."""
        more = sum(a != 0 for a in weights) > 2 and not TripleIntegral.serves(weights)
        return self._of_more.waves(weights) if more and isinstance(self._of_more, CircleMoments) else None

    @property
    def _of_order_1(self) -> bool:
        """A moment of even order of cosines: of order 1, where a parabola serves two projections."""
        _, v_squared, c, reach, _ = self._arguments
        return bool(v_squared < 0) and reach % 2 == 0 and bool(2 * abs(c) < 1 - c)

    @property
    def _largest_radius(self) -> arb:
        """What is less exact than this is computed in another way: half the digits, or none beside the mean of one."""
        _, v_squared, _, reach, scale = self._arguments
        return arb(2) ** (-ctx.prec // 2) if reach % 2 == 0 else (v_squared * scale(1) ** 2 / 2).exp()
