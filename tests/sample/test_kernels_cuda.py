"""The fused CUDA source: on the host its arithmetic, with nvcc its syntax, on a device all of it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.sample import Fused, Mechanism, Stream, namespace, to_host
from rftheory.sample.chi import coefficients
from rftheory.sample.kernels_cuda import SOURCE, Sizes, estimates, power_sums
from rftheory.sample.rotations import frame_of

COUPLINGS = ("iid", "orthogonal", "simplex")
FEATURES = ("positive", "trigonometric")
STREAM = Stream.named("fused cuda")
COMPILER = next((found for found in map(shutil.which, ("c++", "g++", "clang++")) if found), None)
NVCC = shutil.which("nvcc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler is installed")
needs_nvcc = pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")


class Case:
    """Pairs, their frame and the series of the chi laws, as the kernels take them."""

    def __init__(self, coupling: str, feature: str, d: int, m: int, n: int, real: str = "float64") -> None:
        rng = np.random.default_rng(d + n)
        self.x, self.y = rng.standard_normal((2, n, d)) * 0.7 / np.sqrt(d)
        self.coupling, self.feature, self.m = coupling, feature, m
        self.coordinates = frame_of(self.x + self.y if feature == "positive" else self.x - self.y)[1]
        k = self.coordinates.shape[0]
        self.chis = coefficients(d)
        self.rests = coefficients(d - k) if coupling == "iid" else ()
        self.sizes = Sizes(d, k, n, COUPLINGS.index(coupling), FEATURES.index(feature), real)

    def fused(self) -> Fused:
        return Fused(Mechanism(self.feature, self.coupling, self.m), STREAM, self.x, self.y)

    def head(self) -> tuple:
        return (
            self.sizes.d,
            self.m,
            self.sizes.coupling,
            self.sizes.feature,
            self.coordinates,
            self.chis,
            self.rests,
        )


def compiled(case: Case, folder: Path) -> ctypes.CDLL:
    target = folder / "fused.so"
    flags = ("-O1", "-std=c++14", "-Wall", "-Werror", "-shared", "-fPIC", "-x", "c++")
    command = [COMPILER, *flags, *case.sizes.flags(host=True), str(SOURCE), "-o", str(target)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return ctypes.CDLL(str(target))


def on_host(library: ctypes.CDLL, case: Case, blocks: range, moments: tuple | None = None) -> np.ndarray:
    real = np.float32 if case.sizes.real == "float32" else np.float64
    arrays = [
        np.ascontiguousarray(a, dtype=real) for a in (case.coordinates, case.chis, case.rests or (0.0,))
    ]
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]
    n = case.sizes.pairs
    out = np.empty((len(blocks), n) if moments is None else (n, 4))
    head = [
        out.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_uint64(blocks.start),
        ctypes.c_uint64(len(blocks)),
        ctypes.c_uint64(STREAM.key),
        ctypes.c_int(case.m),
        pointers[0],
        pointers[1],
        ctypes.c_int(len(case.chis)),
        pointers[2],
        ctypes.c_int(len(case.rests)),
    ]
    if moments is None:
        library.fused_estimates(*head)
    else:
        ends = [np.ascontiguousarray(a, dtype=np.float64) for a in moments]
        library.fused_power_sums(*head, *(a.ctypes.data_as(ctypes.c_void_p) for a in ends))
    return out


SHAPES = [(64, 64, 1), (64, 150, 2), (18, 11, 1), (66, 70, 3)]


def shapes(coupling: str) -> list[tuple[int, int, int]]:
    return [shape for shape in SHAPES if coupling != "iid" or shape[0] - shape[2] >= 16]


@needs_compiler
@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("feature", FEATURES)
def test_the_source_on_the_host_gives_the_array_engines_estimates(coupling, feature, tmp_path):
    for d, m, n in shapes(coupling):
        case, folder = Case(coupling, feature, d, m, n), tmp_path / f"{d}-{m}-{n}"
        folder.mkdir()
        library, fused = compiled(case, folder), case.fused()
        for blocks in (range(40), range(2**32 - 5, 2**32 + 5)):
            raw = on_host(library, case, blocks)
            found = np.exp(raw + fused.offsets) if feature == "positive" else raw * np.exp(fused.offsets)
            assert np.abs(found - fused(blocks)).max() < 1e-12
        assert np.abs(on_host(library, case, range(1, 41)) - on_host(library, case, range(40))).max() > 1e-3
        offsets, centres = np.broadcast_to(fused.offsets, (n,)), np.full(n, 0.9)
        sums = on_host(library, case, range(40), (offsets, centres))
        error = fused(range(40)) - 0.9
        expected = np.stack([(error**p).sum(0) for p in (1, 2, 3, 4)], axis=1)
        assert np.abs(sums - expected).max() < 1e-11


@needs_compiler
@pytest.mark.parametrize("coupling", COUPLINGS)
def test_single_precision_is_the_same_draw(coupling, tmp_path):
    case = Case(coupling, "positive", 64, 64, 1, "float32")
    raw = on_host(compiled(case, tmp_path), case, range(100))
    assert 0 < np.abs(np.exp(raw + case.fused().offsets) / case.fused()(range(100)) - 1).max() < 1e-4


@needs_compiler
@pytest.mark.parametrize(
    "planted", ["0x9E3779B9u", "lane + c / 2 * T) + c % 2 < D - 1", "pass < 2", "last ? head"]
)
def test_a_changed_source_is_noticed(planted, tmp_path, monkeypatch):
    """The comparison above sees a wrong key schedule, simplex, or order of draws, and a second pass left out."""
    changed = {
        "0x9E3779B9u": "0x9E3779B1u",
        "lane + c / 2 * T) + c % 2 < D - 1": "lane + c / 2 * T) + c % 2 < D - 2",
        "pass < 2": "pass < 0",
        "last ? head": "last ? -head",
    }[planted]
    text = SOURCE.read_text()
    assert planted in text
    source = tmp_path / "changed.cu"
    source.write_text(text.replace(planted, changed))
    monkeypatch.setattr(f"{__name__}.SOURCE", source)
    case = Case("simplex", "positive", 64, 64, 2)
    raw = on_host(compiled(case, tmp_path), case, range(40))
    assert np.abs(np.exp(raw + case.fused().offsets) - case.fused()(range(40))).max() > 1e-6


@needs_nvcc
@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("real", ["float32", "float64"])
def test_nvcc_compiles_the_source(coupling, real, tmp_path):
    for n in (1, 8) if real == "float32" else (1,):
        sizes = Case(coupling, "positive", 64, 64, n, real).sizes._replace(fast=real == "float32")
        target = tmp_path / f"{n}.ptx"
        command = [NVCC, "-ptx", "-arch=sm_90", "-std=c++17", *sizes.flags(), str(SOURCE), "-o", str(target)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        assert target.read_text().count(".entry fused_") == 2


@pytest.mark.parametrize(
    "sizes",
    [
        Sizes(63, 1, 1, 1, 0, "float32"),
        Sizes(64, 17, 17, 1, 0, "float32"),
        Sizes(64, 1, 1, 1, 0, "float16"),
        Sizes(64, 1, 1, 1, 0, "float64", fast=True),
    ],
)
def test_sizes_that_do_not_fit(sizes):
    with pytest.raises((InvalidInput, OutsideDomain)):
        sizes.flags()


@pytest.mark.parametrize(("d", "lanes"), [(2, 1), (8, 1), (10, 2), (64, 8), (256, 32), (4096, 32)])
def test_lanes(d, lanes):
    assert Sizes(d, 1, 1, 1, 0, "float32").lanes == lanes


@pytest.mark.gpu
@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("feature", FEATURES)
def test_the_device_gives_the_array_engines_estimates(coupling, feature):
    xp = namespace("cupy")
    for d, m, n in [*shapes(coupling), (512, 512, 1)]:
        for real, error in (("float64", 1e-11), ("float32", 1e-3)):
            case, blocks = Case(coupling, feature, d, m, n, real), range(2**32 - 50, 2**32 + 50)
            fused = case.fused()
            raw = to_host(estimates(STREAM.key, blocks, *case.head(), real=real))
            found = np.exp(raw + fused.offsets) if feature == "positive" else raw * np.exp(fused.offsets)
            assert np.abs(found - fused(blocks)).max() < error
            offsets, centres = np.broadcast_to(fused.offsets, (n,)), np.full(n, 0.9)
            sums = to_host(power_sums(STREAM.key, blocks, *case.head(), offsets, centres, real=real))
            expected = np.stack([((fused(blocks) - 0.9) ** p).sum(0) for p in (1, 2, 3, 4)], axis=1)
            assert np.abs(sums - expected).max() < 100 * error
        device = Fused(
            Mechanism(feature, coupling, m), STREAM, xp.asarray(case.x), xp.asarray(case.y), engine="cuda"
        )
        assert np.abs(to_host(device(blocks)) - fused(blocks)).max() < 1e-11
