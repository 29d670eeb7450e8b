"""Certificates of uniform and pointwise bounds: what they prove, and that wrong constants are not proved."""

from __future__ import annotations

import random
from fractions import Fraction
from math import comb, exp, log, pi, sqrt

import pytest
from flint import arb

from rftheory.errors import InvalidInput
from rftheory.exact.uniform import (
    OF_PAIRS,
    SMALL,
    Net,
    PairBound,
    PhaseBound,
    _anchor,
    bennett,
    clean_net,
    gaussian_exponent_holds,
    variation,
)

HALF = Fraction(1, 2)


def relative_entropy(a: float, b: float) -> float:
    """Of two coins, a of heads against b."""
    return a * log(a / b) + (1 - a) * log((1 - a) / (1 - b))


@pytest.mark.parametrize(
    "bound", [PairBound(), PairBound(scale=Fraction(66), square=True), PairBound(scale=Fraction(2))]
)
def test_the_constants_of_the_literature_are_proved_for_every_set(bound: PairBound) -> None:
    assert bound.holds() is True


@pytest.mark.parametrize(
    "bound",
    [
        PairBound(rate=Fraction(4)),
        PairBound(scale=Fraction(1, 20)),
        PairBound(scale=Fraction(1, 10), square=True),
        PairBound(rate=Fraction(3), variance=True),
        PairBound(rate=Fraction(2, 5)),
        PairBound(scale=HALF),
        PairBound(scale=HALF * 66, square=True),
        PairBound(scale=Fraction(10**12), rate=Fraction(1)),  # true of small sets alone
    ],
)
def test_wrong_constants_are_not_proved(bound: PairBound) -> None:
    assert bound.holds() is False
    assert bound.holds(Fraction(1)) is False


def test_the_variance_may_take_the_place_of_one() -> None:
    assert PairBound(variance=True).holds(Fraction(1)) is True
    assert PairBound(rate=Fraction(1, 3), variance=True).holds(Fraction(1)) is False
    assert not _anchor((Fraction(64), None), arb("0.4")).is_finite()  # it falls there as the variance grows


@pytest.mark.parametrize(
    ("bound", "proved"),
    [
        (PairBound(Fraction(2, 5)), True),
        (PairBound(Fraction(1, 3)), False),
        (PairBound(Fraction(1000)), True),
        (PairBound(Fraction(1000), Fraction(26, 100)), False),
    ],
)
def test_sets_that_are_small_need_both_constants(bound: PairBound, proved: bool) -> None:
    assert bound._small() is proved


def test_sets_of_middle_size_have_a_largest_rate() -> None:
    assert PairBound(scale=Fraction(10**6), rate=Fraction(35, 100))._middle(SMALL) is False


@pytest.mark.parametrize(("scale", "slope", "rate"), [(1, 8, 8), (2, 1, 8), (2, 8, 7)])
def test_balls_prove_no_smaller_constants(scale: int, slope: int, rate: int) -> None:
    assert not OF_PAIRS.prove(Fraction(scale), Fraction(slope), Fraction(1, rate))


def test_phases_need_a_set_that_is_not_small() -> None:
    assert PhaseBound().holds(HALF) is True
    assert PhaseBound().holds(Fraction(1, 5)) is False
    assert PhaseBound().holds(Fraction(1, 500)) is False
    assert PhaseBound(scale=Fraction(98), square=True).holds(HALF) is False
    assert PhaseBound().holds(Fraction(0)) is False
    assert PhaseBound(scale=Fraction(1, 100)).holds(Fraction(1)) is False
    assert PhaseBound(rate=Fraction(1, 3)).holds(Fraction(1)) is False
    assert PhaseBound(scale=Fraction(10**12), rate=Fraction(1, 3)).holds(Fraction(1)) is False


def test_the_net_of_the_clean_bound_and_nets_that_prove_nothing() -> None:
    assert Net(HALF, Fraction(7, 5), Fraction(1, 8)).proves(Fraction(2))
    for wrong in (
        Net(HALF, Fraction(7, 5), Fraction(1, 7)),
        Net(Fraction(3, 5), Fraction(7, 5), Fraction(1, 8)),
        Net(HALF, Fraction(4), Fraction(1, 8)),
        Net(HALF, Fraction(0), Fraction(1, 8)),
        Net(HALF, Fraction(7, 5), Fraction(-1, 8)),
        Net(Fraction(-1, 4), Fraction(7, 5), Fraction(1, 8)),
    ):
        assert not wrong.proves(Fraction(2))
    assert clean_net(Fraction(1, 7), Fraction(1, 100)) is None  # 2/7 has no rational root


def test_exponents_are_those_of_their_definitions() -> None:
    theta, slope, kappa, eps = 0.5, 1.25, 0.125, 1.5
    plain = slope * (1 - theta - 2 * kappa) - kappa**2 * eps * (exp(2 * slope) - 1 - 2 * slope) / 4
    assert float(variation(arb(theta), arb(slope), arb(kappa), arb(eps))) == pytest.approx(plain, rel=1e-14)
    # Bennett for a fair sign (variance 1) lies below the true rate and above Bernstein's
    eps = 0.75
    found = eps * float(bennett(arb(1) / eps, arb(1)))
    true = ((1 + eps) * log(1 + eps) + (1 - eps) * log(1 - eps)) / 2
    assert eps**2 / (2 + 4 * eps / 3) < found < true
    assert relative_entropy(0.875, 0.5) == pytest.approx(true, rel=1e-14)


def test_the_bounds_hold_for_the_maximum_of_coins() -> None:
    """w = 0 or pi, M = {0, 1}: the exact tail of the mean of m signs against the three bounds."""
    for m in range(1, 60):
        for needed in range(1, m + 1):
            eps = needed / m
            x = pi / sqrt(2) / eps
            tail = sum(comb(m, n) for n in range(m + 1) if abs(2 * n - m) >= needed) / 2**m
            assert tail <= (1 + 16 * x) * exp(-m * eps**2 / 8)
            assert tail <= (1 + 10 * x / eps) * exp(-m * (eps * (1 - eps)) ** 2 / 2)
            assert tail <= 12 * x ** (2 / 3) * exp(-m * eps**2 / 12)


def test_small_sets_follow_the_entropy_bound() -> None:
    """One frequency of known norm: 1 - cos <= (w l)^2/2, so s - k can reach eps only if Z does."""
    generator = random.Random("small sets")
    for _ in range(200):
        a, x, m = generator.uniform(0.05, 0.95), generator.uniform(0.05, 0.95), generator.randint(1, 40)
        # the extreme law: Z = 2 with probability X^2 a^2, else 0
        p, needed = (x * a) ** 2, a * m
        tail = sum(comb(m, n) * p**n * (1 - p) ** (m - n) for n in range(m + 1) if n >= needed)
        bound = exp(-m * relative_entropy(a, p))
        assert tail <= bound * (1 + 1e-12)
        assert tail <= x * x * a * (1 + 1e-12)


def test_the_exponent_of_the_gaussian_kernel_is_one() -> None:
    assert gaussian_exponent_holds(Fraction(1)) is True
    assert gaussian_exponent_holds(HALF) is True
    assert gaussian_exponent_holds(Fraction(1001, 1000)) is False
    with pytest.raises(InvalidInput, match="exponent: needs a positive number"):
        gaussian_exponent_holds(Fraction(0))
