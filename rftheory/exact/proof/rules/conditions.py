"""What a check needs to know of an expression: its sign, whether it is continuous or finite, its value at an end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

import sympy
from sympy import S
from sympy.core.function import AppliedUndef

from rftheory.errors import RFTheoryError
from rftheory.exact.derivative import factor_in
from rftheory.exact.evaluate import evaluate
from rftheory.exact.proof.rules.binders import Binder, fold, inside, unfold
from rftheory.exact.proof.steps import Scope, Step, worked_out
from rftheory.exact.ranges import Range
from rftheory.exact.vanishing import vanishes


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
_WITH_POLES = (sympy.tanh, sympy.atan, sympy.asinh)
"""Functions with poles or cuts off the real line."""


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
    if isinstance(expression, _WITH_POLES) and not scope.is_real(expression.args[0]):
        return False
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
        if not s.is_integer and scope.bound[s].low.is_number and steady(base, s, with_ends(scope, s))
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
    >>> f, log, scope = sympy.Function("f", real=True), sympy.log, Scope("", {t: Range(S.Zero, S(3))}, ())
    >>> jumps = log(t), log(2 + sympy.sign(t)), (1 + 1 / t) ** 2, 0**t, sympy.Derivative(f(1 / t), t)
    >>> any(steady(form, t, scope) for form in (*jumps, sympy.Derivative(abs(t), t), log((2 * t - 3) ** 2 - 1)))
    False
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
    if isinstance(expression, _WITH_POLES) and not scope.is_real(expression.args[0]):
        return False
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


def with_ends(scope: Scope, symbol: sympy.Symbol) -> Scope:
    """The scope in which a bound symbol also takes the values at finite ends of its interval."""
    inner = scope.bound[symbol]
    return scope.bind(
        {symbol: Range(inner.low, inner.high, bool(inner.low.is_infinite), bool(inner.high.is_infinite))}
    )


def at_end(expression: sympy.Expr, symbol: sympy.Symbol, end: sympy.Expr, scope: Scope) -> sympy.Expr | None:
    """Value or limit at an end of integration, for all parameters; None if it is not known.

    The limits of sympy are those for most values of the parameters, so they are asked for only where there are none.

    Examples
    --------
    >>> r, a = sympy.symbols("r a", real=True)
    >>> from rftheory.exact.ranges import Range
    >>> scopes = [Scope("", {a: Range(S.Zero, S.Infinity, is_open)}, ()) for is_open in (True, False)]
    >>> [at_end(2 + r * sympy.exp(-a * r), r, S.Infinity, scope) for scope in scopes]
    [2, None]
    >>> [at_end(a * r, r, S.Infinity, scope) for scope in scopes], at_end(a * r**2, r, -S.Infinity, scopes[0])
    ([oo, None], None)
    >>> z = sympy.Symbol("z", complex=True)
    >>> exp, cos = sympy.exp, sympy.cos
    >>> others = a / r, exp(-1) * cos(a * r), exp(-r) * cos(z * r), exp(-r) * sympy.gamma(a * r)
    >>> {at_end(form, r, S.Infinity, scopes[0]) for form in others}
    {None}
    """
    if not end.is_infinite:
        return expression.subs(symbol, end)
    if expression.free_symbols <= {symbol}:
        try:
            return sympy.limit(expression, symbol, end)
        except (NotImplementedError, ValueError):
            return None
    total = S.Zero
    for part in sympy.Add.make_args(sympy.expand_mul(expression)):
        factor, rest = part.as_independent(symbol, as_Add=False)
        base, power = rest.as_base_exp()
        if rest == 1:
            total += part
        elif base == symbol and power.is_Rational and power > 0 and positive_almost_everywhere(factor, scope):
            if end is S.NegativeInfinity and not (power.is_Integer and power % 2):
                return None
            total += end
        elif not falls_off(part, symbol, end, scope):
            return None
    return total


def converges(binders: tuple[Binder, ...], body: sympy.Expr, scope: Scope) -> bool:
    """Whether nested sums and integrals have a value, which may be oo, but not -oo."""
    within = inside(scope, binders)
    if nonnegative(body, within):
        return True
    if len(binders) == 1 and binders[0].high is S.Infinity and binders[0].head is sympy.Sum:
        terms = sympy.Add.make_args(sympy.expand_mul(body))
        return all(is_finite_form(fold(binders, term)) for term in terms)
    return all(
        b.low.is_finite
        and b.high.is_finite
        and (b.head is sympy.Sum or steady(body, b.symbol, with_ends(within, b.symbol)))
        for b in binders
    )


def is_finite_form(expression: sympy.Expr, small: bool = False) -> bool:
    """Whether it is a formula, or a series of it over an index k with ratios of terms that are O(1/k).

    Ratios that are bounded are enough for a power series at ``small`` values of its variable.

    Examples
    --------
    >>> k, x = sympy.Symbol("k", integer=True, nonnegative=True), sympy.Symbol("x")
    >>> terms = x**k / sympy.factorial(k), x**k, sympy.gamma(k + x) / sympy.factorial(2 * k)
    >>> [is_finite_form(sympy.Sum(term, (k, 0, sympy.oo))) for term in terms]
    [True, False, True]
    """
    binders, body = unfold(expression)
    if not binders:
        return not expression.has(sympy.Sum, sympy.Integral, S.Infinity)
    if len(binders) > 1 or binders[0].head is not sympy.Sum or not is_finite_form(body):
        return False
    k = binders[0].symbol
    found = sympy.hypersimp(body, k)
    if found is None or not vanishes(body.subs(k, k + 1) / body - found):
        return False
    above, below = (sympy.Poly(part, k) for part in sympy.fraction(sympy.together(found)))
    return below.degree() + small > above.degree() and bool(below.LC().is_number)


def falls_off(expression: sympy.Expr, x: sympy.Symbol, end: sympy.Expr, scope: Scope) -> bool:
    """Whether it is exp(q(x)), q a polynomial that falls to -oo at this end, times a polynomial and waves."""
    exponent = S.Zero
    for factor in sympy.Mul.make_args(expression):
        if isinstance(factor, sympy.exp) and factor.args[0].is_polynomial(x):
            exponent += factor.args[0]
        elif isinstance(factor, sympy.sin | sympy.cos):
            if not scope.is_real(factor.args[0]):
                return False
        elif not factor.is_polynomial(x):
            return False
    form = sympy.Poly(exponent, x)
    rises = form.LC() * (1 if end is S.Infinity else -1) ** form.degree()
    return bool(form.degree() > 0) and scope.range(-rises).positive


def hole(parts: Iterable[sympy.Expr], step: Step, scope: Scope) -> str:
    """Which of the expressions that a step is derived from may have no value where the step has one; empty if none.

    Equal means equal where both sides have values. Poles of the parts that no side has must be single values of real
    variables, near which others show a weak relation: both sides are continuous in these variables, and the part is
    analytic around its poles. Of complex variables the sides must be analytic.

    Examples
    --------
    >>> t, n = sympy.Symbol("t", real=True), sympy.Symbol("n", integer=True)
    >>> scope = Scope("", {}, ({t: S.One, n: S.One},))
    >>> root = t * sympy.sqrt(1 + t**2) + sympy.sqrt(t**2 + t**4)
    >>> forms = t, n**2 + 1, t + abs(t), (t + abs(t)) ** 2 + (t + abs(t)) ** 4, root, n
    >>> [not hole([1 / form], Step("", form, S.Zero, ">="), scope) for form in forms]
    [True, True, False, False, False, False]
    >>> hole([1 / t], Step("", sympy.sign(t), S.Zero), scope), hole([1 / t], Step("", t, S.Zero, ">"), scope)
    ('1/t is not shown to have a value', '1/t is not shown to have a value')
    """
    own = _poles(worked_out(step.left), scope) | _poles(worked_out(step.right), scope)
    weak, difference = step.relation not in ("<", ">"), step.left - step.right
    for part in parts:
        more = _poles(worked_out(part), scope) - own
        if not all(weak and _filled(pole, difference, scope) for pole in more):
            return f"{part} is not shown to have a value"
    return ""


def without_value(step: Step, index: sympy.Symbol, scope: Scope) -> str:
    """Which side of a step may have no value at some index, where an induction would begin anew; empty if none."""
    for side in (step.left, step.right):
        if any(index in pole.free_symbols for pole in _poles(worked_out(side), scope)):
            return f"{side} is not shown to have a value for all {index}"
    return ""


def _filled(pole: sympy.Expr, difference: sympy.Expr, scope: Scope) -> bool:
    """Whether what holds of the difference away from a pole holds there too, as a limit."""
    symbols = pole.free_symbols
    if not any(s in scope.known or s.is_extended_real for s in symbols):
        return not difference.has(*_NOT_ANALYTIC)
    return (
        all(analytic(part, scope) for part in pole.args)
        and all(steady(difference, symbol, scope) for symbol in symbols)
        and _is_finite_somewhere(pole, scope)
    )


def _poles(expression: sympy.Basic, scope: Scope) -> set[sympy.Expr]:
    """The reciprocals and functions in it that may be infinite somewhere, each power as a reciprocal."""
    if isinstance(expression, sympy.Sum | sympy.Integral):
        binders = (Binder(type(expression), *limit) for limit in reversed(expression.limits))
        scope = inside(scope, tuple(binders))
    found = set[sympy.Expr]().union(*(_poles(part, scope) for part in expression.args))
    if isinstance(expression, sympy.Pow) and not scope.range(expression.exp).nonnegative:
        base = expression.base
        return found if _is_nowhere_zero(base, scope) else found | {sympy.Pow(base, -1, evaluate=False)}
    if isinstance(expression, sympy.log):
        finite = _is_nowhere_zero(expression.args[0], scope)
    elif isinstance(expression, sympy.hyper):
        entire = len(expression.ap) <= len(expression.bq)
        finite = entire and all(scope.range(b).positive for b in expression.bq)
    elif isinstance(expression, sympy.Function):
        finite = isinstance(expression, _FINITE) or _is_nowhere_zero(expression, scope)
    else:
        return found
    return found if finite else found | {expression}


_FINITE = (*_STEADY, sympy.asinh, sympy.erfc, sympy.Max, sympy.Min, sympy.sign, sympy.Heaviside, sympy.floor,
    sympy.ceiling, sympy.Piecewise)  # fmt: skip
_NOT_ANALYTIC = (sympy.Abs, sympy.re, sympy.im, sympy.arg, sympy.conjugate, sympy.Piecewise)
"""Functions of a complex variable that limits of others say nothing about."""


def _is_nowhere_zero(expression: sympy.Expr, scope: Scope) -> bool:
    """Whether each factor has one sign or is a number that is not 0."""
    return all(
        factor.is_zero is False
        if factor.is_number
        else _positive(factor, scope) or (-scope.range(factor)).positive
        for factor in sympy.Mul.make_args(expression)
    )


def _is_finite_somewhere(expression: sympy.Expr, scope: Scope) -> bool:
    """Whether it has a value at one of the sample points."""
    for point in scope.points(expression):
        with contextlib.suppress(RFTheoryError, ZeroDivisionError):
            if evaluate(expression, point).is_finite():
                return True
    return False
