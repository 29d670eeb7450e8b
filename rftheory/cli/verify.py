"""``rftheory verify`` and ``rftheory errata``: judge the catalogue, and list what is wrong in the sources."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from rftheory.cli.codes import (
    Once,
    check_outputs,
    check_page,
    checked,
    checked_seed,
    complain,
    forks,
    loading,
    say,
    say_json,
    show,
    width_of_terminal,
    write_whole,
)
from rftheory.cli.note import KINDS, kinds_of, write_errata, write_forms
from rftheory.cli.progress import Progress, tell_what_takes_long
from rftheory.cli.site import stored_report
from rftheory.errors import InvalidInput, UnknownName, checked_effort, checked_seconds, checked_workers
from rftheory.names import plural

if TYPE_CHECKING:
    from rftheory.papers import Claim
    from rftheory.report import Report
    from rftheory.report.errata import Erratum
    from rftheory.report.judging import Settings
    from rftheory.report.run import Result


WORTH = 30
"""Claims of the catalogue from which on several processes pay: each begins by loading the catalogue."""
LIMIT = 60.0
"""Seconds for each check of a claim; slow checks have ten times as many."""


VERIFY = """\
examples:
  rftheory verify --quick                             the whole catalogue, without the slow checks
  rftheory verify simplex.thm3.2 --explain            a statement and everything below it, with the evidence
  rftheory verify "hybrid Theorem 3.5"                by the number in the paper
  rftheory verify --paper chefs --html chefs.html     one source, as a page to send
  rftheory verify mine.py --explain                   the statements of a note
  rftheory verify mine.py --contradictions            whether they contradict each other or the catalogue

exit codes: 0 every verdict is the recorded one (of a note: nothing fails), 1 a verdict differs (a statement fails,
or contradicts another), 2 undecided that should not be, a line not read, misused or broken, 130 an interrupt
"""
ERRATA = """\
examples:
  rftheory errata --paper hybrid                      what is wrong in one source, as Markdown
  rftheory errata hybrid.thm3.5                       in one theorem and everything below it
  rftheory errata mine.py                             what fails in a note
  rftheory errata --html errata.html                  a page to send
  rftheory verify --json v.json && rftheory errata --report v.json     with the verdicts of that run

All sources take about half a minute of processor time, more on a busy machine: name one with --paper, or give the
verdicts of a run with --report, which takes seconds. A terminal shows the progress.

exit codes: 0 all were refuted again, 1 one was not, 2 misused or broken, 130 an interrupt
"""


def add_verify(verify: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    verify.epilog = VERIFY
    _add_selection(verify)
    verify.add_argument(
        "--evidence", action=checked(kinds_of), default=KINDS, help="kinds of evidence (default: all)"
    )
    verify.add_argument("--quick", action="store_true", help="leave out the slow checks")
    verify.add_argument(
        "--mutate", action="store_true", help="plant every mutation of each statement and count those caught"
    )
    verify.add_argument(
        "--contradictions", action="store_true",
        help="judge nothing; combine the orderings and equalities of a note, or of the selected statements, with those"
        " of the whole catalogue, and report statements that cannot all be true",
    )  # fmt: skip
    verify.add_argument(
        "--backend", default="auto", choices=["auto", "numpy", "cupy"], help="arrays of the samplers"
    )
    verify.add_argument(
        "--device",
        default="",
        metavar="N[,N]",
        help="CUDA devices, shared out among the processes (default: the first)",
    )
    verify.add_argument(
        "--engine", default="auto", choices=["auto", "array", "kernels"],
        help="draw with arrays, or with fused kernels where they exist (default on a CPU: kernels, unless"
        " --quick)",
    )  # fmt: skip
    verify.add_argument(
        "--seed", type=int, action=checked(checked_seed), default=0, help="seed of the samplers (default 0)"
    )
    verify.add_argument(
        "--effort", type=float, action=checked(checked_effort), default=1.0,
        help="factor on the number of draws (default 1)",
    )  # fmt: skip
    verify.add_argument(
        "--time-limit", type=float, action=checked(_limit), metavar="S",
        help="seconds for each check of a claim (ten times as many for those that --quick leaves out), or for reading a"
        " note and for each of its statements (default 60; 0: none)",
    )  # fmt: skip
    verify.add_argument(
        "--record", metavar="F", help="store verdicts in F, and resume from F after an interruption"
    )
    verify.add_argument("--explain", action="store_true", help="print each statement with all its evidence")
    verify.add_argument(
        "--json", nargs="?", const="-", metavar="F", help="print the report as JSON, or write it to F"
    )
    verify.add_argument("--junit", metavar="F", help="write the report to F as JUnit XML")
    verify.add_argument("--markdown", metavar="F", help="write the report to F as Markdown")
    verify.add_argument("--html", metavar="F", help="write the report to F as one page of HTML")
    verify.set_defaults(run=_verify)


def add_errata(errata: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    errata.epilog = ERRATA
    _add_selection(errata)
    errata.add_argument(
        "--report", metavar="F", help="the output of verify --json; without it, what fails is judged again"
    )
    errata.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    errata.add_argument("--out", metavar="F", help="write to F instead of standard output")
    errata.add_argument("--html", metavar="F", help="write to F as one page of HTML")
    errata.set_defaults(run=_errata)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", nargs="*", metavar="WHAT",
        help="a file of statements, such as mine.py, or ids (with everything below them) or numbers as printed,"
        " such as simplex.thm3.2, 'hybrid Theorem 3.5', 'simplex (25)'; default: everything",
    )  # fmt: skip
    parser.add_argument("--paper", help="only the statements of one source, such as simplex")
    parser.add_argument(
        "--claim", action=Once, help="only this statement, without those below it, such as simplex.thm3.2"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        action=checked(checked_workers),
        help=f"processes (default: all cores, but one for fewer than {WORTH} claims without draws)",
    )


def _limit(option: str, value: float) -> float:
    """A time limit of a statement; 0 is none."""
    return 0.0 if value == 0 else checked_seconds(option, value)


def _jobs(options: argparse.Namespace, claims: int, *, draws: bool = False) -> int:
    """The number of processes: as asked for, or one for few quick claims, judged before another has started."""
    if options.jobs is not None:
        return int(options.jobs)
    return os.cpu_count() or 1 if draws or claims >= WORTH else 1


def chosen_ids(options: argparse.Namespace) -> list[str] | None:
    """The requested ids, looked up in the index only; None for the whole catalogue or a whole paper."""
    from rftheory.index import find_statements, is_number, names, statements_of

    known = statements_of(options.paper)
    asked = list(options.what)
    found: set[str] = set()
    if options.claim is not None:
        exact = options.claim in known
        found.update([options.claim] if exact else find_statements(options.claim, options.paper))
    if asked:
        try:
            found.update(find_statements(" ".join(asked), options.paper))
        except UnknownName:
            if len(asked) == 1 or is_number(" ".join(asked)):
                raise
            for one in asked:
                found.update(find_statements(one, options.paper))
    if not asked and options.claim is None:
        return None
    return [one for one in names("statements") if one in found]


def _claims(ids: Sequence[str] | None, paper: str | None) -> list[Claim]:
    from rftheory.index import paper_of
    from rftheory.papers import CATALOGUE

    if ids is not None:
        return [claim for one in ids for claim in CATALOGUE.select(claim=one)]
    if paper in CATALOGUE.papers or paper is None:
        return CATALOGUE.select(paper)
    return [claim for claim in CATALOGUE.select(paper_of(f"{paper}.")) if claim.id.startswith(f"{paper}.")]


def _note(options: argparse.Namespace) -> str | None:
    """The note that is asked for, if one is."""
    if not options.what or not (options.what[0].endswith(".py") or os.path.isfile(options.what[0])):
        return None
    if len(options.what) > 1:
        raise InvalidInput("note", needs="one file, with --claim for one statement", got=options.what)
    if options.jobs is None:
        options.jobs = os.cpu_count() or 1
    return str(options.what[0])


def _verify(options: argparse.Namespace) -> int:
    options.note = _note(options)
    outputs = ("json", "junit", "markdown", "html", "record")
    check_outputs(
        {f"--{one}": getattr(options, one) for one in outputs}, [options.note, *options.declarations]
    )
    check_page(options.html)
    if options.contradictions:
        return _contradictions(options)
    if options.note:
        from rftheory.cli.note import verify_note

        return verify_note(options, Progress())
    return _verify_catalogue(options)


def _verify_catalogue(options: argparse.Namespace) -> int:
    ids = chosen_ids(options)
    whole = ids is None and options.paper is None
    start = forks(options.jobs, "rftheory.report.judging", "rftheory.papers.whole") if whole else None
    with loading():
        from rftheory.report import Report
        from rftheory.report.judging import judge_all

    asked = [
        claim
        for claim in _claims(ids, options.paper)
        if any(str(check.kind) in options.evidence for check in claim.checks)
    ]
    claims, left_out = _quick_ones(asked, options)
    settings, begin, progress = _settings(options, len(asked)), time.perf_counter(), Progress()
    results = judge_all(claims, settings, options.record, progress.show, tell_what_takes_long, start)
    progress.close()
    seconds = round(time.perf_counter() - begin, 1)
    report = Report(results, _run_of(options, settings, results, left_out) | {"wall_seconds": seconds})
    try:
        if options.json not in (None, "-"):
            write_whole(options.json, report.form(options.json))
        write_forms(report, options)
    finally:  # a form that cannot be made or stored loses no verdict
        _print(report, options, left_out)
    return report.exit_code


def _quick_ones(asked: list[Claim], options: argparse.Namespace) -> tuple[list[Claim], list[str]]:
    """The claims to judge, and the ids of those left out, all of whose checks are slow."""
    if not asked:
        raise InvalidInput(
            "--evidence", needs=f"a kind that {_asked(options)} has", got=",".join(options.evidence)
        )
    left_out = [claim.id for claim in asked if options.quick and not _has_quick(claim, options.evidence)]
    claims = [claim for claim in asked if claim.id not in left_out]
    if not claims:
        raise InvalidInput("--quick", needs="claims with a check that is not slow", got=_asked(options))
    return claims, left_out


def _settings(options: argparse.Namespace, claims: int) -> Settings:
    from rftheory.report.judging import Settings

    return Settings(
        kinds=options.evidence,
        backend=options.backend,
        seed=options.seed,
        effort=options.effort,
        quick=options.quick,
        thorough=options.mutate,
        jobs=_jobs(options, claims, draws=not options.quick and "sampled" in options.evidence),
        time_limit=LIMIT if options.time_limit is None else options.time_limit,
        devices=options.device,
        kernels={"auto": None, "array": False, "kernels": True}[options.engine],
    )


def _run_of(
    options: argparse.Namespace, settings: Settings, results: Sequence[Result], left_out: list[str]
) -> dict[str, Any]:
    """What a report says of its run."""
    from rftheory.papers import CATALOGUE
    from rftheory.report.judging import FALSE_ALARM
    from rftheory.report.run import drawn_by

    return {
        "paper": options.paper,
        "claim": _asked(options),
        "evidence": list(settings.kinds),
        "backend": settings.backend,
        "devices": settings.devices,
        "engine": options.engine,
        "drawn": drawn_by(results),
        "seed": settings.seed,
        "effort": settings.effort,
        "quick": settings.quick,
        "mutate": settings.thorough,
        "jobs": settings.jobs,
        "time_limit": settings.time_limit,
        "false_alarm": FALSE_ALARM,
        "tests": CATALOGUE.sampled_tests,
        "left_out": left_out,
    }


def _print(report: Report, options: argparse.Namespace, left_out: Sequence[str]) -> None:
    from rftheory.papers import CATALOGUE
    from rftheory.report.explain import explain
    from rftheory.report.run import drawn_by

    if options.json == "-":
        say_json(report.to_json())
        return
    if options.explain:
        show("\n\n".join(explain(result, CATALOGUE) for result in report.results), end="\n\n")
    show(report.text(width_of_terminal() or 120))
    for line in _drawn_lines(drawn_by(report.results), options.backend):
        say(line)
    if left_out:
        say(f"{plural(len(left_out), 'claim')} left out because all checks are slow")


def _contradictions(options: argparse.Namespace) -> int:
    """Combine the relations of a note, or of selected claims, with those of the catalogue."""
    with loading():
        from rftheory.papers import CATALOGUE
        from rftheory.statement.contradictions import contradictions, of_statement
        from rftheory.statement.run import read_note

    if options.note:
        limit = LIMIT if options.time_limit is None else options.time_limit
        with redirect_stdout(sys.stderr):
            chosen = read_note(options.note, limit).select(options.claim)
        mine = [said for s in chosen for said in of_statement(s, refuted=s.expect == "fails")]
        ids = set()
    else:
        claims = _claims(chosen_ids(options), options.paper)
        mine, ids = [said for claim in claims for said in claim.said], {claim.id for claim in claims}
    others = [said for claim in CATALOGUE.claims.values() if claim.id not in ids for said in claim.said]
    found = contradictions(mine, others, progress=(progress := Progress()).show)
    progress.close()
    counts = f"{plural(len(mine), 'relation')}: {plural(len(found), 'contradiction') if found else 'no contradictions'}"
    show("\n\n".join([*map(str, found), counts]))
    return 1 if found else 0


def _asked(options: argparse.Namespace) -> str | None:
    """The requested names, in one line."""
    return " ".join([*options.what, *([options.claim] if options.claim else [])]) or None


def _drawn_lines(drawn: dict[str, int], backend: str) -> list[str]:
    """What drew the samples, and, if CuPy is installed, why no device did."""
    from rftheory.sample.arrays import NOT_INSTALLED, cupy_problem

    pieces = {how: plural(count, "piece of evidence", "pieces of evidence") for how, count in drawn.items()}
    lines = [f"drawn by {how}: {count}" for how, count in pieces.items()]
    problem = cupy_problem() if drawn and backend == "auto" else ""
    return lines + ([f"no device: {problem}"] if problem not in ("", NOT_INSTALLED) else [])


def _has_quick(claim: Claim, kinds: tuple[str, ...]) -> bool:
    """Whether a claim has a check of the given kinds that is not slow."""
    from rftheory.statement.evidence import Slow

    return any(str(check.kind) in kinds and not isinstance(check, Slow) for check in claim.checks)


def _errata(options: argparse.Namespace) -> int:
    options.note = _note(options)
    check_outputs({"--out": options.out, "--html": options.html}, [options.note, options.report])
    check_page(options.html)
    if options.note:
        from rftheory.cli.note import errata_note

        return errata_note(options, Progress())
    ids = chosen_ids(options)
    report = None if options.report is None else stored_report(options.report)
    with loading():
        from rftheory.papers import CATALOGUE
        from rftheory.report.errata import errata_of, stored, to_json, to_markdown, unconfirmed

    claims = _claims(ids, options.paper)
    if report is None:
        found = _refuted(claims, options, page_only=options.html and not options.out)
    else:
        outcomes = stored(report)
        if ids is None and options.paper is None:  # what the run was asked for, which may be a part
            asked = {*outcomes, *report.get("settings", {}).get("left_out", ())}
            claims = [claim for claim in claims if claim.id in asked]
        found = errata_of(claims, outcomes, CATALOGUE)
    text = to_json(found) if options.json else to_markdown(found, CATALOGUE, shown=claims)
    write_errata(text, found, options)
    if left := unconfirmed(found):
        complain(
            f"{len(left)} of {plural(len(found), 'erratum', 'errata')} not refuted again: {', '.join(left)}"
        )
    return 1 if left else 0


def _refuted(claims: Sequence[Claim], options: argparse.Namespace, page_only: bool) -> tuple[Erratum, ...]:
    """The errata among some claims, refuted again without draws; a page shows no grade of what holds instead."""
    from rftheory.papers import CATALOGUE
    from rftheory.report.errata import errata, wanted
    from rftheory.report.judging import Settings, judge_all

    judged = wanted(CATALOGUE, claims, corrections=not page_only)
    jobs, progress = _jobs(options, len(judged)), Progress()
    settings = Settings(kinds=("derived", "certified"), quick=True, jobs=jobs)
    results = judge_all(judged, settings, progress=progress.show)
    progress.close()
    return errata(results, CATALOGUE)
