"""Signs of expressions with ratios of gamma functions, such as the mean of a chi norm, by bounds of the ratio.

By Gauss's theorem x 2F1(-1/2, -1/2; x; 1) = Gamma(x + 1)^2/Gamma(x + 1/2)^2. So for x >= 0

    Gamma(x + 1)^2/Gamma(x + 1/2)^2 = x + theta,   theta = 1/4 + sum_{n>=2} (-1/2)_n^2/(n! (x + 1)_{n-1}),

where theta falls from 1/pi at x = 0 to 1/4. It takes the place of the ratio, as a variable on (1/4, 1/pi].
"""

from __future__ import annotations

import sympy
from sympy import S

from rftheory.judge.verdict import Kind
from rftheory.statement.domain import Domain, Span
from rftheory.statement.provers.proof import Proof, larger_minus_smaller
from rftheory.statement.provers.signs import Sign, at_least_zero, proves, sign

GAUSS = "Gauss's theorem for 2F1(a, b; c; 1)"
_RANGE = Span(S.One / 4, 1 / sympy.pi, low_open=True)


def by_gammas(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality with squares of ratios of gamma functions, such as that of a chi norm and sqrt(d).

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> square = (sympy.gamma(d / 2 + S.Half) / sympy.gamma(d / 2)) ** 2
    >>> claims = [claimed(square < d / 2), claimed(square > d / 2 - S.Half), claimed(square > d / 2 - 1 / S(5))]
    >>> [by_gammas(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, True, False]
    """
    difference = larger_minus_smaller(part, domain)
    if difference is None or not difference.has(sympy.gamma):
        return None
    own, cited = sign_by_bounds(difference, domain)
    says = "the difference of the sides has one sign, with gamma functions in their bounds"
    return Proof(Kind.CERTIFIED, says, assumes=cited) if proves(own, part) else None


def sign_by_bounds(expression: sympy.Expr, domain: Domain) -> tuple[Sign | None, tuple[str, ...]]:
    """The sign on the domain and what was cited for it; None if it is not proved.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(d > 1), ())
    >>> square = (sympy.gamma(d / 2 + S.Half) / sympy.gamma(d / 2)) ** 2
    >>> [sign_by_bounds(e, over)[0] for e in (d / 2 - square, square - d / 2 + 1 / S(4), d / 2 - S(1) / 5 - square)]
    ['positive', 'positive', None]
    """
    own = sign(expression, domain)
    if own is not None or not expression.has(sympy.gamma):
        return own, ()
    form, over = expression, domain
    while form.has(sympy.gamma):
        replaced = _without_one(form, over)
        if replaced is None:
            return None, ()
        form, over = replaced
    return sign(sympy.factor(form), over), (GAUSS,)


def _without_one(form: sympy.Expr, domain: Domain) -> tuple[sympy.Expr, Domain] | None:
    """The form with one ratio replaced, of gamma functions at x + 1 and x + 1/2, and theta in the domain."""
    arguments = {g.args[0] for g in form.atoms(sympy.gamma)}
    low = next((a for a in sorted(arguments, key=str) if sympy.expand(a + S.Half) in arguments), None)
    if low is None:
        return None
    x, ratio = sympy.expand(low - S.Half), sympy.Dummy("ratio", positive=True)
    if not at_least_zero(sign(x, domain)):
        return None
    high = next(g for g in form.atoms(sympy.gamma) if sympy.expand(g.args[0] - low - S.Half) == 0)
    parts = sympy.fraction(sympy.cancel(form.xreplace({high: ratio * sympy.gamma(low)})))
    theta = sympy.Dummy("theta", positive=True)
    over, under = (_in_square(part, ratio, x + theta) for part in parts)
    if over is None or under is None or any(part.has(sympy.gamma(low)) for part in parts):
        return None
    return over / under, domain.with_span(theta, _RANGE)


def _in_square(part: sympy.Expr, ratio: sympy.Symbol, square: sympy.Expr) -> sympy.Expr | None:
    """The part with a value in the place of the square of the ratio; None if it has odd powers or others."""
    if not part.is_polynomial(ratio):
        return None
    powers = sympy.Poly(part, ratio).as_dict()
    if any(n % 2 for (n,) in powers):
        return None
    return sympy.Add(*(coefficient * square ** (n // 2) for (n,), coefficient in powers.items()))
