"""Samplers that promise a quasi-random sequence: its points in any mapping pass, other points are named."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, product

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import qmc

from benchmarks.planted.invented import coordinates_apart, latin_hypercube, never_spread
from rftheory.check import check
from rftheory.check.laws import sequences
from rftheory.check.nets import Net
from rftheory.judge import Outcome
from rftheory.sample import COUPLINGS, Stream

pytestmark = [
    pytest.mark.usefixtures("end_after"),
    pytest.mark.filterwarnings("ignore:The balance properties"),
]

Sampler = Callable[[int, int, int], np.ndarray]
SHAPES = list(product((1, 2, 3, 8, 20), (3, 5, 16, 36, 100)))


def scrambled(engine: str, skipped: int = 0, kind: type = np.float64) -> Sampler:
    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        made = getattr(qmc, engine)(d, seed=np.random.default_rng(seed))
        if skipped:
            made.fast_forward(skipped)
        return ndtri(made.random(m)).astype(kind)

    return sampler


def shifted(engine: str) -> Sampler:
    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        points = getattr(qmc, engine)(d, scramble=False).random(m) + np.random.default_rng(seed).random(d)
        return ndtri(np.clip(points % 1, 1e-12, 1 - 1e-12))

    return sampler


def box_muller(engine: str, *, halves: bool = False, sine_first: bool = False) -> Sampler:
    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        u = getattr(qmc, engine)(d + d % 2, seed=np.random.default_rng(seed)).random(m)
        sizes, angles = np.sqrt(-2 * np.log(u[:, ::2])), 2 * np.pi * u[:, 1::2]
        waves = [sizes * np.sin(angles), sizes * np.cos(angles)][:: 1 if sine_first else -1]
        rows = np.concatenate(waves, axis=1) if halves else np.stack(waves, axis=-1).reshape(m, -1)
        return rows[:, :d]

    return sampler


def ours(name: str) -> Sampler:
    return lambda m, d, seed: COUPLINGS[name].draw(Stream(seed), range(1), d, m).projections[0]


def fits(name: str, sampler: Sampler, m: int, d: int) -> bool:
    net, rows = Net(sequences(d)[name]), np.stack([sampler(m, d, seed) for seed in range(24)])
    for part in (rows[:8], rows[8:]):
        net.see(part.astype(float), ndtr, normal=True)
    return net.holds


RIGHT = {
    "scrambled Sobol": ("sobol", scrambled("Sobol")),
    "in single precision": ("sobol", scrambled("Sobol", 0, np.float32)),
    "without the first point": ("sobol", scrambled("Sobol", 1)), "from the 38th": ("sobol", scrambled("Sobol", 37)),
    "shifted Sobol": ("sobol", shifted("Sobol")), "our Sobol": ("sobol", ours("sobol")),
    "scrambled Halton": ("halton", scrambled("Halton")), "shifted Halton": ("halton", shifted("Halton")),
    "Halton from the 38th": ("halton", scrambled("Halton", 37)), "our Halton": ("halton", ours("halton")),
}  # fmt: skip
PAIRS = {
    "Sobol": ("sobol", box_muller("Sobol")), "sine first": ("sobol", box_muller("Sobol", sine_first=True)),
    "halves": ("sobol", box_muller("Sobol", halves=True)), "Halton": ("halton", box_muller("Halton")),
}  # fmt: skip


@pytest.mark.parametrize(("name", "sampler"), RIGHT.values(), ids=RIGHT)
def test_points_of_a_sequence_are_recognised(name: str, sampler: Sampler) -> None:
    assert [shape for shape in SHAPES if not fits(name, sampler, shape[1], shape[0])] == []


@pytest.mark.parametrize(("name", "sampler"), PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("d", [2, 8])
def test_pairs_by_box_and_muller_are_recognised(name: str, sampler: Sampler, d: int) -> None:
    assert all(fits(name, sampler, m, d) for m in (3, 16, 36))


@pytest.mark.parametrize("sampler", [never_spread, latin_hypercube])
@pytest.mark.parametrize("name", ["sobol", "halton"])
def test_other_points_are_not(name: str, sampler: Sampler) -> None:
    assert not [shape for shape in SHAPES if fits(name, sampler, shape[1], shape[0])]


@pytest.mark.parametrize("d", [2, 3, 20])
def test_one_generator_for_each_coordinate_is_no_sequence(d: int) -> None:
    net = Net(sequences(d)["sobol"])
    net.see(np.stack([coordinates_apart(16, d, seed) for seed in range(8)]), ndtr, normal=True)
    assert net.lines
    assert not net.holds


SAID = [
    (never_spread, "sobol", "this is independent rows"), (never_spread, "halton", "this is independent rows"),
    (scrambled("Halton"), "sobol", "this is a halton sequence"),
    (scrambled("Sobol"), "halton", "this is a sobol sequence"),
    (coordinates_apart, "sobol", "a generator of its own"), (latin_hypercube, "sobol", "a Latin hypercube"),
]  # fmt: skip


@pytest.mark.parametrize(("sampler", "coupling", "said"), SAID)
@pytest.mark.parametrize("m", [16, 36])
def test_the_name_says_what_the_points_are(sampler: Sampler, coupling: str, said: str, m: int) -> None:
    report = check(sampler, coupling=coupling, d=4, m=m, intervals=False)
    assert [found.name for found in report.diagnoses] == ["coupling-other"]
    assert said in report.diagnoses[0].sentence
    assert (
        "squared errors" in report.diagnoses[0].sentence
        or "the variance is that of" in report.diagnoses[0].sentence
    )


@pytest.mark.parametrize("d", [1, 4])
def test_a_sequence_without_its_first_point_agrees(d: int, end_after: Callable[[int], None]) -> None:
    end_after(256)
    report = check(scrambled("Sobol", 1), coupling="sobol", d=d, m=16, intervals=False)
    assert report.verdicts["coupling"] is Outcome.AGREES
    assert report.decision is not Outcome.REFUTED


def test_numbers_made_from_two_points_each_are_undecided() -> None:
    """A single coordinate by Box and Muller does not show the cells of its two points."""
    report = check(box_muller("Sobol"), coupling="sobol", d=1, m=16, intervals=False, only=["coupling"])
    assert report.decision is Outcome.UNDECIDED
    assert "not quantiles" in report.findings[0].reason
    assert check(never_spread, coupling="sobol", d=1, m=16, intervals=False).decision is Outcome.REFUTED


def test_two_points_from_an_odd_number_on_are_undecided() -> None:
    """They may lie anywhere, as two independent ones; with the first point before them they may not."""
    decided = {}
    for name, sampler in {
        "first": scrambled("Sobol"),
        "later": scrambled("Sobol", 1),
        "none": never_spread,
    }.items():
        report = check(sampler, coupling="sobol", d=4, m=2, intervals=False, only=["coupling"])
        decided[name] = report.decision
    assert decided == {"first": Outcome.AGREES, "later": Outcome.UNDECIDED, "none": Outcome.UNDECIDED}


def test_another_defect_keeps_its_own_name() -> None:
    report = check(
        lambda m, d, seed: 1.4 * scrambled("Sobol")(m, d, seed), coupling="sobol", d=4, m=16, intervals=False
    )
    assert [found.name for found in report.diagnoses] == ["scale"]


def test_a_seed_that_is_ignored_does_not_make_another_sequence(end_after: Callable[[int], None]) -> None:
    end_after(128)
    calls = count()
    report = check(
        lambda m, d, seed: scrambled("Sobol")(m, d, next(calls)), coupling="sobol", d=4, m=8, intervals=False
    )
    assert [found.name for found in report.diagnoses] == ["seed-ignored"]
