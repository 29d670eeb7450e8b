"""Statements that are true but at special values, where algebra forgets cases, or where a cut is crossed."""

from __future__ import annotations

import pytest
import sympy
from sympy import I, Rational, binomial, exp, hyper, oo, rf, sqrt

from rftheory.author import O, Symbol, d, equal, limit, m, v
from rftheory.judge.verdict import Decision
from rftheory.statement import Statement
from rftheory.statement.domain import Domain
from rftheory.statement.settle import alone
from rftheory.statement.words import claimed

n = Symbol("n", integer=True, nonnegative=True)
q, p, k = (Symbol(name, integer=True) for name in "qpk")
u, y = (Symbol(name, real=True) for name in "uy")
BELOW = (y - Rational(301, 1000)) * (y - Rational(302, 1000))
"""Negative between 0.301 and 0.302 alone."""
NEITHER = sympy.Derivative(sympy.Piecewise((u, sympy.Eq(u, 1)), (u**2, True)), u)
SIX = sympy.prod([k - i for i in range(6)])


def stated(claim: object, *over: object) -> Statement:
    said = claimed(claim)
    return Statement("test.statement", "", said, Domain.of(said, over))


FALSE = [
    stated(sympy.re(sympy.atan(2 * I + BELOW)) > 0, y >= 0, y <= 1),
    stated(sympy.im(sympy.uppergamma(Rational(1, 3), -1 + I * BELOW)) < 0, y >= 0, y <= 1),
    stated(sympy.im(hyper((1, 1), (2,), 2 + I * BELOW)) > 0, y >= 0, y <= 1),
    stated(equal(sympy.Sum((-1) ** k * SIX * binomial(d, k), (k, 0, d)), 0)),  # 720 at d = 6
    stated(equal(v * sympy.Sum((-1) ** k * binomial(n, k), (k, 0, n)), 0 * v)),
    stated(equal(v * sympy.Product(k - 1, (k, 1, n)), 0 * v)),
    stated(equal(v * sympy.Product(k - d, (k, d, m)), 0 * v)),
    stated(equal(binomial(q, p), binomial(q, q - p))),
    stated(equal(binomial(q, 2), binomial(q, q - 2)), q <= 64),
    stated(equal(v * binomial(q, q), v)),
    stated(equal(v * binomial(q, q - 1), v * q)),
    stated(equal(hyper((q + 2,), (q,), u), exp(u) * (1 + 2 * u / q + u**2 / (q * (q + 1))))),
    stated(
        equal(rf(2 * q, -q), 2 ** (1 - 2 * q) * sqrt(sympy.pi) / sympy.gamma(q + Rational(1, 2))), q <= 64
    ),
    stated(equal(v * sympy.Subs(NEITHER, u, 1), v)),
    stated(equal(v * sympy.Derivative(sympy.Piecewise((0, u < -3), (1, True)), u), 0 * v)),
]
OUTSIDE = [
    stated(equal(exp(v**2), 1 + O(v**2)), v >= 1),
    stated(equal(d**2, d * (1 + O(1 / d))), d <= 10),
    stated(limit((exp(v**2) - 1) / v**2, v, 0) == 1, v >= 1),
    stated(limit(d / (d + 1), d, oo) == 1, d <= 10),
]
TRUE = [
    stated(equal(binomial(q, 2), binomial(q, q - 2)), q >= 0, q <= 64),
    stated(equal(binomial(n, p), binomial(n, n - p))),
    stated(equal(hyper((d / 2 + 2,), (d / 2,), u), exp(u) * (1 + 4 * u / d + u**2 / (d / 2 * (d / 2 + 1))))),
    stated(equal(v * sympy.Sum(k * (k + m), (k, 0, m)), v * m * (m + 1) * (5 * m + 1) / 6)),
    stated(equal(sympy.Sum(1 / m, (k, 1, m), (p, 1, m - 1)), m - 1)),
    stated(equal(v * sympy.Product(k, (k, 1, n)), v * sympy.factorial(n))),
    stated(equal(rf(u, n + 1), rf(u, n) * (u + n))),
    stated(equal(exp(v**2), 1 + O(v**2)), v <= 3),
    stated(limit(d / (d + 1), d, oo) == 1, d >= 10),
]


@pytest.mark.parametrize("statement", FALSE, ids=str)
def test_what_fails_at_special_values_does_not_hold(statement: Statement) -> None:
    assert alone(statement) is not Decision.HOLDS


@pytest.mark.parametrize("statement", OUTSIDE, ids=str)
def test_nothing_is_said_of_a_limit_outside_the_domain(statement: Statement) -> None:
    assert alone(statement) is Decision.UNDECIDED


@pytest.mark.parametrize("statement", TRUE, ids=str)
def test_what_holds_at_special_values_too_is_proved(statement: Statement) -> None:
    assert alone(statement) is Decision.HOLDS
