"""The command line: what it prints, and that every misuse ends with code 2 and says what was wrong."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from decimal import Decimal
from pathlib import Path

import pytest

from rftheory import __version__
from rftheory.cli import VERBS, codes, main, parser, verify
from rftheory.cli.note import KINDS
from rftheory.errors import DataUnavailable
from rftheory.judge import Kind

ROOT = Path(__file__).resolve().parent.parent
Captured = pytest.CaptureFixture[str]


def output(capsys: Captured, *arguments: str, code: int = 0) -> str:
    """What the command prints on standard output; standard error may name the files that it wrote, no more."""
    assert main(arguments) == code
    printed = capsys.readouterr()
    assert all(line.removeprefix("wrote ") in arguments for line in printed.err.splitlines()), printed.err
    return printed.out


# ---- eval ------------------------------------------------------------------------------------------

IID_AT_HALF = "1.284025416687741484073420568062"  # exp(1/4), from tables


def test_eval_prints_proved_digits(capsys: Captured) -> None:
    assert output(capsys, "eval", "iid_conformity", "d=3", "v=1/2") == IID_AT_HALF[:-1] + "\n"
    assert output(capsys, "eval", "iid_conformity", "d=3", "v=0.5", "--digits", "5") == "1.2840\n"


def test_eval_prints_json(capsys: Captured) -> None:
    content = json.loads(output(capsys, "eval", "iid_conformity", "d=3", "v=1/2", "--json"))
    assert content["formula"] == "iid_conformity"
    assert content["values"] == {"d": "3", "v": "1/2"}
    assert content["digits"] == 30
    assert content["value"] == IID_AT_HALF[:-1]
    assert all(float(route["radius"]) < 1e-29 for route in content["routes"].values())
    assert content["source"]
    huge = json.loads(output(capsys, "eval", "iid_conformity", "d=3", "v=1000", "--json"))
    (route,) = huge["routes"].values()
    assert 0 < Decimal(route["radius"]) < Decimal(huge["value"]) / 10**29  # where no float is as large


def test_what_a_file_prints_is_not_in_the_json(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "printing.py").write_text("print('read')", encoding="utf-8")
    given = ["--json", "--with", str(tmp_path / "printing.py")]
    assert main(["eval", "iid_conformity", "d=3", "v=1/2", *given]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["digits"] == 30
    assert printed.err == "read\n"


def test_values_may_stand_before_and_after_options(capsys: Captured) -> None:
    found = output(capsys, "eval", "--digits", "12", "orf_conformity", "d=4", "--json", "v=1")
    assert json.loads(found)["values"] == {"d": "4", "v": "1"}
    with pytest.raises(SystemExit):
        main(["eval", "orf_conformity", "d=4", "v=1", "--nonsense", "m=1"])
    assert "unrecognized arguments: --nonsense" in capsys.readouterr().err


def test_eval_compares_all_routes(capsys: Captured) -> None:
    lines = output(capsys, "eval", "simrf_conformity", "d=3", "v=1/2", "--route", "all").splitlines()
    assert len(lines) >= 3
    assert len({line.split()[-1] for line in lines}) == 1
    name = lines[1].rsplit(maxsplit=1)[0].strip()
    (line,) = output(capsys, "eval", "simrf_conformity", "d=3", "v=1/2", "--route", name).splitlines()
    assert line == lines[1].split()[-1]


@pytest.mark.parametrize(
    "asked",
    [
        ["gerf_variance", "d=4", "A=0", "s=1", "v=0", "z=1"],
        ["angular_mse", "x=1", "y=1", "theta=pi", "m=2", "n=2"],
        ["gaussian_coefficient_cross", "r=2", "theta=0", "sigma=1", "n=3"],
        ["mse", "feature=gerf", "A=0", "coupling=orthogonal", "d=3", "v=0", "z=1"],
    ],
)
def test_eval_compares_all_routes_to_an_exact_zero(asked: list[str], capsys: Captured) -> None:
    """Most of them give a ball around it, which has no digits: the command ended with 2 after one line."""
    shown = [
        line.split(maxsplit=1)[-1] for line in output(capsys, "eval", *asked, "--route", "all").splitlines()
    ]
    assert len(shown) >= 2
    assert any("[+/- " in line for line in shown)
    assert any(line.endswith(" 0") or line == "0" for line in shown)
    found = json.loads(output(capsys, "eval", *asked, "--route", "all", "--json"))
    assert found["value"] == "0"
    assert len(found["routes"]) == len(shown)
    assert "refused" not in found
    assert output(capsys, "eval", *asked).strip() == "0"


def test_eval_says_that_an_error_of_0_has_no_logarithm(capsys: Captured) -> None:
    for name, theta in (("trig", "0"), ("hyperbolic", "pi"), ("positive", "pi")):
        assert main(["eval", f"log_softmax_{name}_mse", "x=2", "y=2", f"theta={theta}", "m=3"]) == 2
        assert "needs an error that is not 0" in capsys.readouterr().err
    assert output(capsys, "eval", "log_softmax_trig_mse", "x=2", "y=2", "theta=1e-9", "m=3").startswith("-7")


def test_eval_lists_formulas(capsys: Captured) -> None:
    text = output(capsys, "eval", "--list")
    assert "simrf_conformity\n" in text
    assert "domain: integer d >= 2, v >= 0" in text
    rows = json.loads(output(capsys, "eval", "--list", "--json"))
    names = [row["name"] for row in rows]
    assert len(set(names)) == len(names)
    assert "prf_mse_simrf" in names
    assert all(row["says"] and row["domain"] and row["source"] for row in rows)


def test_eval_prints_latex(capsys: Captured) -> None:
    assert output(capsys, "eval", "iid_conformity", "--latex") == "e^{v^{2}}\n"


# ---- derive ----------------------------------------------------------------------------------------


def test_derive_replays_a_derivation(capsys: Captured) -> None:
    text = output(capsys, "derive", "simplex.s4.chi2d")
    assert text.startswith("simplex.s4.chi2d: ")
    assert "[proved]" in text
    assert "gamma" not in text  # formulas in letters that a terminal has
    verdicts = text.split("verdict")[-1]
    assert "simplex.s4.chi2d: holds (rests on these steps: proved)" in verdicts
    content = json.loads(output(capsys, "derive", "simplex.s4.chi2d", "--json"))
    assert content["holds"] is True
    assert {step["status"] for step in content["steps"]} <= {"proved", "refuted"}
    assert output(capsys, "derive", "simplex.s4.chi2d", "--latex").startswith("\\begin{align*}")
    assert "simplex.s4.chi2d: " in output(capsys, "derive", "--list")


def test_derive_ends_with_the_verdict_of_the_statement(capsys: Captured) -> None:
    text = output(capsys, "derive", "simplex", "Theorem", "3.2")
    assert "simplex.thm3.2: holds (rests on these steps: proved)" in text
    assert "result:" not in text
    assert "refuted: " in text.split("verdicts:")[0]
    content = json.loads(output(capsys, "derive", "simplex.thm3.2", "--json"))
    assert all(statement["agrees"] for statement in content["statements"])
    assert all(step["latex"] for step in content["steps"])


def test_derive_hides_steps_that_say_nothing(capsys: Captured) -> None:
    short = output(capsys, "derive", "simplex.lem4.1")
    assert "1 step not shown" in short
    assert "] component, added" not in short
    whole = output(capsys, "derive", "simplex.lem4.1", "--all")
    assert "] component, added" in whole
    assert "checked: " in whole


# ---- list, completion, colours -----------------------------------------------------------------------


def test_list_finds_by_words_and_numbers(capsys: Captured) -> None:
    text = output(capsys, "list", "statements", "hybrid", "Theorem", "3.5")
    assert text.startswith("statements (33)")
    assert "hybrid.thm3.5.bound  fails  Choromanski et al., ICLR 2022, Theorem 3.5, eq. (27)" in text
    assert "$" not in text
    names = output(capsys, "list", "figures", "--names").split()
    assert "simplex_fig6" in names
    rows = json.loads(output(capsys, "list", "formulas", "simrf", "--json"))
    assert all(row["kind"] == "formula" and "simrf" in json.dumps(row).lower() for row in rows)
    assert main(["list", "no such words"]) == 1


def test_statements_are_judged_by_prefix_and_number(capsys: Captured) -> None:
    text = output(capsys, "verify", "simplex.cor3.3", "--quick", "--jobs", "1")
    assert "simplex.cor3.3.corrected  holds" in text
    assert "2 claims" in text
    assert "2 claims" in output(capsys, "verify", "simplex", "Corollary", "3.3", "--quick", "--jobs", "1")
    assert "1 claim:" in output(capsys, "verify", "--claim", "simplex.cor3.3", "--quick", "--jobs", "1")
    assert "simplex.cor3.3" in output(capsys, "errata", "simplex Corollary 3.3", "--jobs", "1")


def test_errata_count_the_statements_that_were_asked_for(capsys: Captured) -> None:
    text = output(capsys, "errata", "--claim", "simplex.cor3.3", "--jobs", "1")
    assert "\n1 statement was judged: 0 hold, 1 fails, 0 undecided. 1 erratum (" in text


def test_errata_take_the_verdicts_of_a_stored_report(capsys: Captured, tmp_path: Path) -> None:
    stored, page = tmp_path / "v.json", tmp_path / "errata.md"
    output(capsys, "verify", "simplex.cor3.3", "--quick", "--json", str(stored))
    again = output(capsys, "errata", "simplex.cor3.3")
    assert output(capsys, "errata", "simplex.cor3.3", "--report", str(stored)) == again
    assert "not confirmed" not in again
    assert main(["errata", "simplex.cor3.3", "--report", str(stored), "--out", str(page)]) == 0
    assert capsys.readouterr() == ("", f"wrote {page}\n")
    content = json.loads(stored.read_text(encoding="utf-8"))
    content["claims"] = [c for c in content["claims"] if c["id"] != "simplex.cor3.3"]
    stored.write_text(json.dumps(content), encoding="utf-8")
    assert main(["errata", "simplex.cor3.3", "--report", str(stored)]) == 1
    printed = capsys.readouterr()
    assert "not confirmed" in printed.out
    assert "1 of 1 not\nrefuted again" in printed.out
    assert printed.err == "rftheory: 1 of 1 erratum not refuted again: simplex.cor3.3\n"
    for other in ({"schema": "rftheory.report/1", "claims": []}, {"schema": content["schema"]}):
        stored.write_text(json.dumps(other), encoding="utf-8")
        assert main(["errata", "--report", str(stored)]) == 2
        assert "needs output of rftheory verify --json, of this version" in capsys.readouterr().err


def test_errata_of_a_report_on_a_part_are_those_of_the_part(capsys: Captured, tmp_path: Path) -> None:
    """All of the catalogue were listed, those outside the report as if the run had not confirmed them."""
    stored = tmp_path / "v.json"
    output(capsys, "verify", "simplex.cor3.3", "--quick", "--json", str(stored))
    text = output(capsys, "errata", "--report", str(stored))
    assert text == output(capsys, "errata", "simplex.cor3.3", "--report", str(stored))
    assert "Each was\nrefuted again" in text


@pytest.mark.parametrize("words", ["verify simplex.cor3.3", "errata simplex.cor3.3", "derive simplex.cor3.3",
                                   "verify mine.py", "errata mine.py"])  # fmt: skip
def test_pages_that_cannot_be_made_are_refused_before_the_work(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("raise AssertionError('it was read')", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setattr("rftheory.report.judging.judge_all", lambda *a, **b: pytest.fail("judged first"))
    monkeypatch.setattr("rftheory.exact.proof.steps.replay", lambda *a: pytest.fail("replayed first"))
    assert main([*words.split(), "--html", "page.html"]) == 2
    printed = capsys.readouterr()
    assert "jinja2 is not installed; pip install 'rftheory[site]'" in printed.err
    assert (printed.out, list(tmp_path.glob("*.html"))) == ("", [])


def test_a_form_that_cannot_be_stored_loses_no_verdict(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    note = tmp_path / "of_forms.py"
    said = 'note("Forms")', 'statement("above", "eq. (1)", exp(v) >= 1 + v)'
    note.write_text(
        "\n".join(["from rftheory.author import exp, note, statement, v", *said]), encoding="utf-8"
    )
    monkeypatch.setattr("rftheory.cli.note.write_whole", full)
    for what, table in (("simplex.cor3.3", "claim  "), (str(note), "Forms.above")):
        assert main(["verify", what, "--jobs", "1", "--junit", str(tmp_path / "x.xml")]) == 2
        printed = capsys.readouterr()
        assert table in printed.out
        assert "No space left" in printed.err


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_a_report_goes_into_a_pipe_that_has_a_link() -> None:
    options = ["--claim", "simplex.def3.1/m=1", "--quick", "--jobs", "1", "--json", "/dev/stdout"]
    command = [sys.executable, "-m", "rftheory", "verify", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    content, end = json.JSONDecoder().raw_decode(done.stdout)
    assert content["claims"][0]["id"] == "simplex.def3.1/m=1"
    assert "1 claim: 1 fails" in done.stdout[end:]


def test_few_quick_claims_are_judged_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    asked, free = argparse.Namespace(jobs=3), argparse.Namespace(jobs=None)
    few, many = verify.WORTH - 1, verify.WORTH
    assert [verify._jobs(asked, few), verify._jobs(free, few), verify._jobs(free, many)] == [3, 1, 8]
    assert verify._jobs(free, few, draws=True) == 8


def test_every_verb_has_examples_and_exit_codes(capsys: Captured) -> None:
    for verb in VERBS:
        with pytest.raises(SystemExit):
            main([verb, "--help"])
        text = capsys.readouterr().out
        assert "examples:" in text, verb
        assert "exit codes:" in text, verb


def test_examples_of_the_help_can_be_parsed() -> None:
    for verb in VERBS:
        text = parser([verb])._subparsers._group_actions[0].choices[verb].format_help()  # type: ignore
        examples = re.findall(
            r"rftheory ((?:[^ >&)]| (?![ >&]))+)", text.partition("examples:")[2].partition("exit codes")[0]
        )
        assert examples, verb
        for example in examples:
            words = shlex.split(example)
            assert parser(words).parse_args(words).run


def examples_of_list(text: str) -> list[str]:
    """The words after ``rftheory list`` in examples: up to two spaces or the end of the line."""
    return re.findall(r"rftheory list ((?:[^ \n`()\[]| (?! |#))+)", text)


def test_examples_of_list_find_something(capsys: Captured) -> None:
    texts = [parser([verb])._subparsers._group_actions[0].choices[verb].format_help() for verb in VERBS]  # type: ignore
    texts += [parser([]).format_help(), (ROOT / "README.md").read_text(encoding="utf-8")]
    examples = {example for text in texts for example in examples_of_list(text)}
    assert {"mechanisms", "statements hybrid fails", '"Theorem 3.5"'} <= examples
    for example in sorted(examples):
        assert main(["list", *shlex.split(example)]) == 0, example
        assert capsys.readouterr().out
    assert examples_of_list("  rftheory list no such thing   nothing\n") == ["no such thing"]


def test_colours_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    assert "\x1b" not in output(capsys, "list", "statements", "simplex.cor3.3")
    monkeypatch.setattr(codes, "has_colour", lambda stream: True)
    coloured = output(capsys, "list", "statements", "simplex.cor3.3")
    assert "\x1b[31mfails\x1b[0m" in coloured
    monkeypatch.undo()

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert codes.has_colour(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not codes.has_colour(Terminal())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(capsys: Captured, shell: str) -> None:
    assert "rftheory completion --last=" in output(capsys, "completion", shell)
    assert "simplex.thm3.2" in output(capsys, "completion", "--last=simplex.thm", "--words", "verify").split(
        "\n"
    )
    assert output(capsys, "completion", "--words", "eval", "simrf_conformity").split() == ["d=", "v="]
    assert "--paper" in output(capsys, "completion", "--last=--", "--words", "verify").split()


@pytest.mark.parametrize(
    "arguments", ["--help", "--version", "nosuch", "eval nosuch", "verify hybrid.thm3.9", "derive nosuch"]
)
def test_answers_without_the_catalogue(arguments: str) -> None:
    """What is known to nobody is said before anything is loaded; ``benchmarks/starting.py`` has the seconds."""
    code = (
        "import sys\nfrom rftheory.cli import main\n"
        f"try: main({arguments.split()!r})\nexcept SystemExit: pass\n"
        "sys.exit(sum(name in sys.modules for name in ('sympy', 'numpy', 'flint', 'rftheory.papers')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_one_statement_takes_the_room_of_its_paper_alone() -> None:
    """Nothing of other papers is read, and of the proofs those that are asked for."""
    code = (
        "import sys\nfrom rftheory.papers import CATALOGUE\nfrom rftheory.report.judging import Settings, judge_all\n"
        "claims = CATALOGUE.select(claim='simplex.cor3.3.corrected')\n"
        "print([r.verdict.decision.value for r in judge_all(claims, Settings(kinds=('derived',)))])\n"
        "rooms = ('rftheory.papers.hybrid', 'rftheory.papers.chefs', 'rftheory.papers.simplex.proofs.trigonometric')\n"
        "sys.exit(sum(name in sys.modules for name in rooms))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "['holds']"), done.stderr


# ---- verify ----------------------------------------------------------------------------------------


def test_the_readme_shows_what_verify_prints(capsys: Captured) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    table = output(capsys, "verify", "--claim", "simplex.cor4.4", "--quick").split("\n\n")[0]
    assert len(table.splitlines()) == 5
    assert table in readme


def test_verify_judges_one_claim(capsys: Captured) -> None:
    few = ("--effort", "0.25", "--jobs", "1")
    text = output(capsys, "verify", "--claim", "simplex.lem4.1", *few)
    assert "simplex.lem4.1  holds" in text
    assert "1 claim: 1 holds (1 proved); all as recorded" in text
    text = output(
        capsys, "verify", "--claim", "simplex.thm4.5", *few, "--explain", "--evidence", "certified, sampled"
    )
    assert "certified   holds: " in text
    assert "planted error refuted" in text
    assert "derived" not in text


@pytest.mark.parametrize("verb", ["verify", "errata"])
def test_a_second_claim_is_not_taken_in_silence_for_the_first(verb: str, capsys: Captured) -> None:
    assert main([verb, "--claim", "simplex.cor4.4", "--claim", "simplex.thm3.2"]) == 2
    assert "--claim: needs one value, got 'simplex.cor4.4, then simplex.thm3.2'" in capsys.readouterr().err


def test_verify_with_too_few_draws_is_undecided(capsys: Captured) -> None:
    # With 2^18 / 20 draws the planted two percent cannot be refuted.
    text = output(
        capsys, "verify", "--claim", "simplex.lem4.1", "--evidence", "sampled", "--effort", "0.05", code=2
    )
    assert "simplex.lem4.1  undecided (recorded: holds)" in text
    assert "planted error was not" in text


def test_verify_succeeds_when_a_false_statement_is_refuted(capsys: Captured, tmp_path: Path) -> None:
    report = json.loads(output(capsys, "verify", "--claim", "simplex.cor3.3", "--json", "-"))
    assert (report["schema"], report["exit_code"]) == ("rftheory.report/2", 0)
    (claim,) = report["claims"]
    assert (claim["verdict"]["decision"], claim["recorded"]) == ("fails", "fails")
    path = tmp_path / "report.xml"
    assert "1 fails" in output(capsys, "verify", "--claim", "simplex.cor3.3", "--json", str(path))
    assert ET.fromstring(path.read_text(encoding="utf-8")).get("failures") == "0"


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "--claim", "simplex.cor3.3"],
        ["errata", "--claim", "simplex.s3.wij-smaller/zero"],
        ["derive", "simplex.s4.chi2d"],
        ["eval", "iid_conformity", "d=3", "v=1/2"],
        ["doctor"],
        ["derive", "--list"],
        ["eval", "mse", "--latex"],
    ],
    ids=" ".join,
)
def test_json_without_a_file_is_all_that_is_printed(capsys: Captured, arguments: list[str]) -> None:
    assert isinstance(json.loads(output(capsys, *arguments, "--json")), dict | list)
    assert not output(capsys, *arguments).startswith(("{", "["))


def test_verify_refuses_a_kind_of_evidence_that_the_claim_does_not_have(capsys: Captured) -> None:
    assert main(["verify", "--claim", "simplex.cor3.3", "--evidence", "sampled"]) == 2
    assert "needs a kind that simplex.cor3.3 has, got 'sampled'" in capsys.readouterr().err


def test_verify_refuses_a_report_that_cannot_be_written_before_it_works(
    capsys: Captured, tmp_path: Path
) -> None:
    path = str(tmp_path / "no" / "report.json")
    assert main(["verify", "--claim", "simplex.eq22", "--json", path]) == 2
    assert "--json: needs a file that can be written" in capsys.readouterr().err


def test_no_report_is_written_over_an_input_or_a_python_file(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = [tmp_path / name for name in ("mine.py", "draws.npy", "v.json")]
    for file in files:
        file.write_text("kept")
    to_mine = ["verify mine.py --json", "verify mine.py --html", "verify mine.py --junit", "errata mine.py --out",
               "verify --claim simplex.cor3.3 --json", "verify --claim simplex.cor3.3 --record",
               "check draws.npy --sarif", "derive simplex.cor3.3 --html", "errata --paper hybrid --html"]  # fmt: skip
    for arguments in to_mine:
        assert main([*arguments.split(), "mine.py"]) == 2, arguments
        assert (
            "needs a file for the output that is not a Python file, got 'mine.py'" in capsys.readouterr().err
        )
    for arguments in ("check draws.npy --json ./draws.npy", "errata --report v.json --out v.json"):
        assert main(arguments.split()) == 2, arguments
        assert "needs a file for the output that is not an input, got " in capsys.readouterr().err
    assert main(["verify", "--json", "mine.py", "--claim", "simplex.cor3.3"]) == 2
    assert "put the note first, or write --json=FILE" in capsys.readouterr().err
    assert [file.read_text() for file in files] == ["kept"] * 3
    for arguments in (
        "verify --claim simplex.cor3.3 --junit -",
        "check draws.npy --html -",
        "derive simplex.cor3.3 --html -",
    ):
        assert main(arguments.split()) == 2, arguments
        assert "needs the name of a file, got '-'" in capsys.readouterr().err


# ---- doctor and figure -----------------------------------------------------------------------------


def test_figures_after_one_without_its_data_are_made(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(name: str, *_: object, **more: object) -> list[Path]:
        if name == "simplex_fig8":
            raise DataUnavailable(
                "wine", needs="scikit-learn", looked="installed packages", hint="install it"
            )
        return [tmp_path / f"{name}.png"]

    monkeypatch.setattr("rftheory.papers.figures.regenerate", made)
    assert main(["figure", "simplex_fig8", "simplex_fig6", "--out", str(tmp_path)]) == 1
    printed = capsys.readouterr()
    assert printed.out == f"{tmp_path / 'simplex_fig6.png'}\n"
    assert "wine: scikit-learn not found" in printed.err
    assert "1 of 2 figures not made because data are missing" in printed.err


def test_a_session_without_cupy_says_what_provides_it_and_writes_nothing(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "without"
    folder.mkdir()
    (folder / "cupy.py").write_text("raise ImportError('none here')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(tmp_path)
    told = output(capsys, "doctor", "--gpu", code=2)
    assert re.match(r"device: missing, [0-9.]+ s: CuPy is not installed: make gpu, .* pip install cupy", told)
    assert "nothing was measured" in told
    assert list(tmp_path.iterdir()) == [folder]


def test_options_of_a_session_need_one(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rftheory.sample.arrays.cupy_problem", lambda: "no CUDA device answers")
    monkeypatch.setattr("os.environ", dict(os.environ))
    for words, needed in (
        (["--out", "gpu.json"], "--out: needs --gpu"),
        (["--seconds", "9"], "--seconds: needs --gpu"),
        (["--parts", "device"], "--parts: needs --gpu"),
        (["--device", "0,1", "--gpu"], "--device: needs the number of one device"),
        (["--device", "0"], "--device: needs a CUDA device that answers, got '0'"),
    ):
        assert main(["doctor", *words]) == 2
        assert needed in capsys.readouterr().err


def test_doctor_says_what_is_installed(capsys: Captured) -> None:
    found = json.loads(output(capsys, "doctor", "--json"))
    assert found["rftheory"] == __version__
    assert found["numpy"][0].isdigit()
    assert found["backend auto"] in {"numpy", "cupy"}
    text = output(capsys, "doctor")
    assert all(name in text for name in found)


# ---- misuse ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("eval simrf_conformity d=1 v=1", ["OutsideDomain", "simrf_conformity", "d >= 2", "got 1"]),
        ("eval simrf_conformity d=2.5 v=1", ["OutsideDomain", "simrf_conformity", "integer d", "2.5"]),
        ("eval simrf_conformity d=2 v=-1", ["OutsideDomain", "simrf_conformity", "v >= 0", "got -1"]),
        ("eval simrf_conformity d=2 v=nan", ["InvalidInput", "simrf_conformity: v", "number", "nan"]),
        ("eval simrf_conformity d=2 v=inf", ["InvalidInput", "simrf_conformity: v", "number", "inf"]),
        ("eval simrf_conformity d=2 v=one", ["InvalidInput", "simrf_conformity: v", "number", "one"]),
        ("eval simrf_conformity d=2 v=1 --digits 0", ["InvalidInput", "digits", "from 1", "got 0"]),
        ("eval simrf_conformity d=2 v=1 --route x", ["UnknownName", "route of simrf_conformity", "'x'"]),
        ("eval simrf_conformty d=2 v=1", ["UnknownName", "formula", "did you mean 'simrf_conformity'"]),
        ("eval simrf_conformity d=2 w=1", ["UnknownName", "variable of simrf_conformity", "'w'"]),
        ("eval simrf_conformity d=2", ["InvalidInput", "simrf_conformity", "a value for v", "got None"]),
        ("eval simrf_conformity d=2 v=1 v=2", ["InvalidInput", "eval", "one value for v", "['1', '2']"]),
        ("eval simrf_conformity d=2 v", ["InvalidInput", "eval", "key=value", "'v'"]),
        ("eval prf_mse_iid m=0 v=1 x=1 y=1", ["OutsideDomain", "prf_mse_iid", "m >= 1", "got 0"]),
        ("eval orf_conformity d=2 v=1 --latex", ["InvalidInput", "--latex", "no values", "'d=2 v=1'"]),
        ("eval", ["InvalidInput", "eval", "the name of a formula", "rftheory list"]),
        ("derive", ["InvalidInput", "derive", "the id of a statement", "rftheory list"]),
        ("derive simplex.lem9.9", ["UnknownName", "derivation", "'simplex.lem9.9'"]),
        ("verify --claim simplex.thm3.22", ["UnknownName", "statement", "did you mean 'simplex.thm3.2'"]),
        ("verify --paper simplx", ["UnknownName", "paper", "did you mean 'simplex'"]),
        (
            "verify --evidence guessed",
            ["InvalidInput", "--evidence", "derived, certified, sampled", "guessed"],
        ),
        ("verify --evidence ,", ["InvalidInput", "--evidence", "derived, certified, sampled", "','"]),
        ("verify --effort 0", ["InvalidInput", "--effort", "(0, 1e6]", "0.0"]),
        ("verify --effort nan", ["InvalidInput", "--effort", "(0, 1e6]", "nan"]),
        ("verify --jobs 0", ["InvalidInput", "--jobs", "an integer from 1 to 1024", "got 0"]),
        ("figure simplex_fig9", ["UnknownName", "figure", "did you mean 'simplex_fig"]),
        ("figure", ["InvalidInput", "figure", "a name or --all", "simplex_fig6"]),
    ],
)
def test_misuse_ends_with_code_2_and_says_why(capsys: Captured, arguments: str, words: list[str]) -> None:
    assert main(arguments.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("rftheory: ")
    assert printed.err.count("\n") == 1
    for word in words:
        assert word in printed.err


def test_the_kinds_that_the_command_line_names_are_those_of_evidence() -> None:
    assert tuple(Kind) == KINDS


NUMBERS = {
    "verify --jobs": ("0", "-1", "1025"), "errata --jobs": ("0",), "site public --jobs": ("0",),
    "verify --seed": ("-1",), "verify --effort": ("0", "nan", "1e7"), "verify --time-limit": ("-1", "inf", "1e8"),
    "verify --evidence": ("guessed", "derived,x", ","),
    "eval orf_conformity --time-limit": ("0",), "figure simplex_fig6 --time-limit": ("nan",),
    "derive simplex.lem4.1 --time-limit": ("-1",), "doctor --gpu --seconds": ("0",),
    "check a:b --seconds": ("0",), "check a:b --call-seconds": ("0",), "check a:b --goal": ("1",),
    "check a:b --threads": ("0",), "check a:b --seed": ("-1",), "check a:b --lengthscale": ("inf",),
    "choose x.npy --error": ("0",), "choose x.npy --features": ("0",), "choose x.npy --budget": ("-1",),
    "choose x.npy --pairs": ("1",), "choose x.npy --time-limit": ("0",),
    "choose x.npy --seed": ("-1",), "choose x.npy --lengthscale": ("-1",),
}  # fmt: skip


def test_numbers_out_of_range_are_refused_before_anything_is_loaded() -> None:
    given = [[*command.split(), value] for command, values in NUMBERS.items() for value in values]
    program = f"""
import sys
from rftheory.cli import main
for arguments in {given!r}:
    assert main(arguments) == 2, arguments
print({{"numpy", "sympy"}} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    for arguments, said in zip(given, done.stderr.splitlines(), strict=True):
        assert re.match(rf"rftheory: InvalidInput: {arguments[-2]}: needs .*, got ", said), said


def test_a_seed_that_is_none_is_misuse(capsys: Captured) -> None:
    # The streams are made inside the checks, after which the claim would be undecided.
    assert main(["verify", "--claim", "simplex.cor3.3", "--seed", "-1"]) == 2
    assert "--seed: needs an integer of at least 0, got -1" in capsys.readouterr().err


def test_a_report_that_cannot_be_written_is_misuse(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "report.json"
    assert main(["verify", "--claim", "simplex.cor3.3", "--json", str(path)]) == 2
    assert str(path) in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main(["figure", "simplex_fig6", "--out", str(tmp_path / "file")]) == 2
    assert str(tmp_path / "file") in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["referee"], ["verify", "--seed", "x"], ["eval", "--digits", "many"]]
)
def test_what_cannot_be_parsed_is_misuse(capsys: Captured, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: rftheory" in capsys.readouterr().err


def test_version(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"rftheory {__version__}\n"


def test_the_help_of_errata_says_how_long_all_sources_take(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["errata", "--help"])
    said = capsys.readouterr().out
    assert "All sources take about half a minute" in said
    assert "name one with --paper" in said
