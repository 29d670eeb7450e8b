"""What says the same in other words has the same verdict: terms moved, roots taken, conditions in any order."""

from __future__ import annotations

import itertools

import pytest
import sympy

from rftheory.author import (
    Rational,
    conformity,
    d,
    decreasing,
    exp,
    gaussian,
    iid,
    increasing,
    limit,
    log,
    m,
    mse,
    oo,
    orthogonal,
    positive,
    sqrt,
    tail,
    trigonometric,
    v,
    z,
)
from rftheory.judge import Decision
from rftheory.statement.provers.proof import prove
from rftheory.statement.settle import alone, settled
from rftheory.statement.statement import Statement
from tests.statement.stating import assert_holds, assert_not_proved, stated

eps, delta = sympy.symbols("eps delta", positive=True)
u = sympy.Symbol("u", real=True)
P, COUPLED, T = positive(iid, m=m), positive(orthogonal, m=m), trigonometric(iid, m=m)
error = tail(T, eps)
ENOUGH, TOO_FEW = (m >= n * sympy.log(2 / delta) / eps**2 for n in (2, Rational(1, 10)))

TRUE = [
    stated(sqrt(mse(COUPLED)) <= sqrt(mse(P))),
    stated(2 * sqrt(mse(P)) > sqrt(mse(COUPLED)), v > 0),
    stated(sqrt(mse(P)) <= eps * gaussian, m >= (sympy.exp(v**2) - 1) / eps**2),
    stated(mse(COUPLED) ** 2 <= mse(P) ** 2),
    stated(exp(mse(COUPLED)) <= exp(mse(P))),
    stated(log(mse(COUPLED)) <= log(mse(P)), v > 0),
    stated(log(conformity(orthogonal)) < v**2, v > 0, d >= 2),
    stated(log(mse(COUPLED) / mse(P)) <= 0, v > 0),
    stated(log(mse(P)) <= v**2 - z**2 - log(m), v > 0),
    stated(sqrt(mse(T)) == (1 - exp(-(z**2))) / sqrt(2 * m)),
    stated(1 / sqrt(mse(COUPLED)) >= 1 / sqrt(mse(P)), v > 0),
    stated(increasing(sqrt(mse(P)), v)),
    stated(decreasing(sqrt(mse(P)), m), v > 0),
    stated(decreasing(mse(T).at(z=sqrt(4 - v**2)), v), v <= 2),
    stated(increasing(exp(conformity(orthogonal)), d), v > 0),
    stated(sympy.Ge(1 / (u - 2) ** 3, 1 / (u - 1) ** 3, evaluate=False), u > 2),
    stated(error <= delta, ENOUGH),
    stated(error - delta <= 0, ENOUGH),
    stated(-error >= -delta, ENOUGH),
]
FALSE = [
    stated(log(conformity(orthogonal)) < v**2, d >= 2),  # v = 0
    stated(log(mse(P)) <= v**2 - z**2 - 2 * log(m), v > 0),
    stated(d * log(gaussian - mse(P)) <= d * v**2, v > 0),  # of a number below 0
    stated(sqrt(mse(T)) == (exp(-(z**2)) - 1) / sqrt(2 * m)),
    stated(sqrt(mse(COUPLED)) < sqrt(mse(P)), v > 0),  # m = 1
    stated(sqrt(mse(P)) <= eps * gaussian / 2, m >= (sympy.exp(v**2) - 1) / eps**2),
    stated(decreasing(sqrt(mse(P)), m)),  # v = 0
    stated(decreasing(mse(T).at(z=v * sqrt(4 - v**2)), v), v <= 2),  # rises first
    stated(increasing(exp(conformity(orthogonal)), d)),  # v = 0
    stated(sympy.Ge(sympy.sqrt(-1 - u) * sympy.sqrt(-2 - u), 1, evaluate=False), u >= 0),  # below 0
    stated(sympy.Le((u - 2) ** 2, (u - 1) ** 2, evaluate=False), u >= 0),
    stated(sympy.Ge(1 / (u - 2) ** 3, 1 / (u - 1) ** 3, evaluate=False)),
    stated(error - delta <= 0, TOO_FEW),
]


def _named(statements: list[Statement]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("said", statements, ids=str)


@_named(TRUE)
def test_true_in_any_form(said: Statement) -> None:
    assert alone(said) is Decision.HOLDS


@_named(FALSE)
def test_false_in_any_form(said: Statement) -> None:
    proofs = [prove(part, said.domain) for part in said.parts]
    assert any(proof is None or proof.refutes for proof in proofs)
    assert alone(said) is not Decision.HOLDS


def test_a_variable_of_one_value_narrows_the_others_in_any_order() -> None:
    found = {
        str(stated(limit(d * v, d, oo) == 0, *over)) for over in itertools.permutations((v <= z, z <= 0))
    }
    assert found == {"limit(d*v, d -> oo) == 0 for d >= 1, v = 0, z = 0"}
    assert_holds(limit(d * v, d, oo) == 0, v <= z, z <= 0)
    assert_not_proved(limit(d * v, d, oo) == 0, v <= z, z <= 1)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (sympy.sin(u) <= u * (1 - Rational(1, 10**10)), (u >= 0, u <= 1)),  # false below 2.4e-5 alone
        (sympy.log(1 + u) <= 5 * u / (u + Rational(1, 10)) + 1, (u >= 0,)),  # false beyond 402 alone
    ],
)
def test_what_is_false_beside_an_end_or_far_from_it_is_refuted(
    claim: object, over: tuple[object, ...]
) -> None:
    assert settled(stated(claim, *over)).decision is Decision.FAILS
