"""From a statement to its verdict, by searching, proving and sampling; and what remains true nearby."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sympy

from rftheory.judge.budget import Budget
from rftheory.judge.verdict import Cover, Decision, Evidence, Grade, Kind, Verdict, conclude
from rftheory.statement.mutate import judged_mutants
from rftheory.statement.nearby import proposals_for
from rftheory.statement.pointwise import pointwise
from rftheory.statement.provers.proof import not_written_out, written_out
from rftheory.statement.provers.unexpanded import not_expanded
from rftheory.statement.settle import Report, settled
from rftheory.statement.statement import Statement
from rftheory.statement.tilts import refuted_by_tilts
from rftheory.statement.without_value import where_it_says_something
from rftheory.statement.words import atoms_of

if TYPE_CHECKING:
    from rftheory.statement.sampled import NotDrawn

FALSE_ALARM = 1e-6
"""Probability of a false alarm in one run of a note."""


@dataclass(frozen=True)
class Judged:
    """A statement with its verdict.

    Attributes
    ----------
    id : id of the statement.
    text, latex, over, prints, source, expect : the parts of the statement, as text.
    verdict : the verdict.
    proposals : what seems to remain true nearby; not judged.
    mutants : each change of the statement, and its fate: refuted, undecided, or true.
    domain : ``over`` with its formulas in LaTeX.
    not_drawn : of each quantity that was not drawn: its feature map, its coupling, and why.
    laws : the laws of the statement, with their expressions in variables, unless it is refuted.
    why_open : why nothing is proved of what agrees at points, or refuted by draws, as far as it is known.
    narrowing : what its conditions allow and its laws do not.

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
    domain: str = ""
    not_drawn: tuple[tuple[str, str, str], ...] = ()
    why_open: str = ""
    laws: tuple[tuple[str, str], ...] = ()
    narrowing: tuple[str, ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the recorded one."""
        return str(self.verdict.decision) == self.expect

    @property
    def aside(self) -> str:
        """What to add to the verdict if another, or this one, is expected; empty if none is."""
        if not self.expect:
            return ""
        return "as expected" if self.as_expected else f"expected {self.expect}"


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
    ('fails', 'with <= in place of <: certified')
    """
    pieces: list[Evidence] = []
    not_drawn: list[tuple[str, str, str]] = []

    def add(piece: Evidence) -> None:
        if piece.kind in kinds:
            pieces.append(piece)
            if report is not None:
                report(piece)

    found = settled(statement, kinds=kinds, report=report)
    pieces.extend(piece for piece in found.pieces if piece.kind in kinds)
    left_out = [piece.cover for piece in found.pieces if piece.kind not in kinds]
    if Kind.CERTIFIED in kinds and conclude(pieces, claim=statement.id).decision is Decision.UNDECIDED:
        far = refuted_by_tilts(statement)
        if far is not None:
            add(far)
    open_ = not any(piece.decision is Decision.FAILS for piece in pieces)
    if Kind.SAMPLED in kinds and budget is not None and open_:
        for drawn in _draws(statement, budget, seed, effort, pieces):
            if isinstance(drawn, Evidence):
                add(drawn)
            else:
                not_drawn.append((*drawn.mechanism, drawn.why))
    drawn_only = all(piece.kind is Kind.SAMPLED for piece in pieces)  # which says nothing of a limit
    if drawn_only and not any(map(pointwise, statement.parts)):
        add(Evidence(Kind.DERIVED, Decision.UNDECIDED, _open_limit(statement)))
    if not pieces and found.search.ended:
        says = f"no point was tried to the end{found.search.ended}"
        add(Evidence(Kind.CERTIFIED, Decision.UNDECIDED, says, covers="points"))
    verdict = _of_the_law(_concluded(pieces, statement.id, left_out))
    fails = verdict.decision is Decision.FAILS
    proposals = proposals_for(statement, found.search) if fails else ()
    mutants = judged_mutants(statement) if mutate else ()
    laws = () if fails else _laws(statement)
    supported = verdict.grade is Grade.SUPPORTED and not verdict.contradiction
    why = not_written_out(statement.parts, statement.domain) if supported else ""
    if verdict.decision is Decision.UNDECIDED and not any(p.kind is Kind.SAMPLED for p in pieces):
        why = "; ".join(filter(None, (why, _no_draws_of_tails(statement, not_drawn))))
    result = judged(statement, verdict, proposals, mutants)
    return replace(result, not_drawn=tuple(not_drawn), why_open=why, laws=laws)


def _draws(
    statement: Statement, budget: Budget, seed: int, effort: float, before: Sequence[Evidence]
) -> Iterator[Evidence | NotDrawn]:
    """Evidence from draws of what a statement is about, and of the tails that it bounds."""
    from rftheory.statement.sampled import samples
    from rftheory.statement.sampled_tails import bounds_tested

    yield from samples(statement, budget, seed, effort)
    yield from bounds_tested(statement, budget, seed, effort, before)


def _open_limit(statement: Statement) -> str:
    """Why a statement on limits is open: what was tried, what is proved apart, what is not written out."""
    says = "no proof was found, and no values of the other variables for which the limit fails"
    asked = statement.parts, statement.domain
    beyond = [where_it_says_something(part, statement.domain) for part in statement.parts]
    if apart := [proof.says for proof in beyond if proof is not None and not proof.refutes]:
        says = f"no proof was found for the whole domain; {'; '.join(apart)}"
    why = not_written_out(*asked) or not_expanded(*asked)
    return f"{says}; {why}" if why else says


def _laws(statement: Statement) -> tuple[tuple[str, str], ...]:
    """The laws of a statement that have an expression in variables, with it, as text."""
    found = written_out(statement.parts, statement.domain)
    return tuple((str(atom), str(law)) for atom, law in found if isinstance(law, sympy.Expr))


def _no_draws_of_tails(statement: Statement, not_drawn: Sequence[tuple[str, str, str]]) -> str:
    """That no draws could refute a bound of a tail, where a mechanism has no sampler; empty elsewhere."""
    if not (not_drawn and any(atom.is_tail for atom in atoms_of(statement.parts))):
        return ""
    from rftheory.statement.sampled import without_sampler

    names = dict.fromkeys(name for *both, _ in not_drawn for name in without_sampler((both[0], both[1])))
    return f"no draws could refute it, since there is no sampler of {' and '.join(names)}" if names else ""


def _concluded(pieces: Sequence[Evidence], claim: str, left_out: Sequence[Cover]) -> Verdict:
    """The verdict; what is proved stands where draws ended with an error, which say nothing of it."""
    found = conclude(pieces, claim=claim, left_out=left_out)
    ended = [piece for piece in pieces if "failed" not in piece.details]
    without = conclude(ended, claim=claim, left_out=left_out)
    if without.decision is Decision.UNDECIDED:
        return found
    return replace(without, evidence=found.evidence)


def _of_the_law(verdict: Verdict) -> Verdict:
    """The verdict, left open where draws differ: sampler or declaration are wrong, whatever is claimed of the law.

    Draws that refute a bound of a tail are of what is claimed itself.
    """
    failing = (p for p in verdict.evidence if p.kind is Kind.SAMPLED and p.effective is Decision.FAILS)
    apart = [piece for piece in failing if "claim" not in piece.details]
    if not apart or verdict.contradiction:
        return verdict
    reason = "; ".join(f"contradiction: {piece.summary}" for piece in apart)
    return replace(verdict, decision=Decision.UNDECIDED, reason=reason, contradiction=True)


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
        statement.source, str(statement.expect), verdict, tuple(proposals), tuple(mutants), statement.domain.latex,
        narrowing=statement.domain.narrowing,
    )  # fmt: skip
