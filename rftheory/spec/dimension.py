"""The dimension, as a symbol and as a number."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import sympy

from rftheory.errors import InvalidInput

d = sympy.Symbol("d", integer=True, positive=True)
"""The dimension."""
LARGEST_DIMENSION = 1_000_000
"""In larger dimensions a block does not fit into the memory of most machines."""


def checked_dimension(d: Any) -> int:
    """The dimension of a frame as an int.

    Raises
    ------
    InvalidInput : not an integer from 1 to ``LARGEST_DIMENSION``.

    Examples
    --------
    >>> checked_dimension(3)
    3
    """
    needs = f"a dimension, an integer from 1 to {LARGEST_DIMENSION}"
    try:
        found = operator.index(d)
    except TypeError as problem:
        raise InvalidInput("frame", needs=needs, got=d) from problem
    if not 1 <= found <= LARGEST_DIMENSION:
        raise InvalidInput("frame", needs=needs, got=d)
    return found


def is_whole(expression: sympy.Expr) -> bool:
    """Whether an expression in integer variables is proved to be an integer: a polynomial is if degree + 1 values are.

    Examples
    --------
    >>> is_whole(d * (d - 1) / 2), is_whole(d / 2)
    (True, False)
    """
    variables = sorted(expression.free_symbols, key=str)
    polynomial = all(s.is_integer for s in variables) and expression.is_polynomial(*variables)
    if expression.is_integer or not polynomial or not variables:
        return bool(expression.is_integer)
    degrees = [range(sympy.degree(expression, s) + 1) for s in variables]
    points = (
        dict(zip(variables, map(sympy.Integer, point), strict=True)) for point in itertools.product(*degrees)
    )
    return all(expression.xreplace(point).is_Integer for point in points)
