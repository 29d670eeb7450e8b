"""Errors planted in the samplers are refuted by the sampled tests of the catalogue, at a part of their draws.

All faults on all tests: ``benchmarks/results/sampler_faults.md``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rftheory.author import Rational, gerf, orthogonal
from rftheory.judge import Budget, Kind
from rftheory.papers import CATALOGUE
from rftheory.papers.chefs.notation import sampled_mse
from rftheory.papers.hybrid.statistics import Pair, angular, sampled_error, sampled_kernel
from rftheory.papers.simplex.notation import conformity_sample, error_sample, marginal_sample, mean_sample
from rftheory.report.judging import FALSE_ALARM
from rftheory.sample import angular_hybrid
from rftheory.statement.evidence import Bench, Check, SampledMean, Slow
from tests.papers import sampler_faults
from tests.papers.sampler_faults import FAULTS, fates, planted

TESTS = CATALOGUE.sampled_tests
BENCH = Bench(Budget.of_run(FALSE_ALARM, TESTS), np, seed=3, effort=1 / 16, quick=True)
NORMS, ONE_NORM, SIGN, GAUSSIAN, ROWS, WEIGHTS = FAULTS
PAIR = Pair("0.5", "0.8", "1.1")

CASES: dict[str, tuple[Check, tuple[str, ...]]] = {
    "pair products, orthogonal": (conformity_sample("orthogonal", 5, "0.5"), (NORMS, SIGN, ROWS)),
    "pair products, independent": (conformity_sample("iid", 5, "0.5"), (NORMS, SIGN, ROWS)),
    "pair products, simplex": (conformity_sample("simplex", 5, "0.5"), (NORMS, SIGN, ROWS)),
    "marginals": (marginal_sample("simplex", 5, 4), (NORMS, GAUSSIAN)),
    "means": (mean_sample("positive", "simplex", 3, 7, "0.5"), (NORMS, WEIGHTS)),
    "errors": (error_sample("positive", "simplex", 8, 12, "0.25"), (NORMS, ONE_NORM, ROWS, WEIGHTS)),
    "errors of waves": (error_sample("trigonometric", "orthogonal", 4, 4, "1"), (NORMS, GAUSSIAN, ROWS)),
    "errors of GERF": (sampled_mse(gerf(orthogonal, m=4, A=-Rational(1, 10)), 4, "1", "1"), (NORMS, GAUSSIAN, ROWS)),
    "hybrids": (
        sampled_kernel("a hybrid", angular_hybrid(m=2, n=2), PAIR, 2, angular("1.1", 2)), (WEIGHTS,)
    ),
    "errors of hybrids": (
        sampled_error("a hybrid", angular_hybrid(m=2, n=2), PAIR, 2, angular("1.1", 2)), (NORMS,)
    ),
}  # fmt: skip
"""Every way in which the papers build a test, and the errors that it refutes at a sixteenth of its draws."""


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_sampler_is_refuted_and_the_right_one_is_not(name: str) -> None:
    check, refuting = CASES[name]
    found = fates(check.check if isinstance(check, Slow) else check, BENCH)
    assert found["none"].says == "agrees"
    missed = [fault for fault in refuting if found[fault].says not in ("refuted", "stopped")]
    assert missed == [], found


def test_every_error_is_refuted_by_a_test() -> None:
    assert {fault for _, refuting in CASES.values() for fault in refuting} == set(FAULTS)


def test_the_samplers_are_right_again_afterwards() -> None:
    check = CASES["means"][0].check
    before = check.run(BENCH).details["test"]["estimate"]
    for fault in FAULTS:
        with planted(fault):
            assert check.run(BENCH).details["test"]["estimate"] != before
        assert check.run(BENCH).details["test"]["estimate"] == before


def test_twin_a_test_that_no_error_refutes_is_reported() -> None:
    """A law so wide that nothing is far from its mean."""
    check = CASES["means"][0].check
    law = check.law()
    wide = replace(check, law=lambda: replace(law, variance=1e6 * law.variance))
    found = {"wide": fates(wide, BENCH), "right": fates(check, BENCH)}
    assert sampler_faults.uncaught(found) == ["wide"]


NOT_CAUGHT = {
    "hybrid.eq19": "angular weights: 5 % more is 24 standard errors at all of its draws, 5 at a sixteenth",
    "hybrid.mech.pointwise": "a share of draws below a quantile: 5 % more is 6 standard errors at all of its draws",
    "hybrid.mech.baselines/Halton-R": "shifted Halton points: nothing that the errors touch",
}
"""Claims with a test that none of these errors makes fail at a sixteenth of its draws, and why."""


@pytest.mark.slow
@pytest.mark.parametrize("paper", CATALOGUE.papers)
def test_every_sampled_test_of_the_catalogue_refutes_a_wrong_sampler(paper: str) -> None:
    uncaught = []
    for claim in CATALOGUE.select(paper):
        for check in claim.checks:
            inner = check.check if isinstance(check, Slow) else check
            if inner.kind is Kind.SAMPLED and sampler_faults.is_of_a_mean(inner):
                if isinstance(inner, SampledMean):
                    law = inner.law()
                    inner = replace(inner, law=lambda law=law: law)
                if claim.id not in NOT_CAUGHT and not sampler_faults.caught(inner, BENCH):
                    uncaught.append(f"{claim.id}: {getattr(inner, 'says', '')}")
    assert uncaught == []
