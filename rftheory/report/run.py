"""The results of a run of the catalogue, for people (a table), machines (JSON) and CI (JUnit)."""

from __future__ import annotations

import json
import platform
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rftheory import __version__
from rftheory.judge import Decision, Grade, Verdict
from rftheory.names import plural
from rftheory.papers import Claim
from rftheory.report.formulas import in_markdown, with_dollars
from rftheory.statement.domain import NO_VARIABLES

if TYPE_CHECKING:
    from rftheory.statement.judging import Judged
    from rftheory.statement.load import Unread

SCHEMA = "rftheory.report/2"


@dataclass(frozen=True)
class Result:
    """A claim with its verdict in this run.

    Attributes
    ----------
    claim, verdict : the statement and its verdict.
    judged : the statement of a note; None for a claim of the catalogue, which alone has a recorded verdict.

    Examples
    --------
    >>> from rftheory.judge import conclude
    >>> claim = Claim("simplex.thm9.9", "ours", "$1 + 1 = 2$", "none", checks=())
    >>> result = Result(claim, conclude([], claim=claim.id))
    >>> str(result.verdict.decision), result.as_recorded, result.controls
    ('undecided', False, '')
    """

    claim: Claim
    verdict: Verdict
    judged: Judged | None = None

    @property
    def as_recorded(self) -> bool:
        """Whether the verdict is the recorded one; if evidence was left out, agreement of the rest is enough.

        Of a statement of a note, whether it is the expected one, or if there is none, whether it does not fail.
        """
        if self.judged is not None:
            return (
                self.judged.as_expected if self.judged.expect else self.verdict.decision is not Decision.FAILS
            )
        agrees = self.verdict.left_out > 0 and self.verdict.grade is Grade.SUPPORTED
        return self.verdict.decision is self.claim.expected or (
            agrees and self.claim.expected is Decision.HOLDS
        )

    @property
    def aside(self) -> str:
        """What to add to the verdict: that it is not the recorded one, or what was expected of a note's statement."""
        if self.judged is not None:
            return self.judged.aside
        return "" if self.as_recorded else f"recorded: {self.claim.expected}"

    @property
    def grade(self) -> str:
        """What the verdict rests on, in one word; ``-`` if it is open."""
        return str(self.verdict.grade or "-")

    @property
    def evidence(self) -> str:
        """The kinds of evidence that were produced, in one word each."""
        return ", ".join(dict.fromkeys(str(piece.kind) for piece in self.verdict.evidence))

    @property
    def controls(self) -> str:
        """How many of the planted errors were refuted; empty if none was planted."""
        planted = [piece.control for piece in self.verdict.evidence if piece.control is not None]
        return f"{sum(planted)}/{len(planted)}" if planted else ""


def drawn_by(results: Iterable[Result]) -> dict[str, int]:
    """Number of pieces of sampled evidence by engine, stream and device.

    Examples
    --------
    >>> drawn_by([])
    {}
    """
    found: dict[str, int] = {}
    for piece in (piece for result in results for piece in result.verdict.evidence):
        if how := piece.details.get("drawn"):
            words = f"{how['engine']} engine, {how['stream']} stream, {how['device']}"
            found[words] = found.get(words, 0) + 1
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class Report:
    """All results of a run.

    Attributes
    ----------
    results : in the order of the catalogue, or of the note.
    settings : what the run was asked for: papers, kinds of evidence, backend, seed, effort.
    note : the title of the note; empty for the catalogue.
    unread : what was left out of the file of the note because it raised an error.

    Examples
    --------
    >>> from rftheory.judge import conclude
    >>> claim = Claim("simplex.thm9.9", "ours", "$1 + 1 = 2$", "none", checks=())
    >>> report = Report((Result(claim, conclude([], claim=claim.id)),), settings={"seed": 0})
    >>> report.exit_code, report.to_dict()["schema"]
    (2, 'rftheory.report/2')
    >>> print(report.summary())
    1 claim: 1 undecided; not as recorded: simplex.thm9.9; 0 s of checking
    """

    results: tuple[Result, ...]
    settings: dict[str, Any]
    note: str = ""
    unread: tuple[Unread, ...] = ()

    @property
    def heading(self) -> str:
        """What a page with the report is called."""
        return f"Verdicts on {self.note}" if self.note else "Verdicts"

    @property
    def exit_code(self) -> int:
        """0: every verdict is the recorded one; 1: one differs; 2: one is undecided that should not be, or not read."""
        differing = [r for r in self.results if not r.as_recorded]
        if any(r.verdict.decision is not Decision.UNDECIDED for r in differing):
            return 1
        return 2 if differing or self.unread else 0

    @property
    def seconds(self) -> float:
        """Total time of the checks."""
        return sum(r.verdict.seconds for r in self.results)

    @property
    def grades(self) -> dict[str, dict[str, int]]:
        """The number of claims by verdict and grade, the strongest grade first; open ones have the grade ``""``."""
        found: dict[str, dict[str, int]] = {}
        for decision in Decision:
            for grade in (*Grade, None):
                count = sum(r.verdict.decision is decision and r.verdict.grade is grade for r in self.results)
                if count:
                    found.setdefault(str(decision), {})[str(grade or "")] = count
        return found

    @property
    def unbounded(self) -> dict[str, list[str]]:
        """Ids of the decided claims over infinite domains, by what the verdict rests on.

        The domain is that of the statement (`Claim.is_infinite`), whatever the evidence covers: a statement for all d
        that is computed for some d is counted, and one about a single number is not, however it is decided.
        """
        found: dict[str, list[str]] = {}
        for r in self.results:
            if r.verdict.decision is not Decision.UNDECIDED and r.claim.is_infinite:
                found.setdefault(r.grade, []).append(r.claim.id)
        return found

    @property
    def mutants(self) -> list[bool]:
        """For each planted mutation of a statement, whether it was caught."""
        return [caught for r in self.results for piece in r.verdict.evidence for _, caught in piece.mutants]

    def text(self, width: int = 120) -> str:
        """A table of claims: verdict, grade, evidence, planted errors refuted, what differs from the print."""
        rows = [("claim", "verdict", "grade", "evidence", "controls", "what differs from the print")]
        for r in self.results:
            verdict = str(r.verdict.decision) + (f" ({r.aside})" if r.aside else "")
            rows.append((r.claim.id, verdict, r.grade, r.evidence, r.controls, _remark(r)))
        return _table(rows, width) + "\n\n" + self.summary()

    def summary(self) -> str:
        """One line with the number of verdicts by grade, and whether they are the recorded ones."""
        said = ", ".join(
            Decision(decision).counted(sum(grades.values()))
            + (f" ({_counted(grades)})" if any(grades) else "")
            for decision, grades in self.grades.items()
        )
        planted = self.mutants
        mutations = f"; {sum(planted)} of {plural(len(planted), 'mutation')} caught" if planted else ""
        still_true = sum(len(piece.still_true) for r in self.results for piece in r.verdict.evidence)
        mutations += f", {still_true} more are still true" if still_true else ""
        end = f"; {self.agreement}" if self.agreement else ""
        end += f"; {plural(len(self.unread), 'line')} not read" if self.unread else ""
        claims = plural(len(self.results), "statement" if self.note else "claim")
        return f"{claims}: {said}{end}{mutations}{self._firm()}; {self.seconds:.0f} s of checking"

    @property
    def agreement(self) -> str:
        """Which verdicts differ from the recorded ones, or of a note from the expected ones; empty if it has none."""
        word = "expected" if self.note else "recorded"
        known = [r for r in self.results if r.judged is None or r.judged.expect]
        differing = [r.claim.id for r in known if not r.as_recorded]
        if differing:
            return f"not as {word}: {', '.join(differing)}"
        if self.note and len(known) < len(self.results):
            return f"{len(known)} as expected" if known else ""
        return f"all as {word}"

    def _firm(self) -> str:
        """How many of the decided claims over infinite domains are proved or certified."""
        counts = {grade: len(ids) for grade, ids in self.unbounded.items()}
        total, firm = sum(counts.values()), counts.get("proved", 0) + counts.get("certified", 0)
        if total < 2 or self.note:  # how many points a statement of a note is about is not kept
            return ""
        return (
            f"; of {total} decided over infinite domains, {firm} ({firm / total:.1%}) are proved or certified"
        )

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON, with the version of its schema."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "python": platform.python_version(),
            "settings": self.settings,
            "exit_code": self.exit_code,
            "grades": self.grades,
            "unbounded": self.unbounded,
            "claims": [
                {
                    "id": r.claim.id,
                    "source": r.claim.source,
                    "statement": r.claim.statement,
                    "conditions": r.claim.conditions,
                    "judged": [asdict(relation) for relation in r.claim.relations],
                    "differs": r.claim.differs,
                    "correction": r.claim.correction,
                    "recorded": str(r.claim.expected),
                    "as_recorded": r.as_recorded,
                    "verdict": r.verdict.to_dict(),
                }
                for r in self.results
            ],
        }

    def to_json(self) -> str:
        """The results as JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def to_junit(self) -> str:
        """JUnit XML: a claim whose verdict is not the recorded one is a failure, and so is a statement that fails.

        A line of a note that was not read is an error.
        """
        failures = sum(not r.as_recorded for r in self.results)
        suite = ET.Element(
            "testsuite",
            name="rftheory",
            tests=str(len(self.results) + len(self.unread)),
            failures=str(failures),
            errors=str(len(self.unread)),
            time=f"{self.seconds:.2f}",
        )
        for r in self.results:
            case = ET.SubElement(
                suite, "testcase", classname=r.claim.paper, name=r.claim.id, time=f"{r.verdict.seconds:.2f}"
            )
            properties = ET.SubElement(case, "properties")
            ET.SubElement(properties, "property", name="verdict", value=str(r.verdict.decision))
            ET.SubElement(properties, "property", name="grade", value=r.grade)
            if not r.as_recorded:
                known = f"recorded {r.claim.expected}" if r.judged is None else r.aside
                message = f"{known}, got {r.verdict.decision}" if known else str(r.verdict.decision)
                ET.SubElement(case, "failure", message=message).text = r.verdict.reason
        name = next((r.claim.paper for r in self.results), self.note)
        for one in self.unread:
            case = ET.SubElement(suite, "testcase", classname=name, name=f"line {one.line}")
            ET.SubElement(case, "error", message=f"not read: {one.problem}")
        ET.indent(suite)
        return ET.tostring(suite, encoding="unicode", xml_declaration=True)

    def to_markdown(self) -> str:
        """A table for each paper: claim, verdict, grade, evidence, planted errors refuted, what differs.

        Of a note, a part for each statement.
        """
        lines = [f"# {in_markdown(self.heading)}", "", self.summary()]
        if self.note:
            lines += [line for r in self.results for line in _part(r)]
            if self.unread:
                lines += [
                    "",
                    "## Not read",
                    "",
                    *(f"- line {one.line}: `{one.problem}`" for one in self.unread),
                ]
            return "\n".join(lines) + "\n"
        head = ["| claim | verdict | grade | evidence | controls | remark |", "|---|---|---|---|---|---|"]
        for paper in dict.fromkeys(r.claim.paper for r in self.results):
            lines += ["", f"## {paper}", "", *head]
            for r in self.results:
                if r.claim.paper == paper:
                    said = str(r.verdict.decision) + (f", {r.aside}" if r.aside else "")
                    remark = _remark(r).replace("|", "\\|")
                    cells = (f"`{r.claim.id}`", said, r.grade, r.evidence, r.controls, remark)
                    lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines) + "\n"

    def form(self, path: str | Path) -> str:
        """The text for a file: JUnit if its name ends in .xml, Markdown for .md, otherwise JSON."""
        return {".xml": self.to_junit, ".md": self.to_markdown}.get(Path(path).suffix.lower(), self.to_json)()

    def write(self, path: str | Path) -> None:
        """Write the report, in the form given by the ending of the file name."""
        Path(path).write_text(self.form(path), encoding="utf-8")


def _counted(grades: dict[str, int]) -> str:
    """Numbers of claims by grade, without open ones.

    Examples
    --------
    >>> _counted({"proved": 12, "supported": 1, "": 3})
    '12 proved, 1 supported'
    """
    return ", ".join(f"{count} {grade}" for grade, count in grades.items() if grade)


def _part(result: Result) -> list[str]:
    """A statement of a note in Markdown: its place and verdict, what it says, the evidence, what is true nearby."""
    claim, verdict, judged = result.claim, result.verdict, result.judged
    said = str(verdict.decision) + (f", {verdict.grade}" if verdict.grade else "")
    said += f" ({result.aside})" if result.aside else ""
    over = "" if claim.conditions == NO_VARIABLES else f" for {claim.conditions}"
    lines = [
        "",
        f"## {in_markdown(claim.source or claim.id)}: {said}",
        "",
        f"`{claim.id}`: {claim.statement}{over}",
    ]
    points = [f"printed: \u201c{in_markdown(with_dollars(claim.prints))}\u201d"] if claim.prints else []
    points += [f"over: {what}" for what in (judged.narrowing if judged else ())]
    if verdict.decision is Decision.UNDECIDED:
        points.append(verdict.reason)
    else:
        points += [f"{piece.kind} ({piece.says}): {piece.summary}" for piece in verdict.evidence]
    points += [f"taken as known: {name}" for name in verdict.assumes]
    points += [f"nearby: {proposal}" for proposal in (judged.proposals if judged else ())]
    return [*lines, "", *(f"- {point}" for point in points)]


def _remark(result: Result) -> str:
    if not result.as_recorded:
        return result.verdict.reason
    if result.claim.reason:
        return result.claim.reason
    return result.claim.differs


def _table(rows: Iterable[tuple[str, ...]], width: int) -> str:
    rows = list(rows)
    sizes = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    last = max(24, width - sum(sizes) - 2 * len(sizes))
    lines = []
    for number, row in enumerate(rows):
        wrapped = textwrap.wrap(row[-1], last) or [""]
        for i, piece in enumerate(wrapped):
            cells = [cell if i == 0 else "" for cell in row[:-1]]
            lines.append(
                "  ".join([c.ljust(n) for c, n in zip(cells, sizes, strict=True)] + [piece]).rstrip()
            )
        if number == 0:
            lines.append("-" * min(width, sum(sizes) + 2 * len(sizes) + last))
    return "\n".join(lines)
