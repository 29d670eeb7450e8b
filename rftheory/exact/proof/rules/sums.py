"""Checks of equalities between sums, and of the first terms of a series."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import S, Sum

from rftheory.errors import checked_integer
from rftheory.exact.proof.rules.answers import equality, proved, undecided
from rftheory.exact.proof.rules.binders import fold, inside, renamed, unfold
from rftheory.exact.proof.rules.conditions import hole, is_finite_form, nonnegative
from rftheory.exact.proof.rules.premises import proved_inequality
from rftheory.exact.proof.steps import Check, Finding, Scope, Step
from rftheory.exact.vanishing import vanishes


@dataclass(frozen=True)
class SeriesHead:
    """``left ~ right`` as symbol -> 0: left is a convergent power series, right its first terms.

    Attributes
    ----------
    symbol : the variable; the term k is a multiple of symbol^(power k).
    power : such as 2 for a series in v^2.
    count : number of terms on the right; the rest is O(symbol^(power count)).
    majorant : where the series is not hypergeometric, the label of a proved ``left <= majorant`` between
        series of nonnegative terms.
    """

    symbol: sympy.Symbol
    power: int
    count: int
    majorant: str = ""

    def __post_init__(self) -> None:
        checked_integer("power of SeriesHead", self.power, 1)
        checked_integer("count of SeriesHead", self.count, 0)

    @property
    def rest(self) -> sympy.Expr:
        """What the difference of the sides is of the order of."""
        return self.symbol ** (self.power * self.count)

    def __call__(self, step: Step, scope: Scope) -> Finding:
        head, *inner = (binders := unfold(step.left)[0])
        body = unfold(step.left)[1]
        if head.head is not Sum or head.low != 0 or head.high is not S.Infinity:
            return undecided("the left side is not a series")
        coefficient = sympy.powsimp(sympy.expand_power_base(body / self.symbol ** (self.power * head.symbol)))
        if fold(tuple(inner), coefficient).has(self.symbol):
            return undecided(
                f"the terms are not shown to be multiples of {self.symbol}^({self.power} {head.symbol})"
            )
        if not self._converges(step, scope, nonnegative(body, inside(scope, binders))):
            return undecided("the series is not shown to converge")
        first = sympy.Add(*(fold(tuple(inner), body).subs(head.symbol, i) for i in range(self.count)))
        method = scope.equal(_evaluated(first), step.right)
        return (
            proved(f"power series, rest O({self.rest}); first terms: {method}".replace("**", "^"))
            if method
            else undecided(f"the first terms are {first}")
        )

    def _converges(self, step: Step, scope: Scope, positive: bool) -> bool:
        series = step.left
        if self.majorant:
            bound = proved_inequality(self.majorant, step, scope)
            if (
                isinstance(bound, str)
                or not positive
                or bound.relation not in ("<", "<=")
                or bound.left != step.left
            ):
                return False
            series = bound.right
        return is_finite_form(series, small=not self.majorant)


def _evaluated(expression: sympy.Expr) -> sympy.Expr:
    """The expression with finite sums evaluated."""
    return expression.replace(lambda e: isinstance(e, Sum) and e.limits[0][2].is_Integer, lambda e: e.doit())


@dataclass(frozen=True)
class Reindex:
    """A shifted series: term left(k + shift) = right(k), and the first terms on the left vanish."""

    shift: int

    def __post_init__(self) -> None:
        checked_integer("shift of Reindex", self.shift, 1)

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        left, body = unfold(step.left)
        right, other = unfold(step.right)
        if len(left) != 1 or len(right) != 1 or left[0].head is not Sum:
            return undecided("the sides are not single sums")
        right, other = renamed(right, other, left)
        index = left[0].symbol
        if left != right or left[0].high is not S.Infinity:
            return undecided("the sides are not infinite sums from the same index on")
        first = [body.subs(index, left[0].low + i) for i in range(self.shift)]
        if not all(map(vanishes, first)):
            return undecided("the first terms do not vanish")
        method = inside(scope, left).equal(body.subs(index, index + self.shift), other)
        return (
            proved(f"{index} -> {index} + {self.shift}: {method}")
            if method
            else undecided("the shifted terms are not shown to be equal")
        )


@dataclass(frozen=True)
class FirstTerms:
    """A series that starts later: with its first terms added on both sides, the step passes the check.

    Attributes
    ----------
    count : number of terms before the first one of the left side.
    check : the check of the whole series.
    """

    count: int
    check: Check

    def __post_init__(self) -> None:
        checked_integer("count of FirstTerms", self.count, 1)

    def __call__(self, step: Step, scope: Scope) -> Finding:
        binders, body = unfold(step.left)
        if len(binders) != 1 or binders[0].head is not Sum or not binders[0].low.is_Integer:
            return undecided("the left side is not a series")
        index, low, high = binders[0].symbol, binders[0].low - self.count, binders[0].high
        first = sympy.Add(*(body.subs(index, low + i) for i in range(self.count)))
        missing = hole((first,), step, scope)
        if missing:
            return undecided(missing)
        whole = Step(step.label, Sum(body, (index, low, high)), step.right + first, step.relation)
        found = self.check(whole, scope)
        return Finding(found.status, f"with {first} before it: {found.method}", found.witness)


@dataclass(frozen=True)
class Reversed:
    """The step, read from right to left, passes the check."""

    check: Check

    def __call__(self, step: Step, scope: Scope) -> Finding:
        back = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "~": "~"}[step.relation]
        return self.check(Step(step.label, step.right, step.left, back, conditions=step.conditions), scope)
