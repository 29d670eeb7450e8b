"""What a proof says, and the search for one: each prover is tried until one finds a proof for the whole domain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

import sympy
from flint import ctx
from sympy.core.facts import InconsistentAssumptions

from rftheory.errors import NotKnown, OutsideDomain, RFTheoryError, Undecided
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import CountOf, EntryOf, OfLaw, PairMean
from rftheory.statement.domain import Domain, Values, corners, formulas_in
from rftheory.statement.pointwise import ball
from rftheory.statement.provers.reduce import law_reduced, reduced, require_value
from rftheory.statement.provers.signs import Sign, proves, sign, with_ends
from rftheory.statement.words import LimitOf, bound_in, is_pointwise, substituted


@dataclass(frozen=True)
class Proof:
    """How a part of a statement was proved over its whole domain.

    Attributes
    ----------
    kind : derived, for identities of expressions; certified, for signs and enclosures.
    says : one line.
    covers : as in `rftheory.judge.Evidence`.
    assumes : textbook facts that it uses.
    refutes : True if the contrary is proved.

    Examples
    --------
    >>> Proof(Kind.DERIVED, "both sides are the same expression").covers
    'domain'
    """

    kind: Kind
    says: str
    covers: str = "domain"
    assumes: tuple[str, ...] = ()
    refutes: bool = False

    def resting_on(self, *others: Proof, says: str) -> Proof:
        """This proof, of which others are parts: derived only if all are."""
        kind = self.kind if {other.kind for other in others} <= {self.kind} else Kind.CERTIFIED
        theorems = (theorem for proof in (*others, self) for theorem in proof.assumes)
        return replace(self, kind=kind, says=says, assumes=tuple(dict.fromkeys(theorems)))


Prover = Callable[[sympy.Basic, Domain], Proof | None]

PROVERS: list[Prover] = []
"""All provers, the quick ones first; `rftheory.statement.provers` names them."""

FOR_TABLES: list[Prover] = []
"""Those that look at each cell: no algebra tells anything about printed numbers."""

DOES_NOT_APPLY = (
    NotKnown, OutsideDomain, Undecided, sympy.PolynomialError, NotImplementedError, InconsistentAssumptions,
)  # fmt: skip
"""What a prover raises where it says nothing of a relation, such as one in which a law does not exist."""


def written_out(
    parts: Iterable[sympy.Basic], domain: Domain
) -> Iterator[tuple[OfLaw, sympy.Expr | NotKnown]]:
    """Each law in some relations, with its expression in variables, or why it has none.

    Examples
    --------
    >>> from rftheory.statement.words import iid, m, mse, positive, v
    >>> claim = mse(positive(iid, m=m)) > 0
    >>> [(str(atom), sympy.factor(found)) for atom, found in written_out(claim.parts, Domain.of(claim, (v > 0,)))]
    [('mse(positive x iid, m)', (exp(v**2) - 1)*exp(-z**2)/m)]
    """
    for atom in sorted({atom for part in parts for atom in part.atoms(OfLaw)}, key=str):
        try:
            if (found := law_reduced(atom, domain)) != atom:
                yield atom, found
        except NotKnown as why:
            yield atom, why
        except DOES_NOT_APPLY:
            continue


def not_written_out(parts: Iterable[sympy.Basic], domain: Domain) -> str:
    """Why one of the laws or formulas in some relations has no such expression; nothing if all have one.

    Examples
    --------
    >>> from rftheory.statement.words import d, gap, limit, positive
    >>> claim = limit(gap(positive("orthogonal-simplices")), d, sympy.oo) == 0
    >>> not_written_out(claim.parts, Domain.of(claim, ()))  # doctest: +ELLIPSIS
    'the number of pairs as a function of d is not known for orthogonal-simplices, because the axis of its rows, ...
    """
    parts = tuple(parts)
    for formula in formulas_in(parts):
        try:
            require_value(formula, domain)
        except NotKnown as why:
            return str(why)
    return next((str(why) for _, why in written_out(parts, domain) if isinstance(why, NotKnown)), "")


def prove(part: sympy.Basic, domain: Domain, provers: Sequence[Prover] = ()) -> Proof | None:
    """The first proof that a prover finds, one of all provers or of those given.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, exp, orthogonal, v
    >>> claim = conformity(orthogonal) < exp(v**2)
    >>> prove(claim.parts[0], Domain.of(claim, (v > 0,))).says
    'coefficients of v^2k: 0 at k = 0, 0 at k = 1, > 0 from k = 2 on, of the larger side minus the smaller one'
    >>> prove(claim.parts[0], Domain.of(claim, (v >= 0,))) is None
    True
    """
    asked = part, domain, tuple(provers)
    if asked in _BEING_PROVED:
        return None
    _BEING_PROVED.add(asked)
    try:
        return _first_proof(*asked)
    finally:
        _BEING_PROVED.remove(asked)


_BEING_PROVED: set[tuple[sympy.Basic, Domain, tuple[Prover, ...]]] = set()
"""What proofs are looked for: one that rests on itself is none."""


@lru_cache(maxsize=256)
def _first_proof(part: sympy.Basic, domain: Domain, provers: tuple[Prover, ...]) -> Proof | None:
    """Kept: a relation is asked of as part of others, again where a side may lack a value, and where all is edited."""
    bound, domain = bound_in(part), with_ends(domain)
    settled = {s: span.low for s, span in domain.spans.items() if span.low == span.high and s not in bound}
    part = substituted(part, settled)
    for prover in provers or (FOR_TABLES if part.has(EntryOf) else PROVERS):
        try:
            found = prover(part, domain)
        except DOES_NOT_APPLY:
            continue
        except (TypeError, ValueError) as error:
            if any(says in str(error) for says in ("Invalid comparison", "is not comparable")):
                continue  # the condition of a case has no truth at some point, or one of some numbers is not real
            raise
        if found is not None:
            return _of_counts(found) if part.has(CountOf) else found
    return None


def proved(part: sympy.Basic, domain: Domain, provers: Sequence[Prover] = ()) -> Proof | None:
    """What `prove` finds, if it is no refutation.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> claim = claimed(v > 1)
    >>> [proved(claim.parts[0], Domain.of(claim, (over,))) is not None for over in (v >= 2, v <= 1)]
    [True, False]
    """
    found = None if is_false_somewhere(part, domain) else prove(part, domain, provers)
    return None if found is None or found.refutes else found


FEW_POINTS, MORE_POINTS, FEW_BITS = 12, 80, 64
"""What is looked at before a proof is looked for: most of what provers try is false at one of the simplest points.
Before a prover that takes long, more are looked at."""


def is_false_somewhere(part: sympy.Basic, domain: Domain, most: int = FEW_POINTS) -> bool:
    """Whether an ordering is seen to be false at one of a few points.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> claim = claimed(v**2 > v - 1)
    >>> is_false_somewhere(claim.parts[0], Domain.of(claim, ())), is_false_somewhere(v > 1, Domain.of(claim, ()))
    (False, True)
    """
    if not is_pointwise(part):
        return False
    try:
        difference = larger_minus_smaller(part, domain)
    except DOES_NOT_APPLY:
        return False
    if difference is None or difference.has(*_SLOW):
        return False
    with ctx.workprec(FEW_BITS):
        return any(
            _is_negative(difference, values, isinstance(part, STRICT))
            for values in _first_corners(domain, most)
        )


@lru_cache(maxsize=256)
def _first_corners(domain: Domain, most: int) -> tuple[Values, ...]:
    """Kept: where most variables are settled, few of thousands of combinations lie in the domain."""
    return tuple(corners(domain, most))


_SLOW = (PairMean, sympy.Integral, sympy.Sum)
"""What may take long to enclose at a point."""


def _is_negative(expression: sympy.Expr, values: Values, or_zero: bool) -> bool:
    """Whether it is seen to be below 0 at a point, or to be at most 0."""
    with suppress(RFTheoryError, ArithmeticError):
        found = ball(expression, values)
        return bool(found <= 0 if or_zero else found < 0)
    return False


def uncited(part: sympy.Basic, domain: Domain, provers: Sequence[Prover] = ()) -> Proof | None:
    """What `proved` finds, if nothing is cited for it: for uses that have no place for citations.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> uncited(claimed(v > 1).parts[0], Domain.of(claimed(v > 1), (v >= 2,))).assumes
    ()
    """
    found = proved(part, domain, provers)
    return None if found is None or found.assumes else found


def proved_sign(
    expression: sympy.Expr, domain: Domain, provers: Sequence[Prover] = (), weak: bool = False
) -> tuple[Sign | None, tuple[str, ...]]:
    """The sign that provers find on the whole domain, one that may be 0 only if ``weak``; and what is cited for it.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, exp, v
    >>> over = Domain.of(claimed(v < d), ())
    >>> [proved_sign(1 - exp(v), over, weak=weak)[0] for weak in (False, True)]
    [None, 'nonpositive']
    """
    ways: dict[Sign, type[sympy.Basic]] = {
        "positive": sympy.StrictGreaterThan, "negative": sympy.StrictLessThan,
        "nonnegative": sympy.GreaterThan, "nonpositive": sympy.LessThan,
    }  # fmt: skip
    for own, than in islice(ways.items(), 4 if weak else 2):
        if (found := proved(than(expression, 0, evaluate=False), domain, provers)) is not None:
            return own, found.assumes
    return None, ()


def _of_counts(found: Proof) -> Proof:
    """A program was run, at finitely many sizes, whatever the domain is."""
    over = "cases: the sizes at which it was run; that the count is such a polynomial at others is read off its loops"
    return replace(found, kind=Kind.CERTIFIED, covers=over if found.covers == "domain" else found.covers)


def larger_minus_smaller(part: sympy.Basic, domain: Domain) -> sympy.Expr | None:
    """The difference that an ordering says is positive, with the laws written out; None for others, and of limits.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> claim = claimed(d < d**2)
    >>> larger_minus_smaller(claim.parts[0], Domain.of(claim, ()))
    d**2 - d
    """
    if not isinstance(part, ORDERINGS) or part.has(LimitOf):
        return None
    return reduced(part.gts, domain) - reduced(part.lts, domain)


def above_zero(expression: sympy.Expr, strict: bool) -> sympy.Basic:
    """The ordering that an expression is positive, or, if not ``strict``, at least 0.

    Examples
    --------
    >>> from rftheory.statement.words import d
    >>> above_zero(d - 1, True), above_zero(d - 1, False)
    (d - 1 > 0, d - 1 >= 0)
    """
    than = sympy.StrictGreaterThan if strict else sympy.GreaterThan
    return than(expression, 0, evaluate=False)


def of_one_sign(part: sympy.Basic, difference: sympy.Expr, domain: Domain, counted: str) -> Proof | None:
    """The proof of an ordering by the sign of its difference; ``counted`` says in what its coefficients are seen.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> claim = claimed(d**2 + 1 > 2 * d)
    >>> of_one_sign(claim.parts[0], (d - 1) ** 2, Domain.of(claim, (d >= 2,)), "d").says
    'the difference of the sides has one sign, by its coefficients in d'
    """
    if not proves(sign(difference, domain), part):
        return None
    return Proof(
        Kind.CERTIFIED, f"the difference of the sides has one sign, by its coefficients in {counted}"
    )
