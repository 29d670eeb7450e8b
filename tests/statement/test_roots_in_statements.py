"""Roots and powers in statements: signs of sums with roots, functions that rise or fall, powers of products."""

from __future__ import annotations

import pytest
from sympy import Rational, Symbol, exp, sqrt

from rftheory.exact.symbols import d, m, v, z
from rftheory.statement.words import claimed, decreasing, equal, gerf, iid, increasing, mse, oprf
from tests.statement.stating import assert_holds, assert_not_proved

S, X, Y, PSI = (Symbol(name, positive=True) for name in ("s", "X", "Y", "psi"))
U = Symbol("u", real=True)
RHO = (sqrt((2 * v**2 + d) ** 2 + 8 * d * v**2) - 2 * v**2 - d) / (4 * v**2)
BEST = (1 - 1 / RHO) / 8  # the factor of |w|^2 of least variance
OWN = (1 + 2 * S**2 + sqrt((1 + 2 * S**2) ** 2 + 8 * S**2)) / 2  # 1 - 8 a of one coordinate


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (2 * sqrt(X * Y) <= PSI**2 * X + Y / PSI**2, ()),
        (sqrt(X * Y) <= (X + Y) / 2, ()),
        (sqrt(X + 2) + sqrt(X) < 2 * sqrt(X + 1), ()),
        (sqrt(U + 1) < 1 + U / 2, (U > 0,)),
        (sqrt(1 + U**2) >= U, ()),
        (sqrt(1 + U**2) > -U, ()),
        (BEST < 0, (v > 0,)),
        (RHO < 1, (v > 0,)),
        (RHO > 0, (v > 0,)),
        (OWN > 1, ()),
        (decreasing(BEST, v), (v > 0,)),
        (decreasing(RHO, v), (v > 0,)),
        (increasing(1 / (1 - sqrt(1 + S)), S), ()),
    ],
    ids=str,
)
def test_signs_with_roots_are_proved(claim: object, over: tuple[object, ...]) -> None:
    assert_holds(claimed(claim), *over)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (2 * sqrt(X * Y) < PSI**2 * X + Y / PSI**2, ()),  # equal at psi^4 = Y/X
        (sqrt(1 + U**2) > 1, ()),  # equal at 0
        (sqrt(1 + U**2) >= 1 + U / 2, ()),
        (sqrt(X) <= X, ()),
        (sqrt(X**2 + Y - 1) > X - 1, ()),  # the root is not real everywhere
        (X ** Rational(1, 3) > X, ()),
        (OWN > 1 + S, ()),
        (BEST > -1, (v > 0,)),
        (increasing(BEST, v), (v > 0,)),
        (increasing(1 / (sqrt(1 + U**2) - 2), U), (U >= 0,)),  # a pole
    ],
    ids=str,
)
def test_signs_with_roots_that_are_false_are_not(claim: object, over: tuple[object, ...]) -> None:
    assert_not_proved(claimed(claim), *over)


A = Symbol("A", real=True)
GERF, OPRF = gerf(iid, m=m, A=A), oprf(iid, m=m)
SECOND = ((1 - 4 * A) ** 2 / (1 - 8 * A)) ** (d / 2) * exp(v**2 / (1 - 8 * A))


def test_a_power_of_a_product_is_one_of_its_factors_where_they_are_positive() -> None:
    """The variance of GERF, as it is printed, and OPRF as GERF with the A of least variance."""
    error = exp(-(z**2)) * (SECOND - 1) / m
    assert_holds(mse(GERF) == error, Rational(1, 8) > A)
    assert_not_proved(mse(GERF) == error * (1 - 8 * A), Rational(1, 8) > A)
    assert_not_proved(mse(GERF) == error, Rational(1, 4) > A)  # no variance from 1/8 on
    assert_holds(mse(OPRF) == mse(GERF).at(A=BEST), v > 0)
    assert_not_proved(mse(OPRF) == mse(GERF).at(A=2 * BEST), v > 0)
    assert_holds(equal(((1 - U) / (2 - U)) ** d - 1, (1 - U) ** d / (2 - U) ** d - 1), U > 2)
    assert_not_proved(equal(((1 - U) / (2 - U)) ** (d / 2) - 1, (1 - U) ** (d / 2) / (2 - U) ** (d / 2) - 1))
    assert_not_proved(
        equal(((1 - U) * (2 - U) * U) ** (d / 2), U ** (d / 2) * ((1 - U) * (2 - U)) ** (d / 2))
    )
