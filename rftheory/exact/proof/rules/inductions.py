"""Checks by induction over an integer."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Integral, S

from rftheory.errors import InvalidInput, checked_integer
from rftheory.exact.derivative import derivative
from rftheory.exact.proof.rules.answers import equality, proved, undecided
from rftheory.exact.proof.rules.binders import inside, unfold
from rftheory.exact.proof.rules.conditions import at_end, hole, steady, with_ends
from rftheory.exact.proof.rules.premises import Tie, excess, index_domain, proved_inequality, redefined
from rftheory.exact.proof.steps import Check, Finding, Scope, Step
from rftheory.exact.substitution import with_values
from rftheory.exact.vanishing import vanishes


@dataclass(frozen=True)
class IntegralRecurrence:
    """An integral in n by induction: body(n + shift) - ratio body(n) is the derivative of ``boundary``.

    Attributes
    ----------
    index : n, from ``start`` on.
    ratio : with right(n + shift) = ratio right(n).
    boundary : vanishes at both ends.
    bases : for the first ``shift`` values of n, the checks of left = right.
    """

    index: sympy.Symbol
    start: int
    ratio: sympy.Expr
    boundary: sympy.Expr
    bases: tuple[Check, ...]

    def __post_init__(self) -> None:
        if not self.bases:
            raise InvalidInput("IntegralRecurrence", needs="base cases", got=self.bases)

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        n, shift = self.index, len(self.bases)
        missing = index_domain(step, scope, n, self.start)
        if missing:
            return undecided(missing)
        binders, body = unfold(step.left)
        if len(binders) != 1 or binders[0].head is not Integral:
            return undecided("not a single integral")
        x, within = binders[0].symbol, inside(scope, binders)
        increment = body.subs(n, n + shift) - self.ratio * body
        if within.equal(derivative(self.boundary, x), increment) is None:
            return undecided("the boundary term is not shown to be the antiderivative of the increment")
        if not steady(self.boundary, x, with_ends(within, x)):
            return undecided(f"{self.boundary} is not shown to be continuous in {x}, ends included")
        if any(at_end(self.boundary, x, end, within) != 0 for end in (binders[0].low, binders[0].high)):
            return undecided("the boundary term does not vanish at the ends")
        if scope.equal(step.right.subs(n, n + shift), self.ratio * step.right) is None:
            return undecided("the right side is not shown to satisfy the recurrence")
        missing = hole((self.ratio, self.boundary), step, within)
        if missing:
            return undecided(missing)
        for offset, base in enumerate(self.bases):
            first = base_step(step, n, self.start + offset)
            if base(first, scope).status != "proved":
                return undecided(f"base case {n} = {self.start + offset} is not proved")
        return proved(
            f"induction on {n} in steps of {shift} from {self.start}, by parts with {self.boundary}"
        )


@dataclass(frozen=True)
class RatioInduction:
    """Two closed forms in an integer n are equal: base cases, and equal ratios of consecutive values.

    One of them must be shown to be nowhere 0: where both are, the next values may be any multiples of each other.
    """

    index: sympy.Symbol
    start: int
    shift: int = 1

    def __post_init__(self) -> None:
        checked_integer("shift of RatioInduction", self.shift, 1)

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        n = self.index
        missing = index_domain(step, scope, n, self.start)
        if missing:
            return undecided(missing)
        known = [scope.range(side) for side in (step.left, step.right)]
        if not any(found.positive or (-found).positive for found in known):
            return undecided("neither side is shown to be nowhere 0")
        ratios = [side.subs(n, n + self.shift) / side for side in (step.left, step.right)]
        method = scope.equal(ratios[0], ratios[1])
        if method is None:
            return undecided("the ratios of consecutive values are not shown to be equal")
        for offset in range(self.shift):
            first = base_step(step, n, self.start + offset)
            if scope.equal(first.left, first.right) is None:
                return undecided(f"base case {n} = {self.start + offset} is not proved")
        return proved(f"induction on {n} from {self.start}; ratios: {method}")


def base_step(step: Step, index: sympy.Symbol, value: int) -> Step:
    """The step at one value of the index."""
    left, right = (side.subs(index, value) for side in (step.left, step.right))
    return Step(f"{step.label} at {index} = {value}", left, right, step.relation)


@dataclass(frozen=True)
class StateInduction(Tie):
    """A relation between quantities that grow with an integer n (sums over the first n of something), a `Tie`.

    Attributes
    ----------
    increment : for a weak inequality, the label of a proved one whose difference is the increment of the step's.
    """

    increment: str = ""

    def __call__(self, step: Step, scope: Scope) -> Finding:
        if step.relation in ("<", ">", "~"):
            return undecided("only an equality or a weak inequality follows")
        loose = (set(self.initial) ^ set(self.update)) | {q for q in self.update if q not in scope.tied}
        if loose:
            return undecided(f"{min(loose, key=str)} is not a quantity that n determines, a tied variable")
        missing = redefined(self, scope.proved)
        missing = missing or index_domain(step, scope, self.index, self.start, or_later=step.relation == "=")
        if missing:
            return undecided(missing)
        gap = step.left - step.right if step.relation == "=" else excess(step)[0]
        first = with_values(gap, {self.index: self.start, **self.initial})
        begins = vanishes(first)
        growth = self._growth(step, scope)
        if growth is None:
            return undecided(f"{self.increment} is not a proved inequality")
        missing = hole((growth, *self.initial.values(), *self.update.values()), step, scope)
        if missing:
            return undecided(missing)
        if step.relation != "=":
            begins = begins or vanishes(first - growth) or scope.range(first).nonnegative
        if not begins:
            return undecided("the relation is not shown to hold at the start")
        after = with_values(gap, {self.index: self.index + 1, **self.update})
        if not vanishes(after - gap - growth):
            return undecided("the relation is not shown to pass from n to n + 1")
        quantities = ", ".join(f"{q} -> {e}" for q, e in self.update.items())
        return proved(f"induction on {self.index} from {self.start} with {quantities}")

    def _growth(self, step: Step, scope: Scope) -> sympy.Expr | None:
        if step.relation == "=":
            return S.Zero
        source = proved_inequality(self.increment, step, scope)
        return None if isinstance(source, str) else excess(source)[0]
