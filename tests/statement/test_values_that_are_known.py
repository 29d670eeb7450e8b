"""Equations in which absolute values, least values or logarithms are of known signs."""

import pytest
import sympy

from rftheory.author import (
    Max,
    Min,
    equal,
    exp,
    gamma,
    gaussian,
    hyperbolic,
    iid,
    log,
    m,
    mse,
    positive,
    sqrt,
    trigonometric,
    v,
    z,
)
from rftheory.judge import Decision
from rftheory.statement.settle import settled
from tests.statement.stating import assert_holds, assert_not_proved, stated

P, T, H = (mse(kind(iid, m=m)) for kind in (positive, trigonometric, hyperbolic))
b = sympy.Symbol("b", real=True)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (equal(abs(v - 1), v - 1), (v >= 1,)),
        (equal(abs(v - 1), 1 - v), (v <= 1,)),
        (equal(sqrt((1 - v) ** 2), v - 1), (v >= 1,)),
        (equal(Max(v, z), z), (v <= z,)),
        (equal(Min(v, z, 1), 1), (v >= 1, z >= 2)),
        (sqrt((T - H) ** 2) == T - H, (v <= z,)),
        (Min(T, H) == H, (v <= z,)),
        (Max(T, H) == T, (v <= z,)),
    ],
)
def test_an_equation_with_one_of_the_values(claim, over):
    assert_holds(claim, *over)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (equal(abs(v - 1), v - 1), ()),
        (equal(abs(v - 1), v - 1), (v >= sympy.Rational(999, 1000),)),
        (equal(abs(b), b), ()),
        (equal(Max(v, z), z), (v <= z + 1,)),
        (sqrt((T - H) ** 2) == T - H, ()),
        (Min(T, H) == T, (v <= z,)),
        (Max(T, P) == T, (v <= z,)),
        (equal(abs(v - 1), v), (v >= 1,)),
    ],
)
def test_the_other_value_or_a_wider_domain_is_not_proved(claim, over):
    assert_not_proved(claim, *over)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (log(P**2) == 2 * log(P), (v > 0,)),
        (log(P * m) == log(exp(v**2) - 1) - z**2, (v > 0,)),
        (log(P / gaussian) == log(P) + z**2 / 2, (v > 0,)),
        (log(P**2) == 2 * log(P), ()),  # at v = 0 neither side has a value
        (equal(log((v - 2) ** 2), 2 * log(2 - v)), (v < 2,)),
    ],
)
def test_logarithms_of_products(claim, over):
    assert_holds(claim, *over)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (log(P**2) == log(P), (v > 0,)),
        (log(P * m) == log(exp(v**2) - 1) + z**2, (v > 0,)),
        (log(P + 1) == log(P), (v > 0,)),
        (equal(log((v - 2) ** 2), 2 * log(2 - v)), (v > 2,)),
        (equal(log(b**2), 2 * log(b)), ()),
    ],
)
def test_wrong_logarithms_are_not_proved(claim, over):
    assert_not_proved(claim, *over)


def test_where_a_logarithm_has_no_value_is_said():
    found = settled(stated(log(P**2) == 2 * log(P)))
    assert found.decision is Decision.HOLDS
    assert found.proofs[0].summary.startswith("wherever the sides have values, which excludes v = 0: ")
    assert settled(stated(log(P) <= v**2 + 5)).decision is not Decision.FAILS


@pytest.mark.parametrize(
    ("claim", "over", "left_out"),
    [
        (equal((b**2 - 1) / (b - 1), b + 1), (), "b = 1"),
        (equal((b**2 - 1) / (b - 1), b + 1), (b > 1,), ""),
        (equal((b**3 - 2 * b) / (b**2 - 2), b), (), "b = -sqrt(2) and b = sqrt(2)"),
        (equal((exp(2 * b) - 9) / (exp(b) - 3), exp(b) + 3), (), "b = log(3)"),
        (equal(b / (b + v) + v / (b + v), 1), (), "b + v = 0"),
        (1 / z + v >= 1 / z, (), "z = 0"),
        (mse(positive(iid)).at(v=1 / z) >= 0, (), "z = 0"),
        (equal(gamma(m - 1) * (m - 1), gamma(m)), (), "m = 1"),
        (equal(gamma(m) * m, gamma(m + 1)), (), ""),
    ],
)
def test_where_the_sides_of_what_is_proved_have_no_value_is_said(claim, over, left_out):
    found = settled(stated(claim, *over))
    assert found.decision is Decision.HOLDS
    says = found.proofs[0].summary
    if left_out:
        assert says.startswith(f"wherever the sides have values, which excludes {left_out}: ")
    else:
        assert "wherever" not in says
