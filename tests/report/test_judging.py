"""Runs of the catalogue: in several processes, interrupted and gone on with, mutated; and the errata."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rftheory.engine.record import key_of
from rftheory.errors import InvalidInput
from rftheory.index.plain import plain
from rftheory.judge import Budget, Decision, Verdict
from rftheory.papers import CATALOGUE
from rftheory.papers.claim import Fault
from rftheory.report.errata import SCHEMA, errata, to_json, to_markdown
from rftheory.report.explain import explain
from rftheory.report.judging import Settings, judge_all
from rftheory.report.run import Report, Result
from rftheory.statement.evidence import Bench

IDS = ("simplex.def3.1/m=1", "simplex.cor3.3", "simplex.cor4.4")
CLAIMS = [CATALOGUE.claims[identifier] for identifier in IDS]
EXACT = Settings(kinds=("derived", "certified"))
BENCH = Bench(Budget(1e-6), np)


def decisions(results: tuple[Result, ...]) -> list[tuple[str, Decision]]:
    return [(result.claim.id, result.verdict.decision) for result in results]


def test_processes_give_the_same_verdicts_in_the_same_order() -> None:
    alone = judge_all(CLAIMS, EXACT)
    assert decisions(alone) == [(identifier, Decision.FAILS) for identifier in IDS]
    assert decisions(judge_all(CLAIMS, replace(EXACT, jobs=2))) == decisions(alone)


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    record = tmp_path / "verdicts.jsonl"

    def stop(label: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_all(CLAIMS, EXACT, record, stop)
    judged: list[str] = []
    results = judge_all(CLAIMS, EXACT, record, lambda label, done, total: judged.append(label))
    assert judged == [IDS[2]]
    assert decisions(results) == decisions(judge_all(CLAIMS, EXACT))
    with pytest.raises(InvalidInput, match="the record of another job"):
        judge_all(CLAIMS, replace(EXACT, seed=1), record)


def test_a_line_of_a_record_belongs_to_its_claim(tmp_path: Path) -> None:
    record = tmp_path / "verdicts.jsonl"
    judge_all(CLAIMS, EXACT, record)
    header, *lines = record.read_text(encoding="utf-8").splitlines()
    assert json.loads(header)["job"]["settings"]["backend"].startswith("numpy on ")
    entries = [json.loads(line) for line in lines]
    for entry, leaf in zip(entries, (1, 0, 2), strict=True):  # two verdicts change places, with right hashes
        del entry["check"]
        entry["leaf"] = leaf
        entry["check"] = key_of(entry)
    record.write_text("\n".join([header, *map(json.dumps, entries), ""]), encoding="utf-8")
    with pytest.raises(InvalidInput, match=f"one for {IDS[0]} in the place of {IDS[1]}"):
        judge_all(CLAIMS, EXACT, record)


def test_mutations_of_a_statement_are_planted_and_counted() -> None:
    claims = CATALOGUE.select(claim="simplex.lem4.1")
    found = Report(judge_all(claims, Settings(kinds=("derived", "certified"), thorough=True)), {})
    assert len(found.mutants) >= 4
    assert all(found.mutants)
    assert f"{len(found.mutants)} of {len(found.mutants)} mutations caught" in found.summary()


def test_errata_say_what_is_wrong_why_and_what_is_right() -> None:
    found = errata(judge_all(CLAIMS, EXACT), CATALOGUE)
    assert sorted(erratum.id for erratum in found) == sorted(IDS)
    assert all(erratum.confirmed and erratum.why and erratum.wrong and erratum.right for erratum in found)
    content = json.loads(to_json(found))
    assert (content["schema"], len(content["errata"])) == (SCHEMA, 3)
    text = to_markdown(found, CATALOGUE)
    for erratum in found:
        for words in (
            f"`{erratum.id}`",
            erratum.where,
            erratum.judged,
            erratum.wrong,
            erratum.right,
            erratum.why[0],
        ):
            assert words in text


def test_what_holds_is_said_in_words_and_a_refutation_with_its_reason() -> None:
    (claim,) = CATALOGUE.select(claim="simplex.thm3.2/isotropy")
    right = CATALOGUE.claims["simplex.thm3.2/(34)"]
    changed = replace(claim, correction=right.id)
    (erratum,) = errata([Result(changed, changed.judge(BENCH))], CATALOGUE)
    assert "in steps" in right.statement
    assert "in steps" not in erratum.right
    assert erratum.right
    assert right.statement.startswith(erratum.right)
    assert any("both are isotropic" in reason for reason in erratum.why)


def test_one_fault_is_told_once_the_gravest_first_and_readings_apart() -> None:
    first, second, third = CLAIMS
    claims = (
        replace(first, fault=Fault("reading", 1)),
        replace(second, fault=Fault("slip", 1)),
        replace(third, fault=Fault("error", 3, "none", told_by=second.id)),
    )
    results = [Result(claim, claim.judge(BENCH)) for claim in claims]
    found = errata(results, CATALOGUE)
    assert [(e.id, e.also) for e in found] == [(second.id, (third.id,)), (first.id, ())]
    assert "no errata" in to_markdown(found, CATALOGUE)
    graver = replace(claims[2], fault=Fault("error", 3))
    ranked = errata([*results[:2], Result(graver, graver.judge(BENCH))], CATALOGUE)
    assert [e.id for e in ranked] == [third.id, second.id, first.id]


def test_an_erratum_that_is_not_refuted_again_says_so() -> None:
    (claim,) = CATALOGUE.select(claim="simplex.eq22")
    (erratum,) = errata([Result(claim, Verdict(claim.id, Decision.UNDECIDED, (), "nothing"))], CATALOGUE)
    assert not erratum.confirmed
    assert "not confirmed in this run" in to_markdown([erratum], CATALOGUE)


def test_words_of_a_source_are_no_markup() -> None:
    """Lines of a quotation that began with # were headings, and <x> was not seen."""
    (claim,) = CATALOGUE.select(claim="simplex.eq22")
    claim = replace(claim, source="eq. <x>", prints="a *b*\n# [c](d) \\(x_1^*\\)")
    verdict = Verdict(claim.id, Decision.UNDECIDED, (), "nothing")
    note = Report((Result(claim, verdict),), {}, "On <i>rows</i>").to_markdown()
    (erratum,) = errata([Result(claim, verdict)], CATALOGUE)
    said = "- printed: \u201ca \\*b\\* # \\[c\\](d) $x_1^*$\u201d\n"
    for text in (note, to_markdown([erratum], CATALOGUE, "On <i>rows</i>")):
        assert said in text
        assert "eq. \\<x\\>" in text
        assert "On \\<i\\>rows\\</i\\>\n" in text


def test_the_correction_is_explained_with_its_statement() -> None:
    (result,) = judge_all(CATALOGUE.select(claim="simplex.cor3.3"), EXACT)
    text = explain(result, CATALOGUE)
    right = CATALOGUE.claims["simplex.cor3.3.corrected"]
    for words in (right.id, plain(right.statement), right.conditions, "against"):
        assert words in text
    assert not {"$", "\\", "{"} & set(text)


def test_no_claim_is_explained_in_latex() -> None:
    unjudged = (
        Result(claim, Verdict(claim.id, Decision.UNDECIDED, (), ""))
        for claim in list(CATALOGUE.claims.values())[::5]
    )
    words = re.compile(r"[$\\]|\b(begin|frac|mathrm|text)\b *[({]")
    assert not [one.claim.id for one in unjudged if words.search(explain(one, CATALOGUE))]
    assert words.search("$x$")
