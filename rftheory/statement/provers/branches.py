"""A prover for least and largest values and absolute values: whatever they are, they are one of a few expressions."""

from __future__ import annotations

import sympy

from rftheory.exact.truth import ORDERINGS
from rftheory.statement.domain import Domain
from rftheory.statement.provers.proof import Proof, proved
from rftheory.statement.provers.signs import is_real
from rftheory.statement.words import is_pointwise

CHOICES = (sympy.Min, sympy.Max, sympy.Abs)
MOST = 3
"""The most of them in a relation; each doubles the number of relations to prove."""


def by_branches(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality with Min, Max or Abs in it with each of the values that it may have in its place.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> claims = [claimed(abs(v - 2) <= bound) for bound in (sympy.Max(v, 2), sympy.Max(v, 2) - 1)]
    >>> [by_branches(claim.parts[0], Domain.of(claim, (v >= 1, v <= 2))) is not None for claim in claims]
    [True, False]
    """
    nodes = sorted(part.atoms(*CHOICES), key=lambda node: (-node.count_ops(), str(node)))
    if not 0 < len(nodes) <= MOST or not isinstance(part, ORDERINGS) or not is_pointwise(part):
        return None
    node, whole = nodes[0], None
    inside = node.args[0]
    if isinstance(node, sympy.Abs) and not is_real(inside, domain):
        return None
    for value in (inside, -inside) if isinstance(node, sympy.Abs) else node.args:
        sides = (side.xreplace({node: value}) for side in part.args)
        found = proved(part.func(*sides, evaluate=False), domain)
        if found is None:
            return None
        says = f"with {value} for {node}: {found.says}"
        whole = found.resting_on(found if whole is None else whole, says if whole is None else f"{whole.says}; {says}")
    return whole


__all__ = ["by_branches"]
