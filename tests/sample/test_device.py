"""The samplers on a CUDA device, against NumPy; and what importing them brings along."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from benchmarks import sampling_gpu
from benchmarks.gpu_instructions import variants
from rftheory.errors import BackendUnavailable
from rftheory.sample import (
    ATTENTIONS,
    COUPLINGS,
    FEATURE_MAPS,
    Mechanism,
    Stream,
    attention_mechanism,
    linear_attention,
    namespace,
    to_host,
)
from rftheory.sample.arrays import cupy_available, free_bytes, on_device
from rftheory.sample.rotations import orthonormal_columns
from tests.sample import test_every_mechanism as every

needs_device = pytest.mark.skipif(not cupy_available(), reason="no CUDA device answers through CuPy")
X = np.array([0.30, -0.10, 0.05, 0.20, 0.15])
Y = np.array([0.10, 0.25, -0.15, 0.20, -0.30])


@pytest.mark.gpu
@needs_device
def test_bits_are_equal_and_normals_equal_to_rounding():
    xp, stream = namespace("cupy"), Stream.named("device")
    blocks = range(2**32 - 3, 2**32 + 50)
    assert np.array_equal(to_host(stream.bits(blocks, 1001, xp=xp)), stream.bits(blocks, 1001))
    assert np.array_equal(to_host(stream.uniforms(blocks, 1001, xp=xp)), stream.uniforms(blocks, 1001))
    assert np.abs(to_host(stream.normals(blocks, 1001, xp=xp)) - stream.normals(blocks, 1001)).max() < 1e-13
    for dof in (5, 64):
        device, host = to_host(stream.chis(blocks, 101, dof, xp=xp)), stream.chis(blocks, 101, dof)
        assert np.abs(device - host).max() < 1e-12


@pytest.mark.gpu
@needs_device
def test_estimates_equal_those_of_numpy():
    assert on_device(namespace("cupy"))
    for coupling, feature_map in product(COUPLINGS, FEATURE_MAPS):
        compare_with_numpy(Mechanism(feature_map, coupling, 7))


def compare_with_numpy(mechanism: Mechanism) -> None:
    xp = namespace("cupy")
    x, y = xp.asarray(X), xp.asarray(Y)
    device = mechanism.estimate(Stream.named("device"), range(50), x, y)
    assert (
        np.abs(to_host(device) / mechanism.estimate(Stream.named("device"), range(50), X, Y) - 1).max() < 1e-9
    )
    gram = mechanism.gram(Stream.named("device"), range(50), x[None, :], y[None, :])
    host = mechanism.gram(Stream.named("device"), range(50), X[None], Y[None])
    assert np.abs(to_host(gram) - host).max() < 1e-9, mechanism.name


@pytest.mark.gpu
@needs_device
@pytest.mark.parametrize("name", every.MECHANISMS)
def test_hybrids_and_discrete_features_equal_those_of_numpy(name):
    xp, stream, mechanism = namespace("cupy"), Stream.named("device"), every.MECHANISMS[name]
    own = mechanism.estimate(stream, range(50), every.X, every.Y)
    device = mechanism.estimate(stream, range(50), xp.asarray(every.X), xp.asarray(every.Y))
    assert np.abs(to_host(device) / own - 1).max() < 1e-9


@pytest.mark.gpu
@needs_device
@pytest.mark.parametrize("name", ATTENTIONS)
@pytest.mark.parametrize("causal", [False, True])
def test_attention_equals_that_of_numpy(name, causal):
    rng, stream = np.random.default_rng(3), Stream.named("device")
    arrays = rng.standard_normal((3, 40, 8)) / 3
    found, own = (
        linear_attention(attention_mechanism(name, 32, q, k), stream, q, k, v, causal=causal, tile=16)
        for q, k, v in (namespace("cupy").asarray(arrays), arrays)
    )
    assert np.abs(to_host(found) - own).max() < 1e-9


@pytest.mark.gpu
@needs_device
def test_the_benchmark_runs_on_the_device(monkeypatch):
    monkeypatch.setattr(sampling_gpu, "variants", lambda: variants()[:1])
    found = sampling_gpu.measured(2**12, 2**10)
    assert [row["features a second"] > 0 for row in found["variants"]] == [True]
    rows = found["features_per_second"]
    assert [row["coupling"] for row in rows] == ["iid", "orthogonal", "simplex"]
    for row in rows:
        assert all(
            abs(value) < 6 if key.endswith("standard errors") else value > 0
            for key, value in row.items()
            if key != "coupling"
        )


@pytest.mark.gpu
@needs_device
@pytest.mark.parametrize(("d", "k"), [(64, 2), (64, 8), (64, 32), (16, 16)])
def test_frames_on_the_device_are_those_of_numpy(d, k):
    gaussian = Stream.named("frames").normals(range(50), d * k).reshape(50, d, k)
    device = to_host(orthonormal_columns(namespace("cupy").asarray(gaussian)))
    assert np.abs(np.swapaxes(device, -1, -2) @ device - np.eye(k)).max() < 1e-13
    assert np.abs(device - orthonormal_columns(gaussian)).max() < 1e-10


@pytest.mark.gpu
@needs_device
def test_large_draws_on_the_device():
    """Sizes above 2^22, where other generators have failed."""
    xp, stream = namespace("cupy"), Stream.named("large")
    drawn = stream.normals(range(5000), 1000, xp=xp)
    assert np.array_equal(to_host(drawn[4999:]), to_host(stream.normals(range(4999, 5000), 1000, xp=xp)))
    assert free_bytes(xp) > 0


def test_the_benchmark_without_a_device_says_so(monkeypatch):
    def missing(backend: str) -> None:
        raise BackendUnavailable(backend, reason="no CUDA device answers", hint="use backend 'numpy'")

    monkeypatch.setattr(sampling_gpu, "namespace", missing)
    monkeypatch.setattr(sys, "argv", ["sampling_gpu.py"])
    with pytest.raises(SystemExit, match="nothing measured"):
        sampling_gpu.main()


def test_the_host_has_no_device_memory():
    assert free_bytes(namespace("numpy")) is None


def test_the_sampling_side_stands_alone():
    """No closed form and no symbolic library comes along, and CuPy is not imported before it is asked for."""
    code = "import sys, rftheory.sample; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = set(out.split())
    assert "rftheory.sample.hybrid" in loaded
    assert not {"sympy", "mpmath", "flint", "cupy", "rftheory.exact", "rftheory.judge"} & loaded
