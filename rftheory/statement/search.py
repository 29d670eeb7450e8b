"""The search for counterexamples: both sides of a claim are enclosed at exact points, the simplest and corners first.

A comparison is true, false, or undecided if the enclosures touch; only disjoint enclosures refute.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import sympy
from flint import acb, arb

from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain
from rftheory.exact.enclosure import Ball, climb
from rftheory.exact.evaluate import evaluate
from rftheory.exact.truth import SIGNS, related, together
from rftheory.statement.atoms import EntryOf, Growth, ProbabilityOf
from rftheory.statement.domain import Domain, Values, corners, natural_span, points
from rftheory.statement.words import Direction, ForSome, LimitOf

BITS = (80, 160, 320)
"""Working precisions, tried one after another."""
WIDE = 8
"""Fewer bits than these, and an enclosure is shown by one of its ends."""


@dataclass(frozen=True)
class Search:
    """The result of a search.

    Attributes
    ----------
    tried : number of points at which both sides have values.
    agreed : number of those at which the claim is certified; at the others the enclosures of the sides overlap.
    skipped : number of points at which a side has no value; ``why`` gives one reason.
    witness : the first point at which the claim is false.
    sides : the enclosures there, in words.
    unfound : points at which a ``for_some`` found no value for which it holds, among those that were tried.

    Examples
    --------
    >>> Search(3, 2, 0, "", None, "").witness is None
    True
    """

    tried: int
    agreed: int
    skipped: int
    why: str
    witness: Values | None
    sides: str
    unfound: int = 0

    @property
    def summary(self) -> str:
        """One line.

        Examples
        --------
        >>> Search(3, 2, 0, "", None, "").summary
        'no counterexample at 3 points (at 1 of them the enclosures overlap)'
        """
        if self.witness is not None:
            return (
                f"counterexample {in_point(self.witness) if self.witness else ''}".strip() + f": {self.sides}"
            )
        if self.unfound:
            where = f" at {self.unfound} of {self.tried} points" if self.tried > 1 else ""
            return f"no value was found for which it holds{where}; that excludes none"
        alike = self.tried - self.agreed
        equal = f" (at {alike} of them the enclosures overlap)" if alike else ""
        left = f"; {self.skipped} points without a value: {self.why}" if self.skipped else ""
        return f"no counterexample at {self.tried} points{equal}{left}"


def in_point(values: Values) -> str:
    """A point in words.

    Examples
    --------
    >>> in_point({sympy.Symbol("d"): sympy.Integer(2)})
    'd = 2'
    """
    return ", ".join(f"{symbol} = {value}" for symbol, value in values.items()) or "everywhere"


def pointwise(part: sympy.Basic) -> bool:
    """Whether a part of a claim can be compared at single points: no limit, no order of growth.

    Examples
    --------
    >>> pointwise(sympy.Eq(LimitOf(sympy.Symbol("v"), sympy.Symbol("v"), sympy.S.Zero), 1))
    False
    """
    return not part.has(LimitOf, Growth)


def search(parts: Sequence[sympy.Basic], domain: Domain, *, most: int = 80, seconds: float = 10.0) -> Search:
    """Look for a point at which one of the parts is false.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, exp, orthogonal, v
    >>> claim = conformity(orthogonal) < 1 + v**2
    >>> found = search(claim.parts, Domain.of(claim, (v > 0,)))
    >>> print(found.summary)
    counterexample d = 2, v = 1/2: conformity(orthogonal) = 1.27479 > 1.25000 = v**2 + 1
    """
    parts = [part for part in parts if pointwise(part)]
    until = time.perf_counter() + seconds
    where = (_cells(parts, domain) or chain(_hard(parts, domain), corners(domain, most))) if parts else ()
    found = _over(parts, domain, where, until)
    if found.witness is None:
        return found
    simplest = _over(parts, domain, points(domain, 40), until)
    return replace(found if simplest.witness is None else simplest, tried=found.tried)


def _hard(parts: Sequence[sympy.Basic], domain: Domain) -> Iterator[Values]:
    """Points of the domain at which events are known to be likely."""
    for atom in {atom for part in parts for atom in part.atoms(ProbabilityOf)}:
        for point in atom.event.hard:
            values = {
                symbol: sympy.sympify(point[symbol.name]) for symbol in domain.symbols if symbol.name in point
            }
            if len(values) == len(domain.symbols) and domain.contains(values):
                yield values


def _cells(parts: Sequence[sympy.Basic], domain: Domain) -> list[dict[sympy.Symbol, sympy.Expr]] | None:
    """All points of a finite domain on which tables are read: any cell may be the one that refutes."""
    return domain.cases if any(part.has(EntryOf) for part in parts) else None


def search_at(parts: Sequence[sympy.Basic], domain: Domain, values: Values) -> Search:
    """The search of one point.

    Examples
    --------
    >>> v = sympy.Symbol("v", nonnegative=True)
    >>> search_at((v**2 < 2,), Domain({}), {v: sympy.Integer(1)}).summary
    'no counterexample at 1 points'
    """
    return _over(parts, domain, (values,), float("inf"))


def _over(parts: Sequence[sympy.Basic], domain: Domain, where: Iterable[Values], until: float) -> Search:
    """Search up to the first point at which a part is false."""
    tried = agreed = skipped = unfound = 0
    why = ""
    for values in where:
        try:
            truths, missing = [], False
            for part in parts:
                truth, sides = decide(part, values, domain)
                truth = False if truth is None and _equal_after_all(part, values) else truth
                truths.append(truth)
                missing = missing or (truth is None and isinstance(part, ForSome))
                if truth is False:
                    return Search(tried + 1, agreed, skipped, why, values, sides or "both sides are equal")
            tried += 1
            unfound += missing
            agreed += together(truths) is True
        except (NotKnown, NotCertified, OutsideDomain, InvalidInput) as problem:
            skipped += 1
            why = why or f"{in_point(values)}: {' '.join(str(problem).split())}"
            if skipped > 40 and not tried:
                break
        if time.perf_counter() > until:
            break
    return Search(tried, agreed, skipped, why, None, "", unfound)


def _equal_after_all(part: sympy.Basic, values: Values) -> bool:
    """Whether the sides of a strict inequality that no enclosure separates are the same expression at the point."""
    from rftheory.statement.prove import by_identity

    if not isinstance(part, sympy.StrictLessThan | sympy.StrictGreaterThan | sympy.Ne):
        return False
    sides = (side.subs(values, simultaneous=True) for side in part.args)
    return by_identity(sympy.Eq(*sides, evaluate=False), Domain({})) is not None


def decide(part: sympy.Basic, values: Values, domain: Domain) -> tuple[bool | None, str]:
    """Truth of a part at a point, and both sides in words; a direction needs another point of the domain.

    Raises
    ------
    NotKnown, NotCertified, OutsideDomain : a side has no value there.

    Examples
    --------
    >>> v = sympy.Symbol("v", nonnegative=True)
    >>> decide(sympy.Lt(v, v**2), {v: sympy.Rational(1, 2)}, Domain({}))
    (False, 'v = 0.500000 > 0.250000 = v**2')
    """
    if isinstance(part, Direction):
        return _decide_direction(part, values, domain)
    if isinstance(part, ForSome):
        return _decide_for_some(part, values, domain)
    left, right = part.args
    side = value_at if isinstance(part, sympy.Eq | sympy.Ne) else ball
    found = _compared(lambda: (side(left, values), side(right, values)), SIGNS[type(part)])
    if found is None:
        return None, ""
    left, right = (e.xreplace({cell: cell.subs(values) for cell in e.atoms(EntryOf)}) for e in part.args)
    return found[2], _in_words(left, *found[:2], right)


def _compared(sides: Callable[[], tuple[Ball, Ball]], sign: str) -> tuple[Ball, Ball, bool] | None:
    """Both sides and the truth of a relation between them, at the first precision that tells; else None."""

    def tried() -> tuple[Ball, Ball, bool | None]:
        one, other = sides()
        return one, other, related(one, sign, other)

    return climb(tried, lambda found: found[2] is not None, BITS)[0]  # type: ignore[return-value]


def ball(expression: sympy.Expr, values: Values) -> arb:
    """The enclosure of a real side at a point.

    Raises
    ------
    NotCertified : the value is not real, or infinite.

    Examples
    --------
    >>> v = sympy.Symbol("v", nonnegative=True)
    >>> ball(sympy.exp(v), {v: sympy.Integer(0)})
    1.00000000000000
    """
    found = value_at(expression, values)
    if isinstance(found, acb):
        raise NotCertified(str(expression), wanted="a real value", reached=found.str(5))
    return found


def value_at(expression: sympy.Expr, values: Values) -> Ball:
    """The enclosure of a side at a point, an arb if it is known to be real.

    Raises
    ------
    NotCertified : the value is infinite, or there is none.

    Examples
    --------
    >>> v = sympy.Symbol("v", nonnegative=True)
    >>> value_at(v * sympy.I, {v: sympy.Integer(1)})
    1.00000000000000j
    """
    try:
        found = evaluate(expression, values)
    except ZeroDivisionError:
        found = arb("nan")
    if not found.is_finite():
        raise NotCertified(str(expression), wanted="a finite value", reached=f"none at {in_point(values)}")
    return found.real if isinstance(found, acb) and found.imag.is_zero() else found


def _in_words(left: sympy.Expr, one: Ball, other: Ball, right: sympy.Expr) -> str:
    if isinstance(one, arb) and isinstance(other, arb):
        sign = "<" if one < other else (">" if one > other else "=")
    else:
        sign = "=" if acb(one).overlaps(acb(other)) else "!="
    first, second = _digits(one, other)
    return f"{_named(left, first)} {sign} {_named(right, second, after=True)}"


def _digits(one: Ball, other: Ball) -> tuple[str, str]:
    """Both values with enough digits to distinguish them, at least six; of a wide enclosure the end that does so."""
    words = ["", ""]
    if isinstance(one, arb) and isinstance(other, arb) and not one.overlaps(other):
        (one, words[0]), (other, words[1]) = _end(one, bool(one < other)), _end(other, bool(other < one))
    for digits in (6, 10, 16, 24):
        first, second = (value.str(digits, radius=False) for value in (one, other))
        if first != second:
            break
    return words[0] + first, words[1] + second


def _end(value: arb, smaller: bool) -> tuple[arb, str]:
    """The value if it is accurate, else the end of its enclosure that decides, and in words which."""
    if value.rel_accuracy_bits() >= WIDE:
        return value, ""
    return (arb(value.upper()), "at most ") if smaller else (arb(value.lower()), "at least ")


def _named(expression: sympy.Expr, value: str, after: bool = False) -> str:
    if expression.is_number:
        return str(expression) if len(str(expression)) <= len(value) + 2 else value
    return f"{value} = {expression}" if after else f"{expression} = {value}"


def next_to(values: Values, variable: sympy.Symbol, domain: Domain) -> Values | None:
    """A point one step away in a variable, with which a direction is tested; None if there is none in the domain.

    Examples
    --------
    >>> d = sympy.Symbol("d", integer=True, positive=True)
    >>> next_to({d: sympy.Integer(2)}, d, Domain({}))
    {d: 3}
    """
    steps = (
        (1, -1) if variable.is_integer else (*(sympy.Rational(s, 4) for s in (1, -1)), sympy.Rational(-1, 64))
    )
    beside = ({**values, variable: values[variable] + step} for step in steps)
    return next((point for point in beside if domain.contains(point)), None)


def _decide_direction(part: Direction, values: Values, domain: Domain) -> tuple[bool | None, str]:
    """Whether the values at a point and one step away, in the domain, have the claimed order."""
    side, variable, sign = part.args
    other = next_to(values, variable, domain)
    if other is None:
        return None, ""
    later = bool(other[variable] > values[variable])
    found = _compared(lambda: (ball(side, values), ball(side, other)), "<" if (sign == 1) == later else ">")
    if found is None:
        return None, ""
    first, second = _digits(*found[:2])
    return found[2], f"{first} there, {second} at {variable} = {other[variable]}"


def _decide_for_some(part: ForSome, values: Values, domain: Domain) -> tuple[bool | None, str]:
    """True if a value is found; never false, because no finite search excludes all values."""
    relation, variable, low, high = part.args
    low, high = (e.subs(values) for e in (low, high))
    own = natural_span(variable)
    for n in range(33):
        share = sympy.Rational(n, 33 - n if high == sympy.oo else 32)
        place = low + (1 if high == sympy.oo else high - low) * share
        place = sympy.floor(place) if variable.is_integer else place
        if not (own.contains(place) and low <= place <= high):
            continue
        try:
            truth, sides = decide(relation, {**values, variable: place}, domain)
        except (NotKnown, NotCertified, OutsideDomain, InvalidInput):
            continue
        if truth:
            return True, f"{variable} = {place}: {sides}"
    return None, ""
