"""Moments of independent rows written out; orderings up to a rest of some order; limits at an end of a range apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import pytest
import sympy
from sympy import Symbol, oo

from rftheory.author import (
    O,
    Parameter,
    Rational,
    Term,
    central_moment,
    conformity,
    cosine,
    d,
    equal,
    exp,
    feature_map,
    for_some,
    forget,
    gap,
    gaussian,
    gerf,
    hyperbolic,
    iid,
    increasing,
    limit,
    m,
    mse,
    oprf,
    orthogonal,
    positive,
    tail,
    trigonometric,
    v,
    with_features,
    x,
    y,
    z,
)
from rftheory.errors import InvalidInput
from rftheory.exact.evaluate import evaluate
from rftheory.judge import Decision
from rftheory.statement.domain import Domain
from rftheory.statement.provers.reduce import law_reduced
from rftheory.statement.search import search
from rftheory.statement.settle import alone
from tests.statement.stating import assert_holds, assert_not_proved, stated

P, PO, T, H = positive(iid, m=m), positive(orthogonal, m=m), trigonometric(iid, m=m), hyperbolic(iid, m=m)
TO, K = trigonometric(orthogonal, m=m), exp(-(z**2) / 2)
w, eps = Symbol("w", real=True), Symbol("eps", positive=True)


@pytest.mark.parametrize("order", [3, 4, 5])
@pytest.mark.parametrize(
    "features",
    [positive, hyperbolic, trigonometric, cosine, lambda rows, m: gerf(rows, m=m, A=Rational("-0.2"))],
)
def test_what_is_written_out_has_the_value_of_the_law(features: object, order: int) -> None:
    side = central_moment(features(iid, m=m), order)  # type: ignore[operator]
    found = law_reduced(side.expression, Domain.of(side > 0, ()))
    for size, (a, b) in product((1, 3), ((Rational(1, 2), 2), (1, Rational(1, 3)))):
        at = {m: sympy.Integer(size), d: sympy.Integer(3), v: sympy.sympify(a), z: sympy.sympify(b)}
        value = evaluate(side.expression.subs(at), {})
        assert evaluate(found, at).overlaps(value)
        assert not evaluate(found * (1 + Rational(1, 1000)), at).overlaps(value)


def test_rows_that_are_coupled_have_moments_of_one_row_alone() -> None:
    for order in (3, 4):
        alone = central_moment(positive(orthogonal, m=1), order) == central_moment(positive(iid, m=1), order)
        assert_holds(alone)
        assert_not_proved(central_moment(PO, order) == central_moment(P, order))


@pytest.fixture
def lessened() -> Iterator[object]:
    """Positive features of which a share of the kernel is taken off again: a term that is the same for all rows."""
    share = Symbol("share", real=True)
    terms = (Term(x + y, -(x**2 + y**2) / 2, weight=1 + share), Term(0, x * y, weight=-share))
    parameters = (Parameter(share, "what is taken off", default=Rational(1, 2)),)
    yield with_features(feature_map("lessened", "", "a test", *terms, parameters=parameters))
    forget("lessened")


@pytest.mark.parametrize("rows", [iid, orthogonal, "simplex", "mirrored"])
def test_a_term_that_is_constant_changes_errors_by_the_weight_of_the_other(
    lessened: object, rows: object
) -> None:
    lessened_rows, usual = lessened(rows, m=2 * d), positive(rows, m=2 * d)  # type: ignore[operator]
    over = (d >= 2,)
    assert_holds(mse(lessened_rows) == Rational(9, 4) * mse(usual), *over)
    assert_not_proved(mse(lessened_rows) == Rational(9, 4) * mse(usual) + 1 / d**9, *over)


TRUE = [
    (central_moment(P, 3) == K**3 * (exp(3 * v**2) - 3 * exp(v**2) + 2) / m**2, ()),
    (central_moment(T, 3) == ((3 * K + K**9) / 4 - 3 * K * (1 + K**4) / 2 + 2 * K**3) / m**2, ()),
    (central_moment(P, 3) >= 0, ()),
    (central_moment(P, 3) > 0, (v > 0,)),
    (central_moment(T, 4) <= 1 / m**2, ()),
    (central_moment(T, 4) <= 3 * mse(T) ** 2 + 1 / m**3, ()),
    (central_moment(H, 4) <= central_moment(P, 4), ()),
    (increasing(central_moment(P, 3) / gaussian**3, v), ()),
    (limit(central_moment(T, 4) / mse(T) ** 2, m, oo) == 3, (z > 0,)),
    (limit(central_moment(P, 3) / mse(P) ** Rational(3, 2), m, oo) == 0, (v > 0,)),
    (central_moment(P, 4) == 3 * mse(P) ** 2 * (1 + O(1 / m)), (v > 0,)),
    (central_moment(P, 4) <= 4 * mse(P) ** 2 * (1 + O(1 / m)), (v > 0,)),
    (central_moment(P, 4) >= 2 * mse(P) ** 2 * (1 + O(1 / m)), (v > 0,)),
    (mse(T) <= 1 / (2 * m) * (1 + O(1 / m)), ()),
    (conformity(orthogonal) < exp(v**2) * (1 - O(1 / d)), ()),
    (conformity(orthogonal) <= exp(v**2) * (1 - v**4 / (2 * d) + O(1 / d**2)), ()),
    (exp(v**2) * (1 + O(1 / d)) <= conformity(orthogonal), ()),
    (1 + O(1 / d) <= conformity(orthogonal), ()),
    (-conformity(orthogonal) <= -1 * (1 + O(1 / d)), ()),
    (mse(P) <= mse(PO) * (1 + O(1 / d)), ()),
    (mse(P) >= v**2 / (2 * m) * gaussian**2 * (1 + O(v**2)), ()),
    (mse(T) == (1 + O(exp(-(z**2)))) / (2 * m), ()),
    (mse(T) == (1 + O(1 / z)) / (2 * m), ()),
    (z * mse(T) >= O(1 / z), ()),
    (tail(T, eps) <= O(1 / m), ()),
    (gap(TO) == (m - 1) / m * z**4 / (2 * (d + 2)) * (1 + O(z**2)), (m <= d,)),
    (limit((m - 1) * d, d, oo) >= 0, ()),
    (limit(mse(gerf(iid, A=Rational(-1, 8))), d, oo) == oo, ()),
    (limit(mse(gerf(iid, A=Rational(-1, 8))) / mse(gerf(iid, A=Rational(-1, 4))), d, oo) == 0, ()),
    (limit(d**eps, d, oo) == oo, ()),
    (limit(d**w * exp(-d), d, oo) == 0, ()),
    (limit((3 * 2**d - d**9) / (2**d + d**9), d, oo) == 3, ()),
    (limit(d * (exp(v**2) - 1), d, oo) >= 0, ()),
    (limit(mse(PO) * d, d, oo) >= mse(P), ()),
    (for_some(w, mse(positive(iid, m=m)).at(v=w) <= z**2 / m, 0, z), ()),
]  # fmt: skip
FALSE = [
    (central_moment(P, 3) == K**3 * (exp(3 * v**2) - 3 * exp(v**2) + 2) / m, ()),
    (central_moment(P, 3) > 0, ()),
    (central_moment(T, 3) == 0, ()),
    (central_moment(oprf(iid, m=m), 3) >= 0, ()),
    (central_moment(P, 4) == 2 * mse(P) ** 2 * (1 + O(1 / m)), (v > 0,)),
    (central_moment(P, 4) <= 2 * mse(P) ** 2 * (1 + O(1 / m)), (v > 0,)),
    (central_moment(P, 4) >= 4 * mse(P) ** 2 * (1 + O(1 / m)), (v > 0,)),
    (mse(T) >= 1 / (2 * m) * (1 + O(1 / m)), ()),
    (conformity(orthogonal) <= exp(v**2) / 2 * (1 + O(1 / d)), ()),
    (conformity(orthogonal) <= exp(v**2) * (1 - v**4 / d + O(1 / d**2)), ()),
    (2 + O(1 / d) <= conformity(orthogonal), ()),
    (2 * exp(v**2) * (1 + O(1 / d)) <= conformity(orthogonal), ()),
    (-conformity(orthogonal) >= -1 * (1 + O(1 / d)), ()),
    (mse(P) <= mse(PO) * (1 + O(1 / d**2)), ()),
    (mse(P) <= v**2 / (2 * m) * (1 + O(v**2)), ()),
    (v + O(1 / d) >= v**2 + 1 / d, ()),
    (mse(T) == (1 + O(exp(-2 * z**2))) / (2 * m), ()),
    (mse(T) == O(1 / z), ()),
    (z * mse(T) <= O(1 / z), ()),
    (gap(TO) == O(z**6), ()),
    (gap(TO) == (m - 1) / m * z**4 / (2 * (d + 1)) * (1 + O(z**2)), (m <= d,)),
    (limit((m - 1) * d, d, oo) > 0, ()),
    (limit(mse(gerf(iid, A=Rational(-1, 8))), d, oo) == 0, ()),
    (limit(mse(gerf(iid, A=Rational(-1, 8))) / mse(gerf(iid, A=Rational(-1, 4))), d, oo) == 1, ()),
    (limit(d**w, d, oo) == oo, ()),
    (limit(w**2 * 2**d, d, oo) == oo, ()),
    (limit((3 * 2**d - d**9) / (2**d + d**9), d, oo) == -1, ()),
    (limit(d * (exp(v**2) - 1), d, oo) > 0, ()),
    (limit(d * (exp(v**2) - 1), d, oo) <= 3, ()),
    (limit(mse(PO) * d, d, oo) <= 2 * mse(P), ()),
    (for_some(w, equal(exp(w), 1 + v**2 + z), 0, v), ()),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "over"), TRUE, ids=str)
def test_what_is_true_holds(claim: object, over: tuple[object, ...]) -> None:
    assert_holds(claim, *over)


@pytest.mark.parametrize(("claim", "over"), FALSE, ids=str)
def test_what_is_false_fails(claim: object, over: tuple[object, ...]) -> None:
    assert_not_proved(claim, *over)
    assert alone(stated(claim, *over)) is Decision.FAILS


def test_what_is_false_in_many_dimensions_alone_is_refuted_there() -> None:
    """The error of this GERF has a factor (4/3)^(d/2): it is below that of positive features up to d = 74 at v = 4."""
    claim = mse(gerf(iid, A=Rational(-1, 4))) < mse(positive(iid))
    found = search(claim.parts, stated(claim, v >= 4).domain, more=40)
    assert (found.witness or {}).get(d) == 1000
    assert search(claim.parts, stated(claim, v >= 4, d <= 74).domain, more=40).witness is None


def test_what_tends_to_one_is_of_no_small_order() -> None:
    assert_not_proved(1 - tail(T, eps) <= O(1 / m))


@pytest.mark.parametrize("relation", [sympy.Le, sympy.Eq])
def test_an_order_that_is_zero_somewhere_is_none_there(relation: Callable[..., object]) -> None:
    """At b = 0 it says v^2 <= 0."""
    b = Symbol("b", nonnegative=True)
    claim = relation(b * v + v**2, b * v * (1 + O(v)).expression, evaluate=False)
    assert alone(stated(claim)) is Decision.FAILS
    assert_holds(claim, b > 0)


STRICT_RESTS = [
    (mse(P) < mse(P) * (1 + O(1 / m)), v > 0),
    (mse(T) < (1 - gaussian**2) ** 2 / (2 * m) * (1 + O(1 / m)), z > 0),
    (v < v + v * O(1 / d), v > 0),
    (v * O(1 / d) > -v * d, v > 0),
    (v / d < v * O(1 / d), v > 0),
]


@pytest.mark.parametrize(("claim", "above"), STRICT_RESTS, ids=str)
def test_a_strict_ordering_is_false_where_rest_and_order_are_zero(claim: object, above: object) -> None:
    assert_holds(claim, above)
    assert_not_proved(claim)
    assert alone(stated(claim)) is Decision.FAILS


def test_functions_of_sympy_on_quantities_are_refused_and_its_operators_are_not() -> None:
    for function in (sympy.sqrt, sympy.exp, sympy.log, sympy.cos):
        with pytest.raises(
            InvalidInput, match=r"import sqrt, exp, log, cos and so on from there, not from sympy"
        ):
            function(mse(P))
    assert str(sympy.pi * mse(P) < sympy.Symbol("a", real=True) - mse(P)).startswith(
        "pi*mse(positive x iid, m) < a"
    )
