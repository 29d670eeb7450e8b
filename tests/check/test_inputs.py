"""What a map does to inputs that no panel holds: an identity in every draw, and pairs that move from call to call."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.planted.defects import hybrid, hyperbolic, phases, positive, trigonometric
from benchmarks.planted.seeded import default_rng
from rftheory.check import check
from rftheory.check.measures import Case, EstimateMeasures, panel, turned
from rftheory.check.properties import inputs, stability
from rftheory.check.properties.determinism import of_batches
from rftheory.check.properties.unbiasedness import allowed, cancelling
from rftheory.errors import SamplerFailed
from rftheory.judge import Outcome

pytestmark = pytest.mark.usefixtures("end_after")

Features = Callable[..., np.ndarray]


def case(features: str, d: int = 4, kernel: str = "gaussian") -> Case:
    return Case.of(d, 32, "iid", features, kernel, 1.0, 0)


def estimates(features: Features, kernel: str = "gaussian", sign: int = 1) -> inputs.Estimates:
    """Estimates of one draw; for the softmax kernel, what the Gaussian one lacks is multiplied in again."""

    def of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        factor = np.exp(((x * x).sum(1) + (y * y).sum(1)) / 2) if kernel == "softmax" else 1.0
        return np.einsum("nf,nf->n", features(x, 1), features(y, 1)) * factor

    return of


def outcome(name: str, features: Features, d: int = 4, kernel: str = "gaussian", dtype: str = "") -> Outcome:
    [found] = inputs.of_estimates(case(name, d, kernel), [estimates(features, kernel)], dtype)
    return found.outcome


def gerf(x: np.ndarray, seed: int, m: int = 32) -> np.ndarray:
    w, s = default_rng(seed).standard_normal((m, x.shape[1])), 1.4
    return np.exp(-0.1 * (w**2).sum(1) + math.sqrt(s) * x @ w.T - (x * x).sum(1, keepdims=True)) / math.sqrt(
        m
    )


RIGHT: dict[str, Features] = {
    "trigonometric": trigonometric, "cosine": phases, "positive": positive, "hyperbolic": hyperbolic, "gerf": gerf,
}  # fmt: skip

WRONG: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "no signs": np.abs,
    "negative ones lost": lambda x: np.maximum(x, 0),
    "the last one lost if negative": lambda x: np.where(np.arange(x.shape[1]) == x.shape[1] - 1, np.maximum(x, 0), x),
    "far ones shrunk": lambda x: x / np.maximum(1, np.linalg.norm(x, axis=1, keepdims=True)),
    "a shell of norms": lambda x: x * np.where(abs(np.linalg.norm(x, axis=1) - 1.5) < 0.4, 1.1, 1.0)[:, None],
    "a half-space": lambda x: x * np.where(x[:, 0] < 0, 1.1, 1.0)[:, None],
    "only negative coordinates": lambda x: x * np.where((x < 0).all(1), 1.1, 1.0)[:, None],
    "zeros filled up": lambda x: np.where(x == 0, 0.1, x),
    "late rows of a batch": lambda x: x * np.where(np.arange(len(x)) < 40, 1.0, 1.1)[:, None],
}  # fmt: skip


@pytest.mark.parametrize("kernel", ["gaussian", "softmax"])
@pytest.mark.parametrize("d", [1, 2, 3, 64])
@pytest.mark.parametrize("name", RIGHT)
def test_right_maps_have_the_identity(name: str, d: int, kernel: str) -> None:
    assert outcome(name, RIGHT[name], d, kernel) is Outcome.AGREES


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", RIGHT)
def test_inputs_that_are_treated_unequally_are_seen(name: str, wrong: str) -> None:
    assert outcome(name, lambda x, seed: RIGHT[name](WRONG[wrong](x), seed)) is Outcome.REFUTED


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", RIGHT)
def test_rounding_is_not_taken_for_a_defect(name: str, dtype: str) -> None:
    """Projections, exponents and features are rounded; the features of far inputs must not vanish in 16 bits."""

    def rounded(x: np.ndarray, seed: int) -> np.ndarray:
        w = default_rng(seed).standard_normal((32, x.shape[1])).astype(dtype)
        x = x.astype(dtype)
        along, squares = (x @ w.T).astype(dtype), (x * x).sum(1, keepdims=True)
        if name == "trigonometric":
            return np.concatenate([np.cos(along), np.sin(along)], axis=1).astype(float) / math.sqrt(32)
        if name == "cosine":
            return np.cos(along + np.linspace(0, 6, 32, dtype=dtype)).astype(float) / 4
        shape = (w * w).sum(1) * np.asarray(-0.1 if name == "gerf" else 0, dtype)
        slope = np.asarray(math.sqrt(1.4) if name == "gerf" else 1, dtype)
        both = [along, -along] if name == "hyperbolic" else [along]
        return np.concatenate([np.exp(shape + slope * one - squares) for one in both], axis=1).astype(float)

    assert outcome(name, rounded, dtype=dtype) is Outcome.AGREES


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """Rounded to 8 bits, as float32: what torch makes of such numbers."""
    significand, exponent = np.frexp(values)
    return np.ldexp(np.round(np.ldexp(significand, 8)), exponent - 8).astype(np.float32)


def in_16_bits(x: np.ndarray, seed: int, wrong: float = 0.0) -> np.ndarray:
    along = x @ default_rng(seed).standard_normal((20, x.shape[1])).T
    return to_bfloat16(np.concatenate([np.cos(along), (1 - wrong) * np.sin(along)], axis=1) / math.sqrt(20))


def exponents_in_16_bits(x: np.ndarray, seed: int) -> np.ndarray:
    along = to_bfloat16(x @ default_rng(seed).standard_normal((20, x.shape[1])).T)
    return to_bfloat16(np.exp(to_bfloat16(along - to_bfloat16((x * x).sum(1, keepdims=True)))))


@pytest.mark.parametrize("d", [1, 8])
@pytest.mark.parametrize(
    ("features", "made"), [("trigonometric", in_16_bits), ("positive", exponents_in_16_bits)]
)
def test_features_that_were_rounded_to_16_bits_are_as_right_as_these(
    features: str, made: Features, d: int, end_after: Callable[[int], None]
) -> None:
    end_after(16384)
    report = check(
        made, features=features, d=d, seconds=20, intervals=False, up_to_scale=features == "positive"
    )
    assert report.exit_code != 1, report.text()


def test_a_mistake_in_16_bits_is_seen() -> None:
    report = check(partial(in_16_bits, wrong=0.1), features="trigonometric", d=8, intervals=False)
    assert report.exit_code == 1


def test_a_call_that_fails_far_out_decides_nothing() -> None:
    def fails(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        raise SamplerFailed("mine", problem="FloatingPointError: overflow", hint="")

    [found] = inputs.of_estimates(case("trigonometric"), [fails], "")
    assert found.outcome is Outcome.UNDECIDED
    assert "overflow" in found.reason


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (1.0, Outcome.AGREES),
        (math.nan, Outcome.REFUTED),
        (-math.inf, Outcome.REFUTED),
        ("OverflowError: math range error", Outcome.REFUTED),
        ("FloatingPointError: overflow encountered in exp", Outcome.REFUTED),
        ("ValueError: x is too long", Outcome.UNDECIDED),
    ],
)
def test_an_estimate_far_out_is_finite(value: float | str, outcome: Outcome) -> None:
    def far(x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
        if isinstance(value, str):
            raise SamplerFailed("mine", problem=value, hint="")
        return np.full(len(x), value)

    target: Any = SimpleNamespace(estimates=far)
    assert stability._large(target, case("trigonometric"), 0).outcome is outcome


def test_maps_without_an_identity_and_heavy_tails_are_left_alone() -> None:
    assert not inputs.of_estimates(case("angular-hybrid"), [], "")
    assert not inputs.of_estimates(Case.of(4, 32, "iid", "trigonometric", "laplace", 1.0, 0), [], "")


def below(x: np.ndarray, y: np.ndarray, seed: int, m: int = 8) -> float:
    """A right trigonometric estimator, except where both first coordinates are below -1."""
    w = default_rng(seed).standard_normal((m, len(x)))
    return float(np.cos(w @ (x - y)).mean()) * (1.1 if max(x[0], y[0]) < -1 else 1.0)


def with_floor(features: Features, value: float = 1e-8) -> Features:
    return lambda x, seed: features(x, seed) + value


FLOORS: dict[str, tuple[Features, str]] = {
    "added": (with_floor(positive, 1e-6), "feature-offset"),
    "exponents cut off": (lambda x, seed: np.maximum(positive(x, seed), math.exp(-20) / 5), "feature-offset"),
    "a wrong factor": (with_floor(lambda x, seed: 1.3 * positive(x, seed)), "feature-scale"),
    "exp(|x|^2/2) too many": (with_floor(lambda x, seed: positive(x, seed, offset=0.5)), "missing-offset"),
    "signs lost": (with_floor(lambda x, seed: positive(np.abs(x), seed)), "inputs-apart"),
    "squares": (with_floor(lambda x, seed: positive(x, seed) ** 2), "inputs-apart"),
    "shares": (lambda x, seed: shares(with_floor(positive, 1e-6)(x, seed)), "inputs-apart"),
}  # fmt: skip


def shares(features: np.ndarray) -> np.ndarray:
    return features / features.sum(1, keepdims=True)


@pytest.mark.parametrize("name", FLOORS)
def test_a_constant_is_not_blamed_for_what_it_does_not_do(
    name: str, end_after: Callable[[int], None]
) -> None:
    """Means are those of the kernel, or larger by what the constant adds to them; else another defect is named."""
    end_after(8192)
    made, expected = FLOORS[name]
    report = check(made, features="positive", d=2, intervals=False)
    assert [found.name for found in report.diagnoses] == [expected], report.text()


def test_a_constant_on_one_side_of_a_pair_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pair.py"
    path.write_text(
        "from benchmarks.planted.defects import positive\n"
        "def right(x, seed): return positive(x, seed)\n"
        "def added(x, seed): return positive(x, seed) + 1e-4\n"
    )
    for pair in ("right,added", "added,right"):
        report = check(f"{path}:{pair}", features="positive", d=8, intervals=False)
        assert [found.name for found in report.diagnoses] == ["feature-offset"], report.text()


class Added:
    """A transformer with a constant added to positive features."""

    def __init__(self, n_components: int = 32, random_state: int = 0) -> None:
        self.n_components, self.random_state = n_components, random_state

    def fit(self, x: np.ndarray) -> Added:
        return self

    def transform(self, x: np.ndarray) -> np.ndarray:
        return positive(x, self.random_state, self.n_components) + 1e-4

    def get_params(self) -> dict[str, int]:
        return {"n_components": self.n_components, "random_state": self.random_state}

    def set_params(self, random_state: int) -> Added:
        self.random_state = random_state
        return self


def test_a_constant_is_named_in_a_transformer_and_without_a_seed() -> None:
    seeds = iter(range(10**6))
    for added in (Added(), lambda x: positive(x, next(seeds)) + 1e-4):
        report = check(added, features="positive", d=8, intervals=False)
        assert [found.name for found in report.diagnoses] == ["feature-offset"], report.text()


def test_an_estimator_of_single_pairs_is_asked_for_one_draw() -> None:
    options: dict[str, Any] = {"features": "trigonometric", "m": 8, "d": 4, "intervals": False}
    report = check(below, **options)
    assert [found.name for found in report.diagnoses] == ["inputs-apart"]
    right = check(lambda x, y, seed: below(abs(x), abs(x) - (x - y), seed), **options)
    assert right.ok, right.text()


def test_the_report_says_which_inputs_are_wrong() -> None:
    report = check(lambda x, seed: trigonometric(np.maximum(x, 0), seed), d=4, coupling="iid", features="trig",
                   intervals=False)  # fmt: skip
    assert "inputs treated unequally" in report.headline
    [found] = report.diagnoses
    assert "with no positive coordinate" in found.sentence
    assert "no negative coordinate" not in found.sentence


def test_a_wrong_hybrid_is_seen_because_its_pairs_move() -> None:
    """The pairs of a hybrid lie in one plane, which the first coordinate may hardly touch in one direction."""

    def wrong(x: np.ndarray, y: np.ndarray, seed: int) -> float:
        return hybrid(x, y, seed) * (1.3 if x[0] < 0 else 1.0)

    for seed in (0, 1):
        report = check(wrong, features="angular-hybrid", m=8, d=4, seed=seed, intervals=False)
        assert report.exit_code == 1, report.text()


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("kernel", ["gaussian", "matern:1.5", "laplace:1", "cauchy"])
def test_pairs_that_move_keep_their_kernel(kernel: str, d: int) -> None:
    held = case("trigonometric", d, kernel)
    pairs = panel(held)
    places = list(turned(held, pairs, 60, 10))
    for x, y in places:
        for i, pair in enumerate(pairs):
            assert held.row.kernel_at(x[i] - y[i]) == pytest.approx(held.row.kernel_at(pair.x - pair.y))
            assert np.linalg.norm(x[i] + y[i]) == pytest.approx(pair.sum_norm)
    some = next(i for i, p in enumerate(pairs) if p.name == "x random, y = 0")
    assert len({tuple(x[some].round(6)) for x, _ in places}) > 1
    again = list(turned(held, pairs, 65, 3))
    np.testing.assert_array_equal(again[0][0], places[5][0])


def test_directions_after_a_turn_are_uniform() -> None:
    held = case("trigonometric", 3)
    pairs = panel(held)
    first = np.array([x[7] for x, _ in turned(held, pairs, 0, 4096)])
    assert np.abs(first.mean(0)).max() < 5 / math.sqrt(3 * 4096)
    assert np.abs(first.T @ first / 4096 - np.eye(3) / 3).max() < 0.03


@pytest.mark.parametrize("name", ["trigonometric", "cosine", "positive"])
def test_lost_signs_are_no_clipping(name: str) -> None:
    """Estimates at x and -x are never negative if features are those of |x|, and all the same for waves."""
    report = check(
        lambda x, seed: RIGHT[name](np.abs(x), seed), d=4, coupling="iid", features=name, intervals=False
    )
    assert [found.name for found in report.diagnoses] == ["inputs-apart"]
    assert "the signs of inputs are lost" in report.diagnoses[0].sentence


@pytest.mark.parametrize(("dtype", "words"), [("float16", "rounded by up to 0.049 %"), ("float32", "")])
def test_features_of_16_bits_are_said_to_be_rounded(dtype: str, words: str) -> None:
    def waves(x: np.ndarray, seed: int) -> np.ndarray:
        return trigonometric(x, seed).astype(dtype)

    report = check(waves, features="trigonometric", d=4, intervals=False)
    assert report.ok, report.text()
    said = [note for note in report.notes if "16 bits" in note]
    assert len(said) == bool(words)
    assert all(words in note and f"features are {dtype}" in note for note in said)


def test_so_are_those_that_were_turned_into_another_format() -> None:
    def waves(x: np.ndarray, seed: int) -> np.ndarray:
        return to_bfloat16(trigonometric(x, seed))

    report = check(waves, features="trigonometric", d=4, intervals=False)
    assert any("features are bfloat16" in note and "0.39 %" in note for note in report.notes)


def test_an_estimate_that_cancels_may_be_rounded_in_another_way_alone_than_in_a_batch() -> None:
    """One estimate in some thousand is so near 0 that single precision, in another order, changes a tenth per cent."""
    measures = EstimateMeasures(case("trigonometric"), panel(case("trigonometric")))
    sizes, rounding = (np.array([of(measures, p) for p in measures.pairs]) for of in (cancelling, allowed))

    def outcome(alone: float, sizes: np.ndarray) -> Outcome:
        one, many = (partial(np.full, fill_value=value) for value in (alone, 1e-5))
        calls = (lambda at, of=of: of(at.stop - at.start) for of in (many, one))
        return of_batches(*calls, len(sizes) + 4, sizes=sizes, allowed=rounding).outcome

    assert outcome(1.003e-5, sizes) is Outcome.AGREES
    assert outcome(1.003e-5, 0 * sizes) is Outcome.REFUTED  # of positive terms, which do not cancel
    assert outcome(2e-3, sizes) is Outcome.REFUTED
    measures.unit = inputs.UNITS["bfloat16"]
    assert 0.01 < allowed(measures, measures.pairs[0]) < 0.02
