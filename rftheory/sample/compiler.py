"""How the kernels for the CPU are compiled (extra ``fast``), and kept on disk so that no process compiles them again.

Numba's own cache knows a function by a pickle of what it closes over. Ours close over compiled functions, which have
no stable pickle, and over numbers from other files, whose changes it would not notice. Here code is known by the text
of all sources of this folder, its name, the types of its arguments, the processor and the versions.
"""

from __future__ import annotations

import logging
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, cached_property
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any
from uuid import uuid4

import llvmlite
import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract", "nsz"}}

Function = Callable[..., Any]

LOGGER = logging.getLogger("rftheory")

_SOURCES = sha256(
    b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
).hexdigest()[:16]
"""Of all that the kernels, and the numbers in them, are made from; read when they are imported."""

_DIGEST = sha256().digest_size

_OURS = "rftheory-"
"""Before the names of our files: a folder that is set may hold those of others."""


class Compiler:
    """Compiles the functions of one variant: of those that differ in more than the types of their arguments.

    The variant becomes a part of their names. Code from disk is linked by name, and Numba tells functions of one name
    apart by a number that each process counts anew: without the variant, a kernel could call a function of another.

    Examples
    --------
    >>> compiled = Compiler("by three")
    >>> @compiled
    ... def tripled(x):
    ...     return 3 * x
    >>> tripled(2), tripled.__qualname__
    (6, 'tripled, by three')
    """

    def __init__(self, variant: str) -> None:
        self.variant = variant

    def __call__(self, function: Function, **more: Any) -> Any:
        """Compile a function, at its first call, for the types of its arguments; others that are compiled call it."""
        made = self._entered(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, **more)
        if isinstance(made, CPUDispatcher):  # NUMBA_DISABLE_JIT leaves the function as it is
            made.__class__ = _Part
        return made

    def inline(self, function: Function) -> Any:
        """Make a function a part of those that call it."""
        return self(function, forceinline=True)

    def kept(self, function: Function) -> Any:
        """Compile a function with all that it calls, and keep the code on disk."""
        name = f"{function.__module__.rpartition('.')[2]}-{function.__name__}-{self.variant}"
        made = self._entered(function)
        made._cache = _Kept(name)
        return made

    def _entered(self, function: Function, **more: Any) -> Any:
        function.__qualname__ += f", {self.variant}"
        return numba.njit(**OPTIONS, **more)(function)


class _Part(CPUDispatcher):  # type: ignore[misc]
    """A function of compiled ones: entries from Python, a fifth of the compiler's work, are not made but if called."""

    def __call__(self, *arguments: Any) -> Any:
        return self._entry(*arguments)

    @cached_property
    def _entry(self) -> Any:
        return numba.njit(lambda *arguments: self(*arguments))


class _Kept(NullCache):  # type: ignore[misc]
    """The code of one function on disk; where that can be neither read nor written, it is compiled in each process."""

    def __init__(self, name: str) -> None:
        self.name = name

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the code for these types, or ``None``."""
        target.refresh()
        name = self._file_name(signature, target.codegen())
        for folder in _folders():
            with suppress(OSError):
                content = (folder / name).read_bytes()
                digest, code = content[:_DIGEST], content[_DIGEST:]
                if sha256(code).digest() == digest:
                    return CompileResult._rebuild(target, *pickle.loads(code))
        _say_once()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the code for these types in the first folder that takes it, and delete that of other sources."""
        if result.library.has_dynamic_globals:  # addresses in this process
            return
        code = dumps(result._reduce())
        name = self._file_name(signature, result.codegen)
        for folder in _folders():
            with suppress(OSError):
                _write(folder / name, sha256(code).digest() + code)
                for other in folder.glob(f"{_OURS}*.kernel*"):
                    if _SOURCES not in other.name:
                        other.unlink()
                return

    def _file_name(self, signature: Any, codegen: Any) -> str:
        settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
        versions = sys.version, numba.__version__, llvmlite.__version__
        known = repr((signature, codegen.magic_tuple(), versions, settings))
        return f"{_OURS}{self.name}.{_SOURCES}.{sha256(known.encode()).hexdigest()[:16]}.kernel"


@cache
def _say_once() -> None:
    LOGGER.info("compiling kernels for this machine, which takes some 10 s; they are kept for later runs")


def _folders() -> Iterator[Path]:
    """Where code is kept: in Numba's folder if one is set, else beside Python's own code, or in the user's cache."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(chosen)
    else:
        yield Path(cache_from_source(__file__)).parent
        yield Path(AppDirs("rftheory", appauthor=False).user_cache_dir)


def _write(path: Path, content: bytes) -> None:
    """Write a file that others see complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
