"""Consequences of defects: no printed interval excludes the truth, and draws go on until the size is known."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy import special

from benchmarks.planted.defects import (
    bandwidth,
    chi_freedom,
    independent,
    missing_offset,
    norms_fixed,
    sqrt_two,
    trigonometric,
)  # fmt: skip
from benchmarks.planted.invented import antithetic, copies, every_row_twice, phases_missing, shifted
from rftheory.check import check, consequences, findings, laws, run
from rftheory.check.measures import Case, panel
from rftheory.check.report import Report
from rftheory.judge import Outcome

SEEDS = 10
D, M = 4, 8


def long(m: int, d: int, seed: int) -> np.ndarray:
    return 1.7 * independent(m, d, seed)


def offset(x: np.ndarray, seed: int, m: int = 8) -> np.ndarray:
    """All estimates are too large by 0.15, with the same draw for all pairs."""
    constant = np.full((len(x), 1), math.sqrt(0.15))
    return np.concatenate([trigonometric(x, seed, m), constant], axis=1)


@dataclass(frozen=True)
class Known:
    """A planted defect with closed forms of what it does: E cos(w.v), E sin(w.v), E exp(w.v), ratios of errors."""

    sampler: Any
    options: dict[str, Any]
    cos: Callable[[np.ndarray], float] = lambda v: math.exp(-float(v @ v) / 2)
    sin: Callable[[np.ndarray], float] = lambda v: 0.0
    exp: Callable[[np.ndarray], float] = lambda v: math.exp(float(v @ v) / 2)
    errors: dict[str, float] = field(default_factory=dict)
    mean: Callable[[np.ndarray, np.ndarray], float] | None = None


IID: dict[str, Any] = {"coupling": "iid"}
ORTHOGONAL: dict[str, Any] = {"coupling": "orthogonal"}
MU = np.full(D, 0.3)


def _k(z: np.ndarray) -> float:
    return math.exp(-float(z @ z) / 2)


KNOWN = {
    "too long": Known(
        long, IID, cos=lambda v: _k(1.7 * v), exp=lambda v: 1 / _k(1.7 * v),
    ),
    "fixed norms": Known(
        norms_fixed, ORTHOGONAL,
        cos=lambda v: float(special.hyp0f1(D / 2, -D * float(v @ v) / 4)),
        exp=lambda v: float(special.hyp0f1(D / 2, D * float(v @ v) / 4)),
    ),
    "one degree of freedom": Known(
        chi_freedom, ORTHOGONAL,
        cos=lambda v: float(special.hyp1f1(0.5, D / 2, -float(v @ v) / 2)),
        exp=lambda v: float(special.hyp1f1(0.5, D / 2, float(v @ v) / 2)),
    ),
    "shifted": Known(
        shifted, IID, cos=lambda v: _k(v) * math.cos(MU @ v), sin=lambda v: _k(v) * math.sin(MU @ v),
        exp=lambda v: math.exp(MU @ v) / _k(v),
    ),
    # copies and opposite rows: half as many independent terms for cos; E exp(w.v) exp(-w.v) = 1 for exp
    "rows twice": Known(every_row_twice, IID, errors={"cos": 2.0, "exp": 2.0}),
    "rows opposite": Known(antithetic, IID, errors={"cos": 2.0, "exp": 1 - math.exp(-1)}),
    "factor two": Known(sqrt_two, {"features": "trigonometric"}, mean=lambda x, y: 2 * _k(x - y)),
    "bandwidth": Known(bandwidth, {"features": "trigonometric"}, mean=lambda x, y: _k(x - y) ** 2),
    "offset": Known(offset, {"features": "trigonometric"}, mean=lambda x, y: _k(x - y) + 0.15),
    "no phases": Known(phases_missing, {"features": "cosine"}, mean=lambda x, y: _k(x - y) + _k(x + y)),
    "missing factor": Known(missing_offset, {"features": "positive"}, mean=lambda x, y: math.exp(float(x @ y))),
    "copies": Known(copies, {"features": "trigonometric", "m": 32}, errors={"K": 4.0}, mean=lambda x, y: _k(x - y)),
}  # fmt: skip


def truths(known: Known, report: Report, case: Case) -> Iterator[tuple[str, float, tuple[float, float]]]:
    """Every printed interval whose truth is known, with that truth."""
    pairs = {pair.name: pair for pair in panel(case)}
    for one in report.consequences:
        if known.mean is not None:
            pair = pairs[one.place.partition(":")[0]]
            exact = _k(pair.x - pair.y)
            gap = known.mean(pair.x, pair.y) - exact
            if one.what.startswith("mean"):
                yield f"{one.what} {one.place}", gap if one.absolute else gap / exact, one.interval
            elif "K" in known.errors:
                yield f"{one.what} {one.place}", known.errors["K"] - 1, one.interval
            continue
        length, _, name = one.place.removeprefix("|v| = ").partition(" along ")
        v = float(length) * case.directions[name.removeprefix("-")] * (-1 if name.startswith("-") else 1)
        kind = next(k for k in ("cos", "sin", "exp") if f"{k}(" in one.what)
        if one.what.startswith("mean"):
            exact = {"cos": _k(v), "sin": 1.0, "exp": 1 / _k(v)}[kind]
            value = getattr(known, kind)(v) / exact - (kind != "sin")
            yield f"{one.what} {one.place}", value, one.interval
        elif kind in known.errors and length == "1":
            yield f"{one.what} {one.place}", known.errors[kind] - 1, one.interval
    for found in report.findings:
        for kind, ratio in known.errors.items():
            if found.test == f"variance of the average of {kind}(w.v)":
                yield found.test, ratio - 1, found.interval
        if found.test == "mean of |w|^2 is d (chi squared, exact)" and known.sampler in (
            long,
            every_row_twice,
        ):
            yield found.test, 1.7**2 - 1 if known.sampler is long else 0.0, found.interval


def misses(name: str, seeds: int) -> tuple[int, list[str]]:
    """How many intervals were printed in runs with that many seeds, and which of them exclude the truth."""
    known, count, missed = KNOWN[name], 0, []
    sizes = {} if known.mean else {"m": M}
    for seed in range(seeds):
        report = check(known.sampler, d=D, seed=seed, **sizes, **known.options)
        assert report.exit_code == 1
        declared = report.declared
        case = Case.of(D, declared["m"], "iid", declared.get("features", ""), declared["kernel"], 1.0, seed)
        for what, truth, (low, high) in truths(known, report, case):
            count += 1
            if not low - 1e-9 <= truth <= high + 1e-9:
                missed.append(f"seed {seed}: {what}: {truth:.4g} not in [{low:.4g}, {high:.4g}]")
    return count, missed


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_no_printed_interval_excludes_the_truth(name: str, end_after: Callable[[int], None]) -> None:
    # the intervals of one run err with probability 1e-4 together: of these 120 runs, one with probability 0.012
    end_after(1024)
    count, missed = misses(name, SEEDS)
    assert count >= SEEDS
    assert missed == []


@pytest.mark.parametrize("name", ["too long", "rows twice", "factor two"])
def test_intervals_that_are_too_narrow_are_seen_to_be(
    name: str, end_after: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def narrow(values: np.ndarray, alpha: float) -> tuple[float, float]:
        radius = float(values.std()) / math.sqrt(len(values))
        return float(values.mean()) - radius, float(values.mean()) + radius

    end_after(512)
    monkeypatch.setattr(consequences, "mean_interval", narrow)
    monkeypatch.setattr(findings, "mean_interval", narrow)
    assert misses(name, 4)[1]


@pytest.mark.parametrize(
    "name", ["too long", "one degree of freedom", "shifted", "rows twice", "missing factor"]
)
def test_no_interval_contradicts_its_verdict(name: str, end_after: Callable[[int], None]) -> None:
    end_after(512)
    known = KNOWN[name]
    report = check(known.sampler, d=D, **known.options)
    refuted = [f for f in report.findings if f.outcome is Outcome.REFUTED and f.interval[0] != f.interval[1]]
    assert refuted
    assert [f.line for f in refuted if f.interval[0] <= 0 <= f.interval[1]] == []
    assert all(f"if {f.given}, as promised" in f.line for f in refuted if f.given)


def test_an_interval_with_an_assumption_holds_under_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "mean_interval", lambda values, alpha: (-math.inf, math.inf))
    draw, level, runs = np.random.default_rng(9), findings.Level(1e-2), 300
    moments, missed = {k: float(math.factorial(k)) for k in range(2, 9)}, {"spread": 0, "mean": 0}
    for _ in range(runs):
        spread = findings.gamma_spread("", "", draw.gamma(3.0, 1 / 3, (100, 4)), 2.0, level, 1.0)
        mean = findings.nonnegative_mean("", "", draw.exponential(0.6, 1000), 1.0, moments, level, 1.0)
        for name, found, truth in (("spread", spread, 2 / 3 - 1), ("mean", mean, -0.4)):
            assert bool(found.given) == (found.outcome is Outcome.REFUTED)
            assert bool(found.given) == math.isfinite(found.interval[1])
            missed[name] += not found.interval[0] <= truth <= found.interval[1]
    assert all(count <= 12 for count in missed.values())  # 3 are expected at most; 13 have probability 2e-5


def test_draws_go_on_until_the_size_is_known(end_after: Callable[[int], None]) -> None:
    end_after(1 << 17)
    report = check(norms_fixed, d=D, m=2 * M, **ORTHOGONAL)
    quick = check(norms_fixed, d=D, m=2 * M, intervals=False, **ORTHOGONAL)
    assert report.calls > 4 * quick.calls
    assert consequences.shortfall(report.consequences) == 1
    leading = [ones[0] for ones in consequences.groups(report.consequences).values()]
    assert leading
    assert all(one.known for one in leading)
    assert quick.consequences == ()
    assert [d.name for d in report.diagnoses] == [d.name for d in quick.diagnoses] == ["norms-fixed"]
    text = report.text()
    assert "consequence: the mean of cos(w.v) is -" in text  # it has the other sign
    assert " times what it should be [-" in text
    assert "|v| = 2 along" in text
    assert "elsewhere from" in text
    assert report.cut_short == ""


def test_what_time_does_not_allow_is_said(end_after: Callable[[int], None]) -> None:
    end_after(256)
    report = check(every_row_twice, d=D, m=M, **IID)
    assert consequences.shortfall(report.consequences) > 1
    assert report.cut_short.startswith("time ran out before all consequences were known to 2 %; --seconds")
    head, _, said = report.text().partition("\n\n")
    assert f"\n  {report.cut_short}" in head
    assert "time ran out" not in said
    content = json.loads(report.to_json())
    assert content["cut_short"] == report.cut_short
    assert f"<li>{report.cut_short}</li>" in report.to_html()
    assert content["consequences"][0].keys() >= {"what", "place", "effect", "interval", "known"}
    assert "Consequence: " in report.to_html()


def test_calls_that_depend_on_each_other_give_no_intervals(end_after: Callable[[int], None]) -> None:
    def cycle(m: int, d: int, seed: int) -> np.ndarray:
        return independent(m, d, seed % 5)

    end_after(512)
    report = check(cycle, d=D, m=M, **IID)
    assert [d.name for d in report.diagnoses] == ["draws-repeated"]
    assert report.consequences == ()
    spread = [f.interval for f in report.findings if f.interval[0] != f.interval[1]]
    assert all(math.isnan(low) for low, _ in spread)


def test_the_time_of_a_run_is_shared_by_its_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(10**6))
    monkeypatch.setattr(run, "CLOCK", lambda: float(next(seconds)))
    report = check(independent, seconds=12.0, intervals=False, **IID)
    assert report.seconds <= 12


@pytest.mark.parametrize("law", ["exponential", "normal", "signs", "gamma"])
def test_an_interval_of_a_mean_contains_it(law: str) -> None:
    draw = np.random.default_rng(8)
    values = {
        "exponential": lambda: draw.exponential(size=400) - 1,
        "normal": lambda: draw.standard_normal(400),
        "signs": lambda: draw.choice([-1.0, 1.0], 400),
        "gamma": lambda: draw.gamma(0.25, size=400) - 0.25,
    }
    level, runs = 1e-3, 4000
    out = sum(
        not low <= 0 <= high
        for low, high in (findings.mean_interval(values[law](), level) for _ in range(runs))
    )
    assert out <= 16  # 4 are expected; 17 or more have probability 2e-6


def test_effects_are_told_as_people_say_them() -> None:
    opposite = consequences.Consequence("mean of cos(w.v)", "|v| = 2", -1.67, (-1.7, -1.64))
    assert opposite.told == "-0.67 times what it should be [-0.7, -0.64]"
    assert opposite.short == "-0.67 times (|v| = 2)"
    alike = [
        consequences.Consequence("squared error of K^", place, effect, (2.2, 2.3))
        for place, effect in (("a", 2.5), ("b", 2.2701), ("c", 2.2704))
    ]
    (sentence,) = consequences.sentences(alike)
    assert sentence.endswith("at a; elsewhere 3.27")


def test_rounding_has_no_consequence() -> None:
    """A gap that is the same in all calls up to rounding has an interval of no length, and one of 1e-16 none."""
    draw = np.random.default_rng(0)
    noise = 1e-16 * draw.exponential(size=500) ** 4
    one, none = consequences._with_intervals(
        [
            consequences.Measured("mean of K^", "a", 1 + noise, absolute=True),
            consequences.Measured("mean of K^", "b", noise),
        ]
    )
    assert one.seen
    assert one.known
    assert one.told == "off by +1 [+1, +1]"
    assert (none.effect, none.seen, none.short) == (0.0, False, "+0 % (b)")


def waves_negated(x: np.ndarray, seed: int, m: int = 16) -> np.ndarray:
    """Positive features of independent rows and their negatives, declared as those of independent rows."""
    along = x @ independent(m // 2, x.shape[1], seed).T
    rows = np.concatenate([along, -along], axis=1) - (x * x).sum(1, keepdims=True)
    features: np.ndarray = np.exp(rows) / math.sqrt(m)
    return features


def test_a_lower_variance_is_called_lower_and_sized(end_after: Callable[[int], None]) -> None:
    """Opposite rows have 1 - exp(-|v|^2) times the error of independent ones, v = x + y."""
    end_after(1 << 14)
    report = check(waves_negated, d=D, features="positive", arguments={"m": 16})
    assert report.exit_code == 0
    assert report.headline == "agrees with what it promises; the variance is lower than declared"
    (found,) = [f for f in report.findings if f.lower and "orthogonal" in f.test]
    assert found.interval[0] < -math.exp(-0.61) < found.interval[1] < 0
    assert "lower than declared, no defect: variance of K^" in report.text()
    assert " lower than declared\n" in report.text()
    right = check(
        lambda x, seed: missing_offset(x, seed) * np.exp(-(x * x).sum(1, keepdims=True) / 2), d=D,
        features="positive",
    )  # fmt: skip
    assert right.headline == "agrees with what it promises"
    assert not any(f.lower for f in right.findings)


def test_a_squared_error_with_a_long_tail_is_sized_by_the_promised_moments() -> None:
    """Exponential values of mean 0.3 in place of 1, the largest of which decay as slowly as a Cauchy law's."""
    values = 0.3 * np.random.default_rng(3).exponential(size=4000)
    values[:8] = 10.0 * 2.0 ** np.arange(8)
    promised = laws.ErrorLaw(2.0, {2: 8.0, 3: 48.0, 4: 384.0})  # of exponential values of mean 2
    what = "squared error of K^"
    (open_end,) = consequences._with_intervals([consequences.Measured(what, "a", values - 1)])
    (one,) = consequences._with_intervals([consequences.Measured(what, "a", values - 1, law=promised)])
    assert not open_end.seen
    assert math.isinf(open_end.interval[1])
    assert one.seen
    assert -0.8 < one.interval[0] < -0.7 < one.interval[1] < 0
    assert "if higher moments are no larger, as promised" in consequences.sentences([one])[0]
    (said,) = consequences.sentences([open_end, consequences.Consequence(what, "b", 0.0, (-0.01, 0.01))])
    assert said.endswith("by more than 1 %; for 1 of 2 the tails are too long to tell")


def test_a_variance_that_is_not_tested_is_said_not_to_be(end_after: Callable[[int], None]) -> None:
    end_after(16384)
    report = check(independent, d=D, m=M, coupling="iid", only=["marginal", "coupling"], intervals=False)
    assert report.headline == "agrees with what it promises; the variance is not tested"
    assert "variance      not tested: no law of it is known here" in report.text()
    nothing = check(independent, d=D, m=M, coupling="none", intervals=False)
    assert nothing.headline == "agrees with what it promises"
    assert "variance      nothing promised" in nothing.text()


def unsigned_fixed(m: int, d: int, seed: int) -> np.ndarray:
    """Orthogonal rows of norm sqrt(d), without the signs of R."""
    draw = np.random.default_rng(seed)
    blocks = [np.linalg.qr(draw.standard_normal((d, d)))[0].T for _ in range(-(-m // d))]
    rows: np.ndarray = math.sqrt(d) * np.concatenate(blocks)[:m]
    return rows


def test_what_fixed_norms_change_is_no_consequence_of_another_defect() -> None:
    """Missing signs leave cos alone; that E cos(w.v) is not the kernel is what norms sqrt(d) promise."""
    report = check(unsigned_fixed, d=8, m=32, coupling="orthogonal-fixed")
    assert [found.name for found in report.diagnoses] == ["qr-signs"]
    assert "erf" not in report.diagnoses[0].bias
    for one in report.consequences:
        assert one.what != "mean of cos(w.v)" or not one.seen
    assert any(one.seen and one.what == "mean of exp(w.v)" for one in report.consequences)
    good = {one.place: one.effect for one in report.consequences if one.what == "mean of exp(w.v)"}
    assert good["|v| = 1 along -(1,..,1)"] > 0 > good["|v| = 1 along (1,..,1)"]
