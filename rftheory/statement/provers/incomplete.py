"""A prover for tails of chi-squared and other gamma variables, with Chernoff's bound in their place."""

from __future__ import annotations

from dataclasses import replace

import sympy

from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.statement.domain import Domain
from rftheory.statement.provers.powers import logarithm_on
from rftheory.statement.provers.proof import Proof, above_zero, is_false_somewhere, proved
from rftheory.statement.provers.signs import at_least_zero, sign
from rftheory.statement.words import is_pointwise

CHERNOFF = "Chernoff's inequality for gamma variables: P(X >= x) <= e^(a - x) (x/a)^a for x >= a, P(X <= x) for x <= a"


def by_gamma_tails(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove a bound of Gamma(a, x)/Gamma(a), the tail of a gamma variable beyond its mean a, or of the lower tail.

    Examples
    --------
    >>> from sympy import exp, gamma, log, lowergamma, uppergamma
    >>> from rftheory.statement.words import claimed, d
    >>> t = sympy.Symbol("t", positive=True)
    >>> bound, x = exp(-d * (t - log(1 + t)) / 2), d * (1 + t) / 2
    >>> claims = [claimed(tail(d / 2, x) / gamma(d / 2) <= bound) for tail in (uppergamma, lowergamma)]
    >>> [by_gamma_tails(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, False]
    """
    if not isinstance(part, ORDERINGS) or not is_pointwise(part):
        return None
    low, high = part.lts, part.gts
    tails = low.atoms(sympy.uppergamma, sympy.lowergamma)
    if len(tails) != 1 or high.has(*tails):
        return None
    (tail,) = tails
    a, x = tail.args
    above = sign(sympy.expand(x - a if isinstance(tail, sympy.uppergamma) else a - x), domain)
    if not at_least_zero(above) or sign(a, domain) != "positive" or not at_least_zero(sign(x, domain)):
        return None
    factor = sympy.cancel(low / tail * sympy.gamma(a))
    if factor.has(tail) or not at_least_zero(sign(factor, domain)):
        return None
    bound = factor * sympy.exp(sympy.expand(a - x)) * sympy.cancel(x / a) ** a
    first, second = logarithm_on(bound, domain), logarithm_on(high, domain)
    difference = high - bound if first is None or second is None else second - first
    needed = above_zero(sympy.expand(difference), isinstance(part, STRICT))
    found = None if is_false_somewhere(needed, domain) else proved(needed, domain)
    return found and replace(
        found, says=f"by Chernoff's bound: {found.says}", assumes=(CHERNOFF, *found.assumes)
    )
