"""What a check judges: two sides and a sign, read from the expressions that are judged, never from words.

Reports typeset what is read here, and `rftheory.statement.contradictions` holds it against other statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import singledispatch

import sympy

from rftheory.exact.enclosure import exact_number
from rftheory.exact.formula import Formula, Variable
from rftheory.exact.proof import derivation
from rftheory.exact.proof.steps import Derivation, Step, worked_out
from rftheory.exact.truth import RELATIONS, SIGNS
from rftheory.exact.typeset import SIGNS as PRINTED
from rftheory.exact.typeset import typeset
from rftheory.names import point_text
from rftheory.statement.atoms import FormulaOf
from rftheory.statement.domain import Domain, Span
from rftheory.statement.evidence.bench import Slow, Values
from rftheory.statement.evidence.certified import Identity, OnBox, SameValue
from rftheory.statement.evidence.derived import Derived, FailingStep, ProvedStep
from rftheory.statement.evidence.stated import Drawn, FromStatement
from rftheory.statement.provers.derivation import statement_of
from rftheory.statement.words import Claim, in_words

Point = Mapping[str, sympy.Expr]
"""Values by the names of the variables: symbols of one name are one variable, whatever sympy assumes of them."""


@dataclass(frozen=True)
class Relation:
    """A relation that is judged, as it is shown.

    Attributes
    ----------
    latex : the relation.
    over : the values of its variables for which it is judged.
    where : variables with a specific meaning, as LaTeX, and that meaning.
    says : what it is, in words: the reason of a step.

    Examples
    --------
    >>> print(relation_of(ProvedStep("simplex.lem4.1", "simplex.lem4.1/(53) sum")).over)
    v >= 0
    """

    latex: str
    over: str = ""
    where: tuple[tuple[str, str], ...] = ()
    says: str = ""


@dataclass(frozen=True)
class Sides:
    """A relation that is judged, as an object.

    Attributes
    ----------
    left, sign, right : the relation; a sign that is none of sympy's, such as ``~``, says nothing about values.
    points : at which it is judged.
    domain : on which it is judged; None for the points alone.
    refuted : it is judged to be false.
    over, where, says : as in `Relation`.

    Examples
    --------
    >>> d = sympy.Symbol("d")
    >>> sides_of(Identity("less", d, d + 1, ({"d": 1},), "<")).relation
    d < d + 1
    """

    left: sympy.Expr
    sign: str
    right: sympy.Expr
    points: tuple[Point, ...] = ()
    domain: Domain | None = None
    refuted: bool = False
    over: str = ""
    where: tuple[tuple[str, str], ...] = ()
    says: str = ""

    @property
    def relation(self) -> sympy.Basic:
        """As sympy has it, with what is put in worked out; true where nothing is judged to hold between values."""
        if self.refuted or self.sign not in RELATIONS:
            return sympy.true
        return RELATIONS[self.sign](worked_out(self.left), worked_out(self.right), evaluate=False)

    @property
    def shown(self) -> Relation:
        """As a report shows it: as it was written, before anything is worked out."""
        left = _named(self.left) if isinstance(self.left, FormulaOf) else typeset(self.left)
        latex = f"{left} {PRINTED.get(self.sign, self.sign)} {typeset(self.right)}"
        return Relation(latex, self.over, self.where, self.says)


def relation_of(check: object) -> Relation | None:
    """The relation that a check judges, as it is shown; None if a program decides, as described in its summary.

    Examples
    --------
    >>> v = sympy.Symbol("v", nonnegative=True)
    >>> relation_of(Identity("a square", v**2 + 2 * v + 1, (v + 1) ** 2, ({"v": 1},))).latex
    'v^{2} + 2 v + 1 = \\\\left(v + 1\\\\right)^{2}'
    >>> relation_of("nothing that judges") is None
    True
    """
    if isinstance(check, FromStatement | Drawn):
        return Relation(check.statement.latex, str(check.statement.domain))
    if isinstance(check, Slow):
        return relation_of(check.check)
    found = sides_of(check)
    return None if found is None else found.shown


@singledispatch
def sides_of(check: object) -> Sides | None:
    """The relation that a check judges, as an object; None for programs, and for statements, which are objects already.

    Examples
    --------
    >>> print(sides_of(ProvedStep("simplex.lem4.1", "simplex.lem4.1/(53) sum")).domain)
    v >= 0
    """
    return None


@sides_of.register
def _(check: Slow) -> Sides | None:
    return sides_of(check.check)


@sides_of.register
def _(check: ProvedStep | FailingStep) -> Sides:
    found = derivation(check.derivation)
    return _of_step(found, found.step(check.label), refuted=isinstance(check, FailingStep))


@sides_of.register
def _(check: Derived) -> Sides:
    found = derivation(check.derivation)
    return _of_step(found, found.statement)


@sides_of.register
def _(check: Identity) -> Sides:
    if check.covers != "domain":
        return _at_points(check.left, check.relation, check.right, check.points)
    domain = Domain.of(Claim((sympy.Eq(check.left, check.right, evaluate=False),)), ())
    return Sides(check.left, check.relation, check.right, _exact(check.points), domain, over=str(domain))


@sides_of.register
def _(check: OnBox) -> Sides:
    spans = {s: Span(*(exact_number(x, s.name) for x in ends)) for s, ends in check.box.items()}
    spans |= {
        s: Span(sympy.Integer(min(ns)), sympy.Integer(max(ns)), integer=True)
        for s, ns in check.integers.items()
    }
    ends = tuple({s.name: getattr(span, end) for s, span in spans.items()} for end in ("high", "low"))
    whole = all(list(ns) == list(range(min(ns), max(ns) + 1)) for ns in check.integers.values())
    over = [f"{low} <= {symbol} <= {high}" for symbol, (low, high) in check.box.items()]
    over += [f"{symbol} in {', '.join(map(str, values))}" for symbol, values in check.integers.items()]
    left, right = check.relation.args
    return Sides(
        left, SIGNS[type(check.relation)], right, ends, Domain(spans) if whole else None, over="; ".join(over)
    )


@sides_of.register
def _(check: SameValue) -> Sides | None:
    if check.printed is None and not check.formula.readable:
        return None
    printed = check.formula.expression if check.printed is None else check.printed
    found = _at_points(_in_its_variables(check.formula), "=", printed, check.points)
    return replace(found, where=_where(check.formula.variables))


def _at_points(left: sympy.Expr, sign: str, right: sympy.Expr, points: Iterable[Values]) -> Sides:
    found = _exact(points)
    return Sides(left, sign, right, found, over="; ".join(filter(None, map(point_text, points))))


def _exact(points: Iterable[Values]) -> tuple[Point, ...]:
    return tuple({n: exact_number(x, n) for n, x in point.items()} for point in points)


def _of_step(found: Derivation, step: Step, *, refuted: bool = False) -> Sides:
    free = step.left.free_symbols | step.right.free_symbols
    variables = [variable for variable in found.variables if variable.symbol in free]
    given = [in_words(c) for c in step.conditions]
    over = [one.domain for one in variables if one.domain.replace(">=", ">") not in given] + given
    statement = statement_of(found, step)
    domain = None if statement is None or statement.domain.unchosen else statement.domain
    return Sides(step.left, step.relation, step.right, _exact(step.points or found.points), domain, refuted,
                 ", ".join(over), _where(variables), step.reason)  # fmt: skip


def _in_its_variables(formula: Formula) -> FormulaOf:
    return FormulaOf.of(formula.name, **{variable.name: variable.symbol for variable in formula.variables})


def _named(formula: FormulaOf) -> str:
    inner = ", ".join(map(typeset, formula.values.values()))
    return rf"\text{{{formula.args[0].name.replace('_', ' ')}}}({inner})"


def _where(variables: Iterable[Variable]) -> tuple[tuple[str, str], ...]:
    return tuple((typeset(variable.symbol), variable.about) for variable in variables)
