"""Inequalities with squares of 0F1, exponentials times series, and series of several scales."""

import pytest
import sympy

from rftheory.author import (
    Rows,
    conformity,
    coupling,
    d,
    exp,
    gaussian,
    iid,
    m,
    mean,
    mse,
    orthogonal,
    positive,
    v,
    variance,
    z,
)
from rftheory.statement.domain import Domain
from rftheory.statement.provers.series import as_series, signs, without_products
from rftheory.statement.words import claimed
from tests.statement.stating import assert_holds, assert_not_proved

SPHERE = coupling(
    "independent-on-a-sphere", "independent rows of norm sqrt(d)", rows=[Rows(1)], norms="fixed"
)
FIXED, FREE = (positive(c, m=m) for c in ("orthogonal-fixed", SPHERE))
ONE = mean(FREE) * exp((v**2 + z**2) / 2)  # 0F1(; d/2; d v^2/4)
FAR = exp(-(v**2 + z**2) / 2)


def gap_of_theorem_2(times=1, more=2):
    """What orthogonal rows of one length gain at least: Theorem 2 of Choromanski et al. 2021, regularised."""
    return times * 2 * (m - 1) / (m * (d + more)) * (mean(FIXED) - FAR) ** 2


TRUE = {
    "two rows of one length": (conformity("orthogonal-fixed") <= ONE**2, (d >= 2,)),
    "Theorem 2 for one length": (mse(FIXED) <= mse(FREE) - gap_of_theorem_2(), (m <= d,)),
    "half of it": (mse(FIXED) <= mse(FREE) - gap_of_theorem_2(sympy.Rational(1, 2)), (m <= d,)),
    "one row of one length": (mse(positive("orthogonal-fixed", m=1)) <= mse(positive(iid, m=1)), ()),
    "their variance": (variance(FIXED) <= variance(positive(iid, m=m)), ()),
    "scales": (
        3 * sympy.hyper((), (d / 2,), d * v**2) + exp(4 * v**2) >= 4 * sympy.hyper((), (d / 2,), d * v**2 / 2), (),
    ),
    "a frame and an exponential": (
        sympy.exp(3 * v**2) - sympy.hyper((d,), (d / 2,), v**2)
        >= exp(v**2) - sympy.hyper((), (d / 2,), d * v**2 / 2),
        (),
    ),
}  # fmt: skip
FALSE = {
    "twice the gap": (mse(FIXED) <= mse(FREE) - gap_of_theorem_2(2), (m <= d,)),
    "a smaller dimension": (mse(FIXED) <= mse(FREE) - gap_of_theorem_2(more=1), (m <= d,)),
    "more rows than dimensions": (mse(FIXED) <= mse(FREE) - gap_of_theorem_2(), ()),
    "a strict gap": (mse(FIXED) < mse(FREE) - gap_of_theorem_2(), (m <= d, v > 0)),
    "the reverse": (conformity("orthogonal-fixed") >= ONE**2, (d >= 2,)),
    "a smaller square": (conformity("orthogonal-fixed") <= ONE, (d >= 2,)),
    "many rows": (mse(FIXED) <= mse(positive(iid, m=m)), ()),
    "a larger variance": (variance(FIXED) >= variance(positive(iid, m=m)), ()),
    "a scale too small": (
        3 * sympy.hyper((), (d / 2,), d * v**2 / 2) + exp(v**2) >= 4 * sympy.hyper((), (d / 2,), d * v**2), (),
    ),
    "an exponential that is missing": (mean(FIXED) >= gaussian, ()),
    "other rows": (conformity(orthogonal) <= ONE**2, (d >= 2,)),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_proved(name):
    claim, over = TRUE[name]
    assert_holds(claim, *over)


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_not_proved(name):
    claim, over = FALSE[name]
    assert_not_proved(claim, *over)


@pytest.mark.parametrize(
    "a", [sympy.Rational(1, 2), sympy.S.One, sympy.Rational(3, 2), sympy.Integer(4), sympy.Integer(50)]
)
def test_the_bounds_of_the_square_hold_for_each_coefficient(a):
    def coefficients(of):
        x = sympy.Symbol("x")
        return [sympy.Poly(sympy.expand(of(x)), x).coeff_monomial(x**k) for k in range(9)]

    def series(x):
        return sum(x**k / (sympy.rf(a, k) * sympy.factorial(k)) for k in range(9))

    square = coefficients(lambda x: series(x) ** 2)
    least = coefficients(lambda x: series(2 * x))
    tight = coefficients(lambda x: (1 + 1 / a) * series(2 * x) - 2 * series(x) / a + 1 / a)
    assert all(q >= p for q, p in zip(square, least, strict=True))
    assert all(q >= p for q, p in zip(square, tight, strict=True))
    assert square[:3] == tight[:3]
    assert square[3] > tight[3]


def test_of_waves_and_of_squares_taken_away_nothing_is_known():
    over = Domain.of(claimed(v < d), ())
    wave, series = (sympy.hyper((), (d / 2,), t * d * v**2 / 2) for t in (-1, 1))
    for expression in (wave**2 - 1, exp(v**2) - series**2, series**3 - 1, -exp(v**2) * series + series):
        assert not list(without_products(expression, over))
    (first, variable), *_ = without_products(exp(v**2) * series - series, over)
    assert signs(as_series(first, variable), over).more == "positive"


def test_series_of_several_dimensions_are_left():
    over = Domain.of(claimed(v < d), ())
    apart = exp(2 * v**2) - sympy.hyper((), (d / 2,), v**2) - sympy.hyper((), (d,), v**2)
    assert signs(as_series(apart), over) is None
