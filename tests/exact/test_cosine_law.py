"""The law of the cosine estimator: against sums over coins, limits, and the bounds that its exponents must beat."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from scipy.optimize import minimize_scalar

from rftheory.errors import NotCertified, OutsideDomain
from rftheory.exact import find_formula
from rftheory.exact.cosine_law import (
    _by_bessel,
    _by_nodes,
    cosine_distribution,
    cosine_lower_exponent,
    cosine_transform,
    cosine_upper_exponent,
    point_bound,
)


@pytest.mark.parametrize("z", ["1/10", "1", "3", "40"])
def test_the_law_has_the_mean_of_the_kernel(z: str) -> None:
    """k = 1 - integral of the distribution over the levels, which its values on a grid enclose, as it rises."""
    n = 200
    levels = [Fraction(2 * i, n) - 1 for i in range(n + 1)]
    values = [float(cosine_distribution.enclose(12, z=z, level=level).ball) for level in levels]
    assert [values[0], values[-1]] == [0, 1]
    assert values == sorted(values)
    kernel = math.exp(-(float(Fraction(z)) ** 2) / 2)
    low, high = (1 - 2 / n * sum(part) for part in (values[1:], values[:-1]))
    assert low - 1e-9 <= kernel <= high + 1e-9


def test_at_large_distance_it_is_the_law_of_a_uniform_angle() -> None:
    found = cosine_distribution.enclose(20, z=40, level="1/2")
    assert found.overlaps(cosine_distribution.enclose(20, z=60, level="1/2"))
    with ctx.workprec(80):
        assert abs(found.ball - arb(2) / 3) < arb(10) ** -20


def test_it_is_0_at_the_lowest_level() -> None:
    assert cosine_distribution.found(20, z=1, level=-1)[0] == "exact zero"


@pytest.mark.parametrize(("z", "eps"), [("1/2", "1/20"), ("1", "1/5"), ("2", "1/2"), ("6", "1/10")])
def test_exponents_lie_between_hoeffding_and_the_variance(z: str, eps: str) -> None:
    """eps^2/2 <= I always, and for small errors I is about eps^2/(2 Var)."""
    for exponent in (cosine_upper_exponent, cosine_lower_exponent):
        found = float(exponent.enclose(15, z=z, eps=eps).ball)
        assert found >= float(Fraction(eps)) ** 2 / 2
        tiny = Fraction(1, 10**6)
        x = math.exp(-(float(Fraction(z)) ** 2))
        near = float(exponent.enclose(15, z=z, eps=tiny).ball) / float(tiny) ** 2
        assert near == pytest.approx(1 / (1 - x) ** 2, rel=1e-4)  # the variance is (1 - k^2)^2/2


def test_what_rates_the_exponents_leave() -> None:
    """At distance 7/2 the variance is nearly 1/2: the exponents are about eps^2, more than it, less than 1.1 of it."""
    for exponent in (cosine_upper_exponent, cosine_lower_exponent):
        found = exponent.enclose(15, z="7/2", eps="1/20").ball / arb("0.0025")
        assert found > 1
        assert found < arb("1.1")
    assert point_bound.enclose(20, m=10, eps="1/5").text() == "1.8096748360719191463"


@pytest.mark.parametrize("z", ["1/10", "2"])
@pytest.mark.parametrize("t", ["-7", "1/3", "7"])
def test_the_slope_of_the_transform(z: str, t: str) -> None:
    """E c e^(t c) by Bessel functions against a difference of two values."""
    from rftheory.exact.cosine_law import _by_bessel, _by_nodes, _by_powers

    with ctx.workprec(200):
        at, distance = (
            arb(Fraction(t).numerator) / Fraction(t).denominator,
            arb(Fraction(z).numerator) / Fraction(z).denominator,
        )
        step = arb(2) ** -60
        for way in (_by_bessel, _by_powers, _by_nodes):
            scaled = way(distance)
            high, low = (scaled(t)[0] * abs(t).exp() for t in (at + step, at - step))
            assert abs((high - low) / (2 * step) - scaled(at)[1] * abs(at).exp()) < arb(10) ** -25


@pytest.mark.parametrize("z", ["1/8", "1/2", "3"])
def test_the_exponent_of_an_error_of_one(z: str) -> None:
    """The estimate is 1 too low where the cosine is near 0 or less: against quadrature in floats."""
    length = float(Fraction(z))
    gap, g = math.exp(-(length**2) / 2), np.linspace(-60, 60, 200_001)
    density = np.exp(-(g**2) / 2) / math.sqrt(2 * math.pi) * (g[1] - g[0])
    lifted = 1 + np.cos(length * g)

    def below(t: float) -> float:
        return -t * gap - math.log(float((density * np.exp(-t * lifted)).sum()))

    found = cosine_lower_exponent.enclose(20, z=z, eps=1)
    best = minimize_scalar(lambda t: -below(t), bounds=(0.01, 400), method="bounded", options={"xatol": 1e-9})
    assert float(found.ball) == pytest.approx(-best.fun, rel=1e-9)


def chi_square(z: Fraction, eps: Fraction) -> float:
    """The exponent if 1 - cos(z g) were z^2 g^2/2."""
    x = 1 + 2 * float(eps / z**2)
    return (x - 1 - math.log(x)) / 2


@pytest.mark.parametrize(
    ("z", "eps"), [("1/50", "1e-4"), ("1/100", "1e-4"), ("1/1000", "1e-4"), ("1/100", "1e-9")]
)
def test_exponents_at_small_distances_are_about_those_of_a_chi_square_law(z: str, eps: str) -> None:
    """As 1 - cos(x) <= x^2/2 they are larger, and by little."""
    bound = chi_square(Fraction(z), Fraction(eps))
    found = float(cosine_lower_exponent.enclose(20, z=z, eps=eps).ball)
    assert bound < found < bound * 1.02


def test_far_errors_at_small_distances() -> None:
    """A cosine near 0 takes |z g| near pi/2, and one of -1 pi: the exponent is below that of all cosines -1."""
    found = cosine_lower_exponent.enclose(20, z="1/100", eps=1).ball
    assert 0 < found < (arb.pi() * 100) ** 2 / 2
    for route in ("Bessel", "integrals"):
        at = {"z": "1/10", "eps": "1/2"}
        assert cosine_lower_exponent.enclose(30, route=route, **at).ball.overlaps(
            cosine_lower_exponent.enclose(30, **at).ball
        )


@pytest.mark.parametrize("t", [-1000, -100, 100, 1000])
def test_the_rule_by_nodes_encloses_what_bessel_functions_give(t: int) -> None:
    for z in ("1/30", "1/8", "2"):
        bessel, nodes = (
            cosine_transform.enclose(20, route=route, z=z, t=t).ball for route in ("Bessel", "integral")
        )
        assert nodes.overlaps(bessel)
        assert not (nodes * (1 + arb("1e-12"))).overlaps(bessel)


def test_the_exponent_of_an_error_near_the_largest() -> None:
    """At a large distance 1 + cos is near 0 for a tilt of 1/(2 gap), gap = exp(-z^2/2), as about a chi-square law."""
    found = cosine_lower_exponent.enclose(30, z=30, eps=1).ball
    with ctx.workprec(200):
        assert abs(found - (450 - 1 + arb.pi().log()) / 2) < arb(10) ** -25
    for z in ("1e-10", 200):
        with pytest.raises(NotCertified, match=r"choose a larger z|too close"):
            cosine_lower_exponent.enclose(30, z=z, eps=1)


def test_impossible_errors_are_refused() -> None:
    with pytest.raises(OutsideDomain, match="eps < 1"):
        cosine_upper_exponent.enclose(10, z=1, eps="1/2")
    with pytest.raises(OutsideDomain, match="eps < 1"):
        cosine_lower_exponent.enclose(10, z=3, eps="3/2")
    assert cosine_transform.enclose(10, z=1, t=0).text() == "1.000000000"


def test_printed_right_sides_are_exceeded() -> None:
    """(27) at radius 3 lies below the largest relative error, the restored bound above."""
    at = {"r": 6, "m": 1, "n": 8}
    largest = find_formula("angular_max_relative_error").enclose(10, **at).ball
    assert find_formula("angular_error_bound").enclose(10, **at).ball > largest
    printed = find_formula("angular_printed_bound")
    assert printed.enclose(10, **at).ball < find_formula("angular_error_bound").enclose(10, **at).ball


@pytest.mark.parametrize("z", ["1/3000", "1/100000", "1/1000000"])
@pytest.mark.parametrize("eps", ["1/10", "1", "19/10"])
def test_tiny_distances_have_the_exponent_of_one_excursion(z: str, eps: str) -> None:
    """All m waves near cos(x) = 1 - eps cost m x^2/(2 z^2); from z = 1/17000 down that was refused."""
    value = find_formula("cosine_lower_exponent").enclose(25, z=z, eps=eps).ball.real
    angle = math.acos(1 - float(Fraction(eps)))
    scaled = float(value * (arb(1) / int(z[2:])) ** 2)
    assert math.isclose(scaled, angle**2 / 2, rel_tol=5e-5 if z == "1/3000" else 1e-7)
    assert not math.isclose(scaled, angle**2, rel_tol=0.1)


def test_the_window_of_nodes_leaves_out_nothing_that_counts() -> None:
    """Against Bessel functions, where both can be had, on both sides of the tilt from which on there is one."""
    for z, t in (
        (arb("0.1"), -90),
        (arb("0.1"), -101),
        (arb("0.1"), -150),
        (arb("0.1"), -900),
        (arb("0.125"), -70),
    ):
        tilt = arb(t)
        for one, other in zip(_by_nodes(z)(tilt), _by_bessel(z)(tilt), strict=True):
            assert one.overlaps(other)
            assert one.rel_accuracy_bits() > 30
