"""The betting test: exact calibration and power on coins, safety of its bins, and a true sampling claim."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from rftheory.engine import collect
from rftheory.errors import InvalidInput, OutsideDomain, SamplerFailed
from rftheory.judge import Bins, Budget, Outcome, betting_test, settled
from rftheory.judge.betting import NODES, _edge, detectable_effect

BUDGET = Budget(1e-6, tests=300)
FRACTIONS = 0.9 * 2.0 ** -np.arange(14)


def coins(n: int, heads: float) -> Bins:
    """Bins of n coins, of which ``heads`` (not necessarily whole) lie on 1."""
    weights = np.zeros(len(NODES))
    weights[0], weights[-1] = n - heads, heads
    return Bins(n, weights)


def direct_log_capital(values: np.ndarray, mean0: float, side: str = "two") -> float:
    """The definition, value by value, without bins."""
    up, down = FRACTIONS / mean0, -FRACTIONS / (1 - mean0)
    bets = {"two": np.concatenate([up, down]), "greater": up, "less": down}[side]
    logs = [math.fsum(np.log1p(bet * (values - mean0))) for bet in bets]
    return float(np.logaddexp.reduce(logs) - math.log(len(bets)))


def coin_capital(n: int, mean0: float, side: str) -> np.ndarray:
    """Log capital after n coins for every number of heads, shape (n + 1,)."""
    up, down = FRACTIONS / mean0, -FRACTIONS / (1 - mean0)
    bets = {"two": np.concatenate([up, down]), "greater": up, "less": down}[side]
    heads = np.arange(n + 1)[:, None]
    logs = heads * np.log1p(bets * (1 - mean0)) + (n - heads) * np.log1p(-bets * mean0)
    return np.logaddexp.reduce(logs, axis=1) - math.log(len(bets))


@pytest.mark.parametrize("side", ["two", "greater", "less"])
@pytest.mark.parametrize(("n", "heads", "mean0"), [(10, 3, 0.5), (500, 60, 0.1), (500, 450, 0.95)])
def test_capital_of_coins_is_the_definition(side, n, heads, mean0):
    values = np.repeat([0.0, 1.0], [n - heads, heads])
    expected = direct_log_capital(values, mean0, side)
    assert coins(n, heads).log_capital(mean0, side) == pytest.approx(expected, rel=1e-12)
    assert Bins.of(values).log_capital(mean0, side) == pytest.approx(expected, rel=1e-12)
    assert coin_capital(n, mean0, side)[heads] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("mean0", [0.5, 0.1, 0.97])
def test_expected_capital_is_one_under_the_claim_and_not_under_another(mean0):
    """E K_n = mean_j (1 + lambda_j (p - mean0))^n for coins with P(head) = p, which is 1 at p = mean0."""
    n = 60
    heads = np.arange(n + 1)
    capital = np.array([math.exp(coins(n, k).log_capital(mean0)) for k in heads])
    bets = np.concatenate([FRACTIONS / mean0, -FRACTIONS / (1 - mean0)])
    for p in (mean0, 0.8 * mean0, 0.8 * mean0 + 0.2):
        expected = ((1 + bets * (p - mean0)) ** n).mean()
        assert (binom.pmf(heads, n, p) * capital).sum() == pytest.approx(expected, rel=1e-9)
        assert bool(abs(expected - 1) < 1e-12) is (p == mean0)


def crossing_probability(refutes, n: int, p: float) -> float:
    """Exact probability that a rule, looked at after every coin, ever refutes in n coins."""
    alive, ever = np.array([1.0]), 0.0
    for draws in range(1, n + 1):
        alive = np.append(alive * (1 - p), 0.0) + np.append(0.0, alive * p)
        refuted = refutes(draws)
        ever += alive[refuted].sum()
        alive[refuted] = 0.0
    return ever


def peeking_z(draws: int) -> np.ndarray:
    return np.abs(np.arange(draws + 1) - draws / 2) > norm.isf(0.025) * math.sqrt(draws) / 2


def test_looking_after_every_draw_keeps_the_level():
    threshold = math.log(1 / 0.05)
    ever = crossing_probability(lambda draws: coin_capital(draws, 0.5, "two") >= threshold, 400, 0.5)
    assert 0 < ever <= 0.05
    assert crossing_probability(peeking_z, 400, 0.5) > 0.3  # what looking does to a test for a fixed n
    assert crossing_probability(lambda d: coin_capital(d, 0.5, "two") >= threshold, 400, 0.65) > 0.9


@pytest.mark.parametrize(("side", "sign"), [("two", 1), ("two", -1), ("greater", 1), ("less", -1)])
@pytest.mark.parametrize(("n", "mean0"), [(300, 0.5), (10_000, 0.1), (100_000, 0.5), (100_000, 0.01)])
def test_power_at_the_detectable_effect_is_as_stated(n, mean0, side, sign):
    if n * mean0 < 1000 and sign < 0 and mean0 < 0.5:
        n *= 10
    true = mean0
    for _ in range(200):  # the effect depends on the variance of the data, which it changes
        true = mean0 + sign * detectable_effect(coins(n, n * true), mean0, BUDGET, side)
    assert 0 < true < 1
    heads = np.arange(n + 1)
    refuted = coin_capital(n, mean0, side) >= BUDGET.log_e
    assert binom.pmf(heads, n, true)[refuted].sum() >= 0.999
    nearer = mean0 + 0.7 * (true - mean0)  # the stated effect is cautious, but not by more than 1 / 0.7
    assert binom.pmf(heads, n, nearer)[refuted].sum() < 0.999
    assert binom.pmf(heads, n, mean0)[refuted].sum() <= BUDGET.alpha


def test_the_stated_error_is_that_of_all_planned_draws():
    few, many = (Bins.of(np.tile([0, 1], n)) for n in (2000, 32_000))
    found = betting_test(few, 0.5, BUDGET, planned=64_000)
    assert found.n == 4000
    assert found.detectable == pytest.approx(betting_test(many, 0.5, BUDGET).detectable)
    assert found.detectable < betting_test(few, 0.5, BUDGET).detectable / 3
    weak = betting_test(few, 0.5, BUDGET, planned=64_000, tolerance=1e-3)
    assert weak.needed == pytest.approx(64_000 * (found.detectable / 1e-3) ** 2, rel=1e-6)


def test_one_side_that_agrees_is_said_to_be_not_refuted_and_one_that_is_refuted_to_be_so():
    fair = Bins.of(np.tile([0, 1], 2000))
    for mean, said in ((0.6, "mean <= 0.6 not refuted (n"), (0.3, "mean <= 0.3 refuted (n")):
        assert said in betting_test(fair, mean, BUDGET, side="greater").summary


LAWS = {
    "uniform": lambda rng, n: rng.random(n),
    "rare": lambda rng, n: rng.random(n) ** 50,
    "narrow": lambda rng, n: 0.37 + 1e-3 * rng.random(n),
    "close to one": lambda rng, n: 1 - 1e-6 * rng.random(n),
    "two points": lambda rng, n: np.where(rng.random(n) < 0.2, 0.3333, 0.7777),
}


@pytest.mark.parametrize("law", LAWS)
def test_bins_never_gain_capital_and_lose_what_a_chord_loses(law):
    """Each bet loses at most h^2 |f''| / 8 a value, f = log(1 + lambda (y - mean0)) over a step h."""
    values = LAWS[law](np.random.Generator(np.random.Philox(key=20)), 3000)
    bins = Bins.of(values)
    left = np.clip(np.searchsorted(NODES, values, side="right") - 1, 0, len(NODES) - 2)
    step = NODES[left + 1] - NODES[left]
    assert bins.mean == pytest.approx(values.mean(), rel=1e-12)
    added = bins.variance - values.var()
    assert -1e-9 * values.var() <= added <= (step**2).mean() / 4 + 1e-9 * values.var()
    assert bool(added < 0.02 * values.var()) is (law != "narrow")
    for shift in (-0.3, -0.1, 0.0, 0.1, 0.3):
        mean0 = float(values.mean() + shift * values.std())
        if not 0 < mean0 < 1:
            continue
        for side, bets in (("greater", FRACTIONS / mean0), ("less", -FRACTIONS / (1 - mean0))):
            binned = bins.log_capitals(mean0, side)
            for bet, got in zip(bets, binned, strict=True):
                exact = math.fsum(np.log1p(bet * (values - mean0)))
                poorer = np.minimum(bet * (NODES[left] - mean0), bet * (NODES[left + 1] - mean0))
                loss = (step**2 / 8 * (bet / (1 + poorer)) ** 2).sum()
                slack = 1e-12 * np.abs(np.log1p(bet * (values - mean0))).sum()
                assert exact - loss - slack <= got <= exact + slack


@pytest.mark.parametrize("law", LAWS)
def test_interval_and_test_are_one(law):
    values = LAWS[law](np.random.Generator(np.random.Philox(key=21)), 20_000)
    bins = Bins.of(values)
    low, high = bins.interval(BUDGET)
    assert 0 <= low < bins.mean < high <= 1
    for end, outwards in ((low, -1), (high, 1)):
        inside, outside = end + outwards * -1e-4 * (high - low), end + outwards * 1e-4 * (high - low)
        if 0 < outside < 1:
            assert betting_test(bins, outside, BUDGET).decision is Outcome.REFUTED
        assert betting_test(bins, inside, BUDGET).decision is Outcome.AGREES
    one_sided = bins.interval(BUDGET, "greater")
    assert one_sided[1] == 1.0
    assert one_sided[0] > low


@pytest.mark.parametrize(
    ("capital", "edge"),
    [
        (lambda m: 10 * (m - 0.3), 0.5),
        (lambda m: 2.0 if m >= 0.5 else 0.0, 0.5),  # level on both sides, and exactly at the threshold on one
        (lambda m: math.inf if m > 0.7 else 0.0, 0.7),
        (lambda m: -math.inf if m < 0.6 else 1e300, 0.6),
        (lambda m: math.nan if m < 0.4 else 3.0, 0.4),
        (lambda m: 0.0, 1.0),
    ],
)
@pytest.mark.parametrize("guess", [0.3, 0.31, 0.5, 0.9, 1.0, 7.0, math.nan])
def test_an_end_of_an_interval_is_found_where_capital_is_level_or_has_no_value(capital, edge, guess):
    calls = []
    found = _edge(lambda m: calls.append(m) or capital(m), 2.0, 1.0, 0.3, guess)
    assert edge <= found <= edge + 1e-7
    assert len(calls) < 200


def test_interval_of_extreme_data():
    assert Bins.of(np.zeros(1000)).interval(BUDGET)[0] == 0.0
    assert Bins.of(np.zeros(1000)).interval(BUDGET)[1] < 0.05
    assert Bins.of(np.ones(1000)).interval(BUDGET)[1] == 1.0
    assert Bins.of([0.5]).interval(BUDGET) == (0.0, 1.0)


def test_interval_width_is_close_to_the_central_limit_width():
    """At n = 1e5 the price of validity at every time is a factor of 1.1 to 1.3."""
    values = np.random.Generator(np.random.Philox(key=22)).random(100_000)
    low, high = Bins.of(values).interval(BUDGET)
    ratio = (high - low) / (2 * BUDGET.z() * values.std() / math.sqrt(len(values)))
    assert 1.0 < ratio < 1.3


# --- a true claim of random-feature theory: the variance of one trigonometric feature ----------------------

MEAN = math.exp(-0.5)  # E cos w, w ~ N(0, 1)
VARIANCE = (1 - math.exp(-1.0)) ** 2 / 2
SCALE = (1 + MEAN) ** 2


def squared_deviation(blocks: range) -> np.ndarray:
    """(cos w - E cos w)^2 over its largest value; one word of a counter-based stream a block."""
    words = np.random.Philox(key=23, counter=[0, 0, 0, 0])
    words.advance(blocks.start // 4)
    skip = blocks.start % 4
    raw = words.random_raw(skip + len(blocks))[skip:]
    w = norm.ppf((raw >> 11) * 2.0**-53 + 2.0**-54)
    return (np.cos(w) - MEAN) ** 2 / SCALE


def test_true_variance_agrees_and_a_factor_1_05_is_refuted():
    bins = collect(Bins, squared_deviation, 250_000)
    right = betting_test(bins, VARIANCE / SCALE, BUDGET, tolerance=0.05)
    assert right.decision is Outcome.AGREES
    assert right.detectable < 0.05
    wrong = betting_test(bins, 1.05 * VARIANCE / SCALE, BUDGET, tolerance=0.05)
    assert wrong.decision is Outcome.REFUTED


def test_sequential_run_stops_where_it_is_settled_for_any_chunks():
    rule = settled(1.5 * VARIANCE / SCALE, BUDGET, tolerance=0.01)
    one = collect(Bins, squared_deviation, 10**6, leaf=256, chunk_leaves=1, stop=rule)
    two = collect(Bins, squared_deviation, 10**6, leaf=256, chunk_leaves=7, workers=2, stop=rule)
    assert one == two
    assert one.n < 10_000  # theory: 46 (sd / effect)^2 = 650
    assert betting_test(one, 1.5 * VARIANCE / SCALE, BUDGET).decision is Outcome.REFUTED


def test_record_of_bins_resumes_bit_for_bit(tmp_path):
    path, whole = tmp_path / "bins.jsonl", collect(Bins, squared_deviation, 5000, leaf=1000)
    options = {"leaf": 1000, "record": path, "job": {"claim": "variance"}}
    collect(Bins, squared_deviation, 5000, **options)
    path.write_bytes(path.read_bytes()[:-100])
    assert collect(Bins, squared_deviation, 5000, **options) == whole
    assert Bins.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole


# --- input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [[], [np.nan], [1.001], [-0.001], [0.5, np.inf], [1j], [[0.1, 0.2]], ["a"]])
def test_values_outside_the_unit_interval_are_refused(rows):
    with pytest.raises(InvalidInput):
        Bins.of(rows)


def test_rounding_beyond_the_interval_is_forgiven():
    assert Bins.of([1 + 1e-12, -1e-12]) == Bins.of([1.0, 0.0]) != Bins.of([1.0, 1.0])


def test_run_names_the_blocks_of_a_value_out_of_range():
    with pytest.raises(SamplerFailed, match=r"blocks 0\.\.9: raised InvalidInput: rows: needs values in"):
        collect(Bins, lambda blocks: np.full(len(blocks), 2.0), 10)


@pytest.mark.parametrize("mean0", [0.0, 1.0, -0.5, 2.0])
def test_claimed_means_at_or_beyond_the_ends_are_refused(mean0):
    with pytest.raises(OutsideDomain):
        betting_test([0.5], mean0, BUDGET)
    with pytest.raises(OutsideDomain):
        settled(mean0, BUDGET, tolerance=0.1)


def test_other_bad_input_is_refused():
    for call in (
        lambda: betting_test([0.5], np.nan, BUDGET),
        lambda: betting_test([0.5], 0.5, BUDGET, tolerance=0.0),
        lambda: betting_test([0.5], 0.5, BUDGET, side="both"),
        lambda: Bins(0, np.zeros(len(NODES))),
        lambda: Bins(1, np.ones(1)),
        lambda: Bins(2, coins(1, 1).weights),
        lambda: Bins(1, -coins(1, 1).weights),
        lambda: Bins(1, coins(1, 2).weights),
        lambda: Bins.from_dict({"n": 1, "weights": "###"}),
    ):
        with pytest.raises(InvalidInput):
            call()
