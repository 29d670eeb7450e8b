"""From evidence to a verdict and its grade.

Neither undecided evidence nor agreement at points counts as `holds`; contradictions are reported.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from numbers import Real
from typing import Any

from rftheory.errors import InvalidInput, items, need
from rftheory.judge.tests import Outcome, TestResult

SCHEMA = "rftheory.verdict/2"


class Decision(StrEnum):
    """The verdict on a claim.

    Examples
    --------
    >>> [decision.value for decision in Decision]
    ['holds', 'fails', 'undecided']
    """

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"

    def counted(self, number: int) -> str:
        """How many statements have this verdict, as it is said in a sentence.

        Examples
        --------
        >>> Decision.HOLDS.counted(6), Decision.FAILS.counted(1), Decision.UNDECIDED.counted(2)
        ('6 hold', '1 fails', '2 undecided')
        """
        return f"{number} {self if number == 1 else self.removesuffix('s')}"


class Kind(StrEnum):
    """How evidence was obtained.

    Examples
    --------
    >>> Kind("derived") is Kind.DERIVED, Kind.SAMPLED == "sampled"
    (True, True)
    """

    DERIVED = "derived"
    CERTIFIED = "certified"
    SAMPLED = "sampled"


class Cover(StrEnum):
    """How much of the stated domain a piece of evidence covers.

    ``domain``: all of it. ``cases``: each of the finitely many cases that the statement is about. ``part``: one of
    several statements, or one of several ranges. ``points``: single points, sizes or draws.

    Examples
    --------
    >>> Cover.of("cases: the eight columns of Table 2"), Cover.of("points")
    (<Cover.CASES: 'cases'>, <Cover.POINTS: 'points'>)
    """

    DOMAIN = "domain"
    CASES = "cases"
    PART = "part"
    POINTS = "points"

    @property
    def whole(self) -> bool:
        """Whether evidence with this coverage can establish a statement."""
        return self in (Cover.DOMAIN, Cover.CASES)

    @classmethod
    def of(cls, text: str) -> Cover:
        """The word before the colon; evidence that covers cases must name them.

        Raises
        ------
        InvalidInput : an unknown word, or cases that are not named.
        """
        word, _, over = text.partition(":") if isinstance(text, str) else (text, "", "")
        cover: Cover = _member(cls, "covers", word)
        if cover is cls.CASES and not over.strip():
            raise InvalidInput("covers", needs="the cases after a colon", got=text)
        return cover


class Grade(StrEnum):
    """What a verdict rests on, from the strongest to the weakest.

    A verdict that rests on several pieces of evidence has the weakest of their grades: who takes a textbook theorem for
    granted says so, whatever else is certified.

    Examples
    --------
    >>> max([Grade.PROVED, Grade.COMPUTED, Grade.CERTIFIED], key=list(Grade).index).value
    'computed'
    """

    PROVED = "proved"
    CERTIFIED = "certified"
    CITED = "cited"
    COMPUTED = "computed"
    SUPPORTED = "supported"


_OF_OUTCOME = {Outcome.AGREES: Decision.HOLDS, Outcome.REFUTED: Decision.FAILS,
    Outcome.UNDECIDED: Decision.UNDECIDED}  # fmt: skip


@dataclass(frozen=True)
class Evidence:
    """One piece of evidence for or against a claim.

    Attributes
    ----------
    kind : derived (all steps checked), certified (enclosures) or sampled (with power).
    decision : what this piece alone says.
    summary : one line, the same for another seed.
    details : what JSON can hold; numbers with proved digits as text.
    control : whether the planted error of this evidence was refuted; None if it has none.
    seconds : wall time that it took.
    covers : how much of the stated domain it covers: a word of :class:`Cover` and, after a colon, what exactly. By
        default derivations cover the domain and everything else covers points. If several pieces cover the
        domain, the claim needs all of them.
    assumes : names of the textbook facts that a derivation takes for granted.
    mutants : the changes made to the statement, and whether each was caught; a harder test than the control, and
        without effect on the decision.
    still_true : changes of the statement that are not errors, because they follow from it.

    Examples
    --------
    >>> Evidence(Kind.SAMPLED, Decision.HOLDS, "z-test agrees", control=False).effective
    <Decision.UNDECIDED: 'undecided'>
    """

    kind: Kind
    decision: Decision
    summary: str
    details: dict[str, Any] = field(default_factory=dict)
    control: bool | None = None
    seconds: float = 0.0
    covers: str = ""
    assumes: tuple[str, ...] = ()
    mutants: tuple[tuple[str, bool], ...] = ()
    still_true: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", _member(Kind, "evidence.kind", self.kind))
        object.__setattr__(self, "decision", _member(Decision, "evidence.decision", self.decision))
        if not isinstance(self.summary, str) or not self.summary or "\n" in self.summary:
            raise InvalidInput("evidence.summary", needs="one line of text", got=self.summary)
        need("evidence.control", self.control, (bool, type(None)), "True, False or None")
        need("evidence.seconds", self.seconds, Real, "a duration, 0 or more")
        if not 0 <= self.seconds < float("inf"):
            raise InvalidInput("evidence.seconds", needs="a duration, 0 or more", got=self.seconds)
        object.__setattr__(self, "details", _as_json(self.details))
        object.__setattr__(self, "mutants", tuple((str(what), bool(caught)) for what, caught in self.mutants))
        object.__setattr__(self, "still_true", tuple(str(what) for what in self.still_true))
        if self.covers == "":
            default = Cover.DOMAIN if self.kind is Kind.DERIVED else Cover.POINTS
            object.__setattr__(self, "covers", str(default))
        Cover.of(self.covers)
        object.__setattr__(self, "assumes", tuple(dict.fromkeys(map(str, self.assumes))))

    @classmethod
    def of_test(cls, result: TestResult, *, planted: TestResult, seconds: float = 0.0) -> Evidence:
        """Sampled evidence from a test and from the same test of a planted error, which must be refuted.

        Examples
        --------
        >>> from rftheory.judge import Budget, Score
        >>> draws = [0.0, 1.0] * 10_000
        >>> right, wrong = (Score(mean, 0.25, len(draws), Budget(1e-6)).of(draws) for mean in (0.5, 0.6))
        >>> evidence = Evidence.of_test(right, planted=wrong)
        >>> evidence.control, evidence.effective.value
        (True, 'holds')
        """
        return cls(
            kind=Kind.SAMPLED,
            decision=_OF_OUTCOME[result.decision],
            summary=result.summary,
            details={"test": result.to_dict(), "planted": planted.to_dict()},
            control=planted.decision is Outcome.REFUTED,
            seconds=seconds,
        )

    @property
    def effective(self) -> Decision:
        """The decision; undecided if the planted error was not refuted, because such a check cannot fail."""
        return Decision.UNDECIDED if self.control is False else self.decision

    @property
    def cover(self) -> Cover:
        """How much of the stated domain the evidence covers."""
        return Cover.of(self.covers)

    @property
    def grade(self) -> Grade:
        """What this piece alone can establish; one certified point is enough for a refutation.

        Examples
        --------
        >>> Evidence(Kind.CERTIFIED, Decision.HOLDS, "at 3 points").grade.value
        'supported'
        >>> Evidence(Kind.DERIVED, Decision.HOLDS, "4 steps", assumes=("Robbins' bound",)).grade.value
        'cited'
        """
        if self.effective is Decision.HOLDS and not self.cover.whole:
            return Grade.SUPPORTED
        if self.kind is Kind.SAMPLED or self.cover is Cover.CASES:
            return Grade.COMPUTED
        if self.assumes:
            return Grade.CITED
        return Grade.CERTIFIED if self.kind is Kind.CERTIFIED else Grade.PROVED

    @property
    def says(self) -> str:
        """What it says of the statement; at points alone it supports it.

        Examples
        --------
        >>> Evidence(Kind.CERTIFIED, Decision.HOLDS, "no counterexample at 80 points").says
        'supports it'
        """
        points = self.effective is Decision.HOLDS and self.cover is Cover.POINTS
        return "supports it" if points else str(self.effective)

    @property
    def doubt(self) -> str:
        """Why the evidence is undecided, in one line; empty if it is not."""
        if self.control is False:
            return f"{self.kind}: the planted error was not refuted ({self.summary})"
        return f"{self.kind}: {self.summary}" if self.decision is Decision.UNDECIDED else ""

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return {
            "kind": str(self.kind),
            "decision": str(self.decision),
            "summary": self.summary,
            "details": self.details,
            "control": self.control,
            "seconds": self.seconds,
            "covers": self.covers,
            "assumes": list(self.assumes),
            "mutants": [list(mutant) for mutant in self.mutants],
            "still_true": list(self.still_true),
        }


@dataclass(frozen=True)
class Verdict:
    """The verdict on one claim, with its evidence and the reason.

    Attributes
    ----------
    claim : id of the claim.
    decision : holds, fails or undecided.
    evidence : all pieces that were looked at.
    reason : one line.
    contradiction : whether evidence for the whole claim contradicts a refutation. One of the two is wrong, so
        the decision is undecided.
    left_out : number of pieces of evidence of the claim that this run was not asked for.

    Examples
    --------
    >>> found = conclude([Evidence(Kind.CERTIFIED, Decision.FAILS, "a point")], claim="lemma")
    >>> found.decision.value, found.contradiction
    ('fails', False)
    """

    claim: str
    decision: Decision
    evidence: tuple[Evidence, ...]
    reason: str
    contradiction: bool = False
    left_out: int = 0

    @property
    def grade(self) -> Grade | None:
        """What the decision rests on; ``supported`` if all evidence agrees but does not cover the domain, else None."""
        if self.decision is Decision.UNDECIDED:
            agrees = self.evidence and all(p.effective is Decision.HOLDS for p in self.evidence)
            return Grade.SUPPORTED if agrees else None
        order = list(Grade).index
        if self.decision is Decision.FAILS:
            return min(
                (p.grade for p in self.evidence if p.effective is Decision.FAILS), key=order, default=None
            )
        return max((p.grade for p in self.evidence if p.cover.whole), key=order, default=None)

    @property
    def assumes(self) -> tuple[str, ...]:
        """The textbook facts that its evidence takes for granted."""
        return tuple(dict.fromkeys(name for piece in self.evidence for name in piece.assumes))

    @property
    def seconds(self) -> float:
        """Total time of all evidence."""
        return sum(piece.seconds for piece in self.evidence)

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON, with the version of its schema.

        Examples
        --------
        >>> verdict = conclude([], claim="simrf.thm3.2")
        >>> Verdict.from_dict(verdict.to_dict()) == verdict
        True
        """
        return {
            "schema": SCHEMA,
            "claim": self.claim,
            "decision": str(self.decision),
            "grade": None if self.grade is None else str(self.grade),
            "reason": self.reason,
            "contradiction": self.contradiction,
            "left_out": self.left_out,
            "evidence": [piece.to_dict() for piece in self.evidence],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Verdict:
        """The inverse of `to_dict`; raises `InvalidInput` for another schema or anything else."""
        schema = content.get("schema") if isinstance(content, Mapping) else None
        if schema != SCHEMA:
            raise InvalidInput("verdict", needs=f"schema {SCHEMA}", got=schema)
        try:
            return cls(
                claim=content["claim"],
                decision=_member(Decision, "verdict.decision", content["decision"]),
                evidence=tuple(Evidence(**piece) for piece in content["evidence"]),
                reason=content["reason"],
                contradiction=content["contradiction"],
                left_out=content["left_out"],
            )
        except (KeyError, TypeError) as error:
            raise InvalidInput("verdict", needs="the result of to_dict", got=str(error)) from error


def conclude(evidences: Iterable[Evidence], *, claim: str, left_out: Iterable[Cover] = ()) -> Verdict:
    """The verdict on a claim.

    ``left_out`` lists the coverage of those pieces of evidence of the claim that this run was not asked for.

    1. Evidence whose planted error was not refuted counts as undecided.
    2. Evidence for the whole claim together with a refutation: a contradiction, undecided and flagged.
    3. One refutation (certified, derived, or sampled at the family-wise level): fails.
    4. Any undecided evidence, or no evidence at all: undecided.
    5. No evidence covers the stated domain, or some that does was left out: undecided, supported.
    6. Otherwise: holds.

    Examples
    --------
    >>> proof = Evidence(Kind.DERIVED, Decision.HOLDS, "4 steps checked")
    >>> point = Evidence(Kind.CERTIFIED, Decision.FAILS, "at d = 2 the left side exceeds 1.0001")
    >>> conclude([proof], claim="simrf.lemma").decision.value
    'holds'
    >>> conclude([point], claim="simrf.lemma").decision.value
    'fails'
    >>> points = Evidence(Kind.CERTIFIED, Decision.HOLDS, "at 3 points")
    >>> conclude([points], claim="simrf.lemma").reason
    'certified: at 3 points, but no proof for the whole domain'
    >>> verdict = conclude([proof, point], claim="simrf.lemma")
    >>> verdict.decision.value, verdict.contradiction
    ('undecided', True)
    >>> conclude([], claim="simrf.lemma").reason
    'no evidence'
    """
    if not isinstance(claim, str) or not claim:
        raise InvalidInput("claim", needs="an id", got=claim)
    pieces = items("evidences", evidences, Evidence, "Evidence objects")
    missing = items("left_out", left_out, Cover, "members of Cover")
    decision, reason, contradiction = _weigh(pieces, any(cover.whole for cover in missing))
    return Verdict(claim, decision, pieces, reason, contradiction, len(missing))


def _weigh(pieces: tuple[Evidence, ...], incomplete: bool) -> tuple[Decision, str, bool]:
    against = [piece for piece in pieces if piece.effective is Decision.FAILS]
    proofs = [piece for piece in pieces if piece.effective is Decision.HOLDS and piece.cover.whole]
    if against and proofs:
        reason = f"contradiction: {_named(proofs)}; against it {_named(against)}"
        return Decision.UNDECIDED, reason, True
    if against:
        return Decision.FAILS, _named(against), False
    doubts = [piece.doubt for piece in pieces if piece.effective is Decision.UNDECIDED]
    if doubts:
        return Decision.UNDECIDED, "; ".join(doubts), False
    if not pieces:
        return Decision.UNDECIDED, "no evidence", False
    if incomplete:
        return Decision.UNDECIDED, f"evidence that is needed was left out: {_named(pieces)}", False
    if not proofs:
        mark = "," if len(pieces) == 1 else ";"
        return Decision.UNDECIDED, f"{_named(pieces)}{mark} but no proof for the whole domain", False
    return Decision.HOLDS, _named(pieces), False


def _named(pieces: Iterable[Evidence]) -> str:
    return "; ".join(f"{piece.kind}: {piece.summary}" for piece in pieces)


def _member(enum: type[Any], subject: str, value: object) -> Any:
    try:
        return enum(value)
    except ValueError as error:
        needs = "one of " + ", ".join(str(member) for member in enum)
        raise InvalidInput(subject, needs=needs, got=value) from error


def _as_json(details: Mapping[str, Any]) -> dict[str, Any]:
    """A copy as JSON would return it, so that a stored value equals the one read back."""
    if not isinstance(details, Mapping):
        raise InvalidInput("evidence.details", needs="a mapping", got=type(details).__name__)
    try:
        copy: dict[str, Any] = json.loads(json.dumps(dict(details), allow_nan=False))
    except (TypeError, ValueError) as error:
        hint = "store infinite values and fractions as text, arrays as lists"
        raise InvalidInput("evidence.details", needs="JSON values", got=str(error), hint=hint) from error
    return copy
