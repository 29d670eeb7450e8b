"""Exact computations of the walk-through of Rahimi and Recht."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rftheory.errors import NotCertified
from rftheory.exact.search import Maximum, certified_maximum
from rftheory.papers.rahimi_recht import statistics


def test_slopes_are_those_of_the_only_maximiser(monkeypatch: pytest.MonkeyPatch) -> None:
    """A place among several that are possible is not taken for it."""
    assert all(height.rad() < 1e-12 for height, _, _ in statistics.steepest())

    def without_uniqueness(*given: Any, **options: Any) -> Maximum:
        return replace(certified_maximum(*given, **options), point=None)

    monkeypatch.setattr(statistics, "certified_maximum", without_uniqueness)
    statistics.steepest.cache_clear()
    with pytest.raises(NotCertified, match="maximiser"):
        statistics.steepest()
    statistics.steepest.cache_clear()
