"""``rftheory doctor``: show what is installed, and with ``--gpu`` test everything on a CUDA device."""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path
from typing import Any

from rftheory import __version__
from rftheory.cli.codes import check_outputs, checked, say, say_json
from rftheory.errors import InvalidInput, checked_seconds
from rftheory.names import plural

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
        "--seconds", type=float, action=checked(checked_seconds),
        help="with --gpu: time for all parts (default 600)",
    )  # fmt: skip
    doctor.add_argument("--parts", metavar="P[,P]", help="with --gpu: only these parts")
    doctor.add_argument(
        "--device", metavar="N", help="number of the CUDA device to show or test (default: the first)"
    )
    doctor.add_argument("--part", help=argparse.SUPPRESS)
    doctor.set_defaults(run=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    if options.device is not None:
        os.environ.update(_only(options.device))
    if options.part:
        from rftheory.report.session_parts import run_part

        say(json.dumps(run_part(options.part, Path(options.out or REPORT))), flush=True)
        return 0
    if options.gpu:
        return _session(options)
    for name in ("out", "seconds", "parts"):
        if getattr(options, name) is not None:
            raise InvalidInput(
                f"--{name}", needs="--gpu", got=getattr(options, name), hint="add it, or leave this out"
            )
    return _installed(options)


def _only(device: str) -> dict[str, str]:
    """The environment in which this device is the only one."""
    from rftheory.sample.arrays import device_settings

    settings = device_settings(device)
    if len(settings) > 1:
        raise InvalidInput("--device", needs="the number of one device, such as 0", got=device)
    return settings[0]


def _session(options: argparse.Namespace) -> int:
    from rftheory.report.session import SECONDS, measured, outcome, session

    seconds = SECONDS if options.seconds is None else options.seconds
    out = options.out or REPORT
    if options.out:
        check_outputs({"--out": out})
    asked = tuple(name.strip() for name in (options.parts or "").split(",") if name.strip())
    quiet = (lambda line: None) if options.json else (lambda line: say(line, flush=True))
    report = session(out, seconds=seconds, parts=asked, say=quiet)
    if options.json:
        say_json(json.dumps(report, indent=1))
    elif not measured(report):
        say("nothing was measured, and no report is written")
    else:
        say(f"report: {out}")
        if report["left"]:
            say(f"not done: {', '.join(report['left'])}; the same call continues with them")
    return outcome(report)


def _installed(options: argparse.Namespace) -> int:
    from rftheory.engine.record import version_of
    from rftheory.sample.arrays import cupy_problem, device_name, namespace

    problem = cupy_problem()
    if problem and options.device is not None:
        raise InvalidInput("--device", needs="a CUDA device that answers", got=options.device, hint=problem)
    found: dict[str, Any] = {
        "rftheory": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {plural(os.cpu_count() or 1, 'core')}",
        **{name: version_of(name) for name in PACKAGES},
        "GPU": f"none: {problem}" if problem else f"{device_name(namespace('cupy'))}, through CuPy",
        "backend auto": "numpy" if problem else "cupy",
    }
    if options.json:
        say_json(json.dumps(found, indent=1))
        return 0
    width = max(len(name) for name in found)
    for name, value in found.items():
        say(f"{name.ljust(width)}  {value}")
    return 0
