"""The command line: verify, eval, derive, figure, doctor.

Exit codes of ``verify``: 0 every verdict is the recorded one (a false statement refuted is a success), 1 a verdict
differs, 2 something undecided that should not be, or misuse.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from typing import Any

from rftheory import __version__
from rftheory.errors import InvalidInput, RFTheoryError

MISUSE = 2
FALSE_ALARM = 1e-6


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Examples
    --------
    >>> main(["eval", "orf_conformity", "d=64", "v=0.1", "--digits", "20"])
    1.0100494021199040937
    0
    """
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except RFTheoryError as error:
        print(f"rftheory: {type(error).__name__}: {error}", file=sys.stderr)
        return MISUSE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"rftheory: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        return MISUSE
    except KeyboardInterrupt:
        print("rftheory: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rftheory",
        description="A referee for the theory of random features: derive, evaluate and test what papers claim.",
    )
    parser.add_argument("--version", action="version", version=f"rftheory {__version__}")
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    verify = verbs.add_parser("verify", help="judge every claim of the catalogue again")
    verify.add_argument("--paper", help="only the claims of one source, such as simplex")
    verify.add_argument("--claim", help="only one claim, such as simplex.thm3.2")
    verify.add_argument(
        "--evidence", default="derived,certified,sampled", help="kinds of evidence (default: all)"
    )
    verify.add_argument(
        "--backend", default="auto", choices=["auto", "numpy", "cupy"], help="arrays of the samplers"
    )
    verify.add_argument("--seed", type=int, default=0, help="seed of the samplers (default 0)")
    verify.add_argument("--effort", type=float, default=1.0, help="factor on the number of draws (default 1)")
    verify.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="threads (default: all cores)"
    )
    verify.add_argument("--explain", action="store_true", help="print each claim with all its evidence")
    verify.add_argument(
        "--json", metavar="F", help="write the report to F (- for standard output; .xml gives JUnit)"
    )
    verify.set_defaults(run=_verify)

    evaluate = verbs.add_parser("eval", help="evaluate a formula with proved digits")
    evaluate.add_argument("name", nargs="?", help="formula, such as simrf_conformity")
    evaluate.add_argument(
        "values", nargs="*", metavar="key=value", help="decimal text and fractions are exact"
    )
    evaluate.add_argument(
        "--digits", type=int, default=30, help="significant digits, all proved (default 30)"
    )
    evaluate.add_argument("--route", help="a particular route; `all` evaluates every one and compares")
    evaluate.add_argument("--list", action="store_true", help="print every formula with domain and source")
    evaluate.add_argument("--latex", action="store_true", help="print the definition as LaTeX")
    evaluate.add_argument("--json", action="store_true", help="print JSON")
    evaluate.set_defaults(run=_eval)

    derive = verbs.add_parser("derive", help="replay a derivation and print the status of each step")
    derive.add_argument("id", nargs="?", help="claim id, such as simplex.lem4.1")
    derive.add_argument("--list", action="store_true", help="print the ids of all derivations")
    derive.add_argument("--latex", action="store_true", help="print LaTeX")
    derive.add_argument("--json", action="store_true", help="print JSON")
    derive.set_defaults(run=_derive)

    figure = verbs.add_parser("figure", help="regenerate figures of the papers")
    figure.add_argument("names", nargs="*", metavar="NAME", help="such as simplex_fig6")
    figure.add_argument("--all", action="store_true", help="all figures")
    figure.add_argument("--out", default="paper_figures", help="folder (default paper_figures)")
    figure.set_defaults(run=_figure)

    doctor = verbs.add_parser("doctor", help="say what is installed and which backend would be used")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.set_defaults(run=_doctor)
    return parser


# ---- verify ----------------------------------------------------------------------------------------


def _verify(options: argparse.Namespace) -> int:
    from rftheory.claims import CATALOGUE
    from rftheory.claims.evidence import Bench
    from rftheory.judge import Budget
    from rftheory.report import Report, Result
    from rftheory.report.run import explain
    from rftheory.sample import namespace

    kinds = _kinds(options.evidence)
    if not 0 < options.effort <= 1e6:
        raise InvalidInput("--effort", needs="a factor in (0, 1e6]", got=options.effort)
    if options.seed < 0:
        raise InvalidInput("--seed", needs="an integer from 0 on", got=options.seed)
    if options.workers < 1:
        raise InvalidInput("--workers", needs="1 or more", got=options.workers)
    claims = CATALOGUE.select(options.paper, options.claim)
    bench = Bench(
        Budget(FALSE_ALARM, tests=CATALOGUE.sampled_tests),
        namespace(options.backend),
        seed=options.seed,
        effort=options.effort,
        workers=options.workers,
    )
    results = []
    progress = _Progress(len(claims))
    for claim in claims:
        progress.show(claim.id)
        results.append(Result(claim, claim.judge(bench, kinds)))
    progress.close()
    settings = {
        "paper": options.paper,
        "claim": options.claim,
        "evidence": [str(k) for k in kinds],
        "backend": getattr(bench.xp, "__name__", str(bench.xp)),
        "seed": options.seed,
        "effort": options.effort,
        "false_alarm": FALSE_ALARM,
        "tests": CATALOGUE.sampled_tests,
    }
    report = Report(tuple(results), settings)
    if options.json == "-":
        print(report.to_json())
        return report.exit_code
    if options.explain:
        print("\n\n".join(explain(r) for r in results), end="\n\n")
    print(report.text())
    if options.json:
        report.write(options.json)
    return report.exit_code


def _kinds(text: str) -> list[Any]:
    from rftheory.judge import Kind

    names = [name.strip() for name in text.split(",") if name.strip()]
    known = [str(kind) for kind in Kind]
    if not names or any(name not in known for name in names):
        raise InvalidInput("--evidence", needs="a comma-separated choice of " + ", ".join(known), got=text)
    return [Kind(name) for name in names]


class _Progress:
    """One line on a terminal's standard error; silent elsewhere."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.start = total, 0, time.perf_counter()
        self.visible = sys.stderr.isatty()

    def show(self, label: str) -> None:
        self.done += 1
        if self.visible:
            seconds = time.perf_counter() - self.start
            line = f"[{self.done}/{self.total}] {label} ({seconds:.0f} s)"
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.visible:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


# ---- eval and derive -------------------------------------------------------------------------------


def _eval(options: argparse.Namespace) -> int:
    from rftheory.exact import find_formula, formulas

    if options.list:
        return _list_formulas(options.json, formulas())
    if options.name is None:
        raise InvalidInput("eval", needs="the name of a formula", got=None, hint="rftheory eval --list")
    formula = find_formula(options.name)
    if options.latex and not options.values:
        print(formula.latex)
        return 0
    values = _assignments(options.values)
    if options.route == "all":
        found = formula.agree(options.digits, **values)
    else:
        route = options.route or formula.fast
        found = {route: formula.enclose(options.digits, route=options.route, **values)}
    if options.json:
        content = {
            "formula": formula.name,
            "values": values,
            "digits": options.digits,
            "value": next(iter(found.values())).text(),
            "routes": {name: {"value": e.text(), "radius": repr(e.radius)} for name, e in found.items()},
            "source": formula.source,
        }
        print(json.dumps(content, indent=1))
    elif options.route == "all":
        width = max(len(name) for name in found)
        for name, enclosure in found.items():
            print(f"{name.ljust(width)}  {enclosure}")
    else:
        print(next(iter(found.values())))
    return 0


def _assignments(texts: Sequence[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in map(_assignment, texts):
        if name in values:
            raise InvalidInput("eval", needs=f"one value for {name}", got=[values[name], value])
        values[name] = value
    return values


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise InvalidInput("eval", needs="arguments of the form key=value", got=text)
    return name, value


def _list_formulas(as_json: bool, formulas: dict[str, Any]) -> int:
    if as_json:
        rows = [
            {"name": f.name, "says": f.says, "domain": f.domain, "source": f.source}
            for f in formulas.values()
        ]
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return 0
    for f in formulas.values():
        print(f"{f.name}\n    {f.says}\n    domain: {f.domain}\n    source: {f.source}")
    return 0


def _derive(options: argparse.Namespace) -> int:
    from rftheory.exact.derivations import derivation, derivations
    from rftheory.exact.derive import replay

    if options.list:
        for name, found in derivations().items():
            print(f"{name}: {found.title}")
        return 0
    if options.id is None:
        raise InvalidInput("derive", needs="the id of a claim", got=None, hint="rftheory derive --list")
    done = replay(derivation(options.id))
    print(done.to_json() if options.json else done.latex() if options.latex else done.text())
    if done.holds:
        return 0
    return MISUSE if done.undecided else 1


# ---- figure and doctor -----------------------------------------------------------------------------


def _figure(options: argparse.Namespace) -> int:
    from rftheory.figures import FIGURES, regenerate

    names = list(FIGURES) if options.all else options.names
    if not names:
        raise InvalidInput("figure", needs="a name or --all", got=None, hint="known: " + ", ".join(FIGURES))
    for name in names:
        for path in regenerate(name, options.out):
            print(path)
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from rftheory.sample.arrays import cupy_available, namespace

    packages = ["numpy", "scipy", "sympy", "mpmath", "python-flint", "matplotlib", "array-api-compat", "scikit-learn",
                "numba", "cupy-cuda12x", "cupy-cuda13x"]  # fmt: skip
    found: dict[str, Any] = {
        "rftheory": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        **{name: _version(name) for name in packages},
        "GPU": "usable through CuPy" if cupy_available() else "none that CuPy can use",
        "backend auto": "cupy" if namespace("auto") is not namespace("numpy") else "numpy",
    }
    if options.json:
        print(json.dumps(found, indent=1))
        return 0
    width = max(len(name) for name in found)
    for name, value in found.items():
        print(f"{name.ljust(width)}  {value}")
    return 0


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    raise SystemExit(main())
