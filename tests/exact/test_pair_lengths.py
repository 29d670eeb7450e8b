"""Lengths of sums of two rows of SimRFs and SimRFs+ in three dimensions, against a quadrature over the norms."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb

from rftheory.exact import pair_lengths
from rftheory.exact.pair_lengths import (
    difference_exceeds,
    norm_exceeds,
    plus_is_shorter,
    plus_length_exceeds,
    simplex_length_exceeds,
    sum_exceeds,
)

_AXIS = (np.arange(400) + 0.5) * 0.02
_WEIGHT = _AXIS**2 * np.exp(-(_AXIS**2) / 2)
_WEIGHT /= _WEIGHT.sum()
_FIRST, _SECOND, _THIRD = np.meshgrid(_AXIS, _AXIS, _AXIS[::4], indexing="ij", sparse=True)


def _share(exceeds: np.ndarray) -> float:
    """Of pairs of norms, or of triples."""
    if exceeds.shape[-1] == 1:
        return float(np.einsum("ijk,i,j->", exceeds, _WEIGHT, _WEIGHT))
    third = _WEIGHT[::4] / _WEIGHT[::4].sum()
    return float(np.einsum("ijk,i,j,k->", exceeds, _WEIGHT, _WEIGHT, third, optimize=True))


@pytest.mark.parametrize("s", [0.5, 1.5, 3.0])
def test_the_laws_of_the_lengths(s: float) -> None:
    simplex = np.sqrt(_FIRST**2 + _SECOND**2 - _FIRST * _SECOND)
    plus = np.clip(_THIRD, abs(_FIRST - _SECOND), _FIRST + _SECOND)
    for law, length in (
        (simplex_length_exceeds, simplex),
        (sum_exceeds, _FIRST + _SECOND),
        (difference_exceeds, abs(_FIRST - _SECOND)),
        (plus_length_exceeds, plus),
    ):
        assert abs(float(law(arb(s))) - _share(length > s)) < 0.02
        assert law(arb(s)).rad() < 1e-10
    assert abs(float(norm_exceeds(arb(s))) - float(_WEIGHT[s < _AXIS].sum())) < 0.01


def test_plus_is_shorter_and_not_by_a_factor() -> None:
    assert plus_is_shorter(arb(1)) is True
    assert plus_is_shorter(arb(2)) is True  # weaker
    assert plus_is_shorter(arb("0.99")) is False  # too strong
    assert plus_is_shorter(arb("0.9")) is False


def test_each_end_of_the_range_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a bound at an end does not hold, nothing is shown."""
    with monkeypatch.context() as patch:
        patch.setattr(pair_lengths, "SHORT", arb(1))
        assert plus_is_shorter(arb(1)) is None
    monkeypatch.setattr(pair_lengths, "LONG", arb(5))
    assert plus_is_shorter(arb(1)) is None


def test_a_law_that_is_longer_somewhere_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: at lengths around 2 the third norm is taken for a larger one."""
    true = norm_exceeds
    monkeypatch.setattr(
        pair_lengths, "norm_exceeds", lambda s: true(s) if abs(s - 3) > 1 else (1 + true(s)) / 2
    )
    assert plus_is_shorter(arb(1)) is False
