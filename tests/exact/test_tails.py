"""Tails of bounded GERF: exact laws against bounds, the printed bound and its counterexamples, attention."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.special
import sympy
from flint import arb, ctx

from rftheory.errors import NotCertified, OutsideDomain
from rftheory.exact import tails
from rftheory.exact.enclosure import exact_number, rational_ball
from rftheory.exact.evaluate import evaluate
from rftheory.exact.exponential import A, oprf_A
from rftheory.exact.limits import time_limit
from rftheory.exact.noncentral import noncentral_ball
from rftheory.exact.symbols import d, m, v, z

POINTS = [
    (1, "-1/3", 1, "0.5", "0.2"),
    (2, "-2", 1, "0.5", "0.5"),
    (7, "-1/3", "2.5", 0, "0.9"),
    (2, "-39/4", 0, 0, 20),
    (8, "-0.1", 3, 1, "0.3"),
]


def values(dimension: int, shape: object, norm: object, gap: object, error: object) -> dict[str, object]:
    return {"d": dimension, "A": shape, "v": norm, "z": gap, "eps": error}


def printed(bound: sympy.Expr, features: int, **at: object) -> sympy.Expr:
    symbols = {"d": d, "A": A, "v": v, "z": z, "eps": tails.eps}
    return bound.xreplace(
        {m: sympy.Integer(features), **{symbols[n]: exact_number(x) for n, x in at.items()}}
    )


@pytest.mark.parametrize("point", POINTS)
def test_laws_by_all_routes(point: tuple) -> None:
    at = values(*point)
    for formula in (tails.gerf_upper_tail, tails.gerf_lower_tail, tails.gerf_tail):
        assert len(formula.agree(12, **at)) >= 3
    assert len(tails.gerf_legendre.agree(10, **at)) >= 3
    assert len(tails.tail_bound.agree(12, m=3, **at)) >= 3
    assert len(tails.chernoff_bound.agree(10, m=3, **at)) >= 3
    for formula in (tails.gerf_bound, tails.log_gerf_bound):
        assert len(formula.agree(20, **{n: x for n, x in at.items() if n != "eps"})) >= 3


@pytest.mark.parametrize("point", POINTS)
def test_bounds_hold_for_one_feature(point: tuple) -> None:
    at = values(*point)
    both, upper = tails.gerf_tail.enclose(12, **at), tails.gerf_upper_tail.enclose(12, **at)
    bound, norms = tails.tail_bound.enclose(12, m=1, **at), tails.tail_bound_norms.enclose(12, m=1, **at)
    assert both.upper <= bound.lower
    assert bound.lower <= norms.upper
    assert upper.upper <= tails.chernoff_bound.enclose(12, m=1, **at).lower


COUNTEREXAMPLES = [
    (1, "-56", 0, 0, "13.4"),
    (2, "-19/4", 0, 0, "17.8"),
    (4, "-1", 0, 0, "21.5"),
    (8, "-0.38", 0, 0, 34),
]


@pytest.mark.parametrize("point", COUNTEREXAMPLES)
def test_the_printed_bound_of_theorem_4_2_fails(point: tuple) -> None:
    at = values(*point)
    tail = tails.gerf_tail.enclose(12, **at)
    with ctx.workprec(100):
        assert evaluate(printed(tails.PRINTED_TAIL_BOUND, 1, **at)) < tail.ball


def test_the_printed_bound_fails_at_the_optimal_shape_too() -> None:
    # d = 2, x = y, |x| = 3; the rounded shape is that of Theorem 3.3 to 20 digits
    shape = oprf_A.enclose(20, d=2, v=6).text()
    at = values(2, shape, 6, 0, "47.6")
    tail = tails.gerf_tail.enclose(12, **at)
    with ctx.workprec(100):
        assert evaluate(printed(tails.PRINTED_TAIL_BOUND, 1, **at)) < tail.ball


def test_the_printed_bound_fails_for_any_number_of_features() -> None:
    # P(K^ - K >= eps) >= P(Z - K >= eps)^M, against the printed exp(-M rate)
    at = values(2, "-39/4", 0, 0, 38)
    tail = tails.gerf_upper_tail.enclose(12, **at)
    with ctx.workprec(100):
        rate = -(evaluate(printed(tails.PRINTED_TAIL_BOUND, 1, **at)) / 2).log()
        assert -tail.ball.log() < rate


def test_rate_is_positive_and_bounds_beyond_the_top() -> None:
    assert tails.gerf_legendre.enclose(12, **values(64, "-0.1", 3, 1, "0.3")).lower > 0
    assert tails.gerf_tail.enclose(12, **values(7, "-1/3", "2.5", 0, 2000)).text() == "0"
    with pytest.raises(OutsideDomain, match="infinite"):
        tails.gerf_legendre.enclose(12, **values(7, "-1/3", "2.5", 0, 2000))
    with pytest.raises(OutsideDomain, match="A < 0"):
        tails.gerf_bound.enclose(d=2, A=0, v=1, z=1)
    with pytest.raises(OutsideDomain, match="eps > 0"):
        tails.tail_bound.enclose(d=2, A=-1, v=1, z=1, eps=0, m=1)


def test_attention_bounds() -> None:
    assert len(tails.attention_range.agree(20, d=64, A="-1/10", R=8)) == 3
    enough = tails.attention_features.enclose(12, d=64, A="-1/10", R=8, eps=1, delta="0.1")
    fewer = tails.attention_features.enclose(12, d=64, A="-1/10", R=8, eps=2, delta="0.1")
    assert fewer.upper < enough.lower


def test_the_printed_number_of_features_of_theorem_4_3_is_too_small() -> None:
    # the standard deviation of the estimate exceeds eps by a factor that no constant makes good: it grows with R
    shortfalls = [
        tails.attention_shortfall.enclose(12, d=1, R=radius, eps=1).lower for radius in (2, 3, 4, 6)
    ]
    assert shortfalls[0] > 27
    assert shortfalls[1] > 5 * 10**5
    assert shortfalls[3] > 10**29


def test_bounds_with_exponents_too_long_for_python_text() -> None:
    text = tails.tail_bound.enclose(15, d=5, A="-1/3", v=1, z=100, eps="1/5", m=7).text(5)
    mantissa, _, exponent = text.partition("e-")
    assert mantissa == "2.1269"
    assert len(exponent) > 4300


def test_the_transform_answers_where_the_kernel_is_tiny_against_the_range() -> None:
    """At |x + y| = 20 the largest value is exp(150) times the kernel; two ways to the rate agree there."""
    found = tails.gerf_legendre.agree(15, d=5, A="-1/3", v=20, z="1/2", eps="1/5")
    assert set(found) == {"moments", "curvature"}


def test_the_transform_at_large_norms_against_float64() -> None:
    """The largest theta level - log E e^(theta W) over a grid, E by sums over the noncentral chi density of r."""
    shift, r = math.sqrt(1.4) * 100 / 0.4, np.linspace(1e-4, 3, 3001)
    density = 2 * np.log(r) - math.log(shift) + np.log(scipy.special.ive(1, shift * r)) - (r - shift) ** 2 / 2
    level = float(tails._level(4, -arb(1) / 10, arb(100), arb(100), arb(1) / 2).log())

    def rate(theta: float) -> float:
        """Without the factor exp(level)."""
        tilted = theta * np.exp(-r * r / 5)
        logs = density + tilted + np.log(-np.expm1(-tilted)) - level
        return theta - np.exp(np.minimum(logs, 600)).sum() * (r[1] - r[0])

    found = tails.gerf_legendre.enclose(9, d=4, A="-1/10", v=100, z=100, eps="1/2")
    largest = max(rate(theta) for theta in np.linspace(30_000, 40_000, 401))
    assert float((found.ball.log() - level).exp()) == pytest.approx(
        largest, rel=1e-3
    )  # the grid may miss 25 of 44000


def test_a_maximiser_out_of_reach_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, by_moments = [], tails._generating_by_moments

    def watched(d: int, A: arb, v: arb, largest: arb) -> tails.Generating:
        tried.append(int(largest.unique_fmpz()))
        return by_moments(d, A, v, largest)

    monkeypatch.setattr(tails, "_generating_by_moments", watched)
    monkeypatch.setattr(tails, "LARGEST_TILT", 2**13)
    with pytest.raises(NotCertified, match=r"the maximiser.*d = 4095"):
        tails.gerf_legendre.enclose(15, d=4095, A="-1/3", v=1, z="1/2", eps="1/5")
    assert tried == [2**k for k in range(14)]  # once up to the largest tilt, and not again with more digits


@pytest.mark.parametrize(("dim", "shape", "eps"), [(4, -2, 80), (1, "-3/4", 1), (3, "-1/4", "2*sqrt(2)-1")])
def test_no_estimate_reaches_its_largest_value(dim: int, shape: object, eps: object) -> None:
    """At K + eps = top no precision decides on which side the level lies."""
    at = {"d": dim, "A": shape, "v": 0, "z": 0, "eps": eps}
    for tail in (tails.gerf_upper_tail, tails.gerf_tail):
        assert tail.enclose(8, **at).ball == 0
    for how in tails.gerf_upper_tail.all_routes:
        if how != "density":
            assert (
                tails.gerf_upper_tail.all_routes[how]
                .ball(tails.gerf_upper_tail.variables, tails.gerf_upper_tail.read(at))
                .contains(0)
            )
    level = {"d": 2, "A": -1, "v": 1, "z": 1, "eps": "exp(-1/2)"}
    assert tails.gerf_lower_tail.enclose(8, **level).ball == 0
    found = tails.gerf_tail.enclose(8, route="Poisson mixture", **level)
    assert found.overlaps(tails.gerf_upper_tail.enclose(8, **level))


@pytest.mark.parametrize(
    ("dim", "apart", "square"),
    [
        (1, 0, 2), (1, "1/1000", 3), (1, 10**6, 1001000), (1, 10**8, 100010000), (1, 10**8, 9 * 10**7), (1, 500, 2),
        (2, 10**6, 998000), (3, 10**4, 10100), (5, 2 * 10**5, 199000), (3, 10**4, 1), (64, 100, 70), (65, 1, 150),
    ],
)  # fmt: skip
def test_the_mixture_far_out(dim: int, apart: object, square: object) -> None:
    """From where its terms begin to matter, against one axis apart; another dimension is another law."""
    with ctx.workprec(160):
        centre, ball = (evaluate(exact_number(x)) for x in (apart, square))
        found = noncentral_ball(dim, centre, ball)
        assert found.rel_accuracy_bits() > 70
        truth = tails._by_axis(dim, centre, ball)
        assert truth.overlaps(found)
        assert not truth.overlaps(noncentral_ball(dim + 1, centre, ball)) or truth.rel_accuracy_bits() < 20


def test_a_mixture_that_begins_above_the_mean_of_its_weights() -> None:
    with ctx.workprec(100):
        found, centre, square = noncentral_ball(3, arb(50), arb(4000)), arb(50), arb(400)
        assert abs(found - 1) < arb(2) ** -80
        assert noncentral_ball(3, centre, square).overlaps(tails._by_axis(3, centre, square))


def test_a_mixture_at_too_few_bits_is_a_probability() -> None:
    with ctx.workprec(20):
        assert noncentral_ball(3, arb(10) ** 8, arb(10) ** 8).rel_accuracy_bits() < 20
        wide = noncentral_ball(3, arb(0).union(arb(5)), arb(4).union(arb(5)))
    assert wide.contains(noncentral_ball(3, arb(2), arb("4.5")))


def test_one_axis_apart_in_more_than_a_few_dimensions() -> None:
    at = {"d": 33, "A": "-3/10", "v": "1/3", "z": 2, "eps": "5.71"}
    with time_limit(20):
        assert "one axis apart" in tails.gerf_upper_tail.agree(
            9, names=("Poisson mixture", "one axis apart"), **at
        )


@pytest.mark.parametrize("digits", [1, 8, 30])
def test_the_transform_at_tiny_errors(digits: int) -> None:
    """It is about eps^2 over twice the variance: the sign at 0, of size eps, may take more bits than the digits."""
    at = {"d": 2, "A": -1, "v": 1, "z": 0}
    rate = tails.gerf_legendre.enclose(digits, **at, eps="1e-30")
    twice = tails.gerf_legendre.enclose(digits, **at, eps="2e-30")
    assert float(twice) / float(rate) == pytest.approx(4, rel=1e-12)


@pytest.mark.parametrize(
    ("dimension", "shape", "norm", "gap", "error"),
    [
        (4, "-1/20", 1, 1, "0.1"),
        (4, "-1/1000", 1, 1, "0.1"),
        (1, "-1/10", 3, 0, "1/2"),
        (9, "-1/50", 5, 2, 1),
    ],
)
def test_the_bound_of_the_transform_near_0_lies_above_it(
    dimension: int, shape: str, norm: int, gap: int, error: object
) -> None:
    at = values(dimension, shape, norm, gap, error)
    exact = tails.gerf_legendre.enclose(12, **at)
    with ctx.workprec(100):
        balls = (rational_ball(exact_number(at[name])) for name in ("A", "v", "z", "eps"))
        most = tails._legendre_at_most(dimension, *balls)
        assert exact.ball < most


def test_chernoff_bounds_near_0_are_1_where_the_transform_is_out_of_reach() -> None:
    for shape, norm in (("-1e-3", 10), ("-1e-6", 1), ("-1/100", 100)):
        at = values(4, shape, norm, 1, "0.1")
        found = tails.chernoff_bound.enclose(20, m=1000, **at)
        assert found.ball.contains(1)
        assert found.text() == "1.0000000000000000000"
    with pytest.raises(NotCertified, match="the maximiser not certified"):
        tails.gerf_legendre.enclose(20, **values(4, "-1e-6", 1, 1, "0.1"))


@pytest.mark.parametrize(("dimension", "shape", "norm"), [(8, "-1e-3", 10), (4, "-1/100", 100)])
def test_the_transform_at_tilts_beyond_all_moments(dimension: int, shape: str, norm: int) -> None:
    """It is about the tilt times eps over the largest value top, and that about |mu|^2/2 - log(top)."""
    at = values(dimension, shape, norm, 1, "1/2")
    found = tails.gerf_legendre.enclose(8, **at)
    with ctx.workprec(100):
        A, v, z, eps = (rational_ball(exact_number(at[name])) for name in ("A", "v", "z", "eps"))
        log_top = tails._log_literal_top(dimension, A, v, z)
        tilt = float(found.ball.real / eps * log_top.exp())
        assert tilt == pytest.approx(float(tails._distance(A, v) / 2 - log_top), rel=1e-4)
        assert found.ball < tails._legendre_at_most(dimension, A, v, z, eps)


@pytest.mark.parametrize(
    ("shape", "norm", "tilt"), [("-1/100", 5, 10_000), ("-1/100", 5, 1000), ("-1/10", 20, 4000)]
)
def test_moments_and_the_peak_of_the_density_give_the_same(shape: str, norm: int, tilt: int) -> None:
    with ctx.workprec(100):
        A, v, theta = rational_ball(exact_number(shape)), arb(norm), arb(tilt)
        peak = tails._generating_by_peak(8, A, v)(theta)
        moments = tails._generating_by_moments(8, A, v, theta)(theta)
        for one, other in zip(peak, moments, strict=True):
            assert one.overlaps(other)
            assert one.rel_accuracy_bits() > 60
