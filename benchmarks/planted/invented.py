"""More planted defects, in structure, tails, seeds and precision, each with the diagnosis that it must get.

Like those of `defects`, they are plain NumPy, as users would write it. A defect with an empty name must be detected
under any diagnosis.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import expm, hadamard
from scipy.special import gammaincinv, ndtr, ndtri
from scipy.stats import qmc

from benchmarks.planted.defects import (
    Planted,
    Sampler,
    in_any_d,
    independent,
    orthogonal,
    phases,
    positive,
    signed_q,
    trigonometric,
)
from benchmarks.planted.seeded import default_rng

Array = np.ndarray


def _norms(seed: int, m: int, d: float) -> Array:
    norms: Array = np.sqrt(default_rng(seed + 2**33).chisquare(d, (m, 1)))
    return norms


def _rotations(seed: int, m: int, d: int) -> Array:
    rows: Array = signed_q(default_rng(seed), -(-m // d), d).reshape(-1, d)[:m]
    return rows


# ---- rows ------------------------------------------------------------------------------------------------


def shifted(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed) + 0.3


def hardly_shifted(m: int, d: int, seed: int) -> Array:
    return orthogonal(m, d, seed) + 1e-3


def uncentred(m: int, d: int, seed: int) -> Array:
    rows: Array = math.sqrt(12) * (default_rng(seed).random((m, d)) - 0.45)
    return rows


def signs(m: int, d: int, seed: int) -> Array:
    rows: Array = default_rng(seed).choice([-1.0, 1.0], (m, d))
    return rows


def sparse_signs(m: int, d: int, seed: int) -> Array:
    rows: Array = default_rng(seed).choice(
        [-math.sqrt(3), 0.0, math.sqrt(3)], (m, d), p=[1 / 6, 2 / 3, 1 / 6]
    )
    return rows


def uniform(m: int, d: int, seed: int) -> Array:
    rows: Array = default_rng(seed).uniform(-math.sqrt(3), math.sqrt(3), (m, d))
    return rows


def laplace(m: int, d: int, seed: int) -> Array:
    rows: Array = default_rng(seed).laplace(0, math.sqrt(0.5), (m, d))
    return rows


def student(m: int, d: int, seed: int) -> Array:
    rows: Array = math.sqrt(28 / 30) * default_rng(seed).standard_t(30, (m, d))
    return rows


def sum_of_uniforms(m: int, d: int, seed: int) -> Array:
    rows: Array = default_rng(seed).random((12, m, d)).sum(0) - 6
    return rows


def clipped_entries(m: int, d: int, seed: int) -> Array:
    rows: Array = np.clip(independent(m, d, seed), -2.5, 2.5)
    return rows


def truncated_entries(m: int, d: int, seed: int) -> Array:
    low = 0.5 * math.erfc(2.5 / math.sqrt(2))
    rows: Array = ndtri(low + (1 - 2 * low) * default_rng(seed).random((m, d)))
    return rows


def clipped_norms(m: int, d: int, seed: int) -> Array:
    rows = orthogonal(m, d, seed)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows * np.minimum(1.0, (math.sqrt(d) + 1) / norms)


def half_normal(m: int, d: int, seed: int) -> Array:
    rows = independent(m, d, seed)
    rows[:, 0] = np.abs(rows[:, 0])
    return rows


def unequal(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed) * np.linspace(0.8, 1.2, d)


def correlated(m: int, d: int, seed: int) -> Array:
    rows = independent(m, d, seed)
    rows[:, 1] = 0.6 * rows[:, 0] + 0.8 * rows[:, 1]
    return rows


def freedom_less_one(m: int, d: int, seed: int) -> Array:
    return math.sqrt(d / (d - 1)) * _norms(seed, m, d - 1) * _rotations(seed, m, d)


def gamma_norms(m: int, d: int, seed: int) -> Array:
    norms: Array = np.sqrt(default_rng(seed + 2**33).gamma(d, 1.0, (m, 1)))
    return norms * _rotations(seed, m, d)


def one_zero_in_a_thousand(m: int, d: int, seed: int) -> Array:
    rows = orthogonal(m, d, seed)
    rows[default_rng(seed + 2**34).random(m) < 1e-3] = 0
    return rows


def unfilled_end(m: int, d: int, seed: int) -> Array:
    rows = orthogonal(m, d, seed)
    rows[m - m % d :] = 0
    return rows


def sixteen_bits(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed).astype(np.float16).astype(np.float64)


def brain_floats(m: int, d: int, seed: int) -> Array:
    rows = orthogonal(m, d, seed).astype(np.float32)
    return (rows.view(np.uint32) & 0xFFFF0000).view(np.float32).astype(np.float64)


def halved(m: int, d: int, seed: int) -> Array:
    return math.sqrt(0.5) * independent(m, d, seed)


def divided_by_root(m: int, d: int, seed: int) -> Array:
    return orthogonal(m, d, seed) / math.sqrt(d)


def one_less_freedom(m: int, d: int, seed: int) -> Array:
    return _norms(seed, m, d - 1) * _rotations(seed, m, d)


def one_more_freedom(m: int, d: int, seed: int) -> Array:
    return _norms(seed, m, d + 1) * _rotations(seed, m, d)


def exponential_norms(m: int, d: int, seed: int) -> Array:
    norms: Array = np.sqrt(d * default_rng(seed + 2**33).exponential(1.0, (m, 1)))
    return norms * _rotations(seed, m, d)


def logistic(m: int, d: int, seed: int) -> Array:
    rows: Array = math.sqrt(3) / math.pi * default_rng(seed).logistic(size=(m, d))
    return rows


def clipped_at_three(m: int, d: int, seed: int) -> Array:
    rows: Array = np.clip(independent(m, d, seed), -3, 3)
    return rows


def all_positive(m: int, d: int, seed: int) -> Array:
    return np.abs(independent(m, d, seed))


def smoothed(m: int, d: int, seed: int) -> Array:
    rows = independent(m, d + 1, seed)
    return (rows[:, 1:] + 0.5 * rows[:, :-1]) / math.sqrt(1.25)


def half_precision_rotation(m: int, d: int, seed: int) -> Array:
    return orthogonal(m, d, seed).astype(np.float16).astype(np.float64)


def pool_of_rows(m: int, d: int, seed: int) -> Array:
    return independent(1000, d, 42)[default_rng(seed).integers(1000, size=m)]


# ---- blocks ----------------------------------------------------------------------------------------------


def every_row_twice(m: int, d: int, seed: int) -> Array:
    rows: Array = np.repeat(independent(-(-m // 2), d, seed), 2, axis=0)[:m]
    return rows


def end_filled_up(m: int, d: int, seed: int) -> Array:
    whole = m // d * d
    rows = orthogonal(whole, d, seed)
    return np.concatenate([rows, rows[: m - whole]])


def end_uncoupled(m: int, d: int, seed: int) -> Array:
    whole = m // d * d
    return np.concatenate([orthogonal(whole, d, seed), independent(m - whole, d, seed + 2**34)])


def cross_polytope(m: int, d: int, seed: int) -> Array:
    half = _rotations(seed, -(-m // (2 * d)) * d, d).reshape(-1, d, d)
    rows = np.concatenate([half, -half], axis=1).reshape(-1, d)[:m]
    return _norms(seed, m, d) * rows


def antithetic(m: int, d: int, seed: int) -> Array:
    half = independent(-(-m // 2), d, seed)
    rows: Array = np.stack([half, -half], axis=1).reshape(-1, d)[:m]
    return rows


def permuted_blocks(m: int, d: int, seed: int) -> Array:
    draw, one = default_rng(seed), _rotations(seed + 2**34, d, d)
    rows = np.concatenate([one[draw.permutation(d)] for _ in range(-(-m // d))])[:m]
    return _norms(seed, m, d) * rows


def signed_blocks(m: int, d: int, seed: int) -> Array:
    one = np.resize(_rotations(seed, d, d), (m, d))
    rows: Array = _norms(seed, m, d) * default_rng(seed + 2**34).choice([-1.0, 1.0], (m, 1)) * one
    return rows


def askew(m: int, d: int, seed: int) -> Array:
    """The first two rows of a block are at 85 degrees, the others at right angles."""
    blocks, tilt = signed_q(default_rng(seed), -(-m // d), d), math.radians(5)
    blocks[:, 1] = math.cos(tilt) * blocks[:, 1] + math.sin(tilt) * blocks[:, 0]
    return _norms(seed, m, d) * blocks.reshape(-1, d)[:m]


def out_of_order(m: int, d: int, seed: int) -> Array:
    return default_rng(seed + 2**34).permutation(orthogonal(m, d, seed))


def rolled_blocks(m: int, d: int, seed: int) -> Array:
    one = _rotations(seed, d, d)
    rows = np.concatenate([np.roll(one, -k, axis=0) for k in range(-(-m // d))])[:m]
    return _norms(seed, m, d) * rows


def mirrored_blocks(m: int, d: int, seed: int) -> Array:
    one = _rotations(seed, d, d)
    rows = np.concatenate([one * (-1) ** k for k in range(-(-m // d))])[:m]
    return _norms(seed, m, d) * rows


def never_coupled(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed)


def rotated(m: int, d: int, seed: int) -> Array:
    return orthogonal(m, d, seed)


def unpaired(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed)


def coupled(m: int, d: int, seed: int) -> Array:
    return orthogonal(m, d, seed)


@lru_cache
def _vertices(d: int) -> Array:
    centred = np.eye(d) - 1 / d
    _, _, axes = np.linalg.svd(centred)
    vertices: Array = centred @ axes.T  # the last column vanishes: d vertices in d - 1 dimensions
    return vertices / np.linalg.norm(vertices, axis=1, keepdims=True)


def simplex(m: int, d: int, seed: int) -> Array:
    blocks = _vertices(d) @ signed_q(default_rng(seed), -(-m // d), d)
    return _norms(seed, m, d) * blocks.reshape(-1, d)[:m]


def shuffled_simplex(m: int, d: int, seed: int) -> Array:
    return default_rng(seed + 2**34).permutation(simplex(m, d, seed))


def all_vertices(m: int, d: int, seed: int) -> Array:
    """Blocks of d + 1 rows: all vertices of a regular simplex in dimension d."""
    blocks = _vertices(d + 1)[:, :d] @ signed_q(default_rng(seed), -(-m // (d + 1)), d)
    return _norms(seed, m, d) * blocks.reshape(-1, d)[:m]


def half_blocks(m: int, d: int, seed: int) -> Array:
    blocks = signed_q(default_rng(seed), -(-2 * m // d), d)[:, : d // 2]
    return _norms(seed, m, d) * blocks.reshape(-1, d)[:m]


def diagonal_of_r(m: int, d: int, seed: int) -> Array:
    """The norms are the diagonal of R, chi with d, d - 1, ..., 1 degrees of freedom."""
    q, r = np.linalg.qr(default_rng(seed).standard_normal((-(-m // d), d, d)))
    diagonal = np.diagonal(r, axis1=1, axis2=2)[:, :, None]
    return (diagonal * q.swapaxes(1, 2)).reshape(-1, d)[:m]


def one_norm_a_block(m: int, d: int, seed: int) -> Array:
    norms = np.repeat(_norms(seed, -(-m // d), d), d, axis=0)[:m]
    return norms * _rotations(seed, m, d)


def copula_norms(m: int, d: int, seed: int) -> Array:
    draw = default_rng(seed + 2**33)
    normal = math.sqrt(0.7) * draw.standard_normal((m, 1)) + math.sqrt(0.3) * draw.standard_normal()
    norms: Array = np.sqrt(2 * gammaincinv(d / 2, ndtr(normal)))
    return norms * _rotations(seed, m, d)


def sorted_norms(m: int, d: int, seed: int) -> Array:
    norms = -np.sort(-_norms(seed, -(-m // d) * d, d).reshape(-1, d), axis=1).reshape(-1, 1)[:m]
    return norms * _rotations(seed, m, d)


def sorted_in_blocks(m: int, d: int, seed: int) -> Array:
    norms = np.sort(_norms(seed, -(-m // d) * d, d).reshape(-1, d), axis=1).reshape(-1, 1)[:m]
    return norms * _rotations(seed, m, d)


def end_of_r(m: int, d: int, seed: int) -> Array:
    """The last rows from a reduced factorisation, without the signs of R's diagonal."""
    rows, whole = orthogonal(m, d, seed), m // d * d
    q = np.linalg.qr(default_rng(seed + 2**35).standard_normal((d, max(m - whole, 1))))[0].T
    rows[whole:] = (_norms(seed, m, d)[:, :1] * np.resize(q, (m, d)))[: m - whole]
    return rows


def end_of_fewer_dimensions(m: int, d: int, seed: int) -> Array:
    """The last norms chi distributed with the number of their rows as degrees of freedom."""
    whole = m // d * d
    norms = np.concatenate([_norms(seed, whole, d), _norms(seed + 1, m - whole, max(m - whole, 1))])
    return norms * _rotations(seed, m, d)


def pairs_of_two_norms(m: int, d: int, seed: int) -> Array:
    return cross_polytope(m, d, seed)


def pairs_of_one_norm(m: int, d: int, seed: int) -> Array:
    """A frame and its negative, with the same norms."""
    half = orthogonal(-(-m // (2 * d)) * d, d, seed).reshape(-1, 1, d, d)
    rows: Array = np.concatenate([half, -half], axis=1).reshape(-1, d)[:m]
    return rows


def pairs_next_to_each_other(m: int, d: int, seed: int) -> Array:
    half = orthogonal(-(-m // (2 * d)) * d, d, seed).reshape(-1, d, 1, d)
    rows: Array = np.concatenate([half, -half], axis=2).reshape(-1, d)[:m]
    return rows


def _rounds(seed: int, m: int, d: int, count: int) -> Array:
    draw, h, product = default_rng(seed), hadamard(d) / math.sqrt(d), np.eye(d)
    for _ in range(count):
        product = h @ (draw.choice([-1.0, 1.0], (-(-m // d), d, 1)) * product)
    return _norms(seed, m, d) * product.reshape(-1, d)[:m]


def one_factor(m: int, d: int, seed: int) -> Array:
    return _rounds(seed, m, d, 1)


def two_factors(m: int, d: int, seed: int) -> Array:
    return _rounds(seed, m, d, 2)


def quasi_random(m: int, d: int, seed: int) -> Array:
    points = qmc.Halton(d, scramble=False).random(m)
    rows: Array = ndtri((points + default_rng(seed).random(d)) % 1)
    return rows


def latin_hypercube(m: int, d: int, seed: int) -> Array:
    """Points in another interval of the length 1/m in each coordinate, in random order."""
    draw = default_rng(seed)
    rows: Array = ndtri((draw.random((m, d)).argsort(0) + draw.random((m, d))) / m)
    return rows


def never_spread(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed)


def _first(engine: Any, m: int) -> Array:
    """The first m points of a power of two, which SciPy asks for."""
    points: Array = engine.random(1 << (m - 1).bit_length())[:m]
    return points


def coordinates_apart(m: int, d: int, seed: int) -> Array:
    """Each coordinate with a scramble of its own of one sequence, that of a single dimension."""
    draws = [np.random.default_rng(seed * d + j) for j in range(d)]
    rows: Array = ndtri(np.concatenate([_first(qmc.Sobol(1, seed=draw), m) for draw in draws], axis=1))
    return rows


def sobol_points(m: int, d: int, seed: int) -> Array:
    return _sobol(m, d, seed, box_muller=False)


def sobol_pairs(m: int, d: int, seed: int) -> Array:
    return _sobol(m, d, seed, box_muller=True)


def _sobol(m: int, d: int, seed: int, box_muller: bool) -> Array:
    engine = qmc.Sobol(d + d % 2 * box_muller, seed=np.random.default_rng(seed))
    normal = qmc.MultivariateNormalQMC(np.zeros(d), engine=engine, inv_transform=not box_muller)
    return _first(normal, m)


def halton_points(m: int, d: int, seed: int) -> Array:
    rows: Array = ndtri(qmc.Halton(d, seed=np.random.default_rng(seed)).random(m))
    return rows


# ---- calls -----------------------------------------------------------------------------------------------


def blocks_by_seed(m: int, d: int, seed: int) -> Array:
    blocks = [orthogonal(d, d, seed + i) for i in range(-(-m // d))]
    return np.concatenate(blocks)[:m]


def rows_by_seed(m: int, d: int, seed: int) -> Array:
    return np.stack([default_rng(seed + i).standard_normal(d) for i in range(m)])


def shorter_seed(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed & 0xFFF)


_SHARED = default_rng(7)


def own_generator(m: int, d: int, seed: int) -> Array:
    return _SHARED.standard_normal((m, d))


def to_tenths(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed).round(1)


def worn_out(d: int) -> Sampler:
    """Features that are halved after 200 calls, as where a stored scale is divided again."""
    calls = itertools.count()

    def phi(x: Array, seed: int) -> Array:
        return trigonometric(x, seed, factor=1.0 if next(calls) < 200 else 0.5)

    return phi


def short_seed(m: int, d: int, seed: int) -> Array:
    return orthogonal(m, d, seed & 0xFFFF)


def kept_norms(m: int, d: int, seed: int) -> Array:
    return _norms(42, m, d) * _rotations(seed, m, d)


def kept_rotation(m: int, d: int, seed: int) -> Array:
    return _norms(seed, m, d) * _rotations(42, m, d)


def few_seeds(m: int, d: int, seed: int) -> Array:
    return orthogonal(m, d, seed % 7)


# ---- features and estimates ------------------------------------------------------------------------------


def offset(x: Array, y: Array, seed: int, m: int = 8) -> float:
    return float(np.cos(default_rng(seed).standard_normal((m, len(x))) @ (x - y)).mean()) + 0.15


def batch_maximum(x: Array, seed: int, m: int = 32) -> Array:
    along = x @ default_rng(seed).standard_normal((m, x.shape[1])).T - (x * x).sum(1, keepdims=True)
    features: Array = np.exp(along - along.max()) / math.sqrt(m)
    return features


def scaled_in_place(x: Array, seed: int) -> Array:
    """Divides the caller's array by a length scale of 2."""
    x /= 2
    return positive(x, seed)


def batch_norm(x: Array, seed: int) -> Array:
    return trigonometric(x / max(1e-9, np.linalg.norm(x, axis=1).max()), seed)


def phases_missing(x: Array, seed: int, m: int = 32) -> Array:
    features: Array = math.sqrt(2 / m) * np.cos(x @ default_rng(seed).standard_normal((m, x.shape[1])).T)
    return features


def phases_short(x: Array, seed: int, m: int = 32) -> Array:
    draw = default_rng(seed)
    w, b = draw.standard_normal((m, x.shape[1])), draw.uniform(0, 1.0, m)
    features: Array = math.sqrt(2 / m) * np.cos(x @ w.T + b)
    return features


def two_draws(x: Array, y: Array, seed: int, m: int = 32) -> float:
    return float((positive(x[None], seed, m) * positive(y[None], seed + 2**33, m)).sum())


def unit_length(x: Array, seed: int) -> Array:
    features = positive(x, seed)
    return features / np.linalg.norm(features, axis=1, keepdims=True)


def copies(x: Array, seed: int) -> Array:
    return np.tile(trigonometric(x, seed, m=8) / 2, (1, 4))


def half_floats(x: Array, seed: int) -> Array:
    return positive(x, seed).astype(np.float16).astype(np.float64)


def absolute(x: Array, y: Array, seed: int, m: int = 8) -> float:
    return abs(float(np.cos(default_rng(seed).standard_normal((m, len(x))) @ (x - y)).mean()))


def hyperbolic_sum(x: Array, seed: int, m: int = 32) -> Array:
    along = x @ default_rng(seed).standard_normal((m, x.shape[1])).T
    features: Array = np.exp(np.concatenate([along, -along], axis=1) - (x * x).sum(1, keepdims=True))
    return features / math.sqrt(m)


def offset_squared(x: Array, seed: int, m: int = 32) -> Array:
    return positive(x, seed, m, offset=1.5)


def phases_doubled(x: Array, seed: int) -> Array:
    return math.sqrt(2) * phases(x, seed)


def real_part(x: Array, seed: int) -> Array:
    return complex_waves(x, seed).real


def sines_only(x: Array, seed: int, m: int = 32) -> Array:
    features: Array = math.sqrt(2 / m) * np.sin(x @ default_rng(seed).standard_normal((m, x.shape[1])).T)
    return features


def not_divided(x: Array, seed: int) -> Array:
    return trigonometric(x, seed, factor=math.sqrt(32))


def low_bandwidth(x: Array, seed: int) -> Array:
    return trigonometric(x, seed, stretch=math.sqrt(0.5))


def offset_of_one_side(x: Array, y: Array, seed: int, m: int = 32) -> float:
    return float((positive(x[None], seed, m, offset=0.5) * positive(y[None], seed, m)).sum())


def too_small(x: Array, y: Array, seed: int, m: int = 8) -> float:
    return offset(x, y, seed, m) - 0.25


def two_copies(x: Array, seed: int) -> Array:
    return np.tile(trigonometric(x, seed, m=16) / math.sqrt(2), (1, 2))


def maximum_of_each(x: Array, seed: int, m: int = 32) -> Array:
    along = x @ default_rng(seed).standard_normal((m, x.shape[1])).T - (x * x).sum(1, keepdims=True)
    features: Array = np.exp(along - along.max(1, keepdims=True)) / math.sqrt(m)
    return features


# ---- found by an adversary -------------------------------------------------------------------------------


def rounded_seed(m: int, d: int, seed: int) -> Array:
    return independent(m, d, int(np.float32(seed)))


def halved_seed(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed // 2)


def byte_seed(m: int, d: int, seed: int) -> Array:
    return orthogonal(m, d, seed % 256)


def without_tail(m: int, d: int, seed: int) -> Array:
    draw = default_rng(seed)
    rows = draw.standard_normal((m, d))
    while (beyond := np.abs(rows) > 3.4426).any():  # a ziggurat whose last layer is a box
        rows[beyond] = draw.standard_normal(int(beyond.sum()))
    return rows


def contaminated(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed) * np.where(default_rng(seed + 2**33).random((m, 1)) < 0.1, 2.0, 1.0)


def autoregressive(m: int, d: int, seed: int) -> Array:
    rows = independent(m, d, seed)
    for i in range(1, m):
        rows[i] = 0.3 * rows[i - 1] + math.sqrt(1 - 0.3**2) * rows[i]
    return rows


def rank_deficient(m: int, d: int, seed: int) -> Array:
    rows, axis = independent(m, d, seed), default_rng(3).standard_normal(d)
    axis /= np.linalg.norm(axis)
    return math.sqrt(d / (d - 1)) * (rows - np.outer(rows @ axis, axis))


def factor_of_a_call(m: int, d: int, seed: int) -> Array:
    return independent(m, d, seed) * math.sqrt(default_rng(seed + 2**33).chisquare(8) / 8)


def first_row_kept(m: int, d: int, seed: int) -> Array:
    rows = independent(m, d, seed)
    rows[0] = default_rng(9).standard_normal(d)
    return rows


def centred(m: int, d: int, seed: int) -> Array:
    rows = independent(m, d, seed)
    return rows - rows.mean(0)


def standardised(m: int, d: int, seed: int) -> Array:
    rows = independent(m, d, seed)
    return (rows - rows.mean(0)) / rows.std(0)


def one_reflection(m: int, d: int, seed: int) -> Array:
    axis = default_rng(seed).standard_normal((-(-m // d), d, 1))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    return _norms(seed, m, d) * (np.eye(d) - 2 * axis @ axis.swapaxes(1, 2)).reshape(-1, d)[:m]


def signed_permutation(m: int, d: int, seed: int) -> Array:
    draw = default_rng(seed)
    blocks = [np.eye(d)[draw.permutation(d)] * draw.choice([-1.0, 1.0], (d, 1)) for _ in range(-(-m // d))]
    return _norms(seed, m, d) * np.concatenate(blocks)[:m]


def kept_matrix_permuted(m: int, d: int, seed: int) -> Array:
    """A rotation that is drawn once, with its rows permuted and signed anew in each call."""
    rows: Array = signed_permutation(m, d, seed) @ signed_q(default_rng(7), 1, d)[0]
    return rows


def cayley(m: int, d: int, seed: int) -> Array:
    skew = default_rng(seed).standard_normal((-(-m // d), d, d))
    skew = skew - skew.swapaxes(1, 2)
    return _norms(seed, m, d) * np.linalg.solve(np.eye(d) + skew, np.eye(d) - skew).reshape(-1, d)[:m]


def exponential_map(m: int, d: int, seed: int) -> Array:
    skew = default_rng(seed).standard_normal((-(-m // d), d, d)) / math.sqrt(d)
    return _norms(seed, m, d) * expm(skew - skew.swapaxes(1, 2)).reshape(-1, d)[:m]


def opposite_norms(m: int, d: int, seed: int) -> Array:
    uniform = default_rng(seed + 2**33).random(-(-m // 2))
    uniform = np.concatenate([uniform, 1 - uniform])[:m, None]
    return np.sqrt(2 * gammaincinv(d / 2, uniform)) * _rotations(seed, m, d)


def half_a_block_apart(m: int, d: int, seed: int) -> Array:
    """Norms of rows i and i + d/2 of a block at opposite quantiles, d even."""
    uniform = default_rng(seed + 2**33).random((-(-m // d), d // 2))
    uniform = np.concatenate([uniform, 1 - uniform], axis=1).reshape(-1, 1)[:m]
    return np.sqrt(2 * gammaincinv(d / 2, uniform)) * _rotations(seed, m, d)


def norms_of_m(m: int, d: int, seed: int) -> Array:
    return _norms(seed, m, m) * _rotations(seed, m, d)


def waves_apart(x: Array, seed: int, m: int = 32) -> Array:
    w, v = default_rng(seed).standard_normal((2, m, x.shape[1]))
    return np.concatenate([np.cos(x @ w.T), np.sin(x @ v.T)], axis=1) / math.sqrt(m)


def dropout(x: Array, seed: int) -> Array:
    features = trigonometric(x, seed)
    return features * (default_rng(seed + 2**33).random(features.shape[1]) > 0.1) / 0.9


def in_turns(x: Array, seed: int) -> Array:
    return trigonometric(x, seed, stretch=2 * math.pi)


def feature_floor(x: Array, seed: int, m: int = 32) -> Array:
    return positive(x, seed, m) + 0.1 / math.sqrt(m)


def stabilised(x: Array, seed: int, m: int = 32) -> Array:
    return positive(x, seed, m) + 1e-6 / math.sqrt(m)


def raised(x: Array, seed: int, m: int = 32) -> Array:
    return np.maximum(positive(x, seed, m), 1e-3)


def one_phase(x: Array, seed: int, m: int = 32) -> Array:
    draw = default_rng(seed)
    features: Array = np.cos(x @ draw.standard_normal((m, x.shape[1])).T + draw.uniform(0, 2 * math.pi))
    return math.sqrt(2 / m) * features


def no_offset(x: Array, seed: int, m: int = 32) -> Array:
    return positive(x, seed, m, offset=0.0)


def temperature(x: Array, seed: int) -> Array:
    return positive(x / x.shape[1] ** 0.25, seed)


# ---- correct ---------------------------------------------------------------------------------------------


def polar(m: int, d: int, seed: int) -> Array:
    left, _, right = np.linalg.svd(default_rng(seed).standard_normal((-(-m // d), d, d)))
    return _norms(seed, m, d) * (left @ right).reshape(-1, d)[:m]


def shuffled(m: int, d: int, seed: int) -> Array:
    draw, blocks = default_rng(seed + 2**34), signed_q(default_rng(seed), -(-m // d), d)
    rows = np.concatenate([q[draw.permutation(d)] * draw.choice([-1.0, 1.0], (d, 1)) for q in blocks])[:m]
    return _norms(seed, m, d) * rows


def norms_of_others(m: int, d: int, seed: int) -> Array:
    norms = np.linalg.norm(independent(m, d, seed + 2**33), axis=1, keepdims=True)
    return (norms * _rotations(seed, m, d)).astype(np.float32)


def spawned(m: int, d: int, seed: int) -> Array:
    pairs = [s.spawn(2) for s in np.random.SeedSequence(seed).spawn(-(-m // d))]
    return np.concatenate([signed_q(np.random.default_rng(a), 1, d)[0]
        * np.sqrt(np.random.default_rng(b).chisquare(d, (d, 1))) for a, b in pairs])[:m]  # fmt: skip


def inverse_cdf(m: int, d: int, seed: int) -> Array:
    rows: Array = ndtri(default_rng(seed).random((m, d)))
    return rows


def single_precision(m: int, d: int, seed: int) -> Array:
    return default_rng(seed).standard_normal((m, d), dtype=np.float32)


def columns(d: int, m: int, rng: np.random.Generator) -> Array:
    return rng.standard_normal((d, m))


def box_muller(m: int, d: int, seed: int) -> Array:
    u, v = default_rng(seed).random((2, m, d))
    rows: Array = np.sqrt(-2 * np.log1p(-u)) * np.cos(2 * math.pi * v)
    return rows


def negative_ones_lost(x: Array, seed: int) -> Array:
    return trigonometric(np.maximum(x, 0), seed)


def angles_clipped(x: Array, seed: int, m: int = 32) -> Array:
    angles = np.clip(x @ default_rng(seed).standard_normal((m, x.shape[1])).T, -math.pi, math.pi)
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1) / math.sqrt(m)


def far_ones_shrunk(x: Array, seed: int) -> Array:
    return positive(x / np.maximum(1, np.linalg.norm(x, axis=1, keepdims=True) / 1.5), seed)


def half_turn(x: Array, seed: int, m: int = 32) -> Array:
    """E cos 2b = 0 for b uniform on [0, pi], too."""
    draw = default_rng(seed)
    features: Array = np.cos(x @ draw.standard_normal((m, x.shape[1])).T + draw.uniform(0, math.pi, m))
    return math.sqrt(2 / m) * features


def complex_waves(x: Array, seed: int, m: int = 32) -> Array:
    waves: Array = np.exp(1j * x @ default_rng(seed).standard_normal((m, x.shape[1])).T)
    return waves / math.sqrt(m)


def three_factors(m: int, d: int, seed: int) -> Array:
    return _rounds(seed, m, d, 3)


def _plant(
    coupling: str, table: dict[Sampler, str], dims: tuple[int, ...] = (4, 8, 64)
) -> dict[str, Planted]:
    options: dict[str, Any] = {"coupling": coupling}
    return {f.__name__: Planted(name, in_any_d(f), options, dims) for f, name in table.items()}


INVENTED = {
    **_plant("iid",
        {shifted: "mean-offset", uncentred: "mean-offset", signs: "discrete", sparse_signs: "discrete",
            uniform: "coordinate-law", laplace: "coordinate-law", student: "coordinate-law",
            clipped_entries: "tails-truncated", truncated_entries: "tails-truncated", half_normal: "half-space",
            unequal: "anisotropic", correlated: "anisotropic", sixteen_bits: "precision-lost",
            every_row_twice: "rows-repeated", antithetic: "rows-opposite", coupled: "coupling-other",
            quasi_random: "quasi-random", halved: "scale", logistic: "coordinate-law",
            clipped_at_three: "tails-truncated", all_positive: "half-space", smoothed: "anisotropic",
            rows_by_seed: "seeds-overlap", shorter_seed: "few-states", own_generator: "seed-ignored",
            pool_of_rows: "draws-repeated", halved_seed: "draws-repeated", rounded_seed: "draws-repeated",
            without_tail: "tails-truncated", to_tenths: "rounded",
            contaminated: "norm-law", autoregressive: "rows-correlated", rank_deficient: "anisotropic",
            factor_of_a_call: "call-factor", first_row_kept: "rows-kept", centred: "rows-centred",
            standardised: "rows-centred"}),
    # fourth moment 2.9 instead of 3: a default run sees this only in many coordinates
    **_plant("iid", {sum_of_uniforms: "coordinate-law"}, (64,)),
    **_plant("orthogonal",
        {clipped_norms: "tails-truncated", freedom_less_one: "norm-law", gamma_norms: "norm-law",
            one_zero_in_a_thousand: "zero-rows", unfilled_end: "zero-rows", brain_floats: "precision-lost",
            end_filled_up: "rows-repeated", end_uncoupled: "last-block", cross_polytope: "rows-opposite",
            permuted_blocks: "blocks-permuted", out_of_order: "rows-permuted", askew: "angles-other",
            hardly_shifted: "mean-offset", signed_blocks: "projections-shared", never_coupled: "coupling-other",
            simplex: "coupling-other", shuffled_simplex: "coupling-other", half_blocks: "block-size",
            diagonal_of_r: "norm-law", one_norm_a_block: "norms-shared", sorted_norms: "norms-sorted",
            sorted_in_blocks: "norms-sorted",
            end_of_r: "last-block", end_of_fewer_dimensions: "last-block",
            copula_norms: "norms-dependent",
            blocks_by_seed: "seeds-overlap", short_seed: "few-states", kept_norms: "norms-cached",
            kept_rotation: "directions-cached", few_seeds: "draws-repeated",
            divided_by_root: "scale", one_less_freedom: "chi-freedom", one_more_freedom: "chi-freedom",
            exponential_norms: "norm-law", half_precision_rotation: "precision-lost",
            rolled_blocks: "blocks-permuted", mirrored_blocks: "projections-shared", byte_seed: "few-states",
            one_reflection: "rotation-law", signed_permutation: "rotation-law",
            kept_matrix_permuted: "rotation-law", cayley: "rotation-law",
            exponential_map: "rotation-law", opposite_norms: "norms-dependent", norms_of_m: "chi-freedom"}),
    **_plant("simplex", {rotated: "coupling-other", all_vertices: "block-size"}),
    **_plant("sobol", {never_spread: "coupling-other", latin_hypercube: "coupling-other",
        coordinates_apart: "coupling-other", halton_points: "coupling-other"}),
    **_plant("antimonotone", {half_a_block_apart: "norms-paired"}),
    **_plant("mirrored", {unpaired: "coupling-other", pairs_of_two_norms: "coupling-other",
        pairs_next_to_each_other: "rows-permuted"}),
    **_plant("cross-polytope", {pairs_of_one_norm: "coupling-other"}),
    **_plant("hadamard-orthogonal", {one_factor: "hadamard-factors", two_factors: "hadamard-factors"}, (8, 64)),
    "offset": Planted("estimate-offset", in_any_d(offset), {"features": "trigonometric", "m": 8}),
    "batch_maximum": Planted("batch-dependent", in_any_d(batch_maximum), {"features": "positive"}),
    "scaled_in_place": Planted(
        "inputs-changed", in_any_d(scaled_in_place), {"features": "positive", "lengthscale": 2.0}
    ),
    "batch_norm": Planted("batch-dependent", in_any_d(batch_norm), {"features": "trigonometric"}),
    "phases_missing": Planted("phases", in_any_d(phases_missing), {"features": "cosine"}),
    "phases_short": Planted("phases", in_any_d(phases_short), {"features": "cosine"}),
    "one_phase": Planted("phase-shared", in_any_d(one_phase), {"features": "cosine"}),
    "two_draws": Planted("projections-unshared", in_any_d(two_draws), {"features": "positive", "m": 32}),
    "unit_length": Planted("normalised", in_any_d(unit_length), {"features": "positive"}),
    "copies": Planted("fewer-projections", in_any_d(copies), {"features": "trigonometric", "m": 32}),
    "half_floats": Planted("underflow", in_any_d(half_floats), {"features": "positive"}),
    "absolute": Planted("clipped", in_any_d(absolute), {"features": "trigonometric", "m": 8}),
    "hyperbolic_sum": Planted("feature-scale", in_any_d(hyperbolic_sum), {"features": "hyperbolic"}),
    "offset_squared": Planted("missing-offset", in_any_d(offset_squared), {"features": "positive"}),
    "real_part": Planted("phases", in_any_d(real_part), {"features": "trigonometric"}),
    "sines_only": Planted("phases", in_any_d(sines_only), {"features": "cosine"}),
    "not_divided": Planted("feature-scale", in_any_d(not_divided), {"features": "trigonometric"}),
    "low_bandwidth": Planted("kernel-scale", in_any_d(low_bandwidth), {"features": "trigonometric"}),
    "offset_of_one_side": Planted("missing-offset", in_any_d(offset_of_one_side), {"features": "positive", "m": 32}),
    "too_small": Planted("estimate-offset", in_any_d(too_small), {"features": "trigonometric", "m": 8}),
    "two_copies": Planted("fewer-projections", in_any_d(two_copies), {"features": "trigonometric", "m": 32}),
    "maximum_of_each": Planted("maximum-taken", in_any_d(maximum_of_each), {"features": "positive"}),
    "phases_doubled": Planted("feature-scale", in_any_d(phases_doubled), {"features": "cosine"}),
    "waves_apart": Planted("waves-apart", in_any_d(waves_apart), {"features": "trigonometric"}),
    "negative_ones_lost": Planted("inputs-apart", in_any_d(negative_ones_lost), {"features": "trigonometric"}),
    "angles_clipped": Planted("inputs-apart", in_any_d(angles_clipped), {"features": "trigonometric"}),
    "far_ones_shrunk": Planted("inputs-apart", in_any_d(far_ones_shrunk), {"features": "positive"}),
    "worn_out": Planted("calls-unalike", worn_out, {"features": "trigonometric"}),
    "dropout": Planted("feature-scale", in_any_d(dropout), {"features": "trigonometric"}),
    "in_turns": Planted("kernel-scale", in_any_d(in_turns), {"features": "trigonometric"}),
    "feature_floor": Planted("feature-offset", in_any_d(feature_floor), {"features": "positive"}),
    "stabilised": Planted("feature-offset", in_any_d(stabilised), {"features": "positive"}),
    "raised": Planted("feature-offset", in_any_d(raised), {"features": "positive"}),
    "no_offset": Planted("missing-offset", in_any_d(no_offset), {"features": "positive"}),
    "temperature": Planted("kernel-scale", in_any_d(temperature), {"features": "positive"})}  # fmt: skip

ALSO_CORRECT: dict[str, tuple[Sampler, dict[str, Any]]] = {
    **{f.__name__: (f, {"coupling": "orthogonal"}) for f in (polar, shuffled, norms_of_others, spawned)},
    **{f.__name__: (f, {"coupling": "iid"}) for f in (inverse_cdf, single_precision, columns, box_muller)},
    "cross_polytope": (cross_polytope, {"coupling": "cross-polytope"}),
    "pairs_of_one_norm": (pairs_of_one_norm, {"coupling": "mirrored"}),
    **{f.__name__: (f, {"coupling": "sobol"}) for f in (sobol_points, sobol_pairs)},
    "halton_points": (halton_points, {"coupling": "halton"}),
    "three_factors": (three_factors, {"coupling": "hadamard-orthogonal"}),
    "half_turn": (half_turn, {"features": "cosine"}),
    "complex_waves": (complex_waves, {"features": "trigonometric", "m": 32})}  # fmt: skip
