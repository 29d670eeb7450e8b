"""The parameter of least variance written out, in place of the map that takes it."""

import pytest
import sympy

from rftheory.author import Rational, d, gerf, iid, m, mse, oprf, orthogonal, positive, sqrt, v
from tests.statement.stating import assert_holds, assert_not_proved

A, s = sympy.Symbol("A", real=True), sympy.Symbol("s", positive=True)
BEST = (d - 2 * v**2 - sqrt((2 * v**2 + d) ** 2 + 8 * d * v**2)) / (16 * d)
RHO = (sqrt((2 * v**2 + d) ** 2 + 8 * d * v**2) - 2 * v**2 - d) / (4 * v**2)
EXISTS = Rational(1, 8) > A


def G(value, rows=iid):
    return mse(gerf(rows, m=m, A=value))


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (G(BEST) <= G(A), (EXISTS,)),
        (G((1 - 1 / RHO) / 8) <= G(A), (EXISTS, v > 0)),
        (G(BEST.subs(v, s)).at(v=s) <= G(A).at(v=s), (EXISTS,)),
        (G(BEST.subs(d, 1)).at(d=1) <= G(A).at(d=1), (EXISTS,)),
        (G(BEST) <= G(Rational(-1, 4)), ()),
        (G(BEST) < mse(positive(iid, m=m)), (v > 0,)),
        (mse(oprf(orthogonal, m=m)) <= G(BEST), ()),
    ],
)
def test_the_best_value_is_recognised(claim, over):
    assert_holds(claim, *over)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (G(2 * BEST) <= G(A), (EXISTS,)),
        (G(BEST) < G(A), (EXISTS,)),
        (G(BEST) >= G(A), (EXISTS,)),
        (G(BEST.subs(v, 2 * v)) <= G(A), (EXISTS,)),
        (G(BEST.subs(d, d + 1)) <= G(A), (EXISTS,)),
        (G(BEST.subs(v, s)) <= G(A), (EXISTS,)),
        (G(BEST) < mse(positive(iid, m=m)), ()),
        (G(BEST) <= G(A, orthogonal), (EXISTS,)),
    ],
)
def test_other_values_are_not(claim, over):
    assert_not_proved(claim, *over)
