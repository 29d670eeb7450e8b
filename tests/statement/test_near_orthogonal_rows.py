"""One more row than dimensions, at the cosine -1/d, beside simplices; and waves whose least dimensions are apart."""

import pytest

from rftheory.author import (
    Rational,
    Rows,
    conformity,
    coupling,
    d,
    iid,
    m,
    mse,
    orthogonal,
    positive,
    simplex,
    trigonometric,
    v,
    z,
)
from tests.statement.stating import assert_holds, assert_not_proved

NEAR = coupling("one-more-row", "d + 1 rows at the cosine -1/d", rows=[Rows(d + 1)], cosine=-1 / d)
NEARER = coupling("half-the-angle", "d rows at the cosine -1/(2 d)", rows=[Rows(d)], cosine=-1 / (2 * d))
OTHER = coupling(
    "crossing", "d rows at the cosine -1/(2 d - 3)", rows=[Rows(d)], cosine=-1 / (2 * d - 3), min_dim=3
)


def waves(kernel):
    return (mse(trigonometric(c, m=m, kernel=kernel)) for c in (orthogonal, iid))


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (conformity(NEAR) > conformity(simplex), (d >= 2, v > 0)),
        (conformity(NEAR) >= conformity(simplex), (d >= 2,)),
        (conformity(NEARER) > conformity(NEAR), (d >= 2, v > 0)),
        (mse(positive(simplex, m=m)) <= mse(positive(NEARER, m=m)), (m <= d, d >= 2)),
        (2 * conformity(NEAR) > conformity(simplex) + conformity("simplex"), (d >= 2, v > 0)),
    ],
)
def test_pairs_grow_with_the_cosine(claim, over):
    assert_holds(claim, *over)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (conformity(NEAR) < conformity(simplex), (d >= 2, v > 0)),
        (conformity(NEAR) > conformity(simplex), (d >= 2,)),
        (conformity(NEARER) < conformity(NEAR), (d >= 2, v > 0)),
        (conformity(OTHER) < conformity(NEAR), (d >= 3, v > 0)),  # equal at d = 3
        (conformity(NEAR) > Rational(101, 100) * conformity(simplex), (d >= 2, v > 0)),
    ],
)
def test_the_reverse_or_a_crossing_is_not_proved(claim, over):
    assert_not_proved(claim, *over)


@pytest.mark.parametrize("kernel", ["gaussian", "softmax"])
def test_waves_in_one_and_two_dimensions_are_looked_at_apart(kernel):
    coupled, free = waves(kernel)
    assert_holds(coupled <= free, m <= d, z <= 1)
    assert_holds(coupled <= free, z <= 1)


@pytest.mark.parametrize("kernel", ["gaussian", "softmax"])
def test_waves_that_cross_or_touch_are_not_proved(kernel):
    coupled, free = waves(kernel)
    for claim, over in (
        (coupled <= free, (m <= d,)),
        (coupled <= free, (m <= d, z <= 4)),
        (coupled < free, (m <= d, z <= 1)),
        (coupled < free, (m >= 2, z <= 1, z > 0)),  # d = 1
        (coupled >= free, (m <= d, z <= 1)),
    ):
        assert_not_proved(claim, *over)
