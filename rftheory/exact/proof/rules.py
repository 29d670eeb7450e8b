"""The checks that prove steps: equal expressions, changes of variable, exchanges, lemmas, inductions, signs.

Each check is a small frozen object that is called with the step and its scope. It answers ``proved`` only for a
proof; if its premises cannot be established it answers ``undecided`` and says which one is missing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy
from flint import arb, ctx
from sympy import Integral, S, Sum, sympify
from sympy.core.function import AppliedUndef

from rftheory.errors import InvalidInput, NotCertified, checked_integer
from rftheory.exact.enclosure import rational_ball
from rftheory.exact.evaluate import evaluate
from rftheory.exact.order import surely
from rftheory.exact.proof.steps import Check, Finding, Scope, Step, chain
from rftheory.exact.ranges import WHOLE_LINE, Range, ordered
from rftheory.exact.substitution import with_values
from rftheory.exact.vanishing import vanishes
from rftheory.names import plural

POSITIVE = Range(S.Zero, S.Infinity, True)


def proved(method: str, witness: str = "") -> Finding:
    return Finding("proved", method, witness)


def undecided(why: str) -> Finding:
    return Finding("undecided", why)


# ---- sums and integrals as binders around a body --------------------------------------------------


@dataclass(frozen=True)
class Binder:
    """One sum or integral: its head, its bound symbol and its limits."""

    head: type
    symbol: sympy.Symbol
    low: sympy.Expr
    high: sympy.Expr

    @property
    def range(self) -> Range:
        """The range of the bound symbol: an integral ignores its ends, a sum does not reach infinity."""
        integral = self.head is Integral
        return Range(self.low, self.high, integral, integral or self.high is S.Infinity)


def unfold(expression: sympy.Expr) -> tuple[tuple[Binder, ...], sympy.Expr]:
    """Outermost-first binders and the body, with all factors moved into the body (linearity).

    Examples
    --------
    >>> k, x = sympy.symbols("k x")
    >>> binders, body = unfold(2 * Sum(Integral(x**k, (x, 0, 1)), (k, 0, 3)))
    >>> [str(b.symbol) for b in binders], body
    (['k', 'x'], 2*x**k)
    """
    binders: list[Binder] = []
    while True:
        parts = sympy.Mul.make_args(expression)
        head = next((p for p in parts if isinstance(p, Sum | Integral)), None)
        if head is None:
            return tuple(binders), expression
        factor = sympy.Mul(*(p for p in parts if p is not head))
        own = [Binder(type(head), symbol, low, high) for symbol, low, high in reversed(head.limits)]
        if factor.free_symbols & {b.symbol for b in own} or {b.symbol for b in own} & {
            b.symbol for b in binders
        }:
            raise InvalidInput(
                "sum or integral", needs="a bound symbol that does not occur outside", got=str(head.limits)
            )
        binders += own
        expression = factor * head.function


def gathered(expression: sympy.Expr) -> tuple[tuple[Binder, ...], sympy.Expr]:
    """Like :func:`unfold`, but several terms with the same binders become one body (linearity)."""
    parts = [unfold(part) for part in sympy.Add.make_args(expression)]
    binders = parts[0][0]
    if len(parts) == 1 or not binders or any(len(b) != len(binders) for b, _ in parts):
        return unfold(expression)
    renamed = [_renamed(b, body, binders) for b, body in parts]
    if any(b != binders for b, _ in renamed):
        return unfold(expression)
    return binders, sympy.Add(*(body for _, body in renamed))


def fold(binders: tuple[Binder, ...], body: sympy.Expr) -> sympy.Expr:
    """The inverse of :func:`unfold`."""
    for binder in reversed(binders):
        body = binder.head(body, (binder.symbol, binder.low, binder.high))
    return body


def inside(scope: Scope, binders: tuple[Binder, ...]) -> Scope:
    """The scope of the body."""
    return scope.bind({b.symbol: b.range for b in binders})


def _bound_in(expression: sympy.Expr) -> set[sympy.Symbol]:
    """The symbols that sums and integrals bind."""
    return {s for node in expression.atoms(Sum, Integral) for s, *_ in node.limits}


def _captured(instance: Mapping[sympy.Symbol, sympy.Expr], step: Step) -> str:
    """What a substitution into both sides of a step would bring under a sum or an integral that binds it."""
    taken = (_bound_in(step.left) | _bound_in(step.right)) & {
        s for value in instance.values() for s in sympify(value).free_symbols
    }
    return f"{min(taken, key=str)} is bound in {step.label}" if taken else ""


def _unmet(instance: Mapping[sympy.Symbol, sympy.Expr], used: Step, step: Step, scope: Scope) -> str:
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


def _renamed(
    binders: tuple[Binder, ...], body: sympy.Expr, names: tuple[Binder, ...]
) -> tuple[tuple[Binder, ...], sympy.Expr]:
    """The same expression with bound symbols renamed to ``names``, position by position."""
    change = {b.symbol: n.symbol for b, n in zip(binders, names, strict=True)}
    taken = fold(binders, body).free_symbols & set(change.values())
    if taken:
        raise InvalidInput(
            "sum or integral", needs="a bound symbol that is not free elsewhere", got=f"{min(taken, key=str)}"
        )
    renamed = tuple(
        Binder(b.head, change[b.symbol], b.low.xreplace(change), b.high.xreplace(change)) for b in binders
    )
    return renamed, body.xreplace(change)


# ---- equalities ----------------------------------------------------------------------------------


def equality(check: Callable[[Any, Step, Scope], Finding]) -> Callable[[Any, Step, Scope], Finding]:
    """A check that shows the sides to be equal, so that a strict inequality between them is not proved."""

    @functools.wraps(check)
    def checked(self: Any, step: Step, scope: Scope) -> Finding:
        if step.relation in ("<", ">"):
            return undecided(f"equal sides are not {step.relation}")
        return check(self, step, scope)

    return checked


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
    """Prove equality of the same convergent sums and integrals of equal bodies (linearity moves factors inside)."""

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        left, body = gathered(step.left)
        right, other = gathered(step.right)
        if len(left) != len(right):
            return undecided("the sides have different numbers of sums and integrals")
        right, other = _renamed(right, other, left)
        if left != right:
            return undecided("the sides have different limits")
        method = inside(scope, left).equal(body, other)
        return (
            proved(f"equal bodies: {method}") if method else undecided("the bodies are not shown to be equal")
        )


@dataclass(frozen=True)
class Exchange:
    """Exchange the order of sums and integrals: Tonelli for a nonnegative body, Fubini for a summable one.

    Attributes
    ----------
    summable : for a body of changing sign, the label of a proved step whose left side is the sum of a
        majorant: same binders, body = |body|.
    """

    summable: str = ""

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        left, body = unfold(step.left)
        right, other = unfold(step.right)
        if set(left) != set(right):
            return undecided("the sides do not have the same sums and integrals")
        bound = {b.symbol for b in left}
        if any((b.low.free_symbols | b.high.free_symbols) & bound for b in left):
            return undecided("limits that depend on bound symbols")
        within = inside(scope, left)
        method = within.equal(body, other)
        if method is None:
            return undecided("the bodies are not shown to be equal")
        reason = self._allowed(step, body, left, within)
        return (
            proved(f"{reason}; bodies: {method}")
            if reason
            else undecided("the body is not shown to be nonnegative or summable")
        )

    def _allowed(self, at: Step, body: sympy.Expr, binders: tuple[Binder, ...], scope: Scope) -> str:
        if nonnegative(body, scope):
            return "Tonelli: the body is nonnegative"
        closed = scope.bind({b.symbol: Range(b.low, b.high) for b in binders})
        if (
            all(b.low.is_finite and b.high.is_finite for b in binders)
            and all(b.head is Sum for b in binders[1:])
            and all(steady(body, b.symbol, closed) for b in binders if b.head is Integral)
        ):
            return "a finite sum of continuous functions over a bounded interval"
        for step in scope.usable(at):
            if step.label == self.summable:
                others, majorant = unfold(step.left)
                bare = body.replace(_is_sign, lambda e: S.One)
                if (
                    set(others) == set(binders)
                    and nonnegative(majorant, scope)
                    and scope.equal(bare, majorant)
                ):
                    return f"Fubini: |body| is summed in {self.summable}"
        return ""


def _is_sign(e: sympy.Expr) -> bool:
    return bool(e.is_Pow and e.base == -1 and e.exp.is_integer)


def nonnegative(expression: sympy.Expr, scope: Scope) -> bool:
    """Whether the expression can be shown to be nonnegative over the scope, as written or factored."""
    return scope.range(expression).nonnegative or scope.range(sympy.factor(expression)).nonnegative


def positive_almost_everywhere(expression: sympy.Expr, scope: Scope) -> bool:
    """Whether it is positive for almost all values of the integration symbols, for all parameters.

    Either its range is positive, or it is nonnegative, analytic (up to a power) in a bound symbol and positive at
    an end of that symbol's interval, so that its zeros are isolated.
    """
    if all(positive_factor(factor, scope) for factor in sympy.Mul.make_args(expression)):
        return True
    return scope.range(expression).positive


_NOT_ANALYTIC = (sympy.Abs, sympy.Max, sympy.Min, sympy.Piecewise, sympy.Heaviside, sympy.sign, sympy.floor,
    AppliedUndef)  # fmt: skip


def positive_factor(factor: sympy.Expr, scope: Scope) -> bool:
    """The same for one factor, a power of an analytic function."""
    if scope.range(factor).positive:
        return True
    base = factor.as_base_exp()[0]
    if not scope.range(base).nonnegative or base.has(*_NOT_ANALYTIC):
        return False
    ends = [
        base.subs(s, scope.bound[s].low)
        for s in base.free_symbols & set(scope.bound)
        if not s.is_integer and scope.bound[s].low.is_number
    ]
    return any(scope.range(end).positive for end in ends)


@dataclass(frozen=True)
class ChangeVariable:
    """A change of variable in one integral: old = form(new), increasing, ends onto ends.

    Attributes
    ----------
    old, new : integration symbols on the left and on the right (they may be the same).
    form : old in terms of new; its derivative must show that it is strictly monotone.
    """

    old: sympy.Symbol
    new: sympy.Symbol
    form: sympy.Expr

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        left, body = unfold(step.left)
        right, other = unfold(step.right)
        place = next((i for i, b in enumerate(left) if b.symbol == self.old and b.head is Integral), None)
        if place is None or len(left) != len(right) or right[place].symbol != self.new:
            return undecided("no such integral on both sides")
        if self.new != self.old and self.new in step.left.free_symbols | _bound_in(step.left):
            return undecided(f"{self.new} has a meaning on the left already")
        source, target = left[place], right[place]
        if self.form.free_symbols & {b.symbol for b in left[place + 1 :]}:
            return undecided(f"{self.form} depends on symbols that are bound further inside")
        fresh = {self.old: self.form}
        further_in = tuple(
            Binder(b.head, b.symbol, b.low.xreplace(fresh), b.high.xreplace(fresh)) for b in left[place + 1 :]
        )
        if (*left[:place], *further_in) != (*right[:place], *right[place + 1 :]):
            return undecided("the other sums and integrals differ")
        within = inside(scope, right)
        slope = sympy.diff(self.form, self.new)
        if not self._monotone(slope, within):
            return undecided(f"{self.form} is not shown to be increasing in {self.new}")
        if not steady(self.form, self.new, within):
            return undecided(f"{self.form} is not shown to be continuous in {self.new}")
        for end, goal in ((target.low, source.low), (target.high, source.high)):
            if not self._maps(end, goal, inside(scope, left[:place])):
                return undecided(f"{self.new} = {end} is not shown to give {self.old} = {goal}")
        method = within.equal(body.xreplace(fresh) * slope, other)
        return (
            proved(f"{self.old} = {self.form}, Jacobian {slope}; {method}")
            if method
            else undecided("the bodies are not shown to be equal")
        )

    def _monotone(self, slope: sympy.Expr, scope: Scope) -> bool:
        return positive_almost_everywhere(slope, scope)

    def _maps(self, end: sympy.Expr, goal: sympy.Expr, scope: Scope) -> bool:
        value = (
            sympy.limit(self.form, self.new, end) if end.is_infinite else self.form.xreplace({self.new: end})
        )
        slope = sympy.diff(self.form, self.new)
        if goal is S.Infinity and end is S.Infinity and not slope.has(self.new):
            return positive_almost_everywhere(slope, scope)
        if value.is_infinite or goal.is_infinite:
            return bool(value == goal)
        return value == goal or scope.equal(value, goal) is not None


@dataclass(frozen=True)
class Symmetry:
    """An integral over an interval symmetric about ``centre``: 0 if odd, twice the upper half if even.

    Attributes
    ----------
    centre : exact middle of the interval.
    """

    centre: sympy.Expr = S.Zero

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        binders, body = unfold(step.left)
        if len(binders) != 1 or binders[0].head is not Integral:
            return undecided("the left side is not a single integral")
        x, low, high = binders[0].symbol, binders[0].low, binders[0].high
        if low + high != 2 * self.centre and (low, high) != (-S.Infinity, S.Infinity):
            return undecided(f"the interval is not symmetric about {self.centre}")
        mirrored = body.subs(x, 2 * self.centre - x)
        within = inside(scope, binders)
        if not steady(body, x, within):
            return undecided("the body is not shown to be continuous")
        if step.right == 0:
            if low.is_infinite and not _falls_like_a_normal_density(body, x, within):
                return undecided("the integral is not shown to converge")
            method = within.equal(mirrored, -body)
            return (
                proved(f"odd about {self.centre}: {method}")
                if method
                else undecided("the body is not shown to be odd")
            )
        method = within.equal(mirrored, body)
        half = Step(step.label, Integral(2 * body, (x, self.centre, high)), step.right)
        found = Inside()(half, scope)
        return (
            proved(f"even about {self.centre}: {method}")
            if method and found.status == "proved"
            else undecided("the body is not shown to be even")
        )


def _falls_like_a_normal_density(body: sympy.Expr, x: sympy.Symbol, scope: Scope) -> bool:
    """Whether it is exp(q(x)), q of degree 2 with a negative leading coefficient, times a polynomial and waves."""
    exponent = S.Zero
    for factor in sympy.Mul.make_args(body):
        if isinstance(factor, sympy.exp) and factor.args[0].is_polynomial(x):
            exponent += factor.args[0]
        elif isinstance(factor, sympy.sin | sympy.cos):
            if not scope.is_real(factor.args[0]):
                return False
        elif not factor.is_polynomial(x):
            return False
    leading = sympy.Poly(exponent, x).coeff_monomial(x**2)
    return sympy.degree(exponent, x) == 2 and scope.range(-leading).positive


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
        missing = _unmet(change, statement, step, scope)
        if missing:
            return undecided(missing)
        goal, value = (lemma.statement.left, lemma.statement.right)[:: -1 if self.reverse else 1]
        goal, value = with_values(goal, change), with_values(value, change)
        binders, body = unfold(step.left)
        inner, kernel = unfold(goal)
        outer, own = binders[: len(binders) - len(inner)], binders[len(binders) - len(inner) :]
        if len(own) != len(inner):
            return undecided(f"the left side has no {self.lemma} inside")
        inner, kernel = _renamed(inner, kernel, own)
        within = inside(scope, outer)
        outside = self._outside(lemma.variables, within)
        if outside:
            return undecided(outside)
        if any(
            within.equal(a, b) is None
            for p, q in zip(own, inner, strict=True)
            for a, b in ((p.low, q.low), (p.high, q.high))
        ):
            return undecided(f"limits differ from those of {self.lemma}")
        factor = _quotient(body, kernel, {b.symbol for b in own}, inside(within, own))
        if factor is None:
            return undecided(f"the body is not a multiple of that of {self.lemma}")
        rest, target = unfold(step.right)
        result, remaining = unfold(fold(outer, factor * value))
        if len(rest) != len(result):
            return undecided("what remains and the right side have different sums and integrals")
        rest, target = _renamed(rest, target, result)
        method = inside(scope, result).equal(remaining, target) if rest == result else None
        return (
            proved(f"{self.lemma} with {_assignment(change)}; rest: {method}")
            if method
            else undecided("what remains is not shown to be equal")
        )

    def _outside(self, variables: tuple, scope: Scope) -> str:  # type: ignore[type-arg]
        for variable in variables:
            value = self.instance.get(variable.symbol, variable.symbol)
            if variable.integer and not value.is_integer:
                return f"{value} is not shown to be an integer"
            domain = variable.range
            inside_domain = scope.range(value).within(domain) or (
                domain == POSITIVE and positive_factor(value, scope)
            )
            if not variable.complex and not inside_domain:
                return f"{variable.name} = {value} is not shown to satisfy {variable.domain}"
        return ""


def _assignment(change: Mapping[sympy.Symbol, sympy.Expr]) -> str:
    return ", ".join(f"{a} = {b}" for a, b in change.items()) or "its own variables"


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

    Only a derivation ``definition.*`` may define; sample points guard the reading.
    """

    name: str

    def __call__(self, step: Step, scope: Scope) -> Finding:
        heads = [{f.func for f in side.atoms(sympy.Function)} for side in (step.left, step.right)]
        if not scope.subject.startswith("definition.") or not unfold(step.left)[0] or heads[1] <= heads[0]:
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
        return proved(f"{self.name} with {_assignment(self.at)}, guarded at {plural(guard.agreed, 'point')}")


@dataclass(frozen=True)
class Antiderivative:
    """The left side is an integral, ``primitive`` an antiderivative; right is its difference at the ends."""

    primitive: sympy.Expr

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        binders, body = unfold(step.left)
        if len(binders) != 1 or binders[0].head is not Integral:
            return undecided("the left side is not a single integral")
        x = binders[0].symbol
        within = inside(scope, binders)
        if within.equal(sympy.diff(self.primitive, x), body) is None:
            return undecided(f"the derivative of {self.primitive} is not shown to be the integrand")
        if not steady(self.primitive, x, within):
            return undecided(f"{self.primitive} is not shown to be continuous in {x}")
        ends = at_end(self.primitive, x, binders[0].high) - at_end(self.primitive, x, binders[0].low)
        method = scope.equal(ends, step.right)
        return (
            proved(f"antiderivative {self.primitive}; {method}")
            if method
            else undecided(f"{ends} is not shown to be the right side")
        )


_STEADY = (sympy.exp, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.tanh, sympy.atan, sympy.erf, sympy.Abs,
    sympy.Add, sympy.Mul, AppliedUndef)  # fmt: skip


def steady(expression: sympy.Expr, symbol: sympy.Symbol, scope: Scope) -> bool:
    """Whether an expression is continuous in the symbol over its range; functions without a formula are.

    Examples
    --------
    >>> t, n = sympy.Symbol("t", real=True), sympy.Symbol("n", integer=True, positive=True)
    >>> steady(sympy.sin(t) ** (n - 1) * sympy.exp(-t), t, Scope("", {}, ())), steady(1 / t, t, Scope("", {}, ()))
    (True, False)
    >>> [steady(1 / t, t, Scope("", {}, (), bound={t: Range(S(low), S.One, True)})) for low in (0, -1)]
    [True, False]
    """
    if symbol not in expression.free_symbols or expression == symbol:
        return True
    if isinstance(expression, sympy.Subs):  # a derivative of such a function
        return isinstance(expression.expr, sympy.Derivative) and all(
            steady(e, symbol, scope) for e in (expression.expr, *expression.point)
        )
    if isinstance(expression, sympy.Derivative):
        return isinstance(expression.expr, AppliedUndef) and steady(expression.expr, symbol, scope)
    if isinstance(expression, sympy.log):
        return _positive(expression.args[0], scope) and steady(expression.args[0], symbol, scope)
    if expression.is_Pow and expression.base is not S.Exp1:
        base, power = expression.args
        found = scope.range(base)
        whole = power.is_integer and (power.is_nonnegative or (-found).positive)
        # 0**t jumps at t = 0, where the base may vanish
        rises = power.is_nonnegative and (symbol not in power.free_symbols or scope.range(power).positive)
        defined = _positive(base, scope) or whole or (found.nonnegative and rises)
        return bool(defined) and all(steady(e, symbol, scope) for e in (base, power))
    known = isinstance(expression, _STEADY) or expression.is_Pow
    return known and all(steady(e, symbol, scope) for e in expression.args)


def _positive(expression: sympy.Expr, scope: Scope) -> bool:
    """Whether it is positive by its range, or at both ends of a variable in which it is linear."""
    if scope.range(expression).positive:
        return True
    for symbol in expression.free_symbols & set(scope.ranges):
        ends = scope.ranges[symbol].low, scope.ranges[symbol].high
        if all(e.is_finite for e in ends) and sympy.expand(sympy.diff(expression, symbol, 2)) == 0:
            return all(scope.range(expression.subs(symbol, e)).positive for e in ends)
    return False


def at_end(expression: sympy.Expr, symbol: sympy.Symbol, end: sympy.Expr) -> sympy.Expr:
    """Value or limit at an end of integration."""
    return sympy.limit(expression, symbol, end) if end.is_infinite else expression.subs(symbol, end)


@dataclass(frozen=True)
class IntegralRecurrence:
    """An integral in n by induction: body(n + shift) - ratio body(n) is the derivative of ``boundary``.

    Attributes
    ----------
    index : n, from ``start`` on.
    ratio : with right(n + shift) = ratio right(n).
    boundary : vanishes at both ends.
    bases : for the first ``shift`` values of n, the checks of left = right.
    """

    index: sympy.Symbol
    start: int
    ratio: sympy.Expr
    boundary: sympy.Expr
    bases: tuple[Check, ...]

    def __post_init__(self) -> None:
        if not self.bases:
            raise InvalidInput("IntegralRecurrence", needs="base cases", got=self.bases)

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        n, shift = self.index, len(self.bases)
        missing = index_domain(scope, n, self.start)
        if missing:
            return undecided(missing)
        binders, body = unfold(step.left)
        if len(binders) != 1 or binders[0].head is not Integral:
            return undecided("not a single integral")
        x, within = binders[0].symbol, inside(scope, binders)
        increment = body.subs(n, n + shift) - self.ratio * body
        if within.equal(sympy.diff(self.boundary, x), increment) is None:
            return undecided("the boundary term is not shown to be the antiderivative of the increment")
        if not steady(self.boundary, x, within):
            return undecided(f"{self.boundary} is not shown to be continuous in {x}")
        if any(at_end(self.boundary, x, end) != 0 for end in (binders[0].low, binders[0].high)):
            return undecided("the boundary term does not vanish at the ends")
        if scope.equal(step.right.subs(n, n + shift), self.ratio * step.right) is None:
            return undecided("the right side is not shown to satisfy the recurrence")
        for offset, base in enumerate(self.bases):
            first = base_step(step, n, self.start + offset)
            if base(first, scope).status != "proved":
                return undecided(f"base case {n} = {self.start + offset} is not proved")
        return proved(
            f"induction on {n} in steps of {shift} from {self.start}, by parts with {self.boundary}"
        )


@dataclass(frozen=True)
class RatioInduction:
    """Two closed forms in an integer n are equal: base cases, and equal ratios of consecutive values."""

    index: sympy.Symbol
    start: int
    shift: int = 1

    def __post_init__(self) -> None:
        checked_integer("shift of RatioInduction", self.shift, 1)

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        n = self.index
        missing = index_domain(scope, n, self.start)
        if missing:
            return undecided(missing)
        ratios = [side.subs(n, n + self.shift) / side for side in (step.left, step.right)]
        method = scope.equal(ratios[0], ratios[1])
        if method is None:
            return undecided("the ratios of consecutive values are not shown to be equal")
        for offset in range(self.shift):
            first = base_step(step, n, self.start + offset)
            if scope.equal(first.left, first.right) is None:
                return undecided(f"base case {n} = {self.start + offset} is not proved")
        return proved(f"induction on {n} from {self.start}; ratios: {method}")


def base_step(step: Step, index: sympy.Symbol, value: int) -> Step:
    """The step at one value of the index."""
    left, right = (side.subs(index, value) for side in (step.left, step.right))
    return Step(f"{step.label} at {index} = {value}", left, right, step.relation)


def index_domain(scope: Scope, index: sympy.Symbol, start: int) -> str:
    """What is wrong with an induction over ``index``, whose domain must be the integers from ``start``."""
    if not index.is_integer:
        return f"{index} is not an integer"
    low = scope.range(index).low
    return "" if low >= start else f"the domain of {index} begins at {low}, the induction at {start}"


@dataclass(frozen=True)
class StateInduction:
    """A relation between quantities that grow with an integer n (sums over the first n of something).

    Attributes
    ----------
    index, start : the induction variable and its first value.
    initial : value of each quantity at ``start``.
    update : each quantity at n + 1 in terms of those at n and of new symbols.
    increment : for a weak inequality, the label of a proved one whose difference is the increment of the step's.
    """

    index: sympy.Symbol
    start: int
    initial: Mapping[sympy.Symbol, sympy.Expr]
    update: Mapping[sympy.Symbol, sympy.Expr]
    increment: str = ""

    def __call__(self, step: Step, scope: Scope) -> Finding:
        if step.relation in ("<", ">", "~"):
            return undecided("only an equality or a weak inequality follows")
        loose = (set(self.initial) ^ set(self.update)) | {q for q in self.update if q not in scope.tied}
        if loose:
            return undecided(f"{min(loose, key=str)} is not a quantity that n determines, a tied variable")
        missing = index_domain(scope, self.index, self.start)
        if missing:
            return undecided(missing)
        gap = step.left - step.right if step.relation == "=" else _difference(step)[0]
        first = sympy.simplify(with_values(gap, {self.index: self.start, **self.initial}))
        growth = self._growth(step, scope)
        if growth is None:
            return undecided(f"{self.increment} is not a proved inequality")
        if first != 0 and sympy.simplify(first - growth) != 0 and not scope.range(first).nonnegative:
            return undecided("the relation is not shown to hold at the start")
        if first != 0 and step.relation == "=":
            return undecided("the equality is not shown to hold at the start")
        after = with_values(gap, {self.index: self.index + 1, **self.update})
        if not vanishes(after - gap - growth):
            return undecided("the relation is not shown to pass from n to n + 1")
        quantities = ", ".join(f"{q} -> {e}" for q, e in self.update.items())
        return proved(f"induction on {self.index} from {self.start} with {quantities}")

    def _growth(self, step: Step, scope: Scope) -> sympy.Expr | None:
        if step.relation == "=":
            return S.Zero
        source = proved_inequality(self.increment, step, scope)
        return None if source is None or _unmet({}, source, step, scope) else _difference(source)[0]


def proved_inequality(label: str, step: Step, scope: Scope) -> Step | None:
    """The proved inequality with that label, in this derivation, or the statement of another derivation."""
    for source in scope.usable(step):
        if source.label == label:
            return source if source.relation in ("<", "<=", ">", ">=") else None
    if "/" in label:
        return None
    derivation, holds = scope.lemma(label)
    return derivation.statement if holds and derivation.statement.relation in ("<", "<=", ">", ">=") else None


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
        source = proved_inequality(self.label, step, scope)
        if source is None:
            return undecided(f"{self.label} is not a proved inequality")
        domain = scope.ranges
        if "/" not in self.label:
            domain = {v.symbol: v.range for v in scope.lemma(self.label)[0].variables}
        for symbol in source.left.free_symbols | source.right.free_symbols:
            value = self.instance.get(symbol, symbol)
            if symbol.is_integer and not value.is_integer:
                return undecided(f"{value} is not shown to be an integer")
            if symbol in domain and not scope.range(value).within(domain[symbol]):
                return undecided(f"{symbol} = {value} is not shown to lie in the domain")
        missing = _unmet(self.instance, source, step, scope)
        if missing:
            return undecided(missing)
        earlier, earlier_strict = _difference(source)
        difference, strict = _difference(step)
        if strict and not earlier_strict:
            return undecided(f"{self.label} is not strict")
        method = scope.equal(difference, with_values(earlier, self.instance))
        where = _assignment(self.instance)
        return (
            proved(f"{self.label} with {where}; {method}")
            if method
            else undecided("the step is not such an instance")
        )


@dataclass(frozen=True)
class SeriesHead:
    """``left ~ right`` as symbol -> 0: left is a convergent power series, right its first terms.

    Attributes
    ----------
    symbol : the variable; the term k is a multiple of symbol^(power k).
    power : such as 2 for a series in v^2.
    count : number of terms on the right; the rest is O(symbol^(power count)).
    majorant : where the series is not hypergeometric, the label of a proved ``left <= majorant`` between
        series of nonnegative terms.
    """

    symbol: sympy.Symbol
    power: int
    count: int
    majorant: str = ""

    @property
    def rest(self) -> sympy.Expr:
        """What the difference of the sides is of the order of."""
        return self.symbol ** (self.power * self.count)

    def __call__(self, step: Step, scope: Scope) -> Finding:
        head, *inner = (binders := unfold(step.left)[0])
        body = unfold(step.left)[1]
        if head.head is not Sum or head.low != 0 or head.high is not S.Infinity:
            return undecided("the left side is not a series")
        coefficient = sympy.powsimp(sympy.expand_power_base(body / self.symbol ** (self.power * head.symbol)))
        if coefficient.has(self.symbol):
            return undecided(
                f"the terms are not shown to be multiples of {self.symbol}^({self.power} {head.symbol})"
            )
        if not self._converges(step, scope, nonnegative(body, inside(scope, binders))):
            return undecided("the series is not shown to converge")
        first = sympy.Add(*(fold(tuple(inner), body).subs(head.symbol, i) for i in range(self.count)))
        method = scope.equal(_evaluated(first), step.right)
        return (
            proved(f"power series, rest O({self.rest}); first terms: {method}".replace("**", "^"))
            if method
            else undecided(f"the first terms are {first}")
        )

    def _converges(self, step: Step, scope: Scope, positive: bool) -> bool:
        series = step.left
        if self.majorant:
            bound = proved_inequality(self.majorant, step, scope)
            if (
                bound is None
                or _unmet({}, bound, step, scope)
                or not positive
                or bound.relation not in ("<", "<=")
                or bound.left != step.left
            ):
                return False
            series = bound.right
        return scope.guard(series, series).agreed > 0


def _evaluated(expression: sympy.Expr) -> sympy.Expr:
    """The expression with finite sums evaluated."""
    return expression.replace(lambda e: isinstance(e, Sum) and e.limits[0][2].is_Integer, lambda e: e.doit())


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
        replaced = substituted((step.left, step.right), self.labels, scope.usable(step))
        if isinstance(replaced, str):
            return undecided(replaced)
        left, right = replaced
        found = self.then(Step(step.label, left, right, step.relation, conditions=step.conditions), scope)
        return Finding(found.status, f"by {', '.join(self.labels)}: {found.method}", found.witness)


def substituted(
    sides: tuple[sympy.Expr, ...], labels: tuple[str, ...], steps: tuple[Step, ...]
) -> tuple[sympy.Expr, ...] | str:
    """The expressions after replacements by proved equalities, or what is missing."""
    rules = {s.label: (s.left, s.right) for s in steps if s.relation == "="}
    rules |= {f"{s.label} reversed": (s.right, s.left) for s in steps if s.relation == "="}
    for label in labels:
        if label not in rules:
            return f"{label} is not a proved equality"
        sides = tuple(side.subs(*rules[label]) for side in sides)
    return sides


def _finite(factor: sympy.Expr, scope: Scope) -> bool:
    """Whether a factor is finite, but perhaps at single values of real variables, where continuity gives the sign."""
    bases = [p.base for p in factor.atoms(sympy.Pow) if not scope.range(p.exp).nonnegative]
    found = [(scope.range(base), base) for base in bases]
    return all(
        r.positive or (-r).positive or not any(s.is_integer for s in base.free_symbols) for r, base in found
    )


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
        earlier, earlier_strict = _difference(source)
        difference, strict = _difference(step)
        replaced = substituted((difference,), self.given, steps)
        if isinstance(replaced, str):
            return undecided(replaced)
        found = scope.range(self.factor)
        if (strict and not (earlier_strict and found.positive)) or not found.nonnegative:
            return undecided(f"{self.factor} times {self.label} does not give the sign")
        if not _finite(self.factor, scope):
            return undecided(f"{self.factor} is not shown to be finite")
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
        difference, strict = _difference(step)
        if strict or step.relation not in ("<=", ">="):
            return undecided("only a weak inequality follows")
        if any(s in scope.ranges and not scope.range(s).within(scope.ranges[s]) for s in scope.bound):
            return undecided("the inequalities are not proved for all values of the bound symbols")
        terms = []
        for label, factor in self.parts:
            source = next((s for s in scope.usable(step) if s.label == label and s.relation != "="), None)
            if source is None or source.relation == "~" or not scope.range(factor).nonnegative:
                return undecided(f"{factor} times {label} is not shown to be nonnegative")
            if not _finite(factor, scope):
                return undecided(f"{factor} is not shown to be finite")
            terms.append(factor * _difference(source)[0])
        if self.sign is None:
            pairs = [(difference, sympy.Add(*terms))]
        else:
            if not _is_sign(self.sign) or len(terms) != 2:
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
class Reindex:
    """A shifted series: term left(k + shift) = right(k), and the first terms on the left vanish."""

    shift: int

    def __post_init__(self) -> None:
        checked_integer("shift of Reindex", self.shift, 1)

    @equality
    def __call__(self, step: Step, scope: Scope) -> Finding:
        left, body = unfold(step.left)
        right, other = unfold(step.right)
        if len(left) != 1 or len(right) != 1 or left[0].head is not Sum:
            return undecided("the sides are not single sums")
        right, other = _renamed(right, other, left)
        index = left[0].symbol
        if left != right or left[0].high is not S.Infinity:
            return undecided("the sides are not infinite sums from the same index on")
        first = [body.subs(index, left[0].low + i) for i in range(self.shift)]
        if not all(map(vanishes, first)):
            return undecided("the first terms do not vanish")
        method = inside(scope, left).equal(body.subs(index, index + self.shift), other)
        return (
            proved(f"{index} -> {index} + {self.shift}: {method}")
            if method
            else undecided("the shifted terms are not shown to be equal")
        )


@dataclass(frozen=True)
class FirstTerms:
    """A series that starts later: with its first terms added on both sides, the step passes the check.

    Attributes
    ----------
    count : number of terms before the first one of the left side.
    check : the check of the whole series.
    """

    count: int
    check: Check

    def __post_init__(self) -> None:
        checked_integer("count of FirstTerms", self.count, 1)

    def __call__(self, step: Step, scope: Scope) -> Finding:
        binders, body = unfold(step.left)
        if len(binders) != 1 or binders[0].head is not Sum or not binders[0].low.is_Integer:
            return undecided("the left side is not a series")
        index, low, high = binders[0].symbol, binders[0].low - self.count, binders[0].high
        first = sympy.Add(*(body.subs(index, low + i) for i in range(self.count)))
        whole = Step(step.label, Sum(body, (index, low, high)), step.right + first, step.relation)
        found = self.check(whole, scope)
        return Finding(found.status, f"with {first} before it: {found.method}", found.witness)


@dataclass(frozen=True)
class Reversed:
    """The step, read from right to left, passes the check."""

    check: Check

    def __call__(self, step: Step, scope: Scope) -> Finding:
        back = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "~": "~"}[step.relation]
        return self.check(Step(step.label, step.right, step.left, back, conditions=step.conditions), scope)


@dataclass(frozen=True)
class Chain:
    """The step follows from earlier proved steps that lead from its left side to its right side."""

    def __call__(self, step: Step, scope: Scope) -> Finding:
        found = chain(scope.usable(step), step.left, step.right)
        if found is None:
            return undecided("no chain of proved steps from left to right")
        path, relation = found
        allowed = {"<=": ("<", "<=", "="), ">=": (">", ">=", "=")}.get(step.relation, (step.relation,))
        if relation not in allowed:
            return undecided(f"the chain only gives {relation}")
        return proved("chain " + " -> ".join(s.label.rpartition("/")[2] for s in path))


# ---- inequalities --------------------------------------------------------------------------------


def _difference(step: Step) -> tuple[sympy.Expr, bool]:
    """The expression that must be >= 0 (or > 0, when strict)."""
    larger, smaller = (step.right, step.left) if step.relation in ("<", "<=") else (step.left, step.right)
    return larger - smaller, step.relation in ("<", ">")


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
        difference, strict = _difference(step)
        form = difference if self.form is None else self.form
        method = scope.equal(difference, form)
        if method is None:
            return undecided(f"the difference is not shown to be {form}")
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
        for side, argument in zip(ends, (self.small, self.large), strict=True):
            if not scope.range(argument).within(self.domain):
                return undecided(f"{argument} is not shown to lie in {self.domain}")
            if scope.equal(self.function.xreplace({self.symbol: argument}), side) is None:
                return undecided(f"{side} is not shown to be the function at {argument}")
        slope, within = sympy.diff(self.function, self.symbol), scope.bind({self.symbol: self.domain})
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
        right, b = _renamed(right, b, left)
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
            ends = (x.low, where[x.symbol]), (where[x.symbol], x.high)
            term = x.head is Sum and all(ordered(*pair, scope.known) for pair in ends)
            inner = term or all(surely(high - low, ">") for low, high in ends)
            if not inner or (not term and not all(steady(body, x.symbol, within) for body in (a, b))):
                return undecided(f"a strict inequality at one {x.symbol} says nothing about the integral")
        one = Step(f"{step.label} (term)", a.subs(where), b.subs(where), step.relation)
        found = self.strict(one, scope)
        at = ", ".join(f"{s} = {x}" for s, x in where.items())
        return Finding(found.status, f"termwise: {method}; strict at {at}: {found.method}", found.witness)


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
        missing = index_domain(scope, n, self.start)
        if missing:
            return undecided(missing)
        gap, strict = _difference(step)
        total = self.factor * gap + self.remainder
        for label, factor in self.plus:
            source = next(
                (s for s in scope.usable(step) if s.label == label and s.relation in ("<=", ">=", "<", ">")),
                None,
            )
            if source is None or not scope.range(factor).nonnegative:
                return undecided(f"{factor} times {label} is not shown to be nonnegative")
            total += factor * _difference(source)[0]
        if scope.equal(gap.subs(n, n + 1), total) is None:
            return undecided("the difference is not shown to satisfy the recurrence")
        base = sympy.simplify(sympy.expand_func(gap.subs(n, self.start)))
        ranges = [scope.range(e) for e in (base, self.factor, self.remainder)]
        if not all(r.nonnegative for r in ranges):
            return undecided(
                f"a sign is open: first {base}, factor {self.factor}, remainder {self.remainder}"
            )
        if strict and not (ranges[0].positive and (ranges[1].positive or ranges[2].positive)):
            return undecided("the inequality is not shown to be strict")
        if not all(_finite(e, scope) for e in (self.factor, self.remainder)):
            return undecided(f"{self.factor} or {self.remainder} is not shown to be finite")
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
        difference, strict = _difference(step)
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


# ---- asymptotics ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Taylor:
    """``left ~ right``: with ``symbol`` = 1/t (or t itself at zero) the difference is O(t^order) as t -> 0.

    Attributes
    ----------
    symbol : the variable that goes to infinity, or to 0 with ``at_zero``.
    order : all Taylor coefficients of the difference below this order vanish.
    logarithm : compare log(left) with log(right): for functions with limit 1 this gives the same order.
    """

    symbol: sympy.Symbol
    order: int
    at_zero: bool = False
    logarithm: bool = False

    @property
    def rest(self) -> sympy.Expr:
        """What the difference of the sides is of the order of."""
        return self.symbol**self.order if self.at_zero else self.symbol**-self.order

    def __call__(self, step: Step, scope: Scope) -> Finding:
        t = sympy.Dummy("t", positive=True)
        change = {self.symbol: t if self.at_zero else 1 / t}
        left, right = (with_values(e, change) for e in (step.left, step.right))
        if self.logarithm:
            left, right = (_split_log(e) for e in (left, right))
        for pole in range(3):  # a common factor t^-pole in front of functions that are analytic at 0
            slopes = [sympy.expand(t**pole * (left - right))]
            while len(slopes) < self.order + pole:
                slopes.append(sympy.diff(slopes[-1], t))
            found = [slope.subs(t, 0) for slope in slopes]
            if all(c.is_finite is not False and not c.has(sympy.nan, sympy.zoo, S.Infinity) for c in found):
                if all(map(vanishes, found)):
                    return self._guarded(step, scope)
                rest = [sympy.simplify(c) for c in found]
                return undecided(f"coefficients of the difference: {rest}")
        return undecided("the expansion at 0 was not found")

    def _guarded(self, step: Step, scope: Scope) -> Finding:
        """The quotient (left - right)/t^order must stay bounded along two exact points t = 2^-20, 2^-30."""
        checked = 0
        for point in scope.points(step.left, step.right, self.symbol):
            quotients = []
            for bits in (20, 30):
                where = {**point, self.symbol: S.One / 2**bits if self.at_zero else S(2) ** bits}
                with ctx.workprec(60 * self.order + 200):
                    quotients.append(
                        abs(evaluate(step.left - step.right, where)) * arb(2) ** (bits * self.order)
                    )
            if not quotients[1].lower() <= 32 * quotients[0].upper() + 1:
                raise NotCertified(
                    step.label,
                    wanted=f"the order {self.order} that the series claims",
                    reached=f"the quotient grows at {point}",
                )
            checked += 1
        if not checked:
            return undecided("no sample point")
        name = f"{self.symbol} -> {'0' if self.at_zero else 'infinity'}"
        return proved(
            f"series: difference of order {self.order} as {name}, guarded at {plural(checked, 'point')}"
        )


def _split_log(e: sympy.Expr) -> sympy.Expr:
    """log(e) as a combination of logarithms of polynomials."""
    parts = [f.as_base_exp() for f in sympy.Mul.make_args(sympy.powsimp(e))]
    return sympy.Add(*(power * _log_quotient(base) for base, power in parts))


def _log_quotient(base: sympy.Expr) -> sympy.Expr:
    top, bottom = sympy.fraction(sympy.factor(sympy.together(base)))
    return sympy.expand_log(sympy.log(top), force=True) - sympy.expand_log(sympy.log(bottom), force=True)


# ---- refutations ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Counterexample:
    """Refutes the step at one exact point, which may lie outside the sample of the derivation."""

    values: Mapping[sympy.Symbol, object]

    def __call__(self, step: Step, scope: Scope) -> Finding:
        exact = {
            s: sympy.nsimplify(x, rational=True) if not isinstance(x, sympy.Expr) else x
            for s, x in self.values.items()
        }
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
