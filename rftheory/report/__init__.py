"""Reports of a run, as text, JSON (with a versioned schema), JUnit and HTML, and the site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftheory.report.run import Report, Result

__all__ = ["Report", "Result"]


def __getattr__(name: str) -> Any:
    if name in __all__:  # with all that a claim needs: a session on a device does not
        from rftheory.report import run

        return getattr(run, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
