"""Elementary functions: inequalities, directions, orders of growth and limits whose truth is known by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
import sympy
from sympy import Abs, Max, Min, Rational, Symbol, cos, cosh, exp, log, oo, pi, sin, sinh, sqrt, tanh

from rftheory.author import (
    O,
    conformity,
    d,
    decreasing,
    equal,
    gaussian,
    iid,
    increasing,
    limit,
    m,
    mse,
    orthogonal,
    positive,
    simplex,
    trigonometric,
    v,
    z,
)
from rftheory.errors import InvalidInput
from rftheory.judge import Decision
from rftheory.statement.domain import Domain
from rftheory.statement.provers.proof import prove
from rftheory.statement.provers.unexpanded import not_expanded
from rftheory.statement.settle import alone
from rftheory.statement.words import Claim, Side
from tests.statement.stating import assert_holds, assert_not_proved, stated

x, b, c = (Symbol(name, real=True) for name in "xbc")
p = Symbol("p", positive=True)
ROWS = positive(orthogonal, m=m)

TRUE = [
    (exp(v) >= 1 + v,), (exp(x) >= 1 + x,), (exp(x) > 1 + x, x > 0), (exp(x) >= exp(1) * x,), (exp(x) > 2 * x,),
    (cosh(v) <= exp(v**2 / 2),), (cosh(x) <= exp(x**2 / 2),), (cosh(v) < exp(v**2 / 2), v > 0),
    (sinh(v) <= v * exp(v**2 / 6),), (sinh(v) <= v * cosh(v),), (tanh(v) <= v,), (tanh(x) < 1,),
    (sin(v) >= v - v**3 / 6,), (cos(x) >= 1 - x**2 / 2,), (log(p) <= p - 1,), (log(1 + v) >= 2 * v / (2 + v),),
    (exp(-v) <= 1 / (1 + v),), ((1 + v) ** m >= 1 + m * v,),
    (log(d) <= d - 1,), (2**d >= d + 1,), (d**2 <= 2**d, d >= 4),
    (cosh(x) <= exp(x), x >= 0), (sinh(x) < exp(x) / 2,), (2 * cosh(x) <= 1 + exp(x), x >= 0), (cosh(v) <= exp(v),),
    (cosh(v**2) - 1 <= (exp(v**2) - 1) / 2,), (cosh(x) < exp(x), x > 0), (tanh(x) <= 1 - exp(-2 * x), x >= 0),
    (log(cosh(x)) <= x, x >= 0), (cosh(v**2) + conformity(orthogonal) <= exp(v**2) + conformity(orthogonal),),
    (Abs(x) >= x,), (Abs(x) + Abs(b) >= x,), (exp(b * v) >= 1 + b * v,),
    (increasing(log(d), d),), (increasing((v - 1) ** 3, v),),
    (increasing(v + sin(v), v),), (increasing(b * x**3, x), b > 0),
    (decreasing(log(d) / d, d), d >= 3), (increasing(exp(v) - v, v),),
    (m >= d + 1, m > d), (b > c, b > c + 1), (m >= 2 * d - 1, 2 * m > 4 * d - 3),
    (Max(v, 1) >= exp(-v),), (Max(v, 1) >= Max(v, 1) ** 2 / (1 + Max(v, 1)),), (decreasing((1 + 1 / v) ** m, v), v > 0),
]  # fmt: skip

FALSE = [
    (exp(v) >= 1 + v + v**2 * Rational(51, 100),), (exp(x) >= 1 + x + x**2 / 2,), (exp(x) > 1 + x,),
    (exp(x) >= 1 + x * Rational(101, 100),), (cosh(v) <= exp(v**2 / 3),), (cosh(v) < exp(v**2 / 2),),
    (sinh(v) <= v * exp(v**2 / 7),), (tanh(x) < Rational(99, 100),), (sin(v) >= v - v**3 / 7,),
    (log(p) <= p - Rational(11, 10),), (exp(-v) < 1 / (1 + v),), (2**d > d + 1,), (d**2 <= 2**d, d >= 3),
    (cosh(x) <= exp(x),), (sinh(x) <= exp(x) * Rational(49, 100), x >= 0), (2 * cosh(x) <= 1 + exp(x),),
    (cosh(v**2) - 1 <= (exp(v**2) - 1) * Rational(49, 100),), (cosh(v) < exp(v),), (cosh(2 * x) <= exp(x), x >= 0),
    (tanh(x) <= 1 - exp(-2 * x),), (cosh(x) >= exp(x) * Rational(51, 100),),
    (Abs(x) > x,), (Abs(x) >= x + 1,), (increasing(Abs(x), x),), (increasing(x + Abs(x), x),), (increasing(x**2, x),),
    (increasing((x - 1) ** 4, x),), (increasing(b * x**3, x), b >= 0), (decreasing(log(d) / d, d), d >= 2),
    (increasing(x + 2 * sin(x), x),), (m >= d + 2, m > d), (m > d + 1, m > d), (b >= c + 1, b > c),
]  # fmt: skip

NARROW = [  # false next to pi, or below 10^-5, where no point is looked at
    (Max(v, 1) >= 10 / (1 + 10**10 * (Max(v, 1) - pi) ** 2),),
    (Min(v, 4) <= 5 - 2 / (1 + 10**10 * (Min(v, 4) - pi) ** 2),),
    (decreasing((1 + p**-2 / 10**10) ** p, p),),
]  # fmt: skip


@pytest.mark.parametrize("said", NARROW, ids=str)
def test_what_is_false_in_a_narrow_range_is_not_proved(said: tuple[object, ...]) -> None:
    assert_not_proved(*said)


@pytest.mark.parametrize("said", TRUE, ids=str)
def test_what_is_true_of_elementary_functions_is_proved(said: tuple[object, ...]) -> None:
    assert_holds(*said)


@pytest.mark.parametrize("said", FALSE, ids=str)
def test_what_is_false_of_elementary_functions_fails(said: tuple[object, ...]) -> None:
    assert_not_proved(*said)
    assert alone(stated(*said)) is Decision.FAILS


BESIDE_B = b + b * O(1 / d)

GROWTH = [
    (equal(sin(x), x + O(x**3)), True), (equal(sin(x), x + O(x**4)), False),
    (equal(exp(x), 1 + x + x**2 / 2 + x**3 / 6 + O(x**4)), True), (equal(sin(v), v + O(v**4)), False),
    (equal(log(1 + exp(v)), v / 2 + log(2) + O(v**2)), True), (equal(log(1 + exp(v)), v + log(2) + O(v**2)), False),
    (log(1 + exp(v)) <= v + log(2) + O(v**2), True), (log(1 + exp(v)) <= v / 4 + log(2) + O(v**2), False),
    (equal(Abs(x), O(x)), True), (equal(Abs(x), x + O(x**2)), False), (Abs(x) <= x + O(x**2), False),
    (b + 1 / d <= BESIDE_B, False), (b - 1 / d <= BESIDE_B, True), (b + b / d <= BESIDE_B, True),
    (b + 1 / d <= b + b * O(1 / d**2), False), (equal(b + b / d, BESIDE_B), True), (equal(b - 1 / d, BESIDE_B), False),
    (mse(positive(simplex, m=m)) <= mse(ROWS) * (1 + O(1 / m)), True),
]  # fmt: skip


@pytest.mark.parametrize(("said", "truth"), GROWTH, ids=str)
def test_orders_of_growth_of_odd_rests_and_of_factors_without_a_sign(said: object, truth: bool) -> None:
    assert alone(stated(said)) is (Decision.HOLDS if truth else Decision.FAILS)


@pytest.mark.parametrize(("over", "truth"), [(b > 0, True), (b < 0, True), (b >= 0, False), (b <= 0, False)])
def test_a_factor_of_the_order_says_nothing_where_it_is_zero(over: object, truth: bool) -> None:
    assert alone(stated(b + 1 / d <= BESIDE_B, over)) is (Decision.HOLDS if truth else Decision.FAILS)


SHARE = conformity(simplex) / conformity(orthogonal)
APART = exp(b * v) - exp(c * v)

LIMITS = [
    (limit(mse(ROWS), d, oo) >= mse(ROWS), (), True), (limit(mse(ROWS), d, oo) <= mse(ROWS), (), False),
    (limit(mse(ROWS), d, oo) > mse(ROWS), (m >= 2, d >= 2, v > 0), True), (limit(1 / d, d, oo) < 1 / d, (), True),
    (limit(1 / d, d, oo) >= 1 / d, (), False), (limit(v / (1 + v), v, oo) > v / (1 + v), (), True),
    (limit(SHARE, v, oo) == 0, (), True), (limit(SHARE, v, oo) == 1, (), False),
    (limit(1 + SHARE, v, oo) == 1, (), True), (limit(conformity(orthogonal) / exp(v**2 / 2), v, oo) == oo, (), True),
    (limit(conformity(orthogonal) / exp(v**2 / 2), v, oo) == 1, (), False),
    (limit(APART, v, oo) == oo, (b > c, b > 0), True), (limit(APART, v, oo) == oo, (b > c, c >= 0), True),
    (limit(APART, v, oo) == oo, (b > c,), False), (limit(APART, v, oo) == 0, (b > c,), False),
    (limit(APART, v, oo) == 0, (b > c, b < 0), True),
    (limit(sin(x) / x, x, 0) == 1, (), True), (limit(Abs(x) / x, x, 0) == 1, (), False),
    (limit(1 / x, x, 0) == oo, (), False),
]  # fmt: skip

AS_THE_DISTANCE = Symbol("(-x)", positive=True)
ON_SPHERE = mse(trigonometric(iid, m=m)).at(z=sqrt(4 - x**2))  # has no value beyond x = 2
ELSEWHERE = [
    (limit(1 / (1 + v), v, 1) == 0, (), Decision.FAILS),
    (limit(1 / (1 + v), v, 1) == Rational(1, 2), (), Decision.HOLDS),
    (limit(mse(positive(iid, m=m)), v, 2) == oo, (), Decision.FAILS),
    (limit(mse(ROWS), v, 2) == mse(ROWS).at(v=2), (m <= d,), Decision.HOLDS),
    (limit(1 / (v - 1), v, 1) == oo, (v > 1,), Decision.HOLDS), (limit(1 / (v - 1), v, 1) == oo, (), Decision.FAILS),
    (limit(Abs(v - 1) / (v - 1), v, 1) == 1, (), Decision.FAILS), (limit(v, v, 2) == 3, (v < 2,), Decision.FAILS),
    (limit(sin(x) / (x - pi), x, pi) == -1, (), Decision.HOLDS), (limit(1 / x, x, 0) == oo, (x < 0,), Decision.FAILS),
    (limit(x * exp(x), x, -oo) == 0, (), Decision.HOLDS), (limit(x, x, -oo) == oo, (), Decision.FAILS),
    (limit(sqrt(1 - x), x, 1) == 0, (x >= 0, x <= 1), Decision.HOLDS),
    (limit(v, v, 1) == 1, (v <= z, z >= 2), Decision.HOLDS), (limit(v, v, 1) == 1, (v <= z,), Decision.UNDECIDED),
    (limit(v, v, 1) == 1, (v >= 2,), Decision.UNDECIDED), (limit(exp(-v), v, z) == 0, (), Decision.UNDECIDED),
    (limit(1 / m, m, 2) == Rational(1, 2), (), Decision.UNDECIDED),
    (limit(sin(1 / (v - 1)), v, 1) == 0, (), Decision.UNDECIDED),
    (limit(x**2, x, 1) < 2, (), Decision.HOLDS), (limit(x**2, x, 1) != 1, (), Decision.FAILS),
    (limit(v, v, 1) <= v, (), Decision.FAILS), (limit(exp(x), x, -oo) < exp(x), (), Decision.HOLDS),
    (limit(b * x, x, 2) == b * x, (), Decision.FAILS), (limit(x**2, x, 2) < limit(x**3, x, 2), (), Decision.HOLDS),
    (limit(Abs(x) / x, x, 0) <= 1, (), Decision.UNDECIDED),  # it has no value
    (limit(Abs(x) / x, x, 0) == limit(x / Abs(x), x, 0), (), Decision.UNDECIDED),
    (limit(x + AS_THE_DISTANCE, x, -oo) == 0, (), Decision.UNDECIDED),
    (limit(Abs(v - z), v, 1) == Abs(1 - z), (), Decision.HOLDS), (limit(Max(x, b), x, 0) == b, (), Decision.FAILS),
    (limit(x**d, x, 0) == 0, (), Decision.HOLDS), (limit(p**b, p, 0) == 0, (b >= 0,), Decision.FAILS),
    (limit((1 - p) ** (-d / 2), p, 1) == oo, (p < 1,), Decision.HOLDS),
    (limit((p**d + p**m) / p**d, p, 0) == 1, (m > d,), Decision.HOLDS),
    (limit((p**d + p**m) / p**d, p, 0) == 1, (m >= d,), Decision.FAILS),
    (limit(exp(x) * cosh(x), x, -oo) == Rational(1, 2), (), Decision.HOLDS),
    (limit(tanh(x), x, -oo) == 1, (), Decision.FAILS),
    (limit(ON_SPHERE, x, 2) == 0, (), Decision.HOLDS), (limit(ON_SPHERE, x, 3) == 0, (), Decision.UNDECIDED),
    (limit(Abs(x - 1) / (x - 1), x, 1) == -1, (x**2 <= 1,), Decision.HOLDS),
    (limit(Abs(x - 1) / (x - 1), x, 1) == -1, (b * (x - 1) > 0, b > 0), Decision.FAILS),
]  # fmt: skip


@pytest.mark.parametrize(("said", "over", "decision"), ELSEWHERE, ids=str)
def test_limits_elsewhere_than_at_0_and_infinity(
    said: object, over: tuple[object, ...], decision: Decision
) -> None:
    """From all sides on which the domain has points; undecided at places that it does not reach, and at expressions."""
    assert alone(stated(said, *over)) is decision


@pytest.mark.parametrize(
    ("said", "over", "why"),
    [
        (limit(sin(1 / (v - 1)), v, 1) == 0, (), ""), (limit(sin(x), x, -oo) == 0, (), ""),
        (limit(v, v, 1) == 1, (v >= 2,), "the conditions do not let v tend to 1 at fixed values of the others"),
        (limit(v, v, z) == 1, (), "limits are found at numbers and at both infinities, not at z"),
        (limit(1 / m, m, 2) == 1, (), "limits of integers are found at oo alone, not at 2"),
    ],
)  # fmt: skip
def test_why_a_limit_is_left_open(said: Claim, over: tuple[object, ...], why: str) -> None:
    assert not_expanded(said.parts, Domain.of(said, over)) == why


def test_an_order_that_is_lost_on_both_sides_and_the_side_that_refutes() -> None:
    assert alone(stated(equal(x, b * O(x)), b >= 0)) is Decision.FAILS
    said = limit(Abs(x) / x, x, 0) == 1
    assert prove(said.parts[0], Domain.of(said, ())).says.startswith("from below: the limit is -1")


frame = conformity(orthogonal)
RESTS = [
    (frame / exp(v**2) == (1 + O(1 / d)) / (1 + O(1 / d)), (), Decision.UNDECIDED),  # they do not cancel
    (frame + O(1 / d) - O(1 / d) == exp(v**2), (), Decision.HOLDS), (frame / exp(v**2) == 1, (), Decision.FAILS),
    (frame * (1 + O(1 / d)) == exp(v**2) * (1 + O(1 / d)), (), Decision.HOLDS),
    (frame * (1 + O(1 / d**2)) == exp(v**2) * (1 + O(1 / d**2)), (), Decision.FAILS),
    (frame == exp(v**2) * (1 + O(1 / d**2)) + O(1 / d), (), Decision.HOLDS),
    (frame == exp(v**2) * (1 + O(1 / d**2)) + O(1 / d**2), (), Decision.FAILS),
    (frame >= exp(v**2) * (1 - v**4 / (2 * d) + O(1 / d**2)) - O(1 / d**3), (), Decision.HOLDS),
    (frame >= exp(v**2) * (1 + O(1 / d**2)) - O(1 / d**3), (), Decision.FAILS),
    (mse(ROWS) == mse(positive(iid, m=m)) * (1 + O(1 / d)) + O(1 / d**2), (m <= d,), Decision.HOLDS),
    (equal(exp(v), 1 + v + O(v**2) + O(1 / d)), (), Decision.UNDECIDED),
    (abs(frame - exp(v**2)) <= O(1 / d), (), Decision.HOLDS),
    (O(1 / d**2) >= abs(frame - exp(v**2)), (), Decision.FAILS),
    (abs(1 / d - 1 / (1 + d)) <= 1 / d + O(1 / d**2), (), Decision.HOLDS),
]  # fmt: skip


@pytest.mark.parametrize(("said", "over", "decision"), RESTS, ids=str)
def test_several_rests_of_some_order(said: object, over: tuple[object, ...], decision: Decision) -> None:
    assert alone(stated(said, *over)) is decision


@pytest.mark.parametrize(("said", "over", "truth"), LIMITS, ids=str)
def test_limits_beside_the_same_letter_of_frames_and_of_rates_in_order(
    said: object, over: tuple[object, ...], truth: bool
) -> None:
    assert alone(stated(said, *over)) is (Decision.HOLDS if truth else Decision.FAILS)


def test_the_growth_of_frames_is_cited() -> None:
    said = stated(limit(SHARE, v, oo) == 0)
    found = prove(said.parts[0], said.domain)
    assert found is not None
    assert [said.startswith("1F1(a; b; x) is Gamma(b)/Gamma(a)") for said in found.assumes] == [True]


LAWS = [
    (conformity(simplex) >= exp(-(v**2)), True), (conformity(simplex) > exp(-(v**2)), False),
    (conformity(orthogonal) >= 2 - exp(-(v**2)), True), (conformity(orthogonal) <= 2 - exp(-(v**2)), False),
    (conformity(simplex) >= Rational(101, 100) * exp(-(v**2)), False),
    (increasing(mse(positive(simplex, m=m)) / gaussian**2, v), True),
    (increasing(mse(positive(simplex, m=m)), v), True),
    (decreasing(mse(positive(simplex, m=m)) / gaussian**2, v), False),
    (increasing(mse(positive(simplex, m=m)), z), False),
]  # fmt: skip


@pytest.mark.parametrize(("said", "truth"), LAWS, ids=str)
def test_laws_beside_exponentials_that_fall(said: object, truth: bool) -> None:
    assert alone(stated(said)) is (Decision.HOLDS if truth else Decision.FAILS)


@pytest.mark.parametrize(
    ("said", "over"),
    [
        (increasing(exp(v**2), v), (v >= 1, v <= 1)), (increasing(exp(v**2), v), (v <= 0,)),
        (increasing(v, v), (v >= sqrt(2), v <= 2 / sqrt(2))), (decreasing(mse(positive(iid, m=m)), m), (m <= 1,)),
        (increasing(mse(positive(simplex)), d), (d <= 2,)), (limit(mse(positive(iid, m=m)), m, oo) == 0, (m <= 1,)),
        (equal(1 / (v + 1), O(1 / v)), (v <= 0,)), (equal(exp(z) / d, O(1 / d)), (d <= 1,)),
    ],
    ids=str,
)  # fmt: skip
def test_a_variable_with_one_value_does_not_vary(said: object, over: tuple[object, ...]) -> None:
    with pytest.raises(InvalidInput, match="more than one value of"):
        stated(said, *over)


def test_what_is_not_real_has_no_limit_and_no_order() -> None:
    decay = Side(sympy.I * exp(-x))
    for said in (decay <= O(1 / x), limit(sympy.I * v, v, 0) <= 1, limit(x**p, x, 0) <= 1):
        assert_not_proved(said)
    assert_holds(limit(x**p, x, 0) <= 1, x > 0)
    assert alone(stated(decay <= O(1 / x), x < 1)) is Decision.UNDECIDED


def _drawn(seed: int) -> Iterator[tuple[bool, tuple[object, ...]]]:
    """Statements with random constants, at, just beside and far from those at which they become false."""
    draw = random.Random(seed)

    def beside(end: sympy.Expr) -> sympy.Expr:
        return end * draw.choice(
            (1, 1, Rational(99, 100), Rational(1001, 1000), Rational(1, 2), Rational(3, 2))
        )

    a = Rational(draw.randint(1, 12), draw.randint(1, 6))
    one, two, half = beside(a), beside(a**2 / 2), beside(a / 2)
    shift, power = draw.choice((a, -a)), draw.randint(2, 6)
    yield one <= a, (exp(a * v) >= 1 + one * v,)
    yield one == a, (exp(a * x) >= 1 + one * x,)
    yield one >= a, (exp(a * x) >= 1 + one * x, x <= 0)
    yield two >= a**2 / 2, (cosh(a * x) <= exp(two * x**2),)
    yield two <= a**2 / 2, (exp(a * v) >= 1 + a * v + two * v**2,)
    yield one >= a, (log(1 + a * v) <= one * v,)
    yield one >= a, (sin(a * v) <= one * v,)
    yield two >= a**2 / 2, (cos(a * x) >= 1 - two * x**2,)
    yield a >= one, (increasing(exp(a * v) - one * v, v),)
    yield power % 2 == 1, (increasing((x - shift) ** power, x),)
    yield power % 2 == 1 or shift <= 0, (increasing((v - shift) ** power, v),)
    yield two == a**2 / 2, (equal(exp(a * x), 1 + a * x + two * x**2 + O(x**3)),)
    yield half >= a / 2, (log(1 + exp(a * v)) <= log(2) + half * v + O(v**2),)
    yield one <= a, (Abs(x - shift) >= one / a * (x - shift),)
    yield shift >= 0, (exp(x) > 1 + x, x > shift)
    yield shift <= 0, (p * log(p) >= p - 1 + shift,)


@pytest.mark.parametrize("seed", range(8))
def test_nothing_false_is_proved_and_nothing_true_refuted(seed: int) -> None:
    decided = 0
    for truth, said in _drawn(seed):
        statement = stated(*said)
        proofs = [prove(part, statement.domain) for part in statement.parts]
        assert not any(proof is not None and proof.refutes is truth for proof in proofs), statement
        found = alone(statement)
        assert found is not (Decision.FAILS if truth else Decision.HOLDS), statement
        decided += found is not Decision.UNDECIDED
    assert decided >= 12
