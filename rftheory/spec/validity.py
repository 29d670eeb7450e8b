"""Checks that a declared block can exist: its rows are rows, and unit vectors can have the angles of its axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import sympy

from rftheory.errors import DeclarationFailed, InvalidInput, OutsideDomain, RFTheoryError
from rftheory.spec.dimension import LARGEST_DIMENSION
from rftheory.spec.dimension import d as D
from rftheory.spec.reading import NotReadable, value_of
from rftheory.spec.relation import Cosine, Row

if TYPE_CHECKING:
    from rftheory.spec.coupling import Coupling

T = TypeVar("T")

COMPARED = 64
"""Of so many axes a few angles are compared where the text of the cosine shows that all are equal."""
MOST_COMPARED = 1000
"""Where it does not, those of up to so many axes are all compared. More need equal_angles=False, or a group, which is
then taken at its word."""
ROUNDING = 1e-9


def expression(subject: str, value: Any) -> sympy.Expr:
    """A number or an expression as a sympy object; text is refused, because sympy would execute it.

    Examples
    --------
    >>> expression("rows of mine", "2*d")
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: rows of mine: needs a number or an expression, got '2*d'
    """
    try:
        return sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError, AttributeError) as error:
        raise InvalidInput(subject, needs="a number or an expression", got=value) from error


def called(subject: str, function: Callable[..., T], *arguments: Any) -> T:
    """What a function of a declaration returns; if it raises, the declaration is at fault.

    Examples
    --------
    >>> called("rows of mine", lambda d: 1 // 0, 3)
    Traceback (most recent call last):
    ...
    rftheory.errors.DeclarationFailed: rows of mine: ZeroDivisionError: integer division or modulo by zero
    """
    try:
        return function(*arguments)
    except RFTheoryError:
        raise
    except Exception as problem:
        raise DeclarationFailed(subject, problem=f"{type(problem).__name__}: {problem}") from problem


def checked_rows(coupling: Coupling, d: int) -> tuple[Row, ...]:
    """The rows of a block, checked.

    Raises
    ------
    InvalidInput, OutsideDomain : they are not rows, or no unit vectors of R^d have these angles.
    DeclarationFailed : the declaration's functions raise.

    Examples
    --------
    >>> from rftheory.spec import find_coupling
    >>> len(checked_rows(find_coupling("simplex"), 5))
    5
    """
    if d > LARGEST_DIMENSION:
        raise OutsideDomain(coupling.name, needs=f"d <= {LARGEST_DIMENSION}", got=d)
    subject = f"rows of {coupling.name} at d = {d}"
    found = called(subject, coupling.rows, d)
    rows = called(subject, tuple, found)
    if not rows or not all(isinstance(row, Row) and _is_row(row) for row in rows):
        hint = (
            "axis and norm number the unit vectors and the norms that rows share; a norm has no length here"
        )
        needs = "one Row(axis, norm, sign, reflected) or more, of whole numbers and a sign 1 or -1"
        raise InvalidInput(subject, needs=needs, got=rows[:3], hint=hint)
    _check_angles(coupling, list(dict.fromkeys(row.axis for row in rows)), d)
    return rows


def _is_row(row: Row) -> bool:
    whole = all(
        isinstance(part, int) and not isinstance(part, bool) for part in (row.axis, row.norm, row.sign)
    )
    return whole and row.sign in (1, -1) and isinstance(row.reflected, bool)


def _check_angles(coupling: Coupling, axes: Sequence[int], d: int) -> None:
    if len(axes) < 2:
        return
    subject = f"angles of {coupling.name} at d = {d}"
    apart = [
        pair
        for pair in combinations(_compared(subject, coupling, axes), 2)
        if len(set(map(coupling.group_of, pair))) > 1
    ]
    angles = [called(subject, coupling.cosine, *pair, d) for i, j in apart for pair in ((i, j), (j, i))]
    for found in angles:
        if found != angles[0]:
            needs = (
                "one cosine for all axes, or equal_angles=False"
                if coupling.equal_angles
                else "one cosine for axes of different groups, or no group"
            )
            raise InvalidInput(subject, needs=needs, got=[angles[0], found])
    if not coupling.equal_angles and len(axes) <= 6 * COMPARED:
        _check_gram(subject, coupling, axes, d)
    elif coupling.equal_angles and angles[0] is not None:
        _check_equal(subject, _exact(subject, angles[0]), len(axes), d)


def _compared(subject: str, coupling: Coupling, axes: Sequence[int]) -> Sequence[int]:
    """The axes between which the promise of equal angles is tested: a few if it need not be, or is one of a group."""
    if not (coupling.equal_angles or coupling.group):
        return ()
    kept = len(axes) > MOST_COMPARED if coupling.group else len(axes) > COMPARED and _is_read(coupling)
    if not kept and len(axes) > MOST_COMPARED:
        needs = (
            f"equal_angles=False, or a cosine that is one expression in d, for more than {MOST_COMPARED} axes"
        )
        raise InvalidInput(subject, needs=needs, got=f"{len(axes)} axes")
    return [*axes[:COMPARED], axes[-1]] if kept else axes


def _is_read(coupling: Coupling) -> bool:
    """Whether the text of the cosine shows that it is the same for any two axes."""
    try:
        value_of(coupling.cosine, None, None, D)
    except NotReadable:
        return False
    return True


def _exact(subject: str, cosine: Cosine) -> sympy.Expr:
    if isinstance(cosine, bool) or not isinstance(cosine, int | Fraction | sympy.Expr):
        raise InvalidInput(subject, needs="an exact cosine: an integer, a Fraction, or an expression such as 1/sqrt(5)",
                           got=cosine)  # fmt: skip
    found = expression(subject, cosine)
    if found.free_symbols or not abs(found) <= 1:
        raise OutsideDomain(subject, needs="a cosine from -1 to 1", got=str(cosine))
    return found


def _check_equal(subject: str, cosine: sympy.Expr, count: int, d: int) -> None:
    """k unit vectors at equal angles have cosine at least -1/(k-1), and span k dimensions (k - 1 at that minimum)."""
    least = sympy.Rational(-1, count - 1)
    if cosine < least:
        raise OutsideDomain(subject, needs=f"a cosine of at least {least} for {count} axes", got=str(cosine))
    span = 1 if cosine == 1 else count - (cosine == least)
    if span > d:
        raise OutsideDomain(subject, needs=f"d >= {span} for {count} axes at the cosine {cosine}", got=d)


def _check_gram(subject: str, coupling: Coupling, axes: Sequence[int], d: int) -> None:
    """By pivoted Cholesky: the Gram matrix of the axes has no negative eigenvalue and rank at most d."""
    n = len(axes)
    gram = [[1.0] * n for _ in range(n)]
    for a, b in combinations(range(n), 2):
        one, other = (called(subject, coupling.cosine, axes[i], axes[j], d) for i, j in ((a, b), (b, a)))
        if one != other:
            raise InvalidInput(subject, needs="the same cosine for (i, j) and (j, i)", got=[one, other])
        gram[a][b] = gram[b][a] = math.nan if one is None else float(_exact(subject, one))
    if any(math.isnan(c) for row in gram for c in row):
        return  # independent axes have no angles
    rank, left = 0, list(range(n))
    while left:
        pivot = max(left, key=lambda i: gram[i][i])
        size = gram[pivot][pivot]
        if size < ROUNDING:
            break
        rank += 1
        left.remove(pivot)
        for i in left:
            factor = gram[i][pivot] / size
            for j in left:
                gram[i][j] -= factor * gram[pivot][j]
    lowest = min((gram[i][i] for i in left), default=0.0)
    if lowest < -ROUNDING or any(abs(gram[i][j]) > 1e-6 for i in left for j in left):
        raise OutsideDomain(subject, needs="angles that unit vectors can have", got=f"{n} axes")
    if rank > d:
        raise OutsideDomain(subject, needs=f"d >= {rank}, the rank of the Gram matrix of the axes", got=d)
