"""Angular and Gaussian hybrids: moments, MSEs, the largest relative error on a sphere, the bounds of Theorem 3.5."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
import sympy
from flint import arb, arb_series, ctx
from sympy import Integer, Rational, pi

from rftheory.errors import InvalidInput, NotCertified, OutsideDomain
from rftheory.exact import angular, peaks
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import FORMULAS
from rftheory.exact.limits import time_limit
from rftheory.exact.search import Smooth
from tests.exact.route_points import known_of

POINTS = (
    {"x": "1", "y": "1/2", "theta": "1", "m": 3, "n": 4, "r": "1", "sigma": "1/2", "order": 5},
    {"x": "10", "y": "9", "theta": "0.01", "m": 3, "n": 7, "r": "8", "sigma": "3", "order": 2},
    {"x": "1", "y": "1/8", "theta": "3.1", "m": 1, "n": 2, "r": "1e-4", "sigma": "1e-3", "order": 2},
    {"x": "1", "y": "3", "theta": "pi/2", "m": 4096, "n": 100, "r": "30", "sigma": "3", "order": 1},
)
NAMES = (
    "angular_coefficient",
    "angular_coefficient_second",
    "angular_coefficient_complement",
    "angular_coefficient_cross",
    "angular_coefficient_moment",
    "gaussian_coefficient",
    "gaussian_coefficient_second",
    "gaussian_coefficient_complement",
    "gaussian_coefficient_cross",
    "gaussian_positive_second",
    "gaussian_positive_complement",
    "angular_mse",
    "angular_shared_mse",
    "angular_equal_mse",
    "angular_third_moment",
    "angular_shared_third_moment",
    "angular_fourth_moment",
    "angular_shared_fourth_moment",
    "gaussian_equal_mse",
    "gaussian_positive_equal_mse",
    "trig_relative_error",
    "hyperbolic_relative_error",
    "base_max_relative_error",
    "angular_relative_error",
    "gaussian_relative_error",
    "angular_limit",
    "angular_error_bound",
    "angular_half_bound",
    "angular_growth",
)


@pytest.mark.parametrize("name", NAMES)
def test_routes_agree(name: str) -> None:
    for values in POINTS:
        assert len(FORMULAS[name].agree(15, **known_of(name, values))) >= 2
    assert len(FORMULAS[name].agree(30, **known_of(name, POINTS[0]))) >= 3


@pytest.mark.parametrize(
    "name", ["angular_coefficient_second", "angular_shared_fourth_moment", "gaussian_equal_mse"]
)
def test_a_planted_error_is_found(name: str) -> None:
    formula = FORMULAS[name]
    wrong = replace(formula, expression=formula.expression * (1 + Rational(1, 10**20)))
    with pytest.raises(InvalidInput, match="to agree"):
        wrong.agree(30, **known_of(name, POINTS[0]))


def test_variance_vanishes_where_it_should() -> None:
    """hybrid.txt.zero-variance, hybrid.txt.gauss-not-both, at equal lengths, exactly."""
    at = {"0": {angular.theta: 0}, "pi": {angular.theta: pi}}
    for end in at.values():
        assert sympy.simplify(angular.angular_equal_mse.expression.subs(end)) == 0
    assert sympy.simplify(angular.gaussian_equal_mse.expression.subs(at["0"])) == 0
    assert sympy.simplify(angular.gaussian_positive_equal_mse.expression.subs(at["pi"])) == 0
    values = {"r": 1, "sigma": 1, "m": 1, "n": 1}
    assert angular.gaussian_equal_mse.enclose(10, theta="pi", **values).lower > 1
    assert angular.gaussian_positive_equal_mse.enclose(10, theta="0", **values).lower > 1


def test_gaussian_coefficient_can_leave_the_unit_interval() -> None:
    """E L(1 - L) < 0, so sharing projections would raise the MSE of this hybrid at unequal lengths."""
    assert angular.gaussian_coefficient_cross.enclose(10, r=1, theta=3, sigma=2, n=1).upper < 0


# ---- the largest relative error ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("r", "n"), [("1/100", 1), ("1", 1), ("1", 8), ("4", 8), ("8", 1), ("8", 100), ("50", 3)]
)
def test_largest_relative_error(r: str, n: int) -> None:
    top = angular.angular_max_relative_error.enclose(30, r=r, m=1, n=n)
    worst = angular.angular_worst_angle.enclose(30, r=r, n=n)
    at = angular.angular_relative_error.enclose(25, r=r, theta=sympy.Rational(worst.midpoint), m=1, n=n)
    assert abs(float((at.ball / top.ball).mid()) - 1) < 1e-14
    for i in range(1, 40):
        there = angular.angular_relative_error.enclose(20, r=r, theta=pi * Rational(i, 80), m=1, n=n)
        assert there.lower <= top.upper


def test_largest_relative_error_by_another_search() -> None:
    assert len(angular.angular_max_relative_error.agree(20, r="3/2", m=2, n=4)) == 4


def test_gaussian_largest_relative_error() -> None:
    top = angular.gaussian_max_relative_error.enclose(20, r=1, sigma=1, m=1, n=1)
    assert top.overlaps(angular.gaussian_relative_error.enclose(20, r=1, sigma=1, m=1, n=1, theta="pi"))
    for i in range(41):
        there = angular.gaussian_relative_error.ball(r=1, sigma=1, m=1, n=1, theta=pi * Rational(i, 40))
        assert not there > top.ball


def test_neither_hybrid_always_has_the_smaller_largest_error() -> None:
    """hybrid.txt.gauss-larger-variance (b): sigma = 1 at n = 1 is worse, sigma = 1/2 at n = 100, r = 2 is better."""
    worse = angular.gaussian_max_relative_error.enclose(15, r=1, sigma=1, m=1, n=1)
    better = angular.gaussian_max_relative_error.enclose(15, r=2, sigma="1/2", m=1, n=100)
    assert worse.lower > angular.angular_max_relative_error.enclose(15, r=1, m=1, n=1).upper
    assert better.upper < angular.angular_max_relative_error.enclose(15, r=2, m=1, n=100).lower


def test_slow_contraction_still_reaches_the_digits() -> None:
    values = {"r": 2, "sigma": "1/100", "m": 1, "n": 1000}
    top = angular.gaussian_max_relative_error.enclose(20, **values)
    for i in range(101):
        assert not angular.gaussian_relative_error.ball(**values, theta=pi * Rational(i, 100)) > top.ball
    worst = angular.gaussian_worst_angle.enclose(20, r=2, sigma="1/100", n=1000)
    there = angular.gaussian_relative_error.enclose(15, **values, theta=Rational(worst.midpoint))
    assert abs(float(there) / float(top) - 1) < 1e-12


def test_at_equal_length_of_the_maps_the_hybrid_can_be_worse() -> None:
    """hybrid.txt.strict (b): 4m(n+1) coordinates of the hybrid against 2m' of P, so m' = 2m(n+1)."""
    for r, n, better in (("1", 1, True), ("1/2", 2, False), ("1", 8, False)):
        top = angular.angular_max_relative_error.enclose(15, r=r, m=1, n=n)
        base = angular.base_max_relative_error.enclose(15, r=r, m=2 * (n + 1))
        assert (top.upper < base.lower) is better
        assert better or top.lower > base.upper


def test_a_flat_maximum_is_not_certified() -> None:
    flat = peaks.Peaks(Smooth.of(-(peaks.u**4), peaks.u), Fraction(-1), Fraction(1), ())
    with ctx.workprec(100), pytest.raises(NotCertified, match="isolated maxima"):
        replace(flat).located("a quartic")


def test_two_equal_maxima_have_no_unique_place() -> None:
    g = sympy.Lambda(peaks.u, -((peaks.u**2 - Rational(1, 4)) ** 2))
    ends = (Integer(-1), Integer(1))
    with ctx.workprec(100):
        assert evaluate(peaks.LargestValue(g, *ends)).contains(0)
        with pytest.raises(NotCertified, match="2 candidates"):
            evaluate(peaks.LargestAt(g, *ends))


# ---- Theorem 3.5 ---------------------------------------------------------------------------------------------


def _printed_bound(r: str, m: int, n: int) -> arb:
    with ctx.workprec(100):
        return evaluate(
            angular.PRINTED_BOUND, {angular.r: Rational(r), angular.m: Integer(m), angular.n: Integer(n)}
        )


@pytest.mark.parametrize(("r", "n"), [("5", 1), ("4.13", 1), ("7", 2), ("11", 4), ("19", 8), ("36", 16)])
def test_printed_bound_fails(r: str, n: int) -> None:
    """hybrid.thm3.5.bound: the printed (27) is smaller than the certified maximum."""
    assert _printed_bound(r, 3, n) < angular.angular_max_relative_error.enclose(20, r=r, m=3, n=n).ball


@pytest.mark.parametrize(("r", "n"), [("1", 1), ("4.12", 1), ("6", 2), ("18", 8)])
def test_printed_bound_holds_at_small_lengths(r: str, n: int) -> None:
    assert _printed_bound(r, 3, n) > angular.angular_max_relative_error.enclose(20, r=r, m=3, n=n).ball


@pytest.mark.parametrize(
    ("r", "n"), list(itertools.product(("1/100", "1/2", "1", "4.13", "20", "100"), (1, 2, 100)))
)
def test_corrected_bounds_hold(r: str, n: int) -> None:
    top = angular.angular_max_relative_error.enclose(20, r=r, m=3, n=n)
    assert top.upper < angular.angular_error_bound.enclose(20, r=r, m=3, n=n).lower
    assert top.upper < angular.angular_half_bound.enclose(20, r=r, m=3, n=n).upper


def test_growth_in_the_length() -> None:
    """The largest error grows as r^(-1/2) exp(2 r^2), not as r^(-1) exp(2 r^2)."""
    limit = float(angular.angular_growth.enclose(20, m=1, n=1))
    ratios = []
    for r in (10, 40, 160):
        with ctx.workprec(100):
            top = angular.angular_max_relative_error.enclose(20, r=r, m=1, n=1).ball
            ratios.append(float((top * (arb(-2) * r * r).exp() * arb(r).sqrt()).mid()) / limit)
    assert abs(ratios[2] - 1) < abs(ratios[1] - 1) < abs(ratios[0] - 1) < 0.05
    assert abs(ratios[2] - 1) < 2e-4


def test_limits_at_the_critical_angles() -> None:
    limit = float(angular.angular_limit.enclose(20, r=2, m=3, n=5))
    for theta in ("1e-12", "pi - 1e-12"):
        error = float(angular.angular_relative_error.enclose(20, r=2, m=3, n=5, theta=theta))
        assert abs(error / 1e-6 / limit - 1) < 1e-9


def test_rate_in_m_and_n_is_not_uniform() -> None:
    """hybrid.secD4.rate (b): at a fixed angle the error does not fall as 1/sqrt(mn); n = 10^6 gains less than 10."""
    few = float(angular.angular_relative_error.enclose(15, r=1, theta="0.1", m=1, n=1))
    many = float(angular.angular_relative_error.enclose(15, r=1, theta="0.1", m=1, n=10**6))
    assert 5 < few / many < 10


def test_bad_input_is_refused() -> None:
    for bad in ({"r": 0}, {"r": "nan"}, {"m": 0}, {"n": 0}, {"n": "1/2"}, {"theta": "3.2"}):
        with pytest.raises((OutsideDomain, InvalidInput)):
            angular.angular_relative_error.enclose(10, **{"r": 1, "theta": 1, "m": 1, "n": 1, **bad})
    node = peaks.LargestValue(sympy.Lambda(peaks.u, peaks.u * angular.r), Integer(0), Integer(1))
    with pytest.raises(InvalidInput, match="exact values"):
        evaluate(node, {angular.r: arb(1)})
    with pytest.raises(NotCertified, match="dyadic"):
        angular.angular_max_relative_error.enclose(10, route="(48)", r="1/3", m=1, n=1)


# ---- maxima that are nearly flat ------------------------------------------------------------------------------------


@pytest.mark.parametrize("r", ["0.68211", "0.682", "0.6822", "0.68212"])
def test_the_largest_error_where_the_maximum_parts(r: str) -> None:
    """At r near 0.68211, n = 1, the second derivative at pi/2 changes its sign: nothing isolates the maxima by it."""
    with time_limit(20):
        name, top = angular.angular_max_relative_error.found(20, r=r, m=2, n=1)
        other = angular.angular_max_relative_error.enclose(20, route="power series of (49)", r=r, m=2, n=1)
    assert name == "power series"
    assert top.overlaps(other)
    theta = [mpmath.mpf(k) / 2000 * mpmath.pi for k in range(1, 2000)]
    values = [_relative_error(mpmath.mpf(r), t) for t in theta]
    assert max(values) <= float(top.upper) * (1 + 1e-12)
    assert max(values) == pytest.approx(float(top.midpoint), rel=1e-6)


def _relative_error(r: mpmath.mpf, theta: mpmath.mpf) -> float:
    """The root of (48) for m = 2, n = 1, from E L^2 = E L = theta/pi."""
    p, c = theta / mpmath.pi, mpmath.cos(theta)
    total = p * mpmath.sinh(r**2 * (1 + c)) ** 2 + (1 - p) * mpmath.sinh(r**2 * (1 - c)) ** 2
    return float(mpmath.sqrt(total))


def test_a_flat_minimum_at_a_mirror_is_no_maximum() -> None:
    """h^4 - h^2 and h^4 + h^2 about 1/2: neither is concave in h^2."""
    half = Fraction(1, 2)

    def even(sign: int, fourth: int) -> Callable[[arb_series], arb_series]:
        def f(theta: arb_series) -> arb_series:
            h = theta / arb.pi() - arb(1) / 2
            return sign * h * h + fourth * h * h * h * h

        return f

    assert (
        peaks._critical_near(even(-1, 1), half, Fraction(0)) is None
    )  # no maximum proved on so wide a piece
    assert peaks._critical_near(even(1, 1), half, Fraction(0)) is None
    place = peaks._critical_near(even(1, -8), half, Fraction(0))
    assert place is not None
    assert place.overlaps(arb(1) / 4)
    assert peaks._critical_near(even(1, -1), half, Fraction(1, 4)) is None  # it lies beyond the end


@pytest.mark.parametrize("side", [-1, 1])
def test_a_maximum_very_near_a_mirror_is_on_its_own_side(side: int) -> None:
    """2 h^2 s^2 - h^4 about 1/2 is largest at distance s, far below the rounding of a ball's radius, on both sides."""
    half, s = Fraction(1, 2), arb(3) / 2**60

    def f(theta: arb_series) -> arb_series:
        h = theta / arb.pi() - arb(1) / 2
        return 2 * s * s * h * h - h * h * h * h

    with ctx.workprec(400):
        ends = sorted((half, half + side * half))
        (place,) = peaks.peaks_by_series(f, ends[0], ends[1], (half,))
        distance = side * (place - arb(1) / 2)
        assert distance.contains(s)
        assert distance > 0


@pytest.mark.parametrize("r", ["1e-30", "1e-300"])
def test_the_largest_error_at_a_tiny_radius(r: str) -> None:
    """It tends to sqrt(2/m) r^2 times the root of the largest 4 (E L^2 c^4 + E (1-L)^2 s^4), here at theta = pi/2."""
    found = FORMULAS["angular_max_relative_error"].enclose(20, r=r, m=1, n=1)
    small = FORMULAS["angular_max_relative_error"].enclose(20, r="1e-12", m=1, n=1)
    assert float(found.ball / arb(r) ** 2) == pytest.approx(float(small.ball / arb("1e-12") ** 2), rel=1e-12)


def test_the_expanded_moments_are_left_out_where_they_cancel() -> None:
    for maximum in (angular.gaussian_max_relative_error, angular.gaussian_worst_angle):
        at = {"r": "1/2", "sigma": "1/50", "n": 64, "m": 7}
        values = {name: at[name] for name in (variable.name for variable in maximum.variables)}
        assert set(maximum.agree(8, **values)) == {"definition", "power series"}


@pytest.mark.parametrize("radius", ["1e-40", "1e-200", "1/3"])
def test_small_radii_cost_the_gaussian_series_no_digits(radius: str) -> None:
    """In units of its own size, the error at a tiny radius is that of L = sin(theta/2)^2 and equal errors."""
    with ctx.workprec(64):
        found = angular._gaussian_series(arb(radius), arb(1), 3)(arb_series([arb(1)], prec=1))[0]
    assert found.rel_accuracy_bits() > 50
    if radius != "1/3":
        half = [(1 + sign * arb(1).cos()) / 2 for sign in (-1, 1)]
        spread = (2 * half[0]) ** 2 / 6
        limit = (half[0] ** 2 + spread) * half[1] ** 2 + (half[1] ** 2 + spread) * half[0] ** 2
        assert abs(found - limit) < arb("1e-15")
    worst = angular.gaussian_worst_angle.enclose(20, r=radius, sigma="1/2", n=2).ball
    assert worst.overlaps(arb.pi())
