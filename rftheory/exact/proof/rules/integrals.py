"""Checks of equalities between integrals: exchanges, changes of variable, symmetries, antiderivatives."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Integral, S, Sum

from rftheory.exact.derivative import derivative
from rftheory.exact.proof.rules.answers import equality, proved, undecided
from rftheory.exact.proof.rules.binders import Binder, bound_in, inside, unfold
from rftheory.exact.proof.rules.conditions import (
    at_end,
    falls_off,
    hole,
    is_finite_form,
    is_sign,
    nonnegative,
    positive_almost_everywhere,
    steady,
    with_ends,
)
from rftheory.exact.proof.rules.rewriting import Inside
from rftheory.exact.proof.steps import Finding, Scope, Step
from rftheory.exact.ranges import Range


@dataclass(frozen=True)
class Exchange:
    """Exchange the order of sums and integrals: Tonelli for a nonnegative body, Fubini for a summable one.

    Attributes
    ----------
    summable : for a body of changing sign, the label of a proved step whose left side is the sum of a
        majorant: same binders, body = |body|. The right side must be finite: a formula, or a series that is
        multiplied by less and less from term to term.
    """

    summable: str = ""

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        left, body = unfold(step.left)
        right, other = unfold(step.right)
        if set(left) != set(right):
            return undecided("the sides do not have the same sums and integrals")
        bound = {b.symbol for b in left}
        if any((b.low.free_symbols | b.high.free_symbols) & bound for b in left):
            return undecided("limits that depend on bound symbols")
        within = inside(scope, left)
        method = within.equal(body, other)
        if method is None:
            return undecided("the bodies are not shown to be equal")
        reason = self._allowed(step, body, left, within)
        return (
            proved(f"{reason}; bodies: {method}")
            if reason
            else undecided("the body is not shown to be nonnegative or summable")
        )

    def _allowed(self, at: Step, body: sympy.Expr, binders: tuple[Binder, ...], scope: Scope) -> str:
        if nonnegative(body, scope):
            return "Tonelli: the body is nonnegative"
        closed = scope.bind({b.symbol: Range(b.low, b.high) for b in binders})
        if (
            all(b.low.is_finite and b.high.is_finite for b in binders)
            and all(b.head is Sum for b in binders[1:])
            and all(steady(body, b.symbol, closed) for b in binders if b.head is Integral)
        ):
            return "a finite sum of continuous functions over a bounded interval"
        for step in scope.usable(at):
            if (
                step.label == self.summable
                and step.relation in ("=", "<", "<=")
                and is_finite_form(step.right)
            ):
                others, majorant = unfold(step.left)
                bare = body.replace(is_sign, lambda e: S.One)
                if (
                    set(others) == set(binders)
                    and nonnegative(majorant, scope)
                    and scope.equal(bare, majorant)
                ):
                    return f"Fubini: |body| is summed in {self.summable}"
        return ""


@dataclass(frozen=True)
class ChangeVariable:
    """A change of variable in one integral: old = form(new), increasing, ends onto ends.

    Attributes
    ----------
    old, new : integration symbols on the left and on the right (they may be the same).
    form : old in terms of new; its derivative must show that it is strictly monotone.
    """

    old: sympy.Symbol
    new: sympy.Symbol
    form: sympy.Expr

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        left, body = unfold(step.left)
        right, other = unfold(step.right)
        place = next((i for i, b in enumerate(left) if b.symbol == self.old and b.head is Integral), None)
        if place is None or len(left) != len(right) or right[place].symbol != self.new:
            return undecided("no such integral on both sides")
        if self.new != self.old and self.new in step.left.free_symbols | bound_in(step.left):
            return undecided(f"{self.new} has a meaning on the left already")
        source, target = left[place], right[place]
        if (self.form.free_symbols | {self.old}) & ({b.symbol for b in left[place + 1 :]} | bound_in(body)):
            return undecided(f"{self.form} depends on symbols that are bound further inside")
        fresh = {self.old: self.form}
        further_in = tuple(
            Binder(b.head, b.symbol, b.low.xreplace(fresh), b.high.xreplace(fresh)) for b in left[place + 1 :]
        )
        if (*left[:place], *further_in) != (*right[:place], *right[place + 1 :]):
            return undecided("the other sums and integrals differ")
        within = inside(scope, right)
        slope = derivative(self.form, self.new)
        missing = hole((self.form,), step, within)
        if missing:
            return undecided(missing)
        if not positive_almost_everywhere(slope, within):
            return undecided(f"{self.form} is not shown to be increasing in {self.new}")
        if not steady(self.form, self.new, with_ends(within, self.new)):
            return undecided(f"{self.form} is not shown to be continuous in {self.new}, ends included")
        for end, goal in ((target.low, source.low), (target.high, source.high)):
            if not self._maps(end, goal, inside(scope, left[:place])):
                return undecided(f"{self.new} = {end} is not shown to give {self.old} = {goal}")
        method = within.equal(body.xreplace(fresh) * slope, other)
        return (
            proved(f"{self.old} = {self.form}, Jacobian {slope}; {method}")
            if method
            else undecided("the bodies are not shown to be equal")
        )

    def _maps(self, end: sympy.Expr, goal: sympy.Expr, scope: Scope) -> bool:
        value = at_end(self.form, self.new, end, scope)
        if value is None or value.is_infinite or goal.is_infinite:
            return bool(value == goal)
        return value == goal or scope.equal(value, goal) is not None


@dataclass(frozen=True)
class Symmetry:
    """An integral over an interval symmetric about ``centre``: 0 if odd, twice the upper half if even.

    Attributes
    ----------
    centre : exact middle of the interval.
    """

    centre: sympy.Expr = S.Zero

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        binders, body = unfold(step.left)
        if len(binders) != 1 or binders[0].head is not Integral:
            return undecided("the left side is not a single integral")
        x, low, high = binders[0].symbol, binders[0].low, binders[0].high
        if low + high != 2 * self.centre and (low, high) != (-S.Infinity, S.Infinity):
            return undecided(f"the interval is not symmetric about {self.centre}")
        mirrored = body.subs(x, 2 * self.centre - x)
        within = inside(scope, binders)
        if not steady(body, x, with_ends(within, x)):
            return undecided("the body is not shown to be continuous, ends included")
        if step.right == 0:
            if low.is_infinite and not all(falls_off(body, x, end, within) for end in (low, high)):
                return undecided("the integral is not shown to converge")
            method = within.equal(mirrored, -body)
            return (
                proved(f"odd about {self.centre}: {method}")
                if method
                else undecided("the body is not shown to be odd")
            )
        method = within.equal(mirrored, body)
        half = Step(step.label, Integral(2 * body, (x, self.centre, high)), step.right)
        found = Inside()(half, scope)
        return (
            proved(f"even about {self.centre}: {method}")
            if method and found.status == "proved"
            else undecided("the body is not shown to be even")
        )


@dataclass(frozen=True)
class Antiderivative:
    """The left side is an integral, ``primitive`` an antiderivative; right is its difference at the ends."""

    primitive: sympy.Expr

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        binders, body = unfold(step.left)
        if len(binders) != 1 or binders[0].head is not Integral:
            return undecided("the left side is not a single integral")
        x = binders[0].symbol
        within = inside(scope, binders)
        if within.equal(derivative(self.primitive, x), body) is None:
            return undecided(f"the derivative of {self.primitive} is not shown to be the integrand")
        if not steady(self.primitive, x, with_ends(within, x)):
            return undecided(f"{self.primitive} is not shown to be continuous in {x}, ends included")
        low, high = (at_end(self.primitive, x, end, within) for end in (binders[0].low, binders[0].high))
        if low is None or high is None:
            return undecided(f"the limit of {self.primitive} is not known")
        missing = hole((self.primitive,), step, within)
        if missing:
            return undecided(missing)
        ends = high - low
        method = scope.equal(ends, step.right)
        return (
            proved(f"antiderivative {self.primitive}; {method}")
            if method
            else undecided(f"{ends} is not shown to be the right side")
        )
