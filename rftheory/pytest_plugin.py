"""The pytest plugin: the fixture ``rftheory_check``, and a header line with the version.

Every run of pytest loads it wherever the package is installed: it reads nothing of the package until a test asks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rftheory import __version__


def pytest_report_header() -> str:
    """A line for the header of pytest."""
    return f"rftheory {__version__}: contracts of samplers, false-alarm probability of each at most 1e-6"


@pytest.fixture
def rftheory_check() -> Callable[..., Any]:
    """Check a target as `rftheory.check.check` does, fail unless it agrees, and return the report."""

    def checked(target: object, **options: Any) -> Any:
        from rftheory.check import check
        from rftheory.testing import require

        report = check(target, **options)
        require(report, report.decision)
        return report

    return checked
