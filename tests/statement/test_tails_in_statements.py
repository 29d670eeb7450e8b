"""Bounds of P(|K^ - K| >= eps): refuted by values and by draws, proved by theorems whose premises hold, else open."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import sympy

from rftheory.author import (
    Rational,
    Rows,
    Symbol,
    cosine,
    coupling,
    d,
    decreasing,
    exp,
    for_some,
    forget,
    formula,
    gaussian,
    gerf,
    hyperbolic,
    iid,
    limit,
    log,
    m,
    mse,
    oo,
    oprf,
    orthogonal,
    orthogonal_fixed,
    positive,
    simplex,
    tail,
    trigonometric,
    v,
    with_features,
    z,
)  # fmt: skip
from rftheory.cli import main
from rftheory.errors import InvalidInput
from rftheory.exact.exponential import A
from rftheory.exact.tails import eps
from rftheory.judge import Budget, Decision, Grade, Kind
from rftheory.statement.domain import Domain
from rftheory.statement.judging import judge
from rftheory.statement.provers.bounds import BERNSTEIN, CHEBYSHEV, CHERNOFF, HOEFFDING, by_bounds
from rftheory.statement.provers.proof import prove
from rftheory.statement.sampled_tails import bounds_tested, count_of_bounds
from rftheory.statement.words import Claim, Mechanism, claimed
from tests.statement.stating import assert_not_proved, judged, stated

pytestmark = pytest.mark.usefixtures("no_trace", "undeclared")
WAVES, BUMPS = trigonometric(iid, m=m), gerf(iid, m=m, A=A)
DECAY = exp(-m * eps**2)
DELTA = Symbol("delta", positive=True)


def bernstein(variance: object, width: object, rows: object = m) -> object:
    return 2 * exp(-rows * eps**2 / (2 * variance + 2 * width * eps / 3))


def proof(claim: Claim, *over: object) -> tuple[str, ...] | None:
    """The theorems of a proof; None if there is none."""
    found = prove(claim.parts[0], Domain.of(claim, over), (by_bounds,))
    return None if found is None else found.assumes


# ---- proved ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "over", "theorem"),
    [
        (tail(WAVES, eps) <= 2 * DECAY ** Rational(1, 2), (), HOEFFDING),
        (2 * DECAY ** Rational(1, 2) >= tail(WAVES, eps), (), HOEFFDING),
        (1 - tail(WAVES, eps) >= 1 - 2 * DECAY ** Rational(1, 2), (), HOEFFDING),
        (tail(WAVES, eps) < 2 * DECAY ** Rational(2, 5), (), HOEFFDING),
        (tail(cosine(iid, m=m), eps) <= 2 * DECAY ** Rational(1, 8), (), HOEFFDING),
        (tail(BUMPS, eps) <= formula("tail_bound"), (A < 0,), HOEFFDING),
        (tail(trigonometric(orthogonal, m=1), eps) <= 2 * exp(-(eps**2) / 2), (), HOEFFDING),
        (tail(positive(simplex, m=m), eps) <= mse(positive(simplex, m=m)) / eps**2, (), CHEBYSHEV),
        (tail(positive(orthogonal, m=m), eps) <= exp(-(z**2)) * (exp(v**2) - 1) / (m * eps**2), (), CHEBYSHEV),
        (tail(positive(simplex, m=m), eps) < exp(-(z**2)) * (exp(v**2) - 1) / (m * eps**2), (m >= 2, m <= d, v > 0),
            CHEBYSHEV),
        (tail(WAVES, eps) <= (1 - exp(-(z**2))) ** 2 / (2 * m * eps**2), (), CHEBYSHEV),
        (tail(WAVES, eps).at(z=0) <= 0, (), CHEBYSHEV),
        (tail(positive(orthogonal_fixed), eps) <= mse(positive(orthogonal_fixed)) / eps**2, (), CHEBYSHEV),
        (tail(positive("mirrored"), eps) + tail(WAVES, eps) <= 1 + 2 * DECAY ** Rational(1, 2), (), HOEFFDING),
        (m * tail(WAVES, eps) <= 2 * m * DECAY ** Rational(1, 2), (), HOEFFDING),
        (tail(WAVES, v + 1) <= 2 * exp(-m * (v + 1) ** 2 / 2), (), HOEFFDING),
        (tail(WAVES, eps) <= 2 * DECAY, (), CHERNOFF),
        (tail(WAVES, eps) < 2 * DECAY ** Rational(1, 2), (), CHERNOFF),
        (tail(WAVES, eps) <= 2 * DECAY ** Rational(51, 100), (), CHERNOFF),
        (tail(cosine(iid, m=m), eps) <= 2 * DECAY ** Rational(1, 2), (), CHERNOFF),
        (tail(WAVES, eps) <= DELTA, (m >= log(2 / DELTA) / eps**2,), CHERNOFF),
        (tail(WAVES, eps) <= bernstein(mse(trigonometric(iid, m=1)), 2), (), BERNSTEIN),
        (tail(WAVES, eps) <= bernstein((1 - exp(-(z**2))) ** 2 / 2, 2), (), BERNSTEIN),
        (tail(WAVES, eps) < bernstein((1 - exp(-(z**2))) ** 2 / 2, 3), (), BERNSTEIN),
        (tail(WAVES, eps) <= bernstein(1 - exp(-(z**2)), 2), (z > 0,), BERNSTEIN),
        (tail(trigonometric(orthogonal, m=1), eps) <= bernstein((1 - exp(-(z**2))) ** 2 / 2, 2, 1), (), BERNSTEIN),
    ],
    ids=str,
)  # fmt: skip
def test_bounds_by_theorems_are_cited(claim: Claim, over: tuple[object, ...], theorem: str) -> None:
    assert proof(claim, *over) == (theorem,)
    found = judged(claim, *over).verdict
    assert (found.decision, found.grade) == (Decision.HOLDS, Grade.CITED)
    assert found.assumes == (theorem,)


@pytest.mark.parametrize(
    "mechanism", [WAVES, positive(simplex), with_features("poisson")(iid, m=m, lam=1)], ids=repr
)
def test_that_it_is_a_probability_needs_no_theorem(mechanism: Mechanism) -> None:
    for claim in (tail(mechanism, eps) <= 1, tail(mechanism, eps) >= 0, tail(mechanism, eps) > -1):
        found = judged(claim).verdict
        assert (found.decision, found.grade) == (Decision.HOLDS, Grade.CERTIFIED)
    for claim in (
        tail(mechanism, eps) < 1,
        tail(mechanism, eps) > 0,
        tail(mechanism, eps) >= Rational(1, 10**9),
    ):
        assert proof(claim) is None


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (tail(WAVES, eps) < 2 * DECAY, ()),  # strict, and the bound is not
        (tail(WAVES, eps) <= 2 * DECAY ** Rational(101, 100), ()),
        (tail(cosine(iid, m=m), eps) <= 2 * DECAY ** Rational(51, 100), ()),
        (tail(trigonometric(iid, m=m, kernel="softmax"), eps) <= 2 * DECAY, ()),
        (tail(trigonometric(orthogonal, m=m), eps) <= 2 * DECAY, ()),
        (tail(trigonometric("orthogonal-fixed", m=1), eps) <= 2 * DECAY.subs(m, 1), ()),
        (tail(WAVES, eps) <= bernstein((1 - exp(-(z**2))) ** 2 / 2, Rational(19, 10)), ()),
        (tail(WAVES, eps) <= bernstein((1 - exp(-(z**2))) ** 2 / 3, 2), ()),
        (tail(WAVES, eps) < bernstein((1 - exp(-(z**2))) ** 2 / 2, 2), ()),
        (tail(trigonometric(orthogonal, m=m), eps) <= bernstein((1 - exp(-(z**2))) ** 2 / 2, 2), ()),
        (tail(WAVES, eps) <= DECAY ** Rational(1, 2), ()),
        (tail(WAVES, eps) >= 2 * DECAY ** Rational(1, 2), ()),  # a direction
        (1 - tail(WAVES, eps) <= 1 - 2 * DECAY ** Rational(1, 2), ()),
        (-tail(WAVES, eps) <= -2 * DECAY ** Rational(1, 2), ()),
        (tail(WAVES, eps) ** 2 <= 2 * DECAY ** Rational(1, 2), ()),  # true, but not linear
        (tail(trigonometric(orthogonal, m=m), eps) <= 2 * DECAY ** Rational(1, 2), ()),  # rows are not independent
        (tail(trigonometric(simplex, m=m), eps) <= 2 * DECAY ** Rational(1, 2), ()),
        (tail(trigonometric("orthogonal-fixed", m=1), eps) <= 2 * DECAY.subs(m, 1) ** Rational(1, 2), ()),  # a bias
        (tail(positive(iid, m=m), eps) <= 2 * DECAY ** Rational(1, 2), ()),  # no range
        (tail(BUMPS, eps) <= formula("tail_bound"), ()),  # for A >= 0 there is no maximum
        (tail(BUMPS, eps) <= 1, ()),  # no law from A = 1/4 on
        (tail(BUMPS, eps) <= mse(BUMPS) / eps**2, (Rational(1, 4) > A,)),  # no variance from A = 1/8 on
        (tail(positive(simplex, m=m), eps) < mse(positive(simplex, m=m)) / eps**2, ()),  # 0 = 0 at v = 0
        (tail(positive(simplex, m=m), eps) <= mse(positive(simplex, m=m)) / (2 * eps**2), ()),
        (tail(positive(orthogonal, m=m), eps) <= mse(positive(simplex, m=m)) / eps**2, ()),  # another mechanism
        (limit(tail(cosine(orthogonal_fixed, m=m), eps), m, oo) <= 1, ()),  # a bias
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_follow_is_not_proved(claim: Claim, over: tuple[object, ...]) -> None:
    assert proof(claim, *over) is None
    assert_not_proved(claim, *over)


def test_beyond_the_range_of_the_features_the_probability_is_0() -> None:
    for rows in (iid, orthogonal, simplex):
        waves = trigonometric(rows, m=m)
        for claim, over in (
            (tail(waves, Rational(9, 4)) == 0, ()),
            (tail(waves, eps) <= 0, (eps > 2,)),
            (tail(waves, eps).at(z=0) == 0, ()),
        ):
            assert judged(claim, *over).verdict.decision is Decision.HOLDS
        for claim, over in (
            (tail(waves, 2) == 0, ()),  # true, but only of the open interval
            (tail(waves, eps) <= 0, (eps > 1,)),
            (tail(waves, eps) == 1, ()),
            (tail(positive(rows, m=m), 9) == 0, ()),
            (
                tail(trigonometric("orthogonal-fixed", m=m), Rational(9, 4)) == 0,
                (),
            ),  # true, but the mean is biased
        ):
            assert proof(claim, *over) is None


def test_directions_are_strict_and_left_open_or_refuted() -> None:
    for claim in (
        decreasing(tail(WAVES, eps), eps),
        decreasing(tail(WAVES, eps), m),
    ):  # 0 = 0 beyond the range
        assert judged(claim).verdict.decision is Decision.FAILS
    found = judged(decreasing(tail(positive(iid, m=1), eps), eps), v > 0).verdict
    assert found.decision is Decision.UNDECIDED


def test_independent_rows_of_another_declaration_are_as_good() -> None:
    alone_, linked, unknown = (
        coupling("tails-solo", rows=Rows(1)),
        coupling("tails-linked", rows=Rows(1), blocks=False),
        coupling("tails-unknown", rows=Rows(1), pairs_unknown="nobody knows"),
    )
    bound = 2 * DECAY ** Rational(1, 2)
    assert proof(tail(trigonometric(alone_, m=m), eps) <= bound) == (HOEFFDING,)
    for rows in (linked, unknown):
        assert proof(tail(trigonometric(rows, m=m), eps) <= bound) is None


def test_some_error_is_rare_enough() -> None:
    claim = for_some(eps, tail(WAVES, eps) <= Rational(1, 2), 1, 4)
    assert judged(claim).verdict.decision is Decision.HOLDS


# ---- refuted by values -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (tail(WAVES, eps) <= 2 * DECAY**4, ()),
        (tail(trigonometric(orthogonal, m=m), eps) <= 2 * DECAY**4, ()),
        (tail(WAVES, eps) >= 2 * DECAY ** Rational(1, 2), ()),
        (tail(WAVES, eps) > 0, ()),  # z = 0
        (tail(positive(simplex, m=m), eps) > 0, (m >= 2,)),  # v = 0
        (tail(trigonometric(iid, m=1), 2) > 0, ()),  # beyond the largest error
        (tail(positive(iid, m=m), eps) <= 2 * DECAY ** Rational(1, 2), ()),
        (tail(hyperbolic(iid, m=m), eps) <= 2 * DECAY ** Rational(1, 2), ()),
        (tail(BUMPS, eps) <= formula("tail_bound", A=-A), (A > 0,)),
        (tail(BUMPS, eps) <= DECAY, (A < 0,)),
        (tail(oprf(iid, m=m), eps) <= DECAY, ()),
        (tail(positive(iid, m=m), gaussian) <= exp(-3 * m), ()),
        (tail(positive(simplex, m=m), eps) < mse(positive(simplex, m=m)) / eps**2, ()),
    ],
    ids=str,
)
def test_false_bounds_are_refuted_at_one_row_or_where_no_draw_errs(
    claim: Claim, over: tuple[object, ...]
) -> None:
    found = judged(claim, *over).verdict
    assert found.decision is Decision.FAILS
    assert found.evidence[0].kind is Kind.CERTIFIED
    assert "counterexample" in found.reason


# ---- refuted far out ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (tail(WAVES, eps) <= 2 * DECAY**2, ()),  # the range read as 1
        (tail(cosine(iid, m=m), eps) <= 2 * DECAY, ()),
        (tail(WAVES, eps) <= bernstein((1 - exp(-(z**2))) ** 2 / 4, 2), ()),  # half the variance
        (1 - tail(WAVES, Rational(1, 4)) >= 1 - exp(-m), (m >= 2, z > 2)),
    ],
    ids=str,
)
def test_false_bounds_of_independent_waves_are_refuted_far_out(
    claim: Claim, over: tuple[object, ...]
) -> None:
    """By a lower bound of the tail, before anything is drawn."""
    found = judged(claim, *over, draw=True).verdict
    assert found.decision is Decision.FAILS
    assert found.evidence[-1].kind is Kind.CERTIFIED
    assert not any(piece.kind is Kind.SAMPLED for piece in found.evidence)


# ---- refuted by draws --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (tail(trigonometric(orthogonal, m=m), eps) <= 2 * DECAY**3, (m >= 2,)),
        (tail(positive(simplex, m=m), eps) <= 2 * DECAY ** Rational(1, 2), (m >= 2,)),
        (tail(trigonometric(orthogonal, m=m), eps) <= 0, (m >= 2, z > 1)),
        (tail(WAVES, eps) >= DECAY, (m >= 2, eps < 1, z > 1)),
        (tail(gerf(orthogonal, m=m, A=A), eps) <= DECAY**2, (A < 0, m >= 2)),
        (
            tail(trigonometric(iid, m=4, kernel="softmax"), eps) <= mse(trigonometric(iid, m=4)) / eps**2,
            (v > 2,),
        ),
    ],
    ids=str,
)
def test_false_bounds_of_several_rows_are_refuted_by_draws(claim: Claim, over: tuple[object, ...]) -> None:
    found = judged(claim, *over, draw=True).verdict
    assert (found.decision, found.contradiction) == (Decision.FAILS, False)
    (piece,) = (piece for piece in found.evidence if piece.decision is Decision.FAILS)
    assert piece.kind is Kind.SAMPLED
    assert piece.control
    assert piece.details["test"]["p"] <= 1e-6


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (tail(WAVES, eps) <= 2 * DECAY ** Rational(1, 2), ()),
        (tail(positive(simplex, m=m), eps) <= mse(positive(simplex, m=m)) / eps**2, ()),
        (tail(positive(simplex, m=m), 1) <= mse(positive(simplex, m=m)), (m >= 2,)),
        (tail(WAVES, eps) >= 0, ()),
        (tail(trigonometric(simplex, m=m), eps) <= 2 * DECAY ** Rational(1, 2), ()),
    ],
    ids=str,
)
def test_true_bounds_are_not_refuted_and_a_planted_error_is(claim: Claim, over: tuple[object, ...]) -> None:
    for seed in range(3):
        for piece in bounds_tested(stated(claim, *over), Budget(1e-6), seed):
            if piece.__class__.__name__ != "NotDrawn":
                assert piece.decision is Decision.HOLDS
                assert piece.control


ROWS = Symbol("n", integer=True, positive=True)
RARE = tail(trigonometric(iid, m=ROWS), Rational(1, 2)).expression


@pytest.mark.parametrize(
    ("side", "over"),
    [
        (sympy.Sum(RARE, (ROWS, 63, 64)), (ROWS >= 2, ROWS <= 3)),
        (sympy.Integral(tail(trigonometric(iid, m=3), eps).expression, (eps, 10, 11)), (eps <= 1,)),
    ],
    ids=["sum", "integral"],
)
def test_what_runs_over_many_points_is_not_drawn_at_one(side: sympy.Expr, over: tuple[object, ...]) -> None:
    """The letter of a sum may be free beside it: 64 rows err rarely (2 exp(-8) at most), 2 or 3 rows often."""
    claim = claimed(sympy.Le(side, Rational(1, 10) + side.variables[0] / 1000, evaluate=False))
    assert count_of_bounds(stated(claim, *over)) == 0
    assert judged(claim, *over, draw=True).verdict.decision is Decision.UNDECIDED


def test_the_same_bound_at_one_point_is_drawn_and_refuted() -> None:
    claim = claimed(sympy.Le(RARE, Rational(1, 10) + ROWS / 1000, evaluate=False))
    found = judged(claim, ROWS >= 2, ROWS <= 3, draw=True).verdict
    assert found.decision is Decision.FAILS


def test_complex_parameters_have_no_sampler() -> None:
    turned = gerf(iid, m=m, A=sympy.I / 5)
    for claim in (tail(turned, eps) <= mse(turned) / eps**2, mse(turned) >= 0):
        found = judged(claim, draw=True).verdict
        assert found.decision is Decision.HOLDS
        assert not any(piece.kind is Kind.SAMPLED for piece in found.evidence)
    assert judged(tail(turned, eps) <= mse(turned) / (100 * eps**2)).verdict.decision is Decision.FAILS


def test_draws_err_as_often_as_a_plain_computation_says() -> None:
    claim = tail(trigonometric(iid, m=4), Rational(1, 2)).at(d=3, z=2) <= Rational(1, 10**4)
    (piece,) = bounds_tested(stated(claim), Budget(1e-6))
    draws = np.cos(2 * np.random.default_rng(7).normal(size=(400_000, 4))).mean(1)
    share = (abs(draws - np.exp(-2)) >= 0.5).mean()
    low, high = piece.details["test"]["interval"]
    assert low < share
    assert abs(piece.details["test"]["estimate"] - share) < 0.01
    assert piece.details["test"]["exact"] == 0.001  # what is easier to hold and to refute
    assert high >= share


def test_each_bound_has_one_test_and_one_row_has_none() -> None:
    two = (tail(WAVES, eps) <= DECAY) & (tail(positive(simplex), eps) <= DECAY)
    assert count_of_bounds(stated(two)) == 2
    for claim in (
        tail(trigonometric(iid, m=1), eps) <= DECAY,  # known
        tail(WAVES, eps) <= tail(positive(iid, m=m), eps),  # no bound by a number
        tail(with_features("poisson")(iid, m=m, lam=1), eps) <= DECAY,  # no sampler here
        decreasing(tail(WAVES, eps), eps),
    ):
        assert count_of_bounds(stated(claim)) == 0


def test_a_bound_without_a_sampler_says_that_nothing_was_drawn() -> None:
    own = coupling("tails-not-drawn", rows=[Rows(d), Rows(d, sign=-1)])
    try:
        said = [
            judge(stated(claim), budget=Budget(1e-6)).why_open
            for claim in (
                tail(trigonometric(own, m=m), eps) <= DECAY,
                tail(trigonometric(orthogonal, m=m), eps) <= exp(-m * eps**2 / 2),
                mse(trigonometric(own, m=m)) <= mse(trigonometric(orthogonal, m=m)),
            )
        ]
    finally:
        forget("tails-not-drawn")
    assert said[0].endswith("; no draws could refute it, since there is no sampler of tails-not-drawn")
    assert not any("sampler" in why for why in said[1:])


OWN = """
from rftheory.author import *
note("{name}")
eps = Symbol("eps", positive=True)
CROSS = coupling("{name}-cross", rows=[Rows(d), Rows(d, sign=-1)])
@CROSS.sampler
def draw(frame, norms, xp):
    rows = norms[..., None] * frame
    return xp.concat((rows, {sign} * rows), axis=-2)
statement("bound", "ours", tail(positive(CROSS), eps) <= {bound})
"""


def said(tmp_path: Path, name: str, sign: int, bound: str) -> dict[str, object]:
    file, out = tmp_path / f"{name}.py", tmp_path / f"{name}.json"
    file.write_text(OWN.format(name=name, sign=sign, bound=bound))
    main(["verify", str(file), "--time-limit", "0", "--json", str(out)])
    found: dict[str, object] = json.loads(out.read_text())
    return found


def test_a_declared_sampler_refutes_if_it_agrees_with_its_declaration(tmp_path: Path) -> None:
    found = said(tmp_path, "tails_agree", -1, "2 * exp(-d * eps**2)")
    (one,) = found["statements"]  # type: ignore[misc]
    assert one["verdict"]["decision"] == "fails"
    assert found["samplers"][0]["tested_by"] == ["tails_agree.bound"]  # type: ignore[index]


@pytest.mark.parametrize("bound", ["2 * exp(-d * eps**2)", "mse(positive(CROSS)) / eps**2"])
def test_a_sampler_that_differs_refutes_nothing(tmp_path: Path, bound: str) -> None:
    """Rows that are equal in place of opposite err more often than the declaration allows."""
    name = f"tails_differ_{len(bound)}"
    found = said(tmp_path, name, 1, bound)
    (one,) = found["statements"]  # type: ignore[misc]
    assert one["verdict"]["decision"] == "undecided"
    assert one["verdict"]["contradiction"]
    assert found["samplers"][0]["differs_in"] == [f"{name}.bound"]  # type: ignore[index]


IN_LARGE_DIMENSIONS = """
from rftheory.author import *
note("{name}")
OPEN = coupling("{name}-cross", rows=[Rows(d), Rows(d, sign=-1)])
@OPEN.sampler
def draw(frame, norms, xp):
    rows = norms[..., None] * frame
    return xp.concat((rows, -rows if frame.shape[-2] < 4 else rows), axis=-2)
statement("bound", "ours", tail(positive(OPEN), exp(-z**2 / 2) / 2).at(v=1) <= Rational({percent}, 100), over=d >= 2)
"""


@pytest.mark.parametrize(("percent", "decision"), [(15, "undecided"), (5, "fails")])
def test_a_sampler_refutes_in_the_dimensions_alone_in_which_it_was_compared(
    tmp_path: Path, percent: int, decision: str
) -> None:
    """From d = 4 on rows are equal in place of opposite, and a third of the draws err; as declared, 9 % at d = 2."""
    name = f"tails_large_{percent}"
    file, out = tmp_path / f"{name}.py", tmp_path / "out.json"
    file.write_text(IN_LARGE_DIMENSIONS.format(name=name, percent=percent))
    main(["verify", str(file), "--time-limit", "0", "--json", str(out)])
    (one,) = json.loads(out.read_text())["statements"]
    assert one["verdict"]["decision"] == decision


# ---- as it is written --------------------------------------------------------------------------------------


def test_it_prints_and_typesets_what_it_is() -> None:
    statement = stated(tail(WAVES, eps) <= 2 * DECAY ** Rational(1, 2))
    assert str(statement.claim) == "P(|K^ - K| >= eps, trigonometric x iid, m) <= 2*exp(-eps**2*m/2)"
    assert statement.latex.startswith(
        r"P\left(\left|\widehat{K} - K\right| \geq \varepsilon, \text{trigonometric}"
    )
    there = tail(positive(simplex, m=m), eps).at(d=4, eps=Rational(1, 3), v=1)
    assert str(there.expression) == "P(|K^ - K| >= 1/3, positive x simplex, d = 4, m, v = 1)"


@pytest.mark.parametrize("size", [0, -1, -eps, oo, 1 - d, sympy.I])
def test_sizes_of_no_error_are_refused(size: object) -> None:
    with pytest.raises(InvalidInput, match="eps of a tail: needs the size of an error, finite and above 0"):
        tail(WAVES, size)


@pytest.mark.parametrize("wrong", [0.5, "eps", None, True])
def test_sizes_that_are_not_exact_are_refused(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="exact number"):
        tail(WAVES, wrong)


@pytest.mark.parametrize("wrong", [positive, simplex, "positive", None])
def test_what_is_no_mechanism_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="needs a mechanism such as"):
        tail(wrong, eps)  # type: ignore[arg-type]


def test_the_domain_holds_the_sizes_of_errors() -> None:
    free, form = sympy.Symbol("e", real=True), tail(WAVES, d - 2) <= 1
    claim = tail(WAVES, free) <= 1
    assert str(Domain.of(claim, ())) == "d >= 1, e > 0, m >= 1, z >= 0"
    assert str(Domain.of(form, ())) == "d >= 1, m >= 1, z >= 0, d - 2 > 0"
    assert str(Domain.of(form, (d >= 3,))) == "d >= 3, m >= 1, z >= 0"
    with pytest.raises(InvalidInput, match="values of e"):
        Domain.of(claim, (free <= 0,))
    with pytest.raises(InvalidInput, match=r"eps of P.*needs the size of an error, above 0, got '?0"):
        Domain.of(tail(WAVES, free).at(e=0) <= 1, ())
