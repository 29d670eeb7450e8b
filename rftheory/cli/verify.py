"""``rftheory verify`` and ``rftheory errata``: judge the catalogue again, and say what is wrong in the sources."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from rftheory.cli.codes import check_writable
from rftheory.errors import InvalidInput


def add(verbs: Any) -> None:
    """Add the verbs to the parser."""
    verify = verbs.add_parser(
        "verify", help="judge every claim of the catalogue again, or the statements of a note"
    )
    verify.add_argument(
        "note", nargs="?", help="a file of statements, such as mine.py; without one the catalogue"
    )
    _add_selection(verify)
    verify.add_argument(
        "--evidence", default="derived,certified,sampled", help="kinds of evidence (default: all)"
    )
    verify.add_argument("--quick", action="store_true", help="leave out the slow checks")
    verify.add_argument(
        "--mutate", action="store_true", help="plant every mutation of each statement and count those caught"
    )
    verify.add_argument(
        "--backend", default="auto", choices=["auto", "numpy", "cupy"], help="arrays of the samplers"
    )
    verify.add_argument("--seed", type=int, default=0, help="seed of the samplers (default 0)")
    verify.add_argument("--effort", type=float, default=1.0, help="factor on the number of draws (default 1)")
    verify.add_argument("--record", metavar="F", help="keep verdicts in F and go on from there after a break")
    verify.add_argument("--explain", action="store_true", help="print each claim with all its evidence")
    verify.add_argument(
        "--json", nargs="?", const="-", metavar="F", help="print the report as JSON, or write it to F"
    )
    verify.add_argument(
        "--time-limit", type=float, metavar="S", help="seconds for one statement of a note (default 60)"
    )
    verify.add_argument("--junit", metavar="F", help="write the report to F as JUnit XML")
    verify.add_argument("--markdown", metavar="F", help="write the report to F as Markdown")
    verify.set_defaults(run=_verify)

    errata = verbs.add_parser("errata", help="what is wrong in each source, where, why, and what is right")
    _add_selection(errata)
    errata.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    errata.add_argument("--out", metavar="F", help="write to F instead of standard output")
    errata.set_defaults(run=_errata)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--paper", help="only the claims of one source, such as simplex")
    parser.add_argument("--claim", help="only one claim, such as simplex.thm3.2")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)"
    )


def _verify(options: argparse.Namespace) -> int:
    if options.note is not None:
        from rftheory.cli.note import verify_note

        return verify_note(options, _Progress())
    from rftheory.claims import CATALOGUE
    from rftheory.report import Report
    from rftheory.report.explain import explain
    from rftheory.report.judging import FALSE_ALARM, Settings, judge_all

    settings = Settings(
        kinds=_kinds(options.evidence),
        backend=options.backend,
        seed=options.seed,
        effort=options.effort,
        quick=options.quick,
        thorough=options.mutate,
        jobs=options.jobs,
    )
    for option in ("json", "junit", "markdown"):
        check_writable(f"--{option}", getattr(options, option))
    claims = [
        claim
        for claim in CATALOGUE.select(options.paper, options.claim)
        if any(str(check.kind) in settings.kinds for check in claim.checks)
    ]
    if not claims:
        raise InvalidInput("--evidence", needs=f"a kind that {options.claim} has", got=options.evidence)
    start = time.perf_counter()
    progress = _Progress()
    results = judge_all(claims, settings, options.record, progress.show)
    progress.close()
    report = Report(
        results,
        {
            "paper": options.paper,
            "claim": options.claim,
            "evidence": list(settings.kinds),
            "backend": settings.backend,
            "seed": settings.seed,
            "effort": settings.effort,
            "quick": settings.quick,
            "mutate": settings.thorough,
            "jobs": settings.jobs,
            "false_alarm": FALSE_ALARM,
            "tests": CATALOGUE.sampled_tests,
            "wall_seconds": round(time.perf_counter() - start, 1),
        },
    )
    if options.explain and options.json != "-":
        print("\n\n".join(explain(result, CATALOGUE) for result in results), end="\n\n")
    print(report.to_json() if options.json == "-" else report.text())
    if options.json not in (None, "-"):
        report.write(options.json)
    if options.junit:
        Path(options.junit).write_text(report.to_junit(), encoding="utf-8")
    if options.markdown:
        Path(options.markdown).write_text(report.to_markdown(), encoding="utf-8")
    return report.exit_code


def _kinds(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        needs = "a comma-separated choice of derived, certified, sampled"
        raise InvalidInput("--evidence", needs=needs, got=text)
    return names


def _errata(options: argparse.Namespace) -> int:
    from rftheory.claims import CATALOGUE
    from rftheory.judge import Decision
    from rftheory.report.errata import errata, to_json, to_markdown
    from rftheory.report.judging import Settings, judge_all

    settings = Settings(kinds=("derived", "certified"), quick=True, jobs=options.jobs)
    check_writable("--out", options.out)
    claims = [
        claim for claim in CATALOGUE.select(options.paper, options.claim) if claim.expected is Decision.FAILS
    ]
    progress = _Progress()
    found = errata(judge_all(claims, settings, progress=progress.show), CATALOGUE)
    progress.close()
    text = to_json(found) if options.json else to_markdown(found)
    if options.out:
        Path(options.out).write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0 if all(erratum.confirmed for erratum in found) else 1


class _Progress:
    """One line on a terminal's standard error; silent elsewhere."""

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.visible = sys.stderr.isatty()

    def show(self, label: str, done: int, total: int) -> None:
        if self.visible:
            line = f"[{done}/{total}] {label} ({time.perf_counter() - self.start:.0f} s)"
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.visible:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
