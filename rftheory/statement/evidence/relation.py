"""The relation that a check judges, for display: built from the judged expressions, never from words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatch

import sympy

from rftheory.exact.formula import Formula, Variable
from rftheory.exact.proof import derivation
from rftheory.exact.proof.steps import Derivation, Step
from rftheory.exact.truth import SIGNS
from rftheory.exact.typeset import typeset, typeset_relation
from rftheory.statement.domain import Domain
from rftheory.statement.evidence.bench import Slow, point_text
from rftheory.statement.evidence.certified import EqualSides, Identity, OnBox, PrintedDigits, SameValue
from rftheory.statement.evidence.derived import Derived, FailingStep, ProvedStep
from rftheory.statement.evidence.stated import Drawn, FromStatement
from rftheory.statement.words import Claim, in_words


@dataclass(frozen=True)
class Relation:
    """A judged relation.

    Attributes
    ----------
    latex : the relation.
    over : the values of its variables for which it is judged.
    where : variables with a specific meaning, as LaTeX, and that meaning.

    Examples
    --------
    >>> print(relation_of(ProvedStep("simplex.lem4.1", "simplex.lem4.1/(53) sum")).over)
    v >= 0
    """

    latex: str
    over: str = ""
    where: tuple[tuple[str, str], ...] = ()


@singledispatch
def relation_of(check: object) -> Relation | None:
    """The relation that a check judges; None if a program decides, as described in its summary.

    Examples
    --------
    >>> from rftheory.exact.positive import prf_mse_iid
    >>> v = sympy.Symbol("v", nonnegative=True)
    >>> relation_of(Identity("a square", v**2 + 2 * v + 1, (v + 1) ** 2, ({"v": 1},))).latex
    'v^{2} + 2 v + 1 = \\\\left(v + 1\\\\right)^{2}'
    >>> relation_of("nothing that judges") is None
    True
    """
    return None


@relation_of.register
def _(check: Slow) -> Relation | None:
    return relation_of(check.check)


@relation_of.register
def _(check: FromStatement | Drawn) -> Relation:
    return Relation(check.statement.latex, str(check.statement.domain))


@relation_of.register
def _(check: ProvedStep | FailingStep) -> Relation:
    found = derivation(check.derivation)
    return _of_step(found, next(step for step in found.steps if step.label == check.label))


@relation_of.register
def _(check: Derived) -> Relation:
    found = derivation(check.derivation)
    return _of_step(found, found.statement)


@relation_of.register
def _(check: Identity) -> Relation:
    latex = typeset_relation(check.left, check.relation, check.right)
    if check.covers != "domain":
        return Relation(latex, "; ".join(filter(None, map(point_text, check.points))))
    claim = Claim((sympy.Eq(check.left, check.right, evaluate=False),))
    return Relation(latex, str(Domain.of(claim, ())))


@relation_of.register
def _(check: EqualSides) -> Relation:
    return Relation(typeset_relation(check.left, "=", check.right), _listed(check.at.items()))


@relation_of.register
def _(check: OnBox) -> Relation:
    sides = [f"{low} <= {symbol} <= {high}" for symbol, (low, high) in check.box.items()]
    whole = [f"{symbol} in {', '.join(map(str, values))}" for symbol, values in check.integers.items()]
    relation = check.relation
    latex = typeset_relation(relation.lhs, SIGNS[type(relation)], relation.rhs)
    return Relation(latex, "; ".join(sides + whole))


@relation_of.register
def _(check: SameValue) -> Relation | None:
    printed = check.formula.expression if check.printed is None else check.printed
    if check.printed is None and not check.formula.readable:
        return None
    latex = f"{_named(check.formula)} = {typeset(printed)}"
    return Relation(
        latex, "; ".join(filter(None, map(point_text, check.points))), _where(check.formula.variables)
    )


@relation_of.register
def _(check: PrintedDigits) -> Relation:
    return Relation(rf"{_named(check.formula)} \approx {check.printed}", point_text(check.point))


def _of_step(found: Derivation, step: Step) -> Relation:
    free = step.left.free_symbols | step.right.free_symbols
    variables = [variable for variable in found.variables if variable.symbol in free]
    over = [variable.domain for variable in variables] + [in_words(c) for c in step.conditions]
    latex = typeset_relation(step.left, step.relation, step.right)
    return Relation(latex, ", ".join(over), _where(variables))


def _named(formula: Formula) -> str:
    inner = ", ".join(typeset(variable.symbol) for variable in formula.variables)
    return rf"\text{{{formula.name.replace('_', ' ')}}}({inner})"


def _where(variables: Iterable[Variable]) -> tuple[tuple[str, str], ...]:
    return tuple((typeset(variable.symbol), variable.about) for variable in variables)


def _listed(values: Iterable[tuple[object, object]]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values)
