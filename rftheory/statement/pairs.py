"""How many pairs of rows have each relation, as expressions in d and m that are derived from the declaration itself.

The function that gives the rows of a block is run once with a symbol for the dimension. Each of its loops over
``range`` makes one step with a symbolic index, so the result consists of families of rows whose axis is affine in
the index, and whose norm is affine in it or constant. A function that branches on the index or on d, cuts its list or
calls others cannot be read in this way and is refused. The result is compared with the actual rows in all dimensions up
to 16 and in some larger ones.
"""

from __future__ import annotations

import dis
import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import sympy

from rftheory.errors import InvalidInput, NotKnown
from rftheory.exact.symbols import d as D
from rftheory.spec import Coupling, Row
from rftheory.spec.relation import NormRelation
from rftheory.spec.validity import expression
from rftheory.statement.atoms import PairCount

COMPARED_UP_TO = 16
BEYOND = (17, 33, 64, 129, 257)
"""Dimensions in which rows and sizes are compared as well."""
NOT_FAMILIES = "its rows are not loops over range(...) with the axis i + a and the norm i + b, or b alone"


class _NotReadable(Exception):
    """The rows depend on d in a way that a symbol cannot express."""


def _refuse(*_: object) -> Any:
    raise _NotReadable


@dataclass(frozen=True, eq=False, repr=False)
class _Affine:
    """index + offset, or just the offset; comparisons with it are refused."""

    index: int | None
    length: sympy.Expr
    offset: sympy.Expr

    def __add__(self, other: object) -> _Affine:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> _Affine:
        return self._plus(other, -1)

    def __mul__(self, other: object) -> _Affine:
        if self.index is not None or not isinstance(other, int):
            raise _NotReadable
        return _Affine(None, self.length, self.offset * other)

    __rmul__ = __mul__

    def _plus(self, other: object, sign: int) -> _Affine:
        if isinstance(other, int):
            return _Affine(self.index, self.length, self.offset + sign * other)
        if not isinstance(other, _Affine) or (
            other.index is not None and (self.index is not None or sign < 0)
        ):
            raise _NotReadable
        one = self if self.index is not None else other
        return _Affine(one.index, one.length, self.offset + sign * other.offset)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __mod__ = __floordiv__ = _refuse  # type: ignore[assignment]
    __truediv__ = __rsub__ = __hash__ = __index__ = __int__ = __abs__ = __pow__ = __neg__ = _refuse  # type: ignore[assignment]
    __str__ = __repr__ = _refuse  # type: ignore[assignment]


@dataclass(frozen=True, eq=False, repr=False)
class _Formal:
    """An expression in d that can only be calculated with; d == 24 would be false for a symbol, but not for every d."""

    value: sympy.Expr

    @classmethod
    def of(cls, value: Any) -> _Formal:
        return value if isinstance(value, _Formal) else cls(expression("cosine", value))

    def __add__(self, other: Any) -> _Formal:
        return _Formal(self.value + _Formal.of(other).value)

    def __mul__(self, other: Any) -> _Formal:
        return _Formal(self.value * _Formal.of(other).value)

    def __truediv__(self, other: Any) -> _Formal:
        return _Formal(self.value / _Formal.of(other).value)

    def __rtruediv__(self, other: Any) -> _Formal:
        return _Formal.of(other) / self

    def __pow__(self, other: Any) -> _Formal:
        return _Formal(self.value ** _Formal.of(other).value)

    def __neg__(self) -> _Formal:
        return self * -1

    def __sub__(self, other: Any) -> _Formal:
        return self + -_Formal.of(other)

    def __rsub__(self, other: Any) -> _Formal:
        return -self + other

    __radd__, __rmul__ = __add__, __mul__
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = __mod__ = _refuse  # type: ignore[assignment]
    __floordiv__ = __int__ = __index__ = __abs__ = __str__ = __repr__ = _refuse  # type: ignore[assignment]


class Family(NamedTuple):
    """Rows with axis i + axis and norm i + norm, i = 0..length-1; with ``one_norm`` all of them have the same norm.

    Examples
    --------
    >>> families_of(_declared("orthogonal"))
    (Family(length=d, axis=0, norm=0, sign=1, reflected=False, one_norm=False),)
    """

    length: sympy.Expr
    axis: sympy.Expr
    norm: sympy.Expr
    sign: int
    reflected: bool
    one_norm: bool = False


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
    if found is None:
        raise NotKnown("the number of pairs as a function of d", coupling.name, NOT_FAMILIES)
    return found


@lru_cache(maxsize=64)
def _families(coupling: Coupling) -> tuple[Family, ...] | None:
    numbers = iter(range(1000))

    def symbolic_range(*ends: Any) -> Iterator[_Affine]:
        low, high = (0, ends[0]) if len(ends) == 1 else ends
        start = low.offset if isinstance(low, _Affine) else sympy.Integer(low)
        stop = high.offset if isinstance(high, _Affine) else sympy.Integer(high)
        if len(ends) > 2 or any(isinstance(e, _Affine) and e.index is not None for e in ends):
            raise _NotReadable
        yield _Affine(next(numbers), stop - start, start)

    try:
        if not _is_straight(inspect.unwrap(coupling.rows)):
            return None
        rows = _run(coupling.rows, {"range": symbolic_range})(_Affine(None, sympy.S.One, D))
        found = tuple(_family(row) for row in rows)
    except (_NotReadable, TypeError, AttributeError, ValueError):
        return None
    return found if _matches(coupling, found) else None


_CALLED = {"Row", "range", "append", "extend"}
_FORKS = (
    "SUBSCR",
    "SLICE",
    "COMPARE_OP",
    "CONTAINS_OP",
    "IS_OP",
    "JUMP_IF",
    "JUMP_FORWARD_IF",
    "JUMP_BACKWARD_IF",
    "UNPACK",
)


def _is_straight(function: Any) -> bool:
    """Whether a function only loops over ranges and makes rows: what it does with one index it does with all.

    A list that is cut, compared or handed to another function has one entry for each loop here, and not for each row.
    """
    if not isinstance(function, types.FunctionType):
        return False
    constants = inspect.getclosurevars(function)
    known = _CALLED | {
        k for k, x in {**constants.globals, **constants.nonlocals}.items() if isinstance(x, int)
    }

    def straight(code: types.CodeType) -> bool:
        names = known | set(code.co_cellvars) | set(function.__code__.co_cellvars)
        for one in dis.get_instructions(code):
            named = one.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "LOAD_DEREF")
            if any(fork in one.opname for fork in _FORKS) or (named and one.argval not in names):
                return False
        return all(straight(inner) for inner in code.co_consts if isinstance(inner, types.CodeType))

    return straight(function.__code__)


def _run(function: Any, names: dict[str, Any]) -> Callable[..., Any]:
    """The function, without wrappers that check its argument, with some global names redefined."""
    function = inspect.unwrap(function)
    if not isinstance(function, types.FunctionType):
        raise _NotReadable
    scope = {**function.__globals__, **names}
    return types.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )


def _family(row: Row) -> Family:
    axis, norm = row.axis, row.norm
    if isinstance(axis, int) and isinstance(norm, int):
        return Family(sympy.S.One, sympy.Integer(axis), sympy.Integer(norm), row.sign, row.reflected)
    norm = norm if isinstance(norm, _Affine) else _Affine(None, sympy.S.One, sympy.sympify(norm))
    if not isinstance(axis, _Affine) or axis.index is None or norm.index not in (axis.index, None):
        raise _NotReadable
    if not (isinstance(row.sign, int) and isinstance(row.reflected, bool)):
        raise _NotReadable
    return Family(axis.length, axis.offset, norm.offset, row.sign, row.reflected, norm.index is None)


def _matches(coupling: Coupling, families: tuple[Family, ...]) -> bool:
    for dim in _dimensions(coupling, COMPARED_UP_TO):
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
        if rows != _block(coupling, dim):
            return False
    return True


def _dimensions(coupling: Coupling, last: int) -> tuple[int, ...]:
    """Those of a coupling up to the last one, and some larger ones."""
    return (*range(coupling.min_dim, last + 1), *(dim for dim in BEYOND if dim >= coupling.min_dim))


def _block(coupling: Coupling, dim: int) -> list[Row]:
    """The declared rows; none in a dimension for which the declaration gives none."""
    try:
        return list(coupling.block(dim))
    except InvalidInput:
        return []


@lru_cache(maxsize=64)
def block_size(coupling: Coupling) -> sympy.Expr:
    """The number of rows of a whole block, as an expression in d.

    Examples
    --------
    >>> block_size(_declared("mirrored")), block_size(_declared("iid"))
    (2*d, 1)
    """
    found = _families(coupling)
    if found is not None:
        return sympy.expand(sympy.Add(*(f.length for f in found)))
    if all(len(_block(coupling, dim)) == dim for dim in _dimensions(coupling, 11)):
        return D
    raise NotKnown("the number of rows of a block as a function of d", coupling.name,
                   f"{NOT_FAMILIES}; give m")  # fmt: skip


@lru_cache(maxsize=64)
def general_cosine(coupling: Coupling) -> sympy.Expr | None:
    """The cosine of the angle between two axes as an expression in d; None if they are independent.

    Examples
    --------
    >>> general_cosine(_declared("simplex")), general_cosine(_declared("orthogonal"))
    (-1/(d - 1), 0)
    """
    because = "its cosine is not an expression in d"
    if not coupling.equal_angles or not coupling.angles:
        raise NotKnown("the angle of two rows as a function of d", coupling.name, because)

    axes = (_Affine(place, sympy.S.One, sympy.S.Zero) for place in range(2))  # any two: they are not compared

    def ratio(p: Any, q: Any = 1) -> _Formal:
        return _Formal.of(p) / q

    try:
        found = _run(coupling.cosine, {"Fraction": ratio, "Rational": ratio})(*axes, _Formal(D))
        found = None if found is None else _Formal.of(found).value
    except (_NotReadable, TypeError, AttributeError, sympy.SympifyError):
        raise NotKnown("the angle of two rows as a function of d", coupling.name, because) from None
    for dim in range(max(coupling.min_dim, 2), COMPARED_UP_TO + 1):
        own = coupling.cosine(0, 1, dim)
        same = own is None if found is None else own is not None and sympy.sympify(own) == found.subs(D, dim)
        if not same:
            raise NotKnown("the angle of two rows as a function of d", coupling.name, because)
    return found


def pairs_of_block(coupling: Coupling) -> dict[tuple[sympy.Expr, NormRelation], sympy.Expr]:
    """Numbers of unordered pairs in a whole block by cosine and relation of norms; independent pairs are left out.

    Examples
    --------
    >>> pairs_of_block(_declared("mirrored"))
    {(0, 'independent'): 2*d*(d - 1), (-1, 'shared'): d}
    """
    if coupling.pairs_unknown or not coupling.marginal:
        raise NotKnown("the law of two rows", coupling.name, coupling.pairs_unknown)
    families, total = families_of(coupling), {}  # type: tuple[Family, ...], dict[Any, sympy.Expr]
    cosine = general_cosine(coupling)

    def add(c: sympy.Expr | None, norms: NormRelation, count: sympy.Expr) -> None:
        norms = "fixed" if coupling.norms == "fixed" else norms
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


@lru_cache(maxsize=256)
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
