"""Derivatives are what sympy gives, by which they are not taken."""

import pytest
import sympy
from sympy import Rational, cos, exp, gamma, hyper, log, sin, sqrt, tanh

from rftheory.exact.derivative import derivative

u = sympy.Symbol("u", real=True)
x, y = sympy.symbols("x y", positive=True)
n = sympy.Symbol("n", integer=True, positive=True)
f = sympy.Function("f")

FORMS = (
    x, y, sympy.Integer(3), 3 * (x + 1) ** 2, (x * (x + 1)) ** 2, sympy.Mul(2, x + 1, evaluate=False),
    x**2 * exp(x * y) / (1 + x), (1 + x) ** n * log(x + y) ** 2, sqrt(x**2 + y) * sin(x) * cos(x * y),
    x**x, 2**x, exp(exp(x)), tanh(u) ** 3, (1 + sin(x)) ** 2 * log(x) / sqrt(x), log(gamma(x)), exp(sympy.I * x * u),
    exp(-(x**2) * (n + 1) / 2) * n * x * (n - 1), sympy.erf(u * y) / (u**2 + 1) ** Rational(3, 2),
    gamma(u + 1) * sympy.loggamma(x), hyper((n,), (n / 2,), x**2 / 2) * exp(-x), sympy.besseli(n, x),
    abs(u) * u, sympy.sign(u), sympy.floor(u) * u, sqrt(u**2), sympy.Piecewise((x, x > 1), (x**2, True)),
    f(x) * f(x * u),
    sympy.Sum(x**n / n, (n, 1, sympy.oo)), sympy.Integral(exp(x * u), (u, 0, x)), sympy.zeta(x), sympy.acos(u),
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_first_and_second_derivatives_are_those_of_sympy(form: sympy.Expr) -> None:
    for symbol in (x, y, u, n):
        first = derivative(form, symbol)
        assert first == sympy.diff(form, symbol)
        assert derivative(first, symbol) == sympy.diff(first, symbol)


def test_a_bound_symbol_is_another_one() -> None:
    assert derivative(sympy.Integral(sin(x * y), (y, 0, 1)), y) == 0
