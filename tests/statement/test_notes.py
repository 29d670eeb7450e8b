"""Notes from outside: what is planted in them is found, what is true is not refuted, and the command says so."""

from __future__ import annotations

import html
import json
import math
import random
import re
import sys
import time
from pathlib import Path

import pytest
import sympy
from flint import ctx
from sympy import Rational

from rftheory.author import (
    Rows,
    conformity,
    coupling,
    d,
    exp,
    forget,
    i,
    iid,
    m,
    orthogonal,
    trigonometric,
    v,
    z,
)
from rftheory.cli import main
from rftheory.errors import DeclarationFailed, InvalidInput
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import FORMULAS, Formula, Variable, register
from rftheory.exact.frame_moments import central_moments_of
from rftheory.judge import Budget, Decision, Kind
from rftheory.statement import judging, settle
from rftheory.statement.atoms import FormulaOf
from rftheory.statement.domain import Domain
from rftheory.statement.judging import judge
from rftheory.statement.mutate import mutants
from rftheory.statement.pairs import D, pairs_of_block
from rftheory.statement.pointwise import decide
from rftheory.statement.run import NoteReport, judge_note, read_note
from rftheory.statement.sampled import drawn, known, planned
from rftheory.statement.search import search
from rftheory.statement.settle import alone
from rftheory.statement.statement import Note, Statement
from rftheory.statement.words import Claim, Side, claimed, gaussian, mean, mse, positive

pytestmark = pytest.mark.usefixtures("no_trace")
NOTES = Path(__file__).parents[1] / "notes"
X, EPS = sympy.Symbol("X", real=True), sympy.Symbol("eps", positive=True)
PLANTED = {
    "antithetic": {"fourier"},
    "cross_polytope": {"constant", "direction", "domain", "limit"},
    "antimonotone": {"exponent", "factor", "direction", "domain"},
    "exponential_features": {"domain", "limit", "order", "constant"},
    "mirrored_simplices": {"term", "order", "constant", "block", "tie", "domain"},
    "error_bounds": {"sharper", "always", "exponential", "faster"},
}
OPEN = {
    "mirrored_simplices": {"better"},
    "error_bounds": {"coupled"},
}


def note(name: str) -> Note:
    return read_note(NOTES / f"{name}.py")


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found_and_nothing_else(name: str) -> None:
    found: dict[Decision, set[str]] = {decision: set() for decision in Decision}
    for statement in note(name).statements:
        found[alone(statement)].add(statement.id.partition(".")[2])
    assert found[Decision.FAILS] == PLANTED[name]
    assert found[Decision.UNDECIDED] == OPEN.get(name, set())


def test_what_is_right_is_proposed_and_proved() -> None:
    fourier, limit = note("antithetic").select("fourier")[0], note("exponential_features").select("limit")[0]
    assert "with the right side times 2: proved" in judge(fourier).proposals
    assert any(p.endswith("v**4*exp(v**2)/2: proved") for p in judge(limit).proposals)


def test_an_edited_statement_gets_another_verdict_or_is_true() -> None:
    """An edit of any number, sign, direction, strictness, coupling or end of a domain of what holds.

    What holds after the edit is proved anew, and a search of its own finds nothing against it: such edits weaken a
    statement, or reach a domain where it is true as well.
    """
    edits = [
        (what, changed)
        for name, planted in PLANTED.items()
        for statement in note(name).statements
        if statement.id.partition(".")[2] not in planted | OPEN.get(name, set())
        for what, changed in mutants(statement)
    ]
    random.Random(7).shuffle(edits)
    decisions = {}
    for what, changed in edits[:24]:
        decisions[changed.id, what] = decision = alone(changed)
        if decision is Decision.HOLDS:  # then it is no mistake
            assert search(changed.parts, changed.domain, most=150).witness is None, (changed.id, what)
    counts = {decision: list(decisions.values()).count(decision) for decision in Decision}
    assert counts[Decision.FAILS] >= len(decisions) / 3, decisions


def test_a_note_runs_from_outside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "outside.py"
    assert main(["new", str(file)]) == 0
    assert main(["new", str(file)]) == 2
    report = tmp_path / "report.json"
    assert main(["verify", str(file), "--time-limit", "0", "--json", str(report), "--explain"]) == 0
    said = {s["id"]: s["verdict"]["decision"] for s in json.loads(report.read_text())["statements"]}
    assert said == {
        "outside.mean": "holds",
        "outside.better": "holds",
        "outside.large d": "holds",
        "outside.too strong": "fails",
    }
    text = capsys.readouterr().out
    assert "planted error refuted" in text
    assert "\\" not in text


@pytest.mark.parametrize("name", ["random.py", "json.py", "numpy.py", "class.py", "my-note.py"])
def test_no_note_is_begun_that_python_could_not_import(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", str(tmp_path / name)]) == 2
    assert name in capsys.readouterr().err
    assert not (tmp_path / name).exists()


def test_every_report_names_a_condition_that_laws_narrow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "narrow_domain.py"
    claim = "mse(positive(simplex, m=m)) <= mse(positive(orthogonal, m=m))"
    file.write_text(
        f"from rftheory.author import *\nnote('narrow')\nstatement('a', '', {claim}, over=d >= 1)\n"
        f"statement('b', '', {claim})\n"
    )
    forms = {form: tmp_path / f"narrow.{form}" for form in ("json", "html", "markdown")}
    options = [word for form, path in forms.items() for word in (f"--{form}", str(path))]
    assert main(["verify", str(file), "--time-limit", "0", "--evidence", "certified", *options]) == 0
    says = "d >= 1 was narrowed to d >= 2, from which on simplex exists"
    assert capsys.readouterr().out.count(f" over      {says}\n") == 1
    assert [one["narrowing"] for one in json.loads(forms["json"].read_text())["statements"]] == [[says], []]
    assert f"- over: {says}\n" in forms["markdown"].read_text()
    assert html.escape(says) in forms["html"].read_text()


NOTE = """
from rftheory.author import (
    I, Rational, Rows, Term, coupling, d, exp, feature_map, gaussian, mean, mse, note, orthogonal, positive, statement,
    v, with_features, x, y, z,
)
note("twins", title="One norm for all", year=2026)
TWINS = coupling("twins", rows=[Rows(d, norm=0), Rows(d, norm=0, sign=-1)])
HALF = feature_map(
    "half-half", "half positive, half trigonometric", "ours", Term(x + y, -(x**2 + y**2) / 2, weight=Rational(1, 2)),
    Term(I * (x - y), (x**2 + y**2) / 2, weight=Rational(1, 2)),
)
law = exp(-(v**2) - z**2) * (exp(v**2) - 1) ** 2 / d
statement("law", "Theorem 1", mse(positive(TWINS)) == law / 2)
statement("twice", "Theorem 1", mse(positive(TWINS)) == law)
statement("mirrored", "Theorem 2", mse(positive("mirrored")) < mse(positive(TWINS)), over=(d >= 2, v > 0))
statement("wins", "Theorem 3", mse(positive(TWINS)) <= mse(positive(orthogonal, m=2 * d)), over=(d >= 2, v > 0))
statement("half", "Lemma 4", mean(with_features(HALF)(TWINS)) == gaussian)
statement("half error", "Lemma 4", mse(with_features(HALF)(TWINS)) <= law)
"""


def test_one_norm_for_all_rows_is_read_off_for_all_d(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Orthogonal rows of one norm are as good as independent ones; two statements are false, in different ways.

    What has no value anywhere says why, and the reports are written for notes too.
    """
    file = tmp_path / "twins.py"
    file.write_text(NOTE)
    page, junit, table = (tmp_path / name for name in ("twins.html", "twins.xml", "twins.md"))
    arguments = ["verify", str(file), "--time-limit", "0", "--markdown", str(table)]
    assert main([*arguments, "--html", str(page), "--junit", str(junit)]) == 1
    said = capsys.readouterr().out
    for words in (
        "twins.law         holds (proved)", "twins.twice       fails", "twins.mirrored    holds (certified)",
        "twins.half        holds (proved)", "counterexample d = 3, v = 2", "its slopes are not multiples",
    ):  # fmt: skip
        assert words in said, words
    assert "counterexample d = 3, v = 2" in page.read_text()
    assert 'tests="6" failures="2"' in junit.read_text()
    assert '<failure message="fails">' in junit.read_text()
    text = table.read_text()
    assert text.startswith("# Verdicts on One norm for all (2026)\n\n6 statements: ")
    for words in (
        "## Theorem 3: fails, certified\n\n`twins.wins`: $",
        "- nearby: with the right side times 1/2: proved",
    ):
        assert words in text, words
    assert not any("recorded" in form for form in (said, text, page.read_text(), junit.read_text()))
    assert main(["verify", str(file), "--quick"]) == 2


WRONG = """
from rftheory.author import conformity, exp, for_some, gaussian, mean, note, orthogonal, positive, simplex, statement, v
note("wrong")
statement("strict", "eq. (1)", conformity(orthogonal) < exp(v**2), prints="is strictly smaller")
statement("some", "eq. (2)", for_some(v, conformity(orthogonal).at(d=4) > exp(v**2), 0, 3))
statement("mean", "eq. (3)", mean(positive(simplex)) == gaussian)
"""


def test_errata_and_options_work_for_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page = tmp_path / "wrong.py", tmp_path / "errata.html"
    file.write_text(WRONG)
    assert main(["errata", str(file), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "is strictly smaller" in said
    assert "counterexample d = 2, v = 0" in said
    assert "with <=" in said
    assert "severity" not in said
    assert "wrong.mean" not in said
    assert main(["errata", str(file), "--jobs", "1", "--claim", "strict", "--html", str(page)]) == 0
    text = page.read_text()
    assert "<h1>Errata for wrong</h1>\n<p>The statements of the note that fail." in text
    assert "counterexample d = 2, v = 0: conformity(orthogonal) = 1 = 1 = exp(v**2)" in text
    assert "<dt>nearby</dt><dd>with &lt;= in place of &lt;: certified" in text
    assert "what is wrong" not in text
    only = ["verify", str(file), "--time-limit", "0", "--evidence"]
    assert main([*only, "sampled", "--claim", "mean", "--effort", "0.5", "--explain"]) == 0
    said = capsys.readouterr().out
    assert re.search(
        r"32768 draws; a relative error of 0\.0\d+ would have been seen with probability 0\.99\d+;", said
    )
    assert "derived" not in said
    assert main([*only, "certified", "--claim", "some"]) == 1
    assert "conformity(orthogonal, d = 4) <= exp(v**2) for all v >= 0, v <= 3" in capsys.readouterr().out
    refused = {
        "--engine": "kernels",
        "--backend": "cupy",
        "--device": "0",
        "--evidence": "x",
        "--effort": "0",
    }
    for option, value in refused.items():
        assert main(["verify", str(file), option, value]) == 2
        assert option in capsys.readouterr().err


EXPECTED = """
from rftheory.author import conformity, decreasing, exp, increasing, note, orthogonal, statement, v
note("expected")
statement("found", "eq. (1)", conformity(orthogonal) < exp(v**2), expect="fails")
statement("differs", "eq. (2)", increasing(exp(-v), v), expect="holds")
statement("new", "eq. (3)", decreasing(exp(v), v))
"""


def test_a_verdict_is_compared_with_what_is_expected_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, page, junit = (tmp_path / f"expected.{ending}" for ending in ("py", "html", "xml"))
    file.write_text(EXPECTED)
    forms = ["--html", str(page), "--junit", str(junit)]
    assert main(["verify", str(file), "--time-limit", "0", "--mutate", "--explain", *forms]) == 1
    said = capsys.readouterr().out
    for words in (
        "conformity(orthogonal) < exp(v**2)   (as expected)", "exp(-v) increases in v   (expected holds)",
        "exp(v) decreases in v\n", "3 statements: 3 fail (1 as expected); not as expected: expected.differs",
        "counterexample v = 1/2: the value is 0.606531, but 0.472367 at v = 3/4, where it should be larger",
        " changes   true: with <= in place of <", " changes of the statements: ", " true\n",
    ):  # fmt: skip
        assert words in said, words
    assert "still true" not in said
    assert 'message="expected holds, got fails"' in junit.read_text()
    assert page.read_text().count("(as expected)") == page.read_text().count("(expected holds)") == 1
    assert main(["errata", str(file), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "3 statements were judged: 0 hold, 3 fail, 0 undecided." in said
    assert "`expected.differs`" in said


SAMPLERS = """
from rftheory.author import Rows, conformity, coupling, d, mse, note, positive, statement
note("samplers_of_a_note")
SHARED = coupling("one norm", rows=Rows(d, norm=0))
@SHARED.sampler(norms=lambda d: 1)
def shared(frame, norms, xp):
    return 2 * norms[..., None] * frame  # wrong
OWN = coupling("own norms", rows=Rows(d))
@OWN.sampler
def own(frame, norms, xp):
    return norms[..., None] * frame
FRAME = coupling("another frame", rows=Rows(d))
FRAME.sampler(own)
statement("shared", "ours", mse(positive(SHARED)) >= 0)
statement("own", "ours", mse(positive(OWN)) >= 0)
statement("frame", "ours", conformity(FRAME) >= 1)
"""


def test_a_sampler_that_is_not_tested_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, report = tmp_path / "samplers_of_a_note.py", tmp_path / "report.json"
    file.write_text(SAMPLERS)
    verify = ["verify", str(file), "--time-limit", "0"]
    assert main([*verify, "--json", str(report)]) == 0
    said = capsys.readouterr().out
    for words in (
        "sampler of one-norm: not tested (the moments of its draws are not known, too large for a test, or no larger "
        "than rounding errors)",
        "sampler of own-norms: tested by the draws for samplers_of_a_note.own\n",
        "sampler of another-frame: not tested (no judged statement is about its mean or mse); `rftheory check",
    ):
        assert words in said, words
    samplers = json.loads(report.read_text())["samplers"]
    assert [(one["name"], len(one["tested_by"])) for one in samplers] == [
        ("one-norm", 0), ("own-norms", 1), ("another-frame", 0),
    ]  # fmt: skip
    assert main([*verify, "--evidence", "derived", "--claim", "own"]) == 0
    assert "sampler of own-norms: not tested (no draws were asked for)" in capsys.readouterr().out


SPELLED = """
from rftheory.author import Rows, coupling, d, gaussian, mean, note, positive, statement
note("spelled")
for n, name in enumerate(("plain name", "Capital", "two words", "under_score")):
    C = coupling(name, rows=Rows(d))
    @C.sampler
    def draw(frame, norms, xp):
        return 2 * norms[..., None] * frame  # wrong
    statement(f"s{n}", "ours", mean(positive(C)) == gaussian)
"""


def test_the_sampler_of_a_coupling_is_drawn_however_its_name_is_spelled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "spelled.py"
    file.write_text(SPELLED)
    assert main(["verify", str(file), "--time-limit", "0"]) == 2
    said = capsys.readouterr().out
    assert said.count("the sampler and the declaration differ") == 4
    for n, name in enumerate(("plain-name", "capital", "two-words", "under-score")):
        assert f"sampler of {name}: differs from its declaration in the draws for spelled.s{n}\n" in said
    assert "spelled: 4 statements: 4 undecided\n" in said


@pytest.mark.parametrize("true", [True, False])
@pytest.mark.parametrize("kinds", [tuple(Kind), (Kind.CERTIFIED, Kind.SAMPLED), (Kind.SAMPLED,)])
def test_a_sampler_that_differs_from_its_declaration_refutes_no_claim(
    true: bool, kinds: tuple[Kind, ...]
) -> None:
    """It is a contradiction, with a proof or without one; what is false has its counterexample, and is not drawn."""
    short = coupling("short-rows", "orthogonal rows", "a test", rows=Rows(d))
    short.sampler(lambda frame, norms, xp: 0.9 * norms[..., None] * frame)
    try:
        claim = mean(positive("short-rows")) == (1 if true else 2) * gaussian
        verdict = judge(
            Statement("n.short", "", claim, Domain.of(claim, ())), budget=Budget(1e-6), kinds=kinds
        ).verdict
    finally:
        forget("short-rows")
    if true or kinds == (Kind.SAMPLED,):
        assert (verdict.decision, verdict.contradiction) == (Decision.UNDECIDED, True)
        assert "the sampler and the declaration differ" in verdict.reason
    else:
        assert (verdict.decision, verdict.contradiction) == (Decision.FAILS, False)


@pytest.mark.parametrize(
    ("quantity", "size", "trusted"),
    [
        (mean(trigonometric(orthogonal, m=2)), Rational(1, 10**4), True),
        (mean(trigonometric(orthogonal, m=2)), Rational(1, 10**8), False),
        (mse(trigonometric(orthogonal, m=2)), Rational(1, 10**4), True),
        (mean(positive(orthogonal, m=2)), Rational(1, 10**6), True),
        (mean(positive(orthogonal, m=2)), Rational(1, 10**15), False),
        (mse(positive(orthogonal, m=2)), Rational(1, 10**15), False),
    ],
)
def test_rounding_errors_refute_no_sampler(quantity: Side, size: Rational, trusted: bool) -> None:
    """At a kernel next to 1 doubles hold estimates to 1e-16, and the mean of so rounded ones is another."""
    claim = quantity <= 2
    over = (size / 2 < z, z <= size, size / 2 < v, v <= size)[
        : 4 if v in quantity.expression.free_symbols else 2
    ]
    statement = Statement("n.small", "", claim, Domain.of(claim, over))
    found = drawn(statement, planned(statement)[0], Budget(1e-6), 0)
    assert (found is not None) == trusted
    assert found is None or (found.decision, found.control) == (Decision.HOLDS, True)


def test_moments_of_draws_are_accurate_where_they_are_small() -> None:
    """To 120 bits, no digit of this variance is right."""
    error = mse(trigonometric("simplex", m=4)).at(d=4, v=1, z=Rational(1, 10**4)).expression
    law = known(error)
    assert law is not None
    with ctx.workprec(1000):
        mu = central_moments_of(error.law(), 4)
        assert law.variance == pytest.approx(float(mu[4] - mu[2] ** 2), rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("claim", "how", "share"),
    [
        (mean(positive("simplex")) == gaussian, "1024 draws", 1),
        # at v = 1/2 the mean squared error is this share of the second moment, and the error is one of the former
        (
            mse(positive("iid", m=2)) > 0,
            "1024 tilted draws of its second moment",
            1 - 2 / (math.exp(1 / 4) + 1),
        ),
    ],
)
def test_a_sampled_line_says_how_large_an_error_it_would_have_seen(
    claim: Claim, how: str, share: float
) -> None:
    statement = Statement("n.claim", "", claim, Domain.of(claim, ()))
    (atom,) = planned(statement)
    one, two = (drawn(statement, atom, Budget(1e-6), seed, 1024) for seed in (0, 1))
    assert one is not None
    assert two is not None
    assert one.summary == two.summary
    size = re.search(
        how + r"; a relative error of (\S+) would have been seen with probability 0\.999$", one.summary
    )
    assert size is not None
    least = one.details["test"]["detectable"] / share
    assert 0.99 * least <= float(size[1]) <= 2.5 * least


@pytest.mark.parametrize(
    "rows",
    [
        Rows(d, norm=0),
        [Rows(d, norm=0), Rows(d, norm=0, sign=-1)],
        [Rows(d, norm=0), Rows(d, norm=1, sign=-1)],
        [Rows(d, norm=0), Rows(d, norm=1 + i, sign=-1)],
        [Rows(d), Rows(d, norm=d, sign=-1)],
        [Rows(d, norm=0), Rows(d, sign=-1)],
        [Rows(d, norm=0), Rows(d, norm=0, sign=-1, reflected=True)],
    ],
)
def test_pairs_that_share_norms_are_those_that_are_counted(rows) -> None:
    one = coupling("counted-pairs", rows=rows)
    found = pairs_of_block(one)
    for dim in range(1, 8):
        read = {
            (int(c), norms): int(count.subs(D, dim))
            for (c, norms), count in found.items()
            if count.subs(D, dim)
        }
        assert read == {(int(r.cosine), r.norms): count for r, count in one.pairs(dim, one.size(dim)).items()}
    forget("counted-pairs")


def test_a_name_that_is_declared_anew_stands_for_the_new_rows() -> None:
    """Orthogonal rows of one norm are as good as independent ones, those of independent norms are better."""
    for norm, truth in ((0, False), (i, True)):
        rows = coupling("declared-twice", rows=Rows(d, norm=norm))
        claim = conformity(rows).at(d=3, v=1) < exp(sympy.Integer(1))
        assert decide(claimed(claim).parts[0], {}, Domain({}))[0] is (truth or None)
        forget("declared-twice")


def test_a_formula_that_is_registered_anew_has_its_new_value() -> None:
    x = sympy.Symbol("x", real=True)
    asked = FormulaOf.of("registered_twice", x=2)
    try:
        for expression, value in ((x + 1, 3), (x + 5, 7)):
            register(Formula("registered_twice", "a sum", "ours", (Variable(x, "a number"),), expression))
            assert evaluate(asked) == value
    finally:
        del FORMULAS["registered_twice"]


def test_neighbouring_files_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "neighbour_words.py").write_text(
        "from rftheory.author import orthogonal\nROWS = orthogonal\n"
    )
    file = tmp_path / "imports_a_neighbour.py"
    file.write_text(
        "from neighbour_words import ROWS\n"
        "from rftheory.author import conformity, exp, note, statement, v\n"
        "note('imports_a_neighbour')\n"
        "statement('a', '', conformity(ROWS) > exp(v**2), over=v > 0)\n"
    )
    assert main(["verify", str(file), "--time-limit", "0"]) == 1


def test_a_statement_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    file = tmp_path / "takes_long.py"
    file.write_text(
        "import time\n"
        "from rftheory.author import conformity, exp, note, orthogonal, statement, v\n"
        "from rftheory.statement import settle\n"
        "note('takes_long')\n"
        "statement('a', '', conformity(orthogonal) < exp(v**2), over=v > 0, expect='holds')\n"
        "if __name__ != '__main__':\n"
        "    settle.proved = lambda statement: time.sleep(60)\n"
    )
    original = settle.proved
    try:
        (result,) = judge_note(file, time_limit=3)
    finally:
        settle.proved = original
    assert result.verdict.decision is Decision.UNDECIDED
    assert "stopped after 3 s" in result.verdict.reason


def test_a_refutation_says_that_the_search_for_what_is_right_was_stopped(tmp_path: Path) -> None:
    file = tmp_path / "is_late.py"
    file.write_text(
        "import time\n"
        "from rftheory.author import conformity, exp, note, orthogonal, statement, v\n"
        "from rftheory.statement import judging\n"
        "note('is_late')\n"
        "statement('a', '', conformity(orthogonal) > exp(v**2), over=v > 0, expect='fails')\n"
        "if __name__ != '__main__':\n"
        "    judging.proposals_for = lambda *_: time.sleep(60)\n"
    )
    original = judging.proposals_for
    try:
        (result,) = judge_note(file, time_limit=3)
    finally:
        judging.proposals_for = original
    assert result.verdict.decision is Decision.FAILS
    assert all(piece.decision is Decision.FAILS for piece in result.verdict.evidence)
    (said,) = result.proposals
    assert said == "the search for what is right was stopped after 3 s; a longer --time-limit may find it"


def test_a_note_may_hold_its_own_proof_as_the_guide_shows(tmp_path: Path) -> None:
    guide = (NOTES.parents[1] / "docs" / "notes.md").read_text(encoding="utf-8").split("## Proofs")[1]
    shown = [line.strip() for line in guide.split("## Recorded")[0].splitlines() if line.startswith("    ")]
    file = tmp_path / "own_proof.py"
    file.write_text(
        "from rftheory.author import equal, exp, note, statement, v\nnote('own_proof')\n" + "\n".join(shown)
    )
    (result,) = judge_note(file, time_limit=0)
    assert any(piece.summary == "derivation square, step square/1" for piece in result.verdict.evidence)


PROVING = """
from rftheory.author import *
from rftheory.exact.formula import Variable
from rftheory.exact.proof import Derivation, Step
from rftheory.exact.proof.rules import Rewrite
note("proving_note")
sides = (exp(v) + 1) ** 2, exp(2 * v) + 2 * exp(v) + 1
def proof(name, left, right):
    step = Step(f"{name}/1", left, right, reason="the binomial formula", check=Rewrite())
    return Derivation(name, "A square", "written out", (Variable(v, "|x + y|", above=0),), (step,), points=({"v": 1},))
SQUARE = proof("own-square", *sides)
statement("right", "ours", equal(*sides), over=v > 0, proof=SQUARE)
statement("wrong", "ours", equal(*sides), over=v > 0, proof=proof("own-cube", sides[0], sides[1] + v))
"""


def test_a_derivation_of_a_note_is_replayed_and_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "proving_note.py"
    file.write_text(PROVING)

    def derived(*asked: str) -> tuple[int, str, str]:
        code = main(["derive", *asked, "--with", str(file)])
        return code, *capsys.readouterr()

    for name in ("own-square", "right", "proving_note.right"):
        code, text, _ = derived(name)
        assert code == 0
        assert text.startswith("own-square: A square\n")
        assert "[proved] 1, added\n" in text
        assert text.endswith("\nverdict: proved\n")
    assert derived("own-square", "--latex")[1].startswith("\\begin{align*}\n\\left(e^{v} + 1\\right)^{2} &=")
    assert json.loads(derived("own-square", "--json")[1])["holds"] is True
    code, text, _ = derived("own-cube")
    assert (code, text.splitlines()[-1]) == (1, "verdict: fails, by step 1")
    assert derived("--list")[1].endswith("\nown-square: A square\nown-cube: A square\n")
    assert derived("lemma.wallis")[1].endswith("a lemma that other derivations use\n")
    page = tmp_path / "own.html"
    assert derived("right", "--html", str(page))[0] == 0
    assert "<p>Every step stands.</p>" in page.read_text()
    assert derived()[2].endswith("got None; such as own-square, own-cube\n")
    assert "unknown derivation 'own-squar'; did you mean 'own-square'?" in derived("own-squar")[2]


def test_two_derivations_of_one_id_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proving_twice.py"
    file.write_text(
        PROVING.replace("proving_note", "proving_twice") + 'OTHER = proof("own-square", *sides)\n'
    )
    assert main(["derive", "own-square", "--with", str(file)]) == 2
    assert "needs an id for each derivation, got 'two named own-square'" in capsys.readouterr().err


def test_verdicts_on_a_note_are_no_report_on_the_catalogue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "verdicts.json"
    report.write_text(json.dumps(NoteReport("mine", ()).to_dict()))
    assert main(["errata", "--report", str(report)]) == 2
    assert re.search(r"those on the note mine.*rftheory errata NOTE\.py", capsys.readouterr().err)


def test_a_note_without_statements_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "without_statements.py"
    file.write_text('from rftheory.author import note\nnote("empty")\n')
    for verb in ("verify", "errata"):
        assert main([verb, str(file)]) == 2
        assert "empty: needs a statement, got 'none'" in capsys.readouterr().err


def test_a_note_that_is_never_read_is_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "never_read.py"
    file.write_text("x = 1\nwhile True:\n    pass\n")
    for option in ([], ["--contradictions"]):
        assert main(["verify", str(file), "--time-limit", "0.2", *option]) == 2
        said = capsys.readouterr().err
        assert re.search(r"never_read\.py, line [23]: not read after 0\.2 s; .*--time-limit", said)
    assert "never_read" not in sys.modules


def test_a_note_that_keeps_the_alarm_to_itself_is_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, start = tmp_path / "keeps_on.py", time.monotonic()
    file.write_text(
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass\n"
    )
    assert main(["verify", str(file), "--time-limit", "0.2"]) == 2
    assert "keeps_on.py, line" in capsys.readouterr().err
    assert time.monotonic() - start < 30


def test_a_note_whose_import_takes_longer_says_how_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import is finished first; what is said is the time that passed."""
    file = tmp_path / "imports_slowly.py"
    (tmp_path / "a_slow_import.py").write_text("import time\ntime.sleep(1.5)\n")
    file.write_text("import a_slow_import\nwhile True:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        with pytest.raises(DeclarationFailed, match=r"not read after (1\.[5-9]|[2-9][.0-9]*) s"):
            read_note(file, 0.2)
    finally:
        sys.modules.pop("a_slow_import", None)


@pytest.mark.parametrize(
    ("line", "needs"),
    [
        ("statement('a', '', exp(v) == exp(v))", "equal(left, right)"),
        ("statement('a', '', conformity(orthogonal) < 0.5)", "an exact number, got 0.5"),
        ("statement('a', '', ((v < 1) | (z < 1)) & (d >= 2))", "a relation between expressions"),
        ("statement('a', '', conformity(orthogonal) > 1, over=((v < 1) | (v > 3)) & (d > 3))", "a relation"),
        ("statement('a', '', v <= 0.3, over=v <= Rational(3, 10))", "exact numbers, got 'v <= 0.3'"),
        ("statement('a', '', conformity(orthogonal) > 1, over=v > 0.5)", "exact numbers, got 'v > 0.5'"),
        ("statement('a', '', 1 < conformity(orthogonal) < 2)", "&"),
        ("statement('a', '', conformity(orthogonal) > 1, expect='true')", "expect"),
        ("statement('a', '', conformity(orthogonal) > 1, over=v * 2)", "relation"),
        ("statement('a', '', conformity(orthogonal) > 1, over=0 < v < 1)", "(0 < v, v < 1)"),
        (
            "statement('a', '', conformity(orthogonal) > 1, over=v < 0)",
            "some values meet, got 'one that none",
        ),
        ("central_moment(positive(orthogonal), 2.5)", "needs an integer from 2 to 8, got 2.5"),
        ("statement('a', '', conformity(orthogonal) > 1, over=d >= 2 & v > 0)", "(d >= 2) & (v > 0)"),
        ("statement('a', '', conformity(orthgonal) > 1)", "did you mean 'orthogonal'?"),
        ("statement('a', '', conformity(orthogonal).at(d=1) > 1)", "a: m of conformity(orthogonal, d = 1): "),
    ],
)
def test_misuse_says_what_to_do(tmp_path: Path, line: str, needs: str) -> None:
    file = tmp_path / f"misuse_{abs(hash(line))}.py"
    file.write_text(f"from rftheory.author import *\nnote('misuse')\n{line}\n")
    with pytest.raises(DeclarationFailed, match="line 3") as refused:
        read_note(file)
    assert needs in str(refused.value)
    assert main(["verify", str(file)]) == 2


def test_a_file_without_a_note_is_no_note(tmp_path: Path) -> None:
    file = tmp_path / "no_note_here.py"
    file.write_text("x = 1\n")
    with pytest.raises(InvalidInput, match="note"):
        read_note(file)


def test_laws_are_printed_with_the_explanation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, report = tmp_path / "laws_of_a_note.py", tmp_path / "report.json"
    file.write_text(
        "from rftheory.author import *\nnote('laws_of_a_note')\n"
        "statement('a', '', mse(positive(iid, m=m)) > 0, over=(v > 0,))\n"
        "statement('b', '', mean(positive('antimonotone')) < 0)\n"
    )
    assert main(["verify", str(file), "--time-limit", "0", "--explain", "--json", str(report)]) == 1
    said = capsys.readouterr().out
    assert said.count("law       ") == 1
    assert "law       mse(positive x iid, m) = (exp(v**2 - z**2) - exp(-z**2))/m" in said
    kept = json.loads(report.read_text())["statements"]
    assert [list(one["laws"]) for one in kept] == [["mse(positive x iid, m)"], []]


@pytest.mark.parametrize(
    ("over", "wider"),
    [
        ((X >= -4, X <= -3), {"X >= -9, X <= -3", "X >= -4, X <= 1"}),
        ((X > 2, X <= 3), {"X >= 2, X <= 3", "X > 2, X <= 7"}),
        ((X >= 0,), {"X >= -1"}),
        ((v >= 2,), {"v >= 0"}),
        ((EPS >= 2,), {"eps > 0"}),
        ((d >= 3, d <= 5), {"d >= 2, d <= 5", "d >= 3, d <= 11"}),
    ],
)
def test_changes_of_a_domain_make_it_larger(over: tuple[object, ...], wider: set[str]) -> None:
    (symbol,) = over[0].free_symbols  # type: ignore[attr-defined]
    claim = claimed(symbol**2 > symbol)
    found = {what for what, _ in mutants(Statement("n.a", "", claim, Domain.of(claim, over)))}
    assert {what.removeprefix("for ") for what in found if what.startswith("for ")} == wider


def test_changes_of_one_name_are_told_apart() -> None:
    """Of two numbers that are the same, the description says which was changed."""
    claim = claimed(mse(trigonometric(iid, m=m)) <= 2 * exp(-(z**2)))
    found = {what for what, _ in mutants(Statement("n.a", "", claim, Domain.of(claim, ())))}
    assert {"2 -> 3 in 2*exp(-z**2): 3*exp(-z**2)", "2 -> 3 in 2*exp(-z**2): 2*exp(-z**3)"} <= found
    assert "-1 -> 0 in 2*exp(-z**2)" in found
