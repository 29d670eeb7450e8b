"""rftheory: a referee for the theory of random features."""

import os
from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"

# By default sympy forgets all but its last 1,000 results. Statements share most of their parts.
os.environ.setdefault("SYMPY_CACHE_SIZE", str(2**16))

PARTS = ("author", "check", "choose", "exact", "sample", "testing")
"""What users import; each is loaded when it is first asked for, so that ``import rftheory`` costs nothing."""


def __getattr__(name: str) -> ModuleType:
    if name in PARTS:
        return import_module(f"rftheory.{name}")
    raise AttributeError(f"module 'rftheory' has no attribute {name!r}; it has {', '.join(PARTS)}")


def __dir__() -> list[str]:
    return sorted({*globals(), *PARTS})
