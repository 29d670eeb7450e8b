"""Reports of a run, as text, JSON (with a versioned schema), JUnit and HTML, and the site."""

from rftheory.report.run import Report, Result

__all__ = ["Report", "Result"]
