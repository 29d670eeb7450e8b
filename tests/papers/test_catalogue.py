"""The catalogue keeps its own rules; the draws of its statistics do not depend on how the work is split."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
import sympy

from rftheory.author import equal
from rftheory.engine import run
from rftheory.errors import InvalidInput, UnknownName
from rftheory.exact.proof import derivation, steps
from rftheory.exact.truth import SIGNS
from rftheory.judge import Budget, Cover, Decision, Grade, Kind
from rftheory.papers import CATALOGUE, Catalogue, Claim
from rftheory.papers.claim import Shelves, stated
from rftheory.papers.digits import PAIRS, DigitsError
from rftheory.papers.statistics import (
    MakeStatistic,
    pair_product,
    pair_product_difference,
    squared_error,
    squared_resultant,
)
from rftheory.report import Result, proof
from rftheory.statement.evidence import (
    Bench,
    Derived,
    FailingStep,
    Identity,
    Law,
    SameValue,
    SampledMean,
    SampledOrder,
    Shown,
    Slow,
)
from rftheory.statement.evidence.relation import sides_of
from rftheory.statement.evidence.stated import Drawn

CLAIMS = list(CATALOGUE.claims.values())
BENCH = Bench(Budget(1e-6, tests=CATALOGUE.sampled_tests), np, effort=0.05)


def problems(claims: Iterable[Claim]) -> list[str]:
    """What breaks the rules of the catalogue, by claim."""
    known, found = {claim.id: claim for claim in claims}, []
    for claim in known.values():
        if not (claim.source and claim.statement and claim.conditions and claim.checks):
            found.append(f"{claim.id}: a field is empty")
        if claim.expected is Decision.HOLDS and not any(Cover.of(c.covers).whole for c in claim.checks):
            found.append(f"{claim.id}: nothing covers its domain")
        if claim.expected is Decision.UNDECIDED and not claim.reason:
            found.append(f"{claim.id}: recorded as undecided without a reason")
        if claim.expected is Decision.FAILS:
            if not claim.differs:
                found.append(f"{claim.id}: does not say what differs")
            if claim.correction not in known:
                found.append(f"{claim.id}: no correction")
            elif known[claim.correction].expected is not Decision.HOLDS:
                found.append(f"{claim.id}: its correction does not hold")
        elif claim.correction or claim.differs:
            found.append(f"{claim.id}: holds, and is corrected")
        found += [f"{claim.id}: no planted error" for check in claim.checks if not has_control(check)]
    return found


def has_control(check: object) -> bool:
    """Whether a check carries a planted error; the kinds not named here plant it themselves."""
    if isinstance(check, Slow):
        return has_control(check.check)
    if isinstance(check, Shown):
        return bool(check.wrong)
    if isinstance(check, FailingStep):
        return any(check.label in step.corrects for step in derivation(check.derivation).steps)
    if isinstance(check, SameValue):
        return check.planted not in (check.formula.expression, check.printed)
    if isinstance(check, SampledMean):
        law = Law(1.0, 1.0)
        return check.planted is not None and check.planted(law) != law
    return True


def test_the_catalogue_keeps_its_rules() -> None:
    assert problems(CLAIMS) == []


def test_broken_rules_are_found() -> None:
    (wrong,) = CATALOGUE.select(claim="simplex.cor3.3")
    (right,) = CATALOGUE.select(claim="simplex.cor3.3.corrected")
    same = next(c for c in CATALOGUE.claims["simplex.thm4.5"].checks if isinstance(c, SameValue))
    assert problems([wrong, right]) == []
    for broken, words in (
        (replace(wrong, differs=""), "does not say what differs"),
        (replace(wrong, correction=""), "no correction"),
        (replace(wrong, correction=wrong.id), "its correction does not hold"),
        (replace(wrong, checks=()), "a field is empty"),
        (replace(right, id="other", checks=(same,)), "nothing covers its domain"),
        (replace(wrong, expected=Decision.UNDECIDED), "recorded as undecided without a reason"),
        (replace(wrong, checks=(replace(same, planted=same.formula.expression),)), "no planted error"),
        (replace(right, id="other", differs="something"), "holds, and is corrected"),
        (replace(wrong, checks=(FailingStep("simplex.thm3.4", "simplex.thm3.4/(47)"),)), "no planted error"),
    ):
        assert any(words in problem for problem in problems([broken, right])), words


def says_nothing(claim: Claim) -> bool:
    """Whether a relation that it judges compares an expression with itself."""
    parts = () if claim.object is None else claim.object.claim.parts
    pairs = [part.args for part in parts if type(part) in SIGNS]
    pairs += [(s.left, s.right) for s in map(sides_of, claim.checks) if s is not None]
    return any(one == other for one, other in pairs)


def test_no_statement_compares_an_expression_with_itself() -> None:
    assert [claim.id for claim in CLAIMS if says_nothing(claim)] == []


def test_statements_that_compare_an_expression_with_itself_are_found() -> None:
    x = sympy.Symbol("x", real=True)
    assert says_nothing(stated("rff.twin", "ours", equal(x / sympy.exp(x) * sympy.exp(x), x)))
    assert not says_nothing(stated("rff.other", "ours", equal((x + 1) ** 2, x**2 + 2 * x + 1)))
    hand = Identity("same", x, x, ({"x": 1},), "<=")
    assert says_nothing(Claim("rff.hand", "ours", "", "none", (hand,)))


def test_ids_are_unique_and_corrections_exist() -> None:
    first, second = CLAIMS[:2]
    with pytest.raises(
        InvalidInput, match="a different id for every claim, got " + re.escape(f"['{first.id}']")
    ):
        Catalogue([first, second, first])
    with pytest.raises(UnknownName, match=r"unknown claim 'simplex\.nowhere'"):
        Catalogue([first, replace(second, correction="simplex.nowhere")])


def test_a_claim_among_those_of_another_paper_is_refused() -> None:
    """It would be looked for in its own paper and never judged."""
    astray = Claim("chefs.astray", "ours", "", "none", ())
    with pytest.raises(InvalidInput, match=r"ids of simplex among its claims, got \['chefs.astray'\]"):
        Shelves({"simplex": lambda: [astray], "chefs": list}).of("simplex")


def test_an_old_index_stops_no_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {
        "module": "rftheory.papers.simplex.proofs.moved",
        "supports": {one: [["", "domain"]] for one in ("simplex.gone", "simplex.cor3.3.corrected")},
    }
    old = {"simplex.cor3.3": entry}
    monkeypatch.setattr(steps, "names", lambda kind: old)
    monkeypatch.setattr(proof, "names", lambda kind: old)
    monkeypatch.setattr(
        steps, "DERIVATIONS", {k: v for k, v in steps.derivations().items() if k != "simplex.cor3.3"}
    )
    with pytest.raises(UnknownName):
        steps.derivation("simplex.cor3.3")
    assert [claim.id for claim in proof.claims_on("simplex.cor3.3")] == ["simplex.cor3.3.corrected"]


def test_the_false_alarm_rate_is_split_over_all_sampled_tests() -> None:
    count = 0
    for check in (check for claim in CLAIMS for check in claim.checks):
        check = check.check if isinstance(check, Slow) else check
        if isinstance(check, DigitsError):
            count += len(PAIRS)
        elif isinstance(check, SampledMean | SampledOrder | Drawn):
            count += 1
        else:
            assert check.kind is not Kind.SAMPLED
            assert check.tests == 0
    assert CATALOGUE.sampled_tests == count
    assert Catalogue([]).sampled_tests == 1


def test_claims_are_selected_by_paper_and_id() -> None:
    assert [c.id for c in CATALOGUE.select(claim="simplex.lem4.1")] == ["simplex.lem4.1"]
    assert {c.paper for c in CATALOGUE.select(paper="simplex")} == {"simplex"}
    assert len(CATALOGUE.select()) == len(CLAIMS)
    with pytest.raises(UnknownName, match="unknown paper 'simplx'; did you mean 'simplex'"):
        CATALOGUE.select(paper="simplx")
    with pytest.raises(UnknownName, match=r"unknown claim 'simplex\.thm3\.22'"):
        CATALOGUE.select(claim="simplex.thm3.22")


def test_a_claim_of_another_paper_is_not_silently_left_out() -> None:
    foreign = replace(CLAIMS[0], id="other.claim")
    with pytest.raises(UnknownName, match=r"unknown claim of simplex 'other\.claim'"):
        Catalogue([*CLAIMS, foreign]).select(paper="simplex", claim="other.claim")


# Cheap claims of each kind; the whole catalogue is judged by `rftheory verify`.
@pytest.mark.parametrize(
    ("claim", "kinds"),
    [
        ("simplex.def3.1/m=1", set(Kind)),
        ("simplex.cor3.3", set(Kind)),
        ("simplex.eq22", set(Kind)),
        ("simplex.lem4.1", set(Kind)),
        ("simplex.s5.prefactor", set(Kind)),
        ("simplex.s5.smallv/a", set(Kind)),
        ("simplex.cor4.4.corrected", {Kind.SAMPLED}),
    ],
)
def test_verdicts_are_the_recorded_ones(claim: str, kinds: set[Kind]) -> None:
    (found,) = CATALOGUE.select(claim=claim)
    effort = 1.0 if Kind.SAMPLED in kinds and len(kinds) == 1 else 0.3
    verdict = found.judge(replace(BENCH, effort=effort), kinds)
    assert Result(found, verdict).as_recorded, verdict.reason
    assert not any(piece.control is False for piece in verdict.evidence)


def test_points_alone_never_hold_over_a_domain() -> None:
    """The claim with its proof holds; without it, agreement of all routes at points is no more than support."""
    (found,) = CATALOGUE.select(claim="simplex.thm4.5")
    same = next(c for c in found.checks if isinstance(c, SameValue))
    proof = next(c for c in found.checks if isinstance(c, Derived))
    for checks, decision, grade in (
        ((proof, same), Decision.HOLDS, Grade.PROVED),
        ((same,), Decision.UNDECIDED, Grade.SUPPORTED),
        ((replace(proof, covers="part"), same), Decision.UNDECIDED, Grade.SUPPORTED),
        ((same, replace(proof, covers="cases: these")), Decision.HOLDS, Grade.COMPUTED),
    ):
        verdict = replace(found, checks=checks).judge(BENCH)
        assert (verdict.decision, verdict.grade) == (decision, grade), verdict.reason


def test_what_a_check_covers_is_one_of_a_few_words() -> None:
    for claim in CLAIMS:
        for check in claim.checks:
            assert isinstance(Cover.of(check.covers), Cover), claim.id
    (found,) = CATALOGUE.select(claim="simplex.thm4.5")
    vague = replace(next(c for c in found.checks if isinstance(c, Derived)), covers="nearly all")
    with pytest.raises(InvalidInput, match="covers"):
        replace(found, checks=(vague,)).judge(BENCH, ())


def test_what_holds_of_finitely_many_things_rests_on_evidence_that_names_them() -> None:
    for claim in (claim for claim in CLAIMS if claim.finite):
        named = any(Cover.of(check.covers) is Cover.CASES for check in claim.checks)
        assert named or claim.expected is Decision.FAILS, claim.id


def test_no_evidence_is_undecided() -> None:
    (found,) = CATALOGUE.select(claim="simplex.eq22")
    verdict = found.judge(BENCH, {Kind.SAMPLED})
    assert (verdict.decision, verdict.reason) == (Decision.UNDECIDED, "no evidence")


@pytest.mark.parametrize(
    "make",
    [
        pair_product("simplex", 4, "0.5"),
        pair_product("orthogonal", 4, "1", "trigonometric"),
        pair_product_difference("simplex", "orthogonal", 4, "0.7").statistic,
        squared_resultant("orthogonal", 3),
        squared_error("positive", "simplex", 3, 5, "0.5"),
    ],
    ids=["pair", "cosines", "difference", "resultant", "error"],
)
@pytest.mark.parametrize("device", [False, True], ids=["native", "portable"])
def test_draws_do_not_depend_on_chunks_and_workers(make: MakeStatistic, device: bool) -> None:
    stream = BENCH.stream("split")
    statistic = make(BENCH, replace(stream, kind="portable") if device else stream)
    whole = statistic(range(0, 700))
    parts = np.concatenate([statistic(range(100 * i, 100 * i + 100)) for i in range(7)])
    assert np.array_equal(whole, parts)
    once = run(statistic, 700, leaf=100, chunk_leaves=7)
    for workers in (1, 2, 3):
        assert run(statistic, 700, leaf=100, chunk_leaves=1, workers=workers) == once


def test_verdict_numbers_do_not_depend_on_workers() -> None:
    checks = (c.check for c in CATALOGUE.claims["simplex.lem4.1"].checks if isinstance(c, Slow))
    check = next(c for c in checks if isinstance(c, SampledMean))
    found = [replace(check.run(replace(BENCH, workers=n)), seconds=0.0) for n in (1, 2, 3)]
    assert found[0] == found[1] == found[2]
    other = replace(check.run(replace(BENCH, seed=1)), seconds=0.0)
    assert other.details != found[0].details
    assert (other.summary, other.decision) == (found[0].summary, found[0].decision)
