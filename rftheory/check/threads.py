"""Threads of linear algebra: those that wait for each other use up the CPU seconds of a run."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

LOADED = Path("/proc/self/maps")
"""Where Linux lists the libraries of this process; elsewhere only torch is told."""
NAMES = tuple(
    f"{prefix}openblas_{{}}_num_threads{suffix}" for prefix in ("scipy_", "") for suffix in ("64_", "")
)


@contextmanager
def limited_to(count: int) -> Iterator[None]:
    """In this block, OpenBLAS (as NumPy and SciPy bring it) and torch use ``count`` threads, if they are loaded.

    Examples
    --------
    >>> before = [get() for get, _ in settings()]
    >>> with limited_to(1):
    ...     {get() for get, _ in settings()} <= {1}
    True
    >>> [get() for get, _ in settings()] == before
    True
    """
    with ExitStack() as stack:
        for get, put in settings():
            stack.callback(put, get())
            put(count)
        yield


def settings() -> list[tuple[Callable[[], int], Callable[[int], Any]]]:
    """For each such library, how to read and how to set its number of threads."""
    lines = LOADED.read_text(encoding="utf-8").splitlines() if LOADED.exists() else []
    found = []
    for path in sorted({line.split(maxsplit=5)[-1] for line in lines if "openblas" in line}):
        library = ctypes.CDLL(path)  # loaded already
        name = next((n for n in NAMES if hasattr(library, n.format("set"))), None)
        if name is not None:
            found.append((getattr(library, name.format("get")), getattr(library, name.format("set"))))
    torch: Any = sys.modules.get("torch")
    if hasattr(torch, "set_num_threads"):
        found.append((torch.get_num_threads, torch.set_num_threads))
    return found
