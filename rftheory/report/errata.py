"""The errata of each source, ranked; one entry per fault, with its place, words, reason, correction and consequence."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rftheory import __version__
from rftheory.judge import Decision
from rftheory.names import plural
from rftheory.papers import Catalogue
from rftheory.papers.claim import Claim, Fault
from rftheory.report.formulas import in_markdown, with_dollars
from rftheory.report.run import Result
from rftheory.statement.domain import NO_VARIABLES

SCHEMA = "rftheory.errata/2"
SEVERITY = {
    3: "a result is false as it is used",
    2: "a statement is false, what rests on it stands",
    1: "cosmetic",
}
NO_ERRATA = "no errata: false in our reading, or through the extraction of the text"
UNRANKED = "false statements of a note"
READING = "reading"
"""The kind of fault that is not an erratum, because the source does not say it."""
_UNSORTED = Fault("error", 2)


@dataclass(frozen=True)
class Erratum:
    """One fault, and the false statements that it causes.

    Attributes
    ----------
    id : id of the claim that describes it.
    also : ids of other claims that fail for the same reason.
    paper : the source.
    where : the place in the source.
    kind, severity, consequence : as in `rftheory.papers.claim.Fault`; of a statement of a note, none and 0.
    prints : the words of the source, verbatim; empty if the wording is ours.
    judged : the statement that was judged.
    conditions : the domain as stated.
    wrong : what is wrong, and what is right, in words.
    why : the refutations in this run, such as a certified counterexample.
    right_id, right, right_conditions, right_grade : the corrected statement, itself a claim, in words where it has
        some, and its grade here. Of a statement of a note, in ``right``, what is true nearby.
    confirmed : whether this run refuted all of its statements again.
    grade : what the refutation rests on.
    """

    id: str
    also: tuple[str, ...]
    paper: str
    where: str
    kind: str
    severity: int
    consequence: str
    prints: str
    judged: str
    conditions: str
    wrong: str
    why: tuple[str, ...]
    right_id: str
    right: str
    right_conditions: str
    right_grade: str
    confirmed: bool
    grade: str = "-"

    @property
    def is_reading(self) -> bool:
        """Whether the refuted statement is a reading, and not what the source says."""
        return self.kind == READING


@dataclass(frozen=True)
class Outcome:
    """What a run found about one claim, as far as errata need it.

    Attributes
    ----------
    against : the refutations, in words.
    confirmed : whether it was refuted.
    grade : what the verdict rests on.
    holds : whether it was found to hold.

    Examples
    --------
    >>> Outcome().confirmed
    False
    """

    against: tuple[str, ...] = ()
    confirmed: bool = False
    grade: str = "-"
    holds: bool = False

    @classmethod
    def of(cls, result: Result) -> Outcome:
        """The outcome for the result of a run."""
        against = (piece for piece in result.verdict.evidence if piece.effective is Decision.FAILS)
        found = result.verdict.decision
        summaries = tuple(piece.summary for piece in against)
        return cls(summaries, found is Decision.FAILS, result.grade, found is Decision.HOLDS)

    @classmethod
    def stored(cls, claim: Mapping[str, Any]) -> Outcome:
        """The outcome for a claim of a stored report."""
        verdict = claim["verdict"]
        pieces = (p for p in verdict["evidence"] if p["decision"] == "fails" and p["control"] is not False)
        failed, holds = (verdict["decision"] == one for one in (Decision.FAILS, Decision.HOLDS))
        return cls(tuple(p["summary"] for p in pieces), failed, verdict["grade"] or "-", holds)


def stored(report: Mapping[str, Any]) -> dict[str, Outcome]:
    """The outcomes in a report, as `rftheory verify --json` writes it.

    Examples
    --------
    >>> from rftheory.report import Report
    >>> stored(Report((), {}).to_dict())
    {}
    """
    return {claim["id"]: Outcome.stored(claim) for claim in report["claims"]}


def wanted(catalogue: Catalogue, claims: Iterable[Claim], *, corrections: bool = True) -> list[Claim]:
    """The claims that must be judged for the errata among some claims: those that fail, and their corrections.

    Without ``corrections`` what holds instead has no grade; it takes most of the time.

    Examples
    --------
    >>> from rftheory.papers import CATALOGUE
    >>> [claim.id for claim in wanted(CATALOGUE, CATALOGUE.select(claim="simplex.cor3.3"))]
    ['simplex.cor3.3', 'simplex.cor3.3.corrected']
    """
    failing = [c for c in claims if c.expected is Decision.FAILS]
    named = {c.id for c in failing} | {c.correction for c in failing if corrections} - {""}
    papers = {catalogue.claims[one].paper for one in named}
    return [
        c for paper in catalogue.papers if paper in papers for c in catalogue.select(paper) if c.id in named
    ]


def errata(results: Iterable[Result], catalogue: Catalogue) -> tuple[Erratum, ...]:
    """The faults among the results, by source, the most serious first, then in the order of the catalogue."""
    by_id = {result.claim.id: result for result in results}
    outcomes = {identifier: Outcome.of(result) for identifier, result in by_id.items()}
    return errata_of((result.claim for result in by_id.values()), outcomes, catalogue)


def errata_of_note(results: Sequence[Result], catalogue: Catalogue) -> tuple[Erratum, ...]:
    """What fails in a note: without rank, for nobody has sorted it; what is true nearby stands for what is right.

    Examples
    --------
    >>> errata_of_note([], Catalogue([]))
    ()
    """
    nearby = {r.claim.id: "; ".join(r.judged.proposals) for r in results if r.judged is not None}
    found = errata(results, catalogue)
    return tuple(replace(one, kind="", severity=0, right=nearby[one.id]) for one in found)


def errata_of(
    claims: Iterable[Claim], outcomes: Mapping[str, Outcome], catalogue: Catalogue
) -> tuple[Erratum, ...]:
    """The faults among some claims, from what a run found about them.

    Examples
    --------
    >>> errata_of([], {}, Catalogue([]))
    ()
    """
    failing = {c.id: c for c in claims if c.expected is Decision.FAILS}
    told: dict[str, list[str]] = {c.id: [] for c in failing.values() if _teller(c, failing) == c.id}
    for claim in failing.values():
        if claim.id not in told:
            told[_teller(claim, failing)].append(claim.id)
    found = [_erratum(failing[teller], tuple(others), outcomes, catalogue) for teller, others in told.items()]
    order = {paper: number for number, paper in enumerate(catalogue.papers)}
    return tuple(sorted(found, key=lambda e: (order[e.paper], e.is_reading, -e.severity)))


def _teller(claim: Claim, failing: Mapping[str, Claim]) -> str:
    """The claim that describes the fault of this one: the last of a chain."""
    seen = {claim.id}
    while claim.fault and claim.fault.told_by in failing and claim.fault.told_by not in seen:
        claim = failing[claim.fault.told_by]
        seen.add(claim.id)
    return claim.id


def _erratum(
    claim: Claim, others: tuple[str, ...], outcomes: Mapping[str, Outcome], catalogue: Catalogue
) -> Erratum:
    fault, own = claim.fault or _UNSORTED, outcomes.get(claim.id, Outcome())
    right = catalogue.claims.get(claim.correction)
    holds, over = right.words if right else ("", "")
    return Erratum(
        id=claim.id,
        also=others,
        paper=claim.paper,
        where=claim.source,
        kind=fault.kind,
        severity=fault.severity,
        consequence=fault.consequence,
        prints=claim.prints,
        judged=claim.statement,
        conditions=claim.conditions,
        wrong=claim.differs,
        why=own.against,
        right_id=claim.correction,
        right=holds,
        right_conditions=over,
        right_grade=_grade_of(right, outcomes.get(claim.correction, Outcome())),
        confirmed=all(outcomes.get(one, Outcome()).confirmed for one in (claim.id, *others)),
        grade=own.grade,
    )


def _grade_of(right: Claim | None, found: Outcome) -> str:
    """The grade of what holds instead; that of a claim that a run without its slow checks leaves open is another."""
    left_open = right is not None and right.expected is Decision.HOLDS and not found.holds
    return "its slow checks were left out" if left_open and found.grade != "-" else found.grade


def ranked(found: Iterable[Erratum]) -> list[tuple[str, list[Erratum]]]:
    """Errata by severity, the most serious first; faults that are not errata come last.

    Examples
    --------
    >>> ranked([])
    []
    """
    groups: dict[str, list[Erratum]] = {text: [] for text in (*SEVERITY.values(), UNRANKED, NO_ERRATA)}
    for erratum in found:
        groups[NO_ERRATA if erratum.is_reading else SEVERITY.get(erratum.severity, UNRANKED)].append(erratum)
    return [(name, group) for name, group in groups.items() if group]


def to_json(found: Sequence[Erratum]) -> str:
    """All errata, with the version of the schema."""
    content = {"schema": SCHEMA, "version": __version__, "errata": [asdict(e) for e in found]}
    return json.dumps(content, indent=1, ensure_ascii=False)


LEAD = (
    "Statements of the sources that are false, lack a condition, have a false reading or are misprinted. {}\n"
    "refuted again in the run behind this page; the grade stands beside the reason.\n"
    "`rftheory verify --claim ID --explain` shows the evidence."
)
NOTE_LEAD = (
    "The statements of the note that fail. What is true nearby is a proposal, not a verdict.\n"
    "`rftheory verify NOTE.py --explain` shows the evidence."
)


def to_markdown(
    found: Sequence[Erratum],
    catalogue: Catalogue,
    note: str = "",
    *,
    shown: Sequence[Claim] | None = None,
    verdicts: Sequence[Decision] | None = None,
) -> str:
    """A part for each source: how much of it was judged, its ranked errata, and faults that are not errata.

    ``note`` is the title of a note, if the errata are those of one. ``shown`` are the claims that were asked for, and
    are counted, by default all of the catalogue; ``verdicts`` are those of a note in this run, to be counted in the
    place of what is recorded.

    Examples
    --------
    >>> print(to_markdown([], Catalogue([])))
    # Errata
    <BLANKLINE>
    No false statement among the claims that were judged.
    """
    heading = f"# {in_markdown(errata_heading(note))}"
    if not found:
        return f"{heading}\n\nNo false statement among the claims that were judged."
    left = len(unconfirmed(found))
    lines = [
        heading,
        "",
        NOTE_LEAD if note else LEAD.format(f"{left} of {len(found)} not" if left else "Each was"),
    ]
    if any(erratum.severity for erratum in found):
        lines[-1] += " Severity: " + "; ".join(f"{number}, {text}" for number, text in SEVERITY.items()) + "."
    for paper, group in itertools.groupby(found, key=lambda e: e.paper):
        entries = list(group)
        counted = [c for c in (catalogue.select(paper) if shown is None else shown) if c.paper == paper]
        recorded = [c.expected for c in counted] if verdicts is None else verdicts
        lines += ["", *([] if note else [f"## {paper}", ""]), _cover(entries, recorded)]
        for number, erratum in enumerate((e for e in entries if not e.is_reading), 1):
            lines += ["", *_section(erratum, f"{number}. ")]
        readings = [e for e in entries if e.is_reading]
        if readings:
            lines += ["", f"### {paper}: no errata", ""]
            lines.append(
                "False in our reading alone, or through the extraction of the text; the source is not at fault."
            )
            for erratum in readings:
                lines += ["", *_section(erratum)]
    return "\n".join(lines)


def unconfirmed(found: Iterable[Erratum]) -> list[str]:
    """The ids of errata that the run did not refute again.

    Examples
    --------
    >>> unconfirmed([])
    []
    """
    return [erratum.id for erratum in found if not erratum.confirmed]


def errata_heading(note: str = "") -> str:
    """What a page with errata is called.

    Examples
    --------
    >>> errata_heading(), errata_heading("Opposite rows")
    ('Errata', 'Errata for Opposite rows')
    """
    return f"Errata for {note}" if note else "Errata"


def _cover(entries: Sequence[Erratum], verdicts: Sequence[Decision]) -> str:
    """How much was judged, with which verdicts, and how many faults of each kind there are."""
    counts = ", ".join(d.counted(verdicts.count(d)) for d in Decision)
    real = [e for e in entries if not e.is_reading]
    judged = plural(len(verdicts), "statement was", "statements were") + f" judged: {counts}."
    if not any(e.severity for e in real):
        return judged
    kinds = ", ".join(
        plural(len(list(group)), kind, kind if kind == "ambiguous" else "")
        for kind, group in itertools.groupby(sorted(e.kind for e in real))
    )
    ranks = ", ".join(f"{sum(e.severity == n for e in real)} of severity {n}" for n in (3, 2, 1))
    return f"{judged} {plural(len(real), 'erratum', 'errata')} ({kinds}): {ranks}."


def _over(conditions: str) -> str:
    """The domain after a statement.

    Examples
    --------
    >>> _over("d >= 2"), _over("no variables")
    ('. Domain: d >= 2', '')
    """
    return "" if conditions == NO_VARIABLES else f". Domain: {conditions}"


def _section(erratum: Erratum, number: str = "") -> list[str]:
    head = f"#### {number}{in_markdown(erratum.where)}" + (
        "" if erratum.confirmed else " (not confirmed in this run)"
    )
    rank = (
        "" if erratum.is_reading or not erratum.severity else f"{erratum.kind}, severity {erratum.severity}; "
    )
    lines = [head, "", f"- {rank}`{erratum.id}`" + "".join(f", `{other}`" for other in erratum.also)]
    if erratum.prints:
        lines.append(f"- printed: \u201c{in_markdown(with_dollars(erratum.prints))}\u201d")
    lines.append(f"- judged: {erratum.judged}{_over(erratum.conditions)}")
    if erratum.wrong:
        lines.append(f"- what is wrong: {erratum.wrong}")
    lines += [f"- why ({erratum.grade}): {reason}" for reason in erratum.why]
    if erratum.right and not erratum.right_id:
        lines.append(f"- nearby: {erratum.right}")
    if erratum.right_id:
        lines.append(
            f"- what holds (`{erratum.right_id}`, {erratum.right_grade}): {erratum.right}"
            + _over(erratum.right_conditions)
        )
    if erratum.consequence:
        lines.append(f"- consequence: {erratum.consequence}")
    return lines
