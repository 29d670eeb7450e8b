"""Textbook facts with their proofs: every step is proved, nothing is taken for granted, and changes are not proved."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy
from sympy import Function, Sum, Symbol, hyper

from rftheory.errors import InvalidInput
from rftheory.exact.evaluate import evaluate
from rftheory.exact.proof import derivation, textbook
from rftheory.exact.proof.rules import Antiderivative, Inside, Rewrite, Sign, Use
from rftheory.exact.proof.steps import DERIVATIONS, Scope, Step, replay
from rftheory.statement.evidence.derived import planted

FACTS = ("linearity", "kronecker", "associative", "variance", "independent", "disjoint", "plane", "cauchy_schwarz",
    "cauchy_schwarz_means", "triangle", "segment", "taylor", "jensen_log", "kummer")  # fmt: skip
t, n = Symbol("t", real=True), Symbol("n", integer=True, positive=True)
i, j = sympy.symbols("i j", integer=True, positive=True)
f, g, h = Function("f", real=True), Function("g", nonnegative=True), Function("h")


@pytest.mark.parametrize("name", FACTS)
def test_every_step_is_proved_and_no_changed_step_is(name: str) -> None:
    done = replay(derivation(f"lemma.{name}"))
    assert done.holds, done.text()
    assert not done.assumes
    for number, step in enumerate(done.steps):
        assert step.status == "proved"
        assert not done.again(number, planted(step.step)).stands, step.step.label


def test_every_fact_is_tested() -> None:
    here = {name for name, found in DERIVATIONS.items() if found.source == textbook.SOURCE}
    assert here == {f"lemma.{name}" for name in FACTS}


WRONG = {
    "the sum of products is not the product of sums": Step("", Sum(f(i) * g(i), (i, 1, n)),
        Sum(f(i), (i, 1, n)) * Sum(g(j), (j, 1, n)), check=Inside()),
    "a function is not its neighbour": Step("", f(t + 1), f(t), check=Rewrite("simplify")),
    "a real function has both signs": Step("", f(t), sympy.S.Zero, ">=", check=Sign()),
    "the square of a complex function has no sign": Step("", h(t) ** 2, sympy.S.Zero, ">=", check=Sign()),
    "a slope has a factor": Step("", sympy.Integral(sympy.diff(f(2 * t), t), (t, 0, 1)), 2 * (f(2) - f(0)),
        check=Antiderivative(2 * f(2 * t))),
    "Kummer needs the difference": Step("", hyper((3,), (2,), t), sympy.exp(t) * hyper((1,), (2,), -t),
        check=Use("lemma.kummer", {textbook.TOP: sympy.S.One, textbook.SHAPE.symbol: sympy.Integer(2)})),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_hold_for_all_functions_is_not_proved(what: str) -> None:
    step = WRONG[what]
    scope = Scope("", {}, ({t: sympy.Rational(1, 3), n: sympy.Integer(3)},))
    assert step.check is not None
    assert step.check(step, scope).status != "proved"


def test_an_example_of_a_function_refutes_what_does_not_hold_for_it() -> None:
    scope = Scope("", {}, ({t: sympy.Rational(1, 3)},))
    assert scope.guard(f(t + 1), f(t)).witness
    assert scope.guard(sympy.diff(f(t**2), t), t * sympy.diff(f(t), t)).witness
    assert scope.guard(sympy.diff(f(t) ** 2, t), 2 * f(t) * sympy.diff(f(t), t)).agreed == 1
    assert scope.guard(g(t), sympy.S.Zero, ">=").agreed == 1


def test_a_derivative_of_an_unknown_function_has_no_value() -> None:
    with pytest.raises(InvalidInput, match="known derivative"):
        evaluate(sympy.Derivative(f(t), t), {t: sympy.S.One})


@pytest.mark.parametrize("change", [{"right": 2}, {"left": 2}])
def test_the_induction_of_vandermonde_notices_a_factor(change: dict[str, int]) -> None:
    done = replay(derivation("lemma.kummer"))
    step = done.steps[0].step
    changed = {side: getattr(step, side) * factor for side, factor in change.items()}
    assert not done.again(0, replace(step, **changed)).stands
