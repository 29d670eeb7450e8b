"""Features with a diagonal of one number have the laws and draws of those with that number."""

from __future__ import annotations

import numpy as np
import sympy

from rftheory.author import gerf, iid, m, mse, orthogonal, with_features
from rftheory.exact.symbols import d
from rftheory.judge import Decision
from rftheory.sample import Mechanism, Stream
from rftheory.statement.settle import alone
from tests.statement.stating import assert_holds, assert_not_proved, stated

A = sympy.Symbol("A", real=True)
WIDE = with_features("anisotropic")
MOST, VALUE = sympy.Rational(1, 8), sympy.Rational(-1, 4)


def test_laws_are_those_of_the_number() -> None:
    assert_holds(mse(WIDE(iid, m=m, A=A)) == mse(gerf(iid, m=m, A=A)), A < MOST)
    assert_holds(mse(WIDE(orthogonal, m=m, A=A)) <= mse(WIDE(iid, m=m, A=A)), A < MOST, d >= 2)
    assert_not_proved(mse(WIDE(iid, m=m, A=A)) == mse(gerf(iid, m=m, A=A)))  # it may have no variance
    wrong = mse(WIDE(iid, m=m, A=VALUE)) == mse(gerf(iid, m=m, A=VALUE / 2))
    assert alone(stated(wrong)) is Decision.FAILS


def test_draws_are_those_with_the_number_at_each_coordinate() -> None:
    x, y = np.array([[0.5, -0.2, 0.1]]), np.array([[0.3, 0.4, 0.0]])
    one, each = (
        Mechanism("anisotropic", "orthogonal", 6, A=shape).gram(Stream(1), range(9), x, y, "gaussian")
        for shape in (-0.25, (-0.25,) * 3)
    )
    assert np.array_equal(one, each)
