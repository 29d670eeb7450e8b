"""What holds for some value: proved by a value or a change of sign, refuted by the contrary for all."""

from __future__ import annotations

import pytest
import sympy

from rftheory.author import (
    O,
    Rows,
    conformity,
    coupling,
    d,
    equal,
    exp,
    for_some,
    forget,
    formula,
    gerf,
    iid,
    limit,
    m,
    mse,
    note,
    oo,
    orthogonal,
    positive,
    simplex,
    sin,
    sqrt,
    trigonometric,
    v,
    z,
)
from rftheory.author import statement as state
from rftheory.errors import InvalidInput
from rftheory.judge import Decision, Grade
from rftheory.statement import Statement
from rftheory.statement.domain import Domain
from rftheory.statement.evidence.stated import FromStatement
from rftheory.statement.judging import judge
from rftheory.statement.provers.exists import by_existence
from rftheory.statement.provers.proof import prove
from rftheory.statement.settle import alone
from rftheory.statement.words import Side, claimed

u = sympy.Symbol("u", real=True)
A = sympy.Symbol("A", real=True)
INTEGER = sympy.Symbol("k", integer=True)
POSITIVE, NEGATIVE = sympy.Symbol("X", positive=True), sympy.Symbol("x", negative=True)
HALF = sympy.S.Half
UP_TO_4 = (v <= 4,)
AT_4 = (equal(d, 4),)
SHARE = conformity(orthogonal) / conformity(simplex)
WAVES = trigonometric(orthogonal)
separated = formula("angular_coefficient", theta=u, n=1)


def statement(claim: object, *over: object) -> Statement:
    said = claimed(claim)
    return Statement("n.some", "", said, Domain.of(said, over))


TRUE = [
    (for_some(u, equal(exp(u), 2 + v), 0, 2), UP_TO_4),
    (for_some(u, equal(u**2, v), 0, 2), UP_TO_4),
    (for_some(v, exp(v) > 20, 0, 3), ()),
    (for_some(u, separated <= 1 / sympy.Integer(4), -1, 1), ()),
    (for_some(u, equal(separated, HALF), 1, 3), ()),
    (for_some(u, v + u >= v + 1, 0, 1), ()),
    (for_some(u, equal(v + sin(u), v + 1 / sympy.Integer(3)), 0, 1), ()),
    (for_some(u, equal(exp(u), 14 * u / sympy.Integer(5)), 0, 2), ()),  # the signs at the ends are the same
    (for_some(z, equal(v**z, 1 / sympy.Integer(2)), 0, 1), (v > 0, v <= 1 / sympy.Integer(4))),
    (for_some(u, equal(u**2, v), 0, 1 + v), ()),
    (for_some(u, u > v + 1, v, oo), ()),
    (for_some(u, equal(u, v + z), 0, v + z), ()),  # one value where v = z = 0
    (for_some(u, equal(u**3 + u, v), 0, v), ()),
    (for_some(v, equal(conformity(orthogonal), 2), 0, 2), AT_4),
    (for_some(v, equal(conformity(orthogonal), 2), -2, 2), AT_4),  # the lower end is 0, the least norm
    (for_some(v, equal(SHARE, 3 / sympy.Integer(2)), 0, 2), AT_4),
    (for_some(v, equal(mse(positive(orthogonal)), mse(WAVES)), HALF / 100, 3), (*AT_4, equal(z, 1))),
    (for_some(z, equal(mse(positive(simplex)), mse(WAVES)), HALF / 100, 3), (*AT_4, equal(v, 1))),
    (for_some(v, equal(mse(positive(orthogonal)) / mse(WAVES), 1), HALF / 100, 3), (*AT_4, equal(z, 1))),
]
FALSE = [
    (for_some(u, equal(exp(u), -v), 0, 3), UP_TO_4),  # false at every v
    (for_some(u, equal(u**2, v), 0, 1), UP_TO_4),  # false at large v alone
    (for_some(v, exp(v) < 1, 0, 3), ()),
    (for_some(v, exp(v) < 1, -3, 3), ()),  # v is a norm, so its negative values do not count
    (for_some(u, equal(v + u**2 + 1, v), -5, 5), UP_TO_4),
    (for_some(m, equal(m**2 - 10 * m, 1), 1, 6), ()),
    (for_some(m, equal(v + m, v + 5 / sympy.Integer(2)), 1, 6), UP_TO_4),  # an integer between the signs
    (for_some(m, equal(m**2, d), 1, 6), (d <= 25,)),
    (for_some(u, equal(u**2, v), 0, v), (v > 0,)),  # false where v < 1
    (for_some(u, u > v, 0, v), ()),
    (for_some(u, equal(u, v + z), 0, v), ()),
    (for_some(v, equal(conformity(orthogonal), HALF), 0, 2), AT_4),
    (for_some(v, equal(SHARE, 100), 0, 2), AT_4),
    (
        for_some(v, equal(mse(positive(orthogonal)), mse(WAVES)), HALF, 3),
        (*AT_4, equal(z, 1)),
    ),  # the root is less
]
OPEN = [
    (for_some(u, equal(v + 1 / u, v), -1, 1), UP_TO_4),  # false: a pole between the signs
    (for_some(u, equal(v + sympy.floor(u), v + 1 / sympy.Integer(2)), 0, 2), UP_TO_4),  # false: a jump
    (for_some(u, equal(v + sqrt(u), v + 1), -1, 4), UP_TO_4),  # true, but not real at one end
    (for_some(u, equal(exp(sympy.I * sympy.pi * u), 0), 0, 1), ()),  # false: around 0, from 1 to -1
    (
        for_some(u, equal(v + u - 1 / sympy.Integer(2) + sympy.I * u * (1 - u), v), 0, 1),
        UP_TO_4,
    ),  # false: likewise
    (for_some(z, equal(v**z, 1 / sympy.Integer(2)), 0, 1), (v <= 1 / sympy.Integer(4),)),  # false at v = 0
    (
        for_some(z, equal((1 - v) ** z, 1 / sympy.Integer(2)), 0, 1),
        (v >= 3 / sympy.Integer(4), v <= 1),
    ),  # likewise
    (for_some(v, conformity(orthogonal).at(d=4) < 0, 0, oo), ()),  # false; the range has no end
    (for_some(v, equal(conformity(orthogonal) / (v - 1), 0), 0, 2), AT_4),  # false: a pole between the signs
    (for_some(v, equal(1 / (conformity(orthogonal) - 2), 0), 0, 2), AT_4),  # false: likewise
    (for_some(v, equal(conformity(orthogonal) + 9 * sympy.floor(v), 5), 0, 3 * HALF), AT_4),  # false: a jump
    (
        for_some(v, equal((2 * sympy.sign(v - 1) + 1) * conformity(orthogonal), 0), 0, 2),
        AT_4,
    ),  # false: likewise
    (
        for_some(A, equal(mse(gerf(iid, A=A)), 9), -1, 1),
        (*AT_4, equal(z, 1), equal(v, 1)),
    ),  # no law at one end
    (for_some(u, separated >= 2, 0, 10), ()),  # false: theta/pi, but no angle is above pi
    (for_some(u, equal(separated, 2), 0, 10), ()),  # false: likewise
    (
        for_some(A, formula("gerf_variance", d=2, A=A, s=1) < 0, 3 / sympy.Integer(16), 1),
        (),
    ),  # false: infinite there
    (for_some(u, equal(u, v), v, 2 * v - 1), ()),  # false where v < 1: there are no values from v to 2 v - 1
    (for_some(INTEGER, equal(2 * INTEGER, d), 0, d), ()),  # false at odd d: a share of d is no integer
    (for_some(POSITIVE, v >= POSITIVE, 0, v), ()),  # false at v = 0: there are no positive values up to 0
    (for_some(POSITIVE, equal(POSITIVE**2, 0), 0, v), (v > 0,)),  # false: 0 is no value
    (for_some(NEGATIVE, equal(NEGATIVE, v / 2), -v, v), (v > 0,)),  # false: v/2 is none
    (for_some(v, equal(v, -z / 2), -z, z), (z > 0,)),  # false: -z/2 is none
]


@pytest.mark.parametrize(("claim", "over"), TRUE, ids=lambda x: str(x) if not isinstance(x, tuple) else "")
def test_existence_is_proved_over_the_domain(claim: object, over: tuple[object, ...]) -> None:
    found = judge(statement(claim, *over))
    assert found.verdict.decision is Decision.HOLDS


@pytest.mark.parametrize(("claim", "over"), FALSE, ids=lambda x: str(x) if not isinstance(x, tuple) else "")
def test_what_no_value_has_is_refuted_with_a_control(claim: object, over: tuple[object, ...]) -> None:
    evidence = FromStatement(statement(claim, *over))
    found, _ = evidence._found()
    assert found.decision is Decision.FAILS
    assert evidence._put_right(None)
    assert all(caught for _, caught in evidence._put_right(None))


@pytest.mark.parametrize(("claim", "over"), OPEN, ids=lambda x: str(x) if not isinstance(x, tuple) else "")
def test_a_change_of_sign_without_continuity_proves_nothing(claim: object, over: tuple[object, ...]) -> None:
    said = statement(claim, *over)
    found = prove(said.parts[0], said.domain, (by_existence,))
    assert found is None or found.refutes


def test_the_contrary_of_a_relation_with_a_rest_may_hold_as_well() -> None:
    """The first is true with u = 1, though at a single d and v a rest may lie between the sides; the second, too."""
    for order, decision in ((2, Decision.UNDECIDED), (1, Decision.HOLDS)):
        claim = for_some(u, equal(exp(v / d), 1 + u * v / d + O(1 / d**order)), 0, 5)
        assert alone(statement(claim)) is decision


def test_conditions_say_nothing_of_the_variable_that_is_chosen() -> None:
    """1/(u - v) has both signs and no zero, and where u > v, as outside, it is continuous."""
    pole = for_some(u, equal(1 / (u - v), 0), 0, 3)
    over = (v >= 1, v <= 2, u > v)
    with pytest.raises(InvalidInput, match="conditions without u, which for_some chooses"):
        statement(pole, *over)
    for claim, holds in ((pole, False), (for_some(u, equal(exp(u - v), 1), 0, 3), True)):
        (part, _), within = (said := statement(claim & (u + v > 0), *over)).parts, said.domain
        assert (prove(part, within, (by_existence,)) is not None) is holds


@pytest.mark.parametrize("over", [(d >= 2, d <= 5), (equal(d, 3),), ()])
def test_roots_at_finitely_many_points_are_computed(over: tuple[object, ...]) -> None:
    value = 1 + d if over else 3
    found = judge(statement(for_some(u, equal(exp(u), value), 0, 3), *over)).verdict
    assert (found.decision, found.grade) == (Decision.HOLDS, Grade.COMPUTED)


def test_for_some_takes_one_comparison_that_leaves_its_variable_free() -> None:
    with pytest.raises(InvalidInput, match="only one"):
        for_some(u, claimed(v > 0) & (v < 1), 0, 1)
    with pytest.raises(InvalidInput, match="leaves d free"):
        for_some(d, limit(conformity(orthogonal), d, oo) == 1, 2, 5)
    with pytest.raises(InvalidInput, match="a comparison in which u occurs, got 'd > v'"):
        for_some(u, d > v, 0, 1)


def test_values_outside_the_domain_of_a_law_leave_it_undecided() -> None:
    late = coupling("late-rows", "rows", "a test", rows=Rows(d), min_dim=9)
    n = sympy.Symbol("n", integer=True, positive=True)
    try:
        fewer = mse(positive(late, m=2)).at(d=n) < mse(positive(iid, m=2)).at(d=n)
        found = {last: judge(statement(for_some(n, fewer, 1, last), v > 0)).verdict for last in (5, 12)}
    finally:
        forget("late-rows")
    assert (found[5].decision, found[12].decision) == (Decision.UNDECIDED, Decision.HOLDS)
    assert "late-rows: needs d >= 9, got 1" in found[5].reason
    assert "at n = 12: " in found[12].reason


ROWS, SIZE = sympy.Symbol("x", positive=True), sympy.Symbol("n", integer=True)
ONE = mse(positive(iid)).at(d=1, v=1, z=1)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (for_some(ROWS, 2 * mse(positive(iid, m=ROWS)).at(d=1, v=1, z=1) == ONE, 1, 3),
         for_some(ROWS, 3 * mse(positive(iid, m=ROWS)).at(d=1, v=1, z=1) == 2 * ONE, 1, 2)),
        (for_some(SIZE, 2 * mse(positive(iid, m=SIZE)).at(d=1, v=1, z=1) == ONE, -1, 3),
         for_some(SIZE, mse(positive(iid, m=SIZE)).at(d=1, v=1, z=1) < 0, -3, 0)),
        (for_some(SIZE, mse(positive(simplex)).at(d=SIZE, v=1, z=1) * (SIZE - 2) ** 2 <= 0, 1, 3),
         for_some(SIZE, mse(positive(simplex)).at(d=SIZE, v=1, z=1) * (SIZE - 1) ** 2 <= 0, 1, 3)),
        (for_some(ROWS, mse(positive(iid)).at(d=ROWS, v=1, z=1) * (ROWS - 1) ** 2 <= 0, 1, 2),
         for_some(ROWS, equal((ROWS - 3 * HALF) * mse(positive(iid)).at(d=ROWS, v=1, z=1), 0), 1, 2)),
        (for_some(ROWS, equal((ROWS - 1) * mse(positive(iid)).at(d=1, v=ROWS, z=1), 0), 0, 2),
         for_some(ROWS, equal((3 * ROWS - 4) * mse(positive(iid)).at(d=ROWS, v=1, z=1), 0), 1, 2)),
    ],
)  # fmt: skip
def test_no_value_serves_at_which_a_law_does_not_exist(true: object, false: object) -> None:
    """Rows are a whole number, dimensions too, and no simplex has one dimension."""
    verdicts = [judge(statement(claim)).verdict.decision for claim in (true, false)]
    assert verdicts[0] is Decision.HOLDS
    assert verdicts[1] is not Decision.HOLDS


def test_a_sum_over_values_that_its_variable_never_has_is_refused() -> None:
    """sympy would take the assumptions of the variable for true, and contradict itself."""
    note("sums_of_a_test")
    total = sympy.Sum((m * mse(positive(iid, m=m))).expression, (m, -3, -1))
    with pytest.raises(InvalidInput, match=r"needs m >= 1, got 'm = -3'; sum over a symbol of your own"):
        state("sum", "ours", Side(total) >= mse(positive(iid, m=5)))
    k = sympy.Symbol("k", integer=True)
    for low, high in ((-3, -1), (1, 0), (0, m)):
        state(f"k{low}", "ours", Side(sympy.Sum(k, (k, low, high))) <= m**2)
    state("empty", "ours", Side(sympy.Sum(m, (m, 1, 0))) <= d)
