"""Positive random features: MSE through the RF-conformity, orthogonality gap, small-v expansion, higher moments.

The estimator is K^(x, y) = exp(-|x|^2 - |y|^2) (1/m) sum_i exp(w_i.(x + y)) of the Gaussian kernel
(Reid et al. 2023, eqs. (7), (28)); its relative error depends on the data only through v = |x + y|.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import sympy
from flint import arb
from sympy import E, Rational, Sum, exp, factorial, floor, gamma, log, oo, sqrt

from rftheory.exact.conformity import (
    angle_conformity_ball,
    orf_conformity,
    orf_conformity_ball,
    simplex_cosine,
    simrf_conformity,
    within,
)
from rftheory.exact.coupled import BLOCKS, ORDER, Moments, block_cosine, n
from rftheory.exact.enclosure import certified_sum
from rftheory.exact.formula import Formula, Route, register
from rftheory.exact.moments import PairMoment, arrangements, coupled_pairs, partitions, positive_joint
from rftheory.exact.special import JointMoments, chi_moments, joint_moment
from rftheory.exact.symbols import (
    FEATURES,
    PAIR_DIMENSION,
    SUM_NORM,
    TRIANGLE,
    X_NORM,
    Y_NORM,
    d,
    k,
    m,
    v,
    x,
    y,
)
from rftheory.exact.top_average import mean_sine

PAIRS = floor(m / d) * d * (d - 1) + (m - d * floor(m / d)) * (m - d * floor(m / d) - 1)
"""Ordered pairs of distinct projections that share a block; m (m - 1) while m <= d."""


def _mse(conformity: sympy.Expr) -> sympy.Expr:
    """Theorem 3.2, eq. (11), for any number of features: pairs in different blocks are independent."""
    scale = exp(-2 * x**2 - 2 * y**2)
    return scale / m * ((exp(2 * v**2) - exp(v**2)) + PAIRS / m * (conformity - exp(v**2)))


MSE_VARIABLES = (PAIR_DIMENSION, FEATURES, SUM_NORM, X_NORM, Y_NORM)


def _mse_ball(d: int, m: int, v: arb, x: arb, y: arb, conformity: arb) -> arb:
    mean = (v * v).exp()
    pairs = arb(coupled_pairs(m, d)) / m
    return (-2 * (x * x + y * y)).exp() / m * (mean * (v * v).expm1() + pairs * (conformity - mean))


def conformity_ball(d: int, v: arb, c: arb) -> arb:
    """Conformity of a pair at this cosine by its quickest way.

    Examples
    --------
    >>> conformity_ball(2, arb(2), arb(0)).overlaps(3 * arb(2).exp())
    True
    """
    # either is right: both are the conformity at cosine 0
    return orf_conformity_ball(d, v) if c.is_zero() else angle_conformity_ball(d, v, c)


SECOND = "second central moment from joint moments"


def _by_moments(coupling: str, m: int, v: arb, x: arb, y: arb, d: int = 2) -> arb:
    """The MSE as second central moment of the relative estimate, times the squared kernel."""
    return (v * v - 2 * (x * x + y * y)).exp() * MOMENTS.central(coupling, 2, m, d, JointMoments, v=v)[2]


prf_mse_iid = register(Formula(name="prf_mse_iid",
    says="MSE of the positive-feature estimate of the Gaussian kernel, independent projections",
    source="simplex.thm3.2 (11), simplex.lem4.1", variables=(FEATURES, SUM_NORM, X_NORM, Y_NORM),
    expression=exp(-2 * x**2 - 2 * y**2) / m * (exp(2 * v**2) - exp(v**2)), conditions=(TRIANGLE,),
    routes=(
        Route("relative variance", lambda m, v, x, y: (v * v - 2 * (x * x + y * y)).exp() / m * (v * v).expm1(),
            "K^2 (exp(v^2) - 1)/m"),
        Route("moments", partial(_by_moments, "iid"), SECOND, within(v=4, m=4096))),
    fast="relative variance"))  # fmt: skip


def _coupled_mse(
    name: str, coupling: str, theorem: str, conformity: Formula, route: str, reach: int, **more: Any
) -> Formula:
    def fast(d: int, m: int, v: arb, x: arb, y: arb) -> arb:
        c = block_cosine(coupling, d)
        assert c is not None
        return _mse_ball(d, m, v, x, y, conformity_ball(d, v, c))

    return register(Formula(
        name=name, says=f"MSE of the positive-feature estimate of the Gaussian kernel, {BLOCKS[coupling]}",
        source=f"simplex.thm3.2 (11), {theorem}", variables=MSE_VARIABLES, expression=_mse(conformity.expression),
        conditions=(TRIANGLE,), fast=route, **more,
        routes=(
            Route(route, fast, "with the fast conformity"),
            Route("moments", partial(_by_moments, coupling), SECOND, within(v=reach)),
        ),
    ))  # fmt: skip


prf_mse_orf = _coupled_mse("prf_mse_orf", "orthogonal", "simplex.thm4.3 (23)", orf_conformity, "kummer", 4)
prf_mse_simrf = _coupled_mse("prf_mse_simrf", "simplex", "simplex.thm4.3 (24)", simrf_conformity, "positive ladder",
    2, practical=within(v=4))  # fmt: skip


# ---- orthogonality gap -----------------------------------------------------------------------------


def _gap_terms(d: int, v: arb) -> Iterator[tuple[arb, arb]]:
    """(e_k, v^(2k)/k! e_k) with e_k = 1 - (d)_k/(2^k (d/2)_k), the series of eq. (69)."""
    product, power, n = arb(1), arb(1), 0
    defect = arb(0)
    while True:
        yield defect, power * defect
        defect = defect + product * n / (d + 2 * n)  # e_{n+1} - e_n = P_n n/(d + 2n), without cancellation
        product = product * (d + n) / (d + 2 * n)
        power = power * v * v / (n + 1)
        n += 1


def conformity_gap_ball(d: int, v: arb) -> arb:
    """rho_IIDRF - rho_ORF by the series (69): all terms positive from k = 2 on.

    Examples
    --------
    >>> conformity_gap_ball(2, arb(2)).overlaps(arb(4).exp() - 3 * arb(2).exp())
    True
    """
    defects: list[arb] = []

    def terms() -> Iterator[arb]:
        for defect, term in _gap_terms(d, v):
            defects.append(defect)
            yield term

    def ratio(n: int) -> arb:
        # e_k increases to at most 1, so terms shrink at least by v^2/((n+1) e_n) from index n >= 2 on
        return arb.pos_inf() if n < 2 else (v * v / ((n + 1) * defects[n])).upper()

    # either is right: the sum near v = 0 is that of its terms
    return certified_sum(terms(), ratio) if not v.is_zero() else arb(0)


prf_gap = register(Formula(name="prf_gap",
    says="orthogonality gap of positive features: MSE of independent minus MSE of orthogonal projections",
    source="simplex.cor4.4 (69); (25) as printed lacks 2^k", variables=MSE_VARIABLES,
    expression=exp(-2 * x**2 - 2 * y**2) * PAIRS / m**2 * (exp(v**2) - orf_conformity.expression),
    conditions=(TRIANGLE,),
    routes=(
        Route("series (69)", lambda d, m, v, x,
            y: ((-2 * (x * x + y * y)).exp() * coupled_pairs(m, d) / arb(m) ** 2 * conformity_gap_ball(d, v)),
            "the second form of (69), positive terms"),
        Route("moments", lambda d, m, v, x,
            y: ((-2 * (x * x + y * y)).exp() * coupled_pairs(m, d) / arb(m) ** 2
                * ((v * v).exp() - joint_moment((1, 1), d, v * v, arb(0)))),
            "difference with the moment expansion", within(v=4))),
    fast="series (69)"))  # fmt: skip

PRINTED_GAP = (exp(-2 * x**2 - 2 * y**2) * (m - 1) / m
    * (exp(v**2) - gamma(d / 2) / gamma(d)
        * Sum(v ** (2 * k) / factorial(k) * gamma(k + d) / gamma(k + d / 2), (k, 0, oo))))  # fmt: skip
"""Eq. (25) as printed: the factor 2^k under v^(2k) is missing."""


# ---- small v (Sec. 5.1) ----------------------------------------------------------------------------

prf_small_v_simrf = register(Formula(name="prf_small_v_simrf",
    says="coefficient of v^2 in m exp(2|x|^2 + 2|y|^2) MSE for simplex projections",
    source="simplex.s5.smallv, simplex.s5.prefactor", variables=(PAIR_DIMENSION, FEATURES),
    expression=1 - PAIRS / (m * (d - 1)) * sqrt(sympy.pi) * gamma(d + 1) * gamma((d + 1) / 2)
        / (gamma(d / 2) * gamma(d / 2 + 1) ** 2 * 2**d),
    routes=(
        Route("gamma ratio", lambda d, m: 1 - arb(coupled_pairs(m, d)) / (m * (d - 1)) * mean_sine(d),
            "E sin(2 phi) = (2/d) (Gamma((d+1)/2)/Gamma(d/2))^2"),
        Route("second moment of |w_ij|", lambda d, m: 1 + arb(coupled_pairs(m, d)) / m * _first_order(d),
            "E|w_ij|^2/(2 d) - 1, with E r^2 = d, E r from the chi law")),
    fast="gamma ratio"))  # fmt: skip


def _overhang_bound(d: int) -> arb:
    """The same with integer powers and one root."""
    base = (arb(d) / 2) ** d * (arb(d) / (2 * d - 2)) ** (d * (d - 1))
    return 2 * base.sqrt() / (arb(1).exp() * (d - 2))


_ROWS = replace(PAIR_DIMENSION, low=3)
prf_small_v_plus_bound = register(Formula(name="prf_small_v_plus_bound",
    says="bound of the coefficient of v^2 in d exp(2|x|^2 + 2|y|^2) MSE for SimRFs+ with the shortest resultant, m = d",
    source="simplex.added.plus-gain", variables=(_ROWS,),
    expression=2 / (E * (d - 2)) * (d / 2) ** (d / 2) * (d / (2 * (d - 1))) ** (d * (d - 1) / 2),
    routes=(
        Route("logarithms", exp(log(2) - 1 - log(d - 2) + d / 2 * log(d / 2) - d * (d - 1) / 2 * log(2 - 2 / d),
            evaluate=False), "summed"),
        Route("integer powers", _overhang_bound, "one square root"))))  # fmt: skip


def _first_order(d: int) -> arb:
    mean = chi_moments(d, 2)[1]
    return mean * mean * simplex_cosine(d) / d


PRINTED_SMALL_V = {
    "a": 1 - sqrt(sympy.pi) * gamma(d + 1) * gamma(d / 2 + Rational(1, 2))
        / (gamma(d / 2) * gamma(d / 2 + 1) * 2 ** (2 * d)),
    "b": 1 - sqrt(sympy.pi) * gamma(d + 1) * gamma(d / 2 + Rational(1, 2))
        / (gamma(d / 2) * gamma(d / 2 + 1) ** 2 * 2**d),
    "c": 1 - sqrt(sympy.pi) * gamma(d + 1) * gamma(d / 2 + Rational(1, 2)) / (
        gamma(d / 2) * gamma(d / 2 + 1) * 4 * d)}  # fmt: skip
"""The prefactor of Sec. 5.1 in the three readings of its denominator, whose typesetting is ambiguous in print."""


# ---- higher moments --------------------------------------------------------------------------------

RELATIVE_ERROR = sympy.Function("E")((sympy.Symbol("K_hat") / sympy.Symbol("K") - 1) ** n)
"""The definition of a central moment of the relative estimate, an expectation."""


def _single(v: arb, d: int = 2) -> PairMoment:
    """Moments E b^a = exp((a^2 - a) v^2/2) of one relative feature b = exp(w.v - v^2/2)."""
    return lambda weights: (arb(weights[0] ** 2 - weights[0]) * v * v / 2).exp()


def _relative_variance(c: arb, d: int, m: int, v: arb) -> arb:
    excess = conformity_ball(d, v, c) * (-v * v).exp() - 1
    return (v * v).expm1() / m + arb(coupled_pairs(m, d)) / arb(m) ** 2 * excess


def _binomial_central(n: int, m: int, v: arb) -> arb:
    single = _single(v)
    centred = [
        sum((math.comb(a, j) * (-1) ** (a - j) * single((j,)) for j in range(1, a + 1)), arb((-1) ** a))
        for a in range(n + 1)
    ]
    total = arb(0)
    for pattern in partitions(n):
        term = arb(arrangements(pattern, m))
        for a in pattern:
            term *= centred[a]
        total += term
    return total / arb(m) ** n


MOMENTS = Moments(says="K^/K, positive features", expression=RELATIVE_ERROR,
    names=("prf_moment_iid", "prf_moment_orf", "prf_moment_simrf"),
    sources=tuple(f"ours; n = 2 is simplex.thm3.2{by}" for by in ("", " with (23)", " with (24)")),
    variables=(ORDER, PAIR_DIMENSION, FEATURES, SUM_NORM), alone=(ORDER, FEATURES, SUM_NORM), norm="v",
    joint=lambda table, c, order, d, v: positive_joint(d, v, c, order, table),
    single=("cumulants", _single, "cumulants of one feature, over m^(n-1)"),
    variance=("conformity", _relative_variance), reach=16,
    more={"iid": (Route("binomial", _binomial_central,
        "E (b_1 + ... + b_m - m)^n over patterns of coinciding indices", within(m=64)),)})  # fmt: skip
prf_moment_iid, prf_moment_orf, prf_moment_simrf = MOMENTS.formulas()
