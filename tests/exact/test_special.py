"""Chi moments, the ladder of 1F1, zonal averages and joint moments against exact and mpmath values."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx, fmpq

from rftheory.errors import NotCertified
from rftheory.exact.special import (
    JointMoments,
    chi_moments,
    joint_moment,
    kummer_ladder,
    mean_cosine_gaps,
    mean_sine,
    mean_sine_powers,
)


def close(ball: arb, value: mpmath.mpf, relative: str = "1e-12") -> bool:
    return bool(abs(ball / arb(mpmath.nstr(value, 20)) - 1) < arb(relative))


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


@pytest.mark.parametrize(("d", "z"), [(2, "0"), (2, "1e-8"), (3, "7.5"), (64, "50"), (5, "300")])
def test_kummer_ladder(d: int, z: str) -> None:
    with ctx.workprec(256):
        ladder = kummer_ladder(arb(d), arb(d) / 2, arb(z), 12)
    with mpmath.workdps(30):
        for p, value in enumerate(ladder):
            factor = mpmath.rf(d, p) / mpmath.rf(mpmath.mpf(d) / 2, p)
            expected = factor * mpmath.hyp1f1(d + p, mpmath.mpf(d) / 2 + p, mpmath.mpf(z))
            assert close(value, expected)


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
