"""Where a statement is made: its variables with their ends, and the relations between them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy

from rftheory.errors import InvalidInput
from rftheory.statement.atoms import OfLaw
from rftheory.statement.words import Claim, atoms_of, claimed, in_words

Values = Mapping[sympy.Symbol, sympy.Expr]


@dataclass(frozen=True)
class Span:
    """The range of one variable; ``low_open`` and ``high_open`` say that an end is left out.

    Examples
    --------
    >>> print(Span(sympy.S.Zero, sympy.oo, low_open=True).text("v"))
    v > 0
    """

    low: sympy.Expr
    high: sympy.Expr
    low_open: bool = False
    high_open: bool = False
    integer: bool = False

    def contains(self, value: sympy.Expr) -> bool:
        """Whether an exact number lies in it."""
        if self.integer and not value.is_integer:
            return False
        below = value > self.low if self.low_open else value >= self.low
        above = value < self.high if self.high_open else value <= self.high
        return bool(below) and bool(above)

    def text(self, name: str) -> str:
        """In words."""
        parts = []
        if self.low == self.high:
            return f"{name} = {self.low}"
        if self.low != -sympy.oo:
            parts.append(f"{name} {'>' if self.low_open else '>='} {self.low}")
        if self.high != sympy.oo:
            parts.append(f"{name} {'<' if self.high_open else '<='} {self.high}")
        return ", ".join(parts) or f"every real {name}"


@dataclass(frozen=True)
class Domain:
    """The variables of a statement, each with its range, and what relates them.

    Attributes
    ----------
    spans : range of each variable.
    relations : between several variables.
    fixed : variables that are expressions in others, from ``equal(m, 2 * d)``.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, orthogonal, v
    >>> print(Domain.of(conformity(orthogonal) > 1, (d >= 2, v > 0)))
    d >= 2, v > 0
    """

    spans: Mapping[sympy.Symbol, Span]
    relations: tuple[sympy.Basic, ...] = ()
    fixed: tuple[tuple[sympy.Symbol, sympy.Expr], ...] = ()

    @classmethod
    def of(cls, claim: Claim, over: Iterable[object]) -> Domain:
        """From what is given; the rest is where everything that the claim names exists.

        Raises
        ------
        InvalidInput : a condition that is no relation between variables and numbers.
        """
        conditions: list[sympy.Basic] = []
        for condition in (over,) if isinstance(over, Claim | sympy.Basic | bool) else over:
            if condition in (True, sympy.true):
                continue  # such as d >= 1, which sympy knows
            conditions += claimed(condition).parts
        fixed = tuple((c.lhs, c.rhs) for c in conditions if isinstance(c, sympy.Eq))
        for symbol, value in fixed:
            if not symbol.is_Symbol or value.has(symbol):
                raise InvalidInput("over", needs="equal(variable, expression)", got=f"{symbol} = {value}")
        parts = [part.subs(fixed) if hasattr(part, "subs") else part for part in claim.parts]
        rest = [c.subs(fixed) for c in conditions if not isinstance(c, sympy.Eq)]
        named = {s for part in (*parts, *rest) for s in part.free_symbols if isinstance(s, sympy.Symbol)}
        bound = {
            a.args[1]
            for part in parts
            for a in sympy.preorder_traversal(part)
            if type(a).__name__ == "LimitOf"
        }
        spans = {s: _natural(s) for s in sorted(named | bound, key=lambda s: s.name)}
        relations = []
        for condition in rest:
            if condition in (True, sympy.true):
                continue
            if condition in (False, sympy.false):
                raise InvalidInput("over", needs="a condition that something satisfies", got=str(condition))
            if len(condition.free_symbols) == 1 and condition.canonical.lhs.is_Symbol:
                (symbol,) = condition.free_symbols
                spans[symbol] = _cut(spans[symbol], condition.canonical)
            else:
                relations.append(condition)
        return cls(_where_laws_exist(spans, parts, relations), tuple(relations), fixed)

    def __str__(self) -> str:
        own = [span.text(s.name) for s, span in self.spans.items()]
        own += [in_words(r) for r in self.relations] + [f"{s} = {e}" for s, e in self.fixed]
        return ", ".join(own) or "no variables"

    @property
    def symbols(self) -> tuple[sympy.Symbol, ...]:
        """The variables, integers first."""
        return tuple(sorted(self.spans, key=lambda s: (not self.spans[s].integer, s.name)))

    @property
    def cases(self) -> list[dict[sympy.Symbol, sympy.Expr]] | None:
        """All points, where they are at most 1000 and all variables are integers; else None."""
        spans = [self.spans[s] for s in self.symbols]
        if not all(s.low == s.high or (s.integer and s.high != sympy.oo) for s in spans):
            return None
        ranges = [_whole(s) if s.integer else [s.low] for s in spans]
        if sympy.prod([len(r) for r in ranges]) > 1000:
            return None
        points = (dict(zip(self.symbols, p, strict=True)) for p in itertools.product(*ranges))
        return [p for p in points if self.contains(p)]

    def contains(self, values: Values) -> bool:
        """Whether a point lies in it."""
        inside = all(span.contains(values[s]) for s, span in self.spans.items())
        return inside and all(r.subs(values) in (True, sympy.true) for r in self.relations)

    def with_span(self, symbol: sympy.Symbol, span: Span) -> Domain:
        """With another range of a variable."""
        return Domain({**self.spans, symbol: span}, self.relations, self.fixed)


def _natural(symbol: sympy.Symbol) -> Span:
    if symbol.is_integer:
        return Span(sympy.S.One if symbol.is_positive else sympy.S.Zero, sympy.oo, integer=True)
    if symbol.is_positive:
        return Span(sympy.S.Zero, sympy.oo, low_open=True)
    return Span(sympy.S.Zero if symbol.is_nonnegative else -sympy.oo, sympy.oo)


def _cut(span: Span, condition: sympy.Basic) -> Span:
    """The part of a range in which variable <, <=, >, >= number."""
    bound, integer = condition.rhs, span.integer
    strict = isinstance(condition, sympy.StrictLessThan | sympy.StrictGreaterThan)
    if not bound.is_number or isinstance(condition, sympy.Ne):
        raise InvalidInput(
            "over", needs="variables compared with numbers or with variables", got=str(condition)
        )
    if isinstance(condition, sympy.LessThan | sympy.StrictLessThan):
        high = (sympy.ceiling(bound) - 1 if strict else sympy.floor(bound)) if integer else bound
        if high < span.high or (high == span.high and strict):
            return Span(span.low, high, span.low_open, strict and not integer, integer)
        return span
    low = (sympy.floor(bound) + 1 if strict else sympy.ceiling(bound)) if integer else bound
    if low > span.low or (low == span.low and strict):
        return Span(low, span.high, strict and not integer, span.high_open, integer)
    return span


def _where_laws_exist(
    spans: dict[sympy.Symbol, Span], parts: Sequence[sympy.Basic], relations: list[sympy.Basic]
) -> dict[sympy.Symbol, Span]:
    """Least dimensions of couplings, and two rows where pairs are averaged over."""
    found = dict(spans)
    for atom in sorted(atoms_of(parts), key=str):
        dimension, rows = atom.numbers[:2]
        least = atom.coupling.min_dim
        _require_rows(atom, rows)
        if dimension in found:
            found[dimension] = _cut(found[dimension], sympy.GreaterThan(dimension, least, evaluate=False))
        if atom.words[0] != "conformity":
            continue
        if rows in found:
            found[rows] = _cut(found[rows], sympy.GreaterThan(rows, 2, evaluate=False))
        elif rows.free_symbols == {dimension} and dimension in found and rows.subs(dimension, 1) < 2:
            relations.append(sympy.GreaterThan(rows, 2, evaluate=False))
            if rows == dimension:
                relations.pop()
                found[dimension] = _cut(found[dimension], sympy.GreaterThan(dimension, 2, evaluate=False))
    return found


def _require_rows(atom: OfLaw, rows: sympy.Expr) -> None:
    """Refuse a number of rows that is none: a fraction, or below 1 in all small dimensions."""
    values = [rows.xreplace({s: sympy.Integer(n) for s in rows.free_symbols}) for n in (1, 2, 3, 8, 64)]
    if any(not x.is_integer for x in values if x.is_number) or all(x < 1 for x in values if x.is_number):
        raise InvalidInput(f"m of {atom}", needs="a whole number of rows, 1 at least", got=str(rows))


def _whole(span: Span) -> list[sympy.Expr]:
    low, high = sympy.ceiling(span.low), sympy.floor(span.high)
    return [sympy.Integer(n) for n in range(int(low), int(min(high, low + 1000)) + 1)]


# ---- points, the simplest and the corners first ------------------------------------------------------

_INTEGERS = (1, 2, 3, 4, 5, 7, 8, 12, 16, 33, 64)
_REALS = (
    sympy.S.Half,
    1,
    sympy.Rational(1, 8),
    2,
    sympy.Rational(1, 1000),
    4,
    3,
    sympy.Rational(3, 2),
    0,
    6,
    9,
)


def points(domain: Domain, most: int = 400) -> Iterator[dict[sympy.Symbol, sympy.Expr]]:
    """Points of a domain: corners and simple numbers, roughly by size; at most so many.

    Integers are small, odd, even and large; numbers of rows lie below, at and beyond multiples of the dimension; real
    variables are tiny, around 1, around sqrt(d), and large; ends that belong to the range are among them.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, orthogonal, v
    >>> [str(p) for p in points(Domain.of(conformity(orthogonal) > 1, (v > 0,)), most=2)]
    ['{d: 2, v: 1/2}', '{d: 2, v: 1}']
    """
    for number, (_, values) in enumerate(_ranked(domain)):
        if number == most:
            return
        yield values


def corners(domain: Domain, most: int = 400) -> Iterator[dict[sympy.Symbol, sympy.Expr]]:
    """The same points, those first at which one variable alone is not the simplest: so each meets its extremes early.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, orthogonal, v
    >>> found = list(corners(Domain.of(conformity(orthogonal) > 1, (v > 0,)), most=24))
    >>> [max(p[s] for p in found) for s in sorted(found[0], key=str)]
    [64, 9]
    """
    for number, (_, values) in enumerate(_ranked(domain, corners_first=True)):
        if number == most:
            return
        yield values


Ranked = tuple[tuple[int, ...], dict[sympy.Symbol, sympy.Expr]]


def _ranked(domain: Domain, corners_first: bool = False) -> Iterator[Ranked]:
    """All combinations of candidates, by the sum of their places; made as they are asked for, there are millions."""
    candidates = [_candidates(s, domain) for s in domain.symbols]
    sizes = [len(found) for found in candidates]
    for ranks in _corner_ranks(sizes) if corners_first else _ranks(sizes):
        choice = zip(domain.symbols, candidates, ranks, strict=True)
        full = _completed({s: found[rank][1] for s, found, rank in choice})
        if full is not None and domain.contains(full):
            yield ranks, full


def _ranks(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All tuples of places, by their sum, then by the largest."""
    for total in range(sum(sizes) - len(sizes) + 1):
        yield from sorted(_with_sum(sizes, total), key=lambda ranks: (max(ranks, default=0), ranks))


def _with_sum(sizes: Sequence[int], total: int) -> Iterator[tuple[int, ...]]:
    if not sizes:
        if total == 0:
            yield ()
        return
    room = sum(sizes[1:]) - len(sizes) + 1
    for first in range(max(0, total - room), min(sizes[0] - 1, total) + 1):
        yield from ((first, *rest) for rest in _with_sum(sizes[1:], total - first))


def _corner_ranks(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The same, those first of which one alone is not 0."""
    if not all(sizes):
        return
    origin = (0,) * len(sizes)
    yield origin
    single = [
        (*origin[:i], rank, *origin[i + 1 :]) for i, size in enumerate(sizes) for rank in range(1, size)
    ]
    yield from sorted(single, key=lambda ranks: (sum(ranks), ranks))
    yield from (ranks for ranks in _ranks(sizes) if sum(rank > 0 for rank in ranks) > 1)


def _candidates(symbol: sympy.Symbol, domain: Domain) -> list[tuple[int, sympy.Expr]]:
    span, found = domain.spans[symbol], []  # type: Span, list[sympy.Expr]
    if span.integer:
        found = [sympy.Integer(n) for n in _INTEGERS]
        found += [span.low + n for n in range(4)] + ([span.high] if span.high.is_finite else [])
        if symbol.name == "m":
            dim = next((s for s in domain.spans if s.name == "d"), None)
            found += [] if dim is None else [dim - 1, dim, dim + 1, 2 * dim, 2 * dim + 1, 3 * dim - 1]
    else:
        found = [sympy.sympify(n, strict=True) for n in _REALS]
        found += [end for end in (span.low, span.high) if end.is_finite]
        if span.low.is_finite and span.high.is_finite:
            found += [span.low + (span.high - span.low) * sympy.Rational(n, 8) for n in range(1, 8)]
        elif span.low.is_finite and span.low > 0:
            found += [span.low + number for number in (sympy.Rational(1, 100), 1, 4)]
        dim = next((s for s in domain.spans if s.name == "d"), None)
        found += [] if dim is None else [sympy.sqrt(dim), 2 * sympy.sqrt(dim)]
        if not symbol.is_nonnegative:
            found += [-n for n in found]
    kept = dict.fromkeys(n for n in found if n.free_symbols or span.contains(n))
    return list(enumerate(kept))


def _completed(values: dict[sympy.Symbol, sympy.Expr]) -> dict[sympy.Symbol, sympy.Expr] | None:
    """Values that are expressions in other variables, such as m = 2 d, as numbers."""
    found = dict(values)
    for symbol, value in values.items():
        if value.free_symbols:
            found[symbol] = value.subs(values)
            if found[symbol].free_symbols:
                return None
    return found
