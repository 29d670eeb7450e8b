"""What notes declare does not outlast a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rftheory.author import forget
from rftheory.names import DECLARED_BY


@pytest.fixture
def undeclared() -> Iterator[None]:
    """Names are free again after each test."""
    before = set(DECLARED_BY)
    yield
    for _, name in set(DECLARED_BY) - before:
        forget(name)
