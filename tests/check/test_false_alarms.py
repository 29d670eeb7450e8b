"""Correct samplers are refuted at most as often as is said, at every shape; and what is planted beside them is seen."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from benchmarks.planted.defects import independent, orthogonal
from benchmarks.planted.seeded import default_rng
from rftheory.check import check
from rftheory.check.findings import (
    Finding,
    Level,
    bounded_mean,
    gamma_spread,
    nonnegative_mean,
    rarely,
    squared_cosines,
    symmetric,
)
from rftheory.check.laws import error_law
from rftheory.check.measures import Case, MatrixMeasures
from rftheory.check.properties import OF_MATRICES
from rftheory.check.properties.blocks import no_row_twice, repeated_calls
from rftheory.check.properties.coupling import norms_independent
from rftheory.judge import Outcome
from rftheory.judge.budget import POWER

LEVEL = 0.01


def too_many(alarms: int, runs: int, level: float) -> bool:
    """Whether a test of this level gives that many alarms with probability below 1e-7."""
    return bool(stats.binom.sf(alarms - 1, runs, level) < 1e-7)


@pytest.mark.parametrize("seed", [9567, 39690])
def test_single_rows_in_many_dimensions(seed: int, end_after: Callable[[int], None]) -> None:
    # products of a norm and a direction have heavy tails: with a normal tail these two runs gave an alarm
    end_after(512)
    report = check(independent, coupling="iid", d=64, m=1, seed=seed, intervals=False)
    assert report.decision is not Outcome.REFUTED


# ---- symmetric values --------------------------------------------------------------------------------------

HEAVY = {
    "signs": lambda draw, n: draw.choice([-1.0, 1.0], n),
    "cubes of normal values": lambda draw, n: draw.standard_normal(n) ** 3,
    "products": lambda draw, n: draw.standard_normal(n) * draw.standard_normal(n),
    "Cauchy": lambda draw, n: draw.standard_cauchy(n),
    "one large value": lambda draw, n: draw.choice([-1.0, 1.0], n) * 10.0 ** np.arange(n[-1]),
}


@pytest.mark.parametrize("law", HEAVY)
@pytest.mark.parametrize("n", [1, 2, 5, 64])
def test_symmetric_values_are_refuted_no_more_often_than_the_level(law: str, n: int) -> None:
    values = HEAVY[law](np.random.default_rng(5), (20_000, n))
    ratio = values.sum(1) / np.sqrt((values**2).sum(1))
    for level in (0.1, LEVEL, 1e-3):
        # the threshold that the test uses, for all at once; the test itself at the first and at the largest value
        edge = stats.norm.isf(level / (2 / (4 * stats.norm.sf(math.sqrt(2)))))
        assert not too_many(int((np.abs(ratio) > edge).sum()), len(ratio), level)
        for i in (0, int(np.argmax(np.abs(ratio)))):
            found = symmetric("", "", values[i].sum(), (values[i] ** 2).sum(), n, Level(level), 1.0)
            assert (found.outcome is Outcome.REFUTED) == (abs(ratio[i]) >= edge)


def test_values_that_are_not_symmetric_are_refuted() -> None:
    draw = np.random.default_rng(3)
    power = 0
    for _ in range(50):
        values = draw.standard_normal(400) + 0.5
        found = symmetric("", "", values.sum(), (values**2).sum(), 400, Level(1e-8), 0.6)
        assert found.detectable < 0.5
        power += found.outcome is Outcome.REFUTED
    assert power == 50


@pytest.mark.parametrize("shape", [0.5, 1.0, 4.0, 32.0])
@pytest.mark.parametrize("n", [1, 5, 64])
def test_the_spread_of_norms_is_refuted_no_more_often_than_the_level(shape: float, n: int) -> None:
    draws = np.random.default_rng(7).gamma(shape, 1 / shape, (1500, n))
    found = np.array(
        [gamma_spread("", "", values, shape, Level(LEVEL, final=False), 1.0).p for values in draws]
    )
    for level in (0.1, LEVEL, 1e-3):
        assert not too_many(int((found <= level).sum()), len(found), level)


def test_one_degree_of_freedom_is_seen_in_many_dimensions() -> None:
    draw, level = np.random.default_rng(8), Level(3e-10)
    right, wrong = (
        gamma_spread("", "", draw.gamma(k / 2, 2 / k, (4096, 160)), 32.0, level, 0.02) for k in (64, 63)
    )
    assert (right.outcome, wrong.outcome) == (Outcome.AGREES, Outcome.REFUTED)
    assert right.interval[0] < 0 < right.interval[1]
    assert wrong.interval[0] < 1 / 63 < wrong.interval[1]


def test_rare_events_are_counted_against_their_chance() -> None:
    draw = np.random.default_rng(4)
    none, some = (rarely("", "", draw.random(2000) < p, 1e-3, Level(1e-6), 0.06) for p in (1e-3, 0.05))
    assert (none.outcome, some.outcome) == (Outcome.AGREES, Outcome.REFUTED)
    assert rarely("", "", np.zeros(2000), 0.0, Level(1e-6), 0.06).outcome is Outcome.AGREES
    assert rarely("", "", np.ones(2000), 0.0, Level(1e-6), 0.06).outcome is Outcome.REFUTED


DRAWS = np.random.default_rng(12)
SPREAD = error_law("trigonometric", "iid", 8, 16, 1.0, order=8)


def squared_errors(error: float) -> Finding:
    errors = (np.cos(DRAWS.standard_normal((1024, 16))).mean(1) - math.exp(-0.5)) ** 2
    assert SPREAD is not None
    law = SPREAD.mean, SPREAD.moments
    return nonnegative_mean("", "", (1 + error) * errors, *law, SMALL, 1.0, at_most=True)


def spread_of_norms(error: float) -> Finding:
    shape = 4 / (1 + error)
    return gamma_spread("", "", DRAWS.gamma(shape, 1 / shape, 1024), 4.0, SMALL, 1.0)


def events(error: float) -> Finding:
    return rarely("", "", (DRAWS.random(1024) < 1e-6 + error).astype(float), 1e-6, SMALL, 0.06)


SMALL = Level(1e-9, final=False)


@pytest.mark.parametrize("judged", [squared_errors, spread_of_norms, events])
def test_an_error_of_the_stated_size_is_seen_with_the_stated_power(
    judged: Callable[[float], Finding],
) -> None:
    stated = float(np.median([judged(0.0).detectable for _ in range(9)]))
    missed = sum(judged(stated).outcome is not Outcome.REFUTED for _ in range(700))
    assert stats.binom.sf(missed - 1, 700, 1 - POWER) > 1e-6
    weak = sum(judged(stated / 3).outcome is not Outcome.REFUTED for _ in range(100))
    assert weak > 5  # so that it is not far too large


def test_only_squared_errors_that_are_too_small_are_said_to_be_lower() -> None:
    assert [squared_errors(error).lower for error in (0.0, -0.7)] == [False, True]
    both = nonnegative_mean("", "", 0.3 * DRAWS.exponential(size=1024), 1.0, {2: 2.0}, SMALL, 1.0)
    assert (both.lower, both.outcome) == (False, Outcome.REFUTED)


def test_a_value_that_the_law_does_not_have_refutes_it_alone() -> None:
    values = np.full(64, 0.5)
    for wrong in (1.1, -0.1):
        found = bounded_mean("", "", np.append(values, wrong), 0.5, 0.0, 1.0, SMALL, 1.0)
        assert found.outcome is Outcome.REFUTED
        assert found.effect == pytest.approx(0.1)
    assert (
        nonnegative_mean("", "", np.append(values, -0.1), 0.5, {2: 0.5}, SMALL, 1.0).outcome
        is Outcome.REFUTED
    )


# ---- independence of norms, whatever their law -----------------------------------------------------------------


def norms_judged(correlation: float, scale: float, level: float) -> list[Finding]:
    """The tests of the norms of 2048 calls of 16 rows that are scale * chi_7 and promised as chi_8."""
    draw, rho = np.random.default_rng(11), 2 * math.sin(math.pi * correlation / 6)  # of normal values
    common = draw.standard_normal((2048, 1))
    normal = math.sqrt(rho) * common + math.sqrt(1 - rho) * draw.standard_normal((2048, 16))
    rows = draw.standard_normal((2048, 16, 8))
    rows *= scale * (stats.chi(7).ppf(stats.norm.cdf(normal)) / np.linalg.norm(rows, axis=-1))[..., None]
    measures = MatrixMeasures(Case.of(8, 16, "iid", "", "gaussian", 1.0, 0))
    for start in range(0, 2048, 27):  # an odd number: pairs of calls lie across batches
        measures.see(rows[start : start + 27])
    return [f for i in (True, False) for f in norms_independent("", measures, Level(level), inside=i)]


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_norms_of_a_wrong_law_may_be_independent_and_are_seen_if_they_are_not(scale: float) -> None:
    assert not any(f.outcome is Outcome.REFUTED for f in norms_judged(0.0, scale, 0.01))
    found = norms_judged(0.35, scale, 1e-10)
    assert all(f.outcome is Outcome.REFUTED for f in found)
    assert all(f.detectable < f.goal for f in norms_judged(0.35, 1.0, 1e-8))


# ---- all tests of a weight matrix, at the smallest and at odd shapes ------------------------------------------

SHAPES = [(1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (5, 2), (1, 64), (3, 64), (7, 3)]


def judged(sampler: Callable[..., np.ndarray], coupling: str, m: int, d: int, seed: int) -> list[Finding]:
    """Findings of 64 calls at the level LEVEL."""
    case = Case.of(d, m, coupling, "", "gaussian", 1.0, seed)
    measures = MatrixMeasures(case)
    measures.see(np.stack([sampler(m, d, 1000 * seed + i) for i in range(64)]))
    return [f for look in OF_MATRICES for f in look(measures, Level(LEVEL, final=False))]


@pytest.mark.parametrize("coupling", ["iid", "orthogonal"])
@pytest.mark.parametrize(("m", "d"), SHAPES)
def test_no_test_refutes_more_often_than_its_level(coupling: str, m: int, d: int) -> None:
    sampler = independent if coupling == "iid" else orthogonal
    runs = 25
    findings = [judged(sampler, coupling, m, d, seed) for seed in range(runs)]
    assert len({len(found) for found in findings}) == 1
    for tests in zip(*findings, strict=True):
        alarms = sum(f.outcome is Outcome.REFUTED for f in tests)
        assert not too_many(alarms, runs, LEVEL), tests[0].test


@pytest.mark.parametrize(("m", "d"), SHAPES)
def test_a_planted_factor_is_refuted_at_every_shape(m: int, d: int) -> None:
    def stretched(m: int, d: int, seed: int) -> np.ndarray:
        return 1.7 * independent(m, d, seed)

    findings = [judged(stretched, "iid", m, d, seed) for seed in range(5)]
    assert all(any(f.outcome is Outcome.REFUTED for f in found) for found in findings)


# ---- rows that depend on each other, though each alone is right --------------------------------------------------


def norms_of(draw: np.random.Generator, m: int, d: int, how: str) -> np.ndarray:
    """Chi norms: one for each block, one for the call, one for two rows, or all with a part in common."""
    if how == "common part":
        part = 0.95**0.5 * draw.standard_normal(m) + 0.05**0.5 * draw.standard_normal()
        return np.asarray(stats.chi.ppf(stats.norm.cdf(part), d))
    rows = {"block": d, "call": m, "pair": 2}[how]
    return np.repeat(np.sqrt(draw.chisquare(d, -(-m // rows))), rows)[:m]


@pytest.mark.parametrize(
    ("how", "wrong"), [("block", {"coupling"}), ("call", {"coupling", "blocks"}), ("pair", {"coupling"}),
                       ("common part", {"blocks"})],
)  # fmt: skip
def test_norms_that_depend_on_each_other_do_not_refute_their_law(how: str, wrong: set[str]) -> None:
    def dependent(m: int, d: int, seed: int) -> np.ndarray:
        rows = orthogonal(m, d, seed)
        norms = norms_of(default_rng(seed + 2**40), m, d, how)
        return rows * (norms / np.linalg.norm(rows, axis=1))[:, None]

    case = Case.of(16, 64, "orthogonal", "", "gaussian", 1.0, 0)
    measures = MatrixMeasures(case)
    for start in range(0, 1024, 64):
        measures.see(np.stack([dependent(64, 16, seed) for seed in range(start, start + 64)]))
        findings = [f for look in OF_MATRICES for f in look(measures, Level(1e-9, final=False))]
        refuted = {f.topic for f in findings if f.outcome is Outcome.REFUTED}
        assert not refuted & {"marginal", "directions"}
    assert wrong <= refuted


# ---- what recurs by chance ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "d"), [(2, 2), (4, 2), (3, 3)])
def test_a_single_draw_of_few_rows_shows_no_coupling(m: int, d: int) -> None:
    """One draw in seventy of two rows in the plane has them almost opposite, as simplex rows are."""
    rows = independent(m, d, 0)
    rows[:2] = np.eye(d)[0] * [[1.0], [-1.0]] + 1e-3 * rows[:2] if d == 2 else np.eye(d)[:2]
    report = check(rows[None], intervals=False)
    assert report.declared["coupling"] == "iid"
    assert report.decision is not Outcome.REFUTED
    many = np.stack([orthogonal(m, d, seed) for seed in range(8)])
    assert check(many, intervals=False).declared["coupling"] == "orthogonal"


def test_calls_that_share_one_number_alone_are_no_repeated_draws() -> None:
    """Of a million inner products, rounded to 12 decimals, some agree by chance."""
    case = Case.of(3, 2, "iid", "", "gaussian", 1.0, 0)
    rows, along = np.stack([independent(2, 3, seed) for seed in range(1, 65)]), case.directions["random"]
    mirrored = 2 * (rows @ along)[..., None] * along - rows
    for second, repeated in ((1.5 * mirrored - 0.5 * (rows @ along)[..., None] * along, 0), (rows, 64)):
        measures = MatrixMeasures(case)
        measures.see(np.concatenate([rows, second]))
        assert repeated_calls(measures) == repeated


@pytest.mark.parametrize("d", [2, 1024])
def test_rows_of_one_norm_recur_by_chance_alone(d: int) -> None:
    """In single precision angles are one of 2^24 numbers; inner products are rounded in all dimensions."""
    draw, case = np.random.default_rng(6), Case.of(d, 1024, "orthogonal-fixed", "", "gaussian", 1.0, 0)
    if d == 2:
        angles = 2 * np.pi * draw.random((200, 1024), dtype=np.float32)
        marks = np.stack([np.cos(angles), np.sin(angles)], axis=2) @ case.directions["random"] * math.sqrt(d)
    else:
        normal = draw.standard_normal((200, 1024))
        marks = normal * np.sqrt(d / (normal**2 + draw.chisquare(d - 1, (200, 1024))))
    for drawn, expected in ((marks, Outcome.AGREES), (marks[np.arange(20) % 15], Outcome.REFUTED)):
        measures = MatrixMeasures(case, calls=len(drawn))
        measures.over.add(squares=np.full(drawn.shape, float(d)), marks=drawn.ravel())
        assert no_row_twice(measures).outcome is expected


# ---- axes of rows that are promised to be independent -----------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 16])
@pytest.mark.parametrize("n", [1, 8, 64])
def test_squared_cosines_are_refuted_no_more_often_than_the_level(d: int, n: int) -> None:
    draws = np.random.default_rng(9).beta(0.5, (d - 1) / 2, (3000, 6, n)).sum(2)
    every, names = np.ones(6, dtype=bool), np.arange(6)
    for level in (0.1, LEVEL):
        found = [
            squared_cosines("", "", sums, n, d, Level(level), 1.0, chosen=every, names=names)
            for sums in draws
        ]
        assert not too_many(sum(f.outcome is Outcome.REFUTED for f in found), len(found), level)


@pytest.mark.parametrize("d", [2, 3, 16])
def test_mean_squared_cosines_of_the_stated_size_are_refuted(d: int) -> None:
    n, every, names = 2048, np.ones(1, dtype=bool), np.arange(1)
    for sign in (1, -1):
        sums = np.array([n / d * (1 + sign * 0.5)])
        found = squared_cosines("", "", sums, n, d, Level(1e-9), 0.6, chosen=every, names=names)
        assert (found.outcome, found.effect) == (Outcome.REFUTED, pytest.approx(sign * 0.5))
        assert found.detectable < 0.5
