"""Reports: the table, JSON, JUnit and exit codes, for verdicts that are and are not the recorded ones."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from importlib import import_module
from pathlib import Path

import pytest

from rftheory import __version__
from rftheory.author import d, exp, limit, m, mse, oo, positive, simplex, v
from rftheory.judge import Cover, Decision, Evidence, Kind, Verdict, conclude
from rftheory.papers import Catalogue, Claim
from rftheory.papers.claim import stated
from rftheory.report import Report, Result
from rftheory.report.explain import explain
from rftheory.report.run import SCHEMA

HOLDS, FAILS, UNDECIDED = Decision
NONE = Catalogue([])


def result(
    got: Decision,
    recorded: Decision,
    *,
    name: str = "paper.thm1",
    control: bool | None = True,
    covers: str = "domain",
) -> Result:
    """A claim with one piece of certified evidence."""
    differs = "the factor 2 is missing" if recorded is FAILS else ""
    claim = Claim(name, "Paper, Theorem 1", r"$a<b$ & $\rho$", "d >= 2", (), recorded, differs)
    piece = Evidence(Kind.CERTIFIED, got, 'seen at "d = 2" <&>', control=control, seconds=1.5, covers=covers)
    return Result(claim, conclude([piece], claim=name))


def report(*results: Result) -> Report:
    return Report(results, {"seed": 0, "effort": 1.0})


CASES = [
    ([(HOLDS, HOLDS)], 0),
    ([(FAILS, FAILS)], 0),  # a false statement refuted is a success
    ([(UNDECIDED, UNDECIDED)], 0),
    ([(HOLDS, FAILS)], 1),
    ([(FAILS, HOLDS)], 1),
    ([(UNDECIDED, HOLDS)], 2),
    ([(UNDECIDED, FAILS)], 2),
    ([(UNDECIDED, HOLDS), (FAILS, HOLDS)], 1),
    ([(HOLDS, HOLDS), (UNDECIDED, HOLDS)], 2),
    ([(HOLDS, HOLDS), (FAILS, FAILS)], 0),
]


@pytest.mark.parametrize(("verdicts", "code"), CASES)
def test_exit_codes(verdicts: list[tuple[Decision, Decision]], code: int) -> None:
    found = report(*(result(*pair, name=f"paper.thm{i}") for i, pair in enumerate(verdicts)))
    assert found.exit_code == code
    assert found.to_dict()["exit_code"] == code
    suite = ET.fromstring(found.to_junit())
    assert (suite.get("failures") == "0") == (code == 0)


def test_a_planted_error_that_is_missed_leaves_the_claim_undecided() -> None:
    missed = result(HOLDS, HOLDS, control=False)
    assert report(missed).exit_code == 2
    assert missed.controls == "0/1"
    assert result(HOLDS, HOLDS, control=None).controls == ""


def test_the_table_names_verdict_evidence_and_difference() -> None:
    text = report(result(HOLDS, HOLDS), result(FAILS, FAILS, name="paper.thm2")).text()
    head, rule, first, second, blank, summary = text.splitlines()
    assert head.split()[:5] == ["claim", "verdict", "grade", "evidence", "controls"]
    assert set(rule) == {"-"}
    assert first.split() == ["paper.thm1", "holds", "certified", "certified", "1/1"]
    assert second.split(maxsplit=5)[2:] == ["certified", "certified", "1/1", "the factor 2 is missing"]
    assert blank == ""
    assert summary == (
        "2 claims: 1 holds (1 certified), 1 fails (1 certified); all as recorded; "
        "of 2 decided over infinite domains, 2 (100.0%) are proved or certified; 3 s of checking"
    )


COMPUTED, POINTS = "cases: the numbers of a table", "points"
KINDS = {
    "a real interval": (stated("n.a", "ours", exp(v) >= 1, (v <= 1,)), HOLDS, "domain", "certified"),
    "unbounded integers": (stated("n.b", "ours", m**2 >= m), HOLDS, "domain", "certified"),
    "every dimension": (stated("n.c", "ours", limit(1 / d, d, oo) == 0), HOLDS, "domain", "certified"),
    "every dimension, computed in some": (stated("n.d", "ours", 2**d > d), HOLDS, COMPUTED, "computed"),
    "every dimension, refuted in one": (
        stated("n.e", "ours", d**2 > d, (d >= 1,)),
        FAILS,
        POINTS,
        "certified",
    ),
    "words without an object": (Claim("n.f", "ours", "all", "", ()), HOLDS, "domain", "certified"),
    "words without an object, refuted": (Claim("n.g", "ours", "all", "", ()), FAILS, POINTS, "certified"),
    "integers between two ends": (stated("n.h", "ours", 2**d > d, (d <= 8,)), HOLDS, "domain", ""),
    "integers that a relation bounds": (
        stated("n.i", "ours", m < d + 1, (d <= 8, m <= d)),
        HOLDS,
        "domain",
        "",
    ),
    "a number": (
        stated("n.j", "ours", mse(positive(simplex, m=2)).at(d=3, v=1, z=0) > 0),
        HOLDS,
        "domain",
        "",
    ),
    "a number, refuted": (
        stated("n.k", "ours", mse(positive(simplex, m=2)).at(d=3, v=1, z=0) < 0),
        FAILS,
        POINTS,
        "",
    ),
    "a table": (Claim("n.l", "ours", "rows", "", (), finite=True), HOLDS, COMPUTED, ""),
    "a table, refuted": (Claim("n.m", "ours", "rows", "", (), finite=True), FAILS, COMPUTED, ""),
    "not decided": (stated("n.n", "ours", 2**d > d), UNDECIDED, "domain", ""),
}
"""A claim of each kind, what is found of it and the covering, and the grade under which it is counted, if it is."""


@pytest.mark.parametrize("kind", KINDS)
def test_what_counts_as_decided_over_an_infinite_domain(kind: str) -> None:
    claim, got, covers, grade = KINDS[kind]
    found = report(
        Result(claim, conclude([Evidence(Kind.CERTIFIED, got, "seen", covers=covers)], claim=claim.id))
    )
    assert found.unbounded == found.to_dict()["unbounded"] == ({grade: [claim.id]} if grade else {})


def test_what_takes_a_theorem_for_granted_is_not_firm() -> None:
    """Neither beside enclosures nor in the same piece of evidence; what is computed weighs more."""
    claim = Claim("n.a", "ours", "all", "", ())
    boxes = Evidence(Kind.CERTIFIED, HOLDS, "boxes", covers="domain")
    theorem = Evidence(Kind.DERIVED, HOLDS, "Rolle", assumes=("Rolle's theorem",))
    both = Evidence(Kind.CERTIFIED, HOLDS, "boxes", covers="domain", assumes=("Rolle's theorem",))
    some = Evidence(Kind.CERTIFIED, HOLDS, "some", covers=COMPUTED)
    for pieces, grade in (
        ([boxes], "certified"), ([boxes, theorem], "cited"), ([both], "cited"), ([theorem, some], "computed"),
    ):  # fmt: skip
        assert list(report(Result(claim, conclude(pieces, claim="n.a"))).unbounded) == [grade]


def test_the_table_shows_what_is_not_as_recorded() -> None:
    text = report(result(UNDECIDED, HOLDS), result(HOLDS, FAILS, name="paper.thm2")).text(200)
    assert "undecided (recorded: holds)" in text
    assert "holds (recorded: fails)" in text
    assert 'certified: seen at "d = 2" <&>' in text
    assert "not as recorded: paper.thm1, paper.thm2" in text


@pytest.mark.parametrize("width", [60, 100, 160])
def test_long_remarks_are_wrapped_in_their_column(width: int) -> None:
    long = result(FAILS, FAILS)
    object.__setattr__(long.claim, "differs", "word " * 100)
    lines = report(long).text(width).splitlines()[:-2]
    assert sum(line.count("word") for line in lines) == 100
    body = 1 + next(number for number, line in enumerate(lines) if set(line) == {"-"})
    start = lines[body].index("word")
    assert all(line[:start].strip() == "" for line in lines[body + 1 :])
    assert max(map(len, lines)) <= max(width, start + 24)


def test_json_can_be_read_back() -> None:
    found = report(result(HOLDS, HOLDS), result(UNDECIDED, FAILS, name="paper.thm2"))
    content = json.loads(found.to_json())
    assert content == found.to_dict()
    assert (
        (content["schema"], content["version"]) == (SCHEMA, __version__) == ("rftheory.report/2", __version__)
    )
    assert content["settings"] == {"seed": 0, "effort": 1.0}
    assert [c["as_recorded"] for c in content["claims"]] == [True, False]
    for entry, one in zip(content["claims"], found.results, strict=True):
        assert Verdict.from_dict(entry["verdict"]) == one.verdict
        assert (entry["id"], entry["statement"]) == (one.claim.id, one.claim.statement)


def test_junit_is_well_formed() -> None:
    found = report(result(HOLDS, HOLDS), result(FAILS, HOLDS, name="paper.thm2"))
    text = found.to_junit()
    assert text.startswith("<?xml")
    suite = ET.fromstring(text)
    assert (suite.tag, suite.get("tests"), suite.get("failures"), suite.get("time")) == (
        "testsuite",
        "2",
        "1",
        "3.00",
    )
    good, bad = suite
    assert (good.get("classname"), good.get("name"), len(good)) == ("paper", "paper.thm1", 1)
    assert {p.get("name"): p.get("value") for p in good[0]} == {"verdict": "holds", "grade": "certified"}
    _, failure = bad
    assert failure.get("message") == "recorded holds, got fails"
    assert failure.text == 'certified: seen at "d = 2" <&>'


def test_the_ending_of_the_file_chooses_the_format(tmp_path: Path) -> None:
    found = report(result(HOLDS, HOLDS))
    found.write(tmp_path / "report.json")
    found.write(str(tmp_path / "report.xml"))
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8")) == found.to_dict()
    assert (tmp_path / "report.xml").read_text(encoding="utf-8") == found.to_junit()


def test_a_claim_is_explained_in_words() -> None:
    for control, words in (
        (True, "planted error refuted"),
        (False, "PLANTED ERROR NOT REFUTED"),
        (None, "no planted error"),
    ):
        text = explain(result(FAILS, FAILS, control=control), NONE)
        assert f"[{words}, 1.5 s]" in text
        assert "differs     the factor 2 is missing" in text
        assert "source      Paper, Theorem 1" in text
    assert "paper.thm1: holds, certified (recorded: fails)" in explain(result(HOLDS, FAILS), NONE)
    assert "[over: the stated domain]" in explain(result(HOLDS, HOLDS), NONE)


def graded(*pieces: Evidence, left_out: tuple[Cover, ...] = ()) -> Result:
    claim = Claim("paper.thm1", "Paper, Theorem 1", "$a<b$", "d >= 2", ())
    return Result(claim, conclude(pieces, claim=claim.id, left_out=left_out))


CITED = Evidence(Kind.DERIVED, HOLDS, "4 steps", assumes=("Robbins' bound",))
POINTS = Evidence(Kind.CERTIFIED, HOLDS, "at 3 points")
TABLE = Evidence(Kind.CERTIFIED, HOLDS, "all columns", covers="cases: the columns of Table 2")


def test_grades_are_shown_and_counted_everywhere() -> None:
    found = report(graded(CITED), graded(TABLE), graded(POINTS), graded())
    assert found.grades == {"holds": {"cited": 1, "computed": 1}, "undecided": {"supported": 1, "": 1}}
    said = "4 claims: 2 hold (1 cited, 1 computed), 2 undecided (1 supported)"
    assert found.summary().startswith(said)
    assert said in found.to_markdown()
    assert "| `paper.thm1` | holds | cited | derived |" in found.to_markdown()
    assert json.loads(found.to_json())["grades"] == found.grades
    assert [c["verdict"]["grade"] for c in found.to_dict()["claims"]] == [
        "cited",
        "computed",
        "supported",
        None,
    ]
    shown = [case.find("properties")[1].get("value") for case in ET.fromstring(found.to_junit())]  # type: ignore[index]
    assert shown == ["cited", "computed", "supported", "-"]


def test_what_is_taken_as_known_and_what_is_covered_is_explained() -> None:
    text = explain(graded(CITED), NONE)
    assert "paper.thm1: holds, cited" in text
    assert "known       taken from textbooks: Robbins' bound" in text
    assert "[over: the columns of Table 2]" in explain(graded(TABLE), NONE)
    assert "[over: points, or draws, alone]" in explain(graded(POINTS), NONE)
    assert "undecided, supported (recorded: holds)" in explain(graded(POINTS), NONE)


def test_support_is_as_recorded_only_where_evidence_was_left_out() -> None:
    assert not graded(POINTS).as_recorded
    partial = graded(POINTS, left_out=(Cover.DOMAIN,))
    assert partial.as_recorded
    assert "1 piece of evidence was not requested" in explain(partial, NONE)
    assert report(partial).exit_code == 0
    missed = Evidence(Kind.CERTIFIED, HOLDS, "at 3 points", control=False)
    assert not graded(missed, left_out=(Cover.DOMAIN,)).as_recorded


def test_names_that_are_loaded_when_first_asked_for_are_listed() -> None:
    assert {"Report", "Result"} <= set(dir(import_module("rftheory.report")))
