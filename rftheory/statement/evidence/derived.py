"""Evidence from derivations, whose steps are checked again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import sympy

from rftheory.errors import NotCertified
from rftheory.exact.proof.steps import Replay, Replayed, Scope, Step, established
from rftheory.judge import Decision, Evidence, Kind
from rftheory.names import plural
from rftheory.statement.evidence.bench import Bench
from rftheory.statement.evidence.mutation import Sorted, mutations, sorted_out
from rftheory.statement.provers.derivation import statement_of
from rftheory.statement.search import Search, search

CORNERS = 6
"""How many points of the domain a proved step is tested at; ``benchmarks/step_search.py`` tries more."""


@dataclass(frozen=True)
class Derived:
    """Every step of a derivation is checked again.

    The planted errors are wrong factors (for an inequality, exchanged sides), put into the steps one after another,
    beginning with the last: none may be proved, and eventually one must be refuted by enclosures.
    """

    derivation: str
    covers: str = "domain"
    kind: ClassVar[Kind] = Kind.DERIVED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        done = established(self.derivation)
        failing = [s.step.label for s in done.refuted]
        mutants, still_true = _statement_mutants(done) if bench.thorough else ((), ())
        steps = f"{plural(len(done.steps), 'step')} of {self.derivation}" + (
            f", printed step wrong: {', '.join(failing)}" if failing else ""
        )
        return Evidence(
            self.kind,
            _of_replay(done),
            steps if done.holds else f"{steps}; {done.summary()}",
            details=_statuses(done),
            control=refutes_planted_errors(done),
            covers=self.covers,
            assumes=done.assumes,
            mutants=mutants,
            still_true=still_true,
        )


@dataclass(frozen=True)
class ProvedStep:
    """One step of a derivation, such as a line that the source prints, is proved.

    The planted error is the step made wrong; it must not be proved. The evidence covers the whole domain. Some corners
    of it are searched too: if they refute what a rule has proved, one of the two is wrong.

    Attributes
    ----------
    derivation : id of the derivation.
    label : label of the step.
    """

    derivation: str
    label: str
    covers: str = "domain"
    kind: ClassVar[Kind] = Kind.DERIVED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        done = established(self.derivation)
        step = done[self.label]
        number = done.steps.index(step)
        mutants, still_true = mutants_of(done, number) if bench.thorough else ((), ())
        decision, (looked, control) = _of_step(step), _tested(done, number)
        says = f"step {self.label} is {step.status}: {step.method or step.witness}".replace("\n", " ")
        if looked is not None and looked.witness is not None and step.stands:
            decision, says = Decision.UNDECIDED, f"{says}; but {looked.summary}"
        return Evidence(
            self.kind,
            decision,
            says,
            details=_statuses(done) | ({} if looked is None else {"searched": looked.tried}),
            control=control,
            covers=self.covers,
            assumes=step.assumes,
            mutants=mutants,
            still_true=still_true,
        )


@dataclass(frozen=True)
class Textbook:
    """The statement, or a part that it needs, is an instance of a textbook theorem that is taken for granted.

    There is nothing to run and no planted error: the statement is cited, never proved.

    Attributes
    ----------
    theorem : its name.
    instance : what it is applied to.
    """

    theorem: str
    instance: str
    kind: ClassVar[Kind] = Kind.DERIVED
    tests: ClassVar[int] = 0
    covers: ClassVar[str] = "domain"

    def run(self, bench: Bench) -> Evidence:
        return Evidence(
            self.kind,
            Decision.HOLDS,
            f"{self.theorem}, for {self.instance}",
            covers=self.covers,
            assumes=(self.theorem,),
        )


@dataclass(frozen=True)
class FailingStep:
    """A step that the source prints is refuted at a point; the step that replaces it is proved.

    The control is the step that replaces the printed one, which must be proved; without one there is no control.

    Attributes
    ----------
    derivation, label : the step.
    told : whether the claim says the step and its reason; if not, the refutation gives the reason.
    """

    derivation: str
    label: str
    told: bool = False
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0
    covers: ClassVar[str] = "points"

    def run(self, bench: Bench) -> Evidence:
        done = established(self.derivation)
        step = done[self.label]
        right = [s.stands for s in done.steps if self.label in s.step.corrects]
        control = all(right) if right else None
        decision = _of_step(step)
        symbols = step.step.left.free_symbols | step.step.right.free_symbols
        given = "" if self.told and symbols else step.step.reason
        found = f"{given}: {step.witness or step.method}".removeprefix(": ")
        return Evidence(
            self.kind,
            decision,
            f"step {self.label} is {step.status}: {found}".replace("\n", " "),
            details=_statuses(done),
            control=control,
            mutants=(("the step put right", control),) if bench.thorough and control is not None else (),
        )


@lru_cache(maxsize=1024)
def _tested(done: Replay, number: int) -> tuple[Search | None, bool]:
    """The search of a step, and whether the step made wrong is not proved; several claims may rest on one step."""
    step = done.steps[number]
    wrong = done.again(number, planted(step.step))
    return _looked_at(done, step), not wrong.stands


def _statuses(done: Replay) -> dict[str, Any]:
    return {"steps": {s.step.label: s.status for s in done.steps}}


def _looked_at(done: Replay, step: Replayed) -> Search | None:
    """The step as a statement, searched at its first corners; None if values take too long."""
    if step.step.left.has(sympy.Integral) or step.step.right.has(sympy.Integral):
        return None
    return _cornered(done, step.step)


def _cornered(done: Replay, step: Step) -> Search | None:
    """The search of the first corners; None if the step is no statement, or one whose points are not found."""
    statement = statement_of(done.derivation, step)
    if statement is None or statement.domain.unchosen:
        return None
    return search(statement.parts, statement.domain, most=CORNERS, seconds=1.0)


def planted(step: Step) -> Step:
    """The step made wrong by one percent (of 1, if its right side is 0); an inequality with its sides exchanged."""
    if step.relation in ("=", "~"):
        right = step.right * sympy.Rational(101, 100) if step.right != 0 else sympy.Rational(1, 100)
        return replace(step, right=right)
    return replace(step, left=step.right, right=step.left)


def _statement_mutants(done: Replay) -> Sorted:
    """Mutations of the last proved step, which is what the derivation establishes."""
    proved = [n for n, s in enumerate(done.steps) if s.stands]
    return mutants_of(done, proved[-1]) if proved else ((), ())


@lru_cache(maxsize=1024)
def mutants_of(done: Replay, number: int) -> Sorted:
    """Mutations of a step; those that are no longer proved count as caught. Several claims may rest on one step."""
    step = done.steps[number].step
    wrong = [(what, replace(step, right=right)) for what, right in mutations(step.right)]
    if step.relation not in ("=", "~"):
        wrong.insert(0, ("direction", replace(step, left=step.right, right=step.left)))
    return sorted_out(
        wrong,
        caught=lambda mutant: not _proved_again(done, number, mutant),
        follows=lambda mutant: _follows(done, step, mutant) or _true_everywhere(done, mutant),
    )


def _proved_again(done: Replay, number: int, mutant: Step) -> bool:
    """Whether a mutation is proved; no proof is attempted if it has no value or its guard contradicts it."""
    scope = Scope.of(done.derivation, mutant)
    if any(
        mutant.right.xreplace(dict(point)).has(sympy.zoo, sympy.nan) for point in scope.points(mutant.right)
    ):
        return False
    if mutant.relation != "~" and scope.guard(mutant.left, mutant.right, mutant.relation).witness:
        return False
    try:
        return done.again(number, mutant).stands
    except NotCertified:
        return False


def _follows(done: Replay, step: Step, mutant: Step) -> bool:
    """Whether a proved mutation says nothing new at the sample points: the same value, or a weaker bound."""
    if mutant.left != step.left:
        return False
    relation = "=" if step.relation in ("=", "~") else step.relation[0] + "="
    guard = Scope.of(done.derivation, step).guard(step.right, mutant.right, relation)
    return guard.agreed > 0 and guard.agreed == guard.tried


def _true_everywhere(done: Replay, mutant: Step) -> bool:
    """Whether a proved mutation of an inequality that leaves room is certified wherever it is looked at."""
    if mutant.relation in ("=", "~"):
        return False
    guard = Scope.of(done.derivation, mutant).guard(mutant.left, mutant.right, mutant.relation)
    if not guard.agreed == guard.tried > 0:
        return False
    looked = _cornered(done, mutant)
    return looked is not None and looked.witness is None and looked.agreed == looked.tried > 0


@lru_cache(maxsize=1024)
def refutes_planted_errors(done: Replay) -> bool:
    """Whether wrong steps are distinguished from right ones: the last wrong one is not proved, and one is refuted."""
    for number in range(len(done.steps) - 1, -1, -1):
        if not done.steps[number].stands:
            continue
        wrong = done.again(number, planted(done.steps[number].step))
        if wrong.stands:
            return False
        if wrong.status == "refuted":
            return True
    return False


def _of_step(step: Replayed) -> Decision:
    if step.stands:
        return Decision.HOLDS
    return Decision.FAILS if step.status == "refuted" else Decision.UNDECIDED


def _of_replay(done: Replay) -> Decision:
    if done.holds:
        return Decision.HOLDS
    return Decision.FAILS if done.refuted and not done.undecided else Decision.UNDECIDED
