"""Joint moments by a contour and by a double series, and the moments of estimators that rest on them."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from scipy.special import gammaln

from rftheory.errors import NotCertified, OutsideDomain
from rftheory.exact import circle_moments, find_formula, joint_moments
from rftheory.exact.circle_moments import CircleMoments, MomentBounds, _Circle, _Parabola
from rftheory.exact.conformity import angle_conformity_ball
from rftheory.exact.enclosure import widen
from rftheory.exact.hankel import _Path
from rftheory.exact.joint_moments import (
    OrthogonalContour,
    OrthogonalNorms,
    PairContour,
    PairSeries,
    orthogonal_exponential,
    pair_contour,
)
from rftheory.exact.limits import time_limit
from rftheory.exact.special import JointMoments
from rftheory.exact.triple_moments import TripleIntegral, _Rule, _Triple


@pytest.mark.parametrize("d", [2, 3, 4, 5, 64])
@pytest.mark.parametrize("square", ["1e-16", "1/4", "9", "-1/4", "-9", "-20"])
@pytest.mark.parametrize("weights", [(1, 1), (2, -1), (2, 1, 1), (1, 1, 1, 1)])
def test_contour_against_the_series_of_the_norms(d: int, square: str, weights: tuple[int, ...]) -> None:
    if len(weights) > d:
        return
    with ctx.workprec(300):
        top, _, bottom = square.partition("/")
        v_squared = arb(top) / int(bottom or 1)
        found = OrthogonalContour(d, v_squared, arb(0), 5).moment(weights)
        series = OrthogonalNorms(d, v_squared, arb(0), 5).moment(weights)
        assert found.rel_accuracy_bits() > 100
        assert found.overlaps(series)
        assert not found.overlaps(series * (1 + arb(10) ** -25))  # the twin


@pytest.mark.parametrize(("d", "beta"), [(2, "5e7"), (5, "5000"), (64, "-5000"), (7, "-5e7"), (4096, "5000")])
def test_contour_at_large_norms_against_kummer(d: int, beta: str) -> None:
    with ctx.workprec(256):
        found = orthogonal_exponential(d, [(arb(beta), 2)])
        half = arb(d) / 2
        with ctx.workprec(20_000 if d == 4096 else 1024):
            kummer = arb(beta).exp() * (-arb(beta)).hypgeom_1f1(-half, half)
        assert found.rel_accuracy_bits() > 100
        assert found.overlaps(kummer)
        assert not found.overlaps(kummer * (1 + arb(10) ** -25))


@pytest.mark.parametrize(("d", "c"), [(2, "-1"), (3, "-1/2"), (64, "-1/63"), (5, "1/3")])
@pytest.mark.parametrize("square", ["1", "-1"])
@pytest.mark.parametrize("weights", [(1, 1), (1, -1), (3, 1), (0, 2)])
def test_pair_series_against_joint_moments(d: int, c: str, square: str, weights: tuple[int, ...]) -> None:
    with ctx.workprec(150):
        top, _, bottom = c.partition("/")
        cosine = arb(int(top)) / int(bottom or 1)
        found = PairSeries(d, arb(square), cosine, 4).moment(weights)
        other = JointMoments(d, arb(square), cosine, 4).moment(weights)
        assert found.rel_accuracy_bits() > 60
        assert found.overlaps(other)
        assert not found.overlaps(other * (1 + arb(10) ** -8))


@pytest.mark.parametrize(("d", "c"), [(2, "-1"), (3, "-1/2"), (64, "-1/63"), (5, "1/3"), (101, "-2/3")])
@pytest.mark.parametrize("square", ["1", "-1", "30", "-30"])
@pytest.mark.parametrize("weights", [(1, 1), (1, -1), (2, 1)])
def test_the_contour_of_pairs_against_their_series(
    monkeypatch: pytest.MonkeyPatch, d: int, c: str, square: str, weights: tuple[int, ...]
) -> None:
    monkeypatch.setattr(joint_moments, "MOST_SLOPES", 10**5)
    top, _, bottom = c.partition("/")
    cosine = fmpq(int(top), int(bottom or 1))
    with ctx.workprec(700):
        exact = PairSeries(d, arb(square), arb(cosine), 2).moment(weights)
    with ctx.workprec(100):
        found = PairContour(d, arb(square), arb(cosine), 2).moment(weights)
        assert found.rad() < 2.0**-70 * max(1, abs(exact))
        assert found.overlaps(exact)
        assert not found.overlaps(exact * (1 + arb(10) ** -8)) or abs(exact) < 1e-12


@pytest.mark.parametrize(("d", "z"), [(131, 30), (1024, 50), (1025, 50), (4095, 100), (4096, 100)])
def test_the_contour_of_waves_at_large_norms(d: int, z: int) -> None:
    """Moments far below the terms of any series, beside the mean of one wave and against those of orthogonal rows."""
    with ctx.workprec(100):
        orthogonal = PairContour(d, -(arb(z) ** 2), arb(0), 3).moment((2, 1))
        assert orthogonal.overlaps(OrthogonalContour(d, -(arb(z) ** 2), arb(0), 3).moment((2, 1)))
        coupled = PairContour(d, -(arb(z) ** 2), arb(-1) / (d - 1), 3).moment((2, 1))
        one = (-(arb(z) ** 2) / 2).exp()
        assert coupled.rad() < one / 2**90
        assert coupled.rel_accuracy_bits() > 20
        assert not coupled.overlaps(orthogonal)


@pytest.mark.parametrize(("d", "v"), [(3, 30), (6, 92), (500, 10)])
@pytest.mark.parametrize("cosine", ["-0.9", "0.9"])
def test_the_contour_of_exponentials_at_large_norms(d: int, v: int, cosine: str) -> None:
    """At obtuse angles the path may begin to the left of the zero of the angle's factor."""
    with ctx.workprec(128):
        square, c = arb(v) ** 2, arb(cosine)
        found = pair_contour(d, square, square, c * square)
        exact = angle_conformity_ball(d, arb(v), c)
        assert found.rel_accuracy_bits() > 60
        assert found.overlaps(exact)


def test_the_contour_of_waves_at_huge_norms() -> None:
    """The tail begins far out there; the moment falls like the 10th power of the norm."""
    far, farther = (PairContour(5, -(arb(10) ** n), arb(-1) / 4, 3).moment((2, 1)) for n in (10, 12))
    assert abs(farther / far * arb(10) ** 10 - 1) < 1e-8
    assert far.rel_accuracy_bits() > 40


def test_the_contour_of_two_rows_with_one_singularity_that_is_not_exact() -> None:
    ball = arb("-0.5", "1e-9")
    found, other = (table(3, ball, arb(0), 2).moment((1, 1)) for table in (PairContour, JointMoments))
    assert found.overlaps(other)
    assert not found.overlaps(other + 1e-7)


def test_a_path_may_begin_to_the_left_of_a_zero_of_half_integer_order() -> None:
    """Both sides of the axis count there: without them the value is another one."""
    factors = [(arb(0), fmpq(-129)), (arb(450), fmpq(129, 2))]
    path, goal = _Path.of(tuple(factors), None, -math.inf), arb(2) ** -200
    assert path.start < 450
    with ctx.workprec(300):
        right = replace(path, start=451.0)
        exact = (right.ray(goal) - right.axis(goal)) * arb(right.height).exp()
        ray, axis = (part * arb(path.height).exp() for part in (path.ray(goal), path.axis(goal)))
        assert exact.rel_accuracy_bits() > 60
        assert (ray - axis).overlaps(exact)
        assert not ray.overlaps(exact)


def test_what_the_methods_refuse() -> None:
    with pytest.raises(OutsideDomain, match="cosine 0"):
        OrthogonalContour(5, arb(1), arb("0.5"), 2)
    with pytest.raises(NotCertified, match="a path of integration"):
        OrthogonalContour(5, arb("1e13"), arb(0), 3).moment((2, 1))
    with pytest.raises(NotCertified, match="a path of integration"):
        PairContour(5, -arb("1e320"), arb(-1) / 4, 2).moment((1, 1))
    with pytest.raises(NotCertified, match="a short expansion"):
        CircleMoments(5, -arb("1e320"), arb(-1) / 4, 2).moment((1, 1))
    with pytest.raises(OutsideDomain, match="at most two"):
        PairSeries(5, arb(1), arb(0), 3).moment((1, 1, 1))
    with pytest.raises(NotCertified, match="a short series"):
        PairSeries(2, arb(10**6), arb(-1), 3).moment((2, 1))
    with pytest.raises(OutsideDomain, match="three weights of one modulus"):
        TripleIntegral(5, arb(1), arb(0), 4).moment((2, 1, 1))
    with pytest.raises(NotCertified, match="a short quadrature"):
        TripleIntegral(3, arb(10) ** 6, arb(-1) / 2, 3).moment((1, 1, 1))
    with pytest.raises(NotCertified, match="a short expansion"):
        CircleMoments(5, arb(10) ** 6, arb(-1) / 4, 3).moment((1, 1, 1))
    with pytest.raises(NotCertified, match="a short expansion"):
        CircleMoments(5, arb(1000), arb(-1) / 4, 8).moment((6, 1, 1))


@pytest.mark.parametrize(("d", "c"), [(2, "-1"), (3, "-1/2"), (64, "-1/63"), (5, "1/3")])
@pytest.mark.parametrize("square", ["1/4", "-1"])
@pytest.mark.parametrize("weights", [(2, -1), (2, 1, 1), (1, 1, 1, 1)])
def test_circle_against_the_moment_expansion(d: int, c: str, square: str, weights: tuple[int, ...]) -> None:
    """The two share no code but the moments of a chi variable."""
    if sum(map(bool, weights)) > d:
        return
    with ctx.workprec(150):
        top, _, bottom = c.partition("/")
        cosine = arb(int(top)) / int(bottom or 1)
        top, _, bottom = square.partition("/")
        found = CircleMoments(d, arb(top) / int(bottom or 1), cosine, 5).moment(weights)
        with ctx.workprec(250):
            cosine = arb(int(c.partition("/")[0])) / int(c.partition("/")[2] or 1)
            other = JointMoments(d, arb(top) / int(bottom or 1), cosine, 5).moment(weights)
        assert found.rel_accuracy_bits() > 60
        assert found.overlaps(other)
        assert not found.overlaps(other * (1 + arb(10) ** -15))  # the twin


@pytest.mark.parametrize("d", [3, 5, 16])
@pytest.mark.parametrize(
    ("c", "weights"), [("-1/2", (2, 1)), ("-1/2", (1, -1)), ("1/3", (2, 1, 1)), ("0", (3, 1))]
)
def test_bounds_hold_the_moments(d: int, c: str, weights: tuple[int, ...]) -> None:
    top, _, bottom = c.partition("/")
    cosine = arb(int(top)) / int(bottom or 1)
    with ctx.workprec(150):
        for square in (0, 1, 4):
            exact = JointMoments(d, arb(square), cosine, 4).moment(weights)
            assert MomentBounds(d, arb(square), cosine, 4).moment(weights).contains(exact)
    assert not MomentBounds(d, arb(-1), cosine, 4).moment(weights).is_finite()


@pytest.mark.parametrize(("c", "weights"), [("1", (1, 1)), ("-1", (1, -1)), ("1", (1, 1, 1))])
def test_the_factor_of_the_bounds_is_needed(c: str, weights: tuple[int, ...]) -> None:
    """Rows that add up on one axis: the bound for orthogonal rows is too small, and ours is not."""
    with ctx.workprec(200):
        exact = JointMoments(2, arb(4), arb(c), 4).moment(weights)
    assert MomentBounds(2, arb(4), arb(c), 4).moment(weights).contains(exact)
    assert exact > MomentBounds(2, arb(4), arb(0), 4).moment(weights).upper()


@pytest.mark.parametrize(("d", "c"), [(4, "-1/3"), (5, "-1/4"), (64, "-1/63"), (5, "1/8"), (16, "0")])
@pytest.mark.parametrize("weights", [(1, 1), (3, -1), (2, 1, 1), (2, 1, -1), (1, 1, 1, -1)])
def test_parabola_against_the_circle(
    d: int, c: str, weights: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    top, _, bottom = c.partition("/")
    with ctx.workprec(100):
        arguments = (d, arb(-2), arb(int(top)) / int(bottom or 1), 4)
        found = CircleMoments(*arguments).moment(weights)
        with monkeypatch.context() as patch:
            patch.setattr(_Parabola, "found", staticmethod(lambda *_: None))
            circle = CircleMoments(*arguments).moment(weights)
        assert found.rad() < 1e-24
        assert found.overlaps(circle)
        assert not found.overlaps(circle + arb(10) ** -20)  # the twin


def test_what_a_parabola_leaves_out_is_within_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parabolas that are far too coarse, too short, with too few terms: the ball grows, and still holds the value."""
    with ctx.workprec(120):
        arguments = (5, arb(-40), arb(-1) / 4, 4)
        exact = CircleMoments(*arguments).moment((2, 1, 1))
        for step, count, terms in ((0.3, 12, 200), (0.06, 20, 200), (0.06, 40, 12), (0.1, 16, 30)):
            rule = _Parabola(top=12, step=step, room=0.6, terms=(terms,) * count, bits=200)
            monkeypatch.setattr(_Parabola, "found", staticmethod(lambda *_, rule=rule: rule))
            coarse = CircleMoments(*arguments).moment((2, 1, 1))
            assert coarse.overlaps(exact)
            assert abs(coarse.mid() - exact) > 1e-16  # so it is the radius that holds the value


WEIGHTS = ((1, 1), (2, -1), (2, 2))


@pytest.mark.parametrize(
    ("d", "square", "powers"),
    [(64, 25, WEIGHTS), (128, 60, WEIGHTS), (512, 60, WEIGHTS[:1]), (5, -10, WEIGHTS)],
)
def test_circle_of_pairs_against_the_pair_series(
    d: int, square: int, powers: tuple[tuple[int, int], ...]
) -> None:
    with ctx.workprec(200):
        arguments = (d, arb(square), arb(-1) / (d - 1), 4)
        for weights in powers:
            found, series = (table(*arguments).moment(weights) for table in (CircleMoments, PairSeries))
            assert found.overlaps(series)
            assert found.rad() < abs(found).max(arb(1)) * arb(2) ** -100


def test_what_the_nodes_of_a_circle_alias_in_one_dimension() -> None:
    """(1/2)_P/P! is no bound of the ratios of coefficients there: the error is above that multiple of the rest."""
    rule = _Circle(radius=4, nodes=65, terms=1, base=2, bits=200)
    with ctx.workprec(200):
        whole = sum(((factor * (1 - 1 / s).rsqrt()).real for s, factor, _ in rule.points(1)), arb(0))
        off, bound = abs(whole - arb(1).exp()), rule.error(1, arb(2), arb(0), [arb(1)])
        assert off < bound
        assert off > bound * ((arb(65) + 0.5).gamma() / arb("0.5").gamma() / arb.fac_ui(65))


def test_circle_at_cosine_0_against_the_contour() -> None:
    with ctx.workprec(200):
        for weights in ((1, 1, 1), (2, 1, -1), (1, 1, 1, 1)):
            for square in (10, -10):
                found, contour = (
                    table(16, arb(square), arb(0), 4).moment(weights)
                    for table in (CircleMoments, OrthogonalContour)
                )
                assert found.overlaps(contour)
                assert not found.overlaps(contour + arb(2) ** -90 * contour.max(arb(1)))


def test_what_a_circle_leaves_out_is_within_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Circles that are far too small: the ball grows, and still holds the value."""
    with ctx.workprec(150):
        exact = CircleMoments(5, arb(2), arb(-1) / 4, 3).moment((1, 1, 1))
        radii = []
        for nodes, terms in ((31, 60), (91, 6), (25, 5), (41, 12)):
            circle = _Circle(radius=14, nodes=nodes, terms=terms, base=8, bits=200)
            monkeypatch.setattr(_Circle, "found", staticmethod(lambda *_, circle=circle: circle))
            coarse = CircleMoments(5, arb(2), arb(-1) / 4, 3).moment((1, 1, 1))
            assert coarse.overlaps(exact)
            radii.append(float(coarse.rad()))
        assert min(radii) > 1e-12


@pytest.mark.parametrize(("d", "c"), [(3, "-1/2"), (4, "-1/3"), (64, "-1/63"), (5, "1/3"), (16, "0")])
@pytest.mark.parametrize("square", [1, 40, -1, -40])
@pytest.mark.parametrize("signs", [((1, 1, 1), (1, -1, 1)), ((-2, -2, -2),)])
def test_triple_integral_against_the_circle(
    d: int, c: str, square: int, signs: tuple[tuple[int, ...], ...]
) -> None:
    """Weights of the same moduli come from one table of the circle."""
    with ctx.workprec(200):
        top, _, bottom = c.partition("/")
        size = abs(signs[0][0])
        arguments = (d, arb(square) / size**2, arb(int(top)) / int(bottom or 1), 6)
        integral, circle = TripleIntegral(*arguments), CircleMoments(*arguments)
        for weights in signs:
            found, other = integral.moment(weights), circle.moment(weights)
            assert found.rel_accuracy_bits() > 80
            assert found.overlaps(other)
            assert not found.overlaps(other * (1 + arb(10) ** -10) + arb(10) ** -30)  # the twin


@pytest.mark.parametrize(("d", "square"), [(3, 2500), (5, 10_000), (16, 10_000), (3, -2500), (4, -400)])
@pytest.mark.parametrize("sign", [1, -1])
def test_triple_integral_at_large_norms_against_a_quadrature_over_norms(
    d: int, square: int, sign: int
) -> None:
    if square < 0 and sign < 0:
        return  # far below the moment of equal signs
    with ctx.workprec(140):
        cosine = arb(-1) / (d - 1)
        found = TripleIntegral(d, arb(square), cosine, 3).moment((1, 1, sign))
    value, other = (
        mean_over_norms(d, square, -1 / (d - 1) * factor, (1, 1, sign)) for factor in (1.0, 1.001)
    )
    size, minus = float(abs(found).log()), bool(found < 0)
    assert (value[1] < 0) == minus
    assert abs(value[0] - size) < 1e-6
    assert abs(other[0] - size) > 1e-4  # the twin


def mean_over_norms(d: int, square: float, c: float, signs: tuple[int, ...]) -> tuple[float, float]:
    """log|E exp(v u.S)| and its sign, as the mean of 1F1(3d/2; d/2; v^2 q/2) over norms of the unit sphere."""
    nodes, weights = np.polynomial.legendre.leggauss(300)
    angle, weight = (nodes + 1) * np.pi / 4, np.log(weights)
    a, b = angle[:, None], angle[None, :]
    norms = np.stack(np.broadcast_arrays(np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)))
    density = (d - 1) * np.log(norms).sum(axis=0) + np.log(np.sin(a)) + weight[:, None] + weight[None, :]
    total = np.einsum("i...,i->...", norms, np.array(signs, float))
    x = square / 2 * ((1 - c) + c * total**2)
    half = d / 2
    if square < 0:  # e^x 1F1(-d; d/2; -x)
        value, log, ratio = np.ones_like(x), x, np.ones_like(x)
        for n in range(d):
            ratio = ratio * (n - d) * -x / ((half + n) * (n + 1))
            value = value + ratio
    else:  # its asymptotic expansion, in 1/x
        x = np.maximum(x, 60.0 + 8 * d)
        log = x + gammaln(half) - gammaln(3 * half) + d * np.log(x)
        value, ratio = np.ones_like(x), np.ones_like(x)
        for n in range(12):
            ratio = ratio * (n - d) * (1 - 3 * half + n) / ((n + 1) * x)
            value = value + ratio
    top = (log + density).max()
    mean = (value * np.exp(log + density - top)).sum()
    whole = np.exp(density - density.max()).sum()
    return float(np.log(abs(mean)) + top - np.log(whole) - density.max()), float(np.sign(mean))


def test_what_the_nodes_leave_out_is_within_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that are far too short: the ball grows, and still holds the value."""
    for d in (4, 5):
        with ctx.workprec(150):
            exact = TripleIntegral(d, arb(9), arb(-1) / (d - 1), 3).moment((1, 1, 1))
            for count, width in ((6, 1.0), (10, 0.5), (10, 1.5), (16, 1.0)):
                rule = _Rule(count, width, 200)
                with monkeypatch.context() as patch:
                    patch.setattr(_Triple, "_rule", lambda _, rule=rule: rule)
                    coarse = TripleIntegral(d, arb(9), arb(-1) / (d - 1), 3).moment((1, 1, 1))
                assert coarse.overlaps(exact)
                assert coarse.rad() > 1e-20


def test_a_triple_in_wide_balls_holds_all_values() -> None:
    """The cosine and the norm may move: the factor covers what they do, and is not much wider."""
    square, cosine = arb(400, 1e-20), arb(-1) / 4 + arb(0, 1e-21)
    with ctx.workprec(200):
        wide = TripleIntegral(5, square, cosine, 3).moment((1, 1, 1))
        for shift in (-1, 1):
            moved = (5, square.mid() + shift * arb("0.99e-20"), cosine.mid() - shift * arb("0.99e-21"), 3)
            assert wide.contains(TripleIntegral(*moved).moment((1, 1, 1)))
        assert wide.rel_accuracy_bits() > 40


def test_radii_of_the_arguments_are_not_blown_up() -> None:
    """A cosine given to 60 digits leaves an alternating mean 55 decimals, though its terms are of order e^60."""
    with ctx.workprec(200):
        cosine = arb(-1) / 63
    wide = CircleMoments(64, arb(-25), cosine, 4).moment((2, 1, -1))
    with ctx.workprec(400):
        exact = CircleMoments(64, arb(-25), arb(-1) / 63, 4).moment((2, 1, -1))
    assert wide.overlaps(exact)


def test_a_rounded_cosine_costs_no_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms cancel by 12 digits at norm 5; that the cosine is a ball costs what it moves the mean, and no more."""
    found = CircleMoments(64, arb(25), arb(-1) / 63, 4).moment((2, 1, 1))
    assert (
        found.rel_accuracy_bits() > ctx.prec - 16
    )  # 13 bits: the slope in log v^2 is bounded by 16 e^2 v^2/2
    with ctx.workprec(120):
        exact = CircleMoments(64, arb(25), arb(-1) / 63, 4).moment((2, 1, 1))
        other = CircleMoments(64, arb(25), arb(-1) / 63 + arb(2) ** -40, 4).moment((2, 1, 1))
        wide = CircleMoments(64, arb(25), arb(-1) / 63 + widen(arb(2) ** -40), 4).moment((2, 1, 1))
    assert found.overlaps(exact)
    assert wide.overlaps(exact)
    assert wide.overlaps(other)
    assert not found.overlaps(other)
    with ctx.workprec(120):  # planted: the ball is forgotten
        monkeypatch.setattr(circle_moments, "moved_exponential", lambda *_: arb(0))
        tight = CircleMoments(64, arb(25), arb(-1) / 63 + widen(arb(2) ** -40), 4).moment((2, 1, 1))
    assert not tight.overlaps(other)


@pytest.mark.parametrize(
    ("name", "values", "start"),
    [
        ("prf_moment_simrf", {"n": 4, "d": 64, "m": 64, "v": 12}, "6.48473812380060"),
        ("prf_moment_simrf", {"n": 4, "d": 64, "m": 2, "v": 50}, "3.2669204674267"),
        ("prf_moment_simrf", {"n": 4, "d": 64, "m": 64, "v": 5}, "5.31658012644340"),
        ("prf_moment_simrf", {"n": 4, "d": 16, "m": 16, "v": 5}, "3.40261128092378"),
    ],
)
def test_fourth_moments_of_a_simplex_block(name: str, values: dict[str, object], start: str) -> None:
    """The first and the third took long, the others were refused."""
    with time_limit(60):
        assert find_formula(name).enclose(15, **values).text().startswith(start)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("prf_moment_orf", {"n": 3, "d": 5, "m": 7, "v": 100}),
        ("gerf_moment_orf", {"n": 3, "d": 2, "A": "-1/3", "m": 7, "v": 100}),
    ],
)
def test_moments_at_large_norms(name: str, values: dict[str, object]) -> None:
    """At |x + y| = 100 the third moment of one feature over m^2 leaves the other terms far behind."""
    formula = find_formula(name)
    exact = formula.enclose(15, **values)
    v, m = 100, 7
    with ctx.workprec(300):
        if name == "prf_moment_orf":
            leading = (arb(3) * v * v).exp() / m**2
        else:
            A, d = -arb(1) / 3, 2
            spread = 1 - 12 * A
            leading = ((1 - 4 * A) ** 3 / spread) ** (arb(d) / 2)
            leading *= (9 * (1 - 4 * A) * v * v / (2 * spread) - arb(3) * v * v / 2).exp() / m**2
        assert abs(exact.ball / leading - 1) < arb(10) ** -14


def test_second_moments_agree_at_large_norms() -> None:
    for d, z in ((5, 100), (64, 50), (2, 30)):
        found = find_formula("trig_moment_orf").agree(15, names=("contour", "mse"), n=2, d=d, m=7, z=z)
        assert set(found) == {"contour", "mse"}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("prf_moment_iid", {"n": 8, "m": 10**9 + 7, "v": "1e-3"}),
        ("prf_moment_orf", {"n": 3, "d": 3, "m": 10**9 + 7, "v": "1/2"}),
        ("trig_moment_iid", {"n": 4, "m": 10**9 + 7, "z": 1}),
        ("gerf_moment_iid", {"n": 3, "d": 2, "A": "-1/3", "v": "1/2", "m": 10**9 + 7}),
    ],
)
def test_a_thousand_million_features_take_no_memory(name: str, values: dict[str, object]) -> None:
    few = {**values, "m": 10**5 + 2}
    formula = find_formula(name)
    n = int(str(values["n"]))
    ratio = formula.enclose(15, **values).ball / formula.enclose(15, **few).ball
    size = arb(10**5 + 2) / (10**9 + 7)
    power = (n + 1) // 2  # the central moment of order n falls like m^-ceil(n/2)
    assert abs(ratio / size**power - 1) < arb("1e-2")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        (name, {"n": 3, "d": d, "m": d, norm: length, **more})
        for name, norm, more in (("prf", "v", {}), ("trig", "z", {}), ("gerf", "v", {"A": "-1/8"}))
        for d, length in ((2, "50"), (3, "50"), (5, "601/12"), (16, "100"), (64, "100"))
    ],
)
def test_third_moments_of_a_simplex_block_at_large_norms(name: str, values: dict[str, object]) -> None:
    """Refused before: the sum of a^2 v^2/2 was too large for a circle."""
    found = find_formula(f"{name}_moment_simrf").enclose(12, **values).ball
    assert found.rel_accuracy_bits() > 36


@pytest.mark.parametrize(
    ("name", "values", "start"),
    [
        ("prf_moment_simrf", {"d": 64, "v": 20}, "7.73066129493"),
        ("prf_moment_simrf", {"d": 3, "v": 5}, "5.16188733580"),
        ("trig_moment_simrf", {"d": 5, "z": 5}, "0.0269926770569"),
        ("trig_moment_simrf", {"d": 16, "z": 5}, "0.00283814102819"),
    ],
)
def test_fourth_moments_are_those_of_the_circle(name: str, values: dict[str, int], start: str) -> None:
    """Computed by the circle alone, in 1 to 20 s."""
    assert find_formula(name).enclose(12, n=4, m=values["d"], **values).text().startswith(start)


@pytest.mark.parametrize("d", [2, 3, 5, 16, 64])
@pytest.mark.parametrize("v", [20, 50, 100])
def test_fourth_moments_of_positive_features_at_large_norms(d: int, v: int) -> None:
    """The fourth moment of one feature over m^3 leaves the other terms far behind."""
    exact = find_formula("prf_moment_simrf").enclose(30, n=4, d=d, m=d, v=v).ball
    with ctx.workprec(300):
        assert abs(exact * d**3 / (arb(6) * v * v).exp() - 1) < arb(10) ** -29


@pytest.mark.parametrize(("d", "z"), [(3, 8), (4, 12), (5, 100), (16, 50), (64, 100)])
def test_fourth_moments_of_fourier_features_at_large_norms(d: int, z: int) -> None:
    """Cosines of large arguments are nearly those of independent angles: E cos^2 = 1/2, E cos^4 = 3/8."""
    exact = find_formula("trig_moment_simrf").enclose(10, n=4, d=d, m=d, z=z).ball
    independent = (arb(3) / 8 * d + arb(3) / 4 * d * (d - 1)) / d**4
    assert exact.rel_accuracy_bits() > 30
    assert abs(exact / independent - 1) < arb(3) / z**2


@pytest.mark.parametrize("weights", [(3, 2, 1), (2, -2, 1), (4, 1, 0, 1, 1), (5,), (3, 3, 3)])
@pytest.mark.parametrize("square", ["-3/2", "3/2"])
def test_means_over_signs_by_even_powers_are_those_one_by_one(weights: tuple[int, ...], square: str) -> None:
    """Also where v^2 is a ball; another set of moduli has another mean."""
    with ctx.workprec(128):
        u = arb(square.split("/")[0]) / 2 + arb(0, "1e-35")
        table = CircleMoments(6, u, arb(-1) / 5, sum(map(abs, weights)))
        each = [
            table.moment([a * sign for a, sign in zip(weights, chosen, strict=True)])
            for chosen in itertools.product((1, -1), repeat=len(weights))
        ]
        mean, found = sum(each, arb(0)) / len(each), table.waves(weights)
        assert found.overlaps(mean)
        assert found.rel_accuracy_bits() > 60
        assert not table.waves((weights[0] + 1, *weights[1:])).overlaps(mean)


def test_moments_of_waves_are_the_same_by_even_powers_and_by_other_methods() -> None:
    at = {"d": 5, "m": 5, "n": 6, "z": 1}
    formula = find_formula("trig_moment_simrf")
    quick, other = (formula.enclose(15, route=name, **at).ball for name in ("cheapest", "joint moments"))
    assert quick.overlaps(other)
