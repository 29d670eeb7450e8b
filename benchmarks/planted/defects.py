"""Planted defects: for each named diagnosis, code that somebody might write, and correct code for comparison.

The checker is tested and measured on these (``benchmarks/check_defects.py``). All are plain NumPy, as users would
write it, and share no code with the package's samplers, so that a mistake there cannot hide here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import hadamard

from benchmarks.planted.seeded import default_rng

Sampler = Callable[..., Any]


@dataclass(frozen=True)
class Planted:
    """A defect, the options under which it is checked, and the diagnosis that it must get.

    Attributes
    ----------
    diagnosis : the name that it must get.
    make : dimension -> target.
    options : options of `rftheory.check.check`.
    dims : dimensions in which it exists, instead of the usual 2, 4, 8, 64.
    """

    diagnosis: str
    make: Callable[[int], Sampler]
    options: dict[str, Any] = field(default_factory=dict)
    dims: tuple[int, ...] = (2, 4, 8, 64)


def _blocks(m: int, d: int) -> int:
    return -(-m // d)


def signed_q(draw: np.random.Generator, count: int, d: int) -> np.ndarray:
    """Haar rotations (count, d, d): QR with the right signs."""
    q, r = np.linalg.qr(draw.standard_normal((count, d, d)))
    rotations: np.ndarray = q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    return rotations


def _chi(draw: np.random.Generator, m: int, d: float) -> np.ndarray:
    norms: np.ndarray = np.sqrt(draw.chisquare(d, m))
    return norms


def _stack(
    draw: np.random.Generator, m: int, d: int, make: Callable[..., np.ndarray] = signed_q
) -> np.ndarray:
    """The first m rows of the stacked blocks."""
    rows: np.ndarray = make(draw, _blocks(m, d), d).reshape(-1, d)[:m]
    return rows


def orthogonal(m: int, d: int, seed: int) -> np.ndarray:
    """Correct: orthogonal blocks with chi norms."""
    draw = default_rng(seed)
    return _chi(draw, m, d)[:, None] * _stack(draw, m, d)


def independent(m: int, d: int, seed: int) -> np.ndarray:
    """Correct: Gaussian weights."""
    return default_rng(seed).standard_normal((m, d))


def qr_signs(m: int, d: int, seed: int) -> np.ndarray:
    draw = default_rng(seed)
    q = _stack(draw, m, d, lambda g, *size: np.linalg.qr(g.standard_normal((*size, size[1])))[0])
    return _chi(draw, m, d)[:, None] * q


def rows_columns(m: int, d: int, seed: int) -> np.ndarray:
    draw = default_rng(seed)
    return _stack(draw, m, d, lambda g, n, k: signed_q(g, n, k) * _chi(g, n * k, k).reshape(n, 1, k))


def chi_freedom(m: int, d: int, seed: int) -> np.ndarray:
    draw = default_rng(seed)
    return _chi(draw, m, 1)[:, None] * _stack(draw, m, d)


def norms_of_block(m: int, d: int, seed: int) -> np.ndarray:
    g = default_rng(seed).standard_normal((_blocks(m, d), d, d))
    q, r = np.linalg.qr(g)
    q = q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    rows: np.ndarray = (np.linalg.norm(g, axis=2, keepdims=True) * q).reshape(-1, d)[:m]
    return rows


def norms_shared(m: int, d: int, seed: int) -> np.ndarray:
    draw = default_rng(seed)
    return np.resize(_chi(draw, d, d), m)[:, None] * _stack(draw, m, d)


def norms_fixed(m: int, d: int, seed: int) -> np.ndarray:
    return math.sqrt(d) * _stack(default_rng(seed), m, d)


def _hadamard(draw: np.random.Generator, count: int, d: int, shift: float = 0.0) -> np.ndarray:
    size = 1 << (d - 1).bit_length()
    h = hadamard(size) / math.sqrt(size)
    product: np.ndarray = np.eye(size)
    for _ in range(3):
        product = h @ (np.sign(draw.standard_normal((count, size, 1)) - shift) * product)
    return product


def hadamard_signs(m: int, d: int, seed: int) -> np.ndarray:
    draw = default_rng(seed)
    return _chi(draw, m, d)[:, None] * _stack(draw, m, d, lambda g, n, k: _hadamard(g, n, k, 0.5))


def padding(m: int, d: int, seed: int) -> np.ndarray:
    draw, size = default_rng(seed), 1 << (d - 1).bit_length()
    rows = _hadamard(draw, _blocks(m, size), d).reshape(-1, size)[:m, :d]
    return _chi(draw, m, d)[:, None] * rows


def scale(m: int, d: int, seed: int) -> np.ndarray:
    return math.sqrt(2) * orthogonal(m, d, seed)


def lengthscale_upside_down(m: int, d: int, seed: int) -> np.ndarray:
    return 1.7 * independent(m, d, seed)


def product_law(m: int, d: int, seed: int) -> np.ndarray:
    return default_rng(seed).standard_t(3, (m, d))


def multivariate_t(m: int, d: int, seed: int) -> np.ndarray:
    """Correct for the Matern kernel of smoothness 3/2."""
    draw = default_rng(seed)
    return draw.standard_normal((m, d)) / np.sqrt(draw.chisquare(3, (m, 1)) / 3)


def multivariate_cauchy(m: int, d: int, seed: int) -> np.ndarray:
    """Correct for the Laplace kernel in the Euclidean norm."""
    draw = default_rng(seed)
    return draw.standard_normal((m, d)) / np.abs(draw.standard_normal((m, 1)))


def product_cauchy(m: int, d: int, seed: int) -> np.ndarray:
    """Correct for the Laplace kernel in the sum norm, laplace:1."""
    rows: np.ndarray = default_rng(seed).standard_cauchy((m, d))
    return rows


def product_laplace(m: int, d: int, seed: int) -> np.ndarray:
    """Correct for the Cauchy kernel, the product of 1/(1 + z_j^2)."""
    rows: np.ndarray = default_rng(seed).laplace(size=(m, d))
    return rows


def radial_law(m: int, d: int, seed: int) -> np.ndarray:
    return multivariate_cauchy(m, d, seed)


def cauchy_product(m: int, d: int, seed: int) -> np.ndarray:
    return product_cauchy(m, d, seed)


def projections_shared(m: int, d: int, seed: int) -> np.ndarray:
    draw = default_rng(seed)
    return _chi(draw, m, d)[:, None] * np.tile(signed_q(draw, 1, d)[0], (_blocks(m, d), 1))[:m]


def same_draw(m: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(42).standard_normal((m, d))


# ---- feature maps and estimators -------------------------------------------------------------------------


def trigonometric(
    x: np.ndarray, seed: int, m: int = 32, factor: float = 1.0, stretch: float = 1.0
) -> np.ndarray:
    """Correct with the defaults: features (cos, sin) / sqrt(m)."""
    w = stretch * default_rng(seed).standard_normal((m, x.shape[1]))
    return factor / math.sqrt(m) * np.concatenate([np.cos(x @ w.T), np.sin(x @ w.T)], axis=1)


def positive(x: np.ndarray, seed: int, m: int = 32, offset: float = 1.0) -> np.ndarray:
    """Correct with the defaults: positive features of the Gaussian kernel."""
    w = default_rng(seed).standard_normal((m, x.shape[1]))
    return np.exp(x @ w.T - offset * (x * x).sum(1, keepdims=True)) / math.sqrt(m)


def phases(x: np.ndarray, seed: int, m: int = 32) -> np.ndarray:
    """Correct: sqrt(2/m) cos(w.x + b)."""
    draw = default_rng(seed)
    w, b = draw.standard_normal((m, x.shape[1])), draw.uniform(0, 2 * math.pi, m)
    return math.sqrt(2 / m) * np.cos(x @ w.T + b)


def hyperbolic(x: np.ndarray, seed: int, m: int = 32) -> np.ndarray:
    """Correct: positive features of both signs."""
    w = default_rng(seed).standard_normal((m, x.shape[1]))
    both = np.concatenate([x @ w.T, -x @ w.T], axis=1)
    return np.exp(both - (x * x).sum(1, keepdims=True)) / math.sqrt(2 * m)


def sqrt_two(x: np.ndarray, seed: int) -> np.ndarray:
    return trigonometric(x, seed, factor=math.sqrt(2))


def twice_the_number(x: np.ndarray, seed: int) -> np.ndarray:
    return trigonometric(x, seed, factor=math.sqrt(0.5))


def bandwidth(x: np.ndarray, seed: int) -> np.ndarray:
    return trigonometric(x, seed, stretch=math.sqrt(2))


def missing_offset(x: np.ndarray, seed: int) -> np.ndarray:
    return positive(x, seed, offset=0.5)


def clipped(x: np.ndarray, y: np.ndarray, seed: int, m: int = 8) -> float:
    w = default_rng(seed).standard_normal((m, len(x)))
    return max(0.0, float(np.cos(w @ (x - y)).mean()))


def hybrid(
    x: np.ndarray, y: np.ndarray, seed: int, m: int = 8, swapped: bool = False, shared: bool = False
) -> float:
    """Correct with the defaults: angular hybrid of the softmax kernel, lambda = angle / pi on the hyperbolic part."""
    w = default_rng(seed).standard_normal((3, m, len(x)))  # for the two estimators and for lambda
    trigonometric, angle = (0, 0) if shared else (1, 2)
    along_x, along_y, sizes = w @ x, w @ y, float(x @ x + y @ y) / 2
    p = float(np.cosh(along_x[0] + along_y[0]).sum()) / m * math.exp(-sizes)
    t = float(np.cos(along_x[trigonometric] - along_y[trigonometric]).sum()) / m * math.exp(sizes)
    share = float(((along_x[angle] > 0) != (along_y[angle] > 0)).sum()) / m
    return (1 - share) * p + share * t if swapped else share * p + (1 - share) * t


def lambda_swapped(x: np.ndarray, y: np.ndarray, seed: int, m: int = 8) -> float:
    return hybrid(x, y, seed, m, swapped=True)


def lambda_shared(x: np.ndarray, y: np.ndarray, seed: int, m: int = 8) -> float:
    return hybrid(x, y, seed, m, shared=True)


def in_any_d(sampler: Sampler) -> Callable[[int], Sampler]:
    return lambda d: sampler


_ORTHOGONAL = {"coupling": "orthogonal"}
_HYBRID = {"features": "angular-hybrid"}
_TRIG = {"features": "trigonometric"}

PLANTED = {"qr_signs": Planted("qr-signs", in_any_d(qr_signs), _ORTHOGONAL),
    "rows_columns": Planted("rows-columns", in_any_d(rows_columns), _ORTHOGONAL),
    "chi_freedom": Planted("chi-freedom", in_any_d(chi_freedom), _ORTHOGONAL),
    "norms_of_block": Planted("norms-of-block", in_any_d(norms_of_block), _ORTHOGONAL),
    "norms_shared": Planted("norms-shared", in_any_d(norms_shared), _ORTHOGONAL),
    "norms_fixed": Planted("norms-fixed", in_any_d(norms_fixed), _ORTHOGONAL),
    "hadamard_signs": Planted("hadamard-signs", in_any_d(hadamard_signs), {"coupling": "hadamard-orthogonal"}),
    "padding": Planted("padding", in_any_d(padding), _ORTHOGONAL, dims=(3, 5, 11, 48)),
    "scale_sqrt2": Planted("scale", in_any_d(scale), _ORTHOGONAL),
    "lengthscale": Planted("scale", in_any_d(lengthscale_upside_down), {"coupling": "iid", "lengthscale": 1.7}),
    "product_law": Planted("product-law", in_any_d(product_law), {"coupling": "iid", "kernel": "matern:1.5"}),
    "product_of_cauchy": Planted("product-law", in_any_d(cauchy_product), {"coupling": "iid", "kernel": "laplace"}),
    "radial_law": Planted("radial-law", in_any_d(radial_law), {"coupling": "iid", "kernel": "laplace:1"}),
    "projections_shared": Planted("projections-shared", in_any_d(projections_shared), _ORTHOGONAL),
    "same_draw": Planted("draws-repeated", in_any_d(same_draw), {"coupling": "iid"}),
    "feature_sqrt2": Planted("feature-scale", in_any_d(sqrt_two), _TRIG),
    "feature_2d": Planted("feature-scale", in_any_d(twice_the_number), _TRIG),
    "bandwidth": Planted("kernel-scale", in_any_d(bandwidth), _TRIG),
    "missing_offset": Planted("missing-offset", in_any_d(missing_offset), {"features": "positive"}),
    "lambda_swapped": Planted("lambda-swapped", in_any_d(lambda_swapped), _HYBRID | {"m": 8}),
    "lambda_shared": Planted("lambda-shared", in_any_d(lambda_shared), _HYBRID | {"m": 4}),
    "clipped": Planted("clipped", in_any_d(clipped), _TRIG | {"m": 8})}  # fmt: skip

CORRECT: dict[str, tuple[Sampler, dict[str, Any]]] = {"orthogonal": (orthogonal, _ORTHOGONAL),
    "independent": (independent, {"coupling": "iid"}),
    "multivariate_t": (multivariate_t, {"coupling": "iid", "kernel": "matern:1.5"}),
    "multivariate_cauchy": (multivariate_cauchy, {"coupling": "iid", "kernel": "laplace"}),
    "product_cauchy": (product_cauchy, {"coupling": "iid", "kernel": "laplace:1"}),
    "product_laplace": (product_laplace, {"coupling": "iid", "kernel": "cauchy"}),
    "trigonometric": (trigonometric, _TRIG), "phases": (phases, {"features": "cosine"}),
    "positive": (positive, {"features": "positive"}), "hyperbolic": (hyperbolic, {"features": "hyperbolic"}),
    "hybrid": (hybrid, _HYBRID | {"m": 8})}  # fmt: skip
