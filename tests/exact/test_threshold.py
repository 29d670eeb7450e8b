"""z_crit(d): the first sign change of the trigonometric orthogonality gap."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from flint import arb, ctx

from rftheory.errors import NotCertified, OutsideDomain
from rftheory.exact.enclosure import certified_integral, rational_ball
from rftheory.exact.limits import time_limit
from rftheory.exact.search import Box, Smooth, holds_on_box, positive
from rftheory.exact.threshold import (
    _at_point,
    _circle_mean,
    _energy_at_start,
    _loss,
    _positive_to,
    _rate_and_frequency,
    growth_within,
    relative_gap,
    z_crit,
)
from tests.exact.roots import first_sign_change

FIRST_TWO_LOBES = {22: "3.641952965829208", 23: "4.617995772819374"}


def gap(d: int, z: arb) -> arb:
    return (-z * z).exp() - (-z * z / 2).hypgeom_1f1(arb(d), arb(d) / 2)


@pytest.mark.parametrize("d", [3, 4, 7])
def test_all_routes_agree(d: int) -> None:
    found = z_crit.agree(20, d=d)
    assert set(found) == {"definition", "taylor", "whole interval", "series (26)"}


def test_radii_that_no_float_holds() -> None:
    digits = 400
    root = z_crit.enclose(digits, d=3)
    with ctx.workprec(2000):
        beside = arb(10) ** -digits
        assert gap(3, root.ball - beside) > 0 > gap(3, root.ball + beside)


def test_beyond_the_reach_of_the_definition_all_routes_agree_without_it() -> None:
    refused: dict[str, NotCertified] = {}
    assert set(z_crit.agree(20, d=63, refused=refused)) == {"taylor", "whole interval", "series (26)"}
    assert not refused


@pytest.mark.parametrize("d", [3, 4, 9, 22, 64, 200])
def test_up_to_there_the_gap_is_positive(d: int) -> None:
    end = _positive_to(d)
    assert Fraction(8 * d // 3, 16) <= end < Fraction(float(z_crit.enclose(12, d=d)) ** 2 / 2)
    for part in range(1, 40):
        with ctx.workprec(600):
            assert relative_gap(d).value(rational_ball(end * part / 40)) > 0


@pytest.mark.parametrize("d", [22, 200, 1000])
def test_the_bound_on_the_way_to_the_root_holds_and_is_sharp(d: int) -> None:
    """Q^2 <= G exp(P)/w beyond d/6, where no other bound is needed, and the root is at most one wave later."""
    end, root = _positive_to(d), float(z_crit.enclose(12, d=d)) ** 2 / 2
    assert root - float(end) < 8
    with ctx.workprec(1200):
        low = rational_ball(Fraction(8 * d // 3, 16))
        bound, p_and_w = arb(0), _rate_and_frequency(d, low)
        q, slope = _at_point(d, low, 64)
        energy = (slope - p_and_w[0] * q / 2) ** 2 + p_and_w[1] * q**2
        for part in range(1, 60):
            x = low + (rational_ball(end) - low) * part / 40  # also beyond the end
            growth = (3 * (x - low)).exp() * (low / x) ** (arb(d) / 2)
            square = (1 - relative_gap(d).value(x.mid())) ** 2
            bound = energy * growth / _rate_and_frequency(d, x)[1]
            assert square <= bound
        assert bound > 1


def test_a_large_dimension_takes_seconds() -> None:
    with time_limit(30):
        assert z_crit.enclose(20, d=8000).text() == "72.329357579805953899"


@pytest.mark.parametrize("d", [4501, 5001, 10001])
def test_large_odd_dimensions(d: int) -> None:
    with time_limit(60):
        found = z_crit.enclose(20, d=d)
    assert z_crit.enclose(12, d=d - 1).ball < found.ball < z_crit.enclose(12, d=d + 1).ball
    with ctx.workprec(8 * d):
        below, above = (gap(d, found.ball.mid() + step * arb("1e-19")) for step in (-1, 1))
        assert below > 0 > above


@pytest.mark.parametrize("d", [22, 23, 65])
def test_proof_and_scan_agree(d: int) -> None:
    z_crit.agree(20, names=("taylor", "series (26)"), d=d)


@pytest.mark.parametrize("d", [3, 8, 64, 511, 512])
def test_the_gap_changes_sign_there(d: int) -> None:
    root = z_crit.enclose(40, d=d)
    with ctx.workprec(1200):
        step = arb("1e-30")
        assert gap(d, (root.ball - step).mid()) > 0
        assert gap(d, (root.ball + step).mid()) < 0


def test_it_is_not_monotone_and_it_jumps() -> None:
    values = [z_crit.enclose(15, d=d) for d in range(3, 11)]
    assert min(values, key=float) is values[4], "d = 7 has the smallest z_crit"
    for d, text in FIRST_TWO_LOBES.items():
        assert z_crit.enclose(16, d=d).text() == text
    peak = max((gap(23, arb(z) / 100) for z in range(340, 400)), key=lambda ball: float(-ball.mid()))
    assert peak > 0, "at d = 23 the lobe in which d = 22 changes sign stays just positive"


def test_at_d_2_there_is_none() -> None:
    with pytest.raises(OutsideDomain, match="d >= 3"):
        z_crit.enclose(d=2)
    with pytest.raises(NotCertified, match="there is none"):
        first_sign_change(relative_gap(2), "1/2", 40)


def test_taylor_form_encloses_the_function() -> None:
    for d in (3, 6, 33):
        f = relative_gap(d)
        for m in ("0.5", "3", "11"):
            wide = arb(m) + arb(0).union(arb(m) / 40)
            for x in (wide.lower(), wide.mid(), wide.upper()):
                q = (2 * x).exp() * (-x).hypgeom_1f1(arb(d), arb(d) / 2)
                assert f.value(wide).overlaps(1 - q)
            slope = (f.value(wide.upper()) - f.value(wide.lower())) / (wide.upper() - wide.lower())
            assert f.gradient is not None
            assert f.gradient(wide)[0].overlaps(slope)


def test_twin_a_smaller_claim_is_refuted() -> None:
    """That the gap of d = 4 were positive up to z = 3.1 is refuted by a point; up to z = 3 it is proved."""
    box = Box.of(("1/2", "9/2"))
    assert holds_on_box(positive(relative_gap(4)), box).holds
    assert holds_on_box(positive(relative_gap(4)), Box.of(("1/2", "4.805"))).verdict == "fails"


def test_generic_search_finds_the_same_root() -> None:
    x = sympy.Symbol("x")
    polynomial = 1 - sympy.exp(x) * (1 - x + x**2 / 6)
    root = first_sign_change(Smooth.of(polynomial, x), "1/2", 8, digits=20)
    with ctx.workprec(100):
        assert (2 * root.ball).sqrt().overlaps(z_crit.enclose(18, d=4).ball)


def _scaled_energy(d: int) -> tuple[arb, arb]:
    """(4/3)^a (Q'^2 + w Q^2) at x = a/3, and w: values of Q itself, not of the path integral that bounds them."""
    with ctx.workprec(400):
        value, slope = _at_point(d, arb(d) / 6, 200)
        w = 2 + arb(9) / d
        return (arb(4) / 3) ** (arb(d) / 2) * (slope**2 + w * value**2), w


@pytest.mark.parametrize("d", [132, 138, 258, 1200])
def test_the_bounds_at_the_start_hold_for_the_function_and_half_of_them_does_not(d: int) -> None:
    with ctx.workprec(64):
        least, most = _energy_at_start()
        energy, w = _scaled_energy(d)
        assert least < energy / w
        assert energy < most
        assert not energy < most / 3
        assert not 3 * least < energy / w


@pytest.mark.parametrize("a", [64, 65, 200])
def test_the_mean_over_the_circle_is_bounded_and_not_by_a_tenth_less(a: int) -> None:
    def modulus(t: object, _: bool) -> object:
        return (-a * _loss(1 / (9 - 6 * arb(2).sqrt() * t.cos()))).exp()  # type: ignore[attr-defined]

    with ctx.workprec(64):
        mean = arb(a).sqrt() * certified_integral(modulus, 0, arb.pi())
        assert mean < _circle_mean(arb(64))
        assert not mean < _circle_mean(arb(64)) * 9 / 10


def test_the_growth_is_bounded_on_both_sides() -> None:
    assert growth_within("-3", "12") is True
    assert growth_within("-1", "12") is False
    assert growth_within("-3", "9") is False
    assert growth_within("-3", "11") is None
    least = "-1.153875339951507523453886510870"  # of the dimensions below 128, at d = 123
    assert growth_within(least, "12") is None
