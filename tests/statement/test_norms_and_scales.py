"""Norms at opposite quantiles, scaled inputs, balls, correlations and weights: true claims beside false ones."""

import pytest
from sympy import Symbol, hyper, symbols

from rftheory.author import (
    O,
    Rational,
    Rows,
    conformity,
    coupling,
    covariance,
    d,
    exp,
    gaussian,
    i,
    iid,
    limit,
    m,
    mse,
    oo,
    orthogonal,
    orthogonal_fixed,
    positive,
    simplex,
    sqrt,
    trigonometric,
    v,
    variance,
    z,
)  # fmt: skip
from rftheory.judge import Decision
from rftheory.statement.settle import alone
from rftheory.statement.words import Claim
from tests.statement.stating import stated

OPPOSITE = coupling("test-opposite", rows=[Rows(2, norm=0, reflected=i)], min_dim=2)
P, PO, T, TO = (f(rows, m=m) for f in (positive, trigonometric) for rows in (iid, orthogonal))
SOFT = positive(iid, m=m, kernel="softmax")
FIXED, SIMPLEX, QUARTER = trigonometric(orthogonal_fixed, m=m), positive(simplex, m=m), d ** Rational(1, 4)
u, w, b = symbols("u w b", nonnegative=True)
eps, s, c = *symbols("eps s", positive=True), Symbol("c", real=True)
FIRST, SECOND, BOTH = gaussian, exp(-(w**2) / 2), covariance(SIMPLEX, v=u, z=w, cosine=c)
ERROR, OTHER = mse(SIMPLEX), mse(SIMPLEX).at(v=u, z=w)
SHARED, SPREAD = covariance(FIXED, v=u, z=w, cosine=c), variance(FIXED) * variance(FIXED).at(z=w)
GAIN, SCALED = mse(P) - mse(PO), v / QUARTER
FOURTH = (conformity(OPPOSITE) - 1 - v**2) / v**4
WEIGHT, CHANGED = FIRST / (FIRST + SECOND), FIRST * (1 + eps) / (FIRST * (1 + eps) + SECOND * (1 - eps))
WAVES = limit(mse(T) / z**4, z, 0), limit(mse(TO) / z**4, z, 0)
BALL, IN_BALL, IN_NORM = v**2 + z**2 <= 4, v**2 + z <= 1, v**2 + z**2 <= 4 * s**2
TURNED = exp(-(z**2) / 2) * hyper([-d / 2], [d / 2], z**2 / 2)


@pytest.mark.parametrize(
    ("true", "false", "over"),
    [
        (conformity(OPPOSITE) == exp(v**2) * (1 - v**4 / d + O(1 / d**2)),
         conformity(OPPOSITE) == exp(v**2) * (1 - v**4 / (2 * d) + O(1 / d**2)), ()),
        (limit(FOURTH, v, 0) < Rational(1, 2), limit(FOURTH, v, 0) == (d + 1) / (2 * (d + 2)), ()),
        (limit(mse(T).at(z=sqrt(2) * QUARTER), d, oo) == 1 / (2 * m), limit(mse(T).at(z=QUARTER), d, oo) == 1 / m, ()),
        (limit(exp(-sqrt(d) * v**2) * mse(P).at(v=v * QUARTER, z=0), d, oo) == 1 / m,
         limit(exp(-sqrt(d) * v**2) * mse(P).at(v=v * QUARTER, z=0), d, oo) == 0, (v > 0,)),
        (limit(exp(sqrt(d) * (v - z)), d, oo) == 0, limit(exp(sqrt(d) * (v - z)), d, oo) == 1, (v < z,)),
        (limit(d**2 * GAIN.at(v=SCALED), d, oo) == (m - 1) * v**4 * exp(-(z**2)) / (2 * m),
         limit(d**2 * GAIN.at(v=SCALED), d, oo) == (m - 1) * v**4 * exp(-(z**2)) / m, ()),
        (mse(P) <= (exp(4) - 1) / m, mse(P) <= (exp(3) - 1) / m, (BALL,)),
        (mse(P) <= eps**2, mse(P) <= eps**2 / 9, (BALL, m >= exp(4) / eps**2)),
        (mse(SOFT) <= exp(6 * s**2) / m, mse(SOFT) <= exp(5 * s**2) / m, (IN_NORM,)),
        (mse(SOFT) <= eps**2, mse(SOFT) <= exp(-2 * s**2) * eps**2, (IN_NORM, m >= exp(6 * s**2) / eps**2)),
        (v <= 1, v < 1, (v**4 + z <= 1,)),
        (v**2 <= 1 - z, v**2 < 1 - z, (IN_BALL,)),
        (SHARED**2 <= SPREAD, 2 * SHARED**2 <= SPREAD, ()),
        (2 * b * BOTH <= ERROR + b**2 * OTHER, 3 * b * BOTH <= ERROR + b**2 * OTHER, ()),
        (abs(BOTH) <= sqrt(ERROR * OTHER), 2 * abs(BOTH) <= sqrt(ERROR * OTHER), ()),
        (WEIGHT * (1 + eps) / (1 - eps) >= CHANGED, WEIGHT * (1 + eps) >= CHANGED, (eps < 1,)),
        (limit(s**4 * mse(TO).at(z=z / s), s, oo) == z**4 * (d - m + 3) / (2 * m * (d + 2)),
         limit(s**4 * mse(TO).at(z=z / s), s, oo) == z**4 / (2 * m), (m <= d,)),
        (WAVES[0] >= WAVES[1], WAVES[0] > WAVES[1], ()),
        (mse(trigonometric(orthogonal, m=2)) == mse(trigonometric(iid, m=2)) + (TURNED - exp(-(z**2))) / 2,
         mse(trigonometric(orthogonal, m=2)) == mse(trigonometric(iid, m=2)) + TURNED - exp(-(z**2)), (d >= 2,)),
    ],
    ids=lambda said: str(said)[:80],
)  # fmt: skip
def test_a_true_claim_beside_a_false_one(true: Claim, false: Claim, over: tuple[object, ...]) -> None:
    assert [alone(stated(claim, *over)) for claim in (true, false)] == [Decision.HOLDS, Decision.FAILS]
