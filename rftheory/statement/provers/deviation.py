"""A prover of bounds of tails P(|K^ - K| >= eps): a known bound stands in the place of each, and the rest is proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import sympy

from rftheory.errors import NotKnown
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import OfLaw
from rftheory.statement.domain import Domain
from rftheory.statement.pairs import block_size
from rftheory.statement.provers.proof import LESS, MORE, Proof, proved
from rftheory.statement.provers.reduce import longest_range, reduced, require_law
from rftheory.statement.provers.signs import Sign, at_least_zero, negated, sign
from rftheory.statement.words import is_pointwise

CHEBYSHEV, HOEFFDING = "Chebyshev's inequality", "Hoeffding's inequality"
MOST = 3
"""The most tails in a relation: each may be replaced by each of its bounds."""


def by_bounds_of_tails(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove a relation in which each tail can be replaced by a bound: 0 or 1, Chebyshev's or Hoeffding's.

    An equation is proved by both inequalities.

    Examples
    --------
    >>> from rftheory.statement.words import exp, iid, m, orthogonal, tail, trigonometric
    >>> eps = sympy.Symbol("eps", positive=True)
    >>> claims = [tail(trigonometric(rows, m=m), eps) <= 2 * exp(-m * eps**2 / 2) for rows in (iid, orthogonal)]
    >>> found = [by_bounds_of_tails(claim.parts[0], Domain.of(claim, ())) for claim in claims]
    >>> found[0].assumes, found[1]
    (("Hoeffding's inequality",), None)
    """
    if isinstance(part, sympy.Eq):
        both = [by_bounds_of_tails(kind(*part.args, evaluate=False), domain) for kind in (sympy.Le, sympy.Ge)]
        first, second = both if all(both) else (None, None)
        return (
            first and second and replace(first, assumes=tuple(dict.fromkeys(first.assumes + second.assumes)))
        )
    if not isinstance(part, (*LESS, *MORE)) or not is_pointwise(part):
        return None
    tails = sorted((atom for atom in part.atoms(OfLaw) if atom.is_tail), key=str)
    if not 1 <= len(tails) <= MOST:
        return None
    low, high = part.args if isinstance(part, LESS) else reversed(part.args)
    choices = []
    for tail in tails:
        own = _sign_of_factor(high - low, tail, domain)
        if own is None or not _exists(tail, domain):
            return None
        known = _upper(tail, domain) if at_least_zero(negated(own)) else iter(((sympy.S.Zero, ""),))
        choices.append(list(known))
    for chosen in product(*choices):
        values = {tail: bound for tail, (bound, _) in zip(tails, chosen, strict=True)}
        weaker = part.func(*(side.xreplace(values) for side in part.args), evaluate=False)
        found = proved(weaker, domain)
        if found is not None:
            return _with_theorems(found, tuple(theorem for _, theorem in chosen if theorem))
    return None


def _with_theorems(found: Proof, theorems: tuple[str, ...]) -> Proof:
    by = (
        " and ".join(dict.fromkeys(theorems))
        or "a probability lies between 0 and 1, and is 0 beyond the range"
    )
    return replace(
        found, kind=Kind.CERTIFIED, says=f"{by}; then {found.says}",
        assumes=tuple(dict.fromkeys((*theorems, *found.assumes))),
    )  # fmt: skip


def _sign_of_factor(difference: sympy.Expr, tail: OfLaw, domain: Domain) -> Sign | None:
    """The sign of the factor of a tail, in which the difference is linear; None if it is not, or none is known."""
    place = sympy.Dummy("P", real=True)
    factor = sympy.diff(sympy.expand(difference.xreplace({tail: place})), place)
    return None if factor.has(place) or factor.has(tail) else sign(reduced(factor, domain), domain)


def _exists(tail: OfLaw, domain: Domain) -> bool:
    """Whether it is a probability of an error of some size at all points of the domain."""
    require_law(tail, 1, domain)
    eps = tail.numbers[4]
    above = any(
        isinstance(r, sympy.StrictGreaterThan | sympy.StrictLessThan) and r.gts - r.lts == eps
        for r in domain.relations
    )
    return above or sign(eps, domain) == "positive"


def _upper(tail: OfLaw, domain: Domain) -> Iterator[tuple[sympy.Expr, str]]:
    """Expressions that it is at most, each with the theorem that says so."""
    yield sympy.S.One, ""
    _, m, _, _, eps = tail.numbers
    yield tail.as_mse / eps**2, CHEBYSHEV
    if not tail.is_unbiased:
        return
    try:
        width = longest_range(tail, domain)
    except NotKnown:
        return
    if _are_independent(tail):
        yield 2 * sympy.exp(-2 * m * eps**2 / width**2), HOEFFDING
    if sign(eps - width, domain) == "positive":  # the kernel, as the mean, lies in the same interval
        yield sympy.S.Zero, ""


def _are_independent(tail: OfLaw) -> bool:
    """Whether the rows are independent: there is one, or each is a block by itself."""
    coupling = tail.coupling
    apart = coupling.blocks and not coupling.pairs_unknown and block_size(coupling) == 1
    return bool(apart or tail.numbers[1] == 1)
