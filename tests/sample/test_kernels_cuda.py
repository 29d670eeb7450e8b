"""The fused CUDA source: on the host its arithmetic, with nvcc its syntax, on a device all of it."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import gpu_compile, gpu_products
from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.sample import Fused, Mechanism, Stream, namespace, to_host
from rftheory.sample.kernels_cuda import OPTIONS, Request, Sizes, estimates, grid, power_sums
from rftheory.sample.rotations import frame_of
from tests.gpu_stand_in import COMPILER, by_value

COUPLINGS = ("iid", "orthogonal", "simplex")
FEATURES = ("positive", "trigonometric")
STREAM = Stream.named("fused cuda")
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
        self.real = real

    def request(self, blocks: range, *, fast: bool = False) -> Request:
        codes = COUPLINGS.index(self.coupling), FEATURES.index(self.feature)
        head = (STREAM.key, blocks, self.x.shape[1], self.m, *codes, self.coordinates)
        return Request(*head, self.real, fast)

    @property
    def sizes(self) -> Sizes:
        return self.request(range(1)).sizes

    def fused(self) -> Fused:
        return Fused(Mechanism(self.feature, self.coupling, self.m), STREAM, self.x, self.y)

    def offsets(self) -> np.ndarray:
        return np.broadcast_to(self.fused().offsets, (len(self.x),))

    def values(self, raw: np.ndarray) -> np.ndarray:
        """Estimates from what the kernels return."""
        offsets = self.fused().offsets
        return np.exp(raw + offsets) if self.feature == "positive" else raw * np.exp(offsets)


def compiled(sources: dict[Any, str], folder: Path, head: str, *flags: str) -> dict[Any, SimpleNamespace]:
    """The functions of each source. All become one translation unit, so that what they share is read once."""
    parts, names = [head], (*gpu_compile.ENTRIES, "launch_estimates", "launch_sums")
    for i, text in enumerate(sources.values()):
        macros = {*names, *re.findall(r"^ *#define (\w+)", text, re.M)}
        parts += [f"#define {name} {name}_{i}" for name in names]
        parts += [f"namespace variant_{i} {{", text, "}", *(f"#undef {macro}" for macro in macros)]
    source, target = folder / "fused.cpp", folder / "fused.so"
    source.write_text("\n".join(parts))
    flags = ("-std=c++14", "-Wall", "-Werror", "-shared", "-fPIC", *flags)
    subprocess.run([COMPILER, *flags, str(source), "-o", str(target)], check=True, capture_output=True)
    library = ctypes.CDLL(str(target))
    return {
        key: SimpleNamespace(**{name: getattr(library, f"{name}_{i}", None) for name in names})
        for i, key in enumerate(sources)
    }


def on_host(library: SimpleNamespace, case: Case, blocks: range, moments: tuple | None = None) -> np.ndarray:
    request, n = case.request(blocks), len(case.x)
    job = request.job(*(moments or (np.zeros(n), np.zeros(n))))
    out = np.empty((len(blocks), n) if moments is None else (n, 4))
    function = library.fused_estimates if moments is None else library.fused_power_sums
    function(out.ctypes.data_as(ctypes.c_void_p), by_value(job))
    return out


WARP = Path(__file__).with_name("warp.hpp").read_text()
LAUNCHES = """
extern "C" void launch_estimates(unsigned grid, unsigned threads, double *out, const Job job) {
    launch(grid, threads, [=] { fused_estimates(out, job); });
}
extern "C" void launch_sums(unsigned grid, unsigned threads, double *out, const Job job) {
    launch(grid, threads, [=] { fused_power_sums(out, job); });
}
"""


def in_warps(
    library: SimpleNamespace, request: Request, cuda_blocks: int, moments: tuple | None = None
) -> np.ndarray:
    n, sizes = request.sizes.pairs, request.sizes
    threads = sizes.threads if sizes.lanes > 32 else 64  # fewer threads are enough for two warps
    job = request.job(*(moments or (np.zeros(n), np.zeros(n))))
    out = np.full(
        (len(request.blocks), n) if moments is None else (cuda_blocks * threads // 32, n, 4), np.nan
    )
    function = library.launch_estimates if moments is None else library.launch_sums
    grid_and_threads = ctypes.c_uint(cuda_blocks), ctypes.c_uint(threads)
    function(*grid_and_threads, out.ctypes.data_as(ctypes.c_void_p), by_value(job))
    return out if moments is None else out.sum(0)


SHAPES = [(64, 64, 1), (64, 150, 2), (18, 11, 1), (66, 70, 3)]


def changed(text: str, planted: dict[str, str]) -> dict[str, str]:
    """The source with one error each, by what the error replaces."""
    return {old: text.replace(old, new) for old, new in planted.items()}


def shapes(coupling: str) -> list[tuple[int, int, int]]:
    return [shape for shape in SHAPES if coupling != "iid" or shape[0] - shape[2] >= 16]


PLANTED = {
    "(u64)0xD2511F53u": "(u64)0xD2511F51u",
    "row_at(lane, c) < D - 1": "row_at(lane, c) < D - 2",
    "pass < 2": "pass < 0",
    "value[c] = head;": "value[c] = -head;",
    "job.start + (first + i)": "job.start + (first + i + 1)",
    "* inverse[i] * inverse[i]": "* inverse[i]",
    "value[2 * c + 1] *= scale[2 * c + 1]": "value[2 * c + 1] *= scale[2 * c]",
}


CHANGED = Case("simplex", "positive", 64, 64, 2)


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """The source by one thread a block, by its sizes, and the changed ones by what is planted in them."""
    kinds = list(product(COUPLINGS, FEATURES))
    cases = [Case(*kind, *shape) for kind in kinds for shape in shapes(kind[0])]
    cases += [Case(*kind, 64, 64, 1, "float32") for kind in kinds]
    sources = {case.sizes: case.sizes.source(host=True) for case in cases}
    sources |= changed(CHANGED.sizes.source(host=True), PLANTED)
    return compiled(sources, tmp_path_factory.mktemp("host"), "#include <cmath>", "-O1")


@needs_compiler
@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("feature", FEATURES)
def test_the_source_on_the_host_gives_the_array_engines_estimates(coupling, feature, host):
    for d, m, n in shapes(coupling):
        case = Case(coupling, feature, d, m, n)
        library, fused = host[case.sizes], case.fused()
        for blocks in (range(40), range(2**32 - 5, 2**32 + 5), range(2**63 - 3, 2**63 + 3)):
            found = case.values(on_host(library, case, blocks))
            assert np.abs(found - fused(blocks)).max() < 1e-12
        assert np.abs(on_host(library, case, range(1, 41)) - on_host(library, case, range(40))).max() > 1e-3
        sums = on_host(library, case, range(40), (case.offsets(), np.full(n, 0.9)))
        error = fused(range(40)) - 0.9
        expected = np.stack([(error**p).sum(0) for p in (1, 2, 3, 4)], axis=1)
        assert np.abs(sums - expected).max() < 1e-11


WARPS = [
    ("iid", "positive", 64, 64, 2, "float64", False),
    ("iid", "trigonometric", 66, 40, 1, "float32", True),
    ("orthogonal", "positive", 18, 11, 1, "float64", False),
    ("orthogonal", "trigonometric", 64, 128, 2, "float64", False),
    ("simplex", "positive", 64, 64, 1, "float32", True),
    ("simplex", "positive", 66, 70, 2, "float64", False),
    ("simplex", "trigonometric", 512, 512, 1, "float32", False),
    ("simplex", "positive", 64, 64, 16, "float32", True),
    ("iid", "positive", 64, 64, 1, "float32", False),
    ("orthogonal", "positive", 512, 300, 1, "float64", False),
    ("simplex", "trigonometric", 1024, 1024, 1, "float32", False),
]


WARP_PLANTED = {
    "step = threads / 2; step > 0;": "step = threads / 2; step > 1;",
    "if (i == turn_of(at.lane))": "if (i == 0)",
    "&& block < job.count;": ";",
    "lane % N == j : lane": "j == 0 : lane",
    "at.groups + at.group, drawing": "at.groups, drawing",
    "PLACE {THREAD / T,": "PLACE {THREAD % T,",
    "over_threads<Plus>(x, WARP); }": "over_threads<Plus>(x, T); }",
    "2 * (lane + c / 2 * T)": "2 * (lane * PAIRS + c / 2)",
}
WARP_CHANGED = Case("simplex", "positive", 18, 18, 2)
WIDE_PLANTED = {
    "met + threadIdx.x / T * (T / WARP)": "met",
    "i < T / WARP; i++)": "i < 0; i++)",
    "x = over_threads<Operation>(x, WARP);": "x = over_threads<Operation>(x, WARP / 2);",
}
WIDE_CHANGED = Case("simplex", "positive", 512, 512, 1)


@pytest.fixture(scope="module")
def warps(tmp_path_factory):
    """The device's path of the source, by one thread of the host; by sizes, and by what is planted."""
    sizes = [Case(*case).request(range(1), fast=fast).sizes for *case, fast in WARPS]
    sources = {one: one.source() for one in sizes}
    sources |= changed(WARP_CHANGED.sizes.source(), WARP_PLANTED)
    sources |= changed(WIDE_CHANGED.sizes.source(), WIDE_PLANTED)
    return compiled(
        {key: text + LAUNCHES for key, text in sources.items()},
        tmp_path_factory.mktemp("warps"), WARP, "-O0", "-Wno-unknown-pragmas",
    )  # fmt: skip


@needs_compiler
@pytest.mark.parametrize(("coupling", "feature", "d", "m", "n", "real", "fast"), WARPS)
def test_lanes_and_rounds_on_the_host(coupling, feature, d, m, n, real, fast, warps):
    """Several groups of lanes, several rounds and a part of one: the estimates of one thread, each block once."""
    case = Case(coupling, feature, d, m, n, real)
    request = case.request(range(7, 7 + 41), fast=fast)
    assert request.sizes.lanes > 1
    fused, library = case.fused(), warps[request.sizes]
    expected = fused(request.blocks)
    error = 1e-11 if real == "float64" else 1e-4
    assert np.abs(case.values(in_warps(library, request, 1)) - expected).max() < error
    sums = in_warps(library, request, 2, (case.offsets(), np.full(n, 0.9)))
    powers = np.stack([((expected - 0.9) ** p).sum(0) for p in (1, 2, 3, 4)], axis=1)
    assert np.abs(sums - powers).max() < 100 * error


@needs_compiler
@pytest.mark.parametrize(
    ("case", "planted"),
    [(WARP_CHANGED, planted) for planted in WARP_PLANTED]
    + [(WIDE_CHANGED, planted) for planted in WIDE_PLANTED],
)
def test_a_wrong_exchange_is_noticed(case, planted, warps):
    """Errors that one thread a block cannot show: all but the estimates or all but the sums may stay right."""
    library, request = warps[planted], case.request(range(39))
    assert request.sizes.source().count(planted) == 1
    moments = case.offsets(), np.full(len(case.x), 0.9)
    expected = case.fused()(request.blocks)
    wrong = [np.abs(in_warps(library, request, 1, moments)[:, 0] - (expected - 0.9).sum(0)).max()]
    if "job.count" not in planted:  # that one writes beyond the estimates
        wrong.append(np.abs(case.values(in_warps(library, request, 1)) - expected).max())
    assert not max(wrong) < 1e-6


@needs_compiler
@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("feature", FEATURES)
def test_single_precision_is_the_same_draw(coupling, feature, host):
    case = Case(coupling, feature, 64, 64, 1, "float32")
    found = case.values(on_host(host[case.sizes], case, range(100)))
    assert 0 < np.abs(found / case.fused()(range(100)) - 1).max() < 1e-5


@needs_compiler
@pytest.mark.parametrize("planted", PLANTED)
def test_a_changed_source_is_noticed(planted, host):
    """The comparison above sees a wrong generator, simplex, order of draws or scale, and a pass left out."""
    case = CHANGED
    assert case.sizes.source(host=True).count(planted) == 1
    raw = on_host(host[planted], case, range(40))
    assert np.abs(case.values(raw) - case.fused()(range(40))).max() > 1e-6


@needs_nvcc
@pytest.mark.parametrize(
    ("coupling", "feature", "n", "fast"),
    [
        ("iid", "positive", 1, True),
        ("orthogonal", "positive", 1, False),
        ("simplex", "trigonometric", 1, False),
        ("simplex", "positive", 3, True),
        ("orthogonal", "positive", 16, True),
    ],
)
def test_nvcc_compiles_the_source(coupling, feature, n, fast, tmp_path):
    """Without local memory."""
    source = tmp_path / "fused.cu"
    source.write_text(
        Case(coupling, feature, 64, 64, n, "float32").request(range(1), fast=fast).sizes.source()
    )
    options = ("-cubin", "-arch=sm_90", *OPTIONS, "-Xptxas", "-v", "-o", str(tmp_path / "fused.cubin"))
    log = subprocess.run([NVCC, *options, str(source)], check=True, capture_output=True, text=True).stderr
    assert log.count("Compiling entry function 'fused_") == 2
    assert log.count("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") == 2


@needs_nvcc
def test_nvcc_compiles_the_source_in_double(tmp_path):
    source = tmp_path / "fused.cu"
    source.write_text(Case("iid", "trigonometric", 18, 18, 2).sizes.source())
    options = ("-ptx", "-arch=sm_90", *OPTIONS, "-o", str(tmp_path / "fused.ptx"))
    subprocess.run([NVCC, *options, str(source)], check=True, capture_output=True)
    assert (tmp_path / "fused.ptx").read_text().count(".entry fused_") == 2


def test_nvrtc_gets_its_built_in_functions_first(monkeypatch, tmp_path):
    """Loaded without them, as it was, it fails here and in all of CuPy, which then finds it loaded."""
    loaded, names = [], ("libnvrtc.so.13", "libnvrtc-builtins.so.13.0")
    monkeypatch.setattr(ctypes, "CDLL", loaded.append)
    for name in names:
        (tmp_path / name).touch()
    gpu_compile.by_nvrtc(tmp_path / names[0])
    assert loaded == [str(tmp_path / name) for name in reversed(names)]


@pytest.mark.skipif(gpu_compile.compiler() is None, reason="neither NVRTC nor nvcc is installed")
@pytest.mark.parametrize("architecture", gpu_compile.ARCHITECTURES)
def test_four_generations_of_devices_have_machine_code(architecture):
    """The draws and a variant of the fused kernels; ``make gpu-compile`` goes through all of them."""
    _, compile = gpu_compile.compiler()
    parts, number = gpu_compile.parts(), gpu_compile.ARCHITECTURES.index(architecture)
    for part in (parts[number % 2], parts[9 + 11 * number]):
        assert gpu_compile.problem(compile, part, architecture) == ""
        assert "error" in gpu_compile.problem(lambda text, at: compile(text + "oops", at), part, architecture)


@pytest.mark.skipif(gpu_compile.compiler() is None, reason="neither NVRTC nor nvcc is installed")
def test_the_experiment_with_products_by_doubles_compiles():
    _, compile = gpu_compile.compiler()
    sizes = Sizes(64, 1, 1, 1, 0, "float32", True, True)
    plain, half = (gpu_products.source(sizes, kind) for kind in list(gpu_products.KINDS)[:2])
    assert compile(plain, "sm_90") != compile(half, "sm_90")


def test_products_by_doubles_are_exact():
    """The identity on which `gpu_products` rests, where each operand is a double."""
    words = np.random.default_rng(1).integers(0, 2**32, 500)
    for m, x in product((0xD2511F53, 0xCD9E8D57), (0, 1, 2**32 - 1, *map(int, words))):
        operands = Fraction(m, 2**32), Fraction(2**84 + 2**32 * x), Fraction(2**84 - m * 2**52)
        assert all(Fraction(float(one)) == one for one in operands)
        exact = operands[0] * operands[1] + operands[2]
        assert 2**84 <= exact < 2**85  # so its last digit, rounded towards zero, is worth 2^32
        assert exact // 2**32 % 2**32 == m * x >> 32


@pytest.mark.parametrize(
    "sizes",
    [
        Sizes(63, 1, 1, 1, 0, "float32"),
        Sizes(64, 17, 17, 1, 0, "float32"),
        Sizes(14, 1, 1, 1, 0, "float32"),
        Sizes(16, 1, 1, 0, 0, "float32"),
        Sizes(64, 1, 1, 1, 0, "float16"),
        Sizes(64, 1, 1, 1, 0, "float64", fast=True),
    ],
)
def test_sizes_that_do_not_fit(sizes):
    with pytest.raises((InvalidInput, OutsideDomain)):
        sizes.source()


def test_requests_that_no_kernel_takes():
    request, nothing = Request(1, range(1), 64, 64, 1, 0, np.ones((1, 1))), np.zeros(1)
    for wrong in (
        request._replace(m=2**28 + 1),
        request._replace(blocks=range(0)),
        request._replace(blocks=range(0, 9, 2)),
    ):
        with pytest.raises((InvalidInput, OutsideDomain)):
            wrong.job(nothing, nothing)


@pytest.mark.parametrize(
    ("d", "frame", "lanes"),
    [
        (2, 1, 1),
        (16, 1, 1),
        (18, 1, 2),
        (64, 1, 4),
        (64, 16, 16),
        (512, 1, 32),
        (4096, 1, 256),
        (4096, 16, 512),
    ],
)
def test_lanes(d, frame, lanes):
    assert Sizes(d, frame, 1, 1, 0, "float32").lanes == lanes
    assert Sizes(d, frame, 1, 1, 0, "float32").threads == max(128, lanes)


def test_fewer_numbers_a_thread_where_more_are_alive():
    independent = Sizes(64, 1, 1, 0, 0, "float32")
    assert (independent.lanes, independent._replace(fast=True).lanes) == (8, 4)
    assert Sizes(64, 1, 1, 1, 0, "float64").lanes == 16


@pytest.mark.parametrize(
    "lanes_of",
    [
        Sizes(64, 1, 1, 1, 0, "float32"),
        Sizes(512, 16, 1, 1, 0, "float64"),
        Sizes(4096, 1, 1, 1, 0, "float64"),
    ],
)
@pytest.mark.parametrize("count", [1, 31, 33, 2**20, 2**24 + 1, 2**40, 2**63])
def test_every_block_has_one_group(lanes_of, count):
    """All rounds of the groups cover the blocks, with less than one round beyond, and indices fit in 64 bits."""
    groups = grid(lanes_of, count) * lanes_of.threads // lanes_of.lanes
    rounds = -(-count // groups)
    assert 1 <= grid(lanes_of, count) <= 2**14
    assert 0 <= rounds * groups - count < groups < 2**31
    assert rounds * groups < 2**64


@pytest.mark.gpu
@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("feature", FEATURES)
def test_the_device_gives_the_array_engines_estimates(coupling, feature):
    xp, blocks = namespace("cupy"), range(2**32 - 50, 2**32 + 51)
    for d, m, n in [*shapes(coupling), (512, 512, 1), (1024, 1100, 2), (4096, 4096, 1)]:
        for real, fast, error in (
            ("float64", False, 1e-11),
            ("float32", False, 1e-4),
            ("float32", True, 1e-3),
        ):
            case = Case(coupling, feature, d, m, n, real)
            fused, request = case.fused(), case.request(blocks, fast=fast)
            assert np.abs(case.values(to_host(estimates(request))) - fused(blocks)).max() < error
            sums = to_host(power_sums(request, case.offsets(), np.full(n, 0.9)))
            expected = np.stack([((fused(blocks) - 0.9) ** p).sum(0) for p in (1, 2, 3, 4)], axis=1)
            assert np.abs(sums - expected).max() < 100 * error
        device = Fused(
            Mechanism(feature, coupling, m), STREAM, xp.asarray(case.x), xp.asarray(case.y), engine="cuda"
        )
        assert np.abs(to_host(device(blocks)) - fused(blocks)).max() < 1e-11


@pytest.mark.gpu
def test_power_sums_are_those_of_the_estimates_on_the_device():
    """Of so many blocks that every group goes through several rounds, in a stream of its own, twice the same."""
    import cupy

    case, blocks = Case("simplex", "positive", 64, 64, 1, "float32"), range(2**20, 2**20 + 3 * 2**20 + 7)
    with cupy.cuda.Stream(non_blocking=True):
        request = case.request(blocks)
        sums, again = (to_host(power_sums(request, case.offsets(), np.full(1, 0.9))) for _ in range(2))
        error = case.values(to_host(estimates(request))) - 0.9
    expected = np.stack([(error**p).sum(0) for p in (1, 2, 3, 4)], axis=1)
    assert np.array_equal(sums, again)
    assert np.abs(sums / expected - 1).max() < 1e-9
