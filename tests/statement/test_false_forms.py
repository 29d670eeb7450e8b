"""False statements that have the form of true ones: a prover must look at what the form leaves open."""

from __future__ import annotations

import pytest
import sympy
from sympy import I, Piecewise, Rational, Symbol, exp, log, sqrt

from rftheory.author import (
    central_moment,
    covariance,
    d,
    decreasing,
    equal,
    iid,
    increasing,
    m,
    positive,
    tail,
    trigonometric,
    v,
    z,
)
from rftheory.errors import NotKnown
from rftheory.statement.domain import Domain
from rftheory.statement.provers.reduce import law_reduced
from rftheory.statement.words import claimed
from tests.statement.stating import assert_holds, assert_not_proved

t, eps, u = Symbol("t", real=True), Symbol("eps", positive=True), Symbol("u", positive=True)
below, lower = Symbol("a", negative=True), Symbol("b", negative=True)
HUMP = exp(v**2 * exp(-v))
"""No exponential of a multiple of v^2: largest at v = 2."""
NET, ROWS = positive("sobol", m=m), positive(iid, m=m)
LIKELY = tail(trigonometric(iid, m=m), eps).expression > Rational(1, 10)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        pytest.param(
            (below * lower) ** (d / 3) <= (-below) ** (d / 3), (lower <= -1,), id="negative-factors"
        ),
        pytest.param(increasing(HUMP, v), (), id="rate-that-varies"),
        pytest.param(decreasing(1 / HUMP, v), (), id="rate-that-varies-below"),
        pytest.param(Rational(171, 100) > HUMP, (v <= Rational(18, 5),), id="rate-on-intervals"),
        pytest.param(equal(log(exp(I * t)), I * t), (), id="logarithm-of-a-wave"),
        pytest.param(equal(sqrt(exp(I * t)), exp(I * t / 2)), (), id="root-of-a-wave"),
        pytest.param(Piecewise((0, LIKELY), (1, True)) >= 1, (), id="cases-of-a-tail"),
        pytest.param(
            claimed(m >= 3), (d >= 3, m >= Piecewise((d, d < 5), (d - 10, True))), id="cases-of-an-end"
        ),
        pytest.param(sympy.Ge(0 ** (eps - d), Rational(3, 2), evaluate=False), (), id="powers-of-0"),
        pytest.param(central_moment(NET, 3) == central_moment(ROWS, 3), (), id="moments-of-nets"),
    ],
)
def test_what_only_looks_like_it_is_not_proved(claim: object, over: tuple[object, ...]) -> None:
    assert_not_proved(claim, *over)


def test_points_of_a_net_have_no_covariance_of_independent_rows() -> None:
    side, net = (covariance(rows, v=u, z=z, cosine=0).expression for rows in (ROWS, NET))
    assert not law_reduced(side, Domain({})).has(type(side))
    with pytest.raises(NotKnown, match="independent rows"):
        law_reduced(net, Domain({}))


def test_what_is_so_is_proved() -> None:
    assert_holds((below * lower) ** (d / 3) >= (-below) ** (d / 3), lower <= -1)
    assert_holds(increasing(exp(v**2 * sympy.exp(-2)), v))
    assert_holds(equal(sqrt(exp(t)), exp(t / 2)))


def test_a_case_whose_condition_has_no_truth_somewhere_ends_no_search() -> None:
    assert_not_proved(Piecewise((v**2, log(v) < 0), (log(v), True)) < sympy.sinh(v**2))
    assert_not_proved(sympy.Max(5, log(z - 9)) < exp(z), z >= 1)
    assert_holds(sympy.Max(v, log(z)) <= v + z, z > 0)
