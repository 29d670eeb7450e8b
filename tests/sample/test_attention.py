"""Linear attention: the same numbers as with all weights written out, in linear memory."""

from __future__ import annotations

import tracemalloc

import array_api_strict
import numpy as np
import pytest
from scipy import special

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.sample import (
    ATTENTIONS,
    COUPLINGS,
    ComplexExponential,
    DiscreteMechanism,
    Mechanism,
    Poisson,
    Stream,
    angular_hybrid,
    attention_mechanism,
    kernel_means,
    linear_attention,
    softmax_attention,
    to_host,
)
from rftheory.sample.attention import DrawnFeatures, weighted_sums

D, ROWS = 4, 23
RNG = np.random.default_rng(0)
Q, K = RNG.standard_normal((2, ROWS, D)) / 2
V = RNG.standard_normal((ROWS, 3))
STREAM = Stream.named("attention")


def all_weights(mechanism: Mechanism, kernel: str, block: int = 0) -> np.ndarray:
    """The matrix of estimated weights, from the kernel matrices of the mechanism."""
    return mechanism.gram(STREAM, range(block, block + 1), Q, K, kernel, "matrix")[0]


def averaged(weights: np.ndarray, causal: bool = False) -> np.ndarray:
    weights = np.tril(weights) if causal else weights
    return weights @ V / weights.sum(1, keepdims=True)


MECHANISMS = [attention_mechanism(name, 12, Q, K) for name in ATTENTIONS if name != "fourier"]
MECHANISMS += [Mechanism("hyperbolic", name, 12) for name in COUPLINGS]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("tile", [1, 5, 100])
def test_linear_attention_is_the_average_with_all_weights(mechanism, causal, tile):
    expected = averaged(all_weights(mechanism, "softmax"), causal)
    found = linear_attention(mechanism, STREAM, Q, K, V, causal=causal, tile=tile)
    assert np.abs(found - expected).max() < 1e-12
    other = linear_attention(mechanism, STREAM, Q, K, V, causal=causal, tile=tile, block=1)
    assert np.abs(other - expected).max() > 1e-3


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "phi", ["trigonometric", "cosine", ComplexExponential(np.eye(D) * (1 + 0.5j))], ids=str
)
def test_features_with_signs(phi, causal):
    mechanism = Mechanism(phi, "orthogonal", 12)
    weights = all_weights(mechanism, "softmax")
    weights = np.tril(weights) if causal else weights
    drawn = DrawnFeatures.of(mechanism, STREAM, D)
    sums = weighted_sums(drawn, Q, K, V, "softmax", causal=causal, tile=7)
    expected = weights @ np.column_stack((V, np.ones(ROWS)))
    # Each row is known up to a positive factor.
    scale = np.linalg.norm(expected, axis=1) / np.linalg.norm(sums, axis=1)
    assert np.abs(sums * scale[:, None] - expected).max() < 1e-11


def test_sums_of_weights_that_are_not_positive_are_refused():
    far = 4 * Q / np.linalg.norm(Q, axis=1, keepdims=True)
    with pytest.raises(OutsideDomain, match="positive"):
        linear_attention(attention_mechanism("fourier", 4, Q, K), STREAM, 3 * far, -3 * far, V)


@pytest.mark.parametrize("causal", [False, True])
def test_exact_attention(causal):
    for tile in (4, 100):
        found = softmax_attention(Q, K, V, causal=causal, tile=tile)
        assert np.abs(found - averaged(np.exp(Q @ K.T), causal)).max() < 1e-13
    assert np.abs(softmax_attention(Q, K, V) - softmax_attention(K, Q, V)).max() > 1e-3


@pytest.mark.parametrize("name", [name for name in ATTENTIONS if name != "fourier"])
def test_more_features_come_closer_to_exact_attention(name):
    """The error falls like m^(-1/2), from 64 to 4096 features by 8, where terms have moderate tails; half is asked."""
    q, k, errors = Q / 2, K / 2, []
    exact = softmax_attention(q, k, V)
    for m in (64, 4096):
        mechanism = attention_mechanism(name, m, q, k)
        found = [linear_attention(mechanism, STREAM, q, k, V, block=b) for b in range(16)]
        errors.append(np.sqrt(np.mean([(one - exact) ** 2 for one in found])))
    assert errors[1] < errors[0] / 4
    assert np.abs(found[0] - exact).max() < np.abs(found[0] - softmax_attention(q, 2 * k, V)).max()


@pytest.mark.parametrize("causal", [False, True])
def test_libraries_agree(causal):
    mechanism = attention_mechanism("simplex++", 12, Q, K)
    strict = [array_api_strict.asarray(a) for a in (Q, K, V)]
    found = linear_attention(mechanism, STREAM, *strict, causal=causal, tile=5)
    assert isinstance(found, type(strict[0]))
    assert np.array_equal(to_host(found), linear_attention(mechanism, STREAM, Q, K, V, causal=causal, tile=5))
    exact = softmax_attention(*strict, causal=causal)
    assert np.abs(to_host(exact) - softmax_attention(Q, K, V, causal=causal)).max() < 1e-14
    single = linear_attention(mechanism, STREAM, *(a.astype(np.float32) for a in (Q, K, V)), causal=causal)
    assert np.abs(single - to_host(found)).max() < 1e-4


@pytest.mark.parametrize("causal", [False, True])
def test_large_norms_stay_finite(causal):
    """exp(q . k) up to exp(1600): the weights of one key dwarf all others."""
    q, k = (
        20 * Q / np.linalg.norm(Q, axis=1, keepdims=True),
        80 * K / np.linalg.norm(K, axis=1, keepdims=True),
    )
    found = linear_attention(attention_mechanism("favor+", 12, q, k), STREAM, q, k, V, causal=causal, tile=1)
    assert np.isfinite(found).all()
    assert (found.max(0) <= V.max(0) + 1e-12).all()
    assert np.isfinite(softmax_attention(q, k, V, causal=causal)).all()


@pytest.mark.parametrize("tile", [1, 3, 100])
@pytest.mark.parametrize("length", [60, 200, 1e4])
def test_a_large_key_does_not_drown_those_that_were_seen_before_it(length, tile, monkeypatch):
    """Features of the first key are exp(-length^2 / 2) of the others; the first query sees it alone."""
    k = K.copy()
    k[0] *= length / np.linalg.norm(k[0])
    mechanism = Mechanism("positive", "orthogonal", 12)
    drawn = DrawnFeatures.of(mechanism, STREAM, D)
    left, right = (drawn(u, "softmax", side).log_scale for u, side in ((Q, "left"), (k, "right")))
    logs = special.logsumexp(left[:, :, None] + right[:, None, :], axis=0)
    logs = np.where(np.tri(ROWS, dtype=bool), logs, -np.inf)
    expected = special.softmax(logs, axis=1) @ V
    found = linear_attention(mechanism, STREAM, Q, k, V, causal=True, tile=tile)
    assert np.abs(found - expected).max() < 1e-12
    assert np.abs(found[0] - V[0]).max() < 1e-12
    if tile > 1:
        monkeypatch.setattr("rftheory.sample.attention._STEEP", np.inf)
        with pytest.raises(OutsideDomain, match="positive sums"):
            linear_attention(mechanism, STREAM, Q, k, V, causal=True, tile=tile)


@pytest.mark.parametrize("causal", [False, True])
def test_memory_is_linear_in_the_rows(causal):
    rows = 20_000
    q, k = np.random.default_rng(1).standard_normal((2, rows, D)) / 4
    mechanism = attention_mechanism("favor+", 8, q, k)
    tracemalloc.start()
    linear_attention(mechanism, STREAM, q, k, k[:, :1], causal=causal, tile=256)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * rows * D  # bytes; all weights would take 8 * rows^2, 400 times as much


def test_averages_with_the_gaussian_kernel():
    mechanism = Mechanism("positive", "simplex+", 9)
    found = kernel_means(DrawnFeatures.of(mechanism, STREAM, D), Q, K, V, "gaussian", tile=6)
    assert np.abs(found - averaged(all_weights(mechanism, "gaussian"))).max() < 1e-12


@pytest.mark.parametrize(
    "call",
    [
        lambda: softmax_attention(Q, K, V[:-1]),
        lambda: softmax_attention(Q, K[:, :3], V),
        lambda: softmax_attention(Q, K * np.nan, V),
        lambda: linear_attention(MECHANISMS[0], STREAM, Q[:5], K, V, causal=True),
        lambda: softmax_attention(Q[:5], K, V, causal=True),
        lambda: linear_attention(MECHANISMS[0], STREAM, Q, K, V, tile=0),
        lambda: linear_attention(MECHANISMS[0], STREAM, Q, K, V, block=-1),
        lambda: linear_attention(MECHANISMS[0], STREAM, Q[0], K, V),
        lambda: linear_attention(MECHANISMS[0], STREAM, Q.tolist(), K, V),
        lambda: linear_attention(MECHANISMS[0], STREAM, None, K, V),
        lambda: linear_attention(MECHANISMS[0], 7, Q, K, V),
        lambda: linear_attention(DiscreteMechanism(Poisson(1.0), 4), STREAM, Q, K, V),
        lambda: linear_attention(angular_hybrid(4, 2), STREAM, Q, K, V),
    ],
)
def test_bad_requests(call):
    with pytest.raises(InvalidInput):
        call()


def test_unknown_names():
    for name in ("performer", None, 3):
        with pytest.raises(UnknownName):
            attention_mechanism(name, 8, Q, K)
