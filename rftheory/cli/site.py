"""``rftheory site``: everything as static pages."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

from rftheory.cli.codes import checked, forks, loading, say
from rftheory.cli.progress import Progress, tell_what_takes_long
from rftheory.errors import InvalidInput, checked_workers
from rftheory.names import plural

SITE = """\
examples:
  rftheory site public                          judge without slow checks, then write the pages
  rftheory verify --json v.json && rftheory site public --report v.json
  xdg-open public/index.html                    no server is needed

Figures, notebooks and documents are taken from paper_figures, notebooks and docs below --root.

exit codes: 0 written, 1 written, but a verdict differs from the recorded one, 2 misused or broken, 130 an interrupt
"""


def add_site(verb: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    verb.epilog = SITE
    verb.add_argument("out", help="the folder to write to; pages of an older site in it are replaced")
    verb.add_argument(
        "--report", metavar="F", help="the output of verify --json; without it, the quick checks are run"
    )
    verb.add_argument(
        "--root", default=".", help="the folder of paper_figures, notebooks and docs (default: here)"
    )
    verb.add_argument(
        "--jobs", type=int, action=checked(checked_workers), default=os.cpu_count() or 1,
        help="processes for the checks (default: all cores)",
    )  # fmt: skip
    verb.set_defaults(run=_site)


def _site(options: argparse.Namespace) -> int:
    report = None if options.report is None else stored_report(options.report)
    out = Path(options.out)
    if out.exists() and (
        not out.is_dir() or (any(out.iterdir()) and not (out / "static" / "search.js").is_file())
    ):
        raise InvalidInput("site", needs="a new or empty folder, or one with an older site", got=str(out))
    start = time.perf_counter()
    with loading():
        from rftheory.report.pages import environment
        from rftheory.report.site import build
    environment()  # report missing packages before the work
    progress = Progress()
    if report is None:
        report = _judged(options.jobs, progress)
    pages = build(out, report, options.root, progress.show)
    progress.close()
    say(f"{plural(len(pages), 'page')} in {time.perf_counter() - start:.0f} s: {out / 'index.html'}")
    return 0 if all(claim["as_recorded"] for claim in report["claims"]) else 1


def stored_report(path: str) -> dict[str, Any]:
    """The output of ``rftheory verify --json`` from a file."""
    try:
        content: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(
            "--report", needs="a file that can be read", got=path, hint=str(error.strerror)
        ) from None
    except ValueError:
        content = {}
    if isinstance(content, dict) and str(content.get("schema", "")).startswith("rftheory.note/"):
        raise InvalidInput(
            "--report", needs="verdicts on the catalogue", got=f"those on the note {content.get('note')}, in {path}",
            hint="rftheory errata NOTE.py lists what fails in a note",
        )  # fmt: skip
    from rftheory.report.run import SCHEMA  # after the file is read: it takes long to load

    if not isinstance(content, dict) or content.get("schema") != SCHEMA or "claims" not in content:
        raise InvalidInput(
            "--report", needs="output of rftheory verify --json, of this version", got=path,
            hint="rftheory verify --quick --json report.json",
        )  # fmt: skip
    return content


def _judged(jobs: int, progress: Any) -> dict[str, Any]:
    """The report of a run without slow checks."""
    start = forks(jobs, "rftheory.report.judging", "rftheory.papers.whole")
    from rftheory.papers import CATALOGUE
    from rftheory.report import Report
    from rftheory.report.judging import Settings, judge_all

    settings = Settings(quick=True, jobs=jobs)
    claims = CATALOGUE.select()
    results = judge_all(claims, settings, progress=progress.show, prepare=tell_what_takes_long, start=start)
    return Report(results, {"quick": True, "seed": settings.seed, "jobs": jobs}).to_dict()
