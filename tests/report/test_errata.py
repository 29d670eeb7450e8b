"""What is wrong in the sources, as a list that can be sent: its grades are those of the checks that were made."""

from __future__ import annotations

from rftheory.papers import CATALOGUE
from rftheory.report.errata import Outcome, errata_of


def test_what_a_run_without_slow_checks_leaves_open_has_no_grade_of_its_own() -> None:
    """Theorem 3.4 is proved by slow checks; without them it was called supported, though it is recorded as holding."""
    claims = CATALOGUE.select("simplex")
    grades = {}
    for holds, grade in ((False, "supported"), (True, "proved")):
        found = errata_of(claims, {"simplex.thm3.4": Outcome(grade=grade, holds=holds)}, CATALOGUE)
        grades[grade] = {one.right_grade for one in found if one.right_id == "simplex.thm3.4"}
    assert grades == {"supported": {"its slow checks were left out"}, "proved": {"proved"}}
