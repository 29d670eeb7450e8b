"""Tables of random counts that users declare: probabilities that are none, means that are not the kernel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sympy
from flint import arb
from sympy import I, Rational, Sum, besseli, beta, binomial, cosh, exp, factorial, gamma, log, oo, pi, sqrt

from rftheory.errors import NotKnown, OutsideDomain
from rftheory.exact.infinite_sums import sum_over_counts
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.exact.random_counts import is_series_of_kernel, require_law
from rftheory.spec import FeatureMap, Table, find_coupling, find_map
from rftheory.spec.feature_map import k, x, y

NAMES: Iterator[int] = iter(range(1000))
POISSON, GEOMETRIC = exp(-1) / factorial(k), Rational(1, 2) ** (k + 1)
PAIR = Inputs.of_vectors(["0.3", "0.2"], ["0.5", "0.1"])


def law(probability: sympy.Expr, value: sympy.Expr, m: int = 2) -> Law:
    feature = FeatureMap(f"table-{next(NAMES)}", "a table", "ours", table=Table(probability, value))
    return Law(feature, find_coupling("iid"), m, PAIR)


def fair(probability: sympy.Expr) -> sympy.Expr:
    """The value with which the mean is the kernel, if the probabilities are some."""
    return (x * y) ** k / factorial(k) / probability


@pytest.mark.parametrize(
    "probability",
    [
        POISSON / 2,  # not normalised
        2 * POISSON,
        (-1) ** k * exp(1) / factorial(k),  # negative, with the sum 1
        I * POISSON,
        0 * POISSON,
        binomial(1, k) / 2,  # two counts alone: others have no probability, but a share of the mean
        1 / (k + 1),  # with an infinite sum
    ],
)
def test_what_is_no_probability_law_is_refused(probability: sympy.Expr) -> None:
    """Their means were the kernel, and mean squared errors came out negative or below that of one count."""
    for quantity in (law(probability, fair(probability)).mean, law(probability, fair(probability)).mse):
        with pytest.raises(OutsideDomain, match="needs probabilities"):
            quantity()


HALF, TINY = Rational(1, 2), Rational(1, 10**100)
LAWS = {
    "negative binomial": binomial(k + Rational(3, 2), k)
    * Rational(1, 3) ** k
    * Rational(2, 3) ** Rational(5, 2),
    "Yule": 4 * beta(k + 1, 5),
    "logarithmic": HALF ** (k + 1) / (k + 1) / log(2),
    "Poisson above 0": 1 / factorial(k + 1) / (exp(1) - 1),
    "even Poisson": 2 ** (2 * k) / factorial(2 * k) / cosh(2),
    "Poisson by size": (k + 1) * exp(-1) / factorial(k) / 2,
    "Bessel": 1 / factorial(k) ** 2 / besseli(0, 2),
    "geometric, with a root": (1 - 1 / sqrt(2)) * sqrt(2) ** -k,
    "telescope": 1 / ((k + 1) * (k + 2)),
    "ratios of 1 in another form": (sqrt(3 + 2 * sqrt(2)) / (1 + sqrt(2))) ** k / ((k + 1) * (k + 2)),
    "squares": 2 / pi**2 / (k + HALF) ** 2,
    "mixture": POISSON / 2 + GEOMETRIC / 2,
    "weights over their sum": 3**k / factorial(k) ** 3 / Sum(3**k / factorial(k) ** 3, (k, 0, oo)),
}


@pytest.mark.parametrize("name", LAWS)
def test_that_probabilities_add_up_to_1_is_exact(name: str) -> None:
    """An enclosure of the sum that contains 1 was taken for 1: so were probabilities that miss it by 1e-100."""
    require_law(name, LAWS[name])
    for factor in (1 + TINY, 1 - TINY):
        with pytest.raises(OutsideDomain, match="needs probabilities that add up to 1"):
            require_law(name, factor * LAWS[name])


@pytest.mark.parametrize(
    "term",
    [
        1 / (k + 1) + 1 / factorial(k) - 1 / (k + 2),  # the first alone diverges
        1 / (k**2 + 1),
        2**k * (k**2 + 1) / factorial(k),
        HALF**k / (k + 3),
        HALF**k / ((k + 1) * (k + 2)),
        HALF**k * gamma(k + HALF) / gamma(k + 2),
        factorial(k) ** 2 / factorial(2 * k + 1),
    ],
    ids=str,
)
def test_sums_without_a_name_that_is_known(term: sympy.Expr) -> None:
    assert sum_over_counts(term, k) is None


def test_a_share_of_another_sum_is_no_share() -> None:
    weight = 3**k / factorial(k)
    for other in (Sum(weight, (k, 1, oo)), Sum(2 * weight * (k + 1), (k, 0, oo))):
        assert sum_over_counts(weight / other, k) == exp(3) / other
    assert sum_over_counts(gamma(k + HALF) / gamma(k + 3), k) == 2 * sqrt(pi) / 3
    for diverges in (gamma(k + HALF) / gamma(k + 1), factorial(2 * k) / factorial(k) / 8**k):
        assert sum_over_counts(diverges, k) == oo


def test_a_sum_that_is_enclosed_only_is_no_proof() -> None:
    for weight in ((k**2 + 1) * HALF**k / 8, (1 + TINY) * (k**2 + 1) * HALF**k / 8):
        with pytest.raises(NotKnown, match="not proved to add up to 1, although their sum is in"):
            require_law("mine", weight)
        with pytest.raises(OutsideDomain, match="add up to 1, got '2"):
            require_law("mine", 2 * weight)
        require_law("mine", weight / Sum(weight, (k, 0, oo)))
    with pytest.raises(NotKnown, match="not seen to be positive"):
        require_law("mine", 1 / (k + 1) / Sum(1 / (k + 1), (k, 0, oo)))
    with pytest.raises(OutsideDomain, match="inf"):
        require_law("mine", (k + 1) * POISSON + 1 / (k + 1))


def test_weights_over_their_sum_have_moments() -> None:
    weight = (k**2 + 1) * HALF**k / 8
    found = law(weight / Sum(weight, (k, 0, oo)), fair(weight))
    assert found.mean().overlaps(found.target())
    assert found.mse() > 0


@pytest.mark.parametrize("probability", [POISSON, GEOMETRIC, 6 / pi**2 / (k + 1) ** 2])
def test_laws_of_counts_with_the_right_values_have_the_kernel_as_mean(probability: sympy.Expr) -> None:
    found = law(probability, fair(probability))
    assert found.unbiased
    assert found.mean().overlaps(found.target())
    assert found.mse() > 0


@pytest.mark.parametrize("probability", [POISSON, GEOMETRIC])
def test_a_mean_that_is_not_the_kernel_is_seen(probability: sympy.Expr) -> None:
    """Every table was taken for unbiased."""
    wrong, right = (law(probability, factor * fair(probability)) for factor in (2, 1))
    assert not wrong.unbiased
    assert wrong.mean().overlaps(4 * right.target())  # a factor 2 in each coordinate
    bias = 3 * right.target()
    assert wrong.mse().overlaps(16 * right.variance() + bias * bias)
    assert not wrong.mse().overlaps(16 * right.mse())


def test_that_the_mean_is_the_kernel_is_seen_of_terms_in_any_form() -> None:
    assert all(is_series_of_kernel(find_map(name).table) for name in ("poisson", "geometric"))
    assert is_series_of_kernel(Table(POISSON, exp(1) * x**k * y**k))
    assert not is_series_of_kernel(Table(POISSON, exp(1) * x**k))
    assert not is_series_of_kernel(Table(POISSON, exp(1) * (x * y) ** (k + 1)))
    assert not is_series_of_kernel(Table(POISSON, exp(1) * (sqrt(x * y) * sqrt(x) * sqrt(y)) ** k))  # x y < 0


def test_known_maps_keep_their_values() -> None:
    found = Law(find_map("poisson"), find_coupling("iid"), 2, PAIR, {"lam": 1})
    other = law(POISSON, exp(1) * (x * y) ** k)
    assert found.mse().overlaps(other.mse())
    assert found.mse() > arb(2)
