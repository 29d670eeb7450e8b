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
    remains for what is no symbol, and for symbols that are bound somewhere, which keep their name there. A symbol of a
    value is none that is bound where it comes to stand; with subs it would be.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> with_values(x * sympy.exp(y), {x: y, y: x})
    y*exp(x)
    >>> with_values(x + sympy.Sum(x, (x, 1, y)), {x: 2, y: 3})
    2 + Sum(x, (x, 1, 3))
    >>> with_values(sympy.Sum(x * y, (x, 1, 2)), {y: x}).doit()
    3*x
    """
    given = {old: sympy.sympify(new) for old, new in dict(values).items()}
    brought = frozenset[sympy.Symbol]().union(*map(symbols_of, given.values()))
    if brought and (taken := _bound(expression) & brought):
        expression = _renamed(expression, taken)
    if all(old.is_Symbol for old in given) and not _bound(expression) & given.keys():
        return _replaced(expression, given) if _has_decisions(expression) else expression.xreplace(given)
    return expression.subs(given, simultaneous=True)


def _renamed(expression: sympy.Basic, taken: frozenset[sympy.Symbol]) -> sympy.Basic:
    """The expression with other names for these symbols where they are bound: values bring them in from outside."""

    def bound(node: sympy.Basic) -> frozenset[sympy.Symbol]:
        derived = isinstance(node, sympy.Derivative)
        return taken.intersection(node.variables if derived else getattr(node, "bound_symbols", ()))

    def renamed(node: sympy.Basic) -> sympy.Basic:
        inside = {symbol: _other(symbol) for symbol in bound(node)}
        if isinstance(node, sympy.Derivative):
            return sympy.Subs(node.xreplace(inside), tuple(inside.values()), tuple(inside))
        outside = {symbol: sympy.Dummy() for symbol in inside if symbol in node.free_symbols}  # as in an end
        named = node.subs(outside).xreplace(inside)
        return named.xreplace({new: old for old, new in outside.items()})

    return expression.replace(lambda e: bool(bound(e)), renamed, simultaneous=False)


@lru_cache(maxsize=1024)
def _other(symbol: sympy.Symbol) -> sympy.Dummy:
    """Always the same one: what is equal stays so."""
    return sympy.Dummy(symbol.name, **symbol.assumptions0)


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
