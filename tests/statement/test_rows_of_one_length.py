"""What a note says of orthogonal rows of length sqrt(d): Bessel functions, bounds up to a zero, limits."""

from __future__ import annotations

import re
from pathlib import Path

import mpmath
import pytest
import sympy
from sympy import Rational, Symbol, besseli, besselj, cos, exp, gamma, hyper, oo, sin, sqrt

from rftheory.author import (
    Rows,
    Term,
    cosine,
    coupling,
    d,
    decreasing,
    equal,
    feature_map,
    forget,
    gaussian,
    iid,
    limit,
    m,
    mean,
    orthogonal_fixed,
    positive,
    trigonometric,
    v,
    variance,
    with_features,
    x,
    y,
    z,
)
from rftheory.cli import main
from rftheory.errors import DeclarationFailed
from rftheory.judge import Decision
from rftheory.statement.provers.bounds import by_bounds
from rftheory.statement.provers.proof import prove
from rftheory.statement.provers.reduce import _with_series_of_bessel
from rftheory.statement.run import read_note
from rftheory.statement.settle import alone
from tests.statement.stating import assert_holds, assert_not_proved, stated

WAVES, SAMPLED = trigonometric(orthogonal_fixed), trigonometric(iid, m=d)
NU = d / 2 - 1
a, b = sympy.symbols("a b", real=True)


def series(x: sympy.Expr) -> sympy.Expr:
    return hyper((), (d / 2,), -(x**2) / 4)


def bessel(x: sympy.Expr) -> sympy.Expr:
    return gamma(NU + 1) * (2 / x) ** NU * besselj(NU, x)


def spread(of_one: object, share: object) -> sympy.Expr:
    """The variance as printed; with share 2 it is right."""
    whole = (1 + of_one(2 * sqrt(d) * z)) / (share * d) + (d - 1) / d * of_one(sqrt(2 * d) * z)
    return whole - of_one(sqrt(d) * z) ** 2


BEST_KNOWN = 2 * Rational(1, 48) * d**2 * (d - 1) / ((d + 2) ** 2 * (d + 4) * (d + 6))

TRUE = [
    stated(mean(WAVES) == bessel(sqrt(d) * z), z > 0),
    stated(variance(WAVES) == spread(bessel, 2), z > 0),
    stated(
        mean(positive(orthogonal_fixed))
        == exp(-(v**2 + z**2) / 2) * gamma(d / 2) * (2 / (sqrt(d) * v)) ** NU * besseli(NU, sqrt(d) * v),
        v > 0,
    ),
    stated(equal(mean(WAVES), cos(z)), equal(d, 1)),
    stated(equal(mean(WAVES), sin(sqrt(3) * z) / (sqrt(3) * z)), equal(d, 3), z > 0),
    stated(mean(WAVES) < gaussian, z > 0, z <= 1),
    stated(mean(WAVES) <= gaussian * exp(-(z**4) / (4 * (d + 2))), z <= 1),
    stated(bessel(sqrt(2 * d) * z) < bessel(sqrt(d) * z) ** 2, z > 0, z <= 1),
    stated(mean(WAVES) > 0, z <= 1),
    stated(abs(mean(trigonometric(orthogonal_fixed, m=m)) - gaussian) <= 6 * z / sqrt(d)),
    stated(abs(mean(cosine(orthogonal_fixed, m=m)) - gaussian) < 2 * z / sqrt(d), z > 0),
    stated(gaussian - mean(WAVES).at(z=2 * z) <= gaussian - gaussian.at(z=2 * z) + z * sqrt(8 / d)),
    stated(decreasing(mean(WAVES), z), z <= 1),
    stated(equal(limit(variance(WAVES) / z**4, z, 0), 0)),
    stated(equal(limit(variance(WAVES) / z**8, z, 0), BEST_KNOWN)),
    stated(equal(limit((variance(SAMPLED) - variance(WAVES)) / z**4, z, 0), 1 / (2 * d))),
    stated(equal(limit(variance(WAVES), z, oo), 1 / (2 * d)), d >= 2),
    stated(
        equal(sqrt(1 - 8 * a) * sqrt(1 - 8 * b), sqrt((1 - 8 * a) * (1 - 8 * b))),
        a < Rational(1, 8),
        b < Rational(1, 8),
    ),
]

FALSE = [
    stated(abs(mean(WAVES) - gaussian) < 6 * z / sqrt(d)),  # z = 0
    stated(abs(mean(WAVES) - gaussian) <= z / (4 * sqrt(d))),
    stated(gaussian - mean(WAVES) <= z / (3 * d)),
    stated(abs(mean(WAVES) - gaussian) >= z / (6 * sqrt(d))),  # a direction
    stated(abs(mean(positive(orthogonal_fixed)) - gaussian) <= 6 * z / sqrt(d)),  # no waves
    stated(mean(WAVES) == bessel(sqrt(d + 1) * z), z > 0),
    stated(
        mean(WAVES) == gamma(d / 2 + 1) * (2 / (sqrt(d) * z)) ** (d / 2) * besselj(d / 2, sqrt(d) * z), z > 0
    ),
    stated(variance(WAVES) == spread(bessel, 1), z > 0),
    stated(equal(mean(WAVES), cos(2 * z)), equal(d, 1)),
    stated(equal(mean(WAVES), sin(sqrt(3) * z) / z), equal(d, 3), z > 0),
    stated(mean(WAVES) < gaussian, z <= 1),
    stated(mean(WAVES) <= gaussian),
    stated(mean(WAVES) <= gaussian * exp(-(z**4) / (4 * d + 7)), z <= 1),
    stated(series(sqrt(2 * d) * z) < series(sqrt(d) * z) ** 3, z > 0, z <= 1),
    stated(series(sqrt(2 * d) * z) <= series(sqrt(d) * z) ** 2),
    stated(mean(WAVES) > 0, z <= 2),
    stated(decreasing(mean(WAVES), z), z <= 4),
    stated(equal(limit(variance(WAVES) / z**4, z, 0), 1 / (2 * d))),
    stated(equal(limit(variance(WAVES) / z**8, z, 0), 2 * BEST_KNOWN)),
    stated(equal(limit(variance(WAVES), z, oo), 1 / d), d >= 2),
]


@pytest.mark.parametrize("said", TRUE, ids=str)
def test_what_is_true_of_them_holds(said: object) -> None:
    assert alone(said) is Decision.HOLDS


@pytest.mark.parametrize("said", FALSE, ids=str)
def test_what_is_false_of_them_fails(said: object) -> None:
    assert alone(said) is Decision.FAILS


def test_means_are_near_the_kernel_only_with_uniform_directions() -> None:
    assert_not_proved(mean(trigonometric("hadamard-orthogonal-fixed")) - gaussian <= 6 * z / sqrt(d))
    for side in (mean, variance):
        said = stated(side(trigonometric("hadamard-orthogonal-fixed")) == side(WAVES))
        assert prove(said.parts[0], said.domain) is None
    waves = feature_map(
        "test-faster", "of twice the frequency", "a test", Term(2 * sympy.I * (x - y), (x**2 + y**2) / 2)
    )
    try:
        said = stated(gaussian - mean(with_features(waves)(orthogonal_fixed)) <= sqrt(2 / d) * z)
        assert by_bounds(said.parts[0], said.domain) is None
    finally:
        forget("test-faster")


def test_independent_rows_of_one_length_vary_more() -> None:
    rows = coupling("test-sphere", "independent rows of one length", rows=Rows(d), cosine=None, norms="fixed")
    less, more = variance(WAVES), variance(trigonometric(rows))
    try:
        assert alone(stated(less <= more, z <= 1)) is Decision.HOLDS
        assert alone(stated(less < more, z > 0, z <= 1, d >= 2)) is Decision.HOLDS
        assert alone(stated(less <= more)) is Decision.FAILS
        assert alone(stated(less < more, z > 0, z <= 1)) is Decision.FAILS  # at d = 1
    finally:
        forget("test-sphere")


def test_waves_that_vary_for_ever_have_no_limit() -> None:
    """At d = 1 the mean is cos(z), and the variance of one row is 0."""
    for value in (0, 1 / (2 * d)):
        assert_not_proved(equal(limit(variance(WAVES), z, oo), value))
    assert_not_proved(equal(limit(mean(WAVES), z, oo), 0))


@pytest.mark.parametrize("end", [Rational(9, 4), 3])
def test_nothing_is_said_of_waves_beyond_the_first_zero(end: sympy.Expr) -> None:
    """sqrt(d) z reaches the first zero of the mean at z = pi/2 in one dimension."""
    assert_not_proved(mean(WAVES) > 0, z <= end)
    assert_not_proved(series(sqrt(2 * d) * z) <= series(sqrt(d) * z) ** 2, z <= end)


def test_bessel_functions_of_arguments_of_any_sign_are_left_alone() -> None:
    """J of order 1/2 is not real below 0, and J_-1 is -J_1 where Gamma has no value."""
    u, w = Symbol("u", positive=True), Symbol("w", real=True)
    assert_holds(equal(besselj(Rational(1, 2), u), sqrt(2 / (sympy.pi * u)) * sin(u)))
    assert_not_proved(
        equal(
            besselj(Rational(1, 2), w), (w / 2) ** Rational(1, 2) * hyper((), (Rational(3, 2),), -(w**2) / 4)
        )
    )
    assert_not_proved(equal(besselj(-1 + d - d, u), 0))
    domain = stated(equal(d, u + w)).domain
    for left_alone in (besselj(Rational(1, 2), w), besselj(-d - Rational(1, 2), u)):
        assert _with_series_of_bessel(left_alone, domain) == left_alone


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_last_order_by_values(dimension: int) -> None:
    with mpmath.workdps(60):
        size, n = mpmath.mpf("1e-4"), mpmath.mpf(dimension)

        def wave(square: mpmath.mpf) -> mpmath.mpf:
            return mpmath.hyp0f1(n / 2, -square * size**2 / 4)

        value = (1 + wave(4 * n)) / (2 * n) + (n - 1) / n * wave(2 * n) - wave(n) ** 2
        assert (
            abs(
                value / size**8
                - mpmath.mpf(BEST_KNOWN.subs(d, dimension).p) / BEST_KNOWN.subs(d, dimension).q
            )
            < 1e-6
        )


NOTE = """
from rftheory.author import d, mean, note, orthogonal_fixed, statement, trigonometric, z, gaussian
from sympy import exp
note("left_open")
statement("open", "", mean(trigonometric(orthogonal_fixed)) >= gaussian - z**4 / (4 * (d + 2)), expect="fails")
statement("false", "", mean(trigonometric(orthogonal_fixed)) <= gaussian)
"""


def test_errata_count_what_the_run_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A statement that is recorded to fail, and is left open, is listed as not confirmed, and is none that fails."""
    file = tmp_path / "left_open.py"
    file.write_text(NOTE)
    main(["errata", str(file), "--jobs", "1"])
    said = capsys.readouterr().out
    assert "2 statements were judged: 0 hold, 1 fails, 1 undecided." in said
    assert said.count("not confirmed in this run") == 1


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("anisotropic", "a feature map is with_features('anisotropic')"),
        ("mirrored", "a coupling is a name, as in positive('mirrored')"),
        ("orthogonl", "did you mean 'orthogonal'"),
    ],
)
def test_a_mechanism_without_a_word_of_its_own_is_said_by_name(name: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / f"imports_{name}.py"
    file.write_text(f"from rftheory.author import {name}\n")
    with pytest.raises(DeclarationFailed, match=re.escape(says)):
        read_note(file)
