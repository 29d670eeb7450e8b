"""What a check needs to know of an expression: its sign, whether it is continuous or finite, its value at an end."""

from __future__ import annotations

import sympy
from sympy import S
from sympy.core.function import AppliedUndef

from rftheory.exact.proof.steps import Scope


def is_sign(e: sympy.Expr) -> bool:
    return bool(e.is_Pow and e.base == -1 and e.exp.is_integer)


def nonnegative(expression: sympy.Expr, scope: Scope) -> bool:
    """Whether the expression can be shown to be nonnegative over the scope, as written or factored."""
    return scope.range(expression).nonnegative or scope.range(sympy.factor(expression)).nonnegative


def positive_almost_everywhere(expression: sympy.Expr, scope: Scope) -> bool:
    """Whether it is positive for almost all values of the integration symbols, for all parameters.

    Either its range is positive, or it is nonnegative, analytic (up to a power) in a bound symbol and positive at
    an end of that symbol's interval, so that its zeros are isolated.
    """
    if all(positive_factor(factor, scope) for factor in sympy.Mul.make_args(expression)):
        return True
    return scope.range(expression).positive


_NOT_ANALYTIC = (sympy.Abs, sympy.Max, sympy.Min, sympy.Piecewise, sympy.Heaviside, sympy.sign, sympy.floor,
    AppliedUndef)  # fmt: skip


def positive_factor(factor: sympy.Expr, scope: Scope) -> bool:
    """The same for one factor, a power of an analytic function."""
    if scope.range(factor).positive:
        return True
    base = factor.as_base_exp()[0]
    if not scope.range(base).nonnegative or base.has(*_NOT_ANALYTIC):
        return False
    ends = [
        base.subs(s, scope.bound[s].low)
        for s in base.free_symbols & set(scope.bound)
        if not s.is_integer and scope.bound[s].low.is_number
    ]
    return any(scope.range(end).positive for end in ends)


_STEADY = (sympy.exp, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.tanh, sympy.atan, sympy.erf, sympy.Abs,
    sympy.Add, sympy.Mul, AppliedUndef)  # fmt: skip


def steady(expression: sympy.Expr, symbol: sympy.Symbol, scope: Scope) -> bool:
    """Whether an expression is continuous in the symbol over its range; functions without a formula are.

    Examples
    --------
    >>> from rftheory.exact.ranges import Range
    >>> t, n = sympy.Symbol("t", real=True), sympy.Symbol("n", integer=True, positive=True)
    >>> steady(sympy.sin(t) ** (n - 1) * sympy.exp(-t), t, Scope("", {}, ())), steady(1 / t, t, Scope("", {}, ()))
    (True, False)
    >>> [steady(1 / t, t, Scope("", {}, (), bound={t: Range(S(low), S.One, True)})) for low in (0, -1)]
    [True, False]
    """
    if symbol not in expression.free_symbols or expression == symbol:
        return True
    if isinstance(expression, sympy.Subs):  # a derivative of such a function
        return isinstance(expression.expr, sympy.Derivative) and all(
            steady(e, symbol, scope) for e in (expression.expr, *expression.point)
        )
    if isinstance(expression, sympy.Derivative):
        return isinstance(expression.expr, AppliedUndef) and steady(expression.expr, symbol, scope)
    if isinstance(expression, sympy.log):
        return _positive(expression.args[0], scope) and steady(expression.args[0], symbol, scope)
    if expression.is_Pow and expression.base is not S.Exp1:
        base, power = expression.args
        found = scope.range(base)
        whole = power.is_integer and (power.is_nonnegative or (-found).positive)
        # 0**t jumps at t = 0, where the base may vanish
        rises = power.is_nonnegative and (symbol not in power.free_symbols or scope.range(power).positive)
        defined = _positive(base, scope) or whole or (found.nonnegative and rises)
        return bool(defined) and all(steady(e, symbol, scope) for e in (base, power))
    known = isinstance(expression, _STEADY) or expression.is_Pow
    return known and all(steady(e, symbol, scope) for e in expression.args)


def _positive(expression: sympy.Expr, scope: Scope) -> bool:
    """Whether it is positive by its range, or at both ends of a variable in which it is linear."""
    if scope.range(expression).positive:
        return True
    for symbol in expression.free_symbols & set(scope.ranges):
        ends = scope.ranges[symbol].low, scope.ranges[symbol].high
        if all(e.is_finite for e in ends) and sympy.expand(sympy.diff(expression, symbol, 2)) == 0:
            return all(scope.range(expression.subs(symbol, e)).positive for e in ends)
    return False


def at_end(expression: sympy.Expr, symbol: sympy.Symbol, end: sympy.Expr) -> sympy.Expr:
    """Value or limit at an end of integration."""
    return sympy.limit(expression, symbol, end) if end.is_infinite else expression.subs(symbol, end)


def finite(factor: sympy.Expr, scope: Scope) -> bool:
    """Whether a factor is finite, but perhaps at single values of real variables, where continuity gives the sign."""
    bases = [p.base for p in factor.atoms(sympy.Pow) if not scope.range(p.exp).nonnegative]
    found = [(scope.range(base), base) for base in bases]
    return all(
        r.positive or (-r).positive or not any(s.is_integer for s in base.free_symbols) for r, base in found
    )
