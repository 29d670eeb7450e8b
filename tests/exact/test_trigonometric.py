"""Fourier features: cross terms, errors, gap and moments by every route, with planted errors."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx

from rftheory.errors import InvalidInput, NotCertified
from rftheory.exact import trigonometric as T
from rftheory.exact.formula import Formula, Route

BLOCKS = [{"d": 2, "m": 5, "z": 1}, {"d": 64, "m": 64, "z": "1e-8"}, {"d": 7, "m": 3, "z": "1.5"}]
MOMENTS = [{**BLOCKS[0], "n": 2}, {**BLOCKS[1], "n": 2}, {**BLOCKS[2], "n": 2}]
ALL = [
    (T.trig_pair_orf, [{"d": 2, "z": 1}, {"d": 63, "z": "1e-8"}, {"d": 64, "z": 20}, {"d": 3, "z": 0}]),
    (T.trig_pair_angle, [{"d": 2, "z": 1, "c": -1}, {"d": 3, "z": 2, "c": 1}, {"d": 64, "z": "1e-8", "c": "0.3"}]),
    (T.trig_mse_iid, [{"m": 1, "z": 1}, {"m": 64, "z": "1e-8"}, {"m": 7, "z": 3}]),
    (T.trig_mse_orf, BLOCKS),
    (T.trig_mse_simrf, BLOCKS),
    (T.trig_gap, BLOCKS),
    (T.trig_moment_iid, [{"n": 2, "m": 5, "z": 1}, {"n": 3, "m": 7, "z": "1e-8"}, {"n": 4, "m": 3, "z": "1.5"}]),
    (T.trig_moment_orf, MOMENTS),
    (T.trig_moment_simrf, MOMENTS),
]  # fmt: skip
CASES = [(formula, values) for formula, points in ALL for values in points]


@pytest.mark.parametrize(("formula", "values"), CASES, ids=[f"{f.name}-{v}" for f, v in CASES])
def test_routes_agree(formula: Formula, values: dict[str, object]) -> None:
    assert len(formula.agree(20, **values)) >= 2


@pytest.mark.parametrize(("formula", "points"), ALL, ids=[f.name for f, _ in ALL])
def test_a_wrong_route_is_seen(formula: Formula, points: list[dict[str, object]]) -> None:
    wrong = Route("wrong", lambda **_: formula.ball(**points[0]) * (1 + arb(10) ** -12))
    with pytest.raises(InvalidInput, match="wrong"):
        replace(formula, routes=(*formula.routes, wrong)).agree(20, **points[0])


@pytest.mark.parametrize(("d", "z"), [(2, 3), (63, "0.5"), (64, 9)])
def test_orthogonal_pair_against_mpmath(d: int, z: object) -> None:
    with mpmath.workdps(60):
        expected = mpmath.hyp1f1(d, mpmath.mpf(d) / 2, -(mpmath.mpf(z) ** 2) / 2)
        found = mpmath.mpf(T.trig_pair_orf.enclose(30, d=d, z=z).text())
        assert abs(found / expected - 1) < mpmath.mpf(10) ** -28


def test_opposite_pair_in_the_plane() -> None:
    """c = -1: w_j has the direction of -w_i and its own norm, so the mean is E (E cos(r z cos t) over r)^2."""
    with mpmath.workdps(25):

        def by_norm(t: mpmath.mpf) -> mpmath.mpf:  # chi_2: E cos(r a) = 1F1(1; 1/2; -a^2/2)
            return mpmath.hyp1f1(1, 0.5, -((2 * mpmath.cos(t)) ** 2) / 2) ** 2

        expected = mpmath.quad(by_norm, [0, mpmath.pi / 2, mpmath.pi]) / mpmath.pi
        found = mpmath.mpf(T.trig_pair_angle.enclose(20, d=2, z=2, c=-1).text())
        assert abs(found - expected) < mpmath.mpf(10) ** -18


def test_large_and_zero_distances() -> None:
    assert T.trig_gap.enclose(5, d=64, m=64, z=0).text() == "0"
    assert T.trig_mse_simrf.enclose(5, d=64, m=64, z=0).text() == "0"
    assert T.trig_pair_angle.enclose(10, d=2, z=20, c=-1).text() == "0.02219741119"
    with pytest.raises(NotCertified, match="choose a smaller z"):
        T.trig_pair_angle.enclose(5, d=2, z=10**4, c=-1)
    with pytest.raises(NotCertified, match="joint moments"):
        T.trig_moment_simrf.enclose(5, n=4, d=3, m=3, z=100)


def test_far_apart_the_cosines_of_an_orthogonal_block_are_independent() -> None:
    """Up to e^(-z^2/2) each is the cosine of a uniform angle: E c^2 = 1/2, E c^4 = 3/8."""
    m = 64
    expected = Fraction(3, 8) / m**3 + 3 * Fraction(m - 1, m**3) / 4
    found = T.trig_moment_orf.enclose(15, n=4, d=64, m=m, z=100)
    assert abs(found.midpoint / expected - 1) < Fraction(1, 10**14)


@pytest.mark.parametrize(("d", "z", "c"), [(5, 16, "-1/3"), (4, 20, "1/5"), (512, 16, "-1/511")])
def test_pairs_at_larger_distances_by_direct_derivatives(
    d: int, z: int, c: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    top, bottom = map(int, c.split("/"))
    with ctx.workprec(600):
        ladder = T.cosine_pair_ball(d, arb(z), arb(top) / bottom)
        monkeypatch.setattr(T, "LADDER_START", 1000)
        with ctx.workprec(2400):
            direct = T.cosine_pair_ball(d, arb(z), arb(top) / bottom)
        assert ladder.overlaps(direct)
        assert ladder.rel_accuracy_bits() > 200
        assert not ladder.overlaps(direct * (1 + arb(2) ** -200))
