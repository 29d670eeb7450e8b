"""A prover for two hypergeometric series, exponentials among them, by the ratios of their terms."""

from __future__ import annotations

from typing import NamedTuple

import sympy
from sympy import S

from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.judge.verdict import Kind
from rftheory.statement.domain import Domain, Span
from rftheory.statement.provers.proof import Proof
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.signs import at_least_zero, sign
from rftheory.statement.words import is_pointwise

_K = sympy.Dummy("k", integer=True, nonnegative=True)
"""The number of a term."""


class _Entire(NamedTuple):
    """The series pFq, p <= q, with its parameters above and below and its argument."""

    above: tuple[sympy.Expr, ...]
    below: tuple[sympy.Expr, ...]
    argument: sympy.Expr

    def ratio(self) -> sympy.Expr:
        """Of the terms k + 1 and k, times k + 1."""
        return (
            self.argument
            * sympy.Mul(*(a + _K for a in self.above))
            / sympy.Mul(*(b + _K for b in self.below))
        )


def by_term_ratios(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality of two series at an argument >= 0 that have the same first term: the ratios of the terms.

    Examples
    --------
    >>> from rftheory.statement.words import claimed
    >>> a, b, x = sympy.symbols("a b x", positive=True)
    >>> claim = claimed(sympy.hyper((a,), (b,), x) >= sympy.exp(a * x / b))
    >>> [by_term_ratios(claim.parts[0], Domain.of(claim, over)) is not None for over in ((a < b,), ())]
    [True, False]
    """
    if not isinstance(part, ORDERINGS) or not is_pointwise(part):
        return None
    low, high = (reduced(side, domain) for side in (part.lts, part.gts))
    factor = _factor(low, high, domain)
    first = _series(sympy.powsimp(low / factor), domain)
    second = first and _series(sympy.powsimp(high / factor), domain)
    if first is None or second is None or not at_least_zero(own := sign(first.argument, domain)):
        return None
    apart = sympy.factor(sympy.cancel(second.ratio() / first.ratio()) - 1)
    terms = domain.with_span(_K, Span(S.Zero, sympy.oo, integer=True))
    later = domain.with_span(_K, Span(S.One, sympy.oo, integer=True))
    if apart.has(S.NaN) or not at_least_zero(sign(apart, terms)):
        return None
    if isinstance(part, STRICT) and not (own == "positive" and sign(apart, later) == "positive"):
        return None
    says = "both are power series with the same first term, and the ratios of the terms are no less on the larger side"
    return Proof(Kind.CERTIFIED, says)


def _factor(low: sympy.Expr, high: sympy.Expr, domain: Domain) -> sympy.Expr:
    """What stands before a series, if it is positive; 1 if both sides are bare."""
    for side in (low, high):
        others = [f for f in sympy.Mul.make_args(side) if not isinstance(f, _SERIES)]
        factor = sympy.Mul(*others)
        if len(others) + 1 == len(sympy.Mul.make_args(side)) and sign(factor, domain) == "positive":
            return factor
    return S.One


_SERIES = (sympy.hyper, sympy.cosh)
"""Series other than the exponential, which may be a factor of them."""


def _series(side: sympy.Expr, domain: Domain) -> _Entire | None:
    """A side as one entire series with positive parameters."""
    if isinstance(side, sympy.exp):
        return _Entire((), (), side.args[0])
    if isinstance(side, sympy.cosh):
        return _Entire((), (S.Half,), side.args[0] ** 2 / 4)
    if not isinstance(side, sympy.hyper) or len(side.ap) > len(side.bq):
        return None
    if any(sign(parameter, domain) != "positive" for parameter in (*side.ap, *side.bq)):
        return None
    return _Entire(tuple(side.ap), tuple(side.bq), side.argument)
