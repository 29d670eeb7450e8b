"""A report on a named defect: the diagnosis first, the tests that it explains counted, all of them on request."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rftheory.check.diagnosis import Diagnosis
from rftheory.check.findings import Finding
from rftheory.check.report import WIDEST, Report
from rftheory.judge import Outcome


def finding(topic: str, outcome: Outcome, effect: float = 0.3) -> Finding:
    interval = (effect - 0.1, effect + 0.1)
    return Finding(
        topic, f"a test of {topic} {effect:g}", outcome, 900, effect, "relative", interval, 0.1, 0.2, 1e-9
    )


SIX = (
    finding("marginal", Outcome.REFUTED, 1),
    finding("marginal", Outcome.REFUTED, 2),
    finding("marginal", Outcome.AGREES, 0),
    finding("variance", Outcome.REFUTED, 3),
    finding("determinism", Outcome.REFUTED, np.nan),
    finding("blocks", Outcome.AGREES, 0),
)
"""A wrong law of the norms explains the first two and the variance, not the determinism."""


def report(*diagnoses: Diagnosis) -> Report:
    declared = {"coupling": "orthogonal", "d": 8}
    return Report(
        "mine:sampler", "matrix", declared, ("a note",), SIX, diagnoses, calls=9, looks=1, seconds=1.0, alpha=1e-6,
        seed=0,
    )  # fmt: skip


NAMED = Diagnosis("chi-freedom", "the norms are chi with 36 degrees of freedom, and " + "so on " * 20)


def test_what_the_defect_explains_is_counted_and_the_rest_is_listed() -> None:
    lines = report(NAMED).text().splitlines()
    assert "marginal      refuted    3 tests, 2 refuted as the defect explains" in lines
    assert "variance      refuted    1 test, 1 refuted as the defect explains" in lines
    assert "blocks        agrees     1 test" in lines
    shown = [line.strip() for line in lines if "a test of" in line]
    assert len(shown) == 1
    assert shown[0].startswith("refuted: a test of determinism")
    assert lines[-1] == "--full lists the tests that the defect explains, with their effects"
    heading = next(place for place, line in enumerate(lines) if line.startswith("WRONG DEGREES OF FREEDOM"))
    assert heading < lines.index("blocks        agrees     1 test")


def test_everything_is_listed_on_request_and_without_a_diagnosis() -> None:
    whole = report(NAMED).text(full=True)
    assert whole.count("a test of") == len(SIX)
    assert "explains" not in whole.splitlines()[-1]
    unnamed = report().text()
    assert unnamed.count("refuted: a test of") == 4
    assert "explains" not in unnamed


def test_nothing_is_folded_in_json_and_pages() -> None:
    folded = report(NAMED)
    assert len(json.loads(folded.to_json())["findings"]) == len(SIX)
    assert folded.to_html().count("a test of") >= len(SIX)


@pytest.mark.parametrize("width", [80, 100, 300, None])
def test_no_line_is_wider_than_the_terminal(width: int | None) -> None:
    longest = max(map(len, report(NAMED).text(width).splitlines()))
    assert longest <= min(width or WIDEST, WIDEST)
    assert longest > 70
