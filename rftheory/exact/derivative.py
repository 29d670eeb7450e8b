"""Derivatives of what is built of sums, products, powers and functions of one argument."""

from __future__ import annotations

from functools import lru_cache

import sympy

from rftheory.exact.substitution import symbols_of

_FUNCTIONS = (sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.tanh, sympy.gamma)
"""Functions of one argument, whose derivatives they name themselves."""


def factor_in(expression: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr | None:
    """The factor of a symbol in which an expression is linear; None if it is not, as where cases depend on the symbol.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> jumps = sympy.Piecewise((x, x < 1), (x - y, True))
    >>> [factor_in(e, x) for e in (x * y + 2, y, x**2, jumps)], sympy.diff(jumps, x)
    ([y, 0, None, None], 1)
    """
    found = sympy.diff(expression, symbol) if expression.is_polynomial(symbol) else symbol
    return None if found.has(symbol) else found


@lru_cache(maxsize=2**13)
def derivative(expression: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
    """The derivative in a symbol: what ``sympy.diff`` gives, which asks of each part of it whether it is 0.

    These questions take most of its time. What has rules of its own, such as a series or an integral, is left to it.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> derivative(y * sympy.exp(x**2) / x, x)
    2*y*exp(x**2) - y*exp(x**2)/x**2
    >>> derivative(sympy.Integral(sympy.sin(x * y), (y, 0, 1)), y), derivative(sympy.hyper((1,), (2,), x), x)
    (0, hyper((2,), (3,), x)/2)
    """
    if symbol not in symbols_of(expression):
        return sympy.S.Zero
    parts = expression.args
    if expression.is_Add:
        return sympy.Add(*(derivative(part, symbol) for part in parts))
    if expression.is_Mul:
        changed = ((*parts[:n], derivative(part, symbol), *parts[n + 1 :]) for n, part in enumerate(parts))
        return sympy.Add(*(sympy.Mul(*factors) for factors in changed))
    if expression.is_Pow and symbol not in symbols_of(expression.exp):
        return expression * (derivative(expression.base, symbol) * expression.exp / expression.base)
    if isinstance(expression, _FUNCTIONS):
        return expression.fdiff(1) * derivative(parts[0], symbol)
    return sympy.diff(expression, symbol)
