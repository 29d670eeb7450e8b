"""Statements made wrong on purpose: each constant, each exponent, each sign, the direction of an inequality.

A check that distinguishes a statement from its mutations cannot have been bent until it agrees. The caller compares
values and leaves out mutations that change nothing (``1**x`` to ``1**(x + 1)``).

Examples
--------
>>> x = sympy.Symbol("x", positive=True)
>>> for what, wrong in mutations(2 * x**3 - 1):
...     print(f"{what}: {wrong}")
factor 1 -> 2: 4*x**3 - 2
sign: 1 - 2*x**3
constant 2 -> 3: 3*x**3 - 1
exponent 3 -> 4: 2*x**4 - 1
sign of -1: 2*x**3 + 1
sign of 2*x**3: -2*x**3 - 1
>>> for what, wrong in mutations(sympy.Lt(x, 2)):
...     print(f"{what}: {wrong}")
direction: x > 2
constant 2 -> 3: x < 3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import sympy
from sympy.core.relational import GreaterThan, LessThan, Relational, StrictGreaterThan, StrictLessThan

from rftheory.statement.mutate import replaced

T = TypeVar("T")
Sorted = tuple[tuple[tuple[str, bool], ...], tuple[str, ...]]
"""Mutants, each with whether it was caught, and the changes that are not errors."""
LIMIT = 12
"""The most mutations of one statement, in the order of the tree."""

_REVERSED: dict[type[Relational], type[Relational]] = {
    StrictLessThan: StrictGreaterThan,
    StrictGreaterThan: StrictLessThan,
    LessThan: StrictGreaterThan,
    GreaterThan: StrictLessThan,
}


def mutations(statement: sympy.Basic) -> list[tuple[str, sympy.Basic]]:
    """Pairs of a description of the change and the statement with that change, without repetitions."""
    found: dict[sympy.Basic, str] = {}
    for what, wrong in _mutations(statement):
        if wrong != statement and wrong not in found and not wrong.has(sympy.nan, sympy.zoo):
            found[wrong] = what
        if len(found) == LIMIT:
            break
    return [(what, wrong) for wrong, what in found.items()]


def sorted_out(
    mutants: Iterable[tuple[str, T]], caught: Callable[[T], bool], follows: Callable[[T], bool]
) -> Sorted:
    """The mutants that are errors, each with whether it is caught; and the changes that are not errors.

    A mutant that the check accepts is not an error if it follows from the statement: the same in other symbols, or a
    weaker bound. Otherwise it is missed.

    Examples
    --------
    >>> bounds = [("3 -> 2", 2), ("3 -> 4", 4), ("3 -> 0", 0)]
    >>> sorted_out(bounds, lambda n: n == 0, lambda n: n >= 3)
    ((('3 -> 2', False), ('3 -> 0', True)), ('3 -> 4',))
    """
    told: list[tuple[str, bool]] = []
    still_true: list[str] = []
    for what, mutant in mutants:
        found = caught(mutant)
        if not found and follows(mutant):
            still_true.append(what)
        else:
            told.append((what, found))
    return tuple(told), tuple(still_true)


def _mutations(statement: Any) -> Iterator[tuple[str, sympy.Basic]]:
    other = _REVERSED.get(type(statement))
    if other is not None:
        yield "direction", other(*statement.args, evaluate=False)
    else:
        yield "factor 1 -> 2", 2 * statement
        yield "sign", -statement
    for position in _positions(statement):
        node, change = _at(statement, position), None
        if isinstance(node, sympy.Rational) and not isinstance(
            node, sympy.core.numbers.Half | sympy.core.numbers.NegativeOne
        ):
            change = node + 1 if node > 0 else node - 1
        elif isinstance(node, sympy.core.numbers.Half):
            change = sympy.Rational(3, 2)
        if change is not None:
            parent = _at(statement, position[:-1]) if position else None
            sort = "exponent" if isinstance(parent, sympy.Pow) and position[-1] == 1 else "constant"
            if isinstance(parent, sympy.Tuple):  # the end of a sum or an integral
                continue
            yield f"{sort} {node} -> {change}", replaced(statement, position, change)
    for position in _positions(statement):
        node = _at(statement, position)
        if isinstance(node, sympy.Add):
            for number, term in enumerate(node.args):
                wrong = node.func(*(-t if i == number else t for i, t in enumerate(node.args)))
                yield f"sign of {term}", replaced(statement, position, wrong)


def _positions(statement: sympy.Basic, here: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield here
    for number, child in enumerate(statement.args):
        yield from _positions(child, (*here, number))


def _at(statement: sympy.Basic, position: tuple[int, ...]) -> sympy.Basic:
    for number in position:
        statement = statement.args[number]
    return statement
