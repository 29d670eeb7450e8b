"""How many pairs of rows have each relation, as expressions in d and m that are derived from the declaration itself.

The functions of the declaration are read (`rftheory.spec.reading`), not run: what they do in some dimensions says
nothing of the others. What cannot be read is known only in the dimensions in which its rows are counted, one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

import sympy

from rftheory.errors import NotKnown
from rftheory.exact.symbols import d as D
from rftheory.spec import Coupling, Row
from rftheory.spec.coupling import RowsByRelation
from rftheory.spec.dimension import is_whole
from rftheory.spec.reading import (
    Family,
    NotReadable,
    divisors_in,
    never_negative,
    never_zero,
    rows_of,
    size_of,
    value_of,
)
from rftheory.spec.relation import NormRelation
from rftheory.statement.atoms import PairCount

F = TypeVar("F", bound=Callable[..., Any])

COMPARED = 16
"""In so many dimensions, the smallest, what is read is compared with what the functions return."""
NOT_FAMILIES = "its rows are not read as loops over range(...) for all d"
NOT_A_SIZE = (
    "its rows are not read as loops over range(...) for all d, or their number as an expression in d; give m"
)
NOT_AN_EXPRESSION = "its cosine is not read as one expression in d"
DIFFERENT = "what is read differs from what the function returns"


def _kept(function: F) -> F:
    """Keep what is found of a coupling for as long as its functions are as they were declared."""
    kept = lru_cache(maxsize=256)(function)

    @wraps(function)
    def found(coupling: Coupling, *given: Any, **more: Any) -> Any:
        coupling.require_unchanged()
        return kept(coupling, *given, **more)

    return cast(F, found)


def _declared(name: str) -> Coupling:
    from rftheory.spec import find_coupling

    return find_coupling(name)


def families_of(coupling: Coupling) -> tuple[Family, ...]:
    """The families of rows of a block.

    Raises
    ------
    NotKnown : they cannot be derived from the function that gives the rows.

    Examples
    --------
    >>> [(str(f.norm), f.sign) for f in families_of(_declared("cross-polytope"))]
    [('0', 1), ('d', -1)]
    """
    found = _families(coupling)
    if isinstance(found, str):
        raise NotKnown("the number of pairs as a function of d", coupling.name, f"{NOT_FAMILIES} ({found})")
    return found


@_kept
def _families(coupling: Coupling) -> tuple[Family, ...] | str:
    """They, or why they are not known."""
    try:
        found = rows_of(coupling.rows, coupling.min_dim)
    except NotReadable as why:
        return str(why)
    return found if _matches(coupling, found) else DIFFERENT


def _matches(coupling: Coupling, families: tuple[Family, ...]) -> bool:
    for dim in range(coupling.min_dim, coupling.min_dim + COMPARED):
        rows = [
            Row(
                int(f.axis.subs(D, dim)) + i,
                int(f.norm.subs(D, dim)) + i * (not f.one_norm),
                f.sign,
                f.reflected,
            )
            for f in families
            for i in range(int(f.length.subs(D, dim)))
        ]
        if rows != list(coupling.block(dim)):
            return False
    return True


@_kept
def block_size(coupling: Coupling) -> sympy.Expr:
    """The number of rows of a whole block, as an expression in d.

    Examples
    --------
    >>> block_size(_declared("mirrored")), block_size(_declared("iid"))
    (2*d, 1)
    """
    rows, least = coupling.rows, coupling.min_dim
    try:
        size = _size_by_relation(rows.size) if isinstance(rows, RowsByRelation) else size_of(rows, least)
        if any(coupling.size(dim) != size.subs(D, dim) for dim in range(least, least + COMPARED)):
            raise NotReadable(DIFFERENT)
    except NotReadable as why:
        what = "the number of rows of a block as a function of d"
        raise NotKnown(what, coupling.name, f"{NOT_A_SIZE} ({why})") from None
    return size


def _size_by_relation(size: Callable[[int], int] | sympy.Expr) -> sympy.Expr:
    found = value_of(size, D) if callable(size) else size
    if not (isinstance(found, sympy.Expr) and is_whole(found)):
        raise NotReadable(f"a size that may be no integer: {found}")
    return sympy.expand(found)


@_kept
def general_cosine(coupling: Coupling) -> sympy.Expr | None:
    """The cosine of the angle between two axes as an expression in d; None if they are independent.

    Examples
    --------
    >>> general_cosine(_declared("simplex")), general_cosine(_declared("orthogonal"))
    (-1/(d - 1), 0)
    """
    try:
        return _cosine_read(coupling)
    except NotReadable as why:
        what = "the angle of two rows as a function of d"
        raise NotKnown(what, coupling.name, f"{NOT_AN_EXPRESSION} ({why})") from None


def _cosine_read(coupling: Coupling) -> sympy.Expr | None:
    if not coupling.equal_angles or not coupling.angles:
        raise NotReadable("its angles differ")
    found = value_of(coupling.cosine, None, None, D)
    if found is None:
        return None
    if not isinstance(found, sympy.Expr) or not found.free_symbols <= {D}:
        raise NotReadable(f"no number: {found}")
    several = len({row.axis for row in coupling.block(coupling.min_dim)}) > 1
    least = coupling.min_dim if several else max(coupling.min_dim, 2)  # from here on there is an angle
    for divisor in divisors_in(coupling.cosine, None, None, D):
        if not never_zero(divisor, least):
            raise NotReadable(f"{divisor} may be 0")
    for dim in range(least, least + COMPARED):
        own = coupling.cosine(0, 1, dim)
        if own is None or sympy.sympify(own) != found.subs(D, dim):
            raise NotReadable(DIFFERENT)
    return found


def _require_axes(coupling: Coupling, families: tuple[Family, ...], cosine: sympy.Expr | None) -> None:
    """Refuse angles that unit vectors of R^d are not known to have for all d; see `rftheory.spec.validity`."""
    count = sympy.Add(*{one.axis: one.length for one in families}.values())
    if cosine is None or count == 1 or cosine == 1:
        return
    room = 1 + cosine * (count - 1)  # 0 at the least cosine of so many axes, which then span a dimension less
    span = count - 1 if sympy.simplify(room) == 0 else count
    if not all(never_negative(part, coupling.min_dim) for part in (room, 1 - cosine, D - span)):
        least = f"d >= {coupling.min_dim}, its min_dim"
        because = f"unit vectors of R^d with its angles are not known to exist for all {least}"
        raise NotKnown("the law of two rows for all d", coupling.name, because)


def pairs_of_block(coupling: Coupling) -> dict[tuple[sympy.Expr, NormRelation], sympy.Expr]:
    """Numbers of unordered pairs in a whole block by cosine and relation of norms; independent pairs are left out.

    Examples
    --------
    >>> pairs_of_block(_declared("mirrored"))
    {(0, 'independent'): 2*d*(d - 1), (-1, 'shared'): d}
    """
    if coupling.pairs_unknown or not coupling.marginal:
        raise NotKnown("the law of two rows", coupling.name, coupling.pairs_unknown)
    families = families_of(coupling)
    total: dict[Any, sympy.Expr] = {}
    cosine = general_cosine(coupling)
    _require_axes(coupling, families, cosine)

    def add(c: sympy.Expr | None, norms: NormRelation, count: sympy.Expr) -> None:
        norms = "fixed" if coupling.norms == "fixed" else norms
        if c is None and norms in ("shared", "antimonotone") and count != 0:
            raise NotKnown(
                "the law of two rows", coupling.name, f"rows on independent axes have {norms} norms"
            )
        if c is not None and count != 0:
            total[c, norms] = total.get((c, norms), sympy.S.Zero) + count

    for number, one in enumerate(families):
        n = one.length
        add(cosine, "shared" if one.one_norm else "independent", n * (n - 1) / 2)
        for other in families[number + 1 :]:
            if sympy.expand(n - other.length) != 0:
                raise NotKnown(
                    "the number of pairs as a function of d", coupling.name, "its families differ in length"
                )
            sign = one.sign * other.sign
            turned = None if cosine is None else sign * cosine
            same_axis, same_norm = (
                _aligned(one.axis - other.axis, n, coupling),
                _same_norms(one, other, coupling),
            )
            norms: NormRelation = "independent"
            if same_norm:
                norms = "shared" if one.reflected == other.reflected else "antimonotone"
            add(turned, norms if one.one_norm else "independent", n * (n - 1))
            add(sympy.Integer(sign) if same_axis else turned, norms, n)
    return {key: sympy.factor(count) for key, count in total.items() if sympy.expand(count) != 0}


def _same_norms(one: Family, other: Family, coupling: Coupling) -> bool:
    """Whether rows with the same index share their norm; if each family has one norm, whether all rows do."""
    if one.one_norm == other.one_norm:
        return _aligned(one.norm - other.norm, sympy.S.One if one.one_norm else one.length, coupling)
    single, many = (one, other) if one.one_norm else (other, one)
    shift = sympy.expand(single.norm - many.norm)
    if (shift - many.length).is_nonnegative or (-shift - 1).is_nonnegative:
        return False
    raise NotKnown("the number of pairs as a function of d", coupling.name, "its families overlap in part")


def _aligned(shift: sympy.Expr, length: sympy.Expr, coupling: Coupling) -> bool:
    """Whether rows with the same index coincide (shift 0), as opposed to no rows of the two families."""
    shift = sympy.expand(shift)
    if shift == 0:
        return True
    if (sympy.expand(shift - length)).is_nonnegative or (sympy.expand(-shift - length)).is_nonnegative:
        return False
    raise NotKnown("the number of pairs as a function of d", coupling.name, "its families overlap in part")


@_kept
def pairs(
    coupling: Coupling, d: sympy.Expr, m: sympy.Expr, at_most_a_block: bool = False
) -> dict[tuple[sympy.Expr, NormRelation], sympy.Expr]:
    """The same for m rows: whole blocks, part of one, or any number if the block has only one kind of pair.

    Examples
    --------
    >>> m = sympy.Symbol("m", integer=True, positive=True)
    >>> pairs(_declared("orthogonal"), D, 2 * D), pairs(_declared("orthogonal"), D, m, at_most_a_block=True)
    ({(0, 'independent'): d*(d - 1)}, {(0, 'independent'): m*(m - 1)/2})
    >>> pairs(_declared("orthogonal"), D, m)
    {(0, 'independent'): PairCount(orthogonal, d, m)}
    >>> pairs(_declared("simplex"), D, m)
    {(-1/(d - 1), 'independent'): PairCount(orthogonal, d, m)}
    """
    if d.is_Integer and m.is_Integer:
        return _counted(coupling, int(d), int(m))
    block = pairs_of_block(coupling)
    blocks = sympy.simplify(m / block_size(coupling).subs(D, d))
    if not block or blocks.is_integer:
        return {_at(key, d): sympy.factor(blocks * count.subs(D, d)) for key, count in block.items()}
    if len(families_of(coupling)) == 1:
        ((key, _),) = block.items()
        whole = block_size(coupling)  # the number of pairs depends only on the number of rows of a block
        counted_as = "orthogonal" if whole == D else coupling.name
        in_one = at_most_a_block and whole == D  # it is known that m <= d
        count = m * (m - 1) / 2 if in_one else PairCount(counted_as, d, m)
        return {_at(key, d): count}
    raise NotKnown(
        "the number of pairs as a function of d and m", coupling.name, "m is not a number of whole blocks"
    )


def _at(key: tuple[sympy.Expr, NormRelation], d: sympy.Expr) -> tuple[sympy.Expr, NormRelation]:
    return key[0].subs(D, d), key[1]


def _counted(coupling: Coupling, d: int, m: int) -> dict[tuple[sympy.Expr, NormRelation], sympy.Expr]:
    if coupling.pairs_unknown or not coupling.marginal:
        raise NotKnown("the law of two rows", coupling.name, coupling.pairs_unknown)
    found: dict[tuple[sympy.Expr, NormRelation], sympy.Expr] = {}
    for relation, count in coupling.pairs(d, m).items():
        if relation.cosine is None:
            raise NotKnown("a closed form", coupling.name, f"of rows that are {relation.name}")
        found[sympy.sympify(relation.cosine), relation.norms] = sympy.Integer(count)
    return found
