"""The sampler in a note is checked as it stands, against the coupling that it is declared for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftheory.author import Rows, coupling, d, forget, i
from rftheory.check import Report, check
from rftheory.check.laws import coupling_law
from rftheory.errors import DeclarationFailed, NotKnown

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


def test_rows_on_independent_axes_have_no_angles_to_check() -> None:
    coupling("loose", rows=[Rows(2), Rows(2, sign=-1)], cosine=None)
    try:
        with pytest.raises(NotKnown, match="the axes of its block are independent"):
            coupling_law("loose")
    finally:
        forget("loose")
