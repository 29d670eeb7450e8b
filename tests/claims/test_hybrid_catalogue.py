"""Every entry of the catalogue of Hybrid Random Features has claims, and they get their recorded verdicts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rftheory.claims.evidence import Bench, Slow
from rftheory.claims.hybrid import CLAIMS
from rftheory.judge import Budget, Decision

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
    "eq67",
    "txt.gauss-not-both",
    "txt.F-nested",
    "eq69",
    "eq70",
    "thmF.1",
    "thmF.1.shared",
    "thmF.2",
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
]
"""The entries, in the order of the paper."""

SHARED = {"hybrid.thmF.2.shared": "hybrid.thmF.2"}
"""Statements that the catalogue of sources names inside another entry."""

LONG = ("hybrid.thm3.5", "hybrid.txt.strict", "hybrid.added.near", "hybrid.added.asym", "hybrid.def3.3")
"""Beginnings of ids whose claims need maxima over a sphere; one of them is judged here."""


def test_every_entry_has_claims_and_no_claim_is_without_entry() -> None:
    found = {SHARED.get(claim.entry, claim.entry) for claim in CLAIMS}
    assert found == {f"hybrid.{entry}" for entry in ENTRIES} | {"added"}


CHEAP = [claim for claim in CLAIMS if not claim.id.startswith(LONG)]


@pytest.mark.parametrize("claim", CHEAP, ids=lambda claim: claim.id)
def test_verdicts_are_the_recorded_ones(claim) -> None:  # type: ignore[no-untyped-def]
    verdict = claim.judge(BENCH)
    assert verdict.decision is claim.expected, verdict.reason
    assert all(evidence.control is not False for evidence in verdict.evidence)


def test_the_printed_bound_fails_and_its_correction_holds() -> None:
    (printed,) = (c for c in CLAIMS if c.id == "hybrid.thm3.5.bound")
    (right,) = (c for c in CLAIMS if c.id == printed.correction)
    assert printed.judge(BENCH).decision is Decision.FAILS
    assert right.judge(BENCH).decision is Decision.HOLDS


def test_every_claim_keeps_a_check_in_the_quick_run() -> None:
    assert [c.id for c in CLAIMS if all(isinstance(check, Slow) for check in c.checks)] == []


def test_a_wrong_twin_is_not_confirmed() -> None:
    """The evidence of a statement that holds does not support its correction's opposite, and the other way round."""
    for claim in CLAIMS:
        if claim.id in ("hybrid.eq87/(b)", "hybrid.eq93/(b)", "hybrid.eq70", "hybrid.thmD.1.reduced/(a)"):
            twin = replace(claim, expected=Decision.HOLDS)
            assert twin.judge(BENCH).decision is Decision.FAILS
