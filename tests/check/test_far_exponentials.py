"""exp(w.v) at the longest v that the number of rows allows, where a Student t with 30 degrees of freedom shows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special, stats

from benchmarks.planted.defects import Sampler, independent, orthogonal
from benchmarks.planted.invented import student
from rftheory.check.findings import Finding, Level
from rftheory.check.measures import Case, MatrixMeasures
from rftheory.check.properties import unbiasedness
from rftheory.judge import Outcome

LEVEL = Level(1e-9, final=False)


def found(sampler: Sampler, coupling: str, calls: int, level: Level = LEVEL) -> list[Finding]:
    """The tests of exponentials of that many calls with 64 rows in two dimensions."""
    measures = MatrixMeasures(Case.of(2, 64, coupling, "", "gaussian", 1.0, 0))
    for start in range(0, calls, 512):
        measures.see(np.stack([sampler(64, 2, start + i) for i in range(512)]))
    return [f for f in unbiasedness.of_matrices(measures, level) if "w.v <=" in f.test]


@pytest.mark.parametrize(("sampler", "coupling"), [(independent, "iid"), (orthogonal, "orthogonal")])
def test_correct_rows_agree_with_power(sampler: Sampler, coupling: str) -> None:
    tests = found(sampler, coupling, 4096)
    assert len(tests) == 4
    assert all(f.outcome is Outcome.AGREES for f in tests)


def test_a_student_law_with_thirty_degrees_of_freedom_is_refuted() -> None:
    tests = found(student, "iid", 8192)
    along = [f for f in tests if "e_1" in f.test]
    assert len(along) == 2
    assert all(f.outcome is Outcome.REFUTED for f in along)


def test_the_length_follows_rows_and_goal() -> None:
    lengths = [unbiasedness.reach(1 << k, 1e-9, 0.25) for k in range(8, 24, 2)]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1]
    assert unbiasedness.reach(1 << 20, 1e-9, 0.02) < unbiasedness.reach(1 << 20, 1e-9, 0.25)
    assert unbiasedness.reach(1 << 16, 1e-12, 0.25) <= unbiasedness.reach(1 << 16, 1e-6, 0.25)


def test_the_mean_of_the_cut_exponential() -> None:
    for v in (1.0, 2.7):
        edge = v + unbiasedness.BEYOND
        value, _ = integrate.quad(lambda s, v=v: np.exp(s * v - v * v / 2) * stats.norm.pdf(s), -12, edge)
        assert value == pytest.approx(float(special.ndtr(unbiasedness.BEYOND)), rel=1e-9)


def test_a_small_goal_is_decided_with_more_draws() -> None:
    tests = found(independent, "iid", 1 << 14, Level(1e-9, final=False, goal=0.1))
    assert all(f.outcome is Outcome.AGREES for f in tests)
    assert all(f.detectable <= f.goal == 0.1 for f in tests)
