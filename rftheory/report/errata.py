"""What is wrong in each source, where, why, and what is right; for people and for machines."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from rftheory import __version__
from rftheory.claims import Catalogue
from rftheory.judge import Decision
from rftheory.report.run import Result

SCHEMA = "rftheory.errata/1"


@dataclass(frozen=True)
class Erratum:
    """One false statement.

    Attributes
    ----------
    id : of the claim.
    paper : the source.
    where : the place in it.
    printed : the statement that was judged: as printed where the source has such a formula, else in our reading.
    conditions : the domain as stated.
    wrong : what is wrong, and what is right, in words.
    why : the refutations that this run earned, such as a certified counterexample.
    right_id, right, right_conditions : the corrected statement, itself a claim that holds.
    confirmed : whether this run refuted the statement again.
    grade : on what the refutation rests.
    """

    id: str
    paper: str
    where: str
    printed: str
    conditions: str
    wrong: str
    why: tuple[str, ...]
    right_id: str
    right: str
    right_conditions: str
    confirmed: bool
    grade: str = "-"


def errata(results: Iterable[Result], catalogue: Catalogue) -> tuple[Erratum, ...]:
    """The false statements among the results, in the order of the catalogue."""
    return tuple(_erratum(r, catalogue) for r in results if r.claim.expected is Decision.FAILS)


def _erratum(result: Result, catalogue: Catalogue) -> Erratum:
    claim = result.claim
    right = catalogue.claims.get(claim.correction)
    against = (piece for piece in result.verdict.evidence if piece.effective is Decision.FAILS)
    return Erratum(
        id=claim.id,
        paper=claim.paper,
        where=claim.source,
        printed=claim.statement,
        conditions=claim.conditions,
        wrong=claim.differs,
        why=tuple(piece.summary for piece in against),
        right_id=claim.correction,
        right=right.statement if right else "",
        right_conditions=right.conditions if right else "",
        confirmed=result.as_recorded,
        grade=result.grade,
    )


_RANKS = (
    (r"\.(?:thm|lem|cor|prop|def)[A-Z]?\.?\d[\w.]*$", "theorems, lemmas, corollaries and definitions"),
    (r"\.(?:eq|alg|tab|table|fig)\d[\w.]*$", "numbered formulas, algorithms, tables and figures"),
    (r"\.(?:abs|intro|s1|sec1)\b", "what the abstract and the introduction promise"),
    (r"\.[^/]*$", "other statements of the text"),
    (r"\.(?:thm|lem|cor|prop|def)[A-Z]?\.?\d[^/]*/", "parts, readings and steps of proofs of theorems"),
    (r"", "parts and readings of other statements"),
)
"""What is stated as a result comes first, and of a statement the whole before its parts."""


def ranked(found: Iterable[Erratum]) -> list[tuple[str, list[Erratum]]]:
    """False statements by the weight that the source gives them, heaviest first; else in the order of the sources.

    Examples
    --------
    >>> ranked([])
    []
    """
    groups: dict[str, list[Erratum]] = {name: [] for _, name in _RANKS}
    for erratum in found:
        groups[next(name for pattern, name in _RANKS if re.search(pattern, erratum.id))].append(erratum)
    return [(name, group) for name, group in groups.items() if group]


def to_json(found: Sequence[Erratum]) -> str:
    """All errata, with the version of the schema."""
    content = {"schema": SCHEMA, "version": __version__, "errata": [asdict(e) for e in found]}
    return json.dumps(content, indent=1, ensure_ascii=False)


def to_markdown(found: Sequence[Erratum]) -> str:
    """A section for each source and a subsection for each false statement.

    Examples
    --------
    >>> print(to_markdown([]))
    # Errata
    <BLANKLINE>
    No false statement among the claims that were judged.
    """
    if not found:
        return "# Errata\n\nNo false statement among the claims that were judged."
    counts = ", ".join(
        f"{paper}: {len(list(group))}" for paper, group in itertools.groupby(found, key=lambda e: e.paper)
    )
    lines = [
        "# Errata",
        "",
        f"Statements of the sources that are false, too strong or misprinted ({counts}), as printed or in the reading",
        "that the conditions name; where a sentence was made precise, the wording is ours: look up the place before",
        "quoting it. Each was refuted again when this page was made, on the grade that is given with the reason;",
        "`rftheory verify --claim ID --explain` shows the evidence for one of them.",
    ]
    for paper, group in itertools.groupby(found, key=lambda e: e.paper):
        lines += ["", f"## {paper}"]
        for erratum in group:
            lines += ["", *_section(erratum)]
    return "\n".join(lines)


def _section(erratum: Erratum) -> list[str]:
    lines = [
        f"### {erratum.id}" + ("" if erratum.confirmed else " (not confirmed in this run)"),
        "",
        f"- where: {erratum.where}",
        f"- judged: {erratum.printed}",
        f"- stated for: {erratum.conditions}",
        f"- what is wrong: {erratum.wrong}",
    ]
    lines += [f"- why ({erratum.grade}): {reason}" for reason in erratum.why]
    if erratum.right_id:
        lines.append(f"- what holds (`{erratum.right_id}`): {erratum.right}; for {erratum.right_conditions}")
    return lines
