"""Pieces that the closed forms are built of: chi moments, the 1F1 ladder, zonal averages, joint moments.

All functions work in ball arithmetic at the current precision (integers as ``int``, real arguments as ``arb``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from flint import arb, arb_poly, ctx, fmpq

from rftheory.exact.enclosure import widen


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
        return a.rising(arb(p)) / b.rising(arb(p)) * z.hypgeom_1f1(a + p, b + p) if p else z.hypgeom_1f1(a, b)

    if count <= 2:
        return [direct(p) for p in range(count)]
    values: list[arb] = [arb(0)] * count
    turn = min(max(int(math.floor(float((z - b).mid()))), 0), count)
    values[:2] = [direct(0), direct(1)]
    for p in range(turn):
        if p + 2 < count:
            values[p + 2] = ((z - b - p) * values[p + 1] + (a + p) * values[p]) / z
    if turn + 2 < count:
        values[-1], values[-2] = direct(count - 1), direct(count - 2)
        for p in range(count - 3, turn + 1, -1):
            values[p] = (z * values[p + 2] + (b + p - z) * values[p + 1]) / (a + p)
    return values


def mean_sine_powers(d: int, count: int) -> list[arb]:
    """E[s^p], p = 0..count-1, for s = sin(2 phi), the angle phi of a pair of independent chi_d norms.

    With norms r cos(phi), r sin(phi), the density of s on (0, 1) is proportional to s^(d-1) (1 - s^2)^(-1/2);
    E s^(p+2) = E s^p (d + p)/(d + p + 1).
    """
    moments = [arb(1), mean_sine(d)]
    while len(moments) < count:
        p = len(moments) - 2
        moments.append(moments[p] * (d + p) / (d + p + 1))
    return moments[:count]


def mean_sine(d: int) -> arb:
    """E[s] = (2/d) (Gamma((d+1)/2)/Gamma(d/2))^2 for the s of :func:`mean_sine_powers`.

    Examples
    --------
    >>> mean_sine(2).overlaps(arb.pi() / 4)
    True
    """
    half = fmpq(d, 2)
    ratio = arb.gamma_fmpq(half + fmpq(1, 2)) / arb.gamma_fmpq(half)
    return 2 * ratio**2 / d


def mean_cosine_gaps(d: int, count: int) -> list[arb]:
    """M_p = E[(1 - s)^p], p = 0..count-1, for the s of :func:`mean_sine_powers`.

    (d + 1 + p) M_{p+2} = (2 d + 2 + 3 p) M_{p+1} - (1 + 2 p) M_p, of which M is the minimal solution: the ratios
    M_{p+1}/M_p are run backwards from the interval [0, 1], which contracts to them.
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


def joint_moment(weights: Sequence[int], d: int, v_squared: arb, c: arb) -> arb:
    """E exp(v u.(a_1 w_1 + ... + a_n w_n)) for equal-angle coupled projections, by their moments.

    Parameters
    ----------
    weights : the integers a_i, one for each distinct projection.
    d : dimension.
    v_squared : v^2; a negative value gives E cos, the trigonometric case.
    c : cosine of the common angle (0 orthogonal, -1/(d-1) simplex); norms are independent chi_d.

    Returns
    -------
    The moment as a ball. With u.w_i = r_i s_i.u, integrating the Haar direction turns the product of powers of
    s_i.u into a Gaussian moment with covariance (1-c) I + c 11^T, divided by E chi_d^N; the terms of total degree
    2k are at most (A^2 |v^2|/2)^k / k!, A = sum |a_i|, which bounds the tail. The cost grows with A^2 v^2:
    meant for A |v| up to about 10.

    Source
    ------
    Ours; the case (1, 1) is the RF-conformity of Reid et al. 2023, eq. (10).

    Examples
    --------
    >>> joint_moment((1, 1), 64, arb(1), arb(0)).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """
    reach = arb(sum(abs(a) for a in weights)) ** 2 * abs(v_squared) / 2
    order, tail = _tail_order(reach)
    degree = 2 * order
    norms = chi_moments(d, degree + 1)
    rows = [_single_vector_rows(a, norms, c, order) for a in weights]
    product = rows[0]
    for row in rows[1:]:
        product = _multiply(product, row, order)
    value = arb(0)
    v_power = arb(1)
    for half in range(order + 1):
        value += v_power * _degree_part(product, half, c) / norms[2 * half]
        v_power *= v_squared
    return value + widen(tail)


def _tail_order(reach: arb) -> tuple[int, arb]:
    """Smallest K with sum_{k > K} reach^k/k! below the working precision, and that bound."""
    term, order = arb(1), 0
    small = arb(2) ** (-ctx.prec)
    while True:
        order += 1
        term = (term * reach / order).upper()
        ratio = (reach / (order + 1)).upper()
        if ratio < arb("0.5") and term < small:
            return order - 1, (term / (1 - ratio)).upper()


Rows = list[arb_poly]
"""Polynomial in x with coefficients in t = y^2: entry q is the coefficient of x^q."""


def _single_vector_rows(a: int, norms: list[arb], c: arb, order: int) -> Rows:
    """sum_{q, j} a^(q+2j) E[r^(q+2j)] ((1-c)/2)^j / (q! j!) x^q t^j, up to total degree q + 2j <= 2 order."""
    spread = (1 - c) / 2
    rows: Rows = []
    last = 2 * order if not c.is_zero() else 0
    for q in range(last + 1):
        column, factor = [], arb(a) ** q / arb.fac_ui(q)
        for j in range((2 * order - q) // 2 + 1):
            column.append(factor * norms[q + 2 * j])
            factor = factor * spread * (a * a) / (j + 1)
        rows.append(arb_poly(column))
    return rows


def _multiply(left: Rows, right: Rows, order: int) -> Rows:
    """Product truncated to total degree 2 order, by Kronecker substitution x -> t^(2 order + 1)."""
    if len(left) == len(right) == 1:
        return [arb_poly(list((left[0] * right[0]).coeffs())[: order + 1])]
    stride = 2 * order + 1
    flat = (_flatten(left, stride) * _flatten(right, stride)).coeffs()
    rows: Rows = []
    for q in range(2 * order + 1):
        rows.append(arb_poly(flat[q * stride : q * stride + (2 * order - q) // 2 + 1]))
    return rows


def _flatten(rows: Rows, stride: int) -> arb_poly:
    flat: list[arb] = []
    for row in rows:
        column = list(row.coeffs())
        flat += column + [arb(0)] * (stride - len(column))
    return arb_poly(flat)


def _degree_part(rows: Rows, half: int, c: arb) -> arb:
    """The part of total degree 2 half: sum over even q of (c/2)^(q/2) q!/(q/2)! [x^q t^(half - q/2)]."""
    total, factor = arb(0), arb(1)
    for n in range(half + 1):
        if 2 * n >= len(rows):
            break
        total += factor * rows[2 * n][half - n]
        factor = factor * c * (2 * n + 1)  # (c/2) (2n+2)!/(n+1)! / ((2n)!/n!) = c (2n+1)
    return total
