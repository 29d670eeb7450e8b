"""``rftheory verify note.py`` and ``rftheory new note.py``: notes from outside, judged like the catalogue."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rftheory.cli.codes import check_writable, say, write_whole
from rftheory.errors import InvalidInput

NEW = """\
examples:
  rftheory new mine.py && rftheory verify mine.py --explain

exit codes: 0 written, 2 the file is there already, or has no name that Python can import
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

    check_writable("--json", options.json)
    checked_workers("--jobs", options.jobs)
    for option in ("record", "junit", "markdown", "html"):
        if getattr(options, option):
            raise InvalidInput(
                f"--{option}", needs="claims of the catalogue; a note has --json", got=options.note
            )
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
    say(content if options.json == "-" else report.text(options.explain))
    return report.exit_code


def _new(options: argparse.Namespace) -> int:
    from rftheory.statement.template import TEMPLATE

    path = Path(options.note)
    if path.exists():
        raise InvalidInput("new", needs="a file that does not exist yet", got=str(path))
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise InvalidInput("new", needs="a name such as mine.py", got=path.name)
    path.write_text(TEMPLATE.replace("NAME", path.stem), encoding="utf-8")
    say(f"{path} written; judge it with: rftheory verify {path} --explain")
    return 0
