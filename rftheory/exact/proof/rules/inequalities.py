"""Checks of inequalities: by the sign of a difference or of a derivative, term by term, by others, on a box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy
from flint import arb, ctx
from sympy import Integral, S, Sum

from rftheory.errors import NotCertified
from rftheory.exact.derivative import derivative
from rftheory.exact.enclosure import rational_ball
from rftheory.exact.evaluate import evaluate
from rftheory.exact.order import surely
from rftheory.exact.proof.rules.answers import proved, undecided
from rftheory.exact.proof.rules.binders import Binder, bound_in, inside, renamed, unfold
from rftheory.exact.proof.rules.conditions import hole, is_sign, nonnegative, steady
from rftheory.exact.proof.rules.premises import excess, index_domain, substituted
from rftheory.exact.proof.steps import Check, Finding, Scope, Step
from rftheory.exact.ranges import WHOLE_LINE, Range, ordered
from rftheory.exact.substitution import with_values
from rftheory.names import point_text


@dataclass(frozen=True)
class FromInequality:
    """An earlier inequality times a factor of known sign: difference = factor * earlier difference.

    Attributes
    ----------
    label : the earlier, proved inequality.
    factor : nonnegative over the domain (positive, for a strict one).
    given : proved equalities that are used first, as in :class:`Given`.
    """

    label: str
    factor: sympy.Expr = S.One
    given: tuple[str, ...] = ()

    def __call__(self, step: Step, scope: Scope) -> Finding:
        steps = scope.usable(step)
        source = next(
            (s for s in steps if s.label == self.label and s.relation in ("<", "<=", ">", ">=")), None
        )
        if source is None:
            return undecided(f"{self.label} is not a proved inequality")
        earlier, earlier_strict = excess(source)
        difference, strict = excess(step)
        replaced = substituted((difference,), self.given, step, scope)
        if isinstance(replaced, str):
            return undecided(replaced)
        found = scope.range(self.factor)
        if (strict and not (earlier_strict and found.positive)) or not found.nonnegative:
            return undecided(f"{self.factor} times {self.label} does not give the sign")
        missing = hole((self.factor, earlier), step, scope)
        if missing:
            return undecided(missing)
        method = scope.equal(replaced[0], self.factor * earlier)
        return (
            proved(f"{self.label} times {self.factor}; {method}")
            if method
            else undecided("the difference is not such a multiple")
        )


@dataclass(frozen=True)
class Combination:
    """An inequality whose difference is a combination of the differences of proved ones, with factors >= 0.

    Attributes
    ----------
    parts : label and factor of each proved inequality.
    sign : a power of -1 in the difference, such as ``(-1)**k``; then the first part must give the difference
        where it is +1, the second where it is -1.
    """

    parts: tuple[tuple[str, sympy.Expr], ...]
    sign: sympy.Expr | None = None

    def __call__(self, step: Step, scope: Scope) -> Finding:
        difference, _ = excess(step)
        if step.relation not in ("<=", ">="):
            return undecided("only a weak inequality follows")
        if any(s in scope.ranges and not scope.range(s).within(scope.ranges[s]) for s in scope.bound):
            return undecided("the inequalities are not proved for all values of the bound symbols")
        terms = []
        for label, factor in self.parts:
            source = next((s for s in scope.usable(step) if s.label == label and s.relation != "="), None)
            if source is None or source.relation == "~" or not scope.range(factor).nonnegative:
                return undecided(f"{factor} times {label} is not shown to be nonnegative")
            missing = hole((factor, excess(source)[0]), step, scope)
            if missing:
                return undecided(missing)
            terms.append(factor * excess(source)[0])
        if self.sign is None:
            pairs = [(difference, sympy.Add(*terms))]
        else:
            if not is_sign(self.sign) or len(terms) != 2:
                return undecided("a sign must be a power of -1, with one part for +1 and one for -1")
            pairs = [
                (difference.subs(self.sign, value), term) for value, term in ((1, terms[0]), (-1, terms[1]))
            ]
        methods = [scope.equal(a, b) for a, b in pairs]
        if None in methods:
            return undecided("the difference is not shown to be the combination")
        return proved(
            "combination of " + ", ".join(label for label, _ in self.parts), "; ".join(map(str, methods))
        )


@dataclass(frozen=True)
class Sign:
    """An inequality: larger minus smaller equals ``form``, whose range over the domain has the sign.

    Attributes
    ----------
    form : by default the difference itself.
    """

    form: sympy.Expr | None = None

    def __call__(self, step: Step, scope: Scope) -> Finding:
        if step.relation not in ("<", "<=", ">", ">="):
            return undecided("not an inequality")
        difference, strict = excess(step)
        form = difference if self.form is None else self.form
        method = scope.equal(difference, form)
        if method is None:
            return undecided(f"the difference is not shown to be {form}")
        missing = hole((form,), step, scope)
        if missing:
            return undecided(missing)
        found = scope.range(form)
        if found.positive if strict else found.nonnegative:
            return proved(f"larger - smaller = {form} {'>' if strict else '>='} 0 over the domain", method)
        return undecided(f"{form} is not shown to be {'positive' if strict else 'nonnegative'}")


@dataclass(frozen=True)
class Increasing:
    """f(small) <= f(large): the derivative of f is nonnegative over an interval that holds both arguments.

    Attributes
    ----------
    function : f, in ``symbol``.
    small, large : the arguments.
    ordered : the check of small <= large.
    domain : the interval.
    """

    function: sympy.Expr
    symbol: sympy.Symbol
    small: sympy.Expr
    large: sympy.Expr
    ordered: Check
    domain: Range = WHOLE_LINE

    def __call__(self, step: Step, scope: Scope) -> Finding:
        ends = (step.left, step.right) if step.relation == "<=" else (step.right, step.left)
        if step.relation not in ("<=", ">="):
            return undecided("only a weak inequality follows")
        if bound_in(self.function) & (self.small.free_symbols | self.large.free_symbols | {self.symbol}):
            return undecided(f"a symbol of the arguments is bound in {self.function}")
        for side, argument in zip(ends, (self.small, self.large), strict=True):
            if not scope.range(argument).within(self.domain):
                return undecided(f"{argument} is not shown to lie in {self.domain}")
            value = self.function.xreplace({self.symbol: argument})
            if scope.equal(value, side) is None:
                return undecided(f"{side} is not shown to be the function at {argument}")
            missing = hole((value,), step, scope)
            if missing:
                return undecided(missing)
        slope, within = derivative(self.function, self.symbol), scope.bind({self.symbol: self.domain})
        if not nonnegative(slope, within):
            return undecided(f"{slope} is not shown to be nonnegative")
        if not steady(self.function, self.symbol, within):
            return undecided(f"{self.function} is not shown to be continuous in {self.symbol}")
        found = self.ordered(Step(f"{step.label} (arguments)", self.small, self.large, "<="), scope)
        if found.status != "proved":
            return undecided(f"the order of the arguments is open: {found.method}")
        return proved(f"{self.function} is increasing in {self.symbol}: slope {slope}; {found.method}")


@dataclass(frozen=True)
class Termwise:
    """An inequality between sums or integrals, or of one with 0, from that between their bodies.

    Attributes
    ----------
    body : the check of body <= body (the relation of the step, not strict).
    strict_at : for a strict relation, values of the bound symbols at which the bodies differ strictly.
    strict : the check of the strict inequality there.
    """

    body: Check
    strict_at: Mapping[sympy.Symbol, int] = field(default_factory=dict)
    strict: Check | None = None

    def __call__(self, step: Step, scope: Scope) -> Finding:
        left, a = unfold(step.left)
        right, b = (left, S.Zero) if step.right == 0 else unfold(step.right)
        if len(left) != len(right) or not left:
            return undecided("the sides have different numbers of sums and integrals")
        right, b = renamed(right, b, left)
        if left != right:
            return undecided("the sides have different limits")
        within = inside(scope, left)
        if not all(ordered(x.low, x.high, within.known, x.head is Integral) for x in left):
            return undecided("a lower limit is not shown to be at most the upper one")
        weak = step.relation[0] + "="
        found = self.body(Step(f"{step.label} (body)", a, b, weak), within)
        if found.status != "proved" or step.relation == weak:
            return Finding(found.status, f"termwise: {found.method}", found.witness)
        return self._strictly(step, a, b, left, scope, found.method)

    def _strictly(
        self, step: Step, a: sympy.Expr, b: sympy.Expr, binders: tuple[Binder, ...], scope: Scope, method: str
    ) -> Finding:
        if self.strict is None or set(self.strict_at) != {x.symbol for x in binders}:
            return undecided("no term is shown to be strictly smaller")
        where, within = dict(self.strict_at), inside(scope, binders)
        for x in binders:
            low, high = (with_values(end, where) for end in (x.low, x.high))
            ends = (low, where[x.symbol]), (where[x.symbol], high)
            term = x.head is Sum and all(ordered(*pair, scope.known) for pair in ends)
            inner = term or all(surely(high - low, ">") for low, high in ends)
            if not inner or (not term and not all(steady(body, x.symbol, within) for body in (a, b))):
                return undecided(f"a strict inequality at one {x.symbol} says nothing about the integral")
        one = Step(f"{step.label} (term)", a.subs(where), b.subs(where), step.relation)
        found = self.strict(one, scope)
        return Finding(
            found.status, f"termwise: {method}; strict at {point_text(where)}: {found.method}", found.witness
        )


@dataclass(frozen=True)
class Scaled:
    """An inequality multiplied by a factor that is nonnegative (positive, for a strict one) over the
    domain."""

    factor: sympy.Expr
    check: Check

    def __call__(self, step: Step, scope: Scope) -> Finding:
        found = scope.range(self.factor)
        if not (found.positive if step.relation in ("<", ">") else found.nonnegative):
            return undecided(f"the sign of {self.factor} is open")
        left, right = (sympy.powsimp(side / self.factor) for side in (step.left, step.right))
        if not all(scope.equal(self.factor * a, b) for a, b in ((left, step.left), (right, step.right))):
            return undecided(f"the sides are not shown to be multiples of {self.factor}")
        missing = hole((self.factor, left, right), step, scope)
        if missing:
            return undecided(missing)
        inner = self.check(Step(step.label, left, right, step.relation, conditions=step.conditions), scope)
        return Finding(inner.status, f"times {self.factor} >= 0: {inner.method}", inner.witness)


@dataclass(frozen=True)
class Ladder:
    """An inequality for all integers n >= start: D(n+1) = factor D(n) + remainder, neither negative.

    D is the larger side minus the smaller one; strict if D(start) > 0 and also
    factor > 0 or remainder > 0.

    Attributes
    ----------
    plus : further nonnegative parts of the remainder: label of a proved inequality, and its factor >= 0.
    """

    index: sympy.Symbol
    start: int
    factor: sympy.Expr
    remainder: sympy.Expr
    plus: tuple[tuple[str, sympy.Expr], ...] = ()

    def __call__(self, step: Step, scope: Scope) -> Finding:
        n = self.index
        missing = index_domain(step, scope, n, self.start)
        if missing:
            return undecided(missing)
        gap, strict = excess(step)
        total, rest = self.factor * gap + self.remainder, [self.factor, self.remainder]
        for label, factor in self.plus:
            source = next(
                (s for s in scope.usable(step) if s.label == label and s.relation in ("<=", ">=", "<", ">")),
                None,
            )
            if source is None or not scope.range(factor).nonnegative:
                return undecided(f"{factor} times {label} is not shown to be nonnegative")
            total += factor * excess(source)[0]
            rest += [factor, excess(source)[0]]
        if scope.equal(gap.subs(n, n + 1), total) is None:
            return undecided("the difference is not shown to satisfy the recurrence")
        first = gap.subs(n, self.start)
        base = sympy.simplify(sympy.expand_func(first))
        if scope.equal(first, base) is None:
            return undecided(f"{first} is not shown to be {base}")
        ranges = [scope.range(e) for e in (base, self.factor, self.remainder)]
        if not all(r.nonnegative for r in ranges):
            return undecided(
                f"a sign is open: first {base}, factor {self.factor}, remainder {self.remainder}"
            )
        if strict and not (ranges[0].positive and (ranges[1].positive or ranges[2].positive)):
            return undecided("the inequality is not shown to be strict")
        missing = hole(rest, step, scope)
        if missing:
            return undecided(missing)
        return proved(
            f"induction on {n} from {self.start}: D({n}+1) = ({self.factor}) D({n}) + {self.remainder}, "
            f"D({self.start}) = {base}"
        )


@dataclass(frozen=True)
class OnBox:
    """An inequality on a box, by branch and bound with interval arithmetic on the difference.

    Attributes
    ----------
    box : exact ends for each symbol.
    pieces : the largest number of sub-boxes.
    """

    box: Mapping[sympy.Symbol, tuple[object, object]]
    pieces: int = 4000

    def __call__(self, step: Step, scope: Scope) -> Finding:
        difference, strict = excess(step)
        symbols = tuple(self.box)
        domain = [scope.range(s) for s in symbols]
        ends = [tuple(sympy.nsimplify(x, rational=True) for x in self.box[s]) for s in symbols]
        if any(not inside_.within(Range(*end)) for inside_, end in zip(domain, ends, strict=True)):
            return undecided("the box does not cover the domain")
        todo, count = [tuple(ends)], 0
        while todo:
            piece = todo.pop()
            count += 1
            if count > self.pieces:
                return undecided(f"not decided after {self.pieces} sub-boxes")
            low = _lower_bound(difference, symbols, piece)
            if low is not None and (low > 0 or (not strict and low >= 0)):
                continue
            widest = max(range(len(symbols)), key=lambda i: piece[i][1] - piece[i][0])
            a, b = piece[widest]
            todo += [
                (*piece[:widest], half, *piece[widest + 1 :]) for half in ((a, (a + b) / 2), ((a + b) / 2, b))
            ]
        return proved(f"branch and bound, {count} sub-boxes")


def _lower_bound(expression: sympy.Expr, symbols: tuple[sympy.Symbol, ...], piece: tuple) -> arb | None:  # type: ignore[type-arg]
    with ctx.workprec(64):
        values = {
            s: rational_ball(a).union(rational_ball(b)) for s, (a, b) in zip(symbols, piece, strict=True)
        }
        try:
            ball = evaluate(expression, values)
        except (NotCertified, ZeroDivisionError):
            return None
    return ball.lower() if isinstance(ball, arb) and ball.is_finite() else None
