"""Gaps of couplings, far smaller than their terms, to one percent; each with a planted error that is refuted."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from flint import arb

from rftheory.engine import (
    Moments,
    PairGap,
    SharedGap,
    WithComoment,
    collect,
    control_coefficients,
    controlled,
    run,
)
from rftheory.engine.gap import sphere_average
from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.exact.conformity import angle_conformity_ball, orf_conformity_ball, simplex_cosine
from rftheory.exact.trigonometric import cosine_pair_ball, orf_cosine_pair_ball
from rftheory.judge import Budget, Outcome
from rftheory.sample import Stream, project
from rftheory.sample import coupling as named_coupling
from tests.statistical.normal import normal_test

BUDGET = Budget(1e-9)
GOAL = 0.01
"""Relative error that has to be seen, with at most 1e5 blocks."""


def exact_gap(feature: str, coupling: str, d: int, v: str) -> float:
    length = arb(v)
    if feature == "positive":
        pair = (
            orf_conformity_ball(d, length)
            if coupling == "orthogonal"
            else angle_conformity_ball(d, length, simplex_cosine(d))
        )
        return float(pair - (length * length).exp())
    pair = (
        orf_cosine_pair_ball(d, length)
        if coupling == "orthogonal"
        else cosine_pair_ball(d, length, simplex_cosine(d))
    )
    return float(pair - (-length * length).exp())


def judged(moments: Moments, claimed: float, tolerance: float) -> Outcome:
    """The sample's own variance stands in for the exact one."""
    return normal_test(
        float(moments.mean[0]), moments.n, claimed, float(moments.variance[0]), BUDGET, tolerance
    )


CASES = [
    (feature, coupling, d, v)
    for feature in ("trigonometric", "positive")
    for coupling in ("orthogonal", "simplex")
    for d, v in ((64, "0.5"), (16, "0.5"), (5, "1" if feature == "trigonometric" else "0.5"))
]


@pytest.mark.parametrize(("feature", "coupling", "d", "v"), CASES)
def test_gaps_to_one_percent(feature, coupling, d, v):
    make = partial(PairGap, feature, coupling, d=d, length=float(v))
    moments = run(controlled(make, Stream.named("gap")), 60_000)
    exact = exact_gap(feature, coupling, d, v)
    assert judged(moments, exact, GOAL) is Outcome.AGREES
    assert judged(moments, exact * (1 + GOAL), GOAL) is Outcome.REFUTED


def test_the_other_coupling_has_another_gap():
    moments = run(PairGap("trigonometric", "simplex", Stream.named("gap"), d=64, length=0.5), 20_000)
    assert judged(moments, exact_gap("trigonometric", "simplex", 64, "0.5"), 0.05) is Outcome.AGREES
    assert judged(moments, exact_gap("trigonometric", "orthogonal", 64, "0.5"), 0.05) is Outcome.REFUTED


@pytest.mark.parametrize("feature", ["trigonometric", "positive"])
def test_drawn_directions_see_the_same_gap(feature):
    statistic = SharedGap(feature, Stream.named("witness"), d=64, length=0.5)
    moments = run(statistic, 2**20, leaf=2**15)
    exact = exact_gap(feature, "orthogonal", 64, "0.5")
    assert judged(moments, exact, 0.06) is Outcome.AGREES
    assert judged(moments, exact * 1.06, 0.06) is Outcome.REFUTED


def test_the_sign_of_the_gap():
    """cosh grows in u^2 where its partner falls, so for positive features every draw has the gap's sign."""
    positive, waves = (
        SharedGap(feature, Stream.named("sign"), d=16, length=3.0)(range(20_000))
        for feature in ("positive", "trigonometric")
    )
    assert positive.max() <= 0 < -positive.mean()
    # Cosines do not have that order: there the sign is one of the mean alone.
    assert waves.max() > 0


def test_coefficients_are_those_of_the_regression():
    rng = np.random.default_rng(0)
    controls = rng.standard_normal((500, 2))
    rows = np.column_stack((controls @ [2.0, -1.0] + 3.0, controls))
    moments = collect(WithComoment, lambda blocks: rows[blocks.start : blocks.stop], 500)
    assert np.abs(control_coefficients(moments) - [2.0, -1.0]).max() < 1e-12


def test_control_variates_leave_the_mean_and_lower_the_variance():
    make = partial(PairGap, "trigonometric", "orthogonal", d=64, length=0.5)
    stream = Stream.named("gap")
    plain, better = run(make(stream), 20_000), run(controlled(make, stream), 20_000)
    z = (plain.mean[0] - better.mean[0]) / plain.standard_error[0]
    assert abs(z) < 6
    assert better.variance[0] < 0.02 * plain.variance[0]
    # The mean of a control that is not zero would show.
    assert all(abs(plain.mean[i]) < 6 * plain.standard_error[i] for i in (1, 2))


def test_sphere_average_is_exact_for_the_moments():
    for d in (2, 3, 64):
        nodes, weights = sphere_average(d, 3.0)
        assert abs(weights @ nodes**2 - 1 / d) < 1e-14
        assert abs(weights @ nodes**4 - 3 / (d * (d + 2))) < 1e-14
    assert abs(sphere_average(4, 3.0)[1] @ sphere_average(4, 3.0)[0] ** 2 - 1 / 3) > 0.01


OPPOSITE = {
    ("positive", "mirrored"): 1 - math.exp(0.64),
    ("trigonometric", "mirrored"): (1 + math.exp(-2 * 0.64)) / 2 - math.exp(-0.64),
}
"""Opposite rows with one norm: the product of the exponentials is 1, that of the cosines a squared cosine."""


@pytest.mark.parametrize(("feature", "coupling"), OPPOSITE)
def test_gaps_of_opposite_rows_with_one_norm(feature, coupling):
    make = partial(PairGap, feature, coupling, d=6, length=0.8, rows=(1, 7))
    moments = run(controlled(make, Stream.named("gap")), 60_000)
    exact = OPPOSITE[feature, coupling]
    assert judged(moments, exact, 5 * GOAL) is Outcome.AGREES
    assert judged(moments, exact * (1 + 5 * GOAL), 5 * GOAL) is Outcome.REFUTED


DECLARED = [
    ("positive", "cross-polytope", (0, 6)), ("trigonometric", "cross-polytope", (0, 6)),
    ("positive", "antimonotone", (0, 1)), ("trigonometric", "antimonotone", (2, 5)),
    ("positive", "simplex+", (0, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("feature", "coupling", "rows"), DECLARED)
def test_gaps_of_any_two_rows_are_those_of_the_samplers(feature, coupling, rows):
    """Against plain products of the mechanism's own projections, with the law of one row from other draws."""
    d, v, blocks = 6, 0.8, range(100_000)
    gap = run(PairGap(feature, coupling, Stream.named("gap"), d=d, length=v, rows=rows), 10_000)
    vector = v * np.ones((1, d)) / math.sqrt(d)
    law, plain = named_coupling(coupling), Stream.named("plain", kind="native")
    values = project(law, plain, blocks, vector, max(rows) + 1)
    b = (np.cos if feature == "trigonometric" else np.exp)(values[..., 0])
    product = b[:, rows[0]] * b[:, rows[1]]
    single = b[:, rows[0]].mean()
    # b_1 b_2 - 2 c b_1 is the linearised difference
    error = np.std(product - 2 * single * b[:, rows[0]]) / math.sqrt(len(b))
    total = math.hypot(error, math.sqrt(float(gap.variance[0]) / gap.n))
    assert abs(float(gap.mean[0]) - (product.mean() - single**2)) < 6 * total
    assert abs(float(gap.mean[0])) > 6 * total  # other couplings, with gaps near 0, would be told apart


def test_bad_requests():
    with pytest.raises(UnknownName):
        PairGap("cosine", "orthogonal", Stream(1), d=4, length=1.0)
    for name in ("iid", "halton", "hadamard-orthogonal"):
        with pytest.raises(OutsideDomain, match="uniform rotation"):
            PairGap("positive", name, Stream(1), d=4, length=1.0)
    for rows in ((0, 0), (0, 4)):
        with pytest.raises(OutsideDomain, match="two of the 4 rows"):
            PairGap("positive", "orthogonal", Stream(1), d=4, length=1.0, rows=rows)
    with pytest.raises(InvalidInput):
        PairGap("positive", "orthogonal", Stream(1), d=4, length=math.nan)
    for length in (math.nan, math.inf, -1.0, "1", None):
        with pytest.raises(InvalidInput):
            SharedGap("positive", Stream(1), d=4, length=length)
    for make in (partial(PairGap, "positive", "orthogonal"), partial(SharedGap, "positive")):
        with pytest.raises(InvalidInput, match="Stream"):
            make(1, d=4, length=1.0)
    with pytest.raises(OutsideDomain):
        PairGap("positive", "orthogonal", Stream(1), d=4, length=1e4)
    with pytest.raises(OutsideDomain):
        SharedGap("positive", Stream(1), d=2, length=1.0)
    with pytest.raises(InvalidInput):
        control_coefficients(collect(WithComoment, lambda b: np.arange(b.start, b.stop), 10))


def test_equal_norms_of_opposite_directions_leave_a_number(monkeypatch):
    """At d = 2 a simplex pair is w, -w: the square of its sum, 0, may come out below 0."""
    norms = np.random.default_rng(7).uniform(0.5, 2.0, (4000, 1)) * np.array([1.0, 1.0 + 1e-15])
    squares = (norms * norms).sum(1) - 2 * norms[:, 0] * norms[:, 1]
    assert squares.min() < 0
    monkeypatch.setattr(Stream, "chis", lambda self, blocks, *rest: norms)
    gap = PairGap("positive", "simplex", Stream(1), d=2, length=0.5)
    assert np.isfinite(gap(range(4000))).all()


def test_controls_of_very_different_sizes():
    rows = np.random.default_rng(7).standard_normal((500, 3))
    rows[:, 0] = 2 * rows[:, 1] - 3 * rows[:, 2]
    sizes = np.array([1.0, 1e8, 1e-9])
    found = control_coefficients(Moments.of(rows * sizes, comoment=True))
    assert np.abs(found * sizes[1:] - [2.0, -3.0]).max() < 1e-9


def test_one_row_has_no_coefficients():
    with pytest.raises(InvalidInput, match="two rows"):
        control_coefficients(Moments.of(np.ones((1, 2)), comoment=True))
