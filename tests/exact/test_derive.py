"""What is proved, what is refuted, what stays undecided; wrong twins of every check are not proved."""

from __future__ import annotations

import json

import pytest
import sympy
from sympy import Integral, Rational, S, Sum, cos, exp, factorial, gamma, oo, pi, sin, sqrt

from rftheory.errors import InvalidInput, NotCertified, UnknownName
from rftheory.exact.formula import Variable
from rftheory.exact.proof import derivation, derivations, lemmas
from rftheory.exact.proof import steps as derive
from rftheory.exact.proof.rules import (
    Antiderivative,
    Chain,
    ChangeVariable,
    Cited,
    Counterexample,
    Definition,
    Exchange,
    FirstTerms,
    Given,
    Increasing,
    Inside,
    Instance,
    IntegralRecurrence,
    Ladder,
    OnBox,
    RatioInduction,
    Rewrite,
    Sign,
    StateInduction,
    Symmetry,
    Taylor,
    Termwise,
    Use,
)
from rftheory.exact.proof.steps import Derivation, Finding, Step, at, replay
from rftheory.exact.ranges import Range, range_of

a, b = sympy.symbols("a b", positive=True)
k, p = sympy.symbols("k p", integer=True, nonnegative=True)
n = sympy.Symbol("n", integer=True, positive=True)
x = sympy.Symbol("x", real=True)
w = sympy.Symbol("w", positive=True)
phi = sympy.Symbol("phi", real=True)

derivations()  # registers the lemmas that are used here

VARIABLES = (
    Variable(a, "a", above=0),
    Variable(b, "b", above=0),
    Variable(n, "n", integer=True, low=1),
    Variable(k, "k", integer=True, low=0),
    Variable(x, "x"),
)
POINTS = ({"a": "1/3", "b": 2, "n": 1, "k": 0, "x": "-1/2"}, {"a": 3, "b": "5/7", "n": 4, "k": 3, "x": 2})


def status(left, right, check=None, relation="=", points=POINTS, variables=VARIABLES, earlier=()):
    steps = (*earlier, Step("step", sympy.sympify(left), sympy.sympify(right), relation, check=check))
    return replay(Derivation("test", "", "", variables, steps, points))["step"].status


PROVED = [
    ("rewrite", (gamma(n + 1), n * gamma(n), Rewrite())),
    ("inside", (2 * Sum(k * a, (k, 0, n)), Sum(2 * a * k, (k, 0, n)), Inside())),
    ("rename", (Sum(k * a, (k, 0, n)), Sum(p * a, (p, 0, n)), Inside())),
    (
        "linear",
        (Integral(a * w, (w, 0, 1)) + Integral(b * w, (w, 0, 1)), Integral((a + b) * w, (w, 0, 1)), Inside()),
    ),
    (
        "tonelli",
        (
            Integral(Sum(w**k * exp(-a * w) / factorial(k), (k, 0, oo)), (w, 0, oo)),
            Sum(Integral(w**k * exp(-a * w) / factorial(k), (w, 0, oo)), (k, 0, oo)),
            Exchange(),
        ),
    ),
    (
        "variable",
        (
            Integral(exp(-(w**2)), (w, 0, oo)),
            Integral(a * exp(-(a**2) * w**2), (w, 0, oo)),
            ChangeVariable(w, w, a * w),
        ),
    ),
    ("primitive", (Integral(sin(phi), (phi, 0, pi)), 2, Antiderivative(-cos(phi)))),
    (
        "lemma",
        (
            Integral(b * w**3 * exp(-a * w**2), (w, 0, oo)),
            b / (2 * a**2),
            Use("lemma.gamma_integral", {sympy.Symbol("s", positive=True): S(2)}),
        ),
    ),
    ("odd", (Integral(x * exp(-(x**2)), (x, -oo, oo)), 0, Symmetry())),
    ("ratio", (2**n * factorial(n), 2**n * gamma(n + 1), RatioInduction(n, 1, 1))),
    (
        "later terms",
        (
            Sum(a**k / factorial(k), (k, 2, oo)),
            exp(a) - 1 - a,
            FirstTerms(2, Use("definition.exp", {sympy.Symbol("t", real=True): a})),
        ),
    ),
    ("value", (at(x**2 - a, {x: 1 + a}), 1 + a + a**2, Rewrite())),
    ("derivative", (sympy.Derivative(x**3 * a, x), 3 * a * x**2, Rewrite())),
]


@pytest.mark.parametrize("case", [c for _, c in PROVED], ids=[name for name, _ in PROVED])
def test_proved_and_twin_with_a_wrong_constant_refuted_or_undecided(case):
    left, right, check = case
    assert status(left, right, check) == "proved"
    assert status(left, sympy.sympify(right) * Rational(101, 100) + Rational(1, 100), check) != "proved"


def test_equal_ratios_say_nothing_of_forms_that_vanish():
    product = sympy.Mul(*(n - i for i in range(1, 80)))
    one, of_n = RatioInduction(n, 1, 1), (Variable(n, "index", low=1, integer=True),)
    for left, right in ((2 * product, 3 * product), (n - 1, 2 * (n - 1)), (-product, product)):
        assert status(left, right, one, points=({"n": 1},), variables=of_n) != "proved"
    assert status(-factorial(n), -gamma(n + 1), one) == "proved"


def test_binomial_coefficients_of_negative_numbers_are_not_symmetric():
    of_n = (Variable(n, "index", low=1, integer=True),)
    for upper, expected in ((100 - n, "undecided"), (n + 2, "proved")):
        sides = sympy.binomial(upper, 3), sympy.binomial(upper, upper - 3)  # -1 and 0 at n = 101
        assert status(*sides, Rewrite(), points=({"n": 7},), variables=of_n) == expected


def test_agreement_at_points_is_not_a_proof():
    assert status(sqrt(a**2 + 2 * a * b + b**2), a + b) == "undecided"


def test_disjoint_enclosures_refute_with_a_witness():
    result = replay(Derivation("test", "", "", VARIABLES, (Step("step", a, 2 * a),), POINTS))
    assert result["step"].status == "refuted"
    assert "a = 1/3" in result["step"].witness


def test_a_witness_shows_exact_integers_as_such():
    steps = (Step("whole", S(36), 34 * a / a + b - b + 1), Step("not", a + 1, 2 * a))
    found = replay(Derivation("test", "", "", VARIABLES, steps, ({"a": 2, "b": 1},)))
    assert found["whole"].witness.endswith("left 36, right 35")
    assert found["not"].witness.endswith("left 3, right 4")
    third = replay(Derivation("test", "", "", VARIABLES, (Step("step", a / 3, a),), POINTS))
    assert "left 0.111111111111, right 0.333333333333" in third["step"].witness


def test_a_wrong_proof_is_an_error_not_a_verdict():
    with pytest.raises(NotCertified, match="contradict"):
        status(a, a + 1, lambda step, scope: Finding("proved", "by decree"))


def test_a_rewriting_that_lies_is_not_believed(monkeypatch):
    monkeypatch.setattr(derive, "REWRITINGS", {"lie": lambda e: S.Zero})
    inner = Step("inner", a, a + 1)
    scope = derive.Scope.of(Derivation("test", "", "", VARIABLES, (inner,), POINTS), inner)
    assert Rewrite()(inner, scope).status == "undecided"


def test_sympy_is_not_believed_without_a_point():
    with pytest.raises(NotCertified, match="no sample point"):
        status((a + b) ** 2, a**2 + 2 * a * b + b**2, Rewrite(), points=())


class TestInequalities:
    def test_sign_of_the_difference(self):
        assert status(a / (a + b), 1, Sign(b / (a + b)), "<") == "proved"
        assert status(a**2 + b**2, 2 * a * b, Sign((a - b) ** 2), ">=") == "proved"
        assert status(a**2 + b**2, 2 * a * b, Sign((a - b) ** 2), ">") == "undecided"
        assert status(a, b, Sign(), "<") == "refuted"

    def test_an_increasing_function_of_ordered_arguments(self):
        ordered = Increasing(exp(x), x, a, a + b, Sign())
        assert status(exp(a), exp(a + b), ordered, "<=") == "proved"
        assert status(exp(a), exp(a + 2 * b), ordered, "<=") == "undecided"
        assert status(exp(a), exp(a + b), ordered, "<") == "undecided"
        assert status(exp(a), exp(2 * b), Increasing(exp(x), x, a, 2 * b, Sign()), "<=") != "proved"
        assert status(a**2, (a + b) ** 2, Increasing(x**2, x, a, a + b, Sign()), "<=") == "undecided"
        positive = Increasing(x**2, x, a, a + b, Sign(), Range(S.Zero))
        assert status(a**2, (a + b) ** 2, positive, "<=") == "proved"

    def test_bernoulli_by_induction(self):
        factor, remainder = 1 + a, n * a**2
        assert status((1 + a) ** n, 1 + n * a, Ladder(n, 1, factor, remainder), ">=") == "proved"
        assert status((1 + a) ** n, 1 + n * a, Ladder(n, 1, factor, remainder), ">") != "proved"
        assert status((1 + a) ** n, 1 + n * a + a, Ladder(n, 1, factor, remainder), ">=") == "refuted"

    def test_termwise_strict_needs_a_strict_term(self):
        less, more = (
            Sum(a**k / factorial(k) / (k + 2), (k, 0, oo)),
            Sum(a**k / factorial(k) / (k + 1), (k, 0, oo)),
        )
        body = Sign(a**k / factorial(k) / ((k + 1) * (k + 2)))
        assert status(less, more, Termwise(body, {k: 0}, Sign()), "<") == "proved"
        assert status(less, more, Termwise(body), "<") == "undecided"
        assert status(less, more, Termwise(body), "<=") == "proved"

    def test_box(self):
        t = sympy.Symbol("t", real=True)
        domain = (Variable(t, "t", low=0, high=3),)
        points = ({"t": 0}, {"t": 1})
        assert status(t * exp(-t), Rational(37, 100), OnBox({t: (0, 3)}), "<", points, domain) == "proved"
        assert (
            status(t * exp(-t), Rational(36, 100), OnBox({t: (0, 3)}, 50), "<", points, domain) == "refuted"
        )
        assert status(t * exp(-t), Rational(37, 100), OnBox({t: (0, 1)}), "<", points, domain) == "undecided"


class TestInductions:
    def test_integral_recurrence_needs_its_base(self):
        left = Integral(sin(phi) ** (n - 1), (phi, 0, pi))
        right = sqrt(pi) * gamma(n / 2) / gamma((n + 1) / 2)
        ratio, boundary = n / (n + 1), -(sin(phi) ** n) * cos(phi) / (n + 1)
        good = IntegralRecurrence(n, 1, ratio, boundary, (Antiderivative(phi), Antiderivative(-cos(phi))))
        bad = IntegralRecurrence(n, 1, ratio, boundary, (Antiderivative(phi), Antiderivative(cos(phi))))
        short = IntegralRecurrence(n, 2, ratio, boundary, (Antiderivative(phi), Antiderivative(-cos(phi))))
        assert [status(left, right, check) for check in (good, bad, short)] == [
            "proved",
            "undecided",
            "undecided",
        ]

    def test_state(self):
        total, squares, pairs, new = sympy.symbols("S Q P g", real=True)
        variables = (*VARIABLES, *(Variable(q, "", tied=q != new) for q in (total, squares, pairs, new)))
        points = ({"n": 3, "S": 6, "Q": 14, "P": 22, "g": 1},)
        good = StateInduction(
            n,
            1,
            {total: new, squares: new**2, pairs: S.Zero},
            {total: total + new, squares: squares + new**2, pairs: pairs + 2 * new * total},
        )
        assert status(total**2, squares + pairs, good, points=points, variables=variables) == "proved"
        assert status(total**2, squares + 2 * pairs, good, points=points, variables=variables) == "refuted"


class TestChains:
    def test_chain_composes_relations(self):
        steps = (
            Step("one", a, a + b, "<", check=Sign()),
            Step("two", a * (a + b + 1), a**2 + a * b + a, check=Rewrite()),
            Step("three", a + b, a + b + 1, "<=", check=Sign()),
        )
        assert status(a, a + b + 1, Chain(), "<", earlier=steps) == "proved"
        assert status(a, a + b + 1, Chain(), "<=", earlier=steps) == "proved"
        assert status(a + b + 1, a, Chain(), ">", earlier=steps) == "proved"
        assert status(a, a + b + 1, Chain(), "<", earlier=steps[:1]) == "undecided"

    def test_an_unproved_step_is_no_link(self):
        steps = (Step("one", a, a + b, "<"),)
        assert status(a, a + b, Chain(), "<", earlier=steps) == "undecided"
        cited = Step("known", STIRLING, gamma(a + 1), "<", check=ROBBINS)
        assert status(a, a + b, Chain(), "<", earlier=(*steps, cited)) == "undecided"

    def test_a_lemma_that_does_not_hold_is_not_used(self, monkeypatch):
        lemma = Derivation(
            "lemma.open", "", "", VARIABLES, (Step("s", Integral(w, (w, 0, 1)), Rational(1, 2)),), POINTS
        )
        monkeypatch.setitem(derive.DERIVATIONS, lemma.id, lemma)
        assert status(Integral(a * w, (w, 0, 1)), a / 2, Use(lemma.id, {})) == "undecided"

    def test_given(self):
        steps = (Step("value", gamma(n + 1), factorial(n), check=Rewrite()),)
        assert (
            status(2 * gamma(n + 1), factorial(n) + factorial(n), Given(("value",)), earlier=steps)
            == "proved"
        )
        assert status(2 * gamma(n + 1), factorial(n), Given(("value",)), earlier=steps) == "refuted"
        assert (
            status(2 * gamma(n + 1), factorial(n) * 2, Given(("nothing",), Chain()), earlier=steps)
            == "undecided"
        )


def test_asymptotic_order():
    left, right = sqrt(1 + 1 / a), 1 + 1 / (2 * a)
    assert status(left, right, Taylor(a, 2), "~") == "proved"
    assert status(left, right, Taylor(a, 3), "~") == "undecided"
    assert status(left, 1 + 1 / a, Taylor(a, 2), "~") == "undecided"


def test_signed_sums_are_not_exchanged_without_a_majorant():
    terms = (-1) ** k * w**k * exp(-a * w) / factorial(k)
    left, right = Integral(Sum(terms, (k, 0, oo)), (w, 0, oo)), Sum(Integral(terms, (w, 0, oo)), (k, 0, oo))
    assert status(left, right, Exchange()) == "undecided"


def test_decreasing_or_shifted_substitution_is_not_accepted():
    left = Integral(exp(-(w**2)), (w, 0, 1))
    assert status(left, Integral(exp(-((1 - w) ** 2)), (w, 0, 1)), ChangeVariable(w, w, 1 - w)) == "undecided"
    assert status(left, Integral(2 * exp(-4 * w**2), (w, 0, 1)), ChangeVariable(w, w, 2 * w)) == "refuted"


@pytest.mark.parametrize(("left", "right", "where"), [(a, S.Zero, {a: -1}), (n**2, n, {n: Rational(1, 2)})])
def test_a_point_outside_the_domain_refutes_nothing(left, right, where):
    assert status(left, right, Counterexample(where), ">=") == "undecided"


def test_a_bound_symbol_has_what_sympy_assumes_of_it():
    with pytest.raises(InvalidInput, match="bound symbols"):
        status(Integral(sqrt(w**2 + x - x), (w, -1, 1)), x, Rewrite())


def test_counterexample_at_a_point_of_its_own():
    step = Counterexample({a: Rational(1, 1000), b: 1})
    assert status(a, b / 100, step, ">", points=()) == "refuted"
    assert status(a, b / 100, Counterexample({a: 1, b: 1}), ">", points=()) == "undecided"


class TestReplay:
    STEPS = (
        Step("misprint", (a + b) ** 2, a**2 + b**2, printed=True),
        Step("corrected", (a + b) ** 2, a**2 + 2 * a * b + b**2, check=Rewrite(), replaces="misprint"),
    )

    def test_a_replaced_misprint_leaves_the_corrected_chain_standing(self):
        result = replay(Derivation("test", "t", "s", VARIABLES, self.STEPS, POINTS))
        assert result.holds
        assert [s.step.label for s in result.refuted] == ["misprint"]
        assert "refuted: misprint" in result.summary()

    def test_an_unreplaced_misprint_does_not_hold(self):
        assert not replay(Derivation("test", "t", "s", VARIABLES, self.STEPS[:1], POINTS)).holds

    def test_a_replacement_that_is_not_proved_does_not_count(self):
        steps = (self.STEPS[0], Step("corrected", sqrt(a**2 + 2 * a * b + b**2), a + b, replaces="misprint"))
        assert not replay(Derivation("test", "t", "s", VARIABLES, steps, POINTS)).holds

    def test_only_what_is_refuted_is_replaced_and_only_by_what_stands(self):
        unproved = Step("misprint", (a + b) ** 2, a**2 + b**2 + 2 * a * b, printed=True)
        again = Step("again", (a + b) ** 2, a**2 + b**2 + a * b, replaces="misprint")
        last = Step("last", (a + b) ** 2, a**2 + 2 * a * b + b**2, check=Rewrite(), replaces="again")
        for steps in ((unproved, self.STEPS[1]), (self.STEPS[0], again, last)):
            assert not replay(Derivation("test", "t", "s", VARIABLES, steps, POINTS)).holds

    def test_text_latex_json(self):
        result = replay(Derivation("test", "t", "s", VARIABLES, self.STEPS, POINTS))
        assert "[refuted] misprint (printed)" in result.text()
        assert r"\text{corrected: proved}" in result.latex()
        data = json.loads(result.to_json())
        assert data["holds"]
        assert [s["status"] for s in data["steps"]] == ["refuted", "proved"]

    def test_bad_input(self):
        with pytest.raises(InvalidInput, match="relation"):
            Step("s", a, b, "==")
        with pytest.raises(InvalidInput, match="different label"):
            replay(Derivation("test", "", "", VARIABLES, (self.STEPS[0], self.STEPS[0]), POINTS))
        with pytest.raises(UnknownName, match="earlier step"):
            replay(Derivation("test", "", "", VARIABLES, self.STEPS[1:], POINTS))
        with pytest.raises(UnknownName, match="derivation"):
            derivation("simplex.lem4.11")


STIRLING = sqrt(2 * pi * a) * a**a * exp(-a)
ROBBINS = Cited("Robbins' bound", STIRLING, "<", gamma(a + 1))


class TestCited:
    """What a step takes as known counts as cited, and so does what rests on it."""

    def test_a_step_that_assumes_is_cited_and_names_what(self):
        done = replay(
            Derivation(
                "test", "t", "s", VARIABLES, (Step("s", STIRLING, gamma(a + 1), "<", check=ROBBINS),), POINTS
            )
        )
        assert (done["s"].status, done["s"].assumes, done.holds) == ("cited", ("Robbins' bound",), True)
        assert done.assumes == ("Robbins' bound",)
        assert "taken as known: Robbins' bound" in done.summary()
        assert "[cited] s" in done.text()
        assert json.loads(done.to_json())["steps"][0]["assumes"] == ["Robbins' bound"]

    def test_it_states_its_instance_and_its_premises(self):
        assert status(STIRLING, 2 * gamma(a + 1), ROBBINS, "<") == "undecided"
        assert status(STIRLING, gamma(a + 1), ROBBINS, "<=") == "undecided"
        known = Cited("exp is increasing", exp(a), "<=", exp(b), {a: a / 2, b: a}, ((a, "<=", b, Sign()),))
        assert status(exp(a / 2), exp(a), known, "<=") == "cited"
        assert status(exp(a / 2), exp(2 * a), known, "<=") == "undecided"
        open_premise = Cited(
            "exp is increasing", exp(a), "<=", exp(b), {a: a, b: 2 * b}, ((a, "<=", b, Sign()),)
        )
        assert status(exp(a), exp(2 * b), open_premise, "<=") == "refuted"

    def test_a_false_theorem_is_refuted_and_one_without_a_point_is_open(self):
        wrong = Cited("Robbins' bound", STIRLING, ">", gamma(a + 1))
        assert status(STIRLING, gamma(a + 1), ROBBINS, "<", points=()) == "undecided"
        assert status(STIRLING, gamma(a + 1), wrong, ">") == "refuted"

    def test_what_rests_on_it_is_cited_and_what_does_not_is_proved(self):
        steps = (
            Step("known", STIRLING, gamma(a + 1), "<", check=ROBBINS),
            Step("own", gamma(a + 1), a * gamma(a), check=Rewrite()),
            Step("from both", STIRLING, a * gamma(a), "<", check=Chain()),
            Step("aside", (a + b) ** 2, a**2 + 2 * a * b + b**2, check=Rewrite()),
        )
        done = replay(Derivation("test", "", "", VARIABLES, steps, POINTS))
        assert [s.status for s in done.steps] == ["cited", "proved", "cited", "proved"]
        assert done["from both"].assumes == ("Robbins' bound",)
        again = done.again(2, steps[2])
        assert (again.status, again.assumes) == ("cited", ("Robbins' bound",))

    def test_a_lemma_hands_on_what_it_takes_as_known(self, monkeypatch):
        lemma = Derivation(
            "lemma.stirling",
            "",
            "",
            VARIABLES,
            (Step("s", STIRLING, gamma(a + 1), "<", check=ROBBINS),),
            POINTS,
        )
        monkeypatch.setitem(derive.DERIVATIONS, lemma.id, lemma)
        monkeypatch.setitem(derive._REPLAYS, lemma.id, replay(lemma))
        doubled = STIRLING.subs(a, 2 * a), gamma(2 * a + 1)
        step = Step("use", *doubled, "<", check=Instance("lemma.stirling", {a: 2 * a}))
        done = replay(Derivation("test", "", "", VARIABLES, (step,), POINTS))
        assert (done["use"].status, done["use"].assumes) == ("cited", ("Robbins' bound",))

    def test_only_definitions_define(self, monkeypatch):
        series = Sum(a**k / factorial(k), (k, 0, oo))
        assert status(series, exp(a), Definition("exponential series")) == "undecided"
        step = Step("definition.test/s", series, exp(a), check=Definition("exponential series"))
        home = Derivation("definition.test", "", "", VARIABLES, (step,), POINTS)
        assert replay(home).steps[0].status == "undecided"  # it agrees at some points, as what is false may
        monkeypatch.setitem(derive.DERIVATIONS, home.id, home)
        assert replay(home).steps[0].status == "proved"
        old = Step("definition.test/s", series, exp(a) * series, check=Definition("nothing new"))
        assert (
            replay(Derivation("definition.test", "", "", VARIABLES, (old,), POINTS)).steps[0].status
            == "refuted"
        )


class TestIdenticalSides:
    def test_are_refused_whatever_the_check(self):
        for relation in ("=", "<=", ">=", "~"):
            step = Step("s", 2 * (a + b), a + b + a + b, relation, check=Rewrite())
            with pytest.raises(InvalidInput, match="s: needs two sides that differ as expressions"):
                Derivation("test", "", "", VARIABLES, (step,), POINTS)

    def test_a_value_that_is_not_worked_out_says_something(self):
        assert status(at(a * exp(b), {a: exp(a)}), exp(a + b), Rewrite()) == "proved"
        assert status(at(a * exp(b), {a: exp(a)}), exp(a - b), Rewrite()) == "refuted"
        assert status(a, a, relation="<") == "refuted"

    def test_no_derivation_has_them(self):
        assert not any(step.says_nothing for item in derivations().values() for step in item.steps)


_SERIES = derivation("lemma.binomial").statement.left
_TERM, _POWER = _SERIES.function, (1 + lemmas.t) ** lemmas.k


@pytest.mark.parametrize(
    ("term", "right"),
    [(_TERM, 2 * _POWER), (_TERM, (1 + 2 * lemmas.t) ** lemmas.k), (_TERM * (lemmas.p + 1), _POWER),
        (_TERM * 2**lemmas.p, _POWER), (_TERM * gamma(lemmas.k + 2) / gamma(lemmas.k + 1), _POWER)],
)  # fmt: skip
def test_the_induction_of_pascal_notices_changes(term, right):
    step = Step("step", Sum(term, *_SERIES.limits), right)
    assert not lemmas._pascal(step, derive.Scope("", {}, ()))


def test_lemmas_hold():
    for name, item in derivations().items():
        if name.startswith(("lemma.", "definition.")):
            result = replay(item)
            assert result.holds, result.text()


class TestRanges:
    def test_dependence_is_not_forgotten_in_the_unsafe_direction(self):
        ranges = {x: Range(S(-1), S(1))}
        found = range_of(x * x - x, ranges)
        assert found.low <= Rational(-1, 4)
        assert found.high >= 2

    def test_open_ends(self):
        ranges = {x: Range(S.Zero, S.One, True, False)}
        assert range_of(1 / x, ranges).positive
        assert range_of(x**2 * exp(-x), ranges).positive
        assert not range_of(x - x**2, ranges).nonnegative

    def test_waves(self):
        assert range_of(sin(2 * phi), {phi: Range(S.Zero, pi / 2)}).nonnegative
        assert not range_of(cos(phi), {phi: Range(S.Zero, pi)}).nonnegative
