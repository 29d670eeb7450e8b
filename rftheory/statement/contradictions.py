"""Contradictions between statements: orderings and equalities from several sources, combined and compared.

Every relation is taken at points, its own and those of the others. At a point it gives an edge between two expressions
without variables: one is less than, or at most, the other. Enclosures of the expressions give edges too. A circle of
edges with a strict one is a contradiction: its statements cannot all be true, even if no side can be evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count, pairwise, product

import sympy
from flint import arb, ctx
from sympy import S

from rftheory.errors import RFTheoryError
from rftheory.exact.limits import cpu_limit
from rftheory.exact.substitution import with_values
from rftheory.exact.truth import SIGNS
from rftheory.statement.atoms import FormulaOf, Growth, OfLaw
from rftheory.statement.domain import Domain, Span, corners, natural_span, points
from rftheory.statement.evidence import Check
from rftheory.statement.evidence.relation import Point, sides_of
from rftheory.statement.pointwise import ball, in_point
from rftheory.statement.statement import Statement
from rftheory.statement.words import Direction, LimitOf

BITS = 120
ACCURATE = 30
"""Bits that an enclosure must prove: a wide one is not worth an edge."""
CORNERS = 8
"""How many points a statement contributes from its corners, and from its simplest points."""


@dataclass(frozen=True)
class Said:
    """A stated relation.

    Attributes
    ----------
    id : id of the claim.
    relation : a relation of sympy, a `Direction`, or something that cannot be taken at points.
    domain : where it is stated; None if only at its points.
    points : its own points.
    refuted : whether the statement is that it does not hold on all of the domain.

    Examples
    --------
    >>> d = sympy.Symbol("d")
    >>> Said("a", d < 2, None, ({"d": sympy.Integer(1)},)).refuted
    False
    """

    id: str
    relation: sympy.Basic
    domain: Domain | None
    points: tuple[Point, ...]
    refuted: bool = False


@dataclass(frozen=True)
class Link:
    """One expression is at most another, or less; ``by`` is the statement that says so, empty for enclosures.

    Examples
    --------
    >>> print(Link(sympy.Integer(1), sympy.Integer(2), True))
    enclosures: 1 < 2
    """

    low: sympy.Basic
    high: sympy.Basic
    strict: bool
    by: str = ""
    at: str = ""

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at not in ("", "everywhere") else ""
        return f"{self.by or 'enclosures'}{where}: {self.low} {'<' if self.strict else '<='} {self.high}"


@dataclass(frozen=True)
class Contradiction:
    """Statements that cannot all be true: a circle of links, or two claims of which one denies the other.

    Examples
    --------
    >>> one, two = sympy.Integer(1), sympy.Integer(2)
    >>> print(Contradiction((Link(two, one, False, "n.a"), Link(one, two, True))))
    n.a: 2 <= 1
    enclosures: 1 < 2
    """

    links: tuple[Link, ...]
    says: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the statements involved."""
        return tuple(sorted({link.by for link in self.links if link.by}))

    def __str__(self) -> str:
        return self.says or "\n".join(map(str, self.links))


# ---- statements -------------------------------------------------------------------------------------


def of_statement(statement: Statement, *, refuted: bool = False) -> list[Said]:
    """The parts of a statement, with corners and simple points of its domain.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> claim = claimed(d > 1)
    >>> [str(said.relation) for said in of_statement(Statement("n.d", "", claim, Domain.of(claim, ())))]
    ['d > 1']
    """
    found = [*corners(statement.domain, CORNERS), *points(statement.domain, CORNERS)]
    own = tuple({str(p): {s.name: x for s, x in p.items()} for p in found}.values())
    return [
        Said(statement.id, way, _of_free_symbols(statement.domain, part), own, refuted)
        for part in statement.parts
        for way in _from_each_side(part, statement.domain, refuted)
    ]


def _from_each_side(part: sympy.Basic, domain: Domain, refuted: bool) -> Iterator[sympy.Basic]:
    """What a relation of limits at numbers says of those from above and below, as far as its domain reaches there.

    Over x > 0 the limit of |x|/x at 0 is another one than over x < 0. One from both sides is each of them, and is
    refuted as a whole. Nothing is said of a limit whose sides depend on other variables.
    """
    limits = [limit for limit in part.atoms(LimitOf) if limit.args[2].is_finite]
    places = [limit.args for limit in limits]
    if any(to.free_symbols or any(r.has(s) for r in domain.relations) for _, s, to in places):
        return
    ways = [
        [LimitOf(side, s, sympy.Symbol(f"{to}{sign}")) for sign, end in ends if end != to]
        for side, s, to in places
        for span in [domain.spans.get(s) or natural_span(s)]
        for ends in [(("+", span.high), ("-", span.low))]
    ]
    if all(len(sides) > 1 for sides in ways):
        yield part
    if limits and not (refuted and any(len(sides) > 1 for sides in ways)):
        yield from (part.xreplace(dict(zip(limits, sides, strict=True))) for sides in product(*ways))


def _of_free_symbols(domain: Domain, part: sympy.Basic) -> Domain:
    """The domain without the variables in which limits are taken, since they have no value."""
    bound = {limit.args[1] for limit in part.atoms(LimitOf)}
    spans = {s: span for s, span in domain.spans.items() if s not in bound}
    return Domain(spans, tuple(r for r in domain.relations if not r.free_symbols & bound), domain.fixed)


def of_checks(identifier: str, checks: Iterable[Check], *, refuted: bool = False) -> list[Said]:
    """The relations behind evidence given by hand; for a claim that fails, only at their points.

    Examples
    --------
    >>> from rftheory.statement.evidence import Identity
    >>> d = sympy.Symbol("d")
    >>> [str(said.relation) for said in of_checks("n.a", (Identity("less", d, d + 1, ({"d": 1},), "<"),))]
    ['d < d + 1']
    """
    found = filter(None, map(sides_of, checks))
    return [
        Said(identifier, sympy.true if refuted else sides.relation, sides.domain, sides.points)
        for sides in found
    ]


# ---- relations at points ------------------------------------------------------------------------------


def links_of(said: Said, others: Iterable[Point] = (), most: int = 12) -> list[Link]:
    """What a relation says at its own points, and at others' points in its domain.

    Examples
    --------
    >>> d = sympy.Symbol("d")
    >>> print(*links_of(Said("n.a", d <= 2 * d, None, ({"d": sympy.Integer(3)},))))
    n.a at d = 3: 3 <= 6
    """
    if said.refuted or type(said.relation) not in (Direction, *SIGNS) or said.relation.atoms(Growth):
        return []
    symbols = _symbols(said)
    wanted = {s.name: s for s in symbols}
    found: dict[str, dict[sympy.Symbol, sympy.Expr]] = {}
    for point in (*said.points, *(others if said.domain is not None else ())):
        values = {wanted[n]: x for n, x in point.items() if n in wanted}
        if len(values) < len(wanted) or (said.domain is not None and not _inside(said.domain, values)):
            continue
        found.setdefault(str(values), values)
        if len(found) >= most + len(said.points):
            break
    return [link for values in found.values() for link in _at(said, values)]


def _symbols(said: Said) -> tuple[sympy.Symbol, ...]:
    if said.domain is not None:
        return said.domain.symbols
    return tuple(said.relation.free_symbols)


def _inside(domain: Domain | None, values: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
    try:
        return domain is not None and domain.contains(values)
    except TypeError:  # a complex value
        return False


def _at(said: Said, values: Mapping[sympy.Symbol, sympy.Expr]) -> list[Link]:
    """None where a side has no value, as the count of a program that does not run, or 0 / 0."""
    try:
        return [
            link for link in _links_at(said, values) if not {link.low, link.high} & {sympy.nan, sympy.zoo}
        ]
    except RFTheoryError:
        return []


def _links_at(said: Said, values: Mapping[sympy.Symbol, sympy.Expr]) -> Iterator[Link]:
    relation, where = said.relation, in_point(values)
    if isinstance(relation, Direction):
        side, variable, sign = relation.args
        later = {**values, variable: values[variable] + (1 if variable.is_integer else sympy.Rational(1, 4))}
        if _inside(said.domain, later):
            one, other = (with_values(side, v) for v in (values, later))
            yield Link(*((one, other) if sign == 1 else (other, one)), True, said.id, where)
        return
    left, right = (with_values(side, values) for side in relation.args)
    sign = SIGNS[type(relation)]
    if sign in ("<", "<=", "="):
        yield Link(left, right, sign == "<", said.id, where)
    if sign in (">", ">=", "="):
        yield Link(right, left, sign == ">", said.id, where)


def by_shifts(expressions: Iterable[sympy.Basic]) -> Iterator[Link]:
    """Links between expressions that differ by a number; not of limits, which may be infinite.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> [str(link) for link in by_shifts((x + 1, x))]
    ['enclosures: x < x + 1']
    """
    found: dict[sympy.Basic, list[tuple[sympy.Expr, sympy.Basic]]] = {}
    for expression in expressions:
        number, rest = expression.as_coeff_Add()
        if rest != 0 and not rest.has(LimitOf, S.Infinity, S.NegativeInfinity):
            found.setdefault(rest, []).append((number, expression))
    for group in found.values():
        group.sort(key=lambda pair: pair[0])
        yield from (Link(one, other, True) for (_, one), (_, other) in pairwise(group))


def enclosed(expressions: Iterable[sympy.Basic], seconds: float = 2.0) -> dict[sympy.Basic, arb]:
    """The expressions that have an accurate enclosure within so many seconds, with it.

    Examples
    --------
    >>> enclosed((sympy.Integer(1), sympy.Symbol("x")))
    {1: 1.00000000000000}
    """
    return {e: value for e in expressions if (value := _value(e, seconds)) is not None}


def _value(expression: sympy.Basic, seconds: float) -> arb | None:
    try:
        with cpu_limit(seconds, "enclosure", "a value"), ctx.workprec(BITS):
            found = ball(expression, {})
    except (RFTheoryError, ZeroDivisionError, ValueError, TypeError, OverflowError):
        return None
    return found if found.is_exact() or found.rel_accuracy_bits() >= ACCURATE else None


# ---- circles -----------------------------------------------------------------------------------------


def contradictions(
    mine: Sequence[Said], others: Sequence[Said] = (), *, most: int = 12, seconds: float = 2.0,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Contradiction]:  # fmt: skip
    """Contradictions among my statements, and between mine and others.

    Parameters
    ----------
    mine : taken at their own points and at everyone's.
    others : taken at my points, if they share quantities with mine, directly or through each other.
    most : how many points of others a statement is taken at.
    seconds : time for each enclosure.
    progress : called with the id of a finished statement, the number of finished ones, and the total.

    Examples
    --------
    >>> from rftheory.author import conformity, d, oo, limit, orthogonal, simplex, v
    >>> def state(label, claim):
    ...     return of_statement(Statement(label, "", claim, Domain.of(claim, ())))
    >>> rho = limit(conformity(orthogonal), d, oo)
    >>> found = contradictions(state("n.one", rho == 1 + v**2), state("n.two", rho == 1 + v))
    >>> found[0].ids
    ('n.one', 'n.two')
    """
    others = _related(mine, others)
    everywhere = _spread(said.points for said in (*mine, *others))
    at_mine = _spread(said.points for said in mine)
    links: list[Link] = []
    tasks = [(s, everywhere) for s in mine] + [(replace(s, points=()), at_mine) for s in others]
    for number, (said, places) in enumerate(tasks, 1):
        links += links_of(said, places, most)
        if progress is not None:
            progress(said.id, number, len(tasks))
    nodes = dict.fromkeys(e for link in links for e in (link.low, link.high))
    values = enclosed(nodes, seconds)
    return [*_denied((*mine, *others)), *_circles((*links, *by_shifts(nodes)), values)]


def _is_false(link: Link, values: Mapping[sympy.Basic, arb]) -> bool:
    """Whether enclosures refute a link."""
    low, high = values.get(link.low), values.get(link.high)
    if low is None or high is None:
        return False
    return bool(low > high) or bool(link.strict and low >= high)


def _spread(owned: Iterable[Sequence[Point]]) -> list[Point]:
    """The points of all in turn: all first points before all second points, each only once."""
    rows = [list(own) for own in owned]
    found: dict[str, Point] = {}
    for number in range(max(map(len, rows), default=0)):
        for row in rows:
            if number < len(row):
                found.setdefault(str(sorted(row[number].items())), row[number])
    return list(found.values())


def _related(mine: Sequence[Said], others: Sequence[Said]) -> list[Said]:
    """The others that share a quantity with mine, directly or through each other."""
    known: set[object] = {quantity for said in mine for quantity in _quantities(said)}
    left, kept = [(said, _quantities(said)) for said in others], []
    while found := [said for said, own in left if own & known]:
        kept += found
        known |= {quantity for said, own in left if own & known for quantity in own}
        left = [(said, own) for said, own in left if not any(said is one for one in found)]
    return kept


def _quantities(said: Said) -> set[object]:
    laws = {atom.words for atom in said.relation.atoms(OfLaw)}
    return {*laws, *(atom.args[0] for atom in said.relation.atoms(FormulaOf))}


def _denied(everything: Sequence[Said]) -> Iterator[Contradiction]:
    """Statements that are said to fail, and also said to hold on their domain or on more."""
    for no in (said for said in everything if said.refuted and said.domain is not None):
        if sum(said.id == no.id and said.refuted for said in everything) > 1:
            continue  # if one of several parts fails, it is unknown which
        for yes in everything:
            if not yes.refuted and yes.relation == no.relation and _within(no.domain, yes.domain):
                says = f"{no.id} fails, {yes.id} holds: {no.relation} for {no.domain}"
                left, right = no.relation.args[:2]
                yield Contradiction((Link(left, right, False, no.id), Link(left, right, False, yes.id)), says)


def _within(inner: Domain | None, outer: Domain | None) -> bool:
    if inner is None or outer is None or not set(outer.relations) <= set(inner.relations):
        return False
    everywhere = Span(-sympy.oo, sympy.oo)
    own = ((inner.spans.get(symbol, everywhere), span) for symbol, span in outer.spans.items())
    return all(one.range.within(other.range) for one, other in own)


def _circles(links: Sequence[Link], values: Mapping[sympy.Basic, arb]) -> Iterator[Contradiction]:
    """For each smallest set of statements that cannot all be true, the shortest circle; sets of few statements first.

    A path of links says that its start is less than its end, or at most. It is a circle where it returns with a strict
    link, or where enclosures say the contrary. No circle needs enclosures twice: of its parts between them one must
    lead down, and with this part alone there is a circle. Paths are followed by the number of statements they need,
    so that no set comes before a part of it, and then by length. Where the start has no enclosure, only the path that
    begins with the first of its statements is followed: the others are the same circle, begun elsewhere.
    """
    after: dict[sympy.Basic, list[Link]] = {}
    for link in links:
        after.setdefault(link.low, []).append(link)
    names = dict.fromkeys(link.by for link in links if link.by)
    bit = {"": 0, **{name: 1 << number for number, name in enumerate(names)}}  # a set is the sum of its bits
    guilty: list[int] = []
    reached: dict[tuple[sympy.Basic, sympy.Basic, int], list[tuple[int, int, bool]]] = {}
    number = count()
    paths: list[tuple[int, int, int, int, tuple[Link, ...]]] = []

    def follow(used: int, *path: Link) -> None:
        heappush(paths, (used.bit_count(), len(path), next(number), used, path))

    for start in filter(lambda one: _has_circle(one, after, values), after):
        for link in after[start]:
            if link.by or start in values:
                follow(bit[link.by], link)
    while paths:
        _, length, _, used, path = heappop(paths)
        if any(some & used == some for some in guilty):
            continue
        start, end, strict = path[0].low, path[-1].high, any(link.strict for link in path)
        if start == end:
            if strict:
                guilty.append(used)
                yield Contradiction(path)
        elif _is_false(said := Link(start, end, strict), values):
            follow(used, *path, _contrary(said, values))
        elif _goes_on(start, end, values):
            least = 0 if start in values else bit[path[0].by]
            ways = reached.setdefault((start, end, least), [])
            if not any(s & used == s and n <= length and sharp >= strict for s, n, sharp in ways):
                ways.append((used, length, strict))
                for link in after.get(end, ()):
                    if not link.by or bit[link.by] >= least:
                        follow(used | bit[link.by], *path, link)


def _has_circle(
    start: sympy.Basic, after: Mapping[sympy.Basic, Sequence[Link]], values: Mapping[sympy.Basic, arb]
) -> bool:
    """Whether a path from here is a circle; a quick answer, because it does not matter which statements are needed."""
    seen, left = {(start, False)}, [(start, False)]
    while left:
        end, strict = left.pop()
        for link in after.get(end, ()):
            said = Link(start, link.high, strict or link.strict)
            state = (said.high, said.strict)
            if (said.low == said.high and said.strict) or _is_false(said, values):
                return True
            if state not in seen and _goes_on(start, link.high, values):
                seen.add(state)
                left.append(state)
    return False


def _goes_on(start: sympy.Basic, end: sympy.Basic, values: Mapping[sympy.Basic, arb]) -> bool:
    """Whether a path from start to end is of use as a part of a circle.

    A circle starts at the highest of its expressions with enclosures, if any: what leads down from an end that is
    higher is a circle without the path, too.
    """
    low, high = values.get(start), values.get(end)
    return high is None or (low is not None and not high.lower() > low.lower())


def _contrary(link: Link, values: Mapping[sympy.Basic, arb]) -> Link:
    return Link(link.high, link.low, bool(values[link.high] < values[link.low]))
