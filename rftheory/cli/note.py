"""``rftheory verify note.py`` and ``rftheory new note.py``: users' notes, judged like the catalogue."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rftheory.cli.codes import check_apart, check_writable, say, write_whole
from rftheory.errors import InvalidInput

if TYPE_CHECKING:
    from rftheory.report import Report
    from rftheory.statement.run import NoteReport

NEW = """\
examples:
  rftheory new mine.py && rftheory verify mine.py --explain

exit codes: 0 written, 2 the file already exists, or Python cannot import its name
"""


def add_new(new: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    new.epilog = NEW
    new.add_argument("note", help="the file to write, such as mine.py")
    new.set_defaults(run=_new)


def verify_note(options: argparse.Namespace, progress: Any) -> int:
    """Judge a note and print what was found; returns the exit code."""
    from rftheory.engine.threads import checked_workers
    from rftheory.statement.run import TIME_LIMIT, NoteReport, judge_note, read_note

    files = {f"--{option}": getattr(options, option) for option in ("json", "junit", "markdown", "html")}
    check_apart(files)
    for option, path in files.items():
        check_writable(option, path)
    for option in ("paper", "record", "quick"):
        if getattr(options, option):
            raise InvalidInput(
                f"--{option}", needs="the catalogue", got=f"the note {options.note}", hint="leave it out"
            )
    checked_workers("--jobs", options.jobs)
    seconds = TIME_LIMIT if options.time_limit is None else options.time_limit
    if not 0 <= seconds < float("inf"):
        raise InvalidInput("--time-limit", needs="seconds, 0 for none", got=seconds)
    name = read_note(options.note).name
    results = judge_note(
        options.note, only=options.claim, jobs=options.jobs, mutate=options.mutate, seed=options.seed,
        time_limit=seconds, progress=progress.show,
    )  # fmt: skip
    progress.close()
    report = NoteReport(name, results)
    content = json.dumps(report.to_dict(), indent=1, ensure_ascii=False)
    if options.json not in (None, "-"):
        write_whole(options.json, content + "\n")
    if options.junit or options.markdown or options.html:
        _write_reports(report, options)
    say(content if options.json == "-" else report.text(options.explain))
    return report.exit_code


def _write_reports(report: NoteReport, options: argparse.Namespace) -> None:
    """Write the same files as for the catalogue; statements without a recorded verdict need not be decided."""
    from rftheory.judge import Decision
    from rftheory.papers.claim import Claim
    from rftheory.report import Report, Result

    results = []
    for one in report.results:
        found = one.verdict.decision
        usual = Decision.HOLDS if found is Decision.FAILS else found
        claim = Claim(
            one.id, one.source, f"${one.latex}$", one.over, checks=(), expected=Decision(one.expect or usual),
            differs="; ".join(f"nearby: {proposal}" for proposal in one.proposals), prints=one.prints,
        )  # fmt: skip
        results.append(Result(claim, one.verdict))
    write_forms(Report(tuple(results), {}), options)


def write_forms(report: Report, options: argparse.Namespace) -> None:
    """Write the requested forms of a report other than JSON: JUnit, Markdown, a page."""
    if options.junit:
        write_whole(options.junit, report.to_junit())
    if options.markdown:
        write_whole(options.markdown, report.to_markdown())
    if options.html:
        from rftheory.report.pages import verdicts_page

        write_whole(options.html, verdicts_page(report.to_dict()))


def _new(options: argparse.Namespace) -> int:
    from rftheory.statement.template import TEMPLATE

    path = Path(options.note)
    if path.exists():
        raise InvalidInput("new", needs="a file that does not exist yet", got=str(path))
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise InvalidInput("new", needs="a name such as mine.py", got=path.name)
    path.write_text(TEMPLATE.replace("NAME", path.stem), encoding="utf-8")
    say(f"wrote {path}; judge it with: rftheory verify {path} --explain")
    return 0
