"""Geometry of coupled projections at known norms: conformity, truncated objective, SimRF+, and what follows from it.

For projections w_1, ..., w_m with resultant S = w_1 + ... + w_m the truncated objective (15) of Reid et al. 2023 is
v^2/(d m (m-1)) ((m-2) sum |w_i|^2 + |S|^2): at given norms only |S| matters, and its minimum is the longest norm
minus the sum of the others, or 0 where that is negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import sympy
from flint import arb
from sympy import Integral, Max, Rational, Sum, besseli, binomial, exp, gamma, hyper, pi, sin

from rftheory.errors import OutsideDomain
from rftheory.exact.conformity import (
    SIMPLEX_COSINE,
    angle_conformity_ball,
    orf_conformity,
    orf_conformity_ball,
    simplex_cosine,
    simrf_conformity,
    within,
)
from rftheory.exact.enclosure import Enclosure, Exact, certified_integral, certify, exact_number
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import Condition, Formula, Route, Variable, register
from rftheory.exact.moments import coupled_pairs
from rftheory.exact.positive import PAIRS, conformity_gap_ball, prf_mse_iid, prf_mse_orf, prf_mse_simrf
from rftheory.exact.special import chi_moments, mean_sine_powers
from rftheory.exact.symbols import (
    COSINE,
    FEATURES,
    PAIR_DIMENSION,
    POSITIVE_SUM_NORM,
    SUM_NORM,
    c,
    d,
    k,
    m,
    phi,
    v,
    w,
)
from rftheory.exact.top_average import mean_sine

# ---- conformity at given norms ---------------------------------------------------------------------

a, b = sympy.symbols("a b", nonnegative=True)
FIRST_NORM, SECOND_NORM = Variable(a, "|w_i|", low=0), Variable(b, "|w_j|", low=0)
RESULTANT_SQUARE = a**2 + b**2 + 2 * a * b * c

norms_pair_conformity = register(Formula(name="norms_pair_conformity",
    says="mean of exp((w_i + w_j).v) over rotations, for norms a, b at the angle of cosine c",
    source="simplex.eq12 (12)", variables=(PAIR_DIMENSION, SUM_NORM, FIRST_NORM, SECOND_NORM, COSINE),
    expression=hyper((), (d / 2,), v**2 * RESULTANT_SQUARE / 4),
    routes=(
        Route("series (12)",
            gamma(d / 2)
                * Sum(v ** (2 * k) * RESULTANT_SQUARE**k / (2 ** (2 * k) * sympy.factorial(k) * gamma(k + d / 2)),
                (k, 0, sympy.oo)),
            "the printed series", within(v=20)),
        Route("polar integral", lambda d, v, a, b, c: _polar(d, v * (a * a + b * b + 2 * a * b * c).sqrt()),
            "average of exp(t cos(angle)) over the sphere"))))  # fmt: skip


def _polar(d: int, t: arb) -> arb:
    weighted = certified_integral(lambda x, _: (t * x.cos()).exp() * x.sin() ** (d - 2), 0, arb.pi())
    return (weighted / certified_integral(lambda x, _: x.sin() ** (d - 2), 0, arb.pi())).real


def iid_conformity_at_norms(d: int, v: Exact, norms: Sequence[Exact], digits: int = 30) -> Enclosure:
    """Eq. (12) averaged over independent isotropic directions: mean over pairs of f(|w_i|, v) f(|w_j|, v).

    Examples
    --------
    >>> iid_conformity_at_norms(6, 1, [1, 2, 3]).text(10)
    '2.137880516'
    """
    speed = exact_number(v, "v")
    exact = [exact_number(n, "norms") for n in norms]
    if d < 2 or len(exact) < 2:
        raise OutsideDomain("iid_conformity_at_norms", needs="d >= 2 and two norms", got=(d, len(exact)))

    def mean() -> arb:
        factors = [(evaluate(speed * n) ** 2 / 4).real.hypgeom_0f1(arb(d) / 2) for n in exact]
        total = sum(factors, arb(0))
        squares = sum((f * f for f in factors), arb(0))
        return (total * total - squares) / (len(exact) * (len(exact) - 1))

    return certify(mean, digits, "iid_conformity_at_norms")


# ---- equal norms: Lemma A.1 --------------------------------------------------------------------------

SIMPLEX_SIZE = Condition("m <= d + 1", sympy.Le(m, d + 1))
COUNT = Variable(m, "number of vectors", integer=True, low=2)
COMMON_NORM = Variable(w, "common norm of the vectors", low=0)

equal_norm_optimum = register(Formula(name="equal_norm_optimum",
    says="smallest conformity of m vectors of equal norm w, attained by the regular simplex",
    source="simplex.lemA.1 (40)", variables=(PAIR_DIMENSION, SUM_NORM, COMMON_NORM, COUNT),
    expression=hyper((), (d / 2,), v**2 * w**2 * (m - 2) / (2 * (m - 1))),
    routes=(
        Route("pair at the simplex angle", norms_pair_conformity.expression.subs({a: w, b: w, c: -1 / (m - 1)}),
            "all pairs subtend the angle of cosine -1/(m-1)"),
        Route("series (37)",
            gamma(d / 2)
                * Sum(
                (v * w) ** (2 * k) * (2 * (m - 2) / (m - 1)) ** k
                    / (2 ** (2 * k) * sympy.factorial(k) * gamma(k + d / 2)),
                (k, 0, sympy.oo)),
            "f of (37) at the mean square 2(m-2)/(m-1)",
            lambda values: bool(values["m"] > 2 and values["v"] * values["w"] <= 40))),
    conditions=(SIMPLEX_SIZE,)))  # fmt: skip


# ---- truncated objective and SimRF+ ------------------------------------------------------------------

square_sum, resultant = sympy.symbols("square_sum resultant", nonnegative=True)
longest, total = sympy.symbols("longest total", nonnegative=True)

truncated_objective = register(Formula(name="truncated_objective",
    says="truncated objective of vectors with sum of squared norms square_sum and |sum w_i| = resultant",
    source="simplex.eq15 (15)",
    variables=(PAIR_DIMENSION, SUM_NORM, COUNT, Variable(square_sum, "sum of |w_i|^2", low=0),
        Variable(resultant, "|w_1 + ... + w_m|", low=0)),
    expression=v**2 / (d * m * (m - 1)) * ((m - 2) * square_sum + resultant**2),
    routes=(
        Route("eq. (15)",
            gamma(d / 2) * v**2 / (4 * m * (m - 1) * gamma(1 + d / 2))
                * (2 * (m - 1) * square_sum + 2 * (resultant**2 - square_sum)),
            "sum over i != j of |w_i|^2 + |w_j|^2 and of 2 w_i.w_j = |S|^2 - sum |w_i|^2"),
        Route("second derivative", lambda d, v, m, square_sum,
            resultant: (
                v * v / (2 * arb(d)) * (2 * square_sum / m + 2 * (resultant**2 - square_sum) / (m * (m - 1)))),
            "mean over pairs of |w_ij|^2 v^2/(2 d), the first term of 0F1(; d/2; v^2 |w_ij|^2/4)")),
    conditions=(Condition("resultant^2 <= m square_sum", sympy.Le(resultant**2, m * square_sum)),)))  # fmt: skip

minimal_resultant = register(Formula(name="minimal_resultant",
    says="smallest |sum w_i| of vectors with given norms (SimRF+), from the longest norm and their total",
    source="simplex.eq16",
    variables=(Variable(longest, "largest norm", low=0), Variable(total, "sum of all norms", low=0)),
    expression=Max(0, 2 * longest - total),
    routes=(
        Route("piecewise", sympy.Piecewise((2 * longest - total, 2 * longest > total), (0, True)),
            "antialigned where one norm exceeds the others together, else a closed loop"),
        Route("absolute value", (2 * longest - total + sympy.Abs(2 * longest - total)) / 2,
            "the positive part of longest - (total - longest)")),
    conditions=(Condition("longest <= total", sympy.Le(longest, total)),)))  # fmt: skip


simrf_resultant_square = register(Formula(name="simrf_resultant_square",
    says="E|w_1 + ... + w_d|^2 of a simplex block: d times the variance of chi_d (d^2 for ORF and iid)",
    source="simplex.eq15, simplex.s3.wij-smaller", variables=(PAIR_DIMENSION,),
    expression=d * (d - 2 * gamma((d + 1) / 2) ** 2 / gamma(d / 2) ** 2),
    routes=(
        Route("chi moments", lambda d: d * (d - chi_moments(d, 2)[1] ** 2),
            "E|S|^2 = d E r^2 + d (d-1) c (E r)^2 with c = -1/(d-1)"),
        Route("angle integral",
            d**2 - d**2 * Integral(sin(phi) ** d, (phi, 0, pi)) / Integral(sin(phi) ** (d - 1), (phi, 0, pi)),
            "(E r)^2 = d E sin(2 phi)"))))  # fmt: skip

# ---- moments of |w_i + w_j| ---------------------------------------------------------------------------

n = sympy.Symbol("n", integer=True, nonnegative=True)
p = sympy.Symbol("p", integer=True, nonnegative=True)
MEAN_SINE_POWER = gamma((d + p) / 2) * gamma((d + 1) / 2) / (gamma(d / 2) * gamma((d + p + 1) / 2))
"""E s^p, s = sin(2 phi) with tan(phi) = |w_i|/|w_j|."""

resultant_moment = register(Formula(name="resultant_moment",
    says="E|w_i + w_j|^(2n) for a pair of chi_d norms at the angle of cosine c", source="simplex.eq13, simplex.fn4",
    variables=(PAIR_DIMENSION, Variable(n, "half the order", integer=True, low=0, high=200), COSINE),
    expression=2**n * gamma(d + n) / gamma(d) * Sum(binomial(n, p) * c**p * MEAN_SINE_POWER, (p, 0, n)),
    routes=(Route("norms", lambda d, n, c: _moment_by_norms(d, n, c), "E (r^2 + q^2 + 2 c r q)^n expanded"),
        Route("recurrence", lambda d, n, c: _moment_by_recurrence(d, n, c),
            "Taylor coefficients of the conformity: rho = sum_n v^(2n) E|w_ij|^(2n)/(4^n n! (d/2)_n)"))))  # fmt: skip


def _moment_by_norms(d: int, n: int, c: arb) -> arb:
    chi = chi_moments(d, 2 * n + 1)
    total = arb(0)
    for j in range(n + 1):
        inner = sum(
            (
                arb(int(sympy.binomial(n - j, i))) * chi[2 * i + j] * chi[2 * (n - j - i) + j]
                for i in range(n - j + 1)
            ),
            arb(0),
        )
        total += arb(int(sympy.binomial(n, j))) * (2 * c) ** j * inner
    return total


def _moment_by_recurrence(d: int, n: int, c: arb) -> arb:
    """Powers of 1 + c s as repeated products with moments of s that obey E s^(p+2) = E s^p (d+p)/(d+p+1)."""
    row = mean_sine_powers(d, n + 2)
    for _ in range(n):
        row = [x + c * y for x, y in pairwise(row)]
    return 2**n * arb(d).rising(arb(n)) * row[0] if n else arb(1)


# ---- finite closed forms for even d ----------------------------------------------------------------------

EVEN = Condition("even d", sympy.Eq(sympy.Mod(d, 2), 0))

orf_conformity_even = register(Formula(name="orf_conformity_even",
    says="RF-conformity of orthogonal projections in even dimension: e^z times a polynomial, z = v^2/2",
    source="simplex.thm4.3 (23)", variables=(PAIR_DIMENSION, SUM_NORM),
    expression=exp(v**2 / 2)
        * Sum(binomial(d / 2, k) * gamma(d / 2) / gamma(d / 2 + k) * (v**2 / 2) ** k, (k, 0, d / 2)),
    routes=(Route("hypergeometric", orf_conformity.expression, "1F1(d; d/2; v^2/2)"),
        Route("kummer", orf_conformity_ball, "e^z 1F1(-d/2; d/2; -z)")),
    conditions=(EVEN,), fast="kummer"))  # fmt: skip

j = sympy.Symbol("j", integer=True, nonnegative=True)
_z = v**2 / 2
_kappa = SIMPLEX_COSINE * _z


def _tilted_sine(power: sympy.Expr) -> sympy.Expr:
    """E s^j e^(kappa s) as two 1F2, from the even and the odd powers of kappa."""
    h = d + power
    even = hyper((h / 2,), (Rational(1, 2), (h + 1) / 2), _kappa**2 / 4)
    odd = hyper(((h + 1) / 2,), (Rational(3, 2), (h + 2) / 2), _kappa**2 / 4)
    return MEAN_SINE_POWER.subs(p, power) * even + _kappa * MEAN_SINE_POWER.subs(p, power + 1) * odd


simrf_conformity_even = register(Formula(name="simrf_conformity_even",
    says="RF-conformity of simplex projections in even dimension: a finite sum of 1F2 functions",
    source="simplex.thm4.3 (24)", variables=(PAIR_DIMENSION, SUM_NORM),
    expression=exp(_z)
        * Sum(
        binomial(d / 2, k) * gamma(d / 2) / gamma(d / 2 + k) * _z**k
            * Sum(binomial(k, j) * SIMPLEX_COSINE**j * _tilted_sine(j), (j, 0, k)),
        (k, 0, d / 2)),
    routes=(
        Route("positive ladder", lambda d, v: angle_conformity_ball(d, v, simplex_cosine(d)),
            "as for simrf_conformity"),
        Route("angle integral", simrf_conformity.expression, "eq. (21)", within(v=20))),
    conditions=(EVEN,), fast="positive ladder"))  # fmt: skip


def _struve_l(order: int) -> sympy.Expr:
    """Modified Struve functions L_0 and L_1 of z as 1F2."""
    if order == 0:
        return 2 * _z / pi * hyper((1,), (Rational(3, 2), Rational(3, 2)), _z**2 / 4)
    return 2 * _z**2 / (3 * pi) * hyper((1,), (Rational(3, 2), Rational(5, 2)), _z**2 / 4)


simrf_conformity_plane = register(Formula(name="simrf_conformity_plane",
    says="RF-conformity of simplex projections at d = 2 by Bessel and Struve functions, z = v^2/2",
    source="simplex.thm4.3 (24) at d = 2", variables=(SUM_NORM,),
    expression=exp(_z) * (1 + _z - pi / 2 * _z * (besseli(0, _z) + besseli(1, _z) - _struve_l(0) - _struve_l(1))),
    routes=(Route("positive ladder", lambda v: angle_conformity_ball(2, v, arb(-1)), "as for simrf_conformity"),
        Route("angle integral",
            Integral(sin(phi) * (1 + _z * (1 - sin(phi))) * exp(_z * (1 - sin(phi))), (phi, 0, pi / 2)),
            "E F(z (1 - s)) with F(x) = (1 + x) e^x")),
    fast="positive ladder"))  # fmt: skip

# ---- ratios of mean square errors --------------------------------------------------------------------------


def _ratio(conformity: sympy.Expr) -> sympy.Expr:
    return 1 - PAIRS / m * (exp(v**2) - conformity) / (exp(2 * v**2) - exp(v**2))


def _quotient(coupled: Formula) -> sympy.Expr:
    """Quotient of the MSEs at |x| = |y| = v/2; any other norms give the same."""
    at = {sympy.Symbol("x", nonnegative=True): v / 2, sympy.Symbol("y", nonnegative=True): v / 2}
    return coupled.expression.subs(at) / prf_mse_iid.expression.subs(at)


def _ratio_ball(d: int, m: int, v: arb, fall: arb) -> arb:
    return 1 - arb(coupled_pairs(m, d)) / m * fall / ((v * v).exp() * (v * v).expm1())


prf_ratio_orf = register(Formula(name="prf_ratio_orf",
    says="MSE of orthogonal over MSE of independent positive features; depends on the data through v alone",
    source="simplex.s5.ratio, simplex.fig6", variables=(PAIR_DIMENSION, FEATURES, POSITIVE_SUM_NORM),
    expression=_ratio(orf_conformity.expression),
    routes=(Route("quotient", _quotient(prf_mse_orf), "prf_mse_orf / prf_mse_iid"),
        Route("gap series", lambda d, m, v: _ratio_ball(d, m, v, conformity_gap_ball(d, v)),
            "rho_iid - rho_orf as a series of positive terms", within(v=40)))))  # fmt: skip

prf_ratio_simrf = register(Formula(name="prf_ratio_simrf",
    says="MSE of simplex over MSE of independent positive features; depends on the data through v alone",
    source="simplex.s5.ratio, simplex.fig6", variables=(PAIR_DIMENSION, FEATURES, POSITIVE_SUM_NORM),
    expression=_ratio(simrf_conformity.expression),
    routes=(Route("quotient", _quotient(prf_mse_simrf), "prf_mse_simrf / prf_mse_iid", within(v=20)),
        Route("positive ladder", lambda d, m,
            v: _ratio_ball(d, m, v, (v * v).exp() - angle_conformity_ball(d, v, simplex_cosine(d))),
            "with the conformity of the fast route")),
    fast="positive ladder"))  # fmt: skip

prf_ratio_simrf_zero = register(Formula(name="prf_ratio_simrf_zero", says="limit of prf_ratio_simrf as v -> 0",
    source="simplex.s5.smallv, simplex.fig6", variables=(PAIR_DIMENSION, FEATURES),
    expression=1 - PAIRS / (m * (d - 1)) * MEAN_SINE_POWER.subs(p, 1),
    routes=(
        Route("chi moments", lambda d,
            m: 1 - arb(coupled_pairs(m, d)) / (m * (d - 1)) * chi_moments(d, 2)[1] ** 2 / d,
            "(E r)^2/d = E sin(2 phi)"),
        Route("gamma ratio", lambda d, m: 1 - arb(coupled_pairs(m, d)) / (m * (d - 1)) * mean_sine(d),
            "E sin(2 phi) by Gamma functions")),
    fast="gamma ratio"))  # fmt: skip
