"""Where a side of a statement has no value: a divisor, or what a logarithm is of, is 0 there, or a gamma infinite."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import sympy

from rftheory.errors import RFTheoryError
from rftheory.exact.field import factored
from rftheory.exact.order import compared
from rftheory.exact.roots import roots_in
from rftheory.exact.substitution import with_values
from rftheory.statement.domain import Domain, Values, corners
from rftheory.statement.pointwise import pointwise
from rftheory.statement.provers.expand import asked_of
from rftheory.statement.provers.limits import with_ones
from rftheory.statement.provers.proof import DOES_NOT_APPLY, Proof, prove
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.signs import sign
from rftheory.statement.words import bound_in, is_pointwise

_POINTS = 24
"""So many points are looked at, besides the roots that can be written down."""


def where_it_says_something(part: sympy.Basic, domain: Domain) -> Proof | None:
    """A proof without the ends of ranges at which a side has no value.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> claim = claimed((v + v**2) / v >= 1)
    >>> where_it_says_something(claim.parts[0], Domain.of(claim, (v > 0,))) is None
    True
    """
    narrowed, left_out = domain, list[str]()
    with suppress(*DOES_NOT_APPLY):
        for symbol, low in _at_ends(part, domain):
            narrowed = narrowed.with_span(symbol, replace(domain.spans[symbol], low_open=True))
            left_out.append(f"{symbol} = {low}")
    proof = prove(part, narrowed) if left_out else None
    return None if proof is None else _excluding([*left_out, *_zeros(part, narrowed)], proof)


def with_what_it_excludes(proof: Proof, part: sympy.Basic, domain: Domain) -> Proof:
    """The proof of a part, which says where a side has no value, as far as that is found.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> claim = claimed((v**2 - 1) / (v - 1) >= v)
    >>> over = Domain.of(claim, ())
    >>> with_what_it_excludes(prove(claim.parts[0], over), claim.parts[0], over).says
    'wherever the sides have values, which excludes v = 1: the difference of the sides has one sign, ...
    """
    return proof if proof.refutes else _excluding(_zeros(part, domain), proof)


def _excluding(left_out: list[str], proof: Proof) -> Proof:
    if not left_out:
        return proof
    without = " and ".join(dict.fromkeys(left_out))
    return replace(proof, says=f"wherever the sides have values, which excludes {without}: {proof.says}")


def _at_ends(part: sympy.Basic, domain: Domain) -> list[tuple[sympy.Symbol, sympy.Expr]]:
    """The variables at whose least values what must not be 0 is 0; of a limit, if it is one of 0/0."""
    if pointwise(part):
        zeros, enough, bound = [reduced(base, domain) for base in _not_zero(part)], any, set()
    elif any(_divisors(part)) and (asked := asked_of(part, domain)) is not None:
        zeros, enough = list(sympy.fraction(sympy.together(reduced(asked[0], domain)))), all
        bound = bound_in(part) | {asked[1]}
    else:
        return []
    found = []
    for symbol, span in domain.spans.items():
        closed = not (symbol.is_integer or span.low_open) and span.low.is_finite and span.low != span.high
        there = (with_ones(with_values(e, {symbol: span.low})) for e in zeros)
        if closed and symbol not in bound and enough(sympy.expand(e) == 0 for e in there):
            found.append((symbol, span.low))
    return found


def _zeros(part: sympy.Basic, domain: Domain) -> list[str]:
    """In words, the points without a value that are found; those in a case of a formula may not be reached."""
    if not is_pointwise(part) or part.has(sympy.Piecewise):
        return []
    found = dict[str, None]()
    for base in [e for e in _not_zero(part) if e.free_symbols]:
        with suppress(*DOES_NOT_APPLY):
            whole = reduced(base, domain)
            for factor in [whole] if whole.has(sympy.gamma) else [factor for factor, _ in factored(whole)]:
                if sign(factor, domain) not in ("positive", "negative"):
                    found |= dict.fromkeys(_zeros_of(factor, domain))
    return list(found)


def _not_zero(part: sympy.Basic) -> Iterator[sympy.Expr]:
    """What must not be 0 if a part is to have a value."""
    yield from _divisors(part)
    yield from (log.args[0] for log in part.atoms(sympy.log))
    yield from (1 / gamma for gamma in part.atoms(sympy.gamma))


def _divisors(part: sympy.Basic) -> Iterator[sympy.Expr]:
    return (power.base for power in part.atoms(sympy.Pow) if power.exp.is_negative)


def _zeros_of(expression: sympy.Expr, domain: Domain) -> Iterator[str]:
    """In words, the points of the domain at which an expression is 0, as far as they are found."""
    symbols = expression.free_symbols
    for point in _points(expression, domain):
        with suppress(RFTheoryError):  # it has no value there
            if compared(with_ones(with_values(expression, point)), "=") is True:
                named = [f"{s} = {point[s]}" for s in symbols]
                yield named[0] if len(symbols) == 1 else f"{expression} = 0"


def _points(expression: sympy.Expr, domain: Domain) -> Iterator[Values]:
    first = list(itertools.islice(corners(domain), _POINTS))
    yield from first
    for symbol in expression.free_symbols & set(domain.spans) if len(expression.free_symbols) == 1 else ():
        for root in roots_in(expression, symbol):
            if root.is_number and root.is_real is True and domain.spans[symbol].contains(root):
                yield from (p for point in first if domain.contains(p := {**point, symbol: root}))
