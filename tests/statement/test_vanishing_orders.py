"""What a statement says where a factor is 0, a side has no value, or a condition ends."""

from __future__ import annotations

import pytest
from sympy import Symbol, sin, sqrt

from rftheory.author import (
    O,
    Rational,
    cosh,
    d,
    equal,
    exp,
    gamma,
    gap,
    gaussian,
    iid,
    limit,
    log,
    m,
    mse,
    oo,
    orthogonal,
    positive,
    trigonometric,
    v,
    z,
)
from rftheory.judge import Decision
from rftheory.statement.settle import alone
from rftheory.statement.statement import Statement
from tests.statement.stating import stated

b, eps = Symbol("b", real=True), Symbol("eps", positive=True)
POS, WAVES = positive(iid, m=m), trigonometric(iid, m=m)

TRUE = [
    stated(equal(b * v + v**2, b * v * (1 + O(v))), b > 0),
    stated(equal(b * v + b * v**2, b * v * (1 + O(v)))),
    stated(equal((m - 1) * (v + v**2), (m - 1) * v * (1 + O(v)))),
    stated(equal((d - 2) * v + v**2, (d - 2) * v * (1 + O(v))), d >= 3),
    stated(equal(b * d + 1, b * d * (1 + O(1 / d))), b > 0),
    stated(
        gap(trigonometric(orthogonal, m=m)) == (m - 1) / m * z**4 / (2 * (d + 2)) * (1 + O(z**2)),
        m >= 2,
        m <= d,
    ),
]

FALSE = [
    stated(equal(b * v + v**2, b * v * (1 + O(v)))),
    stated(equal(b * v + v**2, b * v * (1 + O(v))), b >= 0),
    stated(equal((v + z) ** 2, z**2 * (1 + O(v)))),
    stated(equal((m - 1) * v + v**2, (m - 1) * v * (1 + O(v)))),
    stated(equal((d - 2) * v + v**2, (d - 2) * v * (1 + O(v)))),
    stated(equal(log(1 + b * v + v**2), b * v * (1 + O(v))), b >= 0),
    stated(equal(sin(b * v) + v**3, b * v * (1 + O(v))), b >= 0),
    stated(equal(cosh(z * v) - 1 + v**3, z**2 * v**2 / 2 * (1 + O(v)))),
    stated(equal(b * d + 1, b * d * (1 + O(1 / d))), b >= 0),
    stated(equal(1 - exp(-(z**2)) + 1 / d, (1 - exp(-(z**2))) * (1 + O(1 / d)))),
]


@pytest.mark.parametrize("statement", TRUE, ids=str)
def test_orders_that_vanish_nowhere_or_with_the_rest_are_proved(statement: Statement) -> None:
    assert alone(statement) is Decision.HOLDS


@pytest.mark.parametrize("statement", FALSE, ids=str)
def test_an_order_that_vanishes_where_the_rest_does_not_is_refuted(statement: Statement) -> None:
    assert alone(statement) is Decision.FAILS


def test_what_a_limit_is_compared_with_need_not_have_a_value_everywhere() -> None:
    grows = limit(b * sqrt(d) * (m - 1) / (sqrt(1 + b / d) - 1), d, oo)
    assert alone(stated(grows >= 1 / z)) is Decision.FAILS  # at m = 1, z = 1
    assert alone(stated(limit(d * v, d, oo) >= 1 / z, v > 0)) is Decision.HOLDS
    assert alone(stated(limit(d * v, d, oo) >= sqrt(z - 1), v > 0, z >= 0)) is not Decision.FAILS
    alone(stated(limit(m * v * z * (b + v) / (cosh(v) - 1), m, oo) >= 1, z > 0))  # has no value at v = 0


AT_ENDS = [
    (exp(z**2) >= Rational("2.001") * exp(v**2), exp(z**2) >= 2 * exp(v**2), (z**2 >= v**2 + log(2),)),
    (mse(POS) < eps**2 * gaussian**2, mse(POS) <= eps**2 * gaussian**2, (m >= (exp(v**2) - 1) / eps**2,)),
    (mse(POS) < exp(-(z**2)), mse(POS) <= exp(-(z**2)), (exp(v**2) <= m + 1,)),
    (mse(WAVES) < mse(POS), mse(WAVES) <= mse(POS), (v >= z,)),
]


@pytest.mark.parametrize(("false", "true", "over"), AT_ENDS, ids=str)
def test_what_fails_only_where_conditions_end_is_refuted(
    false: object, true: object, over: tuple[object]
) -> None:
    assert alone(stated(false, *over)) is Decision.FAILS
    assert alone(stated(true, *over)) is Decision.HOLDS


def test_numbers_of_pairs_beside_gamma_functions_are_no_error() -> None:
    ratio = gamma(d + Rational(1, 2)) / gamma(d)
    assert alone(stated(gap(trigonometric(orthogonal, m=m)) == ratio * (1 + O(v**2)))) is not Decision.HOLDS
    assert alone(stated(equal(ratio * (1 + v**2), ratio * (1 + O(v**2))))) is Decision.HOLDS
