"""Exact arithmetic decides identities, and never takes an expression for zero that has another value."""

import random

import pytest
import sympy
from sympy import I, Rational, cos, cosh, exp, gamma, log, pi, sin, sinh, sqrt, tan

from rftheory.exact.vanishing import vanishes

p, q = sympy.symbols("p q", positive=True)
a, b, t = sympy.symbols("a b t", real=True)
x, y = sympy.symbols("x y")
k, n = sympy.symbols("k n", integer=True)

IDENTITIES = [
    (x**2 - y**2) / (x - y) - x - y,
    exp(x + y) * exp(-x) - exp(y),
    exp((x + 1) ** 2) - exp(x**2) * exp(2 * x) * sympy.E,
    exp(a / (1 - b) + a / (1 + b)) - exp(2 * a / (1 - b**2)),
    exp(exp(exp(x)) + exp(exp(x))) - exp(2 * exp(exp(x))),
    sin(a) ** 2 + cos(a) ** 2 - 1,
    exp(4 * a**2 * cos(t / 2) ** 2) * exp(4 * a**2 * sin(t / 2) ** 2) - exp(4 * a**2),
    cosh(2 * x) - 1 - 2 * sinh(x) ** 2,
    tan(x) * cos(x) - sin(x),
    sqrt(p * q) ** 3 / sqrt(p) - p * q * sqrt(q),
    1 / (sqrt(1 + p) - 1) - (sqrt(1 + p) + 1) / p,
    (2 * p) ** a * p ** (-a) - 2**a,
    (-(x**2)) ** k - (-1) ** k * x ** (2 * k),
    (I * p) ** a * (-1) ** (-a / 2) - p**a,
    gamma(x + 3) / gamma(x + 1) - (x + 1) * (x + 2),
    sympy.binomial(p, 3) - p * (p - 1) * (p - 2) / 6,
    log(8 * p**2 * q) - 3 * log(2) - 2 * log(p) - log(q),
    sympy.hyper((x + x,), (1,), y) - sympy.hyper((2 * x,), (1,), y),
    sympy.Abs(x * y) - sympy.Abs(x) * sympy.Abs(y),
]


@pytest.mark.parametrize("expression", IDENTITIES, ids=str)
def test_identities(expression):
    assert vanishes(expression)


@pytest.mark.parametrize("expression", IDENTITIES, ids=str)
@pytest.mark.parametrize("error", [Rational(1, 10**9), exp(-50 * p), sqrt(p)], ids=str)
def test_a_planted_error_is_noticed(expression, error):
    assert not vanishes(expression + error)


FALSE = [
    sqrt(x**2) - x,
    sqrt(x * y) - sqrt(x) * sqrt(y),
    (x**2) ** a - x ** (2 * a),
    (-p) ** a - (-1) ** a * p**a + 1,
    exp(x) ** a - exp(a * x),
    exp(2 * I * pi * x) - 1,
    log(x * y) - log(x) - log(y),
    log(exp(x)) - x,
    sqrt(x) ** 2 + x,
    (-8) ** Rational(1, 3) + 2,
    (-1) ** Rational(2, 3) - 1,
    gamma(x + 1) - x * gamma(x + 2),
    sympy.Order(x) - 2 * sympy.Order(x),
    1 / (sqrt(p) ** 2 - p),
    sympy.binomial(k, n) - sympy.binomial(k, k - n),
    sympy.Symbol("A", commutative=False) * sympy.Symbol("B", commutative=False)
    - sympy.Symbol("B", commutative=False) * sympy.Symbol("A", commutative=False),
    sympy.RisingFactorial(I, k) - x,
    (x * (y + 3) - x * y) ** (10**12) - y,
    sum(sympy.symbols("v0:10")) ** 64 - y,
    sqrt(x**100000 - 1) - y,
    sympy.Integer((10**40 + 121) * (10**41 + 891)) ** y - p,
    sympy.nan,
    sympy.oo,
    sympy.Float("1e-30"),
]


@pytest.mark.parametrize("expression", FALSE, ids=str)
def test_what_holds_only_for_some_values_is_not_taken_for_an_identity(expression):
    assert not vanishes(expression)


def test_deep_nesting_is_given_up():
    f, deep = sympy.Function("f"), x
    for _ in range(300):
        deep = f(deep) + 1
    assert not vanishes(deep - y)


def _random(draw: random.Random, depth: int) -> sympy.Expr:
    if depth == 0:
        return draw.choice([p, q, a, b, x, Rational(draw.randint(-4, 4), draw.randint(1, 3)), I])
    kind, one = draw.randrange(7), _random(draw, depth - 1)
    if kind < 2:
        return one + _random(draw, depth - 1)
    if kind < 4:
        return one * _random(draw, depth - 1)
    if kind == 4:
        return exp(one)
    if kind == 5:
        return one ** draw.choice([Rational(1, 2), Rational(-1, 2), Rational(1, 3), 2, -1, a])
    return draw.choice([sin, cos, sinh, log])(one)


FORMS = [
    sympy.expand,
    sympy.together,
    sympy.powsimp,
    sympy.factor_terms,
    sympy.powdenest,
    lambda e: e.rewrite(exp),
]


@pytest.mark.parametrize("seed", range(60))
def test_what_is_taken_for_zero_is_zero_at_points(seed):
    draw = random.Random(seed)
    left = _random(draw, 3)
    right = draw.choice(FORMS)(_random(draw, 3) if seed % 3 == 0 else left)
    difference = left - draw.choice([1, 1, -1]) * right
    if not vanishes(difference):
        return
    for _ in range(4):
        at = {
            s: Rational(draw.randint(1, 30), 7) * (1 if s in (p, q) else draw.choice([1, -1]))
            for s in (p, q, a, b)
        }
        at[x] = Rational(draw.randint(-9, 9), 5) + I * Rational(draw.randint(-9, 9), 7)
        value = difference.subs(at)
        if value.is_number and value.is_finite is not False:
            size = abs(sympy.N(left.subs(at), 30)) if left.subs(at).is_finite else 1
            assert abs(sympy.N(value, 30)) <= 1e-12 * (1 + size), (difference, at)
