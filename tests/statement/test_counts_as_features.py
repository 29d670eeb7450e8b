"""Features made of random counts: their mean is the kernel where the counts have a law, and nothing else is known."""

from dataclasses import replace

import pytest
from sympy import Symbol

from rftheory.author import (
    Rational,
    exp,
    feature_map,
    forget,
    gaussian,
    iid,
    m,
    mean,
    mse,
    orthogonal,
    v,
    variance,
    with_features,
    z,
)
from rftheory.spec import find_map
from tests.statement.stating import assert_holds, assert_not_proved

poisson, geometric = with_features("poisson"), with_features("geometric")
s = Symbol("s", real=True)
HALF = Rational(1, 2)


@pytest.mark.parametrize(
    ("features", "over"),
    [
        (poisson(iid, m=m, lam=2), ()),
        (poisson(iid, m=m, lam=s), (s > 0,)),
        (geometric(iid, m=m, p=HALF), ()),
        (geometric(iid, m=m, p=s), (s > 0, s < 1)),
    ],
)
def test_the_mean_is_the_kernel(features, over):
    assert_holds(mean(features) == gaussian, *over)
    assert_not_proved(mean(features) == gaussian**2, *over)


@pytest.mark.parametrize(
    ("features", "over"),
    [
        (poisson(iid, m=m, lam=s), (s >= 0,)),
        (poisson(iid, m=m, lam=-1), ()),
        (geometric(iid, m=m, p=2), ()),
        (geometric(iid, m=m, p=s), (s > 0,)),
    ],
)
def test_nothing_is_proved_where_counts_have_no_law(features, over):
    assert_not_proved(mean(features) == gaussian, *over)


def test_other_laws_are_not_known():
    features = poisson(iid, m=m, lam=1)
    assert_holds(mean(poisson(iid, m=m, lam=1, kernel="softmax")) == exp((v**2 - z**2) / 4))
    assert_not_proved(mse(features) >= 0)
    assert_not_proved(variance(features) == mse(features))
    assert_not_proved(mean(poisson(orthogonal, m=m, lam=1)) == gaussian)


def test_counts_with_a_bias_have_another_mean():
    known = find_map("poisson")
    doubled = replace(known.table, value=2 * known.table.value)
    feature_map("biased-counts", "twice the kernel", "ours", table=doubled, parameters=known.parameters)
    try:
        assert_not_proved(mean(with_features("biased-counts")(iid, m=m, lam=2)) == gaussian)
    finally:
        forget("biased-counts")
