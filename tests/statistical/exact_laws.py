"""Exact means and variances of mechanisms, by series, quadrature and enumeration; nothing of the samplers is used.

The estimate of one projection is the real part of a sum of terms a exp(alpha |w|^2 + b w . v) with complex
a, alpha, b and v. A block of projections needs three numbers, its `Law`: the mean of one estimate, of its square,
and of the product of two. For rotations that are uniform,

    E exp(u_1 . p + u_2 . q) = sum_k (det M)^k / (16^k (d/2)_2k ((d-1)/2)_k k!) 0F1(; d/2 + 2k; tr M / 4)

for a uniform pair of orthonormal vectors u_1, u_2, M the 2 x 2 matrix of the products p.p, p.q, q.q without
conjugation (Muirhead 1975 on 0F1 of a 2 x 2 matrix), and a quadrature over the two norms gives all maps alike.
"""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import linalg, special
from scipy.stats import qmc


@dataclass(frozen=True, eq=False)
class Term:
    """a exp(alpha |w|^2 + b w . v)."""

    a: complex
    alpha: complex
    b: complex
    v: np.ndarray

    @property
    def exponents(self) -> list[tuple[complex, complex]]:
        """(alpha, beta) of exp(alpha w_j^2 + beta w_j), coordinate by coordinate."""
        return [(self.alpha, self.b * v) for v in self.v]


Terms = list[Term]
Product = Callable[[Term, Term], complex]


# ---- feature maps


def positive(x: np.ndarray, y: np.ndarray) -> Terms:
    return [Term(math.exp(-float(x @ x + y @ y)), 0, 1, x + y)]


def hyperbolic(x: np.ndarray, y: np.ndarray) -> Terms:
    scale = math.exp(-float(x @ x + y @ y)) / 2
    return [Term(scale, 0, 1, x + y), Term(scale, 0, -1, x + y)]


def fourier(x: np.ndarray, y: np.ndarray) -> Terms:
    return [Term(1, 0, 1j, x - y)]


def gerf(x: np.ndarray, y: np.ndarray, a: complex, s: int = 1) -> Terms:
    """Chefs' random tables, Theorem 3.1."""
    b = cmath.sqrt(s * (1 - 4 * a))
    scale = (1 - 4 * a) ** (len(x) / 2) * math.exp(-(s + 1) / 2 * float(x @ x + y @ y))
    return [Term(scale, 2 * a, b, x + s * y)]


def oprf_parameter(q: float, d: int) -> float:
    """Chefs' random tables, Theorem 3.3: A = (1 - 1/rho) / 8."""
    rho = (math.sqrt((2 * q + d) ** 2 + 8 * d * q) - 2 * q - d) / (4 * q)
    return (1 - 1 / rho) / 8


def exponential(x: np.ndarray, y: np.ndarray, matrix: np.ndarray) -> Terms:
    left, right = matrix @ x, np.linalg.inv(matrix).T @ y
    scale = cmath.exp(-complex(left @ left + right @ right) / 2 - float(x @ x + y @ y) / 2)
    return [Term(scale, 0, 1, left + right)]


# ---- products of terms


def times(first: Term, second: Term) -> Term:
    v = first.b * first.v + second.b * second.v
    return Term(first.a * second.a, first.alpha + second.alpha, 1, v)


def conjugate(term: Term) -> Term:
    return Term(*(complex(value).conjugate() for value in (term.a, term.alpha, term.b)), term.v.conj())


def real_part(product: Product, terms: Terms, others: Terms | None = None):
    """E Re(S) Re(T) = Re(E S T + E S conj(T)) / 2, summed over the terms S and T."""
    pairs = itertools.product(terms, terms if others is None else others)
    return sum((product(s, t) + product(s, conjugate(t))).real / 2 for s, t in pairs)


class Law(NamedTuple):
    """Means of one estimate, of its square, and of the product of two in a block of this size."""

    mean: float
    second: float
    pair: float
    size: int

    def variance(self, m: int) -> float:
        """Of the estimate by m projections, in independent blocks."""
        assert m % self.size == 0
        return (self.second + (self.size - 1) * self.pair - self.size * self.mean**2) / m


# ---- norms


class Nodes(NamedTuple):
    """Nodes and weights for the law of |w|^2."""

    squares: np.ndarray
    weights: np.ndarray


@lru_cache
def chi_norms(d: int) -> Nodes:
    """Gauss-Legendre in |w|, in which all integrands are entire."""
    nodes, weights = special.roots_legendre(80)
    r = 6.0 * (nodes + 1)
    density = weights * r ** (d - 1) * np.exp(-r * r / 2)
    return Nodes(r * r, density / density.sum())


def fixed_norms(d: int) -> Nodes:
    return Nodes(np.array([float(d)]), np.array([1.0]))


# ---- uniform rotations


def bessel(z: np.ndarray, order: float) -> np.ndarray:
    """0F1(; order; z) for small z, by its series, until no term is above 1e-25."""
    total, term = np.ones_like(z), np.ones_like(z)
    largest, bound, k = float(np.abs(z).max()), 1.0, 0
    while bound > 1e-25:
        k += 1
        ratio = 1 / (k * (order + k - 1))
        bound *= largest * ratio
        term = term * z * ratio
        total = total + term
    return total


def frame_average(trace: np.ndarray, determinant: np.ndarray, d: int) -> np.ndarray:
    """E exp(u_1 . p + u_2 . q), by the series of the module's docstring."""
    parts = np.broadcast_arrays(trace + 0j, determinant + 0j)
    trace, determinant = (part if part.imag.any() else part.real for part in parts)
    total, power = bessel(trace / 4, d / 2), np.ones_like(determinant)
    for k in range(1, 30):
        rising = (d / 2 + 2 * k - 2) * (d / 2 + 2 * k - 1) * ((d - 1) / 2 + k - 1) * k
        power = power * determinant / (16 * rising)
        if np.abs(power).max() < 1e-17:
            break
        total = total + power * bessel(trace / 4, d / 2 + 2 * k)
    return total


def conditional(first: Term, second: Term, r1, r2, cosine) -> np.ndarray:
    """E of a product of terms of two projections at this angle, given their squared norms."""
    p, q, d = first.b * first.v, second.b * second.v, len(first.v)
    trace = r1 * (p @ p) + r2 * (q @ q) + 2 * cosine * np.sqrt(r1 * r2) * (p @ q)
    determinant = (1 - cosine**2) * r1 * r2 * ((p @ p) * (q @ q) - (p @ q) ** 2)
    growth = np.exp(first.alpha * r1 + second.alpha * r2)
    return first.a * second.a * growth * frame_average(trace, determinant, d)


def given_norms(term: Term, squares: np.ndarray) -> np.ndarray:
    """E of a term over a uniform direction."""
    square = term.b**2 * (term.v @ term.v)
    return term.a * np.exp(term.alpha * squares) * bessel(square * squares / 4 + 0j, len(term.v) / 2)


def gaussian_mean(term: Term) -> complex:
    """E of a term of w ~ N(0, I)."""
    spread = 1 - 2 * term.alpha
    return (
        term.a * spread ** (-len(term.v) / 2) * cmath.exp(term.b**2 * complex(term.v @ term.v) / (2 * spread))
    )


def pair(first: Term, second: Term, cosine: float, norms: Nodes) -> complex:
    r, p = norms
    return complex(p @ conditional(first, second, r[:, None], r[None, :], cosine) @ p)


def uniform_law(
    terms: Terms, cosine: float | None, norms: Nodes | None = None, others: Terms | None = None
) -> Law:
    """Of projections at one angle to each other, in uniform directions; independent ones have none.

    ``others`` are the terms of another map of the same projections and the same mean, for the covariance of both.
    """
    d = len(terms[0].v)

    def average(term: Term) -> complex:
        return (
            gaussian_mean(term)
            if norms is None
            else complex(norms.weights @ given_norms(term, norms.squares))
        )

    one = sum(average(t).real for t in terms)
    second = real_part(lambda s, t: average(times(s, t)), terms, others)
    if cosine is None:
        return Law(one, second, one**2, 1)
    nodes = norms or chi_norms(d)
    return Law(one, second, real_part(lambda s, t: pair(s, t, cosine, nodes), terms, others), d)


def hybrid_variance(bases: np.ndarray, weights: list[tuple[float, float]]) -> float:
    """Of sum_k lambda_k K_k + (1 - sum_k lambda_k) K_last with independent weights, independent of the bases.

    bases : covariances of the p + 1 unbiased estimates; weights : mean and mean square of the p weights.
    """
    means = np.array([mean for mean, _ in weights])
    products = np.outer(means, means)
    np.fill_diagonal(products, [square for _, square in weights])
    # The last weight is an affine function of the others.
    last = means - products.sum(0)
    corner = 1 - 2 * means.sum() + products.sum()
    return float((np.block([[products, last[:, None]], [last[None, :], np.array([[corner]])]]) * bases).sum())


def sign_pair(angle: float) -> float:
    """E h(u_1) h(u_2) for orthonormal u_1, u_2 in three dimensions, h(u) = sign(u . x) sign(u . y) at this angle.

    h is a function of the direction phi of the projection on the plane of x and y, sum_k h_k exp(2 i k phi); at the
    height c of u_1 above it E exp(2 i k (phi_1 - phi_2)) = (-(1 - c) / (1 + c))^k, and c is uniform.
    """
    nodes, weights = special.roots_legendre(80)
    r = (1 - nodes) / (3 + nodes)
    # spence(1 - z) is the dilogarithm of z.
    sums = special.spence(1 + r) - special.spence(1 + r * cmath.exp(2j * angle)).real
    return (1 - 2 * angle / math.pi) ** 2 + float(weights @ sums) * 2 / math.pi**2


def discrete_second(log_weight: Callable[[np.ndarray], np.ndarray], x: np.ndarray, y: np.ndarray) -> float:
    """E of a squared product of random monomials (Chefs' random tables, eq. 10): a sum over the counts."""
    k = np.arange(120.0)
    scale = -2 * special.gammaln(k + 1) - log_weight(k)
    return math.exp(-float(x @ x + y @ y)) * math.prod(
        float(np.exp(scale + 2 * k * math.log(abs(product))).sum()) for product in x * y
    )


# ---- simplex+ in three dimensions


@lru_cache
def triangles() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Squared norms of two of three projections of simplex+, cosine between them, weights.

    Three vectors of these lengths with the shortest sum close a triangle if they can, so that
    |w_1 + w_2| = |w_3|; if |w_3| is less than the difference of the others, these are opposite, and if
    it is more than their sum, parallel.
    """
    (u, du), (t, dt), (s, ds) = (special.roots_legendre(n) for n in (56, 32, 32))
    total = 8.0 * (u + 1)[:, None, None]
    share = np.concatenate(((t - 1) / 2, (t + 1) / 2))[None, :, None]
    gap = np.abs(share) * total
    first, second = total * (1 + share) / 2, total * (1 - share) / 2
    flat = du[:, None, None] * np.concatenate((dt, dt))[None, :, None] * total
    flat = flat * (first * second) ** 2 * np.exp(-(first**2 + second**2) / 2)
    third = gap + (total - gap) * (s + 1) / 2
    density = math.sqrt(2 / math.pi) * third**2 * np.exp(-(third**2) / 2)
    closed = density * ds * (total - gap) / 2
    opposite, parallel = special.gammainc(1.5, gap**2 / 2), special.gammaincc(1.5, total**2 / 2 + 0 * gap)
    cosine = (third**2 - first**2 - second**2) / (2 * first * second)
    cosine = np.concatenate((cosine, 0 * gap - 1, 0 * gap + 1), axis=-1)
    weights = flat * np.concatenate((closed, opposite, parallel), axis=-1)
    squares = (np.broadcast_to(r**2, cosine.shape).ravel() for r in (first, second))
    return *squares, cosine.ravel(), weights.ravel() / weights.sum()


def triangle_law(terms: Terms) -> Law:
    """Of simplex+ in three dimensions."""
    r1, r2, cosine, weights = triangles()
    alone = uniform_law(terms, None)
    product = real_part(lambda s, t: weights @ conditional(s, t, r1, r2, cosine), terms)
    return Law(alone.mean, alone.second, float(product), 3)


def simplex_rows(d: int) -> np.ndarray:
    """Reid et al. 2023, eq. (9), with (sqrt(d) + 1) / (d - 1)."""
    rows = math.sqrt(d / (d - 1)) * np.eye(d)
    rows[:-1, :-1] -= (math.sqrt(d) + 1) / (d - 1) ** 1.5
    rows[-1] = np.append(np.ones(d - 1), 0) / math.sqrt(d - 1)
    return rows


# ---- rotations that are not uniform

Values = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From v to the products (n, size) of the directions of a block with v, and the weights (n,)."""


def law_of_values(terms: Terms, values: Values, shape: np.ndarray | None = None) -> Law:
    """Of directions with these products and independent chi norms; a shape multiplies them from the left."""
    products, weights = values(terms[0].v)
    size = products.shape[1]
    if shape is not None:
        products = products @ shape.T
    distinct, place = np.unique(products.round(13), return_inverse=True)
    r, p = (part[:, None] for part in chi_norms(size))
    estimates = sum((t.a * np.exp(t.alpha * r + t.b * np.sqrt(r) * distinct)).real for t in terms)
    one, square = ((p * f).sum(0)[place].reshape(products.shape) for f in (estimates, estimates**2))
    mean, second = weights @ one.mean(1), weights @ square.mean(1)
    product = weights @ (one.sum(1) ** 2 - (one**2).sum(1)) / (size * (size - 1))
    return Law(float(mean), float(second), float(product), size)


@lru_cache
def sign_products(d: int, factors: int = 3) -> np.ndarray:
    """All rotations H D H D H D, (2^(3 d), d, d)."""
    h = linalg.hadamard(d) / math.sqrt(d)
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=d)))
    rotation = np.eye(d)[None]
    for _ in range(factors):
        rotation = np.einsum("ij,sj,njk->nsik", h, signs, rotation).reshape(-1, d, d)
    return rotation


def hadamard_values(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    products = sign_products(len(v)) @ v
    return products, np.full(len(products), 1 / len(products))


def gauss_rule(nodes: np.ndarray, weights: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The Gauss rule of n points for a discrete law, by the Lanczos recurrence."""
    basis, diagonal, beside = [np.sqrt(weights / weights.sum())], [], []
    for _ in range(n):
        image = nodes * basis[-1]
        diagonal.append(image @ basis[-1])
        for _ in range(2):
            image = image - sum((image @ b) * b for b in basis)
        beside.append(float(np.linalg.norm(image)))
        basis.append(image / beside[-1])
    points, vectors = linalg.eigh_tridiagonal(diagonal, beside[:-1])
    return points, vectors[0] ** 2


def givens_values(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two butterflies, in dimension 2 or, for real v, 4.

    A rotation by a uniform angle leaves of the coordinates of a plane their radius alone: a layer turns the
    squared radii of two planes into a mean of them by the squared cosines of its angles.
    """
    full = 2 * math.pi * (np.arange(24) + 0.5) / 24
    if len(v) == 2:
        turned = np.stack(
            (v[0] * np.cos(full) - v[1] * np.sin(full), v[0] * np.sin(full) + v[1] * np.cos(full))
        )
        return turned.T, np.full(24, 1 / 24)
    assert len(v) == 4
    assert np.isrealobj(v)
    cosines = np.cos(math.pi * (np.arange(8) + 0.5) / 16) ** 2
    first, second = np.meshgrid(cosines, cosines)
    total, radii = v @ v, (v[0] ** 2 + v[1] ** 2, np.array([1.0]))
    for _ in range(3):  # planes of bit 1 from those of bit 0, of bit 0 from those of bit 1, and again
        squares = (radii[0][..., None, None] * first + (total - radii[0][..., None, None]) * second).ravel()
        radii = gauss_rule(squares, np.repeat(radii[1], first.size), 8)
    p, q = (np.sqrt(np.maximum(r, 0))[:, None, None] for r in (radii[0], total - radii[0]))
    f, g = full[None, :, None], full[None, None, :]
    grid = np.broadcast_arrays(p * np.cos(f), q * np.cos(g), p * np.sin(f), q * np.sin(g))
    return np.stack([part.ravel() for part in grid], axis=1), np.repeat(radii[1], full.size**2) / full.size**2


# ---- randomised nets: the coordinates of a pair of points are independent


def quasi_law(terms: Terms, classes: list[np.ndarray], coordinate: Callable) -> Law:
    """Of m points; class c of a pair in coordinate j is what the law of its two numbers depends on.

    classes : for each coordinate an integer matrix (m, m), 0 on the diagonal alone.
    coordinate : from two pairs (alpha, beta) and j to the means of exp(alpha s^2 + beta s) exp(...t...) for the
        classes 1, 2, ...
    """
    alone, m = uniform_law(terms, None), len(classes[0])

    def product(s: Term, t: Term) -> complex:
        means = np.ones((m, m), dtype=complex)
        for j, (one, other) in enumerate(zip(s.exponents, t.exponents, strict=True)):
            means *= np.concatenate(([0], coordinate(one, other, j)))[classes[j]]
        return s.a * t.a * complex(means.sum()) / (m * (m - 1))

    return Law(alone.mean, alone.second, real_part(product, terms), m)


def radical_inverse(k: int, base: int) -> float:
    return 0.0 if k == 0 else (k % base + radical_inverse(k // base, base)) / base


@lru_cache
def double_exponential() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes x of (0, 1), 1 - x, weights: for integrands with singular ends."""
    tau = np.arange(-3.5, 3.5, 0.05)
    x, rest = (special.expit(sign * math.pi * np.sinh(tau)) for sign in (1, -1))
    return x, rest, 0.05 * math.pi * np.cosh(tau) * x * rest


def quantile(t: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Of the normal law at t = 1 - rest."""
    return np.where(t < 0.5, special.ndtri(t), -special.ndtri(rest))


def grown(exponents: tuple[complex, complex], w: np.ndarray) -> np.ndarray:
    return np.exp(exponents[0] * w * w + exponents[1] * w)


def shifted_pair(one, other, delta: np.ndarray) -> np.ndarray:
    """E f(t) g(t + delta mod 1) for uniform t, through the normal quantile."""
    x, rest, weights = double_exponential()
    delta = delta[:, None]
    left = 1 - delta
    below = grown(one, quantile(left * x, delta + left * rest)) * grown(
        other, quantile(delta + left * x, left * rest)
    )
    above = grown(one, quantile(left + delta * x, delta * rest)) * grown(
        other, quantile(delta * x, left + delta * rest)
    )
    return (left * below + delta * above) @ weights


def halton_law(terms: Terms, m: int) -> Law:
    """The first m Halton points, shifted by one uniform vector modulo 1."""
    primes = (2, 3, 5, 7)
    classes, deltas = [], []
    for base in primes[: len(terms[0].v)]:
        points = np.array([radical_inverse(k, base) for k in range(m)])
        gaps = (points[None, :] - points[:, None]).round(12) % 1.0
        distinct, place = np.unique(gaps, return_inverse=True)
        assert distinct[0] == 0.0
        classes.append(place.reshape(gaps.shape))
        deltas.append(distinct[1:])
    return quasi_law(terms, classes, lambda one, other, j: shifted_pair(one, other, deltas[j]))


def cell_means(exponents: tuple[complex, complex], cells: int) -> np.ndarray:
    """Means of exp(alpha w^2 + beta w) over the cells of equal probability of the normal law."""
    alpha, beta = (complex(value) for value in exponents)
    root = cmath.sqrt(1 - 2 * alpha)
    edges = special.ndtri(np.arange(1, cells) / cells)
    below = 0.5 * (1 + special.erf((root * edges - beta / root) / math.sqrt(2)))
    below = np.concatenate(([0], below, [1]))
    return cells * cmath.exp(beta**2 / (2 * root**2)) / root * np.diff(below)


def halves_pair(one, other, level: int) -> np.ndarray:
    """E f(s) g(t) for s and t in different halves of one cell of width 2^(1 - level), independent otherwise."""
    f, g = (cell_means(exponents, 2**level) for exponents in (one, other))
    return (f[0::2] @ g[1::2] + f[1::2] @ g[0::2]) / 2**level


def sobol_law(terms: Terms, m: int) -> Law:
    """The first m Sobol points under a random linear scramble.

    Two points that differ first in digit q of a coordinate still do so, and all their further digits are
    uniform and independent (Matousek 1998).
    """
    points = (qmc.Sobol(len(terms[0].v), scramble=False, bits=30).random(m) * 2**30).astype(np.int64)
    differing = points[:, None, :] ^ points[None, :, :]
    levels = 31 - np.frexp(differing.astype(float))[1]
    levels = np.where(differing == 0, 0, levels)
    most = int(levels.max())

    def coordinate(one, other, j: int) -> np.ndarray:
        return np.array([halves_pair(one, other, level) for level in range(1, most + 1)])

    return quasi_law(terms, [levels[..., j] for j in range(points.shape[1])], coordinate)
