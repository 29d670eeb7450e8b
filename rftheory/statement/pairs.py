"""How many pairs of rows have each relation, as expressions in d and m that are derived from the declaration itself.

Rows that a relation between any two declares, and other rows than runs with axis i + a and norm i + b or b, are known
only in the dimensions in which they are counted, one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any, NamedTuple

import sympy

from rftheory.errors import NotKnown, RFTheoryError
from rftheory.exact.symbols import d as D
from rftheory.spec import Coupling, Rows
from rftheory.spec.coupling import RowsByRelation
from rftheory.spec.expressions import never_negative, never_zero
from rftheory.spec.relation import NormRelation
from rftheory.spec.rows import i
from rftheory.statement.atoms import PairCount

MOST_ROWS = 16
"""So many rows, the same number for all d, are taken one by one if they are no run."""
OVERLAP = "how far its rows overlap depends on d in a way that is not known"


def _declared(name: str) -> Coupling:
    from rftheory.spec import find_coupling

    return find_coupling(name)


class Run(NamedTuple):
    """Rows i = 0..count-1 with axis i + axis and norm i + norm; with ``one_norm`` all of them have that norm.

    Examples
    --------
    >>> runs_of(_declared("orthogonal"))
    (Run(count=d, axis=0, norm=0, sign=1, reflected=0, one_norm=False),)
    """

    count: sympy.Expr
    axis: sympy.Expr
    norm: sympy.Expr
    sign: sympy.Expr
    reflected: sympy.Expr
    one_norm: bool

    @classmethod
    def of(cls, rows: Rows, coupling: Coupling) -> Run:
        """The run that these rows are.

        Raises
        ------
        NotKnown : they are none, or their number may be negative.
        """
        if rows.count == 1:
            rows = Rows(*(getattr(rows, field.name).subs(i, 0) for field in fields(rows)))
        counter = 0 if rows.count == 1 else i
        one_norm = counter == i and i not in rows.norm.free_symbols
        axis, norm = sympy.expand(rows.axis - counter), sympy.expand(rows.norm - (0 if one_norm else counter))
        for name, value, wanted, meets in (
            ("axis", rows.axis, "i + a", _is_polynomial(rows.axis) and i not in axis.free_symbols),
            ("norm", rows.norm, "i + b or b", _is_polynomial(rows.norm) and i not in norm.free_symbols),
            ("sign", rows.sign, "1 or -1", rows.sign in (1, -1)),
            ("reflected", rows.reflected, "True or False", rows.reflected in (0, 1)),
            ("count", rows.count, f"a polynomial in d that is known to be >= 0 for all d >= {coupling.min_dim}",
             _is_polynomial(rows.count) and never_negative(rows.count, coupling.min_dim)),
        ):  # fmt: skip
            if not meets:
                because = f"the {name} of its rows, {value}, is not {wanted}"
                raise NotKnown("the number of pairs as a function of d", coupling.name, because)
        return cls(rows.count, axis, norm, rows.sign, rows.reflected, one_norm)


def _is_polynomial(form: sympy.Expr) -> bool:
    """As it stands: what would cancel may have no value somewhere."""
    return bool(form.is_polynomial(i, D))


@lru_cache(maxsize=256)
def runs_of(coupling: Coupling) -> tuple[Run, ...]:
    """The rows of a block as runs.

    Raises
    ------
    NotKnown : they are declared by a relation, or are no runs.

    Examples
    --------
    >>> [(str(f.norm), f.sign) for f in runs_of(_declared("cross-polytope"))]
    [('0', 1), ('d', -1)]
    >>> two = Coupling("two", "norms at opposite quantiles", "", (Rows(2, norm=0, reflected=i),))
    >>> [(str(f.axis), f.reflected) for f in runs_of(two)]
    [('0', 0), ('1', 1)]
    """
    if isinstance(coupling.rows, RowsByRelation):
        because = "its rows are declared by a relation, which says nothing for all d; Rows(...) would"
        raise NotKnown("the number of pairs as a function of d", coupling.name, because)
    return tuple(run for rows in coupling.rows for run in _runs(rows, coupling))


def _runs(rows: Rows, coupling: Coupling) -> tuple[Run, ...]:
    """One run; if the rows are none, but few whatever d is, each row by itself."""
    try:
        return (Run.of(rows, coupling),)
    except NotKnown:
        if not rows.count.is_Integer or not 1 < rows.count <= MOST_ROWS:
            raise
    values = [getattr(rows, field.name) for field in fields(rows) if field.name != "count"]
    return tuple(
        Run.of(Rows(1, *(value.subs(i, k) for value in values)), coupling) for k in range(int(rows.count))
    )


def block_size(coupling: Coupling) -> sympy.Expr:
    """The number of rows of a whole block, as an expression in d.

    Examples
    --------
    >>> block_size(_declared("mirrored")), block_size(_declared("iid"))
    (2*d, 1)
    """
    rows = coupling.rows
    if isinstance(rows, RowsByRelation):
        return sympy.expand(rows.count)
    return sympy.expand(sympy.Add(*(one.count for one in rows)))


def most_pairs(count: PairCount) -> sympy.Expr:
    """The number of pairs of m rows in blocks of b rows, m (b - 1)/2, if all blocks are whole; else there are fewer.

    Examples
    --------
    >>> most_pairs(PairCount("mirrored", D, sympy.Symbol("m")))
    m*(2*d - 1)/2
    """
    coupling, d, m = count.args
    return m * (block_size(coupling.meant).subs(D, d) - 1) / 2


def general_cosine(coupling: Coupling) -> sympy.Expr | None:
    """The cosine of the angle between two axes as an expression in d; None if they are independent.

    Raises
    ------
    NotKnown : their angles differ.

    Examples
    --------
    >>> general_cosine(_declared("simplex")), general_cosine(_declared("orthogonal"))
    (-1/(d - 1), 0)
    """
    if not coupling.equal_angles or not coupling.angles:
        raise NotKnown("the angle of two rows as a function of d", coupling.name, "its angles differ")
    return coupling.cosine


@lru_cache(maxsize=256)
def _require_axes(coupling: Coupling) -> None:
    """Refuse runs, or angles of unit vectors of R^d, that are not known to exist for all d."""
    runs, cosine, least = runs_of(coupling), coupling.cosine, coupling.min_dim
    if callable(cosine):
        return
    because = f"for all d >= {least}, its min_dim"
    if not never_negative(block_size(coupling) - 1, least):
        raise NotKnown(
            "the law of two rows for all d", coupling.name, f"it is not known to have rows {because}"
        )
    count = _axes(runs, coupling)
    if cosine is None or count == 1 or cosine == 1:
        return
    from_here = max(least, 2) if count.subs(D, least) == 1 else least
    if not all(isinstance(part, _RATIONAL) for part in sympy.preorder_traversal(cosine)):
        because = "its cosine is not made of sums, products and powers alone"
        raise NotKnown("the law of two rows for all d", coupling.name, because)
    for power in cosine.atoms(sympy.Pow):
        if not power.exp.is_nonnegative and not never_zero(power.base, from_here):
            raise NotKnown(
                "the law of two rows for all d", coupling.name, f"{power.base} in its cosine may be 0"
            )
    room = 1 + cosine * (count - 1)  # 0 at the least cosine of so many axes, which then span a dimension less
    span = count - 1 if sympy.simplify(room) == 0 else count
    if not all(never_negative(part, from_here) for part in (room, 1 - cosine, D - span)):
        because = f"unit vectors of R^d with its angles are not known to exist {because}"
        raise NotKnown("the law of two rows for all d", coupling.name, because)


def require_exists(coupling: Coupling, d: sympy.Expr) -> None:
    """Refuse a coupling whose blocks are not known to exist in dimension d, a number or the symbol.

    Rows that are no runs are looked at in a few small dimensions.

    Raises
    ------
    NotKnown : they are not.

    Examples
    --------
    >>> require_exists(Coupling("too-many", "", "", Rows(D + 1)), D)
    Traceback (most recent call last):
    ...
    rftheory.errors.NotKnown: a law is not known for too-many, because angles of too-many at d = 1: needs d >= 2 for ...
    """
    least = coupling.min_dim
    for dim in (int(d),) if d.is_Integer else (least, least + 1, least + 7):
        try:
            coupling.block(dim)
        except RFTheoryError as error:
            raise NotKnown("a law", coupling.name, str(error)) from error
    if d.is_Integer:
        return
    try:
        runs_of(coupling)
    except NotKnown:
        return
    _require_axes(coupling)


_RATIONAL = (sympy.Add, sympy.Mul, sympy.Pow, sympy.Number, sympy.NumberSymbol, sympy.Symbol)


def _axes(runs: Sequence[Run], coupling: Coupling) -> sympy.Expr:
    """At least as many as the runs have axes: of each run, those that the run before it that meets it most has not."""
    total = sympy.S.Zero
    for number, one in enumerate(runs):
        met = sympy.S.Zero
        for other in runs[:number]:
            common = _overlap(sympy.expand(one.axis - other.axis), one.count, other.count, coupling)
            met = _longer(met, common, coupling)
        total += one.count - met
    return sympy.expand(total)


def pairs_of_block(coupling: Coupling) -> dict[tuple[sympy.Expr, NormRelation], sympy.Expr]:
    """Numbers of unordered pairs in a whole block by cosine and relation of norms; independent pairs are left out.

    Examples
    --------
    >>> pairs_of_block(_declared("mirrored"))
    {(0, 'independent'): 2*d*(d - 1), (-1, 'shared'): d}
    """
    if coupling.pairs_unknown or not coupling.marginal:
        raise NotKnown("the law of two rows", coupling.name, coupling.pairs_unknown)
    _require_axes(coupling)
    return _pairs_of(runs_of(coupling), coupling)


def _pairs_of(runs: Sequence[Run], coupling: Coupling) -> dict[tuple[sympy.Expr, NormRelation], sympy.Expr]:
    cosine = general_cosine(coupling)
    cosine = None if cosine is None else sympy.cancel(cosine)  # it has no poles
    total: dict[Any, sympy.Expr] = {}

    def add(c: sympy.Expr | None, norms: NormRelation, count: sympy.Expr) -> None:
        norms = "fixed" if coupling.norms == "fixed" else norms
        if c is None and norms in ("shared", "antimonotone") and count != 0:
            because = f"rows on independent axes have {norms} norms"
            raise NotKnown("the law of two rows", coupling.name, because)
        if c is not None and count != 0:
            total[c, norms] = total.get((c, norms), sympy.S.Zero) + count

    for number, one in enumerate(runs):
        add(cosine, "shared" if one.one_norm else "independent", one.count * (one.count - 1) / 2)
        for other in runs[number + 1 :]:
            sign = one.sign * other.sign
            turned = None if cosine is None else sign * cosine
            joined: NormRelation = "shared" if one.reflected == other.reflected else "antimonotone"
            axes, norms, both = _coincidences(one, other, coupling)
            add(sign, joined, both)
            add(sign, "independent", axes - both)
            add(turned, joined, norms - both)
            add(turned, "independent", one.count * other.count - axes - norms + both)
    return {key: sympy.factor(count) for key, count in total.items() if sympy.expand(count) != 0}


def _coincidences(one: Run, other: Run, coupling: Coupling) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """How many pairs of rows of two runs have one axis, how many one norm, and how many both."""
    shift, norm_shift = sympy.expand(one.axis - other.axis), sympy.expand(one.norm - other.norm)
    axes, none = _overlap(shift, one.count, other.count, coupling), sympy.S.Zero
    if one.one_norm and other.one_norm:
        return (
            (axes, one.count * other.count, axes) if _vanishes(norm_shift, coupling) else (axes, none, none)
        )
    if one.one_norm or other.one_norm:
        many, single = (other, one) if one.one_norm else (one, other)
        row = sympy.expand(single.norm - many.norm)  # of the many, that has the norm of the others
        if _overlap(row, sympy.S.One, many.count, coupling) == 0:
            return axes, none, none
        beside = sympy.expand(row + many.axis - single.axis)
        return axes, single.count, _overlap(beside, sympy.S.One, single.count, coupling)
    norms = _overlap(norm_shift, one.count, other.count, coupling)
    together = axes != 0 and norms != 0 and _vanishes(sympy.expand(shift - norm_shift), coupling)
    return axes, norms, axes if together else none


def _vanishes(shift: sympy.Expr, coupling: Coupling) -> bool:
    """Whether two numbers are equal for all d, or different for all d, by their difference."""
    if shift != 0 and not never_zero(shift, coupling.min_dim):
        raise NotKnown("the number of pairs as a function of d", coupling.name, OVERLAP)
    return bool(shift == 0)


def _overlap(shift: sympy.Expr, n: sympy.Expr, m: sympy.Expr, coupling: Coupling) -> sympy.Expr:
    """The number of integers p of [0, n) with p + shift in [0, m)."""
    low = _longer(sympy.S.Zero, sympy.expand(-shift), coupling)
    high = sympy.expand(n + m - shift - _longer(n, sympy.expand(m - shift), coupling))
    return sympy.expand(_longer(high - low, sympy.S.Zero, coupling))


def _longer(one: sympy.Expr, other: sympy.Expr, coupling: Coupling) -> sympy.Expr:
    """The larger of two numbers."""
    if never_negative(one - other, coupling.min_dim):
        return one
    if never_negative(other - one, coupling.min_dim):
        return other
    raise NotKnown("the number of pairs as a function of d", coupling.name, OVERLAP)


@lru_cache(maxsize=256)
def pairs(
    coupling: Coupling, d: sympy.Expr, m: sympy.Expr, least: int = 1, at_most_a_block: bool = False
) -> dict[tuple[sympy.Expr, NormRelation], sympy.Expr]:
    """The same for m rows: whole blocks and a part of one, or any number if the block has only one kind of pair.

    Parameters
    ----------
    least : the smallest d of which it is asked.
    at_most_a_block : True if it is known that m <= d.

    Examples
    --------
    >>> m = sympy.Symbol("m", integer=True, positive=True)
    >>> pairs(_declared("orthogonal"), D, 2 * D), pairs(_declared("orthogonal"), D, m, at_most_a_block=True)
    ({(0, 'independent'): d*(d - 1)}, {(0, 'independent'): m*(m - 1)/2})
    >>> pairs(_declared("orthogonal"), D, m)
    {(0, 'independent'): PairCount(orthogonal, d, m)}
    >>> pairs(_declared("simplex"), D, m)
    {(-1/(d - 1), 'independent'): PairCount(orthogonal, d, m)}
    >>> pairs(_declared("mirrored"), D, D + 1)
    {(0, 'independent'): (d - 1)*(d + 2)/2, (-1, 'shared'): 1}
    """
    if d.is_Integer and m.is_Integer:
        return _counted(coupling, int(d), int(m))
    block, size = pairs_of_block(coupling), block_size(coupling)
    blocks = sympy.simplify(m / size.subs(D, d))
    if not block or blocks.is_integer:
        return {_at(key, d): sympy.factor(blocks * count.subs(D, d)) for key, count in block.items()}
    if (
        d == D
        and m.free_symbols <= {D}
        and (found := _with_a_part(coupling, m, max(least, coupling.min_dim)))
    ):
        return found
    if len(runs_of(coupling)) == 1:
        ((key, _),) = block.items()  # the number of pairs depends only on the number of rows of a block
        counted_as = "orthogonal" if size == D else coupling.name
        in_one = at_most_a_block and size == D
        count = m * (m - 1) / 2 if in_one else PairCount(counted_as, d, m)
        return {_at(key, d): count}
    raise NotKnown(
        "the number of pairs as a function of d and m", coupling.name,
        "m is not known to be a number of whole blocks and a part of one that does not depend on d",
    )  # fmt: skip


def _with_a_part(
    coupling: Coupling, m: sympy.Expr, least: int
) -> dict[tuple[sympy.Expr, NormRelation], sympy.Expr]:
    """The pairs of m rows if these are a fixed number of blocks and part of one for all d >= ``least``; else none."""
    size = block_size(coupling)
    if not (m.is_polynomial(D) and size.is_polynomial(D)):
        return {}
    most = sympy.floor(sympy.div(m, size, D)[0])
    for blocks in (most, most - 1):
        rest = sympy.expand(m - blocks * size)
        if blocks.is_Integer and never_negative(rest, least) and never_negative(size - rest, least):
            break
    else:
        return {}
    part: list[Run] = []
    for run in runs_of(coupling):
        whole = never_negative(rest - run.count, least)
        if not (whole or never_negative(run.count - rest, least)):
            return {}
        part.append(run if whole else run._replace(count=rest))
        if not whole:
            break
        rest = sympy.expand(rest - run.count)
    total = Counter({key: blocks * count for key, count in pairs_of_block(coupling).items()})
    total.update(_pairs_of(part, coupling))
    return {key: sympy.factor(count) for key, count in total.items() if sympy.expand(count) != 0}


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
