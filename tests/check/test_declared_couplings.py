"""Every coupling that is declared can be promised: our samplers keep it, the samplers of its neighbours do not."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.planted.invented import two_factors
from rftheory.check import check
from rftheory.check.laws import coupling_law, estimate_law
from rftheory.errors import InvalidInput, UnknownName
from rftheory.judge import Outcome
from rftheory.sample import COUPLINGS, Mechanism, Stream
from rftheory.spec import COUPLINGS as DECLARED

pytestmark = pytest.mark.usefixtures("end_after")

D = 4
OLD = {
    "iid": (True, True, "free", True), "orthogonal": (True, True, "fixed", True),
    "simplex": (True, True, "fixed", True), "simplex+": (True, True, None, True),
    "hadamard-orthogonal": (False, True, "fixed", True),
    "hadamard-simplex": (False, True, "fixed", True), "hadamard-simplex+": (False, True, None, True),
    "givens-orthogonal": (False, True, "fixed", True), "givens-simplex": (False, True, "fixed", True),
    "halton": (True, False, None, False), "sobol": (True, False, None, False),
}  # fmt: skip
"""Rows, norms, angle and blocks as they were written by hand before there were declarations."""


def draws(name: str, m: int, count: int = 1500, d: int = D) -> np.ndarray:
    return (
        COUPLINGS[name].draw(Stream.named(f"checked {name}", kind="native"), range(count), d, m).projections
    )


@pytest.mark.parametrize("name", OLD)
def test_promises_read_from_declarations_are_those_written_by_hand(name):
    law = coupling_law(name)
    assert (law.rows, law.norms, law.angle, law.blocks) == OLD[name]


@pytest.mark.parametrize("name", DECLARED)
def test_every_declared_coupling_has_promises(name):
    law = coupling_law(name)
    assert law.name == name
    gram = law.gram(D)
    assert gram is None or (np.diagonal(gram) == 1).all()


def test_unknown_couplings_are_refused():
    with pytest.raises(UnknownName, match="did you mean 'mirrored'"):
        coupling_law("mirored")


NEW = ("orthogonal-fixed", "cross-polytope", "mirrored", "antimonotone", "orthogonal-simplices")


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("m", [16, 21])
def test_our_samplers_keep_what_they_promise(name, m):
    report = check(draws(name, m), coupling=name, intervals=False)
    assert report.decision is not Outcome.REFUTED
    assert report.verdicts["coupling"] is Outcome.AGREES


WRONG = [
    ("mirrored", "cross-polytope"), ("cross-polytope", "orthogonal"),
    ("antimonotone", "orthogonal"), ("orthogonal", "antimonotone"), ("orthogonal", "orthogonal-fixed"),
    ("orthogonal-fixed", "orthogonal"), ("orthogonal-simplices", "orthogonal"), ("orthogonal-simplices", "simplex"),
]  # fmt: skip


@pytest.mark.parametrize(("promised", "drawn"), WRONG)
def test_other_samplers_do_not(promised, drawn):
    assert check(draws(drawn, 16), coupling=promised, intervals=False).decision is Outcome.REFUTED


def with_norms(rows: np.ndarray, norms: str) -> np.ndarray:
    """The rows, with one norm in each block, with the norm sqrt(d), or three times as long."""
    sizes = np.linalg.norm(rows, axis=2, keepdims=True)
    if norms == "shared":
        return rows / sizes * np.repeat(sizes[:, ::D], D, axis=1)
    return {"own": rows, "fixed": rows / sizes * np.sqrt(rows.shape[2]), "long": 3 * rows}[norms]


@pytest.mark.parametrize(
    ("drawn", "norms", "m", "d", "promised", "names"),
    [
        ("simplex+", "own", 16, 4, "orthogonal", []),
        ("simplex+", "own", 4, 4, "orthogonal", []),
        ("halton", "own", 16, 4, "orthogonal", ["rows-correlated"]),
        ("sobol", "own", 5, 2, "orthogonal", ["rows-correlated"]),
        ("hadamard-simplex+", "own", 16, 4, "orthogonal", []),
        ("antimonotone", "own", 16, 4, "iid", ["coupling-other"]),
        ("antimonotone", "own", 16, 4, "simplex", ["coupling-other"]),
        ("antimonotone", "long", 16, 4, "antimonotone", ["scale"]),
        ("mirrored", "long", 16, 4, "mirrored", ["scale"]),
        ("iid", "shared", 16, 4, "orthogonal", ["coupling-other", "norms-shared"]),
        ("orthogonal", "shared", 16, 4, "simplex", ["coupling-other", "norms-shared"]),
        ("simplex", "fixed", 16, 4, "orthogonal-fixed", ["coupling-other"]),
        ("simplex", "long", 16, 4, "orthogonal-fixed", ["coupling-other"]),
    ],
)
def test_rows_that_have_a_part_of_a_coupling_are_not_said_to_be_its_rows(drawn, norms, m, d, promised, names):
    report = check(with_norms(draws(drawn, m, d=d), norms), coupling=promised, intervals=False)
    assert report.decision is Outcome.REFUTED
    assert [found.name for found in report.diagnoses] == names
    assert "the variance is that of" not in report.text()


def test_blocks_whose_norms_are_paired_are_told_from_those_whose_norms_are_not():
    rows = draws("antimonotone", 16)
    rows[:, 8:] = draws("orthogonal", 16)[:, 8:]
    (found,) = check(rows, coupling="antimonotone", intervals=False).diagnoses
    assert found.name == "norms-paired"
    assert "; those of rows 8 and 9, 10 and 11, 12 and 13, 14 and 15 are independent" in found.sentence


@pytest.mark.parametrize("d", [8, 16])
def test_a_few_draws_of_three_hadamard_factors_may_look_like_fewer(d):
    for count, decision in ((1, None), (5, None), (200, Outcome.REFUTED)):
        right = check(
            draws("hadamard-orthogonal", 3, count, d), coupling="hadamard-orthogonal", intervals=False
        )
        assert right.decision is not Outcome.REFUTED
        wrong = np.stack([two_factors(3, d, seed) for seed in range(count)])
        assert check(wrong, coupling="hadamard-orthogonal", intervals=False).decision is (
            decision or Outcome.UNDECIDED
        )


def test_a_partial_block_is_looked_at():
    """Angles that are wrong in the last block alone, which is not whole."""
    rows = draws("orthogonal", 11)
    rows[:, 9] += 0.1 * rows[:, 10]
    report = check(rows, coupling="orthogonal", intervals=False)
    assert report.verdicts["coupling"] is Outcome.REFUTED


LAWS = [("mirrored", "positive"), ("cross-polytope", "trigonometric"), ("mirrored", "hyperbolic")]


@pytest.mark.parametrize(("coupling", "feature"), LAWS)
def test_exact_laws_of_estimates_come_from_the_declarations(coupling, feature):
    """Variance and third moment of our own estimates; those by independent rows have other ones."""
    v = np.array([0.7, -0.4, 0.5, 0.2])
    x, y = (0 * v, v) if feature == "trigonometric" else (v / 2, v / 2)
    law = estimate_law(feature, coupling, D, 16, float(np.linalg.norm(v)))
    blocks = range(40_000)
    own, other = (
        Mechanism(feature, name, 16).estimate(Stream.named("law", kind="native"), blocks, x, y)
        for name in (coupling, "iid")
    )
    mean = float(np.exp(-((x - y) ** 2).sum() / 2))
    for power, exact in ((2, law.second), (3, law.third)):
        found = (own - mean) ** power
        assert abs(found.mean() - exact) < 6 * found.std() / np.sqrt(len(found))
    squares = (other - mean) ** 2
    assert abs(squares.mean() - law.second) > 6 * squares.std() / np.sqrt(len(squares))


@pytest.mark.parametrize("coupling", ["antimonotone", "orthogonal-fixed", "simplex+", "hadamard-orthogonal"])
def test_laws_that_are_not_known_are_none(coupling):
    assert estimate_law("positive", coupling, D, 16, 1.0) is None


def test_a_feature_map_that_nobody_declared_is_refused():
    with pytest.raises(InvalidInput, match="or a declared map"):
        check(draws("iid", 16, 4), features="sines")
