"""Signs of rational functions over a domain of integers and half-lines.

Every variable is counted from its least value; a polynomial in the shifted variables whose coefficients all have the
same sign has that sign. Otherwise the sign is unknown; nothing is sampled.
"""

from __future__ import annotations

from typing import Literal

import sympy

from rftheory.statement.atoms import PairCount
from rftheory.statement.domain import Domain

Sign = Literal["zero", "positive", "nonnegative", "negative", "nonpositive"]
_STRICT = {"positive", "negative"}
_UP, _DOWN = {"zero", "positive", "nonnegative"}, {"zero", "negative", "nonpositive"}


def sign(expression: sympy.Expr, domain: Domain) -> Sign | None:
    """The sign of an expression on the whole domain; None if it is not proved.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, v
    >>> over = Domain.of(claimed(v < d), (d >= 2,))
    >>> sign((1 - d) / d, over), sign(d - 3, over)
    ('negative', None)
    """
    reduced = sympy.factor(sympy.together(expression))
    if reduced == 0:
        return "zero"
    found: Sign = "positive"
    for factor in sympy.Mul.make_args(reduced):
        base, exponent = factor.as_base_exp()
        own = _of_factor(base, domain)
        if own is None or own == "zero" or not (exponent.is_Rational or own == "positive"):
            return None
        if exponent.is_negative and own not in _STRICT:
            return None
        if exponent.is_Integer and exponent % 2 == 0:
            own = "positive" if own in _STRICT else "nonnegative"
        elif not exponent.is_Integer and own not in ("positive", "nonnegative"):
            return None
        found = _times(found, own)
    return found


def _times(one: Sign, other: Sign) -> Sign:
    up = (one in _UP) == (other in _UP)
    if one in _STRICT and other in _STRICT:
        return "positive" if up else "negative"
    return "nonnegative" if up else "nonpositive"


def at_least_zero(found: Sign | None) -> bool:
    """Whether a sign means >= 0.

    Examples
    --------
    >>> at_least_zero("zero"), at_least_zero("nonpositive"), at_least_zero(None)
    (True, False, False)
    """
    return found in _UP


def proves(found: Sign | None, part: sympy.Basic) -> bool:
    """Whether this sign of the difference, larger side minus smaller one, proves an inequality.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> proves("nonnegative", x <= 1), proves("nonnegative", x < 1), proves("positive", x < 1)
    (True, False, True)
    """
    strict = isinstance(part, sympy.StrictLessThan | sympy.StrictGreaterThan)
    return found == "positive" or (at_least_zero(found) and not strict)


def negated(found: Sign | None) -> Sign | None:
    """The opposite sign.

    Examples
    --------
    >>> negated("nonnegative")
    'nonpositive'
    """
    return None if found is None or found == "zero" else _times(found, "negative")


def _of_factor(base: sympy.Expr, domain: Domain) -> Sign | None:
    if base.is_number:
        return "positive" if base.is_positive else ("negative" if base.is_negative else None)
    shifted = _shifted(base, domain)
    if shifted is None:
        return "positive" if base.is_positive else ("nonnegative" if base.is_nonnegative else None)
    try:
        poly = sympy.Poly(sympy.expand(shifted), *sorted(shifted.free_symbols, key=str))
    except sympy.PolynomialError:
        return None
    coefficients, constant = poly.coeffs(), poly.coeff_monomial(1)
    if not all(c.is_number and c.is_real for c in coefficients):
        return None
    if all(c.is_nonnegative for c in coefficients):
        return "positive" if constant.is_positive or base.is_positive else "nonnegative"
    if all(c.is_nonpositive for c in coefficients):
        return "negative" if constant.is_negative else "nonpositive"
    return None


def _shifted(base: sympy.Expr, domain: Domain) -> sympy.Expr | None:
    """The expression in variables that range over [0, oo) or a part of it."""
    values: dict[sympy.Basic, sympy.Expr] = {}
    for count in base.atoms(PairCount):
        values[count] = _fewest(count, domain) + sympy.Dummy("n")
    base = base.xreplace(values)
    ordered = _ordered(domain)
    for symbol in sorted(base.free_symbols - set(values.values()), key=lambda s: s.name):
        if isinstance(symbol, sympy.Dummy) and symbol not in domain.spans:
            continue  # already counted from its least value
        if symbol not in domain.spans:
            return None
        span = domain.spans[symbol]
        if span.low == -sympy.oo:
            return None
    start = {s: span.low for s, span in domain.spans.items()}
    shifts = {s: sympy.Dummy(s.name) for s in domain.spans}
    replaced = {}
    for symbol, span in domain.spans.items():
        if span.low == span.high:
            replaced[symbol] = span.low
        elif symbol in ordered and start[ordered[symbol]] >= start[symbol]:
            below = ordered[symbol]  # symbol = below + t
            replaced[symbol] = start[below] + shifts[below] + shifts[symbol]
        else:
            replaced[symbol] = start[symbol] + shifts[symbol]
    return base.xreplace(replaced)


def _ordered(domain: Domain) -> dict[sympy.Symbol, sympy.Symbol]:
    """For relations b <= a between two variables, a mapping from a to b."""
    found = {}
    for relation in domain.relations:
        if isinstance(relation, sympy.GreaterThan | sympy.StrictGreaterThan):
            large, small = relation.lhs, relation.rhs
        elif isinstance(relation, sympy.LessThan | sympy.StrictLessThan):
            large, small = relation.rhs, relation.lhs
        else:
            continue
        if large.is_Symbol and small.is_Symbol and small not in found:
            found[large] = small
    return found


def _fewest(count: PairCount, domain: Domain) -> int:
    """The number of pairs at the least dimension and number of rows, if known; larger values have at least as many."""
    coupling, *numbers = count.args
    least = [_least(number, domain) for number in numbers]
    if not all(number.is_Integer and number >= 2 for number in least):
        return 0
    return min(1, int(PairCount(coupling, *least)))


def _least(expression: sympy.Expr, domain: Domain) -> sympy.Expr:
    if expression in domain.spans:
        return domain.spans[expression].low
    return expression if expression.is_number else sympy.S.Zero
