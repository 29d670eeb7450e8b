"""Kummer's function by each of its closed forms against arb's and mpmath's 1F1, at low and high precision."""

import mpmath
import pytest
from flint import arb, ctx, fmpq

from rftheory.exact.kummer import kummer, kummer_about_peak, kummer_by_erf, kummer_ladder


def reference(d: int, y: fmpq, order: int, bits: int) -> arb:
    """1F1 itself, far beyond the precision asked for."""
    with ctx.workprec(bits + 4 * d + 300):
        return 2**order * arb(y).hypgeom_1f1(d + order, arb(d) / 2 + order)


def check(found: arb, value: arb, bits: int) -> None:
    """The ball holds the value, is as tight as asked, and a value off in its last bits would be noticed."""
    assert found.overlaps(value)
    assert found.rel_accuracy_bits() > bits - 24
    assert not found.overlaps(value * (1 + arb(2) ** (24 - bits)))


SHORT, LONG = fmpq(2499, 7), fmpq(12345678901234567, 123456789012345)
"""A fraction that is short beside the precision, and one that is not: they take different ways."""


@pytest.mark.parametrize("bits", [80, 1200, 3400])
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("d", [2, 4, 62, 64, 66, 512, 1024])
def test_even_dimension_is_a_polynomial(d: int, order: int, bits: int) -> None:
    for y in (fmpq(0), fmpq(1, 200), fmpq(50), SHORT, LONG, fmpq(5, 2**70)):
        with ctx.workprec(bits):
            for found in (kummer(d, y, order), kummer(d, arb(y), order)):
                check(found, reference(d, y, order, bits), bits)


@pytest.mark.parametrize("bits", [80, 1200, 3400])
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("d", [3, 5, 7, 63, 65, 67, 511, 1023])
def test_odd_dimension_by_the_error_function(d: int, order: int, bits: int) -> None:
    for y in (fmpq(max(d, 16), 16), fmpq(1250), SHORT, LONG):
        with ctx.workprec(bits):
            for found in (kummer_by_erf(d, y, order), kummer_by_erf(d, arb(y), order), kummer(d, y, order)):
                check(found, reference(d, y, order, bits), bits)


@pytest.mark.parametrize("d", [1025, 1026, 4095, 4096])
@pytest.mark.parametrize("order", [0, 1])
def test_dimensions_beyond_the_kept_polynomials(d: int, order: int) -> None:
    for y in (fmpq(1, 50), fmpq(50), fmpq(1250)):
        with ctx.workprec(78):
            check(kummer(d, y, order), reference(d, y, order, 78), 78)


@pytest.mark.parametrize("d", [3, 4, 511, 512])
def test_a_wide_ball_is_enclosed(d: int) -> None:
    ball = arb(30).union(arb(31))
    with ctx.workprec(100):
        found = kummer(d, ball, 0)
        for y in (fmpq(30), fmpq(61, 2), fmpq(31)):
            assert found.contains(kummer(d, y, 0).mid())
        assert not found.contains(kummer(d, fmpq(34), 0).mid())


@pytest.mark.parametrize("d", [1, 2, 3, 4, 65, 512])
@pytest.mark.parametrize("radius", ["0.1", "0.3", "0.9", "3"])
def test_balls_that_reach_below_zero_are_enclosed(d: int, radius: str) -> None:
    ball = arb(0, radius)
    for order in (0, 1):
        found = kummer(d, ball, order)
        for share in (-1, -0.5, 0, 0.5, 1):
            y = arb(radius) * share
            assert found.contains((2**order * y.hypgeom_1f1(d + order, arb(d) / 2 + order)).mid())


@pytest.mark.parametrize(("d", "z"), [(2, "0"), (2, "1e-8"), (3, "7.5"), (64, "50"), (5, "300")])
def test_ladder_of_derivatives(d: int, z: str) -> None:
    with ctx.workprec(256):
        ladder = kummer_ladder(arb(d), arb(d) / 2, arb(z), 12)
    with mpmath.workdps(30):
        for p, value in enumerate(ladder):
            factor = mpmath.rf(d, p) / mpmath.rf(mpmath.mpf(d) / 2, p)
            expected = factor * mpmath.hyp1f1(d + p, mpmath.mpf(d) / 2 + p, mpmath.mpf(z))
            assert abs(mpmath.mpf(value.mid().str(30, radius=False)) / expected - 1) < mpmath.mpf(10) ** -18


@pytest.mark.parametrize("bits", [80, 1200])
@pytest.mark.parametrize(("a", "b"), [(1, "1/2"), (3, "3/2"), (7, "19/2"), (4097, "4097/2")])
@pytest.mark.parametrize("y", [fmpq(1, 8), fmpq(100), fmpq(12345, 8)])
def test_the_terms_about_the_peak(a: int, b: str, y: fmpq, bits: int) -> None:
    top, _, bottom = b.partition("/")
    lower = fmpq(int(top), int(bottom or 1))
    with ctx.workprec(bits):
        found = kummer_about_peak(fmpq(a), lower, arb(y))
    with ctx.workprec(bits + 4 * a + 3000):
        value = arb(y).hypgeom_1f1(a, arb(lower))
        check(found, value, bits)


def test_a_wide_argument_about_the_peak() -> None:
    with ctx.workprec(100):
        wide = arb(50) + arb(0).union(arb(1) / 100)
        found = kummer_about_peak(fmpq(9), fmpq(9, 2), wide)
        for end in (arb(50), arb(50) + arb(1) / 100):
            assert found.contains(kummer_about_peak(fmpq(9), fmpq(9, 2), end))


@pytest.mark.parametrize("d", [2001, 100_001, 1_000_001])
def test_a_million_dimensions_satisfy_kummers_equation(d: int) -> None:
    """y F'' = (y - d/2) F' + d F, with F'' from another pair of parameters."""
    y = arb(d) / 2
    with ctx.workprec(120):
        value, slope = kummer(d, y, 0), kummer(d, y, 1)
        curve = 4 * (arb(d) + 1) / (d + 2) * kummer_about_peak(fmpq(d + 2), fmpq(d, 2) + 2, y)
        assert value.rel_accuracy_bits() > 90
        assert (y * curve / value).overlaps((y - arb(d) / 2) * slope / value + d)
