"""Operations of an algorithm, counted by running it on numbers that count what is done with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Numbers = Callable[..., np.ndarray]
"""Makes an array of a shape, ``numbers(2, 3)``; ``numbers()`` is one number."""


class _Number:
    """A number without a value: what is done with it gives itself, and it is larger than all others."""

    __slots__ = ("operations",)

    def __init__(self) -> None:
        self.operations = 0

    def _done(self, other: object = None) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # an operation for each element, by the array
        self.operations += 1
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _done
    __neg__ = __abs__ = sqrt = exp = log = cos = sin = _done

    def __gt__(self, other: object) -> bool:
        return True


def operations(algorithm: Callable[..., object]) -> Callable[..., int]:
    """Count the arithmetic operations of an algorithm, as a program for `counted`.

    Sums, differences, products, quotients and the functions of NumPy for minus, absolute value, sqrt, exp, log, cos
    and sin count as one operation for each element of an array, a product of matrices of inner size n as 2 n - 1.

    Parameters
    ----------
    algorithm : a function of ``numbers`` and sizes. ``numbers(2, 3)`` is an array of that shape, ``numbers()`` one
        number. They have no values: an algorithm with branches is counted in that of a number larger than all others.

    Returns
    -------
    A function of the sizes that runs the algorithm and returns how many operations it did.

    Examples
    --------
    >>> product = operations(lambda numbers, n, d: numbers(n, d) @ numbers(d))
    >>> product(1, 64), product(10, 64)
    (127, 1270)
    """

    def count(*sizes: int) -> int:
        number = _Number()
        algorithm(lambda *shape: np.full(shape, number, dtype=object), *sizes)
        return number.operations

    return count
