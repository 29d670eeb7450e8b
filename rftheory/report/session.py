"""A session on a CUDA device: everything that a device can show, the most valuable parts first, resumable.

Each part runs in its own process, because a failed kernel leaves its process without a device, and has its own time
limit. Its results are stored before the next part begins; the same call continues with unfinished parts unless the
sources or the device have changed. `rftheory doctor --gpu` and ``make gpu`` run it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rftheory import __version__
from rftheory.errors import InvalidInput

SCHEMA = "rftheory.gpu/1"

Found = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """One part of a session: what it is for, its limit in seconds, and whether it needs the checkout.

    Examples
    --------
    >>> [part.name for part in PARTS][:3]
    ['device', 'kernels', 'draws']
    """

    name: str
    says: str
    seconds: float
    needs_checkout: bool = False


PARTS = (
    Part("device", "the device, its driver, clocks and power cap; a first kernel with known answers", 60),
    Part("kernels", "the fused kernels give the estimates that the CPU's arrays give", 90),
    Part("draws", "bits of the streams are the CPU's, normals and chis to rounding", 45),
    Part("benchmark", "features a second of the kernels, beside cupy.random and the prediction", 150, True),
    Part("verdicts", "every sampled statement is judged on the device", 240),
    Part("tests", "pytest -m gpu", 240, True),
    Part("figures", "measured points of figures, drawn once more", 90),
)
"""The most valuable parts come first, in case the device goes away."""

OF_A_DEVICE = ("name", "capability", "driver", "runtime", "cupy")
"""The facts of the first part that tell devices apart."""

SECONDS = 600.0
"""Time limit of a whole session in seconds."""

LAUNCHER = [sys.executable, "-m", "rftheory"]
"""The command that runs the package."""


def session(
    out: str | os.PathLike[str],
    *,
    seconds: float = SECONDS,
    parts: Sequence[str] = (),
    launcher: Sequence[str] = LAUNCHER,
    say: Callable[[str], None] = print,
    root: Path | None = None,
) -> Found:
    """Run the unfinished parts of a session and return the report, which is stored after each part that measures.

    Parameters
    ----------
    out : file of the report; if it exists and was made from the same sources on such a device, its finished parts are
        kept.
    seconds : time for all parts of this call; parts that do not fit are left for the next call.
    parts : names of parts; empty: all.
    launcher : command that runs the package, to which ``doctor --part NAME`` is added.
    say : called with a line for each finished part.
    root : the folder with tests and benchmarks; by default the one that contains the package.

    Raises
    ------
    InvalidInput : an unknown part, or a file that is not the report of a session.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = session(Path(folder) / "gpu.json", seconds=0, say=lambda line: None)
    >>> sorted(report["left"]) == sorted(part.name for part in PARTS)
    True
    """
    unknown = sorted(set(parts) - {part.name for part in PARTS})
    if unknown:
        raise InvalidInput("--parts", needs=", ".join(part.name for part in PARTS), got=", ".join(unknown))
    path, home = Path(out), root or Path(__file__).parents[2]
    report, end = _begun(path), time.monotonic() + seconds

    def todo() -> list[Part]:
        return [
            part
            for part in PARTS
            if part.name in (parts or report["left"]) and not _is_done(report, part.name)
        ]

    if todo() and seconds > 0 and _is_done(report, "device"):
        here = _run(PARTS[0], path, list(launcher), min(PARTS[0].seconds, seconds), home)
        if any(here.get(fact) != report["parts"]["device"].get(fact) for fact in OF_A_DEVICE):
            report["parts"] = {}
            report["left"] = _left(report)
    for part in todo():
        left = end - time.monotonic()
        if left <= 0:
            break
        if part.needs_checkout and not (home / "benchmarks").is_dir():
            found: Found = {"outcome": "left out", "reason": "needs a checkout with tests and benchmarks"}
        else:
            found = _run(part, path, list(launcher), min(part.seconds, left), home)
        report["parts"][part.name] = found
        report["left"] = _left(report)
        if measured(report):
            _store(path, report)
        say(f"{part.name}: {found['outcome']}, {found.get('seconds', 0):.1f} s: {_line(part, found)}")
        if part.name == "device" and found["outcome"] != "agrees":
            break  # nothing else can run
    return report


def measured(report: Mapping[str, Any]) -> bool:
    """Whether any part came to a result; only then is there a file.

    Examples
    --------
    >>> measured({"parts": {"device": {"outcome": "missing"}}})
    False
    """
    return any(_is_done(report, name) for name in report["parts"])


def outcome(report: Mapping[str, Any]) -> int:
    """Return the exit code of a session: 0 everything agrees, 1 something differs, 2 something is not done.

    Examples
    --------
    >>> outcome({"parts": {"device": {"outcome": "differs"}}, "left": []})
    1
    """
    ends = {part["outcome"] for part in report["parts"].values()}
    if "differs" in ends:
        return 1
    return 2 if report["left"] or ends - {"agrees", "left out"} else 0


def _begun(path: Path) -> Found:
    from rftheory.report.judging import (
        sources_hash,  # imported here because it loads the catalogue
    )

    fresh: Found = {
        "schema": SCHEMA,
        "rftheory": __version__,
        "sources": sources_hash(),
        "parts": {},
        "left": [part.name for part in PARTS],
    }
    if not path.exists():
        return fresh
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise InvalidInput("--out", needs="a new file or the report of a session", got=path) from problem
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise InvalidInput("--out", needs="a new file or the report of a session", got=path)
    return found if found.get("sources") == fresh["sources"] else fresh


def _is_done(report: Mapping[str, Any], name: str) -> bool:
    return report["parts"].get(name, {}).get("outcome") in ("agrees", "differs")


def _left(report: Found) -> list[str]:
    return [part.name for part in PARTS if not _is_done(report, part.name)]


def _store(path: Path, report: Found) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.part")
    beside.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    os.replace(beside, path)


def _run(part: Part, out: Path, launcher: list[str], seconds: float, home: Path) -> Found:
    """The result of a part from its own process, which is killed with its children when time is up."""
    start = time.monotonic()
    command = [*launcher, "doctor", "--part", part.name, "--out", str(out.resolve())]
    process = subprocess.Popen(
        command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        printed, complained = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        said, reason = _end(process), f"ended after {seconds:.0f} s"
        return {"outcome": "not finished", "reason": reason, "seconds": seconds, "printed": said[-4000:]}
    except BaseException:
        _end(process)
        raise
    taken = round(time.monotonic() - start, 2)
    try:
        return {**json.loads(printed.splitlines()[-1]), "seconds": taken}
    except (IndexError, ValueError):
        reason = complained.strip()[-2000:] or f"exit code {process.returncode}"
        return {"outcome": "broken", "reason": reason, "seconds": taken}


def _end(process: subprocess.Popen[str]) -> str:
    """Kill the process and its children; what it has printed until then."""
    os.killpg(process.pid, signal.SIGKILL)
    return "".join(process.communicate())


def _line(part: Part, found: Found) -> str:
    return str(found.get("says") or found.get("reason", part.says)).splitlines()[-1]
