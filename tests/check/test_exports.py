"""What continuous integration reads: JUnit, SARIF, annotations, a badge; and the workflow of the documentation."""

from __future__ import annotations

import datetime
import json
import math
import re
import shlex
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks.planted.defects import independent, qr_signs
from rftheory import __version__
from rftheory.check import Report, check
from rftheory.check.consequences import Consequence
from rftheory.check.exports import badge, github, junit, sarif
from rftheory.cli import main, parser

pytestmark = pytest.mark.usefixtures("end_after")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def wrong() -> Report:
    return check(qr_signs, coupling="orthogonal", d=4, intervals=False)


@pytest.fixture
def right() -> Report:
    return check(independent, coupling="iid", d=4, m=32, intervals=False)


def test_junit_has_a_case_for_every_property(wrong: Report, right: Report) -> None:
    suite = ElementTree.fromstring(junit(wrong))
    assert suite.get("tests") == "8"
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert len(failed) == int(suite.get("failures", "0")) > 0
    assert "missing QR signs" in str(suite.find("./testcase/failure").get("message"))  # type: ignore[union-attr]
    assert ElementTree.fromstring(junit(right)).get("failures") == "0"


def test_exports_survive_numbers_that_are_not_finite_and_characters_that_xml_has_not(wrong: Report) -> None:
    [first, *_] = wrong.findings
    odd = replace(
        wrong, target="\x1b[31mmine\x00", findings=(replace(first, effect=math.inf, detectable=math.nan),),
        diagnoses=(replace(wrong.diagnoses[0], evidence={"gap": math.inf, "rows": (1, np.float32("nan"))}),),
        consequences=(Consequence("mean of K^", "x = y", math.inf, (0.0, math.inf)),),
    )  # fmt: skip
    content = json.loads(odd.to_json())
    assert content["consequences"][0]["effect"] == content["findings"][0]["effect"] == "inf"
    assert content["diagnoses"][0]["evidence"] == {"gap": "inf", "rows": [1, "nan"]}
    assert "mine" in str(ElementTree.fromstring(junit(odd))[0].get("classname"))
    assert "mine" in odd.to_html()


def test_sarif_has_a_result_for_every_defect(wrong: Report, right: Report) -> None:
    log = json.loads(sarif(wrong))
    assert log["version"] == "2.1.0"
    run = log["runs"][0]
    assert (
        [r["ruleId"] for r in run["results"]]
        == ["qr-signs"]
        == [r["id"] for r in run["tool"]["driver"]["rules"]]
    )
    assert json.loads(sarif(right))["runs"][0]["results"] == []


def test_annotations_point_at_the_definition(wrong: Report, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import numpy\n\n\ndef weights(m, d):\n    pass\n")
    for name, line in (("weights", 4), ("elsewhere", 1)):
        placed = replace(wrong, target=f"{file}:{name}")
        assert f"file={file},line={line},title" in github(placed)
        (found,) = json.loads(sarif(placed))["runs"][0]["results"]
        assert found["locations"][0]["physicalLocation"]["region"] == {"startLine": line}


def test_annotations_are_one_line_each(wrong: Report, right: Report) -> None:
    line = github(wrong)
    assert line.startswith("::error title=rftheory check%3A missing QR signs::")
    assert "\n" not in line
    assert "%" not in re.sub("%(25|3A|0A|0D)", "", line)
    assert github(right).startswith("::notice ")
    named = replace(wrong, diagnoses=(replace(wrong.diagnoses[0], name="missing-offset"),))
    assert "factor of |x|%2C such as" in github(named)  # a comma would end the title


def test_the_badge_has_version_and_date(right: Report) -> None:
    assert (
        badge(right, datetime.date(2026, 2, 3))
        == f"random features: agrees by rftheory {__version__} on 2026-02-03"
    )


def test_the_command_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("check.xml", "check.sarif", "badge.txt")
    junit_file, sarif_file, badge_file = (tmp_path / name for name in names)
    arguments = ["benchmarks.planted.defects:qr_signs", "--as", "orthogonal", "--arg", "d=4", "--github"]
    arguments += ["--junit", str(junit_file), "--sarif", str(sarif_file), "--badge", str(badge_file)]
    assert main(["check", *arguments]) == 1
    assert "::error " in capsys.readouterr().out
    assert ElementTree.parse(junit_file).getroot().tag == "testsuite"
    assert json.loads(sarif_file.read_text(encoding="utf-8"))["runs"]
    assert badge_file.read_text(encoding="utf-8").startswith("random features: refuted by rftheory")


def test_the_commands_of_the_documentation_exist() -> None:
    text = (ROOT / "docs" / "check_in_ci.md").read_text(encoding="utf-8")
    commands = re.findall(r"run: rftheory (check .*)", text)
    assert commands
    for command in commands:
        words = shlex.split(command)
        assert parser(words).parse_args(words).target == "my_package.sampling:weights"
    options = {
        word for cell in re.findall(r"`(--[^`]*)`", text) for word in cell.split() if word.startswith("--")
    }
    given = ["check", "a:b", "--goal", "0.02", "--seconds", "600", "--html", "f"]
    assert parser(given).parse_args(given)
    known = re.findall(r"--[a-z-]+", (ROOT / "rftheory" / "cli" / "check.py").read_text(encoding="utf-8"))
    assert options <= set(known)
