"""What search and proof find of a statement, without draws."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import sympy

from rftheory.errors import RFTheoryError
from rftheory.exact.limits import cpu_limit
from rftheory.judge.verdict import Cover, Decision, Evidence, Kind
from rftheory.names import plural
from rftheory.statement.declared import require_declared
from rftheory.statement.domain import corners
from rftheory.statement.pointwise import pointwise
from rftheory.statement.provers.derivation import proof_by, why_left_out
from rftheory.statement.provers.proof import Proof, prove
from rftheory.statement.search import Search, search
from rftheory.statement.statement import Statement
from rftheory.statement.without_value import where_it_says_something, with_what_it_excludes


class Effort(NamedTuple):
    """How long to search: at most so many points, and so many seconds of computing; then so many more (`search`).

    Examples
    --------
    >>> BRIEF.points
    12
    """

    points: int
    seconds: float
    more: int = 0


BRIEF = Effort(12, 1.5)
"""Before the proof; enough for most counterexamples, since corners come first."""

LONG = Effort(80, 10.0, 160)
"""For a statement that is not proved."""

MUTANT = Effort(120, 5.0, 160)
"""For a change of a statement that is not proved."""

MUTANT_SECONDS = 10.0
"""For one changed statement in all: over a wider range a program may run for hours."""

Report = Callable[[Evidence], None]


@dataclass(frozen=True)
class Settled:
    """What search and proof find.

    Attributes
    ----------
    search : the last search that was made.
    seen : its evidence, if it reached any value.
    proofs : evidence of the provers.

    Examples
    --------
    >>> Settled(Search(0, 0, 0, "", None, "")).decision.value
    'undecided'
    """

    search: Search
    seen: Evidence | None = None
    proofs: tuple[Evidence, ...] = ()

    @property
    def pieces(self) -> tuple[Evidence, ...]:
        """All evidence, that of the search first."""
        return self.proofs if self.seen is None else (self.seen, *self.proofs)

    @property
    def decision(self) -> Decision:
        """FAILS if one piece refutes, HOLDS if proofs cover the domain."""
        if any(piece.decision is Decision.FAILS for piece in self.pieces):
            return Decision.FAILS
        proofs = [piece for piece in self.proofs if piece.decision is Decision.HOLDS]
        whole = bool(proofs) and all(piece.cover.whole for piece in proofs)
        return Decision.HOLDS if whole else Decision.UNDECIDED


def settled(
    statement: Statement,
    *,
    long: Effort = LONG,
    kinds: Sequence[str] = tuple(Kind),
    report: Report | None = None,
) -> Settled:
    """Look at a few corners, prove, and search for long only if no proof covers the domain.

    A proof makes a search superfluous; the corners remain, as a guard against a prover that is wrong.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import conformity, exp, orthogonal, v
    >>> claim = conformity(orthogonal) <= exp(v**2)
    >>> found = settled(Statement("n.a", "", claim, Domain.of(claim, ())))
    >>> found.decision.value, found.search.tried
    ('holds', 12)
    """

    def told(found: Settled) -> Settled:
        if report is not None:
            for piece in found.pieces:
                if piece.kind in kinds:
                    report(piece)
        return found

    require_declared(statement.parts)
    searches, proves = Kind.CERTIFIED in kinds, Kind.CERTIFIED in kinds or Kind.DERIVED in kinds
    nothing = Search(0, 0, 0, "", None, "")
    domain = statement.domain
    if domain.relations and not domain.unchosen and next(corners(domain, 1), None) is None:
        # everything would hold
        says = "no point of the domain was found: do its conditions contradict each other?"
        return told(Settled(nothing, Evidence(Kind.CERTIFIED, Decision.UNDECIDED, says, covers="points")))
    looked = Settled(*searched(statement, BRIEF)) if searches else Settled(nothing)
    told(looked)
    if looked.search.witness is not None or not proves:
        return looked
    tried = replace(looked, proofs=tuple(proved(statement)))
    if (
        tried.decision is Decision.HOLDS
        and looked.seen is not None
        and looked.seen.decision is Decision.UNDECIDED
    ):
        tried = replace(tried, seen=None)  # that no value was found says nothing where one is proved to exist
    told(replace(tried, seen=None))
    if tried.decision is not Decision.UNDECIDED or not searches:
        return tried
    after = told(Settled(*searched(statement, long)))
    return after if after.search.witness is not None else replace(after, proofs=tried.proofs)


def searched(statement: Statement, effort: Effort) -> tuple[Search, Evidence | None]:
    """The search for a counterexample, and its evidence.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import claimed, d
    >>> claim = claimed(d > 1)
    >>> searched(Statement("n.d", "", claim, Domain.of(claim, ())), BRIEF)[1].decision.value
    'fails'
    """
    start = time.perf_counter()
    found = search(
        statement.parts, statement.domain, most=effort.points, seconds=effort.seconds, more=effort.more
    )
    seconds = time.perf_counter() - start
    if found.witness is not None:
        return found, Evidence(
            Kind.CERTIFIED, Decision.FAILS, found.summary, seconds=seconds, covers="points"
        )
    if not found.tried:
        return found, _valueless(found, seconds) if found.skipped else None
    supports = not found.unfound and (found.agreed or found.digits)  # or nothing is known at any point
    decision = Decision.HOLDS if supports else Decision.UNDECIDED
    return found, Evidence(Kind.CERTIFIED, decision, found.summary, seconds=seconds, covers="points")


def _valueless(found: Search, seconds: float) -> Evidence:
    says = f"no side has a value at any of {plural(found.skipped, 'point')}{found.ended}: {found.why}"
    return Evidence(Kind.CERTIFIED, Decision.UNDECIDED, says, seconds=seconds, covers="points")


def proved(statement: Statement) -> list[Evidence]:
    """One piece of evidence for each part; it covers the domain unless another part is open.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import conformity, exp, orthogonal, v
    >>> claim = conformity(orthogonal) <= exp(v**2)
    >>> [piece.covers for piece in proved(Statement("n.a", "", claim, Domain.of(claim, ())))]
    ['domain']
    """
    found: list[tuple[Proof | None, float]] = []
    own = statement.proof is None
    for part in statement.parts:
        start = time.perf_counter()
        given = by_derivation(statement, part)
        own = own or given is not None
        proof = given or prove(part, statement.domain)
        if proof is not None:
            proof = with_what_it_excludes(proof, part, statement.domain)
        elif pointwise(part):
            proof = where_it_says_something(part, statement.domain)
        found.append((proof, time.perf_counter() - start))
    refuted = [(p, s) for p, s in found if p is not None and p.refutes]
    whole = all(proof is not None for proof, _ in found)
    pieces = [
        Evidence(p.kind, Decision.FAILS, p.says, seconds=s, assumes=p.assumes, covers="points")
        for p, s in refuted
    ] or [
        Evidence(
            proof.kind, Decision.HOLDS, proof.says, seconds=seconds, assumes=proof.assumes,
            covers=proof.covers if whole else str(Cover.PART),
        )
        for proof, seconds in found
        if proof is not None
    ]  # fmt: skip
    if own:
        return pieces
    why = why_left_out(statement.proof, statement.parts, statement.domain)
    if not pieces:
        return [Evidence(Kind.DERIVED, Decision.UNDECIDED, why, covers="points")]
    return [replace(pieces[0], summary=f"{pieces[0].summary}; {why}"), *pieces[1:]]  # which still count


def by_derivation(statement: Statement, part: sympy.Basic) -> Proof | None:
    """The derivation that the statement names, if its conclusion is this part and its domain is large enough.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import claimed, d
    >>> claim = claimed(d > 1)
    >>> by_derivation(Statement("n.d", "", claim, Domain.of(claim, ())), claim.parts[0]) is None
    True
    """
    if statement.proof is None:
        return None
    return proof_by(statement.proof, part, statement.domain)


def alone(statement: Statement) -> Decision:
    """The verdict of search and proof only, as used for mutants and proposals.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import claimed, d
    >>> claim = claimed(d > 1)
    >>> alone(Statement("n.d", "", claim, Domain.of(claim, ()))).value
    'fails'
    """
    found = settled_alone(statement)
    return Decision.UNDECIDED if found is None else found.decision


def settled_alone(statement: Statement) -> Settled | None:
    """What search and proof find in a short time; None if they do not end, or a side has no value.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import claimed, d
    >>> claim = claimed(d > 1)
    >>> settled_alone(Statement("n.d", "", claim, Domain.of(claim, ()))).search.tried
    1
    """
    try:
        with cpu_limit(MUTANT_SECONDS):
            return settled(statement, long=MUTANT)
    except RFTheoryError:
        return None
