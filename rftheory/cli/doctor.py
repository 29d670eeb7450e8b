"""``rftheory doctor``: show what is installed, and with ``--gpu`` test everything on a CUDA device."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
from pathlib import Path
from typing import Any

from rftheory import __version__
from rftheory.cli.codes import check_writable, say
from rftheory.errors import InvalidInput

REPORT = "benchmarks/results/gpu.json"
PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "matplotlib", "array-api-compat", "scikit-learn",
            "numba", "cupy-cuda12x", "cupy-cuda13x")  # fmt: skip


EPILOG = """\
examples:
  rftheory doctor
  rftheory doctor --json
  rftheory doctor --gpu --out report.json      test everything on a CUDA device; the same call resumes

exit codes: 0; 1 if the device disagrees; 2 if something is broken or missing
"""


def add_doctor(doctor: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    doctor.epilog = EPILOG
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.add_argument(
        "--gpu", action="store_true",
        help="test kernels, draws, speed, sampled verdicts, tests and figures on the CUDA device; the same call resumes"
        " after an interruption",
    )  # fmt: skip
    doctor.add_argument("--out", metavar="F", help=f"with --gpu: file of the report (default {REPORT})")
    doctor.add_argument(
        "--seconds", type=float, default=600.0, help="with --gpu: time for all parts (default 600)"
    )
    doctor.add_argument("--parts", default="", metavar="P[,P]", help="with --gpu: only these parts")
    doctor.add_argument(
        "--device", default="", metavar="N", help="number of the CUDA device (default: the first)"
    )
    doctor.add_argument("--part", help=argparse.SUPPRESS)
    doctor.set_defaults(run=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    if options.device:
        from rftheory.sample.arrays import device_settings

        os.environ.update(device_settings(options.device)[0])
    if options.part:
        from rftheory.report.session_parts import run_part

        say(json.dumps(run_part(options.part, Path(options.out or REPORT))), flush=True)
        return 0
    return _session(options) if options.gpu else _installed(options)


def _session(options: argparse.Namespace) -> int:
    from rftheory.report.session import outcome, session

    if not 0 < options.seconds < 1e6:
        raise InvalidInput("--seconds", needs="a time in (0, 1e6)", got=options.seconds)
    out = options.out or REPORT
    if options.out:
        check_writable("--out", out)
    asked = tuple(name.strip() for name in options.parts.split(",") if name.strip())
    quiet = (lambda line: None) if options.json else (lambda line: say(line, flush=True))
    report = session(out, seconds=options.seconds, parts=asked, say=quiet)
    if options.json:
        say(json.dumps(report, indent=1))
    else:
        say(f"report: {out}")
        if report["left"]:
            say(f"not done: {', '.join(report['left'])}; the same call continues with them")
        if importlib.util.find_spec("cupy") is None:
            say("make gpu, in a checkout, makes an environment that has CuPy: docs/gpu.md")
    return outcome(report)


def _installed(options: argparse.Namespace) -> int:
    from rftheory.sample.arrays import cupy_problem, device_name, namespace

    problem = cupy_problem()
    found: dict[str, Any] = {
        "rftheory": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        **{name: _version(name) for name in PACKAGES},
        "GPU": f"none: {problem}" if problem else f"{device_name(namespace('cupy'))}, through CuPy",
        "backend auto": "numpy" if problem else "cupy",
    }
    if options.json:
        say(json.dumps(found, indent=1))
        return 0
    width = max(len(name) for name in found)
    for name, value in found.items():
        say(f"{name.ljust(width)}  {value}")
    return 0


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
