"""A prover of bounds of probabilities that hold for every kernel and set, by the certificates of their events."""

from __future__ import annotations

from fractions import Fraction

import sympy

from rftheory.exact.search import rational
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import ProbabilityOf
from rftheory.statement.domain import Domain
from rftheory.statement.provers.proof import Proof
from rftheory.statement.provers.reduce import reduced


def by_certificate(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove that a probability is at most a bound in the variables of its event.

    Examples
    --------
    >>> from rftheory.statement.words import formula, probability
    >>> claim = probability("error of pairs") <= formula("rr_bound")
    >>> by_certificate(claim.parts[0], Domain.of(claim, ())).kind.value
    'certified'
    >>> small = probability("error of pairs") <= formula("rr_bound") / 2**12
    >>> by_certificate(small.parts[0], Domain.of(small, ())) is None
    True
    """
    if not isinstance(part, sympy.LessThan | sympy.GreaterThan) or not isinstance(part.lts, ProbabilityOf):
        return None
    left, right = part.lts, part.gts
    event = left.event
    given = [variable.symbol for variable in event.variables if left.values[variable.name] == variable.symbol]
    usual = all(v.symbol in given or v.default == left.values[v.name] for v in event.variables)
    bound = reduced(right, domain)
    if event.bounded is None or not usual or bound.free_symbols - set(given):
        return None
    if not event.bounded(bound, _least(domain)):
        return None
    return Proof(
        Kind.CERTIFIED, f"{event.says}: a net, Chernoff's bound of the variation, and a bound for small sets"
    )


def _least(domain: Domain) -> Fraction:
    """The largest q for which a condition of the domain says that sigma diam >= q eps; else 0."""
    from rftheory.exact.bounds import diam, eps, sigma

    found = [Fraction(0)]
    for condition in domain.relations:
        if isinstance(condition, sympy.Ne):
            continue
        difference = sympy.expand(condition.gts - condition.lts)
        own, other = difference.coeff(sigma * diam), difference.coeff(eps)
        if own.is_positive and other.is_Rational and difference == own * sigma * diam + other * eps:
            ratio = -other / own
            found += [rational(ratio)] if ratio.is_Rational else []
    return max(found)
