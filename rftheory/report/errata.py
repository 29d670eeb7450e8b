"""What is wrong in each source, ranked: where, in its words, why, what is right and what follows; one entry a fault."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from rftheory import __version__
from rftheory.judge import Decision
from rftheory.papers import Catalogue
from rftheory.papers.claim import Claim, Fault
from rftheory.report.run import Result

SCHEMA = "rftheory.errata/2"
SEVERITY = {
    3: "a result is false as it is used",
    2: "a statement is false, what rests on it stands",
    1: "cosmetic",
}
READING = "reading"
"""The kind of fault that is no erratum: the source does not say so."""
_UNSORTED = Fault("error", 2)


@dataclass(frozen=True)
class Erratum:
    """One fault, and the false statements in which it shows.

    Attributes
    ----------
    id : of the claim that tells it.
    also : ids of further claims that fail for the same reason.
    paper : the source.
    where : the place in it.
    kind, severity, consequence : as in `rftheory.papers.claim.Fault`.
    prints : the words of the source, verbatim; empty where the wording is ours.
    judged : the statement that was judged.
    conditions : the domain as stated.
    wrong : what is wrong, and what is right, in words.
    why : the refutations that this run earned, such as a certified counterexample.
    right_id, right, right_conditions, right_grade : the corrected statement, itself a claim; its grade in this run.
    confirmed : whether this run refuted all its statements again.
    grade : on what the refutation rests.
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
        """Whether the source does not say what was refuted."""
        return self.kind == READING


def wanted(catalogue: Catalogue, paper: str | None = None, claim: str | None = None) -> list[Claim]:
    """The claims that a page of errata is made of: those that fail, and their corrections.

    Examples
    --------
    >>> from rftheory.papers import CATALOGUE
    >>> [claim.id for claim in wanted(CATALOGUE, claim="simplex.cor3.3")]
    ['simplex.cor3.3', 'simplex.cor3.3.corrected']
    """
    failing = [c for c in catalogue.select(paper, claim) if c.expected is Decision.FAILS]
    named = {c.id for c in failing} | {c.correction for c in failing}
    return [c for c in catalogue.claims.values() if c.id in named]


def errata(results: Iterable[Result], catalogue: Catalogue) -> tuple[Erratum, ...]:
    """The faults among the results: by source, the gravest first, then in the order of the catalogue."""
    by_id = {result.claim.id: result for result in results}
    failing = [r for r in by_id.values() if r.claim.expected is Decision.FAILS]
    tellers = {r.claim.id for r in failing if not _told_by(r.claim, by_id)}
    found = []
    for result in failing:
        if result.claim.id in tellers:
            others = [r for r in failing if _told_by(r.claim, by_id) == result.claim.id]
            found.append(_erratum(result, others, by_id, catalogue))
    order = {paper: number for number, paper in enumerate(catalogue.papers)}
    return tuple(sorted(found, key=lambda e: (order[e.paper], e.is_reading, -e.severity)))


def _told_by(claim: Claim, by_id: Mapping[str, Result]) -> str:
    teller = claim.fault.told_by if claim.fault else ""
    return teller if teller in by_id else ""


def _erratum(
    result: Result, others: Sequence[Result], by_id: Mapping[str, Result], catalogue: Catalogue
) -> Erratum:
    claim, fault = result.claim, result.claim.fault or _UNSORTED
    right = catalogue.claims.get(claim.correction)
    against = (piece for piece in result.verdict.evidence if piece.effective is Decision.FAILS)
    return Erratum(
        id=claim.id,
        also=tuple(r.claim.id for r in others),
        paper=claim.paper,
        where=claim.source,
        kind=fault.kind,
        severity=fault.severity,
        consequence=fault.consequence,
        prints=claim.prints,
        judged=claim.statement,
        conditions=claim.conditions,
        wrong=claim.differs,
        why=tuple(piece.summary for piece in against),
        right_id=claim.correction,
        right=right.statement if right else "",
        right_conditions=right.conditions if right else "",
        right_grade=by_id[right.id].grade if right and right.id in by_id else "-",
        confirmed=all(r.as_recorded for r in (result, *others)),
        grade=result.grade,
    )


def to_json(found: Sequence[Erratum]) -> str:
    """All errata, with the version of the schema."""
    content = {"schema": SCHEMA, "version": __version__, "errata": [asdict(e) for e in found]}
    return json.dumps(content, indent=1, ensure_ascii=False)


def to_markdown(found: Sequence[Erratum], catalogue: Catalogue) -> str:
    """A part for each source: how much of it was judged, its errata ranked, and what is no erratum.

    Examples
    --------
    >>> print(to_markdown([], Catalogue([])))
    # Errata
    <BLANKLINE>
    No false statement among the claims that were judged.
    """
    if not found:
        return "# Errata\n\nNo false statement among the claims that were judged."
    lines = [
        "# Errata",
        "",
        "Statements of the sources that are false, lack a condition, have a false reading or are misprinted. Each was",
        "refuted again when this page was made, on the grade that stands beside the reason;",
        "`rftheory verify --claim ID --explain` shows the evidence. Severity: "
        + "; ".join(f"{number}, {text}" for number, text in SEVERITY.items())
        + ".",
    ]
    for paper, group in itertools.groupby(found, key=lambda e: e.paper):
        entries = list(group)
        lines += ["", f"## {paper}", "", _cover(paper, entries, catalogue)]
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


def _cover(paper: str, entries: Sequence[Erratum], catalogue: Catalogue) -> str:
    """How much was judged, as recorded, and how many faults of each sort there are."""
    recorded = [c.expected for c in catalogue.select(paper)]
    verdicts = ", ".join(f"{recorded.count(d)} {_VERB[d]}" for d in Decision)
    real = [e for e in entries if not e.is_reading]
    kinds = ", ".join(f"{len(list(g))} {kind}" for kind, g in itertools.groupby(sorted(e.kind for e in real)))
    ranks = ", ".join(f"{sum(e.severity == n for e in real)} of severity {n}" for n in (3, 2, 1))
    return f"{len(recorded)} statements were judged: {verdicts}. {len(real)} errata ({kinds}): {ranks}."


_VERB = {Decision.HOLDS: "hold", Decision.FAILS: "fail", Decision.UNDECIDED: "are undecided"}


def _section(erratum: Erratum, number: str = "") -> list[str]:
    head = f"#### {number}{erratum.where}" + ("" if erratum.confirmed else " (not confirmed in this run)")
    rank = "" if erratum.is_reading else f"{erratum.kind}, severity {erratum.severity}; "
    lines = [head, "", f"- {rank}`{erratum.id}`" + "".join(f", `{other}`" for other in erratum.also)]
    if erratum.prints:
        lines.append(f"- printed: \u201c{erratum.prints}\u201d")
    lines += [
        f"- judged: {erratum.judged}; for {erratum.conditions}",
        f"- what is wrong: {erratum.wrong}",
    ]
    lines += [f"- why ({erratum.grade}): {reason}" for reason in erratum.why]
    if erratum.right_id:
        lines.append(
            f"- what holds (`{erratum.right_id}`, {erratum.right_grade}): {erratum.right};"
            f" for {erratum.right_conditions}"
        )
    if erratum.consequence:
        lines.append(f"- consequence: {erratum.consequence}")
    return lines
