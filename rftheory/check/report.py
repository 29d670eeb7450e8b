"""The report of a check: text for people, JSON for machines, an HTML page for the issue tracker."""

from __future__ import annotations

import html
import json
import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rftheory import __version__
from rftheory.check.consequences import Consequence, sentences, shortfall
from rftheory.check.diagnosis import Diagnosis, is_explained, unexplained
from rftheory.check.findings import PROPERTIES, Finding
from rftheory.check.picture import picture
from rftheory.check.sensitivity import sensitivity
from rftheory.judge import Outcome
from rftheory.names import plural, wrapped

SCHEMA = "rftheory.check/1"
WIDEST = 110
"""The widest lines of a report as text."""
OF_ROWS = ("marginal", "directions", "coupling", "blocks")
"""Properties of the rows of a weight matrix, which features and estimates do not show."""


@dataclass(frozen=True)
class Report:
    """Findings, verdicts and diagnoses for one target.

    Attributes
    ----------
    declared : what the target was held to: coupling, features, kernel, length scale, d, m.
    notes : what was found out about the target (orientation, seed argument) and what was guessed.
    findings : the results of all tests.
    diagnoses : named defects, each with a sentence.
    consequences : how far a defect makes means and squared errors wrong, at every measured place.
    calls, looks : number of independent draws, and how often they were judged.
    alpha : family-wise false-alarm probability of the run.

    Examples
    --------
    >>> report = Report(
    ...     "mine:sampler", "matrix", {"d": 8}, (), (), (), calls=0, looks=0, seconds=0.0, alpha=1e-6, seed=0
    ... )
    >>> report.headline, report.ok, report.exit_code
    ('undecided: nothing could be tested', False, 2)
    """

    target: str
    kind: str
    declared: dict[str, Any]
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]
    diagnoses: tuple[Diagnosis, ...]
    calls: int
    looks: int
    seconds: float
    alpha: float
    seed: int
    consequences: tuple[Consequence, ...] = ()

    def joined(self, other: Report) -> Report:
        """This report, joined with one for another size."""
        d, m = other.declared["d"], other.declared["m"]
        known = {d.name for d in self.diagnoses}
        return replace(
            self,
            notes=(*self.notes, f"also tested at d = {d}, m = {m}: {plural(other.calls, 'call')}"),
            findings=(
                *self.findings,
                *(replace(f, test=f"d = {d}, m = {m}: {f.test}") for f in other.findings),
            ),
            diagnoses=(*self.diagnoses, *(d for d in other.diagnoses if d.name not in known)),
            consequences=(
                *self.consequences,
                *(replace(c, place=f"d = {d}, m = {m}: {c.place}") for c in other.consequences),
            ),
            seconds=self.seconds + other.seconds,
        )

    @property
    def held_to(self) -> str:
        """What the target was held to, in one line."""
        return ", ".join(f"{k} = {'not given' if v is None else v}" for k, v in self.declared.items())

    @property
    def sized(self) -> list[str]:
        """Sentences on the consequences of a defect: the largest of each kind, its place, and the range elsewhere."""
        return sentences(self.consequences)

    @property
    def cut_short(self) -> str:
        """That time ran out before the consequences were known, and how much is needed; empty if they are known."""
        more = shortfall(self.consequences)
        if not 1 < more < math.inf or self.kind == "array":
            return ""
        seconds = max(1, math.ceil(1.5 * more * self.seconds))
        return f"time ran out before all consequences were known to 2 %; --seconds {seconds} may be enough"

    @property
    def sensitivity(self) -> str:
        """The sizes of error that would have been seen, if the report agrees; empty otherwise."""
        rows = self.kind in ("matrix", "array")
        return sensitivity(self.findings, rows=rows) if self.decision is Outcome.AGREES else ""

    @property
    def verdicts(self) -> dict[str, Outcome | None]:
        """Verdict on every property; None if the declared mechanism promises nothing that can be tested."""
        return {name: self._verdict(name) for name in PROPERTIES}

    def _verdict(self, name: str) -> Outcome | None:
        outcomes = {f.outcome for f in self.findings if f.topic == name}
        for outcome in (Outcome.REFUTED, Outcome.UNDECIDED, Outcome.AGREES):
            if outcome in outcomes:
                return outcome
        return None

    @property
    def _law_unknown(self) -> bool:
        """Whether a coupling is declared, but no law of the variance that it promises was compared."""
        promised = self.declared.get("coupling", "none") != "none"
        return promised and self.kind in ("matrix", "array") and self.verdicts["variance"] is None

    def untested(self, name: str) -> str:
        """Why a property has no verdict."""
        if name == "variance" and self._law_unknown:
            return "not tested: no law of it is known here"
        if self.kind in ("matrix", "array"):
            return "nothing promised"
        seen = "estimates" if self.kind == "estimator" else "features"
        return f"not visible in {seen}" if name in OF_ROWS else "not tested"

    @property
    def decision(self) -> Outcome:
        """Refuted if any property is refuted, else undecided if any is undecided, else agrees."""
        found = set(self.verdicts.values())
        if Outcome.REFUTED in found:
            return Outcome.REFUTED
        return Outcome.UNDECIDED if Outcome.UNDECIDED in found or found == {None} else Outcome.AGREES

    @property
    def ok(self) -> bool:
        """Whether every property agrees, with the requested power."""
        return self.decision is Outcome.AGREES

    @property
    def exit_code(self) -> int:
        """0: agrees, 1: defect found, 2: undecided."""
        return {Outcome.AGREES: 0, Outcome.REFUTED: 1, Outcome.UNDECIDED: 2}[self.decision]

    @property
    def headline(self) -> str:
        """The verdict in one line, the same for every seed."""
        if self.decision is Outcome.AGREES:
            lower = "; the variance is lower than declared" * any(f.lower for f in self.findings)
            return "agrees with what it promises" + lower + "; the variance is not tested" * self._law_unknown
        if self.decision is Outcome.UNDECIDED:
            open_ones = ", ".join(n for n, v in self.verdicts.items() if v is Outcome.UNDECIDED)
            return f"undecided: {open_ones or 'nothing could be tested'}"
        if self.diagnoses:
            left = sorted({f.topic for f in unexplained(self.findings, self.diagnoses)})
            some = f"; this does not explain why {', '.join(left)} is refuted too" if left else ""
            return "defect: " + "; ".join(d.title for d in self.diagnoses) + some
        refuted = ", ".join(n for n, v in self.verdicts.items() if v is Outcome.REFUTED)
        return f"defect: {refuted} refuted; none of the named diagnoses fits"

    @property
    def advice(self) -> str:
        """What would settle undecided tests: more time, more stored draws, or nothing."""
        if self.decision is not Outcome.UNDECIDED:
            return ""
        factors = [f.short for f in self.findings if f.outcome is Outcome.UNDECIDED]
        finite = [f for f in factors if f < math.inf]
        said = []
        if finite:
            # looks are taken at powers of two, and the run ends when there is no time for the next one
            calls = 1 << math.ceil(math.log2(max(max(finite), 1.0) * max(self.calls, 1)))
            seconds = max(1, math.ceil(3 * self.seconds * calls / max(self.calls, 1)))
            said.append(
                f"about {calls} draws would decide it; {self.calls} are stored" if self.kind == "array"
                else f"about {calls} calls would decide it: --seconds {seconds}"
            )  # fmt: skip
        if len(finite) < len(factors):
            said.append("more draws would not decide everything: see the reasons")
        return "; ".join(said)

    def text(self, width: int | None = None, *, full: bool = False) -> str:
        """The report for a terminal; ``full`` lists every test, not only those that are refuted or undecided. Beside
        a named defect, refuted tests that it explains are counted, and those that are undecided named at the end."""
        width = min(width or WIDEST, WIDEST)
        lines = wrapped(f"{self.target}: {self.headline}", width)
        lines += wrapped(f"  held to: {self.held_to}", width)
        for note in self.notes:
            lines += wrapped(f"  {note}", width)
        spent = f"{plural(self.calls, 'call')} in {self.seconds:.1f} CPU seconds"
        lines.append(f"  {spent}; probability of a false alarm <= {self.alpha:g}")
        for said in filter(None, (self.advice, self.cut_short)):
            lines += wrapped(f"  {said}", width)
        lines += textwrap.wrap(self.sensitivity, width, initial_indent="  ", subsequent_indent="    ")
        for found in self.diagnoses:
            lines += ["", *textwrap.wrap(f"{_capitals(found.title)}: {found.sentence}.", width)]
            if found.bias:
                lines += textwrap.wrap(
                    f"closed form: {found.bias}", width, initial_indent="  ", subsequent_indent="  "
                )
        for sentence in self.sized:
            lines += textwrap.wrap(
                f"consequence: {sentence}", width, initial_indent="  ", subsequent_indent="    "
            )
        lines.append("")
        for name, verdict in self.verdicts.items():
            tests = [f for f in self.findings if f.topic == name]
            said = self.untested(name) if verdict is None else f"{verdict:<10} {plural(len(tests), 'test')}"
            below = sum(f.lower for f in tests)
            folded = 0 if full else sum(is_explained(f, self.diagnoses) for f in tests)
            said += f", {below} lower than declared" * (below > 0)
            said += f", {folded} refuted as the defect explains" * (folded > 0)
            lines.append(f"{name:<13} {said}")
            for f in tests if full else self._shown(tests):
                lines += textwrap.wrap(f.line, width, initial_indent="    ", subsequent_indent="      ")
        if not full and any(is_explained(f, self.diagnoses) for f in self.findings):
            lines.append("--full lists the tests that the defect explains, with their effects")
        if self.diagnoses and not full:
            lines += textwrap.wrap(self._left_open, width, subsequent_indent="  ")
        return "\n".join(lines)

    def _shown(self, tests: Sequence[Finding]) -> list[Finding]:
        """The tests that are listed: not those that agree nor, beside a named defect, those that are undecided or
        that it explains."""
        silent = {Outcome.AGREES, Outcome.UNDECIDED} if self.diagnoses else {Outcome.AGREES}
        return [
            f for f in tests
            if f.lower or (f.outcome not in silent and not is_explained(f, self.diagnoses))
        ]  # fmt: skip

    @property
    def _left_open(self) -> str:
        """The names of the undecided tests; empty if there are none."""
        names = [f.test for f in self.findings if f.outcome is Outcome.UNDECIDED]
        said = f"undecided, since the defect ended the run: {'; '.join(names)} (--full shows why)"
        return said if names else ""

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON, with the version of its schema."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "target": self.target,
            "kind": self.kind,
            "decision": str(self.decision),
            "headline": self.headline,
            "advice": self.advice,
            "cut_short": self.cut_short,
            "sensitivity": self.sensitivity,
            "exit_code": self.exit_code,
            "declared": self.declared,
            "notes": list(self.notes),
            "verdicts": {k: None if v is None else str(v) for k, v in self.verdicts.items()},
            "diagnoses": [d.to_dict() for d in self.diagnoses],
            "consequences": [c.to_dict() for c in self.consequences],
            "findings": [f.to_dict() for f in self.findings],
            "calls": self.calls,
            "looks": self.looks,
            "seconds": self.seconds,
            "alpha": self.alpha,
            "seed": self.seed,
        }

    def to_json(self) -> str:
        """The report as JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False, default=float)

    def to_html(self) -> str:
        """The report as one self-contained HTML page without scripts."""
        escape = html.escape
        rows = "\n".join(
            f'<tr class="{f.outcome}"><td>{f.topic}</td><td>{escape(f.test)}</td><td>{f.word}</td>'
            f"<td>{escape(f.span)}</td>"
            f"<td>{escape(f.power)}</td><td>{f.n}</td></tr>"
            for f in self.findings
        )
        said = "\n".join(
            f"<section><h2>{escape(d.title)}</h2><p>{escape(d.sentence)}.</p>"
            + (f"<p><em>Closed form:</em> {escape(d.bias)}</p>" if d.bias else "")
            + "</section>"
            for d in self.diagnoses
        )
        said += "".join(f"<p>Consequence: {escape(sentence)}.</p>\n" for sentence in self.sized)
        declared = escape(self.held_to)
        notes = "".join(
            f"<li>{escape(n)}</li>" for n in filter(None, (*self.notes, self.cut_short, self.sensitivity))
        )
        return _PAGE.format(
            title=escape(self.target), headline=escape(self.headline), said=said, rows=rows, declared=declared,
            notes=notes, calls=plural(self.calls, "call"), alpha=f"{self.alpha:g}",
            picture=picture(self.findings),
        )  # fmt: skip

    def write(self, path: str | Path) -> None:
        """Write the report: an HTML page if the name ends in .html, else JSON."""
        path = Path(path)
        text = self.to_html() if path.suffix.lower() in (".html", ".htm") else self.to_json()
        path.write_text(text + "\n", encoding="utf-8")


def _capitals(title: str) -> str:
    """A title in capitals, except for its formulas.

    Examples
    --------
    >>> _capitals("fixed norm sqrt(d)"), _capitals("x and y seen through a non-linear map")
    ('FIXED NORM sqrt(d)', 'x AND y SEEN THROUGH A NON-LINEAR MAP')
    """
    return re.sub(r"(?<!\S)(a|[A-Za-z-]{2,})(?=,?(\s|$))", lambda word: word[0].upper(), title)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 15px/1.5 sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
td, th {{ border-bottom: 1px solid #ddd; padding: .3em .6em; text-align: left; }}
tr.refuted td {{ background: #fde8e8; }} tr.undecided td {{ background: #fdf6e0; }}
</style></head><body><h1>{title}</h1><p><strong>{headline}</strong></p><p>Held to: {declared}. {calls};
false-alarm probability of the run at most {alpha}.</p><ul>{notes}</ul>
{picture}
{said}
<table><tr><th>property</th><th>test</th><th>verdict</th><th>effect [not refuted]</th>
<th>sensitivity</th><th>n</th></tr>
{rows}
</table></body></html>"""
