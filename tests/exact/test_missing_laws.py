"""Formulas that users of the sources miss, against mpmath to 50 digits, limits that are known, and planted errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mpmath
import pytest
from mpmath import mpf

from rftheory.errors import OutsideDomain
from rftheory.exact import find_formula
from rftheory.exact.enclosure import Enclosure

DIGITS = 50


def assert_is(value: Enclosure, other: mpf) -> None:
    """Agreement to 50 digits, which an error in the 45th would end."""
    with mpmath.workdps(70):
        middle = mpf(value.midpoint.numerator) / value.midpoint.denominator
        assert abs(middle / other - 1) < mpf(10) ** -48
        assert not abs(middle * (1 + mpf(10) ** -45) / other - 1) < mpf(10) ** -48


def normal_mean(f: object) -> mpf:
    density = 1 / mpmath.sqrt(2 * mpmath.pi)
    return density * mpmath.quad(lambda g: f(g) * mpmath.exp(-g * g / 2), range(-24, 25, 4))  # type: ignore[operator]


@pytest.mark.parametrize("sign", [1, -1])
def test_absolute_square_of_complex_exponential_features(sign: int) -> None:
    """|Z|^2 = |1 - 4A|^d exp(4 Re A |w|^2 + 2 Re B w.(x + s y) - (s + 1)(|x|^2 + |y|^2)), by coordinates."""
    d, v, z = 3, mpf(1), mpf("0.5")
    value = find_formula("gerf_absolute_square").enclose(DIGITS, d=d, A="-1/5+I/4", s=sign, v=1, z="1/2")
    with mpmath.workdps(70):
        a = mpmath.mpc(-mpf(1) / 5, mpf(1) / 4)
        slope = 2 * mpmath.re(mpmath.sqrt(sign * (1 - 4 * a))) * (v if sign == 1 else z)
        along = normal_mean(lambda g: mpmath.exp(4 * a.real * g * g + slope * g))
        across = normal_mean(lambda g: mpmath.exp(4 * a.real * g * g))
        size = abs(1 - 4 * a) ** d * mpmath.exp(-(sign + 1) * (v * v + z * z) / 2)
        assert_is(value, size * along * across ** (d - 1))
    variance = find_formula("gerf_variance").enclose(DIGITS, d=d, A="-1/5+I/4", s=sign, v=1, z="1/2")
    kernel = find_formula("gerf_mean").enclose(DIGITS, d=d, A="-1/5+I/4", s=sign, v=1, z="1/2")
    assert value.lower > variance.upper + kernel.upper**2  # E |Z|^2 > E (Re Z)^2


def test_real_part_of_the_symmetrised_estimator() -> None:
    """zeta = real + i imag in one dimension: mixed = real imag; T and P where zeta is imaginary or real."""
    formula = find_formula("cexp_symmetric_real_mse")
    value = formula.enclose(DIGITS, inner="1/2", real="3/4", imag="1/3", mixed="1/4", m=7)
    with mpmath.workdps(70):
        zeta = mpmath.mpc(mpf(3) / 4, mpf(1) / 3)

        def square(g: mpf) -> mpf:
            return (mpmath.cosh(g * zeta) * mpmath.exp(-(zeta**2) / 2)).real ** 2

        assert_is(value, mpmath.e * (normal_mean(square) - 1) / 7)
    for real, imag in (("2", "0"), ("0", "2")):
        at: dict[str, Any] = {"inner": "1/2", "real": real, "imag": imag, "m": 7}
        assert formula.enclose(DIGITS, mixed=0, **at).overlaps(
            find_formula("cexp_symmetric_mse").enclose(DIGITS, **at)
        )
    with pytest.raises(OutsideDomain):
        formula.enclose(10, inner=0, real=1, imag=1, mixed=2, m=1)


def test_success_probability_of_unequal_products() -> None:
    formula = find_formula("geometric_p_unequal")
    value = formula.enclose(DIGITS, k=2, l=3, t="6/5", u="-1/3")
    with mpmath.workdps(70):

        def slope(p: mpf) -> mpf:
            total = -5 / p
            for count, t in ((2, mpf(6) / 5), (3, mpf(1) / 3)):
                z = 2 * t / mpmath.sqrt(1 - p)
                total += count * mpmath.besseli(1, z) / mpmath.besseli(0, z) * t * (1 - p) ** mpf("-1.5")
            return total

        assert_is(
            value, mpmath.findroot(slope, (mpf("0.4"), mpf("0.7")), solver="anderson", tol=mpf(10) ** -130)
        )
    equal = find_formula("geometric_p").enclose(DIGITS, t="6/5")
    assert formula.enclose(DIGITS, k=2, l=3, t="6/5", u="6/5").overlaps(equal)
    assert formula.enclose(DIGITS, k=4, l=0, t="6/5", u=9).overlaps(equal)
    for far in (50, "-1e6"):  # no coordinate has this product, so it says nothing about where p* is
        assert formula.enclose(DIGITS, k=1, l=0, t="6/5", u=far).overlaps(equal)
    assert not value.overlaps(equal)


@pytest.mark.parametrize("coupling", ["orf", "simrf"])
def test_mean_error_of_a_gram_matrix(coupling: str) -> None:
    d, m, size = 5, 5, 3
    value = find_formula(f"gram_mse_{coupling}").enclose(DIGITS, d=d, m=m, N=size, sigma="1/5")
    with mpmath.workdps(70):
        cosine = mpf(0) if coupling == "orf" else -mpf(1) / (d - 1)

        def pair(s: mpf) -> mpf:
            """E over the two norms: the chi moments of one, given the other, by mpmath's quadrature."""
            q = s / (2 * (1 + 2 * s))
            total = mpmath.nsum(
                lambda k: (
                    (4 * q * cosine / (1 - 2 * q)) ** k / mpmath.factorial(k) * mpmath.gamma((d + k) / 2) ** 2
                ),
                [0, mpmath.inf],
            )
            return (1 + 2 * s) ** (-mpf(d) / 2) * (1 - 2 * q) ** -d * total / mpmath.gamma(mpf(d) / 2) ** 2

        def error(s: mpf) -> mpf:
            return ((1 - 2 * s) ** (-mpf(d) / 2) - 1 + (m - 1) * (pair(s) - 1)) / m

        square = mpf(1) / 25
        apart = (1 + 4 * square) ** (-mpf(d) / 2) * error(2 * square)
        assert_is(value, apart + (error(4 * square) - apart) / size)


def test_the_figure_lies_about_the_mean_over_its_points() -> None:
    """Fig. 7 has one draw of 64 points; independent rows in place of coupled ones are told apart."""
    stored = json.loads(
        (Path(__file__).parents[2] / "paper_figures" / "simplex_fig7.json").read_text(encoding="utf-8")
    )
    means: dict[str, list[float]] = {}
    for name, short in (("iid", "iid"), ("orthogonal", "orf"), ("simplex", "simrf")):
        formula = find_formula(f"gram_mse_{short}")
        means[name] = [
            float(formula.enclose(8, d=64, m=64 * ratio, N=64, sigma="1/10").midpoint)
            for ratio in stored["m_over_d"]
        ]
        assert [float(x) for x in stored["exact"][name]] == pytest.approx(means[name], rel=0.1)
    assert all(a > b > c for a, b, c in zip(*means.values(), strict=True))


def test_the_diagonal_needs_a_finite_mean() -> None:
    with pytest.raises(OutsideDomain, match="1/8"):
        find_formula("gram_mse_orf").enclose(10, d=4, m=4, N=2, sigma="0.36")
