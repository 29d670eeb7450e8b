"""The dimension, as a symbol and as a number."""

from __future__ import annotations

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
