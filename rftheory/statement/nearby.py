"""What may remain true near a statement that fails: proposals, each with its support; none of them is a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction

import sympy
from flint import ctx

from rftheory.errors import NotCertified, RFTheoryError
from rftheory.exact.enclosure import bounds
from rftheory.exact.limits import time_limit
from rftheory.exact.truth import SIGNS
from rftheory.judge.verdict import Decision
from rftheory.statement.atoms import Growth
from rftheory.statement.domain import Domain, Span, points
from rftheory.statement.pointwise import ball, decide, pointwise
from rftheory.statement.provers.exists import contrary
from rftheory.statement.provers.expand import limit_of
from rftheory.statement.provers.proof import prove
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.search import Search
from rftheory.statement.settle import alone
from rftheory.statement.statement import Statement
from rftheory.statement.words import Direction, ForSome, LimitOf, in_words

WEAK = {sympy.StrictLessThan: sympy.LessThan, sympy.StrictGreaterThan: sympy.GreaterThan}
REVERSED = {
    sympy.StrictLessThan: sympy.StrictGreaterThan, sympy.LessThan: sympy.GreaterThan,
    sympy.StrictGreaterThan: sympy.StrictLessThan, sympy.GreaterThan: sympy.LessThan,
}  # fmt: skip


SECONDS = 20.0
"""For all changes of one statement: its verdict is known by then, and does not wait for what is true nearby."""


def proposals_for(statement: Statement, found: Search, most: int = 3) -> tuple[str, ...]:
    """Changes of direction, strictness, constant or domain that leave no counterexample, the proved ones first.

    After `SECONDS`, those that have been found so far.

    Examples
    --------
    >>> from rftheory.statement.search import search
    >>> from rftheory.statement.words import conformity, orthogonal, simplex, v
    >>> claim = conformity(simplex) > conformity(orthogonal)
    >>> statement = Statement("n.a", "", claim, Domain.of(claim, (v > 0,)))
    >>> proposals_for(statement, search(statement.parts, statement.domain))[0]
    'with < in place of >: proved'
    """
    proved, open_ = list[str](), list[str]()
    with suppress(NotCertified), time_limit(SECONDS):
        for changed, words in _changes(statement, found):
            decision = alone(changed)
            if decision is Decision.HOLDS:
                proved.append(f"{words}: proved")
            elif decision is Decision.UNDECIDED:
                searched = all(map(pointwise, changed.parts))  # a limit is not
                open_.append(f"{words}: {'no counterexample found' if searched else 'not decided'}")
            if len(proved) >= 2:
                break
    return (*proved, *open_)[:most]


def _changes(statement: Statement, found: Search) -> Iterator[tuple[Statement, str]]:
    parts = statement.parts
    for number, part in enumerate(parts):
        before, after = parts[:number], parts[number + 1 :]
        for new, words in _of_part(part, statement.domain):
            yield statement.says(*before, new, *after), words
    if found.witness is not None:
        yield from _restricted(statement, found)


def _of_part(part: sympy.Basic, domain: Domain) -> Iterator[tuple[sympy.Basic, str]]:
    if isinstance(part, Direction):
        side, variable, sign = part.args
        yield Direction(side, variable, -sign), f"{'increasing' if sign == -1 else 'decreasing'} instead"
        return
    if isinstance(part, ForSome) or not pointwise(part):
        limit = found_limit(part, domain)
        if limit is not None:
            yield limit, in_words(limit)
        return
    kind, sides = type(part), part.args
    if kind in WEAK:
        yield WEAK[kind](*sides, evaluate=False), f"with {SIGNS[WEAK[kind]]} in place of {SIGNS[kind]}"
    if kind in REVERSED:
        back = REVERSED[kind]
        yield back(*sides, evaluate=False), f"with {SIGNS[back]} in place of {SIGNS[kind]}"
    factor = _constant_ratio(part, domain)
    if factor is not None and factor != 1:
        yield (
            kind(sides[0], factor * sides[1], evaluate=False),
            f"with the right side times {factor}",
        )


def found_limit(part: sympy.Basic, domain: Domain) -> sympy.Basic | None:
    """The equation with the limit that was found instead of the claimed one; None if there is none.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, limit, orthogonal
    >>> claim = limit(conformity(orthogonal), d, sympy.oo) == 1
    >>> print(in_words(found_limit(claim.parts[0], Domain.of(claim, ()))))
    limit(conformity(orthogonal), d -> oo) == exp(v**2)
    """
    limits = [s for s in part.args if isinstance(s, LimitOf)]
    if len(limits) != 1 or not isinstance(part, sympy.Eq):
        return None
    inside, variable, to = limits[0].args
    try:
        found = limit_of(reduced(inside, domain), variable, to, domain)
    except RFTheoryError:
        return None
    return None if found is None else sympy.Eq(limits[0], found[0], evaluate=False)


def found_order(part: sympy.Basic, domain: Domain) -> sympy.Basic | None:
    """The equation with a larger order that is proved instead of the claimed one; None if there is none.

    Examples
    --------
    >>> from rftheory.statement.words import O, claimed, d, equal
    >>> claim = equal(1 / (d + 1), O(1 / d**2))
    >>> print(in_words(found_order(claim.parts[0], Domain.of(claim, ()))))
    1/(d + 1) == O(1/d)
    """
    growths = list(part.atoms(Growth)) if isinstance(part, sympy.Eq) else []
    if len(growths) != 1:
        return None
    scale = growths[0].args[0]
    variable, power = scale.as_base_exp()
    for step in (sympy.S.Half, sympy.S.One) if power.is_number and abs(power) > 1 else (sympy.S.Half,):
        larger = part.xreplace({growths[0]: Growth(variable ** (power - sympy.sign(power) * step))})
        proof = prove(larger, domain)
        if proof is not None and not proof.refutes:
            return larger
    return None


def found_contrary(part: sympy.Basic, domain: Domain) -> sympy.Basic | None:
    """That some value has the contrary relation, at the point where all values have it; None if there is none.

    Examples
    --------
    >>> from rftheory.statement.words import exp, for_some, v
    >>> print(found_contrary(for_some(v, exp(v) < 1, 0, 3).parts[0], Domain({})))
    for some v in [0, 3]: exp(v) >= 1
    """
    found = contrary(part, domain)
    return None if found is None else ForSome(found[1], part.args[1], found[2].low, found[2].high)


def _constant_ratio(part: sympy.Basic, domain: Domain) -> sympy.Rational | None:
    """The ratio of left to right side, if it is the same simple fraction at all points tried."""
    guess: Fraction | None = None
    seen = 0
    for values in points(domain, 12):
        try:
            with ctx.workprec(160):
                ratio = ball(part.args[0], values) / ball(part.args[1], values)
                if not ratio.is_finite():
                    continue
                low, high = bounds(ratio)
        except RFTheoryError:
            continue
        simple = ((low + high) / 2).limit_denominator(64)
        if not low <= simple <= high or (guess is not None and simple != guess):
            return None
        guess, seen = simple, seen + 1
    return None if guess is None or seen < 3 else sympy.Rational(guess.numerator, guess.denominator)


def _restricted(statement: Statement, found: Search) -> Iterator[tuple[Statement, str]]:
    """The statement with the range of one variable restricted to avoid the values at which it fails."""
    domain = statement.domain
    failing, passing = _sorted_points(statement)
    for symbol, span in domain.spans.items():
        bad, good = ({values[symbol] for values in which} for which in (failing, passing))
        if not bad or not good or span.low == span.high:
            continue
        if (above := min(good, key=_size)) > max(bad, key=_size):
            low = above if not span.integer else max(bad, key=_size) + 1
            yield _with(statement, symbol, Span(low, span.high, False, span.high_open, span.integer))
        elif max(good, key=_size) < (below := min(bad, key=_size)):
            high = max(good, key=_size) if not span.integer else below - 1
            yield _with(statement, symbol, Span(span.low, high, span.low_open, False, span.integer))
        elif len(bad) == 1 and span.contains(span.low) and bad == {span.low}:
            start = span.low + 1 if span.integer else span.low
            yield _with(
                statement, symbol, Span(start, span.high, not span.integer, span.high_open, span.integer)
            )


def _with(statement: Statement, symbol: sympy.Symbol, span: Span) -> tuple[Statement, str]:
    return statement.says(domain=statement.domain.with_span(symbol, span)), f"for {span.text(symbol.name)}"


def _size(value: sympy.Expr) -> float:
    return float(value)


def _sorted_points(statement: Statement) -> tuple[list[dict], list[dict]]:  # type: ignore[type-arg]
    failing: list[dict[sympy.Symbol, sympy.Expr]] = []
    passing: list[dict[sympy.Symbol, sympy.Expr]] = []
    parts = [part for part in statement.parts if pointwise(part)]
    for values in points(statement.domain, 80):
        try:
            truths = [decide(part, values, statement.domain)[0] for part in parts]
        except RFTheoryError:
            continue
        (failing if False in truths else passing).append(values)
    return failing, passing
