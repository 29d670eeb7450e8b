"""Steps of derivations as statements: what a rule has proved no search refutes, what is false as printed it does."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import sympy

from rftheory.exact.proof import Derivation, Step, derivation, derivations
from rftheory.statement.provers.derivation import statement_of
from rftheory.statement.search import search

STEPS = [(found, step) for found in derivations().values() for step in found.steps]
QUICK = [(f, s) for f, s in STEPS if not (s.left.has(sympy.Integral) or s.right.has(sympy.Integral))]
FALSE = [(f, s) for f, s in QUICK if s.check is None]
NARROW = {"hybrid.thm3.5.bound/(64) reading (a)", "hybrid.thm3.5.bound/(65)", "rff.c-form/at printed r"}
"""False only far out or in a corner of several variables, which a few points do not reach."""
CHECKED = random.Random(5).sample([(f, s) for f, s in QUICK if s.check is not None], 60)


def refuted(found: Derivation, step: Step, most: int = 12) -> bool | None:
    """Whether some points of the domain refute the step, None where it is no statement of its own."""
    statement = statement_of(found, step)
    if statement is None:
        return None
    return search(statement.parts, statement.domain, most=most, seconds=10.0).witness is not None


@pytest.mark.parametrize(("found", "step"), CHECKED, ids=[step.label for _, step in CHECKED])
def test_no_point_refutes_what_a_rule_has_proved(found: Derivation, step: Step) -> None:
    assert not refuted(found, step)


@pytest.mark.parametrize(("found", "step"), FALSE, ids=[step.label for _, step in FALSE])
def test_a_step_that_is_false_as_printed_is_refuted_unaided(found: Derivation, step: Step) -> None:
    assert refuted(found, step, most=40) is not False or step.label in NARROW


def test_most_false_steps_are_searched() -> None:
    searched = [step.label for found, step in FALSE if statement_of(found, step) is not None]
    assert len(searched) > 40


def test_a_planted_factor_is_refuted() -> None:
    found = derivation("simplex.lem4.1")
    series = next(step for step in found.steps if step.label == "simplex.lem4.1/(53) sum")
    assert refuted(found, replace(series, right=series.right * sympy.Rational(101, 100)))
