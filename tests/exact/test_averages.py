"""The fast enclosure of the angle average against the expansion from tables, the integral and the double sum."""

from __future__ import annotations

import pytest
from flint import arb, ctx, fmpq

from rftheory.errors import NotCertified
from rftheory.exact.conformity import (
    angle_conformity,
    log_orf_conformity,
    log_simrf_conformity,
    orf_conformity,
    simrf_conformity,
)
from rftheory.exact.kummer import kummer
from rftheory.exact.special import falling_average
from rftheory.exact.top_average import simplex_average_from_top

POINTS = [
    (2, "1e-8", -1),
    (2, 12, -1),
    (3, 10, "-1/2"),
    (3, 3, "-99/100"),
    (7, 12, "-1/6"),
    (65, 11, "-1/64"),
    (64, 2, "-1/3"),
]


@pytest.mark.parametrize(("d", "v", "c"), POINTS)
@pytest.mark.parametrize("digits", [15, 120])
def test_two_ladders(d: int, v: object, c: object, digits: int) -> None:
    found = angle_conformity.agree(digits, names=("positive ladder", "two ladders"), d=d, v=v, c=c)
    assert len(found) == 2


@pytest.mark.parametrize(("d", "v", "c"), [(2, "1e-8", -1), (3, 1, "-1/2"), (64, 2, "-1/3")])
def test_all_routes(d: int, v: object, c: object) -> None:
    angle_conformity.agree(20, d=d, v=v, c=c)


@pytest.mark.parametrize("d", [2, 3, 6, 64, 511, 4096])
@pytest.mark.parametrize("v", ["1e-8", "0.3", 7, 50, 100])
def test_first_precision_is_enough(d: int, v: object) -> None:
    """At the working precision of 30 digits the ball keeps all but a few bits, so no second try is needed."""
    with ctx.workprec(200):
        speed = arb(str(v))
        z = speed * speed / 2
        ball = falling_average(d, z * (1 - arb(1) / (d - 1)), z / (d - 1))
    assert ball.rel_accuracy_bits() > 170
    assert ball.overlaps(simrf_conformity.enclose(20, d=d, v=v).ball)


def test_twin_a_shifted_moment_is_found() -> None:
    with ctx.workprec(120):
        right = falling_average(6, arb(2), arb(1))
        assert not right.overlaps(falling_average(6, arb(2), arb(1) + arb("1e-25")))
        assert not right.overlaps(falling_average(7, arb(2), arb(1)))


def test_kummer_is_finite_where_one_precision_is_not() -> None:
    with ctx.workprec(80):
        value = kummer(1023, arb(450), 0)
    assert value.is_finite()
    assert value.rel_accuracy_bits() > 70


def test_extreme_norms_answer_or_say_why_not() -> None:
    assert simrf_conformity.enclose(15, d=6, v="1e-200").text() == "1.00000000000000"
    assert simrf_conformity.enclose(12, d=4096, v=1000).text().endswith("e+221647")
    assert orf_conformity.enclose(12, d=65, v=10_000).text().endswith("e+21714919")
    for formula, text in ((log_orf_conformity, "510485"), (log_simrf_conformity, "510363")):
        formula.agree(20, d=64, v="1e-4")
        assert formula.enclose(12, d=4096, v=1000).text(6) == text
    with ctx.workprec(120):  # e^z (1 + O(1/z))/z for d = 2
        z = arb(10) ** 8 / 2
        ratio = simrf_conformity.enclose(15, d=2, v=10_000).ball * z / z.exp()
    assert abs(ratio - 1) < 1e-6
    with pytest.raises(NotCertified, match="terms"):
        simrf_conformity.enclose(15, d=2, v="1e60")


@pytest.mark.parametrize("d", [3, 4, 5, 8])
def test_a_ball_of_arguments_costs_the_average_from_the_top_no_more_than_its_width(d: int) -> None:
    """The width went through recurrences that multiply it: at 128 bits and d = 5, no bit was left."""
    z = fmpq(661413, 1000)
    with ctx.workprec(128):
        exact, ball = simplex_average_from_top(d, z), simplex_average_from_top(d, arb(z))
        assert exact is not None
        assert ball is not None
        assert ball.contains(exact.mid())
        assert ball.rel_accuracy_bits() > 110
