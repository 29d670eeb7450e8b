"""Three-valued truth: true, false, or None if balls do not decide. Undecided never counts as true."""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from flint import acb, arb, ctx

from rftheory.errors import InvalidInput, Undecided

SIGNS = {sympy.Eq: "=", sympy.Ne: "!=", sympy.StrictLessThan: "<", sympy.LessThan: "<=", sympy.StrictGreaterThan: ">",
    sympy.GreaterThan: ">="}  # fmt: skip
"""The sign of each relation of sympy."""
RELATIONS = {sign: relation for relation, sign in SIGNS.items()}
"""The relation of each sign."""
ORDERINGS = (sympy.StrictLessThan, sympy.LessThan, sympy.StrictGreaterThan, sympy.GreaterThan)
"""The relations that order two sides."""
WEAK = {sympy.StrictLessThan: sympy.LessThan, sympy.StrictGreaterThan: sympy.GreaterThan}
"""Those that leave out equal sides, and the same with them."""
STRICT = tuple(WEAK)
STRICTER = {weak: strict for strict, weak in WEAK.items()}


def related(a: arb | acb, sign: str, b: arb | acb) -> bool | None:
    """Truth of a relation between two balls, None if they do not decide it; only exact balls can be equal.

    Raises
    ------
    InvalidInput : an order between complex numbers, or an unknown sign.

    Examples
    --------
    >>> related(arb(1), "<=", arb(1)), related(arb("1 +/- 0.1"), "=", arb(1)), related(arb(1), "!=", arb(2))
    (True, None, True)
    """
    if sign in ("=", "!="):
        equal = True if (a - b).is_zero() else (False if not acb(a).overlaps(acb(b)) else None)
        return equal if sign == "=" else negated(equal)
    if not (isinstance(a, arb) and isinstance(b, arb)):
        raise InvalidInput("relation", needs="real sides for an order", got=f"{a} {sign} {b}")
    if sign == "<":
        return True if a < b else (False if a >= b else None)
    if sign == "<=":
        return True if a <= b else (False if a > b else None)
    if sign in (">", ">="):
        return related(b, {">": "<", ">=": "<="}[sign], a)
    raise InvalidInput("relation", needs="one of =, !=, <, <=, >, >=", got=sign)


def larger(a: arb, b: arb | int | str) -> bool | None:
    """Truth of a > b; None if the balls do not decide it.

    Examples
    --------
    >>> larger(arb(2), "1.5"), larger(arb(1), 2), larger(arb("1 +/- 0.1"), 1)
    (True, False, None)
    """
    other = arb(b)
    return True if a > other else (False if a < other else None)


def decided(truth: bool | None, what: str) -> bool:
    """The truth if it is known; otherwise the precision must be raised.

    Raises
    ------
    Undecided : the balls do not decide; :func:`~rftheory.exact.enclosure.certify` then tries more bits.

    Examples
    --------
    >>> decided(larger(arb(2), 1), "2 > 1")
    True
    """
    if truth is None:
        raise Undecided(what, reached=f"{ctx.prec} bits do not decide it", hint="the two sides may be equal")
    return truth


def is_positive(x: arb, what: str) -> bool:
    """Whether x > 0, proved either way.

    Raises
    ------
    Undecided : the ball straddles 0.

    Examples
    --------
    >>> is_positive(arb(2), "two"), is_positive(arb(0), "nothing")
    (True, False)
    """
    return decided(True if x > 0 else (False if x <= 0 else None), f"{what} > 0")


def together(truths: Iterable[bool | None]) -> bool | None:
    """Truth of all of them: False if one is false, which ends the search, else None if one is undecided.

    Examples
    --------
    >>> together([True, None]), together([None, False])
    (None, False)
    """
    undecided = False
    for truth in truths:
        if truth is None:
            undecided = True
        elif not truth:
            return False
    return None if undecided else True


def negated(truth: bool | None) -> bool | None:
    """The negation; undecided stays undecided.

    Examples
    --------
    >>> negated(True), negated(None)
    (False, None)
    """
    return None if truth is None else not truth


def at_least_one(truths: Iterable[bool | None]) -> bool | None:
    """Truth of at least one of them.

    Examples
    --------
    >>> at_least_one([None, True]), at_least_one([None, False])
    (True, None)
    """
    return negated(together(negated(t) for t in truths))
