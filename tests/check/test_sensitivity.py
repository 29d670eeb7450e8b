"""A report that agrees says which errors it would have seen, in every form, from what its tests state."""

from __future__ import annotations

import json
import re

from benchmarks.planted.defects import independent, positive, qr_signs
from rftheory.check import Report, check


def percents(report: Report, phrase: str) -> list[float]:
    """The sizes that follow a phrase."""
    found = re.search(
        rf"{re.escape(phrase)} (?:[\d.]+ to [\d.]+ or )?([\d.]+) %(?: to ([\d.]+) %)?", report.sensitivity
    )
    assert found, report.sensitivity
    return [float(size) for size in found.groups() if size]


def test_every_form_of_a_report_that_agrees_says_what_it_would_have_seen() -> None:
    report = check(independent, coupling="iid", d=4, m=32, intervals=False)
    assert report.sensitivity.startswith("errors that would have been seen, with probability 0.999: ")
    assert " ".join(report.text().split()).count(report.sensitivity) == 1
    assert json.loads(report.to_json())["sensitivity"] == report.sensitivity
    assert f"<li>{report.sensitivity.replace('<', '&lt;')}</li>" in report.to_html()


def test_the_sizes_are_those_that_the_tests_state() -> None:
    report = check(positive, features="positive", d=4, intervals=False)
    stated = [f.detectable for f in report.findings if f.topic == "unbiasedness" and f.unit == "relative"]
    assert percents(report, "a mean of K^ off from the kernel by") == [
        float(f"{100 * size:.2g}") for size in (min(stated), max(stated))
    ]


def test_a_smaller_goal_sees_smaller_errors() -> None:
    usual, small = (
        check(positive, features="positive", d=4, intervals=False, only=["unbiasedness"], goal=goal)
        for goal in (None, 0.03)
    )
    by = "a mean of K^ off from the kernel by"
    assert max(percents(small, by)) <= 3 < max(percents(usual, by))


def test_other_properties_are_told_in_their_own_units() -> None:
    report = check(independent, coupling="iid", d=4, m=32, intervals=False, only=["coupling"])
    assert "coupling off by" in report.sensitivity
    assert "(root mean squares)" in report.sensitivity


def test_a_defect_has_no_such_line() -> None:
    report = check(qr_signs, coupling="orthogonal", d=4, intervals=False)
    assert report.sensitivity == ""
    assert "would have been seen" not in report.text() + report.to_html()
