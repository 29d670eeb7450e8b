"""From a statement to its verdict, by searching, proving and sampling; and what remains true nearby."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy

from rftheory.errors import RFTheoryError
from rftheory.judge.budget import Budget
from rftheory.judge.verdict import Cover, Decision, Evidence, Kind, Verdict, conclude
from rftheory.statement.prove import Proof, prove
from rftheory.statement.search import Search, pointwise, search
from rftheory.statement.statement import Statement

FALSE_ALARM = 1e-6
"""Probability of a false alarm in one run of a note."""

Report = Callable[[Evidence], None]


@dataclass(frozen=True)
class Judged:
    """A statement with its verdict.

    Attributes
    ----------
    id : id of the statement.
    text, latex, over, prints, source, expect : the parts of the statement, as text.
    verdict : the verdict.
    proposals : what seems to remain true nearby; not judged.
    mutants : each change of the statement, and its fate: refuted, undecided, or still true.

    Examples
    --------
    >>> Judged("n.a", "1 < 2", "", "", "", "", "holds", conclude([], claim="n.a")).as_expected
    False
    """

    id: str
    text: str
    latex: str
    over: str
    prints: str
    source: str
    expect: str
    verdict: Verdict
    proposals: tuple[str, ...] = ()
    mutants: tuple[tuple[str, str], ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the recorded one."""
        return str(self.verdict.decision) == self.expect


def judge(
    statement: Statement, *, budget: Budget | None = None, mutate: bool = False, report: Report | None = None,
    seed: int = 0, kinds: Sequence[str] = tuple(Kind), effort: float = 1.0,
) -> Judged:  # fmt: skip
    """Search, prove, sample, and conclude.

    Parameters
    ----------
    budget : budget of false alarms for the statement's own tests; without one nothing is sampled.
    mutate : whether to change the statement in every way and judge each change.
    report : called with each piece of evidence as it is found.
    kinds : of evidence; counterexamples are certified, proofs derived or certified, draws sampled.
    effort : factor on the number of draws.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import conformity, exp, orthogonal, v
    >>> claim = conformity(orthogonal) < exp(v**2)
    >>> found = judge(Statement("n.strict", "", claim, Domain.of(claim, (v > 0,))))
    >>> found.verdict.decision.value, found.verdict.grade.value
    ('holds', 'certified')
    >>> weak = judge(Statement("n.weak", "", claim, Domain.of(claim, ())))
    >>> weak.verdict.decision.value, weak.proposals[0]
    ('fails', 'with <= in place of <: proved')
    """
    pieces: list[Evidence] = []

    def add(piece: Evidence) -> None:
        if piece.kind in kinds:
            pieces.append(piece)
            if report is not None:
                report(piece)

    found = Search(0, 0, 0, "", None, "")
    if Kind.CERTIFIED in kinds:
        found, witnessed = searched(statement)
        if witnessed is not None:
            add(witnessed)
    if found.witness is None and (Kind.DERIVED in kinds or Kind.CERTIFIED in kinds):
        for piece in proved(statement):
            add(piece)
    if (
        Kind.SAMPLED in kinds
        and budget is not None
        and not any(piece.decision is Decision.FAILS for piece in pieces)
    ):
        from rftheory.statement.sampled import samples

        for piece in samples(statement, budget, seed, effort):
            add(piece)
    verdict = conclude(pieces, claim=statement.id)
    proposals: tuple[str, ...] = ()
    if verdict.decision is Decision.FAILS:
        from rftheory.statement.nearby import proposals_for

        proposals = proposals_for(statement, found)
    mutants: tuple[tuple[str, str], ...] = ()
    if mutate:
        from rftheory.statement.mutate import judged_mutants

        mutants = judged_mutants(statement)
    return judged(statement, verdict, proposals, mutants)


def judged(
    statement: Statement,
    verdict: Verdict,
    proposals: Sequence[str] = (),
    mutants: Sequence[tuple[str, str]] = (),
) -> Judged:
    """The statement as text, with its verdict.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import claimed, d
    >>> claim = claimed(d > 1)
    >>> judged(Statement("n.d", "", claim, Domain.of(claim, ())), conclude([], claim="n.d")).over
    'd >= 1'
    """
    return Judged(
        statement.id, str(statement.claim), statement.latex, str(statement.domain), statement.prints,
        statement.source, str(statement.expect), verdict, tuple(proposals), tuple(mutants),
    )  # fmt: skip


def searched(statement: Statement) -> tuple[Search, Evidence | None]:
    """The search for a counterexample, and its evidence.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import claimed, d
    >>> claim = claimed(d > 1)
    >>> searched(Statement("n.d", "", claim, Domain.of(claim, ())))[1].decision.value
    'fails'
    """
    start = time.perf_counter()
    found = search(statement.parts, statement.domain)
    seconds = time.perf_counter() - start
    if found.witness is not None:
        return found, Evidence(
            Kind.CERTIFIED, Decision.FAILS, found.summary, seconds=seconds, covers="points"
        )
    if not found.tried:
        return found, _valueless(found, seconds) if found.skipped else None
    decision = Decision.UNDECIDED if found.unfound else Decision.HOLDS
    return found, Evidence(Kind.CERTIFIED, decision, found.summary, seconds=seconds, covers="points")


def _valueless(found: Search, seconds: float) -> Evidence:
    says = f"no side has a value at any of {found.skipped} points: {found.why}"
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
    for part in statement.parts:
        start = time.perf_counter()
        proof = by_derivation(statement, part) or prove(part, statement.domain)
        found.append((proof, time.perf_counter() - start))
    refuted = [(p, s) for p, s in found if p is not None and p.refutes]
    if refuted:
        return [Evidence(p.kind, Decision.FAILS, p.says, seconds=s, covers="points") for p, s in refuted]
    whole = all(proof is not None for proof, _ in found)
    return [
        Evidence(
            proof.kind, Decision.HOLDS, proof.says, seconds=seconds, assumes=proof.assumes,
            covers=proof.covers if whole else str(Cover.PART),
        )
        for proof, seconds in found
        if proof is not None
    ]  # fmt: skip


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
    from rftheory.statement.derived import proof_by

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
    try:
        found = search(statement.parts, statement.domain, most=120, seconds=5.0)
        if found.witness is not None:
            return Decision.FAILS
        pieces = proved(statement)
    except RFTheoryError:
        return Decision.UNDECIDED
    if any(piece.decision is Decision.FAILS for piece in pieces):
        return Decision.FAILS
    whole = bool(pieces) and all(piece.cover.whole for piece in pieces)
    return Decision.HOLDS if whole else Decision.UNDECIDED


__all__ = [
    "FALSE_ALARM", "Judged", "alone", "by_derivation", "judge", "judged", "pointwise", "proved", "searched",
]  # fmt: skip
