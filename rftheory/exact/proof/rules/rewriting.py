"""Checks of equalities that use other terms, steps, lemmas, definitions or named theorems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy

from rftheory.exact.proof.rules.answers import equality, proved, undecided
from rftheory.exact.proof.rules.binders import fold, gathered, inside, renamed, unfold
from rftheory.exact.proof.rules.conditions import converges, hole
from rftheory.exact.proof.rules.premises import (
    assignment,
    chosen_freely,
    domains_of,
    excess,
    outside,
    proved_inequality,
    substituted,
    unmet,
)
from rftheory.exact.proof.steps import DERIVATIONS, Check, Finding, Scope, Step, chain
from rftheory.exact.substitution import with_values
from rftheory.names import plural


@dataclass(frozen=True)
class Rewrite:
    """Prove equality by exact arithmetic, or by what sympy does to the difference or the ratio, guarded by enclosures.

    Examples
    --------
    >>> x = sympy.Symbol("x", positive=True)
    >>> square = Step("square", (x + 1) ** 2, x**2 + 2 * x + 1)
    >>> Rewrite()(square, Scope("square", {}, ({x: sympy.Rational(1, 3)},))).method
    'left - right = 0 by exact arithmetic, guarded at 1 point'
    """

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        method = scope.equal(step.left, step.right)
        return proved(method) if method else undecided("the difference is not shown to be 0")


@dataclass(frozen=True)
class Inside:
    """Prove sums or integrals over the same range equal by their bodies, with all factors moved inside.

    Several of them become one if each is shown to converge: the difference of two infinite ones may be anything.
    """

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        left, bodies = gathered(step.left)
        right, others = gathered(step.right)
        if len(left) != len(right):
            return undecided("the sides have different numbers of sums and integrals")
        for binders, parts in ((left, bodies), (right, others)):
            if len(parts) > 1 and not all(converges(binders, part, scope) for part in parts):
                return undecided("the sums and integrals are not all shown to converge")
        body, other = sympy.Add(*bodies), sympy.Add(*others)
        right, other = renamed(right, other, left)
        if left != right:
            return undecided("the sides have different limits")
        method = inside(scope, left).equal(body, other)
        return (
            proved(f"equal bodies: {method}") if method else undecided("the bodies are not shown to be equal")
        )


@dataclass(frozen=True)
class Use:
    """Use an instance of the statement of another derivation, inside further sums, integrals and factors.

    Attributes
    ----------
    lemma : id of a derivation that must hold.
    instance : values for its variables; each must lie in the domain of the lemma's variable.
    reverse : whether to use it from right to left.
    """

    lemma: str
    instance: Mapping[sympy.Symbol, sympy.Expr]
    reverse: bool = False

    def __call__(self, step: Step, scope: Scope) -> Finding:
        lemma, holds = scope.lemma(self.lemma)
        if not holds or lemma.statement.relation != "=":
            return undecided(f"{self.lemma} is not established")
        change, statement = dict(self.instance), lemma.statement
        missing = chosen_freely(change, statement, scope, lemma) or unmet(change, statement, step, scope)
        if missing:
            return undecided(missing)
        goal, value = (lemma.statement.left, lemma.statement.right)[:: -1 if self.reverse else 1]
        goal, value = with_values(goal, change), with_values(value, change)
        binders, body = unfold(step.left)
        inner, kernel = unfold(goal)
        outer, own = binders[: len(binders) - len(inner)], binders[len(binders) - len(inner) :]
        if len(own) != len(inner):
            return undecided(f"the left side has no {self.lemma} inside")
        inner, kernel = renamed(inner, kernel, own)
        within = inside(scope, outer)
        missing = outside(change, statement, domains_of(scope, lemma), within, almost=True)
        if missing:
            return undecided(missing)
        if any(
            within.equal(a, b) is None
            for p, q in zip(own, inner, strict=True)
            for a, b in ((p.low, q.low), (p.high, q.high))
        ):
            return undecided(f"limits differ from those of {self.lemma}")
        factor = _quotient(body, kernel, {b.symbol for b in own}, inside(within, own))
        if factor is None:
            return undecided(f"the body is not a multiple of that of {self.lemma}")
        missing = hole((factor, value), step, within)
        if missing:
            return undecided(missing)
        rest, target = unfold(step.right)
        result, remaining = unfold(fold(outer, factor * value))
        if len(rest) != len(result):
            return undecided("what remains and the right side have different sums and integrals")
        rest, target = renamed(rest, target, result)
        method = inside(scope, result).equal(remaining, target) if rest == result else None
        return (
            proved(f"{self.lemma} with {assignment(change)}; rest: {method}")
            if method
            else undecided("what remains is not shown to be equal")
        )


def _quotient(
    body: sympy.Expr, kernel: sympy.Expr, bound: set[sympy.Symbol], scope: Scope
) -> sympy.Expr | None:
    """body/kernel, if it does not depend on the bound symbols (verified by multiplying back)."""
    ratio = body / kernel
    for rewriting in (
        lambda e: e,
        sympy.powsimp,
        lambda e: sympy.powsimp(sympy.expand_power_base(sympy.expand(e, log=False))),
        sympy.simplify,
    ):
        ratio = rewriting(ratio)
        if not ratio.free_symbols & bound:
            return ratio if scope.equal(body, ratio * kernel) else None
    return None


@dataclass(frozen=True)
class Definition:
    """The right side names the series or integral on the left by a function that does not occur in it.

    Only a registered derivation ``definition.*`` may define; sample points guard the reading.
    """

    name: str

    def __call__(self, step: Step, scope: Scope) -> Finding:
        heads = [{f.func for f in side.atoms(sympy.Function)} for side in (step.left, step.right)]
        home = DERIVATIONS.get(scope.subject.partition("/")[0])
        ours = home is not None and home.id.startswith("definition.") and step in home.steps
        if not ours or not unfold(step.left)[0] or heads[1] <= heads[0]:
            return undecided(f"{self.name}: not a definition")
        guard = scope.guard(step.left, step.right, step.relation)
        if not guard.agreed:
            return undecided(f"{self.name}: no sample point could be evaluated")
        return proved(f"definition: {self.name}, guarded at {plural(guard.agreed, 'point')}")


@dataclass(frozen=True)
class Cited:
    """An instance of a textbook theorem that is taken for granted: the step counts as cited, never as proved.

    Attributes
    ----------
    name : name of the theorem.
    left, relation, right : the theorem itself, in its own symbols.
    at : the values of these symbols that give the step.
    given : the conditions of the theorem: relations that are proved at these values.
    """

    name: str
    left: sympy.Expr
    relation: str
    right: sympy.Expr
    at: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=dict)
    given: tuple[tuple[sympy.Expr, str, sympy.Expr, Check], ...] = ()

    def __call__(self, step: Step, scope: Scope) -> Finding:
        if step.relation != self.relation:
            return undecided(f"{self.name} is about {self.relation}")
        missing = unmet(self.at, Step(self.name, self.left, self.right, self.relation), step, scope)
        if missing:
            return undecided(missing)
        guard = scope.guard(step.left, step.right, step.relation)
        if not guard.agreed:
            return undecided(f"{self.name}: no sample point could be evaluated")
        for known, side in ((self.left, step.left), (self.right, step.right)):
            instance = known.xreplace(dict(self.at))
            if scope.equal(instance, side) is None:
                return undecided(f"{side} is not shown to be {instance}, as in: {self.name}")
        for smaller, relation, larger, check in self.given:
            left, right = (e.xreplace(dict(self.at)) for e in (smaller, larger))
            found = check(Step(f"{step.label} given", left, right, relation, points=step.points), scope)
            if found.status != "proved":
                return undecided(f"{left} {relation} {right} is open, for: {self.name}")
        scope.assumed.append(self.name)
        return proved(f"{self.name} with {assignment(self.at)}, guarded at {plural(guard.agreed, 'point')}")


@dataclass(frozen=True)
class Instance:
    """The step is a proved inequality with its variables replaced by expressions that lie in their domain.

    Attributes
    ----------
    label : a step of this derivation, or the id of a derivation whose statement is meant.
    instance : the replacements.
    """

    label: str
    instance: Mapping[sympy.Symbol, sympy.Expr]

    def __call__(self, step: Step, scope: Scope) -> Finding:
        source = proved_inequality(self.label, step, scope, self.instance)
        if isinstance(source, str):
            return undecided(source)
        earlier, earlier_strict = excess(source)
        difference, strict = excess(step)
        if strict and not earlier_strict:
            return undecided(f"{self.label} is not strict")
        known = with_values(earlier, self.instance)
        missing = hole((known,), step, scope)
        if missing:
            return undecided(missing)
        method = scope.equal(difference, known)
        where = assignment(self.instance)
        return (
            proved(f"{self.label} with {where}; {method}")
            if method
            else undecided("the step is not such an instance")
        )


@dataclass(frozen=True)
class Given:
    """Equality after replacing left sides of earlier proved equalities by their right sides.

    Attributes
    ----------
    labels : steps of this derivation, used in this order as rewriting rules left -> right, or right -> left with
        `` reversed`` after the label.
    then : the check of the rest.
    """

    labels: tuple[str, ...]
    then: Check = field(default_factory=Rewrite)

    def __call__(self, step: Step, scope: Scope) -> Finding:
        replaced = substituted((step.left, step.right), self.labels, step, scope)
        if isinstance(replaced, str):
            return undecided(replaced)
        left, right = replaced
        found = self.then(Step(step.label, left, right, step.relation, conditions=step.conditions), scope)
        return Finding(found.status, f"by {', '.join(self.labels)}: {found.method}", found.witness)


@dataclass(frozen=True)
class Chain:
    """The step follows from earlier proved steps that lead from its left side to its right side."""

    def __call__(self, step: Step, scope: Scope) -> Finding:
        found = chain(scope.usable(step), step.left, step.right)
        if found is None:
            return undecided("no chain of proved steps from left to right")
        path, relation = found
        missing = hole({side for one in path for side in (one.left, one.right)}, step, scope)
        if missing:
            return undecided(missing)
        allowed = {"<=": ("<", "<=", "="), ">=": (">", ">=", "=")}.get(step.relation, (step.relation,))
        if relation not in allowed:
            return undecided(f"the chain only gives {relation}")
        return proved("chain " + " -> ".join(s.label.rpartition("/")[2] for s in path))
