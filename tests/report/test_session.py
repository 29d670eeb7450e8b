"""A session on a device, from end to end on a stand-in: order, limits, what is stored, and going on after a break."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from rftheory.errors import InvalidInput
from rftheory.papers import CATALOGUE
from rftheory.report.judging import Settings, judge_all
from rftheory.report.session import PARTS, Part, outcome, session
from rftheory.report.session_parts import RUNS, _smi, left_open
from tests.gpu_stand_in import COMPILER, NAME

STAND_IN = (sys.executable, "-m", "tests.gpu_stand_in")
NAMES = [part.name for part in PARTS]


def launcher(code: str) -> tuple[str, ...]:
    """A program in place of the package; the name of the part is the third argument."""
    return (sys.executable, "-c", f"import sys, json, time; part = sys.argv[3]\n{code}")


AGREES = launcher('print(json.dumps({"outcome": "agrees", "says": part}))')


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler is installed")
def test_all_parts_run_on_the_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, lines = tmp_path / "gpu.json", list[str]()
    patient = tuple(replace(part, seconds=3600) for part in PARTS)  # a busy machine is no finding
    monkeypatch.setattr("rftheory.report.session.PARTS", patient)
    report = session(out, launcher=STAND_IN, say=lines.append, seconds=3600)
    assert json.loads(out.read_text()) == report
    assert list(report["parts"]) == NAMES
    assert report["parts"]["device"]["name"] == NAME
    found = {name: part["outcome"] for name, part in report["parts"].items()}
    assert found == dict.fromkeys(NAMES, "agrees"), lines
    assert any(
        NAME in how for how in report["parts"]["verdicts"]["drawn"]
    )  # quantities of statements: on the CPU
    assert len(report["parts"]["benchmark"]["features_per_second"]) == 3
    again = session(out, launcher=launcher("raise SystemExit(3)"), say=lines.append)
    assert again == report


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler is installed")
def test_the_command_on_the_stand_in_runs_its_parts_there(tmp_path: Path) -> None:
    out = tmp_path / "gpu.json"
    command = [*STAND_IN, "doctor", "--gpu", "--parts", "device", "--out", str(out)]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    assert said.startswith("device: agrees"), said
    assert json.loads(out.read_text())["parts"]["device"]["name"] == NAME


def test_clocks_are_those_of_the_device_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver's tool lists all devices, also those that this process does not see."""

    def run(command: list[str], **how: object) -> SimpleNamespace:
        of_the_second = "--id=0000:02:00.0" in command
        return SimpleNamespace(stdout="second, 580\n" if of_the_second else "first, 580\nsecond, 580\n")

    monkeypatch.setattr(subprocess, "run", run)
    assert _smi("0000:02:00.0") == {"name": "second", "driver_version": "580"}
    monkeypatch.setattr(subprocess, "run", lambda command, **how: SimpleNamespace(stdout=""))
    assert _smi("0000:02:00.0") == {}


def test_every_part_has_a_run() -> None:
    assert list(RUNS) == NAMES
    assert sum(part.seconds for part in PARTS if part.name in ("device", "kernels", "draws")) <= 200


def test_only_files_with_tests_of_a_device_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be read there would end the run, and the warnings of other versions are no failures."""
    commands: list[list[str]] = []

    def run(command: list[str], **how: object) -> SimpleNamespace:
        commands.append(command)
        return SimpleNamespace(returncode=0, stdout="9 passed in 1s", stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    assert RUNS["tests"](Path("unused.json"))["outcome"] == "agrees"
    files = {word for word in commands[0] if word.endswith(".py")}
    assert "tests/sample/test_device.py" in files
    assert all("mark.gpu" in Path(file).read_text() for file in files)
    assert commands[0][commands[0].index("-W") :][:2] == ["-W", "default"]
    assert "-n" in commands[0]  # the tools of the tests have pytest-xdist


def test_false_claims_that_draws_cannot_refute_are_left_open() -> None:
    """A claim that should hold is not left open: too few draws to notice the planted error, say, are a difference."""
    few = Settings(kinds=("sampled",), backend="numpy", effort=1e-6)
    claims = [CATALOGUE.claims[name] for name in ("chefs.mech.ort/fixed-norm", "simplex.mech.rff")]
    results = judge_all(claims, few)
    assert not any(result.as_recorded for result in results)
    assert [left_open(result) for result in results] == [True, False]


@pytest.mark.parametrize("error", [0.5, 7.0, float("nan")])
def test_a_fast_benchmark_with_wrong_means_differs(error: float, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"accurate": 1e11, "fast": 1e11}
    row |= {f"{name}, mean error in standard errors": error for name in row}
    found = SimpleNamespace(measured=lambda blocks, few: {"features_per_second": [row], "variants": []})
    monkeypatch.setattr("rftheory.report.session_parts.importlib.import_module", lambda name: found)
    expected = "agrees" if error < 6 else "differs"
    assert RUNS["benchmark"](Path("unused.json"))["outcome"] == expected


def test_an_interrupted_session_goes_on(tmp_path: Path) -> None:
    """Parts that broke, or were not reached, are run again; those that are done are kept."""
    out, lines = tmp_path / "gpu.json", list[str]()
    breaks = launcher(
        'if part == "draws": raise SystemExit("broke")\nprint(json.dumps({"outcome": "agrees", "says": part}))'
    )
    first = session(out, launcher=breaks, say=lines.append)
    assert first["left"] == ["draws"]
    assert "broke" in first["parts"]["draws"]["reason"]
    assert outcome(first) == 2
    lines.clear()
    second = session(out, launcher=AGREES, say=lines.append)
    assert second["left"] == []
    assert [line.split(":")[0] for line in lines] == ["draws"]
    assert outcome(second) == 0


def test_another_device_begins_anew(tmp_path: Path) -> None:
    """One that does not answer leaves the report of the first as it is."""
    out = tmp_path / "gpu.json"
    on = {name: launcher(f'''if part == {broken!r}: raise SystemExit("broke")
print(json.dumps({{"outcome": "agrees", "says": part, "name": {name!r}}}))''')
          for name, broken in (("first", "draws"), ("second", "nothing"), ("none", "device"))}  # fmt: skip
    first = session(out, launcher=on["first"], say=lambda line: None)
    assert list(session(out, launcher=on["none"], say=lambda line: None)["parts"]) == ["device"]
    assert json.loads(out.read_text()) == first
    second = session(out, launcher=on["second"], say=lambda line: None)
    assert {part["name"] for part in second["parts"].values()} == {"second"}


def test_no_device_ends_it(tmp_path: Path) -> None:
    none = launcher('print(json.dumps({"outcome": "broken", "reason": "no device"}))')
    report = session(tmp_path / "gpu.json", launcher=none, say=lambda line: None)
    assert list(report["parts"]) == ["device"]
    assert outcome(report) == 2
    assert not (tmp_path / "gpu.json").exists()


def test_a_part_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rftheory.report.session.PARTS", (Part("device", "sleeps", 1.5),))
    sleeps = launcher("print('half', flush=True)\ntime.sleep(60)")
    report = session(tmp_path / "gpu.json", launcher=sleeps, say=lambda line: None)
    assert report["parts"]["device"]["outcome"] == "not finished"
    assert report["parts"]["device"]["printed"] == "half\n"


def test_other_sources_begin_anew(tmp_path: Path) -> None:
    out = tmp_path / "gpu.json"
    report = session(out, launcher=AGREES, say=lambda line: None)
    out.write_text(json.dumps({**report, "sources": "others"}))
    assert session(out, seconds=0, say=lambda line: None)["parts"] == {}


@pytest.mark.parametrize("content", ["no JSON", "[]", '{"schema": "another"}'])
def test_other_files_are_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "gpu.json").write_text(content)
    with pytest.raises(InvalidInput, match="--out"):
        session(tmp_path / "gpu.json", launcher=AGREES)


def test_unknown_parts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--parts"):
        session(tmp_path / "gpu.json", parts=["speed"])


def test_a_difference_is_told() -> None:
    assert outcome({"parts": {"draws": {"outcome": "differs"}}, "left": []}) == 1
