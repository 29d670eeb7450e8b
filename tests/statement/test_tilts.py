"""Wrong exponents of bounds of tails, refuted by lower bounds of the tails, without draws; right ones are not."""

from __future__ import annotations

import pytest
import sympy

from rftheory.author import (
    Rational,
    cosine,
    exp,
    iid,
    lower_tail,
    m,
    orthogonal,
    positive,
    tail,
    trigonometric,
    upper_tail,
    z,
)
from rftheory.exact.tails import eps
from rftheory.judge import Decision, Kind
from rftheory.statement.judging import judge
from rftheory.statement.tilts import refuted_by_tilts
from rftheory.statement.words import Claim
from tests.statement.stating import stated

WAVES, PHASES = trigonometric(iid, m=m), cosine(iid, m=m)
DECAY = exp(-m * eps**2)
VARIANCE = (1 - exp(-(z**2))) ** 2 / 2


def bernstein(variance: sympy.Expr) -> sympy.Expr:
    return 2 * exp(-m * eps**2 / (2 * variance + 4 * eps / 3))


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (tail(WAVES, eps) <= bernstein(VARIANCE / 2), ()),  # draws saw it with four of six seeds
        (tail(WAVES, eps) <= bernstein(VARIANCE * Rational(9, 10)), ()),
        (tail(WAVES, eps) <= 2 * DECAY ** Rational(101, 100), ()),
        (upper_tail(WAVES, eps) <= DECAY ** Rational(101, 100), ()),
        (lower_tail(WAVES, eps) < DECAY ** Rational(101, 100), ()),
        (tail(PHASES, eps) <= 2 * DECAY ** Rational(51, 100), ()),
        (tail(WAVES, eps) <= 1000 * DECAY**2, (m >= 100,)),
        (m * tail(WAVES, eps) <= 2 * m * DECAY ** Rational(11, 10), (eps < Rational(1, 10), z >= 2)),
    ],
    ids=str,
)
def test_wrong_exponents_are_refuted(claim: Claim, over: tuple[object, ...]) -> None:
    piece = refuted_by_tilts(stated(claim, *over))
    assert piece is not None
    assert (piece.kind, piece.decision) == (Kind.CERTIFIED, Decision.FAILS)
    assert "counterexample d = 1, m = " in piece.summary


def test_a_verdict_rests_on_such_a_counterexample() -> None:
    found = judge(stated(tail(WAVES, eps) <= bernstein(VARIANCE / 2))).verdict
    assert found.decision is Decision.FAILS
    assert "m = 8192, eps = 3/64, z = 1" in found.reason


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (tail(WAVES, eps) <= bernstein(VARIANCE), ()),
        (tail(WAVES, eps) <= 2 * DECAY, ()),
        (upper_tail(WAVES, eps) <= DECAY, ()),
        (tail(PHASES, eps) <= 2 * DECAY ** Rational(1, 2), ()),
        (tail(WAVES, eps) <= 2 * DECAY**2, (z <= Rational(1, 2),)),  # where the variance is small
        (tail(WAVES, eps) >= DECAY**9, ()),  # the other way round
        (tail(trigonometric(orthogonal, m=m), eps) <= 2 * DECAY**9, ()),  # of independent rows alone
        (tail(positive(iid, m=m), eps) <= 2 * DECAY**9, ()),  # of waves alone
        (tail(trigonometric(iid, m=m, kernel="softmax"), eps) <= 2 * DECAY**9, ()),
    ],
    ids=str,
)
def test_nothing_else_is_refuted(claim: Claim, over: tuple[object, ...]) -> None:
    assert refuted_by_tilts(stated(claim, *over)) is None
