"""The first rows of a block, and many rows of couplings whose other rows are independent."""

import pytest
import sympy
from sympy import cosh

from rftheory.author import (
    O,
    Rows,
    coupling,
    d,
    decreasing,
    equal,
    exp,
    gap,
    gaussian,
    hyperbolic,
    i,
    iid,
    increasing,
    limit,
    m,
    mse,
    oo,
    orthogonal,
    positive,
    trigonometric,
    v,
    z,
)
from rftheory.statement.atoms import PairCount
from rftheory.statement.provers.dimension import pairs_of_many
from tests.statement.stating import assert_holds, assert_not_proved

PAIRS = coupling("first-rows-pairs", "w and -w", rows=[Rows(1), Rows(1, sign=-1)], cosine=None)
IN_TURN = coupling(
    "in-turn", "opposite rows beside each other", rows=Rows(2 * d, axis=i // 2, norm=i // 2, sign=(-1) ** i)
)
ALONE = coupling(
    "one-first",
    "a row and its opposite, then others",
    rows=[Rows(1), Rows(1, sign=-1), Rows(d - 1, axis=i + 1, norm=i + 1)],
)
SHARED = coupling("first-rows-one-norm", "orthogonal rows with one norm", rows=Rows(d, norm=0))
ROWS, MANY = mse(positive(orthogonal, m=m)), mse(positive(PAIRS, m=m))
EXCESS = 2 * gaussian**2 * (cosh(v**2) - 1)


def of(kind):
    return mse(positive(kind, m=m))


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (equal(of("mirrored"), ROWS), (m <= d,)),
        (equal(of("cross-polytope"), ROWS), (m <= d,)),
        (equal(of(SHARED), of(iid)), (m <= d,)),
        (of("mirrored") <= ROWS, ()),
        (of("cross-polytope") <= ROWS, ()),
        (of("mirrored") <= ROWS, (m <= 2 * d,)),
        (gap(positive(orthogonal, m=m)) > 0, (v > 0, m > d, d >= 2)),
        (gap(positive(orthogonal, m=m)) > 0, (v > 0, m >= d, m < 2 * d, d >= 2)),
        (limit(m * MANY, m, oo) == EXCESS, ()),
        (limit(MANY / of(iid), m, oo) == 1 - exp(-(v**2)), (v > 0,)),
        (equal(MANY, EXCESS / m * (1 + O(1 / m))), (v > 0,)),
        (equal(mse(hyperbolic(iid, m=m)), EXCESS / (2 * m) * (1 + O(1 / m))), (v > 0,)),
    ],
)
def test_what_is_true_is_proved(claim, over):
    assert_holds(claim, *over)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (equal(of("mirrored"), ROWS), (m <= d + 1,)),
        (equal(of("cross-polytope"), ROWS), (m <= d + 1,)),
        (equal(of(IN_TURN), ROWS), (m <= d,)),
        (equal(of(ALONE), ROWS), (m <= d,)),
        (of("mirrored") < ROWS, (v > 0,)),  # m = 1
        (of("mirrored") >= ROWS, (v > 0,)),
        (2 * of("mirrored") <= ROWS, ()),
        (mse(trigonometric("mirrored", m=m)) <= mse(trigonometric(orthogonal, m=m)), (z <= 1,)),
        (of(IN_TURN) >= of("mirrored"), ()),
        (gap(positive(orthogonal, m=m)) > 0, (v > 0, m >= d)),  # d = 1
        (gap(positive(orthogonal, m=m)) > 0, (v > 0, m <= d, d >= 2)),  # m = 1
        (limit(m * MANY, m, oo) == EXCESS / 2, ()),
        (equal(MANY, EXCESS / m * (1 + O(1 / m**2))), (v > 0,)),  # odd m
        (equal(mse(hyperbolic(iid, m=m)), EXCESS / m * (1 + O(1 / m))), (v > 0,)),
    ],
)
def test_what_is_false_is_not(claim, over):
    assert_not_proved(claim, *over)


def test_quotients_of_errors_rise_where_their_divisor_has_a_sign():
    ratio = mse(hyperbolic(iid, m=m)) / of(iid)
    assert_holds(increasing(ratio, v))
    assert_holds(increasing(MANY.at(m=2) / of(iid).at(m=2), v))
    assert_not_proved(decreasing(ratio, v))
    assert_not_proved(increasing(of(iid) / (of(iid) - gaussian**2 / m), v))  # it has a pole


@pytest.mark.parametrize("kind", [(-1, "shared"), (0, "independent")])
@pytest.mark.parametrize("rows", [1, 5, 6, 7, 12, 29])
def test_the_pairs_of_a_kind_are_off_by_those_of_a_block_at_most(kind, rows):
    many = pairs_of_many(PairCount("mirrored", d, m, *kind), m).subs({d: 3, m: rows})
    in_a_block = PairCount("mirrored", 3, 6, *kind)
    apart = PairCount("mirrored", 3, rows, *kind) - many
    assert abs(apart) <= in_a_block
    assert apart == 0 or rows % 6
    assert isinstance(many, sympy.Rational)
