"""``rftheory verify`` and ``rftheory errata``: judge the catalogue again, and say what is wrong in the sources."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from rftheory.cli.codes import check_apart, check_writable, say, write_whole
from rftheory.errors import InvalidInput

if TYPE_CHECKING:
    from rftheory.papers import Claim


LIMIT = 600.0
"""Seconds for each check of a claim: a busy machine must not turn a verdict into undecided."""


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
    verify.add_argument(
        "--time-limit", type=float, metavar="S",
        help="seconds for each check of a claim (default 600), or for each statement of a note (default 60), after"
        " which it says how far it got",
    )  # fmt: skip
    verify.add_argument("--record", metavar="F", help="keep verdicts in F and go on from there after a break")
    verify.add_argument("--explain", action="store_true", help="print each claim with all its evidence")
    verify.add_argument(
        "--json", nargs="?", const="-", metavar="F", help="print the report as JSON, or write it to F"
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
    from rftheory.papers import CATALOGUE
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
        time_limit=LIMIT if options.time_limit is None else options.time_limit,
    )
    files = {f"--{option}": getattr(options, option) for option in ("json", "junit", "markdown")}
    check_apart({**files, "--record": options.record})
    for option, path in files.items():
        check_writable(option, path)
    asked = [
        claim
        for claim in CATALOGUE.select(options.paper, options.claim)
        if any(str(check.kind) in settings.kinds for check in claim.checks)
    ]
    if not asked:
        raise InvalidInput("--evidence", needs=f"a kind that {options.claim} has", got=options.evidence)
    claims = [claim for claim in asked if not options.quick or _has_quick(claim, settings.kinds)]
    if not claims:
        raise InvalidInput("--quick", needs="claims with a check that is not slow", got=options.claim)
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
            "time_limit": settings.time_limit,
            "false_alarm": FALSE_ALARM,
            "tests": CATALOGUE.sampled_tests,
            "left_out": [claim.id for claim in asked if claim not in claims],
            "wall_seconds": round(time.perf_counter() - start, 1),
        },
    )
    if options.json not in (None, "-"):
        write_whole(options.json, report.form(options.json))
    if options.junit:
        write_whole(options.junit, report.to_junit())
    if options.markdown:
        write_whole(options.markdown, report.to_markdown())
    if options.explain and options.json != "-":
        say("\n\n".join(explain(result, CATALOGUE) for result in results), end="\n\n")
    say(report.to_json() if options.json == "-" else report.text())
    if len(asked) > len(claims) and options.json != "-":
        say(f"left out, as all their checks are slow: {len(asked) - len(claims)} claims")
    return report.exit_code


def _has_quick(claim: Claim, kinds: tuple[str, ...]) -> bool:
    """Whether a claim has a check of the given kinds that is not slow."""
    from rftheory.statement.evidence import Slow

    return any(str(check.kind) in kinds and not isinstance(check, Slow) for check in claim.checks)


def _kinds(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        needs = "a comma-separated choice of derived, certified, sampled"
        raise InvalidInput("--evidence", needs=needs, got=text)
    return names


def _errata(options: argparse.Namespace) -> int:
    from rftheory.papers import CATALOGUE
    from rftheory.report.errata import errata, to_json, to_markdown, wanted
    from rftheory.report.judging import Settings, judge_all

    settings = Settings(kinds=("derived", "certified"), quick=True, jobs=options.jobs)
    check_writable("--out", options.out)
    claims = wanted(CATALOGUE, options.paper, options.claim)
    progress = _Progress()
    found = errata(judge_all(claims, settings, progress=progress.show), CATALOGUE)
    progress.close()
    text = to_json(found) if options.json else to_markdown(found, CATALOGUE)
    if options.out:
        write_whole(options.out, text + "\n")
    else:
        say(text)
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
