"""A prover of averages over data that are values at one pair, as those of logarithms of second moments are."""

from __future__ import annotations

from dataclasses import replace

import sympy

from rftheory.statement.averages import AverageOf
from rftheory.statement.domain import Domain
from rftheory.statement.provers.proof import Proof, proved
from rftheory.statement.provers.reduce import require_value
from rftheory.statement.words import substituted


def by_mean_pair(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove a relation of averages of what is linear in v^2 and z^2: it is that at their means, d (s^2 + t^2).

    Examples
    --------
    >>> from rftheory.statement.words import average, exp, gaussian, gerf, iid, log, mse
    >>> A, s = sympy.Symbol("A", negative=True), sympy.Symbol("s", positive=True)
    >>> square = log(mse(gerf(iid, m=1, A=A)) / gaussian**2 + 1)
    >>> claims = [average(side, x=s) >= 0 for side in (square, exp(square))]
    >>> [by_mean_pair(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, False]
    """
    averages = part.atoms(AverageOf)
    values = {one: one.at_mean_pair(domain) for one in sorted(averages, key=str)}
    if not values or None in values.values():
        return None
    for one in values:
        require_value(one, domain)
    found = proved(substituted(part, values), domain)
    return None if found is None else replace(found, says=f"at the means of v^2 and z^2: {found.says}")
