"""Runs of the checker end by CPU time here: how long one goes on must not depend on what else the machine does."""

from __future__ import annotations

import time

import pytest

from rftheory.check import run


@pytest.fixture(autouse=True)
def _cpu_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "CLOCK", time.process_time)
