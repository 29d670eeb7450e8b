"""False statements whose counterexamples no simple point shows, beside true ones that are nearly false."""

import time

import pytest
import sympy

from rftheory.statement.descent import margin, nearly_false
from rftheory.statement.domain import Domain
from rftheory.statement.settle import LONG, searched
from rftheory.statement.statement import Statement
from rftheory.statement.words import (
    claimed,
    d,
    exp,
    gaussian,
    iid,
    m,
    mean,
    mse,
    orthogonal,
    positive,
    sqrt,
    trigonometric,
    v,
    z,
)

FIXED = positive("orthogonal-fixed", m=m)
WAVES = mse(trigonometric(orthogonal, m=d)), mse(trigonometric(iid, m=d))
PERCENT = sympy.Rational(1, 100)
NARROW = sympy.Rational(9162, 10**4)  # the maximum is 0.91630...

FALSE = {
    "many dimensions and long vectors": (mean(FIXED) >= gaussian * (1 - 2 / sqrt(d)), ()),
    "a cube root": (mean(FIXED) >= gaussian * (1 - 2 / d ** sympy.Rational(1, 3)), ()),
    "at the end of a condition": (mean(FIXED) >= gaussian / 4, (v <= sqrt(d),)),
    "far along the end of a condition": (mean(FIXED) >= gaussian / 10**6, (v <= sqrt(d),)),
    "many rows, because of the bias": (mse(FIXED) <= mse(positive(iid, m=m)), ()),
    "more rows": (mse(FIXED) <= 2 * mse(positive(iid, m=m)), ()),
    "many rows": (mse(positive(iid, m=m)) >= exp(-(z**2)) / 10**4, (v >= 1,)),
    "many dimensions": (claimed(d <= 1000 * (1 + v)), ()),
    "one per cent at one distance": (WAVES[0] <= (1 + PERCENT) * WAVES[1], ()),
    "an end, with more than one row": (v * mse(positive(iid, m=m)) / (v + 1 - 1 / m) > 0, ()),
    "at one pair of lengths": (
        claimed(exp(-((v - sympy.pi) ** 2) - (z - sympy.E) ** 2 - 20 * (v - z) ** 2) <= NARROW),
        (),
    ),
    "a little more": (WAVES[0] <= (1 + sympy.Rational(14, 1000)) * WAVES[1], ()),
}
TRUE = {
    "more than they differ": (WAVES[0] <= (1 + 2 * PERCENT) * WAVES[1], ()),
    "a rate": (mean(FIXED) >= gaussian * (1 - v**4 / (4 * d)), ()),
    "one row": (mse(positive("orthogonal-fixed", m=1)) <= mse(positive(iid, m=1)), ()),
    "an end": (mean(FIXED) >= gaussian / 10, (v <= sqrt(d), d <= 16)),
}


def found(claim, over):
    return searched(Statement("n.far", "", claim, Domain.of(claim, over)), LONG)[0]


@pytest.mark.parametrize("name", FALSE)
def test_a_far_counterexample_is_found(name):
    assert found(*FALSE[name]).witness is not None


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_not_refuted(name):
    claim, over = TRUE[name]
    assert found(claim, over).witness is None
    until = time.process_time() + 0.5
    starts = [dict.fromkeys(Domain.of(claim, over).symbols, sympy.S.One)]
    for part in claim.parts:
        assert not list(nearly_false(part, Domain.of(claim, over), starts, until))


def test_a_margin_is_no_verdict():
    x = sympy.Symbol("x", real=True)
    one = {x: sympy.S.One}
    assert margin(x <= 2 * x, one) == -margin(x >= 2 * x, one) > 0
    assert margin(-2 * x <= -x, one) == margin(x <= 2 * x, one)
    assert margin(-x <= x, one) == float("inf") == -margin(x <= -x, one)
    assert margin(sympy.Le(1 / (x - 1), x, evaluate=False), one) is None
    assert margin(sympy.Le(x - 1, 0, evaluate=False), one) == 0


def test_the_steps_end_in_time():
    claim, over = TRUE["more than they differ"]
    domain = Domain.of(claim, over)
    starts = [{s: sympy.S(4) for s in domain.symbols}] * 8
    start = time.process_time()
    list(nearly_false(claim.parts[0], domain, starts, start + 0.2))
    assert time.process_time() - start < 1
