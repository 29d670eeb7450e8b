"""Statements that are false at a corner alone, or true up to an end of the domain: none is judged the wrong way."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
import sympy

from rftheory.author import (
    ORTHOGONAL,
    O,
    Rational,
    Rows,
    Term,
    average,
    conformity,
    coupling,
    covariance,
    d,
    decreasing,
    equal,
    exp,
    feature_map,
    for_some,
    forget,
    gamma,
    gap,
    gaussian,
    gerf,
    i,
    iid,
    increasing,
    limit,
    m,
    mean,
    mgf,
    mse,
    oo,
    oprf,
    orthogonal,
    positive,
    simplex,
    sin,
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
from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.exact.proof import derivation
from rftheory.exact.typeset import typeset
from rftheory.judge import Decision
from rftheory.judge.budget import Budget
from rftheory.statement import Statement, run
from rftheory.statement.domain import Domain
from rftheory.statement.pointwise import decide
from rftheory.statement.provers.proof import prove
from rftheory.statement.provers.series import Atom, Series, signs
from rftheory.statement.settle import alone, settled
from rftheory.statement.words import Side, claimed
from tests.statement.stating import stated

n = sympy.Symbol("n", integer=True)
A = sympy.Symbol("A", real=True)
BELOW = sympy.Symbol("x", negative=True)
X = sympy.Symbol("X", positive=True)
RHO = conformity(orthogonal)

w = sympy.Symbol("w", integer=True, nonnegative=True)
p, q, k = sympy.symbols("p q k", integer=True)
u, t = sympy.symbols("u t", real=True)
STRIP = (t - Rational(301, 1000)) * (t - Rational(302, 1000))
"""Negative between 0.301 and 0.302 alone."""
HIDDEN = exp(sin(2 * v)) - exp(2 * sin(v) * sympy.cos(v))
"""0 in two forms."""
WITH_CASE = sympy.Derivative(sympy.Piecewise((u, sympy.Eq(u, 1)), (u**2, True)), u)
SIX = sympy.prod([k - i for i in range(6)])

# (1 + 1/(2d)) (1 - 1/(2d) + 1/(4d^2)) = 1 + 1/(8d^3): these differ by 1/(8d^3) in the leading order
ONE = gamma(d + Rational(1, 2)) / (gamma(d) * sqrt(d))
OTHER = gamma(d + Rational(3, 2)) / (gamma(d) * d ** Rational(3, 2)) * (1 - 1 / (2 * d) + 1 / (4 * d**2))


FALSE = [
    stated(n + 1 > 0),  # integers may be negative
    stated(sympy.Ge(n**2 + 3 * n, 0, evaluate=False)),
    stated(limit(exp(d) / d**2, d, oo) == 0),
    stated(limit((-1) ** d, d, oo) == 1),
    stated(limit(sin(d), d, oo) == 0),
    stated(limit(sqrt(d), d, oo) == 0),
    stated(equal(2**d, O(d**5))),
    stated(equal(1 / sqrt(d), O(1 / d))),
    stated(limit(d**3 * (OTHER - ONE), d, oo) == Rational(31, 256)),
    stated(equal(OTHER, ONE + O(1 / d**4))),
    stated(for_some(v, exp(v) < 1, -3, 1)),  # v is a norm
    stated(decreasing(RHO, d), d <= 9, v > 0),
    stated(increasing(10 * d - d**2, d), d <= 6),  # 25 at d = 5, 24 at d = 6
    stated(increasing(sin(v), v), v <= 2),
    # the limit is another one where a coefficient vanishes
    stated(limit(d * v / (d * v + 1), d, oo) == 1),
    stated(limit((d * A**2 - d + 1) / (d * A**2 - d + 2), d, oo) == 1, A >= 0, A <= 2),
    stated(limit(z**2 * d / (z**2 * d + exp(-(v**2))), d, oo) == 1),
    stated(limit(sqrt(d**2 * v**2 + d) - d * v, d, oo) == 1 / (2 * v)),
    stated(limit(v ** (1 / d), d, oo) == 1),
    stated(equal(1 + 1 / d, 1 + v * O(1 / d))),
    stated(equal(1 + 1 / d**2, 1 + v * O(1 / d))),
    stated(equal(1 + 1 / d, 1 + (v**2 - 1) * O(1 / d))),
    stated(equal(1 / (d * v + 1), O(1 / d))),
    # a power whose exponent is not known is no term of a series
    stated(limit(d**v / d, d, oo) == 0),
    stated(limit(d**v / d, d, oo) == 0, v <= 1),
    stated(limit(d**A * mse(positive(iid, m=d)), d, oo) == 0, A >= 1, v > 0),
    stated(limit(m**v * mse(positive(iid, m=m)), m, oo) == 0),
    stated(limit(sqrt(d) ** v / d, d, oo) == 0),
    stated(equal(d**v / d**2, O(1 / d))),
    stated(equal(d**A * mse(positive(iid, m=d)), O(1 / d)), A >= 2, v > 0),
    # far from the simplest points in two variables at once
    stated(mse(trigonometric(orthogonal, m=m)) <= mse(trigonometric(iid, m=m))),
    # sides that are not real have no order
    stated(sympy.Gt(d * exp(sympy.I * v), 0, evaluate=False)),
    stated(sympy.Gt(exp(sympy.I * z) * (exp(v**2) - 1), 0, evaluate=False), v > 0),
    stated(sympy.Gt(exp(sqrt(A - 2)), 0, evaluate=False), A >= 0, A <= 3),
    # false in a strip that no derivative shows
    stated(sympy.Gt(sympy.atan(sympy.tan(A)), -Rational(3, 2), evaluate=False), A >= 0, A <= 3),
    stated(sympy.Piecewise((1, 3 * A < 1), (-1, 500 * A < 167), (1, True)) > 0, A >= 0, A <= 1),
    # at a point that no search looks at
    stated(Side(sympy.atan((d - 10) ** 2)) > 0),
    stated(Side(sympy.Abs(sympy.acos(d - 10))) > 0),
    stated(Side(-sympy.binomial(n, 3)) >= 0),
    # an integral without a value, sums that are empty for some d and m
    stated(equal(sympy.Integral(1 / A**2, (A, -X, X)), -2 / X)),
    stated(limit(d / (d + 1) * sympy.Integral(1 / A**2, (A, -X, X)), d, oo) == -2 / X),
    stated(limit(d * (sympy.Integral(1 / A**2, (A, -X, X)) + 2 / X), d, oo) == 0),
    stated(equal(sympy.Sum(n, (n, 3, d)), d * (d + 1) / 2 - 3)),
    stated(limit(d / (d + 1) * sympy.Sum(n, (n, 3, m)), d, oo) == m * (m + 1) / 2 - 3),
    stated(equal(sympy.Product(n, (n, m, d)), sympy.factorial(d) / sympy.factorial(m - 1))),
    # at special values that algebra forgets, and across a cut
    stated(sympy.re(sympy.atan(2 * sympy.I + STRIP)) > 0, t >= 0, t <= 1),
    stated(sympy.im(sympy.uppergamma(Rational(1, 3), -1 + sympy.I * STRIP)) < 0, t >= 0, t <= 1),
    stated(sympy.im(sympy.hyper((1, 1), (2,), 2 + sympy.I * STRIP)) > 0, t >= 0, t <= 1),
    stated(equal(sympy.Sum((-1) ** k * SIX * sympy.binomial(d, k), (k, 0, d)), 0)),  # 720 at d = 6
    stated(equal(v * sympy.Sum((-1) ** k * sympy.binomial(w, k), (k, 0, w)), 0 * v)),
    stated(equal(v * sympy.Product(k - 1, (k, 1, w)), 0 * v)),
    stated(equal(v * sympy.Product(k - d, (k, d, m)), 0 * v)),
    stated(equal(sympy.binomial(q, p), sympy.binomial(q, q - p))),
    stated(equal(sympy.binomial(q, 2), sympy.binomial(q, q - 2)), q <= 64),
    stated(equal(v * sympy.binomial(q, q), v)),
    stated(equal(v * sympy.binomial(q, q - 1), v * q)),
    stated(equal(sympy.hyper((q + 2,), (q,), u), exp(u) * (1 + 2 * u / q + u**2 / (q * (q + 1))))),
    stated(
        equal(sympy.rf(2 * q, -q), 2 ** (1 - 2 * q) * sqrt(sympy.pi) / sympy.gamma(q + Rational(1, 2))),
        q <= 64,
    ),
    stated(equal(v * sympy.Subs(WITH_CASE, u, 1), v)),
    stated(equal(v * sympy.Derivative(sympy.Piecewise((0, u < -3), (1, True)), u), 0 * v)),
    stated(equal(sympy.Integral(v * z, (z, 0, 1)), Rational(1, 3)), equal(v, z)),
    stated(limit(HIDDEN / (HIDDEN + 1 / d), d, oo) == 1),
]
TRUE = [
    stated(sympy.Lt(BELOW**3, 1, evaluate=False)),
    stated(increasing(sin(v), v), v <= Rational(3, 2)),
    stated(increasing(4 * v - v**2, v), v <= 2),
    stated(increasing(v * (d - v), v), 2 * v <= d),
    stated(increasing(10 * d - d**2, d), d <= 5),
    stated(increasing(RHO, d), d <= 9, v > 0),
    stated(limit(d**3 * (OTHER - ONE), d, oo) == Rational(1, 8)),
    stated(equal(OTHER, ONE + O(1 / d**3))),
    stated(equal(m, 6), equal(d, 3), equal(m, 2 * d)),
    stated(equal(m, 6), equal(m, 2 * d), equal(d, 3)),
    stated(sympy.Ge(v * m, 0, evaluate=False), equal(v, d - 3)),
    stated(for_some(v, v > 5, 0, oo)),
    stated(for_some(m, equal(m**2, 9), 1, 6)),
    stated(limit(d * v, d, oo) == 0, v <= z, z <= 0),  # v = 0
    stated(limit(d**v / d, d, oo) == oo, v >= 2),
    stated(limit(HIDDEN / (HIDDEN + 1 / d), d, oo) == 0),
    stated(m <= 3, sympy.Sum(m * d, (m, 1, 2)) <= 9, equal(d, m)),
    stated(limit(d**v * variance(positive(iid, m=d)), d, oo) == oo, v >= 2),
]
HOLDS = [
    stated(limit(d * v / (d * v + 1), d, oo) == 1, v > 0),
    stated(limit(d / (d + exp(v**2)), d, oo) == 1),
    stated(limit(exp(-(v**2)) / RHO, d, oo) == exp(-2 * v**2)),
    stated(equal(1 + 1 / d, 1 + v * O(1 / d)), v > 0),
    stated(sympy.Gt(exp(sqrt(A)), 0, evaluate=False), A >= 0, A <= 3),
    stated(equal(sympy.Integral(exp(A * X), (A, 0, 1)), (exp(X) - 1) / X)),
    stated(equal(sympy.Sum(n, (n, 3, d)), d * (d + 1) / 2 - 3), d >= 2),
    stated(equal(sympy.Product(n, (n, m, d)), sympy.factorial(d) / sympy.factorial(m - 1)), m <= d),
    stated(equal(v**2, 3 + 2 * sqrt(2)), v >= 1 + sqrt(2), v <= sqrt(3 + 2 * sqrt(2))),  # one point
    stated(equal(sympy.binomial(q, 2), sympy.binomial(q, q - 2)), q >= 0, q <= 64),
    stated(equal(sympy.binomial(w, p), sympy.binomial(w, w - p))),
    stated(
        equal(sympy.hyper((d / 2 + 2,), (d / 2,), u), exp(u) * (1 + 4 * u / d + u**2 / (d / 2 * (d / 2 + 1))))
    ),
    stated(equal(sympy.Integral(v * z, (z, 0, 1)), v / 2), equal(v, z)),
    stated(equal(sympy.Derivative(v * z**2, z), 2 * v**2), equal(v, z)),
    stated(equal(v * sympy.Sum(k * (k + m), (k, 0, m)), v * m * (m + 1) * (5 * m + 1) / 6)),
    stated(equal(sympy.Sum(1 / m, (k, 1, m), (p, 1, m - 1)), m - 1)),
    stated(equal(v * sympy.Product(k, (k, 1, w)), v * sympy.factorial(w))),
    stated(equal(sympy.rf(u, w + 1), sympy.rf(u, w) * (u + w))),
    stated(equal(exp(v**2), 1 + O(v**2)), v <= 3),
    stated(limit(d / (d + 1), d, oo) == 1, d >= 10),
    stated(limit((1 + 1 / d) ** A, d, oo) == 1),
    stated(for_some(z, gap(trigonometric(orthogonal)) < 0, 0, 10), equal(d, 4)),
]
FAILS = [
    # at m = 1, where most simple points lie, both sides are equal
    (mse(trigonometric(orthogonal, m=m)) <= mse(trigonometric(iid, m=m)), ()),
    (gap(trigonometric(orthogonal, m=m)) >= 0, (d >= 2, m <= d)),
    (mse(trigonometric(orthogonal, m=m)) < mse(trigonometric(iid, m=m)), (m >= 2, m <= d, z > 0)),
    (
        mse(trigonometric(orthogonal, m=m, kernel="softmax"))
        <= mse(trigonometric(iid, m=m, kernel="softmax")),
        (m <= d,),
    ),
    # only at v = 0, where no point is the simplest in all other variables
    (mse(positive(orthogonal, m=m)) < mse(positive(iid, m=m)), (m <= d, m >= 2)),
]
OUTSIDE = [
    stated(equal(exp(v**2), 1 + O(v**2)), v >= 1),
    stated(equal(d**2, d * (1 + O(1 / d))), d <= 10),
    stated(limit((exp(v**2) - 1) / v**2, v, 0) == 1, v >= 1),
    stated(limit(d / (d + 1), d, oo) == 1, d <= 10),
]


@pytest.mark.parametrize("statement", FALSE, ids=str)
def test_what_is_false_does_not_hold(statement: Statement) -> None:
    assert alone(statement) is not Decision.HOLDS


@pytest.mark.parametrize("statement", TRUE, ids=str)
def test_what_is_true_does_not_fail(statement: Statement) -> None:
    assert alone(statement) is not Decision.FAILS


@pytest.mark.parametrize("statement", HOLDS, ids=str)
def test_what_is_true_beside_it_holds(statement: Statement) -> None:
    assert alone(statement) is Decision.HOLDS


@pytest.mark.parametrize(("claim", "over"), FAILS, ids=str)
def test_what_is_false_far_from_the_simplest_points_is_refuted(
    claim: object, over: tuple[object, ...]
) -> None:
    assert alone(stated(claim, *over)) is Decision.FAILS


@pytest.mark.parametrize("statement", OUTSIDE, ids=str)
def test_nothing_is_said_of_a_limit_outside_the_domain(statement: Statement) -> None:
    assert alone(statement) is Decision.UNDECIDED


def test_an_increase_up_to_a_last_dimension_is_proved() -> None:
    assert alone(stated(increasing(RHO, d), d <= 9, v > 0)) is Decision.HOLDS


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (d > 100, (d >= 5, d <= 3)),
        (v > 100, (v > 3, v < 2)),
        (v > 100, (v > 1, v <= 1)),
        (v > 100, (v >= 1, v < 1)),
        (v > 5, (equal(d, 3), equal(d, 2), d >= 1)),
        (RHO.at(v=1) > 100, (d <= 5, RHO.at(v=1) > 1)),  # of which no point is known to lie in it
        (limit(RHO, d, oo) == exp(v**2), (equal(d, 3),)),
        (increasing(RHO, d), (equal(d, 3),)),
        (equal(m, m), (equal(m, d / 2),)),
        (v**2 > 1, (v != 1,)),  # which is True for Python
        (sympy.Symbol("e", even=True, positive=True) > v, ()),
    ],
    ids=str,
)
def test_a_domain_that_is_none_is_refused(claim: object, over: tuple[object, ...]) -> None:
    with pytest.raises(InvalidInput):
        stated(claim, *over)


@pytest.mark.parametrize("low", [3, sympy.I, -oo], ids=str)
def test_a_range_without_values_is_refused(low: sympy.Expr) -> None:
    with pytest.raises(InvalidInput, match="not above the upper"):
        for_some(v, v > 1, low, 0)


P = positive(iid, m=m)


@pytest.mark.parametrize(
    ("side", "said"),
    [
        (lambda: mse(oprf(iid, m=m, A=0)), "no value for A: the pair determines it"),
        (lambda: mean(positive(iid, m=m, kernel="rbf")), "gaussian or softmax"),
        (lambda: covariance(P, v=1, z=1, cosine=sympy.I), "a cosine"),
        (lambda: mgf(P, sympy.I), "a real number"),
        (lambda: average(exp(v**2), x=sympy.I), "a real scale"),
        (lambda: average(mse(P), pairs=[(1, 2, 3)]), "pairs of norms"),
        (lambda: average(mse(P), pairs=[1, 2]), "pairs of norms"),
        (lambda: tail(P, sympy.nan), "an exact number"),
        (lambda: decreasing(mse(P), m + 1), "a variable in the second place"),
    ],
)
def test_what_no_law_has_is_refused_by_the_word(side, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        side()


def test_exact_numbers_of_any_kind_are_sides() -> None:
    assert str(mse(P) < Fraction(1, 2)) == str(mse(P) < Rational(1, 2))
    assert str(mse(P) < np.int64(2)) == str(mse(P) < 2)


def test_features_by_a_matrix_that_may_be_zero_have_no_mean() -> None:
    by, one = with_features("complex-exponential"), sympy.Symbol("c", positive=True)
    for matrix, found in ((0, Decision.UNDECIDED), (t, Decision.UNDECIDED), (one, Decision.HOLDS)):
        assert alone(stated(mean(by(iid, m=m, matrix=matrix)) == gaussian)) is found
    assert alone(stated(mean(by(iid, m=m, matrix=t)) == gaussian, t > 0)) is Decision.HOLDS


def test_a_function_does_not_increase_at_one_value() -> None:
    with pytest.raises(InvalidInput, match="a comparison"):
        for_some(v, increasing(sin(v), v), 0, 3)


@pytest.mark.parametrize("cosine", [lambda i, j, d: Rational(-1, 23) if d == 24 else 0,
                                    sympy.Piecewise((Rational(-1, 39), sympy.Eq(d, 40)), (0, True))])  # fmt: skip
def test_a_cosine_that_differs_in_one_dimension_is_not_zero(cosine: object) -> None:
    odd = coupling("odd-dimension", "orthogonal but in one dimension", "this test",
                   rows=Rows(d), cosine=cosine)  # fmt: skip
    try:
        assert alone(stated(conformity(odd) == RHO)) is Decision.UNDECIDED
    finally:
        forget("odd-dimension")


def test_rows_of_small_dimensions_are_not_those_of_all() -> None:
    """Blocks of at most 32 or 40 rows are whole orthogonal or mirrored blocks up to d = 32 and d = 20."""
    capped = coupling("capped", rows=Rows(sympy.Min(d, 32)))
    first = sympy.Min(d, 40)
    twice = coupling("capped-pairs", rows=[Rows(first), Rows(sympy.Min(d, 40 - first), sign=-1)])
    try:
        over = (d >= 2, v > 0)
        same = mse(positive(capped, m=d)) == mse(positive(orthogonal, m=d))
        assert alone(stated(same, *over)) is Decision.FAILS
        assert alone(stated(same, *over, d <= 5)) is Decision.HOLDS
        better = [
            mse(positive(rows, m=2 * d)) < mse(positive(orthogonal, m=2 * d)) for rows in (twice, "mirrored")
        ]
        assert [alone(stated(claim, *over)) for claim in better] == [Decision.FAILS, Decision.HOLDS]
    finally:
        forget("capped")
        forget("capped-pairs")


def test_an_angle_that_differs_between_two_axes_is_found_in_every_dimension() -> None:
    odd = coupling("odd-angle", rows=Rows(d), min_dim=2,
                   cosine=lambda i, j, d: Rational(1, 2) if (i, j) == (20, 21) else 0)  # fmt: skip
    try:
        assert alone(stated(conformity(odd) == RHO, d >= 4)) is Decision.UNDECIDED
        assert alone(stated(conformity(odd) == RHO, d >= 4, d <= 8)) is Decision.HOLDS
        with pytest.raises(OutsideDomain, match="at most 384 axes"):
            odd.block(400)
    finally:
        forget("odd-angle")


def test_angles_that_unit_vectors_have_in_small_dimensions_only_prove_nothing_of_all() -> None:
    """At the cosine -1/20 there are 21 axes; in d dimensions there are d + 1 at -1/d."""
    far = coupling("far-angle", min_dim=2, cosine=Rational(-1, 20))
    most = coupling("most-axes", rows=Rows(d + 1), cosine=-1 / d)
    try:
        claims = [mse(positive(rows)) < mse(positive(iid, m=n)) for rows, n in ((far, d), (most, d + 1))]
        found = [alone(stated(claim, d >= 2, v > 0)) for claim in claims]
        assert found == [Decision.UNDECIDED, Decision.HOLDS]
    finally:
        forget("far-angle")
        forget("most-axes")


def test_the_number_of_rows_by_relation_is_that_of_their_expression() -> None:
    relation = lambda i, j, d: ORTHOGONAL  # noqa: E731
    few, whole = (
        coupling("few", rows=sympy.Min(d, 20), relation=relation),
        coupling("whole", rows=d, relation=relation),
    )
    try:
        for rows in (few, whole):
            assert alone(stated(conformity(rows) == RHO, d >= 2)) is Decision.UNDECIDED
            assert alone(stated(conformity(rows) == RHO, d >= 2, d <= 5)) is Decision.HOLDS
    finally:
        forget("few")
        forget("whole")


def test_couplings_declared_in_a_loop_stand_for_their_own_value() -> None:
    made = {}
    try:
        for signs in ((1,), (1, -1)):
            made[len(signs)] = positive(coupling(f"rows-{len(signs)}", rows=[Rows(d, sign=s) for s in signs]))
        small = mse(made[1]) / mse(positive(orthogonal))
        assert alone(stated(limit(small, v, 0) == 1, d >= 2)) is Decision.HOLDS
        assert alone(stated(limit(small, v, 0) == -1, d >= 2)) is not Decision.HOLDS
        assert alone(stated(mse(made[2]) == mse(positive("mirrored")), v > 0)) is Decision.HOLDS
        assert alone(stated(mse(made[2]) == mse(made[1]), v > 0)) is Decision.FAILS
    finally:
        forget("rows-1")
        forget("rows-2")


def test_rows_that_cannot_have_their_angles_have_no_variance() -> None:
    with_one = coupling("one-besides", rows=Rows(40),
                        cosine=lambda i, j, d: None if 39 in (i, j) else Rational(-1, 2))  # fmt: skip
    many = coupling("many-obtuse", rows=Rows(400),
                    cosine=lambda i, j, d: Rational(-1, 2))  # fmt: skip
    threes = coupling("threes", rows=Rows(399), group=3,
                      cosine=lambda i, j, d: Rational(-1, 2) if i // 3 == j // 3 else 0)  # fmt: skip
    try:
        for claim in (
            variance(positive(with_one, m=39)).at(d=50, v=Rational(1, 2), z=0) < 0,
            variance(positive(many, m=400)).at(d=400, v=1, z=0) < 0,
        ):
            assert alone(stated(claim)) is Decision.UNDECIDED
            said = " ".join(piece.summary for piece in settled(stated(claim)).pieces)
            assert re.search("unit vectors can have|at most 384 axes", said)
        positive_there = variance(positive(threes, m=399)).at(d=400, v=1, z=0) > 0
        assert alone(stated(positive_there)) is Decision.HOLDS
    finally:
        for name in ("one-besides", "many-obtuse", "threes"):
            forget(name)


def test_blocks_may_get_shorter_as_d_grows() -> None:
    """At d = 17 a block has one row."""
    shrinking = coupling("shrinking", rows=Rows(-1 * d + 18), min_dim=9)
    try:
        claims = [gap(positive(rows, m=m)) > 0 for rows in (shrinking, orthogonal)]
        found = [alone(stated(claim, d >= 2, d <= 17, m >= 2, v > 0)) for claim in claims]
        assert found == [Decision.FAILS, Decision.HOLDS]
        assert alone(stated(claims[0], d <= 16, m >= 3, v > 0)) is not Decision.FAILS
    finally:
        forget("shrinking")


@pytest.mark.parametrize("term", [
    Term(x + y, -(x**2 + y**2) / 2 - (x**4 + y**4)), Term(x + y, -(x**2 + y**2), -((x + y) ** 2) / 8),
    Term(x + y, -(x**2 + y**2) / 2 - x - y), Term(x + y + 1, -(x**2 + y**2) / 2),
])  # fmt: skip
def test_a_map_that_tells_coordinates_apart_has_no_law_of_norms(term: Term) -> None:
    """Along (1, 1) its mean is another one than along an axis."""
    own = with_features(feature_map("of-coordinates", "", "", term))(iid, m=4)
    try:
        for claim in (mean(own).at(d=2, v=2, z=0) < 100, mse(own).at(d=2) > -1):
            assert alone(stated(claim)) is Decision.UNDECIDED
    finally:
        forget("of-coordinates")


def test_rows_on_independent_axes_that_share_a_norm_are_not_independent() -> None:
    """Given the norm they are, so that E f(w1) f(w2) = E phi(r)^2 > (E phi(r))^2."""
    one = coupling("one-norm", rows=Rows(d, norm=0), cosine=None)
    two = coupling("two-each", cosine=None,
                   rows=[Rows(d), Rows(d, axis=d + i)])  # fmt: skip
    apart = coupling("apart", rows=Rows(d), cosine=None)
    try:
        found = [
            alone(stated(mse(positive(rows)) == mse(positive(iid, m=n)), d >= 2, v > 0))
            for rows, n in ((one, d), (two, 2 * d), (apart, d))
        ]
        assert found == [Decision.UNDECIDED, Decision.UNDECIDED, Decision.HOLDS]
    finally:
        for name in ("one-norm", "two-each", "apart"):
            forget(name)


def test_an_angle_that_does_not_exist_in_one_dimension_is_not_read() -> None:
    """(d^2 - 2500)/(d - 50) - (d + 50) cancels, but has no value at d = 50."""
    pole = coupling("pole", cosine=(d**2 - 2500) / (d - 50) - (d + 50))
    near = coupling("near", cosine=(d**2 - 1) / (d - 1) - (d + 1))
    try:
        found = [alone(stated(conformity(rows) == RHO, d >= 2)) for rows in (pole, near)]
        assert found == [Decision.UNDECIDED, Decision.HOLDS]
    finally:
        forget("pole")
        forget("near")


def test_blocks_that_depend_on_each_other_have_no_law() -> None:
    tied = coupling("tied", rows=Rows(d), blocks=False)
    free = coupling("free", rows=Rows(d))
    try:
        claims = [mse(positive(rows, m=2 * d)) == mse(positive(orthogonal, m=2 * d)) for rows in (tied, free)]
        assert [alone(stated(claim, d >= 2)) for claim in claims] == [Decision.UNDECIDED, Decision.HOLDS]
    finally:
        forget("tied")
        forget("free")


def test_a_sum_over_dimensions_is_over_those_in_which_the_coupling_exists() -> None:
    late = coupling("late", rows=Rows(d), min_dim=9)
    try:
        both = [sympy.Sum(mse(positive(rows)).expression, (d, 9, n)) for rows in (late, orthogonal)]
        assert alone(stated(equal(*both), n >= 9)) is Decision.HOLDS
        both = [total.func(total.function, (d, 2, n)) for total in both]
        with pytest.raises(InvalidInput, match="at least 9, got 'd for d from 2 to n'"):
            stated(equal(*both), n >= 9)
    finally:
        forget("late")


NOWHERE = [
    lambda late: mse(positive(late, m=m)).at(d=3) == mse(positive(orthogonal, m=m)).at(d=3),
    lambda late: mse(positive(simplex, m=m)).at(d=1) > 0,
    lambda late: mse(positive(iid, m=m)).at(d=-3) == mse(positive(iid, m=m)),
    lambda late: mse(positive(orthogonal, m=m)).at(d=d / 2) == mse(positive(orthogonal, m=m)).at(d=d / 2),
    lambda late: mse(positive(iid, m=m)).at(z=-1, v=-2) > 0,
    lambda late: mse(positive(iid, m=(d + n) / 2)) <= mse(positive(iid, m=1)),
    lambda late: equal(*(_total(rows, 20 - n, (n, 1, 15)) for rows in (late, orthogonal))),
    lambda late: equal(*(_total(rows, n**2, (n, -3, 3)) for rows in (late, orthogonal))),
    lambda late: equal(sympy.Sum(mse(positive(iid, m=n)).at(d=2, v=1, z=1).expression, (n, -3, -1)), 0),
    lambda late: equal(sympy.Sum(mse(positive(iid, m=20 - n)).at(d=2, v=1, z=1).expression, (n, 21, 60)), 0),
    lambda late: equal(_total(iid, n / 2, (n, 2, 4)), 0),
    lambda late: equal(_total(late, sympy.Piecewise((9, n <= 2), (3, True)), (n, 1, 4)), 0),
    lambda late: equal(sympy.Integral(mse(positive(iid, m=t)).at(d=2, v=1, z=1).expression, (t, 1, 2)), 0),
    lambda late: sympy.Integral(mse(positive(iid)).at(d=t, v=1, z=1).expression, (t, 1, 2)) <= v,
]


def _total(rows: object, dimension: sympy.Expr, limits: tuple[sympy.Expr, ...]) -> sympy.Expr:
    return sympy.Sum(mse(positive(rows, m=3)).at(d=dimension, v=1, z=1).expression, limits)


@pytest.mark.parametrize("number", range(len(NOWHERE)))
def test_laws_that_do_not_exist_somewhere_are_refused(number: int) -> None:
    late = coupling("late", rows=Rows(d), min_dim=9)
    try:
        with pytest.raises(InvalidInput, match="at least"):
            stated(NOWHERE[number](late))
    finally:
        forget("late")


def test_laws_are_where_they_exist() -> None:
    """With 5 - m rows m is at most 4, so that there is no limit; with d - m rows m < d."""
    late = coupling("late", rows=Rows(d), min_dim=9)
    try:
        below = limit(m * mse(positive(iid, m=5 - m)), m, oo) == -mse(positive(iid, m=1))
        assert alone(stated(below)) is Decision.UNDECIDED
        assert "5 - m >= 1" in str(stated(below).domain)
        assert "d - m >= 1" in str(stated(mse(positive(iid, m=d - m)) > 0, v > 0).domain)
        both = (_total(rows, 20 - n, (n, 1, 11)) for rows in (late, orthogonal))
        assert alone(stated(equal(*both))) is Decision.HOLDS
        assert alone(stated(mse(positive(iid, m=d * (d + 1) / 2)) > 0, v > 0)) is Decision.HOLDS
        halves = sympy.Sum(mse(positive(iid)).at(d=2, v=n / 2, z=1).expression, (n, 1, 3))
        assert stated(equal(halves, v)).domain.symbols == (v,)
        assert str(stated(mse(positive(iid)).at(d=1, v=t**2, z=0) >= 0).domain) == "every real t"
        assert str(stated(mse(positive(iid)).at(d=1, v=-sqrt(t), z=0) >= 0).domain).endswith("-sqrt(t) >= 0")
        with pytest.raises(InvalidInput, match="an integer for m"):
            stated((m - 1) * (m - 2) >= 0, equal(m, (d + n) / 2))
    finally:
        forget("late")


def test_no_case_is_no_proof() -> None:
    for over in ((d <= 5, m <= 5, m > d, d > m), (d <= 5, d < v, v < Rational(1, 2))):
        assert alone(stated(d > 100, *over)) is Decision.UNDECIDED


def test_pairs_stay_below_frames_of_their_own_dimension_only() -> None:
    """At d = 2 the coefficients of v^4 are those of other dimensions the wrong way round."""
    claim = conformity(simplex).at(d=d + 10) < RHO
    domain = Domain.of(claim, (v > 0,))
    assert decide(claim.parts[0], {d: sympy.Integer(2), v: sympy.Integer(3)}, domain)[0] is False
    assert prove(claim.parts[0], domain) is None


def test_a_power_beside_an_exponential_is_not_taken_for_a_constant() -> None:
    """e^2B - 0.744 B^3 e^B is negative at B = 3."""
    one, nothing = sympy.S.One, sympy.S.Zero
    terms = {
        (Atom("exp", one), 3): -Rational(744, 1000),
        (Atom("exp", 2 * one), 0): one,
        (Atom("exp", nothing), 3): Rational(1, 10**9),
    }
    assert signs(Series(v, nothing, terms), Domain.of(claimed(v < d), ())) is None


def test_m_up_to_d_need_not_be_one_block() -> None:
    """With d - 1 rows to a block, d rows are two blocks, of which some pairs are independent."""
    short = coupling(
        "short-frame", "a frame without one of its rows", "this test", rows=Rows(d - 1), min_dim=2
    )
    try:
        claim = conformity(short, m=m) == RHO
        assert prove(claim.parts[0], Domain.of(claim, (m >= 2, m <= d))) is None
    finally:
        forget("short-frame")


def test_a_derivation_for_integers_proves_nothing_of_reals() -> None:
    last = derivation("simplex.cor3.3").steps[-1]
    real = sympy.Symbol("d", positive=True)
    sides = (side.xreplace({d: real}) for side in (last.left, last.right))
    from rftheory.statement.provers.derivation import proof_by

    claim = claimed(sympy.Lt(*sides, evaluate=False))
    assert proof_by("simplex.cor3.3", claim.parts[0], Domain.of(claim, (real >= 2, v > 0))) is None


def test_an_error_of_a_library_leaves_one_statement_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("a symbol")

    monkeypatch.setattr(run, "judge", fail)
    found = run._guarded(FALSE[0], Budget(1e-6), {}, None)
    assert found.verdict.decision is Decision.UNDECIDED
    assert "KeyError" in found.verdict.reason


def test_words_are_no_products_of_letters_and_laws_are_typeset_as_mathematics() -> None:
    names = {"eps": r"\varepsilon", "diam": r"\mathrm{diam}", "w_max": r"w_{\mathrm{max}}", "lambda": r"\lambda",
             "imag_0": r"\mathrm{imag}_{0}", "x1": "x_{1}", "rho_2": r"\rho_{2}", "lamda": r"\lambda",
             "varphi": r"\varphi", "xbar": r"\bar{x}", "thetahat": r"\hat{\theta}", "x_ij": "x_{ij}"}  # fmt: skip
    assert {name: typeset(sympy.Symbol(name)) for name in names} == names
    law = mse(gerf("iid", A=(1 - v) / 8, kernel="softmax", m=2 * m)).expression
    assert typeset(law) == (
        r"\mathrm{mse}(\text{gerf} \times \text{iid}, \text{softmax kernel}, A = \frac{1}{8} - \frac{v}{8}, m = 2 m)"
    )
    assert sympy.latex(law, mode="inline").count("$") == 2


def test_what_holds_for_some_value_is_typeset_in_words() -> None:
    assert "ForSome" not in stated(for_some(v, exp(v) > 2, 0, 3)).latex


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (
            variance(trigonometric(iid, m=m))
            == (1 - exp(-(sympy.Symbol("z", positive=True) ** 2))) ** 2 / (2 * m),
            (),
        ),
        (conformity(orthogonal) <= exp(v**2), (sympy.Symbol("v", positive=True) > 1,)),
        (limit(RHO, sympy.Symbol("d", positive=True), oo) == exp(v**2), ()),
        (sympy.Gt(sympy.Symbol("s", real=True), sympy.Symbol("s", positive=True) - 1, evaluate=False), ()),
    ],
    ids=str,
)
def test_two_variables_of_one_name_are_refused(claim: object, over: tuple[object, ...]) -> None:
    with pytest.raises(InvalidInput, match="needs one variable of this name, got 2; sympy takes Symbol"):
        stated(claim, *over)


def test_a_law_of_the_difference_has_no_other_norm() -> None:
    assert str(stated(mse(trigonometric(iid)) > 0, z > 0).domain) == "d >= 1, z > 0"
    assert str(mse(trigonometric(iid)).at(v=1, z=2).expression) == "mse(trigonometric x iid, m = 1, z = 2)"
    assert "v" in str(stated(mse(trigonometric(iid, kernel="softmax")) > 0, z > 0).domain)


@pytest.mark.parametrize(
    ("low", "high", "holds"),
    [(1, 9, True), (Rational(-3, 2), Rational(-11, 10), False), (-3, Rational(-21, 10), False)],
)
def test_series_of_frames_have_no_bounds_in_dimensions_below_one(
    low: object, high: object, holds: bool
) -> None:
    frame = sympy.hyper((A,), (A / 2,), v**2 / 2)
    over = (v > 0, low <= A, high > A) if holds else (v > 0, low < A, high > A)
    claims = (frame > 1 + v**2, frame < exp(v**2), decreasing(exp(-(v**2)) * frame, v))
    for claim in claims:
        (part,) = claimed(claim).parts
        assert (prove(part, Domain.of(claimed(claim), over)) is not None) is holds


def test_waves_in_less_than_one_dimension_are_not_bounded() -> None:
    for dimension, holds in ((Rational(1, 2), False), (1, True)):
        claim = claimed(sympy.hyper((), (sympy.S(dimension) / 2,), -(z**2)) <= 1)
        found = alone(Statement("n.wave", "", claim, Domain.of(claim, ())))
        assert (found is Decision.HOLDS) is holds


def test_what_few_bits_do_not_enclose_is_compared_with_more() -> None:
    """At 40 bits the error of OPRF in 512 dimensions is an infinite ball."""
    claim = mse(oprf(orthogonal, m=m)) > 10**27
    point = {d: 512, m: 64, v: 10, z: 3}
    values = {symbol: sympy.Integer(value) for symbol, value in point.items()}
    assert decide(claim.parts[0], values, Domain.of(claim, ()))[0] is True
    assert decide((mse(oprf(orthogonal, m=m)) > 10**28).parts[0], values, Domain.of(claim, ()))[0] is False
