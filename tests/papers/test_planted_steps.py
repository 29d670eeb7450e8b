"""Steps that no rule may prove: each is false, or true for another reason than the rule gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import sympy
from sympy import Integral, Rational, S, Sum, exp, oo, sqrt

from rftheory.errors import InvalidInput
from rftheory.exact.formula import Variable
from rftheory.exact.proof.rules import (
    Antiderivative,
    ChangeVariable,
    Cited,
    Exchange,
    FirstTerms,
    Given,
    Inside,
    Instance,
    IntegralRecurrence,
    RatioInduction,
    Reindex,
    Rewrite,
    Sign,
    StateInduction,
    Symmetry,
    Taylor,
)
from rftheory.exact.proof.steps import Check, Derivation, Step, replay
from rftheory.exact.substitution import with_values
from rftheory.statement.domain import Domain
from rftheory.statement.provers.derivation import proof_by
from rftheory.statement.words import claimed, equal

x, y, s, t = sympy.symbols("x y s t", real=True)
u = sympy.Symbol("u", positive=True)
n = sympy.Symbol("n", integer=True, positive=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)
NUMBER, COUNT = Variable(x, "a number"), Variable(n, "a count", integer=True, low=1)
HALF = Rational(1, 2)


def proves(step: Step, *variables: Variable, points: tuple[dict[str, str], ...] = ({"x": "1/3"},)) -> bool:
    found = replay(Derivation("planted", "", "", variables or (NUMBER,), (step,), points))
    return found.steps[-1].status == "proved"


SQUARE = (exp(x) + 1) ** 2, exp(2 * x) + 2 * exp(x) + 1
LINE = Integral(2 * t * x**2, (t, 0, 1))


@pytest.mark.parametrize(
    ("left", "right", "check"),
    [
        (*SQUARE, Rewrite()),
        (Integral(SQUARE[0] * t, (t, 0, 1)), Integral(SQUARE[1] * t, (t, 0, 1)), Inside()),
        (LINE, x**2, Antiderivative(t**2 * x**2)),
        (LINE, Integral(8 * u * x**2, (u, 0, HALF)), ChangeVariable(t, u, 2 * u)),
    ],
)
def test_an_equality_proves_no_strict_inequality(left: sympy.Expr, right: sympy.Expr, check: Check) -> None:
    assert [proves(Step("planted/1", left, right, r, check=check)) for r in ("=", "<=", "<", ">")] == [
        True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "made",
    [
        lambda: RatioInduction(n, 1, shift=0),
        lambda: IntegralRecurrence(n, 1, S.One, S.Zero, ()),
        lambda: Reindex(-1),
        lambda: FirstTerms(-1, Rewrite()),
        lambda: Derivation("empty", "", "", (Variable(x, "x", low=2, high=1),), ()),
        lambda: Derivation("empty", "", "", (Variable(x, "x", above=1, high=1),), ()),
        lambda: Derivation("empty", "", "", (Variable(x, "x", low=1, below=1),), ()),
        lambda: Derivation("twice", "", "", (NUMBER, Variable(sympy.Symbol("x", positive=True), "x")), ()),
    ],
)
def test_rules_without_a_beginning_are_refused(made: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput):
        made()


@pytest.mark.parametrize("tied", [True, False])
def test_an_induction_is_about_what_n_determines(tied: bool) -> None:
    """Of every number s the relation is false; of the sum of the first n numbers it is true."""
    rule = StateInduction(n, 1, {s: S.One}, {s: s + n + 1})
    step = Step("planted/1", s, n * (n + 1) / 2, check=rule)
    total = Variable(s, "the sum of the first n numbers", tied=tied)
    assert proves(step, total, COUNT, points=({"s": "1", "n": "1"}, {"s": "6", "n": "3"})) is tied


def test_a_sum_is_one_number_in_all_steps() -> None:
    """Of the first n numbers; neither any other number nor the sum for another n takes its place."""
    total, rule = Variable(s, "the sum of the first n numbers", tied=True), StateInduction
    numbers = Step("planted/sum", s, n * (n + 1) / 2, check=rule(n, 1, {s: S.One}, {s: s + n + 1}))
    below = Step("planted/below", s - 1, n * (n + 1) / 2, "<=", check=Given(("planted/sum",), Sign(S.One)))
    variables = (total, COUNT, NUMBER, Variable(k, "a count", integer=True, low=0))
    for values in ({s: x + 1}, {n: k + 1}):
        sides = (with_values(side, values) for side in (below.left, below.right))
        other = Step("planted/other", *sides, "<=", check=Instance("planted/below", values))
        found = replay(Derivation("planted", "", "", variables, (numbers, below, other)))
        assert [one.status for one in found.steps] == ["proved", "proved", "undecided"]
    again = Step("planted/again", s, x * n, check=rule(n, 1, {s: x}, {s: s + x}))
    assert replay(Derivation("planted", "", "", (total, COUNT, NUMBER), (again,))).holds
    assert not replay(Derivation("planted", "", "", (total, COUNT, NUMBER), (numbers, again))).holds


def test_a_sum_in_a_condition_of_a_theorem_is_that_of_its_n() -> None:
    """The first n numbers are n if all are 1, and not 1 for each n."""
    ones = StateInduction(n, 1, {s: S.One}, {s: s + 1})
    cited = Cited("order", x, "<=", y, {x: s, y: n}, ((x, "=", y, ones),))
    variables, points = (Variable(s, "a sum", tied=True), COUNT), ({"s": "1", "n": "1"},)
    sums = Step("planted/1", s, n, "<=", check=cited)
    for at, status in ((n, "cited"), (S.One, "undecided")):
        other = Step("planted/2", s, at, "<=", check=Instance("planted/1", {n: at}))
        found = replay(Derivation("planted", "", "", variables, (sums, other), points))
        assert [one.status for one in found.steps] == ["cited", status]


def test_a_power_with_a_logarithm_is_of_a_lower_order() -> None:
    step = Step("planted/1", sympy.log(n) * n**-2, S.Zero, "~", check=Taylor(n, 2))
    assert not proves(step, COUNT, points=({"n": "1"},))


@pytest.mark.parametrize(("power", "order"), [(S(2), 2), (Rational(3, 2), 1), (Rational(3, 2), 2)])
def test_powers_between_two_orders_are_of_the_lower_one(power: sympy.Expr, order: int) -> None:
    step = Step("planted/1", n**-power, S.Zero, "~", check=Taylor(n, order))
    assert proves(step, COUNT, points=({"n": "1"},)) is bool(power >= order)


@pytest.mark.parametrize("start", [1, 2])
def test_an_induction_begins_where_its_domain_does(start: int) -> None:
    rule = StateInduction(n, start, {s: S(start * (start + 1) // 2)}, {s: s + n + 1})
    step = Step("planted/1", s, n * (n + 1) / 2, check=rule)
    total = Variable(s, "the sum of the first n numbers", tied=True)
    assert proves(step, total, COUNT, points=({"s": "6", "n": "3"},)) is (start == 1)


def test_a_new_variable_has_no_meaning_on_the_left() -> None:
    """At x = 2/3 both sides are 1/3."""
    captured = Step("planted/1", Integral(t * x, (t, 0, 1)), Integral(x * x, (x, 0, 1)),
        check=ChangeVariable(t, x, x))  # fmt: skip
    assert not proves(captured, points=({"x": "2/3"},))
    apart = Step(
        "planted/1", Integral(t * x, (t, 0, 1)), Integral(u * x, (u, 0, 1)), check=ChangeVariable(t, u, u)
    )
    assert proves(apart)


def test_a_change_of_variable_leaves_what_is_outside() -> None:
    """The limit of s is the free t, of another value than the t of the integral inside."""
    free = Variable(t, "a number"), Variable(u, "a number", above=0)
    for form, ends in ((u, (0, 1)), (2 * u, (0, HALF))):
        left = Integral(t, (t, 0, 1), (s, 0, t))
        right = Integral(form * sympy.diff(form, u), (u, *ends), (s, 0, form))
        step = Step("planted/1", left, right, check=ChangeVariable(t, u, form))
        assert not proves(step, *free, points=({"t": "1", "u": "1"}, {"t": "1/2", "u": "1/4"}))


def test_an_odd_integral_over_the_line_must_converge() -> None:
    odd = [Step("planted/1", Integral(body, (t, -oo, oo)), S.Zero, check=Symmetry())
           for body in (x * t, x * t * exp(-(t**2)), sympy.sin(t * x) * exp(-(t**2) / 2), t * exp(t**2))]  # fmt: skip
    assert [proves(step) for step in odd] == [False, True, True, False]


def test_an_interval_with_a_pole_is_not_bounded() -> None:
    def exchanged(body: sympy.Expr) -> Step:
        inner, outer = (t, 0, 1), (k, 0, 4)
        return Step(
            "planted/1",
            Integral(Sum(body, outer), inner),
            Sum(Integral(body, inner), outer),
            check=Exchange(),
        )

    assert not proves(exchanged((-1) ** k * x / t))
    assert proves(exchanged((-1) ** k * x * t))


def test_a_proof_covers_what_its_symbols_assume() -> None:
    """For a positive y alone is the root y + 100; the range of the variable does not say so."""
    y, real = sympy.Symbol("y", positive=True), sympy.Symbol("y", real=True)
    step = Step("planted/1", sqrt((y - 100) ** 2 + 400 * y), y + 100, check=Rewrite())
    proof = Derivation("planted", "", "", (Variable(y, "y"),), (step,), ({"y": "1"},))
    for symbol, over, covered in ((real, (), False), (real, (real > 0,), True), (y, (), True)):
        (part,) = claimed(sympy.Eq(step.left.subs(y, symbol), symbol + 100, evaluate=False)).parts
        found = proof_by(proof, part, Domain.of(claimed(part), over))
        assert (found is not None) is covered, (symbol, over)


TOTAL = Variable(s, "the sum of the first n numbers", tied=True)
WHOLE = sympy.Symbol("x", integer=True)
EXPANDED = Step("planted/1", (x + 1) ** 2, x**2 + 2 * x + 1, check=Rewrite())
MISPRINT = Step("planted/0", (x + 1) ** 2, x**2 + 1, check=Rewrite(), printed=True)
LESS = Step("planted/1", -(x**2), x**2 + 1, "<", check=Sign(2 * x**2 + 1))
SUM = Step("planted/1", s, n * (n + 1) / 2, check=StateInduction(n, 1, {s: S(1)}, {s: s + n + 1}))
TRUE, FALSE = equal((x + 1) ** 2, x * (x + 2) + 1), equal((x + 1) ** 2, x**2 + 1)


def is_covered(
    claim: object, over: tuple[object, ...], steps: tuple[Step, ...], *variables: Variable
) -> bool:
    proof = Derivation("planted", "", "", variables, steps, ({one.name: "1" for one in variables},))
    (part,) = claimed(claim).parts
    return proof_by(proof, part, Domain.of(claimed(claim), over)) is not None


@pytest.mark.parametrize(
    ("claim", "steps", "variables", "covered"),
    [
        (TRUE, (EXPANDED,), (NUMBER,), True),
        (FALSE, (MISPRINT,), (NUMBER,), False),
        (FALSE, (MISPRINT, replace(EXPANDED, replaces="planted/0")), (NUMBER,), False),
        (sympy.Gt(LESS.right, LESS.left, evaluate=False), (LESS,), (NUMBER,), True),
        (sympy.Gt(LESS.left, LESS.right, evaluate=False), (LESS,), (NUMBER,), False),
        (equal(s, n * (n + 1) / 2), (SUM,), (TOTAL, COUNT), False),  # of any s
        (TRUE, (EXPANDED,), (NUMBER, TOTAL), True),
        (TRUE, (EXPANDED,), (NUMBER, replace(TOTAL, low=0)), False),  # who says that it is at least 0?
        (TRUE, (replace(EXPANDED, left=(WHOLE + 1) ** 2, right=WHOLE**2 + 2 * WHOLE + 1),),
         (Variable(WHOLE, "an integer"),), False),
    ],
)  # fmt: skip
def test_a_proof_covers_the_conclusions_that_stand(
    claim: object, steps: tuple[Step, ...], variables: tuple[Variable, ...], covered: bool
) -> None:
    assert is_covered(claim, (), steps, *variables) is covered


@pytest.mark.parametrize(
    ("condition", "over", "covered"),
    [
        (x >= 0, x >= 0, True), (x >= 0, x >= -1, False), (x < 2, x < 2, True), (x < 2, x <= 2, False),
        (x <= 2, x <= 2, True), (x <= 2, x <= 3, False), (sympy.Ne(x, 3), x <= 3, False),
        (x**2 < 9, x <= 4, False), (x * y < 9, x <= 3, False), (y < 9, x <= 3, False),
    ],
)  # fmt: skip
def test_a_condition_of_a_step_follows_from_the_domain(
    condition: sympy.Basic, over: sympy.Basic, covered: bool
) -> None:
    step = replace(EXPANDED, conditions=(condition,))
    assert is_covered(TRUE, (over,), (step,), NUMBER, Variable(y, "a number")) is covered


def test_a_step_about_an_undeclared_variable_covers_nothing() -> None:
    small, step_of = sympy.Symbol("x", positive=True), "planted/1"
    step = Step(step_of, small, S(10**9), "<=", check=Sign(10**9 - small))
    proof = Derivation("planted", "", "", (NUMBER,), (step,), ())
    (part,) = claimed(sympy.Le(x, 10**9, evaluate=False)).parts
    assert proof_by(proof, part, Domain.of(claimed(part), ())) is None
