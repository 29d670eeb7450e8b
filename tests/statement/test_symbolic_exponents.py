"""Powers whose exponents are variables, as of polynomial kernels; ratios of gamma functions, as of chi norms."""

import pytest
from sympy import Symbol, gamma, symbols

from rftheory.author import Rational, d, gerf, iid, m, mse, sqrt
from tests.statement.stating import assert_holds, assert_not_proved

a, b, r = symbols("a b r", positive=True)  # |x|^2, |y|^2
c, s, q, rate = symbols("c s q A", real=True)  # x.y, the sum of x_i^2 y_i^2
p = Symbol("p", integer=True, positive=True)
COMPLEX, SIGNS, NORMAL = a * b + c**2 - s, a * b + 2 * (c**2 - s), a * b + 2 * c**2
WIDE = ((1 - 2 * q) ** 2 / (1 - 4 * q)) ** (d / 2)
chi = gamma((d + 1) / 2) / gamma(d / 2)
ROW = mse(gerf(iid, m=1, A=rate)).at(v=0)

TRUE = [
    (COMPLEX**p <= SIGNS**p, (c**2 >= s, s >= 0)),
    (NORMAL**p - c ** (2 * p) <= 3**p * (a * b) ** p, (c**2 <= a * b,)),
    (NORMAL**r <= 3**r * (a * b) ** r, (c**2 <= a * b,)),
    (c ** (2 * p) <= (a * b) ** p, (c**2 <= a * b,)),
    ((1 + a) ** (-p) < (1 + a / 2) ** (-p), ()),
    (WIDE >= 1, (q < Rational(1, 4),)),
    (WIDE > 1, (q < Rational(1, 4), q > 0)),
    (ROW > 0, (rate < Rational(1, 8), rate > 0)),
    (chi <= sqrt(d / 2), ()),
    (chi >= sqrt((d - 1) / 2), ()),
    (chi >= d / sqrt(2 * (d + 1)), ()),
]
FALSE = [
    (COMPLEX**p <= SIGNS**p, (s >= 0, s <= a * b)),
    (NORMAL**p - c ** (2 * p) <= 2**p * (a * b) ** p, (c**2 <= a * b,)),
    (NORMAL**r < 3**r * (a * b) ** r, (c**2 <= a * b,)),
    (c**p <= (a * b) ** p, (c**2 <= a * b,)),
    ((c - 2) ** p <= (c - 1) ** p, (c <= 0,)),  # an even power falls
    ((c - 1) ** (2 * p) <= c ** (2 * p), (c >= 0,)),
    ((1 + a) ** (-p) > (1 + a / 2) ** (-p), ()),
    ((1 + c) ** (-p) <= 1, (c > -1,)),
    (WIDE > 1, (q < Rational(1, 4),)),
    (ROW > 0, (rate < Rational(1, 8),)),
    (chi >= sqrt(d / 2), ()),
    (chi <= sqrt((d - 1) / 2), ()),
    (chi >= sqrt(d / 2 - Rational(1, 5)), ()),  # from d = 2 on
]


@pytest.mark.parametrize(("claim", "over"), TRUE)
def test_what_is_true_is_proved(claim, over):
    assert_holds(claim, *over)


@pytest.mark.parametrize(("claim", "over"), FALSE)
def test_what_is_false_is_not(claim, over):
    assert_not_proved(claim, *over)


def test_the_inverse_of_an_inverse_is_not_looked_at_again():
    assert_not_proved(1 / gamma(d + 1) <= gamma(d / 2 + 1))  # false at d = 1


def test_a_rest_is_left_out_only_where_it_is_not_negative():
    assert_not_proved(NORMAL**p + (c - m) <= 3**p * (a * b) ** p, c**2 <= a * b)
