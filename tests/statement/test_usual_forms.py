"""Forms in which articles state bounds: least and absolute values, enough features, crossovers, limits by bounds."""

from __future__ import annotations

import pytest
import sympy

from rftheory.author import (
    Max,
    Min,
    Rational,
    cosine,
    d,
    exp,
    gaussian,
    gerf,
    iid,
    limit,
    log,
    m,
    mean,
    mse,
    oo,
    oprf,
    orthogonal,
    orthogonal_fixed,
    positive,
    probability,
    tail,
    trigonometric,
    v,
    variance,
    z,
)
from rftheory.exact.bounds import diam, eps, sigma
from rftheory.exact.events import EVENTS
from rftheory.judge import Decision
from rftheory.statement.domain import Domain, points
from rftheory.statement.nearby import proposals_for
from rftheory.statement.search import search
from rftheory.statement.settle import alone
from rftheory.statement.words import Claim, claimed
from tests.statement.stating import assert_holds, assert_not_proved, stated

WAVES, ROWS = trigonometric(iid, m=m), trigonometric(orthogonal, m=m)
BUMPS, WIDE, BEST = positive(iid, m=m), gerf(iid, m=m, A=-Rational(1, 4)), oprf(iid, m=m)
FIXED = mean(trigonometric(orthogonal_fixed, m=m))
SPREAD = (1 - exp(-(z**2))) ** 2 / 2
pairs, phases = probability("error of pairs"), probability("error of phases")
X = sigma * diam / eps
SMALL = eps <= sigma * diam
DELTA = sympy.Symbol("delta", positive=True)
CROSSING = 3 * d * log(Rational(4, 3)) / 4
peak = z**4 * exp(-(z**2))


def enough(rate: int, most: int, constant: int) -> sympy.Basic:
    return m >= rate / eps**2 * (2 * log(X) + log(most / DELTA)) / constant


TRUE = [
    # one of a few values
    (tail(WAVES, eps) <= Min(1 / (2 * m * eps**2), 2 * exp(-m * eps**2 / 2)), ()),
    (tail(WAVES, eps) <= 2 * exp(-m * eps**2 / (2 * Min(1, SPREAD + 2 * eps / 3))), ()),
    (variance(WAVES) <= Min(1 / (2 * m), z**4 / (2 * m)), ()),
    (Min(mse(WAVES), mse(BUMPS)) <= mse(BUMPS), ()),
    (abs(mse(BUMPS) - mse(WAVES)) <= Max(mse(BUMPS), mse(WAVES)), ()),
    (abs(FIXED - gaussian) <= 2, ()),
    (mse(WAVES) - mse(BUMPS) <= abs(mse(BUMPS) - mse(WAVES)), ()),
    # logarithms of laws with a common factor
    (mse(WIDE) < mse(BUMPS), (v**2 > CROSSING,)),
    (mse(WIDE) > mse(BUMPS), (v**2 < CROSSING,)),
    # rows alone at d = 1
    (variance(ROWS) <= variance(WAVES), (z**2 <= d / 3,)),
    (mse(ROWS) <= 1 / (2 * m), (z**2 <= d / 3,)),
    (tail(ROWS, eps) <= 1 / (2 * m * eps**2), (z**2 <= d / 3,)),
    # a peak at the root of 2, or at another number that can be written down
    (claimed(peak <= 4 * exp(-2)), ()),
    (claimed(peak < 4 * exp(-2)), (z > sympy.sqrt(2),)),
    (claimed(z**2 * exp(-(z**2) / 3) <= 3 * exp(-1)), ()),
    (claimed(z**6 * exp(-(z**2)) <= 27 * exp(-3)), ()),
    # errors over a set
    (phases <= 98 * X**2 * exp(-m * eps**2 / (32 * (d + 1))), (SMALL,)),
    (pairs <= 66 * X**3 * exp(-m * eps**2 / (4 * (d + 2))), (SMALL,)),
    (pairs <= DELTA, (SMALL, enough(4 * (d + 2), 66, 1))),
    (phases <= DELTA, (SMALL, enough(32 * (d + 1), 98, 1))),
    # limits that a bound makes 0
    (limit(mse(BEST) / mse(BUMPS), v, oo) < 1, ()),
    (limit(mse(BEST) / mse(BUMPS), v, oo) <= m - 1, ()),
    (limit(m * tail(WAVES, eps), m, oo) <= eps, ()),
    (limit(tail(WAVES, eps), m, oo) <= 1, ()),
]
FALSE = [
    (tail(WAVES, eps) <= Min(1 / (8 * m * eps**2), 2 * exp(-m * eps**2 / 2)), ()),
    (variance(WAVES) <= Min(1 / (2 * m), z**4 / (4 * m)), ()),
    (variance(WAVES) < Min(1 / (2 * m), z**4 / (2 * m)), ()),  # z = 0
    (Max(mse(WAVES), mse(BUMPS)) <= mse(BUMPS), ()),
    (Min(mse(WAVES), mse(BUMPS)) >= mse(BUMPS), ()),
    (abs(mse(BUMPS) - mse(WAVES)) <= Min(mse(BUMPS), mse(WAVES)), ()),
    (abs(mse(BUMPS) - mse(WAVES)) <= mse(BUMPS) - mse(WAVES), ()),
    (abs(FIXED - gaussian) <= Rational(1, 100), ()),
    (mse(WAVES) >= abs(mse(BUMPS) - mse(WAVES)), ()),
    (mse(WIDE) <= mse(BUMPS), (v**2 > CROSSING / 3,)),
    (mse(WIDE) > mse(BUMPS), (v**2 <= CROSSING,)),
    (claimed(exp(sympy.I * z) < 2 * exp(sympy.I * z)), ()),  # no real numbers
    (claimed(exp(v**2) * exp(sympy.I * z) > exp(sympy.I * z)), (v > 0,)),
    (variance(ROWS) < variance(WAVES), (z**2 <= d / 3, z > 0, m >= 2)),  # d = 1
    (variance(ROWS) <= variance(WAVES), (z**2 <= 3 * d,)),
    (mse(ROWS) <= 1 / (4 * m), (z**2 <= d,)),
    (claimed(peak <= Rational(39, 10) * exp(-2)), ()),
    (phases <= 98 * X**2 * exp(-m * eps**2 / (32 * (d + 1))), ()),
    (phases <= X**2 * exp(-m * eps**2 / (32 * (d + 1))), (SMALL,)),
    (pairs <= 66 * X**2 * exp(-m * eps**2 / 8), (SMALL,)),  # without d
    (pairs <= DELTA, (SMALL, enough(4, 66, 1))),
    (pairs <= DELTA, (enough(4 * (d + 2), 66, 8),)),
    (limit(mse(BEST) / mse(BUMPS), v, oo) > 0, ()),
    (limit(mse(BEST) / mse(BUMPS), v, oo) == 1, ()),
    (limit(mse(BEST) / mse(BUMPS), v, oo) < m - 1, ()),
    (limit(m * tail(WAVES, eps), m, oo) >= eps, ()),
]
REFUTED = [
    (pairs <= X**2 * exp(-m * eps**2 / 2), (SMALL,)),
    (pairs <= 66 * X**2 * exp(-m * eps**2 / 8), (SMALL,)),
    (pairs <= DELTA, (SMALL, m >= (2 * log(X) + log(1 / DELTA)) / eps**2)),
    (limit(mse(BEST) / mse(BUMPS), v, oo) == 1, ()),
    (limit(tail(WAVES, eps), m, oo) == 1, ()),
    (limit(tail(cosine(iid, m=m), eps), m, oo) == oo, ()),
    # where a derivative is 0, or nearly so
    (claimed(peak < 4 * exp(-2)), ()),
    (claimed(peak <= Rational(39999, 10000) * exp(-2)), ()),
    (claimed(exp(-(z**2)) - exp(-2 * z**2) < Rational(1, 4)), ()),
    (claimed(exp(-(z**2)) - exp(-2 * z**2) <= Rational(249999, 10**6)), ()),
    (claimed(z * exp(-(z**2)) + exp(-z / 3) < Rational(123897, 10**5)), ()),
    (claimed(v * z * exp(-(z**2)) + exp(-z / 3) < Rational(123897, 10**5)), (v <= 1,)),
]


@pytest.mark.parametrize(("claim", "over"), TRUE, ids=str)
def test_what_is_true_is_proved(claim: Claim, over: tuple[object, ...]) -> None:
    assert_holds(claim, *over)


@pytest.mark.parametrize(("claim", "over"), FALSE, ids=str)
def test_what_is_false_is_not(claim: Claim, over: tuple[object, ...]) -> None:
    assert_not_proved(claim, *over)


@pytest.mark.parametrize(("claim", "over"), REFUTED, ids=str)
def test_some_of_it_is_refuted_without_draws(claim: Claim, over: tuple[object, ...]) -> None:
    assert alone(stated(claim, *over)) is Decision.FAILS


@pytest.mark.parametrize(
    ("given", "certain"),
    [
        ({}, True),
        ({"d": 16}, False),  # as many axes as draws
        ({"sigma": 12}, False),  # 4 pi is more
        ({"eps": Rational(101, 100)}, False),
        ({"variance": Rational(1, 2)}, False),
    ],
    ids=str,
)
def test_rows_on_axes_err_whatever_is_drawn(given: dict[str, object], certain: bool) -> None:
    values = {"m": 16, "d": 32, "eps": 1, "sigma": 13, "diam": 1, "variance": 1} | given
    found = EVENTS["error of pairs"].ball({name: sympy.sympify(x) for name, x in values.items()})
    assert bool(found.lower() == 1) is certain


def test_points_with_many_rows_are_found() -> None:
    claim = pairs <= DELTA
    over = Domain.of(claim, (SMALL, enough(4 * (d + 2), 66, 1)))
    found = list(points(over, 5))
    assert len(found) == 5
    assert all(over.contains(point) for point in found)
    nowhere = Domain.of(claim, (SMALL, m >= d + 1 / eps, m <= d))
    assert not list(points(nowhere, 1))


def test_what_is_near_a_limit_of_bounds_is_looked_for() -> None:
    said = stated(limit(tail(WAVES, eps), m, oo) == 1)
    assert proposals_for(said, search(said.parts, said.domain)) == ()
