"""What a check needs to know of an expression: its sign, whether it is continuous or finite, its value at an end."""

from __future__ import annotations

import contextlib

import sympy
from sympy import S
from sympy.core.function import AppliedUndef

from rftheory.errors import RFTheoryError
from rftheory.exact.derivative import factor_in
from rftheory.exact.evaluate import evaluate
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


_ANALYTIC = (sympy.Add, sympy.Mul, sympy.exp, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.tanh, sympy.atan,
    sympy.asinh, sympy.erf, sympy.erfc)  # fmt: skip


def analytic(expression: sympy.Expr, scope: Scope) -> bool:
    """Whether it is analytic in real symbols over their ranges: if it is not 0 everywhere, its zeros fill no interval.

    Examples
    --------
    >>> t = sympy.Symbol("t", real=True)
    >>> [analytic(form, Scope("", {}, ())) for form in (t * sympy.sin(t), 1 / (t**2 + 1), t + abs(t))]
    [True, True, False]
    """
    if expression.is_number or expression.is_Symbol:
        return not expression.is_integer or bool(expression.is_number)
    if expression.is_Pow and expression.base is not S.Exp1:
        base, power = expression.args
        defined = (power.is_Integer and power.is_nonnegative) or scope.range(base).positive
        return bool(defined) and all(analytic(part, scope) for part in (base, power))
    return (isinstance(expression, _ANALYTIC) or expression.is_Pow) and all(
        analytic(part, scope) for part in expression.args
    )


def positive_factor(factor: sympy.Expr, scope: Scope) -> bool:
    """The same for one factor, a power of an analytic function."""
    if scope.range(factor).positive:
        return True
    base = factor.as_base_exp()[0]
    if not scope.range(base).nonnegative or not analytic(base, scope):
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
        if all(e.is_finite for e in ends) and factor_in(sympy.expand(expression), symbol) is not None:
            return all(scope.range(expression.subs(symbol, e)).positive for e in ends)
    return False


def at_end(expression: sympy.Expr, symbol: sympy.Symbol, end: sympy.Expr) -> sympy.Expr:
    """Value or limit at an end of integration."""
    return sympy.limit(expression, symbol, end) if end.is_infinite else expression.subs(symbol, end)


def passes_on(factor: sympy.Expr, product: sympy.Expr, scope: Scope) -> bool:
    """Whether a sign of ``product`` that is seen where ``factor`` is finite is its sign everywhere.

    Poles of the factor that the product does not have must be single values of real variables, near which others show
    the sign: the product is continuous in these variables, and the factor analytic around its poles.

    Examples
    --------
    >>> t, n = sympy.Symbol("t", real=True), sympy.Symbol("n", integer=True)
    >>> scope = Scope("", {}, ({t: S.One, n: S.One},))
    >>> [passes_on(1 / form, form, scope) for form in (t, t + abs(t), n, n**2 + 1)]
    [True, False, False, True]
    >>> passes_on(1 / t, sympy.sign(t), scope)
    False
    """
    return all(
        all(analytic(part, scope) for part in pole.args)
        and all(steady(product, symbol, scope) for symbol in pole.free_symbols)
        and _is_finite_somewhere(pole, scope)
        for pole in _poles(factor, scope) - _poles(product, scope)
    )


def _poles(expression: sympy.Expr, scope: Scope) -> set[sympy.Expr]:
    """The reciprocals and functions in it that may be infinite somewhere, each power as a reciprocal."""
    bases = {p.base for p in expression.atoms(sympy.Pow) if not scope.range(p.exp).nonnegative}
    found = {sympy.Pow(base, -1, evaluate=False) for base in bases if not _has_one_sign(base, scope)}
    functions = {f for f in expression.atoms(sympy.Function) if not isinstance(f, _FINITE)}
    return found | {f for f in functions if not _has_one_sign(f, scope)}


_FINITE = (*_STEADY, sympy.asinh, sympy.erfc, sympy.Max, sympy.Min, sympy.sign, sympy.Heaviside, sympy.floor,
    sympy.ceiling, sympy.Piecewise)  # fmt: skip


def _has_one_sign(expression: sympy.Expr, scope: Scope) -> bool:
    found = scope.range(expression)
    return found.positive or (-found).positive


def _is_finite_somewhere(expression: sympy.Expr, scope: Scope) -> bool:
    """Whether it has a value at one of the sample points."""
    for point in scope.points(expression):
        with contextlib.suppress(RFTheoryError, ZeroDivisionError):
            if evaluate(expression, point).is_finite():
                return True
    return False
