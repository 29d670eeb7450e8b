"""A prover of bounds of probabilities that hold for every kernel and set, by the certificates of their events."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy

from rftheory.exact.search import rational
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import ProbabilityOf
from rftheory.statement.domain import Domain
from rftheory.statement.provers.proof import Proof, proved
from rftheory.statement.provers.reduce import reduced


def by_certificate(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove that a probability is at most a bound in the variables of its event, or at most what a known one is.

    Examples
    --------
    >>> from rftheory.statement.words import formula, probability
    >>> claim = probability("error of pairs") <= formula("rr_bound")
    >>> by_certificate(claim.parts[0], Domain.of(claim, ())).kind.value
    'certified'
    >>> small = probability("error of pairs") <= formula("rr_bound") / 2**12
    >>> by_certificate(small.parts[0], Domain.of(small, ())) is None
    True
    >>> from rftheory.exact.bounds import diam, eps, sigma
    >>> claim = probability("error of pairs") <= formula("rr_bound") * sigma * diam / eps
    >>> by_certificate(claim.parts[0], Domain.of(claim, (eps <= sigma * diam,))).kind.value
    'certified'
    """
    if not isinstance(part, sympy.LessThan | sympy.GreaterThan) or not isinstance(part.lts, ProbabilityOf):
        return None
    left, right = part.lts, part.gts
    event = left.event
    given = [variable.symbol for variable in event.variables if left.values[variable.name] == variable.symbol]
    usual = all(v.symbol in given or v.default == left.values[v.name] for v in event.variables)
    bound = reduced(right, domain)
    if event.bounded is None or not usual:
        return None
    least = _least(domain)
    says = f"{event.says}: a net, with suprema over its balls or with the variation between its points"
    if not bound.free_symbols - set(given) and event.bounded(bound, least):
        return Proof(Kind.CERTIFIED, says)
    for known in (one for one in event.known if one.free_symbols <= set(given)):
        rest = proved(sympy.LessThan(known, bound, evaluate=False), domain) if least >= 1 else None
        if rest is not None and event.bounded(known, least):
            return replace(rest, kind=Kind.CERTIFIED, says=f"{says}: at most {known}; then {rest.says}")
    return None


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
