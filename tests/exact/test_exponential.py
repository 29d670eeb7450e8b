"""GERF and OPRF: every formula by all its routes; what is printed and where it is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy
from flint import acb, arb, ctx

from rftheory.errors import InvalidInput, NotCertified, OutsideDomain
from rftheory.exact import exponential as e
from rftheory.exact import mean_gains as gains
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import Formula, Route
from rftheory.exact.gerf_optimum import real_minimum
from rftheory.exact.limits import time_limit
from rftheory.exact.positive import prf_mse_orf
from rftheory.exact.symbols import d, v
from rftheory.exact.trigonometric import trig_mse_iid, trig_mse_simrf

SHAPES = ("-1/3", "1/10", "1/16+I/5", "-1-3*I", "0")


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("shape", SHAPES)
def test_mean_and_variance_by_all_routes(shape: str, sign: int) -> None:
    for dimension in (1, 2, 7):
        data = {"d": dimension, "A": shape, "s": sign, "v": "1.3", "z": "1/2"}
        assert len(e.gerf_mean.agree(10, **data)) == 4
        assert len(e.gerf_variance.agree(10, **data)) == 4


@pytest.mark.parametrize("order", [3, 4])
def test_third_and_fourth_moments(order: int) -> None:
    for shape, sign in (("-1/3", 1), ("1/100-I/9", -1), ("-1/4+I/2", 1)):
        data = {"n": order, "d": 2, "A": shape, "s": sign, "v": "0.9", "z": "1.1"}
        assert len(e.gerf_moment.agree(8, **data)) == 3
        assert len(e.gerf_central_moment.agree(8, **data)) == 3


def test_special_cases_are_the_known_features() -> None:
    trig = e.gerf_variance.enclose(25, d=5, A=0, s=-1, v="1.7", z="0.8")
    assert trig.overlaps(trig_mse_iid.enclose(25, m=1, z="0.8"))
    positive = e.gerf_variance.enclose(25, d=5, A=0, s=1, v="1.7", z="0.8")
    with ctx.workprec(120):
        assert evaluate(
            e.PRINTED_POSITIVE_VARIANCE, {v: sympy.Rational(17, 10), e.z: sympy.Rational(4, 5)}
        ).overlaps(positive.ball)


def test_a_branch_of_the_root_cannot_be_wrong_unnoticed() -> None:
    # planted: the power d/2 of 1-4A taken as the root of (1-4A)^d leaves the principal branch for d = 7
    wrong = (
        e.moment(sympy.Integer(2)).replace(
            lambda x: x.is_Pow and x.base == 1 - 4 * e.A, lambda x: sympy.sqrt((1 - 4 * e.A) ** (2 * x.exp))
        )
        - e.GAUSSIAN_KERNEL**2
    )
    planted = Formula(
        "planted", "", "", e.gerf_variance.variables, e.gerf_variance.expression, (Route("wrong branch", wrong),),
        e.gerf_variance.conditions,
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="to agree"):
        planted.agree(10, d=7, A="-1-3*I", s=1, v="1.3", z="1/2")


@pytest.mark.parametrize("dimension", [2, 5])
@pytest.mark.parametrize(("shape", "sign"), [("-1/3", 1), ("1/16+I/5", 1), ("-1-3*I", -1), ("1/10", -1)])
def test_pair_moments_do_not_depend_on_the_shape(shape: str, sign: int, dimension: int) -> None:
    data = {"d": dimension, "A": shape, "s": sign, "v": "1.3", "z": "0.9"}
    assert set(e.gerf_orf_pair.agree(10, **data)) == {"definition", "literal", "joint moments"}
    assert len(e.gerf_simrf_pair.agree(10, **data)) == 4
    assert len(e.gerf_angle_pair.agree(10, c="1/3", **data)) == 4


def test_the_literal_pair_moment_does_see_the_angle() -> None:
    data = {"d": 5, "A": "-1/3", "s": 1, "v": "1.3", "z": "0.9"}
    assert not e.gerf_orf_pair.enclose(10, **data).overlaps(e.gerf_angle_pair.enclose(10, c="1/3", **data))


def test_coupled_variances_reduce_to_positive_and_trigonometric_features() -> None:
    at_zero = e.gerf_orf_variance.enclose(20, d=4, A=0, s=1, v=1, z=1, m=6)
    half = "sqrt(1/2)"  # |x| = |y|, |x+y| = |x-y| = 1
    assert at_zero.overlaps(prf_mse_orf.enclose(20, d=4, m=6, v=1, x=half, y=half))
    cosine = e.gerf_simrf_variance.enclose(20, d=4, A=0, s=-1, v=1, z="1.2", m=3)
    assert cosine.overlaps(trig_mse_simrf.enclose(20, d=4, m=3, z="1.2"))


@pytest.mark.parametrize("m", [1, 4, 6])
def test_coupled_variances_by_all_routes(m: int) -> None:
    for shape, sign in (("-1/3", 1), ("1/16+I/5", -1)):
        data = {"d": 4, "A": shape, "s": sign, "v": "1.3", "z": "0.9", "m": m}
        assert len(e.gerf_orf_variance.agree(10, **data)) == 3
        assert len(e.gerf_simrf_variance.agree(10, **data)) == 4


def test_coupled_central_moments() -> None:
    for shape in ("-1/3", "-7/2"):
        data = {"n": 2, "d": 4, "A": shape, "v": "1.2", "m": 6}
        assert len(e.gerf_moment_orf.agree(15, **data)) >= 3
        assert len(e.gerf_moment_simrf.agree(15, **data)) >= 3
        for order in (3, 4):
            assert len(e.gerf_moment_iid.agree(15, **{**data, "n": order})) == 3
    single = e.gerf_moment_orf.enclose(15, n=4, d=4, A="-1/3", v="1.2", m=1)
    assert single.overlaps(e.gerf_central_moment.enclose(15, n=4, d=4, A="-1/3", s=1, v="1.2", z=0))


# ---- optimal positive features ---------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [1, 3, 64, 4096, 4097])
@pytest.mark.parametrize("norm", ["1e-8", "0.1", 1, 10, 100, "1e4"])
def test_optimal_features_by_all_routes(dimension: int, norm: object) -> None:
    for formula in (e.oprf_rho, e.oprf_A, e.oprf_log_second, e.log_oprf_gain):
        assert len(formula.agree(15, d=dimension, v=norm)) >= 2
    for formula in (e.log_oprf_variance, e.log_oprf_gain_trig):
        formula.agree(15, d=dimension, v=norm, z="1/2")
    if dimension > 1:
        e.log_oprf_orf_variance.agree(15, d=dimension, v=norm, z="1/2", m=2 * dimension - 1)


@pytest.mark.parametrize(("dimension", "norm"), [(1, 1), (3, "1e-8"), (64, 5), (64, 100), (4097, 10)])
def test_optimal_variance_by_all_routes(dimension: int, norm: object) -> None:
    assert len(e.oprf_variance.agree(15, d=dimension, v=norm, z=2)) >= 2
    if dimension > 1:
        assert len(e.oprf_orf_variance.agree(15, d=dimension, v=norm, z=2, m=dimension + 1)) == 3
        assert len(e.oprf_orf_saving.agree(15, d=dimension, v=norm, z=2, m=2)) >= 2 + (norm != 100)


def mean_over_cluster(shape: float, mean: float, spread: float) -> float:
    """Mean of E (Z/K)^2 over x + y ~ N(mean, spread^2), d = 1, by a sum over a grid."""
    w = 1 - 8 * shape
    grid = np.linspace(-14, 14, 20001)
    density = np.exp(-(grid**2) / 2) / math.sqrt(2 * math.pi)
    return (
        float(np.sum(density * np.exp((mean + spread * grid) ** 2 / w)))
        * 28
        / 20000
        * (1 + w)
        / (2 * math.sqrt(w))
    )


@pytest.mark.parametrize(("mean", "spread"), [("1", "1/2"), ("0", "1"), ("2", "1/10")])
def test_best_shape_of_a_cluster(mean: str, spread: str) -> None:
    best = float(e.oprf_cluster_A.enclose(15, d=1, v=mean, sigma=spread).ball)
    numbers = float(sympy.Rational(mean)), float(sympy.Rational(spread))
    least = mean_over_cluster(best, *numbers)
    said = float(e.oprf_cluster_log_second.enclose(15, d=1, v=mean, sigma=spread).ball)
    assert math.log(least) == pytest.approx(said)
    assert all(mean_over_cluster(best + step, *numbers) > least * (1 + 1e-9) for step in (-0.01, 0.01))


def test_claimed_gains() -> None:
    assert e.log_oprf_gain.enclose(15, d=64, v=10).lower > 60
    # at the mean squared norms of the normal and heterogeneous data at sigma = 1
    assert e.log_oprf_gain.enclose(15, d=64, v="sqrt(128)").lower > 75
    assert e.log_oprf_gain.enclose(15, d=64, v="sqrt(192)").lower > 125
    assert e.log_oprf_gain_trig.enclose(15, d=64, v="sqrt(128)", z="sqrt(128)").lower > 80
    assert e.log_oprf_gain_trig.enclose(15, d=64, v="sqrt(192)", z="sqrt(192)").lower > 125


def test_printed_long_root_is_wrong() -> None:
    at = {d: sympy.Integer(1), v: sympy.Integer(1)}
    with ctx.workprec(80):
        printed = evaluate(e.PRINTED_RHO_LONG_ROOT, at)
        assert printed > 0.93
        assert e.oprf_rho.ball(d=1, v=1) < 0.29
        outside = evaluate(e.PRINTED_RHO_LONG_ROOT, {d: sympy.Integer(1), v: sympy.Rational(1, 4)})
        assert outside > 1  # against the printed 0 < rho* < 1
    shape = (1 - 1 / sympy.sqrt(sympy.Rational(7, 8))) / 8
    worse = e.gerf_variance.enclose(15, d=1, A=shape, s=1, v=1, z=0)
    assert worse.lower > e.oprf_variance.enclose(15, d=1, v=1, z=0).upper


def test_saving_does_not_depend_on_the_sum_alone() -> None:
    # Theorem 4.1 with a positive C(|x+y|) free of |x-y| would fail here
    near = e.oprf_orf_saving.enclose(15, d=2, v=1, z=0, m=2)
    far = e.oprf_orf_saving.enclose(15, d=2, v=1, z=10, m=2)
    assert far.upper * 10**40 < near.lower


@pytest.mark.parametrize("m", [2, 64, 1000])
def test_saving_has_the_explicit_lower_bound(m: int) -> None:
    for norm in ("1e-8", "0.3", 2, 12):
        bound = e.oprf_orf_saving_bound.enclose(15, d=64, v=norm, z=1, m=m)
        assert bound.upper <= e.oprf_orf_saving.enclose(20, d=64, v=norm, z=1, m=m).upper


def test_projections_of_fixed_norm_are_biased() -> None:
    # reading (b) of the orthogonal variants: |w| = sqrt(d); at A = 0, d = 1 the mean is cosh(v) exp(-(v^2+z^2)/2)
    cosh = e.oprf_fixed_norm_mean.enclose(15, d=1, A=0, v=1, z=1)
    with ctx.workprec(80):
        assert evaluate(sympy.cosh(1) * sympy.exp(-1)).overlaps(cosh.ball)
    assert cosh.lower > e.gerf_mean.enclose(15, d=1, A=0, v=1, z=1).upper * 92 / 100
    assert not cosh.overlaps(e.gerf_mean.enclose(15, d=1, A=0, v=1, z=1))


def test_outside_the_domain() -> None:
    with pytest.raises(OutsideDomain, match="variance is infinite"):
        e.gerf_variance.enclose(d=2, A="1/8", v=1, z=1)
    with pytest.raises(OutsideDomain, match=r"Re\(1 - 4A\) > 0"):
        e.gerf_mean.enclose(d=2, A="1/4+I", v=1, z=1)
    with pytest.raises(OutsideDomain, match="s = -1 or s = \\+1"):
        e.gerf_mean.enclose(d=2, A=0, s=0, v=1, z=1)
    with pytest.raises(OutsideDomain, match="d >= 1"):
        e.oprf_rho.enclose(d=0, v=1)
    with pytest.raises(OutsideDomain, match="m >= 1"):
        e.oprf_orf_variance.enclose(d=2, v=1, z=1, m=0)
    with pytest.raises(InvalidInput):
        e.gerf_mean.enclose(d=2, A=float("nan"), v=1, z=1)
    with pytest.raises(OutsideDomain, match="v > 0"):
        e.log_oprf_gain.enclose(d=2, v=0)


def test_opposite_vectors() -> None:
    # the variance is exactly zero there: no route proves digits of it, and the error says so
    assert e.oprf_variance.enclose(20, d=3, v=0, z=1).text() == "0"
    with pytest.raises(NotCertified, match="may be exactly zero"):
        e.oprf_variance.enclose(20, d=3, v=0, z=1, route="definition")
    assert e.oprf_rho.enclose(20, d=3, v=0).text(3) == "1.00"


@pytest.mark.parametrize(("dimension", "deviation", "offset"), [(64, 1, 0), (8, "0.3", 2), (2, 1, 0)])
def test_gains_averaged_over_data(dimension: int, deviation: object, offset: object) -> None:
    data = {"d": dimension, "sigma": deviation, "offset": offset}
    assert len(gains.mean_log_gain.agree(8, **data)) >= 2
    if dimension == 64:  # the claims for normal data at sigma = 1
        assert gains.mean_log_gain.enclose(8, **data).lower > 84
        assert len(gains.mean_log_gain_trig.agree(8, **data)) >= 2
        assert gains.mean_log_gain_trig.enclose(8, **data).lower > 83


def test_optimal_features_lose_to_trigonometric_ones_for_close_small_vectors() -> None:
    assert gains.mean_log_gain_trig.enclose(8, d=64, sigma="0.1").upper < 0


def test_the_gain_over_trigonometric_features_has_hundreds_of_digits() -> None:
    """log Q, whose mean is a series, is taken off: what is left is analytic at Q = 0."""
    with time_limit(60):
        value = gains.mean_log_gain_trig.enclose(200, d=3, sigma="1/2", offset=1)
    for route in ("logarithms apart", "by the gain over positive features"):
        assert value.overlaps(gains.mean_log_gain_trig.enclose(12, route=route, d=3, sigma="1/2", offset=1))


@pytest.mark.parametrize(("d", "offset"), [(1, "0"), (3, "1"), (64, "20")])
def test_the_mean_of_log_q_is_that_of_its_integral(d: int, offset: str) -> None:
    with ctx.workprec(80):
        sigma, squared = arb("0.5"), arb(offset)
        series = gains._mean_log(d, sigma, squared)
        integral = gains.mean_over_log_scale(lambda q, _: q.log(), d, sigma, squared)
        assert series.overlaps(integral)
        assert series.rel_accuracy_bits() > 60
        assert not series.overlaps(gains._mean_log(d + 1, sigma, squared))


@pytest.mark.parametrize(("d", "sigma", "offset"), [(1, "1/10", 2), (1000, "1/10", 3), (1001, "1e-10", 1)])
def test_a_far_centre_or_a_large_dimension_is_no_obstacle(d: int, sigma: str, offset: int) -> None:
    """Before, 0F1 had no digits for large d, and the interval from 0 to a far centre was gone through."""
    data = {"d": d, "sigma": sigma, "offset": offset}
    with time_limit(60):
        value = gains.mean_log_gain.enclose(40, **data)
        assert value.overlaps(gains.mean_log_gain.enclose(10, route="by parts", **data))


@pytest.mark.parametrize("d", [1, 3, 100, 1000])
def test_the_confluent_limit_is_the_product_of_bessel_and_power(d: int) -> None:
    """I_n(x) = (x/2)^n/Gamma(n + 1) 0F1(; n + 1; x^2/4) on both sides of the change of method."""
    with ctx.workprec(120):
        for share in (0.01, 1.0, 7.9, 8.1, 100.0):
            x = acb(arb(share) * d / 2)
            value = gains._confluent_limit(d, x * x / 4)
            assert value.real.rel_accuracy_bits() > 80
            with ctx.workprec(4000):
                order = arb(d) / 2 - 1
                other = x.bessel_i(acb(order)) * (x / 2) ** -order * (order + 1).gamma()
            assert value.overlaps(other)
            assert not value.overlaps(gains._confluent_limit(d + 1, x * x / 4))


def test_the_mean_gain_has_hundreds_of_digits() -> None:
    """The gain is analytic at Q = 0: without the logarithms that cancel, 300 digits take 2 s in place of 45."""
    with time_limit(60):
        value = gains.mean_log_gain.enclose(300, d=3, sigma="1/2")
    assert value.overlaps(gains.mean_log_gain.enclose(25, route="log scale", d=3, sigma="1/2"))
    assert value.overlaps(gains.mean_log_gain.enclose(12, route="by parts", d=3, sigma="1/2"))
    with ctx.workprec(200):
        for q in ("1e-40", "1e-3", "0.9", "0.999"):
            point = acb(arb(q))
            apart = gains._log_positive(point, False) - gains._log_growth_at(3)(point, False)
            assert gains._log_gain_at(3)(point, False).overlaps(apart)
        for low, high in (("0", "1/4"), ("1", "2"), ("8", "20")):  # wide balls, of which quadrature needs few
            ball = acb(arb(low).union(arb(high)), arb(0, "0.2"))
            wide = gains._log_gain_at(3)(ball, True)
            assert wide.is_finite()
            for share in ("0.1", "0.5", "0.9"):
                q = acb(arb(low) + (arb(high) - arb(low)) * arb(share), arb("0.1"))
                assert wide.contains(gains._log_positive(q, False) - gains._log_growth_at(3)(q, False))
        around = acb(arb(0, "1e-9"))  # finite about 0, where each logarithm is not
        assert gains._log_gain_at(3)(around, True).is_finite()


@pytest.mark.parametrize(
    ("f", "root"),
    [
        (lambda t: t * t - 2, arb(2).sqrt),
        (lambda t: t.exp() - 3, lambda: arb(3).log()),
        (lambda t: (40 * t).exp() - 40, lambda: arb(40).log() / 40),
        (lambda t: (t - 1) ** 3, lambda: arb(1)),
    ],
)
def test_roots_of_increasing_functions(f: Callable[[arb], arb], root: Callable[[], arb]) -> None:
    """Narrow balls that contain the root, from few values where the root is simple; bisection would need 1,000."""
    asked = []

    def counted(t: arb) -> arb:
        asked.append(t)
        return f(t)

    with ctx.workprec(1000):
        found = e.monotone_root(counted, arb(0), arb(2), 600)
        assert found.contains(root())
        assert found.rad() < arb(2) ** -250
        assert len(asked) < (60 if f(arb(1)) != 0 else 1500)


def test_a_root_without_a_proved_change_of_sign_is_refused() -> None:
    with pytest.raises(NotCertified, match="a change of sign"):
        e.monotone_root(lambda t: t + arb(0, 1), arb(-1), arb(1))


@pytest.mark.parametrize(("d", "t"), [(1, "1e-30"), (4, 0)])
def test_a_minimum_that_nothing_confines_is_refused(d: int, t: str | int) -> None:
    with pytest.raises(NotCertified):
        real_minimum(d, t, -1)


@pytest.mark.parametrize("sigma", ["1e-5", "1e-300"])
def test_what_is_cut_off_a_mean_over_data_is_bounded_at_any_scale(sigma: str) -> None:
    """Beyond r the normal density falls at least like exp(-r (t - r)); the logarithm hardly changes."""
    with ctx.workprec(64):
        law, r = gains._Norm.of(1, arb(sigma), arb(0)), arb(14)
        largest = 4 * (1 + abs((law.unit * r * r / 5).log()))
        tail = (r / arb(2).sqrt()).erfc() * largest
        assert law.log_tail(r).exp() > tail
        assert not law.log_tail(r).exp() > 30 * tail
