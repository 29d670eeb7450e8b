"""The symbols of an expression, and values in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import sympy
from sympy.core.relational import Relational

from rftheory.exact.order import evaluated


@lru_cache(maxsize=8192)
def symbols_of(expression: sympy.Basic) -> frozenset[sympy.Symbol]:
    """The free symbols, which sympy collects anew whenever it is asked.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> sorted(symbols_of(sympy.Sum(x * y, (x, 1, 2))), key=str)
    [y]
    """
    return frozenset(expression.free_symbols)


def with_values(
    expression: sympy.Basic, values: Mapping[Any, Any] | Iterable[tuple[Any, Any]]
) -> sympy.Basic:
    """The expression with values in the place of symbols, all at once.

    It is what ``subs(values, simultaneous=True)`` makes through symbols of its own, at a multiple of the time; subs
    remains for what is no symbol, and for symbols that are bound somewhere, which keep their name there.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> with_values(x * sympy.exp(y), {x: y, y: x})
    y*exp(x)
    >>> with_values(x + sympy.Sum(x, (x, 1, y)), {x: 2, y: 3})
    2 + Sum(x, (x, 1, 3))
    """
    given = {old: sympy.sympify(new) for old, new in dict(values).items()}
    if all(old.is_Symbol for old in given) and not _bound(expression) & given.keys():
        return _replaced(expression, given) if _has_decisions(expression) else expression.xreplace(given)
    return expression.subs(given, simultaneous=True)


_DECISIONS = (Relational, sympy.floor, sympy.ceiling, sympy.Max, sympy.Min, sympy.Abs, sympy.sign)
"""Kinds that sympy evaluates by floating-point numbers as soon as their arguments are numbers."""


@lru_cache(maxsize=4096)
def _has_decisions(expression: sympy.Basic) -> bool:
    return bool(expression.has(*_DECISIONS))


def _replaced(node: sympy.Basic, given: Mapping[sympy.Basic, sympy.Basic]) -> sympy.Basic:
    """What xreplace makes, with enclosures where sympy would decide something about numbers."""
    if node in given:
        return given[node]
    if not symbols_of(node) & given.keys():
        return node
    arguments = [_replaced(argument, given) for argument in node.args]
    return evaluated(node.func, *arguments) if isinstance(node, _DECISIONS) else node.func(*arguments)


@lru_cache(maxsize=4096)
def _bound(expression: sympy.Basic) -> frozenset[sympy.Symbol]:
    """The symbols that are bound in a part of the expression, as by a sum, or by which one is differentiated."""
    if expression.is_Atom:
        return frozenset()
    found = frozenset[sympy.Symbol]().union(*map(_bound, expression.args))
    found = found.union(getattr(expression, "variables", ()))  # which may occur free beside, as in a limit
    if type(expression).free_symbols is not sympy.Basic.free_symbols:
        found = found.union(expression.atoms(sympy.Symbol) - expression.free_symbols)
    return found
