"""Steps and lemmas that a check rests on: whether they may be used where it stands, and what they say there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy
from sympy import sympify

from rftheory.exact.proof.rules.binders import bound_in
from rftheory.exact.proof.rules.conditions import hole, positive_factor, without_value
from rftheory.exact.proof.steps import Derivation, Scope, Step, fits
from rftheory.exact.ranges import Range
from rftheory.exact.substitution import with_values

POSITIVE = Range(sympy.S.Zero, sympy.S.Infinity, True)


def _captured(instance: Mapping[sympy.Symbol, sympy.Expr], step: Step) -> str:
    """What a substitution into both sides of a step would bring under a sum or an integral that binds it."""
    taken = (bound_in(step.left) | bound_in(step.right)) & {
        s for value in instance.values() for s in sympify(value).free_symbols
    }
    return f"{min(taken, key=str)} is bound in {step.label}" if taken else ""


def unmet(instance: Mapping[sympy.Symbol, sympy.Expr], used: Step, step: Step, scope: Scope) -> str:
    """Why a step may not be used here: it binds what would be put in, or needs a condition that is not certain."""
    captured = _captured(instance, used)
    if captured:
        return captured
    for condition in used.conditions:
        here = with_values(condition, instance)
        certain = here == sympy.true or here in step.conditions
        if not certain and isinstance(here, sympy.Ge | sympy.Gt):
            found = scope.range(here.lhs - here.rhs)
            certain = found.positive if isinstance(here, sympy.Gt) else found.nonnegative
        if not certain:
            return f"{here} is not shown, as {used.label} needs"
    return ""


@dataclass(frozen=True)
class Tie:
    """What quantities are, by an integer n: their values at ``start``, and those at n + 1 by those at n.

    Attributes
    ----------
    index, start : the integer and its first value.
    initial : value of each quantity at ``start``.
    update : each quantity at n + 1 in terms of those at n and of new symbols.
    """

    index: sympy.Symbol
    start: int
    initial: Mapping[sympy.Symbol, sympy.Expr]
    update: Mapping[sympy.Symbol, sympy.Expr]


def ties(steps: Iterable[Step]) -> Iterator[Tie]:
    """The inductions among the checks of steps, also within other checks."""
    checks: list[Any] = [step.check for step in steps]
    while checks:
        one = checks.pop()
        if isinstance(one, Tie):
            yield one
        parts = one if isinstance(one, tuple) else one.__dict__.values()
        checks += [inner for inner in parts if isinstance(inner, tuple) or hasattr(inner, "__dict__")]


def redefined(one: Tie, steps: Iterable[Step]) -> str:
    """Which quantity of an induction is another one in steps before it, or is there without one; empty if none is."""
    steps = tuple(steps)
    before = {q: other for other in ties(steps) for q in other.update}
    taken = frozenset[sympy.Symbol]().union(*((s.left - s.right).free_symbols for s in steps))
    bad = [q for q in one.update if (_differs(one, before[q], q) if q in before else q in taken)]
    return f"{min(bad, key=str)} has another meaning before" if bad else ""


def _differs(one: Tie, other: Tie, q: sympy.Symbol) -> bool:
    mine, theirs = ((t.index, t.start, t.initial.get(q), t.update.get(q)) for t in (one, other))
    return mine != theirs


def chosen_freely(
    instance: Mapping[sympy.Symbol, sympy.Expr], used: Step, scope: Scope, lemma: Derivation | None = None
) -> str:
    """Why values may not be put into a step: a quantity in it, or what that follows from, would be another one."""
    tied, steps = scope.tied, scope.proved
    if lemma is not None:
        tied, steps = frozenset(variable.symbol for variable in lemma.variables if variable.tied), lemma.steps
    own = tied & (used.left - used.right).free_symbols
    known = [one for one in ties(steps) if own & one.update.keys()]
    fixed = set(own).union(*({one.index} for one in known))
    for one in known:
        fixed = fixed.union(*(e.free_symbols for e in (*one.initial.values(), *one.update.values())))
    bad = {symbol for symbol, value in instance.items() if value != symbol} & fixed if own else set()
    if lemma is not None:
        here = [
            (q, one, other)
            for one in known
            for other in ties(scope.proved)
            for q in own & other.update.keys()
        ]
        bad |= (own - scope.tied) | {q for q, one, other in here if _differs(one, other, q)}
    return f"{min(bad, key=str)} in {used.label} cannot be chosen freely" if bad else ""


def assignment(change: Mapping[sympy.Symbol, sympy.Expr]) -> str:
    return ", ".join(f"{a} = {b}" for a, b in change.items()) or "its own variables"


def index_domain(step: Step, scope: Scope, index: sympy.Symbol, start: int, or_later: bool = False) -> str:
    """What is wrong with an induction over ``index``, whose domain must be the integers from ``start`` on.

    It may begin later if the step of the induction is an identity: signs are known over the domain alone.
    """
    if not index.is_integer:
        return f"{index} is not an integer"
    low = scope.range(index).low
    if low != start and not (or_later and low >= start):
        return f"the domain of {index} begins at {low}, the induction at {start}"
    for condition in step.conditions:
        begins = (
            isinstance(condition, sympy.Ge | sympy.Gt) and condition.lhs == index and condition.rhs.is_number
        )
        if condition.has(index) and not begins:
            return f"{condition} need not hold before {index}"
    return without_value(step, index, scope)


def proved_inequality(
    label: str, step: Step, scope: Scope, instance: Mapping[sympy.Symbol, sympy.Expr] | None = None
) -> Step | str:
    """A proved inequality of this derivation, or the statement of another one, or why it may not be used here.

    The values of its variables, by default they themselves, must lie in their domain.
    """
    instance = instance or {}
    source, lemma = next((s for s in scope.usable(step) if s.label == label), None), None
    if source is None and "/" not in label:
        lemma, holds = scope.lemma(label)
        source = lemma.statement if holds else None
    if source is None or source.relation not in ("<", "<=", ">", ">="):
        return f"{label} is not a proved inequality"
    return (
        outside(instance, source, domains_of(scope, lemma), scope)
        or chosen_freely(instance, source, scope, lemma)
        or unmet(instance, source, step, scope)
        or source
    )


Domains = Mapping[sympy.Symbol, Range | None]
"""The ranges of the variables of a derivation, None for a complex one."""


def domains_of(scope: Scope, lemma: Derivation | None) -> Domains:
    """Those of a lemma, or of the derivation that is being checked."""
    if lemma is None:
        return scope.ranges
    return {v.symbol: None if v.complex else v.range for v in lemma.variables}


def outside(
    instance: Mapping[sympy.Symbol, sympy.Expr],
    used: Step,
    domains: Domains,
    scope: Scope,
    almost: bool = False,
) -> str:
    """Why the values put into a step are not shown to lie in the domains of its variables.

    Other symbols stand for themselves. With ``almost``, a positive value may be 0 at single values of bound symbols.
    """
    for symbol in used.left.free_symbols | used.right.free_symbols:
        value, domain = sympify(instance.get(symbol, symbol)), domains.get(symbol)
        if symbol not in domains:
            if value != symbol:
                return f"{symbol} is no variable of {used.label}, and stands for itself alone"
            continue
        if symbol.is_integer and not value.is_integer:
            return f"{value} is not shown to be an integer"
        if domain is None:
            continue
        if not scope.is_real(value):
            return f"{value} is not shown to be real"
        if symbol.is_zero is False and not (value.is_zero is False or domain.positive):
            return f"{value} is not shown to differ from 0"
        found = scope.range(value)
        inside = found.within(domain) and (value == symbol or fits(symbol, found, True))
        if not inside and not (almost and domain == POSITIVE and positive_factor(value, scope)):
            return f"{symbol} = {value} is not shown to lie in the domain"
    return ""


def substituted(
    sides: tuple[sympy.Expr, ...], labels: tuple[str, ...], step: Step, scope: Scope
) -> tuple[sympy.Expr, ...] | str:
    """The expressions after replacements by proved equalities, or what is missing."""
    steps = scope.usable(step)
    rules = {s.label: (s.left, s.right) for s in steps if s.relation == "="}
    rules |= {f"{s.label} reversed": (s.right, s.left) for s in steps if s.relation == "="}
    for label in labels:
        if label not in rules:
            return f"{label} is not a proved equality"
        old, new = rules[label]
        if any(bound_in(side) & (new.free_symbols - old.free_symbols) for side in sides):
            return f"{label} would bring symbols under sums and integrals that bind them"
        sides = tuple(side.subs(old, new) for side in sides)
        missing = hole(sides, step, scope)
        if missing:
            return missing
    return sides


def excess(step: Step) -> tuple[sympy.Expr, bool]:
    """The expression that must be >= 0 (or > 0, when strict)."""
    larger, smaller = (step.right, step.left) if step.relation in ("<", "<=") else (step.left, step.right)
    return larger - smaller, step.relation in ("<", ">")
