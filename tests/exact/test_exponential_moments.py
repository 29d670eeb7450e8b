"""Exponential moments of estimates, by routes that share no code with the integrals."""

from __future__ import annotations

import math

import pytest
from flint import arb

from rftheory.errors import NotKnown, OutsideDomain
from rftheory.exact.enclosure import rational_ball
from rftheory.exact.exponential_moments import mgf_of
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.exact.quantities import find_quantity
from rftheory.spec import find_coupling, find_map


def law(feature: str, coupling: str = "iid", m: int = 1, d: int = 3, **parameters: object) -> Law:
    inputs = Inputs.of_norms(d, sum_norm="1", difference_norm="1" if d > 1 else 0)
    return Law(find_map(feature), find_coupling(coupling), m, inputs, parameters)


def by_moments(of: Law, t: arb, bound: arb) -> arb:
    """The power series in the moments of one row, none larger than a power of the bound."""
    reach, count = abs(t) * bound, 90
    total = sum((t**n * of.row_power(n) / arb.fac_ui(n) for n in range(1, count)), arb(1))
    return total + arb(0, (2 * reach**count / math.factorial(count)).upper())


@pytest.mark.parametrize("t", [arb(-2), arb(1)])
@pytest.mark.parametrize("d", [1, 3])
def test_the_moment_of_bumps_is_the_series_of_their_moments(t: arb, d: int) -> None:
    bumps = law("gerf", d=d, A="-1/4")
    found = mgf_of(bumps, t)
    assert found.rel_accuracy_bits() > 20
    assert found.overlaps(by_moments(bumps, t, arb(8)))
    assert not found.overlaps(by_moments(law("gerf", d=d, A="-1/5"), t, arb(8)))


def test_the_moment_of_waves_is_a_series_of_bessel_functions() -> None:
    t, decay = arb(2), (-arb(1) / 2).exp()
    terms = (2 * t.bessel_i(k) * decay ** (k * k) for k in range(1, 30))
    expected = t.bessel_i(0) + sum(terms, arb(0))
    assert mgf_of(law("trigonometric"), t).overlaps(expected)
    assert mgf_of(law("trigonometric", m=3), 3 * t).overlaps(expected**3)


def test_rows_of_one_length_are_a_mean_over_an_angle() -> None:
    fixed = law("positive", "orthogonal-fixed", d=1)
    assert mgf_of(fixed, arb(1)).overlaps(((arb(1) / 2).exp().exp() + (-arb(3) / 2).exp().exp()) / 2)
    waves = law("trigonometric", "orthogonal-fixed", d=3)  # on the sphere u_1 is uniform
    cells = [rational_ball(2 * n + 1) / 2000 * arb(3).sqrt() for n in range(1000)]
    middle = sum((x.cos().exp() for x in cells), arb(0)) / 1000
    assert abs(mgf_of(waves, arb(1)) - middle) < 1e-6


def test_it_is_infinite_or_unknown_where_it_should_be() -> None:
    with pytest.raises(OutsideDomain, match="infinite"):
        mgf_of(law("positive"), arb(1))
    for coupling in (
        "orthogonal",
        "sobol",
    ):  # points of a net depend on each other, though none is in a block
        with pytest.raises(NotKnown, match="coupled rows"):
            mgf_of(law("gerf", coupling, m=2, A="-1/4"), arb(1))
    assert mgf_of(law("positive", "orthogonal"), arb(-1)) < 1
    assert find_quantity("mgf").enclose(9, feature="positive", coupling="iid", d=3, m=2, v=1, t=-1).digits
