"""A prover for powers, exponentials and logarithms on both sides: it compares what they are taken of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy

from rftheory.exact.order import surely
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.statement.atoms import OfLaw
from rftheory.statement.domain import Domain
from rftheory.statement.provers.proof import (
    Proof,
    above_zero,
    is_false_somewhere,
    larger_minus_smaller,
    proved,
    uncited,
)
from rftheory.statement.provers.signs import at_least_zero, sign
from rftheory.statement.words import Direction


@dataclass(frozen=True)
class _Outer:
    """A function that rises, or falls, where it is real: ``exp``, ``log``, or the power with an exponent.

    Attributes
    ----------
    function : what it is, ``Pow`` for a power.
    power : its exponent, a number or, such as d/2, an expression of one sign; of functions, 1.
    falls : whether it falls.
    """

    function: type[sympy.Expr]
    power: sympy.Expr = sympy.S.One
    falls: bool = False

    def __str__(self) -> str:
        return f"the power {self.power}" if self.function is sympy.Pow else self.function.__name__

    def argument(self, side: sympy.Expr, domain: Domain) -> sympy.Expr | None:
        """Of what a side is the value, None if that is not simple."""
        if self.function is not sympy.Pow:
            return side.args[0] if isinstance(side, self.function) else None
        factors = sympy.Mul.make_args(side)
        if not self.power.is_integer and sum(sign(factor, domain) != "positive" for factor in factors) > 1:
            return None  # sqrt(-2) sqrt(-3) is not sqrt(6)
        roots = [self._root(factor, domain) for factor in factors]
        return None if None in roots else sympy.Mul(*roots)

    def _root(self, factor: sympy.Expr, domain: Domain) -> sympy.Expr | None:
        if factor in (sympy.S.Zero, sympy.S.One):
            return factor
        if factor.is_Pow and factor.exp == self.power:
            return factor.base
        if not self.power.is_number:
            return self._multiple(factor, domain)
        plain = (1 / self.power).is_Integer or factor.is_number
        plain = plain and (surely(factor, ">") or uncited(above_zero(factor, self.falls), domain) is not None)
        return factor ** (1 / self.power) if plain else None

    def _multiple(self, factor: sympy.Expr, domain: Domain) -> sympy.Expr | None:
        """Of a power whose exponent is a multiple: b^(2p) is the power p of b^2, also for b < 0 if p is an integer."""
        times = sympy.cancel(factor.exp / self.power) if factor.is_Pow else sympy.S.NaN
        if not times.is_Rational:
            return None
        whole = bool(times.is_Integer and self.power.is_integer)
        return factor.base**times if whole or sign(factor.base, domain) == "positive" else None

    def needed(self, least: sympy.Expr) -> sympy.Basic | None:
        """What must hold of the least argument: that it is positive, or at least 0; None if nothing."""
        if self.function is sympy.exp or (self.power.is_number and self.power > 1 and self.power.is_odd):
            return None
        return above_zero(least, strict=self.falls or self.function is sympy.log)


def by_inverse(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove a relation between powers, exponentials or logarithms from that of what they are taken of.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, decreasing, increasing, sqrt, v
    >>> from rftheory.statement.words import iid, m, mse, orthogonal, positive
    >>> claim = sqrt(mse(positive(orthogonal, m=m))) <= sqrt(mse(positive(iid, m=m)))
    >>> by_inverse(claim.parts[0], Domain.of(claim, ())).says  # doctest: +ELLIPSIS
    'for the arguments of the power 1/2, which are >= 0: ...
    >>> claims = [make(1 / sqrt(mse(positive(iid))), v) for make in (increasing, decreasing)]
    >>> [by_inverse(claim.parts[0], Domain.of(claim, (v > 0,))) is not None for claim in claims]
    [False, True]
    >>> u = sympy.Symbol("u", real=True)
    >>> claims = claimed(sympy.sqrt(v + 1) * (v - 2) ** 2 < (v + 1) ** 2), claimed(u * 2**v <= u * 3**v)
    >>> [by_inverse(claim.parts[0], Domain.of(claim, (v <= 3,))) is None for claim in claims]
    [True, True]
    >>> claim = claimed((1 + u**2) ** (-d / 2) <= u**d)  # false at u = -1, d = 1
    >>> by_inverse(claim.parts[0], Domain.of(claim, (u <= -1,))) is None
    True
    >>> claims = claimed(1 / sympy.sqrt(v) > 1 / sympy.sqrt(v + 1)), claimed(sympy.log(v) < sympy.log(v + 1))
    >>> [[by_inverse(c.parts[0], Domain.of(c, over)) is None for over in ((), (v > 0,))] for c in claims]
    [[True, False], [True, False]]
    """
    if not isinstance(part, (Direction, sympy.Eq, *ORDERINGS)):
        return None
    forms = (_of_arguments(form, domain) for form in (part, *_of_one_term_each(part, domain)))
    return next((found for found in forms if found is not None), None) or _of_exponentials(part, domain)


def _of_exponentials(part: sympy.Basic, domain: Domain) -> Proof | None:
    """The proof from the exponentials of the sides, where these are without logarithms of laws; all that logarithms
    are taken of must be positive."""
    inside = {log.args[0] for log in part.atoms(sympy.log)}
    if isinstance(part, Direction) or not any(of.has(OfLaw) for of in inside):
        return None
    inner = part.func(*(sympy.exp(side) for side in part.args), evaluate=False)
    if any(log.has(OfLaw) for log in inner.atoms(sympy.log)):
        return None
    found = proved(inner, domain)
    needed = [found and proved(above_zero(of, strict=True), domain) for of in sorted(inside, key=str)]
    if found is None or None in needed:
        return None
    return found.resting_on(*filter(None, needed), says=f"for the exponentials of the sides: {found.says}")


def _of_one_term_each(part: sympy.Basic, domain: Domain) -> Iterator[sympy.Basic]:
    """Where exponents are not numbers, the terms with minus below one of those with plus, if the others are no less
    than 0; or a power below another term."""
    difference = None if isinstance(part, Direction) else larger_minus_smaller(part, domain)
    if difference is None or not any(_has_exponent(power) for power in difference.atoms(sympy.Pow)):
        return
    terms = sympy.Add.make_args(sympy.expand(difference, power_base=False))
    minus = sympy.Add(*(-term for term in terms if term.could_extract_minus_sign()))
    plus = [term for term in terms if not term.could_extract_minus_sign()]
    less = sympy.StrictLessThan if isinstance(part, STRICT) else sympy.LessThan
    for term in plus:
        others = (other for other in plus if other is not term)
        if all(surely(other, ">=") or at_least_zero(sign(other, domain)) for other in others):
            common = {*sympy.Mul.make_args(minus)} & {*sympy.Mul.make_args(term)}
            shared = sympy.Mul(*(factor for factor in common if surely(factor, ">")))
            yield less(minus / shared, term / shared, evaluate=False)


def _has_exponent(factor: sympy.Expr) -> bool:
    """Whether it is a power with an exponent that is no number."""
    return bool(factor.is_Pow and not factor.exp.is_number)


def _of_arguments(part: sympy.Basic, domain: Domain) -> Proof | None:
    """The proof from what the sides, as they are written, are values of."""
    sides = part.args[:1] if isinstance(part, Direction) else part.args
    for outer in dict.fromkeys(_outer(sides, domain)):
        if isinstance(part, Direction) and outer.power.has(part.args[1]):
            continue  # as of (1 + 1/n)^n, which rises where 1 + 1/n falls
        arguments = [outer.argument(side, domain) for side in sides]
        if None in arguments:
            continue
        inner = _turned(part, arguments, outer.falls)
        if is_false_somewhere(inner, domain):
            continue
        least = inner.lts if isinstance(inner, ORDERINGS) else inner.args[0]
        needed = outer.needed(least)
        first = None if needed is None else proved(needed, domain)
        if needed is not None and first is None:
            continue
        if (found := proved(inner, domain)) is not None:
            above = "" if needed is None else f", which are {needed.rel_op} 0"
            says = f"for the arguments of {outer}{above}: {found.says}"
            return found.resting_on(first or found, says=says)
    return None


def _outer(sides: Sequence[sympy.Expr], domain: Domain) -> Iterator[_Outer]:
    """The functions and powers that the sides may be values of; all of them are inverses, or none."""
    inverses = all(_is_inverse(side) for side in sides)
    for side in sides:
        for function in (sympy.exp, sympy.log):
            if isinstance(side, function):
                yield _Outer(function)
        for factor in sympy.Mul.make_args(side):
            base, exponent = factor.as_base_exp()
            plain = (
                factor.is_Pow and not base.is_number and (exponent.is_integer is False or not base.is_Symbol)
            )
            if plain and exponent.is_Rational and (exponent != -1 or inverses):
                yield _Outer(sympy.Pow, exponent, bool(exponent < 0))
            elif _has_exponent(factor) and (own := sign(exponent, domain)) in ("positive", "negative"):
                yield _Outer(sympy.Pow, exponent, own == "negative")


def _is_inverse(side: sympy.Expr) -> bool:
    """Whether all that is no number stands in the denominator."""
    return bool(sympy.fraction(side)[0].is_number)


def _turned(part: sympy.Basic, arguments: Sequence[sympy.Expr], falls: bool) -> sympy.Basic:
    """The same relation of the arguments, in the other direction if the function falls."""
    if isinstance(part, Direction):
        return Direction(arguments[0], part.args[1], -part.args[2] if falls else part.args[2])
    return part.func(*(arguments[::-1] if falls else arguments), evaluate=False)
