"""Every entry of the catalogue of Chefs' Random Tables has claims, and they get their recorded verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from flint import arb

from rftheory.exact.symbols import d
from rftheory.exact.truth import larger, negated, together
from rftheory.judge import Budget, Decision
from rftheory.papers import CATALOGUE
from rftheory.papers.beyond.exponential_maps import saving
from rftheory.papers.chefs.notation import below
from rftheory.papers.chefs.statistics import (
    EXACT,
    OPERATOR,
    PAIRS,
    PREDICTION,
    PRODUCTS,
    L,
    M,
    N,
    attention_deviation,
    attention_failure,
    discrete_deviation,
    map_deviation,
    mean_gain_floor,
    oprf_shape,
    pair_of,
    recipe_deviation,
    recipe_shortfall,
    shifted_pair,
    single_gerf_law,
)
from rftheory.papers.claim import stated
from rftheory.report import Result
from rftheory.statement.evidence import Bench

CLAIMS = CATALOGUE.select(paper="chefs")

BENCH = Bench(Budget(1e-6, tests=1000), np, quick=True)

ENTRIES = [
    "abs",
    "intro.trig",
    "intro.denominator",
    "intro.favor+",
    "intro.e60",
    "fig1.right",
    "eq1",
    "eq2",
    "2.1.cost",
    "2.1.var",
    "2.1.sfm",
    "2.2.trig",
    "2.2.pos",
    "2.2.pos-var",
    "eq3",
    "2.3.cost",
    "2.3.stability",
    "eq4",
    "3.1.special",
    "thm3.1",
    "thm3.2",
    "3.1.open",
    "thm3.3",
    "3.3.A-negative",
    "3.3.limit",
    "3.3.gain",
    "3.1.positive",
    "3.1.averages",
    "eq8",
    "3.1.cost",
    "eq9",
    "eq10",
    "3.2.pois",
    "thm3.4",
    "3.2.lambda",
    "eq12",
    "3.2.geom",
    "thm3.5",
    "eq14",
    "3.2.geom-cost",
    "3.2.shift",
    "thm4.1",
    "4.note-trig",
    "4.bounded",
    "4.legendre",
    "thm4.2",
    "thm4.3",
    "fig2",
    "5.1.outperform",
    "5.1.gerf-trig",
    "5.1.oprf-pos",
    "5.2.regression",
    "tab1",
    "5.2.outcome",
    "tab2",
    "5.3.speech",
    "5.3.vision",
    "mech.trig",
    "mech.pos",
    "mech.gerf",
    "mech.oprf",
    "mech.dirf",
    "mech.pois",
    "mech.geom",
    "mech.plus",
    "mech.ort",
    "mech.favor+",
    "mech.favor++",
]
"""The entries, in the order of the paper."""


REPLAYED = ("chefs.thm4.1/any-M", "chefs.thm4.2/a")
"""Refuted by a derivation, which the tests of derivations replay."""


def test_every_entry_has_claims_and_every_claim_an_entry() -> None:
    found = list(dict.fromkeys(c.entry for c in CLAIMS if c.entry != "added"))
    assert found == [f"chefs.{entry}" for entry in ENTRIES]


# The claims that are cheap to judge, those that fail and those that stay undecided among them.
@pytest.mark.parametrize(
    "claim",
    [c for c in CLAIMS if c.expected is not Decision.HOLDS and c.id not in REPLAYED],
    ids=lambda c: c.id,
)
def test_what_does_not_hold_gets_its_recorded_verdict(claim) -> None:  # type: ignore[no-untyped-def]
    verdict = claim.judge(BENCH)
    assert Result(claim, verdict).as_recorded, verdict.reason
    assert not any(piece.control is False for piece in verdict.evidence)


HOLDING = (
    "chefs.intro.e60",
    "chefs.eq2",
    "chefs.2.1.cost",
    "chefs.eq3",
    "chefs.3.1.special",
    "chefs.eq8",
    "chefs.4.legendre",
    "chefs.eq12",
    "chefs.eq14",
    "chefs.3.2.shift",
    "chefs.thm4.2/sharp",
    "chefs.thm4.2/where",
    "chefs.tab1/averages",
    "chefs.5.2.outcome",
    "chefs.tab2/b",
    "chefs.mech.oprf",
    "chefs.mech.favor+",
    "chefs.added.best-law/common-rate",
)


@pytest.mark.parametrize("name", HOLDING)
def test_cheap_claims_hold(name: str) -> None:
    (claim,) = (c for c in CLAIMS if c.id == name)
    verdict = claim.judge(BENCH)
    assert verdict.decision is Decision.HOLDS, verdict.reason
    assert not any(piece.control is False for piece in verdict.evidence)


def test_a_wrong_record_is_noticed() -> None:
    (claim,) = (c for c in CLAIMS if c.id == "chefs.thm4.3")
    wrong = replace(claim, expected=Decision.HOLDS)
    assert wrong.judge(BENCH).decision is not wrong.expected


def test_truths_that_are_not_decided_stay_open() -> None:
    ball = arb(1, 0.5)
    assert larger(ball, 1) is None
    assert below(ball, "1") is None
    assert negated(None) is None
    assert (larger(ball, 2), larger(ball, 0), below(ball, "2")) == (False, True, True)
    assert (together([True, None]), together([None, False]), together([True])) == (None, False, True)


@pytest.mark.parametrize(
    "too_low",
    [
        OPERATOR(L, d, M, d) <= 99 * L * d, PAIRS(L, d) <= 99 * L * d, PRODUCTS(L, d) <= 99 * L,
        PREDICTION(d, M, N) <= 99 * M * N, EXACT(L, d, 1) <= 9 * L**2,
    ],
    ids=str,
)  # fmt: skip
def test_orders_that_are_too_low_are_refuted(too_low: Any) -> None:
    assert stated("n.order", "ours", too_low).judge(BENCH).decision is Decision.FAILS


def test_maps_are_the_printed_ones() -> None:
    for right, wrong in (
        (attention_deviation(1.0), attention_deviation(1.01)),
        (map_deviation("positive", 1.0), map_deviation("positive", 1.01)),
        (discrete_deviation("poisson", 0.5), discrete_deviation("poisson", 0.51)),
        (discrete_deviation("geometric", 0.5), discrete_deviation("geometric", 0.51)),
    ):
        assert right < arb("1e-12") < arb("1e-6") < wrong


def test_pairs_have_the_wanted_lengths() -> None:
    x, y = pair_of("0.6", "1/4", 4)
    assert np.linalg.norm(x + y) == pytest.approx(0.6)
    assert np.linalg.norm(x - y) == pytest.approx(0.25)


def test_laws_are_those_of_small_cases() -> None:
    law = single_gerf_law("0", -1, 4, "0.5", "1")()
    assert law.mean == pytest.approx((1 - np.exp(-1)) ** 2 / 2)
    assert float(oprf_shape(1, arb(0))) == 0


def test_floors_of_the_mean_gain_lie_below_it() -> None:
    exact = 84.121935
    # the gain grows by less than |x + y|^2 does, so that a lower sum loses less than one of the cuts, 128/48 here
    assert exact - 128 / 48 < float(mean_gain_floor(64, 0, 48)) < exact
    assert mean_gain_floor(64, 0, 12) < mean_gain_floor(64, 0, 48)


def test_parameters_by_the_recipes() -> None:
    assert recipe_deviation(1.0) < arb("1e-12") < arb("1e-4") < recipe_deviation(1.01)
    assert abs(float(recipe_shortfall(4, "4", "1"))) < 1e-6


def test_the_sign_with_the_smaller_variance_is_found() -> None:
    assert float(saving(64, "64", "1/4")) == pytest.approx(33.562, abs=1e-3)
    assert saving(4, "4", "4").is_zero()


def test_shifted_entries_are_positive() -> None:
    assert shifted_pair(0.0)
    assert not shifted_pair(0.125)


def test_failure_needs_too_few_features() -> None:
    assert attention_failure(4, "100", "1e6") > 0.3
    assert attention_failure(64, "10", "1") == 0
