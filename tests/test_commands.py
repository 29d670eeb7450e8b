"""The command as a process: what it leaves behind when pipes close, disks are full, time is over, or it is killed."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sympy
from flint import arb

import rftheory
import rftheory.statement.atoms
from rftheory import author, statement
from rftheory.check.mechanism import _expression as symbolic_claim
from rftheory.cli import codes, exact, main
from rftheory.cli.process import GRACE
from rftheory.cli.progress import Progress
from rftheory.errors import InvalidInput
from rftheory.exact.search import Smooth

FOLDER = Path(rftheory.__file__).resolve().parent.parent
CLAIM = ("verify", "--claim", "simplex.def3.1/m=1", "--jobs", "1", "--quick")
SLOW = ("eval", "mean_log_gain", "d=64", "sigma=1", "offset=64", "--digits", "200")
Captured = pytest.CaptureFixture[str]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "rftheory", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(FOLDER)}


def run(*arguments: str, code: int, **options: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, env=environment(), **options  # type: ignore[call-overload]
    )  # fmt: skip
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    return done  # type: ignore[no-any-return]


# ---- whole reports -------------------------------------------------------------------------------------------------


def test_a_closed_pipe_leaves_a_whole_report_and_is_no_verdict(tmp_path: Path) -> None:
    report = tmp_path / "v.json"
    done = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" --json "$0" | true', str(report), *command(*CLAIM)],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert json.loads(report.read_text(encoding="utf-8"))["claims"]
    # `true` may end before or after the few lines are written: then they went into the pipe
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr


def test_nobody_reads_what_is_printed() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as pipe:
        done = subprocess.run(
            command("eval", "--list"), stdout=pipe, stderr=subprocess.PIPE, env=environment()
        )
    assert done.returncode == 2
    assert b"Exception ignored" not in done.stderr


def test_a_note_beside_a_file_random_py_is_judged(tmp_path: Path) -> None:
    """The processes that judge ended in that file; as from the installed command, the folder is no place of modules."""
    said = 'note("Beside")', 'statement("one", "eq. (1)", exp(v) >= 1, over=v >= 0)'
    note = "\n".join(["from rftheory.author import exp, note, statement, v", *said])
    here, script = tmp_path / "here", tmp_path / "script.py"
    here.mkdir()
    (here / "random.py").write_text("raise SystemExit('another random')", encoding="utf-8")
    (here / "beside.py").write_text(note, encoding="utf-8")
    script.write_text(
        "from rftheory.cli import main\nif __name__ == '__main__':\n    raise SystemExit(main())\n"
    )
    for jobs in ("1", "2"):
        done = subprocess.run(
            [sys.executable, str(script), "verify", "beside.py", "--jobs", jobs],
            env=environment(), cwd=here, capture_output=True, text=True,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert "1 statement: 1 holds" in done.stdout


@pytest.mark.parametrize("closing", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_no_verdict(closing: str) -> None:
    """With exit code 1, that of a traceback, a run without standard error was a defect found."""
    called = [*command("eval", "iid_conformity", "d=3", "v=1/2")]
    done = subprocess.run(
        ["bash", "-c", f'"$@" {closing}', "bash", *called], env=environment(), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_no_verdict(capsys: Captured) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("eval", "iid_conformity", "d=3", "v=1/2"),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
        )
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert main([*CLAIM, "--json", "/dev/full"]) == 2
    assert CLAIM[2] in capsys.readouterr().out, "what was judged is lost with the report"
    assert main([*CLAIM, "--record", "/dev/full"]) == 2
    assert "an ordinary file" in capsys.readouterr().err


def test_a_report_that_cannot_be_written_keeps_the_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    report = tmp_path / "v.json"
    report.write_text("older", encoding="utf-8")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert main([*CLAIM, "--json", str(report)]) == 2
    assert report.read_text(encoding="utf-8") == "older"
    assert list(tmp_path.iterdir()) == [report]
    printed = capsys.readouterr()
    assert CLAIM[2] in printed.out, "what was judged is lost with the report"
    assert "No space left" in printed.err


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
def test_a_record_that_does_not_fit_is_named_and_resumed(tmp_path: Path) -> None:
    record, whole = tmp_path / "run.jsonl", ["verify", "simplex.cor3.3", "--jobs", "1", "--quick"]
    called = command(*whole, "--record", str(record))
    limited = ["bash", "-c", 'ulimit -f 1; "$@"', "bash", *called]
    done = subprocess.run(limited, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"rftheory: {record}: File too large; the same command resumes\n"
    assert main([*whole, "--record", str(record)]) == 0


def test_links_are_followed_and_modes_kept(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("older", encoding="utf-8")
    file.chmod(0o600)
    link.symlink_to(file)
    codes.write_whole(str(link), "newer")
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == "newer"
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "options",
    [
        ("--json", "a", "--record", "a"),
        ("--json", "a", "--record", "./a"),
        ("--json", "a", "--junit", "a"),
        ("--markdown", "a", "--junit", "a"),
    ],
)
def test_one_file_for_two_things_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured, options: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*CLAIM, *options]) == 2
    assert "needs two files" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["a\0b", "/no/such/folder/report", "/proc/nothing"])
@pytest.mark.parametrize("option", ["--json", "--junit", "--markdown", "--record"])
def test_files_that_cannot_be_written_are_refused(capsys: Captured, option: str, path: str) -> None:
    assert main([*CLAIM, option, path]) == 2
    assert "Error" not in capsys.readouterr().err.split(":")[1]


# ---- nothing but a verdict looks like one --------------------------------------------------------------------------


def test_a_defect_of_ours_is_no_verdict(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    for defect in (RuntimeError("planted"), SystemExit(0), GeneratorExit(), MemoryError(), RecursionError()):

        def broken(options: object, defect: BaseException = defect) -> int:
            raise defect

        monkeypatch.setattr(exact, "_list_formulas", broken)
        monkeypatch.setattr(exact, "_eval", broken)
        assert main(["eval", "--list"]) == 2, defect
        assert capsys.readouterr().err.startswith("rftheory: ")


def test_code_that_ends_the_process_is_no_verdict(tmp_path: Path) -> None:
    target = tmp_path / "leaves.py"
    target.write_text("import os\ndef draw(d, m, seed):\n    os._exit(0)\n", encoding="utf-8")
    assert "before there was a verdict" in run("check", f"{target}:draw", "--as", "iid", code=2).stderr


def test_a_statement_that_ends_its_process_is_no_verdict(tmp_path: Path) -> None:
    note = tmp_path / "leaves.py"
    note.write_text(
        "import multiprocessing, os\n"
        "from rftheory.author import *\n"
        "note('leaves')\n"
        "if multiprocessing.parent_process() is not None: os._exit(0)\n"
        "statement('one', 'here', conformity('orthogonal') < exp(v**2), over=[v > 0, d >= 2])\n",
        encoding="utf-8",
    )
    assert "ended unexpectedly" in run("verify", str(note), code=2).stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_sampler_that_ends_its_process_loses_no_other_verdict(tmp_path: Path, jobs: str) -> None:
    """None was printed, and nothing of what had been found of its own statement."""
    note = tmp_path / "leaving.py"
    note.write_text(
        "import os\n"
        "from rftheory.author import *\n"
        "note('leaving')\n"
        "PAIRS = coupling('leaving-pairs', rows=[Rows(d), Rows(d, sign=-1)])\n"
        "@PAIRS.sampler\n"
        "def pairs(frame, norms, xp):\n"
        "    if len(frame) > 64: os._exit(0)\n"
        "    half = norms[..., None] * frame\n"
        "    return xp.concat((half, -half), axis=-2)\n"
        "statement('before', 'here', mean(positive(iid, m=m)) == gaussian)\n"
        "statement('drawn', 'here', mse(positive(PAIRS)) < mse(positive(orthogonal, m=2 * d)), over=(d >= 2, v > 0))\n"
        "statement('after', 'here', mean(positive(orthogonal, m=m)) == gaussian)\n",
        encoding="utf-8",
    )
    said = " ".join(run("verify", str(note), "--jobs", jobs, "--explain", code=2).stdout.split())
    for label in ("before holds (proved)", "drawn undecided", "after holds (proved)"):
        assert f"leaving.{label}" in said
    assert "certified holds: coefficients of v^2k" in said
    assert "the process that judged it ended unexpectedly; was it killed for memory?" in said


@pytest.mark.parametrize("limit", ["0", "60"])
def test_a_sampler_that_prints_or_exits_changes_neither_report_nor_exit_code(
    tmp_path: Path, limit: str
) -> None:
    note = tmp_path / "exiting.py"
    note.write_text(
        "import sys\n"
        "from rftheory.author import *\n"
        "note('exiting')\n"
        "PAIRS = coupling('exiting-pairs', rows=[Rows(d), Rows(d, sign=-1)])\n"
        "@PAIRS.sampler\n"
        "def pairs(frame, norms, xp):\n"
        "    print('drawn')\n"
        "    if len(frame) > 64: sys.exit(0)\n"
        "    half = norms[..., None] * frame\n"
        "    return xp.concat((half, -half), axis=-2)\n"
        "statement('holds', 'here', mse(positive(PAIRS)) < mse(positive(orthogonal, m=2 * d)), over=(d >= 2, v > 0))\n"
        "statement('fails', 'here', conformity(orthogonal) > exp(v**2))\n",
        encoding="utf-8",
    )
    done = run("verify", str(note), "--time-limit", limit, "--json", code=1)
    found = json.loads(done.stdout)
    assert [one["verdict"]["decision"] for one in found["statements"]] == ["holds", "fails"]
    (pairs,) = found["samplers"]
    ((where, failed),) = pairs["failed"]
    assert where == "exiting.holds"
    assert "SystemExit: 0" in failed


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "if multiprocessing.parent_process() is not None: raise ValueError('here')",
            "line 4: ValueError: here",
        ),
        ("print('read')", ""),
        ("label = str(os.getpid())", "whenever the note is read"),
    ],
)
def test_a_note_is_read_again_without_a_word(tmp_path: Path, line: str, said: str) -> None:
    note = tmp_path / "again.py"
    note.write_text(
        "import multiprocessing, os; label = 'one'\n"
        "from rftheory.author import *\n"
        "note('again')\n"
        f"{line}\n"
        "statement(label, 'here', mean(positive(iid, m=m)) == gaussian)\n",
        encoding="utf-8",
    )
    done = run("verify", str(note), "--json", code=2 if said else 0)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("read\n") == line.startswith("print")
    assert said or json.loads(done.stdout)["exit_code"] == 0


def test_a_killed_command_is_no_verdict() -> None:
    process = subprocess.Popen(
        command(*SLOW), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    child = the_child_of(process.pid)
    os.kill(child, signal.SIGKILL)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 2
    assert b"signal 9" in said


@pytest.mark.parametrize("recorded", [False, True])
def test_a_killed_run_with_a_record_says_that_it_resumes(tmp_path: Path, recorded: bool) -> None:
    options = ["--record", str(tmp_path / "run.jsonl")] if recorded else []
    process = subprocess.Popen(
        command("verify", "--jobs", "1", *options), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env=environment(),
    )  # fmt: skip
    os.kill(the_child_of(process.pid), signal.SIGKILL)
    _, said = process.communicate(timeout=30)
    assert said.endswith("(out of memory?)\n") != recorded
    assert said.endswith("(out of memory?); the same command resumes\n") == recorded


def test_a_command_that_is_told_to_end_ends_its_processes_and_says_no_more() -> None:
    arguments = ("verify", "--paper", "simplex", "--quick", "--jobs", "2")
    process = subprocess.Popen(
        command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment()
    )
    child = the_child_of(process.pid)
    end = time.monotonic() + 60
    while len(children_of(child)) < 3:  # two, and the one that keeps account of their semaphores
        assert time.monotonic() < end
        time.sleep(0.05)
    process.terminate()
    _, said = process.communicate(timeout=30)  # until all have closed it
    assert process.returncode == 2
    assert said == "rftheory: ended by signal 15 before there was a verdict\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_workers_of_a_note_end_without_a_word(tmp_path: Path, number: int) -> None:
    """A worker that had read the note when nobody asked any more ended with a traceback."""
    note = tmp_path / "late.py"
    note.write_text(
        "import multiprocessing, pathlib, time\n"
        "from rftheory.author import *\n"
        "note('late')\n"
        f"if multiprocessing.parent_process(): pathlib.Path({str(tmp_path / 'begun')!r}).touch(), time.sleep(2)\n"
        "statement('one', 'here', mean(positive(iid, m=m)) == gaussian)\n",
        encoding="utf-8",
    )
    process = subprocess.Popen(
        command("verify", str(note), "--jobs", "1"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env=environment(), preexec_fn=heeding_interrupts,
    )  # fmt: skip
    end = time.monotonic() + 60
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)  # until all have closed it
    assert "Traceback" not in said
    assert said.count("\n") == (number != signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_in_quick_succession_are_one(number: int) -> None:
    """A terminal and a supervisor both send one, and the second came while the first was being handled."""
    process = subprocess.Popen(
        [sys.executable, "-c", ENDS_SLOWLY], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
        preexec_fn=heeding_interrupts,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    end = time.monotonic() + 0.2
    while time.monotonic() < end:
        process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (7, b"")


ENDS_SLOWLY = """\
import sys, time
from rftheory.cli.process import watched

def command():
    try:
        print("begun", flush=True)
        time.sleep(30)
    except KeyboardInterrupt:
        time.sleep(0.4)
    return 7

sys.exit(watched(command, None))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs prctl")
def test_the_command_ends_with_the_process_that_watches_it() -> None:
    process = subprocess.Popen(
        command(*SLOW), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
    )
    child = the_child_of(process.pid)
    process.kill()
    process.wait()
    end = time.monotonic() + 10
    while Path(f"/proc/{child}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split()[2]


def the_child_of(process: int) -> int:
    """The process that runs the command, once it is there."""
    for _ in range(200):
        if children := children_of(process):
            return children[0]
        time.sleep(0.05)
    raise AssertionError("no child process")


def children_of(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task")
    if not tasks.exists():
        pytest.skip("needs /proc")
    return [int(one) for listing in tasks.glob("*/children") for one in listing.read_text().split()]


# ---- interrupts and limits -----------------------------------------------------------------------------------------


def heeding_interrupts() -> None:
    """Work that is started in the background ignores interrupts, and so would what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("moment", "send"), [(0.7, os.killpg), (1.1, os.killpg), (1.6, os.killpg), (1.2, os.kill)]
)
def test_an_interrupt_ends_with_130_and_prints_no_number(
    moment: float, send: Callable[[int, int], None]
) -> None:
    """From a terminal to the whole group, or from a supervisor to the one process that it has started.

    The evaluation takes several seconds; before the guard, a wrong number was printed in one run of three.
    """
    process = subprocess.Popen(
        command(*SLOW),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
        preexec_fn=heeding_interrupts,
    )
    the_child_of(process.pid)
    time.sleep(moment)
    send(process.pid, signal.SIGINT)
    printed, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert printed == b""
    assert b"interrupted" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "interrupted; with --record F the verdicts are kept, and the same command resumes\n"),
        (("--record", "run.jsonl"), "interrupted; the same command resumes\n"),
    ],
)
def test_an_interrupted_run_with_a_record_says_that_it_resumes(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], said: str
) -> None:
    def interrupted(*given: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rftheory.cli.verify._claims", interrupted)
    assert main([*CLAIM, *options]) == codes.INTERRUPTED
    assert capsys.readouterr().err.endswith(said)


def test_what_takes_too_long_says_how_far_it_got() -> None:
    start = time.monotonic()
    done = run(*SLOW, "--time-limit", "1.5", code=2)
    assert "digits in 1.5 s" in done.stderr
    assert "NotCertified" in done.stderr
    assert time.monotonic() - start < 1.5 + GRACE


def test_c_code_that_answers_no_signal_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        "import sys, rftheory.cli.process as p\n"
        "p.GRACE = 0.5\n"
        "import ctypes\n"
        "held = ctypes.PyDLL(None)\n"  # holds the interpreter while it sleeps, as python-flint does
        "sys.exit(p.watched(lambda: [held.sleep(30) for _ in range(9)] and 0, 0.5))\n"
    )
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment())
    assert done.returncode == 2
    assert "nothing was reached in 0.5 s" in done.stderr
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 2)])
def test_c_code_that_answers_no_signal_ends_soon_after_one(number: int, code: int) -> None:
    script = (
        "import sys, rftheory.cli.process as p\n"
        "p.GRACE = 0.5\n"
        "import ctypes\n"
        "lock, wait = ctypes.PyDLL(None).pthread_mutex_lock, (ctypes.c_char * 64)()\n"  # waits for itself
        "sys.exit(p.watched(lambda: lock(wait) + lock(wait), None, '; kept'))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stderr=subprocess.PIPE, env=environment(), text=True,
        preexec_fn=heeding_interrupts,
    )  # fmt: skip
    the_child_of(process.pid)
    time.sleep(0.3)  # until it is asleep
    process.send_signal(number)
    _, said = process.communicate(timeout=10)
    assert process.returncode == code
    assert said in (
        "rftheory: interrupted; kept\n",
        "rftheory: ended by signal 9 before there was a verdict; kept\n",
    )


def test_a_check_that_takes_too_long_is_undecided(capsys: Captured) -> None:
    sampled = (
        "verify",
        "--claim",
        "simplex.thm3.2",
        "--evidence",
        "sampled",
        "--jobs",
        "1",
        "--effort",
        "1e6",
    )
    assert main([*sampled, "--time-limit", "0.03"]) == 2
    printed = " ".join(capsys.readouterr().out.split())  # wherever the table breaks its lines
    assert "undecided" in printed
    assert " in 0.3 s; ask for less, or allow more time" in printed  # marked as slow: ten times as long
    assert "0.03 s" not in printed


def test_quick_judges_what_is_quick(capsys: Captured, tmp_path: Path) -> None:
    report = tmp_path / "v.json"
    arguments = (
        "verify",
        "--paper",
        "rahimi_recht",
        "--quick",
        "--evidence",
        "sampled",
        "--json",
        str(report),
    )
    assert main([*arguments, "--time-limit", "0.001", "--jobs", "1"]) == 2  # nothing is decided so soon
    content = json.loads(report.read_text(encoding="utf-8"))
    assert content["settings"]["left_out"]
    assert all(claim["verdict"]["evidence"] for claim in content["claims"])
    assert "left out" in capsys.readouterr().out


def test_text_is_not_executed() -> None:
    t = sympy.Symbol("t")
    with pytest.raises(InvalidInput):
        Smooth.of("__import__('os').abort()", t)  # type: ignore[arg-type]
    assert Smooth.of("1/3", t).value(arb(2)).overlaps(arb(1) / 3)  # type: ignore[arg-type]


def test_text_of_declarations_is_not_executed() -> None:
    text = "__import__('os').abort()"
    for call in (
        lambda: symbolic_claim("m.py", "MEAN", text),
        lambda: author.coupling("abort", rows=text),
        lambda: author.coupling("abort", rows=text, relation=lambda i, j, d: author.ORTHOGONAL),
        lambda: author.feature_map("abort", "", "", author.Term(text)),
        lambda: statement.atoms.FormulaOf.of("iid_conformity", d=text, v=1),
    ):
        with pytest.raises(InvalidInput):
            call()


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e300"])
def test_limits_that_are_none_are_misuse(capsys: Captured, seconds: str) -> None:
    assert main(["eval", "iid_conformity", "d=3", "v=1", "--time-limit", seconds]) == 2
    assert "positive number of seconds" in capsys.readouterr().err


# ---- what a terminal is given --------------------------------------------------------------------------------------

NASTY = "a\x1b[31m\x07\u202eb"


@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", NASTY),
        ("eval", "iid_conformity", f"d={NASTY}", "v=1"),
        ("eval", "iid_conformity", f"{NASTY}=1"),
        ("eval", "iid_conformity", "d=1", "v=1", "--route", NASTY),
        ("derive", NASTY),
        ("verify", "--claim", NASTY),
        ("verify", "--evidence", NASTY),
        ("verify", "--json", f"/no/such/{NASTY}"),
        ("figure", NASTY),
        ("check", f"{NASTY}:f"),
        ("check", "numpy:zeros", "--as", NASTY),
    ],
)
def test_text_of_the_user_is_escaped(capsys: Captured, arguments: tuple[str, ...]) -> None:
    assert main(arguments) == 2
    printed = "".join(capsys.readouterr())
    assert printed.startswith("rftheory: ")
    assert not any(character in printed for character in "\x1b\x07\u202e")


@pytest.mark.parametrize("arguments", [(NASTY,), ("eval", f"--{NASTY}"), ("verify", "--seed", NASTY)])
def test_what_cannot_be_parsed_is_escaped(capsys: Captured, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert not any(character in capsys.readouterr().err for character in "\x1b\x07\u202e")


@pytest.mark.parametrize("kind", ["xterm", "dumb", ""])
def test_what_takes_long_is_told_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """On one that can erase a line."""
    logger, told = logging.getLogger("rftheory"), io.StringIO()
    monkeypatch.setattr(told, "isatty", lambda: bool(kind), raising=False)
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setattr("sys.stderr", told)
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "propagate", False)
    level = logger.level
    try:
        progress = Progress()
        Progress()  # is not told twice
        progress.show("one", 1, 2)
        logger.info("compiling")
        logger.warning("a line \x1b of its own")
        progress.show("two", 2, 2)
        progress.close()
    finally:
        logger.setLevel(level)
    line = "\r\x1b[K"
    parts = [re.sub(r" \(\d s\)$", "", part) for part in told.getvalue().split(line)]
    shown = ["", "[1/2] one", "compiling", "a line \\x1b of its own\n", "[2/2] two", ""]
    assert parts == (shown if kind == "xterm" else ["a line \x1b of its own\n"])


def test_only_one_place_prints() -> None:
    """Whatever else is printed, is escaped by `say`, `show` or `complain`."""
    for file in (FOLDER / "rftheory" / "cli").glob("*.py"):
        calls = [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if "print(" in line]
        calls = [line for line in calls if line.startswith("print(") and "\\x1b[K" not in line]
        assert file.name == "codes.py" or calls == ['print(SHELLS[options.shell], end="")'] * len(calls), file


@pytest.mark.parametrize("options", [("--record", "r"), ("--paper", "chefs"), ("--quick",)])
def test_a_note_refuses_options_that_it_would_ignore(
    tmp_path: Path, capsys: Captured, options: tuple[str, ...]
) -> None:
    note = tmp_path / "n.py"
    note.write_text("from rftheory.author import *\n", encoding="utf-8")
    assert main(["verify", str(note), *options]) == 2
    assert "needs the catalogue" in capsys.readouterr().err


def test_json_is_valid_whatever_text_is_in_it(tmp_path: Path) -> None:
    """Texts copied from a PDF have soft hyphens; for terminals these are shown as \\xad, which is no JSON."""
    words = "ortho\u00adgonal \x7f \x85 \U000e0001 \u00e9 \u2265 \x1b"
    note = tmp_path / "copied.py"
    note.write_text(
        "from rftheory.author import *\n"
        "note('copied')\n"
        f"statement('one', 'here', conformity(orthogonal) < 1, prints={words!r}, expect='fails')\n",
        encoding="utf-8",
    )
    for verb, encoding in (("verify", "utf-8"), ("errata", "ascii")):
        done = subprocess.run(
            command(verb, str(note), "--json", "--jobs", "1"), capture_output=True,
            env={**environment(), "PYTHONIOENCODING": encoding},
        )  # fmt: skip
        text = done.stdout.decode(encoding)
        assert words in texts_of(json.loads(text))
        assert not any(character in text for character in "\xad\x7f\x85\x1b")


def texts_of(content: object) -> list[str]:
    """All texts in what JSON holds."""
    if isinstance(content, dict | list):
        return [
            one
            for part in (content.values() if isinstance(content, dict) else content)
            for one in texts_of(part)
        ]
    return [content] if isinstance(content, str) else []


def test_a_terminal_without_greek_gets_escapes() -> None:
    done = subprocess.run(
        command("list", "statements"),
        capture_output=True,
        env={**environment(), "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"\\u03" in done.stdout
