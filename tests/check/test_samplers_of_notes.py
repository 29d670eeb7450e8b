"""The sampler in a note is checked as it stands, against the coupling that it is declared for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.planted.defects import signed_q
from rftheory.author import Rows, coupling, d, forget, i, opposite_norms
from rftheory.check import Report, check
from rftheory.check.laws import coupling_law
from rftheory.errors import DeclarationFailed
from rftheory.judge import Outcome
from tests.check.neighbours import neighbours

pytestmark = pytest.mark.usefixtures("end_after")

NOTE = """
from rftheory.author import Rows, coupling, d, i

PAIRS = coupling("checked-pairs", rows=[Rows(d), Rows(d, norm=d + i, sign=-1)])


@PAIRS.sampler(norms=lambda d: 2 * d)
def pairs(frame, norms, xp):
    first, second = norms[..., : frame.shape[-2], None], norms[..., frame.shape[-2] :, None]
    return xp.concat((first * frame, SECOND), axis=-2)
"""


def checked(folder: Path, asked: str, second: str) -> Report:
    file = folder / "checked.py"
    file.write_text(NOTE.replace("SECOND", second))
    try:
        return check(f"{file}:{asked}", seconds=5)
    finally:
        forget("checked-pairs")


@pytest.mark.parametrize("asked", ["pairs", "PAIRS"])
def test_a_right_sampler_agrees(tmp_path: Path, asked: str) -> None:
    report = checked(tmp_path, asked, "-second * frame")
    assert report.declared["coupling"] == "checked-pairs"
    assert not [finding for finding in report.findings if finding.outcome.value == "refuted"]


@pytest.mark.parametrize("second", ["second * frame", "-first * frame", "-0.8 * second * frame"])
def test_a_wrong_sampler_is_refuted(tmp_path: Path, second: str) -> None:
    report = checked(tmp_path, "pairs", second)
    assert [finding for finding in report.findings if finding.outcome.value == "refuted"]


def test_another_coupling_can_be_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "checked.py"
    file.write_text(NOTE.replace("SECOND", "-second * frame"))
    try:
        assert not check(f"{file}:pairs", coupling="mirrored", seconds=5).ok
    finally:
        forget("checked-pairs")


def test_an_error_of_a_note_names_its_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "no_value.py"
    file.write_text(
        "from rftheory.author import *\n\nfirst = mean(gerf(iid, m=m))\n\ndef rows(m, d, seed): ...\n"
    )
    with pytest.raises(
        DeclarationFailed, match=r"no_value\.py, line 3: InvalidInput: gerf: needs a value for A"
    ):
        check(f"{file}:rows", seconds=1)


def test_axes_may_have_any_numbers() -> None:
    coupling("numbered", rows=[Rows(d, axis=i - 1), Rows(d, axis=i - 1, norm=i + d, sign=-1)])
    coupling("far", rows=Rows(d, axis=i + 10**30))
    try:
        assert (coupling_law("numbered").gram(3) == coupling_law("cross-polytope").gram(3)).all()
        assert (coupling_law("far").gram(3) == coupling_law("orthogonal").gram(3)).all()
    finally:
        forget("numbered"), forget("far")


def test_rows_on_independent_axes_have_fixed_angles_on_each_axis_alone() -> None:
    coupling("loose", rows=[Rows(2), Rows(2, sign=-1)], cosine=None)
    try:
        law = coupling_law("loose")
        assert np.nan_to_num(law.gram(2)).tolist() == (np.eye(4) - np.roll(np.eye(4), 2, 0)).tolist()
        assert np.isnan(law.gram(2)).sum() == 8
        assert law.cosine(2) is None
    finally:
        forget("loose")


def frames(draw: np.random.Generator, count: int, m: int, d: int, size: int) -> np.ndarray:
    """Rotations for m rows in blocks of this size, (count, blocks, d, d)."""
    blocks = -(-m // size)
    return signed_q(draw, count * blocks, d).reshape(count, blocks, d, d)


def lengths(draw: np.random.Generator, d: int, *shape: int) -> np.ndarray:
    """Chi norms."""
    return np.sqrt(draw.chisquare(d, shape))


def one_norm(draw: np.random.Generator, count: int, m: int, d: int, everywhere: bool = False) -> np.ndarray:
    """Orthogonal rows with one norm for each block, or for all of them."""
    q = frames(draw, count, m, d, d)
    sizes = lengths(draw, d, count, 1 if everywhere else q.shape[1], 1, 1)
    return (sizes * q).reshape(count, -1, d)[:, :m]


def norms_in_pairs(
    draw: np.random.Generator, count: int, m: int, d: int, everywhere: bool = False
) -> np.ndarray:
    q = frames(draw, count, m, d, d)
    sizes = lengths(draw, d, count, 1 if everywhere else q.shape[1], -(-d // 2), 1)
    return (np.repeat(sizes, 2, axis=2)[:, :, :d] * q).reshape(count, -1, d)[:, :m]


def negated(draw: np.random.Generator, count: int, m: int, d: int, everywhere: bool = False) -> np.ndarray:
    q = frames(draw, count, m, d, 2 * d)
    sizes = lengths(draw, d, count, 1 if everywhere else q.shape[1], 1, 1)
    return (sizes * np.concatenate([q, -q], axis=2)).reshape(count, -1, d)[:, :m]


SHARED = {
    "one norm": (one_norm, [Rows(d, norm=0)]),
    "pairs": (norms_in_pairs, [Rows(d, norm=i // 2)]),
    "negated": (negated, [Rows(d, norm=0), Rows(d, norm=0, sign=-1)]),
}


@pytest.mark.parametrize("name", SHARED)
def test_norms_that_a_block_shares_are_independent_of_those_of_others(
    name: str, end_after: Callable[[int], None]
) -> None:
    end_after(1 << 15)
    sampler, rows = SHARED[name]
    coupling("sharing", rows=rows)
    try:
        right = check(neighbours(sampler), coupling="sharing", d=8, m=36, intervals=False)
        wrong = check(neighbours(partial(sampler, everywhere=True)), coupling="sharing", d=8, m=36)
    finally:
        forget("sharing")
    assert right.ok, right.text()
    assert right.verdicts["variance"] is Outcome.AGREES
    assert [f.name for f in wrong.diagnoses] == ["norms-shared"]
    assert "all blocks have the same norms" in wrong.diagnoses[0].sentence
    assert "Draw new norms for every block" in wrong.diagnoses[0].sentence
    assert any("squared error of the average of cos" in said for said in wrong.sized)


def test_one_norm_for_all_rows_where_pairs_are_to_share_one() -> None:
    coupling("sharing", rows=SHARED["pairs"][1])
    try:
        report = check(neighbours(one_norm), coupling="sharing", d=8, m=36, intervals=False)
    finally:
        forget("sharing")
    assert [f.name for f in report.diagnoses] == ["norms-shared"]
    assert "Draw one for each set of rows" in report.diagnoses[0].sentence


def antithetic(draw: np.random.Generator, count: int, m: int, d: int, kind: str = "right") -> np.ndarray:
    """Independent rows and their negatives, in blocks of 2 d."""
    blocks = -(-m // (2 * d))
    rows = draw.standard_normal((count, blocks, d, d))
    if kind == "orthogonal":
        rows = frames(draw, count, m, d, 2 * d) * np.linalg.norm(rows, axis=3, keepdims=True)
    if kind == "correlated":
        rows[:, :, -1] = 0.6 * rows[:, :, 0] + 0.8 * rows[:, :, -1]
    other = draw.standard_normal(rows.shape) if kind == "alone" else rows if kind == "copied" else -rows
    return np.concatenate([rows, other], axis=2).reshape(count, -1, d)[:, :m]


def test_independent_axes_are_tested(end_after: Callable[[int], None]) -> None:
    end_after(1 << 14)
    coupling("opposite", rows=[Rows(d), Rows(d, sign=-1)], cosine=None)
    try:
        reports = {
            kind: check(
                neighbours(partial(antithetic, kind=kind)), coupling="opposite", d=4, m=20, intervals=False
            )
            for kind in ("right", "orthogonal", "correlated", "copied", "alone")
        }
    finally:
        forget("opposite")
    assert reports.pop("right").ok
    assert all(report.verdicts["coupling"] is Outcome.REFUTED for report in reports.values())
    assert [f.evidence["found"] for f in reports["alone"].diagnoses] == ["iid"]


def norms_opposite(draw: np.random.Generator, count: int, m: int, d: int, kind: str = "right") -> np.ndarray:
    """A frame whose norms are in pairs at opposite quantiles: of rows 0 and 1 and so on, or of others."""
    q = frames(draw, count, m, d, d)
    half = lengths(draw, d, *q.shape[:2], -(-d // 2))
    other = half if kind == "shared" else opposite_norms(half, d, np)
    if kind == "independent":
        other = lengths(draw, d, *half.shape)
    sizes = np.stack([half, other], axis=-1).reshape(*half.shape[:2], -1)
    if kind == "far":
        sizes = np.concatenate([half, other], axis=-1)
    if kind == "blocks":
        sizes[:, 1::2, 1::2] = opposite_norms(sizes[:, ::2, ::2], d, np)
        sizes[:, ::2, 1::2] = lengths(draw, d, *sizes[:, ::2, 1::2].shape)
    return (sizes[:, :, :d, None] * q).reshape(count, -1, d)[:, :m]


IN_PAIRS = {
    "independent": (
        "independent norms where pairs",
        "are independent as far as is seen",
        "squared errors are not",
    ),
    "far": (
        "norms in other pairs",
        "rows 0 and 2, 1 and 3, 4 and 6, 5 and 7",
        "whole blocks have the declared law",
    ),
    "shared": ("shared norms where opposite ones", "these are equal", "squared errors are not"),
    "blocks": ("norms in other pairs", "rows 0 and 5, 2 and 7", "squared errors are not"),
}


@pytest.mark.parametrize("kind", IN_PAIRS)
def test_norms_that_are_not_in_the_declared_pairs_are_named(
    kind: str, end_after: Callable[[int], None]
) -> None:
    end_after(1 << 14)
    coupling("opposed", rows=Rows(d, norm=i // 2, reflected=i % 2))
    try:
        wrong = check(neighbours(partial(norms_opposite, kind=kind)), coupling="opposed", d=4, m=16)
    finally:
        forget("opposed")
    title, drawn, changed = IN_PAIRS[kind]
    assert [f.name for f in wrong.diagnoses] == ["norms-paired"], wrong.text()
    assert "none of the named diagnoses" not in wrong.headline
    assert title in wrong.headline
    said = wrong.diagnoses[0].sentence
    assert "rows 0 and 1, 2 and 3" in said
    assert drawn in said, said
    assert changed in said, said


def test_norms_in_the_declared_pairs_agree_in_odd_dimensions(end_after: Callable[[int], None]) -> None:
    """The row that is left over has a norm of its own, in its place alone."""
    end_after(1 << 14)
    coupling("opposed", rows=Rows(d, norm=i // 2, reflected=i % 2))
    try:
        right, wrong = (
            check(
                neighbours(partial(norms_opposite, kind=kind)), coupling="opposed", d=3, m=12, intervals=False
            )
            for kind in ("right", "far")
        )
    finally:
        forget("opposed")
    assert right.decision is not Outcome.REFUTED, right.text()
    assert not right.diagnoses
    assert "those of rows 0 and 2, 3 and 5" in wrong.diagnoses[0].sentence
    assert "whole blocks have the declared law" in wrong.diagnoses[0].sentence
