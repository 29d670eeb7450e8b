"""SimRF+, the optimised coupling, fast rotations and quasi-random points, each against its definition."""

from __future__ import annotations

import itertools
import math
import tracemalloc

import array_api_strict
import mpmath
import numpy as np
import pytest
from scipy import linalg, special, stats
from scipy.stats import qmc

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.sample.arrays import array_namespace, to_host
from rftheory.sample.couplings import COUPLINGS, coupling, optimised
from rftheory.sample.fast_rotations import Givens, Hadamard, power_of_two, random_signs, walsh_hadamard
from rftheory.sample.norms import FIXED
from rftheory.sample.optimised import _conformity, optimised_directions
from rftheory.sample.quasi import HALTON, SOBOL, _sobol_digits
from rftheory.sample.shapes import simplex_matrix
from rftheory.sample.simplex_plus import (
    _TILE,
    SimplexPlus,
    _lengths,
    _residual,
    _sweep,
    _updated,
    first_sweep,
    simplex_plus_directions,
)
from rftheory.sample.stream import Stream
from tests.sample.laws import ALPHA, p_of_law

# --------------------------------------------------------------------------------- SimRF+


def one_pass(w: np.ndarray) -> np.ndarray:
    """Eq. (17) word for word, sequential reading: w_i <- - (sum of the others) / its length * |w_i|."""
    w = w.copy()
    for i in range(len(w)):
        others = np.delete(w, i, axis=0).sum(axis=0)
        w[i] = -others / np.linalg.norm(others) * np.linalg.norm(w[i])
    return w


@pytest.mark.parametrize("d", [2, 3, 5, 9])
@pytest.mark.parametrize("sweeps", [1, 4])
def test_sweeps_are_equation_17(d, sweeps):
    norms = Stream.named("plus").chis(range(20), d, d)
    found = simplex_plus_directions(norms, max_sweeps=sweeps, tolerance=0.0)
    for i in range(20):
        w = norms[i, :, None] * simplex_matrix(d)
        for _ in range(sweeps):
            w = one_pass(w)
        assert np.abs(found.directions[i] - w / norms[i, :, None]).max() < 1e-12


@pytest.mark.parametrize("d", [6, 8, 16])
def test_simplex_plus_closes_the_loop(d):
    """For norms none of which exceeds the sum of the others the minimum of |sum w_i| is 0, and is found."""
    norms = Stream.named("plus").chis(range(300), d, d)
    found = simplex_plus_directions(norms)
    assert found.resultant.max() < 1e-12
    assert found.residual.max() <= 1e-12
    simplex = np.linalg.norm(norms @ simplex_matrix(d), axis=-1) / norms.sum(-1)
    assert simplex.min() > 1e-3  # the plain simplex does not close it
    assert np.abs(np.linalg.norm(found.directions, axis=-1) - 1).max() < 1e-13


def test_a_dominant_norm_is_opposed_by_all_others():
    found = simplex_plus_directions(np.array([10.0, 1.0, 2.0, 1.5]), max_sweeps=500)
    inner = found.directions @ found.directions[0]
    assert np.abs(inner[1:] + 1).max() < 1e-9
    assert abs(found.resultant - 5.5 / 14.5) < 1e-12


@pytest.mark.parametrize("engine", ["array", "compiled"])
@pytest.mark.parametrize("d", [2, 3, 6, 16, 64])
def test_products_with_the_directions_are_those_of_the_iteration(engine, d):
    if engine == "compiled":
        pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    norms = Stream.named("plus").chis(range(60), d, d)
    z = Stream.named("plus").normals(range(60), 3 * d, 1).reshape(60, d, 3)
    exact = simplex_plus_directions(norms).directions @ z
    found = SimplexPlus(engine=engine).apply(z, norms)
    assert np.abs(found - exact).max() < 1e-12 * d
    # The directions of other norms are others: for d = 2 there is one opposite pair for all.
    if d > 2:
        assert np.abs(SimplexPlus(engine=engine).apply(z, norms[::-1]) - exact).max() > 1e-3
    first = SimplexPlus(engine=engine, max_sweeps=1).apply(z, norms)
    assert np.abs(first - simplex_plus_directions(norms, max_sweeps=1).directions @ z).max() < 1e-12 * d


def test_all_directions_of_many_sets_do_not_depend_on_their_company():
    """More sets than are swept together, and cuts elsewhere."""
    d, sets = 16, 2 * _TILE // 16 + 5
    norms = Stream.named("plus").chis(range(sets), d, d)
    z = np.ascontiguousarray(np.broadcast_to(np.eye(d), (sets, d, d)))
    whole = SimplexPlus().apply(z, norms)
    cuts = (0, 1, 300, 701, sets)
    parts = [SimplexPlus().apply(z[a:b], norms[a:b]) for a, b in itertools.pairwise(cuts)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert np.abs(whole[-9:] - simplex_plus_directions(norms[-9:]).directions).max() < 1e-12 * d


@pytest.mark.parametrize("columns", [1, 2, 64])
def test_a_set_alone_has_the_bits_that_it_has_in_company(columns):
    stream, d, sets = Stream.named("plus"), 64, 20
    norms, z = stream.chis(range(sets), d, d), stream.normals(range(sets), d * columns, 1)
    z = z.reshape(sets, d, columns)
    whole = SimplexPlus().apply(z, norms)
    alone = [SimplexPlus().apply(z[i : i + 1], norms[i : i + 1]) for i in range(sets)]
    assert np.array_equal(np.concatenate(alone), whole)
    assert np.array_equal(SimplexPlus().apply(z[3], norms[3]), whole[3])


@pytest.mark.parametrize("engine", ["array", "compiled"])
def test_equal_norms_leave_the_simplex(engine):
    """Its vertices sum to zero, so that it is a fixed point already."""
    if engine == "compiled":
        pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    for d in (2, 5):
        found = SimplexPlus(engine=engine).apply(np.eye(d)[None], np.ones((1, d)))
        assert np.abs(found[0] - simplex_matrix(d)).max() < 1e-14
    with pytest.raises(UnknownName):
        SimplexPlus(engine="magic")


def test_sets_whose_others_cancel_are_swept_one_direction_at_a_time():
    z = Stream.named("plus").normals(range(4), 6).reshape(4, 3, 2)
    norms = np.array([[1.0, 1.0, 0.0], [1.0, 2.0, 2.5], [3.0, 0.0, 0.0], [2.0, 2.5, 1.0]])
    found, left = first_sweep(z, norms)
    exact = simplex_plus_directions(norms, max_sweeps=1, tolerance=0.0)
    assert np.abs(found - exact.directions @ z).max() < 1e-14
    assert np.abs(left - exact.resultant * norms.sum(-1)).max() < 1e-14
    assert np.array_equal(found[1::2], first_sweep(z[1::2], norms[1::2])[0])
    # Without their own sweep these sets would be lost.
    with np.errstate(divide="ignore", invalid="ignore"):
        shrinks, lengths, _ = _lengths(norms.T, np)
        lost = _updated(z, norms.T, shrinks, lengths, array_namespace(z))
    assert np.isnan(lost).any(axis=(1, 2)).tolist() == [True, False, True, False]


def first_sweep_in_many_digits(norms: np.ndarray) -> np.ndarray:
    """The directions after one pass of eq. (17) from the simplex of eq. (9), rounded once at the end."""
    d = len(norms)
    with mpmath.workdps(400):
        vertex, common = (
            mpmath.sqrt(mpmath.mpf(d) / (d - 1)),
            (mpmath.sqrt(d) + 1) / mpmath.sqrt((d - 1) ** 3),
        )
        rows = np.array([[vertex * int(i == j) - common for j in range(d)] for i in range(d)], dtype=object)
        rows[d - 1, :], rows[:, d - 1] = 1 / mpmath.sqrt(d - 1), mpmath.mpf(0)
        weights = [mpmath.mpf(float(w)) for w in norms]
        for i in range(d):
            others = sum(weights[j] * rows[j] for j in range(d) if j != i)
            rows[i] = -others / mpmath.sqrt(sum(others * others))
        return rows.astype(float)


def lopsided_norms(d: int) -> list[np.ndarray]:
    """One norm 20 to 1e14 times the sum of the others, first, in the middle and last."""
    chis = Stream.named("plus").chis(range(1), d, d)[0]
    return [
        np.where(np.arange(d) == place, ratio * chis.sum(), chis)
        for ratio in (20.0, 1e3, 1e6, 1e9, 1e14)
        for place in (0, d // 2, d - 1)
    ]


def columns(*of_sets):
    """Arrays (B, ..) with the sets along the last axis, as sweeps take them."""
    return [np.moveaxis(one, 0, -1) for one in of_sets]


def test_directions_lie_in_one_piece_set_by_set():
    """Products with a transposed array take twice as long, and round in another way."""
    norms = np.random.default_rng(3).uniform(1.0, 2.0, (40, 5))
    for sets in (norms, norms[:1], norms[0]):
        assert simplex_plus_directions(sets).directions.flags.c_contiguous


@pytest.mark.parametrize("engine", ["array", "compiled"])
@pytest.mark.parametrize("d", [3, 8])
def test_one_norm_far_above_the_others_costs_no_digits(engine, d):
    if engine == "compiled":
        pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    norms = np.stack(lopsided_norms(d))
    norms /= np.maximum(1.0, norms.max(-1, keepdims=True) / 1e15)
    exact = np.stack([first_sweep_in_many_digits(one) for one in norms])
    z = np.ascontiguousarray(np.broadcast_to(np.eye(d), exact.shape))
    assert np.abs(SimplexPlus(engine=engine, max_sweeps=1).apply(z, norms) - exact).max() < 4e-15
    found = simplex_plus_directions(norms, max_sweeps=1, tolerance=0.0)
    assert np.abs(found.directions - exact).max() < 4e-15
    # With the sum of all vectors kept up to date the largest takes the digits of the others with it.
    plain = _sweep(*columns(simplex_matrix(d) + 0 * exact, norms), np)
    worst = np.abs(np.moveaxis(plain, -1, 0) - exact).max(axis=(1, 2))
    assert (worst[6:12] > 1e-12).all()
    assert worst[12:].max() > 1e-4


def test_the_recurrence_of_lengths_alone_loses_the_digits_of_lopsided_sets(monkeypatch):
    norms = np.stack(lopsided_norms(5)[:9])
    z, exact = np.eye(5), np.stack([first_sweep_in_many_digits(one) for one in norms])
    assert np.abs(first_sweep(z, norms)[0] - exact).max() < 4e-15
    monkeypatch.setattr("rftheory.sample.simplex_plus.LOPSIDED", 1e300)
    assert np.abs(first_sweep(z, norms)[0] - exact)[3:].max(axis=(1, 2)).min() > 1e-11


def test_lopsided_sets_reach_their_fixed_point():
    norms = np.array([[1e9, 1.0, 2.0, 1.5], [1.0, 1.0, 2e12, 1.0]])
    found = simplex_plus_directions(norms)
    assert found.residual.max() < 1e-12
    assert found.sweeps.max() < 10
    residual, *_ = _residual(*columns(found.directions, norms), np)
    assert residual.max() > 1e-9  # formed from the sum of all vectors


@pytest.mark.parametrize("engine", ["array", "compiled"])
@pytest.mark.parametrize("unit", [1e-310, 2.0**-900, 1e-200, 1e-150, 2.0**40])
def test_directions_do_not_depend_on_the_unit_of_the_norms(engine, unit):
    if engine == "compiled":
        pytest.importorskip("numba", reason="the extra 'fast' is not installed")
    norms = np.array(
        [[1.0, 2.0, 2.5, 0.25], [1.5, 1.25, 1.0, 2.0], [64.0, 1.0, 2.0, 1.5], [0.0, 0.0, 1.0, 0.0]]
    )
    norms = (unit * norms) / unit  # the smallest have fewer bits
    z = np.ascontiguousarray(np.broadcast_to(np.eye(4), (4, 4, 4)))
    plain, found = simplex_plus_directions(norms), simplex_plus_directions(unit * norms)
    assert np.abs(found.directions - plain.directions).max() < 1e-12
    assert np.abs(found.resultant - plain.resultant).max() < 1e-12
    assert np.abs(found.directions - simplex_matrix(4))[:3].max(axis=(1, 2)).min() > 1e-2
    first = [SimplexPlus(engine=engine, max_sweeps=1).apply(z, w * norms) for w in (1.0, unit)]
    assert np.abs(first[1] - first[0]).max() < 1e-14
    lengths = [first_sweep(z, w * norms)[1] / w for w in (1.0, unit)]
    assert np.abs(lengths[1] - lengths[0]).max() < 1e-13


def test_norms_that_are_all_zero_leave_the_simplex():
    found = simplex_plus_directions(np.zeros((2, 3)))
    assert np.array_equal(found.directions[0], simplex_matrix(3))
    assert found.resultant.tolist() == [0.0, 0.0]


def test_each_set_of_norms_stops_for_itself():
    norms = Stream.named("plus").chis(range(50), 4, 4)
    together = simplex_plus_directions(norms)
    alone = [simplex_plus_directions(one) for one in norms]
    assert np.array_equal(together.directions, np.stack([one.directions for one in alone]))
    assert together.sweeps.tolist() == [int(one.sweeps) for one in alone]
    assert len(set(together.sweeps.tolist())) > 3


@pytest.mark.parametrize(
    "norms", [np.array([1.0]), np.array([1.0, np.nan]), np.array([1.0, -1.0]), np.array(1.0), np.ones((0, 3))]
)
def test_bad_norms(norms):
    with pytest.raises(InvalidInput):
        simplex_plus_directions(norms)


# ------------------------------------------------------------------------------ optimised


def conformity(directions: np.ndarray, norms: np.ndarray, v: float) -> float:
    """Eq. (12) as a double sum over pairs and a series, written out."""
    d, total = len(norms), 0.0
    for i in range(d):
        for j in range(d):
            if i != j:
                w = np.linalg.norm(norms[i] * directions[i] + norms[j] * directions[j])
                terms = [
                    (v * w / 2) ** (2 * k) / math.factorial(k) / math.gamma(k + d / 2) for k in range(60)
                ]
                total += math.fsum(terms)
    return math.gamma(d / 2) / (d * (d - 1)) * total


@pytest.mark.parametrize("v", [0.3, 1.0, 3.0])
def test_the_optimised_coupling_is_the_best_of_all(v):
    """Figure 4: optimised <= SimRF+, SimRF, ORF at the same norms, strictly below ORF."""
    for norms in Stream.named("optimised").chis(range(5), 6, 6):
        best = conformity(optimised_directions(norms, v), norms, v)
        plus = conformity(simplex_plus_directions(norms).directions, norms, v)
        assert best <= plus * (1 + 1e-12)
        assert best < conformity(simplex_matrix(6), norms, v)
        assert best < 0.99 * conformity(np.eye(6), norms, v)


def test_the_objective_and_its_gradient():
    norms, v = Stream.named("optimised").chis(range(1), 4, 4)[0], 1.3
    flat = Stream.named("optimised").normals(range(1), 16)[0]
    objective = _conformity(norms, v)
    value, gradient = objective(flat)
    unit = flat.reshape(4, 4) / np.linalg.norm(flat.reshape(4, 4), axis=1, keepdims=True)
    assert abs(value / conformity(unit, norms, v) - 1) < 1e-13
    step = 1e-6
    numeric = [
        (objective(flat + step * e)[0] - objective(flat - step * e)[0]) / (2 * step) for e in np.eye(16)
    ]
    assert np.abs(gradient - numeric).max() < 1e-8 * value


def test_optimised_coupling_draws_blocks():
    block = optimised(1.0).draw(Stream(4), range(3), 5, 7)
    assert np.abs(np.linalg.norm(block.directions, axis=-1) - 1).max() < 1e-13
    assert np.array_equal(block.norms, coupling("simplex").draw(Stream(4), range(3), 5, 7).norms)


@pytest.mark.parametrize("call", [lambda: optimised(0.0), lambda: optimised(math.nan), lambda: optimised(-1)])
def test_bad_v(call):
    with pytest.raises(InvalidInput):
        call()


def test_optimised_coupling_is_for_small_problems():
    with pytest.raises(OutsideDomain, match="d <= 16"):
        optimised(1.0).draw(Stream(1), range(1), 17, 17)
    with pytest.raises(OutsideDomain, match="600"):
        optimised(100.0).draw(Stream(1), range(1), 4, 4)


# -------------------------------------------------------------------------- fast rotations


@pytest.mark.parametrize("d", [1, 2, 8, 32])
def test_walsh_hadamard_is_the_recursion_of_equation_90(d):
    assert np.abs(walsh_hadamard(np.eye(d)) - linalg.hadamard(d) / math.sqrt(d)).max() < 1e-15


@pytest.mark.parametrize("rotation", [Hadamard(), Hadamard(k=1), Givens(), Givens(butterflies=1)])
@pytest.mark.parametrize("d", [1, 2, 5, 16])
def test_fast_rotations_are_orthogonal_and_pad_with_zeros(rotation, d):
    size = power_of_two(d)
    square = rotation.matrix(Stream(2), range(4), 3, size, size, np)
    assert np.abs(square @ np.swapaxes(square, -1, -2) - np.eye(size)).max() < 1e-13
    cut = rotation.matrix(Stream(2), range(4), 3, size, d, np)
    assert np.abs(cut - square[..., :d]).max() < 1e-14
    few = rotation.matrix(Stream(2), range(4), 3, max(d // 2, 1), d, np)
    assert np.abs(few - cut[:, :, : max(d // 2, 1)]).max() < 1e-14
    x = np.arange(1.0, 2 * d + 1).reshape(2, d)
    turned = rotation.rotate(Stream(2), range(4), 3, x)
    assert np.abs(turned - cut @ x.T).max() < 1e-11
    if size == 16:
        assert len({matrix.tobytes() for matrix in square.reshape(12, size, size)}) == 12


def test_few_rows_in_high_dimension_need_no_frame():
    d, m = 4096, 4
    for name in ("hadamard-orthogonal", "givens-orthogonal", "orthogonal-simplices", "cross-polytope"):
        tracemalloc.start()
        coupling(name).onto(Stream(1), range(1), np.ones((m + 1, d)), m)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 8 * d * d, name  # the bytes of one frame


def test_hadamard_factors_are_signs_and_walsh_hadamard():
    stream, d, k = Stream(6), 8, 3
    signs = random_signs(stream, range(2), k * d, np).reshape(2, k, d)
    h = linalg.hadamard(d) / math.sqrt(d)
    product = h * signs[1, 2] @ (h * signs[1, 1]) @ (h * signs[1, 0])
    assert np.abs(Hadamard(k).matrix(stream, range(1, 2), 1, d, d, np)[0, 0] - product).max() < 1e-14


@pytest.mark.parametrize("count", [1, 31, 32, 33, 100])
def test_random_signs(count):
    signs = random_signs(Stream.named("signs"), range(2000), count, np)
    assert signs.shape == (2000, count)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert stats.binomtest(int((signs > 0).sum()), signs.size).pvalue > ALPHA
    strict = random_signs(Stream.named("signs"), range(3), count, array_api_strict)
    assert np.array_equal(to_host(strict), signs[:3])


def second_moment_excess(entries: np.ndarray) -> float:
    """|mean of a squared entry - 1/d| over its Hoeffding bound at ALPHA; entries squared lie in [0, 1]."""
    n, d = entries.shape[0], entries.shape[-1]
    bound = math.sqrt(math.log(2 * entries[0].size / ALPHA) / (2 * n))
    return float(np.abs((entries**2).mean(0) - 1 / d).max()) / bound


@pytest.mark.parametrize("rotation", [Hadamard(), Givens()])
def test_fast_rotations_are_isotropic_to_second_order(rotation):
    """(R x)_i^2 has mean 1/d for unit vectors x, here the columns of a fixed orthogonal matrix."""
    columns = coupling("orthogonal").draw(Stream.named("columns"), range(1), 8, 8).directions[0]
    matrices = rotation.matrix(Stream.named("isotropy"), range(4000), 1, 8, 8, np)[:, 0] @ columns
    assert second_moment_excess(matrices) < 1
    fixed = np.broadcast_to(matrices[:1], matrices.shape)
    assert second_moment_excess(fixed) > 1


@pytest.mark.parametrize("rotation", [Hadamard(), Givens()])
def test_rows_of_fast_rotations_lose_their_mean_direction(rotation):
    """Entries lie in [-1, 1] and average to 0; one butterfly layer less, or no signs, would not do."""
    matrices = rotation.matrix(Stream.named("isotropy"), range(4000), 1, 8, 8, np)[:, 0]
    bound = math.sqrt(2 * math.log(2 * 64 / ALPHA) / 4000)
    assert np.abs(matrices.mean(0)).max() < bound
    assert np.abs(np.abs(matrices).mean(0)).max() > bound


def test_fixed_norms():
    assert FIXED.draw(Stream(1), range(2), 3, 9, np).tolist() == [[3.0] * 3] * 2


# --------------------------------------------------------------------------- quasi-random


@pytest.mark.parametrize("law", [HALTON, SOBOL], ids=["halton", "sobol"])
def test_quasi_random_points_are_uniform_one_by_one(law):
    points = law.points(Stream.named("quasi"), range(4000), 3, 4, np)
    assert points.min() >= 0
    assert points.max() <= 1
    for i, j in ((0, 0), (1, 2), (3, 1)):
        assert p_of_law(points[:, i, j], stats.uniform.cdf) > ALPHA
        assert p_of_law(points[:, i, j] ** 1.2, stats.uniform.cdf) < ALPHA


def test_sobol_points_fill_every_cell_once():
    """The first 2^k points have one in each of the 2^k cells of every coordinate, after scrambling too."""
    points = SOBOL.points(Stream.named("quasi"), range(50), 5, 16, np)
    cells = np.sort(np.floor(points * 16), axis=1)
    assert np.array_equal(cells, np.broadcast_to(np.arange(16.0)[None, :, None], cells.shape))
    iid = Stream.named("quasi").uniforms(range(50), 80).reshape(50, 16, 5)
    assert not np.array_equal(np.sort(np.floor(iid * 16), axis=1), cells)


def test_sobol_pairs_of_coordinates_are_as_spread_as_scipys():
    """In base 2 the first two coordinates form a (0, 4, 2)-net: one point in every 2^a x 2^(4-a) cell."""
    points = SOBOL.points(Stream.named("quasi"), range(20), 2, 16, np)
    for a in range(5):
        cell = np.floor(points[..., 0] * 2**a) * 2 ** (4 - a) + np.floor(points[..., 1] * 2 ** (4 - a))
        assert np.array_equal(np.sort(cell, axis=1), np.broadcast_to(np.arange(16.0), cell.shape))


def test_sobol_points_are_uniform_below_their_last_digit():
    """The jitter fills the cell of 2^-30 that the digits leave."""
    points = SOBOL.points(Stream.named("quasi"), range(4000), 1, 1, np)
    assert p_of_law((points * 2.0**30) % 1, stats.uniform.cdf) > ALPHA
    assert p_of_law((points * 2.0**29) % 1, stats.uniform.cdf) > ALPHA


def test_sobol_digits_are_scipys_points():
    digits = _sobol_digits(4, 11)
    assert np.array_equal(digits * 2.0**-30, qmc.Sobol(4, scramble=False, bits=30).random_base2(4)[:11])


def test_halton_points_are_scipys_points_shifted():
    points = HALTON.points(Stream.named("quasi"), range(3), 4, 9, np)
    moved = (points - points[:, :1]) % 1
    reference = qmc.Halton(4, scramble=False).random(9)
    gap = np.abs(moved - (reference - reference[0]) % 1)
    assert np.minimum(gap, 1 - gap).max() < 1e-14


def test_quasi_random_blocks_are_the_points_through_the_inverse_normal_law():
    for law in (HALTON, SOBOL):
        points = law.points(Stream(3), range(4), 3, 5, np)
        assert np.abs(special.ndtr(law.draw(Stream(3), range(4), 3, 5).projections) - points).max() < 1e-12


def test_sobol_has_a_largest_dimension():
    with pytest.raises(OutsideDomain, match="21201"):
        SOBOL.draw(Stream(1), range(1), 21202, 1)


# ------------------------------------------------------------------------------- registry


def test_names_of_couplings():
    assert all(law.name == name for name, law in COUPLINGS.items())
