"""Counts of programs that misbehave, domains without points, slopes: what holds for no reason does not hold."""

from __future__ import annotations

import itertools
import re
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from rftheory.author import (
    O,
    Rational,
    conformity,
    counted,
    d,
    decreasing,
    equal,
    exp,
    for_some,
    formula,
    gaussian,
    iid,
    increasing,
    limit,
    log,
    m,
    mean,
    mse,
    oo,
    operations,
    orthogonal,
    positive,
    simplex,
    sin,
    sqrt,
    tail,
    v,
    z,
)
from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.judge import Budget, Decision, Grade
from rftheory.statement import Statement, settle
from rftheory.statement.domain import Domain, _at_least_each, beside_ends, natural_span
from rftheory.statement.evidence.bench import Bench
from rftheory.statement.evidence.certified import Identity
from rftheory.statement.evidence.stated import FromStatement
from rftheory.statement.judging import judge
from rftheory.statement.pointwise import ball, decide
from rftheory.statement.search import Search, search, search_at
from rftheory.statement.words import claimed
from tests.statement.stating import stated

u, w = sympy.symbols("u w", real=True)
RHO = conformity(orthogonal)
ticks = itertools.count()


def verdict(claim: object, *over: object) -> tuple[Decision, Grade | None]:
    found = judge(stated(claim, *over)).verdict
    return found.decision, found.grade


BAD: dict[str, Callable[[int], Any]] = {
    "a half": lambda n: n / 2,  # int(1/2) = 0
    "a float": lambda n: float(n),
    "a truth value": lambda n: True,
    "text": lambda n: "1",
    "nothing": lambda n: None,
    "a negative number": lambda n: -n,
    "the number of the call": lambda n: next(ticks),
    "an exit": lambda n: sys.exit(0),
}


@pytest.mark.parametrize("name", BAD)
def test_a_program_that_returns_no_count_decides_nothing(name: str) -> None:
    count = counted(name, BAD[name])
    for claim in (count(d) >= 0, count(d) == d, count(d) == 0, count(d) + d > 0):
        assert verdict(claim, d <= 2)[0] is Decision.UNDECIDED


def test_a_program_is_not_trusted_at_sizes_at_which_it_fails() -> None:
    count = counted("fails at 4", lambda n: n if n != 4 else [][0])
    assert verdict(count(d) >= 0, d <= 5)[0] is Decision.UNDECIDED
    assert verdict(count(d) == d, d <= 3) == (Decision.HOLDS, Grade.COMPUTED)
    assert verdict(count(d / 2) == d / 2, d <= 3)[0] is Decision.UNDECIDED  # a half size


def test_a_count_is_that_of_whole_sizes_from_1_on() -> None:
    """At other sizes the polynomial is no count."""
    word, n = counted("pairs of n", lambda n: n * (n - 1) // 2, degrees=(2,)), sympy.Symbol("n", integer=True)
    for size in (n, d / 2, d - 1):
        assert word(size).expression.written_out() == word(size).expression
    assert word(d + 1).expression.written_out().equals(d * (d + 1) / 2)
    with pytest.raises(OutsideDomain, match="at least 1"):
        word(0)


@pytest.mark.parametrize("at", [{"d": Rational(3, 2)}, {"m": Rational(3, 2)}, {"d": 0}], ids=str)
def test_a_law_of_half_a_row_has_no_value(at: dict[str, sympy.Expr]) -> None:
    with pytest.raises(OutsideDomain, match="of a law: needs a positive integer"):
        ball(mse(positive(iid, m=m)).at(**{"d": 1, "m": 1, "v": 1, "z": 1} | at).expression, {})


def test_a_search_ends_in_time_in_the_middle_of_a_point() -> None:
    def slow(n: int) -> int:
        while n > 2:
            pass
        return n

    said, start = stated(counted("never ends", slow)(d) == d, d >= 1), time.monotonic()
    found = search(said.parts, said.domain, seconds=0.5)
    assert time.monotonic() - start < 5
    assert (found.witness, found.skipped, found.tried, found.agreed) == (None, 0, 2, 2)


NORMALISED = "operations of normalised rows"


def test_operations_of_an_algorithm_are_counted() -> None:
    count = operations(
        lambda numbers, n, d: numbers(n, d) / np.sqrt(np.sum(numbers(n, d) * numbers(n, d), axis=1))[:, None]
    )
    assert count(5, 3) == 5 * (3 + 2 + 1 + 3)
    word = counted(NORMALISED, count, degrees=(1, 1))
    assert verdict(word(m, d) == 3 * m * d, d >= 1, m >= 1)[0] is Decision.HOLDS
    assert verdict(word(m, d) == 3 * m * d - m, d >= 1, m >= 1)[0] is Decision.FAILS


def test_each_element_and_each_branch_of_large_numbers_counts() -> None:
    assert operations(lambda numbers, n: numbers() * numbers(n) + 1)(4) == 8
    assert operations(lambda numbers, n: 2 - numbers(n) * numbers()[()])(4) == 8
    assert operations(lambda numbers, n: numbers()[()] * numbers(n))(4) == 4
    assert (
        operations(lambda numbers, n: np.where(numbers(n) > 0, -numbers(n), 0) @ numbers(n, n))(3) == 3 + 15
    )
    with pytest.raises(TypeError):
        operations(lambda numbers, n: numbers(n) < 0)(2)  # no value decides this


def test_two_programs_of_one_name_are_refused() -> None:
    for _ in range(2):  # a cell that is run twice
        counted("one name", lambda n: n)
    with pytest.raises(InvalidInput, match="no other program"):
        counted("one name", lambda n: n + 1)


EMPTY = [
    stated(d > 4, d <= 3, m >= 5, m <= d),
    stated(v > 4, v <= 1, z >= 5, z <= v),
    stated(w**2 + w > -1, 2 * w > 6, w < 2),
    stated(RHO > 1, v < z, z < v, v > 0),
    stated(mean(positive(orthogonal)) == gaussian, v < z, z < v),
    stated(limit(RHO, d, oo) == exp(v**2), v < z, z < v),
    stated(increasing(RHO, v), v < z, z < v, v > 0),
]


@pytest.mark.parametrize("statement", EMPTY, ids=str)
def test_over_no_points_nothing_holds(statement: Statement) -> None:
    found = judge(statement).verdict
    assert found.decision is Decision.UNDECIDED
    assert "no point of the domain" in found.reason


@pytest.mark.parametrize(("agreed", "digits"), [(0, 0), (0, 60), (3, 0)])
def test_points_at_which_nothing_is_known_support_nothing(
    monkeypatch: pytest.MonkeyPatch, agreed: int, digits: int
) -> None:
    found = Search(12, agreed, 0, "", None, "", digits=digits)
    monkeypatch.setattr(settle, "search", lambda *_, **__: found)
    monkeypatch.setattr(settle, "proved", lambda _: [])
    verdict = judge(stated(RHO > 1)).verdict
    known = bool(agreed or digits)
    assert verdict.decision is Decision.UNDECIDED
    assert verdict.grade is (Grade.SUPPORTED if known else None)
    assert verdict.evidence[0].says == ("supports it" if known else "undecided")
    assert "no counterexample at 12 points" in verdict.reason


def test_a_range_far_from_zero_is_searched() -> None:
    assert verdict(w > -102, w < -100)[0] is Decision.FAILS


NARROWED = {
    "d >= 1 was narrowed to d >= 2, from which on simplex exists": (mse(positive(simplex, m=m)) > 0, d >= 1),
    "d >= 1, d <= 2 was narrowed to d = 2, from which on simplex exists": (mse(positive(simplex)) > 0, d <= 2),
    "w >= 0 was narrowed to w > 0, where P(|K^ - K| >= w, positive x iid, m = 1, z = 0) exists": (
        tail(positive(iid), w).at(z=0) < 1, w >= 0,
    ),
    "the conditions were narrowed to d - 3 >= 2, from which on simplex exists": (
        mse(positive(simplex)).at(d=d - 3) > 0, d >= 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("says", NARROWED)
def test_a_condition_that_laws_narrow_is_named(says: str) -> None:
    assert stated(*NARROWED[says]).domain.narrowing == (says,)


ANGLE = formula("angular_coefficient", theta=v * z, n=1)


@pytest.mark.parametrize(
    ("over", "narrowing"),
    [
        ((v * z <= sympy.pi,), ()),
        (
            (v * z <= 2 * sympy.pi,),
            ("the conditions were narrowed to v*z <= pi, where angular_coefficient(theta=v*z, n=1) exists",),
        ),
    ],
)
def test_where_a_formula_exists_is_a_condition_if_it_is_none_yet(over: tuple, narrowing: tuple) -> None:
    assert stated(ANGLE > 0, *over).domain.narrowing == narrowing


@pytest.mark.parametrize(
    ("eps", "says"), [(2 * v, "2*v > 0"), (w**2, "w**2 > 0"), (v + 1, "v >= 0"), (w**2 + 1, "every real w")]
)
def test_an_error_that_may_be_0_is_kept_from_it(eps: sympy.Expr, says: str) -> None:
    assert str(stated(tail(positive(iid), eps).at(z=0) <= 1).domain).endswith(says)


def test_a_weak_condition_keeps_no_error_from_0() -> None:
    assert str(stated(tail(positive(iid), v - z) <= 1, z <= v).domain).endswith("z <= v, v - z > 0")


@pytest.mark.parametrize("over", [(), (v > 0,), (d >= 2,), (d >= 5, m <= d), (m >= 2,)], ids=str)
def test_what_no_condition_allows_is_not_called_narrowed(over: tuple[sympy.Basic, ...]) -> None:
    assert not stated(mse(positive(simplex, m=m)) > 0, *over).domain.narrowing


@pytest.mark.parametrize(("over", "said"), [((w >= 0, w <= 2), 0), ((w >= 0, w <= 3), 1)])
def test_a_condition_that_says_where_a_law_exists_is_not_called_narrowed(
    over: tuple[sympy.Basic, ...], said: int
) -> None:
    sphere = mse(positive(iid)).at(v=sympy.sqrt(4 - w**2))
    assert len(stated(sphere >= 0, *over).domain.narrowing) == said


def test_two_opposite_conditions_are_an_equation() -> None:
    assert str(stated(z <= v, v <= z, z <= v).domain) == "z >= 0, v = z"
    assert verdict(equal(v, z), v <= z, z <= v) == (Decision.HOLDS, Grade.PROVED)
    assert verdict(v > z, v <= z, z <= v)[0] is Decision.FAILS
    assert not stated(u < 5, u <= d, d <= u, d <= 3).domain.is_infinite
    assert (
        str(stated(increasing(v + z, v), v <= z, z <= v).domain) == "v >= 0, z = v"
    )  # v is the one that varies


def test_opposite_conditions_that_fix_nothing_stay_conditions() -> None:
    assert str(stated(z > 2, m <= v, v <= m, z <= d).domain).endswith(
        "z <= d, v = m"
    )  # not m = v: m is an integer
    assert stated(v + z > 0, v + z <= 4, v + z >= 4).domain.fixed == ()
    assert verdict(equal(u, w), u <= w, w <= u, v <= u, u <= v) == (Decision.HOLDS, Grade.PROVED)


def test_variables_of_one_value_are_put_into_the_other_conditions() -> None:
    assert str(stated(v + z >= w, v <= 0, v <= z).domain) == "v = 0, every real w, z >= 0"
    assert str(stated(d >= 2, sympy.Le(d, oo, evaluate=False)).domain) == "d >= 1"
    assert "v = 1" in str(stated(conformity(orthogonal) == 1 + O(v**4 / d), v >= 1, v <= 1).domain)


@pytest.mark.parametrize(
    ("over", "needs"),
    [
        ((equal(m, 2 * d), m < d), "can be satisfied"),
        ((v < z, z <= 0), "some values meet"),
        ((equal(v, v**2),), "once for a variable"),
        ((v <= v**2,), "compared with numbers"),
        ((sympy.Ne(d, 3),), "compared with numbers"),
    ],
    ids=str,
)
def test_conditions_that_say_no_range_are_refused(over: tuple, needs: str) -> None:
    with pytest.raises(InvalidInput, match=needs):
        stated(v + m + d >= w, *over)


@pytest.mark.parametrize(
    "assumed",
    ["prime", "composite", "odd", "imaginary", "rational", "irrational", "extended_nonnegative", "nonzero"],
)
def test_a_variable_has_a_range(assumed: str) -> None:
    with pytest.raises(InvalidInput, match="over an interval"):
        natural_span(sympy.Symbol("x", **{assumed: True}))


@pytest.mark.parametrize(
    ("claim", "over", "decision"),
    [
        (d >= 4, (d > 2,), Decision.FAILS),
        (d >= 3, (d > 2,), Decision.HOLDS),
        (d <= 7, (d < 9,), Decision.FAILS),
        (v <= sympy.S.Half, (v <= 1,), Decision.FAILS),
        (m <= d, (d <= 3, m <= 3, m <= d), Decision.HOLDS),
    ],
    ids=str,
)
def test_conditions_are_no_stronger_and_no_weaker_than_said(
    claim: object, over: tuple, decision: Decision
) -> None:
    assert verdict(claim, *over)[0] is decision


def test_an_integer_is_at_least_the_next_integer_of_what_it_is_at_least() -> None:
    known, real, strict = m >= sympy.ceiling(v), w >= sympy.ceiling(v), m > sympy.ceiling(v)
    assert [_at_least_each(one) for one in (known, real, strict)] == [[m >= v], [real], [strict]]


def test_points_of_a_domain() -> None:
    one, interval = stated(v + z >= w, v >= 1, v <= 1, z <= v).domain, stated(d >= v, d <= 2, v <= 1).domain
    assert (interval.is_infinite, interval.cases) == (True, None)
    assert stated(v <= d, v >= 1, v <= 1, d <= 2).domain.cases == [{d: 1, v: 1}, {d: 2, v: 1}]
    assert not interval.contains({d: Rational(3, 2), v: sympy.S.Zero})
    near = list(beside_ends(one, {v: sympy.S.One, z: sympy.S.Half, w: sympy.S.Zero}, 40))
    assert near
    assert all(one.contains(point) for point in near)
    ordered = stated(v + z >= 1, z <= v).domain
    assert all(map(ordered.contains, beside_ends(ordered, {v: sympy.S.One, z: sympy.S.Half}, 40)))


def test_what_has_no_range_has_points_that_are_not_known() -> None:
    unchosen = Domain({v: natural_span(v), z: natural_span(z)}, (v <= z,), unchosen=("complex numbers",))
    assert unchosen.is_infinite
    assert Domain({}, unchosen=("complex numbers",)).is_infinite
    assert not unchosen.contains({v: sympy.S.Zero, z: sympy.S.One})
    said = Statement("test.unchosen", "", claimed(v <= z + 1), unchosen)
    assert settle.settled(said).decision is Decision.HOLDS


@pytest.mark.parametrize(
    ("claim", "over"),
    [((v - 1) ** 2 > sympy.S.Half, v >= 2), (v < 100, v <= 50), (u > 0, u > 1)],
    ids=str,
)
def test_no_point_beyond_the_domain_is_searched(claim: object, over: sympy.Basic) -> None:
    """Not where a derivative is 0, and not far from 0 or beside an end."""
    said = stated(claim, over)
    found = search(said.parts, said.domain, most=9, more=99)
    assert found.witness is None
    assert found.tried > 9


def test_a_value_below_an_empty_range_serves_nowhere() -> None:
    (part,) = stated(for_some(u, u >= w, 3, w)).parts
    assert decide(part, {w: sympy.S.One}, Domain({}))[0] is None
    assert decide(part, {w: sympy.Integer(4)}, Domain({}))[0] is True


def test_sides_differ_where_one_is_larger() -> None:
    assert verdict(RHO != 1, v > 0) == (Decision.HOLDS, Grade.CERTIFIED)
    assert verdict(RHO != 1)[0] is Decision.FAILS
    assert verdict(claimed(sympy.Ne(u, w)), u <= w)[0] is not Decision.HOLDS


RISES = [
    stated(increasing(exp(u) - 2, u)),
    stated(decreasing(exp(-u), u)),
    stated(increasing(-1 / u, u), u > 0),
    stated(increasing(sqrt(u), u), u >= 0),
    stated(increasing(log(u), u), u > 0),
    stated(increasing(exp(v**2), v)),
    stated(increasing(v * exp(u), u), v > 0),
]
DOES_NOT = [
    stated(increasing(-1 / u, u), u >= -2000, u <= 2000),
    stated(increasing(v * exp(u), u)),  # constant at v = 0
    stated(increasing(u + 2 * sin(u), u)),
    stated(increasing(exp(u) - sympy.Heaviside(u), u)),
    stated(increasing(sympy.I * u, u)),
    stated(decreasing(v**u, u), v > 0, v <= 1),  # constant at v = 1
    stated(decreasing(v**z, z), v < 1),  # 0 from z > 0 on, at v = 0
    stated(increasing(u**2, u), u**2 >= 1),
]


@pytest.mark.parametrize("statement", RISES, ids=str)
def test_what_has_a_slope_rises_or_falls(statement: Statement) -> None:
    assert judge(statement).verdict.decision is Decision.HOLDS


@pytest.mark.parametrize("statement", DOES_NOT, ids=str)
def test_a_slope_is_no_rise_across_jumps_and_where_it_vanishes(statement: Statement) -> None:
    assert judge(statement).verdict.decision is not Decision.HOLDS


def test_the_weakest_part_decides_the_grade() -> None:
    both = stated(claimed(2**d < 10**4) & (RHO.at(v=1) > 1), d <= 9)
    assert FromStatement(both).run(Bench(Budget(1e-6), None)).grade is Grade.COMPUTED


def test_enclosures_that_overlap_prove_no_equation() -> None:
    near = Rational(1, 3) + Rational(1, 10**60)
    with pytest.raises(InvalidInput, match="overlap"):
        Identity("a third", Rational(1, 3), near, ({"none": 0},), covers="cases: one number")


def test_an_option_of_a_coupling_is_a_known_one() -> None:
    from rftheory.author import coupling

    with pytest.raises(UnknownName, match=r"norm_law.*norms"):
        coupling("test-options", norm_law="fixed")


def test_what_a_search_leaves_open_is_said_in_words() -> None:
    """Sides that agree, to how many digits; a point without a value once; a value that is not found."""
    x = sympy.Symbol("x", real=True)
    root = sympy.Eq(sympy.sin(x) ** 2, 1 - sympy.cos(x) ** 2, evaluate=False)
    alike = search_at((root,), Domain({}), {x: sympy.Integer(1)})
    assert re.search(r"^no counterexample at 1 point \(both sides agree to 9\d digits\)$", alike.summary)
    pole = search_at((sympy.Lt(1 / x, 1),), Domain({}), {x: sympy.S.Zero}).summary
    assert pole.count("x = 0") == 1, pole
    assert "; 1 point without a value: x = 0 (" in pole
    two = Search(3, 3, 2, "x = 0 (no limit)", None, "").summary
    assert two == "no counterexample at 3 points; 2 points without a value, such as x = 0 (no limit)"
    unfound = Search(80, 5, 0, "", None, "", unfound=75).summary
    assert unfound == "at 75 of 80 points no value was found for which it holds; there may still be one"
    cut = Search(33, 33, 0, "", None, "", late=True).summary
    assert cut == "no counterexample at 33 points, when the time for the search was up"
    cut = Search(33, 32, 0, "", None, "", unfound=1, late=True).summary
    assert cut.endswith("for which it holds, when the time for the search was up; there may still be one")


def test_a_search_says_whether_points_or_time_ended_it() -> None:
    said = stated(exp(v) >= 1 + v)
    whole, cut = (search(said.parts, said.domain, most=9, seconds=seconds) for seconds in (60, 0))
    assert (whole.late, whole.ended, whole.tried) == (False, "", 9)
    assert (cut.late, cut.tried) == (True, 0)


def test_a_search_without_time_for_a_point_is_evidence_of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Search(0, 0, 0, "", None, "", late=True)
    monkeypatch.setattr(settle, "search", lambda *_, **__: found)
    monkeypatch.setattr(settle, "proved", lambda _: [])
    verdict = judge(stated(RHO > 1)).verdict
    assert (verdict.decision, verdict.grade) == (Decision.UNDECIDED, None)
    assert verdict.reason == "certified: no point was tried to the end, when the time for the search was up"


def test_what_a_search_finds_does_not_depend_on_what_else_the_machine_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from rftheory.statement import search as module

    decide, said = module.decide, stated(exp(v) >= 1 + v)
    monkeypatch.setattr(module, "decide", lambda *given: time.sleep(0.02) or decide(*given))
    found = search(said.parts, said.domain, most=9, seconds=0.1)
    assert found.tried >= 9
    assert not found.late
    assert found.left == 0
