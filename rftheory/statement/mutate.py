"""Changes that turn a statement into a different one, which the judging must notice.

Every number in a claim, every sign, direction, strictness and end of the domain is changed, and the coupling of every
law. A change is refuted, undecided, or still true; that it is still true must be proved.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import sympy
from flint import acb, arb, fmpq
from sympy.core.symbol import Str

from rftheory.exact.enclosure import bounds, climb
from rftheory.exact.truth import SIGNS, STRICTER, WEAK
from rftheory.judge.verdict import Decision
from rftheory.statement.atoms import OfLaw
from rftheory.statement.declared import Declared
from rftheory.statement.domain import Domain, Span, Values
from rftheory.statement.nearby import REVERSED
from rftheory.statement.pointwise import BITS, ball, next_to, pointwise, value_at
from rftheory.statement.settle import alone
from rftheory.statement.statement import Statement
from rftheory.statement.words import Direction, ForSome

MARGIN = 2**40
"""One over the distance of the sides of a relation that is put right, relative to their size."""

WORDS = {Decision.FAILS: "refuted", Decision.UNDECIDED: "undecided", Decision.HOLDS: "true"}


def mutants(statement: Statement) -> Iterator[tuple[str, Statement]]:
    """All changes, each with a description.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import conformity, exp, orthogonal, v
    >>> claim = conformity(orthogonal) < exp(v**2)
    >>> s = Statement("n.a", "", claim, Domain.of(claim, (v > 0,)))
    >>> [what for what, _ in mutants(s)][:3]
    ['with > in place of <', 'with <= in place of <', 'iid in place of orthogonal in conformity(orthogonal)']
    """
    parts = statement.parts
    for number, part in enumerate(parts):
        for what, changed in _of_part(part):
            yield what, statement.says(*parts[:number], changed, *parts[number + 1 :])
    for symbol, span in statement.domain.spans.items():
        for what, wider in _wider(symbol, span):
            yield what, statement.says(domain=statement.domain.with_span(symbol, wider))


def _of_part(part: sympy.Basic) -> Iterator[tuple[str, sympy.Basic]]:
    kind = type(part)
    if isinstance(part, Direction):
        yield "the other direction", Direction(part.args[0], part.args[1], -part.args[2])
        return
    if isinstance(part, ForSome):
        inner = part.args[0]
        for what, changed in _of_part(inner):
            yield what, ForSome(changed, *part.args[1:])
        return
    if kind in REVERSED:
        back = REVERSED[kind]
        yield f"with {SIGNS[back]} in place of {SIGNS[kind]}", back(*part.args, evaluate=False)
    else:
        yield "the right side times 2", kind(part.args[0], 2 * part.args[1], evaluate=False)
    if kind in WEAK:
        weak = WEAK[kind]
        yield f"with {SIGNS[weak]} in place of {SIGNS[kind]}", weak(*part.args, evaluate=False)
    elif kind in STRICTER:
        strict = STRICTER[kind]
        yield f"with {SIGNS[strict]} in place of {SIGNS[kind]}", strict(*part.args, evaluate=False)
    for side in (0, 1):
        for what, changed in _of_side(part.args[side]):
            sides = [changed if n == side else a for n, a in enumerate(part.args)]
            yield what, kind(*sides, evaluate=False)


def _of_side(side: sympy.Expr) -> Iterator[tuple[str, sympy.Expr]]:
    """Every number and every coupling changed; changes of one name are told apart by what they give."""
    found = list(_changes(side))
    often = Counter(what for what, _ in dict.fromkeys(found))
    for what, changed in found:
        yield (what if often[what] == 1 else f"{what}: {changed}"), changed


def _changes(side: sympy.Expr) -> Iterator[tuple[str, sympy.Expr]]:
    for path, node in _nodes(side):
        if isinstance(node, sympy.Rational) and path:
            where = _law_around(side, path) or side
            yield f"{node} -> {node + 1} in {where}", replaced(side, path, node + 1)
            turned = replaced(side, path, -node)
            if (node.is_Integer is False or abs(node) > 1) and not _is_without_rows(turned):
                yield f"{node} -> {-node} in {where}", turned
        elif isinstance(node, sympy.Rational):
            yield f"{node} -> {node + 1}", node + 1
        elif isinstance(node, OfLaw):
            other = "iid" if node.words[2] != "iid" else "orthogonal"
            args = list(node.args)
            args[2] = Declared.of("coupling", other)
            yield f"{other} in place of {node.words[2]} in {node}", replaced(side, path, OfLaw(*args))


def _law_around(side: sympy.Expr, path: Sequence[int]) -> sympy.Expr | None:
    """The law in which a place lies."""
    found = None
    for number in path:
        found = side if isinstance(side, OfLaw) else found
        side = side.args[number]
    return found


def _is_without_rows(side: sympy.Expr) -> bool:
    """Whether a law in it has a number of rows that is negative."""
    return any(atom.numbers[1].is_negative for atom in side.atoms(OfLaw))


def _nodes(
    expression: sympy.Basic, path: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], sympy.Basic]]:
    yield path, expression
    if isinstance(expression, OfLaw):
        # only m and the norms are changed, not d, the order or the parameters
        for number in (5, 6) if expression.words[0] == "conformity" else (5, 6, 7):
            yield from _nodes(expression.args[number], (*path, number))
        return
    inside = expression.args[:1] if isinstance(expression, sympy.Derivative) else expression.args
    for number, argument in enumerate(inside):  # an order of differentiation has no sign to change
        if not isinstance(argument, Str):
            yield from _nodes(argument, (*path, number))


def replaced(expression: sympy.Basic, path: tuple[int, ...], new: sympy.Basic) -> sympy.Basic:
    """An expression with another node at a place in its tree.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> replaced(x**2, (1,), sympy.Integer(3))
    x**3
    """
    if not path:
        return new
    first, *rest = path
    args = list(expression.args)
    args[first] = replaced(args[first], tuple(rest), new)
    return expression.func(*args)


def put_right(part: sympy.Basic, values: Values, domain: Domain) -> tuple[sympy.Basic, ...]:
    """True relations near one that is false at a point, with sides as close there as `MARGIN` says; else none.

    Raises
    ------
    NotCertified : a side has no value at the point.

    Examples
    --------
    >>> x = sympy.Symbol("x", positive=True)
    >>> found = put_right(sympy.Eq(x**2, x), {x: sympy.Rational(1, 2)}, Domain({}))
    >>> [type(relation).__name__ for relation in found]
    ['LessThan', 'GreaterThan', 'Equality']
    """
    if isinstance(part, Direction):
        side, variable, sign = part.args
        other = next_to(values, variable, domain)
        if other is None:
            return ()
        run = other[variable] - values[variable]
        less, more = _shifts(lambda: (ball(side, values), ball(side, other)))
        return (Direction(side + (more if sign * run > 0 else less) / run * variable, variable, sign),)
    if type(part) not in SIGNS or not pointwise(part):
        return ()
    left, right = part.args
    if isinstance(part, sympy.Eq) and any(isinstance(value_at(side, values), acb) for side in part.args):
        halves = (sympy.Eq(half(left), half(right), evaluate=False) for half in (sympy.re, sympy.im))
        return tuple(true for half in halves for true in put_right(half, values, domain))
    less, more = _shifts(lambda: (ball(left, values), ball(right, values)))
    if isinstance(part, sympy.Eq):
        both = ((sympy.LessThan, more), (sympy.GreaterThan, less))
        near = (kind(left, right + shift, evaluate=False) for kind, shift in both)
        return (
            *near,
            sympy.Eq(left, left, evaluate=False),
        )  # so that a search that refutes all equations is seen
    shift = less if isinstance(part, sympy.StrictGreaterThan | sympy.GreaterThan) else more
    return (type(part)(left, right + shift, evaluate=False),)


def _shifts(sides: Callable[[], tuple[arb, arb]]) -> tuple[sympy.Expr, sympy.Expr]:
    """What, added to the second side, makes it a little smaller and a little larger than the first."""

    def found() -> tuple[arb, arb]:
        one, other = sides()
        size = abs(one) + abs(other)
        unit = (arb(1) if size.is_zero() else size) / MARGIN
        return one - other - unit, one - other + unit

    ends, _ = climb(found, lambda _: True, BITS[-1:])
    assert ends is not None
    less, more = ends
    return _simple(bounds(less)[0], math.floor), _simple(bounds(more)[1], math.ceil)


def _simple(value: Fraction, rounded: Callable[[Fraction], int]) -> sympy.Expr:
    """The number rounded up or down to one with few digits, whatever its size: an exponential."""
    if value == 0:
        return sympy.S.Zero
    larger = (rounded is math.ceil) == (value > 0)
    logarithm, _ = climb(lambda: arb(fmpq(*abs(value).as_integer_ratio())).log(), lambda _: True, BITS[-1:])
    assert logarithm is not None
    end = bounds(logarithm)[larger] * MARGIN
    exponent = sympy.Rational(math.ceil(end) if larger else math.floor(end), MARGIN)
    return (1 if value > 0 else -1) * sympy.exp(exponent)


def _wider(symbol: sympy.Symbol, span: Span) -> Iterator[tuple[str, Span]]:
    """Domains that are one step larger, unless the end was the natural one."""
    signed = symbol.is_positive  # provers know the sign of a symbol
    natural = sympy.Integer(bool(span.integer and signed)) if symbol.is_nonnegative else -sympy.oo
    if span.low_open and not (signed and span.low == 0):
        yield _ranging(symbol, replace(span, low_open=False))
    elif span.low.is_finite and span.low > natural:
        real = sympy.S.Zero if span.low > 0 else 2 * span.low - 1
        below = span.low - 1 if span.integer else real
        yield _ranging(symbol, replace(span, low=below, low_open=bool(signed and below == 0)))
    if span.high.is_finite and span.high != span.low:
        yield _ranging(symbol, replace(span, high=span.high + abs(span.high) + 1))


def _ranging(symbol: sympy.Symbol, span: Span) -> tuple[str, Span]:
    return f"for {span.text(symbol.name)}", span


MOST_MUTANTS = 40
"""So many changes of a statement are judged."""


def judged_mutants(statement: Statement) -> tuple[tuple[str, str], ...]:
    """The fate of each change.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import claimed, d
    >>> claim = claimed(d**2 >= d)
    >>> dict(judged_mutants(Statement("n.a", "", claim, Domain.of(claim, ()))))["with <= in place of >="]
    'refuted'
    """
    seen = {str(statement)}
    found: list[tuple[str, str]] = []
    for what, changed in mutants(statement):
        if str(changed) in seen or len(found) >= MOST_MUTANTS:
            continue
        seen.add(str(changed))
        found.append((what, WORDS[alone(changed)]))
    return tuple(found)
