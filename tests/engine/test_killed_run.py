"""The script of killed runs, at a tiny size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script(benchmark_script: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_script("killed_run")


def test_a_killed_run_gives_the_same_answer(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    found = script.killed_run(400, 3)
    assert found["the same answer, to the bit"] is True
    assert found["the same record"] is True
    assert found["kills"] >= 1


def test_another_answer_would_be_told(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twin: the run that goes on draws something else at one block."""
    right, calls = script.waves, []

    def wrong(blocks: range) -> object:
        calls.append(blocks)
        return right(blocks) + (len(calls) > 500)

    monkeypatch.setattr(script, "waves", wrong)
    monkeypatch.setattr(script, "killed_at", lambda record, chunks, place: False)
    found = script.killed_run(400, 1)
    assert found["the same answer, to the bit"] is False
    assert found["the same record"] is False
