"""``rftheory check`` on the command line: verdicts as exit codes, reports as files, and errors in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rftheory.cli import main

pytestmark = pytest.mark.usefixtures("end_after")

Captured = pytest.CaptureFixture[str]
DEFECTS = "benchmarks.planted.defects"


def test_a_defect_ends_with_code_1_and_its_name(capsys: Captured, tmp_path: Path) -> None:
    page, data = tmp_path / "report.html", tmp_path / "report.json"
    arguments = ["--as", "orthogonal", "--arg", "d=8", "--arg", "m=64"]
    arguments += ["--html", str(page), "--json", str(data)]
    assert main(["check", f"{DEFECTS}:qr_signs", *arguments]) == 1
    text = capsys.readouterr().out
    assert "defect: missing QR signs" in text
    assert "d = 8, m = 64" in text
    assert "missing QR signs" in page.read_text(encoding="utf-8")
    content = json.loads(data.read_text(encoding="utf-8"))
    assert [found["name"] for found in content["diagnoses"]] == ["qr-signs"]


def test_correct_code_ends_with_code_0(capsys: Captured) -> None:
    arguments = ["check", f"{DEFECTS}:positive", "--features", "positive", "--arg", "d=4", "--json"]
    assert main(arguments) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["decision"] == "agrees"
    assert content["declared"]["features"] == "positive"


def test_what_a_target_prints_does_not_get_into_the_report(
    capsys: Captured, tmp_path: Path, end_after: Callable[[int], None]
) -> None:
    end_after(64)
    path = tmp_path / "chatty.py"
    path.write_text(
        "import numpy as np\nprint('hello')\n\n\ndef rows(m, d, seed):\n"
        "    return np.random.default_rng(seed).standard_normal((m, d))\n",
        encoding="utf-8",
    )
    main(["check", f"{path}:rows", "--as", "iid", "--arg", "d=2", "--json", "-"])
    captured = capsys.readouterr()
    assert json.loads(captured.out)["calls"] == 64
    assert "hello" in captured.err


def test_too_few_draws_end_with_code_2(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "draws.npy"
    np.save(path, np.random.default_rng(1).standard_normal((10, 8, 4)))
    assert main(["check", str(path), "--as", "iid", "--full"]) == 2
    assert "undecided" in capsys.readouterr().out


def test_a_mechanism_of_ones_own(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    assert main(["check", "--new", str(path)]) == 0
    path.write_text(
        path.read_text(encoding="utf-8").replace("sp.exp(4 * xy)", "sp.exp(3 * xy)"), encoding="utf-8"
    )
    assert main(["check", str(path)]) == 1
    assert "claimed variance" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["check: needs a target or --new FILE"]),
        (["no_such_module:f"], ["no_such_module", "can be imported"]),
        ([f"{DEFECTS}:qr_signs", "--as", "orthogonl"], ["did you mean 'orthogonal'"]),
        ([f"{DEFECTS}:qr_signs", "--arg", "d"], ["--arg: needs NAME=VALUE, got 'd'"]),
        ([f"{DEFECTS}:qr_signs", "--arg", "dims=3"], ["an argument of", "it takes m, d, seed"]),
        (
            [f"{DEFECTS}:qr_signs", "--arg", "d=8", "--arg", "d=9"],
            ["--arg: needs one value for d, got [8, 9]"],
        ),
        ([f"{DEFECTS}:qr_signs", "--seconds", "0"], ["--seconds: needs a positive number of seconds"]),
        ([f"{DEFECTS}:qr_signs", "--html", "no/where.html"], ["--html: needs a file that can be written"]),
        (["a:b", "--new", "c.py"], ["--new: needs no target at the same time"]),
        (["--new", "c.txt"], ["ends with .py"]),
    ],
)
def test_misuse_of_check(capsys: Captured, arguments: list[str], words: list[str]) -> None:
    assert main(["check", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("rftheory: ")
    assert printed.err.count("\n") == 1
    for word in words:
        assert word in printed.err


# ---- exit codes say one thing each -------------------------------------------------------------------------


@pytest.mark.parametrize("error", [KeyError("angle"), MemoryError(), GeneratorExit()])
def test_an_internal_error_is_no_defect(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("rftheory.check.check", broken)
    assert main(["check", f"{DEFECTS}:orthogonal"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "out of memory" in printed.err or f"a bug in rftheory: {type(error).__name__}" in printed.err


@pytest.mark.parametrize("raised", ["MemoryError()", "KeyError('d')", "SystemExit(1)", "Stop('now')"])
def test_a_target_that_fails_is_no_defect(capsys: Captured, tmp_path: Path, raised: str) -> None:
    path = tmp_path / "failing.py"
    text = f"class Stop(BaseException):\n    pass\n\n\ndef rows(m, d, seed):\n    raise {raised}\n"
    path.write_text(text, encoding="utf-8")
    assert main(["check", f"{path}:rows", "--as", "iid"]) == 2
    assert raised.partition("(")[0] in capsys.readouterr().err


def test_a_run_that_is_ended_is_no_failure_of_the_target(tmp_path: Path) -> None:
    path = tmp_path / "waiting.py"
    text = "import os, signal\n\n\ndef rows(m, d, seed):\n    os.kill(os.getpid(), signal.SIGTERM)\n"
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "rftheory", "check", f"{path}:rows", "--as", "iid"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "ended by signal" in result.stderr
    assert "SamplerFailed" not in result.stderr


def test_a_reader_that_stops_changes_neither_verdict_nor_reports(tmp_path: Path) -> None:
    page, data = tmp_path / "report.html", tmp_path / "report.json"
    reader, writer = os.pipe()
    os.close(reader)  # as `| head -1` does
    command = [
        sys.executable,
        "-m",
        "rftheory",
        "check",
        f"{DEFECTS}:same_draw",
        "--as",
        "iid",
        "--arg",
        "d=4",
    ]
    command += ["--html", str(page), "--json", str(data)]
    result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert result.returncode == 1, result.stderr
    assert set(result.stderr.splitlines()) == {f"wrote {page}", f"wrote {data}"}
    assert json.loads(data.read_text(encoding="utf-8"))["exit_code"] == 1
    text = page.read_text(encoding="utf-8")
    assert text.rstrip().endswith("</html>")
    assert text.count("<svg") == text.count("</svg>") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.html", "report.json"]


def test_a_run_that_fails_leaves_no_empty_report(capsys: Captured, tmp_path: Path) -> None:
    data = tmp_path / "report.json"
    assert main(["check", "no_such_module:f", "--json", str(data)]) == 2
    assert not data.exists()
    data.write_text("of an earlier run", encoding="utf-8")
    assert main(["check", "no_such_module:f", "--json", str(data)]) == 2
    assert data.read_text(encoding="utf-8") == "of an earlier run"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_named_with_its_file(capsys: Captured, tmp_path: Path) -> None:
    np.save(tmp_path / "draws.npy", np.random.default_rng(0).standard_normal((64, 8, 4)))
    assert main(["check", str(tmp_path / "draws.npy"), "--as", "iid", "--json", "/dev/full"]) == 2
    assert capsys.readouterr().err == "rftheory: /dev/full: No space left on device\n"
