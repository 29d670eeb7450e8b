"""The rows of a block as data: runs of rows whose axis, norm and sign are expressions in their number i and in d."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import sympy

from rftheory.errors import InvalidInput
from rftheory.spec.dimension import d as D
from rftheory.spec.expressions import expression, is_whole

i = sympy.Symbol("i", integer=True, nonnegative=True)
"""The number of a row among its `Rows`: 0, ..., count - 1."""


class Row(NamedTuple):
    """One row of a block.

    Attributes
    ----------
    axis : number of the unit vector in the frame.
    norm : number of the norm; rows with the same number share it.
    sign : +1 or -1.
    reflected : the norm r' is at the opposite quantile: F(r) + F(r') = 1.

    Examples
    --------
    >>> Row(3, 3).sign, Row(0, 0, -1)
    (1, Row(axis=0, norm=0, sign=-1, reflected=False))
    """

    axis: int
    norm: int
    sign: int = 1
    reflected: bool = False


@dataclass(frozen=True)
class Rows:
    """Successive rows of a block, as integers or expressions in d and, but for ``count``, in their number `i`.

    Attributes
    ----------
    count : how many rows.
    axis : the number of the axis of row i; rows with the same number lie on the same line.
    norm : the number of its norm; rows with the same number share it.
    sign : 1 or -1.
    reflected : True or 1 if its norm is at the opposite quantile of the one with that number, else False or 0.

    Raises
    ------
    InvalidInput : a count, an axis or a norm that is not an integer for all i and d, or another symbol than these.

    Examples
    --------
    >>> from rftheory.spec.dimension import d
    >>> rows = Rows(d), Rows(d, sign=-1)  # a frame and its negative, which shares its norms
    >>> [(row.axis, row.norm, row.sign) for row in listed(rows, 2)]
    [(0, 0, 1), (1, 1, 1), (0, 0, -1), (1, 1, -1)]
    >>> listed((Rows(d, norm=i // 2, reflected=i % 2),), 3)[1]
    Row(axis=1, norm=0, sign=1, reflected=True)
    """

    count: Any
    axis: Any = i
    norm: Any = i
    sign: Any = 1
    reflected: Any = False

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            found = expression(f"{field.name} of Rows", int(given) if isinstance(given, bool) else given)
            known = {D} if field.name == "count" else {D, i}
            if found.has(sympy.Float) or not (found.free_symbols <= known and is_whole(found)):
                needs = f"an integer, or an expression in {' and '.join(map(str, sorted(known, key=str)))} that is one"
                raise InvalidInput(f"{field.name} of Rows", needs=needs, got=str(given))
            object.__setattr__(self, field.name, found)

    def at(self, d: int) -> Iterator[Row]:
        """The rows in dimension d, as integers.

        Raises
        ------
        InvalidInput : their count is negative, a sign is not 1 or -1, or ``reflected`` not 0 or 1.
        """
        count = int(self.count.xreplace({D: sympy.Integer(d)}))
        if count < 0:
            raise InvalidInput(
                f"count of Rows at d = {d}", needs="0 or more", got=count, hint="give min_dim="
            )
        parts = (_values(part, d, count) for part in (self.axis, self.norm, self.sign, self.reflected))
        for axis, norm, sign, reflected in zip(*parts, strict=True):
            if sign not in (1, -1) or reflected not in (0, 1):
                raise InvalidInput(f"Rows at d = {d}", needs="a sign 1 or -1, and 0 or 1 for reflected",
                                   got=f"{sign} and {reflected}")  # fmt: skip
            yield Row(axis, norm, sign, bool(reflected))


def _values(part: sympy.Expr, d: int, count: int) -> Sequence[int]:
    """The values of an expression for i = 0, ..., count - 1."""
    own = part.xreplace({D: sympy.Integer(d)})
    if i not in own.free_symbols:
        return [int(own)] * count
    if (shift := own - i).is_Integer:
        return range(int(shift), int(shift) + count)
    return [int(own.xreplace({i: sympy.Integer(number)})) for number in range(count)]


def listed(rows: Sequence[Rows], d: int) -> list[Row]:
    """All of them in dimension d, one after the other.

    Examples
    --------
    >>> listed([Rows(1), Rows(1, sign=-1)], 3)
    [Row(axis=0, norm=0, sign=1, reflected=False), Row(axis=0, norm=0, sign=-1, reflected=False)]
    """
    return [row for one in rows for row in one.at(d)]
