"""Provers prove what is true over the whole domain, and none of them proves what is false."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
import sympy
from sympy import S

from rftheory.author import (
    ORTHOGONAL,
    O,
    Parameter,
    Rational,
    Term,
    central_moment,
    conformity,
    cosine,
    coupling,
    d,
    decreasing,
    equal,
    exp,
    feature_map,
    for_some,
    forget,
    formula,
    gamma,
    gap,
    gaussian,
    gerf,
    iid,
    increasing,
    limit,
    log,
    m,
    mean,
    mse,
    oo,
    oprf,
    orthogonal,
    orthogonal_fixed,
    positive,
    simplex,
    sqrt,
    trigonometric,
    v,
    variance,
    with_features,
    x,
    y,
    z,
)
from rftheory.errors import InvalidInput
from rftheory.exact.formula import Variable
from rftheory.exact.proof import Derivation, Step
from rftheory.exact.proof.rules import Rewrite
from rftheory.judge import Decision, Grade, Kind
from rftheory.spec import declare_map, find_coupling, find_map
from rftheory.statement import Statement, nearby
from rftheory.statement.atoms import PairCount, PairMean
from rftheory.statement.domain import Domain, Span, corners
from rftheory.statement.judging import judge
from rftheory.statement.provers import dimension
from rftheory.statement.provers.at_zero import powers_at_zero
from rftheory.statement.provers.gammas import by_gammas
from rftheory.statement.provers.identity import by_identity
from rftheory.statement.provers.order import _by_pairs, by_coefficients, by_range, by_sign, by_slope
from rftheory.statement.provers.powers import by_condition, by_logarithms
from rftheory.statement.provers.proof import PROVERS, Prover, prove
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.regions import by_comparison
from rftheory.statement.provers.series import Atom, Series, _as_frame, _by_rates, _no_larger, signs
from rftheory.statement.provers.signs import sign, with_ends
from rftheory.statement.provers.waves import by_waves
from rftheory.statement.provers.zeros import by_zeros
from rftheory.statement.search import Search, search
from rftheory.statement.settle import Settled, alone, settled
from rftheory.statement.words import Side, claimed
from tests.statement.stating import stated

MIRRORED, CROSS, PAIRED = map(find_coupling, ("mirrored", "cross-polytope", "antimonotone"))
ROOT = sqrt(d / 2)
shape = sympy.Symbol("A", real=True)
WALLIS = gamma((d + 1) / 2) / gamma(d / 2)


X = sympy.Symbol("X", positive=True)
SECOND = conformity(orthogonal) - exp(v**2) * (1 - v**4 / (2 * d))
WAVE = sympy.hyper((), (d / 2,), -d * z**2 / 4)

TRUE = [
    stated(X ** (2 * d / (d + 2)) <= X**2, X >= 1),
    stated(equal(X ** (2 * d) * 4**d, (2 * X) ** (2 * d))),
    stated(decreasing(variance(trigonometric(iid, m=m)), m), z > 0),
    stated(mean(trigonometric(orthogonal_fixed, m=m)) == WAVE),
    stated(formula("orf_conformity") == conformity(orthogonal)),
    stated(mse(positive(MIRRORED)) < mse(positive(orthogonal, m=2 * d)), v > 0),
    stated(mse(positive(simplex, m=m)) < mse(positive(orthogonal, m=m)), m >= 2, v > 0),
    stated(mse(positive(CROSS)) <= mse(positive(orthogonal, m=2 * d))),
    stated(mse(positive(simplex)) < mse(positive(orthogonal)), v > 0),
    stated(mse(positive(orthogonal, m=m)) < mse(positive(iid, m=m)), v > 0, m >= 2, m <= d),
    stated(gap(positive(orthogonal, m=m)) >= 0),
    stated(central_moment(positive(iid, m=m), 2) == mse(positive(iid, m=m))),
    stated(conformity(PAIRED) < conformity(orthogonal), d <= 5, v > 0),
    stated(increasing(conformity(orthogonal), v)),
    stated(increasing(conformity(orthogonal), d), v > 0),
    stated(decreasing(1 / d, d)),
    stated(limit(conformity(orthogonal), d, oo) == exp(v**2)),
    stated(limit(mse(positive(iid)) / v**2, v, 0) == exp(-(z**2))),
    stated(limit(conformity(orthogonal) / exp(v**2), v, oo) == 0),
    stated(equal(WALLIS, ROOT * (1 + O(1 / d)))),
    stated(for_some(v, conformity(orthogonal).at(d=3) > 5, 0, 3)),
    stated(conformity(orthogonal).at(v=1) > 2, d <= 20),
    stated(gap(gerf(orthogonal, A=shape, m=m)) == gap(positive(orthogonal, m=m)), shape < Rational(1, 8)),
    stated(mse(oprf(orthogonal, m=m)) < mse(oprf(iid, m=m)), d >= 2, m >= 2, v > 0),
    stated(conformity(orthogonal) >= 1 + v**2 + v**4 * (d + 1) / (d + 2) / 2),
    stated(limit(d * gap(trigonometric(orthogonal, m=2)), d, oo) == z**4 * exp(-(z**2)) / 4, d >= 2),
    stated(limit(d * (exp(v**2) - conformity(simplex)), d, oo) == (v**2 + v**4 / 2) * exp(v**2)),
    stated(mean(trigonometric(orthogonal_fixed)) == gaussian * (1 - z**4 / (4 * d) + O(1 / d**2))),
    stated(limit(d**2 * SECOND, d, oo) == (v**4 + v**6 + v**8 / 8) * exp(v**2)),
    stated(mean(with_features("anisotropic")(iid, A=shape)) == gaussian, shape < Rational(1, 4)),
    stated(limit((exp(v**2) - conformity(simplex)) / v**2, v, 0) == 2 * WALLIS**2 / (d * (d - 1))),
]
# at fixed m, d is at least m in the end; a limit may be 0 somewhere; divisors with exponentials have signs
WAVES, SPREAD = trigonometric(orthogonal, m=m), (1 - exp(-(z**2))) ** 2
YU = (SPREAD - (m - 1) / d * exp(-(z**2)) * z**4) / (2 * m)
TRUE += [
    stated(variance(WAVES) == YU + O(1 / d**2)),
    stated(variance(WAVES) / variance(trigonometric(iid, m=m)) == 2 * m * YU / SPREAD + O(1 / d**2), z > 0),
    stated(limit(d * gap(positive(orthogonal, m=m)), d, oo) == (1 - 1 / m) * v**4 * exp(-(z**2)) / 2, m >= 5),
    stated(limit(gap(WAVES) / z**4, z, 0) == (m - 1) / (2 * m * (d + 2)), m <= d),
    stated(limit(gap(WAVES) / z**6, z, 0) == oo, m >= 2, m <= d),
    stated(limit(exp(v**2) - exp(2 * v**2), v, oo) == -oo),
    stated(z**4 * exp(-(z**2)) / SPREAD > 0, z > 0),
    stated(1 - z**4 * exp(-(z**2)) / SPREAD > 0, z > 0),
    stated(z**2 / (1 - exp(z**2)) ** 3 < 0, z > 0),
    stated(gap(positive(orthogonal)) / mse(positive(iid, m=d)) > 0, v > 0, d >= 2),
]
# by definition
TRUE += [
    stated(mse(positive("simplex+", m=m)) >= 0),
    stated(mse(positive("sobol", m=m)) >= variance(positive("sobol", m=m))),
    stated(variance(trigonometric(orthogonal_fixed, m=m)) <= mse(trigonometric(orthogonal_fixed, m=m))),
    stated(mse(positive("simplex+", m=m)) == variance(positive("simplex+", m=m))),
    stated(gap(positive(simplex, m=m)) <= mse(positive(iid, m=m)), d >= 2),
    stated(gap(positive(simplex, m=m)) < mse(positive(iid, m=m)), d >= 2, v > 0),
    stated(central_moment(WAVES, 4) >= variance(WAVES) ** 2),
    stated(mse(gerf(orthogonal, A=shape, m=m)) > 0, shape < Rational(1, 8), v > 0),
    stated(mse(trigonometric(MIRRORED, m=m)) > 0, z > 0),
]
# by ends, rates, clearing; in one norm, with weights that depend on the other
HALF = Rational(1, 2)
TRUE += [
    stated(limit(mse(positive(iid, m=m)), z, oo) == 0),
    stated(limit(exp(z**2) * mse(positive(orthogonal)), z, oo) == exp(z**2) * mse(positive(orthogonal))),
    stated(limit(mse(trigonometric(iid, m=m)) / mse(positive(iid, m=m)), v, oo) == 0),
    stated(limit(exp(2 * z**2) * mse(positive(iid, m=m)), z, oo) == oo, v > 0),
    stated(decreasing(mse(positive(orthogonal, m=m)), z), v > 0),
    stated(decreasing(gap(positive(orthogonal, m=2)), d), d >= 2, v > 0),
    stated(increasing(gap(positive(orthogonal, m=m)), m), v > 0, m <= d),
    stated(decreasing(mse(positive(orthogonal, m=m)), m), v > 0, m <= d),
    stated(mse(positive(simplex)) / mse(positive(orthogonal)) < 1, d >= 2, v > 0),
    stated(mse(positive(iid, m=m)) < mse(trigonometric(iid, m=m)), v <= HALF, z >= 2),
    stated(mse(trigonometric(orthogonal, m=m)) <= 1),
    stated(variance(trigonometric(orthogonal_fixed, m=m)) <= 1),
    stated(mse(gerf(orthogonal, A=-HALF, m=m)).at(d=2, v=0) <= Rational(9, 4) * exp(-(z**2)), m >= 1),
]
# by continuity; whole blocks are independent
TRUE += [
    stated(
        limit(mse(gerf(iid, m=m, A=shape)), v, 0)
        == ((1 - 4 * shape) ** d / (1 - 8 * shape) ** (d / 2) - 1) * exp(-(z**2)) / m,
        shape < Rational(1, 8),
    ),
    stated(limit(conformity(orthogonal) ** 2 / (1 + v**2) ** 3, v, 0) == 1),
    stated(mse(positive("simplex+", m=2 * d)) == mse(positive("simplex+", m=d)) / 2, d >= 2),
    stated(mse(trigonometric(orthogonal, m=d * m)) <= mse(trigonometric(orthogonal))),
]

# rows of norm sqrt(d)
FIXED = mean(positive(orthogonal_fixed, m=1))
TRUE += [
    stated(gaussian > FIXED, v > 0),
    stated(exp(-(v**2 + z**2) / 2) * (1 + v**2 / 2) <= FIXED),
    stated(increasing(FIXED, d), v > 0),
    stated(limit((gaussian - FIXED) / v**4, v, 0) == exp(-(z**2) / 2) / (4 * (d + 2))),
    stated(limit(FIXED, v, oo) == 0),
]
FALSE = [
    stated(limit(mse(gerf(iid, m=m, A=shape)), v, 0) == 0, shape < Rational(1, 8)),
    stated(limit(conformity(orthogonal) ** 2 / (1 + v**2) ** 3, v, 0) == 2),
    stated(mse(trigonometric(MIRRORED, m=2 * d)) == mse(trigonometric(MIRRORED, m=d)) / 2),
    stated(mse(trigonometric(orthogonal_fixed, m=2 * d)) == mse(trigonometric(orthogonal_fixed)) / 2),
    stated(gaussian > FIXED),
    stated(exp(-(v**2 + z**2) / 2) * (1 + v**2) < FIXED, v > 0),
    stated(decreasing(FIXED, d), v > 0),
    stated(limit((gaussian - FIXED) / v**4, v, 0) == exp(-(z**2) / 2) / (4 * (d + 1))),
    stated(limit(FIXED, v, oo) == 1),
    stated(limit(mse(positive(iid, m=m)), z, oo) == 1),
    stated(limit(mse(trigonometric(iid, m=m)) / mse(positive(iid, m=m)), v, oo) == 1),
    stated(decreasing(mse(positive(orthogonal, m=m)), z)),
    stated(increasing(mse(positive(orthogonal, m=m)), z), v > 0),
    stated(increasing(gap(positive(orthogonal, m=2)), d), d >= 2, v > 0),
    stated(increasing(mse(positive(orthogonal, m=m)), m), v > 0, m <= d),
    stated(mse(positive(simplex)) / mse(positive(orthogonal)) < HALF, d >= 2, v > 0),
    stated(mse(positive(iid, m=m)) < mse(trigonometric(iid, m=m)), v <= 3, z >= 2),
    stated(mse(positive(iid, m=m)) < mse(trigonometric(iid, m=m)), v <= HALF, z >= 0),
    stated(mse(trigonometric(orthogonal, m=m)) <= Rational(1, 4)),
    stated(mse(positive(orthogonal, m=m)) > 0),
    stated(gap(positive(orthogonal, m=m)) < mse(positive(iid, m=m))),
    stated(mse(trigonometric(orthogonal_fixed, m=m)) == variance(trigonometric(orthogonal_fixed, m=m))),
    stated(mse(trigonometric(orthogonal_fixed, m=m)) <= variance(trigonometric(orthogonal_fixed, m=m))),
    stated(central_moment(WAVES, 4) <= variance(WAVES) ** 2),
    stated(mse(trigonometric(MIRRORED, m=m)) > 0, v > 0),
    stated(variance(WAVES) == YU + O(1 / d**3)),
    stated(variance(WAVES) == YU * (m + 1) / m + O(1 / d**2)),
    stated(limit(d * gap(positive(orthogonal, m=2 * d)), d, oo) == v**4 * exp(-(z**2)) / 2),
    stated(limit(gap(WAVES) / z**4, z, 0) == m / (2 * m * (d + 2)), m <= d),
    stated(limit(gap(WAVES) / z**6, z, 0) == -oo, m >= 2, m <= d),
    stated(limit(exp(v**2) - exp(2 * v**2), v, oo) == oo),
    stated(z**4 * exp(-(z**2)) / SPREAD > 1, z > 0),
    stated(z**2 / (1 - exp(z**2)) ** 2 < 0, z > 0),
    stated(z**2 / (exp(z**2) - 2) > 0, z > 0),
    stated(gap(positive(orthogonal)) / mse(positive(iid, m=d)) > 0, v > 0),
    stated(X ** (2 * d / (d + 2)) <= X**2),
    stated(equal(X ** (2 * d) * 4**d, (3 * X) ** (2 * d))),
    stated(decreasing(variance(trigonometric(iid, m=m)), m)),
    stated(mean(trigonometric(orthogonal_fixed, m=m)) == gaussian),
    stated(formula("orf_conformity") == conformity(simplex)),
    stated(mse(positive(MIRRORED)) < mse(positive(orthogonal, m=2 * d))),
    stated(mse(positive(CROSS)) >= mse(positive(orthogonal, m=2 * d))),
    stated(mse(positive(simplex)) > mse(positive(orthogonal)), v > 0),
    stated(mse(positive(orthogonal, m=m)) < mse(positive(iid, m=m)), v > 0),
    stated(mse(positive(simplex, m=m)) < mse(positive(orthogonal, m=m)), v > 0),
    stated(gap(positive(orthogonal, m=m)) > 0, v > 0),
    stated(mse(trigonometric(orthogonal)) <= mse(trigonometric(simplex)) * Rational(1, 2)),
    stated(conformity(PAIRED) > conformity(orthogonal), d <= 5, v > 0),
    stated(decreasing(conformity(orthogonal), v)),
    stated(decreasing(conformity(orthogonal), d), v > 0),
    stated(increasing(1 / d, d)),
    stated(limit(conformity(orthogonal), d, oo) == exp(v**2 / 2)),
    stated(limit(mse(positive(iid)) / v**2, v, 0) == 1),
    stated(limit(conformity(orthogonal) / exp(v**2), v, oo) == 1),
    stated(equal(WALLIS, ROOT * (1 + O(1 / d**2)))),
    stated(for_some(v, conformity(orthogonal).at(d=3) < 1, 0, 3)),
    stated(conformity(orthogonal).at(v=1) > Rational(5, 2), d <= 20),
    stated(
        gap(gerf(orthogonal, A=shape, m=m)) == gap(positive(simplex, m=m)), shape < Rational(1, 8), d >= 2
    ),
    stated(mse(oprf(orthogonal, m=m)) < mse(oprf(iid, m=m)), d >= 2, m >= 2),
    stated(conformity(orthogonal) >= 1 + v**2 + v**4 / 2),
    stated(limit(d * gap(trigonometric(orthogonal, m=2)), d, oo) == z**4 * exp(-(z**2)) / 2, d >= 2),
    stated(limit(d * (exp(v**2) - conformity(simplex)), d, oo) == (v**2 + v**4) * exp(v**2)),
    stated(mean(trigonometric(orthogonal_fixed)) == gaussian * (1 - z**4 / (2 * d) + O(1 / d**2)), z > 0),
    stated(limit(d**2 * SECOND, d, oo) == (v**4 + v**8 / 8) * exp(v**2)),
    stated(mean(with_features("anisotropic")(iid, A=shape)) == 2 * gaussian, shape < Rational(1, 4)),
    stated(limit((exp(v**2) - conformity(simplex)) / v**2, v, 0) == WALLIS**2 / (d * (d - 1))),
    # what is left over has both signs
    stated(mean(trigonometric(orthogonal_fixed)) == gaussian * (1 - z**4 / (4 * d) + O(1 / d**3)), z > 0),
    stated(mean(gerf(orthogonal, A=Rational(-1, 8))) == 2 * gaussian),
]
"""In the same order as the true ones, and two more."""


@pytest.mark.parametrize("statement", TRUE, ids=str)
def test_what_is_true_is_proved_over_its_domain(statement: Statement) -> None:
    proofs = [prove(part, statement.domain) for part in statement.parts]
    assert all(proof is not None and not proof.refutes for proof in proofs)


# d does not grow at fixed m, or the limit is another one at m = 1
OPEN = [
    stated(variance(WAVES) == YU + O(1 / d**2), m > d),
    stated(variance(WAVES) == YU + O(1 / d**2), 2 * m >= d),
    stated(limit(gap(WAVES) / z**6, z, 0) == oo, m <= d),
    stated(central_moment(positive(orthogonal, m=m), 3) >= 0),
    stated(mse(trigonometric(orthogonal_fixed)) > 0, z > 0),
    stated(mse(gerf(orthogonal, A=shape, m=m)) >= 0),
]


@pytest.mark.parametrize("statement", FALSE + OPEN, ids=str)
def test_no_prover_proves_what_is_false(statement: Statement) -> None:
    for part in statement.parts:
        for prover in PROVERS:
            found = prove(part, statement.domain, (prover,))
            assert found is None or found.refutes, prover


@pytest.mark.parametrize("statement", [s for s in FALSE if "for some" not in str(s)], ids=str)
def test_what_is_false_is_refuted(statement: Statement) -> None:
    assert alone(statement) is Decision.FAILS


UNPROVED = [
    conformity(simplex) ** 2 < conformity(orthogonal) * exp(v**2),
    conformity(PAIRED) ** 2 < conformity(orthogonal) * exp(v**2),
]
"""True wherever anyone has looked; the first is quick to look at."""
BEYOND = (d >= 2, v >= 1, v <= 2)


@pytest.mark.parametrize("claim", UNPROVED, ids=str)
def test_what_no_prover_knows_is_not_proved(claim: object) -> None:
    (part,) = claimed(claim).parts
    assert prove(part, Domain.of(claimed(claim), BEYOND)) is None


def test_points_alone_never_hold_over_an_infinite_domain() -> None:
    found = judge(stated(UNPROVED[0], *BEYOND))
    assert found.verdict.decision is Decision.UNDECIDED
    assert found.verdict.grade == "supported"
    assert "no counterexample at 183 points" in found.verdict.reason


def test_a_conjunction_holds_only_as_a_whole() -> None:
    whole = conformity(orthogonal) <= exp(v**2)
    assert judge(stated(whole, *BEYOND)).verdict.decision is Decision.HOLDS
    assert judge(stated(whole & UNPROVED[0], *BEYOND)).verdict.decision is Decision.UNDECIDED


def test_a_conjunction_has_no_proof_without_that_of_a_part() -> None:
    """The mean is derived, and that independent rows conform more is certified."""
    both = stated((mean(positive(simplex)) == gaussian) & (conformity(orthogonal) < exp(v**2)), v > 0)
    found = {kind: judge(both, kinds=kind).verdict.decision for kind in (tuple(Kind), (Kind.DERIVED,))}
    assert list(found.values()) == [Decision.HOLDS, Decision.UNDECIDED]


def test_what_a_theorem_refutes_and_proves_is_cited() -> None:
    found = judge(stated(limit(conformity(orthogonal) / exp(v**2 / 2), v, oo) == 1))
    assert (found.verdict.decision, found.verdict.grade) == (Decision.FAILS, Grade.CITED)
    assert [one.rpartition(": ")[2] for one in found.proposals] == ["cited"]


def test_norms_at_opposite_quantiles_rest_on_no_theorem() -> None:
    found = judge(stated(conformity(PAIRED) < conformity(orthogonal), d >= 2, d <= 3, v > 0))
    assert found.verdict.grade == "certified"
    assert found.verdict.assumes == ()


def test_the_smallest_counterexample_is_the_one_reported() -> None:
    found = judge(stated(conformity(orthogonal) > exp(v**2), v > 0))
    assert "d = 2, v = 1/2" in found.verdict.reason


def test_constants_that_are_wrong_are_fitted() -> None:
    found = judge(stated(mse(positive(iid, m=m)) == 3 * exp(-(z**2)) * (exp(v**2) - 1) / m, v > 0))
    assert "with the right side times 1/3: proved" in found.proposals


def test_a_limit_without_a_value_at_some_points_is_no_error() -> None:
    k = sympy.Symbol("k", integer=True)
    claim = limit(d / (d + 1) * sympy.Sum(k, (k, 3, m)), d, oo) == m * (m + 1) / 2
    assert judge(stated(claim)).verdict.decision is Decision.FAILS  # at m = 2, after m = 1


def test_no_range_without_values_is_proposed() -> None:
    found = judge(stated(conformity(simplex) <= 1, d <= 2))
    assert "for v = 0: proved" in found.proposals
    assert not any("d >= 3" in proposal for proposal in found.proposals)


def test_what_is_true_nearby_is_not_looked_for_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def slow(statement: Statement) -> Settled:
        seen.append(statement)
        while len(seen) > 1 and time.monotonic() - start < 60:
            pass
        return Settled(Search(1, 1, 0, "", None, ""))

    claim = stated(conformity(orthogonal) > exp(v**2), v > 0)
    monkeypatch.setattr(nearby, "settled_alone", slow)
    monkeypatch.setattr(nearby, "SECONDS", 1.0)
    start = time.monotonic()
    found = judge(claim)
    assert time.monotonic() - start < 30
    assert found.verdict.decision is Decision.FAILS
    assert found.proposals == ("with >= in place of >: no counterexample found",)


@pytest.mark.parametrize(
    ("claim", "over", "what"),
    [
        (Side(exp(-2 * z**2)) < 1, (z > 0,), "of the larger side minus the smaller one, times exp(2*z**2)"),
        (Side(exp(2 * z**2)) > 1, (z > 0,), "of the larger side minus the smaller one"),
        (mse(positive(orthogonal)) < mse(positive(iid, m=d)), (v > 0, d >= 2), ", times d*exp(v**2 + z**2)"),
        (increasing(conformity(orthogonal), v), (d >= 2,), "of the side, the constant left out"),
        (decreasing(-conformity(orthogonal), v), (d >= 2,), "of minus the side, the constant left out"),
    ],
)
def test_coefficients_are_said_to_be_those_of_what_was_expanded(
    claim: object, over: tuple[object, ...], what: str
) -> None:
    (part,) = (said := claimed(claim)).parts
    proof = prove(part, Domain.of(said, over))
    assert proof is not None
    assert proof.says.startswith("coefficients of")
    assert proof.says.endswith(what)


def test_a_limit_that_cannot_be_written_out_says_why() -> None:
    by_relation = coupling("by-relation", "", "a test", rows=d, relation=lambda i, j, d: ORTHOGONAL)
    try:
        found = judge(stated(limit(gap(positive(by_relation)), d, oo) == 0)).verdict
    finally:
        forget("by-relation")
    assert found.decision is Decision.UNDECIDED
    assert "for which the limit fails; the number of pairs as a function of d is not known" in found.reason
    open_limit = judge(stated(limit(sympy.sin(v) / v, v, oo) == 0)).verdict
    assert open_limit.reason.endswith("for which the limit fails")


def test_a_derivation_of_another_statement_proves_nothing() -> None:
    claim = claimed(sympy.StrictLessThan(v, v + d, evaluate=False))
    statement = Statement("test.a", "", claim, Domain.of(claim, ()), proof="simplex.cor3.3")
    from rftheory.statement.settle import by_derivation

    assert by_derivation(statement, claim.parts[0]) is None


@pytest.mark.parametrize(
    ("claim", "over", "decision", "why"),
    [
        (
            sympy.sin(v) * sympy.sin(2 * v) < Rational(4, 5),
            (),
            "undecided",
            "derivation square concludes square/1: (exp(v) + 1)**2 = ",
        ),
        (increasing(exp(v), v), (), "holds", "derivation square concludes square/1: (exp(v) + 1)**2 = "),
        (equal((exp(v) + 1) ** 2, exp(2 * v) + 2 * exp(v) + 1), (), "holds", "says it for v > 0 only"),
        (equal((exp(v) + 1) ** 2, exp(2 * v) + 2 * exp(v) + 1), (v > 0,), "holds", ""),
    ],
)
def test_a_proof_that_is_left_out_is_told(
    claim: object, over: tuple[object, ...], decision: str, why: str
) -> None:
    step = Step("square/1", (exp(v) + 1) ** 2, exp(2 * v) + 2 * exp(v) + 1, check=Rewrite())
    proof = Derivation("square", "", "", (Variable(v, "|x + y|", above=0),), (step,), ({"v": 1},))
    found = judge(replace(stated(claim, *over), proof=proof)).verdict
    assert found.decision.value == decision
    told = [e.summary for e in found.evidence if "left out" in e.summary]
    assert len(told) == bool(why)
    assert all(why in one for one in told)


def test_a_number_of_rows_that_is_none_is_refused() -> None:
    for rows in (-2 * d, d / 2, sympy.Integer(0), sympy.Rational(5, 2)):
        claim = mean(positive(iid, m=rows)) == gaussian
        with pytest.raises(InvalidInput, match="a whole number of rows"):
            Domain.of(claim, ())


def test_what_is_equal_at_v_0_does_not_increase_there() -> None:
    """At v = 0 each conformity is exactly 1, in odd dimensions too."""
    claim = increasing(conformity(orthogonal), d)
    found = search(claim.parts, Domain.of(claim, (v >= 0,)))
    assert found.witness is not None
    assert found.witness[v] == 0


def test_points_come_by_the_sum_of_their_places_however_many_there_are() -> None:
    """Five variables have millions of points, which nobody waits for."""
    claim = mse(gerf(orthogonal, A=shape, m=m)) < 1
    over = Domain.of(claim, (shape < Rational(1, 8), m <= d))
    found = [tuple(p[s] for s in over.symbols) for p in itertools.islice(corners(over, 10**6), 40)]
    assert len(set(found)) > 30
    assert all(value.is_finite for point in found for value in point)


def test_a_kernel_that_is_not_the_gaussian_is_named() -> None:
    assert (
        str(mse(positive(iid, kernel="softmax")).expression) == "mse(positive x iid, softmax kernel, m = 1)"
    )


def test_a_law_that_does_not_exist_everywhere_is_not_proved() -> None:
    claim = gap(gerf(orthogonal, A=shape, m=m)) >= 0
    for most, proved in ((Rational(1, 8), True), (Rational(1, 4), False)):
        over = Domain.of(claim, (shape < most, d >= 2))
        assert (prove(claim.parts[0], over) is not None) == proved


def test_nothing_is_proved_of_moments_that_are_infinite() -> None:
    """The terms say where moments exist, whatever is declared of a parameter, and whether it is a number or not."""
    part = sqrt(1 - 4 * shape) * (x + y), log(1 - 4 * shape) / 2 - (x**2 + y**2) / 2, 2 * shape
    feature_map(
        "undeclared", "gerf without its conditions", "a test", Term(*part), parameters=(Parameter(shape, ""),)
    )
    try:
        for word, A, over in (
            ("gerf", 1, ()), ("undeclared", 1, ()), ("undeclared", shape, (shape > Rational(1, 3), shape < 1)),
            ("undeclared", shape, (shape < Rational(1, 4),)), ("gerf", Rational(1, 5), ()),
        ):  # fmt: skip
            mechanism = with_features(word)
            claims = [mse(mechanism(iid, A=A)) > -1, gap(mechanism(orthogonal, A=A, m=m)) >= 0]
            claims += [mean(mechanism(iid, A=A)) == gaussian] if A == 1 or len(over) == 2 else []
            for claim in claims:
                assert prove(claim.parts[0], Domain.of(claim, (*over, equal(d, 4)))) is None, claim
        free = sympy.Symbol("A")  # a variable, and so real
        claim = gap(gerf(orthogonal, A=free, m=m)) >= 0
        assert prove(claim.parts[0], Domain.of(claim, (free < Rational(1, 8), d >= 2))) is not None
        claim = mean(with_features("undeclared")(iid, A=shape)) == gaussian
        assert prove(claim.parts[0], Domain.of(claim, (shape < Rational(1, 4),))) is not None
    finally:
        forget("undeclared")


def test_nothing_is_proved_at_values_that_a_parameter_cannot_have() -> None:
    scale, own = sympy.Symbol("s", positive=True), sympy.Symbol("r", real=True)
    slope, squares = scale * x + y / scale, -((scale * x) ** 2 + (y / scale) ** 2) / 2
    feature_map("scaled", "", "a test", Term(slope, squares), parameters=(Parameter(scale, "a factor of x"),))
    try:
        for word, s, over, proved in (
            ("scaled", own, own > 0, True), ("scaled", own, (), False), ("scaled", 0, (), False),
            ("scaled", -1, (), False), ("gerf", -1, (), True), ("gerf", 2, (), False), ("gerf", own, (), False),
        ):  # fmt: skip
            claim = mean(with_features(word)(iid, s=s, **({"A": 0} if word == "gerf" else {}))) == gaussian
            assert (prove(claim.parts[0], Domain.of(claim, over)) is not None) is proved, claim
        for s, value in ((0, False), (-1, False), (2, True)):  # at one point no prover looks at the terms
            claim = mean(with_features("scaled")(iid, s=s)) > 0
            found = alone(stated(claim, equal(d, 2), equal(v, 1), equal(z, 1)))
            assert found is (Decision.HOLDS if value else Decision.UNDECIDED)
    finally:
        forget("scaled")


def test_a_parameter_that_the_map_chooses_has_the_value_of_the_domain() -> None:
    best = sympy.Piecewise((find_map("oprf").chosen["A"], v > 0), (0, True))
    by_cases = declare_map(replace(find_map("oprf"), name="by-cases", chosen={"A": best, "s": sympy.S.One}))
    try:
        own = mse(with_features(by_cases)(iid))
        claim = limit(own, d, oo) == mse(positive(iid))
        for over, cases in (((), True), ((v > 0,), False)):
            assert reduced(own.expression, Domain.of(claim, over)).has(sympy.Piecewise) is cases
        assert prove(claim.parts[0], Domain.of(claim, ())) is None
    finally:
        forget("by-cases")


_one, _two = sympy.symbols("s t", real=True)
_SQUARE = (_one >= 0, _one <= 1, _two >= 0, _two <= 1)


@pytest.mark.parametrize(
    ("relation", "over", "right"),
    [
        (_one <= 1, (_one < 1,), True),
        (_one < 1, (_one < 1,), True),
        (1 - _one**2 >= 0, (_one >= -1, _one <= 1), True),
        (1 - _one**2 > 0, (_one > -1, _one < 1), True),
        (1 - _one * _two >= 0, _SQUARE, True),
        (2 - _one * _two > 0, _SQUARE, True),
        (_one + _two - _one * _two <= 1, _SQUARE, True),
        (3 - d > 0, (d >= 1, d <= 2), True),
        (1 - _one**2 > 0, (_one >= -1, _one < 1), False),
        (1 - _one**2 > 0, (_one > -1, _one <= 1), False),
        (1 - _one * _two > 0, _SQUARE, False),
        (_one + _two - _one * _two <= 1, (*_SQUARE[:3], _two <= 2, _one <= 2), False),
        (_one <= 1, (_one <= 2,), False),
        (3 - d > 0, (d >= 1, d <= 3), False),
    ],
    ids=str,
)
def test_signs_use_both_ends_of_a_range(relation: sympy.Basic, over: tuple, right: bool) -> None:  # type: ignore[type-arg]
    found = by_sign(relation, Domain.of(claimed(relation), over))
    assert (found is not None) is right


_WHOLE, _UP = sympy.Symbol("n", integer=True), sympy.Symbol("U", nonnegative=True)
_EVEN = 2 * sympy.Symbol("q", integer=True, positive=True)
_BLOCKS, _TWICE = PairCount("orthogonal", d, m), PairCount("orthogonal", d, 2 * m)
_ALL, _AXES, _SAME = (PairCount("mirrored", d, m, *kind) for kind in ((), (0, "independent"), (-1, "shared")))
_LARGE = (d >= 2, m >= 2)


@pytest.mark.parametrize(
    ("expression", "over", "found"),
    [
        (sympy.floor(_WHOLE / 2) - _WHOLE, (), None),
        (Rational(1, 4) - sympy.floor(_WHOLE / 2), (_WHOLE >= 1,), None),
        (sympy.floor(_WHOLE / 2) - _WHOLE / 4 - Rational(1, 5), (_WHOLE >= 2,), "positive"),
        ((sympy.floor(_UP) + 1) * _UP * (2 * _UP - 1), (), None),  # below 0 at 1/4
        (sympy.floor(_UP), (), "nonnegative"),
        (2 * sympy.floor(_one) - 2 * _one + 1, (), None),
        (sympy.floor(_WHOLE / sympy.pi) - (_WHOLE + 1) / sympy.pi + 1, (_WHOLE >= 0,), None),  # below 0 at 3
        ((log(_one) - 1) ** 2, (), None),
        (sqrt(_one) + 1, (), None),
        (sqrt(1 - _one**2) + 5, (), None),
        (_one * sqrt(_one**2 + 1) - 1, (), None),
        (1 - _one + sqrt(2 - _one), (_one <= 1,), "positive"),
        (2 - _one + sqrt(1 - _one), (_one <= 1,), "positive"),
        (1 - _one + sqrt(2 - _one) + sympy.cbrt(_two), (_one < 1, _two >= 0), "positive"),
        (_one**_EVEN, (), "nonnegative"),
        ((_one - 2) ** _EVEN, (_one <= 1,), "positive"),
        ((_one - 2) ** _WHOLE, (_one <= 1,), None),
        ((1 - _one) ** v, (_one <= 1,), "nonnegative"),
        (1 / (_one - 1) ** 2, (), None),
        (_one - Rational(1, 2), (_one <= 0, _one <= _two, _two >= 0, _two <= 1), "negative"),
        (_ALL - _SAME - _BLOCKS, _LARGE, "nonnegative"),
        (3 * _ALL - 2 * _AXES - 2 * _BLOCKS, _LARGE, None),  # -6 for 4 rows in 4 dimensions
        (_ALL - _SAME.subs(m, 2 * m), _LARGE, None),
        (_ALL - _TWICE, _LARGE, None),
        (_AXES - _SAME, _LARGE, None),
        (_SAME - _AXES, _LARGE, None),
    ],
    ids=str,
)
def test_signs_are_those_on_the_whole_domain(
    expression: sympy.Expr, over: tuple[object, ...], found: str | None
) -> None:
    assert sign(expression, Domain.of(claimed(sympy.Gt(expression, 0, evaluate=False)), over)) == found


def _named(value: object) -> str:
    return getattr(value, "__name__", str(value))


def _wave(b: object, y: sympy.Expr) -> sympy.Expr:
    return sympy.hyper((), (b,), -y)


_HALF, _NEAR = Rational(1, 2), (z <= Rational(1, 3),)
_OF_1 = _wave(1, z**2)


@pytest.mark.parametrize(
    ("prover", "claim", "over"),
    [
        (by_sign, 2 * d >= m + 2, (2 * d > m,)),  # not at m = 3, d = 2
        (by_range, 2 + sympy.cos(sqrt(_one)) > 0, (_one >= -1,)),  # no value below 0
        (by_coefficients, 1 / (z**2 + 1 - exp(z**2)) > 0, (z > 0,)),
        (by_coefficients, 1 / (exp(z**2) - 2) ** 2 > 0, (z > 0,)),  # no value where exp(z^2) is 2
        (by_coefficients, v * exp(v**2) > 0, ()),
        (by_slope, decreasing(-1 / _WHOLE, _WHOLE), (_WHOLE <= -1,)),
        (by_slope, decreasing(exp(_one * z**2), z), ()),
        (by_slope, decreasing(z**2 * exp(-(z**2)), z), (z > 0,)),
        (by_slope, increasing(_UP * conformity(orthogonal), v), ()),  # not at U = 0
        (by_slope, increasing(d, d), (sympy.Ne(d, v),)),
        (by_condition, X * exp(-(v**2)) >= 1, (exp(v**2) >= X,)),
        (by_gammas, WALLIS <= 2, ()),
        (by_gammas, sympy.Gt(WALLIS, d / WALLIS / 4, evaluate=False), ()),
        (by_zeros, sympy.Ge((_OF_1 + 1) ** 2, _OF_1**2 + 2 * _OF_1 + 1, evaluate=False), _NEAR),
        (by_zeros, sympy.Ge(_OF_1 + sympy.hyper((), (1, 2), -(z**2)), 0, evaluate=False), _NEAR),
        (by_zeros, _wave(-_HALF, z**2) <= exp(2 * z**2 - 4 * z**4), _NEAR),
        (by_zeros, 2 * _wave(1, 2 * z**2) <= _OF_1**2, _NEAR),
        (by_zeros, exp(z**2) * _OF_1 >= _OF_1, _NEAR),
        (by_zeros, exp(-(z**2) - z**4 / 4) <= _OF_1, _NEAR),
        (by_zeros, _wave(2, z**2) <= _OF_1, _NEAR),
        (by_zeros, _wave(1, -(z**2)) <= exp(z**2 - z**4 / 4), _NEAR),
        (by_zeros, exp(3 * z**2) * _wave(1, z**2 / 2) ** 8 >= _OF_1, _NEAR),
        (by_zeros, exp(-10 * z**2) >= _OF_1, _NEAR),
        (by_zeros, exp(z**2) * _wave(1, z**2 / 2) ** 4 > _OF_1, _NEAR),  # equal at 0
        (
            by_zeros,
            sympy.Gt(exp(sqrt(_one)) * _OF_1, 0, evaluate=False),
            (_one >= -1, *_NEAR),
        ),  # not real below 0
        (by_zeros, sympy.Ge(exp(sympy.I * v) * _OF_1**2, exp(sympy.I * v) * _wave(1, 2 * z**2)), _NEAR),
        (by_zeros, _wave(1, _UP * z**2) <= _OF_1, (*_NEAR, _UP <= 1)),
        (by_waves, sympy.hyper((d,), (d / 2, d + 7), -(z**2)) <= exp(-2 * z**2), (d >= 2, *_NEAR)),
    ],
    ids=_named,
)
def test_a_prover_does_not_prove_what_it_cannot_know(
    prover: Prover, claim: object, over: tuple[object, ...]
) -> None:
    assert prover(claimed(claim).parts[0], Domain.of(claimed(claim), over)) is None


@pytest.mark.parametrize(
    ("prover", "claim", "over"),
    [
        (by_zeros, exp(z**2) * _wave(1, z**2 / 2) ** 4 > _OF_1, (z > 0, *_NEAR)),
        (by_zeros, exp(v) * _OF_1**2 > _wave(1, 2 * z**2), (v > 0, *_NEAR)),
        (by_zeros, exp(z**2) * _OF_1 * _wave(1, z**2 / 3) >= _OF_1 * _wave(1, z**2 / 2), _NEAR),
        (by_logarithms, equal(X ** (1 / (_UP + 1) + _UP / (_UP + 1)), X), ()),
        (prove, m <= 9, (m + d <= 10, d <= 4)),
    ],
    ids=_named,
)
def test_a_prover_proves_what_it_knows(prover: Prover, claim: object, over: tuple[object, ...]) -> None:
    assert prover(claimed(claim).parts[0], Domain.of(claimed(claim), over)) is not None


def test_an_end_that_another_variable_sets_is_that_at_the_right_end_of_its_range() -> None:
    over = Domain.of(claimed(m <= 8), (m + d <= 10, d <= 4))
    assert prove(m <= 8, over) is None
    assert with_ends(over).spans[m].high == 9


def test_a_step_in_which_numbers_of_pairs_are_multiplied_is_not_linear_in_them() -> None:
    step = m + 2 + _ALL.subs(m, m + 1) - _ALL - _ALL**2
    assert _by_pairs(step, m, Domain.of(claimed(step > 0), _LARGE)) is None


_PAIR, _T, _U = PairMean(-1, "independent", d, v**2), dimension._T, sympy.Symbol("u", real=True)


@pytest.mark.parametrize(
    ("expand", "given"),
    [
        (dimension.in_inverse_dimension, (gamma(d**2), d)),
        (dimension.in_inverse_dimension, (gamma(2 * d) / gamma(d) ** 2, d)),  # it grows as 4^d
        (dimension.in_inverse_dimension, (gamma(_HALF - d) / gamma(-d), d)),  # 0 at integers
        (dimension.in_inverse_dimension, (gamma(d + sqrt(d)) / gamma(d), d)),
        (dimension.in_inverse_dimension, (gamma(d + v) / gamma(d), d)),
        (dimension.in_inverse_dimension, ((gamma(d + 1) / gamma(d + _HALF)) ** _U, d)),
        (dimension.pairs_of_many, (PairCount("mirrored", 2 * m, m), m)),
        (dimension.pairs_of_many, (PairCount("mirrored", d, m**2), m)),
        (dimension.head_of, (_PAIR.subs(d, _WHOLE).subs(v, v / sqrt(d)), d, 2)),
        (dimension.head_of, (_PAIR.subs(v, sqrt(log(d))), d, 2)),
        (dimension.head_of, (PairMean(_HALF, "antimonotone", d, v**2), d, 2)),
        (dimension.head_of, (PairMean(1 / sqrt(d), "independent", d, v**2), d, 2)),
        (dimension.head_of, (sympy.hyper((2 * d,), (d / 2,), v**2 / 2), d, 2)),
        (dimension.head_of, (sympy.hyper((d,), (d / 2 + 1,), v**2 / 2), d, 2)),
        (dimension.head_of, (sympy.hyper((d,), (d / 2, d + 7), v**2 / 2), d, 2)),
        (dimension._taylor, (1 / _T, 2)),
        (dimension._taylor, (v * _T, 1)),
        (dimension._taylor, (exp(_T) + sympy.I, 2)),
        (dimension._taylor, (exp(sqrt(_T)), 2)),
        (dimension._taylor, (exp(-1 / _T), 2)),
        (dimension._taylor, (log(2 - _T), 2)),
        (powers_at_zero, ((1 + exp(-1 / _T)) ** v, _T)),
    ],
    ids=_named,
)  # fmt: skip
def test_what_has_no_such_expansion_gets_none(
    expand: Callable[..., object], given: tuple[object, ...]
) -> None:
    assert expand(*given) is None


def test_what_does_not_depend_on_the_dimension_is_left_as_it_is() -> None:
    for other in (sympy.floor(_WHOLE / 2), PairCount("mirrored", _WHOLE, m)):
        assert dimension.in_inverse_dimension(other * (1 + 1 / d), d)[0] == other * (1 + 1 / d)
    assert dimension.in_inverse_dimension(gamma(v + 1) * gamma(d + _HALF) / gamma(d), d)[0].has(gamma(v + 1))


_ANGLES = sympy.asin(sympy.Rational(1, 3)) + sympy.acos(sympy.Rational(1, 3)) - sympy.pi / 2
_ROOTS = sympy.sqrt(3 + 2 * sympy.sqrt(2)) - 1 - sympy.sqrt(2)


@pytest.mark.parametrize(
    ("factor", "positive"), [(1, True), (_ROOTS**2, False), (sympy.Abs(_ANGLES), False)], ids=str
)
def test_no_term_counts_whose_coefficient_may_be_zero(factor: sympy.Expr, positive: bool) -> None:
    """At s = 0 only the second term makes the sum positive; both factors are 0, which nobody sees."""
    relation = sympy.Gt(_one + factor * _two, 0, evaluate=False)
    found = by_sign(relation, Domain.of(claimed(relation), (_one >= 0, _two > 0)))
    assert (found is not None) is positive


def test_a_domain_is_infinite_if_points_lie_beyond_every_end_in_any_proportion_and_direction() -> None:
    n, below = sympy.Symbol("n", integer=True), sympy.Symbol("k", integer=True, positive=True)
    infinite = [
        (d <= m, m <= 2 * d),
        (m <= d + 3, d <= m + 3),
        (m**2 <= d, d <= m**2 + 1),
        (n <= -m, m <= 5),
        (m >= d**3, m <= d**3 + 1),
        (m >= 2**d,),
        (m >= 2**d, m <= 2**d + 1),
    ]
    finite = [
        (m * d <= 8,),
        (m <= 10**10, d <= m),
        (m <= 5, n <= 0, n >= -m),
        (m < d, d <= m),
        (m + d <= 10**40,),
        (m >= 2**d, m <= 10**40),
    ]
    for over in infinite + finite:
        claim = claimed(sum(s for c in over for s in c.free_symbols) < below)
        assert Domain.of(claim, (*over, below <= 3)).is_infinite is (over in infinite), over


ANGLE = {c: formula("angle_conformity", c=Rational(c)) for c in ("-1", "-1/2", "0", "1")}
_u = sympy.Symbol("u", real=True)
BETWEEN = (d >= 2, d <= 4, v >= Rational(1, 2), v <= 3)
UP_TO_1 = (d >= 2, d <= 3, v >= Rational(1, 2), v <= 1)
_DIP = sympy.cos(128 * sympy.pi * v) ** 2


@pytest.mark.parametrize(
    "claim",
    [ANGLE["-1"] < ANGLE["1"], ANGLE["0"] > ANGLE["-1/2"], 2 * ANGLE["0"] - ANGLE["-1"] < exp(v**2) + ANGLE["1"],
     1 + ANGLE["-1"] < 2 * ANGLE["1"],
     conformity(simplex) < exp(v**2)],
    ids=str,
)  # fmt: skip
def test_sums_of_rising_functions_are_compared_on_intervals(claim: object) -> None:
    (part,) = claimed(claim).parts
    assert by_comparison(part, Domain.of(claimed(claim), BETWEEN)) is not None


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (ANGLE["1"] < ANGLE["-1"], BETWEEN),
        (ANGLE["0"] < Rational(3, 4) * exp(v**2), BETWEEN),  # false at small v alone
        (ANGLE["1"] < 20, BETWEEN),  # false at large v alone
        (ANGLE["0"] < ANGLE["1"], (d <= 4, v <= 3)),  # equal at v = 0
        (ANGLE["-1"] < ANGLE["1"], (d <= 4, v >= 1)),  # true, but the range has no end
        (ANGLE["-1"] < exp(-v) * 10**9, BETWEEN),  # true, but the right side falls
        (ANGLE["-1"] < ANGLE["1"].at(v=z), BETWEEN),  # two variables
        (exp(_u**2) < 53, (_u >= -2, _u <= -1)),  # falls, and false at -2 alone
        (exp(v**2) < 2, (equal(v, 1),)),  # no interval
        # true at the ends of the intervals, false between them
        (ANGLE["0"] < formula("angle_conformity", c=2 * _DIP - 1), UP_TO_1),
        (1 + formula("orf_conformity") < 2 * formula("orf_conformity", v=v * _DIP), UP_TO_1),
        (1 + conformity(orthogonal) < 2 * conformity(orthogonal).at(v=v * _DIP), UP_TO_1),
    ],
    ids=lambda x: str(x) if not isinstance(x, tuple) else "",
)
def test_what_does_not_rise_or_is_false_is_not_compared(claim: object, over: tuple[object, ...]) -> None:
    (part,) = claimed(claim).parts
    assert by_comparison(part, Domain.of(claimed(claim), over)) is None


FRAME, BESSEL = sympy.hyper((d,), (d / 2,), v**2 / 2), sympy.hyper((), (d / 2,), d * v**2 / 2)
_ENDS = sympy.Rational(1, 10), -sympy.Rational(3, 2)


@pytest.mark.parametrize(
    "claim",
    [
        # what is no series of these
        sympy.Ge(sympy.atan(v) ** 2, v**2, evaluate=False),
        sympy.Le(FRAME * BESSEL, FRAME, evaluate=False),
        sympy.Le(FRAME, exp(-(v**2)) * FRAME, evaluate=False),
        sympy.hyper((1, 1), (Rational(1, 2),), v**2 / 2) <= sympy.hyper((1,), (Rational(1, 2),), v**2 / 2),
        sympy.hyper((), (Rational(1, 2), Rational(1, 2)), v**2 / 4) <= sympy.cosh(v),
        increasing(sympy.hyper((), (d / 2,), 1 / X), X),
        # other rates
        BESSEL.subs(v, 2 * v) <= FRAME,
        decreasing(exp(-(v**2) / 2) * FRAME, v),
        decreasing(exp(v**2) * BESSEL.subs(v**2, -(v**2)), v),
        # the constant term, and one that is multiplied by v^2
        exp(v**2) + v**2 >= Rational(3, 2),
        sympy.hyper((d,), (d / 2,), v**2) >= 1 + 2 * v**2 * BESSEL,
        exp(v**2) >= v**2 * FRAME,
        3 * exp(-(v**2)) + FRAME >= 4,  # falls at first
        # squares and products of what may have any sign
        sympy.hyper((), (_ENDS[1],), v**2) ** 2 >= sympy.hyper((), (_ENDS[1],), 2 * v**2),
        sympy.hyper(_ENDS[:1], (Rational(1, 2),), v**2) ** 2 >= sympy.hyper((), (Rational(1, 2),), 2 * v**2),
        exp(v**2) * sympy.hyper((), (d / 2,), -d * v**2 / 4) + FRAME >= 2,
        shape * sympy.hyper((), (d / 2,), -(v**2)) >= shape,
        sympy.hyper((), (Rational(1, 4),), -(v**2)) <= 1,
    ],
    ids=str,
)
def test_nothing_false_follows_from_series(claim: object) -> None:
    (part,) = claimed(claim).parts
    assert (
        prove(
            part, Domain.of(claimed(claim), (v <= Rational(1, 2),)), (by_identity, by_coefficients, by_slope)
        )
        is None
    )


_ONE, _TWO, _AT_HALF, _FRAME = (
    Atom("exp", S.One),
    Atom("exp", S(2)),
    Atom("exp", S.Half),
    Atom("frame", S.One, d),
)
_NUMBER = Atom("exp", S.Zero)
_ROOTS = [Atom("exp", root) for root in (sqrt(2) + sqrt(3), sqrt(5 + 2 * sqrt(6)))]
"""The same rate in two forms."""


def _rows(cosine: sympy.Expr, norms: str = "independent") -> Atom:
    return Atom("pair", S.One, d, cosine, norms)


@pytest.mark.parametrize(
    "terms",
    [
        {(_FRAME, 0): 1, (_rows(S(-3)), 0): -1},  # no cosine
        {(_TWO, 0): 1, (_rows(S(2)), 0): -1},
        {(_rows(S.One, "other"), 0): 1, (_FRAME, 0): -1},
        {(_ONE, 0): 1, (_rows(S.One), 0): -1},  # more than 1 at k = 1
        {(Atom("bessel", S.One, d), 0): 1, (_AT_HALF, 0): -1},  # falls faster
        {(_rows(Rational(1, 100)), 0): 1, (Atom("frame", S.One, d + 10), 0): -1},
        {(_TWO, 0): 1, (_rows(S.One), 0): -1, (_NUMBER, 1): -1},
        {(_rows(S.NegativeOne, "antimonotone"), 0): -1, **_as_frame(_rows(S.NegativeOne, "antimonotone"))},
        {(_FRAME, 0): shape, (_ONE, 0): -shape * d / (d + 2), (_AT_HALF, 0): -4 * shape / (d + 2),
         (_NUMBER, 0): 2 * shape / (d + 2)},  # at most 0 for shape < 0, and at least 0 beyond
    ],
    ids=str,
)  # fmt: skip
def test_no_bound_is_taken_of_other_rows_or_with_weights_of_any_sign(
    terms: dict[tuple[Atom, int], object],
) -> None:
    series = Series(v, S.Zero, {key: sympy.sympify(weight) for key, weight in terms.items()})
    assert signs(series, Domain.of(claimed(v < d), (d >= 2,))) is None


def test_one_rate_in_two_forms_is_in_no_order() -> None:
    """Their difference is 0, and not positive."""
    terms = {(_FRAME, 0): S.Zero, **dict(zip(((root, 0) for root in _ROOTS), (-S.One, S.One), strict=True))}
    assert signs(Series(v, S.Zero, terms), Domain.of(claimed(v < d), ())) is None


def test_series_whose_first_coefficients_vanish_are_positive_off_zero() -> None:
    """exp(v^2) - 1 - v^2 - v^4/2 begins with v^6/6; at v = 0 it is 0, and with a factor A >= 0 also at A = 0."""
    tail = exp(v**2) - 1 - v**2 - v**4 / 2
    A = sympy.Symbol("A", nonnegative=True)
    claims = [claimed(tail > 0), claimed(A * tail > 0)]
    found = [by_coefficients(claim.parts[0], Domain.of(claim, (v > 0,))) for claim in claims]
    assert found[0] is not None
    assert found[0].says.endswith("; > 0 at k = 3")
    assert found[1] is None
    assert by_coefficients(claims[0].parts[0], Domain.of(claims[0], ())) is None  # 0 at v = 0
    ratio = limit(mse(positive(orthogonal)) / mse(positive(simplex)), d, oo)
    assert [alone(stated(ratio == value, v > 0)) for value in (1, 2)] != [Decision.UNDECIDED] * 2


THEOREM_2 = exp(v**2) - conformity(orthogonal) - 2 / (d + 2) * (exp(v**2 / 2) - 1) ** 2
"""At least 0, by Theorem 2 of Choromanski et al. 2021; the coefficients of v^4 cancel."""


BOUND = (d * exp(-(z**2)) + 4 * exp(-(z**2) / 2) - 2) / (d + 2)


@pytest.mark.parametrize(
    ("claim", "over", "proved"),
    [
        ((1 - exp(-(z**2))) ** 2 > z**4 * exp(-(z**2)), (z > 0,), True),
        ((1 - exp(-(z**2))) ** 2 >= z**4 * exp(-(z**2)) * Rational(101, 100), (z > 0,), False),
        (exp(-(z**2)) > (1 - z**2 / 2) * exp(-(z**2) / 2), (z > 0,), True),
        (exp(-(z**2)) > (1 - z**2 / 2) * exp(-(z**2) / 2), (), False),  # equal at z = 0
        (exp(3 * z**2) > (1 + z**4) * exp(z**2), (z > 0,), True),
        (exp(3 * z**2) > (1 + 5 * z**4) * exp(z**2), (z > 0,), True),
        (exp(3 * z**2) > (1 + 8 * z**4) * exp(z**2), (z > 0,), False),
        (exp(2 * z**2) / m >= (2 * exp(z**2) - 1) / m, (), True),
        (exp(2 * z**2) / m >= (4 * exp(z**2) - 3) / m, (), False),
        (exp(z**2) > 1 + z**2 + z**4 / 2 + z**6 / 6, (z > 0,), True),
        (exp(z**2) > 1 + z**2 + z**4 / 2 + z**6 / 5, (z > 0,), False),
        (z * exp(-(z**2)) > z * exp(-2 * z**2), (z > 0,), True),
        (z * exp(-(z**2)) > z * exp(-2 * z**2), (), False),
        (increasing(variance(cosine(iid, m=m)), z), (), True),
        (decreasing(variance(cosine(iid, m=m)), z), (), False),
        (gap(trigonometric(orthogonal)) > 0, (equal(d, 2), z > 0), True),
        (gap(trigonometric(orthogonal)) > 0, (equal(d, 4), z > 0), False),
        (THEOREM_2 >= 0, (d >= 2,), True),
        (THEOREM_2 > 0, (d >= 2, v > 0), True),
        (THEOREM_2 > 0, (d >= 2,), False),
        (v**4 / (1000 * d) <= THEOREM_2, (d >= 2,), False),
        (THEOREM_2 >= 0, (), True),
        # rates below 0, and frames whose coefficients change their signs
        (conformity(orthogonal).at(d=3) < 2 * exp(v**2) - 2000 * v**8 * exp(-8 * v**2), (v > 0,), False),
        (2 * gap(trigonometric(orthogonal, m=2)) >= exp(-(z**2)) - BOUND - (exp(z**2) - 1) / 100, (d >= 2,), False),
    ],
    ids=str,
)  # fmt: skip
def test_exponentials_with_polynomials_and_frames_below_them(
    claim: object, over: tuple[object, ...], proved: bool
) -> None:
    statement = stated(claim, *over)
    assert (prove(statement.parts[0], statement.domain) is not None) is proved


def test_signs_by_rates_are_those_of_the_coefficients() -> None:
    """Random sums of w B^p e^(cB): whatever is said of all coefficients is true of the first hundred."""
    draw = random.Random(7)
    said = 0
    for _ in range(300):
        terms = {
            (Atom("exp", Rational(draw.choice((0, 1, 2, 3)), draw.choice((1, 2)))), draw.randrange(3)):
            sympy.Integer(draw.choice((-2, -1, 1, 2, 3)))
            for _ in range(draw.randrange(1, 5))
        }  # fmt: skip
        series = Series(v, sympy.S.Zero, terms)
        found = _by_rates(series, Domain({}))
        coefficients = [series.coefficient(k) for k in range(100)]
        if found is None:
            continue
        said += 1
        shown = [found.zero, found.one, *[found.more] * 98]
        for own, value in zip(shown, coefficients, strict=True):
            assert {"zero": value == 0, "positive": value > 0, "nonnegative": value >= 0}[own], (
                terms,
                own,
                value,
            )
    assert said > 50


def test_signs_by_rates_hold_for_all_values_of_a_variable() -> None:
    """Random sums whose weights depend on p >= 1: what is said of all coefficients is true of thirty at some p."""
    draw, p, said = random.Random(8), sympy.Symbol("p", positive=True, integer=True), 0
    over = Domain({p: Span(sympy.S.One, sympy.oo, integer=True)})
    for _ in range(80):
        terms = {
            (Atom("exp", Rational(draw.choice((0, 1, 2, 3)), draw.choice((1, 2)))), draw.randrange(3)):
            draw.choice((p, -p, p + 1, 1 - p, 2 * p - 1, 3 * p)) + 0 * p
            for _ in range(draw.randrange(2, 5))
        }  # fmt: skip
        series = Series(v, sympy.S.Zero, terms)
        found = _by_rates(series, over)
        if found is None:
            continue
        said += 1
        shown = [found.zero, found.one, *[found.more] * 28]
        for own, value in zip(shown, map(series.coefficient, range(30)), strict=True):
            values = [value.subs(p, number) for number in (1, 2, 9)]
            wanted = {"zero": lambda x: x == 0, "positive": lambda x: x > 0, "nonnegative": lambda x: x >= 0}
            assert all(map(wanted[own], values)), (terms, own, value)
    assert said > 15


@pytest.mark.parametrize("size", [1, 2, 3, 7, Rational(1, 2)])
@pytest.mark.parametrize("kind", ["frame", "bessel"])
def test_frames_and_waves_are_above_two_terms(kind: str, size: sympy.Expr) -> None:
    """The bound of what is added, with equality up to index 2; with a tenth less taken away it is another one."""
    atom = Atom(kind, Rational(3, 2), sympy.sympify(size))
    bound = _no_larger(atom, sympy.S.One, Domain({}))
    assert bound is not None
    for share in (1, Rational(9, 10)):
        terms = {key: weight if key[1] == 0 else share * weight for key, weight in bound.items()}
        series = Series(v, sympy.S.Zero, {**terms, (atom, 0): sympy.S.NegativeOne})
        above = [-(series.coefficient(k) or 0) for k in range(40)]
        assert (above[:3] == [0, 0, 0]) is (share == 1)
        assert all(value >= 0 for value in above) is (share == 1)


@pytest.mark.parametrize("size", [1, 2, 3, 7, Rational(1, 2)])
def test_frames_are_below_two_exponentials(size: sympy.Expr) -> None:
    """The bound of `_with_frames_bounded`, with equality up to index 2; with 5 in place of 4/2^k it is another one."""
    frame = Atom("frame", sympy.S.One, sympy.sympify(size))
    bound = [1, *((size + sympy.Rational(4, 2**k)) / (size + 2) for k in range(1, 40))]
    differences = [bound[k] - frame.coefficient(k) for k in range(40)]
    assert differences[:3] == [0, 0, 0]
    assert all(difference > 0 for difference in differences[3:])


def test_a_quotient_of_laws_says_nothing_where_its_divisor_vanishes() -> None:
    """At v = 0 both errors are 0: the claim has no value there, and holds where it has one."""
    ratio = mse(positive(orthogonal, m=m)) / mse(positive(iid, m=m))
    for claim, over, holds in (
        (ratio <= 1, (), True),
        (ratio < 1, (m >= 2, d >= 2), True),
        (mse(positive(iid, m=m)) / v**2 >= exp(-(z**2)) / m, (), True),
        (ratio < 1, (d >= 2,), False),  # m = 1
        (increasing(ratio, d), (m >= 2, m <= d), True),
    ):
        found = settled(stated(claim, *over))
        assert (found.decision is Decision.HOLDS) is holds
        if holds:
            assert found.proofs[0].summary.startswith(
                "wherever the sides have values, which excludes v = 0: "
            )


def test_a_limit_of_a_quotient_is_left_open_with_what_is_proved_where_it_has_a_value() -> None:
    ratio = mse(positive(orthogonal, m=m)) / mse(positive(simplex, m=m))
    for claim, proved in (
        (limit(ratio, d, oo) == 1, True),
        (equal(ratio, 1 + O(1 / d)), True),
        (equal(sqrt(d**2 * v**2 + d) - d * v, 1 / (2 * v) + O(1 / d)), False),  # sqrt(d) at v = 0
    ):
        found = judge(stated(claim)).verdict
        assert found.decision is Decision.UNDECIDED, claim
        assert ("wherever the sides have values, which excludes v = 0: " in found.reason) is proved
    for claim in (limit(ratio, d, oo) == 2, equal(ratio, 1 + O(1 / d**3)), limit(1 / v, v, 0) == 1):
        assert settled(stated(claim)).decision is Decision.FAILS


def test_what_a_divisor_says_at_an_end_is_left_out_only_there() -> None:
    """exp(v) - 1 does not vanish where v >= 1, and a quotient that is wrong near v = 0 is not proved."""
    assert settled(stated((exp(v) - 1) / v <= 1)).decision is Decision.FAILS
    claim = mse(positive(iid, m=m)) / (exp(v**2) - 1) == exp(-(z**2)) / m
    found = settled(stated(claim, v >= 1))
    assert found.decision is Decision.HOLDS
    assert "wherever the sides have values" not in found.proofs[0].summary
