"""Evidence from enclosures: equalities at points, inequalities on whole domains, counterexamples."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import sympy
from flint import acb, arb, ctx
from sympy.core.relational import Relational

from rftheory.errors import InvalidInput, NotCertified, RFTheoryError
from rftheory.exact.enclosure import Ball, Enclosure, Exact, certify, exact_number, whole
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import Formula
from rftheory.exact.proof.steps import Check as Checked
from rftheory.exact.proof.steps import Scope, Step
from rftheory.exact.search import Box, Smooth, holds_on_box, positive
from rftheory.exact.threshold import FirstRoot
from rftheory.exact.truth import STRICT, related
from rftheory.judge import Cover, Decision, Evidence, Kind
from rftheory.names import plural, point_text
from rftheory.statement.evidence.bench import Bench, Values
from rftheory.statement.evidence.mutation import Sorted, mutations, sorted_out


@dataclass(frozen=True)
class SameValue:
    """All routes of a formula, and optionally a printed expression, give overlapping enclosures at the points.

    The planted error is an expression that differs from the formula by a plausible mistake; at one of the points its
    enclosure must be disjoint from the formula's.

    Attributes
    ----------
    formula : the formula whose routes are compared.
    points : values of all variables, including awkward ones.
    planted : a wrong expression in the formula's variables.
    printed : the expression as printed, to be compared too.
    digits : number of digits that every enclosure proves.
    """

    formula: Formula
    points: tuple[Values, ...]
    planted: sympy.Expr
    printed: sympy.Expr | None = None
    digits: int = 25
    covers: ClassVar[str] = "points"
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        routes: set[str] = set()
        caught = False
        for point in self.points:
            found = self.formula.agree(self.digits, **dict(point))
            routes |= set(found)
            value = next(iter(found.values()))
            if self.printed is not None and not value.overlaps(self._read(self.printed, point)):
                return self._disagreement(point, value, bench.thorough)
            caught = caught or not value.overlaps(self._read(self.planted, point))
        mutants, still_true = self._mutants(caught) if bench.thorough else ((), ())
        return Evidence(
            self.kind,
            Decision.HOLDS,
            f"{self.formula.name}: {plural(len(routes), 'route agrees', 'routes agree')} "
            f"to {self.digits} digits at {plural(len(self.points), 'point')}",
            details={"routes": sorted(routes), "points": [point_text(p) for p in self.points]},
            control=caught,
            covers=self.covers,
            mutants=mutants,
            still_true=still_true,
        )

    def _mutants(self, control: bool) -> Sorted:
        """Mutations of the printed expression, or of the definition of the formula, compared with its values."""
        planted = ("the planted expression", control)
        if self.printed is None and not self.formula.readable:
            return (planted,), ()
        right = self.formula.expression if self.printed is None else self.printed
        values = [self.formula.enclose(self.digits, **dict(point)) for point in self.points]

        def caught(wrong: sympy.Basic) -> bool:
            pairs = zip(values, self.points, strict=True)
            return any(_apart(value, partial(self._read, wrong, point)) for value, point in pairs)

        def follows(wrong: sympy.Basic) -> bool:
            return self._same_root(right, wrong, values) or self._same_terms(right, wrong)

        found, still_true = sorted_out(mutations(right), caught, follows)
        return (planted, *found), still_true

    def _same_root(self, right: sympy.Basic, wrong: sympy.Basic, values: list[Enclosure]) -> bool:
        """Whether a search for the first root only starts later, but still before the root."""
        if not (isinstance(right, FirstRoot) and isinstance(wrong, FirstRoot)):
            return False
        (function, low), (other, start) = right.args, wrong.args
        return function == other and bool(low < start) and all((v.ball - int(start)).real > 0 for v in values)

    def _same_terms(self, right: sympy.Basic, wrong: sympy.Basic) -> bool:
        """Whether a sum only continues further, over terms that are 0 at all points."""
        sums = [list(side.atoms(sympy.Sum)) for side in (right, wrong)]
        if [len(found) for found in sums] != [1, 1]:
            return False
        (old,), (new,) = sums
        (index, low, high), (_, start, end) = old.limits[0], new.limits[0]
        if right.xreplace({old: new}) != wrong or old.function != new.function or low != start:
            return False
        more = sympy.Sum(old.function, (index, high + 1, end))
        return all(self._ball(more, point).is_zero() for point in self.points)

    def _ball(self, expression: sympy.Expr, point: Values) -> Ball:
        exact = self.formula.read(point)
        return evaluate(expression, {v.symbol: exact[v.name] for v in self.formula.variables})

    def _read(self, expression: sympy.Expr, point: Values) -> Enclosure:
        return certify(lambda: self._ball(expression, point), self.digits)

    def _disagreement(self, point: Values, value: Enclosure, thorough: bool) -> Evidence:
        assert self.printed is not None
        printed = self._read(self.printed, point).text(12)
        summary = f"at {point_text(point)} the print gives {printed}, the value is {value.text(12)}"
        # the control of a refutation: the right expression, instead of the printed one, is not refuted
        control = (
            value.overlaps(self._read(self.formula.expression, point)) if self.formula.readable else None
        )
        mutants = _put_right(control) if thorough else ()
        return Evidence(self.kind, Decision.FAILS, summary, control=control, mutants=mutants)


def _put_right(control: bool | None) -> tuple[tuple[str, bool], ...]:
    """The relevant mutation of a false statement: once corrected, it is not refuted."""
    return () if control is None else (("the statement put right", control),)


def _apart(value: Enclosure, other: Callable[[], Enclosure]) -> bool:
    """Whether the other value differs, or does not exist: without a finite value there is no agreement."""
    try:
        return not value.overlaps(other())
    except (RFTheoryError, ZeroDivisionError, ValueError):
        return True


@dataclass(frozen=True)
class Identity:
    """A printed relation between two expressions, decided by enclosures at exact points or proved by a check.

    It ``fails`` if the enclosures contradict it at a point, the counterexample. Without a check, ``holds`` refers only
    to the points; with one, it is a derivation of one step, under the assumptions of the symbols. The planted errors
    are the mutations of the right side: at least one must be refuted at points where the relation itself is not.

    Attributes
    ----------
    says : the relation in words.
    left, right : sympy expressions in free symbols.
    points : exact values of the symbols, by symbol name.
    relation : ``=``, ``<``, ``<=``, ``>`` or ``>=``.
    correct : for a relation that fails, the right side of the corrected one, which must not be refuted.
    by : the check of a derivation step that proves it for all values of the symbols.
    covers : ``cases`` or ``domain`` if the statement is only about these points; by default ``domain`` with a check,
        else ``points``. Enclosures that overlap prove no equation, so that one without a check covers no more.
    """

    says: str
    left: sympy.Expr
    right: sympy.Expr
    points: tuple[Values, ...]
    relation: str = "="
    correct: sympy.Expr | None = None
    digits: int = 20
    by: Checked | None = None
    covers: str = ""
    tests: ClassVar[int] = 0

    def __post_init__(self) -> None:
        if self.relation == "=" and self.left == self.right:
            raise InvalidInput(self.says, needs="two sides that differ as expressions", got=str(self.left))
        if not self.covers:
            object.__setattr__(self, "covers", "points" if self.by is None else "domain")
        if self.relation == "=" and self.by is None and Cover.of(self.covers).whole:
            needs = "a check of the equation, or covers=points: enclosures that overlap prove no equality"
            raise InvalidInput(self.says, needs=needs, got=self.covers)

    @property
    def kind(self) -> Kind:
        return Kind.CERTIFIED if self.by is None else Kind.DERIVED

    def run(self, bench: Bench) -> Evidence:
        with ctx.workprec(4 * self.digits + 64):
            found = [self._at(self.right, point) for point in self.points]
            decision, summary = Decision.HOLDS, f"{self.says}: agrees at {plural(len(self.points), 'point')}"
            for point, truth in zip(self.points, found, strict=True):
                if truth is False:
                    decision, summary = (
                        Decision.FAILS,
                        f"{self.says}: at {point_text(point)}, {self._sides(point)}",
                    )
                    break
                if truth is None:
                    decision, summary = Decision.UNDECIDED, f"{self.says}: not decided at {point_text(point)}"
            assumes: tuple[str, ...] = ()
            if self.by is not None and decision is Decision.HOLDS:
                decision, summary, assumes = self._proved(self.by)
            control = self._control(decision)
            mutants, still_true = self._mutants(decision, control) if bench.thorough else ((), ())
            return Evidence(
                self.kind,
                decision,
                summary,
                control=control,
                covers=self.covers,
                assumes=assumes,
                mutants=mutants,
                still_true=still_true,
            )

    def _proved(self, check: Checked) -> tuple[Decision, str, tuple[str, ...]]:
        symbols = self._symbols()
        sample = tuple({symbols[n]: self._values(p)[symbols[n]] for n in symbols} for p in self.points)
        scope = Scope(self.says, {}, sample)
        found = check(Step(self.says, self.left, self.right, self.relation), scope)
        decision = Decision.HOLDS if found.status == "proved" else Decision.UNDECIDED
        return decision, f"{self.says}: {found.method}".replace("\n", " "), tuple(scope.assumed)

    def _symbols(self) -> dict[str, sympy.Symbol]:
        return {s.name: s for s in sorted(self.left.free_symbols | self.right.free_symbols, key=str)}  # type: ignore[attr-defined]

    def _values(self, point: Values) -> dict[sympy.Symbol, sympy.Expr]:
        symbols = self._symbols()
        return {symbols[n]: sympy.sympify(exact_number(x, n)) for n, x in point.items() if n in symbols}

    def _at(self, right: sympy.Expr, point: Values) -> bool | None:
        values = self._values(point)
        return _truth(evaluate(self.left, values), self.relation, evaluate(right, values))

    def _sides(self, point: Values) -> str:
        values = self._values(point)
        a, b = evaluate(self.left, values), evaluate(self.right, values)
        return f"left {_short(a, 12)}, right {_short(b, 12)}"

    def _control(self, decision: Decision) -> bool | None:
        if decision is Decision.FAILS:
            right = self.left if self.correct is None else self.correct
            relation = self if self.correct is not None or self.relation in ("=", "<=", ">=") else None
            if relation is None:
                return None
            return not any(self._at(right, point) is False for point in self.points)
        if self.relation != "=":
            flipped = replace(self, left=self.right, right=self.left, relation=self.relation[0])
            return any(flipped._at(self.left, point) is False for point in self.points)
        return any(self._refuted(wrong) for _, wrong in mutations(self.right))

    def _mutants(self, decision: Decision, control: bool | None) -> Sorted:
        if decision is not Decision.HOLDS:
            return _put_right(control), ()
        found, still_true = sorted_out(mutations(self.right), self._refuted, self._follows)
        if self.relation != "=":
            found = (("direction", control is True), *found)
        return found, still_true

    def _refuted(self, wrong: sympy.Basic) -> bool:
        try:
            return any(self._at(wrong, point) is False for point in self.points)
        except (RFTheoryError, ZeroDivisionError, ValueError):
            return True

    def _follows(self, wrong: sympy.Basic) -> bool:
        """Whether a changed bound follows from the old one at every point, so that it is true as well."""
        if self.relation == "=":
            return False
        old = replace(self, left=self.right, relation=self.relation[0] + "=")
        try:
            return all(old._at(wrong, point) is True for point in self.points)
        except (RFTheoryError, ZeroDivisionError, ValueError):
            return False


def _truth(a: Ball, relation: str, b: Ball) -> bool | None:
    """Truth of a relation between balls; for ``=``, True means that tight enclosures overlap."""
    if relation == "=":
        if not acb(a).overlaps(acb(b)):
            return False
        size = abs(acb(a)).upper() + abs(acb(b)).upper() + arb(2) ** -60
        return True if abs(acb(a) - acb(b)).upper() <= size * arb(2) ** -20 else None
    if not (isinstance(a, arb) and isinstance(b, arb)):
        return None
    return related(a, relation, b)


@dataclass(frozen=True)
class OnBox:
    """An inequality proved on a whole box by branch and bound, or refuted at a point of the box.

    The planted errors are the inequality with exchanged sides and, if given, one that is slightly too strong; neither
    may be proved.

    Attributes
    ----------
    says : the inequality in words.
    relation : sympy ``<``, ``<=``, ``>`` or ``>=`` in free symbols.
    box : closed interval of each real symbol.
    integers : values of each integer symbol, all of which are checked.
    planted : an inequality that is false somewhere on the box.
    covers : ``domain`` if the box (with the integers) is the whole domain of the statement.
    """

    says: str
    relation: Relational
    box: Mapping[sympy.Symbol, tuple[Exact, Exact]]
    integers: Mapping[sympy.Symbol, tuple[int, ...]] = field(default_factory=dict)
    planted: Relational | None = None
    max_boxes: int = 20_000
    covers: str = "part"
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        decision, summary = self._decide(self.relation, self.max_boxes)
        wrong = [_exchanged(self.relation), *([self.planted] if self.planted is not None else [])]
        # refuting a wrong inequality takes far fewer boxes than proving a right one
        control = all(self._decide(w, 500)[0] is not Decision.HOLDS for w in wrong)
        mutants, still_true = self._mutants() if bench.thorough else ((), ())
        return Evidence(
            self.kind,
            decision,
            f"{self.says}: {summary}",
            control=control if decision is Decision.HOLDS else None,
            covers=self.covers,
            mutants=mutants,
            still_true=still_true,
        )

    def _mutants(self) -> Sorted:
        return sorted_out(
            mutations(self.relation),
            caught=lambda wrong: self._decide(wrong, 2000)[0] is not Decision.HOLDS,
            follows=self._follows,
        )

    def _follows(self, wrong: sympy.Basic) -> bool:
        """Whether the slack of a changed inequality is nowhere smaller than that of the statement."""
        if not isinstance(wrong, Relational):
            return False
        weaker = sympy.Ge(wrong.gts - wrong.lts, self.relation.gts - self.relation.lts)
        return self._decide(weaker, 2000)[0] is Decision.HOLDS

    def _decide(self, relation: sympy.Basic, max_boxes: int) -> tuple[Decision, str]:
        if relation in (sympy.true, sympy.false):
            return (Decision.HOLDS if relation else Decision.FAILS), f"the inequality is {relation}"
        symbols = list(self.box)
        sides = Box.of(*self.box.values())
        boxes = 0
        strict = isinstance(relation, STRICT)
        margin = relation.gts - relation.lts  # type: ignore[attr-defined]
        for values in itertools.product(*self.integers.values()):
            at = dict(zip(self.integers, values, strict=True))
            log = holds_on_box(
                positive(Smooth.of(margin.subs(at), *symbols), strict=strict), sides, max_boxes=max_boxes
            )
            where = point_text(at)
            if log.verdict == "fails":
                point = point_text(dict(zip(symbols, log.witness or (), strict=False)))
                return Decision.FAILS, f"violated at {', '.join(t for t in (where, point) if t)}"
            if log.verdict != "holds":
                return Decision.UNDECIDED, f"not decided with {max_boxes} boxes {where}".rstrip()
            boxes += log.examined
        return Decision.HOLDS, f"proved on {sides} with {boxes} boxes" + (
            f", {', '.join(f'{s} in {list(v)}' for s, v in self.integers.items())}" if self.integers else ""
        )


def _exchanged(relation: Relational) -> sympy.Basic:
    return type(relation)(relation.rhs, relation.lhs)


@dataclass(frozen=True)
class Shown:
    """A statement with one ingredient, decided by exact algebra or enclosures that answer yes, no or unknown.

    The statement is ``test(stated)``; ``wrong`` contains other ingredients (a constant, an exponent, a sign, the other
    direction), for which the statement must never be shown and must be refuted at least once.

    Attributes
    ----------
    says : what is shown, in one line.
    test : returns True (proved), False (refuted) or None (not decided); may raise ``NotCertified``.
    stated : the ingredient as stated.
    wrong : pairs of what was changed and the changed ingredient.
    covers : what True covers: ``domain`` (with the reason after a colon), ``cases`` (which), ``part`` or ``points``.
    """

    says: str
    test: Callable[[Any], bool | None]
    stated: Any
    wrong: tuple[tuple[str, Any], ...]
    covers: str = "points"
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        if not self.wrong:
            raise InvalidInput(self.says, needs="at least one wrong ingredient", got=())
        truth = self.test(self.stated)
        answers = [(what, self._answer(value)) for what, value in self.wrong]
        others = [answer for _, answer in answers]
        control = (
            not any(answer is True for answer in others) and False in others
            if truth
            else any(answer is not False for answer in others)
        )
        decision = {True: Decision.HOLDS, False: Decision.FAILS}.get(truth, Decision.UNDECIDED)  # type: ignore[arg-type]
        return Evidence(
            self.kind,
            decision,
            self.says,
            control=control,
            covers=self.covers,
            mutants=tuple((what, answer is not truth) for what, answer in answers),
        )

    def _answer(self, value: Any) -> bool | None:
        try:
            return self.test(value)
        except NotCertified:
            return None


@dataclass(frozen=True)
class Counterexample:
    """A point of the stated domain at which the statement is violated, proved by enclosures.

    Attributes
    ----------
    says : what is violated, with the point, in one line.
    left, right : the two sides at that point.
    violated : the relation between them that contradicts the statement: ``<``, ``>``, ``=`` (both exact), ``!=``.
    correct : the right-hand side of the corrected statement; the same violation must not be found with it.
    """

    says: str
    left: Callable[[], Ball]
    right: Callable[[], Ball]
    violated: str
    correct: Callable[[], Ball] | None = None
    digits: int = 12
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0
    covers: ClassVar[str] = "points"

    def run(self, bench: Bench) -> Evidence:
        with ctx.workprec(256):
            a, b = self.left(), self.right()
            found = related(a, self.violated, b) is True
            control = self._not_found(a, b)
            decision = Decision.FAILS if found else Decision.UNDECIDED
            sides = f"{_short(a, self.digits)} {self.violated} {_short(b, self.digits)}"
            return Evidence(
                self.kind,
                decision,
                f"{self.says}: {sides}",
                control=control,
                mutants=_put_right(control) if bench.thorough else (),
            )

    def _not_found(self, a: Ball, b: Ball) -> bool:
        """Whether the violation disappears with the right side or, if none is given, with the sides exchanged."""
        if self.correct is not None:
            return related(a, self.violated, self.correct()) is not True
        return (
            related(b, self.violated, a) is not True
            if self.violated in "<>"
            else related(a, "!=", a) is not True
        )


def _short(x: Ball, digits: int) -> str:
    shown = whole(x, digits)
    if not shown and x.rel_accuracy_bits() > 4 * digits:
        shown = Enclosure(x, digits).text()
    return shown or str(x.str(digits))
