"""Whether an expression is identically zero: exact arithmetic in a field of exponentials, powers and other functions.

An expression is read as a fraction of polynomials with rational coefficients in the functions that occur
(:mod:`rftheory.exact.field`). Binomial coefficients and factorials are gamma functions, and, where that decides, sines
and cosines are exponentials. Zero here means zero wherever the expression has a value. The converse is not decided.
"""

from __future__ import annotations

from functools import lru_cache

import sympy
from sympy.core.symbol import Str

from rftheory.exact.field import GIVEN_UP, Field
from rftheory.exact.order import decide_by, surely

_NESTED = 4
"""Functions of functions are written out up to this depth."""


def vanishes(expression: sympy.Expr) -> bool:
    """Whether the expression is shown to be zero wherever it has a value.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", positive=True)
    >>> vanishes(sympy.sqrt(x * y) ** 3 / sympy.sqrt(x) - x * y * sympy.sqrt(y))
    True
    >>> vanishes(sympy.sin(x + y) - sympy.sin(x) * sympy.cos(y) - sympy.cos(x) * sympy.sin(y))
    True
    >>> vanishes(sympy.gamma(x + 2) / sympy.gamma(x) - x**2 - x)
    True
    >>> vanishes(sympy.exp(x) ** 2 - sympy.exp(3 * x))
    False
    """
    if expression.is_Rational:
        return bool(expression == 0)
    if _is_zero(expression, _BY_GAMMA):
        return True
    return expression.has(*_TRIGONOMETRIC) and _is_zero(expression, (*_BY_GAMMA, *_TRIGONOMETRIC))


def _is_zero(expression: sympy.Expr, kinds: tuple[type[sympy.Expr], ...]) -> bool:
    try:
        functions, value = Field.reading(_written_out(expression, kinds))
        return bool(functions.reduced(value) == 0)
    except GIVEN_UP:
        return False


_TRIGONOMETRIC = (
    sympy.sin, sympy.cos, sympy.tan, sympy.cot, sympy.sinh, sympy.cosh, sympy.tanh, sympy.coth, sympy.sec, sympy.csc,
)  # fmt: skip
_BY_GAMMA = (
    sympy.factorial, sympy.binomial, sympy.RisingFactorial, sympy.FallingFactorial, sympy.beta, sympy.hyper,
)  # fmt: skip


def _written_out(expression: sympy.Expr, kinds: tuple[type[sympy.Expr], ...]) -> sympy.Expr:
    """The expression with functions of these kinds written out, also those in arguments of others."""
    for _ in range(_NESTED):
        if not expression.has(*kinds):
            break
        expression = expression.replace(lambda e: isinstance(e, kinds), _written, simultaneous=False)
    return _halved(expression)


def _halved(expression: sympy.Expr) -> sympy.Expr:
    """gamma(a) by gamma(a/2) and gamma((a + 1)/2), by duplication, where another argument differs from a/2 by n/2."""
    found = {e: e.args[0] for e in expression.atoms(sympy.gamma) if e.free_symbols}
    doubles = (a for a in found.values() if any(sympy.expand(2 * b - a).is_Integer for b in found.values()))
    halves = {a: sympy.gamma(a / 2) * sympy.gamma((a + 1) / 2) for a in doubles}
    return expression.xreplace(
        {sympy.gamma(a): 2 ** (a - 1) / sympy.sqrt(sympy.pi) * h for a, h in halves.items()}
    )


def _written(e: sympy.Expr) -> sympy.Expr:
    """By exponentials, or by the gamma function, where that gives its values everywhere."""
    if isinstance(e, _TRIGONOMETRIC):
        return e.rewrite(sympy.exp, deep=False)
    if not _is_regular(e):
        return e
    if isinstance(e, sympy.hyper):
        return _elementary(e)
    if isinstance(e, sympy.RisingFactorial):
        return sympy.gamma(sympy.Add(*e.args)) / sympy.gamma(e.args[0])
    return e.rewrite(sympy.gamma, deep=False)


def _is_regular(e: sympy.Expr) -> bool:
    """Whether a function of whole numbers has the values of its formula by gamma functions or powers everywhere.

    At a pole of two of these the formula has no value, or another one along each line: binomial(-1, -1) is 0,
    binomial(x, x) is 1 for x > -1. Where one argument varies continuously, and the other does not vary with it, values
    are limits of others.
    """
    if isinstance(e, sympy.hyper):
        return all(b.is_positive or b.is_integer is False for b in e.bq)
    if isinstance(e, sympy.binomial):
        return bool(e.args[0].is_nonnegative or e.args[0].is_integer is False)
    if isinstance(e, sympy.RisingFactorial | sympy.FallingFactorial):
        x, n = e.args
        varies = any(s.is_integer is None for s in x.free_symbols - n.free_symbols)
        return bool(n.is_integer) and bool(
            n.is_Integer
            or varies
            or (x.is_positive and n.is_nonnegative and isinstance(e, sympy.RisingFactorial))
        )
    return True


def _elementary(e: sympy.hyper) -> sympy.Expr:
    """1F0(a; z) = (1 - z)^-a and, for an integer n >= 0, 1F1(a + n; a; z) = exp(z) sum_k binomial(n, k) z^k/(a)_k.

    Where a has a minus, 1F1(a; b; z) is exp(z) 1F1(b - a; b; -z).

    0F1(; n + 1/2; z) follows from cosh and sinh of 2 sqrt(z), as waves of rows of one length do in an odd dimension.

    Examples
    --------
    >>> _elementary(sympy.hyper((), (sympy.S(3) / 2,), -sympy.Symbol("x", positive=True) ** 2 / 4))
    -I*(exp(I*x) - exp(-I*x))/(2*x)
    >>> d, x = sympy.symbols("d x", positive=True)
    >>> _elementary(sympy.hyper((-d / 2,), (d / 2,), x))
    exp(x)*hyper((d,), (d/2,), -x)
    """
    upper, lower, z = tuple(e.ap), tuple(e.bq), e.argument
    if len(upper) == len(lower) == 1 and upper[0].is_negative and (turned := lower[0] - upper[0]).is_positive:
        return sympy.exp(z) * sympy.hyper((turned,), lower, -z)
    if not upper and len(lower) == 1 and (n := lower[0] - sympy.S.Half).is_Integer and 0 <= n <= _MOST:
        return _half_odd(int(n), z)
    if len(upper) == 1 and not lower:
        return (1 - z) ** -upper[0]
    if len(upper) == len(lower) == 1 and (n := upper[0] - lower[0]).is_Integer and 0 <= n <= _MOST:
        terms = (sympy.binomial(n, k) * z**k / sympy.rf(lower[0], k) for k in range(int(n) + 1))
        return sympy.exp(z) * sympy.Add(*terms)
    return e


def _half_odd(n: int, z: sympy.Expr) -> sympy.Expr:
    """0F1(; n + 1/2; z), by the recurrence of these in b from two that are elementary."""
    root = 2 * sympy.sqrt(z)
    grows, falls = sympy.exp(root), sympy.exp(-root)
    before, own = (grows + falls) / 2, (grows - falls) / (2 * root)
    for k in range(1, n):
        b = k + sympy.S.Half
        before, own = own, b * (b - 1) / z * (before - own)
    return own if n else before


_MOST = 8
"""The largest n up to which such a series is written out."""


def carried_out(expression: sympy.Expr) -> sympy.Expr:
    """The expression with sums, derivatives and simple integrals carried out, and products expanded.

    Examples
    --------
    >>> x, n = sympy.symbols("x n", positive=True)
    >>> carried_out(sympy.Sum(n, (n, 1, x)) + sympy.Derivative(x**2, x))
    x**2/2 + 5*x/2
    >>> carried_out(sympy.Integral(n**2 * sympy.exp(-x * n**2 / 2), (n, -sympy.oo, sympy.oo)))
    sqrt(2)*sqrt(pi)/x**(3/2)
    """
    kinds = (sympy.Sum, sympy.Product, sympy.Derivative, sympy.Subs, sympy.Integral)
    return sympy.expand(expression.replace(lambda e: isinstance(e, kinds), _done))


@lru_cache(maxsize=512)
def simplified(expression: sympy.Expr) -> sympy.Expr:
    """What sympy makes of it without carrying out sums and integrals, which it does over poles too.

    Examples
    --------
    >>> x, t = sympy.symbols("x t", positive=True)
    >>> simplified(sympy.Integral(1 / t**2, (t, -1, 1)) + sympy.sin(x) ** 2 + sympy.cos(x) ** 2)
    Integral(t**(-2), (t, -1, 1)) + 1
    """
    if not _has_formulas(expression):
        return expression
    named = {
        e: _stand_in(e)
        for e in sympy.preorder_traversal(expression)
        if any(isinstance(a, Str) for a in e.args)
    }
    found = sympy.simplify(expression.xreplace(named), doit=False)
    return found.xreplace({symbol: e for e, symbol in named.items()})


def gamma_simplified(expression: sympy.Expr) -> sympy.Expr:
    """What sympy makes of the gamma functions in it; it takes binomial coefficients for their formula everywhere.

    Examples
    --------
    >>> x, n = sympy.Symbol("x", positive=True), sympy.Symbol("n", integer=True)
    >>> gamma_simplified(sympy.gamma(x + 2) / sympy.gamma(x))
    x*(x + 1)
    >>> gamma_simplified(sympy.binomial(n, 3) / sympy.binomial(n, n - 3))  # at n = -1 they are -1 and 0
    binomial(n, 3)/binomial(n, n - 3)
    """
    return sympy.gammasimp(expression) if _has_formulas(expression) else expression


def _has_formulas(expression: sympy.Expr) -> bool:
    """Whether its functions of whole numbers have the values of their formulas everywhere."""
    regular = all(_is_regular(e) for e in expression.atoms(*_BY_GAMMA))
    return regular and not expression.has(*_BY_CONVENTION)


def _stand_in(function: sympy.Expr) -> sympy.Dummy:
    """A symbol for a function of a name, such as a number of pairs: of names sympy makes new ones as of expressions."""
    kinds = ("real", "nonnegative", "integer")
    return sympy.Dummy("f", **{kind: getattr(function, f"is_{kind}") for kind in kinds})


_BY_CONVENTION = (sympy.factorial2, sympy.subfactorial, sympy.meijerg)
_WITH_CASES = (
    sympy.Piecewise, sympy.Abs, sympy.sign, sympy.Heaviside, sympy.DiracDelta, sympy.KroneckerDelta, sympy.Max,
    sympy.Min, sympy.floor, sympy.ceiling, sympy.frac, sympy.Mod, sympy.re, sympy.im, sympy.arg, sympy.conjugate,
)  # fmt: skip
"""Functions whose derivatives sympy gives also where they have none."""


def _done(e: sympy.Expr) -> sympy.Expr:
    if isinstance(e, sympy.Sum | sympy.Product):
        return _added_up(e)
    if isinstance(e, sympy.Derivative | sympy.Subs):
        return e if e.has(*_WITH_CASES) else e.doit()
    if len(e.limits) != 1 or len(e.limits[0]) != 3:
        return e
    integrand = sympy.expand(_written_out(e.function, _TRIGONOMETRIC))
    found = [_integrated(term, *e.limits[0]) for term in sympy.Add.make_args(integrand)]
    return e if None in found else sympy.Add(*found)


def _added_up(e: sympy.Sum | sympy.Product) -> sympy.Expr:
    """What sympy makes of a sum or product, if induction on its end confirms it; sympy forgets special cases.

    Of (-1)^k binomial(n, k) over all k it makes 0, also for n = 0. Letters of the terms stay fixed as the end grows.
    """
    if not any(end.free_symbols for _, *ends in e.limits for end in ends):
        return e.doit()
    inner, *outer = e.limits
    if outer:
        found = _added_up(e.func(e.function, inner))
        return e if isinstance(found, e.func) else _added_up(e.func(found, *outer))
    if len(inner) != 3 or inner[2] is sympy.oo:
        return e
    k, low, high = inner
    n, more = sympy.Dummy("n", integer=True), sympy.Dummy("n", integer=True, nonnegative=True)
    is_sum = isinstance(e, sympy.Sum)
    whole, empty = e.func(e.function, (k, low, n)).doit(), sympy.S.Zero if is_sum else sympy.S.One
    if whole.has(sympy.Sum, sympy.Product, sympy.Piecewise):
        return e
    of_size = _written_out(whole.xreplace({n: low - 1 + more}), _BY_GAMMA)
    after, term = of_size.xreplace({more: more + 1}), e.function.xreplace({k: low + more})
    grows = after - of_size - term if is_sum else after - of_size * term
    starts = of_size.xreplace({more: sympy.S.Zero}) - empty
    return of_size.xreplace({more: high - low + 1}) if vanishes(grows) and vanishes(starts) else e


def _integrated(term: sympy.Expr, x: sympy.Symbol, low: sympy.Expr, high: sympy.Expr) -> sympy.Expr | None:
    """The integral of a term with a closed form; None of others.

    They are c x^n exp(b x) between finite ends, c x^r between positive ones, and c x^n exp(b x - a x^2) over the line
    for a > 0. The last is c sqrt(pi/a) exp(b^2/(4a)) times E (b/(2a) + Z/sqrt(2a))^n for a standard normal Z, for all
    complex b.
    """
    factor, rest = term.as_independent(x, as_Add=False)
    exponent, n = sympy.S.Zero, sympy.S.Zero
    for part in sympy.Mul.make_args(rest):
        base, power = part.as_base_exp()
        if base is sympy.S.Exp1:
            exponent += power
        elif base == x or part == 1:
            n += power if base == x else 0
        else:
            return None
    whole = n.is_Integer and n >= 0
    if not whole and not (exponent == 0 and n.is_Rational and surely(low, ">") and surely(high, ">")):
        return None
    if not exponent.is_polynomial(x):
        return None
    form = sympy.Poly(exponent, x)
    if low.is_finite and high.is_finite and form.degree() < 2:
        b = form.nth(1)
        if b == 0:
            primitive = sympy.log(x) if n == -1 else x ** (n + 1) / (n + 1)
        else:
            terms = ((-1) ** k * sympy.ff(n, k) * x ** (n - k) / b ** (k + 1) for k in range(int(n) + 1))
            primitive = sympy.Add(*terms) * sympy.exp(exponent)
        return factor * (primitive.xreplace({x: high}) - primitive.xreplace({x: low}))
    if (low, high) != (-sympy.oo, sympy.oo) or form.degree() != 2:
        return None
    a, b, c = -form.nth(2), form.nth(1), form.nth(0)
    if not surely(a, ">"):
        return None
    moments = (
        sympy.binomial(n, 2 * j) * sympy.factorial2(2 * j - 1) * (b / (2 * a)) ** (n - 2 * j) / (2 * a) ** j
        for j in range(int(n) // 2 + 1)
    )
    return factor * sympy.sqrt(sympy.pi / a) * sympy.exp(b**2 / (4 * a) + c) * sympy.Add(*moments)


decide_by(zero=vanishes)
