"""Orders of growth, and what else a statement says at values of the other variables at which a factor is 0."""

from __future__ import annotations

import pytest
from sympy import Symbol, sin, sqrt

from rftheory.author import O, cosh, d, equal, exp, gap, limit, log, m, oo, orthogonal, trigonometric, v, z
from rftheory.judge import Decision
from rftheory.statement.settle import alone
from rftheory.statement.statement import Statement
from tests.statement.stating import stated

b = Symbol("b", real=True)

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
    stated(equal(log(1 + b * v + v**2), b * v * (1 + O(v)))),
    stated(equal(sin(b * v) + v**3, b * v * (1 + O(v)))),
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
