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
    logarithm : compare log(left) with log(right), for functions that stay bounded: this gives the same order.
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
        for sign in self._sides(scope):
            missing = self._open(step, scope, sign)
            if missing:
                return undecided(missing)
        return self._guarded(step, scope)

    def _sides(self, scope: Scope) -> list[int]:
        """The signs with which the symbol tends to 0, where it does; to infinity it tends with one."""
        if not self.at_zero:
            return [1]
        found = scope.range(self.symbol)
        return [sign for sign, none in ((1, (-found).nonnegative), (-1, found.nonnegative)) if not none]

    def _open(self, step: Step, scope: Scope, sign: int) -> str:
        """What is missing for the order on one side of 0, for all parameters; empty if nothing is."""
        t = sympy.Dummy("t", positive=True)
        change = {self.symbol: sign * t if self.at_zero else 1 / t}
        left, right = (with_values(e, change) for e in (step.left, step.right))
        if self.logarithm:
            left, right = (_split_log(e, t, scope) for e in (left, right))
            if not _is_analytic_at_zero(right, t, scope):
                return "the sides are not shown to be bounded"
        for pole in range(3):  # a common factor t^-pole in front of functions that are analytic at 0
            whole = t**pole * (left - right)
            whole = (sympy.cancel if whole.is_rational_function(t) else sympy.expand)(whole)
            terms = sympy.Add.make_args(whole)
            slopes = [sympy.Add(*(e for e in terms if not _is_small(e, t, self.order + pole, scope)))]
            if not _is_analytic_at_zero(slopes[0], t, scope):
                continue
            while len(slopes) < self.order + pole:
                slopes.append(derivative(slopes[-1], t))
            found = [slope.subs(t, 0) for slope in slopes[: self.order + pole]]
            if all(map(vanishes, found)):
                return ""
            return f"coefficients of the difference: {[sympy.simplify(c) for c in found]}"
        return "the expansion at 0 was not found"

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


_ENTIRE = (sympy.Add, sympy.Mul, sympy.exp, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.erf)


def _is_analytic_at_zero(expression: sympy.Expr, t: sympy.Symbol, scope: Scope) -> bool:
    """Whether it is an analytic function of t at 0 for all parameters; logarithms are of positive numbers.

    Examples
    --------
    >>> from rftheory.exact.ranges import Range
    >>> t, a = sympy.Symbol("t", positive=True), sympy.Symbol("a", nonnegative=True)
    >>> forms = sympy.sqrt(t**2 + a**2), sympy.log(1 + a * t), sympy.exp(-1 / t)
    >>> [_is_analytic_at_zero(form, t, Scope("", {a: Range(S.Zero)}, ())) for form in forms]
    [False, True, False]
    """
    if t not in expression.free_symbols or expression == t:
        return not expression.has(S.NaN, S.ComplexInfinity, S.Infinity)
    parts = expression.args
    if isinstance(expression, sympy.log):
        known = scope.range(parts[0].subs(t, 0)).positive
    elif expression.is_Pow and expression.base is not S.Exp1:
        start = scope.range(expression.base.subs(t, 0))
        whole = expression.exp.is_Integer and expression.exp > 0
        known = whole or start.positive or (expression.exp.is_Integer and (-start).positive)
    else:
        known = isinstance(expression, _ENTIRE) or expression.is_Pow
    return bool(known) and all(_is_analytic_at_zero(part, t, scope) for part in parts)


def _is_small(term: sympy.Expr, t: sympy.Symbol, order: int, scope: Scope) -> bool:
    """Whether it is a power of t, whole or not, of at least this order, times an analytic function."""
    power = term.as_powers_dict().get(t, S.Zero)
    return bool(power.is_Rational and power >= order) and _is_analytic_at_zero(term / t**power, t, scope)


def _split_log(e: sympy.Expr, t: sympy.Symbol, scope: Scope) -> sympy.Expr:
    """log(e) as a combination of logarithms of polynomials, which are positive at t = 0 if they are real there."""
    parts = [f.as_base_exp() for f in sympy.Mul.make_args(sympy.powsimp(e))]
    return sympy.Add(*(power * _log_of_factors(base, t, scope) for base, power in parts))


def _log_of_factors(base: sympy.Expr, t: sympy.Symbol, scope: Scope) -> sympy.Expr:
    total, sign = S.Zero, S.One
    for factor in sympy.Mul.make_args(sympy.factor(sympy.together(base))):
        part, power = factor.as_base_exp()
        if power.is_Integer and (-scope.range(part.subs(t, 0))).positive:
            part, sign = -part, sign * (-1) ** power
        total += power * sympy.log(part)
    return total + sympy.log(sign)
