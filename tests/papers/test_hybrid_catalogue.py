"""Every entry of the catalogue of Hybrid Random Features has claims, and they get their recorded verdicts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

from rftheory.exact.proof.steps import Step, established
from rftheory.judge import Budget, Decision
from rftheory.papers import CATALOGUE
from rftheory.papers.hybrid.statements.clustered_data import cluster_log_errors, clustered
from rftheory.papers.hybrid.statistics import (
    Pair,
    angular,
    base_moments,
    combined_moments,
    estimate_law,
    fixed_weight_errors,
    gaussian,
    window_moments,
)
from rftheory.sample import Mechanism, Stream
from rftheory.statement.evidence import Bench, Slow
from rftheory.statement.evidence.derived import mutants_of, planted

CLAIMS = CATALOGUE.select(paper="hybrid")

BENCH = Bench(Budget(1e-6, tests=1000), np, quick=True)

ENTRIES = [
    "eq1",
    "eq2",
    "eq3",
    "txt.strict",
    "def2.1",
    "def2.1.examples",
    "lem2.2",
    "lem2.2.words",
    "eq8",
    "eq9",
    "lem2.3",
    "eq12",
    "txt.endpoints",
    "lem2.4",
    "eq14",
    "eq15",
    "txt.A-is-iI",
    "txt.A-is-I",
    "eq17",
    "eq18",
    "eq19",
    "txt.zero-variance",
    "eq20",
    "txt.gauss-larger-variance",
    "fig1",
    "eq21",
    "txt.small-l",
    "txt.indicator",
    "thm3.1.I",
    "thm3.1.II",
    "thm3.1.reduced",
    "lem3.2",
    "thmD.1",
    "thmD.1.reduced",
    "thmD.1.equal",
    "def3.3",
    "txt.angle-only",
    "lem3.4",
    "thm3.5.scaling",
    "thm3.5.scaling-theta",
    "thm3.5.bound",
    "thm3.5.limits",
    "secD4.rate",
    "fig2",
    "table1",
    "fig3",
    "eq105",
    "table2",
    "eq67",
    "txt.gauss-not-both",
    "txt.F-nested",
    "eq69",
    "eq70",
    "thmF.1",
    "thmF.1.shared",
    "thmF.2",
    "fig6",
    "table3",
    "eq81",
    "eq83",
    "eq86",
    "eq87",
    "secH2.zeros",
    "eq88",
    "eq89",
    "txt.H2-variance",
    "txt.maxcentre",
    "eq93",
    "eq94",
    "defH.1",
    "defH.2",
    "txt.H3-sign",
    "secL",
    "mech.trig",
    "mech.pos",
    "mech.gauss-kernel",
    "mech.cexp",
    "mech.hrf",
    "mech.hrf-map",
    "mech.bipolar-I",
    "mech.bipolar-II",
    "mech.angular",
    "mech.gauss-lambda",
    "mech.gauss-normalised",
    "mech.nested",
    "mech.cluster-complex",
    "mech.cluster-real",
    "mech.gauss-mixture",
    "mech.zero-one-mixture",
    "mech.massive-pairs",
    "mech.cluster-data",
    "mech.pointwise",
    "mech.baselines",
    "mech.softmax-sampling",
    "mech.hybrid-attention",
]
"""The entries, in the order of the paper."""

SHARED = {"hybrid.thmF.2.shared": "hybrid.thmF.2"}
"""Statements that the catalogue of sources names inside another entry."""


def test_every_entry_has_claims_and_no_claim_is_without_entry() -> None:
    found = {SHARED.get(claim.entry, claim.entry) for claim in CLAIMS}
    assert found == {f"hybrid.{entry}" for entry in ENTRIES} | {"added"}


FAILING = [claim for claim in CLAIMS if claim.expected is Decision.FAILS]


def test_what_fails_is_quoted_and_has_a_kind_of_fault() -> None:
    assert [c.id for c in FAILING if not c.prints or c.fault is None or not c.fault.consequence] == []
    tellers = {c.fault.told_by for c in FAILING if c.fault is not None} - {""}
    assert [t for t in tellers if (fault := CATALOGUE.claims[t].fault) is None or fault.told_by] == []


def test_the_printed_bound_fails_and_its_correction_holds() -> None:
    (printed,) = (c for c in CLAIMS if c.id == "hybrid.thm3.5.bound")
    (right,) = (c for c in CLAIMS if c.id == printed.correction)
    assert printed.judge(BENCH).decision is Decision.FAILS
    assert right.judge(BENCH).decision is Decision.HOLDS


def test_every_claim_keeps_a_check_in_the_quick_run() -> None:
    assert [c.id for c in CLAIMS if all(isinstance(check, Slow) for check in c.checks)] == []


def test_failing_claims_do_not_pass_as_true_ones() -> None:
    wrong = ("hybrid.eq87/(b)", "hybrid.eq93/(b)", "hybrid.eq70", "hybrid.thmD.1.reduced/(a)")
    for claim in (c for c in CLAIMS if c.id in wrong):
        assert claim.judge(BENCH).decision is Decision.FAILS, claim.id
        right = next(c for c in CLAIMS if c.id == claim.correction)
        swapped = replace(claim, checks=right.checks)
        assert swapped.judge(BENCH).decision is Decision.HOLDS, claim.id


def test_a_right_side_of_zero_has_a_planted_error() -> None:
    step = Step("zero", sympy.Symbol("x") - sympy.Symbol("x"), sympy.S.Zero)
    assert planted(step).right == sympy.Rational(1, 100)
    assert planted(replace(step, right=sympy.S.One)).right == sympy.Rational(101, 100)


@pytest.mark.parametrize("weight", ["0", "0.3", "1"])
def test_a_fixed_weight_has_the_errors_of_its_parts(weight: str) -> None:
    """At weight 0 and 1 the statistic is that of T and P alone."""
    pair, stream = Pair("0.3", "0.4", "1"), Stream(5)
    found = fixed_weight_errors(float(weight), 3, pair)(BENCH, stream)(range(8))
    x, y = pair.vectors()
    parts = [
        Mechanism(kind, "iid", 3).estimate(
            stream.child(Mechanism(kind, "iid", 3).name), range(8), x, y, "softmax"
        )
        for kind in ("hyperbolic", "trigonometric")
    ]
    mixed = float(weight) * parts[0] + (1 - float(weight)) * parts[1]
    assert np.allclose(found, (mixed - pair.softmax) ** 2)


def test_clustered_data_follow_their_recipe() -> None:
    queries, keys = clustered(4, 0.1, 0, 1.5)
    assert [side.shape for side in (*queries, *keys)] == [(60, 50)] * 4
    assert all(np.allclose(np.linalg.norm(side, axis=1), 1.5) for side in (*queries, *keys))
    assert all(np.all(q.mean(axis=0) > 0) for q in queries)
    assert all(np.all(k.mean(axis=0) < 0) for k in keys)
    hybrid, positive, trigonometric = cluster_log_errors(queries, keys)
    assert hybrid < positive < trigonometric


def test_a_mutation_that_its_guard_contradicts_is_caught() -> None:
    """The proof of (13) by the exponential series is guarded by enclosures, which refuse every mutation."""
    done = established("hybrid.lem2.4")
    mutants, still_true = mutants_of(done, len(done.steps) - 1)
    assert len(mutants) >= 3
    assert all(caught for _, caught in mutants)
    assert still_true == ()


def test_two_ways_to_the_moments_of_a_bipolar_hybrid() -> None:
    """Sums over multi-indices against powers of series; exchanged weights give other moments."""
    pair, mixed = Pair("0.3", "0.5", "2.4"), angular("2.4", 2)
    bases = [base_moments(kind, *pair.vectors(), 3) for kind in ("hyperbolic", "trigonometric")]
    weights = [mixed(k, 0) for k in range(3)]
    law = estimate_law(pair, 3, mixed)()
    found = [float(moment) for moment in combined_moments(bases, [weights])]
    assert np.allclose(found, (1, 0, law.variance), rtol=1e-12, atol=1e-12)
    assert not np.isclose(float(combined_moments(bases[::-1], [weights])[2]), law.variance, rtol=1e-2)


def test_two_ways_to_the_moments_of_a_gaussian_coefficient() -> None:
    """A window of width 1/sigma, as the part of the normalised coefficient that is estimated."""
    pair, rho = Pair("1", "1", "1"), 1 - np.exp(-0.5)
    x, y = pair.vectors()
    found = [float(moment) for moment in window_moments("trigonometric", x / 2, y / 2, 3)]
    mixed = gaussian("1", "1", "0.5", 3)
    assert np.isclose((1 - found[1]) / rho, float(mixed(1, 0)), rtol=1e-12)
    assert np.isclose((1 - 2 * found[1] + found[2]) / rho**2, float(mixed(2, 0)), rtol=1e-12)
    assert not np.isclose(found[2], found[1] ** 2, rtol=1e-3)
