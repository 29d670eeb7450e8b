"""Reports of a run of the catalogue: text, JSON (versioned schema), JUnit."""

from rftheory.report.run import Report, Result

__all__ = ["Report", "Result"]
