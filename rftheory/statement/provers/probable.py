"""A prover of bounds of probabilities that hold for every kernel and set, by the certificates of their events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy

from rftheory.exact.bounds import diam, eps, sigma
from rftheory.exact.events import Event, enough
from rftheory.exact.field import rational_value
from rftheory.exact.search import rational
from rftheory.exact.symbols import d, m
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.exact.uniform import Balls
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
    >>> claims = [probability("error of pairs") <= number for number in (1, sympy.Rational(1, 2))]
    >>> [by_certificate(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, False]
    >>> from rftheory.exact.bounds import diam, eps, sigma
    >>> claim = probability("error of pairs") <= formula("rr_bound") * sigma * diam / eps
    >>> by_certificate(claim.parts[0], Domain.of(claim, (eps <= sigma * diam,))).kind.value
    'certified'
    """
    if isinstance(part, ORDERINGS) and (found := _by_range(part, domain)) is not None:
        return found
    if not isinstance(part, sympy.LessThan | sympy.GreaterThan) or not isinstance(part.lts, ProbabilityOf):
        return None
    left, right = part.lts, part.gts
    event = left.event
    given = [variable.symbol for variable in event.variables if left.values[variable.name] == variable.symbol]
    usual = all(v.symbol in given or v.default == left.values[v.name] for v in event.variables)
    bound = reduced(right, domain)
    if event.bounded is None or not usual:
        return None
    enough_of = None if event.balls is None else _by_enough(event, event.balls, bound, domain)
    if enough_of is not None:
        return enough_of
    least = _least(domain)
    says = f"{event.says}: a net, with suprema over its balls or with the variation between its points"
    if not bound.free_symbols - set(given) and event.bounded(bound, least):
        return Proof(Kind.CERTIFIED, says)
    for known in (one for one in event.known if one.free_symbols <= set(given) and event.bounded(one, least)):
        rest = proved(sympy.LessThan(known, bound, evaluate=False), domain)
        if rest is not None:
            return replace(rest, kind=Kind.CERTIFIED, says=f"{says}: at most {known}; then {rest.says}")
    return None


def _by_range(part: sympy.core.relational.Relational, domain: Domain) -> Proof | None:
    """Prove what holds of every number from 0 to 1 in the place of a probability that exists."""
    than = sympy.StrictLessThan if isinstance(part, STRICT) else sympy.LessThan
    ends = (part.lts, (sympy.S.One, part.gts)), (part.gts, (part.lts, sympy.S.Zero))
    for side, sides in ends:
        if (
            isinstance(side, ProbabilityOf)
            and (found := proved(than(*sides, evaluate=False), domain)) is not None
            and all(proved(need, domain) is not None for need in side.ranges)
        ):
            return replace(found, says=f"a probability is a number from 0 to 1: {found.says}")
    return None


def _by_enough(event: Event, balls: Balls, delta: sympy.Expr, domain: Domain) -> Proof | None:
    """Prove that the probability is at most delta where a condition says that m is at least as large as is enough."""
    if delta.has(m) or proved(sympy.StrictLessThan(delta, 2, evaluate=False), domain) is None:
        return None
    says = f"{event.says}: suprema over balls"
    for count in _least_counts(domain):
        needed = [enough(balls, delta, rho) for rho in _shares(count, balls, delta, domain)]
        times = [number for number in (rational_value(count / one) for one in needed) if number is not None]
        if times and max(times) >= 1:  # what is enough is positive
            return Proof(Kind.CERTIFIED, f"{says}; {max(times)} times as many as are enough")
        for one in needed:
            rest = proved(sympy.GreaterThan(count, one, evaluate=False), domain)
            if rest is not None:
                return replace(rest, kind=Kind.CERTIFIED, says=f"{says}; so many are enough: {rest.says}")
    return None


def _least_counts(domain: Domain) -> Iterator[sympy.Expr]:
    """What m is at least by a condition."""
    for condition in domain.relations:
        if isinstance(condition, ORDERINGS) and condition.gts == m:
            factor, count = condition.lts.as_coeff_Mul()
            yield factor * count.args[0] if isinstance(count, sympy.ceiling) and factor > 0 else condition.lts


def _shares(count: sympy.Expr, balls: Balls, delta: sympy.Expr, domain: Domain) -> Iterator[sympy.Expr]:
    """The share of the error that a number names, as a number or a variable between 0 and 1; and a half."""
    level, most = sympy.log(2 / delta), sympy.Rational(balls.most)
    rate = rational_value(level / (count.subs(d, 0) * eps**2 * most))
    if rate is not None and 0 < rate < 1:
        yield 1 - sympy.sqrt(rate)
    for each in sorted((e for e in count.atoms(sympy.log) if e.has(sigma)), key=str):
        spread = rational_value(((each.args[0] - 1) / (sigma * diam)) ** 2 * level / most)
        if spread is not None and spread > 0:
            yield balls.least / (balls.least + sympy.sqrt(spread))
    ends = sympy.StrictGreaterThan, sympy.StrictLessThan
    for symbol in sorted(count.free_symbols - {d, eps, sigma, diam} - delta.free_symbols, key=str):
        if all(proved(than(symbol, end, evaluate=False), domain) for end, than in enumerate(ends)):
            yield symbol
    yield sympy.S.Half


def _least(domain: Domain) -> Fraction:
    """The largest q for which a condition of the domain says that sigma diam >= q eps; else 0."""
    found = [Fraction(0)]
    for condition in domain.relations:
        if isinstance(condition, sympy.Ne):
            continue
        difference = sympy.expand(condition.gts - condition.lts)
        own, other = difference.coeff(sigma * diam), difference.coeff(eps)
        if own.is_positive and difference == own * sigma * diam + other * eps:
            ratio = -other / own
            found += [rational(ratio)] if ratio.is_Rational else []
    return max(found)
