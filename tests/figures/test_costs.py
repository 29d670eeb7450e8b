"""Arrays that count: what they count, and that attention with features is attention."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from rftheory.figures.counting import Counter, attention, exact_attention
from rftheory.papers.chefs.figures import fig4_data
from rftheory.papers.simplex.figures import _block_operations, tab1_data
from rftheory.sample import Mechanism, Stream
from rftheory.sample.fast_rotations import walsh_hadamard

STREAM = Stream.named("tests/figures/costs")


def test_operations_are_counted() -> None:
    counter = Counter()
    a, b = counter.array(np.ones((3, 4))), counter.array(np.ones((4, 5)))
    product = a @ b
    assert counter.operations == 2 * 3 * 4 * 5
    assert counter.largest == 15
    np.sum(product)
    assert counter.operations == 120 + 15
    np.concatenate((a, a)) + 1
    assert counter.operations == 135 + 24
    counter.operations = 0
    np.linalg.qr(counter.array(np.eye(6)))
    assert counter.operations == 2 * (2 * 216 - 2 * 216 // 3)


def test_the_fast_transform_takes_d_log_d() -> None:
    for d in (8, 64, 512):
        counter = Counter()
        walsh_hadamard(counter.array(np.ones(d)))
        assert counter.operations == d * int(np.log2(d)) + d


def test_regular_blocks_take_more_than_fast_ones() -> None:
    few, many = (_block_operations("SimRF", d) for d in (32, 64))
    fast_few, fast_many = (_block_operations("fast SimRF", d) for d in (32, 64))
    assert 7 < many / few < 8.5
    assert 2 < fast_many / fast_few < 2.6


def test_attention_with_features_tends_to_attention() -> None:
    q, k, v = 0.3 * np.asarray(STREAM.normals(range(3), 40 * 8)).reshape(3, 40, 8)
    wanted = exact_attention(v, q, k)
    errors = [
        np.abs(attention(v, Mechanism("positive", "orthogonal", m), STREAM, q, k) - wanted).max()
        for m in (64, 4096)
    ]
    assert errors[1] < 0.02 < 0.1 < np.abs(wanted - v).max()
    assert errors[1] < errors[0]


def test_attention_is_linear_in_the_length() -> None:
    operations = fig4_data((64, 128))["operations"]
    assert operations["FAVOR+"][1] == 2 * operations["FAVOR+"][0]
    assert operations["softmax"][1] > 3.9 * operations["softmax"][0]


def test_stored_counts_are_those_of_the_code() -> None:
    """Counts of the samplers as they are now; a code that does more is noticed."""
    folder = Path(__file__).parents[2] / "paper_figures"
    stored = json.loads((folder / "simplex_tab1.json").read_text(encoding="utf-8"))["counts"]
    found = tab1_data((16, 32))["counts"]
    assert found == {name: counts[:2] for name, counts in stored.items()}
    assert all(
        counts[0] != _block_operations(name, 17) for name, counts in stored.items() if "fast" not in name
    )
