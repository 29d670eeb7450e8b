"""Textbook facts with their proofs: every step is proved, nothing is taken for granted, and changes are not proved."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
import sympy
from sympy import Function, I, Sum, Symbol, hyper

from rftheory.errors import InvalidInput
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import Variable
from rftheory.exact.proof import derivation, lemmas, textbook
from rftheory.exact.proof.rules import (
    Antiderivative,
    Chain,
    ChangeVariable,
    Exchange,
    FromInequality,
    Given,
    Increasing,
    Inside,
    Instance,
    Ladder,
    Rewrite,
    Scaled,
    Sign,
    StateInduction,
    Symmetry,  # fmt: skip
    Taylor,
    Termwise,
    Use,
)
from rftheory.exact.proof.steps import DERIVATIONS, Check, Derivation, Replay, Scope, Step, replay
from rftheory.statement.evidence.derived import planted

FACTS = ("linearity", "kronecker", "associative", "variance", "independent", "average", "disjoint", "plane",
    "cauchy_schwarz", "cauchy_schwarz_means", "triangle", "segment", "taylor", "jensen_log", "rolle", "mcdiarmid",
    "stirling", "interpolation", "robbins_below", "robbins", "identity", "reflection", "kummer", "net")  # fmt: skip
t, n = Symbol("t", real=True), Symbol("n", integer=True, positive=True)
i, j = sympy.symbols("i j", integer=True, positive=True)
f, g, h = Function("f", real=True), Function("g", nonnegative=True), Function("h")


@cache
def replayed(name: str) -> Replay:
    return replay(derivation(name))


@pytest.mark.parametrize("name", FACTS)
def test_every_step_is_proved_and_no_changed_step_is(name: str) -> None:
    done = replayed(f"lemma.{name}")
    assert done.holds, done.text()
    assert not done.assumes
    for number, step in enumerate(done.steps):
        assert step.status == "proved"
        assert not done.again(number, planted(step.step)).stands, step.step.label


def test_every_fact_is_tested() -> None:
    here = {name for name, found in DERIVATIONS.items() if found.source == textbook.SOURCE}
    assert here == {f"lemma.{name}" for name in FACTS}


WRONG = {
    "the sum of products is not the product of sums": Step("", Sum(f(i) * g(i), (i, 1, n)),
        Sum(f(i), (i, 1, n)) * Sum(g(j), (j, 1, n)), check=Inside()),
    "a function is not its neighbour": Step("", f(t + 1), f(t), check=Rewrite()),
    "a real function has both signs": Step("", f(t), sympy.S.Zero, ">=", check=Sign()),
    "the square of a complex function has no sign": Step("", h(t) ** 2, sympy.S.Zero, ">=", check=Sign()),
    "a slope has a factor": Step("", sympy.Integral(sympy.diff(f(2 * t), t), (t, 0, 1)), 2 * (f(2) - f(0)),
        check=Antiderivative(2 * f(2 * t))),
    "Kummer needs the difference": Step("", hyper((3,), (2,), t), sympy.exp(t) * hyper((1,), (2,), -t),
        check=Use("lemma.kummer", {textbook.TOP: sympy.S.One, textbook.SHAPE.symbol: sympy.Integer(2)})),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_hold_for_all_functions_is_not_proved(what: str) -> None:
    step = WRONG[what]
    scope = Scope("", {}, ({t: sympy.Rational(1, 3), n: sympy.Integer(3)},))
    assert step.check is not None
    assert step.check(step, scope).status != "proved"


def test_an_example_of_a_function_refutes_what_does_not_hold_for_it() -> None:
    scope = Scope("", {}, ({t: sympy.Rational(1, 3)},))
    assert scope.guard(f(t + 1), f(t)).witness
    assert scope.guard(sympy.diff(f(t**2), t), t * sympy.diff(f(t), t)).witness
    assert scope.guard(sympy.diff(f(t) ** 2, t), 2 * f(t) * sympy.diff(f(t), t)).agreed == 1
    assert scope.guard(g(t), sympy.S.Zero, ">=").agreed == 1


def test_a_derivative_of_an_unknown_function_has_no_value() -> None:
    with pytest.raises(InvalidInput, match="known derivative"):
        evaluate(sympy.Derivative(f(t), t), {t: sympy.S.One})


@pytest.mark.parametrize("change", [{"right": 2}, {"left": 2}])
def test_the_induction_of_vandermonde_notices_a_factor(change: dict[str, int]) -> None:
    done = replayed("lemma.kummer")
    step = done.steps[0].step
    changed = {side: getattr(step, side) * factor for side, factor in change.items()}
    assert not done.again(0, replace(step, **changed)).stands


u, w, x = sympy.symbols("u w x", real=True)
order = Symbol("k", integer=True)
size, index = Symbol("p", positive=True), Symbol("N", integer=True, nonnegative=True)
X, N = Variable(x, "x"), Variable(index, "N", integer=True, low=0)
ABOVE, MANY = Variable(x, "x", above=1), Variable(n, "n", integer=True, low=1)
ORDER = (Variable(size, "p", above=0), Variable(order, "k", integer=True))


def _twice(body: sympy.Expr, symbol: sympy.Symbol = u, low: object = 0) -> sympy.Expr:
    """An integral over two symbols, which is too slow for a comparison at sample points."""
    return sympy.Integral(body, (symbol, low, 1), (w, 0, 1))


def _only(left: sympy.Expr, right: sympy.Expr | int, relation: str, check: Check) -> tuple[Step, ...]:
    return (Step("false/1", left, sympy.sympify(right), relation, check=check),)


_HALF, _ZERO = x + abs(x), (x + 1) ** 2 - x**2 - 2 * x - 1
"""0 for x <= 0, and 0 for all x."""
_AT_ZERO = sympy.Piecewise((1, sympy.Eq(x, 0)), (0, True))

SMALL = Variable(Symbol("y", real=True), "y", low=0, high=3)
y = SMALL.symbol
_j, _i = sympy.symbols("j i", integer=True)
_pairs = 0 ** abs(_j - _i) + 0 ** abs(_j - _i - 1)
_concave = 1 + lemmas.w * (lemmas.a - 1) - lemmas.a**lemmas.w
_ratios = [x * (_i + shift) / (_i + shift + 1) for shift in (0, 1)]


def _nested(body: sympy.Expr, *symbols: sympy.Symbol) -> sympy.Expr:
    return sympy.Sum(body, *((symbol, 0, sympy.oo) for symbol in symbols))


FALSE: dict[str, tuple[tuple[Variable, ...], dict[str, int], tuple[Step, ...]]] = {
    "an antiderivative that jumps to its end for one parameter": ((SMALL,), {"y": 1},
        _only(sympy.Integral(y / (x + y) ** 2, (x, 0, 1)), 1 / (1 + y), "=", Antiderivative(-y / (x + y)))),
    "a limit for most values of a parameter": ((SMALL,), {"y": 1},
        _only(sympy.Integral(y / (1 + x * y) ** 2, (x, 0, sympy.oo)), 1, "=", Antiderivative(-1 / (1 + x * y)))),
    "an exponential that falls for most values of a parameter": ((SMALL,), {"y": 1},
        _only(sympy.Integral(y * sympy.exp(-x * y), (x, 0, sympy.oo)), 1, "=", Antiderivative(-sympy.exp(-x * y)))),
    "an antiderivative across a cut": ((SMALL,), {"y": 0}, _only(sympy.Integral(1 / (1 + (x + I * y) ** 2), (x, -1, 1)),
        sympy.atan(1 + I * y) - sympy.atan(-1 + I * y), "=", Antiderivative(sympy.atan(x + I * y)))),
    "an infinite sum is no majorant": ((), {}, (
        Step("false/0", _nested(_pairs, _i, _j), _nested(_pairs, _j, _i), check=Exchange()),
        *_only(_nested((-1) ** (_j - _i) * _pairs, _i, _j), _nested((-1) ** (_j - _i) * _pairs, _j, _i), "=",
            Exchange("false/0")))),
    "a difference of infinite sums": ((X,), {"x": 0},
        _only(_nested(_ratios[1] - _ratios[0], _i), _nested(_ratios[1], _i) - _nested(_ratios[0], _i), "=", Inside())),
    "a new variable under a sum that binds a letter of it": ((N,), {"N": 1},
        _only(sympy.Integral(1 + sympy.Sum(x, (index, 0, 2)), (x, index, index + 1)),
            sympy.Integral(1 + sympy.Sum(x + index, (index, 0, 2)), (x, 0, 1)), "=", ChangeVariable(x, x, x + index))),
    "a letter that comes under an integral that binds it": ((Variable(u, "u", low=1), X), {"u": 2, "x": 0}, (
        Step("false/0", x * sympy.exp(x), x * sympy.exp(x) + x**2 * (abs(u) - u), check=Rewrite()),
        *_only(sympy.Integral(x * sympy.exp(x), (u, -1, 1)),
            sympy.Integral(x * sympy.exp(x) + x**2 * (abs(u) - u), (u, -1, 1)), "=", Given(("false/0",))))),
    "a lemma outside its domain as an increment": ((MANY, Variable(lemmas.a, "a", above=0),
        Variable(lemmas.w, "w", above=0), Variable(y, "sum", tied=True)), {"n": 1, "a": 1, "w": 1, "y": 0},
        _only(y, 0, ">=", StateInduction(n, 1, {y: _concave}, {y: y + _concave}, "lemma.bernoulli"))),
    "a positive symbol for any number": ((X,), {"x": 2}, (
        Step("false/0", size**2 + size, sympy.S.Zero, ">", check=Sign()),
        *_only(x**2 + x, 0, ">", Instance("false/0", {size: x})))),
    "an expansion on one side of 0": ((X,), {"x": 1}, _only(abs(x), x, "~", Taylor(x, 2, at_zero=True))),
    "an expansion for most values of a parameter": ((X, SMALL), {"x": 1, "y": 1},
        _only(sympy.sqrt(x**2 + y**2), abs(y), "~", Taylor(x, 2, at_zero=True))),
    "equal orders of logarithms of what is not bounded": ((ABOVE, SMALL), {"x": 2, "y": 0},
        _only(x**y * (1 + 1 / x**2), x**y, "~", Taylor(x, 2, logarithm=True))),
    "orders at two places": ((ABOVE,), {"x": 2}, (
        Step("false/0", 1 / (1 + x), sympy.S.One, "~", check=Taylor(x, 1, at_zero=True)),
        Step("false/00", sympy.S.One, 1 + 1 / x, "~", check=Taylor(x, 1)),
        *_only(1 / (1 + x), 1 + 1 / x, "~", Chain()))),
    "the square of a complex mean is not that of its size": ((), {},
        _only(abs(_twice(h(u, w))) ** 2, _twice(h(u, w)) ** 2, "=", Rewrite())),
    "the square of an imaginary number has no sign": ((X,), {"x": 1}, _only((I * x + I) ** 2, 0, ">=", Sign())),
    "the square of a complex integral has no sign": ((), {},
        _only(sympy.Integral(sympy.exp(I * u), (u, 0, sympy.pi)) ** 2, 0, ">=", Sign())),
    "the logarithm of a negative number is complex": ((X,), {"x": 2}, _only(sympy.log(x) ** 2, 0, ">=", Sign())),
    "the cosine of an imaginary number exceeds 1": ((X,), {"x": 2}, _only(sympy.cos(sympy.sqrt(x)), 1, "<=", Sign())),
    "an integral over a pole": ((), {}, _only(sympy.Integral(1 / u**2, (u, -1, 1)), -2, "=", Antiderivative(-1 / u))),
    "an antiderivative with a pole": ((), {},
        _only(sympy.Integral(f(u) / u**2 - sympy.diff(f(u), u) / u, (u, -1, 1)), -f(1) - f(-1), "=",
            Antiderivative(-f(u) / u))),
    "an odd function that has no integral": ((), {}, _only(sympy.Integral(1 / u, (u, -1, 1)), 0, "=", Symmetry())),
    "an integral from 0 down to x": ((X,), {"x": 2},
        _only(sympy.Integral(sympy.exp(u), (u, 0, x)), 0, ">=", Termwise(Sign()))),
    "a range from 1 down to x": ((X,), {"x": 2},
        _only(sympy.Integral(abs(u), (u, 1, x)), sympy.Integral(u, (u, 1, x)), "=", Inside())),
    "a term that the sum need not have": ((MANY,), {"n": 3},
        _only(Sum((i - 1) ** 2, (i, 1, n)), 0, ">", Termwise(Sign(), {i: 2}, Sign()))),
    "a rising factorial of negative order": (ORDER, {"p": 2, "k": 1},
        _only(sympy.rf(size, order), 0, ">", Sign())),
    "an inequality beyond its domain": ((ABOVE,), {"x": 2}, (
        Step("false/0", x - 1, sympy.S.Zero, ">=", check=Sign()),
        *_only(_twice((x - 1) * w, x), 0, ">=", Termwise(FromInequality("false/0", w))))),
    "a bound symbol in the place of a free one": ((Variable(size, "p", low=0), X), {"p": 2, "x": 1}, (
        Step("false/0", sympy.Integral(size * (1 - 2 * x), (x, 0, 1)), sympy.S.Zero,
            check=Antiderivative(size * (x - x**2))),
        Step("false/1", sympy.Integral(size * (1 - 2 * x), (x, 0, 1)), sympy.S.Zero, ">=",
            check=Given(("false/0",), Sign())),
        Step("false/2", sympy.Integral(x * (1 - 2 * x), (x, 0, 1)), sympy.S.Zero, ">=",
            check=Instance("false/1", {size: x})))),
    "a factor that is infinite": ((N,), {"N": 3}, (
        Step("false/0", index * (index - 1), sympy.S.Zero, ">=", check=Ladder(index, 0, sympy.S.One, 2 * index)),
        *_only(index, 1, ">=", FromInequality("false/0", 1 / index)))),
    "an induction that begins before the signs are known": ((N,), {"N": 1},
        _only(index**2, sympy.S.Half, ">=", Ladder(index, -1, sympy.S.One, 2 * index + 1))),
    "a factor that is infinite on half of the line": ((X,), {"x": 1}, (
        Step("false/0", _HALF**2 * x, sympy.S.Zero, ">=", check=Sign(_HALF**2 * abs(x))),
        *_only(x, 0, ">=", FromInequality("false/0", 1 / _HALF**2)))),
    "a factor that is infinite everywhere": ((X,), {"x": 1}, (
        Step("false/0", _ZERO**2 * x, sympy.S.Zero, ">=", check=Sign(sympy.S.Zero)),
        *_only(x, 0, ">=", FromInequality("false/0", 1 / _ZERO**2)))),
    "a jump where the factor is infinite": ((X,), {"x": 1}, (
        Step("false/0", x**2 * _AT_ZERO, sympy.S.Zero, "<=", check=Sign(sympy.S.Zero)),
        *_only(_AT_ZERO, 0, "<=", FromInequality("false/0", 1 / x**2)))),
    "a jump where a scale is infinite": ((X,), {"x": 1},
        _only(_AT_ZERO, 0, "<=", Scaled(1 / x**2, Sign(sympy.S.Zero)))),
    "a scale that is infinite everywhere": ((X,), {"x": 1},
        _only(x, 0, ">=", Scaled(1 / _ZERO**2, Sign(sympy.S.Zero)))),
}  # fmt: skip
TRUE: dict[str, tuple[tuple[Variable, ...], dict[str, int], tuple[Step, ...]]] = {
    "an induction from the first value on": ((N,), {"N": 1},
        _only(index**2, 0, ">=", Ladder(index, 0, sympy.S.One, 2 * index + 1))),
    "a factor that is infinite at one value": ((X,), {"x": 1}, (
        Step("true/0", x**2 * (x - 1) ** 2, sympy.S.Zero, ">=", check=Sign()),
        *_only((x - 1) ** 2, 0, ">=", FromInequality("true/0", 1 / x**2)))),
    "a scale that is infinite at one value": ((X,), {"x": 1},
        _only(x**2 * sympy.exp(x), 0, ">=", Scaled(1 / x**2, Sign()))),
    "a factor that is infinite nowhere": ((N,), {"N": 3}, (
        Step("true/0", index * (index + 1), sympy.S.Zero, ">=", check=Sign()),
        *_only(index, 0, ">=", FromInequality("true/0", 1 / (index + 1))))),
}  # fmt: skip


@pytest.mark.parametrize(
    "form", [sympy.Piecewise((u, u < sympy.S.Half), (u + 5, True)), sympy.tan(3 * u), u - 1 / (2 * u - 1)]
)
def test_a_change_of_variable_is_continuous(form: sympy.Expr) -> None:
    ends = [form.subs(u, end) for end in (0, 1)]
    step = Step("false", sympy.Integral(x**2, (x, *ends)), sympy.Integral(form**2 * form.diff(u), (u, 0, 1)))
    assert ChangeVariable(x, u, form)(step, Scope("", {}, ())).status == "undecided"


@pytest.mark.parametrize(("function", "small"), [(-1 / u, -1), (sympy.tan(2 * u), 0)])
def test_an_increasing_function_is_continuous(function: sympy.Expr, small: int) -> None:
    """Its slope is positive wherever it has one, and yet it is larger at ``small`` than at 1."""
    step = Step("false", function.subs(u, small), function.subs(u, 1), "<=")
    assert step.left > step.right
    rule = Increasing(function, u, sympy.Integer(small), sympy.S.One, Sign())
    assert rule(step, Scope("", {}, ())).status == "undecided"


@pytest.mark.parametrize("what", FALSE)
def test_a_false_step_is_not_proved_where_its_points_do_not_show_it(what: str) -> None:
    variables, point, steps = FALSE[what]
    done = replay(Derivation("false", what, "", variables, steps, (point,)))
    assert all(s.status == "proved" for s in done.steps[:-1])
    assert done.steps[-1].status in ("undecided", "refuted"), done.text()


@pytest.mark.parametrize("what", TRUE)
def test_a_true_step_beside_them_is_proved(what: str) -> None:
    variables, point, steps = TRUE[what]
    assert replay(Derivation("true", what, "", variables, steps, (point,))).holds


def test_a_free_symbol_is_not_bound_by_a_new_name() -> None:
    step = Step("false", _twice(u * u * w), sympy.Integral(t * u * w, (t, 0, 1), (w, 0, 1)), check=Inside())
    with pytest.raises(InvalidInput, match="bound symbol that is not free"):
        replay(Derivation("false", "", "", (Variable(u, "u"),), (step,), ({"u": 2},)))


def test_a_condition_of_a_derivation_is_needed_where_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    start, value = Variable(x, "x", low=0), {"x": 1}
    step = Step("known/1", x, sympy.S.Zero, ">", check=Sign(), conditions=(x > 0,))
    monkeypatch.setitem(DERIVATIONS, "known", Derivation("known", "", "", (start,), (step,), (value,)))
    for given, status in (((), "undecided"), ((x > 0,), "proved")):
        used = Step("used/1", x, sympy.S.Zero, ">", check=Instance("known", {}), conditions=given)
        (found,) = replay(Derivation("used", "", "", (start,), (used,), (value,))).steps
        assert found.status == status
