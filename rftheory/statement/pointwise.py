"""The truth of a part of a statement at one point: both sides are enclosed there, and the enclosures compared.

A comparison is true, false, or undecided if the enclosures touch; only disjoint enclosures refute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import log10

import sympy
from flint import acb, arb

from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain
from rftheory.exact.enclosure import Ball, climb, in_digits
from rftheory.exact.evaluate import evaluate
from rftheory.exact.order import floor_of, in_order
from rftheory.exact.substitution import with_values
from rftheory.exact.truth import SIGNS, related
from rftheory.names import point_text
from rftheory.statement.atoms import EntryOf, Growth
from rftheory.statement.domain import Domain, Values, natural_span
from rftheory.statement.words import Direction, ForSome, LimitOf

BITS = (40, 80, 160, 320)
"""Working precisions, tried one after another."""
ENDS = BITS[0], BITS[-1]
"""Those for equations: where few bits do not tell the sides apart, they are most often equal, and no others will."""
WIDE = 8
"""Fewer bits than these, and an enclosure is shown by one of its ends."""


def in_point(values: Values) -> str:
    """A point in words.

    Examples
    --------
    >>> in_point({sympy.Symbol("d"): sympy.Integer(2)})
    'd = 2'
    """
    return point_text(values) or "everywhere"


def pointwise(part: sympy.Basic) -> bool:
    """Whether a part of a claim can be compared at single points: no limit, no order of growth.

    Examples
    --------
    >>> pointwise(sympy.Eq(LimitOf(sympy.Symbol("v"), sympy.Symbol("v"), sympy.S.Zero), 1))
    False
    """
    return not part.has(LimitOf, Growth)


Words = Callable[[], str]
"""Both sides in words, typeset when they are asked for: at most one point of a search is shown."""
SILENT: Words = str

Found = tuple[bool | None, Words, int]
"""Truth, both sides in words, and the number of digits to which sides agree that no precision tells apart."""

OPEN: Found = (None, SILENT, 0)


def decide(part: sympy.Basic, values: Values, domain: Domain) -> Found:
    """What is found of a part at a point; a direction needs another point of the domain.

    Raises
    ------
    NotKnown, NotCertified, OutsideDomain : a side has no value there.

    Examples
    --------
    >>> v = sympy.Symbol("v", nonnegative=True)
    >>> truth, words, _ = decide(sympy.Lt(v, v**2), {v: sympy.Rational(1, 2)}, Domain({}))
    >>> truth, words()
    (False, 'v = 0.500000 > 0.250000 = v**2')
    """
    if isinstance(part, Direction):
        return _decide_direction(part, values, domain)
    if isinstance(part, ForSome):
        return _decide_for_some(part, values, domain)
    left, right = part.args
    side = value_at if isinstance(part, sympy.Eq | sympy.Ne) else ball
    ladder = ENDS if isinstance(part, sympy.Eq | sympy.Ne) else BITS
    one, other, truth = _compared(
        lambda: (side(left, values), side(right, values)), SIGNS[type(part)], ladder
    )
    if truth is None:
        return None, SILENT, _alike(one, other)

    def words() -> str:
        cells = ({cell: cell.subs(values) for cell in e.atoms(EntryOf)} for e in part.args)
        first, second = (e.xreplace(named) for e, named in zip(part.args, cells, strict=True))
        return _in_words(first, one, other, second)

    return truth, words, 0


def _compared(
    sides: Callable[[], tuple[Ball, Ball]], sign: str, ladder: Sequence[int] = BITS
) -> tuple[Ball, Ball, bool | None]:
    """Both sides and the truth of a relation between them, at the first precision that tells, or at the last."""
    found: list[tuple[Ball, Ball, bool | None]] = []

    def tried() -> tuple[Ball, Ball, bool | None]:
        one, other = sides()
        found.append((one, other, related(one, sign, other)))
        return found[-1]

    climb(tried, lambda last: last[2] is not None, ladder, passing=NotCertified)
    return found[-1]


def _alike(one: Ball, other: Ball) -> int:
    """The number of digits to which two values agree that no precision tells apart."""
    bits = min(one.rel_accuracy_bits(), other.rel_accuracy_bits(), BITS[-1])
    return max(0, int((bits - 1) * log10(2)))


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
        raise NotCertified(str(expression), wanted="a finite value", reached="its enclosure is infinite")
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
    alike = acb(one).overlaps(acb(other))
    for digits in (6,) if alike else (6, 10, 16, 24):
        first, second = (in_digits(value, digits) for value in (one, other))
        if first != second:
            break
    return words[0] + first, words[1] + second


def _end(value: arb, smaller: bool) -> tuple[arb, str]:
    """The value if it is accurate, else the end of its enclosure that decides, and in words which."""
    if value.rel_accuracy_bits() >= WIDE:
        return value, ""
    return (arb(value.upper()), "at most ") if smaller else (arb(value.lower()), "at least ")


def _named(expression: sympy.Expr, value: str, after: bool = False) -> str:
    text = _printed(expression)
    if expression.is_number:
        return text if len(text) <= len(value) + 2 else value
    return f"{value} = {text}" if after else f"{text} = {value}"


@lru_cache(maxsize=512)
def _printed(expression: sympy.Expr) -> str:
    """Kept: the changes of a statement have most of their sides in common."""
    return str(expression)


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


def _decide_direction(part: Direction, values: Values, domain: Domain) -> Found:
    """Whether the values at a point and one step away, in the domain, have the claimed order."""
    side, variable, sign = part.args
    other = next_to(values, variable, domain)
    if other is None:
        return OPEN
    later = bool(other[variable] > values[variable])
    order = "<" if (sign == 1) == later else ">"
    here, there, truth = _compared(lambda: (ball(side, values), ball(side, other)), order)

    def words() -> str:
        first, second = _digits(here, there)
        should = "larger" if order == "<" else "smaller"
        return f"the value is {first}, but {second} at {variable} = {other[variable]}, where it should be {should}"

    return truth, words, 0


def _decide_for_some(part: ForSome, values: Values, domain: Domain) -> Found:
    """True if a value is found; never false, because no finite search excludes all values.

    Raises
    ------
    NotKnown, NotCertified, InvalidInput : a side has no value at any of them.
    """
    relation, variable, low, high = part.args
    low, high = (with_values(e, values) for e in (low, high))
    own = natural_span(variable)
    problems, compared = list[Exception](), False
    for n in range(33):
        share = sympy.Rational(n, 33 - n if high == sympy.oo else 32)
        place = low + (1 if high == sympy.oo else high - low) * share
        place = floor_of(place) if variable.is_integer else place
        if not (
            own.contains(place) and in_order(low, place, strict=False) and in_order(place, high, strict=False)
        ):
            continue
        try:
            truth, words, _ = decide(relation, {**values, variable: place}, domain)
        except (NotKnown, NotCertified, OutsideDomain, InvalidInput) as problem:
            problems.append(problem)
            continue
        compared = True
        if truth:
            return True, partial(_at_value, variable, place, words), 0
    if problems and not compared:
        raise problems[0]  # no value can be found
    return OPEN


def _at_value(variable: sympy.Symbol, value: sympy.Expr, words: Words) -> str:
    return f"{variable} = {value}: {words()}"
