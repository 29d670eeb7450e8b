"""Waves of orthogonal rows err no more than those of independent ones up to z^2 = d/3, and not for all z."""

from __future__ import annotations

import pytest
import sympy

from rftheory.author import (
    Rational,
    conformity,
    d,
    exp,
    formula,
    gap,
    iid,
    m,
    mse,
    orthogonal,
    simplex,
    trigonometric,
    v,
    z,
)
from rftheory.judge import Decision
from rftheory.statement.domain import Domain
from rftheory.statement.provers.waves import by_waves
from rftheory.statement.settle import alone
from rftheory.statement.words import Claim, claimed
from tests.statement.stating import assert_holds, assert_not_proved, stated

ROWS, APART = trigonometric(orthogonal, m=m), trigonometric(iid, m=m)
NEAR = z**2 <= d / 3
E = sympy.Symbol("E", positive=True)


def wave(x: object) -> sympy.Expr:
    return sympy.hyper((d,), (d / 2,), -x)


TRUE = [
    (mse(ROWS) <= mse(APART), (NEAR, d >= 2)),
    (mse(APART) >= mse(ROWS), (z <= 1, d >= 3)),
    (mse(ROWS) <= mse(APART), (z <= 1, d >= 2)),
    (mse(ROWS) <= mse(APART), (z <= 1,)),  # one and two dimensions each by itself
    (mse(ROWS) < mse(APART), (NEAR, d >= 2, m >= 2, z > 0)),
    (gap(ROWS) >= 0, (3 * z**2 <= d, d >= 2)),
    (gap(ROWS) > 0, (NEAR, d >= 2, m >= 2, z > 0)),
    (mse(ROWS) <= 1 / (2 * m), (NEAR, d >= 2)),
    (mse(ROWS) <= (1 - exp(-(z**2))) ** 2 / (2 * m), (NEAR, d >= 2)),
    (mse(ROWS) <= E**2, (NEAR, d >= 2, m >= 1 / (2 * E**2))),
    (claimed(wave(2 * z**2) <= exp(-4 * z**2)), (12 * z**2 <= d, d >= 2)),
]
FALSE = [
    (mse(ROWS) < mse(APART), (NEAR, d >= 2, z > 0)),  # m = 1
    (mse(ROWS) < mse(APART), (z <= 1, z > 0, m >= 2)),  # d = 1
    (mse(ROWS) <= mse(APART), (z <= 2,)),
    (mse(ROWS) < mse(APART), (NEAR, d >= 2, m >= 2)),  # z = 0
    (mse(ROWS) >= mse(APART), (NEAR, d >= 2)),  # a direction
    (mse(ROWS) <= mse(APART), (z**2 <= d, d >= 3)),  # z_crit^2 is about 0.65 d
    (mse(ROWS) <= mse(APART), (d >= 3,)),
    (mse(APART) - mse(ROWS) <= 0, (NEAR, d >= 2)),
    (claimed(wave(2 * z**2) >= exp(-4 * z**2)), (12 * z**2 <= d, d >= 2)),
    (claimed(2 * wave(z**2) <= exp(-2 * z**2)), (6 * z**2 <= d, d >= 2)),
    (conformity(simplex) >= conformity(orthogonal), (v**2 <= d / 3, d >= 2)),
]


@pytest.mark.parametrize(("claim", "over"), TRUE, ids=str)
def test_what_is_true_of_waves_is_proved(claim: Claim, over: tuple[object, ...]) -> None:
    assert_holds(claim, *over)


@pytest.mark.parametrize(("claim", "over"), FALSE, ids=str)
def test_what_is_false_of_waves_is_not(claim: Claim, over: tuple[object, ...]) -> None:
    assert_not_proved(claim, *over)
    assert by_waves(claim.parts[0], Domain.of(claim, over)) is None


def test_a_wave_in_an_integral_is_left_to_other_provers() -> None:
    claim = formula("angle_conformity", d=3, c=Rational(1, 3)) <= exp(v**2)
    assert by_waves(claim.parts[0], Domain.of(claim, (v >= 1, v <= 6))) is None


def test_beyond_the_threshold_independent_rows_are_better() -> None:
    assert alone(stated(mse(ROWS) <= mse(APART), d >= 3)) is Decision.FAILS
    assert alone(stated(mse(ROWS) <= mse(APART), d >= 3, z**2 <= Rational(3, 4) * d)) is Decision.FAILS
