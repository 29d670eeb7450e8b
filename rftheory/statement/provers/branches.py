"""A prover for least and largest values and absolute values: whatever they are, they are one of a few expressions."""

from __future__ import annotations

from itertools import takewhile

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
    >>> claims.append(claimed(1 - sympy.Max(v, 2) >= 1 - v))
    >>> [by_branches(claim.parts[0], Domain.of(claim, (v >= 1, v <= 2))) is not None for claim in claims]
    [True, False, False]
    """
    nodes = sorted(part.atoms(*CHOICES), key=lambda node: (-node.count_ops(), str(node)))
    if not 0 < len(nodes) <= MOST or not is_pointwise(part):
        return None
    node = nodes[0]
    if isinstance(node, sympy.Abs) and not is_real(node.args[0], domain):
        return None
    if isinstance(part, sympy.Eq):
        return _with_one(part, node, domain)
    if not isinstance(part, ORDERINGS):
        return None
    values = _values(node)
    sides = ([side.xreplace({node: value}) for side in part.args] for value in values)
    found = (proved(part.func(*two, evaluate=False), domain) for two in sides)
    beyond, other = (part.lts, part.gts) if isinstance(node, sympy.Min) else (part.gts, part.lts)
    if node == beyond and not other.has(node):  # it is not beyond any of them
        return next((one for one in found if one is not None), None)
    proofs = [one for one in takewhile(lambda one: one is not None, found) if one is not None]
    if len(proofs) < len(values):
        return None
    pairs = zip(values, proofs, strict=True)
    says = "; ".join(f"with {value} for {node}: {one.says}" for value, one in pairs)
    return proofs[0].resting_on(*proofs[1:], says=says)


def _values(node: sympy.Expr) -> tuple[sympy.Expr, ...]:
    """The values, one of which it has."""
    return (node.args[0], -node.args[0]) if isinstance(node, sympy.Abs) else node.args


def _with_one(part: sympy.Eq, node: sympy.Expr, domain: Domain) -> Proof | None:
    """Prove an equation where it is known which of the values Min, Max or Abs has.

    Examples
    --------
    >>> from rftheory.statement.words import equal, v
    >>> claim = equal(abs(v - 1), v - 1)
    >>> [by_branches(claim.parts[0], Domain.of(claim, (over,))) is not None for over in (v >= 1, v >= 0)]
    [True, False]
    """
    for value in _values(node):
        beside = [other for other in _values(node) if other is not value]
        order = sympy.LessThan if isinstance(node, sympy.Min) else sympy.GreaterThan
        known = [proved(order(value, other, evaluate=False), domain) for other in beside]
        sides = (side.xreplace({node: value}) for side in part.args)
        found = None if None in known else proved(sympy.Eq(*sides, evaluate=False), domain)
        if found is None:
            continue
        says = f"{node} is {value}: {'; '.join(one.says for one in known if one)}; then: {found.says}"
        return found.resting_on(*filter(None, known), says=says)
    return None


__all__ = ["by_branches"]
