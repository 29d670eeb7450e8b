"""What follow-up papers state of known and new features: sample sizes, crossing points, many rows, small parameters."""

from __future__ import annotations

import pytest
import sympy
from sympy import Symbol, oo

from rftheory.author import (
    Parameter,
    Rational,
    Rows,
    Term,
    conformity,
    cosh,
    coupling,
    d,
    decreasing,
    equal,
    exp,
    feature_map,
    forget,
    gap,
    gaussian,
    hyperbolic,
    iid,
    increasing,
    limit,
    log,
    m,
    mse,
    oprf,
    orthogonal,
    positive,
    simplex,
    sqrt,
    tail,
    trigonometric,
    v,
    variance,
    with_features,
    x,
    y,
    z,
)
from rftheory.check.resolve import resolve
from rftheory.errors import InvalidInput
from rftheory.judge import Decision
from rftheory.statement.atoms import PairCount
from rftheory.statement.domain import Domain
from rftheory.statement.pairs import runs_of
from rftheory.statement.provers.dimension import pairs_of_many
from rftheory.statement.provers.signs import sign
from rftheory.statement.settle import alone
from tests.statement.stating import assert_holds, assert_not_proved, stated

eps, delta = Symbol("eps", positive=True), Symbol("delta", positive=True)
t = Symbol("t", real=True)
HALF, N = Rational(1, 2), Symbol("n")
P, T, H, OP = (features(iid, m=m) for features in (positive, trigonometric, hyperbolic, oprf))
PO, OO = positive(orthogonal, m=m), oprf(orthogonal, m=m)
ROWS = (exp(v**2) - 1) / eps**2
RHO = conformity(orthogonal) * exp(-(v**2))
MANY = limit(m * mse(PO), m, oo)

TRUE = [
    # how many rows are enough, as a condition on m
    (mse(P) <= eps**2 * gaussian**2, (m >= ROWS,)),
    (mse(P) < eps**2 * gaussian**2, (m > ROWS,)),
    (mse(OO) <= eps**2 * gaussian**2, (m >= ROWS,)),
    (tail(T, eps) <= delta, (m >= 2 * log(2 / delta) / eps**2,)),
    (tail(OO, eps) <= delta, (m * delta >= ROWS,)),
    (mse(PO) < gaussian**2 / 9, (m >= 9 * exp(v**2),)),
    (tail(T, eps) < delta, (m >= 2 * log(2 / delta) / eps**2 + 1,)),
    # where positive features are better than waves
    (mse(P) < mse(T), (exp(v**2) < cosh(z**2),)),
    (mse(P) <= mse(T), (exp(v**2) <= cosh(z**2),)),
    (mse(P) < mse(T), (z**2 >= v**2 + log(2),)),
    (mse(P) < mse(T), (2 * v**2 <= 2 * z**2 - log(4),)),
    (mse(OO) < mse(T), (z >= sqrt(v**2 + log(2)),)),
    (mse(positive(simplex, m=m)) < mse(T), (z**2 >= v**2 + log(2), d >= 2)),
    (mse(T) <= eps**2, (m >= 1 / (2 * eps**2),)),
    (mse(T) <= delta, (m >= 1 / delta,)),
    (mse(H) <= eps**2 * gaussian**2, (m >= ROWS / 2,)),
    (tail(T, eps) <= delta, (m >= 1 / (2 * delta * eps**2),)),
    # where positive features are better than waves, and hyperbolic ones than both
    (mse(P) <= mse(T), (z >= 1, v <= z / 2)),
    (mse(H) <= mse(P) / 4, (v <= HALF,)),
    (mse(P) <= exp(-(z**2)) / m, (v <= sqrt(log(2)),)),
    (mse(P) < exp(-(z**2)) / m, (v < sqrt(log(2)),)),
    (mse(P) > exp(-(z**2)) / m, (v > sqrt(log(2)),)),
    (exp(v**2) * (3 - exp(v**2)) <= Rational(9, 4), (v <= 20000,)),
    (mse(P) < exp(v**2), (sqrt(d - 3) * v >= z,)),
    # what orthogonal rows save, at most
    (gap(PO) <= v**4 * exp(v**2 - z**2) / (2 * d), (m <= d,)),
    (gap(positive(orthogonal)) <= (d - 1) * v**4 * exp(v**2 - z**2) / (2 * d * (d + 2)), ()),
    (conformity(orthogonal) >= (1 - v**4 / (2 * d)) * exp(v**2), ()),
    (mse(positive(orthogonal)) >= mse(positive(iid, m=2 * d)), ()),
    (mse(PO) >= v**2 * exp(-(z**2)) / m, (m <= d,)),
    (mse(positive(orthogonal)) <= Rational(17, 20) * mse(positive(iid, m=d)), (equal(d, 64), equal(v, 1))),
    (mse(PO) >= v**2 * exp(-(z**2)) / m, ()),
    (increasing(mse(PO), v), ()),
    (increasing(mse(PO) / gaussian**2, v), ()),
    (increasing(mse(hyperbolic(orthogonal)) / gaussian**2, v), ()),
    # in the number of rows
    (decreasing(mse(PO), m), (v > 0,)),
    (decreasing(mse(OP), m), (v > 0,)),
    (exp(-(z**2)) * (exp(v**2) - 1 + (d - 1) * (RHO - 1)) == MANY, ()),
    (exp(-(z**2)) * (exp(v**2) - 1) >= MANY, ()),
]

FALSE = [
    (mse(P) < eps**2 * gaussian**2, (m >= ROWS,)),  # equality at the end
    (mse(P) <= eps**2 * gaussian**2, (m >= ROWS / 2,)),
    (mse(P) < gaussian**2 / 9, (m >= 9 * exp(v**2) - 9,)),
    (tail(T, eps) <= delta, (m >= log(2 / delta) / (8 * eps**2),)),
    (mse(P) < mse(T), (exp(v**2) <= cosh(z**2),)),
    (mse(P) < mse(T), (z**2 >= v**2,)),
    (mse(P) < mse(T), (v**2 <= 2 * z**2,)),
    (mse(T) < mse(P), (z**2 >= v**2 + log(2),)),
    (mse(T) <= eps**2, (m >= 1 / (3 * eps**2),)),
    (mse(T) <= delta, (m >= 1 / (3 * delta),)),
    (mse(P) <= mse(T), (z >= 1, v <= z)),
    (mse(H) < mse(P) / 4, (v <= HALF,)),
    (mse(H) <= mse(P) / 4, (v <= 1,)),
    (gap(PO) <= v**4 * exp(v**2 - z**2) / (3 * d), (m <= d,)),
    (gap(positive(orthogonal)) < (d - 1) * v**4 * exp(v**2 - z**2) / (2 * d * (d + 2)), ()),
    (conformity(orthogonal) >= (1 - v**4 / (2 * d + 6)) * exp(v**2), ()),
    (mse(positive(orthogonal)) >= Rational(9, 10) * mse(positive(iid, m=d)), (d >= 2,)),
    (mse(positive(orthogonal)) <= Rational(7, 10) * mse(positive(iid, m=d)), (equal(d, 64), equal(v, 1))),
    # equal at an end that belongs to the range
    (mse(P) < exp(-(z**2)) / m, (v <= sqrt(log(2)),)),
    (mse(P) > exp(-(z**2)) / m, (v >= sqrt(log(2)),)),
    (variance(P) < 2 * exp(-(z**2)) / m, (v <= sqrt(log(3)),)),
    # a variable of the name of an index
    (N * exp(2 * v**2) + Rational(1, 1000) > v**4 * exp(v**2) / 1000, (v > 0, N > 0)),
    (decreasing(mse(PO) / gaussian**2, v), ()),
    (increasing(mse(PO) / gaussian**4, z), ()),  # what is left does not depend on z
    (decreasing(mse(positive(simplex, m=m)), m), (v > 0, d >= 2)),  # not so where a block begins
    (decreasing(mse(trigonometric(orthogonal, m=m)), m), (z > 0,)),
    (increasing(gap(PO), m), (v > 0, d >= 2)),
    (decreasing(mse(PO), m), ()),
    (decreasing(mse(OP), m), ()),  # at v = 0 there is no error
    (exp(-(z**2)) * (exp(v**2) - 1 + d * (RHO - 1)) == MANY, (d >= 2, v > 0)),
    # orthogonal waves err more than independent ones where z is large
    (mse(trigonometric("orthogonal", m=m)) <= mse(T), (m <= d,)),
]


REFUTED = [
    (mse(T) <= eps**2, (m >= 1 / (3 * eps**2),)),
    (mse(trigonometric(iid, m=1)) <= eps**2, (1 / (3 * eps**2) <= 1,)),
    (mse(P) <= eps**2 * gaussian**2, (m >= 2, m >= 3 * ROWS / 4)),
    (mse(P) <= eps * gaussian**2, (m >= 9 * eps * ROWS / 10,)),
    (mse(P) >= gaussian**2 * (exp(v**2) - 1) / 100, (v > 0,)),
]
"""Next to the end that a condition sets, or with many rows."""


@pytest.mark.parametrize(("claim", "over"), REFUTED, ids=str)
def test_what_is_too_few_rows_is_refuted(claim: object, over: tuple[object, ...]) -> None:
    assert alone(stated(claim, *over)) is Decision.FAILS


@pytest.mark.parametrize(("claim", "over"), TRUE, ids=str)
def test_what_is_true_is_proved(claim: object, over: tuple[object, ...]) -> None:
    assert_holds(claim, *over)


@pytest.mark.parametrize(("claim", "over"), FALSE, ids=str)
def test_what_is_false_is_not(claim: object, over: tuple[object, ...]) -> None:
    assert_not_proved(claim, *over)


def test_rows_that_err_more_are_not_replaced_by_independent_ones() -> None:
    """Waves of three rows at 120 degrees: their error is larger, and so is no bound that of independent rows."""
    coupling("three", "", "a test", rows=Rows(3, norm=0), cosine=Rational(-1, 2), min_dim=2)
    try:
        bound = (1 - exp(-(z**2))) ** 2 / 6
        assert alone(stated(mse(trigonometric("three")) <= bound)) is Decision.FAILS
        assert alone(stated(mse(positive("three")) <= exp(v**2 - z**2) / 3)) is Decision.HOLDS
    finally:
        forget("three")


def test_small_parameters() -> None:
    a = Symbol("a", positive=True)
    made = feature_map(
        "damped", "", "a test",
        Term(sqrt(1 + 4 * a) * (x + y), log(1 + 4 * a) / 2 - (x**2 + y**2) / 2, q=-2 * a),
        parameters=(Parameter(a, "damping"),),
    )  # fmt: skip
    try:
        damped = with_features(made)(iid, m=m, a=a)
        gain = limit((mse(P) - mse(damped)) / a, a, 0)
        assert alone(stated(limit(mse(damped), a, 0) == mse(P))) is Decision.HOLDS
        assert alone(stated(gain == 8 * v**2 * exp(v**2 - z**2) / m)) is Decision.HOLDS
        assert alone(stated(gain == 4 * v**2 * exp(v**2 - z**2) / m, v > 0)) is not Decision.HOLDS
        assert alone(stated(limit(mse(damped), a, 0) == mse(T))) is not Decision.HOLDS
    finally:
        forget("damped")


def test_the_best_weight_of_two_signs_is_one_half() -> None:
    p = Symbol("p", nonnegative=True)
    made = feature_map(
        "two-signs", "", "a test",
        Term(x + y, -(x**2 + y**2) / 2, weight=p), Term(-x - y, -(x**2 + y**2) / 2, weight=1 - p),
        parameters=(Parameter(p, "weight"),),
    )  # fmt: skip
    try:
        mixed = with_features(made)
        best, third = (mse(mixed(iid, m=m, p=Rational(1, n))) for n in (2, 3))
        assert alone(stated(best <= mse(mixed(iid, m=m, p=p)))) is Decision.HOLDS
        assert alone(stated(third <= mse(mixed(iid, m=m, p=p)))) is Decision.FAILS
        assert alone(stated(best < mse(mixed(iid, m=m, p=p)), v > 0)) is Decision.FAILS
    finally:
        forget("two-signs")


def test_even_powers_have_a_sign_and_odd_ones_and_divisors_none() -> None:
    over = Domain.of(stated(t < 2).claim, ())
    assert [sign((3 * t - 1) ** n, over) for n in (2, 3, -2)] == ["nonnegative", None, None]


def test_a_condition_beside_a_number_in_the_exponent_is_read() -> None:
    low, enough = exp(2 * t**2 - 4), t**2 >= Rational(3, 2)
    assert alone(stated(low >= exp(-1), enough)) is Decision.HOLDS
    assert alone(stated(low >= exp(1), enough)) is Decision.FAILS


def test_integers_do_not_come_near_0_and_parameters_do() -> None:
    k, b = Symbol("k", integer=True, nonnegative=True), Symbol("b", nonnegative=True)
    assert (
        alone(stated(limit(exp(k), k, 0) == 1))
        is alone(stated(limit(exp(k), k, 0) == 2))
        is Decision.UNDECIDED
    )
    assert alone(stated(limit(exp(b), b, 0) == 1)) is Decision.HOLDS


def test_a_limit_of_pairs_without_a_series_is_left_open() -> None:
    """At v = 0 what an acute angle saves is 0, with a sign that is not proved, and sympy has no series of it."""
    acute = coupling("acute", "", "a test", rows=Rows(d), cosine=Rational(1, 2))
    try:
        saved = gap(positive(acute))
        assert alone(stated(limit(1 / saved, v, 0) == -oo)) is Decision.UNDECIDED
        assert alone(stated(limit(1 / saved, v, 0) == oo)) is Decision.FAILS  # as at d = 2
        assert alone(stated(limit(saved, v, 0) == 0)) is Decision.HOLDS
        assert alone(stated(limit(saved, v, 0) == 1)) is Decision.FAILS
    finally:
        forget("acute")


@pytest.mark.parametrize("rows", [1, 5, 6, 7, 12, 29])
def test_the_number_of_pairs_of_many_rows_is_off_by_what_the_last_block_lacks(rows: int) -> None:
    most = pairs_of_many(PairCount("mirrored", d, m), m).subs({d: 3, m: rows})
    left = rows % 6
    assert most - PairCount("mirrored", 3, rows) == sympy.Rational(left * (6 - left), 2)


def test_a_count_of_another_form_is_said_to_be_none_that_is_known() -> None:
    halves = coupling("halves", "", "a test", rows=Rows(d // 2), min_dim=2)
    squares = coupling("squares", "", "a test", rows=Rows(d**2 // 2), min_dim=2)
    try:
        assert [run.count for run in runs_of(halves)] == [d // 2]
        with pytest.raises(Exception, match="is not made of powers and floors of d, and known to be >= 0"):
            runs_of(squares)
    finally:
        forget("halves")
        forget("squares")


def test_check_says_where_the_sampler_of_a_feature_map_is_tested() -> None:
    def sampler(projected: object, squares: object) -> object:
        return projected

    with pytest.raises(InvalidInput, match="tested by `rftheory verify`"):
        resolve(sampler)
