"""Trigonometric (Fourier) random features: MSE under iid, orthogonal and simplex projections, orthogonality gap.

The estimator is K^(x, y) = (1/m) sum_i cos(w_i.(x - y)) of the Gaussian kernel (Reid et al. 2023, eqs. (3), (72));
its law depends on the data only through z = |x - y|.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import Any

import sympy
from flint import arb, ctx
from sympy import Integral, Rational, Sum, exp, factorial, gamma, hyper, oo, pi, sin, sinh

from rftheory.errors import NotCertified
from rftheory.exact.conformity import SIMPLEX_COSINE, within
from rftheory.exact.coupled import BLOCKS, ORDER, Moments, block_cosine, order_two
from rftheory.exact.enclosure import certified_integral, widen
from rftheory.exact.formula import Condition, Formula, Route, register
from rftheory.exact.joint_moments import orthogonal_exponential
from rftheory.exact.moments import (
    PairMoment,
    block_sizes,
    central_moments,
    coupled_pairs,
    trigonometric_joint,
)
from rftheory.exact.positive import PAIRS, SECOND
from rftheory.exact.special import JointMoments, joint_moment
from rftheory.exact.symbols import (
    COSINE,
    DIFFERENCE_NORM,
    FEATURES,
    PAIR_DIMENSION,
    POSITIVE_DIFFERENCE_NORM,
    c,
    d,
    k,
    m,
    phi,
    z,
)

# ---- cross terms: E cos(w_i.z) cos(w_j.z) ----------------------------------------------------------


def orf_cosine_pair_ball(d: int, z: arb) -> arb:
    """E cos(w_i.z) cos(w_j.z) for an orthogonal pair: e^(-t) 1F1(-d/2; d/2; t), t = z^2/2 (Kummer).

    Examples
    --------
    >>> orf_cosine_pair_ball(2, arb(2)).overlaps(-(-arb(2)).exp())
    True
    """
    t = z * z / 2
    return (-t).exp() * t.hypgeom_1f1(arb(-d) / 2, arb(d) / 2)


def cosine_pair_ball(d: int, z: arb, c: arb) -> arb:
    """E cos(w_i.z) cos(w_j.z) for a pair at the angle of cosine ``c``.

    With s as in ``special.mean_sine_powers`` it is the mean of F(-t (1 + c s)) and F(-t (1 - c s)), F = 1F1(d; d/2; .),
    expanded in the even powers of c s. Since F(-t) = E 0F1(; d/2; -R^2 t/2) with R chi_2d, its derivatives are at most
    F^(n)(0) = (d)_n/(d/2)_n in modulus.

    Examples
    --------
    >>> cosine_pair_ball(2, arb(2), arb(0)).overlaps(orf_cosine_pair_ball(2, arb(2)))
    True
    """
    t, half = z * z / 2, arb(d) / 2
    step = abs(c) * t
    if not step <= 6000:
        raise NotCertified(
            "cosine pair",
            wanted="a short series",
            reached=f"|c| z^2/2 = {step.str(3)}",
            hint="choose a smaller z",
        )
    small = arb(2) ** (-ctx.prec - 8)
    with ctx.workprec(ctx.prec + (math.ceil(4 * float(step.upper())) if t > LADDER_START else 0)):
        derivatives = _even_derivatives(d, t)
        total, power, moment, bound, n = arb(0), arb(1), arb(1), arb(1), 0
        while True:
            total += power * moment * next(derivatives)
            power = power * step * step / ((n + 1) * (n + 2))
            moment = moment * (d + n) / (d + n + 1)
            for i in (n, n + 1):
                bound = (bound * step * (d + i) / ((half + i) * (i + 1))).upper()
            n += 2
            ratio = (step * (d + n) / ((half + n) * (n + 1))).upper()
            if not total.is_finite():  # the precision is too low; certify continues with more
                return total
            if ratio < arb("0.5") and bound < small * abs(total).lower().max(small):
                return total + widen((bound / (1 - ratio)).upper())


LADDER_START = 100
"""Above this t the forward recurrence is used for the derivatives at -t, because it divides by t."""


def _even_derivatives(d: int, t: arb) -> Iterator[arb]:
    """Derivatives of even order of F = 1F1(d; d/2; .) at -t: t F^(n+2) = (t + d/2 + n) F^(n+1) - (d + n) F^(n)."""
    half = arb(d) / 2

    def direct(n: int) -> arb:
        return arb(d).rising(arb(n)) / half.rising(arb(n)) * (-t).hypgeom_1f1(d + n, half + n)

    if not t > LADDER_START:
        yield from map(direct, count(0, 2))
    now, ahead, inverse = direct(0), direct(1), 1 / t
    for n in count():
        if n % 2 == 0:
            yield now
        now, ahead = ahead, ((t + (half + n)) * ahead - (d + n) * now) * inverse


def _pair_by_moments(d: int, z: arb, c: arb) -> arb:
    return (joint_moment((1, 1), d, -z * z, c) + joint_moment((1, -1), d, -z * z, c)) / 2


def _zonal(sign: int) -> sympy.Expr:
    return hyper((d,), (d / 2,), -(z**2) * (1 + sign * c * sin(phi)) / 2)


trig_pair_orf = register(Formula(name="trig_pair_orf",
    says="E cos(w_i.z) cos(w_j.z) for orthogonal projections: the conformity at v -> iz",
    source="simplex.thm4.5 (75)", variables=(PAIR_DIMENSION, DIFFERENCE_NORM),
    expression=hyper((d,), (d / 2,), -(z**2) / 2),
    routes=(Route("kummer", orf_cosine_pair_ball, "e^(-t) 1F1(-d/2; d/2; t), t = z^2/2"),
        Route("series (76)",
            gamma(d / 2) / gamma(d)
                * Sum((-(z**2)) ** k / (2**k * factorial(k)) * gamma(k + d) / gamma(k + d / 2), (k, 0, oo)),
            "the printed series", within(z=30)),
        Route("joint moments", lambda d, z: joint_moment((1, 1), d, -z * z, arb(0)),
            "moments of the norms and of the Haar direction", within(z=6))),
    fast="kummer"))  # fmt: skip

trig_pair_angle = register(Formula(name="trig_pair_angle",
    says="E cos(w_i.z) cos(w_j.z) for a pair at the fixed angle of cosine c",
    source="ours; the paper leaves the simplex coupling of Fourier features out (simplex.thm4.5)",
    variables=(PAIR_DIMENSION, DIFFERENCE_NORM, COSINE),
    expression=gamma(d) / (2 ** (d - 1) * gamma(d / 2) ** 2)
        * Integral(sin(phi) ** (d - 1) * (_zonal(1) + _zonal(-1)) / 2, (phi, 0, pi)),
    routes=(Route("even series", cosine_pair_ball, "expansion in even powers of c sin(2 phi)"),
        Route("joint moments", _pair_by_moments, "moments of the norms and of the Haar direction", within(z=3))),
    fast="even series", practical=within(z=4)))  # fmt: skip


# ---- mean squared errors ---------------------------------------------------------------------------


def _mse(pair: sympy.Expr) -> sympy.Expr:
    return ((1 - exp(-(z**2))) ** 2 / 2 + PAIRS / m * (pair - exp(-(z**2)))) / m


def _mse_ball(c: arb, d: int, m: int, z: arb) -> arb:
    # either is right: both are the mean product at cosine 0
    pair = orf_cosine_pair_ball(d, z) if c.is_zero() else cosine_pair_ball(d, z, c)
    deficit = -(-z * z).expm1()
    return (deficit * deficit / 2 + arb(coupled_pairs(m, d)) / m * (pair - (-z * z).exp())) / m


def _by_moments(coupling: str, m: int, z: arb, d: int = 2) -> arb:
    return MOMENTS.central(coupling, 2, m, d, JointMoments, z=z)[2]


MSE_VARIABLES = (PAIR_DIMENSION, FEATURES, DIFFERENCE_NORM)

trig_mse_iid = register(Formula(name="trig_mse_iid",
    says="MSE of the Fourier-feature estimate (sin/cos pairs) of the Gaussian kernel, independent projections",
    source="simplex.thm4.5 (74)", variables=(FEATURES, DIFFERENCE_NORM), expression=(1 - exp(-(z**2))) ** 2 / (2 * m),
    routes=(
        Route("variance of a cosine", ((1 + exp(-2 * z**2)) / 2 - exp(-(z**2))) / m, "E cos^2 = (1 + exp(-2 z^2))/2"),
        Route("moments", partial(_by_moments, "iid"), SECOND, within(z=4, m=4096)))))  # fmt: skip


def _coupled_mse(
    name: str, coupling: str, source: str, pair: sympy.Expr, route: str, reach: int, **more: Any
) -> Formula:
    def fast(d: int, m: int, z: arb) -> arb:
        c = block_cosine(coupling, d)
        assert c is not None
        return _mse_ball(c, d, m, z)

    return register(Formula(
        name=name, says=f"MSE of the Fourier-feature estimate of the Gaussian kernel, {BLOCKS[coupling]}",
        source=source, variables=MSE_VARIABLES, expression=_mse(pair), fast=route, **more,
        routes=(
            Route(route, fast, "with the fast cross term"),
            Route("moments", partial(_by_moments, coupling), SECOND, within(z=reach)),
        ),
    ))  # fmt: skip


trig_mse_orf = _coupled_mse("trig_mse_orf", "orthogonal", "simplex.thm4.5 (74)-(76)", trig_pair_orf.expression,
    "kummer", 3)  # fmt: skip
trig_mse_simrf = _coupled_mse("trig_mse_simrf", "simplex", "ours; left out in simplex.thm4.5",
    trig_pair_angle.expression.subs(c, SIMPLEX_COSINE), "even series", 2, practical=within(z=4))  # fmt: skip

trig_gap = register(Formula(name="trig_gap",
    says="orthogonality gap of Fourier features: MSE of independent minus MSE of orthogonal projections",
    source="simplex.thm4.5 (26)", variables=MSE_VARIABLES,
    expression=PAIRS / m**2 * (exp(-(z**2)) - trig_pair_orf.expression),
    routes=(
        Route("kummer", lambda d, m,
            z: (arb(coupled_pairs(m, d)) / arb(m) ** 2 * ((-z * z).exp() - orf_cosine_pair_ball(d, z))),
            "with the fast cross term"),
        Route("series (78)", lambda d, m, z: arb(coupled_pairs(m, d)) / arb(m) ** 2 * _gap_series(d, z),
            "sum of (-z^2)^k/k! (1 - P_k)", within(z=20)),
        Route("moments", lambda d, m,
            z: (arb(coupled_pairs(m, d)) / arb(m) ** 2 * ((-z * z).exp() - joint_moment((1, 1), d, -z * z, arb(0)))),
            "difference with the moment expansion", within(z=4))),
    fast="kummer"))  # fmt: skip


def _gap_series(d: int, z: arb) -> arb:
    """sum_k (-z^2)^k/k! e_k with 0 <= e_k = 1 - (d)_k/(2^k (d/2)_k) < 1; the tail is bounded by that of exp(z^2)."""
    small = arb(2) ** (-ctx.prec - 8)
    total, power, bound, defect, product, n = arb(0), arb(1), arb(1), arb(0), arb(1), 0
    while True:
        total += power * defect
        defect = defect + product * n / (d + 2 * n)
        product = product * (d + n) / (d + 2 * n)
        power = -power * z * z / (n + 1)
        bound = (bound * z * z / (n + 1)).upper()
        n += 1
        ratio = (z * z / (n + 1)).upper()
        if not total.is_finite():
            return total
        if ratio < arb("0.5") and bound <= small * abs(total).upper():
            return total + widen((bound / (1 - ratio)).upper())


# ---- Corollary 4.6: the ratio of the errors ---------------------------------------------------------

WITHIN_BLOCK = Condition("m <= d", m <= d)


def _error_ratio(d: int, m: int, z: arb, gap: arb) -> arb:
    """1 - gap/MSE_IID for the gap e^(-z^2) - E cos cos of one pair."""
    return 1 - 2 * arb(coupled_pairs(m, d)) / m * gap / (-z * z).expm1() ** 2


trig_ratio_orf = register(Formula(name="trig_ratio_orf",
    says="MSE of orthogonal over MSE of independent Fourier features; depends on the data through z alone",
    source="simplex.cor4.6 (77), corrected", variables=(PAIR_DIMENSION, FEATURES, POSITIVE_DIFFERENCE_NORM),
    expression=trig_mse_orf.expression / trig_mse_iid.expression,
    routes=(
        Route("kummer", lambda d, m, z: _error_ratio(d, m, z, (-z * z).exp() - orf_cosine_pair_ball(d, z)),
            "with the fast cross term"),
        Route("series (78)", lambda d, m, z: _error_ratio(d, m, z, _gap_series(d, z)), "sum of (-z^2)^k/k! (1 - P_k)",
            within(z=20)),
        Route("contour", lambda d, m,
            z: _error_ratio(d, m, z, (-z * z).exp() - orthogonal_exponential(d, [(-z * z / 2, 2)])),
            "the cross term by Hankel's integral")),
    fast="kummer"))  # fmt: skip

trig_ratio_asymptotic = register(Formula(name="trig_ratio_asymptotic",
    says="MSE of orthogonal over MSE of independent Fourier features, to first order in 1/d, one block",
    source="simplex.cor4.6 (27)", variables=(PAIR_DIMENSION, FEATURES, POSITIVE_DIFFERENCE_NORM),
    expression=1 - (m - 1) * exp(-(z**2)) * z**4 / (d * (1 - exp(-(z**2))) ** 2), conditions=(WITHIN_BLOCK,),
    routes=(Route("hyperbolic", 1 - (m - 1) / d * (z**2 / (2 * sinh(z**2 / 2))) ** 2, "e^t/(e^t - 1)^2 by sinh"),
        Route("geometric series", lambda d, m, z: 1 - arb(m - 1) / d * z**4 * _weighted_geometric((-z * z).exp()),
            "q/(1 - q)^2 = sum of k q^k", lambda values: bool(values["z"] >= Rational(1, 2))),
        Route("charm", lambda d, m,
            z: (1 - arb(m - 1) / m / d * (z**4 * (-z * z).exp() / 2) / ((-z * z).expm1() ** 2 / (2 * m))),
            "the leading coefficient z^2 phi'(z)^2/2 of the gain over the error of independent features")),
    fast="hyperbolic"))  # fmt: skip


def _weighted_geometric(q: arb) -> arb:
    """sum_{k>=1} k q^k for 0 < q < 1; from k on the terms shrink at least by q (1 + 1/k)."""
    total, power, k = arb(0), q, 1
    while True:
        total += k * power
        k += 1
        power = power * q
        ratio = (q * (1 + arb(1) / k)).upper()
        if not total.is_finite() or (
            ratio < 1 and k * power < arb(2) ** (-ctx.prec - 8) * total * (1 - ratio)
        ):
            return total + arb(0).union((k * power / (1 - ratio)).upper())


# ---- higher moments --------------------------------------------------------------------------------

ERROR_POWER = sympy.Function("E")((sympy.Symbol("K_hat") - sympy.Symbol("K")) ** ORDER.symbol)


def _cosine_integral(a: int, z: arb) -> arb:
    """E cos^a(z g) for a standard normal g; beyond T the density integrates to at most exp(-T^2/2), T >= 1."""
    end = (2 * (ctx.prec + 16) * arb(2).log()).sqrt() + 1
    value = certified_integral(lambda t, _: (z * t).cos() ** a * (-t * t / 2).exp(), 0, end)
    return 2 * value / (2 * arb.pi()).sqrt() + widen((-end * end / 2).exp().upper())


def _cosine_power(a: int, z: arb) -> arb:
    """E cos^a(w.z) = 2^(-a) sum_j C(a, j) exp(-(a - 2j)^2 z^2/2)."""
    return (
        sum(
            (arb(int(sympy.binomial(a, j))) * (-((a - 2 * j) ** 2) * z * z / 2).exp() for j in range(a + 1)),
            arb(0),
        )
        / arb(2) ** a
    )


def _single(z: arb, d: int = 2) -> PairMoment:
    return lambda weights: _cosine_power(weights[0], z)


def _central_by_line(n: int, m: int, z: arb) -> arb:
    return central_moments(n, block_sizes(m, 1), lambda a: _cosine_integral(a[0], z))[n]


MOMENTS = Moments(says="the Fourier-feature estimate", expression=ERROR_POWER,
    names=("trig_moment_iid", "trig_moment_orf", "trig_moment_simrf"),
    sources=("ours; n = 2 is simplex.thm4.5 (74)", "ours; n = 2 is simplex.thm4.5", "ours"),
    variables=(ORDER, *MSE_VARIABLES), alone=(ORDER, FEATURES, DIFFERENCE_NORM), norm="z", joint=lambda table, c,
    order, d, z: trigonometric_joint(d, z, c, order, table),
    single=("cosine powers", _single, "powers of cosines as sums of cosines"), variance=("mse", _mse_ball), reach=8,
    more={"iid": (
        Route("line integrals", _central_by_line, "powers of cosines by quadrature over a normal", within(z=20)),
        Route("mse", lambda n, m, z: (-(-z * z).expm1()) ** 2 / (2 * m), "n = 2 from (74)",
            valid=order_two))})  # fmt: skip
trig_moment_iid, trig_moment_orf, trig_moment_simrf = MOMENTS.formulas()
