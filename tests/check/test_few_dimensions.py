"""One to three dimensions: draws of a few values, rows of both signs, and defects that look like others there."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.planted.defects import independent, orthogonal, signed_q
from benchmarks.planted.seeded import default_rng
from rftheory.check import check
from rftheory.judge import Outcome
from tests.check.test_diagnoses import sorf

SECONDS = 2.0


def fixed(m: int, d: int, seed: int) -> np.ndarray:
    """Correct: orthogonal rows of norm sqrt(d)."""
    rows: np.ndarray = math.sqrt(d) * signed_q(default_rng(seed), -(-m // d), d).reshape(-1, d)[:m]
    return rows


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("name", "d", "m"),
    [("orthogonal-fixed", 1, 1), ("orthogonal-fixed", 1, 3), ("sorf", 1, 1), ("sorf", 4, 1)],
)
def test_rows_of_a_few_values_are_right_where_these_are_promised(
    name: str, d: int, m: int, seed: int
) -> None:
    """Two seeds give one draw with probability up to 1/2, and +-1 needs no bits."""
    report = check(
        sorf if name == "sorf" else fixed, coupling=name, d=d, m=m, seed=seed, seconds=0.5, intervals=False
    )
    assert report.ok, report.text()


@pytest.mark.parametrize("name", ["orthogonal-fixed", "sorf"])
def test_one_draw_for_all_seeds_is_seen_where_draws_are_few(name: str) -> None:
    def kept(m: int, d: int, seed: int) -> np.ndarray:
        return sorf(m, d, 1)

    assert [x.name for x in check(kept, coupling=name, d=1, m=2, intervals=False).diagnoses] == [
        "draws-repeated"
    ]


def mirrored(m: int, d: int, seed: int, shared: bool = True) -> np.ndarray:
    draw, pairs = default_rng(seed), -(-m // 2)
    sign, norms = draw.choice([-1.0, 1.0], (pairs, 1)), np.abs(draw.standard_normal((2, pairs, 1)))
    rows: np.ndarray = np.stack([sign * norms[0], -sign * norms[0 if shared else 1]], axis=1).reshape(-1, 1)[
        :m
    ]
    return rows


def test_opposite_rows_in_one_dimension_are_held_to_their_coupling() -> None:
    right, wrong = (
        check(target, coupling="mirrored", d=1, m=5, seconds=SECONDS, intervals=False)
        for target in (mirrored, lambda m, d, seed: mirrored(m, d, seed, shared=False))
    )
    assert right.decision is not Outcome.REFUTED
    assert right.verdicts["coupling"] is Outcome.AGREES
    assert wrong.verdicts["coupling"] is Outcome.REFUTED
    unpaired = check(independent, coupling="cross-polytope", d=1, m=4, seconds=SECONDS, intervals=False)
    assert unpaired.verdicts["coupling"] is Outcome.REFUTED


def few_seeds(m: int, d: int, seed: int) -> np.ndarray:
    return independent(m, d, seed % 10)


def rows_twice(m: int, d: int, seed: int) -> np.ndarray:
    return np.repeat(independent(-(-m // 2), d, seed), 2, axis=0)[:m]


@pytest.mark.parametrize(
    ("target", "coupling", "m", "name"),
    [(few_seeds, "iid", 3, "draws-repeated"), (rows_twice, "iid", 2, "rows-repeated"),
     (mirrored, "orthogonal", 40, "rows-opposite"), (fixed, "orthogonal", 5, "norms-fixed")],
)  # fmt: skip
def test_defects_in_one_dimension_have_their_names(target: object, coupling: str, m: int, name: str) -> None:
    report = check(target, coupling=coupling, d=1, m=m, seed=5, intervals=False)
    assert [x.name for x in report.diagnoses] == [name]


@pytest.mark.parametrize("m", [1, 2])
def test_single_precision_in_one_dimension_repeats_no_draws(m: int, end_after: object) -> None:
    end_after(16384)  # type: ignore[operator]
    report = check(
        lambda m, d, seed: independent(m, d, seed).astype(np.float32), coupling="iid", d=1, m=m, seconds=5
    )
    assert report.decision is not Outcome.REFUTED


@pytest.mark.parametrize("m", [2, 3])
def test_vertices_that_are_not_normalised_are_no_padding(m: int) -> None:
    def vertices(m: int, d: int, seed: int) -> np.ndarray:
        draw = default_rng(seed)
        rows: np.ndarray = ((np.eye(d) - 1 / d) @ signed_q(draw, -(-m // d), d)).reshape(-1, d)[:m]
        return rows * np.sqrt(draw.chisquare(d, (m, 1)))

    report = check(vertices, coupling="simplex", d=3, m=m, seed=5, intervals=False)
    assert [x.name for x in report.diagnoses] == ["scale"]
    assert "the length of a vertex" in report.diagnoses[0].sentence


def test_rows_on_one_line_are_no_shared_rotation() -> None:
    def centred(m: int, d: int, seed: int) -> np.ndarray:
        rows = independent(m, d, seed)
        return rows - rows.mean(1, keepdims=True)

    report = check(centred, coupling="iid", d=2, m=5, intervals=False)
    assert report.decision is Outcome.REFUTED
    assert "projections-shared" not in [x.name for x in report.diagnoses]


@pytest.mark.parametrize(
    ("d", "m", "rows", "name"),
    [
        (8, 26, slice(24, 26), "last-block"),  # the rows of a partial block, and no others
        (8, 26, slice(22, 24), "norm-law"),
        (8, 17, slice(0, 1), "norm-law"),
        (3, 7, slice(0, 1), "norm-law"),
    ],
)
def test_a_few_longer_rows_are_no_factor_of_all(d: int, m: int, rows: slice, name: str) -> None:
    def longer(m: int, d: int, seed: int) -> np.ndarray:
        found = orthogonal(m, d, seed)
        found[rows] *= 1.25
        return found

    found = check(longer, coupling="orthogonal", d=d, m=m, intervals=False).diagnoses
    assert [x.name for x in found] == [name]
    said = {"norm-law": "rows differ, with means from", "last-block": "(mean squares 12."}
    assert said[name] in found[0].sentence
