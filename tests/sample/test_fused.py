"""Fused estimates: every engine gives the estimates of the plain path from the same draws."""

from __future__ import annotations

import math
from itertools import pairwise

import array_api_strict
import numpy as np
import pytest
from scipy import special, stats

from rftheory.engine import run
from rftheory.errors import BackendUnavailable, InvalidInput, OutsideDomain, UnknownName
from rftheory.sample import Mechanism, Stream, project
from rftheory.sample.arrays import to_host
from rftheory.sample.chi import LONGEST, chi_of_normal, chi_quantile, polynomial
from rftheory.sample.fused import Fused

COUPLINGS = ("iid", "orthogonal", "simplex")
STREAM = Stream.named("fused")


def inputs(n: int, d: int, norm: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n * d)
    both = rng.standard_normal((2, n, d)) * norm / np.sqrt(d)
    return both[0], both[1]


def plain(mechanism: Mechanism, x: np.ndarray, y: np.ndarray, blocks: range, kernel: str) -> np.ndarray:
    """The definition: projections of the vectors, then the mean of exp or cos."""
    positive = mechanism.feature_map.name == "positive"
    squares = (x * x).sum(1) + (y * y).sum(1)
    values = project(mechanism.coupling, STREAM, blocks, x + y if positive else x - y, mechanism.m)
    sign = -1 if positive else 1
    offset = sign * squares / 2 - (squares / 2 if kernel == "gaussian" else 0)
    return (np.exp(values) if positive else np.cos(values)).mean(1) * np.exp(offset)


SHAPES = [(64, 64, 1), (64, 150, 1), (66, 10, 3), (64, 70, 2)]


@pytest.mark.parametrize("engine", ["array", "compiled"])
@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("feature", ["positive", "trigonometric"])
def test_engines_give_the_estimates_of_the_definition(engine, coupling, feature):
    if engine == "compiled":
        pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    for d, m, n in SHAPES:
        mechanism, (x, y), blocks = Mechanism(feature, coupling, m), inputs(n, d), range(3, 80)
        for kernel in ("gaussian", "softmax"):
            found = Fused(mechanism, STREAM, x, y, kernel, engine=engine)(blocks)
            assert np.abs(found / plain(mechanism, x, y, blocks, kernel) - 1).max() < 1e-12
        # Another block is another draw: the comparison can fail.
        other = Fused(mechanism, STREAM, x, y, engine=engine)(range(4, 81))
        assert np.abs(other / plain(mechanism, x, y, blocks, "gaussian") - 1).max() > 1e-3


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize(("d", "m", "n"), [(20, 2, 4), (40, 3, 5), (33, 1, 10)])
def test_engines_use_the_same_draws_for_fewer_projections_than_vectors(coupling, d, m, n):
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    mechanism, (x, y) = Mechanism("positive", coupling, m), inputs(n, d)
    array, compiled = (Fused(mechanism, STREAM, x, y, engine=engine) for engine in ("array", "compiled"))
    assert np.abs(compiled(range(50)) / array(range(50)) - 1).max() < 1e-12
    assert np.abs(compiled(range(50)) / array(range(1, 51)) - 1).max() > 1e-3


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("feature", ["positive", "trigonometric"])
@pytest.mark.parametrize("d", [2, 3, 15, 16, 17, 20])
def test_chi_laws_of_few_degrees_of_freedom(coupling, feature, d):
    """Of the norms below d = 16, and of what independent projections have outside the frame of one to six vectors."""
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    for n in (1, min(d, 3), min(d, 6)):
        for m in (1, d, 2 * d + 1):
            mechanism, pairs = Mechanism(feature, coupling, m), inputs(n, d)
            expected = Fused(mechanism, STREAM, *pairs)(range(70))
            found = Fused(mechanism, STREAM, *pairs, engine="compiled")(range(70))
            assert found == pytest.approx(expected, rel=1e-11)
            narrow = Fused(mechanism, STREAM, *pairs, engine="compiled", dtype=np.float32)(range(70))
            assert narrow == pytest.approx(expected, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_one_pair_is_the_mechanisms_own_estimate(coupling):
    x, y = inputs(1, 64)
    mechanism = Mechanism("positive", coupling, 64)
    own = mechanism.estimate(STREAM, range(50), x[0], y[0])
    assert np.abs(Fused(mechanism, STREAM, x, y)(range(50))[:, 0] / own - 1).max() < 1e-12


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("engine", ["array", "compiled"])
def test_float32_is_the_same_draw_to_its_precision(coupling, engine):
    if engine == "compiled":
        pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    x, y = inputs(1, 64)
    mechanism = Mechanism("positive", coupling, 64)
    single = Fused(mechanism, STREAM, x, y, engine=engine, dtype="float32")(range(200))
    double = Fused(mechanism, STREAM, x, y)(range(200))
    assert 0 < np.abs(single / double - 1).max() < 1e-4


@pytest.mark.parametrize("coupling", ["orthogonal", "simplex"])
@pytest.mark.parametrize("feature", ["positive", "trigonometric"])
@pytest.mark.parametrize(("real", "error"), [("float64", 1e-11), ("float32", 1e-4)])
def test_one_vector(coupling, feature, real, error):
    """The kernel for one vector: whole and cut blocks, copies, odd dimensions, and where it is not made for a shape."""
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    for d, m in ((64, 64), (64, 150), (64, 7), (65, 65), (65, 30), (65, 70), (17, 17), (600, 598)):
        x, y = inputs(1, d)
        mechanism = Mechanism(feature, coupling, m)
        single = Fused(mechanism, STREAM, x, y, engine="compiled", dtype=real)
        double = Fused(mechanism, STREAM, x, y)
        for blocks in (range(70), range(2**32 - 20, 2**32 + 300)):
            found = single(blocks)
            assert 0 < np.abs(found / double(blocks) - 1).max() < error
            cuts = (blocks.start, blocks.start + 1, blocks.start + 33, blocks.stop)
            assert (np.concatenate([single(range(*ends)) for ends in pairwise(cuts)]) == found).all()
        # Another block is another draw: the comparison can fail.
        assert np.abs(single(range(1, 71)) / double(range(70)) - 1).max() > 1e-3


def test_one_vector_in_float32_at_norm_40():
    """The largest value is carried along, so that no exponential overflows or is lost."""
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    x, y = inputs(1, 64)
    x, y = 40 * x / np.linalg.norm(x + y), 40 * y / np.linalg.norm(x + y)
    for m in (64, 63, 5):
        mechanism = Mechanism("positive", "simplex", m)
        single = Fused(mechanism, STREAM, x, y, engine="compiled", dtype="float32").log(range(600))
        double = Fused(mechanism, STREAM, x, y).log(range(600))
        assert np.isfinite(single).all()
        assert np.abs(single - double).max() < 2e-3
        assert np.abs(single - double[::-1]).max() > 1


def test_series_of_any_degrees_of_freedom_fit_the_kernels():
    """No series is longer than those of the kernels, and their laws have the moments of chi squared."""
    z = np.linspace(-8.6, 8.6, 999)
    around = np.array(
        [chi_quantile(z, 3 * 10**5 + k) for k in (-2, -1, 0, 1)]
    )  # two formulas, of one smooth function
    assert np.abs(np.diff(around, n=3, axis=0)).max() < 1e-11
    nodes, shares = np.polynomial.hermite_e.hermegauss(24)
    for dof in (16, 64, 1023, 1024, 1030, 10**5, 3 * 10**5, 10**6, 10**7, 10**12, 2**53):
        powers = polynomial(dof)
        assert len(powers) <= LONGEST
        found, series = np.polynomial.polynomial.polyval(z, powers), chi_of_normal(z, dof, np)
        assert np.abs(found / series - 1).max() < 1e-14
        planted = (powers[0], powers[1] + 1e-6, *powers[2:])
        assert np.abs(np.polynomial.polynomial.polyval(z, planted) - series).max() > 5e-6
        standard = (chi_of_normal(nodes, dof, np) ** 2 - dof) / math.sqrt(2 * dof)
        moments = np.array([shares @ standard**k for k in (1, 2, 3)]) / shares.sum()
        assert np.abs(moments - [0, 1, math.sqrt(8 / dof)]).max() < 1e-11 + 1e-14 * math.sqrt(dof)


@pytest.mark.parametrize(("real", "reach", "error"), [(np.float64, 1000, 7e-16), (np.float32, 100, 3e-7)])
def test_powers_of_two(real, reach, error):
    """A few units in the last place, from one end of their range to the other; below, fading ones are cut off."""
    kernels = pytest.importorskip("rftheory.sample.kernels_numba", reason="the extra 'fast' is not installed")
    functions = kernels.Functions(real)
    power, fading = (
        lambda numbers, function=function: np.array([function(one) for one in numbers])
        for function in (functions.power_of_two, functions.fading)
    )
    x = np.concatenate([np.linspace(-reach, reach, 4001), np.linspace(-1, 1, 4001)]).astype(real)
    exact = np.exp2(x.astype(np.longdouble))
    assert np.abs(power(x) / exact - 1).max() < error
    assert np.abs(power(x + real(1e-5)) / exact - 1).max() > 1e-6
    below = x[x <= 0]
    assert (fading(below) == power(below)).all()
    assert (fading(np.array([-reach - 1, -1e30], dtype=real)) == functions.fading(real(-reach))).all()


@pytest.mark.parametrize(("real", "error"), [("float64", 1e-12), ("float32", 1e-3)])
def test_normals_of_the_kernel_for_one_vector_are_those_of_the_stream(real, error):
    kernels = pytest.importorskip("rftheory.sample.kernels_point", reason="the extra 'fast' is not installed")
    for start, count in ((0, 1), (2**32 - 300, 9), (5, 64)):
        blocks = range(start, start + 299)
        exact = STREAM.normals(blocks, count).sum(1)
        assert np.abs(kernels.normal_sums(STREAM.key, blocks, count, real) - exact).max() < error
        assert np.abs(kernels.normal_sums(STREAM.key ^ 1, blocks, count, real) - exact).max() > 0.1


def test_logarithms_at_norm_40():
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    x, y = inputs(1, 64)
    x, y = 20 * x / np.linalg.norm(x + y), 20 * y / np.linalg.norm(x + y)
    x, y = 2 * x, 2 * y  # |x + y| = 40
    mechanism = Mechanism("positive", "simplex", 64)
    logs = [Fused(mechanism, STREAM, x, y, engine=engine).log(range(60)) for engine in ("array", "compiled")]
    assert np.isfinite(logs[0]).all()
    assert logs[0].min() < -600
    assert np.abs(logs[0] - logs[1]).max() < 1e-11 * np.abs(logs[0]).max()
    with pytest.raises(OutsideDomain):
        Fused(Mechanism("trigonometric", "iid", 4), STREAM, x, y).log(range(2))


@pytest.mark.parametrize("engine", ["array", "compiled"])
@pytest.mark.parametrize(("dtype", "lengths"), [("float32", (3.5, 3.6)), ("float64", (33.3, 33.4))])
def test_exponents_with_and_without_a_shift(dtype, lengths, engine):
    """Up to |v| (sqrt(d) + 10) = 64, or 600 in float64, no largest exponent is subtracted."""
    if engine == "compiled":
        pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    x, y = inputs(1, 64)
    mechanism, eps = Mechanism("positive", "simplex", 64), float(np.finfo(dtype).eps)
    for length in lengths:
        scale = length / np.linalg.norm(x + y)
        fused = Fused(mechanism, STREAM, scale * x, scale * y, engine=engine, dtype=dtype)
        assert fused._moderate == (length == lengths[0])
        values = project(mechanism.coupling, STREAM, range(300), scale * (x + y), 64)[..., 0]
        exact = special.logsumexp(values, axis=1) - np.log(64) - scale**2 * ((x * x).sum() + (y * y).sum())
        # some ten roundings of exponents that are smaller than this
        assert np.abs(fused.log(range(300))[:, 0] - exact).max() < 10 * eps * 18 * length
        assert np.abs(fused.log(range(1, 301))[:, 0] - exact).max() > 0.01


@pytest.mark.parametrize("engine", ["array", "compiled"])
def test_any_partition_and_any_threads_give_the_same_bits(engine):
    if engine == "compiled":
        pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    x, y = inputs(2, 64)
    fused = Fused(Mechanism("positive", "simplex", 48), STREAM, x, y, engine=engine)
    whole = fused(range(500))
    parts = np.concatenate([fused(range(0, 1)), fused(range(1, 77)), fused(range(77, 500))])
    assert (whole == parts).all()
    assert run(fused, 500, leaf=64, workers=2) == run(fused, 500, leaf=64, chunk_leaves=1)


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("feature", ["positive", "trigonometric"])
def test_numpy_and_strict_give_the_same_estimates(coupling, feature):
    for m, n in ((20, 1), (45, 1), (20, 2)):
        x, y = inputs(n, 20)
        mechanism = Mechanism(feature, coupling, m)
        found = Fused(mechanism, STREAM, array_api_strict.asarray(x), array_api_strict.asarray(y))(range(30))
        assert isinstance(found, type(array_api_strict.zeros(1)))
        assert np.abs(to_host(found) / Fused(mechanism, STREAM, x, y)(range(30)) - 1).max() < 1e-13


def test_log_scale_divides():
    x, y = inputs(2, 20)
    mechanism = Mechanism("positive", "orthogonal", 20)
    plain_estimates = Fused(mechanism, STREAM, x, y)(range(9))
    scaled = Fused(mechanism, STREAM, x, y, log_scale=np.array([1.0, -2.0]))(range(9))
    assert np.abs(scaled * np.exp([1.0, -2.0]) / plain_estimates - 1).max() < 1e-13


# ---- the float32 draws of a native stream


@pytest.mark.parametrize("count", [1, 7, 64])
def test_native_float32_normals_are_normal_and_independent(count):
    z = Stream.named("native", kind="native").normals(range(200_000 // count), count, dtype="float32")
    assert z.dtype == np.float32
    assert stats.kstest(z.ravel().astype(float), "norm").pvalue > 1e-6
    # A scale off by eps moves the distribution by 0.24 eps; the test refutes 0.006 at this size.
    assert stats.kstest(1.05 * z.ravel().astype(float), "norm").pvalue < 1e-6
    flat = z.ravel().astype(float)
    for lag in (1, 4096):
        products = flat[:-lag] * flat[lag:]
        assert abs(products.mean()) < 6 / np.sqrt(products.size)


def test_native_float32_chis():
    stream = Stream.named("native", kind="native")
    r = stream.chis(range(3000), 64, 64, dtype="float32").ravel().astype(float)
    assert stats.kstest(r, stats.chi(64).cdf).pvalue > 1e-6
    assert stats.kstest(r, stats.chi(63).cdf).pvalue < 1e-6
    z = stream.normals(range(10), 7, 1, dtype="float32").astype(float)
    assert np.abs(stream.chis(range(10), 7, 64, dtype="float32") - chi_quantile(z, 64)).max() < 2e-5
    assert stream.chis(range(4), 3, 5, dtype="float32").dtype == np.float32
    for dof in (16, 33, 513):
        z = stream.normals(range(3000), 7, 1, dtype="float32").astype(float)
        assert (
            np.abs(stream.chis(range(3000), 7, dof, dtype="float32") / chi_quantile(z, dof) - 1).max() < 1e-6
        )
        assert (
            np.abs(stream.chis(range(3000), 7, dof, dtype="float32") / chi_quantile(z, dof + 1) - 1).max()
            > 1e-4
        )


def test_native_float32_draws_are_frozen():
    """Words of NumPy's Philox: 31 bits of the first half are lengths, 32 of the second are angles."""
    stream = Stream.named("native", kind="native")
    words = np.random.Philox(
        key=np.array([stream.key, 0], dtype=np.uint64), counter=np.array([0, 1, 0, 0], dtype=np.uint64)
    )
    first, second = words.random_raw(2**14).astype("<u8").view("<u4").astype(float).reshape(2, -1)
    radius = np.sqrt(-2 * np.log((np.floor(first / 2) + 0.5) * 2.0**-31))
    angle = 2 * np.pi * (second * 2.0**-32)
    exact = radius * (np.cos(angle) + 1j * np.sin(angle))
    z = stream.normals(range(2**15), 1, dtype="float32")[:, 0].reshape(2, -1)
    assert np.abs(z[0] + 1j * z[1] - exact).max() < 1e-4


def test_native_float32_pages_do_not_depend_on_the_cut():
    stream = Stream.named("native", kind="native")
    whole = stream.normals(range(3000), 64, dtype="float32")
    parts = [stream.normals(range(a, b), 64, dtype="float32") for a, b in ((0, 1), (1, 1025), (1025, 3000))]
    assert (np.concatenate(parts) == whole).all()


ZERO_RADIUS = 9135670
"""The first slots of this block of the stream 11 have the word 2^32 - 62, whose float32 radius is 0."""

ZERO_NORMAL = 114301389
"""The one float32 normal of this block of the native stream 5 is 0."""


@pytest.mark.parametrize("feature", ["positive", "trigonometric"])
@pytest.mark.parametrize(("coupling", "d", "n"), [("iid", 1, 1), ("orthogonal", 1, 1), ("iid", 2, 2),
    ("orthogonal", 2, 1), ("orthogonal", 2, 2), ("simplex", 2, 1), ("simplex", 2, 2)])  # fmt: skip
def test_rows_of_float32_zeros_have_a_direction(feature, coupling, d, n):
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    assert Stream(11).bits(range(ZERO_RADIUS, ZERO_RADIUS + 1), 1)[0, 0] > 2**32 - 128
    x, near = 0.3 * np.eye(d)[:n], range(ZERO_RADIUS - 40, ZERO_RADIUS + 40)
    given = Mechanism(feature, coupling, 1), Stream(11), x, -2 * x
    single = Fused(*given, engine="compiled", dtype="float32")(near)
    error = np.abs(single - Fused(*given)(near))
    others = np.delete(error, 40, axis=0)
    assert others.max() < 1e-4
    assert np.isfinite(single).all()
    norm = np.linalg.norm(Stream(11).chis(near, 1, d), axis=1)[40]
    reach = (
        0.9 if feature == "trigonometric" else 0.3
    )  # |x - y| and |x + y|: the row lies on the sphere of its norm
    lowest = np.cos(reach * norm) if feature == "trigonometric" else np.exp(-reach * norm - 0.45)
    assert (single[40] >= lowest - 1e-6).all()


@pytest.mark.parametrize("feature", ["positive", "trigonometric"])
@pytest.mark.parametrize("n", [1, 2])
def test_a_native_float32_normal_of_zero_has_a_sign(feature, n):
    stream, block = Stream(5, "native"), range(ZERO_NORMAL, ZERO_NORMAL + 1)
    assert stream.normals(block, 1, dtype="float32") == 0
    x = np.linspace(0.3, 0.4, n)[:, None]
    found = Fused(Mechanism(feature, "orthogonal", 1), stream, x, -2 * x, dtype="float32")(block)
    norm = float(stream.chis(block, 1, 1, dtype="float32")[0, 0])
    either = np.array([[1.0], [-1.0]]) * x[:, 0] * norm  # one sign for all vectors
    expected = np.cos(3 * either) if feature == "trigonometric" else np.exp(either - 5 * x[:, 0] ** 2)
    assert np.abs(found / expected - 1).max(axis=1).min() < 1e-6


# ---- errors


@pytest.mark.parametrize("engine", ["array", "compiled"])
@pytest.mark.parametrize("feature", ["positive", "trigonometric"])
def test_estimates_beyond_the_range_of_floats_are_refused_as_by_the_mechanism(engine, feature):
    if engine == "compiled":
        pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    pair = np.zeros((2, 1, 20))
    pair[0, 0, 0], pair[1, 0, 0] = 40, 41
    mechanism, blocks = Mechanism(feature, "iid", 20), range(64)
    if feature == "trigonometric":
        with pytest.raises(OutsideDomain, match="a logarithm of at most 710"):
            mechanism.estimate(STREAM, blocks, pair[0, 0], pair[1, 0], "softmax")
    scaled = Fused(mechanism, STREAM, *pair, "softmax", engine=engine, log_scale=40 * 41)
    assert np.isfinite(scaled(blocks)).all()
    beyond = Fused(mechanism, STREAM, *pair, "softmax", engine=engine, log_scale=-5000)
    with pytest.raises(OutsideDomain, match="a logarithm of at most 710"):
        beyond(blocks)


def test_near_the_end_of_the_range_signs_and_sizes_are_kept():
    pair = np.zeros((2, 1, 20))
    pair[0, 0, 0], pair[1, 0, 0] = 26.4, 26.5  # exp(699.6), and exponents above 600
    mechanism = Mechanism("trigonometric", "iid", 3)
    found = Fused(mechanism, STREAM, *pair, "softmax")(range(64))[:, 0]
    expected = mechanism.estimate(STREAM, range(64), pair[0, 0], pair[1, 0], "softmax")
    assert found == pytest.approx(expected, rel=1e-12)


def test_bad_requests():
    x, y = inputs(1, 20)
    mechanism = Mechanism("positive", "simplex", 20)
    with pytest.raises(UnknownName):
        Fused(mechanism, STREAM, x, y, engine="magic")
    with pytest.raises(InvalidInput):
        Fused(mechanism, STREAM, x, inputs(2, 20)[0])
    with pytest.raises(InvalidInput, match="Mechanism"):
        Fused("positive", STREAM, x, y)
    with pytest.raises(InvalidInput, match="Stream"):
        Fused(mechanism, 7, x, y)
    for scale in (np.nan, None, "1", 1j, np.ones(3)):
        with pytest.raises(InvalidInput, match="log_scale"):
            Fused(mechanism, STREAM, x, y, log_scale=scale)


OTHERS = [
    ("hyperbolic", "simplex", {}), ("cosine", "orthogonal", {}), ("gerf", "iid", {"A": -0.1}),
    ("gerf", "simplex", {"A": 0.01 + 0.05j}), ("positive", "simplex+", {}), ("trigonometric", "mirrored", {}),
    ("anisotropic", "cross-polytope", {"A": (-0.1,) * 20}), ("positive", "halton", {}),
    ("positive", "hadamard-simplex", {}),
]  # fmt: skip


@pytest.mark.parametrize("engine", ["array", "compiled"])
@pytest.mark.parametrize(("feature", "coupling", "parameters"), OTHERS)
def test_what_has_no_kernels_is_left_to_the_array_engine(
    engine, feature, coupling, parameters, caplog, monkeypatch
):
    """The same estimates as by the definition, one message for each kind of mechanism, and none for arrays."""
    monkeypatch.setattr("rftheory.sample.fused._said", set())
    mechanism, (x, y), blocks = Mechanism(feature, coupling, 45, **parameters), inputs(3, 20), range(5, 40)
    with caplog.at_level("WARNING", "rftheory"):
        fused, _ = (Fused(mechanism, STREAM, x, y, engine=engine, log_scale=0.5) for _ in range(2))
    assert len(caplog.records) == (engine == "compiled")
    found = fused(blocks)
    matched = mechanism.gram(STREAM, blocks, x, y)[:, range(3), range(3)]
    if feature not in ("positive", "trigonometric"):  # these project x + y or x - y alone
        assert np.abs(found * np.exp(0.5) - matched).max() < 1e-12 * np.abs(matched).max()
    one = Fused(mechanism, STREAM, x[:1], y[:1], engine=engine)
    if feature in ("positive", "trigonometric"):
        assert np.abs(one(blocks)[:, 0] - mechanism.estimate(STREAM, blocks, x[0], y[0])).max() < 1e-12
    if mechanism.feature_map.positive:
        assert np.abs(one.log(blocks) - np.log(one(blocks))).max() < 1e-12
    assert (np.concatenate([fused(range(5, 9)), fused(range(9, 40))]) == found).all()


def test_cuda_needs_arrays_of_the_device():
    with pytest.raises(InvalidInput, match="CuPy arrays"):
        Fused(Mechanism("positive", "simplex", 20), STREAM, *inputs(1, 20), engine="cuda")


def test_limits_of_the_compiled_kernels():
    pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    x, y = inputs(1, 20)
    mechanism = Mechanism("positive", "iid", 20)
    with pytest.raises(InvalidInput, match="portable"):
        Fused(mechanism, Stream(1, "native"), x, y, engine="compiled")
    with pytest.raises(OutsideDomain, match="other than 0"):
        Fused(mechanism, STREAM, x, -x, engine="compiled")


def test_a_missing_library_is_named(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("rftheory.sample.checks.importlib.import_module", missing)
    with pytest.raises(BackendUnavailable, match="fast"):
        Fused(Mechanism("positive", "simplex", 20), STREAM, *inputs(1, 20), engine="compiled")


@pytest.mark.parametrize("engine", ["array", "compiled"])
def test_no_engine_makes_a_simplex_of_one_dimension(engine):
    with pytest.raises(OutsideDomain, match="d >= 2"):
        Fused(Mechanism("positive", "simplex", 3), STREAM, np.ones((1, 1)), np.ones((1, 1)), engine=engine)
