"""Kummer's function 1F1(d; d/2; .), its derivatives, and the two closed forms that make it fast.

For even d it is e^y times a polynomial of degree d/2; for odd d two polynomials and the error function give it.
All functions work in ball arithmetic at the current precision (integers as ``int``, real arguments as ``arb``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

from flint import acb, arb, arb_poly, ctx, fmpq, fmpq_poly, fmpz

from rftheory.exact.enclosure import widen

SLACK = 16
"""How many bits 1F1 may lose before a higher precision is tried."""

LARGEST_POLYNOMIAL = 1024
"""Up to this d the coefficients of the polynomials are stored: about d^2/4 log2(d) bits."""

BLOCK, SHORT, EXACT_FROM = 32, 40, 1000
"""Terms of a block, bits of a short fraction, and the precision in bits above which exact blocks are faster."""

REACH_BELOW = -0.25
"""Balls that reach farther below 0 are evaluated as they are."""

LARGE_ARGUMENT = 50
"""Above this y, for d beyond ``LARGEST_POLYNOMIAL``, only the terms around the largest one are summed."""

KEPT_STEP, MOST_KEPT = 64, 8
"""Coefficients are rounded to multiples of so many bits, shared by neighbouring precisions; so many are kept."""


def kummer_ladder(a: arb, b: arb, z: arb, count: int) -> list[arb]:
    """Derivatives F, F', ..., F^(count-1) of F(z) = 1F1(a; b; z), for a >= b > 0 and z >= 0.

    The recurrence z F^(p+2) = (z - b - p) F^(p+1) + (a + p) F^(p) has positive coefficients forwards while
    p < z - b and backwards beyond, so each half is run in the direction in which nothing cancels.

    Examples
    --------
    >>> ladder = kummer_ladder(arb(3), arb(2), arb(1), 3)
    >>> ladder[1].overlaps(arb(3) / 2 * arb(1).hypgeom_1f1(4, 3))
    True
    """

    def direct(p: int) -> arb:
        rise = a.rising(arb(p)) / b.rising(arb(p)) if p else arb(1)
        if z >= LARGE_ARGUMENT and a >= 1 and a.is_exact() and b.is_exact():
            return rise * kummer_about_peak(a.fmpq() + p, b.fmpq() + p, z)
        return rise * z.hypgeom_1f1(a + p, b + p)

    if count <= 2:
        return [direct(p) for p in range(count)]
    values: list[arb] = [arb(0)] * count
    turn = min(max(math.floor(float((z - b).mid())), 0), count)
    values[:2] = [direct(0), direct(1)]
    for p in range(turn):
        if p + 2 < count:
            values[p + 2] = ((z - b - p) * values[p + 1] + (a + p) * values[p]) / z
    if turn + 2 < count:
        values[-1], values[-2] = direct(count - 1), direct(count - 2)
        for p in range(count - 3, turn + 1, -1):
            values[p] = (z * values[p + 2] + (b + p - z) * values[p + 1]) / (a + p)
    return values


def kummer(d: int, y: arb | fmpq, order: int) -> arb:
    """F(y) or F'(y) for F = 1F1(d; d/2; .), as 2^order e^y 1F1(-d/2; d/2 + order; -y).

    Even d up to ``LARGEST_POLYNOMIAL`` are polynomials; odd d with y >= d/16 go by :func:`kummer_by_erf`, large d and y
    by :func:`kummer_about_peak` or a long series, the rest by arb's 1F1, which at low precision has no digits for large
    d: there a higher precision is tried.

    Examples
    --------
    >>> kummer(4, arb(1), 1).overlaps(2 * arb(1).hypgeom_1f1(5, 3))
    True
    >>> kummer(5, arb(40), 0).overlaps(kummer_by_erf(5, arb(40), 0))
    True
    """
    with ctx.workprec(ctx.prec + (int(y).bit_length() if isinstance(y, fmpq) else 0)):
        ball = arb(y)
    if not ball > REACH_BELOW:  # the bound of the last line is for arguments that reach little below 0
        return 2**order * ball.exp() * (-ball).hypgeom_1f1(-arb(d) / 2, arb(d) / 2 + order)
    middle = ball.mid()
    if d % 2 == 0 and d <= LARGEST_POLYNOMIAL:
        if isinstance(y, fmpq):
            return 2**order * ball.exp() * _even_factor(d // 2, order, y)
        value = 2**order * middle.exp() * _even_factor(d // 2, order, middle)
    elif d % 2 and _erf_pays(d, ball):
        if isinstance(y, fmpq):
            return kummer_by_erf(d, y, order)
        value = kummer_by_erf(d, middle, order)
    elif d > LARGEST_POLYNOMIAL and middle >= LARGE_ARGUMENT:
        value = 2**order * _large(d, order, middle)
    else:
        value = 2**order * middle.exp() * _general_factor(d, order, middle)
    if ball.is_exact():
        return value
    # F' <= 2 F and F'' <= 2 F' on y >= 0 (<= 3 just below 0, where the ball may reach): so much may a radius cost.
    return value * widen(3 * ball.rad()).real.exp()


def _general_factor(d: int, order: int, y: arb) -> arb:
    """1F1(-d/2; d/2 + order; -y) by arb, for any d; y exact."""
    half, prec, value = arb(d) / 2, ctx.prec, arb.nan()
    if d % 2 == 0 and y >= 8:
        return acb(-y).hypgeom([acb(-half)], [acb(half + order)], n=d // 2 + 1).real
    for factor in (1, 2, 4, 16, 64):
        with ctx.workprec(factor * prec):
            value = (-y).hypgeom_1f1(-half, half + order)
        if value.rel_accuracy_bits() > prec - SLACK:
            break
    return value


def _large(d: int, order: int, y: arb) -> arb:
    """1F1(d + order; d/2 + order; y) by the terms around the largest one, or where arb takes less time for all of
    e^y 1F1(-d/2; d/2 + order; -y), or for its expansion at large y, by these.

    For odd d their signs alternate from d/2 on. There are so many that arb can bound the rest: its bound of a ratio is
    y (1 + d/(d/2 + n))/n. If they cancel or the rest is large, they are tried in vain.
    """
    half, size = arb(d) / 2, 1.1 * float(y)
    count = d // 2 + 1
    if d % 2:
        bounded = (size - d / 2 + math.sqrt((size - d / 2) ** 2 + 6 * size * d)) / 2
        count = max(count, math.ceil(bounded)) + ctx.prec // 16
    if count**2 <= 8 * ctx.prec * size and (d % 2 == 0 or size <= 2.5 * d):
        with ctx.workprec(ctx.prec + 2 * SLACK):
            value = acb(-y).hypgeom([acb(-half)], [acb(half + order)], n=count).real
        if value.rel_accuracy_bits() > ctx.prec:
            return y.exp() * value
    if d % 2 and not 0.7 * ctx.prec <= size <= 1.5 * d:  # arb's own series, or its expansion, has digits
        with ctx.workprec(ctx.prec + 2 * SLACK):
            value = (-y).hypgeom_1f1(-half, half + order)
        if value.rel_accuracy_bits() > ctx.prec:
            return y.exp() * value
    return kummer_about_peak(fmpq(d + order), fmpq(d, 2) + order, y)


def kummer_about_peak(a: fmpq, b: fmpq, y: arb) -> arb:
    """1F1(a; b; y) for y > 0, a >= 1 and b > 0, by its terms around the largest one.

    The ratio of a term to the one before, (a + k) y/((b + k)(k + 1)), falls in k: for its logarithm it is 1/(a + k) <=
    1/(k + 1). So beyond an end of the window the terms fall at least as fast as at it, which bounds them by geometric
    series. About sqrt(y) times the digits of terms are summed, at any y.

    Examples
    --------
    >>> kummer_about_peak(fmpq(3), fmpq(3, 2), arb(7)).overlaps(arb(7).hypgeom_1f1(3, 1.5))
    True
    >>> kummer_about_peak(fmpq(10**6), fmpq(10**6, 2), arb(10) ** 6).rel_accuracy_bits() > 40
    True
    """
    if not y.is_exact():  # the slope of its logarithm is at most max(1, a/b)
        reach = arb(max(fmpq(1), a / b)) * y.rad()
        return kummer_about_peak(a, b, y.mid()) * widen(reach.upper()).exp()
    upper, lower, size = float(a.p) / float(a.q), float(b.p) / float(b.q), float(y.mid())
    start, count = _window(upper, lower, size)
    for n in (count, 2 * count):
        rise = (upper + start + n) / (lower + start + n) * (1 + start / (start + n))
        if size * rise < 0.9 * n:  # arb's own bound of the ratio of terms there
            return _by_arb(a, b, y, start, n)
    return _by_ratios(a, b, y)


def _window(a: float, b: float, y: float) -> tuple[int, int]:
    """The first of the terms that matter, and how many they are; only the speed and the accuracy depend on it."""

    def log_term(k: float) -> float:
        return math.lgamma(a + k) - math.lgamma(b + k) - math.lgamma(k + 1) + k * math.log(y)

    half = (b + 1 - y) / 2
    peak = max(math.sqrt(max(half * half - b + a * y, 0.0)) - half, 0.0)
    goal = log_term(peak) - (ctx.prec + 40 + math.log2(y + 2)) * math.log(2)
    first = 0.0 if log_term(0.0) > goal else _crossing(log_term, goal, peak, 0.0)
    far = peak + 1
    while log_term(far) > goal:
        far = peak + 2 * (far - peak)
    last = _crossing(log_term, goal, peak, far)
    return int(first), int(last) - int(first) + 2


def _crossing(log_term: Callable[[float], float], goal: float, near: float, far: float) -> float:
    """About where the logarithm of a term falls below a goal, above which it is at ``near``; the answer is below."""
    step = abs(far - near) / 256
    while abs(near - far) > 1 + step:
        middle = (near + far) / 2
        near, far = (middle, far) if log_term(middle) > goal else (near, middle)
    return far


def _by_arb(a: fmpq, b: fmpq, y: arb, start: int, count: int) -> arb:
    """The terms from ``start`` on as 2F2(a + start, 1; b + start, start + 1; y) times the first."""
    with ctx.workprec(ctx.prec + 64 + 2 * start.bit_length()):
        first, before = _first_term(a, b, y, start), arb(0)
        total = (
            acb(y).hypgeom([acb(arb(a) + start), acb(1)], [acb(arb(b) + start), acb(start + 1)], n=count).real
        )
        if start:
            ratio = ((arb(b) + (start - 1)) * start / ((arb(a) + (start - 1)) * y)).upper()
            before = arb(0).union((ratio / (1 - ratio)).upper()) if ratio < 1 else arb.nan()
        value = first * (total + before)
    return +value


def _first_term(a: fmpq, b: fmpq, y: arb, start: int) -> arb:
    logs = (arb(a) + start).lgamma() - arb(a).lgamma() + arb(b).lgamma() - (arb(b) + start).lgamma()
    return (logs + start * y.log() - (arb(start) + 1).lgamma()).exp()


def _by_ratios(a: fmpq, b: fmpq, y: arb) -> arb:
    """The terms one by one, up and down from the largest: for large y, where arb would need many more for its bound."""
    size, half = float(y.mid()), (float(b.p) / float(b.q) + 1 - float(y.mid())) / 2
    square = half * half - float(b.p) / float(b.q) + float(a.p) / float(a.q) * size
    start = max(math.floor(math.sqrt(max(square, 0.0)) - half), 0)
    prec = ctx.prec
    with ctx.workprec(prec + 64 + 2 * max(start, 1).bit_length()):
        first = _first_term(a, b, y, start)
        p, q = int(a.q), int(b.q)
        top, bottom, unit = int(a.p), int(b.p), y * q / p
        total, small = arb(1), arb(2) ** (-prec - 16)
        term, k = arb(1), start
        while True:  # (a + k)/(b + k) = q (top + p k)/(p (bottom + q k))
            term = term * unit * (top + p * k) / ((bottom + q * k) * (k + 1))
            total += term
            k += 1
            if term < small:
                ratio = (unit * (top + p * k) / ((bottom + q * k) * (k + 1))).upper()
                if ratio < 1:
                    total += arb(0).union((term * ratio / (1 - ratio)).upper())
                    break
        term, k = arb(1), start
        while k > 0:
            k -= 1
            term = term * ((bottom + q * k) * (k + 1)) / (unit * (top + p * k))
            total += term
            if k > 0 and term < small:
                ratio = (((bottom + q * k - q) * k) / (unit * (top + p * k - p))).upper()
                if ratio < 1:
                    total += arb(0).union((term * ratio / (1 - ratio)).upper())
                    break
        value = first * total
    return +value


# ---- even dimension: a polynomial ------------------------------------------------------------------


def _even_factor(n: int, order: int, y: arb | fmpq) -> arb:
    """1F1(-n; n + order; -y) = sum_k binom(n, k) y^k / (n + order)_k: no term is negative for y >= 0."""
    polynomial, scale = _even_polynomial(n, order)
    return polynomial.at(y) / scale


@lru_cache(maxsize=32)
def _even_polynomial(n: int, order: int) -> tuple[_Kept, fmpz]:
    """binom(n, k) (2n + order - 1)! / (n + order + k - 1)!, integers for k <= n, and the one at k = 0."""
    coefficients = [fmpz(1)]
    for k in range(n, 0, -1):
        coefficients.append(coefficients[-1] * (k * (n + order + k - 1)) // (n - k + 1))
    return _Kept(coefficients[::-1]), coefficients[-1]


# ---- odd dimension: the error function and two polynomials -----------------------------------------


def _erf_pays(d: int, y: arb) -> bool:
    """Where it is proved that the two parts do not cancel."""
    return bool(3 <= d <= LARGEST_POLYNOMIAL and y >= 1 and 16 * y >= d)


def kummer_by_erf(d: int, y: arb | fmpq, order: int) -> arb:
    """F(y) or F'(y) for F = 1F1(d; d/2; .), d >= 3 odd and y > 0, from the error function.

    y^m S F(y) = U(y) g(y) + V(y) with g(y) = 1F1(1; 3/2; y) = e^y sqrt(pi/(4y)) erf(sqrt(y)), m = (d-3)/2 and
    polynomials U and V; likewise for F'. For y >= d/16 they lose only a few bits; below that their parts cancel.

    Examples
    --------
    >>> kummer_by_erf(3, arb(7), 0).overlaps(arb(7).hypgeom_1f1(3, 1.5))
    True
    >>> kummer_by_erf(3, fmpq(7), 1).overlaps(2 * arb(7).hypgeom_1f1(4, 2.5))
    True
    """
    with ctx.workprec(ctx.prec + SLACK):
        ball = arb(y)
        root = ball.sqrt()
        base = ball.exp() * root.erf() * arb.pi().sqrt() / (2 * root)
        first, second = (polynomial.at(y) for polynomial in _erf_polynomials(d)[order])
        return (first * base + second) / (_erf_scale(d) * ball ** ((d - 3) // 2 + order))


def _erf_scale(d: int) -> fmpz:
    """S, from F ~ Gamma(d/2)/Gamma(d) e^y y^(d/2) for large y."""
    return fmpz(2) ** (2 * d - 3) * fmpz(math.factorial((d - 1) // 2))


@lru_cache(maxsize=32)
def _erf_polynomials(d: int) -> tuple[tuple[_Kept, _Kept], tuple[_Kept, _Kept]]:
    """(U, V) of :func:`kummer_by_erf`, and the pair of the derivative.

    The expansion of F for large y gives U = sum_k binom(d-1, k) d (d-2) ... (d-2k+2) (2y)^(d-1-k). Kummer's equation is
    (t - m)(t + 1/2) w = y (t + (d+3)/2) w for w = y^m F, t = y d/dy; with t g = (y - 1/2) g + 1/2 it leaves
    (t - m)(t + 1/2) V - y (t + (d+3)/2) V = (m/2 - t) U, solved from the highest power down. The derivative is
    y^(m+1) S F' = (t U + (y - 1/2 - m) U) g + t V - m V + U/2.
    """
    m, lead = (d - 3) // 2, fmpz(1)
    u, v = [fmpz(0)] * d, [fmpq(0)] * d
    for k in range(d):
        u[d - 1 - k] = lead * fmpz(2) ** (d - 1 - k)
        lead = lead * ((d - 1 - k) * (d - 2 * k)) // (k + 1)
    for k in range(d - 1, 0, -1):
        v[k - 1] = ((k - m) * (4 * k + 2) * v[k] + (4 * k - 2 * m) * u[k]) / (4 * k + 2 * d + 2)
    slope = [(fmpq(2 * k - 1, 2) - m) * u[k] + (u[k - 1] if k else 0) for k in range(d)] + [u[-1]]
    rest = [(k - m) * v[k] + fmpq(1, 2) * u[k] for k in range(d)]
    return (_Kept(u), _Kept(v)), (_Kept(slope), _Kept(rest))


# ---- polynomials -----------------------------------------------------------------------------------


class _Kept:
    """A polynomial with rational coefficients, kept exactly in blocks and as balls of the precisions asked for."""

    def __init__(self, coefficients: Sequence[fmpz | fmpq]) -> None:
        self.blocks = [fmpq_poly(coefficients[i : i + BLOCK]) for i in range(0, len(coefficients), BLOCK)]
        self.coefficients = coefficients
        self.rounded: dict[int, arb_poly] = {}

    def at(self, y: arb | fmpq) -> arb:
        """The value. At a short fraction and high precision the blocks are exact and only their sum is rounded.

        Else in balls, for which a short binary y is cheap too.
        """
        if isinstance(y, fmpq) and ctx.prec >= EXACT_FROM and _size(y) <= SHORT:
            step, total = arb(y) ** BLOCK, arb(0)
            for block in reversed(self.blocks):
                total = total * step + arb(block(y))
            return total
        bits = -(-ctx.prec // KEPT_STEP) * KEPT_STEP
        if bits not in self.rounded:
            while len(self.rounded) >= MOST_KEPT:
                del self.rounded[next(iter(self.rounded))]
            with ctx.workprec(bits):
                self.rounded[bits] = arb_poly([arb(c) for c in self.coefficients])
        return self.rounded[bits](arb(y))


def _size(y: fmpq) -> int:
    return max(int(y.p).bit_length(), int(y.q).bit_length())


def quotient(y: arb | fmpq) -> tuple[arb | int, int]:
    """Numerator and denominator: integers where y is a rational shorter than the precision, else y itself and 1.

    Examples
    --------
    >>> quotient(fmpq(7, 3)), quotient(arb(7))
    ((7, 3), (7.00000000000000, 1))
    """
    if isinstance(y, fmpq):
        if 4 * _size(y) <= ctx.prec:
            return int(y.p), int(y.q)
        y = arb(y)
    return y, 1
