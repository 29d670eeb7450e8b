"""A name in a statement stands for the object that was meant: neither for another of its name nor for a later one."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

from rftheory.author import (
    DeclaredCoupling,
    DeclaredMap,
    InvalidInput,
    Rational,
    Rows,
    Term,
    conformity,
    counted,
    coupling,
    d,
    exp,
    feature_map,
    forget,
    gerf,
    iid,
    m,
    mean,
    mse,
    operations,
    orthogonal,
    orthogonal_fixed,
    positive,
    v,
    with_features,
    x,
    y,
    z,
)
from rftheory.check.laws import coupling_law, estimate_law
from rftheory.cli import main
from rftheory.exact.formula import FORMULAS, Formula, Variable, register
from rftheory.judge import Decision
from rftheory.spec import Coupling, find_map
from rftheory.statement.atoms import PairCount
from rftheory.statement.contradictions import contradictions, of_statement
from rftheory.statement.judging import judge
from rftheory.statement.run import judge_note
from rftheory.statement.settle import alone
from rftheory.statement.words import Claim, formula
from tests.statement.stating import stated

REFUSED = "needs the object that is declared under this name"
SQUARES = -(x**2 + y**2) / 2
NAMES = ("twice-rows", "twice-map")


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    for name in NAMES:
        forget(name)


def single() -> DeclaredCoupling:
    return coupling("twice-rows", rows=Rows(d))


def mirrored() -> DeclaredCoupling:
    return coupling("twice-rows", rows=[Rows(d), Rows(d, sign=-1)])


def weighted(weight: int) -> DeclaredMap:
    return feature_map("twice-map", "", "", Term(x + y, SQUARES, weight=weight))


def test_two_couplings_of_one_name_are_not_one() -> None:
    """Twice as many rows of a frame, and a frame with its negative, do not have the same errors."""
    one = mse(positive(single(), m=2 * d))
    assert alone(stated(one == mse(positive(orthogonal, m=2 * d)))) is Decision.HOLDS
    other = mse(positive(mirrored(), m=2 * d))
    with pytest.raises(InvalidInput, match=f"coupling 'twice-rows': {REFUSED}"):
        stated(one == other, d >= 2, v > 0)
    assert alone(stated(other == mse(positive("mirrored", m=2 * d)))) is Decision.HOLDS
    assert alone(stated(other == mse(positive(orthogonal, m=2 * d)), d >= 2, v > 0)) is Decision.FAILS


def test_two_maps_of_one_name_are_not_one() -> None:
    old = with_features(weighted(2))
    one = mse(old(iid, m=1))
    new = with_features(weighted(1))
    with pytest.raises(InvalidInput, match=f"feature map 'twice-map': {REFUSED}"):
        stated(one == mse(new(iid, m=1)))
    with pytest.raises(InvalidInput, match=REFUSED):
        old(iid, m=1)
    assert alone(stated(mse(new(iid, m=1)) == mse(positive(iid, m=1)))) is Decision.HOLDS


@pytest.mark.parametrize(
    "rows",
    [
        replace(orthogonal, norms="fixed"),
        replace(orthogonal, min_dim=3),
        Coupling("no-such-rows", "", "", Rows(1)),
        Coupling("ORF", "", "", Rows(1)),
    ],
)
def test_rows_that_are_not_those_of_their_name_are_refused(rows: Coupling) -> None:
    with pytest.raises(InvalidInput, match=f"coupling '{rows.name}': {REFUSED}.*of its own"):
        positive(rows, m=d)
    with pytest.raises(InvalidInput, match=REFUSED):
        conformity(rows)


def test_a_map_that_is_not_that_of_its_name_is_refused() -> None:
    """Its mean is twice the kernel."""
    changed = replace(find_map("positive"), terms=(Term(x + y, SQUARES, weight=2),))
    with pytest.raises(InvalidInput, match=f"feature map 'positive': {REFUSED}"):
        mean(with_features(changed)(iid, m=1))


def test_rows_that_only_look_the_same_have_one_name_each() -> None:
    """What is changed gets a name of its own; what is only copied is the same."""
    fixed = coupling("twice-rows", rows=orthogonal.rows, norms="fixed")
    said = mse(positive(fixed, m=d)) == mse(positive(orthogonal_fixed, m=d))
    assert alone(stated(said)) is Decision.HOLDS
    said = mse(positive(fixed, m=d)) == mse(positive(orthogonal, m=d))
    assert alone(stated(said, d >= 2, v > 0)) is Decision.FAILS
    same = mse(positive(replace(orthogonal), m=d)) == mse(positive("ORF", m=d))
    assert str(same) == "mse(positive x orthogonal, m = d) == mse(positive x orthogonal, m = d)"
    assert alone(stated(same)) is Decision.HOLDS


def test_what_was_stated_before_a_name_is_declared_anew_is_refused_when_it_is_judged() -> None:
    better = conformity(single()) < exp(v**2)
    rows = stated(better, d >= 2, v > 0)
    kernel = stated(mean(with_features(weighted(1))(iid, m=1)) == exp(-(z**2) / 2))
    assert alone(rows) is alone(kernel) is Decision.HOLDS
    mirrored(), weighted(2)
    for old in (rows, kernel):
        assert alone(old) is Decision.UNDECIDED
        with pytest.raises(InvalidInput, match=REFUSED):
            judge(old)
        assert "twice-" in str(old.claim)
        assert "twice-" in old.latex
    forget("twice-rows")
    with pytest.raises(InvalidInput, match=REFUSED):
        judge(rows)


def test_old_and_new_rows_do_not_contradict_each_other() -> None:
    """With one meaning they would: that the frame is as good as orthogonal rows, and better ones of its name."""
    old = of_statement(
        stated(mse(positive(single(), m=2 * d)) == mse(positive(orthogonal, m=2 * d)), d >= 2, v > 0)
    )
    new = of_statement(
        stated(mse(positive(mirrored(), m=2 * d)) < mse(positive(orthogonal, m=2 * d)), d >= 2, v > 0)
    )
    assert not contradictions(old + new, [])
    one = stated(mse(positive("twice-rows", m=2 * d)) == mse(positive(orthogonal, m=2 * d)), d >= 2, v > 0)
    assert contradictions(of_statement(one) + new, [])


def test_a_cell_may_be_run_again() -> None:
    """The same declaration, or another one, and the statements after it."""
    for declare, truth in (
        (single, Decision.HOLDS),
        (single, Decision.HOLDS),
        (mirrored, Decision.FAILS),
    ) * 2:
        rows = declare()
        said = mse(positive(rows, m=2 * d)) == mse(positive(orthogonal, m=2 * d))
        assert alone(stated(said, d >= 2, v > 0)) is truth
        by_name = mse(positive("twice-rows", m=2 * d)) == mse(positive(orthogonal, m=2 * d))
        assert alone(stated(by_name, d >= 2, v > 0)) is truth
    for weight, truth in ((1, Decision.HOLDS), (2, Decision.FAILS), (1, Decision.HOLDS)):
        said = mean(with_features(weighted(weight))(iid, m=1)) == exp(-(z**2) / 2)
        assert alone(stated(said)) is truth


def test_pairs_of_rows_are_counted_anew() -> None:
    for less, count in ((1, 12), (0, 13), (1, 12)):
        rows = coupling("twice-rows", rows=Rows(d - less), min_dim=2)
        found = PairCount("twice-rows", sympy.Integer(5), sympy.Integer(8))
        assert found == sum(rows.pairs(5, 8).values()) == count


def test_errors_of_rows_for_a_check_are_computed_anew() -> None:
    """Opposite rows have less error than orthogonal ones."""
    errors, angles = [], []
    for declare in (single, mirrored, single):
        declare()
        law = estimate_law("positive", "twice-rows", 4, 8, 1.0)
        assert law is not None
        errors.append(law.second)
        angles.append(coupling_law("twice-rows").gram(4).shape)
    assert errors[0] == errors[2] != errors[1]
    assert angles == [(4, 4), (8, 8), (4, 4)]


def test_a_formula_that_is_registered_anew_is_another_one() -> None:
    t = sympy.Symbol("t", real=True)

    def declared(expression: sympy.Expr) -> Claim:
        register(Formula("registered_again", "a sum", "ours", (Variable(t, "a number"),), expression))
        return formula("registered_again") == t + 1

    try:
        old = stated(declared(t + 1))
        assert alone(old) is Decision.HOLDS
        assert alone(stated(declared(t + 5))) is Decision.FAILS
        assert alone(old) is Decision.UNDECIDED
        assert alone(stated(declared(t + 1))) is Decision.HOLDS
    finally:
        del FORMULAS["registered_again"]


class Steps:
    def __init__(self, each: int) -> None:
        self.each = each

    def count(self, n: int) -> int:
        return self.each * n


def _program(kind: str, factor: int) -> Any:
    if kind == "default":
        return lambda n, factor=factor: factor * n
    if kind == "method":
        return Steps(factor).count
    if kind == "keyword":
        return lambda n, *, factor=factor: factor * n
    inner = lambda n, factor=factor: factor * n  # noqa: E731
    return lambda n: inner(n)


@pytest.mark.parametrize("kind", ["default", "method", "keyword", "closure"])
def test_programs_that_differ_by_what_is_outside_their_text_are_two(kind: str) -> None:
    name = f"steps by {kind}"
    assert alone(stated(counted(name, _program(kind, 1), (1,))(d) == d)) is Decision.HOLDS
    with pytest.raises(InvalidInput, match="no other program"):
        counted(name, _program(kind, 2), (1,))


def test_programs_may_call_themselves_and_enclose_arrays() -> None:
    def cell(size: int) -> Claim:
        ones = np.ones(size)

        def steps(n: int) -> int:
            return len(ones) if n == 1 else steps(n - 1) + len(ones)

        return counted(f"steps of arrays of {size}", steps, degrees=(1,))(d) == d

    for size, truth in ((1, Decision.HOLDS), (2, Decision.FAILS)):
        assert alone(stated(cell(size))) is truth
        if size == 1:
            assert alone(stated(cell(size))) is truth
        else:  # whether arrays are the same has no single answer
            with pytest.raises(InvalidInput, match="no other program"):
                cell(size)


def test_a_program_that_is_named_again_is_run_again() -> None:
    """Its text is the same, and what it calls is not."""
    factor = {"of": 1}

    def cell() -> Claim:
        def algorithm(numbers: Any, n: int) -> None:
            for _ in range(factor["of"]):
                numbers(n) + 1

        return counted("steps of a cell", operations(algorithm), degrees=(1,))(d) == d

    old = stated(cell())
    assert alone(old) is Decision.HOLDS
    factor["of"] = 2
    assert alone(stated(cell())) is Decision.FAILS
    assert alone(old) is Decision.UNDECIDED
    factor["of"] = 1
    assert alone(stated(cell())) is Decision.HOLDS


def test_names_travel_as_names() -> None:
    rows = single()
    said = (mse(positive(rows, m=m)) - PairCount("twice-rows", d, m)).expression
    assert pickle.loads(pickle.dumps(said)) == copy.deepcopy(said) == said
    assert str(said) == "-pairs(twice-rows; m) + mse(positive x twice-rows, m)"
    packed = pickle.dumps(said)
    single()
    with pytest.raises(InvalidInput, match=REFUSED):
        pickle.dumps(said)
    assert pickle.loads(packed) != said  # what the name stands for where it arrives


NOTE = """
from rftheory.author import *

note("names_in_workers")
for rows, label in ((Rows(d), "frame"), (None, "mirrored")):
    C = coupling(
        "rows-of-a-note", rows=rows or [Rows(d), Rows(d, sign=-1)]
    )
    statement(f"{label} is a frame", "", mse(positive(C, m=2 * d)) == mse(positive(orthogonal, m=2 * d)),
              over=(d >= 2, v > 0))
"""


@pytest.mark.parametrize("limit", [0, 60])
def test_processes_take_no_old_name_for_a_new_one(tmp_path: Path, limit: int) -> None:
    file = tmp_path / f"names_in_workers_{limit}.py"
    file.write_text(NOTE)
    try:
        first, second = judge_note(file, time_limit=limit, jobs=2)
    finally:
        forget("rows-of-a-note")
    assert first.verdict.decision is Decision.UNDECIDED
    assert REFUSED in first.verdict.reason
    assert second.verdict.decision is Decision.FAILS


def test_a_file_says_which_name_is_taken_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "names_in_a_file.py"
    file.write_text(
        NOTE.replace("names_in_workers", "names_in_a_file").replace("rows-of-a-note", "rows-of-a-file")
    )
    try:
        assert main(["verify", str(file), "--time-limit", "0"]) == 1
    finally:
        forget("rows-of-a-file")
    assert f"coupling 'rows-of-a-file': {REFUSED}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["orthogonal", "iid", "Positive"])
def test_names_of_ours_are_not_forgotten(name: str) -> None:
    """Closed forms go by them."""
    with pytest.raises(InvalidInput, match="of yours"):
        forget(name)


def test_a_statement_of_a_note_has_no_id_of_the_catalogue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report said of another claim that ``simplex.cor4.4`` holds, which fails."""
    file = tmp_path / "own.py"
    words = ("cor4.4", "mine")
    lines = "\n".join(f"statement({word!r}, 'x', mean(positive(iid)) == gaussian)" for word in words)
    file.write_text(f"from rftheory.author import *\nnote('simplex')\n{lines}\n", encoding="utf-8")
    assert main(["verify", str(file), "--jobs", "1"]) == 2
    said = capsys.readouterr().out
    assert "simplex.mine  holds" in said
    assert "simplex.cor4.4  " not in said
    assert "line 3: not read: InvalidInput: statement: needs a name of its own, got 'simplex.cor4.4'" in said


def test_the_reason_names_a_value_that_no_parameter_may_have() -> None:
    """At A = 1/4 the weight is 0 and its logarithm nothing: the terms were said not to be symmetric."""
    (found,) = judge(stated(mse(gerf(iid, m=m, A=Rational(1, 4))) >= 0)).verdict.evidence
    assert "gerf: A: needs Re(1 - 4*A) > 0" in found.summary
    assert found.decision is Decision.UNDECIDED
