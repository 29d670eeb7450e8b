"""Derivations: lists of steps, every one of which is replayed and checked.

A :class:`Step` says that two expressions are equal, or that one is smaller, and names the check that proves
it (the checks are in :mod:`rftheory.exact.proof.rules`). :func:`replay` runs the checks. Sample points
never prove a step: they can refute it (if the enclosures of the two sides are disjoint, or the inequality is
reversed), and they guard against errors of sympy; a step that only agrees at sample points is undecided. A step that
takes a textbook fact for granted, or rests on one that does, is cited, not proved, and names the fact.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Literal

import sympy
from flint import acb, arb, ctx
from sympy.core.function import AppliedUndef

from rftheory.errors import InvalidInput, NotCertified, RFTheoryError, UnknownName
from rftheory.exact.enclosure import Ball, Exact, in_digits
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import Variable
from rftheory.exact.order import in_order
from rftheory.exact.ranges import Range, between, is_real, range_of
from rftheory.exact.substitution import symbols_of, with_values
from rftheory.exact.truth import related
from rftheory.exact.typeset import SIGNS, typeset
from rftheory.exact.vanishing import carried_out, gamma_simplified, simplified, vanishes
from rftheory.index import names
from rftheory.names import plural, point_text

Status = Literal["proved", "cited", "refuted", "undecided"]
Point = Mapping[sympy.Symbol, sympy.Expr]
RELATIONS = ("=", "<", "<=", ">", ">=", "~")
GUARD_BITS = 80
QUADRATURE_BITS = 36


@dataclass(frozen=True)
class Finding:
    """The result of a check: status, method, and a witness (a point, a form, an order).

    Examples
    --------
    >>> from rftheory.exact.proof.rules import Rewrite
    >>> x = sympy.Symbol("x", real=True)
    >>> square = Step("square", (x + 1) ** 2, x**2 + 2 * x + 1)
    >>> Rewrite()(square, Scope("square", {}, ({x: sympy.Rational(1, 3)},))).status
    'proved'
    """

    status: Status
    method: str
    witness: str = ""


Check = Callable[["Step", "Scope"], Finding]


@dataclass(frozen=True)
class Step:
    """One step of a derivation.

    Attributes
    ----------
    label : its place, such as ``simplex.lem4.1/(53)``.
    left, right : the two sides.
    relation : ``=``, ``<``, ``<=``, ``>``, ``>=``, or ``~`` (equal up to an order that the check names).
    reason : why, in words.
    check : proves the step; without one, the step can only be refuted by a sample point.
    printed : whether the step is printed in the source.
    conditions : conditions of the step in addition to the domain of the derivation.
    replaces : label (or labels) of the printed steps that this one corrects.
    points : sample points of this step, instead of those of the derivation.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> print(Step("square", (x + 1) ** 2, x**2 + 2 * x + 1))
    square: (x + 1)**2 = x**2 + 2*x + 1
    """

    label: str
    left: sympy.Expr
    right: sympy.Expr
    relation: str = "="
    reason: str = ""
    check: Check | None = None
    printed: bool = False
    conditions: tuple[sympy.Basic, ...] = ()
    replaces: str | tuple[str, ...] = ()
    points: tuple[Mapping[str, Exact], ...] = ()

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise InvalidInput(
                self.label, needs=f"a relation out of {' '.join(RELATIONS)}", got=self.relation
            )
        for side in (self.left, self.right):
            if not isinstance(side, sympy.Expr):
                raise InvalidInput(self.label, needs="sympy expressions on both sides", got=side)

    @property
    def corrects(self) -> tuple[str, ...]:
        """Labels of the printed steps that this one corrects."""
        return (self.replaces,) if isinstance(self.replaces, str) else self.replaces

    @property
    def says_nothing(self) -> bool:
        """Whether both sides are the same expression, so that any check would pass."""
        return self.relation not in ("<", ">") and self.left == self.right

    def __str__(self) -> str:
        return f"{self.label}: {self.left} {self.relation} {self.right}"


@dataclass(frozen=True)
class Derivation:
    """A claim as a list of steps.

    Attributes
    ----------
    id : claim id; ``lemma.name`` for the lemmas that derivations share.
    title, says : one line each.
    variables : the free symbols with their domain.
    steps : the steps in order; the derivation establishes the last one.
    points : sample points over the domain, awkward ones first: exact values by variable name.
    source : where the steps are printed.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> step = Step("square", (x + 1) ** 2, x**2 + 2 * x + 1)
    >>> print(Derivation("square", "a square", "binomial", (Variable(x, "number"),), (step,)).statement)
    square: (x + 1)**2 = x**2 + 2*x + 1
    """

    id: str
    title: str
    says: str
    variables: tuple[Variable, ...]
    steps: tuple[Step, ...]
    points: tuple[Mapping[str, Exact], ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        named = [variable.name for variable in self.variables]
        twice = {name for name in named if named.count(name) > 1}
        if twice:
            raise InvalidInput(self.id, needs="variables of different names", got=min(twice))
        for variable in (one for one in self.variables if not one.complex):
            low, high = variable.range.low, variable.range.high
            if in_order(low, high, strict=variable.range.low_open or variable.range.high_open) is not True:
                raise InvalidInput(self.id, needs=f"a value of {variable.name}", got=variable.domain)
        for step in self.steps:
            if step.says_nothing:
                raise InvalidInput(
                    step.label,
                    needs="two sides that differ as expressions",
                    got=str(step),
                    hint="state what sympy evaluates by itself in unevaluated form: at(...), Derivative(...)",
                )

    @property
    def statement(self) -> Step:
        """The last step, which other derivations may use."""
        return self.steps[-1]

    def step(self, label: str) -> Step:
        """The step with that label.

        Raises
        ------
        UnknownName : there is none.
        """
        found = {step.label: step for step in self.steps}
        if label not in found:
            raise UnknownName(f"step of {self.id}", label, found)
        return found[label]


def fits(symbol: sympy.Symbol, values: Range, whole: bool) -> bool:
    """Whether real values have what sympy assumes of their symbol, which steps may use silently.

    Examples
    --------
    >>> t = sympy.Symbol("t", positive=True)
    >>> fits(t, Range(sympy.S.One), False), fits(t, Range(), False)
    (True, False)
    >>> kinds = "positive", "nonnegative", "negative", "nonpositive", "integer"
    >>> any(fits(sympy.Symbol("t", **{kind: True}), Range(), False) for kind in kinds)
    False
    """
    return (
        (whole or not symbol.is_integer)
        and (values.positive or not symbol.is_positive)
        and (values.nonnegative or not symbol.is_nonnegative)
        and ((-values).positive or not symbol.is_negative)
        and ((-values).nonnegative or not symbol.is_nonpositive)
    )


def at(expression: sympy.Expr, values: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    """The value of an expression at these values of its symbols, unevaluated, for a side of a step.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> at(x**2 - 1, {x: 3}), worked_out(at(x**2 - 1, {x: 3}))
    (Subs(x_0**2 - 1, x_0, 3), 8)
    """
    names = {symbol: _placeholder(symbol) for symbol in values}
    return sympy.Subs(expression.xreplace(names), tuple(names.values()), tuple(values.values()))


@lru_cache(maxsize=256)
def _placeholder(symbol: sympy.Symbol) -> sympy.Symbol:
    """A symbol with the same assumptions; sympy takes milliseconds to put them together."""
    return sympy.Symbol(f"{symbol.name}_0", **symbol.assumptions0)


@lru_cache(maxsize=1024)
def worked_out(expression: sympy.Expr) -> sympy.Expr:
    """The expression with derivatives evaluated and the values of :func:`at` substituted.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> worked_out(at(sympy.Derivative(x**3, x), {x: 2}))
    12
    """
    return expression.replace(
        lambda e: isinstance(e, sympy.Subs | sympy.Derivative), lambda e: e.doit(deep=False)
    )


# ---- points and equality under a domain ----------------------------------------------------------


@dataclass(frozen=True)
class Scope:
    """The scope in which steps are checked: domain, sample points, and the steps proved before.

    ``bound`` holds the symbols bound by sums and integrals whose bodies are being compared, ``assumed`` the textbook
    facts that the checks of this step have taken for granted so far, ``tied`` the variables that others determine.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> guard = Scope("square", {}, ({x: sympy.Integer(1)},)).guard((x + 1) ** 2, x**2 + 1)
    >>> guard.agreed, guard.tried
    (0, 1)
    """

    subject: str
    ranges: Mapping[sympy.Symbol, Range]
    sample: tuple[Point, ...]
    proved: tuple[Step, ...] = ()
    bound: Mapping[sympy.Symbol, Range] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list, compare=False)
    tied: frozenset[sympy.Symbol] = frozenset()

    @staticmethod
    def of(derivation: Derivation, step: Step, proved: tuple[Step, ...] = ()) -> Scope:
        """The scope of one step."""
        symbols = {v.name: v.symbol for v in derivation.variables}
        domains = {v.name: v for v in derivation.variables}
        ranges = {v.symbol: v.range for v in derivation.variables if not v.complex}
        for condition in step.conditions:
            ranges = _narrowed(ranges, condition)
        points = []
        for given in step.points or derivation.points:
            for name in given:
                if name not in symbols:
                    raise UnknownName(f"variable of {derivation.id}", name, symbols)
            point = {symbols[n]: domains[n].read(x, step.label) for n, x in given.items()}
            if all(c.xreplace(point) != sympy.false for c in step.conditions):
                points.append(point)
        tied = frozenset(v.symbol for v in derivation.variables if v.tied)
        return Scope(step.label, ranges, tuple(points), proved, tied=tied)

    def usable(self, step: Step) -> tuple[Step, ...]:
        """The steps proved before for all values that the symbols have here, under conditions that this step has."""
        hidden = {s for s in self.bound if s in self.ranges and not self.known[s].within(self.ranges[s])}
        return tuple(
            s for s in self.proved
            if set(s.conditions) <= set(step.conditions)
            and not (hidden and (s.left - s.right).free_symbols & hidden)
        )  # fmt: skip

    def bind(self, bound: Mapping[sympy.Symbol, Range]) -> Scope:
        """The scope inside sums and integrals over the given symbols."""
        return replace(self, bound={**self.bound, **bound})

    def refuse_misbound(self, step: Step) -> None:
        """Raise InvalidInput if a sum or an integral gives its symbol values that sympy assumes it has not."""
        for node in step.left.atoms(sympy.Sum, sympy.Integral) | step.right.atoms(sympy.Sum, sympy.Integral):
            known, integral = dict(self.ranges), isinstance(node, sympy.Integral)
            if any(len(limit) != 3 for limit in node.limits):
                raise InvalidInput(step.label, needs="limits of sums and integrals", got=str(node))
            for symbol, low, high in reversed(node.limits):
                known[symbol] = between(low, high, known, integral)
                if not fits(symbol, known[symbol], not integral):
                    raise InvalidInput(
                        step.label,
                        needs="bound symbols that have what sympy assumes of them",
                        got=f"{symbol} in {node}",
                    )

    def lemma(self, identifier: str) -> tuple[Derivation, bool]:
        """Another derivation and whether it holds; the facts that it takes for granted are recorded here too."""
        done = established(identifier)
        self.assumed.extend(done.assumes)
        return done.derivation, done.holds

    def range(self, expression: sympy.Expr) -> Range:
        """A range of the expression over the domain; all real numbers, if it may be complex."""
        expression, known = worked_out(expression), self.known
        return range_of(expression, known) if self.is_real(expression) else Range()

    @cached_property
    def known(self) -> dict[sympy.Symbol, Range]:
        """The ranges of all symbols; for a bound one, all its values, whichever end is the larger one."""
        known = dict(self.ranges)
        for symbol, found in self.bound.items():
            values = between(found.low, found.high, known, found.low_open or not symbol.is_integer)
            opens = values.low_open and found.low_open, values.high_open and found.high_open
            known[symbol] = Range(values.low, values.high, *opens)
        return known

    def is_real(self, expression: sympy.Expr) -> bool:
        """Whether the expression is certainly real: its functions, its symbols, and what is made of them."""
        free = expression.free_symbols
        unknown = expression.atoms(AppliedUndef) | {s for s in free if s not in self.known or s.is_complex}
        return all(e.is_extended_real for e in unknown) and is_real(expression, self.known)

    def points(self, *expressions: sympy.Expr) -> Iterator[Point]:
        """Exact values of all free symbols, from the sample points, and inner values of bound symbols."""
        wanted = sorted(frozenset().union(*map(symbols_of, expressions)), key=str)
        sample = self.sample or ({},)
        for number, given in enumerate(sample):
            point = dict(given)
            for shift, symbol in enumerate(s for s in wanted if s not in given):
                if symbol not in self.bound:
                    break
                point[symbol] = _inner_value(symbol, self._numeric(symbol, point), number + shift)
            else:
                yield {s: point[s] for s in wanted}

    def _numeric(self, symbol: sympy.Symbol, point: Point) -> Range:
        found = self.bound[symbol]
        low, high = (e.xreplace(dict(point)) for e in (found.low, found.high))
        return Range(low if low.is_number else sympy.S.Zero, high if high.is_number else sympy.S.Infinity)

    def guard(self, left: sympy.Expr, right: sympy.Expr, relation: str = "=") -> _Guard:
        """Compare the enclosures of both sides at the sample points."""
        tried = agreed = 0
        for point in self.points(left, right):
            tried += 1
            balls = _both(left, right, point)
            if balls is None:
                continue
            truth = _compare(relation, *balls)
            if truth is False:
                return _Guard(agreed, tried, _witness(point, *balls))
            agreed += truth is True and (relation not in ("=", "~") or _close(*balls))
        return _Guard(agreed, tried)

    def equal(self, left: sympy.Expr, right: sympy.Expr) -> str | None:
        """How it is seen that the sides are the same expression, or None.

        The enclosures at the sample points are compared first; if they are disjoint, sympy is not used.

        Raises
        ------
        NotCertified : sympy says that they are equal, but no sample point could be evaluated as a guard.
        """
        if left == right:
            return "identical"
        guard = self.guard(left, right)
        if guard.witness:
            return None
        left, right = worked_out(left), worked_out(right)
        opaque = self._opaque(left, right)
        if opaque is not None:
            scope, *sides = opaque
            method = scope.equal(sides[0], sides[1])
            if method is not None:
                return f"{method}, sums and integrals as symbols"
            if not guard.agreed:
                return None
        method = _reduce(left, right, self._raised)
        if method is None:
            return None
        if not guard.agreed:
            wanted = f"the equality that sympy claims ({method})"
            raise NotCertified(self.subject, wanted=wanted, reached="no sample point could be evaluated")
        return f"{method}, guarded at {plural(guard.agreed, 'point')}"

    def _raised(self) -> dict[sympy.Symbol, sympy.Expr]:
        """Each symbol as the lower end of its range plus a nonnegative symbol, which makes signs visible."""
        raised = {}
        for symbol, found in self.known.items():
            if found.low.is_number and found.low.is_finite and not found.low.is_zero:
                sign = {"positive": True} if found.low_open else {"nonnegative": True}
                raised[symbol] = found.low + sympy.Dummy(symbol.name, integer=symbol.is_integer, **sign)
        return raised

    def _opaque(self, left: sympy.Expr, right: sympy.Expr) -> tuple[Scope, sympy.Expr, sympy.Expr] | None:
        """The sides with symbols for sums and integrals; a relation between these holds for any of their values."""
        nodes = [
            n
            for n in left.atoms(sympy.Sum, sympy.Integral) | right.atoms(sympy.Sum, sympy.Integral)
            if not n.free_symbols & set(self.bound)
        ]
        if not nodes:
            return None
        kinds = {node: {"real": True} if self.is_real(node) else {"complex": True} for node in nodes}
        names = {n: sympy.Dummy(f"sum_{i}", **kinds[n]) for i, n in enumerate(sorted(nodes, key=str))}
        scope = self.bind({symbol: Range() for symbol in names.values()})
        return scope, left.xreplace(names), right.xreplace(names)


def _narrowed(ranges: dict[sympy.Symbol, Range], condition: sympy.Basic) -> dict[sympy.Symbol, Range]:
    """The ranges under ``symbol >= number`` or ``symbol > number``; other conditions are ignored."""
    if (
        not isinstance(condition, sympy.Ge | sympy.Gt)
        or condition.lhs not in ranges
        or not condition.rhs.is_number
    ):
        return ranges
    old, low, is_open = ranges[condition.lhs], condition.rhs, isinstance(condition, sympy.Gt)
    if in_order(low, old.low, strict=is_open):
        return ranges
    return {**ranges, condition.lhs: Range(low, old.high, is_open, old.high_open)}


@dataclass(frozen=True)
class _Guard:
    """The outcome of a comparison at sample points; ``witness`` is a point at which the relation fails."""

    agreed: int
    tried: int
    witness: str = ""


def _inner_value(symbol: sympy.Symbol, inside: Range, number: int) -> sympy.Expr:
    low, high = inside.low, inside.high
    if symbol.is_integer:
        start = low if low.is_finite else sympy.S.Zero
        offset = (2, 5, 0, 1, 3)[number % 5]
        return start + offset if high is sympy.oo else sympy.Min(start + offset, high)
    fraction = sympy.Rational((5, 1, 3, 9)[number % 4], 11)
    if high is sympy.oo:
        return (low if low.is_finite else sympy.S.Zero) + 4 * fraction
    return low + (high - low) * fraction


def _both(left: sympy.Expr, right: sympy.Expr, point: Point) -> tuple[Ball, Ball] | None:
    """Enclosures of both sides, or None if one has no certified evaluation or does not converge."""
    if _slow(left) or _slow(right):
        return None
    bits = QUADRATURE_BITS if left.has(sympy.Integral) or right.has(sympy.Integral) else GUARD_BITS
    where = tuple(point.items())
    try:
        balls = _ball(left, where, bits), _ball(right, where, bits)
    except (RFTheoryError, ZeroDivisionError, ValueError):
        return None
    return balls if all(b.is_finite() for b in balls) else None


@lru_cache(maxsize=1024)
def _ball(side: sympy.Expr, where: tuple[tuple[sympy.Symbol, sympy.Expr], ...], bits: int) -> Ball:
    """The enclosure of a side at a point: the guard of a step, its rule and its planted error ask for the same one."""
    with ctx.workprec(bits):
        return evaluate(_exemplified(side), dict(where))


def _exemplified(expression: sympy.Expr) -> sympy.Expr:
    """The expression with an example in place of each unknown function: what holds for all functions holds for it.

    Examples
    --------
    >>> f, t = sympy.Function("f", real=True), sympy.Symbol("t")
    >>> _exemplified(f(2 * t))
    cos(2*t + 102/7)
    """

    def example(unknown: sympy.Expr) -> sympy.Expr:
        seed = sympy.Rational(sum(map(ord, unknown.func.__name__)), 7)
        angle = seed + sum(number * argument for number, argument in enumerate(unknown.args, 1))
        if unknown.is_nonnegative:
            return 1 + sympy.cos(angle)
        return sympy.cos(angle) if unknown.is_real else sympy.exp(sympy.I * angle)

    if not expression.has(AppliedUndef):
        return expression
    return expression.replace(lambda e: isinstance(e, AppliedUndef), example)


def _compare(relation: str, a: Ball, b: Ball) -> bool | None:
    """Truth of a relation between two balls: True (for = : overlap), False (certainly not), None (open)."""
    if relation in ("=", "~"):
        return bool(acb(a).overlaps(acb(b)))
    if not (isinstance(a, arb) and isinstance(b, arb)):
        return None
    return related(a, relation, b)


@lru_cache(maxsize=4096)
def _slow(expression: sympy.Expr) -> bool:
    """Whether an integral or infinite sum is inside an integral; then only its body is guarded."""
    for node in expression.atoms(sympy.Integral):
        inner = node.function.atoms(sympy.Integral, sympy.Sum)
        if len(node.limits) > 1 or any(
            isinstance(i, sympy.Integral) or i.limits[0][2] is sympy.oo for i in inner
        ):
            return True
    return any(node.function.has(sympy.Integral) for node in expression.atoms(sympy.Sum))


def _close(a: Ball, b: Ball) -> bool:
    """Whether the balls are proved to be so tight that their overlap means something."""
    gap = abs(acb(a) - acb(b)).upper()
    return bool(gap <= abs(acb(a)).upper() * arb(2) ** -20 or gap <= arb(2) ** -60)


def _witness(point: Point, a: Ball, b: Ball) -> str:
    where = point_text(point)
    return f"{where}{': ' if where else ''}left {in_digits(a, 12)}, right {in_digits(b, 12)}"


# ---- equality ------------------------------------------------------------------------------------


REWRITINGS: dict[str, Callable[[sympy.Expr], sympy.Expr]] = {
    "doit": carried_out, "gammasimp": gamma_simplified, "simplify": simplified,
}  # fmt: skip
"""What is tried, one after the other, where exact arithmetic does not decide."""


def _reduce(left: sympy.Expr, right: sympy.Expr, raised: Callable[[], Point]) -> str | None:
    """How left - right is reduced to 0, or left/right to 1, or None.

    Parameters
    ----------
    raised : makes a form of each symbol that shows its sign, for roots and logarithms.
    """
    difference = left - right
    if difference == 0:
        return "left - right = 0 by identity"
    if vanishes(difference) or (
        difference.has(sympy.Pow, sympy.log) and _vanishes_raised(difference, raised())
    ):
        return "left - right = 0 by exact arithmetic"
    forms = {"left - right": (difference, sympy.S.Zero)}
    if right != 0:
        forms = {"left/right": (left / right, sympy.S.One), **forms}
        if (left / right).is_Rational:  # another number than 1, or it would have vanished
            return None
    for name, rewrite in REWRITINGS.items():
        for form, (expression, goal) in forms.items():
            forms[form] = (rewrite(expression), goal)
            if forms[form][0] == goal:
                return f"{form} = {goal} by {name}"
    return None


def _vanishes_raised(difference: sympy.Expr, raised: Point) -> bool:
    """Whether it vanishes with symbols whose signs are shown."""
    shown = with_values(difference, raised)
    return shown != difference and vanishes(shown)


# ---- replay --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Replayed:
    """A step with the result of its replay.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> misprint = Step("misprint", (x + 1) ** 2, x**2 + 1)
    >>> wrong = Derivation("wrong", "a square", "", (Variable(x, "number"),), (misprint,), ({"x": 1},))
    >>> [(found.step.label, found.status) for found in replay(wrong).steps]
    [('misprint', 'refuted')]
    """

    step: Step
    status: Status
    method: str
    witness: str
    seconds: float
    assumes: tuple[str, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether the step is proved, or follows from the textbook facts that it names."""
        return self.status in ("proved", "cited")


@dataclass(frozen=True, eq=False)
class Replay:
    """A replayed derivation; equal only to itself.

    Attributes
    ----------
    derivation : what was replayed.
    steps : its steps with status, method, witness and seconds.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> unproved = Step("square", (x + 1) ** 2, x**2 + 2 * x + 1)
    >>> square = Derivation("square", "a square", "", (Variable(x, "number"),), (unproved,), ({"x": 1},))
    >>> replayed = replay(square)
    >>> replayed.holds, len(replayed.refuted), len(replayed.undecided)
    (False, 0, 1)
    """

    derivation: Derivation
    steps: tuple[Replayed, ...]

    @property
    def holds(self) -> bool:
        """Whether every step stands, except for refuted printed steps that are replaced by one that stands."""
        replaced = {label for s in self.steps if s.stands for label in s.step.corrects}
        return all(s.stands or (s.status == "refuted" and s.step.label in replaced) for s in self.steps)

    @property
    def assumes(self) -> tuple[str, ...]:
        """The textbook facts that its steps take for granted."""
        return tuple(dict.fromkeys(name for s in self.steps for name in s.assumes))

    @property
    def refuted(self) -> tuple[Replayed, ...]:
        """The steps that are refuted."""
        return tuple(s for s in self.steps if s.status == "refuted")

    @property
    def undecided(self) -> tuple[Replayed, ...]:
        """The steps that are neither proved nor refuted."""
        return tuple(s for s in self.steps if s.status == "undecided")

    def __getitem__(self, label: str) -> Replayed:
        """The step with that label."""
        for item in self.steps:
            if item.step.label == label:
                return item
        raise UnknownName(f"step of {self.derivation.id}", label, [s.step.label for s in self.steps])

    def again(self, number: int, step: Step) -> Replayed:
        """Replay ``step`` instead of step ``number``, after the earlier steps that stand."""
        return _replay_step(self.derivation, step, self.steps[:number])

    def text(self) -> str:
        """One paragraph for each step, with its status."""
        lines = [f"{self.derivation.id}: {self.derivation.title}", f"  {self.derivation.says}"]
        for item in self.steps:
            step = item.step
            mark = (
                "printed"
                if step.printed
                else (f"replaces {', '.join(step.corrects)}" if step.corrects else "added")
            )
            lines.append(f"[{item.status}] {step.label} ({mark}): {step.left} {step.relation} {step.right}")
            lines += [f"    why: {step.reason}"] if step.reason else []
            lines.append(f"    how: {item.method}" + (f"; {item.witness}" if item.witness else ""))
            lines += [f"    taken as known: {', '.join(item.assumes)}"] if item.assumes else []
        lines.append(f"result: {self.summary()}")
        return "\n".join(lines)

    def summary(self) -> str:
        """One line: whether the derivation holds, and which steps fail."""
        parts = ["holds" if self.holds else "does not hold"]
        parts += [f"taken as known: {', '.join(self.assumes)}"] if self.assumes else []
        for name, items in (("refuted", self.refuted), ("undecided", self.undecided)):
            if items:
                parts.append(f"{name}: " + ", ".join(s.step.label for s in items))
        return "; ".join(parts)

    def latex(self) -> str:
        """The steps as rows of an ``align*`` environment, each with its label and status."""
        rows = []
        for item in self.steps:
            sides = [typeset(e) for e in (item.step.left, item.step.right)]
            sign = SIGNS.get(item.step.relation, item.step.relation)
            rows.append(
                rf"{sides[0]} &{sign} {sides[1]} && \text{{{_plain_text(item.step.label)}: {item.status}}}"
            )
        return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"

    def to_json(self) -> str:
        """The replay as JSON text: id, result and every step."""
        steps = [_as_data(item) for item in self.steps]
        head = {
            "id": self.derivation.id,
            "title": self.derivation.title,
            "says": self.derivation.says,
            "source": self.derivation.source,
        }
        return json.dumps({**head, "holds": self.holds, "summary": self.summary(), "steps": steps}, indent=1)


def _as_data(item: Replayed) -> dict[str, object]:
    """A replayed step as plain data."""
    step = item.step
    return {
        "label": step.label,
        "left": str(step.left),
        "relation": step.relation,
        "right": str(step.right),
        "reason": step.reason,
        "printed": step.printed,
        "replaces": list(step.corrects),
        "status": item.status,
        "method": item.method,
        "witness": item.witness,
        "assumes": list(item.assumes),
        "seconds": round(item.seconds, 4),
    }


def _plain_text(label: str) -> str:
    return label.replace("_", r"\_").replace("&", r"\&").replace("%", r"\%").replace("#", r"\#")


def replay(derivation: Derivation) -> Replay:
    """Run the check of every step.

    Raises
    ------
    NotCertified : a check claims a proof, but the enclosures at a sample point contradict it.

    Examples
    --------
    >>> from rftheory.exact.proof.rules import Rewrite
    >>> x = sympy.Symbol("x", real=True)
    >>> steps = (
    ...     Step("misprint", (x + 1) ** 2, x**2 + x + 1, printed=True),
    ...     Step("square", (x + 1) ** 2, x**2 + 2 * x + 1, check=Rewrite(), replaces="misprint"),
    ... )
    >>> number = Variable(x, "number")
    >>> square = Derivation("square", "a square", "binomial", (number,), steps, points=({"x": "1/3"},))
    >>> [(s.status, s.method) for s in replay(square).steps]
    [('refuted', 'enclosures'), ('proved', 'left - right = 0 by exact arithmetic, guarded at 1 point')]
    >>> replay(square).holds
    True
    """
    done: list[Replayed] = []
    labels = [s.label for s in derivation.steps]
    if len(set(labels)) != len(labels):
        raise InvalidInput(derivation.id, needs="a different label for every step", got=labels)
    for step in derivation.steps:
        for label in step.corrects:
            if label not in labels[: labels.index(step.label)]:
                raise UnknownName(f"earlier step of {derivation.id}", label, labels)
        done.append(_replay_step(derivation, step, tuple(done)))
    return Replay(derivation, tuple(done))


def _replay_step(derivation: Derivation, step: Step, before: tuple[Replayed, ...]) -> Replayed:
    """Prove a step without the cited steps before it if possible; otherwise it is cited along with them."""
    start = time.perf_counter()
    proved = tuple(s.step for s in before if s.status == "proved")
    finding, assumed = _found(derivation, step, proved)
    cited = [s for s in before if s.status == "cited"]
    if finding.status == "undecided" and cited:
        finding, assumed = _found(derivation, step, tuple(s.step for s in before if s.stands))
        assumed = (*assumed, *(name for s in cited for name in s.assumes))
    status = "cited" if finding.status == "proved" and assumed else finding.status
    facts = tuple(dict.fromkeys(assumed)) if status == "cited" else ()
    return Replayed(step, status, finding.method, finding.witness, time.perf_counter() - start, facts)


def _found(derivation: Derivation, step: Step, known: tuple[Step, ...]) -> tuple[Finding, tuple[str, ...]]:
    """The result of the check of a step, from the steps known so far, and the facts that it takes for granted."""
    scope = Scope.of(derivation, step, known)
    scope.refuse_misbound(step)
    guard = _Guard(0, 0) if step.relation == "~" else scope.guard(step.left, step.right, step.relation)
    finding = step.check(step, scope) if step.check is not None else None
    if guard.witness:
        if finding is not None and finding.status == "proved":
            raise NotCertified(
                step.label,
                wanted=f"the proof ({finding.method})",
                reached=f"the enclosures contradict it at {guard.witness}",
            )
        return Finding("refuted", "enclosures", guard.witness), ()
    if finding is None or finding.status == "undecided":
        agrees = f"agrees at {guard.agreed} of {guard.tried} points" if guard.tried else "no sample point"
        return Finding("undecided", agrees + (f"; {finding.method}" if finding else "; no check")), ()
    return finding, tuple(scope.assumed)


# ---- registry ------------------------------------------------------------------------------------

DERIVATIONS: dict[str, Derivation] = {}
_REPLAYS: dict[str | int, Replay] = {}
_MOST_REPLAYS = 1024
"""Several times the registered ones; notes bring their own."""


def register_derivation(derivation: Derivation) -> Derivation:
    """Add a derivation to the registry; ids are unique.

    Examples
    --------
    >>> fresh = register_derivation(Derivation("example", "a square", "binomial", (), ()))
    >>> DERIVATIONS.pop("example") is fresh
    True
    """
    if derivation.id in DERIVATIONS:
        raise InvalidInput("register_derivation", needs="a new derivation id", got=derivation.id)
    DERIVATIONS[derivation.id] = derivation
    return derivation


PROOFS = "rftheory.papers.derivations"
"""The module whose import registers the papers' derivations; it lies above this one, so only its name is used."""


def derivations() -> dict[str, Derivation]:
    """All derivations by id, lemmas included.

    Examples
    --------
    >>> "lemma.wallis" in derivations()
    True
    """
    importlib.import_module(PROOFS)
    return dict(DERIVATIONS)


def derivation(identifier: str) -> Derivation:
    """The derivation of a claim; only the module that states it is imported.

    Raises
    ------
    UnknownName : there is no derivation with that id.

    Examples
    --------
    >>> derivation("lemma.wallis").title
    'Wallis integrals'
    """
    entry = names("derivations").get(identifier)
    if identifier not in DERIVATIONS and entry is not None:
        with contextlib.suppress(ModuleNotFoundError):  # moved since the index was made
            importlib.import_module(entry["module"])
    if identifier not in DERIVATIONS and identifier not in derivations():  # newer than the index
        raise UnknownName("derivation", identifier, DERIVATIONS)
    return DERIVATIONS[identifier]


def established(proof: str | Derivation) -> Replay:
    """A derivation, or the registered one with this id, replayed once per process.

    Examples
    --------
    >>> done = established("lemma.wallis")
    >>> done.derivation.title, done.holds, done.assumes
    ('Wallis integrals', True, ())
    """
    # A replay holds its derivation, so that no other object can have the same id.
    known = proof if isinstance(proof, str) else id(proof)
    if known not in _REPLAYS:
        if len(_REPLAYS) >= _MOST_REPLAYS:
            _REPLAYS.clear()
        _REPLAYS[known] = replay(derivation(proof) if isinstance(proof, str) else proof)
    return _REPLAYS[known]


def chain(steps: tuple[Step, ...], left: sympy.Expr, right: sympy.Expr) -> tuple[list[Step], str] | None:
    """A path of steps from one expression to another, and the relation that it establishes.

    Steps may be read in both directions: ``a = b`` as ``b = a``, ``a < b`` as ``b > a``.

    Examples
    --------
    >>> a, b, c = sympy.symbols("a b c")
    >>> path, relation = chain((Step("first", a, b, "<"), Step("second", c, b)), a, c)
    >>> [step.label for step in path], relation
    (['first', 'second'], '<')
    """
    seen = {(left, "="): (None, None)}  # type: dict[tuple[sympy.Expr, str], tuple[tuple[sympy.Expr, str] | None, Step | None]]
    front = [(left, "=")]
    while front:
        node = front.pop(0)
        if node[0] == right:
            return _unwind(seen, node), node[1]
        for step, (start, relation, end) in itertools.chain.from_iterable(_readings(s) for s in steps):
            joined = _join(node[1], relation) if start == node[0] else None
            if joined is not None and (end, joined) not in seen:
                seen[end, joined] = (node, step)
                front.append((end, joined))
    return None


def _readings(step: Step) -> list[tuple[Step, tuple[sympy.Expr, str, sympy.Expr]]]:
    back = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "~": "~"}[step.relation]
    return [(step, (step.left, step.relation, step.right)), (step, (step.right, back, step.left))]


def _join(first: str, second: str) -> str | None:
    if first == "=":
        return second
    if second == "=":
        return first
    if "~" in (first, second) or first[0] != second[0]:  # two orders may be those of different variables
        return None
    return first[0] if first[0] in (first, second) else first


def _unwind(seen: dict, node: tuple[sympy.Expr, str]) -> list[Step]:  # type: ignore[type-arg]
    path: list[Step] = []
    while seen[node][0] is not None:
        node, step = seen[node]
        path.append(step)
    return path[::-1]
