"""What a machine with a CUDA device needs, when it has no network or an environment of its own.

``--fill FOLDER``
    fetches the wheels of ``requirements-gpu.lock``, hashes checked, for this Python and platform; with ``--system``
    only the few that a machine with CuPy, SciPy and pytest of its own is likely to lack, in a few megabytes;
    ``--python 3.12`` asks for those of another Python on 64-bit Linux.
``--target FOLDER``
    puts what this Python lacks into a folder for PYTHONPATH, from ``--wheels FOLDER`` or from the index.
``--driver``
    looks for a device through the driver alone, before anything is fetched; exit code 2 if none answers.

Nothing but the standard library is used: this runs before there is anything else.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements-gpu.lock"
SMALL = ("python-flint", "array-api-compat", "array-api-strict", "sympy", "mpmath", "hypothesis", "sortedcontainers",
         "tqdm")  # fmt: skip
"""What machines with a CuPy of their own are likely to lack."""

NEEDED = {
    "numpy": "numpy",
    "scipy": "scipy",
    "sympy": "sympy",
    "mpmath": "mpmath",
    "flint": "python-flint",
    "matplotlib": "matplotlib",
    "array_api_compat": "array-api-compat",
    "array_api_strict": "array-api-strict",
    "tqdm": "tqdm",
    "sklearn": "scikit-learn",
    "pytest": "pytest",
    "hypothesis": "hypothesis",
    "sortedcontainers": "sortedcontainers",
}
"""Packages by the module that says whether they are there."""


def locked(names: tuple[str, ...], text: str) -> list[str]:
    """The requirements of the names, with the versions of the lock."""
    versions = dict(re.findall(r"^([A-Za-z0-9._-]+)==([^ ]+)", text, flags=re.M))
    return [f"{name}=={versions[name]}" for name in names]


def missing() -> list[str]:
    """Packages that this Python does not have."""
    return [package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None]


def fill(folder: str, system: bool, python: str) -> list[str]:
    """The command that fetches the wheels."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest", folder]
    if python:
        command += ["--python-version", python, "--implementation", "cp"]
        names = [f"manylinux_2_{number}_x86_64" for number in (35, 34, 31, 28, 27, 26, 24, 17, 12)]
        for platform in (*names, "manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"):
            command += ["--platform", platform]
    if system:
        return [*command, *locked(SMALL, LOCK.read_text(encoding="utf-8"))]
    return [*command, "--require-hashes", "-r", str(LOCK)]


def add(target: str, wheels: str, packages: list[str]) -> list[str]:
    """The command that puts packages into a folder."""
    source = ["--no-index", "--find-links", wheels] if wheels else []
    head = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", target]
    return [*head, *source, *packages]


def no_device(library: str = "libcuda.so.1") -> str:
    """Why the driver has no device to offer; empty if it has one."""
    try:
        driver = ctypes.CDLL(library)
    except OSError as error:
        return f"there is no driver ({error})"
    code, count = driver.cuInit(0), ctypes.c_int()
    code = code or driver.cuDeviceGetCount(ctypes.byref(count))
    if code:
        return f"the driver answers with error {code}"
    return "" if count.value else "the driver has none"


INSTEAD = """\
On a machine with one, nvidia-smi lists it; the driver must be version 525 or later. Here, without a device:
    make gpu-wheels WHEELS=folder               the wheels, for a machine without a network
    python -m tests.gpu_stand_in doctor --gpu   a session on a stand-in (docs/gpu.md)"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fill", metavar="FOLDER")
    parser.add_argument("--system", action="store_true")
    parser.add_argument("--python", default="", metavar="3.N")
    parser.add_argument("--target", metavar="FOLDER")
    parser.add_argument("--wheels", default="", metavar="FOLDER")
    parser.add_argument("--driver", action="store_true")
    options = parser.parse_args()
    if options.driver:
        if problem := no_device():
            print(f"no CUDA device answers: {problem}\n{INSTEAD}", file=sys.stderr)
            raise SystemExit(2)
        return
    if options.fill:
        raise SystemExit(subprocess.run(fill(options.fill, options.system, options.python)).returncode)
    if not options.target:
        parser.error("one of --fill, --target and --driver")
    if importlib.util.find_spec("cupy") is None:
        raise SystemExit(f"{sys.executable} has no CuPy: leave out SYSTEM, or install it there")
    lacking = missing()
    print(
        f"== environment: {sys.executable} as it is"
        + (f", and beside it {', '.join(lacking)}" if lacking else "")
    )
    if lacking:
        raise SystemExit(subprocess.run(add(options.target, options.wheels, lacking)).returncode)


if __name__ == "__main__":
    main()
