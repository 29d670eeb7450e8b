"""Checks of Taylor expansions with a remainder."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flint import arb, ctx
from sympy import S

from rftheory.errors import NotCertified
from rftheory.exact.derivative import derivative
from rftheory.exact.evaluate import evaluate
from rftheory.exact.proof.rules.answers import proved, undecided
from rftheory.exact.proof.steps import Finding, Scope, Step
from rftheory.exact.substitution import with_values
from rftheory.exact.vanishing import vanishes
from rftheory.names import plural


@dataclass(frozen=True)
class Taylor:
    """``left ~ right``: with ``symbol`` = 1/t (or t itself at zero) the difference is O(t^order) as t -> 0.

    Attributes
    ----------
    symbol : the variable that goes to infinity, or to 0 with ``at_zero``.
    order : all Taylor coefficients of the difference below this order vanish.
    logarithm : compare log(left) with log(right): for functions with limit 1 this gives the same order.
    """

    symbol: sympy.Symbol
    order: int
    at_zero: bool = False
    logarithm: bool = False

    @property
    def rest(self) -> sympy.Expr:
        """What the difference of the sides is of the order of."""
        return self.symbol**self.order if self.at_zero else self.symbol**-self.order

    def __call__(self, step: Step, scope: Scope) -> Finding:
        t = sympy.Dummy("t", positive=True)
        change = {self.symbol: t if self.at_zero else 1 / t}
        left, right = (with_values(e, change) for e in (step.left, step.right))
        if self.logarithm:
            left, right = (_split_log(e) for e in (left, right))
        for pole in range(3):  # a common factor t^-pole in front of functions that are analytic at 0
            whole = t**pole * (left - right)
            slopes = [(sympy.cancel if whole.is_rational_function(t) else sympy.expand)(whole)]
            while len(slopes) <= self.order + pole:  # the last is to be finite: t^(3/2) is not O(t^2)
                slopes.append(derivative(slopes[-1], t))
            found = [slope.subs(t, 0) for slope in slopes]
            if all(c.is_finite is not False and not c.has(sympy.nan, sympy.zoo, S.Infinity) for c in found):
                if all(map(vanishes, found[:-1])):
                    return self._guarded(step, scope)
                rest = [sympy.simplify(c) for c in found[:-1]]
                return undecided(f"coefficients of the difference: {rest}")
        return undecided("the expansion at 0 was not found")

    def _guarded(self, step: Step, scope: Scope) -> Finding:
        """The quotient (left - right)/t^order must stay bounded along two exact points t = 2^-20, 2^-30."""
        checked = 0
        for point in scope.points(step.left, step.right, self.symbol):
            quotients = []
            for bits in (20, 30):
                where = {**point, self.symbol: S.One / 2**bits if self.at_zero else S(2) ** bits}
                with ctx.workprec(60 * self.order + 200):
                    quotients.append(
                        abs(evaluate(step.left - step.right, where)) * arb(2) ** (bits * self.order)
                    )
            if not quotients[1].lower() <= 32 * quotients[0].upper() + 1:
                raise NotCertified(
                    step.label,
                    wanted=f"the order {self.order} that the series claims",
                    reached=f"the quotient grows at {point}",
                )
            checked += 1
        if not checked:
            return undecided("no sample point")
        name = f"{self.symbol} -> {'0' if self.at_zero else 'infinity'}"
        return proved(
            f"series: difference of order {self.order} as {name}, guarded at {plural(checked, 'point')}"
        )


def _split_log(e: sympy.Expr) -> sympy.Expr:
    """log(e) as a combination of logarithms of polynomials."""
    parts = [f.as_base_exp() for f in sympy.Mul.make_args(sympy.powsimp(e))]
    return sympy.Add(*(power * _log_quotient(base) for base, power in parts))


def _log_quotient(base: sympy.Expr) -> sympy.Expr:
    top, bottom = sympy.fraction(sympy.factor(sympy.together(base)))
    return sympy.expand_log(sympy.log(top), force=True) - sympy.expand_log(sympy.log(bottom), force=True)
