"""The script of killed runs, at a tiny size."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import killed_run

ROOT = Path(__file__).parents[2]


def test_a_killed_run_gives_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    found = killed_run.killed_run(400, 3)
    assert found["the same answer, to the bit"] is True
    assert found["the same record"] is True
    assert found["kills"] >= 1


def test_another_answer_would_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twin: the run that goes on draws something else at one block."""
    right, calls = killed_run.waves, []

    def wrong(blocks: range) -> object:
        calls.append(blocks)
        return right(blocks) + (len(calls) > 500)

    monkeypatch.setattr(killed_run, "waves", wrong)
    monkeypatch.setattr(killed_run, "killed_at", lambda record, chunks, place: False)
    found = killed_run.killed_run(400, 1)
    assert found["the same answer, to the bit"] is False
    assert found["the same record"] is False
