"""The radius from which on the printed bound (27) of the Hybrid paper fails."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx

from rftheory.errors import NotCertified
from rftheory.exact import find_formula
from rftheory.exact.printed_bound import _enclosed, _largest_h, angular_printed_bound_radius


@pytest.mark.parametrize("n", [1, 2, 7])
def test_27_holds_before_the_radius_and_fails_behind_it(n: int) -> None:
    """By the formulas of the largest error and of the printed bound, which do not know the radius."""
    radius = float(angular_printed_bound_radius.enclose(12, n=n).ball.real)
    error, bound = find_formula("angular_max_relative_error"), find_formula("angular_printed_bound")
    for factor, holds in ((1 - 1e-6, True), (1 + 1e-6, False), (1.02, False)):
        left, right = (
            one.enclose(12, r=Fraction(radius * factor), m=3, n=n).ball.real for one in (error, bound)
        )
        assert left < right if holds else left > right


def test_the_first_digits() -> None:
    assert str(angular_printed_bound_radius.enclose(30, n=1)) == "4.12766111168637248289590085091"


def test_it_grows_like_the_number_of_draws() -> None:
    """At most sqrt(2e) (n - 1 + sqrt(pi)), where the term of first order in theta alone reaches the bound."""
    with ctx.workprec(100):
        for n in (1, 10, 10**6):
            radius = angular_printed_bound_radius.enclose(20, n=n).ball.real
            first = (2 * arb(1).exp()).sqrt() * (n - 1 + arb.pi().sqrt())
            assert 0.89 < radius / first < 1


def test_an_approximation_that_is_off_is_refused() -> None:
    with ctx.workprec(120):
        right = angular_printed_bound_radius.enclose(60, n=2).ball.real
        assert _enclosed(right.mid(), lambda r: _largest_h(r, 2), 2).overlaps(right)
        with pytest.raises(NotCertified, match="on one side only"):
            _enclosed((right + arb("1e-15")).mid(), lambda r: _largest_h(r, 2), 2)


def test_h_grows_where_the_proof_says() -> None:
    """And not everywhere: outside of that range of s it falls."""
    from flint import arb_series

    from rftheory.exact.printed_bound import _h

    def slope(s: str, r: str, n: int) -> arb:
        return _h(arb_series([arb(s)], prec=2), arb_series([arb(r), 1], prec=2), n)[1]

    for s in ("0.5", "0.8", "1.2"):
        for r, n in (("4", 1), ("4", 3), ("30", 16), ("1000", 501)):
            assert slope(s, r, n) > 0
    assert slope("3.5", "4", 3) < 0
