"""Ratios of estimates, exponential moments, and means of rows against one row: true claims beside false ones."""

from __future__ import annotations

from contextlib import suppress

import pytest
from sympy import I, Symbol, log, sqrt, symbols

from rftheory.author import (
    Parameter,
    Rational,
    Rows,
    Term,
    coupling,
    covariance,
    d,
    equal,
    exp,
    feature_map,
    gaussian,
    gerf,
    hyperbolic,
    iid,
    limit,
    lower_tail,
    m,
    mean,
    mgf,
    mse,
    oo,
    orthogonal,
    positive,
    simplex,
    tail,
    trigonometric,
    upper_tail,
    v,
    variance,
    with_features,
    x,
    y,
    z,
)
from rftheory.errors import InvalidInput, NotKnown
from rftheory.judge import Decision
from rftheory.statement.provers.bounds import by_bounds, by_correlation, by_gain
from rftheory.statement.provers.identity import by_identity
from rftheory.statement.settle import settled
from rftheory.statement.words import Claim, Mechanism, Side
from tests.statement.stating import stated

A, c, t, eps = Symbol("A", negative=True), Symbol("c", real=True), *symbols("t eps", positive=True)
share = Symbol("share", positive=True)
v2, z2 = symbols("v_2 z_2", nonnegative=True)
ROWS, FRAME = positive(iid, m=m), positive(orthogonal, m=m)
WAVES, BUMPS = trigonometric(iid, m=m), gerf(iid, m=m, A=A)
MIRRORED, MIRRORED_WAVES = positive("mirrored", m=m), trigonometric("mirrored", m=m)
OTHER = exp(-(z2**2) / 2)
FIXED = positive("orthogonal-fixed", m=m)
SPHERE, SOFTMAX = gerf("orthogonal-fixed", m=m, A=A), trigonometric(iid, m=m, kernel="softmax")
PHASES = with_features("cosine")(orthogonal, m=m)
INDEPENDENT_PHASES = with_features("cosine")(iid, m=m)
OF_SUMS = exp(-(v**2 + v2**2 - 2 * c * v * v2) / 2)


def shared(mechanism: Mechanism, cosine: object = c) -> Side:
    return covariance(mechanism, v=v2, z=z2, cosine=cosine)


def ratio_error(mechanism: Mechanism) -> Side:
    """The variance of K^(q, k_1)/(K^(q, k_1) + K^(q, k_2)) to first order, times (K_1 + K_2)^4/(K_1 K_2)^2."""
    one, two = mse(mechanism), mse(mechanism).at(v=v2, z=z2)
    return one / gaussian**2 + two / OTHER**2 - 2 * shared(mechanism) / (gaussian * OTHER)


def decision(claim: Claim, *over: object) -> Decision:
    return settled(stated(claim, *over)).decision


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (shared(ROWS) == gaussian * OTHER * (exp(c * v * v2) - 1) / m, ()),
        (shared(ROWS) >= 0, (c >= 0,)),
        (shared(WAVES) >= 0, ()),
        (covariance(FRAME, v=v, z=z, cosine=1) == mse(FRAME), ()),
        (covariance(PHASES, v=v, z=z, cosine=1) == mse(PHASES), ()),
        (shared(INDEPENDENT_PHASES) == shared(WAVES) + OF_SUMS / (2 * m), ()),
        (ratio_error(PHASES) >= 0, ()),
        (ratio_error(ROWS) == (exp(v**2) + exp(v2**2) - 2 * exp(c * v * v2)) / m, ()),
        (ratio_error(ROWS) <= (exp(v**2) + exp(v2**2) - 2) / m, (c >= 0,)),
        (ratio_error(FRAME) >= 0, ()),
        (mgf(BUMPS, t) == mgf(gerf(iid, m=1, A=A), t / m) ** m, ()),
        (mgf(gerf(orthogonal, m=m, A=A), t) <= mgf(BUMPS, t), ()),
        (mgf(ROWS, -t) >= exp(-t * gaussian), ()),
        (mgf(ROWS, -t) <= exp(-t * gaussian + t**2 * gaussian**2 * exp(v**2) / (2 * m)), ()),
        (mgf(WAVES, t) <= exp(t * gaussian + t**2 / (4 * m)), ()),
        (mgf(ROWS, 0) == 1, ()),
        (mgf(FRAME, -t) < 1, ()),  # of features above 0
        (upper_tail(gerf(orthogonal, m=m, A=A), eps) <= exp(-t * (gaussian + eps)) * mgf(BUMPS, t), ()),
        (lower_tail(FRAME, eps) <= exp(t * (gaussian - eps)) * mgf(FRAME, -t), ()),
        (mse(MIRRORED_WAVES) <= mse(trigonometric(iid, m=1)), ()),
        (mse(trigonometric(simplex, m=m)) < mse(trigonometric(iid, m=1)), (m >= 2, z > 0)),
        (variance(positive("sobol", m=m)) <= variance(positive(iid, m=1)), ()),
        (variance(positive("sobol", m=m)) <= variance(positive(iid, m=1)), (m >= 2,)),
        (mse(MIRRORED) < mse(FRAME), (v > 0, m > d)),
        (equal(limit(d**2 * share**d, d, oo), 0), (share < 1,)),
        (equal(limit(share**d, d, oo), oo), (share > 1,)),
    ],
    ids=str,
)
def test_what_is_true_is_proved(claim: Claim, over: tuple[object, ...]) -> None:
    assert decision(claim, *over) is Decision.HOLDS


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (shared(ROWS) == gaussian * OTHER * (exp(2 * c * v * v2) - 1) / m, ()),
        (shared(ROWS) >= 0, ()),
        (ratio_error(FRAME) > 0, ()),  # of one pair twice
        (covariance(PHASES, v=v, z=z, cosine=-1) == mse(PHASES), ()),  # both pairs have the same phases
        (shared(INDEPENDENT_PHASES) == shared(WAVES) + 1 / (2 * m), ()),
        (mgf(BUMPS, t) == mgf(gerf(iid, m=1, A=A), t) ** m, ()),
        (mgf(gerf(orthogonal, m=m, A=A), t) < mgf(BUMPS, t), ()),
        (mgf(FIXED, t) <= exp(t * gaussian), ()),
        (mgf(ROWS, -t) >= exp(-t * gaussian / 2), ()),
        (mgf(ROWS, -t) <= Rational(1, 2), ()),
        (mgf(WAVES, -t) <= 1, ()),
        (mgf(WAVES, t) <= exp(t * gaussian + t**2 / (8 * m)), ()),
        (lower_tail(ROWS, eps) <= exp(t * (gaussian - eps)) * mgf(ROWS, -2 * t), ()),
        (mse(MIRRORED_WAVES) <= mse(trigonometric(iid, m=2)), ()),
        (mse(trigonometric(simplex, m=m)) < mse(trigonometric(iid, m=1)), (z > 0,)),
        (mse(MIRRORED) < mse(FRAME), (v > 0, m >= d)),
        (equal(limit(share**d, d, oo), 0), (share <= 1,)),
    ],
    ids=str,
)
def test_what_is_false_is_refuted(claim: Claim, over: tuple[object, ...]) -> None:
    assert decision(claim, *over) is Decision.FAILS


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        # false: waves have no rising powers, and negative t turns the signs of odd ones
        (mgf(trigonometric(orthogonal, m=m), t) <= mgf(WAVES, t), ()),
        (mgf(gerf(orthogonal, m=m, A=A), -t) <= mgf(BUMPS, -t), ()),
        (mgf(hyperbolic("mirrored", m=m), t) <= mgf(hyperbolic(iid, m=m), t), ()),  # infinite
        (mgf(FRAME, t) <= mgf(ROWS, t), ()),
        (mse(trigonometric("orthogonal-fixed", m=m)) < mse(trigonometric(iid, m=1)), (m >= 2, z > 0)),
        # rows of fixed norms have another mean, and other kernels other values
        (mgf(gerf("orthogonal-fixed", m=m, A=A), t) <= mgf(BUMPS, t), ()),
        (lower_tail(SPHERE, eps) <= exp(t * (mean(SPHERE) - eps)) * mgf(SPHERE, -t), ()),
        (mgf(SOFTMAX, t) <= exp(t * mean(SOFTMAX) + t**2 / (4 * m)), ()),
        (
            v * mse(trigonometric(simplex, m=m)) < v * mse(trigonometric(iid, m=1)),
            (m >= 2, z > 0),
        ),  # 0 at v = 0
    ],
    ids=str,
)
def test_no_rule_proves_what_it_does_not_cover(claim: Claim, over: tuple[object, ...]) -> None:
    statement = stated(claim, *over)
    for way in (by_bounds, by_gain):
        with suppress(NotKnown):
            assert way(statement.parts[0], statement.domain) is None


@pytest.mark.usefixtures("undeclared")
def test_no_rule_covers_other_maps_and_rows() -> None:
    """Negative weights, complex terms, phases, two slopes; rows that share a norm, of one length, not of one law."""
    base, wave = -(x**2 + y**2) / 2, (x**2 + y**2) / 2
    bump, narrow = {"b": sqrt(2) * (x + y), "log": base + log(2) / 2, "q": -Rational(1, 2)}, Rational(1, 8)
    less, phased, phased_bump, turned, complex_square, complex_slope, narrow_waves, two_slopes, complex_bump = (
        with_features(feature_map(f"other-{number}", "", "a test", *terms))(iid, m=m)
        for number, terms in enumerate((
            (Term(x + y, base, weight=2), Term(0, x * y, weight=-1)),
            (Term(x + y, base), Term(x + y, base, weight=2, phase=1)),
            (Term(**bump), Term(**bump, weight=2, phase=1)),
            (Term(x + y, base + 3 * I * x * y),),
            (Term(x + y, base, q=I / 20),),
            (Term((1 + I) * (x + y), base),),
            (Term(I * sqrt(1 - 2 * narrow) * (x - y), wave + log(1 - 2 * narrow) / 2, q=narrow),),
            (Term(**bump), Term(2 * bump["b"], base, q=bump["q"])),
            (Term((1 + I) * (x + y), base, q=bump["q"]),),
        ))
    )  # fmt: skip
    weight = Symbol("p", real=True)
    weighted = feature_map(
        "weighted", "", "a test", Term(**bump, weight=weight), parameters=(Parameter(weight, ""),)
    )
    of_one_norm = coupling("of-one-norm", rows=Rows(d, norm=0))
    sphere = trigonometric(coupling("of-one-length", rows=Rows(1), norms="fixed"), m=m)
    not_alike = coupling("not-alike", rows=Rows(1), marginal=False)
    framed = with_features(two_slopes.feature)(orthogonal, m=m)
    repeated = coupling("repeated", rows=Rows(4, axis=0, norm=0))
    same_waves, same_rows = trigonometric(repeated, m=m), positive(repeated, m=m)

    def by_second_moment(mechanism: Mechanism, order: object) -> Claim:
        second = m * mse(mechanism) + gaussian**2
        return mgf(mechanism, order) <= exp(order * gaussian + order**2 * second / (2 * m))

    four, two = (gerf(orthogonal, m=rows, A=-narrow) for rows in (4, 2))
    for claim, over in (
        (mgf(less, -t) <= 1, ()),
        (lower_tail(phased, eps) <= 0, (eps >= gaussian,)),
        (mgf(phased, -t) >= exp(-t * gaussian), ()),  # infinite, as the next three
        (mgf(turned, -t) >= exp(-t * mean(turned)), ()),
        (mgf(complex_square, -t) >= exp(-t * mean(complex_square)), ()),
        (mgf(complex_slope, -t) >= exp(-t * mean(complex_slope)), ()),
        (lower_tail(phased_bump, eps) <= 0, (eps > gaussian,)),
        (tail(narrow_waves, eps) <= 0, (eps > 2,)),
        (mean(complex_bump) >= 0, ()),
        (mean(with_features(weighted)(iid, p=weight)) <= 0, ()),
        (mgf(framed, t) <= mgf(two_slopes, t), ()),
        (mgf(gerf(of_one_norm, m=m, A=A), t) <= mgf(BUMPS, t), ()),
        (mgf(sphere, t) <= exp(t * mean(sphere) + t**2 / (4 * m)), ()),
        (variance(trigonometric(not_alike, m=m)) <= variance(trigonometric(not_alike, m=1)), ()),
        (mgf(four, 4 * t) == mgf(two, 2 * t) ** 2, (d >= 3,)),
        (mgf(same_waves, t) <= exp(t * gaussian + t**2 / (4 * m)), ()),
        (mgf(same_waves, t) <= exp(t * gaussian + t**2 / (2 * m)), ()),
        (mgf(BUMPS, t) <= 1, ()),  # t is not negative
        (by_second_moment(BUMPS, t), ()),
        (by_second_moment(same_rows, -t), ()),
        (by_second_moment(less, -t), ()),
        (shared(ROWS) ** 2 >= mse(ROWS) * mse(ROWS).at(v=v2, z=z2), ()),  # correlations may be 0
    ):
        statement = stated(claim, *over)
        for way in (by_bounds, by_gain, by_identity, by_correlation):
            with suppress(NotKnown):
                assert way(statement.parts[0], statement.domain) is None, claim


def test_orthogonal_rows_may_make_a_ratio_worse() -> None:
    worse = [
        ratio_error(positive(rows, m=2)).at(v=3, v_2=4, d=2, c=1, z=0, z_2=0) for rows in (orthogonal, iid)
    ]
    assert decision(worse[0] > worse[1]) is Decision.HOLDS
    same = [
        ratio_error(positive(rows, m=2)).at(v=3, v_2=4, d=2, c=0, z=0, z_2=0) for rows in (orthogonal, iid)
    ]
    assert decision(same[0] < same[1]) is Decision.HOLDS


def test_a_cosine_is_one() -> None:
    with pytest.raises(InvalidInput, match="cosine"):
        covariance(ROWS, v=1, z=1, cosine=Rational(3, 2))


def test_two_pairs_at_an_angle_need_a_plane() -> None:
    assert stated(shared(ROWS, Rational(1, 2)) >= 0).domain.spans[d].low == 2
    assert stated(shared(ROWS, -1) <= 0).domain.spans[d].low == 1
    with pytest.raises(InvalidInput, match="at least 2"):
        stated(shared(ROWS, Rational(1, 2)).at(d=1) >= 0)
