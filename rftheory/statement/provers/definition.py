"""A prover of what follows from definitions alone: an error is variance and squared bias, squares have means >= 0.

It needs no closed form, so it serves couplings of which nothing else is known.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace

import sympy
from sympy import S

from rftheory.errors import NotKnown
from rftheory.exact.laws import slope_ratio
from rftheory.exact.truth import ORDERINGS
from rftheory.judge.verdict import Kind
from rftheory.spec.coupling import RowsByRelation
from rftheory.spec.dimension import d as DIMENSION
from rftheory.spec.feature_map import Term
from rftheory.spec.feature_map import x as X
from rftheory.statement.atoms import OfLaw
from rftheory.statement.domain import Domain, Span
from rftheory.statement.pairs import block_size
from rftheory.statement.provers.proof import Proof
from rftheory.statement.provers.reduce import interval_of_a_row, reduced, require_laws
from rftheory.statement.provers.signs import is_real, proves, sign
from rftheory.statement.words import is_pointwise

SAYS = "by definition, for every law with these moments"


def by_definition(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove a relation of variances, errors, gaps and central moments of even order that holds for every law.

    Examples
    --------
    >>> from rftheory.statement.words import mse, positive, simplex, variance
    >>> claims = [mse(positive("sobol")) >= variance(positive("sobol")), mse(positive(simplex)) > 0]
    >>> [by_definition(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, False]
    """
    if not isinstance(part, (sympy.Eq, *ORDERINGS)) or not is_pointwise(part):
        return None
    require_laws(part, domain)
    parts = _Parts(domain)
    known = {law: parts.of(law) for law in part.atoms(OfLaw)}
    values = {law: value for law, value in known.items() if value is not None}
    if not values:
        return None
    low, high = (part.lts, part.gts) if isinstance(part, ORDERINGS) else part.args
    difference = sympy.expand(reduced((high - low).xreplace(values), domain))
    if isinstance(part, sympy.Eq):
        return Proof(Kind.DERIVED, SAYS) if difference == 0 else None
    bounded = sympy.expand(difference.xreplace(parts.from_above()))
    within = Domain({**domain.spans, **parts.spans}, domain.relations)
    if proves(sign(difference, within), part):
        return Proof(Kind.DERIVED, SAYS)
    if bounded != difference and proves(sign(bounded, within), part):
        return Proof(Kind.DERIVED, f"{SAYS}, and values in an interval have at most the variance of its ends")
    return None


@dataclass
class _Parts:
    """What quantities consist of, by symbols of values >= 0 for what is a mean of squares."""

    domain: Domain
    symbols: dict[tuple[object, ...], sympy.Dummy] = field(default_factory=dict)
    spans: dict[sympy.Symbol, Span] = field(default_factory=dict)
    most: dict[sympy.Dummy, sympy.Expr] = field(default_factory=dict)

    def of(self, law: OfLaw) -> sympy.Expr | None:
        """The quantity in such symbols; None if nothing is known of it by definition."""
        name = law.words[0]
        if law.feature.table is not None:
            return None
        if name == "variance":
            return self._variance(law)
        if name == "mse":
            return self._error(law)
        if name == "gap":
            return self._error(law.of_independent_rows) - self._error(law)
        order = law.numbers[4]
        if name != "central_moment" or order % 2:
            return None
        spread = self._variance(law)
        return spread if order == 2 else spread ** (order / 2) + self._symbol(f"order {order}", law)

    def _error(self, law: OfLaw) -> sympy.Expr:
        bias = S.Zero if law.is_unbiased else self._symbol("squared bias", law)
        return self._variance(law) + bias

    def _variance(self, law: OfLaw) -> sympy.Expr:
        """Of independent blocks, that of one by their number."""
        name, *mechanism = law.args
        d, m = law.numbers[:2]
        size = block_size(law.coupling).subs(DIMENSION, d)
        blocks = sympy.cancel(m / size)
        if law.coupling.blocks and blocks != 1 and blocks.is_integer and blocks.is_positive:
            mechanism[4] = size
            return self._variance(OfLaw(name, *mechanism)) / blocks
        return self._of_one_block(law)

    def _of_one_block(self, law: OfLaw) -> sympy.Dummy:
        found = self._symbol("variance", law, above=varies(law, self.domain))
        with suppress(NotKnown):  # E (X - a)(b - X) >= 0 for X in [a, b]
            low, high = interval_of_a_row(law, self.domain)
            self.most[found] = sympy.expand((high - low) ** 2 / 4)
        return found

    def from_above(self) -> dict[sympy.Dummy, sympy.Expr]:
        """Variances of bounded estimates, as what they are below their largest value."""
        below = {one: sympy.Dummy("below", nonnegative=True) for one in self.most}
        self.spans.update(dict.fromkeys(below.values(), Span(S.Zero, sympy.oo)))
        return {one: most - below[one] for one, most in self.most.items()}

    def _symbol(self, what: str, law: OfLaw, above: bool = False) -> sympy.Dummy:
        key = (what, *law.args[1:8], law.args[9])
        if key not in self.symbols:
            self.symbols[key] = sympy.Dummy(what, nonnegative=True)
            self.spans[self.symbols[key]] = Span(S.Zero, sympy.oo, low_open=above)
        return self.symbols[key]


def varies(law: OfLaw, domain: Domain) -> bool:
    """Whether it is proved that the estimate is not the same in all draws, at any point of the domain.

    Given all directions, and all norms but one, the rows of that norm r add up to a function e^(q r^2) sum_j e^(b_j r),
    or to one with waves e^(i b_j r). It is not constant unless all slopes are 0, and r has a density.

    Examples
    --------
    >>> from rftheory.statement.words import mse, positive, simplex, v
    >>> claims = [mse(positive(simplex)) > 0, mse(positive("sobol")) > 0]
    >>> [varies(claim.parts[0].args[0], Domain.of(claim, (v > 0,))) for claim in claims]
    [True, False]
    """
    feature, coupling = law.meant
    tied = isinstance(coupling.rows, RowsByRelation) or any(rows.reflected != 0 for rows in coupling.rows)
    if coupling.norms != "chi" or tied or coupling.pairs_unknown or not law.is_unbiased or feature.chosen:
        return False
    given = {p.symbol: law.parameters.get(p.name, p.default) for p in feature.parameters}
    terms = [replace(term, q=term.q.subs(given), b=term.b.subs(given)) for term in feature.terms]
    return all(_moves(term, law, domain) for term in terms) and (
        len(terms) == 1 or all(_is_real_slope(term, domain) for term in terms)
    )


def _moves(term: Term, law: OfLaw, domain: Domain) -> bool:
    """Whether a term is a real or imaginary exponential of a slope that is not 0, and perhaps of |w|^2."""
    _, _, v, z, _ = law.numbers
    norm = {S.One: v, S.NegativeOne: z}.get(slope_ratio(term))
    if term.phase or norm is None or not is_real(term.q, domain) or sign(norm, domain) != "positive":
        return False
    slopes = (sympy.expand(factor * term.b).coeff(X) for factor in (S.One, sympy.I))
    return any(is_real(slope, domain) and sign(slope, domain) in ("positive", "negative") for slope in slopes)


def _is_real_slope(term: Term, domain: Domain) -> bool:
    return is_real(sympy.expand(term.b).coeff(X), domain)
