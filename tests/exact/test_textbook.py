"""Textbook facts with their proofs: every step is proved, nothing is taken for granted, and changes are not proved."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
import sympy
from sympy import Function, I, Integral, S, Sum, Symbol, hyper

from rftheory.errors import InvalidInput
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import Variable
from rftheory.exact.proof import derivation, lemmas, textbook
from rftheory.exact.proof.rules import (
    Antiderivative,
    Chain,
    ChangeVariable,
    Combination,
    Exchange,
    FromInequality,
    Given,
    Holds,
    Increasing,
    Inside,
    Instance,
    IntegralRecurrence,
    Ladder,
    OnBox,
    RatioInduction,
    Reindex,
    Rewrite,
    Scaled,
    SeriesHead,
    Sign,
    StateInduction,
    Symmetry,  # fmt: skip
    Taylor,
    Termwise,
    Use,
)
from rftheory.exact.proof.steps import DERIVATIONS, Check, Derivation, Replay, Scope, Step, replay
from rftheory.exact.ranges import Range
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
    "a real function has both signs": Step("", f(t), S.Zero, ">=", check=Sign()),
    "the square of a complex function has no sign": Step("", h(t) ** 2, S.Zero, ">=", check=Sign()),
    "a slope has a factor": Step("", Integral(sympy.diff(f(2 * t), t), (t, 0, 1)), 2 * (f(2) - f(0)),
        check=Antiderivative(2 * f(2 * t))),
    "Kummer needs the difference": Step("", hyper((3,), (2,), t), sympy.exp(t) * hyper((1,), (2,), -t),
        check=Use("lemma.kummer", {textbook.TOP: S.One, textbook.SHAPE.symbol: sympy.Integer(2)})),
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
    assert scope.guard(g(t), S.Zero, ">=").agreed == 1


def test_a_derivative_of_an_unknown_function_has_no_value() -> None:
    with pytest.raises(InvalidInput, match="known derivative"):
        evaluate(sympy.Derivative(f(t), t), {t: S.One})


def test_an_induction_uses_nothing_that_holds_for_later_numbers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 + sum (j^2 - 9), j < N, is negative at N = 3, though all terms from there on are not."""
    large = Step("lemma.large_square/1", x, S(9), ">=", check=Sign(), conditions=(sympy.Ge(x, 9),))
    monkeypatch.setitem(
        DERIVATIONS,
        "lemma.large_square",
        Derivation("lemma.large_square", "", "", (X,), (large,), ({"x": 10},)),
    )
    later = (sympy.Ge(index**2, 9),)
    squares = Step(
        "false/0", index**2, S(9), ">=", check=Instance("lemma.large_square", {x: index**2}), conditions=later
    )
    total = 1 + index * (index - 1) * (2 * index - 1) / 6
    rule = Ladder(index, 0, S.One, S.Zero, (("false/0", S.One),))
    steps = squares, Step("false/1", total, 9 * index, ">=", check=rule, conditions=later)
    done = replay(Derivation("false", "", "", (N,), steps, ({"N": 7},)))
    assert [s.status for s in done.steps] == ["proved", "undecided"]


def test_the_product_of_series_needs_the_sum_before() -> None:
    lemma = derivation("lemma.kummer")
    assert not replay(replace(lemma, steps=lemma.steps[1:])).holds


@pytest.mark.parametrize("change", [{"right": 2}, {"left": 2}, {"right": 1 + textbook._order}])
def test_the_induction_of_vandermonde_notices_a_factor(change: dict[str, sympy.Expr | int]) -> None:
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
    return Integral(body, (symbol, low, 1), (w, 0, 1))


def _only(left: sympy.Expr | int, right: sympy.Expr | int, relation: str, check: Check) -> tuple[Step, ...]:
    return (Step("false/1", sympy.sympify(left), sympy.sympify(right), relation, check=check),)


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


_k = Symbol("k", integer=True, nonnegative=True)
_positive = Symbol("u", positive=True)
_signed, _opposed = (-1) ** (_j - _i) * _pairs, 0 ** abs(_j - _i) - 0 ** abs(_j - _i - 1)
_size = 1 / (sympy.factorial(_k) + 2)
_WALLIS = Integral(sympy.sin(u) ** (n - 1), (u, 0, sympy.pi))
_GROWING = Sum(Integral(y**_k / sympy.factorial(_k), (w, 0, 1 / y)), (_k, 0, sympy.oo))
_NOT_AT_ZERO = sympy.Piecewise((0, sympy.Eq(y, 0)), (1, True))
_AT_LOW = 1 - _NOT_AT_ZERO
_POLE = (
    Step("false/0", y * _AT_LOW, S.Zero, check=Rewrite()),
    Step("false/00", (y**2 - y * _AT_LOW) / (y + y**2), S.Zero, ">=", check=Given(("false/0",), Sign())),
    Step("false/2", (y - _AT_LOW) / (1 + y), (y**2 - y * _AT_LOW) / (y + y**2), check=Rewrite()),
    Step("false/3", (y**2 - y * _AT_LOW) / (y + y**2), y / (1 + y), check=Given(("false/0",))),
)


def _powers(low: int, order: sympy.Expr, factor: sympy.Expr = S.One) -> sympy.Expr:
    return Sum(factor * y**order / sympy.factorial(order), (_k, low, sympy.oo))


FALSE: dict[str, tuple[tuple[Variable, ...], dict[str, int], tuple[Step, ...]]] = {
    "an antiderivative that jumps to its end for one parameter": ((SMALL,), {"y": 1},
        _only(Integral(y / (x + y) ** 2, (x, 0, 1)), 1 / (1 + y), "=", Antiderivative(-y / (x + y)))),
    "a limit for most values of a parameter": ((SMALL,), {"y": 1},
        _only(Integral(y / (1 + x * y) ** 2, (x, 0, sympy.oo)), 1, "=", Antiderivative(-1 / (1 + x * y)))),
    "an exponential that falls for most values of a parameter": ((SMALL,), {"y": 1},
        _only(Integral(y * sympy.exp(-x * y), (x, 0, sympy.oo)), 1, "=", Antiderivative(-sympy.exp(-x * y)))),
    "an antiderivative across a cut": ((SMALL,), {"y": 0}, _only(Integral(1 / (1 + (x + I * y) ** 2), (x, -1, 1)),
        sympy.atan(1 + I * y) - sympy.atan(-1 + I * y), "=", Antiderivative(sympy.atan(x + I * y)))),
    "an infinite sum is no majorant": ((), {}, (
        Step("false/0", _nested(_pairs, _i, _j), _nested(_pairs, _j, _i), check=Exchange()),
        *_only(_nested((-1) ** (_j - _i) * _pairs, _i, _j), _nested((-1) ** (_j - _i) * _pairs, _j, _i), "=",
            Exchange("false/0")))),
    "a difference of infinite sums": ((X,), {"x": 0},
        _only(_nested(_ratios[1] - _ratios[0], _i), _nested(_ratios[1], _i) - _nested(_ratios[0], _i), "=", Inside())),
    "a new variable under a sum that binds a letter of it": ((N,), {"N": 1},
        _only(Integral(1 + sympy.Sum(x, (index, 0, 2)), (x, index, index + 1)),
            Integral(1 + sympy.Sum(x + index, (index, 0, 2)), (x, 0, 1)), "=", ChangeVariable(x, x, x + index))),
    "a letter that comes under an integral that binds it": ((Variable(u, "u", low=1), X), {"u": 2, "x": 0}, (
        Step("false/0", x * sympy.exp(x), x * sympy.exp(x) + x**2 * (abs(u) - u), check=Rewrite()),
        *_only(Integral(x * sympy.exp(x), (u, -1, 1)),
            Integral(x * sympy.exp(x) + x**2 * (abs(u) - u), (u, -1, 1)), "=", Given(("false/0",))))),
    "a lemma outside its domain as an increment": ((MANY, Variable(lemmas.a, "a", above=0),
        Variable(lemmas.w, "w", above=0), Variable(y, "sum", tied=True)), {"n": 1, "a": 1, "w": 1, "y": 0},
        _only(y, 0, ">=", StateInduction(n, 1, {y: _concave}, {y: y + _concave}, "lemma.bernoulli"))),
    "a positive symbol for any number": ((X,), {"x": 2}, (
        Step("false/0", size**2 + size, S.Zero, ">", check=Sign()),
        *_only(x**2 + x, 0, ">", Instance("false/0", {size: x})))),
    "an expansion on one side of 0": ((X,), {"x": 1}, _only(abs(x), x, "~", Taylor(x, 2, at_zero=True))),
    "an expansion for most values of a parameter": ((X, SMALL), {"x": 1, "y": 1},
        _only(sympy.sqrt(x**2 + y**2), abs(y), "~", Taylor(x, 2, at_zero=True))),
    "equal orders of logarithms of what is not bounded": ((ABOVE, SMALL), {"x": 2, "y": 0},
        _only(x**y * (1 + 1 / x**2), x**y, "~", Taylor(x, 2, logarithm=True))),
    "orders at two places": ((ABOVE,), {"x": 2}, (
        Step("false/0", 1 / (1 + x), S.One, "~", check=Taylor(x, 1, at_zero=True)),
        Step("false/00", S.One, 1 + 1 / x, "~", check=Taylor(x, 1)),
        *_only(1 / (1 + x), 1 + 1 / x, "~", Chain()))),
    "the square of a complex mean is not that of its size": ((), {},
        _only(abs(_twice(h(u, w))) ** 2, _twice(h(u, w)) ** 2, "=", Rewrite())),
    "the square of an imaginary number has no sign": ((X,), {"x": 1}, _only((I * x + I) ** 2, 0, ">=", Sign())),
    "the square of a complex integral has no sign": ((), {},
        _only(Integral(sympy.exp(I * u), (u, 0, sympy.pi)) ** 2, 0, ">=", Sign())),
    "the logarithm of a negative number is complex": ((X,), {"x": 2}, _only(sympy.log(x) ** 2, 0, ">=", Sign())),
    "the cosine of an imaginary number exceeds 1": ((X,), {"x": 2}, _only(sympy.cos(sympy.sqrt(x)), 1, "<=", Sign())),
    "an integral over a pole": ((), {}, _only(Integral(1 / u**2, (u, -1, 1)), -2, "=", Antiderivative(-1 / u))),
    "an antiderivative with a pole": ((), {},
        _only(Integral(f(u) / u**2 - sympy.diff(f(u), u) / u, (u, -1, 1)), -f(1) - f(-1), "=",
            Antiderivative(-f(u) / u))),
    "an odd function that has no integral": ((), {}, _only(Integral(1 / u, (u, -1, 1)), 0, "=", Symmetry())),
    "an integral from 0 down to x": ((X,), {"x": 2},
        _only(Integral(sympy.exp(u), (u, 0, x)), 0, ">=", Termwise(Sign()))),
    "a range from 1 down to x": ((X,), {"x": 2},
        _only(Integral(abs(u), (u, 1, x)), Integral(u, (u, 1, x)), "=", Inside())),
    "a term that the sum need not have": ((MANY,), {"n": 3},
        _only(Sum((i - 1) ** 2, (i, 1, n)), 0, ">", Termwise(Sign(), {i: 2}, Sign()))),
    "a rising factorial of negative order": (ORDER, {"p": 2, "k": 1},
        _only(sympy.rf(size, order), 0, ">", Sign())),
    "an inequality beyond its domain": ((ABOVE,), {"x": 2}, (
        Step("false/0", x - 1, S.Zero, ">=", check=Sign()),
        *_only(_twice((x - 1) * w, x), 0, ">=", Termwise(FromInequality("false/0", w))))),
    "a bound symbol in the place of a free one": ((Variable(size, "p", low=0), X), {"p": 2, "x": 1}, (
        Step("false/0", Integral(size * (1 - 2 * x), (x, 0, 1)), S.Zero,
            check=Antiderivative(size * (x - x**2))),
        Step("false/1", Integral(size * (1 - 2 * x), (x, 0, 1)), S.Zero, ">=",
            check=Given(("false/0",), Sign())),
        Step("false/2", Integral(x * (1 - 2 * x), (x, 0, 1)), S.Zero, ">=",
            check=Instance("false/1", {size: x})))),
    "a factor that is infinite": ((N,), {"N": 3}, (
        Step("false/0", index * (index - 1), S.Zero, ">=", check=Ladder(index, 0, S.One, 2 * index)),
        *_only(index, 1, ">=", FromInequality("false/0", 1 / index)))),
    "an induction that begins before the signs are known": ((N,), {"N": 1},
        _only(index**2, S.Half, ">=", Ladder(index, -1, S.One, 2 * index + 1))),
    "a factor that is infinite on half of the line": ((X,), {"x": 1}, (
        Step("false/0", _HALF**2 * x, S.Zero, ">=", check=Sign(_HALF**2 * abs(x))),
        *_only(x, 0, ">=", FromInequality("false/0", 1 / _HALF**2)))),
    "a factor that is infinite everywhere": ((X,), {"x": 1}, (
        Step("false/0", _ZERO**2 * x, S.Zero, ">=", check=Sign(S.Zero)),
        *_only(x, 0, ">=", FromInequality("false/0", 1 / _ZERO**2)))),
    "a jump where the factor is infinite": ((X,), {"x": 1}, (
        Step("false/0", x**2 * _AT_ZERO, S.Zero, "<=", check=Sign(S.Zero)),
        *_only(_AT_ZERO, 0, "<=", FromInequality("false/0", 1 / x**2)))),
    "a jump where a scale is infinite": ((X,), {"x": 1},
        _only(_AT_ZERO, 0, "<=", Scaled(1 / x**2, Sign(S.Zero)))),
    "a scale that is infinite everywhere": ((X,), {"x": 1},
        _only(x, 0, ">=", Scaled(1 / _ZERO**2, Sign(S.Zero)))),
    "a chain over a pole": ((SMALL,), {"y": 1}, (
        Step("false/0", y * _NOT_AT_ZERO, y, check=Rewrite()),
        Step("false/00", (y * _NOT_AT_ZERO + y**2) / (y + y**2), S.One, check=Given(("false/0",))),
        Step("false/2", (y * _NOT_AT_ZERO + y**2) / (y + y**2), (_NOT_AT_ZERO + y) / (1 + y), check=Rewrite()),
        *_only((_NOT_AT_ZERO + y) / (1 + y), 1, "=", Chain()))),
    **{f"a pole between two sides, {name}": ((SMALL,), {"y": 1}, (
        *_POLE, *_only((y - _AT_LOW) / (1 + y), 0, ">=", check)))
        for name, check in {"a factor": FromInequality("false/00"), "an instance": Instance("false/00", {}),
            "a sum": Combination((("false/00", S.One),)),
            "replaced twice": Given(("false/2", "false/3"), Sign())}.items()},
    "an antiderivative for most numbers": ((N,), {"N": 1},
        _only(Integral(sympy.cos(index * u), (u, 0, sympy.pi)), 0, "=", Antiderivative(sympy.sin(index * u) / index))),
    "a recurrence that begins anew at a pole": ((MANY, SMALL), {"n": 2, "y": 1},
        _only(Integral((n - 1) * sympy.cos(u), (u, 0, sympy.pi / 2)), (n - 1) * (1 + y * (y - 1)), "=",
            IntegralRecurrence(n, 1, n / (n - 1), S.Zero, (Antiderivative(S.Zero),)))),
    "an odd function that has no integral up to its ends": ((), {},
        _only(Integral(x / ((1 - x) * (1 + x)), (x, -1, 1)), 0, "=", Symmetry())),
    "a power series that converges for one parameter": ((SMALL, X), {"x": 1, "y": 0},
        _only(Sum(y * sympy.factorial(_k) * x**_k, (_k, 0, sympy.oo)), y + x * y, "~", SeriesHead(x, 1, 2))),
    "a power series with a limit that grows": ((SMALL,), {"y": 1}, (
        Step("false/0", _GROWING, Sum(y ** (_k - 1) / sympy.factorial(_k), (_k, 0, sympy.oo)), "<=",
            check=Holds(lambda *_: "by hand")),
        *_only(_GROWING, 1 / y + 1, "~", SeriesHead(y, 1, 2, "false/0")))),
    "a finite sum is no power series": ((SMALL,), {"y": 1},
        _only(Sum(y**_k / sympy.factorial(_k), (_k, 0, n)), 1 + y, "~", SeriesHead(y, 1, 2))),
    "a power series without its first term": ((SMALL,), {"y": 1},
        _only(Sum(y**_k / sympy.factorial(_k), (_k, 1, sympy.oo)), 1 + y, "~", SeriesHead(y, 1, 2))),
    "coefficients that vary with the variable": ((SMALL,), {"y": 1},
        _only(Sum((y + 1) ** _k / sympy.factorial(_k), (_k, 0, sympy.oo)), 2 + y, "~", SeriesHead(y, 1, 2))),
    "terms without a majorant": ((SMALL,), {"y": 1}, (
        Step("false/0", Sum(y**_k * _size, (_k, 0, sympy.oo)), sympy.exp(y), ">=", check=Holds(lambda *_: "by hand")),
        *_only(Sum(y**_k * _size, (_k, 0, sympy.oo)), _size.subs(_k, 0), "~", SeriesHead(y, 1, 1, "false/0")))),
    "the square of a complex variable has no sign": ((Variable(Symbol("z"), "z", complex=True),), {"z": 1},
        _only(Symbol("z") ** 2, 0, ">=", Sign())),
    "a root that vanishes at one point": ((ABOVE,), {"x": 2}, _only(sympy.sqrt(x) * (x - 2), 0, "=", Rewrite())),
    "an inequality outside its condition": ((X,), {"x": 3}, (
        Step("false/0", x, S.One, ">=", check=Sign(), conditions=(sympy.Ge(x, 2),)), *_only(x, 1, ">=", Chain()))),
    "up and down": ((X,), {"x": 3}, (
        Step("false/0", x, x + 1, "<", check=Sign()), Step("false/00", x + 1, x - 1, ">", check=Sign()),
        *_only(x, x - 1, "<", Chain()))),
    **{f"an inequality replaces nothing, {label}": ((X,), {"x": 0}, (
        Step("false/0", sympy.cosh(x), sympy.cos(x), ">=", check=Holds(lambda *_: "by hand")),
        *_only(sympy.cosh(x), sympy.cos(x), "=", Given((label,))))) for label in ("false/0", "false/0 reversed")},
    "an induction over real numbers": ((Variable(y, "y", low=0),), {"y": 1},
        _only(sympy.cos(2 * sympy.pi * y), 0, ">=", Ladder(y, 0, S.One, S.Zero))),
    "an induction with a negative rest": ((N,), {"N": 1}, _only(index, 3, "<=", Ladder(index, 0, S.One, -S.One))),
    "an induction by the factor 0 is not strict": ((N,), {"N": 0},
        _only(0**index, 0, ">", Ladder(index, 0, S.Zero, S.Zero))),
    "an induction with a part of no sign": ((N, X), {"N": 1, "x": 1}, (
        Step("false/0", S.One, S.Zero, ">", check=Sign()),
        *_only(index * x, 0, ">=", Ladder(index, 0, S.One, S.Zero, (("false/0", x),))))),
    **{f"an order is no inequality, {name}": ((ABOVE,), {"x": 2}, (
        Step("false/0", S.One, 1 + 1 / x, "~", check=Taylor(x, 1)), *_only(1, 1 + 1 / x, ">=", check)))
        for name, check in {"a factor": FromInequality("false/0"), "an instance": Instance("false/0", {}),
            "a sum": Combination((("false/0", S.One),))}.items()},
    "an integer for any number": ((N, SMALL), {"N": 3, "y": 2}, (
        Step("false/0", index * (index - 1), S.Zero, ">=", check=Ladder(index, 0, S.One, 2 * index)),
        *_only(y * (y - 1), 0, ">=", Instance("false/0", {index: y})))),
    "a real number for a complex one": ((X,), {"x": 0}, (
        Step("false/0", x**2, S.Zero, ">=", check=Sign()), *_only(-(x**2), 0, ">=", Instance("false/0", {x: I * x})))),
    "a strict instance of a weak inequality": ((X,), {"x": 1}, (
        Step("false/0", x**2, S.Zero, ">=", check=Sign()), *_only(x**2, 0, ">", Instance("false/0", {})))),
    "a strict multiple of a weak inequality": ((X,), {"x": 1}, (
        Step("false/0", x**2, S.Zero, ">=", check=Sign()), *_only(x**2, 0, ">", FromInequality("false/0")))),
    "a strict multiple by what may be 0": ((X,), {"x": 1}, (
        Step("false/0", S.One, S.Zero, ">", check=Sign()), *_only(x**2, 0, ">", FromInequality("false/0", x**2)))),
    "a multiple by what may be negative": ((X,), {"x": 1}, (
        Step("false/0", S.One, S.Zero, ">", check=Sign()), *_only(x, 0, ">=", FromInequality("false/0", x)))),
    "a combination with what may be negative": ((X,), {"x": 1}, (
        Step("false/0", S.One, S.Zero, ">", check=Sign()),
        *_only(x, 0, ">=", Combination((("false/0", x),))))),
    "a combination is not strict": ((X,), {"x": 1}, (
        Step("false/0", x**2, S.Zero, ">=", check=Sign()), *_only(x**2, 0, ">", Combination((("false/0", S.One),))))),
    "a sign is 1 or -1": ((X,), {"x": 1}, (
        Step("false/0", S.One, S.Zero, ">", check=Sign()),
        *_only(x + 1, 0, ">=", Combination((("false/0", S(2)), ("false/0", S.Zero)), x)))),
    "a combination of other inequalities": ((X,), {"x": 1}, (
        Step("false/0", S.One, S.Zero, ">", check=Sign()),
        *_only(x, 0, ">=", Combination((("false/0", S.One),))))),
    "a sign proves no equality": ((X,), {"x": 0}, _only(x**2, 0, "=", Sign())),
    "an increase proves no equality": ((X,), {"x": 0},
        _only(sympy.exp(x + 1), sympy.exp(x), "=", Increasing(sympy.exp(u), u, x, x + 1, Sign()))),
    "an argument outside the interval": ((X,), {"x": 2},
        _only(x**2, (x + 1) ** 2, "<=", Increasing(u**2, u, x, x + 1, Sign(), Range(S.Zero)))),
    "integrals over other intervals": ((SMALL,), {"y": 1},
        _only(Integral(u, (u, 0, y)), Integral(u, (u, 0, 1)), "<=", Termwise(Sign()))),
    "equal bodies over other intervals": ((SMALL,), {"y": 1},
        _only(Integral(u, (u, 0, y)), Integral(u, (u, 0, 1)), "=", Inside())),
    "a sum of integrals over other intervals": ((SMALL,), {"y": 1},
        _only(Integral(u, (u, 0, y)) + Integral(u, (u, 0, 1)), Integral(2 * u, (u, 0, y)), "=", Inside())),
    "larger at one place": ((), {}, _only(Integral(u - sympy.Rational(2, 3), (u, 0, 1)), 0, ">",
        Termwise(Sign(), {u: sympy.Rational(9, 10)}, Sign()))),
    "larger at one place only": ((), {}, _only(_twice(sympy.Piecewise((1, sympy.Eq(u, w)), (0, True))), 0, ">",
        Termwise(Sign(), {u: S.Half, w: S.Half}, Sign()))),
    "a scale of no sign": ((X,), {"x": 1}, _only(x, 0, ">=", Scaled(x, Sign()))),
    "a box does not show what is strict": ((SMALL,), {"y": 1}, _only(abs(y), 0, ">", OnBox({y: (0, 3)}))),
    "an exchange of other intervals": ((), {}, _only(_twice(u**2 * w**2), _twice(u**2 * w**2, u, -1), "=", Exchange())),
    "an exchange of limits that are bound": ((), {}, _only(Integral(u**2, (u, 0, w), (w, 0, 1)),
        Integral(u**2, (w, 0, 1), (u, 0, w)), "=", Exchange())),
    **{f"a majorant, {name}": ((), {}, (
        Step("false/0", majorant, S.One, check=Holds(lambda *_: "by hand")),
        *_only(_nested(body, _i, _j), _nested(body, _j, _i), "=", Exchange("false/0"))))
        for name, majorant, body in (
            ("of others", _nested(1 / (sympy.factorial(_i) * sympy.factorial(_j)), _i, _j), _signed),
            ("of no sign", _nested(_opposed, _i, _j), _opposed),
            ("of some", sympy.Sum(_pairs, (_i, 0, 1), (_j, 0, sympy.oo)), _signed))},
    "an odd sum": ((), {}, _only(Sum(u**2 + 1, (u, -1, 1)), Integral(2 * (u**2 + 1), (u, 0, 1)), "=", Symmetry())),
    "odd up to a limit that is not": ((), {}, _only(Integral(w, (u, 0, 1 + w), (w, -1, 1)), 0, "=", Symmetry())),
    "odd about another place": ((), {}, _only(Integral(u, (u, 0, 1)), 0, "=", Symmetry())),
    "not even": ((), {},
        _only(Integral(sympy.exp(u), (u, -1, 1)), Integral(2 * sympy.exp(u), (u, 0, 1)), "=", Symmetry())),
    "even and of another value": ((SMALL,), {"y": 0},
        _only(Integral(u**2 * (1 + y), (u, -1, 1)), Integral(2 * u**2, (u, 0, 1)), "=", Symmetry())),
    "a sum has no antiderivative": ((), {}, _only(Sum(_i, (_i, 0, 1)), S.Half, "=", Antiderivative(_i**2 / 2))),
    "an antiderivative of two integrals": ((), {},
        _only(Integral(1, (u, 0, w), (w, 0, 1)), 1, "=", Antiderivative(w))),
    "a difference of integrals that are infinite at an end": ((), {},
        _only(Integral(1, (u, 0, 1)), Integral(1 + 1 / u, (u, 0, 1)) - Integral(1 / u, (u, 0, 1)), "=", Inside())),
    "a difference of integrals over a half-line": ((), {},
        _only(Integral(1 / u**2, (u, 1, sympy.oo)),
            Integral(1 + 1 / u**2, (u, 1, sympy.oo)) - Integral(1, (u, 1, sympy.oo)), "=", Inside())),
    "a lemma outside its domain": ((X,), {"x": 1},
        _only(Integral(lemmas.w * sympy.exp(-x * lemmas.w**2), (lemmas.w, 0, sympy.oo)), 1 / (2 * x), "=",
            Use("lemma.gamma_integral", {lemmas.s: S.One, lemmas.a: x}))),
    "a lemma with other limits": ((), {}, _only(Integral(sympy.sin(u), (u, 0, sympy.pi / 2)), 2, "=",
        Use("lemma.wallis", {lemmas.n: S(2)}))),
    "a lemma that is an inequality": ((Variable(lemmas.a, "a", above=0), Variable(lemmas.w, "w", above=0, high=1)),
        {"a": 1, "w": 1}, _only(1 + lemmas.w * (lemmas.a - 1), lemmas.a**lemmas.w, "=", Use("lemma.bernoulli", {}))),
    **{f"a shifted series, {name}": ((SMALL,), {"y": 1}, _only(left, right, "=", Reindex(1)))
        for name, left, right in (
            ("a first term", _powers(0, _k), _powers(0, _k + 1)),
            ("a finite sum", Sum(_k * y, (_k, 0, 3)), Sum((_k + 1) * y, (_k, 0, 3))),
            ("another beginning", _powers(0, _k, _k), _powers(1, _k + 1, _k + 1)))},
    **{f"an integral by recurrence, {name}": ((MANY,), {"n": 1}, _only(left, right, "=", check))
        for name, left, right, check in (
            ("another increment", _WALLIS, (2 + sympy.pi) / 2 + (2 - sympy.pi) / 2 * (-1) ** n,
                IntegralRecurrence(n, 1, S.One, sympy.sin(u), (Antiderivative(u), Antiderivative(-sympy.cos(u))))),
            ("ends", Integral(u**n, (u, 0, 1)), S.Half,
                IntegralRecurrence(n, 1, S.One, u ** (n + 2) / (n + 2) - u ** (n + 1) / (n + 1),
                    (Antiderivative(u**2 / 2),))),
            ("a jump", Integral(-n / (1 + u**2) - n * sympy.pi / 4, (u, -1, 1)), -sympy.pi,
                IntegralRecurrence(n, 1, S.One, sympy.atan(1 / u) - sympy.pi * u / 4,
                    (Antiderivative(-sympy.atan(u) - sympy.pi * u / 4),))),
            ("another right side", Integral(u ** (n - 1), (u, 0, 1)), n ** S.NegativeOne * (1 + (n - 1) ** 2),
                IntegralRecurrence(n, 1, n / (n + 1), (u ** (n + 1) - u**n) / (n + 1), (Antiderivative(u),))))},
    "unequal ratios": ((MANY,), {"n": 1}, _only(2**n, n + 1, "=", RatioInduction(n, 1))),
    "a ratio from another value on": ((MANY,), {"n": 1}, _only(2**n, 2 ** (n + 1), "=", RatioInduction(n, 1))),
    "an induction without a beginning": ((MANY, Variable(y, "sum", tied=True)), {"n": 1, "y": 2},
        _only(y, n + 1, "=", StateInduction(n, 1, {y: S.One}, {y: y + 1}))),
    "Robbins' bound the other way round": ((Variable(_positive, "x", above=0),), {"u": 1},
        _only(textbook.STIRLING, sympy.gamma(_positive + 1), ">", Holds(textbook._robbins))),
}  # fmt: skip
TRUE: dict[str, tuple[tuple[Variable, ...], dict[str, int], tuple[Step, ...]]] = {
    "an induction from the first value on": ((N,), {"N": 1},
        _only(index**2, 0, ">=", Ladder(index, 0, S.One, 2 * index + 1))),
    "a factor that is infinite at one value": ((X,), {"x": 1}, (
        Step("true/0", x**2 * (x - 1) ** 2, S.Zero, ">=", check=Sign()),
        *_only((x - 1) ** 2, 0, ">=", FromInequality("true/0", 1 / x**2)))),
    "a scale that is infinite at one value": ((X,), {"x": 1},
        _only(x**2 * sympy.exp(x), 0, ">=", Scaled(1 / x**2, Sign()))),
    "a factor that is infinite nowhere": ((N,), {"N": 3}, (
        Step("true/0", index * (index + 1), S.Zero, ">=", check=Sign()),
        *_only(index, 0, ">=", FromInequality("true/0", 1 / (index + 1))))),
}  # fmt: skip


@pytest.mark.parametrize(
    "form", [sympy.Piecewise((u, u < S.Half), (u + 5, True)), sympy.tan(3 * u), u - 1 / (2 * u - 1)]
)
def test_a_change_of_variable_is_continuous(form: sympy.Expr) -> None:
    ends = [form.subs(u, end) for end in (0, 1)]
    step = Step("false", Integral(x**2, (x, *ends)), Integral(form**2 * form.diff(u), (u, 0, 1)))
    assert ChangeVariable(x, u, form)(step, Scope("", {}, ())).status == "undecided"


@pytest.mark.parametrize(("function", "small"), [(-1 / u, -1), (sympy.tan(2 * u), 0)])
def test_an_increasing_function_is_continuous(function: sympy.Expr, small: int) -> None:
    """Its slope is positive wherever it has one, and yet it is larger at ``small`` than at 1."""
    step = Step("false", function.subs(u, small), function.subs(u, 1), "<=")
    assert step.left > step.right
    rule = Increasing(function, u, sympy.Integer(small), S.One, Sign())
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
    step = Step("false", _twice(u * u * w), Integral(t * u * w, (t, 0, 1), (w, 0, 1)), check=Inside())
    with pytest.raises(InvalidInput, match="bound symbol that is not free"):
        replay(Derivation("false", "", "", (Variable(u, "u"),), (step,), ({"u": 2},)))


def test_a_condition_of_a_derivation_is_needed_where_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    start, value = Variable(x, "x", low=0), {"x": 1}
    step = Step("known/1", x, S.Zero, ">", check=Sign(), conditions=(x > 0,))
    monkeypatch.setitem(DERIVATIONS, "known", Derivation("known", "", "", (start,), (step,), (value,)))
    for given, status in (((), "undecided"), ((x > 0,), "proved")):
        used = Step("used/1", x, S.Zero, ">", check=Instance("known", {}), conditions=given)
        (found,) = replay(Derivation("used", "", "", (start,), (used,), (value,))).steps
        assert found.status == status
