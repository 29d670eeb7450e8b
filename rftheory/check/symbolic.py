"""Gaussian integrals of a summand f(s, t), s = w.x and t = w.y, and their comparison with claims.

One projection w is standard normal, so (s, t) is normal with mean 0 and covariance [[xx, xy], [xy, yy]]. Sums of
polynomials times exponentials of linear forms are integrated term by term; sines and cosines are such sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from rftheory.names import point_text

S, T, XX, YY, XY, D, M = sp.symbols("s t xx yy xy d m", real=True)
SYMBOLS = {str(symbol): symbol for symbol in (S, T, XX, YY, XY, D, M)}
_A, _B = sp.symbols("_a _b")
_GENERATING = sp.exp((_A**2 * XX + 2 * _A * _B * XY + _B**2 * YY) / 2)
DIGITS = 50


def named(expression: object) -> sp.Expr:
    """The expression with our symbols instead of those with the same names, whatever their assumptions.

    Raises
    ------
    ValueError : another symbol occurs.
    sympy.SympifyError : not an expression; text is refused, because sympy would execute it.
    """
    found = sp.sympify(expression, strict=True)
    unknown = sorted(str(symbol) for symbol in found.free_symbols if str(symbol) not in SYMBOLS)
    if unknown:
        raise ValueError(", ".join(unknown))
    return found.xreplace({symbol: SYMBOLS[str(symbol)] for symbol in found.free_symbols})


def gaussian_mean(f: sp.Expr) -> sp.Expr | None:
    """E f(s, t), or None if a term is not a polynomial times an exponential of a linear form.

    Examples
    --------
    >>> gaussian_mean(sp.exp(S + T))
    exp(xx/2 + xy + yy/2)
    >>> sp.simplify(gaussian_mean(S**2 * sp.cos(T)))
    (xx - xy**2)*exp(-yy/2)
    >>> gaussian_mean(sp.sign(S)) is None
    True
    """
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(f.rewrite(sp.exp), power_exp=False)):
        value = _term(term)
        if value is None:
            return None
        total += value
    return sp.expand(total, power_exp=False)


def _term(term: sp.Expr) -> sp.Expr | None:
    exponent, rest = sp.Integer(0), sp.Integer(1)
    for factor in sp.Mul.make_args(term):
        base, power = factor.as_base_exp()
        if base == sp.E:
            exponent += power
        elif isinstance(base, sp.exp):
            exponent += base.args[0] * power
        else:
            rest *= factor
    linear = sp.Poly(sp.expand(exponent), S, T) if exponent.is_polynomial(S, T) else None
    if linear is None or linear.total_degree() > 1 or not rest.is_polynomial(S, T):
        return None
    a, b = linear.coeff_monomial(S), linear.coeff_monomial(T)
    factor = sp.exp(linear.coeff_monomial(1))
    value = sp.Integer(0)
    for (i, j), coefficient in sp.Poly(rest, S, T).terms():
        value += coefficient * sp.diff(_GENERATING, _A, i, _B, j).subs({_A: a, _B: b})
    return sp.powsimp(sp.expand(value * factor, power_exp=False))


def moments(f: sp.Expr, order: int) -> list[sp.Expr] | None:
    """Raw moments E f^0, ..., E f^order of one summand; None if an integral cannot be computed."""
    found: list[sp.Expr] = [sp.Integer(1)]
    for power in range(1, order + 1):
        value = gaussian_mean(sp.expand(f**power, power_exp=False))
        if value is None:
            return None
        found.append(value)
    return found


POINTS: Sequence[dict[sp.Symbol, sp.Rational]] = [
    {XX: sp.Rational(a), YY: sp.Rational(b), XY: sp.Rational(c), D: sp.Integer(d), M: sp.Integer(m)} for a, b, c, d,
    m
        in ((Fraction(1, 2), Fraction(1, 3), Fraction(1, 7), 2, 1),
        (Fraction(4, 5), Fraction(1, 4), Fraction(-1, 5), 3, 2),
        (Fraction(3, 2), Fraction(9, 7), Fraction(6, 5), 8, 5),
        (Fraction(1, 9), Fraction(2, 3), Fraction(-1, 11), 16, 32))]  # fmt: skip
"""Points at which expressions are compared; xy^2 < xx yy at each."""


def same(claimed: sp.Expr, derived: sp.Expr) -> tuple[bool | None, str]:
    """Whether two expressions are equal: True if proved, False with a point where they differ, else None.

    Examples
    --------
    >>> same(sp.exp(XX) ** 2, sp.exp(2 * XX))
    (True, 'the difference simplifies to 0')
    >>> same(sp.exp(XX), sp.exp(2 * XX))[0]
    False
    """
    for point in POINTS:
        values = [sp.N(one.subs(point), DIGITS) for one in (claimed, derived)]
        gap, size = abs(values[0] - values[1]), abs(values[1]) + sp.Float("1e-30")
        if not gap.is_finite:
            return None, "the claim has no numerical value at " + point_text(point)
        if gap > size * sp.Float(10) ** (8 - DIGITS):
            text = f"{sp.N(sp.re(values[0]), 8)} is claimed, {sp.N(sp.re(values[1]), 8)} follows"
            return False, f"{text} at {point_text(point)}"
    difference = sp.expand((claimed - derived).rewrite(sp.exp))
    if difference == 0 or sp.simplify(difference) == 0:
        return True, "the difference simplifies to 0"
    return None, f"equal to {DIGITS - 8} digits at {len(POINTS)} points, but no proof was found"
