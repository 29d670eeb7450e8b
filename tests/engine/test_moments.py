"""Moments against exact rational arithmetic, their merges, and their way through a text file."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rftheory.engine import collect
from rftheory.engine.moments import Means, Moments, WithComoment
from rftheory.engine.tree import FixedTree
from rftheory.errors import InvalidInput

values = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


def exact_sums(values: np.ndarray) -> tuple[Fraction, Fraction]:
    """Mean and sum of squared deviations of the binary values, without rounding."""
    numbers = [Fraction(x) for x in values.tolist()]
    mean = sum(numbers) / len(numbers)
    return mean, sum((x - mean) ** 2 for x in numbers)


def assert_close(moments: Moments, values: np.ndarray, rtol: float) -> None:
    mean, squares = exact_sums(values)
    spread = float(squares / len(values)) ** 0.5
    # centring rounds by half an ulp of each deviation, adding them by at most n/8 + 3 (n <= 40 in a leaf of
    # the property tests; random signs beyond), each merge by an ulp of the mean
    bound = 2**-52 * (8 * spread + 8 * abs(float(mean)))
    assert abs(float(Fraction(moments.mean[0].item()) - mean)) <= bound
    assert abs(moments.m2[0] - float(squares)) <= rtol * len(values) * spread**2 + 1e-300


def merged(values: np.ndarray, leaf: int) -> Moments:
    tree: FixedTree[Moments] = FixedTree()
    for start in range(0, len(values), leaf):
        tree.add(Moments.of(values[start : start + leaf]))
    return tree.total()


@settings(deadline=None, max_examples=50)
@given(st.lists(values, min_size=1, max_size=40))
def test_of_agrees_with_rational_arithmetic(numbers):
    assert_close(Moments.of(numbers), np.array(numbers), 1e-13)


@settings(deadline=None, max_examples=50)
@given(st.lists(values, min_size=2, max_size=40), st.data())
def test_merge_agrees_with_rational_arithmetic(numbers, data):
    cut = data.draw(st.integers(1, len(numbers) - 1))
    both = Moments.of(numbers[:cut]) + Moments.of(numbers[cut:])
    mean, squares = exact_sums(np.array(numbers))
    scale = max(1e-3, max(abs(x) for x in numbers))
    assert both.n == len(numbers)
    assert both.mean[0] == pytest.approx(float(mean), abs=1e-14 * scale)
    assert both.m2[0] == pytest.approx(float(squares), abs=1e-13 * len(numbers) * scale**2)


def test_a_merge_without_its_gap_term_would_be_seen():
    left, right = Moments.of([0.0, 1.0, 5.0]), Moments.of([10.0, 11.0])
    both = left + right
    exact = float(exact_sums(np.array([0.0, 1.0, 5.0, 10.0, 11.0]))[1])
    assert both.m2[0] == pytest.approx(exact, rel=1e-14)
    assert abs(left.m2[0] + right.m2[0] - exact) > 0.1 * abs(exact)


def test_offset_of_1e9_standard_deviations():
    rng = np.random.Generator(np.random.Philox(key=9))
    shifted = 1e9 + rng.standard_normal(2**13)
    one = Moments.of(shifted)
    assert_close(one, shifted, 1e-13)  # two passes: no loss at all beyond the input's own rounding
    assert_close(merged(shifted, 512), shifted, 1e-7)  # means of leaves round at 1e-7 standard deviations
    exact = float(exact_sums(shifted)[1])
    assert merged(shifted, 512).m2[0] == pytest.approx(exact, rel=1e-8)
    textbook = (shifted**2).sum() - shifted.sum() ** 2 / len(shifted)
    assert abs(textbook / exact - 1) > 1e-2  # the formula that is not used


def test_mean_of_equal_values_is_that_value():
    tenths = np.full(100, 0.1)
    assert tenths.mean() != 0.1  # one pass does not reach it
    assert Moments.of(tenths).mean[0] == 0.1
    assert Moments.of(tenths).m2[0] < 1e-30


def test_tree_keeps_the_order():
    tree: FixedTree[str] = FixedTree()
    for letter in "abcdefg":
        tree.add(letter)
        assert tree.total() == "abcdefg"[: len(tree)]


def test_skewed_data_in_leaves():
    rng = np.random.Generator(np.random.Philox(key=10))
    skewed = np.exp(rng.standard_normal(3000))
    assert_close(merged(skewed, 100), skewed, 1e-10)


def test_variance_of_a_known_law():
    moments = Moments.of([0.0, 0.0, 0.0, 1.0])  # Bernoulli(1/4)
    p, q = 0.25, 0.75
    assert moments.variance[0] == pytest.approx(4 / 3 * p * q, rel=1e-14)
    assert moments.standard_error[0] == pytest.approx((p * q / 3) ** 0.5, rel=1e-14)
    assert Moments.of([2.0, 2.0, 2.0]).variance[0] == 0
    assert np.isnan(Moments.of([1.0]).variance[0])


def test_comoment_merges_and_its_diagonal_is_m2():
    rng = np.random.Generator(np.random.Philox(key=11))
    rows = rng.standard_normal((500, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 2.0], [0.0, 0.0, 1.0]])
    whole = WithComoment.of(rows)
    parts = WithComoment.of(rows[:123]) + WithComoment.of(rows[123:])
    assert (np.diagonal(whole.comoment) == whole.m2).all()
    np.testing.assert_allclose(parts.covariance, np.cov(rows.T), rtol=1e-12)
    np.testing.assert_allclose(whole.covariance, np.cov(rows.T), rtol=1e-12)


def test_columns_do_not_mix():
    rng = np.random.Generator(np.random.Philox(key=12))
    rows = rng.standard_normal((300, 4))
    together = Moments.of(rows)
    for column in range(4):
        alone = Moments.of(rows[:, column])
        assert together.m2[column] == alone.m2[0]
        assert together.mean[column] == alone.mean[0]


@pytest.mark.parametrize("accumulator", [Moments, WithComoment])
def test_text_round_trip_keeps_every_bit(accumulator):
    rng = np.random.Generator(np.random.Philox(key=13))
    moments = accumulator.of(rng.standard_normal((50, 2)) / 3)
    again = accumulator.from_dict(json.loads(json.dumps(moments.to_dict())))
    assert again == moments
    assert again.mean.tobytes() == moments.mean.tobytes()
    assert again != accumulator.of(rng.standard_normal((50, 2)) / 3)


@pytest.mark.parametrize(
    "rows",
    [[], [[]], [[[1.0]]], [np.nan], [np.inf, 1.0], [1j], ["a"], 1.0, np.zeros((3, 0)), [1e308, 1e308]],
)
def test_bad_rows_are_refused(rows):
    with pytest.raises(InvalidInput):
        Moments.of(rows)


def test_means_are_those_of_rational_arithmetic_for_any_leaves():
    """An offset of 1e9 standard deviations included: 2^-53 of it is all that a merge may lose."""
    rows = np.random.Generator(np.random.Philox(key=31)).standard_normal((5000, 2)) + np.array([1e9, -0.25])
    exact = [float(exact_sums(column)[0]) for column in rows.T]
    for leaf in (1, 7, 1024, 8192):
        found = collect(Means, lambda blocks: rows[blocks.start : blocks.stop], len(rows), leaf=leaf)
        assert found.n == 5000
        assert (np.abs(found.mean - exact) <= 2**-52 * 4 * np.array([1e9, 1])).all()


def test_means_survive_json():
    found = Means.of(np.arange(6.0).reshape(3, 2) / 7)
    again = Means.from_dict(json.loads(json.dumps(found.to_dict())))
    assert (again.n, again.mean.tobytes()) == (3, found.mean.tobytes())


def test_squares_that_overflow_are_named():
    with pytest.raises(InvalidInput, match="divide the values by their exact mean"):
        Moments.of([1e200, -1e200])


def test_merges_of_different_columns_are_refused():
    with pytest.raises(InvalidInput, match="same columns"):
        Moments.of([1.0]) + Moments.of([[1.0, 2.0]])
    with pytest.raises(InvalidInput, match="same columns"):
        Moments.of([1.0]) + WithComoment.of([1.0])
    with pytest.raises(InvalidInput, match="cross moments"):
        Moments.of([1.0, 2.0]).covariance  # noqa: B018


@pytest.mark.parametrize("content", [{}, {"n": 1}, {"n": 0}, None])
def test_foreign_content_is_refused(content):
    with pytest.raises(InvalidInput):
        Moments.from_dict(content)


def test_results_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        Moments.of([1.0, 2.0]).mean[0] = 3.0


def test_empty_tree_is_refused():
    with pytest.raises(InvalidInput, match="at least one leaf"):
        FixedTree().total()
