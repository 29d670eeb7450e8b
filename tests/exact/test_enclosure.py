"""Digits in, enclosure out: exact reading of numbers, rounding of the last digit, extreme exponents."""

from __future__ import annotations

import time
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from flint import acb, arb, ctx, fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from rftheory.errors import InvalidInput, NotCertified
from rftheory.exact.enclosure import (
    Enclosure,
    certified_integral,
    certified_sum,
    certify,
    decimal_exponent,
    exact_number,
)
from rftheory.exact.limits import TimeIsUp

_, _man, _exp, _ = sympy.Float("1e400", 10)._mpf_
FLOAT_1E400 = Fraction(int(_man)) * Fraction(2) ** int(_exp)


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e-8", Fraction(1, 10**8)),
        (" 2/3 ", Fraction(2, 3)),
        ("1.5e3/7", Fraction(1500, 7)),
        (0.1, Fraction(0.1)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.int64(2**53 + 1), Fraction(2**53 + 1)),
        (np.float32(0.1), Fraction(float(np.float32(0.1)))),
        (fmpq(1, 3), Fraction(1, 3)),
        (fmpz(2**60 + 1), Fraction(2**60 + 1)),
        (sympy.Float("1e400", 10), FLOAT_1E400),
        (np.longdouble("0.1"), Fraction(*np.longdouble("0.1").as_integer_ratio())),
    ],
)
def test_numbers_are_read_exactly(value: object, exact: Fraction) -> None:
    number = exact_number(value)
    assert (number.p, number.q) == (exact.numerator, exact.denominator)


def test_expressions_are_read_exactly() -> None:
    assert exact_number("-sqrt(2)/2 + exp(1)*log(3) - pi**2*I") == (
        -sympy.sqrt(2) / 2 + sympy.E * sympy.log(3) - sympy.pi**2 * sympy.I
    )
    assert exact_number("2**0.5") == sympy.sqrt(2)


@pytest.mark.parametrize(
    "value",
    [
        type("bool", (), {"__index__": lambda self: 1})(),  # as that of NumPy 2.0
        True, np.True_, b"1", None, [], [1], float("nan"), float("inf"), np.nan, Decimal("NaN"), Decimal("Infinity"),
        1j, np.complex128(1), np.array([1.0, 2.0]), arb(1), acb(1), sympy.Symbol("x"), sympy.oo, sympy.nan,
        "nan", "inf", "oo", "", " ", "x", "exp", "1/0", "0/0", "log(0)", "exit()", "__import__('os')", "pi.q", "0x10",
        "1e", "1 2", "sqrt(1, 2)", "[1]", "1e999999999", "1e-1000001", "9**9**9**9", "sqrt(2)**1e9", "(1/3)**99999999",
        "1e-99999999*pi", "1" * 5000,
        "1e1_000_000_000", "(3**1000000 + 1)**(1/2)",
    ],
)  # fmt: skip
def test_what_is_no_finite_number_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="subject"):
        exact_number(value, "subject")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.fractions(), st.integers(-400, 400), st.integers(1, 40))
def test_rounding_of_rationals_against_decimal(number: Fraction, shift: int, digits: int) -> None:
    number = number * Fraction(10) ** shift
    with ctx.workprec(6000):
        text = Enclosure(arb(fmpq(number.numerator, number.denominator)), digits).text()
    if number == 0:
        assert text == "0"
        return
    unit = Fraction(10) ** (decimal_exponent(number) - digits + 1)
    assert Fraction(text) == round(number / unit) * unit


def test_the_last_digit_is_decided_before_it_is_printed() -> None:
    near = [certify(lambda s=s: arb("0.125") + s * arb(10) ** -30, digits=2).text() for s in (1, -1)]
    assert near == ["0.13", "0.12"]
    assert certify(lambda: arb(1) / 8, digits=2).text() == "0.12"
    assert certify(lambda: (arb(3) / 8).sqrt() ** 2, digits=2).text() == "0.38"
    for loose in (arb("0.125", "0.001"), arb("9.97", "0.035"), arb("-0.997", "0.0035")):  # from 9.9 to 10
        with pytest.raises(NotCertified):
            Enclosure(loose, 2).text()


def test_a_carry_does_not_add_a_digit() -> None:
    assert certify(lambda: arb(9996) / 1000, 3).text() == "10.0"
    assert certify(lambda: arb(-9996) / 1000, 3).text() == "-10.0"
    assert certify(lambda: arb(10).sqrt() ** 2, 3).text() == "10.0"


@pytest.mark.parametrize("digits", [1, 20, 1000, 5000])
def test_digits_of_e_against_mpmath(digits: int) -> None:
    with mpmath.workdps(digits + 20):
        integer = int(mpmath.nint(mpmath.e * mpmath.mpf(10) ** (digits - 1)))
    text = certify(lambda: arb(1).exp(), digits).text().replace(".", "")
    assert fmpz(text) == fmpz(integer)


@pytest.mark.parametrize("exponent", [10**4, -(10**6), 10**10, 10**30, -(10**30)])
def test_huge_exponents_print(exponent: int) -> None:
    with mpmath.workdps(60):
        logarithm = mpmath.mpf(exponent) / mpmath.ln(10)
        power = int(mpmath.floor(logarithm))
        mantissa = mpmath.nstr(mpmath.mpf(10) ** (logarithm - power), 15, strip_zeros=False)
    found = certify(lambda: arb(exponent).exp(), 15)
    assert found.text() == f"{mantissa}e{power:+d}"


def test_exact_huge_powers_print() -> None:
    assert certify(lambda: arb(2) ** (10**6), 10).text() == "9.900656229e+301029"


def test_floats_of_extreme_values() -> None:
    big, small = certify(lambda: arb(10**4).exp(), 20), certify(lambda: arb(-(10**4)).exp(), 20)
    assert big.radius == float("inf")
    assert small.radius > 0 == float(small)
    long = certify(lambda: -(arb(10) ** 400) / 3, 1000)  # no float holds its mantissa alone
    with ctx.workprec(128):
        rounded_up = Enclosure(arb(2) ** 1024 - arb(2) ** 960, 16)
    for read in (float, complex):
        for large in (big, long, rounded_up):
            with pytest.raises(NotCertified, match="a float"):
                read(large)


@pytest.mark.parametrize("ball", [arb.nan(), arb.pos_inf(), arb(0, 1), acb(arb.nan(), 0)])
def test_what_never_gets_tight_is_not_certified(ball: arb | acb) -> None:
    with pytest.raises(NotCertified, match="3 digits"):
        certify(lambda: ball, 3)


def test_inexact_zero_is_not_certified_and_exact_zero_is() -> None:
    with pytest.raises(NotCertified, match="exactly zero"):
        certify(lambda: arb(2).sqrt() ** 2 - 2, 3, max_bits=1000)
    assert certify(lambda: arb(0), 3).text() == "0"


@pytest.mark.parametrize("digits", [0, -1, True, 1.0, "3", None, 100_001])
def test_digits_are_checked(digits: object) -> None:
    with pytest.raises(InvalidInput, match="digits"):
        certify(lambda: arb(1), digits)
    if digits is not None:
        with pytest.raises(InvalidInput, match="digits"):
            Enclosure(arb(1), 5).text(digits)


def test_complex_values() -> None:
    assert certify(lambda: acb(1, 2).exp(), 10).text() == "-1.131204384 + 2.471726672i"
    assert certify(lambda: acb(0, -2), 5).text() == "-2.0000i"
    assert certify(lambda: acb(1, arb(10) ** -40), 10).text() == "1.000000000"
    assert certify(lambda: acb(0, 0), 10).text() == "0"
    # fractions of these would have more digits than fit
    assert certify(lambda: acb(-(10**9), 1).exp(), 4).text() == "6.75e-434294483 + 1.051e-434294482i"
    assert certify(lambda: 1 + acb(-(10**9), 1).exp(), 10).text() == "1.000000000"
    with pytest.raises(InvalidInput, match="a real value"):
        _ = Enclosure(acb(1, 1), 5).midpoint


def test_a_wrong_tail_bound_is_seen() -> None:
    def terms(ratio: arb):  # type: ignore[no-untyped-def]
        value = arb(1)
        while True:
            yield value
            value = value * ratio

    half = certified_sum(terms(arb("0.5")), lambda k: arb("0.5"))
    assert half.overlaps(arb(2))
    assert not half.overlaps(arb(2) + arb(10) ** -12)
    with pytest.raises(NotCertified):
        certified_sum(terms(arb(1)), lambda k: arb(1), max_terms=100)
    integral = certified_integral(lambda x, _: x * x, 0, 3)
    assert integral.overlaps(arb(9))
    assert not integral.overlaps(arb("9.0000001"))


@pytest.mark.parametrize(
    ("middle", "text"),
    [("2", "2.00"), ("2.5e10", "25000000000"), ("9.9996", "10.0"), ("0.125", "0.125"), ("1.125", "1.12")],
)
def test_a_radius_with_a_huge_negative_exponent_is_rounded_at_once(middle: str, text: str) -> None:
    tiny = arb(2) ** -(10**9)  # its ends have a thousand million bits: rational arithmetic would take minutes
    if middle == "1.125":  # on the half-way point but for the radius, which is a tie
        tiny = arb(2) ** -100_000
    with ctx.workprec(64):
        ball = arb(middle) + (-tiny).union(tiny)
    started = time.process_time()
    assert Enclosure(ball, 3).text() == text
    assert time.process_time() - started < 1


def test_a_tiny_excess_over_a_half_way_point_still_decides() -> None:
    with ctx.workprec(200_000):
        above = arb("1.125") + arb(2) ** -100_000
        ball = above + (-(arb(2) ** -150_000)).union(arb(2) ** -150_000)
    assert Enclosure(ball, 3).text() == "1.13"


def test_time_that_is_up_never_leaves_as_many_digits_as_were_wanted() -> None:
    """A half-way point whose last digit no precision decides; all its digits but that one are proved."""
    tie = arb("0.125")

    def slow() -> arb:
        if ctx.prec > 100:
            raise TimeIsUp
        return tie + arb(0, 2.0**-40)

    with pytest.raises(TimeIsUp) as caught:
        certify(slow, 2)
    assert caught.value.reached == "all but the last digit, which is not decided,"
    with pytest.raises(TimeIsUp) as caught:
        certify(slow, 20)
    assert caught.value.reached == "10 digits"
