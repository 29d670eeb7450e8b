"""What may remain true near a statement that fails: proposals, each with its support; none of them is a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import sympy
from flint import ctx

from rftheory.errors import NotCertified, RFTheoryError
from rftheory.exact.enclosure import bounds
from rftheory.exact.limits import cpu_limit
from rftheory.exact.truth import SIGNS, WEAK
from rftheory.judge.verdict import Decision, conclude
from rftheory.statement.atoms import Growth
from rftheory.statement.domain import Domain, Span, Values, points
from rftheory.statement.pointwise import ball, decide, pointwise
from rftheory.statement.provers.exists import contrary
from rftheory.statement.provers.expand import limit_in
from rftheory.statement.provers.instances import instances, refuted_at
from rftheory.statement.provers.proof import prove
from rftheory.statement.search import Search
from rftheory.statement.settle import settled_alone
from rftheory.statement.statement import Statement
from rftheory.statement.words import Direction, ForSome, in_words, limits_of, substituted

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
    'with < in place of >: certified'
    """
    proved, open_ = list[str](), list[str]()
    with suppress(NotCertified), cpu_limit(SECONDS):
        for changed, words in _changes(statement, found):
            after = settled_alone(changed)
            if after is None or after.decision is Decision.FAILS:
                continue
            if after.decision is Decision.HOLDS:
                proved.append(f"{words}: {conclude(after.proofs, claim=changed.id).grade}")
            elif _has_limits(changed):
                open_.append(f"{words}: not decided")
            elif not after.search.skipped:  # probabilities have values at few points
                open_.append(f"{words}: no counterexample found")
            if len(proved) >= 2:
                break
    return (*proved, *open_)[:most]


def _changes(statement: Statement, found: Search) -> Iterator[tuple[Statement, str]]:
    parts = statement.parts
    for number, part in enumerate(parts):
        before, after = parts[:number], parts[number + 1 :]
        for new, words in _of_part(part, statement.domain):
            yield statement.says(*before, new, *after), words
    if found.witness is not None or _has_limits(statement):
        yield from _restricted(statement)


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
    limits = limits_of(part)
    if len(limits) != 1 or not isinstance(part, sympy.Eq):
        return None
    try:
        found = limit_in(part, domain)
    except RFTheoryError:
        return None
    if found is None or found.value.has(sympy.sign):  # infinite where it is not 0
        return None
    return sympy.Eq(limits[0], found.value, evaluate=False)


def found_for_some(part: sympy.Basic, domain: Domain) -> sympy.Basic | None:
    """The equation with the limit that was found for those values of other variables that refute the claimed one.

    Examples
    --------
    >>> from rftheory.statement.words import d, exp, limit, v
    >>> claim = limit(d * (exp(v**2) - 1), d, sympy.oo) == sympy.oo
    >>> print(in_words(found_for_some(claim.parts[0], Domain.of(claim, ()))))
    limit(0, d -> oo) == 0
    """
    where = refuted_at(part, domain) if found_limit(part, domain) is None else ()
    true = (found_limit(substituted(part, values), fixed) for values, fixed, _ in where)
    return next((one for one in true if one is not None), None)


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


def _restricted(statement: Statement) -> Iterator[tuple[Statement, str]]:
    """The statement with the range of one variable restricted to avoid the values at which it fails."""
    domain = statement.domain
    failing, passing = _sorted_points(statement)
    for symbol, span in domain.spans.items():
        bad, good = ({values[symbol] for values in which if symbol in values} for which in (failing, passing))
        narrower = _beyond(bad, good, span) if bad and good and span.low != span.high else None
        if narrower is not None:
            yield (
                statement.says(domain=domain.with_span(symbol, narrower)),
                f"for {narrower.text(symbol.name)}",
            )


def _beyond(bad: set[sympy.Expr], good: set[sympy.Expr], span: Span) -> Span | None:
    """The range without the values that fail, if they lie at its end, or all below or above the others.

    It begins next to an end that fails, and next to 0; otherwise with the first value that does not fail.
    """
    low, high = max(bad, key=_size), min(bad, key=_size)
    above, below = min(good, key=_size), max(good, key=_size)
    alone = bad == {span.low} and span.contains(span.low)
    if alone or above > low:
        if span.integer:
            return replace(span, low=low + 1)
        next_to_it = alone or low == 0
        return replace(span, low=low if next_to_it else above, low_open=next_to_it)
    return replace(span, high=high - 1 if span.integer else below, high_open=False) if below < high else None


def _size(value: sympy.Expr) -> float:
    return float(value)


def _sorted_points(statement: Statement) -> tuple[list[Values], list[Values]]:
    """Points at which the statement fails, and others; of limits, values of the variables that stay fixed."""
    failing, passing = list[Values](), list[Values]()
    for values, truth in _limits(statement) if _has_limits(statement) else _truths(statement):
        (passing if truth else failing).append(values)
    return failing, passing


def _has_limits(statement: Statement) -> bool:
    return not all(map(pointwise, statement.parts))


def _truths(statement: Statement) -> Iterator[tuple[Values, bool]]:
    for values in points(statement.domain, 80):
        with suppress(RFTheoryError):
            yield values, all(decide(p, values, statement.domain)[0] is not False for p in statement.parts)


def _limits(statement: Statement) -> Iterator[tuple[Values, bool]]:
    for part in statement.parts:
        with suppress(RFTheoryError):  # a law in a limit may have bounds alone
            for values, fixed in instances(part, statement.domain):
                if (found := prove(part, fixed)) is not None:
                    yield values, not found.refutes
