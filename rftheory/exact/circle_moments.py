"""Joint moments of any number of projections at any angle, by a series at each node of a contour.

See :mod:`rftheory.exact.joint_moments` for the notation.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flint import acb, acb_poly, arb, arb_poly, ctx

from rftheory.errors import NotCertified
from rftheory.exact.enclosure import widen
from rftheory.exact.joint_moments import half_gamma
from rftheory.exact.special import chi_moments


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
    >>> from rftheory.exact.joint_moments import PairSeries
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
    h)_n/n!. The nodes alias coefficients that differ by multiples of their number P: at most F a/(1 - a) for
    a = R^P/(h)_P and for a = (max(N h, 1))_P/P! (L/R)^P, F = 1F1(N h; h; L), R the radius. The terms of the inner
    series from q on are at most t^-q prod_i (1 - L_i(t)/R)^-h for any t >= 1 with L(t) < R; times the modulus of 1F1,
    with its sign kept in the first part of L_i, a bound that is log-convex in Re s and so largest at s = R or -R.

    The cost grows with v^2 max a_i^2 and with |c| (A v)^2. The arguments are those of
    :class:`~rftheory.exact.special.JointMoments`.

    Examples
    --------
    >>> from rftheory.exact.joint_moments import PairSeries
    >>> table = CircleMoments(64, arb(25), arb(-1) / 63, 4)
    >>> table.moment((1, 1)).overlaps(PairSeries(64, arb(25), arb(-1) / 63, 4).moment((1, 1)))
    True
    """

    def __init__(
        self, d: int, v_squared: arb, c: arb, reach: int | arb, scale: Callable[[int], arb] = arb
    ) -> None:
        self.d, self.v_squared, self.c, self.scale = d, v_squared, c, scale
        self._values: dict[tuple[int, ...], arb] = {}
        self._waves: dict[tuple[int, ...], arb] = {}
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

    def waves(self, weights: Sequence[int]) -> arb:
        """The mean of the moments over all signs of the weights, of cosines for a negative v^2: from even powers alone.

        Examples
        --------
        >>> table = CircleMoments(5, arb(-2), arb(-1) / 4, 4)
        >>> table.waves((2, 1)).overlaps((table.moment((2, 1)) + table.moment((2, -1))) / 2)
        True
        """
        sizes = tuple(sorted(abs(a) for a in weights if a))
        if not sizes or self.v_squared.is_zero():
            return arb(1)
        if sizes not in self._waves:
            self._waves[sizes] = self._table(sizes).waves(sizes)
        return self._waves[sizes]

    def _moment(self, key: tuple[int, ...]) -> arb:
        return self._table(tuple(sorted(map(abs, key)))).moment(key)

    def _table(self, sizes: tuple[int, ...]) -> _Table:
        if sizes not in self._tables:
            self._tables[sizes] = _Table.of(self.d, self.v_squared, self.c, sizes, self.scale)
        return self._tables[sizes]


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
            moved = moved_exponential(d, square, c, loads)
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
            return self._enclosed(total)

    def waves(self, sizes: tuple[int, ...]) -> arb:
        """The mean over all signs of the weights: of each row even powers remain."""
        total = arb(0)
        with ctx.workprec(self.rule.bits):
            even = {a: arb_poly(row.coeffs()[::2]) for a, row in self.rows.items()}
            products = (_product([even[a]] * sizes.count(a), even[a].length()) for a in even)
            first, *rest = ([acb(c) for c in product.coeffs()] for product in products)
            for factors, powers in self.nodes:
                n = len(factors)
                pairs = zip((power[::2] for power in powers.values()), rest, strict=True)
                parts = [acb_poly(list(map(operator.mul, *pair))) for pair in pairs]
                found = _product([acb_poly(first[:n]), *parts], n)
                total += sum(map(operator.mul, factors, found.coeffs()), acb(0)).real
            return self._enclosed(total)

    def _enclosed(self, total: arb) -> arb:
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


def moved_exponential(d: int, square: arb, c: arb, sizes: Sequence[arb]) -> arb:
    """How far E exp(v u.S) moves, at most, relative to itself, while v^2 > 0 and c move in their balls.

    It is E F(v^2 |S|^2/4), F = 0F1(; h; .), and F(x + y) <= F(x) exp(y/h). With a the largest modulus of N weights,
    |S|^2 moves by c by at most rad(c) A a sum r_i^2, which tilts the chi norms: the mean becomes at most (1 - 2l)^(-Nh)
    times that at v^2/(1 - 2 l), l = v^2 rad(c) A a/(4h). By v^2 it grows at most like exp(g) while log v^2 grows by
    g <= 1, times the slope: it is a power series with terms >= 0, so convex in log v^2, at least 1 at v^2 and at most
    exp(A^2 e^2 v^2/2) at e^2 v^2.

    Examples
    --------
    >>> bool(moved_exponential(3, arb(1), arb(0, 1e-9), (arb(1), arb(1))) < 1e-7)
    True
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
        rise, largest = (n * h).max(arb(1)), arb(0)
        for load in _loads(abs(v_squared), c, sizes, 1, 1):
            largest = largest.max(load.upper())
        aliases = arb(0)
        for a in (
            (self.nodes * top.log() + h.lgamma() - (h + self.nodes).lgamma()).exp(),
            ((rise + self.nodes).lgamma() - rise.lgamma() - (arb(self.nodes) + 1).lgamma()
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
        if v_squared < 0 and math.isfinite(float(v_squared)):
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
