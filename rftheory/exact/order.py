"""The order of exact numbers, decided by enclosures.

sympy decides it by floating-point numbers: it takes log(1 + 10^-120) for 0, the floor of erf(20) for 1, and an integral
for the sum over some nodes. Here a comparison is true, false, or None where neither balls nor algebra decide it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import cmp_to_key, lru_cache
from importlib import import_module
from typing import Any

import sympy
from flint import acb, arb, ctx

from rftheory.errors import RFTheoryError, Undecided
from rftheory.exact.enclosure import climb
from rftheory.exact.truth import RELATIONS, SIGNS, decided, related

# Facts from which a fact may follow are asked by sympy in random order: in one order it takes less time, and repeats
# what it did.
vars(import_module("sympy.core.assumptions"))["shuffle"] = list.sort

QUICK, LONG = (80, 160, 320), (1024, 4096)
"""Working precisions before algebra is asked whether two numbers are equal, and after, for elementary functions."""
_FAILURES = (RFTheoryError, ArithmeticError)
_WAYS: dict[str, Callable[[sympy.Expr], Any]] = {}
"""How a number is enclosed, and how it is shown to be 0: by what is built on comparisons."""


def decide_by(**ways: Callable[[sympy.Expr], Any]) -> None:
    """Set how a number is enclosed (``ball``), or shown to be 0 (``zero``).

    Examples
    --------
    >>> decide_by(ball=_WAYS["ball"])
    """
    _WAYS.update(ways)


@lru_cache(maxsize=2**13)
def compared(left: sympy.Expr, sign: str, right: sympy.Expr = sympy.S.Zero) -> bool | None:
    """Truth of a relation between two numbers; None if it is not decided, or has none.

    Examples
    --------
    >>> tiny = sympy.Rational(1, 10**120)
    >>> compared(sympy.log(1 + tiny), ">"), compared(sympy.sqrt(2) * sympy.sqrt(3), "=", sympy.sqrt(6))
    (True, True)
    >>> root = sympy.sqrt(3 + 2 * sympy.sqrt(2))
    >>> compared(sympy.S.One, "<", 1 + sympy.exp(-20000)), compared(sympy.sqrt(2) + 1, "=", root)
    (True, True)
    >>> compared(sympy.I, ">") is None
    True
    """
    if _is_plain(left) and _is_plain(right):
        return bool(RELATIONS[sign](left, right))
    for ladder in (QUICK, LONG if _is_elementary(left) and _is_elementary(right) else ()):
        truth = _by_balls(left, sign, right, ladder)
        if truth is None:  # a part of both sides may hide the rest
            truth = _by_balls(left - right, sign, sympy.S.Zero, ladder)
        if truth is not None:
            return truth
        if _are_equal(left, right):
            return sign in ("=", "<=", ">=")
    return None


def _by_balls(left: sympy.Expr, sign: str, right: sympy.Expr, ladder: Sequence[int]) -> bool | None:
    """Truth of a relation between two enclosures, at rising precision."""
    with contextlib.suppress(*_FAILURES):
        return climb(lambda: related(_ball(left), sign, _ball(right)), lambda t: t is not None, ladder)[0]
    return None


def _are_equal(left: sympy.Expr, right: sympy.Expr) -> bool:
    """Whether two numbers are shown to be equal; two positive ones also by their squares, with fewer roots."""
    if _WAYS["zero"](left - right):
        return True
    with contextlib.suppress(*_FAILURES), ctx.workprec(QUICK[0]):
        positive = all(isinstance(ball := _ball(side), arb) and ball > 0 for side in (left, right))
        return positive and _WAYS["zero"](sympy.expand(left**2 - right**2))
    return False


def _is_plain(number: sympy.Expr) -> bool:
    """Whether sympy compares it exactly."""
    return bool(number.is_Rational or number in (sympy.oo, -sympy.oo))


@lru_cache(maxsize=2**13)
def _is_elementary(number: sympy.Expr) -> bool:
    """Whether it is quick to many digits: only functions of sympy, without sums and integrals."""
    nodes = list(sympy.preorder_traversal(number))
    return not any(isinstance(e, sympy.Integral | sympy.Sum | sympy.Product) for e in nodes) and all(
        type(e).__module__.startswith("sympy.") for e in nodes
    )


def _ball(number: sympy.Expr) -> arb | acb:
    """Its enclosure, an arb if it is known to be real."""
    found = _WAYS["ball"](number)
    # either is right: they are equal
    return found.real if isinstance(found, acb) and found.imag.is_zero() else found


def in_order(low: sympy.Expr, high: sympy.Expr, strict: bool) -> bool | None:
    """Truth of low < high, or of low <= high; most ends and values are fractions, whose order integers tell.

    Examples
    --------
    >>> in_order(sympy.S.Half, sympy.S.Half, strict=True), in_order(sympy.S.Half, sympy.pi, strict=True)
    (False, True)
    """
    if low.is_Rational and high.is_Rational:
        difference = high.p * low.q - low.p * high.q
        return bool(difference > 0 if strict else difference >= 0)
    if low is -sympy.oo or high is sympy.oo:
        return not strict or low != high
    if low is sympy.oo or high is -sympy.oo:
        return not strict and low == high
    return compared(low, "<" if strict else "<=", high)


def _before(one: sympy.Expr, other: sympy.Expr) -> int:
    if one == other:
        return 0
    before = in_order(one, other, strict=True)
    if before is None:  # in words only here: ranges are compared by the thousand
        decided(before, f"{one} < {other}")
    return -1 if before else int(in_order(other, one, strict=True) is not False)  # 0: written differently


by_size = cmp_to_key(_before)
"""The key by which numbers are sorted, and their extremes taken; `Undecided` is raised where it is not decided."""

_ASSUMED = {
    ">": "is_positive",
    "<": "is_negative",
    ">=": "is_nonnegative",
    "<=": "is_nonpositive",
    "=": "is_zero",
}


def surely(expression: sympy.Expr, sign: str) -> bool:
    """Whether an expression is certainly > 0 (< 0, >= 0, <= 0, = 0): a number, or by the assumptions on its symbols.

    Examples
    --------
    >>> x = sympy.Symbol("x", positive=True)
    >>> almost = sympy.log(sympy.cosh(sympy.Rational(1, 10**60))) - sympy.Rational(1, 4 * 10**120)
    >>> surely(x + 1, ">"), surely(almost, ">"), surely(almost * x, "<"), (almost * x).is_negative
    (True, True, False, True)
    """
    if expression.is_number and _is_elementary(expression):
        return compared(expression, sign) is True or (sign == ">=" and _is_square(expression))
    return bool(getattr(_as_read(expression), _ASSUMED[sign])) and is_sound(expression)


_MISREAD = (sympy.atan, sympy.asin, sympy.acos, sympy.binomial)
"""Functions about whose values at integers sympy is wrong: the first three need not be irrational, and so not 0, and
binomial(n, 3) is not negative for every n."""


def _as_read(expression: sympy.Expr) -> sympy.Expr:
    """The expression with a variable for each of these functions, of which only what is right is known."""
    if not expression.has(*_MISREAD):
        return expression
    return expression.xreplace({e: _named(e) for e in expression.atoms(*_MISREAD)})


def _named(function: sympy.Expr) -> sympy.Dummy:
    """An arctangent has the sign of its argument, a binomial coefficient is not negative where sympy says so."""
    if isinstance(function, sympy.atan):
        known = {word[3:]: surely(function.args[0], sign) or None for sign, word in _ASSUMED.items()}
        return sympy.Dummy(real=function.args[0].is_real, **known)
    rises = isinstance(function, sympy.binomial) and function.is_nonnegative
    return sympy.Dummy(nonnegative=rises or None)


@lru_cache(maxsize=2**13)
def is_sound(expression: sympy.Basic, unread: bool = False) -> bool:
    """Whether the signs are right that sympy gives to the numbers in an expression; it simplifies by them.

    Parameters
    ----------
    unread : whether sympy is believed about numbers that have no enclosure.

    Examples
    --------
    >>> almost = sympy.log(sympy.cosh(sympy.Rational(1, 10**60))) - sympy.Rational(1, 4 * 10**120)
    >>> is_sound(sympy.sqrt(2) - 1), is_sound(sympy.sqrt(almost**2))
    (True, False)
    >>> is_sound(sympy.zeta(3)), is_sound(sympy.zeta(3), unread=True)
    (False, True)
    """
    nodes = (e for e in sympy.preorder_traversal(expression) if isinstance(e, sympy.Expr) and e.args)
    return all(
        _agrees(number, sign) or (unread and not _is_read(number))
        for number in nodes if number.is_number and not number.is_Rational and _is_elementary(number)
        for sign, assumed in _ASSUMED.items() if getattr(number, assumed)
    )  # fmt: skip


def _agrees(number: sympy.Expr, sign: str) -> bool:
    """Whether a number is shown to have a sign; a weak one, such as that of a square, need only not be refuted."""
    truth = compared(number, sign)
    return truth is True or (truth is None and sign not in "<>")


def _is_read(number: sympy.Expr) -> bool:
    """Whether it has an enclosure."""
    with contextlib.suppress(*_FAILURES), ctx.workprec(QUICK[0]):
        return bool(_ball(number).is_finite())
    return False


def _is_square(number: sympy.Expr) -> bool:
    """Whether its form shows that it is not negative."""
    even = number.is_Pow and number.exp.is_even and number.base.is_real and is_sound(number.base)
    return isinstance(number, sympy.Abs) or bool(even)


def floor_of(number: sympy.Expr) -> sympy.Integer:
    """The largest integer that is at most a number.

    Raises
    ------
    Undecided : the number is too close to an integer, or not real.

    Examples
    --------
    >>> floor_of(sympy.erf(20)), sympy.floor(sympy.erf(20))
    (0, 1)
    >>> floor_of(sympy.sqrt(10**40 - 1)), floor_of((sympy.sqrt(2) - 1) * (sympy.sqrt(2) + 1))
    (99999999999999999999, 1)
    """
    if number.is_Rational:
        return sympy.Integer(number.p // number.q)
    floor = sympy.floor(number, evaluate=False)
    ball, reached = climb(
        lambda: _WAYS["ball"](floor), lambda found: _whole(found) is not None, (*QUICK, *LONG)
    )
    if ball is None:
        raise Undecided(f"the integer next to {number}", reached=reached)
    return _whole(ball)


def _whole(ball: arb | acb) -> sympy.Integer | None:
    """The only integer in an enclosure."""
    found = ball.unique_fmpz() if isinstance(ball, arb) else None
    return None if found is None else sympy.Integer(int(found))


def ceiling_of(number: sympy.Expr) -> sympy.Integer:
    """The least integer that is at least a number.

    Examples
    --------
    >>> ceiling_of(sympy.erf(20)), ceiling_of(-sympy.erf(20))
    (1, 0)
    """
    return -floor_of(-number)


def evaluated(kind: type[sympy.Basic], *arguments: sympy.Expr) -> sympy.Basic:
    """A relation, an integer part, an extremum or an absolute value of its arguments; as it is where undecided.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> evaluated(sympy.floor, sympy.erf(20)), evaluated(sympy.Max, sympy.tanh(1000), sympy.S.One)
    (0, 1)
    >>> evaluated(sympy.floor, x + sympy.erf(20))
    floor(x + erf(20))
    """
    if all(map(_is_simple, arguments)):
        try:
            return kind(*arguments)
        except (TypeError, ValueError):  # of numbers that are not real none is larger
            return kind(*arguments, evaluate=False)
    if not all(argument.is_number for argument in arguments):
        return kind(*arguments, evaluate=False)
    if kind in (sympy.floor, sympy.ceiling):
        with contextlib.suppress(*_FAILURES):
            return floor_of(*arguments) if kind is sympy.floor else ceiling_of(*arguments)
    elif kind in SIGNS:
        truth = compared(arguments[0], SIGNS[kind], arguments[1])
        if truth is not None:
            return sympy.true if truth else sympy.false
    elif kind in (sympy.Max, sympy.Min):
        best = arguments[0]
        for other in arguments[1:]:
            below = compared(best, "<=" if kind is sympy.Max else ">=", other)
            if below is None:
                return kind(*arguments, evaluate=False)
            best = other if below else best
        return best
    else:  # the sign, or what it makes of the number
        (number,) = arguments
        for sign, value in ((">", sympy.S.One), ("<", sympy.S.NegativeOne), ("=", sympy.S.Zero)):
            if compared(number, sign):
                return value if kind is sympy.sign else value * number
    return kind(*arguments, evaluate=False)


@lru_cache(maxsize=2**13)
def _is_simple(expression: sympy.Expr) -> bool:
    """Whether all its numbers are rational, or complex with rational parts."""
    return all(
        not (isinstance(e, sympy.Expr) and e.is_number) or _is_plain(e) or e is sympy.I or e.is_Add or e.is_Mul
        or (e.is_Pow and e.exp.is_Integer)
        for e in sympy.preorder_traversal(expression)
    )  # fmt: skip
