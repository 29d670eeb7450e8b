"""Every entry of the catalogue of *Simplex Random Features* is judged, with the recorded verdicts."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace

import numpy as np
import pytest
from flint import arb

from rftheory.exact.coupled_blocks import (
    conformity_of,
    hadamard_fourth_moment,
    orthogonal_simplices_ball,
    point_away,
    resultant,
    simplex_vectors,
    smallest_mean_conformity,
)
from rftheory.judge import Budget, Cover, Decision
from rftheory.papers import CATALOGUE
from rftheory.papers.simplex.statistics import (
    RUNNING_PASS,
    S_X,
    _literal_pass,
    block_angles,
    residual_of,
)
from rftheory.report import Result
from rftheory.sample.fast_rotations import walsh_hadamard
from rftheory.sample.rotations import _gram_schmidt
from rftheory.sample.shapes import simplex_multiply
from rftheory.sample.simplex_plus import _length, _opposite, _resultant, _sweep, _sweep_on
from rftheory.statement.evidence import Bench, NotAtHand, Slow

ENTRIES = [
    "abs.claims",
    "abs.cost",
    "eq1",
    "eq2",
    "eq3",
    "eq4",
    "eq6",
    "s1.orf-marginals",
    "fn2",
    "def1.1",
    "s1.orf-lower",
    "s1.cited",
    "fig1",
    "s1.first-closed-form",
    "eq8",
    "s3.angle",
    "s3.marginal",
    "eq9",
    "s3.normalised",
    "fig2",
    "def3.1",
    "thm3.2",
    "s3.increasing",
    "s3.wij-smaller",
    "cor3.3",
    "thm3.4",
    "lemA.1",
    "eq12",
    "fn3",
    "s3.bruteforce",
    "eq13",
    "fn4",
    "eq14",
    "eq15",
    "eq16",
    "eq17",
    "s3.plus-asymptotic",
    "fig3",
    "fig4",
    "fig4.claims",
    "lem4.1",
    "lem4.2",
    "s4.chi2d",
    "eq21",
    "eq22",
    "thm4.3",
    "cor4.4",
    "fig5",
    "thm4.5",
    "s4.zcrit",
    "cor4.6",
    "s4.rff-limit",
    "s4.order",
    "tab1",
    "s4.space",
    "s5.ratio",
    "fig6",
    "s5.smallv",
    "s5.prefactor",
    "fig7",
    "s5.regression",
    "fig10",
    "fig8",
    "tab2",
    "fig9",
    "alg1",
    "sB.fast-simrf",
    "eq89",
    "tab3",
    "mech.rff",
    "mech.prf",
    "mech.iidrf",
    "mech.orf",
    "mech.simrf",
    "mech.simrfplus",
    "mech.numopt",
    "mech.fast",
]
"""Labels of the entries of the catalogue of the source."""

CLAIMS = CATALOGUE.select(paper="simplex")
BENCH = Bench(Budget(1e-6, tests=CATALOGUE.sampled_tests), np, effort=0.05, quick=True)


def test_every_entry_has_claims_and_every_claim_an_entry() -> None:
    assert len(ENTRIES) == len(set(ENTRIES)) == 77
    assert {claim.entry for claim in CLAIMS} - {"added"} == {f"simplex.{label}" for label in ENTRIES}


def test_printed_results_and_errata_are_told_apart() -> None:
    wrong = {claim.id for claim in CLAIMS if claim.expected is Decision.FAILS}
    for label in (
        "thm3.4/(46)",
        "thm3.4/(48)",
        "eq16",
        "cor4.6/(77)",
        "cor4.6/(79)",
        "cor4.6/(80)",
        "cor4.6/(85)",
        "cor4.6/(86) from (77)",
        "eq21/(60)",
        "thm4.5/(76) from (25)",
        "cor4.4",
        "lem4.2/(56)",
    ):
        assert f"simplex.{label}" in wrong
    assert all("correct" in c.source for c in CLAIMS if c.id.endswith((".corrected", " corrected")))


def test_added_results_have_evidence_over_their_domain() -> None:
    added = {claim.id.removeprefix("simplex.added.") for claim in CLAIMS if claim.entry == "added"}
    assert added >= {
        "1F1",
        "even-orf",
        "even-simrf",
        "rff-law",
        "rff-worse",
        "fewer",
        "orthoplex",
        "sign-changes",
        "zcrit-digits",
    }
    assert all(c.expected is Decision.HOLDS for c in CLAIMS if c.entry == "added")


def test_undecided_is_what_needs_data_that_are_not_at_hand_or_is_seen_at_points_alone() -> None:
    for claim in CLAIMS:
        blocked = any(isinstance(check, NotAtHand) for check in claim.checks)
        covered = any(Cover.of(check.covers).whole for check in claim.checks)
        assert (blocked or not (covered or claim.expected is Decision.FAILS)) is (
            claim.expected is Decision.UNDECIDED
        ), claim.id


def test_a_quick_run_keeps_evidence_for_every_claim() -> None:
    assert [c.id for c in CLAIMS if all(isinstance(check, Slow) for check in c.checks)] == []


@pytest.mark.parametrize(
    "part",
    [
        "s3.",
        "thm3.4",
        "lemA.1",
        "eq1",
        "fig",
        "tab",
        "s5.regression",
        "mech.",
        "added.zcrit-digits",
        "added.rff-better",
        "added.running-sum",
    ],
)
def test_verdicts_are_the_recorded_ones(part: str) -> None:
    found = [c for c in CLAIMS if c.id.startswith(f"simplex.{part}")]
    assert found
    for claim in found:
        verdict = claim.judge(BENCH)
        assert Result(claim, verdict).as_recorded, (claim.id, verdict.reason)
        assert not any(piece.control is False for piece in verdict.evidence), claim.id


def test_a_wrong_twin_does_not_get_the_verdict() -> None:
    """The evidence of a statement that fails does not make one that holds, nor the other way round."""
    by_id = {claim.id: claim for claim in CLAIMS}
    for first, second in (
        ("simplex.eq16", "simplex.eq16.corrected"),
        ("simplex.eq13/(b)", "simplex.eq13/(a)"),
    ):
        exchanged = replace(by_id[first], checks=by_id[second].checks)
        assert exchanged.judge(BENCH).decision is not by_id[first].expected


def test_couplings_of_known_norms() -> None:
    start = simplex_vectors([2, 3, 4])
    assert resultant(point_away(start, 5)) < resultant(start)
    assert resultant(point_away(start, 5, simultaneous=True)) > resultant(start)
    loop = [[arb(2), arb(0)], [arb(-2), arb(0)]]
    assert resultant(loop) == 0
    assert conformity_of(2, arb(1), loop) == 1
    norms = [arb(n) for n in (2, 3, 4)]
    assert smallest_mean_conformity(3, arb(1), norms) < conformity_of(3, arb(1), start)


def test_more_and_fewer_vectors() -> None:
    assert hadamard_fourth_moment(4, 3) != hadamard_fourth_moment(2, 3)
    assert orthogonal_simplices_ball(3, 1, arb(1)) < arb(1).exp()


def test_statistics_of_blocks() -> None:
    assert block_angles("simplex", 3, 7, -0.5)
    assert not block_angles("simplex", 3, 7, 0.0)
    assert residual_of([1.0, 1.1, 1.2], 20) < residual_of([1.0, 1.0, 2.0], 20)
    assert [S_X(n).expression for n in (2, 4)] == [4, 10]
    assert RUNNING_PASS(4).expression == 164


def _switches(*programs: object) -> list[str]:
    """Branches and numbers above 2: what another formula beyond the counted sizes would need."""
    nodes = [node for program in programs for node in ast.walk(ast.parse(inspect.getsource(program)))]
    branches = [ast.unparse(node) for node in nodes if isinstance(node, ast.If | ast.Match | ast.Try)]
    numbers = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, int)]
    return branches + [str(number) for number in numbers if number > 2]


def _switching(d: int) -> int:
    return 3 * d - 2 if d <= 32 else d * d


def test_counted_programs_have_no_switch_that_the_counted_sizes_do_not_show() -> None:
    sweep = (_sweep, _sweep_on, _resultant, _opposite, _length)
    assert not _switches(simplex_multiply, walsh_hadamard, _gram_schmidt, *sweep, _literal_pass)
    assert _switches(_switching)
