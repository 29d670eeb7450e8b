"""Statements about waves, slopes of 0, ranges below 0 and laws that cancel: what is false is not proved."""

from __future__ import annotations

import pytest
import sympy

from rftheory.author import (
    Parameter,
    Rational,
    Rows,
    Term,
    coupling,
    d,
    decreasing,
    equal,
    exp,
    feature_map,
    forget,
    gap,
    gaussian,
    gerf,
    iid,
    increasing,
    limit,
    m,
    mean,
    mse,
    oo,
    oprf,
    orthogonal,
    orthogonal_fixed,
    positive,
    trigonometric,
    v,
    variance,
    with_features,
    x,
    y,
    z,
)
from rftheory.errors import InvalidInput
from rftheory.judge import Decision
from rftheory.statement import Statement
from rftheory.statement.domain import Domain
from rftheory.statement.provers.definition import by_definition
from rftheory.statement.provers.proof import PROVERS, prove
from rftheory.statement.settle import alone
from rftheory.statement.words import claimed
from tests.statement.stating import stated

u, slope = sympy.symbols("u slope", real=True)
FIXED, PAIR = mean(trigonometric(orthogonal_fixed)), gap(trigonometric(orthogonal, m=2))
NOTHING, SOMETHING = mse(positive(iid, m=m)).at(v=0), mse(positive(iid, m=m))
INFINITE = mean(gerf(iid, A=1))
BEYOND_TWO = mse(gerf(orthogonal_fixed, A=1, m=m))


TRUE = [
    stated(increasing(3 * exp(u**2 - v**2), u), u >= 0),
    stated(decreasing(exp(-(u**2)) / d, u), u >= 1),
    # waves fall, but not exponentially, and cosines not at all
    stated(limit(FIXED, z, oo) == 0, d >= 2),
    stated(limit(PAIR, z, oo) == 0, d >= 2),
    stated(limit(mse(trigonometric(orthogonal, m=m)), z, oo) == 1 / (2 * m)),
    stated(mse(positive("sobol", m=m)) + gaussian >= variance(positive("sobol", m=m)) + gaussian),
    stated(increasing(mean(gerf(iid, A=Rational(1, 5))) + d, d)),
    stated(
        mse(positive("sobol")) + mean(gerf(iid, A=Rational(1, 5))) >= variance(positive("sobol")) + gaussian
    ),
    stated(1 / (1 + NOTHING) == 1),
    stated(limit(1 / (d + NOTHING), d, oo) == 0),
]
FALSE = [
    stated(increasing(3 * exp(u**2 - v**2), u)),
    stated(decreasing(exp(-(u**2)) / d, u), u >= -1),
    stated(limit(FIXED, z, oo) == 0),
    stated(limit(exp(z**2 / 4) * FIXED, z, oo) == 0, d >= 2),
    stated(limit(exp(z**2) * PAIR, z, oo) == Rational(1, 2), d >= 2),
    stated(limit(gaussian**2 / PAIR, z, oo) == 2, d >= 2),
]
WITHOUT_VALUES = [
    stated(mse(positive(iid, m=m)) + INFINITE >= INFINITE),
    stated(mse(positive("sobol", m=m)) + INFINITE >= variance(positive("sobol", m=m)) + INFINITE),
    stated(mse(positive(iid, m=m)) / (1 + v**2) + INFINITE >= INFINITE - 1, v <= 1),
    stated(INFINITE + 1 / variance(positive(iid, m=m)) > INFINITE, v > 0),
    stated(increasing(INFINITE + d, d)),
    stated(gap(gerf(orthogonal_fixed, A=1, m=m)) + BEYOND_TWO >= 0),
    stated(1 / (1 + 1 / NOTHING) == 0),
    stated(1 / (1 + 1 / NOTHING) >= 0),
    stated(limit(1 / (d + 1 / NOTHING), d, oo) == 0),
    stated(limit(SOMETHING / NOTHING, v, oo) == oo),
    stated(limit(d / NOTHING, d, oo) == oo),
    stated(SOMETHING + 1 / NOTHING >= 1 / NOTHING),
]
"""The mean does not exist, nor the error of independent rows that a gap is to, nor a quotient by 0."""


@pytest.mark.parametrize("statement", TRUE, ids=str)
def test_what_is_true_of_them_is_proved(statement: Statement) -> None:
    proofs = [prove(part, statement.domain) for part in statement.parts]
    assert all(proof is not None and not proof.refutes for proof in proofs)


@pytest.mark.parametrize("statement", WITHOUT_VALUES, ids=str)
def test_what_has_no_value_is_neither_proved_nor_refuted(statement: Statement) -> None:
    for part in statement.parts:
        assert prove(part, statement.domain) is None


@pytest.mark.parametrize("statement", FALSE, ids=str)
def test_what_is_false_of_them_is_not_proved(statement: Statement) -> None:
    for part in statement.parts:
        for prover in PROVERS:
            found = prove(part, statement.domain, (prover,))
            assert found is None or found.refutes, prover


def test_an_estimate_of_weight_0_does_not_vary_and_a_negative_one_has_no_bound_below() -> None:
    log = -(x**2 + y**2) / 2
    feature_map("weighted", "", "a test", Term(x + y, log, weight=slope), parameters=(Parameter(slope, ""),))
    weighted = with_features("weighted")
    try:
        for claim in (
            variance(weighted("simplex", slope=slope)) > 0,
            variance(weighted("sobol", slope=-1)) >= 1,
        ):
            assert prove(claim.parts[0], Domain.of(claim, (v > 0,)), (by_definition,)) is None
    finally:
        forget("weighted")


def test_an_estimate_of_slope_0_does_not_vary() -> None:
    log = x * y - slope**2 * (x + y) ** 2 / 2
    feature_map("sloped", "", "a test", Term(slope * (x + y), log), parameters=(Parameter(slope, ""),))
    try:
        error = mse(with_features("sloped")(orthogonal, slope=slope, m=m))
        for over, proved in (
            ((slope > 0,), True),
            ((slope < -1,), True),
            ((), False),
            ((slope >= 0,), False),
        ):
            (part,) = (error > 0).parts
            assert (prove(part, Domain.of(error > 0, (v > 0, *over))) is not None) is proved
        assert alone(stated(error > 0, v > 0)) is Decision.FAILS  # at slope 0
        assert alone(stated(error >= 0)) is Decision.HOLDS
    finally:
        forget("sloped")


def test_a_constant_term_does_not_vary_but_has_a_law() -> None:
    row, kernel = Term(x + y, -(x**2 + y**2) / 2, weight=2), Term(0, x * y, weight=-1)
    feature_map("twice-less-kernel", "2 K^ - K", "a test", row, kernel)
    try:
        error, usual = mse(with_features("twice-less-kernel")(iid)), mse(positive(iid))
        at = equal(d, 2), equal(v, 1), equal(z, 1)
        assert alone(stated(error > Rational("3.99") * usual, *at)) is Decision.HOLDS
        assert alone(stated(error < Rational("3.99") * usual)) is Decision.FAILS
        assert prove((error > 0).parts[0], Domain.of(error > 0, ())) is None  # 0 at v = 0
    finally:
        forget("twice-less-kernel")


def test_a_parameter_that_is_not_given_is_asked_for() -> None:
    log = x * y - slope**2 * (x + y) ** 2 / 2
    feature_map("sloped", "", "a test", Term(slope * (x + y), log), parameters=(Parameter(slope, "a slope"),))
    try:
        says = r"needs a value for slope \(a slope\), got None; write sloped\(orthogonal, m=m, slope=slope\)"
        with pytest.raises(InvalidInput, match=says):
            mean(with_features("sloped")(orthogonal, m=m))  # it is the kernel, whatever the slope is
        assert with_features("sloped")(orthogonal, slope=0).parameters == {"slope": 0}
        assert oprf(iid, m=m).parameters == {}  # the pair determines them
    finally:
        forget("sloped")


def test_what_a_limit_binds_has_other_values_beside_it() -> None:
    # rows of one norm: the law of a pair is without d, and the gap depends on d by the number of pairs alone
    coupling("at-60", "", "a test", rows=Rows(d, norm=0), cosine=Rational(1, 2))
    try:
        side = gap(positive("at-60", m=m))
        within = (1 - 1 / m) * (1 - exp(v**2 / 2)) * exp(-(z**2))  # its value for m <= d
        for claim, over, proved in (
            (limit(side, d, oo) == within, (), True), (limit(side, d, oo) == side, (m <= d,), True),
            (limit(side, d, oo) == side, (), False), (equal(limit(1 / d, d, oo), side - within), (), False),
        ):  # fmt: skip
            found = prove(claimed(claim).parts[0], Domain.of(claimed(claim), over))
            assert (found is not None and not found.refutes) is proved
    finally:
        forget("at-60")
