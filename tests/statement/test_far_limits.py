"""Limits at infinity of functions with roots."""

from __future__ import annotations

import pytest
import sympy
from sympy import Rational, Symbol, exp, log, oo, sqrt

from rftheory.exact.symbols import d, m, v, z
from rftheory.judge import Decision
from rftheory.statement.settle import alone
from rftheory.statement.words import iid, limit, mse, oprf
from tests.statement.stating import assert_holds, assert_not_proved, stated

S, U = Symbol("s", positive=True), Symbol("u", real=True)
RHO = (sqrt((2 * v**2 + d) ** 2 + 8 * d * v**2) - 2 * v**2 - d) / (4 * v**2)
BEST = (1 - 1 / RHO) / 8  # the factor of |w|^2 of least variance


@pytest.mark.parametrize(
    ("side", "variable", "value"),
    [
        (RHO * v**2, v, d / 2), (RHO, v, 0), (BEST, v, -oo), (BEST / v**2, v, -1 / (4 * d)),
        (sqrt(S**2 + S) - S, S, Rational(1, 2)), ((U**2 + 1) / (2 * U**2 + 3 * U), U, Rational(1, 2)),
        (sqrt(v**2 + z**2) - v, v, 0), (S * log(1 + 1 / S), S, 1), (S * (exp(1 / S) - 1), S, 1),
        (S * exp(-S), S, 0), (d ** (1 / d), d, 1), ((d * S) ** (2 / d), d, 1), (d**S / exp(d / S + 1 / d), d, 0),
        ((v**2 + d) ** (d / 2) / v**d, v, 1), (exp(sqrt(v**2 + v) - v), v, exp(Rational(1, 2))),
        ((S**2 + 1) ** d / exp(S), S, 0), (exp(sqrt(S**2 + S)) / (exp(S) * S**d), S, 0),
        (S / exp(sqrt(S)), S, 0), (exp(sqrt(S + 1)) / exp(sqrt(S)), S, 1),
    ],
    ids=str,
)  # fmt: skip
def test_limits_at_infinity_of_algebraic_functions(
    side: sympy.Expr, variable: sympy.Symbol, value: sympy.Expr
) -> None:
    assert_holds(limit(side, variable, oo) == value)
    assert alone(stated(limit(side, variable, oo) == (value + 1 if value != -oo else 1))) is Decision.FAILS


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize(
    "side",
    [sympy.sin(S) / S, log(S) / S, (U * S) ** (1 / S), S ** (1 / log(S)), S**S / exp(S**2)],
    ids=str,
)
def test_what_has_no_powers_at_infinity_is_not_said(side: sympy.Expr, value: int) -> None:
    assert_not_proved(limit(side, S, oo) == value)


def test_errors_of_oprf_grow_like_a_power() -> None:
    """The error of one row is v^d times (e/(2 d))^(d/2) far out, where that of positive features is exp(v^2)."""
    side, factor = mse(oprf(iid, m=m)) * exp(z**2), (exp(1) / (2 * d)) ** (d / 2) / m
    assert_holds(limit(side / v**d, v, oo) == factor)
    assert_holds(limit(side / v ** (d + 1), v, oo) == 0)
    assert_holds(limit(side / v ** (d - 1), v, oo) == oo)
    for value in (2 * factor, (exp(1) / (2 * d)) ** d / m, sympy.S.Zero, oo):
        assert alone(stated(limit(side / v**d, v, oo) == value)) is Decision.FAILS


def test_a_limit_that_is_another_one_at_an_end_fails_there() -> None:
    said = limit(v * z / (v * z + 1), v, oo) == 1
    assert_holds(said, z > 0)
    assert alone(stated(said, z >= 0)) is Decision.FAILS
