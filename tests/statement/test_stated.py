"""Claims that are judged from their statement as an object."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from rftheory.author import (
    O,
    conformity,
    counted,
    d,
    decreasing,
    equal,
    exp,
    for_some,
    gaussian,
    hyperbolic,
    increasing,
    limit,
    m,
    mean,
    mse,
    oo,
    orthogonal,
    positive,
    simplex,
    table,
    v,
    z,
)
from rftheory.errors import InvalidInput, UnknownName
from rftheory.exact.truth import related
from rftheory.judge import Budget, Decision, Grade
from rftheory.papers.claim import stated
from rftheory.statement.domain import Domain
from rftheory.statement.evidence import Bench, Derived
from rftheory.statement.provers.limits import Limit
from tests.sample.device_double import DEVICE

BENCH = Bench(Budget(1e-6), np, quick=True, thorough=True)
P = hyperbolic("iid", m=m, kernel="softmax")


REFUTED = [
    conformity(orthogonal) > exp(v**2), conformity(orthogonal) == exp(v**2), equal(v, 2 * v),
    conformity(orthogonal) >= 2 * exp(v**2), decreasing(conformity(orthogonal), v), increasing(0 * v, v),
]  # fmt: skip


@pytest.mark.parametrize("claim", REFUTED, ids=str)
def test_true_statements_close_by_are_not_refuted(claim: object) -> None:
    (found,) = stated("n.false", "ours", claim, draw=False).judge(BENCH).evidence
    assert found.decision is Decision.FAILS
    assert found.control
    assert found.mutants
    assert all(caught for _, caught in found.mutants)


@pytest.mark.parametrize("claim", [*REFUTED, conformity(orthogonal) <= exp(v**2)], ids=str)
def test_a_searcher_that_refutes_true_statements_is_noticed(
    claim: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that takes every relation for false, and one that takes the sides of an inequality for each other."""
    wrong = {
        "all": lambda one, sign, other: False,
        "exchanged": lambda one, sign, other: related(other, sign, one),
    }
    for related_wrongly in wrong.values():
        monkeypatch.setattr("rftheory.statement.pointwise.related", related_wrongly)
        (found,) = stated("n.false", "ours", claim, draw=False).judge(BENCH).evidence
        assert found.decision is not Decision.FAILS or found.control is False


def test_quantities_are_drawn_unless_that_is_declined() -> None:
    wrong = mse(P) == exp(v**2) * exp((v**2 - z**2) / 2) * (1 - exp(-(v**2))) ** 2 / m
    assert len(stated("n.false", "ours", wrong).checks) == 2
    alone = stated("n.false", "ours", wrong, draw=False)
    assert len(alone.checks) == 1
    assert "softmax kernel" in alone.statement
    assert alone.judge(BENCH).decision is Decision.FAILS


def test_a_searcher_that_refutes_all_equations_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inequalities in the place of a false equation say nothing about the comparison of equal sides."""
    monkeypatch.setattr(
        "rftheory.statement.pointwise.related",
        lambda one, sign, other: False if sign == "=" else related(one, sign, other),
    )
    (found,) = stated("n.false", "ours", equal(v, 2 * v), draw=False).judge(BENCH).evidence
    assert found.decision is Decision.FAILS
    assert found.control is False


def test_the_limit_that_was_found_stands_in_the_place_of_a_false_one(monkeypatch: pytest.MonkeyPatch) -> None:
    false = limit(conformity(orthogonal), d, oo) == 1
    (found,) = stated("n.false", "ours", false, draw=False).judge(BENCH).evidence
    assert (found.decision, found.control) == (Decision.FAILS, True)
    wrong = Limit(2 * exp(v**2), "a wrong method")
    monkeypatch.setattr("rftheory.statement.provers.expand.limit_of", lambda *_: wrong)
    monkeypatch.setattr("rftheory.statement.evidence.stated.found_limit", lambda *_: false.parts[0])
    (found,) = stated("n.false", "ours", false, draw=False).judge(BENCH).evidence
    assert (found.decision, found.control) == (Decision.FAILS, False)


def test_an_order_that_is_too_small_has_a_control() -> None:
    (found,) = stated("n.order", "ours", equal(1 / (d + 1), O(1 / d**2))).judge(BENCH).evidence
    assert (found.decision, found.control) == (Decision.FAILS, True)
    assert found.mutants == (("1/(d + 1) == O(1/d)", True),)


PAIRS = counted("pairs of rows of the tests", lambda m: sum(i < j for i in range(m) for j in range(m)))


def test_a_count_is_judged_at_the_sizes_that_are_named() -> None:
    right = stated("n.count", "ours", PAIRS(m) == m * (m - 1) / 2, over=m <= 9)
    assert not right.is_infinite
    verdict = right.judge(BENCH)
    assert (verdict.decision, verdict.grade) == (Decision.HOLDS, Grade.COMPUTED)
    assert all(caught for _, caught in verdict.evidence[0].mutants)
    everywhere = stated("n.count", "ours", PAIRS(m) == m * (m - 1) / 2)
    assert everywhere.judge(BENCH).decision is Decision.UNDECIDED


EVERYWHERE = counted(
    "pairs of the tests at all sizes", lambda m, n: m * n * sum(i < m - 1 for i in range(m)), degrees=(2, 1)
)
CUBIC = counted("a count of the tests of degree 3", lambda m: m**3, degrees=(2,))
n = sympy.Symbol("n", integer=True, positive=True)


def test_a_polynomial_count_is_judged_at_all_sizes() -> None:
    right = stated("n.count", "ours", EVERYWHERE(m, n) <= m**2 * n)
    assert right.is_infinite
    verdict = right.judge(BENCH)
    assert (verdict.decision, verdict.grade) == (Decision.HOLDS, Grade.COMPUTED)  # run at some sizes
    assert all(caught for _, caught in verdict.evidence[0].mutants)
    exact = stated("n.count", "ours", EVERYWHERE(m, n) == m * (m - 1) * n).judge(BENCH)
    assert (exact.decision, exact.grade) == (Decision.HOLDS, Grade.COMPUTED)


@pytest.mark.parametrize("scale", [m * n, m**2, n], ids=str)
def test_a_lower_order_is_refuted(scale: sympy.Expr) -> None:
    found = stated("n.count", "ours", EVERYWHERE(m, n) <= 4 * scale).judge(BENCH)
    assert (found.decision, found.evidence[0].control) == (Decision.FAILS, True)


def test_degrees_that_are_too_low_are_told() -> None:
    found = stated("n.cubic", "ours", CUBIC(m) <= m**3).judge(BENCH)
    assert found.decision is Decision.UNDECIDED
    assert "degrees of a count of the tests of degree 3" in found.reason


SCORES = table(
    "score of the tests", {"new": (3, 5, "4.5", 7), "old": (2, 5, 4, "7.01")}, ("new", "old"), "abcd"
)
i, j = sympy.symbols("i j", integer=True, positive=True)


def test_a_table_is_read_cell_by_cell() -> None:
    right = stated("n.scores", "ours", SCORES("new", j) >= SCORES("old", j), over=j <= 3)
    verdict = right.judge(BENCH)
    assert not right.is_infinite
    assert (verdict.decision, verdict.grade) == (Decision.HOLDS, Grade.COMPUTED)
    assert all(caught for _, caught in verdict.evidence[0].mutants)
    assert "score of the tests(new, j)" in str(right.object)
    place = sympy.Symbol("place", integer=True)
    assert str(Domain.of(SCORES("new", place) > 0, ())) == "place >= 1, place <= 4"
    some = stated("n.scores", "ours", for_some(j, SCORES(i, j) > 7, 1, 4), over=i >= 2).judge(BENCH)
    assert (some.decision, some.grade) == (Decision.HOLDS, Grade.COMPUTED)


@pytest.mark.parametrize(
    ("false", "where"),
    [
        (SCORES("new", j) >= SCORES("old", j), "score of the tests(new, d) = 7 < 7.01000"),
        (SCORES("new", "b") > SCORES("old", "b"), " = score of the tests(old, b)"),
        (for_some(j, SCORES(i, j) > 7, 1, 4), "i = 1"),
    ],
    ids=("a row", "a cell", "some column"),
)
def test_a_false_statement_about_a_table_is_refuted(false: object, where: str) -> None:
    found = stated("n.scores", "ours", false).judge(BENCH)
    assert found.decision is Decision.FAILS
    assert where in found.evidence[0].summary
    assert found.evidence[0].control


def test_a_table_says_what_is_wrong_with_it() -> None:
    with pytest.raises(InvalidInput, match="an entry for each of a, b"):
        table("short", {"a": 1}, "ab")
    with pytest.raises(InvalidInput, match="numbers as entries"):
        table("words", ("a", "?"), "ab")
    with pytest.raises(InvalidInput, match="a name that no other table has"):
        table("score of the tests", (1, 2), "ab")  # statements made before would read other numbers
    with pytest.raises(UnknownName, match="label of score of the tests"):
        SCORES("newer", j)
    with pytest.raises(InvalidInput, match="2 places"):
        SCORES("new")


BROKEN = counted("pairs up to four rows of the tests", lambda m: {1: 0, 2: 1, 3: 3, 4: 6}[m])


def test_a_program_that_fails_at_a_size_leaves_the_count_undecided() -> None:
    found = stated("n.broken", "ours", BROKEN(m) == m * (m - 1) / 2, over=m <= 5).judge(BENCH)
    assert found.decision is Decision.UNDECIDED
    assert "KeyError" in found.reason
    right = stated("n.broken", "ours", BROKEN(m) == m * (m - 1) / 2, over=m <= 4).judge(BENCH)
    assert right.decision is Decision.HOLDS
    assert all(caught for _, caught in right.evidence[0].mutants)


@pytest.mark.parametrize("wrong", [m * (m - 1), (m**2 - 1) / 2, m - 1], ids=str)
def test_a_wrong_count_is_refuted(wrong: object) -> None:
    found = stated("n.count", "ours", PAIRS(m) == wrong, over=m <= 9).judge(BENCH)
    assert found.decision is Decision.FAILS
    assert found.evidence[0].control


def test_a_proof_of_something_else_does_not_prove_what_points_support() -> None:
    """What stands beside a statement may add to its evidence, and replace none of it."""
    also = (Derived("lemma.jensen"),)
    open_still = stated("n.open", "ours", 5 * sympy.sin(v) * sympy.sin(2 * v) < 4, (v > 0,), also=also).judge(
        BENCH
    )
    assert (open_still.decision, open_still.grade) == (Decision.UNDECIDED, Grade.SUPPORTED)
    known = stated("n.known", "ours", conformity(orthogonal) < exp(v**2), (v > 0,), also=also).judge(BENCH)
    assert known.decision is Decision.HOLDS


@pytest.mark.parametrize(
    "claim", [mse(positive(simplex)) > 0, mean(positive(orthogonal)) == gaussian], ids=str
)
def test_quantities_of_statements_are_drawn_where_the_bench_has_its_arrays(claim: object) -> None:
    """The same draws on a device give the same test, and the evidence names it."""
    host, device = (
        stated("n.drawn", "ours", claim).checks[1].run(Bench(Budget(1e-6), xp, effort=0.1))
        for xp in (np, DEVICE)
    )
    assert host.details["test"] == device.details["test"]
    assert (host.details["drawn"]["device"], device.details["drawn"]["device"]) == ("CPU", "device_double")
