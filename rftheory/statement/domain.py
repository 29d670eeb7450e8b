"""The domain of a statement: its variables with their ranges, and relations between them."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import sympy

from rftheory.errors import InvalidInput, RFTheoryError
from rftheory.exact.derivative import factor_in
from rftheory.exact.order import ceiling_of, evaluated, floor_of, in_order, is_sound
from rftheory.exact.ranges import WHOLE_LINE, Range, is_real, range_of
from rftheory.exact.roots import roots_in
from rftheory.exact.substitution import with_values
from rftheory.exact.symbols import d, m, v, z
from rftheory.exact.truth import ORDERINGS, STRICT, decided
from rftheory.exact.typeset import SIGNS, typeset
from rftheory.spec.expressions import is_whole
from rftheory.statement.atoms import CountOf, EntryOf, FormulaOf, Growth, OfLaw
from rftheory.statement.averages import GIVEN, AverageOf, seen_through
from rftheory.statement.declared import require_declared
from rftheory.statement.words import (
    Claim,
    Direction,
    ForSome,
    LimitOf,
    atoms_of,
    bound_in,
    claimed,
    in_words,
    substituted,
)

Values = Mapping[sympy.Symbol, sympy.Expr]
Point = dict[sympy.Symbol, sympy.Expr]


@dataclass(frozen=True)
class Span:
    """The range of one variable; ``low_open`` and ``high_open`` exclude an end.

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

    @property
    def is_empty(self) -> bool:
        """Whether the range contains no number."""
        touches = in_order(self.low, self.high, strict=self.low_open or self.high_open)
        return touches is False

    def contains(self, value: sympy.Expr) -> bool:
        """Whether the range contains an exact number."""
        if self.integer and not value.is_integer:
            return False
        above = in_order(self.low, value, strict=self.low_open)
        return above is True and in_order(value, self.high, strict=self.high_open) is True

    @property
    def range(self) -> Range:
        """The ends, for `range_of`."""
        return Range(self.low, self.high, self.low_open, self.high_open)

    @property
    def is_finite(self) -> bool:
        """Whether the range contains finitely many numbers: one point, or integers between two ends."""
        return self.low == self.high or (self.integer and bool((self.high - self.low).is_finite))

    def text(self, name: str) -> str:
        """The range in words."""
        parts = [f"{name} {sign} {end}" for sign, end in self._ends]
        return ", ".join(parts) or f"every {'integer' if self.integer else 'real'} {name}"

    def latex(self, symbol: sympy.Symbol) -> str:
        """The range in words, with formulas in LaTeX between dollars.

        Examples
        --------
        >>> print(Span(sympy.S.Zero, sympy.oo).latex(sympy.Symbol("v")))
        $v \\ge 0$
        """
        name = typeset(symbol)
        parts = [f"${name} {SIGNS.get(sign, sign)} {typeset(end)}$" for sign, end in self._ends]
        return ", ".join(parts) or f"every {'integer' if self.integer else 'real'} ${name}$"

    @property
    def _ends(self) -> list[tuple[str, sympy.Expr]]:
        if self.low == self.high:
            return [("=", self.low)]
        low = [(">" if self.low_open else ">=", self.low)] if self.low != -sympy.oo else []
        return low + ([("<" if self.high_open else "<=", self.high)] if self.high != sympy.oo else [])


NO_VARIABLES = "no variables"
"""The domain of a statement about numbers, in words."""

_BEYOND = sympy.Integer(10) ** 60
_FAR = (_BEYOND, _BEYOND + 1, 3 * _BEYOND / 2, 2 * _BEYOND, _BEYOND**2)
"""Integers beyond every end, in several proportions; a domain without any of them or their negatives is finite."""
_LESS_FAR = (sympy.Integer(1000), sympy.Integer(1001), sympy.Integer(1500), sympy.Integer(2000))
"""The same for exponents: what is raised to such a power lies beyond every end."""


@dataclass(frozen=True)
class Domain:
    """The variables of a statement, each with its range, and the relations between them.

    Attributes
    ----------
    spans : range of each variable.
    relations : relations between several variables.
    fixed : variables given by expressions in others, from ``equal(m, 2 * d)``.
    unchosen : in words, variables that have no range to choose from: sums over values that other variables depend on
        too, complex numbers. With one of them the domain has points, but none is found.
    narrowing : in words, what the conditions allow and the laws do not: they exist on a part of it.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, orthogonal, v
    >>> print(Domain.of(conformity(orthogonal) > 1, (d >= 2, v > 0)))
    d >= 2, v > 0
    >>> Domain.of(conformity(orthogonal) > 1, (d <= 8,)).narrowing
    ('d >= 1, d <= 8 was narrowed to d >= 2, d <= 8, where conformity(orthogonal) exists',)
    """

    spans: Mapping[sympy.Symbol, Span]
    relations: tuple[sympy.Basic, ...] = ()
    fixed: tuple[tuple[sympy.Symbol, sympy.Expr], ...] = ()
    unchosen: tuple[str, ...] = ()
    narrowing: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, claim: Claim, over: Iterable[object]) -> Domain:
        """The domain with these conditions; variables without one take all values for which the claim makes sense.

        Raises
        ------
        InvalidInput : a condition that is not a relation between variables and numbers, or ranges without a point.
        """
        require_declared(claim.parts)
        _require_ranges_of_sums(claim.parts)
        conditions, always = _read(over)
        _require_one_of_a_name((*claim.parts, *conditions))
        for part in (*claim.parts, *conditions):
            if not is_sound(part, unread=True):
                needs = "numbers whose signs are seen; some differ from 0 or from each other by too little"
                raise InvalidInput("statement", needs=needs, got=in_words(part))
        bound = {s for part in claim.parts for s in bound_in(part)}
        _require_free(claim.parts, conditions)
        conditions = _with_equations(conditions, bound)
        fixed = _solved([c for c in conditions if isinstance(c, sympy.Eq)])
        for symbol, value in fixed:
            if symbol in bound:
                needs = f"no fixed value for {symbol}, since the claim lets it vary"
                raise InvalidInput("over", needs=needs, got=f"{symbol} = {value}")
        parts = [substituted(part, fixed) for part in claim.parts]
        rest = [with_values(c, fixed) for c in conditions if not isinstance(c, sympy.Eq)]
        rest += [condition for symbol, value in fixed for condition in _in_natural_range(symbol, value)]
        turned = [law.other[2] for law in atoms_of(parts) if law.other]
        rest += [c for cosine in turned if cosine.free_symbols for c in (cosine >= -1, cosine <= 1)]
        named = {s for part in (*parts, *rest) for s in part.free_symbols if isinstance(s, sympy.Symbol)}
        named |= {s for part in parts if not isinstance(part, ForSome) for s in bound_in(part)}
        spans = {s: natural_span(s) for s in sorted(named, key=lambda s: s.name)}
        for condition in rest:
            if condition in (False, sympy.false):
                raise InvalidInput("over", needs="a condition that can be satisfied", got=str(condition))
        given, relations = _narrowed_again(*narrowed(spans, (c for c in rest if c not in (True, sympy.true))))
        spans, reasons = _where_laws_exist(given, parts, relations)
        conditioned = set(given) if always else {s for c in rest for s in c.free_symbols}
        narrowing = _narrowing(
            given, spans, {n: why for n, why in reasons.items() if n.free_symbols & conditioned}
        )
        spans = _in_tables(spans, parts)
        _require_room(parts, spans)
        for symbol, span in spans.items():
            if span.is_empty:
                needs = f"values of {symbol} that meet all conditions"
                raise InvalidInput("over", needs=needs, got=span.text(symbol.name))
            if in_order(span.low, span.high, strict=True) is False:  # one number, perhaps written in two ways
                spans[symbol] = replace(span, high=span.low)
        return cls(spans, tuple(relations), fixed, narrowing=narrowing)

    def __str__(self) -> str:
        own = [span.text(s.name) for s, span in self.spans.items()]
        own += [in_words(r) for r in self.relations] + [f"{s} = {e}" for s, e in self.fixed]
        own += self.unchosen
        return ", ".join(own) or NO_VARIABLES

    @property
    def latex(self) -> str:
        """The domain in words, with formulas in LaTeX between dollars."""
        own = [span.latex(s) for s, span in self.spans.items()] + [f"${typeset(r)}$" for r in self.relations]
        own += [f"${typeset(s)} = {typeset(e)}$" for s, e in self.fixed]
        own += self.unchosen
        return ", ".join(own) or NO_VARIABLES

    def __hash__(self) -> int:
        return hash((frozenset(self.spans.items()), self.relations, self.fixed))

    @property
    def symbols(self) -> tuple[sympy.Symbol, ...]:
        """The variables, integers first."""
        return tuple(sorted(self.spans, key=lambda s: (not self.spans[s].integer, s.name)))

    @property
    def cases(self) -> list[dict[sympy.Symbol, sympy.Expr]] | None:
        """All points, if there are at most 1000 and all variables are integers; else None."""
        spans = [self.spans[s] for s in self.symbols]
        if not all(s.is_finite for s in spans):
            return None
        ranges = [_whole(s) if s.integer else [s.low] for s in spans]
        if sympy.prod([len(r) for r in ranges]) > 1000:
            return None
        points = (dict(zip(self.symbols, p, strict=True)) for p in itertools.product(*ranges))
        return [p for p in points if self._may_hold(p)]

    def _may_hold(self, point: Values) -> bool:
        """Whether no relation is false at a point; what sympy cannot decide may hold, so that no point is lost."""
        return not any(with_values(r, point) in (sympy.false, False) for r in self.relations)

    @property
    def is_infinite(self) -> bool:
        """Whether it has infinitely many points: a real interval, or integers that no end and no relation bounds.

        Examples
        --------
        >>> from rftheory.statement.words import claimed, d, m
        >>> [Domain.of(claimed(m < 2 * d), over).is_infinite for over in ((), (d <= 8,), (d <= 8, m <= d))]
        [True, True, False]
        """
        free = [s for s in self.symbols if not self.spans[s].is_finite]
        if self.unchosen or not all(self.spans[s].integer for s in free):
            return True
        rest = {s: span for s, span in self.spans.items() if s not in free}
        ends = (
            dict(zip(rest, p, strict=True))
            for p in itertools.product(*((x.low, x.high) for x in rest.values()))
        )
        inner = Domain(rest).cases or list(ends)
        far = {s: _LESS_FAR if s in self._in_exponents else _FAR for s in free}
        places = [
            [*far[s], *(-x for x in far[s]), *near, *_at_relations(s, self)]
            for s in free[:3]
            for near in [[e for e in (self.spans[s].low, self.spans[s].high, sympy.S.One) if e.is_finite]]
        ]
        points = (
            _completed({**case, **dict(zip(free, place, strict=False))})
            for place in itertools.product(*places) for case in inner
        )  # fmt: skip
        return any(
            any(abs(p[s]) >= far[s][0] for s in free[:3])
            and all(self.spans[s].contains(p[s]) for s in free[:3])
            and self._may_hold(p)
            for p in points if p is not None
        )  # fmt: skip

    @property
    def _in_exponents(self) -> set[sympy.Basic]:
        """The variables of relations in exponents and factorials: no number can be put there that is too large."""
        parts = (e for r in self.relations for e in r.atoms(sympy.Pow, sympy.factorial, sympy.gamma))
        return {s for e in parts for s in e.args[-1].free_symbols}

    def contains(self, values: Values) -> bool:
        """Whether the domain is known to contain a point."""
        inside = not self.unchosen and all(span.contains(values[s]) for s, span in self.spans.items())
        return inside and all(with_values(r, values) in (True, sympy.true) for r in self.relations)

    def with_span(self, symbol: sympy.Symbol, span: Span) -> Domain:
        """The domain with another range for a variable."""
        return replace(self, spans={**self.spans, symbol: span})


def _read(over: Iterable[object]) -> tuple[list[sympy.Basic], bool]:
    """The relations of conditions, and whether there is one that sympy knows to hold, without saying of what."""
    conditions: list[sympy.Basic] = []
    always = False
    for condition in (over,) if isinstance(over, Claim | sympy.Basic | bool) else over:
        if condition is True:
            needs = "conditions; between variables, != is just True for Python, and ranges have no holes"
            raise InvalidInput("over", needs=needs, got="True")
        if condition == sympy.true:  # such as d >= 1
            always = True
            continue
        if condition is sympy.false:  # such as d < 0
            hint = "d and m are at least 1, v and z at least 0"
            raise InvalidInput(
                "over", needs="conditions that some values meet", got="one that none meets", hint=hint
            )
        conditions += claimed(condition).parts
    for condition in conditions:
        if condition.has(OfLaw, Growth, LimitOf, Direction, ForSome):
            raise InvalidInput("over", needs="conditions on variables", got=in_words(condition))
    return [part for condition in conditions for part in _without_formulas(condition)], always


def _without_formulas(condition: sympy.Basic) -> list[sympy.Basic]:
    """A condition with the definitions of its formulas; that m is at least ceiling(x) or the larger of two, said apart.

    Then that averages exist: that one is at most 3 says that it is finite.

    Raises
    ------
    InvalidInput : a formula has no expression.
    """
    for formula in condition.atoms(FormulaOf):
        if formula.written_out() == formula:
            needs = "conditions with an expression in variables"
            hint = f"{formula} has none: state a condition on its variables {', '.join(formula.values)}"
            raise InvalidInput("over", needs=needs, got=in_words(condition), hint=hint)
    written = condition.replace(lambda e: isinstance(e, FormulaOf), lambda e: e.written_out())
    averages = sorted(condition.atoms(AverageOf), key=str)
    exist = dict.fromkeys(need for one in averages for need in one.needs)
    return [written] if written == condition else [*_at_least_each(written), *exist]


def _at_least_each(condition: sympy.Basic) -> list[sympy.Basic]:
    if not isinstance(condition, sympy.GreaterThan | sympy.LessThan):
        return [condition]
    high, low = condition.gts, condition.lts
    if isinstance(low, sympy.Max):
        parts = (sympy.GreaterThan(high, each, evaluate=False) for each in low.args)
        return [part for each in parts for part in _at_least_each(each)]
    if isinstance(low, sympy.ceiling) and high.is_integer:
        return [sympy.GreaterThan(high, low.args[0], evaluate=False)]
    return [condition]


def _require_free(parts: Sequence[sympy.Basic], conditions: Sequence[sympy.Basic]) -> None:
    """Refuse conditions on a variable that is chosen, and has its range where it is."""
    free = {s for part in parts for s in part.free_symbols}
    for part in (one for one in parts if isinstance(one, ForSome) and one.args[1] not in free):
        for condition in conditions:
            if condition.has(part.args[1]):
                needs = f"conditions without {part.args[1]}, which for_some chooses between its own ends"
                raise InvalidInput("over", needs=needs, got=in_words(condition))


def _require_room(parts: Iterable[sympy.Basic], spans: Mapping[sympy.Symbol, Span]) -> None:
    """Refuse what is to rise, fall, tend to a limit or be of an order where its variable has one value only."""
    moving = set()
    for part in parts:
        moving |= {node.args[1] for node in part.find(lambda e: isinstance(e, Direction | LimitOf))}
        orders = (growth.free_symbols for growth in part.atoms(Growth))
        moving |= {symbol for free in orders if len(free) == 1 for symbol in free}
    for symbol in moving & set(spans):
        if (
            not spans[symbol].is_empty
            and in_order(spans[symbol].low, spans[symbol].high, strict=True) is False
        ):
            needs = f"more than one value of {symbol}, since the claim lets it vary"
            raise InvalidInput("over", needs=needs, got=spans[symbol].text(symbol.name))


def _with_equations(conditions: list[sympy.Basic], bound: set[sympy.Symbol]) -> list[sympy.Basic]:
    """The conditions, with an equation in the place of a <= b and b <= a, if a variable that may be fixed solves it."""
    weak = {c.gts - c.lts: c for c in conditions if isinstance(c, sympy.Ge | sympy.Le)}
    found = list(conditions)
    for difference, one in weak.items():
        if len(one.free_symbols) < 2 or -difference not in weak or one not in found:
            continue
        rest = [c for c in found if c not in (one, weak[-difference])]
        tried = ([*rest, sympy.Eq(*sides, evaluate=False)] for sides in (one.args, one.args[::-1]))
        found = next((c for c in tried if c[-1].lhs not in bound and _is_solvable(c)), found)
    return found


def _is_solvable(conditions: Sequence[sympy.Basic]) -> bool:
    """Whether the equations among conditions fix variables at values that these may have."""
    with contextlib.suppress(InvalidInput):
        fixed = _solved([c for c in conditions if isinstance(c, sympy.Eq)])
        return all(c is not sympy.false for one in fixed for c in _in_natural_range(*one))
    return False


def narrowed(
    spans: Mapping[sympy.Symbol, Span], conditions: Iterable[sympy.Basic]
) -> tuple[dict[sympy.Symbol, Span], list[sympy.Basic]]:
    """The spans, cut by the conditions that compare one variable with a number; and the other conditions.

    Examples
    --------
    >>> x = sympy.Symbol("x", positive=True)
    >>> spans, rest = narrowed({x: Span(sympy.S.Zero, sympy.oo)}, (x >= 100, x**2 < 3))
    >>> spans[x].low, rest
    (100, [x**2 < 3])
    """
    found, rest = dict(spans), list[sympy.Basic]()
    for condition in conditions:
        ends = condition.free_symbols & set(found)
        if len(condition.free_symbols) == len(ends) == 1 and condition.canonical.lhs.is_Symbol:
            (symbol,) = ends
            found[symbol] = _cut(found[symbol], condition.canonical)
        else:
            rest.append(condition)
    return found, rest


def _narrowed_again(
    spans: dict[sympy.Symbol, Span], relations: list[sympy.Basic]
) -> tuple[dict[sympy.Symbol, Span], list[sympy.Basic]]:
    """The same with variables of one value put into the other conditions: v <= z and z <= 0 leave v = 0."""
    settled = {s: span.low for s, span in spans.items() if span.low == span.high}
    if not any(r.free_symbols & settled.keys() for r in relations):
        return spans, relations
    put_in = [with_values(r, settled) for r in relations]
    if sympy.false in put_in:
        raise InvalidInput(
            "over", needs="conditions that some values meet", got=", ".join(map(in_words, relations))
        )
    return _narrowed_again(*narrowed(spans, (r for r in put_in if r != sympy.true)))


def cases_of(domain: Domain) -> str:
    """What a proof covers that goes through the finitely many points of a domain.

    Examples
    --------
    >>> cases_of(Domain({}))
    'cases: the numbers that are named'
    """
    return f"cases: {domain}" if domain.symbols else "cases: the numbers that are named"


def _solved(equations: Sequence[sympy.Eq]) -> tuple[tuple[sympy.Symbol, sympy.Expr], ...]:
    """Fixed variables with their values, in which other fixed variables are replaced by their values."""
    found: dict[sympy.Symbol, sympy.Expr] = {}
    for equation in equations:
        symbol, value = equation.lhs, equation.rhs.subs(found)
        if not symbol.is_Symbol or value.has(symbol) or symbol in found:
            needs = "equal(variable, expression), once for a variable"
            raise InvalidInput("over", needs=needs, got=in_words(equation))
        found = {s: e.subs(symbol, value) for s, e in found.items()}
        found[symbol] = value
    return tuple(found.items())


def _in_natural_range(symbol: sympy.Symbol, value: sympy.Expr) -> Iterator[sympy.Basic]:
    """Conditions on an expression that replaces a variable: a dimension is at least 1, a norm is not negative."""
    span = natural_span(symbol)
    if span.integer and not is_whole(value):
        raise InvalidInput("over", needs=f"an integer for {symbol}", got=f"{symbol} = {value}")
    if span.low != -sympy.oo:
        yield (sympy.Gt if span.low_open else sympy.Ge)(value, span.low)
    if span.high != sympy.oo:
        yield (sympy.Lt if span.high_open else sympy.Le)(value, span.high)


def natural_span(symbol: sympy.Symbol) -> Span:
    """All values of a variable, by the assumptions on its symbol.

    Raises
    ------
    InvalidInput : they do not form an interval of real numbers or of integers.

    Examples
    --------
    >>> print(natural_span(sympy.Symbol("d", integer=True, positive=True)).text("d"))
    d >= 1
    """
    integer = bool(symbol.is_integer)
    signed = symbol.is_nonnegative or symbol.is_nonpositive
    holes = (symbol.is_zero is False and not signed) or symbol.is_even is not None or symbol.is_prime is True
    maybe_infinite = (symbol.is_extended_nonnegative or symbol.is_extended_nonpositive) and not signed
    if (
        holes
        or maybe_infinite
        or symbol.is_composite
        or symbol.is_real is False
        or (symbol.is_rational is not None and not integer)
    ):
        raise InvalidInput(
            str(symbol), needs="a variable over an interval of real numbers or of integers",
            got=f"the assumptions {', '.join(sorted(symbol._assumptions_orig))}",
            hint="declare it with integer=True or real=True, and a sign",
        )  # fmt: skip
    low = sympy.S.Zero if symbol.is_nonnegative else -sympy.oo
    high = sympy.S.Zero if symbol.is_nonpositive else sympy.oo
    if integer:
        return Span(low + int(bool(symbol.is_positive)), high - int(bool(symbol.is_negative)), integer=True)
    return Span(low, high, bool(symbol.is_positive), bool(symbol.is_negative))


def _cut(span: Span, condition: sympy.Basic) -> Span:
    """The part of a range in which variable <, <=, >, >= number."""
    bound, integer = condition.rhs, span.integer and condition.rhs.is_infinite is not True
    strict = isinstance(condition, STRICT)
    if not bound.is_number or isinstance(condition, sympy.Ne):
        raise InvalidInput(
            "over", needs="variables compared with numbers or with variables", got=str(condition)
        )
    if isinstance(condition, sympy.LessThan | sympy.StrictLessThan):
        high = (ceiling_of(bound) - 1 if strict else floor_of(bound)) if integer else bound
        if decided(in_order(high, span.high, strict=not strict), str(condition)):
            return replace(span, high=high, high_open=strict and not integer)
        return span
    low = (floor_of(bound) + 1 if strict else ceiling_of(bound)) if integer else bound
    if decided(in_order(span.low, low, strict=not strict), str(condition)):
        return replace(span, low=low, low_open=strict and not integer)
    return span


def _require_ranges_of_sums(parts: Sequence[sympy.Basic]) -> None:
    """Refuse sums and products over values that their variable never has, as by `m` from -3 on: m is at least 1."""
    for total in (one for part in parts for one in part.atoms(sympy.Sum, sympy.Product)):
        for symbol, low, high in (limit for limit in total.limits if len(limit) == 3):
            span = natural_span(symbol)
            if (high - low).is_negative:  # nothing is added
                continue
            for end in (low, high):
                if end.is_number and end.is_finite and not span.contains(end):
                    raise InvalidInput(
                        f"a sum over {symbol}", needs=span.text(str(symbol)), got=f"{symbol} = {end}",
                        hint="sum over a symbol of your own",
                    )  # fmt: skip


_WORDS = {symbol.name for symbol in (d, m, v, z)}


def _require_one_of_a_name(parts: Iterable[sympy.Basic]) -> None:
    """Refuse two variables that look alike: to sympy ``v`` and a positive ``v`` are two."""
    seen: dict[str, sympy.Symbol] = {}
    for part in parts:
        for symbol in sorted(part.free_symbols | bound_in(part), key=sympy.default_sort_key):
            if isinstance(symbol, sympy.Dummy) or seen.setdefault(symbol.name, symbol) == symbol:
                continue
            name, both = symbol.name, f"{_assumed(seen[symbol.name])} and {_assumed(symbol)}"
            instead = (
                f"take {name} from rftheory.author, and state conditions with over=, such as over={name} > 0"
            )
            if name not in _WORDS:
                instead = f"make {name} once; in a formula it is replaced by formula(NAME, {name}={name})"
            hint = f"sympy takes {both} for two variables: {instead}"
            raise InvalidInput(name, needs="one variable of this name", got=2, hint=hint)


def _assumed(symbol: sympy.Symbol) -> str:
    """A symbol as it was made."""
    given = "".join(f", {name}={value}" for name, value in symbol._assumptions_orig.items())
    return f'Symbol("{symbol.name}"{given})'


class _Need(NamedTuple):
    """What a number of a law must be."""

    what: str
    value: sympy.Expr
    least: int
    whole: bool
    reason: str
    strict: bool = False

    def error(self, within: str = "") -> InvalidInput:
        of_law = "the size of an error" if self.what[0] == "e" else "a norm"
        kind = of_law if not self.whole else "a whole number" + " of rows" * (self.what[0] == "m")
        least = f"{'above' if self.strict else 'at least'} {self.least}"
        return InvalidInput(self.what, needs=f"{kind}, {least}", got=f"{self.value}{within}")


def _needs(parts: Iterable[sympy.Basic]) -> list[_Need]:
    """Dimensions in which couplings and pairs exist, numbers of rows, two for averages over pairs, norms and errors.

    Two pairs at an angle need a plane. Programs are run at sizes from 1 on, and formulas have least whole numbers.
    """
    counts = sorted({count for part in parts for count in part.atoms(CountOf)}, key=str)
    sizes = ((size, count) for count in counts for size in count.args[1:] if size.is_Symbol)
    found = [_Need(f"{size} of {count}", size, 1, True, f"where {count} is counted") for size, count in sizes]
    for formula in formulas_in(parts):
        for each in (one for one in formula.meant.variables if one.integer and one.low is not None):
            value, where = formula.values.get(each.name, each.default), f"where {formula} exists"
            found.append(_Need(f"{each.name} of {formula}", value, int(each.low), True, where))
    for atom in sorted(atoms_of(seen_through(parts)), key=str):
        d, m, v, z, eps = atom.numbers
        rows = 2 if atom.words[0] == "conformity" else 1
        plane = 2 if any(one.is_number and one**2 != 1 for one in atom.other[2:]) else 1
        norms = [
            (name, _under_root(norm), 0)
            for name, norm in zip(("v", "z", "v'", "z'"), (v, z, *atom.other), strict=False)
        ]
        for name, value, least in (("d", d, max(plane, atom.coupling.min_dim)), ("m", m, rows), *norms):
            of_rows = name == "d" and plane <= atom.coupling.min_dim
            where = f"from which on {atom.words[2]} exists" if of_rows else f"where {atom} exists"
            found.append(_Need(f"{name} of {atom}", value, least, name in ("d", "m"), where))
        if atom.is_tail:
            found.append(_Need(f"eps of {atom}", eps, 0, False, f"where {atom} exists", strict=True))
    return sorted(
        found, key=lambda need: not need.value.is_Symbol
    )  # ranges are cut before others are compared


def formulas_in(parts: Iterable[sympy.Basic]) -> list[FormulaOf]:
    """The formulas of the catalogue that occur, in order.

    Examples
    --------
    >>> from rftheory.statement.words import formula
    >>> formulas_in((formula("hoeffding_bound", m=3, eps=1) < 1).parts)
    [hoeffding_bound(m=3, eps=1)]
    """
    return sorted({formula for part in parts for formula in part.atoms(FormulaOf)}, key=str)


def _under_root(norm: sympy.Expr) -> sympy.Expr:
    """What is at least 0 if a norm is: the square of one that is written as a root."""
    factor, rest = norm.as_coeff_Mul()
    return rest.base if factor > 0 and rest.is_Pow and rest.exp == sympy.S.Half else norm


def _where_laws_exist(
    spans: dict[sympy.Symbol, Span], parts: Sequence[sympy.Basic], relations: list[sympy.Basic]
) -> tuple[dict[sympy.Symbol, Span], dict[sympy.Basic, str]]:
    """The ranges in which the laws exist; what no range can say becomes a relation. Of each that is new, why."""
    found, reasons = dict(spans), dict[sympy.Basic, str]()
    for need in _needs(parts):
        value, least = need.value, need.least
        if value.free_symbols - set(found):
            continue  # within a sum, or a claim for some value
        if need.whole and not is_whole(value):
            raise need.error()
        above = (sympy.StrictGreaterThan if need.strict else sympy.GreaterThan)(value, least, evaluate=False)
        if value in found:
            cut = _cut(found[value], above)
            if cut != found[value]:
                found[value], reasons[value] = cut, need.reason
        elif not _always(value - least, found, relations, need.strict):
            if value.is_number or _always(least - (0 if need.strict else 1) - value, found):
                raise need.error()
            relations.append(above)
            reasons[above] = need.reason
    for formula in formulas_in(parts):
        for need in (one for one in formula.needs if isinstance(one, ORDERINGS) and not one.has(FormulaOf)):
            own = isinstance(formula, AverageOf) and need.lhs in found  # compared with a number
            if own and (cut := _cut(found[need.lhs], need)) != found[need.lhs]:
                found[need.lhs], reasons[need.lhs] = cut, f"where {formula} is finite"
            elif (
                len(need.free_symbols) > 1 and need.free_symbols <= set(found)
                and not _always(need.gts - need.lts, found, relations, isinstance(need, STRICT))
            ):  # fmt: skip
                relations.append(need)
                reasons[need] = f"where {formula} exists"
    for total in (one for part in parts for one in part.atoms(*_SUMS)):
        for need in _needs([total.function]):
            _require_in_sum(need, total, found)
    return found, reasons


def laws_exist(relation: sympy.Basic, values: Values, domain: Domain) -> bool:
    """Whether the laws in which some variables occur exist at given values of these, at every point of a domain.

    Examples
    --------
    >>> from rftheory.statement.words import iid, mse, positive
    >>> rows = sympy.Symbol("n", real=True)
    >>> law = (mse(positive(iid, m=rows)) > 0).parts[0]
    >>> [laws_exist(law, {rows: sympy.Rational(n, 2)}, Domain({})) for n in (0, 2, 3)]
    [False, True, False]
    """
    own = (need for need in _needs((relation,)) if need.value.free_symbols & values.keys())
    there = ((need, with_values(need.value, values)) for need in own)
    return all(
        (is_whole(value) or not need.whole)
        and _always(value - need.least, domain.spans, domain.relations, need.strict)
        for need, value in there
    )


def _narrowing(
    given: Mapping[sympy.Symbol, Span],
    spans: Mapping[sympy.Symbol, Span],
    reasons: Mapping[sympy.Basic, str],
) -> tuple[str, ...]:
    """What laws leave of the ranges that the conditions allow, and why."""
    found = []
    for narrowed_to, why in reasons.items():
        if narrowed_to in given:
            name, allowed = narrowed_to.name, given[narrowed_to]
            found.append(f"{allowed.text(name)} was narrowed to {spans[narrowed_to].text(name)}, {why}")
        else:
            found.append(f"the conditions were narrowed to {in_words(narrowed_to)}, {why}")
    return tuple(found)


_SUMS = (sympy.Sum, sympy.Product, sympy.Integral)


def _always(
    difference: sympy.Expr,
    spans: Mapping[sympy.Symbol, Span],
    relations: Sequence[sympy.Basic] = (),
    strict: bool = False,
) -> bool:
    """Whether an expression is proved to be at least 0, or above it, by the ends of its variables or a relation."""
    kinds = (sympy.Gt, sympy.Lt) if strict else (sympy.Ge, sympy.Le)
    known = (r.gts - r.lts for r in relations if isinstance(r, kinds))
    ends = {s: _from_its_end(spans[s]) for s in difference.free_symbols if s in spans}
    alone, *rests = (sympy.expand((difference - one).subs(ends)) for one in (sympy.S.Zero, *known))
    own = alone.is_positive if strict else alone.is_nonnegative
    if own or any(rest.is_nonnegative for rest in rests):
        return True
    values = values_within(difference, spans)
    return values.positive if strict else values.nonnegative


def values_within(expression: sympy.Expr, spans: Mapping[sympy.Symbol, Span]) -> Range:
    """A range of all values by interval arithmetic; the whole line if a part may not be real.

    Examples
    --------
    >>> v, b = sympy.Symbol("v", real=True), sympy.Symbol("b", negative=True)
    >>> values_within(2 - sympy.cos(v), {v: Span(sympy.S.Zero, sympy.oo)}).positive
    True
    >>> values_within(2 - sympy.cos(sympy.sqrt(b)), {b: Span(-sympy.oo, sympy.S.Zero)}).positive
    False
    """
    ranges = {symbol: span.range for symbol, span in spans.items()}
    return range_of(expression, ranges) if is_real(expression, ranges) else WHOLE_LINE


def _from_its_end(span: Span) -> sympy.Expr:
    is_open = span.low_open if span.low.is_finite else span.high_open
    t = sympy.Dummy("t", **{"positive" if is_open else "nonnegative": True}, integer=span.integer or None)
    if span.low.is_finite:
        return span.low + t
    return span.high - t if span.high.is_finite else sympy.Dummy("t", real=True, integer=span.integer or None)


def _require_in_sum(need: _Need, total: sympy.Expr, spans: Mapping[sympy.Symbol, Span]) -> None:
    """Refuse a law that may not exist for some of the values of a sum, a product or an integral."""
    whole = None if isinstance(total, sympy.Integral) else True
    bound = {limit[0]: sympy.Dummy(limit[0].name, integer=whole) for limit in total.limits}
    if not need.value.free_symbols & set(bound):
        return
    least = need.value
    for symbol, *ends in total.limits:
        if symbol not in least.free_symbols or len(ends) != 2 or least.has(sympy.Piecewise):  # which may jump
            continue
        slope = sympy.expand(least.diff(symbol).subs(symbol, ends[0] + sympy.Dummy("t", nonnegative=True)))
        if slope.is_nonnegative or slope.is_nonpositive:
            least = least.subs(symbol, ends[0] if slope.is_nonnegative else ends[1])
    if (need.whole and not is_whole(need.value.xreplace(bound))) or not _always(least - need.least, spans):
        ranges = ", ".join(
            f"{limit[0]} from {limit[1]} to {limit[2]}" for limit in total.limits if len(limit) == 3
        )
        raise need.error(f" for {ranges}")


def _in_tables(spans: dict[sympy.Symbol, Span], parts: Sequence[sympy.Basic]) -> dict[sympy.Symbol, Span]:
    """Variables that are places in tables run over their labels."""
    found = dict(spans)
    for entry in (one for part in parts for one in part.atoms(EntryOf)):
        for place, axis in zip(entry.args[1:], entry.table.axes, strict=True):
            if place in found:
                for end in (
                    sympy.GreaterThan(place, 1, evaluate=False),
                    sympy.LessThan(place, len(axis), evaluate=False),
                ):
                    found[place] = _cut(found[place], end)
    return found


def _whole(span: Span) -> list[sympy.Expr]:
    low, high = ceiling_of(span.low), floor_of(span.high)
    return [sympy.Integer(n) for n in range(int(low), int(min(high, low + 1000)) + 1)]


# ---- points, the simplest and the corners first ------------------------------------------------------

_INTEGERS = (1, 0, -1, 2, 3, 4, 5, 7, 8, 12, 16, 33, 64, 6)
MANY = 1000
"""Rows, with which an error is small; so many dimensions take long where rows are coupled."""
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


def points(domain: Domain, most: int = 400) -> Iterator[Point]:
    """At most ``most`` points of a domain: corners and simple numbers, roughly by size.

    Integers are small, odd, even and large; numbers of rows lie below, at and above multiples of the dimension; real
    variables are tiny, around 1, around sqrt(d), and large; ends that belong to the range are included.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, orthogonal, v
    >>> [str(p) for p in points(Domain.of(conformity(orthogonal) > 1, (v > 0,)), most=2)]
    ['{d: 2, v: 1/2}', '{d: 2, v: 1}']
    """
    return itertools.islice(_ranked(domain), most)


def corners(domain: Domain, most: int = 400) -> Iterator[Point]:
    """The same points, beginning with those at which only one variable is not the simplest, to reach extremes early.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, orthogonal, v
    >>> found = list(corners(Domain.of(conformity(orthogonal) > 1, (v > 0,)), most=24))
    >>> [max(p[s] for p in found) for s in sorted(found[0], key=str)]
    [64, 9]
    """
    for simplest in points(domain, 1):
        each = itertools.chain(
            (simplest,), _around(domain, simplest, 1), _lowest(domain, simplest), _ranked(domain)
        )
        yield from itertools.islice(_different(each), most)


def _lowest(domain: Domain, simplest: Point) -> Iterator[Point]:
    """Where all real variables are as small as they can be at once, such as v = z = 0."""
    ends = {s: span.low for s, span in domain.spans.items() if not span.integer and span.low.is_finite}
    if len(ends) > 1 and domain.contains(point := {**simplest, **ends}):
        yield point


def around(domain: Domain, point: Values, most: int) -> Iterator[Point]:
    """The points of the domain that differ from a point in one variable, then in two, up to ``most`` variables.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, m
    >>> two = Domain.of(claimed(m <= d), (d <= 3, m <= 2))
    >>> list(around(two, {d: sympy.Integer(2), m: sympy.Integer(1)}, 1))
    [{d: 1, m: 1}, {d: 2, m: 2}, {d: 3, m: 1}]
    """
    yield from _different(_around(domain, point, most))


def _around(domain: Domain, point: Values, most: int) -> Iterator[Point]:
    candidates = {s: _candidates(s, domain) for s in reversed(domain.symbols)}
    for number in range(1, most + 1):
        changes = (
            (
                sum(rank for rank, _ in changed),
                dict(zip(symbols, (value for _, value in changed), strict=True)),
            )
            for symbols in itertools.combinations(candidates, number)
            for changed in itertools.product(*(enumerate(candidates[s]) for s in symbols))
            if all(point[s] != value for s, (_, value) in zip(symbols, changed, strict=True))
        )
        for _, change in sorted(changes, key=lambda ranked: ranked[0]):
            full = _completed({**point, **change})
            if full is not None and full != point and domain.contains(full):
                yield full


def _different(each: Iterable[Point]) -> Iterator[Point]:
    seen = set[tuple[sympy.Expr, ...]]()
    for point in each:
        values = tuple(point.values())
        if values not in seen:
            seen.add(values)
            yield point


MOST_TRIED = 10_000
"""How many combinations are compared with the relations; those of four variables would take a minute."""


def _ranked(domain: Domain) -> Iterator[Point]:
    """Combinations of candidates, by the sum of their places; generated lazily, because there are millions."""
    if not domain.unchosen:
        yield from _combined(domain, _in_order(domain))


@lru_cache(maxsize=512)
def _in_order(domain: Domain) -> tuple[tuple[sympy.Expr, ...], ...]:
    """The candidates of each variable; integers at the ends of conditions first, where else no point is found.

    So it is where many rows are needed.
    """
    candidates = {s: _candidates(s, domain) for s in domain.symbols}
    ends = {s: tuple(_at_relations(s, domain)) if domain.spans[s].integer else () for s in candidates}
    plain = tuple(candidates.values())
    if not any(ends.values()) or next(_combined(domain, plain), None) is not None:
        return plain
    return tuple((*ends[s], *own) for s, own in candidates.items())


MOST_AROUND = 40
"""How many combinations of other variables are tried with given values of some."""


def with_given(domain: Domain, given: Values) -> Iterator[Point]:
    """Points of the domain with given values of some variables and simple ones of the others.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, m
    >>> over = Domain.of(claimed(m <= d), (d <= 3,))
    >>> list(with_given(over, {d: sympy.Integer(2)}))[:2], list(with_given(over, {d: sympy.Integer(4)}))
    ([{d: 2, m: 1}, {d: 2, m: 2}], [])
    """
    known = {s: (value,) for s, value in given.items()}
    candidates = [known.get(s) or _candidates(s, domain) for s in domain.symbols]
    return _combined(domain, candidates, MOST_AROUND)


def at_ends(domain: Domain, most: int) -> Iterator[Point]:
    """Points at which an integer, most often the number of rows, is at an end that a condition ties to the others.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, exp, m, v
    >>> enough = Domain.of(claimed(m >= v), (m >= exp(v**2),))
    >>> [point[m] - exp(point[v] ** 2) <= 2 for point in at_ends(enough, 9)] == 9 * [True]
    True
    """
    for symbol in (s for s in domain.symbols if domain.spans[s].integer):
        ends = tuple(_at_relations(symbol, domain))
        candidates = [ends if s == symbol else _candidates(s, domain) for s in domain.symbols]
        yield from itertools.islice(_combined(domain, candidates), most if ends else 0)


def beside_ends(domain: Domain, point: Values, most: int) -> Iterator[Point]:
    """The points that differ from a point in two variables, of which a real one is at an end of its range.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, m, v
    >>> list(beside_ends(Domain.of(claimed(v < m), ()), {m: sympy.Integer(2), v: sympy.S.One}, 2))
    [{m: 1, v: 0}, {m: 3, v: 0}]
    """
    ends = {s: [end for end in (span.low, span.high) if end.is_finite and end != point[s]]
            for s, span in domain.spans.items() if not span.integer}  # fmt: skip
    found = (
        {**point, s: end, other: value}
        for s, places in ends.items()
        for end in places
        for other in domain.symbols
        for value in _candidates(other, domain)[:NEXT]
        if other != s and value.is_number and value != point[other]
    )
    return itertools.islice((full for full in found if domain.contains(full)), most)


NEXT = 4
"""How many values of the other variable."""


def _combined(
    domain: Domain, candidates: Sequence[Sequence[sympy.Expr]], most: int = MOST_TRIED
) -> Iterator[Point]:
    """The first combinations that lie in the domain."""
    sizes = [len(found) for found in candidates]
    for ranks in itertools.islice(_ranks(sizes), most):
        choice = zip(domain.symbols, candidates, ranks, strict=True)
        full = _completed({s: found[rank] for s, found, rank in choice})
        if full is not None and domain.contains(full):
            yield full


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


@lru_cache(maxsize=512)
def _candidates(symbol: sympy.Symbol, domain: Domain) -> tuple[sympy.Expr, ...]:
    span, found = domain.spans[symbol], []  # type: Span, list[sympy.Expr]
    if span.integer:
        found = [sympy.Integer(n) for n in _INTEGERS]
        found += [span.low + n for n in range(4)] if span.low.is_finite else []
        found += [span.high - n for n in range(2)] if span.high.is_finite else []
        found += [] if symbol.is_nonnegative else [-n for n in found]
        if symbol.name == "m":
            found.append(sympy.Integer(MANY))
            dim = next((s for s in domain.spans if s.name == "d"), None)
            found += [] if dim is None else [dim - 1, dim, dim + 1, 2 * dim, 2 * dim + 1, 3 * dim - 1]
    else:
        found = [sympy.sympify(n, strict=True) for n in _REALS]
        found += [end for end in (span.low, span.high) if end.is_finite]
        if span.low.is_finite and span.high.is_finite:
            found += [span.low + (span.high - span.low) * sympy.Rational(n, 8) for n in range(1, 8)]
        elif span.low.is_finite and in_order(sympy.S.Zero, span.low, strict=True):
            beside = span.low + sympy.Rational(1, 100)  # looked at early in place of an end that is left out
            found.insert(2 if span.low_open else len(found), beside)
            found += [span.low + 1, span.low + 4]
        elif span.high.is_finite and in_order(span.high, sympy.S.Zero, strict=True):
            found += [span.high - number for number in (sympy.Rational(1, 100), 1, 4)]
        dim = next((s for s in domain.spans if s.name == "d"), None)
        found += [] if dim is None else [sympy.sqrt(dim), 2 * sympy.sqrt(dim)]
        if not symbol.is_nonnegative:
            found += [-n for n in found]
    ends = list(_at_relations(symbol, domain))
    found = [*found, *ends] if span.integer else [*found[:2], *ends, *found[2:]]
    return tuple(dict.fromkeys(n for n in found if n.free_symbols or span.contains(n)))


def end_in(above: sympy.Expr, symbol: sympy.Symbol) -> tuple[sympy.Expr, sympy.Expr] | None:
    """The factor of a symbol in which an expression is linear, and where it is 0; None if the factor is no number.

    Examples
    --------
    >>> end_in(2 * z - v - 1, z)
    (2, v/2 + 1/2)
    """
    slope = factor_in(above, symbol)
    if slope is None or not slope.is_number or slope == 0:
        return None
    return slope, sympy.expand(symbol - above / slope)


def _at_relations(symbol: sympy.Symbol, domain: Domain) -> Iterator[sympy.Expr]:
    """Where a relation ends, and a little inside: v and v + 1/8, for z > v; next to sqrt(1/m), for m >= 1/eps^2.

    One variable of a relation depends on the others: the last one in which it is linear, or one of which it has a root.
    """
    for relation in domain.relations:
        if not isinstance(relation, ORDERINGS):
            continue
        above = sympy.expand(relation.gts - relation.lts)
        ends = {s: end_in(above, s) for s in domain.symbols if above.has(s)}
        last = next((s for s in reversed(ends) if ends[s] is not None), None)
        if symbol in ends and ends[symbol] is None:
            yield from _at_roots(above, symbol)
        if len(ends) < 2 or last != symbol or (found := ends[symbol]) is None:
            continue
        slope, end = found
        if domain.spans[symbol].integer:
            end = evaluated(sympy.ceiling if slope > 0 else sympy.floor, end)
        steps = (1, 0) if domain.spans[symbol].integer else (sympy.Rational(1, 8), 0, sympy.Rational(1, 128))
        yield from (end + sympy.sign(slope) * step for step in steps)


FINE = 128
"""Ends that are roots are rounded to multiples of 1/128."""


def _at_roots(above: sympy.Expr, symbol: sympy.Symbol) -> Iterator[sympy.Expr]:
    """Next to the roots in a real variable, and there.

    Examples
    --------
    >>> from rftheory.statement.words import exp, m, v
    >>> list(_at_roots(m - exp(v**2), v))[-1]
    sqrt(log(m))
    """
    for end in () if symbol.is_integer else roots_in(above, symbol):
        yield from (evaluated(kind, FINE * end) / FINE for kind in (sympy.ceiling, sympy.floor))
        yield end


def _completed(values: Values) -> Point | None:
    """The values, with expressions in other variables, such as m = 2 d, replaced by numbers."""
    found = dict(values)
    for symbol, value in values.items():
        if value.free_symbols:
            with contextlib.suppress(RFTheoryError):  # an end of a condition may have no value there
                found[symbol] = with_values(value, values)
            if found[symbol].free_symbols:
                return None
    return found


GIVEN["domain"] = lambda *parts: Domain.of(Claim(parts), ())
