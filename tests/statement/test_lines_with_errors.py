"""A line of a note that raises an error is left out, with what needs it, and the other statements are judged."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from rftheory.cli import main
from rftheory.errors import DeclarationFailed
from rftheory.statement.load import ANY_LINE, Unread, load
from rftheory.statement.run import judge_note, read_note

pytestmark = pytest.mark.usefixtures("no_trace")
Written = Callable[..., Path]
HOLDS = "statement('good', '', conformity(orthogonal) < exp(v**2), over=v > 0)"
FAILS = "statement('bad', '', conformity(orthogonal) > exp(v**2), over=v > 0)"
TYPING_ERROR = "statement('typo', '', conformity(ORTHO3) < exp(v**2), over=v > 0)"
SAID = "NameError: name 'ORTHO3' is not defined; did you mean 'ORTHOGONAL'?"


@pytest.fixture
def written(tmp_path: Path, request: pytest.FixtureRequest) -> Written:
    """Writes a note that begins with two lines of its own; its name is that of the test."""
    name = "".join(c if c.isalnum() else "_" for c in request.node.name)

    def write(*lines: str) -> Path:
        file = tmp_path / f"{name}.py"
        file.write_text("\n".join(("from rftheory.author import *", f"note({name!r})", *lines)) + "\n")
        return file

    return write


def unread(file: Path) -> dict[int, str]:
    return {one.line: one.problem for one in read_note(file, leave_out=ANY_LINE).unread}


def labels(file: Path) -> list[str]:
    return [one.id.partition(".")[2] for one in read_note(file, leave_out=ANY_LINE).statements]


def test_the_other_statements_are_judged(written: Written, capsys: pytest.CaptureFixture[str]) -> None:
    file = written("ORTHO2 = orthogonal", HOLDS, TYPING_ERROR, "statement('number', '', mse(iid) < 0.5)")
    assert main(["verify", str(file)]) == 2
    said = capsys.readouterr().out
    assert f"{file.stem}.good  holds" in said
    assert "\nline 5: not read: NameError: name 'ORTHO3' is not defined; did you mean 'ORTHO2'?\n" in said
    assert "\nline 6: not read: InvalidInput: " in said
    assert said.endswith("1 statement: 1 holds (certified); 2 lines not read\n")


def test_a_helper_that_only_states_is_no_reason_to_stop(written: Written) -> None:
    file = written(
        "def true(label, claim):\n    statement(label, '', claim)",
        "true('first', mean(with_features('poisson')(iid)) == gaussian)",
        "true('second', mse(positive(iid, m=m)).at(d=2).subs(v, 1) > 0)",
        "true('third', mean(positive(iid)) == gaussian)",
    )
    assert labels(file) == ["third"]
    assert [line for line, _ in unread(file).items()] == [5, 6]


@pytest.mark.parametrize("limit", ["0", "60"])
def test_one_statement_is_judged_alone(
    written: Written, capsys: pytest.CaptureFixture[str], limit: str
) -> None:
    file = written(HOLDS, TYPING_ERROR, FAILS)
    assert main(["verify", str(file), "--claim", "good", "--time-limit", limit]) == 2
    said = capsys.readouterr().out
    assert "good  holds" in said
    assert "line 4: not read" in said
    assert main(["verify", str(file), "--claim", "typo", "--time-limit", limit]) == 2
    assert "line 4: not read: NameError: name 'ORTHO3'" in capsys.readouterr().err


def test_a_statement_that_fails_comes_before_a_line_that_is_not_read(written: Written) -> None:
    assert main(["verify", str(written(FAILS, TYPING_ERROR)), "--time-limit", "0"]) == 1


def test_every_report_lists_what_was_not_read(written: Written, tmp_path: Path) -> None:
    file = written(HOLDS, TYPING_ERROR)
    forms = {form: tmp_path / f"report.{form}" for form in ("json", "html", "junit", "markdown")}
    options = [word for form, path in forms.items() for word in (f"--{form}", str(path))]
    assert main(["verify", str(file), "--time-limit", "0", *options]) == 2
    report = json.loads(forms["json"].read_text())
    assert report["not_read"] == [{"line": 4, "problem": SAID}]
    assert report["exit_code"] == 2
    suite = ET.parse(forms["junit"]).getroot()
    assert [suite.get(count) for count in ("tests", "failures", "errors")] == ["2", "0", "1"]
    *_, case = suite
    assert (case.get("classname"), case.get("name")) == (file.stem, "line 4")
    assert case[0].get("message") == f"not read: {SAID}"
    assert f"- line 4: `{SAID}`" in forms["markdown"].read_text()
    page = forms["html"].read_text()
    assert "<b>1 line not read.</b>" in page
    assert "<li>line 4: not read: NameError" in page


def test_what_needs_a_line_that_was_not_read_says_so(written: Written) -> None:
    file = written(
        "ORTHO2 = coupling('ortho2', 'ortho2', rows=Row(d))",
        "LAW = mse(positive(ORTHO2))",
        "statement('a', '', LAW < 1)",
        HOLDS,
    )
    assert unread(file) == {
        3: "NameError: name 'Row' is not defined; did you mean 'Rows'?",
        4: "it uses ORTHO2, which line 3 did not define",
        5: "it uses LAW, which line 4 did not define",
    }


@pytest.mark.parametrize(
    "line",
    [
        "BOUND = exp(v**3) + W",
        "BOUND += W",
        "BOUND, other = exp(v**3), W",
        "for BOUND in (exp(v**3), W): pass",
        "if True: BOUND = exp(v**3) + W",
        "def BOUND(v=W): pass",
        "import no_such_module as BOUND",
    ],
)
def test_no_older_value_takes_the_place_of_one_that_was_not_read(written: Written, line: str) -> None:
    file = written(
        "BOUND = exp(v**2)",
        "statement('before', '', conformity(orthogonal) < BOUND, over=v > 0)",
        line,
        "statement('after', '', conformity(orthogonal) < BOUND, over=v > 0)",
    )
    assert labels(file) == ["before"]
    assert unread(file)[6] == "it uses BOUND, which line 5 did not define"


@pytest.mark.parametrize(
    "line",
    [
        "BOUND.limit = W",
        "BOUNDS[0] = W",
        "BOUNDS.append(W)",
        "tighten(W)",
        "other = tighten(W)",
        "setattr(BOUNDS, 'first', W)",
        "globals()['BOUND'] = W",
        "all([(BOUND := W) for _ in range(1)])",
        "sum = W",
        "getattr(BOUNDS, 'append')(W)",
        "del BOUND, W",
        "from no_such_module import *",
        "class Bag:\n    global BOUND\n    BOUND = W",
    ],
)
def test_nothing_is_read_after_a_line_that_may_change_more_than_it_defines(
    written: Written, line: str
) -> None:
    file = written(
        "BOUND, BOUNDS, tighten = exp(v**2), [exp(v**2)], lambda by: BOUNDS.append(by)",
        "statement('before', '', conformity(orthogonal) < BOUND, over=v > 0)",
        line,
        "statement('after', '', conformity(orthogonal) < BOUNDS[0], over=v > 0)",
    )
    assert labels(file) == ["before"]
    assert len(unread(file)) == 1
    assert "nothing after it is read" in next(iter(unread(file).values()))


@pytest.mark.parametrize(
    "line", ["coupling('unread-rows', rows=Rows(d, sing=-1))", "(coupling('unread-rows', rows=Rows(2)), W)"]
)
def test_no_older_declaration_takes_the_place_of_one_that_was_not_read(written: Written, line: str) -> None:
    file = written(
        "OWN = coupling('unread-rows', rows=Rows(d))",
        f"NEW = {line}",
        "statement('after', '', conformity('unread-rows') == conformity(orthogonal))",
        HOLDS,
    )
    assert "after" not in labels(file)
    assert "unread-rows" in unread(file)[5]


@pytest.mark.parametrize("decorator", ["@OWN.sampler", "@OWN.sampler(norms=lambda d: d)"])
def test_a_sampler_that_is_refused_stops_nothing(written: Written, decorator: str) -> None:
    name = "unread-sampler" if "(" in decorator else "unread-plain-sampler"
    file = written(
        f"OWN = coupling({name!r}, rows=Rows(d))",
        f"{decorator}\ndef own(frame, norms, xp):\n    return xp.concat((frame, frame), axis=-2)",
        HOLDS,
    )
    assert len(labels(file)) == 1
    assert "needs 2 rows at d = 2" in unread(file)[4]


def test_reports_take_what_cannot_be_printed(written: Written, tmp_path: Path) -> None:
    file, junit = written("X = int('\\x00\\x1b[31m')", HOLDS), tmp_path / "report.xml"
    assert main(["verify", str(file), "--time-limit", "0", "--junit", str(junit)]) == 2
    assert ET.parse(junit).getroot() is not None


def test_names_within_a_function_that_was_not_read_are_kept(written: Written) -> None:
    file = written(
        "BOUND = exp(v**2)",
        "def other(x=W):",
        "    BOUND = 1",
        "    return [BOUND for ortho in x]",
        "statement('after', '', conformity(orthogonal) < BOUND, over=v > 0)",
    )
    assert labels(file) == ["after"]


def test_a_line_is_that_of_the_statement_and_not_of_a_function_that_it_calls(written: Written) -> None:
    file = written(
        "def bound(k):",
        "    return k * W",
        "statement(",
        "    'a', '', conformity(orthogonal) <",
        "    bound(2))",
        HOLDS,
    )
    assert unread(file) == {7: "NameError: name 'W' is not defined (line 4)"}


def test_what_a_loop_stated_before_its_error_counts(written: Written) -> None:
    file = written(
        "for k in (1, 0):", "    statement(f'at {k}', '', conformity(orthogonal) < exp(v**2) / (1 // k))"
    )
    assert labels(file) == ["at 1"]
    assert list(unread(file)) == [4]


def test_imports_from_the_future_hold_for_every_line(tmp_path: Path) -> None:
    file = tmp_path / "of_the_future.py"
    file.write_text(
        '"""A note."""\n'
        "from __future__ import annotations\n"
        "from rftheory.author import *\n"
        "note('of_the_future')\n"
        "def bound(k: NoSuchName) -> None: ...\n" + HOLDS
    )
    note = read_note(file, leave_out=ANY_LINE)
    assert (len(note.statements), note.unread) == (1, ())
    assert sys.modules["of_the_future"].__doc__ == "A note."


def test_processes_leave_out_the_same_lines(written: Written) -> None:
    file = written(
        "import multiprocessing", "HERE = multiprocessing.parent_process() is None", TYPING_ERROR, HOLDS
    )
    (result,) = judge_note(file, leave_out=ANY_LINE)
    assert result.verdict.decision == "holds"
    other = written("import multiprocessing", "if multiprocessing.parent_process(): W", TYPING_ERROR, HOLDS)
    other = other.rename(other.with_name("fails_in_processes.py"))
    with pytest.raises(DeclarationFailed, match="line 4: NameError: name 'W'"):
        judge_note(other, leave_out=ANY_LINE)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([HOLDS, "x = ("], "line 4: SyntaxError"),
        ([HOLDS, "return 1"], "line 4: SyntaxError"),
        ([HOLDS, "import sys", "sys.exit(0)"], "line 5: SystemExit: 0"),
        ([TYPING_ERROR, "x = W"], "line 3: NameError: name 'ORTHO3'"),
        (["note('not an identifier')", TYPING_ERROR], "line 3: InvalidInput: note"),
    ],
)
def test_a_file_without_a_statement_that_can_be_read_is_refused(
    written: Written, capsys: pytest.CaptureFixture[str], lines: list[str], said: str
) -> None:
    file = written(*lines)
    for _ in range(2):  # and is read again
        assert main(["verify", str(file)]) == 2
        assert f"{file.name}, {said}" in capsys.readouterr().err
    assert file.stem not in sys.modules


def test_an_interrupt_ends_the_note(written: Written) -> None:
    file = written(HOLDS, "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        read_note(file, leave_out=ANY_LINE)
    assert file.stem not in sys.modules


def test_a_time_limit_ends_the_note(written: Written) -> None:
    file = written(HOLDS, "while True: pass")
    with pytest.raises(DeclarationFailed, match=r"line 4: not read after 0\.2 s"):
        read_note(file, 0.2, ANY_LINE)
    assert file.stem not in sys.modules


def test_who_needs_the_whole_file_refuses_it(written: Written, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(HOLDS, TYPING_ERROR)
    for command in (["verify", str(file), "--contradictions"], ["errata", str(file)]):
        assert main(command) == 2
        assert "line 4: NameError" in capsys.readouterr().err
    assert read_note(file, leave_out=ANY_LINE).unread == (Unread(4, SAID),)
    for read in (load, read_note, judge_note):
        with pytest.raises(DeclarationFailed, match="line 4: NameError"):
            read(file)


@pytest.mark.parametrize("value", ["(Rational(-1, 4), 0)", "[0, 0]"])
def test_numbers_for_coordinates_are_refused_by_the_name_of_their_parameter(
    written: Written, value: str
) -> None:
    mechanism = f"M = with_features('anisotropic')(iid, A={value})"
    (problem,) = unread(written(HOLDS, mechanism)).values()
    assert "anisotropic: A: needs one number or expression, for all coordinates" in problem
    assert "rftheory eval" in problem


DECLARES = (
    "OWN = coupling('apart-before', rows=[Rows(d), Rows(d, sign=-1)])",
    "@OWN.sampler\ndef own(frame, norms, xp):\n    rows = norms[..., None] * frame\n"
    "    return xp.concat((rows, -rows), axis=-2)",
    "WRONG = coupling('apart-wrong', rows=Rows(d, no=i))",
    "USES = coupling('apart-uses', rows=WRONG.rows)",
    "coupling('apart-after', rows=Rows(d))",
    "def plain(m, d, seed): ...",
)


@pytest.mark.usefixtures("undeclared")
@pytest.mark.parametrize(
    ("name", "read"), [("before", True), ("after", True), ("wrong", False), ("uses", False)]
)
def test_what_is_declared_apart_from_a_line_with_an_error_is_evaluated(
    written: Written, capsys: pytest.CaptureFixture[str], name: str, read: bool
) -> None:
    file = written(*DECLARES)
    asked = ["feature=positive", f"coupling=apart-{name}", "d=3", "m=6", "v=1"]
    assert main(["eval", "mse", *asked, "--with", str(file)]) == (0 if read else 2)
    out, err = capsys.readouterr()
    assert "warning: " in err
    assert "line 8: not read: TypeError" in err
    assert "line 9: not read: it uses WRONG, which line 8 did not define" in err
    assert bool(out) == read
    assert (f"unknown coupling 'apart-{name}'" in err) != read


@pytest.mark.usefixtures("undeclared")
def test_a_sampler_apart_from_a_line_with_an_error_is_checked(
    written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(*DECLARES)
    main(["check", f"{file}:own", "--seconds", "0.1"])
    out = capsys.readouterr().out
    assert "it is the sampler of apart-before" in out
    assert "warning: line 8: not read: TypeError" in out
    del sys.modules[file.stem]
    for wrong in ("plain", "no_such", "WRONG", "own,plain"):  # what is not a sampler needs the whole file
        assert main(["check", f"{file}:{wrong}", "--seconds", "0.1"]) == 2
        assert "TypeError" in capsys.readouterr().err
        assert file.stem not in sys.modules


@pytest.mark.usefixtures("undeclared")
def test_choose_reads_on_and_others_do_not(
    written: Written, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, data = written(*DECLARES), tmp_path / "rows.csv"
    data.write_text("0.1,0.2\n0.3,-0.1\n-0.2,0.4\n0.2,0.2\n")
    assert main(["derive", "no_such", "--with", str(file)]) == 2
    assert "warning" not in capsys.readouterr().err
    main(
        ["choose", str(data), "--features", "8", "--pairs", "4", "--exact-only", "--all", "--with", str(file)]
    )
    out, err = capsys.readouterr()
    assert "line 8: not read: TypeError" in err
    assert "apart-before" in out


def test_a_file_that_declares_nothing_apart_from_its_errors_is_refused(
    written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written("WRONG = coupling('apart-wrong', rows=Rows(d, no=i))")
    assert main(["eval", "--list", "--with", str(file)]) == 2
    assert "line 3: TypeError" in capsys.readouterr().err
