"""Streams whose estimates come from kernels where there are some; what can be used, and why not."""

from __future__ import annotations

import logging
import sys
import types
from typing import Any

import numpy as np
import pytest

from rftheory.errors import BackendUnavailable, InvalidInput
from rftheory.sample import Mechanism, Stream, coupling, namespace, project
from rftheory.sample import arrays as own
from rftheory.sample.arrays import NOT_INSTALLED, cupy_problem, device_name, device_settings
from rftheory.sample.chi import polynomial
from rftheory.sample.couplings import COUPLINGS
from rftheory.sample.fused import has_kernels, kind_of
from rftheory.sample.norms import CHI, FIXED
from rftheory.sample.projections import Geometric, project_with_norms
from rftheory.sample.serving import ServedStream, serving
from rftheory.sample.shapes import SIMPLEX
from rftheory.sample.stream_cuda import stream_normals, stream_words
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
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    for d in (2, 3, 15, 20):
        mechanism, stream = Mechanism(feature, coupling, 20), serving(np, "serve")
        found = mechanism.estimate(stream, range(50), X[:d], Y[:d])
        expected = mechanism.estimate(Stream(stream.key, "portable"), range(50), X[:d], Y[:d])
        assert np.abs(found / expected - 1).max() < 1e-12
        assert stream.describe(np) == {"stream": "portable", "engine": "compiled", "device": "CPU"}


def inputs_of(d: int) -> dict[str, np.ndarray]:
    """Vectors of dimension d: independent ones, dependent ones, with zeros among them, much longer ones."""
    rng = np.random.default_rng(d)
    two, many = rng.standard_normal((2, d)), rng.standard_normal((d + 1, d))
    return {
        "one": two[:1], "two": two, "many": many, "parallel": rng.standard_normal((3, 1)) * two[:1],
        "one zero": two * [[0.0], [1.0]], "zero": 0 * two, "long": two * [[1e9], [1.0]],
    }  # fmt: skip


LAWS = [*COUPLINGS.values(), Geometric("simplex-fixed", shape=SIMPLEX, norm_law=FIXED)]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("d", [1, 2, 3, 6, 16, 19])
def test_kernels_project_as_arrays_do(law, d):
    """Of a portable stream both draw the same numbers, for any number of rows and vectors of any rank."""
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    blocks = range(2**33 - 2, 2**33 + 1)
    for m in sorted({1, max(1, d - 1), d, 2 * d + 1}) if d >= law.min_dim else ():
        for vectors in inputs_of(d).values():
            for via in ("frame", "matrix"):
                served = ServedStream(7)
                found = project_with_norms(law, served, blocks, vectors, m, via=via)
                expected = project_with_norms(law, Stream(7), blocks, vectors, m, via=via)
                assert found.values.shape == expected.values.shape
                assert found.dim == expected.dim
                lengths = np.linalg.norm(vectors, axis=1)
                error = np.abs(found.values - expected.values)
                assert (error <= 1e-11 * lengths * expected.norms.max()).all()
                assert (np.abs(found.norms - expected.norms) <= 1e-13 * expected.norms).all()
                if via == "frame" and kind_of(law, CHI, FIXED) and lengths.any():
                    assert "compiled" in served.used


def test_each_kernel_is_used_where_there_is_one():
    """Estimates and projections come from kernels altogether, frames alone where another shape or norms follow."""
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    vectors, blocks = np.eye(3), range(9)
    used = {
        "iid": {"compiled"}, "orthogonal": {"compiled"}, "simplex": {"compiled"}, "orthogonal-fixed": {"compiled"},
        "simplex+": {"array", "compiled"}, "hadamard-simplex": {"array"}, "sobol": {"array"},
    }  # fmt: skip
    for name, expected in used.items():
        stream = serving(np, "serve")
        project(coupling(name), stream, blocks, vectors, 3)
        assert stream.used == expected, name
    few = serving(np, "serve")
    project(coupling("orthogonal"), few, blocks, vectors, 2)  # all three vectors need rows that are not drawn
    assert few.used == {"array", "compiled"}
    assert few.describe(np) == {
        "stream": "native and portable", "engine": "array and compiled", "device": "CPU"
    }  # fmt: skip


def test_a_child_draws_as_its_parent_and_tells_it():
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    stream = serving(np, "serve")
    project(coupling("orthogonal"), stream.child("inner"), range(9), np.eye(3), 3)
    assert stream.used == {"compiled"}
    found = project(coupling("iid"), stream.child("inner"), range(9), np.eye(3), 3)
    assert (
        np.abs(
            found - project(coupling("iid"), Stream(stream.key).child("inner"), range(9), np.eye(3), 3)
        ).max()
        < 1e-13
    )


@pytest.mark.parametrize(
    "job",
    [
        lambda stream: Mechanism("positive", "hadamard-simplex", 20).estimate(stream, range(9), X, Y),
        lambda stream: Mechanism("hyperbolic", "sobol", 20).estimate(stream, range(9), X, Y),
        lambda stream: Mechanism("positive", "simplex", 8).estimate(stream, range(9), X, -X),
    ],
)
def test_arrays_serve_the_rest(job):
    """A coupling without kernels, no vector at all: the numbers of a plain stream."""
    stream = serving(np, "serve")
    assert np.array_equal(job(stream), job(Stream(stream.key, "native")))
    assert stream.describe(np)["engine"] == "array"
    assert stream.describe(np)["stream"] == "native"


def test_without_the_compiler_arrays_serve(monkeypatch):
    monkeypatch.setattr("rftheory.sample.serving.numba_missing", lambda: True)
    stream = ServedStream(7)
    assert stream.projected(coupling("iid"), range(9), np.eye(3), 3) is None
    assert stream.frames(range(9), 1, 2, 3, np) is None


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
        arguments[0].held[0, 2] ^= 1


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


@needs_compiler
@pytest.mark.parametrize(
    "blocks", [range(3), range(2**32 - 2, 2**32 + 2), range(2**63 - 3, 2**63 - 1), range(0)]
)
@pytest.mark.parametrize("count", [1, 4, 10])
def test_the_words_of_a_device_are_those_of_the_stream(blocks, count, device):
    """The kernel, compiled for the host, gives the words of the arrays, in every place of the result."""
    stream = Stream.named("words")
    found = stream_words(blocks, count, 9, stream.key).get()
    assert found.shape == (len(blocks), count)
    if len(blocks):
        assert np.array_equal(found, stream.bits(blocks, count, 9))


@needs_compiler
@pytest.mark.parametrize("blocks", [range(3), range(2**32 - 2, 2**32 + 2)])
@pytest.mark.parametrize("count", [1, 2, 11])
def test_the_normals_and_chis_of_a_device_are_those_of_the_stream(blocks, count, device):
    """The kernel, compiled for the host, draws what arrays draw, for odd numbers of draws too."""
    stream = Stream.named("normals")
    for single, dtype in ((False, "float64"), (True, "float32")):
        accuracy = 20 * np.finfo(dtype).eps
        found = stream_normals(blocks, count, 9, stream.key, single).get()
        assert found.shape == (len(blocks), count)
        assert found.dtype == dtype
        assert np.abs(found - stream.normals(blocks, count, 9, dtype=dtype)).max() <= accuracy
        for dof in (16, 64, 4096):
            drawn = stream_normals(blocks, count, 9, stream.key, single, polynomial(dof)).get()
            error = drawn - stream.chis(blocks, count, dof, 9, dtype=dtype)
            assert np.abs(error).max() <= accuracy * np.sqrt(dof)
            # One degree of freedom too many does not pass.
            wrong = stream_normals(blocks, count, 9, stream.key, single, polynomial(dof + 1)).get()
            assert np.abs(wrong - stream.chis(blocks, count, dof, 9, dtype=dtype)).max() > 1e-3


def test_the_first_words_are_those_of_philox():
    from rftheory.sample.stream import philox4x32

    zero = np.zeros(1, dtype=np.uint64)
    assert [int(word[0]) for word in philox4x32((zero,) * 4, (0, 0))] == own._FIRST_WORDS
