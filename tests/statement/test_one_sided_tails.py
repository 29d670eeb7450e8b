"""Bounds of errors of one sign: P(K^ - K >= eps) and P(K - K^ >= eps), true ones beside false ones."""

from __future__ import annotations

import pytest
from sympy import pi

from rftheory.author import (
    Parameter,
    Rational,
    Term,
    cosh,
    exp,
    feature_map,
    formula,
    gaussian,
    gerf,
    iid,
    lower_tail,
    m,
    mse,
    orthogonal,
    orthogonal_fixed,
    positive,
    simplex,
    tail,
    trigonometric,
    upper_tail,
    v,
    with_features,
    x,
    y,
    z,
)
from rftheory.exact.exponential import A
from rftheory.exact.tails import eps
from rftheory.judge import Decision, Grade, Kind
from rftheory.statement.atoms import OfLaw
from rftheory.statement.provers.bounds import CANTELLI, CHERNOFF, HOEFFDING, MARKOV, _by_legendre
from rftheory.statement.words import Claim
from tests.statement.stating import assert_not_proved, judged, stated

WAVES, ROWS, BUMPS = trigonometric(iid, m=m), positive(iid, m=m), gerf(orthogonal, m=m, A=A)
SIMPLEX = positive(simplex, m=m)
DECAY = exp(-m * eps**2)
RATE = formula("chernoff_bound")
BELOW = exp(-m * eps**2 / (2 * gaussian**2 * exp(v**2)))
"""Of features above 0 with this second moment."""


@pytest.mark.parametrize(
    ("claim", "over", "theorem"),
    [
        (upper_tail(BUMPS, eps) < RATE, (A < 0,), CHERNOFF),
        (upper_tail(gerf(iid, m=m, A=A), eps) < RATE, (A < 0,), CHERNOFF),
        ((z - pi) ** 2 * upper_tail(BUMPS, eps) < (z - pi) ** 2 * RATE, (A < 0, z > 4), CHERNOFF),
        (upper_tail(BUMPS, eps) <= exp(-m * formula("gerf_legendre")), (A < 0,), CHERNOFF),
        (upper_tail(WAVES, eps) <= DECAY, (), CHERNOFF),
        (lower_tail(WAVES, eps) <= DECAY, (), CHERNOFF),
        (lower_tail(WAVES, eps) <= DECAY ** Rational(1, 2), (), HOEFFDING),
        (lower_tail(ROWS, eps) <= BELOW, (), CHERNOFF),
        (upper_tail(SIMPLEX, eps) <= mse(SIMPLEX) / (mse(SIMPLEX) + eps**2), (), CANTELLI),
        (lower_tail(SIMPLEX, eps) <= mse(SIMPLEX) / (mse(SIMPLEX) + eps**2), (), CANTELLI),
        (upper_tail(SIMPLEX, eps) <= gaussian / (gaussian + eps), (), MARKOV),
        (lower_tail(WAVES, eps) <= (1 - gaussian) / (1 - gaussian + eps), (), MARKOV),
    ],
    ids=str,
)
def test_bounds_of_one_sign_are_cited(claim: Claim, over: tuple[object, ...], theorem: str) -> None:
    found = judged(claim, *over).verdict
    assert (found.decision, found.grade) == (Decision.HOLDS, Grade.CITED)
    assert found.assumes == (theorem,)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (upper_tail(SIMPLEX, eps) <= tail(SIMPLEX, eps), ()),
        (lower_tail(SIMPLEX, eps) <= 0, (eps >= gaussian,)),
        (lower_tail(BUMPS, eps) == 0, (A < 0, eps > gaussian)),
        (upper_tail(WAVES, Rational(9, 4)) == 0, ()),
        (upper_tail(WAVES, eps) == 0, (eps > 1 - gaussian,)),
        (lower_tail(WAVES, eps) == 0, (eps > 1 + gaussian,)),
    ],
    ids=str,
)
def test_what_needs_no_theorem_is_certified(claim: Claim, over: tuple[object, ...]) -> None:
    found = judged(claim, *over).verdict
    assert (found.decision, found.grade) == (Decision.HOLDS, Grade.CERTIFIED)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (upper_tail(BUMPS, eps) < RATE**2, (A < 0,)),
        (upper_tail(BUMPS, eps) > RATE, (A < 0,)),
        (lower_tail(BUMPS, eps) < RATE, (A < 0,)),  # the other side
        (tail(BUMPS, eps) < RATE, (A < 0,)),  # both sides
        (lower_tail(WAVES, eps) <= DECAY**2, ()),
        (upper_tail(ROWS, eps) <= BELOW, ()),  # features have no bound above
        (upper_tail(ROWS, eps) <= DECAY, ()),
        (upper_tail(SIMPLEX, eps) <= 0, (eps > gaussian,)),
        (tail(SIMPLEX, eps) <= upper_tail(SIMPLEX, eps), ()),
        (lower_tail(WAVES, eps) <= 0, (eps >= gaussian,)),  # waves have both signs
        (lower_tail(ROWS, eps) <= gaussian / (gaussian + eps), ()),  # features have no bound above
        (upper_tail(WAVES, eps) == 0, (eps > Rational(1, 2),)),
        (lower_tail(WAVES, eps) == 0, (eps > 1,)),
    ],
    ids=str,
)
def test_false_bounds_of_one_sign_are_refuted(claim: Claim, over: tuple[object, ...]) -> None:
    found = judged(claim, *over).verdict
    assert found.decision is Decision.FAILS
    assert found.evidence[0].kind is Kind.CERTIFIED


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (
            upper_tail(gerf(simplex, m=m, A=A), eps) < RATE,
            (A < 0,),
        ),  # of orthogonal and independent rows alone
        (upper_tail(gerf(orthogonal, m=m, A=A, s=-1), eps) < RATE, (A < 0,)),
        (upper_tail(BUMPS, eps) <= RATE * (1 - Rational(1, 10**30)), (A < 0,)),
        (lower_tail(SIMPLEX, eps) <= BELOW, ()),  # rows are not independent
        (lower_tail(ROWS, eps) <= BELOW ** Rational(101, 100), ()),
        (lower_tail(SIMPLEX, eps) <= 0, (eps > gaussian / 2,)),
        (
            (z - pi) ** 2 * upper_tail(BUMPS, eps) < (z - pi) ** 2 * RATE,
            (A < 0,),
        ),  # at z = pi both sides are 0
        (
            lower_tail(positive(orthogonal_fixed, m=1), eps).at(d=1)
            <= 0,  # above the mean, which is not the kernel
            (eps >= gaussian * cosh(v) * exp(-(v**2) / 2),),
        ),
    ],
    ids=str,
)
def test_what_does_not_follow_is_not_proved(claim: Claim, over: tuple[object, ...]) -> None:
    assert_not_proved(claim, *over)


@pytest.mark.usefixtures("undeclared")
def test_chernoffs_bound_is_one_of_gerf_with_negative_shapes_and_the_gaussian_kernel() -> None:
    own = feature_map("shaped", "", "a test", Term(x + y, -(x**2 + y**2) / 2), parameters=(Parameter(A, ""),))
    for mechanism, over, known in (
        (with_features(own)(iid, m=m, A=A), A < 0, False),
        (gerf(iid, m=m, A=A), A < 0, True),
        (gerf(iid, m=m, A=A), Rational(1, 8) > A, False),
        (gerf(iid, m=m, A=A, kernel="softmax"), A < 0, False),
        (gerf(simplex, m=m, A=A), A < 0, False),
    ):
        said = stated(upper_tail(mechanism, eps) <= 1, over)
        (law,) = said.parts[0].atoms(OfLaw)
        assert any(_by_legendre(law, said.domain)) is known


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (upper_tail(SIMPLEX, eps) <= DECAY, (m >= 2,)),
        (lower_tail(trigonometric(orthogonal, m=m), eps) <= DECAY**3, (m >= 2, z > 1)),
    ],
    ids=str,
)
def test_draws_refute_bounds_of_several_rows(claim: Claim, over: tuple[object, ...]) -> None:
    found = judged(claim, *over, draw=True).verdict
    assert found.decision is Decision.FAILS
    assert [piece.kind for piece in found.evidence if piece.decision is Decision.FAILS] == [Kind.SAMPLED]


@pytest.mark.parametrize("claim", [upper_tail(WAVES, eps) <= DECAY, lower_tail(ROWS, eps) <= BELOW], ids=str)
def test_draws_leave_true_bounds(claim: Claim) -> None:
    assert judged(claim, draw=True).verdict.decision is Decision.HOLDS
