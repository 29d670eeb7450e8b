"""Checks that a step is false, and that one was proved where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy

from rftheory.exact.proof.rules.answers import proved, undecided
from rftheory.exact.proof.steps import Finding, Scope, Step
from rftheory.exact.substitution import with_values


@dataclass(frozen=True)
class Counterexample:
    """Refutes the step at one exact point of its domain, which may lie outside the sample of the derivation."""

    values: Mapping[sympy.Symbol, object]

    def __call__(self, step: Step, scope: Scope) -> Finding:
        exact = {
            s: sympy.nsimplify(x, rational=True) if not isinstance(x, sympy.Expr) else x
            for s, x in self.values.items()
        }
        at_point = {
            *(scope.range(value).within(scope.ranges[s]) for s, value in exact.items() if s in scope.ranges),
            *(not s.is_integer or value.is_Integer for s, value in exact.items()),
            *(with_values(condition, exact) == sympy.true for condition in step.conditions),
        }
        if at_point - {True}:
            return undecided("the point is not shown to lie in the domain")
        there = Scope(scope.subject, scope.ranges, (exact,), scope.proved, scope.bound)
        guard = there.guard(step.left, step.right, step.relation)
        if guard.witness:
            return Finding("refuted", "certified counterexample", guard.witness)
        return undecided("the point does not refute the step")


@dataclass(frozen=True)
class Holds:
    """A proof by a function that returns a sentence (or an empty string if nothing is proved).

    This is for unusual finite exact arguments: the function must check every case and say what it checked.
    """

    function: Callable[[Step, Scope], str]

    def __call__(self, step: Step, scope: Scope) -> Finding:
        sentence = self.function(step, scope)
        return proved(sentence) if sentence else undecided("the argument does not prove it")
