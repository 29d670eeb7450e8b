"""A prover for powers, exponentials and logarithms on both sides: it compares what they are taken of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy

from rftheory.exact.order import surely
from rftheory.exact.truth import ORDERINGS
from rftheory.statement.domain import Domain
from rftheory.statement.provers.proof import MORE, Proof, above_zero, is_false_somewhere, proved
from rftheory.statement.words import Direction


@dataclass(frozen=True)
class _Outer:
    """A function that rises, or falls, where it is real: ``exp``, ``log``, or the power with an exponent.

    Attributes
    ----------
    function : what it is, ``Pow`` for a power.
    power : its exponent; of functions, 1.
    """

    function: type[sympy.Expr]
    power: sympy.Rational = sympy.S.One

    def __str__(self) -> str:
        return f"the power {self.power}" if self.function is sympy.Pow else self.function.__name__

    @property
    def falls(self) -> bool:
        return bool(self.power < 0)

    def argument(self, side: sympy.Expr) -> sympy.Expr | None:
        """Of what a side is the value, None if that is not simple."""
        if self.function is not sympy.Pow:
            return side.args[0] if isinstance(side, self.function) else None
        factors = sympy.Mul.make_args(side)
        if not self.power.is_Integer and sum(not surely(factor, ">") for factor in factors) > 1:
            return None  # sqrt(-2) sqrt(-3) is not sqrt(6)
        roots = [self._root(factor) for factor in factors]
        return None if None in roots else sympy.Mul(*roots)

    def _root(self, factor: sympy.Expr) -> sympy.Expr | None:
        if factor.is_Pow and factor.exp == self.power:
            return factor.base
        plain = (1 / self.power).is_Integer or factor.is_number
        return factor ** (1 / self.power) if plain and surely(factor, ">") else None

    def needed(self, least: sympy.Expr) -> sympy.Basic | None:
        """What must hold of the least argument: that it is positive, or at least 0; None if nothing."""
        if self.function is sympy.exp or (self.power > 1 and self.power.is_odd):
            return None
        return above_zero(least, strict=self.falls or self.function is sympy.log)


def by_inverse(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove a relation between powers, exponentials or logarithms from that of what they are taken of.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, decreasing, iid, increasing, m, mse, orthogonal, positive, sqrt, v
    >>> claim = sqrt(mse(positive(orthogonal, m=m))) <= sqrt(mse(positive(iid, m=m)))
    >>> by_inverse(claim.parts[0], Domain.of(claim, ())).says  # doctest: +ELLIPSIS
    'of what the power 1/2 is taken, which is >= 0: ...
    >>> claims = [make(1 / sqrt(mse(positive(iid))), v) for make in (increasing, decreasing)]
    >>> [by_inverse(claim.parts[0], Domain.of(claim, (v > 0,))) is not None for claim in claims]
    [False, True]
    >>> claim = claimed(sympy.sqrt(v + 1) * (v - 2) ** 2 < (v + 3) ** 2)
    >>> by_inverse(claim.parts[0], Domain.of(claim, (v <= 3,))) is None
    True
    """
    if not isinstance(part, (Direction, *ORDERINGS)):
        return None
    sides = part.args[:1] if isinstance(part, Direction) else part.args
    for outer in dict.fromkeys(_outer(sides)):
        arguments = [outer.argument(side) for side in sides]
        if None in arguments:
            continue
        inner = _turned(part, arguments, outer.falls)
        if is_false_somewhere(inner, domain):
            continue
        least = inner.args[-1] if isinstance(inner, MORE) else inner.args[0]
        needed = outer.needed(least)
        first = None if needed is None else proved(needed, domain)
        if needed is not None and first is None:
            continue
        if (found := proved(inner, domain)) is not None:
            sign = "" if needed is None else f", which is {needed.rel_op} 0"
            says = f"of what {outer} is taken{sign}: {found.says}"
            return found.resting_on(first or found, says)
    return None


def _outer(sides: Sequence[sympy.Expr]) -> Iterator[_Outer]:
    """The functions and powers that the sides may be values of."""
    for side in sides:
        for function in (sympy.exp, sympy.log):
            if isinstance(side, function):
                yield _Outer(function)
        for factor in sympy.Mul.make_args(side):
            base, exponent = factor.as_base_exp()
            if factor.is_Pow and exponent.is_Rational and not (base.is_Symbol or base.is_number):
                yield _Outer(sympy.Pow, exponent)


def _turned(part: sympy.Basic, arguments: Sequence[sympy.Expr], falls: bool) -> sympy.Basic:
    """The same relation of the arguments, in the other direction if the function falls."""
    if isinstance(part, Direction):
        return Direction(arguments[0], part.args[1], -part.args[2] if falls else part.args[2])
    return part.func(*(arguments[::-1] if falls else arguments), evaluate=False)
