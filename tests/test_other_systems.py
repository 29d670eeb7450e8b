"""Commands on a system that lacks what POSIX adds, as Windows does: processes that fork, alarms, locks of files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rftheory

FOLDER = Path(rftheory.__file__).resolve().parent.parent
LACKS = """
import multiprocessing, os, signal, sys

for module, names in (
    (os, "fork forkpty killpg getpgid setsid wait3 wait4 nice getuid geteuid sched_getaffinity pread fchmod mkfifo"),
    (signal, "SIGALRM SIGHUP SIGQUIT SIGUSR1 setitimer getitimer ITIMER_REAL alarm pthread_sigmask pthread_kill"),
):
    for name in names.split():
        vars(module).pop(name, None)
sys.modules.update(dict.fromkeys("fcntl resource termios pwd grp".split()))
only = multiprocessing.context._default_context
only._actual_context = only._default_context = multiprocessing.context._concrete_contexts["spawn"]
multiprocessing.get_all_start_methods = lambda: ["spawn"]
print("another system", file=sys.stderr)
"""
NOTE = """
from rftheory.author import d, note, mse, positive, iid, orthogonal, statement, v

note("mine", title="Rows at right angles")
statement("better", "Theorem 1", mse(positive(orthogonal)) <= mse(positive(iid, m=d)))
"""
SAMPLER = """
import numpy as np

def rows(rng, d=8):
    q, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return q * np.sqrt(rng.chisquare(d, size=d))[:, None]
"""


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ("eval simrf_conformity d=64 v=10 --time-limit 30", 0, "3.54323050084731758620995907443e+32"),
        ("verify --claim simplex.cor4.4 --quick --jobs 2 --record run.jsonl", 0, "1 fails (1 certified)"),
        ("verify note.py", 0, "1 holds"),
        ("check sampler.py:rows --as orthogonal --time-limit 20", 1, "MISSING QR SIGNS"),
        ("choose X.csv --features 16 --time-limit 60", 0, "answer: "),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)
def test_commands_run_without_what_posix_adds(tmp_path: Path, arguments: str, code: int, says: str) -> None:
    lacking = tmp_path / "lacking"
    lacking.mkdir()
    for name, text in (("lacking/sitecustomize.py", LACKS), ("note.py", NOTE), ("sampler.py", SAMPLER)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    rows = ("0.1,0.2\n", "0.5,-0.3\n", "-0.4,0.1\n", "0.9,0.2\n", "-0.6,-0.6\n", "0.2,0.7\n")
    (tmp_path / "X.csv").write_text("".join(rows), encoding="utf-8")
    path = os.pathsep.join((str(lacking), str(FOLDER)))
    done = subprocess.run(
        [sys.executable, "-m", "rftheory", *arguments.split()],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "cp1252:strict"},
        capture_output=True, text=True, encoding="cp1252", check=False,
    )  # fmt: skip
    assert done.returncode == code, done
    assert "another system" in done.stderr
    assert says in done.stdout
