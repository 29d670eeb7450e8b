"""Claims that are steps of derivations, proved or refuted: what they say is what is checked."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from rftheory.errors import UnknownName
from rftheory.exact.proof import derivation
from rftheory.judge import Budget, Decision
from rftheory.papers import CATALOGUE
from rftheory.papers.steps import proved_step, refuted_step
from rftheory.statement.domain import corners
from rftheory.statement.evidence import Bench, FailingStep, ProvedStep

BY_STEP = [
    claim
    for claim in CATALOGUE.claims.values()
    if claim.object is not None and all(isinstance(check, ProvedStep | FailingStep) for check in claim.checks)
]


def test_they_say_what_is_checked() -> None:
    assert len(BY_STEP) > 120
    for claim in BY_STEP:
        assert claim.relations
        assert all(relation.latex in claim.statement for relation in claim.relations), claim.id
        assert claim.object is not None
        assert len(claim.object.parts) == len(claim.checks)


def test_a_step_that_the_source_prints_wrongly_does_not_hold() -> None:
    """The words come with the evidence: no text can be put beside a step that says something else."""
    false = proved_step("n.a", "ours", "simplex.thm3.4", "simplex.thm3.4/(46)")
    assert false.judge(Bench(Budget(1e-6), np)).decision is Decision.FAILS


def test_a_step_that_is_right_is_not_refuted() -> None:
    right = refuted_step("n.a", "ours", "simplex.thm3.4", "simplex.thm3.4/(46) squared")
    assert right.judge(Bench(Budget(1e-6), np)).decision is not Decision.FAILS


def test_steps_of_several_derivations_and_other_evidence() -> None:
    cited = CATALOGUE.claims["rff.eq9"]
    kinds = [type(check).__name__ for check in cited.checks]
    assert kinds == ["ProvedStep", "ProvedStep", "Textbook", "Identity"]
    assert len({check.derivation for check in cited.checks if isinstance(check, ProvedStep)}) == 2


def test_unknown_steps_are_refused() -> None:
    with pytest.raises(UnknownName, match=r"unknown step of simplex.lem4.1 'simplex.lem4.1/\(99\)'"):
        _ = proved_step("n.a", "ours", "simplex.lem4.1", "simplex.lem4.1/(99)").statement


def test_several_steps_are_one_statement() -> None:
    claim = CATALOGUE.claims["simplex.s3.wij-smaller"]
    assert len(claim.checks) == 2
    assert claim.object is not None
    assert {symbol.name for symbol in claim.object.domain.symbols} >= {"d", "w_i", "w_j"}


def test_sums_of_the_same_values_are_stated_and_not_searched() -> None:
    """Of a few vectors no value of one sum goes with every value of another."""
    claim = CATALOGUE.claims["simplex.lemA.1/(39) first"]
    assert claim.object is not None
    domain = claim.object.domain
    assert str(domain) == "m >= 2, P, C"
    assert domain.is_infinite
    assert not list(corners(domain, 1))
    assert not domain.contains(dict.fromkeys(claim.object.claim.parts[0].free_symbols, sympy.Integer(2)))


def test_words_stand_before_what_is_judged() -> None:
    """Tail bounds rest on lemmas, which alone would not say what is bounded."""
    claim = CATALOGUE.claims["chefs.thm4.2.corrected"]
    words, _, steps = claim.statement.partition("; in steps: ")
    assert words.startswith(r"$\mathbb P[")
    assert "top" in steps
    assert claim.conditions.startswith("A < 0, s = +1, any eps > 0, any M; ")


def test_a_derivation_without_named_steps_says_what_it_concludes() -> None:
    whole = proved_step("n.a", "ours", "simplex.lem4.2")
    last = derivation("simplex.lem4.2").statement.label
    assert whole.relations == proved_step("n.a", "ours", "simplex.lem4.2", last).relations
    assert [type(check).__name__ for check in whole.checks] == ["Derived"]


def test_words_decide_whether_infinitely_many_things_are_stated() -> None:
    """One number refutes what is said of every kernel."""
    number = refuted_step("n.a", "ours", "rff.eq16", "rff.bounds/l1")
    assert not number.is_infinite
    assert refuted_step("n.a", "ours", "rff.eq16", "rff.bounds/l1", statement="0 <= k <= 1").is_infinite


def test_equality_up_to_an_order_is_a_statement_with_its_rest() -> None:
    claim = CATALOGUE.claims["simplex.cor4.6/(81)"]
    assert claim.object is not None
    assert "O(d**(-2))" in str(claim.object)
