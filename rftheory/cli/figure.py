"""``rftheory figure`` and ``rftheory doctor``: figures of the papers, and what is installed."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
from typing import Any

from rftheory import __version__
from rftheory.errors import InvalidInput


def add(verbs: Any) -> None:
    """Add the verbs to the parser."""
    figure = verbs.add_parser("figure", help="regenerate figures of the papers")
    figure.add_argument("names", nargs="*", metavar="NAME", help="such as simplex_fig6")
    figure.add_argument("--all", action="store_true", help="all figures")
    figure.add_argument("--out", default="paper_figures", help="folder (default paper_figures)")
    figure.set_defaults(run=_figure)

    doctor = verbs.add_parser("doctor", help="say what is installed and which backend would be used")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.set_defaults(run=_doctor)


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
