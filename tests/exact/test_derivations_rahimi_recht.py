"""The derivations of the walk-through: what fails, what replaces it, and that a planted error is caught."""

from __future__ import annotations

import dataclasses

import pytest
import sympy

from rftheory.exact.proof import derivation, derivations, established
from rftheory.exact.proof.steps import replay
from rftheory.exact.symbols import d

PREFIXES = ("rff.", "ss15.", "yu16.", "dk24.", "ch18.")
OURS = sorted(i for i in derivations() if i.startswith(PREFIXES))

REFUTED = {
    "rff.dual-intro": {"rff.dual-intro/any w"},
    "rff.eq8": {"rff.eq8/l2"},
    "rff.ft-ode": {"rff.const-C/C", "rff.const-C/p(0)"},
    "rff.bochner": {"rff.bochner/(b)"},
    "rff.eq10": {"rff.cosproduct/printed"},
    "rff.eq14": {"rff.eq13/(b)", "rff.eq14/l2"},
    "rff.eq15": {"rff.eq15/printed"},
    "rff.diamDelta": {"rff.diamDelta/l2"},
    "rff.EL2": {"rff.EL2/l6", "rff.EL2/Gaussian"},
    "rff.eq18": {"rff.eq18/l2"},
    "rff.Lf-def": {"rff.Lf-def/printed"},
    "rff.taylor": {"rff.taylor/l2"},
    "rff.eq16": {"rff.bounds/l1", "rff.eq16/l1", "rff.eq16/l3", "rff.eq17/l2"},
    "rff.epsnet-eq": {"rff.epsnet-eq/packing", "rff.epsnet-eq/covering", "rff.packing/l1"},
    "rff.gamma-beta": {"rff.gamma-beta/l1"},
    "rff.ropt": {"rff.ropt/printed", "rff.c-form/at printed r", "rff.c-sum/l1"},
    "ch18.charm": {"ch18.charm/(a) Laplace"},
}


@pytest.mark.parametrize("identifier", OURS)
def test_derivation_holds_and_refutes_what_it_should(identifier: str) -> None:
    result = replay(derivation(identifier))
    assert result.holds, result.text()
    assert {s.step.label for s in result.refuted} == REFUTED.get(identifier, set())
    assert not result.undecided


def test_every_expected_refutation_has_its_derivation() -> None:
    assert set(REFUTED) <= set(OURS)


@pytest.mark.parametrize("identifier", ["rff.eq14", "rff.ropt", "rff.final", "ss15.var", "rff.eq8"])
def test_a_planted_factor_in_the_last_proved_step_is_not_proved(identifier: str) -> None:
    original = derivation(identifier)
    last = original.steps[-1]
    planted = dataclasses.replace(last, right=last.right * 2 + 1, relation="=")
    result = replay(dataclasses.replace(original, steps=(*original.steps[:-1], planted)))
    assert not result.holds
    assert result[last.label].status == "refuted"


@pytest.mark.parametrize(
    ("identifier", "label", "side"),
    [
        ("rff.eq15", "small d", "left"),
        ("rff.eq15", "corrected", "left"),
        ("ss15.unif-pair", "least", "right"),
    ],
)
def test_an_argument_of_finitely_many_cases_is_about_its_step_alone(
    identifier: str, label: str, side: str
) -> None:
    """The changed side is the same at the sample points of the step, or of the derivation."""
    done = established(identifier)
    number = next(n for n, s in enumerate(done.steps) if s.step.label == f"{identifier}/{label}")
    step = done.steps[number].step
    dimensions = {int(point["d"]) for point in step.points or done.derivation.points}
    change = sympy.Mul(*((d - size) ** 2 for size in dimensions)) * (-1) ** (
        step.relation == ">=" or side == "right"
    )
    assert done.steps[number].stands
    assert not done.again(
        number, dataclasses.replace(step, **{side: getattr(step, side) + 10**6 * change})
    ).stands
