"""Streams: published bits, laws, and independence of how the blocks are cut."""

from __future__ import annotations

from itertools import pairwise

import array_api_strict
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rftheory.errors import BackendUnavailable, InvalidInput, UnknownName
from rftheory.sample import arrays
from rftheory.sample.chi import chi_of_normal
from rftheory.sample.stream import WORD, Stream, philox4x32, unit_interval
from tests.sample.laws import ALPHA, p_of_law

KINDS = ("portable", "native")
DRAWS = {
    "bits": lambda stream, blocks, count: stream.bits(blocks, count),
    "uniforms": lambda stream, blocks, count: stream.uniforms(blocks, count),
    "normals": lambda stream, blocks, count: stream.normals(blocks, count),
    "chis": lambda stream, blocks, count: stream.chis(blocks, count, dof=5),
    "chis, many degrees": lambda stream, blocks, count: stream.chis(blocks, count, dof=40),
}

# Salmon et al., Random123 1.14, tests/kat_vectors: counter, key, output of philox4x32 with 10 rounds.
KNOWN_ANSWERS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


@pytest.mark.parametrize(("counter", "key", "output"), KNOWN_ANSWERS)
@pytest.mark.parametrize("xp", [np, array_api_strict], ids=["numpy", "strict"])
def test_philox_known_answers(counter, key, output, xp):
    words = tuple(xp.asarray([int(word, 16)], dtype=xp.uint64) for word in counter.split())
    first, second = (int(word, 16) for word in key.split())
    found = " ".join(f"{int(word[0]):08x}" for word in philox4x32(words, (first, second)))
    assert found == output


def test_bits_are_philox_words_of_slot_lane_and_block():
    block, lane, key = 2**40 + 3, 5, 0x0123456789ABCDEF
    counter = tuple(np.array([w], dtype=np.uint64) for w in (1, lane, block & WORD, block >> 32))
    words = [int(w[0]) for w in philox4x32(counter, (key & WORD, key >> 32))]
    assert Stream(key).bits(range(block, block + 1), 8, lane)[0, 4:].tolist() == words


def test_native_pages_are_addressed_by_key_lane_count_and_page():
    """The frozen part of the native stream: NumPy's Philox4x64 with this key and counter."""
    key, lane, count, page = 2**63 + 5, 3, 2**15, 7
    source = np.random.Philox(
        key=np.array([key, lane], dtype=np.uint64), counter=np.array([0, count, page, 0], dtype=np.uint64)
    )
    words = source.random_raw(count).astype("<u8").view("<u4").reshape(2, count)
    assert np.array_equal(Stream(key, "native").bits(range(2 * page, 2 * page + 2), count, lane), words)


def test_native_draws_of_both_types_share_their_bits():
    """The first float64 normal of a page and the length of its second float32 pair come from one word of 64 bits."""
    stream, blocks = Stream(5, "native"), [range(256 * page, 256 * page + 256) for page in range(1500)]
    wide = [abs(stream.normals(one[:1], 256)[0, 0]) for one in blocks]
    narrow = [stream.normals(one, 256, dtype="float32").ravel() for one in blocks]
    lengths = [np.hypot(drawn[1], drawn[2**14 + 1]) for drawn in narrow]
    assert np.corrcoef(wide, lengths)[0, 1] * np.sqrt(1500) < -4  # the text of the module says so
    other = [abs(stream.normals(range(300 * page, 300 * page + 1), 257)[0, 0]) for page in range(1500)]
    assert abs(np.corrcoef(other, lengths)[0, 1]) * np.sqrt(1500) < 4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@settings(max_examples=10, deadline=None)
@given(
    cuts=st.lists(st.integers(1, 9), min_size=1, max_size=6), start=st.sampled_from([0, 3, 2**32 - 4, 2**63])
)
def test_any_partition_gives_the_same_draws(kind, draw, cuts, start):
    stream = Stream.named("partition", kind=kind)
    edges = np.concatenate(([0], np.cumsum(cuts))).tolist()
    pieces = [draw(stream, range(start + a, start + b), 7) for a, b in pairwise(edges)]
    whole = draw(stream, range(start, start + edges[-1]), 7)
    assert np.array_equal(np.concatenate(pieces), whole)


@pytest.mark.parametrize("kind", KINDS)
def test_pages_and_tiles_leave_no_seam(kind):
    """Wide draws cross the internal page and tile borders."""
    stream = Stream.named("seam", kind=kind)
    whole = stream.normals(range(0, 40), 9000)
    assert np.array_equal(np.concatenate([stream.normals(range(i, i + 1), 9000) for i in range(40)]), whole)


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_portable_draws_extend(draw):
    stream = Stream.named("extend")
    assert np.array_equal(draw(stream, range(4), 13)[:, :6], draw(stream, range(4), 6))


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_numpy_and_strict_give_the_same_numbers(draw):
    stream = Stream.named("strict")

    class InStrict:
        """The stream with another namespace filled in."""

        def __getattr__(self, name):
            return lambda *args, **options: getattr(stream, name)(*args, **options, xp=array_api_strict)

    found = draw(InStrict(), range(5), 6)
    assert isinstance(found, type(array_api_strict.zeros(1)))
    assert np.array_equal(arrays.to_host(found), draw(stream, range(5), 6))


@pytest.mark.parametrize("kind", KINDS)
def test_lanes_blocks_keys_and_children_differ(kind):
    stream = Stream.named("differ", kind=kind)
    drawn = [
        stream.bits(range(1), 8),
        stream.bits(range(1, 2), 8),
        stream.bits(range(2**32, 2**32 + 1), 8),
        stream.bits(range(1), 8, lane=1),
        stream.child("a").bits(range(1), 8),
        stream.child("b").bits(range(1), 8),
        Stream.named("differ", 1, kind).bits(range(1), 8),
    ]
    assert len({row.tobytes() for row in drawn}) == len(drawn)


@pytest.mark.parametrize(("dtype", "cells"), [("float64", 2.0**-53), ("float32", 2.0**-24)])
def test_uniforms_stay_inside_the_open_interval(dtype, cells):
    extreme = np.array([0, WORD], dtype=np.uint32)
    u = unit_interval(extreme, extreme, arrays.namespace("numpy"), dtype)
    assert u.dtype == dtype
    assert u.tolist() == [cells, 1 - cells]


def test_float32_is_the_same_draw():
    stream = Stream.named("float32")
    for draw in (stream.uniforms, stream.normals):
        single, double = draw(range(9), 11, dtype="float32"), draw(range(9), 11)
        assert single.dtype == np.float32
        assert np.abs(single - double).max() < 3e-7
    assert stream.chis(range(2), 3, 4, dtype="float32").dtype == np.float32


@pytest.mark.parametrize("dof", [16, 17, 33, 64, 513, 4096])
def test_smooth_chi_against_thirty_digits(dof):
    """The quantile is the root of F(r) = Phi(z), solved here from the series' value in 30 digits."""
    z = np.linspace(-8.57, 8.57, 7)
    found = chi_of_normal(z, dof, np)
    with mpmath.workdps(30):
        for point, r in zip(z, found, strict=True):
            tail, ends = (
                mpmath.ncdf(-abs(mpmath.mpf(float(point)))),
                (lambda t: (0, t), lambda t: (t, mpmath.inf)),
            )
            span = ends[int(point >= 0)]

            def miss(t, span=span, tail=tail):
                return mpmath.gammainc(mpmath.mpf(dof) / 2, *span(t), regularized=True) / tail - 1

            exact = mpmath.sqrt(2 * mpmath.findroot(miss, mpmath.mpf(float(r)) ** 2 / 2))
            assert abs(r - float(exact)) < 2e-14 * dof**0.5


LAWS = {
    "uniforms": (lambda s: s.uniforms(range(4000), 5), stats.uniform.cdf),
    "normals": (lambda s: s.normals(range(4000), 5), stats.norm.cdf),
    "second of a pair": (lambda s: s.normals(range(20000), 2)[:, 1], stats.norm.cdf),
    "chi 1": (lambda s: s.chis(range(4000), 5, dof=1), stats.chi(1).cdf),
    "chi 2": (lambda s: s.chis(range(4000), 5, dof=2), stats.chi(2).cdf),
    "chi 7": (lambda s: s.chis(range(4000), 5, dof=7), stats.chi(7).cdf),
    "chi 64": (lambda s: s.chis(range(4000), 5, dof=64), stats.chi(64).cdf),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("draw", "cdf"), LAWS.values(), ids=LAWS)
def test_laws(kind, draw, cdf):
    assert p_of_law(draw(Stream.named("laws", kind=kind)), cdf) > ALPHA


# Twenty thousand numbers refute at ALPHA, with power above 0.999, a law whose distribution function is
# 0.035 away somewhere: (3.3 + 1.6) / sqrt(20000). Each twin below is farther (scale 0.85: 0.039).
WRONG = {
    "normals, scale 0.85": (lambda s: 0.85 * s.normals(range(4000), 5), stats.norm.cdf),
    "chi 7 for 8": (lambda s: s.chis(range(4000), 5, dof=7), stats.chi(8).cdf),
    "chi 64 for 65": (lambda s: s.chis(range(4000), 5, dof=64), stats.chi(65).cdf),
    "chi squared for chi": (lambda s: s.chis(range(4000), 5, dof=2) ** 2, stats.chi(2).cdf),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("draw", "cdf"), WRONG.values(), ids=WRONG)
def test_wrong_laws_are_refuted(kind, draw, cdf):
    assert p_of_law(draw(Stream.named("laws", kind=kind)), cdf) < ALPHA


@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_are_uncorrelated(kind):
    """Products of normals in neighbouring slots and blocks have mean 0 and variance 1."""
    z = Stream.named("neighbours", kind=kind).normals(range(5000), 8)
    for product in (z[:, 1:] * z[:, :-1], z[1:] * z[:-1], (z[:, 1:] ** 2 - 1) * (z[:, :-1] ** 2 - 1) / 2):
        assert abs(product.mean()) * product.size**0.5 < stats.norm.isf(ALPHA / 2)


@pytest.mark.parametrize(
    "blocks", [range(0), range(5, 3), range(-1, 2), range(0, 4, 2), 3, range(0, 2**64 + 1)]
)
def test_bad_blocks(blocks):
    with pytest.raises(InvalidInput, match="blocks"):
        Stream(1).normals(blocks, 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Stream(-1),
        lambda: Stream(2**64),
        lambda: Stream(1, "mersenne"),
        lambda: Stream.named("a", seed=-1),
        lambda: Stream(1).bits(range(1), 0),
        lambda: Stream(1).bits(range(1), 2.5),
        lambda: Stream(1).bits(range(1), 1, lane=-1),
        lambda: Stream(1).chis(range(1), 1, dof=0),
        lambda: Stream(1).normals(range(1), 1, dtype="float16"),
        lambda: Stream(1).normals(range(1), 1, xp=3),
    ],
)
def test_bad_requests(call):
    with pytest.raises(InvalidInput):
        call()


def test_unknown_backend():
    with pytest.raises(UnknownName, match="did you mean 'numpy'"):
        arrays.namespace("nunpy")


def test_cupy_is_decided_by_the_device(monkeypatch):
    class Driverless:
        class cuda:
            @staticmethod
            def is_available():
                return False

    monkeypatch.setattr(arrays.importlib, "import_module", lambda name: Driverless)
    assert arrays.namespace("auto") is arrays.namespace("numpy")
    with pytest.raises(BackendUnavailable, match="no CUDA device"):
        arrays.namespace("cupy")


def test_native_refuses_a_device():
    class OnDevice:
        __name__ = "array_api_compat.cupy"
        asarray = float64 = None

    with pytest.raises(BackendUnavailable, match="portable"):
        Stream(1, "native").normals(range(1), 1, xp=OnDevice())
