"""Pairs of rows at a fixed cosine with independent norms: expansions in 1/d and in v, beside their exact laws."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import pytest
import sympy
from flint import acb, arb, ctx

from rftheory.author import (
    O,
    Rational,
    Rows,
    conformity,
    coupling,
    d,
    equal,
    exp,
    forget,
    gap,
    i,
    iid,
    increasing,
    limit,
    m,
    mse,
    oo,
    orthogonal,
    positive,
    trigonometric,
    v,
    z,
)
from rftheory.exact.pair_law import PairForm
from rftheory.judge import Decision
from rftheory.spec import Coupling, Relation, find_coupling
from rftheory.statement import Statement
from rftheory.statement.atoms import PairMean
from rftheory.statement.domain import Domain
from rftheory.statement.judging import judge
from rftheory.statement.provers import dimension as expansion
from rftheory.statement.provers import expand, limits
from rftheory.statement.provers.gammas import sign_by_bounds
from rftheory.statement.provers.instances import by_end_apart, by_instance
from rftheory.statement.provers.proof import prove
from rftheory.statement.provers.series import Atom
from rftheory.statement.provers.unexpanded import not_expanded
from rftheory.statement.words import claimed
from tests.statement.stating import assert_holds, stated

CROSS = find_coupling("cross-polytope")
SQUARE = (sympy.gamma((d + 1) / 2) / sympy.gamma(d / 2)) ** 2
"""The square of the mean of a chi norm, over 2."""
COSINES = (Fraction(-1), Fraction(-1, 2), Fraction(1, 3), Fraction(1))


def refutes(claim: object, *over: object) -> bool | None:
    """None if nothing is proved."""
    (part,) = (statement := stated(claim, *over)).parts
    found = prove(part, statement.domain)
    return None if found is None else found.refutes


def pair_mean(cosine: Fraction, dimension: int, square: arb) -> arb:
    form = PairForm(dimension, *[acb(square)] * 3)
    return form.mean(Relation(cosine, "independent")).real


def number(expression: sympy.Expr) -> arb:
    return arb(str(sympy.N(expression, 60)))


# ---- coefficients beside exact values ----------------------------------------------------------------


def agrees_in_dimension(cosine: Fraction, coefficients: Sequence[sympy.Expr], square: Fraction) -> bool:
    """Whether d^N times the remainder tends to the N-th coefficient with an error of the order of 1/d, for all N."""
    with ctx.workprec(220):
        values = [number(c.subs(expansion._B, Rational(square))) for c in coefficients]
        size = arb(square.numerator) / square.denominator
        for order, value in enumerate(values):
            errors = []
            for dimension in (200, 400, 800):
                head = sum((values[n] / dimension**n for n in range(order)), arb(0))
                rest = (pair_mean(cosine, dimension, size) - head) * arb(dimension) ** order
                errors.append(abs(rest - value) * dimension)
            if not (errors[2] < 1.5 * errors[0] + arb("1e-20") and errors[2] < 100 * (1 + abs(value))):
                return False
    return True


@pytest.mark.parametrize("cosine", COSINES)
@pytest.mark.parametrize("square", [Fraction(1, 2), Fraction(-3, 2)])
def test_coefficients_in_1_over_d_are_those_of_the_exact_mean(cosine: Fraction, square: Fraction) -> None:
    found = expansion._pair_coefficients(Rational(cosine), 4)
    assert found is not None
    assert agrees_in_dimension(cosine, found, square)
    for n in range(1, 4):  # planted: a coefficient that is wrong by 1 in 50
        wrong = [c * Rational(51, 50) if k == n else c for k, c in enumerate(found)]
        assert not agrees_in_dimension(cosine, wrong, square)


def test_a_cosine_that_depends_on_d_is_expanded_itself() -> None:
    t, size, dimension = expansion._T, Fraction(1, 2), 4000
    for cosine in (-t / (1 - t), -1 + t / (2 + t), 1 / sympy.sqrt(4 + t**2)):
        found = expansion._pair_coefficients(cosine, 3)
        assert found is not None
        values = [number(c.subs(expansion._B, Rational(size))) for c in found]
        if (exact := cosine.subs(t, Rational(1, dimension))).is_Rational:
            own = pair_mean(Fraction(int(exact.p), int(exact.q)), dimension, arb(1) / 2)
            rest = own - sum((c / dimension**n for n, c in enumerate(values)), arb(0))
            assert abs(rest) * arb(dimension) ** 3 < 100
    a = sympy.Symbol("a")
    for cosine in (
        1 / t,
        sympy.sqrt(t),
        sympy.log(t),
        a * t,
        sympy.sin(1 / t),
        t * sympy.floor(1 / t),
        (-1) ** (1 / t),
    ):
        assert expansion._pair_coefficients(cosine, 2) is None


@pytest.mark.parametrize("cosine", COSINES)
@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_coefficients_in_v_are_those_of_the_exact_mean(cosine: Fraction, dimension: int) -> None:
    if dimension == 1 and abs(cosine) != 1:
        return  # two rows of R^1 have cosine 1 or -1
    atom = Atom("pair", sympy.S.One, sympy.Integer(dimension), Rational(cosine), "independent")
    with ctx.workprec(220):
        size = arb(1) / 1000
        terms = [number(sympy.sympify(atom.coefficient(n)) / sympy.factorial(n)) * size**n for n in range(8)]
        exact = pair_mean(cosine, dimension, size)
        assert abs(exact - sum(terms, arb(0))) < arb("1e-24")
        for n in range(1, 6):  # planted
            assert not abs(exact - sum(terms, arb(0)) - terms[n] / 50) < arb("1e-24")


# ---- bounds of gamma functions -----------------------------------------------------------------------


def test_the_bounds_of_the_ratio_of_gamma_functions() -> None:
    """Gamma(x + 1)^2/Gamma(x + 1/2)^2 - x falls from 1/pi to 1/4."""
    with ctx.workprec(200):
        places = [arb(k) / 7 for k in range(1, 400)]
        thetas = [((x + 1).gamma() / (x + arb(1) / 2).gamma()) ** 2 - x for x in places]
        assert all(1 / arb.pi() > t > arb(1) / 4 for t in thetas)
        assert all(one > other for one, other in itertools.pairwise(thetas))


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        (d - 2 * SQUARE, "positive"),
        (2 * SQUARE - d + 1, "positive"),
        (2 * SQUARE - d + Rational(1, 2), "positive"),
        (SQUARE**2 - d**2 / 4, "negative"),
        (2 * SQUARE - d + Rational(49, 100), None),  # negative for large d
        (d - 2 * SQUARE - Rational(37, 100), None),  # negative at d = 1
        (sympy.sqrt(SQUARE) - sympy.sqrt(d / 2), None),  # an odd power
        (sympy.gamma(d / 2) - SQUARE, None),
        (sympy.gamma(d / 3 + 1) - sympy.gamma(d / 2), None),
    ],
)
def test_signs_with_gamma_functions_are_proved_or_left_open(
    expression: sympy.Expr, found: str | None
) -> None:
    assert sign_by_bounds(sympy.factor(expression), Domain.of(claimed(d > 1), ()))[0] == found


def test_no_bound_is_used_where_its_argument_may_be_negative() -> None:
    a = sympy.Symbol("a", positive=True)
    ratio = (sympy.gamma(a + Rational(1, 2)) / sympy.gamma(a)) ** 2
    claim = claimed(a > 2)
    assert sign_by_bounds(a - ratio, Domain.of(claim, ()))[0] is None
    assert sign_by_bounds(a - ratio, Domain.of(claim, (a >= Rational(1, 2),)))[0] == "positive"


# ---- statements --------------------------------------------------------------------------------------


@pytest.fixture
def one_opposite():
    yield coupling("opp-one", rows=[Rows(d), Rows(1, norm=d, sign=-1)])
    forget("opp-one")


def test_the_rows_and_their_opposites_in_other_words_are_the_cross_polytope() -> None:
    rows = coupling("opp-rows", rows=[Rows(d), Rows(d, norm=d + i, sign=-1)])
    try:
        assert refutes(limit(mse(positive(rows)), d, oo) == 0) is False
        assert refutes(limit(mse(positive(rows)), d, oo) == 1) is True
    finally:
        forget("opp-rows")


LARGE = -(v**4) + exp(v**2) - 2 + exp(-(v**2))
DECIDED = [
    (limit(mse(positive(CROSS)), d, oo) == 0, False),
    (limit(d * mse(positive(CROSS)), d, oo) == LARGE * exp(-(z**2)) / 2, False),
    (limit(d * mse(positive(CROSS)), d, oo) == LARGE * exp(-(z**2)), True),
    (limit(gap(positive(CROSS)), d, oo) == 0, False),
    (limit(conformity(CROSS), d, oo) == exp(v**2), False),
    (limit(conformity(CROSS), d, oo) == exp(v**2) - 1, True),
    (conformity(CROSS) == exp(v**2) * (1 + O(1 / d)), False),
    (conformity(CROSS) == exp(v**2) * (1 + O(1 / d**2)), True),
    (conformity(CROSS) == conformity(orthogonal) + (1 - exp(v**2)) / (2 * d) + O(1 / d**2), False),
    (conformity(CROSS) == conformity(orthogonal) + (1 - exp(v**2)) / d + O(1 / d**2), True),
    (conformity(CROSS) == conformity(orthogonal) + O(1 / d**2), True),
    (limit(mse(positive(CROSS)) / v**2, v, 0) == 0, True),
    (limit(mse(positive(CROSS)) / v**2, v, 0) == (1 - SQUARE / d * 2) * exp(-(z**2)) / (2 * d), False),
    (limit(mse(positive(CROSS)) / v**2, v, 0) == (1 - SQUARE / d) * exp(-(z**2)) / d, True),
    (limit(mse(positive(CROSS)) / v**4, v, 0) == 0, True),
    (limit(mse(positive(CROSS)) / mse(positive(iid, m=2 * d)), v, 0) == 1 - 2 * SQUARE / d, False),
    (limit(mse(positive(CROSS)) / mse(positive(iid, m=2 * d)), v, 0) == Rational(1, 2), True),
    (limit(gap(positive(CROSS)) / v**2, v, 0) == SQUARE / d**2 * exp(-(z**2)), False),
]


@pytest.mark.parametrize(("claim", "wrong"), DECIDED, ids=str)
def test_limits_and_orders_of_the_cross_polytope(claim: object, wrong: bool) -> None:
    assert refutes(claim) is wrong


def test_limits_of_a_frame_and_one_opposite_row(one_opposite: Coupling) -> None:
    ratio = mse(positive(one_opposite)) / mse(positive(iid, m=d + 1))
    for value, wrong in (
        (1 - 4 * SQUARE / (d * (d + 1)), False),
        (1 - 2 * SQUARE / (d * (d + 1)), True),
        (1, True),
    ):
        assert refutes(limit(ratio, v, 0) == value) is wrong
    assert refutes(limit(mse(positive(one_opposite)), d, oo) == 0) is False
    once = limit(d * mse(positive(one_opposite)), d, oo)
    assert refutes(once == (exp(v**2) - 1 - v**4 / 2) * exp(-(z**2))) is False
    assert refutes(once == (exp(v**2) - 1 - v**4) * exp(-(z**2))) is True
    second = limit(d**2 * (conformity(orthogonal) - conformity(one_opposite)), d, oo)
    assert refutes(second == 2 * (exp(v**2) - 1)) is False
    assert refutes(second == exp(v**2) - 1) is True


@pytest.mark.parametrize("dimension", [1, 2, 3, 7])
def test_the_limit_for_small_v_is_near_the_exact_error(dimension: int) -> None:
    claim = claimed(limit(mse(positive(CROSS)) / v**2, v, 0) == 0)
    asked = expand.asked_of(claim.parts[0], domain := Domain.of(claim, ()))
    assert asked is not None
    found = limits.limit_of(*asked, domain)
    assert found is not None
    at = {d: dimension, z: Rational(1, 2)}
    near = mse(positive(CROSS)).at(d=dimension, z=Rational(1, 2), v=Rational(1, 1000))
    with ctx.workprec(200):
        (atom,) = near.expression.atoms(type(near.expression))
        exact = atom.ball().real * 10**6
        assert abs(exact - number(found.value.subs(at))) < arb("1e-4") * exact


# ---- why a limit is left open ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (
            limit(conformity(CROSS).at(v=d * v), d, oo) == exp(v**2),
            "pair(opposite; d**2*v**2) have no expansion in 1/d here",
        ),
        (
            limit(d * gap(positive(orthogonal, m=d + 5)), d, oo) == 0,
            "the number of pairs among d + 5 rows of orthogonal has no expansion in 1/d here",
        ),
    ],
    ids=str,
)
def test_an_open_limit_names_what_stopped_it(claim: object, why: str) -> None:
    found = judge(stated(claim)).verdict
    assert found.decision is Decision.UNDECIDED
    assert found.reason.endswith(why)


def test_the_coefficient_whose_sign_is_open_is_named() -> None:
    claim = stated(limit(sympy.Symbol("a", real=True) * (exp(v**2) - 1) / v**4, v, 0) == oo)
    why = not_expanded(claim.parts, claim.domain)
    assert why == "no sign is proved for the coefficient of v**2, a"


def test_nothing_stopped_a_limit_that_is_found() -> None:
    claim = claimed(limit(mse(positive(CROSS)), d, oo) == 0)
    assert not_expanded(claim.parts, Domain.of(claim, ())) == ""


U = sympy.Symbol("u", positive=True)
TIED = [
    (mse(positive(iid, m=m)) == O(1 / d), (m >= d,)),
    (equal(m / d**2, O(1 / d**2)), (m >= d,)),
    (equal(v / d, O(1 / d)), (v >= d,)),
    (conformity(orthogonal) == exp(v**2) * (1 + O(1 / d)), (v >= d,)),
    (equal(U * (conformity(orthogonal) - 1), O(v**2)), (U * v >= 1,)),
    (limit(U * (conformity(orthogonal) - 1), v, 0) == 0, (U * v**2 >= 1,)),
    (limit(conformity(orthogonal), v, 0) == 1, (v * d >= 1,)),
    (limit(mse(positive(iid, m=m)), d, oo) == (exp(v**2) - 1) * exp(-(z**2)) / m, (d + m >= 2 * d,)),
    (limit(mse(positive(iid, m=m)), d, oo) == (exp(v**2) - 1) * exp(-(z**2)) / m, (m * (d + 1) >= d**2,)),
    (limit(conformity(orthogonal), d, oo) == exp(v**2), (d**2 <= 100 * d,)),
]


@pytest.mark.parametrize("number", range(len(TIED)))
def test_nothing_is_proved_where_conditions_keep_the_variable_from_its_limit(number: int) -> None:
    claim, over = TIED[number]
    said = claimed(claim)
    assert prove(said.parts[0], Domain.of(said, over)) is None


SHARE = conformity(orthogonal, m=m) / conformity(orthogonal, m=2)
"""1 where all rows lie in one block, m <= d, and larger than 1 elsewhere."""
FREE_BESIDE_A_LIMIT = [
    limit(1 + 1 / d, d, oo) == SHARE,
    equal(SHARE, limit(1 + 1 / d, d, oo)),
    limit(m * gap(positive(orthogonal, m=m)), d, oo) == SHARE - 1,
]


@pytest.mark.parametrize("number", range(len(FREE_BESIDE_A_LIMIT)))
def test_what_holds_far_out_is_not_assumed_of_the_same_letter_beside_a_limit(number: int) -> None:
    """The d of the limit is bound, and another one than that of the other side: at d = 2, m = 3 these are false."""
    claim = FREE_BESIDE_A_LIMIT[number]
    three, two = (conformity(orthogonal, m=rows).at(d=2, v=1).expression.ball() for rows in (3, 2))
    assert three > two
    assert refutes(claim, d >= 2, m >= 2) is not False
    assert refutes(limit(m * gap(positive(orthogonal, m=m)), d, oo) == 0) is False


def test_conditions_that_hold_near_the_limit_are_no_obstacle() -> None:
    for claim, over in (
        (limit(conformity(orthogonal), d, oo) == exp(v**2), (v < d,)),
        (limit(m * mse(positive(iid, m=m)), m, oo) == (exp(v**2) - 1) * exp(-(z**2)), (m >= d,)),
        (limit(conformity(orthogonal), v, 0) == 1, (v < d,)),
    ):
        said = claimed(claim)
        found = prove(said.parts[0], Domain.of(said, over))
        assert found is not None
        assert not found.refutes


def test_a_proposal_for_a_limit_claims_no_search() -> None:
    """At an angle the error of positive features is of a lower order in v than that of a frame."""
    own = coupling("own-angle", rows=Rows(3), cosine=Rational(-1, 2), min_dim=2)
    try:
        claim = claimed(limit(gap(positive(own)) / gap(positive(orthogonal, m=3)), v, 0) == 0)
        said = judge(Statement("n.a", "", claim, Domain.of(claim, (d >= 3,)))).proposals
    finally:
        forget("own-angle")
    assert said
    assert all(one.endswith((": proved", ": not decided")) for one in said)


@pytest.mark.parametrize(
    ("claim", "over", "refuted"),
    [
        (limit(mse(positive(orthogonal, m=m)) / v**2, v, 0) <= 1, (), False),
        (limit(mse(positive(orthogonal, m=m)) / v**2, v, 0) < 1, (), True),  # m = 1, z = 0
        (limit(mse(positive(orthogonal, m=m)) / v**2, v, 0) < 1, (m >= 2,), False),
        (limit(mse(positive(orthogonal, m=m)) / v**3, v, 0) > 1, (), False),
        (limit(mse(positive(orthogonal, m=m)) / v**3, v, 0) <= 1, (), True),
        (limit(mse(positive(orthogonal, m=m)) / v, v, 0) == exp(-(z**2)) / m, (), True),
        (limit(mse(positive(orthogonal, m=m)) / v, v, 0) == 0, (), False),
        (limit(-mse(positive(orthogonal, m=m)) / v**3, v, 0) == -oo, (), False),
        (limit(d * gap(positive(orthogonal, m=m)), d, oo) < v**4 * exp(-(z**2)) / 2, (v > 0,), False),
        (limit(d * gap(positive(orthogonal, m=m)), d, oo) < v**4 * exp(-(z**2)) / 2, (), True),  # v = 0
        (limit(mse(positive(orthogonal, m=m)) / mse(positive(iid, m=m)), d, oo) >= 1, (v > 0,), False),
        (limit(mse(positive(orthogonal, m=m)) / mse(positive(iid, m=m)), d, oo) != 1, (v > 0,), True),
    ],
)
def test_limits_of_odd_powers_and_their_orderings(
    claim: object, over: tuple[object, ...], refuted: bool
) -> None:
    assert refutes(claim, *over) is refuted


@pytest.mark.parametrize("claim", [limit(d**2 * gap(positive(orthogonal, m=m)), d, oo) > 1,
                                   limit(d**2 * gap(positive(orthogonal, m=m)), d, oo) == oo])  # fmt: skip
@pytest.mark.parametrize(
    ("over", "refuted"), [((), True), ((v > 0,), True), ((m >= 2,), True), ((v > 0, m >= 2), False)]
)
def test_what_is_infinite_in_the_dimension_is_not_so_where_its_coefficient_is_0(
    claim: object, over: tuple[object, ...], refuted: bool
) -> None:
    assert refutes(claim, *over) is refuted


A = sympy.Symbol("A", real=True)


@pytest.mark.parametrize(
    ("claim", "over", "nearby"),
    [
        (limit(d * (exp(v**2) - 1), d, oo) == oo, (), "for v > 0: proved"),
        (limit(exp(2 * z**2) * mse(positive(iid, m=m)), z, oo) == oo, (), "for v > 0: proved"),
        (limit((d - 5) * exp(v**2), v, oo) == oo, (), "for d >= 6: proved"),
        (limit(m * v / d, d, oo) > 0, (), ""),
        (limit(exp(A * v**2), v, oo) == oo, (), "for A > 0: proved"),
        (limit(z * v / d, d, oo) == v, (v >= 1, v <= 2), ""),
        (equal(v / d + z / d**2, z / d**2 + O(1 / d**2)), (), ""),
    ],
    ids=str,
)
def test_a_limit_is_refuted_where_it_fails_for_some_values_of_the_others(
    claim: object, over: tuple[object, ...], nearby: str
) -> None:
    found = judge(stated(claim, *over))
    assert found.verdict.decision is Decision.FAILS
    assert nearby in (*found.proposals, "")


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (limit(d * (exp(v**2) - 1), d, oo) == oo, (v > 0,)),
        (limit(exp(2 * z**2) * mse(positive(iid, m=m)), z, oo) == oo, (v > 0,)),
        (limit((d - 5) * exp(v**2), v, oo) == oo, (d >= 6,)),
        (limit(m * v / d, d, oo) >= 0, ()),
        (limit(exp(A * v**2), v, oo) == oo, (A > 0,)),
        (equal(v / d + z / d**2, v / d + O(1 / d**2)), ()),
    ],
    ids=str,
)
def test_a_limit_that_holds_for_all_values_of_the_others_is_not_refuted(
    claim: object, over: tuple[object, ...]
) -> None:
    assert_holds(claim, *over)
    instances_alone = by_instance(stated(claim, *over).parts[0], stated(claim, *over).domain)
    assert instances_alone is None


def test_no_points_refute_nothing() -> None:
    """Only v = 0 is left by the condition."""
    said = stated(limit(d * v, d, oo) == 0, v * m <= 0)
    assert prove(said.parts[0], said.domain, (by_end_apart,)) is None


def test_a_direction_is_searched_where_there_are_several_rows() -> None:
    """At m = 1 all couplings are the same; the error of orthogonal waves overshoots at d = 3, m = 2, z = 4."""
    for over in ((), (m <= d,)):
        found = judge(stated(increasing(mse(trigonometric(orthogonal, m=m)), z), *over))
        assert found.verdict.decision is Decision.FAILS
    assert judge(stated(increasing(mse(trigonometric(iid, m=1)), z))).verdict.decision is Decision.HOLDS


FRAME, WAVE = (sympy.hyper(*of) for of in (((d,), (d / 2,), v**2 / 2), ((), (d / 2,), -d * z**2 / 4)))
S = sympy.Symbol("s", positive=True)
OF_ORDER_D = O(d)


def opposite(square: object = v**2, cosine: object = -1) -> sympy.Expr:
    return PairMean(cosine, "independent", d, square)


ALONE = [
    # what is outgrown, and what is not
    (limit((FRAME - opposite()) / FRAME, v, oo) == 1, (), False),
    (limit((FRAME - opposite(cosine=Rational(1, 2))) / FRAME, v, oo) == 1, (), None),
    (limit((FRAME - opposite(4 * v**2)) / FRAME, v, oo) == 1, (), None),
    (limit((FRAME - v**8 * opposite()) / FRAME, v, oo) == 1, (), None),  # false up to d = 4
    (limit(opposite(cosine=1) / exp(v**2), v, oo) == 0, (), None),
    (limit(opposite(4 * v**2) / (1 + exp(v**2)), v, oo) == 0, (), None),
    (limit(z**2 * sympy.hyper((d,), (d / 2,), -(z**2)), z, oo) == 0, (), None),  # -1/2 at d = 1
    (limit(sympy.cos(z) / (exp(z**2) + 1), z, oo) == 0, (), False),
    (limit(z**4 * WAVE, z, oo) == 0, (d >= 2,), None),
    (limit(sympy.hyper((), (d / 2,), A * d * v**2), v, oo) == 0, (A <= -1, d >= 2), None),
    (limit(sympy.hyper((A,), (A / 2,), -(v**2)), v, oo) == 0, (A > -1, A < 0), None),  # it grows like v^(-2 A)
    (limit(exp(v**2) / (A * exp(2 * v**2) + 1), v, oo) == 0, (A >= 0,), None),
    (limit(v * (1 + exp(-(v**2))), v, oo) == oo, (), False), (limit(v * exp(v**2), v, oo) == oo, (), False),
    (limit(A * v * (1 + exp(-(v**2))), v, oo) == oo, (A >= 0,), None),
    # what has no value or no series at 0
    (limit(sympy.Max(1, 1 / S), S, oo) == 1, (), False), (limit((v / d + d**-2) ** 2 * d**2, d, oo) == v**2, (), False),
    (limit(sympy.hyper((1,), (), 1 - S), S, 0) == sympy.hyper((1,), (), 1), (), None),
    (limit(sympy.hyper((), (S,), S), S, 0) == 1, (), None), (limit(exp(-1 / v), v, 0) == -oo, (), True),
    (limit(d ** (-d), d, oo) > 0, (), None), (limit(1 + S ** (1 / S), S, 0) == 1, (), None),
    (limit((sympy.hyper((), (A,), v**2) ** 2 - 1) / v**2, v, 0) == 2 / A, (A > -1,), None),
    (limit(WAVE**2 + 1 / (1 + z), z, oo) > 0, (d >= 2,), None),
    (limit(1 + exp(z**2) * WAVE.func((), (d / 2,), -d * z**2), z, oo) == 1, (d >= 2,), None),
    # infinite limits
    (limit(d, d, oo) > oo, (), True), (limit((A - 1) * d, d, oo) == 3, (), True),
    (limit((A - 1) ** 2 * d, d, oo) >= 5, (), None), (limit(1 / (v - 1), v, 1) > 5, (v > 1,), False),
    # orders of growth
    (equal((A - 1) * v, O(v**2)), (), True), (A * O(v) >= -A, (), None),
    (equal(v, gap(positive(orthogonal, m=1)) * O(v)), (), None), (equal(limit(d, d, oo), v**2 * O(1 / v)), (), None),
    (equal(v**2, O(1 + v)), (), None), (equal(1 / v, O(1 / (1 + v))), (), None),
    (equal(1 / v, O(exp(v))), (), None), (equal(1 / (v * d), O(1 / d)), (), None),
    (equal(d**2, OF_ORDER_D + OF_ORDER_D**2), (), None),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "over", "refuted"), ALONE, ids=str)
def test_what_limits_and_orders_rest_on(
    claim: object, over: tuple[object, ...], refuted: bool | None
) -> None:
    (part,) = (said := stated(claim, *over)).parts
    found = expand.by_expansion(part, said.domain)
    assert (None if found is None else found.refutes) is refuted


@pytest.mark.parametrize(
    ("claim", "proved"),
    [
        (limit(sympy.sin(d), d, oo) == limit(sympy.sin(d), d, oo), False),  # neither exists
        (limit(sympy.sin(d), d, oo) <= limit(sympy.sin(d), d, oo), False),
        (conformity(orthogonal) != exp(v**2) * (1 + O(1 / d)), False), (abs(v + O(v)) <= O(v**2), False),
        (equal((A**2 + A**4) ** (d / 2), A**d * (1 + A**2) ** (d / 2)), False),
        (equal(FRAME * (S**2 / (1 + S)) ** (d / 2), FRAME * S**d / (1 + S) ** (d / 2)), True),
        (equal(FRAME * (S**2 / (1 + S)) ** (d / 2), FRAME * S**d / (2 + S) ** (d / 2)), False),
        (equal(FRAME * (1 + S) ** d, FRAME * (2 + S) ** d), False),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_proved_of_the_same_in_two_forms(claim: object, proved: bool) -> None:
    assert (refutes(claim) is False) is proved


@pytest.mark.parametrize(
    ("claim", "over", "lost"),
    [
        (equal(z * v + sympy.sqrt(v), z * v * (1 + O(v))), (z <= 0,), True),
        (equal(z * v + sympy.sqrt(v), z * v * (1 + O(v))), (z <= 0, v >= 1), False),
        (equal(z * v + v**2, z * v * (1 + O(v))), (z > 0,), False), (equal(v + z, z + O(v)), (z <= 0,), False),
        (z * v - exp(-1 / v) < z * v * (1 + O(v)), (z <= 0,), False), (z * v < z * v * (1 + O(v)), (z <= 0,), True),
    ],
    ids=str,
)  # fmt: skip
def test_an_order_is_lost_only_where_it_is_0(claim: object, over: tuple[object, ...], lost: bool) -> None:
    (part,) = (said := stated(claim, *over)).parts
    assert (expand.by_lost_order(part, said.domain) is not None) is lost
