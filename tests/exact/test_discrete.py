"""Poisson and geometric features: moments, minimisers, data averages."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
import sympy
from flint import arb, ctx

from rftheory.errors import InvalidInput, NotCertified, OutsideDomain
from rftheory.exact import discrete
from rftheory.exact.evaluate import evaluate
from rftheory.exact.limits import time_limit

X = ("0.3", "-0.2", 0, "1.1")
Y = ("0.4", "0.5", "0.7", "0.2")


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("product", ["-1.3", 0, "2", "1e-8"])
def test_one_coordinate_by_all_routes(order: int, product: object) -> None:
    assert len(discrete.poisson_coordinate.agree(20, n=order, lam="0.7", t=product)) >= 2
    assert len(discrete.geometric_coordinate.agree(20, n=order, p="0.3", t=product)) == 3


def test_a_product_that_vanishes_by_cancellation_is_no_obstacle() -> None:
    # two products t and 0, so that the route of two values subtracts t/2 from a root that is t/2
    t = Fraction(28561, 62500)
    found = discrete.poisson_variance.agree(12, d=2, lam=1, dot=t, squares=t * t, norms="0.95")
    assert set(found) == {"definition", "expectation", "two values"}


def test_a_variance_is_0_where_all_products_are_the_rate() -> None:
    data = {"d": 3, "dot": 1, "squares": "1/3", "norms": 2}
    assert discrete.poisson_variance.agree(12, lam="1/3", **data)["exact zero"].ball == 0
    assert discrete.poisson_variance.enclose(12, lam="0.3333", **data).lower > 0


@pytest.mark.parametrize("lam", ["1e-30", "0.001"])
def test_sums_with_too_many_terms_are_left_out(lam: str) -> None:
    with time_limit(20):
        assert "expectation" not in discrete.poisson_coordinate.agree(12, n=7, lam=lam, t="0.5")
        assert discrete.poisson_variance.agree(12, d=1, lam=lam, dot="-30", squares=900, norms=60)
        assert discrete.poisson_moment.agree(12, n=7, d=3, lam=lam, powers=2, norms=1)


@pytest.mark.parametrize(
    ("law", "parameter"), [("poisson", "0.4"), ("poisson", 5), ("geometric", "0.3"), ("geometric", "0.9")]
)
def test_moments_of_vectors_against_their_expectation(law: str, parameter: object) -> None:
    literal: Callable[[int, arb, arb], arb] = {
        "poisson": discrete.poisson_coordinate_sum, "geometric": discrete.geometric_coordinate_sum}[law]  # fmt: skip
    products, norms = discrete.read_vectors(X, Y)
    kernel = sympy.exp(
        -sum((sympy.Rational(a) - sympy.Rational(b)) ** 2 for a, b in zip(X, Y, strict=True)) / 2
    )
    with ctx.workprec(120):
        assert discrete.dirf_moment(law, 1, X, Y, parameter, 20).ball.overlaps(evaluate(kernel))
        for order in (2, 3, 4):
            value = evaluate(sympy.exp(-order * norms / 2))
            for product in products:
                value *= literal(order, evaluate(sympy.Rational(str(parameter))), evaluate(product))
            assert discrete.dirf_moment(law, order, X, Y, parameter, 20).ball.overlaps(value)


def second_central(law: str, parameter: str) -> arb:
    first, second = (discrete.dirf_moment(law, n, X, Y, parameter, 30).ball for n in (1, 2))
    return second - first**2


def test_printed_variances_hold_for_vectors() -> None:
    products, norms = discrete.read_vectors(X, Y)
    dot, squares = sum(products), sum(a**2 for a in products)
    printed = discrete.poisson_variance.enclose(20, d=4, lam="0.4", dot=dot, squares=squares, norms=norms)
    assert second_central("poisson", "0.4").overlaps(printed.ball)
    bessel = sympy.Mul(*(sympy.besseli(0, 2 * abs(a) / sympy.sqrt(sympy.Rational(7, 10))) for a in products))
    with ctx.workprec(120):
        printed = evaluate(
            sympy.Rational(3, 10) ** -4 * sympy.exp(-norms) * bessel - sympy.exp(2 * dot - norms)
        )
        assert second_central("geometric", "0.3").overlaps(printed)


@pytest.mark.parametrize("dimension", [1, 2, 64, 4096])
def test_registered_formulas_by_all_routes(dimension: int) -> None:
    data = {"d": dimension, "dot": "-0.3", "squares": "0.2", "norms": 20}
    assert len(discrete.poisson_variance.agree(15, lam="0.4", **data)) == 2 + (dimension > 1)
    assert len(discrete.poisson_minimal_variance.agree(15, **data)) == 3
    assert len(discrete.poisson_lambda.agree(15, d=dimension, squares="0.2")) == 3
    assert len(discrete.log_poisson_second.agree(15, d=dimension, squares="0.2", norms=20)) == 3
    assert len(discrete.poisson_mean.agree(15, d=dimension, lam="0.4", dot=-3, norms=20)) == 4
    for order in (2, 3, 4):
        assert (
            len(discrete.poisson_moment.agree(15, n=order, d=dimension, lam="0.4", powers="0.2", norms=2))
            == 3
        )
    for product in ("-0.1", "0.001"):
        norms = 2 * dimension
        assert len(discrete.geometric_variance.agree(15, d=dimension, p="0.4", t=product, norms=norms)) == 3
        assert len(discrete.log_geometric_second.agree(15, d=dimension, t=product, norms=norms)) == 3


@pytest.mark.parametrize("t", ["1e-30", "1e-3000", "-1e-999999"])
def test_optimal_geometric_parameter_of_small_products(t: str) -> None:
    """1 - p* is |t| to first order; without the odds the search never ended."""
    with time_limit(10):
        p = discrete.geometric_p.enclose(20, t=t)
        assert p.overlaps(discrete.geometric_p.enclose(20, route="0F1", t=t))
    assert abs(p.midpoint - 1) < Fraction(1, 10**18)


@pytest.mark.parametrize("t", ["1e30", "-1e3000"])
def test_optimal_geometric_parameter_of_large_products(t: str) -> None:
    """p* is 1/|t| to first order: I_1/I_0 is near 1."""
    with time_limit(10):
        p = discrete.geometric_p.enclose(20, t=t)
    assert float(p.midpoint * abs(Fraction(t))) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("product", ["1e-8", "-0.1", 1, 100, "1e4"])
def test_optimal_geometric_parameter(product: object) -> None:
    assert len(discrete.geometric_p.agree(20, t=product)) >= 2


def test_minimisers_are_minima() -> None:
    best = discrete.poisson_minimal_variance.enclose(20, d=3, dot="0.1", squares="0.2", norms=2)
    rate = discrete.poisson_lambda.enclose(20, d=3, squares="0.2").midpoint
    for factor in ("0.9", "1.1"):
        lam = sympy.Rational(rate.numerator, rate.denominator) * sympy.Rational(factor)
        other = discrete.poisson_variance.enclose(20, d=3, lam=lam, dot="0.1", squares="0.2", norms=2)
        assert other.lower > best.upper
    products = ["0.12", "0.12", "0.12", "-0.22"]
    p = discrete.geometric_p_unequal.enclose(20, k=3, l=1, t="0.12", u="-0.22").midpoint
    at = [sympy.Rational(p.numerator, p.denominator) * sympy.Rational(f) for f in ("1", "0.95", "1.05")]
    x, y = products, [1, 1, 1, 1]
    values = [discrete.dirf_moment("geometric", 2, x, y, q, 20) for q in at]
    assert values[0].upper < min(values[1].lower, values[2].lower)


def test_no_minimiser_without_a_product() -> None:
    # all products zero: the exponent of (11) is linear in lambda, (13) decreases in p
    with pytest.raises(OutsideDomain, match="squares > 0"):
        discrete.poisson_lambda.enclose(d=2, squares=0)
    with pytest.raises(OutsideDomain, match="t != 0"):
        discrete.geometric_p.enclose(t=0)
    small, smaller = (discrete.dirf_moment("poisson", 2, [1, 0], [0, 1], q) for q in ("0.1", "0.01"))
    assert smaller.upper < small.lower  # and the mean is the same


def test_a_wrong_exponent_is_seen() -> None:
    # planted: lambda in place of 1/lambda in (11)
    wrong = discrete.PRINTED_POISSON_VARIANCE.subs(
        discrete.squares / discrete.lam, discrete.squares * discrete.lam
    )
    at = {discrete.d: sympy.Integer(2), discrete.lam: sympy.Rational(2, 5), discrete.dot: sympy.Integer(0),
          discrete.squares: sympy.Rational(1, 5), discrete.norms: sympy.Integer(4)}  # fmt: skip
    with ctx.workprec(80):
        right = discrete.poisson_variance.enclose(10, d=2, lam="0.4", dot=0, squares="0.2", norms=4)
        assert not evaluate(wrong, at).overlaps(right.ball)


def literal_average(xs: Sequence, ys: Sequence, f: Callable) -> sympy.Expr:
    return sum((f(x, y) for x, y in itertools.product(xs, ys)), sympy.Integer(0)) / (len(xs) * len(ys))


def test_averages_against_the_double_sums() -> None:
    xs = [[sympy.Rational(a, 7) for a in row] for row in ((1, -4, 3), (0, 2, 5), (-6, 1, 1), (2, 2, -3))]
    ys = [[sympy.Rational(a, 5) for a in row] for row in ((3, 1, -2), (8, 0, 1), (-1, 4, 4), (2, -7, 6))]
    for s in (1, -1):
        literal = literal_average(
            xs, ys, lambda x, y, s=s: sum((a + s * b) ** 2 for a, b in zip(x, y, strict=True))
        )
        assert discrete.average_square_sum(xs, ys, s) == literal


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="same positive length"):
        discrete.dirf_moment("poisson", 2, [1, 2], [1], "0.4")
    with pytest.raises(InvalidInput, match="poisson or geometric"):
        discrete.dirf_moment("binomial", 2, [1], [1], "0.4")
    with pytest.raises(OutsideDomain, match="p < 1"):
        discrete.dirf_moment("geometric", 2, [1], [1], 1)
    with pytest.raises(OutsideDomain, match="dot\\^2 <= d squares"):
        discrete.poisson_variance.enclose(d=2, lam=1, dot=1, squares="0.4", norms=9)
    with pytest.raises(InvalidInput, match="vectors of length 2"):
        discrete.average_square_sum([[1, 2]], [[1, 2, 3]])
    with pytest.raises(InvalidInput):
        discrete.average_square_sum([], [[1]])


def test_long_sums_of_the_geometric_law_start_at_their_largest_term() -> None:
    """At large products Arb would sum from the first term, for minutes that nothing interrupts."""
    values = {"n": 3, "p": "0.3", "t": "20000.5"}
    found = discrete.geometric_coordinate.enclose(20, **values).ball
    assert found.overlaps(discrete.geometric_coordinate_sum(3, arb("0.3"), arb("20000.5")))
    assert found.rel_accuracy_bits() > 66
    for order, largest in ((16, "1e8"), (4, "-1e7")):
        assert discrete.geometric_coordinate.enclose(10, n=order, p="0.3", t=largest).ball > 1
    with pytest.raises(NotCertified, match="cancel"):
        discrete.geometric_coordinate.enclose(10, n=3, p="0.3", t="-1e7")
    with pytest.raises(NotCertified, match="short sum"):
        discrete.geometric_coordinate.enclose(10, n=3, p="0.3", t="1e300")
