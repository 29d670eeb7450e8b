"""What is known of a quantity in its place: OPRF by its definition, means of bounded features, ends that are tied."""

from __future__ import annotations

import pytest
import sympy

from rftheory.author import (
    O,
    Rational,
    Rows,
    central_moment,
    conformity,
    coupling,
    d,
    equal,
    exp,
    forget,
    gerf,
    iid,
    limit,
    m,
    mean,
    mse,
    oo,
    oprf,
    orthogonal,
    orthogonal_fixed,
    positive,
    simplex,
    sin,
    sqrt,
    tail,
    trigonometric,
    v,
    variance,
    z,
)
from rftheory.statement.provers.bounds import by_bounds
from rftheory.statement.provers.proof import prove
from tests.statement.stating import assert_holds, assert_not_proved, stated

A = sympy.Symbol("A", real=True)
BELOW = Rational(1, 8) > A
B = sympy.Symbol("B", real=True)
LEADING = (1 - 4 * A) ** d / (1 - 8 * A) ** (d / 2) * exp(-(z**2)) / m
SINE = gerf(iid, m=m, A=A, s=-1)
u, eps = sympy.symbols("u eps", positive=True)
WAVES, LESS_APART = mean(trigonometric(orthogonal_fixed)), mean(trigonometric(orthogonal_fixed)).at(z=z / 2)
NEAR = (z <= Rational(1, 2), d <= 4)

TRUE = (
    (mse(oprf(iid, m=m)) <= mse(gerf(iid, m=m, A=A)), (BELOW,)),
    (mse(oprf(iid, m=m)) < mse(positive(iid, m=m)), (v > 0,)),
    (mse(oprf(orthogonal, m=m)) <= mse(positive(iid, m=m)), ()),
    (mse(oprf(simplex)) <= mse(gerf(orthogonal, A=A)), (d >= 2, BELOW)),
    (mse(oprf(orthogonal, m=m)) / mse(positive(orthogonal, m=m)) <= 1, (v > 0,)),
    (variance(oprf(iid, m=1)) <= (exp(v**2) - 1) * exp(-(z**2)), ()),
    ((m - 1) * mse(oprf(iid, m=m)) < (m - 1) * mse(positive(iid, m=m)), (v > 0, m >= 2)),
    (limit(mse(oprf(iid, m=m)) / mse(positive(iid, m=m)), v, oo) == 0, ()),
    (limit(mse(oprf(iid, m=m)) / mse(positive(iid, m=m)), v, 0) == 1, ()),
    (mse(oprf(iid, m=m)) == mse(positive(iid, m=m)) + O(v**4), ()),
    (limit(sin(v) / v, v, 0) == 1, ()),
    (limit(mse(gerf(iid, m=m, A=A)) / mse(positive(iid, m=m)), v, oo) == 0, (A < 0,)),
    (limit(mse(gerf(iid, m=m, A=A)) / mse(positive(iid, m=m)), v, oo) == oo, (A > 0, BELOW)),
    (limit(mse(gerf(iid, m=m, A=A)) * exp(-(v**2) / (1 - 8 * A)), v, oo) == LEADING, (A < 0,)),
    (limit(A * exp(B * v**2) / (exp(B * v**2) + 1), v, oo) == A, (B > 0,)),
    (mean(trigonometric(orthogonal_fixed)) <= 1, ()),
    (mean(trigonometric(orthogonal_fixed)) >= -1, ()),
    (mean(gerf(orthogonal_fixed, A=-Rational(1, 4))) <= sqrt(2) ** d * exp((v**2 - z**2) / 2), ()),
    (mse(positive(iid, m=m)) >= mse(trigonometric(iid, m=m)), (v >= z,)),
    (mse(positive(iid, m=m)) > mse(trigonometric(iid, m=m)), (v > z, z > 0)),
    (mse(positive(iid, m=m)) >= mse(trigonometric(iid, m=m)), (z <= v,)),
    (exp(v) > exp(z) + Rational(1, 2), (v >= z + 1,)),
    (mse(positive(iid, m=m)) >= mse(trigonometric(iid, m=m)), (2 * v >= 2 * z,)),
    (mse(positive(iid, m=m)) >= mse(trigonometric(iid, m=m)), (v >= 3 * z / 2,)),
    (WAVES * LESS_APART <= 1, NEAR),
    (mse(oprf(iid, m=m)) <= mse(gerf(iid, m=m, A=-v / d)), ()),
    (limit(sympy.atan(v) / v, v, 0) == 1, ()),
)
FALSE = (
    (mse(oprf(iid, m=m)) < mse(positive(iid, m=m)), ()),
    (mse(oprf(iid, m=m)) >= mse(positive(iid, m=m)), ()),
    (mse(oprf(iid, m=m)) <= mse(SINE), (BELOW,)),
    ((m - 1) * mse(oprf(iid, m=m)) < (m - 1) * mse(positive(iid, m=m)), (v > 0,)),
    (mse(oprf(iid, m=m)) < mse(gerf(iid, m=m, A=A)), (BELOW, v > 0)),  # the best A is one of them
    (mse(oprf(iid, m=m)) <= mse(positive(orthogonal, m=m)), ()),
    (limit(mse(oprf(iid, m=m)) / mse(positive(iid, m=m)), v, 0) == Rational(1, 2), ()),
    (limit(mse(gerf(iid, m=m, A=A)) / mse(positive(iid, m=m)), v, oo) == 0, (A <= 0,)),
    (limit(mse(gerf(iid, m=m, A=A)) / mse(positive(iid, m=m)), v, oo) == 0, (A > 0, BELOW)),
    (limit(mse(gerf(iid, m=m, A=A)) * exp(-(v**2) / (1 - 8 * A)), v, oo) == exp(-(z**2)) / m, (A < 0,)),
    (limit(A * exp(B * v**2) / (exp(B * v**2) + 1), v, oo) == A, ()),
    (mean(trigonometric(orthogonal_fixed)) < 1, ()),
    (mean(trigonometric(orthogonal_fixed)) >= 0, ()),
    (mean(gerf(orthogonal_fixed, A=-Rational(1, 4))) <= exp(-(z**2) / 2), ()),
    (mse(positive(iid, m=m)) < mse(trigonometric(iid, m=m)), (z > v, v > 0)),  # close to z = v alone
    (mse(positive(iid, m=m)) > mse(trigonometric(iid, m=m)), (v >= z,)),  # equal at 0
    (exp(v) >= exp(z) + 1, (v >= z + Rational(1, 2),)),
    (exp(-z) > exp(-v), (v >= z,)),
    (exp(v) >= exp(z), (v >= z**2,)),
    (exp(v) >= exp(z), (2 * v >= z,)),
    (WAVES * LESS_APART >= 1, (*NEAR, z > 0)),  # the bounds are -1, and their product is 1
    (limit(sympy.Integral(v / (u**2 + v**2), (u, 0, 1)), v, 0) == 0, ()),  # pi/2
    (limit(v * sympy.Integral(exp(-u * v), (u, 0, oo)), v, 0) == 0, ()),
    (limit(sympy.Integral(d / (d**2 * u**2 + 1), (u, 0, 1)), d, oo) == 0, ()),
)


@pytest.mark.parametrize(("claim", "over"), TRUE, ids=str)
def test_what_is_true_is_proved(claim: object, over: tuple[object, ...]) -> None:
    assert_holds(claim, *over)


@pytest.mark.parametrize(("claim", "over"), FALSE, ids=str)
def test_what_is_false_is_not(claim: object, over: tuple[object, ...]) -> None:
    assert_not_proved(claim, *over)


def test_where_the_coupling_saves_more_at_other_parameters_nothing_follows() -> None:
    coupling("same-norm", "", "a test", rows=Rows(d, norm=0))
    try:
        said = stated(mse(oprf("same-norm", m=m)) <= mse(positive("same-norm", m=m)), m <= d)
        assert by_bounds(said.parts[0], said.domain) is None
    finally:
        forget("same-norm")


def test_the_proof_names_the_derivation_and_what_is_cited() -> None:
    said = stated(mse(oprf(orthogonal, m=m)) <= mse(positive(orthogonal, m=m)))
    proof = by_bounds(said.parts[0], said.domain)
    assert proof is not None
    assert "oprf has the least variance of all real A (derivation chefs.thm3.3)" in proof.says


def test_what_the_sign_of_a_factor_rests_on_is_cited() -> None:
    """What Hoeffding's bound leaves is positive by Hoeffding's inequality, in bounds and in independent rows."""
    left, over = 2 * exp(-m * eps**2 / 2) - tail(trigonometric(iid, m=m), eps), (equal(d, 3), v > 0)
    for small in (mse(oprf(iid, m=m)), mse(positive(orthogonal, m=m))):
        for factor, cites in ((left, ["Hoeffding's inequality"]), (1 + v, [])):
            said = stated(factor * small <= factor * mse(positive(iid, m=m)), *over)
            proof = prove(said.parts[0], said.domain)
            assert proof is not None
            assert list(proof.assumes) == cites
        said = stated(-left * small <= -left * mse(positive(iid, m=m)), *over)
        assert prove(said.parts[0], said.domain) is None


def test_limits_do_not_rest_on_what_they_do_not_cite() -> None:
    left = 2 * exp(-m * eps**2 / 2) - tail(trigonometric(iid, m=m), eps)
    for beside, proves in ((1 + left, False), (conformity(orthogonal) - 1, True)):
        said = stated(limit(u / (u + beside), u, 0) == 0, equal(d, 3), v > 0)
        assert (prove(said.parts[0], said.domain) is not None) is proves


def test_the_least_variance_is_one_of_real_parameters() -> None:
    for value in (sympy.I / 10, sympy.Symbol("B")):
        said = stated(mse(oprf(iid, m=m)) <= mse(gerf(iid, m=m, A=value)))
        assert by_bounds(said.parts[0], said.domain) is None


def test_the_least_variance_says_nothing_of_other_moments_nor_a_bound_far_off_of_a_limit_at_0() -> None:
    chance = tail(trigonometric(iid, m=m), eps)
    for claim, over in (
        (central_moment(oprf(iid, m=m), 4) <= central_moment(gerf(iid, m=m, A=A), 4), (Rational(1, 16) > A,)),
        (limit((v - Rational(1, 2)) * chance + Rational(1, 2), v, 0) == 0, ()),  # (1 - P)/2
    ):
        said = stated(claim, *over)
        assert by_bounds(said.parts[0], said.domain) is None


def test_parameters_without_a_variance_are_no_bound() -> None:
    said = stated(mse(oprf(iid, m=m)) <= mse(gerf(iid, m=m, A=A)), Rational(1, 4) > A)
    assert by_bounds(said.parts[0], said.domain) is None
