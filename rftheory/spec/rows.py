"""The rows of a block as data: runs of rows whose axis, norm and sign are expressions in their number i and in d."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import sympy

from rftheory.errors import InvalidInput
from rftheory.spec.dimension import d as D
from rftheory.spec.expressions import exact_in, is_whole

i = sympy.Symbol("i", integer=True, nonnegative=True)
"""The number of a row among its `Rows`: 0, ..., count - 1."""
MOST_ROWS = 10**7
"""A block of more rows does not fit into the memory of most machines."""


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
            known = {D} if field.name == "count" else {D, i}
            subject, names = f"{field.name} of Rows", " and ".join(map(str, sorted(known, key=str)))
            needs = f"an integer, or an expression in the {names} of rftheory.author that is one"
            found = exact_in(subject, int(given) if isinstance(given, bool) else given, known, needs)
            if not is_whole(found):
                raise InvalidInput(subject, needs=needs, got=str(given))
            if found.is_Integer:
                _checked(field.name, found)
            object.__setattr__(self, field.name, found)

    def at(self, d: int) -> Iterator[Row]:
        """The rows in dimension d, as integers.

        Raises
        ------
        InvalidInput : their count is negative or too large, a sign is not 1 or -1, or ``reflected`` not 0 or 1.
        """
        count = count_at(self.count, d)
        names = ("axis", "norm", "sign", "reflected")
        parts = (_values(name, getattr(self, name), d, count) for name in names)
        for axis, norm, sign, reflected in zip(*parts, strict=True):
            yield Row(axis, norm, sign, bool(reflected))


_WANTED: dict[str, tuple[str, Callable[[int], bool]]] = {
    "count": (f"0 to {MOST_ROWS}", lambda value: 0 <= value <= MOST_ROWS),
    "axis": ("an integer", lambda value: True),
    "norm": ("an integer", lambda value: True),
    "sign": ("1 or -1", lambda value: value in (1, -1)),
    "reflected": ("0 or 1", lambda value: value in (0, 1)),
}


def _checked(name: str, found: sympy.Expr, where: str = "") -> int:
    """The value of a part of `Rows`, if it can have it."""
    needs, admits = _WANTED[name]
    if not (found.is_Integer and admits(int(found))):
        hint = "give min_dim= if there are no such rows in small dimensions" if name == "count" else ""
        raise InvalidInput(f"{name} of Rows{where}", needs=needs, got=str(found), hint=hint)
    return int(found)


def count_at(count: sympy.Expr, d: int) -> int:
    """A number of rows in dimension d.

    Raises
    ------
    InvalidInput : it is negative or too large.

    Examples
    --------
    >>> count_at(2 * D, 3)
    6
    """
    return _checked("count", count.xreplace({D: sympy.Integer(d)}), f" at d = {d}")


def _values(name: str, part: sympy.Expr, d: int, count: int) -> Sequence[int]:
    """The values of an expression for i = 0, ..., count - 1."""
    own, where = part.xreplace({D: sympy.Integer(d)}), f" at d = {d}"
    if i not in own.free_symbols:
        return [_checked(name, own, where)] * count
    if name in ("axis", "norm") and (shift := own - i).is_Integer:
        return range(int(shift), int(shift) + count)
    return [_checked(name, own.xreplace({i: sympy.Integer(number)}), where) for number in range(count)]


def listed(rows: Sequence[Rows], d: int) -> list[Row]:
    """All of them in dimension d, one after the other.

    Examples
    --------
    >>> listed([Rows(1), Rows(1, sign=-1)], 3)
    [Row(axis=0, norm=0, sign=1, reflected=False), Row(axis=0, norm=0, sign=-1, reflected=False)]
    """
    return [row for one in rows for row in one.at(d)]


FRAME = (Rows(D),)
"""One row on each of d axes, each with its own norm."""
