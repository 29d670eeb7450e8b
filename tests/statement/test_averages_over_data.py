"""Averages over normal inputs: against quadrature of the laws at single pairs, and true claims beside false ones."""

import itertools
from math import sqrt as root

import numpy as np
import pytest
from sympy import Integer, Rational, hyper

from rftheory.author import (
    Symbol,
    average,
    conformity,
    d,
    decreasing,
    exp,
    for_some,
    gap,
    gaussian,
    gerf,
    iid,
    increasing,
    limit,
    log,
    m,
    mean,
    mse,
    oo,
    orthogonal,
    orthogonal_fixed,
    positive,
    simplex,
    sqrt,
    trigonometric,
    v,
    with_features,
    z,
)  # fmt: skip
from rftheory.errors import InvalidInput, NotKnown, OutsideDomain
from rftheory.judge import Decision
from rftheory.statement import averages
from rftheory.statement.atoms import PairMean
from rftheory.statement.averages import AverageOf, V, Z
from rftheory.statement.domain import Domain
from rftheory.statement.pointwise import ball
from rftheory.statement.provers.proof import prove
from rftheory.statement.settle import alone
from tests.statement.stating import stated

s, t = Symbol("s", positive=True), Symbol("t", positive=True)
A, U, N = Symbol("A", negative=True), Symbol("U", real=True), Symbol("N", integer=True)
P, PO, T, TO = (f(rows, m=m) for f in (positive, trigonometric) for rows in (iid, orthogonal))
G, FIXED, PHASES = (
    gerf(iid, m=m, A=A),
    trigonometric(orthogonal_fixed, m=m),
    with_features("cosine")(iid, m=2 * m),
)
SPREAD = log(mse(G) / gaussian**2 + 1 / m)


def value(side, **values) -> float:
    at = {symbol: Rational(values[symbol.name]) for symbol in side.free_symbols}
    return float(ball(side, at))


def by_norms(side, d, s, **values) -> float:
    """|x + y|^2 and |x - y|^2 are independent, 4 s^2 times a gamma variable of shape d/2."""
    nodes, weights = np.polynomial.laguerre.laggauss(8)
    weights = weights * nodes ** (d // 2 - 1)  # d = 2 or 4, with Gamma(d/2) = 1
    grid = itertools.product(zip(2 * s * np.sqrt(nodes), weights, strict=True), repeat=2)
    return sum(a * b * value(side, v=float(p), z=float(q), d=d, **values) for (p, a), (q, b) in grid)


def on_a_line(side, s, t, **values) -> float:
    """Inputs of one dimension, of two scales."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(10)
    weights = weights / root(2 * np.pi)
    grid = itertools.product(zip(nodes, weights, strict=True), repeat=2)
    return sum(
        a * b * value(side, v=abs(s * p + t * q), z=abs(s * p - t * q), d=1, **values)
        for (p, a), (q, b) in grid
    )


@pytest.mark.parametrize(
    ("side", "d"),
    [(mse(PO), 2), (mse(TO), 4), (mse(positive(simplex, m=m)), 4), (mse(G), 2), (SPREAD.at(m=1), 2),
     (mean(FIXED), 4), (mse(PHASES), 2), (v**4 * z**2 * exp(-(v**2)), 4)],
)  # fmt: skip
def test_average_is_that_of_the_pairs(side, d):
    known = average(side, x=s)
    with_d = {"d": d, "m": 3, "A": -0.125}
    found = by_norms(getattr(side, "expression", side), s=0.125, **with_d)
    assert value(known.expression, s=0.125, **with_d) == pytest.approx(found, rel=1e-6)
    assert value(known.expression, s=0.15, **with_d) != pytest.approx(found, rel=1e-3)


@pytest.mark.parametrize("side", [mse(P), mse(T), v**2 * z**2, v**2 * mse(P)])
def test_average_of_two_scales(side):
    found = on_a_line(getattr(side, "expression", side), 0.1, 0.2, m=3)
    known = average(side, x=s, y=t).expression
    assert value(known, s=0.1, t=0.2, d=1, m=3) == pytest.approx(found, rel=1e-6)
    assert value(known, s=0.2, t=0.2, d=1, m=3) != pytest.approx(found, rel=1e-3)


SERIES = [
    hyper((), (3,), v**2), hyper((2,), (3,), v**2 / 4), hyper((), (d / 2, 3), v**2), hyper((), (d / 2,), v**2),
]  # fmt: skip


@pytest.mark.parametrize("series", SERIES, ids=str)
def test_average_of_a_series_is_another_one(series):
    known = AverageOf.over(series, s, s)
    assert value(known, s=0.125, d=2) == pytest.approx(by_norms(series, 2, s=0.125), rel=1e-9)


def test_a_series_that_converges_everywhere_has_an_average_for_every_scale():
    assert [len(AverageOf.over(series, s, s).needs) for series in SERIES] == [0, 1, 0, 0]


def one_series(square):
    return hyper((2,), (3,), square)


@pytest.mark.parametrize(
    "term",
    [V**3, V**-2, sqrt(V), exp(V), exp(V**4), exp(V * Z), one_series(V), one_series(V**2 + 1),
     one_series(V**2 + Z**2), one_series(V**2) * one_series(Z**2), hyper((1, 1), (2,), V**2),
     PairMean(Rational(1, 3), "antimonotone", d, V**2), log(V**2 * exp(V**2)), log(V**2 + Z**2),
     log(exp(V**2) + exp(Z**2)), log(exp(V**2) * one_series(V**2))],
    ids=str,
)  # fmt: skip
def test_terms_of_other_forms_have_no_average(term):
    with pytest.raises(averages.NoAverage):
        averages._parts(averages._as_terms(term), "test")


@pytest.mark.parametrize("side", [v**2 * z**2, v**4, exp(v**2), conformity(orthogonal)], ids=str)
def test_what_is_not_linear_in_the_squares_has_no_mean_pair(side):
    assert AverageOf.over(getattr(side, "expression", side), s, s).at_mean_pair(Domain({})) is None


SIZE = average(SPREAD, x=s, y=t).at(m=1)


def best(square):
    """The parameter of OPRF at |x + y|^2."""
    return (1 - 4 * square / (sqrt((2 * square + d) ** 2 + 8 * d * square) - 2 * square - d)) / 8


NORMAL = (1 + (1 + 8 * s**2) ** (-d / 2) - 2 * (1 + 4 * s**2) ** (-d / 2)) / (2 * m)


@pytest.mark.parametrize(
    ("true", "false", "over"),
    [
        (average(v**2 * z**2, x=s, y=t) == d**2 * (s**2 + t**2) ** 2 + 2 * d * (s**2 - t**2) ** 2,
         average(v**2 * z**2, x=s, y=t) == d**2 * (s**2 + t**2) ** 2, ()),
        (average(mse(T), x=s) == NORMAL, average(mse(T), x=s) == NORMAL / 2, ()),
        (average(mse(T), x=s) < average(mse(PHASES), x=s), average(mse(T), x=s) < average(mse(PHASES), x=s) / 2, ()),
        (average(conformity(orthogonal), x=s) == (1 - 2 * s**2) ** (-d),
         average(conformity(orthogonal), x=s) == (1 - 4 * s**2) ** (-d), ()),
        # at a pair far apart orthogonal rows may be worse, but not on average
        (average(mse(TO), x=s) <= average(mse(T), x=s), average(mse(TO), x=s) < average(mse(T), x=s), ()),
        (average(mse(TO), x=s) < average(mse(T), x=s), average(mse(TO), x=s) > average(mse(T), x=s), (m >= 2, m <= d)),
        (average(mse(PO), x=s) <= average(mse(P), x=s), mse(TO) <= mse(T), ()),
        (average(SPREAD, x=s).at(m=1) == SPREAD.at(m=1, v=s * sqrt(2 * d)),
         average(SPREAD, x=s).at(m=1) == SPREAD.at(m=1, v=s * sqrt(d)), ()),
        (SIZE.at(A=best(d * (s**2 + t**2))) <= SIZE, SIZE.at(A=best(d * s**2)) <= SIZE, ()),
        (limit(average(mse(P), x=s / sqrt(d)), d, oo) == (1 - exp(-2 * s**2)) / m,
         limit(average(mse(P), x=s / sqrt(d)), d, oo) == (1 - exp(-(s**2))) / m, ()),
        (limit(d * average(gap(positive(orthogonal)), x=s / sqrt(d)), d, oo) == 2 * s**4 * exp(-2 * s**2),
         limit(d * average(gap(positive(orthogonal)), x=s / sqrt(d)), d, oo) == 0, ()),
        (average(mean(FIXED), x=s) == exp(-d * s**2), average(mean(FIXED), x=s) == (1 + 2 * s**2) ** (-d / 2), ()),
        (increasing(average(mse(P), x=s), s), decreasing(average(mse(P), x=s), s), ()),
        (average(mse(T), pairs=[(0, z), (v, 2 * z)]) == (mse(T) + mse(T).at(z=2 * z)) / 2,
         average(mse(T), pairs=[(0, z), (v, 2 * z)]) == mse(T) + mse(T).at(z=2 * z), ()),
        # what is said of an average says that it is finite, and that its scales are real
        (s < Rational(1, 2), s > Rational(1, 4), average(exp(v**2), x=s) <= 3),
        (U >= 0, U > 0, average(v**2, x=sqrt(U)) <= 1),
    ],
)  # fmt: skip
def test_true_beside_false(true, false, over):
    over = over if isinstance(over, tuple) else (over,)
    assert alone(stated(true, *over)) is Decision.HOLDS
    assert alone(stated(false, *over)) is Decision.FAILS


def test_domain_is_where_it_is_finite():
    narrowed = stated(average(mse(P), x=s) > 0, s <= 1).domain
    assert str(narrowed) == "d >= 1, m >= 1, s > 0, s < 1/2"
    assert "is finite" in narrowed.narrowing[0]
    with pytest.raises(OutsideDomain):
        value(average(mse(P), x=s).expression, s=0.5, d=1, m=1)
    assert (
        "simplex exists" in stated(average(mse(positive(simplex, m=2)), x=s) > 0, d <= 9).domain.narrowing[0]
    )


def test_parameter_leaves_the_range_of_its_symbol():
    above = average(mse(gerf(iid, m=1, A=A)), x=s).at(A=Rational(1, 16))
    assert value(above.expression, s=0.1, d=2) == pytest.approx(
        value(average(mse(gerf(iid, m=1, A=Rational(1, 16))), x=s).expression, s=0.1, d=2)
    )
    with pytest.raises(OutsideDomain, match="> 0"):  # 1 - 8 A - 4 s^2 is below 0
        value(above.at(s=Rational(2, 5)).expression, d=2)


def test_refused():
    with pytest.raises(InvalidInput, match=r"limit\(average"):
        average(limit(mse(P), d, oo), x=s)
    with pytest.raises(InvalidInput, match="in d"):
        average(mse(P).at(d=2), x=s)
    for wrong in ({}, {"x": s, "pairs": [(0, 1)]}):
        with pytest.raises(InvalidInput, match="or pairs"):
            average(mse(P), **wrong)
    for wrong in ({"pairs": [(-1, 0)]}, {"pairs": [(1, 0)], "y": s}):
        with pytest.raises(InvalidInput, match="no scales"):
            average(v, **wrong)
    with pytest.raises(NotKnown, match="no average of a term with sqrt"):
        value(average(sqrt(mse(T)), x=s).expression, s=0.1, d=Integer(2), m=3)


def test_what_is_stated_again_is_the_same():
    inner = [average(average(v**2, x=s) * z**2, x=t) for _ in range(2)]
    assert alone(stated(inner[0] == 4 * d**2 * s**2 * t**2)) is Decision.HOLDS
    assert alone(stated(inner[1] == 4 * d * s**2 * t**2)) is Decision.FAILS
    assert alone(stated(average(mse(T) ** 2, x=s) == average(mse(T), x=s) ** 2)) is Decision.FAILS


def test_symbols_of_one_name_stay_apart():
    """The average over a real U is infinite for U <= -1/4; nothing but its name is that of the positive one."""
    real, above = (average(exp(-symbol * v**2), x=1) > 0 for symbol in (U, Symbol("U", positive=True)))
    assert [prove(claim.parts[0], stated(claim).domain) is None for claim in (real, above)] == [True, False]


@pytest.mark.parametrize("square", [U, U - s, U**2 - 1])
def test_a_scale_is_real(square):
    """At U = 0 and s = 1 each of these squares is at most 0."""
    claims = average(v**2, x=sqrt(square)) >= 0, average(v**2, x=sqrt(square)) < 0
    assert alone(stated(claims[0])) is (Decision.UNDECIDED if square == U**2 - 1 else Decision.HOLDS)
    assert alone(stated(claims[1])) is Decision.FAILS
    with pytest.raises(OutsideDomain, match=">= 0"):
        value(average(v**2, x=sqrt(U)).expression, U=-1, d=1)


def test_dimensions_are_whole_numbers():
    half = average(v**2, x=s).at(d=Rational(1, 2))
    with pytest.raises(InvalidInput, match="a whole number, at least 1"):
        stated(half >= 0)
    for claim in (
        for_some(U, average(v**2, x=s).at(d=U) < 0, -5, 5),
        for_some(N, average(v**2, x=s).at(d=N) < 0, -5, 5),
    ):
        assert prove(claim.parts[0], stated(claim).domain) is None
    assert alone(stated(for_some(N, average(v**2, x=s).at(d=N) == 10 * s**2, -5, 5))) is Decision.HOLDS
    assert (
        str(average(v**2, x=s).at(d=3).expression)
        == "average(v**2, x ~ N(0, s**2 I), y ~ N(0, s**2 I), d = 3)"
    )
