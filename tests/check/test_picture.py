"""The picture of a report: what is drawn where, and what is left out."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest

from rftheory.check.findings import Finding, fact, open_question
from rftheory.check.picture import EDGE, LEFT, WIDTH, picture
from rftheory.judge import Outcome


def found(
    effect: float, interval: tuple[float, float] = (math.nan, math.nan), test: str = "a test"
) -> Finding:
    return Finding("blocks", test, Outcome.REFUTED, 9, effect, "relative", interval, 0.1, 0.2, 1e-9)


def tree(*findings: Finding) -> ET.Element:
    return ET.fromstring(picture(findings))


def test_an_effect_of_the_size_of_the_goal_lies_at_the_edge_of_the_band() -> None:
    [figure] = tree(found(0.2, (0.1, 0.3))).iter("svg")
    [band], [mark] = figure.iter("rect"), figure.iter("circle")
    assert float(mark.get("cx", 0)) == pytest.approx(float(band.get("x", 0)) + float(band.get("width", 0)))
    bars = [line for line in figure.iter("line") if line.get("stroke-width")]
    ends = [float(bars[0].get(end, 0)) for end in ("x1", "x2")]
    assert ends == pytest.approx([LEFT + WIDTH * (0.5 + k / EDGE / 4) for k in (1, 3)], abs=0.1)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_large_effect_is_an_arrow_at_the_edge(sign: int) -> None:
    [arrow] = tree(found(sign * 99.0)).iter("polygon")
    assert arrow.get("points", "").startswith(f"{LEFT + WIDTH if sign > 0 else LEFT}.0,")


def test_facts_without_a_goal_and_open_questions_are_not_drawn() -> None:
    assert (
        picture([fact("stability", "finite", True, 1, 0.0, ""), open_question("blocks", "open", "why")]) == ""
    )


def test_labels_are_escaped_and_cut() -> None:
    text = picture([found(0.1, test="a < b & " + 90 * "c")])
    assert "a &lt; b &amp; " in text
    assert 70 * "c" not in text
