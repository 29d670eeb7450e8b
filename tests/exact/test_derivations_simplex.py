"""Every derivation of the simplex paper holds, its false printed steps are refuted, and no planted error is
proved."""

from __future__ import annotations

import dataclasses
from functools import cache

import pytest
import sympy

from rftheory.errors import NotCertified
from rftheory.exact.proof import derivation, derivations
from rftheory.exact.proof.steps import Replay, Step, replay

REFUTED = {
    "simplex.lem4.1": (),
    "simplex.thm3.2": ("(isotropy)",),
    "simplex.lem4.2": ("(56) first line",),
    "simplex.s4.chi2d": (),
    "simplex.eq21": ("(60) text",),
    "simplex.thm4.3": (),
    "simplex.cor4.4": ("(25)", "(70)", "positive everywhere"),
    "simplex.thm4.5": ("(76) from (25)",),
    "simplex.cor3.3": (),
    "simplex.cor4.6": ("(77)", "(79)", "(80) first line", "(85) first", "(86) from (77)"),
    "simplex.lemA.1": (),
    "simplex.thm3.4": ("(46)", "(48) uniquely the simplex"),
    "simplex.eq16": ("(51) minimises",),
    "simplex.s5.smallv": ("reading (a)", "reading (c)"),
    "simplex.eq4": (),
    "simplex.s3.marginal": (),
    "simplex.eq9": ("reading (b)", "Algorithm 1, reading (b)", "Algorithm 1, reading (c)"),
    "simplex.eq89": ("size",),
    "simplex.s3.increasing": (),
    "simplex.eq13": ("reading (b)",),
    "simplex.fn3": (),
    "simplex.eq17": (),
    "simplex.s3.plus": (),
    "simplex.fig5": (),
    "simplex.fig3": (),
    "simplex.added.angle": (),
    "simplex.added.fewer": (),
    "simplex.added.orthoplex": (),
    "simplex.added.block-bound": (),
    "simplex.added.more-than-2d": (),
    "simplex.added.plane": (),
    "simplex.added.plus-gain": (),
    "simplex.added.plus-shorter": (),
    "simplex.added.any-direction": (),
    "simplex.added.rff": (),
    "simplex.added.sign-changes": (),
    "simplex.added.sign-changes.plane": (),
    "simplex.zcrit.plane": ("threshold",),
    "simplex.zcrit.energy": (),
    "simplex.added.zcrit": (),
    "simplex.added.1F1": (),
    "simplex.added.growth": (),
    "simplex.added.sum-tail": (),
}


@cache
def replayed(name: str) -> Replay:
    return replay(derivation(name))


def test_the_table_names_all_derivations_of_the_paper():
    assert {name for name in derivations() if name.startswith("simplex.")} == set(REFUTED)


@pytest.mark.parametrize("name", REFUTED)
def test_holds_and_refutes_exactly_the_false_printed_steps(name):
    result = replayed(name)
    assert result.holds, result.text()
    assert [s.step.label for s in result.refuted] == [f"{name}/{label}" for label in REFUTED[name]]
    assert all(s.step.printed and s.witness for s in result.refuted)


def planted(step: Step) -> Step:
    """The same step with a wrong right side, or the wrong sign of an inequality."""
    if step.relation == "=":
        wrong = sympy.Rational(1, 7) if step.right == 0 else step.right * sympy.Rational(8, 7)
        return dataclasses.replace(step, right=wrong)
    if step.relation == "~":
        return dataclasses.replace(step, right=step.right + 1)
    return dataclasses.replace(step, relation={"<": ">", ">": "<", "<=": ">", ">=": "<"}[step.relation])


@pytest.mark.parametrize("name", REFUTED)
def test_no_planted_error_is_proved(name):
    result = replayed(name)
    for position, found in enumerate(result.steps):
        if not found.stands:
            continue
        try:
            again = result.again(position, planted(found.step))
        except NotCertified:
            continue
        assert not again.stands, planted(found.step)


def test_a_step_that_is_dropped_breaks_the_chain():
    whole = derivation("simplex.thm4.3")
    steps = tuple(s for s in whole.steps if s.label != "simplex.thm4.3/(65) Wallis")
    assert not replay(dataclasses.replace(whole, steps=steps)).holds


def test_the_derived_conformity_is_the_registered_formula():
    from rftheory.exact.conformity import angle_conformity, angle_pair_density

    assert derivation("simplex.eq21").steps[-2].right == angle_conformity.expression
    assert derivation("simplex.lem4.2").statement.right.has(
        angle_pair_density.expression.atoms(sympy.Integral).pop().function
    )
