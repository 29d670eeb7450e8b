"""Three-valued truth: true, false, or None where balls do not tell. What is undecided never counts as true."""

from __future__ import annotations

from collections.abc import Iterable

from flint import arb


def larger(a: arb, b: arb | int | str) -> bool | None:
    """Truth of a > b; None where the balls do not tell.

    Examples
    --------
    >>> larger(arb(2), "1.5"), larger(arb(1), 2), larger(arb("1 +/- 0.1"), 1)
    (True, False, None)
    """
    other = arb(b)
    return True if a > other else (False if a < other else None)


def together(truths: Iterable[bool | None]) -> bool | None:
    """Truth of all of them: one that is false decides, one that is not decided leaves the rest open.

    Examples
    --------
    >>> together([True, None]), together([None, False])
    (None, False)
    """
    found = list(truths)
    return False if False in found else (None if None in found else True)


def negated(truth: bool | None) -> bool | None:
    """Not true; what is not decided stays so.

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
