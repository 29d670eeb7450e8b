"""How many pairs of rows have each relation, as expressions in d and m that are derived from the declaration itself.

Rows that a relation between any two declares, and other rows than runs with axis s i + a and norm t i + b, are known
only in the dimensions in which they are counted, one by one. What repeats in i, as i // 2 and i % 2 do, is a run for
each remainder of i.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, NamedTuple

import sympy

from rftheory.errors import NotKnown, RFTheoryError
from rftheory.exact.symbols import d as D
from rftheory.spec import Coupling, Rows
from rftheory.spec.coupling import RowsByRelation
from rftheory.spec.expressions import is_whole, never_negative, never_zero, period_in, with_floors
from rftheory.spec.relation import NormRelation
from rftheory.spec.rows import i
from rftheory.statement.atoms import PairCount

MOST_ROWS = 16
"""So many rows, the same number for all d, are taken one by one if they are no run."""
OVERLAP = "how far its rows overlap depends on d in a way that is not known"


def _declared(name: str) -> Coupling:
    from rftheory.spec import find_coupling

    return find_coupling(name)


Kind = tuple[sympy.Expr, NormRelation]
"""The cosine and the relation of norms of two rows."""
Counts = dict[Kind, sympy.Expr]
"""Numbers of pairs of each kind."""


LAW, OF_M = "the law of two rows for all d", "the number of pairs as a function of m"
"""What may be unknown of a coupling, beside the number of pairs as a function of d."""


def _unknown(
    coupling: Coupling, because: str, what: str = "the number of pairs as a function of d"
) -> NotKnown:
    return NotKnown(what, coupling.name, because)


class Run(NamedTuple):
    """Rows p = 0..count-1 with axis axis_step p + axis and norm norm_step p + norm, where a step of 0 is one norm.

    Examples
    --------
    >>> runs_of(_declared("orthogonal"))
    (Run(count=d, axis=0, norm=0, sign=1, reflected=0, axis_step=1, norm_step=1),)
    """

    count: sympy.Expr
    axis: sympy.Expr
    norm: sympy.Expr
    sign: sympy.Expr
    reflected: sympy.Expr
    axis_step: int
    norm_step: int

    @classmethod
    def of(cls, rows: Rows, coupling: Coupling, least: int) -> Run:
        """The run that these rows are, for all d >= least.

        Raises
        ------
        NotKnown : they are none, or their number may be negative.
        """
        if rows.count == 1:
            rows = Rows(*(getattr(rows, field.name).subs(i, 0) for field in fields(rows)))
        (axis, axis_step), (norm, norm_step) = _in_steps(rows.axis), _in_steps(rows.norm)
        for name, value, wanted, meets in (
            ("axis", rows.axis, "s i + a", axis_step is not None and (axis_step > 0 or rows.count == 1)),
            ("norm", rows.norm, "s i + b or b", norm_step is not None),
            ("sign", rows.sign, "1 or -1", rows.sign in (1, -1)),
            ("reflected", rows.reflected, "True or False", rows.reflected in (0, 1)),
            ("count", rows.count, f"made of powers and floors of d, and known to be >= 0 for all d >= {least}",
             _is_polynomial(rows.count) and never_negative(rows.count, least)),
        ):  # fmt: skip
            if not meets:
                because = f"the {name} of its rows, {value}, is not {wanted}"
                raise _unknown(coupling, because)
        if rows.count == 1:
            axis_step = norm_step = 1
        return cls(rows.count, axis, norm, rows.sign, rows.reflected, axis_step or 1, norm_step or 0)

    @property
    def one_norm(self) -> bool:
        """Whether all of them have the same norm."""
        return self.norm_step == 0


def _in_steps(form: sympy.Expr) -> tuple[sympy.Expr, int | None]:
    """b and s of s i + b, with a number s >= 0; None if it is no such form."""
    step = sympy.expand(form).coeff(i, 1)
    start = sympy.expand(form - step * i)
    known = _is_polynomial(form) and step.is_Integer and step >= 0 and i not in start.free_symbols
    return start, int(step) if known else None


def _is_polynomial(form: sympy.Expr) -> bool:
    """In d, i and floors of d/p + r, as it stands: what would cancel may have no value somewhere."""
    floors = form.atoms(sympy.floor)
    simple = all(e.args[0].is_polynomial(D) and sympy.degree(e.args[0], D) == 1 for e in floors)
    return simple and bool(form.xreplace({e: sympy.Dummy() for e in floors}).is_polynomial(i, D))


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
    >>> [(str(f.count), str(f.axis), f.axis_step, f.reflected) for f in runs_of(_declared("antimonotone"))]
    [('d - floor(d/2)', '0', 2, 0), ('floor(d/2)', '1', 2, 1)]
    """
    return tuple(run for rows in _rows_of(coupling) for run in _runs(rows, coupling, coupling.min_dim))


def _rows_of(coupling: Coupling) -> tuple[Rows, ...]:
    if isinstance(coupling.rows, RowsByRelation):
        because = "its rows are declared by a relation, which says nothing for all d; Rows(...) would"
        raise _unknown(coupling, because)
    return coupling.rows


def _runs(rows: Rows, coupling: Coupling, least: int) -> tuple[Run, ...]:
    """One run, or one for each remainder of i; if the rows are none, but few whatever d is, each row by itself."""
    values = {field.name: with_floors(getattr(rows, field.name)) for field in fields(rows)}
    count = values.pop("count")
    if count.is_Integer and 1 < count <= MOST_ROWS:
        try:
            return (_run_at(i, count, values, coupling, least),)
        except NotKnown:
            each = (sympy.Integer(k) for k in range(int(count)))
            return tuple(_run_at(k, sympy.S.One, values, coupling, least) for k in each)
    period = math.lcm(*(period_in(value, i) for value in values.values()))
    if period > MOST_ROWS or period == 1:
        return (_run_at(i, count, values, coupling, least),)
    counts = (with_floors(sympy.floor((count + period - 1 - k) / period)) for k in range(period))
    return tuple(_run_at(period * i + k, n, values, coupling, least) for k, n in enumerate(counts))


def _run_at(
    place: sympy.Expr, count: sympy.Expr, values: Mapping[str, sympy.Expr], coupling: Coupling, least: int
) -> Run:
    """The run of so many of the rows, those at these places."""
    return Run.of(Rows(count, *(value.subs(i, place) for value in values.values())), coupling, least)


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


def consists_of(coupling: Coupling, size: sympy.Expr) -> bool:
    """Whether a block is made of parts of so many rows, each with axes at the one angle, and norms of their own.

    Examples
    --------
    >>> [consists_of(_declared(name), D) for name in ("mirrored", "cross-polytope", "orthogonal", "antimonotone")]
    [True, True, False, False]
    """
    if isinstance(coupling.rows, RowsByRelation):
        return False
    parts = [_runs(rows, coupling, coupling.min_dim) for rows in coupling.rows]
    alike = (len(runs) == 1 and runs[0].count == size and not runs[0].one_norm for runs in parts)
    return len(parts) > 1 and all(alike)


def are_apart(counts: Iterable[PairCount], coupling: Coupling) -> bool:
    """Whether no pair of rows is counted twice, in no dimension; without a kind, pairs have the angle of two axes.

    Examples
    --------
    >>> m = sympy.Symbol("m")
    >>> blocks = PairCount("orthogonal", D, m)
    >>> kinds = [PairCount("mirrored", D, m, *kind) for kind in ((-1, "shared"), (0, "independent"))]
    >>> [are_apart(counts, _declared("mirrored")) for counts in (kinds, [kinds[0], blocks], [kinds[1], blocks])]
    [True, True, False]
    """
    of_axes = (coupling.cosine if coupling.equal_angles else None, _norms_of_axes(coupling))
    kinds = [(one.kind[0], one.kind[1].name) if one.kind else of_axes for one in counts]
    return all(_never_alike(*two, coupling.min_dim) for two in itertools.combinations(kinds, 2))


def _norms_of_axes(coupling: Coupling) -> NormRelation:
    """The relation of the norms of two rows that have neither one axis nor one norm."""
    return "fixed" if coupling.norms == "fixed" else "independent"


def _never_alike(
    one: tuple[sympy.Expr | None, str], other: tuple[sympy.Expr | None, str], least: int
) -> bool:
    """Whether two kinds of pairs are different ones in every dimension from the least on."""
    (cosine, norms), (of_other, norms_of_other) = one, other
    if cosine is None or of_other is None:
        return norms != norms_of_other
    return norms != norms_of_other or never_zero(sympy.cancel(cosine - of_other), least)


def most_pairs(count: PairCount) -> sympy.Expr:
    """The number of pairs of m rows in blocks of b rows, m (b - 1)/2, if all blocks are whole; else there are fewer.

    Of one kind with one axis, or one norm, a row has at most one partner in each other run. In one dimension, in which
    angles of two kinds may be the same, the pairs of the first rows of a block are counted.

    Examples
    --------
    >>> m = sympy.Symbol("m")
    >>> most_pairs(PairCount("mirrored", D, m)), most_pairs(PairCount("mirrored", D, m, -1, "shared"))
    (m*(2*d - 1)/2, m/2)
    """
    coupling = count.coupling
    if count.kind and count.d.is_Integer and (size := coupling.size(int(count.d))) <= MOST_ROWS:
        first = ((k, count.func(count.args[0], count.d, k, *count.kind)) for k in range(1, size + 1))
        return count.m * max(pairs_of_rows / k for k, pairs_of_rows in first)
    if count.kind and not count.d.is_Integer and _shares(count):
        runs = runs_of(coupling)
        if not any(run.one_norm for run in runs):
            return count.m * (len(runs) - 1) / 2
    return count.m * (block_size(coupling).subs(D, count.d) - 1) / 2


def _shares(count: PairCount) -> bool:
    """Whether pairs of this kind have one axis or one norm, in each dimension; those at the angle of axes do not."""
    cosine, norms = count.kind
    if abs(cosine) != 1 or norms.name in ("shared", "antimonotone"):
        return norms.name in ("shared", "antimonotone")
    axes, least = general_cosine(count.coupling), count.coupling.min_dim
    return axes is None or all(never_zero(sympy.cancel(axes + sign), least) for sign in (1, -1))


def fewest_pairs(count: PairCount, d: sympy.Expr, m: sympy.Expr) -> int:
    """1 if there are pairs for all numbers from these on, as far as is known; else 0.

    They are in the first rows of the first block, which stay if the block grows: all of one kind where the rows of a
    block do not depend on d but in their number.

    Examples
    --------
    >>> count = PairCount("antimonotone", D, sympy.Symbol("m"), 0, "antimonotone")
    >>> [fewest_pairs(count, *map(sympy.Integer, least)) for least in ((2, 2), (1, 2))]
    [1, 0]
    """
    coupling = count.coupling
    if not all(number.is_Integer and number >= least for number, least in ((d, coupling.min_dim), (m, 2))):
        return 0
    size = block_size(coupling)
    if not never_negative(size.subs(D, D + 1) - size, coupling.min_dim):
        return 0
    if count.kind and _depends_on_d(coupling):
        return 0
    few = (max(d, sympy.Integer(2)), d)  # in one dimension angles of two kinds may be the same
    return min(1, *(int(count.func(count.args[0], n, m, *count.kind)) for n in few))


def pairs_from(count: PairCount, m: sympy.Expr, least: int) -> sympy.Expr:
    """The pairs of that kind of at least ``m`` rows, an expression in d: those of just so many; 0 if not known.

    Examples
    --------
    >>> kinds = (-1, "shared"), (0, "independent"), ()
    >>> [pairs_from(PairCount("mirrored", D, sympy.Symbol("m"), *kind), D + 1, 1) for kind in kinds]
    [1, (d - 1)*(d + 2)/2, d*(d + 1)/2]
    """
    if count.d != D:
        return sympy.S.Zero
    found = _with_a_part(count.coupling, m, max(least, count.coupling.min_dim))
    of_kind = (n for key, n in found.items() if not count.kind or key == (count.kind[0], count.kind[1].name))
    return sympy.factor(sympy.Add(*of_kind))


def _depends_on_d(coupling: Coupling) -> bool:
    """Whether the first rows of a block may be other ones if d is larger."""
    if isinstance(coupling.rows, RowsByRelation) or len(coupling.rows) > 1:
        return True
    (rows,) = coupling.rows
    parts = [getattr(rows, field.name) for field in fields(rows) if field.name != "count"]
    return any(D in sympy.sympify(part).free_symbols for part in (*parts, general_cosine(coupling) or 0))


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
        raise _unknown(coupling, f"it is not known to have rows {because}", LAW)
    count = _axes(runs, coupling)
    if cosine is None or count == 1 or cosine == 1:
        return
    from_here = max(least, 2) if count.subs(D, least) == 1 else least
    if not all(isinstance(part, _RATIONAL) for part in sympy.preorder_traversal(cosine)):
        raise _unknown(coupling, "its cosine is not made of sums, products and powers alone", LAW)
    for power in cosine.atoms(sympy.Pow):
        if not power.exp.is_nonnegative and not never_zero(power.base, from_here):
            raise _unknown(coupling, f"{power.base} in its cosine may be 0", LAW)
    room = 1 + cosine * (count - 1)  # 0 at the least cosine of so many axes, which then span a dimension less
    span = count - 1 if sympy.simplify(room) == 0 else count
    if not all(never_negative(part, from_here) for part in (room, 1 - cosine, D - span)):
        raise _unknown(coupling, f"unit vectors of R^d with its angles are not known to exist {because}", LAW)


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
            met = _longer(met, _met(one, other, "axis", coupling)[0], coupling)
        total += one.count - met
    return sympy.expand(total)


def pairs_of_block(coupling: Coupling) -> Counts:
    """Numbers of unordered pairs in a whole block by cosine and relation of norms; independent pairs are left out.

    Examples
    --------
    >>> pairs_of_block(_declared("mirrored"))
    {(0, 'independent'): 2*d*(d - 1), (-1, 'shared'): d}
    """
    if coupling.pairs_unknown:
        raise NotKnown("the law of two rows", coupling.name, coupling.pairs_unknown)
    _require_axes(coupling)
    return _pairs_of(runs_of(coupling), coupling)


def _pairs_of(runs: Sequence[Run], coupling: Coupling) -> Counts:
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
    return _simple(total)


def _simple(total: Mapping[Kind, sympy.Expr]) -> Counts:
    """The counts in factors, without those that are 0."""
    return {key: sympy.factor(count) for key, count in total.items() if sympy.expand(count) != 0}


def _coincidences(one: Run, other: Run, coupling: Coupling) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """How many pairs of rows of two runs have one axis, how many one norm, and how many both."""
    (axes, shift), none = _met(one, other, "axis", coupling), sympy.S.Zero
    if one.one_norm and other.one_norm:
        if _vanishes(sympy.expand(one.norm - other.norm), coupling):
            return axes, one.count * other.count, axes
        return axes, none, none
    if one.one_norm or other.one_norm:
        many, single = (other, one) if one.one_norm else (one, other)
        # the row of the many that has the norm of the others
        row = _steps(single.norm - many.norm, many.norm_step, coupling)
        if row is None or _overlap(row, sympy.S.One, many.count, coupling) == 0:
            return axes, none, none
        beside = _steps(many.axis_step * row + many.axis - single.axis, single.axis_step, coupling)
        both = none if beside is None else _overlap(beside, sympy.S.One, single.count, coupling)
        return axes, single.count, both
    norms, norm_shift = _met(one, other, "norm", coupling)
    if axes == 0 or norms == 0 or shift is None or norm_shift is None:
        return axes, norms, none
    return axes, norms, axes if _vanishes(sympy.expand(shift - norm_shift), coupling) else none


def _met(one: Run, other: Run, part: str, coupling: Coupling) -> tuple[sympy.Expr, sympy.Expr | None]:
    """How many axes or norms of one run the other has, and how many rows later; None if it has none."""
    (start, step), (other_start, other_step) = (
        (getattr(r, part), getattr(r, f"{part}_step")) for r in (one, other)
    )
    if one.count == 1:
        step = other_step
    elif other.count == 1:
        other_step = step
    if step != other_step:
        raise _unknown(coupling, OVERLAP)
    shift = _steps(start - other_start, step, coupling)
    if shift is None:
        return sympy.S.Zero, None
    return _overlap(shift, one.count, other.count, coupling), shift


def _steps(apart: sympy.Expr, step: int, coupling: Coupling) -> sympy.Expr | None:
    """How many steps a distance is; None if it is never a whole number of steps."""
    found = sympy.expand(apart / step)
    if is_whole(found):
        return found
    if any(is_whole(sympy.expand((apart - rest) / step)) for rest in range(1, step)):
        return None
    raise _unknown(coupling, OVERLAP)


def _vanishes(shift: sympy.Expr, coupling: Coupling) -> bool:
    """Whether two numbers are equal for all d, or different for all d, by their difference."""
    if shift != 0 and not never_zero(shift, coupling.min_dim):
        raise _unknown(coupling, OVERLAP)
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
    raise _unknown(coupling, OVERLAP)


@lru_cache(maxsize=256)
def pairs(
    coupling: Coupling, d: sympy.Expr, m: sympy.Expr, least: int = 1, at_most_a_block: bool = False
) -> Counts:
    """The same for m rows: whole blocks and a part of one, or any number where all pairs in a block are related.

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
    {(0, 'independent'): pairs(orthogonal; m)}
    >>> pairs(_declared("simplex"), D, m)
    {(-1/(d - 1), 'independent'): pairs(orthogonal; m)}
    >>> pairs(_declared("mirrored"), D, D + 1)
    {(0, 'independent'): (d - 1)*(d + 2)/2, (-1, 'shared'): 1}
    >>> pairs(_declared("mirrored"), D, m, at_most_a_block=True)
    {(0, 'independent'): m*(m - 1)/2}
    >>> pairs(_declared("antimonotone"), D, m)[0, "antimonotone"]
    pairs(antimonotone, orthogonal, antimonotone norms; m)
    """
    if d.is_Integer and m.is_Integer:
        return _counted(coupling, int(d), int(m))
    block, size = pairs_of_block(coupling), block_size(coupling)
    blocks = sympy.cancel(m / size.subs(D, d))
    if not block or blocks.is_integer:
        total = Counter[Kind]()
        for key, count in block.items():  # in one dimension two angles may be the same
            total[_at(key, d)] += blocks * count.subs(D, d)
        return {key: sympy.factor(count) for key, count in total.items()}
    least = max(least, coupling.min_dim)
    if d == D and m.free_symbols <= {D} and (found := _with_a_part(coupling, m, least)):
        return found
    first = _runs(_rows_of(coupling)[0], coupling, least) if at_most_a_block else ()
    if len(first) == 1 and never_negative(first[0].count - D, least):  # the m rows are alike
        alike = _pairs_of([first[0]._replace(count=m)], coupling)
        return {_at(key, d): count for key, count in alike.items()}
    return _as_functions_of_m(coupling, block, d, m, least, at_most_a_block)


def _as_functions_of_m(
    coupling: Coupling, block: Mapping[Kind, sympy.Expr], d: sympy.Expr, m: sympy.Expr,
    least: int, at_most_a_block: bool,
) -> Counts:  # fmt: skip
    """Numbers of pairs that have a name each, or a form where all pairs of a block are related and m is any number."""
    if len({_at(key, d) for key in block}) < len(block):
        because = f"some of its angles are the same at d = {d}"
        raise _unknown(coupling, because, OF_M)
    cosine = general_cosine(coupling)
    norms = _norms_of_axes(coupling)
    if cosine is None:  # rows on different axes are independent, and not counted
        return {_at(key, d): PairCount(coupling.name, d, m, *_at(key, d)) for key in block}
    most = next(iter(block)) if len(block) == 1 else (sympy.cancel(cosine), norms)
    of_d = block_size(coupling) == D
    counted_as, in_one = "orthogonal" if of_d else coupling.name, at_most_a_block and of_d
    all_pairs = m * (m - 1) / 2 if in_one else PairCount(counted_as, d, m)
    as_if = in_one and coupling.min_dim == 1 and not _depends_on_d(coupling)
    others = {
        _at(key, d): count.subs(D, m) if as_if else PairCount(coupling.name, d, m, *_at(key, d))
        for key, count in block.items()
        if key != most
    }  # the first m rows of d are those of a block in m dimensions
    for one, other in itertools.combinations(others, 2):
        if not _never_alike(one, other, least):
            because = f"its angles of cosines {one[0]} and {other[0]} may be the same in one dimension"
            raise _unknown(coupling, because, OF_M)
    return {_at(most, d): all_pairs - sympy.Add(*others.values()), **others}


def _with_a_part(coupling: Coupling, m: sympy.Expr, least: int) -> Counts:
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
    part: list[Rows] = []
    for rows in _rows_of(coupling):
        whole = never_negative(rest - rows.count, least)
        if not (whole or never_negative(rows.count - rest, least)):
            return {}
        part.append(rows if whole else replace(rows, count=rest))
        if not whole:
            break
        rest = sympy.expand(rest - rows.count)
    total = Counter({key: blocks * count for key, count in pairs_of_block(coupling).items()})
    runs = [run for rows in part if rows.count != 0 for run in _runs(rows, coupling, least)]
    total.update(_pairs_of(runs, coupling))
    return _simple(total)


def _at(key: Kind, d: sympy.Expr) -> Kind:
    return key[0].subs(D, d), key[1]


def _counted(coupling: Coupling, d: int, m: int) -> Counts:
    if coupling.pairs_unknown:
        raise NotKnown("the law of two rows", coupling.name, coupling.pairs_unknown)
    found: Counts = {}
    for relation, count in coupling.pairs(d, m).items():
        if relation.cosine is None:
            raise NotKnown("a closed form", coupling.name, f"of rows that are {relation.name}")
        found[sympy.sympify(relation.cosine), relation.norms] = sympy.Integer(count)
    return found
