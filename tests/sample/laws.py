"""What the statistical tests of the samplers share: false-alarm levels and reference laws.

The reference laws are written here a second time, from the papers, so that nothing of the samplers
checks itself.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import integrate, special, stats

ALPHA = 1e-9
"""False-alarm probability of one statistical test; the whole folder has fewer than 300 of them."""


def p_of_law(sample: np.ndarray, cdf) -> float:
    """Kolmogorov-Smirnov p-value of a sample of independent numbers against a law."""
    return float(stats.kstest(np.ravel(sample), cdf).pvalue)


def p_same_law(first: np.ndarray, second: np.ndarray) -> float:
    """Two-sample Kolmogorov-Smirnov p-value."""
    return float(stats.ks_2samp(np.ravel(first), np.ravel(second)).pvalue)


def p_of_mean(sample: np.ndarray, mean: float, variance: float) -> float:
    """p-value of the mean of independent numbers with known variance."""
    z = (np.mean(sample) - mean) / math.sqrt(variance / np.size(sample))
    return float(2 * stats.norm.sf(abs(z)))


def sphere_coordinate_cdf(d: int):
    """Distribution function of one coordinate of a uniform point of the unit sphere of R^d."""
    half = (d - 1) / 2
    return lambda t: stats.beta.cdf((1 + np.asarray(t)) / 2, half, half)


def pair_moment(coupling: str, d: int, v: float) -> float:
    """E exp((w_1 + w_2) . v) of one pair of projections (Reid et al. 2023, eqs 19, 21, 22)."""
    if coupling == "iid":
        return math.exp(v * v)
    cosine = {"orthogonal": 0.0, "simplex": -1 / (d - 1)}[coupling]
    constant = special.gamma(d) / (2 ** (d - 1) * special.gamma(d / 2) ** 2)

    def integrand(phi: float) -> float:
        z = v * v * (1 + math.sin(phi) * cosine) / 2
        return math.sin(phi) ** (d - 1) * special.hyp1f1(d, d / 2, z)

    return constant * integrate.quad(integrand, 0, math.pi, epsabs=0, epsrel=1e-12)[0]


def positive_variance(coupling: str, d: int, m: int, x: np.ndarray, y: np.ndarray) -> float:
    """Variance of the positive estimate of the Gaussian kernel, m <= d (Reid et al., Theorem 3.2)."""
    v = float(np.linalg.norm(x + y))
    scale = math.exp(-2 * float(x @ x) - 2 * float(y @ y)) / m
    own = math.exp(2 * v * v) - math.exp(v * v)
    return scale * (own + (m - 1) * (pair_moment(coupling, d, v) - math.exp(v * v)))


def gaussian_kernel(x: np.ndarray, y: np.ndarray) -> float:
    return math.exp(-float((x - y) @ (x - y)) / 2)


def softmax_kernel(x: np.ndarray, y: np.ndarray) -> float:
    return math.exp(float(x @ y))
