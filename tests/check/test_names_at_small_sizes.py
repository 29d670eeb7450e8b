"""Defects at few rows and few draws, where several names fit: none is given that is not true."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import ndtri

from benchmarks.planted.defects import hyperbolic, independent, orthogonal, positive, trigonometric
from benchmarks.planted.seeded import default_rng
from rftheory.check import check
from rftheory.check.drift import of_calls
from rftheory.check.target import CONSECUTIVE
from rftheory.errors import SamplerFailed
from rftheory.judge import Outcome

pytestmark = pytest.mark.usefixtures("end_after")

Sampler = Callable[..., np.ndarray]


def names(target: object, **options: object) -> list[str]:
    report = check(target, intervals=False, **options)  # type: ignore[arg-type]
    assert report.decision is Outcome.REFUTED
    return [found.name for found in report.diagnoses]


def student(m: int, d: int, seed: int) -> np.ndarray:
    return default_rng(seed).standard_t(5, (m, d))


def signs(m: int, d: int, seed: int) -> np.ndarray:
    return np.sign(independent(m, d, seed))


FOUR = [-1.5, -0.5, 0.5, 1.5]
HUNDRED = ndtri((np.arange(100) + 0.5) / 100)
SMALL: dict[str, tuple[Sampler, int, int, list[str]]] = {
    "integers of the size 100": (
        lambda m, d, seed: np.rint(100 * independent(m, d, seed)),
        3,
        6,
        ["rounded", "scale"],
    ),
    "integers of one number": (
        lambda m, d, seed: np.rint(9 * independent(m, d, seed)),
        1,
        3,
        ["rounded", "scale"],
    ),
    "two half floats": (
        lambda m, d, seed: independent(m, d, seed).astype(np.float16),
        2,
        1,
        ["precision-lost"],
    ),
    "two decimals": (lambda m, d, seed: independent(m, d, seed).round(2), 2, 1, ["rounded"]),
    "one decimal": (lambda m, d, seed: independent(m, d, seed).round(1), 2, 1, ["rounded"]),
    "two signs": (signs, 2, 1, ["discrete"]),
    "numbers that are doubled": (lambda m, d, seed: 2 * independent(m, d, seed), 1, 3, ["scale"]),
    "four numbers": (lambda m, d, seed: default_rng(seed).choice(FOUR, (m, d)), 1, 3, ["discrete"]),
    "a million seeds": (lambda m, d, seed: independent(m, d, seed % 10**6), 2, 1, ["few-states"]),
    "numbers that are clipped": (
        lambda m, d, seed: np.clip(independent(m, d, seed), -2, 2),
        1,
        4,
        ["tails-truncated"],
    ),
    "a hundred values": (
        lambda m, d, seed: HUNDRED[default_rng(seed).integers(100, size=(m, d))],
        3,
        32,
        ["tails-truncated"],
    ),
    "one shifted row": (lambda m, d, seed: independent(m, d, seed) + 0.2, 2, 1, ["mean-offset"]),
    "one row of long tails": (student, 2, 1, ["coordinate-law"]),
    "numbers of long tails": (student, 1, 3, ["coordinate-law"]),
}


@pytest.mark.parametrize("case", SMALL)
def test_weights_have_a_name_that_is_true(case: str, end_after: Callable[[int], None]) -> None:
    end_after(1 << 15)
    sampler, d, m, expected = SMALL[case]
    assert names(sampler, coupling="iid", d=d, m=m) == expected


@pytest.mark.parametrize("count", [1, 3, 20])
def test_what_few_stored_draws_have_by_chance_is_no_defect(count: int) -> None:
    """Coordinates of one sign, norms in order of size, one norm, and laws that fit."""
    for rows, coupling, d, m in (
        (independent, "iid", 3, 1),
        (independent, "iid", 4, 8),
        (orthogonal, "orthogonal", 4, 8),
    ):
        draws = np.stack([rows(m, d, seed) for seed in range(count)])
        for wrong, name in ((100 * draws, "scale"), (draws + 9, "mean-offset")):
            found = check(wrong, coupling=coupling, intervals=False).diagnoses
            assert {one.name for one in found} <= {name}


def test_draws_of_few_states_are_no_rounding(end_after: Callable[[int], None]) -> None:
    end_after(1024)

    def few(m: int, d: int, seed: int) -> np.ndarray:
        return independent(m, d, seed % 2048).round(1)

    assert names(few, coupling="iid", d=2, m=4, seconds=60) == ["few-states"]


def test_inputs_that_are_scaled_the_wrong_way_are_not_said_to_be_anything_else() -> None:
    for d in (1, 4):
        waves = names(
            lambda x, seed: trigonometric(2 * x, seed, m=16), features="trigonometric", lengthscale=2.0, d=d
        )
        assert waves == ["kernel-scale"]
        assert "underflow" not in names(
            lambda x, seed: positive(2 * x, seed), features="positive", lengthscale=2.0, d=d
        )
    report = check(
        lambda x, seed: trigonometric(2 * x, seed, m=16), features="trigonometric", lengthscale=2.0, d=1,
        intervals=False,
    )  # fmt: skip
    assert "the square of the length scale" in report.diagnoses[0].sentence  # 4, not 2 pi


@pytest.mark.parametrize("coupling", ["iid", "orthogonal"])
def test_weights_that_are_halved_after_some_calls(coupling: str) -> None:
    calls, sampler = itertools.count(), {"iid": independent, "orthogonal": orthogonal}[coupling]

    def worn_out(m: int, d: int, seed: int) -> np.ndarray:
        return sampler(m, d, seed) * (1.0 if next(calls) < 200 else 0.5)

    assert names(worn_out, coupling=coupling, d=4, m=8) == ["calls-unalike"]


def test_calls_that_are_alike_are_not_said_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    draw, runs = np.random.default_rng(2), 150
    laws: list[Callable[[int], np.ndarray]] = [
        lambda n: draw.standard_cauchy((n, 3)),
        lambda n: (draw.random((n, 3)) < 0.01).astype(float),
        lambda n: np.repeat(draw.standard_normal((n // CONSECUTIVE, 3)), CONSECUTIVE, axis=0),
    ]
    monkeypatch.setattr("rftheory.check.drift.CERTAIN", 0.01)
    for law, n in itertools.product(laws, (64, 256)):
        assert sum(of_calls(law(n)) is not None for _ in range(runs)) < 10  # 1.5 expected, at most


def test_one_matrix_for_all_calls_is_the_same_draw() -> None:
    assert names(lambda m, d, seed: np.ones((m, d)), coupling="orthogonal", d=3, m=6) == ["draws-repeated"]


def test_estimates_that_no_law_can_be_tested_with_are_refused() -> None:
    with pytest.raises(SamplerFailed, match="check their scale"):
        check(lambda x, seed: 1e60 * trigonometric(x, seed), features="trigonometric", d=2)


@pytest.mark.parametrize(
    ("features", "declared"),
    [
        (trigonometric, "positive"),
        (positive, "trigonometric"),
        (positive, "cosine"),
        (hyperbolic, "trigonometric"),
    ],
)
def test_features_of_another_map_are_not_said_to_be_normalised_clipped_or_of_two_draws(
    features: Sampler, declared: str, end_after: Callable[[int], None]
) -> None:
    end_after(1024)
    assert set(names(features, features=declared, d=4)) <= {"inputs-apart"}


@pytest.mark.parametrize(("copies", "name"), [(1, "coupling-other"), (2, "fewer-projections")])
def test_independent_projections_are_not_said_to_be_repeated(copies: int, name: str) -> None:
    def waves(x: np.ndarray, seed: int) -> np.ndarray:
        rows = np.tile(independent(16 // copies, x.shape[1], seed), (copies, 1))
        return np.concatenate([np.cos(x @ rows.T), np.sin(x @ rows.T)], axis=1) / 4

    report = check(waves, features="trigonometric", coupling="orthogonal", d=4, intervals=False)
    assert [found.name for found in report.diagnoses] == [name]
    said = f"m = 16 independent projections{', although' if copies == 1 else ': like those'}"
    assert said in report.diagnoses[0].sentence


# ---- correct feature maps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [4, 9, 68, 73])
def test_features_may_come_in_columns_of_any_number(m: int) -> None:
    """Where there are as many features as inputs, the shape does not tell which side is that of the inputs."""

    def columns(x: np.ndarray, seed: int) -> np.ndarray:
        return trigonometric(x, seed, m=m).T

    report = check(columns, kind="features", d=3, intervals=False)
    assert report.declared["features"] == "trigonometric"
    assert report.decision is not Outcome.REFUTED
    assert "returns features x inputs, transposed here" in report.notes


def test_rounding_to_16_bits_may_carry_estimates_beyond_their_bounds(
    end_after: Callable[[int], None],
) -> None:
    end_after(2048)
    outcomes = []
    for factor in (1.0, 1.02):

        def half_floats(x: np.ndarray, seed: int, factor: float = factor) -> np.ndarray:
            return trigonometric(x, seed, m=1, factor=factor).astype(np.float16)

        outcomes.append(check(half_floats, features="trigonometric", d=1, intervals=False).decision)
    assert outcomes == [Outcome.UNDECIDED, Outcome.REFUTED]  # a single row needs more draws to agree
