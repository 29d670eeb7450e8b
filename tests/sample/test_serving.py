"""Streams whose estimates come from kernels where there are some; what can be used, and why not."""

from __future__ import annotations

import ctypes
import logging
import sys
import types
from typing import Any

import numpy as np
import pytest

from rftheory.errors import BackendUnavailable, InvalidInput
from rftheory.sample import Mechanism, Stream, namespace
from rftheory.sample import arrays as own
from rftheory.sample.arrays import NOT_INSTALLED, cupy_problem, device_name, device_settings
from rftheory.sample.fused import has_kernels
from rftheory.sample.serving import ServedStream, serving
from tests import gpu_stand_in
from tests.sample.device_double import DEVICE, DeviceArray

X, Y = np.random.default_rng(5).standard_normal((2, 20)) / 10
needs_compiler = pytest.mark.skipif(gpu_stand_in.COMPILER is None, reason="no C++ compiler is installed")


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The stand-in is the CuPy of this process."""
    for name, module in gpu_stand_in.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    return sys.modules["cupy"]


@pytest.mark.parametrize("feature", ["positive", "trigonometric"])
@pytest.mark.parametrize("coupling", ["iid", "orthogonal", "simplex"])
def test_kernels_serve_with_the_portable_draws(feature, coupling):
    mechanism, stream = Mechanism(feature, coupling, 20), serving(np, "serve")
    found = mechanism.estimate(stream, range(50), X, Y)
    expected = mechanism.estimate(Stream(stream.key, "portable"), range(50), X, Y)
    assert np.abs(found / expected - 1).max() < 1e-12
    assert stream.describe(np) == {"stream": "portable", "engine": "compiled", "device": "CPU"}


@pytest.mark.parametrize(
    "job",
    [
        lambda stream: Mechanism("positive", "simplex+", 20).estimate(stream, range(9), X, Y),
        lambda stream: Mechanism("hyperbolic", "simplex", 20).estimate(stream, range(9), X, Y),
        lambda stream: Mechanism("positive", "simplex", 8).estimate(stream, range(9), X[:8], Y[:8]),
        lambda stream: Mechanism("positive", "simplex", 8).estimate(stream, range(9), X, -X),
    ],
)
def test_arrays_serve_the_rest(job):
    """Another coupling, another map, few dimensions, no vector at all: the numbers of a plain stream."""
    stream = serving(np, "serve")
    assert np.array_equal(job(stream), job(Stream(stream.key, "native")))
    assert stream.describe(np)["engine"] == "array"
    assert stream.describe(np)["stream"] == "native"


def test_without_kernels_arrays_serve():
    stream = serving(np, "serve", kernels=False)
    Mechanism("positive", "simplex", 20).estimate(stream, range(9), X, Y)
    assert stream.describe(np) == {"stream": "native", "engine": "array", "device": "CPU"}


def test_wrong_requests_are_refused_as_ever():
    mechanism = Mechanism("positive", "simplex", 20)
    with pytest.raises(InvalidInput):
        mechanism.estimate(serving(np, "serve"), range(9), X, Y, "cosine")
    assert not has_kernels("positive simplex")


@needs_compiler
def test_a_device_serves_with_its_kernels(device):
    mechanism, stream = Mechanism("positive", "simplex", 20), serving(DEVICE, "serve")
    found = mechanism.estimate(stream, range(50), DEVICE.asarray(X), DEVICE.asarray(Y))
    assert isinstance(found, DeviceArray)
    expected = mechanism.estimate(Stream(stream.key), range(50), X, Y)
    assert np.abs(found.held / expected - 1).max() < 1e-12
    assert stream.describe(DEVICE) == {
        "stream": "portable", "engine": "cuda", "device": gpu_stand_in.NAME
    }  # fmt: skip


@needs_compiler
def test_odd_dimensions_stay_with_the_arrays_on_a_device(device):
    stream = ServedStream(7, engine="cuda")
    x, y = (DEVICE.asarray(one[:19]) for one in (X, Y))
    Mechanism("positive", "simplex", 20).estimate(stream, range(9), x, y)
    assert stream.used == {"array"}


# ---- what can be used


@needs_compiler
def test_a_device_with_known_answers_is_taken(device):
    assert cupy_problem() == ""
    assert namespace("auto") is DEVICE
    assert device_name(DEVICE) == gpu_stand_in.NAME


def broken(**changed: Any) -> types.ModuleType:
    made = gpu_stand_in.cupy()
    made.__dict__.update(changed)
    return made


class WrongAnswers(gpu_stand_in.RawKernel):
    def __call__(self, grid: Any, threads: Any, arguments: Any) -> None:
        super().__call__(grid, threads, arguments)
        arguments[0].held[2] ^= 1


def refuses(*arguments: Any) -> None:
    raise RuntimeError("NVRTC_ERROR_INVALID_OPTION:\n  sm_999")


PROBLEMS = {
    "no CUDA device answers": {"cuda": types.SimpleNamespace(is_available=lambda: False)},
    "wrong answers": {"RawKernel": WrongAnswers},
    "RuntimeError: NVRTC_ERROR_INVALID_OPTION: sm_999": {"RawKernel": refuses},
    "wrong exponentials": {"exp": lambda x: DEVICE.exp(x) * 1.001},
}


@needs_compiler
@pytest.mark.parametrize("words", PROBLEMS)
def test_why_a_device_is_not_taken(words, device, monkeypatch, caplog):
    """A driver that answers is not enough; auto falls back and says why, once, cupy is refused with the reason."""
    monkeypatch.setitem(sys.modules, "cupy", broken(**PROBLEMS[words]))
    own._say_once.cache_clear()
    assert words in cupy_problem()
    with caplog.at_level(logging.WARNING, "rftheory"):
        assert namespace("auto") is namespace("numpy")
        assert namespace("auto") is namespace("numpy")
    assert [words in record.getMessage() for record in caplog.records] == [True]
    with pytest.raises(BackendUnavailable, match="cupy"):
        namespace("cupy")


def test_warnings_of_cupy_are_no_errors(device, monkeypatch):
    import warnings

    def warns() -> bool:
        warnings.warn("CUDA path could not be detected", UserWarning, stacklevel=1)
        return False

    monkeypatch.setitem(sys.modules, "cupy", broken(cuda=types.SimpleNamespace(is_available=warns)))
    assert cupy_problem().endswith("no CUDA device answers")


def test_no_cupy_is_no_news(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert cupy_problem() == NOT_INSTALLED
    assert namespace("auto") is namespace("numpy")
    assert not caplog.records


@pytest.mark.parametrize("wrong", ["", "a", "0,0", "-1", "0,,1", "1.5"])
def test_wrong_devices(wrong):
    with pytest.raises(InvalidInput, match="--device"):
        device_settings(wrong)


def test_devices_beyond_those_that_are_seen(monkeypatch):
    monkeypatch.setenv(own.VISIBLE, "3")
    assert device_settings("0") == [{own.VISIBLE: "3"}]
    with pytest.raises(InvalidInput, match="below 1"):
        device_settings("1")


def test_the_first_kernel_is_philox():
    """The words that it has to give are those of the sampler's own Philox, and of its source on the host."""
    from rftheory.sample.stream import philox4x32

    zero = np.zeros(1, dtype=np.uint64)
    assert [int(word[0]) for word in philox4x32((zero,) * 4, (0, 0))] == own._FIRST_WORDS
    if gpu_stand_in.COMPILER:
        out = (ctypes.c_uint * 4)()
        gpu_stand_in.built(gpu_stand_in._HOST + own._FIRST_KERNEL).first(out)
        assert list(out) == own._FIRST_WORDS
