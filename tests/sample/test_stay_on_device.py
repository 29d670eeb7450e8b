"""No sampler leaves the device: every one runs on arrays that refuse what CuPy's refuse, with NumPy's numbers."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rftheory.engine import run
from rftheory.engine.gap import PairGap, SharedGap
from rftheory.engine.tilt import TiltedMoment
from rftheory.sample import (
    ATTENTIONS,
    COUPLINGS,
    FEATURE_MAPS,
    Fused,
    Mechanism,
    Stream,
    array_namespace,
    attention_mechanism,
    linear_attention,
    namespace,
    softmax_attention,
    to_host,
)
from rftheory.sample.arrays import on_device
from rftheory.sample.rotations import orthonormal_columns
from tests.sample import test_every_mechanism as every
from tests.sample.device_double import DEVICE, MOVED, READS, SPECIAL, DeviceArray

STREAM = Stream.named("stay on the device")
RNG = np.random.default_rng(11)
X, Y = RNG.standard_normal((2, 4, 6)) / 3
V = RNG.standard_normal((4, 2))
MECHANISMS = {
    f"{feature} {coupling}": Mechanism(feature, coupling, 7)
    for feature in FEATURE_MAPS
    for coupling in COUPLINGS
}


@pytest.fixture(autouse=True)
def special_functions_of_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cupyx", "cupyx.scipy", "cupyx.scipy.special"):
        monkeypatch.setitem(sys.modules, name, SPECIAL)


def compare(job: Callable[..., Any], *arrays: np.ndarray, error: float = 1e-12) -> None:
    """Run a job on both kinds of arrays."""
    found = job(*map(DEVICE.asarray, arrays))
    assert isinstance(found, DeviceArray)
    expected = job(*arrays)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    assert np.abs(found.held - expected).max() <= error * np.abs(expected).max()


def reads(job: Callable[..., Any], *arrays: np.ndarray) -> list[str]:
    """What a job on device arrays reads from the device."""
    given = [DEVICE.asarray(one) for one in arrays]
    READS.clear()
    job(*given)
    return READS.copy()


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms(name):
    mechanism = MECHANISMS[name]
    compare(lambda x, y: mechanism.estimate(STREAM, range(5), x, y), X[0], Y[0])
    compare(lambda x, y: mechanism.gram(STREAM, range(3), x, y), X, Y)


@pytest.mark.parametrize("name", every.MECHANISMS)
def test_hybrids_and_discrete_features(name):
    mechanism = every.MECHANISMS[name]
    compare(lambda x, y: mechanism.estimate(STREAM, range(5), x, y), every.X, every.Y)
    compare(lambda x, y: mechanism.gram(STREAM, range(3), x, y), every.X[None], every.Y[None])


def moved(job: Callable[..., Any], *arrays: np.ndarray) -> int:
    """Numbers that a job on device arrays moves between host and device."""
    given = [DEVICE.asarray(one) for one in arrays]
    MOVED.clear()
    job(*given)
    return sum(MOVED)


ON_THE_HOST = {"optimised", "optimised, complex"}
"""Directions by a minimiser of SciPy, which the host has to run."""


@pytest.mark.parametrize("name", [*MECHANISMS, *every.MECHANISMS])
def test_no_mechanism_makes_a_trip_to_the_host(name):
    """What is copied between host and device does not grow with the blocks: quasi-random and discrete ones too."""
    mechanism, pair = (
        (MECHANISMS[name], (X[0], Y[0]))
        if name in MECHANISMS
        else (every.MECHANISMS[name], (every.X, every.Y))
    )
    few, many = (
        moved(lambda x, y, b=blocks: mechanism.estimate(STREAM, range(b), x, y), *pair) for blocks in (3, 30)
    )
    assert (few < many) == (name in ON_THE_HOST), (few, many)
    few, many = (
        moved(lambda x, y, b=blocks: mechanism.gram(STREAM, range(b), x, y), *(one[None] for one in pair))
        for blocks in (3, 30)
    )
    assert (few < many) == (name in ON_THE_HOST), (few, many)


def test_all_couplings_are_among_them():
    """Those of the declarations in files of their own, and the quasi-random ones."""
    declared = {"mirrored", "antimonotone", "cross-polytope", "orthogonal-simplices"}
    assert declared | {"halton", "sobol"} <= set(COUPLINGS)
    assert len(MECHANISMS) == len(COUPLINGS) * len(FEATURE_MAPS)


CELLS = {
    name: (MECHANISMS[name], X[0], Y[0]) for name in ("positive simplex", "trigonometric orthogonal")
} | {name: (mechanism, every.X, every.Y) for name, mechanism in every.MECHANISMS.items()}


@pytest.mark.parametrize("name", CELLS)
def test_reads_do_not_grow_with_the_blocks(name):
    """The device is waited for when inputs are checked, not block by block."""
    mechanism, *pair = CELLS[name]
    few, many = (
        reads(lambda x, y, b=blocks: mechanism.estimate(STREAM, range(b), x, y), *pair) for blocks in (3, 30)
    )
    assert few == many


@pytest.mark.parametrize("coupling", ["iid", "orthogonal", "simplex"])
@pytest.mark.parametrize("feature", ["positive", "trigonometric"])
@pytest.mark.parametrize(("d", "m", "n"), [(6, 7, 1), (6, 6, 3), (64, 64, 2), (64, 130, 4)])
def test_fused_estimates(coupling, feature, d, m, n):
    x, y = np.random.default_rng(d + n).standard_normal((2, n, d)) / (2 * np.sqrt(d))
    mechanism = Mechanism(feature, coupling, m)
    compare(lambda x, y: Fused(mechanism, STREAM, x, y)(range(20)), x, y)
    assert reads(lambda x, y: Fused(mechanism, STREAM, x, y)(range(2)), x, y) == reads(
        lambda x, y: Fused(mechanism, STREAM, x, y)(range(3000)), x, y
    )


@pytest.mark.parametrize(("d", "k"), [(64, 2), (64, 8), (64, 32), (16, 16)])
def test_frames(d, k):
    """With more than a few columns by Cholesky factors, on a device alone; Haar all the same, and orthogonal."""
    gaussian = STREAM.normals(range(50), d * k).reshape(50, d, k)
    compare(orthonormal_columns, gaussian, error=1e-10)
    frame = orthonormal_columns(DEVICE.asarray(gaussian)).held
    assert np.abs(np.swapaxes(frame, -1, -2) @ frame - np.eye(k)).max() < 1e-13


@pytest.mark.parametrize("name", ATTENTIONS)
def test_attention(name):
    compare(lambda q, k: attention_mechanism(name, 8, q, k).gram(STREAM, range(2), q, k), X, Y)
    for causal in (False, True):
        compare(
            lambda q, k, v, c=causal: linear_attention(
                attention_mechanism(name, 8, q, k), STREAM, q, k, v, causal=c, tile=2
            ),
            X, Y, V,
        )  # fmt: skip


def test_exact_attention():
    compare(lambda q, k, v: softmax_attention(q, k, v, causal=True), X, Y, V)


def test_statistics_of_the_engine():
    """What the engine runs, and the copy that it makes of the values."""
    x = np.full(64, 0.2)
    for coupling in ("iid", "orthogonal", "simplex"):
        mechanism = Mechanism("positive", coupling, 64)
        compare(lambda x, m=mechanism: TiltedMoment(m, STREAM, x, x)(range(50)), x)
    device = TiltedMoment(mechanism, STREAM, DEVICE.asarray(x), DEVICE.asarray(x))
    assert run(device, 100) == run(TiltedMoment(mechanism, STREAM, x, x), 100)
    for feature in ("positive", "trigonometric"):
        for gap, law in ((PairGap, ("orthogonal",)), (SharedGap, ())):
            found, expected = (
                gap(feature, *law, STREAM, d=64, length=0.5, xp=xp)(range(50))
                for xp in (DEVICE, namespace("numpy"))
            )
            assert np.abs(found.held - expected).max() < 1e-12 * np.abs(expected).max()


# ---- the stand-in itself


@pytest.mark.parametrize(
    "planted",
    [
        lambda x: np.asarray(x),
        lambda x: x + np.ones(6),
        lambda x: np.ones(6) * x,
        lambda x: np.exp(x),
        lambda x: DEVICE.sum(np.ones(3)),
        lambda x: operator.setitem(x, 0, np.ones(6)),
        lambda x: DEVICE.einsum("ij->i", x),
        lambda x: DEVICE.linalg.solve(DEVICE.eye(6), DEVICE.ones((2, 6, 1))),
        lambda x: x.sum(),
    ],
)
def test_what_a_device_refuses(planted):
    with pytest.raises((TypeError, ValueError, AttributeError)):
        planted(DEVICE.asarray(X))


def test_the_stand_in_counts_as_a_device():
    x = DEVICE.asarray(X)
    assert array_namespace(x) is DEVICE
    assert on_device(DEVICE)
    READS.clear()
    assert float(DEVICE.sum(x)) == pytest.approx(X.sum())
    assert np.array_equal(to_host(x), X)
    assert READS == ["float", "get"]
    assert np.isnan(DEVICE.linalg.cholesky(-1.0 * DEVICE.eye(2)).held).all()
