"""Provers for products of powers, by logarithms, and for exponentials of variables, by their excess over 1."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor

import sympy
from sympy import S

from rftheory.exact.enclosure import bounds
from rftheory.exact.order import in_order, surely
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.judge.verdict import Kind
from rftheory.statement.domain import Domain, Span, end_in
from rftheory.statement.pointwise import ball
from rftheory.statement.provers.proof import (
    Proof,
    above_zero,
    larger_minus_smaller,
    of_one_sign,
    proved,
)
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.signs import Sign, is_elementary, is_real, proves, sign
from rftheory.statement.words import in_words

MOST_POWERS = 100
"""The highest power of an exponential that is written out; factors of polynomials of higher degree take too long."""


def by_logarithms(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove a relation between products of powers of positive numbers, from the sign of the difference of logarithms.

    Logarithms of variables become variables themselves, counted from an end of their range.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, equal
    >>> x = sympy.Symbol("x", positive=True)
    >>> claim = claimed(x ** (2 * d / (d + 2)) <= 2 * x**2)
    >>> by_logarithms(claim.parts[0], Domain.of(claim, (x >= 1,))).kind.value
    'certified'
    >>> by_logarithms(claim.parts[0], Domain.of(claim, ())) is None
    True
    >>> claim = equal((2 * x / 3) ** d * 3**d, x**d * 4 ** (d / 2))
    >>> by_logarithms(claim.parts[0], Domain.of(claim, ())).kind.value
    'derived'
    """
    if not isinstance(part, (sympy.Eq, *ORDERINGS)):
        return None
    _, gap = _difference_and_gap(part, domain)
    if gap is None:
        return None
    if isinstance(part, sympy.Eq):
        says = "the logarithms of the sides expand to the same"
        return Proof(Kind.DERIVED, says) if sympy.cancel(gap) == 0 else None
    counted = _counted(gap, domain)
    if counted is not None and proves(sign(*counted), part):
        return Proof(Kind.CERTIFIED, "the difference of the logarithms of the sides has one sign, by its coefficients"
                     " in variables counted from an end of their range")  # fmt: skip
    if not is_elementary(gap) or gap.is_rational_function(*gap.free_symbols):
        return None
    found = proved(above_zero(gap, isinstance(part, STRICT)), domain)
    return None if found is None else replace(found, says=f"by logarithms: {found.says}")


def by_condition(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality that a condition says in other words: one difference is a positive multiple of the other.

    Of products of positive numbers, the difference of the logarithms is tried too.

    Examples
    --------
    >>> from rftheory.statement.words import exp, iid, m, mse, positive, v, z
    >>> claim = mse(positive(iid, m=m)) <= exp(-(z**2)) / 9
    >>> found = [by_condition(claim.parts[0], Domain.of(claim, (m >= n * (exp(v**2) - 1),))) for n in (9, 8)]
    >>> found[0].kind.value, found[1]
    ('certified', None)
    """
    if not isinstance(part, ORDERINGS) or not domain.relations:
        return None
    differences = [one for one in _difference_and_gap(part, domain) if one is not None]
    for relation in domain.relations:
        if not isinstance(relation, ORDERINGS):
            continue
        given = sympy.expand_log(reduced(relation.gts - relation.lts, domain))
        enough = isinstance(relation, STRICT) or not isinstance(part, STRICT)
        for difference in differences:
            if given != 0 and enough and proves(_sign_of_ratio(difference, given, domain), part):
                return Proof(Kind.CERTIFIED, f"it is {in_words(relation)}, times a positive factor")
            others = tuple(one for one in domain.relations if one != relation)
            if found := _above(
                difference, given, isinstance(part, STRICT), replace(domain, relations=others)
            ):
                return replace(found, says=f"in the excess of {in_words(relation)}: {found.says}")
    return None


def _sign_of_ratio(difference: sympy.Expr, given: sympy.Expr, domain: Domain) -> Sign | None:
    return sign((difference / given).rewrite((sympy.sinh, sympy.cosh), sympy.exp), domain)


def _above(difference: sympy.Expr, given: sympy.Expr, strict: bool, domain: Domain) -> Proof | None:
    """The proof where one variable of a condition is its end plus t, t >= 0, such as m = 9 exp(v^2) + t."""
    t = sympy.Dummy("t", nonnegative=True)
    within = domain.with_span(t, Span(sympy.S.Zero, sympy.oo))
    over, under = sympy.fraction(sympy.together(difference))
    difference = over if sign(under, domain) == "positive" else difference
    for symbol in sorted(given.free_symbols & difference.free_symbols, key=str):
        slope, end = end_in(given, symbol) or (sympy.S.Zero, symbol)
        if not (slope.is_Rational and slope > 0) or not difference.is_rational_function(symbol):
            continue  # roots in exponents of logarithms take too long
        counted = sympy.factor(difference.subs(symbol, end + t))
        if found := proved(above_zero(counted, strict), within):
            return found
    return None


def _difference_and_gap(part: sympy.Basic, domain: Domain) -> tuple[sympy.Expr, sympy.Expr | None]:
    """The larger side minus the smaller one, and the same of logarithms, if each is one product.

    If the sides are none, those of the terms with minus and those with plus.
    """
    sides = (part.lts, part.gts) if isinstance(part, ORDERINGS) else part.args
    low, high = (reduced(side, domain) for side in sides)
    both = (low, high), _minus_and_plus(high - low), _minus_and_plus(sympy.expand(high - low))
    for less, more in both:
        first, second = (None if side.is_Add else logarithm_on(side, domain) for side in (less, more))
        if first is not None and second is not None:
            return more - less, sympy.expand(second - first)
    return more - less, None


def _minus_and_plus(difference: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    terms = sympy.Add.make_args(difference)
    minus = [term for term in terms if term.as_coeff_Mul()[0].is_negative]
    return -sympy.Add(*minus), sympy.Add(*(term for term in terms if term not in minus))


def logarithm_on(side: sympy.Expr, domain: Domain) -> sympy.Expr | None:
    """The logarithm of a product of powers of what is positive on the domain; None of anything else.

    Examples
    --------
    >>> from rftheory.statement.words import claimed
    >>> x = sympy.Symbol("x", real=True)
    >>> [logarithm_on((1 - x) ** x / 2, Domain.of(claimed(x < 2), over)) for over in ((x < 1,), ())]
    [x*log(1 - x) - log(2), None]
    """
    factors = [factor.as_base_exp() for factor in sympy.Mul.make_args(side)]
    if not all(sign(b, domain) == "positive" and is_real(e, domain) for b, e in factors):
        return None
    return sympy.Add(*(exponent * logarithm(base) for base, exponent in factors))


def logarithm(side: sympy.Expr) -> sympy.Expr:
    """The logarithm of a product of powers of positive numbers, as a sum of logarithms of its factors.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", positive=True)
    >>> a, b = sympy.symbols("a b", negative=True)
    >>> logarithm((x * y) ** y / 4), logarithm((a * b) ** y)
    (y*(log(x) + log(y)) - 2*log(2), y*log(a*b))
    """
    if side.is_Rational:
        return sympy.expand_log(sympy.log(side), factor=True)
    powers = [factor.as_base_exp() for factor in sympy.Mul.make_args(side)]
    if powers == [(side, S.One)] or not all(surely(base, ">") for base, _ in powers):
        return sympy.log(side)  # as of a product of two negative numbers
    return sympy.Add(*(exponent * logarithm(base) for base, exponent in powers))


def _counted(gap: sympy.Expr, domain: Domain) -> tuple[sympy.Expr, Domain] | None:
    """With log x = log(low) + t or log(high) - t, t >= 0, for each logarithm of a variable x; None if x has no end."""
    spans = dict(domain.spans)
    for atom in sorted(gap.atoms(sympy.log), key=str):
        inside = atom.args[0]
        if inside.is_number:
            continue
        if inside not in domain.spans:
            return None
        span, t = domain.spans[inside], sympy.Dummy("t", nonnegative=True)
        if in_order(sympy.S.Zero, span.low, strict=True):
            gap = gap.xreplace({atom: sympy.log(span.low) + t})
        elif span.high.is_finite:
            gap = gap.xreplace({atom: sympy.log(span.high) - t})
        else:
            return None
        spans[t] = Span(sympy.S.Zero, sympy.oo)
    return gap, Domain(spans, domain.relations)


def by_exponentials(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality of rational functions of exponentials of squares of norms, or of variables, >= 0.

    The excess of each is counted from 1, or from a rational number below the least value, up to where the range ends.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, m, z
    >>> claim = claimed((1 - sympy.exp(-(z**2))) ** 2 / m > 0)
    >>> by_exponentials(claim.parts[0], Domain.of(claim, (z > 0,))).kind.value
    'certified'
    >>> by_exponentials(claim.parts[0], Domain.of(claim, ())) is None
    True
    >>> claim = claimed(sympy.cosh(z**2) > 1)
    >>> [by_exponentials(claim.parts[0], Domain.of(claim, over)) is not None for over in ((z > 0,), ())]
    [True, False]
    >>> s = sympy.Symbol("s", nonnegative=True)
    >>> claims = [claimed(sympy.exp(s) + sympy.exp(z**2) <= n * sympy.exp(s + z**2)) for n in (2, 1)]
    >>> [by_exponentials(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, False]
    >>> claim = claimed(sympy.exp(z**2) * (2 - sympy.exp(z**2)) > sympy.Rational(9, 10))
    >>> [by_exponentials(claim.parts[0], Domain.of(claim, (z <= end,))) is not None for end in (sympy.S.Half, 1)]
    [True, False]
    """
    difference = larger_minus_smaller(part, domain)
    if difference is None:
        return None
    difference = sympy.expand(difference.rewrite(HYPERBOLIC, sympy.exp))
    for symbol in sorted(difference.free_symbols & set(domain.spans), key=str):
        inside = {sympy.expand(e.args[0]) for e in difference.atoms(sympy.exp) if e.has(symbol)}
        power = 1 if any(e.coeff(symbol, 1) for e in inside) else 2
        rates = {e / symbol**power for e in inside}
        if not rates or in_order(sympy.S.Zero, domain.spans[symbol].low, strict=False) is not True:
            continue
        if not all(rate.is_Rational for rate in rates):
            return None
        unit = sympy.Integer(sympy.ilcm(1, *(rate.q for rate in rates)))
        if any(abs(unit * rate) > MOST_POWERS for rate in rates):
            return None
        t = sympy.Dummy("t", nonnegative=True)
        least, excess = _exponential_of(domain.spans[symbol], power, unit)
        domain = domain.with_span(t, excess)
        difference = difference.replace(
            lambda e, s=symbol: isinstance(e, sympy.exp) and e.has(s),
            lambda e, s=symbol**power, u=unit, t=t, q=least: (q + t) ** (u * sympy.expand(e.args[0]) / s),
        )
        if difference.has(symbol):
            return None
    return of_one_sign(part, difference, domain, "the excess of exponentials")


HYPERBOLIC = (sympy.cosh, sympy.sinh, sympy.tanh)
"""Functions that are written as exponentials."""
ROUNDED = 1024
"""Least and largest values of exponentials are rounded to multiples of 1/1024."""


MOST_RATE = 64
"""Beyond e^64 an end of a range is as good as none."""


def _exponential_of(norm: Span, power: int, unit: sympy.Integer) -> tuple[sympy.Rational, Span]:
    """A rational number that exp(s^power/unit) is not below for s in a range from 0 on, and the range of its excess.

    An end is open if the norm does not reach its own, or the rounded number lies beyond what it reaches there.
    """
    least, most, apart, below = sympy.S.One, sympy.oo, norm.low_open, True
    if in_order(sympy.S.Zero, norm.low, strict=True) is True:
        large = in_order(sympy.Integer(MOST_RATE), norm.low**power / unit, strict=True) is not False
        low, _ = bounds(ball(sympy.exp(MOST_RATE if large else norm.low**power / unit), {}))
        least = sympy.Rational(floor(ROUNDED * low), ROUNDED)
        apart = apart or large or least < low
    if (
        norm.high.is_finite
        and in_order(norm.high**power / unit, sympy.Integer(MOST_RATE), strict=False) is True
    ):
        _, high = bounds(ball(sympy.exp(norm.high**power / unit), {}))
        rounded = sympy.Rational(ceil(ROUNDED * high), ROUNDED)
        most, below = rounded - least, norm.high_open or rounded > high
    return least, Span(sympy.S.Zero, most, low_open=bool(apart), high_open=bool(below))
