"""Checks that a declared block can exist: its rows are rows, and unit vectors can have the angles of its axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import sympy

from rftheory.errors import DeclarationFailed, InvalidInput, OutsideDomain, RFTheoryError, checked_integer
from rftheory.spec.dimension import LARGEST_DIMENSION
from rftheory.spec.expressions import expression
from rftheory.spec.relation import Cosine
from rftheory.spec.rows import Row

if TYPE_CHECKING:
    from rftheory.spec.coupling import Coupling

T = TypeVar("T")

MOST_COMPARED = 1000
"""Of groups of more axes than these together, which are to be at one angle to each other, some are compared."""
SAMPLED = 48
"""Between the groups of so many axes."""
LARGEST_GRAM = 384
"""Whether so many axes at any angles can exist is checked; more have to be in groups, which are checked by kinds."""
MOST_EXACT = 24
"""Up to so many, in exact numbers if all cosines are rational."""
ROUNDING = 1e-9


def called(subject: str, function: Callable[..., T], *arguments: Any) -> T:
    """What a function of a declaration returns; if it raises, the declaration is at fault.

    Examples
    --------
    >>> called("rows of mine", lambda d: [][d], 3)
    Traceback (most recent call last):
    ...
    rftheory.errors.DeclarationFailed: rows of mine: IndexError: list index out of range
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
    d = checked_integer(f"d of {coupling.name}", d, 1, LARGEST_DIMENSION)
    subject = f"rows of {coupling.name} at d = {d}"
    rows = tuple(coupling.listed(d))
    if not rows:
        raise InvalidInput(subject, needs="one row or more", got="none", hint="give min_dim=")
    _check_angles(coupling, list(dict.fromkeys(row.axis for row in rows)), d)
    return rows


def _check_angles(coupling: Coupling, axes: Sequence[int], d: int) -> None:
    if len(axes) < 2:
        return
    subject = f"angles of {coupling.name} at d = {d}"
    if coupling.equal_angles:
        if (cosine := called(subject, coupling.cosine_of, axes[0], axes[1], d)) is not None:
            _check_equal(subject, _exact(subject, cosine), len(axes), d)
    elif coupling.group:
        _check_groups(subject, coupling, axes, _between_groups(subject, coupling, axes, d), d)
    else:
        for joined in _joined(subject, _cosines(subject, coupling, axes, d)):
            _check_exists(subject, joined, d)


def _between_groups(subject: str, coupling: Coupling, axes: Sequence[int], d: int) -> Cosine | None:
    """The cosine between axes of different groups, of which many groups are taken at their word: some are compared."""
    compared = axes
    if len(axes) > MOST_COMPARED:
        half = SAMPLED // 2
        compared = [*axes[:half], *axes[half :: len(axes) // half][:half], axes[-1]]
    apart = [pair for pair in combinations(compared, 2) if len(set(map(coupling.group_of, pair))) > 1]
    angles = _both_ways(subject, coupling, apart, d)
    for found in angles:
        if found != angles[0]:
            needs = "one cosine for axes of different groups, or no group"
            raise InvalidInput(subject, needs=needs, got=[angles[0], found])
    return angles[0] if angles else None


def _exact(subject: str, cosine: Cosine) -> sympy.Expr:
    if isinstance(cosine, bool) or not isinstance(cosine, int | Fraction | sympy.Expr):
        raise InvalidInput(subject, needs="an exact cosine: an integer, a Fraction, or an expression such as 1/sqrt(5)",
                           got=cosine)  # fmt: skip
    found = expression(subject, cosine)
    try:
        is_cosine = bool(found.is_extended_real) and bool(abs(found) <= 1)
    except TypeError:  # no number
        is_cosine = False
    if not is_cosine:
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


Gram = list[list[sympy.Expr | None]]
JOINED = "angles between all axes that angles join, directly or by other axes"


def _cosines(subject: str, coupling: Coupling, axes: Sequence[int], d: int) -> Gram:
    """The cosines between all of the axes; None where they are independent."""
    if len(axes) > LARGEST_GRAM:
        needs = f"at most {LARGEST_GRAM} axes at any angles; or one cosine for all; or group=, of so many axes each"
        raise OutsideDomain(subject, needs=needs, got=f"{len(axes)} axes")
    return _gram(subject, _both_ways(subject, coupling, combinations(axes, 2), d), len(axes))


def _both_ways(
    subject: str, coupling: Coupling, pairs: Iterable[tuple[int, int]], d: int
) -> list[Cosine | None]:
    """The cosines of pairs of axes, each asked for in both orders."""
    return [called(subject, coupling.cosine_of, *pair, d) for i, j in pairs for pair in ((i, j), (j, i))]


def _gram(subject: str, found: Sequence[Cosine | None], count: int) -> Gram:
    """The matrix from the cosines of (0, 1), (1, 0), (0, 2), ..."""
    gram: Gram = [[sympy.S.One] * count for _ in range(count)]
    last, known = None, None
    for number, (a, b) in enumerate(combinations(range(count), 2)):
        one, other = found[2 * number : 2 * number + 2]
        if one != other:
            raise InvalidInput(subject, needs="the same cosine for (i, j) and (j, i)", got=[one, other])
        if type(one) is not type(last) or one != last:  # most are equal, and looked at once
            last, known = one, None if one is None else _exact(subject, one)
        gram[a][b] = gram[b][a] = known
    return gram


def _joined(subject: str, gram: Gram) -> list[list[list[sympy.Expr]]]:
    """The Gram matrices of the axes that angles join; axes of different ones are independent.

    Raises
    ------
    InvalidInput : two axes have no angle, but are joined by others, so that nothing says how they lie together.
    """
    left, found = set(range(len(gram))), []
    while left:
        first = min(left)
        joined, rest = {first}, [first]
        while rest:
            row = gram[rest.pop()]
            rest += (more := [j for j in left - joined if row[j] is not None])
            joined.update(more)
        left -= joined
        inside = [[gram[i][j] for j in sorted(joined)] for i in sorted(joined)]
        if any(c is None for row in inside for c in row):
            raise InvalidInput(subject, needs=JOINED, got="None for two of them")
        found.append(inside)
    return found  # type: ignore[return-value]


def _check_groups(
    subject: str, coupling: Coupling, axes: Sequence[int], cosine: Cosine | None, d: int
) -> None:
    """The Gram matrix of groups, with one cosine between any two, has few different parts.

    p groups with the Gram matrix G and the cosine c between them have the eigenvalues of G - c J, J = 1 1^T, p - 1
    times; what is left is the matrix of one group of each kind, with the blocks (G - c J) / p + c J and c J between
    kinds, up to a change of units that keeps signs and rank.
    """
    groups: dict[int, list[int]] = {}
    for axis in axes:
        groups.setdefault(coupling.group_of(axis), []).append(axis)
    kinds: dict[tuple[tuple[sympy.Expr | None, ...], ...], int] = {}
    known: dict[tuple[Any, ...], tuple[tuple[sympy.Expr | None, ...], ...]] = {}
    if (longest := max(map(len, groups.values()))) > LARGEST_GRAM:
        raise OutsideDomain(subject, needs=f"groups of at most {LARGEST_GRAM} axes", got=f"{longest} axes")
    for group in groups.values():
        found = _both_ways(subject, coupling, combinations(group, 2), d)
        key = (len(group), *((type(one), one) for one in found))
        if key not in known:
            known[key] = tuple(map(tuple, _gram(subject, found, len(group))))
        kinds[known[key]] = kinds.get(known[key], 0) + 1
    if cosine is None:  # independent groups, or one
        for gram in kinds:
            for joined in _joined(subject, list(map(list, gram))):
                _check_exists(subject, joined, d)
        return
    c = _exact(subject, cosine)
    if any(one is None for gram in kinds for row in gram for one in row):
        raise InvalidInput(subject, needs=JOINED, got="None for two axes of a group")
    size = sum(map(len, kinds))
    if size > LARGEST_GRAM:
        needs = f"at most {LARGEST_GRAM} axes in groups that differ in their angles"
        raise OutsideDomain(subject, needs=needs, got=f"{size} axes")
    whole: list[list[sympy.Expr]] = []
    before, rank = 0, 0
    for gram, times in kinds.items():
        own = [[one - c for one in row] for row in gram]  # type: ignore[operator]
        if times > 1:
            rank += (times - 1) * _rank(subject, own, len(axes))
        whole += [
            [c] * before + [one / times + c for one in row] + [c] * (size - before - len(row)) for row in own
        ]
        before += len(own)
    _require_room(subject, rank + _rank(subject, whole, len(axes)), d)


def _check_exists(subject: str, gram: list[list[sympy.Expr]], d: int) -> None:
    if len(gram) > 1:
        _require_room(subject, _rank(subject, gram, len(gram)), d)


def _require_room(subject: str, rank: int, d: int) -> None:
    if rank > d:
        raise OutsideDomain(subject, needs=f"d >= {rank}, the rank of the Gram matrix of the axes", got=d)


def _rank(subject: str, matrix: Sequence[Sequence[sympy.Expr]], count: int) -> int:
    """The rank of a symmetric matrix without negative eigenvalues, by pivoted Cholesky.

    Raises
    ------
    OutsideDomain : it has a negative eigenvalue.
    """
    n = len(matrix)
    exact = n <= MOST_EXACT and all(one.is_Rational for row in matrix for one in row)
    number: Callable[[Any], Any] = cache((lambda one: Fraction(int(one.p), int(one.q))) if exact else float)
    small, crumb = (0.0, 0.0) if exact else (ROUNDING, 1e-6)
    left_over, rank, left = [list(map(number, row)) for row in matrix], 0, list(range(n))
    while left:
        pivot = max(left, key=lambda i: left_over[i][i])
        size = left_over[pivot][pivot]
        if size <= small:
            break
        rank += 1
        left.remove(pivot)
        above = left_over[pivot]
        for i in left:
            row = left_over[i]
            if factor := row[pivot] / size:
                for j in left:
                    row[j] -= factor * above[j]
    lowest = min((left_over[i][i] for i in left), default=0)
    if lowest < -small or any(abs(left_over[i][j]) > crumb for i in left for j in left):
        raise OutsideDomain(subject, needs="angles that unit vectors can have", got=f"{count} axes")
    return rank
