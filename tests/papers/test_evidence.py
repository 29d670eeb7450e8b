"""Each kind of evidence on a true statement and on a wrong one: the wrong one never gives "holds"."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
from flint import acb, arb
from scipy.stats import norm

from rftheory.author import m, mse, orthogonal, positive
from rftheory.author import simplex as simplex_rows
from rftheory.errors import InvalidInput, NotCertified
from rftheory.exact.conformity import iid_conformity, orf_conformity, simrf_conformity
from rftheory.exact.formula import Formula, Route, Variable
from rftheory.exact.positive import prf_mse_iid, prf_mse_orf, prf_mse_simrf
from rftheory.exact.proof.rules import Rewrite
from rftheory.exact.proof.steps import Derivation, Finding, Replay, Step, replay
from rftheory.exact.symbols import v
from rftheory.judge import Budget, Decision, Evidence, Kind, Verdict
from rftheory.papers import Claim
from rftheory.papers.claim import stated
from rftheory.papers.digits import PAIRS, pair, prediction
from rftheory.papers.statistics import (
    BEYOND,
    MakeStatistic,
    cut_range,
    pair_moment,
    pair_product,
    pair_product_law,
    squared_error_law,
    squared_resultant,
    squared_resultant_law,
)
from rftheory.sample import Stream
from rftheory.statement.evidence import (
    Bench,
    Check,
    Counterexample,
    Derived,
    Difference,
    FailingStep,
    Identity,
    Law,
    OnBox,
    ProvedStep,
    Range,
    SameValue,
    SampledMean,
    SampledOrder,
    Shown,
    derived,
    other,
    times,
)

# All sampled checks of this file together raise a false alarm with probability 1e-6 at most.
SAMPLED_CHECKS = 20
BENCH = Bench(Budget(1e-6, tests=SAMPLED_CHECKS), np)
x, INTEGER = sympy.Symbol("x", real=True), sympy.Symbol("n", integer=True)


def judge(*checks: Check) -> Verdict:
    return Claim("test.claim", "here", "a statement", "everywhere", checks).judge(BENCH)


# ---- derived ---------------------------------------------------------------------------------------

MISPRINT = Step("misprint", (x + 1) ** 2, x**2 + x + 1, printed=True)
SQUARE = Step("square", (x + 1) ** 2, x**2 + 2 * x + 1, check=Rewrite())
CORRECTED = replace(SQUARE, replaces="misprint")
UNCHECKED = replace(SQUARE, label="unchecked", check=None)


def use(monkeypatch: pytest.MonkeyPatch, *steps: Step) -> None:
    """Let every derivation be the one with these steps."""
    points = ({"x": "1/3"}, {"x": 2})
    found = Derivation("test", "a square", "binomial", (Variable(x, "number"),), steps, points)

    def established(identifier: str) -> Replay:
        return replay(found)

    monkeypatch.setattr(derived, "established", established)


def test_a_derivation_of_proved_steps_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, SQUARE)
    found = Derived("test").run(BENCH)
    assert (found.kind, found.decision, found.control) == (Kind.DERIVED, Decision.HOLDS, True)
    use(monkeypatch, MISPRINT, CORRECTED)
    found = Derived("test").run(BENCH)
    assert (found.decision, found.control) == (Decision.HOLDS, True)
    assert "printed step wrong: misprint" in found.summary


@pytest.mark.parametrize(
    ("steps", "decision"),
    [
        ((SQUARE, MISPRINT), Decision.FAILS),
        ((MISPRINT, UNCHECKED), Decision.UNDECIDED),
        ((SQUARE, UNCHECKED), Decision.UNDECIDED),
    ],
    ids=["refuted", "refuted and unproved", "unproved"],
)
def test_a_derivation_with_a_wrong_or_unproved_step_does_not_hold(
    monkeypatch: pytest.MonkeyPatch, steps: tuple[Step, ...], decision: Decision
) -> None:
    use(monkeypatch, *steps)
    assert Derived("test").run(BENCH).decision is decision


def test_a_check_that_proves_anything_is_no_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without sample points nothing stops the credulous check, and the planted error is proved too.
    credulous = replace(SQUARE, check=lambda step, scope: Finding("proved", "believed"))
    found = Derivation("test", "a square", "binomial", (Variable(x, "number"),), (credulous,))
    monkeypatch.setattr(derived, "established", lambda identifier: replay(found))
    piece = Derived("test").run(BENCH)
    assert (piece.decision, piece.control, piece.effective) == (Decision.HOLDS, False, Decision.UNDECIDED)
    right = replace(SQUARE, points=({"x": 2},))
    both = replace(found, steps=(right, replace(credulous, label="again")))
    monkeypatch.setattr(derived, "established", lambda identifier: replay(both))
    assert Derived("test").run(BENCH).control is False


def test_what_a_rule_proves_and_the_corners_refute_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(MISPRINT, printed=False, check=lambda step, scope: Finding("proved", "believed"))
    found = Derivation("test", "a square", "binomial", (Variable(x, "number"),), (wrong,))
    monkeypatch.setattr(derived, "established", lambda identifier: replay(found))
    piece = ProvedStep("test", "misprint").run(BENCH)
    assert (piece.decision, piece.control) == (Decision.UNDECIDED, False)
    assert "is proved: believed; but counterexample x = 1/2: (x + 1)**2 = 2.25000" in piece.summary


@pytest.mark.parametrize("check", [Derived("test"), ProvedStep("test", "square")])
def test_changes_of_a_step_are_caught(monkeypatch: pytest.MonkeyPatch, check: Check) -> None:
    use(monkeypatch, SQUARE)
    found = check.run(replace(BENCH, thorough=True))
    assert (found.decision, len(found.mutants)) == (Decision.HOLDS, 8)
    assert all(caught for _, caught in found.mutants)


@pytest.mark.parametrize("replaces", ["misprint", ("misprint", "other misprint")])
def test_a_printed_step_that_is_refuted_fails(
    monkeypatch: pytest.MonkeyPatch, replaces: str | tuple[str, ...]
) -> None:
    second = replace(MISPRINT, label="other misprint", right=x**2)
    use(monkeypatch, MISPRINT, second, replace(SQUARE, replaces=replaces))
    found = FailingStep("test", "misprint").run(BENCH)
    assert (found.decision, found.control) == (Decision.FAILS, True)
    assert "refuted" in found.summary


def test_a_printed_step_that_is_right_does_not_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, SQUARE)
    assert FailingStep("test", "square").run(BENCH).decision is Decision.HOLDS
    use(monkeypatch, UNCHECKED)
    assert FailingStep("test", "unchecked").run(BENCH).decision is Decision.UNDECIDED


def test_a_failing_step_whose_replacement_is_unproved_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, MISPRINT, replace(UNCHECKED, replaces="misprint"))
    found = FailingStep("test", "misprint").run(BENCH)
    assert (found.decision, found.effective) == (Decision.FAILS, Decision.UNDECIDED)


def test_unknown_derivations_and_steps_leave_a_claim_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = judge(Derived("simplex.lem99"))
    assert verdict.decision is Decision.UNDECIDED
    assert "UnknownName: unknown derivation 'simplex.lem99'" in verdict.reason
    use(monkeypatch, SQUARE)
    verdict = judge(FailingStep("test", "sqare"))
    assert verdict.decision is Decision.UNDECIDED
    assert "did you mean 'square'?" in verdict.reason


# ---- certified -------------------------------------------------------------------------------------

POINTS = ({"d": 2, "v": "1/2"}, {"d": 64, "v": 1})


def test_routes_that_agree_hold() -> None:
    found = SameValue(iid_conformity, POINTS, planted=sympy.exp(v**2 / 2), printed=sympy.exp(v**2)).run(BENCH)
    assert (found.decision, found.control) == (Decision.HOLDS, True)


def test_a_wrong_printed_value_fails() -> None:
    check = SameValue(iid_conformity, POINTS, planted=2 * sympy.exp(v**2), printed=sympy.exp(v**2 / 2))
    found = check.run(BENCH)
    assert (found.decision, found.control) == (Decision.FAILS, True)
    # exp(1/8) and exp(1/4)
    assert found.summary == "at d = 2, v = 1/2 the print gives 1.13314845307, the value is 1.28402541669"


def test_a_wrong_print_that_is_right_at_the_points_is_not_caught_there() -> None:
    # At v = 0 the two agree: the check says so, and its planted error is not refuted either.
    check = SameValue(iid_conformity, ({"d": 2, "v": 0},), planted=sympy.exp(v**2 / 2))
    assert judge(check).decision is Decision.UNDECIDED


def test_routes_that_disagree_do_not_hold() -> None:
    wrong = Formula(
        "wrong",
        "two routes",
        "here",
        (Variable(v, "v"),),
        sympy.exp(v),
        routes=(Route("other", sympy.exp(-v)),),
    )
    verdict = judge(SameValue(wrong, ({"v": 1},), planted=sympy.exp(2 * v)))
    assert verdict.decision is Decision.UNDECIDED
    assert "needs routes 'definition' and 'other' to agree" in verdict.reason


def test_a_point_outside_the_domain_does_not_hold() -> None:
    verdict = judge(SameValue(simrf_conformity, ({"d": 1, "v": 1},), planted=orf_conformity.expression))
    assert verdict.decision is Decision.UNDECIDED
    assert "simrf_conformity: needs d >= 2, got 1" in verdict.reason


def one() -> arb:
    return arb(1)


def two() -> arb:
    return arb(2)


@pytest.mark.parametrize(
    ("left", "violated", "right", "correct"),
    [(one, "<", two, one), (two, ">", one, two), (one, "!=", two, one), (two, "=", two, one)],
)
def test_a_counterexample_fails_the_claim(
    left: Callable[[], arb], violated: str, right: Callable[[], arb], correct: Callable[[], arb]
) -> None:
    found = Counterexample("at 1", left, right, violated, correct).run(BENCH)
    assert (found.decision, found.control) == (Decision.FAILS, True)


@pytest.mark.parametrize(
    ("left", "violated", "right"),
    [
        (two, "<", one),
        (one, "<", one),
        (one, ">", two),
        (two, "!=", two),
        (one, "=", two),
        # Balls that overlap prove none of the four relations.
        (lambda: arb(1, 0.5), "<", lambda: arb(1.2, 0.5)),
        (lambda: arb(1.2, 0.5), ">", lambda: arb(1, 0.5)),
        (lambda: arb(1, 0.5), "!=", lambda: arb(1.2, 0.5)),
        (lambda: arb(1, 0.5), "=", lambda: arb(1, 0.5)),
        (lambda: arb("nan"), "<", one),
        # Complex numbers have no order.
        (lambda: acb(1, 1), "<", two),
    ],
)
def test_a_counterexample_that_is_none_refutes_nothing(
    left: Callable[[], Any], violated: str, right: Callable[[], Any]
) -> None:
    assert judge(Counterexample("none", left, right, violated)).decision is Decision.UNDECIDED


def test_a_counterexample_that_also_hits_the_correction_is_undecided() -> None:
    assert judge(Counterexample("1 < 2", one, two, "<", correct=two)).decision is Decision.UNDECIDED


BROAD = replace(BENCH, thorough=True)
y = sympy.Symbol("y", positive=True)
ONE_AND_THREE = ({"x": 1}, {"x": 3})
EQUAL = sympy.sin(y) ** 2 + sympy.cos(y) ** 2
HOLDS, FAILS, OPEN = Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED


def believed(step: Step, scope: object) -> Finding:
    return Finding("proved", "believed")


@pytest.mark.parametrize(
    ("check", "decision", "control"),
    [
        (Identity("", x**2 - 1, (x - 1) * (x + 1), ONE_AND_THREE), HOLDS, True),
        (Identity("", EQUAL, sympy.S.One, ({"y": 1},)), HOLDS, True),
        (Identity("", x**2 - 1, (x - 1) * (x + 1), ONE_AND_THREE, by=Rewrite()), HOLDS, True),
        (
            Identity("", x**2, 4 * x - 3, ONE_AND_THREE, by=Rewrite()),
            OPEN,
            True,
        ),  # equal at both points alone
        (Identity("", x**2, 3 * x - 2, ONE_AND_THREE, by=believed), FAILS, True),
        (Identity("", x**2, 3 * x - 2, ONE_AND_THREE, correct=x**2), FAILS, True),
        (Identity("", x**2, 3 * x - 2, ONE_AND_THREE, correct=x**2 + 1), FAILS, False),
        (Identity("", x, x + 1, ONE_AND_THREE, "<"), HOLDS, True),
        (Identity("", x**2, x, ONE_AND_THREE, "<"), FAILS, None),
        (Identity("", x**2, x, ONE_AND_THREE, "<", correct=2 * x**2), FAILS, True),
        (Identity("", x**2, x, ONE_AND_THREE, "<="), FAILS, True),
        (Identity("", EQUAL, sympy.S.One, ({"y": 1},), "<", by=believed), OPEN, False),
        (Identity("", EQUAL - 1 + y, y**2, ({"y": 1}, {"y": "1/2"}), "<"), FAILS, None),
        (Identity("", x * sympy.I, sympy.S.One, ONE_AND_THREE, "<"), OPEN, False),
        (OnBox("", x**2 <= 2, {x: (0, 1)}), HOLDS, True),
        (OnBox("", x**2 <= 1, {x: (0, 1)}), HOLDS, True),
        (OnBox("", x**2 < 1, {x: (0, 1)}), FAILS, None),
        (OnBox("", x**2 <= sympy.S.Half, {x: (0, 1)}), FAILS, None),
        (OnBox("", sympy.exp(x) >= 1 + x, {x: (-1, 1)}, max_boxes=2), OPEN, None),
        (OnBox("", x**2 <= INTEGER, {x: (0, 1)}, {INTEGER: (1, 2)}), HOLDS, True),
        (OnBox("", x**2 <= INTEGER, {x: (0, 1)}, {INTEGER: (2, 0)}), FAILS, None),
        (OnBox("", x**2 <= 2, {x: (0, 1)}, planted=x**2 <= sympy.S.Half), HOLDS, True),
        (OnBox("", x**2 <= 2, {x: (0, 1)}, planted=x**2 <= 3), HOLDS, False),
    ],
)
def test_a_relation_is_judged_with_a_control(
    check: Identity | OnBox, decision: Decision, control: bool | None
) -> None:
    found = check.run(BENCH)
    assert (found.decision, found.control) == (decision, control)


def told(truth: bool | str | None) -> bool | None:
    if truth == "raises":
        raise NotCertified("truth", wanted="an answer", reached="nothing")
    return truth


@pytest.mark.parametrize(
    ("stated", "wrong", "decision", "control"),
    [
        (True, (False,), HOLDS, True),
        (True, (True, False), HOLDS, False),
        (True, ("raises",), HOLDS, False),
        (True, (None, False), HOLDS, True),
        (False, (True,), FAILS, True),
        (False, (False,), FAILS, False),
        (None, (False,), OPEN, False),
    ],
)
def test_what_is_shown_is_not_shown_of_other_ingredients(
    stated: bool | None, wrong: tuple[Any, ...], decision: Decision, control: bool
) -> None:
    found = Shown("told", told, stated, tuple((str(one), one) for one in wrong)).run(BENCH)
    assert (found.decision, found.control) == (decision, control)


def test_evidence_that_shows_nothing_is_refused() -> None:
    for both in (
        lambda: Identity("", x**2, x**2, ONE_AND_THREE),
        lambda: Identity("", x**2 - 1, (x - 1) * (x + 1), ONE_AND_THREE, covers="domain"),
        lambda: Shown("told", told, True, ()).run(BENCH),
        lambda: Range(1.0, 2.0),
    ):
        with pytest.raises(InvalidInput):
            both()


@pytest.mark.parametrize(
    ("check", "missed", "still_true"),
    [
        (Identity("", x, x + 1, ONE_AND_THREE, "<"), 0, 2),
        (Identity("", x**2 - 1, (x - 1) * (x + 1), ONE_AND_THREE), 0, 0),
        (Identity("", x, x**2, ({"x": 1},)), 1, 0),  # x^3 at x = 1
        (OnBox("", x**2 <= 2, {x: (0, 1)}), 0, 2),
        (SameValue(iid_conformity, POINTS, planted=sympy.exp(v**2 / 2)), 0, 0),
    ],
)
def test_changes_are_caught_or_still_true(check: Check, missed: int, still_true: int) -> None:
    found = check.run(BROAD)
    assert found.decision is HOLDS
    assert (sum(not caught for _, caught in found.mutants), len(found.still_true)) == (missed, still_true)


# ---- sampled ---------------------------------------------------------------------------------------

DRAWS = 2**16
RESULTANT, LAW = squared_resultant("iid", 5), squared_resultant_law("iid", 5)


def scaled(factor: float) -> Callable[[], Law]:
    return lambda: times(factor)(LAW())


def normal(mean: float, *, broken: Callable[[np.ndarray], np.ndarray] = lambda z: z) -> MakeStatistic:
    """A normal number with the given mean, spoilt by ``broken``."""

    def make(bench: Bench, stream: Stream) -> Callable[[range], Any]:
        return lambda blocks: broken(stream.normals(blocks, 1)[:, 0] + mean)

    return make


def test_a_sampler_that_follows_its_law_holds() -> None:
    found = SampledMean("|w_1 + w_2|^2", RESULTANT, LAW, times(1.05), DRAWS).run(BENCH)
    assert (found.kind, found.decision, found.control) == (Kind.SAMPLED, Decision.HOLDS, True)
    assert "exact 10, agrees" in found.summary


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_a_law_that_is_five_percent_off_fails(factor: float) -> None:
    # 2^16 draws of relative standard deviation 0.63 have a standard error of 0.25 %: 20 of them.
    check = SampledMean("|w_1 + w_2|^2", RESULTANT, scaled(factor), times(2), DRAWS)
    found = check.run(BENCH)
    assert (found.decision, found.control) == (Decision.FAILS, True)
    assert judge(check).decision is Decision.FAILS


def test_another_coupling_than_claimed_fails() -> None:
    # A simplex in d = 2 is an antiparallel pair: its conformity is a fifth below that of an orthogonal one.
    sampler = pair_product("simplex", 2, "0.5")
    law, wrong = (pair_product_law(name, 2, "0.5") for name in ("simplex", "orthogonal"))
    assert SampledMean("simplex", sampler, law, other(wrong), DRAWS).run(BENCH).effective is Decision.HOLDS
    assert SampledMean("simplex", sampler, wrong, times(2), DRAWS).run(BENCH).effective is Decision.FAILS


def test_too_few_draws_for_the_planted_error_are_undecided() -> None:
    check = SampledMean("|w_1 + w_2|^2", RESULTANT, LAW, times(1.0001), DRAWS)
    assert check.run(BENCH).control is False
    verdict = judge(check)
    assert verdict.decision is Decision.UNDECIDED
    assert "planted error was not refuted" in verdict.reason


def test_too_few_draws_for_the_tolerance_are_undecided() -> None:
    verdict = judge(SampledMean("|w_1 + w_2|^2", RESULTANT, LAW, times(1.05), DRAWS, tolerance=1e-3))
    assert verdict.decision is Decision.UNDECIDED
    assert "draws would be enough" in verdict.reason


def fail(values: np.ndarray) -> np.ndarray:
    raise ValueError("no such angle")


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (fail, "raised ValueError: no such angle"),
        (lambda z: np.where(z > 3, np.nan, z), "not finite"),
        (lambda z: z[:-1], "instead of"),
        (lambda z: z * 1j, "instead of real numbers"),
    ],
    ids=["raises", "NaN", "too short", "complex"],
)
def test_a_broken_sampler_is_undecided_and_says_why(
    broken: Callable[[np.ndarray], np.ndarray], words: str
) -> None:
    statistic = normal(0.0, broken=broken)
    law = lambda: Law(0.0, 1.0)  # noqa: E731
    mean = SampledMean("broken", statistic, law, lambda law: replace(law, mean=1.0), 4096)
    for check in (mean, SampledOrder("broken", Difference(statistic, lambda: WITHIN), 4096)):
        verdict = judge(check)
        assert verdict.decision is Decision.UNDECIDED
        assert "SamplerFailed: sampler 'broken': blocks " in verdict.reason
        assert words in verdict.reason


def test_a_law_that_raises_something_foreign_is_a_defect() -> None:
    def law() -> Law:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        judge(SampledMean("defect", normal(0.0), law, times(2), 4096))


WITHIN = Range(-9.0, 9.0, 1e-9, 1e-9)
"""Of a normal number with a mean of at most 1 in size: E (|Z| - 8)_+ is below 1e-15."""


def order(mean: float, within: Range = WITHIN) -> SampledOrder:
    return SampledOrder("order", Difference(normal(mean), lambda: within), 4096)


def test_an_order_of_means_holds_and_its_reverse_fails() -> None:
    # 4096 normal numbers: the mean is known to 1/64, half is 32 standard errors.
    assert order(-0.5).run(BENCH).effective is Decision.HOLDS
    found = order(0.5).run(BENCH)
    assert (found.control, found.effective) == (True, Decision.FAILS)
    assert "named" not in found.details  # the reverse is true


def test_an_order_that_the_draws_cannot_see_is_undecided() -> None:
    found = order(0.0).run(BENCH)
    assert (found.control, found.effective) == (False, Decision.UNDECIDED)


def test_what_lies_beyond_a_cut_counts_for_the_claim() -> None:
    """A sixth above 0 is refuted; where the cut below may have added as much, it is not."""
    assert order(1 / 6).run(BENCH).decision is Decision.FAILS
    assert order(1 / 6, Range(-9.0, 9.0, 1 / 6, 1e-9)).run(BENCH).decision is Decision.HOLDS


def test_the_error_planted_in_an_order_is_as_large_as_the_test_states() -> None:
    """Whatever the order of the means: a reversed order lies where the means happen to lie."""
    for mean in (-0.5, 0.0, 0.5):
        found = order(mean).run(BENCH)
        test, placed = found.details["test"], found.details["planted"]
        assert placed["decision"] == "refuted"
        assert -placed["exact"] == pytest.approx(test["detectable"], rel=1e-6)


def test_the_error_planted_in_an_order_can_be_missed() -> None:
    """With a power of 1/2 about every second one is, and about none with that of the run."""
    missed = 0
    for seed in range(40):
        bench = replace(BENCH, seed=seed, budget=replace(BENCH.budget, power=0.5))
        difference = Difference(normal(-0.5, broken=lambda z: np.clip(z, -3, 3)), lambda: Range(-3.0, 3.0))
        found = SampledOrder("order", difference, 2**15).run(bench)
        missed += found.details["planted"]["decision"] != "refuted"
    assert 5 <= missed <= 30


def test_draws_end_as_soon_as_the_bets_are_decided_and_at_the_planned_number_at_the_latest() -> None:
    """The error that is stated, and planted, is that of the planned number in any case."""
    blocks, sizes = 2**19, {}
    for mean in (-0.5, 0.0, 0.5):
        difference = Difference(normal(mean), lambda: WITHIN)
        found = SampledOrder("order", difference, blocks).run(BENCH)
        test, placed = found.details["test"], found.details["planted"]
        sizes[mean] = test["n"]
        assert -placed["exact"] == pytest.approx(test["detectable"], rel=1e-6)
        errors = test["detectable"] * math.sqrt(blocks)  # about ten standard errors of the planned draws
        assert 9 < errors < 15
        if mean:
            assert placed["decision"] == "refuted"
            assert found.effective is (Decision.HOLDS if mean < 0 else Decision.FAILS)
    assert sizes[0.0] == blocks
    # An error that is refuted after all draws needs some of them: the others decide nothing more.
    assert all(blocks / 8 < sizes[mean] < 0.7 * blocks for mean in (-0.5, 0.5))


def test_an_order_that_is_wrong_by_what_is_stated_is_refuted_and_never_ends_in_agreement() -> None:
    """The draws of a wrong order end where it is refuted: the reverse, which is true, is not refuted before."""
    blocks, within = 2**17, Range(-3.0, 3.0)
    for seed in range(30):
        bench = replace(BENCH, seed=seed)
        for errors in (2.0, 11.0):  # of the planned draws; the second is what the test states
            off = errors / math.sqrt(blocks)
            difference = Difference(
                normal(0.0, broken=lambda z, off=off: np.clip(z, -2, 2) + off), lambda: within
            )
            found = SampledOrder("order", difference, blocks).run(bench)
            if errors > 10:
                assert found.decision is Decision.FAILS
            assert found.effective is not Decision.HOLDS


def test_a_range_without_moments_beyond_it_is_checked() -> None:
    verdict = judge(order(0.0, Range(-1.0, 1.0)))
    assert verdict.decision is Decision.UNDECIDED
    assert "values in [0, 1]" in verdict.reason


def test_cuts_bound_what_a_lognormal_variable_has_beyond_them() -> None:
    """E (B - c)_+ for log B ~ N(0, s^2), in closed form."""
    for s in (0.25, 0.7, 1.0):
        c = cut_range(lambda p, s=s: (p * s) ** 2 / 2, lambda p: 0.0).low * -1
        z = math.log(c) / s
        beyond = math.exp(s * s / 2) * norm.cdf(s - z) - c * norm.cdf(-z)
        assert 1e-10 < beyond <= BEYOND
        z = math.log(c / 3) / s  # a third of it is not enough
        assert math.exp(s * s / 2) * norm.cdf(s - z) - c / 3 * norm.cdf(-z) > BEYOND


def test_moments_of_pairs_are_those_of_their_law() -> None:
    found, law = pair_moment("orthogonal", 4, "0.5"), pair_product_law("orthogonal", 4, "0.5")()
    assert math.exp(found(1)) == pytest.approx(law.mean)
    assert math.exp(found(2)) == pytest.approx(law.variance + law.mean**2)


# ---- errors of the size that is stated ---------------------------------------------------------------


def shifted(errors: float, blocks: int = 4096) -> Evidence:
    """Normal numbers whose mean lies so many standard errors off the claim, tested at the level of the bench."""
    step = errors / math.sqrt(blocks)
    return SampledMean(
        "normal", normal(step), lambda: Law(0.0, 1.0), lambda law: replace(law, mean=1.0), blocks
    ).run(BENCH)


def test_the_planted_error_lies_where_the_test_says_that_it_can_refute() -> None:
    found = shifted(0.0)
    test, placed, named = (found.details[name] for name in ("test", "planted", "named"))
    assert placed["exact"] == pytest.approx(test["detectable"])
    away = placed["exact"] * math.sqrt(4096)
    assert test["threshold"] < away < 2 * test["threshold"]  # nearer than what could not be missed
    assert away == pytest.approx(test["threshold"] + norm.ppf(1 - 0.001))
    assert (placed["decision"], named["decision"], found.control) == ("refuted", "refuted", True)


def test_the_planted_error_can_be_missed() -> None:
    """Draws that are four errors on its side agree with the claim and with the planted error."""
    found = shifted(5.0)
    assert found.decision is Decision.HOLDS
    assert found.details["planted"]["decision"] == "agrees"
    assert found.control is False


def test_a_run_misses_a_planted_error_once_in_a_thousand() -> None:
    one, run_of_them = Budget(1e-6, tests=200), Budget.of_run(1e-6, 200)
    assert one.alpha == run_of_them.alpha
    assert 200 * norm.sf(run_of_them.z_power) == pytest.approx(0.001, rel=1e-6)
    assert 200 * norm.sf(one.z_power) == pytest.approx(0.2, rel=1e-6)


# ---- laws, against formulas and numbers that were not made from them -------------------------------


@pytest.mark.parametrize(
    ("name", "formula"),
    [("iid", iid_conformity), ("orthogonal", orf_conformity), ("simplex", simrf_conformity)],
)
def test_laws_of_pair_products_are_conformities(name: str, formula: Formula) -> None:
    law = pair_product_law(name, 6, "0.5")()
    mean, second = (float(formula.enclose(20, d=6, v=length)) for length in ("1/2", 1))
    assert law.mean == pytest.approx(mean, rel=1e-14)
    assert law.variance == pytest.approx(second - mean**2, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "formula"), [("iid", prf_mse_iid), ("orthogonal", prf_mse_orf), ("simplex", prf_mse_simrf)]
)
def test_laws_of_squared_errors_have_the_mse_as_mean(name: str, formula: Formula) -> None:
    # x = y with |x + y| = 1/2, where the kernel is 1; 20 features in d = 16 are two blocks.
    values = {"d": 16, "m": 20, "v": "1/2", "x": "1/4", "y": "1/4"}
    known = {variable.name for variable in formula.variables}
    exact = float(formula.enclose(20, **{n: value for n, value in values.items() if n in known}))
    assert squared_error_law("positive", name, 16, 20, "0.5")().mean == pytest.approx(exact, rel=1e-12)
    other_size = float(formula.enclose(20, **{n: values[n] for n in known} | {"m": 21}))
    assert other_size != pytest.approx(exact, rel=1e-12)


def test_laws_of_resultants_are_those_of_sums_of_squares() -> None:
    # |w_1 + w_2|^2 is 2 chi^2_d (iid) and chi^2_2d (orthogonal); chi^2_n: mean n, variance 2 n.
    for name, scale, n in (("iid", 2, 5), ("orthogonal", 1, 10)):
        law = squared_resultant_law(name, 5)()
        assert (law.mean, law.variance) == (scale * n, scale**2 * 2 * n)


def test_moments_of_a_law_come_from_raw_moments() -> None:
    law = Law.from_raw([arb(1), arb(1), arb(2)])  # exponential: raw moments n!
    assert (law.mean, law.variance) == (1.0, 1.0)


@pytest.mark.parametrize(("i", "j"), PAIRS[:2])
def test_predicted_errors_on_digits_are_the_formulas_in_the_order_of_the_theory(i: int, j: int) -> None:
    first, second = pair(i, j)
    length, scale = float(np.linalg.norm(first + second)), float(np.exp(-np.sum((first - second) ** 2)))
    errors = {}
    for name, formula in (("iid", prf_mse_iid), ("orthogonal", prf_mse_orf), ("simplex", prf_mse_simrf)):
        point = {"v": length, "x": length / 2, "y": length / 2, "m": 64}
        exact = float(formula.enclose(16, **point, **({} if name == "iid" else {"d": 64}))) * scale
        errors[name] = prediction(name, i, j).mean
        assert errors[name] == pytest.approx(exact, rel=1e-9)
    assert errors["simplex"] < 0.1 * errors["orthogonal"]
    assert errors["orthogonal"] < errors["iid"]


# ---- from a statement ------------------------------------------------------------------------------


def test_quantities_of_a_statement_are_drawn_with_a_planted_error_that_is_refuted() -> None:
    """Under a tilt the values lie in [0, 1]: the planted mean has to lie there too."""
    better = mse(positive(simplex_rows, m=m)) < mse(positive(orthogonal, m=m))
    over = (m >= 2, v > 0)
    _, *drawn = stated("test.better", "ours", better, over).checks
    assert len(drawn) == 2
    found = [check.run(BENCH) for check in drawn]
    assert [(piece.kind, piece.decision, piece.control) for piece in found] == [
        (Kind.SAMPLED, Decision.HOLDS, True)
    ] * 2
    assert len(stated("test.better", "ours", better, over, draw=False).checks) == 1
