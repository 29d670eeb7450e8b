"""Defects of blocks: a last one of its own kind, sorted norms, directions of a finite set, opposite rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from benchmarks.planted.defects import independent, orthogonal
from benchmarks.planted.invented import (
    cross_polytope,
    end_of_r,
    kept_matrix_permuted,
    pairs_next_to_each_other,
    pairs_of_one_norm,
    permuted_blocks,
    signed_permutation,
    sorted_in_blocks,
)
from benchmarks.planted.seeded import default_rng
from rftheory.check import check
from rftheory.judge import Outcome

pytestmark = pytest.mark.usefixtures("end_after")

Sampler = Callable[[int, int, int], np.ndarray]


def changed_end(change: Callable[[np.ndarray, np.random.Generator], np.ndarray]) -> Sampler:
    """Orthogonal rows, of which those of a partial last block are changed."""

    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        rows, whole = orthogonal(m, d, seed), m // d * d
        rows[whole:] = change(rows, default_rng(seed + 2**36))[whole:]
        return rows

    return sampler


def units(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


ENDS = {
    "norms of 1": changed_end(lambda rows, draw: units(rows)),
    "norms of root d": changed_end(lambda rows, draw: rows.shape[1] ** 0.5 * units(rows)),
    "directions of the first rows": changed_end(
        lambda rows, draw: (
            np.linalg.norm(rows, axis=1, keepdims=True) * np.roll(units(rows), len(rows) // 5 * 5, axis=0)
        )
    ),
    "no signs of R": end_of_r,
    "shifted": changed_end(lambda rows, draw: rows + 1),
}


@pytest.mark.parametrize("sampler", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("m", [11, 14])
def test_a_last_block_of_its_own_kind_is_named(sampler: Sampler, m: int) -> None:
    report = check(sampler, coupling="orthogonal", d=5, m=m, intervals=False)
    assert [found.name for found in report.diagnoses] == ["last-block"]
    assert f"the last {'row' if m == 11 else '4 rows'} of {m}" in report.diagnoses[0].sentence
    assert check(sampler, coupling="orthogonal", d=5, m=10, intervals=False).decision is not Outcome.REFUTED


@pytest.mark.parametrize("factor", [0.8, 1.05])
def test_rows_that_are_all_wrong_are_no_last_block(factor: float) -> None:
    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        return factor * orthogonal(m, d, seed)

    report = check(sampler, coupling="orthogonal", d=5, m=11, intervals=False)
    assert [found.name for found in report.diagnoses] == ["scale"]


@pytest.mark.parametrize(("d", "m"), [(2, 2), (2, 5), (3, 7), (8, 2), (8, 17)])
@pytest.mark.parametrize("down", [False, True])
def test_norms_sorted_inside_blocks_are_named_in_every_size(d: int, m: int, down: bool) -> None:
    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        return (
            sorted_in_blocks(m, d, seed)
            if not down
            else units(sorted_in_blocks(m, d, seed)) * falling(m, d, seed)
        )

    report = check(sampler, coupling="orthogonal", d=d, m=m, intervals=False)
    assert [found.name for found in report.diagnoses] == ["norms-sorted"]
    assert ("means are biased" in report.diagnoses[0].sentence) == (m > d and m % d > 0)


def falling(m: int, d: int, seed: int) -> np.ndarray:
    norms = np.sqrt(default_rng(seed + 1).chisquare(d, (-(-m // d), d)))
    return -np.sort(-norms, axis=1).reshape(-1, 1)[:m]


@pytest.mark.parametrize(("d", "m"), [(2, 2), (2, 5), (3, 2), (8, 8), (8, 17)])
@pytest.mark.parametrize("coupling", ["orthogonal", "iid"])
@pytest.mark.parametrize("sampler", [signed_permutation, kept_matrix_permuted])
def test_directions_of_a_finite_set_are_named_in_every_size(
    sampler: Sampler, coupling: str, d: int, m: int
) -> None:
    report = check(sampler, coupling=coupling, d=d, m=m, intervals=False, only=["marginal", "directions"])
    assert report.diagnoses[0].name == "rotation-law"
    assert ("axes, as those of signed permutations" in report.diagnoses[0].sentence) == (
        sampler is signed_permutation
    )


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("d", [8, 64])
def test_blocks_of_one_kept_matrix_are_not_blamed_on_each_other(d: int, seed: int) -> None:
    """The directions of a block recur in other calls, too: a rotation for each block is not what is missing."""
    report = check(kept_matrix_permuted, coupling="orthogonal", d=d, seed=seed, intervals=False)
    assert [found.name for found in report.diagnoses] == ["rotation-law"]
    permuted = check(permuted_blocks, coupling="orthogonal", d=d, seed=seed, intervals=False)
    assert [found.name for found in permuted.diagnoses] == ["blocks-permuted"]


@pytest.mark.parametrize(("d", "m"), [(2, 4), (4, 19), (8, 36)])
def test_mirrored_and_cross_polytope_rows_are_told_apart(d: int, m: int) -> None:
    found = partial(check, d=d, m=m, intervals=False)
    for sampler, right, wrong in (
        (pairs_of_one_norm, "mirrored", "cross-polytope"), (cross_polytope, "cross-polytope", "mirrored"),
    ):  # fmt: skip
        assert found(sampler, coupling=right).decision is not Outcome.REFUTED
        (named,) = found(sampler, coupling=wrong).diagnoses
        assert named.name == "coupling-other"
        assert f"Declare --as {right}" in named.sentence
    (named,) = found(pairs_next_to_each_other, coupling="mirrored").diagnoses
    assert named.name == "rows-permuted"
    assert "row 1 is opposite to row 0" in named.sentence
    (named,) = found(pairs_next_to_each_other, coupling="cross-polytope").diagnoses
    assert named.name == "coupling-other"
    assert "in another order of rows" in named.sentence


def near(place: Callable[[int, int], int], coupling: str, share: float) -> Sampler:
    """Rows of which one lies near the axis of row 0, on either side, with a norm of its own."""

    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        rows, draw = (
            (orthogonal if coupling == "orthogonal" else independent)(m, d, seed),
            default_rng(seed + 2**36),
        )
        at, sign = place(m, d), draw.choice([-1.0, 1.0])
        mixed = share**0.5 * sign * rows[:1] / d**0.5 + (1 - share) ** 0.5 * units(
            draw.standard_normal((1, d))
        )
        rows[at] = np.linalg.norm(rows[at]) * units(mixed)[0]
        return rows

    return sampler


@pytest.mark.parametrize(("coupling", "place"), [("iid", lambda m, d: 2), ("iid", lambda m, d: m - 1),
                                                 ("orthogonal", lambda m, d: 2 * d)],
                         ids=["third", "last", "third block"])  # fmt: skip
@pytest.mark.parametrize("share", [0.4, 0.95])
def test_rows_near_one_axis_are_seen_wherever_they_are(
    coupling: str, place: Callable[[int, int], int], share: float
) -> None:
    """Their mean cosine is 0 and no two lie on one line: the squares of cosines tell, for all pairs of rows."""
    report = check(near(place, coupling, share), coupling=coupling, d=8, m=17, intervals=False)
    assert [found.name for found in report.diagnoses] == ["rows-correlated"]
    assert f"rows 0 and {place(17, 8)} has the mean" in report.diagnoses[0].sentence


def test_rows_that_are_not_isotropic_are_not_blamed_on_each_other_nor_on_their_norms() -> None:
    mixing = np.eye(8)
    mixing[0, 2] = mixing[2, 0] = 0.5
    mixing[[0, 2]] *= 1.25**-0.5

    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        return independent(m, d, seed) @ mixing.T

    for seed in range(3):
        report = check(sampler, coupling="iid", d=8, m=24, intervals=False, seed=seed)
        assert [found.name for found in report.diagnoses] == ["anisotropic"]
        assert "d u_0 u_2 has the mean 0.6" in report.diagnoses[0].sentence


def test_extremes_show_their_probability_and_facts_no_power() -> None:
    report = check(orthogonal, coupling="orthogonal", d=4, m=8, intervals=False)
    lines = {f.test: f.line for f in report.findings}
    assert "detectable 0," not in "".join(lines.values())
    assert ", p = " in lines["smallest and largest |w|^2"]
    assert lines["the same seed gives the same draw"].endswith("(n = 2)")
    assert "detectable 0," not in report.to_html()


def one_reflection(m: int, d: int, seed: int) -> np.ndarray:
    """Orthogonal rows near the axes: one reflection, with its rows in another order and with random signs."""
    draw, blocks = default_rng(seed), []
    for _ in range(-(-m // d)):
        axis = units(draw.standard_normal((1, d)))
        signs = draw.choice([-1.0, 1.0], (d, 1))
        blocks.append((np.eye(d) - 2 * axis.T @ axis)[draw.permutation(d)] * signs)
    return np.concatenate(blocks)[:m]


def one_rotation(m: int, d: int, seed: int) -> np.ndarray:
    """The rows of one rotation, in another order and with other signs in each block."""
    draw, block = default_rng(seed + 2**36), units(orthogonal(d, d, seed))
    return np.concatenate(
        [draw.choice([-1.0, 1.0], (d, 1)) * draw.permutation(block) for _ in range(-(-m // d))]
    )[:m]


FIXED = {
    "one reflection": (one_reflection, None),
    "one rotation": (one_rotation, "blocks-permuted"),
    "axes": (signed_permutation, "rotation-law"),
    "uniform": (orthogonal, None),
}


@pytest.mark.parametrize(("directions", "name"), FIXED.values(), ids=FIXED)
def test_directions_of_rows_of_fixed_norm_are_tested_too(directions: Sampler, name: str | None) -> None:
    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        return d**0.5 * units(directions(m, d, seed))

    report = check(sampler, coupling="orthogonal-fixed", d=8, m=20, intervals=False)
    assert (report.decision is Outcome.REFUTED) == (directions is not orthogonal)
    assert [found.name for found in report.diagnoses] == ([name] if name else [])
