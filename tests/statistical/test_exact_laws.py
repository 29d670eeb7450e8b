"""The laws of the contract tests by second routes, to 1e-10 and better, each with a wrong law that is seen."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import linalg, special, stats
from scipy.stats import qmc

from tests.statistical import contracts
from tests.statistical.exact_laws import (
    Term,
    Terms,
    cell_means,
    chi_norms,
    conditional,
    conjugate,
    discrete_second,
    double_exponential,
    gaussian_mean,
    given_norms,
    givens_values,
    hadamard_values,
    halton_law,
    hybrid_variance,
    law_of_values,
    quantile,
    radical_inverse,
    real_part,
    sign_pair,
    sobol_law,
    times,
    triangle_law,
    uniform_law,
)

X, Y = contracts.X, contracts.Y
NAMES = ("positive", "trigonometric", "gerf, complex", "complex exponential")


def terms_of(name: str, d: int) -> Terms:
    return contracts.maps(X[:d], Y[:d], 0.01 + 0.05j)[name][1]


# ---- uniform rotations


def by_hopf(p: np.ndarray, q: np.ndarray, cosine: float) -> complex:
    """E exp(u_1 . p + u_2 . q) in four dimensions: u_1 by three angles, u_2 given u_1 by a closed form."""
    nodes, weights = special.roots_legendre(32)
    angles = 2 * math.pi * np.arange(40) / 40
    s, f, g = np.meshgrid((nodes + 1) / 2, angles, angles, indexing="ij")
    parts = (
        np.sqrt(s) * np.cos(f),
        np.sqrt(s) * np.sin(f),
        np.sqrt(1 - s) * np.cos(g),
        np.sqrt(1 - s) * np.sin(g),
    )
    along = sum(part * value for part, value in zip(parts, q, strict=True))
    root = np.sqrt((1 - cosine**2) * (q @ q - along**2) + 0j)
    seen = sum(part * value for part, value in zip(parts, p, strict=True))
    return complex((np.exp(seen + cosine * along) * np.sinh(root) / root).mean((1, 2)) @ weights / 2)


@pytest.mark.parametrize("cosine", [0.0, -1 / 3, 0.7])
def test_frame_averages_by_angles(cosine):
    rng = np.random.default_rng(0)
    p, q = (rng.normal(size=4) + 1j * rng.normal(size=4) for _ in range(2))
    found = conditional(Term(1, 0, 1, p), Term(1, 0, 1, q), 1.0, 1.0, cosine)
    assert abs(found / by_hopf(p, q, cosine) - 1) < 1e-12
    # Without the determinant, as for equal vectors, it would be another number.
    trace = p @ p + q @ q + 2 * cosine * (p @ q)
    assert abs(special.hyp0f1(2.0, trace / 4) / found - 1) > 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_gaussian_means_are_means_over_directions_and_norms(name):
    nodes = chi_norms(4)
    for t in terms_of(name, 4):
        product = times(t, t)
        assert abs(nodes.weights @ given_norms(product, nodes.squares) / gaussian_mean(product) - 1) < 1e-13
        assert (
            abs(chi_norms(3).weights @ given_norms(product, nodes.squares) / gaussian_mean(product) - 1)
            > 1e-3
        )


def by_sorted_norms(first: Term, second: Term) -> complex:
    """The pair average of simplex+ in three dimensions over norms r_1 < r_2 < r_3."""
    nodes, weights = special.roots_legendre(36)
    u, du = (nodes + 1) / 2, weights / 2
    r3, total = 10 * u[:, None, None], 0.0
    for low, high, split in ((0.0, 0.5, False), (0.5, 1.0, True)):
        r2 = r3 * (low + (high - low) * u[None, :, None])
        base = 10 * du[:, None, None] * r3 * (high - low) * du[None, :, None]
        edges = (0 * r2, r3 - r2, r2) if split else (0 * r2, r2)
        for k, (start, end) in enumerate(itertools.pairwise(edges)):
            r1 = start + (end - start) * u[None, None, :]
            density = base * (end - start) * du[None, None, :]
            density = density * (r1 * r2 * r3) ** 2 * np.exp(-(r1**2 + r2**2 + r3**2) / 2)
            for a, b, c, opened in ((r1, r2, r3, 1.0), (r1, r3, r2, -1.0), (r2, r3, r1, -1.0)):
                cosine = (c**2 - a**2 - b**2) / (2 * a * b) if k == 1 else opened
                for s, t in ((first, second), (second, first)):
                    total = total + (density * conditional(s, t, a**2, b**2, cosine)).sum()
    return complex(total) * (2 / math.pi) ** 1.5


def test_simplex_plus_by_sorted_norms():
    terms = terms_of("complex exponential", 3)
    found = triangle_law(terms).pair
    assert abs(real_part(by_sorted_norms, terms) / found - 1) < 1e-12
    assert abs(uniform_law(terms, -1 / 2).pair / found - 1) > 1e-3


# ---- fast rotations


def power_series(terms: Terms, values: np.ndarray, d: int) -> np.ndarray:
    """E of a sum of terms over the norm alone, from the moments of chi."""
    k = np.arange(80)
    moments = np.exp(k / 2 * math.log(2) + special.gammaln((d + k) / 2) - special.gammaln(d / 2))
    coefficients = sum(
        t.a * t.b**k * (1 - 2 * t.alpha) ** (-(d + k) / 2) * moments / special.factorial(k) for t in terms
    )
    return np.polynomial.polynomial.polyval(values, coefficients)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("d", [2, 4])
def test_hadamard_products_by_power_series(name, d):
    """Signs by columns rather than matrices, norms by the moments of chi."""
    terms = terms_of(name, d)
    h, v = linalg.hadamard(d) / math.sqrt(d), terms[0].v
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=d)))
    seen = (signs * v) @ h
    for _ in range(2):
        seen = ((signs[:, None, :] * seen[None]) @ h).reshape(-1, d)
    one = power_series(terms, seen, d).real
    pair = ((one.sum(1) ** 2 - (one**2).sum(1)) / (d * (d - 1))).mean()
    second = 0.0
    for s, t in itertools.product(terms, repeat=2):
        for other, value in ((t, seen), (conjugate(t), seen.conj())):
            both = Term(s.a * other.a, s.alpha + other.alpha, 1, v)
            second += power_series([both], s.b * seen + other.b * value, d).real.mean() / 2
    found = law_of_values(terms, hadamard_values)
    assert np.abs(np.array(found[:3]) / (one.mean(), second, pair) - 1).max() < 1e-12
    assert abs(uniform_law(terms, 0.0).pair / found.pair - 1) > 1e-6


def all_angles(v: np.ndarray, n: int) -> np.ndarray:
    """Two butterflies in four dimensions for n equally spaced values of each of their eight angles."""
    angles, rows = 2 * math.pi * np.arange(n) / n, v[None, :]
    for i, j in 2 * [(0, 1), (2, 3), (0, 2), (1, 3)]:
        rows = np.repeat(rows, n, axis=0)
        cosine, sine = (np.tile(f(angles), len(rows) // n) for f in (np.cos, np.sin))
        low, high = rows[:, i].copy(), rows[:, j].copy()
        rows[:, i], rows[:, j] = cosine * low - sine * high, sine * low + cosine * high
    return rows


def test_givens_butterflies_by_all_angles():
    """Five values of an angle average all polynomials of degree 4 exactly."""
    v = np.array([0.3, -0.5, 0.4, 0.1])
    rows, (values, weights) = all_angles(v, 5), givens_values(v)
    for indices in ("00", "22", "0000", "1111", "0011", "0022", "0033", "1122", "0123", "02", "1333"):
        chosen = [int(i) for i in indices]
        exact = math.prod(rows[:, i] for i in chosen).mean()
        assert abs(weights @ math.prod(values[:, i] for i in chosen) - exact) < 1e-15
    # Uniform directions have another fourth moment, 3 |v|^4 / (d (d + 2)).
    assert abs((rows[:, 0] ** 4).mean() / (3 * (v @ v) ** 2 / 24) - 1) > 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_one_plane_is_turned_uniformly(name):
    """In two dimensions a butterfly is a uniform rotation, and a reflection leaves all estimates' law as it is."""
    terms = terms_of(name, 2)
    found, uniform = law_of_values(terms, givens_values), uniform_law(terms, 0.0)
    assert np.abs(np.array(found[:3]) / uniform[:3] - 1).max() < 1e-12


# ---- randomised nets


@pytest.mark.parametrize("name", NAMES)
def test_halton_on_a_line(name):
    """The square of the whole estimate, piece by piece of the shift, for points that are no net: m = 6."""
    terms, m = terms_of(name, 1), 6
    points = np.array([radical_inverse(k, 2) for k in range(m)])
    assert np.array_equal(points, qmc.Halton(1, scramble=False).random(m)[:, 0])
    cuts = np.unique(np.concatenate(([0.0, 1.0], 1 - points[1:])))
    (x, rest, weights), second = double_exponential(), 0.0
    for start, end in itertools.pairwise(cuts):
        low = (start + points) % 1.0
        t, beyond = (
            low[:, None] + (end - start) * x,
            (1 - low - (end - start))[:, None] + (end - start) * rest,
        )
        w = quantile(t, beyond)
        values = sum((s.a * np.exp(s.alpha * w * w + s.b * s.v[0] * w)).real for s in terms).mean(0)
        second += (end - start) * float(values**2 @ weights)
    found = halton_law(terms, m)
    assert abs((found.variance(m) + found.mean**2) / second - 1) < 1e-12
    assert abs((uniform_law(terms, None).variance(m) + found.mean**2) / second - 1) > 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_sobol_in_a_plane(name):
    """All scrambles of the three digits of eight points, by enumeration; what is below them is uniform."""
    terms, m = terms_of(name, 2), 8
    base = (qmc.Sobol(2, scramble=False).random(m) * m).astype(int)

    def scrambled(points: np.ndarray) -> np.ndarray:
        rows = []
        for a, b, c in itertools.product((0, 1), repeat=3):
            moved = ((points & 4) > 0) * (4 + 2 * a + b) ^ ((points & 2) > 0) * (2 + c) ^ (points & 1)
            rows += [moved ^ shift for shift in range(m)]
        return np.array(rows)

    first, second = (scrambled(base[:, j]) for j in range(2))
    values = sum(
        t.a
        * cell_means(t.exponents[0], m)[first][:, None, :]
        * cell_means(t.exponents[1], m)[second][None, :, :]
        for t in terms
    ).real
    pair = ((values.sum(-1) ** 2 - (values**2).sum(-1)) / (m * (m - 1))).mean()
    found = sobol_law(terms, m)
    assert abs(found.pair / pair - 1) < 1e-12
    assert abs(found.mean**2 / pair - 1) > 1e-3
    (x, rest, weights) = double_exponential()
    t = terms[0]
    for k, mean in enumerate(cell_means(t.exponents[0], m)):
        w = quantile((k + x) / m, (m - 1 - k + rest) / m)
        assert abs(np.exp(t.alpha * w * w + t.b * t.v[0] * w) @ weights - mean) < 1e-12 * abs(mean)


# ---- discrete features, signs and hybrids


@pytest.mark.parametrize("angle", [0.7, 1.9])
def test_signs_of_orthonormal_pairs_by_the_circle_of_the_second(angle):
    """Given u_1, signs of u_2 differ with the angle of what x and y have at right angles to u_1, over pi."""
    x, rest, weights = double_exponential()
    # In a half turn: the directions of x and y, and those at right angles, where a sign changes.
    turns = sorted((f + math.pi / 2) % math.pi - math.pi / 2 for f in (0, angle, angle + math.pi / 2))
    found = 0.0
    for start, end in itertools.pairwise((-math.pi / 2, *turns, math.pi / 2)):
        phi = np.where(x < 0.5, start + (end - start) * x, end - (end - start) * rest)[:, None]
        flat = rest * (2 - rest) * np.cos(phi) * np.cos(phi - angle)  # u_1 . x times u_1 . y at height x
        between = np.arctan2(x * math.sin(angle), math.cos(angle) - flat)
        sign = math.copysign(1, math.cos((start + end) / 2) * math.cos((start + end) / 2 - angle))
        found += sign * (end - start) / math.pi * float(weights @ (1 - 2 * between / math.pi) @ weights)
    assert abs(found - sign_pair(angle)) < 1e-10
    assert abs((1 - 2 * angle / math.pi) ** 2 - sign_pair(angle)) > 1e-2


def test_discrete_features_have_the_second_moments_of_the_paper():
    """Chefs' random tables, eqs (11) and (13)."""
    x, y, rate, p = np.abs(X), np.abs(Y), 0.4, 0.8
    size = math.exp(-float(x @ x + y @ y))
    poisson = size * math.exp(rate * len(x) + float((x * x) @ (y * y)) / rate)
    assert abs(discrete_second(stats.poisson(rate).logpmf, x, y) / poisson - 1) < 1e-13
    geometric = size * p ** -len(x) * float(special.i0(2 * x * y / math.sqrt(1 - p)).prod())
    assert abs(discrete_second(stats.geom(p, loc=-1).logpmf, x, y) / geometric - 1) < 1e-13
    assert abs(discrete_second(stats.poisson(1.1 * rate).logpmf, x, y) / poisson - 1) > 1e-3


def test_variance_of_a_hybrid_by_all_outcomes():
    """Two weights and three bases of two values each, all outcomes of a mean 1 kernel."""
    weights = ((0.2, 0.9), (-0.3, 0.5))
    bases = np.array(list(itertools.product((-1.0, 1.0), repeat=3))) @ np.array(
        [[0.3, 0.1, 0.0], [0.0, 0.5, 0.2], [0.1, 0.0, 0.4]]
    )
    outcomes = [
        (1 + b) @ (one, two, 1 - one - two) for one in weights[0] for two in weights[1] for b in bases
    ]
    moments = [(np.mean(w), np.mean(np.square(w))) for w in weights]
    found = hybrid_variance(bases.T @ bases / len(bases), moments)
    assert abs(found - np.var(outcomes)) < 1e-14
    assert abs(hybrid_variance(np.diag(np.diag(bases.T @ bases / len(bases))), moments) - found) > 1e-3
