"""Better hybrids: sharp asymptotics of the largest error, best weights, best splits, coupled coefficients.

None of these results is in the source. With A = sinh^2(2 r^2 cos^2(theta/2)), B = sinh^2(2 r^2 sin^2(theta/2)) and
p = theta/pi the squared relative error of the angular hybrid on the sphere of radius r is (2/m)(alpha + beta/n),
alpha = p^2 A + (1-p)^2 B and beta = p (1-p)(A + B).
"""

from __future__ import annotations

from dataclasses import replace

import sympy
from flint import arb
from sympy import E, Min, Rational, cosh, exp, pi, sinh, sqrt

from rftheory.exact.angular import COSINE2, P_ANGLE, RADIUS, SINE2, W, _inside, r
from rftheory.exact.complex_exponential import COEFFICIENT_FEATURES, n
from rftheory.exact.exponential import monotone_root
from rftheory.exact.formula import Formula, Route, Variable, register
from rftheory.exact.hybrid import ANGLE, theta
from rftheory.exact.symbols import DIMENSION, FEATURES, d, m

A_PART = sinh(2 * r**2 * COSINE2) ** 2
B_PART = sinh(2 * r**2 * SINE2) ** 2
ALPHA = P_ANGLE**2 * A_PART + (1 - P_ANGLE) ** 2 * B_PART
BETA = P_ANGLE * (1 - P_ANGLE) * (A_PART + B_PART)
LEADING = (1 - 1 / n) / (E * pi**2 * r**2) + 1 / (sqrt(2 * E) * n * pi * r)
"""Q(r, n), the leading term of (m/2) (largest error)^2/sinh^2(2 r^2), exact for n = 1 and as n -> oo."""

_ARC = (RADIUS, ANGLE)
_OPEN_ARC = (RADIUS,
    Variable(theta, "angle between x and y; the value is infinite at 0 and pi", above=0, below=pi))  # fmt: skip


def _smaller(a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
    """The minimum, without sympy's attempt to decide it, which takes long and does not succeed."""
    return Min(a, b, evaluate=False)


_LARGEST = (RADIUS, FEATURES, COEFFICIENT_FEATURES)

angular_asymptote = register(Formula(name="angular_asymptote",
    says="asymptote of the largest relative error of the angular hybrid for large r, within 3 percent for every n",
    source="hybrid.added.asymptotics", variables=_LARGEST, expression=W / sqrt(2 * m) * sqrt(LEADING),
    routes=(
        Route("saddles", sinh(2 * r**2) * sqrt(2 * (n - 1 + pi * r * sqrt(E / 2)) / (E * pi**2 * n * m)) / r,
            "one root: t^2 exp(-t^2) at t = 1, t exp(-t^2) at t = 1/sqrt(2)"),
        Route("exponentials", exp(2 * r**2) * (1 - exp(-4 * r**2)) * sqrt(LEADING / (2 * m)),
            "W written out"))))  # fmt: skip

angular_near_bound = register(Formula(name="angular_near_bound",
    says="near-sharp bound of the largest relative error of the angular hybrid for all r > 0, m, n",
    source="hybrid.added.near-bound", variables=_LARGEST,
    expression=W / sqrt(2 * m)
        * sqrt((1 - 1 / n) * _smaller(Rational(1, 8), 8 / (5 * E * pi**2 * r**2))
            + _smaller(Rational(1, 4), 9 / (8 * sqrt(2 * E) * pi * r)) / n),
    routes=(
        Route("cases", lambda r, m, n: _near_bound(r, m, n), "the smaller of two constants and two powers, in balls"),
        Route("ratio",
            sqrt(2 / m) * sinh(2 * r**2) / r
                * sqrt(
                ((n - 1) * _smaller(r**2 / 8, 8 / (5 * E * pi**2))
                    + _smaller(r**2 / 4, 9 * r / (8 * sqrt(2 * E) * pi))) / n),
            "r taken out"))))  # fmt: skip


def _near_bound(r: arb, m: int, n: int) -> arb:
    e, circle = arb(1).exp(), arb.pi()
    square = (arb(1) / 8).min(8 / (5 * e * (circle * r) ** 2))
    plain = (arb(1) / 4).min(9 / (8 * (2 * e).sqrt() * circle * r))
    return 2 * (2 * r * r).sinh() * ((square * (n - 1) + plain) / (2 * arb(m) * n)).sqrt()


bipolar_best_weight = register(Formula(name="bipolar_best_weight",
    says="weight of P in the bipolar hybrid of least variance, |x| = |y| = r", source="hybrid.added.weight",
    variables=_ARC, expression=B_PART / (A_PART + B_PART),
    routes=(
        Route("logistic", 1 / (1 + (sinh(2 * r**2 * COSINE2) / sinh(2 * r**2 * SINE2)) ** 2),
            "by the ratio of the errors", _inside),
        Route("double angle", (cosh(4 * r**2 * SINE2) - 1) / (cosh(4 * r**2 * SINE2) + cosh(4 * r**2 * COSINE2) - 2),
            "2 sinh^2 u = cosh 2u - 1", _inside))))  # fmt: skip

bipolar_best_error = register(Formula(name="bipolar_best_error",
    says="relative error of the bipolar hybrid with its best weight, |x| = |y| = r", source="hybrid.added.weight",
    variables=(*_ARC, FEATURES), expression=sqrt(2 / m * A_PART * B_PART / (A_PART + B_PART)),
    zero=sympy.Eq(theta, pi),
    routes=(Route("harmonic", sqrt(2 / m / (1 / A_PART + 1 / B_PART)), "half the harmonic mean", _inside),
        Route("at the weight",
            sqrt(2 / m)
                * sqrt(
                bipolar_best_weight.expression**2 * A_PART + (1 - bipolar_best_weight.expression) ** 2 * B_PART),
            "the error at the weight"))))  # fmt: skip

bipolar_best_max = register(Formula(name="bipolar_best_max",
    says="largest relative error over the sphere of the bipolar hybrid with its best weight: sinh(r^2)/sqrt(m)",
    source="hybrid.added.weight", variables=(RADIUS, FEATURES), expression=sinh(r**2) / sqrt(m),
    routes=(Route("at pi/2", bipolar_best_error.expression.subs(theta, pi / 2), "the value at a right angle"),
        Route("exponentials", (exp(r**2) - exp(-(r**2))) / (2 * sqrt(m)), "sinh written out"))))  # fmt: skip

angular_weight_loss = register(Formula(name="angular_weight_loss",
    says="MSE of the bipolar hybrid with the exact weight theta/pi over its least MSE, |x| = |y| = r",
    source="hybrid.added.weight", variables=_OPEN_ARC, expression=ALPHA * (A_PART + B_PART) / (A_PART * B_PART),
    routes=(
        Route("distance of the weights",
            1 + (P_ANGLE - bipolar_best_weight.expression) ** 2 * (A_PART + B_PART) ** 2 / (A_PART * B_PART),
            "1 + (difference of the weights)^2 (A + B)^2/(A B)", _inside),
        Route("ratios", P_ANGLE**2 * (1 + A_PART / B_PART) + (1 - P_ANGLE) ** 2 * (1 + B_PART / A_PART),
            "by the ratio of the errors", _inside))))  # fmt: skip

angular_best_split = register(Formula(name="angular_best_split",
    says="n (as a real number) of least MSE at a fixed length 4 m (n + 1) of the angular hybrid's feature map",
    source="hybrid.added.split", variables=_OPEN_ARC, expression=sqrt(BETA / ALPHA),
    routes=(
        Route("by weights",
            sqrt(P_ANGLE * (1 - P_ANGLE))
                * sqrt((A_PART + B_PART) / (P_ANGLE**2 * A_PART + (1 - P_ANGLE) ** 2 * B_PART)),
            "the parts written out"),
        Route("by the ratio",
            sqrt((1 + A_PART / B_PART) / (P_ANGLE / (1 - P_ANGLE) * A_PART / B_PART + (1 - P_ANGLE) / P_ANGLE)),
            "by the ratio of the errors", _inside))))  # fmt: skip

# ---- the best split on the whole sphere ------------------------------------------------------------------

cost = sympy.Symbol("C", positive=True)
_flat = 1 / (E * pi**2 * r**2)
_steep = 1 / (sqrt(2 * E) * pi * r) - _flat
_room = cost / d
_bend = _flat * (d + _room) + _steep
_odds = sqrt(E / 2) * pi * r - 1
"""beta/a for Q = a + beta/n."""


def _zero_of_slope(r: arb, d: int, C: arb) -> arb:
    """Zero of the derivative of (d + n) Q(r, n)/(C/d - n) times n^2 (C/d - n)^2/a, which increases in n."""
    odds, room = (arb(1).exp() / 2).sqrt() * arb.pi() * r - 1, C / d
    return monotone_root(
        lambda k: (d + room + odds) * k * k + 2 * d * odds * k - d * odds * room,
        (room / 2**20).mid(),
        room.mid(),
    )


sphere_split = register(Formula(name="sphere_split",
    says="n (a real number) of least leading term of the largest error at 4md + nd + 4mn = C multiplications",
    source="hybrid.added.split.operations",
    variables=(replace(RADIUS, low=1, above=None), DIMENSION,
        Variable(cost, "number of multiplications of the map", above=0)),
    expression=(sqrt(d**2 * _steep**2 + d * _steep * _room * _bend, evaluate=False) - d * _steep) / _bend,
    routes=(
        Route("by the ratio",
            d * (sqrt(1 + _room * (1 + (d + _room) / _odds) / d, evaluate=False) - 1) / (1 + (d + _room) / _odds),
            "by beta/a"),
        Route("stationary point", _zero_of_slope, "zero of the numerator of the derivative"))))  # fmt: skip

# ---- coefficients with orthogonal projections ------------------------------------------------------------


def _both_by_circle(theta: arb) -> arb:
    """Share of the directions phi with phi and phi + pi/2 in the two wedges of width theta."""
    excess = 2 * theta - arb.pi()
    return excess.max(arb(0)) / arb.pi()


orthogonal_signs_second = register(Formula(name="orthogonal_signs_second",
    says="E L^2 of the angular coefficient with two orthogonal projections in the plane (d = n = 2)",
    source="hybrid.added.orthogonal-signs", variables=(ANGLE,),
    expression=(P_ANGLE + sympy.Max(2 * P_ANGLE - 1, 0)) / 2,
    routes=(
        Route("wedges", lambda theta: (theta / arb.pi() + _both_by_circle(theta)) / 2,
            "two squares and the overlap of the wedges turned by pi/2"),
        Route("law", sympy.Piecewise((P_ANGLE / 2, Rational(1, 2) >= P_ANGLE), ((3 * P_ANGLE - 1) / 2, True)),
            "L is 0 or 1/2 for acute, 1/2 or 1 for obtuse angles"),
        Route("variance", P_ANGLE**2 + sympy.Min(P_ANGLE, 1 - P_ANGLE) * sympy.Abs(1 - 2 * P_ANGLE) / 2,
            "mean squared plus variance"))))  # fmt: skip
