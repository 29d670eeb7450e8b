"""CPU seconds of evaluations that once took long or never ended, and what they say: each in a process of its own.

Run: ``python benchmarks/slow_evaluations.py [--write]``; ``--write`` stores the table under ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "slow_evaluations.md"

BEFORE = {
    "trig_moment_simrf n=4 d=64 m=64 z=5": "over 60 s",
    "geometric_p t=1e-30": "over 60 s",
    "hoeffding_features eps=1e-100 delta=1/2": "over 60 s",
    "angle_conformity d=2 c=1 v=300": "86 s",
    "mean_log_gain_trig d=1001 sigma=1e-10 offset=1": "over 60 s",
    "simrf_conformity d=1000001 v=1000": "35 s",
    "mean_log_gain d=3 sigma=1/2 --digits 300": "over 60 s",
    "prf_moment_simrf n=4 d=64 m=64 v=5": "23 s",
    "prf_moment_simrf n=4 d=16 m=16 v=5": "refused",
    "trig_moment_simrf n=3 d=512 m=100 z=50": "over 60 s",
    "trig_moment_simrf n=3 d=131 m=100 z=30": "over 60 s",
    "trig_moment_simrf n=3 d=1024 m=100 z=100": "over 60 s",
    "trig_moment_simrf n=3 d=4096 m=100 z=50": "over 60 s",
    "z_crit d=20000": "17 s",
    "gerf_legendre d=4096 A=-1/10 v=1 z=1 eps=1/2": "over 60 s",
    "gerf_moment_orf n=4 d=4096 A=-1/10 v=1 m=4096": "over 60 s",
    "orf_conformity d=5 v=1 --digits 10000 --route all": "over 240 s",
    "orf_conformity d=5 v=exp(exp(exp(exp(5))))": "over 240 s",
    "gerf_tail d=3 A=-1e-5 v=3 z=1 eps=1/2": "refused",
    "hoeffding_features eps=1e-30 delta=1/2 --route all": "ValueError",
    "cosine_lower_exponent z=1/8 eps=1": "no answer",
    "cosine_lower_exponent z=30 eps=1": "refused",
    "angular_max_relative_error r=1e-30 m=1 n=1": "over 50 s",
    "z_crit d=100000": "over 50 s",
    "mean_log_gain d=1000 sigma=1/10 offset=3": "over 60 s",
    "mean_log_gain d=1001 sigma=1e-10 offset=1": "over 60 s",
    "hoeffding_features eps=1 delta=2*exp(-2) --route search": "refused",
    "poisson_variance d=2 lam=1e-320 dot=0 squares=0 norms=1": "OverflowError",
}
"""The command after ``eval``, and what it took before there was a limit."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store the table under benchmarks/results")
    options = parser.parse_args()
    rows = ["| evaluation | before | CPU seconds now | code | it says |", "|---|---|---|---|---|"]
    for command, before in BEFORE.items():
        start = cpu_of_children()
        done = subprocess.run(
            [sys.executable, "-m", "rftheory", "eval", *command.split(" --")[0].split(), *flags(command)],
            capture_output=True, text=True,
        )  # fmt: skip
        seconds = cpu_of_children() - start
        said = (done.stdout + done.stderr).strip().splitlines()[-1]
        said = said if len(said) < 100 else said[:97] + "..."
        rows.append(f"| `{command}` | {before} | {seconds:.1f} | {done.returncode} | {said} |")
        print(rows[-1], flush=True)
    if options.write:
        text = ["# Evaluations that took long", "", "The default limit is 60 s.", "", *rows, ""]
        RESULTS.write_text("\n".join(text), encoding="utf-8")


def cpu_of_children() -> float:
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def flags(command: str) -> list[str]:
    """Options of a command, each as its name and its value."""
    return [word for option in command.split(" --")[1:] for word in f"--{option}".split()]


if __name__ == "__main__":
    main()
