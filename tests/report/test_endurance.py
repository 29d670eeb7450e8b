"""The script of long runs, at a tiny size: what it must report it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import endurance
from rftheory.errors import InvalidInput
from rftheory.sample import Stream
from rftheory.statement.evidence import Bench, Difference, Law, NotAtHand, Range, SampledMean, SampledOrder


def normal(mean: float) -> Callable[[Bench, Stream], Callable[[range], Any]]:
    return lambda bench, stream: lambda blocks: stream.normals(blocks, 1)[:, 0] + mean


def mean_check(says: str, mean: float = 0.0) -> SampledMean:
    return SampledMean(says, normal(mean), lambda: Law(0.0, 1.0), lambda law: replace(law, mean=1.0), 4096)


def order_check(says: str, mean: float) -> SampledOrder:
    return SampledOrder(says, Difference(normal(mean), lambda: Range(-9.0, 9.0, 1e-9, 1e-9)), 4096)


@pytest.fixture(scope="module")
def checks() -> list[Any]:
    return [
        endurance.Named("good", mean_check("good")),
        endurance.Named("false alarm", mean_check("alarm", 0.5)),
        endurance.Named(
            "missed", mean_check("missed", 4.5 / 64)
        ),  # as many errors on the side of the planted one
        endurance.Named("order", order_check("order", -0.5)),
        endurance.Named("false order", order_check("false order", 0.5), false=True),
        endurance.Named("open", NotAtHand("no data")),
    ]


def run(checks: list[Any], record: Path, keys: range, seconds: float = 60.0) -> Any:
    return endurance.run(checks, keys, record, effort=1.0, tests=len(checks), seconds=seconds)


def test_false_alarms_missed_errors_and_open_checks_are_reported(checks: list[Any], tmp_path: Path) -> None:
    found = endurance.summary(checks, run(checks, tmp_path / "r.jsonl", range(3)))
    assert (found["keys"], found["tests"]) == (3, 18)
    assert found["false alarms"] == [[key, "false alarm"] for key in range(3)]
    assert found["undecided"] == {"open": 3}
    assert {name for _, name in found["planted at the stated size"]["missed"]} == {"missed"}
    assert found["false statements"] == {"tests": 3, "refuted": 3}
    assert found["planted at the stated size"]["tests"] == 12  # means and orders that agree
    assert found["megabytes"]["largest"] > 10
    text = endurance.table(found, 1.0, 3)
    assert "| false alarms | 3 (false alarm (key 0), false alarm (key 1), false alarm (key 2)) |" in text


def test_a_true_catalogue_gives_nothing_to_report(checks: list[Any], tmp_path: Path) -> None:
    keys = run(checks[:1], tmp_path / "r.jsonl", range(40))
    found = endurance.summary(checks[:1], keys)
    assert (found["false alarms"], found["undecided"]) == ([], {})
    assert found["planted at the stated size"] == {"tests": 40, "missed": []}
    assert found["z"]["number"] == 40
    assert found["z"]["KS p"] > 1e-6
    assert abs(found["z"]["standard deviation"] - 1) < 0.6


def test_z_is_the_error_in_exact_standard_errors(checks: list[Any], tmp_path: Path) -> None:
    (row,) = run(checks[:1], tmp_path / "r.jsonl", range(7, 8))[7].rows
    stream = Bench(None, np, seed=7, quick=True).stream("good")  # type: ignore[arg-type]
    assert row[3] == pytest.approx(stream.normals(range(4096), 1).mean() * 64, rel=1e-9)


def test_a_shift_of_all_draws_shows_in_the_distribution() -> None:
    z = np.random.default_rng(1).standard_normal(2000)
    right, shifted = (endurance._against_normal(values) for values in (z, z + 0.2))
    assert right["KS p"] > 1e-3 > 1e-6 > shifted["KS p"]
    assert right["tails"]["2"]["above"] + right["tails"]["2"]["below"] == (np.abs(z) > 2).sum()


def test_a_run_goes_on_where_it_stopped(checks: list[Any], tmp_path: Path) -> None:
    record, whole = tmp_path / "part.jsonl", tmp_path / "whole.jsonl"
    assert run(checks, record, range(4), seconds=0.0) == {}
    run(checks, record, range(2))
    before = record.read_bytes()
    both = run(checks, record, range(4))
    assert record.read_bytes().startswith(before)
    once = run(checks, whole, range(4))
    assert [found.rows for found in both.values()] == [found.rows for found in once.values()]


def test_the_record_of_other_checks_is_refused(checks: list[Any], tmp_path: Path) -> None:
    run(checks[:1], tmp_path / "r.jsonl", range(1))
    with pytest.raises(InvalidInput, match="record of another job"):
        run(checks[:2], tmp_path / "r.jsonl", range(1))
