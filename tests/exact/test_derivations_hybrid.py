"""Derivations of Hybrid Random Features: all hold, and just the steps that the source misprints are refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from rftheory.errors import NotCertified
from rftheory.exact import angular
from rftheory.exact.formula import Variable
from rftheory.exact.proof import derivation, derivations
from rftheory.exact.proof.steps import DERIVATIONS, Derivation, Step, replay
from rftheory.papers.hybrid.proofs import theorems as module

REFUTED = {
    "hybrid.txt.A-is-I": {"printed"},
    "hybrid.txt.A-is-iI": {"printed"},
    "hybrid.thm3.1.II": {"(33) text"},
    "hybrid.thm3.1.reduced": {"strict", "weak"},
    "hybrid.thmD.1.reduced": {"strict"},
    "hybrid.thm3.5.bound": {"(64) reading (a)", "(64) left side b^1", "(65)"},
    "hybrid.thmF.1.shared": {"general"},
    "hybrid.thmF.2": {"(80) reading (b)"},
    "hybrid.eq70": {"printed"},
    "hybrid.eq87": {"(87) reading (b)"},
    "hybrid.eq93": {"reading (b)"},
}
NAMES = sorted(name for name in derivations() if name.startswith("hybrid."))


@pytest.mark.parametrize("name", NAMES)
def test_every_step_is_decided(name: str) -> None:
    found = replay(derivation(name))
    assert found.holds, found.text()
    assert not found.undecided
    assert {s.step.label.partition("/")[2] for s in found.refuted} == REFUTED.get(name, set())
    assert all(s.step.printed for s in found.refuted)


def test_list_of_refuted_steps_is_complete() -> None:
    assert set(REFUTED) <= set(NAMES)
    assert len(NAMES) >= 25


def _with_last(name: str, change: object) -> Derivation:
    old = derivation(name)
    return replace(old, steps=(*old.steps[:-1], change(old.steps[-1])))  # type: ignore[operator]


@pytest.mark.parametrize(
    "name", ["hybrid.lem2.2", "hybrid.thm3.1.II", "hybrid.lem3.2", "hybrid.thmF.1", "hybrid.thm3.5.limits"]
)
def test_a_planted_factor_is_refuted(name: str) -> None:
    def double(step: Step) -> Step:
        return replace(step, left=step.left * sympy.Rational(1001, 1000), check=None)

    last = replay(_with_last(name, double)).steps[-1]
    assert last.status == "refuted"


def test_a_step_that_is_only_sampled_is_undecided() -> None:
    found = replay(_with_last("hybrid.thm3.5.pointwise", lambda step: replace(step, check=None)))
    assert found.steps[-1].status == "undecided"
    assert not found.holds


# ---- the checks of the module ------------------------------------------------------------------------------------


def _one(step: Step, *earlier: Step) -> str:
    domain = (module._quarter, module._unit)
    points = ({"t": "1/2", "share": "1/3"}, {"t": 1, "share": 1})
    try:
        return replay(Derivation("test", "", "", domain, (*earlier, step), points)).steps[-1].status
    except NotCertified:
        return "contradicted"


def test_concave_needs_the_ends_and_the_bend() -> None:
    t, end = module.t, sympy.pi / 2
    check = module.Concave(t, sympy.S.Zero, end)
    assert _one(Step("good", sympy.sin(t), 2 * t / sympy.pi, ">=", check=check)) == "proved"
    assert (
        _one(Step("steep", sympy.sin(t), t / 3, ">=", check=module.Concave(t, sympy.S.Zero, sympy.pi)))
        == "undecided"
    )
    assert _one(Step("convex", t**2, sympy.S.Zero, ">=", check=check)) == "undecided"
    assert _one(Step("false", sympy.sin(t), 3 * t / sympy.pi, ">=", check=check)) == "refuted"


def test_monotone_needs_the_inequality() -> None:
    t = module.t
    base = Step("sine", t, sympy.sin(t), ">=", check=module.Instance("lemma.sine", {module.lemmas.arc: t}))
    good = Step(
        "good", sympy.exp(2 * sympy.sin(t)), sympy.exp(2 * t), "<=", check=module.Monotone("sine", sympy.S(2))
    )
    assert _one(good, base) == "proved"
    assert _one(good) == "undecided"
    assert _one(replace(good, check=module.Monotone("sine", sympy.S(3))), base) == "undecided"


def test_matrix_identity_needs_plain_transposes() -> None:
    a, x, y = module._A, module._X, module._Y
    right = sympy.Trace(x.T * y)
    check = module.MatrixIdentity()
    plain = sympy.Trace(sympy.MatMul(x.T, a.T, sympy.Inverse(a.T), y, evaluate=False))
    assert _one(Step("plain", plain, right, check=check)) == "proved"
    conjugate = sympy.Trace(x.T * a.T * sympy.Adjoint(a).I * y)
    assert _one(Step("conjugate", conjugate, right, check=check)) == "undecided"


def test_reflection_needs_the_same_sum() -> None:
    t, low = module.t, sympy.sin(module.t)
    half = sympy.pi / 2
    base = Step("base", low, sympy.S.One, "<=", check=module.Sign())
    both = low + low.subs(t, half - t)
    assert (
        _one(Step("good", both, sympy.S(2), "<=", check=module.Reflected("base", t, half)), base) == "proved"
    )
    assert (
        _one(Step("wrong", both, sympy.S(3), "<=", check=module.Reflected("base", t, half)), base)
        == "undecided"
    )
    assert (
        _one(Step("wrong", both, sympy.S(2), "<=", check=module.Reflected("base", t, sympy.pi)), base)
        == "undecided"
    )


def test_reflection_needs_all_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where sin t >= 4/5, cos t need not be."""
    t, least, share = module.t, sympy.Rational(4, 5), sympy.Symbol("y", real=True)
    base = Step("base", -share, -least, "<=", check=module.Sign(), conditions=(sympy.Ge(share, least),))
    lemma = Derivation("lemma.large_sine", "", "", (Variable(share, "y"),), (base,), ({"y": 1},))
    monkeypatch.setitem(DERIVATIONS, lemma.id, lemma)
    large, rule = (sympy.Ge(sympy.sin(t), least),), module.Instance("lemma.large_sine", {share: sympy.sin(t)})
    at_t = Step("t", -sympy.sin(t), -least, "<=", check=rule, conditions=large)
    mirrored = module.Reflected("t", t, sympy.pi / 2)
    both = Step("both", -sympy.sin(t) - sympy.cos(t), -2 * least, "<=", check=mirrored, conditions=large)
    assert _one(at_t) == "proved"
    assert _one(both, at_t) == "refuted"


def test_a_statement_of_another_derivation_must_match() -> None:
    source = derivation("hybrid.thm3.5.pointwise").statement
    check = module.ByStatement("hybrid.thm3.5.pointwise")
    old = derivation("hybrid.thm3.5.bound")

    def last(step: Step) -> str:
        return replay(replace(old, steps=(step,))).steps[-1].status

    assert last(Step("same", source.left, source.right, "<=", check=check)) == "proved"
    assert last(Step("twice", source.left, 2 * source.right, "<=", check=check)) == "undecided"
    assert source.right == angular.angular_error_bound.expression**2
