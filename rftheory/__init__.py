"""rftheory: a referee for the theory of random features."""

from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"

PARTS = ("author", "check", "choose", "exact", "sample", "testing")
"""What users import; each is loaded when it is first asked for, so that ``import rftheory`` costs nothing."""


def __getattr__(name: str) -> ModuleType:
    if name in PARTS:
        return import_module(f"rftheory.{name}")
    raise AttributeError(f"module 'rftheory' has no attribute {name!r}; it has {', '.join(PARTS)}")


def __dir__() -> list[str]:
    return sorted({*globals(), *PARTS})
