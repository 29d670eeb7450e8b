"""The kinds of evidence out of which claims are judged. Each carries an error planted on purpose.

A check whose planted error is not refuted in the same run is no evidence, and leaves the claim undecided.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Protocol

import sympy
from flint import acb, arb, ctx

from rftheory.engine import Moments, run
from rftheory.errors import InvalidInput, NotCertified
from rftheory.exact.derivations import derivation
from rftheory.exact.derive import Replay, Step, replay
from rftheory.exact.enclosure import Ball, Enclosure, Exact, certify
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import Formula
from rftheory.judge import Budget, Decision, Evidence, Kind, Outcome, TestResult, inequality_test, z_test
from rftheory.sample import Stream
from rftheory.sample.arrays import on_device, to_host

Values = Mapping[str, Exact]
Statistic = Callable[[range], Any]


@dataclass(frozen=True)
class Bench:
    """Where checks are run: level, stream, arrays, effort.

    Attributes
    ----------
    budget : family-wise level, split over the tests of the whole catalogue.
    xp : array namespace of the samplers.
    seed : seed of the streams; a verdict must not depend on it.
    effort : factor on the number of blocks of every sampled check.
    workers : threads of the engine.
    """

    budget: Budget
    xp: Any
    seed: int = 0
    effort: float = 1.0
    workers: int = 1

    def stream(self, label: str) -> Stream:
        """The stream of one check: NumPy's own generator on the CPU, the portable one on a device."""
        return Stream.named(label, seed=self.seed, kind="portable" if on_device(self.xp) else "native")

    def blocks(self, count: int) -> int:
        return max(4096, int(count * self.effort))


class Check(Protocol):
    """One piece of evidence, ready to be earned."""

    kind: ClassVar[Kind]

    @property
    def tests(self) -> int:
        """Statistical tests that it spends false-alarm rate on."""
        ...

    def run(self, bench: Bench) -> Evidence:
        """Earn the evidence."""
        ...


@contextmanager
def stopwatch() -> Iterator[Callable[[], float]]:
    start = time.perf_counter()
    yield lambda: time.perf_counter() - start


def _point(values: Values) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


# ---- derived ---------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def replayed(identifier: str) -> Replay:
    """A derivation, replayed once a run however many claims rest on it."""
    return replay(derivation(identifier))


@dataclass(frozen=True)
class Derived:
    """Every step of a derivation is checked again.

    The planted errors are wrong factors (for an inequality, exchanged sides), put into the steps one after the other
    from the last one on: none may be proved, until one is refuted by enclosures.
    """

    derivation: str
    kind: ClassVar[Kind] = Kind.DERIVED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        with stopwatch() as seconds:
            done = replayed(self.derivation)
            failing = [s.step.label for s in done.refuted]
            steps = f"{len(done.steps)} steps" + (
                f", printed step wrong: {', '.join(failing)}" if failing else ""
            )
            return Evidence(
                self.kind,
                _of_replay(done),
                steps if done.holds else f"{steps}; {done.summary()}",
                details={"steps": {s.step.label: s.status for s in done.steps}},
                control=refutes_planted_errors(done),
                seconds=seconds(),
            )


@dataclass(frozen=True)
class FailingStep:
    """A step that the source prints is refuted at a point; the step that replaces it is proved.

    The planted error is the replacement, put in place of the printed step: it must not be refuted.
    """

    derivation: str
    label: str
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        with stopwatch() as seconds:
            done = replayed(self.derivation)
            step = done[self.label]
            right = [s for s in done.steps if self.label in s.step.corrects]
            decision = {"refuted": Decision.FAILS, "proved": Decision.HOLDS}.get(
                step.status, Decision.UNDECIDED
            )
            return Evidence(
                self.kind,
                decision,
                f"step {self.label} is {step.status}: {step.witness or step.method}".replace("\n", " "),
                control=all(s.status == "proved" for s in right) if right else None,
                seconds=seconds(),
            )


def planted(step: Step) -> Step:
    """The step made wrong by one percent; an inequality with its sides exchanged."""
    if step.relation in ("=", "~"):
        return replace(step, right=step.right * sympy.Rational(101, 100))
    return replace(step, left=step.right, right=step.left)


def refutes_planted_errors(done: Replay) -> bool:
    """Whether wrong steps are told from right ones: the last wrong one is not proved, and one is refuted."""
    for number in range(len(done.steps) - 1, -1, -1):
        if done.steps[number].status != "proved":
            continue
        status = done.again(number, planted(done.steps[number].step)).status
        if status == "proved":
            return False
        if status == "refuted":
            return True
    return False


def _of_replay(done: Replay) -> Decision:
    if done.holds:
        return Decision.HOLDS
    return Decision.FAILS if done.refuted and not done.undecided else Decision.UNDECIDED


# ---- certified -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SameValue:
    """All routes of a formula, and optionally a printed expression, give overlapping enclosures at the points.

    The planted error is an expression that differs from the formula by a plausible mistake; at one of the points its
    enclosure must be disjoint from the formula's.

    Attributes
    ----------
    formula : whose routes are compared.
    points : values of all variables, awkward ones included.
    planted : a wrong expression in the formula's variables.
    printed : the expression as printed, to be compared too.
    digits : digits that every enclosure proves.
    """

    formula: Formula
    points: tuple[Values, ...]
    planted: sympy.Expr
    printed: sympy.Expr | None = None
    digits: int = 25
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        with stopwatch() as seconds:
            routes: set[str] = set()
            caught = False
            for point in self.points:
                found = self.formula.agree(self.digits, **dict(point))
                routes |= set(found)
                value = next(iter(found.values()))
                if self.printed is not None and not value.overlaps(self._read(self.printed, point)):
                    return self._disagreement(point, value, seconds())
                caught = caught or not value.overlaps(self._read(self.planted, point))
            return Evidence(
                self.kind,
                Decision.HOLDS,
                f"{self.formula.name}: {len(routes)} routes agree to {self.digits} digits at {len(self.points)} points",
                details={"routes": sorted(routes), "points": [_point(p) for p in self.points]},
                control=caught,
                seconds=seconds(),
            )

    def _read(self, expression: sympy.Expr, point: Values) -> Enclosure:
        exact = self.formula.read(point)
        values = {v.symbol: exact[v.name] for v in self.formula.variables}
        return certify(lambda: evaluate(expression, values), self.digits)

    def _disagreement(self, point: Values, value: Enclosure, seconds: float) -> Evidence:
        assert self.printed is not None
        printed = self._read(self.printed, point).text(12)
        summary = f"at {_point(point)} the print gives {printed}, the value is {value.text(12)}"
        # the control of a refutation: the right expression in place of the print is not refuted
        control = (
            value.overlaps(self._read(self.formula.expression, point)) if self.formula.readable else None
        )
        return Evidence(self.kind, Decision.FAILS, summary, control=control, seconds=seconds)


@dataclass(frozen=True)
class PrintedDigits:
    """A printed decimal is the value, rounded to its digits; the planted error is another formula's value."""

    formula: Formula
    point: Values
    printed: str
    planted: sympy.Expr
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        with stopwatch() as seconds:
            digits = len(self.printed.replace(".", "").lstrip("0"))
            exact = self.formula.read(self.point)
            values = {v.symbol: exact[v.name] for v in self.formula.variables}
            value = self.formula.enclose(20, **dict(self.point))
            wrong = certify(lambda: evaluate(self.planted, values), 20)
            return Evidence(
                self.kind,
                Decision.HOLDS if value.text(digits) == self.printed else Decision.FAILS,
                f"{self.formula.name} at {_point(self.point)} is {value.text(12)}, printed {self.printed}",
                control=wrong.text(digits) != self.printed,
                seconds=seconds(),
            )


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

    def run(self, bench: Bench) -> Evidence:
        with stopwatch() as seconds, ctx.workprec(256):
            a, b = self.left(), self.right()
            found = _relation(a, self.violated, b)
            control = None if self.correct is None else not _relation(a, self.violated, self.correct())
            decision = Decision.FAILS if found else Decision.UNDECIDED
            sides = f"{_short(a, self.digits)} {self.violated} {_short(b, self.digits)}"
            return Evidence(self.kind, decision, f"{self.says}: {sides}", control=control, seconds=seconds())


def _relation(a: Ball, relation: str, b: Ball) -> bool:
    if relation == "!=":
        return not (a - b).contains(0)
    if relation == "=":
        return bool((a - b).is_zero())
    if isinstance(a, arb) and isinstance(b, arb):
        return bool(a < b if relation == "<" else a > b)
    raise InvalidInput("counterexample", needs="real sides for an inequality", got=relation)


def _short(x: Ball, digits: int) -> str:
    return Enclosure(x, digits).text() if x.rel_accuracy_bits() > 4 * digits else str(x.str(digits))


@dataclass(frozen=True)
class Ordered:
    """A strict inequality between two nondecreasing functions, proved on a whole interval of one variable.

    On [a, b] the inequality follows from small(b) < large(a); the interval is cut until that is so.

    Attributes
    ----------
    says : the inequality in words.
    small, large : functions of the parameter and of the variable, nondecreasing in the variable.
    parameters : the parameter runs over these integers, such as dimensions.
    low, high : the interval.
    """

    says: str
    small: Callable[[int, arb], arb]
    large: Callable[[int, arb], arb]
    parameters: tuple[int, ...]
    low: str
    high: str
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        with stopwatch() as seconds, ctx.workprec(96):
            low, high = arb(self.low), arb(self.high)
            if not low < high or not self.parameters:
                raise InvalidInput(
                    self.says, needs="an interval low < high and parameters", got=(self.low, self.high)
                )
            cuts = sum(_ordered_cover(self.small, self.large, n, low, high) for n in self.parameters)
            values = ", ".join(str(n) for n in self.parameters)
            return Evidence(
                self.kind,
                Decision.HOLDS,
                f"{self.says} on [{self.low}, {self.high}], d = {values}: {cuts} intervals",
                control=self._refutes_the_reversed(low, high),
                seconds=seconds(),
            )

    def _refutes_the_reversed(self, low: arb, high: arb) -> bool:
        """The same search, asked to prove large < small, must not succeed."""
        try:
            _ordered_cover(self.large, self.small, self.parameters[0], low, high)
        except NotCertified:
            return True
        return False


@dataclass(frozen=True)
class EqualSides:
    """A strict inequality fails because the two sides are the same expression at a point of the stated domain.

    Equality is proved symbolically. The control: at another point the enclosures of the sides are disjoint.

    Attributes
    ----------
    says : what is violated, one line.
    left, right : the sides, in free symbols.
    at, elsewhere : exact values of the symbols.
    """

    says: str
    left: sympy.Expr
    right: sympy.Expr
    at: Mapping[sympy.Symbol, int]
    elsewhere: Mapping[sympy.Symbol, int]
    kind: ClassVar[Kind] = Kind.CERTIFIED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        with stopwatch() as seconds:
            difference = sympy.simplify(sympy.hyperexpand((self.left - self.right).subs(self.at).doit()))
            values = {symbol: sympy.Integer(value) for symbol, value in self.elsewhere.items()}
            with ctx.workprec(96):
                apart = not acb(evaluate(self.left, values)).overlaps(acb(evaluate(self.right, values)))
            decision = Decision.FAILS if difference == 0 else Decision.UNDECIDED
            return Evidence(self.kind, decision, self.says, control=apart, seconds=seconds())


def _ordered_cover(
    small: Callable[[int, arb], arb], large: Callable[[int, arb], arb], n: int, low: arb, high: arb
) -> int:
    """Number of intervals that prove small < large on [low, high]; the step adapts to the room there is."""
    a, step, count = low, (high - low) / 64, 0
    while a < high:
        floor = large(n, a)
        while not small(n, (a + step).min(high)) < floor:
            step = (step / 2).mid()
            if step < (high - low) / 2**40:
                raise NotCertified(
                    "ordering",
                    wanted="small < large",
                    reached=f"no room left at {a.str(8)} for parameter {n}",
                )
        a, step, count = (a + step).mid(), (step * 3 / 2).mid(), count + 1
    return count


# ---- sampled ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Law:
    """Mean, variance and, where known, standardised third and fourth moment of one draw.

    Examples
    --------
    >>> law = Law.from_raw([arb(1), arb(0), arb(1), arb(0), arb(3)])
    >>> law.variance, law.kurtosis
    (1.0, 3.0)
    """

    mean: float
    variance: float
    skewness: float | None = None
    kurtosis: float | None = None

    @classmethod
    def from_raw(cls, raw: Sequence[arb]) -> Law:
        """From raw moments of order 0 to 4 (or 3)."""
        m1 = raw[1]
        second = raw[2] - m1**2
        third = raw[3] - 3 * m1 * raw[2] + 2 * m1**3
        skewness = float(third) / float(second) ** 1.5
        if len(raw) < 5:
            return cls(float(m1), float(second), skewness)
        fourth = raw[4] - 4 * m1 * raw[3] + 6 * m1**2 * raw[2] - 3 * m1**4
        return cls(float(m1), float(second), skewness, float(fourth) / float(second) ** 2)

    def test(self, moments: Moments, budget: Budget, tolerance: float | None = None) -> TestResult:
        """Test a sample mean against this law."""
        return z_test(
            float(moments.mean[0]),
            moments.n,
            self.mean,
            self.variance,
            budget,
            skewness=self.skewness,
            kurtosis=self.kurtosis,
            tolerance=tolerance,
        )


@dataclass(frozen=True)
class SampledMean:
    """The mean of a statistic of a sampler is the one that the theory gives, tested with the exact variance.

    The planted error is a law with another mean; the same draws must refute it.

    Attributes
    ----------
    says : what is measured, one line.
    statistic : from the bench and a stream, a statistic of block ranges.
    law : the law of one draw under the claim.
    planted : the law under the planted error.
    blocks : number of draws at effort 1.
    tolerance : relative error that the test must be able to refute with power 0.999.
    """

    says: str
    statistic: Callable[[Bench, Stream], Statistic]
    law: Callable[[], Law]
    planted: Callable[[Law], Law]
    blocks: int
    tolerance: float | None = None
    kind: ClassVar[Kind] = Kind.SAMPLED
    tests: ClassVar[int] = 1

    def run(self, bench: Bench) -> Evidence:
        with stopwatch() as seconds:
            moments = measure(self.statistic, self.says, bench, self.blocks)
            law = self.law()
            right = law.test(moments, bench.budget, self.tolerance)
            wrong = self.planted(law).test(moments, bench.budget)
            return replace(
                Evidence.of_test(right, planted=wrong, seconds=seconds()), summary=self.summary(right)
            )

    def summary(self, result: TestResult) -> str:
        text = f"{self.says}: exact {result.exact:.6g}, {result.decision}, detectable {result.detectable:.2g}"
        return text if result.decision != "undecided" else f"{text}; {result.reason}"


@dataclass(frozen=True)
class SampledOrder:
    """E A <= E B for two statistics of the same stream; the planted error is the reversed inequality.

    Where the inequality itself is refuted, its reverse is true, so that there is no planted error.
    """

    says: str
    difference: Callable[[Bench, Stream], Statistic]
    blocks: int
    kind: ClassVar[Kind] = Kind.SAMPLED
    tests: ClassVar[int] = 1

    def run(self, bench: Bench) -> Evidence:
        with stopwatch() as seconds:
            moments = measure(self.difference, self.says, bench, self.blocks)
            right = inequality_test(moments, bench.budget)
            refuted = right.decision is Outcome.REFUTED
            wrong = None if refuted else inequality_test(_negated(moments), bench.budget)
            found = Evidence.of_test(right, planted=wrong, seconds=seconds())
            return replace(
                found,
                summary=f"{self.says}: {right.decision}" + (f"; {right.reason}" if right.reason else ""),
            )


def measure(make: Callable[[Bench, Stream], Statistic], label: str, bench: Bench, blocks: int) -> Moments:
    """Moments of the statistic over its own stream."""
    statistic = make(bench, bench.stream(label))
    return run(statistic, bench.blocks(blocks), workers=bench.workers, to_host=to_host, name=label)


def _negated(moments: Moments) -> Moments:
    return replace(moments, mean=-moments.mean, m3=-moments.m3, min=-moments.max, max=-moments.min)


def times(factor: float) -> Callable[[Law], Law]:
    """Planted error: the mean multiplied by a factor."""
    return lambda law: replace(law, mean=law.mean * factor)


def other(law: Callable[[], Law]) -> Callable[[Law], Law]:
    """Planted error: the mean of another law, such as that of another coupling."""
    return lambda true: replace(true, mean=law().mean)
