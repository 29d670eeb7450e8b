"""The sampler in a note is checked as it stands, against the coupling that it is declared for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftheory.author import forget
from rftheory.check import Report, check

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
