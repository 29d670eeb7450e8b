"""Couplings: structure, marginal laws with wrong twins, and the short path against the full one."""

from __future__ import annotations

from itertools import pairwise

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.sample.arrays import to_host
from rftheory.sample.couplings import COUPLINGS, coupling
from rftheory.sample.from_frame import FromFrame
from rftheory.sample.norms import ANTIMONOTONE
from rftheory.sample.projections import Block, Geometric, project, project_with_norms
from rftheory.sample.rotations import (
    cholesky_qr_twice,
    frame_coordinates,
    frame_of,
    orthonormal_columns,
    well_conditioned,
)
from rftheory.sample.shapes import simplex_matrix, simplex_multiply
from rftheory.sample.stream import NORMS, Stream
from tests.sample.laws import ALPHA, p_of_law, p_of_mean, p_same_law, sphere_coordinate_cdf

KINDS = ("portable", "native")
NAMES = tuple(COUPLINGS)
FRAMES = tuple(name for name, law in COUPLINGS.items() if isinstance(law, FromFrame))
GAUSSIAN = ("iid", "orthogonal", "simplex", "simplex+", "halton", "sobol", *FRAMES)
TWO_PATHS = ("iid", "orthogonal", "orthogonal-fixed", "simplex", "simplex+", *FRAMES)
DIMENSIONS = (2, 3, 4, 5, 16, 33)


def gram(block: Block) -> np.ndarray:
    return block.directions @ np.swapaxes(block.directions, -1, -2)


# ------------------------------------------------------------------------------- structure


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, *DIMENSIONS])
def test_orthogonal_directions_are_orthonormal(kind, d):
    block = coupling("orthogonal").draw(Stream.named("structure", kind=kind), range(20), d, d)
    assert np.abs(gram(block) - np.eye(d)).max() < 1e-13


@pytest.mark.parametrize("d", DIMENSIONS)
def test_simplex_directions_subtend_the_simplex_angle(d):
    expected = np.full((d, d), -1 / (d - 1))
    np.fill_diagonal(expected, 1)
    block = coupling("simplex").draw(Stream.named("structure"), range(20), d, d)
    assert np.abs(gram(block) - expected).max() < 1e-13
    matrix = simplex_matrix(d)
    assert np.abs(matrix @ matrix.T - expected).max() < 1e-14


@pytest.mark.parametrize("d", DIMENSIONS)
def test_simplex_matrix_is_equation_9(d):
    """The rows of eq. (9), reading (a), written out."""
    rows = np.sqrt(d / (d - 1)) * np.eye(d)
    rows[:-1, :-1] -= (np.sqrt(d) + 1) / (d - 1) ** 1.5
    rows[-1] = np.append(np.ones(d - 1), 0) / np.sqrt(d - 1)
    assert np.abs(simplex_matrix(d) - rows).max() < 1e-14


def test_reading_b_of_equation_9_is_not_a_simplex():
    d = 6
    rows = np.sqrt(d / (d - 1)) * np.eye(d)
    rows[:-1, :-1] -= np.sqrt(d + 1) / (d - 1) ** 1.5
    rows[-1] = np.append(np.ones(d - 1), 0) / np.sqrt(d - 1)
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() > 0.01


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("d", "m"), [(2, 1), (2, 2), (3, 7), (4, 2), (5, 10), (7, 8)])
def test_shapes_unit_rows_and_polar_form(name, d, m):
    block = coupling(name).draw(Stream.named("shapes"), range(6), d, m)
    assert block.directions.shape == (6, m, d)
    assert block.norms.shape == (6, m)
    assert np.abs(np.linalg.norm(block.directions, axis=-1) - 1).max() < 1e-13
    assert np.abs(np.linalg.norm(block.projections, axis=-1) - block.norms).max() < 1e-12
    assert (block.norms >= 0).all()


def test_stacked_blocks_are_structured_within_and_independent_across():
    block = coupling("simplex").draw(Stream.named("stacked"), range(3000), 3, 7)
    inner = gram(block)
    assert np.abs(inner[:, [0, 0, 1, 3, 4], [1, 2, 2, 4, 5]] + 0.5).max() < 1e-13
    across = inner[:, [0, 1, 2, 3], [3, 4, 5, 6]]
    assert p_of_law(across[:, 0], sphere_coordinate_cdf(3)) > ALPHA
    assert p_of_law(across[:, 3], sphere_coordinate_cdf(3)) > ALPHA


def test_few_rows_are_the_first_rows():
    stream = Stream.named("prefix")
    for name in ("orthogonal", "simplex", "simplex+", "hadamard-orthogonal", "givens-simplex", "halton"):
        few = coupling(name).draw(stream, range(4), 6, 2)
        all_rows = coupling(name).draw(stream, range(4), 6, 6)
        assert np.abs(few.directions - all_rows.directions[:, :2]).max() < 1e-13
        assert np.array_equal(few.norms, all_rows.norms[:, :2])


def test_couplings_share_their_norms():
    """Common random numbers: the same stream gives the same norms whatever the directions."""
    names = ("iid", "orthogonal", "simplex", "simplex+")
    norms = [coupling(name).draw(Stream.named("crn"), range(5), 4, 8).norms for name in names]
    assert all(np.array_equal(norms[0], other) for other in norms)


# ------------------------------------------------------------- cuts, libraries, number types


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", ["draw", "frame", "matrix"])
@settings(max_examples=3, deadline=None)
@given(cuts=st.lists(st.integers(1, 40), min_size=1, max_size=7))
def test_any_partition_gives_the_same_bits(kind, name, path, cuts):
    stream, law = Stream.named("partition", kind=kind), coupling(name)
    x = np.array([[0.3, -0.2, 0.5, 0.0, 1.0], [0.1, 0.0, 0.4, 0.2, -0.3]])

    def draw(blocks: range) -> np.ndarray:
        if path == "draw":
            return law.draw(stream, blocks, 5, 7).projections
        return project(law, stream, blocks, x, 7, via=path)

    edges = np.concatenate(([0], np.cumsum(cuts))).tolist()
    pieces = [draw(range(a, b)) for a, b in pairwise(edges)]
    assert np.array_equal(np.concatenate(pieces), draw(range(0, edges[-1])))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 2, 6])
def test_numpy_and_strict_give_the_same_numbers(name, n):
    stream, law = Stream.named("strict"), coupling(name)
    x = np.linspace(-1, 1, 5 * n).reshape(n, 5)
    for via in ("frame", "matrix"):
        strict = project(law, stream, range(3), array_api_strict.asarray(x), 7, via=via)
        assert isinstance(strict, type(array_api_strict.zeros(1)))
        assert np.array_equal(to_host(strict), project(law, stream, range(3), x, 7, via=via))
    block = law.draw(stream, range(3), 5, 7, xp=array_api_strict)
    assert np.array_equal(to_host(block.projections), law.draw(stream, range(3), 5, 7).projections)


@pytest.mark.parametrize("name", NAMES)
def test_float32_is_the_same_draw_rounded(name):
    stream, law = Stream.named("single"), coupling(name)
    single, double = (law.draw(stream, range(3), 4, 5, dtype=t) for t in ("float32", "float64"))
    assert single.directions.dtype == single.norms.dtype == np.float32
    assert np.abs(single.projections - double.projections).max() < 1e-5
    x = np.ones((1, 4), dtype=np.float32)
    assert project(law, stream, range(3), x, 5, dtype="float32").dtype == np.float32


# ---------------------------------------------------------------------------- marginal laws


def lapack_signs(gaussian: np.ndarray) -> np.ndarray:
    """The classic mistake: QR whose signs LAPACK chose."""
    return np.linalg.qr(gaussian)[0]


def entries(matrices: np.ndarray) -> list[np.ndarray]:
    """Samples, each of independent numbers, that a Haar matrix gives the law of one coordinate."""
    d = matrices.shape[-1]
    u = np.arange(1, d + 1) / np.linalg.norm(np.arange(1, d + 1))
    return [
        matrices[:, 0, 0],
        matrices[:, d - 1, d - 1],
        matrices[:, 0, d - 1],
        matrices[:, 1] @ u,
        u @ matrices @ u,
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [3, 8])
def test_rotations_are_haar(kind, d):
    directions = coupling("orthogonal").draw(Stream.named("haar", kind=kind), range(4000), d, d).directions
    assert min(p_of_law(sample, sphere_coordinate_cdf(d)) for sample in entries(directions)) > ALPHA
    positive = int((np.linalg.det(directions) > 0).sum())
    assert stats.binomtest(positive, 4000).pvalue > ALPHA


@pytest.mark.parametrize("d", [3, 8])
def test_qr_without_signs_is_refuted(d):
    gaussian = Stream.named("haar").normals(range(4000), d * d).reshape(4000, d, d)
    assert min(p_of_law(s, sphere_coordinate_cdf(d)) for s in entries(lapack_signs(gaussian))) < ALPHA
    assert min(p_of_law(s, sphere_coordinate_cdf(d)) for s in entries(orthonormal_columns(gaussian))) > ALPHA


@pytest.mark.parametrize("k", [1, 2, 4, 6, 9])
def test_both_factorisations_agree(k):
    """Gram-Schmidt and LAPACK with signs give the same, unique, frame."""
    gaussian = Stream.named("factor").normals(range(50), 9 * k).reshape(50, 9, k)
    q, r = np.linalg.qr(gaussian)
    signed = q * np.sign(np.diagonal(r, axis1=-2, axis2=-1))[:, None, :]
    assert np.abs(orthonormal_columns(gaussian) - signed).max() < 1e-11


@pytest.mark.parametrize(("d", "k"), [(40, 2), (64, 8), (64, 16), (64, 32), (512, 5)])
def test_coordinates_through_the_gram_matrix_give_the_same_frame(d, k):
    rows = Stream.named("gram").normals(range(40), d * k).reshape(40, k, d)
    vectors = Stream.named("gram").normals(range(k), k + 1, 1)
    assert well_conditioned(d, k)
    columns = np.swapaxes(rows, -1, -2)
    found = columns @ frame_coordinates(rows, vectors)
    assert np.abs(found - orthonormal_columns(columns) @ vectors).max() < 1e-12
    frame = columns @ frame_coordinates(rows, np.eye(k))
    assert np.abs(np.swapaxes(frame, -1, -2) @ frame - np.eye(k)).max() < 1e-13
    # The factor of the reversed columns is another: the comparison can fail.
    other = columns[..., ::-1] @ frame_coordinates(rows[..., ::-1, :], vectors)
    assert np.abs(other - orthonormal_columns(columns) @ vectors).max() > 1e-3


@pytest.mark.parametrize(("d", "k"), [(8, 4), (64, 32), (512, 8)])
def test_cholesky_qr_is_the_same_factorisation(d, k):
    gaussian = Stream.named("cholesky").normals(range(40), d * k).reshape(40, d, k)
    q, r = np.linalg.qr(gaussian)
    signed = q * np.sign(np.diagonal(r, axis1=-2, axis2=-1))[:, None, :]
    found = cholesky_qr_twice(gaussian)
    assert np.abs(found - signed).max() < 1e-12
    assert np.abs(np.swapaxes(found, -1, -2) @ found - np.eye(k)).max() < 1e-14
    assert np.abs(cholesky_qr_twice(gaussian[..., ::-1])[..., ::-1] - signed).max() > 1e-3
    strict = cholesky_qr_twice(array_api_strict.asarray(gaussian))
    assert np.abs(to_host(strict) - found).max() < 1e-13


def test_cholesky_qr_is_used_on_devices_and_gives_their_frames(monkeypatch):
    gaussian = Stream.named("cholesky").normals(range(9), 16 * 8).reshape(9, 16, 8)
    here = orthonormal_columns(gaussian)
    monkeypatch.setattr("rftheory.sample.rotations.on_device", lambda xp: True)
    there = orthonormal_columns(gaussian)
    assert 0 < np.abs(there - here).max() < 1e-12
    square = Stream.named("cholesky").normals(range(9), 64).reshape(9, 8, 8)
    assert (
        np.abs(
            orthonormal_columns(square) @ np.swapaxes(orthonormal_columns(square), -1, -2) - np.eye(8)
        ).max()
        < 1e-13
    )


@pytest.mark.parametrize("name", ["orthogonal-fixed", "hadamard-orthogonal"])
def test_couplings_that_are_not_gaussian_are_seen_as_such(name):
    """Fixed norms and Hadamard products are known not to be exact; the same tests find it at d = 4."""
    block = coupling(name).draw(Stream.named("marginal"), range(6000), 4, 4)
    assert marginal_p(block.projections) < ALPHA


@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-8])
def test_nearly_dependent_gaussians_still_give_orthonormal_frames(gap):
    """One pass of Gram-Schmidt would lose as many digits as the columns nearly agree in."""
    first, second = Stream.named("near").normals(range(2), 9)
    frame = orthonormal_columns(np.stack((first, first + gap * second), axis=-1))
    assert np.abs(frame.T @ frame - np.eye(2)).max() < 1e-14


WRONG_BLOCKS = {
    "chi with one degree too few": lambda block, stream: (
        stream.chis(range(6000), 4, 3, NORMS)[..., None] * block.directions
    ),
    "norms on the columns": lambda block, stream: block.norms[:, None, :] * block.directions,
    "norms sqrt(d)": lambda block, stream: 2.0 * block.directions,
    "one norm for all rows": lambda block, stream: block.norms[:, :1, None] * block.directions,
    "first norm used twice": lambda block, stream: block.norms[:, [0, 0, 2, 3], None] * block.directions,
}


def marginal_p(projections: np.ndarray, pairs=((0, 1), (1, 3))) -> float:
    """Least p-value of the tests that rows are N(0, I_d) with independent norms; d = m = 4."""
    squares = (projections**2).sum(-1)
    centred = squares - 4
    rows = [p_of_law(projections[:, i, j], stats.norm.cdf) for i, j in ((0, 0), (3, 1))]
    norms = [p_of_law(squares[:, i], stats.chi2(4).cdf) for i in (0, 2)]
    # Independent chi-square variables have covariance 0, and the product of two has variance (2 d)^2.
    products = [p_of_mean(centred[:, i] * centred[:, j], 0.0, 64.0) for i, j in pairs]
    return min(rows + norms + products)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GAUSSIAN)
def test_rows_are_gaussian_with_independent_norms(kind, name):
    block = coupling(name).draw(Stream.named("marginal", kind=kind), range(6000), 4, 4)
    # The points of a quasi-random block are Gaussian one by one, but not independent in norm.
    pairs = {"halton": (), "sobol": (), "antimonotone": ((0, 2), (1, 3))}.get(name, ((0, 1), (1, 3)))
    assert marginal_p(block.projections, pairs) > ALPHA


@pytest.mark.parametrize("wrong", WRONG_BLOCKS.values(), ids=WRONG_BLOCKS)
def test_wrong_marginals_are_refuted(wrong):
    stream = Stream.named("marginal")
    block = coupling("orthogonal").draw(stream, range(6000), 4, 4)
    assert marginal_p(wrong(block, stream)) < ALPHA


# -------------------------------------------------------------- short path against full path

VECTORS = np.array([[0.6, 0.0, 0.3, -0.2], [0.1, 0.5, -0.4, 0.2], [0.0, 0.3, 0.2, 0.9]])


def functionals(values: np.ndarray, norms: np.ndarray) -> list[np.ndarray]:
    """Independent numbers that see single projections, pairs of them, pairs of vectors, and norms."""
    return [
        values[:, 0, 0],
        values[:, 0, 0] * values[:, 1, 0],
        values[:, :4, 0].max(-1),
        values[:, :4].sum(1)[:, 0],
        values[:, 0, 0] * values[:, 1, -1],
        values[:, 0, 0] ** 2 + values[:, 0, -1] ** 2,
        values[:, 0, 0] / norms[:, 0],
        np.abs(values[:, 0, 0] * values[:, -1, 0]),
    ]


def least_p(first, second) -> float:
    return min(p_same_law(a, b) for a, b in zip(functionals(*first), functionals(*second), strict=True))


@pytest.mark.parametrize("name", TWO_PATHS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_frame_and_matrix_path_agree_in_law(name, n):
    blocks = range(6000)
    frame = project_with_norms(coupling(name), Stream.named("frame"), blocks, VECTORS[:n], 6)
    matrix = project_with_norms(coupling(name), Stream.named("matrix"), blocks, VECTORS[:n], 6, via="matrix")
    assert least_p(frame[:2], matrix[:2]) > ALPHA


@pytest.mark.parametrize(("first", "second"), [("iid", "simplex"), ("orthogonal", "simplex")])
def test_other_couplings_are_refuted_by_the_same_functionals(first, second):
    blocks, x = range(6000), VECTORS[:2]
    frame = project_with_norms(coupling(first), Stream.named("frame"), blocks, x, 6)
    matrix = project_with_norms(coupling(second), Stream.named("matrix"), blocks, x, 6, via="matrix")
    assert least_p(frame[:2], matrix[:2]) < ALPHA


def rows_on_axes(frame, norms, xp):
    return norms[..., None] * frame


def sums_of_axes(frame, norms, xp):
    return xp.concat((norms[..., None] * frame, frame[..., :1, :] + 2 * frame[..., 1:2, :]), axis=-2)


LOOSE = {"rows": FromFrame("loose rows", rows_on_axes, norms=lambda d: 6, axes=lambda d: 6, independent=True),
         "sums": FromFrame("loose sums", sums_of_axes, independent=True)}  # fmt: skip


@pytest.mark.parametrize("name", LOOSE)
@pytest.mark.parametrize("n", [1, 3])
def test_both_paths_of_independent_axes_agree_in_law(name, n):
    blocks, law = range(6000), LOOSE[name]
    frame = project_with_norms(law, Stream.named("frame"), blocks, VECTORS[:n], 6)
    matrix = project_with_norms(law, Stream.named("matrix"), blocks, VECTORS[:n], 6, via="matrix")
    assert least_p(frame[:2], matrix[:2]) > ALPHA


@pytest.mark.parametrize("d", [1, 4])
def test_rows_on_independent_axes_are_independent(d):
    blocks, x = range(15_000), VECTORS[:2, :d]
    rows, iid = (
        project_with_norms(law, Stream.named(law.name), blocks, x, 6)
        for law in (LOOSE["rows"], coupling("iid"))
    )
    assert least_p(rows[:2], iid[:2]) > ALPHA
    assert not project(LOOSE["rows"], Stream(1), range(2), 0 * x, 6).any()
    if d > 1:  # the same function of orthonormal axes is seen to differ
        framed = project_with_norms(FromFrame("framed", rows_on_axes), Stream.named("framed"), blocks, x, 6)
        assert least_p(framed[:2], iid[:2]) < ALPHA


@pytest.mark.parametrize("name", [name for name in NAMES if name not in TWO_PATHS])
@pytest.mark.parametrize("d", [3, 4])
def test_other_couplings_have_one_path_up_to_rounding(name, d):
    """Fast and quasi-random couplings draw the same numbers on both paths, so the values are equal."""
    x = VECTORS[:, :d]
    frame, matrix = (project(coupling(name), Stream(8), range(40), x, 6, via=v) for v in ("frame", "matrix"))
    assert np.abs(frame - matrix).max() < 1e-12


def test_a_frame_with_lapack_signs_is_refuted(monkeypatch):
    x = VECTORS[:2]
    matrix = project_with_norms(coupling("simplex"), Stream.named("matrix"), range(6000), x, 6, via="matrix")
    monkeypatch.setattr("rftheory.sample.rotations.orthonormal_columns", lapack_signs)
    frame = project_with_norms(coupling("simplex"), Stream.named("frame"), range(6000), x, 6)
    assert least_p(frame[:2], matrix[:2]) < ALPHA


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("via", ["frame", "matrix"])
def test_projection_is_linear_and_sees_the_rank(name, via):
    x = np.stack((VECTORS[0], 2 * VECTORS[0], np.zeros(4), VECTORS[1], VECTORS[0] - 3 * VECTORS[1]))
    values = project(coupling(name), Stream.named("linear"), range(30), x, 6, via=via)
    assert np.abs(values[..., 1] - 2 * values[..., 0]).max() < 1e-12
    assert np.abs(values[..., 2]).max() < 1e-12
    assert np.abs(values[..., 4] - values[..., 0] + 3 * values[..., 3]).max() < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_zero_vectors_project_to_zero(name):
    assert not project(coupling(name), Stream(3), range(2), np.zeros((2, 4)), 6).any()


def test_frame_of_splits_the_vectors():
    x = np.stack((VECTORS[0], VECTORS[1], VECTORS[0] + VECTORS[1]))
    frame, coordinates = frame_of(x)
    assert frame.shape == (4, 2)
    assert np.abs(frame.T @ frame - np.eye(2)).max() < 1e-14
    assert np.abs(frame @ coordinates - x.T).max() < 1e-14


@pytest.mark.parametrize("unit", [1.0, 1e-14, 1e-100])
def test_a_short_vector_beside_a_long_one_is_not_lost(unit):
    x = np.array([[1e14, 3e13, 0.0, 0.0], [0.0, 1.0, 0.5, 0.0], [0.0, 0.0, 0.0, 1e-3], [0.0, 2.0, 1.0, 0.0]])
    x *= unit
    frame, coordinates = frame_of(x)
    assert frame.shape == (4, 3)
    relative = np.linalg.norm(frame @ coordinates - x.T, axis=0) / np.linalg.norm(x, axis=1)
    assert relative.max() < 1e-14
    moderate, short = frame_of(x[1:])[1] / unit, coordinates[:, 1:] / unit
    assert np.abs(short.T @ short - moderate.T @ moderate).max() < 1e-14
    values = project(coupling("orthogonal"), Stream.named("beside"), range(5000), x, 4)[:, 0, 1]
    assert p_of_law(values / np.linalg.norm(x[1]), stats.norm.cdf) > ALPHA


@pytest.mark.parametrize("via", ["frame", "matrix"])
@pytest.mark.parametrize("name", [name for name in NAMES if "simplex" not in name and "fixed" not in name])
def test_in_one_dimension_projections_are_normal(name, via):
    values = project(coupling(name), Stream.named(f"one {name}"), range(5000), np.ones((1, 1)), 1, via=via)
    assert p_of_law(values, stats.norm.cdf) > ALPHA
    assert p_of_law(np.abs(values), stats.norm.cdf) < ALPHA


def test_pair_angles_of_the_frame_path():
    """E (w_1 . x)(w_2 . x) = cos(theta) (E chi_d)^2 |x|^2 / d, which is not 0 for the simplex."""
    x, d = VECTORS[:1], 4
    values = project(coupling("simplex"), Stream.named("angle"), range(20000), x, 4)[..., 0]
    expected = -(stats.chi(d).mean() ** 2) * float(x[0] @ x[0]) / (d * (d - 1))
    assert p_of_mean(values[:, 0] * values[:, 1], expected, np.var(values[:, 0] * values[:, 1])) > ALPHA
    assert p_of_mean(values[:, 0] * values[:, 1], 0.0, np.var(values[:, 0] * values[:, 1])) < ALPHA


# ------------------------------------------------------------------------------------ errors


def test_simplex_needs_two_dimensions():
    with pytest.raises(OutsideDomain, match="simplex: needs d >= 2, got 1"):
        coupling("simplex").draw(Stream(1), range(1), 1, 1)
    with pytest.raises(OutsideDomain):
        project(coupling("simplex"), Stream(1), range(1), np.ones((1, 1)), 1)
    with pytest.raises(OutsideDomain):
        simplex_multiply(np.ones((1, 1)))


def test_unknown_coupling():
    with pytest.raises(UnknownName, match="did you mean 'orthogonal'"):
        coupling("orthogonl")
    for name in (None, 3, ["simplex"]):
        with pytest.raises(UnknownName):
            coupling(name)


@pytest.mark.parametrize(
    ("vectors", "m"),
    [
        (np.array([[np.nan, 1.0]]), 2),
        (np.array([[np.inf, 1.0]]), 2),
        (np.array([[1e200, 1.0]]), 2),
        (np.ones(3), 2),
        (np.ones((0, 3)), 2),
        (np.ones((3, 0)), 2),
        (np.ones((1, 3), dtype=complex), 2),
        (np.ma.masked_array(np.ones((1, 3)), [[True, False, False]]), 2),
        (np.ones((1, 3)), 0),
        (np.ones((1, 3)), -1),
        (np.ones((1, 3)), 2.0),
    ],
)
@pytest.mark.parametrize("name", COUPLINGS)
def test_bad_requests(name, vectors, m):
    with pytest.raises(InvalidInput):
        project(coupling(name), Stream(1), range(1), vectors, m)


@pytest.mark.parametrize(
    "call",
    [
        lambda law: law.draw(7, range(1), 3, 2),
        lambda law: law.draw(Stream(1), range(1), 0, 2),
        lambda law: law.draw(Stream(1), range(2, 1), 3, 2),
        lambda law: law.draw(Stream(1), range(1), 3, 2, dtype="int64"),
        lambda law: project(law, Stream(1), range(1), np.ones((1, 3)), 2, via="magic"),
        lambda law: project(law, 7, range(1), np.ones((1, 3)), 2),
        lambda law: project(law.name, Stream(1), range(1), np.ones((1, 3)), 2),
    ],
)
@pytest.mark.parametrize("name", COUPLINGS)
def test_bad_calls(name, call):
    with pytest.raises(InvalidInput):
        call(coupling(name))


@pytest.mark.parametrize("law", [
    Geometric("paired", norm_law=ANTIMONOTONE),
    FromFrame("paired", lambda frame, norms, xp: norms[..., None] * frame, norm_law=ANTIMONOTONE),
], ids=["geometric", "from a frame"])  # fmt: skip
def test_norms_are_paired_within_a_block(law):
    """In odd dimensions the last norm of a block has no pair, least of all in the next block."""
    stream, blocks = Stream.named("odd pairs"), range(4000)
    norms = law.draw(stream, blocks, 3, 6).norms
    tied = np.abs(np.corrcoef(norms.T)) > 0.2
    assert [tuple(pair) for pair in np.argwhere(np.triu(tied, 1)).tolist()] == [(0, 1), (3, 4)]
    assert np.abs(law.onto(stream, blocks, np.eye(3), 6).norms - norms).max() < 1e-14
