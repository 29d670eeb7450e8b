"""A coupling as data: the rows of a block, each a signed unit vector of a frame times a norm.

The unit vectors ("axes") of a frame are independent, or lie at known angles and are turned together by a uniform
rotation. Rows on the same axis are equal or opposite. Rows with the same norm number share the norm; a reflected norm
lies at the opposite quantile. The rows determine the relation between any two of them, how often each relation occurs
among m rows, and so every law that depends on pairs.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from inspect import getclosurevars
from itertools import combinations
from types import FunctionType
from typing import Any, Literal

import sympy

from rftheory.errors import InvalidInput, OutsideDomain, checked_integer, items, need
from rftheory.spec.dimension import d as D
from rftheory.spec.expressions import exact_in
from rftheory.spec.relation import Cosine, NormRelation, Relation
from rftheory.spec.rows import FRAME, Row, Rows, count_at, listed
from rftheory.spec.validity import called, checked_rows


@dataclass(frozen=True)
class RowsByRelation:
    """The rows of blocks that are given by the relation between any two rows.

    Attributes
    ----------
    count : their number, an expression in d.
    relation : a function of i < j and d that gives the relation between two rows, numbered from 0.
    placed : a function of d that gives the rows, and the first row on each axis.
    """

    count: sympy.Expr
    relation: Callable[[int, int, int], Relation]
    placed: Callable[[int], tuple[list[Row], list[int]]]


def from_relation(
    count: sympy.Expr, relation: Callable[[int, int, int], Relation]
) -> tuple[Callable[[int, int, int], Cosine | None], RowsByRelation]:
    """Cosines of the axes, and rows, of blocks that are given by the relation between any two rows.

    Parameters
    ----------
    count : the number of rows, an expression in d.
    relation : a function of i < j and d that gives the relation between two rows, numbered from 0.

    Examples
    --------
    >>> from rftheory.spec.relation import OPPOSITE, ORTHOGONAL
    >>> cosine, rows = from_relation(2 * D, lambda i, j, d: OPPOSITE if j - i == d else ORTHOGONAL)
    >>> cosine(0, 1, 2), [(row.axis, row.norm, row.sign) for row in rows.placed(2)[0]]
    (0, [(0, 0, 1), (1, 1, 1), (0, 2, -1), (1, 3, -1)])
    """

    def asked(i: int, j: int, d: int) -> Relation:
        found = called(f"relation of the rows {i} and {j} at d = {d}", relation, i, j, d)
        if not isinstance(found, Relation) or found.norms not in ("independent", "shared", "antimonotone"):
            needs = "a Relation with independent, shared or antimonotone norms"
            raise InvalidInput(f"relation of the rows {i} and {j} at d = {d}", needs=needs, got=found)
        return found

    @lru_cache(maxsize=64)
    def placed(d: int) -> tuple[list[Row], list[int]]:
        rows: list[Row] = []
        first_on_axis: list[int] = []  # the first row on each axis; likewise for norms
        first_of_norm: list[int] = []
        for j in range(count_at(count, d)):
            axis, norm, sign, reflected = len(first_on_axis), len(first_of_norm), 1, False
            for i in first_on_axis:
                if (cosine := asked(i, j, d).cosine) in (1, -1):
                    axis, sign = rows[i].axis, rows[i].sign * int(cosine)
            for i in first_of_norm:
                if (norms := asked(i, j, d).norms) in ("shared", "antimonotone"):
                    norm, reflected = rows[i].norm, rows[i].reflected != (norms == "antimonotone")
            first_on_axis += [j] if axis == len(first_on_axis) else []
            first_of_norm += [j] if norm == len(first_of_norm) else []
            rows.append(Row(axis, norm, sign, reflected))
        _check_relations(rows, first_on_axis, asked, d)
        return rows, first_on_axis

    def cosine(one: int, other: int, d: int) -> Cosine | None:
        first = placed(d)[1]
        return asked(first[min(one, other)], first[max(one, other)], d).cosine

    return cosine, RowsByRelation(count, relation, placed)


def _check_relations(
    rows: Sequence[Row], first_on_axis: Sequence[int], asked: Callable[[int, int, int], Relation], d: int
) -> None:
    """Check that rows with one axis and one norm for each class have all the declared relations."""
    for i, j in combinations(range(len(rows)), 2):
        one, other, wanted = rows[i], rows[j], asked(i, j, d)
        cosine: Cosine | None = one.sign * other.sign
        if one.axis != other.axis:
            first = sorted(first_on_axis[row.axis] for row in (one, other))
            cosine = _signed(asked(*first, d).cosine, one.sign * other.sign)  # type: ignore[call-arg]
        norms: NormRelation = "independent"
        if one.norm == other.norm:
            norms = "shared" if one.reflected == other.reflected else "antimonotone"
        if wanted != Relation(cosine, norms):
            got = f"{wanted.name}, although their relations to other rows make them {Relation(cosine, norms).name}"
            raise InvalidInput(f"rows {i} and {j} at d = {d}", needs="relations that rows can have", got=got)


@dataclass(frozen=True)
class Coupling:
    """The joint law of the rows of a block.

    Attributes
    ----------
    name : one word.
    says : one line.
    source : where it comes from.
    rows : the rows of a block: `Rows`, or several.
    cosine : the cosine between any two axes, a number or an expression in d; None if they are independent. If it
        differs, a function of i, j and d that gives it for the axes i != j.
    group : if it differs, the number of successive axes in a group outside of which it does not: the cosine is the
        same for any two axes of different groups. 0: there are no such groups, and all pairs of rows are gone through.
    norms : ``"chi"``: chi with d degrees of freedom, so that each row is N(0, I_d); ``"fixed"``: sqrt(d).
    marginal : True if each row by itself has a uniform direction and this norm; False for fast rotations.
    angles : True if every block has the angles given by ``cosine``; False if they vary from draw to draw.
    pairs_unknown : why the law of two rows does not follow from this declaration; empty if it does. It does not if
        angles vary, directions are not uniform or blocks depend on each other.
    blocks : True if blocks are independent.
    base : if the coordinates of rows are quantiles of a quasi-random sequence, a function of j = 0, 1, ... that gives
        the base b of coordinate j: of b^k successive points, from a multiple of b^k on, each lies in another interval
        of the length b^-k.
    min_dim : the smallest dimension.
    aliases : other names.

    Examples
    --------
    >>> mirrored = Coupling("mirrored", "rows and their negatives", "ours", (Rows(D), Rows(D, sign=-1)))
    >>> sorted((relation.name, count) for relation, count in mirrored.pairs(3, 5).items())
    [('opposite, shared norms', 2), ('orthogonal', 8)]
    """

    name: str
    says: str
    source: str
    rows: tuple[Rows, ...] | RowsByRelation = FRAME
    cosine: Cosine | Callable[[int, int, int], Cosine | None] | None = 0
    group: int = 0
    norms: Literal["chi", "fixed"] = "chi"
    marginal: bool = True
    angles: bool = True
    pairs_unknown: str = ""
    blocks: bool = True
    base: Callable[[int], int] | None = None
    min_dim: int = 1
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        need("name of a coupling", self.name, str, "text")
        for word in ("says", "source"):
            need(f"{word} of {self.name}", getattr(self, word), str, "text", hint="rows=... are the rows")
        hint = f"the number of norms is an argument of @{self.name.upper()}.sampler(norms=...)"
        need(f"norms of {self.name}", self.norms, ("chi", "fixed"), "chi or fixed, the law of the norms",
             hint=hint if callable(self.norms) else "")  # fmt: skip
        checked_integer(f"group of {self.name}", self.group, 0)
        checked_integer(f"min_dim of {self.name}", self.min_dim, 1)
        for word in ("marginal", "angles", "blocks"):
            need(f"{word} of {self.name}", getattr(self, word), bool, "True or False")
        if not (self.base is None or callable(self.base)):
            raise InvalidInput(
                f"base of {self.name}", needs="a function of the number of a coordinate", got=self.base
            )
        need(f"aliases of {self.name}", self.aliases, (tuple, list), "names, as a tuple")
        object.__setattr__(self, "aliases", items(f"aliases of {self.name}", self.aliases, str, "names"))
        if not isinstance(self.rows, RowsByRelation):
            object.__setattr__(self, "rows", _rows(self.name, self.rows))
        if self.equal_angles and self.cosine is not None:
            object.__setattr__(self, "cosine", _expression_of_d(f"cosine of {self.name}", self.cosine))
        object.__setattr__(self, "pairs_unknown", self.pairs_unknown or self._why_unknown())
        object.__setattr__(self, "_around", self._names_around())

    def _why_unknown(self) -> str:
        """What leaves the law of two rows open; empty if nothing does."""
        if not self.blocks:
            return "its blocks depend on each other"
        if not self.angles:
            return "its angles vary from draw to draw"
        return "" if self.marginal else "its rows have no uniform directions"

    @property
    def equal_angles(self) -> bool:
        """Whether the cosine is the same for any two axes."""
        return not callable(self.cosine)

    def _names_around(self) -> dict[str, Any]:
        """What names stand for that the functions of the declaration look up each time that they run."""
        relation = self.rows.relation if isinstance(self.rows, RowsByRelation) else self.cosine
        if not isinstance(relation, FunctionType):
            return {}
        found = getclosurevars(relation)
        return {**found.globals, **found.nonlocals}

    def _require_unchanged(self) -> None:
        """Refuse a function that was declared in a loop, where a name stood for something else than now."""
        now = self._names_around()
        for name, value in vars(self).get("_around", {}).items():  # none after unpickling
            if now.get(name) is not value:
                raise InvalidInput(
                    f"functions of {self.name}", needs="names that stand for the same as when it was declared",
                    got=f"another {name}", hint=f"in a loop, keep the value: lambda i, j, d, {name}={name}: ...",
                )  # fmt: skip

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_around"}

    def listed(self, d: int) -> list[Row]:
        """The rows of a whole block as declared, not checked; see `block`."""
        return self.rows.placed(d)[0] if isinstance(self.rows, RowsByRelation) else listed(self.rows, d)

    def block(self, d: int) -> tuple[Row, ...]:
        """The rows of a whole block in dimension d.

        Raises
        ------
        OutsideDomain : a dimension in which the coupling does not exist.
        InvalidInput : the declaration gives something other than rows.
        """
        if d < self.min_dim:
            raise OutsideDomain(self.name, needs=f"d >= {self.min_dim}", got=d)
        self._require_unchanged()
        return _block(self, d)

    def size(self, d: int) -> int:
        """Rows of a block in dimension d."""
        return len(self.block(d))

    def cosine_of(self, one: int, other: int, d: int) -> Cosine | None:
        """The cosine between two axes in dimension d; None if they are independent.

        Examples
        --------
        >>> Coupling("simplex", "", "", cosine=-1 / (D - 1), min_dim=2).cosine_of(0, 1, 5)
        Fraction(-1, 4)
        """
        if callable(self.cosine):
            return self.cosine(one, other, d)
        return None if self.cosine is None else _number(self.cosine, d)

    def relation(self, one: Row, other: Row, d: int) -> Relation:
        """The relation between two different rows of a block."""
        if one.axis == other.axis:
            cosine: Cosine | None = one.sign * other.sign
        else:
            cosine = _signed(self.cosine_of(one.axis, other.axis, d), one.sign * other.sign)
        return Relation(cosine, self._norm_relation(one, other))

    def _norm_relation(self, one: Row, other: Row) -> NormRelation:
        if self.norms == "fixed":
            return "fixed"
        if one.norm != other.norm:
            return "independent"
        return "shared" if one.reflected == other.reflected else "antimonotone"

    def pairs(self, d: int, m: int) -> Counter[Relation]:
        """How many unordered pairs among m rows, in whole blocks and a partial last one, have each relation.

        Independent pairs are not counted, whether they lie in different blocks or in the same one.

        Examples
        --------
        >>> from rftheory.spec import find_coupling
        >>> dict(find_coupling("orthogonal").pairs(4, 10))
        {Relation(cosine=0, norms='independent'): 13}
        """
        block = self.block(d)
        full, rest = divmod(checked_integer("m", m, 0), len(block))
        total: Counter[Relation] = Counter()
        for rows, times in ((len(block), full), (rest, 1)):
            for relation, count in _pairs_of(self, d, rows).items() if times else ():
                total[relation] += count * times
        return total

    def group_of(self, axis: int) -> int:
        """The number of the group of an axis: the axis itself if all angles are equal, and 0 if nothing is known."""
        return axis if self.equal_angles else axis // self.group if self.group else 0

    def _near(self, rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
        """The pairs of rows in one group or with one norm."""
        groups, norms = defaultdict(list), defaultdict(list)
        for row in rows:
            groups[self.group_of(row.axis)].append(row)
            norms[row.norm].append(row)
        for group in groups.values():
            yield from combinations(group, 2)
        for shared in norms.values():
            for one, other in combinations(shared, 2):
                if self.group_of(one.axis) != self.group_of(other.axis):
                    yield one, other


@lru_cache(maxsize=4096)
def _pairs_of(coupling: Coupling, d: int, m: int) -> Counter[Relation]:
    """Count the pairs among the first m rows of a block; all but those near each other have one angle, up to sign."""
    rows = coupling.block(d)[:m]
    plus = sum(row.sign > 0 for row in rows)
    left = {1: math.comb(plus, 2) + math.comb(len(rows) - plus, 2), -1: plus * (len(rows) - plus)}
    found: Counter[Relation] = Counter()
    for one, other in coupling._near(rows):
        found[coupling.relation(one, other, d)] += 1
        left[one.sign * other.sign] -= 1
    first = {coupling.group_of(row.axis): row.axis for row in reversed(rows)}  # the first axis of each group
    if len(first) > 1:
        *_, other_axis, one_axis = first.values()
        norms: NormRelation = "fixed" if coupling.norms == "fixed" else "independent"
        for sign, count in left.items():
            found[Relation(_signed(coupling.cosine_of(one_axis, other_axis, d), sign), norms)] += count
    for norms in ("independent", "fixed"):
        found.pop(Relation(None, norms), None)
    return +found


def _signed(cosine: Cosine | None, sign: int) -> Cosine | None:
    if cosine is None or sign > 0:
        return cosine
    return -cosine


@lru_cache(maxsize=64)
def _block(coupling: Coupling, d: int) -> tuple[Row, ...]:
    return checked_rows(coupling, d)


def _rows(name: str, given: Any) -> tuple[Rows, ...]:
    """One `Rows` or several as a tuple."""
    found = (given,) if isinstance(given, Rows) else given
    if not isinstance(found, tuple | list) or not found or not all(isinstance(one, Rows) for one in found):
        hint = "Rows(d), Rows(d, sign=-1) are a frame and its negative; or give their number, and relation="
        raise InvalidInput(
            f"rows of {name}", needs="Rows(count, ...), or a list of such", got=given, hint=hint
        )
    return tuple(found)


def _expression_of_d(subject: str, given: Any) -> sympy.Expr:
    needs = "an exact number, an expression in the d of rftheory.author, or a function of i, j and d"
    found = exact_in(subject, given, {D}, needs)
    if not found.free_symbols and not found.is_extended_real:
        raise InvalidInput(subject, needs=needs, got=given)
    return found


@lru_cache(maxsize=1024)
def _number(form: sympy.Expr, d: int) -> Cosine:
    """The value of an expression in d as an int or a Fraction, or if it is irrational, as an expression."""
    found = form.xreplace({D: sympy.Integer(d)})
    if found.is_Integer:
        return int(found)
    return Fraction(int(found.p), int(found.q)) if found.is_Rational else found
