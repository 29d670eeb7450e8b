"""``rftheory verify note.py`` and ``rftheory new note.py``: users' notes, judged like the catalogue."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rftheory.cli.codes import forks, say, say_json, width_of_terminal, write_whole
from rftheory.errors import InvalidInput, meant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rftheory.report import Report, Result
    from rftheory.report.errata import Erratum
    from rftheory.statement.judging import Judged

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


def _refuse(options: argparse.Namespace, *names: str) -> None:
    """Refuse options that speak of the catalogue alone."""
    for option in names:
        if getattr(options, option):
            raise InvalidInput(
                f"--{option}", needs="the catalogue", got=f"the note {options.note}", hint="leave it out"
            )


def verify_note(options: argparse.Namespace, progress: Any) -> int:
    """Judge a note and print what was found; returns the exit code."""
    start = forks(options.jobs, "rftheory.author", "rftheory.statement.run")
    from rftheory.statement.load import ANY_LINE
    from rftheory.statement.run import TIME_LIMIT, NoteReport, judge_note, read_note
    from rftheory.statement.samplers import samplers_of

    _refuse(options, "paper", "record")
    if options.quick:
        hint = "a note has no slow checks; --time-limit 5 looks at each statement for five seconds"
        raise InvalidInput("--quick", needs="the catalogue", got=f"the note {options.note}", hint=hint)
    for option, usual in (("backend", "numpy"), ("device", ""), ("engine", "array")):
        if getattr(options, option) not in ("auto", usual):
            hint = "the statements of a note are drawn by arrays on the CPU; leave it out"
            raise InvalidInput(
                f"--{option}", needs="the catalogue", got=f"the note {options.note}", hint=hint
            )
    seconds = TIME_LIMIT if options.time_limit is None else options.time_limit
    with redirect_stdout(sys.stderr):  # what the note prints must not mix with the report
        note = read_note(options.note, seconds, ANY_LINE)
        results = judge_note(
            options.note, only=options.claim, jobs=options.jobs, mutate=options.mutate, seed=options.seed,
            kinds=options.evidence, effort=options.effort, time_limit=seconds, progress=progress.show,
            start=start, leave_out=ANY_LINE,
        )  # fmt: skip
        samplers = samplers_of(Path(options.note).stem, note.statements, results, options.evidence)
    progress.close()
    report = NoteReport(note.name, results, note.heading, samplers, note.unread)
    content = json.dumps(report.to_dict(), indent=1, ensure_ascii=False)
    try:
        if options.json not in (None, "-"):
            write_whole(options.json, content + "\n")
        if options.junit or options.markdown or options.html:
            from rftheory.report import Report

            write_forms(Report(_as_claims(results), {}, note.heading, note.unread), options)
    finally:  # a form that cannot be made or stored loses no verdict
        if options.json == "-":
            say_json(content)
        else:
            say(report.text(options.explain, width_of_terminal()))
    return report.exit_code


def errata_note(options: argparse.Namespace, progress: Any) -> int:
    """Judge a note without draws, and say what is wrong in it; returns the exit code."""
    from rftheory.papers.claim import Catalogue
    from rftheory.report.errata import errata_of_note, to_json, to_markdown
    from rftheory.statement.run import judge_note, read_note

    _refuse(options, "paper", "report")
    with redirect_stdout(sys.stderr):
        note = read_note(options.note).heading
        judged = judge_note(
            options.note, only=options.claim, jobs=options.jobs, kinds=("derived", "certified"),
            progress=progress.show,
        )  # fmt: skip
    progress.close()
    results = _as_claims(judged)
    catalogue = Catalogue([result.claim for result in results])
    found = errata_of_note(results, catalogue)
    verdicts = [result.verdict.decision for result in results]
    text = to_json(found) if options.json else to_markdown(found, catalogue, note, verdicts=verdicts)
    write_errata(text, found, options, note)
    return 1 if any(r.expect == "fails" and not r.as_expected for r in judged) else 0


def write_errata(text: str, found: Sequence[Erratum], options: argparse.Namespace, note: str = "") -> None:
    """Write errata, perhaps of a note with this title, to the files that are asked for, or print them."""
    if options.html:
        from rftheory.report.pages import errata_page

        write_whole(options.html, errata_page(found, note))
    if options.out:
        write_whole(options.out, text + "\n")
    elif not options.html:
        (say_json if options.json else say)(text)


KINDS = ("derived", "certified", "sampled")
"""All kinds of evidence, said here so that any other is refused before they are loaded."""


def kinds_of(option: str, text: str) -> tuple[str, ...]:
    """Kinds of evidence from an option.

    Examples
    --------
    >>> kinds_of("--evidence", "derived, sampled")
    ('derived', 'sampled')
    """
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names or not {*names} <= {*KINDS}:
        needs = "a comma-separated choice of " + ", ".join(KINDS)
        unknown = next((name for name in names if name not in KINDS), "")
        raise InvalidInput(option, needs=needs, got=",".join(names) or text, hint=meant(unknown, KINDS))
    return names


def _as_claims(judged: Sequence[Judged]) -> tuple[Result, ...]:
    """The statements as claims, so that the forms of a report and the errata of the catalogue serve for notes too."""
    from rftheory.judge import Decision
    from rftheory.papers.claim import Claim
    from rftheory.report import Result

    results = []
    for one in judged:
        fails = Decision.FAILS in (one.verdict.decision, one.expect)
        claim = Claim(
            one.id, one.source, f"${one.latex}$", one.domain, checks=(), prints=one.prints,
            expected=Decision.FAILS if fails else Decision(one.expect or one.verdict.decision),
        )  # fmt: skip
        results.append(Result(claim, one.verdict, one))
    return tuple(results)


def write_forms(report: Report, options: argparse.Namespace) -> None:
    """Write the requested forms of a report other than JSON: JUnit, Markdown, a page."""
    if options.junit:
        write_whole(options.junit, report.to_junit())
    if options.markdown:
        write_whole(options.markdown, report.to_markdown())
    if options.html:
        from rftheory.report.pages import verdicts_page

        write_whole(options.html, verdicts_page(report))


def _new(options: argparse.Namespace) -> int:
    from keyword import iskeyword

    from rftheory.statement.load import refuse_name_of_another
    from rftheory.statement.template import TEMPLATE

    path = Path(options.note)
    if path.exists():
        raise InvalidInput("new", needs="a file that does not exist yet", got=str(path))
    if path.suffix != ".py" or not path.stem.isidentifier() or iskeyword(path.stem):
        raise InvalidInput("new", needs="a name such as mine.py", got=path.name)
    refuse_name_of_another(path.resolve(), str(path))
    path.write_text(TEMPLATE.replace("NAME", path.stem), encoding="utf-8")
    say(f"wrote {path}; judge it with: rftheory verify {path} --explain")
    return 0
