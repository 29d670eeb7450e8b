"""Chi moments, the ladder of 1F1, zonal averages and joint moments against exact and mpmath values."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import product

import mpmath
import pytest
from flint import arb, ctx, fmpq

from rftheory.errors import NotCertified, OutsideDomain
from rftheory.exact import special, top_average
from rftheory.exact.kummer import kummer_ladder
from rftheory.exact.special import (
    JointMoments,
    chi_moments,
    falling_average,
    joint_moment,
    mean_cosine_gaps,
    mean_sine_powers,
    simplex_average,
)
from rftheory.exact.top_average import mean_sine, simplex_average_by_powers, simplex_average_tilted


def close(ball: arb, value: mpmath.mpf, relative: str = "1e-12") -> bool:
    return bool(abs(ball / arb(mpmath.nstr(value, 20)) - 1) < arb(relative))


@pytest.mark.parametrize("count", [2, 4, 6, 40, 260])
def test_the_rule_of_gauss_and_hermite_is_exact_up_to_its_degree(count: int) -> None:
    """Up to degree 2N - 1; at 2N the mean of the square of the polynomial, N!, is missing."""
    with ctx.workprec(3000):
        nodes = special._hermite_nodes(count, 3000)
        assert len(nodes) == count // 2
        for power in (0, 2, count, 2 * count - 2, 2 * count):
            found = sum((weight * x**power for weight, x in nodes), arb(0))
            missing = arb.fac_ui(count) if power == 2 * count else 0
            mean = arb.fac_ui(power) / (arb.fac_ui(power // 2) * arb(2) ** (power // 2))
            assert (found + missing).overlaps(mean)
            assert found.rel_accuracy_bits() > 2000


def test_nodes_that_meet_are_no_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(special, "_hermite_zero", lambda count, j: 0.5)
    with pytest.raises(NotCertified, match="meet"):
        special._hermite_nodes(8, 64)


@pytest.mark.parametrize("d", [1, 2, 3, 64, 4096])
def test_chi_moments(d: int) -> None:
    moments = chi_moments(d, 10)
    exact = Fraction(1)
    for n in range(0, 10, 2):
        assert moments[n].overlaps(arb(fmpq(exact.numerator, exact.denominator)))
        exact *= d + n
    for n in range(1, 10, 2):
        value = mpmath.sqrt(2) ** n * mpmath.gammaprod([mpmath.mpf(d + n) / 2], [mpmath.mpf(d) / 2])
        assert close(moments[n], value)
        assert not close(moments[n] * (1 + arb("1e-10")), value)
    assert len(chi_moments(d, 1)) == 1


@pytest.mark.parametrize("d", [2, 3, 64])
def test_sine_moments_by_integration(d: int) -> None:
    powers, gaps = mean_sine_powers(d, 6), mean_cosine_gaps(d, 6)
    with mpmath.workdps(25):
        weight = mpmath.quad(lambda t: mpmath.sin(t) ** (d - 1), [0, mpmath.pi])
        for p in range(6):

            def mean(f, p=p):  # type: ignore[no-untyped-def]
                return (
                    mpmath.quad(lambda t: f(mpmath.sin(t)) ** p * mpmath.sin(t) ** (d - 1), [0, mpmath.pi])
                    / weight
                )

            assert close(powers[p], mean(lambda s: s))
            assert close(gaps[p], mean(lambda s: 1 - s))
    assert mean_sine(d).overlaps(powers[1])


@pytest.mark.parametrize("cosine", ["0", "-1/4", "1/3"])
@pytest.mark.parametrize("square", ["-2", "3/4"])
@pytest.mark.parametrize("powers", [(1,), (4,), (2, 1), (3, 3), (2, 1, 1), (1, 1, 1, 1)])
def test_powers_of_cosines_are_averages_over_signs(cosine: str, square: str, powers: tuple[int, ...]) -> None:
    with ctx.workprec(160):
        c, v_squared = (
            arb(fmpq(Fraction(text).numerator, Fraction(text).denominator)) for text in (cosine, square)
        )
        moments = JointMoments(5, v_squared, c, sum(powers))
        signs = list(product(*(product((1, -1), repeat=a) for a in powers)))
        averaged = sum((moments.moment(list(map(sum, one))) for one in signs), arb(0)) / len(signs)
        value = moments.cosines(powers)
        assert value.overlaps(averaged)
        assert value.rad() < 1e-9 * abs(value)
        near = JointMoments(5, v_squared * (1 + arb("1e-6")), c, sum(powers))
        assert not value.overlaps(near.cosines(powers))


def test_joint_moments_of_independent_and_single_features() -> None:
    for weights in ((1,), (2,), (-3,)):
        assert joint_moment(weights, 5, arb("0.3"), arb(0)).overlaps((arb("0.15") * weights[0] ** 2).exp())
    value = joint_moment((1, 1), 7, arb("0.3"), arb("-0.125"))
    assert value.overlaps(joint_moment((-1, -1), 7, arb("0.3"), arb("-0.125")))
    assert not value.overlaps(joint_moment((1, -1), 7, arb("0.3"), arb("-0.125")))
    assert joint_moment((), 7, arb("0.3"), arb(0)).overlaps(arb(1))
    assert joint_moment((3, 2), 7, arb(0), arb("-0.1")) == 1


def test_orthogonal_triple_against_chi_square_series() -> None:
    """|w_1 + w_2 + w_3|^2 is chi^2 with 3 d degrees: the moment is 1F1(3d/2; d/2; v^2/2)."""
    with mpmath.workdps(30):
        expected = mpmath.hyp1f1(mpmath.mpf(15) / 2, mpmath.mpf(5) / 2, mpmath.mpf("0.5"))
    assert close(joint_moment((1, 1, 1), 5, arb(1), arb(0)), expected)
    assert not close(joint_moment((1, 1, 1), 5, arb(1), arb("-0.01")), expected)


def test_too_large_an_expansion_is_refused() -> None:
    for c in (arb(0), arb("0.1")):
        with pytest.raises(NotCertified, match="joint moments"):
            JointMoments(5, arb(10**6), c, 4)


def test_averages_at_negative_arguments_are_refused() -> None:
    """Their terms cancel, and the bound of the rest does not hold; a ball around 0 stands for what is not negative."""
    for y, step in ((-2, -2), (1, -2), (-2, 1)):
        with pytest.raises(OutsideDomain, match=">= 0"):
            falling_average(2, arb(y), arb(step))
    with pytest.raises(OutsideDomain, match=">= 0"):
        simplex_average(4, fmpq(-1, 2))
    assert falling_average(2, arb(0), arb(0, "0.5")).contains(falling_average(2, arb(0), arb("0.5")))


SIMPLEX_POINTS = [
    (2, fmpq(7, 3)),
    (2, fmpq(200)),
    (3, fmpq(1, 10**16)),
    (3, fmpq(450)),
    (4, fmpq(50)),
    (7, fmpq(98)),
]


@pytest.mark.parametrize(
    ("d", "z"), [*SIMPLEX_POINTS, (64, fmpq(1, 2)), (255, fmpq(1250)), (512, fmpq(1250))]
)
@pytest.mark.parametrize("bits", [80, 700])
def test_simplex_average_against_the_ladders(d: int, z: fmpq, bits: int) -> None:
    """The series about both ends of the range against the backward ladder of moments and the ladder of 1F1."""
    y, step = z * fmpq(d - 2, d - 1), z * fmpq(1, d - 1)
    with ctx.workprec(bits):
        found = [simplex_average(d, z), simplex_average(d, arb(z)), falling_average(d, arb(y), arb(step))]
        with ctx.workprec(2 * bits + 300):
            count = special._FallingTerms(d, float(arb(step))).count
            ladder = kummer_ladder(arb(d), arb(d) / 2, arb(y), count)
            value, power = arb(0), arb(1)
            for p, (derivative, moment) in enumerate(zip(ladder, mean_cosine_gaps(d, count), strict=True)):
                value += power * derivative * moment
                power = power * arb(step) / (p + 1)
            value *= 1 + arb(2) ** -bits * arb("0 +/- 1e-3")
        for average in found:
            assert average.overlaps(value)
            assert average.rel_accuracy_bits() > bits - 20
            assert not average.overlaps(value * (1 + arb(2) ** (24 - bits)))


def test_many_moments_run_backwards(monkeypatch: pytest.MonkeyPatch) -> None:
    with ctx.workprec(100):
        forward = falling_average(5, arb(15), arb(5))
        monkeypatch.setattr(special, "FORWARD_MOMENTS", 0)
        backward = falling_average(5, arb(15), arb(5))
        assert forward.overlaps(backward)
        assert backward.rel_accuracy_bits() > 80
        monkeypatch.setattr(special, "mean_cosine_gaps", lambda d, n: mean_cosine_gaps(d + 1, n))
        assert not falling_average(5, arb(15), arb(5)).overlaps(forward)


@pytest.mark.parametrize("digits", [15, 60, 300])
@pytest.mark.parametrize("d", [2, 3, 4, 5, 8, 9, 31, 64])
def test_about_the_top(d, digits, monkeypatch):
    """Both series about the top of the range agree with the one about its other end, at the digits asked for."""
    for z in (fmpq(130 * d, 2), fmpq(9999, 2), arb(6221) / 8 * d):
        with ctx.workprec(math.ceil(3.33 * digits) + 20):
            monkeypatch.setattr(special, "simplex_average_from_top", lambda *_: None)
            other = simplex_average(d, z)
            monkeypatch.undo()
            for series, planted in (
                (simplex_average_by_powers, ("mean_sine", "kummer")),
                (partial(simplex_average_tilted, others=10**6), ("_first_integrals", "_integrals", "kummer")),
            ):
                assert series(d, z).overlaps(other)
                assert series(d, z).rel_accuracy_bits() > 3.32 * digits
                for name in planted:
                    monkeypatch.setattr(top_average, name, PLANTED[name])
                    found = series(d, z)
                    monkeypatch.undo()
                    assert not found.overlaps(other)


RIGHT_FIRST, RIGHT_INTEGRALS, RIGHT_KUMMER = (
    top_average._first_integrals,
    top_average._integrals,
    top_average.kummer,
)
PLANTED = {
    "_first_integrals": lambda top, parts: [one * (1 + arb(2) ** -30) for one in RIGHT_FIRST(top, parts)],
    "_integrals": lambda d, top, plan: [
        one * (1 + j * arb(2) ** -20) for j, one in enumerate(RIGHT_INTEGRALS(d, top, plan))
    ],
    "mean_sine": lambda d: mean_sine(d) * (1 + arb(2) ** -30),
    "kummer": lambda d, y, order: RIGHT_KUMMER(d, y * (1 + fmpq(1, 2**40)), order),
}


@pytest.mark.parametrize(("d", "z"), [(2, fmpq(5)), (3, fmpq(450)), (40, fmpq(800)), (2047, fmpq(3))])
def test_too_few_powers(d, z, monkeypatch):
    """What is left out is bounded whatever the plan, and a bound that is too small is noticed."""
    right = simplex_average(d, z)
    plan = top_average._taylor_planned(d, float(arb(z)))
    monkeypatch.setattr(top_average, "_taylor_planned", lambda *_: plan._replace(terms=plan.terms // 2))
    found = simplex_average_by_powers(d, z)
    assert found.overlaps(right)
    assert found.rel_accuracy_bits() < 50
    monkeypatch.setattr(top_average, "widen", lambda radius: arb(0))
    assert not simplex_average_by_powers(d, z).overlaps(right)


def test_the_start_of_the_short_expansion():
    """Both ways to its first integrals agree, where the expansion for large t may be used."""
    for t in (fmpq(300), fmpq(4001, 3)):
        with ctx.workprec(120):
            quick = [top_average._expanded(arb(t), i) for i in (0, 1)]
            with ctx.workprec(2500):
                slow = top_average._first_integrals(t, 1)
            assert all(one.overlaps(other) for one, other in zip(quick, slow, strict=True))
            assert all(one.rel_accuracy_bits() > 110 for one in quick)
            assert top_average._expanded(arb(20), 0) is None
