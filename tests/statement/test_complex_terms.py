"""Laws of maps with complex terms, of parameters with assumptions and of chosen ones: written out they are the laws."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sympy
from flint import arb
from sympy import I, S, cos, log

from rftheory.author import (
    Parameter,
    Rational,
    Rows,
    Term,
    coupling,
    covariance,
    d,
    exp,
    feature_map,
    forget,
    gap,
    gaussian,
    gerf,
    iid,
    limit,
    m,
    mean,
    mse,
    oo,
    orthogonal,
    orthogonal_fixed,
    positive,
    sqrt,
    v,
    variance,
    with_features,
    x,
    y,
    z,
)
from rftheory.errors import InvalidInput, NotKnown, OutsideDomain
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.judge import Decision
from rftheory.spec import FeatureMap, find_coupling, find_map
from rftheory.statement import Statement
from rftheory.statement.atoms import PairCount, of_difference
from rftheory.statement.domain import Domain
from rftheory.statement.pointwise import ball
from rftheory.statement.provers.proof import prove
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.settle import alone
from rftheory.statement.words import Mechanism, Side, claimed

A, T = sympy.symbols("A t", real=True)
BASE = -(x**2 + y**2) / 2
THIRD = Rational(1, 3)
SPREAD = (exp(v**2) - 1) * exp(-(z**2))
"""The variance of one positive feature."""

Declare = Callable[..., Callable[..., Mechanism]]


@pytest.fixture
def declare() -> Iterator[Declare]:
    """Declares a map of one word, with the parameter A unless others are given."""
    given: list[FeatureMap] = []

    def named(
        *terms: Term, parameters: tuple[Parameter, ...] = (Parameter(A, "any"),), **more: object
    ) -> object:
        given.append(
            feature_map(f"complex-{len(given)}", "", "a test", *terms, parameters=parameters, **more)
        )
        return with_features(given[-1])

    yield named  # type: ignore[misc]
    for one in given:
        forget(one.name)


def judged(claim: object, *over: object) -> Decision:
    said = claimed(claim)
    return alone(Statement("test.statement", "", said, Domain.of(said, over)))


def proves(claim: object, *over: object) -> bool:
    said = claimed(claim)
    found = prove(said.parts[0], Domain.of(said, over))
    return found is not None and not found.refutes


def written(side: Side, *over: object) -> sympy.Expr:
    return reduced(side.expression, Domain.of(claimed(side > -1), over))


# ---- gap ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["positive", "oprf", "trigonometric"])
@pytest.mark.parametrize("rows", [1, 3])
def test_a_gap_is_to_rows_of_iid_whatever_the_norms_are(word: str, rows: int) -> None:
    fixed, free = (with_features(word)(rule, m=rows) for rule in (orthogonal_fixed, iid))
    at = {d: S(3), v: S(1), z: S.Half}
    for side in (gap(fixed), mse(free) - mse(fixed)):
        assert ball(written(side, d >= 2, v > 0), at).overlaps(ball(gap(fixed).expression.subs(at), {}))
    assert judged(mse(free) - mse(fixed) == gap(fixed), d >= 2, v > 0) is Decision.HOLDS


def test_the_gap_of_one_row_of_fixed_norm_is_not_zero() -> None:
    side = gap(positive(orthogonal_fixed, m=1))
    assert judged(limit(d * side, d, oo) == 0, v > 0) is Decision.FAILS
    assert judged(limit(side, d, oo) == 0, v > 0) is Decision.HOLDS
    assert judged(limit(d * gap(positive(orthogonal, m=1)), d, oo) == 0, v > 0) is Decision.HOLDS


def test_a_gap_to_rows_of_infinite_variance_has_no_value() -> None:
    side = gap(gerf(orthogonal_fixed, A=Rational(1, 5), m=2))
    with pytest.raises(NotKnown, match="> 0 does not follow"):
        written(side)
    with pytest.raises(OutsideDomain, match="infinite"):
        side.expression.subs({d: 3, v: 1, z: 1}).ball()


# ---- complex terms -----------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [
    variance(gerf(iid, A=I / 20, m=m)),
    variance(gerf(iid, A=I / 20, s=-1, m=m)),
])  # fmt: skip
def test_a_variance_with_complex_q_is_its_real_value(side: Side) -> None:
    scaled = (side.at(d=2, v=1, z=1) * m).expression
    value = sympy.expand(reduced(scaled, Domain.of(claimed(side > 0), ())))
    assert not value.has(I)
    assert ball(value, {}).overlaps(ball(scaled.subs(m, 1), {}))
    assert judged(limit(Side(scaled), m, oo) == value) is Decision.HOLDS
    assert judged(limit(Side(scaled), m, oo) == value + I * value / 100) is not Decision.HOLDS
    assert judged(limit(Side(scaled), m, oo) == 1) is Decision.FAILS


def test_a_variance_with_a_complex_slope_is_its_real_value(declare: Declare) -> None:
    side = variance(declare(Term((1 + I) * (x + y), BASE), parameters=())(iid, m=m))
    one = exp(-(v**2) - z**2) * (exp(2 * v**2) + cos(4 * v**2) - 2 * cos(v**2) ** 2) / 2
    assert judged(limit(m * side, m, oo) == one, v > 0) is Decision.HOLDS
    unreal = exp(-(v**2) - z**2) * (exp(2 * v**2) + exp(4 * I * v**2) - 2 * exp(2 * I * v**2)) / 2
    assert judged(limit(m * side, m, oo) == unreal, v > 0) is not Decision.HOLDS


@pytest.mark.parametrize(
    ("weight", "factor", "over"),
    [
        (sqrt(A), 0, (A < 0,)),  # imaginary
        (sqrt(A), A, (A > 0,)),
        (sqrt(A - 1) * sqrt(1 - A), 0, (A > 1,)),
        ((-1) ** THIRD, Rational(1, 4), ()),
        (sqrt(I), Rational(1, 2), ()),
        (I * A, 0, ()),
        ((1 + I) * A, A**2, ()),
        (A**THIRD, (-A) ** (2 * THIRD) / 4, (A < 0,)),
        ((-2) ** A, 4**A * cos(sympy.pi * A) ** 2, (A > 0, A < 1)),
        (exp(I * A), cos(A) ** 2, ()),
    ],
    ids=str,
)  # fmt: skip
def test_a_complex_weight_counts_by_its_real_part(
    declare: Declare, weight: sympy.Expr, factor: sympy.Expr, over: tuple[object, ...]
) -> None:
    side = limit(d * variance(declare(Term(x + y, BASE, weight=weight))(iid, m=d, A=A)), d, oo)
    assert judged(side == factor * SPREAD, *over, v > 0) is Decision.HOLDS
    for other in (weight**2, -(weight**2), S(1) / 3):
        if sympy.expand(other - factor) != 0:
            assert judged(side == other * SPREAD, *over, v > 0) is not Decision.HOLDS


def test_a_weight_that_may_be_complex_is_no_closed_form(declare: Declare) -> None:
    for weight, over in (
        (sqrt(A), ()), (sympy.asin(A), ()), (A**THIRD, ()), (sympy.asin(A), (A > 0,)),
        (I * sympy.sin(1 + I * A), ()), (sympy.sin(1 + I * A), ()),
    ):  # fmt: skip
        with pytest.raises(NotKnown, match=r"is unknown|not known to be real|the real part of"):
            written(variance(declare(Term(x + y, BASE, weight=weight))(iid, m=2, A=A)), v > 0, *over)


def test_powers_of_complex_numbers_have_a_real_part(declare: Declare) -> None:
    """Roots where these are off the negative axis, and whole powers everywhere."""
    for term, factor in (
        (Term(x + y, BASE, weight=sqrt(1 + I * A)), sqrt(sqrt(1 + A**2)) * cos(sympy.atan(A) / 2)),
        (Term(x + y, BASE + (A + I * A) ** 2 * x * y), cos(A**2 * (v**2 - z**2) / 2)),
    ):
        assert proves(mean(declare(term)(iid, A=A)) == factor * gaussian)


def test_a_slope_that_is_a_logarithm_may_be_complex(declare: Declare) -> None:
    side = variance(declare(Term(log(A) * (x + y), BASE))(iid, m=2, A=A))
    at = {d: S(3), v: S(1), z: S.Half}
    for over, value in ((A > 0, Rational(1, 2)), (A < 0, Rational(-1, 2))):
        own = {**at, A: value}
        assert ball(written(side, over, v > 0), own).overlaps(ball(side.expression.subs(own), {}))
    wrong = (exp(2 * v**2 * log(A) ** 2 - v**2 - z**2) - exp(v**2 * log(A) ** 2 - v**2 - z**2)) / 2
    assert judged(side == wrong, A < 0, v > 0) is not Decision.HOLDS
    assert judged(side == wrong, A > 0, v > 0) is Decision.HOLDS


def test_a_complex_parameter_may_be_an_expression(declare: Declare) -> None:
    own = sympy.Symbol("Z")
    word = declare(Term(x + y, BASE, weight=own), parameters=(Parameter(own, "a factor", "complex"),))
    side = limit(d * variance(word(iid, m=d, Z=sqrt(A))), d, oo)
    assert judged(side == A * SPREAD, A < 0, v > 0) is Decision.FAILS
    assert judged(side == 0, A < 0, v > 0) is Decision.HOLDS
    assert judged(side == A * SPREAD, A > 0, v > 0) is Decision.HOLDS


# ---- parameters --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("assumed", "weight", "inside", "outside"),
    [
        ({"integer": True}, lambda b: cos(2 * sympy.pi * b), 2, Rational(1, 2)),
        ({"negative": True}, lambda b: -sqrt(b**2) / b, -1, 1),
        ({"positive": True}, lambda b: sqrt(b**2) / b, 3, -1),
        ({"even": True}, lambda b: (-1) ** b, 4, 1),
        ({"zero": False, "real": True}, lambda b: b / b, 1, 0),
        ({"rational": True}, lambda b: b / b, Rational(1, 3), sqrt(2)),
    ],
    ids=["integer", "negative", "positive", "even", "not zero", "rational"],
)  # fmt: skip
def test_a_value_has_what_is_assumed_of_its_symbol(
    declare: Declare, assumed: dict[str, bool], weight: Callable[..., object], inside: object, outside: object
) -> None:
    own = sympy.Symbol("B", **assumed)
    word = declare(Term(x + y, BASE, weight=weight(own)), parameters=(Parameter(own, "some numbers"),))
    feature = word(iid, B=inside).feature
    for value, right in ((inside, Decision.HOLDS), (outside, Decision.UNDECIDED)):
        assert judged(mse(word(iid, m=1, B=value)) == mse(positive(iid, m=1))) is right
        assert judged(mean(word(iid, m=1, B=value)) == exp(-(z**2) / 2)) is right
    pair = Inputs.of_norms(3, sum_norm=1)
    assert Law(feature, find_coupling("iid"), 1, pair, {"B": inside}).parameters["B"] == inside
    with pytest.raises(OutsideDomain, match="needs a value of Symbol"):
        Law(feature, find_coupling("iid"), 1, pair, {"B": outside})


def test_a_domain_may_say_what_is_assumed_of_a_symbol(declare: Declare) -> None:
    own = sympy.Symbol("B", negative=True)
    word = declare(Term(x + y, BASE, weight=-sqrt(own**2) / own), parameters=(Parameter(own, "below 0"),))
    claim = mse(word(iid, m=m, B=T)) == mse(positive(iid, m=m))
    assert judged(claim, T < 0) is Decision.HOLDS
    assert judged(claim, T <= 0) is not Decision.HOLDS
    whole = sympy.Symbol("B", integer=True)
    word = declare(
        Term(x + y, BASE, weight=cos(2 * sympy.pi * whole)), parameters=(Parameter(whole, "turns"),)
    )
    assert judged(mse(word(iid, m=m, B=T)) == mse(positive(iid, m=m))) is not Decision.HOLDS
    assert judged(mse(word(iid, m=m, B=d)) == mse(positive(iid, m=m))) is Decision.HOLDS


def test_a_value_in_terms_of_v_is_taken_once() -> None:
    side = mse(gerf(iid, A=-v, m=1)).at(v=v**2)
    at = {d: S(2), v: S(2), z: S(1)}
    assert ball(written(side, v > 0), at).overlaps(ball(side.expression.subs(at), {}))


def test_a_chosen_value_is_one_at_which_the_moments_exist(declare: Declare) -> None:
    shape = sympy.Symbol("B")
    for chosen, right in (
        (v, False), (-v, True), (I * v, False), (S(1), False), (-S(1), True),
        (sympy.Piecewise((-v, v > 1), (v, True)), False), (sympy.Piecewise((-v, v > 1), (-(v**2), True)), True),
    ):  # fmt: skip
        word = declare(
            Term(sqrt(1 - 4 * shape) * (x + y), BASE + log(1 - 4 * shape) / 2, 2 * shape),
            parameters=(Parameter(shape, "a shape", "complex"),), chosen={"B": chosen},
        )  # fmt: skip
        side, at = mse(word(iid, m=1)), {d: S(2), v: Rational(1, 20), z: S(1)}
        if right:
            assert ball(written(side, v > 0), at).overlaps(ball(side.expression.subs(at), {}))
        else:
            with pytest.raises(NotKnown):
                written(side, v > 0)
    assert not find_map("oprf").chosen["A"].has(sympy.Piecewise)


def test_laws_are_those_of_the_map_that_has_the_name_now(declare: Declare) -> None:
    found = []
    for weight in (1, 2):
        feature_map("declared-twice", "", "a test", Term(x + y, BASE, weight=weight))
        found.append(judged(variance(with_features("declared-twice")(iid, m=1)) == SPREAD))
        forget("declared-twice")
    assert found == [Decision.HOLDS, Decision.FAILS]


def test_pairs_are_those_of_the_coupling_that_has_the_name_now() -> None:
    found = []
    for size in (3, 1):
        coupling("declared-twice", rows=Rows(size), min_dim=3)
        found.append([PairCount("declared-twice", 3, 5), PairCount("declared-twice", d, 5).subs(d, 3)])
        forget("declared-twice")
    assert found == [[4, 4], [0, 0]]


def test_a_parameter_has_values_of_its_kind_alone(declare: Declare) -> None:
    """The root of t is imaginary at some t, and 0 at one."""
    for own, kind in (
        (sympy.Symbol("B"), "real"),
        (sympy.Symbol("B", real=True), "real"),
        (sympy.Symbol("B", zero=False), "complex"),
    ):
        word = declare(Term(x + y, BASE), parameters=(Parameter(own, "any", kind),))
        claim = mse(word(iid, m=1, B=sqrt(T))) == mse(positive(iid, m=1))
        assert [proves(claim, *over) for over in ((), (T > 0,))] == [False, True]


def test_a_law_that_divides_by_zero_somewhere_has_no_value_there(declare: Declare) -> None:
    power = sympy.Symbol("B", real=True)
    parameters = (Parameter(A, "a base"), Parameter(power, "an exponent", default=-1))
    quotient, slope = (
        declare(Term(x + y, BASE, weight=w), parameters=parameters) for w in (A**power, sympy.tan(A))
    )
    inverse = T * mean(quotient(iid, A=T)) == gaussian
    assert [proves(inverse, *over) for over in ((), (T >= 0,), (T > 0,))] == [False, False, True]
    assert proves(mean(quotient(iid, A=T, B=2)) == T**2 * gaussian)
    assert not proves(mse(quotient(iid, A=0)) >= 0)
    zero = T * (log(4) - 2 * log(2))
    for value, over in ((1 / T, ()), (sympy.tan(T), ()), (1 / zero, (T > 0, T < 1))):
        assert not proves(mse(quotient(iid, A=value, B=1)) >= 0, *over)
    chosen = declare(Term(x + y, BASE, weight=A), chosen={"A": 1 / v})
    assert [proves(v * mean(chosen(iid)) == gaussian, *over) for over in ((), (v > 0,))] == [False, True]
    assert not proves(cos(T) * mean(slope(iid, A=T)) == sympy.sin(T) * gaussian)


def test_a_covariance_needs_the_laws_of_both_pairs(declare: Declare) -> None:
    """The shape that the map chooses at the second pair is one without a variance from u = 2 on."""
    shape, u = sympy.Symbol("B"), sympy.Symbol("u", nonnegative=True)
    word = declare(
        Term(sqrt(1 - 4 * shape) * (x + y), BASE + log(1 - 4 * shape) / 2, 2 * shape),
        parameters=(Parameter(shape, "a shape", "complex"),), chosen={"B": v / 16},
    )  # fmt: skip
    one = word(iid, m=1)
    claim = covariance(one, v=u, z=z, cosine=1) ** 2 <= mse(one) * mse(one).at(v=u)
    assert [proves(claim, v < 1, *over) for over in ((), (u < 1,))] == [False, True]


# ---- terms -------------------------------------------------------------------------------------------


def test_numbers_of_python_are_parts_of_terms(declare: Declare) -> None:
    term = Term(x + y, BASE, 0, weight=2)
    assert all(isinstance(part, sympy.Expr) for part in (term.b, term.log, term.q, term.weight))
    side = variance(declare(term, parameters=())(iid, m=1))
    assert judged(side == 4 * SPREAD) is Decision.HOLDS
    side = mean(declare(Term(x + y, 0), parameters=())(iid, m=1))
    assert judged(side == exp((v**2 - z**2) / 4)) is Decision.HOLDS
    side = mean(declare(Term(0, 1), parameters=())(iid, m=1))
    assert judged(side == exp(d - (v**2 + z**2) / 4)) is Decision.HOLDS


@pytest.mark.parametrize(
    "part", [{"b": "x"}, {"log": True}, {"q": 0.1}, {"weight": [2]}, {"weight": x}, {"phase": 0.5}], ids=str
)
def test_other_parts_of_terms_are_refused(part: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match=f"{next(iter(part))} of a term"):
        Term(**{"b": x + y, **part})  # type: ignore[arg-type]


# ---- at random ---------------------------------------------------------------------------------------

SLOPES = [
    1,
    -1,
    I,
    1 + I,
    A,
    sqrt(A),
    sqrt(1 - A),
    log(A),
    (-1) ** THIRD,
    exp(I * A),
    sqrt(1 + I * A),
    sqrt(-A),
]
LOGS = [0, 0, I * x * y, log(A) * x * y, (1 + I) * (x**2 + y**2) / 7, log(1 - A) / 2, log(1 + I * A), I / 3]
SQUARES = [0, 0, 0, -THIRD, I / 3, Rational(1, 20), I * A, sqrt(A) / 60, -exp(I * A) / 50]
WEIGHTS = [
    1,
    -2,
    1 + I,
    A,
    sqrt(A),
    sqrt(A - 1) * sqrt(1 - A),
    (-2) ** A,
    log(A),
    exp(I * A),
    (1 + I * A) ** A,
]
RANGES = [((A < 0,), Rational(-1, 2)), ((A > 1,), Rational(3, 2)), ((A > 0, A < 1), Rational(1, 4))]


@pytest.mark.parametrize("seed", range(2))
def test_random_maps_have_the_law_that_is_written_out_or_none(declare: Declare, seed: int) -> None:
    choose, compared = random.Random(seed).choice, 0
    shared = coupling("shared-norm", rows=Rows(d, norm=0, sign=-1))
    try:
        for _ in range(40):
            line = choose([1, -1])
            terms = [
                Term(
                    choose(SLOPES) * (x + line * y),
                    BASE + choose(LOGS),
                    choose(SQUARES),
                    choose(WEIGHTS),
                    choose([0, 0, 2]),
                )
                for _ in range(choose([1, 2]))
            ]
            over, value = choose(RANGES)
            mechanism = declare(*terms)(choose([iid, iid, orthogonal, orthogonal_fixed, shared]), m=2, A=A)
            side = choose([mean, variance, mse, gap])(mechanism)
            try:
                found = written(side, *over, d >= 2, v > 0, z > 0)
            except NotKnown:
                continue
            at = {d: S(3), v: S.Half, z: Rational(3, 2), A: value}
            one, own = side.expression.subs(at).ball(), ball(found, at)
            assert isinstance(own, arb), (terms, over, side.expression)
            assert own.overlaps(one), (terms, over, side.expression)
            assert own.rad() < 1e-9
            compared += 1
        assert compared > 5
    finally:
        forget("shared-norm")


A_REAL = sympy.Symbol("a", real=True)
HALF_SQUARES = (x**2 + y**2) / 2
CHOSEN = {"parameters": (Parameter(A_REAL, "w"),), "chosen": {"a": 1 + v}}


@pytest.mark.parametrize(
    ("terms", "more", "of_the_difference"),
    [
        ((Term(I * (x - y), HALF_SQUARES),), {}, True),
        ((Term(I * (x - y), HALF_SQUARES), Term(I * (x + y), HALF_SQUARES, phase=2)), {}, True),
        ((Term(2 * (x - y), HALF_SQUARES), Term(3 * I * (x - y), HALF_SQUARES, weight=2)), {}, True),
        ((Term(I * (x - y), HALF_SQUARES), Term(x + y, HALF_SQUARES, phase=1)), {}, False),
        ((Term(I * (x - y), HALF_SQUARES), Term((1 + I) * (x + y), HALF_SQUARES, phase=1)), {}, False),
        ((Term(I * (x - y), HALF_SQUARES), Term(I * sympy.Abs(x), HALF_SQUARES, phase=1)), {}, False),
        ((Term(I * (x - y), HALF_SQUARES), *(Term(I * x, HALF_SQUARES, phase=n) for n in (1, 2))), {}, False),
        ((Term(I * (x - y), -HALF_SQUARES),), {}, False),
        ((Term(I * (x + y), HALF_SQUARES),), {}, False),
        ((Term(I * (x - y), HALF_SQUARES, weight=A_REAL),), CHOSEN, False),
    ],
)  # fmt: skip
def test_only_waves_in_the_difference_have_a_law_without_the_sum(
    terms: tuple[Term, ...], more: dict[str, Any], of_the_difference: bool
) -> None:
    declared = FeatureMap("some waves", "ours", "test", terms, **more)
    assert of_difference(declared) is of_the_difference
