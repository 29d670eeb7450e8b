"""The score test: its level is a theorem, checked by exact laws; no random number is drawn here."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, norm

from rftheory.errors import InvalidInput
from rftheory.judge import Budget, Outcome, Score

BUDGET = Budget(1e-4, tests=10)


def coins(p: float, n: int, ones: int, claimed: float | None = None) -> Outcome:
    """The decision on n numbers 0 and 1 of which so many are 1, by their sums alone."""
    mean = p if claimed is None else claimed
    score = Score(mean, p * (1 - p), n, BUDGET)
    low, high = score(np.array([0.0, 1.0]))
    return score.test(ones / n, ((n - ones) * low + ones * high) / n).decision


def false_alarm(p: float, n: int) -> float:
    """Exact probability that n coins of probability p are refuted to have it."""
    refuted = [k for k in range(n + 1) if coins(p, n, k) is Outcome.REFUTED]
    return float(binom.pmf(refuted, n, p).sum())


@pytest.mark.parametrize(
    ("p", "n"), [(0.5, 4), (0.5, 1000), (0.01, 300), (1e-3, 1000), (0.999, 50), (1e-4, 2000)]
)
def test_the_level_holds_for_every_law_and_number_of_draws(p: float, n: int) -> None:
    assert false_alarm(p, n) <= BUDGET.alpha


def test_the_normal_law_alone_would_not_keep_the_level() -> None:
    """Twin: the threshold of the normal law, for a rare coin."""
    p, n = 1e-3, 1000
    sd = math.sqrt(n * p * (1 - p))
    refuted = [k for k in range(n + 1) if abs(k - n * p) > BUDGET.z() * sd]
    assert binom.pmf(refuted, n, p).sum() > 20 * BUDGET.alpha


def test_a_variance_that_is_claimed_too_small_breaks_the_level() -> None:
    """Twin: what the theorem needs is the variance."""
    n = 1000
    score = Score(0.5, 0.25 / 1.6, n, BUDGET)
    low, high = score(np.array([0.0, 1.0]))
    ones = np.arange(n + 1)
    total = ((n - ones) * low + ones * high) / n
    refuted = [k for k in ones if score.test(k / n, total[k]).decision is Outcome.REFUTED]
    assert binom.pmf(refuted, n, 0.5).sum() > BUDGET.alpha


def test_the_stated_error_is_refuted_with_the_stated_power() -> None:
    p, n = 0.5, 10**5
    score = Score(p, 0.25, n, BUDGET)
    for size, holds in ((1.0, True), (0.8, False)):
        wrong = p + size * score.detectable  # claimed mean p, true mean wrong
        refuted = [k for k in range(n // 2, n // 2 + 2000) if coins(p, n, k) is Outcome.REFUTED]
        power = float(binom.sf(refuted[0] - 1, n, wrong))
        assert (power >= 0.999 - 2e-4) is holds


def test_the_price_of_the_theorem_is_a_few_percent() -> None:
    budget = Budget(1e-6, tests=164)
    assert Score(0.0, 1.0, 2**20, budget).threshold == pytest.approx(6.26, abs=0.01)
    assert budget.z() == pytest.approx(5.81, abs=0.01)


def test_the_influence_lies_between_the_two_bounds_of_the_proof() -> None:
    x = np.concatenate([-np.logspace(3, -6, 200), np.logspace(-6, 3, 200)])
    score = Score(0.0, 1.0, 1, BUDGET)
    psi = score(x / math.sqrt(2 * (math.log(2) + BUDGET.log_e)))  # one draw: its step is that root
    assert (psi <= np.log1p(x + x * x / 2) + 1e-12).all()
    assert (psi >= -np.log1p(-x + x * x / 2) - 1e-12).all()


def test_one_far_draw_decides_nothing() -> None:
    values = np.append(np.zeros(999), 1e12)
    score = Score(0.0, 1.0, 1000, BUDGET)
    assert score.test(values.mean(), score(values).mean()).decision is Outcome.REFUTED
    far = np.append(np.zeros(999), 30.0)  # as large as a variance of 1 allows once in a thousand draws
    found = score.test(far.mean(), score(far).mean())
    assert found.decision is Outcome.AGREES
    assert found.statistic < found.threshold


def test_results_are_in_the_unit_of_the_claim() -> None:
    values = 4 + 2 * norm.ppf((np.arange(10**4) + 0.5) / 10**4)
    score = Score(4.0, 4.0, 10**4, BUDGET)
    found = score.test(values.mean(), score(values).mean(), tolerance=0.05)
    assert found.decision is Outcome.AGREES
    assert found.interval[0] < 4 < found.interval[1]
    assert found.detectable == pytest.approx((found.threshold + norm.ppf(0.999)) * 0.02 / 4)
    weak = score.test(values.mean(), score(values).mean(), tolerance=0.01)
    assert weak.decision is Outcome.UNDECIDED
    assert weak.needed == pytest.approx(1e4 * (found.detectable / 0.01) ** 2, rel=1e-3)
    wrong = Score(5.0, 4.0, 10**4, BUDGET)
    refuted = wrong.test(values.mean(), wrong(values).mean())
    assert refuted.decision is Outcome.REFUTED
    assert refuted.p <= BUDGET.alpha
    assert refuted.effect == pytest.approx(-0.2, abs=1e-3)


def test_results_survive_json() -> None:
    found = Score(0.5, 0.25, 4, BUDGET).of([0, 1, 0, 1])
    content = json.loads(json.dumps(replace(found, interval=(0.0, math.inf)).to_dict(), allow_nan=False))
    assert (content["decision"], content["interval"]) == ("agrees", [0.0, "inf"])


def test_claims_may_be_fractions() -> None:
    found = Score(Fraction(1, 3), Fraction(2, 9), 3, BUDGET).of([0, 1, 0])
    assert (found.exact, found.effect) == (1 / 3, pytest.approx(0, abs=1e-15))


@pytest.mark.parametrize("values", [[1.0], [[1.0, 2.0, 3.0]], "abc", None, [1j, 0, 0], [math.nan, 0, 0]])
def test_draws_that_are_not_as_planned_are_refused(values: object) -> None:
    with pytest.raises(InvalidInput):
        Score(0.0, 1.0, 3, BUDGET).of(values)


@pytest.mark.parametrize("bad", [{"mean": math.nan}, {"variance": 0.0}, {"variance": math.inf}, {"n": 0}])
def test_bad_input_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(InvalidInput):
        Score(**({"mean": 0.0, "variance": 1.0, "n": 10, "budget": BUDGET} | bad))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        Score(0.0, 1.0, 10, BUDGET).test(0.0, math.nan)
