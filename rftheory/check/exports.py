"""The report in formats for continuous integration: JUnit, SARIF, GitHub annotations, text of a badge."""

from __future__ import annotations

import ast
import datetime
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from rftheory import __version__
from rftheory.check.diagnosis import TABLE
from rftheory.check.report import Report
from rftheory.judge import Outcome

NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Characters that XML has not, such as those that colour the message of an error."""
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def junit(report: Report) -> str:
    """One test case per property; undecided properties are errors, those not promised are skipped.

    Examples
    --------
    >>> from rftheory.check import check
    >>> report = check(lambda m, d, seed: [[1.0] * d] * m, coupling="iid", d=2)
    >>> junit(report).count("<failure")
    8
    """
    suite = ElementTree.Element("testsuite", name="rftheory check", tests=str(len(report.verdicts)))
    for name, verdict in report.verdicts.items():
        case = ElementTree.SubElement(suite, "testcase", classname=report.target, name=name)
        tests = [f.line for f in report.findings if f.topic == name and f.outcome is verdict]
        if verdict is None:
            ElementTree.SubElement(case, "skipped", message=report.untested(name))
        elif verdict is not Outcome.AGREES:
            tag = "failure" if verdict is Outcome.REFUTED else "error"
            ElementTree.SubElement(case, tag, message=report.headline).text = "\n".join(tests)
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    suite.attrib |= {name: str(len(suite.findall(f"./testcase/{tag}"))) for name, tag in kinds.items()}
    suite.set("time", f"{report.seconds:.3f}")
    ElementTree.indent(suite)
    text = ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)
    return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text) + "\n"


def sarif(report: Report) -> str:
    """A SARIF 2.1.0 log: a result for each diagnosis, or for each refuted property that no diagnosis explains."""
    found = _problems(report)
    rules = [{"id": key, "shortDescription": {"text": TABLE.get(key, key)}} for key, _, _ in found]
    driver = {"name": "rftheory check", "version": __version__, "rules": rules}
    results = [
        {"ruleId": key, "level": level, "message": {"text": text}} | _location(report)
        for key, level, text in found
    ]
    log = {
        "version": "2.1.0",
        "$schema": SARIF_SCHEMA,
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def github(report: Report) -> str:
    """GitHub workflow commands: an error for each problem, a warning if undecided, else a notice."""
    file = _file(report)
    place = f"file={_property(file)},line={_line(report)}," if file else ""
    lines = [
        f"::{level} {place}title=rftheory check%3A {_property(TABLE.get(key, key))}::{_escaped(text)}"
        for key, level, text in _problems(report)
    ]
    return "\n".join(lines or [f"::notice {place}title=rftheory check::{_escaped(report.headline)}"])


def badge(report: Report, day: datetime.date | None = None) -> str:
    """Verdict, version and date in one line.

    Examples
    --------
    >>> report = Report("t", "matrix", {}, (), (), (), calls=0, looks=0, seconds=0.0, alpha=1e-6, seed=0)
    >>> badge(report, datetime.date(2026, 1, 2)).partition(" by ")[0]
    'random features: undecided'
    """
    day = day or datetime.datetime.now(datetime.UTC).date()
    return f"random features: {report.decision} by rftheory {__version__} on {day.isoformat()}"


def _problems(report: Report) -> list[tuple[str, str, str]]:
    """Key, level and text of each problem."""
    if report.decision is Outcome.UNDECIDED:
        return [("undecided", "warning", f"{report.headline}. {report.advice}")]
    found = [(d.name, "error", f"{d.sentence}.") for d in report.diagnoses]
    if report.decision is Outcome.REFUTED and not found:
        found = [("refuted", "error", report.headline)]
    return found


def _file(report: Report) -> str:
    place = report.target.partition(":")[0]
    return place if place.endswith(".py") else ""


def _line(report: Report) -> int:
    """The line of the file that defines the target; 1 if unknown."""
    file, _, name = report.target.partition(":")
    try:
        parts = ast.parse(Path(file).read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return 1
    wanted = name.split(",")[0].split(".")[0]
    return next((part.lineno for part in parts if getattr(part, "name", None) == wanted), 1)


def _location(report: Report) -> dict[str, Any]:
    file = _file(report)
    where = {"physicalLocation": {"artifactLocation": {"uri": file}, "region": {"startLine": _line(report)}}}
    name = {"logicalLocations": [{"fullyQualifiedName": report.target}]}
    return {"locations": [where | name if file else name]}


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Text for a property of a workflow command, which ends at a comma or a colon."""
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
