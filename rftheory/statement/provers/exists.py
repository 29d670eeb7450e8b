"""Provers of what holds for some value: a value that serves everywhere, a change of sign, or the contrary for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy

from rftheory.errors import RFTheoryError
from rftheory.exact.order import floor_of, in_order
from rftheory.exact.substitution import with_values
from rftheory.exact.truth import SIGNS, decided
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import Growth
from rftheory.statement.domain import Domain, Span, Values, cases_of, corners, laws_exist, natural_span
from rftheory.statement.pointwise import in_point
from rftheory.statement.provers.continuous import continuous
from rftheory.statement.provers.proof import Proof, proved, uncited
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.signs import at_least_zero, sign
from rftheory.statement.words import ForSome, in_words, substituted

MOST_CORNERS = 12
"""How many points are looked at for the contrary."""
SHARES = (0, 1, sympy.Rational(1, 2), sympy.Rational(1, 4), sympy.Rational(3, 4))
"""Where in the range a value is tried."""


def by_existence(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove or refute that a relation holds for some value, at every point of the domain.

    Examples
    --------
    >>> from rftheory.statement.words import equal, exp, for_some, v
    >>> u = sympy.Symbol("u", real=True)
    >>> root = for_some(u, equal(exp(u), 2 + v), 0, 3)
    >>> by_existence(root.parts[0], Domain.of(root, (v <= 4,))).says
    'the difference of the sides is continuous in u, <= 0 at u = 0 and >= 0 at u = 3'
    >>> none = for_some(u, equal(exp(u), -v), 0, 3)
    >>> by_existence(none.parts[0], Domain.of(none, (v <= 4,))).refutes
    True
    """
    if not isinstance(part, ForSome):
        return None
    own, place = _in_shares(part, domain)
    found = _by_value(own, domain) or _by_change_of_sign(own, domain)
    if found is not None and own != part:
        found = replace(found, says=f"{part.args[1]} = {place}: {found.says}".replace("_share", "share"))
    return found or _by_contrary(part, domain)


def _in_shares(part: ForSome, domain: Domain) -> tuple[ForSome, sympy.Expr]:
    """The same with the share of the range as the variable, where the ends are no numbers, and what varies with it.

    The range must be known to have a value at every point, and the variable no limits of its own beside the lower end.
    """
    relation, variable, low, high = part.args
    own = natural_span(variable)
    free = not own.integer and own.high == sympy.oo and own.low in (-sympy.oo, low)
    width = "positive" if high == sympy.oo else sign(high - low, domain)
    has_values = width == "positive" or (at_least_zero(width) and not own.low_open)
    if (low.is_number and high.is_number) or not (free and has_values):
        return part, variable
    share = sympy.Dummy("share", real=True, positive=own.low_open or None)
    unit, end = (sympy.S.One, high) if high == sympy.oo else (high - low, sympy.S.One)
    place = low + share * unit
    return ForSome(substituted(relation, {variable: place}), share, sympy.S.Zero, end), place


def _range(part: ForSome) -> Span | None:
    """The values that count: those between the ends that the variable may have; None if the ends are no numbers."""
    _, variable, low, high = part.args
    own = natural_span(variable)
    if not (low.is_number and high.is_number):
        return None
    low, low_open = (own.low, own.low_open) if _in_order(low, own.low) else (low, False)
    high, high_open = (own.high, own.high_open) if _in_order(own.high, high) else (high, False)
    found = Span(low, high, low_open, high_open, own.integer)
    return None if found.is_empty else found


def _in_order(low: sympy.Expr, high: sympy.Expr) -> bool:
    return decided(in_order(low, high, strict=False), f"{low} <= {high}")


def _places(span: Span) -> Iterator[sympy.Expr]:
    """Some values of a range, its ends first."""
    width = span.high - span.low if span.high.is_finite else sympy.Integer(8)
    for share in SHARES if span.low.is_finite else ():
        place = span.low + share * width
        place = floor_of(place) if span.integer else place
        if span.contains(place):
            yield place


def _by_value(part: ForSome, domain: Domain) -> Proof | None:
    relation, variable, *_ = part.args
    span = _range(part)
    for place in dict.fromkeys(_places(span)) if span is not None else ():
        there = {variable: place}
        found = proved(substituted(relation, there), domain) if laws_exist(relation, there, domain) else None
        if found is not None:
            return Proof(found.kind, f"at {variable} = {place}: {found.says}", found.covers, found.assumes)
    return None


def _by_change_of_sign(part: ForSome, domain: Domain) -> Proof | None:
    """A real difference that is continuous in the variable and has both signs vanishes in between."""
    relation, variable, *_ = part.args
    span = _range(part)
    if span is None or span.integer or not isinstance(relation, sympy.Eq) or relation.has(Growth):
        return None
    others = tuple(
        r for r in domain.relations if not r.has(variable)
    )  # which say nothing of the one that it binds
    whole = replace(domain.with_span(variable, span), relations=others)
    if not laws_exist(relation, {variable: variable}, whole):
        return None
    sides = [reduced(side, whole) for side in relation.args]
    if not all(continuous(side, variable, whole) for side in sides):
        return None
    says, assumes = [], dict[str, None]()
    for order in (sympy.LessThan, sympy.GreaterThan):
        for place in dict.fromkeys(_places(span)):
            found = proved(
                order(*(with_values(side, {variable: place}) for side in sides), evaluate=False), domain
            )
            if found is not None:
                says.append(f"{SIGNS[order]} 0 at {variable} = {place}")
                assumes.update(dict.fromkeys(found.assumes))
                break
        else:
            return None
    signs = f"the difference of the sides is continuous in {variable}, {' and '.join(says)}"
    return Proof(
        Kind.CERTIFIED, signs, "domain" if domain.cases is None else cases_of(domain), tuple(assumes)
    )


def contrary(part: sympy.Basic, domain: Domain) -> tuple[Values, sympy.Basic, Span] | None:
    """A point at which no value serves, the relation that all have there, and their range; None if none is found.

    Examples
    --------
    >>> from rftheory.statement.words import exp, for_some, v
    >>> none = for_some(v, exp(v) < 1, 0, 3).parts[0]
    >>> contrary(none, Domain({}))[1]
    exp(v) >= 1
    """
    # with a rest O(...) at its best for it, the contrary of a relation may hold as well
    for values in corners(domain, MOST_CORNERS) if isinstance(part, ForSome) and not part.has(Growth) else ():
        relation, variable, *_ = here = substituted(part, values).args
        span = _range(ForSome(*here))
        if span is None:
            continue
        own = Domain({variable: span})
        for kind in _contraries(relation):
            if kind is sympy.Ne and not span.integer:
                continue  # real numbers differ everywhere where one of them is larger
            try:
                found = uncited(other := kind(*relation.args, evaluate=False), own)
            except RFTheoryError:  # a side has no value there
                continue
            if found is not None:
                return values, other, span
    return None


def _contraries(relation: sympy.Basic) -> tuple[type[sympy.Basic], ...]:
    """The relations that exclude one."""
    if isinstance(relation, sympy.Eq):
        return sympy.StrictLessThan, sympy.StrictGreaterThan, sympy.Ne
    return (type(relation.negated),)


def _by_contrary(part: ForSome, domain: Domain) -> Proof | None:
    found = contrary(part, domain)
    if found is None:
        return None
    values, other, span = found
    says = f"{in_point(values)}: {in_words(other)} for all {span.text(part.args[1].name)}"
    return Proof(Kind.CERTIFIED, says, covers="points", refutes=True)
